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
#include "cli/run_options.h"
#include "horus/policy.h"
#include "model/assign.h"
#include "model/cluster.h"
#include "model/interference.h"
#include "model/profile.h"
#include "model/predictor.h"
#include "model/speed.h"
#include "report/run/manifest.h"
#include "report/report.h"
#include "traces/trace_stream.h"

#define HS_WORKLOAD_MAX     200
#define HS_POLICY_FILES_MAX 4

/* Models are loaded once and shared by all passes; what the policy cannot use is left out unless
 * --models gives it. */
struct hs_setup {
    const struct hs_run_options *options;
    const struct hs_config *config;
    struct hs_arena arena;
    struct hs_cluster cluster;
    struct hs_trace_options trace;
    const char *workload_file; /* of a trace "gen:NAME,..."; NULL = another trace */
    const struct hs_policy_ops *policy;
    void *policy_state;
    struct hs_manifest_input files[HS_POLICY_FILES_MAX]; /* that its parameters name */
    uint32_t file_count;
    uint32_t can, knows;      /* HS_CAN_x, HS_KNOWS_x with these parameters */
    bool is_sharing, is_told; /* the policy shares GPUs, asks for predictions */
    uint32_t tenants;         /* of a GPU at most, by the options and by the policy */
    uint32_t outputs;         /* HS_OUT_x */
    int64_t sample_us;
    struct hs_catalogue catalogue;
    struct hs_modelset models;
    struct hs_assign_options assign;
    struct hs_interference_options how;
    struct hs_interference *interference;
    struct hs_speed *speed;
    struct hs_predictor *predictor;
    struct hs_overheads *restart;  /* NULL: no preemption that needs it */
    struct hs_overheads *memcurve; /* NULL: no memory is limited */
    bool is_reserve_fitted;        /* by the utilization file */
    uint32_t memory_reserve_mib;
    struct hs_card card;
    char workload[HS_WORKLOAD_MAX + 1];
    /* Texts of the card. */
    char speeds_text[256], profiles_text[160], interference_text[400], locality_text[256],
        predictor_text[256];
};

/* Also notes options of `config` that were given and have no effect. Options and configuration are
 * borrowed until close. */
HS_MUST_USE enum hs_status hs_setup_open(struct hs_setup *setup,
                                         const struct hs_run_options *options,
                                         const struct hs_config *config, struct hs_diag *diag);
void hs_setup_close(struct hs_setup *setup);
/* Assumptions that change run times, when the jobs are known. */
void hs_setup_warn(const struct hs_setup *setup, const struct hs_assign_counts *assigned,
                   struct hs_diag *diag);
/* Was the model file of that kind read? */
bool hs_setup_uses(const struct hs_setup *setup, enum hs_model_kind kind);

/* The parts that other verbs need. */
HS_MUST_USE enum hs_status hs_setup_cluster(struct hs_cluster *cluster,
                                            const struct hs_run_options *options,
                                            struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_setup_trace(struct hs_trace_options *trace,
                                          const struct hs_run_options *options,
                                          struct hs_diag *diag);
/* Mode, seed, target, and the memory of the cluster's smallest GPU type, if it has any. */
struct hs_assign_options hs_setup_assign(const struct hs_run_options *options,
                                         const struct hs_cluster *cluster);
/* "fifo:scan=fit": the record, and its parameters in *state (from the arena). */
HS_MUST_USE enum hs_status hs_setup_policy(const char *spec, const struct hs_policy_ops **policy,
                                           void **state, struct hs_arena *arena,
                                           struct hs_diag *diag);
const char *hs_policy_name_at(size_t index); /* NULL past the end */
/* HS_E_USAGE with the nearest. */
HS_MUST_USE enum hs_status hs_setup_find_policy(const char *name, size_t len,
                                                const struct hs_policy_ops **policy,
                                                struct hs_diag *diag);
/* HS_KNOWS_x and HS_CAN_x in words: "duration, memory" or "nothing". */
extern const char *const hs_knows_words[], *const hs_can_words[]; /* by bit, NULL at the end */
void hs_bits_text(uint32_t bits, const char *const *words, char *text, size_t size);

/* "a/b/cluster_log.csv.gz" -> "cluster_log"; "-" -> "stdin";
 * "gen:philly,n=100" -> "philly". */
void hs_workload_name(const char *path, char *name, size_t size);

/* ---- identity of a run: equal configuration, inputs and version give an equal name. Where the
 * files lie has no effect, nor whether a parameter was given or is the default ---- */

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
