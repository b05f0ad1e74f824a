/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be wrong with a row, in one list: readers say which and where, whoever pulls the rows
 * decides what it means. A run stops there (strict) or passes over it and counts
 * (--skip-bad-rows); the doctor lists every kind with its first rows and its repair.
 *
 *     return hs_trace_bad_row(faults, HS_FAULT_NUMBER, &place, "seconds, e.g. 12.5",
 *                             "duration is not a number: '%s'", text);
 */
#ifndef HORUS_TRACES_FAULT_H
#define HORUS_TRACES_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define HS_SKIP_BAD "mend the rows, or pass over them with --skip-bad-rows=1%"

/* name, text, repair. */
#define HS_FAULT_LIST(X)                                                                           \
    X(FIELDS, "wrong number of fields", HS_SKIP_BAD)                                               \
    X(MISSING, "required value missing", HS_SKIP_BAD)                                              \
    X(NUMBER, "not a number", HS_SKIP_BAD)                                                         \
    X(TIME, "not a time", HS_SKIP_BAD)                                                             \
    X(RANGE, "out of range", "check --time-unit; else " HS_SKIP_BAD)                               \
    X(FRACTION, "not a whole number", HS_SKIP_BAD)                                                 \
    X(STATE, "unknown state", HS_SKIP_BAD)                                                         \
    X(CLASS, "unknown class", HS_SKIP_BAD)                                                         \
    X(TYPE, "wrong type of JSON value", HS_SKIP_BAD)                                               \
    X(TOO_LONG, "job id too long", "--map=job_id=@row numbers the jobs of a CSV file")             \
    X(DUPLICATE, "job id seen before", "--map=job_id=@row numbers the jobs of a CSV file")         \
    X(ORDER, "out of order in time", "--sort=all (the whole trace in memory), or a larger --sort") \
    X(STRUCTURE, "malformed", HS_SKIP_BAD)

enum hs_fault {
#define HS_FAULT_ENUM(name, text, repair) HS_FAULT_##name,
    HS_FAULT_LIST(HS_FAULT_ENUM)
#undef HS_FAULT_ENUM
        HS_FAULT_COUNT
};

#define HS_FAULTS_SHOWN 3 /* reports per kind; further ones are only counted */

struct hs_faults {
    struct hs_diag *diag;
    enum hs_severity severity; /* HS_ERROR, or HS_WARNING where bad rows are tolerated */
    uint64_t total, counts[HS_FAULT_COUNT];
    enum hs_fault kind; /* of the report under way or the last one */
    bool is_row_bad;    /* set with each bad row; cleared by hs_reader_next */
    bool is_rounded;    /* the GPUs of the row just read were rounded up; cleared likewise */
    bool is_folded;     /* attempts of the row just read were folded into one; cleared likewise */
    struct hs_diag relay;
};

void hs_faults_init(struct hs_faults *faults, enum hs_severity severity, struct hs_diag *diag);

const char *hs_fault_text(enum hs_fault kind);
const char *hs_fault_repair(enum hs_fault kind);

/* Counts, reports the first of each kind, returns HS_E_INPUT. */
HS_PRINTF(5, 6)
enum hs_status hs_trace_bad_row(struct hs_faults *faults, enum hs_fault kind,
                                const struct hs_place *place, const char *hint, const char *fmt,
                                ...);

/* Where the parsers below a reader (CSV, JSON) report: their errors become faults of the row, kind
 * STRUCTURE. Lives as long as faults, which must not move. */
struct hs_diag *hs_faults_relay(struct hs_faults *faults);

#endif
