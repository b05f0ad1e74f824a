/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scales and marks of axes; every expectation is read off the definition.
 */
#include "report/scale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void places_on_both_kinds_of_scale(void **state)
{
    (void)state;
    const struct hs_scale even = {.from = 10, .to = 20, .at_from = 100, .at_to = 0};
    assert_near(hs_scale_at(&even, 12.5), 75); /* a quarter of the way from 100 down to 0 */
    assert_near(hs_scale_at(&even, 9), 100);
    assert_near(hs_scale_at(&even, 21), 0);
    assert_near(hs_scale_value(&even, 75), 12.5);

    const struct hs_scale log = {.from = 1, .to = 100, .at_from = 0, .at_to = 10, .is_log = true};
    assert_near(hs_scale_at(&log, 10), 5); /* one of two decades */
    assert_near(hs_scale_at(&log, 0), 0);  /* below the axis */
    assert_near(hs_scale_value(&log, 5), 10);
}

static void expect_ticks(double from, double to, bool is_log, enum hs_axis axis, uint32_t wanted,
                         const char *expected)
{
    const struct hs_scale scale = {.from = from, .to = to, .at_to = 1, .is_log = is_log};
    struct hs_tick ticks[HS_TICKS_MAX];
    char text[HS_TICKS_MAX * (HS_TICK_LABEL_SIZE + 1)] = "";
    size_t len = 0;
    const uint32_t count = hs_scale_ticks(&scale, axis, wanted, ticks);
    assert_true(count <= wanted);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(ticks[i].value >= from * (1 - 1e-6) && ticks[i].value <= to * (1 + 1e-6));
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? "|" : "",
                                ticks[i].label);
    }
    assert_string_equal(text, expected);
}

static void even_marks(void **state)
{
    (void)state;
    /* steps of at least 100/5 = 20 */
    expect_ticks(0, 100, false, HS_AXIS_PLAIN, 6, "0|20|40|60|80|100");
    /* at least 128/3 = 42.7: the next of 1, 2, 5 is 50 */
    expect_ticks(0, 128, false, HS_AXIS_PLAIN, 4, "0|50|100");
    expect_ticks(0, 1, false, HS_AXIS_SHARE, 6, "0 %|20 %|40 %|60 %|80 %|100 %");
    expect_ticks(-3, 3, false, HS_AXIS_PLAIN, 4, "-2|0|2");
    expect_ticks(0, 25000, false, HS_AXIS_PLAIN, 4, "0|10k|20k");
}

static void marks_of_time(void **state)
{
    (void)state;
    /* 469194/9 = 52133 s: the next step of clocks and calendars is a day */
    expect_ticks(0, 469194, false, HS_AXIS_TIME, 10, "0|1 d|2 d|3 d|4 d|5 d");
    expect_ticks(0, 4000, false, HS_AXIS_TIME, 6, "0|15 min|30 min|45 min|60 min");
    expect_ticks(0, 7, false, HS_AXIS_TIME, 8, "0|1 s|2 s|3 s|4 s|5 s|6 s|7 s");
    expect_ticks(0, 0.004, false, HS_AXIS_TIME, 5, "0|0.001 s|0.002 s|0.003 s|0.004 s");
}

static void marks_of_logarithms(void **state)
{
    (void)state;
    expect_ticks(1, 1000, true, HS_AXIS_PLAIN, 6, "1|10|100|1k");
    expect_ticks(0.5, 20, true, HS_AXIS_PLAIN, 9, "0.5|1|2|5|10|20");
    /* 9 decades on 5 marks: every second */
    expect_ticks(1, 1e8, true, HS_AXIS_PLAIN, 5, "1|100|10k|1M|100M");
    expect_ticks(1, 86400, true, HS_AXIS_TIME, 8, "1 s|10 s|1 min|10 min|1 h|6 h|1 d");
    /* seven of them are too many for six */
    expect_ticks(1, 86400, true, HS_AXIS_TIME, 6, "1 s|1 min|1 h|1 d");
    expect_ticks(2, 40, true, HS_AXIS_TIME, 9, "2 s|5 s|10 s|15 s|30 s");
}

static void short_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},         {950, "950"},    {999.4, "999"}, {999.5, "1k"},
                 {12345, "12.3k"}, {3.4e6, "3.4M"}, {0.25, "0.25"}, {-2000, "-2k"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HS_TICK_LABEL_SIZE];
        hs_short_number(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_on_both_kinds_of_scale),
        cmocka_unit_test(even_marks),
        cmocka_unit_test(marks_of_time),
        cmocka_unit_test(marks_of_logarithms),
        cmocka_unit_test(short_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
