/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of trace rows. O(length), O(attempts of a row).
 */
#include "traces/cell.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/timeparse.h"

/* ---- faults ---- */

static const struct {
    const char *text, *repair;
} kinds[HS_FAULT_COUNT] = {
#define HS_FAULT_ROW(name, text, repair) {text, repair},
    HS_FAULT_LIST(HS_FAULT_ROW)
#undef HS_FAULT_ROW
};

const char *hs_fault_text(enum hs_fault kind)
{
    return kinds[kind].text;
}

const char *hs_fault_repair(enum hs_fault kind)
{
    return kinds[kind].repair;
}

static void relay(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_faults *faults = ctx;
    struct hs_diag *diag = faults->diag;
    if (severity == HS_ERROR) {
        faults->is_row_bad = true;
        faults->kind = HS_FAULT_STRUCTURE;
        faults->total++;
        if (++faults->counts[HS_FAULT_STRUCTURE] > HS_FAULTS_SHOWN)
            return;
        severity = faults->severity;
    }
    *(severity == HS_ERROR ? &diag->errors : &diag->warnings) += severity != HS_NOTE;
    if (severity >= diag->least)
        diag->emit(diag->ctx, severity, text, len);
}

void hs_faults_init(struct hs_faults *faults, enum hs_severity severity, struct hs_diag *diag)
{
    *faults = (struct hs_faults){.diag = diag, .severity = severity};
    hs_diag_init(&faults->relay, relay, faults);
}

struct hs_diag *hs_faults_relay(struct hs_faults *faults)
{
    return &faults->relay;
}

enum hs_status hs_trace_bad_row(struct hs_faults *faults, enum hs_fault kind,
                                const struct hs_place *place, const char *hint, const char *fmt,
                                ...)
{
    faults->is_row_bad = true;
    faults->kind = kind;
    faults->total++;
    if (++faults->counts[kind] > HS_FAULTS_SHOWN)
        return HS_E_INPUT;
    char text[512]; /* user text in it is cut, never overrun */
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    hs_report(faults->diag, faults->severity, place, hint, "%s", text);
    return HS_E_INPUT;
}

/* ---- cells ---- */

#define MILLION INT64_C(1000000)

static const struct {
    enum hs_fault fault;
    const char *what, *hint;
} results[] = {
    [HS_CELL_NOT_A_NUMBER] = {HS_FAULT_NUMBER, "is not a number", "a decimal number such as 12.5"},
    [HS_CELL_NOT_A_TIME] = {HS_FAULT_TIME, "is not a time",
                            "a number, or a date and time such as 2020-04-01 12:30:00"},
    [HS_CELL_NOT_A_COUNT] = {HS_FAULT_NUMBER, "is not a number", "a whole number such as 8"},
    [HS_CELL_NOT_WHOLE] = {HS_FAULT_FRACTION, "is not a whole number",
                           "a gang holds whole GPUs, or one share of each (column gpu_milli)"},
    [HS_CELL_TOO_FINE] = {HS_FAULT_FRACTION, "has more than three decimals",
                          "shares are in thousandths, e.g. 0.125"},
    [HS_CELL_NOT_A_SHARE] = {HS_FAULT_RANGE, "is no share of a GPU",
                             "thousandths of a GPU, from 1 to 1000"},
    [HS_CELL_TWO_SHARES] = {HS_FAULT_RANGE, "is not the share that gpus tells",
                            "gpus 0.5 alone, or gpus 1 and gpu_milli 500"},
    [HS_CELL_TOO_LARGE] = {HS_FAULT_RANGE, "is out of range", NULL},
    [HS_CELL_TOO_LONG] = {HS_FAULT_RANGE, "is out of range",
                          "times may be in another unit: --time-unit=ms reads bare numbers as ms"},
    [HS_CELL_TOO_MANY] = {HS_FAULT_RANGE, "is out of range",
                          "at most 4294967295: is it the right column?"},
    [HS_CELL_OVER_100] = {HS_FAULT_RANGE, "is out of range", "percent, from 0 to 100"},
    [HS_CELL_NEGATIVE] = {HS_FAULT_RANGE, "is negative", NULL},
    [HS_CELL_NOT_A_BATCH] = {HS_FAULT_NUMBER, "is not a whole number from 1 on",
                             "samples a step; leave it empty for a model without"},
    [HS_CELL_NOT_A_FLAG] = {HS_FAULT_CLASS, "is neither 0 nor 1",
                            "1: a job of the best effort; 0: one with a deadline"},
    [HS_CELL_NOT_ATTEMPTS] = {HS_FAULT_NUMBER, "is not a list of run times",
                              "at most 65535, e.g. 10/20: fails after 10 s, then runs for 20 s"},
    [HS_CELL_NOT_THE_SUM] = {HS_FAULT_RANGE, "does not add up to duration",
                             "10/20 where duration is 30; --retries=merge leaves it alone"},
};

