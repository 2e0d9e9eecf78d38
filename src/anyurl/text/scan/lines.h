/* What is told of many octets at a time, which Cython can't say: line feeds, the last of them, whether all is ASCII,
   whether a mark is among them.

   Rules: no octet outside the part is read; every way tells the same (text/scan/test_lines.py compares them with Python).
   The processor is asked whether it has AVX2; one that has not goes octet by octet, and so do short parts. */
#ifndef ANYURL_LINES_H
#define ANYURL_LINES_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* Whether a part has $, @ or X. Most parts are URLs, of some 40 octets. */
static inline int anyurl_has_marks(const unsigned char *data, int64_t length) {
#ifdef __SSE2__
    if (length >= 16) {
        const __m128i dollar = _mm_set1_epi8('$'), at = _mm_set1_epi8('@'), x = _mm_set1_epi8('X');
        __m128i any = _mm_setzero_si128();
        for (int64_t i = 0; i < length; i += 16) {
            /* The last 16 may be looked at twice. */
            __m128i octets = _mm_loadu_si128((const __m128i *)(data + (i + 16 <= length ? i : length - 16)));
            any = _mm_or_si128(any, _mm_cmpeq_epi8(octets, dollar));
            any = _mm_or_si128(any, _mm_or_si128(_mm_cmpeq_epi8(octets, at), _mm_cmpeq_epi8(octets, x)));
        }
        return _mm_movemask_epi8(any) != 0;
    }
#endif
    for (int64_t i = 0; i < length; i++)
        if (data[i] == '$' || data[i] == '@' || data[i] == 'X')
            return 1;
    return 0;
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
