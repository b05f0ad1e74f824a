/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points are run one a process, under a lock, each as `horus run` would. A trace that several of
 * them replay is read once, by the parent, and shared with all of them; what a point leaves is the
 * same without it.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/interrupt.h"
#include "cli/meter.h"
#include "cli/pointlock.h"
#include "cli/pointlog.h"
#include "cli/procpool.h"
#include "cli/run_begin.h"
#include "cli/sweep.h"
#include "data/json.h"
#include "traces/tape.h"

#define FAILURES_TOLD 20u /* while it runs */

struct shared_trace {
    uint64_t key;
    struct hs_tape *tape; /* NULL: each reads the file */
};

struct crew {
    struct hs_sweep *sweep;
    struct hs_diag *diag;
    uint32_t *pending; /* points */
    uint32_t pending_count, failed, first_failed;
    struct shared_trace *traces;
    uint32_t traces_count, traces_cap;
    enum hs_status status; /* of the first that failed, in order of points */
    struct hs_meter clock;
    uint32_t shown_ended;
    bool shows_progress;
};

static const struct hs_tape *tape_of(const struct crew *crew, uint64_t key)
{
    for (uint32_t i = 0; crew != NULL && i < crew->traces_count; i++)
        if (crew->traces[i].key == key)
            return crew->traces[i].tape;
    return NULL;
}

static enum hs_status simulate(struct hs_sweep *sweep, uint32_t index, const struct crew *crew,
                               const char *path, struct hs_diag *diag)
{
    const struct hs_run_call call = {.terminal = &sweep->call->terminal,
                                     .command = sweep->call->command,
                                     .shows_progress =
                                         crew == NULL && hs_run_shows_progress(sweep->call)};
    struct hs_run_result *result = hs_alloc_zeroed(1, sizeof *result);
    struct hs_sweep_made *made = hs_alloc_zeroed(1, sizeof *made);
    enum hs_status status = result != NULL && made != NULL ? HS_OK : HS_E_MEMORY;
    if (status != HS_OK)
        (void)hs_fail(diag, status, NULL, NULL, "out of memory");
    if (status == HS_OK)
        status = hs_sweep_make(sweep, index, made, diag);
    if (status == HS_OK) {
        made->setup.trace.tape = tape_of(crew, sweep->points[index].trace_key);
        status = hs_simulate(&made->setup, &call, path, result, diag);
    }
    if (made != NULL)
        hs_sweep_unmake(made);
    hs_free(made);
    hs_free(result);
    return status;
}

/* How it failed before, and what a process left that was killed while it told so. */
static void forget_failure(const struct hs_sweep *sweep, const struct hs_sweep_point *point)
{
    char path[HS_PATH_SIZE];
    hs_sweep_path(sweep, "failed", point->name, ".log", path);
    (void)unlink(path); /* most never failed */
    hs_sweep_path(sweep, "failed", point->name, ".log.tmp", path);
    (void)unlink(path);
}

/* What became of a point stands in its directory, or in failed/. An interrupted one is neither. */
static enum hs_status record(const struct hs_sweep *sweep, const struct hs_sweep_point *point,
                             enum hs_status status, const struct hs_pointlog *log,
                             struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    if (status == HS_OK)
        forget_failure(sweep, point);
    if (status == HS_OK || status == HS_E_INTERRUPTED)
        return status;
    hs_sweep_path(sweep, "failed", point->name, ".log", path);
    HS_TRY(hs_rundir_make_parents(path, diag));
    HS_TRY(hs_pointlog_write(log, path, "exit", hs_status_exit_code(status), diag));
    return status;
}

