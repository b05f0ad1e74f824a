/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of a run into memory. Job n of jobs.csv has id n + 1 in `ids`, which is why ids must be
 * unique: segments name jobs by them alone.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "report/explain/explain_data.h"
#include "report/run/rowfile.h"

#define ROWS_MAX      (UINT32_MAX / 2)
#define NEAREST_AMONG 100000u /* of a larger trace the first ones */

/* ---- manifest and cluster ---- */

static const char *config_text(const struct hs_explain *x, const char *key)
{
    return hs_json_text(hs_json_get(x->manifest.config, key));
}

static enum hs_status load_cluster(struct hs_explain *x)
{
    struct hs_place place = {.file = x->dir};
    const char *spec = config_text(x, "cluster"), *vc = config_text(x, "vc");
    if (spec == NULL)
        return hs_fail(x->diag, HS_E_INPUT, &place, NULL, "the manifest names no cluster");
    HS_TRY(hs_cluster_load(&x->cluster, spec, x->diag));
    x->has_cluster = true;
    for (uint32_t i = 0; i < x->manifest.input_count; i++)
        if (strcmp(x->manifest.inputs[i].role, "cluster") == 0 &&
            x->manifest.inputs[i].hash != x->cluster.input_hash)
            hs_report(x->diag, HS_WARNING, &place, "what is told of causes is of another cluster",
                      "'%s' was changed after the run", spec);
    if (vc == NULL || strcmp(vc, "ignore") == 0)
        return HS_OK;
    const char *date = config_text(x, "vc_date");
    return hs_cluster_set_vcs(&x->cluster, strcmp(vc, "quota") == 0 ? HS_VC_QUOTA : HS_VC_PARTITION,
                              config_text(x, "vc_file"), date != NULL ? date : "", x->diag);
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "?";
}

