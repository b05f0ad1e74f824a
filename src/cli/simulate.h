/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One simulation from a setup to a run directory: what run, and later compare and sweep, share.
 */
#ifndef HORUS_CLI_SIMULATE_H
#define HORUS_CLI_SIMULATE_H

#include "base/diag.h"
#include "cli/setup.h"
#include "cli/terminal.h"
#include "engine/engine.h"
#include "model/retry.h"
#include "report/manifest.h"
#include "report/report.h"

#define HS_DROP_KINDS_MAX 16
#define HS_REJECTED_SHOWN 3
#define HS_RUN_FILES_MAX  16

/* What became of the rows of the trace, and the first of the jobs that could never run. */
struct hs_intake {
    uint64_t rows, accepted, bad, reordered, rounded;
    const char *drop_texts[HS_DROP_KINDS_MAX];
    uint64_t drops[HS_DROP_KINDS_MAX];
    uint32_t drop_kinds;
    struct hs_assign_counts assigned;
    struct hs_retry_counts retries; /* made up */
    uint64_t rejected;
    char rejections[HS_REJECTED_SHOWN][512]; /* "id: reason" */
};

struct hs_run_result {
    struct hs_summary summary;
    struct hs_engine_figures figures;
    struct hs_intake intake;
    char format[32]; /* of the trace, as recognised */
    struct hs_manifest_input trace_input;
    struct hs_output_file files[HS_RUN_FILES_MAX]; /* written by the run by rule */
    uint32_t file_count;
    double cpu_s, wall_s;
    uint64_t peak_rss_kib;
};

/* How to show it: progress, and the command line for the manifest. */
struct hs_run_call {
    struct hs_terminal *terminal;
    bool shows_progress;
    const char *const *command; /* argv, NULL-terminated */
};

/* Runs by rule, then --tie-jitter more times with random ties, whose spreads go into the summary.
 * dir_path NULL writes no files. */
HS_MUST_USE enum hs_status hs_simulate(const struct hs_setup *setup, const struct hs_run_call *call,
                                       const char *dir_path, struct hs_run_result *result,
                                       struct hs_diag *diag);

/* Reads the files that the parameters of the policy name, for what is wrong in them. */
HS_MUST_USE enum hs_status hs_simulate_check(const struct hs_setup *setup, struct hs_diag *diag);

/* Reads the whole trace without simulating: counts and format of result. */
HS_MUST_USE enum hs_status hs_simulate_dry(const struct hs_setup *setup,
                                           struct hs_run_result *result, struct hs_diag *diag);

/* WORKLOAD-POLICY-HASH: the hash is of configuration, inputs and version. workload_hash: as
 * hs_workload_hash() gives it. */
#define HS_RUN_NAME_SIZE (HS_WORKLOAD_MAX + 80u)
HS_MUST_USE enum hs_status hs_run_name(const struct hs_setup *setup, uint64_t workload_hash,
                                       char name[HS_RUN_NAME_SIZE], struct hs_diag *diag);
/* The same as results/NAME. Reads the inputs once. */
HS_MUST_USE enum hs_status hs_default_dir(const struct hs_setup *setup, char *path, size_t size,
                                          struct hs_diag *diag);
/* The parts of that hash: what a run is beside its workload; and the workload. */
HS_MUST_USE enum hs_status hs_setup_hash(const struct hs_setup *setup, uint64_t *hash,
                                         struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_workload_hash(const struct hs_run_options *options, uint64_t *hash,
                                            struct hs_diag *diag);

/* The names and units of the metrics that a run would have; values mean nothing. */
HS_MUST_USE enum hs_status hs_simulate_metrics(const struct hs_setup *setup,
                                               struct hs_summary *metrics, struct hs_diag *diag);

#endif
