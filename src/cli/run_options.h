/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of `horus run`, `horus compare`, `horus sweep` and `horus trace`: one structure for
 * what they share, four tables over it, and the checks that hold between options.
 */
#ifndef HORUS_CLI_RUN_OPTIONS_H
#define HORUS_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "model/interference.h"
#include "model/predictor.h"
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

#endif
