/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Job statistics compared with sorting everything, with the temporary records in memory and in
 * their file, and the classes of jobs and users.
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

#include "base/fixed.h"
#include "base/memory.h"
#include "base/rng.h"
#include "report/stats/exact.h"
#include "report/run/observers.h"
#include "support/sink.h"

#define S HS_US_PER_S

static struct sink sink;
static struct hs_summary summary;

static struct hs_job_record done_job(uint64_t index, int64_t submit_us, int64_t wait_us,
                                     int64_t work_us, uint32_t gpus)
{
    return (struct hs_job_record){.id = "",
                                  .user = "",
                                  .vc = "",
                                  .index = index,
                                  .gpus = gpus,
                                  .gpu_milli = HS_GPU_MILLI,
                                  .submit_us = submit_us,
                                  .first_start_us = submit_us + wait_us,
                                  .first_progress_us = submit_us + wait_us,
                                  .finish_us = submit_us + wait_us + work_us,
                                  .work_us = work_us,
                                  .done_ns = work_us * HS_NS_PER_US,
                                  .run_us = work_us,
                                  .gpu_us = work_us * gpus,
                                  .gpu_util_pm = -1,
                                  .state = HS_JOB_DONE};
}

static void tell(struct hs_stats *s, const struct hs_job_record *job)
{
    const struct hs_submission submission = {.gpu_util_pm = job->gpu_util_pm};
    hs_stats_submit(s, job->submit_us, &submission);
    assert_int_equal(hs_stats_end(s, job->finish_us, job), HS_OK);
}

#define SAMPLE_SIZE 64u /* bytes of a job in the temporary file */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Random waits below 2^bits us; mean and quantiles by the definition, on the sorted list. */
static void expect_waits(uint64_t count, unsigned bits)
{
    struct hs_stats s;
    hs_u128 sum = 0;
    int64_t *waits = hs_alloc_zeroed(count, sizeof *waits);
    assert_non_null(waits);
    sink_init(&sink);
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    for (uint64_t i = 0; i < count; i++) {
        waits[i] = (int64_t)(hs_mix64(count, i) >> (hs_mix64(i, 5) % 30 + 64 - bits));
        sum += (uint64_t)waits[i];
        struct hs_job_record job = done_job(i, (int64_t)i, waits[i], S, 1);
        tell(&s, &job);
    }
    assert_int_equal(s.samples.file != NULL, count * SAMPLE_SIZE > HS_TEMP_RECORDS_BUFFER);
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    qsort(waits, count, sizeof *waits, compare);
    const double *got = s.figure[HS_M_WAIT];
    assert_true(got[HS_F_MEAN] == hs_exact_double(sum, (hs_u128)count * S));
    assert_true(got[HS_F_P50] == (double)waits[(count * 500 + 999) / 1000 - 1] / 1e6);
    assert_true(got[HS_F_P90] == (double)waits[(count * 900 + 999) / 1000 - 1] / 1e6);
    assert_true(got[HS_F_P99] == (double)waits[(count * 990 + 999) / 1000 - 1] / 1e6);
    assert_true(got[HS_F_MAX] == (double)waits[count - 1] / 1e6);
    assert_int_equal(s.counted, count);
    hs_stats_close(&s);
    hs_free(waits);
}

static void quantiles_are_exact_in_memory(void **state)
{
    (void)state;
    expect_waits(1, 40);
    expect_waits(100, 40);
    expect_waits(HS_TEMP_RECORDS_BUFFER / SAMPLE_SIZE, 40);
}

static void quantiles_are_exact_through_the_file(void **state)
{
    (void)state;
    expect_waits(HS_TEMP_RECORDS_BUFFER / SAMPLE_SIZE + 1, 40);
    expect_waits(100000, 40);
    expect_waits(300000, 48);
}

/* 7 / 3 = 2.333333 ppm-rounded; 2 / 3 rounds up; bounded by 10 s: a 1 s job that waits 19 s has
 * 20 / 10. A job without work has no slowdown but a bounded one. */
