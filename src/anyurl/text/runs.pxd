# The fields and functions of C of runs.py.

cimport cython


@cython.final
cdef class Runs:
    cdef public Py_ssize_t base
    cdef public Py_ssize_t size
    cdef public Py_ssize_t cut_at
    cdef public Py_ssize_t first
    cdef list _parts
    cdef list _done
    cdef Py_ssize_t[::1] _table
    cdef Py_ssize_t _count
    cdef list _names
    cdef str _name

    cpdef object copy(self, bytes data, Py_ssize_t start, Py_ssize_t stop)
    cpdef object put(self, bytes text, Py_ssize_t start, Py_ssize_t stop)
    cpdef object unpack(self, bytes text, Py_ssize_t start, Py_ssize_t stop)
    cpdef object cut(self, Py_ssize_t place)
    cdef object _place(self, Py_ssize_t start, Py_ssize_t stop)
    cpdef tuple span(self, Py_ssize_t start, Py_ssize_t stop)
    cdef Py_ssize_t _run_of(self, Py_ssize_t place, Py_ssize_t least) except -1
    cpdef object forget(self, Py_ssize_t start)
