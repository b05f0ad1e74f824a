/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers to text. Integers without stdio: jobs.csv and segments.csv are mostly these. Ratios are
 * exact in 128 bits. Doubles try 15, 16, 17 digits and take the first that reads back: 15 digits
 * always survive a round trip through a double, so nothing shorter is missed (a power of two may
 * have one digit more than the shortest); most are written as the integers they came from. printf
 * and strtod use the C locale because the program never calls setlocale.
 *
 * Dates are read by counting days, because mktime() uses the host's time zone. Common numbers
 * ("1234", "12.5") are read by one digit loop in 64 bits; exponents, many digits and extreme ranges
 * use the slow path, which is exact for any number of digits, as it never uses a double.
 */
#include "base/fmt.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define US_PER_S   INT64_C(1000000)
#define US_PER_MIN (60 * US_PER_S)
#define US_PER_H   (3600 * US_PER_S)
#define US_PER_D   (86400 * US_PER_S)

static const uint64_t powers[] = {1,      10,      100,      1000,      10000,
                                  100000, 1000000, 10000000, 100000000, 1000000000};

/* Writes value < 10^count in `count` digits with leading zeros. */
static void digits_put(char *out, uint64_t value, unsigned count)
{
    for (; count > 0; value /= 10)
        out[--count] = (char)('0' + value % 10);
}

size_t hs_fmt_u64(char *out, uint64_t value)
{
    unsigned count = 1;
    for (uint64_t rest = value; (rest /= 10) > 0;)
        count++;
    digits_put(out, value, count);
    return count;
}

/* Splits sign and magnitude; the magnitude of INT64_MIN does not fit an int64_t. */
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

/* Writes ".5" for 500000 with 6 places. */
static size_t fraction_put(char *out, uint64_t fraction, unsigned places)
{
    out[0] = '.';
    digits_put(out + 1, fraction, places);
    while (out[places] == '0')
        places--;
    return 1 + (size_t)places;
}

size_t hs_fmt_seconds(char *out, int64_t us)
{
    uint64_t magnitude;
    size_t len = sign_put(out, us, &magnitude);
    uint64_t whole = magnitude / 1000000, fraction = magnitude % 1000000;
    len += hs_fmt_u64(out + len, whole);
    return fraction == 0 ? len : len + fraction_put(out + len, fraction, 6);
}

size_t hs_fmt_datetime(char *out, int64_t us)
{
    const time_t seconds = (time_t)(us / US_PER_S);
    struct tm date;
    char text[96];
    (void)gmtime_r(&seconds, &date);
    const int len =
        snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%02d", date.tm_year + 1900,
                 date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
    memcpy(out, text, (size_t)len);
    return (size_t)len;
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
    if (den <= UINT64_MAX / 4 / scale) /* 2 rest scale + den fits 64 bits */
        fraction = (2 * rest * scale + den) / (2 * den);
    else
        fraction = (uint64_t)(((hs_u128)rest * scale * 2 + den) / ((hs_u128)den * 2));
    if (fraction == scale) {
        whole++; /* no overflow: den >= 2 if there is a rest */
        fraction = 0;
    }
    size_t len = hs_fmt_u64(out, whole);
    return fraction == 0 ? len : len + fraction_put(out + len, fraction, decimals);
}

size_t hs_fmt_double(char *out, double value)
{
    if (!isfinite(value))
        return 0;
    if (value == 0) {
        out[0] = '0'; /* also -0 */
        return 1;
    }
    /* With at most six decimals and 15 digits it is the double nearest to a number of millionths,
     * and prints as that; a value that needs an exponent is not. */
    const double magnitude = fabs(value), scaled = magnitude * 1e6;
    const int64_t millionths = magnitude >= 1e-4 && scaled < 1e15 ? (int64_t)(scaled + 0.5) : 0;
    if (millionths > 0 && (double)millionths / 1e6 == magnitude)
        return hs_fmt_seconds(out, value < 0 ? -millionths : millionths);
    char text[HS_FMT_MAX];
    int len = 0;
    /* Below DBL_MIN a double has fewer digits. */
    for (int digits = magnitude < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
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

const char *hs_text(char *text, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, size, fmt, args);
    va_end(args);
    return text;
}

void hs_append(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

bool hs_is_listed(const char *list, char mark, const char *word)
{
    const size_t len = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, mark)) {
        at += at > list;
        if (strncmp(at, word, len) == 0 && (at[len] == mark || at[len] == '\0'))
            return true;
    }
    return false;
}

