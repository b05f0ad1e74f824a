/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the profile catalogue: a CSV with a header, one row a configuration, columns in any order
 * (configs/README.md documents them). An empty field is unknown; what is wrong is an error at its
 * place, for a catalogue is small and written by hand.
 */
#include "model/profile.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fractions.h"
#include "base/io.h"
#include "base/timeparse.h"
#include "data/csvhead.h"
#include "model/profile_private.h"

const char *const hs_feature_names[HS_FEATURE_COUNT] = {
#define HS_FEATURE_TEXT(name, text) text,
    HS_FEATURE_LIST(HS_FEATURE_TEXT)
#undef HS_FEATURE_TEXT
};

#define SOURCE_PREFIX "source_" /* columns that say where figures come from, for readers */

enum column {
    MODEL,
    DATASET,
    BATCH,
    PRECISION,
    FAMILY,
    DISTRIBUTED,
    GPU,
    UTIL,
    UTIL_PEAK,
    BW_UTIL,
    MEM,
    MEM_PERSISTENT,
    STEP,
    HOST,
    CHECKPOINT,
    CPUS,
    SKEW,
    FEATURES,
    COLUMN_COUNT = FEATURES + HS_FEATURE_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {"model",
                                                       "dataset",
                                                       "batch",
                                                       "precision",
                                                       "family",
                                                       "distributed",
                                                       "gpu",
                                                       "util",
                                                       "util_peak",
                                                       "bw_util",
                                                       "mem_mib",
                                                       "mem_persistent_mib",
                                                       "step_ms",
                                                       "host_ms",
                                                       "checkpoint_mib",
                                                       "cpus",
                                                       "skew",
#define HS_FEATURE_TEXT(name, text) text,
                                                       HS_FEATURE_LIST(HS_FEATURE_TEXT)
#undef HS_FEATURE_TEXT
};

struct reader {
    struct hs_catalogue *catalogue;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[COLUMN_COUNT]; /* field of a column; UINT32_MAX = not in the file */
    uint32_t field_count;
    struct hs_fractions utils;
    struct hs_diag *diag;
};

/* ---- header ---- */

static enum hs_status read_header(struct reader *r)
{
    static const struct hs_csv_head head = {
        .names = column_names,
        .count = COLUMN_COUNT,
        .notes = SOURCE_PREFIX,
        .hint = "configs/README.md lists the columns; notes go into columns named source_..."};
    enum hs_status status = hs_csv_next(r->csv, &r->row);
    struct hs_place place = hs_csv_place(r->csv, 0);
    if (status == HS_END)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the first line names the columns",
                       "the catalogue is empty");
    HS_TRY(status);
    HS_TRY(hs_csv_bind(r->csv, &r->row, &head, r->at, r->diag));
    if (r->at[MODEL] == UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place, "a profile is found by its model's name",
                       "missing column 'model'");
    r->field_count = r->row.count;
    return HS_OK;
}

/* ---- fields ---- */

static const char *field_text(const struct reader *r, enum column c)
{
    return r->at[c] == UINT32_MAX ? "" : r->row.fields[r->at[c]];
}

HS_PRINTF(4, 5)
static enum hs_status fail_field(struct reader *r, enum column c, const char *hint, const char *fmt,
                                 ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct hs_place place = hs_csv_place(r->csv, r->at[c] == UINT32_MAX ? 0 : r->at[c]);
    return hs_fail(r->diag, HS_E_INPUT, &place, hint, "%s", text);
}

/* NaN where the field is empty. */
static enum hs_status read_number(struct reader *r, enum column c, double max, double *value)
{
    const char *text = field_text(r, c);
    *value = NAN;
    if (text[0] == '\0')
        return HS_OK;
    if (!hs_parse_double(text, strlen(text), value))
        return fail_field(r, c, "a number, or nothing where it is unknown",
                          "%s is not a number: '%.64s'", column_names[c], text);
    if (*value < 0)
        return fail_field(r, c, "leave the field empty where the figure is unknown",
                          "%s is negative: '%.64s'", column_names[c], text);
    if (*value > max)
        return fail_field(r, c, max == 100 ? "it is a percentage, 0 to 100" : NULL,
                          "%s is more than %.0f: '%.64s'", column_names[c], max, text);
    return HS_OK;
}

