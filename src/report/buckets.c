/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See buckets.h.
 */
#include "report/buckets.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"

enum hs_status hs_buckets_open(struct hs_buckets *b, uint32_t count, double span_s)
{
    *b = (struct hs_buckets){.count = count, .span_s = span_s};
    b->of = hs_alloc_zeroed(count, sizeof *b->of);
    return b->of != NULL ? HS_OK : HS_E_MEMORY;
}

static void add(struct hs_bucket *bucket, double length_s, double value)
{
    if (bucket->known_s == 0 || value < bucket->min)
        bucket->min = value;
    if (bucket->known_s == 0 || value > bucket->max)
        bucket->max = value;
    bucket->mean += length_s * value; /* a sum until hs_buckets_finish */
    bucket->known_s += length_s;
}

/* The value that was put last, from its time to until_s. */
static void spread(struct hs_buckets *b, double until_s)
{
    const double width = b->span_s / b->count;
    double from = b->time_s;
    if (until_s > b->span_s)
        until_s = b->span_s;
    while (from < until_s) {
        uint32_t i = (uint32_t)(from / width);
        i += (i + 1) * width <= from; /* rounding put it before the border */
        i = i < b->count ? i : b->count - 1;
        double end = i + 1 < b->count ? (i + 1) * width : b->span_s;
        end = end < until_s ? end : until_s;
        add(&b->of[i], end - from, b->value);
        from = end;
    }
}

void hs_buckets_put(struct hs_buckets *b, double time_s, double value)
{
    if (b->has_value)
        spread(b, time_s);
    b->time_s = time_s;
    b->value = value;
    b->has_value = true;
}

void hs_buckets_finish(struct hs_buckets *b)
{
    if (b->has_value)
        spread(b, b->span_s);
    for (uint32_t i = 0; i < b->count; i++) {
        struct hs_bucket *bucket = &b->of[i];
        if (bucket->known_s > 0)
            bucket->mean /= bucket->known_s;
        else
            bucket->mean = bucket->min = bucket->max = (double)NAN;
    }
}

void hs_buckets_free(struct hs_buckets *b)
{
    hs_free(b->of);
    b->of = NULL;
}
