/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Searches of the 64-ary bitmap tree: climb until a word has a member on the wanted side, then go
 * down its nearest branch. Every level has one word more than its members need, always zero at the
 * end, so that climbing past the last word needs no test.
 */
#include "model/bitset.h"

#include <assert.h>
#include <stddef.h>

/* Words of the level that has a bit for each of n things. */
static uint32_t level_words(uint32_t n)
{
    return n / 64 + 1;
}

uint32_t hs_bitset_words(uint32_t size)
{
    uint32_t total = 0;
    uint32_t n = size;
    do {
        n = level_words(n);
        total += n;
    } while (n > 1);
    return total;
}

void hs_bitset_init(struct hs_bitset *set, uint32_t size, uint64_t *words)
{
    assert(size <= HS_BITSET_MAX);
    *set = (struct hs_bitset){.size = size};
    uint32_t n = size;
    do {
        n = level_words(n);
        set->level[set->levels++] = words;
        words += n;
    } while (n > 1);
}

uint32_t hs_bitset_next_far(const struct hs_bitset *set, uint32_t word)
{
    uint32_t at = word + 1;
    for (uint32_t l = 1; l < set->levels; l++) {
        uint64_t branches = set->level[l][at >> 6] >> (at & 63);
        if (branches != 0) {
            at += HS_CTZ64(branches);
            while (l-- > 0)
                at = at << 6 | HS_CTZ64(set->level[l][at]);
            return at;
        }
        at = (at >> 6) + 1;
    }
    return HS_BITSET_NONE;
}

uint32_t hs_bitset_prev_far(const struct hs_bitset *set, uint32_t word)
{
    uint32_t at = word;
    for (uint32_t l = 1; l < set->levels && at-- > 0; l++) {
        uint64_t branches = set->level[l][at >> 6] << (63 - (at & 63));
        if (branches != 0) {
            at -= HS_CLZ64(branches);
            while (l-- > 0)
                at = at << 6 | (63 - HS_CLZ64(set->level[l][at]));
            return at;
        }
        at >>= 6;
    }
    return HS_BITSET_NONE;
}
