/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of the oracle and the noisy predictor, and of slowdown. Expected values are calculated
 * by hand beside each test, from the definitions in model/predictor.h.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"
#include "support/predictor_fixture.h"

#define JOBS  100000u
#define NOISE 0.154 /* RMSLE of Yeung et al., HotCloud'20 */

static void test_oracle_gives_the_true_value(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, PREDICTOR_NO_ROWS, predictor_plain_model());
    struct hs_predictor *p =
        predictor_make(&t, (struct hs_predictor_options){.kind = HS_PREDICT_ORACLE});
    struct hs_estimate e = predicted_of(
        p, (struct hs_job_facts){
               .profile = HS_NO_PROFILE, .util_pm = 500, .util_peak_pm = 800, .mem_mib = 4000});
    assert_int_equal(e.util_pm, 500);
    assert_int_equal(e.util_peak_pm, 800);
    assert_int_equal(e.mem_mib, 4000);
    assert_int_equal(e.util_error_pm, 0);
    assert_int_equal(e.mem_error_mib, 0);

    /* An unknown peak is the mean; other unknown values stay unknown. */
    e = predicted_of(
        p, (struct hs_job_facts){.profile = HS_NO_PROFILE, .util_pm = 500, .util_peak_pm = -1});
    assert_int_equal(e.util_peak_pm, 500);
    e = predicted_of(
        p, (struct hs_job_facts){.profile = HS_NO_PROFILE, .util_pm = -1, .util_peak_pm = -1});
    assert_int_equal(e.util_pm, -1);
    assert_int_equal(e.util_peak_pm, -1);
    assert_int_equal(e.mem_mib, 0);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* ---- noise ---- */

struct noise {
    double rmsle, mean_log; /* of log1p(per cent) */
    uint32_t at_floor, at_ceiling;
};

static struct noise noise_at(int32_t util_pm, struct hs_predictor_options options)
{
    struct predictor_fixture t;
    struct noise n = {0};
    predictor_open(&t, PREDICTOR_NO_ROWS, predictor_plain_model());
    options.kind = HS_PREDICT_NOISY;
    struct hs_predictor *p = predictor_make(&t, options);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct hs_estimate e = predicted_of(
            p, (struct hs_job_facts){.index = i, .profile = HS_NO_PROFILE, .util_pm = util_pm});
        double error = log1p(e.util_pm / 10.0) - log1p(util_pm / 10.0);
        n.rmsle += error * error / JOBS;
        n.mean_log += error / JOBS;
        n.at_floor += e.util_pm == 10;
        n.at_ceiling += e.util_pm == 1000;
    }
    n.rmsle = sqrt(n.rmsle);
    hs_predictor_close(p);
    predictor_close(&t);
    return n;
}

/* At 20 % both ends are more than ten sigma off: the RMSLE of n draws is s, with the standard error
 * s / sqrt(2n) = 0.00034, the mean 0 with s / sqrt(n) = 0.00049. Three of each are allowed. */
static void test_noise_has_the_given_rmsle(void **state)
{
    (void)state;
    struct noise n = noise_at(200, (struct hs_predictor_options){.util_rmsle = NOISE, .seed = 1});
    assert_true(fabs(n.rmsle - NOISE) < 3 * NOISE / sqrt(2.0 * JOBS));
    assert_true(fabs(n.mean_log) < 3 * NOISE / sqrt(JOBS));
    assert_int_equal(n.at_floor, 0);
    assert_int_equal(n.at_ceiling, 0);

    /* A bias moves the mean and adds to the square: sqrt(0.154^2 + 0.1^2) = 0.18362. */
    n = noise_at(200,
                 (struct hs_predictor_options){.util_rmsle = NOISE, .util_bias = -0.1, .seed = 1});
    assert_true(fabs(n.mean_log + 0.1) < 3 * NOISE / sqrt(JOBS));
    assert_true(fabs(n.rmsle - 0.18362) < 3 * NOISE / sqrt(JOBS));
}

