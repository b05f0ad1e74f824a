/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of a workload, measured from its jobs alone and not from its generator: any trace,
 * real or generated, in memory, and one function a figure. Definitions, binding for
 * results/workloads.md:
 *
 *   demand      GPUs of a job, gpus x gpu_milli; GPU time = demand x duration
 *   gpus        a range of demands: "1" (up to one GPU), "2-4", ">8", ">=64", "" (all)
 *   cdf at x    share of the jobs (or of the GPU time) with a value <= x
 *   quantile    the smallest value with at least that share of the jobs at or below it
 *   gaps        between consecutive submissions; their cv is standard deviation / mean
 *   dispersion  variance / mean of the jobs submitted per clock hour, from the first to the last
 *               hour that has one, hours without a job among them
 *   hour        share of all jobs submitted at that hour of the trace's own clock
 *   weekday     mean jobs per calendar day of that weekday, as a share of the sum of the seven
 *   users       share of all GPU time (or jobs) of the users with most of it: the curve through
 *               the points ((k - 1) / (users - 1), share of the first k), straight between them
 *   wanted      GPUs of the jobs that run if each starts when it is submitted, over the time from
 *               the first submission to the last end
 *
 *     static struct workstat w;
 *     workstat_read(&w, "a.csv", NULL);
 *     double p = workstat_gpus_cdf(&w, 8);
 *     workstat_free(&w);
 */
#ifndef HORUS_TESTS_WORKSTAT_H
#define HORUS_TESTS_WORKSTAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "traces/trace_stream.h"

struct work_job {
    int64_t submit_us, duration_us;
    uint64_t demand; /* thousandths of a GPU */
    uint32_t user;
    enum hs_outcome outcome;
};

struct workstat {
    struct work_job *jobs; /* in order of submission */
    uint32_t count, cap;
    struct hs_intern users;
    char sorted_of[8];  /* range of demands of ... */
    int64_t *durations; /* durations of these jobs, in order of size */
    uint32_t durations_cap, durations_count;
};

/* Takes all jobs of a source; HS_END. Jobs without GPUs are skipped. from_us <= submission < to_us
 * on the trace's clock; both 0: all. */
enum hs_status workstat_from(struct workstat *w, struct hs_job_source source, int64_t from_us,
                             int64_t to_us);
/* The same for a trace; an error fails the test, or ends the program. */
void workstat_read(struct workstat *w, const struct hs_trace_options *options, int64_t from_us,
                   int64_t to_us);
/* Limits durations to this one, as in truncated files. */
void workstat_cut(struct workstat *w, int64_t most_s);
void workstat_free(struct workstat *w);

bool workstat_in(const char *gpus, uint64_t demand);

/* A share with its whole: figures of several workloads are added up before they are divided. */
struct work_share {
    double part, whole;
};

double workstat_mean_s(const struct workstat *w);
double workstat_mean_gpus(const struct workstat *w);
/* Durations of the jobs of a range of demands that are below a limit (0: no limit). */
double workstat_duration_cdf(struct workstat *w, const char *gpus, int64_t below_s, double at_s);
/* Share of them that is shorter than at_s, at_s itself left out. */
double workstat_duration_before(struct workstat *w, const char *gpus, int64_t below_s, double at_s);
double workstat_duration_quantile(struct workstat *w, const char *gpus, double share);
double workstat_gpus_cdf(const struct workstat *w, double at_gpus);
double workstat_gputime_cdf(const struct workstat *w, double at_gpus);
struct work_share workstat_outcome(const struct workstat *w, const char *gpus,
                                   enum hs_outcome outcome);
double workstat_outcome_gputime(const struct workstat *w, enum hs_outcome outcome);
double workstat_hour(const struct workstat *w, uint32_t hour);
double workstat_weekday(const struct workstat *w, uint32_t day); /* 0 = Monday */
double workstat_gap_cv(const struct workstat *w);
double workstat_gap_cdf(const struct workstat *w, double at_s);
double workstat_dispersion(const struct workstat *w);
/* Over time. */
struct work_wanted {
    double mean, deviation, most; /* GPUs */
};
struct work_wanted workstat_wanted(const struct workstat *w);
double workstat_users_gputime(const struct workstat *w, double share_of_users);
double workstat_users_jobs(const struct workstat *w, double share_of_users); /* of all jobs */

#endif
