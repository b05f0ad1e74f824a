/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One simulation from configuration to run directory: what run, and later compare and sweep, share.
 */
#ifndef HORUS_CLI_SIMULATE_H
#define HORUS_CLI_SIMULATE_H

#include "base/diag.h"
#include "data/config.h"
#include "engine/engine.h"
#include "report/report.h"

/* Values of the options of `horus run`; offsets in its option table (cli/options.c). */
struct hs_run_options {
    const char *trace, *format, *map, *time_unit;
    const char *cluster, *policy, *vc_file, *vc_date;
    const char *output, *outputs, *outcomes, *sort;
    const char *config_file, *settings;
    int32_t vc, check, philly_attempts, cpu_jobs, zero_duration;
    int64_t seed, max_jobs, tie_jitter, max_tenants;
    int64_t until_us, warmup_us, cooldown_us, startup_us;
    double load, interference, skip_bad_rows;
    const char *sample;
    bool force, dry_run, print_config, quiet, verbose, progress, no_progress;
};

struct hs_run_result {
    struct hs_summary summary;
    struct hs_engine_figures figures;
    double cpu_s, wall_s;
    uint64_t peak_rss_kib;
    char dir[4096]; /* "" if no directory was written */
};

/* Runs once with ties by `jitter_seed` (0 = by rule); dir_path NULL writes no files. */
HS_MUST_USE enum hs_status hs_simulate(const struct hs_run_options *options,
                                       const struct hs_config *config, uint64_t jitter_seed,
                                       const char *dir_path, struct hs_run_result *result,
                                       struct hs_diag *diag);

#endif
