/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison: policies x seeds x assignment seeds, each combination one cell, which is one run
 * with the options of `horus run`. Cells are ordered by policy, then seed, then assignment; the
 * cells of two policies with the same seed and assignment are a pair.
 *
 *     plan (compare.c)        refuses what is wrong, simulates nothing
 *     hs_cells_make           every cell into the directory's runs/, then their summaries: values,
 *                             runs.csv, compare.csv, order.csv and manifest.json
 */
#ifndef HORUS_CLI_VERBS_COMPARE_H
#define HORUS_CLI_VERBS_COMPARE_H

#include "cli/simulate.h"
#include "report/compare/intervals.h"
#include "report/run/rundir.h"

#define HS_COMPARED_MAX 64u /* policies */
#define HS_LABEL_SIZE   96u

struct hs_compared {
    const char *spec;          /* as given */
    char label[HS_LABEL_SIZE]; /* the same as part of a file name */
    struct hs_run_options options;
    struct hs_config config; /* over options and the table of `horus run` */
    struct hs_setup setup;   /* of its first cell */
};

struct hs_compare_cell {
    uint32_t policy;
    int64_t seed, assignment;       /* assignment: that of the draws of profiles */
    int64_t assign_seed;            /* as an option: 0 = follows the seed */
    char name[HS_LABEL_SIZE + 48u]; /* LABEL-sSEED-aASSIGNMENT */
    uint64_t summary_hash;          /* of its summary.csv */
};

/* A condition of --fail-if under which a comparison has failed, for scripts and CI:
 *
 *     mean_jct>+1%            a policy's mean JCT is more than 1 % above that of the first policy
 *     gpu_utilization<-5%@sjf that of sjf is more than 5 % below it
 *     ooms>0                  a value itself, of any policy, in the unit of the metric
 */
struct hs_fail_if {
    const char *text;
    uint32_t metric, policy; /* indices; policy UINT32_MAX = any that it applies to */
    bool is_more;            /* fails above the limit, not below */
    bool is_relative;        /* to the first policy: limit 0.01 is +1 % */
    double limit;
};

enum { HS_COMPARE_FILES = 3 }; /* compare.csv, runs.csv, order.csv */

struct hs_compare {
    struct hs_call *call;
    const struct hs_run_options *options;
    struct hs_compared *policies;
    struct hs_compare_cell *cells; /* [policy * pair_count + pair] */
    struct hs_summary *metrics;    /* names and units */
    const char *metric_names[HS_METRICS_MAX];
    double *values;               /* [cell * metrics->count + metric]; NaN = none */
    struct hs_replicated *means;  /* [policy * metrics->count + metric] */
    struct hs_replicated *ratios; /* to the first policy, likewise */
    struct hs_output_file files[HS_COMPARE_FILES];
    struct hs_message_log log; /* each text once; its warnings for the manifest */
    const char **columns;      /* of the table, as --metrics lists them, NULL at the end; or NULL */
    struct hs_fail_if *conditions;
    uint32_t condition_count;
    uint32_t policy_count, pair_count, cell_count, policies_open;
};

#define HS_COMPARE_COLUMNS "policy,metric,unit,mean,low,high,ratio,ratio_low,ratio_high,runs"
#define HS_ORDER_COLUMNS   "first,second,metric,cells,agree"
#define HS_RUNS_COLUMNS    "policy,seed,assignment" /* then those of summary.csv */

/* ---- the cells (compare_cells.c) ---- */

/* Runs every cell and writes the directory of the comparison; the values, means and ratios are then
 * known. */
HS_MUST_USE enum hs_status hs_cells_make(struct hs_compare *compare, const char *path);

/* Two policies, neighbours in the order of their means, and in how many pairs of cells the first
 * is below the second. */
#define HS_ORDER_METRIC "mean_jct"
struct hs_compare_neighbours {
    uint32_t first, second, cells, agree;
};
/* At most policy_count - 1 of them; returns how many. */
uint32_t hs_compare_order(const struct hs_compare *compare, struct hs_compare_neighbours *orders);

/* ---- --fail-if (compare.c), for tests ---- */

/* What the words of a condition may name; policies[0] is the reference. */
struct hs_fail_if_names {
    const char *const *metrics, *const *policies;
    uint32_t metric_count, policy_count;
};
/* HS_E_USAGE with what was expected; text is borrowed. */
HS_MUST_USE enum hs_status hs_fail_if_parse(const char *text, const struct hs_fail_if_names *names,
                                            struct hs_fail_if *condition, struct hs_diag *diag);
/* Does it apply to that policy? */
bool hs_fail_if_concerns(const struct hs_fail_if *condition, uint32_t policy);
/* The figure that the limit is compared with: the mean, or its change, 0.01 = +1 %, by the mean of
 * the first policy and the ratio of the two (NaN = none). A change from 0 to more is infinite, from
 * 0 to 0 none; NaN where there is nothing to judge. */
double hs_fail_if_figure(const struct hs_fail_if *condition, double mean, double first,
                         double ratio);
bool hs_fail_if_holds(const struct hs_fail_if *condition, double figure); /* false for NaN */

#endif
