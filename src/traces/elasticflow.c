/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ElasticFlow's job files (pkusys/ElasticFlow; Gu et al., ASPLOS'23), in seconds: `ddl` is the
 * instant by which the job must be done, and `duration` what `iteration` iterations take on num_gpu
 * GPUs, so that one divided by the other is the time of a step. best_effort, in files that its
 * generator writes, is 1 for a job whose ddl does not count; we write the columns of the published
 * traces, which have none. real_duration and real_iteration are
 * those of a run that ends on reaching a metric, which its simulator does on request only: not
 * read.
 */
#include "base/timeparse.h"
#include "traces/layout.h"

enum { ITERATIONS = 8 };

static const struct hs_column columns[] = {
    HS_COLUMN("gpus", "num_gpu", COUNT, true, gpus),
    HS_COLUMN("job_id", "job_id", ID, true, id),
    HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    HS_COLUMN("deadline", "ddl", TIME, false, deadline_us),
    HS_COLUMN("model", "model_name", TEXT, false, model),
    HS_COLUMN("batch", "batch_size", BATCH, false, batch),
    HS_COLUMN("class", "best_effort", BEST_EFFORT, false, job_class),
    [ITERATIONS] = HS_COLUMN("step", "iteration", OWN, false, step_us),
};

#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static void put_duration(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_seconds(csv, job->duration_us);
}

static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "submit_time"},
    {.name = "real_iteration", .put = hs_put_known_iterations},
    {.name = "model_name"},
    {.name = "ddl"},
    {.name = "batch_size"},
    {.name = "num_gpu"},
    {.name = "real_duration", .put = put_duration},
    {.name = "duration"},
    {.name = "iteration", .put = hs_put_known_iterations},
};

static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    return column->offset != offsetof(struct hs_trace_job, step_us) || hs_layout_keeps_step(job);
}

static const struct hs_trace_layout layout = {
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .keeps = keeps,
    .grain_us = HS_TRACE_TIME_UNIT_US,
};

/* Tiresias' files have no ddl. */
static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id",   "num_gpu", "submit_time",
                                        "duration", "ddl",     NULL};
    return hs_header_has_all(head, len, names) ? 95 : 0;
}

static enum hs_status open_elasticflow(void *state, struct hs_input *input,
                                       const struct hs_trace_options *options,
                                       struct hs_faults *faults)
{
    return hs_table_open(state, input, options, faults, columns, COLUMN_COUNT, NULL);
}

static enum hs_status read_step(const struct hs_table *table, struct hs_trace_job *job)
{
    size_t len;
    int64_t iterations;
    const char *text = hs_table_cell(table, ITERATIONS, &len);
    if (hs_cell_is_missing(text, len) || job->duration_us < 0)
        return HS_OK;
    if (!hs_parse_int64(text, len, &iterations))
        return hs_table_fail(table, ITERATIONS, HS_CELL_NOT_A_COUNT);
    if (iterations < 0)
        return hs_table_fail(table, ITERATIONS, HS_CELL_NEGATIVE);
    if (iterations > 0)
        job->step_us = (job->duration_us + iterations / 2) / iterations;
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    HS_TRY(hs_table_next(table, job, dropped));
    if (*dropped)
        return HS_OK;
    if (job->job_class == HS_JOB_CLASS_OPPORTUNISTIC)
        job->deadline_us = -1;
    return read_step(table, job);
}

const struct hs_trace_format hs_trace_format_elasticflow = {
    .name = "elasticflow",
    .summary = "ElasticFlow job files (ASPLOS'23)",
    .columns = "job_id, num_gpu, submit_time, duration, ddl; optional: model_name, batch_size, "
               "iteration, best_effort",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_elasticflow,
    .next = next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
