/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two-sample Kolmogorov-Smirnov distance: the largest difference of two empirical
 * distributions, over all their values. Samples are gathered, sorted once, then compared with as
 * many others as one likes; 8 bytes a value.
 *
 *     HS_TRY(hs_sample_add(&a, value)); ...
 *     hs_sample_sort(&a); hs_sample_sort(&b);
 *     double distance = hs_ks(&a, &b), noise = hs_ks_noise(a.count, b.count);
 */
#ifndef HORUS_BASE_KS_H
#define HORUS_BASE_KS_H

#include <stdint.h>

#include "horus/status.h"

struct hs_sample {
    uint64_t *values;
    uint32_t count, cap;
};

/* HS_E_MEMORY, HS_E_LIMIT past 2^32 - 1 values. */
HS_MUST_USE enum hs_status hs_sample_add(struct hs_sample *sample, uint64_t value);
void hs_sample_sort(struct hs_sample *sample);
/* Of a sorted sample that is not empty: the mean of the two middle values where there is no one. */
double hs_sample_median(const struct hs_sample *sample);
double hs_sample_mean(const struct hs_sample *sample); /* of one that is not empty */
void hs_sample_free(struct hs_sample *sample);

/* Both sorted, neither empty. Differences are compared as whole numbers; O(values). */
double hs_ks(const struct hs_sample *a, const struct hs_sample *b);
/* What two samples of one distribution stay below 19 times out of 20: 1.36 sqrt((n + m) / (n m)),
 * the asymptotic bound. Counts above 0. */
double hs_ks_noise(uint64_t n, uint64_t m);

#endif
