/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who holds which GPUs, from both sides, for policies that have to find the neighbours of a job.
 * A policy that names the GPUs of its jobs keeps it beside the plan:
 *
 *     struct scratch { ...; uint32_t first_hold; };               // 0 = holds nothing
 *     hs_holds_add(&holds, job, &scratch->first_hold, gpu);       // with hs_plan_on_gpu
 *     for (uint32_t h = scratch->first_hold; h != 0; h = holds.holds[h].next_of_job)
 *         ... holds.holds[h].gpu
 *     hs_holds_drop(&holds, &scratch->first_hold);                // it finished, stopped, ...
 *
 * O(1) a GPU to add, O(jobs on it) to drop; a job's GPUs come last added first.
 */
#ifndef HORUS_POLICIES_KIT_HOLDS_H
#define HORUS_POLICIES_KIT_HOLDS_H

#include "horus/policy.h"

struct hs_hold {
    hs_job_id job;
    uint32_t gpu;
    uint32_t next_of_job, next_on_gpu; /* 0 = none */
    uint32_t limit_mib; /* the policy's own: what the job may have of the memory of this GPU */
};

struct hs_holds {
    struct hs_hold *holds; /* from 1 */
    uint32_t *on_gpu;      /* first of each GPU; 0 = none */
    uint32_t free, used;   /* free: first of those that were dropped */
    uint32_t gpus;
};

/* Room for as many jobs on each GPU as the run allows. */
HS_MUST_USE enum hs_status hs_holds_init(struct hs_holds *s, const struct hs_view *v);
void hs_holds_add(struct hs_holds *s, hs_job_id job, uint32_t *first_of_job, uint32_t gpu);
void hs_holds_drop(struct hs_holds *s, uint32_t *first_of_job);
/* NULL, or the rule broken: the same jobs on each GPU as the view says. O(GPUs). */
const char *hs_holds_check(const struct hs_holds *s, const struct hs_view *v);

#endif
