/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of run times by source. The means of the rolling source and the messages of the file
 * have their own tests; here: which source answers, and the noise.
 */
#include "model/estimator.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sink.h"

#define S INT64_C(1000000)

static struct sink sink;
static struct hs_estimation *e;

static int tear_down(void **state)
{
    (void)state;
    hs_estimator_close(e);
    e = NULL;
    return 0;
}

static void open_as(struct hs_estimator how, uint64_t seed)
{
    hs_estimator_close(e);
    sink_init(&sink);
    if (hs_estimator_open(&e, &how, seed, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
}

static int64_t us_of(uint64_t index, int64_t run_us)
{
    return hs_estimator_us(
        e, &(struct hs_estimate_facts){.index = index, .id = "j", .gpus = 1, .run_us = run_us});
}

static void test_oracle(void **state)
{
    (void)state;
    open_as((struct hs_estimator){.from = HS_ESTIMATE_ORACLE}, 1);
    assert_int_equal(us_of(0, 0), 0);
    assert_int_equal(us_of(1, 123456789), 123456789);
    assert_int_equal(us_of(2, INT64_MAX), HS_ESTIMATE_MAX_US);
}

/* ln of the factor is sigma z. 100,000 jobs of 1,000,000 s, sigma 0.5: its mean is 0 with a
 * standard error of 0.5 / sqrt(100,000) = 0.0016, its standard deviation 0.5 with an error of 0.5 /
 * sqrt(200,000) = 0.0011; bounds are 6.5 of them. Rounding to 2^-20 moves it by 1e-6. */
static void test_noise_has_the_given_sigma(void **state)
{
    double sum = 0, squares = 0;
    (void)state;
    open_as((struct hs_estimator){.from = HS_ESTIMATE_NOISY, .sigma = 0.5}, 7);
    for (uint64_t i = 0; i < 100000; i++) {
        double log_factor = log((double)us_of(i, 1000000 * S) / 1e12);
        sum += log_factor;
        squares += log_factor * log_factor;
    }
    assert_true(fabs(sum / 1e5) < 0.0104);
    assert_true(fabs(sqrt(squares / 1e5) - 0.5) < 0.0073);
}

static void test_noise_is_of_the_job_alone(void **state)
{
    const struct hs_estimator how = {.from = HS_ESTIMATE_NOISY, .sigma = 1};
    int64_t first[10];
    int changed = 0;
    (void)state;
    open_as(how, 7);
    for (uint64_t i = 0; i < 10; i++)
        first[i] = us_of(i, 1000 * S);
    for (uint64_t i = 10; i-- > 0;) /* in another order */
        assert_int_equal(us_of(i, 1000 * S), first[i]);
    open_as(how, 8);
    for (uint64_t i = 0; i < 10; i++)
        changed += us_of(i, 1000 * S) != first[i];
    assert_int_equal(changed, 10);
    /* one factor for the job, regardless of its run time: 1024 times the run time is 1024 times the
     * estimate, except for rounding down by less than a microsecond */
    assert_in_range(us_of(3, 1024 * 1000 * S) - 1024 * us_of(3, 1000 * S), 0, 1023);
}

static void test_noise_at_its_ends(void **state)
{
    (void)state;
    open_as((struct hs_estimator){.from = HS_ESTIMATE_NOISY, .sigma = 0}, 7);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(us_of(i, 1234567), 1234567);
    open_as((struct hs_estimator){.from = HS_ESTIMATE_NOISY, .sigma = 1e6}, 7);
    int large = 0, small = 0;
    for (uint64_t i = 0; i < 100; i++) {
        int64_t us = us_of(i, S);
        assert_true(us == 0 || us == (S << 20)); /* zero, or a million times as much */
        large += us > 0;
        small += us == 0;
        assert_int_equal(us_of(i, 0), 0);
        assert_in_range(us_of(i, INT64_MAX), 0, HS_ESTIMATE_MAX_US);
    }
    assert_true(large > 20 && small > 20); /* the chance of either is one half; 100 draws */
}

static void test_file_and_what_it_does_not_name(void **state)
{
    static const char text[] = "job_id,estimate\na,5\n";
    (void)state;
    open_as((struct hs_estimator){.from = HS_ESTIMATE_FILE,
                                  .file = scratch_write("e.csv", text, sizeof text - 1),
                                  .unknown_us = 3600 * S},
            1);
    struct hs_estimate_facts facts = {.id = "a", .run_us = 77};
    assert_int_equal(hs_estimator_us(e, &facts), 5 * S);
    assert_int_equal(hs_estimator_unnamed(e), 0);
    facts.id = "b";
    assert_int_equal(hs_estimator_us(e, &facts), 3600 * S);
    hs_estimator_learn(e, &facts, 1); /* but its run time changes nothing */
    assert_int_equal(hs_estimator_us(e, &facts), 3600 * S);
    assert_int_equal(hs_estimator_unnamed(e), 2);
    facts.attempt = 1; /* it was counted at its first attempt */
    assert_int_equal(hs_estimator_us(e, &facts), 3600 * S);
    assert_int_equal(hs_estimator_unnamed(e), 2);
}

static void test_rolling_learns(void **state)
{
    struct hs_estimate_facts facts = {.id = "a", .user = 1, .gpus = 2, .run_us = 77};
    (void)state;
    open_as((struct hs_estimator){.from = HS_ESTIMATE_ROLLING, .unknown_us = 3600 * S}, 1);
    assert_int_equal(hs_estimator_us(e, &facts), 3600 * S);
    hs_estimator_learn(e, &facts, 8 * S);
    hs_estimator_learn(e, &facts, 4 * S);
    assert_int_equal(hs_estimator_us(e, &facts), 6 * S);
    assert_int_equal(hs_estimator_unnamed(e), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_oracle, tear_down),
        cmocka_unit_test_teardown(test_noise_has_the_given_sigma, tear_down),
        cmocka_unit_test_teardown(test_noise_is_of_the_job_alone, tear_down),
        cmocka_unit_test_teardown(test_noise_at_its_ends, tear_down),
        cmocka_unit_test_teardown(test_file_and_what_it_does_not_name, tear_down),
        cmocka_unit_test_teardown(test_rolling_learns, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