/* ---- times and sizes from text ---- */

struct unit {
    const char *name;
    int64_t factor;
};

/* Parses a decimal number and the letters of a unit; units end with a NULL name. */
static bool quantity_parse(const char *text, size_t len, const struct unit *units, int64_t *out)
{
    size_t end = len;
    while (end > 0 && ((text[end - 1] >= 'a' && text[end - 1] <= 'z') ||
                       (text[end - 1] >= 'A' && text[end - 1] <= 'Z')))
        end--;
    for (; units->name != NULL; units++)
        if (strlen(units->name) == len - end && memcmp(units->name, text + end, len - end) == 0)
            return hs_parse_decimal_us(text, end, units->factor, out);
    return false;
}

bool hs_parse_duration_us(const char *text, size_t len, int64_t *out_us)
{
    static const struct unit units[] = {{"", US_PER_S},  {"s", US_PER_S},   {"us", 1},
                                        {"ms", 1000},    {"m", US_PER_MIN}, {"min", US_PER_MIN},
                                        {"h", US_PER_H}, {"d", US_PER_D},   {NULL, 0}};
    return quantity_parse(text, len, units, out_us);
}

bool hs_parse_size_mib(const char *text, size_t len, int64_t *out)
{
    static const struct unit units[] = {{"", 1},         {"MiB", 1},   {"MB", 1},
                                        {"GiB", 1024},   {"GB", 1024}, {"TiB", 1 << 20},
                                        {"TB", 1 << 20}, {NULL, 0}};
    int64_t mib;
    if (!quantity_parse(text, len, units, &mib) || mib < 0)
        return false;
    *out = mib;
    return true;
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static size_t digits_end(const char *text, size_t at, size_t len)
{
    while (at < len && is_digit(text[at]))
        at++;
    return at;
}

/* Parses two decimal digits; negative if invalid. */
static inline int two_digits(const char *text)
{
    const unsigned tens = (unsigned)(unsigned char)text[0] - '0';
    const unsigned ones = (unsigned)(unsigned char)text[1] - '0';
    return tens > 9 || ones > 9 ? -1 : (int)(tens * 10 + ones);
}

/* Days from 1970-01-01. Years begin in March, so that the leap day is last; 719468 is the distance
 * of 0000-03-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). */
static bool date_read(const char *text, int64_t *days)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int century = two_digits(text), year_of_century = two_digits(text + 2);
    const int month = two_digits(text + 5), day = two_digits(text + 8);
    const int year = 100 * century + year_of_century;
    if ((text[4] != '-' && text[4] != '/') || text[7] != text[4] || (century | year_of_century) < 0)
        return false;
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > lengths[month - 1] + (month == 2 && is_leap))
        return false;
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    *days = 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
    return true;
}

/* Sets the offset from UTC after a date and time, at most a day, if there is one; false if
 * invalid. */
static bool zone_read(const char *text, size_t len, int64_t *offset_us)
{
    static const struct {
        const char *name;
        int64_t hours;
    } names[] = {{"Z", 0}, {"UTC", 0}, {"GMT", 0}, {"PST", -8}, {"PDT", -7}};
    if (HS_LIKELY(len == 0))
        return true;
    const size_t blank = len > 1 && text[0] == ' ';
    text += blank;
    len -= blank;
    for (size_t i = 0; i < HS_COUNT_OF(names); i++)
        if (strlen(names[i].name) == len && memcmp(names[i].name, text, len) == 0) {
            *offset_us = names[i].hours * US_PER_H;
            return true;
        }
    const size_t colon = len == 6 && text[3] == ':';
    if ((len != 3 && len - colon != 5) || (text[0] != '+' && text[0] != '-'))
        return false;
    const int hours = two_digits(text + 1), minutes = len > 3 ? two_digits(text + 3 + colon) : 0;
    if ((unsigned)hours > 23 || (unsigned)minutes > 59)
        return false;
    *offset_us = (text[0] == '-' ? -1 : 1) * (hours * US_PER_H + minutes * US_PER_MIN);
    return true;
}

