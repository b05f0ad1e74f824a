/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The assign stage as a filter: which source a job's profile comes from, what the record contains
 * afterwards, and how long a day is.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/assigned.h"

#define HOUR_US INT64_C(3600000000)
#define DAY_US  (24 * HOUR_US)

/* Three models on one type; the first two are trained on many GPUs. */
#define SMALL                                                                                      \
    "model,dataset,batch,precision,gpu,util,mem_mib,distributed\n"                                 \
    "NetA,Set,32,fp32,G,30,2000,yes\n"                                                             \
    "NetA,Set,64,fp32,G,50,3000,yes\n"                                                             \
    "NetB,,,amp,G,70,,no\n"
enum { A_32, A_64, B };

static void load_small(void)
{
    assigned_load_text(SMALL);
}

static struct hs_trace_job pass_one(struct hs_trace_job job, enum hs_assign_mode mode)
{
    const struct hs_assign_options options = {.mode = mode, .seed = 1, .target_util = 0.45};
    assigned_pass(&job, 1, &options);
    return job;
}

/* A kind of work instead of a model: the catalogue has one Transformer of each kind, which is drawn
 * for any GPU type; "other" draws from the mix, that of NetG, the only model on G. A user keeps one
 * profile for each kind. */
static void test_kinds_of_work(void **state)
{
    (void)state;
    static const char *const kinds[] = {"Pretrain", "SFT", "Evaluation", "inference", "Other"};
    static const char *const models[] = {"Train", "Train", "Serve", "Serve", "NetG"};
    assigned_load_text("model,family,gpu,util,mem_mib,distributed,kind\n"
                       "Train,Transformer,A,90,100,no,\n"
                       "Serve,Transformer,A,45,100,no,inference\n"
                       "NetG,Other,G,50,100,yes,training\nNetG2,Other,G,50,100,yes,training\n"
                       "NetG3,Other,G,50,100,yes,training\n");
    const struct hs_assign_options options = {
        .mode = HS_ASSIGN_AUTO, .seed = 1, .target_util = 0.5, .sticky = 1};
    struct hs_trace_job jobs[5];
    for (int i = 0; i < 5; i++) {
        jobs[i] = assigned_blank(4);
        jobs[i].model = kinds[i];
        jobs[i].user = "u";
    }
    assigned_pass(jobs, 5, &options);
    for (int i = 0; i < 5; i++) {
        assert_memory_equal(jobs[i].model, models[i], strlen(models[i]));
        assert_int_equal(jobs[i].profile_from, HS_PROFILE_FROM_DRAW);
        assert_int_equal(jobs[i].util_from, HS_FIGURE_FROM_ASSUMED);
    }
    assert_int_equal(assigned_counts.unknown_model, 0);
    assigned_free();
}

static void test_named_models(void **state)
{
    (void)state;
    load_small();
    struct hs_trace_job job = assigned_blank(1);
    job.model = "net-a";
    job.batch = "64";
    struct hs_trace_job out = pass_one(job, HS_ASSIGN_COLUMNS);
    assert_int_equal(out.profile, A_64);
    assert_int_equal(out.gpu_util_pm, 500);
    assert_int_equal(out.gpu_mem_mib, 3000);
    assert_string_equal(out.model, "net-a"); /* in the trace's spelling */
    assert_null(out.dataset);
    assert_int_equal(assigned_counts.by_columns, 1);
    assert_int_equal(assigned_counts.inexact, 0);
    job.gpu_util_pm = 0; /* what the record states has priority, even an idle job */
    job.gpu_mem_mib = 17;
    job.batch = "60";
    out = pass_one(job, HS_ASSIGN_AUTO);
    assert_int_equal(out.profile, A_64); /* 64 / 60 is less than 60 / 32 */
    assert_int_equal(out.gpu_util_pm, 0);
    assert_int_equal(out.gpu_mem_mib, 17);
    assert_int_equal(assigned_counts.inexact, 1);
    assert_string_equal(assigned_counts.inexact_example, "net-a//60/");
    assert_string_equal(assigned_counts.inexact_instead, "NetA/Set/64/fp32");
    assert_int_equal(assigned_counts.utils.filled, 1); /* before anything is filled in */
    assert_int_equal(assigned_counts.utils.nonzero, 0);
    job.model = "NetB";
    job.batch = NULL;
    job.gpu_mem_mib = 0;
    assert_int_equal(pass_one(job, HS_ASSIGN_TELEMETRY).profile, B);
    assert_int_equal(assigned_counts.by_columns, 1);
    assigned_free();
}