static void slowdowns_are_rounded_half_up(void **state)
{
    (void)state;
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    struct hs_job_record third = done_job(0, 0, 4 * S, 3 * S, 1);
    struct hs_job_record empty = done_job(1, 0, 30 * S, 0, 1);
    tell(&s, &third);
    tell(&s, &empty);
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    assert_true(s.figure[HS_M_SLOWDOWN][HS_F_MAX] == 2.333333);
    assert_true(s.figure[HS_M_SLOWDOWN][HS_F_MEAN] == 2.333333); /* of one job */
    assert_true(s.figure[HS_M_BOUNDED][HS_F_MAX] == 3);          /* 30 / 10 */
    assert_true(s.figure[HS_M_BOUNDED][HS_F_MEAN] == 2);         /* 1 and 3 */
    hs_stats_close(&s);
}

static const struct hs_class *find(const char *kind, const char *name)
{
    for (uint32_t i = 0; i < summary.class_count; i++)
        if (strcmp(summary.classes[i].kind, kind) == 0 &&
            strcmp(summary.classes[i].name, name) == 0)
            return &summary.classes[i];
    return NULL;
}

static void gpu_classes_have_these_edges(void **state)
{
    (void)state;
    static const uint32_t gpus[] = {0, 1, 2, 4, 5, 8, 9, 16, 17, 32, 33, 4096};
    static const struct {
        const char *name;
        uint64_t jobs;
    } expected[] = {{"0", 1},    {"1", 1},     {"2-4", 2}, {"5-8", 2},
                    {"9-16", 2}, {"17-32", 2}, {">32", 2}};
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    for (uint64_t i = 0; i < 12; i++) {
        struct hs_job_record job = done_job(i, 0, (int64_t)gpus[i] * S, S, gpus[i]);
        tell(&s, &job);
    }
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    for (size_t i = 0; i < 7; i++) {
        const struct hs_class *class = find("gpus", expected[i].name);
        assert_non_null(class);
        assert_int_equal(class->jobs, expected[i].jobs);
    }
    assert_true(find("gpus", "5-8")->value[0] == 6.5); /* waits of 5 and 8 s */
    assert_null(find("user_quintile", "q1"));          /* no job has a user */
    assert_null(find("vc", "(none)"));
    hs_stats_close(&s);
}

/* Ten users of 1 s x (their number) of GPU time, submitted in reverse: two a quintile, lightest
 * first. User 10 has a second, failed job: its GPU time counts, but it is not a sample. */
static void users_fall_into_quintiles(void **state)
{
    (void)state;
    char name[8];
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    for (uint32_t user = 10; user >= 1; user--) {
        struct hs_job_record job = done_job(10 - user, 0, user * S, user * S, 1);
        snprintf(name, sizeof name, "u%u", user);
        job.user = name;
        job.user_index = user;
        job.vc = user > 3 ? "big" : "";
        job.vc_index = user > 3 ? 7 : 0;
        tell(&s, &job);
    }
    struct hs_job_record failed = done_job(10, 0, 0, 100 * S, 1);
    failed.user = "u10";
    failed.user_index = 10;
    failed.state = HS_JOB_FAILED;
    tell(&s, &failed);
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    assert_int_equal(s.failed, 1);
    assert_int_equal(find("user_quintile", "q1")->jobs, 2);
    assert_true(find("user_quintile", "q1")->value[0] == 1.5); /* waits of users 1, 2 */
    assert_true(find("user_quintile", "q5")->value[0] == 9.5);
    assert_int_equal(find("vc", "big")->jobs, 7);
    assert_int_equal(find("vc", "(none)")->jobs, 3);
    assert_true(s.jain == 1); /* every user waits as long as it runs: 1/2 each */
    hs_stats_close(&s);
}

/* A class of all jobs lists the figures of all; a second outcome splits it in two. Waits 1 and 5 s,
 * slowdowns 2/1 and 10/5 before the third job. */
