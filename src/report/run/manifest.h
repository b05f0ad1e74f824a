/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * manifest.json, the last file of a run directory: program, inputs, configuration and outputs. Its
 * presence marks a finished run. Everything outside "volatile" is a function of the inputs, the
 * configuration and the build. The figures are in summary.json and summary.csv.
 *
 *     struct hs_manifest m = {.status = "complete", .card = &card, .seed = 1, ...};
 *     m.outputs = files;                              // hs_report_files() + hs_summary files
 *     status = hs_rundir_close(&dir, hs_manifest_write(&m, &dir, diag), diag);
 *
 * To read it:
 *
 *     enum hs_status s = hs_runmanifest_open(&run, dir, diag);
 *     ... run.config, hs_runmanifest_file(&run, "jobs.csv") ...
 *     hs_runmanifest_close(&run);                     // also after a failed open
 */
#pragma once

#include "base/intern.h"
#include "base/spill.h"
#include "data/csv.h"
#include "data/json.h"
#include "horus/observe.h"
#include "horus/policy.h"
#include "report/run/rundir.h"

/* ---- the figures of a run: metrics, also by class of jobs, their spread over random ties, and the
 * card with their assumptions ---- */

/* value is NaN if the metric does not apply; absent_because says why. */
struct hs_metric {
    const char *name, *unit; /* "mean_wait", "s" */
    double value;
    const char *absent_because; /* NULL when there is a value */
};

/* The figures of a measure, in the order of the metrics. */
enum { HS_F_MEAN, HS_F_P50, HS_F_P90, HS_F_P95, HS_F_P99, HS_F_MAX, HS_FIGURES };
#define HS_FIGURE_NAMES(of) "mean_" of, "p50_" of, "p90_" of, "p95_" of, "p99_" of, "max_" of

/* The same figures for a class of jobs; measures as in hs_class_measures. NaN = none. */
#define HS_CLASS_MEASURES 27
#define HS_CLASS_NAME_MAX 63
#define HS_CLASSES_MAX    131
struct hs_class {
    const char *kind; /* "gpus", "user_quintile", "outcome", "class", "vc" */
    char name[HS_CLASS_NAME_MAX + 1];
    uint64_t jobs; /* jobs included in the statistics */
    double value[HS_CLASS_MEASURES];
};
/* "mean_wait", "p99_jct", ... */
extern const char *const hs_class_measures[HS_CLASS_MEASURES];

/* Classes of completed jobs: all; by number of GPUs, quintile of the user (users ordered by GPU
 * time), recorded outcome, requested class (if any job requests one), virtual cluster. */
enum {
    HS_CLASS_ALL = 0,
    HS_CLASS_GPUS = 1, /* 0, 1, 2-4, 5-8, 9-16, 17-32, >32 */
    HS_CLASS_GPUS_COUNT = 7,
    HS_CLASS_QUINTILE = HS_CLASS_GPUS + HS_CLASS_GPUS_COUNT,
    HS_CLASS_QUINTILES = 5,
    HS_CLASS_OUTCOME = HS_CLASS_QUINTILE + HS_CLASS_QUINTILES,
    HS_CLASS_JOB = HS_CLASS_OUTCOME + HS_OUTCOME_COUNT, /* enum hs_job_class */
    HS_CLASS_VC = HS_CLASS_JOB + HS_JOB_CLASS_COUNT,
    /* VCs with a class of their own; jobs of others are in the last class, "(others)" */
    HS_CLASS_VCS_MAX = HS_CLASSES_MAX - HS_CLASS_VC
};

/* Returns the class of a gang size, minus HS_CLASS_GPUS. */
uint32_t hs_class_of_gpus(uint32_t gpus);
/* Sets kind and name of class `index` > 0. vc: name, used from HS_CLASS_VC on. */
void hs_class_name(uint32_t index, const char *vc, struct hs_class *out);

/* Bounded slowdown takes shorter jobs as this long (Feitelson & Rudolph, JSSPP 1998). */
#define HS_BOUND_US INT64_C(10000000)

