# What other compiled modules call, as functions of C. Without a compiler nothing reads this file.

cdef const unsigned char* octets(str text) noexcept
cdef bint is_http(const unsigned char* data, Py_ssize_t end) noexcept
cdef str lower(str text, Py_ssize_t start, Py_ssize_t stop)
