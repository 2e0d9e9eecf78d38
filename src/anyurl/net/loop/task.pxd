# The layout of a task, for the compiler alone; uncompiled the same names are slots.

cimport cython

from anyurl.net.loop.judged cimport Place
from anyurl.net.loop.loop cimport Loop
from anyurl.net.loop.provenance cimport Parties
from anyurl.net.loop.stream cimport Stream


@cython.final
cdef class Timing:
    cdef public object deadline
    cdef public object waits_until
    cdef public str clock
    cdef public object within
    cdef public object listens_to
    cdef public bint stopped
    cdef public object left
    cdef double _patience
    cdef double _listened
    cdef object _moved

    cpdef double patience(self, channel, double now, double idle, double rate) except? -1
    cpdef rest(self, double now)
    cpdef renew(self)
    cpdef answered(self)


@cython.final
cdef class Task:
    cdef public object dialogue
    cdef public Parties parties
    cdef public Stream stream
    cdef public Timing timing
    cdef public object source
    cdef public object ask_secret
    cdef public bint eager
    cdef public bint patient
    cdef public object crowd
    cdef public object budget
    cdef public Place place
    cdef public object turn
    cdef public bint counted
    cdef public list open
    cdef public list kept
    cdef public object connection
    cdef public object attempt
    cdef bint _asked
    cdef int _connections
    cdef object __weakref__

    cpdef bint has_asked(self)
    cpdef count_connection(self, most)
    cpdef hold(self, thing)
    cpdef release(self, thing)
    cpdef park(self, connection, attempt)
    cpdef unpark(self, Loop loop)
    cpdef close_all(self)
