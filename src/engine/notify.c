/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From live jobs to the records of horus/observe.h. A record is built only for an event with an
 * observer.
 */
#include "engine/notify.h"

#include "engine/progress.h"

/* The estimate that the policy got, or would have got; -1 = none. */
static int64_t estimate_us(const struct hs_engine *e, const struct hs_job *job)
{
    if (!e->estimates_are_true)
        return e->jobs.has_estimates ? e->jobs.estimates_us[hs_slot_of(&e->jobs, job)] : -1;
    /* rejected at its submission, not by a plan */
    bool is_misfit = job->state == HS_JOB_REJECTED && (job->plan & HS_PLAN_ENDED) == 0;
    return is_misfit ? -1 : job->work_ns / HS_NS_PER_US;
}

/* Fields that only writers of rows need. */
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
    record->estimate_us = estimate_us(e, job);
}

/* Field by field: of a literal all values are found before the first is put down, and few of them
 * fit the registers. */
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
    record->gpus = job->gpus;
    record->gpu_milli = job->ask.gpu_milli;
    record->nodes_spanned = run->nodes_spanned;
    record->submit_us = identity->history != 0 ? history->arrived_us : job->submit_us;
    record->first_start_us = history->began_us >= 0 ? history->began_us : run->first_start_us;
    record->finish_us = -1;
    record->work_us = hs_job_all_ns(&e->jobs, job) / HS_NS_PER_US;
    record->deadline_us = hs_request_of(&e->jobs, job)->deadline_us;
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
    record->state = (enum hs_job_state)job->state;
    record->outcome = (enum hs_outcome)identity->outcome;
}

/* The next observer of the set, which is taken out of it. */
static inline const struct hs_observer *next_listener(const struct hs_engine *e, uint32_t *left)
{
    const struct hs_observer *o = &e->observers[HS_CTZ64(*left)];
    *left &= *left - 1;
    return o;
}

enum hs_status hs_observe_submit(struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_identity *identity = hs_identity_of(&e->jobs, job);
    const struct hs_submission submission = {
        .user = hs_intern_text(&e->names, identity->user),
        .vc = hs_intern_text(&e->names, identity->vc_name),
        .index = job->index,
        .work_us = hs_job_all_ns(&e->jobs, job) / HS_NS_PER_US,
        .gpus = job->gpus,
        .gpu_milli = job->ask.gpu_milli,
        .profile = identity->profile,
        .gpu_util_pm = job->gpu_util_pm,
    };
    for (uint32_t left = e->hears_submit; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_submit(o->ctx, e->now_us, &submission));
    }
    return HS_OK;
}

enum hs_status hs_observe_start(struct hs_engine *e, struct hs_job *job)
{
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    placement->segment_start_us = e->now_us;
    placement->segment_done_ns = run->done_ns;
    placement->segment_carry = run->carry;
    placement->segment_cost_us = run->cost_left_us;
    if (e->hears_start == 0)
        return HS_OK;
    struct hs_job_record record;
    fill_record(e, job, e->tells_words, &record);
    uint32_t count = hs_progress_gpu_ids(e, job, e->gpu_ids);
    for (uint32_t left = e->hears_start; left != 0;) {
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
    fill_record(e, job, e->tells_words, &record);
    const struct hs_decision decision = {
        .job = &record,
        .kind = kind,
        .triggers = e->plan.triggers,
        .gpus = e->gpu_ids,
        .gpu_count = hs_progress_gpu_ids(e, job, e->gpu_ids),
        .value = value,
        .plan_reason = a->reason != NULL ? a->reason : a->plan_reason,
    };
    for (uint32_t left = e->hears_decision; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_decision(o->ctx, e->now_us, &decision));
    }
    return HS_OK;
}

