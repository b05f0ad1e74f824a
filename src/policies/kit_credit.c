/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Credits of lanes, and the window that takes from the lane of most credit. Nothing is taken out of
 * the lanes: the window remembers the positions of the jobs that it gave out, and the median of the
 * others is the job at their middle position, moved on by each given-out job at or before it.
 */
#include "policies/kit_credit.h"

#define MINUTE_US INT64_C(60000000)

/* n times the longer of a minute and the mean is the longer of n minutes and the sum: no division.
 */
static hs_u128 mean_credit(const struct hs_lanes_head *head, int64_t now_us)
{
    hs_i128 waits_us = (hs_i128)head->count * now_us - head->submit_sum_us;
    hs_i128 least_us = (hs_i128)head->count * MINUTE_US;
    return (hs_u128)(waits_us > least_us ? waits_us : least_us);
}

static hs_u128 median_credit(const struct hs_lanes_window *w, uint32_t lane, int64_t now_us)
{
    uint32_t count = w->heads[lane].count;
    uint32_t position = (count - 1) / 2;
    for (uint32_t i = 0; i < w->taken_count; i++)
        if (w->taken[i].lane == lane && w->taken[i].position <= position)
            position++;
    hs_job_id median = hs_order_at(&w->set->lanes[lane].by_submit, w->v, position);
    int64_t wait_us = now_us - hs_view_submit_us(w->v, median);
    return (hs_u128)count * (uint64_t)(wait_us > MINUTE_US ? wait_us : MINUTE_US);
}

static void refresh_credit(struct hs_lanes_window *w, uint32_t lane)
{
    struct hs_lanes_head *head = &w->heads[lane];
    int64_t now_us = hs_view_now_us(w->v);
    if (head->count == 0)
        head->credit = 0;
    else if (hs_lanes_use_median(w->lanes))
        head->credit = median_credit(w, lane, now_us);
    else
        head->credit = mean_credit(head, now_us);
}

void hs_lanes_open(struct hs_lanes_window *w, const struct hs_lanes *l, const struct hs_view *v,
                   uint32_t vc, uint32_t look_ahead)
{
    w->lanes = l;
    w->v = v;
    w->set = &l->by_vc[vc];
    w->left = look_ahead < HS_LANES_LOOK_AHEAD ? look_ahead : HS_LANES_LOOK_AHEAD;
    w->taken_count = 0;
    w->stale = HS_LANES_MAX;
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_lane *lane = &w->set->lanes[i];
        w->heads[i].next = hs_order_first(&lane->by_key, v);
        w->heads[i].count = lane->by_key.count;
        w->heads[i].submit_sum_us = lane->submit_sum_us;
        refresh_credit(w, i);
    }
}

/* Keeps the taken jobs in order of position: median_credit counts on it. */
static void remember(struct hs_lanes_window *w, uint32_t lane, hs_job_id job)
{
    uint32_t position = hs_order_position(&w->set->lanes[lane].by_submit, w->v, job);
    uint32_t at = w->taken_count++;
    for (; at > 0 && w->taken[at - 1].position > position; at--)
        w->taken[at] = w->taken[at - 1];
    w->taken[at] = (struct hs_lanes_taken){lane, position};
}

hs_job_id hs_lanes_next(struct hs_lanes_window *w)
{
    if (w->left == 0)
        return HS_NO_JOB;
    if (w->stale < HS_LANES_MAX) /* only now: most windows end with their first job */
        refresh_credit(w, w->stale);
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->lanes->queues; i++)
        if (w->heads[i].credit > w->heads[best].credit)
            best = i;
    struct hs_lanes_head *head = &w->heads[best];
    if (head->count == 0)
        return HS_NO_JOB;
    hs_job_id job = head->next;
    head->next = hs_order_next(&w->set->lanes[best].by_key, w->v, job);
    head->count--;
    head->submit_sum_us -= hs_view_submit_us(w->v, job);
    if (hs_lanes_use_median(w->lanes))
        remember(w, best, job);
    w->stale = best;
    w->left--;
    return job;
}
