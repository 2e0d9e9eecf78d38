/* What is told of many octets at a time, which Cython can't say: line feeds, the last of them, whether all is ASCII.

   Rules: no octet outside the part is read; every way tells the same (kernel/test_lines.py compares them with Python).
   The processor is asked whether it has AVX2; one that has not goes octet by octet, and so do short parts. */
#ifndef ANYURL_LINES_H
#define ANYURL_LINES_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define ANYURL_WIDE(length) ((length) >= 32 && __builtin_cpu_supports("avx2"))

__attribute__((target("avx2,popcnt"))) static inline int64_t anyurl_measure_wide(
    const unsigned char *data, int64_t length, long long *behind, int *ascii) {
    const __m256i feeds = _mm256_set1_epi8(10);
    __m256i any = _mm256_setzero_si256();
    int64_t count = 0, i = 0;
    while (i < length) {
        /* The last 32 are looked at once more, and what has been counted is shifted out. */
        int64_t at = i + 32 <= length ? i : length - 32;
        __m256i octets = _mm256_loadu_si256((const __m256i *)(data + at));
        uint32_t found = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(octets, feeds)) >> (i - at);
        any = _mm256_or_si256(any, octets);
        if (found) {
            count += __builtin_popcount(found);
            *behind = i + 32 - __builtin_clz(found);
        }
        i = at + 32;
    }
    *ascii = _mm256_movemask_epi8(any) == 0;
    return count;
}

__attribute__((target("avx2"))) static inline int anyurl_is_ascii_wide(const unsigned char *data, int64_t length) {
    __m256i any = _mm256_loadu_si256((const __m256i *)(data + length - 32));
    for (int64_t i = 0; i + 32 <= length; i += 32)
        any = _mm256_or_si256(any, _mm256_loadu_si256((const __m256i *)(data + i)));
    return _mm256_movemask_epi8(any) == 0;
}
#endif

static inline int anyurl_is_ascii(const unsigned char *data, int64_t length) {
#ifdef ANYURL_WIDE
    if (ANYURL_WIDE(length))
        return anyurl_is_ascii_wide(data, length);
#endif
    uint64_t any = 0, word = 0;
    for (; length >= 8; length -= 8, data += 8) {
        memcpy(&word, data, 8);
        any |= word;
    }
    word = 0;
    if (length > 0)
        memcpy(&word, data, (size_t)length);
    return ((any | word) & UINT64_C(0x8080808080808080)) == 0;
}

/* How many line feeds a part has; `behind` is the place behind the last one, or 0. */
static inline int64_t anyurl_measure(const unsigned char *data, int64_t length, long long *behind, int *ascii) {
    *behind = 0;
#ifdef ANYURL_WIDE
    if (ANYURL_WIDE(length))
        return anyurl_measure_wide(data, length, behind, ascii);
#endif
    int64_t count = 0;
    for (int64_t i = 0; i < length; i++)
        if (data[i] == 10) {
            count++;
            *behind = i + 1;
        }
    *ascii = anyurl_is_ascii(data, length);
    return count;
}

#endif
