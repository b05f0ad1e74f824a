/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A written trace equals the trace: every field of every record is read back, and so are the
 * profiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/assign.h"
#include "support/traced.h"
#include "traces/format.h"

static struct traced t;

static void expect_text(const char *got, const char *expected)
{
    if (expected == NULL)
        assert_null(got);
    else
        assert_string_equal(got, expected);
}

/* All fields except the line of the file. */
static void expect_record(const struct hs_trace_job *got, const struct hs_trace_job *expected)
{
    expect_text(got->id, expected->id);
    expect_text(got->user, expected->user);
    expect_text(got->vc, expected->vc);
    expect_text(got->gpu_type, expected->gpu_type);
    expect_text(got->model, expected->model);
    expect_text(got->dataset, expected->dataset);
    expect_text(got->batch, expected->batch);
    expect_text(got->precision, expected->precision);
    assert_true(got->submit_us == expected->submit_us);
    assert_true(got->duration_us == expected->duration_us);
    assert_true(got->deadline_us == expected->deadline_us);
    assert_true(got->start_us == expected->start_us);
    assert_true(got->end_us == expected->end_us);
    assert_true(got->preempt_cost_us == expected->preempt_cost_us);
    assert_int_equal(got->gpus, expected->gpus);
    assert_int_equal(got->gpus_min, expected->gpus_min);
    assert_int_equal(got->gpus_max, expected->gpus_max);
    assert_int_equal(got->has_range, expected->has_range);
    assert_memory_equal(&got->loss, &expected->loss, sizeof got->loss);
    assert_int_equal(got->gpu_milli, expected->gpu_milli);
    assert_int_equal(got->nodes, expected->nodes);
    assert_int_equal(got->cpus_milli, expected->cpus_milli);
    assert_int_equal(got->mem_mib, expected->mem_mib);
    assert_int_equal(got->gpu_mem_mib, expected->gpu_mem_mib);
    assert_int_equal(got->gpu_util_pm, expected->gpu_util_pm);
    assert_int_equal(got->gpu_mem_persistent_mib, expected->gpu_mem_persistent_mib);
    assert_int_equal(got->gpu_mem_later_mib, expected->gpu_mem_later_mib);
    assert_true(got->later_us == expected->later_us);
    assert_int_equal(got->checkpoint_mib, expected->checkpoint_mib);
    assert_true(got->step_us == expected->step_us);
    assert_int_equal(got->job_class, expected->job_class);
    assert_int_equal(got->priority, expected->priority);
    assert_int_equal(got->outcome, expected->outcome);
    assert_int_equal(got->attempts, expected->attempts);
    for (uint32_t i = 0; i < expected->attempts; i++)
        assert_true(got->attempts_us[i] == expected->attempts_us[i]);
}

/* The second fails at once; together 30.5 s. */
static const int64_t attempts_us[] = {10000000, 0, 20499999, 1};

