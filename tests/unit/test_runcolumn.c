/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/runcolumn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define NONE ((double)NAN)

static void expect_text(const char *metric, double value, const char *expected)
{
    char text[HS_COLUMN_TEXT_SIZE];
    const struct hs_runcolumn column = hs_runcolumn_of(metric);
    hs_runcolumn_text(&column, value, text);
    assert_string_equal(text, expected);
}

static void figures_by_kind(void **state)
{
    (void)state;
    expect_text("p95_wait", 46142.17, "12.82 h"); /* 46142.17 / 3600 = 12.817 */
    expect_text("makespan_bound_longest", 2, "2.0 s");
    expect_text("gpu_utilization_sum_loaded", 0.3449, "34.5 %");
    expect_text("makespan_bound_share", 1, "100.0 %");
    expect_text("p50_run_slowdown", 1.256, "1.26");
    expect_text("max_slowdown", 12345678, "1.23e+07");
    expect_text("ooms", 12345678, "12345678");
    expect_text("ooms", 2.0 / 3, "0.6667");
    expect_text("mean_jct", NONE, "-");
    expect_text("p50_time_to_progress", 0.5, "0.5 s");
}

static void which_way_is_better(void **state)
{
    (void)state;
    assert_int_equal(hs_runcolumn_of("mean_bounded_slowdown").best, HS_BEST_LEAST);
    assert_int_equal(hs_runcolumn_of("fairness_jain").best, HS_BEST_MOST);
    assert_int_equal(hs_runcolumn_of("mean_jct_bound_share").best, HS_BEST_MOST);
    assert_int_equal(hs_runcolumn_of("mean_jct_bound").best, HS_BEST_NONE);
    assert_int_equal(hs_runcolumn_of("n_jobs").best, HS_BEST_NONE);
    assert_int_equal(hs_runcolumn_of("p95_time_to_progress").best, HS_BEST_LEAST);
    assert_int_equal(hs_runcolumn_of("switches").best, HS_BEST_NONE);
    assert_true(hs_runcolumn_of("max_run_slowdown").is_of_sharing);
    assert_false(hs_runcolumn_of("max_slowdown").is_of_sharing);
    assert_string_equal(hs_runcolumn_of("p99_jct").title, "p99 JCT");
    assert_string_equal(hs_runcolumn_of("p95_jct").title, "p95_jct");
}

static void expect_ratio(double ratio, double low, double high, const char *expected)
{
    char text[HS_COLUMN_TEXT_SIZE];
    hs_runcolumn_ratio_text(ratio, low, high, text);
    assert_string_equal(text, expected);
}

static void ratios_have_three_digits(void **state)
{
    (void)state;
    expect_ratio(0.08740, NONE, NONE, "0.0874x");
    expect_ratio(1, NONE, NONE, "1.00x");
    expect_ratio(99.949, NONE, NONE, "99.9x");
    expect_ratio(99.96, NONE, NONE, "100x");
    expect_ratio(12345, NONE, NONE, "12345x");
    expect_ratio(1e300, NONE, NONE, "1e+300x");
    expect_ratio(0.5, 0.4, 0.625, "0.500x 0.400-0.625");
    expect_ratio(0.5, 0.5, 0.5, "0.500x");
    expect_ratio(NONE, NONE, NONE, "");
}

static void spreads_are_shares_of_the_mean(void **state)
{
    (void)state;
    char text[HS_COLUMN_TEXT_SIZE];
    hs_runcolumn_spread_text(200, 190, 210, text);
    assert_string_equal(text, "+-5.0%");
    hs_runcolumn_spread_text(-200, -210, -190, text);
    assert_string_equal(text, "+-5.0%");
    hs_runcolumn_spread_text(1, -12344, 12346, text);
    assert_string_equal(text, "+-1.23e+06%");
    hs_runcolumn_spread_text(200, 200, 200, text);
    assert_string_equal(text, "");
    hs_runcolumn_spread_text(200, NONE, NONE, text);
    assert_string_equal(text, "");
    hs_runcolumn_spread_text(0, -1, 1, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_by_kind),
        cmocka_unit_test(which_way_is_better),
        cmocka_unit_test(ratios_have_three_digits),
        cmocka_unit_test(spreads_are_shares_of_the_mean),
    };
    return cmocka_run_group_tests_name("runcolumn", tests, NULL, NULL);
}
