/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The catalogue of profiles: read from CSV, indexed by key (model, dataset, batch, precision),
 * searched for the nearest batch, extended by rows that are needed but were never measured, and
 * what a profile gives to a job that does not state it. O(1) a look-up.
 */
#include "model/profile.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/sample.h"
#include "base/fmt.h"
#include "data/csvread.h"
#include "horus/compiler.h"
#include "horus/trace.h"

extern const char *const hs_feature_names[HS_FEATURE_COUNT];

static enum hs_status add(struct hs_catalogue *c, struct hs_profile *row, uint32_t *id)
{
    char key[HS_PROFILE_KEY_MAX], folded[HS_PROFILE_KEY_MAX];
    int len = snprintf(key, sizeof key, "%s/%s/%s/%s", row->model, row->dataset, row->batch,
                       row->precision);
    if (len < 0 || (size_t)len >= sizeof key || c->count == HS_PROFILES_MAX)
        return HS_E_LIMIT;
    *id = hs_catalogue_find(c, key);
    if (*id != HS_NO_PROFILE)
        return HS_OK;
    hs_grow((void **)&c->profiles, &c->cap, (uint64_t)c->count + 1, sizeof *c->profiles,
            HS_PROFILES_MAX);
    row->key = hs_arena_text(&c->arena, key, (size_t)len);
    row->batch = hs_arena_text(&c->arena, row->batch, strlen(row->batch));
    row->precision = hs_arena_text(&c->arena, row->precision, strlen(row->precision));
    if (!hs_profile_fold(key, folded, sizeof folded))
        return HS_E_LIMIT;
    (void)hs_intern_get(&c->keys, folded);
    *id = c->count;
    c->profiles[c->count++] = *row;
    return HS_OK;
}

enum hs_status hs_catalogue_add(struct hs_catalogue *catalogue, uint32_t like, const char *batch,
                                const char *precision, uint32_t *id, struct hs_diag *diag)
{
    struct hs_profile row = catalogue->profiles[like];
    row.batch = batch;
    row.precision = precision;
    row.util_pm = row.util_peak_pm = row.bw_util_pm = -1;
    row.mem_mib = row.mem_persistent_mib = row.checkpoint_mib = 0;
    row.step_ms = row.host_ms = row.cpus = NAN;
    enum hs_status status = add(catalogue, &row, id);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "no room for one more profile");
    return HS_OK;
}

/* What is asked for; NULL is "" here. */
struct wanted {
    const char *model, *dataset, *batch, *precision;
};

static bool is_skipped(char c)
{
    return c == '-' || c == '_' || c == ' ' || c == '\t';
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hs_profile_fold(const char *text, char *folded, size_t size)
{
    size_t len = 0;
    for (; *text != '\0'; text++) {
        if (is_skipped(*text))
            continue;
        if (len + 1 >= size)
            return false;
        folded[len++] = fold(*text);
    }
    folded[len] = '\0';
    return true;
}

static bool is_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (is_skipped(*a))
            a++;
        while (is_skipped(*b))
            b++;
        if (fold(*a) != fold(*b))
            return false;
        if (*a == '\0')
            return true;
    }
}

static bool is_given(const char *text)
{
    return text[0] != '\0';
}

static bool agrees(const char *wanted, const char *known)
{
    return !is_given(wanted) || is_same(wanted, known);
}

/* The first row with what is given, or HS_NO_PROFILE. */
static uint32_t first_with(const struct hs_catalogue *catalogue, const struct wanted *w)
{
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (is_same(w->model, p->model) && agrees(w->dataset, p->dataset) &&
            agrees(w->precision, p->precision) && agrees(w->batch, p->batch))
            return i;
    }
    return HS_NO_PROFILE;
}

/* 0 where there is none. */
static int64_t batch_of(const char *text)
{
    int64_t batch;
    return hs_parse_int64(text, strlen(text), &batch) && batch > 0 && batch <= INT32_MAX ? batch
                                                                                         : 0;
}

/* Whether a is nearer to `to` than b by ratio, ties to the smaller; a row without batch is last. */
static bool is_nearer(int64_t a, int64_t b, int64_t to)
{
    if (a == 0 || b == 0 || to == 0)
        return b == 0 && a != 0 && to != 0;
    /* max(a, to) / min(a, to) < max(b, to) / min(b, to), multiplied out: exact below 2^62. */
    int64_t left = (a > to ? a : to) * (b < to ? b : to);
    int64_t right = (b > to ? b : to) * (a < to ? a : to);
    return left < right || (left == right && a < b);
}

