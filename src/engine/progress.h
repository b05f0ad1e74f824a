/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placements and progress: which job holds which GPU, at which rate each job runs (MODEL.md 4),
 * when its next event is due. A gang runs at the rate of its slowest worker; a GPU with several
 * active tenants slows each of them by the interference model, unless they take turns in one slice
 * group. Only the jobs touched are touched: O(nodes of the job), O(1) where it shares no GPU and
 * all types are equally fast.
 *
 * Exclusive mode: where the policy does not share, throttle or divide GPUs and asks about no single
 * one (e->is_exclusive), one allocation stands for all GPUs that a job holds of a node, and of
 * struct hs_gpu nothing but the node is kept. It makes runs 1.2 to 1.4 times as fast.
 */
#ifndef HORUS_ENGINE_PROGRESS_H
#define HORUS_ENGINE_PROGRESS_H

#include "engine/state.h"

/* Adds dt > 0 at its present rate to the account of a placed job. */
void hs_progress_account(struct hs_engine *e, struct hs_job *job, int64_t dt);

/* Brings the job's account up to now. */
static inline void hs_progress_sync(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    if (job->placement == 0 || placement->synced_us == e->now_us)
        return;
    hs_progress_account(e, job, e->now_us - placement->synced_us);
    placement->synced_us = e->now_us;
}

/* Places the job on count GPUs, given as ascending ids and already taken off the free ones; the
 * caller sets its state and its rate. Co-tenants are marked as touched. */
void hs_progress_allocate(struct hs_engine *e, struct hs_job *job, const uint32_t *ids,
                          uint32_t count);
/* Frees all its allocations; co-tenants are marked as touched. */
void hs_progress_deallocate(struct hs_engine *e, struct hs_job *job);
/* Is there a GPU of the job where it and the tenants placed before it use more memory than there
 * is? */
bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job);
/* The job counts as placed last on its GPUs from now on. */
void hs_progress_renew(struct hs_engine *e, const struct hs_job *job);
/* Its GPU ids, ascending, into e->gpu_ids; the count. */
uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job, uint32_t *ids);
/* Whether the job is active on its GPUs (not paused) changed. */
void hs_progress_set_active(struct hs_engine *e, struct hs_job *job, bool is_active);
/* Marks the job and its co-runners: their rates are to be computed anew. */
void hs_progress_touch_beside(struct hs_engine *e, struct hs_job *job);
/* Rates a placed job and schedules its next event, at once: by what stands now. */
void hs_progress_rate(struct hs_engine *e, struct hs_job *job);
/* Marks the job for a new rate, before time moves on. */
void hs_progress_touch(struct hs_engine *e, struct hs_job *job);
/* Rates and next events of all touched jobs. */
HS_MUST_USE enum hs_status hs_progress_rerate_touched(struct hs_engine *e);

HS_MUST_USE static inline enum hs_status hs_progress_rerate(struct hs_engine *e)
{
    return e->touched_count + e->marked_count > 0 ? hs_progress_rerate_touched(e) : e->plan.refused;
}

/* The rate of the job now, Q32. */
uint64_t hs_rate_now(const struct hs_engine *e, const struct hs_job *job);
/* The rate that its placement gives a job, once it is not held up by a cost. */
uint64_t hs_rate_placed(const struct hs_engine *e, const struct hs_job *job);
/* Leaves the mode at the first question about a single GPU: from now on each GPU has its record.
 * O(live jobs + GPUs held), once. */
HS_COLD void hs_exclusive_end_now(struct hs_engine *e);

static inline void hs_exclusive_end(struct hs_engine *e)
{
    if (HS_UNLIKELY(e->is_exclusive))
        hs_exclusive_end_now(e);
}

/* Allocates the lowest free GPUs of the picked nodes to the job; the caller sets its state and its
 * rate. O(nodes). */
void hs_exclusive_allocate(struct hs_engine *e, const struct hs_action *a);
/* Frees all its allocations; is_release: its attempt is over, plans may use its GPUs from now on.
 */
void hs_exclusive_deallocate(struct hs_engine *e, struct hs_job *job, bool is_release);

#endif
