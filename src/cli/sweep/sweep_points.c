/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The points of a sweep: the row of each on every axis (the last axis changes fastest), its run,
 * name and state. Points run in separate processes, under a lock, each like `horus run`. A trace
 * used by several of them is read once, by the parent, and shared; this does not change the files
 * of a point.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"
#include "report/explain/teams.h"

#define LOG_MAX         (1u << 21) /* bytes */
#define FAILURES_LISTED 20u        /* shown during a sweep */

/* A point as options and configuration of `horus run`; setup is open. */
struct made {
    struct hs_run_options options;
    struct hs_config config;
    struct hs_arena arena;
    struct hs_setup setup;
};

/* Returns "key=value" of a swept key at a point; NULL if not set in its row. */
static const char *pair_of(const struct hs_sweep *sweep, uint32_t point, uint32_t key)
{
    const struct hs_sweep_axis *axis = &sweep->axes[sweep->axis_count - 1];
    for (; key < axis->first_key; axis--)
        point /= axis->rows;
    return axis->pairs[(size_t)(point % axis->rows) * axis->key_count + key - axis->first_key];
}

const char *hs_sweep_value(const struct hs_sweep *sweep, uint32_t point, uint32_t key)
{
    const char *pair = pair_of(sweep, point, key);
    return pair != NULL ? strchr(pair, '=') + 1 : NULL;
}

void hs_sweep_point_text(const struct hs_sweep *sweep, uint32_t point, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t k = 0; k < sweep->key_count; k++) {
        const char *pair = pair_of(sweep, point, k);
        if (pair != NULL)
            hs_append(text, size, "%s%s", text[0] != '\0' ? " " : "", pair);
    }
}

static enum hs_status set_options(const struct hs_sweep *sweep, uint32_t point, struct made *made,
                                  struct hs_diag *diag)
{
    made->options = sweep->base;
    made->config = sweep->config;
    made->config.base = &made->options;
    made->config.arena = &made->arena;
    for (uint32_t k = 0; k < sweep->key_count; k++) {
        const char *pair = pair_of(sweep, point, k);
        if (pair != NULL)
            HS_TRY(hs_config_set_pair(&made->config, pair, diag));
    }
    return HS_OK;
}

/* Sets up one point and reports errors. Must be closed even after a failure. */
static enum hs_status make(struct hs_sweep *sweep, uint32_t point, struct made *made,
                           struct hs_diag *diag)
{
    char text[1024];
    memset(made, 0, sizeof *made);
    enum hs_status status = set_options(sweep, point, made, diag);
    if (status == HS_OK && made->options.trace != NULL && strcmp(made->options.trace, "-") == 0)
        status = hs_fail(diag, HS_E_USAGE, NULL, "put the trace into a file",
                         "a sweep reads the trace several times: it cannot be standard input");
    if (status == HS_OK && made->options.trace == NULL)
        status = hs_fail(diag, HS_E_USAGE, NULL, "\"config\": {\"trace\": \"jobs.csv\", ...}",
                         "sweep: no trace is named");
    if (status == HS_OK)
        status = hs_setup_open(&made->setup, &made->options, &made->config, diag);
    if (status == HS_OK)
        status = hs_simulate_check(&made->setup, diag);
    if (status != HS_OK) {
        hs_sweep_point_text(sweep, point, text, sizeof text);
        hs_report(diag, HS_NOTE, NULL, NULL, "that was point %" PRIu32 " of %" PRIu32 ": %s",
                  point + 1, sweep->point_count, text);
    }
    return status;
}

static void unmake(struct made *made)
{
    hs_setup_close(&made->setup);
    hs_arena_free(&made->arena);
}

