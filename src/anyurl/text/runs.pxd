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
    cdef list _outs
    cdef list _places
    cdef str _name

    cpdef object copy(self, bytes data, Py_ssize_t start, Py_ssize_t stop)
    cpdef object put(self, bytes text, Py_ssize_t start, Py_ssize_t stop)
    cpdef object unpack(self, bytes text, Py_ssize_t start, Py_ssize_t stop)
    cpdef object cut(self, Py_ssize_t place)
    cdef object _place(self, Py_ssize_t start, Py_ssize_t stop)
