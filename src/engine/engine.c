/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The main loop. Arrivals are streamed; the heap contains one event per placed job and the timers;
 * an instant is processed completely before time advances (MODEL.md 8).
 */
#include "engine/state.h"

#include "data/csv.h"

/* ---- causes of waiting ----
 *
 * By gang size and VC, without iterating over the queue: each waiting GPU is assigned to one cause
 * at every instant (MODEL.md 10).
 *
 *     quota     more than its VC may still take (none if the policy may borrow)
 *     resources more than is free in its pool
 *     placement enough is free, but not on one node; its part `constraint` is for gangs that no
 *               node of their pool could hold, the rest is fragmentation
 *     priority  it would fit now: a job before it, or the policy, keeps it waiting
 *
 * A gang larger than any node counts as `constraint` when its number is free: whether enough whole
 * nodes are idle is not checked. Each worker that requests a share of a GPU counts as one waiting
 * GPU: it fits if a GPU is idle or has room for it, and its cause is placement (fragmentation) if
 * only several GPUs together have enough room; whether the rest of its gang finds GPUs is not
 * checked. Sums up to a size use Fenwick trees (Software: Practice and Experience 1994). */

static struct hs_wait_sizes sizes_make(uint64_t most, struct hs_arena *arena)
{
    return (struct hs_wait_sizes){.sums = hs_arena_alloc(arena, (most + 2) * sizeof(uint64_t)),
                                  .most = most};
}

static void wait_account_init(struct hs_wait_account *wait_account,
                              const struct hs_cluster *cluster, struct hs_arena *arena)
{
    const bool is_partition = cluster->vc_mode == HS_VC_PARTITION;
    wait_account->vcs =
        hs_arena_alloc(arena, (uint64_t)cluster->vc_count * sizeof *wait_account->vcs);
    for (uint32_t i = 0; i < cluster->vc_count; i++)
        wait_account->vcs[i] =
            (struct hs_wait_account_vc){.gangs = sizes_make(cluster->vcs[i].gpus, arena),
                                        .shares = sizes_make(HS_GPU_MILLI - 1, arena),
                                        .max_node_gpus = is_partition ? 0 : cluster->max_node_gpus};
    for (uint32_t n = 0; is_partition && n < cluster->node_count; n++) {
        const struct hs_node *node = &cluster->nodes[n];
        struct hs_wait_account_vc *vc = &wait_account->vcs[node->vc];
        vc->max_node_gpus = node->gpus > vc->max_node_gpus ? node->gpus : vc->max_node_gpus;
    }
}

/* Subtracts by unsigned wrap-around. */
HS_EXPANDED void hs_wait_account_change(struct hs_wait_account *wait_account,
                                        const struct hs_ask *ask, uint32_t gpus, int sign)
{
    struct hs_wait_account_vc *vc = &wait_account->vcs[ask->vc];
    const bool is_part = ask->gpu_milli < HS_GPU_MILLI;
    struct hs_wait_sizes *s = is_part ? &vc->shares : &vc->gangs;
    const uint64_t amount = sign > 0 ? gpus : 0 - (uint64_t)gpus;
    const uint64_t asked = is_part ? ask->gpu_milli : gpus;
    const uint64_t size = asked <= s->most ? asked : s->most + 1;
    uint64_t *const sums = s->sums;
    wait_account->gpus_wanted += amount;
    s->wanted += amount;
    s->largest = size > s->largest ? size : s->largest;
    for (uint64_t i = size; i > 0; i &= i - 1)
        sums[i] += amount;
}

static uint64_t wanted_upto(const struct hs_wait_sizes *s, uint64_t size)
{
    uint64_t sum = s->wanted;
    if (size >= s->most)
        return sum;
    for (uint64_t i = size + 1; i <= s->largest; i += i & (0 - i))
        sum -= s->sums[i];
    return sum;
}

/* Free amounts: in total, on the node (for shares: the GPU) with most, and within the quota. */
struct room {
    uint64_t all, most, quota;
};