bool hs_sweep_read_failure(const struct hs_sweep *sweep, struct hs_sweep_point *point, char *text,
                           size_t size)
{
    struct hs_diag silent = {.least = HS_ERROR};
    char *log;
    size_t len;
    int64_t number;
    text[0] = '\0';
    const char *path = HS_SWEEP_PATH(sweep, "failed", point->name, ".log");
    if (access(path, F_OK) != 0 || hs_regular_check(path, &silent) != HS_OK ||
        hs_read_file(path, LOG_MAX, &log, &len, &silent) != HS_OK)
        return false;
    const char *error = strstr(log, "error: "), *digits = log + strcspn(log, " \n");
    bool is_killed = strncmp(log, "signal ", 7) == 0;
    bool is_read = (is_killed || strncmp(log, "exit ", 5) == 0) &&
                   hs_parse_int64(digits + 1, strcspn(digits + 1, "\n"), &number);
    if (is_read)
        point->exit_code = (int32_t)(is_killed ? 128 + number : number);
    while (error != NULL && error > log && error[-1] != '\n')
        error--;
    if (error != NULL)
        (void)snprintf(text, size, "%.*s", (int)strcspn(error, "\n"), error);
    hs_free(log);
    return is_read;
}

/* Tells whether its run is complete, whatever process ran it. */
static bool is_finished(const struct hs_sweep *sweep, const struct hs_sweep_point *point)
{
    return access(HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, "/manifest.json"), F_OK) == 0;
}

/* Determines name and state of a point that is set up. Each workload is read once for its hash, for
 * any number of points. */
static enum hs_status locate(struct hs_sweep *sweep, const struct made *made,
                             struct hs_sweep_point *point)
{
    char text[512];
    const struct hs_run_options *o = &made->options;
    struct hs_sweep_workload *w = sweep->workloads;
    while (w != NULL && strcmp(w->trace, o->trace) != 0)
        w = w->next;
    if (w == NULL) {
        w = hs_arena_alloc(sweep->arena, sizeof *w);
        *w = (struct hs_sweep_workload){.trace =
                                            hs_arena_text(sweep->arena, o->trace, strlen(o->trace)),
                                        .next = sweep->workloads};
        HS_TRY(hs_workload_hash(o, &w->hash, sweep->diag));
        sweep->workloads = w;
    }
    HS_TRY(hs_run_name(&made->setup, w->hash, point->name, sweep->diag));
    point->trace_key = hs_trace_cache_key(&made->setup.trace);
    if (is_finished(sweep, point))
        point->state = HS_POINT_DONE;
    else if (hs_sweep_read_failure(sweep, point, text, sizeof text))
        point->state = HS_POINT_FAILED;
    return HS_OK;
}

/* Finds the unit of --metric; reports one that no point has, before the points are run. */
static enum hs_status check_metric(struct hs_sweep *sweep, const struct hs_setup *setup,
                                   bool is_last)
{
    const char *names[HS_METRICS_MAX];
    uint32_t index;
    struct hs_summary *metrics = hs_arena_alloc(sweep->arena, sizeof *metrics);
    HS_TRY(hs_simulate_metrics(setup, metrics, names, sweep->diag));
    for (index = 0; index < metrics->count; index++)
        if (strcmp(names[index], sweep->options->metric) == 0)
            break;
    if (index == metrics->count && !is_last)
        return HS_OK;
    HS_TRY(hs_word_find(names, metrics->count, sweep->options->metric, "unknown metric",
                        "did you mean 'mean_jct'?", &index, sweep->diag));
    sweep->metric_unit = metrics->metrics[index].unit;
    return HS_OK;
}

enum hs_status hs_sweep_plan(struct hs_sweep *sweep)
{
    struct made *made = hs_arena_alloc(sweep->arena, sizeof *made);
    enum hs_status status = HS_OK;
    sweep->points = hs_arena_alloc(sweep->arena, sweep->point_count * sizeof *sweep->points);
    for (uint32_t i = 0; i < sweep->point_count && status == HS_OK; i++) {
        status = make(sweep, i, made, &sweep->once.diag);
        if (status == HS_OK && sweep->metric_unit == NULL)
            status = check_metric(sweep, &made->setup, i + 1 == sweep->point_count);
        if (status == HS_OK)
            status = locate(sweep, made, &sweep->points[i]);
        unmake(made);
    }
    struct hs_intern names; /* while all differ, the id of a name is its point's number */
    hs_intern_init(&names);
    for (uint32_t i = 0; i < sweep->point_count && status == HS_OK; i++) {
        uint32_t id = hs_intern_get(&names, sweep->points[i].name);
        if (id != i + 1)
            status = hs_fail(sweep->diag, HS_E_INPUT, HS_AT({.file = sweep->file}),
                             "a value is twice on an axis, or two values are equivalent",
                             "points %" PRIu32 " and %" PRIu32 " are the same run", id, i + 1);
    }
    hs_intern_free(&names);
    return status;
}

