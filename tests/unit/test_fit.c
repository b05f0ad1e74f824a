/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A fit to jobs made here, so that its result is known; the written file reads back the same; and a
 * workload fitted to generated jobs is the workload that generated them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/sink.h"
#include "workload/workload.h"

#define SECOND INT64_C(1000000)
#define HOUR   (3600 * SECOND)
#define DAY    (24 * HOUR)
#define MONDAY (4 * DAY) /* 1970-01-05 */

struct fitted {
    struct hs_fit *fit;
    struct hs_workload workload;
    struct sink sink;
};

static int begin(void **state)
{
    static struct fitted f;
    memset(&f, 0, sizeof f);
    sink_init(&f.sink);
    hs_fit_open(&f.fit);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fitted *f = *state;
    hs_workload_free(&f->workload);
    hs_fit_close(f->fit);
    return 0;
}

static void add(struct fitted *f, int64_t submit_us, uint32_t gpus, int64_t duration_s,
                const char *user)
{
    struct hs_trace_job job = {.id = "j",
                               .user = user,
                               .submit_us = submit_us,
                               .gpus = gpus,
                               .gpu_milli = 1000,
                               .duration_us = duration_s * SECOND};
    assert_int_equal(hs_fit_add(f->fit, &job, &f->sink.diag), HS_OK);
}

static void finish(struct fitted *f)
{
    assert_int_equal(hs_fit_finish(f->fit, "lab", &f->workload, &f->sink.diag), HS_OK);
}

static void near(double seen, double expected, double allowed)
{
    if (!(fabs(seen - expected) <= allowed))
        fail_msg("%.9g is not within %g of %.9g", seen, allowed, expected);
}

static void test_too_few(void **state)
{
    struct fitted *f = *state;
    for (int i = 0; i < 9; i++)
        add(f, i * HOUR, 1, 1, NULL);
    add(f, 10 * HOUR, 0, 1, NULL); /* a row without GPUs is no job */
    assert_int_equal(hs_fit_jobs(f->fit), 9);
    assert_int_equal(hs_fit_finish(f->fit, "lab", &f->workload, &f->sink.diag), HS_E_INPUT);
    assert_non_null(strstr(f->sink.text, "there are 9"));
}

/* Two weeks: 2 jobs at 10 h of each day but Sunday, 6 at 15 h: a quarter and three quarters,
 * weekdays a sixth each, although the trace begins and ends within a day. The counts do not deviate
 * from that profile, and counts with less than the variance of a Poisson process have no
 * modulation. 97 jobs from Monday 10 h to the last second of the second Sunday. */
static void test_profile(void **state)
{
    struct fitted *f = *state;
    for (int day = 0; day < 14; day++)
        for (int i = 0; i < 8 && day % 7 != 6; i++)
            add(f, MONDAY + day * DAY + (i < 2 ? 10 : 15) * HOUR + i % 2 * 1800 * SECOND, 1, 10,
                NULL);
    /* The last Sunday is complete but almost empty. */
    add(f, MONDAY + 14 * DAY - SECOND, 1, 10, NULL);
    finish(f);
    const struct hs_workload_arrivals *a = &f->workload.arrivals;
    assert_int_equal(a->first_us, MONDAY);
    near(a->hours[10], .25, .02);
    near(a->hours[15], .75, .02);
    near(a->weekdays[0], 1.0 / 6, .02);
    near(a->weekdays[6], 0, .02);
    near(a->jobs_per_day, 97 / (14 - 10.0 / 24), .1);
    assert_true(a->modulation.cv == 0);
}

/* 30 jobs in each hour of 20 days, except for ten hours of one night. */
static void test_outage(void **state)
{
    struct fitted *f = *state;
    for (int64_t hour = 0; hour < 20 * 24; hour++)
        for (int i = 0; i < 30 && (hour < 100 || hour >= 110); i++)
            add(f, MONDAY + hour * HOUR + i * 100 * SECOND, 1, 10, NULL);
    finish(f);
    const struct hs_workload_outages *o = &f->workload.arrivals.outages;
    near(o->per_day, 1.0 / 20, 1e-9);
    near(hs_quantile_fn_at(&o->hours, .5), 10, 1e-9);
    near(f->workload.arrivals.hours[5], 1.0 / 24, 1e-9); /* not less because of the outage at 5 h */
    assert_true(f->workload.arrivals.modulation.cv == 0);
}

/* A user's five jobs within a minute, at 10 s, are one batch; the sixth, 61 s later, begins
 * another. A job of a second user in between does not end it. */
static void test_runs(void **state)
{
    struct fitted *f = *state;
    for (int run = 0; run < 4; run++) {
        for (int i = 0; i < 5; i++) {
            add(f, run * HOUR + i * 10 * SECOND, 4, 100, "a");
            if (i == 2)
                add(f, run * HOUR + 25 * SECOND, 1, 100, "b");
        }
        add(f, run * HOUR + 101 * SECOND, 4, 100, "a");
    }
    finish(f);
    const struct hs_workload_batches *b = &f->workload.arrivals.batches;
    near(hs_quantile_fn_at(&b->jobs, .6), 1, 1e-6); /* 12 runs: 8 single jobs, 4 of five */
    near(ceil(hs_quantile_fn_at(&b->jobs, .7)), 5, 0);
    near(hs_quantile_fn_at(&b->gap_s, .5), 10, 1e-6);
    near(b->same_size, 1, 1e-9);
    assert_int_equal(f->workload.users, 2);
}

