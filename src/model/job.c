/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slots, allocations and the records of jobs are pools: nothing is allocated after the largest
 * number of live jobs, held GPUs and future attempts was reached.
 */
#include "model/job.h"

/* The default records: a job that was never placed, with unknown needs, no request, one attempt. */
static const struct hs_job_run no_run = {
    .gpu_type = HS_NO_GPU_TYPE,
    .first_start_us = -1,
    .first_progress_us = -1,
    .overhead = {.at_step_ns = -1},
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
static const struct hs_job_needs no_needs = {
    .later_ns = HS_TIME_MAX,
    .estimate = {.util_pm = -1, .util_peak_pm = -1},
};
static const struct hs_job_request no_request = {
    .deadline_us = -1, .preempt_cost_us = -1, .loss = HS_LOSS_UNKNOWN};
static const struct hs_job_history no_history = {.next_attempt = HS_NO_ATTEMPT, .began_us = -1};

uint32_t hs_jobs_add_training(struct hs_jobs *jobs, struct hs_training_profile training)
{
    const uint32_t at = hs_pool_take(&jobs->training_pool, jobs->training);
    jobs->training[at] = training;
    return at;
}

uint32_t hs_jobs_add_request(struct hs_jobs *jobs, struct hs_job_request request)
{
    const uint32_t at = hs_pool_take(&jobs->request_pool, jobs->request);
    jobs->request[at] = request;
    return at;
}

uint32_t hs_jobs_add_options(struct hs_jobs *jobs, const struct hs_deadline_option *options,
                             uint32_t count)
{
    uint32_t next = 0;
    while (count-- > 0) { /* from the end */
        const uint32_t at = hs_pool_take(&jobs->option_pool, jobs->options);
        jobs->options[at] = (struct hs_job_option){options[count], next};
        next = at;
    }
    return next;
}

void hs_jobs_init(struct hs_jobs *jobs, uint32_t scratch_size)
{
    uint32_t at; /* 0 in each pool */
    *jobs = (struct hs_jobs){.scratch_size = scratch_size > 0 ? scratch_size : 1};
    at = hs_pool_take(&jobs->run_pool, jobs->runs);
    jobs->runs[at] = no_run;
    at = hs_pool_take(&jobs->placement_pool, jobs->placements);
    jobs->placements[at] = no_placement;
    at = hs_pool_take(&jobs->history_pool, jobs->histories);
    jobs->histories[at] = no_history;
    (void)hs_jobs_add_training(jobs, (struct hs_training_profile){.users = 1});
    (void)hs_jobs_add_request(jobs, no_request);
    (void)hs_pool_take(&jobs->option_pool, jobs->options);
    hs_grow_bare(jobs->needs, jobs->needs_cap, 1, HS_LIVE_JOBS_MAX);
    jobs->needs[0] = no_needs;
}

static HS_APART void slots_grow(struct hs_jobs *jobs, uint64_t need)
{
    hs_grow_bare(jobs->identities, jobs->label_cap, need, HS_LIVE_JOBS_MAX);
    hs_make_bare_room((void **)&jobs->scratch, &jobs->scratch_cap, need, jobs->scratch_size,
                      HS_LIVE_JOBS_MAX);
    if (jobs->has_needs)
        hs_grow_bare(jobs->needs, jobs->needs_cap, need, HS_LIVE_JOBS_MAX);
    if (jobs->has_estimates)
        hs_grow_bare(jobs->estimates_us, jobs->estimate_cap, need, HS_LIVE_JOBS_MAX);
}

void hs_jobs_know_needs(struct hs_jobs *jobs)
{
    jobs->has_needs = true;
    slots_grow(jobs, jobs->slots.high);
    for (uint32_t slot = 0; slot < jobs->slots.high; slot++)
        jobs->needs[slot] = no_needs;
}

static void clear_scratch(struct hs_jobs *jobs, uint32_t slot)
{
    memset(jobs->scratch + (size_t)slot * jobs->scratch_size, 0, jobs->scratch_size);
}

void hs_jobs_add(struct hs_jobs *jobs, uint32_t *slot)
{
    const uint32_t high = jobs->slots.high;
    if (jobs->slots.first == 0) /* none to reuse */
        slots_grow(jobs, (uint64_t)high + 1);
    *slot = hs_pool_take(&jobs->slots, jobs->jobs);
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

void hs_jobs_set_id(struct hs_job_identity *identity, const char *id)
{
    const size_t size = strlen(id) + 1;
    if (size <= HS_ID_NEAR && !identity->is_far) {
        memcpy(identity->id_near, id, size);
        return;
    }
    if (!identity->is_far) {
        identity->id_far.text = NULL;
        identity->id_far.cap = 0;
        identity->is_far = true;
    }
    hs_grow_bare(identity->id_far.text, identity->id_far.cap, size, HS_JOB_ID_MAX + 1);
    memcpy(identity->id_far.text, id, size);
}

/* Removes the first attempt from a job's chain and returns its run time. */
static int64_t drop_attempt(struct hs_jobs *jobs, struct hs_job_history *history)
{
    uint32_t attempt = history->next_attempt;
    const struct hs_attempt dropped = jobs->attempts[attempt];
    hs_pool_give(&jobs->attempt_pool, &jobs->attempts[attempt], attempt);
    history->next_attempt = dropped.next;
    return dropped.work_us;
}

static struct hs_job_history *begin_history(struct hs_jobs *jobs, uint32_t slot)
{
    const uint32_t at = hs_pool_take(&jobs->history_pool, jobs->histories);
    jobs->identities[slot].history = at;
    jobs->histories[at] = no_history;
    jobs->histories[at].arrived_us = jobs->jobs[slot].submit_us;
    return &jobs->histories[at];
}

void hs_jobs_set_attempts(struct hs_jobs *jobs, uint32_t slot, const int64_t *attempts_us,
                          uint32_t count)
{
    struct hs_job *job = &jobs->jobs[slot];
    job->work_ns = attempts_us[0] * HS_NS_PER_US;
    if (count == 1)
        return;
    struct hs_job_history *history = begin_history(jobs, slot);
    for (uint32_t i = count; i-- > 1;) { /* in reverse: the chain begins with the next attempt */
        const uint32_t attempt = hs_pool_take(&jobs->attempt_pool, jobs->attempts);
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

void hs_jobs_interrupt(struct hs_jobs *jobs, uint32_t slot)
{
    if (jobs->identities[slot].history == 0)
        begin_history(jobs, slot)->all_ns = jobs->jobs[slot].work_ns;
    clear_scratch(jobs, slot);
}

HS_EXPANDED void hs_jobs_begin_run(struct hs_jobs *jobs, struct hs_job *job)
{
    if (job->run != 0)
        return;
    job->run = hs_pool_take(&jobs->run_pool, jobs->runs);
    jobs->runs[job->run] = jobs->runs[0]; /* as for a job never placed */
}

HS_EXPANDED void hs_jobs_begin_placement(struct hs_jobs *jobs, struct hs_job *job)
{
    hs_jobs_begin_run(jobs, job);
    if (job->placement != 0)
        return;
    job->placement = hs_pool_take(&jobs->placement_pool, jobs->placements);
    jobs->placements[job->placement] = jobs->placements[0];
    jobs->placements[job->placement].slot = hs_slot_of(jobs, job);
}

void hs_jobs_end_placement(struct hs_jobs *jobs, struct hs_job *job)
{
    hs_pool_give(&jobs->placement_pool, &jobs->placements[job->placement], job->placement);
    job->placement = 0;
}

void hs_jobs_drop_training(struct hs_jobs *jobs, struct hs_job_identity *identity)
{
    if (identity->training != 0 && --jobs->training[identity->training].users == 0)
        hs_pool_give(&jobs->training_pool, &jobs->training[identity->training], identity->training);
    identity->training = 0;
}

void hs_jobs_remove(struct hs_jobs *jobs, uint32_t slot)
{
    struct hs_job *job = &jobs->jobs[slot];
    struct hs_job_identity *identity = &jobs->identities[slot];
    hs_jobs_drop_training(jobs, identity);
    if (identity->request != 0) {
        uint32_t option = jobs->request[identity->request].options;
        while (option != 0) {
            const uint32_t next = jobs->options[option].next;
            hs_pool_give(&jobs->option_pool, &jobs->options[option], option);
            option = next;
        }
        hs_pool_give(&jobs->request_pool, &jobs->request[identity->request], identity->request);
    }
    if (identity->history != 0) {
        struct hs_job_history *history = &jobs->histories[identity->history];
        while (history->next_attempt != HS_NO_ATTEMPT)
            (void)drop_attempt(jobs, history);
        hs_pool_give(&jobs->history_pool, history, identity->history);
    }
    if (job->placement != 0)
        hs_jobs_end_placement(jobs, job);
    if (job->run != 0)
        hs_pool_give(&jobs->run_pool, &jobs->runs[job->run], job->run);
    job->is_live = false;
    hs_pool_give(&jobs->slots, job, slot);
    jobs->live--;
}

bool hs_jobs_default_is_valid(const struct hs_jobs *jobs)
{
    struct hs_job_run run = no_run;
    run.cost_left_us = jobs->runs[0].cost_left_us; /* set by the engine for a first start */
    return memcmp(&jobs->runs[0], &run, sizeof run) == 0 &&
           memcmp(&jobs->placements[0], &no_placement, sizeof no_placement) == 0 &&
           (jobs->has_needs || jobs->needs[0].mem_claim_mib + jobs->needs[0].gpu_mem_mib == 0);
}

void hs_jobs_take_over(struct hs_jobs *jobs, struct hs_jobs *from)
{
    const struct hs_jobs own = *jobs;
    hs_jobs_free(jobs);
    *jobs = *from;
    *from = (struct hs_jobs){0};
    hs_free(jobs->scratch);
    jobs->scratch = NULL;
    jobs->scratch_cap = 0;
    jobs->scratch_size = own.scratch_size;
    jobs->are_all_elastic = own.are_all_elastic;
    jobs->has_estimates = own.has_estimates;
    if (own.has_needs && !jobs->has_needs)
        hs_jobs_know_needs(jobs);
    else
        slots_grow(jobs, jobs->slots.high);
    for (uint32_t slot = 0; slot < jobs->slots.high; slot++)
        clear_scratch(jobs, slot);
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
    hs_free(jobs->training);
    hs_free(jobs->request);
    hs_free(jobs->options);
    hs_free(jobs->histories);
    hs_free(jobs->attempts);
    *jobs = (struct hs_jobs){0};
}
