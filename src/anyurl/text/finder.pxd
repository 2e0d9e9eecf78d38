# The fields and functions of C of finder.py.

cimport cython

from anyurl.text.scan.wrapper cimport Wrapper


@cython.final
cdef class Finder:
    cdef object schemes
    cdef public object parse
    cdef str errors
    cdef str encoding
    cdef Wrapper scanner
    cdef Wrapper inner
    cdef Py_ssize_t[::1] out
    cdef Py_ssize_t[::1] inner_out
    cdef list found
    cdef bytes data
    cdef bint final
    cdef bint midway
    cdef bint unescape
    cdef str named
    cdef public object origin
    cdef public str format
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
    cdef long long[2] told

    cdef Py_ssize_t _keep(self, bint final) except -1
    cpdef list read_row(self, bytes text, Py_ssize_t start=*, Py_ssize_t floor=*, bint final=*)
    cpdef object search(self, Py_ssize_t start, Py_ssize_t stop, str named, bint goes_on=*, Py_ssize_t low=*)
    cpdef list taken(self)
    cdef object _name(self, str named)
    cdef bint _scan(self, Wrapper scanner, Py_ssize_t[::1] out, Py_ssize_t start) except -1
    cdef object _advance(self, Py_ssize_t to)
    cdef Py_ssize_t _octets(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef bint _is_plain(self, Py_ssize_t start, Py_ssize_t end, int context) noexcept
    cdef object _read(self, str text)
    cdef object _look_inside(self, Wrapper scanner, int context, Py_ssize_t start, Py_ssize_t end, str name)
    cdef str _text(self, Py_ssize_t start, Py_ssize_t stop)
    cdef object _report(self, Wrapper scanner, Py_ssize_t[::1] out, Py_ssize_t row)
    cdef object _add_gap(self, Py_ssize_t start, Py_ssize_t end, int kind, str context)
    cdef list _readings(self, Wrapper scanner, Py_ssize_t start, Py_ssize_t end, Py_ssize_t cut, int kind, int context)
    cdef object _add(
        self, object url, str fragment, tuple alternatives, str raw, Py_ssize_t start, Py_ssize_t end, str context,
        str kind
    )
