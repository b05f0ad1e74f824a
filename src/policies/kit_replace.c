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

/* Whoever holds GPUs loses the time of a restart at every event (compat=muri). */
static void list_lose(struct hs_replace_list *list, const struct hs_view *v, struct hs_plan *p)
{
    int64_t since_us = hs_view_now_us(v) - list->decided_us;
    list->decided_us = hs_view_now_us(v);
    hs_plan_because(p, hs_compat_lost_text);
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after) {
        int64_t *lost_us = &link_of(v, at)->lost_us;
        *lost_us = hs_job_waits(v, at - 1) ? 0 : hs_compat_lost_us(v, at - 1, since_us);
        if (*lost_us > 0)
            hs_plan_owe(p, at - 1, *lost_us);
    }
}

static int64_t key_of(const struct hs_view *v, hs_job_id job, const struct hs_replace_rule *rule)
{
    int64_t left_us = rule->left_us(v, job, rule->ctx) + link_of(v, job + 1)->lost_us;
    return hs_choice_weigh(left_us, rule->weighs_gpus ? (int64_t)hs_view_gpus(v, job) : 1);
}

static void list_sort(struct hs_replace_list *list, const struct hs_view *v,
                      const struct hs_replace_rule *rule)
{
    for (uint32_t at = list->first, after; at != 0; at = after) {
        struct hs_replace_scratch *link = link_of(v, at);
        after = link->after;
        link->key = key_of(v, at - 1, rule);
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
                            const struct hs_replace_rule *rule)
{
    hs_plan_because(p, "not among the first in the order that fit by number");
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after) {
        uint32_t gpus = hs_view_gpus(v, at - 1);
        link_of(v, at)->is_chosen = gpus <= capacity;
        if (gpus <= capacity)
            capacity -= gpus;
        else if (hs_view_gpus_held(v, at - 1) > 0)
            hs_plan_preempt(p, at - 1, hs_cost_us(rule->cost, v, at - 1));
    }
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after) {
        hs_plan_because(p, NULL);
        if (link_of(v, at)->is_chosen && hs_job_waits(v, at - 1) &&
            hs_place(v, p, at - 1, HS_PLACE_COUNT))
            hs_compat_owe(rule->compat, v, p, at - 1);
    }
}

/* Everyone off, then on again in order; the plan finds out who really moved. */
static void decide_anew(const struct hs_replace_list *list, const struct hs_view *v,
                        struct hs_plan *p, uint64_t capacity, const struct hs_replace_rule *rule)
{
    hs_plan_because(p, "all are placed anew, and jobs before it in the order get its GPUs");
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after)
        if (hs_view_gpus_held(v, at - 1) > 0)
            hs_plan_preempt(p, at - 1, hs_cost_us(rule->cost, v, at - 1));
    uint64_t bound = capacity;
    for (uint32_t at = list->first; at != 0; at = link_of(v, at)->after) {
        uint32_t gpus = hs_view_gpus(v, at - 1);
        bool is_running_cpu_job = gpus == 0 && !hs_job_waits(v, at - 1);
        bool is_constrained = hs_view_is_constrained(v, at - 1);
        if (gpus > (is_constrained ? capacity : bound) || is_running_cpu_job)
            continue;
        hs_plan_because(p, hs_job_waits(v, at - 1) ? NULL : "all are placed anew, in the order");
        if (hs_place(v, p, at - 1, rule->placer))
            hs_compat_owe(rule->compat, v, p, at - 1);
        else if (!hs_reject_hopeless(v, p, at - 1) && !is_constrained &&
                 hs_placer_is_monotone(rule->placer))
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
                       const struct hs_replace_rule *rule)
{
    for (uint32_t vc = 0; vc < r->vcs; vc++) {
        struct hs_replace_list *list = &r->by_vc[vc];
        if (!r->is_awake[vc])
            continue;
        r->is_awake[vc] = false;
        if (rule->compat == HS_COMPAT_MURI)
            list_lose(list, v, p);
        list_sort(list, v, rule);
        uint64_t capacity = list_capacity(list, v, vc);
        if (rule->placer == HS_PLACE_COUNT)
            decide_by_count(list, v, p, capacity, rule);
        else
            decide_anew(list, v, p, capacity, rule);
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
