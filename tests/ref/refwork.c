/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refwork.h.
 */
#include "refwork.h"

#define NS_PER_US 1000

hs_u128 ref_work(int64_t duration_us)
{
    return (hs_u128)(uint64_t)duration_us * NS_PER_US << 32;
}

int64_t ref_work_ns(hs_u128 work)
{
    return (int64_t)(work >> 32);
}

int64_t ref_finish_us(int64_t now_us, hs_u128 left, uint64_t rate_q32)
{
    hs_u128 per_us = (hs_u128)rate_q32 * NS_PER_US;
    return per_us == 0 ? REF_NEVER : now_us + (int64_t)((left + per_us - 1) / per_us);
}

hs_u128 ref_worked(hs_u128 done, hs_u128 total, uint64_t rate_q32, int64_t dt_us)
{
    done += (hs_u128)rate_q32 * NS_PER_US * (uint64_t)dt_us;
    return done < total ? done : total;
}
