/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of gangs by size, and overheads by model (model/speed.h): rows of model, key and value,
 * ordered by model and key. The key of a restart is the size of the gang, its value microseconds.
 * The key of a memory limit is millionths of the peak, its value millionths of the speed without a
 * limit: the file has four and six decimals, so both compare exactly.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/csv.h"
#include "model/speed.h"

#define OTHERS      "*"              /* model of the rows for all models without rows */
#define SECONDS_MAX 1000000          /* as --startup */
#define ONE         INT64_C(1000000) /* the whole peak; full speed */
#define ROWS_MAX    65535u
#define NAME_MAX    (HS_PROFILE_KEY_MAX - 24) /* folded; excluding '/' and a key */

enum column { MODEL, KEY, VALUE, COLUMN_COUNT };

struct overhead {
    uint32_t model; /* in order of first appearance */
    int64_t key, value;
    int64_t line; /* of the file */
};

struct hs_overheads {
    struct hs_intern models; /* folded */
    struct overhead *rows;
    uint32_t count, cap;
};

/* A number in a column: its unit, 0 for a whole number; its range; messages for text that is no
 * number, as in "gpus is not a number: 'x'", or out of range. */
struct figure {
    int64_t unit, min, max;
    const char *none, *outside;
};

/* The contents of a kind of table. */
struct overhead_kind {
    struct hs_csv_head head;
    const char *twice; /* "there twice for ...": for two rows with the same model and key */
    const char *hints[COLUMN_COUNT];
    struct figure figures[COLUMN_COUNT]; /* KEY and VALUE */
    bool grows_to_one;                   /* whether the value grows with the key, to one */
};

struct overheads_reader {
    struct hs_csv_table file;
    struct hs_overheads *table;
    const struct overhead_kind *kind;
    struct hs_intern keys; /* "vgg16/4": keys seen */
    struct hs_diag *diag;
};

static const char *const restart_columns[] = {"model", "gpus", "restart_s"};
static const char *const memcurve_columns[] = {"model", "limit", "speed"};

#define MODEL_HINT "a model, or " OTHERS " for all that have no row"

static const struct overhead_kind restarts = {
    .head = {"table of restarts", restart_columns, COLUMN_COUNT, COLUMN_COUNT, "source",
             "the columns are model, gpus, restart_s, and source for notes"},
    .twice = "there twice for this number of GPUs",
    .hints = {MODEL_HINT, "the size of the gang, at least 1", "seconds, for example 7 or 4.5"},
    .figures = {[KEY] = {0, 1, INT32_MAX, "not a number of GPUs", "not a number of GPUs"},
                [VALUE] = {HS_US_PER_S, 0, SECONDS_MAX *HS_US_PER_S, "not a number",
                           "not from 0 to a million seconds"}}};

static const struct overhead_kind memcurves = {
    .head = {"table of memory limits", memcurve_columns, COLUMN_COUNT, COLUMN_COUNT, "source",
             "the columns are model, limit, speed, and source for notes"},
    .twice = "there twice for this limit",
    .hints = {MODEL_HINT, "per cent of the peak, for example 50",
              "relative to no limit, for example 0.98; it grows with the limit, up to 1 at 100"},
    .figures = {[KEY] = {ONE / 100, 0, ONE, "not a number", "not from 0 to 100 %"},
                [VALUE] = {ONE, 1, ONE, "not a number", "not above 0 and at most 1"}},
    .grows_to_one = true};

/* ---- reading ---- */

static enum hs_status fail_field(const struct overheads_reader *r, enum column c, const char *hint,
                                 const char *is)
{
    return hs_csv_fail(r->file.csv, r->file.at[c], hint, "%s is %s: '%.64s'",
                       r->kind->head.names[c], is, hs_csv_cell(&r->file, c));
}

