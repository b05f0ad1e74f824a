/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the trace anew and the rows of a run directory for `horus verify`. A file that is not what
 * it should be is bad input and ends the verification; a file that says something wrong is for the
 * checks to find. O(trace + segments) time and memory.
 */
#include "report/verify_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/timeparse.h"
#include "report/rowfile.h"

#define JOBS_MAX     (HS_INTERN_MAX - 1)
#define SEGMENTS_MAX UINT32_MAX

static enum hs_status cell_seconds(const struct hs_rowfile *f, uint32_t column, int64_t *us)
{
    return hs_rowfile_decimal(f, column, HS_US_PER_S, "a time in seconds", us);
}

static enum hs_status cell_ratio(const struct hs_rowfile *f, uint32_t column, int64_t *ppm)
{
    return hs_rowfile_decimal(f, column, HS_US_PER_S, "a ratio", ppm);
}

static struct verify_job *job_of(struct verify_run *run, const char *id, uint32_t *index)
{
    uint32_t name = hs_intern_find(&run->ids, id);
    if (name == UINT32_MAX || name == 0)
        return NULL;
    *index = name - 1;
    return &run->jobs[name - 1];
}

/* ---- the trace ---- */

static enum hs_status add_attempts(struct verify_run *run, const struct hs_trace_job *j)
{
    HS_TRY(hs_grow((void **)&run->attempts_us, &run->attempt_cap,
                   (uint64_t)run->attempt_count + j->attempts, sizeof *run->attempts_us,
                   SEGMENTS_MAX));
    for (uint32_t i = 0; i < j->attempts; i++)
        run->attempts_us[run->attempt_count++] = j->attempts_us[i];
    return HS_OK;
}

static enum hs_status add_job(struct verify_run *run, const struct hs_trace_job *j,
                              int64_t *epoch_us)
{
    if (run->job_count == 0)
        *epoch_us = j->submit_us;
    uint32_t name, vc, types, workers = j->gpus > 0 ? j->gpus : 1;
    HS_TRY(hs_intern_get(&run->vcs, j->vc, &vc));
    HS_TRY(hs_intern_get(&run->types, j->gpu_type, &types));
    HS_TRY(hs_intern_get(&run->ids, j->id, &name));
    if (name != run->job_count + 1)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "give every job of the trace an id of its own",
                       "%s:%" PRId64 ": job id '%s' is not unique, so its segments cannot be told "
                       "apart",
                       run->made_of.trace.path, j->line, j->id);
    HS_TRY(hs_grow((void **)&run->jobs, &run->job_cap, (uint64_t)run->job_count + 1,
                   sizeof *run->jobs, JOBS_MAX));
    run->jobs[run->job_count++] = (struct verify_job){.id = hs_intern_text(&run->ids, name),
                                                      .submit_us = j->submit_us - *epoch_us,
                                                      .recorded_us = j->duration_us,
                                                      .work_us = j->duration_us,
                                                      .first_attempt = run->attempt_count,
                                                      .attempts = j->attempts,
                                                      .gpus = j->gpus,
                                                      .gpus_min = j->gpus_min,
                                                      .gpus_max = j->gpus_max,
                                                      .gpu_milli = j->gpu_milli,
                                                      .types = types,
                                                      .worker_cpus_milli = j->cpus_milli / workers,
                                                      .worker_mem_mib = j->mem_mib / workers,
                                                      .persistent_mib = j->gpu_mem_persistent_mib,
                                                      .vc = vc,
                                                      .job_class = j->job_class,
                                                      .sum = {.first_start_us = -1,
                                                              .last_end_us = -1,
                                                              .finish_us = -1,
                                                              .suspended_from_us = -1,
                                                              .suspended_node = VERIFY_NO_NODE,
                                                              .first_long_us = -1,
                                                              .is_full_speed = true}};
    return add_attempts(run, j);
}

static enum hs_status load_trace(struct verify_run *run)
{
    struct hs_trace *trace;
    HS_TRY(hs_trace_open(&trace, &run->made_of.trace, run->diag));
    struct hs_trace_job *job;
    int64_t epoch_us = 0;
    enum hs_status s;
    while ((s = hs_trace_next(trace, &job)) == HS_OK)
        if ((s = add_job(run, job, &epoch_us)) != HS_OK)
            break;
    if (s == HS_END)
        s = hs_trace_identity(trace, &run->trace_hash, &run->trace_bytes);
    hs_trace_close(trace);
    return s;
}

