/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Groups of alike jobs: k-means over four features in integers, so that every machine draws the
 * same lines.
 *
 *     hs_cluster_sample_clear(&sample);
 *     for (each job) hs_cluster_sample_offer(&sample, &features, submit_us, rank, mix);
 *     hs_clusters_fit(&clusters, 4, &sample);
 *     group = hs_clusters_nearest(&clusters, &features);      // also of jobs that come later
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
#ifndef HORUS_POLICIES_HORUS_JOB_CLUSTERS_H
#define HORUS_POLICIES_HORUS_JOB_CLUSTERS_H

#include "policies/lib/job_heap.h"

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
    uint64_t limit; /* only mixes below it */
};

HS_MUST_USE enum hs_status hs_cluster_sample_init(struct hs_cluster_sample *s,
                                                  const struct hs_view *v);
void hs_cluster_sample_clear(struct hs_cluster_sample *s);
/* Else an offer changes nothing. */
static inline bool hs_cluster_sample_wants(const struct hs_cluster_sample *s, uint32_t mix)
{
    return mix < s->limit;
}
void hs_cluster_sample_offer(struct hs_cluster_sample *s, const struct hs_features *features,
                             int64_t submit_us, uint64_t rank, uint32_t mix);
/* 1 <= count <= HS_CLUSTERS_MAX. Uses up the sample. An empty sample changes nothing. */
void hs_clusters_fit(struct hs_clusters *c, uint32_t count, struct hs_cluster_sample *s);
uint32_t hs_clusters_nearest(const struct hs_clusters *c, const struct hs_features *features);

#endif
