/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Known jobs: effects on the general form, and two numbers a job, each against small problems
 * solved by hand and data made from known numbers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/paircold.h"
#include "calibrate/paireffects.h"
#include "calibrate/pairrank1.h"
#include "support/paired.h"

static struct paired t;
static struct sink sink;
static double predicted[128];

static void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g +- %g", found, wanted, tolerance);
}

/* ---- two-way effects ---- */

/* A general form of k = e^-100: every speed is 1 but for the effects. */
static const double none[HS_GENERAL_PARAMETERS] = {-100, 1, 1};

static double nine_tenths(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    return own == 0 && other == 1 ? 0.9 : 1;
}

/* One row, A beside B, at 0.9; both of utilization 1, the last knot. Three effects share y = -0.1:
 * own of A and other of B, held by lambda 1, and of the models, held by 3. The best have a = b = r
 * and 3 p = r for the residual r = y - a - b - p, so r = y / (1 + 2 + 1/3) = -0.03. */
static void test_one_row_is_shared_out(void **state)
{
    static const struct paired_job jobs[] = {{"A/d/1/fp32", 1}, {"B/d/1/fp32", 1}};
    struct hs_paireffects e;
    bool is_held[6];
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, 2, nine_tenths);
    assert_int_equal(t.set.row_count, 6);
    for (uint32_t r = 0; r < 6; r++)
        is_held[r] = !(t.set.rows[r].own == 0 && t.set.rows[r].other == 1);
    assert_int_equal(hs_paireffects_open(&e, &t.set, none, 1, &sink.diag), HS_OK);
    assert_int_equal(hs_paireffects_fit(&e, is_held, &sink.diag), HS_OK);
    assert_near(e.jobs[0].own[2], -0.03, 1e-12);
    assert_near(e.jobs[1].other[2], -0.03, 1e-12);
    assert_near(e.jobs[0].other[2], 0, 0);
    assert_near(e.jobs[0].own[1], 0, 0);
    for (uint32_t r = 0; r < 6; r++)
        if (!is_held[r]) {
            assert_near(e.pairs[t.set.rows[r].model_pair], -0.01, 1e-12);
            assert_near(hs_paireffects_speed(&e, r), 0.93, 1e-12);
        } else if (t.set.rows[r].own != 0 && t.set.rows[r].other != 1) {
            assert_near(hs_paireffects_speed(&e, r), 1, 0); /* B beside A: nothing known */
        }
    hs_paireffects_close(&e);
}

static const struct paired_job five[] = {{"A/d/1/fp32", 0.2},
                                         {"B/d/1/fp32", 0.5},
                                         {"C/d/1/fp32", 0.6},
                                         {"D/d/1/fp32", 0.9},
                                         {"E/d/1/fp32", 1}};

/* Job D loses 0.1 beside a job of utilization 0.5, more beside others, with a bend at 0.5. */
static double bent(const struct paired_job *all, uint32_t own, uint32_t other)
{
    double loss = own == 3 ? 0.1 + 0.2 * fabs(all[other].util - 0.5) : 0;
    return paired_queue(all, own, other) - loss;
}

static void test_a_bent_line_is_followed(void **state)
{
    static const double queue[HS_GENERAL_PARAMETERS] = {0, 1, 1};
    struct hs_paireffects e;
    (void)state;
    sink_init(&sink);
    paired_read(&t, five, 5, bent);
    assert_int_equal(hs_paireffects_open(&e, &t.set, queue, 1e-6, &sink.diag), HS_OK);
    assert_int_equal(hs_paireffects_fit(&e, NULL, &sink.diag), HS_OK);
    for (uint32_t r = 0; r < t.set.row_count; r++)
        assert_near(hs_paireffects_speed(&e, r), t.set.rows[r].speed, 1e-4);
    hs_paireffects_close(&e);
}

/* With nothing left by the general form there are no effects; it is fitted with them. */
static void test_no_effects_where_the_form_says_all(void **state)
{
    struct hs_paireffects e;
    (void)state;
    sink_init(&sink);
    paired_read(&t, five, 5, paired_queue);
    assert_int_equal(hs_paireffects_open(&e, &t.set, NULL, 3, &sink.diag), HS_OK);
    struct hs_pairmodel model = hs_paireffects_model(&e);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_MODEL_PAIR, 0, predicted, &sink.diag),
                     HS_OK);
    for (uint32_t r = 0; r < t.set.row_count; r++)
        assert_near(predicted[r], t.set.rows[r].speed, 1e-8);
    assert_int_equal(sink.len, 0);
    hs_paireffects_close(&e);
}

static void test_speeds_have_a_floor(void **state)
{
    struct hs_paireffects e;
    (void)state;
    sink_init(&sink);
    paired_read(&t, five, 5, paired_queue);
    assert_int_equal(hs_paireffects_open(&e, &t.set, none, 3, &sink.diag), HS_OK);
    e.jobs[0].own[0] = -5;
    assert_near(hs_paireffects_speed(&e, 0), HS_SPEED_MIN, 0);
    hs_paireffects_close(&e);
}

static void test_too_many_effects_are_refused(void **state)
{
    struct hs_pairset set = {.gpu = "V100", .job_count = 1000};
    struct hs_paireffects e;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_paireffects_open(&e, &set, none, 3, &sink.diag), HS_E_LIMIT);
    assert_non_null(strstr(sink.text, "6000 effects of 1000 jobs"));
}

/* ---- rank-1 ---- */

