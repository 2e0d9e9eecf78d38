cimport cython


@cython.final
cdef class Timer:
    cdef public double when
    cdef public object callback

    cpdef cancel(self)


@cython.final
cdef class Loop:
    cdef public bint closed
    cdef public object _poller
    cdef public object _wake_reader
    cdef public object _wake_writer
    cdef public dict _callbacks
    cdef public list _timers
    cdef public object _count
    cdef public object _soon
    cdef public object on_wake
    cdef public object on_closing
    cdef public object lock
    cdef public bint closing
    cdef public bint turning
    cdef public Py_ssize_t at_work
    cdef public double patience
    cdef public double _seen
    cdef public double _away
    cdef public bint _working
    cdef public bint _polled
    cdef public double _turned
    cdef public Py_ssize_t _sweep_at
    cdef object __weakref__

    cdef _open(self)
    cpdef watch(self, fd, events, callback)
    cpdef unwatch(self, fd)
    cpdef bint is_watched_by(self, fd, callback)
    @cython.locals(now=double, gone=double)
    cpdef double now(self) except? -1
    @cython.locals(now=double)
    cpdef bint working(self, bint ours) except? -1
    cpdef bint is_behind(self)
    cpdef after(self, double seconds, callback)
    cpdef timeout(self)
    cpdef bint enter(self, bint wait=*) except -1
    cpdef leave(self)
    cpdef turn(self, at_most=*)
    @cython.locals(now=double)
    cpdef _turn(self, wait)
    cdef _run_queued(self)
