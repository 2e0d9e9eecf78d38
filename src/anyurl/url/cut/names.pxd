# What the cut calls, as functions of C. Without a compiler nothing reads this file.

cdef bint has_empty_end(const unsigned char* data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint is_misleading(const unsigned char* data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint is_ipv4(const unsigned char* data, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
