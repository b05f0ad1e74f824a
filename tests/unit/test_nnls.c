/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares without negative coefficients, on problems solved by hand, and by the conditions of
 * a minimum (Karush, Kuhn, Tucker).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "horus/lp.h"

static bool near(double seen, double expected)
{
    return fabs(seen - expected) < 1e-9;
}

/* min (x - 3)^2 + (x + y - 1)^2: free x = 3, y = -2; y = 0 gives x = 2, residuals 1 and -1. */
static void a_negative_coefficient_is_0(void **state)
{
    (void)state;
    const double a[] = {1, 0, 1, 1}, b[] = {3, 1};
    double x[2];
    assert_true(near(hs_nnls(a, b, 2, 2, x), 2));
    assert_true(near(x[0], 2));
    assert_true(x[1] == 0);
}

/* All coefficients would be negative: all are 0. */
static void nothing_helps(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3}, b[] = {-1, -1, -1};
    double x[1];
    assert_true(near(hs_nnls(a, b, 3, 1, x), 3));
    assert_true(x[0] == 0);
}

/* O3 of the design: seconds a step of synchronous training with w workers and p parameter servers
 * (Peng et al., EuroSys'18 3.2), batch 128. */
static void row_of(double w, double p, double *row)
{
    row[0] = 128 / w;
    row[1] = 1;
    row[2] = w / p;
    row[3] = w;
    row[4] = p;
}

static double step_of(const double *t, double w, double p)
{
    double row[5], sum = 0;
    row_of(w, p, row);
    for (uint32_t j = 0; j < 5; j++)
        sum += t[j] * row[j];
    return sum;
}

static double fit(const double (*sizes)[2], uint32_t rows, double *t)
{
    static const double truth[5] = {.01, .1, .2, .02, .01};
    double a[8 * 5], b[8];
    for (uint32_t r = 0; r < rows; r++) {
        row_of(sizes[r][0], sizes[r][1], &a[r * 5]);
        b[r] = step_of(truth, sizes[r][0], sizes[r][1]);
    }
    return hs_nnls(a, b, rows, 5, t);
}

static void speeds_come_out(void **state)
{
    (void)state;
    static const double sizes[][2] = {{1, 1}, {2, 1}, {4, 1}, {4, 2},
                                      {2, 4}, {8, 4}, {8, 2}, {4, 8}};
    static const double truth[5] = {.01, .1, .2, .02, .01};
    double t[5];
    assert_true(fit(sizes, 8, t) < 1e-20);
    for (uint32_t j = 0; j < 5; j++)
        assert_true(near(t[j], truth[j]));
    assert_true(near(step_of(t, 1, 1), 1.61));
    assert_true(near(step_of(t, 4, 2), .92));
    assert_true(near(step_of(t, 8, 4), .86));
}

/* Samples with p = w cannot distinguish 1 from w / p, nor w from p: their sums .3 and .03 are
 * found, sizes on the diagonal are right, and those off it are not: .32 + .3 + .12 for 4 workers, 2
 * servers. */
static void the_diagonal_is_blind(void **state)
{
    (void)state;
    static const double sizes[][2] = {{1, 1}, {2, 2}, {4, 4}, {6, 6}, {8, 8}};
    double t[5];
    assert_true(fit(sizes, 5, t) < 1e-20);
    assert_true(near(t[0], .01));
    assert_true(near(t[1] + t[2], .3));
    assert_true(near(t[3] + t[4], .03));
    assert_true(near(step_of(t, 10, 10), .728));
    assert_true(near(step_of(t, 4, 2), .74));
}

static double drawn(uint64_t *dice)
{
    *dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(*dice >> 11) * 0x1p-53 * 2 - 1;
}

/* x >= 0, the gradient is 0 where x > 0 and nowhere negative. */
static void minima_are_minima(void **state)
{
    (void)state;
    uint64_t dice = 7;
    uint32_t zeros = 0, others = 0;
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t columns = 1 + round % HS_NNLS_COLUMNS_MAX, rows = columns + round % 5;
        double a[12 * HS_NNLS_COLUMNS_MAX], b[12], x[HS_NNLS_COLUMNS_MAX];
        for (uint32_t i = 0; i < rows * columns; i++)
            a[i] = drawn(&dice);
        for (uint32_t r = 0; r < rows; r++)
            b[r] = drawn(&dice);
        (void)hs_nnls(a, b, rows, columns, x);
        for (uint32_t j = 0; j < columns; j++) {
            double gradient = 0;
            for (uint32_t r = 0; r < rows; r++) {
                double rest = b[r];
                for (uint32_t k = 0; k < columns; k++)
                    rest -= a[r * columns + k] * x[k];
                gradient += a[r * columns + j] * rest;
            }
            zeros += x[j] == 0;
            others += x[j] > 0;
            assert_true(x[j] >= 0 && gradient < 1e-9 && (x[j] == 0 || gradient > -1e-9));
        }
    }
    assert_true(zeros > 1000 && others > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_negative_coefficient_is_0),
        cmocka_unit_test(nothing_helps),
        cmocka_unit_test(speeds_come_out),
        cmocka_unit_test(the_diagonal_is_blind),
        cmocka_unit_test(minima_are_minima),
    };
    return cmocka_run_group_tests_name("least squares without negative coefficients", tests, NULL,
                                       NULL);
}
