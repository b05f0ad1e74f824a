/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processes eight bytes of text at once, in a word of plain C:
 *
 *     uint64_t commas = hs_word8_zeros(hs_word8_at(p) ^ HS_WORD8_OF(','));
 *     if (commas != 0)
 *         first = p + hs_word8_first(commas);
 *
 * Searches sixty-four, four instructions per sixteen if the machine has vectors, else by words:
 *
 *     for (uint64_t commas = hs_block64_find(p, ','); commas != 0; commas &= commas - 1)
 *         use(p + HS_CTZ64(commas));
 */
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <stdint.h>

#include "horus/compiler.h"

/* The same byte eight times. */
#define HS_WORD8_OF(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

/* text[0, 8), the first byte lowest on every machine; compilers emit one load. */
static inline uint64_t hs_word8_at(const char *text)
{
    const unsigned char *b = (const unsigned char *)text;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* Stores to[0, 8), the inverse; one store, which gcc does not turn into a loop. */
static inline void hs_word8_put(char *to, uint64_t word)
{
    to[0] = (char)word;
    to[1] = (char)(word >> 8);
    to[2] = (char)(word >> 16);
    to[3] = (char)(word >> 24);
    to[4] = (char)(word >> 32);
    to[5] = (char)(word >> 40);
    to[6] = (char)(word >> 48);
    to[7] = (char)(word >> 56);
}

/* The top bit of each byte that is 0, and no other bit. */
static inline uint64_t hs_word8_zeros(uint64_t word)
{
    const uint64_t low_bits = HS_WORD8_OF(0x7f);
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/* Index of the byte with the lowest bit set; word != 0. */
static inline unsigned hs_word8_first(uint64_t word)
{
    return HS_CTZ64(word) / 8;
}

#define HS_BLOCK64 64u

/* Positions of this byte in text[0, 64): bit i for byte i. Portable; the next is equivalent. */
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

static inline uint64_t hs_block64_find(const char *text, char byte)
{
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(byte);
    uint64_t found = 0;
    HS_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
        const int here = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
        found |= (uint64_t)(unsigned)here << 16 * i;
    }
    return found;
#else
    return hs_block64_find_by_words(text, byte);
#endif
}