/* A dataset or precision that the model is not known with is as good as not given. */
static uint32_t nearest_batch(const struct hs_catalogue *catalogue, struct wanted w)
{
    int64_t to = batch_of(w.batch), best_batch = 0;
    w.batch = "";
    struct wanted dataset_only = w;
    dataset_only.precision = "";
    if (first_with(catalogue, &dataset_only) == HS_NO_PROFILE)
        w.dataset = "";
    if (first_with(catalogue, &w) == HS_NO_PROFILE)
        w.precision = "";
    uint32_t best = HS_NO_PROFILE;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (!is_same(w.model, p->model) || !agrees(w.dataset, p->dataset) ||
            !agrees(w.precision, p->precision))
            continue;
        int64_t batch = batch_of(p->batch);
        bool is_better = best == HS_NO_PROFILE || is_nearer(batch, best_batch, to);
        /* a row without measured utilization stands in only where there is no other */
        if (best != HS_NO_PROFILE && (p->util_pm >= 0) != (catalogue->profiles[best].util_pm >= 0))
            is_better = p->util_pm >= 0;
        if (is_better) {
            best = i;
            best_batch = batch;
        }
    }
    return best;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

uint32_t hs_catalogue_find(const struct hs_catalogue *catalogue, const char *key)
{
    char folded[HS_PROFILE_KEY_MAX];
    if (catalogue->count == 0 || !hs_profile_fold(key, folded, sizeof folded))
        return HS_NO_PROFILE;
    uint32_t id = hs_intern_find(&catalogue->keys, folded);
    return id == UINT32_MAX || id == 0 ? HS_NO_PROFILE : id - 1;
}

uint32_t hs_catalogue_match(const struct hs_catalogue *catalogue, const char *model,
                            const char *dataset, const char *batch, const char *precision,
                            enum hs_match *match)
{
    struct wanted w = {text_of(model), text_of(dataset), text_of(batch), text_of(precision)};
    *match = HS_MATCH_NONE;
    if (!is_given(w.model))
        return HS_NO_PROFILE;
    char key[HS_PROFILE_KEY_MAX];
    int len = snprintf(key, sizeof key, "%s/%s/%s/%s", w.model, w.dataset, w.batch, w.precision);
    if (len > 0 && (size_t)len < sizeof key) {
        uint32_t exact = hs_catalogue_find(catalogue, key);
        if (exact != HS_NO_PROFILE) {
            *match = HS_MATCH_EXACT;
            return exact;
        }
    }
    uint32_t part = first_with(catalogue, &w);
    if (part != HS_NO_PROFILE) {
        *match = HS_MATCH_PART;
        return part;
    }
    uint32_t nearest = nearest_batch(catalogue, w);
    if (nearest != HS_NO_PROFILE)
        *match = HS_MATCH_BATCH;
    return nearest;
}

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

struct profile_reader {
    struct hs_catalogue *catalogue;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[COLUMN_COUNT]; /* field of a column; UINT32_MAX = not in the file */
    uint32_t field_count;
    struct hs_fractions utils;
    struct hs_diag *diag;
};

/* ---- header ---- */

static enum hs_status read_header(struct profile_reader *r)
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

static const char *field_text(const struct profile_reader *r, enum column c)
{
    return r->at[c] == UINT32_MAX ? "" : r->row.fields[r->at[c]];
}

HS_PRINTF(4, 5)
static enum hs_status fail_field(struct profile_reader *r, enum column c, const char *hint,
                                 const char *fmt, ...)
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
static enum hs_status read_number(struct profile_reader *r, enum column c, double max,
                                  double *value)
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
static enum hs_status read_percent(struct profile_reader *r, enum column c, int32_t unknown,
                                   int32_t *pm)
{
    double percent;
    HS_TRY(read_number(r, c, 100, &percent));
    *pm = isnan(percent) ? unknown : (int32_t)floor(percent * 10 + 0.5);
    return HS_OK;
}

/* Rounded up, so that what is said to fit does. */
static enum hs_status read_mib(struct profile_reader *r, enum column c, uint32_t *mib)
{
    double value;
    HS_TRY(read_number(r, c, (double)(1u << 30), &value));
    *mib = isnan(value) ? 0 : (uint32_t)ceil(value);
    return HS_OK;
}

static enum hs_status read_text(struct profile_reader *r, enum column c, const char **text)
{
    const char *field = field_text(r, c);
    if (strchr(field, '/') != NULL)
        return fail_field(r, c, "'/' separates the parts of a profile's key",
                          "%s contains '/': '%.64s'", column_names[c], field);
    *text = hs_arena_text(&r->catalogue->arena, field, strlen(field));
    return HS_OK;
}

static enum hs_status read_yes_no(struct profile_reader *r, enum column c, bool *value)
{
    const char *text = field_text(r, c);
    *value = strcmp(text, "yes") == 0;
    if (*value || text[0] == '\0' || strcmp(text, "no") == 0)
        return HS_OK;
    return fail_field(r, c, "yes or no", "%s is neither yes nor no: '%.64s'", column_names[c],
                      text);
}

/* ---- rows ---- */

static enum hs_status read_names(struct profile_reader *r, struct hs_profile *p)
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
static enum hs_status read_key(struct profile_reader *r, struct hs_profile *p)
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
    uint32_t id = hs_intern_get(&catalogue->keys, folded);
    if (id <= catalogue->count)
        return fail_field(r, MODEL, "names are compared without case, '-', '_' and blanks",
                          "profile '%s' appears twice: it is the same as '%s'", key,
                          catalogue->profiles[id - 1].key);
    return HS_OK;
}