/* Percent to permille; `unknown` where the field is empty. */
static enum hs_status read_percent(struct reader *r, enum column c, int32_t unknown, int32_t *pm)
{
    double percent;
    HS_TRY(read_number(r, c, 100, &percent));
    *pm = isnan(percent) ? unknown : (int32_t)floor(percent * 10 + 0.5);
    return HS_OK;
}

/* Rounded up, so that what is said to fit does. */
static enum hs_status read_mib(struct reader *r, enum column c, uint32_t *mib)
{
    double value;
    HS_TRY(read_number(r, c, (double)(1u << 30), &value));
    *mib = isnan(value) ? 0 : (uint32_t)ceil(value);
    return HS_OK;
}

static enum hs_status read_text(struct reader *r, enum column c, const char **text)
{
    const char *field = field_text(r, c);
    if (strchr(field, '/') != NULL)
        return fail_field(r, c, "'/' separates the parts of a profile's key",
                          "%s contains '/': '%.64s'", column_names[c], field);
    *text = hs_arena_text(&r->catalogue->arena, field, strlen(field));
    return *text == NULL ? HS_E_MEMORY : HS_OK;
}

static enum hs_status read_yes_no(struct reader *r, enum column c, bool *value)
{
    const char *text = field_text(r, c);
    *value = strcmp(text, "yes") == 0;
    if (*value || text[0] == '\0' || strcmp(text, "no") == 0)
        return HS_OK;
    return fail_field(r, c, "yes or no", "%s is neither yes nor no: '%.64s'", column_names[c],
                      text);
}

/* ---- rows ---- */

static enum hs_status read_names(struct reader *r, struct hs_profile *p)
{
    HS_TRY(read_text(r, MODEL, &p->model));
    HS_TRY(read_text(r, DATASET, &p->dataset));
    HS_TRY(read_text(r, BATCH, &p->batch));
    HS_TRY(read_text(r, PRECISION, &p->precision));
    HS_TRY(read_text(r, FAMILY, &p->family));
    HS_TRY(read_text(r, GPU, &p->gpu));
    if (p->model[0] == '\0')
        return fail_field(r, MODEL, "every row names its model", "the model's name is empty");
    int64_t batch;
    if (p->batch[0] != '\0' &&
        (!hs_parse_int64(p->batch, strlen(p->batch), &batch) || batch < 1 || batch > INT32_MAX))
        return fail_field(r, BATCH, "samples per step, at least 1; empty for a model without",
                          "batch is not a positive number: '%.64s'", p->batch);
    return HS_OK;
}

/* Enters the key; a second row of the same key is an error, for one of them would never be used. */
static enum hs_status read_key(struct reader *r, struct hs_profile *p)
{
    struct hs_catalogue *catalogue = r->catalogue;
    char key[HS_PROFILE_KEY_MAX], folded[HS_PROFILE_KEY_MAX];
    int len =
        snprintf(key, sizeof key, "%s/%s/%s/%s", p->model, p->dataset, p->batch, p->precision);
    if (len < 0 || (size_t)len >= sizeof key)
        return fail_field(r, MODEL, NULL,
                          "model, dataset, batch and precision have more than %zu "
                          "bytes together",
                          sizeof key - 4);
    hs_profile_fold(key, folded, sizeof folded);
    p->key = hs_arena_text(&catalogue->arena, key, (size_t)len);
    if (p->key == NULL)
        return HS_E_MEMORY;
    uint32_t id;
    HS_TRY(hs_intern_get(&catalogue->keys, folded, &id));
    if (id <= catalogue->count)
        return fail_field(r, MODEL, "names are compared without case, '-', '_' and blanks",
                          "profile '%s' appears twice: it is the same as '%s'", key,
                          catalogue->profiles[id - 1].key);
    return HS_OK;
}

