/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The output of a run: observers that write jobs.csv, segments.csv, series.csv, nodes.csv and
 * decisions.csv during the run and compute the figures of summary.json and summary.csv.
 *
 *     HS_TRY(hs_report_open(&report, &options, diag));
 *     for (i...) hs_engine_observe(engine, hs_report_observer(report, i));
 *     ... run ...
 *     HS_TRY(hs_report_finish(report, &end, &summary, diag));       // files closed, summary filled
 */
#pragma once

#include "model/speed.h"
#include "report/run/manifest.h"

enum { /* bits of options.outputs */
       HS_OUT_JOBS = 1u << 0,
       HS_OUT_SEGMENTS = 1u << 1,
       HS_OUT_SERIES = 1u << 2,
       HS_OUT_NODES = 1u << 3,
       HS_OUT_SUMMARY = 1u << 4, /* always on */
       HS_OUT_ALL = (1u << 5) - 1,
       HS_OUT_DECISIONS = 1u << 5, /* not part of "all": one row per action */
       HS_OUT_SWF = 1u << 6,       /* not part of "all": jobs.csv contains more */
       HS_OUT_TEAMS = 1u << 7,     /* not part of "all": sums of jobs.csv, by 'explain --by' */
};

struct hs_report_options {
    const struct hs_rundir *dir; /* NULL: no files, only figures */
    const struct hs_cluster *cluster;
    const struct hs_speed *speed; /* as the engine applies it; NULL: the speeds of the cluster */
    const struct hs_semantics *semantics; /* of the policy, for decisions.csv; NULL: unknown */
    const char *workload_name;            /* column of jobs.csv: base name of the trace */
    uint32_t outputs;
    int64_t sample_us; /* series: 0 = at most 2,048 doubling intervals, -1 = every change */
    uint64_t max_rows; /* most rows of the series, beyond them HS_E_LIMIT; 0 = no limit */
    int64_t warmup_us; /* jobs submitted first or last are not in job statistics */
    int64_t cooldown_us;
    bool has_fairness, has_power; /* optional figures */
    bool has_events;              /* of machines */
    bool is_preemptive;           /* a job may run before its last wait: fewer bounds hold */
    bool is_sharing;              /* whether two jobs may hold one GPU */
    bool is_resizing;             /* whether a gang may hold more or fewer GPUs than requested */
    bool is_allotting;            /* whether CPUs and host memory may make a job faster */
};

struct hs_report;

HS_MUST_USE enum hs_status hs_report_open(struct hs_report **report,
                                          const struct hs_report_options *options,
                                          struct hs_diag *diag);
/* Returns observer 0, 1, ...; NULL after the last. */
const struct hs_observer *hs_report_observer(const struct hs_report *report, size_t index);
/* The run goes on under another policy, whose semantics are stated from now on. */
void hs_report_fork(struct hs_report *report, const struct hs_report_options *policy);
/* Closes the row files and fills the summary. end_us: last instant of the run. */
HS_MUST_USE enum hs_status hs_report_finish(struct hs_report *report, int64_t end_us,
                                            struct hs_summary *summary, struct hs_diag *diag);
void hs_report_close(struct hs_report *report);

/* Files written so far, in order; stores their number in *count. */
const struct hs_output_file *hs_report_files(const struct hs_report *report, uint32_t *count);
