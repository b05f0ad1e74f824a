/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gandiva (Xiao et al., OSDI'18; README.md): parameters, events, and one decision, whose order is:
 * trials and turns that are over, the queue, moves, what is due at a look of the introspection (at
 * multiples of `introspect`), then what runs on each server that changed.
 *
 * Packing by trial and undo, on over-subscribed servers. Jobs of one GPU that have run alone for a
 * quantum, and for profile_steps mini-batches where these are known, are tried in order of
 * utilization beside the unit of least utilization of the same server that leaves memory for them,
 * one at a time for each unit. After the trial the rates of all members, each relative to its own
 * alone, are added up: slicing would give 1 in all. A server is looked at when something has
 * changed there, or a job may have been profiled since; O(ring^2). Not tried again are a job that
 * failed with HS_GANDIVA_FAILED others, one whose GPU ran out of memory, and one of unknown memory.
 */
#include "policies/gandiva/gandiva.h"

#define UNKNOWN_UTIL_PM 1000
#define EVERY_SERVER                                                                               \
    UINT64_MAX /* tag of the defragmentation timer; other tags are server numbers */

static const char *const slicing_names[] = {"exact", "fluid", "auto", NULL};

static void gandiva_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_gandiva *g = state;
    bool packs = g->slices && g->packs;
    bool may_share_time = g->slices && g->slicing != HS_SLICING_EXACT;
    *can = (g->slices ? HS_CAN_PREEMPT | HS_CAN_TIME : 0) |
           (may_share_time ? HS_CAN_SLICE | HS_CAN_COLOCATE : 0) | (packs ? HS_CAN_COLOCATE : 0) |
           (g->migrates ? HS_CAN_MIGRATE : 0) | (g->defrags ? HS_CAN_MIGRATE | HS_CAN_TIME : 0) |
           (g->grows ? HS_CAN_MIGRATE | HS_CAN_RESIZE | HS_CAN_TIME : 0);
    *knows = HS_KNOWS_SPEED | (packs ? HS_KNOWS_MEMORY | HS_KNOWS_UTILIZATION | HS_KNOWS_RATE : 0) |
             (may_share_time ? HS_KNOWS_MEMORY : 0) | (g->migrates || g->grows ? HS_KNOWS_RATE : 0);
    hs_place_needs((struct hs_place_rule){.types = g->types}, knows);
}

static uint32_t gandiva_tenants(const void *state)
{
    return (uint32_t)((const struct hs_gandiva *)state)->max_pack;
}

/* ---- before the run ---- */

static enum hs_status gandiva_init(void *state, const struct hs_view *v)
{
    struct hs_gandiva *g = state;
    g->v = v;
    g->packs = g->packs && g->slices; /* without slicing no server is over-subscribed */
    if (g->max_pack > v->max_tenants)
        g->max_pack = v->max_tenants;
    g->widest = v->max_node_gpus;
    g->vcs = v->vcs;
    g->sizes = g->widest + 2;
    g->pool_count = v->vcs_are_apart ? g->vcs : 1;
    g->spread.link_offset = offsetof(struct hs_gandiva_job, spread);
    g->keep_q32 = HS_GANDIVA_ONE_Q32 + (uint64_t)(g->keep_margin * (double)HS_GANDIVA_ONE_Q32);
    g->defrag_ppm = (uint32_t)(g->defrag_free * 1e6 + 0.5);
    g->max_speed_q32 = HS_GANDIVA_ONE_Q32;
    for (uint32_t t = 0; t < v->gpu_types; t++)
        if (hs_view_gpu_type(v, t)->speed_q32 > g->max_speed_q32)
            g->max_speed_q32 = hs_view_gpu_type(v, t)->speed_q32;
    uint64_t queues = (uint64_t)g->vcs * g->sizes;
    g->pools = hs_view_alloc(v, (uint64_t)g->pool_count * sizeof *g->pools);
    g->claimed = hs_view_alloc(v, (uint64_t)g->vcs * sizeof *g->claimed);
    g->queues = hs_view_alloc(v, queues * sizeof *g->queues);
    g->waits = hs_view_alloc(v, (queues / 64 + 1) * sizeof *g->waits);
    g->heads = hs_view_alloc(v, queues * sizeof *g->heads);
    g->limits = hs_view_alloc(v, queues * sizeof *g->limits);
    hs_gandiva_servers_init(g);
    return HS_OK;
}

