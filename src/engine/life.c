/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Submission, end and horizon of a job. A job that can never run is rejected when it is submitted,
 * with the reason; it never enters the policy's queue. A job whose attempt fails is submitted again
 * at that instant, in its slot: to the policy that is the end of one job and the start of another.
 */
#include "engine/life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/label.h"
#include "engine/observe.h"
#include "engine/overflow.h"
#include "engine/plan.h"
#include "engine/progress.h"
#include "engine/residency.h"
#include "engine/settings.h"
#include "engine/shadow.h"
#include "engine/view_estimate.h"
#include "engine/whole.h"

void hs_life_tell_policy(struct hs_engine *e, enum hs_event_kind kind, uint32_t slot)
{
    struct hs_event event = {.kind = kind, .job = slot};
    e->triggers |= 1u << kind;
    if (e->policy->on_event != NULL)
        e->policy->on_event(e->policy_state, &e->view, &event);
}

/* Rounded down: rounded up, 10 CPUs over 3 GPUs would miss a node of 10. */
static uint32_t per_gpu(uint64_t amount, uint32_t gpus)
{
    uint64_t share = gpus == 0 || amount == 0 ? 0 : amount / gpus;
    return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

void hs_life_waits(struct hs_engine *e, const struct hs_job *job)
{
    if (hs_job_is_part(job))
        hs_backlog_add_shares(&e->backlog, job->ask.vc, job->gpus, job->ask.gpu_milli);
    else
        hs_backlog_add(&e->backlog, job->ask.vc, job->gpus);
}

void hs_life_waits_no_more(struct hs_engine *e, const struct hs_job *job)
{
    if (hs_job_is_part(job))
        hs_backlog_remove_shares(&e->backlog, job->ask.vc, job->gpus, job->ask.gpu_milli);
    else
        hs_backlog_remove(&e->backlog, job->ask.vc, job->gpus);
}

void hs_life_load(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    if ((e->can & HS_CAN_COLOCATE) == 0 || e->policy->load == NULL)
        return;
    if (!e->policy->load(e->policy_state, &e->view, slot, hs_needs_of(&e->jobs, job)->load)) {
        job->is_alone = true;
        hs_job_set_claim(&e->jobs, job, hs_overflow_claim_mib(e, job, UINT32_MAX));
    }
}

/* What the policy will be told; asked once, because an estimate does not change while a job waits.
 */
static void job_estimate(const struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    const struct hs_job_facts facts = {.index = job->index,
                                       .profile = hs_label_of(&e->jobs, job)->profile,
                                       .util_pm = job->gpu_util_pm,
                                       .util_peak_pm = job->gpu_util_pm,
                                       .mem_mib = needs->gpu_mem_peak_mib};
    if ((e->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY)) == 0)
        return;
    if (e->config.predictor != NULL)
        hs_predictor_estimate(e->config.predictor, &facts, &needs->estimate);
    else
        needs->estimate = (struct hs_estimate){
            .util_pm = facts.util_pm, .util_peak_pm = facts.util_peak_pm, .mem_mib = facts.mem_mib};
    needs->mem_claim_mib = hs_overflow_claim_mib(e, job, UINT32_MAX);
}

/* What it takes of its GPUs' memory, if anybody asks. */
static HS_APART enum hs_status job_set_needs(struct hs_engine *e, uint32_t slot,
                                             const struct hs_trace_job *r)
{
    if (!e->jobs.has_needs) /* its memory changes: that is an event */
        HS_TRY(hs_jobs_know_needs(&e->jobs));
    struct hs_job *job = hs_engine_job(e, slot);
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    needs->gpu_mem_mib = needs->gpu_mem_peak_mib = needs->gpu_mem_first_mib = r->gpu_mem_mib;
    needs->gpu_mem_later_mib = r->gpu_mem_later_mib;
    needs->later_ns = r->gpu_mem_later_mib > 0 ? r->later_us * HS_NS_PER_US : HS_TIME_MAX;
    if (needs->later_ns == 0) /* from its first moment on */
        needs->gpu_mem_mib = needs->gpu_mem_peak_mib = needs->gpu_mem_first_mib =
            r->gpu_mem_later_mib;
    job_estimate(e, job);
    return HS_OK;
}

