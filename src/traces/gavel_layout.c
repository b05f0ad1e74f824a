/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * O(1) a job.
 */
#include "traces/gavel_layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traces/gavelspeed.h"

static const struct hs_column columns[] = {
    {"gpus", "scale factor", HS_CELL_COUNT, true, offsetof(struct hs_trace_job, gpus)},
    {"submit_time", "arrival time", HS_CELL_TIME, true, offsetof(struct hs_trace_job, submit_us)},
    {"duration", "duration", HS_CELL_SPAN, true, offsetof(struct hs_trace_job, duration_us)},
    {"model", "job type", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, model)},
    {"dataset", "job type", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, dataset)},
    {"batch", "job type", HS_CELL_BATCH, false, offsetof(struct hs_trace_job, batch)},
    {"priority", "priority weight", HS_CELL_INT, false, offsetof(struct hs_trace_job, priority)},
    {"deadline", "SLO", HS_CELL_TIME, false, offsetof(struct hs_trace_job, deadline_us)},
    {"step", "total steps", HS_CELL_OWN, false, offsetof(struct hs_trace_job, step_us)},
};

struct writing {
    struct hs_csvw *csv;
    struct hs_diag *diag;
    const char *path; /* of the speeds; NULL = none */
    struct hs_gavel_speeds speeds;
    enum hs_status status; /* the first failure */
};

/* ---- names of jobs ---- */

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* What cannot stand in a name becomes '_'. */
static void name_job(const struct hs_trace_job *job, struct hs_gavel_job *name)
{
    const char *family = is_given(job->model) ? hs_gavel_family(job->model) : HS_GAVEL_NO_MODEL;
    (void)snprintf(name->family, sizeof name->family, "%s", family);
    for (char *c = name->family; *c != '\0'; c++)
        if (*c == '/' || *c == '(' || iscntrl((unsigned char)*c))
            *c = '_';
    (void)snprintf(name->batch, sizeof name->batch, "%s", is_given(job->batch) ? job->batch : "");
    name->gpus = 0;
}

static bool is_model_kept(const struct hs_trace_job *job)
{
    struct hs_gavel_job name;
    const char *dataset;
    name_job(job, &name);
    return strcmp(job->model, HS_GAVEL_NO_MODEL) != 0 &&
           strcmp(hs_gavel_model(name.family, &dataset), job->model) == 0;
}

/* It follows from the model. */
static bool is_dataset_kept(const struct hs_trace_job *job)
{
    struct hs_gavel_job name;
    const char *dataset;
    name_job(job, &name);
    (void)hs_gavel_model(name.family, &dataset);
    return dataset != NULL && strcmp(dataset, job->dataset) == 0;
}

/* An SLO is at least 0, a multiple of the duration. */
static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    if (column->offset == offsetof(struct hs_trace_job, model))
        return is_model_kept(job);
    if (column->offset == offsetof(struct hs_trace_job, dataset))
        return is_dataset_kept(job);
    if (column->offset == offsetof(struct hs_trace_job, step_us))
        return hs_layout_keeps_step(job);
    if (column->offset == offsetof(struct hs_trace_job, deadline_us))
        return job->deadline_us == job->submit_us ||
               (job->deadline_us > job->submit_us && job->duration_us > 0);
    return true;
}

/* ---- lines ---- */

static void put_tab(struct writing *w)
{
    w->csv->out.at[-1] = '\t'; /* the comma that ended the field */
}

static void put_text(struct writing *w, const char *text)
{
    hs_output_put(&w->csv->out, text, strlen(text));
}

static void put_count(struct writing *w, int64_t count)
{
    hs_csvw_i64(w->csv, count);
    put_tab(w);
}

static void put_seconds(struct writing *w, int64_t us)
{
    hs_csvw_seconds(w->csv, us);
    put_tab(w);
}

static void put_slo(struct writing *w, const struct hs_trace_job *job)
{
    double after_us = (double)(job->deadline_us - job->submit_us);
    bool has_slo = job->deadline_us >= job->submit_us && job->duration_us > 0;
    hs_csvw_double(w->csv, has_slo                 ? after_us / (double)job->duration_us
                           : job->deadline_us >= 0 ? 0
                                                   : -1);
    put_tab(w);
}

static void put_line(struct writing *w, const struct hs_trace_job *job,
                     const struct hs_gavel_job *name, int64_t steps)
{
    put_text(w, name->family);
    if (name->batch[0] != '\0')
        hs_say(&w->csv->out, " (batch size %s)", name->batch);
    put_text(w, "\t-\t-\t-\t0\t"); /* command, folder, argument of steps, needs no data */
    put_count(w, steps);
    put_count(w, job->gpus);
    if (w->path == NULL)
        put_text(w, "static\t");
    put_count(w, (int64_t)job->priority + 1);
    put_slo(w, job);
    if (w->path == NULL)
        put_seconds(w, job->duration_us);
    put_seconds(w, job->submit_us);
    w->csv->out.at[-1] = '\n';
}

static enum hs_status no_speed(const struct writing *w, const struct hs_trace_job *job)
{
    static const char hint[] =
        "without --gavel-throughputs durations are written, in the fields of Shockwave";
    if (!is_given(job->model))
        return hs_fail(w->diag, HS_E_INPUT, NULL, hint,
                       "job '%s' has no model: Gavel's traces tell the steps of one", job->id);
    return hs_fail(w->diag, HS_E_INPUT, NULL, hint,
                   "%s has no speed of job '%s', %s of batch %s on %" PRIu32 " GPU%s", w->path,
                   job->id, job->model, is_given(job->batch) ? job->batch : "unknown", job->gpus,
                   job->gpus == 1 ? "" : "s");
}

static void put_job(void *state, const struct hs_trace_job *job)
{
    struct writing *w = state;
    struct hs_gavel_job name;
    int64_t steps = job->step_us > 0 ? (job->duration_us + job->step_us / 2) / job->step_us : 0;
    if (w->status != HS_OK)
        return;
    name_job(job, &name);
    if (w->path != NULL) {
        double per_second = hs_gavel_speeds_find(&w->speeds, &name, job->gpus);
        if (per_second <= 0) {
            w->status = no_speed(w, job);
            return;
        }
        steps = (int64_t)llround((double)job->duration_us * per_second / 1e6);
    }
    put_line(w, job, &name, steps);
}

static enum hs_status begin_writing(void *state, struct hs_csvw *csv,
                                    const struct hs_trace_options *options, struct hs_diag *diag)
{
    struct writing *w = state;
    *w = (struct writing){.csv = csv, .diag = diag};
    w->path = options != NULL ? options->gavel_throughputs : NULL;
    enum hs_status status =
        w->path != NULL ? hs_gavel_speeds_load(&w->speeds, w->path, diag) : HS_OK;
    if (status != HS_OK)
        hs_gavel_speeds_free(&w->speeds);
    return status;
}

static enum hs_status end_writing(void *state)
{
    struct writing *w = state;
    hs_gavel_speeds_free(&w->speeds);
    return w->status;
}

const struct hs_trace_layout hs_gavel_layout = {
    .suffix = ".trace",
    .made_up = "no commands; a mode, static, where it is written as Shockwave's",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .keeps = keeps,
    .state_size = sizeof(struct writing),
    .begin = begin_writing,
    .put = put_job,
    .end = end_writing,
};
