cimport cython

from anyurl.net.loop.loop cimport Loop, Timer
from anyurl.net.loop.task cimport Task, Timing


@cython.final
cdef class Clocks:
    cdef public set tasks
    cdef Loop _loop
    cdef object _limits
    cdef object _over
    cdef object _connections
    cdef object _reader
    cdef Timer _watch
    cdef double _idle
    cdef object _total
    cdef double _lowest_rate

    cpdef add(self, Task task, deadline=*)
    cpdef drop(self, Task task)
    @cython.locals(timing=Timing)
    cpdef hold(self, Task task)
    @cython.locals(timing=Timing)
    cpdef release(self, Task task)
    @cython.locals(now=double, until=double, timing=Timing)
    cpdef awaits_peer(self, Task task, seconds=*, clock=*, channel=*)
    cpdef heard(self, Task task, channel)
    cdef _watch_over(self, double when)
    cdef bint _drains(self, Timing timing, double now) except -1
