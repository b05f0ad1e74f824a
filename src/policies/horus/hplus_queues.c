/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which job waits in which queue. Each queue is one or two ordered sets over the jobs' scratch;
 * clustering walks them twice, to draw the sample and to move the jobs that are nearer to another
 * centroid now.
 */
#include "policies/horus/hplus_queues.h"

#include "policies/lib/vc_queues.h"

const char *const hs_hplus_credit_names[] = {"median", "mean", NULL};

#define MINUTE_US       INT64_C(60000000)
#define UNKNOWN_UTIL_PM 1000 /* of a job without a prediction */

static struct hs_hplus_queues_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

enum hs_status hs_hplus_queues_init(struct hs_hplus_queues *l, const struct hs_view *v)
{
    l->vcs = hs_view_vcs(v);
    l->by_vc = hs_view_alloc(v, l->vcs * sizeof *l->by_vc);
    for (uint32_t vc = 0; vc < l->vcs; vc++)
        for (uint32_t i = 0; i < HS_HPLUS_MAX; i++)
            l->by_vc[vc].hqueues[i].by_submit = (struct hs_job_queue){
                .link_offset = offsetof(struct hs_hplus_queues_scratch, by_submit)};
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

/* Under credit=median; a single queue needs no credit. */
static bool use_median(const struct hs_hplus_queues *l)
{
    return l->credit == HS_HPLUS_CREDIT_MEDIAN && l->queues > 1;
}

/* The median of n jobs in order of submission is the one at position floor((n - 1) / 2), from 0: of
 * two middle jobs the one that waits longer. Without `job`, one of the n, it is a step away from
 * `median` or the same. */
enum median_step_kind { MEDIAN_STAYS, MEDIAN_TO_PREV, MEDIAN_TO_NEXT };
static enum median_step_kind median_step(const struct hs_job_queue *by_submit,
                                         const struct hs_view *v, hs_job_id median, uint32_t n,
                                         hs_job_id job)
{
    if (n % 2 == 1)
        return job == median || hs_job_queue_is_before(by_submit, v, median, job) ? MEDIAN_TO_PREV
                                                                                  : MEDIAN_STAYS;
    return job == median || hs_job_queue_is_before(by_submit, v, job, median) ? MEDIAN_TO_NEXT
                                                                              : MEDIAN_STAYS;
}

static void submit_add(struct hs_hplus_queue *hqueue, const struct hs_view *v, hs_job_id job)
{
    struct hs_job_queue *set = &hqueue->by_submit;
    hs_job_queue_add(set, v, job, hs_view_submit_us(v, job));
    if (set->count == 1)
        hqueue->median = job;
    else if (set->count % 2 == 0 && hs_job_queue_is_before(set, v, job, hqueue->median))
        hqueue->median = hs_job_queue_prev(set, v, hqueue->median);
    else if (set->count % 2 == 1 && hs_job_queue_is_before(set, v, hqueue->median, job))
        hqueue->median = hs_job_queue_next(set, v, hqueue->median);
}

static void submit_remove(struct hs_hplus_queue *hqueue, const struct hs_view *v, hs_job_id job)
{
    struct hs_job_queue *set = &hqueue->by_submit;
    switch (median_step(set, v, hqueue->median, set->count, job)) {
    case MEDIAN_STAYS:
        break;
    case MEDIAN_TO_PREV:
        hqueue->median = hs_job_queue_prev(set, v, hqueue->median);
        break;
    case MEDIAN_TO_NEXT:
        hqueue->median = hs_job_queue_next(set, v, hqueue->median);
        break;
    }
    hs_job_queue_remove(set, v, job);
}

static void hqueue_add(const struct hs_hplus_queues *l, const struct hs_view *v,
                       struct hs_hplus_queue *hqueue, hs_job_id job, int64_t key)
{
    hs_job_queue_add(&hqueue->by_key, v, job, key);
    if (use_median(l))
        submit_add(hqueue, v, job);
    hqueue->submit_sum_us += hs_view_submit_us(v, job);
}

static void hqueue_remove(const struct hs_hplus_queues *l, const struct hs_view *v,
                          struct hs_hplus_queue *hqueue, hs_job_id job)
{
    hs_job_queue_remove(&hqueue->by_key, v, job);
    if (use_median(l))
        submit_remove(hqueue, v, job);
    hqueue->submit_sum_us -= hs_view_submit_us(v, job);
}

void hs_hplus_queues_add(struct hs_hplus_queues *l, const struct hs_view *v, hs_job_id job,
                         int64_t key)
{
    struct hs_hplus_queue_set *set = &l->by_vc[hs_view_vc(v, job)];
    struct hs_hplus_queues_scratch *scratch = scratch_of(v, job);
    scratch->features = features_of(v, job);
    scratch->mix = hs_job_queue_mix(hs_view_rank(v, job));
    scratch->hqueue = hs_clusters_nearest(&set->clusters, &scratch->features);
    hqueue_add(l, v, &set->hqueues[scratch->hqueue], job, key);
    set->count++;
    set->changes++;
}

void hs_hplus_queues_remove(struct hs_hplus_queues *l, const struct hs_view *v, hs_job_id job)
{
    if (!hs_job_queue_has(v, job))
        return;
    struct hs_hplus_queue_set *set = &l->by_vc[hs_view_vc(v, job)];
    hqueue_remove(l, v, &set->hqueues[scratch_of(v, job)->hqueue], job);
    set->count--;
    set->changes++;
}

uint32_t hs_hplus_queues_count(const struct hs_hplus_queues *l, uint32_t vc)
{
    return l->by_vc[vc].count;
}

bool hs_hplus_queues_have_cpu_jobs(const struct hs_hplus_queues *l, const struct hs_view *v,
                                   uint32_t vc)
{
    bool has = false;
    for (uint32_t i = 0; i < l->queues && !has; i++)
        has = hs_job_queue_next_fitting(&l->by_vc[vc].hqueues[i].by_key, v, HS_NO_JOB, 0) !=
              HS_NO_JOB;
    return has;
}

static bool is_due(const struct hs_hplus_queues *l, const struct hs_hplus_queue_set *set,
                   int64_t now_us)
{
    if (l->queues == 1 || set->count == 0)
        return false;
    uint64_t growth = (uint64_t)l->recluster_growth, percent = (uint64_t)set->count * 100;
    if (percent >= (100 + growth) * set->clustered_count)
        return true;
    return now_us - set->clustered_us >= l->recluster_period_us &&
           (uint64_t)set->changes * 100 >= growth * set->count;
}

static void draw_sample(struct hs_hplus_queues *l, const struct hs_view *v,
                        const struct hs_hplus_queue_set *set)
{
    hs_cluster_sample_clear(&l->sample);
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_job_queue *jobs = &set->hqueues[i].by_key;
        for (hs_job_id j = hs_job_queue_first(jobs, v); j != HS_NO_JOB;
             j = hs_job_queue_next(jobs, v, j)) {
            const struct hs_hplus_queues_scratch *scratch = scratch_of(v, j);
            if (hs_cluster_sample_wants(&l->sample, scratch->mix))
                hs_cluster_sample_offer(&l->sample, &scratch->features, hs_view_submit_us(v, j),
                                        hs_view_rank(v, j), scratch->mix);
        }
    }
}

