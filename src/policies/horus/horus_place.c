/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See horus_place.h. All in integers, 2^-20; divisions round down.
 */
#include "policies/horus/horus_place.h"

#define FULL_PM 1000

const char *const hs_horus_costs[] = {"intended", "ascoded", NULL};
const char *const hs_horus_signals[] = {"predicted", "measured", NULL};

struct horus_job {
    struct hs_candidate candidate;
    const struct hs_horus *h;
};

void hs_horus_init(struct hs_horus *h, const struct hs_view *v)
{
    h->over_q20 = hs_cost_q20(h->w_u_over);
    h->under_q20 = hs_cost_q20(h->w_u_under);
    h->mem_q20 = hs_cost_q20(h->w_mem);
    h->tenant_q20 = hs_cost_q20(h->w_n);
    uint64_t fastest = 1;
    for (uint32_t t = 0; t < hs_view_gpu_types(v); t++)
        if (hs_view_type_speed_q32(v, t) > fastest)
            fastest = hs_view_type_speed_q32(v, t);
    for (uint32_t t = 0; t < hs_view_gpu_types(v) && t < HS_HORUS_TYPES; t++) {
        double share = (double)hs_view_type_speed_q32(v, t) / (double)fastest;
        h->type_q20[t] = hs_cost_q20(h->w_type * (1 - share));
    }
    hs_colocation_init(&h->colocation, v);
}

uint32_t hs_horus_knows(const struct hs_horus *h)
{
    uint32_t measured = h->signal == HS_SIGNAL_MEASURED ? HS_KNOWS_RATE : 0;
    return HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | measured;
}

int64_t hs_horus_by_utilization(const struct hs_view *v, hs_job_id job)
{
    int32_t pm = hs_view_util_pm(v, job);
    return pm >= 0 ? pm : FULL_PM;
}

const char *hs_horus_placement(const struct hs_horus *h)
{
    return h->cost == HS_HORUS_ASCODED ? "horus-ascoded" : "horus";
}

/* Distance of the utilization from 100 %: least over the range. */
static int64_t penalty(const struct hs_horus *h, const struct hs_load_range *r, int64_t peak_pm)
{
    bool is_measured = h->signal == HS_SIGNAL_MEASURED;
    int64_t least = is_measured ? (int64_t)r->least.measured_pm : r->least.sum[0];
    int64_t most = is_measured ? (int64_t)r->most.measured_pm : r->most.sum[0];
    int64_t over = least + peak_pm - FULL_PM, under = FULL_PM - most - peak_pm;
    if (over > 0)
        return h->over_q20 * over / FULL_PM;
    return under > 0 ? h->under_q20 * under / FULL_PM : 0;
}

static int64_t memory(const struct hs_horus *h, const struct hs_load_range *r, int64_t mem_mib)
{
    int64_t claim_mib = r->least.claim_mib;
    if (h->cost == HS_HORUS_INTENDED)
        return hs_cost_of_memory(h->mem_q20, claim_mib + mem_mib, r->capacity_mib);
    return (r->capacity_mib > 0 ? h->mem_q20 * claim_mib : 0) +
           hs_cost_of_memory(h->mem_q20, mem_mib, r->capacity_mib);
}

static int64_t horus_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct horus_job *job = ctx;
    const struct hs_horus *h = job->h;
    if (!hs_share_allows(&job->candidate, r))
        return HS_NEVER;
    return memory(h, r, job->candidate.mem_mib) + penalty(h, r, job->candidate.util_peak_pm) +
           h->tenant_q20 * r->least.tenants + h->type_q20[r->gpu_type % HS_HORUS_TYPES];
}

bool hs_horus_place(struct hs_horus *h, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    struct horus_job job = {.h = h};
    hs_plan_reason(p, NULL);
    if (hs_share_is_blocked(&h->colocation, v, id))
        return false;
    hs_candidate_set(&job.candidate, &h->colocation, v, id);
    return hs_share_place(&h->colocation, v, p, id, horus_cost, &job);
}
