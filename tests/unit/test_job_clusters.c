/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Groups of similar jobs on points with known groups, and the rules that make the result a function
 * of the set of jobs alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "policies/horus/hplus_queues.c"

#define Q32_ONE (UINT64_C(1) << 32)
#define MANY    10000

static struct hs_cluster_sample sample;

static void sample_clear(struct hs_cluster_sample *s)
{
    s->count = 0;
    s->limit = UINT64_C(1) << 32;
}

/* Offers points of one feature, the others 0; the position is submission, rank and mix. */
static void offer(const uint32_t *x, uint32_t count)
{
    sample_clear(&sample);
    for (uint32_t i = 0; i < count; i++) {
        struct hs_features features = {{x[i]}};
        sample_offer(&sample, &features, i, i, i);
    }
}

static uint32_t group_of(const struct hs_clusters *c, uint32_t x)
{
    return clusters_nearest(c, &(struct hs_features){{x}});
}

/* The deviation of {2, 4} is 1; that of {1, 1, 1, 5} is root 3, and 2^32 / root 3 = 2479700524.99.
 * The other features are equal in all jobs: no weight. */
static void a_feature_weighs_one_over_its_deviation(void **state)
{
    (void)state;
    struct hs_clusters c = {0};
    offer((uint32_t[]){2, 4}, 2);
    clusters_fit(&c, 2, &sample);
    assert_int_equal(c.weight_q32[0], Q32_ONE);
    offer((uint32_t[]){1, 1, 5, 1}, 4);
    clusters_fit(&c, 2, &sample);
    assert_in_range(c.weight_q32[0], 2479700523, 2479700526); /* the root has 32 bits */
    for (uint32_t f = 1; f < HS_FEATURES; f++)
        assert_int_equal(c.weight_q32[f], 0);
}

/* Half of the largest sample 0, half at the largest value, M = 2^20 - 1: the deviation is M / 2 and
 * the weight floor(2^33 / M) = 8192. Larger values count as M. */
static void the_largest_sample_of_the_largest_values_fits(void **state)
{
    (void)state;
    static uint32_t x[HS_CLUSTER_SAMPLE];
    struct hs_clusters c = {0};
    for (uint32_t i = 0; i < HS_CLUSTER_SAMPLE; i++)
        x[i] = i % 2 == 0 ? 0 : i % 4 == 1 ? HS_FEATURE_MAX : UINT32_MAX;
    offer(x, HS_CLUSTER_SAMPLE);
    clusters_fit(&c, 2, &sample);
    assert_int_equal(c.weight_q32[0], 8192);
    assert_int_equal(group_of(&c, 0), 0);
    assert_int_equal(group_of(&c, HS_FEATURE_MAX), 1);
    assert_int_equal(group_of(&c, UINT32_MAX), 1);
    /* one of all differs, by the least step: n^2 variance = n - 1, weight = 2^32 n / root(n - 1) =
     * 2^32 x 64.0078: its z-scores are the largest there are */
    for (uint32_t i = 0; i < HS_CLUSTER_SAMPLE; i++)
        x[i] = HS_FEATURE_MAX - (i == 7);
    offer(x, HS_CLUSTER_SAMPLE);
    clusters_fit(&c, 2, &sample);
    assert_int_equal(c.weight_q32[0] >> 32, 64);
    assert_int_not_equal(group_of(&c, HS_FEATURE_MAX), group_of(&c, HS_FEATURE_MAX - 1));
}

/* 0 1 10 11 into two: seeds are the jobs at positions 1 and 3, that is 1 and 11, and 6 is as near
 * to both. The means are 0.5 and 10.5: now 6 belongs to the second. */
static void centroids_move_to_the_mean_of_their_jobs(void **state)
{
    (void)state;
    struct hs_clusters c = {0};
    offer((uint32_t[]){11, 0, 10, 1}, 4);
    clusters_fit(&c, 2, &sample);
    assert_int_equal(group_of(&c, 5), 0);
    assert_int_equal(group_of(&c, 6), 1);
}

/* Twenty times 0, then 100, 200 and 450, into four: the seeds, at positions 2, 8, 14 and 20 of 23,
 * are 0, 0, 0 and 100. The second and the third have no jobs (ties go to the lower); they take the
 * jobs that are farthest from their centroids, 450, then 200. */