/* target: where messages go beside the log; NULL = nowhere. */
static enum hs_status run_point(struct hs_sweep *sweep, uint32_t index, const struct crew *crew,
                                struct hs_diag *target, struct hs_diag *diag)
{
    const struct hs_sweep_point *point = &sweep->points[index];
    char lock_path[HS_PATH_SIZE], path[HS_PATH_SIZE];
    struct hs_pointlock lock;
    struct hs_pointlog log;
    hs_sweep_path(sweep, HS_RUNS_DIR, point->name, ".lock", lock_path);
    hs_sweep_path(sweep, HS_RUNS_DIR, point->name, "", path);
    HS_TRY(hs_rundir_make_parents(lock_path, diag));
    HS_TRY(hs_pointlock_take(&lock, lock_path, diag));
    hs_pointlog_open(&log, target);
    enum hs_status status = HS_OK;
    if (!hs_sweep_is_finished(sweep, point)) /* nobody has finished it meanwhile */
        status = simulate(sweep, index, crew, path, &log.diag);
    status = record(sweep, point, status, &log, diag);
    hs_pointlog_close(&log);
    hs_pointlock_free(&lock, lock_path);
    return status;
}

enum hs_status hs_sweep_run_one(struct hs_sweep *sweep, uint32_t index)
{
    struct hs_call *call = sweep->call;
    const struct hs_sweep_point *point = &sweep->points[index];
    hs_interrupt_watch();
    if (point->state == HS_POINT_DONE)
        hs_report(&call->diag, HS_NOTE, NULL, NULL, "point %" PRIu32 " is finished", index + 1);
    else
        HS_TRY(run_point(sweep, index, NULL, &call->diag, &call->diag));
    hs_say(&call->out, "%s/" HS_RUNS_DIR "/%s/\n", sweep->dir, point->name);
    return HS_OK;
}

/* ---- all of them ---- */

static enum hs_status run_pending(void *ctx, uint32_t index)
{
    struct crew *crew = ctx;
    return run_point(crew->sweep, crew->pending[index], crew, NULL, crew->diag);
}

static void show_progress(void *ctx, uint32_t ended, uint32_t running)
{
    struct crew *crew = ctx;
    char rest[128];
    bool is_asked = hs_interrupt_wants_status();
    if (!is_asked && (!crew->shows_progress || (ended == crew->shown_ended && ended > 0)))
        return;
    crew->shown_ended = ended;
    (void)snprintf(rest, sizeof rest,
                   "points %" PRIu32 "/%" PRIu32 " ended, %" PRIu32 " running, %" PRIu32 " failed",
                   ended, crew->pending_count, running, crew->failed);
    const struct hs_progress progress = {.label = "",
                                         .rest = rest,
                                         .share = (double)ended / crew->pending_count,
                                         .elapsed_s = hs_meter_elapsed_s(&crew->clock)};
    hs_progress_show(&progress, &crew->sweep->call->terminal);
}

/* The parent writes what a killed child no longer could. Whoever finishes the point at the same
 * time removes the log after the manifest has come; we look for the manifest after the log has
 * come: one of the two finds both. */
static void record_kill(const struct crew *crew, const struct hs_sweep_point *point,
                        int signal_number)
{
    char path[HS_PATH_SIZE];
    struct hs_pointlog log;
    hs_sweep_path(crew->sweep, "failed", point->name, ".log", path);
    hs_pointlog_open(&log, NULL);
    (void)hs_fail(&log.diag, HS_E_LIMIT, NULL,
                  signal_number == SIGKILL ? "for want of memory? fewer at a time (-j) need less"
                                           : NULL,
                  "the run was ended by signal %d", signal_number);
    if (hs_rundir_make_parents(path, crew->diag) == HS_OK &&
        hs_pointlog_write(&log, path, "signal", signal_number, crew->diag) != HS_OK)
        hs_report(crew->diag, HS_WARNING, NULL, NULL, "%s is not recorded as failed", point->name);
    hs_pointlog_close(&log);
    if (hs_sweep_is_finished(crew->sweep, point))
        forget_failure(crew->sweep, point);
}

