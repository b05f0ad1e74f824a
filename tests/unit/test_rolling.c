/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rolling means: which jobs count for which request, and sums beyond 64 bits. Expected means are
 * calculated in the comments.
 */
#include "model/estimator.c"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define S INT64_C(1000000)

static struct rolling r;

static int tear_down(void **state)
{
    (void)state;
    hs_free(r.users);
    hs_free(r.sizes);
    hs_free(r.rings);
    r = (struct rolling){0};
    return 0;
}

static void add(uint32_t user, uint32_t gpus, int64_t run_us)
{
    rolling_add(&r, user, gpus, run_us);
}

static void test_same_user_and_gpus_then_same_user_then_all(void **state)
{
    (void)state;
    assert_int_equal(rolling_mean_us(&r, 1, 2), -1);
    add(1, 2, 10 * S);
    assert_int_equal(rolling_mean_us(&r, 9, 9), 10 * S); /* of any user: the only mean */
    add(1, 2, 20 * S);
    add(1, 4, 90 * S);
    add(2, 2, 31 * S);
    assert_int_equal(rolling_mean_us(&r, 1, 2), 15 * S); /* (10 + 20) / 2 */
    assert_int_equal(rolling_mean_us(&r, 1, 4), 90 * S);
    assert_int_equal(rolling_mean_us(&r, 1, 8), 40 * S); /* (10 + 20 + 90) / 3 */
    assert_int_equal(rolling_mean_us(&r, 2, 2), 31 * S);
    assert_int_equal(rolling_mean_us(&r, 2, 4), 31 * S);
    assert_int_equal(rolling_mean_us(&r, 3, 2), 37750000); /* (10 + 20 + 90 + 31) / 4 */
    assert_int_equal(rolling_mean_us(&r, 0, 2), 37750000); /* id 0 is a user like others */
    assert_int_equal(rolling_mean_us(&r, 4000000000u, 2), 37750000);
}

static void test_means_are_rounded_down(void **state)
{
    (void)state;
    add(1, 1, 10);
    add(1, 1, 11);
    add(1, 1, 11);
    assert_int_equal(rolling_mean_us(&r, 1, 1), 10); /* 32 / 3 = 10.67 */
    add(1, 2, 0);
    assert_int_equal(rolling_mean_us(&r, 1, 2), 0);
}

/* Of 1, 8, 5, 100 the last three are 8, 5, 100; of two the mean of both, rounded down. */
static void test_the_median_of_the_last(void **state)
{
    (void)state;
    r.last = 3;
    add(1, 1, 1);
    assert_int_equal(rolling_mean_us(&r, 1, 1), 1);
    add(1, 1, 8);
    assert_int_equal(rolling_mean_us(&r, 1, 1), 4); /* (1 + 8) / 2 = 4.5 */
    add(1, 1, 5);
    assert_int_equal(rolling_mean_us(&r, 1, 1), 5);
    add(1, 1, 100);
    assert_int_equal(rolling_mean_us(&r, 1, 1), 8);
    add(2, 1, 7);
    assert_int_equal(rolling_mean_us(&r, 2, 4), 7);
    assert_int_equal(rolling_mean_us(&r, 3, 1), 7); /* of all: 5, 100, 7 */
}

/* 100 times 2^60 is beyond 2^64. */
static void test_sums_do_not_overflow(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        add(1, 1, INT64_C(1) << 60);
    assert_int_equal(rolling_mean_us(&r, 1, 1), INT64_C(1) << 60);
    assert_int_equal(rolling_mean_us(&r, 2, 1), INT64_C(1) << 60);
}

/* 20,000 pairs, each submitted twice: 7 u + g and 2 more, so that its mean is 7 u + g + 1. */
static void test_many_pairs(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t u = 0; u < 1000; u++)
            for (uint32_t g = 1; g <= 20; g++)
                add(u, g, 7 * (int64_t)u + g + 2 * turn);
    assert_int_equal(r.size_count, 20000);
    for (uint32_t u = 0; u < 1000; u++) {
        for (uint32_t g = 1; g <= 20; g++)
            assert_int_equal(rolling_mean_us(&r, u, g), 7 * (int64_t)u + g + 1);
        assert_int_equal(rolling_mean_us(&r, u, 21),
                         7 * (int64_t)u + 11); /* 10.5 + 1, rounded down */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_same_user_and_gpus_then_same_user_then_all, tear_down),
        cmocka_unit_test_teardown(test_means_are_rounded_down, tear_down),
        cmocka_unit_test_teardown(test_the_median_of_the_last, tear_down),
        cmocka_unit_test_teardown(test_sums_do_not_overflow, tear_down),
        cmocka_unit_test_teardown(test_many_pairs, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
