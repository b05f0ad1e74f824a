/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One simulation from a setup to a run directory, for run, compare, sweep and rerun; and what the
 * manifests of comparisons and sweeps have in common with that of a run.
 */
#ifndef HORUS_CLI_SIMULATE_H
#define HORUS_CLI_SIMULATE_H

#include "base/intern.h"
#include "cli/setup.h"
#include "data/csvread.h"
#include "data/csvwrite.h"
#include "engine/engine.h"

#define HS_REJECTED_SHOWN 3
#define HS_RUN_FILES_MAX  16

/* What became of the rows of the trace, and the first of the jobs that could never run. */
struct hs_intake {
    struct hs_trace_counts trace;
    struct hs_assign_counts assigned;
    struct hs_retry_counts retries;
    uint64_t rejected;
    char rejections[HS_REJECTED_SHOWN][512]; /* "id: reason" */
};

struct hs_run_result {
    const struct hs_setup *setup;
    struct hs_summary summary;
    struct hs_engine_figures figures;
    struct hs_intake intake;
    char format[32]; /* of the trace, as recognised */
    struct hs_manifest_input trace_input;
    struct hs_output_file files[HS_RUN_FILES_MAX]; /* written by the run without random ties */
    uint32_t file_count;
    struct hs_manifest_volatile machine;
};

/* A trace that several runs replay: read once, and the same bytes to each of them. */
struct hs_shared_trace {
    uint64_t key; /* of the trace and of what is read of it */
    struct hs_trace_cache *cache;
};

/* How progress is shown, and the command line for the manifest. */
struct hs_run_call {
    struct hs_terminal *terminal;
    bool shows_progress;
    const char *const *command; /* argv, NULL-terminated */
    const struct hs_shared_trace *traces;
    uint32_t trace_count;
};

/* Runs by rule, then --tie-jitter more times with random ties, whose spreads are part of the
 * summary. */
HS_MUST_USE enum hs_status hs_simulate(const struct hs_setup *setup, const struct hs_run_call *call,
                                       const char *dir_path, struct hs_run_result *result,
                                       struct hs_diag *diag);

/* The same from options to the closed setup. */
HS_MUST_USE enum hs_status hs_simulate_options(const struct hs_run_options *options,
                                               const struct hs_config *config,
                                               const struct hs_run_call *call, const char *dir_path,
                                               struct hs_diag *diag);

/* Opens and closes the engine: errors in the files that parameters of the policy name. */
HS_MUST_USE enum hs_status hs_simulate_check(const struct hs_setup *setup, struct hs_diag *diag);

/* Reads the whole trace without simulating: counts and format of result. */
HS_MUST_USE enum hs_status hs_simulate_dry(const struct hs_setup *setup,
                                           struct hs_run_result *result, struct hs_diag *diag);

/* The names and units of the metrics that a run would have; values mean nothing. */
HS_MUST_USE enum hs_status hs_simulate_metrics(const struct hs_setup *setup,
                                               struct hs_summary *metrics,
                                               const char *names[HS_METRICS_MAX],
                                               struct hs_diag *diag);

/* Rows that the reader left out, one warning a kind, rows that came late (has_order), and jobs
 * whose GPUs were rounded up. */
void hs_warn_of_rows(const struct hs_trace_counts *counts, bool has_order, struct hs_diag *diag);
/* Configurations and models that the catalogue does not have, utilizations out of range, and the
 * failed attempts that were generated. jobs: of the trace, all. */
void hs_warn_of_profiles(const struct hs_assign_counts *assigned,
                         const struct hs_retry_counts *retries, uint64_t jobs,
                         struct hs_diag *diag);

/* ---- a diag in front of another: passes messages on, and keeps what its owner needs of them
 *
 *     hs_message_log_open(&log, diag, HS_LOG_UNIQUE);   // reports to &log.diag also reach diag
 *     ... log.warnings, log.text ...
 *     hs_message_log_close(&log);
 */

#define HS_LOG_WARNINGS_MAX 64u /* kept for a manifest; later ones are only passed on */

enum hs_log_kind {
    HS_LOG_WARNINGS, /* keeps the warnings alone */
    HS_LOG_UNIQUE,   /* and passes each text on once: messages of many runs that say the same */
    HS_LOG_TEXT,     /* and keeps all text, up to 1 MiB */
};

struct hs_message_log {
    struct hs_diag diag;
    struct hs_diag *target; /* counts what it is passed; NULL: messages are kept alone */
    enum hs_log_kind kind;
    struct hs_arena arena;
    struct hs_intern seen;
    const char *warnings[HS_LOG_WARNINGS_MAX];
    uint32_t warning_count;
    char *text; /* one message a line */
    uint32_t text_len, text_cap;
};

void hs_message_log_open(struct hs_message_log *log, struct hs_diag *target, enum hs_log_kind kind);
/* A message that was formatted elsewhere; log is a struct hs_message_log. */
void hs_message_log_put(void *log, enum hs_severity severity, const char *text, size_t len);
void hs_message_log_close(struct hs_message_log *log);

/* ---- directories ---- */

/* The header and the row of a summary.csv, in an arena, and the hash of the file. */
struct hs_summary_csv {
    struct hs_csv_row head, row;
    uint64_t hash;
};
HS_MUST_USE enum hs_status hs_record_read_summary(const char *path, struct hs_arena *arena,
                                                  struct hs_summary_csv *summary,
                                                  struct hs_diag *diag);
/* NaN where there is none. */
double hs_record_number(const struct hs_csv_row *row, uint32_t column);
/* The header of a table of runs: further columns behind those of `first`, each with a prefix. */
char *hs_record_header(struct hs_arena *arena, const char *first, const char *prefix,
                       const char *const *names, uint32_t count);
/* Adds libraries and warnings (log may be NULL) to a manifest and writes it. */
HS_MUST_USE enum hs_status hs_record_manifest(struct hs_manifest *manifest,
                                              const struct hs_message_log *log,
                                              const struct hs_rundir *dir, struct hs_diag *diag);

/* The member "policy_parameters": each parameter of the policy with its value, as text that -p
 * reads back. */
void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w);
/* Adds the files that a run reads beside its trace, except those that are in the list. */
#define HS_INPUTS_MAX (10 + HS_MODEL_COUNT + HS_POLICY_FILES_MAX)
HS_MUST_USE enum hs_status hs_record_inputs(const struct hs_setup *setup,
                                            struct hs_manifest_input *inputs, uint32_t *count,
                                            struct hs_diag *diag);
/* Command, host, time and memory of this process, or with all its ended children. */
struct hs_manifest_volatile hs_record_machine(const char *const *command, double wall_s,
                                              bool has_children);
/* Libraries and their versions at run time; *count of them. */
const struct hs_manifest_library *hs_libraries(uint32_t *count);

#endif
