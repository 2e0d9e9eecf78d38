# The layout of what is made for each request, for the compiler alone; uncompiled the same names are slots.

cimport cython


cdef class Channel:
    cdef public object peer
    cdef public object kept
    cdef public object size
    cdef public object modified
    cdef public bint unmarked
    cdef public object tls


cdef class Response:
    cdef public object status
    cdef public object version
    cdef public list headers
    cdef public object body
    cdef public bint may_be_coded

    @cython.locals(field=tuple, key=str)
    cpdef header(self, str name)
    cpdef list all(self, name)