static enum hs_status read_figures(struct reader *r, struct hs_profile *p)
{
    HS_TRY(read_percent(r, UTIL, -1, &p->util_pm));
    if (p->util_pm >= 0) /* a row without says nothing about the others */
        hs_fractions_count(&r->utils, p->util_pm);
    HS_TRY(read_percent(r, UTIL_PEAK, p->util_pm, &p->util_peak_pm));
    HS_TRY(read_percent(r, BW_UTIL, -1, &p->bw_util_pm));
    if (p->util_peak_pm < p->util_pm)
        return fail_field(r, UTIL_PEAK, "a peak is at least the mean", "util_peak is below util");
    HS_TRY(read_mib(r, MEM, &p->mem_mib));
    HS_TRY(read_mib(r, MEM_PERSISTENT, &p->mem_persistent_mib));
    if (p->mem_mib > 0 && p->mem_persistent_mib > p->mem_mib)
        return fail_field(r, MEM_PERSISTENT, "what stays between iterations is part of mem_mib",
                          "mem_persistent_mib is more than mem_mib");
    HS_TRY(read_mib(r, CHECKPOINT, &p->checkpoint_mib));
    HS_TRY(read_number(r, STEP, HUGE_VAL, &p->step_ms));
    HS_TRY(read_number(r, HOST, HUGE_VAL, &p->host_ms));
    HS_TRY(read_number(r, CPUS, HUGE_VAL, &p->cpus));
    HS_TRY(read_percent(r, SKEW, -1, &p->skew_pm));
    for (uint32_t f = 0; f < HS_FEATURE_COUNT; f++)
        HS_TRY(read_number(r, (enum column)(FEATURES + f), HUGE_VAL, &p->features[f]));
    return read_yes_no(r, DISTRIBUTED, &p->is_distributed);
}

static enum hs_status read_row(struct reader *r)
{
    struct hs_catalogue *catalogue = r->catalogue;
    if (r->row.count != r->field_count) {
        struct hs_place place = hs_csv_place(r->csv, r->row.count);
        return hs_fail(r->diag, HS_E_INPUT, &place, "an unknown figure is an empty field",
                       "%u fields where the header has %u", r->row.count, r->field_count);
    }
    if (catalogue->count == HS_PROFILES_MAX) {
        struct hs_place place = hs_csv_place(r->csv, 0);
        return hs_fail(r->diag, HS_E_LIMIT, &place, NULL, "more than %u profiles", HS_PROFILES_MAX);
    }
    HS_TRY(hs_grow((void **)&catalogue->profiles, &catalogue->cap, (uint64_t)catalogue->count + 1,
                   sizeof *catalogue->profiles, HS_PROFILES_MAX));
    struct hs_profile *p = &catalogue->profiles[catalogue->count];
    HS_TRY(read_names(r, p));
    HS_TRY(read_key(r, p));
    HS_TRY(read_figures(r, p));
    catalogue->count++;
    return HS_OK;
}

static enum hs_status read_rows(struct reader *r, const char *path)
{
    HS_TRY(read_header(r));
    enum hs_status status;
    while ((status = hs_csv_next(r->csv, &r->row)) == HS_OK)
        HS_TRY(read_row(r));
    if (status != HS_END)
        return status;
    hs_fractions_warn(&r->utils, &(struct hs_place){.file = path}, "util", "rows", r->diag);
    return HS_OK;
}

enum hs_status hs_catalogue_load(struct hs_catalogue *catalogue, const char *path,
                                 struct hs_diag *diag)
{
    *catalogue = (struct hs_catalogue){0};
    struct reader r = {.catalogue = catalogue, .diag = diag};
    struct hs_input *input = NULL;
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_intern_init(&catalogue->keys);
    if (status == HS_OK)
        status = hs_csv_open(&r.csv, input, ',', diag);
    if (status == HS_OK) {
        status = read_rows(&r, path);
        hs_csv_close(r.csv);
    }
    catalogue->input_hash = hs_input_hash(input);
    catalogue->input_bytes = hs_input_bytes(input);
    hs_input_close(input);
    if (status != HS_OK)
        hs_catalogue_free(catalogue);
    return status;
}

void hs_catalogue_free(struct hs_catalogue *catalogue)
{
    hs_intern_free(&catalogue->keys);
    hs_free(catalogue->profiles);
    hs_arena_free(&catalogue->arena);
    *catalogue = (struct hs_catalogue){0};
}
