/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Connects trace, policy, engine and report. After any failure everything opened is closed and the
 * run directory is complete or absent. Collects the members of a manifest; each library's version
 * is read through the one file that includes its header. The messages of a run pass through a log,
 * which keeps its warnings for the manifest.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "data/param_table.h"
#include "horus/lp.h"
#include "report/explain/teams.h"
#include "report/html/page.h"
#include "report/run/observers.h"

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

const char *hs_setup_cluster_spec(const struct hs_run_options *options)
{
    return options->cluster_file != NULL ? options->cluster_file
                                         : hs_builtin_cluster(options->cluster);
}

/* NULL: a shape. */
static const char *cluster_file(const struct hs_run_options *options)
{
    const char *spec = hs_setup_cluster_spec(options);
    return if_file(spec) != NULL || access(spec, F_OK) == 0 ? spec : NULL;
}

enum hs_status hs_record_inputs(const struct hs_setup *setup, struct hs_manifest_input *inputs,
                                uint32_t *count, struct hs_diag *diag)
{
    const struct hs_run_options *options = setup->options;
    const uint32_t before = *count;
    HS_TRY(add_input(inputs, count, "cluster", cluster_file(options), diag));
    for (uint32_t i = before; i < *count; i++) /* its name, wherever it lies now */
        inputs[i].path = hs_builtin_cluster(options->cluster);
    HS_TRY(add_input(inputs, count, "workload", setup->workload_file, diag));
    HS_TRY(add_input(inputs, count, "vcs", options->vc_file, diag));
    HS_TRY(add_input(inputs, count, "events", options->events, diag));
    HS_TRY(add_input(inputs, count, "reservations", options->reservations, diag));
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

/* ---- one pass over the trace ---- */

struct pass {
    const struct hs_setup *setup;
    const struct hs_run_call *call;
    struct hs_diag *diag;
    struct hs_trace *trace;
    struct hs_assign *assign;
    struct hs_retry retry;
    struct hs_report *report;
    struct hs_engine *engine;
    struct hs_status_line status_line;
    char label[48];
};

/* Shows the progress furthest advanced: the share of finished jobs, or of time or events if these
 * are limited. -1 if unknown. */
static enum hs_status pass_poll(void *ctx, const struct hs_instant *now)
{
    struct pass *pass = ctx;
    if (hs_interrupt_signal() != 0)
        return hs_fail(pass->diag, HS_E_INTERRUPTED, NULL, NULL,
                       "stopped by %s on day %.1f of the simulation: nothing was kept",
                       hs_interrupt_name(), (double)now->time_us / 86400e6);
    const struct hs_run_options *options = pass->setup->options;
    if (options->max_wall_us > 0 &&
        hs_status_line_elapsed_s(&pass->status_line) * 1e6 >= (double)options->max_wall_us)
        return HS_END;
    if (!hs_status_line_is_due(&pass->status_line))
        return HS_OK;
    struct hs_engine_figures figures;
    hs_engine_get_figures(pass->engine, &figures);
    double until_us = (double)options->until_us, share = -1;
    double expected = hs_trace_expected(pass->trace), max_events = (double)options->max_events;
    uint64_t live = now->running + now->pending + now->suspended;
    if (expected > 0)
        share = (double)(figures.jobs > live ? figures.jobs - live : 0) / expected;
    if (until_us > 0 && (double)now->time_us / until_us > share)
        share = (double)now->time_us / until_us;
    if (max_events > 0 && (double)figures.events / max_events > share)
        share = (double)figures.events / max_events;
    hs_status_line_show_run(&pass->status_line, now, share < 1 ? share : 1, figures.events);
    return HS_OK;
}

static enum hs_status note_rejected(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_intake *intake = ctx;
    (void)now_us;
    if (intake->rejected < HS_REJECTED_SHOWN)
        (void)snprintf(intake->rejections[intake->rejected], sizeof intake->rejections[0],
                       "%s rejected: %s", job->id, job->reason);
    intake->rejected++;
    intake->demand_us -= (hs_u128)hs_record_milli(job) * (uint64_t)job->work_us;
    uint32_t i = 0;
    while (i < intake->reason_count && i + 1 < HS_REASONS_MAX &&
           strncmp(intake->reasons[i].reason, job->reason, sizeof intake->reasons[i].reason - 1) !=
               0)
        i++;
    if (i == intake->reason_count) {
        intake->reason_count++;
        (void)snprintf(intake->reasons[i].reason, sizeof intake->reasons[i].reason, "%s",
                       i + 1 < HS_REASONS_MAX ? job->reason : "other reasons");
    }
    intake->reasons[i].jobs++;
    return HS_OK;
}

static enum hs_status note_submission(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_intake *intake = ctx;
    if (job->index == 0)
        intake->first_us = now_us;
    intake->last_us = now_us;
    intake->demand_us += (hs_u128)job->gpus * job->gpu_milli * (uint64_t)job->work_us;
    return HS_OK;
}

static enum hs_status open_report(struct pass *pass, const struct hs_rundir *dir)
{
    const struct hs_setup *setup = pass->setup;
    struct hs_report_options options = {
        .dir = dir,
        .cluster = &setup->cluster,
        .speed = setup->speed,
        .semantics = &setup->card.policy_semantics,
        .workload_name = setup->workload,
        .outputs = setup->outputs,
        .sample_us = setup->sample_us,
        .max_rows = (uint64_t)setup->options->max_rows,
        .warmup_us = setup->options->warmup_us,
        .cooldown_us = setup->options->cooldown_us,
        .has_fairness = setup->options->fairness,
        .has_events = hs_machines_are_any(&setup->machines),
        .checkpoint_us = setup->options->checkpoint_us,
        .has_power = setup->options->power,
        .is_preemptive = (setup->can & HS_CAN_PREEMPT) != 0,
        .is_sharing = (setup->can & HS_CAN_COLOCATE) != 0, /* slice groups, too */
        .is_resizing = (setup->can & HS_CAN_RESIZE) != 0,
        .is_allotting = (setup->can & HS_CAN_HOST) != 0,
    };
    return hs_report_open(&pass->report, &options, pass->diag);
}

enum hs_status hs_setup_machines(struct hs_setup *s, struct hs_diag *diag)
{
    const struct hs_run_options *options = s->options;
    if (options->faults == NULL)
        return hs_machines_load(&s->machines, options->events, &s->cluster, &s->arena, diag);
    if (options->events != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one out", "both --events and --faults");
    s->machines.law.seed = (uint64_t)options->seed;
    return hs_machines_parse_law(&s->machines, options->faults, &s->arena, diag);
}

enum hs_status hs_setup_stages(struct hs_setup *s, const struct hs_speed_predictor *told,
                               struct hs_diag *diag)
{
    const bool is_needed = (s->can & HS_CAN_INTERLEAVE) != 0;
    return is_needed ? hs_stages_load(&s->stages, s->models.path[HS_MODEL_STAGES], told, diag)
                     : HS_OK;
}

static struct hs_engine_config engine_config(struct pass *pass, uint64_t jitter_seed)
{
    const struct hs_setup *setup = pass->setup;
    const struct hs_run_options *options = setup->options;
    return (struct hs_engine_config){
        .cluster = &setup->cluster,
        .policy = setup->policy,
        .policy_state = setup->policy_state,
        .check = (enum hs_check)options->check,
        .seed = (uint64_t)options->seed,
        .jitter_seed = jitter_seed,
        .until_us = options->until_us > 0 ? options->until_us : HS_TIME_MAX,
        .max_events = (uint64_t)options->max_events,
        .interference = setup->interference,
        .speed = setup->speed,
        .has_locality = options->locality == 0,
        .predictor = setup->predictor,
        .catalogue = &setup->catalogue,
        .restart = setup->restart,
        .host = setup->host,
        .stages = setup->stages,
        .reservations = &setup->reservations,
        .memcurve = setup->memcurve,
        .storage_mib_per_s = (uint32_t)options->storage_bandwidth,
        .max_tenants = (uint32_t)options->max_tenants,
        .memory_reserve_mib = setup->memory_reserve_mib,
        .oom_delay_us = options->oom_delay,
        .oom_retries = (uint32_t)options->oom_retries,
        .startup_us = options->startup_us,
        .machines = &setup->machines,
        .checkpoint_us = options->checkpoint_us,
        .checkpoint_cost_us = options->checkpoint_cost_us,
        .restart_us = options->restart_us,
        .poll = pass_poll,
        .poll_ctx = pass,
    };
}

/* Opens the jobs of the trace, with profiles and generated failed attempts. */
static enum hs_status open_jobs(struct pass *pass, struct hs_job_source *jobs)
{
    const struct hs_setup *setup = pass->setup;
    HS_TRY(hs_trace_open(&pass->trace, &setup->trace, pass->diag));
    HS_TRY(hs_assign_open(&pass->assign, hs_trace_source(pass->trace), &setup->catalogue,
                          &setup->assign, pass->diag));
    *jobs = hs_assign_source(pass->assign);
    if (setup->options->retries != HS_RETRIES_GENERATE)
        return HS_OK;
    hs_retry_open(&pass->retry, *jobs, (uint64_t)setup->options->seed);
    *jobs = hs_retry_source(&pass->retry);
    return HS_OK;
}

static void close_run(struct pass *pass)
{
    hs_engine_close(pass->engine);
    hs_assign_close(pass->assign);
    hs_trace_close(pass->trace);
    pass->engine = NULL;
    pass->assign = NULL;
    pass->trace = NULL;
}

/* Called before the trace is closed: stores the counts of its rows, and the hash of the whole file
 * even if --max-jobs or --until ended the run earlier. */
static enum hs_status take_intake(struct pass *pass, struct hs_run_result *result)
{
    struct hs_intake *intake = &result->intake;
    hs_trace_get_counts(pass->trace, &intake->trace);
    hs_assign_get_counts(pass->assign, &intake->assigned);
    intake->retries = pass->retry.counts;
    struct hs_manifest_input *input = &result->trace_input;
    *input = (struct hs_manifest_input){
        .role = "trace", .path = pass->setup->options->trace, .rows = intake->trace.rows};
    HS_TRY(hs_trace_identity(pass->trace, &input->hash, &input->bytes));
    (void)snprintf(result->format, sizeof result->format, "%s", hs_trace_format_name(pass->trace));
    return HS_OK;
}

static enum hs_status pass_run(struct pass *pass, uint64_t jitter_seed, const struct hs_rundir *dir,
                               struct hs_run_result *result)
{
    const struct hs_engine_config config = engine_config(pass, jitter_seed);
    const struct hs_observer tally = {
        .ctx = &result->intake, .on_submit = note_submission, .on_reject = note_rejected};
    const struct hs_observer *observer;
    struct hs_backtest *backtest = jitter_seed == 0 ? pass->call->backtest : NULL;
    struct hs_job_source jobs;
    HS_TRY(open_jobs(pass, &jobs));
    if (backtest != NULL)
        jobs = hs_backtest_source(backtest, jobs);
    HS_TRY(open_report(pass, dir));
    HS_TRY(hs_engine_open(&pass->engine, &config, pass->diag));
    for (size_t i = 0; (observer = hs_report_observer(pass->report, i)) != NULL; i++)
        HS_TRY(hs_engine_observe(pass->engine, observer));
    HS_TRY(hs_engine_observe(pass->engine, &tally));
    if (backtest != NULL)
        HS_TRY(hs_engine_observe(pass->engine, &backtest->observer));
    enum hs_status status = hs_engine_run(pass->engine, jobs);
    hs_terminal_status(pass->call->terminal, "");
    HS_TRY(status);
    hs_engine_get_figures(pass->engine, &result->figures);
    HS_TRY(take_intake(pass, result));
    close_run(pass); /* the report sorts in the memory freed by this */
    HS_TRY(hs_report_finish(pass->report, result->figures.end_us, &result->summary, pass->diag));
    result->summary.rejection_count = result->intake.reason_count;
    memcpy(result->summary.rejections, result->intake.reasons, sizeof result->intake.reasons);
    uint32_t count = 0;
    const struct hs_output_file *files = hs_report_files(pass->report, &count);
    for (result->file_count = 0; result->file_count < count; result->file_count++)
        result->files[result->file_count] = files[result->file_count];
    if (backtest == NULL || dir == NULL)
        return HS_OK;
    hs_backtest_compare(backtest);
    HS_TRY(hs_backtest_write(backtest, dir, &result->files[result->file_count], pass->diag));
    result->file_count += HS_BACKTEST_FILES;
    return HS_OK;
}

/* ---- --tie-jitter ---- */

/* Metrics with a spread. */
static const char *const main_metrics[] = {
    "makespan", "mean_wait", "p50_wait", "p99_wait",       "mean_jct",
    "p50_jct",  "p99_jct",   "max_wait", "gpu_allocation", "mean_bounded_slowdown",
};

/* Seed of run k >= 0 under the run's seed; never 0, which means "by rule". */
static uint64_t jitter_seed_of(uint64_t seed, uint32_t k)
{
    uint64_t drawn = hs_mix64(hs_seed_of(seed, "tie-jitter"), k);
    return drawn != 0 ? drawn : 1;
}

/* Adds the figures of another run with random ties. */
static void add_spreads(struct hs_summary *summary, const struct hs_summary *run)
{
    for (size_t i = 0; i < sizeof main_metrics / sizeof *main_metrics; i++) {
        for (uint32_t m = 0; m < run->count; m++) {
            const struct hs_metric *metric = &run->metrics[m];
            uint32_t s = 0;
            if (strcmp(metric->name, main_metrics[i]) != 0 || isnan(metric->value))
                continue;
            while (s < summary->spread_count && strcmp(summary->spreads[s].name, metric->name) != 0)
                s++;
            if (s == HS_SPREADS_MAX)
                continue;
            if (s == summary->spread_count)
                summary->spreads[summary->spread_count++] =
                    (struct hs_spread){.name = metric->name};
            hs_spread_add(&summary->spreads[s], metric->value);
        }
    }
}

static enum hs_status run_once(const struct hs_setup *setup, const struct hs_run_call *call,
                               uint32_t k, const struct hs_rundir *dir,
                               struct hs_run_result *result, struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .call = call, .diag = diag};
    uint64_t seed = k > 0 ? jitter_seed_of((uint64_t)setup->options->seed, k - 1) : 0;
    hs_status_line_start(&pass.status_line, call->terminal, call->shows_progress,
                         setup->cluster.gpu_count);
    if (k > 0)
        (void)snprintf(pass.label, sizeof pass.label, "ties %" PRIu32 "/%" PRId64 " ", k,
                       setup->options->tie_jitter);
    pass.status_line.label = pass.label;
    enum hs_status status = pass_run(&pass, seed, dir, result);
    close_run(&pass);
    hs_report_close(pass.report);
    return status;
}

static enum hs_status run_jittered(const struct hs_setup *setup, const struct hs_run_call *call,
                                   struct hs_run_result *result, struct hs_diag *diag)
{
    if (setup->options->tie_jitter == 0)
        return HS_OK;
    struct hs_run_result *run = hs_alloc_zeroed(1, sizeof *run);
    /* The run by rule already warned of the trace. */
    struct hs_diag muted = *diag;
    muted.least = HS_ERROR;
    enum hs_status status = HS_OK;
    for (uint32_t k = 1; k <= setup->options->tie_jitter && status == HS_OK; k++) {
        memset(run, 0, sizeof *run);
        status = run_once(setup, call, k, NULL, run, &muted);
        if (status == HS_OK)
            add_spreads(&result->summary, &run->summary);
        result->cut_ties += hs_run_is_cut(run);
    }
    hs_free(run);
    diag->errors = muted.errors;
    return status;
}

/* ---- the last files of a run ---- */

static void write_parameters(void *result, struct hs_jsonw *w)
{
    hs_record_parameters(((const struct hs_run_result *)result)->setup, w);
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

/* Writes what happened, jobs by source of their profile, invariants checked. */
static void write_counts(void *ctx, struct hs_jsonw *w)
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

/* The page is generated from the directory with its manifest, then that is rewritten to list it. */
static enum hs_status write_page(const struct hs_rundir *dir, struct hs_output_file *file,
                                 struct hs_diag *diag)
{
    const char *const paths[] = {dir->beside.tmp};
    char path[HS_PATH_SIZE];
    struct hs_page page;
    struct hs_output out;
    hs_rundir_file(dir, HS_PAGE_FILE, path, sizeof path);
    enum hs_status status = hs_page_open(&page, paths, 1, diag);
    if (status == HS_OK)
        status = hs_output_open(&out, path, diag);
    if (status == HS_OK) {
        status = hs_page_write(&page, &out);
        *file = hs_output_file_of(&out, HS_PAGE_FILE, 0);
        const enum hs_status closed = hs_output_close(&out, diag);
        status = status != HS_OK ? status : closed;
    }
    hs_page_close(&page);
    return status;
}

/* Keeps the file of the cluster in the directory, so that the run is checked and repeated without
 * it; nothing of a shape or of a cluster that is part of the program. */
static enum hs_status keep_cluster(const struct hs_run_options *options,
                                   const struct hs_rundir *dir, struct hs_output_file *files,
                                   uint32_t *count, struct hs_diag *diag)
{
    const char *from = cluster_file(options);
    const size_t len = from != NULL ? strlen(from) : 0;
    const char *name =
        len > 5 && strcmp(from + len - 5, ".json") == 0 ? "cluster.json" : "cluster.csv";
    char path[HS_PATH_SIZE], *text;
    struct hs_output out;
    size_t size;
    if (from == NULL || strncmp(from, HS_BUILTIN, strlen(HS_BUILTIN)) == 0)
        return HS_OK;
    HS_TRY(hs_read_file(from, UINT32_MAX, &text, &size, diag));
    hs_rundir_file(dir, name, path, sizeof path);
    enum hs_status status = hs_output_open(&out, path, diag);
    if (status == HS_OK) {
        hs_output_put(&out, text, size);
        files[(*count)++] = hs_output_file_of(&out, name, 0);
        status = hs_output_close(&out, diag);
    }
    hs_free(text);
    return status;
}

/* Writes summary, manifest and, with --report, the page of a run. */
static enum hs_status record_run(struct hs_run_result *result, struct hs_message_log *log,
                                 const struct hs_rundir *dir)
{
    const struct hs_setup *setup = result->setup;
    struct hs_manifest_input inputs[HS_INPUTS_MAX];
    struct hs_output_file files[HS_RUN_FILES_MAX + HS_SUMMARY_FILES + HS_TEAMS_FILES + 2];
    struct hs_card card = setup->card;
    char unknown[512];
    hs_setup_unknown(&result->intake.assigned, unknown, sizeof unknown);
    card.unknown = unknown[0] != '\0' ? unknown : NULL;
    struct hs_manifest manifest = {.status = "complete",
                                   .card = &card,
                                   .seed = (uint64_t)setup->options->seed,
                                   .inputs = inputs,
                                   .outputs = files,
                                   .write_config = hs_config_json,
                                   .write_more = write_parameters,
                                   .write_counts = write_counts,
                                   .more_ctx = result,
                                   .machine = result->machine};

    inputs[0] = result->trace_input;
    manifest.input_count = 1;
    HS_TRY(hs_record_inputs(setup, inputs, &manifest.input_count, &log->diag));
    memcpy(files, result->files, result->file_count * sizeof *files);
    HS_TRY(hs_summary_write(&result->summary, &card, dir, files + result->file_count, &log->diag));
    manifest.output_count = result->file_count + HS_SUMMARY_FILES;
    HS_TRY(keep_cluster(setup->options, dir, files, &manifest.output_count, &log->diag));
    struct hs_config config = *setup->config;
    manifest.config_ctx = &config;
    HS_TRY(hs_record_manifest(&manifest, log, dir, &log->diag));
    if ((setup->outputs & HS_OUT_TEAMS) != 0) { /* from jobs.csv and the manifest */
        HS_TRY(hs_teams_write(dir, &files[manifest.output_count], &log->diag));
        manifest.output_count += HS_TEAMS_FILES;
        HS_TRY(hs_record_manifest(&manifest, log, dir, &log->diag));
    }
    if (!setup->options->report)
        return HS_OK;
    HS_TRY(write_page(dir, &files[manifest.output_count++], &log->diag));
    return hs_record_manifest(&manifest, log, dir, &log->diag);
}

/* ---- a run ---- */

#define SERIES_ROW_BYTES 30u /* 25.8 of a week, 28 of thirty years */

/* Reads the trace once more if series.csv has fixed intervals: the minimum number of rows is then
 * known before the first row. A run lasts longer if jobs wait. */
static enum hs_status foresee_rows(const struct hs_setup *setup, struct hs_diag *diag)
{
    const char *trace = setup->options->trace;
    const uint64_t most = (uint64_t)setup->options->max_rows;
    struct stat info;
    struct hs_diag errors = *diag; /* the run warns of the trace */
    struct pass pass = {.setup = setup, .diag = &errors};
    struct hs_job_source jobs;
    struct hs_trace_job *job;
    int64_t first_us = -1, end_us = 0;
    uint64_t rows = 0;
    errors.least = HS_ERROR;
    if (setup->sample_us <= 0 || (setup->outputs & HS_OUT_SERIES) == 0 || strcmp(trace, "-") == 0 ||
        (stat(trace, &info) == 0 && !S_ISREG(info.st_mode))) /* a pipe can be read only once */
        return HS_OK;
    enum hs_status status = open_jobs(&pass, &jobs);
    while (status == HS_OK && rows <= most && (status = jobs.next(jobs.ctx, &job)) == HS_OK) {
        const int64_t until_us = setup->options->until_us;
        first_us = first_us < 0 ? job->submit_us : first_us;
        if (job->submit_us - first_us + job->duration_us > end_us)
            end_us = job->submit_us - first_us + job->duration_us;
        if (until_us > 0 && end_us > until_us)
            end_us = until_us;
        rows = hs_report_series_rows(end_us, setup->sample_us);
    }
    close_run(&pass);
    diag->errors = errors.errors;
    if (rows > most)
        return hs_fail(diag, HS_E_LIMIT, NULL,
                       "a longer --sample, or --sample=auto; --max-rows N allows more",
                       "series.csv would have at least %" PRIu64 " rows, %.1f GB, for %.1f days in "
                       "steps of %g s; the limit is %" PRIu64 " rows",
                       rows, (double)rows * SERIES_ROW_BYTES / 1e9, (double)end_us / 86400e6,
                       (double)setup->sample_us / 1e6, most);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_simulate(const struct hs_setup *setup, const struct hs_run_call *call,
                           const char *dir_path, struct hs_run_result *result, struct hs_diag *diag)
{
    struct hs_rundir dir = {0};
    struct hs_message_log log;
    struct hs_status_line stopwatch;

    result->setup = setup;
    hs_interrupt_watch();
    hs_status_line_start(&stopwatch, call->terminal, false, 0);
    HS_TRY(foresee_rows(setup, diag));
    HS_TRY(hs_rundir_open(&dir, dir_path, setup->options->force, diag));
    hs_message_log_open(&log, diag, HS_LOG_WARNINGS);
    enum hs_status status = run_once(setup, call, 0, &dir, result, &log.diag);
    if (status == HS_OK)
        status = run_jittered(setup, call, result, diag);
    if (status == HS_OK) {
        hs_run_warn(setup, result, &log.diag);
        result->machine =
            hs_record_machine(call->command, hs_status_line_elapsed_s(&stopwatch), false);
        status = record_run(result, &log, &dir);
    }
    status = hs_rundir_close(&dir, status, &log.diag);
    hs_message_log_close(&log);
    return status;
}

enum hs_status hs_simulate_figures(const struct hs_setup *setup, const struct hs_run_call *call,
                                   struct hs_run_result *result, struct hs_diag *diag)
{
    return run_once(setup, call, 0, NULL, result, diag);
}

enum hs_status hs_simulate_options(const struct hs_run_options *options,
                                   const struct hs_config *config, const struct hs_run_call *call,
                                   const char *dir_path, struct hs_diag *diag)
{
    struct hs_run_result *result = hs_alloc_zeroed(1, sizeof *result);
    struct hs_setup *setup = hs_alloc_zeroed(1, sizeof *setup);
    enum hs_status status = hs_setup_open(setup, options, config, diag);
    const uint64_t key = call->trace_count > 0 ? hs_trace_cache_key(&setup->trace) : 0;
    for (uint32_t i = 0; i < call->trace_count; i++)
        if (call->traces[i].key == key)
            setup->trace.trace_cache = call->traces[i].cache;
    if (status == HS_OK)
        status = hs_simulate(setup, call, dir_path, result, diag);
    hs_setup_close(setup);
    hs_free(setup);
    hs_free(result);
    return status;
}

enum hs_status hs_simulate_metrics(const struct hs_setup *setup, struct hs_summary *metrics,
                                   const char *names[HS_METRICS_MAX], struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .diag = diag};
    HS_TRY(open_report(&pass, NULL));
    enum hs_status status = hs_report_finish(pass.report, 0, metrics, diag);
    hs_report_close(pass.report);
    if (status == HS_OK)
        status = hs_deadlines_fill(NULL, metrics);
    for (uint32_t m = 0; m < metrics->count; m++)
        names[m] = metrics->metrics[m].name;
    return status;
}

enum hs_status hs_simulate_check(const struct hs_setup *setup, struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .diag = diag};
    const struct hs_engine_config config = engine_config(&pass, 0);
    HS_TRY(hs_engine_open(&pass.engine, &config, diag));
    hs_engine_close(pass.engine);
    return HS_OK;
}

enum hs_status hs_simulate_dry(const struct hs_setup *setup, struct hs_run_result *result,
                               struct hs_diag *diag)
{
    struct hs_trace_job *job;
    struct pass pass = {.setup = setup, .diag = diag};
    HS_TRY(hs_simulate_check(setup, diag));
    struct hs_job_source source;
    enum hs_status status = open_jobs(&pass, &source);
    while (status == HS_OK)
        status = source.next(source.ctx, &job);
    if (status == HS_END)
        status = take_intake(&pass, result);
    close_run(&pass);
    if (status == HS_OK)
        hs_run_warn(setup, result, diag);
    return status;
}
