/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The waiting queues of Horus+: jobs that ask for alike amounts (GPUs, predicted mean and peak
 * utilization, predicted memory; clusters, below) wait in one queue, in order of their key. One set
 * of queues per virtual cluster.
 *
 * Clustering anew is due when more jobs wait than the last time by recluster_growth; or when
 * recluster_period has passed and as many came or went since: without changes the clusters would
 * come out the same. This way all clustering costs a job that comes or goes O(1) visits (and what
 * moves it in the orders), however long the queue. In between a new job joins the queue of the
 * nearest centroid.
 *
 * A queue earns credit by waiting: its jobs times the longer of a minute and their median
 * (credit=median) or mean wait; the median wait is that of the median in order of submission. A
 * window gives out look_ahead jobs: each time the next of the queue of most credit (ties: the lower
 * queue). The queues stay as they are, but a job that the window has given out no longer counts for
 * the credit of its queue. Nothing may be added or removed while a window is in use. Credits are
 * compared exactly.
 *
 * Needs HS_KNOWS_UTILIZATION, HS_KNOWS_MEMORY, and HS_CAN_TIME for hs_hplus_queues_wake.
 * Cost: add, remove O(log n); clustering as above, and O(log n) for each job that changes queues; a
 * window O(queues) to open and O(queues + look_ahead) a job, but O(log n) for the first of a queue.
 */
#ifndef HORUS_POLICIES_HORUS_HPLUS_QUEUES_H
#define HORUS_POLICIES_HORUS_HPLUS_QUEUES_H

#include "horus/compiler.h"
#include "policies/lib/job_heap.h"

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
#define HS_CLUSTERS_MAX   8
#define HS_CLUSTER_SAMPLE 4096
#define HS_FEATURES       4
#define HS_FEATURE_MAX    ((1u << 20) - 1) /* larger values count as this */
#define HS_CLUSTER_ROUNDS 20

struct hs_features {
    uint32_t x[HS_FEATURES];
};

struct hs_clusters {
    uint32_t count; /* 0 = never fitted: everything is in group 0 */
    uint64_t weight_q32[HS_FEATURES];
    uint64_t centroid_q16[HS_CLUSTERS_MAX][HS_FEATURES];
};

struct hs_demand_point {
    struct hs_features features;
    uint64_t z_q16[HS_FEATURES];
    uint32_t mix;
    uint32_t group; /* in a fit */
};

struct hs_cluster_sample {
    struct hs_demand_point *points;
    struct hs_sort_entry *order; /* of the points */
    uint32_t count;
    uint64_t limit; /* only mixes below it: the offer of another changes nothing */
};

void hs_cluster_sample_clear(struct hs_cluster_sample *s);
void hs_cluster_sample_offer(struct hs_cluster_sample *s, const struct hs_features *features,
                             int64_t submit_us, uint64_t rank, uint32_t mix);
/* 1 <= count <= HS_CLUSTERS_MAX. Uses up the sample. An empty sample changes nothing. */
void hs_clusters_fit(struct hs_clusters *c, uint32_t count, struct hs_cluster_sample *s);
uint32_t hs_clusters_nearest(const struct hs_clusters *c, const struct hs_features *features);

/* ---- queues ---- */

#define HS_HPLUS_MAX HS_CLUSTERS_MAX

enum hs_hplus_credit { HS_HPLUS_CREDIT_MEDIAN, HS_HPLUS_CREDIT_MEAN };
extern const char *const hs_hplus_credit_names[];

struct hs_hplus_queue {
    struct hs_job_queue by_key;
    struct hs_job_queue
        by_submit;    /* empty unless credit is the median and there are several queues */
    hs_job_id median; /* of by_submit; HS_NO_JOB if that is empty */
    hs_i128 submit_sum_us;
};

/* The waiting queue of one virtual cluster. */
struct hs_hplus_queue_set {
    struct hs_hplus_queue hqueues[HS_HPLUS_MAX];
    struct hs_clusters clusters;
    uint32_t count;           /* jobs that wait */
    uint32_t clustered_count; /* when they were last clustered */
    uint32_t changes;         /* jobs that came or went since */
    int64_t clustered_us;
};

