/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The job files of the Tiresias simulator, used unchanged by Horus, and of the simulators that
 * added columns: Muri, Chronus and ElasticFlow. Times are numbers, in seconds unless the format's
 * record or --time-unit says otherwise. What follows from other columns is not read: `interval`,
 * the gaps of submit_time, and `iterations`, the duration in steps.
 */
#include <string.h>

#include "traces/format.h"

/* The columns that all four have. */
#define DEMANDS                                                                                    \
    HS_COLUMN("gpus", "num_gpu", COUNT, true, gpus), HS_COLUMN("job_id", "job_id", ID, true, id),  \
        HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),                            \
        HS_COLUMN("duration", "duration", SPAN, true, duration_us)
#define TIRESIAS_COLUMNS                                                                           \
    DEMANDS, HS_COLUMN("user", "user", TEXT, false, user),                                         \
        HS_COLUMN("model", "model_name", TEXT, false, model),                                      \
        HS_COLUMN("batch", "batch_size", BATCH, false, batch)

/* ---- Tiresias ---- */

static const struct hs_column tiresias_columns[] = {TIRESIAS_COLUMNS};
const struct hs_trace_format hs_trace_format_tiresias = {
    .name = "tiresias",
    .summary = "Tiresias and Horus job files",
    .columns = "job_id, num_gpu, submit_time, duration; optional: user, model_name, batch_size",
    .header = "job_id,num_gpu,submit_time,duration",
    .certainty = 90,
    HS_TABLE(tiresias_columns),
};

/* ---- Muri ---- */

/* Rivendile/Muri; Zhao et al., SIGCOMM'22. All times are in milliseconds. resource_time_0..2, the
 * division of an iteration among storage and CPU, GPU and network, is a property of the model, not
 * of the job, and is not read. */
static const struct hs_column muri_columns[] = {
    TIRESIAS_COLUMNS,
    HS_COLUMN("step", "iteration_time", SPAN, false, step_us),
    HS_COLUMN("priority", "priority", INT, false, priority),
};
const struct hs_trace_format hs_trace_format_muri = {
    .name = "muri",
    .summary = "Muri job files, in ms (SIGCOMM'22)",
    .columns = "job_id, num_gpu, submit_time, duration, iteration_time; optional: user, "
               "model_name, batch_size, priority",
    .header = "job_id,num_gpu,submit_time,duration,iteration_time",
    .certainty = 95,
    HS_TABLE(muri_columns),
    .unit_us = 1000,
};

/* ---- Chronus ---- */

/* S-Lab-System-Group/ChronusArtifact; Gao et al., SoCC'21. Times are minutes (its simulator counts
 * 60 units per hour, and its traces cover 14 days in 20,151); files in seconds need --time-unit=s.
 *
 * expect_time_list, "159-189-229", gives the times after submission up to which the result has the
 * values in expect_value_list: the first is the deadline, all are its options. A best-effort job
 * (best_effort 1) is opportunistic, any other guaranteed; if its list repeats submit_time, as in
 * the published traces, it has no deadline. job_type (strict, soft, best) says the same in words.
 */
enum { EXPECTED = 8, VALUES };

static const struct hs_column chronus_columns[] = {
    TIRESIAS_COLUMNS,
    HS_COLUMN("class", "best_effort", BEST_EFFORT, false, job_class),
    [EXPECTED] = HS_COLUMN("deadline", "expect_time_list", OWN, true, deadline_us),
    [VALUES] = HS_COLUMN("deadline_options", "expect_value_list", OWN, false, options),
};

static size_t length_of(const char *item)
{
    return item[0] != '\0' ? 1 + strcspn(item + 1, "-") : 0; /* one at the front is a sign */
}

