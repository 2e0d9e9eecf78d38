cimport cython

from anyurl.net.loop.loop cimport Loop
from anyurl.net.loop.provenance cimport Parties


@cython.final
cdef class Stream:
    cdef public Parties parties
    cdef public object notify
    cdef public object described
    cdef public list notes
    cdef public bint unproved
    cdef public tuple secrets
    cdef public object outbox
    cdef public Py_ssize_t unread
    cdef public object emitted
    cdef public object entries
    cdef public bint held
    cdef public object channel
    cdef public list inputs
    cdef public bint hears
    cdef public bint attended
    cdef public object follow
    cdef public object error
    cdef public bint refused
    cdef public bint way_made
    cdef public bint done
    cdef public object deadline
    cdef object _owner
    cdef Loop _loop
    cdef object _task
    cdef object _most
    cdef object _relayed
    cdef object _relay_limit
    cdef object __weakref__

    cpdef begin(self, task)
    cpdef describe(self, described)
    cpdef note(self, text, bint unproved=*)
    cpdef tell(self)
    cpdef hold(self)
    cpdef relay(self, channel, limit)
    cpdef hear(self)
    cpdef take_inputs(self)
    cpdef resumed(self)
    cpdef end(self, error, deadline=*, follow=*)
    cpdef refuse(self, bint way_made)
    cpdef bint has_room(self)
    cdef _check_emitted(self)
    cpdef put(self, piece)
    cpdef pull(self)
    cpdef take(self)
    cpdef list take_octets(self)
    cpdef whole(self)
    cpdef demand(self)
    cpdef go_on(self)
    cdef _pull_relayed(self)
    @cython.locals(at_most=Py_ssize_t, size=Py_ssize_t)
    cdef _receive(self, channel)
    cdef _count(self, Py_ssize_t size)
    cpdef close(self)
    cpdef abandon(self)
