/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Job records to rows of a CSV by the table that reads them. O(cells) a row.
 */
#include "traces/layout.h"

#include <assert.h>
#include <string.h>

#define NODE_GPUS 8 /* of every GPU node of Helios' and Acme's clusters */

/* A job of which nothing is told. */
static const struct hs_trace_job blank = {.gpu_milli = 1000,
                                          .deadline_us = -1,
                                          .preempt_cost_us = -1,
                                          .gpu_util_pm = -1,
                                          .job_class = HS_JOB_CLASS_AUTO,
                                          .outcome = HS_OUTCOME_UNKNOWN};

static const struct hs_column *find_column(const struct hs_trace_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->column_count; i++)
        if (strcmp(layout->columns[i].name, name) == 0)
            return &layout->columns[i];
    return NULL;
}

static bool has_cell(const struct hs_trace_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->cell_count; i++)
        if (strcmp(layout->cells[i].name, name) == 0)
            return true;
    return layout->cells == NULL;
}

const struct hs_column *hs_layout_holds(const struct hs_trace_layout *layout, size_t member)
{
    for (uint32_t i = 0; i < layout->column_count; i++)
        if (layout->columns[i].offset == member && has_cell(layout, layout->columns[i].name))
            return &layout->columns[i];
    return NULL;
}

static int64_t time_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    int64_t us;
    memcpy(&us, (const char *)job + column->offset, sizeof us);
    return us;
}

static uint32_t number_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    uint32_t number;
    memcpy(&number, (const char *)job + column->offset, sizeof number);
    return number;
}

static const char *text_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    const char *text;
    memcpy(&text, (const char *)job + column->offset, sizeof text);
    return text;
}

bool hs_job_tells(const struct hs_trace_job *job, const struct hs_column *column)
{
    if (column->is_required)
        return true;
    switch (column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_BATCH:
        return text_of(job, column) != NULL && text_of(job, column)[0] != '\0';
    case HS_CELL_TIME:
    case HS_CELL_SPAN:
        return time_of(job, column) != time_of(&blank, column);
    case HS_CELL_ATTEMPTS:
        return job->attempts > 0;
    case HS_CELL_COUNT:
    case HS_CELL_GPUS:
    case HS_CELL_SHARE:
    case HS_CELL_MILLI:
    case HS_CELL_MIB:
    case HS_CELL_PERCENT:
    case HS_CELL_INT:
    case HS_CELL_FATE:
    case HS_CELL_CLASS:
    case HS_CELL_BEST_EFFORT:
    case HS_CELL_OWN:
        break;
    }
    /* An elastic range that is the demand itself is what a reader takes an empty cell for. */
    bool is_bound = column->offset == offsetof(struct hs_trace_job, gpus_min) ||
                    column->offset == offsetof(struct hs_trace_job, gpus_max);
    return number_of(job, column) != (is_bound ? job->gpus : number_of(&blank, column));
}

const char *hs_layout_outcome(const struct hs_trace_layout *layout, enum hs_outcome outcome)
{
    return layout->outcomes != NULL ? layout->outcomes[outcome] : hs_outcome_text(outcome);
}

int64_t hs_layout_round_time(const struct hs_trace_layout *layout, int64_t us)
{
    int64_t grain_us = layout->grain_us > 0 ? layout->grain_us : 1;
    return (us + grain_us / 2) / grain_us * grain_us;
}

int64_t hs_layout_round_span(const struct hs_trace_layout *layout, int64_t us)
{
    bool is_short = us > 0 && us < layout->grain_us;
    return is_short ? layout->grain_us : hs_layout_round_time(layout, us);
}

void hs_layout_round(const struct hs_trace_layout *layout, struct hs_trace_job *job)
{
    for (uint32_t i = 0; layout->grain_us > 1 && i < layout->column_count; i++) {
        const struct hs_column *column = &layout->columns[i];
        if ((column->kind != HS_CELL_TIME && column->kind != HS_CELL_SPAN) ||
            !hs_job_tells(job, column))
            continue;
        int64_t us = time_of(job, column);
        us = column->kind == HS_CELL_TIME ? hs_layout_round_time(layout, us)
                                          : hs_layout_round_span(layout, us);
        memcpy((char *)job + column->offset, &us, sizeof us);
    }
    uint32_t over = layout->cpu_grain > 0 ? job->cpus_milli % layout->cpu_grain : 0;
    if (over > 0)
        job->cpus_milli += layout->cpu_grain - over;
}

/* A number of the unit; 9 decimals are enough that no microsecond is lost up to an hour. */
static void put_time(struct hs_csvw *csv, int64_t us, int64_t unit_us)
{
    if (unit_us == 0 || unit_us == HS_TRACE_TIME_UNIT_US)
        hs_csvw_seconds(csv, us);
    else
        hs_csvw_ratio(csv, (uint64_t)us, (uint64_t)unit_us, 9);
}

static void put_date(struct hs_csvw *csv, int64_t us, const char *suffix)
{
    char text[HS_FMT_MAX + 16];
    size_t len = hs_fmt_datetime(text, us), more = strnlen(suffix, sizeof text - len - 1);
    memcpy(text + len, suffix, more);
    text[len + more] = '\0';
    hs_csvw_text(csv, text);
}

