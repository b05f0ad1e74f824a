/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_antman_ramp.h.
 */
#include "policies/kit_antman_ramp.h"

#define FULL_PM 1000u

uint32_t hs_antman_full_steps(uint32_t step_pm)
{
    return (FULL_PM + step_pm - 1) / step_pm;
}

static uint64_t cap_pm(uint32_t step_pm, uint32_t steps)
{
    uint64_t pm = (uint64_t)step_pm * steps;
    return pm < FULL_PM ? pm : FULL_PM;
}

uint64_t hs_antman_cap_q32(uint32_t step_pm, uint32_t steps)
{
    return (cap_pm(step_pm, steps) << 32) / FULL_PM;
}

uint32_t hs_antman_most_steps(uint32_t step_pm, uint32_t guaranteed_pm, uint32_t sum_pm)
{
    uint32_t full = hs_antman_full_steps(step_pm);
    uint64_t left = guaranteed_pm < FULL_PM ? (uint64_t)(FULL_PM - guaranteed_pm) * FULL_PM : 0;
    if (cap_pm(step_pm, full) * sum_pm <= left)
        return full;
    return (uint32_t)(left / ((uint64_t)step_pm * sum_pm)); /* below full: no step is short */
}
