/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of a run into memory. Job n of jobs.csv has id n + 1 in `ids`, which is why ids must be
 * unique: segments name jobs by them alone.
 */
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "report/explain_data.h"

#define ROWS_MAX   (UINT32_MAX / 2)
#define RANGES_MAX (UINT32_MAX / 2)

static enum hs_status path_of(const struct hs_explain *x, const char *name, char *path)
{
    int length = snprintf(path, EXPLAIN_PATH_SIZE, "%s/%s", x->dir, name);
    if (length < 0 || length >= EXPLAIN_PATH_SIZE)
        return hs_fail(x->diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", x->dir);
    return HS_OK;
}

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
    const struct hs_json *card = hs_json_get(hs_json_root(x->manifest.doc), "card");
    const char *can = x->manifest.can != NULL ? x->manifest.can : "";
    x->may_borrow = strstr(can, "borrow") != NULL;
    x->is_sharing = strstr(can, "co-locate") != NULL;
    x->policy = config_text(x, "policy");
    x->order = hs_json_text(hs_json_get(card, "order"));
    x->scan = hs_json_text(hs_json_get(card, "scan"));
    x->has_decisions = hs_runmanifest_file(&x->manifest, "decisions.csv") != NULL;
    return load_cluster(x);
}

/* ---- jobs.csv ---- */

enum {
    J_ID,
    J_SUBMIT,
    J_GPUS,
    J_START,
    J_SUCCESS,
    J_USER,
    J_VC,
    J_MODEL,
    J_STATUS,
    J_GPU_TYPE,
    J_NODES,
    J_ISOLATED,
    J_RUN,
    J_PENDING,
    J_OVERHEAD,
    J_COLOCATED,
    J_LOST,
    J_PREEMPTIONS,
    J_MIGRATIONS,
    J_OOMS,
    J_SWITCHES,
    J_SHARE,
};
static const char *const job_columns[] = {"job_id",
                                          "submission_time",
                                          "requested_number_of_resources",
                                          "starting_time",
                                          "success",
                                          "user",
                                          "vc",
                                          "model",
                                          "status",
                                          "gpu_type",
                                          "nodes",
                                          "isolated",
                                          "run",
                                          "pending",
                                          "overhead",
                                          "colocated",
                                          "lost",
                                          "preemptions",
                                          "migrations",
                                          "ooms",
                                          "switches",
                                          "gpu_share",
                                          NULL};

/* -1 where it may be empty and is. */
static enum hs_status cell_time(const struct hs_rowfile *f, uint32_t column, bool may_be_empty,
                                int64_t *us)
{
    static const char expected[] = "a time in seconds";
    HS_TRY(hs_rowfile_decimal(f, column, HS_US_PER_S, expected, us));
    return *us < 0 && !may_be_empty ? hs_rowfile_bad(f, column, expected) : HS_OK;
}

static enum hs_status cell_count(const struct hs_rowfile *f, uint32_t column, uint32_t *count)
{
    uint64_t value;
    HS_TRY(hs_rowfile_count(f, column, &value));
    *count = (uint32_t)value;
    return value > UINT32_MAX ? hs_rowfile_bad(f, column, "a count") : HS_OK;
}

static enum hs_status cell_share(const struct hs_rowfile *f, uint32_t *milli)
{
    static const char expected[] = "a share of a GPU, at most 1, in thousandths";
    int64_t value;
    HS_TRY(hs_rowfile_decimal(f, J_SHARE, HS_GPU_MILLI, expected, &value));
    *milli = (uint32_t)value;
    return value < 1 || value > HS_GPU_MILLI ? hs_rowfile_bad(f, J_SHARE, expected) : HS_OK;
}

