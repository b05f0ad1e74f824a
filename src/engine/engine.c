/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop. Arrivals are streamed beside the heap, which holds one event per placed job and the
 * timers; an instant is handled whole before time moves on (MODEL.md 8).
 */
#include "engine/engine.h"

#include <string.h>

#include "engine/invariant.h"
#include "engine/lifecycle.h"
#include "engine/notify.h"
#include "engine/plan_build.h"
#include "engine/progress.h"
#include "engine/tentative_state.h"
#include "engine/gpu_tenants.h"

#define POLL_EVERY 4096u

struct arrivals {
    struct hs_job_source source;
    struct hs_trace_job *next; /* the source's */
    int64_t at_us;             /* HS_TIME_MAX when there are no more */
    bool has_epoch;
};

static enum hs_status arrivals_advance(struct hs_engine *e, struct arrivals *a)
{
    enum hs_status status = a->source.next(a->source.ctx, &a->next);
    if (status == HS_END) {
        a->at_us = HS_TIME_MAX;
        return HS_OK;
    }
    HS_TRY(status);
    if (!a->has_epoch) {
        a->has_epoch = true;
        e->figures.epoch_us = a->next->submit_us;
    }
    a->at_us = a->next->submit_us - e->figures.epoch_us;
    if (a->at_us >= e->now_us)
        return HS_OK;
    return hs_fail(e->diag, HS_E_INVARIANT, NULL, "the reader must sort",
                   "job '%s' arrives before the present", a->next->id);
}

/* The slot of the job whose event is next; there is one. */
static uint32_t next_slot(const struct hs_engine *e)
{
    return e->jobs.placements[hs_heap_next_id(&e->job_events)].slot;
}

/* The job's cost is paid, its work is done, a milestone is reached, or its GPU has run out of
 * memory. Work done in time is
 * not lost to an overflow at the same moment. */
static enum hs_status job_event(struct hs_engine *e, struct hs_job *job)
{
    hs_heap_remove(&e->job_events, job->placement);
    if (e->job_events.count > 0) /* on its way while the job is dealt with */
        hs_jobs_expect(&e->jobs, next_slot(e));
    hs_progress_sync(e, job);
    e->figures.events++;
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    bool is_done = job->state == HS_JOB_RUNNING || run->done_ns >= job->work_ns;
    if (is_done &&
        placement->finish_us == e->now_us) /* also of a job that had nothing but its cost */
        return hs_lifecycle_finish(e, job);
    if (placement->oom_us == e->now_us && hs_progress_overflows(e, job))
        return hs_oom(e, job);
    hs_progress_touch(e, job);
    if (job->state == HS_JOB_RUNNING) { /* its memory changes, or the policy awaits the event */
        const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
        if (run->done_ns >= needs->later_ns && needs->gpu_mem_peak_mib != needs->gpu_mem_later_mib)
            hs_commit_memory_change(e, job);
        if (run->done_ns < placement->alarm_ns)
            return HS_OK;
        placement->alarm_ns = HS_TIME_MAX;
        hs_sharing_overhead_of(&e->jobs, job)->at_step_ns = run->done_ns;
        hs_lifecycle_notify_policy(e, HS_EVENT_STEP, job);
        return HS_OK;
    }
    if (placement->finish_us != e->now_us) /* a finish of this moment made room just in time */
        return HS_OK;
    job->state = placement->is_waiting ? HS_JOB_PAUSED : HS_JOB_RUNNING;
    hs_lifecycle_notify_policy(e, HS_EVENT_PROGRESS, job);
    return HS_OK;
}

static void timer_event(struct hs_engine *e, uint32_t slot)
{
    struct hs_event event = {.kind = HS_EVENT_TIMER, .job = HS_NO_JOB, .tag = e->timers[slot].tag};
    hs_heap_remove(&e->timer_events, slot);
    e->timers[slot].next_free = e->free_timer;
    e->free_timer = slot;
    e->figures.events++;
    e->triggers |= 1u << HS_EVENT_TIMER;
    if (e->policy->on_event != NULL)
        e->policy->on_event(e->policy_state, &e->view, &event);
}

