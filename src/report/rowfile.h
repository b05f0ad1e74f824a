/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the row files of a finished run (jobs.csv, segments.csv) by the names of their columns,
 * whatever columns there are beside them.
 *
 *     static const char *const columns[] = {"job_id", "start", NULL};
 *     enum hs_status s = hs_rowfile_open(&f, path, columns, diag);
 *     while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
 *         s = hs_rowfile_decimal(&f, 1, HS_US_PER_S, "a time in seconds", &start_us);
 *     hs_rowfile_close(&f);                                  // also after a failed open
 */
#ifndef HORUS_REPORT_ROWFILE_H
#define HORUS_REPORT_ROWFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "data/csvread.h"

#define HS_ROWFILE_COLUMNS_MAX 32

struct hs_rowfile {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_diag *diag;
    const char *const *names; /* NULL-terminated */
    uint32_t at[HS_ROWFILE_COLUMNS_MAX];
};

HS_MUST_USE enum hs_status hs_rowfile_open(struct hs_rowfile *f, const char *path,
                                           const char *const *names, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_rowfile_next(struct hs_rowfile *f); /* HS_END after the last row */
/* Columns are counted in the order of the names given. */
const char *hs_rowfile_text(const struct hs_rowfile *f, uint32_t column);
/* A decimal number that is not negative, times `unit`; -1 when the cell is empty. */
HS_MUST_USE enum hs_status hs_rowfile_decimal(const struct hs_rowfile *f, uint32_t column,
                                              int64_t unit, const char *expected, int64_t *value);
/* 0 when the cell is empty. */
HS_MUST_USE enum hs_status hs_rowfile_count(const struct hs_rowfile *f, uint32_t column,
                                            uint64_t *count);
/* The next range of a set of GPU ids, "0-7 16 20-23", from *at on, which moves behind it and the
 * blank; false if that is no range. That they ascend is not asked. */
bool hs_rowfile_range(const char **at, uint32_t *first, uint32_t *last);
/* Bad input at this cell: "NAME is not EXPECTED". */
HS_MUST_USE enum hs_status hs_rowfile_bad(const struct hs_rowfile *f, uint32_t column,
                                          const char *expected);
void hs_rowfile_close(struct hs_rowfile *f);

#endif
