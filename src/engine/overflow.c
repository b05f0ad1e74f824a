/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GPU memory that was believed to be enough and is not. Plans count claims, what the policy could
 * know; the engine counts what the tenants use. Where a start lets the latter overflow a shared
 * GPU, the newcomer is killed a little later, unless others make room before.
 */
#include "engine/overflow.h"

#include "engine/life.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "engine/progress.h"
#include "engine/residency.h"
#include "engine/settings.h"
#include "engine/shadow.h"

uint32_t hs_overflow_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                               uint32_t limit_mib)
{
    if (job->is_alone)
        return HS_CLAIM_ALONE;
    if ((e->knows & HS_KNOWS_MEMORY) == 0)
        return 0;
    uint32_t claim_mib = hs_needs_of(&e->jobs, job)->estimate.mem_mib;
    if (claim_mib > limit_mib)
        claim_mib = limit_mib;
    return claim_mib < HS_CLAIM_MOST ? claim_mib : HS_CLAIM_MOST;
}

/* The largest GPU that it may use: what it is believed to need stays below. A type that states no
 * memory bounds nothing. */
static uint32_t largest_mib(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t most = 0;
    for (uint32_t t = 0; t < e->cluster->type_count; t++) {
        if ((job->ask.type_mask >> t & 1) == 0)
            continue;
        if (e->cluster->types[t].mem_mib == 0)
            return UINT32_MAX;
        if (e->cluster->types[t].mem_mib > most)
            most = e->cluster->types[t].mem_mib;
    }
    return most;
}

/* Its memory was seen now: the next estimate is 1.25 times that (policies/horus.md 2.3). */
static void job_learn_memory(const struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    uint64_t seen_mib = (uint64_t)needs->gpu_mem_mib + needs->gpu_mem_mib / 4;
    uint32_t most_mib = largest_mib(e, job);
    if (seen_mib > most_mib)
        seen_mib = most_mib;
    if (needs->estimate.mem_mib < seen_mib)
        needs->estimate.mem_mib = (uint32_t)seen_mib;
    job->is_alone = job->is_alone || hs_toll_of(&e->jobs, job)->ooms >= e->config.oom_retries;
    needs->mem_claim_mib = hs_residency_claim_mib(e, job, NULL); /* its limit stays */
}

enum hs_status hs_overflow(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    struct hs_job_toll *toll = hs_toll_of(&e->jobs, job);
    toll->ooms++;
    hs_shadow_release(e, job);
    HS_TRY(hs_observe_segment(e, slot, HS_SEGMENT_OOM));
    HS_TRY(hs_progress_unseat(e, slot));
    int64_t lost_ns = run->done_ns - stay->segment_done_ns;
    toll->lost_ns += lost_ns; /* and is to be done again: the sum of the work stays */
    run->done_ns -= lost_ns;
    run->carry = stay->segment_carry; /* earned before: not lost */
    e->work_done_ns -= (uint64_t)lost_ns;
    job->state = HS_JOB_SUSPENDED;
    run->cost_left_us = stay->segment_cost_us; /* what brought it here has to be done again */
    hs_jobs_end_stay(&e->jobs, job);
    e->instant.running--;
    e->instant.suspended++;
    hs_life_waits(e, job);
    job_learn_memory(e, job);
    (void)hs_residency_update(e, job); /* it may be back where it needed less */
    hs_life_load(e, slot);
    hs_life_tell_policy(e, HS_EVENT_STOPPED, slot);
    return HS_OK;
}
