/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run leaves behind: the observers that write jobs.csv, segments.csv, series.csv, nodes.csv
 * and decisions.csv while the run goes on, and gather the figures of summary.json and summary.csv.
 *
 *     HS_TRY(hs_report_open(&report, &options, diag));
 *     for (i...) hs_engine_observe(engine, hs_report_observer(report, i));
 *     ... run ...
 *     HS_TRY(hs_report_finish(report, &end, &summary, diag));       // files closed, summary filled
 */
#ifndef HORUS_REPORT_REPORT_H
#define HORUS_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "horus/observe.h"
#include "horus/policy.h"
#include "model/cluster.h"
#include "model/speed.h"
#include "report/replicated.h"
#include "report/rundir.h"

enum { /* bits of options.outputs */
       HS_OUT_JOBS = 1u << 0,
       HS_OUT_SEGMENTS = 1u << 1,
       HS_OUT_SERIES = 1u << 2,
       HS_OUT_NODES = 1u << 3,
       HS_OUT_SUMMARY = 1u << 4, /* always on */
       HS_OUT_ALL = (1u << 5) - 1,
       HS_OUT_DECISIONS = 1u << 5, /* not among "all": one row an action */
       HS_OUT_SWF = 1u << 6,       /* nor is this: jobs.csv says more */
};

struct hs_report_options {
    const struct hs_rundir *dir; /* NULL: no files, figures only */
    const struct hs_cluster *cluster;
    const struct hs_speed *speed; /* as the engine applies it; NULL: the speeds of the cluster */
    const struct hs_semantics *semantics; /* of the policy, for decisions.csv; NULL: not known */
    const char *workload_name;            /* column of jobs.csv: base name of the trace */
    uint32_t outputs;
    int64_t sample_us; /* series: 0 = at most 2,048 doubling intervals, -1 = every change */
    int64_t warmup_us; /* jobs submitted in the first / last part stay out of job statistics */
    int64_t cooldown_us;
    bool is_preemptive; /* may a job run before its last wait? decides which bounds hold */
    bool is_sharing;    /* may two jobs hold one GPU? */
    bool is_resizing;   /* may a gang hold more or fewer GPUs than it asked for? */
};

/* A metric as the summary lists it. value is NaN where it does not apply, with the reason. */
struct hs_metric {
    const char *name, *unit; /* "mean_wait", "s" */
    double value;
    const char *absent_because; /* NULL when there is a value */
};

/* The same figures for one class of jobs; measures are named by hs_class_measure(). NaN = none. */
#define HS_CLASS_MEASURES 27
#define HS_CLASS_NAME_MAX 63
struct hs_class {
    const char *kind; /* "gpus", "user_quintile", "outcome", "class", "vc" */
    char name[HS_CLASS_NAME_MAX + 1];
    uint64_t jobs; /* that count in the statistics */
    double value[HS_CLASS_MEASURES];
};
/* "mean_wait", "p99_jct", ...; NULL past the last. */
const char *hs_class_measure(uint32_t index);

/* What seeded random ties make of a metric (--tie-jitter): running mean and sum of squared
 * deviations over `runs` runs (Welford 1962), smallest and largest value. */
struct hs_spread {
    const char *name, *unit;
    uint32_t runs;
    double mean, squares, min, max;
};
void hs_spread_add(struct hs_spread *spread, double value);
/* Sample standard deviation; NaN below two runs. */
double hs_spread_deviation(const struct hs_spread *spread);

/* Self-contained: valid after hs_report_close(), may be copied. */
#define HS_METRICS_MAX 128
#define HS_CLASSES_MAX 131
#define HS_SPREADS_MAX 16
struct hs_summary {
    struct hs_metric metrics[HS_METRICS_MAX];
    struct hs_class classes[HS_CLASSES_MAX];
    struct hs_spread spreads[HS_SPREADS_MAX]; /* "tie_jitter" of summary.json; none = left out */
    uint32_t count, class_count, spread_count;
    /* summary.csv has the metrics from the first of these on behind GPUs, users and outcomes, from
     * the second on behind what users ask for too */
    uint32_t before_classes, before_job_classes;
    char sparkline[64]; /* mean GPUs held over time, 16 ASCII levels '0'..'9','a'..'f' */
};

