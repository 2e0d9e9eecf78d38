# The layout of the extension type, for the compiler alone; uncompiled the same names are slots.

cimport cython


@cython.final
@cython.no_gc
cdef class URL:
    cdef str _text
    cdef int[8] _at
    cdef unsigned char _grammar