/* ---- events ---- */

static void submitted(struct hs_gandiva *g, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    *j = (struct hs_gandiva_job){.first_pin = HS_NO_GPU};
    j->is_elastic = g->grows && hs_view_gpus_max(g->v, job) > hs_view_gpus(g->v, job) &&
                    hs_view_quota(g->v, hs_view_vc(g->v, job)) == UINT64_MAX;
    if (!g->has_job)
        g->priority = hs_view_priority(g->v, job);
    g->has_priorities = g->has_priorities || hs_view_priority(g->v, job) != g->priority;
    g->has_job = true;
    hs_gandiva_enqueue(g, job);
}

/* Jobs that wait for their turn on a server out of service wait in the queue instead. */
static void dismiss(struct hs_gandiva *g, uint32_t server)
{
    for (hs_job_id leader = g->servers[server].ring.first, next; leader != HS_NO_JOB;
         leader = next) {
        next = hs_gandiva_job(g, leader)->ring.after;
        for (hs_job_id job = leader, after; job != HS_NO_JOB; job = after) {
            after = hs_gandiva_job(g, job)->member;
            if (hs_gandiva_job(g, job)->is_running)
                continue;
            hs_gandiva_leave(g, job);
            hs_gandiva_enqueue(g, job);
        }
    }
}

static void gandiva_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_gandiva *g = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        submitted(g, job);
        break;
    case HS_EVENT_FINISH:
        if (hs_gandiva_job(g, job)->where == HS_GANDIVA_WAITS)
            hs_gandiva_dequeue(g, job);
        hs_gandiva_leave(g, job);
        break;
    case HS_EVENT_STOPPED: /* outside a plan a job stops only when its GPU runs out of memory */
        if (hs_gandiva_job(g, job)->is_running) {
            hs_gandiva_leave(g, job);
            hs_gandiva_enqueue(g, job);
        }
        break;
    case HS_EVENT_STEP:
        if (hs_gandiva_job(g, job)->is_awaited)
            hs_gandiva_touch(g, hs_gandiva_job(g, job)->server);
        hs_gandiva_job(g, job)->is_awaited = false;
        break;
    case HS_EVENT_TIMER:
        if (event->tag != EVERY_SERVER &&
            g->servers[event->tag].alarm_us == hs_view_now_us(v)) { /* not replaced */
            g->servers[event->tag].alarm_us = 0;
            hs_gandiva_touch(g, (uint32_t)event->tag);
        }
        break;
    case HS_EVENT_MEMORY:
        if (hs_gandiva_job(g, job)->where == HS_GANDIVA_ON_SERVER)
            g->servers[hs_gandiva_job(g, job)->server].may_burst = true;
        break;
    case HS_EVENT_NODE:
        if (!hs_view_in_service(v, (uint32_t)event->tag))
            dismiss(g, (uint32_t)event->tag);
        for (uint32_t i = 0; i < g->pool_count; i++)
            g->pools[i].has_departure = g->pools[i].has_gained = true;
        break;
    default:
        break;
    }
}

/* ---- packing: which jobs ---- */

/* Time of the first introspection after this time. */
static int64_t next_look_us(const struct hs_gandiva *g, int64_t after_us)
{
    return (after_us / g->introspect_us + 1) * g->introspect_us;
}

