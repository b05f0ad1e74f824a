/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The points of a sweep, one at a time: its row on every axis, the run it is, its name and its
 * state. The last axis advances fastest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/memory.h"
#include "base/timeparse.h"
#include "cli/sweep.h"
#include "traces/tape.h"

#define LOG_MAX (1u << 21) /* bytes */

void hs_sweep_path(const struct hs_sweep *sweep, const char *folder, const char *name,
                   const char *suffix, char path[HS_PATH_SIZE])
{
    (void)snprintf(path, HS_PATH_SIZE, "%s/%s/%s%s", sweep->dir, folder, name, suffix);
}

static uint32_t row_of(const struct hs_sweep *sweep, uint32_t point, uint32_t axis)
{
    for (uint32_t a = sweep->axis_count - 1; a > axis; a--)
        point /= sweep->axes[a].rows;
    return point % sweep->axes[axis].rows;
}

static const char *pair_of(const struct hs_sweep *sweep, uint32_t point, uint32_t key)
{
    uint32_t a = 0;
    while (key >= sweep->axes[a].first_key + sweep->axes[a].key_count)
        a++;
    const struct hs_sweep_axis *axis = &sweep->axes[a];
    return axis->pairs[(size_t)row_of(sweep, point, a) * axis->key_count + key - axis->first_key];
}

const char *hs_sweep_value(const struct hs_sweep *sweep, uint32_t point, uint32_t key)
{
    const char *pair = pair_of(sweep, point, key);
    return pair != NULL ? strchr(pair, '=') + 1 : NULL;
}

void hs_sweep_point_text(const struct hs_sweep *sweep, uint32_t point, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t k = 0; k < sweep->key_count && used < size; k++) {
        const char *pair = pair_of(sweep, point, k);
        if (pair != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", pair);
    }
}

static enum hs_status set_keys(const struct hs_sweep *sweep, uint32_t point,
                               struct hs_config *config, struct hs_diag *diag)
{
    for (uint32_t k = 0; k < sweep->key_count; k++) {
        const char *pair = pair_of(sweep, point, k);
        if (pair != NULL)
            HS_TRY(hs_config_set_pair(config, pair, diag));
    }
    return HS_OK;
}

static enum hs_status set_options(const struct hs_sweep *sweep, uint32_t point,
                                  struct hs_sweep_made *made, struct hs_diag *diag)
{
    made->options = sweep->base;
    made->config = sweep->config;
    made->config.base = &made->options;
    made->config.arena = &made->arena;
    return set_keys(sweep, point, &made->config, diag);
}

enum hs_status hs_sweep_make(struct hs_sweep *sweep, uint32_t point, struct hs_sweep_made *made,
                             struct hs_diag *diag)
{
    char text[1024];
    memset(made, 0, sizeof *made);
    enum hs_status status = set_options(sweep, point, made, diag);
    if (status == HS_OK && made->options.trace != NULL && strcmp(made->options.trace, "-") == 0)
        status = hs_fail(diag, HS_E_USAGE, NULL, "put the trace into a file",
                         "a sweep reads the trace several times: standard input cannot be");
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

void hs_sweep_unmake(struct hs_sweep_made *made)
{
    hs_setup_close(&made->setup);
    hs_arena_free(&made->arena);
}

static bool are_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Options that a run looks at when it begins, not while it is set up. */
static bool is_late(const char *key)
{
    static const char *const late[] = {"load",   "seed",     "assign_seed",
                                       "until",  "startup",  "tie_jitter",
                                       "warmup", "cooldown", "scale_time"};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strcmp(late[i], key) == 0)
            return true;
    return false;
}

/* Reading models and profiles takes most of the time of a setup: points that differ in late options
 * alone are named by one. */
static bool share_setup(const struct hs_sweep *sweep, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (!is_late(sweep->keys[k]) && !are_same(pair_of(sweep, a, k), pair_of(sweep, b, k)))
            return false;
    return true;
}

