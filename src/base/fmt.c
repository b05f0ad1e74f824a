/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers to text. Integers eight digits at a time, no stdio: jobs.csv and segments.csv are mostly
 * these. Ratios are exact in 128 bits. Doubles try 15, 16, 17 digits and take the first that reads
 * back: 15 digits always survive the way through a double, so nothing shorter is missed (a power of
 * two may carry one digit more than the shortest); most are written as the integers that they came
 * from. printf and strtod follow the C locale because the program never calls setlocale.
 */
#include "base/fmt.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/word8.h"

/* At most that many digits at once, of numbers below that. */
#define DIGITS     8u
#define DIGITS_END 100000000u
#define ZEROS      HS_WORD8_OF('0')

static const uint64_t powers[] = {1,      10,      100,      1000,      10000,
                                  100000, 1000000, 10000000, 100000000, 1000000000};

/* The digits of value < 10^8, one a byte, the first in the lowest byte: halves, quarters and
 * eighths of the number at once. A product with 10486 / 2^20 is a quotient by 100 below 10^4, one
 * with 103 / 2^10 a quotient by 10 below 10^2. */
static uint64_t digits_of(uint32_t value)
{
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/* value < 10^count in `count` digits, zeros in front; eight bytes of out are written at least. */
static void digits_put(char *out, uint64_t value, unsigned count)
{
    if (count > DIGITS) {
        digits_put(out, value / DIGITS_END, count - DIGITS);
        digits_put(out + count - DIGITS, value % DIGITS_END, DIGITS);
        return;
    }
    hs_word8_put(out, (digits_of((uint32_t)value) | ZEROS) >> 8 * (DIGITS - count));
}

/* Nearly all have up to eight digits, and how many varies from one to the next: no branch asks. */
size_t hs_fmt_digits(char *out, uint64_t value)
{
    if (value < DIGITS_END) {
        const uint64_t digits = digits_of((uint32_t)value);
        const unsigned zeros = hs_word8_first(digits);
        hs_word8_put(out, (digits | ZEROS) >> 8 * zeros);
        return DIGITS - zeros;
    }
    size_t count = hs_fmt_digits(out, value / DIGITS_END);
    digits_put(out + count, value % DIGITS_END, DIGITS);
    return count + DIGITS;
}

/* Sign and magnitude; the magnitude of INT64_MIN has no int64_t. */
static size_t sign_put(char *out, int64_t value, uint64_t *magnitude)
{
    if (value >= 0) {
        *magnitude = (uint64_t)value;
        return 0;
    }
    *magnitude = -(uint64_t)value;
    out[0] = '-';
    return 1;
}

size_t hs_fmt_i64(char *out, int64_t value)
{
    uint64_t magnitude;
    size_t len = sign_put(out, value, &magnitude);
    return len + hs_fmt_u64(out + len, magnitude);
}

const char *hs_fmt_grouped(char out[HS_FMT_MAX], uint64_t value)
{
    char digits[HS_FMT_MAX];
    size_t length = hs_fmt_u64(digits, value), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

/* ".5" for 500000 of 6 places. */
static size_t fraction_put(char *out, uint64_t fraction, unsigned places)
{
    out[0] = '.';
    digits_put(out + 1, fraction, places);
    while (out[places] == '0')
        places--;
    return 1 + (size_t)places;
}

size_t hs_fmt_some_seconds(char *out, int64_t us)
{
    uint64_t magnitude;
    size_t len = sign_put(out, us, &magnitude);
    uint64_t whole = magnitude / 1000000, fraction = magnitude % 1000000;
    len += hs_fmt_u64(out + len, whole);
    return fraction == 0 ? len : len + fraction_put(out + len, fraction, 6);
}

/* The civil date of a day number is by H. Hinnant, "chrono-compatible low-level date algorithms".
 */
size_t hs_fmt_datetime(char *out, int64_t us)
{
    const int64_t us_per_day = INT64_C(86400000000);
    static const char shape[] = "....-..-.. ..:..:..";
    int64_t z = us / us_per_day + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int64_t mday = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    int64_t year = yoe + era * 400 + (month <= 2);
    uint64_t second = (uint64_t)(us % us_per_day) / 1000000;
    char day[DIGITS], time[DIGITS];
    digits_put(day, (uint64_t)(year * 10000 + month * 100 + mday), DIGITS);
    digits_put(time, second / 3600 * 10000 + second / 60 % 60 * 100 + second % 60, DIGITS);
    memcpy(out, shape, sizeof shape - 1);
    memcpy(out, day, 4);
    memcpy(out + 5, day + 4, 2);
    memcpy(out + 8, day + 6, 2);
    for (unsigned i = 0; i < 3; i++)
        memcpy(out + 11 + 3 * i, time + 2 + 2 * i, 2);
    return sizeof shape - 1;
}

size_t hs_fmt_ratio(char *out, uint64_t num, uint64_t den, unsigned decimals)
{
    assert(den > 0 && decimals <= 9);
    if (num == den) {
        out[0] = '1';
        return 1;
    }
    uint64_t scale = powers[decimals];
    uint64_t whole = num / den, rest = num % den;
    if (rest == 0)
        return hs_fmt_u64(out, whole);
    uint64_t fraction;
    if (den <= UINT64_MAX / 4 / scale) /* 2 rest scale + den stays inside 64 bits */
        fraction = (2 * rest * scale + den) / (2 * den);
    else
        fraction = (uint64_t)(((hs_u128)rest * scale * 2 + den) / ((hs_u128)den * 2));
    if (fraction == scale) {
        whole++; /* no overflow: den >= 2 whenever there is a rest */
        fraction = 0;
    }
    size_t len = hs_fmt_u64(out, whole);
    return fraction == 0 ? len : len + fraction_put(out + len, fraction, decimals);
}

/* A value of at most six decimals and 15 digits: the nearest double to a number of millionths,
 * which is what 15 digits of it are. 0 if it is none, or so small that it has an exponent. */
static size_t millionths_put(char *out, double value)
{
    double magnitude = fabs(value), scaled = magnitude * 1e6;
    if (!(magnitude >= 1e-4 && scaled < 1e15))
        return 0;
    int64_t millionths = (int64_t)(scaled + 0.5);
    if ((double)millionths / 1e6 != magnitude)
        return 0;
    return hs_fmt_some_seconds(out, value < 0 ? -millionths : millionths);
}

size_t hs_fmt_double(char *out, double value)
{
    if (!isfinite(value))
        return 0;
    if (value == 0) {
        out[0] = '0'; /* -0 too */
        return 1;
    }
    size_t done = millionths_put(out, value);
    if (done > 0)
        return done;
    char text[HS_FMT_MAX];
    int len = 0;
    /* Below DBL_MIN a double has fewer digits to give. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        len = snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    memcpy(out, text, (size_t)len);
    return (size_t)len;
}

double hs_fmt_round6(double value)
{
    char text[32];
    if (!isfinite(value))
        return value;
    (void)snprintf(text, sizeof text, "%.5e", value);
    return strtod(text, NULL);
}

void hs_append(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}