/* Whether a unit may be packed on trial: it is not in a trial, and all members may be packed. */
static bool is_packable(const struct hs_gandiva *g, hs_job_id leader)
{
    const struct hs_gandiva_job *l = hs_gandiva_job(g, leader);
    bool is = l->trial == HS_NO_JOB && l->members < (uint64_t)g->max_pack;
    for (hs_job_id m = leader; m != HS_NO_JOB && is; m = hs_gandiva_job(g, m)->member) {
        const struct hs_gandiva_job *j = hs_gandiva_job(g, m);
        is = hs_view_gpus(g->v, m) == 1 && j->held <= 1 && hs_view_ooms(g->v, m) == 0 &&
             hs_view_gpu_mem_mib(g->v, m) > 0 && j->failed_count < HS_GANDIVA_FAILED;
    }
    return is;
}

static int64_t as_wait_us(hs_u128 us)
{
    return us < INT64_MAX / 2 ? (int64_t)us : INT64_MAX / 2;
}

/* Least time until a single job is profiled; 0 = it is. A job is profiled when it has run alone for
 * a quantum (attained time counts by its share) and has done profile_steps mini-batches, on a GPU
 * of the fastest type. */
static int64_t profile_in_us(const struct hs_gandiva *g, hs_job_id job)
{
    uint64_t share_q32 = hs_gandiva_job(g, job)->share_q32, quantum_us = (uint64_t)g->quantum_us;
    int64_t step_us = hs_view_step_us(g->v, job), slice_us = 0, steps_us = 0;
    if (share_q32 == 0) /* it never ran */
        return 1;
    hs_u128 run_us = ((hs_u128)(uint64_t)hs_view_attained_us(g->v, job) * share_q32) >> 32;
    if (run_us < quantum_us)
        slice_us = as_wait_us(((quantum_us - run_us) << 32) / share_q32);
    if (step_us > 0 && hs_view_steps(g->v, job) < (uint64_t)g->profile_steps) {
        /* besides the mini-batch in progress */
        uint64_t rest = (uint64_t)g->profile_steps - hs_view_steps(g->v, job) - 1;
        steps_us = as_wait_us(((hs_u128)rest * (uint64_t)step_us << 32) / g->max_speed_q32) + 1;
    }
    int64_t rest_us = slice_us > steps_us ? slice_us : steps_us;
    if (rest_us == 0 && hs_gandiva_job(g, job)->alone_q32 == 0)
        return 1; /* its rate on this server was not measured yet */
    return rest_us;
}

/* ---- pairs ---- */

static bool has_failed(const struct hs_gandiva *g, hs_job_id job, hs_job_id other)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    bool has = false;
    for (uint32_t i = 0; i < j->failed_count && !has; i++)
        has = j->failed[i] == hs_view_rank(g->v, other);
    return has;
}

static void note_failure(const struct hs_gandiva *g, hs_job_id job, hs_job_id other)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    if (j->failed_count < HS_GANDIVA_FAILED)
        j->failed[j->failed_count++] = hs_view_rank(g->v, other);
}

static bool may_try(const struct hs_gandiva *g, hs_job_id job, hs_job_id leader, uint32_t server)
{
    /* CPUs and host memory suffice for both at once: both run now, or one can be added */
    bool has_workers =
        (!hs_view_is_constrained(g->v, job) && !hs_view_is_constrained(g->v, leader)) ||
        (hs_gandiva_job(g, leader)->is_running &&
         (hs_gandiva_job(g, job)->is_running || hs_gandiva_has_workers(g, job, server, 1)));
    bool may = has_workers && job != leader && hs_gandiva_job(g, leader)->leader == leader &&
               is_packable(g, leader) &&
               hs_view_priority(g->v, job) == hs_view_priority(g->v, leader) &&
               hs_gandiva_fits_gpu(g, g->servers[server].first_gpu,
                                   hs_gandiva_unit_mib(g, leader) + hs_view_gpu_mem_mib(g->v, job));
    for (hs_job_id m = leader; m != HS_NO_JOB && may; m = hs_gandiva_job(g, m)->member)
        may = !has_failed(g, job, m) && !has_failed(g, m, job);
    return may;
}

