/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals over runs, by hand with quantiles from a printed table of Student's t.
 */
#include "report/replicated.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/tquantile.h"

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

/* 2 4 6: mean 4, squares 4+0+4, variance 8/2 = 4, 4.303 * sqrt(4/3) = 4.969. Every second value is
 * of another metric; NaN is no run. */
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

/* Ratios 2 and 8: geometric mean 4; the logarithms are ln 2 away from it, their deviation is
 * sqrt(2) ln 2, 12.706 * sqrt(2) ln 2 / sqrt(2) = 12.706 ln 2: a factor 2^12.706 either way. Pairs
 * are held against each other: the values of either policy alone differ a thousandfold. */
static void ratio_of_pairs(void **state)
{
    (void)state;
    static const double values[] = {2000, 8}, firsts[] = {1000, 1};
    struct hs_replicated ratio = hs_replicated_ratio(values, firsts, 1, 2);
    assert_int_equal(ratio.runs, 2);
    assert_near(ratio.value, 4, 1e-12);
    assert_near(log2(ratio.high / 4), 12.706, 1e-3);
    assert_near(log2(4 / ratio.low), 12.706, 1e-3);
}

static void ratio_of_one_pair_is_exact(void **state)
{
    (void)state;
    static const double value = 0.7, first = 0.1;
    struct hs_replicated ratio = hs_replicated_ratio(&value, &first, 1, 1);
    assert_true(ratio.value == 0.7 / 0.1 && isnan(ratio.low) && isnan(ratio.high));
}

/* Against 0, or where one of a pair is missing, there is no ratio; 0 against something is 0. */
static void what_has_no_ratio(void **state)
{
    (void)state;
    static const double some[] = {1, 2}, zero[] = {1, 0}, absent[] = {NONE, 2}, minus[] = {1, -2};
    assert_true(isnan(hs_replicated_ratio(some, zero, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(some, absent, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(absent, some, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(minus, some, 1, 2).value));
    assert_true(isnan(hs_replicated_ratio(some, minus, 1, 2).value));
    struct hs_replicated ratio = hs_replicated_ratio(zero, some, 1, 2);
    assert_true(ratio.value == 0 && isnan(ratio.low) && isnan(ratio.high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_students_t), cmocka_unit_test(mean_of_three),
        cmocka_unit_test(one_run_has_no_interval), cmocka_unit_test(equal_runs_have_no_spread),
        cmocka_unit_test(ratio_of_pairs),          cmocka_unit_test(ratio_of_one_pair_is_exact),
        cmocka_unit_test(what_has_no_ratio),
    };
    return cmocka_run_group_tests_name("replicated", tests, NULL, NULL);
}
