/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of `horus run` and `horus trace`: one struct, two tables over it. `horus compare`
 * adds to it (compare_options.h).
 */
#ifndef HORUS_CLI_RUN_OPTIONS_H
#define HORUS_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/config.h"

enum hs_retries { HS_RETRIES_MERGE, HS_RETRIES_ATTEMPTS, HS_RETRIES_GENERATE };
enum hs_time_unit { HS_UNIT_AUTO, HS_UNIT_S, HS_UNIT_MS, HS_UNIT_US, HS_UNIT_MIN, HS_UNIT_H };

/* Values of the options; offsets are in the tables of run_options.c. */
struct hs_run_options {
    const char *trace, *name, *format, *map, *gavel_throughputs;
    const char *cluster, *policy, *vc_file, *vc_date;
    const char *output, *outputs, *outcomes, *sort, *sample;
    const char *config_file, *settings;
    const char *to, *reference; /* of horus trace */
    int32_t time_unit, vc, check, philly_attempts, retries, cpu_jobs, zero_duration, openb_pending;
    int64_t seed, assign_seed /* 0 = seed */, max_jobs, tie_jitter, max_tenants;
    int64_t until_us, warmup_us, cooldown_us, startup_us; /* until_us 0 = no horizon */
    const char *window;
    double load, scale_time, sample_jobs, skip_bad_rows; /* skip_bad_rows: per cent */
    /* models */
    const char *profiles, *models, *interference, *reference_type, *memory_reserve, *restart_table,
        *memory_limits;
    int32_t assign, crowd, locality, predictor, predictor_holdout, memory_predictor;
    int64_t oom_delay, oom_retries;      /* oom_delay: microseconds */
    int64_t storage_bandwidth;           /* MiB/s */
    double assign_target, assign_sticky; /* assign_target: per cent */
    double gamma, interference_noise, util_noise, util_bias, memory_noise;
    bool decisions, report, force, dry_run, print_config, quiet, verbose, progress, no_progress;
};

#define HS_DEFAULT_CLUSTER "16x8:V100"

extern const struct hs_option hs_run_option_table[], hs_trace_option_table[];

#endif
