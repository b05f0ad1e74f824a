/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares: answers calculated by hand, and an error wherever the data does not determine the
 * answer.
 */
#include "calibrate/calibration.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/sink.h"

static void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g +- %g", found, wanted, tolerance);
}

/* The line through (0, 1), (1, 3), (2, 5) is 1 + 2 t. */
static const double line_x[] = {1, 0, 1, 1, 1, 2};
static const double line_y[] = {1, 3, 5};

static void test_a_line_is_found(void **state)
{
    struct sink sink;
    double beta[2];
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_ridge(line_x, line_y, 3, 2, NULL, beta, "line", &sink.diag), HS_OK);
    assert_near(beta[0], 1, 1e-12);
    assert_near(beta[1], 2, 1e-12);
}

/* y = b x, rows (1, 2) and (2, 3): X'X = 5, X'y = 8; with lambda 3 b = 8 / 8 = 1, without 8 / 5. */
static void test_lambdas_count(void **state)
{
    static const double x[] = {1, 2}, y[] = {2, 3}, lambdas[] = {3};
    struct sink sink;
    double beta;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_ridge(x, y, 2, 1, lambdas, &beta, "slope", &sink.diag), HS_OK);
    assert_near(beta, 1, 1e-14);
    assert_int_equal(hs_solve_ridge(x, y, 2, 1, NULL, &beta, "slope", &sink.diag), HS_OK);
    assert_near(beta, 8.0 / 5, 1e-14);
}

/* Two equal columns share the coefficient of one: X'X = [5 5; 5 5] + I, X'y = (8, 8), b = 8/11. */
static void test_a_ridge_term_makes_equal_columns_solvable(void **state)
{
    static const double x[] = {1, 1, 2, 2}, y[] = {2, 3}, lambdas[] = {1, 1};
    struct sink sink;
    double beta[2];
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_ridge(x, y, 2, 2, lambdas, beta, "twins", &sink.diag), HS_OK);
    assert_near(beta[0], 8.0 / 11, 1e-14);
    assert_near(beta[1], 8.0 / 11, 1e-14);
    assert_int_equal(hs_solve_ridge(x, y, 2, 2, NULL, beta, "twins", &sink.diag), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "twins: the data does not determine the 2 numbers"));
}

static void test_an_empty_column_or_no_row_is_singular(void **state)
{
    static const double x[] = {1, 0, 2, 0}, y[] = {2, 3};
    struct sink sink;
    double beta[2];
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_ridge(x, y, 2, 2, NULL, beta, "empty", &sink.diag), HS_E_INPUT);
    assert_int_equal(hs_solve_ridge(x, y, 0, 2, NULL, beta, "empty", &sink.diag), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 2);
}

static void test_numbers_that_are_not_finite_are_refused(void **state)
{
    const double y[] = {1, NAN, 5};
    struct sink sink;
    double beta[2];
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_ridge(line_x, y, 3, 2, NULL, beta, "line", &sink.diag), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "not finite"));
}

/* [4 2; 2 3] has the determinant 8; times (1, 2) it is (8, 8). */
static void test_positive_definite_system(void **state)
{
    double a[] = {4, 2, 2, 3}, x[2], log_det;
    static const double b[] = {8, 8};
    struct sink sink;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_spd(a, b, 2, x, &log_det, "kernel", &sink.diag), HS_OK);
    assert_near(x[0], 1, 1e-14);
    assert_near(x[1], 2, 1e-14);
    assert_near(log_det, log(8), 1e-14);
}

/* [1 2; 2 1] has the eigenvalue -1. */
static void test_an_indefinite_system_is_refused(void **state)
{
    double a[] = {1, 2, 2, 1}, x[2];
    static const double b[] = {1, 1};
    struct sink sink;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_solve_spd(a, b, 2, x, NULL, "kernel", &sink.diag), HS_E_INPUT);
}

