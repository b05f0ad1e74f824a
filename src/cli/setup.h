/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of `horus run`, `horus compare`, `horus sweep` and `horus trace` (run_options.c): one
 * structure for what they share, four tables over it, and the checks that hold between options.
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

#include "cli/cli.h"
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

enum hs_retries { HS_RETRIES_MERGE, HS_RETRIES_ATTEMPTS, HS_RETRIES_GENERATE };
enum hs_time_unit { HS_UNIT_AUTO, HS_UNIT_S, HS_UNIT_MS, HS_UNIT_US, HS_UNIT_MIN, HS_UNIT_H };

/* Values of the options; the tables of run_options.c say what each means. */
struct hs_run_options {
    struct hs_trace_options read; /* with path, units, window, sort and seed by hs_setup_trace() */
    const char *trace, *name, *cluster, *policy, *vc_file, *vc_date;
    const char *output, *outputs, *sort, *sample, *window;
    const char *config_file, *settings;
    const char *to, *reference; /* of horus trace */
    int32_t time_unit, vc, check, retries;
    int64_t seed, assign_seed /* 0 = seed */, tie_jitter, max_tenants;
    int64_t until_us, warmup_us, cooldown_us, startup_us; /* until_us 0 = no horizon */
    double skip_bad_rows;                                 /* per cent */
    /* models */
    struct hs_predictor_options told;   /* its seed: that of the run */
    struct hs_interference_options how; /* likewise; mode and excess by --interference */
    const char *profiles, *models, *interference, *reference_type, *memory_reserve, *restart_table,
        *memory_limits;
    int32_t assign, locality;
    int64_t oom_delay, oom_retries;      /* oom_delay: microseconds */
    int64_t storage_bandwidth;           /* MiB/s */
    double assign_target, assign_sticky; /* assign_target: per cent */
    bool decisions, report, force, dry_run, print_config, quiet, verbose, progress, no_progress;
    /* of horus compare, where policy and fail_if are one a line */
    const char *seeds, *assignments; /* lists; NULL: as seed and assign_seed say */
    const char *metrics, *fail_if;
    int64_t bootstrap; /* resamples, of two finished runs */
    /* of horus sweep */
    const char *metric;
    int64_t index; /* 0: none was given */
    bool lists, makes, pending, status, gathers;
    int64_t processes; /* of both */
};

#define HS_DEFAULT_CLUSTER  "16x8:V100"
#define HS_SWEEP_POINTS_MAX 100000u

extern const struct hs_option hs_run_option_table[], hs_compare_option_table[],
    hs_sweep_option_table[], hs_trace_option_table[];
/* Words of choices, by enum. */
extern const char *const hs_crowds[], *const hs_predictors[], *const hs_memory_predictors[],
                                                                  *const hs_holdouts[];

/* ---- options whose text has a form of its own: every error is HS_E_USAGE ---- */

#define HS_SEEDS_MAX 1000u

/* *outputs: HS_OUT_x. */
HS_MUST_USE enum hs_status hs_outputs_parse(const char *text, uint32_t *outputs,
                                            struct hs_diag *diag);
/* *sample_us: microseconds, 0 auto, -1 exact. */
HS_MUST_USE enum hs_status hs_sample_parse(const char *text, int64_t *sample_us,
                                           struct hs_diag *diag);
/* *window: rows, or HS_SORT_ALL. */
HS_MUST_USE enum hs_status hs_sort_parse(const char *text, uint64_t *window, struct hs_diag *diag);
/* *mib: -1 auto. */
HS_MUST_USE enum hs_status hs_reserve_parse(const char *text, int64_t *mib, struct hs_diag *diag);
/* "4", "1,3,7", "1..5", "1..3,10": *seeds, in the arena, in the order given, each from `least` to
 * 9e15 and none twice; option names the list in messages. */
HS_MUST_USE enum hs_status hs_seeds_parse(const char *text, const char *option, int64_t least,
                                          struct hs_arena *arena, const int64_t **seeds,
                                          uint32_t *count, struct hs_diag *diag);
/* For an option table: refuses a wrong text where it stands, before anything is opened. */
enum hs_status hs_check_sort(const char *text, struct hs_diag *diag);

/* ---- between options ---- */

/* Configuration over the table of `horus run` for one of many runs: values of `base`, origins of
 * the options of the verb that starts them. */
struct hs_config hs_run_config(const struct hs_config *of_verb, struct hs_run_options *base);

/* What run, compare and sweep do first; call->options is a struct hs_run_options.
 * Takes the operand as the trace, refuses contradictions, applies --quiet. */
HS_MUST_USE enum hs_status hs_run_begin(struct hs_call *call);
/* The same without the operand. */
HS_MUST_USE enum hs_status hs_run_check_looks(struct hs_call *call);
/* HS_E_USAGE if both were given: which of the two is meant cannot be known. */
HS_MUST_USE enum hs_status hs_run_refuse_both(struct hs_call *call, bool are_both,
                                              const char *first, const char *second);
/* Where a cluster is needed and the default is taken. */
void hs_run_note_cluster(struct hs_call *call);
bool hs_run_shows_progress(const struct hs_call *call);

/* ---- the set-up (setup.c) ---- */

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
