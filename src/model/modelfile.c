/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Model files: their common head (kind, schema, sources), the set of files of a run by kind, and
 * rows of measurements by GPU type. A set reads the kind of each file and no more: the model that
 * loads the file checks it.
 */
#include "model/modelfile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/memory.h"
#include "data/csvread.h"
#include "data/json.h"
#include "model/profile.h"

#define HS_MODELROWS_OTHERS "*" /* the model of rows for all models that have none */

const char *const hs_model_kinds[HS_MODEL_COUNT] = {
#define KIND_TEXT(name, text) [HS_MODEL_##name] = text,
    HS_MODEL_LIST(KIND_TEXT)
#undef KIND_TEXT
};

/* HS_MODEL_COUNT if it has none that is known. */
static enum hs_model_kind read_kind(struct hs_jsoncheck *check, const struct hs_json *root)
{
    const struct hs_json *value = hs_json_get(root, "kind");
    if (value == NULL)
        hs_jsoncheck_fault(check, root, "model files are written by 'horus calibrate'",
                           "not a model file: \"kind\" is missing");
    const char *text = hs_jsoncheck_text(check, root, "kind");
    if (text == NULL)
        return HS_MODEL_COUNT;
    for (uint32_t kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (strcmp(text, hs_model_kinds[kind]) == 0)
            return (enum hs_model_kind)kind;
    char hint[128];
    const char *nearest = hs_nearest(text, hs_model_kinds, HS_MODEL_COUNT);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
#define KIND_WORD(name, text) " " text
    hs_jsoncheck_fault(check, value, nearest != NULL ? hint : "kinds:" HS_MODEL_LIST(KIND_WORD),
                       "unknown kind of model file '%s'", text);
#undef KIND_WORD
    return HS_MODEL_COUNT;
}

static void check_format(struct hs_jsoncheck *check, const struct hs_json *root)
{
    const struct hs_json *value = hs_json_get(root, "format");
    int64_t format;
    if (value == NULL)
        hs_jsoncheck_fault(check, root, NULL, "\"format\" is missing");
    else if (!hs_json_int(value, &format) || format != HS_MODEL_FORMAT)
        hs_jsoncheck_fault(check, value, "write the file again with 'horus calibrate'",
                           "this horus reads model files of format %d only", HS_MODEL_FORMAT);
}

static enum hs_status open_file(struct hs_jsoncheck *check, const char *path,
                                enum hs_model_kind *kind, struct hs_diag *diag)
{
    *check = (struct hs_jsoncheck){.diag = diag};
    *kind = HS_MODEL_COUNT;
    HS_TRY(hs_json_load(&check->doc, path, diag));
    const struct hs_json *root = hs_json_root(check->doc);
    if (!hs_jsoncheck_kind(check, root, HS_JSON_OBJECT, "a model file"))
        return check->status;
    *kind = read_kind(check, root);
    if (*kind != HS_MODEL_COUNT)
        check_format(check, root);
    return check->status;
}

enum hs_status hs_modelfile_open(struct hs_jsoncheck *check, const char *path,
                                 enum hs_model_kind kind, struct hs_diag *diag)
{
    enum hs_model_kind found;
    HS_TRY(open_file(check, path, &found, diag));
    if (found != kind)
        hs_jsoncheck_fault(check, hs_json_get(hs_json_root(check->doc), "kind"), NULL,
                           "a model file of kind '%s' where '%s' is needed", hs_model_kinds[found],
                           hs_model_kinds[kind]);
    return check->status;
}

const char *hs_modelfile_name(struct hs_jsoncheck *check, struct hs_arena *arena,
                              const struct hs_json *object, const char *key)
{
    if (hs_json_get(object, key) == NULL)
        hs_jsoncheck_fault(check, object, NULL, "\"%s\" is missing", key);
    const char *text = hs_jsoncheck_text(check, object, key);
    return text != NULL ? hs_arena_text(arena, text, strlen(text)) : NULL;
}

static const char *skip_ignored(const char *text)
{
    return text + strspn(text, "-_ ");
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hs_model_same_name(const char *a, const char *b)
{
    for (a = skip_ignored(a), b = skip_ignored(b); fold(*a) == fold(*b);
         a = skip_ignored(a + 1), b = skip_ignored(b + 1))
        if (*a == '\0')
            return true;
    return false;
}

/* ---- the set ---- */

static enum hs_status add_file(struct hs_modelset *set, bool given[HS_MODEL_COUNT],
                               const char *path, struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    enum hs_model_kind kind;
    if (strcmp(path, "-") == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "write it to a file first",
                       "a model file cannot come from standard input: it is read twice");
    enum hs_status status = open_file(&check, path, &kind, diag);
    if (status == HS_OK && given[kind]) {
        hs_jsoncheck_fault(&check, hs_json_get(hs_json_root(check.doc), "kind"), NULL,
                           "two model files of kind '%s': this one and %s", hs_model_kinds[kind],
                           set->path[kind]);
        status = check.status;
    }
    hs_json_close(check.doc);
    HS_TRY(status);
    given[kind] = true;
    set->path[kind] = path;
    return HS_OK;
}

static enum hs_status add_files(struct hs_modelset *set, const char *files, struct hs_diag *diag)
{
    bool given[HS_MODEL_COUNT] = {false};
    for (const char *at = files; at != NULL;) {
        size_t len = strcspn(at, ",");
        if (len == 0)
            return hs_fail(diag, HS_E_USAGE, NULL, "paths are separated by single commas",
                           "a model file without a name in '%s'", files);
        const char *path = hs_arena_text(&set->arena, at, len);
        HS_TRY(add_file(set, given, path, diag));
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return HS_OK;
}

enum hs_status hs_modelset_init(struct hs_modelset *set, const char *files, struct hs_diag *diag)
{
    *set = (struct hs_modelset){.path = {
#define KIND_PATH(name, text) [HS_MODEL_##name] = "builtin:models/" text ".json",
                                    HS_MODEL_LIST(KIND_PATH)
#undef KIND_PATH
                                }};
    if (files == NULL || files[0] == '\0')
        return HS_OK;
    enum hs_status status = add_files(set, files, diag);
    if (status != HS_OK)
        hs_modelset_free(set);
    return status;
}

void hs_modelset_free(struct hs_modelset *set)
{
    hs_arena_free(&set->arena);
    *set = (struct hs_modelset){0};
}

#define ROWS_MAX 65535u
#define NAME_MAX (HS_PROFILE_KEY_MAX - 24) /* folded; behind it '/' and a key */

enum column { MODEL, KEY, VALUE, COLUMN_COUNT };

struct hs_modelrows {
    struct hs_intern models; /* folded */
    struct hs_modelrow *rows;
    uint32_t count, cap;
};

struct rows_reader {
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

static enum hs_status read_header(struct rows_reader *r)
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

static const char *field_text(const struct rows_reader *r, enum column c)
{
    return r->row.fields[r->at[c]];
}

static enum hs_status fail_field(struct rows_reader *r, enum column c, const char *hint,
                                 const char *is)
{
    struct hs_place place = hs_csv_place(r->csv, r->at[c]);
    return hs_fail(r->diag, HS_E_INPUT, &place, hint, "%s is %s: '%.64s'", r->names[c], is,
                   field_text(r, c));
}

static enum hs_status read_model(struct rows_reader *r, char name[NAME_MAX], uint32_t *id)
{
    if (!hs_profile_fold(field_text(r, MODEL), name, NAME_MAX))
        return fail_field(r, MODEL, NULL, "too long a name");
    if (name[0] == '\0')
        return fail_field(r, MODEL, r->spec->others, "no name");
    *id = hs_intern_get(&r->table->models, name);
    return HS_OK;
}

static enum hs_status read_figure(struct rows_reader *r, enum column c,
                                  const struct hs_modelrows_figure *figure, int64_t *out)
{
    const char *text = field_text(r, c);
    const char *is = figure->read(text, strlen(text), out);
    return is == NULL ? HS_OK : fail_field(r, c, figure->hint, is);
}

/* A second row of one model and key would never be used. */
static enum hs_status check_new(struct rows_reader *r, const char *model, int64_t key)
{
    char text[HS_PROFILE_KEY_MAX];
    uint32_t id, known = r->keys.count;
    (void)snprintf(text, sizeof text, "%s/%" PRId64, model, key);
    id = hs_intern_get(&r->keys, text);
    if (id >= known)
        return HS_OK;
    return fail_field(r, MODEL, "names are compared without case, '-', '_' and blanks",
                      r->spec->twice);
}

static enum hs_status read_row(struct rows_reader *r)
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
    hs_grow((void **)&table->rows, &table->cap, (uint64_t)table->count + 1, sizeof row, ROWS_MAX);
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

static enum hs_status check_order(struct rows_reader *r)
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

static enum hs_status read_table(struct rows_reader *r, struct hs_input *input)
{
    hs_intern_init(&r->table->models);
    hs_intern_init(&r->keys);
    hs_csv_open(&r->csv, input, ',', r->diag);
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
    struct rows_reader r = {.table = hs_alloc_zeroed(1, sizeof *r.table),
                            .spec = spec,
                            .names = {"model", spec->key.name, spec->value.name},
                            .path = path,
                            .diag = diag};
    enum hs_status status = read_table(&r, input);
    hs_input_close(input);
    hs_intern_free(&r.keys);
    if (status == HS_OK) {
        *out = r.table;
        return HS_OK;
    }
    hs_modelrows_free(r.table);
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