/* Packs single jobs of g->movers beside units of g->targets, both in order of utilization. */
static void try_pairs(struct hs_gandiva *g, uint32_t server, uint32_t movers, uint32_t targets)
{
    for (uint32_t i = 0; i < movers && g->servers[server].is_over; i++) {
        hs_job_id job = g->movers[i].job;
        uint32_t k = 0;
        if (hs_gandiva_job(g, job)->members > 1) /* another job has just joined it */
            continue;
        while (k < targets && !may_try(g, job, g->targets[k].job, server))
            k++;
        if (k == targets)
            continue;
        hs_job_id leader = g->targets[k].job;
        hs_gandiva_merge(g, job, leader);
        for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member)
            hs_gandiva_job(g, m)->packed_q32 = 0;
    }
}

static void look_for_pairs(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    int64_t profile_us = INT64_MAX;
    uint32_t movers = 0, targets = 0;
    s->look_us = 0;
    if (!s->is_over)
        return;
    HS_EACH_CHAINED(u, &s->ring, g->v) {
        if (!is_packable(g, u))
            continue;
        bool is_single = hs_gandiva_job(g, u)->members == 1;
        if (is_single && hs_gandiva_job(g, u)->is_running)
            hs_gandiva_measure(g, u);
        int64_t in_us = is_single ? profile_in_us(g, u) : 0;
        if (in_us > 0) {
            profile_us = in_us < profile_us ? in_us : profile_us;
            continue;
        }
        int64_t util_pm = 0;
        for (hs_job_id m = u; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member)
            util_pm += hs_view_util_pm(g->v, m) >= 0 ? hs_view_util_pm(g->v, m) : UNKNOWN_UTIL_PM;
        g->targets[targets] = hs_job_place(g->v, u, util_pm);
        if (is_single)
            g->movers[movers++] = g->targets[targets];
        targets++;
    }
    if (profile_us < INT64_MAX / 2)
        s->look_us = next_look_us(g, hs_view_now_us(g->v) + profile_us - 1);
    hs_sort(g->movers, movers);
    hs_sort(g->targets, targets);
    try_pairs(g, server, movers, targets);
}

/* ---- trials ---- */

static void judge_trials(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id next;
    for (hs_job_id u = s->ring.first; u != HS_NO_JOB; u = next) {
        struct hs_gandiva_job *l = hs_gandiva_job(g, u);
        next = l->ring.after;
        if (l->trial == HS_NO_JOB || l->trial_until_us == 0 ||
            l->trial_until_us > hs_view_now_us(g->v))
            continue;
        hs_job_id job = l->trial;
        hs_u128 speed_q32 = 0; /* sum of the rates, each relative to the rate of the member alone */
        bool has_rates = true;
        for (hs_job_id m = u; m != HS_NO_JOB && has_rates; m = hs_gandiva_job(g, m)->member) {
            const struct hs_gandiva_job *j = hs_gandiva_job(g, m);
            if (j->is_running)
                hs_gandiva_measure(g, m);
            has_rates = j->packed_q32 != 0 && j->alone_q32 != 0; /* both rates were measured */
            speed_q32 += has_rates ? ((hs_u128)j->packed_q32 << 32) / j->alone_q32 : 0;
        }
        if (!has_rates) {
            l->trial_until_us = hs_view_now_us(g->v) + g->trial_us;
        } else if (speed_q32 > g->keep_q32) {
            l->trial = HS_NO_JOB;
            s->trials--;
            g->pools[s->pool].has_departure = true; /* a kept group has less demand than a trial */
            hs_plan_count(g->p, HS_POLICY_COUNTER_TRIAL_KEPT);
        } else {
            for (hs_job_id m = u; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member)
                if (m != job) {
                    note_failure(g, job, m);
                    note_failure(g, m, job);
                }
            hs_gandiva_split(g, job);
            hs_plan_count(g->p, HS_POLICY_COUNTER_TRIAL_UNDONE);
        }
    }
}

/* The first member that does not run on the GPUs of the first running member; HS_NO_JOB = none. */
static hs_job_id not_yet_there(const struct hs_gandiva_server *s, const struct hs_gandiva *g,
                               hs_job_id leader)
{
    const struct hs_gandiva_job *first = NULL;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member) {
        const struct hs_gandiva_job *j = hs_gandiva_job(g, m);
        if (!j->is_running || (j->is_regrouped && s->is_processor_sharing) ||
            (first != NULL && j->gpu != first->gpu))
            return m;
        first = first == NULL ? j : first;
    }
    return HS_NO_JOB;
}