uint32_t hs_sweep_count(const struct hs_sweep *sweep, enum hs_point_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sweep->point_count; i++)
        count += sweep->points[i].state == state;
    return count;
}

/* ---- running points ---- */

struct point_workers {
    struct hs_sweep *sweep;
    uint32_t *pending; /* points */
    uint32_t pending_count, failed, first_failed;
    struct hs_shared_trace *traces;
    uint32_t trace_count, trace_cap;
    enum hs_status status; /* of the first failure, in order of points */
    struct hs_status_line status_line;
};

/* Removes the log of an earlier failure, and what a killed process left while writing it. */
static void forget_failure(const struct hs_sweep *sweep, const struct hs_sweep_point *point)
{
    struct hs_diag silent = {.least = HS_ERROR};
    if (access(HS_PATH("%s/failed", sweep->dir), F_OK) != 0)
        return; /* no point failed */
    const char *path = HS_SWEEP_PATH(sweep, "failed", point->name, ".log");
    if (hs_beside_settle(path, &silent) == HS_OK)
        (void)unlink(path);
}

/* Writes failed/NAME.log: "WORD NUMBER" and the messages, complete or absent. */
static enum hs_status write_failure(const struct hs_sweep *sweep,
                                    const struct hs_sweep_point *point,
                                    const struct hs_message_log *log, const char *word, int number)
{
    struct hs_wholefile file;
    const char *path = HS_SWEEP_PATH(sweep, "failed", point->name, ".log");
    HS_TRY(hs_rundir_make_parents(path, sweep->diag));
    HS_TRY(hs_wholefile_open(&file, path, sweep->diag));
    hs_say(&file.out, "%s %d\n", word, number);
    hs_output_put(&file.out, log->text, log->text_len);
    return hs_wholefile_close(&file, HS_OK, sweep->diag);
}

/* Runs a point and records its outcome in its directory or in failed/; an interrupted point has
 * none. workers NULL: a single point, whose messages are shown. */
static enum hs_status run_point(struct hs_sweep *sweep, uint32_t index,
                                const struct point_workers *workers)
{
    const struct hs_sweep_point *point = &sweep->points[index];
    struct hs_run_call call = {.by = sweep->call};
    struct made made = {0};
    struct hs_file_lock lock;
    struct hs_message_log log;
    const char *lock_path = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, ".lock");
    const char *path = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, "");
    HS_TRY(hs_rundir_make_parents(lock_path, sweep->diag));
    HS_TRY(hs_file_lock_take(&lock, lock_path, sweep->diag));
    hs_message_log_open(&log, workers == NULL ? sweep->diag : NULL, HS_LOG_TEXT);
    enum hs_status status = HS_OK;
    if (workers != NULL) {
        call.traces = workers->traces;
        call.trace_count = workers->trace_count;
    } else {
        call.shows_progress = hs_run_shows_progress(sweep->call);
    }
    if (!is_finished(sweep, point)) /* another process may have finished it */
        status = set_options(sweep, index, &made, &log.diag);
    if (status == HS_OK && !is_finished(sweep, point))
        status = hs_simulate_options(&made.options, &made.config, &call, path, &log.diag);
    hs_arena_free(&made.arena);
    if (status == HS_OK) {
        forget_failure(sweep, point);
    } else if (status != HS_E_INTERRUPTED) {
        enum hs_status written =
            write_failure(sweep, point, &log, "exit", hs_status_exit_code(status));
        status = written != HS_OK ? written : status;
    }
    hs_message_log_close(&log);
    hs_file_lock_free(&lock, lock_path);
    return status;
}

