/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See colocate.h: what a pass learns from one refusal about the jobs behind it.
 */
#include "policies/lib/colocate.h"

void hs_colocate_event(struct hs_vc_queues *q, const struct hs_view *v,
                       const struct hs_event *event, int64_t key)
{
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED)
        hs_vc_queues_add(q, v, event->job, key);
    else if (event->kind == HS_EVENT_FINISH)
        hs_vc_queues_remove(q, v, event->job);
    else
        return;
    hs_vc_queues_wake(q, v, event->job);
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

/* The next job behind one that was refused, without the gangs of which the placement knows that
 * they would be refused, too. A step each, where the scan ends after so many refusals. */
static hs_job_id next_of_hope(struct hs_job_queue *set, const struct hs_view *v, hs_job_id job,
                              const struct hs_colocate_rule *rule, uint64_t *refusals_left)
{
    uint32_t blocked = rule->blocked_gpus == NULL
                           ? UINT32_MAX
                           : rule->blocked_gpus(rule->state, v, hs_view_vc(v, job));
    if (blocked == UINT32_MAX || *refusals_left == 0)
        return hs_job_queue_next(set, v, job);
    struct hs_gang_limits limits = {.plain = (uint64_t)blocked * HS_GPU_MILLI - 1,
                                    .constrained = UINT64_MAX};
    if (set->count <= rule->max_refusals)
        return hs_job_queue_next_within(set, v, job, limits);
    job = hs_job_queue_next(set, v, job);
    while (job != HS_NO_JOB && !hs_view_is_constrained(v, job) && hs_view_gpus(v, job) >= blocked)
        job = --*refusals_left > 0 ? hs_job_queue_next(set, v, job) : HS_NO_JOB;
    return job;
}

static uint32_t scan_vc(struct hs_job_queue *set, const struct hs_view *v, struct hs_plan *p,
                        const struct hs_colocate_rule *rule)
{
    uint64_t refusals_left = rule->max_refusals;
    uint32_t starts = 0;
    bool is_held = false;  /* a GPU is held: no job is hopeless */
    bool has_room = false; /* some GPU was idle or open after the last start */
    hs_job_id job = hs_job_queue_first(set, v);
    while (job != HS_NO_JOB && refusals_left > 0) {
        hs_job_id next = HS_NO_JOB;
        if (rule->place(rule->state, v, p, job)) {
            next = hs_job_queue_next(set, v, job);
            hs_job_queue_remove(set, v, job);
            has_room = false;
            if (++starts == rule->max_starts)
                break;
        } else {
            is_held = is_held || !hs_pool_is_idle(v, job);
            refusals_left -= is_held || !hs_reject_hopeless(v, p, job);
            bool is_full = !has_room && hs_is_full(v, job);
            has_room = has_room || (!is_full && tells_of_others(v, job));
            if (is_full && hs_job_queue_next_fitting(set, v, job, 0) == HS_NO_JOB)
                break;
            next = is_held ? next_of_hope(set, v, job, rule, &refusals_left)
                           : hs_job_queue_next(set, v, job);
        }
        job = next;
    }
    return starts;
}

uint32_t hs_colocate_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule)
{
    uint32_t starts = 0;
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        if (hs_vc_queues_needs_scan(q, vc))
            starts += scan_vc(&q->by_vc[vc], v, p, rule);
    return starts;
}

void hs_colocate_decide(struct hs_colocate *c, const struct hs_view *v, struct hs_plan *p,
                        hs_place_fn *place, void *state, hs_blocked_gpus_fn *blocked_gpus)
{
    const struct hs_colocate_rule rule = {.place = place,
                                          .state = state,
                                          .blocked_gpus = blocked_gpus,
                                          .max_refusals =
                                              c->scan == HS_SCAN_STRICT ? 1 : UINT64_MAX};
    (void)hs_colocate_scan(&c->queue, v, p, &rule);
}