static void break_up(struct hs_gandiva *g, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id next;
    for (hs_job_id u = s->ring.first; u != HS_NO_JOB; u = next) {
        hs_job_id leader = u, job = u;
        next = hs_gandiva_job(g, u)->ring.after;
        while (job != HS_NO_JOB && hs_gandiva_job(g, leader)->members > 1 &&
               !hs_gandiva_fits_gpu(g, s->first_gpu, hs_gandiva_unit_mib(g, leader))) {
            hs_job_id second = hs_gandiva_job(g, leader)->member;
            job = not_yet_there(s, g, leader);
            if (job == leader)
                leader = second;
            if (job != HS_NO_JOB)
                hs_gandiva_split(g, job);
        }
    }
}

/* ---- decisions ---- */

/* On each marked server, judges the trials, and moves the jobs whose time slice has ended to the
 * tail of the ring. */
static void end_turns(struct hs_gandiva *g)
{
    for (uint32_t i = 0; i < g->dirty_count; i++) {
        uint32_t server = g->dirty[i];
        if (g->servers[server].trials > 0)
            judge_trials(g, server);
        if (!g->servers[server].is_over || g->servers[server].is_processor_sharing)
            continue;
        hs_job_id next, u = g->servers[server].ring.first;
        for (uint32_t n = g->servers[server].units; n > 0; n--, u = next) {
            struct hs_gandiva_job *l = hs_gandiva_job(g, u);
            next = l->ring.after;
            if (l->deadline_us == 0 || l->deadline_us > hs_view_now_us(g->v))
                continue;
            l->ended_us = l->deadline_us;
            l->deadline_us = 0;
            hs_gandiva_to_tail(g, u);
        }
    }
}

static void fill_free_gpus(struct hs_gandiva *g)
{
    hs_gandiva_scan(g);
    for (uint32_t pool = 0; pool < g->pool_count && g->migrates; pool++)
        while (g->pools[pool].has_gained && g->pools[pool].sliced_jobs > 0 &&
               hs_gandiva_reduce_height(g, pool))
            continue;
    if (g->migrates)
        hs_gandiva_gather(g);
    hs_gandiva_scan(g); /* a move may have freed GPUs */
}

static void introspect(struct hs_gandiva *g)
{
    int64_t now_us = hs_view_now_us(g->v);
    if (now_us == 0 || now_us % g->introspect_us != 0)
        return;
    for (uint32_t i = 0; i < g->dirty_count && g->packs; i++) {
        struct hs_gandiva_server *s = &g->servers[g->dirty[i]];
        if (s->is_over && (s->is_changed || s->look_us == now_us))
            look_for_pairs(g, g->dirty[i]);
    }
    for (uint32_t pool = 0; pool < g->pool_count && g->defrags; pool++)
        if (g->pools[pool].is_defrag_due) {
            while (hs_gandiva_vacate_one(g, pool))
                continue;
            g->pools[pool].is_defrag_due = false;
            hs_gandiva_scan(g);
        }
}

static int64_t earlier(int64_t a_us, int64_t b_us)
{
    return b_us > 0 && b_us < a_us ? b_us : a_us;
}

/* Sets the timer for the next time at which the server needs a decision. */
static void set_alarm(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    int64_t at_us = s->idle_since_us + g->grow_idle_us;
    if (!g->grows || s->elastic == 0 || s->is_over || at_us <= hs_view_now_us(g->v) ||
        hs_view_node_free(g->v, server) == 0)
        at_us = INT64_MAX; /* no job may grow before the next event */
    if (s->is_over)
        at_us = earlier(at_us, s->look_us);
    for (hs_job_id u = s->is_over || s->trials > 0 ? s->ring.first : HS_NO_JOB; u != HS_NO_JOB;
         u = hs_gandiva_job(g, u)->ring.after) {
        const struct hs_gandiva_job *l = hs_gandiva_job(g, u);
        at_us = earlier(at_us, l->deadline_us);
        at_us = earlier(at_us, l->trial != HS_NO_JOB ? l->trial_until_us : 0);
    }
    if (at_us == INT64_MAX || (s->alarm_us > 0 && s->alarm_us <= at_us))
        return;
    hs_plan_timer(g->p, at_us, server);
    s->alarm_us = at_us;
}

