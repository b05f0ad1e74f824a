/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option rows that `horus run` has, most of them shared with `horus compare`. Rows of a table,
 * apart only because the table is long; included by run_options.c alone.
 */
#ifndef HORUS_CLI_RUN_ROWS_H
#define HORUS_CLI_RUN_ROWS_H

#define WORKLOAD_ROWS                                                                              \
    {.param = {.key = "trace",                                                                     \
               .type = HS_PARAM_TEXT,                                                              \
               .offset = AT(trace),                                                                \
               .unit = "FILE",                                                                     \
               .help = "the trace, when it is not an operand; - is standard input"},               \
     .group = "Workload"},                                                                         \
        {.param = {.key = "name",                                                                  \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(name),                                                             \
                   .unit = "WORKLOAD",                                                             \
                   .help = "of the workload in the results; absent: from the name of the trace"},  \
         .check = hs_check_name,                                                                   \
         .group = "Workload"},                                                                     \
        {.param = {.key = "cluster",                                                               \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(cluster),                                                          \
                   .preset = HS_DEFAULT_CLUSTER,                                                   \
                   .unit = "SPEC",                                                                 \
                   .help = "JSON file or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100"},     \
         .letter = 'c',                                                                            \
         .group = CLUSTER,                                                                         \
         .in_short_help = true},                                                                   \
        CLUSTER_ROWS

#define SIMULATION_ROWS                                                                            \
    {.param = {.key = "seed",                                                                      \
               .type = HS_PARAM_INT,                                                               \
               .offset = AT(seed),                                                                 \
               .preset = "1",                                                                      \
               .max = 9e15,                                                                        \
               .help = "of every random draw"},                                                    \
     .group = "Simulation"},                                                                       \
        {.param = {.key = "until",                                                                 \
                   .type = HS_PARAM_DURATION,                                                      \
                   .offset = AT(until_us),                                                         \
                   .preset = "0s",                                                                 \
                   .max = 3153600000 /* 100 years */,                                              \
                   .help = "stop the clock here, list what is unfinished; 0: run to the end"},     \
         .group = "Simulation",                                                                    \
         .in_short_help = true},                                                                   \
        {.param = {.key = "startup",                                                               \
                   .type = HS_PARAM_DURATION,                                                      \
                   .offset = AT(startup_us),                                                       \
                   .preset = "0s",                                                                 \
                   .max = 1e6,                                                                     \
                   .help = "cost of the first start of every job"},                                \
         .group = "Simulation"},                                                                   \
        {.param = {.key = "max_tenants",                                                           \
                   .type = HS_PARAM_INT,                                                           \
                   .offset = AT(max_tenants),                                                      \
                   .preset = "16",                                                                 \
                   .min = 1,                                                                       \
                   .max = HS_TENANTS_MAX,                                                          \
                   .help = "jobs on one GPU at most, whatever a policy's own limit is"},           \
         .group = "Simulation"},                                                                   \
    {                                                                                              \
        .param = {.key = "check",                                                                  \
                  .type = HS_PARAM_CHOICE,                                                         \
                  .offset = AT(check),                                                             \
                  .preset = "fast",                                                                \
                  .choices = checks,                                                               \
                  .help = "invariants after every instant: none, cheap ones, full recounts"},      \
        .group = "Simulation", .in_short_help = true                                               \
    }

#define TIE_JITTER_ROW                                                                             \
    {                                                                                              \
        .param = {.key = "tie_jitter",                                                             \
                  .type = HS_PARAM_INT,                                                            \
                  .offset = AT(tie_jitter),                                                        \
                  .preset = "0",                                                                   \
                  .max = 10000,                                                                    \
                  .help =                                                                          \
                      "N more runs with seeded random ties: mean and spread beside each metric"},  \
        .group = "Simulation", .in_short_help = true                                               \
    }

#define ASSIGN_SEED_ROW                                                                            \
    MODEL_ROW(assign_seed, INT, PROFILES, .preset = "0", .max = 9e15,                              \
              .help = "of these draws alone; 0: that of --seed")

