/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One list a VC, kept in the jobs' scratch, sorted anew at each decision by insertion: it is
 * nearly in order already, and insertion is stable.
 */
#include "policies/kit_replace.h"

#include "policies/kit_queue.h"

static struct hs_replace_scratch *link_of(const struct hs_view *v, uint32_t job_plus_1)
{
    return hs_view_scratch(v, job_plus_1 - 1);
}

enum hs_status hs_replace_init(struct hs_replace *r, const struct hs_view *v)
{
    r->vcs = hs_view_vcs(v);
    r->by_vc = hs_view_alloc(v, r->vcs * sizeof *r->by_vc);
    r->is_awake = hs_view_alloc(v, r->vcs * sizeof *r->is_awake);
    return r->by_vc != NULL && r->is_awake != NULL ? HS_OK : HS_E_MEMORY;
}

static void list_unlink(struct hs_replace_list *list, const struct hs_view *v, uint32_t at)
{
    const struct hs_replace_scratch *link = link_of(v, at);
    if (link->before != 0)
        link_of(v, link->before)->after = link->after;
    else
        list->first = link->after;
    if (link->after != 0)
        link_of(v, link->after)->before = link->before;
    else
        list->last = link->before;
}

/* Links `at` behind `before` (0: to the front). */
static void list_link(struct hs_replace_list *list, const struct hs_view *v, uint32_t at,
                      uint32_t before)
{
    struct hs_replace_scratch *link = link_of(v, at);
    link->before = before;
    link->after = before != 0 ? link_of(v, before)->after : list->first;
    if (before != 0)
        link_of(v, before)->after = at;
    else
        list->first = at;
    if (link->after != 0)
        link_of(v, link->after)->before = at;
    else
        list->last = at;
}

void hs_replace_event(struct hs_replace *r, const struct hs_view *v, const struct hs_event *event)
{
    if (event->kind != HS_EVENT_SUBMIT && event->kind != HS_EVENT_FINISH)
        return;
    struct hs_replace_list *list = &r->by_vc[hs_view_vc(v, event->job)];
    if (event->kind == HS_EVENT_SUBMIT)
        list_link(list, v, event->job + 1, list->last);
    else
        list_unlink(list, v, event->job + 1);
    hs_wake(r->is_awake, r->vcs, v, event->job);
}

static void list_sort(struct hs_replace_list *list, const struct hs_view *v, hs_key *key)
{
    for (uint32_t at = list->first, after; at != 0; at = after) {
        struct hs_replace_scratch *link = link_of(v, at);
        after = link->after;
        link->key = key(v, at - 1);
        link->is_chosen = false;
        uint32_t before = link->before;
        while (before != 0 && link_of(v, before)->key > link->key)
            before = link_of(v, before)->before;
        if (before != link->before) {
            list_unlink(list, v, at);
            list_link(list, v, at, before);
        }
    }
}

/* The first jobs that fit by number are chosen; the others that run make way for them. */
static void decide_by_count(const struct hs_replace_list *list, const struct hs_view *v,
                            struct hs_plan *p, uint64_t capacity,
                            const struct hs_preempt_cost *cost)
{
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after) {
        uint32_t gpus = hs_view_gpus(v, at - 1);
        link_of(v, at)->is_chosen = gpus <= capacity;
        if (gpus <= capacity)
            capacity -= gpus;
        else if (hs_view_gpus_held(v, at - 1) > 0)
            hs_plan_preempt(p, at - 1, hs_cost_us(cost, v, at - 1));
    }
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after)
        if (link_of(v, at)->is_chosen && hs_job_waits(v, at - 1))
            (void)hs_place(v, p, at - 1, HS_PLACE_COUNT);
}

/* Everyone off, then on again in order; the plan finds out who really moved. */
static void decide_anew(const struct hs_replace_list *list, const struct hs_view *v,
                        struct hs_plan *p, uint64_t capacity, enum hs_placer placer,
                        const struct hs_preempt_cost *cost)
{
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after)
        if (hs_view_gpus_held(v, at - 1) > 0)
            hs_plan_preempt(p, at - 1, hs_cost_us(cost, v, at - 1));
    uint64_t bound = capacity;
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after) {
        uint32_t gpus = hs_view_gpus(v, at - 1);
        bool is_running_cpu_job = gpus == 0 && !hs_job_waits(v, at - 1);
        bool is_constrained = hs_view_is_constrained(v, at - 1);
        if (gpus > (is_constrained ? capacity : bound) || is_running_cpu_job)
            continue;
        if (!hs_place_or_reject(v, p, at - 1, placer) && !is_constrained)
            bound = gpus - 1;
    }
}

static uint64_t list_capacity(const struct hs_replace_list *list, const struct hs_view *v,
                              uint32_t vc)
{
    uint64_t capacity = hs_queue_room(v, vc);
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after)
        capacity += hs_view_gpus_held(v, at - 1);
    return capacity;
}

void hs_replace_decide(struct hs_replace *r, const struct hs_view *v, struct hs_plan *p,
                       enum hs_placer placer, const struct hs_preempt_cost *cost, hs_key *key)
{
    for (uint32_t vc = 0; vc < r->vcs; vc++) {
        struct hs_replace_list *list = &r->by_vc[vc];
        if (!r->is_awake[vc])
            continue;
        r->is_awake[vc] = false;
        list_sort(list, v, key);
        uint64_t capacity = list_capacity(list, v, vc);
        if (placer == HS_PLACE_COUNT)
            decide_by_count(list, v, p, capacity, cost);
        else
            decide_anew(list, v, p, capacity, placer, cost);
    }
}

const char *hs_replace_check(const struct hs_replace *r, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < r->vcs; vc++) {
        uint32_t before = 0;
        for (uint32_t at = r->by_vc[vc].first; at != 0; at = link_of(v, at)->after) {
            if (link_of(v, at)->before != before || hs_view_vc(v, at - 1) != vc)
                return "the list of live jobs is broken";
            before = at;
        }
        if (r->by_vc[vc].last != before)
            return "the list of live jobs has lost its end";
    }
    return NULL;
}