static void note_end(void *ctx, uint32_t index, enum hs_status status, int signal_number)
{
    struct crew *crew = ctx;
    uint32_t number = crew->pending[index];
    struct hs_sweep_point *point = &crew->sweep->points[number];
    char text[512], values[512];
    if (status == HS_OK) {
        point->state = HS_POINT_DONE;
        return;
    }
    if (status == HS_E_INTERRUPTED || hs_interrupt_signal() != 0)
        return; /* it was told to end */
    if (signal_number != 0)
        record_kill(crew, point, signal_number);
    if (hs_sweep_is_finished(crew->sweep, point)) {
        point->state = HS_POINT_DONE;
        return;
    }
    point->state = HS_POINT_FAILED;
    point->exit_code = signal_number != 0 ? 128 + signal_number : hs_status_exit_code(status);
    if (crew->failed++ == 0 || number < crew->first_failed) {
        crew->first_failed = number;
        crew->status = status;
    }
    if (crew->failed > FAILURES_TOLD) {
        if (crew->failed == FAILURES_TOLD + 1)
            hs_report(crew->diag, HS_NOTE, NULL, NULL, "more failures are told by --status");
        return;
    }
    hs_sweep_failure_text(crew->sweep, point, text, sizeof text);
    hs_sweep_point_text(crew->sweep, number, values, sizeof values);
    hs_report(crew->diag, HS_ERROR, NULL, text[0] != '\0' ? text : NULL,
              "point %" PRIu32 " failed with exit code %d: %s", number + 1, point->exit_code,
              values);
}

static enum hs_status list_pending(struct crew *crew)
{
    struct hs_sweep *sweep = crew->sweep;
    crew->pending = hs_arena_alloc(&sweep->call->arena, sweep->point_count * sizeof *crew->pending);
    if (crew->pending == NULL)
        return hs_fail(crew->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < sweep->point_count; i++)
        if (sweep->points[i].state != HS_POINT_DONE)
            crew->pending[crew->pending_count++] = i;
    return HS_OK;
}

static bool is_shared(const struct crew *crew, uint32_t from)
{
    const struct hs_sweep_point *points = crew->sweep->points;
    for (uint32_t i = from + 1; i < crew->pending_count; i++)
        if (points[crew->pending[i]].trace_key == points[crew->pending[from]].trace_key)
            return true;
    return false;
}

static enum hs_status record_trace(struct crew *crew, uint32_t index)
{
    struct hs_sweep *sweep = crew->sweep;
    uint64_t key = sweep->points[index].trace_key;
    for (uint32_t i = 0; i < crew->traces_count; i++)
        if (crew->traces[i].key == key)
            return HS_OK;
    struct hs_sweep_made *made = hs_alloc_zeroed(1, sizeof *made);
    enum hs_status status = made == NULL ? HS_E_MEMORY
                                         : hs_grow((void **)&crew->traces, &crew->traces_cap,
                                                   (uint64_t)crew->traces_count + 1,
                                                   sizeof *crew->traces, HS_SWEEP_POINTS_MAX);
    if (status != HS_OK) {
        hs_free(made);
        return hs_fail(crew->diag, status, NULL, NULL, "out of memory");
    }
    struct shared_trace *shared = &crew->traces[crew->traces_count++];
    shared->key = key;
    status = hs_sweep_make(sweep, index, made, &sweep->once.diag);
    if (status == HS_OK)
        status = hs_tape_record(&shared->tape, &made->setup.trace, crew->diag);
    hs_sweep_unmake(made);
    hs_free(made);
    return status;
}

static enum hs_status record_traces(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->pending_count && hs_interrupt_signal() == 0; i++)
        if (is_shared(crew, i))
            HS_TRY(record_trace(crew, crew->pending[i]));
    return HS_OK;
}

