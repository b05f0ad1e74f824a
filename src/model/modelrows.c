/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows are sorted by (model, key) once, so that a look-up is one search for the name and one for
 * the key. The tables are written by hand: what is wrong is an error at its place.
 */
#include "model/modelrows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/io.h"
#include "base/memory.h"
#include "data/csvhead.h"
#include "model/profile_private.h"

#define ROWS_MAX 65535u
#define NAME_MAX (HS_PROFILE_KEY_MAX - 24) /* folded; behind it '/' and a key */

enum column { MODEL, KEY, VALUE, COLUMN_COUNT };

struct hs_modelrows {
    struct hs_intern models; /* folded */
    struct hs_modelrow *rows;
    uint32_t count, cap;
};

struct reader {
    struct hs_modelrows *table;
    const struct hs_modelrows_spec *spec;
    const char *names[COLUMN_COUNT];
    struct hs_intern keys; /* "vgg16/4": what was met */
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[COLUMN_COUNT];
    uint32_t field_count;
    const char *path;
    struct hs_diag *diag;
};

/* ---- reading ---- */

static enum hs_status read_header(struct reader *r)
{
    const struct hs_csv_head head = {
        .names = r->names, .count = COLUMN_COUNT, .notes = "source", .hint = r->spec->head};
    enum hs_status status = hs_csv_next(r->csv, &r->row);
    struct hs_place place = hs_csv_place(r->csv, 0);
    if (status == HS_END)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the first line names the columns",
                       "the %s is empty", r->spec->what);
    HS_TRY(status);
    HS_TRY(hs_csv_bind(r->csv, &r->row, &head, r->at, r->diag));
    for (uint32_t c = 0; c < COLUMN_COUNT; c++)
        if (r->at[c] == UINT32_MAX)
            return hs_fail(r->diag, HS_E_INPUT, &place, head.hint, "missing column '%s'",
                           r->names[c]);
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
    return hs_fail(r->diag, HS_E_INPUT, &place, hint, "%s is %s: '%.64s'", r->names[c], is,
                   field_text(r, c));
}

static enum hs_status read_model(struct reader *r, char name[NAME_MAX], uint32_t *id)
{
    if (!hs_profile_fold(field_text(r, MODEL), name, NAME_MAX))
        return fail_field(r, MODEL, NULL, "too long a name");
    if (name[0] == '\0')
        return fail_field(r, MODEL, r->spec->others, "no name");
    return hs_intern_get(&r->table->models, name, id);
}

static enum hs_status read_figure(struct reader *r, enum column c,
                                  const struct hs_modelrows_figure *figure, int64_t *out)
{
    const char *text = field_text(r, c);
    const char *is = figure->read(text, strlen(text), out);
    return is == NULL ? HS_OK : fail_field(r, c, figure->hint, is);
}

/* A second row of one model and key would never be used. */
static enum hs_status check_new(struct reader *r, const char *model, int64_t key)
{
    char text[HS_PROFILE_KEY_MAX];
    uint32_t id, known = r->keys.count;
    (void)snprintf(text, sizeof text, "%s/%" PRId64, model, key);
    HS_TRY(hs_intern_get(&r->keys, text, &id));
    if (id >= known)
        return HS_OK;
    return fail_field(r, MODEL, "names are compared without case, '-', '_' and blanks",
                      r->spec->twice);
}

