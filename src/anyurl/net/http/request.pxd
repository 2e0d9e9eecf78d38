cimport cython

from anyurl.dialogue.asks cimport _RequestFields
from anyurl.dialogue.values cimport Response
from anyurl.net.http.body cimport Body
from anyurl.net.http.sockets cimport Sockets
from anyurl.net.loop.scheduler cimport Scheduler
from anyurl.net.loop.task cimport Task


cdef int _REQUEST_TARGET
cdef int _PREREQ_OK
cdef int _PREREQ_ABORT


@cython.final
cdef class Transfer:
    cdef public Sockets sockets
    cdef public Scheduler scheduler
    cdef object _act_soon
    cdef object _go_on
    cdef object _give_up
    cdef object _limits
    cdef public object easy
    cdef object _setopt
    cdef public Body body
    cdef public Task task
    cdef public list lines
    cdef public bint _answered
    cdef bint _sent
    cdef public object _kept_error
    cdef public tuple route
    cdef public bint wants_tunnel
    cdef public bint certified
    cdef public object tunnel
    cdef public object _proxy
    cdef public bint _is_literal
    cdef public list _listed
    cdef public int _zone
    cdef public object _approved
    cdef public object _peer
    cdef public list _opened
    cdef public object _scope
    cdef public bint _secured
    cdef public object _upload
    cdef public object _plain
    cdef public object _method
    cdef public object _pinned
    cdef object _blind
    cdef bint _eager
    cdef bint _timed
    cdef object _target
    cdef public object _where
    cdef public object _decode
    cdef public bint _fresh
    cdef public bint stale
    cdef object _asked
    cdef public object new_port
    cdef object __weakref__

    cpdef begin(self, Task task, _RequestFields ask, tuple route, bint alone)
    cpdef notice_head(self)
    cdef _watch_timers(self, bint wanted)
    cdef _take_route(self, tuple route)
    cdef _set_headers(self, _RequestFields ask)
    cdef _pin(self, _RequestFields ask)
    cdef _set_method(self, Task task, _RequestFields ask)
    cdef bint _may_ask(self, peer, local_port) except -1
    cdef bint _is_enough(self) except -1
    cpdef go_on(self)
    @cython.locals(response=Response)
    cdef _answer(self)
    cdef _wake(self)
    cpdef begin_again(self)
    cpdef ended(self, code, text)
    cpdef forget(self)
