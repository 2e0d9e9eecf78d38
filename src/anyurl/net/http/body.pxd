cimport cython

from anyurl.dialogue.values cimport Channel


@cython.final
cdef class Body(Channel):
    cdef public object go_on
    cdef public object give_up
    cdef public object limits
    cdef public list chunks
    cdef public Py_ssize_t buffered
    cdef public Py_ssize_t received
    cdef public bint finished
    cdef public object error
    cdef public list codings
    cdef public object tap
    cdef public object _decoder
    cdef public object waiter
    cdef public bint paused

    cpdef take_pieces(self, at_most)
    cpdef take_whole(self)
    cpdef bint is_here(self) except -1
    cpdef receive(self, at_most)
    cdef _next_chunk(self)
    cdef _put_back(self, chunk)
    cdef _at_end(self)
    cpdef close(self)
    cpdef end(self, error)