static enum hs_status read_overhead(struct overheads_reader *r)
{
    struct hs_overheads *table = r->table;
    struct overhead row = {.line = r->file.row.line};
    char model[NAME_MAX], name[HS_PROFILE_KEY_MAX];
    if (table->count == ROWS_MAX)
        return hs_fail(r->diag, HS_E_LIMIT, HS_AT(hs_csv_place(r->file.csv, r->file.width)), NULL,
                       "more than %u rows", ROWS_MAX);
    if (!hs_profile_fold(hs_csv_cell(&r->file, MODEL), model, sizeof model))
        return fail_field(r, MODEL, NULL, "too long a name");
    if (model[0] == '\0')
        return fail_field(r, MODEL, r->kind->hints[MODEL], "no name");
    row.model = hs_intern_get(&table->models, model);
    int64_t *const figures[COLUMN_COUNT] = {NULL, &row.key, &row.value};
    for (enum column c = KEY; c <= VALUE; c++) {
        const struct figure *f = &r->kind->figures[c];
        const char *text = hs_csv_cell(&r->file, c);
        const size_t len = strlen(text);
        if (!(f->unit > 0 ? hs_parse_decimal_us(text, len, f->unit, figures[c])
                          : hs_parse_int64(text, len, figures[c])))
            return fail_field(r, c, r->kind->hints[c], f->none);
        if (*figures[c] < f->min || *figures[c] > f->max)
            return fail_field(r, c, r->kind->hints[c], f->outside);
    }
    (void)snprintf(name, sizeof name, "%s/%" PRId64, model, row.key);
    const uint32_t known = r->keys.count;
    if (hs_intern_get(&r->keys, name) < known) /* a second row would never be used */
        return fail_field(r, MODEL, "names are compared without case, '-', '_' and blanks",
                          r->kind->twice);
    *hs_push(table->rows, table->count, table->cap, ROWS_MAX) = row;
    return HS_OK;
}

static enum hs_status check_growth(const struct overheads_reader *r, const char *path)
{
    for (uint32_t i = 0; i < r->table->count; i++) {
        const struct overhead *row = &r->table->rows[i];
        const char *wrong = NULL;
        if (row->key == ONE && row->value != ONE)
            wrong = "is not 1 at a limit of the whole peak";
        else if (i > 0 && row[-1].model == row->model && row->value < row[-1].value)
            wrong = "is less than at a lower limit";
        if (wrong != NULL)
            return hs_fail(r->diag, HS_E_INPUT, HS_AT({.file = path, .line = row->line}),
                           r->kind->hints[VALUE], "%s %s", r->kind->head.names[VALUE], wrong);
    }
    return HS_OK;
}

static int compare_overheads(const void *a, const void *b)
{
    const struct overhead *x = a, *y = b;
    return 2 * HS_ORDER(x->model, y->model) + HS_ORDER(x->key, y->key);
}

static enum hs_status load_overheads(struct hs_overheads **table, const char *path,
                                     const struct overhead_kind *kind, struct hs_diag *diag)
{
    struct overheads_reader r = {
        .table = hs_alloc_zeroed(1, sizeof *r.table), .kind = kind, .diag = diag};
    hs_intern_init(&r.table->models);
    hs_intern_init(&r.keys);
    enum hs_status status = hs_csv_table_open(&r.file, path, &kind->head, diag);
    while (status == HS_OK && (status = hs_csv_table_next(&r.file)) == HS_OK)
        status = read_overhead(&r);
    status = hs_csv_table_close(&r.file, status);
    hs_intern_free(&r.keys);
    if (status == HS_OK && r.table->count > 1) /* a total order: (model, key) is unique */
        qsort(r.table->rows, r.table->count, sizeof *r.table->rows, compare_overheads);
    if (status == HS_OK && kind->grows_to_one)
        status = check_growth(&r, path);
    *table = status == HS_OK ? r.table : NULL;
    if (status != HS_OK)
        hs_overheads_free(r.table);
    return status;
}

enum hs_status hs_restart_load(struct hs_overheads **table, const char *path, struct hs_diag *diag)
{
    return load_overheads(table, path, &restarts, diag);
}

enum hs_status hs_memcurve_load(struct hs_overheads **table, const char *path, struct hs_diag *diag)
{
    return load_overheads(table, path, &memcurves, diag);
}

void hs_overheads_free(struct hs_overheads *table)
{
    if (table == NULL)
        return;
    hs_intern_free(&table->models);
    hs_free(table->rows);
    hs_free(table);
}

/* ---- queries ---- */

