/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The job files of the Tiresias simulator and of those that took them over as they are (Horus):
 * times are numbers, in seconds unless --time-unit says otherwise. `interval` repeats the gaps of
 * submit_time and `iterations` the duration in steps: neither is read.
 */
#include "traces/tiresias_columns.h"

static const struct hs_column columns[] = {
    HS_TIRESIAS_COLUMNS,
};

#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static void put_interval(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    hs_csvw_seconds(csv, job->submit_us - before_us);
}

/* In the order of the published files; the last two are ours. */
static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "num_gpu"},
    {.name = "submit_time"},
    {.name = "iterations", .put = hs_put_iterations},
    {.name = "model_name"},
    {.name = "duration"},
    {.name = "interval", .put = put_interval},
    {.name = "batch_size"},
    {.name = "user"},
};

/* The simulators read whole numbers. */
static const struct hs_trace_layout layout = {
    .made_up = "iterations of one second where the job tells no step",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .grain_us = HS_TRACE_TIME_UNIT_US,
};

static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id", "num_gpu", "submit_time", "duration", NULL};
    return hs_header_has_all(head, len, names) ? 90 : 0;
}

static enum hs_status open_tiresias(void *state, struct hs_input *input,
                                    const struct hs_trace_options *options,
                                    struct hs_faults *faults)
{
    return hs_table_open(state, input, options, faults, columns, COLUMN_COUNT, NULL);
}

const struct hs_trace_format hs_trace_format_tiresias = {
    .name = "tiresias",
    .summary = "Tiresias and Horus job files",
    .columns = "job_id, num_gpu, submit_time, duration; optional: user, model_name, batch_size",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_tiresias,
    .next = hs_table_format_next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
