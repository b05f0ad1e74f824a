/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the CSV formats share: a table of columns says which header name fills which member of a
 * trace job and how its text is read. Columns are resolved once; a row then costs one pass over
 * the columns present and no allocation.
 *
 *     static const struct hs_column columns[] = {
 *         HS_COLUMN("job_id", "job_id", ID, true, id), ...};
 *     HS_TRY(hs_table_open(&t, input, options, faults, format, NULL));
 *     while ((s = hs_table_next(&t, &job, &dropped)) == HS_OK) ...
 *
 * Cells are read in the order of the table: put the state first and the GPU count second, so that
 * rows to be dropped for them are not searched for other faults.
 */
#ifndef HORUS_TRACES_TABLE_H
#define HORUS_TRACES_TABLE_H

#include <stdbool.h>

#include "base/fmt.h"
#include "base/io.h"
#include "data/csvread.h"
#include "traces/format.h"

enum hs_cell {
    HS_CELL_ID,      /* text, must not be empty */
    HS_CELL_TEXT,    /* text, empty = NULL; from here on more is made of the text */
    HS_CELL_TIME,    /* number in the time unit, or a date and time */
    HS_CELL_SPAN,    /* number in the time unit */
    HS_CELL_COUNT,   /* whole number, "8" or "8.0", to uint32_t */
    HS_CELL_GPUS,    /* the same, or a number below 1: a share, to gpus and gpu_milli */
    HS_CELL_SHARE,   /* 1..1000, of each GPU: gpu_milli; behind gpus */
    HS_CELL_MILLI,   /* number with up to three decimals, to uint32_t thousandths */
    HS_CELL_MIB,     /* size, bare number = MiB, to uint32_t */
    HS_CELL_PERCENT, /* 0..100 with decimals, to int32_t per mille */
    HS_CELL_INT,     /* int32_t */
    HS_CELL_FATE,    /* outcome; a job still running is dropped */
    HS_CELL_BATCH,   /* whole number from 1 on, "64" or "64.0", as text without sign or decimals */
    HS_CELL_CLASS,   /* enum hs_job_class, case ignored */
    HS_CELL_BEST_EFFORT, /* 1: opportunistic; 0: guaranteed; to enum hs_job_class */
    HS_CELL_ATTEMPTS,    /* spans joined by '/', which add up to the duration; behind it */
    HS_CELL_OWN, /* the format reads it itself (hs_table_cell); a required one may be empty */
};

struct hs_column {
    const char *key;  /* native name */
    const char *name; /* in the header of this format */
    enum hs_cell kind;
    bool is_required; /* the column must exist and its cells must not be empty */
    size_t offset;    /* in struct hs_trace_job */
};

#define HS_COLUMN(key, name, kind, is_required, member)                                            \
    {                                                                                              \
        key, name, HS_CELL_##kind, is_required, offsetof(struct hs_trace_job, member)              \
    }

#define HS_TABLE_COLUMNS_MAX 32
#define HS_ROW_NUMBER        "@row" /* as a source name: the number of the row, from 0 */

/* A column that the file has. */
struct hs_table_binding {
    const struct hs_column *column;
    uint32_t field;
    uint16_t kind, offset; /* those of the column */
    bool is_filled;        /* or the row is bad */
    bool may_drop;         /* the row: by what became of the job, or as a CPU job */
};

struct hs_table {
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_csv_row header;                    /* names of the fields */
    const char *own_names[HS_TABLE_COLUMNS_MAX]; /* of a file without header */
    bool is_row_pending;                         /* `row` is still to be taken */
    struct hs_faults *faults;
    const struct hs_column *columns;
    uint32_t column_count;
    uint32_t field_of[HS_TABLE_COLUMNS_MAX];             /* UINT32_MAX = not in the file */
    struct hs_table_binding bound[HS_TABLE_COLUMNS_MAX]; /* in order of the table */
    uint32_t bound_count;
    uint32_t field_count;
    int64_t unit_us;
    uint64_t row_number; /* of the row last read, from 0 */
    char row_text[HS_FMT_MAX + 1], batch_text[HS_FMT_MAX + 1];
    struct hs_trace_job blank; /* a row before its cells; copied faster than it is cleared */
    bool is_id_row_number;
    bool skips_cpu_jobs;
    bool keeps_attempts;
    struct hs_attempt_list attempts; /* of the row */
};

/* By format->table. names: source names instead of those of the columns, "" for a column to be left
 * alone, NULL entries and NULL for none. */
HS_MUST_USE enum hs_status hs_table_open(struct hs_table *table, struct hs_input *input,
                                         const struct hs_trace_options *options,
                                         struct hs_faults *faults,
                                         const struct hs_trace_format *format,
                                         const char *const *names);
/* The members next, place and close of a format whose state is or begins with a struct hs_table. */
HS_MUST_USE enum hs_status hs_table_next(void *state, struct hs_trace_job *job, int *dropped);
struct hs_place hs_table_place(void *state, const char *key);
void hs_table_close(void *state);

/* The same of a table without quotes or header (hs_plain_open), whose format reads rows and cells
 * itself: field_of is to be filled. */
void hs_table_open_plain(struct hs_table *table, struct hs_input *input, char delimiter,
                         struct hs_faults *faults, const struct hs_column *columns, uint32_t count);

/* The text of a column of the row just read, by its place in the table of columns, surrounding
 * blanks gone; "" where the file has no such column. */
const char *hs_table_cell(const struct hs_table *table, uint32_t index, size_t *len);
/* These cells as numbers; HS_E_INPUT, reported, if they are none. A missing time is no failure. */
enum hs_status hs_table_cell_span(const struct hs_table *table, uint32_t index, int64_t *out_us);
enum hs_status hs_table_cell_count(const struct hs_table *table, uint32_t index, uint32_t *out);
enum hs_status hs_table_cell_time(const struct hs_table *table, uint32_t index, int64_t *out_us,
                                  bool *is_there);
struct hs_place hs_table_spot(const struct hs_table *table, uint32_t index);
/* Reports that this text is no such value; returns HS_E_INPUT. */
enum hs_status hs_table_fail(const struct hs_table *table, uint32_t index,
                             enum hs_cell_result result);

/* Whether the first line of a CSV file has this field; case ignored. */
bool hs_header_has(const char *head, size_t len, const char *name);

#endif
