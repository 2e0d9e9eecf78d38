# The fields and functions of C of wrapper.py.

cdef class Wrapper:
    cdef bytes held
    cdef const unsigned char* data
    cdef Py_ssize_t limit  # anchors stand before it
    cdef Py_ssize_t stop
    cdef Py_ssize_t low  # a candidate's own name is not looked for before it
    cdef bint final
    cdef dict names
    cdef Py_ssize_t[::1] out
    cdef const unsigned char* octets
    cdef int[::1] ranges
    cdef int flags
    cdef Py_ssize_t fence  # up to here an opening bracket is known to stay open
    cdef Py_ssize_t resume
    cdef bint pending
    cdef bint skipping
    cdef Py_ssize_t next_at
    cdef Py_ssize_t next_www
    cdef Py_ssize_t next_dot
    cdef Py_ssize_t marks  # where the line of the wrapper at marks_of begins
    cdef Py_ssize_t marks_of
    # the candidate in hand
    cdef Py_ssize_t start
    cdef Py_ssize_t end
    cdef Py_ssize_t hash
    cdef Py_ssize_t cut
    cdef Py_ssize_t bad
    cdef int kind
    cdef int context
    cdef int width
    cdef bint ended
    cdef bint broke

    cdef object _load(self, bytes data, Py_ssize_t low, Py_ssize_t limit, Py_ssize_t stop, bint final)
    cdef Py_ssize_t _scan(self, Py_ssize_t start) except -1
    cdef Py_ssize_t _next(self, Py_ssize_t start, Py_ssize_t stop, int octet) noexcept
    cdef int _kind_of(self, Py_ssize_t i) noexcept
    cdef int _reference(self, Py_ssize_t i) noexcept
    cdef bint _is_url_prefix(self, Py_ssize_t start, Py_ssize_t colon) noexcept
    cdef Py_ssize_t _gap(self, Py_ssize_t i, Py_ssize_t opened) noexcept
    cdef bint _ends_cell(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t _after_marks(self, Py_ssize_t i, Py_ssize_t opened) noexcept
    cdef bint _wrapped(self, Py_ssize_t start, Py_ssize_t bracket, bint marked) noexcept
    cdef int _context(self, Py_ssize_t start, Py_ssize_t end) except? -2
    cdef int _line_context(self, Py_ssize_t i) noexcept
    cdef bint _is_destination(self, Py_ssize_t end) noexcept
    cdef bint _ends_comment(self, Py_ssize_t i) noexcept