static void job_set_share(struct hs_engine *e, struct hs_job *job, uint32_t gpu_milli)
{
    const bool is_divided = (e->can & HS_CAN_DIVIDE) != 0;
    job->ask.gpu_milli = (uint16_t)(is_divided ? gpu_milli : HS_GPU_MILLI);
    e->figures.shares_divided += is_divided;
    e->figures.shares_rounded += !is_divided;
}

static void job_set_demand(struct hs_engine *e, struct hs_job *job, const struct hs_trace_job *r)
{
    job->gpus = (uint16_t)r->gpus;
    if (HS_UNLIKELY(r->gpu_milli > 0 && r->gpu_milli < HS_GPU_MILLI))
        job_set_share(e, job, r->gpu_milli);
    job->gpu_util_pm = (int16_t)r->gpu_util_pm;
    if (!e->nodes_state_limits) /* all have enough */
        return;
    job->ask.cpus_milli_per_gpu = per_gpu(r->cpus_milli, r->gpus);
    job->ask.mem_mib_per_gpu = per_gpu(r->mem_mib, r->gpus);
}

/* The most GPU memory that it ever takes. */
static uint32_t most_mib(const struct hs_trace_job *r)
{
    bool is_later_at_once = r->gpu_mem_later_mib > 0 && r->later_us == 0;
    return is_later_at_once || r->gpu_mem_later_mib > r->gpu_mem_mib ? r->gpu_mem_later_mib
                                                                     : r->gpu_mem_mib;
}

/* The types that it names, joined by '|'; all if it names none, 0 if the cluster has none of them.
 */
static HS_APART uint64_t named_types(const struct hs_cluster *c, const struct hs_trace_job *r)
{
    uint64_t mask = 0;
    if (r->gpu_type[0] == '\0')
        return UINT64_MAX;
    for (const char *name = r->gpu_type; name != NULL; name = strchr(name, '|')) {
        name += *name == '|';
        size_t length = strcspn(name, "|");
        for (uint32_t t = 0; t < c->type_count; t++)
            if (strncmp(c->types[t].name, name, length) == 0 && c->types[t].name[length] == '\0')
                mask |= UINT64_C(1) << t;
    }
    return mask;
}

/* Of those, the ones with memory enough for its peak; with a share of the GPU goes as much of its
 * memory. */
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

static HS_COLD const char *type_misfit(const struct hs_trace_job *r)
{
    return strchr(r->gpu_type, '|') == NULL ? "no node has its GPU type"
                                            : "no node has any of its GPU types";
}

/* Valid until the next call: whoever is told copies it. */
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

/* Finds the types of GPUs that may serve the job; why there are none, or NULL. */
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
    return named == 0 ? type_misfit(r) : memory_misfit(e, job, r);
}

/* Why the job can never run, or NULL. */
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
    bool is_beyond = job->is_constrained ? hs_free_capacity(e->free_index, &job->ask) < job->gpus
                                         : c->vcs[vc].gpus < job->gpus;
    if (is_beyond)
        return "it needs more GPUs than the nodes it may use have";
    return NULL;
}

/* The next attempt lies ahead, after one that failed: it knows nothing of that. */
static void job_renew(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    hs_jobs_end_stay(&e->jobs, job);
    job->submit_us = e->now_us;
    run->first_start_us = -1;
    if (run->toll != 0)
        hs_toll_of(&e->jobs, job)->at_step_ns = -1;
    run->attained_us = 0;
    run->cost_left_us = e->config.startup_us;
    if (e->jobs.has_needs)
        hs_needs_of(&e->jobs, job)->mem_limit_mib = 0;
}

/* It waits from now on. */
static inline void job_enter(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    job->state = HS_JOB_PENDING;
    hs_estimate_submitted(e, job);
    hs_life_load(e, slot);
    e->instant.pending++;
    hs_life_waits(e, job);
    hs_life_tell_policy(e, HS_EVENT_SUBMIT, slot);
}

