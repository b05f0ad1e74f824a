/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See gpu_memory.h.
 */
#include "engine/gpu_memory.h"

#include "engine/lifecycle.h"

/* Memory of one tenant, and the part that it keeps while others of its slice group run. */
struct need {
    uint64_t full_mib, kept_mib;
};

typedef struct need need_fn(const struct hs_engine *e, const struct hs_job *job);

static struct hs_turn turn_of(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    return (struct hs_turn){.slice_group = placement->slice_group,
                            .coscheduled_set = placement->coscheduled_set,
                            .keeps = (enum hs_keeps)placement->keeps};
}

static uint32_t persistent_mib(const struct hs_engine *e, const struct hs_job *job)
{
    return hs_training_profile_of(&e->jobs, job)->gpu_mem_persistent_mib;
}

static uint32_t kept_of(const struct hs_engine *e, const struct hs_job *job,
                        const struct hs_turn *turn, uint32_t mib)
{
    if (turn->slice_group == 0 || turn->keeps == HS_KEEPS_ALL)
        return mib;
    if (turn->keeps == HS_KEEPS_NOTHING)
        return 0;
    return persistent_mib(e, job) < mib ? persistent_mib(e, job) : mib;
}

static struct need need_used(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    uint32_t mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    return (struct need){.full_mib = mib, .kept_mib = kept_of(e, job, &turn, mib)};
}

/* A job that has to run alone is alone while it has its turn, if the others keep nothing. */
static bool takes_turns_alone(const struct hs_turn *turn)
{
    return turn->slice_group != 0 && turn->coscheduled_set == 0 && turn->keeps == HS_KEEPS_NOTHING;
}

static uint32_t full_claim_mib(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t limit_mib = hs_needs_of(&e->jobs, job)->mem_limit_mib;
    return hs_oom_claim_mib(e, job, limit_mib > 0 ? limit_mib : UINT32_MAX);
}

static struct need need_claimed(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    bool is_apart = job->is_alone && takes_turns_alone(&turn);
    return (struct need){.full_mib = is_apart ? 0 : full_claim_mib(e, job),
                         .kept_mib = hs_claim_mib(e, job)};
}

uint32_t hs_gpu_memory_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                 const struct hs_turn *turn)
{
    static const struct hs_turn outside = {0};
    if (turn == NULL)
        turn = &outside;
    if (job->is_alone)
        return takes_turns_alone(turn) ? 0 : HS_CLAIM_ALONE;
    return kept_of(e, job, turn, full_claim_mib(e, job));
}

uint32_t hs_gpu_memory_claim_now_mib(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    return hs_gpu_memory_claim_mib(e, job, &turn);
}

static const struct hs_job *tenant_of(const struct hs_engine *e, uint32_t allocation)
{
    return &e->jobs.jobs[e->jobs.allocations[allocation].job];
}

static const struct hs_job_placement *stay_on(const struct hs_engine *e, uint32_t allocation)
{
    return hs_placement_of(&e->jobs, tenant_of(e, allocation));
}

/* The next allocation on the GPU whose job is of the same coscheduled set; a job of none takes its
 * turns alone. */
static uint32_t next_of_coscheduled_set(const struct hs_engine *e, uint32_t allocation,
                                        uint32_t coscheduled_set)
{
    return coscheduled_set > 0 ? e->jobs.allocations[allocation].next_on_gpu : HS_NO_ALLOCATION;
}

/* Is a tenant between the two of the same slice group (and coscheduled set)? */
static bool is_repeated(const struct hs_engine *e, uint32_t from, uint32_t allocation,
                        bool same_coscheduled_set)
{
    const struct hs_job_placement *job = stay_on(e, allocation);
    if (same_coscheduled_set && job->coscheduled_set == 0)
        return false;
    for (uint32_t s = from; s != allocation; s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job_placement *other = stay_on(e, s);
        if (other->slice_group == job->slice_group &&
            (!same_coscheduled_set || other->coscheduled_set == job->coscheduled_set))
            return true;
    }
    return false;
}

/* The largest coscheduled set of a slice group: the sum over its jobs from this allocation on. */
static uint64_t coscheduled_set_rest_mib(const struct hs_engine *e, uint32_t allocation,
                                         need_fn *need_of)
{
    const struct hs_job_placement *job = stay_on(e, allocation);
    uint64_t rest_mib = 0;
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION;
         s = next_of_coscheduled_set(e, s, job->coscheduled_set)) {
        const struct hs_job_placement *other = stay_on(e, s);
        if (other->slice_group != job->slice_group ||
            other->coscheduled_set != job->coscheduled_set)
            continue;
        const struct need need = need_of(e, tenant_of(e, s));
        if (need.full_mib > need.kept_mib)
            rest_mib += need.full_mib - need.kept_mib;
    }
    return rest_mib;
}

static uint64_t slice_group_rest_mib(const struct hs_engine *e, uint32_t allocation,
                                     need_fn *need_of)
{
    uint64_t most_mib = 0;
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION; s = e->jobs.allocations[s].next_on_gpu) {
        if (stay_on(e, s)->slice_group != stay_on(e, allocation)->slice_group ||
            is_repeated(e, allocation, s, true))
            continue;
        uint64_t rest_mib = coscheduled_set_rest_mib(e, s, need_of);
        most_mib = rest_mib > most_mib ? rest_mib : most_mib;
    }
    return most_mib;
}

