/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Radix selection with replay; see quantile.h. Invariant between passes: each wanted rank is either
 * resolved or lies in a range of its set, ranges are disjoint, ascending and non-empty, and `below`
 * and `count` of a range are exact.
 *
 * Buckets of the first pass: values below 16 each their own, above that 16 per power of two, 960 in
 * all for 63 bits.
 */
#include "report/quantile.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SUB_BITS   4u
#define SPLIT_BITS 8u
#define SPLIT      (1u << SPLIT_BITS)

static const uint64_t permille_of[HS_QUANTILES] = {500, 900, 950, 990};

static uint32_t bucket_of(uint64_t value)
{
    if (value < 1u << SUB_BITS)
        return (uint32_t)value;
    uint32_t shift = 63 - HS_CLZ64(value) - SUB_BITS;
    return (shift << SUB_BITS) + (uint32_t)(value >> shift);
}

/* Inverse: the values of a bucket. */
static void bucket_range(uint32_t bucket, struct hs_quantile_range *r)
{
    uint32_t shift = bucket >> SUB_BITS;
    shift = shift > 0 ? shift - 1 : 0;
    r->bits = shift;
    r->low = (uint64_t)(bucket - (shift << SUB_BITS)) << shift;
}

static uint64_t rank_of(uint64_t count, int which)
{
    uint64_t whole = count / 1000 * permille_of[which];
    return whole + (count % 1000 * permille_of[which] + 999) / 1000;
}

/* Puts rank `which` into the range r: the last one made, if it is the same. */
static void want(struct hs_quantile_set *set, int which, const struct hs_quantile_range *r)
{
    if (r->bits == 0) {
        set->value[which] = r->low;
        set->range_of[which] = HS_QUANTILES;
        return;
    }
    if (set->ranges == 0 || set->range[set->ranges - 1].low != r->low)
        set->range[set->ranges++] = *r;
    set->range_of[which] = (uint8_t)(set->ranges - 1);
}

/* Ranges of the four ranks from the buckets of the first pass. */
static void settle_first(struct hs_quantile_set *set, const uint32_t cells[HS_QUANTILE_CELLS])
{
    struct hs_quantile_range r = {0};
    uint32_t bucket = 0;
    for (int which = 0; which < HS_QUANTILES; which++) {
        uint64_t rank = rank_of(set->count, which);
        while (r.below + cells[bucket] < rank)
            r.below += cells[bucket++];
        bucket_range(bucket, &r);
        r.count = cells[bucket];
        want(set, which, &r);
    }
}

/* The part of range r that holds the rank, from its SPLIT counters. */
static struct hs_quantile_range narrow(const struct hs_quantile_range *r, const uint32_t *cells,
                                       uint64_t rank)
{
    uint32_t bits = r->bits > SPLIT_BITS ? r->bits - SPLIT_BITS : 0;
    struct hs_quantile_range part = {.below = r->below, .bits = bits};
    uint32_t cell = 0;
    while (part.below + cells[cell] < rank)
        part.below += cells[cell++];
    part.low = r->low + ((uint64_t)cell << bits);
    part.count = cells[cell];
    return part;
}

static void settle_split(struct hs_quantile_set *set, const uint32_t cells[HS_QUANTILE_CELLS])
{
    struct hs_quantile_set old = *set;
    set->ranges = 0;
    for (int which = 0; which < HS_QUANTILES; which++) {
        uint32_t index = old.range_of[which];
        if (index == HS_QUANTILES)
            continue;
        struct hs_quantile_range part =
            narrow(&old.range[index], cells + index * SPLIT, rank_of(set->count, which));
        want(set, which, &part);
    }
}

static int compare_values(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y); /* equal values are indistinguishable: the order is total */
}

