/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sixty-four bytes of text searched together, four instructions for sixteen of them where the
 * machine has vectors, a word at a time elsewhere:
 *
 *     for (uint64_t commas = hs_block64_find(p, ','); commas != 0; commas &= commas - 1)
 *         use(p + HS_CTZ64(commas));
 */
#ifndef HORUS_BASE_BLOCK64_H
#define HORUS_BASE_BLOCK64_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <stdint.h>

#include "base/word8.h"

#define HS_BLOCK64 64u

/* Which of text[0, 64) are this byte: bit i of byte i. On every machine; the next is as good. */
static inline uint64_t hs_block64_find_by_words(const char *text, char byte)
{
    const uint64_t wanted = HS_WORD8_OF(byte);
    const uint64_t gather = UINT64_C(0x0102040810204080); /* bit 8 j of a word to bit 56 + j */
    uint64_t found = 0;
    for (unsigned i = 0; i < HS_BLOCK64; i += 8) {
        const uint64_t here = hs_word8_zeros(hs_word8_at(text + i) ^ wanted) >> 7;
        found |= (here * gather >> 56) << i;
    }
    return found;
}

#if defined(__SSE2__)
static inline uint64_t hs_block64_find(const char *text, char byte)
{
    const __m128i wanted = _mm_set1_epi8(byte);
    uint64_t found = 0;
    HS_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
        const int here = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
        found |= (uint64_t)(unsigned)here << 16 * i;
    }
    return found;
}
#else
static inline uint64_t hs_block64_find(const char *text, char byte)
{
    return hs_block64_find_by_words(text, byte);
}
#endif

#endif
