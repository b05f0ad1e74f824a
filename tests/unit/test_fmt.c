/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formatting of numbers.
 */
#include "base/fmt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"

/* The text of a number, terminated; guard bytes after HS_FMT_MAX must not change. */
static char buffer[HS_FMT_MAX + 1];

static const char *finish(size_t len)
{
    assert_true(len <= HS_FMT_MAX);
    buffer[len] = '\0';
    return buffer;
}

static const char *u64(uint64_t value)
{
    return finish(hs_fmt_u64(buffer, value));
}

static const char *i64(int64_t value)
{
    return finish(hs_fmt_i64(buffer, value));
}

static const char *seconds(int64_t us)
{
    return finish(hs_fmt_seconds(buffer, us));
}

static const char *ratio(uint64_t num, uint64_t den, unsigned decimals)
{
    return finish(hs_fmt_ratio(buffer, num, den, decimals));
}

static const char *real(double value)
{
    return finish(hs_fmt_double(buffer, value));
}

static void test_integers(void **state)
{
    (void)state;
    assert_string_equal(u64(0), "0");
    assert_string_equal(u64(9), "9");
    assert_string_equal(u64(10), "10");
    assert_string_equal(u64(99), "99");
    assert_string_equal(u64(100), "100");
    assert_string_equal(u64(1005), "1005");
    assert_string_equal(u64(UINT64_MAX), "18446744073709551615");
    assert_string_equal(i64(-1), "-1");
    assert_string_equal(i64(INT64_MAX), "9223372036854775807");
    assert_string_equal(i64(INT64_MIN), "-9223372036854775808");
}

static void test_integers_agree_with_printf(void **state)
{
    char expected[32];
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t value = hs_mix64(11, i) >> i % 64;
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
        assert_string_equal(u64(value), expected);
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        assert_string_equal(i64((int64_t)value), expected);
    }
}

static void assert_u64(uint64_t value)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
    assert_string_equal(u64(value), expected);
}

/* Digits are computed in groups of four and eight: all group borders, and where a number gets one
 * more digit. */
static void test_integers_at_the_joints(void **state)
{
    (void)state;
    for (uint64_t four = 0; four < 10000; four++) {
        assert_u64(four * 10000 + (9999 - four));
        assert_u64(four * UINT64_C(1000000000000) + 9999 - four);
    }
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (uint64_t value = power - 1; value <= power + 1; value++)
            assert_u64(value);
}

static void test_seconds(void **state)
{
    (void)state;
    assert_string_equal(seconds(0), "0");
    assert_string_equal(seconds(12000000), "12");
    assert_string_equal(seconds(12500000), "12.5");
    assert_string_equal(seconds(1), "0.000001");
    assert_string_equal(seconds(-1), "-0.000001");
    assert_string_equal(seconds(-1000000), "-1");
    assert_string_equal(seconds(100010), "0.10001");
    assert_string_equal(seconds(INT64_MAX), "9223372036854.775807");
    assert_string_equal(seconds(INT64_MIN), "-9223372036854.775808");
}

static void test_ratio_rounds_half_up(void **state)
{
    (void)state;
    assert_string_equal(ratio(0, 7, 3), "0");
    assert_string_equal(ratio(1, 3, 3), "0.333");
    assert_string_equal(ratio(2, 3, 3), "0.667");
    assert_string_equal(ratio(1, 2, 0), "1");         /* half, up */
    assert_string_equal(ratio(1, 8, 2), "0.13");      /* 0.125 */
    assert_string_equal(ratio(249, 2000, 2), "0.12"); /* 0.1245: rounded once, not twice */
    assert_string_equal(ratio(999, 1000, 2), "1");    /* carries into the integer part */
    assert_string_equal(ratio(1999, 1000, 2), "2");
    assert_string_equal(ratio(5, 2, 3), "2.5");
    assert_string_equal(ratio(1, 1000000000, 9), "0.000000001");
    assert_string_equal(ratio(1, 2000000001, 9), "0");
}

/* (2^64 - 1) / 2 = 9223372036854775807.5; (2^64 - 2) / (2^64 - 1) is 1 less 5e-20; 2^63 / (2^64 -
 * 1) is 1/2 plus 2.7e-20. */
