/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which rows a fit gets, and how rows are held out of it.
 */
#include "calibrate/pairset.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/paired.h"

/* Two jobs of one model: 10 pairs, of them 4 of a job beside itself, 20 rows. */
static const struct paired_job jobs[] = {
    {"A/d/1/fp32", 0.5}, {"A/d/2/fp32", 0.75}, {"B/d/1/fp32", 0.25}, {"C/d/1/fp32", 1}};
#define JOBS 4
#define ROWS 20

static struct paired t, other;

static void test_numbers(void **state)
{
    (void)state;
    paired_read(&t, jobs, JOBS, paired_queue);
    assert_string_equal(t.set.gpu, "V100");
    assert_int_equal(t.set.row_count, ROWS);
    assert_int_equal(t.set.runs, 10);
    assert_int_equal(t.set.job_count, JOBS);
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
    const struct hs_model_pair *last = &t.set.model_pairs[t.set.rows[ROWS - 3].model_pair];
    assert_string_equal(t.set.models[last->own], "C");
    assert_string_equal(t.set.models[last->other], "B");
}

static void test_marked_rows_and_gangs_are_left_out(void **state)
{
    (void)state;
    paired_read(&t, jobs, JOBS, paired_queue);
    t.measured.m.pairs[0].dropped = HS_DROPPED(NO_OVERLAP);
    t.measured.m.solos[t.measured.m.pairs[2].other].gpus = 2; /* A/2: in 4 runs, 8 rows */
    hs_pairset_free(&t.set);
    assert_int_equal(hs_pairset_collect(&t.set, &t.measured.m, 0, &t.measured.sink.diag), HS_OK);
    assert_int_equal(t.set.row_count, ROWS - 1 - 8);
    assert_int_equal(t.set.job_count, 3);
}

static void test_no_rows(void **state)
{
    (void)state;
    paired_read(&t, jobs, JOBS, paired_queue);
    hs_pairset_free(&t.set);
    for (uint32_t i = 0; i < t.measured.m.pair_count; i++)
        t.measured.m.pairs[i].dropped = HS_DROPPED(FAILED);
    assert_int_equal(hs_pairset_collect(&t.set, &t.measured.m, 0, &t.measured.sink.diag), HS_OK);
    assert_int_equal(t.set.row_count, 0);
}

static void test_one_unknown_utilization(void **state)
{
    (void)state;
    paired_read(&t, jobs, JOBS, paired_queue);
    t.measured.m.solos[2].util = NAN;
    hs_pairset_free(&t.set);
    assert_int_equal(hs_pairset_collect(&t.set, &t.measured.m, 0, &t.measured.sink.diag), HS_OK);
    assert_false(t.set.has_utils);
}

/* A beside itself is told by two rows; merged they are one, the mean. */
static void test_merging_a_job_beside_itself(void **state)
{
    (void)state;
    paired_read(&t, jobs, JOBS, paired_queue);
    t.set.rows[0].speed = 0.5;
    t.set.rows[1].speed = 0.75;
    hs_pairset_merge(&t.set);
    assert_int_equal(t.set.row_count, ROWS - JOBS);
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
    paired_read(&t, jobs, JOBS, paired_queue);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint32_t r = 0; r < t.set.row_count; r++) {
            uint32_t tested = 0;
            for (uint32_t f = 0; f < hs_pairset_folds(&t.set, kinds[k], 3); f++)
                if (hs_pairset_is_tested(&t.set, kinds[k], 3, f, r)) {
                    tested++;
                    assert_true(hs_pairset_is_held(&t.set, kinds[k], 3, f, r));
                }
            assert_int_equal(tested, 1);
        }
}

/* Leaving model A out leaves the pairs of B and C: BB, BC, CC, six rows. Of A itself are tested
 * its rows as own: 2 x 4 and the doubles of A/1 and A/2 beside themselves, 10. */
static void test_an_unseen_model_is_out_in_both_roles(void **state)
{
    uint32_t left = 0, own = 0, others = 0;
    (void)state;
    paired_read(&t, jobs, JOBS, paired_queue);
    assert_int_equal(hs_pairset_folds(&t.set, HS_UNSEEN_OWN_MODEL, 0), 3);
    for (uint32_t r = 0; r < t.set.row_count; r++) {
        left += !hs_pairset_is_held(&t.set, HS_UNSEEN_OWN_MODEL, 0, 0, r);
        own += hs_pairset_is_tested(&t.set, HS_UNSEEN_OWN_MODEL, 0, 0, r);
        others += hs_pairset_is_tested(&t.set, HS_UNSEEN_OTHER_MODEL, 0, 0, r);
        assert_int_equal(hs_pairset_is_held(&t.set, HS_UNSEEN_OWN_MODEL, 0, 0, r),
                         hs_pairset_is_held(&t.set, HS_UNSEEN_OTHER_MODEL, 0, 0, r));
    }
    assert_int_equal(left, 6);
    assert_int_equal(own, 10);
    assert_int_equal(others, 10);
}

/* The fold of the pair of these two, UINT32_MAX if its rows are not in one. */
static uint32_t fold_of(const struct hs_pairset *set, const char *a, const char *b, uint32_t folds)
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
    struct paired_job turned[JOBS];
    uint32_t dealt[3] = {0};
    (void)state;
    for (uint32_t i = 0; i < JOBS; i++)
        turned[i] = jobs[JOBS - 1 - i];
    paired_read(&t, jobs, JOBS, paired_queue);
    paired_read(&other, turned, JOBS, paired_queue);
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t j = i; j < JOBS; j++) {
            uint32_t fold = fold_of(&t.set, jobs[i].key, jobs[j].key, 3);
            assert_true(fold < 3);
            assert_int_equal(fold_of(&other.set, jobs[i].key, jobs[j].key, 3), fold);
            dealt[fold]++;
        }
    for (int f = 0; f < 3; f++)
        assert_true(dealt[f] == 3 || dealt[f] == 4); /* 10 pairs */
    paired_free(&other);
}

static void test_utilization_has_a_floor(void **state)
{
    static const struct paired_job idle[] = {{"A/d/1/fp32", 0}, {"B/d/1/fp32", 1}};
    (void)state;
    paired_read(&t, idle, 2, paired_queue);
    assert_true(hs_pairset_util(&t.set, 0) == HS_UTIL_MIN);
    assert_true(hs_pairset_util(&t.set, 1) == 1);
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
    };
    return cmocka_run_group_tests(tests, scratch_open, close_all);
}