static enum hs_status gandiva_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_gandiva *g = state;
    g->p = p;
    int64_t look_us = next_look_us(g, hs_view_now_us(v));
    g->plan++;
    end_turns(g);
    fill_free_gpus(g);
    introspect(g);
    for (uint32_t i = 0; i < g->dirty_count; i++) {
        struct hs_gandiva_server *s = &g->servers[g->dirty[i]];
        if (s->may_burst && s->jobs > s->units)
            break_up(g, g->dirty[i]);
        if (g->packs && s->is_over && s->is_changed)
            s->look_us = look_us;
        hs_gandiva_slice(g, g->dirty[i]);
        hs_gandiva_grow(g, g->dirty[i]);
        set_alarm(g, g->dirty[i]);
    }
    for (uint32_t i = 0; i < g->dirty_count; i++)
        g->servers[g->dirty[i]].is_dirty = false;
    for (uint32_t i = 0; i < g->gained_count; i++)
        g->servers[g->gained[i]].has_gained = false;
    g->dirty_count = g->gained_count = 0;
    bool is_due = false;
    for (uint32_t pool = 0; pool < g->pool_count; pool++) {
        g->pools[pool].has_gained = false;
        is_due = is_due || (g->pools[pool].is_defrag_due && g->pools[pool].free_gpus > 0);
    }
    if (g->defrags && is_due && g->defrag_alarm_us != look_us) {
        hs_plan_timer(p, look_us, EVERY_SERVER);
        g->defrag_alarm_us = look_us;
    }
    return HS_OK;
}

static void gandiva_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_gandiva *g = state;
    static const char *const turns[] = {"quanta", "shares of time", "quanta or shares of time"};
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = "fit",
                                 .placement = HS_TYPES_TEXTS("affinity and height")[g->types],
                                 .preemption = g->slices ? turns[g->slicing] : "none",
                                 .cost = "fixed for a switch, by size for a move"};
}

/* ---- invariants, O(live jobs) ---- */

static const char *check_member(const struct hs_gandiva *g, uint32_t server, hs_job_id leader,
                                hs_job_id job)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    if (j->where != HS_GANDIVA_ON_SERVER || j->server != server)
        return "a ring holds a job of another server";
    if (j->leader != leader)
        return "a packed job has another leader";
    if (j->is_running == hs_job_waits(g->v, job) || (j->held > 0) != j->is_running)
        return "a job of a ring runs although it should not, or the other way round";
    if (j->is_running && j->held != hs_view_gpus_held(g->v, job))
        return "a job of a ring holds other GPUs than it should";
    return NULL;
}

/* Sums over the ring of a server. */
struct server_sums {
    uint32_t units, jobs, trials;
    uint64_t demand;
    bool waits, is_awaited; /* some job waits for its turn; a mini-batch must end first */
};

static const char *check_ring(const struct hs_gandiva *g, uint32_t server, struct server_sums *sums)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id before = HS_NO_JOB;
    for (hs_job_id u = s->ring.first; u != HS_NO_JOB;
         before = u, u = hs_gandiva_job(g, u)->ring.after) {
        const struct hs_gandiva_job *l = hs_gandiva_job(g, u);
        uint32_t members = 0;
        for (hs_job_id m = u; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member, members++) {
            const char *broken = check_member(g, server, u, m);
            if (broken != NULL)
                return broken;
            sums->is_awaited = sums->is_awaited || hs_gandiva_job(g, m)->is_awaited;
        }
        if (members != l->members || members > (uint64_t)g->max_pack)
            return "a group has other members than it counts, or too many";
        if (members > 1 && hs_view_gpus(g->v, u) != 1)
            return "gangs are packed";
        if (l->ring.before != before)
            return "a ring is torn";
        sums->units++;
        sums->jobs += members;
        sums->trials += l->trial != HS_NO_JOB;
        sums->demand += hs_view_gpus(g->v, u);
        sums->waits =
            sums->waits || (members == 1 && !l->is_running && !hs_view_is_constrained(g->v, u));
    }
    return before == s->ring.last ? NULL : "a ring is torn at its end";
}