enum hs_status hs_observe_segment(struct hs_engine *e, const struct hs_job *job,
                                  enum hs_segment_end ended_by)
{
    if (e->hears_segment == 0)
        return HS_OK;
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    fill_record(e, job, e->tells_words, &e->record);
    e->recorded = ended_by == HS_SEGMENT_FINISH ? hs_slot_of(&e->jobs, job) : HS_NO_JOB;
    struct hs_segment segment = {
        .job = &e->record,
        .start_us = placement->segment_start_us,
        .end_us = e->now_us,
        .done_ns = run->done_ns - placement->segment_done_ns,
        .gpus = e->gpu_ids,
        .gpu_count = hs_progress_gpu_ids(e, job, e->gpu_ids),
        .max_tenants = placement->segment_max_tenants,
        .ended_by = ended_by,
    };
    for (uint32_t left = e->hears_segment; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_segment(o->ctx, &segment));
    }
    return HS_OK;
}

enum hs_status hs_observe_finish(struct hs_engine *e, const struct hs_job *job, int64_t finish_us,
                                 const char *reason)
{
    struct hs_job_record *record = &e->record;
    if (e->recorded != hs_slot_of(&e->jobs, job))
        fill_record(e, job, e->tells_words || job->state == HS_JOB_REJECTED, record);
    e->recorded = HS_NO_JOB;
    record->finish_us = finish_us;
    record->reason = reason;
    for (uint32_t left = e->hears_finish; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_finish(o->ctx, e->now_us, record));
    }
    for (uint32_t left = record->state == HS_JOB_REJECTED ? e->hears_reject : 0; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_reject(o->ctx, e->now_us, record));
    }
    return HS_OK;
}

static void instant_book_waiting(struct hs_engine *e)
{
    struct hs_wait_causes causes = {0};
    uint64_t fragmented = 0;
    if ((e->wait_account.gpus_wanted | e->instant.gpus_wanted) ==
        0) /* no job waits, nor did one before */
        return;
    bool is_partition = e->cluster->vc_mode == HS_VC_PARTITION;
    uint32_t vcs = e->wait_account.gpus_wanted > 0 ? e->wait_account.vc_count : 0;
    for (uint32_t vc = 0; vc < vcs; vc++) {
        uint64_t shares_wanted = e->wait_account.vcs[vc].shares_wanted;
        if (e->wait_account.vcs[vc].gpus_wanted == 0 && shares_wanted == 0)
            continue;
        uint64_t free_gpus = hs_free_total(e->free_index, vc);
        uint64_t within =
            hs_wait_account_causes(&e->wait_account, vc, free_gpus, hs_free_max(e->free_index, vc),
                                   hs_view_quota_room(&e->view, vc), &causes);
        if (shares_wanted > 0)
            hs_wait_account_share_causes(
                &e->wait_account, vc,
                (struct hs_wait_account_room){
                    .most_milli = free_gpus > 0 ? HS_GPU_MILLI : hs_part_most(e->parts, vc),
                    .all_milli = free_gpus * HS_GPU_MILLI + hs_part_all(e->parts, vc),
                    .quota_milli = hs_view_quota_room_milli(&e->view, vc)},
                &causes);
        if (within > 0 || (shares_wanted > 0 && free_gpus > 0))
            fragmented = is_partition ? fragmented + free_gpus : free_gpus;
    }
    e->instant.gpus_wanted = e->wait_account.gpus_wanted;
    e->instant.gpus_fragmented = fragmented;
    e->instant.wait_quota = causes.quota;
    e->instant.wait_resources = causes.resources;
    e->instant.wait_placement = causes.placement;
    e->instant.wait_constraint = causes.constraint;
    e->instant.wait_priority = causes.priority;
}

enum hs_status hs_observe_instant(struct hs_engine *e)
{
    if (!e->instant.is_still)
        instant_book_waiting(e);
    e->instant.time_us = e->now_us;
    for (uint32_t left = e->hears_instant; left != 0;) {
        const struct hs_observer *o = next_listener(e, &left);
        HS_TRY(o->on_instant(o->ctx, &e->instant));
    }
    return HS_OK;
}
