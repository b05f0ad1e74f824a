/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slots, seats, and the records beside them: pools, no allocation once the largest number of live
 * jobs, of held GPUs and of attempts to come has been seen.
 */
#include "model/job.h"

/* What is true of a job that was never placed, of whose needs nobody knows, that has no wishes and
 * but one attempt. */
static const struct hs_job_run no_run = {
    .gpu_type = HS_NO_GPU_TYPE,
    .first_start_us = -1,
    .first_progress_us = -1,
};
static const struct hs_job_stay no_stay = {
    .finish_us = HS_TIME_MAX,
    .oom_us = HS_TIME_MAX,
    .alarm_ns = HS_TIME_MAX,
    .first_seat = HS_NO_SEAT,
    .share_q32 = HS_Q32_ONE,
    .cap_q32 = HS_Q32_ONE,
    .mem_factor_q32 = HS_Q32_ONE,
};
static const struct hs_job_toll no_toll = {.at_step_ns = -1};
static const struct hs_job_needs no_needs = {
    .later_ns = HS_TIME_MAX,
    .estimate = {.util_pm = -1, .util_peak_pm = -1},
};
static const struct hs_job_wishes no_wishes = {.deadline_us = -1, .preempt_cost_us = -1};
static const struct hs_job_history no_history = {.next_attempt = HS_NO_ATTEMPT, .began_us = -1};

static enum hs_status take_run(struct hs_jobs *jobs, uint32_t *run)
{
    return hs_pool_take(&jobs->run_pool, (void **)&jobs->runs, sizeof *jobs->runs, run);
}

static enum hs_status take_stay(struct hs_jobs *jobs, uint32_t *stay)
{
    return hs_pool_take(&jobs->stay_pool, (void **)&jobs->stays, sizeof *jobs->stays, stay);
}

static enum hs_status take_toll(struct hs_jobs *jobs, uint32_t *toll)
{
    return hs_pool_take(&jobs->toll_pool, (void **)&jobs->tolls, sizeof *jobs->tolls, toll);
}

static enum hs_status take_history(struct hs_jobs *jobs, uint32_t *history)
{
    return hs_pool_take(&jobs->history_pool, (void **)&jobs->histories, sizeof *jobs->histories,
                        history);
}

enum hs_status hs_jobs_add_traits(struct hs_jobs *jobs, uint32_t *at)
{
    HS_TRY(hs_pool_take(&jobs->trait_pool, (void **)&jobs->traits, sizeof *jobs->traits, at));
    jobs->traits[*at] = (struct hs_job_traits){.users = 1};
    return HS_OK;
}

enum hs_status hs_jobs_add_wishes(struct hs_jobs *jobs, uint32_t *at)
{
    HS_TRY(hs_pool_take(&jobs->wish_pool, (void **)&jobs->wishes, sizeof *jobs->wishes, at));
    jobs->wishes[*at] = no_wishes;
    return HS_OK;
}

static enum hs_status grow_needs(struct hs_jobs *jobs, uint64_t need)
{
    return hs_grow_bare((void **)&jobs->needs, &jobs->needs_cap, need, sizeof *jobs->needs,
                        HS_LIVE_JOBS_MAX);
}

enum hs_status hs_jobs_init(struct hs_jobs *jobs, uint32_t scratch_size)
{
    uint32_t nobody;
    *jobs = (struct hs_jobs){.scratch_size = scratch_size > 0 ? scratch_size : 1};
    HS_TRY(take_run(jobs, &nobody));
    jobs->runs[nobody] = no_run;
    HS_TRY(take_stay(jobs, &nobody));
    jobs->stays[nobody] = no_stay;
    HS_TRY(take_toll(jobs, &nobody));
    jobs->tolls[nobody] = no_toll;
    HS_TRY(take_history(jobs, &nobody));
    jobs->histories[nobody] = no_history;
    HS_TRY(hs_jobs_add_traits(jobs, &nobody));
    HS_TRY(hs_jobs_add_wishes(jobs, &nobody));
    HS_TRY(grow_needs(jobs, 1));
    jobs->needs[0] = no_needs;
    return HS_OK;
}

enum hs_status hs_jobs_know_needs(struct hs_jobs *jobs)
{
    HS_TRY(grow_needs(jobs, jobs->slots.high));
    for (uint32_t slot = 0; slot < jobs->slots.high; slot++)
        jobs->needs[slot] = no_needs;
    jobs->has_needs = true;
    return HS_OK;
}

static enum hs_status grow_estimates(struct hs_jobs *jobs, uint64_t need)
{
    return hs_grow_bare((void **)&jobs->estimates_us, &jobs->estimate_cap, need,
                        sizeof *jobs->estimates_us, HS_LIVE_JOBS_MAX);
}

