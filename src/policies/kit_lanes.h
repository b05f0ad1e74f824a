/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lanes of the waiting queue (Horus+): jobs that ask for alike amounts (GPUs, predicted mean and
 * peak utilization, predicted memory; kit_cluster.h) wait in one lane, in order of their key. One
 * set of lanes per virtual cluster; kit_credit.h says which lane is served next.
 *
 *     hs_lanes_add(&lanes, v, job, key);                 // SUBMIT, STOPPED
 *     hs_lanes_remove(&lanes, v, job);                   // STARTED, FINISH; or when planned
 *     hs_lanes_refresh(&lanes, v, vc);                   // at each decision, before windows
 *     if (hs_lanes_count(&lanes, vc) > 0) hs_lanes_wake(&lanes, v, p);
 *
 * Clustering anew is due when more jobs wait than the last time by recluster_growth; or when
 * recluster_period has passed and as many came or went since: the lines depend on who waits, not on
 * the time, so without changes they would come out the same. This way all clustering costs a job
 * that comes or goes O(1) visits (and what moves it in the orders), however long the queue. In
 * between newcomers join the lane of the nearest centroid.
 *
 * Needs HS_KNOWS_UTILIZATION, HS_KNOWS_MEMORY, and HS_CAN_TIME for hs_lanes_wake.
 * Cost: add, remove O(log n); clustering as above, and O(log n) for each job that changes lanes.
 */
#ifndef HORUS_POLICIES_KIT_LANES_H
#define HORUS_POLICIES_KIT_LANES_H

#include "horus/compiler.h"
#include "policies/kit_cluster.h"
#include "policies/kit_order.h"

#define HS_LANES_MAX HS_CLUSTERS_MAX

enum hs_credit { HS_CREDIT_MEDIAN, HS_CREDIT_MEAN };
extern const char *const hs_credit_names[];

struct hs_lane {
    struct hs_order by_key;
    struct hs_order by_submit; /* loose; empty unless hs_lanes_use_median */
    hs_job_id median;          /* of by_submit; HS_NO_JOB if that is empty */
    hs_i128 submit_sum_us;
};

/* The waiting queue of one virtual cluster. */
struct hs_lane_set {
    struct hs_lane lanes[HS_LANES_MAX];
    struct hs_clusters clusters;
    uint32_t count;           /* jobs that wait */
    uint32_t clustered_count; /* when they were last clustered */
    uint32_t changes;         /* jobs that came or went since */
    int64_t clustered_us;
};

struct hs_lanes {
    int64_t queues, recluster_growth, recluster_period_us, wake_period_us;
    int32_t credit;
    uint32_t vcs;
    struct hs_lane_set *by_vc;
    struct hs_cluster_sample sample;
    int64_t wake_us; /* of the last timer asked for */
};

/* First in the scratch of each job. hs_order_has and hs_order_key answer for by_key. */
struct hs_lanes_scratch {
    struct hs_order_link by_key;
    struct hs_features features;
    uint32_t lane;
    uint32_t mix; /* of its rank: who is in a sample is told by it */
    struct hs_order_link by_submit;
};

#define HS_LANES_PARAMS(state_type, field)                                                         \
    {.key = "queues",                                                                              \
     .type = HS_PARAM_INT,                                                                         \
     .offset = offsetof(state_type, field) + offsetof(struct hs_lanes, queues),                    \
     .preset = "4",                                                                                \
     .min = 1,                                                                                     \
     .max = HS_LANES_MAX,                                                                          \
     .help = "lanes into which waiting jobs are clustered by what they ask for",                   \
     .source = "3 to 5 in the authors' simulator"},                                                \
        {.key = "credit",                                                                          \
         .type = HS_PARAM_CHOICE,                                                                  \
         .offset = offsetof(state_type, field) + offsetof(struct hs_lanes, credit),                \
         .preset = "median",                                                                       \
         .choices = hs_credit_names,                                                               \
         .help = "a lane's credit: its jobs times their median or mean wait",                      \
         .source = "median: the authors' simulator"},                                              \
        {.key = "recluster_growth",                                                                \
         .type = HS_PARAM_INT,                                                                     \
         .offset = offsetof(state_type, field) + offsetof(struct hs_lanes, recluster_growth),      \
         .preset = "20",                                                                           \
         .min = 1,                                                                                 \
         .max = 1000,                                                                              \
         .unit = "%",                                                                              \
         .help = "cluster anew when this many more jobs wait than the last time"},                 \
        {.key = "recluster_period",                                                                \
         .type = HS_PARAM_DURATION,                                                                \
         .offset = offsetof(state_type, field) + offsetof(struct hs_lanes, recluster_period_us),   \
         .preset = "600s",                                                                         \
         .min = 0,                                                                                 \
         .max = 86400,                                                                             \
         .help = "or when this time has passed and as many came or went"},                         \
    {                                                                                              \
        .key = "wake_period", .type = HS_PARAM_DURATION,                                           \
        .offset = offsetof(state_type, field) + offsetof(struct hs_lanes, wake_period_us),         \
        .preset = "60s", .min = 1, .max = 86400,                                                   \
        .help = "decide at least this often while jobs wait: credits grow with time alone"         \
    }

HS_MUST_USE enum hs_status hs_lanes_init(struct hs_lanes *l, const struct hs_view *v);
/* The key orders the lane, smaller first. A job that is in already may not be added. */
void hs_lanes_add(struct hs_lanes *l, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_lanes_remove(struct hs_lanes *l, const struct hs_view *v, hs_job_id job); /* no-op if out */
/* Under credit=median, and a single lane needs no credit. */
bool hs_lanes_use_median(const struct hs_lanes *l);
uint32_t hs_lanes_count(const struct hs_lanes *l, uint32_t vc);
/* Does a job wait that asks for no GPU? O(lanes). */
bool hs_lanes_have_cpu_jobs(const struct hs_lanes *l, const struct hs_view *v, uint32_t vc);
/* Clusters the queue of a VC anew if that is due. */
void hs_lanes_refresh(struct hs_lanes *l, const struct hs_view *v, uint32_t vc);
/* Asks for a timer (tag 0) one wake_period from now, unless one is on its way. */
void hs_lanes_wake(struct hs_lanes *l, const struct hs_view *v, struct hs_plan *p);
/* The median of n jobs in order of submission is the one at position floor((n - 1) / 2), from 0: of
 * two middle jobs the one that waits longer. Without `job`, one of the n, it is a step away from
 * `median` or the same. */
enum hs_median_step { HS_MEDIAN_STAYS, HS_MEDIAN_TO_PREV, HS_MEDIAN_TO_NEXT };
enum hs_median_step hs_lanes_median_step(const struct hs_order *by_submit, const struct hs_view *v,
                                         hs_job_id median, uint32_t n, hs_job_id job);
/* NULL, or the rule broken: orders valid, every member waiting, its lane and all sums right. */
const char *hs_lanes_check(const struct hs_lanes *l, const struct hs_view *v);

#endif
