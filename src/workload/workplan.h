/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sizes, durations and fates of consecutive jobs, planned together: sizes are dealt without
 * replacement, so that each has its share among them; ranks and fates of a size bucket are points
 * that fill the square evenly, over all plans, handed to jobs in the order of correlated scores. A
 * hundred thousand jobs hit a published distribution closer than as many independent draws would,
 * although whole batches are alike and few jobs have most of the GPU time. Memory does not depend
 * on the number of jobs.
 */
#ifndef HORUS_WORKLOAD_WORKPLAN_H
#define HORUS_WORKLOAD_WORKPLAN_H

#include "workload/arrival.h"
#include "workload/keysort.h"

#define HS_WORKPLAN_JOBS 16384 /* planned together */

struct hs_workplan_job {
    int64_t submit_s, duration_s;
    uint64_t batch;
    uint32_t size; /* row of hs_workplan.sizes */
    enum hs_outcome outcome;
};

struct hs_workplan_size {
    struct hs_workload_size size;
    uint32_t bucket;
    uint32_t left; /* of this plan, not dealt yet */
    bool is_open;  /* to the batches that sizes are being dealt to */
    double owed;   /* jobs of this size that are due, below 1 */
};

struct hs_workplan {
    const struct hs_workload *workload;
    struct hs_arrival arrival;
    struct hs_workplan_size *sizes; /* of all buckets */
    struct hs_keyed *last;          /* by bucket: rank and fate that were drawn last */
    struct hs_keyed *scores, *spare;
    uint32_t *order;                               /* jobs by bucket */
    uint32_t first[HS_WORKLOAD_BUCKETS_MAX + 1];   /* of each bucket in it */
    uint32_t lengths[HS_WORKLOAD_BUCKETS_MAX + 1]; /* of batches, ascending: between two of them all
                                                      buckets take the same batches */
    uint32_t length_count;
    struct hs_workplan_job *jobs;
    uint32_t size_count, count, next;
    uint64_t seed, number; /* of plans so far */
    uint64_t jobs_left;    /* not planned yet */
};

/* jobs and hours >= 1; borrows the workload. Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_workplan_open(struct hs_workplan *plan,
                                            const struct hs_workload *workload, uint64_t jobs,
                                            uint64_t hours, uint64_t seed);
/* The next job in order of submission, valid until the next call; NULL past the last. */
const struct hs_workplan_job *hs_workplan_next(struct hs_workplan *plan);
void hs_workplan_close(struct hs_workplan *plan);

#endif