enum hs_status hs_sweep_run_one(struct hs_sweep *sweep)
{
    struct hs_call *call = sweep->call;
    if (sweep->options->index > sweep->point_count)
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       HS_TEXT("from 1 to %" PRIu32, sweep->point_count),
                       "there is no point %" PRId64, sweep->options->index);
    const uint32_t index = (uint32_t)sweep->options->index - 1;
    struct made *made = hs_arena_alloc(&call->arena, sizeof *made);
    sweep->points = hs_arena_alloc(&call->arena, sweep->point_count * sizeof *sweep->points);
    struct hs_sweep_point *point = &sweep->points[index];
    enum hs_status status = make(sweep, index, made, &call->diag);
    if (status == HS_OK && sweep->options->print_config)
        hs_config_print(&made->config, &call->out);
    else if (status == HS_OK)
        status = locate(sweep, made, point);
    unmake(made);
    if (status != HS_OK || sweep->options->print_config)
        return status;
    hs_interrupt_watch();
    if (point->state == HS_POINT_DONE)
        hs_report(&call->diag, HS_NOTE, NULL, NULL, "point %" PRIu32 " is finished", index + 1);
    else
        HS_TRY(run_point(sweep, index, NULL));
    hs_say(&call->out, "%s/" HS_RUNS_DIR "/%s/\n", sweep->dir, point->name);
    return HS_OK;
}

/* ---- all points ---- */

static enum hs_status run_pending(void *ctx, uint32_t index)
{
    struct point_workers *workers = ctx;
    return run_point(workers->sweep, workers->pending[index], workers);
}

static void show_progress(void *ctx, uint32_t ended, uint32_t running)
{
    struct point_workers *workers = ctx;
    hs_status_line_show_count(&workers->status_line, ended, workers->pending_count,
                              HS_TEXT("points %" PRIu32 "/%" PRIu32 " ended, %" PRIu32
                                      " running, %" PRIu32 " failed",
                                      ended, workers->pending_count, running, workers->failed));
}

/* The parent writes the log if a child could not: it was killed, or had no memory left. A process
 * that finishes the point at the same time removes the log after writing its manifest; the parent
 * checks for the manifest after writing the log: one of the two sees both. */
static void record_end(const struct hs_sweep *sweep, const struct hs_sweep_point *point,
                       int signal_number)
{
    struct hs_message_log log;
    hs_message_log_open(&log, NULL, HS_LOG_TEXT);
    if (signal_number != 0)
        hs_report(&log.diag, HS_ERROR, NULL, hs_process_kill_hint(signal_number),
                  "the run was ended by signal %d", signal_number);
    else
        hs_report(&log.diag, HS_ERROR, NULL, "fewer processes (-j) need less", "%s",
                  hs_status_text(HS_E_MEMORY));
    if (write_failure(sweep, point, &log, signal_number != 0 ? "signal" : "exit",
                      signal_number != 0 ? signal_number : hs_status_exit_code(HS_E_MEMORY)) !=
        HS_OK)
        hs_report(sweep->diag, HS_WARNING, NULL, NULL, "%s is not recorded as failed", point->name);
    hs_message_log_close(&log);
    if (is_finished(sweep, point))
        forget_failure(sweep, point);
}

static void note_end(void *ctx, uint32_t index, enum hs_status status, int signal_number)
{
    struct point_workers *workers = ctx;
    struct hs_sweep *sweep = workers->sweep;
    uint32_t number = workers->pending[index];
    struct hs_sweep_point *point = &sweep->points[number];
    char text[512], values[512];
    if (status != HS_OK && (status == HS_E_INTERRUPTED || hs_interrupt_signal() != 0))
        return; /* terminated by the pool */
    if (signal_number != 0 || status == HS_E_MEMORY)
        record_end(sweep, point, signal_number);
    if (status == HS_OK || is_finished(sweep, point)) {
        point->state = HS_POINT_DONE;
        return;
    }
    point->state = HS_POINT_FAILED;
    point->exit_code = signal_number != 0 ? 128 + signal_number : hs_status_exit_code(status);
    if (workers->failed++ == 0 || number < workers->first_failed) {
        workers->first_failed = number;
        workers->status = status;
    }
    if (workers->failed == FAILURES_LISTED + 1)
        hs_report(sweep->diag, HS_NOTE, NULL, NULL, "--status shows more failures");
    if (workers->failed > FAILURES_LISTED)
        return;
    (void)hs_sweep_read_failure(sweep, point, text, sizeof text);
    hs_sweep_point_text(sweep, number, values, sizeof values);
    hs_report(sweep->diag, HS_ERROR, NULL, text[0] != '\0' ? text : NULL,
              "point %" PRIu32 " failed with exit code %d: %s", number + 1, point->exit_code,
              values);
}

