/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reservations: windows of time in which nodes belong to a user or a virtual cluster (MODEL.md 14).
 * While a window is open its nodes are set aside in the index of free GPUs, also those that jobs
 * hold: what is free of them is in no search, and what is freed of them stays aside. A node may
 * have several windows, one after the other, and searches may look ahead: so it counts those that
 * cover it.
 */
#include "engine/state.h"

#include <stdlib.h>

static void cover(struct hs_engine *e, uint32_t window, bool is_covered)
{
    const struct hs_reserved *of = &e->windows.of[window];
    for (uint32_t i = 0; i < of->count && !e->windows.is_over[window]; i++) {
        uint32_t *covers = &e->windows.covers[of->nodes[i]];
        *covers += is_covered ? 1 : UINT32_MAX;
        hs_free_set_aside(e->free_index, of->nodes[i], *covers > 0);
    }
}

/* Covers those that open before that time, and those that have begun. */
static void reach(struct hs_engine *e, int64_t until_us)
{
    struct hs_windows *w = &e->windows;
    while (w->reached < w->count &&
           (w->reached < w->opened || w->of[w->reached].start_us < until_us))
        cover(e, w->reached++, true);
    while (w->reached > w->opened && w->of[w->reached - 1].start_us >= until_us)
        cover(e, --w->reached, false);
}

void hs_windows_open(struct hs_engine *e)
{
    const struct hs_reservations *r = e->config.reservations;
    struct hs_windows *w = &e->windows;
    if (r == NULL || r->count == 0)
        return;
    w->count = w->left = r->count;
    w->serves = (e->can & HS_CAN_RESERVE) == 0;
    e->view.windows = w->serves ? 0 : r->count;
    if (w->serves && (e->can & HS_CAN_PREEMPT) != 0)
        hs_machines_know_holders(e);
    e->can &= ~(uint32_t)HS_CAN_DIVIDE;
    w->of = hs_arena_alloc(&e->arena, r->count * sizeof *w->of);
    w->is_over = hs_arena_alloc(&e->arena, r->count * sizeof *w->is_over);
    w->users = hs_arena_alloc(&e->arena, r->count * sizeof *w->users);
    w->vcs = hs_arena_alloc(&e->arena, r->count * sizeof *w->vcs);
    w->changes = hs_arena_alloc(&e->arena, 2 * (uint64_t)r->count * sizeof *w->changes);
    w->covers = hs_arena_alloc(&e->arena, e->cluster->node_count * sizeof *w->covers);
    for (uint32_t i = 0; i < r->count; i++) {
        w->of[i] = (struct hs_reserved){.nodes = r->of[i].nodes, .count = r->of[i].count};
        w->users[i] = hs_intern_get(&e->names, r->of[i].user);
        w->vcs[i] = r->of[i].vc_index;
    }
    w->user_count = e->names.count;
    w->has_job = hs_arena_alloc(&e->arena, w->user_count * sizeof *w->has_job);
}

/* Ends before beginnings, then by number. */
static int compare_changes(const void *a, const void *b)
{
    const struct hs_window_change *x = a, *y = b;
    return 4 * HS_ORDER(x->at_us, y->at_us) - 2 * HS_ORDER(x->is_end, y->is_end) +
           HS_ORDER(x->window, y->window);
}

void hs_windows_begin(struct hs_engine *e)
{
    struct hs_windows *w = &e->windows;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct hs_reservation *r = &e->config.reservations->of[i];
        const int64_t from_us = e->config.reservations->is_dated ? e->figures.epoch_us : 0;
        w->of[i].start_us = r->start_us - from_us;
        w->of[i].end_us = r->end_us - from_us;
        w->changes[w->change_count++] = (struct hs_window_change){w->of[i].start_us, i, false};
        w->changes[w->change_count++] = (struct hs_window_change){w->of[i].end_us, i, true};
    }
    if (w->change_count > 0)
        qsort(w->changes, w->change_count, sizeof *w->changes, compare_changes);
    for (uint32_t i = 0; i < w->change_count; i++) /* begun before the run */
        w->changes[i].at_us = w->changes[i].at_us > 0 ? w->changes[i].at_us : 0;
}