static enum hs_status read_job(struct hs_explain *x, const struct hs_rowfile *f,
                               struct explain_job *job)
{
    HS_TRY(cell_time(f, J_SUBMIT, false, &job->submit_us));
    HS_TRY(cell_time(f, J_START, true, &job->start_us));
    HS_TRY(cell_time(f, J_ISOLATED, false, &job->isolated_us));
    HS_TRY(cell_time(f, J_RUN, false, &job->run_us));
    HS_TRY(cell_time(f, J_PENDING, false, &job->pending_us));
    HS_TRY(cell_time(f, J_OVERHEAD, false, &job->overhead_us));
    HS_TRY(cell_time(f, J_COLOCATED, false, &job->colocated_us));
    HS_TRY(hs_rowfile_decimal(f, J_LOST, HS_US_PER_S * HS_NS_PER_US, "a time in seconds",
                              &job->lost_ns));
    HS_TRY(cell_count(f, J_GPUS, &job->gpus));
    HS_TRY(cell_share(f, &job->gpu_milli));
    HS_TRY(cell_count(f, J_NODES, &job->nodes));
    HS_TRY(hs_rowfile_count(f, J_PREEMPTIONS, &job->preemptions));
    HS_TRY(hs_rowfile_count(f, J_MIGRATIONS, &job->migrations));
    HS_TRY(hs_rowfile_count(f, J_OOMS, &job->ooms));
    HS_TRY(hs_rowfile_count(f, J_SWITCHES, &job->switches));
    HS_TRY(hs_intern_get(&x->texts, hs_rowfile_text(f, J_USER), &job->user));
    HS_TRY(hs_intern_get(&x->texts, hs_rowfile_text(f, J_VC), &job->vc_name));
    HS_TRY(hs_intern_get(&x->texts, hs_rowfile_text(f, J_MODEL), &job->model));
    HS_TRY(hs_intern_get(&x->texts, hs_rowfile_text(f, J_STATUS), &job->status));
    HS_TRY(hs_intern_get(&x->texts, hs_rowfile_text(f, J_GPU_TYPE), &job->gpu_type));
    job->is_done = strcmp(hs_rowfile_text(f, J_SUCCESS), "1") == 0;
    job->end_us = job->submit_us + job->run_us + job->pending_us;
    job->vc = hs_cluster_vc(&x->cluster, hs_rowfile_text(f, J_VC));
    return HS_OK;
}

/* Few: as many as there are sizes of gangs, and shares, in a pool. */
static enum hs_status class_of(struct hs_explain *x, struct explain_job *job)
{
    uint32_t vc = job->vc == UINT32_MAX ? 0 : job->vc; /* it was turned away and never waits */
    for (job->class = 0; job->class < x->class_count; job->class ++)
        if (x->classes[job->class].vc == vc && x->classes[job->class].gpus == job->gpus &&
            x->classes[job->class].gpu_milli == job->gpu_milli)
            return HS_OK;
    HS_TRY(hs_grow((void **)&x->classes, &x->class_cap, (uint64_t)x->class_count + 1,
                   sizeof *x->classes, ROWS_MAX));
    x->classes[x->class_count++] =
        (struct explain_class){.vc = vc, .gpus = job->gpus, .gpu_milli = job->gpu_milli};
    return HS_OK;
}

static enum hs_status add_job(struct hs_explain *x, const struct hs_rowfile *f)
{
    struct explain_job job = {.first_segment = EXPLAIN_NONE, .last_segment = EXPLAIN_NONE};
    const char *id = hs_rowfile_text(f, J_ID);
    uint32_t name;
    HS_TRY(hs_intern_get(&x->ids, id, &name));
    if (name != x->job_count + 1) {
        struct hs_place place = hs_csv_place(f->csv, f->at[J_ID]);
        return hs_fail(x->diag, HS_E_INPUT, &place, "give every job of the trace an id of its own",
                       "job id '%s' is not unique, so its segments cannot be told apart", id);
    }
    job.id = hs_intern_text(&x->ids, name);
    HS_TRY(read_job(x, f, &job));
    HS_TRY(class_of(x, &job));
    if (x->job_count == 0 || job.submit_us < x->begin_us)
        x->begin_us = job.submit_us;
    if (x->job_count == 0 || job.end_us > x->end_us)
        x->end_us = job.end_us;
    HS_TRY(hs_grow((void **)&x->jobs, &x->job_cap, (uint64_t)x->job_count + 1, sizeof *x->jobs,
                   ROWS_MAX));
    x->jobs[x->job_count++] = job;
    return HS_OK;
}

/* ---- segments.csv ---- */

enum { S_ID, S_START, S_END, S_GPUS, S_RATE, S_TENANTS, S_ENDED_BY };
static const char *const segment_columns[] = {
    "job_id", "start", "end", "allocated_resources", "mean_rate", "tenants", "ended_by", NULL};

const char *const explain_end_names[EXPLAIN_ENDS] = {"finish", "preempt", "suspend", "migrate",
                                                     "kill",   "oom",     "horizon", "failure"};

