/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact order statistics of many sets of integers in bounded memory: the caller replays the same
 * values until every quantile is pinned down.
 *
 *     HS_TRY(hs_quantiles_open(&q, sets));
 *     while (hs_quantiles_begin(&q))
 *         for each value   hs_quantiles_add(&q, set, value);
 *     p90 = hs_quantiles_get(&q, set, HS_P90);
 *
 * A quantile is the smallest value with at least q n values <= it (model.md 10); the largest value
 * is one too. The first pass counts values in logarithmic buckets; each later pass splits the
 * buckets that hold a wanted rank by 256, or, once few enough values are left in them, collects
 * those and goes on with them in memory. Most values of a later pass lie in no such bucket, which a
 * look at one byte tells. Two passes for up to 65,536 values, three for most real sets of any size,
 * never more than ten. About 6 KiB a set; exact whatever the number of values, so the histogram
 * with a relative error that model.md 10 allows past 2^20 jobs is not needed.
 */
#ifndef HORUS_REPORT_QUANTILE_H
#define HORUS_REPORT_QUANTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

enum hs_quantile { HS_P50, HS_P90, HS_P95, HS_P99, HS_P100, HS_QUANTILES };

#define HS_QUANTILE_SPLIT     256u
#define HS_QUANTILE_CELLS     (HS_QUANTILES * HS_QUANTILE_SPLIT) /* counters a set */
#define HS_QUANTILE_COLLECTED 65536u /* values collected in the last pass, all sets together */

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
    uint32_t (*cells)[HS_QUANTILE_CELLS];
    uint8_t (*wanted)[HS_QUANTILE_CELLS]; /* by bucket of the first pass: the first range inside */
    uint64_t *collection;
    uint32_t set_count;
    enum { HS_PASS_NONE, HS_PASS_FIRST, HS_PASS_SPLIT, HS_PASS_COLLECT, HS_PASS_DONE } pass;
};

HS_MUST_USE enum hs_status hs_quantiles_open(struct hs_quantiles *q, uint32_t sets);
/* Begins a pass; false when everything is known. */
bool hs_quantiles_begin(struct hs_quantiles *q);
/* Does this pass ask for the values of a set? Of the others they may be left out. */
bool hs_quantiles_asks(const struct hs_quantiles *q, uint32_t set);

#define HS_QUANTILE_SUB_BITS 4u
#define HS_QUANTILE_NOWHERE  UINT8_MAX
/* Bucket of the first pass: values below 16 each their own, above that 16 per power of two, 960 in
 * all for 63 bits. */
static inline uint32_t hs_quantile_bucket(uint64_t value)
{
    if (value < 1u << HS_QUANTILE_SUB_BITS)
        return (uint32_t)value;
    uint32_t shift = 63 - HS_CLZ64(value) - HS_QUANTILE_SUB_BITS;
    return (shift << HS_QUANTILE_SUB_BITS) + (uint32_t)(value >> shift);
}

/* Adds a value to a set in a later pass, if it is in a range of it. */
void hs_quantiles_take(struct hs_quantiles *q, uint32_t set, uint32_t bucket, uint64_t value);

/* Adds a value < 2^63, whose bucket is given, to a set; at most 2^32 - 1 values a set. In the first
 * pass, */
static inline void hs_quantiles_count(struct hs_quantiles *q, uint32_t set, uint32_t bucket)
{
    q->cells[set][bucket]++;
}

/* and in a later one, a value to each of `count` sets from `first` on. */
static inline void hs_quantiles_pick(struct hs_quantiles *q, uint32_t first, uint32_t count,
                                     const uint32_t *bucket, const uint64_t *value)
{
    uint8_t(*wanted)[HS_QUANTILE_CELLS] = q->wanted + first;
    uint32_t all = HS_QUANTILE_NOWHERE;
    HS_UNROLL
    for (uint32_t i = 0; i < count; i++)
        all &= wanted[i][bucket[i]];
    for (uint32_t i = 0; HS_UNLIKELY(all != HS_QUANTILE_NOWHERE) && i < count; i++)
        if (wanted[i][bucket[i]] != HS_QUANTILE_NOWHERE)
            hs_quantiles_take(q, first + i, bucket[i], value[i]);
}

static inline void hs_quantiles_add(struct hs_quantiles *q, uint32_t set, uint64_t value)
{
    uint32_t bucket = hs_quantile_bucket(value);
    if (q->pass == HS_PASS_FIRST)
        hs_quantiles_count(q, set, bucket);
    else
        hs_quantiles_pick(q, set, 1, &bucket, &value);
}

/* After the last pass; 0 for an empty set. */
uint64_t hs_quantiles_get(const struct hs_quantiles *q, uint32_t set, enum hs_quantile which);
void hs_quantiles_close(struct hs_quantiles *q);

#endif
