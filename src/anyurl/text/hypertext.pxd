# The fields and functions of C of hypertext.py.

cimport cython

from anyurl.text.finder cimport Finder


@cython.final
cdef class HypertextReader:
    cdef Finder _finder
    cdef object _base
    cdef bint _has_base
    cdef bytes _until
    cdef bint _is_silent
    cdef Py_ssize_t[::1] _rows
    cdef object _tags

    cdef object _report_rows(self, bytes data, int count)