struct hs_hplus_queues {
    int64_t queues, recluster_growth, recluster_period_us, wake_period_us;
    int32_t credit;
    uint32_t vcs;
    struct hs_hplus_queue_set *by_vc;
    struct hs_cluster_sample sample;
    int64_t wake_us; /* of the last timer asked for */
};

/* First in the scratch of each job. hs_job_queue_has and hs_job_queue_key answer for by_key. */
struct hs_hplus_queues_scratch {
    struct hs_job_queue_link by_key;
    struct hs_features features;
    uint32_t hqueue;
    uint32_t mix; /* of its rank: decides whether it is in a sample */
    struct hs_job_queue_link by_submit;
};

#define HS_HPLUS_PARAMS(state_type, field)                                                         \
    HS_PARAM_INT(state_type, field.queues, "queues", "4", 1, HS_HPLUS_MAX,                         \
                 "lanes into which waiting jobs are clustered by what they ask for",               \
                 .source = "3 to 5 in the authors' simulator"),                                    \
        HS_PARAM_CHOICE(state_type, field.credit, "credit", "median", hs_hplus_credit_names,       \
                        "a lane's credit: its jobs times their median or mean wait",               \
                        .source = "median: the authors' simulator"),                               \
        HS_PARAM_INT(state_type, field.recluster_growth, "recluster_growth", "20", 1, 1000,        \
                     "cluster anew when this many more jobs wait than the last time",              \
                     .unit = "%"),                                                                 \
        HS_PARAM_DURATION(state_type, field.recluster_period_us, "recluster_period", "600s", 0,    \
                          86400, "or when this time has passed and as many came or went"),         \
        HS_PARAM_DURATION(                                                                         \
            state_type, field.wake_period_us, "wake_period", "60s", 1, 86400,                      \
            "decide at least this often while jobs wait: credits grow with time alone")

void hs_hplus_queues_init(struct hs_hplus_queues *l, const struct hs_view *v);
/* The key orders the queue, smaller first. A job that is in already may not be added. */
void hs_hplus_queues_add(struct hs_hplus_queues *l, const struct hs_view *v, hs_job_id job,
                         int64_t key);
void hs_hplus_queues_remove(struct hs_hplus_queues *l, const struct hs_view *v,
                            hs_job_id job); /* no-op if out */
/* Clusters the queue of a VC anew if that is due. */
void hs_hplus_queues_refresh(struct hs_hplus_queues *l, const struct hs_view *v, uint32_t vc);
/* Asks for a timer (tag 0) one wake_period from now, unless one is on its way. */
void hs_hplus_queues_wake(struct hs_hplus_queues *l, const struct hs_view *v, struct hs_plan *p);
#define HS_HPLUS_LOOK_AHEAD 64 /* at most */

struct hs_hplus_queues_window {
    const struct hs_hplus_queues *hqueues;
    const struct hs_view *v;
    const struct hs_hplus_queue_set *set;
    uint32_t left; /* of the look-ahead */
    uint32_t given_count;
    hs_job_id given[HS_HPLUS_LOOK_AHEAD];
    struct hs_hplus_queues_head {
        hs_job_id next;
        uint32_t count;   /* jobs not given out */
        hs_job_id median; /* of these */
        hs_i128 submit_sum_us;
        hs_u128 credit; /* of these */
    } heads[HS_HPLUS_MAX];
};

/* look_ahead is cut to HS_HPLUS_LOOK_AHEAD. */
void hs_hplus_queues_open(struct hs_hplus_queues_window *w, const struct hs_hplus_queues *l,
                          const struct hs_view *v, uint32_t vc, uint32_t look_ahead);
/* HS_NO_JOB when the window is over or no other job waits. */
hs_job_id hs_hplus_queues_next(struct hs_hplus_queues_window *w);

/* NULL, or the rule broken: orders valid, every member waiting, its queue and all sums right. */
const char *hs_hplus_queues_check(const struct hs_hplus_queues *l, const struct hs_view *v);

#endif