enum hs_status hs_windows_apply(struct hs_engine *e)
{
    struct hs_windows *w = &e->windows;
    for (; hs_windows_next_us(e) <= e->now_us; w->next_change++) {
        const struct hs_window_change *change = &w->changes[w->next_change];
        if (change->is_end) {
            cover(e, change->window, false);
            w->is_over[change->window] = true;
            w->left--;
        } else {
            w->opened++; /* they begin in the order of their numbers */
            reach(e, 0);
            const struct hs_reserved *of = &w->of[change->window];
            for (uint32_t i = 0; i < of->count && w->serves && (e->can & HS_CAN_PREEMPT) != 0; i++)
                HS_TRY(hs_machines_stop_jobs(e, of->nodes[i], HS_SEGMENT_DRAIN));
        }
        e->figures.events++;
        e->instant.is_still = false;
        hs_lifecycle_notify_policy(e, HS_EVENT_NODE, NULL, HS_NO_NODE);
    }
    return HS_OK;
}

const struct hs_reservation *hs_windows_unused(const struct hs_engine *e)
{
    const struct hs_windows *w = &e->windows;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->users[i] != 0 && !w->has_job[w->users[i]])
            return &e->config.reservations->of[i];
    return NULL;
}

/* ---- jobs that the engine starts, where the policy knows no reservations ---- */

bool hs_windows_keep(struct hs_engine *e, enum hs_event_kind kind, struct hs_job *job)
{
    struct hs_windows *w = &e->windows;
    if (job->is_apart && kind == HS_EVENT_FINISH) { /* the policy knows only that there is room */
        job->is_apart = false;
        hs_lifecycle_notify_policy(e, HS_EVENT_NODE, NULL, HS_NO_NODE);
        return true;
    }
    if (job->is_apart || kind != HS_EVENT_SUBMIT)
        return job->is_apart;
    const uint32_t slot = hs_slot_of(&e->jobs, job);
    bool has_one = false;
    for (uint32_t i = 0; i < w->count && job->gpus > 0 && !has_one; i++)
        has_one = !w->is_over[i] && hs_view_window_is_for(&e->view, i, slot);
    if (!has_one)
        return false;
    *hs_push(w->waiting, w->waiting_count, w->waiting_cap, UINT32_MAX) =
        (struct hs_window_waiting){slot, job->index, job->submit_us};
    return false;
}

enum hs_status hs_windows_serve(struct hs_engine *e)
{
    struct hs_windows *w = &e->windows;
    const uint32_t triggers = e->triggers;
    uint32_t kept = 0;
    if (w->waiting_count == 0 || !hs_view_reserved_room(&e->view))
        return HS_OK;
    hs_plan_begin(e);
    for (uint32_t i = 0; i < w->waiting_count; i++) {
        const struct hs_window_waiting *waiting = &w->waiting[i];
        const struct hs_job *job = hs_engine_job(e, waiting->slot);
        const bool waits = job->is_live && job->index == waiting->index &&
                           job->submit_us == waiting->submit_us && job->state == HS_JOB_PENDING &&
                           (job->plan & HS_PLAN_PLACED) == 0; /* twice there: it failed at once */
        if (waits && !hs_plan_start_reserved(&e->plan, &e->view, waiting->slot))
            w->waiting[kept++] = *waiting;
    }
    w->waiting_count = kept;
    HS_TRY(hs_plan_end(e));
    hs_fork_settle(e);
    for (uint32_t i = 0; i < e->plan.count; i++) { /* for the policy they are gone, and never ran */
        struct hs_job *job = hs_engine_job(e, e->plan.actions[i].job);
        struct hs_job_run *run = hs_run_of(&e->jobs, job);
        const int64_t first_start_us = run->first_start_us; /* under another policy: a fork */
        run->first_start_us = -1;
        hs_lifecycle_notify_policy(e, HS_EVENT_FINISH, job, 0);
        run->first_start_us = first_start_us;
        job->is_apart = true;
    }
    e->instant.is_still &= e->plan.count == 0;
    if (e->plan.count > 0)
        HS_TRY(hs_commit(e));
    e->triggers = triggers;
    return HS_OK;
}

void hs_windows_close(struct hs_engine *e)
{
    hs_free(e->windows.waiting);
}

/* ---- starts on the nodes of windows ---- */

uint64_t hs_view_window_free(const struct hs_view *v, uint32_t window)
{
    const struct hs_reserved *w = &v->engine->windows.of[window];
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < w->count; i++)
        gpus += hs_view_in_service(v, w->nodes[i])
                    ? hs_free_of_node(v->engine->free_index, w->nodes[i])
                    : 0;
    return gpus;
}