/* Adds waiting GPUs to their causes; returns the part of gangs not larger than what is free. */
static uint64_t book_waiting(const struct hs_wait_sizes *s, const struct room *room,
                             uint64_t max_size, struct hs_instant *to)
{
    const uint64_t all = room->all, quota = room->quota;
    const uint64_t number = all < quota ? all : quota; /* may be taken */
    const uint64_t within_quota = wanted_upto(s, quota), within_all = wanted_upto(s, all);
    const uint64_t within = all < quota ? within_all : within_quota;
    const uint64_t fits = wanted_upto(s, room->most < number ? room->most : number);
    to->wait_quota += s->wanted - within_quota;
    to->wait_resources += within_quota - within;
    to->wait_placement += within - fits;
    if (max_size < number)
        to->wait_constraint += within - wanted_upto(s, max_size);
    to->wait_priority += fits;
    return within_all;
}

static void instant_book_waiting(struct hs_engine *e)
{
    struct hs_instant *to = &e->instant;
    if ((e->wait_account.gpus_wanted | to->gpus_wanted) == 0) /* and no job waited before */
        return;
    to->gpus_wanted = e->wait_account.gpus_wanted;
    to->gpus_fragmented = to->wait_constraint = 0;
    to->wait_quota = to->wait_resources = to->wait_placement = to->wait_priority = 0;
    for (uint32_t v = 0; to->gpus_wanted > 0 && v < e->view.vcs; v++) {
        const struct hs_wait_account_vc *vc = &e->wait_account.vcs[v];
        if (vc->gangs.wanted + vc->shares.wanted == 0)
            continue;
        const uint64_t free_gpus = hs_free_total(e->free_index, v);
        const struct room room = {free_gpus, hs_free_max(e->free_index, v),
                                  hs_view_quota_room(&e->view, v)};
        const uint64_t within = book_waiting(&vc->gangs, &room, vc->max_node_gpus, to);
        if (vc->shares.wanted > 0) {
            const struct room shares = {.all = free_gpus * HS_GPU_MILLI + hs_part_all(e->parts, v),
                                        .most = free_gpus > 0 ? HS_GPU_MILLI
                                                              : hs_part_most(e->parts, v),
                                        .quota = hs_view_quota_room_milli(&e->view, v)};
            (void)book_waiting(&vc->shares, &shares, UINT64_MAX, to);
        }
        if (within > 0 || (vc->shares.wanted > 0 && free_gpus > 0))
            to->gpus_fragmented =
                e->view.vcs_are_apart ? to->gpus_fragmented + free_gpus : free_gpus;
    }
}

/* ---- the loop ---- */

/* In instants: one with a million waiting jobs takes some milliseconds, reading the clock 0.03
 * microseconds. */
#define POLL_EVERY 16u

struct hs_arrivals {
    struct hs_job_source source;
    struct hs_trace_job *next; /* record of the source */
    int64_t at_us;             /* HS_TIME_MAX after the last */
    bool has_epoch;
};

static enum hs_status arrivals_advance(struct hs_engine *e, struct hs_arrivals *a)
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

static uint32_t next_slot(const struct hs_engine *e)
{
    return e->jobs.placements[hs_heap_next_id(&e->job_events)].slot;
}

/* Handles the end of a cost or of the work, a milestone, or the kill for lack of GPU memory. Work
 * completed in time is not lost to an overflow at the same time. */
static enum hs_status job_event(struct hs_engine *e, struct hs_job *job)
{
    hs_heap_remove(&e->job_events, job->placement);
    if (e->job_events.count > 0) /* prefetch while the job is handled */
        hs_jobs_expect(&e->jobs, next_slot(e));
    hs_progress_sync(e, job);
    e->figures.events++;
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    bool is_done = job->state == HS_JOB_RUNNING || run->done_ns >= job->work_ns;
    if (is_done && placement->finish_us == e->now_us) /* also for a job with only a cost */
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
        hs_lifecycle_notify_policy(e, HS_EVENT_STEP, job, 0);
        return HS_OK;
    }
    if (placement->finish_us != e->now_us) /* a finish at this time made room */
        return HS_OK;
    job->state = placement->is_waiting ? HS_JOB_PAUSED : HS_JOB_RUNNING;
    hs_progress_touch_beside(e, job);
    hs_lifecycle_notify_policy(e, HS_EVENT_PROGRESS, job, 0);
    return HS_OK;
}

/* Times of the next events; HS_TIME_MAX: none. */
struct due {
    int64_t job_us, timer_us, machine_us;
};

