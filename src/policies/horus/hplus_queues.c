/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each queue is one or two ordered sets whose links are in the scratch of the jobs. Clustering
 * walks them twice: to draw the sample, and to move the jobs that are nearer to another centroid.
 *
 * k-means is in fixed point. Bounds, with at most 2^12 jobs of features below 2^20: n * sum of
 * squares < 2^64; 1 / deviation <= n, so a z-score in Q16 is below 2^48 and a sum over the sample
 * below 2^60.
 */
#include <string.h>

#include "policies/horus/hplus_queues.h"

#define NO_GROUP        UINT32_MAX
#define NO_POINT        UINT32_MAX
#define MINUTE_US       INT64_C(60000000)
#define UNKNOWN_UTIL_PM 1000 /* utilization of a job without a prediction */

const char *const hs_hplus_credit_names[] = {"median", "mean", NULL};

/* ---- clusters ----
 * Groups of alike jobs: k-means over four features in integers, so that every machine draws the
 * same lines.
 *
 * - Distance: Manhattan, of z-scores in Q16. Only the division by the standard deviation is done:
 *   the mean cancels in every distance. A feature in which all jobs are equal has no weight.
 * - Seeds: the jobs of the sample in order of the sum of their z-scores (how much they ask for),
 *   ties by submission and rank; seed i of k is the one at position floor((2 i + 1) n / (2 k)).
 * - Iterations: each job to its nearest centroid (ties: the lower one), each centroid to the mean
 *   of its jobs (rounded down), until nothing moves, at most 20 times. A centroid without jobs goes
 *   to the job that is farthest from its own (ties: the earlier in the order of the seeds); when
 *   all jobs are where their centroids are it stays, without jobs.
 * - Sample: all jobs if they are at most HS_CLUSTER_SAMPLE; else those whose mixed rank is below
 *   the largest 2^-k of its range that leaves no more: the result is a function of the set of jobs
 *   alone, not of the order in which they are offered. O(sample x clusters x 20).
 */
#define HS_CLUSTER_SAMPLE 4096
#define HS_FEATURE_MAX    ((1u << 20) - 1) /* upper bound of a feature */
#define HS_CLUSTER_ROUNDS 20

struct hs_clusters {
    uint32_t count; /* 0 = never fitted: all jobs belong to group 0 */
    uint64_t weight_q32[HS_FEATURES];
    uint64_t centroid_q16[HS_HPLUS_MAX][HS_FEATURES];
};

struct hs_demand_point {
    struct hs_features features;
    uint64_t z_q16[HS_FEATURES];
    uint32_t mix;
    uint32_t group; /* its group in the present fit */
};

struct hs_cluster_sample {
    struct hs_demand_point points[HS_CLUSTER_SAMPLE];
    struct hs_job_place order[HS_CLUSTER_SAMPLE]; /* order of the points, for the seeds */
    uint32_t count;
    uint64_t limit; /* jobs whose mix is at least this are not in the sample */
};

static void sample_offer(struct hs_cluster_sample *s, const struct hs_features *features,
                         int64_t submit_us, uint64_t rank, uint32_t mix)
{
    while (mix < s->limit && s->count == HS_CLUSTER_SAMPLE) {
        uint32_t kept = 0; /* the half of the points of smaller mix */
        s->limit >>= 1;
        for (uint32_t i = 0; i < s->count; i++) {
            if (s->points[i].mix >= s->limit)
                continue;
            s->points[kept] = s->points[i];
            s->order[kept++] = s->order[i];
        }
        s->count = kept;
    }
    if (mix >= s->limit)
        return;
    s->points[s->count] = (struct hs_demand_point){.features = *features, .mix = mix};
    s->order[s->count] = (struct hs_job_place){.submit_us = submit_us, .rank = rank};
    s->count++;
}

static uint64_t feature_of(const struct hs_features *features, uint32_t f)
{
    return features->x[f] < HS_FEATURE_MAX ? features->x[f] : HS_FEATURE_MAX;
}

