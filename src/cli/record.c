/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers the members of a manifest from where they are known. Each library is asked for its
 * version through the one file that includes its header. The messages of a run pass a log, which
 * keeps its warnings for the manifest.
 */
#include "cli/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/codec.h"
#include "base/fmt.h"
#include "base/io.h"
#include "base/rng.h"
#include "data/csvread.h"
#include "data/json.h"
#include "data/param_table.h"

const struct hs_manifest_library *hs_libraries(uint32_t *count)
{
    static struct hs_manifest_library libraries[6];
    libraries[0] = (struct hs_manifest_library){"gsl", hs_rng_library_version()};
    libraries[1] = (struct hs_manifest_library){"libcsv", hs_csv_library_version()};
    libraries[2] = (struct hs_manifest_library){"cjson", hs_json_library_version()};
    libraries[3] = (struct hs_manifest_library){"zlib", hs_gzip_library_version()};
    libraries[4] = (struct hs_manifest_library){"zstd", hs_zstd_library_version()};
    libraries[5] = (struct hs_manifest_library){"xxhash", hs_hash_library_version()};
    *count = sizeof libraries / sizeof *libraries;
    return libraries;
}

struct hs_manifest_volatile hs_record_machine(const char *const *command, double wall_s,
                                              bool has_children)
{
    static const int of_whom[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    static struct utsname names;
    struct hs_manifest_volatile machine = {
        .command = command, .host = uname(&names) == 0 ? names.nodename : NULL, .wall_s = wall_s};
    struct rusage usage;
    for (int i = 0; i < (has_children ? 2 : 1); i++) {
        if (getrusage(of_whom[i], &usage) != 0)
            continue;
        machine.cpu_s += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
        if ((uint64_t)usage.ru_maxrss > machine.peak_rss_kib)
            machine.peak_rss_kib = (uint64_t)usage.ru_maxrss;
    }
    return machine;
}

/* A repeated option's values are lines: a list when there are several. */
static void write_text(const struct hs_option *option, const char *text, struct hs_jsonw *w)
{
    char line[4096];
    if (!option->is_repeated || strchr(text, '\n') == NULL) {
        hs_jsonw_text(w, text);
        return;
    }
    hs_jsonw_put(w, "=[");
    for (size_t len;; text += len + 1) {
        len = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)len, text);
        hs_jsonw_text(w, line);
        if (text[len] == '\0')
            break;
    }
    hs_jsonw_put(w, "]");
}

void hs_record_config(void *ctx, struct hs_jsonw *w)
{
    const struct hs_config *config = ctx;
    const void *base = config->base;
    char text[4096];
    hs_jsonw_put(w, "={");
    for (const struct hs_option *o = config->options; o->param.key != NULL; o++) {
        const void *value = (const char *)base + o->param.offset;
        if (o->is_local)
            continue;
        if (o->param.type == HS_PARAM_TEXT && *(const char *const *)value == NULL)
            continue;
        hs_jsonw_key(w, o->param.key);
        if (o->param.type == HS_PARAM_FLAG) {
            hs_jsonw_bool(w, *(const bool *)value);
        } else if (o->param.type == HS_PARAM_INT) {
            hs_jsonw_i64(w, *(const int64_t *)value);
        } else if (o->param.type == HS_PARAM_REAL) {
            hs_jsonw_double(w, *(const double *)value);
        } else if (o->param.type == HS_PARAM_TEXT) {
            write_text(o, *(const char *const *)value, w);
        } else {
            (void)hs_param_print(&o->param, base, text, sizeof text);
            hs_jsonw_text(w, text);
        }
    }
    hs_jsonw_put(w, "}");
}

void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w)
{
    char text[4096];
    hs_jsonw_key(w, "policy_parameters");
    hs_jsonw_put(w, "={");
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        (void)hs_param_print(p, setup->policy_state, text, sizeof text);
        hs_jsonw_put(w, "%s=%s", p->key, text);
    }
    hs_jsonw_put(w, "}");
}

static bool is_listed(const struct hs_manifest_input *inputs, uint32_t count, const char *role,
                      const char *path)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(inputs[i].role, role) == 0 && strcmp(inputs[i].path, path) == 0)
            return true;
    return false;
}

static enum hs_status add_input(struct hs_manifest_input *inputs, uint32_t *count, const char *role,
                                const char *path, struct hs_diag *diag)
{
    struct hs_manifest_input *input = &inputs[*count];
    if (path == NULL || is_listed(inputs, *count, role, path))
        return HS_OK;
    *input = (struct hs_manifest_input){.role = role, .path = path};
    HS_TRY(hs_hash_file(path, &input->hash, &input->bytes, diag));
    (*count)++;
    return HS_OK;
}

/* A cluster may be a shape and a map a list: these are in the configuration, not files. */
static const char *if_file(const char *spec)
{
    size_t len = spec != NULL ? strlen(spec) : 0;
    return len > 5 && strcmp(spec + len - 5, ".json") == 0 ? spec : NULL;
}