/* A job that moves to a later queue is met again there, and stays. */
static void move_to_nearest(const struct hs_hplus_queues *l, const struct hs_view *v,
                            struct hs_hplus_queue_set *set)
{
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_job_queue *jobs = &set->hqueues[i].by_key;
        hs_job_id next;
        for (hs_job_id j = hs_job_queue_first(jobs, v); j != HS_NO_JOB; j = next) {
            struct hs_hplus_queues_scratch *scratch = scratch_of(v, j);
            uint32_t to = hs_clusters_nearest(&set->clusters, &scratch->features);
            next = hs_job_queue_next(jobs, v, j);
            if (to == i)
                continue;
            int64_t key = hs_job_queue_key(v, j);
            hqueue_remove(l, v, &set->hqueues[i], j);
            hqueue_add(l, v, &set->hqueues[to], j, key);
            scratch->hqueue = to;
        }
    }
}

void hs_hplus_queues_refresh(struct hs_hplus_queues *l, const struct hs_view *v, uint32_t vc)
{
    struct hs_hplus_queue_set *set = &l->by_vc[vc];
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

void hs_hplus_queues_wake(struct hs_hplus_queues *l, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    if (l->wake_us > now_us)
        return;
    l->wake_us = now_us + l->wake_period_us;
    hs_plan_timer(p, l->wake_us, 0);
}

/* ---- credit ---- */

/* Jobs times the longer of a minute and their median or mean wait; of the mean that is the longer
 * of as many minutes and the sum of waits: no division. */
static void refresh_credit(struct hs_hplus_queues_window *w, uint32_t hqueue)
{
    struct hs_hplus_queues_head *head = &w->heads[hqueue];
    const int64_t now_us = hs_view_now_us(w->v);
    const hs_i128 least_us = (hs_i128)head->count * MINUTE_US;
    hs_i128 waits_us = (hs_i128)head->count * now_us - head->submit_sum_us;
    if (head->count > 0 && use_median(w->hqueues))
        waits_us = (hs_i128)head->count * (now_us - hs_view_submit_us(w->v, head->median));
    head->credit = (hs_u128)(waits_us > least_us ? waits_us : least_us);
}

void hs_hplus_queues_open(struct hs_hplus_queues_window *w, const struct hs_hplus_queues *l,
                          const struct hs_view *v, uint32_t vc, uint32_t look_ahead)
{
    w->hqueues = l;
    w->v = v;
    w->set = &l->by_vc[vc];
    w->left = look_ahead < HS_HPLUS_LOOK_AHEAD ? look_ahead : HS_HPLUS_LOOK_AHEAD;
    w->given_count = 0;
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_hplus_queue *hqueue = &w->set->hqueues[i];
        w->heads[i].next = hs_job_queue_first(&hqueue->by_key, v);
        w->heads[i].count = hqueue->by_key.count;
        w->heads[i].median = hqueue->median;
        w->heads[i].submit_sum_us = hqueue->submit_sum_us;
        refresh_credit(w, i);
    }
}

