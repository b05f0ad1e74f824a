/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speeds of pairs: which rows a fit gets and how rows are held out; cross-validation, with models
 * made for it and decisions counted by hand; the forms, on speeds made from known numbers, on small
 * problems solved by hand and on data that determines nothing.
 */
#include "calibrate/pairs.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/paired.h"

static struct paired t, turned_set;
static struct sink sink;
static double predicted[128];

static void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g +- %g", found, wanted, tolerance);
}

/* ---- rows and folds ---- */

/* Two jobs of one model: 10 pairs, of them 4 of a job beside itself, 20 rows. */
static const struct paired_job four[] = {
    {"A/d/1/fp32", 0.5}, {"A/d/2/fp32", 0.75}, {"B/d/1/fp32", 0.25}, {"C/d/1/fp32", 1}};
#define FOUR      4
#define FOUR_ROWS 20

static void test_numbers(void **state)
{
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    assert_string_equal(t.set.gpu, "V100");
    assert_int_equal(t.set.row_count, FOUR_ROWS);
    assert_int_equal(t.set.runs, 10);
    assert_int_equal(t.set.job_count, FOUR);
    assert_int_equal(t.set.model_count, 3);
    assert_int_equal(t.set.models_pairs, 6);     /* AA AB AC BB BC CC */
    assert_int_equal(t.set.model_pair_count, 9); /* AB and BA */
    assert_true(t.set.has_utils);
    assert_string_equal(t.set.jobs[1].key, "A/d/2/fp32");
    assert_true(hs_pairset_util(&t.set, 1) == 0.75);
    /* The second run is A/1 beside A/2. */
    assert_int_equal(t.set.rows[2].own, 0);
    assert_int_equal(t.set.rows[2].other, 1);
    assert_int_equal(t.set.rows[3].own, 1);
    assert_int_equal(t.set.rows[2].pair, t.set.rows[3].pair);
    assert_true(t.set.rows[2].speed == 1 / 1.375);
    const struct hs_model_pair *last = &t.set.model_pairs[t.set.rows[FOUR_ROWS - 3].model_pair];
    assert_string_equal(t.set.models[last->own], "C");
    assert_string_equal(t.set.models[last->other], "B");
}

static enum hs_status collect(void)
{
    return hs_pairset_collect(&t.set, &t.measured.m, 0, HS_PAIRS_ALL, &t.measured.m.arena,
                              &t.measured.sink.diag);
}

static void test_marked_rows_and_gangs_are_left_out(void **state)
{
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    t.measured.m.pairs[0].dropped = HS_DROPPED(NO_OVERLAP);
    t.measured.m.solos[t.measured.m.pairs[2].other].gpus = 2; /* A/2: in 4 runs, 8 rows */
    assert_int_equal(collect(), HS_OK);
    assert_int_equal(t.set.row_count, FOUR_ROWS - 1 - 8);
    assert_int_equal(t.set.job_count, 3);
}

static void test_no_rows(void **state)
{
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    for (uint32_t i = 0; i < t.measured.m.pair_count; i++)
        t.measured.m.pairs[i].dropped = HS_DROPPED(FAILED);
    assert_int_equal(collect(), HS_OK);
    assert_int_equal(t.set.row_count, 0);
}

static void test_one_unknown_utilization(void **state)
{
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    t.measured.m.solos[2].util = NAN;
    assert_int_equal(collect(), HS_OK);
    assert_false(t.set.has_utils);
}

/* A beside itself has two rows; merged they are one, the mean. */
static void test_merging_a_job_beside_itself(void **state)
{
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    t.set.rows[0].speed = 0.5;
    t.set.rows[1].speed = 0.75;
    hs_pairset_merge(&t.set);
    assert_int_equal(t.set.row_count, FOUR_ROWS - FOUR);
    assert_true(t.set.rows[0].speed == 0.625 && t.set.rows[0].is_merged);
    assert_int_equal(t.set.rows[1].own, 0);
    assert_int_equal(t.set.rows[1].other, 1);
    assert_false(t.set.rows[1].is_merged);
}

