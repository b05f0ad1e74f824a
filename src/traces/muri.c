/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Muri's job files (Rivendile/Muri; Zhao et al., SIGCOMM'22): those of Tiresias and the time of an
 * iteration, all times in milliseconds. `iterations` and `interval` follow from other columns;
 * resource_time_0..2, how an iteration divides among storage and CPU, GPU and network, belongs to
 * the model, not the job, and is not read.
 */
#include "traces/tiresias_columns.h"

static const struct hs_column columns[] = {
    HS_TIRESIAS_COLUMNS,
    HS_COLUMN("step", "iteration_time", SPAN, false, step_us),
    HS_COLUMN("priority", "priority", INT, false, priority),
};

#define COLUMN_COUNT (sizeof columns / sizeof *columns)
#define UNIT_US      1000

static void put_ms(struct hs_csvw *csv, int64_t us)
{
    hs_csvw_ratio(csv, (uint64_t)us, UNIT_US, 3);
}

static void put_interval(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    put_ms(csv, job->submit_us - before_us);
}

static void put_gpu_time(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    put_ms(csv, job->step_us);
}

static void put_priority(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_i64(csv, job->priority);
}

/* In the order of the published files; the last is ours. */
static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "num_gpu"},
    {.name = "submit_time"},
    {.name = "iterations", .put = hs_put_known_iterations},
    {.name = "model_name"},
    {.name = "batch_size"},
    {.name = "duration"},
    {.name = "interval", .put = put_interval},
    {.name = "iteration_time"},
    {.name = "resource_time_0", .put = hs_put_zero},
    {.name = "resource_time_1", .put = put_gpu_time},
    {.name = "resource_time_2", .put = hs_put_zero},
    {.name = "priority", .put = put_priority},
    {.name = "user"},
};

static const struct hs_trace_layout layout = {
    .made_up = "resource times, all of an iteration on the GPU",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .unit_us = UNIT_US,
    .grain_us = UNIT_US,
};

/* Tiresias' files have all but the last. */
static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id",   "num_gpu",        "submit_time",
                                        "duration", "iteration_time", NULL};
    return hs_header_has_all(head, len, names) ? 95 : 0;
}

static enum hs_status open_muri(void *state, struct hs_input *input,
                                const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct hs_trace_options own = *options;
    if (own.time_unit_us == 0)
        own.time_unit_us = UNIT_US;
    return hs_table_open(state, input, &own, faults, columns, COLUMN_COUNT, NULL);
}

const struct hs_trace_format hs_trace_format_muri = {
    .name = "muri",
    .summary = "Muri job files, in ms (SIGCOMM'22)",
    .columns = "job_id, num_gpu, submit_time, duration, iteration_time; optional: user, "
               "model_name, batch_size, priority",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_muri,
    .next = hs_table_format_next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