/* Effect of random tie-breaking on a metric (--tie-jitter): running mean and sum of squared
 * deviations over `runs` runs, minimum and maximum. */
struct hs_spread {
    const char *name;
    uint32_t runs;
    double mean, squares, min, max;
};
/* Adds a value (Welford, Technometrics 1962: one pass, no cancellation if the spread is small). */
void hs_spread_add(struct hs_spread *spread, double value);
/* Sample standard deviation; NaN below two runs. */
double hs_spread_deviation(const struct hs_spread *spread);

/* Number of jobs rejected for one reason, in the order in which the reasons occurred; the last
 * entry is "others". */
#define HS_REASONS_MAX 6
struct hs_rejection {
    char reason[160];
    uint64_t jobs;
};

#define HS_METRICS_MAX 128
/* In a summary only where a job has a deadline, like all metrics behind it. */
#define HS_FIRST_OF_DEADLINES "deadline_rejected"
#define HS_SPREADS_MAX        16
#define HS_SPARKLINE_SIZE     64
/* Self-contained: valid after hs_report_close(), may be copied. */
struct hs_summary {
    struct hs_metric metrics[HS_METRICS_MAX];
    struct hs_class classes[HS_CLASSES_MAX];
    struct hs_spread spreads[HS_SPREADS_MAX]; /* "tie_jitter" of summary.json; none = left out */
    struct hs_rejection rejections[HS_REASONS_MAX]; /* "rejected"; none = left out */
    uint32_t count, class_count, spread_count, rejection_count;
    /* summary.csv has the metrics from the first index on after the classes by GPUs, users and
     * outcomes, and those from the second on after the requested classes as well */
    uint32_t before_classes, before_job_classes;
    double overhead_share; /* share of the GPU time of all jobs; NaN if none ran */
    /* mean GPUs held over time, 16 ASCII levels '0'..'9','a'..'f' */
    char sparkline[HS_SPARKLINE_SIZE];
};

/* Returns the value of a metric by name; NaN if absent. */
double hs_summary_get(const struct hs_summary *summary, const char *name);

/* Texts that describe the run's assumptions; NULL = not stated. */
struct hs_card {
    const char *workload, *cluster; /* as given; they identify the row in concatenated files */
    uint64_t seed;
    const char *policy;
    struct hs_semantics policy_semantics;
    const char *gang, *locality, *vc, *interference, *profiles, *predictor, *speeds, *unknown;
    const char *power, *checkpoints, *fork; /* omitted if NULL; fork: what one began with */
    char ties[128];                         /* among jobs; among nodes */
    char knows[128], can[128];              /* "duration" or "nothing" */
};
/* Writes the card as one JSON object; texts that are not stated become null. */
void hs_card_write_json(const struct hs_card *card, struct hs_jsonw *w);

/* An output file as listed in the manifest. */
struct hs_output_file {
    const char *name;
    uint64_t hash, bytes, rows;
};
/* Returns the entry of a file for what was written so far; rows are data rows. */
struct hs_output_file hs_output_file_of(struct hs_output *out, const char *name, uint64_t rows);
/* Opens a CSV file of the directory being built. */
HS_MUST_USE enum hs_status hs_open_listed(struct hs_csvw *csv, const struct hs_rundir *dir,
                                          const char *name, const char *header,
                                          struct hs_diag *diag);
/* Closes a file of the directory and sets *file, its entry in the manifest. */
HS_MUST_USE enum hs_status hs_close_listed(struct hs_csvw *csv, const char *name,
                                           struct hs_output_file *file, struct hs_diag *diag);

/* Writes summary.json and summary.csv (one wide row: identity of the run, metrics, classes, metrics
 * added later). files: their entries for the manifest. */
#define HS_SUMMARY_FILES 2
HS_MUST_USE enum hs_status hs_summary_write(const struct hs_summary *summary,
                                            const struct hs_card *card, const struct hs_rundir *dir,
                                            struct hs_output_file files[HS_SUMMARY_FILES],
                                            struct hs_diag *diag);