enum hs_status hs_jobs_know_estimates(struct hs_jobs *jobs)
{
    jobs->has_estimates = true;
    return grow_estimates(jobs, 1);
}

static void clear_scratch(struct hs_jobs *jobs, uint32_t slot)
{
    memset(jobs->scratch + (size_t)slot * jobs->scratch_size, 0, jobs->scratch_size);
}

/* Room for slot `high` in every parallel array. */
static HS_APART enum hs_status slots_grow(struct hs_jobs *jobs)
{
    uint64_t need = (uint64_t)jobs->slots.high + 1;
    HS_TRY(hs_grow_bare((void **)&jobs->labels, &jobs->label_cap, need, sizeof *jobs->labels,
                        HS_LIVE_JOBS_MAX));
    if (jobs->has_needs)
        HS_TRY(grow_needs(jobs, need));
    if (jobs->has_estimates)
        HS_TRY(grow_estimates(jobs, need));
    HS_TRY(hs_grow_bare((void **)&jobs->scratch, &jobs->scratch_cap, need, jobs->scratch_size,
                        HS_LIVE_JOBS_MAX));
    return HS_OK;
}

enum hs_status hs_jobs_add(struct hs_jobs *jobs, uint32_t *slot)
{
    const uint32_t high = jobs->slots.high;
    if (jobs->slots.first == 0) /* none to use again */
        HS_TRY(slots_grow(jobs));
    HS_TRY(hs_pool_take(&jobs->slots, (void **)&jobs->jobs, sizeof *jobs->jobs, slot));
    struct hs_job_label *label = &jobs->labels[*slot];
    if (*slot == high)
        label->is_far = false;
    label->traits = label->wishes = label->history = 0;
    if (jobs->has_needs)
        jobs->needs[*slot] = no_needs;
    if (jobs->has_estimates)
        jobs->estimates_us[*slot] = -1;
    clear_scratch(jobs, *slot);
    if (jobs->slots.first != 0) /* for who comes next: nobody has looked there since it was left */
        hs_jobs_expect(jobs, jobs->slots.first - 1);
    jobs->live++;
    return HS_OK;
}

static HS_APART enum hs_status set_far_id(struct hs_job_label *label, const char *id, size_t size)
{
    if (!label->is_far) {
        label->id_far.text = NULL;
        label->id_far.cap = 0;
        label->is_far = true;
    }
    HS_TRY(
        hs_grow_bare((void **)&label->id_far.text, &label->id_far.cap, size, 1, HS_JOB_ID_MAX + 1));
    memcpy(label->id_far.text, id, size);
    return HS_OK;
}

enum hs_status hs_jobs_set_id(struct hs_job_label *label, const char *id)
{
    size_t size = strlen(id) + 1;
    if (HS_UNLIKELY(size > HS_ID_NEAR || label->is_far))
        return set_far_id(label, id, size);
    memcpy(label->id_near, id, size);
    return HS_OK;
}