/* NetA/64 takes 50 % and 3000 MiB of a whole GPU: 12.5 % and 750 MiB of a quarter. What the record
 * states for a share refers to the share. */
static void test_a_share_takes_as_much_less(void **state)
{
    (void)state;
    load_small();
    struct hs_trace_job job = assigned_blank(1);
    job.model = "net-a";
    job.batch = "64";
    job.gpu_milli = 250;
    struct hs_trace_job out = pass_one(job, HS_ASSIGN_COLUMNS);
    assert_int_equal(out.gpu_util_pm, 125);
    assert_int_equal(out.gpu_mem_mib, 750);
    job.gpu_util_pm = 240;
    job.gpu_mem_mib = 3000;
    out = pass_one(job, HS_ASSIGN_COLUMNS);
    assert_int_equal(out.gpu_util_pm, 240);
    assert_int_equal(out.gpu_mem_mib, 3000);
    assigned_free();
}

static void test_unknown_models(void **state)
{
    char name[400];
    (void)state;
    load_small();
    struct hs_trace_job job = assigned_blank(1), out;
    job.model = "Nobody knows";
    out = pass_one(job, HS_ASSIGN_COLUMNS);
    assert_true(out.profile == HS_NO_PROFILE);
    assert_int_equal(assigned_counts.unknown_model, 1);
    assert_int_equal(assigned_counts.none, 1);
    assert_string_equal(assigned_counts.unknown_example, "Nobody knows");
    out = pass_one(job, HS_ASSIGN_AUTO);
    assert_true(out.profile != HS_NO_PROFILE);
    assert_int_equal(assigned_counts.unknown_model, 1);
    assert_int_equal(assigned_counts.by_mix, 1);
    /* the record now has the job's model: read back, it names a known model */
    assert_string_equal(out.model, assigned_catalogue.profiles[out.profile].model);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    job.model = name;
    assert_true(pass_one(job, HS_ASSIGN_COLUMNS).profile == HS_NO_PROFILE);
    assert_int_equal(strlen(assigned_counts.unknown_example),
                     sizeof assigned_counts.unknown_example - 1);
    assigned_free();
}

/* More names than the cache holds: the others are looked up each time, with the same result. */
static void test_many_names(void **state)
{
    enum { NAMES = 5000 };
    static struct hs_trace_job jobs[2 * NAMES + 2];
    static char names[NAMES][16];
    const struct hs_assign_options options = {.mode = HS_ASSIGN_COLUMNS};
    (void)state;
    load_small();
    for (uint32_t i = 0; i < 2 * NAMES; i++) {
        jobs[i] = assigned_blank(1);
        (void)snprintf(names[i % NAMES], sizeof names[0], "n%u", (unsigned)(i % NAMES));
        jobs[i].model = names[i % NAMES];
    }
    for (uint32_t i = 2 * NAMES; i < 2 * NAMES + 2; i++) {
        jobs[i] = assigned_blank(1);
        jobs[i].model = "NetB";
    }
    assigned_pass(jobs, 2 * NAMES + 2, &options);
    assert_int_equal(assigned_counts.unknown_model, 2 * NAMES);
    assert_int_equal(assigned_counts.by_columns, 2);
    assert_int_equal(jobs[2 * NAMES].profile, B);
    assert_int_equal(jobs[2 * NAMES + 1].profile, B);
    assigned_free();
}

