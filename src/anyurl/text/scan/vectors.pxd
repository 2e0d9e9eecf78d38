# What columns.h and lines.h have, for the compiler alone.

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "columns.h" nogil:
    int anyurl_has_vectors()
    int anyurl_web(const unsigned char* data, int64_t length)
    int64_t anyurl_next(const uint64_t* bits, int64_t place, int64_t stop)
    void anyurl_mark(int vectors, const unsigned char* data, int64_t length, const unsigned char* host_set,
                     const unsigned char* path_set, uint64_t* host, uint64_t* path)
    void anyurl_view(unsigned char* out, const unsigned char* data, int64_t place, int64_t end, int32_t length,
                     int32_t buffer, int32_t in_buffer)

cdef extern from "lines.h" nogil:
    int64_t anyurl_measure(const unsigned char* data, int64_t length, long long* behind, int* ascii)
    bint anyurl_is_ascii(const unsigned char* data, int64_t length)
    bint anyurl_has_marks(const unsigned char* data, int64_t length)
