/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of the quirks.
 */
#include "policies/kit_compat.h"

#define SECOND_US INT64_C(1000000)

int64_t hs_compat_first_us(enum hs_compat compat, const struct hs_view *v, hs_job_id job)
{
    if (compat == HS_COMPAT_OFF || hs_view_first_start_us(v, job) >= 0)
        return 0;
    if (compat == HS_COMPAT_HELIOS)
        return SECOND_US;
    if (compat == HS_COMPAT_MURI) /* itertime_overhead_list[0] = 1.015, simulator/jobs.py */
        return hs_view_duration_us(v, job) / 1000 * 15 +
               hs_view_duration_us(v, job) % 1000 * 15 / 1000;
    return 0;
}

const char hs_compat_lost_text[] = "compat=muri: every event costs a restart";

void hs_compat_owe(enum hs_compat compat, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    int64_t cost_us = hs_compat_first_us(compat, v, job);
    if (cost_us <= 0)
        return;
    hs_plan_because(p, "what the published simulator charges for a start");
    hs_plan_owe(p, job, cost_us);
}

int64_t hs_compat_lost_us(const struct hs_view *v, hs_job_id job, int64_t since_us)
{
    int64_t restart_us = hs_view_restart_us(v, job);
    int64_t known_us = restart_us > 0 ? restart_us : 0;
    return known_us < since_us ? known_us : since_us;
}
