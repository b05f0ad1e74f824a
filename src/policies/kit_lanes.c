/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who waits in which lane. Each lane is one or two ordered sets over the jobs' scratch; clustering
 * walks them twice, to draw the sample and to move who is nearer to another centroid now.
 */
#include "policies/kit_lanes.h"

#include "policies/kit_queue.h"

const char *const hs_credit_names[] = {"median", "mean", NULL};

#define UNKNOWN_UTIL_PM 1000 /* of a job without a prediction */

static struct hs_lanes_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

enum hs_status hs_lanes_init(struct hs_lanes *l, const struct hs_view *v)
{
    l->vcs = hs_view_vcs(v);
    l->by_vc = hs_view_alloc(v, l->vcs * sizeof *l->by_vc);
    if (l->by_vc == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < l->vcs; vc++)
        for (uint32_t i = 0; i < HS_LANES_MAX; i++)
            l->by_vc[vc].lanes[i].by_submit = (struct hs_order){
                .link_offset = offsetof(struct hs_lanes_scratch, by_submit), .is_loose = true};
    return l->queues > 1 ? hs_cluster_sample_init(&l->sample, v) : HS_OK;
}

static uint32_t util_or_unknown(int32_t util_pm)
{
    return util_pm < 0 ? UNKNOWN_UTIL_PM : (uint32_t)util_pm;
}

static struct hs_features features_of(const struct hs_view *v, hs_job_id job)
{
    return (struct hs_features){{hs_view_gpus(v, job), util_or_unknown(hs_view_util_pm(v, job)),
                                 util_or_unknown(hs_view_util_peak_pm(v, job)),
                                 hs_view_gpu_mem_mib(v, job)}};
}

bool hs_lanes_use_median(const struct hs_lanes *l)
{
    return l->credit == HS_CREDIT_MEDIAN && l->queues > 1;
}

enum hs_median_step hs_lanes_median_step(const struct hs_order *by_submit, const struct hs_view *v,
                                         hs_job_id median, uint32_t n, hs_job_id job)
{
    if (n % 2 == 1)
        return job == median || hs_order_is_before(by_submit, v, median, job) ? HS_MEDIAN_TO_PREV
                                                                              : HS_MEDIAN_STAYS;
    return job == median || hs_order_is_before(by_submit, v, job, median) ? HS_MEDIAN_TO_NEXT
                                                                          : HS_MEDIAN_STAYS;
}

static void submit_add(struct hs_lane *lane, const struct hs_view *v, hs_job_id job)
{
    struct hs_order *set = &lane->by_submit;
    hs_order_add(set, v, job, hs_view_submit_us(v, job));
    if (set->count == 1)
        lane->median = job;
    else if (set->count % 2 == 0 && hs_order_is_before(set, v, job, lane->median))
        lane->median = hs_order_prev(set, v, lane->median);
    else if (set->count % 2 == 1 && hs_order_is_before(set, v, lane->median, job))
        lane->median = hs_order_next(set, v, lane->median);
}

static void submit_remove(struct hs_lane *lane, const struct hs_view *v, hs_job_id job)
{
    struct hs_order *set = &lane->by_submit;
    switch (hs_lanes_median_step(set, v, lane->median, set->count, job)) {
    case HS_MEDIAN_STAYS:
        break;
    case HS_MEDIAN_TO_PREV:
        lane->median = hs_order_prev(set, v, lane->median);
        break;
    case HS_MEDIAN_TO_NEXT:
        lane->median = hs_order_next(set, v, lane->median);
        break;
    }
    hs_order_remove(set, v, job);
}

static void lane_add(const struct hs_lanes *l, const struct hs_view *v, struct hs_lane *lane,
                     hs_job_id job, int64_t key)
{
    hs_order_add(&lane->by_key, v, job, key);
    if (hs_lanes_use_median(l))
        submit_add(lane, v, job);
    lane->submit_sum_us += hs_view_submit_us(v, job);
}

static void lane_remove(const struct hs_lanes *l, const struct hs_view *v, struct hs_lane *lane,
                        hs_job_id job)
{
    hs_order_remove(&lane->by_key, v, job);
    if (hs_lanes_use_median(l))
        submit_remove(lane, v, job);
    lane->submit_sum_us -= hs_view_submit_us(v, job);
}

void hs_lanes_add(struct hs_lanes *l, const struct hs_view *v, hs_job_id job, int64_t key)
{
    struct hs_lane_set *set = &l->by_vc[hs_view_vc(v, job)];
    struct hs_lanes_scratch *scratch = scratch_of(v, job);
    scratch->features = features_of(v, job);
    scratch->mix = hs_order_mix(hs_view_rank(v, job));
    scratch->lane = hs_clusters_nearest(&set->clusters, &scratch->features);
    lane_add(l, v, &set->lanes[scratch->lane], job, key);
    set->count++;
    set->changes++;
}

void hs_lanes_remove(struct hs_lanes *l, const struct hs_view *v, hs_job_id job)
{
    if (!hs_order_has(v, job))
        return;
    struct hs_lane_set *set = &l->by_vc[hs_view_vc(v, job)];
    lane_remove(l, v, &set->lanes[scratch_of(v, job)->lane], job);
    set->count--;
    set->changes++;
}

