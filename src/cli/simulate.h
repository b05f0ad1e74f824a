/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of `horus run`, `horus compare`, `horus sweep` and `horus trace` (run_options.c): one
 * structure for shared options, four tables over it, and the checks between options. The set-up of
 * a run from its options (setup.c): cluster, policy with its parameters, trace options, outputs;
 * everything that can be refused before time 0 is refused here; what a run says of its models and
 * warns of (run_warnings.c). One simulation from a setup to a run directory (simulate.c), for run,
 * compare, sweep and rerun; and what the manifests of comparisons and sweeps share with that of a
 * run (record.c).
 *
 *     HS_TRY(hs_setup_open(&setup, options, &config, diag));
 *     HS_TRY(hs_simulate(&setup, &run_call, dir, &result, diag));
 *     hs_setup_close(&setup);
 */
#pragma once

#include "cli/cli.h"
#include "engine/engine.h"
#include "model/assign.h"
#include "report/backtest/backtest.h"
#include "report/report.h"
#include "traces/trace_stream.h"

enum hs_retries { HS_RETRIES_MERGE, HS_RETRIES_ATTEMPTS, HS_RETRIES_GENERATE };
#define HS_ASSIGN_ALWAYS (HS_ASSIGN_OFF + 1) /* an option: HS_ASSIGN_AUTO for every run */
enum hs_calibrated {
    HS_CALIBRATED_BOTH,
    HS_CALIBRATED_STARTUP,
    HS_CALIBRATED_OVERCOMMIT,
    HS_CALIBRATED_NONE
};
enum hs_time_unit { HS_UNIT_AUTO, HS_UNIT_S, HS_UNIT_MS, HS_UNIT_US, HS_UNIT_MIN, HS_UNIT_H };

/* Values of the options, described in the tables of run_options.c. */
struct hs_run_options {
    struct hs_trace_options read; /* hs_setup_trace() adds path, units, window, sort and seed */
    const char *trace, *name, *cluster, *policy, *vc_file, *vc_date, *events, *faults,
        *reservations;
    const char *kept[HS_KEPT_ROLES]; /* where the file lies now; NULL: at its name */
    const char *output, *outputs, *sort, *sample, *window;
    bool fairness, power;
    const char *config_file, *settings;
    const char *to, *reference; /* of horus trace */
    int32_t time_unit, vc, check, retries;
    int64_t seed, assign_seed /* 0 = seed */, tie_jitter, max_tenants;
    int64_t until_us, warmup_us, cooldown_us, startup_us; /* until_us 0 = no horizon */
    const char *checkpoint_interval;
    int64_t checkpoint_cost_us, restart_us;
    int64_t max_events, max_wall_us; /* 0 = no limit */
    double skip_bad_rows;            /* per cent */
    double overcommit, rack_speed;
    /* models */
    struct hs_predictor_options prediction; /* its seed is that of the run */
    struct hs_interference_options how;     /* likewise; mode and excess from --interference */
    const char *profiles, *models, *interference, *reference_type, *memory_reserve, *restart_table,
        *memory_limits;
    const char *sharing_capacity, *speed_predictor;
    int32_t assign, deadlines, losses, locality, unknown_util, unknown_memory;
    int32_t sharing_mode;                /* 0: as in the cluster; else enum + 1 */
    int64_t oom_delay, oom_retries;      /* oom_delay: microseconds */
    int64_t storage_bandwidth;           /* MiB/s */
    double assign_target, assign_sticky; /* assign_target: per cent */
    bool decisions, report, force, dry_run, print_config, quiet, verbose, progress, no_progress;
    /* of horus compare, where policy and fail_if have one per line */
    const char *seeds, *assignments; /* lists; NULL: seed and assign_seed */
    const char *metrics, *fail_if;
    int64_t max_rows;  /* of series.csv */
    int64_t bootstrap; /* resamples, for two finished runs */
    /* of horus sweep */
    const char *metric;
    int64_t index; /* 0: not given */
    bool lists, makes, pending, status, gathers;
    int64_t processes; /* of both */
    /* of horus run */
    int64_t save_us, save_sim_us; /* between checkpoints, wall and simulated; 0 = none */
    const char *snapshot, *from;
    bool resume;
    /* of horus backtest */
    int32_t calibrate; /* enum hs_calibrated */
    double first;      /* per cent of the jobs */
    bool json;
};