/* Sizes 1, 3 and 5 to 7 are three classes. The shorter half of the 1,000 jobs of one GPU completed,
 * the longer half failed; half of these after one retry of 7 s. */
static void test_sizes(void **state)
{
    struct fitted *f = *state;
    static const int64_t attempts[] = {7 * SECOND, 1000 * SECOND};
    for (int i = 0; i < 1000; i++) {
        struct hs_trace_job job = {.id = "j",
                                   .submit_us = i * HOUR,
                                   .gpus = 1,
                                   .duration_us = (i % 2 == 0 ? 10 : 1007) * SECOND};
        job.outcome = i % 2 == 0 ? HS_OUTCOME_COMPLETED : HS_OUTCOME_FAILED;
        if (i % 4 == 1) {
            job.attempts = 2;
            job.attempts_us = attempts;
        }
        assert_int_equal(hs_fit_add(f->fit, &job, &f->sink.diag), HS_OK);
    }
    add(f, 1001 * HOUR, 3, 10, NULL);
    for (uint32_t gpus = 5; gpus <= 7; gpus++)
        add(f, 1002 * HOUR, gpus, 10, NULL);
    finish(f);
    const struct hs_workload *w = &f->workload;
    assert_int_equal(w->bucket_count, 3);
    assert_string_equal(w->buckets[0].name, "1");
    assert_string_equal(w->buckets[1].name, "3");
    assert_string_equal(w->buckets[2].name, "5-7");
    assert_int_equal(w->buckets[2].size_count, 3);
    near(w->buckets[0].share, 1000.0 / 1004, 1e-9);
    assert_true(w->buckets[0].state_count >= 2);
    near(w->buckets[0].states[0].rank, .5, 1e-9);
    near(w->buckets[0].states[0].share[0], 1, 1e-9);
    near(w->buckets[0].states[1].share[2], 1, 1e-9);
    assert_int_equal(w->buckets[1].state_count, 0);
    assert_int_equal(w->retries.max, 1);
    near(w->buckets[0].retries, .25, 1e-9);
    near(hs_quantile_fn_at(&w->retries.time_s, .5), 7, 1e-9);
}

static void test_owners(void **state)
{
    struct fitted *f = *state;
    for (int i = 0; i < 40; i++) {
        struct hs_trace_job job = {.id = "j",
                                   .user = i % 4 == 0   ? "a"
                                           : i % 2 == 0 ? "b"
                                                        : "c",
                                   .vc = i % 2 == 0 ? "left" : "right",
                                   .submit_us = i * HOUR,
                                   .gpus = i % 2 == 0 ? 8 : 2,
                                   .duration_us = SECOND};
        assert_int_equal(hs_fit_add(f->fit, &job, &f->sink.diag), HS_OK);
    }
    finish(f);
    const struct hs_workload *w = &f->workload;
    assert_int_equal(w->users, 3);
    /* runs 10, 10, 20: Gini (2 x 20 - 2 x 10) / 3 / 40 = 1/6. Weights 1/x, 1, x with z(5/6) =
     * .967422 (table): 2 (x - 1/x) / 3 / (1/x + 1 + x) = 1/6, 3 x^2 - x - 5 = 0, x = 1.468375 */
    near(w->users_sigma, log(1.468375) / .967422, 1e-5);
    assert_int_equal(w->vc_count, 2);
    assert_string_equal(w->vcs[0].name, "left");
    assert_int_equal(w->vcs[0].gpus_max, 8);
    near(w->vcs[0].shares[0], 0, 0); /* 2 GPUs */
    near(w->vcs[0].shares[1], 1, 0); /* 8 GPUs */
    near(w->vcs[1].shares[0], 1, 0);
}

/* ---- round trip ---- */

static void write_to(const struct hs_workload *w, const char *path)
{
    struct hs_output out;
    struct sink sink;
    sink_init(&sink);
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    hs_workload_write(w, "made by a test", &out);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
}

static void same_curve(const struct hs_quantile_fn *a, const struct hs_quantile_fn *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        near(a->rank[i], b->rank[i], 1e-7);
        near(a->value[i], b->value[i], 1e-6 * b->value[i]);
    }
}