/* At an end half of the draws are clipped to the true value and the other half keeps its squares:
 * the RMSLE is s / sqrt(2) = 0.1089 there, so a predictor of busy jobs looks better than it is. The
 * standard error: sd of z^2 [z < 0] is sqrt(3/2 - 1/4) = 1.118, hence 1.118 / (2 x 0.5) x 0.1089 /
 * sqrt(n) = 0.0004. */
static void test_clipping_halves_the_square_at_the_ends(void **state)
{
    (void)state;
    const struct hs_predictor_options options = {.util_rmsle = NOISE, .seed = 1};
    struct noise full = noise_at(1000, options);
    assert_true(fabs(full.rmsle - NOISE / sqrt(2)) < 0.0013);
    assert_true(fabs(full.at_ceiling - JOBS / 2.0) < 3 * sqrt(JOBS) / 2);

    /* At 1 % a per mille is 0.05 of log1p: rounding adds 0.05^2 / 12 to half of the squares. */
    struct noise idle = noise_at(10, options);
    assert_true(fabs(idle.rmsle - sqrt((NOISE * NOISE + 0.05 * 0.05 / 12) / 2)) < 0.0013);
    assert_true(idle.at_floor > JOBS / 2);

    /* At 60 % the ceiling is ln(101/61) = 0.5043 = 3.275 sigma up: 0.053 % of the draws, 53. */
    struct noise busy = noise_at(600, options);
    assert_in_range(busy.at_ceiling, 53 - 22, 53 + 22);
    assert_true(fabs(busy.rmsle - NOISE) < 4 * NOISE / sqrt(2.0 * JOBS));
}

/* An estimate depends on seed and index alone: not on other jobs, not on the order of calls. */
static void test_noise_is_keyed_by_job(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, PREDICTOR_NO_ROWS, predictor_plain_model());
    struct hs_predictor_options options = {.kind = HS_PREDICT_NOISY,
                                           .memory = HS_MEMORY_NOISY,
                                           .util_rmsle = NOISE,
                                           .mem_ln_sd = 0.3,
                                           .seed = 7};
    struct hs_predictor *forward = predictor_make(&t, options);
    struct hs_predictor *backward = predictor_make(&t, options);
    options.seed = 8;
    struct hs_predictor *other_seed = predictor_make(&t, options);
    const struct hs_job_facts facts = {
        .profile = HS_NO_PROFILE, .util_pm = 400, .util_peak_pm = 450, .mem_mib = 8000};
    struct hs_estimate first[64];
    uint32_t same = 0, same_draw = 0;
    for (uint32_t i = 0; i < 64; i++) {
        struct hs_job_facts f = facts;
        f.index = i;
        first[i] = predicted_of(forward, f);
        same += predicted_of(other_seed, f).util_pm == first[i].util_pm;
        /* two purposes, two draws: sign of the noise of utilization and of memory */
        same_draw += (first[i].util_pm > 400) == (first[i].mem_mib > 8000);
    }
    for (uint32_t i = 64; i-- > 0;) {
        struct hs_job_facts f = facts;
        f.index = i;
        struct hs_estimate e = predicted_of(backward, f);
        assert_memory_equal(&e, &first[i], sizeof e);
    }
    assert_in_range(same, 0, 8);
    assert_in_range(same_draw, 16, 48); /* 32 +- 4 sigma of 64 coins */
    hs_predictor_close(forward);
    hs_predictor_close(backward);
    hs_predictor_close(other_seed);
    predictor_close(&t);
}

/* One draw moves both: log1p(peak_hat) - log1p(peak) is that of the mean, up to the rounding to
 * per mille (0.05 of 1 + 20 and of 1 + 30). */