static enum hs_status take_attempt(struct hs_jobs *jobs, uint32_t *attempt)
{
    return hs_pool_take(&jobs->attempt_pool, (void **)&jobs->attempts, sizeof *jobs->attempts,
                        attempt);
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

enum hs_status hs_jobs_set_attempts(struct hs_jobs *jobs, uint32_t slot, const int64_t *attempts_us,
                                    uint32_t count)
{
    struct hs_job *job = &jobs->jobs[slot];
    job->work_ns = attempts_us[0] * HS_NS_PER_US;
    if (count == 1)
        return HS_OK;
    HS_TRY(take_history(jobs, &jobs->labels[slot].history));
    struct hs_job_history *history = &jobs->histories[jobs->labels[slot].history];
    *history = no_history;
    history->arrived_us = job->submit_us;
    for (uint32_t i = count; i-- > 1;) { /* from the end: the chain begins with what comes next */
        uint32_t attempt;
        HS_TRY(take_attempt(jobs, &attempt));
        jobs->attempts[attempt] =
            (struct hs_attempt){.work_us = attempts_us[i], .next = history->next_attempt};
        history->next_attempt = attempt;
        history->all_ns += attempts_us[i] * HS_NS_PER_US;
    }
    history->all_ns += job->work_ns;
    return HS_OK;
}

void hs_jobs_retry(struct hs_jobs *jobs, uint32_t slot)
{
    struct hs_job *job = &jobs->jobs[slot];
    struct hs_job_history *history = &jobs->histories[jobs->labels[slot].history];
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

HS_EXPANDED enum hs_status hs_jobs_begin_run(struct hs_jobs *jobs, struct hs_job *job)
{
    if (job->run != 0)
        return HS_OK;
    HS_TRY(take_run(jobs, &job->run));
    jobs->runs[job->run] = jobs->runs[0]; /* as one who was never placed */
    return HS_OK;
}

enum hs_status hs_jobs_begin_toll(struct hs_jobs *jobs, struct hs_job *job)
{
    HS_TRY(hs_jobs_begin_run(jobs, job));
    struct hs_job_run *run = hs_run_of(jobs, job);
    if (run->toll != 0)
        return HS_OK;
    HS_TRY(take_toll(jobs, &run->toll));
    jobs->tolls[run->toll] = no_toll;
    return HS_OK;
}

HS_EXPANDED enum hs_status hs_jobs_begin_stay(struct hs_jobs *jobs, struct hs_job *job)
{
    HS_TRY(hs_jobs_begin_run(jobs, job));
    if (jobs->has_needs)
        HS_TRY(hs_jobs_begin_toll(jobs, job));
    if (job->stay != 0)
        return HS_OK;
    HS_TRY(take_stay(jobs, &job->stay));
    jobs->stays[job->stay] = no_stay;
    jobs->stays[job->stay].slot = hs_slot_of(jobs, job);
    return HS_OK;
}

void hs_jobs_end_stay(struct hs_jobs *jobs, struct hs_job *job)
{
    hs_pool_give(&jobs->stay_pool, &jobs->stays[job->stay], job->stay);
    job->stay = 0;
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
    const uint32_t toll = jobs->runs[at].toll;
    if (toll != 0)
        hs_pool_give(&jobs->toll_pool, &jobs->tolls[toll], toll);
    hs_pool_give(&jobs->run_pool, &jobs->runs[at], at);
}

static void drop_traits(struct hs_jobs *jobs, uint32_t at)
{
    if (--jobs->traits[at].users == 0)
        hs_pool_give(&jobs->trait_pool, &jobs->traits[at], at);
}

void hs_jobs_remove(struct hs_jobs *jobs, uint32_t slot)
{
    struct hs_job *job = &jobs->jobs[slot];
    const struct hs_job_label *label = &jobs->labels[slot];
    if (label->traits != 0)
        drop_traits(jobs, label->traits);
    if (label->wishes != 0)
        hs_pool_give(&jobs->wish_pool, &jobs->wishes[label->wishes], label->wishes);
    if (label->history != 0)
        drop_history(jobs, label->history);
    if (job->stay != 0)
        hs_jobs_end_stay(jobs, job);
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
           run->toll == 0 && run->first_start_us == -1 && run->first_progress_us == -1;
}

static bool has_paid_nothing(const struct hs_job_toll *toll)
{
    const int64_t spent = toll->colocated_us | toll->host_mib_us | toll->lost_ns;
    return spent == 0 && (toll->ooms | toll->switches) == 0 && toll->at_step_ns == -1;
}

static bool is_nowhere(const struct hs_job_stay *stay)
{
    return stay->first_seat == HS_NO_SEAT && stay->gpus_held == 0 && !stay->is_active &&
           !stay->is_hosted && stay->lane == 0 && stay->synced_us == 0;
}

static bool expects_nothing(const struct hs_job_stay *stay)
{
    bool has_no_rate = stay->rate_q32 == 0 && stay->share_q32 == HS_Q32_ONE &&
                       stay->cap_q32 == HS_Q32_ONE && stay->mem_factor_q32 == HS_Q32_ONE;
    return has_no_rate && stay->finish_us == HS_TIME_MAX && stay->oom_us == HS_TIME_MAX &&
           stay->alarm_ns == HS_TIME_MAX;
}

bool hs_jobs_nobody_is_valid(const struct hs_jobs *jobs)
{
    const struct hs_job_needs *needs = &jobs->needs[0];
    return has_done_nothing(&jobs->runs[0]) && has_paid_nothing(&jobs->tolls[0]) &&
           is_nowhere(&jobs->stays[0]) && expects_nothing(&jobs->stays[0]) &&
           (jobs->has_needs || needs->mem_claim_mib + needs->gpu_mem_mib == 0);
}

void hs_jobs_free(struct hs_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->slots.high; i++)
        if (jobs->labels[i].is_far)
            hs_free(jobs->labels[i].id_far.text);
    hs_free(jobs->jobs);
    hs_free(jobs->labels);
    hs_free(jobs->needs);
    hs_free(jobs->estimates_us);
    hs_free(jobs->scratch);
    hs_free(jobs->seats);
    hs_free(jobs->runs);
    hs_free(jobs->stays);
    hs_free(jobs->tolls);
    hs_free(jobs->traits);
    hs_free(jobs->wishes);
    hs_free(jobs->histories);
    hs_free(jobs->attempts);
    *jobs = (struct hs_jobs){0};
}
