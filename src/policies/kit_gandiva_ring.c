/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns by quanta. At a dispatch units are chosen by priority, highest first, then in ring order,
 * each that still fits; the others are suspended, at the end of their mini-batches. Only where some
 * unit is left out do turns end:
 *
 *     - the turn of a unit is a quantum from the moment it gets its GPUs, or from the last dispatch
 *       because somebody came or went (which gives all that run another one); at its end the unit
 *       goes to the tail, and there is a dispatch
 *     - what a unit runs on after its turn, to the end of a mini-batch, is taken from its next turn
 *     - a chosen unit whose GPUs are held by one that is about to stop waits for them
 *
 * Where CPU or host memory do not suffice for all that are chosen, the first in the ring come
 * first. O(ring) for a dispatch, times the priorities there.
 */
#include "policies/kit_gandiva.h"

struct pass {
    struct hs_gandiva *g;
    const struct hs_view *v;
    struct hs_plan *p;
    struct hs_gandiva_server *s;
    uint32_t server;
};

static struct hs_gandiva_job *job_of(const struct pass *x, hs_job_id job)
{
    return hs_gandiva_job(x->v, job);
}

static bool is_touched(const struct pass *x, hs_job_id job)
{
    return job_of(x, job)->touched == x->g->plan;
}

static hs_job_id running_member(const struct pass *x, hs_job_id leader)
{
    hs_job_id m = leader;
    while (m != HS_NO_JOB && !job_of(x, m)->is_running)
        m = job_of(x, m)->member;
    return m;
}

void hs_gandiva_end_turns(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    int64_t now_us = hs_view_now_us(v);
    hs_job_id next, u = g->servers[server].head;
    for (uint32_t n = g->servers[server].units; n > 0; n--, u = next) {
        struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        next = l->next;
        if (l->deadline_us == 0 || l->deadline_us > now_us)
            continue;
        l->ended_us = l->deadline_us;
        l->deadline_us = 0;
        hs_gandiva_to_tail(g, v, u);
    }
}

/* ---- who is to run ---- */

/* The highest priority below `below` on the server. */
static bool next_class(const struct pass *x, int64_t below, int64_t *priority)
{
    bool is_found = false;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
        int32_t own = hs_view_priority(x->v, u);
        if (own < below && (!is_found || own > *priority)) {
            *priority = own;
            is_found = true;
        }
    }
    return is_found;
}

/* What was started just now cannot be suspended again by the same plan: it stays. */
static void choose(const struct pass *x)
{
    uint32_t room = x->s->gpus - x->s->pinned;
    int64_t priority = INT64_MAX;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
        bool is_fixed = job_of(x, u)->is_running && is_touched(x, u);
        job_of(x, u)->has_turn = is_fixed;
        room -= is_fixed ? hs_view_gpus(x->v, u) : 0;
    }
    while (next_class(x, priority, &priority))
        for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
            struct hs_gandiva_job *l = job_of(x, u);
            if (l->has_turn || hs_view_priority(x->v, u) != priority ||
                hs_view_gpus(x->v, u) > room)
                continue;
            l->has_turn = true;
            room -= hs_view_gpus(x->v, u);
        }
}

/* ---- who stops ---- */

/* Now if it is between mini-batches, else at the end of the one it is at. */
static void stop_job(const struct pass *x, hs_job_id job)
{
    struct hs_gandiva_job *j = job_of(x, job), *l = job_of(x, j->leader);
    int64_t now_us = hs_view_now_us(x->v);
    if (!j->is_running || is_touched(x, job))
        return;
    if (!hs_view_is_between_steps(x->v, job)) {
        if (!j->is_awaited)
            hs_plan_await_step(x->p, job, 1);
        j->is_awaited = true;
        return;
    }
    if (l->ended_us > 0 && now_us - l->ended_us > l->overshoot_us)
        l->overshoot_us = now_us - l->ended_us;
    hs_gandiva_suspend(x->g, x->v, x->p, job);
}

static void stop_unit(const struct pass *x, hs_job_id leader)
{
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member)
        stop_job(x, m);
}

/* A unit before it in the ring that is to run, too, holds the same GPU since a group was taken
 * apart. */
static bool is_in_the_way(const struct pass *x, hs_job_id leader)
{
    hs_job_id own = running_member(x, leader), u = x->s->head;
    bool is = false;
    for (; u != leader && own != HS_NO_JOB && !is; u = job_of(x, u)->next) {
        hs_job_id other = job_of(x, u)->has_turn ? running_member(x, u) : HS_NO_JOB;
        is = other != HS_NO_JOB && job_of(x, other)->gpu == job_of(x, own)->gpu;
    }
    return is;
}

/* Members of a group run on the GPU of the first of them that runs. */
static void keep_unit(const struct pass *x, hs_job_id leader)
{
    hs_job_id first = running_member(x, leader);
    for (hs_job_id m = first; m != HS_NO_JOB; m = job_of(x, m)->member) {
        if (job_of(x, m)->gpu == job_of(x, first)->gpu)
            job_of(x, m)->is_awaited = false;
        else
            stop_job(x, m);
    }
}

static void stop_others(const struct pass *x)
{
    bool is_split = false;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
        bool is_blocking = x->s->has_split && job_of(x, u)->has_turn && is_in_the_way(x, u);
        if (!job_of(x, u)->has_turn || is_blocking)
            stop_unit(x, u);
        else
            keep_unit(x, u);
        is_split = is_split || (is_blocking && running_member(x, u) != HS_NO_JOB);
    }
    x->s->has_split = is_split;
}

/* ---- who starts ---- */