static const enum hs_unseen kinds[] = {HS_UNSEEN_OWN_MODEL, HS_UNSEEN_OTHER_MODEL,
                                       HS_UNSEEN_MODEL_PAIR, HS_UNSEEN_JOB_PAIR};

static void test_each_row_is_tested_once_by_a_fit_without_it(void **state)
{
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    t.set.job_folds = 3;
    const uint32_t folds[] = {3, 3, 6, 3}; /* models, twice; pairs of models; of jobs */
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint32_t r = 0; r < t.set.row_count; r++) {
            uint32_t fold = fold_of(&t.set, kinds[k], r);
            assert_true(fold < folds[k]);
            assert_true(is_held_out(&t.set, kinds[k], fold, r));
        }
}

/* Leaving model A out leaves the pairs of B and C: BB, BC, CC, six rows. Tested are A's rows as
 * own: 2 x 4 and the doubles of A/1 and A/2 beside themselves, 10. */
static void test_an_unseen_model_is_out_in_both_roles(void **state)
{
    uint32_t left = 0, own = 0, others = 0;
    (void)state;
    paired_read(&t, four, FOUR, paired_queue);
    for (uint32_t r = 0; r < t.set.row_count; r++) {
        left += !is_held_out(&t.set, HS_UNSEEN_OWN_MODEL, 0, r);
        own += fold_of(&t.set, HS_UNSEEN_OWN_MODEL, r) == 0;
        others += fold_of(&t.set, HS_UNSEEN_OTHER_MODEL, r) == 0;
        assert_int_equal(is_held_out(&t.set, HS_UNSEEN_OWN_MODEL, 0, r),
                         is_held_out(&t.set, HS_UNSEEN_OTHER_MODEL, 0, r));
    }
    assert_int_equal(left, 6);
    assert_int_equal(own, 10);
    assert_int_equal(others, 10);
}

/* The fold of the pair of these two, UINT32_MAX if its rows are in none. */
static uint32_t fold_of_two(const struct hs_pairset *set, const char *a, const char *b,
                            uint32_t folds)
{
    uint32_t fold = UINT32_MAX, seen = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        const char *x = set->jobs[set->rows[r].own].key, *y = set->jobs[set->rows[r].other].key;
        if (!(strcmp(x, a) == 0 && strcmp(y, b) == 0) && !(strcmp(x, b) == 0 && strcmp(y, a) == 0))
            continue;
        uint32_t at = set->rows[r].jobs_rank % folds;
        if (seen++ > 0 && at != fold)
            return UINT32_MAX;
        fold = at;
    }
    assert_true(seen == 2);
    return fold;
}

static void test_pairs_are_dealt_by_their_keys(void **state)
{
    struct paired_job turned[FOUR];
    uint32_t dealt[3] = {0};
    (void)state;
    for (uint32_t i = 0; i < FOUR; i++)
        turned[i] = four[FOUR - 1 - i];
    paired_read(&t, four, FOUR, paired_queue);
    paired_read(&turned_set, turned, FOUR, paired_queue);
    for (uint32_t i = 0; i < FOUR; i++)
        for (uint32_t j = i; j < FOUR; j++) {
            uint32_t fold = fold_of_two(&t.set, four[i].key, four[j].key, 3);
            assert_true(fold < 3);
            assert_int_equal(fold_of_two(&turned_set.set, four[i].key, four[j].key, 3), fold);
            dealt[fold]++;
        }
    for (int f = 0; f < 3; f++)
        assert_true(dealt[f] == 3 || dealt[f] == 4); /* 10 pairs */
    paired_free(&turned_set);
}

static void test_utilization_has_a_floor(void **state)
{
    static const struct paired_job idle[] = {{"A/d/1/fp32", 0}, {"B/d/1/fp32", 1}};
    (void)state;
    paired_read(&t, idle, 2, paired_queue);
    assert_true(hs_pairset_util(&t.set, 0) == HS_UTIL_MIN);
    assert_true(hs_pairset_util(&t.set, 1) == 1);
}