struct hs_report;

HS_MUST_USE enum hs_status hs_report_open(struct hs_report **report,
                                          const struct hs_report_options *options,
                                          struct hs_diag *diag);
/* index 0, 1, ... until NULL. */
const struct hs_observer *hs_report_observer(const struct hs_report *report, size_t index);
/* Closes the row files and fills the summary. end_us: last instant of the run. */
HS_MUST_USE enum hs_status hs_report_finish(struct hs_report *report, int64_t end_us,
                                            struct hs_summary *summary, struct hs_diag *diag);
void hs_report_close(struct hs_report *report);

/* Value of a metric by name; NaN if absent. */
double hs_summary_get(const struct hs_summary *summary, const char *name);

/* The semantics card: strings that say what this run means. A text may be NULL = not stated. */
struct hs_card {
    const char *workload, *cluster; /* as given: identify the row when files are concatenated */
    uint64_t seed;
    const char *policy;
    struct hs_semantics policy_semantics;
    const char *gang, *locality, *vc, *interference, *profiles, *predictor, *speeds;
    char ties[128];            /* among jobs; among nodes */
    char knows[128], can[128]; /* "duration" or "nothing" */
};

/* One output file as the manifest lists it. */
struct hs_output_file {
    const char *name;
    uint64_t hash, bytes, rows;
};

/* summary.json and summary.csv (one wide row: run identity columns first, then the metrics, the
 * classes, and the metrics that came later).
 * files: what was written, for the manifest. */
#define HS_SUMMARY_FILES 2
HS_MUST_USE enum hs_status hs_summary_write(const struct hs_summary *summary,
                                            const struct hs_card *card, const struct hs_rundir *dir,
                                            struct hs_output_file files[HS_SUMMARY_FILES],
                                            struct hs_diag *diag);
/* Files written so far, in order; count in *count. */
const struct hs_output_file *hs_report_files(const struct hs_report *report, uint32_t *count);

/* ---- terminal table: one row a run or policy ---- */
struct hs_table_row {
    const char *label;
    const struct hs_summary *summary;
    /* Of each metric of the summary: ratios to the first row; where they are NULL, the means of
     * several runs, for their intervals; both may be NULL. */
    const struct hs_replicated *ratios, *means;
};
struct hs_run_table {
    const struct hs_table_row *rows;
    const char *const *metrics; /* columns, ends with NULL; NULL: what a run shows */
    uint32_t row_count;
    uint32_t columns; /* of the terminal: a narrow one loses the last that do not fit */
    bool shows_all;   /* the columns were asked for: none is left out */
    bool use_utf8, use_color;
};
/* Aligned, best value of each column marked '*', ratios or intervals below the values, utilization
 * sparkline where every row has one. */
void hs_table_print(struct hs_output *out, const struct hs_run_table *table);
/* The columns of a run in order of importance, ends with NULL. */
extern const char *const hs_table_run_columns[];
struct hs_runcolumn;
/* Whether the column says anything: some row has a value, what is of sharing was shared, what it
 * counts happened, and jobs waited again, or still, after they had started. */
bool hs_table_is_telling(const struct hs_run_table *table, const struct hs_runcolumn *how);
/* The value to mark; NaN where fewer than two rows have one, or all the same. */
double hs_table_best(const struct hs_run_table *table, const struct hs_runcolumn *how);
/* Text below a value, ratio or interval: "" where there is nothing to say. HS_COLUMN_TEXT_SIZE
 * bytes. */
void hs_table_below(const struct hs_table_row *row, const char *metric, char *text);
/* A time as the tables show it: "12.5 s", "1.23 h", "-4.20 d". */
#define HS_TABLE_TIME_SIZE 24
void hs_table_time(char text[HS_TABLE_TIME_SIZE], double seconds);

#endif
