# The functions of C of prose.py.

from anyurl.text.scan.templates cimport Templates


cdef class Prose(Templates):
    cdef Py_ssize_t _with_authority(self, Py_ssize_t start, Py_ssize_t colon) except? -2
    cdef bint _is_sentence(self, Py_ssize_t start, Py_ssize_t host, Py_ssize_t end) except? -2
    cdef Py_ssize_t _padded(self, Py_ssize_t end) noexcept
    cdef bint _is_too_long(self, Py_ssize_t length) noexcept
    cdef Py_ssize_t _authority(self, Py_ssize_t i) noexcept
    cdef bint _names_on(self, int kind, Py_ssize_t i) noexcept
    cdef Py_ssize_t _end_of_host(
        self, Py_ssize_t host, Py_ssize_t end, Py_ssize_t limit, Py_ssize_t port, Py_ssize_t word
    ) noexcept
    cdef bint _has_rest(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t _literal(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t _bare(self, Py_ssize_t start, Py_ssize_t least, Py_ssize_t i) except? -2
    cdef Py_ssize_t _goes_on_at(self, Py_ssize_t i, bint in_host) noexcept
    cdef Py_ssize_t _next_line(self, Py_ssize_t i) noexcept
    cdef bint _ends_word(self, Py_ssize_t i) noexcept
    cdef bint _stays(self, Py_ssize_t i, Py_ssize_t start, bint query) except? -1
    cdef bint _is_bar(self, Py_ssize_t i, Py_ssize_t start) except? -2
    cdef bint _is_titled_in_brackets(self, Py_ssize_t i) noexcept
    cdef bint _is_escape(self, Py_ssize_t i) noexcept
    cdef bint _is_operator(self, Py_ssize_t i, bint query) except? -2
    cdef Py_ssize_t _named_separator(self, Py_ssize_t colon, Py_ssize_t path) noexcept
    cdef Py_ssize_t _separator(self, Py_ssize_t colon, Py_ssize_t path, int opener) noexcept
    cdef bint _is_closing(self, Py_ssize_t i) noexcept
    cdef bint _is_abridged(self, Py_ssize_t end) except? -2
    cdef Py_ssize_t _trimmed(self, Py_ssize_t least, Py_ssize_t end) noexcept
    cdef Py_ssize_t _finish(self, Py_ssize_t start, Py_ssize_t least, Py_ssize_t end) except? -2
