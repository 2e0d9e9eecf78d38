# The fields and functions of C of hypertext.py.

cimport cython

from anyurl.text.markup cimport MarkupReader


@cython.final
cdef class HypertextReader(MarkupReader):
    cdef object _base
    cdef bint _has_base
    cdef bint _is_silent
