/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of gangs by their size, as measured, and the throughput that follows at any size
 * (MODEL.md 4).
 */
#pragma once

#include <stdint.h>

#define HS_SPEED_CURVE_SIZES 16u

/* A figure by gang size, ascending from 2 on; Q32. */
struct hs_curve {
    uint32_t count;
    uint32_t gpus[HS_SPEED_CURVE_SIZES];
    uint64_t value_q32[HS_SPEED_CURVE_SIZES];
};

/* The figure of the size that is nearest, ties to the smaller; of a curve that is not empty. */
uint64_t hs_curve_nearest_q32(const struct hs_curve *c, uint32_t gpus);
/* Throughput of `gpus` >= 1, Q32, relative to one GPU, where the figures are efficiencies, thr(n) /
 * (n thr(1)). Between two measured sizes the time of a mini-batch lies on a line over log2 n. From
 * the largest on, N, it is compute / n + synchronisation, this as measured there: that of a ring
 * all-reduce hardly depends on n. Rounded once. */
uint64_t hs_speed_throughput_q32(const struct hs_curve *c, uint32_t gpus);
