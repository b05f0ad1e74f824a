/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Those that Algorithm 1 has no server for, first come, first tried; who does not fit is skipped.
 * There is a queue for each virtual cluster and gang size: where one gang without demands of its
 * own fits nowhere, no other of its size does, so the rest of its queue is skipped unseen, and a
 * scan costs O(sizes x log jobs) besides those that are placed. If nothing but new jobs came since
 * the last scan, they alone are tried.
 */
#include "policies/kit_gandiva.h"

struct hs_order *hs_gandiva_queue_of(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job), size = gpus <= g->widest ? gpus : g->widest + 1;
    return &g->queues[hs_view_vc(v, job) * g->sizes + size];
}

void hs_gandiva_enqueue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    hs_order_add(hs_gandiva_queue_of(g, v, job), v, job, 0);
    hs_gandiva_job(v, job)->where = HS_GANDIVA_WAITS;
    g->has_arrival[hs_view_vc(v, job)] = true;
}

void hs_gandiva_dequeue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    if (hs_order_has(v, job))
        hs_order_remove(hs_gandiva_queue_of(g, v, job), v, job);
    hs_gandiva_job(v, job)->where = HS_GANDIVA_NOWHERE;
}

/* The first that is to be tried: of all, or of those that came in this instant. */
static hs_job_id first_of(const struct hs_order *queue, const struct hs_view *v, bool only_new)
{
    hs_job_id first = HS_NO_JOB, at = only_new ? hs_order_last(queue, v) : HS_NO_JOB;
    if (!only_new)
        return hs_order_first(queue, v);
    while (at != HS_NO_JOB && hs_view_submit_us(v, at) == hs_view_now_us(v)) {
        first = at;
        at = hs_order_prev(queue, v, at);
    }
    return first;
}

static struct hs_order *queue_of(struct hs_gandiva *g, const struct hs_view *v,
                                 const struct hs_gandiva_head *head)
{
    return hs_gandiva_queue_of(g, v, head->job);
}

/* Who is out of the way of the others: started, placed, or turned away. */
static bool try_job(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    if (hs_view_gpus(v, job) == 0) {
        hs_gandiva_dequeue(g, v, job);
        hs_plan_because(p, NULL);
        hs_plan_start(p, job);
        return true;
    }
    if (hs_gandiva_place(g, v, p, job)) {
        hs_order_remove(hs_gandiva_queue_of(g, v, job), v, job);
        return true;
    }
    /* GPUs that were given away in this plan may look idle still */
    if (g->pools[hs_gandiva_pool_of(g, v, job)].jobs > 0 || !hs_reject_hopeless(v, p, job))
        return false;
    hs_gandiva_dequeue(g, v, job);
    return true;
}

/* Behind one that fits nowhere: smaller gangs of those larger than a server, and jobs with demands
 * of their own. */
static void advance(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                    struct hs_gandiva_head *head)
{
    struct hs_order *queue = queue_of(g, v, head);
    uint32_t gpus = hs_view_gpus(v, head->job);
    bool is_plain = !hs_view_is_constrained(v, head->job);
    hs_job_id next =
        hs_order_next_within(queue, v, head->job, (struct hs_bounds){head->plain, UINT64_MAX});
    if (!try_job(g, v, p, head->job) && is_plain) {
        head->plain = gpus > g->widest ? gpus - 1 : 0;
        next =
            hs_order_next_within(queue, v, head->job, (struct hs_bounds){head->plain, UINT64_MAX});
    }
    head->job = next;
}

/* Queues of a VC, or of all, whose heads are tried in order of submission. */
static void scan_queues(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        uint32_t first, uint32_t end, bool only_new)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        hs_job_id job = g->queues[i].count > 0 ? first_of(&g->queues[i], v, only_new) : HS_NO_JOB;
        if (job != HS_NO_JOB)
            g->heads[count++] = (struct hs_gandiva_head){.job = job, .plain = UINT64_MAX};
    }
    while (count > 0) {
        struct hs_gandiva_head *least = g->heads;
        for (uint32_t i = 1; i < count; i++)
            if (hs_order_is_before(&g->queues[0], v, g->heads[i].job, least->job))
                least = &g->heads[i];
        advance(g, v, p, least);
        if (least->job == HS_NO_JOB)
            *least = g->heads[--count];
    }
}

void hs_gandiva_scan(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    bool are_apart = g->pool_count > 1;
    for (uint32_t pool = 0; pool < g->pool_count; pool++) {
        uint32_t first_vc = are_apart ? pool : 0, end_vc = are_apart ? pool + 1 : g->vcs;
        bool has_arrival = false;
        for (uint32_t vc = first_vc; vc < end_vc; vc++) {
            has_arrival = has_arrival || g->has_arrival[vc];
            g->has_arrival[vc] = false;
        }
        if (has_arrival || g->pools[pool].has_departure)
            scan_queues(g, v, p, first_vc * g->sizes, end_vc * g->sizes,
                        !g->pools[pool].has_departure);
        g->pools[pool].has_departure = false;
    }
}
