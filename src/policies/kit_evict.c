/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merges the running jobs (sorted at each decision, their keys change with time) with the waiting
 * queue (kept in order) and walks them by key.
 */
#include "policies/kit_evict.h"

static struct hs_evict_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

enum hs_status hs_evict_init(struct hs_evict *e, const struct hs_view *v)
{
    uint32_t vcs = hs_view_vcs(v);
    uint64_t most = 0;
    e->running = hs_view_alloc(v, vcs * sizeof *e->running);
    if (e->running == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < vcs; vc++) {
        uint64_t gpus = hs_view_total_gpus(v, vc);
        most = gpus > most ? gpus : most;
        e->running[vc].jobs = hs_view_alloc(v, gpus * sizeof *e->running[vc].jobs);
        if (e->running[vc].jobs == NULL)
            return HS_E_MEMORY;
    }
    e->by_key = hs_view_alloc(v, most * sizeof *e->by_key);
    return e->by_key != NULL ? hs_queue_init(&e->waiting, v) : HS_E_MEMORY;
}

static void running_add(struct hs_evict *e, const struct hs_view *v, hs_job_id job)
{
    if (hs_view_gpus(v, job) == 0) /* a CPU job is never in anyone's way */
        return;
    struct hs_evict_running *running = &e->running[hs_view_vc(v, job)];
    scratch_of(v, job)->position = running->count;
    running->jobs[running->count++] = job;
}

static void running_remove(struct hs_evict *e, const struct hs_view *v, hs_job_id job)
{
    struct hs_evict_running *running = &e->running[hs_view_vc(v, job)];
    uint32_t position = scratch_of(v, job)->position;
    if (position >= running->count || running->jobs[position] != job)
        return;
    hs_job_id last = running->jobs[--running->count];
    running->jobs[position] = last;
    scratch_of(v, last)->position = position;
}

void hs_evict_event(struct hs_evict *e, const struct hs_view *v, const struct hs_event *event,
                    hs_key *key)
{
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        hs_queue_wake(&e->waiting, v, job);
        hs_queue_add(&e->waiting, v, job, key(v, job));
        break;
    case HS_EVENT_STOPPED:
        running_remove(e, v, job);
        hs_queue_add(&e->waiting, v, job, key(v, job));
        break;
    case HS_EVENT_STARTED:
        hs_queue_remove(&e->waiting, v, job);
        running_add(e, v, job);
        break;
    case HS_EVENT_FINISH:
        hs_queue_wake(&e->waiting, v, job);
        hs_queue_remove(&e->waiting, v, job);
        running_remove(e, v, job);
        break;
    case HS_EVENT_PROGRESS:
    case HS_EVENT_TIMER:
        break;
    }
}

/* The running jobs of one VC in order of key. */
static void running_sort(struct hs_evict *e, const struct hs_view *v, uint32_t vc, hs_key *key)
{
    const struct hs_evict_running *running = &e->running[vc];
    for (uint32_t i = 0; i < running->count; i++) {
        hs_job_id job = running->jobs[i];
        e->by_key[i] = (struct hs_sort_entry){.key = key(v, job),
                                              .submit_us = hs_view_submit_us(v, job),
                                              .rank = hs_view_rank(v, job),
                                              .job = job};
    }
    hs_sort(e->by_key, running->count);
}

/* GPUs that the jobs of a VC may hold together: theirs, and what quota and other VCs leave. */
static uint64_t vc_capacity(const struct hs_evict *e, const struct hs_view *v, uint32_t vc)
{
    uint64_t capacity = hs_queue_room(v, vc);
    for (uint32_t i = 0; i < e->running[vc].count; i++)
        capacity += hs_view_gpus_held(v, e->running[vc].jobs[i]);
    return capacity;
}

/* A walk over running and waiting jobs of one VC together, by key; running first on ties. */
struct walk {
    const struct hs_evict *e;
    const struct hs_view *v;
    uint32_t vc, next_running;
    hs_job_id next_waiting;
};

static hs_job_id walk_next(struct walk *w, uint64_t gpus_left, bool *is_running)
{
    const struct hs_order *set = &w->e->waiting.by_vc[w->vc];
    /* the candidate kept from the last step may have become too large */
    if (w->next_waiting != HS_NO_JOB && hs_view_gpus(w->v, w->next_waiting) > gpus_left)
        w->next_waiting = hs_order_next_fitting(set, w->v, w->next_waiting, gpus_left);
    bool has_running = w->next_running < w->e->running[w->vc].count;
    const struct hs_sort_entry *r = &w->e->by_key[w->next_running];
    *is_running = has_running &&
                  (w->next_waiting == HS_NO_JOB || r->key <= hs_order_key(w->v, w->next_waiting));
    if (*is_running)
        return w->e->by_key[w->next_running++].job;
    hs_job_id job = w->next_waiting;
    if (job != HS_NO_JOB)
        w->next_waiting = hs_order_next_fitting(set, w->v, job, gpus_left);
    return job;
}

static struct walk walk_begin(const struct hs_evict *e, const struct hs_view *v, uint32_t vc,
                              uint64_t gpus_left)
{
    const struct hs_order *set = &e->waiting.by_vc[vc];
    return (struct walk){.e = e,
                         .v = v,
                         .vc = vc,
                         .next_waiting = hs_order_next_fitting(set, v, HS_NO_JOB, gpus_left)};
}

static void evict_unchosen(const struct hs_evict *e, const struct hs_view *v, struct hs_plan *p,
                           uint32_t vc, uint64_t left, const struct hs_preempt_cost *cost)
{
    bool is_running;
    struct walk w = walk_begin(e, v, vc, left);
    for (hs_job_id j; (j = walk_next(&w, left, &is_running)) != HS_NO_JOB;) {
        uint32_t gpus = hs_view_gpus(v, j);
        if (gpus <= left)
            left -= gpus;
        else
            hs_plan_preempt(p, j, hs_cost_us(cost, v, j));
    }
}

/* The same walk again: who is chosen and waits gets GPUs now that the others have left them. */
static void place_chosen(const struct hs_evict *e, const struct hs_view *v, struct hs_plan *p,
                         uint32_t vc, uint64_t left, enum hs_placer placer)
{
    bool is_running;
    struct walk w = walk_begin(e, v, vc, left);
    for (hs_job_id j; (j = walk_next(&w, left, &is_running)) != HS_NO_JOB;) {
        uint32_t gpus = hs_view_gpus(v, j);
        if (gpus > left)
            continue;
        left -= gpus;
        if (!is_running)
            (void)hs_place_or_reject(v, p, j, placer);
    }
}

void hs_evict_decide(struct hs_evict *e, const struct hs_view *v, struct hs_plan *p,
                     enum hs_placer placer, const struct hs_preempt_cost *cost, hs_key *key)
{
    for (uint32_t vc = 0; vc < e->waiting.vcs; vc++) {
        if (!hs_queue_needs_scan(&e->waiting, vc))
            continue;
        running_sort(e, v, vc, key);
        uint64_t capacity = vc_capacity(e, v, vc);
        evict_unchosen(e, v, p, vc, capacity, cost);
        place_chosen(e, v, p, vc, capacity, placer);
    }
}

const char *hs_evict_check(const struct hs_evict *e, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < e->waiting.vcs; vc++)
        for (uint32_t i = 0; i < e->running[vc].count; i++)
            if (hs_view_gpus_held(v, e->running[vc].jobs[i]) == 0)
                return "the list of running jobs holds one that has no GPUs";
    return hs_queue_check(&e->waiting, v);
}
