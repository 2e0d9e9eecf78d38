/* What the cut of columns does many octets at a time, which Cython can't say: vectors, and bits counted.

   Rules: no octet beyond the end of a buffer is read; every way gives the same bits (kernel/test_columns.py compares
   them). The processor is asked once whether it has AVX2; one that has not takes the row-by-row way. */
#ifndef ANYURL_COLUMNS_H
#define ANYURL_COLUMNS_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ANYURL_AVX2 1
#include <immintrin.h>
#endif

static inline int anyurl_has_vectors(void) {
#ifdef ANYURL_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

/* The rows of a set of ASCII octets for two look-ups by nibble: bit h of sets[l] is set when the octet h * 16 + l is in
   the set. Octets above 127 are in none. */
#ifdef ANYURL_AVX2
__attribute__((target("avx2"))) static void anyurl_mark_vectors(
    const unsigned char *data, int64_t length, const unsigned char *host_set, const unsigned char *path_set,
    uint64_t *host, uint64_t *path) {
    const __m256i high_bits = _mm256_setr_epi8(
        1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i host_rows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)host_set));
    const __m256i path_rows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)path_set));
    const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    for (int64_t i = 0; i < length; i += 64) {
        unsigned char last[64];
        const unsigned char *at = data + i;
        if (length - i < 64) { /* the end of what may be read */
            memset(last, 0, sizeof last);
            memcpy(last, at, (size_t)(length - i));
            at = last;
        }
        uint64_t outside_host = 0, outside_path = 0;
        for (int half = 0; half < 2; half++) {
            __m256i octets = _mm256_loadu_si256((const __m256i *)(at + 32 * half));
            __m256i low = _mm256_and_si256(octets, nibble);
            __m256i high = _mm256_and_si256(_mm256_srli_epi16(octets, 4), nibble);
            __m256i bit = _mm256_shuffle_epi8(high_bits, high);
            __m256i in_host = _mm256_and_si256(_mm256_shuffle_epi8(host_rows, low), bit);
            __m256i in_path = _mm256_and_si256(_mm256_shuffle_epi8(path_rows, low), bit);
            outside_host |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(in_host, zero)) << (32 * half);
            outside_path |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(in_path, zero)) << (32 * half);
        }
        host[i >> 6] = outside_host;
        path[i >> 6] = outside_path;
    }
}
#endif

/* The same, octet by octet: what the vectors are compared with. */
static void anyurl_mark_octets(
    const unsigned char *data, int64_t length, const unsigned char *host_set, const unsigned char *path_set,
    uint64_t *host, uint64_t *path) {
    for (int64_t i = 0; i < length; i += 64) {
        uint64_t outside_host = 0, outside_path = 0;
        for (int k = 0; k < 64; k++) {
            unsigned char octet = i + k < length ? data[i + k] : 0;
            unsigned bit = octet < 128 ? 1u << (octet >> 4) : 0;
            outside_host |= (uint64_t)((host_set[octet & 15] & bit) == 0) << k;
            outside_path |= (uint64_t)((path_set[octet & 15] & bit) == 0) << k;
        }
        host[i >> 6] = outside_host;
        path[i >> 6] = outside_path;
    }
}

/* One bit for each octet that is not in the set. */
static void anyurl_mark(
    int vectors, const unsigned char *data, int64_t length, const unsigned char *host_set,
    const unsigned char *path_set, uint64_t *host, uint64_t *path) {
#ifdef ANYURL_AVX2
    if (vectors) {
        anyurl_mark_vectors(data, length, host_set, path_set, host, path);
        return;
    }
#endif
    anyurl_mark_octets(data, length, host_set, path_set, host, path);
}

static inline int anyurl_count_zeros(uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(word);
#else
    int count = 0;
    while (!(word & 1)) {
        word >>= 1;
        count++;
    }
    return count;
#endif
}

/* The place of the first bit that is set at `place` or behind it, or `stop` when there is none before that. */
static inline int64_t anyurl_next(const uint64_t *bits, int64_t place, int64_t stop) {
    if (place >= stop)
        return stop;
    int64_t word = place >> 6, last = (stop - 1) >> 6;
    uint64_t left = bits[word] >> (place & 63);
    if (left) {
        place += anyurl_count_zeros(left);
        return place < stop ? place : stop;
    }
    while (++word <= last)
        if (bits[word]) {
            place = (word << 6) + anyurl_count_zeros(bits[word]);
            return place < stop ? place : stop;
        }
    return stop;
}

/* 4 for "http://", 5 for "https://", 0 for all else: where the colon is. */
static inline int anyurl_web(const unsigned char *data, int64_t length) {
    if (length < 8 || memcmp(data, "http", 4) != 0)
        return 0;
    if (memcmp(data + 4, "://", 3) == 0)
        return 4;
    return memcmp(data + 4, "s://", 4) == 0 ? 5 : 0;
}

/* One element of an Arrow string_view: the length, and the octets themselves when there are at most twelve, else the
   first four, the number of the buffer and the place in it. */
static inline void anyurl_view(
    unsigned char *out, const unsigned char *data, int64_t place, int64_t end, int32_t length, int32_t buffer,
    int32_t in_buffer) {
    memcpy(out, &length, 4);
    if (length > 12) {
        memcpy(out + 4, data + place, 4);
        memcpy(out + 8, &buffer, 4);
        memcpy(out + 12, &in_buffer, 4);
        return;
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (place + 12 <= end) { /* two loads and two masks: the lengths are not to be predicted */
        uint64_t first;
        uint32_t second;
        memcpy(&first, data + place, 8);
        memcpy(&second, data + place + 8, 4);
        first &= length >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * length)) - 1;
        second &= length >= 12 ? ~(uint32_t)0 : length <= 8 ? 0 : ((uint32_t)1 << (8 * (length - 8))) - 1;
        memcpy(out + 4, &first, 8);
        memcpy(out + 12, &second, 4);
        return;
    }
#endif
    memset(out + 4, 0, 12);
    memcpy(out + 4, data + place, (size_t)length);
}

#endif