static void groups_without_jobs_take_the_worst_served(void **state)
{
    (void)state;
    struct hs_clusters c = {0};
    uint32_t x[23] = {[3] = 200, [8] = 450, [20] = 100};
    offer(x, 23);
    clusters_fit(&c, 4, &sample);
    assert_int_equal(group_of(&c, 0), 0);
    assert_int_equal(group_of(&c, 450), 1);
    assert_int_equal(group_of(&c, 200), 2);
    assert_int_equal(group_of(&c, 100), 3);
}

/* Ten times (0, 0), then (1, 0) and (0, 1), which are equally far from it, into two: both seeds are
 * (0, 0), and the second group takes the one of the two that was submitted first. */
static void of_two_worst_served_the_first_is_taken(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct hs_clusters c = {0};
        sample_clear(&sample);
        for (uint32_t i = 0; i < 12; i++) {
            struct hs_features features = {{i == 4, i == 7}};
            int64_t submit_us = i == (first == 0 ? 4u : 7u) ? 0 : 1;
            sample_offer(&sample, &features, submit_us, i, i);
        }
        clusters_fit(&c, 2, &sample);
        assert_int_equal(clusters_nearest(&c, &(struct hs_features){{1, 0}}), first == 0);
        assert_int_equal(clusters_nearest(&c, &(struct hs_features){{0, 1}}), first == 1);
        assert_int_equal(clusters_nearest(&c, &(struct hs_features){{0, 0}}), 0);
    }
}

static void fewer_kinds_than_groups_leave_groups_without_jobs(void **state)
{
    (void)state;
    struct hs_clusters c = {0};
    assert_int_equal(group_of(&c, 9), 0); /* never fitted */
    offer((uint32_t[]){7, 7, 7}, 3);
    clusters_fit(&c, 4, &sample);
    assert_int_equal(group_of(&c, 7), 0);
    assert_int_equal(group_of(&c, 9), 0); /* a feature in which all were equal has no weight */
    offer((uint32_t[]){3, 9}, 2);         /* seeds 3 3 9 9 */
    clusters_fit(&c, 4, &sample);
    assert_int_equal(group_of(&c, 3), 0);
    assert_int_equal(group_of(&c, 9), 2);
    struct hs_clusters before = c;
    sample_clear(&sample);
    clusters_fit(&c, 4, &sample);
    assert_memory_equal(&c, &before, sizeof c);
}

/* With weights of 1: from (0, 0) it is 6 to (3, 3) and 5 to (0, 5) by Manhattan distance, but 4.2
 * and 5 by Euclidean. The third centroid is a copy of the second and never wins; (2, 5) is 3 from
 * the first and 2 from the others, (4, 5) 3 and 4, (1, 3) 2 and 3, (1, 4) 3 and 2; (1.5, 4), the
 * feature 3 at half the weight, 2.5 from both sides: the lower wins. */
static void distances_are_manhattan_and_ties_go_down(void **state)
{
    (void)state;
    struct hs_clusters c = {.count = 3,
                            .weight_q32 = {Q32_ONE, Q32_ONE},
                            .centroid_q16 = {{3 << 16, 3 << 16}, {0, 5 << 16}, {0, 5 << 16}}};
    assert_int_equal(clusters_nearest(&c, &(struct hs_features){{0, 0}}), 1);
    assert_int_equal(clusters_nearest(&c, &(struct hs_features){{2, 5}}), 1);
    assert_int_equal(clusters_nearest(&c, &(struct hs_features){{4, 5}}), 0);
    assert_int_equal(clusters_nearest(&c, &(struct hs_features){{1, 3}}), 0);
    assert_int_equal(clusters_nearest(&c, &(struct hs_features){{1, 4}}), 1);
    c.weight_q32[0] = Q32_ONE / 2;
    assert_int_equal(clusters_nearest(&c, &(struct hs_features){{3, 4}}), 0);
}

/* A hundred jobs of four kinds, each of which requests more of everything than the one before, by
 * more than the noise: in order of the sum of their z-scores the kinds follow one another, 25 each,
 * and the seeds, at 12, 37, 62 and 87, are one of each. */
