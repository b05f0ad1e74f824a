/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Start and end of jobs: submissions, finishes, failed attempts, ends by lack of memory (MODEL.md
 * 3, 5), and records for observers. O(1) per job, plus its GPUs.
 */
#include "engine/state.h"

#include <stdlib.h>

/* ---- observers: a record is built only for an event with one ---- */

static void fill_words(const struct hs_engine *e, const struct hs_job *job,
                       struct hs_job_record *record)
{
    const struct hs_intern *names = &e->names;
    const struct hs_cluster *c = e->cluster;
    const struct hs_job_identity *identity = hs_identity_of(&e->jobs, job);
    const struct hs_training_profile *training = &e->jobs.training[identity->training];
    const uint32_t gpu_type = hs_run_of(&e->jobs, job)->gpu_type;
    record->id = hs_id_of(identity);
    record->model = hs_intern_text(names, training->model);
    record->dataset = hs_intern_text(names, training->dataset);
    record->batch = hs_intern_text(names, training->batch);
    record->precision = hs_intern_text(names, training->precision);
    record->gpu_type = gpu_type < c->type_count ? c->types[gpu_type].name : "";
    record->predicted_util_pm = hs_needs_of(&e->jobs, job)->estimate.util_pm;
    record->estimate_us =
        e->jobs.has_estimates ? e->jobs.estimates_us[hs_slot_of(&e->jobs, job)] : -1;
}

/* Field by field: the values of a compound literal would not fit the registers. */
static void fill_record(const struct hs_engine *e, const struct hs_job *job, bool has_words,
                        struct hs_job_record *record)
{
    const struct hs_job_identity *identity = hs_identity_of(&e->jobs, job);
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_sharing_overhead *overhead = hs_sharing_overhead_of(&e->jobs, job);
    const struct hs_job_history *history = hs_history_of(&e->jobs, job);
    if (has_words) {
        fill_words(e, job, record);
    } else {
        record->id = record->model = record->dataset = record->batch = record->precision =
            record->gpu_type = NULL;
        record->predicted_util_pm = -1;
        record->estimate_us = -1;
    }
    record->user = hs_intern_text(&e->names, identity->user);
    record->vc = hs_intern_text(&e->names, identity->vc_name);
    record->reason = "";
    record->index = job->index;
    record->user_index = identity->user;
    record->vc_index = identity->vc_name;
    record->profile = identity->profile;
    record->slot = hs_slot_of(&e->jobs, job);
    record->gpus = job->gpus;
    record->gpu_milli = job->ask.gpu_milli;
    record->nodes_spanned = run->nodes_spanned;
    record->submit_us = identity->history != 0 ? history->arrived_us : job->submit_us;
    record->first_start_us = history->began_us >= 0 ? history->began_us : run->first_start_us;
    record->finish_us = -1;
    record->work_us = (hs_job_all_ns(&e->jobs, job) + HS_NS_PER_US - 1) / HS_NS_PER_US;
    record->deadline_us = hs_request_of(&e->jobs, job)->deadline_us;
    record->value_milli = 0;
    record->value_most_milli = -1;
    record->done_ns = hs_job_done_ns(&e->jobs, job);
    record->lost_ns = overhead->lost_ns;
    record->run_us = run->run_us;
    record->overhead_us = run->overhead_us;
    record->colocated_us = overhead->colocated_us;
    record->gpu_us = run->gpu_us;
    record->first_progress_us = run->first_progress_us;
    record->host_mib_us = overhead->host_mib_us;
    record->switches = overhead->switches;
    record->job_class = (enum hs_job_class)identity->job_class;
    record->preemptions = run->preemptions;
    record->migrations = run->migrations;
    record->ooms = overhead->ooms;
    record->retries = history->attempt;
    record->gpu_util_pm = job->gpu_util_pm;
    record->profile_from = (enum hs_profile_from)identity->profile_from;
    record->util_from = (enum hs_figure_from)identity->util_from;
    record->mem_from = (enum hs_figure_from)identity->mem_from;
    record->state = (enum hs_job_state)job->state;
    record->outcome = (enum hs_outcome)identity->outcome;
}

