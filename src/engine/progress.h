/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placement into progress: who sits on which GPU, at which rate each job runs, when its next event
 * is due (model.md 4). Only the jobs touched are touched.
 */
#ifndef HORUS_ENGINE_PROGRESS_H
#define HORUS_ENGINE_PROGRESS_H

#include "engine/state.h"

/* Adds dt > 0 at its present rate to the account of a job with a stay. */
void hs_progress_account(struct hs_engine *e, struct hs_job *job, int64_t dt);

/* Brings the job's account up to now. */
static inline void hs_progress_sync(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    if (job->stay == 0 || stay->synced_us == e->now_us)
        return;
    hs_progress_account(e, job, e->now_us - stay->synced_us);
    stay->synced_us = e->now_us;
}

/* Seats the job on count GPUs, given as ascending ids in ids and taken off the free ones; its state
 * must be set by the caller, who has it rated. Co-tenants are marked as touched. */
HS_MUST_USE enum hs_status hs_progress_seat(struct hs_engine *e, uint32_t slot, const uint32_t *ids,
                                            uint32_t count);
/* Frees all its seats; co-tenants are marked as touched. */
HS_MUST_USE enum hs_status hs_progress_unseat(struct hs_engine *e, uint32_t slot);
/* Does it sit on a GPU where it and those that came before it use more memory than there is? */
bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job);
/* The job counts as the newcomer on its GPUs from now on. */
void hs_progress_renew(struct hs_engine *e, uint32_t slot);
/* Its GPU ids, ascending, into e->gpu_ids; the count. */
uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job, uint32_t *ids);
/* Whether the job is active on its GPUs (not paused) changed. */
HS_MUST_USE enum hs_status hs_progress_set_active(struct hs_engine *e, uint32_t slot,
                                                  bool is_active);
/* The job and everyone beside it on its GPUs are to be rated anew. */
HS_MUST_USE enum hs_status hs_progress_touch_beside(struct hs_engine *e, uint32_t slot);
/* Rates a placed job and schedules its next event, at once: by what stands now. */
HS_MUST_USE enum hs_status hs_progress_rate(struct hs_engine *e, struct hs_job *job);
/* To be rated anew before time moves on. */
HS_MUST_USE enum hs_status hs_progress_touch(struct hs_engine *e, uint32_t slot);
/* Rates and next events of all touched jobs. */
HS_MUST_USE enum hs_status hs_progress_rerate_touched(struct hs_engine *e);
HS_MUST_USE static inline enum hs_status hs_progress_rerate(struct hs_engine *e)
{
    return e->touched_count + e->marked_count > 0 ? hs_progress_rerate_touched(e) : e->plan.refused;
}

#endif
