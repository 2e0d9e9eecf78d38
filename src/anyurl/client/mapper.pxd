cimport cython

from anyurl.client.redirect cimport RedirectChain
from anyurl.net.loop.scheduler cimport Scheduler
from anyurl.net.loop.stream cimport Stream


@cython.final
cdef class Mapper:
    cdef object _urls
    cdef object _limit
    cdef object _start
    cdef object _make
    cdef object _came_from
    cdef Scheduler _scheduler
    cdef public dict _running
    cdef public object _changed
    cdef public object _ready
    cdef object _count
    cdef bint _exhausted
    cdef public Py_ssize_t waiting
    cdef public Py_ssize_t in_use

    cpdef bint fill(self) except -1
    cpdef bint has_room(self) except -1
    cdef _begin(self, url)
    @cython.locals(running=tuple, chain=RedirectChain, stream=Stream)
    cpdef next_ready(self)
