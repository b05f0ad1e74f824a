/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate SUBJECT --data FILE...`: fits a model from measurements, tells how good it is on
 * rows it has not seen, and writes the model file.
 */
#include <stdio.h>
#include <string.h>

#include "base/builtin.h"
#include "base/wholefile.h"
#include "calibrate/calibration.h"
#include "cli/cli.h"

struct calibrate_options {
    const char *data, *output, *clean, *profiles, *rows;
    double overlap, ridge;
    bool keep_pairs;
};

static enum hs_status find_subject(const char *name, const struct hs_calibration **subject,
                                   struct hs_diag *diag)
{
    enum { SUBJECTS_MAX = 16 };
    const char *names[SUBJECTS_MAX] = {NULL};
    size_t count = 0;
    while (count < SUBJECTS_MAX && (*subject = hs_calibration_at(count)) != NULL) {
        if (strcmp((*subject)->name, name) == 0)
            return HS_OK;
        names[count++] = (*subject)->name;
    }
    char hint[128];
    const char *nearest = hs_nearest(name, names, count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    else
        (void)snprintf(hint, sizeof hint, "'horus calibrate --help' lists them");
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "calibrate: unknown subject '%s'", name);
}

/* Splits the values of --data, one a line. */
static enum hs_status take_data(struct hs_call *call, struct hs_calibrate_options *out)
{
    const struct calibrate_options *given = call->options;
    const char *rest = given->data;
    if (rest == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "configs/models/README.md tells the forms",
                       "calibrate: --data is missing: the measurements to fit");
    while (*rest != '\0') {
        size_t len = strcspn(rest, "\n");
        if (out->data_count == HS_CALIBRATE_DATA_MAX)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, NULL,
                           "calibrate: more than %d times --data", HS_CALIBRATE_DATA_MAX);
        out->data[out->data_count] = hs_arena_text(&call->arena, rest, len);
        if (out->data[out->data_count++] == NULL)
            return hs_fail(&call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
        rest += len + (rest[len] == '\n');
    }
    return HS_OK;
}

/* Nothing that is read may be written to. */
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
            if (path == NULL)
                return hs_fail(&call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
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
        return subject->run(options, &call->out, NULL, &call->diag);
    HS_TRY(hs_wholefile_open(&file, given->output, &call->diag));
    hs_jsonw_begin(&json, &file.out);
    enum hs_status status = subject->run(options, &call->out, &json, &call->diag);
    if (status == HS_OK)
        hs_jsonw_finish(&json);
    return hs_wholefile_close(&file, status, &call->diag);
}

static enum hs_status calibrate(struct hs_call *call)
{
    const struct calibrate_options *given = call->options;
    const struct hs_calibration *subject;
    struct hs_calibrate_options options = {.overlap = given->overlap / 100,
                                           .ridge = given->ridge,
                                           .is_keeping_pairs = given->keep_pairs,
                                           .profiles = given->profiles,
                                           .rows = given->rows};
    HS_TRY(find_subject(call->operands[0], &subject, &call->diag));
    HS_TRY(hs_clean_parse(given->clean, &options.clean, &call->diag));
    HS_TRY(take_data(call, &options));
    HS_TRY(check_outputs(call, &options));
    struct hs_wholefile rows = {.beside = ""};
    if (given->rows != NULL)
        HS_TRY(hs_wholefile_begin(&rows, given->rows, &call->diag));
    if (rows.beside[0] != '\0')
        options.rows = rows.beside;
    return hs_wholefile_end(&rows, fit(call, subject, &options), &call->diag);
}

#define AT(field) offsetof(struct calibrate_options, field)

static const struct hs_option options_table[] = {
    {.param = {.key = "data",
               .type = HS_PARAM_TEXT,
               .offset = AT(data),
               .unit = "PATH",
               .help = "measurements: a folder of Lucid's, a JSON of Gavel's, a CSV of your own; "
                       "may be repeated"},
     .group = "Data",
     .in_short_help = true,
     .is_repeated = true},
    {.param = {.key = "clean",
               .type = HS_PARAM_TEXT,
               .offset = AT(clean),
               .preset = "default",
               .unit = "LIST",
               .help = "cleaning steps: default, all, none, or a list of them"},
     .group = "Data",
     .in_short_help = true,
     .word_at = hs_clean_step_at},
    {.param = {.key = "overlap",
               .type = HS_PARAM_REAL,
               .offset = AT(overlap),
               .preset = "5",
               .min = 0,
               .max = 100,
               .unit = "%",
               .help = "a pair whose joint utilization is lower than that of one job alone by more "
                       "than this did not overlap",
               .source = "configs/models/README.md, step overlap: 2 to 20 change k by 0.07"},
     .group = "Data"},
    {.param = {.key = "profiles",
               .type = HS_PARAM_TEXT,
               .offset = AT(profiles),
               .preset = HS_BUILTIN "profiles.csv",
               .unit = "FILE",
               .help = "profile catalogue: families and graph features"},
     .group = "Data"},
    {.param = {.key = "ridge",
               .type = HS_PARAM_REAL,
               .offset = AT(ridge),
               .preset = "0",
               .min = 0,
               .max = 1e6,
               .help = "strength of the ridge terms; 0: the subject's own"},
     .group = "Fit"},
    {.param = {.key = "output",
               .type = HS_PARAM_TEXT,
               .offset = AT(output),
               .unit = "FILE",
               .help = "the model file to write; absent: only the table"},
     .letter = 'o',
     .group = "Results",
     .in_short_help = true},
    {.param = {.key = "keep_pairs",
               .type = HS_PARAM_FLAG,
               .offset = AT(keep_pairs),
               .preset = "no",
               .help = "write the measured pairs, too, where their licence allows it"},
     .group = "Results"},
    {.param = {.key = "rows",
               .type = HS_PARAM_TEXT,
               .offset = AT(rows),
               .unit = "FILE",
               .help = "CSV of every row with observation and held-out prediction"},
     .group = "Results"},
    {.param = {.key = NULL}},
};

static const char *subject_at(size_t index)
{
    const struct hs_calibration *subject = hs_calibration_at(index);
    return subject != NULL ? subject->name : NULL;
}

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
