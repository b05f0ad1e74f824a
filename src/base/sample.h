/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of many values.
 *
 * A sample stores all values (8 bytes each), for the two-sample Kolmogorov-Smirnov distance: the
 * largest difference of two empirical distributions.
 *
 * A logarithmic histogram gives quantiles of a stream of non-negative integers in bounded memory:
 * 1,024 buckets per octave, each with its largest value. A quantile is a value that occurred, at
 * most 2^-10 (0.1 %) above the exact one; values below 2,048 are exact. 16 KiB per octave that
 * occurs.
 *
 * hs_fractions counts a column of per cent, to warn of fractions written there: 0.45 is in range,
 * and would silently turn a busy GPU into an idle one. One value below 1 % may be true; all of them
 * never are.
 */
#pragma once

#include <stdbool.h>

#include "base/diag.h"

struct hs_sample {
    uint64_t *values;
    uint32_t count, cap;
};

void hs_sample_add(struct hs_sample *sample, uint64_t value);
void hs_sample_sort(struct hs_sample *sample);
/* For a sorted, non-empty sample; for an even count the mean of the two middle values. */
double hs_sample_median(const struct hs_sample *sample);
double hs_sample_mean(const struct hs_sample *sample); /* non-empty sample */
void hs_sample_free(struct hs_sample *sample);

/* Both sorted, neither empty. Differences are compared as whole numbers; O(values). */
double hs_ks(const struct hs_sample *a, const struct hs_sample *b);
/* The limit that two samples of one distribution exceed with probability 0.05: 1.36 sqrt((n + m) /
 * (n m)), the asymptotic bound. Counts above 0. */
double hs_ks_noise(uint64_t n, uint64_t m);

#define HS_LOGHIST_OCTAVES 54

struct hs_loghist_octave;

struct hs_loghist {
    struct hs_loghist_octave *octaves[HS_LOGHIST_OCTAVES];
    uint64_t count;
    uint64_t max;
    hs_u128 sum;
};

void hs_loghist_add(struct hs_loghist *h, uint64_t value);
/* Returns the smallest value with at least permille/1000 of all values at or below its bucket; 0 if
 * empty. */
uint64_t hs_loghist_quantile(const struct hs_loghist *h, uint32_t permille);
/* Iterates over non-empty buckets in order: *at is 0 before the first. Sets their largest value and
 * count; false after the last. */
bool hs_loghist_next(const struct hs_loghist *h, uint32_t *at, uint64_t *value, uint64_t *count);
/* Returns the number of values in the bucket of this value or below it. */
uint64_t hs_loghist_below(const struct hs_loghist *h, uint64_t value);
void hs_loghist_free(struct hs_loghist *h);

struct hs_fractions {
    uint64_t rows;    /* with or without a value */
    uint64_t filled;  /* with a value */
    uint64_t nonzero; /* above 0 */
    uint64_t above_1; /* above 1 per cent */
};

static inline void hs_fractions_count(struct hs_fractions *seen, int32_t per_mille) /* -1 = none */
{
    seen->rows++;
    if (per_mille < 0)
        return;
    seen->filled++;
    seen->nonzero += per_mille > 0;
    seen->above_1 += per_mille > 10;
}

/* Warns once if all values are at most 1: of at least three rows, or of the whole file. */
void hs_fractions_warn(const struct hs_fractions *seen, const struct hs_place *place,
                       const char *column, const char *rows, struct hs_diag *diag);
