/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows are sorted by (model, size) once, so that a look-up is one search for the name and one for
 * the size. The table is written by hand: what is wrong is an error at its place.
 */
#include "model/restart.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/timeparse.h"
#include "data/csvhead.h"
#include "model/profile_private.h"

#define ROWS_MAX    65535u
#define NAME_MAX    (HS_PROFILE_KEY_MAX - 16) /* folded; behind it '/' and a size */
#define SECONDS_MAX 1000000                   /* as --startup */

enum column { MODEL, GPUS, RESTART, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = {"model", "gpus", "restart_s"};

struct row {
    uint32_t model; /* id in models */
    uint32_t gpus;
    int64_t us;
};

struct hs_restart {
    struct hs_intern models; /* folded */
    struct row *rows;        /* by model, then size */
    uint32_t count, cap;
};

struct reader {
    struct hs_restart *table;
    struct hs_intern keys; /* "vgg16/4": what was met */
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[COLUMN_COUNT];
    uint32_t field_count;
    struct hs_diag *diag;
};

/* ---- reading ---- */

static enum hs_status read_header(struct reader *r)
{
    static const struct hs_csv_head head = {
        .names = column_names,
        .count = COLUMN_COUNT,
        .notes = "source",
        .hint = "the columns are model, gpus, restart_s, and source for notes"};
    enum hs_status status = hs_csv_next(r->csv, &r->row);
    struct hs_place place = hs_csv_place(r->csv, 0);
    if (status == HS_END)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the first line names the columns",
                       "the table of restarts is empty");
    HS_TRY(status);
    HS_TRY(hs_csv_bind(r->csv, &r->row, &head, r->at, r->diag));
    for (uint32_t c = 0; c < COLUMN_COUNT; c++)
        if (r->at[c] == UINT32_MAX)
            return hs_fail(r->diag, HS_E_INPUT, &place, head.hint, "missing column '%s'",
                           column_names[c]);
    r->field_count = r->row.count;
    return HS_OK;
}

static const char *field_text(const struct reader *r, enum column c)
{
    return r->row.fields[r->at[c]];
}

static enum hs_status fail_field(struct reader *r, enum column c, const char *hint, const char *is)
{
    struct hs_place place = hs_csv_place(r->csv, r->at[c]);
    return hs_fail(r->diag, HS_E_INPUT, &place, hint, "%s is %s: '%.64s'", column_names[c], is,
                   field_text(r, c));
}

static enum hs_status read_model(struct reader *r, char name[NAME_MAX], uint32_t *id)
{
    if (!hs_profile_fold(field_text(r, MODEL), name, NAME_MAX))
        return fail_field(r, MODEL, NULL, "too long a name");
    if (name[0] == '\0')
        return fail_field(r, MODEL, "a model, or " HS_RESTART_OTHERS " for all that have no row",
                          "no name");
    return hs_intern_get(&r->table->models, name, id);
}

static enum hs_status read_figures(struct reader *r, struct row *row)
{
    const char *gpus = field_text(r, GPUS), *seconds = field_text(r, RESTART);
    int64_t count;
    if (!hs_parse_int64(gpus, strlen(gpus), &count) || count < 1 || count > INT32_MAX)
        return fail_field(r, GPUS, "the size of the gang, at least 1", "not a number of GPUs");
    row->gpus = (uint32_t)count;
    if (!hs_parse_decimal_us(seconds, strlen(seconds), HS_US_PER_S, &row->us))
        return fail_field(r, RESTART, "seconds, for example 7 or 4.5", "not a number");
    if (row->us < 0 || row->us > SECONDS_MAX * HS_US_PER_S)
        return fail_field(r, RESTART, "seconds, for example 7 or 4.5",
                          "not from 0 to a million seconds");
    return HS_OK;
}

/* A second row of one model and size would never be used. */
static enum hs_status check_new(struct reader *r, const char *model, uint32_t gpus)
{
    char key[HS_PROFILE_KEY_MAX];
    uint32_t id, known = r->keys.count;
    (void)snprintf(key, sizeof key, "%s/%" PRIu32, model, gpus);
    HS_TRY(hs_intern_get(&r->keys, key, &id));
    if (id >= known)
        return HS_OK;
    return fail_field(r, MODEL, "names are compared without case, '-', '_' and blanks",
                      "there twice for this number of GPUs");
}

