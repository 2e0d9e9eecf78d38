cimport cython

from anyurl.net.loop.clocks cimport Clocks
from anyurl.net.wire.connector cimport Connector
from anyurl.net.loop.judged cimport Judged
from anyurl.net.loop.loop cimport Loop
from anyurl.net.loop.provenance cimport Parties
from anyurl.net.loop.stream cimport Stream
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
    cdef public object max_bytes
    cdef public object max_entries
    cdef public object reader
    cdef public list shared
    cdef public object await_answer
    cdef public object manners
    cdef public Judged _judged
    cdef public dict _handlers
    cdef object __weakref__

    @cython.locals(number=int, until=double, now=double, result=list, stream=Stream)
    cdef _resume(self, Task task, value, error)
    @cython.locals(task=Task, stream=Stream)
    cpdef start(self, Parties parties, begin, source=*, ask_secret=*, bint eager=*, notify=*, notes=*, bint patient=*,
                crowd=*, budget=*, Stream after=*)
    cdef bint _may_connect(self, Task task) except -1
    cpdef _begin(self, Task task)
    cpdef _begin_late(self, Task task)
    cdef bint _may_begin(self, Task task) except -1
    @cython.locals(stream=Stream)
    cdef _end(self, Task task, error, bint keep=*, bint closed=*, follow=*)
    cdef _watch(self, Task task, connection, want)
    cdef _learn(self, Task task, error)
    cpdef be_mannerly(self, per_host=*, delay=*, rests=*)
    cpdef end(self, Task task, error)
    cpdef bint may_end(self)
    cpdef listen(self, Task task, channel, want)