/* Parses " HH:MM:SS" or " HH:MM" after a date; negative if invalid. */
static int64_t clock_read(const char *text, bool has_seconds)
{
    if ((text[0] != ' ' && text[0] != 'T') || text[3] != ':' || (has_seconds && text[6] != ':'))
        return -1;
    const int h = two_digits(text + 1), min = two_digits(text + 4);
    const int s = has_seconds ? two_digits(text + 7) : 0;
    const bool is_clock = (unsigned)h <= 23 && (unsigned)min <= 59 && (unsigned)s <= 59;
    return is_clock ? h * US_PER_H + min * US_PER_MIN + s * US_PER_S : -1;
}

#define DATE_LEN    10 /* 2020-04-01 */
#define MINUTES_LEN 16 /* 2020-04-01 12:30 */
#define CLOCK_LEN   19 /* 2020-04-01 12:30:00 */

/* Returns where the date, or date and time, ends. */
static size_t clock_end(const char *text, size_t len)
{
    if (len < MINUTES_LEN || text[DATE_LEN + 3] != ':' || text[DATE_LEN] == '+' ||
        text[DATE_LEN] == '-') /* of an offset behind a date */
        return DATE_LEN;
    return len >= CLOCK_LEN && text[MINUTES_LEN] == ':' ? CLOCK_LEN : MINUTES_LEN;
}

bool hs_parse_datetime_us(const char *text, size_t len, int64_t *out_us, struct hs_last_date *last)
{
    struct hs_last_date none = {0};
    int64_t clock_us = 0, us = 0, offset_us = 0;
    const size_t clock = clock_end(text, len);
    size_t end = clock;
    if (last == NULL)
        last = &none;
    if (len < end)
        return false;
    if (memcmp(text, last->date, DATE_LEN) != 0) {
        if (!date_read(text, &last->days))
            return false;
        memcpy(last->date, text, DATE_LEN);
    }
    if (clock > DATE_LEN)
        clock_us = clock_read(text + DATE_LEN, clock == CLOCK_LEN);
    if (clock == CLOCK_LEN && end < len && text[end] == '.')
        end = digits_end(text, end + 1, len);
    if (end > clock && !hs_parse_decimal_us(text + clock, end - clock, US_PER_S, &us))
        return false;
    if (clock_us < 0 || !zone_read(text + end, len - end, &offset_us))
        return false;
    last->has_zone = end < len;
    *out_us = last->days * US_PER_D + clock_us + us - offset_us;
    return true;
}

/* ---- numbers from text ---- */

#define UNIT_MAX     INT64_C(1000000000000) /* 11 days in microseconds */
#define EXPONENT_MAX INT64_C(1000000000000000)

/* -?digits[.digits][e[+-]digits], with at least one digit before the exponent. */
struct number {
    const char *whole, *fraction;
    size_t whole_len, fraction_len;
    int64_t exponent;
    bool is_negative;
};

