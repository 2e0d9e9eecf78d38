# The fields and functions of C of tags.py.

cimport cython


@cython.final
cdef class Tags:
    cdef bytes held
    cdef const unsigned char* data
    cdef Py_ssize_t stop
    cdef Py_ssize_t[::1] out
    cdef Py_ssize_t[::1] names
    cdef bint every
    cdef bint in_xml
    cdef int count
    cdef bytes elements
    cdef bytes special
    cdef bytes links
    cdef bytes octets
    cdef Py_ssize_t resume

    cdef Py_ssize_t _find(self, Py_ssize_t start, Py_ssize_t stop, int octet) noexcept
    cdef Py_ssize_t _row(self, int kind, Py_ssize_t start, Py_ssize_t end) except? -2
    cdef Py_ssize_t _text(self, Py_ssize_t i) except? -2
    cdef bint _counts(self, Py_ssize_t start, Py_ssize_t stop) noexcept
    cdef bint _is_in(self, const unsigned char* table, Py_ssize_t start, Py_ssize_t end) noexcept
    cdef bint _is_same(self, Py_ssize_t one, Py_ssize_t other, Py_ssize_t size) noexcept
    cdef Py_ssize_t _tag(self, Py_ssize_t i) except? -2
    cdef Py_ssize_t _attributes(self, Py_ssize_t i) except? -2
    cdef bint _is_first(self, Py_ssize_t name, Py_ssize_t end, int known) except -1
    cdef Py_ssize_t _value(self, Py_ssize_t name, Py_ssize_t end, Py_ssize_t start, Py_ssize_t last) except? -2
    cdef bint _is_plain(self, Py_ssize_t start, Py_ssize_t last) noexcept