/* Each workload is read once for its hash, however many points replay it. */
static enum hs_status workload_hash(struct hs_sweep *sweep, const struct hs_run_options *options,
                                    uint64_t *hash, struct hs_diag *diag)
{
    struct hs_arena *arena = &sweep->call->arena;
    for (uint32_t i = 0; i < sweep->hashed_count; i++)
        if (are_same(sweep->hashed[i].trace, options->trace) &&
            are_same(sweep->hashed[i].vc_file, options->vc_file)) {
            *hash = sweep->hashed[i].hash;
            return HS_OK;
        }
    struct hs_sweep_workload read = {
        .trace = hs_arena_text(arena, options->trace, strlen(options->trace))};
    if (options->vc_file != NULL)
        read.vc_file = hs_arena_text(arena, options->vc_file, strlen(options->vc_file));
    enum hs_status status =
        hs_grow((void **)&sweep->hashed, &sweep->hashed_cap, (uint64_t)sweep->hashed_count + 1,
                sizeof *sweep->hashed, HS_SWEEP_POINTS_MAX);
    if (status != HS_OK || read.trace == NULL || (options->vc_file != NULL && read.vc_file == NULL))
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(hs_workload_hash(options, &read.hash, diag));
    *hash = read.hash;
    sweep->hashed[sweep->hashed_count++] = read;
    return HS_OK;
}

/* failed/NAME.log: "exit 3" or "signal 9" on the first line, then what was said. NULL if there is
 * none. */
static char *read_log(const struct hs_sweep *sweep, const struct hs_sweep_point *point)
{
    char path[HS_PATH_SIZE], *text;
    size_t len;
    hs_sweep_path(sweep, "failed", point->name, ".log", path);
    if (access(path, F_OK) != 0)
        return NULL;
    struct hs_diag silent = {.least = HS_ERROR};
    return hs_read_file(path, LOG_MAX, &text, &len, &silent) == HS_OK ? text : NULL;
}

static bool read_failure(const struct hs_sweep *sweep, struct hs_sweep_point *point)
{
    static const char killed[] = "signal ", ended[] = "exit ";
    char *text = read_log(sweep, point);
    if (text == NULL)
        return false;
    bool is_killed = strncmp(text, killed, sizeof killed - 1) == 0;
    const char *digits = text + (is_killed ? sizeof killed : sizeof ended) - 1;
    int64_t number;
    bool is_read = (is_killed || strncmp(text, ended, sizeof ended - 1) == 0) &&
                   hs_parse_int64(digits, strcspn(digits, "\n"), &number);
    if (is_read)
        point->exit_code = (int32_t)(is_killed ? 128 + number : number);
    hs_free(text);
    return is_read;
}

void hs_sweep_failure_text(const struct hs_sweep *sweep, const struct hs_sweep_point *point,
                           char *text, size_t size)
{
    static const char mark[] = "error: ";
    char *log = read_log(sweep, point);
    const char *error = log != NULL ? strstr(log, mark) : NULL;
    text[0] = '\0';
    if (error != NULL) {
        const char *begin = error;
        while (begin > log && begin[-1] != '\n')
            begin--;
        (void)snprintf(text, size, "%.*s", (int)strcspn(begin, "\n"), begin);
    }
    hs_free(log);
}

bool hs_sweep_is_finished(const struct hs_sweep *sweep, const struct hs_sweep_point *point)
{
    char path[HS_PATH_SIZE];
    hs_sweep_path(sweep, HS_RUNS_DIR, point->name, "/manifest.json", path);
    return access(path, F_OK) == 0;
}

static void ask_state(const struct hs_sweep *sweep, struct hs_sweep_point *point)
{
    if (hs_sweep_is_finished(sweep, point))
        point->state = HS_POINT_DONE;
    else
        point->state = read_failure(sweep, point) ? HS_POINT_FAILED : HS_POINT_MISSING;
}