static HS_COLD enum hs_status job_set_attempts(struct hs_engine *e, uint32_t slot,
                                               const struct hs_trace_job *r)
{
    int64_t sum_us = 0;
    for (uint32_t i = 0; i < r->attempts; i++)
        sum_us += r->attempts_us[i];
    if (sum_us != r->duration_us)
        return hs_fail(e->diag, HS_E_INVARIANT, NULL, "the reader must add them up",
                       "the attempts of job '%s' are not its run time", r->id);
    return hs_jobs_set_attempts(&e->jobs, slot, r->attempts_us, r->attempts);
}

static enum hs_status job_set_work(struct hs_engine *e, uint32_t slot, const struct hs_trace_job *r)
{
    const int64_t work_ns = r->duration_us * HS_NS_PER_US;
    if (HS_UNLIKELY(r->attempts > 0))
        HS_TRY(job_set_attempts(e, slot, r));
    else
        hs_engine_job(e, slot)->work_ns = work_ns;
    e->work_submitted_ns += (uint64_t)work_ns;
    return HS_OK;
}

/* What it takes to give shares of GPUs. */
static HS_COLD enum hs_status engine_divide(struct hs_engine *e)
{
    bool by_vc = e->cluster->vc_mode == HS_VC_PARTITION;
    HS_TRY(hs_whole_end(e));
    HS_TRY(hs_part_init(&e->parts, e->cluster, by_vc, &e->arena));
    return hs_backlog_divide(&e->backlog, &e->arena);
}

/* A job's record keeps these numbers short. */
static inline bool has_short_numbers(const struct hs_trace_job *r)
{
    return r->gpus <= HS_JOB_GPUS_MAX && r->gpu_util_pm <= 1000;
}

enum hs_status hs_life_submit(struct hs_engine *e, const struct hs_trace_job *r)
{
    uint32_t slot;
    if (HS_UNLIKELY(!has_short_numbers(r)))
        return hs_fail(e->diag, HS_E_INVARIANT, NULL, "the reader must turn it away",
                       "job '%s' wants %u GPUs at %d per mille", r->id, r->gpus, r->gpu_util_pm);
    HS_TRY(hs_jobs_add(&e->jobs, &slot));
    struct hs_job *job = hs_engine_job(e, slot);
    *job = e->newcomer;
    job->index = e->figures.jobs++;
    job->submit_us = e->now_us;
    HS_TRY(job_set_work(e, slot, r));
    job_set_demand(e, job, r);
    if (hs_job_is_part(job) && e->parts == NULL) /* once a run; others do without */
        HS_TRY(engine_divide(e));
    HS_TRY(hs_label_fill(e, slot, r));
    if (e->jobs.has_needs || r->gpu_mem_later_mib > 0)
        HS_TRY(job_set_needs(e, slot, r));
    e->has_utilization = e->has_utilization || r->gpu_util_pm > 0;
    const char *misfit = job_misfit(e, job, r);
    HS_TRY(hs_observe_submit(e, slot));
    if (misfit != NULL) {
        job->state = HS_JOB_REJECTED;
        e->figures.rejected++;
        e->work_lost_ns += (uint64_t)hs_job_all_ns(&e->jobs, job);
        HS_TRY(hs_observe_finish(e, slot, -1, misfit));
        hs_jobs_remove(&e->jobs, slot);
        return HS_OK;
    }
    if (e->jobs.live > e->figures.peak_live_jobs)
        e->figures.peak_live_jobs = e->jobs.live;
    job_enter(e, slot);
    return HS_OK;
}

static inline enum hs_status job_leave(struct hs_engine *e, uint32_t slot, enum hs_segment_end why)
{
    struct hs_job *job = hs_engine_job(e, slot);
    e->instant.running--;
    HS_TRY(hs_observe_segment(e, slot, why));
    if (HS_LIKELY(e->is_whole)) {
        hs_whole_leave(e, job);
        return HS_OK;
    }
    hs_shadow_release(e, job);
    return hs_progress_unseat(e, slot);
}