/* Up to 9 digits: no overflow, and what nearly all cells hold. */
static bool parse_digits(const char *text, size_t len, uint32_t *out)
{
    if (len - 1 > 8)
        return false;
    uint32_t value = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Whether a text that no parser took is a number all the same: too large then. */
static bool looks_numeric(const char *text, size_t len)
{
    bool has_digit = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            has_digit = true;
        else if (!strchr("+-.eE", text[i]) || text[i] == '\0' ||
                 (!has_digit && strchr("eE", text[i])))
            return false;
    }
    return has_digit;
}

static enum hs_cell_result number_result(const char *text, size_t len,
                                         enum hs_cell_result if_numeric)
{
    return looks_numeric(text, len) ? if_numeric : HS_CELL_NOT_A_NUMBER;
}

enum hs_cell_result hs_cell_span(const char *text, size_t len, int64_t unit_us, int64_t *out_us)
{
    uint32_t digits;
    if (HS_LIKELY(unit_us <= MILLION && parse_digits(text, len, &digits)))
        *out_us = (int64_t)digits * unit_us;
    else if (!hs_parse_decimal_us(text, len, unit_us, out_us))
        return number_result(text, len, HS_CELL_TOO_LONG);
    return HS_CELL_OK;
}

enum hs_cell_result hs_cell_date(const char *text, size_t len, int64_t *out_us)
{
    return hs_parse_datetime_us(text, len, out_us) ? HS_CELL_OK : HS_CELL_NOT_A_TIME;
}

enum hs_cell_result hs_cell_time(const char *text, size_t len, int64_t unit_us, int64_t *out_us)
{
    if (len >= 10 && text[4] == '-')
        return hs_cell_date(text, len, out_us);
    enum hs_cell_result result = hs_cell_span(text, len, unit_us, out_us);
    return result == HS_CELL_NOT_A_NUMBER ? HS_CELL_NOT_A_TIME : result;
}

enum hs_cell_result hs_cell_count(const char *text, size_t len, uint32_t *out)
{
    if (HS_LIKELY(parse_digits(text, len, out)))
        return HS_CELL_OK;
    int64_t millionths;
    if (!hs_parse_decimal_us(text, len, MILLION, &millionths))
        return looks_numeric(text, len) ? HS_CELL_TOO_MANY : HS_CELL_NOT_A_COUNT;
    if (millionths < 0)
        return HS_CELL_NEGATIVE;
    if (millionths % MILLION != 0)
        return HS_CELL_NOT_WHOLE;
    if (millionths / MILLION > (int64_t)UINT32_MAX)
        return HS_CELL_TOO_MANY;
    *out = (uint32_t)(millionths / MILLION);
    return HS_CELL_OK;
}

enum hs_cell_result hs_cell_milli(const char *text, size_t len, uint32_t *out_milli)
{
    uint32_t digits;
    int64_t millionths;
    if (HS_LIKELY(parse_digits(text, len, &digits) && digits <= UINT32_MAX / 1000)) {
        *out_milli = digits * 1000;
        return HS_CELL_OK;
    }
    if (!hs_parse_decimal_us(text, len, MILLION, &millionths))
        return number_result(text, len, HS_CELL_TOO_LARGE);
    if (millionths < 0)
        return HS_CELL_NEGATIVE;
    if (millionths % 1000 != 0)
        return HS_CELL_TOO_FINE;
    if (millionths / 1000 > (int64_t)UINT32_MAX)
        return HS_CELL_TOO_LARGE;
    *out_milli = (uint32_t)(millionths / 1000);
    return HS_CELL_OK;
}