static void classes_that_hold_every_job(void **state)
{
    (void)state;
    for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
        struct hs_stats s;
        hs_stats_open(&s, NULL, 0, 0, &sink.diag);
        struct hs_job_record job[3] = {done_job(0, 0, S, S, 1), done_job(1, 0, 5 * S, 5 * S, 1),
                                       done_job(2, 0, 0, S, 8)};
        job[2].outcome = HS_OUTCOME_FAILED;
        for (int i = 0; i < 2 + is_mixed; i++) {
            job[i].vc = "one";
            job[i].vc_index = 5;
            tell(&s, &job[i]);
        }
        assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
        assert_int_equal(find("vc", "one")->jobs, 2 + is_mixed);
        assert_true(find("vc", "one")->value[0] == (is_mixed ? 2 : 3)); /* mean wait */
        assert_int_equal(find("gpus", "1")->jobs, 2);
        assert_true(find("gpus", "1")->value[0] == 3);
        assert_true(find("gpus", "1")->value[2 * HS_FIGURES] == 2); /* mean slowdown */
        assert_int_equal(find("gpus", "5-8") != NULL, is_mixed);
        assert_int_equal(find("outcome", "failed") != NULL, is_mixed);
        assert_int_equal(find("outcome", "unknown")->jobs, 2);
        hs_stats_close(&s);
    }
}

/* Measures of a class by name, as summary.json lists them. */
static double measure(const struct hs_class *class, const char *name)
{
    uint32_t i = 0;
    while (strcmp(hs_class_measures[i], name) != 0)
        i++;
    return class->value[i];
}

/* Ten jobs of 4 s of work on a shared GPU; job i waits 100 s and holds it 4 + i s, of them i + 1
 * with another job (i = 0 ... 9), so that it runs (4 + i) / 4 times as long: 1, 1.25 ... 3.25, on
 * average 2.125. Ranks 5, 9, 10, 10 of ten are the quantiles. The longer half are gangs of 2: 2.25
 * ... 3.25. An eleventh has no work; a twelfth fails after 20 s, 5 of them shared: neither is a
 * sample. Shared are 55 + 5 of 85 + 0 + 20 s. */
static void run_slowdowns_leave_waiting_out(void **state)
{
    (void)state;
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    for (uint32_t i = 0; i < 12; i++) {
        struct hs_job_record job = done_job(i, 0, 100 * S, (4 + (int64_t)i) * S, i < 5 ? 1 : 2);
        job.work_us = 4 * S;
        job.colocated_us = (i + 1) * S;
        if (i == 10)
            job.work_us = job.run_us = job.colocated_us = 0;
        if (i == 11) {
            job.state = HS_JOB_FAILED;
            job.run_us = 20 * S;
            job.colocated_us = 5 * S;
        }
        tell(&s, &job);
    }
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    const double *got = s.figure[HS_M_RUN_SLOWDOWN];
    assert_true(got[HS_F_MEAN] == 2.125);
    assert_true(got[HS_F_P50] == 2);
    assert_true(got[HS_F_P90] == 3);
    assert_true(got[HS_F_P95] == 3.25);
    assert_true(got[HS_F_P99] == 3.25);
    assert_true(got[HS_F_MAX] == 3.25);
    assert_true(s.figure[HS_M_SLOWDOWN][HS_F_MAX] == 28.25); /* 100 + 13 of 4 */
    assert_true(measure(find("gpus", "1"), "mean_run_slowdown") == 1.5);
    assert_true(measure(find("gpus", "1"), "max_run_slowdown") == 2);
    assert_true(measure(find("gpus", "2-4"), "mean_run_slowdown") == 2.75);
    assert_true(measure(find("gpus", "2-4"), "p50_run_slowdown") == 2.75);
    assert_true(measure(find("gpus", "1"), "mean_isolated") == 4);
    assert_true(s.colocated_us == 60 * S);
    assert_true(s.run_us == 105 * S);
    hs_stats_close(&s);
}

/* Fast GPUs: a job of 4 s takes 2, one of 1 s waits 2 and takes 1. */
static void slowdowns_below_one(void **state)
{
    (void)state;
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    struct hs_job_record fast = done_job(0, 0, 0, 2 * S, 1), slow = done_job(1, 0, 2 * S, S, 1);
    fast.work_us = 4 * S;
    tell(&s, &fast);
    tell(&s, &slow);
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    assert_true(s.figure[HS_M_SLOWDOWN][HS_F_P50] == 0.5);
    assert_true(s.figure[HS_M_SLOWDOWN][HS_F_MAX] == 3);
    assert_true(s.figure[HS_M_SLOWDOWN][HS_F_MEAN] == 1.75);
    assert_true(s.figure[HS_M_RUN_SLOWDOWN][HS_F_P50] == 0.5);
    assert_true(s.figure[HS_M_RUN_SLOWDOWN][HS_F_MAX] == 1);
    assert_true(s.figure[HS_M_BOUNDED][HS_F_MEAN] == 1);
    hs_stats_close(&s);
}