/* ---- cross-validation ---- */

static const struct paired_job three[] = {
    {"A/d/1/fp32", 0.5}, {"B/d/1/fp32", 0.25}, {"C/d/1/fp32", 1}};
#define THREE      3
#define THREE_ROWS 12

/* Predicts the mean speed of the rows it was fitted to; fails with fewer than `least`. */
struct mean {
    struct hs_pairfit fit;
    uint32_t least, fits;
    double speed;
};

static enum hs_status mean_fit(struct hs_pairfit *fit, const bool *is_held, struct hs_diag *diag)
{
    struct mean *m = (struct mean *)fit;
    const struct hs_pairset *set = fit->set;
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

static double mean_speed(const struct hs_pairfit *fit, uint32_t row)
{
    (void)row;
    return ((const struct mean *)fit)->speed;
}

/* Speeds by hand: 0.5 for all pairs with C, 1 for the others. */
static double half_beside_c(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    return own == 2 || other == 2 ? 0.5 : 1;
}

/* Without C all others ran at 1; without A what remains are BB (1), BC and CC (0.5 each): mean (2 x
 * 1 + 2 x .5 + 2 x .5) / 6 = 2/3, and alike without B. */
static void test_folds_predict_what_they_hold(void **state)
{
    struct mean m = {{&t.set, mean_fit, mean_speed}, 1, 0, 0};
    (void)state;
    sink_init(&sink);
    paired_read(&t, three, THREE, half_beside_c);
    assert_int_equal(t.set.row_count, THREE_ROWS);
    assert_int_equal(hs_pairholdout(&m.fit, HS_UNSEEN_OWN_MODEL, predicted, NULL, &sink.diag),
                     HS_OK);
    assert_int_equal(m.fits, 3);
    for (uint32_t r = 0; r < THREE_ROWS; r++)
        assert_true(fabs(predicted[r] - (t.set.rows[r].own == 2 ? 1 : 2.0 / 3)) < 1e-15);
    assert_int_equal(hs_pairholdout(&m.fit, HS_UNSEEN_NOTHING, predicted, NULL, &sink.diag), HS_OK);
    assert_int_equal(m.fits, 4);
    assert_true(fabs(predicted[0] - 0.75) < 1e-15); /* 6 rows of each speed */
    assert_int_equal(sink.len, 0);
}

/* Leaving a model out leaves 6 rows: none of the folds can be fitted. */
static void test_folds_that_leave_too_little_are_not_scored(void **state)
{
    struct mean m = {{&t.set, mean_fit, mean_speed}, 7, 0, 0};
    struct hs_pairscore score;
    (void)state;
    sink_init(&sink);
    paired_read(&t, three, THREE, half_beside_c);
    assert_int_equal(hs_pairholdout(&m.fit, HS_UNSEEN_OWN_MODEL, predicted, NULL, &sink.diag),
                     HS_OK);
    assert_string_equal(
        sink.text, "warning: V100: unseen model, own: 3 of 3 folds leave too little to fit to\n"
                   "      = hint: their rows are not scored\n");
    for (uint32_t r = 0; r < THREE_ROWS; r++)
        assert_true(isnan(predicted[r]));
    hs_pairscore(&t.set, predicted, &score);
    assert_int_equal(score.speed.n, 0);
    assert_int_equal(score.pairs, 0);
    assert_true(isnan(score.accuracy[0]) && isnan(score.speed.rmse));
}

static enum hs_status beyond_limit(struct hs_pairfit *fit, const bool *is_held,
                                   struct hs_diag *diag)
{
    (void)fit;
    (void)is_held;
    (void)diag;
    return HS_E_LIMIT;
}

static void test_other_failures_are_failures(void **state)
{
    struct hs_pairfit fit = {&t.set, beyond_limit, mean_speed};
    (void)state;
    sink_init(&sink);
    paired_read(&t, three, THREE, half_beside_c);
    assert_int_equal(hs_pairholdout(&fit, HS_UNSEEN_MODEL_PAIR, predicted, NULL, &sink.diag),
                     HS_E_LIMIT);
    assert_int_equal(sink.diag.errors, 1);
}

/* Runs AA AB AC BB BC CC. Worst S measured 1, 1, 2, 1, 2, 2. Predicted: AB 1/.8 = 1.25 by its worse
 * direction, AC 1/.9 = 1.11, all others as measured; CC has no value in one direction. Of the five
 * decided runs at 1.1: good are AA AB BB, bad AC BC; AB and AC at 1.25 and 1.11 are both classified
 * as bad: 4 of 5 right, balanced (2/3 + 2/2) / 2. At 1.2 AC is classified as good as well: 3 of 5,
 * (2/3 + 1/2) / 2. At 1.5 AB is good: 4 of 5, (3/3 + 1/2) / 2. */
static void test_decisions_by_hand(void **state)
{
    struct hs_pairscore score;
    (void)state;
    sink_init(&sink);
    paired_read(&t, three, THREE, half_beside_c);
    for (uint32_t r = 0; r < THREE_ROWS; r++)
        predicted[r] = t.set.rows[r].speed;
    predicted[3] = 0.8;
    predicted[4] = predicted[5] = 0.9;
    predicted[11] = NAN;
    hs_pairscore(&t.set, predicted, &score);
    assert_int_equal(score.speed.n, THREE_ROWS - 1);
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
    bool is_held[THREE_ROWS] = {false};
    (void)state;
    paired_read(&t, three, THREE, half_beside_c);
    is_held[2] = true; /* A beside B */
    find_worst(&t.set, NULL, is_held, worst);
    assert_true(worst[0] == 1 && worst[1] == 0 && worst[2] == 2 && worst[5] == 2);
    hs_pairset_merge(&t.set); /* a merged row is both directions */
    find_worst(&t.set, NULL, NULL, worst);
    assert_true(worst[0] == 1 && worst[5] == 2);
    t.set.row_count--; /* C beside itself */
    find_worst(&t.set, NULL, NULL, worst);
    assert_true(worst[0] == 1 && worst[5] == 0);
}

/* ---- general form ---- */

static const struct paired_job busy[] = {{"A/d/1/fp32", 0.2},
                                         {"B/d/1/fp32", 0.4},
                                         {"C/d/1/fp32", 0.6},
                                         {"D/d/1/fp32", 0.8},
                                         {"D/d/2/fp32", 1}};

static double made(const struct paired_job *all, uint32_t own, uint32_t other)
{
    return 1 / (1 + 0.8 * pow(all[own].util, 1.2) * pow(all[other].util, 1.6));
}

static void test_coefficients_are_found_again(void **state)
{
    struct hs_general_fit fit;
    (void)state;
    sink_init(&sink);
    paired_read(&t, busy, 5, made);
    assert_int_equal(
        hs_general_study(&t.measured.m, 1, HS_PAIRS_ALL, &fit, &t.measured.m.arena, &sink.diag),
        HS_OK);
    assert_string_equal(fit.gpu, "V100");
    assert_near(fit.k, 0.8, 1e-7);
    assert_near(fit.alpha, 1.2, 1e-7);
    assert_near(fit.beta, 1.6, 1e-7);
    assert_int_equal(fit.rows, 30);
    assert_int_equal(fit.scores[HS_UNSEEN_OWN_MODEL].speed.n, 30);
    assert_near(fit.scores[HS_UNSEEN_OWN_MODEL].speed.rmse, 0, 1e-7);
    assert_near(fit.scores[HS_UNSEEN_OTHER_MODEL].speed.rmse, 0, 1e-7);
    assert_near(fit.scores[HS_UNSEEN_NOTHING].accuracy[1], 1, 0);
    assert_int_equal(sink.len, 0);
}

/* S = 1 + v / 2u: the higher a job's utilization, the less it slows down. */
static double idle_slows_more(const struct paired_job *all, uint32_t own, uint32_t other)
{
    return 1 / (1 + 0.5 * all[other].util / all[own].util);
}

static void test_alpha_is_held_at_its_least(void **state)
{
    struct hs_pairgeneral g;
    (void)state;
    sink_init(&sink);
    paired_read(&t, busy, 5, idle_slows_more);
    hs_pairgeneral_open(&g, &t.set);
    assert_int_equal(g.fit.fit(&g.fit, NULL, &sink.diag), HS_OK);
    assert_near(g.theta[HS_GENERAL_ALPHA], 0.01, 0);
    assert_true(g.theta[HS_GENERAL_BETA] > 0);
}

/* Slowdowns have a step where both jobs are busy, which the form cannot follow: it predicts too
 * small values there, and a lower cut decides better. */
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
    paired_read(&t, busy, 5, steep);
    hs_pairgeneral_open(&g, &t.set);
    assert_int_equal(hs_pairholdout(&g.fit, HS_UNSEEN_NOTHING, predicted, NULL, &sink.diag), HS_OK);
    hs_pairscore(&t.set, predicted, &plain);
    assert_near(g.cut, HS_TUNED_THRESHOLD, 0);
    g.is_tuned = true;
    assert_int_equal(hs_pairholdout(&g.fit, HS_UNSEEN_NOTHING, predicted, NULL, &sink.diag), HS_OK);
    hs_pairscore(&t.set, predicted, &tuned);
    assert_true(g.cut < HS_TUNED_THRESHOLD);
    assert_true(tuned.accuracy[2] > plain.accuracy[2]);
    assert_near(tuned.accuracy[2], 1, 0); /* the product orders the pairs: one cut separates them */
}

