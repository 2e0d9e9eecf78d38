cimport cython

from anyurl.net.loop.scheduler cimport Scheduler


@cython.final
cdef class Handlers:
    cdef Scheduler _scheduler
    cdef object _engine
    cdef object _prompts
    cdef set _closed_beside
