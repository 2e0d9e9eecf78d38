# The fields of C of found.py.

cimport cython


@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class Found:
    cdef object _url
    cdef object _fragment
    cdef tuple _alternatives
    cdef str _raw
    cdef Py_ssize_t _start
    cdef Py_ssize_t _end
    cdef Py_ssize_t _octet_start
    cdef Py_ssize_t _octet_end
    cdef Py_ssize_t _line
    cdef Py_ssize_t _column
    cdef str _context
    cdef object _origin
    cdef str _member
    cdef str _kind
    cdef str _format
    cdef object __weakref__