static void test_ratio_at_the_ends_of_64_bits(void **state)
{
    (void)state;
    assert_string_equal(ratio(UINT64_MAX, 1, 9), "18446744073709551615");
    assert_string_equal(ratio(UINT64_MAX, 2, 9), "9223372036854775807.5");
    assert_string_equal(ratio(UINT64_MAX - 1, UINT64_MAX, 9), "1");
    assert_string_equal(ratio(UINT64_C(1) << 63, UINT64_MAX, 9), "0.5");
    assert_string_equal(ratio(UINT64_C(1) << 63, UINT64_MAX, 0), "1");
    assert_string_equal(ratio((UINT64_C(1) << 63) - 1, UINT64_MAX, 0), "0");
}

static void test_doubles_as_people_write_them(void **state)
{
    (void)state;
    assert_string_equal(real(0), "0");
    assert_string_equal(real(-0.0), "0");
    assert_string_equal(real(1), "1");
    assert_string_equal(real(-2.5), "-2.5");
    assert_string_equal(real(0.1), "0.1");
    assert_string_equal(real(100000), "100000");
    assert_string_equal(real(1e22), "1e+22");
    assert_string_equal(real(0.1 + 0.2), "0.30000000000000004"); /* the well-known sum: 17 digits */
    assert_string_equal(real(9007199254740993.0), "9007199254740992"); /* 2^53 + 1 is no double */
    assert_string_equal(real(DBL_MAX), "1.7976931348623157e+308");
    assert_string_equal(real(DBL_MIN), "2.2250738585072014e-308");
    assert_string_equal(real(5e-324), "5e-324"); /* the smallest double */
}

static void test_what_is_no_number_is_empty(void **state)
{
    (void)state;
    assert_string_equal(real(NAN), "");
    assert_string_equal(real(INFINITY), "");
    assert_string_equal(real(-INFINITY), "");
}

/* Any bits read back as the same bits. */
static void test_doubles_read_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = hs_mix64(12, i);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_true(strtod(real(value), NULL) == value);
    }
}

/* By definition: the first of 15, 16, 17 digits that reads back. */
static const char *by_printf(double value)
{
    static char text[HS_FMT_MAX];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

/* Numbers of 1 to 17 digits with 0 to 8 decimals, and the doubles next to them. */
static void test_doubles_of_few_decimals(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        double value = (double)(hs_mix64(13, i) % (uint64_t)pow(10, (double)(i % 17 + 1)) + 1) /
                       pow(10, (double)(i / 17 % 9));
        assert_string_equal(real(value), by_printf(value));
        assert_string_equal(real(-value), by_printf(-value));
        assert_string_equal(real(nextafter(value, 0)), by_printf(nextafter(value, 0)));
        assert_string_equal(real(nextafter(value, 1e30)), by_printf(nextafter(value, 1e30)));
    }
    assert_string_equal(real(0.0001), "0.0001");
    assert_string_equal(real(0.000099), "9.9e-05");
}

/* Expected by `date -u -d @N '+%F %T'`; leap days, the ends of a day and of a year. */
static void test_dates(void **state)
{
    static const struct {
        int64_t s;
        const char *text;
    } cases[] = {
        {0, "1970-01-01 00:00:00"},          {86399, "1970-01-01 23:59:59"},
        {951782400, "2000-02-29 00:00:00"},  {951868800, "2000-03-01 00:00:00"},
        {1507532455, "2017-10-09 07:00:55"}, {1609459199, "2020-12-31 23:59:59"},
        {1709164800, "2024-02-29 00:00:00"}, {9007199254, "2255-06-05 23:47:34"}}; /* 2^53 us */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HS_FMT_MAX + 1];
        text[hs_fmt_datetime(text, cases[i].s * 1000000 + 999999)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

static void groups_of_three_digits(void **state)
{
    char text[HS_FMT_MAX];
    (void)state;
    assert_string_equal(hs_fmt_grouped(text, 0), "0");
    assert_string_equal(hs_fmt_grouped(text, 999), "999");
    assert_string_equal(hs_fmt_grouped(text, 1000), "1,000");
    assert_string_equal(hs_fmt_grouped(text, 1204567), "1,204,567");
    assert_string_equal(hs_fmt_grouped(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_three_digits),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integers_agree_with_printf),
        cmocka_unit_test(test_integers_at_the_joints),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_ratio_rounds_half_up),
        cmocka_unit_test(test_ratio_at_the_ends_of_64_bits),
        cmocka_unit_test(test_doubles_as_people_write_them),
        cmocka_unit_test(test_what_is_no_number_is_empty),
        cmocka_unit_test(test_doubles_read_back),
        cmocka_unit_test(test_doubles_of_few_decimals),
        cmocka_unit_test(test_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