#define HS_DEFAULT_CLUSTER  "16x8:V100"
#define HS_SWEEP_POINTS_MAX 100000u

extern const struct hs_option hs_run_option_table[], hs_compare_option_table[],
    hs_sweep_option_table[], hs_trace_option_table[], hs_backtest_option_table[];
/* Words of choices, indexed by enum. */
extern const char *const hs_sharing_options[],
    *const hs_predictors[], *const hs_memory_predictors[], *const hs_holdouts[];

/* ---- options with a special syntax: every error is HS_E_USAGE ---- */

#define HS_SEEDS_MAX 1000u

/* *outputs: HS_OUT_x. */
HS_MUST_USE enum hs_status hs_outputs_parse(const char *text, uint32_t *outputs,
                                            struct hs_diag *diag);
/* *sample_us: microseconds, 0 auto, -1 exact. */
HS_MUST_USE enum hs_status hs_sample_parse(const char *text, int64_t *sample_us,
                                           struct hs_diag *diag);
/* *window: rows, or HS_SORT_ALL. */
HS_MUST_USE enum hs_status hs_sort_parse(const char *text, uint64_t *window, struct hs_diag *diag);
/* --checkpoint-interval: a time in microseconds, 0 for none, or one of these two. */
#define HS_CHECKPOINTS_AUTO (HS_YOUNG_DALY - 1)
HS_MUST_USE enum hs_status hs_checkpoints_parse(const char *text, int64_t *interval_us,
                                                struct hs_diag *diag);
/* *mib: -1 auto. */
HS_MUST_USE enum hs_status hs_reserve_parse(const char *text, int64_t *mib, struct hs_diag *diag);
/* Parses "4", "1,3,7", "1..5", "1..3,10": *seeds, in the arena, in the given order, each from
 * `least` to 9e15 and unique; option is the name for messages. */
HS_MUST_USE enum hs_status hs_seeds_parse(const char *text, const char *option, int64_t least,
                                          struct hs_arena *arena, const int64_t **seeds,
                                          uint32_t *count, struct hs_diag *diag);
/* For an option table: refuses invalid text in place, before anything is opened. */
enum hs_status hs_check_sort(const char *text, struct hs_diag *diag);

/* ---- between options ---- */

/* Returns a configuration over the table of `horus run` for one of many runs: values of `base`,
 * origins of the options of the verb that starts them. */
struct hs_config hs_run_config(const struct hs_config *of_verb, struct hs_run_options *base);

/* First step of run, compare and sweep; call->options is a struct hs_run_options. Takes the operand
 * as the trace, refuses contradictions, applies --quiet. */
HS_MUST_USE enum hs_status hs_run_begin(struct hs_call *call);
/* The same without the operand. */
HS_MUST_USE enum hs_status hs_run_check_looks(struct hs_call *call);
/* Reports HS_E_USAGE if both were given, because it is unknown which is meant. */
HS_MUST_USE enum hs_status hs_run_refuse_both(struct hs_call *call, bool are_both,
                                              const char *first, const char *second);
/* Notes that the default cluster is used. */
void hs_run_note_cluster(struct hs_call *call);
bool hs_run_shows_progress(const struct hs_call *call);

/* ---- the set-up (setup.c) ---- */

#define HS_WORKLOAD_MAX     200
#define HS_POLICY_FILES_MAX 5
#define HS_EXEC             "exec:" /* prefix of the command of a policy in another language */

/* Models are loaded once and shared by all passes; those that the policy cannot use are not loaded
 * unless --models names them. */
