/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option rows of `horus run` about models: the truth about rates, and what policies are told.
 * Rows of a table, apart only because the table is long; included by run_options.c alone.
 */
#ifndef HORUS_CLI_MODEL_ROWS_H
#define HORUS_CLI_MODEL_ROWS_H

static const char *const crowds[] = {"additive", "queueing", NULL};
static const char *const localities[] = {"measured", "none", NULL};
static const char *const predictors[] = {"oracle", "noisy", "table", "regress", NULL};
static const char *const memory_predictors[] = {"oracle", "formula", "noisy", NULL};
static const char *const holdouts[] = {"config", "model", NULL};

#define TRUTH "Truth: how fast jobs run"
#define TOLD  "Prediction: what policies are told"
#define MODEL_ROW(name, kind, heading, ...)                                                        \
    {                                                                                              \
        .param = {.key = #name, .type = HS_PARAM_##kind, .offset = AT(name), __VA_ARGS__},         \
        .group = heading                                                                           \
    }

#define CHECKED_MODEL_ROW(name, kind, heading, checker, ...)                                       \
    {                                                                                              \
        .param = {.key = #name, .type = HS_PARAM_##kind, .offset = AT(name), __VA_ARGS__},         \
        .check = checker, .group = heading                                                         \
    }

#define MODEL_ROWS                                                                                 \
    MODEL_ROW(models, TEXT, TRUTH, .unit = "FILES",                                                \
              .help =                                                                              \
                  "model files of 'horus calibrate', comma-separated, instead of the built-in "    \
                  "ones of their kind"),                                                           \
        CHECKED_MODEL_ROW(                                                                         \
            interference, TEXT, TRUTH, hs_check_interference, .preset = "measured+fit",            \
            .unit = "MODEL",                                                                       \
            .help = "slowdown of jobs that share a GPU: measured+fit, fit, const:X (1 + X "        \
                    "beside anybody) or none"),                                                    \
        MODEL_ROW(gamma, REAL, TRUTH, .preset = "1", .min = 0, .max = 10,                          \
                  .help = "slowdowns to this power: 1 as measured, 1.43 makes the worst 3.2",      \
                  .source = "1.43: Horus ICA3PP'20 saw up to 3.2x"),                               \
        MODEL_ROW(interference_noise, REAL, TRUTH, .preset = "0", .max = 10,                       \
                  .help = "how wrong the model of slowdowns is: speeds of pairs not measured get " \
                          "residuals of X times its hold-out RMSE, drawn by --seed; 1 = one "      \
                          "standard error"),                                                       \
        MODEL_ROW(crowd, CHOICE, TRUTH, .preset = "additive", .choices = crowds,                   \
                  .help = "more than two jobs on a GPU: excess slowdowns added up, or the exact "  \
                          "queueing recursion; modelled, not measured"),                           \
        MODEL_ROW(reference_type, TEXT, TRUTH, .unit = "TYPE",                                     \
                  .help = "GPU type on which the trace was recorded; absent: the first of the "    \
                          "cluster whose speed is 1"),                                             \
        MODEL_ROW(locality, CHOICE, TRUTH, .preset = "measured", .choices = localities,            \
                  .help = "a gang spread over more nodes than it needs: slowed as measured for "   \
                          "its family, or not"),                                                   \
        CHECKED_MODEL_ROW(memory_reserve, TEXT, TRUTH, hs_check_reserve, .preset = "auto",         \
                          .unit = "SIZE|auto",                                                     \
                          .help = "memory of a shared GPU that its tenants cannot use; auto: as "  \
                                  "calibrated",                                                    \
                          .source = "auto: 95 % of Lucid's pairs need less beyond their sum"),     \
        MODEL_ROW(oom_delay, DURATION, TRUTH, .preset = "30s", .max = 86400,                       \
                  .help = "from a start that overflows its GPU to its end: the attempt is lost"),  \
        MODEL_ROW(oom_retries, INT, TRUTH, .preset = "2", .max = 1000,                             \
                  .help = "a job whose GPU ran out of memory so often runs only alone"),           \
        MODEL_ROW(restart_table, TEXT, TRUTH, .preset = "builtin:restart.csv", .unit = "FILE",     \
                  .help = "what starting a model again takes, by model and GPUs, for "             \
                          "preempt_cost=restart; builtin: configs/restart.csv as compiled in",     \
                  .source = "Zhao et al. SIGCOMM'22, Muri simulator"),                             \
        MODEL_ROW(memory_limits, TEXT, TRUTH, .preset = "builtin:memory-limits.csv",               \
                  .unit = "FILE",                                                                  \
                  .help = "speed of a job whose GPU memory a policy limits, by model and limit; "  \
                          "builtin: configs/memory-limits.csv as compiled in",                     \
                  .source = "Xiao et al. OSDI'20, AntMan, fig. 10"),                               \
        MODEL_ROW(storage_bandwidth, INT, TRUTH, .preset = "100", .min = 1, .max = 1000000,        \
                  .unit = "MiB/s",                                                                 \
                  .help = "MiB/s at which a job saves and restores its checkpoint, for "           \
                          "preempt_cost=checkpoint",                                               \
                  .source = "shared file systems of clouds: Filestore basic HDD 100/100 MiB/s, "   \
                            "Amazon EFS bursting 100 MiB/s"),                                      \
        MODEL_ROW(predictor, CHOICE, TOLD, .preset = "noisy", .choices = predictors,               \
                  .help = "utilization: the truth, the truth with log-normal noise, other "        \
                          "batches of the model, or a regression on its graph",                    \
                  .source = "noisy: HotCloud'20 reports an error, not a method"),                  \
        MODEL_ROW(util_noise, REAL, TOLD, .preset = "0.154", .max = 5,                             \
                  .help = "noisy: RMSLE of the utilization; one draw a job, by --seed",            \
                  .source = "Yeung et al. HotCloud'20"),                                           \
        MODEL_ROW(util_bias, REAL, TOLD, .preset = "0", .min = -5, .max = 5,                       \
                  .help = "noisy: mean of the log error; below 0 too little is told"),             \
        MODEL_ROW(predictor_holdout, CHOICE, TOLD, .preset = "config", .choices = holdouts,        \
                  .help = "regress: fitted without this configuration, or without its model"),     \
        MODEL_ROW(memory_predictor, CHOICE, TOLD, .preset = "oracle",                              \
                  .choices = memory_predictors,                                                    \
                  .help = "GPU memory: the truth, the formula of Horus, or noise"),                \
        MODEL_ROW(memory_noise, REAL, TOLD, .preset = "0.665", .max = 5,                           \
                  .help = "noisy: standard deviation of ln(estimate / truth); one draw a job, by " \
                          "--seed",                                                                \
                  .source = "the formula against 18 measurements of GPUMemNet")

#endif