bool hs_view_reserved_room(const struct hs_view *v)
{
    for (uint32_t i = 0; i < v->engine->windows.opened; i++)
        if (hs_view_window_is_open(v, i) && hs_view_window_free(v, i) > 0)
            return true;
    return false;
}

/* GPUs of the node that the job may have. */
static uint64_t room_of(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    const uint64_t workers = hs_view_node_workers(v, job, node),
                   free = hs_free_of_node(v->engine->free_index, node);
    return !hs_view_may_use(v, job, node) ? 0 : free < workers ? free : workers;
}

static bool start_in(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                     const struct hs_reserved *w)
{
    uint64_t left = hs_view_gpus(v, job), all = 0, least = UINT64_MAX;
    uint32_t node = HS_NO_NODE;
    for (uint32_t i = 0; i < w->count; i++) {
        const uint64_t room = room_of(v, job, w->nodes[i]);
        all += room;
        if (room >= left && room < least) {
            least = room;
            node = w->nodes[i];
        }
    }
    if (left == 0 || all < left || hs_view_quota_room(v, hs_view_vc(v, job)) < left)
        return false;
    hs_plan_reason(p, "on nodes reserved for it");
    hs_plan_start(p, job);
    while (left > 0) {
        for (uint32_t i = 0; i < w->count && least == UINT64_MAX; i++)
            if (node == HS_NO_NODE || room_of(v, job, w->nodes[i]) > room_of(v, job, node))
                node = w->nodes[i];
        const uint64_t room = room_of(v, job, node), taken = left < room ? left : room;
        hs_plan_on_node(p, node, (uint32_t)taken);
        left -= taken;
    }
    hs_plan_reason(p, NULL);
    return true;
}

bool hs_plan_start_reserved(struct hs_plan *p, const struct hs_view *v, hs_job_id job)
{
    for (uint32_t i = 0; i < v->engine->windows.opened; i++)
        if (hs_view_window_is_open(v, i) && hs_view_window_is_for(v, i, job) &&
            start_in(v, p, job, &v->engine->windows.of[i]))
            return true;
    return false;
}

/* ---- the view ---- */

const struct hs_reserved *hs_view_window(const struct hs_view *v, uint32_t window)
{
    return &v->engine->windows.of[window];
}

bool hs_view_window_is_open(const struct hs_view *v, uint32_t window)
{
    return window < v->engine->windows.opened && !v->engine->windows.is_over[window];
}

bool hs_view_window_is_over(const struct hs_view *v, uint32_t window)
{
    return v->engine->windows.is_over[window];
}

uint32_t hs_view_windows_left(const struct hs_view *v)
{
    return v->engine->windows.left;
}

bool hs_view_window_is_for(const struct hs_view *v, uint32_t window, hs_job_id job)
{
    struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    const uint32_t user = e->windows.users[window], vc = e->windows.vcs[window];
    return (user == 0 || user == hs_identity_of(&e->jobs, j)->user) &&
           (vc == UINT32_MAX || vc == j->ask.vc);
}

static bool has_node(const struct hs_reserved *of, uint32_t node)
{
    const uint32_t at = hs_ids_lower_bound(of->nodes, of->count, node);
    return at < of->count && of->nodes[at] == node;
}

uint32_t hs_view_window_held(const struct hs_view *v, uint32_t window, hs_job_id job)
{
    struct hs_engine *e = v->engine;
    const struct hs_reserved *of = &e->windows.of[window];
    const struct hs_job *j = hs_lookup_job(v, job);
    uint32_t held = 0;
    if ((j->plan & HS_PLAN_PLACED) != 0) {
        const struct hs_action *a = &e->plan.actions[e->plan.count - 1];
        while (a->kind != HS_ACT_START || a->job != job)
            a--;
        for (uint32_t i = 0; i < a->pick_count; i++) {
            const struct hs_pick *pick = &e->plan.picks[a->first_pick + i];
            held += has_node(of, pick->node) ? pick->count : 0;
        }
        return held;
    }
    for (const struct hs_allocation *a = hs_job_first(e, j); a != NULL; a = hs_job_next(e, a))
        if (has_node(of, a->node))
            held += e->is_exclusive ? a->count : 1;
    return held;
}

void hs_view_search_until(const struct hs_view *v, int64_t until_us)
{
    reach(v->engine, until_us);
}