/* Handles everything due now, in the order of MODEL.md 8. */
static enum hs_status instant_events(struct hs_engine *e, struct hs_arrivals *a, struct due due)
{
    e->instant.is_still =
        due.job_us != e->now_us && a->at_us != e->now_us && due.machine_us != e->now_us;
    for (; due.job_us == e->now_us; due.job_us = hs_heap_next_us(&e->job_events))
        HS_TRY(job_event(e, hs_engine_job(e, next_slot(e))));
    if (HS_UNLIKELY(due.machine_us == e->now_us))
        HS_TRY(hs_machines_apply(e));
    while (a->at_us == e->now_us) {
        HS_TRY(hs_lifecycle_submit(e, a->next));
        e->figures.events++;
        HS_TRY(arrivals_advance(e, a));
    }
    if (HS_UNLIKELY(hs_windows_next_us(e) <= e->now_us))
        HS_TRY(hs_windows_apply(e));
    for (; due.timer_us == e->now_us; due.timer_us = hs_heap_next_us(&e->timer_events)) {
        const uint32_t timer = hs_heap_next_id(&e->timer_events);
        const uint64_t tag = e->timer_tags[timer];
        hs_heap_remove(&e->timer_events, timer);
        hs_pool_give(&e->timers, &e->timer_tags[timer], timer);
        e->figures.events++;
        hs_lifecycle_notify_policy(e, HS_EVENT_TIMER, NULL, tag);
    }
    return hs_progress_rerate(e);
}

/* Repeats the decision if the plan itself ended a job. Each repetition ended a job, so the loop
 * terminates. */
static enum hs_status instant_decide(struct hs_engine *e)
{
    do {
        hs_plan_begin(e);
        HS_TRY(e->policy->decide(e->policy_state, &e->view, &e->plan));
        HS_TRY(hs_plan_end(e));
        e->figures.decisions++;
        e->instant.is_still &= (e->plan.kinds & ~(1u << HS_ACT_TIMER)) == 0;
        if (e->plan.count > 0) {
            hs_fork_settle(e);
            HS_TRY(hs_commit(e));
        }
        e->triggers &= 1u << HS_EVENT_FINISH; /* caused by the policy: not reported to it */
    } while (e->plan.has_ended_job);
    return HS_OK;
}

/* Called after an instant: checks whether a limit is reached. */
static enum hs_status check_limits(struct hs_engine *e, enum hs_stop *stop)
{
    if (e->figures.events >= e->config.max_events)
        *stop = HS_STOP_EVENTS;
    if (*stop != HS_STOP_NONE || e->config.poll == NULL || e->figures.instants % POLL_EVERY != 0)
        return HS_OK;
    const enum hs_status status = e->config.poll(e->config.poll_ctx, &e->instant);
    if (status != HS_END)
        return status;
    *stop = HS_STOP_POLL;
    return HS_OK;
}

/* Handles an instant after its events. */
static enum hs_status instant_end(struct hs_engine *e)
{
    HS_TRY(hs_windows_serve(e));
    HS_TRY(instant_decide(e));
    e->figures.instants++;
    HS_TRY(hs_invariants_check(e));
    if (!e->instant.is_still)
        instant_book_waiting(e);
    return hs_observe_instant(e);
}

/* A policy with a timer that always returns, as Gavel's rounds do, would wait for nodes that never
 * come back for ever. So many timers without any other event mean that it does. */
#define TIMERS_ALONE 1000u

static int64_t next_but_timers_us(const struct hs_engine *e, struct due due)
{
    int64_t next_us = due.job_us < e->arrivals->at_us ? due.job_us : e->arrivals->at_us;
    next_us = due.machine_us < next_us ? due.machine_us : next_us;
    return HS_UNLIKELY(hs_windows_next_us(e) < next_us) ? hs_windows_next_us(e) : next_us;
}

