cimport cython

from anyurl.net.loop.scheduler cimport Scheduler
from anyurl.net.loop.task cimport Task


cdef class RedirectChain:
    cdef public object url
    cdef public Task task
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
    cdef _begin(self, bare, came_from, notes)
    cdef bint _will_retry(self, Task task, error) except -1
    cdef bint _is_unanswered(self, Task task) except -1
    cdef _hop(self, Task task, follow)
    cdef _redirect(self, Task task, url)
    cdef _known_for(self, url, options)
    cdef _learned(self, Task task)
    cdef _echoing(self, url)
    cdef _hide_secrets(self, error)
    cdef _method(self)
    cdef _http_options(self, http, url, came_from, notes)
    cdef _leave_words(self, follow, url)
    cdef _change_method(self, follow, url)
    cdef _go_on_with_clock(self, Task before)
    @cython.locals(task=Task)
    cpdef bint arrived(self) except -1
    cpdef check(self)
    cpdef drop(self)
