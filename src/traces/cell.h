/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of a trace row: text to a number of a record, what can be wrong with one, and the run
 * times of a job's attempts. Readers say which value is bad and where; the code that pulls the rows
 * decides what it means: a run stops there (strict), or passes over it and counts
 * (--skip-bad-rows); validation lists every kind with its first rows and its repair.
 *
 *     result = hs_cell_span(text, len, unit_us, &job->duration_us);
 *     if (result != HS_CELL_OK)
 *         return hs_cell_fail(faults, result, &place, "duration", text);
 */
#ifndef HORUS_TRACES_CELL_H
#define HORUS_TRACES_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "horus/trace.h"

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

/* Times and durations beyond 2^53 us (285 years) are taken for a wrong unit. */
#define HS_TRACE_TIME_MAX (INT64_C(1) << 53)

enum hs_cell_result {
    HS_CELL_OK,
    HS_CELL_NOT_A_NUMBER,
    HS_CELL_NOT_A_TIME,
    HS_CELL_NOT_A_COUNT,
    HS_CELL_NOT_WHOLE,
    HS_CELL_TOO_FINE, /* thousandths */
    HS_CELL_NOT_A_SHARE,
    HS_CELL_TWO_SHARES,
    HS_CELL_TOO_LARGE,
    HS_CELL_TOO_LONG, /* a time or span */
    HS_CELL_TOO_MANY, /* a count */
    HS_CELL_OVER_100, /* a percentage */
    HS_CELL_NEGATIVE,
    HS_CELL_NOT_A_BATCH,
    HS_CELL_NOT_A_FLAG,
    HS_CELL_NOT_ATTEMPTS,
    HS_CELL_NOT_THE_SUM, /* attempts */
};

enum hs_cell_result hs_cell_span(const char *text, size_t len, int64_t unit_us, int64_t *out_us);
/* A date and time alone. */
enum hs_cell_result hs_cell_date(const char *text, size_t len, int64_t *out_us);
/* A number of the unit, or a date and time. */
enum hs_cell_result hs_cell_time(const char *text, size_t len, int64_t unit_us, int64_t *out_us);
enum hs_cell_result hs_cell_count(const char *text, size_t len, uint32_t *out);
/* A number with at most three decimals, in thousandths. */
enum hs_cell_result hs_cell_milli(const char *text, size_t len, uint32_t *out_milli);
/* GPUs: a whole number, or one below 1, which is a share of one GPU: then *milli is set to it (else
 * it is unchanged). */
enum hs_cell_result hs_cell_gpus(const char *text, size_t len, uint32_t *gpus, uint32_t *milli);
enum hs_cell_result hs_cell_mib(const char *text, size_t len, uint32_t *out);
enum hs_cell_result hs_cell_percent(const char *text, size_t len, int32_t *out_pm);
enum hs_cell_result hs_cell_int(const char *text, size_t len, int32_t *out);

/* "", "None", "NaN", "NA", "null" and "-" mean a missing number. */
bool hs_cell_is_missing(const char *text, size_t len);

/* The text, or NULL for a missing value (see above) and for NULL. */
const char *hs_cell_word(const char *text);

/* Reports a result other than HS_CELL_OK of the value `key`; returns HS_E_INPUT. */
enum hs_status hs_cell_fail(struct hs_faults *faults, enum hs_cell_result result,
                            const struct hs_place *place, const char *key, const char *text);

/* The run times of a job's attempts, gathered while a row is read, in storage that serves every
 * row.
 *
 *     list.count = 0;
 *     hs_attempts_add(&list, run_us); ...
 *     hs_attempts_give(&list, job);            // borrowed until the next row
 */
#define HS_ATTEMPTS_MAX 65535 /* of one job */

struct hs_attempt_list {
    int64_t *run_us;
    uint32_t count, cap;
};

/* Of a list shorter than HS_ATTEMPTS_MAX. */
void hs_attempts_add(struct hs_attempt_list *list, int64_t run_us);
/* "10/20", in the unit, whose sum must be duration_us. */
enum hs_cell_result hs_attempts_parse(struct hs_attempt_list *list, const char *text, size_t len,
                                      int64_t unit_us, int64_t duration_us);
/* One attempt is none: the job does not fail on the way. */
void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job);
void hs_attempts_free(struct hs_attempt_list *list);

#endif
