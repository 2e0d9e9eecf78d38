# What other compiled modules call, as functions of C. Without a compiler nothing reads this file.

cdef Py_ssize_t measure(bytes data, Py_ssize_t start, Py_ssize_t stop, long long* told) noexcept
cdef bint holds(bytes data, Py_ssize_t start, Py_ssize_t stop, int octet) noexcept
cdef bint has_marks(bytes data, Py_ssize_t start, Py_ssize_t stop) noexcept
cdef bint is_ascii(bytes data, Py_ssize_t start, Py_ssize_t stop) noexcept
cdef str ascii_text(bytes data, Py_ssize_t start, Py_ssize_t stop)
cdef str text_of(bytes data, Py_ssize_t start, Py_ssize_t stop, str errors)
cdef Py_ssize_t length(bytes data, Py_ssize_t start, Py_ssize_t stop, str errors) except? -1
