/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A set of small integers as a 64-ary tree of bitmaps: bit i of a level states that word i of the
 * level below is not zero. Add, remove, lowest member >= i and highest member <= i take one step
 * per level: two levels up to 4,000 members, five up to 500 million.
 *
 *     hs_bitset_init(&set, n, zeroed_words);          // hs_bitset_words(n) of them
 *     for (i = hs_bitset_next(&set, 0); i != HS_BITSET_NONE; i = hs_bitset_next(&set, i + 1)) ...
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"

#define HS_BITSET_NONE   UINT32_MAX
#define HS_BITSET_LEVELS 5u
#define HS_BITSET_MAX    (1u << 29) /* half of 64^5, so that five levels always suffice */

struct hs_bitset {
    uint64_t *level[HS_BITSET_LEVELS]; /* [0]: the members */
    uint32_t levels;
    uint32_t size; /* members are 0 .. size - 1 */
};

/* Number of words for a set of `size` <= HS_BITSET_MAX possible members: each level has an
 * additional last bit, always zero, so that a search may climb past the last member. */
static inline uint32_t hs_bitset_words(uint32_t size)
{
    uint32_t total = 0;
    uint32_t n = size;
    do {
        n = n / 64 + 1;
        total += n;
    } while (n > 1);
    return total;
}

/* words: zeroed, owned by the caller, must live as long as the set. */
static inline void hs_bitset_init(struct hs_bitset *set, uint32_t size, uint64_t *words)
{
    assert(size <= HS_BITSET_MAX);
    *set = (struct hs_bitset){.size = size};
    uint32_t n = size;
    do {
        n = n / 64 + 1;
        set->level[set->levels++] = words;
        words += n;
    } while (n > 1);
}

static inline bool hs_bitset_has(const struct hs_bitset *set, uint32_t i)
{
    return set->level[0][i >> 6] >> (i & 63) & 1;
}

static inline bool hs_bitset_is_empty(const struct hs_bitset *set)
{
    return set->level[set->levels - 1][0] == 0;
}

/* HS_BITSET_NONE if the set is empty. */
static inline uint32_t hs_bitset_first(const struct hs_bitset *set)
{
    uint32_t at = 0;
    if (hs_bitset_is_empty(set))
        return HS_BITSET_NONE;
    for (uint32_t l = set->levels; l-- > 0;)
        at = at << 6 | HS_CTZ64(set->level[l][at]);
    return at;
}

/* Lowest member after word `word`: climbs to a level with one, then descends. */
static inline uint32_t hs_bitset_next_far(const struct hs_bitset *set, uint32_t word)
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

/* Highest member before word `word`. */
static inline uint32_t hs_bitset_prev_far(const struct hs_bitset *set, uint32_t word)
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

/* Lowest member >= from, which may be any number; HS_BITSET_NONE if there is none. */
static inline uint32_t hs_bitset_next(const struct hs_bitset *set, uint32_t from)
{
    if (from >= set->size)
        return HS_BITSET_NONE;
    uint64_t word = set->level[0][from >> 6] >> (from & 63);
    return word != 0 ? from + HS_CTZ64(word) : hs_bitset_next_far(set, from >> 6);
}

/* Highest member <= from, which may be any number; HS_BITSET_NONE if there is none. */
static inline uint32_t hs_bitset_prev(const struct hs_bitset *set, uint32_t from)
{
    const uint32_t at = from < set->size ? from : set->size - 1;
    if (set->size == 0)
        return HS_BITSET_NONE;
    uint64_t word = set->level[0][at >> 6] << (63 - (at & 63));
    return word != 0 ? at - HS_CLZ64(word) : hs_bitset_prev_far(set, at >> 6);
}

/* Adds or removes i. Branch-free: no step depends on previous contents. */
static inline void hs_bitset_put(struct hs_bitset *set, uint32_t i, bool is_member)
{
    uint64_t *word = &set->level[0][i >> 6];
    *word = (*word & ~(UINT64_C(1) << (i & 63))) | (uint64_t)is_member << (i & 63);
    for (uint32_t l = 1; l < set->levels; l++) {
        const uint64_t is_branch = *word != 0;
        i >>= 6;
        word = &set->level[l][i >> 6];
        *word = (*word & ~(UINT64_C(1) << (i & 63))) | is_branch << (i & 63);
    }
}

/* For sets of one size stored consecutively from `first` on: moves i from the set at word offset
 * `from` to the set at `to`. Returns whether the former still has members. */
static inline bool hs_bitset_move(const struct hs_bitset *first, size_t from, size_t to, uint32_t i)
{
    uint64_t *word = &first->level[0][i >> 6];
    word[from] &= ~(UINT64_C(1) << (i & 63));
    word[to] |= UINT64_C(1) << (i & 63);
    for (uint32_t l = 1; l < first->levels; l++) {
        const uint64_t is_empty = word[from] == 0;
        i >>= 6;
        word = &first->level[l][i >> 6];
        word[from] &= ~(is_empty << (i & 63));
        word[to] |= UINT64_C(1) << (i & 63);
    }
    return word[from] != 0;
}
