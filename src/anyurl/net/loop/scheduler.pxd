cimport cython

from anyurl.net.loop.clocks cimport Clocks
from anyurl.net.wire.connector cimport Connector
from anyurl.net.loop.judged cimport Judged
from anyurl.net.loop.loop cimport Loop
from anyurl.net.loop.relays cimport Relays
from anyurl.net.loop.task cimport Task


cdef class Scheduler:
    cdef public object policy
    cdef public object decisions
    cdef public Loop loop
    cdef public object network
    cdef public object tls_config
    cdef public dict configured
    cdef public object ask_consent
    cdef public object user_agent
    cdef public Connector connector
    cdef public object pool
    cdef public object connections
    cdef public object process
    cdef public object thread
    cdef public Clocks clocks
    cdef public Relays relays
    cdef public list shared
    cdef public object await_answer
    cdef public bint busy
    cdef public object manners
    cdef public Judged _judged
    cdef public dict _handlers
    cdef public object _max_bytes
    cdef public object _max_entries
    cdef object __weakref__

    @cython.locals(number=int, until=double, now=double, result=list)
    cdef _resume(self, Task task, value, error)
    @cython.locals(task=Task)
    cpdef start(self, url, begin, came_from=*, source=*, ask_secret=*, bint eager=*, notify=*, lists=*, bint patient=*,
                asked_by=*, crowd=*, budget=*)
    cdef bint _may_connect(self, Task task) except -1
    cpdef _begin(self, Task task)
    cpdef _begin_late(self, Task task)
    cdef bint _may_begin(self, Task task) except -1
    cdef _end(self, Task task, error, bint keep=*, bint closed=*)
    cdef _watch(self, Task task, connection, want)
    cdef _learn(self, Task task, error)
    cpdef be_mannerly(self, per_host=*, delay=*)
    cpdef next_piece(self, Task task)
    cpdef forget(self, Task task)
