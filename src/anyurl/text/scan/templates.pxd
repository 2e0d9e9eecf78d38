# The functions of C of templates.py.

from anyurl.text.scan.hidden cimport Hidden


cdef class Templates(Hidden):
    cdef bint _is_template(self, Py_ssize_t i) except? -1
    cdef bint _is_bracketed(self, Py_ssize_t i) except? -1
    cdef bint _begins_path(self, Py_ssize_t start, Py_ssize_t slash) except? -1
    cdef bint _is_paired(self, Py_ssize_t colon) noexcept
    cdef bint _is_label(self, Py_ssize_t i) except? -1
    cdef bint _is_range(self, Py_ssize_t i) except? -1
    cdef bint _goes_on(self, Py_ssize_t start, Py_ssize_t host, Py_ssize_t end) except? -2
    cdef bint _is_unnamed(self, Py_ssize_t host, Py_ssize_t end) noexcept
    cdef bint _is_port_word(self, Py_ssize_t i) except? -1
    cdef Py_ssize_t _closes(self, Py_ssize_t i, int closer) noexcept
    cdef bint _is_placeholder(self, Py_ssize_t i, int closer) except? -1
    cdef bint _is_emphasis(self, Py_ssize_t end) noexcept
    cdef bint _is_substituted(self, Py_ssize_t start, Py_ssize_t host, Py_ssize_t end) except? -1
    cdef bint _is_coded(self, Py_ssize_t i) except? -1
    cdef bint _is_escaped(self, Py_ssize_t i) except? -1
    cdef Py_ssize_t _template_end(self, Py_ssize_t i) except? -2
    cdef bint _is_entity(self, Py_ssize_t i) except? -2
    cdef bint _is_titled(self, Py_ssize_t start, Py_ssize_t bar) noexcept
    cdef bint _is_quoted(self, Py_ssize_t i) noexcept
    cdef bint _is_dated(self, Py_ssize_t i) noexcept