/* "10/20": run times joined by slashes. */
static void put_attempts(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t unit_us)
{
    for (uint32_t i = 0; i < job->attempts; i++) {
        put_time(csv, job->attempts_us[i], unit_us);
        if (i + 1 < job->attempts)
            csv->out.at[-1] = '/'; /* the comma that ended the field */
    }
}

static void put_number(struct hs_csvw *csv, const struct hs_column *column, uint32_t number)
{
    if (column->kind == HS_CELL_MILLI)
        hs_csvw_ratio(csv, number, 1000, 3);
    else if (column->kind == HS_CELL_PERCENT)
        hs_csvw_ratio(csv, number, 10, 1); /* per mille as percent */
    else if (column->kind == HS_CELL_INT)
        hs_csvw_i64(csv, (int32_t)number);
    else
        hs_csvw_u64(csv, number);
}

static void put_cell(const struct hs_layout_rows *rows, const struct hs_column *column,
                     const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = rows->layout;
    struct hs_csvw *csv = rows->csv;
    if (!hs_job_tells(job, column)) {
        hs_csvw_empty(csv);
        return;
    }
    switch (column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_BATCH:
        hs_csvw_text(csv, text_of(job, column));
        break;
    case HS_CELL_TIME:
        if (layout->date_suffix != NULL)
            put_date(csv, time_of(job, column), layout->date_suffix);
        else
            put_time(csv, time_of(job, column), layout->unit_us);
        break;
    case HS_CELL_SPAN:
        put_time(csv, time_of(job, column), layout->unit_us);
        break;
    case HS_CELL_FATE:
        hs_csvw_text(csv, hs_layout_outcome(layout, job->outcome));
        break;
    case HS_CELL_CLASS:
        hs_csvw_text(csv, hs_job_class_text(job->job_class));
        break;
    case HS_CELL_BEST_EFFORT:
        hs_csvw_u64(csv, job->job_class == HS_JOB_CLASS_OPPORTUNISTIC);
        break;
    case HS_CELL_ATTEMPTS:
        put_attempts(csv, job, layout->unit_us);
        break;
    case HS_CELL_OWN: /* its cell has a function */
        break;
    case HS_CELL_COUNT:
    case HS_CELL_GPUS:
    case HS_CELL_SHARE:
    case HS_CELL_MILLI:
    case HS_CELL_MIB:
    case HS_CELL_PERCENT:
    case HS_CELL_INT:
        put_number(csv, column, number_of(job, column));
        break;
    }
}

const char *const hs_slurm_outcomes[HS_OUTCOME_COUNT] = {[HS_OUTCOME_COMPLETED] = "COMPLETED",
                                                         [HS_OUTCOME_CANCELLED] = "CANCELLED",
                                                         [HS_OUTCOME_FAILED] = "FAILED"};

void hs_put_start_s(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_seconds(csv, job->submit_us);
}

void hs_put_end_s(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_seconds(csv, job->submit_us + job->duration_us);
}

void hs_put_zero(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)job;
    (void)before_us;
    hs_csvw_u64(csv, 0);
}

void hs_put_empty(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)job;
    (void)before_us;
    hs_csvw_empty(csv);
}

uint32_t hs_layout_nodes(const struct hs_trace_job *job)
{
    uint32_t least = job->gpus > 0 ? (job->gpus + NODE_GPUS - 1) / NODE_GPUS : 1;
    return job->nodes > 0 ? job->nodes : least;
}

static int64_t iterations_of(const struct hs_trace_job *job, int64_t step_us)
{
    return step_us > 0 ? (job->duration_us + step_us / 2) / step_us : 0;
}

void hs_put_iterations(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_i64(csv, iterations_of(job, job->step_us > 0 ? job->step_us : HS_TRACE_TIME_UNIT_US));
}

void hs_put_known_iterations(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_i64(csv, iterations_of(job, job->step_us));
}

bool hs_layout_keeps_step(const struct hs_trace_job *job)
{
    int64_t iterations = iterations_of(job, job->step_us);
    return iterations > 0 && (job->duration_us + iterations / 2) / iterations == job->step_us;
}

void hs_layout_rows_begin(struct hs_layout_rows *rows, const struct hs_trace_layout *layout,
                          struct hs_csvw *csv)
{
    *rows = (struct hs_layout_rows){.layout = layout, .csv = csv, .before_us = -1};
    assert(layout->cell_count > 1 && layout->cell_count <= HS_TABLE_COLUMNS_MAX);
    for (uint32_t i = 0; i < layout->cell_count; i++) {
        rows->columns[i] = find_column(layout, layout->cells[i].name);
        assert(rows->columns[i] != NULL || layout->cells[i].put != NULL);
        if (!layout->has_no_header)
            hs_csvw_text(csv, layout->cells[i].name);
    }
    if (!layout->has_no_header)
        csv->out.at[-1] = '\n'; /* the comma behind the last name */
}

void hs_layout_rows_put(struct hs_layout_rows *rows, const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = rows->layout;
    int64_t before_us = rows->before_us >= 0 ? rows->before_us : job->submit_us;
    for (uint32_t i = 0; i < layout->cell_count; i++) {
        if (layout->cells[i].put != NULL)
            layout->cells[i].put(rows->csv, job, before_us);
        else
            put_cell(rows, rows->columns[i], job);
    }
    hs_csvw_end(rows->csv);
    rows->before_us = job->submit_us;
}
