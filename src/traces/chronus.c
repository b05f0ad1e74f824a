/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chronus' job files (S-Lab-System-Group/ChronusArtifact; Gao et al., SoCC'21): those of Tiresias
 * and what a user expects. Times are minutes (an hour is 60 of its simulator's units, and its
 * traces cover 14 days in 20,151); files that others made in seconds want --time-unit=s.
 *
 * expect_time_list, "159-189-229", says by when after the submission the result is worth what
 * expect_value_list says: the first is the deadline, later ones count for less and are not read. A
 * job of the best effort (best_effort 1) is opportunistic, any other guaranteed; where the list of
 * the former repeats submit_time, as the published traces do, it has no deadline. job_type (strict,
 * soft, best) says the same in words.
 */
#include <string.h>

#include "traces/tiresias_columns.h"

enum { EXPECTED = 8 };

static const struct hs_column columns[] = {
    HS_TIRESIAS_COLUMNS,
    HS_COLUMN("class", "best_effort", BEST_EFFORT, false, job_class),
    [EXPECTED] = HS_COLUMN("deadline", "expect_time_list", OWN, true, deadline_us),
};

#define COLUMN_COUNT (sizeof columns / sizeof *columns)
#define UNIT_US      INT64_C(60000000)

/* What is written, with the kinds that are to be rounded. */
static const struct hs_column held[] = {
    HS_TIRESIAS_COLUMNS,
    HS_COLUMN("class", "best_effort", BEST_EFFORT, false, job_class),
    HS_COLUMN("deadline", "expect_time_list", TIME, false, deadline_us),
};

static bool is_best_effort(const struct hs_trace_job *job)
{
    return job->job_class == HS_JOB_CLASS_OPPORTUNISTIC;
}

static void put_minutes(struct hs_csvw *csv, int64_t us)
{
    hs_csvw_i64(csv, us / UNIT_US);
}

static void put_interval(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    put_minutes(csv, job->submit_us - before_us);
}

static void put_expected(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    if (job->deadline_us >= job->submit_us)
        put_minutes(csv, job->deadline_us - job->submit_us);
    else if (job->deadline_us >= 0)
        put_minutes(csv, 0);
    else if (is_best_effort(job))
        put_minutes(csv, job->submit_us);
    else
        hs_csvw_empty(csv);
}

static void put_value(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)job;
    (void)before_us;
    hs_csvw_u64(csv, 10); /* that of every job of the published traces */
}

static void put_type(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_text(csv, is_best_effort(job) ? "best" : "strict");
}

/* In the order of the published files; the last is that of ElasticFlow's. */
static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "user"},
    {.name = "num_gpu"},
    {.name = "submit_time"},
    {.name = "iterations", .put = hs_put_iterations},
    {.name = "model_name"},
    {.name = "duration"},
    {.name = "interval", .put = put_interval},
    {.name = "expect_time_list", .put = put_expected},
    {.name = "expect_value_list", .put = put_value},
    {.name = "best_effort"},
    {.name = "job_type", .put = put_type},
    {.name = "batch_size"},
};

static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    bool is_deadline = column->offset == offsetof(struct hs_trace_job, deadline_us);
    bool is_as_none = is_best_effort(job) && job->deadline_us - job->submit_us == job->submit_us;
    return !is_deadline || (job->deadline_us >= job->submit_us && !is_as_none);
}

static const struct hs_trace_layout layout = {
    .made_up = "iterations of one second where the job tells no step, a value of 10 for each",
    .columns = held,
    .column_count = sizeof held / sizeof *held,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .keeps = keeps,
    .unit_us = UNIT_US,
    .grain_us = UNIT_US,
};

/* Tiresias' files have all but the last. */
static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id",   "num_gpu",          "submit_time",
                                        "duration", "expect_time_list", NULL};
    return hs_header_has_all(head, len, names) ? 95 : 0;
}

static enum hs_status open_chronus(void *state, struct hs_input *input,
                                   const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct hs_trace_options own = *options;
    if (own.time_unit_us == 0)
        own.time_unit_us = UNIT_US;
    return hs_table_open(state, input, &own, faults, columns, COLUMN_COUNT, NULL);
}

static enum hs_status read_deadline(const struct hs_table *table, struct hs_trace_job *job)
{
    size_t len;
    int64_t expected_us;
    const char *text = hs_table_cell(table, EXPECTED, &len);
    if (hs_cell_is_missing(text, len))
        return HS_OK;
    size_t first = 1 + strcspn(text + 1, "-"); /* one at the front is a sign */
    enum hs_cell_result result = hs_cell_span(text, first, table->unit_us, &expected_us);
    if (result == HS_CELL_OK && expected_us < 0)
        result = HS_CELL_NEGATIVE;
    if (result == HS_CELL_OK && expected_us > HS_TRACE_TIME_MAX)
        result = HS_CELL_TOO_LONG;
    if (result != HS_CELL_OK)
        return hs_table_fail(table, EXPECTED, result);
    if (!is_best_effort(job) || expected_us != job->submit_us)
        job->deadline_us = job->submit_us + expected_us;
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    HS_TRY(hs_table_next(table, job, dropped));
    return *dropped ? HS_OK : read_deadline(table, job);
}

const struct hs_trace_format hs_trace_format_chronus = {
    .name = "chronus",
    .summary = "Chronus job files, in minutes (SoCC'21)",
    .columns = "job_id, num_gpu, submit_time, duration, expect_time_list; optional: user, "
               "model_name, batch_size, best_effort",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_chronus,
    .next = next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