/* 1 / standard deviation: n / sqrt(n x sum of squares - square of the sum). */
static uint64_t weight_of(const struct hs_cluster_sample *s, uint32_t f)
{
    uint64_t n = s->count, sum = 0, squares = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t x = feature_of(&s->points[i].features, f);
        sum += x;
        squares += x * x;
    }
    uint64_t scaled = n * squares - sum * sum;
    if (scaled == 0)
        return 0;
    uint32_t half_shift = HS_CLZ64(scaled) / 2; /* so that the root has 32 bits */
    uint64_t root = 0; /* rounded down, bit by bit, so that it is the same on every machine */
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= scaled << 2 * half_shift)
            root += bit;
    return (uint64_t)(((hs_u128)n << (32 + half_shift)) / root);
}

static void z_scores(const struct hs_clusters *c, const struct hs_features *features,
                     uint64_t z_q16[HS_FEATURES])
{
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        z_q16[f] = feature_of(features, f) * c->weight_q32[f] >> 16;
}

static inline uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

_Static_assert(HS_FEATURES == 4, "distance_q16() adds up four");

static inline uint64_t distance_q16(const uint64_t a[HS_FEATURES], const uint64_t b[HS_FEATURES])
{
    return apart(a[0], b[0]) + apart(a[1], b[1]) + apart(a[2], b[2]) + apart(a[3], b[3]);
}

static uint32_t nearest(const struct hs_clusters *c, const uint64_t z_q16[HS_FEATURES])
{
    uint64_t least = INT64_MAX;
    uint32_t best = 0;
    for (uint32_t g = 0; g < c->count; g++) {
        uint64_t distance = distance_q16(z_q16, c->centroid_q16[g]);
        best = distance < least ? g : best;
        least = distance < least ? distance : least;
    }
    return best;
}

static uint32_t clusters_nearest(const struct hs_clusters *c, const struct hs_features *features)
{
    uint64_t z_q16[HS_FEATURES];
    z_scores(c, features, z_q16);
    return nearest(c, z_q16);
}

/* Sums over the members of a group. */
struct group_sum {
    uint64_t z_q16[HS_FEATURES], count;
};

/* times: 1 adds the point, -1 removes it. */
static void group_add(struct group_sum *sum, const struct hs_demand_point *point, int64_t times)
{
    sum->count += (uint64_t)times;
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        sum->z_q16[f] += (uint64_t)times * point->z_q16[f];
}

/* The point farthest from its centroid among those not taken; NO_POINT if every point lies on its
 * centroid. */
static uint32_t farthest(const struct hs_clusters *c, const struct hs_cluster_sample *s,
                         const uint32_t *taken, uint32_t taken_count)
{
    uint32_t best = NO_POINT;
    uint64_t most_q16 = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = s->order[i].job;
        uint64_t here_q16 = distance_q16(s->points[at].z_q16, c->centroid_q16[s->points[at].group]);
        bool is_taken = false;
        for (uint32_t t = 0; t < taken_count; t++)
            is_taken = is_taken || taken[t] == at;
        if (here_q16 > most_q16 && !is_taken) {
            most_q16 = here_q16;
            best = at;
        }
    }
    return best;
}