static enum hs_status run_crew(struct crew *crew)
{
    struct hs_sweep *sweep = crew->sweep;
    uint32_t width = (uint32_t)sweep->options->processes;
    struct hs_procfailure failure;
    HS_TRY(record_traces(crew));
    const struct hs_procpool pool = {.width =
                                         width < crew->pending_count ? width : crew->pending_count,
                                     .count = crew->pending_count,
                                     .task = run_pending,
                                     .progress = show_progress,
                                     .ended = note_end,
                                     .ctx = crew};
    enum hs_status status = hs_procpool_run(&pool, &failure, crew->diag);
    hs_terminal_status(&sweep->call->terminal, "");
    if (status == HS_E_INTERRUPTED)
        return hs_fail(crew->diag, status, NULL, "the same command goes on from there",
                       "stopped by %s: %" PRIu32 " of %" PRIu32 " points are finished",
                       hs_interrupt_signal() == SIGINT ? "SIGINT" : "SIGTERM",
                       hs_sweep_count(sweep, HS_POINT_DONE), sweep->point_count);
    return status;
}

/* What a point warned of stands in its manifest; here each text is told once. */
static enum hs_status pass_warnings(struct crew *crew, const struct hs_sweep_point *point)
{
    char path[HS_PATH_SIZE];
    struct hs_json_doc *doc;
    hs_sweep_path(crew->sweep, HS_RUNS_DIR, point->name, "/manifest.json", path);
    HS_TRY(hs_json_load(&doc, path, crew->diag));
    const struct hs_json *warnings = hs_json_get(hs_json_root(doc), "warnings");
    for (const struct hs_json *w = hs_json_first(warnings); w != NULL; w = hs_json_next(w))
        if (hs_json_text(w) != NULL)
            hs_oncelog_pass(&crew->sweep->once, HS_WARNING, hs_json_text(w),
                            strlen(hs_json_text(w)));
    hs_json_close(doc);
    return HS_OK;
}

static enum hs_status pass_all_warnings(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->pending_count; i++)
        if (crew->sweep->points[crew->pending[i]].state == HS_POINT_DONE)
            HS_TRY(pass_warnings(crew, &crew->sweep->points[crew->pending[i]]));
    return HS_OK;
}

enum hs_status hs_sweep_run_all(struct hs_sweep *sweep)
{
    struct crew crew = {.sweep = sweep,
                        .diag = &sweep->call->diag,
                        .shows_progress = hs_run_shows_progress(sweep->call)};
    hs_interrupt_watch();
    hs_meter_start(&crew.clock, &sweep->call->terminal, false, 0);
    HS_TRY(list_pending(&crew));
    if (crew.pending_count == 0)
        return HS_OK;
    enum hs_status status = run_crew(&crew);
    for (uint32_t i = 0; i < crew.traces_count; i++)
        hs_tape_free(crew.traces[i].tape);
    hs_free(crew.traces);
    if (status == HS_OK)
        status = pass_all_warnings(&crew);
    return status != HS_OK ? status : crew.status;
}

/* ---- before gathering ---- */

/* The lock is the last that whoever finishes a point removes, so that it stands beside all else. */
static enum hs_status tidy(const struct hs_sweep *sweep, const struct hs_sweep_point *point)
{
    char path[HS_PATH_SIZE];
    struct hs_pointlock lock;
    hs_sweep_path(sweep, HS_RUNS_DIR, point->name, ".lock", path);
    if (access(path, F_OK) != 0)
        return HS_OK;
    HS_TRY(hs_pointlock_take(&lock, path, &sweep->call->diag));
    forget_failure(sweep, point);
    hs_pointlock_free(&lock, path);
    return HS_OK;
}

enum hs_status hs_sweep_settle(struct hs_sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        struct hs_sweep_point *point = &sweep->points[i];
        if (point->state != HS_POINT_DONE && hs_sweep_is_finished(sweep, point))
            point->state = HS_POINT_DONE;
        if (point->state == HS_POINT_DONE)
            HS_TRY(tidy(sweep, point));
    }
    return HS_OK;
}
