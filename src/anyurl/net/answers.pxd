cimport cython

from anyurl.net.reactor cimport Reactor


@cython.final
cdef class Answers:
    cdef Reactor _reactor