static enum hs_status read_row(struct reader *r)
{
    struct hs_modelrows *table = r->table;
    struct hs_modelrow row = {.line = r->row.line};
    char model[NAME_MAX];
    struct hs_place place = hs_csv_place(r->csv, r->row.count);
    if (r->row.count != r->field_count)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "%u fields where the header has %u",
                       r->row.count, r->field_count);
    if (table->count == ROWS_MAX)
        return hs_fail(r->diag, HS_E_LIMIT, &place, NULL, "more than %u rows", ROWS_MAX);
    HS_TRY(read_model(r, model, &row.model));
    HS_TRY(read_figure(r, KEY, &r->spec->key, &row.key));
    HS_TRY(read_figure(r, VALUE, &r->spec->value, &row.value));
    HS_TRY(check_new(r, model, row.key));
    HS_TRY(hs_grow((void **)&table->rows, &table->cap, (uint64_t)table->count + 1, sizeof row,
                   ROWS_MAX));
    table->rows[table->count++] = row;
    return HS_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const struct hs_modelrow *x = a, *y = b;
    if (x->model != y->model)
        return x->model < y->model ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static enum hs_status check_order(struct reader *r)
{
    for (uint32_t i = 0; i < r->table->count && r->spec->check != NULL; i++) {
        const struct hs_modelrow *row = &r->table->rows[i];
        bool is_first = i == 0 || row[-1].model != row->model;
        const char *wrong = r->spec->check(is_first ? NULL : row - 1, row);
        const struct hs_place place = {.file = r->path, .line = row->line};
        if (wrong != NULL)
            return hs_fail(r->diag, HS_E_INPUT, &place, r->spec->value.hint, "%s %s",
                           r->names[VALUE], wrong);
    }
    return HS_OK;
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
    if (r->table->count > 1) /* total: each (model, key) is there once */
        qsort(r->table->rows, r->table->count, sizeof *r->table->rows, compare_rows);
    return check_order(r);
}

enum hs_status hs_modelrows_load(struct hs_modelrows **out, const char *path,
                                 const struct hs_modelrows_spec *spec, struct hs_diag *diag)
{
    struct hs_input *input = NULL;
    *out = NULL;
    HS_TRY(hs_input_open(&input, path, diag));
    struct reader r = {.table = hs_alloc_zeroed(1, sizeof *r.table),
                       .spec = spec,
                       .names = {"model", spec->key.name, spec->value.name},
                       .path = path,
                       .diag = diag};
    enum hs_status status = r.table != NULL ? read_table(&r, input) : HS_E_MEMORY;
    hs_input_close(input);
    hs_intern_free(&r.keys);
    if (status == HS_OK) {
        *out = r.table;
        return HS_OK;
    }
    hs_modelrows_free(r.table);
    if (status == HS_E_MEMORY)
        return hs_fail(diag, status, NULL, NULL, "no memory for the %s", spec->what);
    return status;
}

void hs_modelrows_free(struct hs_modelrows *table)
{
    if (table == NULL)
        return;
    hs_intern_free(&table->models);
    hs_free(table->rows);
    hs_free(table);
}

/* ---- asking ---- */

/* The id of a name with rows; UINT32_MAX if it has none. */
static uint32_t find_model(const struct hs_modelrows *table, const char *name)
{
    char folded[NAME_MAX];
    if (name == NULL || name[0] == '\0' || !hs_profile_fold(name, folded, sizeof folded) ||
        folded[0] == '\0')
        return UINT32_MAX;
    return hs_intern_find(&table->models, folded);
}

const struct hs_modelrow *hs_modelrows_find(const struct hs_modelrows *table,
                                            const char *const *names, uint32_t name_count,
                                            int64_t key)
{
    uint32_t id = UINT32_MAX;
    for (uint32_t i = 0; i < name_count && id == UINT32_MAX; i++)
        id = find_model(table, names[i]);
    if (id == UINT32_MAX)
        id = find_model(table, HS_MODELROWS_OTHERS);
    if (id == UINT32_MAX)
        return NULL;
    uint32_t low = 0, high = table->count; /* rows before low are at most (id, key) */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct hs_modelrow *row = &table->rows[middle];
        if (row->model < id || (row->model == id && row->key <= key))
            low = middle + 1;
        else
            high = middle;
    }
    bool has_smaller = low > 0 && table->rows[low - 1].model == id;
    return &table->rows[has_smaller ? low - 1 : low];
}
