cimport cython

from anyurl.net.loop.scheduler cimport Scheduler
from anyurl.net.loop.stream cimport Stream


cdef class RedirectChain:
    cdef public object url
    cdef public Stream stream
    cdef public list history
    cdef public object error
    cdef public object notify
    cdef public Scheduler _scheduler
    cdef object _verb
    cdef object _options
    cdef object _source
    cdef object _secret
    cdef bint _eager
    cdef object _gateways
    cdef object _lead
    cdef object _stands_for
    cdef object _notes
    cdef object _said
    cdef int _retries
    cdef bint _patient
    cdef object _crowd
    cdef object _budget
    cdef bint _way_made
    cdef object _pausing
    cdef int _attempts
    cdef bint _cookie
    cdef bint _own
    cdef object _known
    cdef object _exchange
    cdef object _login
    cdef object _led
    cdef list _asked

    cpdef RedirectChain start(self, came_from=*, begun_by_user=*)
    cdef tuple _routed(self, url, came_from, lead=*)
    cdef _begin(self, tuple route, Stream after=*)
    cdef bint _will_retry(self, Stream stream, error) except -1
    cdef bint _will_ask_again(self, Stream stream) except -1
    cdef _hop(self, Stream stream, follow)
    cdef _redirect(self, Stream stream, url)
    cdef _known_for(self, url, options)
    cdef _learned(self, Stream stream)
    cdef _echoing(self, url)
    cdef _hide_secrets(self, error)
    cdef _method(self)
    cdef _http_options(self, http, url, came_from, notes)
    cdef _leave_words(self, follow, url)
    cdef _change_method(self, follow, url)
    @cython.locals(stream=Stream)
    cpdef bint arrived(self) except -1
    cpdef check(self)
    cpdef drop(self)
