/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measured figures of gangs by size, and the resulting throughput at any size (MODEL.md 4).
 */
#pragma once

#include <stdint.h>

#define HS_SPEED_CURVE_SIZES 64u

/* A figure by gang size, ascending from 2 on; Q32. */
struct hs_curve {
    uint32_t count;
    uint32_t gpus[HS_SPEED_CURVE_SIZES];
    uint64_t value_q32[HS_SPEED_CURVE_SIZES];
};

/* Returns the figure of the nearest size, ties to the smaller; the curve must not be empty. */
uint64_t hs_curve_nearest_q32(const struct hs_curve *c, uint32_t gpus);
/* Throughput of `gpus` >= 1, Q32, relative to one GPU, for figures that are efficiencies, thr(n) /
 * (n thr(1)). Between two measured sizes the time of a mini-batch is linear in log2 n. Above the
 * largest size N it is compute / n + synchronisation as measured at N: that of a ring all-reduce
 * hardly depends on n. Rounded once. */
uint64_t hs_speed_throughput_q32(const struct hs_curve *c, uint32_t gpus);
/* Throughput of `held` GPUs relative to that of `gpus`; linear where nothing is known (NULL). */
uint64_t hs_curve_resized_q32(const struct hs_curve *c, uint32_t held, uint32_t gpus);
