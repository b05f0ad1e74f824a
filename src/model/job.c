/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slots, allocations and the records of jobs are pools: no memory is allocated once the largest
 * number of live jobs, held GPUs and future attempts was reached.
 */
#include "model/job.h"

/* The default records: a job that was never placed, with unknown needs, no request and one attempt.
 * */
static const struct hs_job_run no_run = {
    .gpu_type = HS_NO_GPU_TYPE,
    .first_start_us = -1,
    .first_progress_us = -1,
};
static const struct hs_job_placement no_placement = {
    .finish_us = HS_TIME_MAX,
    .oom_us = HS_TIME_MAX,
    .alarm_ns = HS_TIME_MAX,
    .first_allocation = HS_NO_ALLOCATION,
    .share_q32 = HS_Q32_ONE,
    .cap_q32 = HS_Q32_ONE,
    .mem_factor_q32 = HS_Q32_ONE,
};
static const struct hs_sharing_overhead no_overhead = {.at_step_ns = -1};
static const struct hs_job_needs no_needs = {
    .later_ns = HS_TIME_MAX,
    .estimate = {.util_pm = -1, .util_peak_pm = -1},
};
static const struct hs_job_request no_request = {.deadline_us = -1, .preempt_cost_us = -1};
static const struct hs_job_history no_history = {.next_attempt = HS_NO_ATTEMPT, .began_us = -1};

static void take_run(struct hs_jobs *jobs, uint32_t *run)
{
    *run = hs_pool_take(&jobs->run_pool, (void **)&jobs->runs, sizeof *jobs->runs);
}

static void take_placement(struct hs_jobs *jobs, uint32_t *placement)
{
    *placement =
        hs_pool_take(&jobs->placement_pool, (void **)&jobs->placements, sizeof *jobs->placements);
}

static void take_overhead(struct hs_jobs *jobs, uint32_t *overhead)
{
    *overhead =
        hs_pool_take(&jobs->overhead_pool, (void **)&jobs->overheads, sizeof *jobs->overheads);
}

static void take_history(struct hs_jobs *jobs, uint32_t *history)
{
    *history =
        hs_pool_take(&jobs->history_pool, (void **)&jobs->histories, sizeof *jobs->histories);
}

void hs_jobs_add_training_profile(struct hs_jobs *jobs, uint32_t *at)
{
    *at = hs_pool_take(&jobs->training_pool, (void **)&jobs->training, sizeof *jobs->training);
    jobs->training[*at] = (struct hs_training_profile){.users = 1};
}

void hs_jobs_add_request(struct hs_jobs *jobs, uint32_t *at)
{
    *at = hs_pool_take(&jobs->wish_pool, (void **)&jobs->request, sizeof *jobs->request);
    jobs->request[*at] = no_request;
}

static void grow_needs(struct hs_jobs *jobs, uint64_t need)
{
    hs_grow_bare((void **)&jobs->needs, &jobs->needs_cap, need, sizeof *jobs->needs,
                 HS_LIVE_JOBS_MAX);
}

void hs_jobs_init(struct hs_jobs *jobs, uint32_t scratch_size)
{
    uint32_t default_record;
    *jobs = (struct hs_jobs){.scratch_size = scratch_size > 0 ? scratch_size : 1};
    take_run(jobs, &default_record);
    jobs->runs[default_record] = no_run;
    take_placement(jobs, &default_record);
    jobs->placements[default_record] = no_placement;
    take_overhead(jobs, &default_record);
    jobs->overheads[default_record] = no_overhead;
    take_history(jobs, &default_record);
    jobs->histories[default_record] = no_history;
    hs_jobs_add_training_profile(jobs, &default_record);
    hs_jobs_add_request(jobs, &default_record);
    grow_needs(jobs, 1);
    jobs->needs[0] = no_needs;
}

void hs_jobs_know_needs(struct hs_jobs *jobs)
{
    grow_needs(jobs, jobs->slots.high);
    for (uint32_t slot = 0; slot < jobs->slots.high; slot++)
        jobs->needs[slot] = no_needs;
    jobs->has_needs = true;
}

static void grow_estimates(struct hs_jobs *jobs, uint64_t need)
{
    hs_grow_bare((void **)&jobs->estimates_us, &jobs->estimate_cap, need,
                 sizeof *jobs->estimates_us, HS_LIVE_JOBS_MAX);
}

void hs_jobs_know_estimates(struct hs_jobs *jobs)
{
    jobs->has_estimates = true;
    grow_estimates(jobs, 1);
}

static void clear_scratch(struct hs_jobs *jobs, uint32_t slot)
{
    memset(jobs->scratch + (size_t)slot * jobs->scratch_size, 0, jobs->scratch_size);
}