static void settle_collect(struct hs_quantile_set *set, uint64_t *collection)
{
    for (uint32_t i = 0; i < set->ranges; i++)
        qsort(collection + set->range[i].first, set->range[i].collected, sizeof *collection,
              compare_values);
    for (int which = 0; which < HS_QUANTILES; which++) {
        if (set->range_of[which] == HS_QUANTILES)
            continue;
        const struct hs_quantile_range *r = &set->range[set->range_of[which]];
        set->value[which] = collection[r->first + (rank_of(set->count, which) - r->below - 1)];
        set->range_of[which] = HS_QUANTILES;
    }
    set->ranges = 0;
}

/* What the pass that ended has told. */
static void settle(struct hs_quantiles *q)
{
    for (uint32_t i = 0; i < q->set_count; i++) {
        struct hs_quantile_set *set = &q->sets[i];
        if (set->count == 0)
            continue;
        if (q->pass == HS_PASS_FIRST)
            settle_first(set, q->cells[i]);
        else if (q->pass == HS_PASS_SPLIT)
            settle_split(set, q->cells[i]);
        else
            settle_collect(set, q->collection);
    }
}

/* Deals out the collection; false if the values left do not fit it. */
static bool can_collect(struct hs_quantiles *q)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < q->set_count; i++) {
        for (uint32_t r = 0; r < q->sets[i].ranges; r++) {
            q->sets[i].range[r].first = (uint32_t)total;
            total += q->sets[i].range[r].count;
            if (total > HS_QUANTILE_COLLECTED)
                return false;
        }
    }
    return true;
}

static bool is_resolved(const struct hs_quantiles *q)
{
    for (uint32_t i = 0; i < q->set_count; i++)
        if (q->sets[i].ranges > 0)
            return false;
    return true;
}

enum hs_status hs_quantiles_open(struct hs_quantiles *q, uint32_t sets)
{
    *q = (struct hs_quantiles){.set_count = sets};
    q->sets = hs_alloc_zeroed(sets, sizeof *q->sets);
    q->cells = hs_alloc_zeroed(sets, sizeof *q->cells);
    q->collection = hs_alloc_zeroed(HS_QUANTILE_COLLECTED, sizeof *q->collection);
    if (q->sets != NULL && q->cells != NULL && q->collection != NULL)
        return HS_OK;
    hs_quantiles_close(q);
    return HS_E_MEMORY;
}

bool hs_quantiles_begin(struct hs_quantiles *q)
{
    if (q->pass == HS_PASS_NONE) {
        q->pass = HS_PASS_FIRST;
        return true;
    }
    if (q->pass != HS_PASS_DONE)
        settle(q);
    if (is_resolved(q)) {
        q->pass = HS_PASS_DONE;
        return false;
    }
    q->pass = can_collect(q) ? HS_PASS_COLLECT : HS_PASS_SPLIT;
    if (q->pass == HS_PASS_SPLIT)
        memset(q->cells, 0, q->set_count * sizeof *q->cells);
    return true;
}

void hs_quantiles_add(struct hs_quantiles *q, uint32_t set_index, uint64_t value)
{
    struct hs_quantile_set *set = &q->sets[set_index];
    if (q->pass == HS_PASS_FIRST) {
        set->count++;
        set->sum += value;
        if (value > set->max)
            set->max = value;
        q->cells[set_index][bucket_of(value)]++;
        return;
    }
    for (uint32_t i = 0; i < set->ranges; i++) {
        struct hs_quantile_range *r = &set->range[i];
        uint64_t offset = value - r->low; /* huge for values below */
        if (offset >> r->bits != 0)
            continue;
        if (q->pass == HS_PASS_COLLECT)
            q->collection[r->first + r->collected++] = value;
        else
            q->cells[set_index]
                    [i * SPLIT + (offset >> (r->bits > SPLIT_BITS ? r->bits - SPLIT_BITS : 0))]++;
        return;
    }
}

uint64_t hs_quantiles_get(const struct hs_quantiles *q, uint32_t set, enum hs_quantile which)
{
    return q->sets[set].value[which];
}

void hs_quantiles_close(struct hs_quantiles *q)
{
    hs_free(q->sets);
    hs_free(q->cells);
    hs_free(q->collection);
    *q = (struct hs_quantiles){0};
}
