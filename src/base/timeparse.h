/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text to microseconds, exactly and without the host's time zone or locale. All take len bytes, no
 * terminator needed, no surrounding blanks; false = not of that form or out of range.
 */
#ifndef HORUS_BASE_TIMEPARSE_H
#define HORUS_BASE_TIMEPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "12", "-3", "12.5", "1e3", "12.": a decimal number times unit_us, exact; digits below a
 * microsecond are rounded half up. */
bool hs_parse_decimal_us(const char *text, size_t len, int64_t unit_us, int64_t *out_us);
/* "90s", "15min" or "15m", "2h", "7d", "250ms", "100us", "1.5h"; a bare number is seconds. */
bool hs_parse_duration_us(const char *text, size_t len, int64_t *out_us);
/* "YYYY-MM-DD HH:MM:SS[.frac]" ('T' for the blank, and a final "Z", " PST"/" PDT" or "+hh:mm"
 * accepted and ignored): naive, counted from 1970-01-01 00:00:00, proleptic Gregorian. */
bool hs_parse_datetime_us(const char *text, size_t len, int64_t *out_us);
bool hs_parse_int64(const char *text, size_t len, int64_t *out);
bool hs_parse_double(const char *text, size_t len, double *out); /* finite, C locale */
/* "16GiB", "512MiB", "1TiB", bare = MiB. "16GB" is the same as "16GiB": vendors sell memory so. */
bool hs_parse_size_mib(const char *text, size_t len, int64_t *out);

#endif
