/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear programs: those that are solved by hand in the comments, and every way to have no
 * solution.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "horus/lp.h"

static struct hs_lp *lp;

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g, not %.17g", value, expected);
}

static int open_lp(void **state)
{
    (void)state;
    lp = hs_lp_open();
    return 0;
}

static int close_lp(void **state)
{
    (void)state;
    hs_lp_close(lp);
    return 0;
}

/* A row over the first columns. */
static uint32_t row(double lower, double upper, uint32_t count, const double *factors)
{
    uint32_t at = hs_lp_row(lp, lower, upper);
    for (uint32_t i = 0; i < count; i++)
        hs_lp_set(lp, at, i, factors[i]);
    return at;
}

/* Dantzig's example: 3 x + 5 y with x <= 4, 2 y <= 12, 3 x + 2 y <= 18. The corners are (0, 0),
 * (4, 0), (4, 3), (2, 6), (0, 6): 0, 12, 27, 36, 30. */
static void build_corners(void)
{
    hs_lp_begin(lp, true);
    (void)hs_lp_column(lp, 3);
    (void)hs_lp_column(lp, 5);
    (void)row(-INFINITY, 4, 2, (double[]){1, 0});
    (void)row(-INFINITY, 12, 2, (double[]){0, 2});
    (void)row(-INFINITY, 18, 2, (double[]){3, 2});
}

static void test_maximum(void **state)
{
    (void)state;
    build_corners();
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    assert_near(hs_lp_value(lp, 0), 2);
    assert_near(hs_lp_value(lp, 1), 6);
}

/* Least 2 x + 3 y with x + y = 10 and x between 2 and 6: as much x as may be, 6 and 4, 24. */
static void test_minimum_with_equation_and_range(void **state)
{
    (void)state;
    hs_lp_begin(lp, false);
    (void)hs_lp_column(lp, 2);
    (void)hs_lp_column(lp, 3);
    (void)row(10, 10, 2, (double[]){1, 1});
    (void)row(2, 6, 1, (double[]){1});
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    assert_near(hs_lp_value(lp, 0), 6);
    assert_near(hs_lp_value(lp, 1), 4);
}

/* The least of two that share one machine, which works for them at speeds 1 and 3: t = x = 3 y with
 * x + y = 1, so that t = 3/4. A row without bounds does nothing. */
static void test_max_min(void **state)
{
    (void)state;
    hs_lp_begin(lp, true);
    (void)hs_lp_column(lp, 0);
    (void)hs_lp_column(lp, 0);
    (void)hs_lp_column(lp, 1);
    (void)row(-INFINITY, 1, 2, (double[]){1, 1});
    (void)row(0, INFINITY, 3, (double[]){1, 0, -1});
    (void)row(0, INFINITY, 3, (double[]){0, 3, -1});
    (void)row(-INFINITY, INFINITY, 3, (double[]){1, 1, 1});
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    assert_near(hs_lp_value(lp, 0), 0.75);
    assert_near(hs_lp_value(lp, 1), 0.25);
}

static void test_no_solution(void **state)
{
    (void)state;
    hs_lp_begin(lp, true); /* x >= 2 and x <= 1 */
    (void)hs_lp_column(lp, 1);
    (void)row(2, INFINITY, 1, (double[]){1});
    (void)row(-INFINITY, 1, 1, (double[]){1});
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_INFEASIBLE);
    hs_lp_begin(lp, true); /* the largest x - y with y <= 1 */
    (void)hs_lp_column(lp, 1);
    (void)hs_lp_column(lp, -1);
    (void)row(-INFINITY, 1, 2, (double[]){0, 1});
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_UNBOUNDED);
}

/* Two corners away from the start: one iteration is not enough. */
static void test_iteration_limit(void **state)
{
    (void)state;
    build_corners();
    assert_int_equal(hs_lp_solve(lp, 1), HS_LP_LIMIT);
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
}

/* A factor that is given twice is a fatal error of the library; the next program is solved. */
static void test_error_of_the_library(void **state)
{
    (void)state;
    build_corners();
    hs_lp_set(lp, 0, 0, 1);
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_FAILED);
    build_corners();
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    assert_near(hs_lp_value(lp, 1), 6);
}

static void test_empty(void **state)
{
    (void)state;
    hs_lp_begin(lp, true);
    (void)hs_lp_column(lp, -1);
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    assert_near(hs_lp_value(lp, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_minimum_with_equation_and_range),
        cmocka_unit_test(test_max_min),
        cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_iteration_limit),
        cmocka_unit_test(test_error_of_the_library),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, open_lp, close_lp);
}
