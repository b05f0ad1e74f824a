/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes manifest.json through data/json. Output order is fixed and everything that may differ
 * between two runs of one thing stands in the last object, so that the rest can be compared byte
 * for byte.
 */
#include "report/manifest.h"

#include <stddef.h>

#include "base/io.h"
#include "horus/version.h"
#include "report/card.h"

#define MANIFEST_SCHEMA 1

static void write_counts(struct hs_jsonw *w, const char *key,
                         const struct hs_manifest_count *counts, uint32_t count)
{
    if (counts == NULL)
        return;
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < count; i++)
        hs_jsonw_member_u64(w, counts[i].name, counts[i].value);
    hs_jsonw_end_object(w);
}

static void write_build(struct hs_jsonw *w, const struct hs_manifest *m)
{
    hs_jsonw_member_text(w, "version", HS_VERSION);
    hs_jsonw_member_text(w, "commit", hs_version_commit());
    hs_jsonw_member_text(w, "compiler", hs_version_compiler());
    hs_jsonw_member_text(w, "flags", hs_version_flags());
    hs_jsonw_key(w, "libraries");
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < m->libraries_count; i++)
        hs_jsonw_member_text(w, m->libraries[i].name, m->libraries[i].version);
    hs_jsonw_end_object(w);
}

static void write_inputs(struct hs_jsonw *w, const struct hs_manifest *m)
{
    hs_jsonw_key(w, "inputs");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < m->input_count; i++) {
        const struct hs_manifest_input *in = &m->inputs[i];
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "role", in->role);
        hs_jsonw_member_text(w, "path", in->path);
        hs_jsonw_key(w, "xxh3_64");
        hs_jsonw_hash(w, in->hash);
        hs_jsonw_member_u64(w, "bytes", in->bytes);
        if (in->rows > 0)
            hs_jsonw_member_u64(w, "rows", in->rows);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void write_outputs(struct hs_jsonw *w, const struct hs_manifest *m)
{
    hs_jsonw_key(w, "outputs");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < m->output_count; i++) {
        const struct hs_output_file *out = &m->outputs[i];
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "name", out->name);
        hs_jsonw_key(w, "xxh3_64");
        hs_jsonw_hash(w, out->hash);
        hs_jsonw_member_u64(w, "bytes", out->bytes);
        hs_jsonw_member_u64(w, "rows", out->rows);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void write_machine(struct hs_jsonw *w, const struct hs_manifest_volatile *machine)
{
    hs_jsonw_key(w, "volatile");
    hs_jsonw_object(w);
    hs_jsonw_key(w, "command");
    hs_jsonw_array(w);
    for (const char *const *arg = machine->command; arg != NULL && *arg != NULL; arg++)
        hs_jsonw_text(w, *arg);
    hs_jsonw_end_array(w);
    hs_jsonw_member_text(w, "host", machine->host);
    hs_jsonw_key(w, "wall_s");
    hs_jsonw_double(w, machine->wall_s);
    hs_jsonw_key(w, "cpu_s");
    hs_jsonw_double(w, machine->cpu_s);
    hs_jsonw_member_u64(w, "peak_rss_kib", machine->peak_rss_kib);
    hs_jsonw_end_object(w);
}

static void write_all(struct hs_jsonw *w, const struct hs_manifest *m)
{
    hs_jsonw_object(w);
    hs_jsonw_member_u64(w, "schema", MANIFEST_SCHEMA);
    hs_jsonw_member_text(w, "program", "horus");
    write_build(w, m);
    hs_jsonw_member_text(w, "status", m->status);
    if (m->card != NULL) {
        hs_jsonw_key(w, "card");
        hs_card_write_json(m->card, w);
    }
    hs_jsonw_member_u64(w, "seed", m->seed);
    hs_jsonw_key(w, "config");
    if (m->write_config != NULL)
        m->write_config(m->config_ctx, w);
    else
        hs_jsonw_null(w);
    if (m->write_more != NULL)
        m->write_more(m->more_ctx, w);
    write_inputs(w, m);
    write_outputs(w, m);
    write_counts(w, "engine", m->engine, m->engine_count);
    write_counts(w, "assigned", m->assigned, m->assigned_count);
    write_counts(w, "checks", m->checks, m->check_count);
    hs_jsonw_key(w, "warnings");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < m->warning_count; i++)
        hs_jsonw_text(w, m->warnings[i]);
    hs_jsonw_end_array(w);
    write_machine(w, &m->machine);
    hs_jsonw_end_object(w);
    hs_jsonw_finish(w);
}

enum hs_status hs_manifest_write(const struct hs_manifest *manifest, const struct hs_rundir *dir,
                                 struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    hs_rundir_file(dir, "manifest.json", path, sizeof path);
    struct hs_output out;
    HS_TRY(hs_output_open(&out, path, diag));
    struct hs_jsonw w;
    hs_jsonw_begin(&w, &out);
    write_all(&w, manifest);
    return hs_output_close(&out, diag);
}
