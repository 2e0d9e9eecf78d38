# The functions of C of hidden.py.

from anyurl.text.scan.wrapper cimport Wrapper


cdef class Hidden(Wrapper):
    cdef bint _is_hidden(self, Py_ssize_t i) except? -2
    cdef Py_ssize_t _behind(self, Py_ssize_t i, bint joins) except? -2
    cdef Py_ssize_t _joined(self, Py_ssize_t i) except? -2
    cdef int _join(self, Py_ssize_t i) except? -2
    cdef bint _is_listed(self, Py_ssize_t i) noexcept
    cdef bint _begins_other(self, Py_ssize_t i) noexcept
    cdef Py_ssize_t _behind_hyphen(self, Py_ssize_t i) noexcept