static void expect_refusal(const struct paired_job *all, uint32_t count, paired_speed *speed,
                           const char *message)
{
    struct hs_general_fit fit;
    sink_init(&sink);
    paired_read(&t, all, count, speed);
    assert_int_equal(
        hs_general_study(&t.measured.m, 1, HS_PAIRS_ALL, &fit, &t.measured.m.arena, &sink.diag),
        HS_E_INPUT);
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

/* The lower the utilizations, the slower a job gets. */
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
    expect_refusal(busy, 5, upside_down, "V100: 1 + k u^alpha v^beta does not fit: k = ");
    expect_refusal(unknown, 2, undisturbed, "no pair of jobs with measured utilizations");
}

/* No slowdown at all is a valid result: k is practically 0, with any exponents. */
static void test_undisturbed_jobs_have_no_slowdown(void **state)
{
    struct hs_general_fit fit;
    (void)state;
    sink_init(&sink);
    paired_read(&t, busy, 5, undisturbed);
    assert_int_equal(
        hs_general_study(&t.measured.m, 1, HS_PAIRS_ALL, &fit, &t.measured.m.arena, &sink.diag),
        HS_OK);
    assert_true(fit.k >= 0 && fit.k < 1e-4);
    assert_true(isfinite(fit.alpha) && isfinite(fit.beta));
    assert_near(fit.scores[HS_UNSEEN_NOTHING].speed.rmse, 0, 1e-4);
}