static uint32_t find_overhead_model(const struct hs_overheads *table, const char *name)
{
    char folded[NAME_MAX];
    if (name == NULL || !hs_profile_fold(name, folded, sizeof folded) || folded[0] == '\0')
        return UINT32_MAX;
    return hs_intern_find(&table->models, folded);
}

/* Looks up by the first name (each may be NULL or "") with rows, else in those for all others. */
static const struct overhead *find_overhead(const struct hs_overheads *table, const char *model,
                                            const char *other, int64_t key)
{
    uint32_t id = find_overhead_model(table, model);
    if (id == UINT32_MAX)
        id = find_overhead_model(table, other);
    if (id == UINT32_MAX)
        id = hs_intern_find(&table->models, OTHERS);
    if (id == UINT32_MAX)
        return NULL;
    uint32_t low = 0, high = table->count; /* rows before low are at most (id, key) */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct overhead *row = &table->rows[middle];
        if (row->model < id || (row->model == id && row->key <= key))
            low = middle + 1;
        else
            high = middle;
    }
    bool has_smaller = low > 0 && table->rows[low - 1].model == id;
    return &table->rows[has_smaller ? low - 1 : low];
}

int64_t hs_restart_us(const struct hs_overheads *table, const char *model, const char *other,
                      uint32_t gpus)
{
    const struct overhead *row = find_overhead(table, model, other, gpus);
    return row != NULL ? row->value : -1;
}

uint64_t hs_memcurve_q32(const struct hs_overheads *table, const char *model, uint32_t limit_mib,
                         uint32_t peak_mib)
{
    if (limit_mib >= peak_mib)
        return HS_Q32_ONE;
    const struct overhead *row =
        find_overhead(table, model, NULL, (int64_t)limit_mib * ONE / peak_mib);
    if (row == NULL)
        return HS_Q32_ONE;
    return ((uint64_t)row->value * HS_Q32_ONE + (uint64_t)ONE / 2) / (uint64_t)ONE;
}

/* ---- gangs ---- */

uint64_t hs_curve_nearest_q32(const struct hs_curve *c, uint32_t gpus)
{
    uint32_t i = 0;
    while (i + 1 < c->count && gpus > c->gpus[i] &&
           (gpus >= c->gpus[i + 1] || gpus - c->gpus[i] > c->gpus[i + 1] - gpus))
        i++;
    return c->value_q32[i];
}

/* Throughput of `gpus` >= 1, Q32, relative to one GPU, for figures that are efficiencies, thr(n) /
 * (n thr(1)). Between two measured sizes the time of a mini-batch is linear in log2 n. Above the
 * largest size N it is compute / n + synchronisation as measured at N: that of a ring all-reduce
 * hardly depends on n. Rounded once. */
static uint64_t throughput_q32(const struct hs_curve *c, uint32_t gpus)
{
    uint64_t low = 1, low_q32 = HS_Q32_ONE, high = 0, high_q32 = 0;
    for (uint32_t i = 0; i < c->count && gpus > low; i++) {
        high = c->gpus[i];
        high_q32 = high * c->value_q32[i];
        if (gpus < high)
            break;
        low = high;
        low_q32 = high_q32;
    }
    if (gpus == low)
        return low_q32;
    const double low_time = (double)HS_Q32_ONE / (double)low_q32; /* relative to one GPU's time */
    double time;
    if (low < high) {
        const double high_time = (double)HS_Q32_ONE / (double)high_q32;
        const double part = log2((double)gpus / (double)low) / log2((double)high / (double)low);
        time = low_time + part * (high_time - low_time);
    } else {
        time = 1.0 / gpus + (low_time - 1.0 / (double)low);
    }
    return (uint64_t)llrint((double)HS_Q32_ONE / time);
}

uint64_t hs_curve_resized_q32(const struct hs_curve *c, uint32_t held, uint32_t gpus)
{
    if (held == gpus || gpus == 0)
        return HS_Q32_ONE;
    if (c == NULL)
        return (uint64_t)(((hs_u128)held << 32) / gpus);
    if (held == 0)
        return 0;
    return (uint64_t)(((hs_u128)throughput_q32(c, held) << 32) / throughput_q32(c, gpus));
}
