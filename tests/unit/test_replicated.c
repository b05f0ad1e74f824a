/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals over runs, by hand with quantiles from a printed table of Student's t.
 */
#include "report/run/run_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"

#define NONE ((double)NAN)

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

/* Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.10. */
static void quantiles_of_students_t(void **state)
{
    (void)state;
    assert_near(hs_t_quantile(0.975, 1), 12.706, 5e-4);
    assert_near(hs_t_quantile(0.975, 2), 4.303, 5e-4);
    assert_near(hs_t_quantile(0.975, 4), 2.776, 5e-4);
    assert_near(hs_t_quantile(0.975, 14), 2.145, 5e-4);
    assert_near(hs_t_quantile(0.975, 120), 1.980, 5e-4);
    assert_near(hs_t_quantile(0.025, 4), -2.776, 5e-4);
}

/* 2 4 6: mean 4, squares 4+0+4, variance 8/2 = 4, 4.303 * sqrt(4/3) = 4.969. Every second value
 * belongs to another metric; NaN is no run. */
static void mean_of_three(void **state)
{
    (void)state;
    static const double values[] = {2, 99, 4, 99, NONE, 99, 6, 99};
    struct hs_replicated mean = hs_replicated_mean(values, 2, 4);
    assert_int_equal(mean.runs, 3);
    assert_near(mean.value, 4, 0);
    assert_near(mean.low, 4 - 4.969, 1e-3);
    assert_near(mean.high, 4 + 4.969, 1e-3);
}

static void one_run_has_no_interval(void **state)
{
    (void)state;
    static const double values[] = {0.1, NONE};
    struct hs_replicated one = hs_replicated_mean(values, 1, 2), none;
    assert_near(one.value, 0.1, 0);
    assert_true(isnan(one.low) && isnan(one.high));
    assert_int_equal(one.runs, 1);
    none = hs_replicated_mean(values + 1, 1, 1);
    assert_true(isnan(none.value) && isnan(none.low) && none.runs == 0);
}

/* 0.1 three times is 0.1, not 0.3 / 3 = 0.10000000000000002. */
static void equal_runs_have_no_spread(void **state)
{
    (void)state;
    static const double values[] = {0.1, 0.1, 0.1}, firsts[] = {0.3, 0.3, 0.3};
    struct hs_replicated mean = hs_replicated_mean(values, 1, 3);
    assert_true(mean.value == 0.1 && mean.low == 0.1 && mean.high == 0.1);
    struct hs_replicated ratio = hs_replicated_ratio(values, firsts, 1, 3);
    assert_true(ratio.low == ratio.value && ratio.high == ratio.value);
    assert_near(ratio.value, 1.0 / 3, 1e-15);
}

/* 120 / 60 = 2; residuals 20-20, 44-40, 56-60, their squares 0+16+16 = 32; standard error sqrt(32 /
 * (3*2)) / 20 = 0.115470, 4.303 * 0.115470 = 0.49687. Every second value belongs to another
 * metric. */
static void ratio_of_pairs(void **state)
{
    (void)state;
    static const double values[] = {20, 7, 44, 7, 56, 7}, firsts[] = {10, 9, 20, 9, 30, 9};
    struct hs_replicated ratio = hs_replicated_ratio(values, firsts, 2, 3);
    assert_int_equal(ratio.runs, 3);
    assert_near(ratio.value, 2, 1e-12);
    assert_near(ratio.low, 2 - 0.49687, 1e-4);
    assert_near(ratio.high, 2 + 0.49687, 1e-4);
}

/* 30 / 20 = 1.5; residuals -15 and 15, standard error sqrt(450 / (2*1)) / 10 = 1.5, 12.706 * 1.5 =
 * 19.059: the lower end would be negative. */
static void a_value_of_0_is_one_of_them(void **state)
{
    (void)state;
    static const double values[] = {0, 30}, firsts[] = {10, 10};
    struct hs_replicated ratio = hs_replicated_ratio(values, firsts, 1, 2);
    assert_near(ratio.value, 1.5, 1e-12);
    assert_true(ratio.low == 0);
    assert_near(ratio.high, 1.5 + 19.059, 1e-3);
}

/* 15 / 10 = 1.5; residuals 5 and -5, standard error sqrt(50 / (2*1)) / 5 = 1. */
static void a_first_of_0_is_one_of_them(void **state)
{
    (void)state;
    static const double values[] = {5, 10}, firsts[] = {0, 10};
    struct hs_replicated ratio = hs_replicated_ratio(values, firsts, 1, 2);
    assert_near(ratio.value, 1.5, 1e-12);
    assert_true(ratio.low == 0);
    assert_near(ratio.high, 1.5 + 12.706, 1e-3);
}

/* 0 twice relative to something is 0, without uncertainty. */
static void all_values_0(void **state)
{
    (void)state;
    static const double zero[] = {0, 0}, some[] = {1, 2};
    struct hs_replicated ratio = hs_replicated_ratio(zero, some, 1, 2);
    assert_true(ratio.value == 0 && ratio.low == 0 && ratio.high == 0);
}

/* A seed's effect on both cancels: a third of values that differ a thousandfold, though 1/3 is no
 * double. */
static void proportional_pairs_have_no_spread(void **state)
{
    (void)state;
    static const double values[] = {0.1, 100, 7}, firsts[] = {0.3, 300, 21};
    struct hs_replicated ratio = hs_replicated_ratio(values, firsts, 1, 3);
    assert_near(ratio.value, 1.0 / 3, 1e-15);
    assert_true(ratio.low == ratio.value && ratio.high == ratio.value);
}

static void ratio_of_one_pair_is_exact(void **state)
{
    (void)state;
    static const double value = 0.7, first = 0.1;
    struct hs_replicated ratio = hs_replicated_ratio(&value, &first, 1, 1);
    assert_true(ratio.value == 0.7 / 0.1 && isnan(ratio.low) && isnan(ratio.high));
}

/* Relative to 0 alone, or if one of a pair is missing or negative, there is no ratio. */
static void what_has_no_ratio(void **state)
{
    (void)state;
    static const double some[] = {1, 2}, zero[] = {0, 0}, absent[] = {NONE, 2}, minus[] = {1, -2};
    assert_true(isnan(hs_replicated_ratio(some, zero, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(zero, zero, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(some, absent, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(absent, some, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(minus, some, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(some, minus, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(some, some, 1, 0).value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_students_t),
        cmocka_unit_test(mean_of_three),
        cmocka_unit_test(one_run_has_no_interval),
        cmocka_unit_test(equal_runs_have_no_spread),
        cmocka_unit_test(ratio_of_pairs),
        cmocka_unit_test(ratio_of_one_pair_is_exact),
        cmocka_unit_test(a_value_of_0_is_one_of_them),
        cmocka_unit_test(a_first_of_0_is_one_of_them),
        cmocka_unit_test(all_values_0),
        cmocka_unit_test(proportional_pairs_have_no_spread),
        cmocka_unit_test(what_has_no_ratio),
    };
    return cmocka_run_group_tests_name("replicated", tests, NULL, NULL);
}