static bool counts_right(const struct hs_gandiva *g, const struct hs_gandiva_server *s,
                         const struct server_sums *sums)
{
    uint32_t pinned = 0;
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus; gpu++)
        pinned += g->pin_owner[gpu] != 0;
    return sums->units == s->units && sums->jobs == s->jobs && pinned == s->pinned &&
           sums->demand + pinned == s->demand && sums->trials == s->trials;
}

static const char *check_server(const struct hs_gandiva *g, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    struct server_sums sums = {0};
    const char *broken = check_ring(g, server, &sums);
    if (broken != NULL)
        return broken;
    if (!counts_right(g, s, &sums))
        return "a server counts other jobs or GPUs than it has";
    if (hs_gandiva_is_empty(s) && s->affinity != 0)
        return "an empty server has an affinity";
    if (hs_gandiva_is_empty(s) == (g->by_free.keys[server] != UINT64_MAX))
        return "an index has empty servers, or has not all others";
    /* unless groups were split because their memory grew */
    if (!s->may_burst && s->demand > (uint64_t)(g->max_height + 1) * s->gpus)
        return "a server is higher than it may be";
    /* except for a GPU of a job that is about to stop, or that the engine is about to end */
    if (!s->is_over && sums.waits && !sums.is_awaited && !s->is_processor_sharing)
        return "a job waits for its turn on a server that has room for all";
    return NULL;
}

static const char *gandiva_check(const void *state, const struct hs_view *v)
{
    const struct hs_gandiva *g = state;
    const char *broken = NULL;
    for (uint32_t i = 0; i < g->server_count && broken == NULL; i++)
        broken = check_server(g, i);
    for (uint32_t i = 0; i < g->vcs * g->sizes && broken == NULL; i++) {
        const struct hs_job_queue *queue = &g->queues[i];
        broken = hs_waiting_check(queue, v);
        HS_EACH_QUEUED(j, queue, v)
            if (hs_gandiva_job(g, j)->where != HS_GANDIVA_WAITS)
                return "a waiting queue holds a job that does not wait";
    }
    HS_EACH_QUEUED(j, &g->spread, v)
        if (hs_gandiva_job(g, j)->where != HS_GANDIVA_SPREAD || hs_job_waits(v, j))
            return "a job that is said to be spread is not, or does not run";
    return broken;
}

/* ---- the record ---- */

