/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eight bytes of text looked at together, in a word of plain C:
 *
 *     uint64_t commas = hs_word8_zeros(hs_word8_at(p) ^ HS_WORD8_OF(','));
 *     if (commas != 0)
 *         first = p + hs_word8_first(commas);
 */
#ifndef HORUS_BASE_WORD8_H
#define HORUS_BASE_WORD8_H

#include <stdint.h>

#include "horus/compiler.h"

/* The same byte eight times. */
#define HS_WORD8_OF(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

/* text[0, 8), the first byte lowest on every machine; compilers make one load of it. */
static inline uint64_t hs_word8_at(const char *text)
{
    const unsigned char *b = (const unsigned char *)text;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* to[0, 8): the same the other way; one store, of which gcc does not make a loop. */
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

/* Which byte the lowest bit set is of; word != 0. */
static inline unsigned hs_word8_first(uint64_t word)
{
    return HS_CTZ64(word) / 8;
}

#endif
