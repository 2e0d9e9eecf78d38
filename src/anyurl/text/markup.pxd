# The fields and functions of C of markup.py.

from anyurl.text.finder cimport Finder


cdef class MarkupReader:
    cdef Finder _finder
    cdef bytes _until
    cdef Py_ssize_t[::1] _rows
    cdef object _tags

    cdef object _report_rows(self, bytes data, int count)
