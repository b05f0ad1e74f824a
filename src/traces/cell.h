/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text of one value to a number of a trace record, with a fault that says what was wrong. The
 * usual case, a short run of digits, is read in place; the rest goes to base/timeparse.
 */
#ifndef HORUS_TRACES_CELL_H
#define HORUS_TRACES_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "horus/trace.h"
#include "traces/fault.h"

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
/* The date read last: rows of one day follow each other. */
struct hs_cell_day {
    char date[10];
    int64_t us;
};
/* "YYYY-MM-DD HH:MM:SS" of that day; false for all others, on which base/timeparse has the last
 * word. */
bool hs_cell_same_day(const char *text, size_t len, const struct hs_cell_day *day, int64_t *out_us);
/* A date and time alone. */
enum hs_cell_result hs_cell_date(const char *text, size_t len, struct hs_cell_day *day,
                                 int64_t *out_us);
enum hs_cell_result hs_cell_time(const char *text, size_t len, int64_t unit_us,
                                 struct hs_cell_day *day, int64_t *out_us);
enum hs_cell_result hs_cell_count(const char *text, size_t len, uint32_t *out);
/* A number with at most three decimals, in thousandths. */
enum hs_cell_result hs_cell_milli(const char *text, size_t len, uint32_t *out_milli);
/* GPUs: a whole number, or one below 1, which is a share of one GPU: then *milli is it (else it
 * stays as it is). */
enum hs_cell_result hs_cell_gpus(const char *text, size_t len, uint32_t *gpus, uint32_t *milli);
enum hs_cell_result hs_cell_mib(const char *text, size_t len, uint32_t *out);
enum hs_cell_result hs_cell_percent(const char *text, size_t len, int32_t *out_pm);
/* A whole number of at least 1, "64" or "64.0" (what programs make of a column with gaps). */
enum hs_cell_result hs_cell_batch(const char *text, size_t len, uint32_t *out);
/* 1: a job of the best effort, opportunistic; 0: one with a deadline, guaranteed. */
enum hs_cell_result hs_cell_best_effort(const char *text, size_t len, enum hs_job_class *out);
enum hs_cell_result hs_cell_int(const char *text, size_t len, int32_t *out);

/* "", "None", "NaN", "NA", "null" and "-" stand for a missing number. */
bool hs_cell_is_missing(const char *text, size_t len);

/* Reports a result other than HS_CELL_OK of the value `key`; returns HS_E_INPUT. */
enum hs_status hs_cell_fail(struct hs_faults *faults, enum hs_cell_result result,
                            const struct hs_place *place, const char *key, const char *text);

#endif
