# The layout of a task, for the compiler alone; uncompiled the same names are slots.

cimport cython

from anyurl.net.loop.judged cimport Place
from anyurl.net.loop.loop cimport Loop


@cython.final
cdef class Task:
    cdef public object url
    cdef public object dialogue
    cdef public object came_from
    cdef public object asked_by
    cdef public object stands_for
    cdef public object source
    cdef public object ask_secret
    cdef public tuple secrets
    cdef public bint eager
    cdef public object described
    cdef public object outbox
    cdef public Py_ssize_t unread
    cdef public object emitted
    cdef public object entries
    cdef public list notes
    cdef public bint unproved
    cdef public object follow
    cdef public object error
    cdef public bint done
    cdef public str lists
    cdef public object peer_scope
    cdef public object last_address
    cdef public double let_at
    cdef public bint refused
    cdef public bint way_made
    cdef public object queued_at
    cdef public bint patient
    cdef public object crowd
    cdef public object budget
    cdef public bint asked
    cdef public list open
    cdef public list kept
    cdef public bint held
    cdef public object notify
    cdef public object deadline
    cdef public object waits_until
    cdef public str clock
    cdef public object within
    cdef public object connection
    cdef public object attempt
    cdef public object listens_to
    cdef double _patience
    cdef double _listened
    cdef object _moved
    cdef public object byte_limit
    cdef public object entry_limit
    cdef public object connections
    cdef public bint counted
    cdef public list inputs
    cdef public bint attended
    cdef public bint hears
    cdef public Place place
    cdef public object channel
    cdef public object relayed
    cdef public object relay_limit
    cdef public object reader
    cdef object __weakref__

    cpdef double patience(self, channel, double now, double idle, double rate) except? -1
    cpdef bint has_room(self)
    cpdef rest(self, double now)
    cpdef check_emitted(self)
    cpdef put(self, piece)
    cpdef take(self)
    cpdef list take_octets(self)
    cpdef meet(self, scope)
    cpdef hold(self, thing)
    cpdef release(self, thing)
    cpdef unpark(self, Loop loop)
    cpdef close_all(self)
