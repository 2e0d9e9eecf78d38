# The fields and functions of C of finder.py.

cimport cython


@cython.final
cdef class Finder:
    cdef object schemes
    cdef public object parse
    cdef str errors
    cdef str encoding
    cdef object scanner
    cdef object inner
    cdef Py_ssize_t[::1] out
    cdef Py_ssize_t[::1] inner_out
    cdef list found
    cdef bytes data
    cdef bint ascii
    cdef bint final
    cdef bint unescape
    cdef str named
    cdef public object origin
    cdef public object kinds
    cdef Py_ssize_t resume
    cdef Py_ssize_t floor
    cdef list waiting
    cdef Py_ssize_t waits
    cdef Py_ssize_t need
    cdef Py_ssize_t at
    cdef Py_ssize_t char
    cdef Py_ssize_t octet
    cdef Py_ssize_t line
    cdef Py_ssize_t line_start

    cdef tuple _run(self, object scanner, Py_ssize_t[::1] out, Py_ssize_t start)
    cdef object _advance(self, Py_ssize_t to)
    cdef Py_ssize_t _breaks(self, Py_ssize_t to) except -1
    cdef Py_ssize_t _length(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef Py_ssize_t _octets(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef object _look_inside(self, object scanner, int context, Py_ssize_t start, Py_ssize_t end, str name)
    cdef str _text(self, Py_ssize_t start, Py_ssize_t stop)
    cdef object _report(self, object scanner, Py_ssize_t[::1] out, Py_ssize_t row)
    cdef object _add_gap(self, Py_ssize_t start, Py_ssize_t end, int kind, str context)
    cdef list _readings(self, object scanner, Py_ssize_t start, Py_ssize_t end, Py_ssize_t cut, int kind, int context)
    cdef object _add(
        self, object url, str fragment, tuple alternatives, str raw, Py_ssize_t start, Py_ssize_t end, str context,
        str kind
    )
