/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers of base/timeparse.h: exact, and nothing but numbers.
 */
#include "base/timeparse.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/fmt.h"
#include "base/rng.h"

#define SECOND INT64_C(1000000)

/* A value no test expects. */
#define REFUSED INT64_C(-77777)

static int64_t decimal(const char *text, int64_t unit_us)
{
    int64_t us = REFUSED;
    bool is_taken = hs_parse_decimal_us(text, strlen(text), unit_us, &us);
    return is_taken ? us : REFUSED;
}

static void test_decimal_plain(void **state)
{
    (void)state;
    assert_true(decimal("0", SECOND) == 0);
    assert_true(decimal("-0", SECOND) == 0);
    assert_true(decimal("12", SECOND) == 12000000);
    assert_true(decimal("-3", SECOND) == -3000000);
    assert_true(decimal("12.5", SECOND) == 12500000);
    assert_true(decimal("12.", SECOND) == 12000000);
    assert_true(decimal(".5", SECOND) == 500000);
    assert_true(decimal("0.000001", SECOND) == 1);
    assert_true(decimal("-0.000001", SECOND) == -1);
    assert_true(decimal("007", SECOND) == 7000000);
    assert_true(decimal("1.5", 1) == 2);
    assert_true(decimal("1.25", 60 * SECOND) == 75000000);
}

static void test_decimal_exponents(void **state)
{
    (void)state;
    assert_true(decimal("1e3", SECOND) == 1000 * SECOND);
    assert_true(decimal("1E+3", SECOND) == 1000 * SECOND);
    assert_true(decimal("1.5e-3", SECOND) == 1500);
    assert_true(decimal("1e-05", SECOND) == 10);
    assert_true(decimal("12345.678e-3", SECOND) == 12345678);
    assert_true(decimal("0.000012e6", SECOND) == 12 * SECOND);
    assert_true(decimal("1e-99999999999999999999", SECOND) == 0);
    assert_true(decimal("0e99999999999999999999", SECOND) == 0);
    assert_true(decimal("0.0e5", SECOND) == 0);
    assert_true(decimal("1e99999999999999999999", SECOND) == REFUSED);
}

/* Half up: 0.5 -> 1, -0.5 -> 0, -1.5 -> -1; the smallest excess decides. */
static void test_decimal_rounds_half_up(void **state)
{
    (void)state;
    assert_true(decimal("0.0000005", SECOND) == 1);
    assert_true(decimal("0.0000015", SECOND) == 2);
    assert_true(decimal("-0.0000005", SECOND) == 0);
    assert_true(decimal("-0.0000015", SECOND) == -1);
    assert_true(decimal("-0.00000150000000000000000000000000001", SECOND) == -2);
    assert_true(decimal("0.00000049999999999999999999999999999", SECOND) == 0);
    assert_true(decimal("0.00000050000000000000000000000000001", SECOND) == 1);
    assert_true(decimal("0.5e-6", SECOND) == 1);
    assert_true(decimal("0.4999999e-6", SECOND) == 0);
    /* Short text, unit 6 us: 0.25 x 6 = 1.5 -> 2, and -1. */
    assert_true(decimal("0.25", 6) == 2);
    assert_true(decimal("-0.25", 6) == -1);
}

/* Units that are no power of ten, digits beyond the 18 that are multiplied: 3 x 0.1666.. is
 * 0.4999.. for any number of sixes, and more than 1/2 with a final 7. */
static void test_decimal_decides_on_digits_of_any_number(void **state)
{
    (void)state;
    assert_true(decimal("0.1666666666666666666666666666666", 3) == 0);
    assert_true(decimal("0.1666666666666666666666666666667", 3) == 1);
    assert_true(decimal("0.50000000000000000000000000000000", 3) == 2); /* 1.5 */
    assert_true(decimal("-0.50000000000000000000000000000000", 3) == -1);
    /* 0.0714285714285714285.. = 1/14: x 7 = 1/2; the period is 714285. */
    assert_true(decimal("0.0714285714285714285714285714285", 7) == 0);
    assert_true(decimal("0.0714285714285714285714285714286", 7) == 1);
}