/* One iteration. Returns false if no job changed its group. */
static bool fit_once(struct hs_clusters *c, struct hs_cluster_sample *s)
{
    struct group_sum sums[HS_HPLUS_MAX] = {0};
    bool has_moved = false;
    for (uint32_t i = 0; i < s->count; i++) {
        struct hs_demand_point *point = &s->points[i];
        uint32_t group = nearest(c, point->z_q16);
        has_moved = has_moved || group != point->group;
        point->group = group;
        group_add(&sums[group], point, 1);
    }
    if (!has_moved)
        return false;
    /* each empty group gets such a point as its centroid; the next iteration assigns the members */
    uint32_t taken[HS_HPLUS_MAX], taken_count = 0;
    for (uint32_t g = 0; g < c->count; g++) {
        uint32_t at = sums[g].count == 0 ? farthest(c, s, taken, taken_count) : NO_POINT;
        if (at == NO_POINT)
            continue;
        group_add(&sums[s->points[at].group], &s->points[at], -1);
        group_add(&sums[g], &s->points[at], 1);
        taken[taken_count++] = at;
    }
    for (uint32_t g = 0; g < c->count; g++)
        for (uint32_t f = 0; f < HS_FEATURES && sums[g].count > 0; f++)
            c->centroid_q16[g][f] = sums[g].z_q16[f] / sums[g].count;
    return true;
}

/* 1 <= count <= HS_HPLUS_MAX. Consumes the sample; an empty sample changes nothing. */
static void clusters_fit(struct hs_clusters *c, uint32_t count, struct hs_cluster_sample *s)
{
    if (s->count == 0)
        return;
    c->count = count;
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        c->weight_q32[f] = weight_of(s, f);
    for (uint32_t i = 0; i < s->count; i++) {
        struct hs_demand_point *point = &s->points[i];
        z_scores(c, &point->features, point->z_q16);
        point->group = NO_GROUP;
        s->order[i].job = i;
        s->order[i].key = 0;
        for (uint32_t f = 0; f < HS_FEATURES; f++)
            s->order[i].key += (int64_t)point->z_q16[f];
    }
    hs_sort(s->order, s->count);
    for (uint32_t g = 0; g < c->count; g++) {
        uint32_t at = (2 * g + 1) * s->count / (2 * c->count);
        memcpy(c->centroid_q16[g], s->points[s->order[at].job].z_q16, sizeof c->centroid_q16[g]);
    }
    for (uint32_t round = 0; round < HS_CLUSTER_ROUNDS && fit_once(c, s); round++)
        continue;
}

/* ---- queues ---- */

struct hs_hplus_queue {
    struct hs_job_queue by_key;
    struct hs_job_queue by_submit; /* used under credit=median with several queues, else empty */
    hs_job_id median;              /* the median of by_submit; HS_NO_JOB if that is empty */
    hs_i128 submit_sum_us;
};

/* The waiting queues of one virtual cluster. */
struct hs_hplus_queue_set {
    struct hs_hplus_queue hqueues[HS_HPLUS_MAX];
    struct hs_clusters clusters;
    uint32_t count;           /* waiting jobs */
    uint32_t clustered_count; /* waiting jobs at the last clustering */
    uint32_t changes;         /* jobs that came or left since then */
    int64_t clustered_us;
};

static struct hs_hplus_queues_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

void hs_hplus_queues_init(struct hs_hplus_queues *l, const struct hs_view *v)
{
    l->vcs = v->vcs;
    l->by_vc = hs_view_alloc(v, l->vcs * sizeof *l->by_vc);
    for (uint32_t vc = 0; vc < l->vcs; vc++)
        for (uint32_t i = 0; i < HS_HPLUS_MAX; i++)
            l->by_vc[vc].hqueues[i].by_submit = (struct hs_job_queue){
                .link_offset = offsetof(struct hs_hplus_queues_scratch, by_submit)};
    if (l->queues > 1)
        l->sample = hs_view_alloc(v, sizeof *l->sample);
}

static uint32_t util_or_unknown(int32_t util_pm)
{
    return util_pm < 0 ? UNKNOWN_UTIL_PM : (uint32_t)util_pm;
}

/* Whether credits need medians; a single queue needs no credit. */
static bool use_median(const struct hs_hplus_queues *l)
{
    return l->credit == HS_HPLUS_CREDIT_MEDIAN && l->queues > 1;
}

