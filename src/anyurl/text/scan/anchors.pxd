# The layout of the extension type, for the compiler alone.

cdef const unsigned char* _OCTETS

cdef class Anchored:
    cdef const unsigned char* _data
    cdef const int* _offsets
    cdef const long long* _wide_offsets
    cdef const unsigned char* _valid
    cdef int _flags
    cdef long long _place(self, long long row) noexcept
    cdef long long _next(self, long long start, long long stop, int octet) noexcept
    cdef bint _has_name(self, long long start, long long colon, long long stop) noexcept
    cdef bint _has_www(self, long long start, long long dot, long long stop) noexcept
