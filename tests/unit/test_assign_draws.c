/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of draws from the shipped catalogue. Seeds are fixed, so the results are
 * deterministic; bounds are three standard errors, derived beside each test.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/assigned.h"

#define MANY 100000u

static char users[1000][16];

/* MANY jobs a minute apart, of 1, 2, 4 and 8 GPUs in turn; user_count 0: without users. */
static struct hs_trace_job *make_jobs(uint32_t count, uint32_t user_count)
{
    struct hs_trace_job *jobs = calloc(count, sizeof *jobs);
    assert_non_null(jobs);
    for (uint32_t i = 0; i < count; i++) {
        jobs[i] = assigned_blank(1u << i % 4);
        jobs[i].submit_us = (int64_t)i * 60000000;
        if (user_count == 0)
            continue;
        uint32_t user = i / 4 % user_count;
        (void)snprintf(users[user], sizeof users[0], "u%u", (unsigned)user);
        jobs[i].user = users[user];
    }
    return jobs;
}

static struct hs_trace_job *draw_jobs(uint32_t count, uint32_t user_count, double sticky,
                                      uint64_t seed)
{
    const struct hs_assign_options options = {
        .mode = HS_ASSIGN_AUTO, .seed = seed, .target_util = 0.52, .sticky = sticky};
    struct hs_trace_job *jobs = make_jobs(count, user_count);
    assigned_pass(jobs, count, &options);
    assert_int_equal(assigned_counts.by_mix, count);
    return jobs;
}

/* widening: standard error relative to that of independent draws. */
static void expect_mean(const struct hs_trace_job *jobs, uint32_t gpus, double widening)
{
    double n = 0, sum = 0, squares = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        double u = jobs[i].gpu_util_pm / 1000.0;
        if (jobs[i].gpus != gpus)
            continue;
        assert_int_equal(jobs[i].gpu_util_pm, assigned_catalogue.profiles[jobs[i].profile].util_pm);
        assert_true(gpus == 1 || assigned_catalogue.profiles[jobs[i].profile].is_distributed);
        n++;
        sum += u;
        squares += u * u;
    }
    double mean = sum / n, error = sqrt((squares / n - mean * mean) / n) * widening;
    assert_true(error > 0);
    if (fabs(mean - 0.52) > 3 * error)
        fail_msg("%u GPUs: mean %.4f, 0.52 expected, standard error %.4f", (unsigned)gpus, mean,
                 error);
}

/* Independent draws: the standard error of the mean is that of the sample over sqrt(n). */
static void test_mean_of_independent_draws(void **state)
{
    (void)state;
    assigned_load("builtin:profiles.csv");
    struct hs_trace_job *jobs = draw_jobs(MANY, 0, 0.8, 1);
    for (uint32_t gpus = 1; gpus <= 8; gpus *= 2)
        expect_mean(jobs, gpus, 1);
    free(jobs);
    assigned_free();
}

/* 200 users, each with a job of each size every 800 minutes. A kept profile has the same
 * distribution as a drawn one, so the mean does not change; two jobs of a user k apart have the
 * correlation s^k, which multiplies the variance of the mean by (1 + s) / (1 - s), here 9. */
static void test_mean_of_sticky_draws(void **state)
{
    (void)state;
    assigned_load("builtin:profiles.csv");
    struct hs_trace_job *jobs = draw_jobs(MANY, 200, 0.8, 1);
    for (uint32_t gpus = 1; gpus <= 8; gpus *= 2)
        expect_mean(jobs, gpus, 3);
    free(jobs);
    assigned_free();
}

/* Share of the jobs of one GPU that have the profile of the user's previous such job, `step` rows
 * earlier. */
static double kept_share(const struct hs_trace_job *jobs, uint32_t count, uint32_t step)
{
    double kept = 0, n = 0;
    for (uint32_t i = step; i < count; i += 4) {
        kept += jobs[i].profile == jobs[i - step].profile;
        n++;
    }
    return kept / n;
}