/* When something is due; HS_TIME_MAX: never. */
struct due {
    int64_t job_us, timer_us;
};

/* Everything due now, in the order of MODEL.md 8. */
static enum hs_status instant_events(struct hs_engine *e, struct arrivals *a, struct due due)
{
    e->instant.is_still = due.job_us != e->now_us && a->at_us != e->now_us;
    for (; due.job_us == e->now_us; due.job_us = hs_heap_next_us(&e->job_events))
        HS_TRY(job_event(e, hs_engine_job(e, next_slot(e))));
    while (a->at_us == e->now_us) {
        HS_TRY(hs_lifecycle_submit(e, a->next));
        e->figures.events++;
        HS_TRY(arrivals_advance(e, a));
    }
    for (; due.timer_us == e->now_us; due.timer_us = hs_heap_next_us(&e->timer_events))
        timer_event(e, hs_heap_next_id(&e->timer_events));
    return hs_progress_rerate(e);
}

static bool plan_ended_a_job(const struct hs_engine *e)
{
    if ((e->plan.kinds & (1u << HS_ACT_KILL | 1u << HS_ACT_REJECT)) == 0)
        return false;
    for (uint32_t i = 0; i < e->plan.count; i++)
        if (e->plan.actions[i].kind == HS_ACT_KILL || e->plan.actions[i].kind == HS_ACT_REJECT)
            return true;
    return false;
}

/* One pass; a job that the plan itself ended is news, so it is followed by another. Each pass that
 * is repeated ended a job, hence the loop ends too. */
static enum hs_status instant_decide(struct hs_engine *e)
{
    do {
        hs_plan_begin(e);
        HS_TRY(e->policy->decide(e->policy_state, &e->view, &e->plan));
        HS_TRY(hs_plan_end(e));
        e->figures.decisions++;
        e->instant.is_still &= (e->plan.kinds & ~(1u << HS_ACT_TIMER)) == 0;
        HS_TRY(hs_commit(e));
        e->triggers &= 1u << HS_EVENT_FINISH; /* the policy caused it: not an event for it */
    } while (plan_ended_a_job(e));
    return HS_OK;
}

/* Instant by instant; timers alone keep no run alive. */
static enum hs_status run_until_quiet(struct hs_engine *e, struct arrivals *a)
{
    for (;;) {
        const struct due due = {.job_us = hs_heap_next_us(&e->job_events),
                                .timer_us = hs_heap_next_us(&e->timer_events)};
        int64_t next_us = due.job_us < a->at_us ? due.job_us : a->at_us;
        if (a->at_us == HS_TIME_MAX && e->jobs.live == 0)
            return HS_OK;
        next_us = due.timer_us < next_us ? due.timer_us : next_us;
        if (next_us == HS_TIME_MAX)
            return HS_OK;
        if (next_us > e->config.until_us) {
            e->now_us = e->config.until_us;
            return hs_lifecycle_cut(e);
        }
        e->now_us = next_us;
        HS_TRY(instant_events(e, a, due));
        HS_TRY(instant_decide(e));
        e->figures.instants++;
        HS_TRY(hs_invariant_check(e));
        HS_TRY(hs_observe_instant(e));
        if (e->figures.instants % POLL_EVERY == 0 && e->config.poll != NULL)
            HS_TRY(e->config.poll(e->config.poll_ctx, &e->instant));
    }
}

/* Does the policy ask about no single GPU (progress.h)? Before the first job; it may end later. */
static bool may_be_exclusive(const struct hs_engine *e)
{
    const uint32_t can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_THROTTLE;
    const uint32_t knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE;
    return (e->can & can) == 0 && (e->knows & knows) == 0;
}

