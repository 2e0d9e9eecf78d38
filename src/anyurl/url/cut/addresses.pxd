# What other compiled modules call, as functions of C. Without a compiler nothing reads this file.

cdef bint read_ipv6(
    const unsigned char* data, Py_ssize_t i, Py_ssize_t stop, unsigned char* out
) noexcept nogil
cpdef str format_ipv6(bytes octets)
cpdef bytes parse_ipv6(str text)
