/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gittins indices of a sample, calculated by hand: M17 of the policy text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/tiresias/tiresias.c"

#define S INT64_C(1000000)

static int64_t sizes[SAMPLE_KEPT], recent[SAMPLE_KEPT];
static double sums[SAMPLE_KEPT + 1], scale[SAMPLE_KEPT];
static struct hs_job_place entries[SAMPLE_KEPT];

static struct gittins empty(bool is_repo)
{
    return (struct gittins){.form = is_repo,
                            .repo_delta_us = 100 * S,
                            .sizes = sizes,
                            .sums = sums,
                            .scale = scale,
                            .entries = entries,
                            .recent = recent};
}

/* {100, 100, 100, 400} four times: the first sample is taken at 16 finished jobs. */
static struct gittins learnt(bool is_repo)
{
    struct gittins g = empty(is_repo);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(gittins_learn(&g, (i % 4 == 1 ? 400 : 100) * S), i == 15);
    return g;
}

/* D = 100: G(0) = .75 / 100; G(50) = .75 / ((3 x 50 + 100) / 4); at 100 only 400 is left: 0.
 * Without a bound, at 100: 1 / 300; at 0: 1 / 175, the mean. Nothing beyond 400. In 1e-12. */
static void exact(void **state)
{
    (void)state;
    struct gittins g = learnt(false);
    assert_int_equal(gittins_index(&g, 0, 100 * S), 7500000000);
    assert_int_equal(gittins_index(&g, 50 * S, 100 * S), 12000000000);
    assert_int_equal(gittins_index(&g, 100 * S, 100 * S), 0);
    assert_int_equal(gittins_index(&g, 100 * S, INT64_MAX), 3333333333);
    assert_int_equal(gittins_index(&g, 0, INT64_MAX), 5714285714);
    assert_int_equal(gittins_index(&g, 400 * S, INT64_MAX), 0);
}

/* D = 100: up to 100 the index is that at 99, .75 / ((3 x 100 + 100) / 4) = .0075; beyond it that
 * at 399, 1 / 400. In 1e-10. */
static void repo(void **state)
{
    (void)state;
    struct gittins g = learnt(true);
    assert_int_equal(gittins_index(&g, 0, INT64_MAX), 75000000);
    assert_int_equal(gittins_index(&g, 50 * S, INT64_MAX), 75000000);
    assert_int_equal(gittins_index(&g, 100 * S - 1, INT64_MAX), 75000000);
    assert_int_equal(gittins_index(&g, 100 * S, INT64_MAX), 25000000);
    assert_int_equal(gittins_index(&g, 400 * S, INT64_MAX), 0);
}

/* If nothing can end within D, D = 0 included, the index is 0 and not 0 / 0. The prefix sums of
 * 1,024 samples of 9e12 s are exact to about 1 s; 1 us before their end an index is at most 1 per
 * us, 1e18 in 1e-12, and at most 1e4 of the table's 1e6 / 9e12. */
static void extremes(void **state)
{
    (void)state;
    const int64_t large = INT64_C(9000000000000) * S;
    struct gittins g = learnt(false);
    assert_int_equal(gittins_index(&g, 0, 0), 0);
    assert_int_equal(gittins_index(&g, 99 * S, S - 1), 0);
    g = empty(true);
    for (uint32_t i = 0; i < SAMPLE_FIRST; i++) /* the table is looked up at 0 - 1 s */
        (void)gittins_learn(&g, 0);
    assert_int_equal(gittins_index(&g, 0, INT64_MAX), 0);
    for (int is_repo = 0; is_repo < 2; is_repo++) {
        g = empty(is_repo);
        for (uint32_t i = 0; i < SAMPLE_KEPT; i++)
            (void)gittins_learn(&g, large);
        int64_t index = gittins_index(&g, large - 1, INT64_MAX);
        assert_true(index >= 0);
        assert_true(index <= (is_repo ? 0 : INT64_C(1000000000000000000)));
        assert_int_equal(gittins_index(&g, large, INT64_MAX), 0);
    }
}

/* Taken again at 16, 32, ..., 1,024, 2,048, 3,072 jobs; of the last 1,024. */
static void samples_are_taken_when_their_number_has_doubled(void **state)
{
    (void)state;
    struct gittins g = empty(false);
    uint32_t taken = 0;
    assert_int_equal(gittins_index(&g, 0, INT64_MAX), 0);
    for (uint32_t i = 1; i <= 3072; i++)
        taken += gittins_learn(&g, i <= 2048 ? S : 2 * S);
    assert_int_equal(taken, 9); /* 16, 32, 64, 128, 256, 512, 1024, 2048, 3072 */
    assert_int_equal(g.count, 1024);
    assert_int_equal(gittins_index(&g, 0, INT64_MAX), 500000000000); /* all are 2 s */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(repo),
        cmocka_unit_test(extremes),
        cmocka_unit_test(samples_are_taken_when_their_number_has_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