static const struct hs_trace_job records[] = {
    /* only what is required */
    {.id = "plain",
     .submit_us = 0,
     .duration_us = 0,
     .deadline_us = -1,
     .preempt_cost_us = -1,
     .gpus = 1,
     .gpu_milli = 1000,
     .gpus_min = 1,
     .gpus_max = 1,
     .gpu_util_pm = -1,
     .start_us = -1,
     .end_us = -1},
    /* all fields, at the ends of their ranges, with texts that need quotes */
    {.id = "a,b \"c\"",
     .user = " blank ends ",
     .vc = "two, \"lines\"",
     .gpu_type = "V100",
     .model = "None",
     .dataset = "-",
     .batch = "2147483647",
     .precision = "amp",
     .submit_us = (INT64_C(1) << 53) - 1,
     .duration_us = INT64_C(1) << 53,
     .deadline_us = 0,
     .preempt_cost_us = 1,
     .gpus = 65535,
     .gpu_milli = 1,
     .gpus_min = 1,
     .gpus_max = 65535,
     .has_range = true,
     .loss = {4000, 0.000001, 0, 3999.999999},
     .nodes = 3,
     .cpus_milli = UINT32_MAX,
     .mem_mib = UINT32_MAX,
     .gpu_mem_mib = UINT32_MAX,
     .gpu_mem_persistent_mib = UINT32_MAX,
     .gpu_mem_later_mib = UINT32_MAX,
     .later_us = INT64_C(1) << 53,
     .start_us = 0,
     .end_us = INT64_C(1) << 53,
     .checkpoint_mib = UINT32_MAX,
     .step_us = INT64_C(1) << 53,
     .job_class = HS_JOB_CLASS_GUARANTEED,
     .gpu_util_pm = 1000,
     .priority = INT32_MIN,
     .outcome = HS_OUTCOME_FAILED},
    /* a CPU job; a utilization of 0 is not a missing one */
    {.id = "cpu",
     .gpu_milli = 1000,
     .submit_us = INT64_C(1) << 53,
     .duration_us = 123456,
     .deadline_us = INT64_C(1) << 53,
     .preempt_cost_us = 0,
     .step_us = 1,
     .job_class = HS_JOB_CLASS_OPPORTUNISTIC,
     .gpu_util_pm = 0,
     .priority = INT32_MAX,
     .outcome = HS_OUTCOME_CANCELLED},
    /* three runs fail before the last */
    {.id = "tries",
     .submit_us = INT64_C(1) << 53,
     .duration_us = 30500000,
     .deadline_us = -1,
     .preempt_cost_us = -1,
     .attempts_us = attempts_us,
     .attempts = 4,
     .gpu_mem_persistent_mib = 5, /* of an unknown peak */
     .gpu_mem_later_mib = 5,
     .later_us = 1,
     .gpus = 2,
     .gpu_milli = 1000,
     .gpus_min = 2,
     .gpus_max = 2,
     .gpu_util_pm = -1,
     .start_us = -1,
     .end_us = -1},
};
#define RECORDS (sizeof records / sizeof *records)

static void test_every_field_comes_back(void **state)
{
    struct hs_trace_writer w;
    struct sink sink;
    const char *path = scratch_path("written.csv");
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_trace_writer_open(&w, hs_trace_format_find("csv"), NULL, path, &sink.diag),
                     HS_OK);
    for (size_t i = 0; i < RECORDS; i++)
        hs_trace_writer_put(&w, &records[i]);
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    traced_options(&t);
    t.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    t.options.keeps_attempts = t.options.keeps_recorded = true;
    traced_file(&t, path);
    if (t.status != HS_END)
        fail_msg("%s", t.sink.text);
    assert_int_equal(t.count, RECORDS);
    for (size_t i = 0; i < RECORDS; i++)
        expect_record(&t.jobs[i], &records[i]);
}

/* A failed writer leaves no file that could be mistaken for a trace. */
static void test_no_half_file(void **state)
{
    struct hs_trace_writer w;
    struct sink sink;
    char path[512], tmp[HS_WHOLEFILE_PATH_MAX];
    (void)state;
    (void)snprintf(path, sizeof path, "%s", scratch_path("half.csv"));
    sink_init(&sink);
    assert_int_equal(hs_trace_writer_open(&w, hs_trace_format_find("csv"), NULL, path, &sink.diag),
                     HS_OK);
    (void)snprintf(tmp, sizeof tmp, "%s", w.file.beside.tmp);
    assert_int_equal(access(tmp, F_OK), 0);
    hs_trace_writer_put(&w, &records[0]);
    assert_int_equal(hs_trace_writer_close(&w, HS_E_INPUT, &sink.diag), HS_E_INPUT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(tmp, F_OK), -1);
}

/* A path that is no plain file is written to, never replaced: a pipe remains one, and has the
 * rows. */