/* Room for slot `high` in every parallel array. */
static HS_APART void slots_grow(struct hs_jobs *jobs)
{
    uint64_t need = (uint64_t)jobs->slots.high + 1;
    hs_grow_bare((void **)&jobs->identities, &jobs->label_cap, need, sizeof *jobs->identities,
                 HS_LIVE_JOBS_MAX);
    if (jobs->has_needs)
        grow_needs(jobs, need);
    if (jobs->has_estimates)
        grow_estimates(jobs, need);
    hs_grow_bare((void **)&jobs->scratch, &jobs->scratch_cap, need, jobs->scratch_size,
                 HS_LIVE_JOBS_MAX);
}

void hs_jobs_add(struct hs_jobs *jobs, uint32_t *slot)
{
    const uint32_t high = jobs->slots.high;
    if (jobs->slots.first == 0) /* none to use again */
        slots_grow(jobs);
    *slot = hs_pool_take(&jobs->slots, (void **)&jobs->jobs, sizeof *jobs->jobs);
    struct hs_job_identity *identity = &jobs->identities[*slot];
    if (*slot == high)
        identity->is_far = false;
    identity->training = identity->request = identity->history = 0;
    if (jobs->has_needs)
        jobs->needs[*slot] = no_needs;
    if (jobs->has_estimates)
        jobs->estimates_us[*slot] = -1;
    clear_scratch(jobs, *slot);
    if (jobs->slots.first != 0) /* prefetch for the next job of this slot */
        hs_jobs_expect(jobs, jobs->slots.first - 1);
    jobs->live++;
}

static HS_APART void set_far_id(struct hs_job_identity *identity, const char *id, size_t size)
{
    if (!identity->is_far) {
        identity->id_far.text = NULL;
        identity->id_far.cap = 0;
        identity->is_far = true;
    }
    hs_grow_bare((void **)&identity->id_far.text, &identity->id_far.cap, size, 1,
                 HS_JOB_ID_MAX + 1);
    memcpy(identity->id_far.text, id, size);
}

void hs_jobs_set_id(struct hs_job_identity *identity, const char *id)
{
    size_t size = strlen(id) + 1;
    if (HS_UNLIKELY(size > HS_ID_NEAR || identity->is_far)) {
        set_far_id(identity, id, size);
        return;
    }
    memcpy(identity->id_near, id, size);
}

static void take_attempt(struct hs_jobs *jobs, uint32_t *attempt)
{
    *attempt = hs_pool_take(&jobs->attempt_pool, (void **)&jobs->attempts, sizeof *jobs->attempts);
}

/* Takes the first off the chain of a job; its run time. */
static int64_t drop_attempt(struct hs_jobs *jobs, struct hs_job_history *history)
{
    uint32_t attempt = history->next_attempt;
    const struct hs_attempt dropped = jobs->attempts[attempt];
    hs_pool_give(&jobs->attempt_pool, &jobs->attempts[attempt], attempt);
    history->next_attempt = dropped.next;
    return dropped.work_us;
}

void hs_jobs_set_attempts(struct hs_jobs *jobs, uint32_t slot, const int64_t *attempts_us,
                          uint32_t count)
{
    struct hs_job *job = &jobs->jobs[slot];
    job->work_ns = attempts_us[0] * HS_NS_PER_US;
    if (count == 1)
        return;
    take_history(jobs, &jobs->identities[slot].history);
    struct hs_job_history *history = &jobs->histories[jobs->identities[slot].history];
    *history = no_history;
    history->arrived_us = job->submit_us;
    for (uint32_t i = count; i-- > 1;) { /* from the end: the chain begins with what comes next */
        uint32_t attempt;
        take_attempt(jobs, &attempt);
        jobs->attempts[attempt] =
            (struct hs_attempt){.work_us = attempts_us[i], .next = history->next_attempt};
        history->next_attempt = attempt;
        history->all_ns += attempts_us[i] * HS_NS_PER_US;
    }
    history->all_ns += job->work_ns;
}

void hs_jobs_retry(struct hs_jobs *jobs, uint32_t slot)
{
    struct hs_job *job = &jobs->jobs[slot];
    struct hs_job_history *history = &jobs->histories[jobs->identities[slot].history];
    if (job->run != 0) {
        struct hs_job_run *run = hs_run_of(jobs, job);
        history->past_ns += run->done_ns;
        run->done_ns = 0;
        run->carry = 0;
    }
    job->work_ns = drop_attempt(jobs, history) * HS_NS_PER_US;
    history->attempt++;
    clear_scratch(jobs, slot);
}

HS_EXPANDED void hs_jobs_begin_run(struct hs_jobs *jobs, struct hs_job *job)
{
    if (job->run != 0)
        return;
    take_run(jobs, &job->run);
    jobs->runs[job->run] = jobs->runs[0]; /* as of a job that was never placed */
}

void hs_jobs_begin_sharing_overhead(struct hs_jobs *jobs, struct hs_job *job)
{
    hs_jobs_begin_run(jobs, job);
    struct hs_job_run *run = hs_run_of(jobs, job);
    if (run->overhead != 0)
        return;
    take_overhead(jobs, &run->overhead);
    jobs->overheads[run->overhead] = no_overhead;
}