/* Units must not matter: columns of 1e-9 and 1e9 are solved like columns of 1. */
static void test_scales_do_not_make_it_singular(void **state)
{
    double x[6];
    struct sink sink;
    double beta[2];
    (void)state;
    sink_init(&sink);
    for (int i = 0; i < 3; i++) {
        x[2 * i] = line_x[2 * i] * 1e-9;
        x[2 * i + 1] = line_x[2 * i + 1] * 1e9;
    }
    assert_int_equal(hs_solve_ridge(x, line_y, 3, 2, NULL, beta, "line", &sink.diag), HS_OK);
    assert_near(beta[0], 1e9, 1e-3);
    assert_near(beta[1], 2e-9, 1e-21);
}

/* y = p exp(-q t) at t = 0..n-1, made with p = 3, q = 0.5; t_step 0 puts every row at t = 0. */
struct decay {
    uint32_t rows;
    double t_step;
};

static void decay_at(void *ctx, const double *theta, double *f, double *j)
{
    const struct decay *d = ctx;
    for (uint32_t i = 0; i < d->rows; i++) {
        double t = d->t_step * i;
        if (f != NULL)
            f[i] = theta[0] * exp(-theta[1] * t) - 3 * exp(-0.5 * t);
        if (j == NULL)
            continue;
        j[2 * i] = exp(-theta[1] * t);
        j[2 * i + 1] = -t * theta[0] * exp(-theta[1] * t);
    }
}

static enum hs_status solve_decay(uint32_t rows, double t_step, uint32_t steps, double *theta,
                                  struct sink *sink)
{
    struct decay d = {rows, t_step};
    struct hs_nls nls = {rows, 2, decay_at, &d};
    sink_init(sink);
    return hs_solve_nls(&nls, theta, steps, "decay", &sink->diag);
}

static void test_a_curve_is_found(void **state)
{
    struct sink sink;
    double theta[] = {1, 0};
    (void)state;
    assert_int_equal(solve_decay(6, 1, 100, theta, &sink), HS_OK);
    assert_near(theta[0], 3, 1e-9);
    assert_near(theta[1], 0.5, 1e-9);
}

static void test_a_start_at_the_answer_stays_there(void **state)
{
    struct sink sink;
    double theta[] = {3, 0.5};
    (void)state;
    assert_int_equal(solve_decay(6, 1, 100, theta, &sink), HS_OK);
    assert_near(theta[0], 3, 1e-9);
    assert_near(theta[1], 0.5, 1e-9);
}

static void test_a_parameter_without_influence_is_refused(void **state)
{
    struct sink sink;
    double theta[] = {1, 0.25};
    (void)state;
    assert_int_equal(solve_decay(6, 0, 100, theta, &sink), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "decay: the data does not determine the 2 numbers"));
    assert_near(theta[0], 1, 0); /* unchanged */
    assert_near(theta[1], 0.25, 0);
}

static void test_fewer_rows_than_parameters_are_refused(void **state)
{
    struct sink sink;
    double theta[] = {1, 0};
    (void)state;
    assert_int_equal(solve_decay(1, 1, 100, theta, &sink), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
}

static void test_a_fit_that_does_not_end_is_refused(void **state)
{
    struct sink sink;
    double theta[] = {1, 0};
    (void)state;
    assert_int_equal(solve_decay(6, 1, 1, theta, &sink), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "no best fit found in 1 steps"));
}

static void test_residuals_that_are_not_finite_are_refused(void **state)
{
    struct sink sink;
    double theta[] = {NAN, 0};
    (void)state;
    assert_int_equal(solve_decay(6, 1, 100, theta, &sink), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "not finite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_is_found),
        cmocka_unit_test(test_lambdas_count),
        cmocka_unit_test(test_a_ridge_term_makes_equal_columns_solvable),
        cmocka_unit_test(test_an_empty_column_or_no_row_is_singular),
        cmocka_unit_test(test_numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(test_positive_definite_system),
        cmocka_unit_test(test_an_indefinite_system_is_refused),
        cmocka_unit_test(test_scales_do_not_make_it_singular),
        cmocka_unit_test(test_a_curve_is_found),
        cmocka_unit_test(test_a_start_at_the_answer_stays_there),
        cmocka_unit_test(test_a_parameter_without_influence_is_refused),
        cmocka_unit_test(test_fewer_rows_than_parameters_are_refused),
        cmocka_unit_test(test_a_fit_that_does_not_end_is_refused),
        cmocka_unit_test(test_residuals_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
