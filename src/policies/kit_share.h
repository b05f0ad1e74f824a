/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placing jobs on GPUs that they may share, by a cost (policies/horus.md 4):
 *
 *     one GPU   the cheapest one, idle or shared; an idle one wins a tie
 *     a gang    the node whose cheapest GPUs cost least in all; if no node has enough, whole nodes
 *               from the one with most room outwards through the racks
 *
 * A policy keeps a struct hs_sharer with the limits that all of them have, tells the load of a job
 * with hs_share_load, and bounds its cost over a range of loads:
 *
 *     static int64_t cost(const void *ctx, const struct hs_load_range *r)
 *     {
 *         const struct hs_newcomer *job = ctx;
 *         return hs_share_allows(job, r) ? ... : HS_NEVER;
 *     }
 *     struct hs_newcomer job;
 *     hs_newcomer_set(&job, &state->sharer, v, id);
 *     if (hs_share_place(&state->sharer, v, p, id, cost, &job)) ...
 */
#ifndef HORUS_POLICIES_KIT_SHARE_H
#define HORUS_POLICIES_KIT_SHARE_H

#include <stdbool.h>

#include "policies/kit_queue.h"

struct hs_gang_node;
struct hs_gang_gpu;

/* Of one VC: a gang beyond share_up_to, of so many GPUs and with no demands of its own, found no
 * idle ones, and no worker has left a GPU since. */
struct hs_idle_refusal {
    uint64_t releases; /* at that time, + 1; 0 = nothing is known */
    uint32_t gpus;
};

struct hs_sharer {
    /* parameters */
    int64_t max_tenants, mem_margin_mib, share_up_to;
    double util_cap; /* per cent; 0 = none */
    bool is_blind;   /* knows no utilization: all are 0 */
    /* scratch of a gang */
    struct hs_gang_node *nodes;
    struct hs_gang_gpu *gpus;
    int64_t *costs;
    uint32_t node_count;
    struct hs_idle_refusal *idle_refusals; /* by VC */
};

#define HS_SHARE_PARAMS(state_type, field, tenants_preset)                                         \
    {.key = "max_tenants",                                                                         \
     .type = HS_PARAM_INT,                                                                         \
     .offset = offsetof(state_type, field.max_tenants),                                            \
     .preset = tenants_preset,                                                                     \
     .min = 1,                                                                                     \
     .max = 16,                                                                                    \
     .help = "jobs on one GPU at most (--max-tenants of the run holds too)",                       \
     .source = "3: the authors' simulator, in place of PCIe bandwidth; 2: what was measured"},     \
        {.key = "mem_margin",                                                                      \
         .type = HS_PARAM_SIZE_MIB,                                                                \
         .offset = offsetof(state_type, field.mem_margin_mib),                                     \
         .preset = "500MiB",                                                                       \
         .help = "memory of a shared GPU that stays free after a placement",                       \
         .source = "the authors' simulator"},                                                      \
    {                                                                                              \
        .key = "share_up_to", .type = HS_PARAM_INT,                                                \
        .offset = offsetof(state_type, field.share_up_to), .preset = "8", .max = 1000000,          \
        .unit = "GPUs", .help = "larger gangs share no GPU"                                        \
    }

#define HS_UTIL_CAP_PARAM(state_type, field)                                                       \
    {                                                                                              \
        .key = "util_cap", .type = HS_PARAM_REAL, .offset = offsetof(state_type, field.util_cap),  \
        .preset = "0", .max = 1600, .unit = "%",                                                   \
        .help = "predicted utilizations on a shared GPU add up to at most this; 0: to anything",   \
        .source = "0: the authors' simulator; 130 limits the slowdown"                             \
    }

/* A job that looks for GPUs, and what the limits make of it. Unknown utilization counts as 100 %,
 * unknown memory as none. */
struct hs_newcomer {
    const struct hs_sharer *sharer;
    int64_t util_pm, util_peak_pm, mem_mib;
    int64_t cap_pm; /* of the sum of utilizations; INT64_MAX = none */
};

/* What is remembered of a job that found no GPU, in its scratch: zeroed, it remembers nothing.
 * While jobs only come nothing gets better for it, and a claim never shrinks, so only where a
 * worker has left since is worth another look. */
struct hs_refusal {
    uint64_t releases : 48; /* at that time, + 1; 0 = not refused yet */
    uint64_t room : 16;     /* of a gang: at most so many workers could have been seated, not all */
};

/* After is_blind was set. */
HS_MUST_USE enum hs_status hs_sharer_init(struct hs_sharer *s, const struct hs_view *v);
/* The .load of a policy: sum[0] is the predicted mean utilization, per mille; sum[1] stays 0. */
bool hs_share_load(const struct hs_sharer *s, const struct hs_view *v, hs_job_id job,
                   int32_t sum[HS_LOADS]);
void hs_newcomer_set(struct hs_newcomer *job, const struct hs_sharer *s, const struct hs_view *v,
                     hs_job_id id);
/* May it join some GPU of the range, by tenants, memory and utilization? Idle ones always. */
bool hs_share_allows(const struct hs_newcomer *job, const struct hs_load_range *r);
/* Starts the job, or leaves the plan as it was. A gang beyond share_up_to gets idle GPUs by the
 * placer `consolidate`. refusal: of this job; NULL where what the cost forbids may be allowed later
 * though no worker left. O(log GPUs) for one GPU; a gang looks at the nodes that have room. */
bool hs_share_place(struct hs_sharer *s, const struct hs_view *v, struct hs_plan *p, hs_job_id id,
                    hs_load_cost *cost, const void *ctx, struct hs_refusal *refusal);

/* It would be refused, for a gang as large was and no worker has left since: O(1), before anything
 * is worked out for it. Only of gangs beyond share_up_to; else false. */
bool hs_share_is_refused(const struct hs_sharer *s, const struct hs_view *v, hs_job_id id);
/* The least gang of the VC, among those without demands of their own, that is refused so, as are
 * all larger ones; UINT32_MAX: nothing is known. */
uint32_t hs_share_refused_gpus(const struct hs_sharer *s, const struct hs_view *v, uint32_t vc);

/* w, rounded to 2^-20: costs are int64 in that unit. */
int64_t hs_cost_q20(double w);
/* w_q20 * mib / capacity; 0 when the capacity is not stated. */
int64_t hs_cost_of_memory(int64_t w_q20, int64_t mib, uint32_t capacity_mib);

#endif
