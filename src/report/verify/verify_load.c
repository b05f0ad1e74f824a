/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the trace anew and the rows of a run directory. A file that is not what it should be is bad
 * input and ends the verification; a file that states something wrong is for the rules to find.
 * O(trace + segments) time and memory.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "report/run/rowfile.h"
#include "report/verify/verify_data.h"

#define JOBS_MAX     (HS_INTERN_MAX - 1)
#define SEGMENTS_MAX UINT32_MAX

/* ---- the trace ---- */

static enum hs_status add_job(struct verify_run *run, const struct hs_trace_job *j,
                              int64_t *epoch_us)
{
    if (run->job_count == 0)
        *epoch_us = j->submit_us;
    uint32_t name, vc, types, workers = j->gpus > 0 ? j->gpus : 1;
    vc = hs_intern_get(&run->vcs, j->vc);
    types = hs_intern_get(&run->types, j->gpu_type);
    name = hs_intern_get(&run->ids, j->id);
    if (name != run->job_count + 1)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "give every job of the trace an id of its own",
                       "%s:%" PRId64 ": job id '%s' is not unique, so its segments cannot be told "
                       "apart",
                       run->setup.trace.path, j->line, j->id);
    hs_grow((void **)&run->jobs, &run->job_cap, (uint64_t)run->job_count + 1, sizeof *run->jobs,
            JOBS_MAX);
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
                                                              .suspended_node = VERIFY_NONE,
                                                              .first_long_us = -1,
                                                              .is_full_speed = true}};
    hs_grow((void **)&run->attempts_us, &run->attempt_cap,
            (uint64_t)run->attempt_count + j->attempts, sizeof *run->attempts_us, SEGMENTS_MAX);
    for (uint32_t i = 0; i < j->attempts; i++)
        run->attempts_us[run->attempt_count++] = j->attempts_us[i];
    return HS_OK;
}

static enum hs_status load_trace(struct verify_run *run)
{
    struct hs_trace *trace;
    HS_TRY(hs_trace_open(&trace, &run->setup.trace, run->diag));
    struct hs_trace_job *job;
    int64_t epoch_us = 0;
    enum hs_status s = HS_OK;
    while (s == HS_OK && (s = hs_trace_next(trace, &job)) == HS_OK)
        s = add_job(run, job, &epoch_us);
    if (s == HS_END)
        s = hs_trace_identity(trace, &run->trace_hash, &run->trace_bytes);
    hs_trace_close(trace);
    return s;
}

/* ---- jobs.csv ---- */

struct job_cells {
    struct verify_row row;
    const char *id, *success, *status, *job_class, *gpu_seconds;
};
#define AT(field) offsetof(struct job_cells, field)

static const struct hs_cell job_cells[] = {
    {"gpu_seconds", HS_CELL_TEXT, AT(gpu_seconds)}, /* first, for gpu_time() */
    {"job_id", HS_CELL_TEXT, AT(id)},
    {"submission_time", HS_CELL_TIME_OR_NONE, AT(row.submit_us)},
    {"starting_time", HS_CELL_TIME_OR_NONE, AT(row.start_us)},
    {"finish_time", HS_CELL_TIME_OR_NONE, AT(row.finish_us)},
    {"waiting_time", HS_CELL_TIME_OR_NONE, AT(row.wait_us)},
    {"turnaround_time", HS_CELL_TIME_OR_NONE, AT(row.turnaround_us)},
    {"isolated", HS_CELL_TIME_OR_NONE, AT(row.work_us)},
    {"run", HS_CELL_TIME_OR_NONE, AT(row.run_us)},
    {"queueing_delay", HS_CELL_TIME_OR_NONE, AT(row.pending_us)},
    {"colocated", HS_CELL_TIME_OR_NONE, AT(row.colocated_us)},
    {"overhead", HS_CELL_TIME_OR_NONE, AT(row.overhead_us)},
    {"lost", HS_CELL_NANO, AT(row.lost_ns)},
    {"gpu_share", HS_CELL_SHARE, AT(row.gpu_milli)},
    {"slowdown", HS_CELL_RATIO, AT(row.slowdown_ppm)},
    {"run_slowdown", HS_CELL_RATIO, AT(row.run_slowdown_ppm)},
    {"requested_number_of_resources", HS_CELL_COUNT, AT(row.gpus)},
    {"nodes", HS_CELL_COUNT, AT(row.nodes)},
    {"preemptions", HS_CELL_COUNT, AT(row.preemptions)},
    {"migrations", HS_CELL_COUNT, AT(row.migrations)},
    {"ooms", HS_CELL_COUNT, AT(row.ooms)},
    {"attempts", HS_CELL_COUNT, AT(row.attempts)},
    {"switches", HS_CELL_COUNT, AT(row.switches)},
    {"first_progress", HS_CELL_TIME_OR_NONE, AT(row.progress_us)},
    {"host_mib_seconds", HS_CELL_MIB_SECONDS, AT(row.host_mib_us)},
    {"class", HS_CELL_TEXT, AT(job_class)},
    {"success", HS_CELL_TEXT, AT(success)},
    {"status", HS_CELL_TEXT, AT(status)},
    {NULL, HS_CELL_TEXT, 0},
};

/* It has three decimals more for a share of a GPU. */
static enum hs_status gpu_time(const struct hs_rowfile *f, struct verify_row *r)
{
    int64_t gpu_time, unit = r->gpu_milli < VERIFY_GPU_MILLI ? VERIFY_NANO : HS_US_PER_S;
    HS_TRY(hs_rowfile_decimal(f, 0, unit, "a time in seconds", &gpu_time));
    r->milli_us = (hs_i128)gpu_time * (VERIFY_NANO / unit);
    return HS_OK;
}

