/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See runmanifest.h.
 */
#include "report/runmanifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fmt.h"

#define PATH_SIZE 4096

static bool read_hash(const struct hs_json *value, uint64_t *hash)
{
    const char *text = hs_json_text(value);
    if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *hash = strtoull(text, NULL, 16);
    return true;
}

static void read_inputs(struct hs_runmanifest *m, const struct hs_json *root)
{
    const struct hs_json *in = hs_json_first(hs_json_get(root, "inputs"));
    for (; in != NULL && m->input_count < HS_RUNMANIFEST_FILES_MAX; in = hs_json_next(in)) {
        struct hs_runmanifest_input *input = &m->inputs[m->input_count];
        int64_t bytes = 0;
        input->role = hs_json_text(hs_json_get(in, "role"));
        input->path = hs_json_text(hs_json_get(in, "path"));
        bool has_hash = read_hash(hs_json_get(in, "xxh3_64"), &input->hash) &&
                        hs_json_int(hs_json_get(in, "bytes"), &bytes);
        input->bytes = (uint64_t)bytes;
        if (input->role == NULL || !has_hash)
            continue;
        if (strcmp(input->role, "trace") == 0) {
            m->has_trace_hash = true;
            m->trace_hash = input->hash;
            m->trace_bytes = input->bytes;
        }
        m->input_count += input->path != NULL;
    }
}

static void read_files(struct hs_runmanifest *m, const struct hs_json *root)
{
    const struct hs_json *out = hs_json_first(hs_json_get(root, "outputs"));
    for (; out != NULL && m->file_count < HS_RUNMANIFEST_FILES_MAX; out = hs_json_next(out)) {
        struct hs_runmanifest_file *file = &m->files[m->file_count];
        file->name = hs_json_text(hs_json_get(out, "name"));
        m->file_count += file->name != NULL && read_hash(hs_json_get(out, "xxh3_64"), &file->hash);
    }
}

enum hs_status hs_runmanifest_open(struct hs_runmanifest *m, const char *dir, struct hs_diag *diag)
{
    char path[PATH_SIZE];
    *m = (struct hs_runmanifest){0};
    int length = snprintf(path, sizeof path, "%s/manifest.json", dir);
    if (length < 0 || length >= PATH_SIZE)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", dir);
    if (access(dir, F_OK) == 0 && access(path, F_OK) != 0 && errno == ENOTDIR)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = dir},
                       "name the directory, not a file in it",
                       "not a finished run: it is no directory");
    if (access(dir, F_OK) == 0 && access(path, F_OK) != 0)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = dir},
                       "the manifest is written last: without it a run was cut short",
                       "not a finished run: there is no manifest.json in it");
    return hs_runmanifest_load(m, path, diag);
}

enum hs_status hs_runmanifest_load(struct hs_runmanifest *m, const char *path, struct hs_diag *diag)
{
    *m = (struct hs_runmanifest){0};
    HS_TRY(hs_json_load(&m->doc, path, diag));
    const struct hs_json *root = hs_json_root(m->doc);
    struct hs_place place = hs_json_place(m->doc, root);
    m->config = hs_json_get(root, "config");
    if (hs_json_kind(m->config) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place,
                       "only the directories of `horus run` are understood",
                       "the manifest has no configuration");
    m->can = hs_json_text(hs_json_get(hs_json_get(root, "card"), "can"));
    read_inputs(m, root);
    read_files(m, root);
    return HS_OK;
}

const struct hs_runmanifest_file *hs_runmanifest_file(const struct hs_runmanifest *m,
                                                      const char *name)
{
    for (uint32_t i = 0; i < m->file_count; i++)
        if (strcmp(m->files[i].name, name) == 0)
            return &m->files[i];
    return NULL;
}

const char *hs_runmanifest_text(const struct hs_json *value, char text[HS_RUNMANIFEST_NUMBER_SIZE])
{
    int64_t whole;
    if (hs_json_kind(value) != HS_JSON_NUMBER)
        return hs_json_text(value);
    size_t length = hs_json_int(value, &whole) ? hs_fmt_i64(text, whole)
                                               : hs_fmt_double(text, hs_json_number(value));
    text[length] = '\0';
    return text;
}

void hs_runmanifest_close(struct hs_runmanifest *m)
{
    if (m->doc != NULL)
        hs_json_close(m->doc);
    m->doc = NULL;
}
