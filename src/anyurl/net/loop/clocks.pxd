cimport cython

from anyurl.net.loop.loop cimport Loop, Timer
from anyurl.net.loop.task cimport Task


@cython.final
cdef class Clocks:
    cdef public set tasks
    cdef dict _held
    cdef Loop _loop
    cdef object _limits
    cdef object _over
    cdef object _connections
    cdef Timer _watch
    cdef double _idle
    cdef object _total
    cdef double _lowest_rate

    cpdef add(self, Task task)
    cpdef drop(self, Task task)
    cpdef stop(self, Task task)
    cpdef go_on(self, Task task, left)
    cpdef hold(self, Task task)
    cpdef release(self, Task task)
    @cython.locals(now=double, until=double)
    cpdef awaits_peer(self, Task task, seconds=*, clock=*, channel=*)
    cpdef heard(self, Task task, channel)
    cdef _watch_over(self, double when)
