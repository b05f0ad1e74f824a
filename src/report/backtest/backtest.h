/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus backtest`: a simulation beside what its trace records, job by job. Collects recorded waits
 * and JCTs from the jobs on their way to the engine, simulated ones as an observer, and compares
 * them: waits, JCTs, GPUs held over time, by size, VC, user, outcome and time of submission.
 *
 *     struct hs_backtest b;  hs_backtest_init(&b, gpus);
 *     jobs = hs_backtest_source(&b, jobs);   // in front of the engine
 *     hs_engine_observe(engine, &b.observer);
 *     ... run ...
 *     hs_backtest_compare(&b);               // jobs from b.first on
 *     hs_backtest_print(&b, &out);
 *     HS_TRY(hs_backtest_write(&b, &dir, files, diag));
 *     hs_backtest_free(&b);
 *
 * Memory: about 200 bytes a job and 32 a segment. Nothing is rounded before it is printed.
 */
#pragma once

#include "report/run/manifest.h"

enum { HS_RECORDED, HS_SIMULATED, HS_SIDES };
enum { HS_BACKTEST_WAIT, HS_BACKTEST_JCT, HS_BACKTEST_METRICS };

struct hs_backtest_job {
    const char *id;
    int64_t submit_us;                         /* of the run's clock */
    int64_t run_us;                            /* run time in the trace */
    int64_t us[HS_SIDES][HS_BACKTEST_METRICS]; /* -1 = not recorded, not reached */
    uint32_t gpus, milli, user, vc;
    enum hs_outcome outcome;
};

/* From at_us on, `milli` more thousandths of GPUs are held. */
struct hs_backtest_change {
    int64_t at_us, milli;
};
struct hs_backtest_changes {
    struct hs_backtest_change *of;
    uint32_t count, cap;
};

/* Quantiles: the smallest value with at least that share at or below it. NaN = none. */
struct hs_backtest_figures {
    double mean, p50, p90, p95;
};
struct hs_backtest_group {
    const char *kind; /* "all", "gpus", "vc", "user", "outcome", "time" */
    char name[HS_CLASS_NAME_MAX + 1];
    uint64_t jobs;
    struct hs_backtest_figures figures[HS_BACKTEST_METRICS][HS_SIDES]; /* seconds */
    /* simulated over recorded mean, less one; of |simulated - recorded| / recorded JCT by job */
    double mean_error[HS_BACKTEST_METRICS], p50_error, p90_error;
};

#define HS_BACKTEST_NAMES  10 /* VCs, users with a group of their own; the others share one */
#define HS_BACKTEST_TIMES  8
#define HS_BACKTEST_GROUPS 64
#define HS_BACKTEST_LIMITS 6

struct hs_backtest {
    struct hs_observer observer;
    struct hs_job_source trace;
    struct hs_arena arena;
    struct hs_intern users, vcs;
    struct hs_backtest_job *jobs; /* in order of submission */
    uint32_t count, cap;
    struct hs_backtest_changes changes; /* simulated */
    bool keeps_changes;
    uint64_t gpus;    /* of the cluster */
    int64_t epoch_us; /* the run's time 0 on the trace's clock */
    uint32_t first;   /* jobs in front of it calibrate, those from it on are compared */

    /* by the caller; NaN, 0 = nothing was calibrated */
    int64_t startup_us;
    double overcommit;
    uint32_t runs;
    double rms[2][2]; /* s, of JCT: first part, rest; as given, calibrated */
    bool fits_startup, fits_overcommit;

    struct hs_backtest_group groups[HS_BACKTEST_GROUPS]; /* with at least one job; "all" first */
    uint32_t group_count;
    struct hs_backtest_figures held[HS_SIDES]; /* GPUs, over the submissions compared */
    uint64_t peak_milli;                       /* recorded, of GPUs held at once */
    uint64_t untimed;       /* compared part: jobs without recorded start or end */
    uint64_t own_run_times; /* jobs with a run time other than recorded end - start */
    double roomy;           /* share of recorded waiting with room for the job; NaN = no waiting */
    char limits[HS_BACKTEST_LIMITS][320];
    uint32_t limits_count;
};

/* b must not move until it is freed. */
void hs_backtest_init(struct hs_backtest *b, uint64_t gpus);
struct hs_job_source hs_backtest_source(struct hs_backtest *b, struct hs_job_source jobs);
/* Adds the squares of simulated - recorded JCT, in us, of jobs [from, to) that have both. */
hs_u128 hs_backtest_squares(const struct hs_backtest *b, uint32_t from, uint32_t to,
                            uint64_t *jobs);
/* Sorts; fills the figures. */
void hs_backtest_compare(struct hs_backtest *b);
void hs_backtest_print(const struct hs_backtest *b, struct hs_output *out);
void hs_backtest_json(const struct hs_backtest *b, struct hs_jsonw *w);
/* Writes backtest.csv (a row a group and metric) and backtest_jobs.csv. */
#define HS_BACKTEST_FILES 2
#define HS_BACKTEST_CSV   "backtest.csv"
#define HS_BACKTEST_JOBS  "backtest_jobs.csv"
HS_MUST_USE enum hs_status hs_backtest_write(const struct hs_backtest *b,
                                             const struct hs_rundir *dir,
                                             struct hs_output_file files[HS_BACKTEST_FILES],
                                             struct hs_diag *diag);
void hs_backtest_free(struct hs_backtest *b);