HS_EXPANDED void hs_jobs_begin_placement(struct hs_jobs *jobs, struct hs_job *job)
{
    hs_jobs_begin_run(jobs, job);
    if (jobs->has_needs)
        hs_jobs_begin_sharing_overhead(jobs, job);
    if (job->placement != 0)
        return;
    take_placement(jobs, &job->placement);
    jobs->placements[job->placement] = no_placement;
    jobs->placements[job->placement].slot = hs_slot_of(jobs, job);
}

void hs_jobs_end_placement(struct hs_jobs *jobs, struct hs_job *job)
{
    hs_pool_give(&jobs->placement_pool, &jobs->placements[job->placement], job->placement);
    job->placement = 0;
}

static void drop_history(struct hs_jobs *jobs, uint32_t at)
{
    struct hs_job_history *history = &jobs->histories[at];
    while (history->next_attempt != HS_NO_ATTEMPT)
        (void)drop_attempt(jobs, history);
    hs_pool_give(&jobs->history_pool, history, at);
}

static void drop_run(struct hs_jobs *jobs, uint32_t at)
{
    const uint32_t overhead = jobs->runs[at].overhead;
    if (overhead != 0)
        hs_pool_give(&jobs->overhead_pool, &jobs->overheads[overhead], overhead);
    hs_pool_give(&jobs->run_pool, &jobs->runs[at], at);
}

static void drop_training(struct hs_jobs *jobs, uint32_t at)
{
    if (--jobs->training[at].users == 0)
        hs_pool_give(&jobs->training_pool, &jobs->training[at], at);
}

void hs_jobs_remove(struct hs_jobs *jobs, uint32_t slot)
{
    struct hs_job *job = &jobs->jobs[slot];
    const struct hs_job_identity *identity = &jobs->identities[slot];
    if (identity->training != 0)
        drop_training(jobs, identity->training);
    if (identity->request != 0)
        hs_pool_give(&jobs->wish_pool, &jobs->request[identity->request], identity->request);
    if (identity->history != 0)
        drop_history(jobs, identity->history);
    if (job->placement != 0)
        hs_jobs_end_placement(jobs, job);
    if (job->run != 0)
        drop_run(jobs, job->run);
    job->is_live = false;
    hs_pool_give(&jobs->slots, job, slot);
    jobs->live--;
}

static bool has_done_nothing(const struct hs_job_run *run)
{
    const int64_t account_us = run->attained_us | run->run_us | run->overhead_us | run->gpu_us;
    return (run->done_ns | account_us) == 0 && (run->preemptions | run->migrations) == 0 &&
           run->overhead == 0 && run->first_start_us == -1 && run->first_progress_us == -1;
}

static bool has_paid_nothing(const struct hs_sharing_overhead *overhead)
{
    const int64_t spent = overhead->colocated_us | overhead->host_mib_us | overhead->lost_ns;
    return spent == 0 && (overhead->ooms | overhead->switches) == 0 && overhead->at_step_ns == -1;
}

static bool is_nowhere(const struct hs_job_placement *placement)
{
    return placement->first_allocation == HS_NO_ALLOCATION && placement->gpus_held == 0 &&
           !placement->is_active && !placement->is_hosted && placement->slice_group == 0 &&
           placement->synced_us == 0;
}

static bool expects_nothing(const struct hs_job_placement *placement)
{
    bool has_no_rate = placement->rate_q32 == 0 && placement->share_q32 == HS_Q32_ONE &&
                       placement->cap_q32 == HS_Q32_ONE && placement->mem_factor_q32 == HS_Q32_ONE;
    return has_no_rate && placement->finish_us == HS_TIME_MAX && placement->oom_us == HS_TIME_MAX &&
           placement->alarm_ns == HS_TIME_MAX;
}

bool hs_jobs_default_is_valid(const struct hs_jobs *jobs)
{
    const struct hs_job_needs *needs = &jobs->needs[0];
    return has_done_nothing(&jobs->runs[0]) && has_paid_nothing(&jobs->overheads[0]) &&
           is_nowhere(&jobs->placements[0]) && expects_nothing(&jobs->placements[0]) &&
           (jobs->has_needs || needs->mem_claim_mib + needs->gpu_mem_mib == 0);
}

void hs_jobs_free(struct hs_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->slots.high; i++)
        if (jobs->identities[i].is_far)
            hs_free(jobs->identities[i].id_far.text);
    hs_free(jobs->jobs);
    hs_free(jobs->identities);
    hs_free(jobs->needs);
    hs_free(jobs->estimates_us);
    hs_free(jobs->scratch);
    hs_free(jobs->allocations);
    hs_free(jobs->runs);
    hs_free(jobs->placements);
    hs_free(jobs->overheads);
    hs_free(jobs->training);
    hs_free(jobs->request);
    hs_free(jobs->histories);
    hs_free(jobs->attempts);
    *jobs = (struct hs_jobs){0};
}
