/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_colocate.h.
 */
#include "policies/kit_colocate.h"

void hs_colocate_event(struct hs_queue *q, const struct hs_view *v, const struct hs_event *event,
                       int64_t key)
{
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
    case HS_EVENT_STOPPED:
        hs_queue_add(q, v, event->job, key);
        hs_queue_wake(q, v, event->job);
        break;
    case HS_EVENT_FINISH:
        hs_queue_remove(q, v, event->job);
        hs_queue_wake(q, v, event->job);
        break;
    case HS_EVENT_STARTED:
    case HS_EVENT_PROGRESS:
    case HS_EVENT_STEP:
    case HS_EVENT_MEMORY:
    case HS_EVENT_TIMER:
        break;
    }
}

/* It asks for GPUs, and any will do. */
static bool tells_of_others(const struct hs_view *v, hs_job_id job)
{
    return !hs_view_is_constrained(v, job) && hs_view_gpus(v, job) > 0;
}

bool hs_is_full(const struct hs_view *v, hs_job_id job)
{
    return tells_of_others(v, job) && hs_view_is_full(v, job);
}

/* The next job behind one that was refused, without the gangs of which the sharer says that they
 * are, too. */
static hs_job_id next_of_hope(struct hs_order *set, const struct hs_view *v, hs_job_id job,
                              const struct hs_colocate_rule *rule, uint64_t *refusals)
{
    uint32_t refused = rule->sharer == NULL
                           ? UINT32_MAX
                           : hs_share_refused_gpus(rule->sharer, v, hs_view_vc(v, job));
    if (refused == UINT32_MAX || *refusals == 0)
        return hs_order_next(set, v, job);
    struct hs_bounds bounds = {.plain = (uint64_t)refused * HS_GPU_MILLI - 1,
                               .constrained = UINT64_MAX};
    bool may_all_be = set->count <= rule->refusals;
    return may_all_be ? hs_order_next_within(set, v, job, bounds)
                      : hs_order_pass(set, v, job, bounds, refusals);
}

static uint32_t scan_vc(struct hs_order *set, const struct hs_view *v, struct hs_plan *p,
                        const struct hs_colocate_rule *rule)
{
    uint64_t refusals = rule->refusals;
    uint32_t starts = 0;
    bool is_held = false;  /* somebody holds a GPU: nobody is hopeless */
    bool has_room = false; /* some GPU was idle or open after the last start */
    hs_job_id job = hs_order_first(set, v);
    while (job != HS_NO_JOB && refusals > 0) {
        hs_job_id next = HS_NO_JOB;
        if (rule->place(rule->state, v, p, job)) {
            next = hs_order_next(set, v, job);
            hs_order_remove(set, v, job);
            has_room = false;
            if (++starts == rule->max_starts)
                break;
        } else {
            is_held = is_held || !hs_pool_is_idle(v, job);
            refusals -= is_held || !hs_reject_hopeless(v, p, job);
            bool is_full = !has_room && hs_is_full(v, job);
            has_room = has_room || (!is_full && tells_of_others(v, job));
            if (is_full && hs_order_next_fitting(set, v, job, 0) == HS_NO_JOB)
                break;
            next =
                is_held ? next_of_hope(set, v, job, rule, &refusals) : hs_order_next(set, v, job);
        }
        job = next;
    }
    return starts;
}

uint32_t hs_colocate_scan(struct hs_queue *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule)
{
    uint32_t starts = 0;
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        if (hs_queue_needs_scan(q, vc))
            starts += scan_vc(&q->by_vc[vc], v, p, rule);
    return starts;
}

void hs_colocate_decide(struct hs_colocate *c, const struct hs_view *v, struct hs_plan *p,
                        hs_place_fn *place, void *state, const struct hs_sharer *sharer)
{
    const struct hs_colocate_rule rule = {.place = place,
                                          .state = state,
                                          .sharer = sharer,
                                          .refusals = c->scan == HS_SCAN_STRICT ? 1 : UINT64_MAX};
    (void)hs_colocate_scan(&c->queue, v, p, &rule);
}
