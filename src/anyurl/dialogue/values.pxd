# The layout of what is made for each request, for the compiler alone; uncompiled the same names are slots.

cimport cython


cdef class Channel:
    cdef public object peer
    cdef public object kept
    cdef public object size
    cdef public object modified


cdef class Response:
    cdef public object status
    cdef public object version
    cdef public object headers
    cdef public object body
    cdef public dict _named

    @cython.locals(index=Py_ssize_t, named=dict, field=tuple)
    cdef _index(self, list headers)
    cpdef header(self, name)
    cpdef bint is_once(self, name) except -1
    cpdef list all(self, name)