static enum hs_status read_figures(struct profile_reader *r, struct hs_profile *p)
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

static enum hs_status read_row(struct profile_reader *r)
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
    hs_grow((void **)&catalogue->profiles, &catalogue->cap, (uint64_t)catalogue->count + 1,
            sizeof *catalogue->profiles, HS_PROFILES_MAX);
    struct hs_profile *p = &catalogue->profiles[catalogue->count];
    HS_TRY(read_names(r, p));
    HS_TRY(read_key(r, p));
    HS_TRY(read_figures(r, p));
    catalogue->count++;
    return HS_OK;
}

static enum hs_status read_rows(struct profile_reader *r, const char *path)
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
    struct profile_reader r = {.catalogue = catalogue, .diag = diag};
    struct hs_input *input = NULL;
    HS_TRY(hs_input_open(&input, path, diag));
    hs_intern_init(&catalogue->keys);
    hs_csv_open(&r.csv, input, ',', diag);
    enum hs_status status = HS_OK;
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

#define STEP_US_MAX (INT64_C(1) << 53) /* what a trace can carry */

/* Memory kept between mini-batches where no profile states it: 0.3 GB (10^9 bytes; our
 * choice), or three times the checkpoint if that is more: weights, gradients, optimizer.
 * */
#define PERSISTENT_MIB         287u
#define PERSISTENT_CHECKPOINTS 3u

void hs_profile_defaults_settle_memory(struct hs_trace_job *job)
{
    uint64_t kept_mib = (uint64_t)PERSISTENT_CHECKPOINTS * job->checkpoint_mib;
    if (kept_mib < PERSISTENT_MIB)
        kept_mib = PERSISTENT_MIB;
    if (job->gpu_mem_persistent_mib > 0 || job->gpu_mem_mib == 0)
        kept_mib = job->gpu_mem_persistent_mib;
    if (job->gpu_mem_mib > 0 && kept_mib > job->gpu_mem_mib)
        kept_mib = job->gpu_mem_mib;
    if (job->gpu_mem_later_mib > 0 && kept_mib > job->gpu_mem_later_mib)
        kept_mib = job->gpu_mem_later_mib;
    job->gpu_mem_persistent_mib = (uint32_t)kept_mib;
}

/* Profiles are of whole GPUs; a job that wants a share of one is taken to need as much less. */
static uint32_t of_share(const struct hs_trace_job *job, uint32_t amount)
{
    return job->gpu_milli > 0 ? (uint32_t)((uint64_t)amount * job->gpu_milli / 1000) : amount;
}

HS_APART void hs_profile_defaults_complete(const struct hs_profile_defaults *defaults,
                                           struct hs_trace_job *job)
{
    if (job->gpu_util_pm < 0 && defaults->util_pm >= 0)
        job->gpu_util_pm = (int32_t)of_share(job, (uint32_t)defaults->util_pm);
    if (job->gpu_mem_mib == 0 && defaults->mem_mib > 0) {
        uint32_t mem_mib = of_share(job, defaults->mem_mib);
        job->gpu_mem_mib =
            mem_mib > job->gpu_mem_persistent_mib ? mem_mib : job->gpu_mem_persistent_mib;
    }
    if (job->step_us == 0)
        job->step_us = defaults->step_us;
    if (job->checkpoint_mib == 0)
        job->checkpoint_mib = defaults->checkpoint_mib;
    if (job->gpu_mem_persistent_mib == 0)
        job->gpu_mem_persistent_mib = defaults->mem_persistent_mib;
    hs_profile_defaults_settle_memory(job);
}

/* The step is as measured, on the GPU type of the row: it is not scaled to the reference type of
 * the trace, because most rows were measured on no type that a trace was recorded on, and a policy
 * cuts its turns of whole mini-batches anyway. */
struct hs_profile_defaults hs_profile_defaults_of(const struct hs_profile *p)
{
    double step_us = p->step_ms * 1000;
    struct hs_trace_job blank = {.gpu_milli = HS_GPU_MILLI, .gpu_util_pm = -1};
    struct hs_profile_defaults defaults = {
        .model = p->model,
        .dataset = p->dataset[0] != '\0' ? p->dataset : NULL,
        .batch = p->batch[0] != '\0' ? p->batch : NULL,
        .precision = p->precision[0] != '\0' ? p->precision : NULL,
        .step_us = step_us > 0 && step_us <= (double)STEP_US_MAX ? llround(step_us) : 0,
        .util_pm = p->util_pm,
        .mem_mib = p->mem_mib,
        .mem_persistent_mib = p->mem_persistent_mib,
        .checkpoint_mib = p->checkpoint_mib};
    hs_profile_defaults_complete(&defaults, &blank);
    defaults.mem_kept_mib = blank.gpu_mem_persistent_mib;
    return defaults;
}
