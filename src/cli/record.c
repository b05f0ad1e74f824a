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
#include "report/run/run_table.h"

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
    *count = sizeof libraries / sizeof *libraries;
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

/* A map may be a list, which is in the configuration, not a file. */
static const char *if_file(const char *spec)
{
    size_t len = spec != NULL ? strlen(spec) : 0;
    return len > 5 && strcmp(spec + len - 5, ".json") == 0 ? spec : NULL;
}

const char *hs_setup_file(const struct hs_run_options *options, enum hs_kept_role role)
{
    const char *const named[HS_KEPT_ROLES] = {hs_builtin_cluster(options->cluster), options->events,
                                              options->reservations};
    return options->kept[role] != NULL ? options->kept[role] : named[role];
}

/* The same if it is a file; NULL: none, or the shape of a cluster. */
static const char *kept_file(const struct hs_run_options *options, enum hs_kept_role role)
{
    const char *spec = hs_setup_file(options, role);
    return spec == NULL || if_file(spec) != NULL || access(spec, F_OK) == 0 ? spec : NULL;
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
    HS_TRY(add_input(inputs, count, "map", if_file(options->read.map), diag));
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
        char path[HS_PATH_SIZE], *text;
        struct hs_output out;
        size_t size;
        if (from == NULL || strncmp(from, HS_BUILTIN, strlen(HS_BUILTIN)) == 0)
            continue;
        const char *name = hs_kept_names[role].files[if_file(from) != NULL];
        HS_TRY(hs_read_file(from, UINT32_MAX, &text, &size, diag));
        hs_rundir_file(dir, name, path, sizeof path);
        enum hs_status status = hs_output_open(&out, path, diag);
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
        status = hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                         "a summary has a header and a row");
    }
    summary->hash = hs_input_hash(input);
    hs_csv_close(csv);
    hs_input_close(input);
    return status;
}

enum hs_status hs_record_widest(const char *path, struct hs_arena *arena, struct hs_csv_row *head,
                                struct hs_diag *diag)
{
    struct hs_arena own = {0};
    struct hs_summary_csv summary;
    const enum hs_status status = hs_record_read_summary(path, &own, &summary, diag);
    if (status == HS_OK && summary.head.count > head->count)
        *head = keep_row(&summary.head, arena);
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

/* ---- warnings of a run ----
 *
 * The warnings of a run on standard error at its end: what was left out, assumed, ignored or cut,
 * and whether the load distinguishes policies. */

bool hs_run_is_cut(const struct hs_run_result *result)
{
    return result->figures.stop == HS_STOP_EVENTS || result->figures.stop == HS_STOP_POLL;
}

const char *hs_run_cut_text(const struct hs_run_result *result, char text[HS_RUN_CUT_SIZE])
{
    const struct hs_run_options *options = result->setup->options;
    const char *at = HS_SECONDS(result->figures.end_us);
    if (result->figures.stop == HS_STOP_EVENTS)
        (void)snprintf(text, HS_RUN_CUT_SIZE, "--max-events=%" PRId64 " at %s s of the simulation",
                       options->max_events, at);
    else
        (void)snprintf(text, HS_RUN_CUT_SIZE,
                       "--max-wall=%ss at %s s of the simulation: not deterministic, a faster "
                       "machine gets further",
                       HS_SECONDS(options->max_wall_us), at);
    return text;
}

void hs_warn_of_rows(const struct hs_trace_counts *counts, bool has_order, struct hs_diag *diag)
{
    for (int i = 0; i < HS_DROP_COUNT; i++)
        hs_warn_some(diag, NULL, counts->drops[i], counts->rows, "rows left out: %s",
                     hs_drop_texts[i]);
    hs_warn_some(diag, NULL, has_order ? counts->reordered : 0, counts->rows,
                 "rows came late and were put in order of submission");
    hs_warn_some(diag, NULL, counts->rounded, counts->accepted,
                 "jobs had their GPUs rounded up: " HS_ROUNDED_TEXT);
}

void hs_warn_of_profiles(const struct hs_assign_counts *assigned,
                         const struct hs_retry_counts *retries, uint64_t jobs, struct hs_diag *diag)
{
    hs_warn_some(diag, NULL, assigned->inexact, jobs,
                 "jobs name a batch, dataset or precision that the catalogue does not have, "
                 "e.g. '%s': %s stands for it",
                 assigned->inexact_example, assigned->inexact_instead);
    hs_warn_some(diag,
                 "add its row to the catalogue (--profiles); by default an assumed profile is "
                 "drawn for them, --assign=columns leaves them without one",
                 assigned->unknown_model, jobs,
                 "jobs name a model that the catalogue does not know, e.g. '%s'",
                 assigned->unknown_example);
    hs_fractions_warn(&assigned->utils, NULL, "gpu_util", "jobs", diag);
    hs_warn_some(diag, NULL, assigned->deadlines_drawn, jobs,
                 "jobs have a deadline by draw (--deadlines), not of the trace");
    hs_warn_some(diag, NULL, assigned->losses_drawn, jobs,
                 "jobs have a loss curve by draw (--losses), not of the trace");
    hs_warn_some(diag, NULL, retries->jobs, jobs,
                 "jobs fail %" PRIu64 " times before their recorded run: %.1f h of run time on top "
                 "of the trace's",
                 retries->failures, (double)retries->added_us / 3600e6);
}

enum hs_status hs_check_rejected(const char *trace, const char *policy, double rejected,
                                 double jobs, struct hs_diag *diag)
{
    if (!(jobs > 0 && rejected >= jobs))
        return HS_OK;
    return hs_fail(
        diag, HS_E_INPUT, &(struct hs_place){.file = trace},
        "is it the right cluster? `horus trace validate TRACE -c CLUSTER` says which jobs "
        "do not fit, and why",
        "every one of %.0f jobs was rejected under '%s': nothing ran", jobs, policy);
}

/* Warns of columns of the trace in which jobs differ and that the policy did not read; not if
 * nothing ran. */
static void warn_of_ignored(const struct hs_setup *setup, const struct hs_run_result *result,
                            struct hs_diag *diag)
{
    const struct hs_assign_counts *a = &result->intake.assigned;
    const struct hs_engine_figures *f = &result->figures;
    const uint64_t jobs = result->intake.trace.accepted;
    uint64_t largest = 0, classes = jobs - a->classes[HS_JOB_CLASS_AUTO];
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++)
        largest = a->classes[i] > largest ? a->classes[i] : largest;
    const struct {
        const char *column;
        uint64_t jobs;
        bool is_telling;
        const char *hint;
    } columns[] = {{"priority", a->with_priority,
                    !f->reads_priority && setup->card.policy_semantics.priority == NULL &&
                        a->least_priority < a->most_priority,
                    hs_param_find(setup->policy->params, "priority") != NULL
                        ? "its parameter priority=order puts jobs of higher priority first"
                        : NULL},
                   {"deadline", a->with_deadline, !f->reads_deadline, NULL},
                   {"class", classes, !f->reads_class && largest < jobs,
                    hs_param_find(setup->policy->params, "class") != NULL
                        ? "its parameter class=order puts guaranteed jobs first"
                        : NULL}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns && f->finished > 0; i++)
        if (columns[i].is_telling)
            hs_warn_some(diag, columns[i].hint, columns[i].jobs, jobs,
                         "jobs have a %s: policy '%s' ignores it", columns[i].column,
                         setup->policy->name);
}

