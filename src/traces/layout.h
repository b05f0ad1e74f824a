/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a format is written, the other half of its record: which fields of a job it holds, how fine,
 * and for a CSV which cells a row has. A cell whose name is that of a column of the table is
 * written by the kind of that column, as it is read; other cells are made up by a function:
 *
 *     static const struct hs_layout_cell cells[] = {
 *         {.name = "job_id"}, {.name = "gpu_num"}, {.name = "queue", .put = put_no_wait}};
 *     static const struct hs_trace_layout layout = {
 *         .columns = columns, .column_count = COUNT, .cells = cells, .cell_count = CELLS,
 *         .grain_us = 1000000, .date_suffix = ""};
 *
 * A format that is no CSV has begin, put and end instead of cells; its columns tell what it holds.
 */
#ifndef HORUS_TRACES_LAYOUT_H
#define HORUS_TRACES_LAYOUT_H

#include "data/csvwrite.h"
#include "traces/table.h"

struct hs_layout_cell {
    const char *name; /* in the header */
    /* For a cell that is not its column written by kind; exactly one field. before_us: submission
     * of the row above, of the job itself in the first row. */
    void (*put)(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us);
};

struct hs_trace_layout {
    const char *suffix;              /* of file names: ".csv"; NULL = known by its name alone */
    const char *made_up;             /* what it has and no job record tells, for a note; or NULL */
    const struct hs_column *columns; /* its fields; those without a cell are read only */
    uint32_t column_count;
    const struct hs_layout_cell *cells; /* NULL = no CSV */
    uint32_t cell_count;
    bool has_no_header;
    int64_t unit_us;         /* of bare numbers that are times; 0 = seconds */
    int64_t grain_us;        /* times are written in multiples of this; 0 = exact */
    uint32_t cpu_grain;      /* CPU cores in multiples of so many thousandths; 0 = exact */
    const char *date_suffix; /* times are dates, with this behind ("", "+08:00"); NULL = numbers */
    const char *const *outcomes; /* a word for each enum hs_outcome, NULL = none; NULL = our own */
    /* Whether what is written of a member that it holds, and that the job tells, reads back as
     * that, rounding aside; NULL = always. */
    bool (*keeps)(const struct hs_trace_job *job, const struct hs_column *column);
    /* Of a format that is no CSV; it writes to &csv->out, whose errors are sticky. The state is
     * zeroed before begin; end is called only after it, frees what it took and returns the first
     * failure, reported. options: those of the writer, or NULL. */
    size_t state_size;
    enum hs_status (*begin)(void *state, struct hs_csvw *csv,
                            const struct hs_trace_options *options, struct hs_diag *diag);
    void (*put)(void *state, const struct hs_trace_job *job);
    enum hs_status (*end)(void *state);
};

/* The column that is written of this member of a job (by its offset); NULL: the format does not
 * hold it. */
const struct hs_column *hs_layout_holds(const struct hs_trace_layout *layout, size_t member);
/* Whether the job has a value in this field: not the one that stands for "not given". */
bool hs_job_tells(const struct hs_trace_job *job, const struct hs_column *column);
/* The word of the job's outcome in the format, NULL for none. */
const char *hs_layout_outcome(const struct hs_trace_layout *layout, enum hs_outcome outcome);
/* To the nearest multiple of the grain; a span above 0 is at least one. */
int64_t hs_layout_round_time(const struct hs_trace_layout *layout, int64_t us);
int64_t hs_layout_round_span(const struct hs_trace_layout *layout, int64_t us);
/* All times that are given, and the cores (up). Times of attempts are left alone. */
void hs_layout_round(const struct hs_trace_layout *layout, struct hs_trace_job *job);

/* The rows of a CSV. */
struct hs_layout_rows {
    const struct hs_trace_layout *layout;
    struct hs_csvw *csv;
    const struct hs_column *columns[HS_TABLE_COLUMNS_MAX]; /* of the cells; NULL = made up */
    int64_t before_us;
};

/* Cells that several formats have and no job record tells. */
/* Slurm's words for what became of a job. */
extern const char *const hs_slurm_outcomes[HS_OUTCOME_COUNT];

/* In seconds, of a job that starts when it is submitted. */
void hs_put_start_s(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us);
void hs_put_end_s(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us);
void hs_put_zero(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us);
void hs_put_empty(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us);
/* The least nodes of 8 GPUs, where the job tells none. */
uint32_t hs_layout_nodes(const struct hs_trace_job *job);
/* How many steps the job takes; of one second where it tells none. */
void hs_put_iterations(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us);
/* The same, 0 where it tells none. */
void hs_put_known_iterations(struct hs_csvw *csv, const struct hs_trace_job *job,
                             int64_t before_us);
/* Whether the duration over that number is the step again. */
bool hs_layout_keeps_step(const struct hs_trace_job *job);

void hs_layout_rows_begin(struct hs_layout_rows *rows, const struct hs_trace_layout *layout,
                          struct hs_csvw *csv);
/* A job whose values are rounded. */
void hs_layout_rows_put(struct hs_layout_rows *rows, const struct hs_trace_job *job);

#endif
