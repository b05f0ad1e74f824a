/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the plan (horus/plan.h): begin and end of its writing, and its application. What a
 * policy appends changes the tentative state at once (node counts, tenants per GPU, VC use), so
 * that its next question is answered as if it were done; the jobs themselves change only in
 * hs_commit.
 */
#ifndef HORUS_ENGINE_PLAN_BUILD_H
#define HORUS_ENGINE_PLAN_BUILD_H

#include "engine/state.h"

void hs_plan_begin(struct hs_engine *e);
/* HS_E_POLICY if an action was refused (reported), else HS_OK with the last action complete. */
HS_MUST_USE enum hs_status hs_plan_end(struct hs_engine *e);
/* Applies an accepted plan to the jobs: all releases, then all placements, then settings (turns,
 * caps, memory limits, costs, awaited steps, ends of jobs, timers, counts), then the events that
 * report the result to the policy. */
HS_MUST_USE enum hs_status hs_commit(struct hs_engine *e);
/* The job has reached the work at which its memory changes. */
void hs_commit_memory_change(struct hs_engine *e, struct hs_job *job);

/* Reports a policy bug and remembers it: the run ends with it after the next decision, whether it
 * was made there or in on_event. Always false. */
HS_PRINTF(3, 4)
HS_COLD bool hs_plan_refuse(struct hs_plan *p, hs_job_id job, const char *fmt, ...);

/* ---- look-ups of the view: what is not there is refused, and answered from a default record ----
 */

HS_COLD const struct hs_job *hs_lookup_default(const struct hs_view *v, hs_job_id job);

static inline const struct hs_job *hs_lookup_job(const struct hs_view *v, hs_job_id job)
{
    return HS_LIKELY(job < v->engine->jobs.slots.high) ? &v->engine->jobs.jobs[job]
                                                       : hs_lookup_default(v, job);
}

/* How far it is now: the account is brought up to date lazily, so the part since its last change is
 * added here. */
static inline struct hs_work hs_lookup_work(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_job_placement *placement = hs_placement_of(&v->engine->jobs, j);
    struct hs_work work = hs_work_of(&v->engine->jobs, j);
    if (j->state == HS_JOB_RUNNING)
        hs_work_advance(&work, placement->rate_q32, v->engine->now_us - placement->synced_us);
    return work;
}

const struct hs_job_identity *hs_lookup_identity(const struct hs_view *v, hs_job_id job);
const struct hs_training_profile *hs_lookup_training_profile(const struct hs_view *v,
                                                             hs_job_id job);
const struct hs_job_needs *hs_lookup_needs(const struct hs_view *v, hs_job_id job);
const struct hs_gpu *hs_lookup_gpu(const struct hs_view *v, uint32_t gpu);
/* An index that can be used; 0 for one that does not exist. */
uint32_t hs_lookup_vc(const struct hs_view *v, uint32_t vc);
/* Thousandths of GPUs that the VC may still take; UINT64_MAX: no quota bars it. */
uint64_t hs_lookup_quota_room_milli(const struct hs_engine *e, uint32_t vc);
/* need: HS_KNOWS_x; what: the quantity, for the message. */
bool hs_lookup_may_know(const struct hs_view *v, hs_job_id job, uint32_t need, const char *what);

#endif