static void test_a_pipe_stays_a_pipe(void **state)
{
    struct hs_trace_writer w;
    struct sink sink;
    struct stat info;
    char path[512], text[1024];
    (void)state;
    (void)snprintf(path, sizeof path, "%s", scratch_path("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    FILE *reader = fopen(path, "r+"); /* both ends: opening does not wait */
    assert_non_null(reader);
    sink_init(&sink);
    assert_int_equal(hs_trace_writer_open(&w, hs_trace_format_find("csv"), NULL, path, &sink.diag),
                     HS_OK);
    hs_trace_writer_put(&w, &records[0]);
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    assert_non_null(fgets(text, sizeof text, reader));
    assert_non_null(fgets(text, sizeof text, reader));
    assert_string_equal(text, "plain,0,1,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
    fclose(reader);
}

static void write_assigned(const struct hs_catalogue *catalogue, const char *path, uint32_t *rows)
{
    const struct hs_assign_options options = {
        .mode = HS_ASSIGN_AUTO, .seed = 7, .target_util = 0.52, .sticky = 0.8};
    struct hs_trace_options trace_options;
    struct hs_trace *trace;
    struct hs_assign *assign;
    struct hs_trace_writer w;
    struct hs_trace_job *job;
    struct sink sink;
    sink_init(&sink);
    hs_trace_options_default(&trace_options);
    trace_options.path = "traces/sample.csv";
    assert_int_equal(hs_trace_open(&trace, &trace_options, &sink.diag), HS_OK);
    assert_int_equal(
        hs_assign_open(&assign, hs_trace_source(trace), catalogue, &options, &sink.diag), HS_OK);
    assert_int_equal(hs_trace_writer_open(&w, hs_trace_format_find("csv"), NULL, path, &sink.diag),
                     HS_OK);
    struct hs_job_source source = hs_assign_source(assign);
    while (source.next(source.ctx, &job) == HS_OK) {
        hs_trace_writer_put(&w, job);
        rows[job->line] = job->profile;
    }
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    hs_assign_close(assign);
    hs_trace_close(trace);
}

/* The sample is in order of submission, so its lines equal those of the written file. */
static void test_profiles_come_back_by_columns(void **state)
{
    const struct hs_assign_options options = {.mode = HS_ASSIGN_COLUMNS, .seed = 99};
    static uint32_t drawn[2002];
    struct hs_catalogue catalogue;
    struct hs_trace_options trace_options;
    struct hs_trace *trace;
    struct hs_assign *assign;
    struct hs_assign_counts counts;
    struct hs_trace_job *job;
    struct sink sink;
    char path[512];
    (void)state;
    (void)snprintf(path, sizeof path, "%s", scratch_path("assigned.csv"));
    sink_init(&sink);
    assert_int_equal(hs_catalogue_load(&catalogue, "builtin:profiles.csv", &sink.diag), HS_OK);
    write_assigned(&catalogue, path, drawn);
    hs_trace_options_default(&trace_options);
    trace_options.path = path;
    assert_int_equal(hs_trace_open(&trace, &trace_options, &sink.diag), HS_OK);
    assert_int_equal(
        hs_assign_open(&assign, hs_trace_source(trace), &catalogue, &options, &sink.diag), HS_OK);
    struct hs_job_source source = hs_assign_source(assign);
    while (source.next(source.ctx, &job) == HS_OK) {
        assert_true(job->profile != HS_NO_PROFILE);
        assert_int_equal(job->profile, drawn[job->line]);
        assert_int_equal(job->gpu_util_pm, catalogue.profiles[job->profile].util_pm);
        assert_int_equal(job->gpu_mem_mib, catalogue.profiles[job->profile].mem_mib);
    }
    hs_assign_get_counts(assign, &counts);
    assert_int_equal(counts.by_columns, 2000);
    assert_int_equal(counts.inexact, 0);
    hs_assign_close(assign);
    hs_trace_close(trace);
    hs_catalogue_free(&catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_comes_back),
        cmocka_unit_test(test_no_half_file),
        cmocka_unit_test(test_a_pipe_stays_a_pipe),
        cmocka_unit_test(test_profiles_come_back_by_columns),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
