cimport cython

from anyurl.dialogue.asks cimport _RequestFields
from anyurl.net.http.body cimport Body
from anyurl.net.wire.connector cimport Connector
from anyurl.net.loop.judged cimport Place
from anyurl.net.loop.loop cimport Loop, Timer
from anyurl.net.loop.scheduler cimport Scheduler
from anyurl.net.loop.task cimport Task
from anyurl.net.http.request cimport Transfer
from anyurl.net.http.sockets cimport Sockets


cdef int _IN
cdef int _OUT
cdef int _SOCKET_TIMEOUT


cdef class CurlEngine:
    cdef public Scheduler scheduler
    cdef public Loop loop
    cdef public Sockets sockets
    cdef public object multi
    cdef object _socket_action
    cdef object _add_handle
    cdef object _remove_handle
    cdef public list _idle
    cdef public list _certified
    cdef object _cert
    cdef public dict _running
    cdef object _tunnels
    cdef public Timer _timer
    cdef public bint _due
    cdef object __weakref__
    cdef public bint _collecting
    cdef public bint _busy
    cdef Py_ssize_t _left
    cdef Transfer _alone
    cdef public object _connect_limit

    @cython.locals(connector=Connector, place=Place, known=tuple)
    cpdef request(self, Task task, _RequestFields ask)
    @cython.locals(transfer=Transfer, idle=list)
    cdef _begin(self, Task task, _RequestFields ask, tuple route)
    cpdef act_soon(self)
    cdef _set_timer(self)
    cdef list _idle_for(self, Task task)
    cdef _add(self, Transfer transfer)
    cdef _interrupt(self)
    cdef _collect_soon(self)
    cdef _body(self, channel)
    cdef _act(self, int fd, int mask)
    @cython.locals(transfer=Transfer)
    cdef _ended(self, easy, code, text)
    cpdef abandon(self, Transfer transfer)
    cdef _rest(self, Transfer transfer)
