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
#define HS_WORKLOAD_NAME_MAX    64 /* of a shipped workload */

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

/* Sets the name of shipped workload 0, 1, ...; false after the last. */
bool hs_workload_shipped(size_t index, char *name, size_t size);
