# The layout of the extension type, for the compiler alone.

from libc.stdint cimport uint64_t

cdef const unsigned char* _HOST_SET
cdef const unsigned char* _PATH_SET

cdef class Cut:
    cdef object _kept
    cdef const unsigned char* _data
    cdef long long _size
    cdef const int* _offsets
    cdef const long long* _wide_offsets
    cdef const unsigned char* _valid
    cdef int _shift
    cdef bint _vectors
    cdef const unsigned char* _names
    cdef const int* _ends
    cdef const int* _flags
    cdef const int* _ports
    cdef int _schemes
    cdef unsigned char* _views[8]
    cdef unsigned char* _view_bits[8]
    cdef int* _port
    cdef unsigned char* _port_bits
    cdef int* _explicit_port
    cdef unsigned char* _explicit_port_bits
    cdef short* _fault
    cdef int* _fault_at
    cdef unsigned char* _fault_at_bits
    cdef uint64_t _host[513]
    cdef uint64_t _path[513]
    cdef int _at[8]
    cdef long long _place(self, long long row) noexcept nogil
    cdef long long _run(self, long long first, long long stop, long long* left) noexcept nogil
    cdef void _clear(self, long long row) noexcept nogil
    cdef int _quick(self, long long base, long long row, long long start, long long stop) noexcept nogil
    cdef bint _slow(self, long long row, long long start, long long stop) noexcept nogil
    cdef int _find_scheme(self, const unsigned char* data, long long length) noexcept nogil
    cdef void _put(self, long long row, long long start, long long length, int default_port) noexcept nogil
    cdef void _put_web(self, long long row, long long start, int colon, long long host_end, long long query,
                       long long fragment, long long stop) noexcept nogil
    cdef void _put_none(self, int field, long long row) noexcept nogil
    cdef void _put_view(self, int field, long long row, long long begin, long long end, int there) noexcept nogil
