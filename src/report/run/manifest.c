/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See manifest.h. Output order is fixed and everything that may differ between two runs of one
 * thing stands in the last object, so that the rest can be compared byte for byte.
 */
#include "report/run/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/io.h"
#include "base/timeparse.h"
#include "horus/version.h"
#include "report/run/rowfile.h"

#define MANIFEST_SCHEMA 1

static void write_counts(struct hs_jsonw *w, const char *key,
                         const struct hs_manifest_count *counts, uint32_t count)
{
    if (counts == NULL)
        return;
    hs_jsonw_member_object(w, key);
    for (uint32_t i = 0; i < count; i++)
        hs_jsonw_member_u64(w, counts[i].name, counts[i].value);
    hs_jsonw_end_object(w);
}

static void write_files(struct hs_jsonw *w, const struct hs_manifest *m)
{
    hs_jsonw_member_array(w, "inputs");
    for (uint32_t i = 0; i < m->input_count; i++) {
        const struct hs_manifest_input *in = &m->inputs[i];
        hs_jsonw_put(w, "={ role=%s path=%s", in->role, in->path);
        hs_jsonw_key(w, "xxh3_64");
        hs_jsonw_hash(w, in->hash);
        hs_jsonw_member_u64(w, "bytes", in->bytes);
        if (in->rows > 0)
            hs_jsonw_member_u64(w, "rows", in->rows);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_put(w, "] outputs=[");
    for (uint32_t i = 0; i < m->output_count; i++) {
        const struct hs_output_file *out = &m->outputs[i];
        hs_jsonw_put(w, "={ name=%s", out->name);
        hs_jsonw_key(w, "xxh3_64");
        hs_jsonw_hash(w, out->hash);
        hs_jsonw_put(w, "bytes=%" PRIu64 " rows=%" PRIu64 " }", out->bytes, out->rows);
    }
    hs_jsonw_end_array(w);
}

static void write_all(struct hs_jsonw *w, const struct hs_manifest *m)
{
    hs_jsonw_put(w, "={ schema=%u program=horus version=%s commit=%s compiler=%s flags=%s",
                 MANIFEST_SCHEMA, HS_VERSION, hs_version_commit(), hs_version_compiler(),
                 hs_version_flags());
    hs_jsonw_member_object(w, "libraries");
    for (uint32_t i = 0; i < m->libraries_count; i++)
        hs_jsonw_member_text(w, m->libraries[i].name, m->libraries[i].version);
    hs_jsonw_put(w, "} status=%s", m->status);
    if (m->card != NULL) {
        hs_jsonw_key(w, "assumptions");
        hs_card_write_json(m->card, w);
    }
    hs_jsonw_member_u64(w, "seed", m->seed);
    hs_jsonw_key(w, "config");
    m->write_config(m->config_ctx, w);
    if (m->write_more != NULL)
        m->write_more(m->more_ctx, w);
    write_files(w, m);
    write_counts(w, "engine", m->engine, m->engine_count);
    write_counts(w, "assigned", m->assigned, m->assigned_count);
    write_counts(w, "checks", m->checks, m->check_count);
    hs_jsonw_member_array(w, "warnings");
    for (uint32_t i = 0; i < m->warning_count; i++)
        hs_jsonw_text(w, m->warnings[i]);
    hs_jsonw_put(w, "] volatile={ command=[");
    for (const char *const *arg = m->machine.command; arg != NULL && *arg != NULL; arg++)
        hs_jsonw_text(w, *arg);
    hs_jsonw_put(w, "] host=%s wall_s=%g cpu_s=%g peak_rss_kib=%" PRIu64 " } }", m->machine.host,
                 m->machine.wall_s, m->machine.cpu_s, m->machine.peak_rss_kib);
    hs_jsonw_finish(w);
}

enum hs_status hs_manifest_write(const struct hs_manifest *manifest, const struct hs_rundir *dir,
                                 struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    struct hs_output out;
    struct hs_jsonw w;
    hs_rundir_file(dir, "manifest.json", path, sizeof path);
    HS_TRY(hs_output_open(&out, path, diag));
    hs_jsonw_begin(&w, &out);
    write_all(&w, manifest);
    return hs_output_close(&out, diag);
}

/* ---- read back ---- */

static bool read_hash(const struct hs_json *value, uint64_t *hash)
{
    const char *text = hs_json_text(value);
    if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *hash = strtoull(text, NULL, 16);
    return true;
}

/* A file that is not described as a run describes it is passed over. */
static void read_files(struct hs_runmanifest *m, const struct hs_json *root)
{
    const struct hs_json *in = hs_json_first(hs_json_get(root, "inputs"));
    for (; in != NULL && m->input_count < HS_RUNMANIFEST_FILES_MAX; in = hs_json_next(in)) {
        struct hs_manifest_input *input = &m->inputs[m->input_count];
        int64_t bytes = 0;
        input->role = hs_json_text(hs_json_get(in, "role"));
        input->path = hs_json_text(hs_json_get(in, "path"));
        m->input_count += input->role != NULL && input->path != NULL &&
                          read_hash(hs_json_get(in, "xxh3_64"), &input->hash) &&
                          hs_json_int(hs_json_get(in, "bytes"), &bytes);
        input->bytes = (uint64_t)bytes;
    }
    const struct hs_json *out = hs_json_first(hs_json_get(root, "outputs"));
    for (; out != NULL && m->file_count < HS_RUNMANIFEST_FILES_MAX; out = hs_json_next(out)) {
        struct hs_output_file *file = &m->files[m->file_count];
        file->name = hs_json_text(hs_json_get(out, "name"));
        m->file_count += file->name != NULL && read_hash(hs_json_get(out, "xxh3_64"), &file->hash);
    }
}

enum hs_status hs_runmanifest_open(struct hs_runmanifest *m, const char *dir, struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    const struct hs_place place = {.file = dir};
    *m = (struct hs_runmanifest){0};
    int length = snprintf(path, sizeof path, "%s/manifest.json", dir);
    if (length < 0 || (size_t)length >= sizeof path)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", dir);
    if (access(dir, F_OK) == 0 && access(path, F_OK) != 0) {
        if (errno == ENOTDIR)
            return hs_fail(diag, HS_E_INPUT, &place, "name the directory, not a file in it",
                           "not a finished run: it is no directory");
        return hs_fail(diag, HS_E_INPUT, &place,
                       "the manifest is written last: without it a run was cut short",
                       "not a finished run: there is no manifest.json in it");
    }
    const enum hs_status status = hs_runmanifest_load(m, path, diag);
    m->dir = dir;
    return status;
}

enum hs_status hs_runmanifest_load(struct hs_runmanifest *m, const char *path, struct hs_diag *diag)
{
    *m = (struct hs_runmanifest){.diag = diag};
    HS_TRY(hs_json_load(&m->doc, path, diag));
    const struct hs_json *root = hs_json_root(m->doc);
    struct hs_place place = hs_json_place(m->doc, root);
    m->config = hs_json_get(root, "config");
    if (hs_json_kind(m->config) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place,
                       "only the directories of `horus run` are understood",
                       "the manifest has no configuration");
    m->assumptions = hs_renamed_get(root, "assumptions");
    m->can = hs_json_text(hs_json_get(m->assumptions, "can"));
    read_files(m, root);
    return HS_OK;
}

const struct hs_output_file *hs_runmanifest_file(const struct hs_runmanifest *m, const char *name)
{
    for (uint32_t i = 0; i < m->file_count; i++)
        if (strcmp(m->files[i].name, name) == 0)
            return &m->files[i];
    return NULL;
}

const struct hs_manifest_input *hs_runmanifest_trace(const struct hs_runmanifest *m)
{
    for (uint32_t i = 0; i < m->input_count; i++)
        if (strcmp(m->inputs[i].role, "trace") == 0)
            return &m->inputs[i];
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

int64_t hs_runmanifest_duration_us(const struct hs_runmanifest *m, const char *key)
{
    const char *text = hs_json_text(hs_json_get(m->config, key));
    int64_t us;
    return text != NULL && hs_parse_duration_us(text, strlen(text), &us) ? us : 0;
}

void hs_runmanifest_close(struct hs_runmanifest *m)
{
    if (m->doc != NULL)
        hs_json_close(m->doc);
    m->doc = NULL;
}
