/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the readers of measurements share: the begin of a file to recognise it by, the record of a
 * file that was read, a pair in both directions, and CSV by the names of its columns.
 *
 *     HS_TRY(hs_sheet_open(&sheet, path, columns, COLUMN_COUNT, diag));
 *     while (hs_sheet_next(&sheet))
 *         if (hs_sheet_number(&sheet, COLUMN_UTIL, 0, 100, &util)) ...
 *     return hs_sheet_close(&sheet, m);                     // HS_OK when nothing was wrong
 *
 * Faults are reported at their place and reading goes on, so that one call shows them all (at most
 * 20).
 */
#ifndef HORUS_CALIBRATE_MEASURE_PRIVATE_H
#define HORUS_CALIBRATE_MEASURE_PRIVATE_H

#include "base/io.h"
#include "calibrate/measure.h"
#include "data/csvread.h"

#define HS_MEASURE_NAME_MAX 255 /* bytes of a model, dataset, GPU type */

/* The first bytes of a file, decompressed, in text with a NUL; "" if it cannot be read. */
#define HS_MEASURE_HEAD 4096
void hs_measure_head(const char *path, char text[HS_MEASURE_HEAD]);

/* Adds to m->files; HS_E_LIMIT past HS_MEASURE_FILES_MAX. */
HS_MUST_USE enum hs_status hs_measure_file_add(struct hs_measurements *m, const char *path,
                                               uint64_t hash, uint64_t bytes, uint64_t rows);

/* first, and the same run seen from the other job, under a new pair id. */
HS_MUST_USE enum hs_status hs_measure_both(struct hs_measurements *m, const struct hs_pair *first,
                                           double speed_of_other, uint32_t dropped_of_other);

/* ---- CSV ---- */

struct hs_sheet_column {
    const char *name;
    bool is_required;
    const char *hint; /* for a number that is none or out of range; may be NULL */
};
#define HS_SHEET_COLUMNS 32

struct hs_sheet {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    const struct hs_sheet_column *columns;
    uint32_t count;
    uint32_t width;                /* fields of the header, and hence of every row */
    uint32_t at[HS_SHEET_COLUMNS]; /* UINT32_MAX: the file has no such column */
    struct hs_diag *diag;
    enum hs_status status; /* the first failure */
    uint32_t faults;
    uint64_t rows;
};

/* Missing required columns are named in one message. Other columns are ignored. Closed by itself
 * when it fails. */
HS_MUST_USE enum hs_status hs_sheet_open(struct hs_sheet *s, const char *path,
                                         const struct hs_sheet_column *columns, uint32_t count,
                                         struct hs_diag *diag);
bool hs_sheet_next(struct hs_sheet *s); /* false at the end, or when it makes no sense to go on */
const char *hs_sheet_text(const struct hs_sheet *s, uint32_t column); /* "" if there is none */
/* A text that can be part of a profile key: 1..255 bytes, no '/' nor control character. */
bool hs_sheet_name(struct hs_sheet *s, uint32_t column, const char **out);
/* NaN for an empty field, and for the words of a number that is none (nan, inf, null, NA). False
 * and a fault for other text and for a number out of [min, max]. */
bool hs_sheet_number(struct hs_sheet *s, uint32_t column, double min, double max, double *out);
HS_PRINTF(4, 5)
void hs_sheet_fault(struct hs_sheet *s, uint32_t column, const char *hint, const char *fmt, ...);
/* Closes and, if all went well, records the file in m. */
HS_MUST_USE enum hs_status hs_sheet_close(struct hs_sheet *s, struct hs_measurements *m);

#endif