struct hs_setup {
    const struct hs_run_options *options;
    const struct hs_config *config;
    struct hs_arena arena;
    struct hs_cluster cluster;
    struct hs_machines machines;
    int64_t checkpoint_us; /* or HS_YOUNG_DALY; 0 = none */
    char checkpoints_text[128];
    struct hs_trace_options trace;
    const char *workload_file; /* for a trace "gen:NAME,..."; NULL = another trace */
    const struct hs_policy_ops *policy;
    void *policy_state;
    struct hs_manifest_input files[HS_POLICY_FILES_MAX]; /* named by its parameters */
    uint32_t file_count;
    uint32_t can, knows; /* HS_CAN_x, HS_KNOWS_x with these parameters */
    bool is_sharing;     /* the policy shares GPUs */
    bool needs_no_draw;  /* no profile is drawn, as nothing depends on one */
    uint32_t tenants;    /* most per GPU, by options and policy */
    uint32_t outputs;    /* HS_OUT_x */
    int64_t sample_us;
    struct hs_catalogue catalogue;
    struct hs_modelset models;
    struct hs_assign_options assign;
    struct hs_interference_options how;
    struct hs_interference *interference;
    struct hs_speed *speed;
    struct hs_predictor *predictor;
    struct hs_overheads *restart; /* NULL: no preemption needs it */
    struct hs_host *host;         /* NULL: CPUs and host memory have no effect */
    struct hs_stages *stages;     /* NULL: no jobs interleave */
    struct hs_reservations reservations;
    struct hs_overheads *memcurve; /* NULL: no memory is limited */
    bool is_reserve_fitted;        /* from the utilization file */
    uint32_t memory_reserve_mib;
    struct hs_card card;
    char workload[HS_WORKLOAD_MAX + 1];
    /* Texts of the card. */
    char order_text[160], power_text[256], fork_text[200], speeds_text[256], profiles_text[160],
        interference_text[400], locality_text[256], predictor_text[256];
};

/* Also notes options of `config` that were given and have no effect. Options and configuration are
 * borrowed until close. */
HS_MUST_USE enum hs_status hs_setup_open(struct hs_setup *setup,
                                         const struct hs_run_options *options,
                                         const struct hs_config *config, struct hs_diag *diag);
void hs_setup_close(struct hs_setup *setup);
/* Fills the texts of the card that tell of models, and notes options without effect on them
 * (run_warnings.c). */
void hs_setup_say_models(struct hs_setup *setup, struct hs_diag *diag);
enum hs_sharing_mode hs_setup_sharing_mode(const struct hs_setup *setup, uint32_t type);
/* Tells whether the text for the cost of a preemption contains the word. */
bool hs_setup_costs(const struct hs_setup *setup, const char *word);
/* Formats how many jobs have an unknown GPU utilization or memory, and how they are counted; "" =
 * none. */
void hs_setup_unknown(const struct hs_assign_counts *assigned, char *text, size_t size);
/* Tells whether the model file of that kind was read. */
bool hs_setup_uses(const struct hs_setup *setup, enum hs_model_kind kind);

/* Returns where an input lies that a run's directory may keep. Of the cluster: what describes it, a
 * file, which may be part of the program, or a shape. NULL: the run has none. */