static bool exponent_scan(const char *text, size_t at, size_t len, int64_t *exponent)
{
    bool is_negative = at < len && text[at] == '-';
    if (at < len && (text[at] == '-' || text[at] == '+'))
        at++;
    if (at == len || digits_end(text, at, len) != len)
        return false;
    int64_t value = 0;
    for (; at < len; at++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (text[at] - '0');
    *exponent = is_negative ? -value : value;
    return true;
}

static bool number_scan(const char *text, size_t len, struct number *n)
{
    *n = (struct number){.is_negative = len > 0 && text[0] == '-'};
    size_t at = n->is_negative;
    size_t end = digits_end(text, at, len);
    n->whole = text + at;
    n->whole_len = end - at;
    at = end;
    if (at < len && text[at] == '.') {
        at++;
        end = digits_end(text, at, len);
        n->fraction = text + at;
        n->fraction_len = end - at;
        at = end;
    }
    if (n->whole_len + n->fraction_len == 0)
        return false;
    if (at < len && (text[at] == 'e' || text[at] == 'E'))
        return exponent_scan(text, at + 1, len, &n->exponent);
    return at == len;
}

/* Digit i of the significand; 0 outside it. */
static unsigned digit_at(const struct number *n, int64_t i)
{
    if (i < 0 || (uint64_t)i >= n->whole_len + n->fraction_len)
        return 0;
    size_t at = (size_t)i;
    return (unsigned)((at < n->whole_len ? n->whole[at] : n->fraction[at - n->whole_len]) - '0');
}

static bool sign_apply(hs_u128 magnitude, bool is_negative, int64_t *out)
{
    if (magnitude > INT64_MAX)
        return false;
    *out = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* The fraction times twice the unit is computed from its last digit on: each step adds a digit and
 * divides by ten, recording any remainder. Its lowest bit is the half. */
static bool decimal_slow(const char *text, size_t len, uint64_t unit, int64_t *out)
{
    struct number n;
    if (!number_scan(text, len, &n))
        return false;
    int64_t count = (int64_t)(n.whole_len + n.fraction_len), point = n.exponent, at = 0;
    point += (int64_t)n.whole_len;
    while (at < count && digit_at(&n, at) == 0)
        at++;
    *out = 0;
    if (at == count)
        return true;
    uint64_t whole = 0, twice = 0, rest = 0;
    for (; at < point; at++) { /* its first digit is not 0: at most 19 iterations */
        unsigned digit = digit_at(&n, at);
        if (whole > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        whole = whole * 10 + digit;
    }
    for (int64_t i = count - 1; i >= point && (i >= 0 || twice > 0); i--) {
        twice += digit_at(&n, i) * 2 * unit;
        rest |= twice % 10;
        twice /= 10;
    }
    bool is_up = twice % 2 != 0 && (rest != 0 || !n.is_negative);
    return sign_apply((hs_u128)whole * unit + twice / 2 + is_up, n.is_negative, out);
}

bool hs_parse_decimal_us(const char *text, size_t len, int64_t unit_us, int64_t *out_us)
{
    assert(unit_us >= 1 && unit_us <= UNIT_MAX);
    uint64_t unit = (uint64_t)unit_us;
    bool is_negative = len > 0 && text[0] == '-';
    size_t begin = is_negative, at = begin, places = 0;
    uint64_t whole = 0, fraction = 0;
    for (; at < len && is_digit(text[at]); at++)
        whole = whole * 10 + (uint64_t)(text[at] - '0'); /* may wrap: then it is too long below */
    size_t whole_len = at - begin;
    if (at < len && text[at] == '.') {
        begin = ++at;
        for (; at < len && is_digit(text[at]); at++)
            fraction = fraction * 10 + (uint64_t)(text[at] - '0');
        places = at - begin;
    }
    if (at != len || whole_len > 18 || places > 6 || whole_len + places == 0)
        return decimal_slow(text, len, unit, out_us);
    hs_u128 magnitude = (hs_u128)whole * unit;
    if (fraction > 0) {
        uint64_t scaled = fraction * unit; /* < 10^6 x UNIT_MAX */
        uint64_t rest = scaled % powers[places];
        magnitude += scaled / powers[places];
        magnitude += is_negative ? 2 * rest > powers[places] : 2 * rest >= powers[places];
    }
    return sign_apply(magnitude, is_negative, out_us);
}

bool hs_parse_int64(const char *text, size_t len, int64_t *out)
{
    bool is_negative = len > 0 && text[0] == '-';
    size_t at = is_negative;
    if (at == len)
        return false;
    uint64_t most = (uint64_t)INT64_MAX + is_negative;
    uint64_t value = 0;
    for (; at < len; at++) {
        if (!is_digit(text[at]))
            return false;
        uint64_t digit = (uint64_t)(text[at] - '0');
        if (value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (is_negative) /* avoids -INT64_MIN */
        *out = value == 0 ? 0 : -(int64_t)(value - 1) - 1;
    else
        *out = (int64_t)value;
    return true;
}

bool hs_parse_double(const char *text, size_t len, double *out)
{
    char copy[1024]; /* no double needs more than 767 digits */
    struct number n;
    if (len >= sizeof copy || !number_scan(text, len, &n))
        return false;
    const size_t digits = n.whole_len + n.fraction_len;
    if (n.exponent == 0 && digits <= 15 && n.fraction_len <= 9) {
        uint64_t whole = 0; /* it and the power are below 2^53, hence exact: the division rounds */
        for (size_t i = 0; i < digits; i++)
            whole = whole * 10 + digit_at(&n, (int64_t)i);
        *out = (double)whole / (double)powers[n.fraction_len];
        *out = n.is_negative ? -*out : *out;
        return true;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    double value = strtod(copy, NULL); /* C locale: the program never calls setlocale */
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}

bool hs_parse_moment_us(const char *text, size_t len, int64_t *out_us, bool *is_date)
{
    *is_date = hs_parse_datetime_us(text, len, out_us, NULL);
    return *is_date || (hs_parse_duration_us(text, len, out_us) && *out_us >= 0);
}