/* Runs instant by instant; timers alone do not continue a run. */
static enum hs_status run_until_quiet(struct hs_engine *e)
{
    struct hs_arrivals *const a = e->arrivals;
    uint32_t timers = 0;
    for (enum hs_stop stop = HS_STOP_NONE;;) {
        const struct due due = {.job_us = hs_heap_next_us(&e->job_events),
                                .timer_us = hs_heap_next_us(&e->timer_events),
                                .machine_us = hs_machines_next_us(e)};
        int64_t next_us = next_but_timers_us(e, due);
        if (a->at_us == HS_TIME_MAX && e->jobs.live == 0)
            return HS_OK;
        timers = next_us == HS_TIME_MAX ? timers + 1 : 0;
        next_us = due.timer_us < next_us ? due.timer_us : next_us;
        if (next_us == HS_TIME_MAX || timers > TIMERS_ALONE) {
            if (hs_free_out(e->free_index) > 0) /* jobs wait for nodes that never come back */
                return hs_lifecycle_cut(e);
            if (next_us == HS_TIME_MAX) /* or by mistake */
                return HS_OK;
        }
        hs_fork_end_before(e, next_us);
        if (stop == HS_STOP_NONE && next_us > e->config.until_us) {
            if (e->config.at_until != NULL)
                HS_TRY(e->config.at_until(e->config.poll_ctx));
            stop = HS_STOP_UNTIL;
            e->now_us = e->config.until_us;
        }
        if (stop != HS_STOP_NONE) {
            e->figures.stop = stop;
            return hs_lifecycle_cut(e);
        }
        e->now_us = next_us;
        HS_TRY(instant_events(e, a, due));
        HS_TRY(instant_end(e));
        HS_TRY(check_limits(e, &stop));
    }
}

/* Tells whether the policy does not ask about single GPUs (progress.c). This may end later. */
static bool may_be_exclusive(const struct hs_engine *e)
{
    const uint32_t can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_THROTTLE;
    const uint32_t knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE;
    return (e->can & can) == 0 && (e->knows & knows) == 0;
}

static void expect_jobs(struct hs_engine *e, struct hs_job_source source)
{
    e->arrivals = hs_arena_alloc(&e->arena, sizeof *e->arrivals);
    e->arrivals->source = source;
    if (!may_be_exclusive(e)) /* the policy may ask about single GPUs */
        hs_jobs_know_needs(&e->jobs);
    e->jobs.has_estimates = e->estimation != NULL;
}

enum hs_status hs_engine_run(struct hs_engine *e, struct hs_job_source source)
{
    expect_jobs(e, source);
    /* The default record, of jobs never placed. */
    e->jobs.runs[0].cost_left_us = e->config.startup_us;
    HS_TRY(arrivals_advance(e, e->arrivals));
    hs_windows_begin(e);
    return hs_engine_continue(e, e->config.until_us);
}

enum hs_status hs_engine_continue(struct hs_engine *e, int64_t until_us)
{
    e->config.until_us = until_us;
    HS_TRY(run_until_quiet(e));
    HS_TRY(e->plan.refused); /* a fault in the last events, after the last decision */
    e->figures.end_us = e->now_us;
    if (e->jobs.live > 0 && e->figures.unfinished == 0)
        return hs_fail(e->diag, HS_E_POLICY, NULL,
                       "this is a fault of the policy, not of the input; the run was stopped",
                       "policy '%s' leaves %llu jobs waiting although nothing is left to wait for",
                       e->policy->name, (unsigned long long)e->jobs.live);
    return HS_OK;
}

enum hs_status hs_engine_fork(struct hs_engine **engine, const struct hs_engine_config *config,
                              struct hs_job_source source)
{
    struct hs_engine *const from = *engine;
    struct hs_engine *e;
    HS_TRY(hs_fork_leave(from, config->begin_us));
    HS_TRY(hs_engine_open(&e, config, from->diag));
    hs_exclusive_end(e); /* placements are by name */
    expect_jobs(e, source);
    const enum hs_status status = hs_fork_move(e, from);
    hs_engine_close(from);
    *engine = e;
    HS_TRY(status);
    const uint64_t events = e->figures.events;
    hs_windows_begin(e);
    HS_TRY(hs_machines_apply(e)); /* what happened to machines so far; it stops no job again */
    HS_TRY(hs_windows_apply(e));
    e->figures.events = events;
    HS_TRY(hs_fork_submit(e, source));
    e->arrivals->has_epoch = true;
    HS_TRY(arrivals_advance(e, e->arrivals));
    return instant_end(e);
}