static inline const struct hs_observer *next_listener(const struct hs_engine *e, uint32_t *left)
{
    const struct hs_observer *o = &e->observers[HS_CTZ64(*left)];
    *left &= *left - 1;
    return o;
}

static enum hs_status observe_submit(struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_identity *identity = hs_identity_of(&e->jobs, job);
    const struct hs_submission submission = {
        .user = hs_intern_text(&e->names, identity->user),
        .vc = hs_intern_text(&e->names, identity->vc_name),
        .index = job->index,
        .slot = hs_slot_of(&e->jobs, job),
        .work_us = hs_job_all_ns(&e->jobs, job) / HS_NS_PER_US,
        .gpus = job->gpus,
        .gpu_milli = job->ask.gpu_milli,
        .profile = identity->profile,
        .gpu_util_pm = job->gpu_util_pm,
        .util_from = (enum hs_figure_from)identity->util_from,
    };
    for (uint32_t left = e->observes_submit; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_submit(o->ctx, e->now_us, &submission));
    }
    return HS_OK;
}

enum hs_status hs_observe_start_now(struct hs_engine *e, const struct hs_job *job)
{
    struct hs_job_record record;
    fill_record(e, job, e->needs_texts, &record);
    uint32_t count = hs_progress_gpu_ids(e, job);
    for (uint32_t left = e->observes_start; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_start(o->ctx, e->now_us, &record, e->gpu_ids, count));
    }
    return HS_OK;
}

enum hs_status hs_observe_decision(struct hs_engine *e, const struct hs_action *a,
                                   enum hs_decision_kind kind, uint64_t value)
{
    const struct hs_job *job = hs_engine_job(e, a->job);
    struct hs_job_record record;
    fill_record(e, job, e->needs_texts, &record);
    const struct hs_decision decision = {
        .job = &record,
        .kind = kind,
        .triggers = e->plan.triggers,
        .gpus = e->gpu_ids,
        .gpu_count = hs_progress_gpu_ids(e, job),
        .value = value,
        .plan_reason = a->reason != NULL ? a->reason : a->plan_reason,
    };
    for (uint32_t left = e->observes_decision; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_decision(o->ctx, e->now_us, &decision));
    }
    return HS_OK;
}

/* Work since the last checkpoint: at the start of the placement, or whole intervals of work later.
 */
static int64_t unsaved_ns(const struct hs_engine *e, const struct hs_job *job)
{
    const int64_t interval_ns = hs_checkpoint_interval_us(e, job) * HS_NS_PER_US;
    const int64_t done_ns =
        hs_run_of(&e->jobs, job)->done_ns - hs_placement_of(&e->jobs, job)->segment_done_ns;
    return interval_ns > 0 ? done_ns % interval_ns : done_ns;
}

HS_EXPANDED enum hs_status hs_observe_segment(struct hs_engine *e, const struct hs_job *job,
                                              enum hs_segment_end ended_by)
{
    if (e->observes_segment == 0)
        return HS_OK;
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    fill_record(e, job, e->needs_texts, &e->record);
    e->recorded = ended_by == HS_SEGMENT_FINISH ? hs_slot_of(&e->jobs, job) : HS_NO_JOB;
    struct hs_segment segment = {
        .job = &e->record,
        .start_us = placement->segment_start_us,
        .end_us = e->now_us,
        .done_ns = run->done_ns - placement->segment_done_ns,
        .lost_ns = ended_by == HS_SEGMENT_FAULT ? unsaved_ns(e, job) : 0,
        .gpus = e->gpu_ids,
        .gpu_count = hs_progress_gpu_ids(e, job),
        .max_tenants = placement->segment_max_tenants,
        .ended_by = ended_by,
    };
    for (uint32_t left = e->observes_segment; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_segment(o->ctx, &segment));
    }
    return HS_OK;
}