enum hs_cell_result hs_cell_gpus(const char *text, size_t len, uint32_t *gpus, uint32_t *milli)
{
    uint32_t share;
    enum hs_cell_result result = hs_cell_count(text, len, gpus);
    if (HS_LIKELY(result != HS_CELL_NOT_WHOLE))
        return result;
    result = hs_cell_milli(text, len, &share);
    if (result == HS_CELL_OK && share > 1000)
        return HS_CELL_NOT_WHOLE;
    if (result == HS_CELL_OK) {
        *gpus = 1;
        *milli = share;
    }
    return result;
}

enum hs_cell_result hs_cell_mib(const char *text, size_t len, uint32_t *out)
{
    int64_t mib;
    if (parse_digits(text, len, out))
        return HS_CELL_OK;
    if (!hs_parse_size_mib(text, len, &mib) && !hs_parse_decimal_us(text, len, 1, &mib))
        return number_result(text, len, HS_CELL_TOO_LARGE);
    if (mib < 0)
        return HS_CELL_NEGATIVE;
    if (mib > (int64_t)UINT32_MAX)
        return HS_CELL_TOO_LARGE;
    *out = (uint32_t)mib;
    return HS_CELL_OK;
}

enum hs_cell_result hs_cell_percent(const char *text, size_t len, int32_t *out_pm)
{
    int64_t permille;
    if (!hs_parse_decimal_us(text, len, 10, &permille)) /* one percent is ten per mille */
        return number_result(text, len, HS_CELL_OVER_100);
    if (permille < 0)
        return HS_CELL_NEGATIVE;
    if (permille > 1000)
        return HS_CELL_OVER_100;
    *out_pm = (int32_t)permille;
    return HS_CELL_OK;
}

enum hs_cell_result hs_cell_int(const char *text, size_t len, int32_t *out)
{
    int64_t value;
    if (!hs_parse_int64(text, len, &value))
        return number_result(text, len, HS_CELL_TOO_LARGE);
    if (value < INT32_MIN || value > INT32_MAX)
        return HS_CELL_TOO_LARGE;
    *out = (int32_t)value;
    return HS_CELL_OK;
}

bool hs_cell_is_missing(const char *text, size_t len)
{
    static const char *const words[] = {"", "none", "nan", "na", "null", "-"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == len && strncasecmp(words[i], text, len) == 0)
            return true;
    return false;
}

const char *hs_cell_word(const char *text)
{
    return text != NULL && !hs_cell_is_missing(text, strlen(text)) ? text : NULL;
}

enum hs_status hs_cell_fail(struct hs_faults *faults, enum hs_cell_result result,
                            const struct hs_place *place, const char *key, const char *text)
{
    return hs_trace_bad_row(faults, results[result].fault, place, results[result].hint,
                            "%s %s: '%s'", key, results[result].what, text);
}

/* ---- attempts ---- */

void hs_attempts_add(struct hs_attempt_list *list, int64_t run_us)
{
    hs_grow((void **)&list->run_us, &list->cap, (uint64_t)list->count + 1, sizeof *list->run_us,
            HS_ATTEMPTS_MAX);
    list->run_us[list->count++] = run_us;
}

/* Each is compared with what is left of the duration, so that no sum can overflow. */
enum hs_cell_result hs_attempts_parse(struct hs_attempt_list *list, const char *text, size_t len,
                                      int64_t unit_us, int64_t duration_us)
{
    int64_t left_us = duration_us, run_us = 0;
    list->count = 0;
    for (const char *at = text, *end = text + len; at <= end;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t size = (size_t)((slash != NULL ? slash : end) - at);
        if (hs_cell_span(at, size, unit_us, &run_us) != HS_CELL_OK || run_us < 0 ||
            list->count == HS_ATTEMPTS_MAX)
            return HS_CELL_NOT_ATTEMPTS;
        if (run_us > left_us)
            return HS_CELL_NOT_THE_SUM;
        left_us -= run_us;
        hs_attempts_add(list, run_us);
        at += size + 1;
    }
    return left_us == 0 ? HS_CELL_OK : HS_CELL_NOT_THE_SUM;
}

void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job)
{
    job->attempts = list->count > 1 ? list->count : 0;
    job->attempts_us = list->count > 1 ? list->run_us : NULL;
}

void hs_attempts_free(struct hs_attempt_list *list)
{
    hs_free(list->run_us);
    *list = (struct hs_attempt_list){0};
}
