/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cross-validation with models made for it: who is asked to predict what after which fit, what is
 * not scored, and decisions counted by hand.
 */
#include "calibrate/pairholdout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/paired.h"

static const struct paired_job jobs[] = {
    {"A/d/1/fp32", 0.5}, {"B/d/1/fp32", 0.25}, {"C/d/1/fp32", 1}};
#define JOBS 3
#define ROWS 12

static struct paired t;
static struct sink sink;
static double predicted[ROWS];

/* Predicts the mean speed of the rows it was fitted to; cannot do with fewer than `least`. */
struct mean {
    uint32_t least, fits;
    double speed;
};

static enum hs_status mean_fit(void *ctx, const struct hs_pairset *set, const bool *is_held,
                               struct hs_diag *diag)
{
    struct mean *m = ctx;
    uint32_t used = 0;
    m->speed = 0;
    m->fits++;
    for (uint32_t r = 0; r < set->row_count; r++)
        if (!is_held[r]) {
            m->speed += set->rows[r].speed;
            used++;
        }
    m->speed /= used;
    return used < m->least ? hs_fail(diag, HS_E_INPUT, NULL, NULL, "too few") : HS_OK;
}

static double mean_speed(const void *ctx, const struct hs_pairset *set, uint32_t row)
{
    (void)set;
    (void)row;
    return ((const struct mean *)ctx)->speed;
}

/* Speeds by hand: 0.5 for all pairs with C, 1 for the others. */
static double half_beside_c(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    return own == 2 || other == 2 ? 0.5 : 1;
}

/* Without C all others ran at 1; without A what is left are BB (1), BC and CC (0.5 each): mean
 * (2 x 1 + 2 x .5 + 2 x .5) / 6 = 2/3, and alike without B. */
static void test_folds_predict_what_they_hold(void **state)
{
    struct mean m = {1, 0, 0};
    struct hs_pairmodel model = {mean_fit, mean_speed, &m};
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, half_beside_c);
    assert_int_equal(t.set.row_count, ROWS);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_OWN_MODEL, 0, predicted, &sink.diag),
                     HS_OK);
    assert_int_equal(m.fits, 3);
    for (uint32_t r = 0; r < ROWS; r++)
        assert_true(fabs(predicted[r] - (t.set.rows[r].own == 2 ? 1 : 2.0 / 3)) < 1e-15);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_NOTHING, 0, predicted, &sink.diag),
                     HS_OK);
    assert_int_equal(m.fits, 4);
    assert_true(fabs(predicted[0] - 0.75) < 1e-15); /* 6 rows of each speed */
    assert_int_equal(sink.len, 0);
}

/* Leaving a model out leaves 6 rows: none of the folds can be fitted. */
static void test_folds_that_leave_too_little_are_not_scored(void **state)
{
    struct mean m = {7, 0, 0};
    struct hs_pairmodel model = {mean_fit, mean_speed, &m};
    struct hs_pairscore score;
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, half_beside_c);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_OWN_MODEL, 0, predicted, &sink.diag),
                     HS_OK);
    assert_string_equal(
        sink.text, "warning: V100: unseen model, own: 3 of 3 folds leave too little to fit to\n"
                   "      = hint: their rows are not scored\n");
    for (uint32_t r = 0; r < ROWS; r++)
        assert_true(isnan(predicted[r]));
    assert_int_equal(hs_pairscore(&t.set, predicted, &score, &sink.diag), HS_OK);
    assert_int_equal(score.speed.n, 0);
    assert_int_equal(score.pairs, 0);
    assert_true(isnan(score.accuracy[0]) && isnan(score.speed.rmse));
}

static enum hs_status no_memory(void *ctx, const struct hs_pairset *set, const bool *is_held,
                                struct hs_diag *diag)
{
    (void)ctx;
    (void)set;
    (void)is_held;
    (void)diag;
    return HS_E_MEMORY;
}

static void test_other_failures_are_failures(void **state)
{
    struct hs_pairmodel model = {no_memory, mean_speed, NULL};
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, half_beside_c);
    assert_int_equal(hs_pairholdout(&t.set, &model, HS_UNSEEN_MODEL_PAIR, 0, predicted, &sink.diag),
                     HS_E_MEMORY);
    assert_int_equal(sink.diag.errors, 1);
}

/* Runs AA AB AC BB BC CC. Worst S measured 1, 1, 2, 1, 2, 2. Predicted: AB 1/.8 = 1.25 by its
 * worse direction, AC 1/.9 = 1.11, all others as measured; CC has no number in one direction.
 * Of the five decided runs at 1.1: good are AA AB BB, bad AC BC; AB and AC at 1.25 and 1.11 are
 * both called bad: 4 of 5 right, balanced (2/3 + 2/2) / 2. At 1.2 AC is called good as well:
 * 3 of 5, (2/3 + 1/2) / 2. At 1.5 AB is good: 4 of 5, (3/3 + 1/2) / 2. */
static void test_decisions_by_hand(void **state)
{
    struct hs_pairscore score;
    (void)state;
    sink_init(&sink);
    paired_read(&t, jobs, JOBS, half_beside_c);
    for (uint32_t r = 0; r < ROWS; r++)
        predicted[r] = t.set.rows[r].speed;
    predicted[3] = 0.8;
    predicted[4] = predicted[5] = 0.9;
    predicted[11] = NAN;
    assert_int_equal(hs_pairscore(&t.set, predicted, &score, &sink.diag), HS_OK);
    assert_int_equal(score.speed.n, ROWS - 1);
    assert_int_equal(score.pairs, 5);
    const double accuracy[] = {0.8, 0.6, 0.8};
    const double balanced[] = {5.0 / 6, 7.0 / 12, 0.75};
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(score.accuracy[i] - accuracy[i]) < 1e-12);
        assert_true(fabs(score.balanced[i] - balanced[i]) < 1e-12);
    }
}

static void test_worst_of_runs_that_are_not_whole(void **state)
{
    double worst[6];
    bool is_held[ROWS] = {false};
    (void)state;
    paired_read(&t, jobs, JOBS, half_beside_c);
    is_held[2] = true; /* A beside B */
    hs_pairset_worst(&t.set, NULL, is_held, worst);
    assert_true(worst[0] == 1 && worst[1] == 0 && worst[2] == 2 && worst[5] == 2);
    hs_pairset_merge(&t.set); /* a merged row is both directions */
    hs_pairset_worst(&t.set, NULL, NULL, worst);
    assert_true(worst[0] == 1 && worst[5] == 2);
    t.set.row_count--; /* C beside itself */
    hs_pairset_worst(&t.set, NULL, NULL, worst);
    assert_true(worst[0] == 1 && worst[5] == 0);
}

static int close_all(void **state)
{
    paired_free(&t);
    return scratch_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_predict_what_they_hold),
        cmocka_unit_test(test_folds_that_leave_too_little_are_not_scored),
        cmocka_unit_test(test_other_failures_are_failures),
        cmocka_unit_test(test_decisions_by_hand),
        cmocka_unit_test(test_worst_of_runs_that_are_not_whole),
    };
    return cmocka_run_group_tests(tests, scratch_open, close_all);
}
