cimport cython


@cython.final
cdef class Judged:
    cdef object _policy
    cdef public set _allowed

    cpdef check(self, url, came_from)