static void test_telemetry(void **state)
{
    (void)state;
    load_small();
    struct hs_trace_job job = assigned_blank(1);
    job.gpu_util_pm = 333;
    job.gpu_mem_mib = 9;
    struct hs_trace_job out = pass_one(job, HS_ASSIGN_TELEMETRY);
    assert_true(out.profile != HS_NO_PROFILE);
    assert_int_equal(out.gpu_util_pm, 333);
    assert_int_equal(out.gpu_mem_mib, 9);
    assert_string_equal(out.model, assigned_catalogue.profiles[out.profile].model);
    assert_int_equal(assigned_counts.by_telemetry, 1);
    assert_true(pass_one(job, HS_ASSIGN_AUTO).profile == out.profile);
    job.gpu_mem_mib = 0;
    out = pass_one(job, HS_ASSIGN_AUTO);
    assert_int_equal(out.gpu_mem_mib, assigned_catalogue.profiles[out.profile].mem_mib);
    /* no measurement, or an idle one */
    job.gpu_util_pm = -1;
    assert_true(pass_one(job, HS_ASSIGN_TELEMETRY).profile == HS_NO_PROFILE);
    job.gpu_util_pm = 0;
    out = pass_one(job, HS_ASSIGN_TELEMETRY);
    assert_true(out.profile == HS_NO_PROFILE);
    assert_int_equal(out.gpu_util_pm, 0);
    out = pass_one(job, HS_ASSIGN_AUTO);
    assert_int_equal(assigned_counts.by_mix, 1);
    assert_int_equal(out.gpu_util_pm, assigned_catalogue.profiles[out.profile].util_pm);
    assigned_free();
}

static void test_mix_overrules_the_record(void **state)
{
    (void)state;
    load_small();
    struct hs_trace_job job = assigned_blank(4);
    job.model = "NetB";
    job.dataset = "D";
    job.gpu_util_pm = 990;
    job.gpu_mem_mib = 1;
    struct hs_trace_job out = pass_one(job, HS_ASSIGN_MIX);
    assert_true(out.profile == A_32 || out.profile == A_64); /* a gang */
    assert_string_equal(out.model, "NetA");
    assert_string_equal(out.dataset, "Set");
    assert_string_equal(out.precision, "fp32");
    assert_int_equal(out.gpu_util_pm, out.profile == A_32 ? 300 : 500);
    assert_int_equal(out.gpu_mem_mib, out.profile == A_32 ? 2000 : 3000);
    assert_int_equal(assigned_counts.by_mix, 1);
    assert_int_equal(assigned_counts.unknown_model, 0);
    assigned_free();
}

/* NetA: 16.5 ms, 2,000 MiB of which 700 are persistent, a checkpoint of 200. NetB: only the peak.
 * NetC: no peak. NetD: a checkpoint and a peak. */
#define FULL                                                                                       \
    "model,gpu,util,mem_mib,mem_persistent_mib,step_ms,checkpoint_mib\n"                           \
    "NetA,G,50,2000,700,16.5,200\nNetB,G,50,3000,,,\nNetC,G,50,,300,0.0004,9\n"                    \
    "NetD,G,50,1500,,1e300,400\n"

static struct hs_trace_job pass_model(const char *model, struct hs_trace_job job)
{
    job.model = model;
    return pass_one(job, HS_ASSIGN_COLUMNS);
}

static void expect_mib(const struct hs_trace_job *job, uint32_t peak_mib, uint32_t kept_mib,
                       uint32_t checkpoint_mib)
{
    assert_int_equal(job->gpu_mem_mib, peak_mib);
    assert_int_equal(job->gpu_mem_persistent_mib, kept_mib);
    assert_int_equal(job->checkpoint_mib, checkpoint_mib);
}

/* Default persistent memory, our choice: 0.3 GB = 286.1 MiB, or three checkpoints if that is more;
 * at most the peak. */