static enum hs_status read_row(struct reader *r)
{
    struct hs_restart *table = r->table;
    struct row row;
    char model[NAME_MAX];
    struct hs_place place = hs_csv_place(r->csv, r->row.count);
    if (r->row.count != r->field_count)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "%u fields where the header has %u",
                       r->row.count, r->field_count);
    if (table->count == ROWS_MAX)
        return hs_fail(r->diag, HS_E_LIMIT, &place, NULL, "more than %u rows", ROWS_MAX);
    HS_TRY(read_model(r, model, &row.model));
    HS_TRY(read_figures(r, &row));
    HS_TRY(check_new(r, model, row.gpus));
    HS_TRY(hs_grow((void **)&table->rows, &table->cap, (uint64_t)table->count + 1, sizeof row,
                   ROWS_MAX));
    table->rows[table->count++] = row;
    return HS_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->model != y->model)
        return x->model < y->model ? -1 : 1;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static enum hs_status read_table(struct reader *r, struct hs_input *input)
{
    HS_TRY(hs_intern_init(&r->table->models));
    HS_TRY(hs_intern_init(&r->keys));
    HS_TRY(hs_csv_open(&r->csv, input, ',', r->diag));
    enum hs_status status = read_header(r);
    while (status == HS_OK && (status = hs_csv_next(r->csv, &r->row)) == HS_OK)
        status = read_row(r);
    hs_csv_close(r->csv);
    if (status != HS_END)
        return status;
    if (r->table->count > 1) /* total: each (model, size) is there once */
        qsort(r->table->rows, r->table->count, sizeof *r->table->rows, compare_rows);
    return HS_OK;
}

enum hs_status hs_restart_load(struct hs_restart **out, const char *path, struct hs_diag *diag)
{
    struct hs_input *input = NULL;
    *out = NULL;
    HS_TRY(hs_input_open(&input, path, diag));
    struct reader r = {.table = hs_alloc_zeroed(1, sizeof *r.table), .diag = diag};
    enum hs_status status = r.table != NULL ? read_table(&r, input) : HS_E_MEMORY;
    hs_input_close(input);
    hs_intern_free(&r.keys);
    if (status == HS_OK) {
        *out = r.table;
        return HS_OK;
    }
    hs_restart_free(r.table);
    if (status == HS_E_MEMORY)
        return hs_fail(diag, status, NULL, NULL, "no memory for the table of restarts");
    return status;
}

void hs_restart_free(struct hs_restart *table)
{
    if (table == NULL)
        return;
    hs_intern_free(&table->models);
    hs_free(table->rows);
    hs_free(table);
}

/* ---- asking ---- */

/* The id of a name with rows; UINT32_MAX if it has none. */
static uint32_t find(const struct hs_restart *table, const char *name)
{
    char folded[NAME_MAX];
    if (name == NULL || name[0] == '\0' || !hs_profile_fold(name, folded, sizeof folded) ||
        folded[0] == '\0')
        return UINT32_MAX;
    return hs_intern_find(&table->models, folded);
}

int64_t hs_restart_us(const struct hs_restart *table, const char *model, const char *other,
                      uint32_t gpus)
{
    uint32_t id = find(table, model);
    if (id == UINT32_MAX)
        id = find(table, other);
    if (id == UINT32_MAX)
        id = find(table, HS_RESTART_OTHERS);
    if (id == UINT32_MAX)
        return -1;
    uint32_t low = 0, high = table->count; /* rows before low are at most (id, gpus) */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct row *row = &table->rows[middle];
        if (row->model < id || (row->model == id && row->gpus <= gpus))
            low = middle + 1;
        else
            high = middle;
    }
    bool has_smaller = low > 0 && table->rows[low - 1].model == id;
    return table->rows[has_smaller ? low - 1 : low].us;
}