static void test_peak_moves_with_the_mean(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, PREDICTOR_NO_ROWS, predictor_plain_model());
    struct hs_predictor *p = predictor_make(
        &t,
        (struct hs_predictor_options){.kind = HS_PREDICT_NOISY, .util_rmsle = NOISE, .seed = 3});
    for (uint32_t i = 0; i < 1000; i++) {
        struct hs_estimate e = predicted_of(
            p, (struct hs_job_facts){
                   .index = i, .profile = HS_NO_PROFILE, .util_pm = 200, .util_peak_pm = 300});
        double mean = log1p(e.util_pm / 10.0) - log1p(20);
        double peak = log1p(e.util_peak_pm / 10.0) - log1p(30);
        assert_true(fabs(mean - peak) < 0.05 / 12 + 0.05 / 18); /* at most ln 1.7 below */
        /* d log1p(u) = du / (1 + u): the stated error is s x (1 + 100 u_hat), in per mille */
        assert_int_equal(e.util_error_pm, lround(NOISE * (e.util_pm + 10)));
    }
    hs_predictor_close(p);
    predictor_close(&t);
}

static void test_memory_noise_is_log_normal(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, PREDICTOR_NO_ROWS, predictor_plain_model());
    const double sd = 0.665; /* as in model/predictor.c */
    struct hs_predictor *p = predictor_make(
        &t, (struct hs_predictor_options){.memory = HS_MEMORY_NOISY, .mem_ln_sd = sd, .seed = 1});
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        struct hs_estimate e = predicted_of(
            p, (struct hs_job_facts){.index = i, .profile = HS_NO_PROFILE, .mem_mib = 10000});
        double ln = log(e.mem_mib / 10000.0);
        mean += ln / JOBS;
        square += ln * ln / JOBS;
        assert_int_equal(e.mem_error_mib, lround(sd * e.mem_mib));
    }
    assert_true(fabs(mean) < 3 * sd / sqrt(JOBS));
    assert_true(fabs(sqrt(square) - sd) < 3 * sd / sqrt(2.0 * JOBS));
    assert_int_equal(predicted_of(p, (struct hs_job_facts){.profile = HS_NO_PROFILE}).mem_mib, 0);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* S = 1 + 0.5 u v^2: at 0.6 beside 0.8 it is 1.192, at 1 beside 1 it is 1.5. */
static void test_slowdown_is_its_own_form(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, PREDICTOR_NO_ROWS, predictor_plain_model());
    struct hs_predictor *p = predictor_make(&t, (struct hs_predictor_options){0});
    double slowdown = (double)hs_predictor_slowdown_q20(p, 600, 800) / (double)HS_Q20_ONE;
    assert_true(fabs(slowdown - 1.192) < 2e-6);
    assert_int_equal(hs_predictor_slowdown_q20(p, 1000, 1000), HS_Q20_ONE * 3 / 2);
    assert_int_equal(hs_predictor_slowdown_q20(p, 500, 0), HS_Q20_ONE);
    assert_int_equal(hs_predictor_slowdown_q20(p, -1, 800), HS_Q20_ONE);
    assert_true(hs_predictor_slowdown_error(p) == 0.08);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* Fitted to data too small to hold anything out, and to speeds far above that alone. */
static void test_slowdown_error_may_be_unknown_or_large(void **state)
{
    (void)state;
    static const char *const models[] = {
        PREDICTOR_MODEL("{\"k\": 0.5, \"alpha\": 1, \"beta\": 2, \"error\": null}", ""),
        PREDICTOR_MODEL("{\"k\": 0.5, \"alpha\": 1, \"beta\": 2, \"error\": 1.75}", "")};
    for (int i = 0; i < 2; i++) {
        struct predictor_fixture t;
        predictor_open(&t, PREDICTOR_NO_ROWS, predictor_model(models[i]));
        struct hs_predictor *p = predictor_make(&t, (struct hs_predictor_options){0});
        double error = hs_predictor_slowdown_error(p);
        assert_true(i == 0 ? isnan(error) : error == 1.75);
        hs_predictor_close(p);
        predictor_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle_gives_the_true_value),
        cmocka_unit_test(test_noise_has_the_given_rmsle),
        cmocka_unit_test(test_clipping_halves_the_square_at_the_ends),
        cmocka_unit_test(test_noise_is_keyed_by_job),
        cmocka_unit_test(test_peak_moves_with_the_mean),
        cmocka_unit_test(test_memory_noise_is_log_normal),
        cmocka_unit_test(test_slowdown_is_its_own_form),
        cmocka_unit_test(test_slowdown_error_may_be_unknown_or_large),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