enum hs_status hs_record_inputs(const struct hs_setup *setup, struct hs_manifest_input *inputs,
                                uint32_t *count, struct hs_diag *diag)
{
    const struct hs_run_options *options = setup->options;
    HS_TRY(add_input(inputs, count, "cluster", if_file(options->cluster), diag));
    HS_TRY(add_input(inputs, count, "workload", setup->workload_file, diag));
    HS_TRY(add_input(inputs, count, "vcs", options->vc_file, diag));
    HS_TRY(add_input(inputs, count, "map", if_file(options->read.map), diag));
    HS_TRY(add_input(inputs, count, "gavel_throughputs", options->read.gavel_throughputs, diag));
    HS_TRY(add_input(inputs, count, "config", options->config_file, diag));
    HS_TRY(add_input(inputs, count, "profiles", options->profiles, diag));
    if (setup->models.restart != NULL)
        HS_TRY(add_input(inputs, count, "restarts", options->restart_table, diag));
    if (setup->models.memcurve != NULL)
        HS_TRY(add_input(inputs, count, "memory_limits", options->memory_limits, diag));
    for (int kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (hs_models_use(&setup->models, (enum hs_model_kind)kind))
            HS_TRY(add_input(inputs, count, hs_model_kinds[kind], setup->models.files.path[kind],
                             diag));
    for (uint32_t i = 0; i < setup->file_count; i++)
        if (!is_listed(inputs, *count, setup->files[i].role, setup->files[i].path))
            inputs[(*count)++] = setup->files[i];
    return HS_OK;
}

enum hs_status hs_record_close_csv(struct hs_csvw *csv, const char *name,
                                   struct hs_output_file *file, struct hs_diag *diag)
{
    *file = hs_output_file_of(&csv->out, name, csv->rows);
    return hs_csvw_close(csv, diag);
}

static struct hs_csv_row keep_row(const struct hs_csv_row *row, struct hs_arena *arena)
{
    const char **fields = hs_arena_alloc(arena, row->count * sizeof *fields + 1);
    uint32_t *lengths = hs_arena_alloc(arena, row->count * sizeof *lengths + 1);
    for (uint32_t i = 0; i < row->count; i++) {
        fields[i] = hs_arena_text(arena, row->fields[i], row->lengths[i]);
        lengths[i] = row->lengths[i];
    }
    return (struct hs_csv_row){fields, lengths, row->count, row->line};
}

enum hs_status hs_record_read_summary(const char *path, struct hs_arena *arena,
                                      struct hs_summary_csv *summary, struct hs_diag *diag)
{
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    HS_TRY(hs_input_open(&input, path, diag));
    hs_csv_open(&csv, input, ',', diag);
    enum hs_status status = hs_csv_next(csv, &row);
    if (status == HS_OK) {
        summary->head = keep_row(&row, arena);
        status = hs_csv_next(csv, &row);
    }
    if (status == HS_OK) {
        summary->row = keep_row(&row, arena);
        status = hs_csv_next(csv, &row); /* to the end: the hash is of the whole file */
        status = status == HS_END ? HS_OK : status;
    } else if (status == HS_END) {
        status = hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                         "a summary has a header and a row");
    }
    summary->hash = hs_input_hash(input);
    hs_csv_close(csv);
    hs_input_close(input);
    return status;
}

double hs_record_number(const struct hs_csv_row *row, uint32_t column)
{
    double value;
    if (column < row->count && hs_parse_double(row->fields[column], row->lengths[column], &value))
        return value;
    return (double)NAN;
}

char *hs_record_header(struct hs_arena *arena, const char *first, const char *prefix,
                       const char *const *names, uint32_t count)
{
    size_t size = strlen(first) + 1;
    for (uint32_t i = 0; i < count; i++)
        size += strlen(prefix) + strlen(names[i]) + 1;
    char *header = hs_arena_alloc(arena, size);
    hs_append(header, size, "%s", first);
    for (uint32_t i = 0; i < count; i++)
        hs_append(header, size, ",%s%s", prefix, names[i]);
    return header;
}

enum hs_status hs_record_manifest(struct hs_manifest *manifest, const struct hs_message_log *log,
                                  const struct hs_rundir *dir, struct hs_diag *diag)
{
    manifest->libraries = hs_libraries(&manifest->libraries_count);
    if (log != NULL) {
        manifest->warnings = log->warnings;
        manifest->warning_count = log->warning_count;
    }
    return hs_manifest_write(manifest, dir, diag);
}

/* ---- logs: what is kept of a message depends on the kind ---- */

#define TEXT_MAX (1u << 20) /* bytes */

static void put(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_message_log *log = ctx;
    const char *copy = hs_arena_text(&log->arena, text, len);
    if (log->kind == HS_LOG_UNIQUE) {
        if (severity < log->target->least)
            return; /* not remembered: the target may want it later */
        uint32_t known = log->seen.count;
        if (hs_intern_get(&log->seen, copy) < known)
            return;
    }
    if (severity == HS_WARNING && log->warning_count < HS_LOG_WARNINGS_MAX)
        log->warnings[log->warning_count++] = copy;
    if (log->kind == HS_LOG_TEXT && (uint64_t)log->text_len + len + 1 <= TEXT_MAX) {
        hs_grow((void **)&log->text, &log->text_cap, (uint64_t)log->text_len + len + 1, 1,
                TEXT_MAX);
        memcpy(log->text + log->text_len, text, len);
        log->text[log->text_len + len] = '\n';
        log->text_len += (uint32_t)len + 1;
    }
    if (log->target == NULL)
        return;
    log->target->errors += severity == HS_ERROR;
    log->target->warnings += severity == HS_WARNING;
    if (severity >= log->target->least)
        log->target->emit(log->target->ctx, severity, text, len);
}

void hs_message_log_open(struct hs_message_log *log, struct hs_diag *target, enum hs_log_kind kind)
{
    *log = (struct hs_message_log){.target = target, .kind = kind};
    hs_diag_init(&log->diag, put, log);
    if (kind == HS_LOG_UNIQUE)
        hs_intern_init(&log->seen);
}

void hs_message_log_put(struct hs_message_log *log, enum hs_severity severity, const char *text,
                        size_t len)
{
    put(log, severity, text, len);
}

void hs_message_log_close(struct hs_message_log *log)
{
    if (log->kind == HS_LOG_UNIQUE)
        hs_intern_free(&log->seen);
    hs_free(log->text);
    hs_arena_free(&log->arena);
}
