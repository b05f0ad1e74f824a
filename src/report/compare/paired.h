/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares two finished runs of one workload job by job: the second (B) against the first (A). Each
 * job is its own control, which cancels differences between jobs; these are far larger than those
 * between policies.
 *
 *     HS_TRY(hs_paired_load(&p, dirs, diag));               // reads and matches jobs.csv of both
 *     HS_TRY(hs_paired_compare(&p, 2000, seed));            // fills p.groups
 *     hs_paired_print(&p, &out, columns);
 *     HS_TRY(hs_paired_write(&p, &dir, files));             // paired.csv, jobs_paired.csv
 *     hs_paired_free(&p);                                   // also after a failure
 *
 * Compared are jobs that completed in both runs and were submitted inside the windows of --warmup
 * and --cooldown of both. Memory: about 200 bytes per job.
 */
#pragma once

#include "report/run/manifest.h"

enum { HS_PAIRED_A, HS_PAIRED_B, HS_PAIRED_RUNS };

enum hs_paired_metric {
    HS_PAIRED_WAIT,
    HS_PAIRED_JCT,
    HS_PAIRED_SLOWDOWN,
    HS_PAIRED_BOUNDED,
    HS_PAIRED_RUN_SLOWDOWN,
    HS_PAIRED_METRICS
};

/* A row of jobs.csv; times -1 = empty. */
struct hs_paired_row {
    const char *id;
    int64_t submit_us, work_us, wait_us, jct_us, run_us;
    uint32_t gpus, vc; /* index in vcs of the run */
    uint32_t number;   /* index among the rows of the file */
    bool is_done;
};

struct hs_paired_run {
    const char *dir;
    struct hs_runmanifest manifest;
    struct hs_arena arena; /* of the ids */
    struct hs_intern vcs;
    struct hs_paired_row *rows; /* in order of submission */
    uint32_t count, cap;
};

/* Figures of one metric over the jobs of a group: in seconds; slowdowns have no unit. NaN if
 * undefined. */
struct hs_paired_figures {
    uint64_t jobs; /* jobs that have the metric; without work there is no slowdown */
    uint64_t better, equal, worse;
    double mean[HS_PAIRED_RUNS];
    double difference, ratio; /* of the means: B - A and B / A */
    double median_difference;
    struct hs_paired_range {
        double low, high;
    } difference_95, ratio_95;
};

struct hs_paired_group {
    const char *kind; /* "all", "gpus", "vc", "isolated" */
    char name[HS_CLASS_NAME_MAX + 1];
    struct hs_paired_figures figures[HS_PAIRED_METRICS];
};

#define HS_PAIRED_VCS       10 /* VCs with a group of their own; the others share one */
#define HS_PAIRED_QUARTILES 4
#define HS_PAIRED_GROUPS    (1 + HS_CLASS_GPUS_COUNT + HS_PAIRED_VCS + 1 + HS_PAIRED_QUARTILES)

struct hs_paired {
    struct hs_diag *diag;
    struct hs_paired_run runs[HS_PAIRED_RUNS]; /* row i of both runs is the same job */
    uint32_t *compared;                        /* rows that are compared, ascending */
    uint32_t count;                            /* number of `compared` */
    uint32_t only_done[HS_PAIRED_RUNS];        /* jobs completed in this run only */
    uint32_t done_in_none, outside; /* outside: completed in both, but not in both windows */

    struct hs_paired_group groups[HS_PAIRED_GROUPS]; /* groups with at least one job */
    uint32_t group_count;
    int64_t quartile_us[HS_PAIRED_QUARTILES]; /* longest isolated run time of each */
    uint32_t blocks, resamples;
    uint64_t seed;
    double correlation; /* of JCT differences of adjacent blocks */
};

/* Returns HS_E_INPUT, with the first difference, if the runs have different workloads. */
HS_MUST_USE enum hs_status
hs_paired_load(struct hs_paired *p, const char *const dirs[HS_PAIRED_RUNS], struct hs_diag *diag);
/* Returns HS_E_INPUT if no job can be compared. */
HS_MUST_USE enum hs_status hs_paired_compare(struct hs_paired *p, uint32_t resamples,
                                             uint64_t seed);
/* Prints the differences between the runs, the metrics of all jobs, and those of each group, in
 * tables at most `columns` wide if possible. */
void hs_paired_print(const struct hs_paired *p, struct hs_output *out, uint32_t columns);
/* Writes paired.csv (a row per group and metric) and jobs_paired.csv (a row per job). */
#define HS_PAIRED_FILES 2
HS_MUST_USE enum hs_status hs_paired_write(const struct hs_paired *p, const struct hs_rundir *dir,
                                           struct hs_output_file files[HS_PAIRED_FILES]);
void hs_paired_free(struct hs_paired *p);