static uint64_t taken_mib(const struct hs_engine *e, uint32_t allocation, need_fn *need_of)
{
    uint64_t mib = 0;
    if (allocation != HS_NO_ALLOCATION &&
        e->jobs.allocations[allocation].next_on_gpu == HS_NO_ALLOCATION) { /* usually */
        const struct need need = need_of(e, tenant_of(e, allocation));
        bool takes_more = stay_on(e, allocation)->slice_group != 0 && need.full_mib > need.kept_mib;
        return takes_more ? need.full_mib : need.kept_mib;
    }
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION; s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job *job = tenant_of(e, s);
        mib += need_of(e, job).kept_mib;
        if (stay_on(e, s)->slice_group != 0 && !is_repeated(e, allocation, s, false))
            mib += slice_group_rest_mib(e, s, need_of);
    }
    return mib;
}

uint64_t hs_gpu_memory_used_mib(const struct hs_engine *e, uint32_t allocation)
{
    return taken_mib(e, allocation, need_used);
}

uint64_t hs_gpu_memory_claimed_mib(const struct hs_engine *e, uint32_t allocation)
{
    return taken_mib(e, allocation, need_claimed);
}

/* Jobs of the largest coscheduled set of a slice group, from this allocation on; only_gone: only
 * jobs that keep no memory. */
static uint32_t largest_coscheduled_set(const struct hs_engine *e, uint32_t allocation,
                                        bool only_gone)
{
    uint32_t most = 0;
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION; s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job_placement *job = stay_on(e, s);
        uint32_t jobs = 0;
        if (job->slice_group != stay_on(e, allocation)->slice_group)
            continue;
        for (uint32_t t = s; t != HS_NO_ALLOCATION;
             t = next_of_coscheduled_set(e, t, job->coscheduled_set)) {
            const struct hs_job_placement *other = stay_on(e, t);
            bool is_with = other->slice_group == job->slice_group &&
                           other->coscheduled_set == job->coscheduled_set;
            jobs += is_with && (!only_gone || other->keeps == HS_KEEPS_NOTHING);
        }
        most = jobs > most ? jobs : most;
    }
    return most;
}

uint32_t hs_gpu_memory_at_once(const struct hs_engine *e, uint32_t allocation)
{
    uint32_t jobs = 0;
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION; s = e->jobs.allocations[s].next_on_gpu) {
        if (stay_on(e, s)->slice_group == 0)
            jobs++;
        else if (!is_repeated(e, allocation, s, false))
            jobs += largest_coscheduled_set(e, s, false);
    }
    return jobs;
}

/* A job that keeps memory is resident all the time, another only in its turn. */
uint64_t hs_gpu_memory_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    uint32_t allocation)
{
    uint32_t jobs = 0;
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION; s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job_placement *job = stay_on(e, s);
        jobs += job->slice_group == 0 || job->keeps != HS_KEEPS_NOTHING;
        if (job->slice_group != 0 && !is_repeated(e, allocation, s, false))
            jobs += largest_coscheduled_set(e, s, true);
    }
    return hs_gpu_capacity_mib(e, gpu, jobs);
}

bool hs_gpu_memory_update(struct hs_engine *e, struct hs_job *job)
{
    if (!e->jobs.has_needs)
        return false;
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    uint32_t peak_mib = hs_run_of(&e->jobs, job)->done_ns >= needs->later_ns
                            ? needs->gpu_mem_later_mib
                            : needs->gpu_mem_first_mib;
    bool is_limit = needs->mem_limit_mib > 0 && needs->mem_limit_mib < peak_mib;
    uint32_t mib = is_limit ? needs->mem_limit_mib : peak_mib, before_mib = needs->gpu_mem_mib;
    needs->gpu_mem_peak_mib = peak_mib;
    needs->gpu_mem_mib = mib;
    for (uint32_t s = e->is_exclusive ? HS_NO_ALLOCATION : hs_first_allocation(&e->jobs, job);
         s != HS_NO_ALLOCATION; s = e->jobs.allocations[s].next_of_job)
        hs_gpu_memory_recount(e, &e->gpus[e->jobs.allocations[s].gpu], (int64_t)mib - before_mib);
    return mib > before_mib;
}

static int64_t host_mib(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (placement->is_hosted)
        return (int64_t)persistent_mib(e, job) * placement->gpus_hosted;
    if (!hs_job_is_placed(job))
        return 0;
    int64_t mib = ((int64_t)needs->gpu_mem_peak_mib - needs->gpu_mem_mib) * placement->gpus_held;
    if (placement->slice_group == 0 || placement->keeps != HS_KEEPS_NOTHING)
        return mib;
    uint64_t away_q32 = placement->is_active ? HS_Q32_ONE - placement->share_q32 : HS_Q32_ONE;
    return mib +
           (int64_t)hs_q32_mul(away_q32, (uint64_t)persistent_mib(e, job) * placement->gpus_held);
}

void hs_gpu_memory_settle_needs(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    placement->mem_factor_q32 = HS_Q32_ONE;
    if (needs->gpu_mem_mib < needs->gpu_mem_peak_mib && e->config.memcurve != NULL)
        placement->mem_factor_q32 =
            hs_memcurve_q32(e->config.memcurve,
                            hs_intern_text(&e->names, hs_training_profile_of(&e->jobs, job)->model),
                            needs->gpu_mem_mib, needs->gpu_mem_peak_mib);
    placement->host_mib = host_mib(e, job);
}
