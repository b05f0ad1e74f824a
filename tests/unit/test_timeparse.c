/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dates, durations, sizes and numbers.
 */
#include "base/fmt.h"
#include "base/rng.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define SECOND  INT64_C(1000000)
#define REFUSED INT64_C(-77777)

static int64_t date(const char *text)
{
    int64_t us;
    return hs_parse_datetime_us(text, strlen(text), &us, NULL) ? us : REFUSED;
}

static int64_t duration(const char *text)
{
    int64_t us;
    return hs_parse_duration_us(text, strlen(text), &us) ? us : REFUSED;
}

static int64_t size(const char *text)
{
    int64_t mib;
    return hs_parse_size_mib(text, strlen(text), &mib) ? mib : REFUSED;
}

static void test_known_dates(void **state)
{
    (void)state;
    assert_true(date("1970-01-01 00:00:00") == 0);
    assert_true(date("2001-09-09 01:46:40") == 1000000000 * SECOND);
    assert_true(date("2009-02-13 23:31:30") == 1234567890 * SECOND);
    assert_true(date("2038-01-19 03:14:07") == INT32_MAX * SECOND);
    assert_true(date("1969-12-31 23:59:59") == -SECOND);
    /* NTP counts from 1900: 2208988800 s before 1970 (RFC 5905, fig. 4). */
    assert_true(date("1900-01-01 00:00:00") == -INT64_C(2208988800) * SECOND);
    /* Ends of the range of four digits: 0001-01-01 is 719162 days before 1970 (365 x 1969 +
     * 1969 / 4 - 1969 / 100 + 1969 / 400 = 718685 + 492 - 19 + 4); 9999 ends 2932897 days after. */
    assert_true(date("0001-01-01 00:00:00") == -INT64_C(719162) * 86400 * SECOND);
    assert_true(date("9999-12-31 23:59:59") == (INT64_C(2932897) * 86400 - 1) * SECOND);
}

/* 2000 is a leap year (by 400), 1900 is not (by 100), 2016 is, 2017 is not. 951782400 is
 * 2000-02-29; 1900-03-01 is 59 days after the first of January; 1456704000 is 2016-02-29. */
static void test_leap_years(void **state)
{
    (void)state;
    assert_true(date("2000-02-29 00:00:00") == 951782400 * SECOND);
    assert_true(date("2000-03-01 00:00:00") == (951782400 + 86400) * SECOND);
    assert_true(date("1900-02-29 00:00:00") == REFUSED);
    assert_true(date("1900-03-01 00:00:00") == (-INT64_C(2208988800) + 59 * 86400) * SECOND);
    assert_true(date("2016-02-29 00:00:00") == 1456704000 * SECOND);
    assert_true(date("2016-12-31 00:00:00") == (1451606400 + 365 * INT64_C(86400)) * SECOND);
    assert_true(date("2017-02-29 00:00:00") == REFUSED);
}

/* Each day of 800 years is one day later than the one before. */
static void test_every_day_follows_the_one_before(void **state)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t last = date("1599-12-31 00:00:00");
    char text[64];
    (void)state;
    for (int year = 1600; year < 2400; year++) {
        for (int month = 1; month <= 12; month++) {
            bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            int days = lengths[month - 1] + (month == 2 && is_leap);
            for (int day = 1; day <= days; day++) {
                snprintf(text, sizeof text, "%04d-%02d-%02d 00:00:00", year, month, day);
                int64_t us = date(text);
                assert_true(us - last == 86400 * SECOND);
                last = us;
            }
            snprintf(text, sizeof text, "%04d-%02d-%02d 00:00:00", year, month, days + 1);
            assert_true(date(text) == REFUSED);
        }
    }
}

/* 2001-09-09 01:46:40 is 10^9 s after 1970 (see above): forms without seconds and with slashes. */
static void test_other_forms(void **state)
{
    (void)state;
    assert_true(date("2001/09/09 01:46:40") == 1000000000 * SECOND);
    assert_true(date("2001/09/09T01:46") == (1000000000 - 40) * SECOND);
    assert_true(date("2001-09-09 01:46Z") == (1000000000 - 40) * SECOND);
    assert_true(date("2001-09-09 02:46 +01:00") == (1000000000 - 40) * SECOND);
    assert_true(date("2001-09-09+01:00") == (1000000000 - 3600 - 46 * 60 - 40 - 3600) * SECOND);
    assert_true(date("2001-09-09 01:46:4") == REFUSED);
    assert_true(date("2001-09-09 01:46 PM") == REFUSED);
    assert_true(date("2001-09-09 01:60") == REFUSED);
}

static void test_fractions(void **state)
{
    (void)state;
    assert_true(date("1970-01-01 00:00:01.5") == 1500000);
    assert_true(date("1970-01-01 00:00:00.000001") == 1);
    assert_true(date("1970-01-01 00:00:00.0000005") == 1);
    assert_true(date("1970-01-01 00:00:00.00000049999") == 0);
    assert_true(date("1970-01-01 00:00:00.9999999") == SECOND);
    assert_true(date("1969-12-31 23:59:59.25") == -750000);
    assert_true(date("1970-01-01 00:00:00.") == REFUSED);
}

