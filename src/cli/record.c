/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is kept of a run beside its results: the members of a manifest, where each library's version
 * is read through the one file that includes its header; and the messages, which pass through a log
 * that keeps the warnings.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "data/param_table.h"
#include "horus/lp.h"

/* ---- logs: what is kept of a message depends on the kind ---- */

#define TEXT_MAX (1u << 20) /* bytes */

void hs_message_log_put(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_message_log *log = ctx;
    const char *copy = hs_arena_text(&log->arena, text, len);
    if (log->kind == HS_LOG_UNIQUE) {
        if (severity < log->target->least)
            return; /* not stored: the target may accept it later */
        uint32_t known = log->seen.count;
        if (hs_intern_get(&log->seen, copy) < known)
            return;
    }
    if (severity == HS_WARNING && log->warning_count < HS_LOG_WARNINGS_MAX)
        log->warnings[log->warning_count++] = copy;
    if (log->kind == HS_LOG_TEXT && (uint64_t)log->text_len + len + 1 <= TEXT_MAX) {
        hs_grow(log->text, log->text_cap, (uint64_t)log->text_len + len + 1, TEXT_MAX);
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
    hs_diag_init(&log->diag, hs_message_log_put, log);
    if (target != NULL) {
        log->diag.advance = target->advance;
        log->diag.advance_ctx = target->advance_ctx;
    }
    if (kind == HS_LOG_UNIQUE)
        hs_intern_init(&log->seen);
}

void hs_message_log_close(struct hs_message_log *log)
{
    if (log->kind == HS_LOG_UNIQUE)
        hs_intern_free(&log->seen);
    hs_free(log->text);
    hs_arena_free(&log->arena);
}

/* ---- parts of a manifest ---- */

const struct hs_manifest_library *hs_libraries(uint32_t *count)
{
    static struct hs_manifest_library libraries[7];
    libraries[0] = (struct hs_manifest_library){"gsl", hs_rng_library_version()};
    libraries[1] = (struct hs_manifest_library){"libcsv", hs_csv_library_version()};
    libraries[2] = (struct hs_manifest_library){"cjson", hs_json_library_version()};
    libraries[3] = (struct hs_manifest_library){"zlib", hs_codec_gzip.version()};
    libraries[4] = (struct hs_manifest_library){"zstd", hs_codec_zstd.version()};
    libraries[5] = (struct hs_manifest_library){"xxhash", hs_hash_library_version()};
    libraries[6] = (struct hs_manifest_library){"glpk", hs_lp_library_version()};
    *count = HS_COUNT_OF(libraries);
    return libraries;
}

struct hs_manifest_volatile hs_record_machine(const char *const *command, double wall_s,
                                              bool has_children)
{
    static const int of_whom[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    static struct utsname names;
    static char directory[HS_PATH_SIZE];
    struct hs_manifest_volatile machine = {.command = command,
                                           .host = uname(&names) == 0 ? names.nodename : NULL,
                                           .directory = getcwd(directory, sizeof directory),
                                           .wall_s = wall_s};
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

void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w)
{
    char text[4096];
    hs_jsonw_put(w, "policy_parameters={");
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        (void)hs_param_print(p, setup->policy_state, text, sizeof text);
        hs_jsonw_put(w, "%s=%s", p->key, text);
    }
    hs_jsonw_put(w, "}");
}

/* Writes jobs by the source of a figure. */
static void put_figures(struct hs_jsonw *w, const char *name,
                        const uint64_t from[HS_FIGURE_FROM_COUNT])
{
    hs_jsonw_put(w, "%s={", name);
    for (int i = 0; i < HS_FIGURE_FROM_COUNT; i++)
        hs_jsonw_put(w, "%s=%" PRIu64,
                     i == HS_FIGURE_FROM_NOWHERE ? "unknown"
                                                 : hs_figure_from_text((enum hs_figure_from)i),
                     from[i]);
    hs_jsonw_put(w, "}");
}

/* Returns the most that jobs may use of a GPU together, 1 = its time; 0 = unlimited, or unknown
 * because GPUs differ in speed. */
static double gpu_time(const struct hs_setup *s)
{
    double most = hs_speed_uniform_q32(s->speed) == HS_Q32_ONE ? 1 : 0;
    if (most == 0)
        return 0;
    for (uint32_t t = 0; s->interference != NULL && t < s->cluster.type_count; t++)
        for (uint32_t units = 2; units <= HS_TENANTS_MAX; units++) {
            const uint64_t q32 = hs_interference_capacity_q32(s->interference, t, units);
            if (q32 == UINT64_MAX)
                return 0;
            most = fmax(most, (double)q32 / (double)HS_Q32_ONE);
        }
    return most;
}

void hs_record_counts(void *ctx, struct hs_jsonw *w)
{
    static const char *const checks[] = {"off", "fast", "full"};
    static const char *const stops[] = {"", "until", "max_events", "max_wall"}; /* enum hs_stop */
    const struct hs_run_result *run = ctx;
    const struct hs_engine_figures *f = &run->figures;
    const struct hs_assign_counts *a = &run->intake.assigned;
    hs_jsonw_put(w,
                 "engine={ events=%" PRIu64 " instants=%" PRIu64 " decisions=%" PRIu64
                 " jobs=%" PRIu64 " finished=%" PRIu64 " failed=%" PRIu64 " rejected=%" PRIu64
                 " unfinished=%" PRIu64 " peak_live_jobs=%" PRIu64 " shares_divided=%" PRIu64
                 " shares_rounded=%" PRIu64 " }",
                 f->events, f->instants, f->decisions, f->jobs, f->finished, f->failed, f->rejected,
                 f->unfinished, f->peak_live_jobs, f->shares_divided, f->shares_rounded);
    if (run->setup->trace.load == 1 && run->setup->trace.scale_time == 1) {
        hs_jsonw_key(w, "origin");
        hs_jsonw_seconds(w, f->epoch_us);
    }
    if (f->stop != HS_STOP_NONE)
        hs_jsonw_put(w, "stopped={ by=%s at_us=%" PRId64 " is_deterministic=%d }", stops[f->stop],
                     f->end_us, f->stop != HS_STOP_POLL);
    hs_jsonw_put(w,
                 "assigned={ by_columns=%" PRIu64 " by_columns_inexact=%" PRIu64
                 " by_telemetry=%" PRIu64 " by_mix=%" PRIu64 " none=%" PRIu64 " }",
                 a->by_columns, a->inexact, a->by_telemetry, a->by_mix, a->none);
    if (gpu_time(run->setup) > 0)
        hs_jsonw_put(w, "gpu_time=%.6g", gpu_time(run->setup));
    put_figures(w, "gpu_util_from", a->util_from);
    put_figures(w, "gpu_mem_from", a->mem_from);
    hs_jsonw_put(w, "gpu_mem_capped=%" PRIu64 " checks={ %s=%" PRIu64 " }", f->mem_capped,
                 checks[run->setup->options->check], f->checks);
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

const char *hs_if_file(const char *spec)
{
    size_t len = spec != NULL ? strlen(spec) : 0;
    return len > 5 && strcmp(spec + len - 5, ".json") == 0 ? spec : NULL;
}

/* hs_setup_file if that is a file; NULL: none, or the shape of a cluster. */
static const char *kept_file(const struct hs_run_options *options, enum hs_kept_role role)
{
    const char *spec = hs_setup_file(options, role);
    return spec == NULL || hs_if_file(spec) != NULL || access(spec, F_OK) == 0 ? spec : NULL;
}

enum hs_status hs_record_inputs(const struct hs_setup *setup, struct hs_manifest_input *inputs,
                                uint32_t *count, struct hs_diag *diag)
{
    const struct hs_run_options *options = setup->options;
    struct hs_run_options named = *options;
    memset(named.kept, 0, sizeof named.kept);
    for (int role = 0; role < HS_KEPT_ROLES; role++) {
        const uint32_t before = *count;
        HS_TRY(add_input(inputs, count, hs_kept_names[role].role,
                         kept_file(options, (enum hs_kept_role)role), diag));
        for (uint32_t i = before; i < *count; i++) /* its name, wherever it lies now */
            inputs[i].path = hs_setup_file(&named, (enum hs_kept_role)role);
    }
    HS_TRY(add_input(inputs, count, "workload", setup->workload_file, diag));
    HS_TRY(add_input(inputs, count, "vcs", options->vc_file, diag));
    HS_TRY(add_input(inputs, count, "map", hs_if_file(options->read.map), diag));
    HS_TRY(add_input(inputs, count, "gavel_throughputs", options->read.gavel_throughputs, diag));
    HS_TRY(add_input(inputs, count, "config", options->config_file, diag));
    HS_TRY(add_input(inputs, count, "profiles", options->profiles, diag));
    if (setup->restart != NULL)
        HS_TRY(add_input(inputs, count, "restarts", options->restart_table, diag));
    if (setup->memcurve != NULL)
        HS_TRY(add_input(inputs, count, "memory_limits", options->memory_limits, diag));
    for (int kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (hs_setup_uses(setup, (enum hs_model_kind)kind))
            HS_TRY(add_input(inputs, count, hs_model_kinds[kind], setup->models.path[kind], diag));
    for (uint32_t i = 0; i < setup->file_count; i++)
        if (!is_listed(inputs, *count, setup->files[i].role, setup->files[i].path))
            inputs[(*count)++] = setup->files[i];
    return HS_OK;
}

enum hs_status hs_record_kept(const struct hs_run_options *options, const struct hs_rundir *dir,
                              struct hs_output_file *files, uint32_t *count, struct hs_diag *diag)
{
    for (int role = 0; role < HS_KEPT_ROLES; role++) {
        const char *from = kept_file(options, (enum hs_kept_role)role);
        char *text;
        struct hs_output out;
        size_t size;
        if (from == NULL || strncmp(from, HS_BUILTIN, strlen(HS_BUILTIN)) == 0)
            continue;
        const char *name = hs_kept_names[role].files[hs_if_file(from) != NULL];
        HS_TRY(hs_read_file(from, UINT32_MAX, &text, &size, diag));
        enum hs_status status = hs_output_open(&out, HS_RUNDIR_FILE(dir, name), diag);
        if (status == HS_OK) {
            hs_output_put(&out, text, size);
            files[(*count)++] = hs_output_file_of(&out, name, 0);
            status = hs_output_close(&out, diag);
        }
        hs_free(text);
        HS_TRY(status);
    }
    return HS_OK;
}

static struct hs_csv_row keep_row(const struct hs_csv_row *row, struct hs_arena *arena)
{
    const char **fields = hs_arena_alloc(arena, row->count * sizeof *fields + 1);
    uint32_t *lengths = hs_arena_alloc(arena, row->count * sizeof *lengths + 1);
    for (uint32_t i = 0; i < row->count; i++) {
        fields[i] = hs_arena_text(arena, row->fields[i], row->lengths[i]);
        lengths[i] = row->lengths[i];
    }
    return (struct hs_csv_row){fields, lengths, row->count, row->line, row->has_breaks};
}

enum hs_status hs_record_read_summary(const char *path, struct hs_arena *arena,
                                      struct hs_summary_csv *summary, struct hs_diag *diag)
{
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    HS_TRY(hs_regular_check(path, diag));
    HS_TRY(hs_input_open(&input, path, diag));
    hs_csv_open(&csv, input, ',', diag);
    enum hs_status status = hs_csv_next(csv, &row);
    if (status == HS_OK) {
        summary->head = keep_row(&row, arena);
        status = hs_csv_next(csv, &row);
    }
    if (status == HS_OK) {
        summary->row = keep_row(&row, arena);
        status = hs_csv_next(csv, &row); /* to the end: the hash covers the whole file */
        status = status == HS_END ? HS_OK : status;
    } else if (status == HS_END) {
        status = hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}), NULL,
                         "a summary has a header and a row");
    }
    summary->hash = hs_input_hash(input);
    hs_csv_close(csv);
    hs_input_close(input);
    return status;
}

