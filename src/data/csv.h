/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads CSV: rows of NUL-terminated fields, one at a time, by the rules of libcsv in strict mode,
 * with true line numbers. csv.c is the only file that includes libcsv's csv.h. CRLF and LF ends, a
 * missing final newline, a UTF-8 byte-order mark and blank lines are accepted; bad quoting, a field
 * over 1 MiB, a row over 4 MiB or 4096 fields, a NUL byte and a file of bare CRs are errors with
 * their place.
 *
 *     hs_csv_open(&csv, input, ',', diag);
 *     while ((s = hs_csv_next(csv, &row)) == HS_OK)
 *         use(row.fields[2], row.lengths[2]);
 *
 * A table written by hand has columns by name, in any order; an unknown, repeated or missing one is
 * an error at its place, and so is a row without as many fields as the header:
 *
 *     static const char *const names[] = {"model", "gpus"};
 *     static const struct hs_csv_head head = {"table of restarts", names, 2, 1, "note", hint};
 *     enum hs_status status = hs_csv_table_open(&t, path, &head, diag);
 *     while (status == HS_OK && (status = hs_csv_table_next(&t)) == HS_OK)
 *         use(hs_csv_cell(&t, 1));
 *     return hs_csv_table_close(&t, status);
 */
#pragma once

#include "base/fmt.h"
#include "base/io.h"

/* Bytes readable from the start of any field, however short. */
#define HS_CSV_TEXT_ROOM 64u

struct hs_csv_row {
    const char *const *fields; /* "" if empty; valid until the next row */
    const uint32_t *lengths;
    uint32_t count;
    int64_t line;    /* of the row's start, 1-based */
    bool has_breaks; /* a quoted field contains a line end */
};

struct hs_csv;

/* Borrows input until close. delimiter is ',' for CSV, '\t' for TSV. */
void hs_csv_open(struct hs_csv **csv, struct hs_input *input, char delimiter, struct hs_diag *diag);
/* The same for a table without quoting, for formats other than CSV (Standard Workload Format,
 * traces of Gavel): ' ': a run of blanks and tabs ends a field, and none surround a line; '\t':
 * each tab ends a field, which may be empty and keeps its blanks. A line over 1 MiB is an error.
 * Fields after the 4096th are counted, not stored. */
void hs_plain_open(struct hs_csv **csv, struct hs_input *input, char delimiter,
                   struct hs_diag *diag);
/* HS_E_INPUT: this row is bad; the next call continues after the row's first line. */
HS_MUST_USE enum hs_status hs_csv_next(struct hs_csv *csv, struct hs_csv_row *row);
/* Returns the place of a field of the last row, for a message: file, line, column, excerpt. An
 * index past the end gives the place after the row. */
struct hs_place hs_csv_place(const struct hs_csv *csv, uint32_t field);
/* Reports a fault at that place; returns HS_E_INPUT. */
HS_PRINTF(4, 5)
enum hs_status hs_csv_fail(const struct hs_csv *csv, uint32_t field, const char *hint,
                           const char *fmt, ...);
/* Reads the numbers of a file with one column, optionally with a header: none negative, in
 * millionths. The caller frees them, even after a failure (hs_free). */
HS_MUST_USE enum hs_status hs_csv_numbers(const char *path, int64_t **values, uint32_t *count,
                                          struct hs_diag *diag);
void hs_csv_close(struct hs_csv *csv);

/* Returns the index of a header name (exact, then ignoring case), or UINT32_MAX. */
uint32_t hs_csv_column(const struct hs_csv_row *header, const char *name);

const char *hs_csv_library_version(void);

/* For recognisers of tables without quotes: finds the first line of `head` that is not blank and
 * does not begin with `comment`; false if there is none. */
bool hs_plain_head(const char *head, size_t len, char comment, const char **line, size_t *line_len);
/* Finds the fields of a line, up to `room`, and their lengths; returns their total number. */
uint32_t hs_plain_split(const char *line, size_t len, char delimiter, const char **fields,
                        uint32_t *lengths, uint32_t room);

struct hs_csv_head {
    const char *what; /* the file, for "the %s is empty" */
    const char *const *names;
    uint32_t count, required; /* names; the first of them that must be in the file */
    const char *notes;        /* other columns with this prefix are comments and skipped */
    const char *hint; /* for an unknown column without a similar known one, or a missing one */
};

#define HS_CSV_COLUMNS_MAX 32u /* of a head */

struct hs_csv_table {
    const struct hs_csv_head *head;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[HS_CSV_COLUMNS_MAX]; /* field of each name; UINT32_MAX = not in the file */
    uint32_t width;                  /* fields of the header */
};

