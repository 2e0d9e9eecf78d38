cimport cython

from anyurl.net.http.body cimport Body
from anyurl.net.connector cimport Connector
from anyurl.net.loop cimport Loop, Timer
from anyurl.net.scheduler cimport Scheduler
from anyurl.net.task cimport Task
from anyurl.net.http.request cimport Transfer


cdef int _IN
cdef int _OUT
cdef int _REMOVE
cdef int _SOCKET_TIMEOUT


cdef class CurlEngine:
    cdef public Scheduler scheduler
    cdef public Loop loop
    cdef public object salt
    cdef public object nameless
    cdef public object multi
    cdef public list _idle
    cdef public dict _watched
    cdef public set _parked
    cdef public dict _probes
    cdef public dict _running
    cdef public Timer _timer
    cdef public bint _due
    cdef public bint busy
    cdef public object interruption
    cdef object __weakref__
    cdef public bint _collecting
    cdef public object _connect_limit

    @cython.locals(connector=Connector)
    cpdef request(self, Task task, ask)
    @cython.locals(transfer=Transfer)
    cdef _begin(self, Task task, ask, tuple aim)
    cpdef act_soon(self)
    cdef _set_timer(self)
    cdef _add(self, Transfer transfer)
    cdef _interrupt(self)
    cdef _body(self, channel)
    cdef _unpark(self, fd)
    cdef _know(self, local_port, fd)
    cpdef bint is_quiet(self, local_port) except? -1
    cpdef unpark_all(self)
    cdef _act(self, int fd, int mask)
    @cython.locals(transfer=Transfer)
    cdef _ended(self, easy, code, text)
    cpdef abandon(self, Transfer transfer)
    cdef _rest(self, Transfer transfer)