/* Ten jobs start after 10 s; job i makes progress from i s later on: 10, 11 ... 19, on average
 * 14.5. An eleventh has no work and ends, as it starts, after 30 s. Ranks 6, 10 and 11 of eleven
 * are the quantiles. The first four are guaranteed, the eleventh has no class. A twelfth fails and
 * is not a sample; like each of the others it was suspended twice and had 3 MiB on the host for 1
 * s. */
static void progress_may_come_after_the_start(void **state)
{
    (void)state;
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    for (uint32_t i = 0; i < 12; i++) {
        struct hs_job_record job = done_job(i, S, 10 * S, 100 * S, 1);
        job.first_progress_us += i * S;
        job.job_class = i < 4 ? HS_JOB_CLASS_GUARANTEED : HS_JOB_CLASS_OPPORTUNISTIC;
        job.switches = 2;
        job.host_mib_us = 3 * S;
        if (i == 10) {
            job = done_job(i, S, 30 * S, 0, 1);
            job.first_progress_us = -1;
        }
        if (i == 11)
            job.state = HS_JOB_FAILED;
        tell(&s, &job);
    }
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    const double *got = s.figure[HS_M_PROGRESS];
    assert_true(got[HS_F_MEAN] == 175.0 / 11);
    assert_true(got[HS_F_P50] == 15);
    assert_true(got[HS_F_P90] == 19);
    assert_true(got[HS_F_P95] == 30);
    assert_true(got[HS_F_MAX] == 30);
    assert_true(s.figure[HS_M_WAIT][HS_F_P90] == 10);
    assert_true(measure(find("class", "guaranteed"), "mean_time_to_progress") == 11.5);
    assert_true(measure(find("class", "opportunistic"), "mean_time_to_progress") == 16.5);
    assert_true(measure(find("class", "opportunistic"), "mean_wait") == 10);
    assert_int_equal(find("class", "guaranteed")->jobs, 4);
    assert_int_equal(find("class", "auto")->jobs, 1);
    assert_int_equal(s.switches, 22);
    assert_true(s.host_mib_us == 33 * S);
    hs_stats_close(&s);
}

/* The class requests of two jobs: none, both the same class, each another. */
static void classes_are_listed_if_a_job_requests_one(void **state)
{
    (void)state;
    static const enum hs_job_class asked[3][2] = {
        {HS_JOB_CLASS_AUTO, HS_JOB_CLASS_AUTO},
        {HS_JOB_CLASS_OPPORTUNISTIC, HS_JOB_CLASS_OPPORTUNISTIC},
        {HS_JOB_CLASS_AUTO, HS_JOB_CLASS_GUARANTEED}};
    for (int i = 0; i < 3; i++) {
        struct hs_stats s;
        hs_stats_open(&s, NULL, 0, 0, &sink.diag);
        for (int k = 0; k < 2; k++) {
            struct hs_job_record job = done_job((uint64_t)k, 0, (2 * k + 1) * S, S, 1);
            job.job_class = asked[i][k];
            tell(&s, &job);
        }
        assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
        assert_int_equal(find("class", "auto") != NULL, i == 2);
        assert_int_equal(find("class", "opportunistic") != NULL, i == 1);
        assert_int_equal(find("class", "guaranteed") != NULL, i == 2);
        assert_true(i != 1 || find("class", "opportunistic")->value[0] == 2); /* waits 1, 3 s */
        assert_true(i != 2 || find("class", "guaranteed")->value[0] == 3);
        /* no job was delayed: the figures of the wait */
        assert_true(s.figure[HS_M_PROGRESS][HS_F_MEAN] == 2);
        assert_true(s.figure[HS_M_PROGRESS][HS_F_MAX] == 3);
        hs_stats_close(&s);
    }
}