/* The set with the most rows that have utilizations is chosen, in any position: of A100 and V100, 6
 * and 30 rows, the V100; the H100 has 42 without utilizations. */
static void test_the_largest_set_is_chosen(void **state)
{
    static const struct paired_job unknown[] = {{"A/d/1/fp32", NAN}, {"B/d/1/fp32", NAN},
                                                {"C/d/1/fp32", NAN}, {"D/d/1/fp32", NAN},
                                                {"E/d/1/fp32", NAN}, {"F/d/1/fp32", NAN}};
    static struct measured sets[3];
    struct hs_measurements all[3];
    struct hs_general_fit fit;
    (void)state;
    sink_init(&sink);
    paired_write("a100.csv", "A100", busy, 2, made);
    paired_write("h100.csv", "H100", unknown, 6, undisturbed);
    paired_write("v100.csv", "V100", busy, 5, made);
    static const char *const names[] = {"a100.csv", "h100.csv", "v100.csv"};
    for (int i = 0; i < 3; i++) {
        measured_good(&sets[i], scratch_path(names[i]));
        measured_clean(&sets[i], 0);
        all[i] = sets[i].m;
    }
    assert_int_equal(hs_general_study(all, 3, HS_PAIRS_ALL, &fit, &sets[0].m.arena, &sink.diag),
                     HS_OK);
    assert_string_equal(fit.gpu, "V100");
    for (int i = 0; i < 3; i++)
        hs_measure_free(&sets[i].m);
}