enum hs_status hs_engine_run(struct hs_engine *e, struct hs_job_source source)
{
    struct arrivals a = {.source = source};
    if (!may_be_exclusive(e)) /* the policy may ask about single GPUs */
        hs_jobs_know_needs(&e->jobs);
    if (e->estimation != NULL)
        hs_jobs_know_estimates(&e->jobs);
    e->jobs.runs[0].cost_left_us =
        e->config.startup_us; /* the default record: of jobs that were never placed */
    HS_TRY(arrivals_advance(e, &a));
    HS_TRY(run_until_quiet(e, &a));
    HS_TRY(e->plan.refused); /* a fault of the last events, after which nothing was decided */
    e->figures.end_us = e->now_us;
    if (e->jobs.live > 0 && e->figures.unfinished == 0)
        return hs_fail(e->diag, HS_E_POLICY, NULL,
                       "this is a fault of the policy, not of the input; the run was stopped",
                       "policy '%s' leaves %llu jobs waiting although nothing is left to wait for",
                       e->policy->name, (unsigned long long)e->jobs.live);
    return HS_OK;
}

/* What holds of all GPU types. */
static void engine_open_types(struct hs_engine *e)
{
    const struct hs_cluster *c = e->cluster;
    e->uniform_speed_q32 = c->types[0].speed_q32;
    e->least_gpu_mib = UINT32_MAX;
    for (uint32_t t = 0; t < c->type_count; t++) {
        if (c->types[t].speed_q32 != c->types[0].speed_q32)
            e->uniform_speed_q32 = 0;
        if (c->types[t].mem_mib > 0 && c->types[t].mem_mib < e->least_gpu_mib)
            e->least_gpu_mib = c->types[t].mem_mib;
    }
    if (e->config.speed != NULL)
        e->uniform_speed_q32 = hs_speed_uniform_q32(e->config.speed);
}

static void engine_open_cluster(struct hs_engine *e)
{
    const struct hs_cluster *c = e->cluster;
    uint32_t words = c->gpu_count / 64 + 1;
    e->gpus = hs_arena_alloc(&e->arena, (uint64_t)c->gpu_count * sizeof *e->gpus);
    e->gpu_free = hs_arena_alloc(&e->arena, (uint64_t)words * sizeof *e->gpu_free);
    e->gpu_ids = hs_arena_alloc(&e->arena, ((uint64_t)c->gpu_count + 1) * sizeof *e->gpu_ids);
    e->node_balance = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->node_balance);
    e->marked_nodes = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->marked_nodes);
    e->is_marked = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->is_marked);
    e->vc_held_milli = hs_arena_alloc(&e->arena, (uint64_t)c->vc_count * sizeof *e->vc_held_milli);
    engine_open_types(e);
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct hs_node *node = &c->nodes[n];
        e->nodes_state_limits = e->nodes_state_limits || node->cpus > 0 || node->mem_mib > 0;
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
            e->gpus[id] = (struct hs_gpu){.node = n, .first_allocation = HS_NO_ALLOCATION};
            e->gpu_free[id / 64] |= UINT64_C(1) << (id % 64);
        }
    }
    hs_wait_account_init(&e->wait_account, c, &e->arena);
    hs_free_init(&e->free_index, c, c->vc_mode == HS_VC_PARTITION, e->config.jitter_seed,
                 &e->arena);
}

/* The index of shared GPUs, for a policy that shares. */
static void engine_open_shared(struct hs_engine *e)
{
    uint32_t limit_mib[HS_GPU_TYPES_MAX];
    if ((e->can & HS_CAN_COLOCATE) == 0 || e->policy->load == NULL)
        return;
    for (uint32_t t = 0; t < e->cluster->type_count; t++)
        limit_mib[t] =
            e->cluster->types[t].mem_mib > 0 ? (uint32_t)hs_type_capacity_mib(e, t, 2) : UINT32_MAX;
    hs_share_init(&e->share, e->cluster, e->cluster->vc_mode == HS_VC_PARTITION, limit_mib,
                  &e->arena);
}

