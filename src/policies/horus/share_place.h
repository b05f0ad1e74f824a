/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placing jobs on GPUs that they may share, by a cost (the rule of Horus):
 *
 *     one GPU   the cheapest one, idle or shared; an idle one wins a tie
 *     a gang    the node whose cheapest GPUs cost least in all; if no node has enough, whole nodes
 *               from the one with most room outwards through the racks
 *
 * A policy keeps a struct hs_colocation with the limits that all of them have, tells the load of a
 * job with hs_share_load, and bounds its cost over a range of loads:
 *
 *     static int64_t cost(const void *ctx, const struct hs_load_range *r)
 *     {
 *         const struct hs_candidate *job = ctx;
 *         return hs_share_allows(job, r) ? ... : HS_NEVER;
 *     }
 *     struct hs_candidate job;
 *     hs_candidate_set(&job, &state->colocation, v, id);
 *     if (hs_share_place(&state->colocation, v, p, id, cost, &job)) ...
 */
#ifndef HORUS_POLICIES_HORUS_SHARE_PLACE_H
#define HORUS_POLICIES_HORUS_SHARE_PLACE_H

#include <stdbool.h>

#include "policies/lib/vc_queues.h"

struct hs_gang_node;
struct hs_gang_gpu;

/* Of one VC: a gang beyond share_up_to, of so many GPUs and with no demands of its own, found no
 * idle ones, and no worker has left a GPU since. */
struct hs_idle_blocked_since {
    uint64_t releases; /* at that time, + 1; 0 = nothing is known */
    uint32_t gpus;
};

struct hs_colocation {
    /* parameters */
    int64_t max_tenants, mem_margin_mib, share_up_to;
    double util_cap; /* per cent; 0 = none */
    bool is_blind;   /* knows no utilization: all are 0 */
    /* scratch of a gang */
    struct hs_gang_node *nodes;
    struct hs_gang_gpu *gpus;
    int64_t *costs;
    struct hs_idle_blocked_since *idle_blocked; /* by VC */
};

#define HS_SHARE_PARAMS(state_type, field, tenants_preset)                                         \
    HS_PARAM_INT(                                                                                  \
        state_type, field.max_tenants, "max_tenants", tenants_preset, 1, 16,                       \
        "jobs on one GPU at most (--max-tenants of the run holds too)",                            \
        .source = "3: the authors' simulator, in place of PCIe bandwidth; 2: what was measured"),  \
        HS_PARAM_SIZE_MIB(state_type, field.mem_margin_mib, "mem_margin", "500MiB", 0, 0,          \
                          "memory of a shared GPU that stays free after a placement",              \
                          .source = "the authors' simulator"),                                     \
        HS_PARAM_INT(state_type, field.share_up_to, "share_up_to", "8", 0, 1000000,                \
                     "larger gangs share no GPU", .unit = "GPUs")

#define HS_UTIL_CAP_PARAM(state_type, field)                                                       \
    HS_PARAM_REAL(state_type, field.util_cap, "util_cap", "0", 0, 1600,                            \
                  "predicted utilizations on a shared GPU add up to at most this; 0: to anything", \
                  .unit = "%", .source = "0: the authors' simulator; 130 limits the slowdown")

/* A job that looks for GPUs, and what the limits make of it. Unknown utilization counts as 100 %,
 * unknown memory as none. */
struct hs_candidate {
    const struct hs_colocation *colocation;
    int64_t util_pm, util_peak_pm, mem_mib;
    int64_t cap_pm; /* of the sum of utilizations; INT64_MAX = none */
};

/* After is_blind was set. */
void hs_colocation_init(struct hs_colocation *s, const struct hs_view *v);
/* The .tenants and .load of a policy whose state begins with its struct hs_colocation: sum[0] is
 * the predicted mean utilization, per mille; the others stay 0. */
uint32_t hs_share_tenants(const void *state);
bool hs_share_load(const void *state, const struct hs_view *v, hs_job_id job,
                   int32_t sum[HS_LOADS]);
void hs_candidate_set(struct hs_candidate *job, const struct hs_colocation *s,
                      const struct hs_view *v, hs_job_id id);
/* May it join some GPU of the range, by tenants, memory and utilization? Idle ones always. */
bool hs_share_allows(const struct hs_candidate *job, const struct hs_load_range *r);
/* Starts the job, or leaves the plan as it was. A gang beyond share_up_to gets idle GPUs by the
 * placer `consolidate`. O(log GPUs) for one GPU; a gang looks at the nodes that have room. */
bool hs_share_place(struct hs_colocation *s, const struct hs_view *v, struct hs_plan *p,
                    hs_job_id id, hs_load_cost *cost, const void *ctx);

/* It would be refused, for a gang as large was and no worker has left since: O(1), before anything
 * is worked out for it. Only of gangs beyond share_up_to; else false. */
bool hs_share_is_blocked(const struct hs_colocation *s, const struct hs_view *v, hs_job_id id);
/* The .blocked_gpus of a scan (lib/vc_queues.h) whose state begins with its struct hs_colocation:
 * the least gang of the VC, among those without demands of their own, that is refused so, as are
 * all larger ones; UINT32_MAX: nothing is known. */
uint32_t hs_share_blocked_gpus(const void *state, const struct hs_view *v, uint32_t vc);

/* w, rounded to 2^-20: costs are int64 in that unit. */
int64_t hs_cost_q20(double w);
/* w_q20 * mib / capacity; 0 when the capacity is not stated. */
int64_t hs_cost_of_memory(int64_t w_q20, int64_t mib, uint32_t capacity_mib);

#endif
