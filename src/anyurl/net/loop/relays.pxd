cimport cython

from anyurl.net.loop.clocks cimport Clocks
from anyurl.net.loop.loop cimport Loop
from anyurl.net.loop.task cimport Task


@cython.final
cdef class Relays:
    cdef Loop _loop
    cdef Clocks _clocks
    cdef object _resume

    cpdef bint is_here(self, Task task) except -1
    cpdef begin(self, Task task, channel, limit)
    cpdef demand(self, Task task)
    cpdef go_on(self, Task task)
    cpdef pull(self, Task task)
    @cython.locals(at_most=Py_ssize_t, size=Py_ssize_t)
    cdef _receive(self, Task task, channel)
    cdef _hand_on(self, Task task, list pieces, Py_ssize_t size)
    cdef _listen(self, Task task, channel, want)
