/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Start and end of jobs: submissions, finishes, failed attempts, ends by lack of memory (MODEL.md
 * 3, 5), and records for observers. O(1) per job, plus its GPUs.
 */
#include "engine/state.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/gpu_types.h"

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

enum hs_status hs_observe_start(struct hs_engine *e, struct hs_job *job)
{
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    placement->segment_start_us = e->now_us;
    placement->segment_done_ns = run->done_ns;
    placement->segment_carry = run->carry;
    placement->segment_cost_us = run->cost_left_us;
    if (e->observes_start == 0)
        return HS_OK;
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

enum hs_status hs_observe_segment(struct hs_engine *e, const struct hs_job *job,
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

/* Returns the training record of a job: usually the cached one of its profile. */
static uint32_t training_of(struct hs_engine *e, const struct hs_trace_job *r)
{
    const bool has_its_names = /* names from the catalogue, along with its profile */
        r->profile_from == HS_PROFILE_FROM_DRAW || r->profile_from == HS_PROFILE_FROM_UTILIZATION;
    const uint64_t row = r->profile != HS_NO_PROFILE ? r->profile + UINT64_C(1) : 0;
    const uint64_t kind = 2 * row + has_its_names;
    struct hs_training_profile training = {.step_ns = r->step_us * HS_NS_PER_US,
                                           .gpu_mem_persistent_mib = r->gpu_mem_persistent_mib,
                                           .checkpoint_mib = r->checkpoint_mib};
    hs_grow((void **)&e->usual_training, &e->usual_training_cap, kind + 1,
            sizeof *e->usual_training, 2 * (HS_PROFILES_MAX + 1));
    const uint32_t usual = e->usual_training[kind];
    struct hs_training_profile *known = &e->jobs.training[usual];
    if (usual != 0 && has_its_names) { /* no look-up needed */
        training.model = known->model;
        training.dataset = known->dataset;
        training.batch = known->batch;
        training.precision = known->precision;
    } else {
        training.model = hs_intern_get(&e->names, r->model);
        training.dataset = hs_intern_get(&e->names, r->dataset);
        training.batch = hs_intern_get(&e->names, r->batch);
        training.precision = hs_intern_get(&e->names, r->precision);
    }
    if (usual != 0 && memcmp(known, &training, offsetof(struct hs_training_profile, users)) == 0) {
        known->users++;
        return usual;
    }
    training.users = usual == 0 ? 2 : 1;
    const uint32_t at = hs_jobs_add_training(&e->jobs, training);
    if (usual == 0)
        e->usual_training[kind] = at;
    return at;
}

/* The name in the trace has precedence, as for restarts. */
static uint32_t stages_of(const struct hs_engine *e, const struct hs_trace_job *r)
{
    const struct hs_catalogue *catalogue = e->config.catalogue;
    const bool has_profile = catalogue != NULL && r->profile < catalogue->count;
    if (e->config.stages == NULL)
        return HS_STAGES_UNKNOWN;
    return hs_stages_row(e->config.stages, r->model,
                         has_profile ? catalogue->profiles[r->profile].model : NULL, r->gpus);
}

/* Returns its number + 1; 0: not stated, or not in the cluster. */
static uint32_t type_that_ran(const struct hs_cluster *cluster, const char *name)
{
    for (uint32_t t = 0; name != NULL && t < cluster->type_count; t++)
        if (hs_gpu_type_is(cluster->types[t].name, name, strlen(name)))
            return t + 1;
    return 0;
}

static uint32_t cpus_of_cpu_job(const struct hs_engine *e, const struct hs_trace_job *r)
{
    return r->gpus == 0 && e->nodes_state_limits ? r->cpus_milli : 0;
}

static uint32_t request_of(struct hs_engine *e, const struct hs_trace_job *r)
{
    const uint32_t type_ran = type_that_ran(e->cluster, r->gpu_type_ran);
    const uint32_t cpus_milli = cpus_of_cpu_job(e, r);
    if (!r->has_range && r->deadline_us < 0 && r->preempt_cost_us == -1 && r->priority == 0 &&
        r->steps == 0 && type_ran == 0 && r->loss.b0 == 0 && cpus_milli == 0)
        return 0;
    int64_t deadline_us = -1; /* clamped to 0, the first submission */
    if (r->deadline_us >= 0)
        deadline_us =
            r->deadline_us > e->figures.epoch_us ? r->deadline_us - e->figures.epoch_us : 0;
    const struct hs_job_request request = {
        .deadline_us = deadline_us,
        .preempt_cost_us = r->preempt_cost_us,
        .steps = r->attempts > 0 ? 0 : r->steps,
        .steps_per_s = r->steps_per_s,
        .loss = r->loss.b0 > 0 ? r->loss : (struct hs_loss_curve)HS_LOSS_UNKNOWN,
        .gpus_min = r->has_range ? (uint16_t)r->gpus_min : 0,
        .gpus_max = r->has_range ? (uint16_t)r->gpus_max : 0,
        .options = hs_jobs_add_options(&e->jobs, r->options, r->option_count),
        .priority = r->priority,
        .type_ran = type_ran,
        .cpus_milli = cpus_milli,
    };
    return hs_jobs_add_request(&e->jobs, request);
}

void hs_lifecycle_notify_policy(struct hs_engine *e, enum hs_event_kind kind,
                                const struct hs_job *job, uint64_t tag)
{
    struct hs_event event = {
        .kind = kind, .job = job != NULL ? hs_slot_of(&e->jobs, job) : HS_NO_JOB, .tag = tag};
    e->triggers |= 1u << kind;
    if (e->policy->on_event != NULL)
        e->policy->on_event(e->policy_state, &e->view, &event);
}

/* Rounded down: rounded up, 10 CPUs for 3 GPUs would not fit a node with 10. */
static uint32_t per_gpu(uint64_t amount, uint32_t gpus)
{
    uint64_t share = gpus == 0 || amount == 0 ? 0 : amount / gpus;
    return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

static void job_load(struct hs_engine *e, struct hs_job *job)
{
    if ((e->can & HS_CAN_COLOCATE) == 0 || e->policy->load == NULL)
        return;
    if (!e->policy->load(e->policy_state, &e->view, hs_slot_of(&e->jobs, job),
                         hs_needs_of(&e->jobs, job)->load)) {
        job->is_alone = true;
        hs_job_set_claim(&e->jobs, job, hs_oom_claim_mib(e, job, UINT32_MAX));
    }
}

/* Sets the GPU memory of the job, if that is kept, and its predictions: drawn once, because an
 * estimate does not change while a job waits. */
static HS_APART void job_set_needs(struct hs_engine *e, struct hs_job *job,
                                   const struct hs_trace_job *r)
{
    if (!e->jobs.has_needs) /* its memory changes, which is an event */
        hs_jobs_know_needs(&e->jobs);
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    needs->gpu_mem_mib = needs->gpu_mem_peak_mib = needs->gpu_mem_first_mib = r->gpu_mem_mib;
    needs->gpu_mem_later_mib = r->gpu_mem_later_mib;
    needs->later_ns = r->gpu_mem_later_mib > 0 ? r->later_us * HS_NS_PER_US : HS_TIME_MAX;
    if (needs->later_ns == 0) /* from the beginning */
        needs->gpu_mem_mib = needs->gpu_mem_peak_mib = needs->gpu_mem_first_mib =
            r->gpu_mem_later_mib;
    if ((e->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY)) == 0)
        return;
    const struct hs_job_facts facts = {
        .index = job->index,
        .profile = hs_identity_of(&e->jobs, job)->profile,
        .util_pm = job->gpu_util_pm,
        .util_peak_pm = r->gpu_util_peak_pm > r->gpu_util_pm ? r->gpu_util_peak_pm : r->gpu_util_pm,
        .mem_mib = needs->gpu_mem_peak_mib};
    if (e->config.predictor != NULL)
        hs_predictor_estimate(e->config.predictor, &facts, &needs->estimate);
    else
        needs->estimate = (struct hs_estimate){
            .util_pm = facts.util_pm, .util_peak_pm = facts.util_peak_pm, .mem_mib = facts.mem_mib};
    if (r->util_from >= HS_FIGURE_FROM_FAMILY) { /* unknown to truth and prediction */
        needs->estimate.util_pm = facts.util_pm;
        needs->estimate.util_peak_pm = facts.util_peak_pm;
        needs->estimate.util_error_pm = 0;
    }
    if (r->mem_from >= HS_FIGURE_FROM_FAMILY || job->is_alone) {
        needs->estimate.mem_mib = job->is_alone ? 0 : facts.mem_mib; /* 0: policies share no GPU */
        needs->estimate.mem_error_mib = 0;
    }
    needs->mem_claim_mib = hs_oom_claim_mib(e, job, UINT32_MAX);
}

static void job_set_demand(struct hs_engine *e, struct hs_job *job, const struct hs_trace_job *r)
{
    job->gpus = (uint16_t)r->gpus;
    job->gpu_util_pm = (int16_t)r->gpu_util_pm;
    if (HS_UNLIKELY(r->gpu_milli > 0 && r->gpu_milli < HS_GPU_MILLI)) {
        const bool is_divided = (e->can & HS_CAN_DIVIDE) != 0;
        job->ask.gpu_milli = (uint16_t)(is_divided ? r->gpu_milli : HS_GPU_MILLI);
        e->figures.shares_divided += is_divided;
        e->figures.shares_rounded += !is_divided;
    }
    if (!e->nodes_state_limits || (e->can & HS_CAN_HOST) != 0) /* no limits, or by the policy */
        return;
    job->ask.cpus_milli_per_gpu = per_gpu(r->cpus_milli, r->gpus);
    job->ask.mem_mib_per_gpu = per_gpu(r->mem_mib, r->gpus);
}

static uint32_t most_mib(const struct hs_trace_job *r)
{
    bool is_later_at_once = r->gpu_mem_later_mib > 0 && r->later_us == 0;
    return is_later_at_once || r->gpu_mem_later_mib > r->gpu_mem_mib ? r->gpu_mem_later_mib
                                                                     : r->gpu_mem_mib;
}

/* Returns the types it names, joined by '|'; all if it names none, 0 if none exists. */
static HS_APART uint64_t named_types(const struct hs_cluster *c, const struct hs_trace_job *r)
{
    uint64_t mask = 0;
    if (r->gpu_type[0] == '\0')
        return UINT64_MAX;
    for (const char *name = r->gpu_type; name != NULL; name = strchr(name, '|')) {
        name += *name == '|';
        size_t length = strcspn(name, "|");
        const uint64_t before = mask;
        for (uint32_t t = 0; t < c->type_count; t++)
            if (strncmp(c->types[t].name, name, length) == 0 && c->types[t].name[length] == '\0')
                mask |= UINT64_C(1) << t;
        for (uint32_t t = 0; t < c->type_count && mask == before; t++)
            if (hs_gpu_type_is(c->types[t].name, name, length))
                mask |= UINT64_C(1) << t;
    }
    return mask;
}

/* Of these, returns the types with enough memory for its peak, or for its share of the GPU. */
static HS_APART uint64_t large_types(const struct hs_cluster *c, const struct hs_job *job,
                                     uint32_t most, uint64_t mask)
{
    for (uint32_t t = 0; t < c->type_count; t++) {
        uint64_t mib = c->types[t].mem_mib;
        if (hs_job_is_part(job))
            mib = mib * job->ask.gpu_milli / HS_GPU_MILLI;
        if (c->types[t].mem_mib > 0 && mib < most)
            mask &= ~(UINT64_C(1) << t);
    }
    return mask;
}

/* Memory that the trace does not state excludes no GPU. If all GPUs that it may use have less, or
 * unknown memory, it gets that of the smallest; if none of them has room for another job, it never
 * shares. */
static HS_COLD const struct hs_trace_job *cap_memory(struct hs_engine *e, struct hs_job *job,
                                                     const struct hs_trace_job *r,
                                                     struct hs_trace_job *capped)
{
    const struct hs_cluster *c = e->cluster;
    const uint64_t all = UINT64_MAX >> (64 - c->type_count);
    const uint64_t named = (r->gpu_type != NULL ? named_types(c, r) : all) & all;
    const bool is_full = r->mem_from == HS_FIGURE_FROM_FULL;
    uint32_t least_mib = r->gpu_mem_mib;
    bool has_room = false; /* for another job */
    if (hs_job_is_part(job))
        return r;
    for (uint32_t t = 0; t < c->type_count; t++) {
        if ((named >> t & 1) == 0)
            continue;
        if (c->types[t].mem_mib > 0 && c->types[t].mem_mib < least_mib)
            least_mib = c->types[t].mem_mib;
        has_room = has_room || hs_type_capacity_mib(e, t, 2) > r->gpu_mem_mib;
    }
    job->is_alone = is_full || !has_room;
    if (!is_full && large_types(c, job, most_mib(r), named) != 0)
        return r;
    *capped = *r;
    capped->gpu_mem_mib = least_mib;
    if (capped->gpu_mem_persistent_mib > least_mib)
        capped->gpu_mem_persistent_mib = least_mib;
    e->figures.mem_capped += !is_full;
    return capped;
}

/* Valid until the next call: observers copy it. */
static HS_COLD const char *memory_misfit(struct hs_engine *e, const struct hs_job *job,
                                         const struct hs_trace_job *r)
{
    int length =
        snprintf(e->misfit, sizeof e->misfit,
                 "it needs %u MiB of GPU memory (by the trace or its profile), and no GPU that it "
                 "may use has them",
                 most_mib(r));
    if (hs_job_is_part(job))
        (void)snprintf(e->misfit + length, sizeof e->misfit - (size_t)length,
                       " in a share of 0.%03u", job->ask.gpu_milli);
    return e->misfit;
}

/* Determines the GPU types that the job may use; returns why there are none, or NULL. */
static const char *types_misfit(struct hs_engine *e, struct hs_job *job,
                                const struct hs_trace_job *r)
{
    const struct hs_cluster *c = e->cluster;
    const uint32_t most = most_mib(r);
    const uint64_t named = HS_LIKELY(r->gpu_type == NULL) ? UINT64_MAX : named_types(c, r);
    const bool is_small = most <= e->least_gpu_mib && !hs_job_is_part(job);
    const uint64_t mask = HS_LIKELY(is_small) ? named : large_types(c, job, most, named);
    job->ask.type_mask = mask;
    job->is_constrained =
        mask != UINT64_MAX || (job->ask.cpus_milli_per_gpu | job->ask.mem_mib_per_gpu) != 0;
    if (HS_LIKELY((mask & (UINT64_MAX >> (64 - c->type_count))) != 0))
        return NULL;
    if (named != 0)
        return memory_misfit(e, job, r);
    if (strchr(r->gpu_type, '|') != NULL)
        return "no node has any of its GPU types";
    if (hs_gpu_type_name(r->gpu_type, strlen(r->gpu_type)) != NULL)
        return "no node has its GPU type";
    (void)snprintf(e->misfit, sizeof e->misfit, "its GPU type '%.60s' is unknown", r->gpu_type);
    return e->misfit;
}

/* Returns why the job can never run, or NULL. */
static const char *job_misfit(struct hs_engine *e, struct hs_job *job, const struct hs_trace_job *r)
{
    const struct hs_cluster *c = e->cluster;
    uint32_t vc = hs_cluster_vc(c, r->vc != NULL ? r->vc : "");
    if (vc == UINT32_MAX)
        return r->vc != NULL ? "its virtual cluster does not exist" : "it names no virtual cluster";
    job->ask.vc = vc;
    const char *misfit = types_misfit(e, job, r);
    if (misfit != NULL)
        return misfit;
    int64_t most_us = hs_job_is_part(job) ? INT64_MAX / 8 / HS_GPU_MILLI : INT64_MAX / 8;
    if ((hs_i128)r->duration_us * job->gpus > most_us)
        return "its GPU-seconds are beyond what can be counted";
    bool is_barred = c->vc_mode == HS_VC_QUOTA && (e->can & HS_CAN_BORROW) == 0;
    uint64_t gpus = ((uint64_t)job->gpus * job->ask.gpu_milli + HS_GPU_MILLI - 1) / HS_GPU_MILLI;
    if (is_barred && gpus > c->vcs[vc].quota_gpus)
        return "it needs more GPUs than the quota of its virtual cluster";
    bool is_beyond = job->is_constrained ? hs_free_capacity(e->free_index, &job->ask,
                                                            e->view.windows > 0) < job->gpus
                                         : c->vcs[vc].gpus < job->gpus;
    if (is_beyond)
        return "it needs more GPUs than the nodes it may use have";
    return NULL;
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

static inline void job_enter(struct hs_engine *e, struct hs_job *job)
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

enum hs_status hs_lifecycle_submit(struct hs_engine *e, const struct hs_trace_job *r)
{
    uint32_t slot;
    struct hs_trace_job capped;
    if (HS_UNLIKELY(r->gpus > HS_JOB_GPUS_MAX || r->gpu_util_pm > 1000)) /* hs_job stores 16 bits */
        return hs_fail(e->diag, HS_E_INVARIANT, NULL, "the reader must turn it away",
                       "job '%s' wants %u GPUs at %d per mille", r->id, r->gpus, r->gpu_util_pm);
    hs_jobs_add(&e->jobs, &slot);
    struct hs_job *job = hs_engine_job(e, slot);
    *job = (struct hs_job){.ask = {.type_mask = UINT64_MAX, .gpu_milli = HS_GPU_MILLI},
                           .is_live = true,
                           .index = e->figures.jobs++,
                           .submit_us = e->now_us};
    HS_TRY(job_set_work(e, slot, r));
    job_set_demand(e, job, r);
    const uint64_t taken_mib = (uint64_t)r->gpu_mem_mib + e->config.memory_reserve_mib;
    if (HS_UNLIKELY(r->mem_from == HS_FIGURE_FROM_FULL ||
                    (r->mem_from > HS_FIGURE_FROM_TRACE && taken_mib >= e->least_gpu_mib)))
        r = cap_memory(e, job, r, &capped);
    if (hs_job_is_part(job) && e->parts == NULL) { /* first such job of the run */
        hs_exclusive_end(e);
        hs_part_init(&e->parts, e->free_index, e->cluster, &e->arena);
    }
    struct hs_job_identity *identity = &e->jobs.identities[slot];
    hs_jobs_set_id(identity, r->id);
    identity->user = hs_intern_get(&e->names, r->user);
    if (HS_UNLIKELY(identity->user < e->windows.user_count))
        e->windows.has_job[identity->user] = true;
    identity->vc_name = hs_intern_get(&e->names, r->vc);
    identity->training = training_of(e, r);
    identity->request = request_of(e, r);
    identity->profile = r->profile;
    identity->stages = stages_of(e, r);
    identity->outcome = (uint8_t)r->outcome;
    identity->job_class = (uint8_t)r->job_class;
    identity->profile_from = (uint8_t)r->profile_from;
    identity->util_from = (uint8_t)r->util_from;
    identity->mem_from = (uint8_t)r->mem_from;
    if (e->jobs.has_needs || r->gpu_mem_later_mib > 0)
        job_set_needs(e, job, r);
    const char *misfit = job_misfit(e, job, r);
    HS_TRY(observe_submit(e, job));
    if (misfit != NULL) {
        job->state = HS_JOB_REJECTED;
        e->figures.rejected++;
        e->work_lost_ns += (uint64_t)hs_job_all_ns(&e->jobs, job);
        HS_TRY(observe_finish(e, job, -1, misfit));
        hs_jobs_remove(&e->jobs, slot);
        return HS_OK;
    }
    if (e->jobs.live > e->figures.peak_live_jobs)
        e->figures.peak_live_jobs = e->jobs.live;
    job_enter(e, job);
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
    if (run->overhead != 0)
        hs_sharing_overhead_of(&e->jobs, job)->at_step_ns = -1;
    run->attained_us = 0;
    run->cost_left_us =
        e->config.startup_us + (why != HS_SEGMENT_FAILURE ? e->config.restart_us : 0);
    if (e->jobs.has_needs)
        hs_needs_of(&e->jobs, job)->mem_limit_mib = 0;
    (void)hs_gpu_memory_update(e, job); /* holds no GPU: no other job is affected */
    hs_job_set_claim(&e->jobs, job, hs_oom_claim_mib(e, job, UINT32_MAX));
    job_enter(e, job);
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
    job->state = (uint8_t)state;
    e->plan.has_ended_job = true;
    /* all its work, done or not, is lost */
    int64_t done_ns = hs_job_done_ns(&e->jobs, job);
    e->work_done_ns -= (uint64_t)done_ns;
    e->work_lost_ns += (uint64_t)hs_job_all_ns(&e->jobs, job);
    if (done_ns > 0) {
        hs_jobs_begin_sharing_overhead(&e->jobs, job);
        hs_sharing_overhead_of(&e->jobs, job)->lost_ns += done_ns;
        hs_run_of(&e->jobs, job)->done_ns = 0;
        hs_history_of(&e->jobs, job)->past_ns = 0;
    }
    if (state == HS_JOB_REJECTED)
        e->figures.rejected++;
    else
        e->figures.failed++;
    HS_TRY(observe_finish(e, job, state == HS_JOB_REJECTED ? -1 : e->now_us, reason));
    hs_lifecycle_notify_policy(e, HS_EVENT_FINISH, job, 0);
    hs_jobs_remove(&e->jobs, hs_slot_of(&e->jobs, job));
    return HS_OK;
}

struct cut_entry {
    uint64_t index;
    uint32_t slot;
};

static int cut_compare(const void *a, const void *b)
{
    const struct cut_entry *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

enum hs_status hs_lifecycle_cut(struct hs_engine *e)
{
    if (e->jobs.live == 0)
        return HS_OK;
    struct cut_entry *entries = hs_alloc_zeroed(e->jobs.live, sizeof *entries);
    size_t count = 0;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++)
        if (e->jobs.jobs[slot].is_live)
            entries[count++] = (struct cut_entry){e->jobs.jobs[slot].index, slot};
    qsort(entries, count, sizeof *entries, cut_compare); /* a total order: indices are unique */
    enum hs_status status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        struct hs_job *job = hs_engine_job(e, entries[i].slot);
        hs_progress_sync(e, job);
        if (hs_job_is_placed(job))
            status = hs_observe_segment(e, job, HS_SEGMENT_HORIZON);
        if (status == HS_OK)
            status = observe_finish(e, job, -1, "");
    }
    e->figures.unfinished = count;
    hs_free(entries);
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
    uint32_t most_mib =
        0; /* of the GPUs that it may use; types without stated memory are no limit */
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
    hs_jobs_begin_sharing_overhead(&e->jobs, job);
    hs_sharing_overhead_of(&e->jobs, job)->lost_ns += lost_ns;
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
