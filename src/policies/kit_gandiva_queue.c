/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Those that Algorithm 1 has no server for, first come, first tried; who does not fit is skipped.
 * There is a queue for each virtual cluster and gang size: where one gang without demands of its
 * own fits nowhere, no other of its size does, so the rest of its queue is skipped unseen, and a
 * scan costs O(sizes x log jobs) besides those that are placed. If nothing but new jobs came since
 * the last scan, they alone are tried.
 */
#include "policies/kit_gandiva.h"

static uint32_t number_of(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job), size = gpus <= g->widest ? gpus : g->widest + 1;
    return hs_view_vc(v, job) * g->sizes + size;
}

/* A queue that jobs come to in this instant is noted once. */
static void note_fresh(struct hs_gandiva *g, const struct hs_view *v, uint32_t queue)
{
    uint32_t i = 0;
    if (g->fresh_us != hs_view_now_us(v))
        g->fresh_count = 0;
    g->fresh_us = hs_view_now_us(v);
    while (i < g->fresh_count && g->fresh[i] != queue)
        i++;
    g->fresh[i] = queue;
    g->fresh_count += i == g->fresh_count;
}

void hs_gandiva_enqueue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t queue = number_of(g, v, job);
    hs_order_add(&g->queues[queue], v, job, 0);
    g->waits[queue / 64] |= UINT64_C(1) << queue % 64;
    note_fresh(g, v, queue);
    hs_gandiva_job(v, job)->where = HS_GANDIVA_WAITS;
    g->has_arrival[hs_view_vc(v, job)] = true;
}

static void take_out(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t queue = number_of(g, v, job);
    hs_order_remove(&g->queues[queue], v, job);
    if (g->queues[queue].count == 0)
        g->waits[queue / 64] &= ~(UINT64_C(1) << queue % 64);
}

void hs_gandiva_dequeue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    if (hs_order_has(v, job))
        take_out(g, v, job);
    hs_gandiva_job(v, job)->where = HS_GANDIVA_NOWHERE;
}

/* The first of those that came in this instant. */
static hs_job_id first_new(const struct hs_order *queue, const struct hs_view *v)
{
    hs_job_id first = HS_NO_JOB, at = hs_order_last(queue, v);
    while (at != HS_NO_JOB && hs_view_submit_us(v, at) == hs_view_now_us(v)) {
        first = at;
        at = hs_order_prev(queue, v, at);
    }
    return first;
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
        take_out(g, v, job);
        return true;
    }
    /* GPUs that were given away in this plan may look idle still */
    if (g->pools[hs_gandiva_pool_of(g, v, job)].jobs > 0 || !hs_reject_hopeless(v, p, job))
        return false;
    hs_gandiva_dequeue(g, v, job);
    return true;
}

/* ---- heads: a binary heap, the job submitted first on top ---- */

static bool is_before(const struct hs_gandiva_head *a, const struct hs_gandiva_head *b)
{
    return a->submit_us != b->submit_us ? a->submit_us < b->submit_us : a->rank < b->rank;
}

static void set_head(const struct hs_view *v, struct hs_gandiva_head *head, hs_job_id job)
{
    head->job = job;
    if (job == HS_NO_JOB)
        return;
    head->submit_us = hs_view_submit_us(v, job);
    head->rank = hs_view_rank(v, job);
}

static void sift_down(struct hs_gandiva_head *heads, uint32_t count, uint32_t at)
{
    const struct hs_gandiva_head head = heads[at];
    for (uint32_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && is_before(&heads[below + 1], &heads[below]))
            below++;
        if (!is_before(&heads[below], &head))
            break;
        heads[at] = heads[below];
        at = below;
    }
    heads[at] = head;
}

static uint32_t add_head(struct hs_gandiva *g, const struct hs_view *v, uint32_t count,
                         hs_job_id job)
{
    if (job == HS_NO_JOB)
        return count;
    g->heads[count].plain = UINT64_MAX;
    set_head(v, &g->heads[count], job);
    return count + 1;
}

/* Of the queues of some VCs; of those that wait, all or the new ones. */
static uint32_t find_heads(struct hs_gandiva *g, const struct hs_view *v, uint32_t first,
                           uint32_t end, bool only_new)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->fresh_count && only_new; i++)
        if (g->fresh[i] >= first && g->fresh[i] < end)
            count = add_head(g, v, count, first_new(&g->queues[g->fresh[i]], v));
    for (uint32_t word = first / 64; word * 64 < end && !only_new; word++)
        for (uint64_t bits = g->waits[word]; bits != 0; bits &= bits - 1) {
            uint32_t queue = word * 64 + HS_CTZ64(bits);
            if (queue >= first && queue < end)
                count = add_head(g, v, count, hs_order_first(&g->queues[queue], v));
        }
    return count;
}

/* The largest gang that may fit where this plain one of more GPUs than a server has fits not. All
 * that it could find is free GPUs: who needs more than there are finds no more, and has looked at
 * no other empty servers. */
static uint64_t next_size(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint64_t smaller = hs_view_gpus(v, job) - 1, room = hs_gandiva_room(g, v, job);
    bool has_no_room = hs_gandiva_is_within_quota(g, v, job) &&
                       g->pools[hs_gandiva_pool_of(g, v, job)].jobs > 0; /* not hopeless */
    return has_no_room && room < smaller ? room : smaller;
}

/* Behind one that fits nowhere: smaller gangs of those larger than a server, and jobs with demands
 * of their own. */
static void advance(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                    struct hs_gandiva_head *head)
{
    struct hs_order *queue = &g->queues[number_of(g, v, head->job)];
    uint32_t gpus = hs_view_gpus(v, head->job);
    bool is_plain = !hs_view_is_constrained(v, head->job);
    hs_job_id next =
        hs_order_next_within(queue, v, head->job, (struct hs_bounds){head->plain, UINT64_MAX});
    if (!try_job(g, v, p, head->job) && is_plain) {
        head->plain = gpus > g->widest ? next_size(g, v, head->job) : 0;
        next =
            hs_order_next_within(queue, v, head->job, (struct hs_bounds){head->plain, UINT64_MAX});
    }
    set_head(v, head, next);
}

/* Queues of a VC, or of all, whose heads are tried in order of submission. */
static void scan_queues(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        uint32_t first, uint32_t end, bool only_new)
{
    uint32_t count = find_heads(g, v, first, end, only_new);
    for (uint32_t at = count / 2; at-- > 0;)
        sift_down(g->heads, count, at);
    while (count > 0) {
        advance(g, v, p, &g->heads[0]);
        if (g->heads[0].job == HS_NO_JOB)
            g->heads[0] = g->heads[--count];
        sift_down(g->heads, count, 0);
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