static HS_APART void rate_options(const struct hs_jobs *jobs, uint32_t option,
                                  struct hs_job_record *record)
{
    bool is_met = record->state != HS_JOB_DONE; /* then none counts */
    for (; option != 0; option = jobs->options[option].next) {
        const struct hs_deadline_option *of = &jobs->options[option].of;
        if (of->value_milli > record->value_most_milli)
            record->value_most_milli = of->value_milli;
        if (is_met || record->finish_us - record->submit_us > of->after_us)
            continue;
        record->value_milli = of->value_milli;
        is_met = true;
    }
}

static enum hs_status observe_finish(struct hs_engine *e, const struct hs_job *job,
                                     int64_t finish_us, const char *reason)
{
    struct hs_job_record *record = &e->record;
    if (e->recorded != hs_slot_of(&e->jobs, job))
        fill_record(e, job, e->needs_texts || job->state == HS_JOB_REJECTED, record);
    e->recorded = HS_NO_JOB;
    record->finish_us = finish_us;
    record->reason = reason;
    const uint32_t options = hs_request_of(&e->jobs, job)->options;
    if (HS_UNLIKELY(options != 0))
        rate_options(&e->jobs, options, record);
    for (uint32_t left = e->observes_finish; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_finish(o->ctx, e->now_us, record));
    }
    for (uint32_t left = record->state == HS_JOB_REJECTED ? e->observes_reject : 0; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_reject(o->ctx, e->now_us, record));
    }
    return HS_OK;
}

enum hs_status hs_observe_instant(struct hs_engine *e)
{
    e->instant.time_us = e->now_us;
    e->instant.gpus_out = hs_free_out(e->free_index);
    for (uint32_t left = e->observes_instant; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_instant(o->ctx, &e->instant));
    }
    return HS_OK;
}

/* ---- submission ---- */

HS_EXPANDED void hs_lifecycle_notify_policy(struct hs_engine *e, enum hs_event_kind kind,
                                            struct hs_job *job, uint64_t tag)
{
    if (HS_UNLIKELY(e->windows.serves) && job != NULL && hs_windows_keep(e, kind, job))
        return;
    struct hs_event event = {
        .kind = kind, .job = job != NULL ? hs_slot_of(&e->jobs, job) : HS_NO_JOB, .tag = tag};
    e->triggers |= 1u << kind;
    if (e->policy->on_event != NULL)
        e->policy->on_event(e->policy_state, &e->view, &event);
}

static inline void job_load(struct hs_engine *e, struct hs_job *job)
{
    if ((e->can & HS_CAN_COLOCATE) == 0 || e->policy->load == NULL)
        return;
    if (!e->policy->load(e->policy_state, &e->view, hs_slot_of(&e->jobs, job),
                         hs_needs_of(&e->jobs, job)->load)) {
        job->is_alone = true;
        hs_job_set_claim(&e->jobs, job, hs_oom_claim_mib(e, job, UINT32_MAX));
    }
}

static struct hs_estimate_facts facts_of(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_identity *identity = hs_identity_of(&e->jobs, job);
    return (struct hs_estimate_facts){.index = job->index,
                                      .id = hs_id_of(identity),
                                      .user = identity->user,
                                      .gpus = job->gpus,
                                      .attempt = hs_history_of(&e->jobs, job)->attempt,
                                      .run_us = job->work_ns / HS_NS_PER_US};
}

void hs_lifecycle_enter(struct hs_engine *e, struct hs_job *job)
{
    job->state = HS_JOB_PENDING;
    if (e->estimation != NULL) { /* each attempt counts as a job */
        const struct hs_estimate_facts facts = facts_of(e, job);
        e->jobs.estimates_us[hs_slot_of(&e->jobs, job)] = hs_estimator_us(e->estimation, &facts);
    }
    job_load(e, job);
    e->instant.pending++;
    hs_wait_account_change(&e->wait_account, &job->ask, job->gpus, 1);
    hs_lifecycle_notify_policy(e, HS_EVENT_SUBMIT, job, 0);
}

