/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/scaling.h"

#include <math.h>
#include <stddef.h>

#include "base/fixed.h"

uint64_t hs_curve_nearest_q32(const struct hs_curve *c, uint32_t gpus)
{
    uint32_t i = 0;
    while (i + 1 < c->count && gpus > c->gpus[i] &&
           (gpus >= c->gpus[i + 1] || gpus - c->gpus[i] > c->gpus[i + 1] - gpus))
        i++;
    return c->value_q32[i];
}

/* Throughput of `gpus` >= 1, Q32, relative to one GPU, for figures that are efficiencies, thr(n) /
 * (n thr(1)). Between two measured sizes the time of a mini-batch is linear in log2 n. Above the
 * largest size N it is compute / n + synchronisation as measured at N: that of a ring all-reduce
 * hardly depends on n. Rounded once. */
static uint64_t throughput_q32(const struct hs_curve *c, uint32_t gpus)
{
    uint64_t low = 1, low_q32 = HS_Q32_ONE, high = 0, high_q32 = 0;
    for (uint32_t i = 0; i < c->count && gpus > low; i++) {
        high = c->gpus[i];
        high_q32 = high * c->value_q32[i];
        if (gpus < high)
            break;
        low = high;
        low_q32 = high_q32;
    }
    if (gpus == low)
        return low_q32;
    const double low_time = (double)HS_Q32_ONE / (double)low_q32; /* relative to one GPU's time */
    double time;
    if (low < high) {
        const double high_time = (double)HS_Q32_ONE / (double)high_q32;
        const double part = log2((double)gpus / (double)low) / log2((double)high / (double)low);
        time = low_time + part * (high_time - low_time);
    } else {
        time = 1.0 / gpus + (low_time - 1.0 / (double)low);
    }
    return (uint64_t)llrint((double)HS_Q32_ONE / time);
}

uint64_t hs_curve_resized_q32(const struct hs_curve *c, uint32_t held, uint32_t gpus)
{
    if (held == gpus || gpus == 0)
        return HS_Q32_ONE;
    if (c == NULL)
        return (uint64_t)(((hs_u128)held << 32) / gpus);
    if (held == 0)
        return 0;
    return (uint64_t)(((hs_u128)throughput_q32(c, held) << 32) / throughput_q32(c, gpus));
}