static enum hs_status engine_open_policy(struct hs_engine *e)
{
    const struct hs_policy_ops *policy = e->policy;
    e->can = policy->can;
    e->knows = policy->knows;
    e->policy_state = hs_arena_alloc(&e->arena, policy->state_size);
    e->no_scratch = hs_arena_alloc(&e->arena, policy->job_state_size + 1);
    memcpy(e->policy_state, e->config.policy_state, policy->state_size);
    if (policy->needs != NULL)
        policy->needs(e->policy_state, &e->can, &e->knows);
    if (policy->tenants != NULL && policy->tenants(e->policy_state) < e->config.max_tenants)
        e->config.max_tenants = policy->tenants(e->policy_state);
    e->view = (struct hs_view){
        .engine = e,
        .nodes = e->cluster->node_count,
        .racks = e->cluster->rack_count,
        .gpu_types = e->cluster->type_count,
        .max_node_gpus = e->cluster->max_node_gpus,
        .vcs = e->cluster->vc_count,
        .vcs_are_apart = e->cluster->vc_mode == HS_VC_PARTITION,
        .max_tenants = e->config.max_tenants,
        .ties_are_drawn = e->config.jitter_seed != 0,
    };
    e->is_exclusive = may_be_exclusive(e);
    if (policy->wants_mean_util)
        e->util_memory =
            hs_arena_alloc(&e->arena, (uint64_t)e->cluster->gpu_count * sizeof *e->util_memory);
    engine_open_shared(e);
    if (policy->init == NULL)
        return HS_OK;
    e->is_initialising = true;
    enum hs_status status = policy->init(e->policy_state, &e->view);
    e->is_initialising = false;
    return status != HS_OK ? status : e->plan.refused;
}

enum hs_status hs_engine_open(struct hs_engine **engine, const struct hs_engine_config *config,
                              struct hs_diag *diag)
{
    struct hs_engine *e = hs_alloc_zeroed(1, sizeof *e);
    *engine = e;
    e->config = *config;
    e->diag = diag;
    e->cluster = config->cluster;
    e->policy = config->policy;
    e->plan.engine = e;
    e->candidate = (struct hs_job){.ask = {.type_mask = UINT64_MAX, .gpu_milli = HS_GPU_MILLI},
                                   .is_live = true};
    e->free_timer = UINT32_MAX;
    e->recorded = HS_NO_JOB;
    hs_jobs_init(&e->jobs, (uint32_t)config->policy->job_state_size);
    hs_intern_init(&e->names);
    engine_open_cluster(e);
    enum hs_status status = engine_open_policy(e);
    if (status == HS_OK)
        return HS_OK;
    hs_engine_close(e);
    *engine = NULL;
    return status;
}

enum hs_status hs_engine_observe(struct hs_engine *e, const struct hs_observer *observer)
{
    if (e->observer_count == HS_OBSERVERS_MAX)
        return hs_fail(e->diag, HS_E_LIMIT, NULL, NULL, "more than %d observers", HS_OBSERVERS_MAX);
    const uint32_t number = e->observer_count++;
    e->observers[number] = *observer;
    e->hears_submit |= (uint32_t)(observer->on_submit != NULL) << number;
    e->hears_start |= (uint32_t)(observer->on_start != NULL) << number;
    e->hears_segment |= (uint32_t)(observer->on_segment != NULL) << number;
    e->hears_decision |= (uint32_t)(observer->on_decision != NULL) << number;
    e->hears_finish |= (uint32_t)(observer->on_finish != NULL) << number;
    e->hears_reject |= (uint32_t)(observer->on_reject != NULL) << number;
    e->hears_instant |= (uint32_t)(observer->on_instant != NULL) << number;
    const uint32_t hears_jobs =
        e->hears_start | e->hears_segment | e->hears_decision | e->hears_finish;
    if ((hears_jobs >> number & 1) != 0 && !observer->is_counts_only)
        e->tells_words = true;
    return HS_OK;
}

void hs_engine_get_figures(const struct hs_engine *e, struct hs_engine_figures *figures)
{
    *figures = e->figures;
    if (e->estimation != NULL)
        figures->unnamed = hs_estimator_unnamed(e->estimation);
}

void hs_engine_close(struct hs_engine *e)
{
    if (e == NULL)
        return;
    hs_jobs_free(&e->jobs);
    hs_heap_free(&e->job_events);
    hs_heap_free(&e->timer_events);
    hs_free(e->timers);
    hs_free(e->plan.actions);
    hs_free(e->plan.picks);
    hs_free(e->touched);
    hs_free(e->usual_training);
    hs_estimator_close(e->estimation);
    hs_intern_free(&e->names);
    hs_arena_free(&e->arena);
    hs_free(e);
}