static enum hs_status job_set_work(struct hs_engine *e, uint32_t slot, const struct hs_trace_job *r)
{
    const int64_t work_ns = r->duration_us * HS_NS_PER_US;
    int64_t sum_us = 0;
    e->work_submitted_ns += (uint64_t)work_ns;
    if (HS_LIKELY(r->attempts == 0)) {
        e->work_submitted_ns += r->duration_rest_ns;
        hs_engine_job(e, slot)->work_ns = work_ns + r->duration_rest_ns;
        return HS_OK;
    }
    for (uint32_t i = 0; i < r->attempts; i++)
        sum_us += r->attempts_us[i];
    if (sum_us != r->duration_us)
        return hs_fail(e->diag, HS_E_INVARIANT, NULL, "the reader must add them up",
                       "the attempts of job '%s' are not its run time", r->id);
    hs_jobs_set_attempts(&e->jobs, slot, r->attempts_us, r->attempts);
    return HS_OK;
}

/* Ends a job with all its work, done or not, as lost. One that has run is not rejected any more. */
static HS_COLD enum hs_status job_lose_all(struct hs_engine *e, struct hs_job *job,
                                           enum hs_job_state state, const char *reason)
{
    const int64_t done_ns = hs_job_done_ns(&e->jobs, job);
    if (hs_run_of(&e->jobs, job)->first_start_us >= 0 ||
        hs_history_of(&e->jobs, job)->began_us >= 0)
        state = HS_JOB_FAILED;
    job->state = (uint8_t)state;
    e->work_done_ns -= (uint64_t)done_ns;
    e->work_lost_ns += (uint64_t)hs_job_all_ns(&e->jobs, job);
    if (done_ns > 0) {
        hs_jobs_begin_run(&e->jobs, job);
        hs_sharing_overhead_of(&e->jobs, job)->lost_ns += done_ns;
        hs_run_of(&e->jobs, job)->done_ns = 0;
        hs_history_of(&e->jobs, job)->past_ns = 0;
    }
    if (state == HS_JOB_REJECTED)
        e->figures.rejected++;
    else
        e->figures.failed++;
    return observe_finish(e, job, state == HS_JOB_REJECTED ? -1 : e->now_us, reason);
}

/* Turns away a job that the policy does not know. */
static HS_COLD enum hs_status job_reject(struct hs_engine *e, struct hs_job *job,
                                         const char *misfit)
{
    HS_TRY(job_lose_all(e, job, HS_JOB_REJECTED, misfit));
    hs_jobs_remove(&e->jobs, hs_slot_of(&e->jobs, job));
    return HS_OK;
}

enum hs_status hs_lifecycle_submit(struct hs_engine *e, const struct hs_trace_job *r)
{
    uint32_t slot;
    if (HS_UNLIKELY(r->gpus > HS_JOB_GPUS_MAX || r->gpu_util_pm > 1000)) /* hs_job stores 16 bits */
        return hs_fail(e->diag, HS_E_INVARIANT, NULL, "the reader must turn it away",
                       "job '%s' wants %u GPUs at %d per mille", r->id, r->gpus, r->gpu_util_pm);
    hs_jobs_add(&e->jobs, &slot);
    struct hs_job *job = hs_engine_job(e, slot);
    *job = (struct hs_job){
        .ask = HS_ASK_ANY, .is_live = true, .index = e->figures.jobs++, .submit_us = e->now_us};
    HS_TRY(job_set_work(e, slot, r));
    hs_jobs_set_id(&e->jobs.identities[slot], r->id);
    const char *misfit = hs_lifecycle_describe(e, job, r);
    HS_TRY(observe_submit(e, job));
    if (misfit != NULL)
        return job_reject(e, job, misfit);
    if (e->jobs.live > e->figures.peak_live_jobs)
        e->figures.peak_live_jobs = e->jobs.live;
    hs_lifecycle_enter(e, job);
    return HS_OK;
}

