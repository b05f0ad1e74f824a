/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heads of model files. A set reads each given file's kind and nothing more: whoever loads the
 * file checks the rest.
 */
#include "model/modelfile.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
        if (path == NULL)
            return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the names of model files");
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