static const double a[] = {0.3, 0.9, 1.5, 0.6, 1.2, 0.8};
static const double b[] = {1.4, 0.7, 0.4, 1.1, 0.5, 0.9};
static const struct paired_job six[] = {{"A/d/1/fp32", NAN}, {"A/d/2/fp32", NAN},
                                        {"B/d/1/fp32", NAN}, {"B/d/2/fp32", NAN},
                                        {"C/d/1/fp32", NAN}, {"C/d/2/fp32", NAN}};
#define JOBS 6

static double product(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    return 1 / (1 + a[own] * b[other]);
}

static void read_six(paired_speed *speed)
{
    sink_init(&sink);
    paired_read(&t, six, JOBS, speed);
    hs_pairset_merge(&t.set);
    assert_int_equal(t.set.row_count, JOBS * JOBS);
}

/* The weak pull to the mean, .001 of a row, moves a b by little. */
static void test_products_are_found_again(void **state)
{
    struct hs_pairrank1 f;
    (void)state;
    read_six(product);
    assert_int_equal(hs_pairrank1_open(&f, &t.set, HS_RANK1_RIDGE, &sink.diag), HS_OK);
    assert_int_equal(hs_pairrank1_fit(&f, NULL, &sink.diag), HS_OK);
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t j = 0; j < JOBS; j++)
            assert_near(exp(f.ln_a[i] + f.ln_b[j]), a[i] * b[j], 0.01);
    struct hs_pairmodel model = hs_pairrank1_model(&f);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_JOB_PAIR, 10, predicted, &sink.diag),
                     HS_OK);
    for (uint32_t r = 0; r < t.set.row_count; r++)
        assert_near(predicted[r], t.set.rows[r].speed, 0.005);
    hs_pairrank1_close(&f);
}

/* The effect of two models: the mean of what a b leaves of their rows, as if `ridge` more rows
 * were 0. B beside C is 0.1 slower than the products say. */
static double with_effect(const struct paired_job *all, uint32_t own, uint32_t other)
{
    bool is_slower = all[own].key[0] == 'B' && all[other].key[0] == 'C';
    return product(all, own, other) - (is_slower ? 0.1 : 0);
}

static void test_effects_are_shrunken_means(void **state)
{
    struct hs_pairrank1 f;
    (void)state;
    read_six(with_effect);
    assert_int_equal(hs_pairrank1_open(&f, &t.set, 2, &sink.diag), HS_OK);
    assert_int_equal(hs_pairrank1_fit(&f, NULL, &sink.diag), HS_OK);
    assert_int_equal(t.set.model_pair_count, 9);
    for (uint32_t p = 0; p < t.set.model_pair_count; p++) {
        double sum = 0;
        for (uint32_t r = 0; r < t.set.row_count; r++) {
            const struct hs_pairrow *row = &t.set.rows[r];
            if (row->model_pair == p)
                sum += row->speed - 1 / (1 + exp(f.ln_a[row->own] + f.ln_b[row->other]));
        }
        assert_near(f.pairs[p], sum / (4 + 2), 1e-12); /* 2 x 2 jobs, ridge 2 */
    }
    for (uint32_t r = 0; r < t.set.row_count; r++) {
        const struct hs_model_pair *pair = &t.set.model_pairs[t.set.rows[r].model_pair];
        if (pair->own == 1 && pair->other == 2)
            assert_true(f.pairs[t.set.rows[r].model_pair] < -0.02);
    }
    hs_pairrank1_close(&f);
}

static void test_no_row_is_refused(void **state)
{
    struct hs_pairrank1 f;
    bool is_held[JOBS * JOBS];
    (void)state;
    read_six(product);
    for (uint32_t r = 0; r < JOBS * JOBS; r++)
        is_held[r] = true;
    assert_int_equal(hs_pairrank1_open(&f, &t.set, 1, &sink.diag), HS_OK);
    assert_int_equal(hs_pairrank1_fit(&f, is_held, &sink.diag), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "no row to fit to"));
    hs_pairrank1_close(&f);
}

/* Of 36 rows the 30 of two different jobs count for both, the 6 others once: 66. Each try of each
 * job takes two rows away. With speeds that the products say a single try tells almost all. */
static void test_new_jobs(void **state)
{
    struct hs_pairrank1 f;
    struct hs_score scores[HS_COLD_STEPS];
    (void)state;
    read_six(product);
    assert_int_equal(hs_pairrank1_open(&f, &t.set, HS_RANK1_RIDGE, &sink.diag), HS_OK);
    assert_int_equal(hs_paircold_study(&f, scores, &sink.diag), HS_OK);
    static const uint32_t rows[HS_COLD_STEPS] = {66, 54, 42, 30, 6, 6}; /* of 5 partners */
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++)
        assert_int_equal(scores[step].n, rows[step]);
    assert_true(scores[0].rmse > 0.05);
    assert_true(scores[1].rmse < 0.5 * scores[0].rmse);
    assert_true(scores[3].rmse < 0.02);
    hs_pairrank1_close(&f);
}

static int close_all(void **state)
{
    paired_free(&t);
    return scratch_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row_is_shared_out),
        cmocka_unit_test(test_a_bent_line_is_followed),
        cmocka_unit_test(test_no_effects_where_the_form_says_all),
        cmocka_unit_test(test_speeds_have_a_floor),
        cmocka_unit_test(test_too_many_effects_are_refused),
        cmocka_unit_test(test_products_are_found_again),
        cmocka_unit_test(test_effects_are_shrunken_means),
        cmocka_unit_test(test_no_row_is_refused),
        cmocka_unit_test(test_new_jobs),
    };
    return cmocka_run_group_tests(tests, scratch_open, close_all);
}