/* summary.json of a finished run, with all digits of the figures.
 *
 *     enum hs_status s = hs_runsummary_load(&r, path, diag);
 *     ... hs_summary_get(&r.summary, "mean_jct"), hs_json_get(r.card, "policy") ...
 *     hs_json_close(r.doc);                                  // also after a failed load */
struct hs_runsummary {
    struct hs_json_doc *doc;
    const struct hs_json *card; /* an object */
    struct hs_summary summary;  /* its texts live as long as doc; without spreads */
};
HS_MUST_USE enum hs_status hs_runsummary_load(struct hs_runsummary *r, const char *path,
                                              struct hs_diag *diag);
/* Returns lines "rejected    LABEL: 1 of 3 jobs: REASON", one per reason, from a summary.json; ""
 * if the run rejected no job. */
const char *hs_rejected_lines(struct hs_arena *arena, const char *path, const char *label);

/* ---- the manifest, written ---- */

struct hs_manifest_library {
    const char *name, *version;
};

struct hs_manifest_input {
    const char *role; /* "trace", "cluster", "vcs", "config", "map", "profiles",
                         "restarts", "memory_limits", a kind of model, "policy:KEY" */
    const char *path;
    uint64_t hash, bytes, rows; /* of the decompressed bytes; rows 0 = not counted, omitted */
};

/* What differs between runs with the same inputs. */
struct hs_manifest_volatile {
    const char *const *command;   /* argv, NULL-terminated */
    const char *host, *directory; /* directory: in which relative paths hold */
    double wall_s, cpu_s;
    uint64_t peak_rss_kib;
};

/* Version, commit, compiler and flags are taken from horus/version.h. Pointers are borrowed; texts,
 * and arrays with count 0, may be NULL. */
struct hs_manifest {
    const char *status; /* "complete", "interrupted", ... */
    const struct hs_card *card;
    uint64_t seed;
    const struct hs_manifest_library *libraries;
    const struct hs_manifest_input *inputs;
    const struct hs_output_file *outputs;
    const char *const *warnings;
    uint32_t libraries_count, input_count, output_count, warning_count;
    /* Writes the effective configuration as exactly one JSON value. */
    void (*write_config)(void *ctx, struct hs_jsonw *w);
    void *config_ctx;
    /* Write further members after the configuration, and after the outputs; NULL = none. */
    void (*write_more)(void *ctx, struct hs_jsonw *w);
    void (*write_counts)(void *ctx, struct hs_jsonw *w);
    void *more_ctx;
    struct hs_manifest_volatile machine;
};

HS_MUST_USE enum hs_status hs_manifest_write(const struct hs_manifest *manifest,
                                             const struct hs_rundir *dir, struct hs_diag *diag);

/* Computes hash and size of the decompressed content of a file. */
HS_MUST_USE enum hs_status hs_hash_file(const char *path, uint64_t *hash, uint64_t *bytes,
                                        struct hs_diag *diag);

/* ---- the manifest, read ---- */

#define HS_RUNMANIFEST_FILES_MAX 32

struct hs_runmanifest {
    const char *dir; /* borrowed; NULL for a manifest without a directory */
    struct hs_diag *diag;
    struct hs_json_doc *doc;
    const struct hs_json *config;      /* an object: the effective configuration */
    const struct hs_json *assumptions; /* NULL = not stated */
    const char *can;                   /* the capabilities of the assumptions; "" = not stated */
    struct hs_output_file files[HS_RUNMANIFEST_FILES_MAX]; /* only names and hashes */
    uint32_t file_count;
    struct hs_manifest_input inputs[HS_RUNMANIFEST_FILES_MAX]; /* without rows */
    uint32_t input_count;
    uint64_t rows_hash, rows_bytes; /* of the file that hs_rowfile_each read last */
    bool keeps_quiet; /* suppresses the warning that it differs from the listed file */
};

/* Returns HS_E_INPUT for a directory without a manifest or a manifest without a configuration. */
HS_MUST_USE enum hs_status hs_runmanifest_open(struct hs_runmanifest *m, const char *dir,
                                               struct hs_diag *diag);
