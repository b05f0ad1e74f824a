/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus predict --job MODEL:BATCH [--with MODEL:BATCH]... --gpu TYPE`: what the models say.
 */
#include <stddef.h>

#include "base/builtin.h"
#include "cli/cli.h"
#include "cli/predict.h"

#define JOB_FORM "MODEL[:BATCH[:PRECISION[:DATASET]]]"

static enum hs_status predict(struct hs_call *call)
{
    const struct hs_predict_options *options = call->options;
    struct hs_prediction prediction;
    if (options->list)
        return hs_predict_list(&call->out, options, &call->diag);
    if (options->job == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "for example --job ResNet18:64:amp; --list tells what there is",
                       "predict: --job is missing: " JOB_FORM);
    if (options->gpu == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "for example --gpu V100",
                       "predict: --gpu is missing: the GPU type to ask about");
    HS_TRY(hs_predict(&prediction, options, &call->diag));
    if (options->json)
        hs_predict_json(&call->out, &prediction);
    else
        hs_predict_say(&call->out, &prediction);
    hs_prediction_free(&prediction);
    return HS_OK;
}

static const char *const crowds[] = {"additive", "queueing", NULL};
static const char *const predictors[] = {"oracle", "noisy", "table", "regress", NULL};
static const char *const memory_predictors[] = {"oracle", "formula", "noisy", NULL};
static const char *const holdouts[] = {"config", "model", NULL};

#define ASKED "Question"
#define TRUTH "Truth: what a run applies"
#define TOLD  "Prediction: what a policy is told"
#define ROW(name, kind, heading, ...)                                                              \
    .param = {.key = #name,                                                                        \
              .type = HS_PARAM_##kind,                                                             \
              .offset = offsetof(struct hs_predict_options, name),                                 \
              __VA_ARGS__},                                                                        \
    .group = heading

static const struct hs_option options_table[] = {
    {ROW(job, TEXT, ASKED, .unit = JOB_FORM,
         .help = "a configuration, or its key as printed: ResNet18/CIFAR-10/64/fp32; what is left "
                 "out is the first that the catalogue has"),
     .in_short_help = true},
    {ROW(with, TEXT, ASKED, .unit = JOB_FORM, .help = "a job on the same GPU; may be repeated"),
     .in_short_help = true, .is_repeated = true},
    {ROW(gpu, TEXT, ASKED, .unit = "TYPE", .help = "GPU type, such as V100"),
     .in_short_help = true},
    {ROW(list, FLAG, ASKED, .preset = "no",
         .help = "the models, datasets, precisions and batches that there are to ask about"),
     .in_short_help = true},
    {ROW(json, FLAG, ASKED, .preset = "no", .help = "everything as JSON; utilizations from 0 to 1"),
     .in_short_help = true},
    {ROW(profiles, TEXT, TRUTH, .preset = HS_BUILTIN "profiles.csv", .unit = "FILE",
         .help = "the catalogue of configurations")},
    {ROW(models, TEXT, TRUTH, .unit = "FILES",
         .help = "model files of 'horus calibrate', comma-separated, instead of the built-in ones "
                 "of their kind")},
    {ROW(interference, TEXT, TRUTH, .preset = "measured+fit", .unit = "MODEL",
         .help = "measured+fit, fit, const:X or none")},
    {ROW(gamma, REAL, TRUTH, .preset = "1", .min = 0, .max = 10,
         .help = "slowdowns to this power; 1: as measured")},
    {ROW(crowd, CHOICE, TRUTH, .preset = "additive", .choices = crowds,
         .help = "more than two jobs on a GPU")},
    {ROW(predictor, CHOICE, TOLD, .preset = "regress", .choices = predictors,
         .help = "utilization: the truth, the truth with the noise of one draw (the preset of a "
                 "run), other batches of the model, or a regression on its graph")},
    {ROW(predictor_holdout, CHOICE, TOLD, .preset = "config", .choices = holdouts,
         .help = "regress: fitted without this configuration, or without its model")},
    {ROW(util_noise, REAL, TOLD, .preset = "0.154", .max = 5,
         .help = "noisy: RMSLE of the utilization", .source = "Yeung et al. HotCloud'20")},
    {ROW(util_bias, REAL, TOLD, .preset = "0", .min = -5, .max = 5,
         .help = "noisy: mean of the log error")},
    {ROW(memory_predictor, CHOICE, TOLD, .preset = "oracle", .choices = memory_predictors,
         .help = "GPU memory: the truth, the formula of Horus, or noise")},
    {ROW(memory_noise, REAL, TOLD, .preset = "0.665", .max = 5,
         .help = "noisy: standard deviation of ln(estimate / truth)",
         .source = "the formula against 18 measurements of GPUMemNet")},
    {ROW(seed, INT, TOLD, .preset = "1", .max = 9e15, .help = "of the noise")},
    {.param = {.key = NULL}},
};

const struct hs_verb hs_verb_predict = {
    .name = "predict",
    .operands = "--job JOB --gpu TYPE",
    .summary = "What the models say of a job, or of jobs on one GPU.",
    .details =
        "Tells utilization, memory, time of a step and speed of each job alone, and slowdowns, "
        "utilization and memory of all of them on one GPU, each number with its source (measured, "
        "fitted to both jobs, general form of two utilizations, modelled for more than two jobs, "
        "extrapolated to a GPU type on which it was not measured) and the error on held-out rows. "
        "What a policy is told stands beside what a run applies. A batch that the catalogue does "
        "not have is told of twice: the row that a run takes for it, and the estimate.",
    .examples = {"predict --list", "predict --job ResNet18:64:amp --with LSTM:128 --gpu RTX3090",
                 "predict --job ResNet50:32 --with Transformer:64 --gpu V100 --json"},
    .options = options_table,
    .options_size = sizeof(struct hs_predict_options),
    .run = predict,
};