static void warn_of_unused(const struct hs_setup *setup, const struct hs_reservation *of,
                           struct hs_diag *diag)
{
    if (of != NULL)
        hs_report(diag, HS_WARNING,
                  &(struct hs_place){.file = setup->options->reservations, .line = of->line}, NULL,
                  "reserved for user '%s', but no job of the run is of that user", of->user);
}

void hs_run_note_demand(const struct hs_setup *setup, const struct hs_run_result *result,
                        struct hs_diag *diag)
{
    const int jobs_min = 100;
    const struct hs_intake *intake = &result->intake;
    const double span_us = (double)(intake->last_us - intake->first_us);
    const double gpus = (double)setup->cluster.gpu_count;
    const double load = (double)intake->demand_us / HS_GPU_MILLI / gpus / span_us;
    const bool is_idle = hs_summary_get(&result->summary, "max_wait") == 0 &&
                         hs_summary_get(&result->summary, "mean_queueing_delay") == 0 &&
                         result->figures.unfinished == 0;
    if (span_us <= 0 || result->figures.jobs - intake->rejected < jobs_min)
        return;
    if (is_idle)
        hs_report(diag, HS_NOTE, NULL, "--load=2 submits the jobs in half the time",
                  "no job waited: they ask for %.0f %% of the GPUs over the span of their "
                  "submissions, so that policies which order jobs cannot differ",
                  100 * load);
    else if (load > 1)
        hs_report(diag, HS_NOTE, NULL, "--load below 1 submits them in more time",
                  "jobs ask for %.0f %% of the GPUs over the span of their submissions: the queue "
                  "grows to its end, and waits with the length of the trace",
                  100 * load);
}

#define LONG_LEFT_S 5.0

/* Returns the key of the parameter that can be set to `fluid`, which replaces turns played one by
 * one; NULL if the policy has none or it is set so already. */
