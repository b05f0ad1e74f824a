/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One simulation from a setup to a run directory, for run, compare, sweep and rerun.
 */
#ifndef HORUS_CLI_SIMULATE_H
#define HORUS_CLI_SIMULATE_H

#include "base/diag.h"
#include "cli/setup.h"
#include "cli/terminal.h"
#include "engine/engine.h"
#include "model/assign.h"
#include "report/run/manifest.h"
#include "report/report.h"

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
 * summary. dir_path NULL writes no files. */
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

/* --tie-jitter: seed of run k >= 0 under the run's seed; never 0, which means "by rule". */
uint64_t hs_jitter_seed(uint64_t seed, uint32_t k);
/* Adds the figures of one more run with random ties to summary->spreads. */
void hs_jitter_add(struct hs_summary *summary, const struct hs_summary *run);

#endif