/* ---- two-way effects ---- */

/* A general form of k = e^-100: every speed is 1 except for the effects. */
static const double none[HS_GENERAL_PARAMETERS] = {-100, 1, 1};

static double nine_tenths(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    return own == 0 && other == 1 ? 0.9 : 1;
}

/* One row, A beside B, at 0.9; both of utilization 1, the last knot. Three effects share y = -0.1:
 * own of A and other of B, with lambda 1, and of the models, with lambda 3. The best have a = b = r
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
    assert_int_equal(e.fit.fit(&e.fit, is_held, &sink.diag), HS_OK);
    assert_near(e.jobs[0].own[2], -0.03, 1e-12);
    assert_near(e.jobs[1].other[2], -0.03, 1e-12);
    assert_near(e.jobs[0].other[2], 0, 0);
    assert_near(e.jobs[0].own[1], 0, 0);
    for (uint32_t r = 0; r < 6; r++)
        if (!is_held[r]) {
            assert_near(e.pairs[t.set.rows[r].model_pair], -0.01, 1e-12);
            assert_near(e.fit.speed(&e.fit, r), 0.93, 1e-12);
        } else if (t.set.rows[r].own != 0 && t.set.rows[r].other != 1) {
            assert_near(e.fit.speed(&e.fit, r), 1, 0); /* B beside A: no data */
        }
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
    assert_int_equal(e.fit.fit(&e.fit, NULL, &sink.diag), HS_OK);
    for (uint32_t r = 0; r < t.set.row_count; r++)
        assert_near(e.fit.speed(&e.fit, r), t.set.rows[r].speed, 1e-4);
}

/* If the general form leaves no residual there are no effects; it is fitted together with them. */
static void test_no_effects_if_the_form_fits_exactly(void **state)
{
    struct hs_paireffects e;
    (void)state;
    sink_init(&sink);
    paired_read(&t, five, 5, paired_queue);
    assert_int_equal(hs_paireffects_open(&e, &t.set, NULL, 3, &sink.diag), HS_OK);
    assert_int_equal(hs_pairholdout(&e.fit, HS_UNSEEN_MODEL_PAIR, predicted, NULL, &sink.diag),
                     HS_OK);
    for (uint32_t r = 0; r < t.set.row_count; r++)
        assert_near(predicted[r], t.set.rows[r].speed, 1e-8);
    assert_int_equal(sink.len, 0);
}

static void test_speeds_have_a_floor(void **state)
{
    struct hs_paireffects e;
    (void)state;
    sink_init(&sink);
    paired_read(&t, five, 5, paired_queue);
    assert_int_equal(hs_paireffects_open(&e, &t.set, none, 3, &sink.diag), HS_OK);
    e.jobs[0].own[0] = -5;
    assert_near(e.fit.speed(&e.fit, 0), HS_SPEED_MIN, 0);
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

/* The weak pull to the mean, .001 of a row, changes a b by little. */
static void test_products_are_found_again(void **state)
{
    struct hs_pairrank1 f;
    (void)state;
    read_six(product);
    hs_pairrank1_open(&f, &t.set, HS_RANK1_RIDGE);
    assert_int_equal(f.fit.fit(&f.fit, NULL, &sink.diag), HS_OK);
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t j = 0; j < JOBS; j++)
            assert_near(exp(f.ln_a[i] + f.ln_b[j]), a[i] * b[j], 0.01);
    assert_int_equal(hs_pairholdout(&f.fit, HS_UNSEEN_JOB_PAIR, predicted, NULL, &sink.diag),
                     HS_OK);
    for (uint32_t r = 0; r < t.set.row_count; r++)
        assert_near(predicted[r], t.set.rows[r].speed, 0.005);
}