static enum hs_status next_chronus(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    int64_t expected_us;
    HS_TRY(hs_table_next(state, job, dropped));
    const char *text = hs_table_cell(table, EXPECTED);
    if (*dropped || hs_cell_is_missing(text))
        return HS_OK;
    enum hs_cell_result result = hs_cell_span(text, length_of(text), table->unit_us, &expected_us);
    if (result == HS_CELL_OK && expected_us < 0)
        result = HS_CELL_NEGATIVE;
    if (result == HS_CELL_OK && expected_us > HS_TRACE_TIME_MAX)
        result = HS_CELL_TOO_LONG;
    if (result != HS_CELL_OK)
        return hs_table_check(table, EXPECTED, result);
    if (job->job_class == HS_JOB_CLASS_OPPORTUNISTIC && expected_us == job->submit_us)
        return HS_OK;
    job->deadline_us = job->submit_us + expected_us;
    const char *time = hs_table_cell(table, EXPECTED), *value = hs_table_cell(table, VALUES);
    if (hs_cell_is_missing(value))
        return HS_OK;
    for (table->options.count = 0;; time++, value++) {
        const size_t time_len = length_of(time), value_len = length_of(value);
        if (!hs_options_add(&table->options, time, time_len, value, value_len, table->unit_us) ||
            (time[time_len] == '\0') != (value[value_len] == '\0'))
            return hs_table_check(table, VALUES, HS_CELL_NOT_VALUES);
        time += time_len;
        value += value_len;
        if (*time == '\0')
            break;
    }
    hs_options_give(&table->options, job);
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_chronus = {
    .name = "chronus",
    .summary = "Chronus job files, in minutes (SoCC'21)",
    .columns = "job_id, num_gpu, submit_time, duration, expect_time_list; optional: user, "
               "model_name, batch_size, best_effort, expect_value_list",
    .header = "job_id,num_gpu,submit_time,duration,expect_time_list",
    .certainty = 95,
    HS_TABLE(chronus_columns),
    .unit_us = INT64_C(60000000),
    .next = next_chronus,
};

/* ---- ElasticFlow ---- */

/* pkusys/ElasticFlow; Gu et al., ASPLOS'23. `ddl` is the deadline as a time, and `duration` the
 * time of `iteration` iterations on num_gpu GPUs, so that their quotient is the step time.
 * best_effort, in files of its generator, is 1 for a job whose ddl does not count. real_duration
 * and real_iteration are for runs that end on reaching a metric, which its simulator does only on
 * request: not read. */
enum { ITERATIONS = 8 };

static const struct hs_column elasticflow_columns[] = {
    DEMANDS,
    HS_COLUMN("deadline", "ddl", TIME, false, deadline_us),
    HS_COLUMN("model", "model_name", TEXT, false, model),
    HS_COLUMN("batch", "batch_size", BATCH, false, batch),
    HS_COLUMN("class", "best_effort", BEST_EFFORT, false, job_class),
    [ITERATIONS] = HS_COLUMN("step", "iteration", OWN, false, step_us),
};
static enum hs_status next_elasticflow(void *state, struct hs_trace_job *job, int *dropped)
{
    const struct hs_table *table = state;
    int64_t iterations;
    HS_TRY(hs_table_next(state, job, dropped));
    if (*dropped)
        return HS_OK;
    if (job->job_class == HS_JOB_CLASS_OPPORTUNISTIC)
        job->deadline_us = -1;
    if (hs_cell_is_missing(hs_table_cell(table, ITERATIONS)) || job->duration_us < 0)
        return HS_OK;
    HS_TRY(hs_table_cell_whole(table, ITERATIONS, &iterations));
    if (iterations > 0)
        job->step_us = (job->duration_us + iterations / 2) / iterations;
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_elasticflow = {
    .name = "elasticflow",
    .summary = "ElasticFlow job files (ASPLOS'23)",
    .columns = "job_id, num_gpu, submit_time, duration, ddl; optional: model_name, batch_size, "
               "iteration, best_effort",
    .header = "job_id,num_gpu,submit_time,duration,ddl",
    .certainty = 95,
    HS_TABLE(elasticflow_columns),
    .next = next_elasticflow,
};
