# The fields and functions of C of stages.py.

cimport cython


@cython.final
cdef class Places:
    cdef object _encoding
    cdef str _errors
    cdef bytearray _held
    cdef bint _is_ascii
    cdef Py_ssize_t _base
    cdef Py_ssize_t _at
    cdef Py_ssize_t _char
    cdef Py_ssize_t _octet
    cdef Py_ssize_t _line
    cdef Py_ssize_t _line_start

    cpdef object of(self, object placed, str member)
    cdef str _text(self, Py_ssize_t start, Py_ssize_t stop)
    cdef Py_ssize_t _octets(self, str text, Py_ssize_t size) except -1
    cdef object _advance(self, Py_ssize_t to)