void hs_lifecycle_book_profile(struct hs_engine *e, const struct hs_job *job,
                               enum hs_policy_counter how)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    e->instant.policy_counter[how]++;
    e->instant.policy_counter[HS_POLICY_COUNTER_PROFILE_GPU_US] +=
        (uint64_t)(e->now_us - placement->segment_start_us) * placement->gpus_held;
}

static inline enum hs_status job_leave(struct hs_engine *e, struct hs_job *job,
                                       enum hs_segment_end why)
{
    e->instant.running--;
    HS_TRY(hs_observe_segment(e, job, why));
    if (HS_UNLIKELY((e->can & HS_CAN_PROFILE) != 0) && job->gpus > 0 &&
        hs_free_is_aside(e->free_index, hs_job_first(e, job)->node))
        hs_lifecycle_book_profile(e, job, HS_POLICY_COUNTER_PROFILE_ENDED);
    if (HS_LIKELY(e->is_exclusive)) {
        hs_exclusive_deallocate(e, job, true);
        return HS_OK;
    }
    hs_tentative_change_job(e, job, true);
    hs_progress_deallocate(e, job);
    return HS_OK;
}

static void lose_since_checkpoint(struct hs_engine *e, struct hs_job *job, int64_t lost_ns)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const bool is_saved = run->done_ns - lost_ns > placement->segment_done_ns;
    if (lost_ns > 0)
        hs_lifecycle_lose_work(e, job, lost_ns);
    run->carry = is_saved ? 0 : placement->segment_carry;
}

/* Ends the attempt of a placed job: for the policy it finishes and is submitted anew. Settings of
 * the policy end with the attempt; knowledge of the job's memory does not. */
static HS_COLD enum hs_status job_resubmit(struct hs_engine *e, struct hs_job *job,
                                           enum hs_segment_end why)
{
    const int64_t lost_ns = why == HS_SEGMENT_FAULT ? unsaved_ns(e, job) : 0;
    job->state = HS_JOB_FAILED;
    HS_TRY(job_leave(e, job, why));
    if (why == HS_SEGMENT_FAULT)
        lose_since_checkpoint(e, job, lost_ns);
    hs_lifecycle_notify_policy(e, HS_EVENT_FINISH, job, 0);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    if (why != HS_SEGMENT_FAILURE)
        hs_jobs_interrupt(&e->jobs, hs_slot_of(&e->jobs, job));
    struct hs_job_history *history = hs_history_of(&e->jobs, job);
    if (history->began_us < 0)
        history->began_us = run->first_start_us;
    if (why == HS_SEGMENT_FAILURE)
        hs_jobs_retry(&e->jobs, hs_slot_of(&e->jobs, job));
    hs_jobs_end_placement(&e->jobs, job);
    job->submit_us = e->now_us; /* a new job for the policy */
    run->first_start_us = -1;
    run->overhead.at_step_ns = -1;
    run->attained_us = 0;
    run->cost_left_us =
        e->config.startup_us + (why != HS_SEGMENT_FAILURE ? e->config.restart_us : 0);
    if (e->jobs.has_needs)
        hs_needs_of(&e->jobs, job)->mem_limit_mib = 0;
    (void)hs_gpu_memory_update(e, job); /* holds no GPU: no other job is affected */
    hs_job_set_claim(&e->jobs, job, hs_oom_claim_mib(e, job, UINT32_MAX));
    hs_lifecycle_enter(e, job);
    return HS_OK;
}