enum hs_status hs_record_join(const char *path, struct hs_arena *arena, struct hs_csv_row *head,
                              struct hs_diag *diag)
{
    struct hs_arena own = {0};
    struct hs_summary_csv summary;
    enum hs_status status = hs_record_read_summary(path, &own, &summary, diag);
    const struct hs_csv_row *more = &summary.head;
    const uint32_t most = status == HS_OK ? head->count + more->count : 0;
    const char **fields = hs_arena_alloc(&own, most * sizeof *fields + 1);
    uint32_t *lengths = hs_arena_alloc(&own, most * sizeof *lengths + 1);
    struct hs_csv_row all = {.fields = fields, .lengths = lengths, .count = head->count};
    for (uint32_t i = 0; i < head->count && status == HS_OK; i++) {
        fields[i] = head->fields[i];
        lengths[i] = head->lengths[i];
    }
    for (uint32_t i = 0, at = 0; status == HS_OK && i < more->count; i++, at++) {
        if (at < all.count && strcmp(fields[at], more->fields[i]) == 0)
            continue;
        const uint32_t column = hs_csv_column(&all, more->fields[i]);
        if (column != UINT32_MAX) {
            at = column;
            continue;
        }
        memmove(fields + at + 1, fields + at, (all.count - at) * sizeof *fields);
        memmove(lengths + at + 1, lengths + at, (all.count - at) * sizeof *lengths);
        fields[at] = more->fields[i];
        lengths[at] = more->lengths[i];
        all.count++;
    }
    if (status == HS_OK && all.count > head->count)
        *head = keep_row(&all, arena);
    hs_arena_free(&own);
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
