cimport cython

from anyurl.dialogue.values cimport Response
from anyurl.net.http.body cimport Body
from anyurl.net.task cimport Task


cdef int _REQUEST_TARGET
cdef int _PREREQ_OK
cdef int _PREREQ_ABORT


@cython.final
cdef class Transfer:
    cdef public object engine
    cdef public object easy
    cdef public Body body
    cdef public Task task
    cdef public list lines
    cdef public bint _answered
    cdef public object _kept_error
    cdef public tuple _aim
    cdef public bint _is_literal
    cdef public object _approved
    cdef public object _peer
    cdef public list _opened
    cdef public object _scope
    cdef public bint _secured
    cdef public object _piece
    cdef public bint _spent
    cdef public bint _refilling
    cdef public object _plain
    cdef public object _method
    cdef public object _pinned
    cdef public object _eager
    cdef public object _where
    cdef public object _decode
    cdef public bint _fresh
    cdef public bint stale
    cdef public object new_port
    cdef object __weakref__

    cpdef begin(self, Task task, ask, tuple aim)
    cdef _aim_at(self, scheme, host, port, addresses)
    cdef _set_headers(self, ask)
    cdef _pin(self, ask)
    cdef _set_method(self, ask)
    cdef bint _may_ask(self, peer, local_port) except -1
    cdef _answering(self, peer)
    cpdef go_on(self)
    @cython.locals(response=Response)
    cdef _answer(self)
    cdef _wake(self)
    cpdef begin_again(self)
    cpdef ended(self, code, text)
    cpdef forget(self)