static enum hs_status record_trace(struct point_workers *workers, uint32_t index)
{
    struct hs_sweep *sweep = workers->sweep;
    uint64_t key = sweep->points[index].trace_key;
    for (uint32_t i = 0; i < workers->trace_count; i++)
        if (workers->traces[i].key == key)
            return HS_OK;
    hs_grow(workers->traces, workers->trace_cap, (uint64_t)workers->trace_count + 1,
            HS_SWEEP_POINTS_MAX);
    struct made *made = hs_alloc_zeroed(1, sizeof *made);
    struct hs_shared_trace *shared = &workers->traces[workers->trace_count++];
    shared->key = key;
    enum hs_status status = make(sweep, index, made, &sweep->once.diag);
    if (status == HS_OK)
        status = hs_trace_cache_record(&shared->cache, &made->setup.trace, sweep->diag);
    unmake(made);
    hs_free(made);
    return status;
}

static enum hs_status run_workers(struct point_workers *workers)
{
    struct hs_sweep *sweep = workers->sweep;
    uint32_t width = (uint32_t)sweep->options->processes;
    struct hs_process_failure failure;
    for (uint32_t i = 0; i < workers->pending_count && hs_interrupt_signal() == 0; i++) {
        const struct hs_sweep_point *points = sweep->points;
        uint64_t key = points[workers->pending[i]].trace_key;
        uint32_t other = i + 1;
        while (other < workers->pending_count && points[workers->pending[other]].trace_key != key)
            other++;
        if (other < workers->pending_count)
            HS_TRY(record_trace(workers, workers->pending[i]));
    }
    const struct hs_process_pool pool = {
        .width = width < workers->pending_count ? width : workers->pending_count,
        .count = workers->pending_count,
        .task = run_pending,
        .progress = show_progress,
        .ended = note_end,
        .ctx = workers};
    enum hs_status status = hs_process_pool_run(&pool, &failure, sweep->diag);
    hs_terminal_status(&sweep->call->terminal, "");
    if (status == HS_E_INTERRUPTED)
        return hs_fail(sweep->diag, status, NULL, "repeat the command to continue",
                       "stopped by %s: %" PRIu32 " of %" PRIu32 " points are finished",
                       hs_interrupt_name(), hs_sweep_count(sweep, HS_POINT_DONE),
                       sweep->point_count);
    return status;
}

enum hs_status hs_sweep_run_all(struct hs_sweep *sweep)
{
    struct point_workers workers = {.sweep = sweep};
    hs_interrupt_watch();
    hs_status_line_start(&workers.status_line, &sweep->call->terminal,
                         hs_run_shows_progress(sweep->call), 0);
    workers.pending = hs_arena_alloc(sweep->arena, sweep->point_count * sizeof *workers.pending);
    for (uint32_t i = 0; i < sweep->point_count; i++)
        if (sweep->points[i].state != HS_POINT_DONE)
            workers.pending[workers.pending_count++] = i;
    if (workers.pending_count == 0)
        return HS_OK;
    enum hs_status status = run_workers(&workers);
    for (uint32_t i = 0; i < workers.trace_count; i++)
        hs_trace_cache_free(workers.traces[i].cache);
    hs_free(workers.traces);
    /* The warnings of a point are in its manifest; here each text is shown once. */
    for (uint32_t i = 0; i < workers.pending_count && status == HS_OK; i++) {
        const struct hs_sweep_point *point = &sweep->points[workers.pending[i]];
        struct hs_json_doc *doc;
        if (point->state != HS_POINT_DONE)
            continue;
        const char *path = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, "/manifest.json");
        HS_TRY(hs_regular_check(path, sweep->diag));
        HS_TRY(hs_json_load(&doc, path, sweep->diag));
        const struct hs_json *w = hs_json_first(hs_json_get(hs_json_root(doc), "warnings"));
        for (; w != NULL; w = hs_json_next(w))
            if (hs_json_text(w) != NULL)
                hs_message_log_put(&sweep->once, HS_WARNING, hs_json_text(w),
                                   strlen(hs_json_text(w)));
        hs_json_close(doc);
    }
    return status != HS_OK ? status : workers.status;
}

