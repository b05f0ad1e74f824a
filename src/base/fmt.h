/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only formatter and parser of numbers and times: always C locale, same bytes on every machine.
 * Formatters write at `out` (room for HS_FMT_MAX bytes), add no terminator, and return the length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"

#define HS_FMT_MAX 32

size_t hs_fmt_u64(char *out, uint64_t value);
size_t hs_fmt_i64(char *out, int64_t value);
/* Formats 12345 as "12,345", for a reader; terminated; returns out. */
const char *hs_fmt_grouped(char out[HS_FMT_MAX], uint64_t value);
/* Formats us as seconds: "12", "12.5", "-0.000001"; at most six decimals, no trailing zeros. */
size_t hs_fmt_seconds(char *out, int64_t us);
/* Formats "2017-10-09 07:00:55" from microseconds since 1970-01-01 00:00:00, as in
 * hs_parse_datetime_us; truncates fractions. For 0 <= us < 2^58, so that a year has four digits. */
size_t hs_fmt_datetime(char *out, int64_t us);
/* Formats num/den rounded half up to `decimals` (<= 9) places, without trailing zeros; den > 0, num
 * >= 0. Exact integer arithmetic. */
size_t hs_fmt_ratio(char *out, uint64_t num, uint64_t den, unsigned decimals);
/* Formats the shortest decimal that reads back as the same double; -0 is "0". "nan" and "inf"
 * become empty. */
size_t hs_fmt_double(char *out, double value);
/* The same as texts that are valid until the end of the block. */
#define HS_SECONDS(us)               hs_seconds_text((char[HS_FMT_MAX + 1]){0}, us)
#define HS_DIGITS(value)             hs_double_text((char[HS_FMT_MAX + 1]){0}, value)
#define HS_RATIO(num, den, decimals) hs_ratio_text((char[HS_FMT_MAX + 1]){0}, num, den, decimals)
#define HS_GROUPED(value)            hs_fmt_grouped((char[HS_FMT_MAX]){0}, value)
#define HS_SECONDS_OR_NONE(us)       ((us) >= 0 ? HS_SECONDS(us) : "")
static inline const char *hs_seconds_text(char text[HS_FMT_MAX + 1], int64_t us)
{
    text[hs_fmt_seconds(text, us)] = '\0';
    return text;
}
static inline const char *hs_double_text(char text[HS_FMT_MAX + 1], double value)
{
    text[hs_fmt_double(text, value)] = '\0';
    return text;
}
static inline const char *hs_ratio_text(char text[HS_FMT_MAX + 1], uint64_t num, uint64_t den,
                                        unsigned decimals) /* "" if den is 0 */
{
    text[den > 0 ? hs_fmt_ratio(text, num, den, decimals) : 0] = '\0';
    return text;
}
/* Rounds to six significant digits, as fitted figures are written: further digits would depend on
 * libm. */
double hs_fmt_round6(double value);

/* A formatted text, cut at HS_TEXT_SIZE, that is valid until the end of the block; a statement
 * under an `if` or `for` is a block of its own. */
#define HS_TEXT_SIZE 1024
#define HS_TEXT(...) hs_text((char[HS_TEXT_SIZE]){0}, HS_TEXT_SIZE, __VA_ARGS__)
HS_PRINTF(3, 4)
const char *hs_text(char *text, size_t size, const char *fmt, ...); /* returns text */
/* Appends to the NUL-terminated text in a buffer of `size` bytes; truncates what does not fit. */
HS_PRINTF(3, 4)
void hs_append(char *text, size_t size, const char *fmt, ...);
/* Tells whether the word is in a list separated by that mark. */
bool hs_is_listed(const char *list, char mark, const char *word);

/* Text to numbers, exactly and independently of the host's time zone and locale. All take len
 * bytes, without terminator and surrounding blanks; false = invalid or out of range. */
/* Parses "12", "-3", "12.5", "1e3", "12.": a decimal number times unit_us, exact; digits below a
 * microsecond are rounded half up. */
bool hs_parse_decimal_us(const char *text, size_t len, int64_t unit_us, int64_t *out_us);
/* Parses "90s", "15min" or "15m", "2h", "7d", "250ms", "100us", "1.5h"; default: seconds. */
bool hs_parse_duration_us(const char *text, size_t len, int64_t *out_us);
/* Parses "YYYY-MM-DD[ HH:MM[:SS[.frac]]][ZONE]" (or '/' for '-', 'T' for the blank), relative to
 * 1970-01-01 00:00:00, proleptic Gregorian. A zone is "Z", "UTC", "GMT", "PST", "PDT", "+hh",
 * "+hhmm" or
 * "+hh:mm", also after a blank: the result is then UTC, else it is in the file's own clock. */
struct hs_last_date {
    bool has_zone;
    char date[10]; /* usually that of the previous row: not converted again */
    int64_t days;  /* since 1970-01-01 */
};
/* last: zeroed at the start of a file; NULL = not used. */
bool hs_parse_datetime_us(const char *text, size_t len, int64_t *out_us, struct hs_last_date *last);
/* A time of a run: a duration after the first submission (>= 0, *is_date false), or a date on the
 * clock of the trace. */
bool hs_parse_moment_us(const char *text, size_t len, int64_t *out_us, bool *is_date);
bool hs_parse_int64(const char *text, size_t len, int64_t *out);
bool hs_parse_double(const char *text, size_t len, double *out); /* finite, C locale */
/* Parses "16GiB", "512MiB", "1TiB", bare = MiB. "16GB" equals "16GiB", as is usual for memory. */
bool hs_parse_size_mib(const char *text, size_t len, int64_t *out);
