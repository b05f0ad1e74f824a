/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step function of time in so many equal intervals: of each its mean, smallest and largest value.
 * O(1) a change and O(1) an interval.
 *
 *     HS_TRY(hs_buckets_open(&b, 360, span_s));
 *     hs_buckets_put(&b, time_s, value);                // holds until the next one
 *     hs_buckets_finish(&b);
 *     ... b.of[i].mean ...
 */
#ifndef HORUS_REPORT_BUCKETS_H
#define HORUS_REPORT_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/status.h"

struct hs_bucket {
    double mean, min, max; /* NaN where nothing is known */
    double known_s;        /* while it is being filled: how long there was a value */
};

struct hs_buckets {
    struct hs_bucket *of;
    uint32_t count;
    double span_s;
    double time_s, value; /* the last change */
    bool has_value;
};

/* span_s > 0. */
HS_MUST_USE enum hs_status hs_buckets_open(struct hs_buckets *b, uint32_t count, double span_s);
/* In order of time; times past the span are not counted. */
void hs_buckets_put(struct hs_buckets *b, double time_s, double value);
void hs_buckets_finish(struct hs_buckets *b); /* the last value holds until the end */
void hs_buckets_free(struct hs_buckets *b);

#endif