/* The same for a manifest file of any name. */
HS_MUST_USE enum hs_status hs_runmanifest_load(struct hs_runmanifest *m, const char *path,
                                               struct hs_diag *diag);
/* Returns the entry of an output file, or NULL. */
const struct hs_output_file *hs_runmanifest_file(const struct hs_runmanifest *m, const char *name);
/* HS_E_INPUT without that file, "nothing to VERB". Where the manifest has no list, the existing
 * files decide. */
HS_MUST_USE enum hs_status hs_runmanifest_need(const struct hs_runmanifest *m, const char *name,
                                               const char *verb);
/* Inputs of which a run's directory keeps a copy, so that the run is checked and repeated without
 * them. files: names of the copy, [1] where the input ends in .json. */
enum hs_kept_role { HS_KEPT_CLUSTER, HS_KEPT_EVENTS, HS_KEPT_RESERVATIONS, HS_KEPT_ROLES };
struct hs_kept_name {
    const char *role, *files[2];
};
extern const struct hs_kept_name hs_kept_names[HS_KEPT_ROLES];
/* Returns the path of the copy, or NULL. */
const char *hs_runmanifest_kept(const struct hs_runmanifest *m, enum hs_kept_role role,
                                char path[HS_PATH_SIZE]);
const struct hs_manifest_input *hs_runmanifest_trace(const struct hs_runmanifest *m);
/* Returns a number or text of the configuration as text, stored in `text` if needed; else NULL. */
#define HS_RUNMANIFEST_NUMBER_SIZE 40
const char *hs_runmanifest_text(const struct hs_json *value, char text[HS_RUNMANIFEST_NUMBER_SIZE]);
/* Returns a duration of the configuration in us; 0 if absent or none. */
int64_t hs_runmanifest_duration_us(const struct hs_runmanifest *m, const char *key);
/* Returns the horizon, or the time at which a limit ended the run; -1 = neither. */
int64_t hs_runmanifest_horizon_us(const struct hs_runmanifest *m);
void hs_runmanifest_close(struct hs_runmanifest *m);

/* ---- rows read ----
 *
 * Reads the row files of a finished run (jobs.csv, segments.csv) by column names into a structure
 * described by a table; other columns are ignored.
 *
 *     static const struct hs_rowcell cells[] = {
 *         {"job_id", HS_ROWCELL_TEXT, offsetof(struct row, id)},
 *         {"start", HS_ROWCELL_TIME, offsetof(struct row, start_us)},
 *         {NULL, HS_ROWCELL_TEXT, 0}};
 *     HS_TRY(hs_rowfile_each(&run, "segments.csv", cells, add, ctx));
 *     ... in add(): HS_TRY(hs_rowfile_read(f, &row)); ... */

/* Results of the previous version are still readable, though some names changed. manifest.c has one
 * table of all changed names; these functions pass other names through. */
/* Returns the current name for a current or former name. */
const char *hs_present_name(const char *name);
/* Returns the column with this or its former name; UINT32_MAX if there is none. */
uint32_t hs_renamed_column(const struct hs_csv_row *head, const char *name);
/* Returns the member with this or its former key; NULL if there is none. */
const struct hs_json *hs_renamed_get(const struct hs_json *object, const char *key);

#define HS_ROWFILE_COLUMNS_MAX 40

