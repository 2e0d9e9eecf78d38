cimport cython

from anyurl.net.scheduler cimport Reactor


@cython.final
cdef class Answers:
    cdef Reactor _reactor
