/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The general form, on speeds that were made from known coefficients, and on data that determines
 * none.
 */
#include "calibrate/pairgeneral.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/paired.h"

static const struct paired_job jobs[] = {{"A/d/1/fp32", 0.2},
                                         {"B/d/1/fp32", 0.4},
                                         {"C/d/1/fp32", 0.6},
                                         {"D/d/1/fp32", 0.8},
                                         {"D/d/2/fp32", 1}};
#define JOBS 5

static struct paired t;
static struct sink sink;
static double predicted[64];

static void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g +- %g", found, wanted, tolerance);
}

static double made(const struct paired_job *all, uint32_t own, uint32_t other)
{
    return 1 / (1 + 0.8 * pow(all[own].util, 1.2) * pow(all[other].util, 1.6));
}

static void test_coefficients_are_found_again(void **state)
{
    struct hs_general_fit fit;
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, made);
    assert_int_equal(hs_general_study(&t.measured.m, 1, &fit, &sink.diag), HS_OK);
    assert_string_equal(fit.gpu, "V100");
    assert_near(fit.k, 0.8, 1e-7);
    assert_near(fit.alpha, 1.2, 1e-7);
    assert_near(fit.beta, 1.6, 1e-7);
    assert_int_equal(fit.rows, 30);
    assert_int_equal(fit.runs, 15);
    assert_int_equal(fit.models, 4);
    assert_int_equal(fit.own_unseen.speed.n, 30);
    assert_near(fit.own_unseen.speed.rmse, 0, 1e-7);
    assert_near(fit.other_unseen.speed.rmse, 0, 1e-7);
    assert_near(fit.in_sample.accuracy[1], 1, 0);
    assert_int_equal(sink.len, 0);
}

/* The queue, S = 1 + u v, with the exponents of the queue held: k = 1. */
static void test_exponents_may_be_held(void **state)
{
    struct hs_pairgeneral g;
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, paired_queue);
    assert_int_equal(hs_pairgeneral_open(&g, &t.set, &sink.diag), HS_OK);
    g.fixed_alpha = g.fixed_beta = 1;
    assert_int_equal(hs_pairgeneral_fit(&g, NULL, &sink.diag), HS_OK);
    assert_near(g.theta[HS_GENERAL_LN_K], 0, 1e-9);
    assert_near(g.theta[HS_GENERAL_BETA], 1, 0);
    assert_near(hs_pairgeneral_speed(&g, 0), 1 / 1.04, 1e-9);
    hs_pairgeneral_close(&g);
}

/* Slowdowns are half as large as measured where both are busy: the form cannot follow them all,
 * and decides better with a lower cut. */
static double steep(const struct paired_job *all, uint32_t own, uint32_t other)
{
    double product = all[own].util * all[other].util;
    return product > 0.45 ? 1 / 1.6 : 1 / (1 + 0.3 * product);
}

static void test_a_cut_is_tuned(void **state)
{
    struct hs_pairgeneral g;
    struct hs_pairscore plain, tuned;
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, steep);
    assert_int_equal(hs_pairgeneral_open(&g, &t.set, &sink.diag), HS_OK);
    struct hs_pairmodel model = hs_pairgeneral_model(&g);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_NOTHING, 0, predicted, &sink.diag),
                     HS_OK);
    assert_int_equal(hs_pairscore(&t.set, predicted, &plain, &sink.diag), HS_OK);
    assert_near(g.cut, HS_TUNED_THRESHOLD, 0);
    g.is_tuned = true;
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_NOTHING, 0, predicted, &sink.diag),
                     HS_OK);
    assert_int_equal(hs_pairscore(&t.set, predicted, &tuned, &sink.diag), HS_OK);
    assert_true(g.cut < HS_TUNED_THRESHOLD);
    assert_true(tuned.accuracy[2] > plain.accuracy[2]);
    assert_near(tuned.accuracy[2], 1, 0); /* the product orders the pairs: one cut tells all */
    hs_pairgeneral_close(&g);
}

static void expect_refusal(const struct paired_job *all, uint32_t count, paired_speed *speed,
                           const char *message)
{
    struct hs_general_fit fit;
    sink_init(&sink);
    paired_read(&t, all, count, speed);
    assert_int_equal(hs_general_study(&t.measured.m, 1, &fit, &sink.diag), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
    if (strstr(sink.text, message) == NULL)
        fail_msg("%s", sink.text);
}

static double undisturbed(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    (void)own;
    (void)other;
    return 1;
}

/* The less it uses, the slower it gets. */
static double upside_down(const struct paired_job *all, uint32_t own, uint32_t other)
{
    return 1 / (1 + 0.2 / (all[own].util * all[other].util));
}

static void test_data_that_determines_nothing_is_refused(void **state)
{
    static const struct paired_job alike[] = {
        {"A/d/1/fp32", 0.5}, {"B/d/1/fp32", 0.5}, {"C/d/1/fp32", 0.5}};
    static const struct paired_job one[] = {{"A/d/1/fp32", 0.5}};
    static const struct paired_job unknown[] = {{"A/d/1/fp32", NAN}, {"B/d/1/fp32", NAN}};
    (void)state;
    expect_refusal(alike, 3, paired_queue, "the data does not determine the 3 numbers");
    expect_refusal(one, 1, paired_queue, "the data does not determine the 3 numbers"); /* 2 rows */
    expect_refusal(jobs, JOBS, upside_down, "V100: 1 + k u^alpha v^beta does not fit: k = ");
    expect_refusal(unknown, 2, undisturbed, "no pair of jobs with measured utilizations");
}

/* No slowdown at all is an answer: k is as good as 0, whatever the exponents. */
static void test_undisturbed_jobs_have_no_slowdown(void **state)
{
    struct hs_general_fit fit;
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, undisturbed);
    assert_int_equal(hs_general_study(&t.measured.m, 1, &fit, &sink.diag), HS_OK);
    assert_true(fit.k >= 0 && fit.k < 1e-4);
    assert_true(isfinite(fit.alpha) && isfinite(fit.beta));
    assert_near(fit.in_sample.speed.rmse, 0, 1e-4);
}

/* The set with more rows that tell utilizations, wherever it stands. */
static void test_the_largest_set_is_chosen(void **state)
{
    struct hs_pairset sets[] = {
        {.row_count = 8, .has_utils = true}, {.row_count = 90, .has_utils = false},
        {.row_count = 0, .has_utils = true}, {.row_count = 9, .has_utils = true},
        {.row_count = 9, .has_utils = true},
    };
    (void)state;
    assert_int_equal(hs_general_choose(sets, 5), 3);
    assert_int_equal(hs_general_choose(sets, 1), 0);
    assert_int_equal(hs_general_choose(sets + 1, 2), UINT32_MAX);
}

static int close_all(void **state)
{
    paired_free(&t);
    return scratch_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coefficients_are_found_again),
        cmocka_unit_test(test_exponents_may_be_held),
        cmocka_unit_test(test_a_cut_is_tuned),
        cmocka_unit_test(test_data_that_determines_nothing_is_refused),
        cmocka_unit_test(test_undisturbed_jobs_have_no_slowdown),
        cmocka_unit_test(test_the_largest_set_is_chosen),
    };
    return cmocka_run_group_tests(tests, scratch_open, close_all);
}