#define PAPER "Xiao et al., Gandiva, OSDI'18"
static const struct hs_param params[] = {
    HS_PARAM_FLAG(struct hs_gandiva, slices, "slice", "yes",
                  "put more jobs on a server than it has GPUs, and time-slice them",
                  .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, packs, "pack", "yes",
                  "with slice: put jobs on one GPU on trial, and keep the pairs that gain",
                  .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, migrates, "migrate", "yes",
                  "when GPUs become free: reduce time slicing, consolidate spread gangs",
                  .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, defrags, "defrag", "yes",
                  "migrate jobs away from servers that are mostly free", .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, grows, "grow", "yes",
                  "elastic jobs grow onto idle GPUs of their server", .source = PAPER),
    HS_PARAM_CHOICE(struct hs_gandiva, slicing, "slicing", "auto", slicing_names,
                    "exact: simulate each time slice; fluid: shares of time; auto: fluid while "
                    "many jobs are sliced"),
    HS_PARAM_INT(struct hs_gandiva, fluid_above, "fluid_above", "1000", 0, 1e9,
                 "slicing=auto: number of time-sliced jobs from which servers use shares of time",
                 .unit = "jobs"),
    HS_PARAM_INT(struct hs_gandiva, max_height, "max_height", "4", 1, 16,
                 "most requested GPUs per GPU of a server, by time slicing"),
    HS_PARAM_DURATION(struct hs_gandiva, quantum_us, "quantum", "60s", 1, 86400,
                      "length of a time slice", .source = PAPER ": 60 s"),
    HS_PARAM_DURATION(struct hs_gandiva, switch_us, "switch", "0.1s", 0, 3600,
                      "time of a suspension and resumption, spent at the resumption",
                      .source = PAPER ": below 0.1 s, up to 1 s for large translation models"),
    HS_PARAM_FLAG(struct hs_gandiva, arrival_front, "arrival_front", "yes",
                  "a new job is the first in the round-robin order of its server, not the last",
                  .source = PAPER),
    HS_PARAM_DURATION(struct hs_gandiva, introspect_us, "introspect", "60s", 1, 86400,
                      "interval between searches for jobs to pack and servers to empty"),
    HS_PARAM_DURATION(struct hs_gandiva, trial_us, "trial", "60s", 1, 86400,
                      "how long jobs are packed on trial"),
    HS_PARAM_INT(struct hs_gandiva, profile_steps, "profile_steps", "20", 0, 1e6,
                 "mini-batches that a job runs alone, besides one quantum, before it is packed",
                 .unit = "mini-batches"),
    HS_PARAM_REAL(struct hs_gandiva, keep_margin, "keep_margin", "0", 0, 15,
                  "packed jobs stay packed if their joint throughput is above 1 + this times that "
                  "of one alone"),
    HS_PARAM_INT(struct hs_gandiva, max_pack, "max_pack", "8", 1, 16, "most jobs packed on one GPU",
                 .unit = "jobs", .source = "VAE's gain in Gandiva's Table 1 takes more than five"),
    HS_PARAM_REAL(struct hs_gandiva, defrag_free, "defrag_free", "0.75", 0.01, 1,
                  "free part of a server from which it counts as mostly free",
                  .source = PAPER ": 3 GPUs of 4"),
    HS_PARAM_DURATION(struct hs_gandiva, grow_idle_us, "grow_idle", "300s", 0, 1e6,
                      "how long GPUs must be idle before a job grows onto them",
                      .source = PAPER ", Fig. 11: about 5 minutes"),
    HS_TYPES_PARAM(struct hs_gandiva, types),
    HS_PARAM_DURATION(struct hs_gandiva, migrate_us, "migrate_base", "0.3s", 0, 3600,
                      "pause of a job that migrates or grows, plus migrate_intra or migrate_inter",
                      .source = "fitted to Gandiva's Fig. 13"),
    HS_PARAM_DURATION(struct hs_gandiva, migrate_intra_us, "migrate_intra", "1.6s", 0, 3600,
                      "additional pause per GB of its checkpoint, within a server",
                      .source = "fitted to Gandiva's Fig. 13"),
    HS_PARAM_DURATION(struct hs_gandiva, migrate_inter_us, "migrate_inter", "2.4s", 0, 3600,
                      "additional pause per GB of its checkpoint, to another server",
                      .source = "fitted to Gandiva's Fig. 13"),
    {0}};

const struct hs_policy_ops hs_policy_gandiva = {
    .name = "gandiva",
    .summary = "time slicing on overcommitted servers, packing by trial, migration, growth; knows "
               "no run times",
    .cite = "Xiao et al., Gandiva, OSDI 2018",
    .can = HS_CAN_PREEMPT | HS_CAN_MIGRATE | HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_RESIZE |
           HS_CAN_TIME,
    .knows = HS_KNOWS_MEMORY | HS_KNOWS_UTILIZATION | HS_KNOWS_RATE | HS_KNOWS_SPEED,
    .params = params,
    HS_POLICY_HOOKS(gandiva, struct hs_gandiva, struct hs_gandiva_job),
    .tenants = gandiva_tenants,
};
