# What the cut calls, as functions of C. Without a compiler nothing reads this file.

cdef bint is_number(const unsigned char* data, Py_ssize_t i, Py_ssize_t stop) noexcept
cdef bint is_ipv4(const unsigned char* data, Py_ssize_t i, Py_ssize_t stop) noexcept
