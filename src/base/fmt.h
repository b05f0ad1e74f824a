/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one formatter of numbers: C locale by construction, same bytes on every machine. Each writes
 * at `out` (room for HS_FMT_MAX bytes), adds no terminator, returns the length.
 */
#ifndef HORUS_BASE_FMT_H
#define HORUS_BASE_FMT_H

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

#endif
