# The layout of the extension type, and what other compiled modules call; uncompiled the same names are slots.

cimport cython


@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class URL:
    cdef str _text
    cdef int[8] _at
    cdef unsigned char _grammar
    cdef readonly unsigned int _echo
    cdef object __weakref__

cdef URL read_ascii(str text)