enum hs_status hs_lifecycle_interrupt(struct hs_engine *e, struct hs_job *job,
                                      enum hs_segment_end why)
{
    hs_progress_sync(e, job);
    hs_heap_remove(&e->job_events, job->placement);
    e->figures.interrupts++;
    return job_resubmit(e, job, why);
}

enum hs_status hs_lifecycle_finish(struct hs_engine *e, struct hs_job *job)
{
    if (e->estimation != NULL) { /* before the policy is notified; per attempt */
        const struct hs_estimate_facts facts = facts_of(e, job);
        hs_estimator_learn(e->estimation, &facts, hs_run_of(&e->jobs, job)->attained_us);
    }
    if (hs_history_of(&e->jobs, job)->next_attempt != HS_NO_ATTEMPT)
        return job_resubmit(e, job, HS_SEGMENT_FAILURE);
    job->state = HS_JOB_DONE;
    e->figures.finished++;
    HS_TRY(job_leave(e, job, HS_SEGMENT_FINISH));
    HS_TRY(observe_finish(e, job, e->now_us, ""));
    hs_lifecycle_notify_policy(e, HS_EVENT_FINISH, job, 0);
    hs_jobs_remove(&e->jobs, hs_slot_of(&e->jobs, job));
    return HS_OK;
}

enum hs_status hs_lifecycle_abandon(struct hs_engine *e, struct hs_job *job,
                                    enum hs_job_state state, const char *reason)
{
    if (job->state == HS_JOB_PENDING)
        e->instant.pending--;
    else
        e->instant.suspended--;
    hs_wait_account_change(&e->wait_account, &job->ask, job->gpus, -1);
    e->plan.has_ended_job = true;
    HS_TRY(job_lose_all(e, job, state, reason));
    hs_lifecycle_notify_policy(e, HS_EVENT_FINISH, job, 0);
    hs_jobs_remove(&e->jobs, hs_slot_of(&e->jobs, job));
    return HS_OK;
}

static int live_compare(const void *a, const void *b)
{
    const struct hs_live_job *x = a, *y = b;
    return HS_ORDER(x->index, y->index);
}

struct hs_live_job *hs_lifecycle_live(const struct hs_engine *e)
{
    struct hs_live_job *live = hs_alloc_zeroed(e->jobs.live + 1, sizeof *live);
    size_t count = 0;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++)
        if (e->jobs.jobs[slot].is_live)
            live[count++] = (struct hs_live_job){e->jobs.jobs[slot].index, slot};
    qsort(live, count, sizeof *live, live_compare); /* a total order: indices are unique */
    return live;
}

enum hs_status hs_lifecycle_cut(struct hs_engine *e)
{
    struct hs_live_job *live = hs_lifecycle_live(e);
    enum hs_status status = HS_OK;
    for (size_t i = 0; i < e->jobs.live && status == HS_OK; i++) {
        struct hs_job *job = hs_engine_job(e, live[i].slot);
        hs_progress_sync(e, job);
        if (hs_job_is_placed(job))
            status = hs_observe_segment(e, job, HS_SEGMENT_HORIZON);
        if (status == HS_OK)
            status = observe_finish(e, job, -1, "");
    }
    e->figures.unfinished = e->jobs.live;
    hs_free(live);
    return status;
}

uint32_t hs_oom_claim_mib(const struct hs_engine *e, const struct hs_job *job, uint32_t limit_mib)
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

/* The next estimate is 1.25 times the observed use (our choice: a quarter of headroom). */
static void job_learn_memory(const struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    uint64_t seen_mib = (uint64_t)needs->gpu_mem_mib + needs->gpu_mem_mib / 4;
    /* Of the GPUs that it may use; types without stated memory are no limit. */
    uint32_t most_mib = 0;
    for (uint32_t t = 0; t < e->cluster->type_count; t++) {
        const uint32_t mib = e->cluster->types[t].mem_mib;
        if ((job->ask.type_mask >> t & 1) != 0 && (mib == 0 || mib > most_mib))
            most_mib = mib == 0 ? UINT32_MAX : mib;
    }
    if (seen_mib > most_mib)
        seen_mib = most_mib;
    if (needs->estimate.mem_mib < seen_mib)
        needs->estimate.mem_mib = (uint32_t)seen_mib;
    job->is_alone =
        job->is_alone || hs_sharing_overhead_of(&e->jobs, job)->ooms >= e->config.oom_retries;
    needs->mem_claim_mib = hs_gpu_memory_claim_mib(e, job, NULL); /* its limit remains */
}