static enum hs_status read_gpus(struct hs_explain *x, const struct hs_rowfile *f,
                                struct explain_segment *s)
{
    const char *at = hs_rowfile_text(f, S_GPUS);
    s->first_range = x->range_count;
    while (*at != '\0') {
        struct explain_range r;
        if (!hs_rowfile_range(&at, &r.first, &r.last) || r.last >= x->cluster.gpu_count)
            return hs_rowfile_bad(f, S_GPUS, "a list of ascending GPUs of the cluster");
        HS_TRY(hs_grow((void **)&x->ranges, &x->range_cap, (uint64_t)x->range_count + 1,
                       sizeof *x->ranges, RANGES_MAX));
        x->ranges[x->range_count++] = r;
        s->gpus += r.last - r.first + 1;
    }
    s->ranges = x->range_count - s->first_range;
    return HS_OK;
}

/* It is the next one of its job; segments of a job never overlap, so the file has them in order. */
static void link_segment(struct hs_explain *x, const struct explain_segment *s, uint32_t index)
{
    struct explain_job *job = &x->jobs[s->job];
    if (job->first_segment == EXPLAIN_NONE)
        job->first_segment = index;
    else
        x->segments[job->last_segment].next_of_job = index;
    job->last_segment = index;
    job->segments++;
}

static enum hs_status add_segment(struct hs_explain *x, const struct hs_rowfile *f)
{
    struct explain_segment s = {.next_of_job = EXPLAIN_NONE};
    uint32_t name = hs_intern_find(&x->ids, hs_rowfile_text(f, S_ID)), ended = 0;
    if (name == 0 || name == UINT32_MAX)
        return hs_rowfile_bad(f, S_ID, "a job of jobs.csv");
    s.job = name - 1;
    if (x->jobs[s.job].vc == UINT32_MAX)
        return hs_rowfile_bad(f, S_ID, "a job of a virtual cluster that the cluster has");
    HS_TRY(cell_time(f, S_START, false, &s.start_us));
    HS_TRY(cell_time(f, S_END, false, &s.end_us));
    if (s.end_us < s.start_us)
        return hs_rowfile_bad(f, S_END, "a time at or after start");
    HS_TRY(hs_rowfile_decimal(f, S_RATE, HS_US_PER_S * HS_NS_PER_US, "a rate", &s.rate_ppb));
    HS_TRY(cell_count(f, S_TENANTS, &s.tenants));
    while (ended < EXPLAIN_ENDS &&
           strcmp(hs_rowfile_text(f, S_ENDED_BY), explain_end_names[ended]) != 0)
        ended++;
    if (ended == EXPLAIN_ENDS)
        return hs_rowfile_bad(f, S_ENDED_BY, "an end that a segment can have");
    s.ended_by = (enum explain_end)ended;
    HS_TRY(read_gpus(x, f, &s));
    HS_TRY(hs_grow((void **)&x->segments, &x->segment_cap, (uint64_t)x->segment_count + 1,
                   sizeof *x->segments, ROWS_MAX));
    x->segments[x->segment_count] = s;
    link_segment(x, &s, x->segment_count++);
    return HS_OK;
}

static enum hs_status load_rows(struct hs_explain *x, const char *name, const char *const *columns,
                                enum hs_status (*add)(struct hs_explain *x,
                                                      const struct hs_rowfile *f))
{
    char path[EXPLAIN_PATH_SIZE];
    struct hs_rowfile f;
    HS_TRY(path_of(x, name, path));
    enum hs_status s = hs_rowfile_open(&f, path, columns, x->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK) {
        s = add(x, &f);
        if (s == HS_E_MEMORY || s == HS_E_LIMIT)
            s = hs_fail(x->diag, s, &(struct hs_place){.file = path}, NULL,
                        "no memory for more than %u rows",
                        f.row.line > 0 ? (unsigned)f.row.line : 0);
    }
    const struct hs_runmanifest_file *file = hs_runmanifest_file(&x->manifest, name);
    if (s == HS_END && file != NULL && hs_input_hash(f.input) != file->hash)
        hs_report(x->diag, HS_WARNING, &(struct hs_place){.file = path}, "`horus verify` says more",
                  "not the file that the manifest lists: it was changed after the run");
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

enum hs_status explain_load(struct hs_explain *x)
{
    if (hs_intern_init(&x->ids) != HS_OK || hs_intern_init(&x->texts) != HS_OK)
        return hs_fail(x->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(load_manifest(x));
    HS_TRY(load_rows(x, "jobs.csv", job_columns, add_job));
    return load_rows(x, "segments.csv", segment_columns, add_segment);
}