#define OUTPUT_ROW(unit_, help_, group_)                                                           \
    {                                                                                              \
        .param = {.key = "output",                                                                 \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = AT(output),                                                            \
                  .unit = unit_,                                                                   \
                  .help = help_},                                                                  \
        .letter = 'o', .group = group_, .in_short_help = true, .is_local = true                    \
    }

#define OUTPUTS_ROW(preset_, help_)                                                                \
    {                                                                                              \
        .param = {.key = "outputs",                                                                \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = AT(outputs),                                                           \
                  .preset = preset_,                                                               \
                  .unit = "LIST",                                                                  \
                  .help = help_},                                                                  \
        .check = hs_check_outputs, .group = "Results", .word_at = hs_output_at                     \
    }

#define SAMPLE_ROWS                                                                                \
    {.param = {.key = "sample",                                                                    \
               .type = HS_PARAM_TEXT,                                                              \
               .offset = AT(sample),                                                               \
               .preset = "auto",                                                                   \
               .unit = "TIME|auto|exact",                                                          \
               .help =                                                                             \
                   "series.csv: means per TIME, over at most 2048 intervals, or every change"},    \
     .check = hs_check_sample,                                                                     \
     .group = "Results"},                                                                          \
        {.param = {.key = "warmup",                                                                \
                   .type = HS_PARAM_DURATION,                                                      \
                   .offset = AT(warmup_us),                                                        \
                   .preset = "0s",                                                                 \
                   .max = 3153600000 /* 100 years */,                                              \
                   .help = "leave jobs submitted in the first part out of the job statistics"},    \
         .group = "Results"},                                                                      \
    {                                                                                              \
        .param = {.key = "cooldown",                                                               \
                  .type = HS_PARAM_DURATION,                                                       \
                  .offset = AT(cooldown_us),                                                       \
                  .preset = "0s",                                                                  \
                  .max = 3153600000 /* 100 years */,                                               \
                  .help = "the same for the last part"},                                           \
        .group = "Results"                                                                         \
    }

#define RUN_CALL_ROWS                                                                              \
    {.param = {.key = "dry_run",                                                                   \
               .type = HS_PARAM_FLAG,                                                              \
               .offset = AT(dry_run),                                                              \
               .preset = "no",                                                                     \
               .help = "check everything, the whole trace included, print the sizes, and stop"},   \
     .group = CALL,                                                                                \
     .in_short_help = true,                                                                        \
     .is_local = true},                                                                            \
    {                                                                                              \
        .param = {.key = "force",                                                                  \
                  .type = HS_PARAM_FLAG,                                                           \
                  .offset = AT(force),                                                             \
                  .preset = "no",                                                                  \
                  .help = "replace an existing run directory"},                                    \
        .letter = 'f', .group = CALL, .is_local = true                                             \
    }

#define PROGRESS_ROWS                                                                              \
    {.param = {.key = "progress",                                                                  \
               .type = HS_PARAM_FLAG,                                                              \
               .offset = AT(progress),                                                             \
               .preset = "no",                                                                     \
               .help = "progress on standard error even if it is no terminal"},                    \
     .group = CALL,                                                                                \
     .is_local = true},                                                                            \
        {.param = {.key = "no_progress",                                                           \
                   .type = HS_PARAM_FLAG,                                                          \
                   .offset = AT(no_progress),                                                      \
                   .preset = "no",                                                                 \
                   .help = "no progress"},                                                         \
         .group = CALL,                                                                            \
         .is_local = true},                                                                        \
    {                                                                                              \
        .param = {.key = "verbose",                                                                \
                  .type = HS_PARAM_FLAG,                                                           \
                  .offset = AT(verbose),                                                           \
                  .preset = "no",                                                                  \
                  .help = "also events, decisions, time and memory"},                              \
        .letter = 'v', .group = CALL, .is_local = true                                             \
    }

#endif
