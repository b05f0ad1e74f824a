/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Confidence intervals of 95 % over independent runs, by Student's t; NaN stands for an absent
 * value, in arguments and results.
 */
#ifndef HORUS_REPORT_COMPARE_INTERVALS_H
#define HORUS_REPORT_COMPARE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct hs_replicated {
    double value, low, high; /* low and high NaN below two runs */
    uint32_t runs;           /* that have a value */
};

/* Of values[0], values[stride], ... count of them; those that are NaN are left out. */
struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count);

/* Of two policies over pairs of runs that share their seeds, where what a seed does to both cancels
 * (common random numbers): the ratio estimator of survey sampling (Cochran, Sampling Techniques,
 * 3rd ed., ch. 6): sum of the values / sum of the firsts, which is the ratio of the means; its
 * interval by t with the residuals values[i] - ratio * firsts[i], and not below 0. Nothing where
 * one of a pair is absent or negative, and where the firsts are all 0. */
struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count);

#endif
