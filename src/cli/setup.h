/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the options of a run to what it needs: cluster loaded, policy with its parameters,
 * trace options, what to write. Everything that can be refused before time 0 is refused here.
 *
 *     HS_TRY(hs_setup_open(&setup, options, &config, diag));
 *     HS_TRY(hs_simulate(&setup, &run_call, dir, &result, diag));
 *     hs_setup_close(&setup);
 */
#ifndef HORUS_CLI_SETUP_H
#define HORUS_CLI_SETUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"
#include "cli/models.h"
#include "cli/run_options.h"
#include "horus/policy.h"
#include "model/cluster.h"
#include "report/run/manifest.h"
#include "report/report.h"
#include "traces/trace_stream.h"

#define HS_WORKLOAD_MAX     200
#define HS_POLICY_FILES_MAX 4

struct hs_setup {
    const struct hs_run_options *options;
    const struct hs_config *config;
    struct hs_arena arena;
    struct hs_cluster cluster;
    struct hs_models models;
    struct hs_trace_options trace;
    const char *workload_file; /* of a trace "gen:NAME,..."; NULL = another trace */
    const struct hs_policy_ops *policy;
    void *policy_state;
    struct hs_manifest_input files[HS_POLICY_FILES_MAX]; /* that its parameters name */
    uint32_t file_count;
    uint32_t can, knows; /* with these parameters */
    uint32_t outputs;    /* HS_OUT_x */
    int64_t sample_us;
    struct hs_card card;
    char workload[HS_WORKLOAD_MAX + 1];
};

HS_MUST_USE enum hs_status hs_setup_open(struct hs_setup *setup,
                                         const struct hs_run_options *options,
                                         const struct hs_config *config, struct hs_diag *diag);
void hs_setup_close(struct hs_setup *setup);

/* The parts that other verbs need. */
HS_MUST_USE enum hs_status hs_setup_cluster(struct hs_cluster *cluster,
                                            const struct hs_run_options *options,
                                            struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_setup_trace(struct hs_trace_options *trace,
                                          const struct hs_run_options *options,
                                          struct hs_diag *diag);
/* "fifo:scan=fit": the record, and its parameters in *state (from the arena). */
HS_MUST_USE enum hs_status hs_setup_policy(const char *spec, const struct hs_policy_ops **policy,
                                           void **state, struct hs_arena *arena,
                                           struct hs_diag *diag);
/* HS_E_USAGE with the nearest. */
HS_MUST_USE enum hs_status hs_setup_find_policy(const char *name, size_t len,
                                                const struct hs_policy_ops **policy,
                                                struct hs_diag *diag);
/* HS_KNOWS_x and HS_CAN_x in words: "duration, memory" or "nothing". */
void hs_setup_knows_text(uint32_t knows, char *text, size_t size);
void hs_setup_can_text(uint32_t can, char *text, size_t size);

/* "a/b/cluster_log.csv.gz" -> "cluster_log"; "-" -> "stdin";
 * "gen:philly,n=100" -> "philly". */
void hs_workload_name(const char *path, char *name, size_t size);

/* ---- identity of a run: equal configuration, inputs and version give an equal name. Where the
 * files lie has no effect, nor whether a parameter was given or is the default ---- */

/* Hash and size of the decompressed content of a file. */
HS_MUST_USE enum hs_status hs_hash_file(const char *path, uint64_t *hash, uint64_t *bytes,
                                        struct hs_diag *diag);
/* Of everything that determines a run except its workload; and of the files of its workload. */
HS_MUST_USE enum hs_status hs_setup_hash(const struct hs_setup *setup, uint64_t *hash,
                                         struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_workload_hash(const struct hs_run_options *options, uint64_t *hash,
                                            struct hs_diag *diag);
/* WORKLOAD-POLICY-HASH. workload_hash: as hs_workload_hash() gives it. */
#define HS_RUN_NAME_SIZE (HS_WORKLOAD_MAX + 80u)
HS_MUST_USE enum hs_status hs_run_name(const struct hs_setup *setup, uint64_t workload_hash,
                                       char name[HS_RUN_NAME_SIZE], struct hs_diag *diag);
/* The same as results/NAME. Reads the inputs once. */
HS_MUST_USE enum hs_status hs_default_dir(const struct hs_setup *setup, char *path, size_t size,
                                          struct hs_diag *diag);

#endif
