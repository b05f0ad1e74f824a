/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantiles of a stream of non-negative integers in bounded memory: logarithmic buckets, 1,024 an
 * octave, each with its largest value. A quantile is a value that occurred, at most 2^-10 (0.1 %)
 * above the exact one; values below 2,048 are exact. 16 KiB an octave that occurs.
 */
#ifndef HORUS_BASE_LOGHIST_H
#define HORUS_BASE_LOGHIST_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/status.h"

#define HS_LOGHIST_OCTAVES 54

struct hs_loghist_octave;

struct hs_loghist {
    struct hs_loghist_octave *octaves[HS_LOGHIST_OCTAVES];
    uint64_t count;
    uint64_t max;
    hs_u128 sum;
};

HS_MUST_USE enum hs_status hs_loghist_add(struct hs_loghist *h, uint64_t value);
/* The smallest value with at least permille/1000 of all values at or below its bucket; 0 of none.
 */
uint64_t hs_loghist_quantile(const struct hs_loghist *h, uint32_t permille);
uint64_t hs_loghist_mean(const struct hs_loghist *h); /* rounded down; 0 of none */
/* The buckets that hold something, in order: *at is 0 before the first. Their largest value and how
 * many values they hold; false behind the last. */
bool hs_loghist_next(const struct hs_loghist *h, uint32_t *at, uint64_t *value, uint64_t *count);
/* How many values lie in the bucket of this value or below it. */
uint64_t hs_loghist_below(const struct hs_loghist *h, uint64_t value);
void hs_loghist_free(struct hs_loghist *h);

#endif
