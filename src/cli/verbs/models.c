/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate SUBJECT --data FILE...`: fits a model to measurements, prints its errors on
 * held-out rows, and writes the model file. `horus predict --list`: lists the models of a
 * catalogue.
 */
#include <stdio.h>

#include "calibrate/calibration.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"

struct calibrate_options {
    const char *data, *output, *clean, *profiles, *rows, *reference;
    double overlap, ridge;
    bool force, keep_pairs;
};

/* Refuses an output that is one of the inputs. */
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
        HS_TRY(hs_wholefile_check(given->output, "-o", given->force, inputs, count, &call->diag));
    if (given->rows == NULL)
        return HS_OK;
    if (given->output != NULL && strcmp(given->rows, given->output) == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "write to two files",
                       "calibrate: --rows and -o are the same file");
    return hs_wholefile_check(given->rows, "--rows", given->force, inputs, count, &call->diag);
}

/* Prints the table, and writes the model file if requested. */
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
                                           .reference = given->reference,
                                           .rows = given->rows};
    HS_TRY(hs_word_find_at(subject_at, call->operands[0], "calibrate: unknown subject",
                           "'horus calibrate --help' lists them", &index, &call->diag));
    HS_TRY(hs_clean_parse(given->clean, &options.clean, &call->diag));
    if (rest == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "configs/models/README.md has the forms",
                       "calibrate: --data is missing: the measurements to fit");
    while ((path = hs_option_next(&rest, &call->arena)) != NULL) {
        if (options.data_count == HS_CALIBRATE_DATA_MAX)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, NULL,
                           "calibrate: more than %d times --data", HS_CALIBRATE_DATA_MAX);
        options.data[options.data_count++] = path;
    }
    HS_TRY(check_outputs(call, &options));
    struct hs_wholefile rows = {0};
    if (given->rows != NULL)
        HS_TRY(hs_wholefile_begin(&rows, given->rows, &call->diag));
    if (rows.beside.is_open)
        options.rows = rows.beside.tmp;
    return hs_wholefile_end(&rows, fit(call, hs_calibration_at(index), &options), &call->diag);
}

#define OWNER struct calibrate_options
static const struct hs_option calibrate_table[] = {
    TEXT("data", data, "Data", NULL, "PATH",
         "measurements: Lucid's folder, a JSON file of Gavel, or your own CSV; may be repeated",
         SHORT, REPEATED),
    TEXT("clean", clean, "Data", "default", "LIST",
         "cleaning steps: default, all, none, or a list of them", SHORT,
         .word_at = hs_clean_step_at),
    REAL("overlap", overlap, "Data", "5", 0, 100,
         "a pair counts as not overlapping if its joint utilization is lower than that of one of "
         "its jobs alone by more than this",
         UNIT("%"), SOURCE("configs/models/README.md, step overlap: 2 to 20 change k by 0.07")),
    TEXT("profiles", profiles, "Data", HS_BUILTIN "profiles.csv", "FILE",
         "catalogue of profiles, with model families and graph features"),
    REAL("ridge", ridge, "Fit", "0", 0, 1e6,
         "strength of the ridge terms; 0: the default of the subject"),
    TEXT("reference", reference, "Fit", NULL, "TYPE",
         "speed: the GPU type that speeds are relative to; jobs that were not measured on it are "
         "excluded; absent: the fastest type"),
    TEXT("output", output, "Results", NULL, "FILE",
         "the model file to write; absent: only the table is printed", LETTER('o'), SHORT),
    FLAG("keep_pairs", keep_pairs, "Results",
         "also write the measured pairs, where their licence allows it"),
    TEXT("rows", rows, "Results", NULL, "FILE",
         "CSV to write with the observation and held-out prediction of every row"),
    REPLACE("Results"),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_calibrate = {
    .name = "calibrate",
    .operands = "SUBJECT",
    .word_at = subject_at,
    .summary = "Fit a model: interference, utilization, predictor, speed.",
    .details = "Reads measurements, excludes the rows that the cleaning steps reject (counted by "
               "reason), fits a model, cross-validates it, prints a table and writes the model "
               "file for --models. The same data give the same bytes. configs/models/README.md has "
               "the forms of the models and the errors to expect.",
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

#define VALUES_MAX 64u
#define LIST_SIZE  1024

/* ---- --list: a line has all rows with the model and dataset of row `first` ---- */

enum column { BATCHES, PRECISIONS, GPUS };

static bool are_grouped(const struct hs_catalogue *c, uint32_t a, uint32_t b)
{
    const struct hs_profile *one = &c->profiles[a], *other = &c->profiles[b];
    return strcmp(one->model, other->model) == 0 && strcmp(one->dataset, other->dataset) == 0;
}

/* Collects distinct values of a column, of all members or those with one precision: batches
 * ascending, others in catalogue order. */
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
            /* decimal numbers without leading zeros: the longer is larger */
            size_t before = strlen(values[at - 1]), len = strlen(value);
            if (before != len ? before < len : strcmp(values[at - 1], value) < 0)
                break;
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
    return count;
}

/* Formats "16 32 64"; '-' for a model without batches. */
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

/* Formats batches "fp32, amp: 64 128" if both precisions have the same, else "fp32: 64 128; amp:
 * 64". */
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

enum hs_status hs_predict_list(struct hs_output *out, const char *profiles, bool as_json,
                               struct hs_diag *diag)
{
    struct hs_catalogue catalogue = {0};
    const char *precisions[VALUES_MAX];
    struct hs_jsonw w;
    HS_TRY(hs_catalogue_load(&catalogue, profiles, diag));
    hs_jsonw_begin(&w, out);
    if (as_json)
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
        if (!as_json) {
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
    if (as_json) {
        hs_jsonw_put(&w, "]");
        hs_jsonw_finish(&w);
    }
    hs_catalogue_free(&catalogue);
    return HS_OK;
}
