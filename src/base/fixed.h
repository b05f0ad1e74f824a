/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact work arithmetic (MODEL.md 1): work in nanoseconds of isolated run time, rates in Q32,
 * products in 128 bits with the remainder carried, so that work is conserved exactly.
 *
 *     hs_work_advance(&w, rate_q32, now - last);       // w.done_ns grows, w.carry keeps the rest
 *     finish = now + hs_work_eta_us(&w, rate_q32);     // smallest dt with done_ns >= total_ns
 *
 * Header-only, as these run for every event.
 */
#pragma once

#include <stdint.h>

#include "horus/compiler.h"

#define HS_Q32_ONE   (UINT64_C(1) << 32)
#define HS_US_PER_S  INT64_C(1000000)
#define HS_NS_PER_US INT64_C(1000)
#define HS_TIME_MAX  INT64_MAX

struct hs_work {
    int64_t total_ns, done_ns;
    uint64_t carry; /* < 2^32: fraction of a nanosecond earned */
};

/* Adds the progress of dt_us >= 0 at rate_q32, up to the total (the excess of the last microsecond
 * is dropped with the carry). */
static inline void hs_work_advance(struct hs_work *w, uint64_t rate_q32, int64_t dt_us)
{
    hs_u128 sum = (hs_u128)rate_q32 * (uint64_t)HS_NS_PER_US * (uint64_t)dt_us + w->carry;
    hs_u128 gained = sum >> 32;
    if (gained >= (uint64_t)(w->total_ns - w->done_ns)) {
        w->done_ns = w->total_ns;
        w->carry = 0;
        return;
    }
    w->done_ns += (int64_t)gained;
    w->carry = (uint64_t)sum & (HS_Q32_ONE - 1);
}

/* Returns the microseconds until the total is reached, rounded up; HS_TIME_MAX at rate 0. At rate 1
 * without carry it is exactly ceil(remaining / 1000). */
static inline int64_t hs_work_eta_us(const struct hs_work *w, uint64_t rate_q32)
{
    uint64_t remaining = (uint64_t)(w->total_ns - w->done_ns);
    if (remaining == 0)
        return 0;
    if (rate_q32 == 0)
        return HS_TIME_MAX;
    if (rate_q32 == HS_Q32_ONE) /* a carry below 1 ns cannot save a microsecond */
        return (int64_t)((remaining + (uint64_t)HS_NS_PER_US - 1) / (uint64_t)HS_NS_PER_US);
    hs_u128 need = ((hs_u128)remaining << 32) - w->carry;
    hs_u128 per_us = (hs_u128)rate_q32 * (uint64_t)HS_NS_PER_US;
    hs_u128 dt = (need + per_us - 1) / per_us;
    return dt > (hs_u128)HS_TIME_MAX ? HS_TIME_MAX : (int64_t)dt;
}

/* Product of two Q32 fractions, rounded down. */
static inline uint64_t hs_q32_mul(uint64_t a, uint64_t b)
{
    return (uint64_t)(((hs_u128)a * b) >> 32);
}
