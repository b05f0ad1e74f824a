/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A distribution as points of its inverse: [[0, 1], [0.5, 200], [1, 86400]] says that half of the
 * values are at most 200. Between two points the logarithm of the value is linear in the
 * probability, and the value itself where the lower one is 0.
 */
#ifndef HORUS_WORKLOAD_CURVE_H
#define HORUS_WORKLOAD_CURVE_H

#include <stdint.h>

#define HS_CURVE_POINTS_MAX 4096

struct hs_curve {
    double *rank, *value; /* parallel; ranks 0 .. 1 ascending, values not falling */
    uint32_t count;       /* 0 or >= 2 */
};

/* 0 <= rank <= 1. */
double hs_curve_at(const struct hs_curve *curve, double rank);
/* Mean of the distribution. */
double hs_curve_mean(const struct hs_curve *curve);

#endif
