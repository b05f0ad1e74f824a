/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a fit, each of which watches the jobs go by and fills its part of the workload:
 * curves from histograms (fit_curve.c), sizes (fit_sizes.c), when jobs come
 * (fit_arrivals.c, fit_outages.c,
 * fit_modulation.c), runs of jobs (fit_batches.c), users and virtual clusters
 * (fit_owners.c).
 */
#ifndef HORUS_WORKLOAD_FIT_PARTS_H
#define HORUS_WORKLOAD_FIT_PARTS_H

#include "base/intern.h"
#include "base/loghist.h"
#include "workload/fit.h"

#define HS_FIT_CLASSES 33 /* shares of a GPU; 1; 2; 3; 4; 5-7; 8; 9-15; ...; 32769-65535 */
#define HS_FIT_SECOND  INT64_C(1000000)

/* ---- curves ---- */

/* The distribution of whole numbers as a curve, whose values are to be rounded up or to be taken as
 * they are: off by at most a tenth of what a sample of that size is uncertain by, or by .001.
 * Memory of the arena. */
HS_MUST_USE enum hs_status hs_fit_curve(const struct hs_loghist *values, bool is_rounded_up,
                                        struct hs_arena *arena, struct hs_curve *curve);

/* ---- sizes ---- */

struct hs_fit_size {
    uint32_t gpus, gpu_milli;
    uint64_t jobs;
};

struct hs_fit_class {
    struct hs_fit_size *sizes;
    uint32_t size_count, size_cap;
    struct hs_loghist durations;                    /* whole seconds, rounded up */
    struct hs_loghist of_outcome[HS_OUTCOME_COUNT]; /* the same; nothing of those unknown */
    uint64_t jobs, retries;
};

struct hs_fit_sizes {
    struct hs_fit_class classes[HS_FIT_CLASSES];
    struct hs_loghist failures; /* times of attempts that failed and were made again, s */
    uint32_t retries_max;
    uint64_t jobs;
};

uint32_t hs_fit_class_of(const struct hs_trace_job *job);
uint64_t hs_fit_seconds(int64_t us); /* rounded up */
HS_MUST_USE enum hs_status hs_fit_sizes_add(struct hs_fit_sizes *sizes,
                                            const struct hs_trace_job *job);
/* bucket_of[class]: index of its bucket in the workload, UINT32_MAX of a class without jobs. */
HS_MUST_USE enum hs_status hs_fit_sizes_finish(const struct hs_fit_sizes *sizes,
                                               struct hs_workload *workload, uint32_t *bucket_of);
void hs_fit_sizes_free(struct hs_fit_sizes *sizes);

/* ---- arrivals ---- */

struct hs_fit_arrivals {
    uint32_t *counts; /* jobs of each hour from the first on */
    bool *is_out;     /* hours of an outage, of which nothing else is learnt; NULL: none */
    uint32_t hours, counts_cap;
    int64_t first_us, last_us;
    uint64_t jobs;
};

HS_MUST_USE enum hs_status hs_fit_arrivals_add(struct hs_fit_arrivals *arrivals, int64_t submit_us,
                                               struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_fit_arrivals_finish(struct hs_fit_arrivals *arrivals,
                                                  struct hs_arena *arena,
                                                  struct hs_workload_arrivals *out);
void hs_fit_arrivals_free(struct hs_fit_arrivals *arrivals);

/* Of the trace's hour number `hour`. */
uint32_t hs_fit_hour_of_day(const struct hs_fit_arrivals *arrivals, uint32_t hour);
uint32_t hs_fit_weekday_of(const struct hs_fit_arrivals *arrivals, uint32_t hour);
/* Weights of hours and weekdays. */
void hs_fit_profile(const struct hs_fit_arrivals *arrivals, struct hs_workload_arrivals *out);
/* Expected counts of the hours by the profile, with the trace's sum; hs_free. NULL: no memory. */
double *hs_fit_expected(const struct hs_fit_arrivals *arrivals,
                        const struct hs_workload_arrivals *profile);
/* Covariance of the rate around its mean of 1 over so many hours; its variance over 0. */
double hs_fit_covariance(const struct hs_fit_arrivals *arrivals, const double *expected,
                         uint32_t hours);
/* Given the profile: marks the hours, and says how long and how often. */
HS_MUST_USE enum hs_status hs_fit_outages(struct hs_fit_arrivals *arrivals, struct hs_arena *arena,
                                          struct hs_workload_arrivals *out);
/* The modulation, given the profile. */
HS_MUST_USE enum hs_status hs_fit_modulation(const struct hs_fit_arrivals *arrivals,
                                             struct hs_workload_arrivals *out);

/* ---- runs ---- */

struct hs_fit_run; /* of one user */
struct hs_fit_pair;

/* A run: submissions of one user, each at most a minute after the one before. Without users: of
 * one size, one behind the other, at most a tenth of the mean gap of the trace so far. */
struct hs_fit_batches {
    struct hs_fit_run *runs; /* by user */
    uint32_t run_count, runs_cap;
    struct hs_loghist jobs, gaps;               /* of runs; within them, s */
    struct hs_loghist of_class[HS_FIT_CLASSES]; /* jobs of runs, by class of their first */
    uint64_t members, members_alike;            /* behind the first; of its size */
    struct hs_fit_pair *pairs; /* neighbours in a run and a class: a sample of them */
    uint64_t pairs_seen;
    int64_t first_us;
    uint64_t seen;
};

HS_MUST_USE enum hs_status hs_fit_batches_add(struct hs_fit_batches *batches,
                                              const struct hs_trace_job *job, uint32_t user);
HS_MUST_USE enum hs_status hs_fit_batches_finish(struct hs_fit_batches *batches,
                                                 const struct hs_fit_sizes *sizes,
                                                 const uint32_t *bucket_of,
                                                 struct hs_workload *workload);
uint64_t hs_fit_batches_of(const struct hs_fit_batches *batches, uint32_t user); /* finished */
void hs_fit_batches_free(struct hs_fit_batches *batches);

/* ---- users and virtual clusters ---- */

struct hs_fit_vc {
    uint64_t jobs[HS_FIT_CLASSES];
    uint32_t gpus_max;
};

struct hs_fit_owners {
    struct hs_intern users, vcs; /* id 0: none named */
    struct hs_fit_vc *of_vc;
    uint32_t of_vc_cap;
};

HS_MUST_USE enum hs_status hs_fit_owners_open(struct hs_fit_owners *owners);
HS_MUST_USE enum hs_status hs_fit_owners_add(struct hs_fit_owners *owners,
                                             const struct hs_trace_job *job, uint32_t *user);
HS_MUST_USE enum hs_status hs_fit_owners_finish(const struct hs_fit_owners *owners,
                                                const struct hs_fit_batches *batches,
                                                const uint32_t *bucket_of,
                                                struct hs_workload *workload);
void hs_fit_owners_free(struct hs_fit_owners *owners);

#endif
