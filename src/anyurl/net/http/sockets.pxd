cimport cython

from anyurl.net.loop.loop cimport Loop
from anyurl.net.loop.scheduler cimport Scheduler


cdef int _REMOVE
cdef dict _MASKS


@cython.final
cdef class Sockets:
    cdef public Scheduler scheduler
    cdef public Loop loop
    cdef public object labels
    cdef public object nameless
    cdef public set parked
    cdef public Py_ssize_t timed
    cdef public object interruption
    cdef object _on_event
    cdef dict _watched
    cdef public dict _probes
    cdef dict _latest
    cdef dict _descriptors

    cpdef unpark(self, fd)
    cpdef unpark_all(self)
    cpdef know(self, local_port, fd)
    cpdef bint is_quiet(self, local_port) except? -1
