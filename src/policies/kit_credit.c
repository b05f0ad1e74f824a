/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Credits of lanes, and the window that takes from the lane of most credit. Nothing is taken out of
 * the lanes: the window remembers the jobs that it gave out and passes them by where it moves on
 * from one median to the next.
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

static hs_u128 median_credit(const struct hs_lanes_window *w, const struct hs_lanes_head *head,
                             int64_t now_us)
{
    int64_t wait_us = now_us - hs_view_submit_us(w->v, head->median);
    return (hs_u128)head->count * (uint64_t)(wait_us > MINUTE_US ? wait_us : MINUTE_US);
}

static void refresh_credit(struct hs_lanes_window *w, uint32_t lane)
{
    struct hs_lanes_head *head = &w->heads[lane];
    int64_t now_us = hs_view_now_us(w->v);
    if (head->count == 0)
        head->credit = 0;
    else if (hs_lanes_use_median(w->lanes))
        head->credit = median_credit(w, head, now_us);
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
    w->given_count = 0;
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_lane *lane = &w->set->lanes[i];
        w->heads[i].next = hs_order_first(&lane->by_key, v);
        w->heads[i].count = lane->by_key.count;
        w->heads[i].median = lane->median;
        w->heads[i].submit_sum_us = lane->submit_sum_us;
        refresh_credit(w, i);
    }
}

static bool is_given(const struct hs_lanes_window *w, hs_job_id job)
{
    for (uint32_t i = 0; i < w->given_count; i++)
        if (w->given[i] == job)
            return true;
    return false;
}

/* The median of the lane without this job, which is given out. */
static void leave_out(struct hs_lanes_window *w, uint32_t lane, hs_job_id job)
{
    const struct hs_order *jobs = &w->set->lanes[lane].by_submit;
    struct hs_lanes_head *head = &w->heads[lane];
    enum hs_median_step step = hs_lanes_median_step(jobs, w->v, head->median, head->count, job);
    w->given[w->given_count++] = job;
    if (step == HS_MEDIAN_STAYS)
        return;
    do
        head->median = step == HS_MEDIAN_TO_PREV ? hs_order_prev(jobs, w->v, head->median)
                                                 : hs_order_next(jobs, w->v, head->median);
    while (head->median != HS_NO_JOB && is_given(w, head->median));
}

hs_job_id hs_lanes_next(struct hs_lanes_window *w)
{
    if (w->left == 0)
        return HS_NO_JOB;
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->lanes->queues; i++)
        if (w->heads[i].credit > w->heads[best].credit)
            best = i;
    struct hs_lanes_head *head = &w->heads[best];
    if (head->count == 0)
        return HS_NO_JOB;
    hs_job_id job = head->next;
    head->next = hs_order_next(&w->set->lanes[best].by_key, w->v, job);
    if (hs_lanes_use_median(w->lanes))
        leave_out(w, best, job);
    head->count--;
    head->submit_sum_us -= hs_view_submit_us(w->v, job);
    refresh_credit(w, best);
    w->left--;
    return job;
}
