/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of a run: metrics, the same for classes of jobs, their spread over random ties, and
 * the card that says under what assumptions they were made; summary.json and summary.csv, which
 * hold them, and how summary.json is read back.
 */
#ifndef HORUS_REPORT_RUN_SUMMARY_H
#define HORUS_REPORT_RUN_SUMMARY_H

#include <stdint.h>

#include "base/diag.h"
#include "data/json.h"
#include "horus/policy.h"
#include "horus/trace.h"
#include "report/run/rundir.h"

struct hs_csvw;

/* value is NaN where the metric does not apply, with the reason. */
struct hs_metric {
    const char *name, *unit; /* "mean_wait", "s" */
    double value;
    const char *absent_because; /* NULL when there is a value */
};

/* Of a measure, in the order of the metrics. */
enum { HS_F_MEAN, HS_F_P50, HS_F_P90, HS_F_P95, HS_F_P99, HS_F_MAX, HS_FIGURES };
#define HS_FIGURE_NAMES(of) "mean_" of, "p50_" of, "p90_" of, "p95_" of, "p99_" of, "max_" of

/* The same figures for one class of jobs; measures are named by hs_class_measure(). NaN = none. */
#define HS_CLASS_MEASURES 27
#define HS_CLASS_NAME_MAX 63
#define HS_CLASSES_MAX    131
struct hs_class {
    const char *kind; /* "gpus", "user_quintile", "outcome", "class", "vc" */
    char name[HS_CLASS_NAME_MAX + 1];
    uint64_t jobs; /* that count in the statistics */
    double value[HS_CLASS_MEASURES];
};
/* "mean_wait", "p99_jct", ...; NULL past the last. */
const char *hs_class_measure(uint32_t index);

/* Classes of completed jobs: all; by GPUs, quintile of the user among all users by GPU time,
 * recorded outcome, class that the user asked for (where any job asks for one), virtual cluster. */
enum {
    HS_CLASS_ALL = 0,
    HS_CLASS_GPUS = 1, /* 0, 1, 2-4, 5-8, 9-16, 17-32, >32 */
    HS_CLASS_GPUS_COUNT = 7,
    HS_CLASS_QUINTILE = HS_CLASS_GPUS + HS_CLASS_GPUS_COUNT,
    HS_CLASS_QUINTILES = 5,
    HS_CLASS_OUTCOME = HS_CLASS_QUINTILE + HS_CLASS_QUINTILES,
    HS_CLASS_JOB = HS_CLASS_OUTCOME + HS_OUTCOME_COUNT, /* enum hs_job_class */
    HS_CLASS_VC = HS_CLASS_JOB + HS_JOB_CLASS_COUNT,
    /* named VCs; jobs of further ones share the last class, "(others)" */
    HS_CLASS_VCS_MAX = HS_CLASSES_MAX - HS_CLASS_VC
};

/* HS_CLASS_GPUS + this: the class of a gang of so many GPUs. */
uint32_t hs_class_of_gpus(uint32_t gpus);
/* Sets kind and name of class `index`, above 0; vc: the name, from HS_CLASS_VC on. */
void hs_class_name(uint32_t index, const char *vc, struct hs_class *out);

/* Bounded slowdown counts jobs shorter than this as this long (Feitelson & Rudolph, JSSPP 1998). */
#define HS_BOUND_US INT64_C(10000000)

/* What seeded random ties make of a metric (--tie-jitter): running mean and sum of squared
 * deviations over `runs` runs, smallest and largest value. */
struct hs_spread {
    const char *name;
    uint32_t runs;
    double mean, squares, min, max;
};
/* By Welford, Technometrics 1962: no second pass, no cancellation when the spread is small beside
 * the mean. */
void hs_spread_add(struct hs_spread *spread, double value);
/* Sample standard deviation; NaN below two runs. */
double hs_spread_deviation(const struct hs_spread *spread);

#define HS_METRICS_MAX 128
#define HS_SPREADS_MAX 16
/* Self-contained: valid after hs_report_close(), may be copied. */
struct hs_summary {
    struct hs_metric metrics[HS_METRICS_MAX];
    struct hs_class classes[HS_CLASSES_MAX];
    struct hs_spread spreads[HS_SPREADS_MAX]; /* "tie_jitter" of summary.json; none = left out */
    uint32_t count, class_count, spread_count;
    /* summary.csv has the metrics from the first of these on behind the classes by GPUs, users and
     * outcomes, from the second on behind those that jobs ask for too */
    uint32_t before_classes, before_job_classes;
    char sparkline[64]; /* mean GPUs held over time, 16 ASCII levels '0'..'9','a'..'f' */
};

/* Value of a metric by name; NaN if absent. */
double hs_summary_get(const struct hs_summary *summary, const char *name);

/* Texts that say what the run means. A text may be NULL = not stated. */
struct hs_card {
    const char *workload, *cluster; /* as given: identify the row when files are concatenated */
    uint64_t seed;
    const char *policy;
    struct hs_semantics policy_semantics;
    const char *gang, *locality, *vc, *interference, *profiles, *predictor, *speeds;
    char ties[128];            /* among jobs; among nodes */
    char knows[128], can[128]; /* "duration" or "nothing" */
};
/* As one JSON object; fields that are not stated are null. */
void hs_card_write_json(const struct hs_card *card, struct hs_jsonw *w);

/* One output file as the manifest lists it. */
struct hs_output_file {
    const char *name;
    uint64_t hash, bytes, rows;
};
struct hs_output;
/* What has been put so far; rows are data rows. */
struct hs_output_file hs_output_file_of(struct hs_output *out, const char *name, uint64_t rows);

/* summary.json and summary.csv (one wide row: run identity columns first, then the metrics, the
 * classes, and the metrics that came later).
 * files: what was written, for the manifest. */
#define HS_SUMMARY_FILES 2
HS_MUST_USE enum hs_status hs_summary_write(const struct hs_summary *summary,
                                            const struct hs_card *card, const struct hs_rundir *dir,
                                            struct hs_output_file files[HS_SUMMARY_FILES],
                                            struct hs_diag *diag);

/* summary.json of a finished run: the figures as `horus run` had them, to the last digit.
 *
 *     enum hs_status s = hs_runsummary_load(&r, path, diag);
 *     ... hs_summary_get(&r.summary, "mean_jct"), hs_json_get(r.card, "policy") ...
 *     hs_runsummary_close(&r);                               // also after a failed load
 */
struct hs_runsummary {
    struct hs_json_doc *doc;
    const struct hs_json *card; /* an object */
    struct hs_summary summary;  /* its texts live as long as doc; spreads are left out */
};
HS_MUST_USE enum hs_status hs_runsummary_load(struct hs_runsummary *r, const char *path,
                                              struct hs_diag *diag);
void hs_runsummary_close(struct hs_runsummary *r);

#endif
