# The layout of the extension type, and what other compiled modules call; uncompiled the same names are slots.

cimport cython


@cython.final
@cython.no_gc
@cython.freelist(16)
cdef class Composition:
    cdef public str scheme
    cdef public str user
    cdef public str password
    cdef public str host
    cdef public object port
    cdef public str path
    cdef public str query
    cdef public str fragment

    cpdef str text(self)
    cdef bint shown_by(self, int* at, Py_ssize_t length) noexcept
    cdef bint change(self, object given) except -1
    cdef bint normalize(self, int port, bint has_query, bint has_dots, str empty_path) except -1

cpdef str remove_dot_segments(str path)
cpdef str resolved(str prefix, str path, str query, str reference, bint has_query)
cdef bint is_path(str reference) noexcept
