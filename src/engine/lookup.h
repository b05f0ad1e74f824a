/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the files of the view (view.c, view_part.c, view_share.c) look things up: what does not
 * exist, or was not declared, is a fault of the policy, put on record; the answer is then something
 * harmless.
 */
#ifndef HORUS_ENGINE_LOOKUP_H
#define HORUS_ENGINE_LOOKUP_H

#include "engine/state.h"

HS_COLD const struct hs_job *hs_lookup_nobody(const struct hs_view *v,
                                              hs_job_id job);               /* there is none */
HS_COLD void *hs_lookup_no_scratch(const struct hs_view *v, hs_job_id job); /* nobody's */
static inline const struct hs_job *hs_lookup_job(const struct hs_view *v, hs_job_id job)
{
    return HS_LIKELY(job < v->engine->jobs.slots.high) ? &v->engine->jobs.jobs[job]
                                                       : hs_lookup_nobody(v, job);
}
/* The other records of a job (model/job.h), read only. */
static inline const struct hs_job_run *hs_lookup_run(const struct hs_view *v, hs_job_id job)
{
    return hs_run_of(&v->engine->jobs, hs_lookup_job(v, job));
}
static inline const struct hs_job_stay *hs_lookup_stay(const struct hs_view *v, hs_job_id job)
{
    return hs_stay_of(&v->engine->jobs, hs_lookup_job(v, job));
}
/* How far it is now: the account is brought up to date lazily, so the part since its last change is
 * added here. */
static inline struct hs_work hs_lookup_work(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_job_stay *stay = hs_stay_of(&v->engine->jobs, j);
    struct hs_work work = hs_work_of(&v->engine->jobs, j);
    if (j->state == HS_JOB_RUNNING)
        hs_work_advance(&work, stay->rate_q32, v->engine->now_us - stay->synced_us);
    return work;
}
const struct hs_job_label *hs_lookup_label(const struct hs_view *v, hs_job_id job);
const struct hs_job_traits *hs_lookup_traits(const struct hs_view *v, hs_job_id job);
const struct hs_job_needs *hs_lookup_needs(const struct hs_view *v, hs_job_id job);
const struct hs_gpu *hs_lookup_gpu(const struct hs_view *v, uint32_t gpu);
const struct hs_node *hs_lookup_node(const struct hs_view *v, uint32_t node);
/* An index that can be used; 0 for one that does not exist. */
uint32_t hs_lookup_vc(const struct hs_view *v, uint32_t vc);
/* Thousandths of GPUs that the VC may still take; UINT64_MAX: no quota bars it. */
uint64_t hs_lookup_quota_room_milli(const struct hs_engine *e, uint32_t vc);
/* need: HS_KNOWS_x; what: the thing asked for, for the message. */
bool hs_lookup_may_know(const struct hs_view *v, hs_job_id job, uint32_t need, const char *what);

#endif
