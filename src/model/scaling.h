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
/* Throughput of `held` GPUs relative to that of `gpus`, from efficiencies, thr(n) / (n thr(1));
 * linear where nothing is known (NULL). */
uint64_t hs_curve_resized_q32(const struct hs_curve *c, uint32_t held, uint32_t gpus);
