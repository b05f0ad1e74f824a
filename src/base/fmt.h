/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one formatter and parser of numbers and times: C locale by construction, same bytes on every
 * machine. Each writes at `out` (room for HS_FMT_MAX bytes), adds no terminator, returns the
 * length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"

#define HS_FMT_MAX 32

/* Most fields of most rows are one digit, often 0: they are spared a call. */
size_t hs_fmt_digits(char *out, uint64_t value); /* value > 0 */
static inline size_t hs_fmt_u64(char *out, uint64_t value)
{
    if (value >= 10)
        return hs_fmt_digits(out, value);
    out[0] = (char)('0' + value);
    return 1;
}
size_t hs_fmt_i64(char *out, int64_t value);
/* 12345 as "12,345", for a reader; terminated: returns out. */
const char *hs_fmt_grouped(char out[HS_FMT_MAX], uint64_t value);
/* Microseconds as seconds: "12", "12.5", "-0.000001"; at most six decimals, no trailing zeros. */
size_t hs_fmt_some_seconds(char *out, int64_t us);
static inline size_t hs_fmt_seconds(char *out, int64_t us)
{
    if (us != 0)
        return hs_fmt_some_seconds(out, us);
    out[0] = '0';
    return 1;
}
/* "2017-10-09 07:00:55": microseconds from 1970-01-01 00:00:00 on, as hs_parse_datetime_us counts
 * them; what is below a second is cut off. For 0 <= us < 2^58, so that a year has four digits. */
size_t hs_fmt_datetime(char *out, int64_t us);
/* num/den rounded half up to `decimals` (<= 9) places, trailing zeros dropped; den > 0, num >= 0.
 * Exact integer arithmetic. */
size_t hs_fmt_ratio(char *out, uint64_t num, uint64_t den, unsigned decimals);
/* Shortest decimal that reads back as the same double; -0 is "0". "nan", "inf" never: those
 * are empty. */
size_t hs_fmt_double(char *out, double value);
/* The number rounded to six significant digits, as fitted figures are written: beyond them a last
 * bit of libm would show. */
double hs_fmt_round6(double value);

/* Behind the NUL-terminated text of a buffer of `size` bytes; what does not fit is cut off. */
HS_PRINTF(3, 4)
void hs_append(char *text, size_t size, const char *fmt, ...);
/* Whether the word is one of a list with that mark between. */
bool hs_is_listed(const char *list, char mark, const char *word);

/* Text to numbers, exactly and without the host's time zone or locale. All take len bytes, no
 * terminator needed, no surrounding blanks; false = not of that form or out of range. */
/* "12", "-3", "12.5", "1e3", "12.": a decimal number times unit_us, exact; digits below a
 * microsecond are rounded half up. */
bool hs_parse_decimal_us(const char *text, size_t len, int64_t unit_us, int64_t *out_us);
/* "90s", "15min" or "15m", "2h", "7d", "250ms", "100us", "1.5h"; a bare number is seconds. */
bool hs_parse_duration_us(const char *text, size_t len, int64_t *out_us);
/* "YYYY-MM-DD[ HH:MM:SS[.frac]][ZONE]" ('T' for the blank): counted from 1970-01-01 00:00:00,
 * proleptic Gregorian. A zone is "Z", "UTC", "GMT", "PST", "PDT", "+hh", "+hhmm" or "+hh:mm", also
 * behind a blank, and makes the time one of UTC; without it the clock is the file's own. */
struct hs_last_date {
    bool has_zone;
    char date[10]; /* the same as in the row before in most rows: not converted again */
    int64_t days;  /* from 1970-01-01 on */
};
/* last: zeroed before the first of a file; NULL = not kept. */
bool hs_parse_datetime_us(const char *text, size_t len, int64_t *out_us, struct hs_last_date *last);
bool hs_parse_int64(const char *text, size_t len, int64_t *out);
bool hs_parse_double(const char *text, size_t len, double *out); /* finite, C locale */
/* "16GiB", "512MiB", "1TiB", bare = MiB. "16GB" is the same as "16GiB": vendors sell memory so. */
bool hs_parse_size_mib(const char *text, size_t len, int64_t *out);
