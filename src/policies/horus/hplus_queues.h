/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The waiting queues of Horus+: in each virtual cluster, jobs of similar demands (GPUs, predicted
 * mean and peak utilization, predicted memory) wait in one queue, in order of their key.
 *
 * Clustering is repeated when the number of waiting jobs has grown by recluster_growth, or when
 * recluster_period has passed and that many jobs came or left. The amortized cost of a job is O(1)
 * visits, however long the queue. In between a new job joins the queue of the nearest centroid.
 *
 * The credit of a queue is the number of its jobs times the longer of a minute and their median
 * (credit=median) or mean wait; the median wait is that of the median in order of submission. A
 * window gives out look_ahead jobs one by one, each from the queue of most credit (ties: the lower
 * queue); jobs that were given out no longer count. Credits are compared exactly.
 *
 * Needs HS_KNOWS_UTILIZATION, HS_KNOWS_MEMORY and HS_CAN_TIME. Cost: add, remove O(log n); a window
 * O(queues) to open and O(queues + look_ahead) a job, but O(log n) for the first of a queue.
 */
#pragma once

#include "policies/lib/vc_queues.h"

#define HS_FEATURES  4
#define HS_HPLUS_MAX 8 /* bound on the queues of a VC */

enum hs_hplus_credit { HS_HPLUS_CREDIT_MEDIAN, HS_HPLUS_CREDIT_MEAN };
extern const char *const hs_hplus_credit_names[];

struct hs_hplus_queues {
    int64_t queues, recluster_growth, recluster_period_us, wake_period_us;
    int32_t credit;
    uint32_t vcs;
    struct hs_hplus_queue_set *by_vc;
    struct hs_cluster_sample *sample;
    int64_t wake_us; /* time of the last timer that was set */
};

struct hs_features {
    uint32_t x[HS_FEATURES];
};

/* Stands first in the scratch of each job, so hs_job_queue_has and hs_job_queue_key refer to
 * by_key. */
struct hs_hplus_queues_scratch {
    struct hs_job_queue_link by_key;
    struct hs_features features;
    uint32_t hqueue;
    uint32_t mix; /* hash of its rank, which decides whether it is in a sample */
    struct hs_job_queue_link by_submit;
};

#define HS_HPLUS_PARAMS(state_type, field)                                                         \
    HS_PARAM_INT(state_type, field.queues, "queues", "4", 1, HS_HPLUS_MAX,                         \
                 "number of queues into which waiting jobs are clustered by their requests",       \
                 .source = "3 to 5 in the authors' simulator"),                                    \
        HS_PARAM_CHOICE(state_type, field.credit, "credit", "median", hs_hplus_credit_names,       \
                        "credit of a queue: its number of jobs times their median or mean wait",   \
                        .source = "median: the authors' simulator"),                               \
        HS_PARAM_INT(                                                                              \
            state_type, field.recluster_growth, "recluster_growth", "20", 1, 1000,                 \
            "cluster again when the number of waiting jobs has grown by this since the last time", \
            .unit = "%"),                                                                          \
        HS_PARAM_DURATION(state_type, field.recluster_period_us, "recluster_period", "600s", 0,    \
                          86400, "or when this time has passed and as many jobs arrived or left"), \
        HS_PARAM_DURATION(                                                                         \
            state_type, field.wake_period_us, "wake_period", "60s", 1, 86400,                      \
            "longest time between decisions while jobs wait: credits grow with time")

void hs_hplus_queues_init(struct hs_hplus_queues *l, const struct hs_view *v);
/* Jobs of smaller keys come first. The job must not be a member. */
void hs_hplus_queues_add(struct hs_hplus_queues *l, const struct hs_view *v, hs_job_id job,
                         int64_t key);
/* No effect if it is no member. */
void hs_hplus_queues_remove(struct hs_hplus_queues *l, const struct hs_view *v, hs_job_id job);
/* For each VC that is awake: clusters again if due, then starts jobs from windows; the VC is not
 * awake afterwards. */
void hs_hplus_queues_scan(struct hs_hplus_queues *l, const struct hs_view *v, struct hs_plan *p,
                          struct hs_vc_queues *awake, const struct hs_colocate_rule *rule);
/* Checks orders, that every member waits, and all sums. Returns NULL or the broken rule. */
const char *hs_hplus_queues_check(const struct hs_hplus_queues *l, const struct hs_view *v);
