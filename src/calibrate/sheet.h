/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV of measurements by the names of columns, for readers of measurements.
 *
 *     struct hs_sheet s = {.m = m, .columns = columns, .count = COUNT, .diag = diag};
 *     HS_TRY(hs_sheet_read(&s, path, take)); // take(&s) for each row
 */
#pragma once

#include <float.h>
#include <math.h>

#include "calibrate/measure.h"
#include "data/csv.h"

#define HS_MIB_MAX 1048576.0 /* 1 TiB on one GPU is a unit mistaken */

/* The numbers of a column: min, max, unit, hint. */
#define HS_NO_NUMBER 0, 0, 1, NULL
#define HS_ANY(hint) -DBL_MAX, DBL_MAX, 1, hint
#define HS_PER_CENT  0, 100, 100, "per cent"
#define HS_MIB       0, HS_MIB_MAX, 1, "MiB"

struct hs_sheet_column {
    const char *name;
    bool is_required;
    double min, max, unit; /* a number is in [min, max] and is divided by unit */
    const char *hint;      /* for a number that is none or out of range; may be NULL */
};
#define HS_SHEET_COLUMNS 32

/* Faults are reported at their place and reading goes on: one call shows them all, at most 20. */
struct hs_sheet {
    struct hs_measurements *m;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    const struct hs_sheet_column *columns;
    uint32_t count;
    uint32_t at[HS_SHEET_COLUMNS]; /* UINT32_MAX: the file has no such column */
    struct hs_diag *diag;
    enum hs_status status; /* the first failure */
    uint32_t faults;
    bool is_good; /* no fault in this row so far */
    uint64_t rows;
    /* of a CSV of one's own */
    bool is_own;       /* a word like nan is a slip, and so is an unknown column */
    uint32_t *by_rate; /* rows of pairs whose speed is a rate until all rates alone are known */
    uint32_t by_rate_count, by_rate_cap;
    double highest_share; /* of all utilizations */
};

/* A column of a list X(NAME, "name", is_required, number) as an enumerator and as a row. */
#define HS_SHEET_COLUMN(name, text, is_required, ...) {text, is_required, __VA_ARGS__},

/* Reads the file of s->columns: `take` gets each row that has as many fields as the header. */
HS_MUST_USE enum hs_status hs_sheet_read(struct hs_sheet *s, const char *path,
                                         enum hs_status (*take)(struct hs_sheet *s));
HS_PRINTF(4, 5)
void hs_sheet_fault(struct hs_sheet *s, uint32_t column, const char *hint, const char *fmt, ...);
const char *hs_sheet_text(const struct hs_sheet *s, uint32_t column); /* "" if there is none */
/* The same; a fault if it is no name. */
const char *hs_sheet_name(struct hs_sheet *s, uint32_t column);
/* NaN where there is none, or a wrong one, which is a fault. */
double hs_sheet_number(struct hs_sheet *s, uint32_t column);

/* The parts of a profile key. */
struct hs_key_parts {
    char part[4][HS_MEASURE_NAME_MAX + 1];
};
/* The job of a profile key, on one GPU and unmeasured; its texts lie in parts. */
struct hs_solo hs_sheet_job(struct hs_sheet *s, uint32_t column, struct hs_key_parts *parts);

static inline bool hs_sheet_is_empty(const struct hs_sheet *s, uint32_t column)
{
    return hs_sheet_text(s, column)[0] == '\0';
}
