/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A statistical description of a cluster's jobs that can be published: a workload file
 * (configs/README.md, "Workloads") in memory. workload/generator generates jobs from it;
 * workload/fit computes it from a trace.
 *
 *     HS_TRY(hs_workload_load(&workload, "venus", diag));     // shipped, or a path
 *     hs_workload_free(&workload);
 */
#pragma once

#include "base/io.h"
#include "base/sample.h"
#include "base/memory.h"
#include "horus/trace.h"

/* A distribution as points of its inverse: [[0, 1], [0.5, 200], [1, 86400]] means that half of the
 * values are at most 200. Between two points the logarithm of the value is linear in the
 * probability; the value itself if the lower one is 0. */
#define HS_QUANTILE_FN_POINTS_MAX 4096
struct hs_quantile_fn {
    double *rank, *value; /* parallel; ranks 0 .. 1 ascending, values non-decreasing */
    uint32_t count;       /* 0 or >= 2 */
};
/* 0 <= rank <= 1. O(log points). */
double hs_quantile_fn_at(const struct hs_quantile_fn *curve, double rank);
double hs_quantile_fn_mean(const struct hs_quantile_fn *curve);
/* Fits the distribution of whole numbers, rounded up or not: the error is at most a tenth of the
 * sampling uncertainty, or .001. */
void hs_quantile_fn_of(const struct hs_loghist *values, bool is_rounded_up, struct hs_arena *arena,
                       struct hs_quantile_fn *curve);

#define HS_WORKLOAD_HOURS       24
#define HS_WORKLOAD_WEEKDAYS    7
#define HS_WORKLOAD_STATES      3 /* completed, cancelled, failed: HS_OUTCOME_COMPLETED + i */
#define HS_WORKLOAD_BUCKETS_MAX 64
#define HS_WORKLOAD_SIZES_MAX   512 /* of one bucket */
#define HS_WORKLOAD_VCS_MAX     4096
#define HS_WORKLOAD_USERS_MAX   1000000
#define HS_WORKLOAD_RETRIES_MAX 8
#define HS_WORKLOAD_BATCH_MAX   1000000
#define HS_WORKLOADS            "workloads/" /* folder of the shipped ones */

/* Returns the weekday of an hour since 1970-01-01 (a Thursday); Monday is 0. */
static inline uint32_t hs_weekday_of(int64_t hour)
{
    int64_t day = hour / HS_WORKLOAD_HOURS - (hour % HS_WORKLOAD_HOURS < 0) + 3;
    return (uint32_t)((day % HS_WORKLOAD_WEEKDAYS + HS_WORKLOAD_WEEKDAYS) % HS_WORKLOAD_WEEKDAYS);
}

/* Arrival rate around the profile of day and week: gamma with this CV over hours; its rank is a
 * quick and a slow process, with correlations exp(-hours/..). */
struct hs_workload_modulation {
    double cv;                     /* 0 = none */
    double hours;                  /* > 0 */
    double slow_hours, slow_share; /* share of the variance of the rank; 0 = quick only */
};

/* Intervals without submissions, spread evenly: maintenance, holidays. */
struct hs_workload_outages {
    double per_day;              /* 0 = none; at most 1 */
    struct hs_quantile_fn hours; /* duration, rounded up */
};

/* Jobs that one user submits in quick succession. */
struct hs_workload_batches {
    struct hs_quantile_fn jobs;  /* jobs per batch, rounded up; count 0 = no batches */
    struct hs_quantile_fn gap_s; /* between two jobs of a batch */
    double same_size;            /* probability that a member has the size of the batch */
    double duration_correlation; /* of normal scores of durations, within batch and size bucket */
    bool is_whole;               /* rates of the hours are those of batches, else of jobs */
};

struct hs_workload_arrivals {
    int64_t first_us;                      /* midnight of the first day, trace clock */
    double jobs_per_day;                   /* mean */
    double weekdays[HS_WORKLOAD_WEEKDAYS]; /* weights, Monday first; sum 1 */
    double hours[HS_WORKLOAD_HOURS];       /* sum 1 */
    struct hs_workload_modulation modulation;
    struct hs_workload_outages outages;
    struct hs_workload_batches batches;
};

struct hs_workload_size {
    uint32_t gpus, gpu_milli; /* as in struct hs_trace_job */
    double share;             /* of all jobs; sum 1 over all buckets */
};

