/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the row files of a finished run (jobs.csv, segments.csv) by the names of their columns,
 * whatever columns there are beside them, by a table into a structure.
 *
 *     static const struct hs_cell cells[] = {
 *         {"job_id", HS_CELL_TEXT, offsetof(struct row, id)},
 *         {"start", HS_CELL_TIME, offsetof(struct row, start_us)},
 *         {NULL, HS_CELL_TEXT, 0}};
 *     enum hs_status s = hs_rowfile_open(&f, path, cells, diag);
 *     while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
 *         s = hs_rowfile_read(&f, &row);
 *     hs_rowfile_close(&f);                                  // also after a failed open
 */
#ifndef HORUS_REPORT_RUN_ROWFILE_H
#define HORUS_REPORT_RUN_ROWFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "data/csvread.h"
#include "data/json.h"

/* Results of the version before are read for one version more, though some names changed. Every
 * name that changed is in one table of rowfile.c; the functions take others as they are. */
/* The name of today, given that of today or of the version before. */
const char *hs_present_name(const char *name);
/* The column of this name, else of its former name; UINT32_MAX = there is neither. */
uint32_t hs_renamed_column(const struct hs_csv_row *head, const char *name);
/* The member of this key, else of its former name; NULL = there is neither. */
const struct hs_json *hs_renamed_get(const struct hs_json *object, const char *key);

#define HS_ROWFILE_COLUMNS_MAX 32

/* What a cell holds, and the type that it is read to. int64_t: -1 where it may be empty and is. */
enum hs_cell_kind {
    HS_CELL_TEXT,         /* const char *, good until the next row */
    HS_CELL_COUNT,        /* uint64_t; 0 if empty, likewise below */
    HS_CELL_COUNT32,      /* uint32_t */
    HS_CELL_SHARE,        /* uint32_t: share of a GPU in thousandths, 1 to 1000 */
    HS_CELL_TIME,         /* int64_t: seconds as microseconds */
    HS_CELL_TIME_OR_NONE, /* the same; may be empty, as all below but HS_CELL_NANO */
    HS_CELL_NUMBER,       /* int64_t, in millionths */
    HS_CELL_RATIO,        /* the same */
    HS_CELL_MIB_SECONDS,  /* the same */
    HS_CELL_NANO,         /* int64_t: seconds as nanoseconds */
    HS_CELL_RATE,         /* int64_t, in billionths */
    HS_CELL_DOUBLE,       /* double; NaN if empty */
};

/* A column, and where hs_rowfile_read() puts what it holds. Tables end with a NULL name. */
struct hs_cell {
    const char *column;
    enum hs_cell_kind kind;
    size_t offset;
};

struct hs_rowfile {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_diag *diag;
    const struct hs_cell *cells;
    uint32_t at[HS_ROWFILE_COLUMNS_MAX]; /* the field of each */
};

/* cells: at most HS_ROWFILE_COLUMNS_MAX, borrowed. */
HS_MUST_USE enum hs_status hs_rowfile_open(struct hs_rowfile *f, const char *path,
                                           const struct hs_cell *cells, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_rowfile_next(struct hs_rowfile *f); /* HS_END after the last row */
/* All cells of the row. HS_E_INPUT at the first bad one. */
HS_MUST_USE enum hs_status hs_rowfile_read(const struct hs_rowfile *f, void *row);
/* Columns are counted in the order of the table. */
const char *hs_rowfile_text(const struct hs_rowfile *f, uint32_t column);
/* A decimal number that is not negative, times `unit`; -1 when the cell is empty. */
HS_MUST_USE enum hs_status hs_rowfile_decimal(const struct hs_rowfile *f, uint32_t column,
                                              int64_t unit, const char *expected, int64_t *value);
/* The next range of a set of GPU ids, "0-7 16 20-23", from *at on, which moves behind it and the
 * blank; false if that is no range. That they ascend is not asked. */
bool hs_rowfile_range(const char **at, uint32_t *first, uint32_t *last);
/* Bad input at the cell of this column: "NAME is not EXPECTED". */
HS_MUST_USE enum hs_status hs_rowfile_bad(const struct hs_rowfile *f, const char *name,
                                          const char *expected);
void hs_rowfile_close(struct hs_rowfile *f);

struct hs_runmanifest;
/* Calls each() for every row of a file of the run, by a table as for hs_rowfile_open. A file that
 * is not the one that the manifest lists is warned of. */
HS_MUST_USE enum hs_status
hs_rowfile_each(struct hs_runmanifest *run, const char *name, const struct hs_cell *cells,
                enum hs_status (*each)(void *ctx, const struct hs_rowfile *f), void *ctx);

#endif
