/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear programs: those solved by hand in the comments, and all cases without a solution.
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

/* Least 2 x + 3 y with x + y = 10 and x between 2 and 6: x as large as possible, 6 and 4, 24. */
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

/* The least of two jobs that share one machine, with speeds 1 and 3: t = x = 3 y with x + y = 1, so
 * that t = 3/4. A row without bounds has no effect. */
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

/* The optimum is two corners away from the start: one iteration is not enough. */
static void test_iteration_limit(void **state)
{
    (void)state;
    build_corners();
    assert_int_equal(hs_lp_solve(lp, 1), HS_LP_LIMIT);
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
}

/* A duplicate factor is a fatal error of the library; the next program is still solved. */
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

/* 8 x + 11 y + 6 z + 4 w with 5 x + 7 y + 4 z + 3 w <= 14, each 0 or 1: y, z and w, 21, weigh 14; x
 * and y 12 and are 19; x, z and w 12 and 18; x and y with half of z, 22, is the relaxed optimum. */
static void build_knapsack(void)
{
    static const double values[] = {8, 11, 6, 4};
    hs_lp_begin(lp, true);
    for (uint32_t i = 0; i < 4; i++)
        hs_lp_binary(lp, hs_lp_column(lp, values[i]));
    (void)row(-INFINITY, 14, 4, (double[]){5, 7, 4, 3});
}

/* One column a GPU: sum of speeds of 4 res18 and 4 gnmt on 24 CPUs (S1 of Synergy): 5 CPUs each, 4
 * x 1.53 + 4 = 10.12. Cells of 3, 4, 5, 6, 9 CPUs; gnmt has 1 CPU. */
static void test_integers(void **state)
{
    (void)state;
    build_knapsack();
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t i = 0; i < 4; i++)
        assert_near(hs_lp_value(lp, i), i > 0);
    build_knapsack();
    (void)row(22, INFINITY, 4, (double[]){8, 11, 6, 4}); /* above 21, not above 22 */
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_INFEASIBLE);

    static const double cpus[] = {3, 4, 5, 6, 9}, speeds[] = {1, 1.3, 1.53, 1.75, 2.4};
    hs_lp_begin(lp, true);
    const uint32_t total = hs_lp_row(lp, -INFINITY, 24 - 4);
    double sum = 4;
    for (uint32_t job = 0; job < 4; job++) {
        const uint32_t one = hs_lp_row(lp, 1, 1);
        for (uint32_t cell = 0; cell < 5; cell++) {
            const uint32_t column = hs_lp_column(lp, speeds[cell]);
            hs_lp_binary(lp, column);
            hs_lp_set(lp, one, column, 1);
            hs_lp_set(lp, total, column, cpus[cell]);
        }
    }
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t column = 0; column < 20; column++)
        sum += speeds[column % 5] * hs_lp_value(lp, column);
    assert_near(sum, 10.12);
}

/* 7 of 15 columns that weigh 2 fit into 15, for 14 and some thousandths; half a column more would
 * be worth 1 beyond that, so the bound prunes no set of less than 7 columns: C(15, 7) = 6,435 sets
 * are visited. The relaxed program takes at most a pivot a column. */
static void test_limit_of_subproblems(void **state)
{
    (void)state;
    hs_lp_begin(lp, true);
    const uint32_t total = hs_lp_row(lp, -INFINITY, 15);
    for (uint32_t i = 0; i < 15; i++) {
        hs_lp_binary(lp, hs_lp_column(lp, 2 + i * 0.001));
        hs_lp_set(lp, total, i, 2);
    }
    assert_int_equal(hs_lp_solve(lp, 1000), HS_LP_LIMIT);
    hs_lp_gap(lp, .1); /* the bound is 15.1, the first set of seven 14 or more: 8 % */
    assert_int_equal(hs_lp_solve(lp, 1000), HS_LP_OPTIMAL);
}

/* A program after an integer program has no integer columns. */
static void test_integers_are_forgotten(void **state)
{
    build_knapsack();
    assert_int_equal(hs_lp_solve(lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    test_maximum(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_minimum_with_equation_and_range),
        cmocka_unit_test(test_max_min),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_limit_of_subproblems),
        cmocka_unit_test(test_integers_are_forgotten),
        cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_iteration_limit),
        cmocka_unit_test(test_error_of_the_library),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, open_lp, close_lp);
}