/* It takes CPUs or host memory that count. */
static bool is_constrained(const struct pass *x, hs_job_id leader)
{
    bool is = false;
    for (hs_job_id m = leader; m != HS_NO_JOB && !is; m = job_of(x, m)->member)
        is = hs_view_is_constrained(x->v, m);
    return is;
}

/* Those behind it in the ring make way until there are CPUs and host memory for the job. */
static bool make_room(const struct pass *x, hs_job_id leader, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(x->v, job);
    hs_job_id u = x->s->tail;
    while (!hs_gandiva_has_workers(x->v, job, x->server, gpus) && u != leader) {
        if (job_of(x, u)->has_turn && !is_touched(x, u) && is_constrained(x, u)) {
            job_of(x, u)->has_turn = false;
            stop_unit(x, u);
        }
        u = job_of(x, u)->prev;
    }
    return hs_gandiva_has_workers(x->v, job, x->server, gpus);
}

/* Nobody but members of the group is on the GPU of one of them: who was taken out of it may run
 * there to the end of a mini-batch. */
static bool has_gpu_alone(const struct pass *x, hs_job_id member)
{
    uint32_t own = 0, gpu = job_of(x, member)->gpu;
    for (hs_job_id m = job_of(x, member)->leader; m != HS_NO_JOB; m = job_of(x, m)->member)
        own += job_of(x, m)->is_running && job_of(x, m)->gpu == gpu;
    return hs_view_gpu_tenants(x->v, gpu) == own;
}

/* Beside `first` of its group, or where GPUs are idle; false: not yet. */
static bool start_job(const struct pass *x, hs_job_id job, hs_job_id first)
{
    uint32_t gpus = hs_view_gpus(x->v, job);
    bool can =
        first == HS_NO_JOB ? hs_view_node_free(x->v, x->server) >= gpus : has_gpu_alone(x, first);
    if (!can || !make_room(x, job_of(x, job)->leader, job))
        return false;
    if (first == HS_NO_JOB)
        hs_gandiva_seat_idle(x->g, x->v, x->p, job, HS_GANDIVA_START, 0, gpus);
    else
        hs_gandiva_seat(x->g, x->v, x->p, job, HS_GANDIVA_START, &job_of(x, first)->gpu, 1);
    return true;
}

static void start_unit(const struct pass *x, hs_job_id leader)
{
    hs_job_id first = running_member(x, leader);
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member)
        if (!job_of(x, m)->is_running && start_job(x, m, first) && first == HS_NO_JOB)
            first = m;
}

static void start_chosen(const struct pass *x)
{
    uint32_t gpus = 0;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next)
        if (job_of(x, u)->has_turn && running_member(x, u) == HS_NO_JOB)
            gpus += hs_view_gpus(x->v, u);
    if (x->s->grown > 0)
        hs_gandiva_reclaim(x->g, x->v, x->p, x->server, gpus, false);
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next)
        if (job_of(x, u)->has_turn) {
            start_unit(x, u);
            if (running_member(x, u) == HS_NO_JOB && hs_view_is_constrained(x->v, u) &&
                hs_view_node_free(x->v, x->server) >= hs_view_gpus(x->v, u))
                job_of(x, u)->has_turn = false; /* left out for want of CPUs or host memory */
        }
}

/* ---- turns ---- */

/* A quantum has the cost of the resume in it; one that is no longer than that begins behind it, or
 * nobody would ever get on. */
static int64_t turn_us(const struct hs_gandiva *g)
{
    return g->quantum_us + (g->quantum_us > g->switch_us ? 0 : g->switch_us);
}

static void begin_turn(const struct pass *x, struct hs_gandiva_job *l)
{
    int64_t slice_us = turn_us(x->g) - l->overshoot_us;
    slice_us = slice_us > 1 ? slice_us : 1; /* a mini-batch at least */
    l->overshoot_us -= turn_us(x->g) - slice_us;
    l->deadline_us = hs_view_now_us(x->v) + slice_us;
    l->ended_us = 0;
}

static void set_turns(const struct pass *x)
{
    bool is_left_out = false;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next)
        is_left_out = is_left_out || !job_of(x, u)->has_turn;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
        struct hs_gandiva_job *l = job_of(x, u);
        if (!is_left_out)
            l->deadline_us = l->ended_us = l->overshoot_us = 0;
        else if (!l->has_turn)
            l->deadline_us = 0;
        else if (running_member(x, u) != HS_NO_JOB && (x->s->is_changed || l->deadline_us == 0))
            begin_turn(x, l);
    }
}

/* A trial begins when all of the group run together. */
static void begin_trials(const struct pass *x)
{
    for (hs_job_id u = x->s->head; u != HS_NO_JOB && x->s->trials > 0; u = job_of(x, u)->next) {
        struct hs_gandiva_job *l = job_of(x, u);
        bool is_whole = l->trial != HS_NO_JOB && l->trial_until_us == 0;
        for (hs_job_id m = u; m != HS_NO_JOB && is_whole; m = job_of(x, m)->member)
            is_whole = job_of(x, m)->is_running && job_of(x, m)->gpu == job_of(x, l->trial)->gpu;
        if (is_whole)
            l->trial_until_us = hs_view_now_us(x->v) + x->g->trial_us;
    }
}

void hs_gandiva_dispatch(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                         uint32_t server)
{
    const struct pass x = {.g = g, .v = v, .p = p, .s = &g->servers[server], .server = server};
    choose(&x);
    stop_others(&x);
    start_chosen(&x);
    set_turns(&x);
    begin_trials(&x);
    x.s->is_changed = false;
}