/* ---- jobs.csv ---- */

enum {
    J_ID,
    J_SUBMIT,
    J_GPUS,
    J_START,
    J_FINISH,
    J_WAIT,
    J_TURNAROUND,
    J_SUCCESS,
    J_STATUS,
    J_NODES,
    J_WORK,
    J_RUN,
    J_PENDING,
    J_COLOCATED,
    J_OVERHEAD,
    J_LOST,
    J_PREEMPTIONS,
    J_MIGRATIONS,
    J_OOMS,
    J_GPU_SECONDS,
    J_SLOWDOWN,
    J_RUN_SLOWDOWN,
    J_ATTEMPTS,
    J_CLASS,
    J_PROGRESS,
    J_SWITCHES,
    J_HOST,
    J_SHARE,
};
static const char *const job_columns[] = {"job_id",
                                          "submission_time",
                                          "requested_number_of_resources",
                                          "starting_time",
                                          "finish_time",
                                          "waiting_time",
                                          "turnaround_time",
                                          "success",
                                          "status",
                                          "nodes",
                                          "isolated",
                                          "run",
                                          "pending",
                                          "colocated",
                                          "overhead",
                                          "lost",
                                          "preemptions",
                                          "migrations",
                                          "ooms",
                                          "gpu_seconds",
                                          "slowdown",
                                          "run_slowdown",
                                          "attempts",
                                          "class",
                                          "first_progress",
                                          "switches",
                                          "host_mib_seconds",
                                          "gpu_share",
                                          NULL};

/* Seconds with nine decimals, never empty. */
static enum hs_status cell_lost(const struct hs_rowfile *f, int64_t *ns)
{
    static const char expected[] = "a time in seconds";
    HS_TRY(hs_rowfile_decimal(f, J_LOST, VERIFY_NANO, expected, ns));
    return *ns < 0 ? hs_rowfile_bad(f, J_LOST, expected) : HS_OK;
}

/* The share, and the GPU time, which has three decimals more for a share. */
static enum hs_status read_share(const struct hs_rowfile *f, struct verify_row *r)
{
    static const char expected[] = "a share of a GPU, at most 1, in thousandths";
    int64_t milli, gpu_time;
    HS_TRY(hs_rowfile_decimal(f, J_SHARE, VERIFY_GPU_MILLI, expected, &milli));
    if (milli < 1 || milli > VERIFY_GPU_MILLI)
        return hs_rowfile_bad(f, J_SHARE, expected);
    r->gpu_milli = (uint32_t)milli;
    int64_t unit = milli < VERIFY_GPU_MILLI ? VERIFY_NANO : HS_US_PER_S;
    HS_TRY(hs_rowfile_decimal(f, J_GPU_SECONDS, unit, "a time in seconds", &gpu_time));
    r->milli_us = (hs_i128)gpu_time * (VERIFY_NANO / unit);
    return HS_OK;
}

static enum hs_status read_class(const struct hs_rowfile *f, enum hs_job_class *job_class)
{
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++) {
        if (strcmp(hs_rowfile_text(f, J_CLASS), hs_job_class_text((enum hs_job_class)i)) == 0) {
            *job_class = (enum hs_job_class)i;
            return HS_OK;
        }
    }
    return hs_rowfile_bad(f, J_CLASS, "auto, guaranteed or opportunistic");
}