static void test_written_and_read(void **state)
{
    struct fitted *f = *state;
    struct hs_workload again;
    struct sink sink;
    test_runs(state);
    write_to(&f->workload, scratch_path("w.json"));
    sink_init(&sink);
    assert_int_equal(hs_workload_load(&again, scratch_path("w.json"), &sink.diag), HS_OK);
    assert_string_equal(sink.text, "");
    const struct hs_workload *w = &f->workload;
    assert_string_equal(again.name, "lab");
    assert_int_equal(again.arrivals.first_us, w->arrivals.first_us);
    near(again.arrivals.jobs_per_day, w->arrivals.jobs_per_day, 1e-3);
    near(again.arrivals.modulation.cv, w->arrivals.modulation.cv, 1e-6);
    same_curve(&again.arrivals.batches.jobs, &w->arrivals.batches.jobs);
    same_curve(&again.arrivals.batches.gap_s, &w->arrivals.batches.gap_s);
    assert_true(again.arrivals.batches.is_whole);
    assert_int_equal(again.bucket_count, w->bucket_count);
    for (uint32_t i = 0; i < w->bucket_count; i++) {
        same_curve(&again.buckets[i].duration_s, &w->buckets[i].duration_s);
        near(again.buckets[i].share, w->buckets[i].share, 1e-6);
    }
    assert_int_equal(again.users, w->users);
    near(again.users_sigma, w->users_sigma, 1e-6);
    hs_workload_free(&again);
}

/* ---- the source of jobs ---- */

static const char lab[] =
    "{\"name\": \"lab\", \"arrivals\": {\"first\": \"2020-04-01\", \"jobs_per_day\": 600,"
    " \"modulation\": {\"cv\": 1.2, \"hours\": 3, \"slow_hours\": 60, \"slow_share\": 0.3},"
    " \"batches\": {\"jobs\": [[0, 1], [0.8, 1], [0.9, 2], [1, 20]],"
    " \"gap_s\": [[0, 1], [1, 30]], \"same_size\": 0.8, \"duration_correlation\": 0.5}},"
    " \"sizes\": [{\"name\": \"1\", \"gpus\": [[1, 0.7]],"
    " \"duration_s\": [[0, 1], [0.5, 200], [1, 86400]],"
    " \"states\": [[0.9, 0.7, 0.2, 0.1], [1, 0.4, 0.5, 0.1]]},"
    " {\"name\": \"8\", \"gpus\": [[8, 0.3]], \"duration_s\": [[0, 10], [0.5, 7200], [1, 600000]],"
    " \"states\": [[1, 0.4, 0.3, 0.3]]}],"
    " \"users\": {\"count\": 100, \"sigma\": 1.2, \"duration_correlation\": 0.3,"
    " \"outcome_correlation\": 0.4}}";

/* 60,000 jobs of a hundred days. The bounds are what six seeds stay within. Outcomes of a user
 * agree less often than their correlation implies: ranks and sizes have mixes of their own. */
static void test_recovered(void **state)
{
    struct fitted *f = *state;
    struct hs_generate_request request = {.jobs = 60000, .seed = 3};
    struct hs_generator *generator;
    struct hs_trace_job job;
    request.name = scratch_write("lab.json", lab, sizeof lab - 1);
    assert_int_equal(hs_generator_open(&generator, &request, &f->sink.diag), HS_OK);
    while (hs_generator_next(generator, &job) == HS_OK)
        assert_int_equal(hs_fit_add(f->fit, &job, &f->sink.diag), HS_OK);
    hs_generator_close(generator);
    finish(f);
    const struct hs_workload *w = &f->workload;
    const struct hs_workload_arrivals *a = &w->arrivals;
    near(a->jobs_per_day, 600, 6);
    near(a->modulation.cv, 1.2, .12);
    assert_true(a->outages.per_day == 0);
    /* memory of the rate over an hour, and over a day */
    for (double hours = 1; hours <= 24; hours += 23) {
        double kept = (1 - a->modulation.slow_share) * exp(-hours / a->modulation.hours) +
                      a->modulation.slow_share * exp(-hours / a->modulation.slow_hours);
        near(kept, .7 * exp(-hours / 3) + .3 * exp(-hours / 60), .10);
    }
    near(a->batches.same_size, .8, .05);
    near(a->batches.duration_correlation, .5, .05);
    near(w->users_sigma, 1.2, .08);
    near(w->users_duration_correlation, .3, .1);
    near(w->users_outcome_correlation, .3, .1);
    assert_int_equal(w->users, 100);
    near(w->buckets[0].share, .7, .001);
    near(hs_quantile_fn_at(&w->buckets[0].duration_s, .5), 200, 4);
    /* .5 x 7190 / ln 720 + .5 x 592800 / ln 83.33 */
    near(hs_quantile_fn_mean(&w->buckets[1].duration_s), 67559, .02 * 67559);
    near(hs_bucket_state_share(&w->buckets[0], HS_OUTCOME_COMPLETED), .67, .005);
    near(hs_bucket_state_share(&w->buckets[1], HS_OUTCOME_FAILED), .3, .005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_too_few, begin, end),
        cmocka_unit_test_setup_teardown(test_profile, begin, end),
        cmocka_unit_test_setup_teardown(test_outage, begin, end),
        cmocka_unit_test_setup_teardown(test_runs, begin, end),
        cmocka_unit_test_setup_teardown(test_sizes, begin, end),
        cmocka_unit_test_setup_teardown(test_owners, begin, end),
        cmocka_unit_test_setup_teardown(test_written_and_read, begin, end),
        cmocka_unit_test_setup_teardown(test_recovered, begin, end),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