/* Mix of outcomes of a bucket's jobs up to a duration rank. */
struct hs_workload_states {
    double rank;                      /* 0 < rank <= 1, ascending, the last 1 */
    double share[HS_WORKLOAD_STATES]; /* sum 1 */
};

/* Sizes that share a distribution of durations. */
struct hs_workload_bucket {
    const char *name;
    struct hs_workload_size *sizes;
    struct hs_quantile_fn duration_s;  /* rounded up to whole seconds */
    struct hs_workload_states *states; /* none: outcomes are unknown */
    double share;                      /* of all jobs */
    double retries;                    /* mean number of retries over all its jobs; 0 = none */
    uint32_t size_count, state_count;
    uint32_t batch_max; /* longest batch of such jobs; UINT32_MAX = no limit */
};

struct hs_workload_vc {
    const char *name;
    double *shares;    /* weights, by bucket */
    uint32_t gpus_max; /* largest job submitted to it; 0 = any */
};

/* A failed job fails 1 + retries times, each after a separate time. */
struct hs_workload_retries {
    uint32_t max;                 /* retries of a job; 0 = none anywhere */
    struct hs_quantile_fn time_s; /* until an attempt fails */
};

struct hs_workload {
    const char *name;
    struct hs_workload_arrivals arrivals;
    struct hs_workload_bucket *buckets;
    struct hs_workload_vc *vcs;
    struct hs_workload_retries retries;
    uint32_t bucket_count, vc_count;
    uint32_t users;     /* 0 = jobs without users */
    double users_sigma; /* log-normal weights */
    /* Between jobs of a user in different batches: of normal scores of durations, within a bucket;
     * and how much likelier than by chance their outcomes are equal: (P - chance) / (1 - chance).
     */
    double users_duration_correlation, users_outcome_correlation;
    uint64_t hash;         /* of the file's bytes */
    struct hs_arena arena; /* owns all of the above */
};

/* name: a shipped workload ("philly"; same as "builtin:workloads/philly.json") or a path. Reports
 * all faults of the file. */
HS_MUST_USE enum hs_status hs_workload_load(struct hs_workload *workload, const char *name,
                                            struct hs_diag *diag);
void hs_workload_free(struct hs_workload *workload);
/* Writes a file for hs_workload_load(); `about`, a line of text, is put before it. */
void hs_workload_write(const struct hs_workload *workload, const char *about,
                       struct hs_output *out);
/* Sets the path of a shipped workload; HS_E_USAGE with the nearest name if there is none. */
HS_MUST_USE enum hs_status hs_workload_path(const char *name, char *path, size_t size,
                                            struct hs_diag *diag);

/* Expected GPU-seconds of a job, from sizes and durations. */
double hs_workload_gpu_seconds(const struct hs_workload *workload);
/* Share of a bucket's jobs with this outcome; for HS_OUTCOME_UNKNOWN 1 if it has no states. */
double hs_bucket_state_share(const struct hs_workload_bucket *bucket, enum hs_outcome outcome);

/* ---- the generator ----
 *
 * A stream of jobs of a workload: the same workload, request and seed give the same jobs. Number of
 * jobs and span are exact; with another number or span all jobs differ.
 *
 *     struct hs_generate_request q = {.name = "venus", .jobs = 100000, .seed = 1};
 *     HS_TRY(hs_generator_open(&g, &q, diag));
 *     while (hs_generator_next(g, &job) == HS_OK) ...
 */

#define HS_GENERATE_PREFIX   "gen:"
#define HS_GENERATE_TEXT_MAX 4096
#define HS_GENERATE_JOBS     10000 /* default without jobs and days */
#define HS_GENERATE_JOBS_MAX 1e12

struct hs_generate_request {
    const char *name; /* for hs_workload_load */
    uint64_t jobs;    /* 0: from days and rate */
    double days;   /* 0: from jobs and rate, whole days from four weeks on if load is 0. Rounded to
                      hours */
    double load;   /* 0: the rate of the workload, or jobs / days. Otherwise sets the rate so that
                      expected GPU time / (gpus x span) is this */
    uint64_t gpus; /* of the cluster; needed only for load, 0 = unknown */
    uint64_t seed;
};

struct hs_generator;