static void more_vcs_than_classes_share_one(void **state)
{
    (void)state;
    char name[80];
    uint64_t jobs = 0;
    struct hs_stats s;
    hs_stats_open(&s, NULL, 0, 0, &sink.diag);
    for (uint32_t i = 0; i < 200; i++) {
        struct hs_job_record job = done_job(i, 0, 0, S, 1);
        snprintf(name, sizeof name, i == 0 ? "%070u" : "vc%u", i);
        job.vc = name;
        job.vc_index = i + 1;
        tell(&s, &job);
    }
    assert_int_equal(hs_stats_finish(&s, &summary), HS_OK);
    for (uint32_t i = 0; i < summary.class_count; i++)
        if (strcmp(summary.classes[i].kind, "vc") == 0)
            jobs += summary.classes[i].jobs;
    assert_int_equal(jobs, 200);
    /* one class is for jobs without a VC, the last one for all others */
    assert_int_equal(find("vc", "(others)")->jobs, 200 - (HS_CLASS_VCS_MAX - 2));
    for (uint32_t i = 0; i < summary.class_count; i++)
        assert_true(strlen(summary.classes[i].name) <= HS_CLASS_NAME_MAX);
    hs_stats_close(&s);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    struct hs_stats s;
    sink_init(&sink);
    hs_stats_open(&s, "/nonexistent/folder", 0, 0, &sink.diag);
    struct hs_job_record job = done_job(0, 0, 0, S, 1);
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < 20000 && status == HS_OK; i++)
        status = hs_stats_end(&s, job.finish_us, &job);
    assert_int_equal(status, HS_E_IO);
    assert_non_null(strstr(sink.text, "cannot create a temporary file in '/nonexistent/folder'"));
    hs_stats_close(&s);
}

/* 64 GPUs for 10 days are 64 x 864,000 GPU seconds: in thousandths of GPUs times
 * nanoseconds, 5.5e19, more than 64 bits hold. */
static void sums_of_large_gangs_do_not_overflow(void **state)
{
    (void)state;
    struct hs_stats s;
    sink_init(&sink);
    hs_stats_open(&s, "/tmp", 0, 0, &sink.diag);
    struct hs_job_record job = done_job(0, 0, 0, 864000 * S, 64);
    job.lost_ns = job.done_ns;
    tell(&s, &job);
    const hs_u128 unit = (hs_u128)1000 * 1000000000;
    assert_true(s.done_milli_ns == 64 * 864000 * unit);
    assert_true(s.lost_milli_ns == 64 * 864000 * unit);
    hs_stats_close(&s);
}

/* hs_exact_double compared with cases of known nearest doubles. */
static void division_is_correctly_rounded(void **state)
{
    (void)state;
    assert_true(hs_exact_double(1, 3) == 1.0 / 3);
    assert_true(hs_exact_double(274896, 10000) == 27.4896);
    assert_true(hs_exact_double((hs_u128)274896 * 1000000, (hs_u128)10000 * 1000000) == 27.4896);
    assert_true(hs_exact_double(0, 7) == 0);
    assert_true(isnan(hs_exact_double(0, 0)));
    /* a tie between two doubles rounds to even, unless a remainder decides */
    uint64_t even = (UINT64_C(1) << 53) + 1; /* halfway between 2^53 and 2^53 + 2 */
    assert_true(hs_exact_double(even, 1) == 9007199254740992.0);
    assert_true(hs_exact_double((hs_u128)even * 1000 + 1, 1000) == 9007199254740994.0);
    /* all quotients of small integers: IEEE division rounds them correctly */
    for (unsigned num = 1; num < 300; num++)
        for (unsigned den = 1; den < 300; den++)
            assert_true(hs_exact_double(num, den) == (double)num / den);
    assert_int_equal(hs_exact_scaled(2, 3, 1000000), 666667);
    assert_int_equal(hs_exact_scaled(1, 2, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_exact_in_memory),
        cmocka_unit_test(quantiles_are_exact_through_the_file),
        cmocka_unit_test(slowdowns_are_rounded_half_up),
        cmocka_unit_test(gpu_classes_have_these_edges),
        cmocka_unit_test(users_fall_into_quintiles),
        cmocka_unit_test(classes_that_hold_every_job),
        cmocka_unit_test(run_slowdowns_leave_waiting_out),
        cmocka_unit_test(slowdowns_below_one),
        cmocka_unit_test(progress_may_come_after_the_start),
        cmocka_unit_test(classes_are_listed_if_a_job_requests_one),
        cmocka_unit_test(more_vcs_than_classes_share_one),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(sums_of_large_gangs_do_not_overflow),
        cmocka_unit_test(division_is_correctly_rounded),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