/* Chance that two independent draws for one GPU coincide, from the shares drawn. */
static double meeting_chance(const struct hs_trace_job *jobs, uint32_t count)
{
    static double hits[HS_PROFILES_MAX];
    double n = 0, chance = 0;
    memset(hits, 0, sizeof hits);
    for (uint32_t i = 0; i < count; i += 4, n++)
        hits[jobs[i].profile]++;
    for (uint32_t i = 0; i < assigned_catalogue.count; i++)
        chance += hits[i] / n * (hits[i] / n);
    return chance;
}

/* A job keeps its user's profile with chance s, otherwise draws the same one with chance m: s + (1
 * - s) m. */
static void test_stickiness(void **state)
{
    (void)state;
    assigned_load("builtin:profiles.csv");
    struct hs_trace_job *alone = draw_jobs(MANY, 0, 0.8, 1);
    double meeting = meeting_chance(alone, MANY);
    assert_true(meeting < 0.1);
    struct hs_trace_job *sticky = draw_jobs(MANY, 200, 0.8, 1);
    double expected = 0.8 + 0.2 * meeting;
    double error = sqrt(expected * (1 - expected) / (MANY / 4.0));
    assert_true(fabs(kept_share(sticky, MANY, 800) - expected) < 3 * error);
    /* without users, and with users whose jobs are 4,000 minutes apart: as independent draws */
    error = sqrt(meeting * (1 - meeting) / (MANY / 4.0));
    assert_true(fabs(kept_share(alone, MANY, 800) - meeting) < 3 * error);
    struct hs_trace_job *rare = draw_jobs(MANY, 1000, 0.8, 1);
    assert_true(fabs(kept_share(rare, MANY, 4000) - meeting) < 3 * error);
    free(alone);
    free(sticky);
    free(rare);
    assigned_free();
}

/* With sticky 1 the first job of a (user, size) determines all later ones; sizes and users are
 * independent. */
static void test_each_user_and_size_has_its_own(void **state)
{
    enum { JOBS = 4000, USERS = 50 };
    (void)state;
    assigned_load("builtin:profiles.csv");
    struct hs_trace_job *jobs = draw_jobs(JOBS, USERS, 1, 3);
    unsigned unlike_size = 0, unlike_user = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_int_equal(jobs[i].profile, jobs[i % (4 * USERS)].profile);
        unlike_size += jobs[i].profile != jobs[i ^ 1u].profile;
        unlike_user += i >= 4 && jobs[i].profile != jobs[i - 4].profile;
    }
    assert_true(unlike_size > JOBS / 2);
    assert_true(unlike_user > JOBS / 2);
    free(jobs);
    assigned_free();
}

static void test_seeds_and_prefixes(void **state)
{
    enum { JOBS = 2000, PREFIX = 700 };
    (void)state;
    assigned_load("builtin:profiles.csv");
    struct hs_trace_job *all = draw_jobs(JOBS, 30, 0.8, 1);
    struct hs_trace_job *again = draw_jobs(JOBS, 30, 0.8, 1);
    struct hs_trace_job *first = draw_jobs(PREFIX, 30, 0.8, 1);
    struct hs_trace_job *other = draw_jobs(JOBS, 30, 0.8, 2);
    unsigned equal = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_int_equal(again[i].profile, all[i].profile);
        if (i < PREFIX)
            assert_int_equal(first[i].profile, all[i].profile);
        equal += other[i].profile == all[i].profile;
    }
    assert_true(equal < JOBS / 4);
    free(all);
    free(again);
    free(first);
    free(other);
    assigned_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_of_independent_draws),
        cmocka_unit_test(test_mean_of_sticky_draws),
        cmocka_unit_test(test_stickiness),
        cmocka_unit_test(test_each_user_and_size_has_its_own),
        cmocka_unit_test(test_seeds_and_prefixes),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