static enum hs_status read_job_row(const struct hs_rowfile *f, struct verify_row *r)
{
    r->line = f->row.line;
    HS_TRY(cell_seconds(f, J_SUBMIT, &r->submit_us));
    HS_TRY(cell_seconds(f, J_START, &r->start_us));
    HS_TRY(cell_seconds(f, J_FINISH, &r->finish_us));
    HS_TRY(cell_seconds(f, J_WAIT, &r->wait_us));
    HS_TRY(cell_seconds(f, J_TURNAROUND, &r->turnaround_us));
    HS_TRY(cell_seconds(f, J_WORK, &r->work_us));
    HS_TRY(cell_seconds(f, J_RUN, &r->run_us));
    HS_TRY(cell_seconds(f, J_PENDING, &r->pending_us));
    HS_TRY(cell_seconds(f, J_COLOCATED, &r->colocated_us));
    HS_TRY(cell_seconds(f, J_OVERHEAD, &r->overhead_us));
    HS_TRY(cell_lost(f, &r->lost_ns));
    HS_TRY(read_share(f, r));
    HS_TRY(cell_ratio(f, J_SLOWDOWN, &r->slowdown_ppm));
    HS_TRY(cell_ratio(f, J_RUN_SLOWDOWN, &r->run_slowdown_ppm));
    HS_TRY(hs_rowfile_count(f, J_GPUS, &r->gpus));
    HS_TRY(hs_rowfile_count(f, J_NODES, &r->nodes));
    HS_TRY(hs_rowfile_count(f, J_PREEMPTIONS, &r->preemptions));
    HS_TRY(hs_rowfile_count(f, J_MIGRATIONS, &r->migrations));
    HS_TRY(hs_rowfile_count(f, J_OOMS, &r->ooms));
    HS_TRY(hs_rowfile_count(f, J_ATTEMPTS, &r->attempts));
    HS_TRY(hs_rowfile_count(f, J_SWITCHES, &r->switches));
    HS_TRY(cell_seconds(f, J_PROGRESS, &r->progress_us));
    HS_TRY(hs_rowfile_decimal(f, J_HOST, HS_US_PER_S, "MiB times seconds", &r->host_mib_us));
    HS_TRY(read_class(f, &r->job_class));
    r->is_done = strcmp(hs_rowfile_text(f, J_SUCCESS), "1") == 0;
    r->is_rejected = strcmp(hs_rowfile_text(f, J_STATUS), "rejected") == 0;
    return HS_OK;
}

static enum hs_status add_job_row(struct verify_run *run, const struct hs_rowfile *f)
{
    uint32_t index;
    struct verify_job *job = job_of(run, hs_rowfile_text(f, J_ID), &index);
    if (job == NULL || job->row.line != 0) {
        if (run->strange_rows++ == 0)
            run->strange_line = f->row.line;
        return HS_OK;
    }
    HS_TRY(read_job_row(f, &job->row));
    run->is_divided = run->is_divided || job->row.gpu_milli < VERIFY_GPU_MILLI;
    /* what was made up comes on top of the trace; less would be told as a difference */
    if (run->made_of.retries == VERIFY_GENERATE && job->row.work_us > job->recorded_us)
        job->work_us = job->row.work_us;
    return HS_OK;
}

