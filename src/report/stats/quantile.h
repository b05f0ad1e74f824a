/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact order statistics of many sets of integers in bounded memory: the caller replays the same
 * values until every quantile is pinned down.
 *
 *     hs_quantiles_open(&q, sets);
 *     for (bool is_first = true; hs_quantiles_begin(&q); is_first = false)
 *         for each value
 *             if (is_first)
 *                 hs_quantiles_count(&q, set, hs_quantile_bucket(value));
 *             else
 *                 hs_quantiles_take(&q, set, value);
 *     p90 = q.sets[set].value[HS_P90];            // 0 for an empty set
 *
 * A quantile is the smallest value with at least q n values <= it; the largest value is one too.
 * The first pass counts values in logarithmic buckets; each later pass splits the buckets that hold
 * a wanted rank by 256, or, once few enough values are left in them, collects those and goes on
 * with them in memory: radix selection with replay. Most values of a later pass lie in no such
 * bucket: a caller of many sets asks which are wanted and leaves the others out. Two passes for up
 * to 131,072 values and for most real sets of a few hundred thousand, three for most of any size,
 * never more than ten. 7.5 KiB a set; exact whatever the number of values.
 */
#ifndef HORUS_REPORT_STATS_QUANTILE_H
#define HORUS_REPORT_STATS_QUANTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

enum hs_quantile { HS_P50, HS_P90, HS_P95, HS_P99, HS_P100, HS_QUANTILES };

#define HS_QUANTILE_SUB_BITS 5u
#define HS_QUANTILE_BUCKETS  1920u /* and counters a set, in every pass */
#define HS_QUANTILE_SPLIT    256u
/* Values collected in the last pass, all sets together: as many as take hardly more memory than the
 * counters of the first pass, so that what is taken does not grow with the number of values. */
#define HS_QUANTILE_COLLECTED 131072u
_Static_assert(HS_QUANTILES *HS_QUANTILE_SPLIT <= HS_QUANTILE_BUCKETS, "ranges split have room");

/* Values in [low, low + 2^bits), among which ranks are wanted. */
struct hs_quantile_range {
    uint64_t low;
    uint64_t below, count; /* values < low, values inside */
    uint32_t bits;
    uint32_t collected, first; /* last pass: its part of the collection */
};

struct hs_quantile_set {
    uint64_t count;               /* of values, once the first pass is over */
    uint64_t value[HS_QUANTILES]; /* once resolved */
    struct hs_quantile_range range[HS_QUANTILES];
    uint8_t range_of[HS_QUANTILES]; /* index into range; HS_QUANTILES = resolved */
    uint8_t ranges;
};

struct hs_quantiles {
    struct hs_quantile_set *sets;
    uint32_t (*cells)[HS_QUANTILE_BUCKETS];
    uint64_t *collection; /* in the same memory: a pass that collects counts nothing */
    uint32_t set_count;
    enum { HS_PASS_NONE, HS_PASS_FIRST, HS_PASS_SPLIT, HS_PASS_COLLECT } pass;
};

/* parts: further counters behind those of the sets, for hs_quantiles_add. */
void hs_quantiles_open(struct hs_quantiles *q, uint32_t sets, uint32_t parts);
/* Begins a pass; false when everything is known, the last call. */
bool hs_quantiles_begin(struct hs_quantiles *q);

/* Bucket of the first pass: values below 32 each their own, above that 32 per power of two, up to
 * 63 bits. */
static inline uint32_t hs_quantile_bucket(uint64_t value)
{
    const uint32_t log2 = 63 ^ HS_CLZ64(value | 1u << HS_QUANTILE_SUB_BITS);
    const uint32_t shift = log2 - HS_QUANTILE_SUB_BITS;
    return (shift << HS_QUANTILE_SUB_BITS) + (uint32_t)(value >> shift);
}

/* Counts a value < 2^63, whose bucket is given, in the first pass; at most 2^32 - 1 values a set.
 */
static inline void hs_quantiles_count(struct hs_quantiles *q, uint32_t set, uint32_t bucket)
{
    q->cells[set][bucket]++;
}

/* In the first pass: adds what was counted for a part, set_count + its number, to a set. */
void hs_quantiles_add(struct hs_quantiles *q, uint32_t set, uint32_t part);

/* The buckets whose values a later pass asks of a set; returns how many. */
uint32_t hs_quantiles_wanted(const struct hs_quantiles *q, uint32_t set,
                             uint32_t buckets[HS_QUANTILES]);
/* Adds a value to a set in a later pass, if it is in a range of it. */
void hs_quantiles_take(struct hs_quantiles *q, uint32_t set, uint64_t value);

void hs_quantiles_close(struct hs_quantiles *q);

#endif