HS_MUST_USE enum hs_status hs_generator_open(struct hs_generator **generator,
                                             const struct hs_generate_request *request,
                                             struct hs_diag *diag);
/* HS_END after the last. Ids are 1, 2, ...; with retries in the workload failed jobs have
 * attempts. */
enum hs_status hs_generator_next(struct hs_generator *generator, struct hs_trace_job *job);
struct hs_generator_about {
    uint64_t jobs, hours; /* total; span */
    uint64_t hash;        /* determines jobs, times and everything else */
    const struct hs_workload *workload;
};
const struct hs_generator_about *hs_generator_about(const struct hs_generator *generator);
void hs_generator_close(struct hs_generator *generator); /* NULL is allowed */

/* ---- jobs per hour ----
 * The rate is the profile of hours and weekdays, modulated, with exactly the requested number of
 * jobs. Hours are planned in blocks of four to eight weeks, in which every hour of the day and
 * every weekday has exactly its share of the rate, however much the rate varies: with modulations
 * as strong as in the traces, independent draws would miss the profile of a trace of 100,000 jobs
 * by several times the difference between neighbouring hours. For the same reason the rates of a
 * block are the quantiles of their distribution, each once, in random order. A span of less than
 * two weeks is the start of a block of two weeks. */

#define HS_ARRIVAL_BLOCK_DAYS  28
#define HS_ARRIVAL_BLOCK_HOURS (2 * HS_ARRIVAL_BLOCK_DAYS * HS_WORKLOAD_HOURS) /* at most */

struct hs_arrival_rate {
    const struct hs_workload_arrivals *arrivals;
    uint64_t seed, jobs, hours; /* of the whole span */
    double weight;              /* of the profile over the span */
    double weight_done;
    uint64_t jobs_done; /* in previous blocks */
    uint32_t blocks, next_block;
    uint64_t first_hour;  /* of the block */
    uint32_t block_hours; /* those inside the span */
    uint32_t next;        /* next hour of the block */
    double quick, slow;   /* state of the modulation */
    double rates[HS_ARRIVAL_BLOCK_HOURS];
    uint32_t counts[HS_ARRIVAL_BLOCK_HOURS];
};

/* jobs and hours >= 1. */
void hs_arrival_rate_open(struct hs_arrival_rate *rate, const struct hs_workload_arrivals *arrivals,
                          uint64_t jobs, uint64_t hours, uint64_t seed);
/* Returns the next hour with jobs, from 0; false after the last. */
bool hs_arrival_rate_next(struct hs_arrival_rate *rate, uint64_t *hour, uint32_t *count);

/* ---- the fit ----
 *
 * Fits a workload to the jobs of a trace, in one pass: what workload/generator then generates is
 * similar in sizes, durations within a size, outcomes by duration, days and weeks, bursts, users,
 * virtual clusters and retries.
 *
 *     hs_fit_open(&fit);
 *     while (next(&job) == HS_OK) HS_TRY(hs_fit_add(fit, &job, diag));
 *     HS_TRY(hs_fit_finish(fit, "lab", &workload, diag));
 *     hs_fit_close(fit);                                      // the workload stays
 *
 * Memory does not grow with the jobs: distributions are logarithmic histograms (base/loghist: whole
 * seconds up to 2,047, then 0.1 %), four for each of at most 33 classes of sizes; in addition one
 * count per hour of the trace, a few numbers per user and virtual cluster, and 4,096 pairs of jobs.
 */

#define HS_FIT_JOBS_LEAST 10

struct hs_fit;

void hs_fit_open(struct hs_fit **fit);
/* Adds a job, in order of submission. Jobs without GPUs are ignored. */
HS_MUST_USE enum hs_status hs_fit_add(struct hs_fit *fit, const struct hs_trace_job *job,
                                      struct hs_diag *diag);
/* Fills the workload, which owns its contents: hs_workload_free(). HS_E_INPUT if there were fewer
 * than HS_FIT_JOBS_LEAST jobs. */
HS_MUST_USE enum hs_status hs_fit_finish(struct hs_fit *fit, const char *name,
                                         struct hs_workload *workload, struct hs_diag *diag);
uint64_t hs_fit_jobs(const struct hs_fit *fit); /* added so far */
void hs_fit_close(struct hs_fit *fit);          /* NULL is allowed */