/* Contents of a cell, and the type it is parsed to. int64_t: -1 if it may be empty and is. */
enum hs_rowcell_kind {
    HS_ROWCELL_TEXT,         /* const char *, valid until the next row */
    HS_ROWCELL_COUNT,        /* uint64_t; 0 if empty, also below */
    HS_ROWCELL_COUNT32,      /* uint32_t */
    HS_ROWCELL_SHARE,        /* uint32_t: share of a GPU in thousandths, 1 to 1000 */
    HS_ROWCELL_TIME,         /* int64_t: seconds as microseconds */
    HS_ROWCELL_TIME_OR_NONE, /* the same; may be empty, as all below except HS_ROWCELL_NANO */
    HS_ROWCELL_NUMBER,       /* int64_t, in millionths */
    HS_ROWCELL_RATIO,        /* the same */
    HS_ROWCELL_MIB_SECONDS,  /* the same */
    HS_ROWCELL_NANO,         /* int64_t: seconds as nanoseconds */
    HS_ROWCELL_RATE,         /* int64_t, in billionths */
    HS_ROWCELL_DOUBLE,       /* double; NaN if empty */
    /* of columns that a file may be without: then all its cells are empty */
    HS_ROWCELL_TIME_IF_ANY,   /* HS_ROWCELL_TIME_OR_NONE */
    HS_ROWCELL_TEXT_IF_ANY,   /* HS_ROWCELL_TEXT */
    HS_ROWCELL_SIGNED_IF_ANY, /* int64_t: seconds with a sign as microseconds; INT64_MIN if empty */
};

/* A column, and the offset at which hs_rowfile_read() stores its value. Ends with a NULL name. */
struct hs_rowcell {
    const char *column;
    enum hs_rowcell_kind kind;
    size_t offset;
};

struct hs_rowfile {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_diag *diag;
    const struct hs_rowcell *cells;
    uint32_t at[HS_ROWFILE_COLUMNS_MAX]; /* field of each column */
};

/* Parses all cells of the row. HS_E_INPUT at the first invalid one. */
HS_MUST_USE enum hs_status hs_rowfile_read(const struct hs_rowfile *f, void *row);
/* Columns are numbered in the order of the table. */
const char *hs_rowfile_text(const struct hs_rowfile *f, uint32_t column);
/* Parses a non-negative decimal number, times `unit`; -1 if the cell is empty. */
HS_MUST_USE enum hs_status hs_rowfile_decimal(const struct hs_rowfile *f, uint32_t column,
                                              int64_t unit, const char *expected, int64_t *value);
/* Parses the next range of a set of GPU ids, "0-7 16 20-23", at *at, and advances *at past it and
 * the blank; false if there is no range. Does not check the order of ranges. */
bool hs_rowfile_range(const char **at, uint32_t *first, uint32_t *last);
/* Reports invalid input in this column: "NAME is not EXPECTED". */
HS_MUST_USE enum hs_status hs_rowfile_bad(const struct hs_rowfile *f, const char *name,
                                          const char *expected);
/* Calls each() for every row of a file of the run; warns if the file differs from the one listed in
 * the manifest. cells: at most HS_ROWFILE_COLUMNS_MAX, borrowed. */
HS_MUST_USE enum hs_status
hs_rowfile_each(struct hs_runmanifest *run, const char *name, const struct hs_rowcell *cells,
                enum hs_status (*each)(void *ctx, const struct hs_rowfile *f), void *ctx);

/* ---- segments.csv in memory ---- */

struct hs_gpu_range {
    uint32_t first, last; /* ids, inclusive */
};

struct hs_placed {
    int64_t start_us, end_us;
    int64_t rate_nano; /* mean_rate x 1e9; -1 = empty (a segment of no length) */
    int64_t line;
    uint32_t job; /* its id - 1; UINT32_MAX: not in `ids` */
    uint32_t range_first, range_count, gpus, tenants;
    enum hs_segment_end ended_by;
};

struct hs_schedule {
    struct hs_spill *spill;                        /* has the arrays */
    const struct hs_intern *ids;                   /* of jobs */
    const char *expected_gpus, *expected_ended_by; /* for messages */
    uint32_t gpu_count;                            /* upper bound of GPU ids */
    struct hs_placed *segments;
    struct hs_gpu_range *ranges; /* of all segments; each ascends */
    uint32_t segment_count, range_count, segment_cap, range_cap;
};

extern const struct hs_rowcell hs_schedule_cells[];
/* For hs_rowfile_each: appends a row to a struct hs_schedule. */
HS_MUST_USE enum hs_status hs_schedule_add(void *schedule, const struct hs_rowfile *f);