/* INT64_MAX us = 9223372036854.775807 s. */
static void test_decimal_range(void **state)
{
    (void)state;
    assert_true(decimal("9223372036854.775807", SECOND) == INT64_MAX);
    assert_true(decimal("-9223372036854.775807", SECOND) == -INT64_MAX);
    assert_true(decimal("9223372036854.7758074999", SECOND) == INT64_MAX);
    assert_true(decimal("9223372036854.7758075", SECOND) == REFUSED);
    assert_true(decimal("9223372036854.775808", SECOND) == REFUSED);
    assert_true(decimal("9223372036854775807", 1) == INT64_MAX);
    assert_true(decimal("9223372036854775808", 1) == REFUSED);
    assert_true(decimal("100000000000000000000", 1) == REFUSED);
    assert_true(decimal("000000000000000000000000000000000000001", SECOND) == SECOND);
    assert_true(decimal("999999999999999999", 86400 * SECOND) == REFUSED);
}

static void test_what_is_no_decimal(void **state)
{
    static const char *const texts[] = {"",      "-",     ".",   "-.",   "+1",      " 1",  "1 ",
                                        "1,5",   "1.2.3", "e3",  "1e",   "1e+",     "1e-", "1e.5",
                                        "1e3.0", "0x10",  "inf", "nan",  "--1",     "1-",  "1_0",
                                        "NaN",   "12a",   "a12", "1e3x", "\xc2\xb2"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double real;
        int64_t integer;
        assert_true(decimal(texts[i], SECOND) == REFUSED);
        assert_false(hs_parse_double(texts[i], strlen(texts[i]), &real));
        assert_false(hs_parse_int64(texts[i], strlen(texts[i]), &integer));
    }
}

/* No terminator is needed, and nothing behind len is read. */
static void test_length_is_respected(void **state)
{
    int64_t value;
    double real;
    (void)state;
    assert_true(hs_parse_decimal_us("12345", 2, SECOND, &value) && value == 12 * SECOND);
    assert_true(hs_parse_decimal_us("1.5e3", 3, SECOND, &value) && value == 1500000);
    assert_true(hs_parse_int64("12345", 3, &value) && value == 123);
    assert_true(hs_parse_double("1.5e3", 3, &real) && real == 1.5);
}

/* What hs_fmt_seconds prints is read back to the microsecond. */
static void test_decimal_reads_what_fmt_writes(void **state)
{
    char text[HS_FMT_MAX];
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        int64_t us = (int64_t)hs_mix64(21, i) >> i % 63, back;
        size_t len = hs_fmt_seconds(text, us);
        assert_true(hs_parse_decimal_us(text, len, SECOND, &back) && back == us);
    }
}

static void test_int64(void **state)
{
    int64_t value;
    (void)state;
    assert_true(hs_parse_int64("0", 1, &value) && value == 0);
    assert_true(hs_parse_int64("-0", 2, &value) && value == 0);
    assert_true(hs_parse_int64("9223372036854775807", 19, &value) && value == INT64_MAX);
    assert_true(hs_parse_int64("-9223372036854775808", 20, &value) && value == INT64_MIN);
    assert_true(hs_parse_int64("-1", 2, &value) && value == -1);
    assert_false(hs_parse_int64("9223372036854775808", 19, &value));
    assert_false(hs_parse_int64("-9223372036854775809", 20, &value));
    assert_false(hs_parse_int64("18446744073709551616", 20, &value)); /* 2^64 */
    assert_false(hs_parse_int64("1.0", 3, &value));
}

static void test_double(void **state)
{
    double value;
    (void)state;
    assert_true(hs_parse_double("0.1", 3, &value) && value == 0.1);
    assert_true(hs_parse_double("-1e-3", 5, &value) && value == -0.001);
    assert_true(hs_parse_double("1.7976931348623157e308", 22, &value) && value == DBL_MAX);
    assert_true(hs_parse_double("1e-400", 6, &value) && value == 0);
    assert_false(hs_parse_double("1e309", 5, &value));
    char digits[2000];
    memset(digits, '1', sizeof digits);
    assert_false(hs_parse_double(digits, sizeof digits, &value));
    assert_true(hs_parse_double(digits, 5, &value) && value == 11111);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal_plain),
        cmocka_unit_test(test_decimal_exponents),
        cmocka_unit_test(test_decimal_rounds_half_up),
        cmocka_unit_test(test_decimal_decides_on_digits_of_any_number),
        cmocka_unit_test(test_decimal_range),
        cmocka_unit_test(test_what_is_no_decimal),
        cmocka_unit_test(test_length_is_respected),
        cmocka_unit_test(test_decimal_reads_what_fmt_writes),
        cmocka_unit_test(test_int64),
        cmocka_unit_test(test_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