enum hs_status hs_sweep_locate(struct hs_sweep *sweep, const struct hs_sweep_made *made,
                               struct hs_sweep_point *point, struct hs_diag *diag)
{
    struct hs_trace_options trace;
    uint64_t hash = 0;
    HS_TRY(workload_hash(sweep, &made->options, &hash, diag));
    HS_TRY(hs_run_name(&made->setup, hash, point->name, diag));
    HS_TRY(hs_setup_trace(&trace, &made->options, diag)); /* a seed may be late, and choose jobs */
    trace.gpus = made->setup.cluster.gpu_count;
    point->trace_key = hs_tape_key(&trace);
    ask_state(sweep, point);
    return HS_OK;
}

/* Names are ids of their points while all of them differ. */
static enum hs_status check_twins(struct hs_sweep *sweep)
{
    struct hs_diag *diag = &sweep->call->diag;
    struct hs_intern names;
    enum hs_status status = hs_intern_init(&names);
    for (uint32_t i = 0; i < sweep->point_count && status == HS_OK; i++) {
        uint32_t id;
        status = hs_intern_get(&names, sweep->points[i].name, &id);
        if (status == HS_OK && id != i + 1)
            status = hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = sweep->file},
                             "a value stands twice on an axis, or two values mean the same",
                             "points %" PRIu32 " and %" PRIu32 " are the same run", id, i + 1);
    }
    hs_intern_free(&names);
    return status == HS_E_MEMORY ? hs_fail(diag, status, NULL, NULL, "out of memory") : status;
}

/* A mistake in --metric is told before the points are run, not behind them. */
static enum hs_status check_metric(struct hs_sweep *sweep, const struct hs_setup *setup)
{
    struct hs_diag *diag = &sweep->call->diag;
    const char *names[HS_METRICS_MAX], *nearest;
    char hint[128];
    struct hs_summary *metrics = hs_arena_alloc(&sweep->call->arena, sizeof *metrics);
    if (metrics == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(hs_simulate_metrics(setup, metrics, diag));
    for (uint32_t m = 0; m < metrics->count; m++) {
        if (strcmp(metrics->metrics[m].name, sweep->options->metric) == 0) {
            sweep->metric_unit = metrics->metrics[m].unit;
            return HS_OK;
        }
        names[m] = metrics->metrics[m].name;
    }
    nearest = hs_nearest(sweep->options->metric, names, metrics->count);
    (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest != NULL ? nearest : "mean_jct");
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "metric: there is none named '%s'",
                   sweep->options->metric);
}

/* `made` is that of the point before. */
static enum hs_status plan_point(struct hs_sweep *sweep, uint32_t index, struct hs_sweep_made *made)
{
    struct hs_diag *diag = &sweep->call->diag;
    if (index > 0 && share_setup(sweep, index - 1, index)) {
        HS_TRY(set_options(sweep, index, made, &sweep->once.diag));
    } else {
        hs_sweep_unmake(made);
        HS_TRY(hs_sweep_make(sweep, index, made, &sweep->once.diag));
    }
    if (index == 0)
        HS_TRY(check_metric(sweep, &made->setup));
    return hs_sweep_locate(sweep, made, &sweep->points[index], diag);
}

enum hs_status hs_sweep_plan(struct hs_sweep *sweep)
{
    struct hs_arena *arena = &sweep->call->arena;
    struct hs_sweep_made *made = hs_arena_alloc(arena, sizeof *made);
    enum hs_status status = HS_OK;
    sweep->points = hs_arena_alloc(arena, sweep->point_count * sizeof *sweep->points);
    if (sweep->points == NULL || made == NULL)
        return hs_fail(&sweep->call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < sweep->point_count && status == HS_OK; i++)
        status = plan_point(sweep, i, made);
    hs_sweep_unmake(made);
    return status == HS_OK ? check_twins(sweep) : status;
}

uint32_t hs_sweep_count(const struct hs_sweep *sweep, enum hs_point_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sweep->point_count; i++)
        count += sweep->points[i].state == state;
    return count;
}