/* ---- before gathering ---- */

enum hs_status hs_sweep_settle(struct hs_sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        struct hs_sweep_point *point = &sweep->points[i];
        struct hs_file_lock lock;
        if (point->state != HS_POINT_DONE && is_finished(sweep, point))
            point->state = HS_POINT_DONE;
        const char *path = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, ".lock");
        if (point->state != HS_POINT_DONE || access(path, F_OK) != 0)
            continue; /* a process that finishes a point removes the lock last */
        HS_TRY(hs_file_lock_take(&lock, path, sweep->diag));
        forget_failure(sweep, point);
        const enum hs_status status =
            hs_beside_settle(HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, ""), sweep->diag);
        hs_file_lock_free(&lock, path);
        HS_TRY(status);
    }
    return HS_OK;
}

/* ---- teams.csv ---- */

/* Appends the rows of a point's vcs.csv or users.csv, if it has one; opens the table with the first
 * of them. */
static enum hs_status append_teams(struct hs_sweep *sweep, uint32_t i, enum hs_teams_by by,
                                   const char *to, struct hs_csvw *csv, bool *is_open)
{
    struct hs_input *input;
    struct hs_csv *rows;
    struct hs_csv_row row;
    const char *path = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, sweep->points[i].name,
                                     by == HS_TEAMS_VC ? "/vcs.csv" : "/users.csv");
    if (access(path, F_OK) != 0)
        return HS_OK;
    if (!*is_open) {
        const char *const rest[] = {"by", HS_TEAMS_HEADER};
        char *header =
            hs_record_header(sweep->arena, "point,run", "axis_", sweep->keys, sweep->key_count);
        HS_TRY(hs_csvw_open(csv, to, hs_record_header(sweep->arena, header, "", rest, 2),
                            sweep->diag));
        *is_open = true;
    }
    HS_TRY(hs_input_open(&input, path, sweep->diag));
    hs_csv_open(&rows, input, ',', sweep->diag);
    enum hs_status status = hs_csv_next(rows, &row); /* the header */
    while (status == HS_OK && (status = hs_csv_next(rows, &row)) == HS_OK) {
        hs_csvw_u64(csv, (uint64_t)i + 1);
        hs_csvw_text(csv, sweep->points[i].name);
        for (uint32_t k = 0; k < sweep->key_count; k++)
            hs_csvw_text(csv, hs_sweep_value(sweep, i, k));
        hs_csvw_text(csv, hs_teams_words[by]);
        for (uint32_t c = 0; c < row.count; c++)
            hs_csvw_text(csv, row.fields[c]);
        hs_csvw_end(csv);
    }
    hs_csv_close(rows);
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_sweep_write_teams(struct hs_sweep *sweep, const struct hs_rundir *dir,
                                    struct hs_output_file *files, uint32_t *count)
{
    struct hs_csvw csv;
    bool is_open = false;
    enum hs_status status = HS_OK;
    const char *path = HS_RUNDIR_FILE(dir, HS_SWEEP_TEAMS);
    for (uint32_t i = 0; i < sweep->point_count; i++)
        for (int by = 0; by < HS_TEAMS_FILES && status == HS_OK; by++)
            if (sweep->points[i].state == HS_POINT_DONE)
                status = append_teams(sweep, i, (enum hs_teams_by)by, path, &csv, &is_open);
    if (!is_open)
        return status;
    const enum hs_status closed =
        hs_close_listed(&csv, HS_SWEEP_TEAMS, &files[(*count)++], sweep->diag);
    return status != HS_OK ? status : closed;
}