/* Local time less the offset is UTC: PST is UTC - 8 h, PDT UTC - 7 h. */
static void test_zones(void **state)
{
    const int64_t expected = 1507532953 * SECOND; /* 2017-10-09 is day 17448; + 7:09:13 */
    const int64_t hour = 3600 * SECOND;
    (void)state;
    assert_true(date("2017-10-09") == 17448 * 24 * hour);
    assert_true(date("2017-10-09 07:09:13") == expected);
    assert_true(date("2017-10-09T07:09:13") == expected);
    assert_true(date("2017-10-09T07:09:13Z") == expected);
    assert_true(date("2017-10-09 07:09:13 PST") == expected + 8 * hour);
    assert_true(date("2017-10-09 07:09:13 PDT") == expected + 7 * hour);
    assert_true(date("2017-10-09 07:09:13 UTC") == expected);
    assert_true(date("2017-10-09 07:09:13+08:00") == expected - 8 * hour);
    assert_true(date("2017-10-09 07:09:13 +0800") == expected - 8 * hour);
    assert_true(date("2017-10-09 07:09:13+08") == expected - 8 * hour);
    assert_true(date("2017-10-09T07:09:13.0-07:30") == expected + 7 * hour + hour / 2);
}

static void test_what_is_no_date(void **state)
{
    static const char *const texts[] = {"",
                                        "2017-10-0",
                                        "2017-10-09 07:09:1",
                                        "2017-10-09 24:00:00",
                                        "2017-10-09 23:60:00",
                                        "2017-10-09 23:59:60",
                                        "2017-13-09 07:09:13",
                                        "2017-00-09 07:09:13",
                                        "2017-10-00 07:09:13",
                                        "2017-10-32 07:09:13",
                                        "0000-10-09 07:09:13",
                                        "2017/10-09 07:09:13",
                                        "2017-10-09_07:09:13",
                                        "2017-10-09 07-09-13",
                                        " 2017-10-09 07:09:13",
                                        "2017-10-09 07:09:13 ",
                                        "2017-10-09 07:09:13 CET",
                                        "2017-10-09 07:09:13+8:00",
                                        "2017-10-09 07:09:13+24:00",
                                        "2017-10-09 07:09:13+08:60",
                                        "2017-10-09 07:09:13+08.00",
                                        "2017-10-09 07:09:13.5x",
                                        "2o17-10-09 07:09:13",
                                        "2017-1O-09 07:09:13",
                                        "2017-10-O9 07:09:13",
                                        "2017-10-09 O7:09:13",
                                        "2017-10-09 07:O9:13",
                                        "2017-10-09 07:09:1E",
                                        "-017-10-09 07:09:13"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(date(texts[i]) == REFUSED);
}

/* "2017-11-05 01:30:00" occurred twice in Los Angeles; here it is one number, in every zone. */
static void test_the_zone_of_the_host_does_not_matter(void **state)
{
    static const char *const zones[] = {"UTC0", "America/Los_Angeles", "Asia/Shanghai",
                                        "XYZ-13:37"};
    (void)state;
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        setenv("TZ", zones[i], 1);
        tzset();
        assert_true(date("2017-11-05 01:30:00") == 1509845400 * SECOND);
    }
}

static void test_durations(void **state)
{
    (void)state;
    assert_true(duration("90s") == 90 * SECOND);
    assert_true(duration("90") == 90 * SECOND);
    assert_true(duration("15min") == 900 * SECOND);
    assert_true(duration("15m") == 900 * SECOND);
    assert_true(duration("2h") == 7200 * SECOND);
    assert_true(duration("7d") == 604800 * SECOND);
    assert_true(duration("250ms") == 250000);
    assert_true(duration("100us") == 100);
    assert_true(duration("1.5h") == 5400 * SECOND);
    assert_true(duration("1e3s") == 1000 * SECOND);
    assert_true(duration("1e3") == 1000 * SECOND);
    assert_true(duration("-1s") == -SECOND);
    assert_true(duration("0.0000005d") == 43200);
}

static void test_what_is_no_duration(void **state)
{
    static const char *const texts[] = {"",   "s",    "h2", "1w",  "1 h",  "1H",         "1h30min",
                                        "1e", "1es2", "-",  "1ns", "1sec", "1000000000d"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(duration(texts[i]) == REFUSED);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_true(size("512") == 512);
    assert_true(size("512MiB") == 512);
    assert_true(size("512MB") == 512);
    assert_true(size("16GiB") == 16384);
    assert_true(size("16GB") == 16384);
    assert_true(size("1.5GiB") == 1536);
    assert_true(size("2TiB") == 2097152);
    assert_true(size("1TB") == 1048576);
    assert_true(size("0") == 0);
    assert_true(size("-1") == REFUSED);
    assert_true(size("16gb") == REFUSED);
    assert_true(size("16KiB") == REFUSED);
    assert_true(size("GiB") == REFUSED);
    assert_true(size("") == REFUSED);
}

#define SECOND INT64_C(1000000)

/* A value that no test expects. */
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

/* No terminator is needed, and no byte beyond len is read. */
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

/* The output of hs_fmt_seconds reads back to the microsecond. */
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
        cmocka_unit_test(test_known_dates),
        cmocka_unit_test(test_leap_years),
        cmocka_unit_test(test_every_day_follows_the_one_before),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_what_is_no_date),
        cmocka_unit_test(test_the_zone_of_the_host_does_not_matter),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_what_is_no_duration),
        cmocka_unit_test(test_sizes),
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