static void engine_open_cluster(struct hs_engine *e)
{
    const struct hs_cluster *c = e->cluster;
    uint32_t words = c->gpu_count / 64 + 1;
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
    e->gpus = hs_arena_alloc(&e->arena, (uint64_t)c->gpu_count * sizeof *e->gpus);
    e->gpu_free = hs_arena_alloc(&e->arena, (uint64_t)words * sizeof *e->gpu_free);
    e->gpu_ids = hs_arena_alloc(&e->arena, ((uint64_t)c->gpu_count + 1) * sizeof *e->gpu_ids);
    e->node_balance = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->node_balance);
    e->marked_nodes = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->marked_nodes);
    e->is_marked = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->is_marked);
    const uint64_t quotas = c->quotas != NULL ? c->quota_count : c->vc_count;
    e->vc_held_milli = hs_arena_alloc(&e->arena, quotas * sizeof *e->vc_held_milli);
    e->type_gpus =
        hs_arena_alloc(&e->arena, (uint64_t)c->vc_count * c->type_count * sizeof *e->type_gpus);
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct hs_node *node = &c->nodes[n];
        *hs_machines_type_gpus(e, n) += node->gpus;
        e->nodes_state_limits = e->nodes_state_limits || node->cpus > 0 || node->mem_mib > 0;
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
            e->gpus[id] = (struct hs_gpu){.node = n, .first_allocation = HS_NO_ALLOCATION};
            e->gpu_free[id / 64] |= UINT64_C(1) << (id % 64);
        }
    }
    wait_account_init(&e->wait_account, c, &e->arena);
    e->search_types = UINT64_MAX;
    hs_free_init(&e->free_index, c, c->vc_mode == HS_VC_PARTITION, e->config.jitter_seed,
                 &e->arena);
}

static enum hs_status engine_open_policy(struct hs_engine *e)
{
    const struct hs_policy_ops *policy = e->policy;
    uint32_t limit_mib[HS_GPU_TYPES_MAX];
    e->can = policy->can;
    e->knows = policy->knows;
    e->policy_state = hs_arena_alloc(&e->arena, policy->state_size);
    e->no_scratch = hs_arena_alloc(&e->arena, policy->job_state_size + 1);
    memcpy(e->policy_state, e->config.policy_state, policy->state_size);
    if (policy->needs != NULL)
        policy->needs(e->policy_state, &e->can, &e->knows);
    e->jobs.are_all_elastic = (e->can & HS_CAN_RESIZE_ANY) != 0;
    if ((e->can & HS_CAN_INTERLEAVE) == 0)
        e->config.stages = NULL;
    else
        e->config.interference = NULL;
    if (policy->tenants != NULL && ((e->can & HS_CAN_INTERLEAVE) != 0 ||
                                    policy->tenants(e->policy_state) < e->config.max_tenants))
        e->config.max_tenants = policy->tenants(e->policy_state);
    e->view = (struct hs_view){
        .engine = e,
        .nodes = e->cluster->node_count,
        .racks = e->cluster->rack_count,
        .rack_first = e->cluster->rack_first,
        .gpu_types = e->cluster->type_count,
        .max_node_gpus = e->cluster->max_node_gpus,
        .lp = hs_lp_open(),
        .vcs = e->cluster->vc_count,
        .vcs_are_apart = e->cluster->vc_mode == HS_VC_PARTITION,
        .has_cohorts = e->cluster->quotas != NULL,
        .max_tenants = e->config.max_tenants,
        .ties_are_drawn = e->config.jitter_seed != 0,
    };
    hs_windows_open(e);
    e->is_exclusive = may_be_exclusive(e);
    if (policy->wants_mean_util)
        e->util_memory =
            hs_arena_alloc(&e->arena, (uint64_t)e->cluster->gpu_count * sizeof *e->util_memory);
    for (uint32_t t = 0; t < e->cluster->type_count; t++)
        limit_mib[t] =
            e->cluster->types[t].mem_mib > 0 ? (uint32_t)hs_type_capacity_mib(e, t, 2) : UINT32_MAX;
    if ((e->can & HS_CAN_COLOCATE) != 0 && policy->load != NULL) /* it shares */
        hs_share_init(&e->share, e->cluster, e->free_index, e->view.vcs_are_apart, limit_mib,
                      &e->arena);
    if (policy->init == NULL)
        return HS_OK;
    e->is_initialising = true;
    enum hs_status status = policy->init(e->policy_state, &e->view);
    e->is_initialising = false;
    return status != HS_OK ? status : e->plan.refused;
}

enum hs_status hs_view_fail(const struct hs_view *v, enum hs_status status, const char *text)
{
    return hs_fail(v->engine->diag, status, NULL, NULL, "policy '%s': %s", v->engine->policy->name,
                   text);
}