/* The effect of two models: the mean of the residuals of a b over their rows, as if `ridge` more
 * rows were 0. B beside C is 0.1 slower than the products. */
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
    hs_pairrank1_open(&f, &t.set, 2);
    assert_int_equal(f.fit.fit(&f.fit, NULL, &sink.diag), HS_OK);
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
}

static void test_no_row_is_refused(void **state)
{
    struct hs_pairrank1 f;
    bool is_held[JOBS * JOBS];
    (void)state;
    read_six(product);
    for (uint32_t r = 0; r < JOBS * JOBS; r++)
        is_held[r] = true;
    hs_pairrank1_open(&f, &t.set, 1);
    assert_int_equal(f.fit.fit(&f.fit, is_held, &sink.diag), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "no row to fit to"));
}

/* Of 36 rows the 30 of two different jobs count for both, the 6 others once: 66. Each trial of each
 * job takes two rows away. With speeds that are products a single trial determines almost all. */
static void test_new_jobs(void **state)
{
    struct hs_pairrank1 f;
    struct hs_score scores[HS_COLD_STEPS];
    (void)state;
    read_six(product);
    hs_pairrank1_open(&f, &t.set, HS_RANK1_RIDGE);
    assert_int_equal(hs_paircold_study(&f, scores, &sink.diag), HS_OK);
    static const uint32_t rows[HS_COLD_STEPS] = {66, 54, 42, 30, 6, 6}; /* of 5 co-runners */
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++)
        assert_int_equal(scores[step].n, rows[step]);
    assert_true(scores[0].rmse > 0.05);
    assert_true(scores[1].rmse < 0.5 * scores[0].rmse);
    assert_true(scores[3].rmse < 0.02);
}

static int close_all(void **state)
{
    paired_free(&t);
    return scratch_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_marked_rows_and_gangs_are_left_out),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_one_unknown_utilization),
        cmocka_unit_test(test_merging_a_job_beside_itself),
        cmocka_unit_test(test_each_row_is_tested_once_by_a_fit_without_it),
        cmocka_unit_test(test_an_unseen_model_is_out_in_both_roles),
        cmocka_unit_test(test_pairs_are_dealt_by_their_keys),
        cmocka_unit_test(test_utilization_has_a_floor),
        cmocka_unit_test(test_folds_predict_what_they_hold),
        cmocka_unit_test(test_folds_that_leave_too_little_are_not_scored),
        cmocka_unit_test(test_other_failures_are_failures),
        cmocka_unit_test(test_decisions_by_hand),
        cmocka_unit_test(test_worst_of_runs_that_are_not_whole),
        cmocka_unit_test(test_coefficients_are_found_again),
        cmocka_unit_test(test_alpha_is_held_at_its_least),
        cmocka_unit_test(test_a_cut_is_tuned),
        cmocka_unit_test(test_data_that_determines_nothing_is_refused),
        cmocka_unit_test(test_undisturbed_jobs_have_no_slowdown),
        cmocka_unit_test(test_the_largest_set_is_chosen),
        cmocka_unit_test(test_one_row_is_shared_out),
        cmocka_unit_test(test_a_bent_line_is_followed),
        cmocka_unit_test(test_no_effects_if_the_form_fits_exactly),
        cmocka_unit_test(test_speeds_have_a_floor),
        cmocka_unit_test(test_too_many_effects_are_refused),
        cmocka_unit_test(test_products_are_found_again),
        cmocka_unit_test(test_effects_are_shrunken_means),
        cmocka_unit_test(test_no_row_is_refused),
        cmocka_unit_test(test_new_jobs),
    };
    return cmocka_run_group_tests(tests, scratch_open, close_all);
}
