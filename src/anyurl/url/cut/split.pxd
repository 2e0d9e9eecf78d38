# What other compiled modules call, as functions of C. Without a compiler nothing reads this file.

cdef const unsigned char* _CLASSES

cdef long long split_scheme(const unsigned char* data, Py_ssize_t length) noexcept nogil
cdef long long split(const unsigned char* data, Py_ssize_t length, int flags, int* at) noexcept nogil
cdef bint is_normal(const unsigned char* data, Py_ssize_t length, int* at, bint is_web) noexcept nogil
