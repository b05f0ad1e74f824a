/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of a few rows, calculated by hand.
 */
#include "base/fmt.h"
#include "calibrate/calibration.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "support/sink.h"

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-12))
        fail_msg("%.17g is not %.17g", found, wanted);
}

/* Errors 1, 0, -1, 2: MAE 4/4, RMSE sqrt(6/4), bias 2/4. Observed mean 2.5, squares about it
 * 2.25 + .25 + .25 + 2.25 = 5, R2 = 1 - 6/5. Ranks 1 2 3 4 and of 2 2 2 6: 2 2 2 4 (ties by their
 * mean); covariance (-1.5)(-.5) + (-.5)(-.5) + (.5)(-.5) + (1.5)(1.5) = 3, over
 * sqrt(5 x 3). */
static void test_four_rows_by_hand(void **state)
{
    static const double observed[] = {1, 2, 3, 4}, predicted[] = {2, 2, 2, 6};
    struct hs_score s;
    (void)state;
    hs_score(observed, predicted, 4, &s);
    assert_int_equal(s.n, 4);
    assert_near(s.mae, 1);
    assert_near(s.rmse, sqrt(1.5));
    assert_near(s.bias, 0.5);
    assert_near(s.r2, -0.2);
    assert_near(s.p95, 2);
    assert_near(s.rho, 3 / sqrt(15));
}

/* Of errors 1..20 the 19th is the smallest with 95 % at or below; of 21 it is the 20th, since 0.95
 * x 21 = 19.95. */
static void test_p95_is_a_smallest_value(void **state)
{
    double observed[21], predicted[21];
    struct hs_score s;
    (void)state;
    for (int i = 0; i < 21; i++) {
        observed[i] = 100;
        predicted[i] = 100 + (i % 2 == 0 ? 1 : -1) * (double)(21 - i);
    }
    hs_score(observed + 1, predicted + 1, 20, &s);
    assert_near(s.p95, 19);
    hs_score(observed, predicted, 21, &s);
    assert_near(s.p95, 20);
}

static void test_what_is_undefined_is_nan(void **state)
{
    static const double same[] = {2, 2, 2}, other[] = {1, 2, 3};
    struct hs_score s;
    (void)state;
    hs_score(same, other, 3, &s);
    assert_true(isnan(s.r2) && isnan(s.rho));
    assert_near(s.mae, 2.0 / 3);
    /* The sum of 63 times 0.84 is not 63 times 0.84 in doubles; the spread must still be 0. */
    double many[63], off[63];
    for (int i = 0; i < 63; i++) {
        many[i] = 0.84;
        off[i] = 0.6;
    }
    hs_score(many, off, 63, &s);
    assert_true(isnan(s.r2));
    hs_score(same, other, 0, &s);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.mae) && isnan(s.rmse) && isnan(s.p95));
}

/* A falling and a rising order. */
static void test_rank_correlation_sees_order_alone(void **state)
{
    static const double x[] = {1, 10, 100, 1000}, up[] = {-4, -3, -2, 9}, down[] = {9, 8, 7, -50};
    struct hs_score s;
    (void)state;
    hs_score(x, up, 4, &s);
    assert_near(s.rho, 1);
    hs_score(x, down, 4, &s);
    assert_near(s.rho, -1);
}

static void test_logarithmic_errors(void **state)
{
    static const double zero[] = {0}, e_minus_1[] = {1.718281828459045};
    (void)state;
    assert_near(hs_score_rmsle(zero, e_minus_1, 1, 1), 1);
    /* log(1 + 100 x .01) - log(1 + 0) = log 2 */
    assert_near(hs_score_rmsle(zero, (const double[]){0.01}, 1, 100), log(2));
    assert_true(isnan(hs_score_rmsle(zero, zero, 0, 1)));
}

static void test_rounding_keeps_six_digits(void **state)
{
    (void)state;
    assert_true(hs_fmt_round6(0.123456789) == 0.123457);
    assert_true(hs_fmt_round6(-123456789.0) == -123457000.0);
    assert_true(hs_fmt_round6(0.0) == 0.0);
    assert_true(hs_fmt_round6(1e-300 / 3) == 3.33333e-301);
    assert_true(isnan(hs_fmt_round6(NAN)));
}

static void test_written_line(void **state)
{
    static const double observed[] = {1, 1}, predicted[] = {1.25, 1};
    struct sink sink;
    struct hs_output out;
    struct hs_jsonw w;
    struct hs_score s;
    char *text;
    size_t len;
    const char *path = scratch_path("score.json");
    (void)state;
    sink_init(&sink);
    hs_score(observed, predicted, 2, &s);
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    hs_jsonw_begin(&w, &out);
    hs_score_write(&w, "unseen model", &s);
    hs_jsonw_finish(&w);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    assert_int_equal(hs_read_file(path, 4096, &text, &len, &sink.diag), HS_OK);
    assert_non_null(strstr(text, "\"protocol\": \"unseen model\""));
    assert_non_null(strstr(text, "\"mae\": 0.125"));
    assert_non_null(strstr(text, "\"rmse\": 0.176777")); /* .25 / sqrt 2 */
    assert_non_null(strstr(text, "\"r2\": null"));
    hs_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_rows_by_hand),
        cmocka_unit_test(test_p95_is_a_smallest_value),
        cmocka_unit_test(test_what_is_undefined_is_nan),
        cmocka_unit_test(test_rank_correlation_sees_order_alone),
        cmocka_unit_test(test_logarithmic_errors),
        cmocka_unit_test(test_rounding_keeps_six_digits),
        cmocka_unit_test(test_written_line),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
