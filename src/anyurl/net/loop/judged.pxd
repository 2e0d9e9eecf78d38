cimport cython


@cython.final
cdef class Place:
    cdef public tuple endpoint
    cdef public tuple route
    cdef public double until


@cython.final
cdef class Judged:
    cdef object _policy
    cdef object _decisions
    cdef public dict _allowed

    @cython.locals(place=Place, key=tuple)
    cpdef Place check(self, url, came_from)
