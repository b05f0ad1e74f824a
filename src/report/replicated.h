/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean and 95 % confidence interval over independent runs, by Student's t; and the ratio of two
 * policies over pairs of runs that share their seeds, where what a seed does to both cancels
 * (common random numbers). NaN stands for a value that there is not, in and out.
 */
#ifndef HORUS_REPORT_REPLICATED_H
#define HORUS_REPORT_REPLICATED_H

#include <stddef.h>
#include <stdint.h>

struct hs_replicated {
    double value, low, high; /* low and high NaN below two runs */
    uint32_t runs;           /* that have a value */
};

/* Of values[0], values[stride], ... count of them; those that are NaN are left out. */
struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count);

/* Geometric mean of values[i] / firsts[i], its interval by t on the logarithms. Nothing where a
 * first is absent, 0 or negative, or a value absent or negative; no interval where a value is 0. */
struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count);

#endif