static enum hs_status load_manifest(struct hs_explain *x)
{
    struct hs_place place = {.file = x->dir};
    HS_TRY(hs_runmanifest_open(&x->manifest, x->dir, x->diag));
    static const char *const needed[] = {"jobs.csv", "segments.csv"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (hs_runmanifest_file(&x->manifest, needed[i]) == NULL)
            return hs_fail(x->diag, HS_E_INPUT, &place,
                           "repeat the run with --outputs=jobs,segments, or all",
                           "nothing to explain: the run was made without %s", needed[i]);
    const struct hs_json *assumptions = x->manifest.assumptions;
    const char *can = x->manifest.can != NULL ? x->manifest.can : "";
    x->may_borrow = strstr(can, "borrow") != NULL;
    x->is_sharing = strstr(can, "co-locate") != NULL;
    x->policy = config_text(x, "policy");
    x->order = or_unknown(hs_json_text(hs_json_get(assumptions, "order")));
    x->scan = or_unknown(hs_json_text(hs_json_get(assumptions, "scan")));
    x->has_decisions = hs_runmanifest_file(&x->manifest, "decisions.csv") != NULL;
    return load_cluster(x);
}

/* ---- jobs.csv ---- */

struct explain_job_cells {
    struct explain_job job;
    const char *id, *success, *user, *vc, *model, *status;
};
#define AT(field) offsetof(struct explain_job_cells, field)

static const struct hs_cell job_cells[] = {
    {"job_id", HS_CELL_TEXT, AT(id)},
    {"submission_time", HS_CELL_TIME, AT(job.submit_us)},
    {"starting_time", HS_CELL_TIME_OR_NONE, AT(job.start_us)},
    {"isolated", HS_CELL_TIME, AT(job.isolated_us)},
    {"run", HS_CELL_TIME, AT(job.run_us)},
    {"queueing_delay", HS_CELL_TIME, AT(job.pending_us)},
    {"overhead", HS_CELL_TIME, AT(job.overhead_us)},
    {"colocated", HS_CELL_TIME, AT(job.colocated_us)},
    {"lost", HS_CELL_NANO, AT(job.lost_ns)},
    {"requested_number_of_resources", HS_CELL_COUNT32, AT(job.gpus)},
    {"gpu_share", HS_CELL_SHARE, AT(job.gpu_milli)},
    {"preemptions", HS_CELL_COUNT, AT(job.preemptions)},
    {"migrations", HS_CELL_COUNT, AT(job.migrations)},
    {"ooms", HS_CELL_COUNT, AT(job.ooms)},
    {"switches", HS_CELL_COUNT, AT(job.switches)},
    {"success", HS_CELL_TEXT, AT(success)},
    {"user", HS_CELL_TEXT, AT(user)},
    {"vc", HS_CELL_TEXT, AT(vc)},
    {"model", HS_CELL_TEXT, AT(model)},
    {"status", HS_CELL_TEXT, AT(status)},
    {NULL, HS_CELL_TEXT, 0},
};

/* Few: as many as there are sizes of gangs, and shares, in a pool. */
static void class_of(struct hs_explain *x, struct explain_job *job)
{
    uint32_t vc = job->vc == UINT32_MAX ? 0 : job->vc; /* rejected: it never waits */
    for (job->class = 0; job->class < x->class_count; job->class ++)
        if (x->classes[job->class].vc == vc && x->classes[job->class].gpus == job->gpus &&
            x->classes[job->class].gpu_milli == job->gpu_milli)
            return;
    hs_grow((void **)&x->classes, &x->class_cap, (uint64_t)x->class_count + 1, sizeof *x->classes,
            ROWS_MAX);
    x->classes[x->class_count++] =
        (struct explain_class){.vc = vc, .gpus = job->gpus, .gpu_milli = job->gpu_milli};
}

static enum hs_status add_job(struct hs_explain *x, const struct hs_rowfile *f)
{
    struct explain_job_cells cells = {
        .job = {.first_segment = EXPLAIN_NONE, .last_segment = EXPLAIN_NONE}};
    struct explain_job *job = &cells.job;
    uint32_t name = hs_intern_get(&x->ids, hs_rowfile_text(f, 0));
    if (name != x->job_count + 1) {
        struct hs_place place = hs_csv_place(f->csv, f->at[0]);
        return hs_fail(x->diag, HS_E_INPUT, &place, "give every job of the trace an id of its own",
                       "job id '%s' is not unique, so its segments cannot be told apart",
                       hs_rowfile_text(f, 0));
    }
    HS_TRY(hs_rowfile_read(f, job_cells, &cells));
    job->id = hs_intern_text(&x->ids, name);
    job->user = hs_intern_get(&x->texts, cells.user);
    job->vc_name = hs_intern_get(&x->texts, cells.vc);
    job->model = hs_intern_get(&x->texts, cells.model);
    job->status = hs_intern_get(&x->texts, cells.status);
    job->is_done = strcmp(cells.success, "1") == 0;
    job->end_us = job->submit_us + job->run_us + job->pending_us;
    job->vc = hs_cluster_vc(&x->cluster, cells.vc);
    class_of(x, job);
    if (x->job_count == 0 || job->submit_us < x->begin_us)
        x->begin_us = job->submit_us;
    if (x->job_count == 0 || job->end_us > x->end_us)
        x->end_us = job->end_us;
    hs_grow((void **)&x->jobs, &x->job_cap, (uint64_t)x->job_count + 1, sizeof *x->jobs, ROWS_MAX);
    x->jobs[x->job_count++] = *job;
    return HS_OK;
}

/* ---- segments.csv ---- */

struct explain_segment_cells {
    struct explain_segment segment;
    const char *id, *gpus, *ended_by;
};
#define SEG(field) offsetof(struct explain_segment_cells, field)

static const struct hs_cell segment_cells[] = {
    {"job_id", HS_CELL_TEXT, SEG(id)},
    {"start", HS_CELL_TIME, SEG(segment.start_us)},
    {"end", HS_CELL_TIME, SEG(segment.end_us)},
    {"mean_rate", HS_CELL_RATE, SEG(segment.rate_ppb)},
    {"tenants", HS_CELL_COUNT32, SEG(segment.tenants)},
    {"allocated_resources", HS_CELL_TEXT, SEG(gpus)},
    {"ended_by", HS_CELL_TEXT, SEG(ended_by)},
    {NULL, HS_CELL_TEXT, 0},
};

static enum hs_status read_gpus(struct hs_explain *x, const struct hs_rowfile *f, const char *at,
                                struct explain_segment *s)
{
    s->first_range = x->range_count;
    while (*at != '\0') {
        struct explain_range r;
        if (!hs_rowfile_range(&at, &r.first, &r.last) || r.last >= x->cluster.gpu_count)
            return hs_rowfile_bad_cell(f, "allocated_resources",
                                       "a list of ascending GPUs of the cluster");
        hs_grow((void **)&x->ranges, &x->range_cap, (uint64_t)x->range_count + 1, sizeof *x->ranges,
                ROWS_MAX);
        x->ranges[x->range_count++] = r;
        s->gpus += r.last - r.first + 1;
    }
    s->ranges = x->range_count - s->first_range;
    return HS_OK;
}

/* Segments of a job never overlap, so the file has them in order: each is the next of its job. */
static enum hs_status add_segment(struct hs_explain *x, const struct hs_rowfile *f)
{
    struct explain_segment_cells cells = {.segment = {.next_of_job = EXPLAIN_NONE}};
    struct explain_segment *s = &cells.segment;
    HS_TRY(hs_rowfile_read(f, segment_cells, &cells));
    const uint32_t name = hs_intern_find(&x->ids, cells.id), index = x->segment_count;
    if (name == 0 || name == UINT32_MAX)
        return hs_rowfile_bad_cell(f, "job_id", "a job of jobs.csv");
    struct explain_job *job = &x->jobs[name - 1];
    if (job->vc == UINT32_MAX)
        return hs_rowfile_bad_cell(f, "job_id", "a job of a virtual cluster that the cluster has");
    if (s->end_us < s->start_us)
        return hs_rowfile_bad_cell(f, "end", "a time at or after start");
    int end = 0;
    while (end <= HS_SEGMENT_FAILURE &&
           strcmp(cells.ended_by, hs_segment_end_text((enum hs_segment_end)end)) != 0)
        end++;
    if (end > HS_SEGMENT_FAILURE)
        return hs_rowfile_bad_cell(f, "ended_by", "an end that a segment can have");
    s->ended_by = (enum hs_segment_end)end;
    s->job = name - 1;
    HS_TRY(read_gpus(x, f, cells.gpus, s));
    hs_grow((void **)&x->segments, &x->segment_cap, (uint64_t)index + 1, sizeof *x->segments,
            ROWS_MAX);
    x->segments[x->segment_count++] = *s;
    if (job->first_segment == EXPLAIN_NONE)
        job->first_segment = index;
    else
        x->segments[job->last_segment].next_of_job = index;
    job->last_segment = index;
    return HS_OK;
}

/* ---- the whole ---- */

static enum hs_status load_rows(struct hs_explain *x, const char *name, const struct hs_cell *cells,
                                enum hs_status (*add)(struct hs_explain *x,
                                                      const struct hs_rowfile *f))
{
    char path[EXPLAIN_PATH_SIZE];
    struct hs_rowfile f;
    int length = snprintf(path, sizeof path, "%s/%s", x->dir, name);
    if (length < 0 || length >= EXPLAIN_PATH_SIZE)
        return hs_fail(x->diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", x->dir);
    enum hs_status s = hs_rowfile_open_cells(&f, path, cells, x->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = add(x, &f);
    const struct hs_runmanifest_file *file = hs_runmanifest_file(&x->manifest, name);
    if (s == HS_END && file != NULL && hs_input_hash(f.input) != file->hash)
        hs_report(x->diag, HS_WARNING, &(struct hs_place){.file = path}, "`horus verify` says more",
                  "not the file that the manifest lists: it was changed after the run");
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

enum hs_status hs_explain_load(struct hs_explain **explain, const char *dir, struct hs_diag *diag)
{
    struct hs_explain *x = hs_alloc_zeroed(1, sizeof *x);
    *explain = x;
    x->dir = dir;
    x->diag = diag;
    x->watched = EXPLAIN_NONE;
    hs_intern_init(&x->ids);
    hs_intern_init(&x->texts);
    HS_TRY(load_manifest(x));
    HS_TRY(load_rows(x, "jobs.csv", job_cells, add_job));
    return load_rows(x, "segments.csv", segment_cells, add_segment);
}

enum hs_status hs_explain_find(const struct hs_explain *x, const char *id, uint32_t *job,
                               struct hs_diag *diag)
{
    uint32_t name = hs_intern_find(&x->ids, id);
    if (name != 0 && name != UINT32_MAX) {
        *job = name - 1;
        return HS_OK;
    }
    uint32_t count = x->job_count < NEAREST_AMONG ? x->job_count : NEAREST_AMONG;
    const char **names = hs_alloc_zeroed((uint64_t)count + 1, sizeof *names);
    char hint[128] = "the first column of jobs.csv has the ids";
    for (uint32_t i = 0; names != NULL && i < count; i++)
        names[i] = x->jobs[i].id;
    const char *nearest = names != NULL ? hs_nearest(id, names, count) : NULL;
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    hs_free(names);
    return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = x->dir}, hint,
                   "the run has no job '%s'", id);
}

void hs_explain_close(struct hs_explain *x)
{
    if (x == NULL)
        return;
    hs_runmanifest_close(&x->manifest);
    if (x->has_cluster)
        hs_cluster_free(&x->cluster);
    hs_intern_free(&x->ids);
    hs_intern_free(&x->texts);
    hs_free(x->jobs);
    hs_free(x->segments);
    hs_free(x->ranges);
    hs_free(x->classes);
    hs_free(x->stages);
    hs_free(x);
}
