/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Radix selection with replay; see quantile.h. Invariant between passes: each wanted rank is either
 * resolved or lies in a range of its set, ranges are disjoint, ascending and non-empty, and `below`
 * and `count` of a range are exact.
 */
#include "report/stats/quantile.h"

#include <string.h>

#include "base/memory.h"

#define SUB_BITS   HS_QUANTILE_SUB_BITS
#define SPLIT_BITS 8u
#define SPLIT      HS_QUANTILE_SPLIT
_Static_assert(SPLIT == 1u << SPLIT_BITS, "a part of a range is a shift");

static const uint64_t permille_of[HS_QUANTILES] = {500, 900, 950, 990, 1000};

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

/* Ranges of the ranks from the buckets of the first pass. */
static void settle_first(struct hs_quantile_set *set, const uint32_t cells[HS_QUANTILE_BUCKETS])
{
    struct hs_quantile_range r = {0};
    uint32_t count = 0; /* of as many bits as a counter: several are added at once */
    for (uint32_t i = 0; i < HS_QUANTILE_BUCKETS; i++)
        count += cells[i];
    set->count = count;
    if (count == 0)
        return;
    uint32_t bucket = 0;
    for (int which = 0; which < HS_QUANTILES; which++) {
        uint64_t rank = rank_of(set->count, which);
        while (r.below + cells[bucket] < rank)
            r.below += cells[bucket++];
        const uint32_t shift = bucket >> SUB_BITS;
        r.bits = shift > 0 ? shift - 1 : 0;
        r.low = (uint64_t)(bucket - (r.bits << SUB_BITS)) << r.bits;
        r.count = cells[bucket];
        want(set, which, &r);
    }
}

/* Which of the SPLIT parts of range r a value is in, given by its distance from r->low. */
static uint32_t part_of(const struct hs_quantile_range *r, uint64_t offset)
{
    return (uint32_t)(offset >> (r->bits > SPLIT_BITS ? r->bits - SPLIT_BITS : 0));
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

static void settle_split(struct hs_quantile_set *set, const uint32_t cells[HS_QUANTILE_BUCKETS])
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

/* The value of a rank among all values of the range r; permutes them. */
static uint64_t select_rank(uint64_t *values, struct hs_quantile_range r, uint64_t rank)
{
    while (r.bits > 0 && r.count > 1) {
        uint32_t cells[SPLIT] = {0};
        uint64_t count = r.count, inside = 0;
        for (uint64_t i = 0; i < count; i++)
            cells[part_of(&r, values[i] - r.low)]++;
        r = narrow(&r, cells, rank);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t value = values[i];
            if ((value - r.low) >> r.bits != 0)
                continue;
            values[i] = values[inside];
            values[inside++] = value;
        }
    }
    return r.count == 1 ? values[0] : r.low;
}

static void settle_collect(struct hs_quantile_set *set, uint64_t *collection)
{
    for (int which = 0; which < HS_QUANTILES; which++) {
        if (set->range_of[which] == HS_QUANTILES)
            continue;
        const struct hs_quantile_range *r = &set->range[set->range_of[which]];
        set->value[which] = select_rank(collection + r->first, *r, rank_of(set->count, which));
        set->range_of[which] = HS_QUANTILES;
    }
    set->ranges = 0;
}

/* Ends a pass. */
static void settle(struct hs_quantiles *q)
{
    for (uint32_t i = 0; i < q->set_count; i++) {
        struct hs_quantile_set *set = &q->sets[i];
        if (q->pass == HS_PASS_FIRST)
            settle_first(set, q->cells[i]);
        else if (set->ranges == 0)
            continue;
        else if (q->pass == HS_PASS_SPLIT)
            settle_split(set, q->cells[i]);
        else
            settle_collect(set, q->collection);
    }
}

/* Deals out the collection; returns how many values are in ranges. */
static uint64_t deal(struct hs_quantiles *q)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < q->set_count; i++)
        for (uint32_t r = 0; r < q->sets[i].ranges; r++) {
            q->sets[i].range[r].first = (uint32_t)total;
            total += q->sets[i].range[r].count;
        }
    return total;
}

void hs_quantiles_open(struct hs_quantiles *q, uint32_t sets, uint32_t parts)
{
    const uint64_t least = sizeof *q->collection * HS_QUANTILE_COLLECTED / sizeof *q->cells + 1;
    *q = (struct hs_quantiles){.set_count = sets};
    q->sets = hs_alloc_zeroed(sets, sizeof *q->sets);
    void *memory = hs_alloc_zeroed(sets + parts > least ? sets + parts : least, sizeof *q->cells);
    q->cells = memory;
    q->collection = memory;
}

bool hs_quantiles_begin(struct hs_quantiles *q)
{
    if (q->pass == HS_PASS_NONE) {
        q->pass = HS_PASS_FIRST;
        return true;
    }
    settle(q);
    const uint64_t left = deal(q);
    q->pass = left <= HS_QUANTILE_COLLECTED ? HS_PASS_COLLECT : HS_PASS_SPLIT;
    for (uint32_t i = 0; q->pass == HS_PASS_SPLIT && i < q->set_count; i++)
        memset(q->cells[i], 0, q->sets[i].ranges * SPLIT * sizeof *q->cells[i]);
    return left > 0;
}

void hs_quantiles_add(struct hs_quantiles *q, uint32_t set, uint32_t part)
{
    for (uint32_t i = 0; i < HS_QUANTILE_BUCKETS; i++)
        q->cells[set][i] += q->cells[part][i];
}

uint32_t hs_quantiles_wanted(const struct hs_quantiles *q, uint32_t set,
                             uint32_t buckets[HS_QUANTILES])
{
    for (uint32_t i = 0; i < q->sets[set].ranges; i++)
        buckets[i] = hs_quantile_bucket(q->sets[set].range[i].low);
    return q->sets[set].ranges;
}

void hs_quantiles_take(struct hs_quantiles *q, uint32_t set_index, uint64_t value)
{
    struct hs_quantile_set *set = &q->sets[set_index];
    uint32_t i = set->ranges;
    while (i > 0 && set->range[i - 1].low > value)
        i--;
    if (i == 0)
        return;
    struct hs_quantile_range *r = &set->range[--i];
    const uint64_t offset = value - r->low;
    if (offset >> r->bits != 0)
        return;
    if (q->pass == HS_PASS_COLLECT)
        q->collection[r->first + r->collected++] = value;
    else
        q->cells[set_index][i * SPLIT + part_of(r, offset)]++;
}

void hs_quantiles_close(struct hs_quantiles *q)
{
    hs_free(q->sets);
    hs_free(q->cells); /* and the collection */
    *q = (struct hs_quantiles){0};
}