void hs_view_warn(const struct hs_view *v, const char *text)
{
    struct hs_engine *e = v->engine;
    if (!e->has_warned)
        hs_report(e->diag, HS_WARNING, NULL, NULL, "policy '%s', t = %.6f s: %s", e->policy->name,
                  (double)e->now_us / 1e6, text);
    e->has_warned = true;
}

enum hs_status hs_engine_open(struct hs_engine **engine, const struct hs_engine_config *config,
                              struct hs_diag *diag)
{
    struct hs_engine *e = hs_alloc_zeroed(1, sizeof *e);
    *engine = e;
    e->config = *config;
    if (config->max_events == 0)
        e->config.max_events = UINT64_MAX;
    e->diag = diag;
    e->now_us = config->begin_us;
    e->cluster = config->cluster;
    e->policy = config->policy;
    e->plan.engine = e;
    e->recorded = HS_NO_JOB;
    hs_jobs_init(&e->jobs, (uint32_t)config->policy->job_state_size);
    hs_intern_init(&e->names);
    engine_open_cluster(e);
    hs_machines_open(e);
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
    e->observes_submit |= (uint32_t)(observer->on_submit != NULL) << number;
    e->observes_start |= (uint32_t)(observer->on_start != NULL) << number;
    e->observes_segment |= (uint32_t)(observer->on_segment != NULL) << number;
    e->observes_decision |= (uint32_t)(observer->on_decision != NULL) << number;
    e->observes_finish |= (uint32_t)(observer->on_finish != NULL) << number;
    e->observes_reject |= (uint32_t)(observer->on_reject != NULL) << number;
    e->observes_instant |= (uint32_t)(observer->on_instant != NULL) << number;
    const uint32_t observes_jobs =
        e->observes_start | e->observes_segment | e->observes_decision | e->observes_finish;
    if ((observes_jobs >> number & 1) != 0 && !observer->is_counts_only)
        e->needs_texts = true;
    return HS_OK;
}

void hs_engine_get_figures(const struct hs_engine *e, struct hs_engine_figures *figures)
{
    *figures = e->figures;
    figures->has_shared_turns = e->instant.policy_counter[HS_POLICY_COUNTER_TURNS_SHARED] > 0;
    figures->unused = hs_windows_unused(e);
    if (e->estimation != NULL)
        figures->unnamed = hs_estimator_unnamed(e->estimation);
}

void hs_engine_close(struct hs_engine *e)
{
    if (e == NULL)
        return;
    hs_fork_end(e);
    hs_jobs_free(&e->jobs);
    hs_heap_free(&e->job_events);
    hs_heap_free(&e->timer_events);
    hs_machine_feed_close(e->machine_feed);
    hs_windows_close(e);
    hs_free(e->timer_tags);
    hs_free(e->plan.actions);
    hs_free(e->plan.picks);
    hs_free(e->touched);
    hs_free(e->marked_gpus);
    hs_free(e->tenants);
    hs_free(e->fair_shares);
    hs_free(e->usual_training);
    hs_estimator_close(e->estimation);
    hs_lp_close(e->view.lp);
    hs_intern_free(&e->names);
    hs_arena_free(&e->arena);
    hs_free(e);
}

enum hs_status hs_view_numbers(const struct hs_view *v, const char *path, const int64_t **values,
                               uint32_t *count)
{
    struct hs_engine *e = v->engine;
    int64_t *read = NULL;
    if (!e->is_initialising) {
        hs_plan_refuse(&e->plan, HS_NO_JOB, "to read a file is for its init only");
        return e->plan.refused;
    }
    const enum hs_status status = hs_csv_numbers(path, &read, count, e->diag);
    const uint64_t bytes = (uint64_t)*count * sizeof *read;
    if (status == HS_OK)
        *values = memcpy(hs_arena_alloc(&e->arena, bytes), read, bytes);
    hs_free(read);
    return status;
}

bool hs_view_deadline_option(const struct hs_view *v, hs_job_id job, uint32_t i,
                             struct hs_deadline_option *option)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    uint32_t at = hs_request_of(jobs, hs_lookup_job(v, job))->options;
    for (; at != 0 && i > 0; i--)
        at = jobs->options[at].next;
    *option = at != 0 ? jobs->options[at].of : (struct hs_deadline_option){0};
    return at != 0;
}