static bool is_given(const struct hs_hplus_queues_window *w, hs_job_id job)
{
    for (uint32_t i = 0; i < w->given_count; i++)
        if (w->given[i] == job)
            return true;
    return false;
}

/* The median of the queue without this job, which is given out. */
static void leave_out(struct hs_hplus_queues_window *w, uint32_t hqueue, hs_job_id job)
{
    const struct hs_job_queue *jobs = &w->set->hqueues[hqueue].by_submit;
    struct hs_hplus_queues_head *head = &w->heads[hqueue];
    enum median_step_kind step = median_step(jobs, w->v, head->median, head->count, job);
    w->given[w->given_count++] = job;
    if (step == MEDIAN_STAYS)
        return;
    do
        head->median = step == MEDIAN_TO_PREV ? hs_job_queue_prev(jobs, w->v, head->median)
                                              : hs_job_queue_next(jobs, w->v, head->median);
    while (head->median != HS_NO_JOB && is_given(w, head->median));
}

hs_job_id hs_hplus_queues_next(struct hs_hplus_queues_window *w)
{
    if (w->left == 0)
        return HS_NO_JOB;
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->hqueues->queues; i++)
        if (w->heads[i].credit > w->heads[best].credit)
            best = i;
    struct hs_hplus_queues_head *head = &w->heads[best];
    if (head->count == 0)
        return HS_NO_JOB;
    hs_job_id job = head->next;
    head->next = hs_job_queue_next(&w->set->hqueues[best].by_key, w->v, job);
    if (use_median(w->hqueues))
        leave_out(w, best, job);
    head->count--;
    head->submit_sum_us -= hs_view_submit_us(w->v, job);
    refresh_credit(w, best);
    w->left--;
    return job;
}

/* ---- checks ---- */

static hs_job_id median_of(const struct hs_job_queue *by_submit, const struct hs_view *v)
{
    hs_job_id job = hs_job_queue_first(by_submit, v);
    for (uint32_t i = 0; i < (by_submit->count - 1) / 2; i++)
        job = hs_job_queue_next(by_submit, v, job);
    return job;
}

static const char *hqueue_check(const struct hs_hplus_queues *l, const struct hs_view *v,
                                const struct hs_hplus_queue *hqueue, uint32_t index)
{
    if (!hs_job_queue_is_valid(&hqueue->by_key, v) || !hs_job_queue_is_valid(&hqueue->by_submit, v))
        return "a lane is out of order";
    if (hqueue->by_submit.count != (use_median(l) ? hqueue->by_key.count : 0))
        return "the two orders of a lane differ in length";
    if (hqueue->by_submit.count > 0 && hqueue->median != median_of(&hqueue->by_submit, v))
        return "the median of a lane is wrong";
    hs_i128 sum_us = 0;
    const struct hs_job_queue *jobs = &hqueue->by_key;
    for (hs_job_id j = hs_job_queue_first(jobs, v); j != HS_NO_JOB;
         j = hs_job_queue_next(jobs, v, j)) {
        if (!hs_job_waits(v, j))
            return "a lane holds a job that does not wait";
        if (scratch_of(v, j)->hqueue != index)
            return "a job is in another lane than it thinks";
        sum_us += hs_view_submit_us(v, j);
    }
    return sum_us == hqueue->submit_sum_us ? NULL : "the sum of submissions of a lane is wrong";
}

const char *hs_hplus_queues_check(const struct hs_hplus_queues *l, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < l->vcs; vc++) {
        const struct hs_hplus_queue_set *set = &l->by_vc[vc];
        uint32_t count = 0;
        for (uint32_t i = 0; i < HS_HPLUS_MAX; i++) {
            const char *broken = hqueue_check(l, v, &set->hqueues[i], i);
            if (broken != NULL)
                return broken;
            count += set->hqueues[i].by_key.count;
        }
        if (count != set->count)
            return "the lanes hold more or fewer jobs than wait";
    }
    return NULL;
}
