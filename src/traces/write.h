/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs out in any format that has a layout, compressed if the file is named so. Read back with
 * default options, a native CSV yields the same records, but for the line they stand on; jobs
 * without GPUs want --cpu-jobs=keep, attempts --retries=attempts. Other formats hold less: struct
 * hs_lossy_fields counts what.
 *
 *     HS_TRY(hs_trace_writer_choose("auto", "out.csv.gz", &format, diag));
 *     HS_TRY(hs_trace_writer_open(&w, format, NULL, "out.csv.gz", diag));
 *     while ((status = source.next(source.ctx, &job)) == HS_OK)
 *         hs_trace_writer_put(&w, &job);
 *     return hs_trace_writer_close(&w, status == HS_END ? HS_OK : status, diag);
 *
 * A layout is how a format is written, the other half of its record: which fields of a job it
 * holds, how fine, and for a CSV which cells a row has. A cell whose name is that of a column of
 * the table is written by the kind of that column, as it is read; other cells are made up by a
 * function, as formats/helios.c does. A format that is no CSV has begin, put and end instead of a
 * header; its columns tell what it holds.
 */
#ifndef HORUS_TRACES_WRITE_H
#define HORUS_TRACES_WRITE_H

#include "base/io.h"
#include "data/csv.h"
#include "horus/trace.h"
#include "traces/format.h"

/* A cell that is not its column written by kind. */
struct hs_layout_cell {
    const char *name;                                                 /* in the header */
    void (*put)(struct hs_csvw *csv, const struct hs_trace_job *job); /* exactly one field */
};

struct hs_trace_layout {
    const char *suffix;              /* of file names: ".csv"; NULL = known by its name alone */
    const char *made_up;             /* what it has and no job record tells, for a note; or NULL */
    const struct hs_column *columns; /* its fields; those without a cell are read only */
    uint32_t column_count;
    const char *header;                 /* names of the cells with commas; NULL = no CSV */
    const struct hs_layout_cell *cells; /* that are made up; ends with a NULL name; NULL = none */
    int64_t grain_us;                   /* times are written in multiples of this; 0 = exact */
    uint32_t cpu_grain;          /* CPU cores in multiples of so many thousandths; 0 = exact */
    bool has_dates;              /* times are dates and times of day; false = seconds */
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
/* Whether the job has a value in this field: other than the one for "not given". */
bool hs_job_tells(const struct hs_trace_job *job, const struct hs_column *column);
/* The word of the job's outcome in the format, NULL for none. */
const char *hs_layout_outcome(const struct hs_trace_layout *layout, enum hs_outcome outcome);
/* To the nearest multiple of the grain; a span above 0 is at least one. */
int64_t hs_layout_round_time(const struct hs_trace_layout *layout, int64_t us);
int64_t hs_layout_round_span(const struct hs_trace_layout *layout, int64_t us);
/* A field with a date and time. */
void hs_layout_put_date(struct hs_csvw *csv, int64_t us);
/* All times that are given, and the cores (up). Times of attempts are left alone. */
void hs_layout_round(const struct hs_trace_layout *layout, struct hs_trace_job *job);

struct hs_trace_writer {
    struct hs_wholefile file;
    struct hs_csvw csv; /* has the output of `file` while open */
    const struct hs_trace_layout *layout;
    struct hs_writer_cell {
        const struct hs_column *column; /* or NULL: */
        void (*put)(struct hs_csvw *csv, const struct hs_trace_job *job);
    } cells[HS_TABLE_COLUMNS_MAX]; /* of a CSV */
    uint32_t cell_count;
    void *state; /* of another format */
};

/* HS_E_USAGE unless it is "auto" or a format that can be written. */
HS_MUST_USE enum hs_status hs_trace_writer_check(const char *name, struct hs_diag *diag);
/* The format named, or with "auto" or NULL the one of the file's suffix (".csv.gz": the native
 * CSV). HS_E_USAGE where there is none, or none that can be written. */
HS_MUST_USE enum hs_status hs_trace_writer_choose(const char *name, const char *path,
                                                  const struct hs_trace_format **format,
                                                  struct hs_diag *diag);
/* "-" is standard output; a file is complete or absent. The writer must not move until the close.
 * format has a layout. options: of which some formats want files as they do to be read
 * (gavel_throughputs); NULL for none. */
HS_MUST_USE enum hs_status hs_trace_writer_open(struct hs_trace_writer *w,
                                                const struct hs_trace_format *format,
                                                const struct hs_trace_options *options,
                                                const char *path, struct hs_diag *diag);
/* Errors are sticky in the output: they are reported at the close. */
void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job);
/* status: of what was written; the file stays only if it is HS_OK. */
HS_MUST_USE enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                                 struct hs_diag *diag);

/* What the jobs of one format lose in another: members that it does not hold, times and cores that
 * it holds coarser, values that come back as others. By the tables of both; O(columns) a job. Each
 * job that is written is counted; at the end the warnings, none where nothing was lost. */
struct hs_lossy_fields {
    const struct hs_trace_format *to;
    const struct hs_trace_layout *native;               /* whose columns are all members */
    const struct hs_column *held[HS_TABLE_COLUMNS_MAX]; /* of those columns; NULL = lost */
    bool is_alias[HS_TABLE_COLUMNS_MAX];                /* another column is the same member */
    uint64_t lost[HS_TABLE_COLUMNS_MAX];                /* jobs that had it */
    uint64_t rounded[HS_TABLE_COLUMNS_MAX], changed[HS_TABLE_COLUMNS_MAX];
    uint64_t outcomes[HS_OUTCOME_COUNT]; /* jobs of outcomes that the format has no word for */
    uint64_t jobs;
};

/* to has a layout. */
void hs_lossy_fields_open(struct hs_lossy_fields *lossy, const struct hs_trace_format *to);
void hs_lossy_fields_count(struct hs_lossy_fields *lossy, const struct hs_trace_job *job);
bool hs_lossy_fields_any(const struct hs_lossy_fields *lossy);
/* One warning a member, in the order of the native columns. */
void hs_lossy_fields_warn(const struct hs_lossy_fields *lossy, struct hs_diag *diag);

#endif
