/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate SUBJECT --data FILE...`: fits a model to measurements, prints its errors on
 * rows it has not seen, and writes the model file. `horus predict --job MODEL:BATCH [--with
 * MODEL:BATCH]... --gpu TYPE`: what the models say, every number with its source and its error, as
 * text and as JSON. `horus predict --list`: what there is to ask about.
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "calibrate/calibration.h"
#include "calibrate/score.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"
#include "cli/verbs/predict.h"

struct calibrate_options {
    const char *data, *output, *clean, *profiles, *rows;
    double overlap, ridge;
    bool keep_pairs;
};

/* An output may not be one of the inputs. */
static enum hs_status check_outputs(struct hs_call *call, const struct hs_calibrate_options *o)
{
    enum { PER_DATA = 1 + HS_MEASURE_FOLDER_FILES };
    const struct calibrate_options *given = call->options;
    const char *inputs[HS_CALIBRATE_DATA_MAX * PER_DATA + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->data_count; i++) {
        inputs[count++] = o->data[i];
        for (uint32_t f = 0; f < HS_MEASURE_FOLDER_FILES; f++) {
            size_t size = strlen(o->data[i]) + strlen(hs_measure_folder_files[f]) + 2;
            char *path = hs_arena_alloc(&call->arena, size);
            (void)snprintf(path, size, "%s/%s", o->data[i], hs_measure_folder_files[f]);
            inputs[count++] = path;
        }
    }
    inputs[count++] = given->profiles;
    if (given->output != NULL)
        HS_TRY(hs_wholefile_check(given->output, "-o", inputs, count, &call->diag));
    if (given->rows == NULL)
        return HS_OK;
    if (given->output != NULL && strcmp(given->rows, given->output) == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "write to two files",
                       "calibrate: --rows and -o are the same file");
    return hs_wholefile_check(given->rows, "--rows", inputs, count, &call->diag);
}

/* The table, and the model file if one was asked for. */
static enum hs_status fit(struct hs_call *call, const struct hs_calibration *subject,
                          const struct hs_calibrate_options *options)
{
    const struct calibrate_options *given = call->options;
    struct hs_wholefile file;
    struct hs_jsonw json;
    if (given->output == NULL)
        return hs_calibrate(subject, options, &call->out, NULL, &call->diag);
    HS_TRY(hs_wholefile_open(&file, given->output, &call->diag));
    hs_jsonw_begin(&json, &file.out);
    enum hs_status status = hs_calibrate(subject, options, &call->out, &json, &call->diag);
    if (status == HS_OK)
        hs_jsonw_finish(&json);
    return hs_wholefile_close(&file, status, &call->diag);
}

static const char *subject_at(size_t index)
{
    const struct hs_calibration *subject = hs_calibration_at(index);
    return subject != NULL ? subject->name : NULL;
}

static enum hs_status calibrate(struct hs_call *call)
{
    const struct calibrate_options *given = call->options;
    const char *rest = given->data, *path;
    uint32_t index;
    struct hs_calibrate_options options = {.overlap = given->overlap / 100,
                                           .ridge = given->ridge,
                                           .is_keeping_pairs = given->keep_pairs,
                                           .profiles = given->profiles,
                                           .rows = given->rows};
    HS_TRY(hs_word_find_at(subject_at, call->operands[0], "calibrate: unknown subject",
                           "'horus calibrate --help' lists them", &index, &call->diag));
    HS_TRY(hs_clean_parse(given->clean, &options.clean, &call->diag));
    if (rest == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "configs/models/README.md tells the forms",
                       "calibrate: --data is missing: the measurements to fit");
    while ((path = hs_option_next(&rest, &call->arena)) != NULL) {
        if (options.data_count == HS_CALIBRATE_DATA_MAX)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, NULL,
                           "calibrate: more than %d times --data", HS_CALIBRATE_DATA_MAX);
        options.data[options.data_count++] = path;
    }
    HS_TRY(check_outputs(call, &options));
    struct hs_wholefile rows = {.beside = ""};
    if (given->rows != NULL)
        HS_TRY(hs_wholefile_begin(&rows, given->rows, &call->diag));
    if (rows.beside[0] != '\0')
        options.rows = rows.beside;
    return hs_wholefile_end(&rows, fit(call, hs_calibration_at(index), &options), &call->diag);
}

#define OWNER struct calibrate_options
static const struct hs_option calibrate_table[] = {
    TEXT("data", data, "Data", NULL, "PATH",
         "measurements: a folder of Lucid's, a JSON of Gavel's, a CSV of your own; may be repeated",
         SHORT, REPEATED),
    TEXT("clean", clean, "Data", "default", "LIST",
         "cleaning steps: default, all, none, or a list of them", SHORT,
         .word_at = hs_clean_step_at),
    REAL("overlap", overlap, "Data", "5", 0, 100,
         "a pair whose joint utilization is lower than that of one job alone by more than this did "
         "not overlap",
         UNIT("%"), SOURCE("configs/models/README.md, step overlap: 2 to 20 change k by 0.07")),
    TEXT("profiles", profiles, "Data", HS_BUILTIN "profiles.csv", "FILE",
         "profile catalogue: families and graph features"),
    REAL("ridge", ridge, "Fit", "0", 0, 1e6, "strength of the ridge terms; 0: the subject's own"),
    TEXT("output", output, "Results", NULL, "FILE",
         "the model file to write; absent: only the table", LETTER('o'), SHORT),
    FLAG("keep_pairs", keep_pairs, "Results",
         "write the measured pairs, too, where their licence allows it"),
    TEXT("rows", rows, "Results", NULL, "FILE",
         "CSV of every row with observation and held-out prediction"),
    HS_OPTIONS_END,
};
#undef OWNER

const struct hs_verb hs_verb_calibrate = {
    .name = "calibrate",
    .operands = "SUBJECT",
    .word_at = subject_at,
    .summary = "Fit a model: interference, utilization, predictor, speed.",
    .details =
        "Reads the measurements, marks what the cleaning steps leave out (counted by reason), "
        "fits, cross-validates, prints a table and writes the model file that --models takes. "
        "Same data, same bytes. configs/models/README.md tells the forms and the errors to expect.",
    .examples = {"calibrate interference --data my-pairs.csv",
                 "calibrate interference --data lucid --data gavel/oracle_throughputs.json -o "
                 "interference.json",
                 "calibrate predictor --data configs/profiles.csv --data lucid"},
    .options = calibrate_table,
    .options_size = sizeof(struct calibrate_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = calibrate,
};

/* ==== predict ==== */

#define NAME_WIDTH   20
#define FIGURE_WIDTH 10
#define LABEL_SIZE   160
#define VALUES_MAX   64u
#define LIST_SIZE    1024
#define JOB_FORM     "MODEL[:BATCH[:PRECISION[:DATASET]]]"

/* A measured value is taken as such on another GPU type; a fitted one is extrapolated. */
static void figure_label(const struct hs_prediction *p, const struct hs_predicted_figure *f,
                         char text[LABEL_SIZE])
{
    (void)snprintf(text, LABEL_SIZE, "%.96s", f->source);
    if (f->is_raised)
        hs_append(text, LABEL_SIZE, "^%g", p->options->how.gamma);
    if (f->is_extrapolated)
        hs_append(text, LABEL_SIZE, "%s",
                  strncmp(f->source, "measured", 8) == 0 ? ", taken as such" : ", extrapolated");
}

/* ---- text ---- */

/* "      58.7 %", or "         -" and as many blanks. */
static void say_value(struct hs_output *out, double value, unsigned decimals, const char *unit)
{
    hs_say_number(out, value, decimals, FIGURE_WIDTH);
    hs_say(out, " %-3s", isnan(value) ? "" : unit);
}

static void say_line(struct hs_output *out, const struct hs_prediction *p, const char *name,
                     const struct hs_predicted_figure *f, double scale, unsigned decimals,
                     const char *unit)
{
    char label[LABEL_SIZE];
    figure_label(p, f, label);
    hs_say(out, "  %-*s", NAME_WIDTH, name);
    say_value(out, scale * f->value, decimals, unit);
    say_value(out, scale * f->error, decimals, unit);
    hs_say(out, "  %s\n", label);
}

/* The row of the catalogue that the figures are of. */
static const char *run_key(const struct hs_predicted_job *job)
{
    return job->taken != NULL ? job->taken : job->key;
}

static void say_alone(struct hs_output *out, const struct hs_prediction *p,
                      const struct hs_predicted_job *job)
{
    char name[64];
    hs_say(out, "%s alone on %s\n", job->key, p->types[0]);
    if (job->taken != NULL)
        hs_say(out, "  not in the catalogue; a run takes %s, whose figures these are\n",
               job->taken);
    hs_say(out, "  %-*s%*s    %*s      source\n", NAME_WIDTH, "", FIGURE_WIDTH, "value",
           FIGURE_WIDTH, "error");
    say_line(out, p, "utilization", &job->util, 100, 1, "%");
    say_line(out, p, "  a policy is told", &job->util_told, 100, 1, "%");
    if (job->has_estimate)
        say_line(out, p, job->taken != NULL ? "  estimated as asked" : "  estimated",
                 &job->util_estimated, 100, 1, "%");
    say_line(out, p, "GPU memory", &job->memory_mib, 1, 0, "MiB");
    say_line(out, p, "  a policy is told", &job->memory_told_mib, 1, 0, "MiB");
    say_line(out, p, "time of a step", &job->step_ms, 1, 2, "ms");
    for (uint32_t t = 1; t < p->type_count; t++) {
        (void)snprintf(name, sizeof name, "speed on %.40s", p->types[t]);
        say_line(out, p, name, &job->speeds[t], 1, 3, "x");
    }
}

/* Slowdown, speed, error and source of the speed. */
static void say_slowdown(struct hs_output *out, const struct hs_prediction *p,
                         const struct hs_predicted_figure *f, int width)
{
    char label[LABEL_SIZE];
    figure_label(p, f, label);
    hs_say_number(out, f->value, 3, 10);
    hs_say_number(out, 1 / f->value, 3, 8);
    hs_say_number(out, f->error, 3, 8);
    hs_say(out, "  %-*s", width, label);
}

static void widen(int *width, const char *text)
{
    *width = (int)strlen(text) > *width ? (int)strlen(text) : *width;
}

static void say_slowdowns(struct hs_output *out, const struct hs_prediction *p)
{
    char label[LABEL_SIZE];
    int width = NAME_WIDTH, label_width = 10;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        widen(&width, run_key(job));
        figure_label(p, &job->slowdown, label);
        widen(&label_width, label);
        figure_label(p, p->has_estimate ? &job->slowdown_estimated : &job->slowdown, label);
        widen(&label_width, label);
    }
    hs_say(out, "  %-*s%10s%8s%8s  %-*s%10s%8s  %s\n", width, "", "slowdown", "speed", "error",
           label_width, "source", "told", "error", "source");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        hs_say(out, "  %-*s", width, run_key(job));
        say_slowdown(out, p, &job->slowdown, label_width);
        figure_label(p, &job->slowdown_told, label);
        hs_say_number(out, job->slowdown_told.value, 3, 10);
        hs_say_number(out, job->slowdown_told.error, 3, 8);
        hs_say(out, "  %s\n", label);
        if (!p->has_estimate)
            continue;
        hs_say(out, "  %-*s", width, "  estimated as asked");
        say_slowdown(out, p, &job->slowdown_estimated, 0);
        hs_say(out, "\n");
    }
}

static void say_prediction(struct hs_output *out, const struct hs_prediction *p)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        if (i > 0)
            hs_say(out, "\n");
        say_alone(out, p, &p->jobs[i]);
    }
    if (p->count > 1) {
        hs_say(out, "\n%" PRIu32 " jobs on one %s\n", p->count, p->types[0]);
        say_slowdowns(out, p);
        say_line(out, p, "utilization", &p->util, 100, 1, "%");
        say_line(out, p, "GPU memory", &p->memory_mib, 1, 0, "MiB");
        hs_say(out, "  %-*s", NAME_WIDTH, "with the reserve");
        hs_say_number(out, p->memory_mib.value + p->reserve_mib, 0, FIGURE_WIDTH);
        hs_say(out, "%s\n", isnan(p->memory_mib.value) ? "" : " MiB");
    }
    for (uint32_t i = 0; i < p->count && unknown == NULL; i++)
        if (isnan(p->jobs[i].memory_mib.value))
            unknown = run_key(&p->jobs[i]);
    hs_say(out, "  fits one %s", p->types[0]);
    if (p->capacity_mib > 0)
        hs_say(out, " of %" PRIu32 " MiB", p->capacity_mib);
    if (p->knows_fit)
        hs_say(out, ": %s\n", p->fits ? "yes" : "no");
    else if (p->capacity_mib == 0)
        hs_say(out, ": the memory of this GPU type is not known\n");
    else
        hs_say(out, ": the memory that %s needs is not known\n", unknown);
    hs_say(out, "\ntold: by %s; a run's preset: %s.\n", p->predictor, p->run_predictor);
    hs_say(out,
           "error: root mean square on held-out rows (of the speed, beside a slowdown); mean "
           "absolute for\nspeeds, times and sums of memory. '-': measured, exact, extrapolated or "
           "not known.\n");
    if (p->options->how.gamma != 1)
        hs_say(
            out,
            "^%g: slowdowns of pairs to this power (--gamma), which nobody measured: no error.\n",
            p->options->how.gamma);
}

/* ---- JSON ---- */

static void figure(struct hs_jsonw *w, const struct hs_prediction *p, const char *key,
                   const char *error_key, const struct hs_predicted_figure *f)
{
    hs_jsonw_put(w, "%s={ value=%.6g %s=%.6g source=%s", key, f->value, error_key, f->error,
                 f->source);
    if (f->is_raised)
        hs_jsonw_put(w, "gamma=%.6g", p->options->how.gamma);
    if (f->is_extrapolated)
        hs_jsonw_put(w, "extrapolated=%d", true);
    hs_jsonw_put(w, "}");
}

static void prediction_json(struct hs_output *out, const struct hs_prediction *p)
{
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    hs_jsonw_put(&w, "={ gpu=%s predictor=%s run_predictor=%s jobs=[", p->types[0], p->predictor,
                 p->run_predictor);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        hs_jsonw_put(&w, "={ asked=%s profile=%s run_profile=%s", job->asked, job->key,
                     run_key(job));
        figure(&w, p, "util", "rmse", &job->util);
        if (job->has_estimate)
            figure(&w, p, "util_estimated", "rmse", &job->util_estimated);
        figure(&w, p, "util_told", "rmse", &job->util_told);
        figure(&w, p, "memory_mib", "rmse", &job->memory_mib);
        figure(&w, p, "memory_told_mib", "rmse", &job->memory_told_mib);
        figure(&w, p, "step_ms", "mean_absolute_error", &job->step_ms);
        hs_jsonw_put(&w, "speed={");
        for (uint32_t t = 0; t < p->type_count; t++)
            figure(&w, p, p->types[t], "mean_absolute_error", &job->speeds[t]);
        hs_jsonw_put(&w, "}");
        if (p->count > 1) {
            figure(&w, p, "slowdown", "speed_rmse", &job->slowdown);
            if (p->has_estimate)
                figure(&w, p, "slowdown_estimated", "speed_rmse", &job->slowdown_estimated);
            figure(&w, p, "slowdown_told", "speed_rmse", &job->slowdown_told);
        }
        hs_jsonw_put(&w, "}");
    }
    hs_jsonw_put(&w, "] together={");
    figure(&w, p, "util", "rmse", &p->util);
    figure(&w, p, "memory_mib", "mean_absolute_error", &p->memory_mib);
    hs_jsonw_put(&w, "reserve_mib=%u capacity_mib=%.6g", p->reserve_mib,
                 p->capacity_mib > 0 ? (double)p->capacity_mib : (double)NAN);
    hs_jsonw_key(&w, "fits");
    if (p->knows_fit)
        hs_jsonw_put(&w, "=%d", p->fits);
    else
        hs_jsonw_text(&w, NULL);
    hs_jsonw_put(&w, "} }");
    hs_jsonw_finish(&w);
}

/* ---- --list: a line has all rows with the model and dataset of row `first` ---- */

enum column { BATCHES, PRECISIONS, GPUS };

static bool are_grouped(const struct hs_catalogue *c, uint32_t a, uint32_t b)
{
    const struct hs_profile *one = &c->profiles[a], *other = &c->profiles[b];
    return strcmp(one->model, other->model) == 0 && strcmp(one->dataset, other->dataset) == 0;
}

/* Different values of a column, of all members or of those of one precision: batches from the
 * smallest, anything else in the order of the catalogue. */
static uint32_t collect(const struct hs_catalogue *c, uint32_t first, enum column column,
                        const char *precision, const char *values[VALUES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = first; i < c->count && count < VALUES_MAX; i++) {
        const struct hs_profile *row = &c->profiles[i];
        const char *const columns[] = {row->batch, row->precision, row->gpu};
        const char *value = columns[column];
        uint32_t at = 0;
        if (!are_grouped(c, first, i) ||
            (precision != NULL && strcmp(row->precision, precision) != 0))
            continue;
        while (at < count && strcmp(values[at], value) != 0)
            at++;
        if (at < count)
            continue;
        for (at = count++; at > 0 && column == BATCHES; at--) {
            /* decimal numbers without leading zeros: the longer is the larger */
            size_t before = strlen(values[at - 1]), len = strlen(value);
            if (before != len ? before < len : strcmp(values[at - 1], value) < 0)
                break;
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
    return count;
}

/* "16 32 64"; a model without batches has '-'. */
static void join(const struct hs_catalogue *c, uint32_t first, enum column column,
                 const char *precision, char text[LIST_SIZE])
{
    const char *values[VALUES_MAX];
    uint32_t count = collect(c, first, column, precision, values);
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        hs_append(text, LIST_SIZE, "%s%s", i > 0 ? " " : "",
                  values[i][0] != '\0' ? values[i] : "-");
}

/* Batches are "fp32, amp: 64 128" where both precisions have the same, else "fp32: 64 128; amp:
 * 64".
 */
static void say_group(struct hs_output *out, const struct hs_catalogue *c, uint32_t first)
{
    char gpus[LIST_SIZE], batches[LIST_SIZE], before[LIST_SIZE] = "";
    const char *precisions[VALUES_MAX];
    const struct hs_profile *row = &c->profiles[first];
    uint32_t count = collect(c, first, PRECISIONS, NULL, precisions);
    join(c, first, GPUS, NULL, gpus);
    hs_say(out, "%-18s %-14s %-18s ", row->model, row->dataset[0] != '\0' ? row->dataset : "-",
           gpus);
    for (uint32_t i = 0; i < count; i++) {
        join(c, first, BATCHES, precisions[i], batches);
        if (i > 0 && strcmp(batches, before) == 0)
            hs_say(out, ", %s", precisions[i]);
        else
            hs_say(out, "%s%s%s%s", i > 0 ? ": " : "", before, i > 0 ? "; " : "", precisions[i]);
        memcpy(before, batches, sizeof before);
    }
    hs_say(out, ": %s\n", before);
}

static void list_json(struct hs_jsonw *w, const char *key, const struct hs_catalogue *c,
                      uint32_t first, enum column column, const char *precision)
{
    const char *values[VALUES_MAX];
    uint32_t count = collect(c, first, column, precision, values);
    hs_jsonw_put(w, "%s=![", key);
    for (uint32_t i = 0; i < count; i++)
        if (values[i][0] != '\0')
            hs_jsonw_text(w, values[i]);
    hs_jsonw_put(w, "]");
}

static enum hs_status predict_list(struct hs_output *out, const struct hs_predict_options *options,
                                   struct hs_diag *diag)
{
    struct hs_catalogue catalogue = {0};
    const char *precisions[VALUES_MAX];
    struct hs_jsonw w;
    HS_TRY(hs_catalogue_load(&catalogue, options->profiles, diag));
    hs_jsonw_begin(&w, out);
    if (options->json)
        hs_jsonw_put(&w, "=[");
    else
        hs_say(out, "%-18s %-14s %-18s %s\n", "model", "dataset", "measured on",
               "precision: batches");
    for (uint32_t i = 0; i < catalogue.count; i++) {
        uint32_t first = 0;
        while (!are_grouped(&catalogue, first, i))
            first++;
        if (first < i)
            continue;
        if (!options->json) {
            say_group(out, &catalogue, i);
            continue;
        }
        uint32_t count = collect(&catalogue, i, PRECISIONS, NULL, precisions);
        hs_jsonw_put(&w, "={ model=%s dataset=%s", catalogue.profiles[i].model,
                     catalogue.profiles[i].dataset);
        list_json(&w, "gpus", &catalogue, i, GPUS, NULL);
        hs_jsonw_put(&w, "batches={");
        for (uint32_t k = 0; k < count; k++)
            list_json(&w, precisions[k], &catalogue, i, BATCHES, precisions[k]);
        hs_jsonw_put(&w, "} }");
    }
    if (options->json) {
        hs_jsonw_put(&w, "]");
        hs_jsonw_finish(&w);
    }
    hs_catalogue_free(&catalogue);
    return HS_OK;
}

/* ---- the verb ---- */

static enum hs_status predict(struct hs_call *call)
{
    const struct hs_predict_options *options = call->options;
    struct hs_prediction *p = hs_arena_alloc(&call->arena, sizeof *p);
    if (options->list)
        return predict_list(&call->out, options, &call->diag);
    if (options->job == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "for example --job ResNet18:64:amp; --list tells what there is",
                       "predict: --job is missing: " JOB_FORM);
    if (options->gpu == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "for example --gpu V100",
                       "predict: --gpu is missing: the GPU type to ask about");
    enum hs_status status = hs_predict(p, options, &call->diag);
    if (status == HS_OK)
        (options->json ? prediction_json : say_prediction)(&call->out, p);
    hs_prediction_free(p);
    return status;
}

#define ASKED "Question"
#define TRUTH "Truth: what a run applies"
#define TOLD  "Prediction: what a policy is told"
#define OWNER struct hs_predict_options

static const struct hs_option predict_table[] = {
    TEXT("job", job, ASKED, NULL, JOB_FORM,
         "a configuration, or its key as printed: ResNet18/CIFAR-10/64/fp32; what is left out is "
         "the first that the catalogue has",
         SHORT),
    TEXT("with", with, ASKED, NULL, JOB_FORM, "a job on the same GPU; may be repeated", SHORT,
         REPEATED),
    TEXT("gpu", gpu, ASKED, NULL, "TYPE", "GPU type, such as V100", SHORT),
    FLAG("list", list, ASKED,
         "the models, datasets, precisions and batches that there are to ask about", SHORT),
    FLAG("json", json, ASKED, "everything as JSON; utilizations from 0 to 1", SHORT),
    TEXT("profiles", profiles, TRUTH, HS_BUILTIN "profiles.csv", "FILE",
         "the catalogue of configurations"),
    TEXT("models", models, TRUTH, NULL, "FILES",
         "model files of 'horus calibrate', comma-separated, instead of the built-in ones of their "
         "kind"),
    TEXT("interference", interference, TRUTH, "measured+fit", "MODEL",
         "measured+fit, fit, const:X or none"),
    REAL("gamma", how.gamma, TRUTH, "1", 0, 10, "slowdowns to this power; 1: as measured"),
    CHOICE("crowd", how.crowd, TRUTH, "additive", hs_crowds, "more than two jobs on a GPU"),
    CHOICE("predictor", told.kind, TOLD, "regress", hs_predictors,
           "utilization: the truth, the truth with the noise of one draw (the preset of a run), "
           "other batches of the model, or a regression on its graph"),
    CHOICE("predictor_holdout", told.holdout, TOLD, "config", hs_holdouts,
           "regress: fitted without this configuration, or without its model"),
    REAL("util_noise", told.util_rmsle, TOLD, "0.154", 0, 5, "noisy: RMSLE of the utilization",
         SOURCE("Yeung et al. HotCloud'20")),
    REAL("util_bias", told.util_bias, TOLD, "0", -5, 5, "noisy: mean of the log error"),
    CHOICE("memory_predictor", told.memory, TOLD, "oracle", hs_memory_predictors,
           "GPU memory: the truth, the formula of Horus, or noise"),
    REAL("memory_noise", told.mem_ln_sd, TOLD, "0.665", 0, 5,
         "noisy: standard deviation of ln(estimate / truth)",
         SOURCE("the formula against 18 measurements of GPUMemNet")),
    INT("seed", told.seed, TOLD, "1", 0, 9e15, "of the noise"),
    HS_OPTIONS_END,
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
    .options = predict_table,
    .options_size = sizeof(struct hs_predict_options),
    .run = predict,
};