static const char *fluid_key(const struct hs_setup *setup)
{
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        if (p->type != HS_PARAM_CHOICE)
            continue;
        int32_t value;
        memcpy(&value, (const char *)setup->policy_state + p->offset, sizeof value);
        for (int32_t i = 0; p->choices[i] != NULL; i++)
            if (strcmp(p->choices[i], "fluid") == 0 && i != value)
                return p->key;
    }
    return NULL;
}

bool hs_run_note_length(const struct hs_setup *setup, double used_s, double share, uint64_t events,
                        struct hs_diag *diag)
{
    const double left_s = share > 0 ? used_s / share * (1 - share) : 0;
    char hint[HS_HINT_SIZE];
    if (left_s < LONG_LEFT_S)
        return false;
    const char *key = fluid_key(setup);
    (void)snprintf(hint, sizeof hint, "%s%s%s--max-wall=1min ends it, --max-jobs takes fewer jobs",
                   key != NULL ? "the policy's parameter " : "", key != NULL ? key : "",
                   key != NULL ? "=fluid makes it cheaper, " : "");
    hs_report(
        diag, HS_NOTE, NULL, hint,
        "this run takes long: %.1f %% is done after %.0f s of CPU time, so that about %s more "
        "are left; '%s' takes %.1f us an event",
        100 * share, used_s, HS_TIME(left_s), setup->policy->name, 1e6 * used_s / (double)events);
    return true;
}

void hs_run_warn(const struct hs_setup *setup, const struct hs_run_result *result,
                 struct hs_diag *diag)
{
    const struct hs_intake *intake = &result->intake;
    const struct hs_engine_figures *figures = &result->figures;
    const uint64_t jobs = intake->trace.accepted;
    hs_setup_warn(setup, &intake->assigned, diag);
    hs_warn_of_rows(&intake->trace, true, diag);
    hs_warn_of_profiles(&intake->assigned, &intake->retries, jobs, diag);
    if (figures->reads_loss)
        hs_warn_some(diag, "--losses=draw draws one for each",
                     jobs - intake->assigned.with_loss - intake->assigned.losses_drawn, jobs,
                     "jobs have no loss curve: the same stands for all of them");
    hs_warn_some(diag, "\"speed\" of the GPU type in the cluster file, or --models with its speeds",
                 intake->assigned.ran_unknown, jobs,
                 "jobs ran on a GPU type on which their speed is not known, e.g. '%s': their run "
                 "times are taken for those of the reference type",
                 intake->assigned.ran_example);
    for (uint64_t i = 0; i < intake->rejected && i < HS_REJECTED_SHOWN; i++)
        hs_report(diag, HS_WARNING, NULL, NULL, "job %s", intake->rejections[i]);
    hs_warn_some(diag,
                 "they have status rejected in jobs.csv; `horus trace validate TRACE` prints a "
                 "cluster for them",
                 intake->rejected, jobs, "jobs were rejected");
    if (figures->mem_capped > 0)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs have more GPU memory by their profile than any "
                  "GPU that they may use: it is capped at the GPU's%s",
                  figures->mem_capped, figures->jobs,
                  setup->is_sharing ? ", which they do not share" : "");
    hs_warn_some(diag, "'horus policies' tells which policies may divide GPUs",
                 figures->shares_rounded, figures->jobs,
                 "jobs want a share of a GPU and get whole GPUs: policy '%s' does not divide them",
                 setup->policy->name);
    hs_warn_some(diag, "the policy's pred_unknown was taken for them", figures->unnamed,
                 figures->jobs, "jobs are not in the file of estimates");
    warn_of_unused(setup, figures->unused, diag);
    if (result->summary.overhead_share > 0.5)
        hs_report(
            diag, HS_WARNING, NULL,
            "longer quanta or rounds, fewer preemptions or a smaller cost leave more for work "
            "('horus policies' and --startup)",
            "%.0f %% of the GPU time of the jobs paid for starts, switches, preemptions and "
            "moves, not for work",
            100 * result->summary.overhead_share);
    if (figures->has_shared_turns)
        hs_report(diag, HS_WARNING, NULL, "mode=exact plays all, an event each",
                  "policy '%s' has played exact_turns turns one by one: from then on shares of "
                  "time stand for them",
                  setup->policy->name);
    if (hs_run_is_cut(result))
        hs_report(diag, HS_WARNING, NULL, "jobs of the trace that come later are in no file",
                  "the run was cut by %s", HS_RUN_CUT(result));
    hs_warn_some(diag, NULL, result->cut_ties, (uint64_t)setup->options->tie_jitter,
                 "runs with random ties were cut by --max-events or --max-wall");
    if (figures->unfinished > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "jobs not finished at the end of the simulation: %" PRIu64, figures->unfinished);
    warn_of_ignored(setup, result, diag);
}
