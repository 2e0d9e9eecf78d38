# The functions of C of implied.py.

from anyurl.text.scan.prose cimport Prose


cdef class Implied(Prose):
    cdef Py_ssize_t _slashed(self, Py_ssize_t start, Py_ssize_t colon) except? -2
    cdef Py_ssize_t _www(self, Py_ssize_t dot) except? -2
    cdef Py_ssize_t _domain(self, Py_ssize_t dot) except? -2
    cdef Py_ssize_t _taken_apart(self, Py_ssize_t start, Py_ssize_t colon) except? -2
    cdef bint _is_tail(self, Py_ssize_t i) except? -2
    cdef Py_ssize_t _domain_start(self, Py_ssize_t i, bint dots) noexcept
    cdef bint _is_name(self, Py_ssize_t i) noexcept
    cdef bint _is_domain(self, Py_ssize_t i, Py_ssize_t end) noexcept
    cdef Py_ssize_t _address(self, Py_ssize_t at) except? -2
    cdef bint _is_word(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t _local(self, Py_ssize_t start, Py_ssize_t at) noexcept
    cdef bint _is_in_login(self, Py_ssize_t i) noexcept
    cdef bint _holds(self, Py_ssize_t i, int wanted, Py_ssize_t opened) noexcept
    cdef bint _calls(self, Py_ssize_t i) noexcept