/* What the policy did to the job ends with the attempt; what is known of its memory stays. */
static HS_COLD enum hs_status job_fail(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    job->state = HS_JOB_FAILED;
    HS_TRY(job_leave(e, slot, HS_SEGMENT_FAILURE));
    hs_life_tell_policy(e, HS_EVENT_FINISH, slot);
    struct hs_job_history *history = hs_history_of(&e->jobs, job);
    if (history->began_us < 0)
        history->began_us = hs_run_of(&e->jobs, job)->first_start_us;
    hs_jobs_retry(&e->jobs, slot);
    job_renew(e, job);
    (void)hs_residency_update(e, job); /* it holds no GPU: nobody else is concerned */
    hs_job_set_claim(&e->jobs, job, hs_overflow_claim_mib(e, job, UINT32_MAX));
    job_enter(e, slot);
    return HS_OK;
}

enum hs_status hs_life_finish(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    HS_TRY(hs_estimate_done(e, job)); /* also of an attempt: it is a job of its own to policies */
    if (hs_history_of(&e->jobs, job)->next_attempt != HS_NO_ATTEMPT)
        return job_fail(e, slot);
    job->state = HS_JOB_DONE;
    e->figures.finished++;
    HS_TRY(job_leave(e, slot, HS_SEGMENT_FINISH));
    HS_TRY(hs_observe_finish(e, slot, e->now_us, ""));
    hs_life_tell_policy(e, HS_EVENT_FINISH, slot);
    hs_jobs_remove(&e->jobs, slot);
    return HS_OK;
}

enum hs_status hs_life_abandon(struct hs_engine *e, uint32_t slot, enum hs_job_state state,
                               const char *reason)
{
    struct hs_job *job = hs_engine_job(e, slot);
    if (job->state == HS_JOB_PENDING)
        e->instant.pending--;
    else
        e->instant.suspended--;
    hs_life_waits_no_more(e, job);
    job->state = (uint8_t)state;
    /* what it had done is lost with it, and what it had not will never be done */
    int64_t done_ns = hs_job_done_ns(&e->jobs, job);
    e->work_done_ns -= (uint64_t)done_ns;
    e->work_lost_ns += (uint64_t)hs_job_all_ns(&e->jobs, job);
    if (done_ns > 0) {
        HS_TRY(hs_jobs_begin_toll(&e->jobs, job));
        hs_toll_of(&e->jobs, job)->lost_ns += done_ns;
        hs_run_of(&e->jobs, job)->done_ns = 0;
        hs_history_of(&e->jobs, job)->past_ns = 0;
    }
    if (state == HS_JOB_REJECTED)
        e->figures.rejected++;
    else
        e->figures.failed++;
    HS_TRY(hs_observe_finish(e, slot, state == HS_JOB_REJECTED ? -1 : e->now_us, reason));
    hs_life_tell_policy(e, HS_EVENT_FINISH, slot);
    hs_jobs_remove(&e->jobs, slot);
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

enum hs_status hs_life_cut(struct hs_engine *e)
{
    if (e->jobs.live == 0)
        return HS_OK;
    struct cut_entry *entries = hs_alloc_zeroed(e->jobs.live, sizeof *entries);
    if (entries == NULL)
        return HS_E_MEMORY;
    size_t count = 0;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++)
        if (e->jobs.jobs[slot].is_live)
            entries[count++] = (struct cut_entry){e->jobs.jobs[slot].index, slot};
    qsort(entries, count, sizeof *entries, cut_compare); /* total: indices are unique */
    enum hs_status status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        struct hs_job *job = hs_engine_job(e, entries[i].slot);
        hs_progress_sync(e, job);
        if (hs_job_is_placed(job))
            status = hs_observe_segment(e, entries[i].slot, HS_SEGMENT_HORIZON);
        if (status == HS_OK)
            status = hs_observe_finish(e, entries[i].slot, -1, "");
    }
    e->figures.unfinished = count;
    hs_free(entries);
    return status;
}
