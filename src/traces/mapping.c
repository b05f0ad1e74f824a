/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Column mappings, from the command line or from a file. Read once per trace.
 */
#include "traces/mapping.h"

#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "data/json.h"

/* Place NULL: the mapping came from the command line. */
static enum hs_status set_name(struct hs_mapping *mapping, const char *key, const char *name,
                               size_t name_len, const struct hs_column *columns,
                               uint32_t column_count, const struct hs_place *place,
                               struct hs_diag *diag)
{
    const char *keys[HS_TABLE_COLUMNS_MAX];
    for (uint32_t i = 0; i < column_count; i++) {
        keys[i] = columns[i].key;
        if (strcmp(keys[i], key) != 0)
            continue;
        mapping->names[i] = hs_arena_text(&mapping->arena, name, name_len);
        return mapping->names[i] ? HS_OK : HS_E_MEMORY;
    }
    char hint[64 + 64];
    const char *nearest = hs_nearest(key, keys, column_count);
    if (nearest)
        snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    else
        snprintf(hint, sizeof hint, "the left side is a column of the native format");
    return hs_fail(diag, place ? HS_E_INPUT : HS_E_USAGE, place, hint,
                   "mapping of unknown column '%s'", key);
}

static enum hs_status load_list(struct hs_mapping *mapping, const char *list,
                                const struct hs_column *columns, uint32_t column_count,
                                struct hs_diag *diag)
{
    while (*list) {
        size_t len = strcspn(list, ",");
        const char *equals = memchr(list, '=', len);
        char key[64];
        if (!equals || equals == list || (size_t)(equals - list) >= sizeof key)
            return hs_fail(diag, HS_E_USAGE, NULL,
                           "--map=submit_time=timestamp,gpus=num_gpus, or a .json file",
                           "mapping '%.*s' is not KEY=COLUMN", (int)(len < 64 ? len : 64), list);
        snprintf(key, sizeof key, "%.*s", (int)(equals - list), list);
        HS_TRY(set_name(mapping, key, equals + 1, len - (size_t)(equals + 1 - list), columns,
                        column_count, NULL, diag));
        list += len + (list[len] == ',');
    }
    return HS_OK;
}

static enum hs_status read_columns(struct hs_mapping *mapping, const struct hs_json_doc *doc,
                                   const struct hs_json *object, const struct hs_column *columns,
                                   uint32_t column_count, struct hs_diag *diag)
{
    for (const struct hs_json *m = hs_json_first(object); m; m = hs_json_next(m)) {
        struct hs_place place = hs_json_place(doc, m);
        const char *name = hs_json_kind(m) == HS_JSON_NULL ? "" : hs_json_text(m);
        if (!name)
            return hs_fail(diag, HS_E_INPUT, &place, "a column name as text, or null",
                           "mapping of '%s' is not text", hs_json_key(m));
        HS_TRY(set_name(mapping, hs_json_key(m), name, strlen(name), columns, column_count, &place,
                        diag));
    }
    return HS_OK;
}

static enum hs_status read_unit(struct hs_mapping *mapping, const struct hs_json_doc *doc,
                                const struct hs_json *value, struct hs_diag *diag)
{
    struct hs_place place = hs_json_place(doc, value);
    const char *unit = hs_json_text(value);
    char one[32];
    int len = snprintf(one, sizeof one, "1%s", unit ? unit : "?");
    if (len < (int)sizeof one && hs_parse_duration_us(one, (size_t)len, &mapping->time_unit_us) &&
        mapping->time_unit_us > 0)
        return HS_OK;
    return hs_fail(diag, HS_E_INPUT, &place, "us, ms, s, min, h or d", "not a time unit");
}

static enum hs_status read_document(struct hs_mapping *mapping, const struct hs_json_doc *doc,
                                    const struct hs_column *columns, uint32_t column_count,
                                    struct hs_diag *diag)
{
    const struct hs_json *root = hs_json_root(doc);
    struct hs_place place = hs_json_place(doc, root);
    static const char shape[] =
        "{\"columns\": {\"submit_time\": \"timestamp\"}, \"time_unit\": \"s\"}";
    if (hs_json_kind(root) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place, shape, "a mapping file holds an object");
    for (const struct hs_json *m = hs_json_first(root); m; m = hs_json_next(m)) {
        place = hs_json_place(doc, m);
        if (strcmp(hs_json_key(m), "columns") == 0 && hs_json_kind(m) == HS_JSON_OBJECT)
            HS_TRY(read_columns(mapping, doc, m, columns, column_count, diag));
        else if (strcmp(hs_json_key(m), "time_unit") == 0)
            HS_TRY(read_unit(mapping, doc, m, diag));
        else
            return hs_fail(diag, HS_E_INPUT, &place, shape, "unexpected '%s' in a mapping file",
                           hs_json_key(m));
    }
    return HS_OK;
}

enum hs_status hs_mapping_load(struct hs_mapping *mapping, const char *text,
                               const struct hs_column *columns, uint32_t column_count,
                               struct hs_diag *diag)
{
    *mapping = (struct hs_mapping){0};
    if (!text)
        return HS_OK;
    size_t len = strlen(text);
    if (len < 5 || strcmp(text + len - 5, ".json") != 0)
        return load_list(mapping, text, columns, column_count, diag);
    struct hs_json_doc *doc;
    HS_TRY(hs_json_load(&doc, text, diag));
    enum hs_status status = read_document(mapping, doc, columns, column_count, diag);
    hs_json_close(doc);
    return status;
}

void hs_mapping_free(struct hs_mapping *mapping)
{
    hs_arena_free(&mapping->arena);
}
