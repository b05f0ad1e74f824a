/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers of timeparse.h. The usual text ("1234", "12.5") is read by one digit loop in 64
 * bits; exponents, many digits and ranges at the edge take the slow path, which is exact for
 * digits of any number: it never goes through a double.
 */
#include "base/timeparse.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "horus/compiler.h"

#define UNIT_MAX     INT64_C(1000000000000) /* 11 days in microseconds */
#define EXPONENT_MAX INT64_C(1000000000000000)
#define SCALE        UINT64_C(1000000000000000000) /* of 18 decimals */

/* -?digits[.digits][e[+-]digits], at least one digit before the exponent */
struct number {
    const char *whole, *fraction;
    size_t whole_len, fraction_len;
    int64_t exponent;
    bool is_negative;
};

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

/* Digit number i of the significand; 0 before and behind it. */
static unsigned digit_at(const struct number *n, int64_t i)
{
    if (i < 0 || (uint64_t)i >= n->whole_len + n->fraction_len)
        return 0;
    size_t at = (size_t)i;
    char c = at < n->whole_len ? n->whole[at] : n->fraction[at - n->whole_len];
    return (unsigned)(c - '0');
}

/* Compares rest / SCALE + d * unit / SCALE with 1/2, where d = 0.xyz... are the digits from `at`:
 * d against p / unit with p = SCALE / 2 - rest, by long division. */
static int half_compare(const struct number *n, int64_t at, uint64_t rest, uint64_t unit)
{
    if (rest > SCALE / 2)
        return 1;
    uint64_t p = SCALE / 2 - rest;
    if (p >= unit)
        return -1; /* d < 1 */
    int64_t count = (int64_t)(n->whole_len + n->fraction_len);
    for (; at < count; at++) {
        p *= 10;
        unsigned digit = digit_at(n, at);
        if (digit != p / unit)
            return digit < p / unit ? -1 : 1;
        p %= unit;
    }
    return p == 0 ? 0 : -1;
}

static bool sign_apply(hs_u128 magnitude, bool is_negative, int64_t *out)
{
    if (magnitude > INT64_MAX)
        return false;
    *out = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool decimal_slow(const char *text, size_t len, uint64_t unit, int64_t *out)
{
    struct number n;
    if (!number_scan(text, len, &n))
        return false;
    int64_t count = (int64_t)(n.whole_len + n.fraction_len);
    int64_t at = 0;
    while (at < count && digit_at(&n, at) == 0)
        at++;
    *out = 0;
    if (at == count)
        return true;
    int64_t point = (int64_t)n.whole_len + n.exponent;
    uint64_t whole = 0;
    for (; at < point; at++) { /* its first digit is not 0: ends or overflows within 19 rounds */
        unsigned digit = digit_at(&n, at);
        if (whole > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        whole = whole * 10 + digit;
    }
    uint64_t fraction = 0;
    for (int64_t i = 0; i < 18; i++)
        fraction = fraction * 10 + digit_at(&n, point + i);
    hs_u128 scaled = (hs_u128)fraction * unit;
    int half = half_compare(&n, point + 18, (uint64_t)(scaled % SCALE), unit);
    bool is_up = half > 0 || (half == 0 && !n.is_negative);
    hs_u128 magnitude = (hs_u128)whole * unit + scaled / SCALE + is_up;
    return sign_apply(magnitude, n.is_negative, out);
}

bool hs_parse_decimal_us(const char *text, size_t len, int64_t unit_us, int64_t *out_us)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
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
    if (is_negative) /* without a detour over -INT64_MIN */
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
    memcpy(copy, text, len);
    copy[len] = '\0';
    double value = strtod(copy, NULL); /* C locale: the program never calls setlocale */
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}