static void test_memory_and_steps_are_filled_in(void **state)
{
    (void)state;
    assigned_load_text(FULL);
    struct hs_trace_job job = assigned_blank(1), out = pass_model("NetA", job);
    expect_mib(&out, 2000, 700, 200);
    assert_int_equal(out.step_us, 16500);
    out = pass_model("NetB", job);
    expect_mib(&out, 3000, 287, 0);
    assert_int_equal(out.step_us, 0);
    out = pass_model("NetC", job); /* 0.4 us round to none */
    expect_mib(&out, 0, 300, 9);
    assert_int_equal(out.step_us, 0);
    out = pass_model("NetD", job);
    expect_mib(&out, 1500, 1200, 400);
    assert_int_equal(out.step_us, 0); /* beyond the range of a trace */
    job.checkpoint_mib = 501;         /* the record's: three times that, 1503, exceeds the peak */
    out = pass_model("NetD", job);
    expect_mib(&out, 1500, 1500, 501);
    job.checkpoint_mib = UINT32_MAX;
    out = pass_model("NetD", job);
    expect_mib(&out, 1500, 1500, UINT32_MAX);
    assigned_free();
}

static void test_memory_of_the_record_is_kept(void **state)
{
    (void)state;
    assigned_load_text(FULL);
    struct hs_trace_job job = assigned_blank(1), out;
    job.gpu_mem_mib = 500;
    job.step_us = 7;
    job.job_class = HS_JOB_CLASS_GUARANTEED;
    out = pass_model("NetA", job); /* the profile's 700 exceed the peak */
    expect_mib(&out, 500, 500, 200);
    assert_int_equal(out.step_us, 7);
    assert_int_equal(out.job_class, HS_JOB_CLASS_GUARANTEED);
    job.gpu_mem_later_mib = 400;
    job.later_us = 1;
    out = pass_model("NetA", job); /* and also the later peak */
    expect_mib(&out, 500, 400, 200);
    assert_int_equal(out.gpu_mem_later_mib, 400);
    assert_int_equal(out.later_us, 1);
    job = assigned_blank(1);
    job.gpu_mem_persistent_mib = 2500; /* so the peak is at least that */
    out = pass_model("NetA", job);
    expect_mib(&out, 2500, 2500, 200);
    out = pass_model("NetC", job); /* but the peak is unknown */
    expect_mib(&out, 0, 2500, 9);
    job.gpu_mem_mib = 4000;
    out = pass_model("NetA", job);
    expect_mib(&out, 4000, 2500, 200);
    /* a mix has no data on the record; the class is the user's */
    job.gpu_mem_later_mib = job.checkpoint_mib = 3000;
    job.later_us = job.step_us = 5;
    job.job_class = HS_JOB_CLASS_OPPORTUNISTIC;
    const struct hs_assign_options mix = {.mode = HS_ASSIGN_MIX, .target_util = 0.5};
    assigned_free();
    assigned_load_text("model,gpu,util,mem_mib\nNetB,G,50,3000\n");
    assigned_pass(&job, 1, &mix);
    expect_mib(&job, 3000, 287, 0);
    assert_int_equal(job.gpu_mem_later_mib, 0);
    assert_int_equal(job.later_us, 0);
    assert_int_equal(job.step_us, 0);
    assert_int_equal(job.job_class, HS_JOB_CLASS_OPPORTUNISTIC);
    assigned_free();
}

static void test_memory_without_a_profile(void **state)
{
    (void)state;
    assigned_load_text(FULL);
    struct hs_trace_job job = assigned_blank(1), out = pass_one(job, HS_ASSIGN_OFF);
    expect_mib(&out, 0, 0, 0);
    job.checkpoint_mib = 100;
    job.gpu_mem_mib = 8000;
    out = pass_one(job, HS_ASSIGN_OFF);
    expect_mib(&out, 8000, 300, 100);
    job.gpu_mem_mib = 100;
    out = pass_one(job, HS_ASSIGN_OFF);
    expect_mib(&out, 100, 100, 100);
    job.gpus = job.gpus_min = job.gpus_max = 0; /* no GPU: no demand on one */
    out = pass_one(job, HS_ASSIGN_OFF);
    expect_mib(&out, 100, 0, 100);
    assigned_free();
}

