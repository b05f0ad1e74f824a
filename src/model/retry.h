/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gives jobs of a trace attempts that fail before the run that was recorded, as often and as late
 * as on Philly. A filter on a job source, like model/assign: records come out in the order in which
 * they go in. The recorded run time is the last attempt; those that fail come on top of it.
 *
 *     hs_retry_open(&retry, source, seed);
 *     HS_TRY(hs_engine_run(engine, hs_retry_source(&retry)));
 *
 * Draws are keyed by (seed, "failures", index of the job): nothing a policy does shifts them. Jobs
 * without GPUs do not fail. Figures: Jeon et al., USENIX ATC 2019; what they leave open is in
 * retry.c.
 */
#ifndef HORUS_MODEL_RETRY_H
#define HORUS_MODEL_RETRY_H

#include <stdint.h>

#include "horus/trace.h"

#define HS_RETRIES_MAX     3 /* Philly tries a job again up to a fixed count */
#define HS_RETRY_CLASSES   4
#define HS_FAILURE_REASONS 6

/* By GPUs of the job, from gpus_from to the next class. */
struct hs_retry_class {
    uint32_t gpus_from;
    double unsuccessful; /* share of the jobs: figure 9b and table 6 */
    double mean_retries; /* of all jobs: figure 9a */
};
extern const struct hs_retry_class hs_retry_classes[HS_RETRY_CLASSES];

/* Why attempts fail, and after how many minutes: table 7. */
struct hs_failure_reason {
    const char *name;
    uint32_t trials;
    double median_min, p95_min;
};
extern const struct hs_failure_reason hs_failure_reasons[HS_FAILURE_REASONS];

/* The chance that a retry fails too, so that the mean number of retries is that of the class. */
double hs_retry_again(const struct hs_retry_class *c);

struct hs_retry_counts {
    uint64_t jobs;     /* with attempts that fail */
    uint64_t failures; /* attempts that fail */
    int64_t added_us;  /* their run time */
};

struct hs_retry {
    struct hs_job_source source;
    uint64_t seed, index;
    uint64_t fails_below[HS_RETRY_CLASSES], again_below[HS_RETRY_CLASSES]; /* of 2^32 */
    double spread[HS_FAILURE_REASONS]; /* standard deviation of the logarithm */
    uint32_t trials;
    int64_t attempts_us[HS_RETRIES_MAX + 1]; /* of the record handed out */
    struct hs_retry_counts counts;
};

void hs_retry_open(struct hs_retry *retry, struct hs_job_source source, uint64_t seed);
/* Fills attempts_us and attempts of the jobs that fail, and adds the run time of the attempts that
 * fail to their duration. */
struct hs_job_source hs_retry_source(struct hs_retry *retry);

#endif