const char *hs_setup_file(const struct hs_run_options *options, enum hs_kept_role role);
/* Parts that other verbs need. */
HS_MUST_USE enum hs_status hs_setup_cluster(struct hs_cluster *cluster,
                                            const struct hs_run_options *options,
                                            struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_setup_trace(struct hs_trace_options *trace,
                                          const struct hs_run_options *options,
                                          struct hs_diag *diag);
/* Tells whether decisions or costs of the policy may depend on profiles of jobs. */
bool hs_setup_needs_profiles(const struct hs_policy_ops *policy, const void *state);
/* Sets mode, seed, target, and the memory of the cluster's smallest GPU type, if stated. */
struct hs_assign_options hs_setup_assign(const struct hs_run_options *options,
                                         const struct hs_cluster *cluster);
/* Resolves "fifo:scan=fit": the record, and its parameters in *state (from the arena). */
HS_MUST_USE enum hs_status hs_setup_policy(const char *spec, const struct hs_policy_ops **policy,
                                           void **state, struct hs_arena *arena,
                                           struct hs_diag *diag);
const char *hs_policy_name_at(size_t index); /* NULL after the last */
/* Loads a shared library that exports a policy: struct hs_policy_plugin. HS_E_INPUT. */
HS_MUST_USE enum hs_status hs_plugin_load(const char *path, const struct hs_policy_ops **policy,
                                          struct hs_diag *diag);
/* Opens a policy run by a child process (own_policy.c). HS_E_POLICY. */
HS_MUST_USE enum hs_status hs_exec_policy(const char *command, const struct hs_policy_ops **policy,
                                          void **state, struct hs_arena *arena,
                                          struct hs_diag *diag);
bool hs_is_command(const char *spec); /* for "exec:COMMAND" */
/* Adds the library of the policy, or the words of its command that are files, to files. HS_E_IO. */
HS_MUST_USE enum hs_status hs_own_policy_files(struct hs_setup *setup, struct hs_diag *diag);
/* Finds by name, or by the path of a shared library (with a slash). HS_E_USAGE with the nearest. */
HS_MUST_USE enum hs_status hs_setup_find_policy(const char *name, size_t len,
                                                const struct hs_policy_ops **policy,
                                                struct hs_diag *diag);
/* Writes HS_KNOWS_x or HS_CAN_x in words: "duration, memory" or "nothing". */
extern const char *const hs_knows_words[], *const hs_can_words[]; /* by bit, NULL-terminated */
void hs_bits_text(uint32_t bits, const char *const *words, char *text, size_t size);

/* "a/b/cluster_log.csv.gz" -> "cluster_log"; "-" -> "stdin";
 * "gen:philly,n=100" -> "philly". */
void hs_workload_name(const char *path, char *name, size_t size);

/* A path that ends in .json; NULL for other values: --map may be a list, --cluster a shape. */
const char *hs_if_file(const char *spec);

/* ---- identity of a run: equal configuration, inputs and version give an equal name, regardless
 * of the location of the files and of whether a default was given explicitly ---- */

/* Hash of everything that determines a run except its trace; of the trace. */
HS_MUST_USE enum hs_status hs_setup_hash(const struct hs_setup *setup, uint64_t *hash,
                                         struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_workload_hash(const struct hs_run_options *options, uint64_t *hash,
                                            struct hs_diag *diag);
/* Builds WORKLOAD-POLICY-HASH. workload_hash: from hs_workload_hash(). */
#define HS_RUN_NAME_SIZE (HS_WORKLOAD_MAX + 80u)
HS_MUST_USE enum hs_status hs_run_name(const struct hs_setup *setup, uint64_t workload_hash,
                                       char name[HS_RUN_NAME_SIZE], struct hs_diag *diag);
/* The same; of a trace that can be read only once, such as a pipe, the hash is of the name alone.
 */
HS_MUST_USE enum hs_status hs_run_identity(const struct hs_setup *setup,
                                           char name[HS_RUN_NAME_SIZE], struct hs_diag *diag);
/* The directory of the run: --output, else results/NAME, for which it reads the inputs once. */
HS_MUST_USE enum hs_status hs_setup_dir(const struct hs_setup *setup, char path[HS_PATH_SIZE],
                                        struct hs_diag *diag);

/* ---- a run (simulate.c) ---- */

#define HS_REJECTED_SHOWN 3
#define HS_RUN_FILES_MAX  16

/* Counts of the rows of the trace, and the first jobs that could never run. */
struct hs_intake {
    struct hs_trace_counts trace;
    struct hs_assign_counts assigned;
    struct hs_retry_counts retries;
    uint64_t rejected;
    char rejections[HS_REJECTED_SHOWN][512]; /* "id: reason" */
    struct hs_rejection reasons[HS_REASONS_MAX];
    uint32_t reason_count;
    hs_u128 demand_us;         /* GPU time of jobs not rejected, in thousandths of GPUs */
    int64_t first_us, last_us; /* submission */
};

struct hs_run_result {
    const struct hs_setup *setup;
    struct hs_summary summary;
    struct hs_engine_figures figures;
    struct hs_intake intake;
    char format[32]; /* of the trace, recognised */
    struct hs_manifest_input trace_input;
    struct hs_output_file files[HS_RUN_FILES_MAX]; /* written by the run without random ties */
    uint32_t file_count;
    struct hs_manifest_volatile machine;
    uint32_t cut_ties; /* runs with random ties ended by a limit */
};

/* Tells whether --max-events or --max-wall ended the run; and which, when: text valid until the end
 * of the block. */
bool hs_run_is_cut(const struct hs_run_result *result);
#define HS_RUN_CUT_SIZE 160
const char *hs_run_cut_text(const struct hs_run_result *result, char text[HS_RUN_CUT_SIZE]);
#define HS_RUN_CUT(result) hs_run_cut_text(result, (char[HS_RUN_CUT_SIZE]){0})

/* A trace used by several runs: read once, with the same bytes for each. */
struct hs_shared_trace {
    uint64_t key; /* of the trace and the options that read it */
    struct hs_trace_cache *cache;
};

/* How a run was called: its terminal shows progress, its command line goes into the manifest. */
struct hs_run_call {
    struct hs_call *by;
    bool shows_progress;
    const struct hs_shared_trace *traces;
    uint32_t trace_count;
    struct hs_backtest *backtest; /* filled by the run by rule, compared and written; NULL = none */
    /* With checkpoints; else NULL. */
    const struct hs_image_head *image;
    struct hs_run_options *kept; /* the options of the setup, in the image */
};

/* Runs by rule, then --tie-jitter more times with random ties, whose spreads are added to the
 * summary. */
HS_MUST_USE enum hs_status hs_simulate(const struct hs_setup *setup, const struct hs_run_call *call,
                                       const char *dir_path, struct hs_run_result *result,
                                       struct hs_diag *diag);

/* Goes on with the run of the checkpoint or snapshot at path, which call->image describes, in the
 * process's image: its setup is (*result)->setup. dir: of hs_rundir_resume(), or an empty one for a
 * snapshot; closed in any case. now: options of this call; policy: of those, under which a snapshot
 * is forked, NULL: it goes on as it is. */
HS_MUST_USE enum hs_status hs_simulate_image(const char *path, struct hs_rundir *dir,
                                             const struct hs_run_call *call,
                                             const struct hs_run_options *now, const char *policy,
                                             struct hs_run_result **result, struct hs_diag *diag);

/* Standard input, a pipe or a device. */
bool hs_trace_is_read_once(const char *path);

/* The run by rule without any file, for its figures and the backtest, which is not compared. */
HS_MUST_USE enum hs_status hs_simulate_figures(const struct hs_setup *setup,
                                               const struct hs_run_call *call,
                                               struct hs_run_result *result, struct hs_diag *diag);

/* The same from options, including set-up. */
HS_MUST_USE enum hs_status hs_simulate_options(const struct hs_run_options *options,
                                               const struct hs_config *config,
                                               const struct hs_run_call *call, const char *dir_path,
                                               struct hs_diag *diag);

/* Opens and closes the engine, to report errors in files named by parameters of the policy. */
HS_MUST_USE enum hs_status hs_simulate_check(const struct hs_setup *setup, struct hs_diag *diag);

/* Reads the whole trace without simulating: sets counts and format of result. */
HS_MUST_USE enum hs_status hs_simulate_dry(const struct hs_setup *setup,
                                           struct hs_run_result *result, struct hs_diag *diag);

/* Returns the names and units of the metrics that a run would have; values are meaningless. */
HS_MUST_USE enum hs_status hs_simulate_metrics(const struct hs_setup *setup,
                                               struct hs_summary *metrics,
                                               const char *names[HS_METRICS_MAX],
                                               struct hs_diag *diag);

/* Reports HS_E_INPUT if all jobs were rejected: nothing was simulated. */
HS_MUST_USE enum hs_status hs_check_rejected(const char *trace, const char *policy, double rejected,
                                             double jobs, struct hs_diag *diag);
/* Notes a load that hardly distinguishes policies; not for few jobs, where the table shows it. */
void hs_run_note_demand(const struct hs_setup *setup, const struct hs_run_result *result,
                        struct hs_diag *diag);
/* Notes during a run, of which `share` is done, that it will take long, and what would be cheaper;
 * used_s: CPU seconds so far. Returns false, without a note, if too little is left or not known. */
bool hs_run_note_length(const struct hs_setup *setup, double used_s, double share, uint64_t events,
                        struct hs_diag *diag);
/* Prints all warnings of a run at its end. */
void hs_run_warn(const struct hs_setup *setup, const struct hs_run_result *result,
                 struct hs_diag *diag);
/* Warns of rows dropped by the reader, one warning per kind, rows that came late (has_order), and
 * jobs whose GPUs were rounded up. */
void hs_warn_of_rows(const struct hs_trace_counts *counts, bool has_order, struct hs_diag *diag);
/* Warns of configurations and models not in the catalogue, utilizations out of range, and generated
 * failed attempts. jobs: total of the trace. */
void hs_warn_of_profiles(const struct hs_assign_counts *assigned,
                         const struct hs_retry_counts *retries, uint64_t jobs,
                         struct hs_diag *diag);

/* ---- a diag before another: passes messages on, and stores what its owner needs of them
 *
 *     hs_message_log_open(&log, diag, HS_LOG_UNIQUE);   // reports to &log.diag also reach diag
 *     ... log.warnings, log.text ...
 *     hs_message_log_close(&log); */

#define HS_LOG_WARNINGS_MAX 64u /* stored for a manifest; later ones are only passed on */

enum hs_log_kind {
    HS_LOG_WARNINGS, /* stores only the warnings */
    HS_LOG_UNIQUE,   /* also passes each text on only once: for many similar runs */
    HS_LOG_TEXT,     /* also stores all text, up to 1 MiB */
};

struct hs_message_log {
    struct hs_diag diag;
    struct hs_diag *target; /* counts the messages passed on; NULL: only stores them */
    enum hs_log_kind kind;
    struct hs_arena arena;
    struct hs_intern seen;
    const char *warnings[HS_LOG_WARNINGS_MAX];
    uint32_t warning_count;
    char *text; /* one message per line */
    uint32_t text_len, text_cap;
};

void hs_message_log_open(struct hs_message_log *log, struct hs_diag *target, enum hs_log_kind kind);
/* Adds a message formatted elsewhere; log is a struct hs_message_log. */
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
/* Adds to *head the columns that it lacks, each behind the one that it is behind here: fairness,
 * energy, failures and deadlines each have columns of their own. */
HS_MUST_USE enum hs_status hs_record_join(const char *path, struct hs_arena *arena,
                                          struct hs_csv_row *head, struct hs_diag *diag);
/* NaN if empty. */
double hs_record_number(const struct hs_csv_row *row, uint32_t column);
/* Builds the header of a table of runs: columns after those of `first`, each with a prefix. */
char *hs_record_header(struct hs_arena *arena, const char *first, const char *prefix,
                       const char *const *names, uint32_t count);
/* Adds libraries and warnings (log may be NULL) to a manifest and writes it. */
HS_MUST_USE enum hs_status hs_record_manifest(struct hs_manifest *manifest,
                                              const struct hs_message_log *log,
                                              const struct hs_rundir *dir, struct hs_diag *diag);

/* Writes the member "policy_parameters": each parameter of the policy with its value, as text for
 * -p. */
void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w);
/* Writes what happened, jobs by source of their profile, invariants checked; result: of the run. */
void hs_record_counts(void *result, struct hs_jsonw *w);
/* Keeps copies of inputs in the directory; none of a cluster that is a shape or part of the
 * program. */
HS_MUST_USE enum hs_status hs_record_kept(const struct hs_run_options *options,
                                          const struct hs_rundir *dir, struct hs_output_file *files,
                                          uint32_t *count, struct hs_diag *diag);
/* Adds the files that a run reads besides its trace, unless they are in the list. */
#define HS_INPUTS_MAX (10 + HS_MODEL_COUNT + HS_POLICY_FILES_MAX)
HS_MUST_USE enum hs_status hs_record_inputs(const struct hs_setup *setup,
                                            struct hs_manifest_input *inputs, uint32_t *count,
                                            struct hs_diag *diag);
/* Command, host, time and memory of this process, optionally with all its ended children. */
struct hs_manifest_volatile hs_record_machine(const char *const *command, double wall_s,
                                              bool has_children);
/* Libraries and their versions at run time; their number in *count. */
const struct hs_manifest_library *hs_libraries(uint32_t *count);

#define HS_COMPARE_COLUMNS "policy,metric,unit,mean,low,high,ratio,ratio_low,ratio_high,runs"
#define HS_ORDER_COLUMNS   "first,second,metric,cells,agree,ratio,ratio_low,ratio_high"
#define HS_RUNS_COLUMNS    "policy,seed,assignment" /* then those of summary.csv */
/* `horus compare` of policies on a trace (compare_cells.c). */
HS_MUST_USE enum hs_status hs_compare_policies(struct hs_call *call);
#define HS_NOTHING_DRAWN                                                                           \
    "no random draw depends on the seed, as it would with gen:NAME or pred=noisy"
/* Says so, and returns true, if there are several runs of each policy and they are the same in
 * every figure, so that their number says nothing (compare.c). values: [(policy * runs + run) *
 * count + figure]. */
bool hs_compare_say_alike(const double *values, uint32_t policies, uint32_t runs, size_t count,
                          struct hs_output *out);
/* Prints what the policies assume, where they differ (compare.c). */
void hs_compare_say_terms(const struct hs_setup *const *setups, uint32_t count,
                          struct hs_output *out);