/* An empty name of a profile is an absent one: an empty cell is read so. */
static void test_absent_names(void **state)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_MIX, .target_util = 0.7};
    const char text[] = "model,precision,gpu,util\nNetB,amp,G,70\n";
    (void)state;
    assigned_load_text(text);
    struct hs_trace_job job = assigned_blank(1);
    job.batch = "8";
    assigned_pass(&job, 1, &options);
    assert_string_equal(job.model, "NetB");
    assert_null(job.dataset);
    assert_null(job.batch);
    assert_string_equal(job.precision, "amp");
    assigned_free();
}

static void test_jobs_that_get_none(void **state)
{
    (void)state;
    load_small();
    struct hs_trace_job job = assigned_blank(0), out;
    job.model = "NetB";
    for (int mode = HS_ASSIGN_AUTO; mode <= HS_ASSIGN_OFF; mode++) {
        out = pass_one(job, (enum hs_assign_mode)mode);
        assert_true(out.profile == HS_NO_PROFILE);
        assert_int_equal(out.gpu_util_pm, -1);
        assert_int_equal(assigned_counts.none, 1);
    }
    job.gpus = 1;
    out = pass_one(job, HS_ASSIGN_OFF);
    assert_true(out.profile == HS_NO_PROFILE);
    assert_int_equal(assigned_counts.none, 1);
    assigned_free();
}

static void test_refused_options(void **state)
{
    static const struct hs_assign_options bad[] = {
        {.mode = HS_ASSIGN_MIX, .target_util = 1.01, .sticky = 0.5},
        {.mode = HS_ASSIGN_MIX, .target_util = NAN, .sticky = 0.5},
        {.mode = HS_ASSIGN_MIX, .target_util = 0.5, .sticky = -0.1},
        {.mode = HS_ASSIGN_MIX, .target_util = 0.5, .sticky = NAN},
        {.mode = HS_ASSIGN_MIX, .target_util = 0.1, .sticky = 0.5}, /* the least mean is 0.3 */
    };
    struct assigned_feed feed = {.end = HS_END};
    struct hs_assign *assign;
    (void)state;
    load_small();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sink_clear(&assigned_sink);
        assert_int_equal(hs_assign_open(&assign, assigned_source(&feed), &assigned_catalogue,
                                        &bad[i], &assigned_sink.diag),
                         HS_E_USAGE);
        assert_null(assign);
        assert_int_equal(assigned_sink.diag.errors, 1);
    }
    assigned_free();
}

static void test_a_failing_source(void **state)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_MIX, .target_util = 0.45};
    struct assigned_feed feed = {.end = HS_E_IO};
    struct hs_assign *assign;
    struct hs_trace_job *job;
    (void)state;
    load_small();
    assert_int_equal(hs_assign_open(&assign, assigned_source(&feed), &assigned_catalogue, &options,
                                    &assigned_sink.diag),
                     HS_OK);
    struct hs_job_source source = hs_assign_source(assign);
    assert_int_equal(source.next(source.ctx, &job), HS_E_IO);
    hs_assign_close(assign);
    assigned_free();
}

/* Twelve jobs of one user, `gap_us` apart: true if all have one profile. Twelve independent draws
 * of a mix in which two draws coincide with a chance below 0.1 are all equal with a chance below
 * 1e-11. */
static bool is_one_profile(int64_t gap_us, double sticky, double load_factor)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_MIX,
                                              .seed = 5,
                                              .target_util = 0.52,
                                              .sticky = sticky,
                                              .load = load_factor};
    struct hs_trace_job jobs[12];
    bool is_one = true;
    for (int i = 0; i < 12; i++) {
        jobs[i] = assigned_blank(1);
        jobs[i].user = "ann";
        jobs[i].submit_us = i * gap_us;
    }
    assigned_pass(jobs, 12, &options);
    for (int i = 1; i < 12; i++)
        is_one = is_one && jobs[i].profile == jobs[0].profile;
    return is_one;
}

