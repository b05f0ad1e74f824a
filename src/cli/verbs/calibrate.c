/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate SUBJECT --data FILE...`: fits a model to measurements, prints its errors on
 * rows it has not seen, and writes the model file.
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "calibrate/calibration.h"
#include "cli/cli.h"
#include "cli/option_rows.h"

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

static const struct hs_option options_table[] = {
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
    .options = options_table,
    .options_size = sizeof(struct calibrate_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = calibrate,
};
