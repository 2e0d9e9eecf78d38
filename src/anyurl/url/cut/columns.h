/* What the cut of columns does many octets at a time, which Cython can't say: vectors, and bits counted.

   Rules: no octet beyond the end of a buffer is read; every way gives the same bits (url/cut/test_columns.py compares
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

/* One bit for each octet that is not in the set, and a word of zeros behind them. */
static void anyurl_mark(
    int vectors, const unsigned char *data, int64_t length, const unsigned char *host_set,
    const unsigned char *path_set, uint64_t *host, uint64_t *path) {
    host[(length + 63) >> 6] = path[(length + 63) >> 6] = 0;
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

/* The place of the first bit that is set at `place` or behind it, or `stop` when there is none before that. One word
   behind those of the octets is read. Where less than 64 octets are left, a bit at `stop` ends the search: nothing is
   to be predicted. */
static inline int64_t anyurl_next(const uint64_t *bits, int64_t place, int64_t stop) {
    int64_t word = place >> 6, last = (stop - 1) >> 6, rest = stop - place;
    if (rest <= 0)
        return stop;
    uint64_t left = bits[word] >> (place & 63) | bits[word + 1] << 1 << (63 - (place & 63));
    if (rest < 64)
        return place + anyurl_count_zeros(left | (uint64_t)1 << rest);
    if (left)
        return place + anyurl_count_zeros(left);
    while (++word <= last)
        if (bits[word]) {
            place = (word << 6) + anyurl_count_zeros(bits[word]);
            return place < stop ? place : stop;
        }
    return stop;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ANYURL_LITTLE_ENDIAN 1
#endif

/* 4 for "http://", 5 for "https://", 0 for all else: where the colon is. */
static inline int anyurl_web(const unsigned char *data, int64_t length) {
    if (length < 8)
        return 0;
#ifdef ANYURL_LITTLE_ENDIAN
    uint64_t first; /* which of the two it is, nobody can predict */
    memcpy(&first, data, 8);
    return 4 * ((first << 8) == UINT64_C(0x2f2f3a7074746800)) + 5 * (first == UINT64_C(0x2f2f3a7370747468));
#else
    return memcmp(data, "http://", 7) == 0 ? 4 : memcmp(data, "https://", 8) == 0 ? 5 : 0;
#endif
}

#ifdef ANYURL_LITTLE_ENDIAN
/* What of the first four octets, and of the eight behind them, belongs to a text of so many, 13 for all that are longer:
   those have their place in the eight. */
static const uint32_t anyurl_four[14] = {
    0, 0xff, 0xffff, 0xffffff, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
static const uint64_t anyurl_eight[14] = {
    0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, 0xffffffff, UINT64_C(0xffffffffff), UINT64_C(0xffffffffffff),
    UINT64_C(0xffffffffffffff), ~UINT64_C(0), 0};
#endif

/* One element of an Arrow string_view: the length, and the octets themselves when there are at most twelve, else the
   first four, the number of the buffer and the place in it. */
static inline void anyurl_view(
    unsigned char *out, const unsigned char *data, int64_t place, int64_t end, int32_t length, int32_t buffer,
    int32_t in_buffer) {
#ifdef ANYURL_LITTLE_ENDIAN
    if (place + 12 <= end) { /* loads and masks: the lengths are not to be predicted */
        int is_long = length > 12, row = is_long ? 13 : length;
        uint32_t first;
        uint64_t rest, where = (uint32_t)buffer | (uint64_t)(uint32_t)in_buffer << 32;
        memcpy(&first, data + place, 4);
        memcpy(&rest, data + place + 4, 8);
        where = (rest & anyurl_eight[row]) | (where & (0 - (uint64_t)is_long));
        rest = (uint32_t)length | (uint64_t)(first & anyurl_four[row]) << 32;
        memcpy(out, &rest, 8);
        memcpy(out + 8, &where, 8);
        return;
    }
#endif
    memcpy(out, &length, 4);
    if (length > 12) {
        memcpy(out + 4, data + place, 4);
        memcpy(out + 8, &buffer, 4);
        memcpy(out + 12, &in_buffer, 4);
        return;
    }
    memset(out + 4, 0, 12);
    memcpy(out + 4, data + place, (size_t)length);
}

#endif