/* Under --load=2 the source has halved the gaps: half a day of the run is a day of the trace. */
static void test_a_day(void **state)
{
    (void)state;
    assigned_load("builtin:profiles.csv");
    assert_true(is_one_profile(DAY_US, 1, 0));
    assert_true(is_one_profile(DAY_US, 1, 1));
    assert_false(is_one_profile(DAY_US + 1, 1, 1));
    assert_false(is_one_profile(HOUR_US, 0, 1));
    assert_true(is_one_profile(DAY_US / 2, 1, 2));
    assert_false(is_one_profile(DAY_US / 2 + HOUR_US, 1, 2));
    assert_true(is_one_profile(DAY_US / 3, 1, 3));
    assert_true(is_one_profile(2 * DAY_US, 1, 0.5));
    assigned_free();
}

/* Run times on S, a quarter as fast as the reference R: 10 us are 2.5 us of work, 9 us 2.25;
 * attempts are rounded one by one, to a microsecond. An unknown type counts as R; a job without
 * GPUs has no type. */
static void test_work(void **state)
{
    static const char shape[] = "{\"gpu_types\": {\"R\": {}, \"S\": {\"speed\": 0.25}}, \"nodes\": "
                                "[{\"gpus\": 1, \"type\": \"R\"}, {\"gpus\": 1, \"type\": \"S\"}]}";
    static const int64_t attempts_us[] = {10, 10};
    static const struct {
        const char *ran;
        int64_t duration_us, work_us;
        uint32_t rest_ns, gpus, attempts;
    } cases[] = {{"S", 10, 2, 500, 1, 0}, {"S", 9, 2, 250, 1, 0}, {"R", 10, 10, 0, 1, 0},
                 {NULL, 10, 10, 0, 1, 0}, {"U", 10, 10, 0, 1, 0}, {"S", 10, 10, 0, 0, 0},
                 {"S", 20, 6, 0, 1, 2}};
    enum { COUNT = HS_COUNT_OF(cases) };
    struct hs_trace_job jobs[COUNT];
    struct hs_cluster cluster;
    struct hs_speed *speed;
    (void)state;
    load_small();
    const char *path = scratch_write("types.json", shape, sizeof shape - 1);
    assert_int_equal(hs_cluster_load(&cluster, path, &assigned_sink.diag), HS_OK);
    assert_int_equal(hs_speed_load(&speed, "configs/models/speed.json", &assigned_catalogue,
                                   &cluster, NULL, &assigned_sink.diag),
                     HS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        jobs[i] = assigned_blank(cases[i].gpus);
        jobs[i].gpu_type_ran = cases[i].ran;
        jobs[i].duration_us = cases[i].duration_us;
        jobs[i].attempts_us = attempts_us;
        jobs[i].attempts = cases[i].attempts;
    }
    const struct hs_assign_options options = {.mode = HS_ASSIGN_OFF, .speed = speed};
    assigned_pass(jobs, COUNT, &options);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(jobs[i].duration_us, cases[i].work_us);
        assert_int_equal(jobs[i].duration_rest_ns, cases[i].rest_ns);
    }
    assert_int_equal(assigned_counts.ran, 5);
    assert_int_equal(assigned_counts.ran_unknown, 1);
    assert_string_equal(assigned_counts.ran_example, "U");
    hs_speed_free(speed);
    hs_cluster_free(&cluster);
    assigned_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_kinds_of_work),
        cmocka_unit_test(test_named_models),
        cmocka_unit_test(test_a_share_takes_as_much_less),
        cmocka_unit_test(test_unknown_models),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_telemetry),
        cmocka_unit_test(test_mix_overrules_the_record),
        cmocka_unit_test(test_memory_and_steps_are_filled_in),
        cmocka_unit_test(test_memory_of_the_record_is_kept),
        cmocka_unit_test(test_memory_without_a_profile),
        cmocka_unit_test(test_absent_names),
        cmocka_unit_test(test_jobs_that_get_none),
        cmocka_unit_test(test_refused_options),
        cmocka_unit_test(test_a_failing_source),
        cmocka_unit_test(test_a_day),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