static enum hs_status load_jobs(struct verify_run *run)
{
    char path[VERIFY_PATH_SIZE];
    HS_TRY(verify_path(run, "jobs.csv", path));
    struct hs_rowfile f;
    enum hs_status s = hs_rowfile_open(&f, path, job_columns, run->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = add_job_row(run, &f);
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

/* ---- segments.csv ---- */

enum { S_ID, S_START, S_END, S_GPUS, S_RATE, S_TENANTS, S_ENDED_BY };
static const char *const segment_columns[] = {
    "job_id", "start", "end", "allocated_resources", "mean_rate", "tenants", "ended_by", NULL};
static const char *const ended_texts[] = {
    [VERIFY_FINISH] = "finish",   [VERIFY_PREEMPT] = "preempt", [VERIFY_MIGRATE] = "migrate",
    [VERIFY_KILL] = "kill",       [VERIFY_HORIZON] = "horizon", [VERIFY_OOM] = "oom",
    [VERIFY_FAILURE] = "failure", [VERIFY_SUSPEND] = "suspend",
};

/* "0-7 16 20-23": blanks between ranges, ids ascending. */
static enum hs_status read_gpus(struct verify_run *run, const struct hs_rowfile *f,
                                struct verify_segment *seg)
{
    static const char expected[] = "a list of ascending GPU ids such as '0-7 16'";
    const char *at = hs_rowfile_text(f, S_GPUS);
    int64_t above = -1;
    seg->range_first = run->range_count;
    while (*at != '\0') {
        uint32_t first, last;
        if (!hs_rowfile_range(&at, &first, &last) || (int64_t)first <= above)
            return hs_rowfile_bad(f, S_GPUS, expected);
        HS_TRY(hs_grow((void **)&run->ranges, &run->range_cap, (uint64_t)run->range_count + 1,
                       sizeof *run->ranges, SEGMENTS_MAX));
        run->ranges[run->range_count++] = (struct verify_range){first, last};
        seg->range_count++;
        seg->gpus += last - first + 1;
        above = last;
    }
    return HS_OK;
}

static enum hs_status read_ended_by(const struct hs_rowfile *f, enum verify_ended *ended_by)
{
    for (size_t i = 0; i < sizeof ended_texts / sizeof *ended_texts; i++) {
        if (strcmp(hs_rowfile_text(f, S_ENDED_BY), ended_texts[i]) == 0) {
            *ended_by = (enum verify_ended)i;
            return HS_OK;
        }
    }
    return hs_rowfile_bad(f, S_ENDED_BY,
                          "finish, preempt, suspend, migrate, kill, horizon, oom or failure");
}

static enum hs_status add_segment(struct verify_run *run, const struct hs_rowfile *f)
{
    struct verify_segment seg = {.line = f->row.line, .job = VERIFY_NO_JOB, .rate_nano = -1};
    uint64_t tenants;
    HS_TRY(cell_seconds(f, S_START, &seg.start_us));
    HS_TRY(cell_seconds(f, S_END, &seg.end_us));
    if (seg.start_us < 0 || seg.end_us < seg.start_us)
        return hs_rowfile_bad(f, S_END, "a time at or after start");
    HS_TRY(hs_rowfile_decimal(f, S_RATE, VERIFY_NANO, "a rate", &seg.rate_nano));
    HS_TRY(hs_rowfile_count(f, S_TENANTS, &tenants));
    seg.tenants = (uint32_t)tenants;
    HS_TRY(read_ended_by(f, &seg.ended_by));
    HS_TRY(read_gpus(run, f, &seg));
    (void)job_of(run, hs_rowfile_text(f, S_ID), &seg.job);
    HS_TRY(hs_grow((void **)&run->segments, &run->segment_cap, (uint64_t)run->segment_count + 1,
                   sizeof *run->segments, SEGMENTS_MAX));
    run->segments[run->segment_count++] = seg;
    return HS_OK;
}

static enum hs_status load_segments(struct verify_run *run)
{
    char path[VERIFY_PATH_SIZE];
    HS_TRY(verify_path(run, "segments.csv", path));
    struct hs_rowfile f;
    enum hs_status s = hs_rowfile_open(&f, path, segment_columns, run->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = add_segment(run, &f);
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

/* ---- the whole ---- */

enum hs_status verify_path(const struct verify_run *run, const char *name,
                           char path[VERIFY_PATH_SIZE])
{
    int length = snprintf(path, VERIFY_PATH_SIZE, "%s/%s", run->dir, name);
    if (length < 0 || length >= VERIFY_PATH_SIZE)
        return hs_fail(run->diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", run->dir);
    return HS_OK;
}

/* A run with --outputs=summary has no schedule to look at. */
static enum hs_status require_output(const struct verify_run *run, const char *name)
{
    const struct hs_runmanifest *manifest = &run->manifest;
    /* a manifest without a list: the files decide */
    if (manifest->file_count == 0 || hs_runmanifest_file(manifest, name) != NULL)
        return HS_OK;
    struct hs_place place = {.file = run->dir};
    if (hs_runmanifest_file(manifest, "compare.csv") != NULL)
        return hs_fail(run->diag, HS_E_INPUT, &place,
                       "name one of the runs in its runs/ (--outputs=all keeps them)",
                       "a comparison, not a run");
    return hs_fail(run->diag, HS_E_INPUT, &place, "repeat the run with --outputs=all",
                   "nothing to verify: the run was made without %s", name);
}

enum hs_status verify_load(struct verify_run *run)
{
    HS_TRY(hs_intern_init(&run->ids));
    HS_TRY(hs_intern_init(&run->vcs));
    HS_TRY(hs_intern_init(&run->types));
    HS_TRY(verify_load_manifest(run));
    HS_TRY(require_output(run, "jobs.csv"));
    HS_TRY(require_output(run, "segments.csv"));
    HS_TRY(verify_load_cluster(run, run->made_of.cluster));
    HS_TRY(load_trace(run));
    HS_TRY(load_jobs(run));
    return load_segments(run);
}

void verify_free(struct verify_run *run)
{
    hs_free(run->cluster.node_first);
    hs_free(run->cluster.nodes);
    hs_free(run->jobs);
    hs_free(run->segments);
    hs_free(run->ranges);
    hs_free(run->attempts_us);
    hs_intern_free(&run->ids);
    hs_intern_free(&run->vcs);
    hs_intern_free(&run->types);
    hs_runmanifest_close(&run->manifest);
    hs_arena_free(&run->arena);
}
