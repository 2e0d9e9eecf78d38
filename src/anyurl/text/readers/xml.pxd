# The fields and functions of C of xml.py.

cimport cython

from anyurl.text.finder cimport Finder
from anyurl.text.markup cimport MarkupReader
from anyurl.text.runs cimport Runs


@cython.final
cdef class XmlReader(MarkupReader):
    cdef Finder _inner
    cdef Py_ssize_t _skip
    cdef Py_ssize_t _floor

    cdef object _search(self, bytes data, Py_ssize_t start, Py_ssize_t end, bint is_whole, bint has_references=*)
    cdef object _go_on(self, Runs runs, bytes data, Py_ssize_t start, Py_ssize_t stop)