static enum hs_status add_job_row(struct verify_run *run, const struct hs_rowfile *f)
{
    struct job_cells cells = {.row = {.line = f->row.line}};
    struct verify_row *row = &cells.row;
    const uint32_t name = hs_intern_find(&run->ids, hs_rowfile_text(f, 1));
    struct verify_job *job = name != UINT32_MAX && name != 0 ? &run->jobs[name - 1] : NULL;
    if (job == NULL || job->row.line != 0) {
        if (run->strange_rows++ == 0)
            run->strange_line = f->row.line;
        return HS_OK;
    }
    HS_TRY(hs_rowfile_read(f, &cells));
    HS_TRY(gpu_time(f, row));
    int class = 0;
    while (class < HS_JOB_CLASS_COUNT &&
           strcmp(cells.job_class, hs_job_class_text((enum hs_job_class) class)) != 0)
        class ++;
    if (class == HS_JOB_CLASS_COUNT)
        return hs_rowfile_bad(f, "class", "auto, guaranteed or opportunistic");
    row->job_class = (enum hs_job_class) class;
    row->is_done = strcmp(cells.success, "1") == 0;
    row->is_rejected = strcmp(cells.status, "rejected") == 0;
    job->row = *row;
    run->is_divided = run->is_divided || row->gpu_milli < VERIFY_GPU_MILLI;
    /* generated attempts come on top of the trace; less is reported as a difference */
    if (run->setup.retries == VERIFY_GENERATE && row->work_us > job->recorded_us)
        job->work_us = row->work_us;
    return HS_OK;
}

/* ---- segments.csv ---- */

struct segment_cells {
    struct verify_segment seg;
    const char *id, *gpus, *ended_by;
};
#define SEG(field) offsetof(struct segment_cells, field)

static const struct hs_cell segment_cells[] = {
    {"job_id", HS_CELL_TEXT, SEG(id)},
    {"start", HS_CELL_TIME_OR_NONE, SEG(seg.start_us)},
    {"end", HS_CELL_TIME_OR_NONE, SEG(seg.end_us)},
    {"mean_rate", HS_CELL_RATE, SEG(seg.rate_nano)},
    {"tenants", HS_CELL_COUNT32, SEG(seg.tenants)},
    {"allocated_resources", HS_CELL_TEXT, SEG(gpus)},
    {"ended_by", HS_CELL_TEXT, SEG(ended_by)},
    {NULL, HS_CELL_TEXT, 0},
};

/* "0-7 16 20-23": blanks between ranges, ids ascending. */
static enum hs_status read_gpus(struct verify_run *run, const struct hs_rowfile *f, const char *at,
                                struct verify_segment *seg)
{
    int64_t above = -1;
    seg->range_first = run->range_count;
    while (*at != '\0') {
        uint32_t first, last;
        if (!hs_rowfile_range(&at, &first, &last) || (int64_t)first <= above)
            return hs_rowfile_bad(f, "allocated_resources",
                                       "a list of ascending GPU ids such as '0-7 16'");
        hs_grow((void **)&run->ranges, &run->range_cap, (uint64_t)run->range_count + 1,
                sizeof *run->ranges, SEGMENTS_MAX);
        run->ranges[run->range_count++] = (struct verify_range){first, last};
        seg->range_count++;
        seg->gpus += last - first + 1;
        above = last;
    }
    return HS_OK;
}

static enum hs_status add_segment(struct verify_run *run, const struct hs_rowfile *f)
{
    struct segment_cells cells = {.seg = {.line = f->row.line, .job = VERIFY_NONE}};
    struct verify_segment *seg = &cells.seg;
    HS_TRY(hs_rowfile_read(f, &cells));
    if (seg->start_us < 0 || seg->end_us < seg->start_us)
        return hs_rowfile_bad(f, "end", "a time at or after start");
    int end = 0;
    while (end <= HS_SEGMENT_FAILURE &&
           strcmp(cells.ended_by, hs_segment_end_text((enum hs_segment_end)end)) != 0)
        end++;
    if (end > HS_SEGMENT_FAILURE)
        return hs_rowfile_bad(
            f, "ended_by", "finish, preempt, suspend, migrate, kill, horizon, oom or failure");
    seg->ended_by = (enum hs_segment_end)end;
    HS_TRY(read_gpus(run, f, cells.gpus, seg));
    const uint32_t name = hs_intern_find(&run->ids, cells.id);
    if (name != UINT32_MAX && name != 0)
        seg->job = name - 1;
    hs_grow((void **)&run->segments, &run->segment_cap, (uint64_t)run->segment_count + 1,
            sizeof *run->segments, SEGMENTS_MAX);
    run->segments[run->segment_count++] = *seg;
    return HS_OK;
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

static enum hs_status
load_rows(struct verify_run *run, const char *name, const struct hs_cell *cells,
          enum hs_status (*add)(struct verify_run *run, const struct hs_rowfile *f))
{
    char path[VERIFY_PATH_SIZE];
    struct hs_rowfile f;
    HS_TRY(verify_path(run, name, path));
    enum hs_status s = hs_rowfile_open(&f, path, cells, run->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = add(run, &f);
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

enum hs_status verify_load(struct verify_run *run)
{
    hs_intern_init(&run->ids);
    hs_intern_init(&run->vcs);
    hs_intern_init(&run->types);
    HS_TRY(verify_load_setup(run));
    HS_TRY(load_trace(run));
    HS_TRY(load_rows(run, "jobs.csv", job_cells, add_job_row));
    return load_rows(run, "segments.csv", segment_cells, add_segment);
}

void verify_free(struct verify_run *run)
{
    hs_free(run->nodes);
    hs_free(run->gpus);
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