/* The median of n jobs in order of submission is at position floor((n - 1) / 2), from 0: of two
 * middle jobs the one that waits longer. Returns the step to the median of the queue without `job`,
 * a member: 1 = next, -1 = previous, 0 = unchanged. */
static int median_step(const struct hs_job_queue *by_submit, const struct hs_view *v,
                       hs_job_id median, uint32_t n, hs_job_id job)
{
    if (n % 2 == 1)
        return job == median || hs_job_queue_is_before(by_submit, v, median, job) ? -1 : 0;
    return job == median || hs_job_queue_is_before(by_submit, v, job, median) ? 1 : 0;
}

static hs_job_id at_step(const struct hs_job_queue *by_submit, const struct hs_view *v,
                         hs_job_id job, int step)
{
    return step > 0   ? hs_job_queue_next(by_submit, v, job)
           : step < 0 ? hs_job_queue_prev(by_submit, v, job)
                      : job;
}

static void hqueue_add(const struct hs_hplus_queues *l, const struct hs_view *v,
                       struct hs_hplus_queue *hqueue, hs_job_id job, int64_t key)
{
    struct hs_job_queue *set = &hqueue->by_submit;
    hs_job_queue_add(&hqueue->by_key, v, job, key);
    hqueue->submit_sum_us += hs_view_submit_us(v, job);
    if (!use_median(l))
        return;
    hs_job_queue_add(set, v, job, hs_view_submit_us(v, job));
    if (set->count == 1)
        hqueue->median = job;
    else if (set->count % 2 == 0 && hs_job_queue_is_before(set, v, job, hqueue->median))
        hqueue->median = hs_job_queue_prev(set, v, hqueue->median);
    else if (set->count % 2 == 1 && hs_job_queue_is_before(set, v, hqueue->median, job))
        hqueue->median = hs_job_queue_next(set, v, hqueue->median);
}

static void hqueue_remove(const struct hs_hplus_queues *l, const struct hs_view *v,
                          struct hs_hplus_queue *hqueue, hs_job_id job)
{
    struct hs_job_queue *set = &hqueue->by_submit;
    hs_job_queue_remove(&hqueue->by_key, v, job);
    hqueue->submit_sum_us -= hs_view_submit_us(v, job);
    if (!use_median(l))
        return;
    int step = median_step(set, v, hqueue->median, set->count, job);
    hqueue->median = at_step(set, v, hqueue->median, step);
    hs_job_queue_remove(set, v, job);
}

