/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The data of a report's charts, by hand: means over intervals, sets of GPUs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report/html/page_series.c"

static struct hs_arena arena;

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* 1 until 3, 5 until 8, then 0: over 0-5 (3 x 1 + 2 x 5) / 5 = 2.6, over 5-10 3 x 5 / 5 = 3. */
static void a_step_function_in_two_halves(void **state)
{
    (void)state;
    struct buckets b;
    open_buckets(&b, &arena, 2, 10);
    put_bucket(&b, 0, 1);
    put_bucket(&b, 3, 5);
    put_bucket(&b, 8, 0);
    finish_buckets(&b);
    assert_near(b.of[0].mean, 2.6);
    assert_near(b.of[0].min, 1);
    assert_near(b.of[0].max, 5);
    assert_near(b.of[1].mean, 3);
    assert_near(b.of[1].min, 0);
    assert_near(b.of[1].max, 5);
}

/* Undefined before the first value; the span ends before the last value. */
static void a_step_function_that_begins_late(void **state)
{
    (void)state;
    struct buckets b;
    open_buckets(&b, &arena, 3, 9);
    put_bucket(&b, 4, 2);
    put_bucket(&b, 11, 7);
    finish_buckets(&b);
    assert_true(isnan(b.of[0].mean) && isnan(b.of[0].max));
    assert_near(b.of[1].mean, 2);
    assert_near(b.of[2].max, 2);
}

/* Many short steps lose no time to rounding: the mean of 0, 1, 0, 1 ... is 1/2. */
static void many_short_steps(void **state)
{
    (void)state;
    struct buckets b;
    open_buckets(&b, &arena, 7, 1);
    for (int i = 0; i < 70000; i++)
        put_bucket(&b, i / 70000.0, i % 2);
    finish_buckets(&b);
    for (int i = 0; i < 7; i++)
        if (!(fabs(b.of[i].mean - 0.5) < 1e-3))
            fail_msg("interval %d: %.17g", i, b.of[i].mean);
}

/* Borders that are not round: a constant value is constant in each interval. */
static void a_value_that_stays(void **state)
{
    (void)state;
    static const double spans[] = {5, 469194, 0.1, 86362, 1e-3, 7.77e8};
    for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
        for (uint32_t count = 1; count <= 400; count++) {
            struct buckets b;
            open_buckets(&b, &arena, count, spans[k]);
            put_bucket(&b, 0, 1);
            put_bucket(&b, spans[k] / 3, 1);
            finish_buckets(&b);
            for (uint32_t i = 0; i < count; i++)
                if (!(fabs(b.of[i].mean - 1) < 1e-9 &&
                      fabs(b.of[i].known_s * count / spans[k] - 1) < 1e-6))
                    fail_msg("%g s in %u intervals: the one at %u", spans[k], count, i);
        }
}

static void sets_of_gpus(void **state)
{
    (void)state;
    static const uint32_t expected[][2] = {{0, 3}, {6, 6}, {8, 9}};
    static const char *const no_sets[] = {"", "x", "3-1", "1-", "2,3", "-1"};
    const char *text = "0-3 6 8-9";
    uint32_t first, last, n = 0;
    while (*text != '\0') {
        assert_true(n < 3 && hs_rowfile_range(&text, &first, &last));
        assert_int_equal(first, expected[n][0]);
        assert_int_equal(last, expected[n][1]);
        n++;
    }
    assert_int_equal(n, 3);
    for (size_t i = 0; i < sizeof no_sets / sizeof *no_sets; i++) {
        text = no_sets[i];
        assert_false(hs_rowfile_range(&text, &first, &last));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_function_in_two_halves),
        cmocka_unit_test(a_step_function_that_begins_late),
        cmocka_unit_test(many_short_steps),
        cmocka_unit_test(a_value_that_stays),
        cmocka_unit_test(sets_of_gpus),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hs_arena_free(&arena);
    return failed;
}