/* Opens the file and reads its header. */
HS_MUST_USE enum hs_status hs_csv_table_open(struct hs_csv_table *table, const char *path,
                                             const struct hs_csv_head *head, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_csv_table_next(struct hs_csv_table *table);
/* Called also after a failure; returns status, HS_OK for HS_END. */
HS_MUST_USE enum hs_status hs_csv_table_close(struct hs_csv_table *table, enum hs_status status);
static inline bool hs_csv_has(const struct hs_csv_table *table, uint32_t name)
{
    return table->at[name] != UINT32_MAX;
}
static inline const char *hs_csv_cell(const struct hs_csv_table *table, uint32_t name) /* or "" */
{
    return hs_csv_has(table, name) ? table->row.fields[table->at[name]] : "";
}
/* The field for hs_csv_fail; past the row if the file does not have it. */
static inline uint32_t hs_csv_field(const struct hs_csv_table *table, uint32_t name)
{
    return hs_csv_has(table, name) ? table->at[name] : table->row.count;
}

/* Reads a time of a run (hs_parse_moment_us). All of a file are of one kind, *is_dated, which the
 * first sets. */
HS_MUST_USE enum hs_status hs_csv_moment(const struct hs_csv_table *table, uint32_t name,
                                         bool is_first, bool *is_dated, int64_t *out_us);

/* ---- writing ----
 *
 * Writes CSV (RFC 4180, '\n' ends): fields are appended in order, quoted only if necessary. Each is
 * formatted in place with a comma after it; the end of the row replaces the last comma by a line
 * end. Rows have at least one field.
 *
 *     hs_csvw_text(&w, job->id);
 *     hs_csvw_seconds(&w, job->submit_us);
 *     hs_csvw_end(&w);
 *
 * Errors are sticky in the output; the row calls never fail. */

struct hs_csvw {
    struct hs_output out;
    uint64_t rows;  /* data rows ended, without the header */
    bool is_single; /* one column: empty fields are quoted */
};

/* Opens path and writes the header: comma-separated names. */
HS_MUST_USE enum hs_status hs_csvw_open(struct hs_csvw *w, const char *path, const char *header,
                                        struct hs_diag *diag);
/* Adds columns at the end of the rows written so far: `names` to the header, `cells` to each row,
 * both including the leading comma. Rewrites the file; must be called after a row's end. */
HS_MUST_USE enum hs_status hs_csvw_widen(struct hs_csvw *w, const char *names, const char *cells,
                                         struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_csvw_close(struct hs_csvw *w, struct hs_diag *diag);

/* Returns space for a number and its comma; the second takes the end of what was written. */
static inline char *hs_csvw_begin_field(struct hs_csvw *w)
{
    return hs_output_room(&w->out, HS_FMT_MAX + 1);
}

static inline void hs_csvw_end_field(struct hs_csvw *w, char *end)
{
    *end = ',';
    hs_output_wrote(&w->out, end + 1);
}

static inline void hs_csvw_i64(struct hs_csvw *w, int64_t value)
{
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_i64(to, value));
}

static inline void hs_csvw_u64(struct hs_csvw *w, uint64_t value)
{
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_u64(to, value));
}

static inline void hs_csvw_seconds(struct hs_csvw *w, int64_t us)
{
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_seconds(to, us));
}

static inline void hs_csvw_empty(struct hs_csvw *w)
{
    char *to = hs_csvw_begin_field(w);
    if (w->is_single) {
        *to++ = '"';
        *to++ = '"';
    }
    hs_csvw_end_field(w, to);
}

void hs_csvw_some_text(struct hs_csvw *w, const char *text);         /* not "" */
static inline void hs_csvw_text(struct hs_csvw *w, const char *text) /* NULL = empty */
{
    if (text != NULL && text[0] != '\0')
        hs_csvw_some_text(w, text);
    else
        hs_csvw_empty(w);
}

/* Empty if den is 0. */
void hs_csvw_ratio(struct hs_csvw *w, uint64_t num, uint64_t den, unsigned decimals);
void hs_csvw_double(struct hs_csvw *w, double value);
/* Writes ascending ids as evalys interval sets: "0-7 16 20-23". */
void hs_csvw_ids(struct hs_csvw *w, const uint32_t *ids, uint32_t count);

static inline void hs_csvw_end(struct hs_csvw *w) /* ends the row */
{
    w->out.at[-1] = '\n';
    w->rows++;
}
/* Writes the last cells of a row by blank-separated conversions, and ends it: %s (a text), %u,
 * % PRIu64, % PRId64 and %g (a double; empty if not finite):
 *     hs_csvw_row(&w, "%s %" PRIu64 " %g", name, jobs, mean); */
HS_PRINTF(2, 3)
void hs_csvw_row(struct hs_csvw *w, const char *cells, ...);
