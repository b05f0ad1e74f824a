/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dates, durations, sizes. Seconds of dates are those of POSIX time, known from elsewhere.
 */
#include "base/timeparse.h"

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
    return hs_parse_datetime_us(text, strlen(text), &us) ? us : REFUSED;
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

/* Day after day over 800 years: each is one day later than the one before. */
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

/* Naive: whatever the zone says, the digits count (traces.md: PST and PDT in Philly's files). */
static void test_zones_are_accepted_and_ignored(void **state)
{
    const int64_t expected = 1507532953 * SECOND; /* 2017-10-09 is day 17448; + 7:09:13 */
    (void)state;
    assert_true(date("2017-10-09 07:09:13") == expected);
    assert_true(date("2017-10-09T07:09:13") == expected);
    assert_true(date("2017-10-09T07:09:13Z") == expected);
    assert_true(date("2017-10-09 07:09:13 PST") == expected);
    assert_true(date("2017-10-09 07:09:13 PDT") == expected);
    assert_true(date("2017-10-09 07:09:13+08:00") == expected);
    assert_true(date("2017-10-09T07:09:13.0-07:30") == expected);
}

static void test_what_is_no_date(void **state)
{
    static const char *const texts[] = {"",
                                        "2017-10-09",
                                        "2017-10-09 07:09",
                                        "2017-10-09 07:09:1",
                                        "2017-10-09 24:00:00",
                                        "2017-10-09 23:60:00",
                                        "2017-10-09 23:59:60",
                                        "2017-13-09 07:09:13",
                                        "2017-00-09 07:09:13",
                                        "2017-10-00 07:09:13",
                                        "2017-10-32 07:09:13",
                                        "0000-10-09 07:09:13",
                                        "2017/10/09 07:09:13",
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

/* "2017-11-05 01:30:00" happened twice in Los Angeles; here it is one number, in every zone. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_dates),
        cmocka_unit_test(test_leap_years),
        cmocka_unit_test(test_every_day_follows_the_one_before),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_zones_are_accepted_and_ignored),
        cmocka_unit_test(test_what_is_no_date),
        cmocka_unit_test(test_the_zone_of_the_host_does_not_matter),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_what_is_no_duration),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
