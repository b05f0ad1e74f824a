/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison: policies x seeds x assignment seeds, each combination one cell, which is one run
 * with the options of `horus run`. Cells are ordered by policy, then seed, then assignment; the
 * cells of two policies with the same seed and assignment are a pair.
 *
 *     HS_TRY(hs_compare_plan(&compare, call));    // refuses what is wrong, simulates nothing
 *     HS_TRY(hs_compare_run(&compare, &dir));     // every cell into dir's runs/
 *     HS_TRY(hs_compare_read(&compare, &dir));    // their summaries: values, runs.csv
 */
#ifndef HORUS_CLI_COMPARE_H
#define HORUS_CLI_COMPARE_H

#include "cli/cli.h"
#include "cli/compare_options.h"
#include "cli/failif.h"
#include "cli/oncelog.h"
#include "cli/runlog.h"
#include "cli/setup.h"
#include "report/replicated.h"
#include "report/report.h"
#include "report/rundir.h"

#define HS_COMPARED_MAX 64u    /* policies */
#define HS_CELLS_MAX    10000u /* runs of one comparison */
#define HS_LABEL_SIZE   96u

struct hs_compared {
    const char *spec;          /* as given */
    char label[HS_LABEL_SIZE]; /* the same as part of a file name */
    struct hs_run_options options;
    struct hs_config config; /* over options and the table of `horus run` */
    struct hs_setup setup;   /* of its first cell */
};

struct hs_cell {
    uint32_t policy;
    int64_t seed, assignment;       /* assignment: that of the draws of profiles */
    int64_t assign_seed;            /* as an option: 0 = follows the seed */
    char name[HS_LABEL_SIZE + 48u]; /* LABEL-sSEED-aASSIGNMENT */
    uint64_t summary_hash;          /* of its summary.csv */
};

enum { HS_COMPARE_FILES = 3 }; /* compare.csv, runs.csv, order.csv */

struct hs_compare {
    struct hs_call *call;
    const struct hs_compare_options *options;
    struct hs_compared *policies;
    struct hs_cell *cells;        /* [policy * pair_count + pair] */
    struct hs_summary *metrics;   /* names and units */
    double *values;               /* [cell * metrics->count + metric]; NaN = none */
    struct hs_replicated *means;  /* [policy * metrics->count + metric] */
    struct hs_replicated *ratios; /* to the first policy, likewise */
    struct hs_output_file files[HS_COMPARE_FILES];
    struct hs_runlog log;   /* warnings, for the manifest */
    struct hs_oncelog once; /* in front of it */
    const char **columns;   /* of the table, as --metrics lists them, NULL at the end; or NULL */
    struct hs_failif *conditions;
    uint32_t condition_count;
    uint32_t policy_count, pair_count, cell_count, policies_open;
};

HS_MUST_USE enum hs_status hs_compare_plan(struct hs_compare *compare, struct hs_call *call);
void hs_compare_close(struct hs_compare *compare);
/* The options and configuration of `horus run` for one cell. */
void hs_compare_cell_options(const struct hs_compare *compare, const struct hs_cell *cell,
                             struct hs_run_options *options, struct hs_config *config);
/* results/compare-WORKLOAD-HASH. */
HS_MUST_USE enum hs_status hs_compare_dir(const struct hs_compare *compare, char *path,
                                          size_t size);

HS_MUST_USE enum hs_status hs_compare_run(struct hs_compare *compare, const struct hs_rundir *dir);
HS_MUST_USE enum hs_status hs_compare_read(struct hs_compare *compare, const struct hs_rundir *dir);
/* compare.csv, order.csv, manifest.json. */
HS_MUST_USE enum hs_status hs_compare_write(struct hs_compare *compare,
                                            const struct hs_rundir *dir);
HS_MUST_USE enum hs_status hs_compare_record(struct hs_compare *compare,
                                             const struct hs_rundir *dir, double wall_s);
/* --metrics. */
HS_MUST_USE enum hs_status hs_compare_read_columns(struct hs_compare *compare);
/* --fail-if: parsed, with the metrics and policies of the plan; and HS_E_DIFFERS, with the figures,
 * where one holds. */
HS_MUST_USE enum hs_status hs_compare_read_conditions(struct hs_compare *compare);
HS_MUST_USE enum hs_status hs_compare_judge(const struct hs_compare *compare);
void hs_compare_say(const struct hs_compare *compare, const char *dir);

/* Path of a cell's run directory, or of a file in it. */
void hs_compare_cell_path(const struct hs_rundir *dir, const struct hs_cell *cell, const char *file,
                          char *path, size_t size);

#define HS_COMPARE_COLUMNS "policy,metric,unit,mean,low,high,ratio,ratio_low,ratio_high,runs"
#define HS_ORDER_COLUMNS   "first,second,metric,cells,agree"
#define HS_RUNS_COLUMNS    "policy,seed,assignment" /* then those of summary.csv */

/* Two policies, neighbours in the order of their means, and in how many pairs of cells the first
 * is below the second. */
#define HS_ORDER_METRIC "mean_jct"
struct hs_compare_neighbours {
    uint32_t first, second, cells, agree;
};
/* At most policy_count - 1 of them; returns how many. */
uint32_t hs_compare_order(const struct hs_compare *compare, const char *metric,
                          struct hs_compare_neighbours *orders);

/* Index of a metric; UINT32_MAX if there is none. */
uint32_t hs_compare_metric(const struct hs_compare *compare, const char *name);

#endif