void hs_lifecycle_lose_work(struct hs_engine *e, struct hs_job *job, int64_t lost_ns)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    lost_ns = lost_ns < run->done_ns ? lost_ns : run->done_ns;
    run->overhead.lost_ns += lost_ns;
    run->done_ns -= lost_ns;
    if (job->placement != 0) /* what its segment did does not change */
        hs_placement_of(&e->jobs, job)->segment_done_ns -= lost_ns;
    e->work_done_ns -= (uint64_t)lost_ns;
}

void hs_lifecycle_lose_placement(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    hs_lifecycle_lose_work(e, job, run->done_ns - placement->segment_done_ns);
    run->carry = placement->segment_carry; /* earned before: not lost */
}

/* ---- a fork ---- */

enum hs_status hs_lifecycle_leave(struct hs_engine *e, struct hs_job *job)
{
    hs_progress_sync(e, job);
    if (hs_job_is_placed(job)) {
        HS_TRY(job_leave(e, job, HS_SEGMENT_FORK));
        hs_jobs_end_placement(&e->jobs, job);
    }
    job->plan = 0; /* its rate is no longer due */
    return HS_OK;
}

enum hs_status hs_lifecycle_take(struct hs_engine *e, struct hs_job *job,
                                 const struct hs_trace_job *r)
{
    struct hs_sharing_overhead *overhead = hs_sharing_overhead_of(&e->jobs, job);
    const int64_t done_ns = hs_run_of(&e->jobs, job)->done_ns;
    job->ask = HS_ASK_ANY;
    job->is_alone = job->is_profiled = job->is_apart = false;
    const char *misfit = hs_lifecycle_describe(e, job, r);
    if (misfit != NULL)
        return job_reject(e, job, misfit);
    if (job->run != 0)
        overhead->at_step_ns = -1;
    if (!e->jobs.has_needs)
        return HS_OK;
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    needs->mem_limit_mib = 0;
    if (done_ns >= needs->later_ns && (e->knows & HS_KNOWS_MEMORY) != 0)
        needs->estimate.mem_mib = needs->gpu_mem_later_mib;
    (void)hs_gpu_memory_update(e, job); /* holds no GPU: no other job is affected */
    if (overhead->ooms > 0)
        job_learn_memory(e, job);
    hs_job_set_claim(&e->jobs, job, hs_oom_claim_mib(e, job, UINT32_MAX));
    return HS_OK;
}

enum hs_status hs_oom(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    struct hs_sharing_overhead *overhead = hs_sharing_overhead_of(&e->jobs, job);
    overhead->ooms++;
    hs_tentative_change_job(e, job, true);
    HS_TRY(hs_observe_segment(e, job, HS_SEGMENT_OOM));
    hs_progress_deallocate(e, job);
    hs_lifecycle_lose_placement(e, job);
    job->state = HS_JOB_SUSPENDED;
    run->cost_left_us = placement->segment_cost_us; /* the costs of its start are due again */
    hs_jobs_end_placement(&e->jobs, job);
    e->instant.running--;
    e->instant.suspended++;
    hs_wait_account_change(&e->wait_account, &job->ask, job->gpus, 1);
    job_learn_memory(e, job);
    (void)hs_gpu_memory_update(e, job); /* it may be back where it needed less */
    job_load(e, job);
    hs_lifecycle_notify_policy(e, HS_EVENT_STOPPED, job, 0);
    return HS_OK;
}
