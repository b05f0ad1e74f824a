/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exponential decay in fixed point, the same on every machine: powers of one half, and a mean of
 * the past that forgets by half-lives.
 *
 *     struct hs_decayed held = {0};                 // GPUs that a user holds, in thousandths
 *     hs_decayed_change(&held, now_us, +2000, half_life_us);
 *     hs_decayed_at(&held, later_us, half_life_us); // what it held, times 2^(-age / half-life)
 *
 * With a level r(s) that is constant between changes, the decayed integral of it up to t is
 *
 *     U(t) = integral of r(s) 2^(-(t - s) / h) ds = h / ln 2 x m(t),
 *     m(t + dt) = m(t) 2^(-dt / h) + r (1 - 2^(-dt / h)),
 *
 * which is what Slurm sums period by period (PriorityDecayHalfLife), in the limit of short periods.
 * Kept is m, whose range is that of r; quotients of two are quotients of usages. O(1) a change.
 */
#pragma once

#include <stdint.h>

#include "horus/compiler.h"

/* 2^(-num / den), Q62; den > 0. Within 2^-55 of it; exact for whole num / den. */
uint64_t hs_half_power_q62(hs_u128 num, uint64_t den);

struct hs_decayed {
    int64_t since_us;  /* of the last change */
    uint64_t mean_q32; /* at that time, Q32 */
    uint64_t level;    /* since then, below 1 << 31 */
};
/* The mean at a time that is no earlier than the last change, Q32. */
uint64_t hs_decayed_at(const struct hs_decayed *d, int64_t at_us, int64_t half_life_us);
void hs_decayed_change(struct hs_decayed *d, int64_t at_us, int64_t by, int64_t half_life_us);
