/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/simulate.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(fabs(value - expected) <= tolerance);
}

static void add(struct hs_summary *summary, double wait, double makespan)
{
    static struct hs_summary run; /* about 30 kB */
    run.count = 3;
    run.metrics[0] = (struct hs_metric){.name = "makespan", .unit = "s", .value = makespan};
    run.metrics[1] = (struct hs_metric){.name = "mean_wait", .unit = "s", .value = wait};
    run.metrics[2] = (struct hs_metric){.name = "jobs", .value = 7};
    add_spreads(summary, &run);
}

/* 2 4 4 4 5 5 7 9: mean 40/8 = 5, squares 9+1+1+1+0+0+4+16 = 32, deviation sqrt(32/7). The
 * makespan is the same in all runs. */
static void test_spread(void **state)
{
    (void)state;
    static const double waits[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static struct hs_summary summary;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        add(&summary, waits[i], 100);
    assert_int_equal(summary.spread_count, 2);

    const struct hs_spread *makespan = &summary.spreads[0], *wait = &summary.spreads[1];
    assert_string_equal(makespan->name, "makespan");
    assert_int_equal(makespan->runs, 8);
    assert_near(makespan->mean, 100, 0);
    assert_near(hs_spread_deviation(makespan), 0, 0);
    assert_string_equal(wait->name, "mean_wait");
    assert_near(wait->mean, 5, 1e-15);
    assert_near(hs_spread_deviation(wait), sqrt(32.0 / 7), 1e-15);
    assert_near(wait->min, 2, 0);
    assert_near(wait->max, 9, 0);
}

/* One run has a mean but no spread; a metric that does not apply (NaN) has no value. */
static void test_few(void **state)
{
    (void)state;
    static struct hs_summary summary;
    add(&summary, (double)NAN, 60);
    assert_int_equal(summary.spread_count, 1);
    assert_near(summary.spreads[0].mean, 60, 0);
    assert_true(isnan(hs_spread_deviation(&summary.spreads[0])));
}

/* A small spread on a large mean: the naive sum of squares would lose it (1e9^2 needs 60 bits). 1e9
 * + {4, 7, 13, 16}: deviations -6 -3 3 6, squares 36+9+9+36 = 90, variance 30. */
static void test_large_mean(void **state)
{
    (void)state;
    static const double offsets[] = {4, 7, 13, 16};
    struct hs_spread spread = {0};
    for (size_t i = 0; i < 4; i++)
        hs_spread_add(&spread, 1e9 + offsets[i]);
    assert_near(hs_spread_deviation(&spread), sqrt(30), 1e-9);
}

/* Seeds are never 0 (which means "by rule") and differ from run to run and from seed to seed. */
static void test_seeds(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 100; k++) {
        assert_true(jitter_seed_of(1, k) != 0);
        assert_true(jitter_seed_of(1, k) != jitter_seed_of(1, k + 1));
        assert_true(jitter_seed_of(1, k) != jitter_seed_of(2, k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_large_mean),
        cmocka_unit_test(test_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