uint32_t hs_lanes_count(const struct hs_lanes *l, uint32_t vc)
{
    return l->by_vc[vc].count;
}

bool hs_lanes_have_cpu_jobs(const struct hs_lanes *l, const struct hs_view *v, uint32_t vc)
{
    bool has = false;
    for (uint32_t i = 0; i < l->queues && !has; i++)
        has = hs_order_next_fitting(&l->by_vc[vc].lanes[i].by_key, v, HS_NO_JOB, 0) != HS_NO_JOB;
    return has;
}

static bool is_due(const struct hs_lanes *l, const struct hs_lane_set *set, int64_t now_us)
{
    if (l->queues == 1 || set->count == 0)
        return false;
    uint64_t growth = (uint64_t)l->recluster_growth, percent = (uint64_t)set->count * 100;
    if (percent >= (100 + growth) * set->clustered_count)
        return true;
    return now_us - set->clustered_us >= l->recluster_period_us &&
           (uint64_t)set->changes * 100 >= growth * set->count;
}

static void draw_sample(struct hs_lanes *l, const struct hs_view *v, const struct hs_lane_set *set)
{
    hs_cluster_sample_clear(&l->sample);
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_order *jobs = &set->lanes[i].by_key;
        for (hs_job_id j = hs_order_first(jobs, v); j != HS_NO_JOB; j = hs_order_next(jobs, v, j)) {
            const struct hs_lanes_scratch *scratch = scratch_of(v, j);
            if (hs_cluster_sample_wants(&l->sample, scratch->mix))
                hs_cluster_sample_offer(&l->sample, &scratch->features, hs_view_submit_us(v, j),
                                        hs_view_rank(v, j), scratch->mix);
        }
    }
}

/* A job that moves to a later lane is met again there, and stays. */
static void move_to_nearest(const struct hs_lanes *l, const struct hs_view *v,
                            struct hs_lane_set *set)
{
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_order *jobs = &set->lanes[i].by_key;
        hs_job_id next;
        for (hs_job_id j = hs_order_first(jobs, v); j != HS_NO_JOB; j = next) {
            struct hs_lanes_scratch *scratch = scratch_of(v, j);
            uint32_t to = hs_clusters_nearest(&set->clusters, &scratch->features);
            next = hs_order_next(jobs, v, j);
            if (to == i)
                continue;
            int64_t key = hs_order_key(v, j);
            lane_remove(l, v, &set->lanes[i], j);
            lane_add(l, v, &set->lanes[to], j, key);
            scratch->lane = to;
        }
    }
}

void hs_lanes_refresh(struct hs_lanes *l, const struct hs_view *v, uint32_t vc)
{
    struct hs_lane_set *set = &l->by_vc[vc];
    int64_t now_us = hs_view_now_us(v);
    if (!is_due(l, set, now_us))
        return;
    draw_sample(l, v, set);
    hs_clusters_fit(&set->clusters, (uint32_t)l->queues, &l->sample);
    move_to_nearest(l, v, set);
    set->clustered_count = set->count;
    set->clustered_us = now_us;
    set->changes = 0;
}

void hs_lanes_wake(struct hs_lanes *l, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    if (l->wake_us > now_us)
        return;
    l->wake_us = now_us + l->wake_period_us;
    hs_plan_timer(p, l->wake_us, 0);
}

static hs_job_id median_of(const struct hs_order *by_submit, const struct hs_view *v)
{
    hs_job_id job = hs_order_first(by_submit, v);
    for (uint32_t i = 0; i < (by_submit->count - 1) / 2; i++)
        job = hs_order_next(by_submit, v, job);
    return job;
}

static const char *lane_check(const struct hs_lanes *l, const struct hs_view *v,
                              const struct hs_lane *lane, uint32_t index)
{
    if (!hs_order_is_valid(&lane->by_key, v) || !hs_order_is_valid(&lane->by_submit, v))
        return "a lane is out of order";
    if (lane->by_submit.count != (hs_lanes_use_median(l) ? lane->by_key.count : 0))
        return "the two orders of a lane differ in length";
    if (lane->by_submit.count > 0 && lane->median != median_of(&lane->by_submit, v))
        return "the median of a lane is wrong";
    hs_i128 sum_us = 0;
    const struct hs_order *jobs = &lane->by_key;
    for (hs_job_id j = hs_order_first(jobs, v); j != HS_NO_JOB; j = hs_order_next(jobs, v, j)) {
        if (!hs_job_waits(v, j))
            return "a lane holds a job that does not wait";
        if (scratch_of(v, j)->lane != index)
            return "a job is in another lane than it thinks";
        sum_us += hs_view_submit_us(v, j);
    }
    return sum_us == lane->submit_sum_us ? NULL : "the sum of submissions of a lane is wrong";
}

const char *hs_lanes_check(const struct hs_lanes *l, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < l->vcs; vc++) {
        const struct hs_lane_set *set = &l->by_vc[vc];
        uint32_t count = 0;
        for (uint32_t i = 0; i < HS_LANES_MAX; i++) {
            const char *broken = lane_check(l, v, &set->lanes[i], i);
            if (broken != NULL)
                return broken;
            count += set->lanes[i].by_key.count;
        }
        if (count != set->count)
            return "the lanes hold more or fewer jobs than wait";
    }
    return NULL;
}