void hs_hplus_queues_add(struct hs_hplus_queues *l, const struct hs_view *v, hs_job_id job,
                         int64_t key)
{
    struct hs_hplus_queue_set *set = &l->by_vc[hs_view_vc(v, job)];
    struct hs_hplus_queues_scratch *scratch = scratch_of(v, job);
    scratch->features = (struct hs_features){
        {hs_view_gpus(v, job), util_or_unknown(hs_view_util_pm(v, job)),
         util_or_unknown(hs_view_util_peak_pm(v, job)), hs_view_gpu_mem_mib(v, job)}};
    scratch->mix = hs_job_queue_mix(hs_view_rank(v, job));
    scratch->hqueue = clusters_nearest(&set->clusters, &scratch->features);
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

/* A job that moves to a later queue is visited there again, and stays. */
static void move_to_nearest(const struct hs_hplus_queues *l, const struct hs_view *v,
                            struct hs_hplus_queue_set *set)
{
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_job_queue *jobs = &set->hqueues[i].by_key;
        hs_job_id next;
        for (hs_job_id j = hs_job_queue_first(jobs); j != HS_NO_JOB; j = next) {
            struct hs_hplus_queues_scratch *scratch = scratch_of(v, j);
            uint32_t to = clusters_nearest(&set->clusters, &scratch->features);
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

/* Clusters the queues of a VC again if that is due. */
static void refresh(struct hs_hplus_queues *l, const struct hs_view *v, uint32_t vc)
{
    struct hs_hplus_queue_set *set = &l->by_vc[vc];
    int64_t now_us = hs_view_now_us(v);
    uint64_t growth = (uint64_t)l->recluster_growth, count = set->count;
    bool has_grown = count * 100 >= (100 + growth) * set->clustered_count;
    bool is_time = now_us - set->clustered_us >= l->recluster_period_us &&
                   (uint64_t)set->changes * 100 >= growth * count;
    if (l->queues == 1 || count == 0 || (!has_grown && !is_time))
        return;
    l->sample->count = 0;
    l->sample->limit = UINT64_C(1) << 32;
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_job_queue *jobs = &set->hqueues[i].by_key;
        HS_EACH_QUEUED(j, jobs, v) {
            const struct hs_hplus_queues_scratch *scratch = scratch_of(v, j);
            if (scratch->mix < l->sample->limit)
                sample_offer(l->sample, &scratch->features, hs_view_submit_us(v, j),
                             hs_view_rank(v, j), scratch->mix);
        }
    }
    clusters_fit(&set->clusters, (uint32_t)l->queues, l->sample);
    move_to_nearest(l, v, set);
    set->clustered_count = set->count;
    set->clustered_us = now_us;
    set->changes = 0;
}

/* Sets a timer (tag 0) one wake_period from now unless one is set. */
static void wake(struct hs_hplus_queues *l, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    if (l->wake_us > now_us)
        return;
    l->wake_us = now_us + l->wake_period_us;
    hs_plan_timer(p, l->wake_us, 0);
}

/* ---- windows ---- */

struct hs_hplus_queues_window {
    const struct hs_hplus_queues *hqueues;
    const struct hs_view *v;
    const struct hs_hplus_queue_set *set;
    uint32_t left; /* jobs that the window may still give out */
    struct hs_hplus_queues_head {
        hs_job_id next;
        uint32_t count;   /* jobs of the queue that were not given out */
        hs_job_id median; /* their median */
        hs_i128 submit_sum_us;
        hs_u128 credit; /* their credit */
    } heads[HS_HPLUS_MAX];
};

/* Credit: number of jobs times the longer of a minute and their median or mean wait. For the mean
 * it is the longer of that many minutes and the sum of waits, without a division. */
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

static void window_open(struct hs_hplus_queues_window *w, const struct hs_hplus_queues *l,
                        const struct hs_view *v, uint32_t vc, uint32_t look_ahead)
{
    w->hqueues = l;
    w->v = v;
    w->set = &l->by_vc[vc];
    w->left = look_ahead;
    for (uint32_t i = 0; i < l->queues; i++) {
        const struct hs_hplus_queue *hqueue = &w->set->hqueues[i];
        w->heads[i].next = hs_job_queue_first(&hqueue->by_key);
        w->heads[i].count = hqueue->by_key.count;
        w->heads[i].median = hqueue->median;
        w->heads[i].submit_sum_us = hqueue->submit_sum_us;
        refresh_credit(w, i);
    }
}

/* The next job of the window; HS_NO_JOB at its end. */
static hs_job_id window_next(struct hs_hplus_queues_window *w)
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
    const struct hs_job_queue *by_key = &w->set->hqueues[best].by_key;
    head->next = hs_job_queue_next(by_key, w->v, job);
    if (use_median(w->hqueues)) { /* the median of the queue without this job */
        const struct hs_job_queue *jobs = &w->set->hqueues[best].by_submit;
        int step = median_step(jobs, w->v, head->median, head->count, job);
        do /* skips jobs that were given out already */
            head->median = at_step(jobs, w->v, head->median, step);
        while (step != 0 && head->median != HS_NO_JOB &&
               (head->next == HS_NO_JOB ||
                hs_job_queue_is_before(by_key, w->v, head->median, head->next)));
    }
    head->count--;
    head->submit_sum_us -= hs_view_submit_us(w->v, job);
    refresh_credit(w, best);
    w->left--;
    return job;
}

/* ---- scans ---- */

/* Starts the first job of a window that can be placed; false if there is none. *has_room: some GPU
 * is open to a refused job, so the passing of time alone may admit it. */
static bool start_one(struct hs_hplus_queues *l, const struct hs_view *v, struct hs_plan *p,
                      uint32_t vc, const struct hs_colocate_rule *rule, bool *has_room)
{
    struct hs_hplus_queues_window window;
    hs_job_id job;
    window_open(&window, l, v, vc, (uint32_t)rule->max_refusals);
    while ((job = window_next(&window)) != HS_NO_JOB) {
        if (rule->place(rule->state, v, p, job) || hs_reject_hopeless(v, p, job)) {
            hs_hplus_queues_remove(l, v, job);
            return true;
        }
        bool can_start_some = !hs_is_full(v, job); /* else only jobs without GPUs can start */
        for (uint32_t i = 0; i < l->queues && !can_start_some; i++)
            can_start_some = hs_job_queue_next_fitting(&l->by_vc[vc].hqueues[i].by_key, v,
                                                       HS_NO_JOB, 0) != HS_NO_JOB;
        if (!can_start_some)
            return false;
        *has_room = true;
    }
    return false;
}

void hs_hplus_queues_scan(struct hs_hplus_queues *l, const struct hs_view *v, struct hs_plan *p,
                          struct hs_vc_queues *awake, const struct hs_colocate_rule *rule)
{
    bool has_room = false;
    for (uint32_t vc = 0; vc < l->vcs; vc++) {
        if (!awake->is_awake[vc])
            continue;
        awake->is_awake[vc] = false;
        refresh(l, v, vc);
        while (l->by_vc[vc].count > 0 && start_one(l, v, p, vc, rule, &has_room))
            continue;
    }
    if (has_room)
        wake(l, v, p);
}

/* ---- checks ---- */

static const char *hqueue_check(const struct hs_hplus_queues *l, const struct hs_view *v,
                                const struct hs_hplus_queue *hqueue, uint32_t index)
{
    const struct hs_job_queue *jobs = &hqueue->by_key, *by_submit = &hqueue->by_submit;
    if (!hs_job_queue_is_valid(jobs, v) || !hs_job_queue_is_valid(by_submit, v))
        return "a queue is out of order";
    if (by_submit->count != (use_median(l) ? jobs->count : 0))
        return "the two orders of a queue differ in length";
    hs_job_id median = hs_job_queue_first(by_submit);
    for (uint32_t i = 0; by_submit->count > 0 && i < (by_submit->count - 1) / 2; i++)
        median = hs_job_queue_next(by_submit, v, median);
    if (by_submit->count > 0 && hqueue->median != median)
        return "the median of a queue is wrong";
    hs_i128 sum_us = 0;
    HS_EACH_QUEUED(j, jobs, v) {
        if (!hs_job_waits(v, j))
            return "a queue holds a job that does not wait";
        if (scratch_of(v, j)->hqueue != index)
            return "a job is in another queue than its scratch says";
        sum_us += hs_view_submit_us(v, j);
    }
    return sum_us == hqueue->submit_sum_us ? NULL : "the sum of submissions of a queue is wrong";
}

const char *hs_hplus_queues_check(const struct hs_hplus_queues *l, const struct hs_view *v)
{
    const char *broken = NULL;
    for (uint32_t vc = 0; vc < l->vcs && broken == NULL; vc++) {
        const struct hs_hplus_queue_set *set = &l->by_vc[vc];
        uint32_t count = 0;
        for (uint32_t i = 0; i < HS_HPLUS_MAX && broken == NULL; i++) {
            broken = hqueue_check(l, v, &set->hqueues[i], i);
            count += set->hqueues[i].by_key.count;
        }
        if (broken == NULL && count != set->count)
            broken = "the queues hold more or fewer jobs than wait";
    }
    return broken;
}