static void kinds_of_jobs_are_separated(void **state)
{
    (void)state;
    static const uint32_t kinds[4][HS_FEATURES] = {
        {1, 200, 300, 4000}, {2, 500, 600, 12000}, {8, 700, 800, 20000}, {32, 900, 980, 30000}};
    struct hs_features jobs[100];
    struct hs_rng rng;
    struct hs_clusters c = {0};
    hs_rng_open(&rng, 3, "kinds");
    sample_clear(&sample);
    for (uint32_t i = 0; i < 100; i++) {
        memcpy(jobs[i].x, kinds[i % 4], sizeof jobs[i].x);
        for (uint32_t f = 1; f < HS_FEATURES; f++)
            jobs[i].x[f] += (uint32_t)hs_rng_below(&rng, 20);
        sample_offer(&sample, &jobs[i], 0, i, i);
    }
    hs_rng_close(&rng);
    clusters_fit(&c, 4, &sample);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(clusters_nearest(&c, &jobs[i]), i % 4);
    struct hs_features newcomer = {{16, 850, 950, 28000}};
    assert_int_equal(clusters_nearest(&c, &newcomer), 3);
}

/* Random jobs, offered in random order; a job's features do not depend on the order. */
static void fit_shuffled(struct hs_clusters *c, uint32_t count, const char *order)
{
    static uint32_t ids[MANY];
    struct hs_rng rng;
    hs_rng_open(&rng, 4, order);
    sample_clear(&sample);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)hs_rng_below(&rng, i + 1);
        ids[i] = ids[at];
        ids[at] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t draw = hs_mix64(ids[i], 5);
        struct hs_features features = {{1 + (uint32_t)(draw % 8), (uint32_t)(draw >> 8) % 1001,
                                        (uint32_t)(draw >> 20) % 1001,
                                        (uint32_t)(draw >> 32) % 32768}};
        sample_offer(&sample, &features, ids[i] / 3, ids[i], (uint32_t)hs_mix64(ids[i], 6));
    }
    hs_rng_close(&rng);
    memset(c, 0, sizeof *c);
    clusters_fit(c, 5, &sample);
}

static void the_order_of_offers_does_not_matter(void **state)
{
    (void)state;
    static const uint32_t counts[] = {5, 333, HS_CLUSTER_SAMPLE, MANY};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct hs_clusters one, other;
        fit_shuffled(&one, counts[i], "one order");
        fit_shuffled(&other, counts[i], "another order");
        assert_memory_equal(&one, &other, sizeof one);
    }
}

/* Of 10,000 jobs exactly those below the limit are in the sample, and twice the limit would have
 * admitted more than it holds. */
static void a_sample_is_cut_by_the_mix_alone(void **state)
{
    (void)state;
    struct hs_clusters c;
    uint32_t below = 0, below_twice = 0;
    fit_shuffled(&c, MANY, "any order");
    for (uint32_t i = 0; i < MANY; i++) {
        uint64_t mix = (uint32_t)hs_mix64(i, 6);
        below += mix < sample.limit;
        below_twice += mix < 2 * sample.limit;
    }
    assert_int_equal(sample.count, below);
    assert_true(below <= HS_CLUSTER_SAMPLE && below_twice > HS_CLUSTER_SAMPLE);
    for (uint32_t i = 0; i < sample.count; i++) {
        const struct hs_demand_point *point = &sample.points[sample.order[i].job];
        assert_true(point->mix < sample.limit);
        assert_int_equal(point->mix, (uint32_t)hs_mix64(sample.order[i].rank, 6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_feature_weighs_one_over_its_deviation),
        cmocka_unit_test(the_largest_sample_of_the_largest_values_fits),
        cmocka_unit_test(centroids_move_to_the_mean_of_their_jobs),
        cmocka_unit_test(groups_without_jobs_take_the_worst_served),
        cmocka_unit_test(of_two_worst_served_the_first_is_taken),
        cmocka_unit_test(fewer_kinds_than_groups_leave_groups_without_jobs),
        cmocka_unit_test(distances_are_manhattan_and_ties_go_down),
        cmocka_unit_test(kinds_of_jobs_are_separated),
        cmocka_unit_test(the_order_of_offers_does_not_matter),
        cmocka_unit_test(a_sample_is_cut_by_the_mix_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
