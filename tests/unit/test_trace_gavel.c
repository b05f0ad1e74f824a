/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's traces in their three forms, on made-up throughputs; the real ones with the real
 * throughputs, compared with the run times that Philly recorded for the same jobs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/traced.h"
#include "base/fmt.h"

#include "support/data.h"
#include "support/sheet.h"
#include "traces/format.h"

#define OLD(type, steps, arrival, gpus)                                                            \
    type "\tcd %s && python3 main.py --name \"x\"\t--steps\t1\t" steps "\t" arrival "\t" gpus "\n"
#define NEW(type, steps, gpus, weight, slo, arrival)                                               \
    type "\tpython3 main.py\tlanguage_modeling\t--steps\t1\t" steps "\t" gpus "\t" weight "\t" slo \
         "\t" arrival "\n"
#define SHOCKWAVE(type, steps, gpus, weight, slo, duration, arrival)                               \
    type "\tpython3 main.py\tlanguage_modeling\t--steps\t1\t" steps "\t" gpus "\tstatic\t" weight  \
         "\t" slo "\t" duration "\t" arrival "\n"

static struct traced t;
static char speeds_path[512];

static void write_text(const char *name, const char *text)
{
    (void)snprintf(speeds_path, sizeof speeds_path, "%s", scratch_path(name));
    FILE *file = fopen(speeds_path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void read_with(const char *speeds, const char *text)
{
    if (speeds != NULL)
        write_text("throughputs.json", speeds);
    traced_options(&t);
    t.options.gavel_throughputs = speeds != NULL ? speeds_path : NULL;
    traced_text(&t, "jobs.trace", text);
}

static void expect_fault(const char *speeds, const char *text, const char *message)
{
    read_with(speeds, text);
    assert_true(t.status == HS_E_INPUT || t.status == HS_E_USAGE);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("'%s' lacks '%s'", t.sink.text, message);
}

/* By number of GPUs; other GPU types are ignored. */
static const char by_gpus[] =
    "{\"k80\": {\"('LM (batch size 5)', 1)\": {\"null\": 1}},"
    " \"V100\": {\"('LM (batch size 5)', 1)\": {\"null\": 25, \"('A3C', 1)\": [9, 3]},"
    " \"('LM (batch size 5)', 2)\": {\"null\": 40}, \"('A3C', 1)\": {\"null\": 0.5},"
    " \"('A3C', 2)\": {\"null\": 0}}}";
static const char by_type[] =
    "{\"v100\": {\"LM (batch size 5)\": {\"null\": 25}, \"ResNet-50 (batch size 16)\": "
    "{\"null\": 3}}}";

/* 1000 steps at 25 a second are 40 s, at 40 a second 25 s; 7 at half a step a second 14 s. */
static void test_ten_fields(void **state)
{
    (void)state;
    read_with(by_gpus, NEW("LM (batch size 5)", "1000", "1", "1.000000", "-1.000000", "0.25")
                           NEW("LM (batch size 5)", "1000", "2", "5", "1.2", "10")
                               NEW("A3C", "7", "1", "0", "0", "11.5"));
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "gavel");
    assert_int_equal(t.count, 3);
    assert_string_equal(t.jobs[0].id, "0");
    assert_string_equal(t.jobs[0].model, "LSTM"); /* our name of Gavel's LM */
    assert_string_equal(t.jobs[0].dataset, "Wikitext2");
    assert_string_equal(t.jobs[0].batch, "5");
    assert_int_equal(t.jobs[0].submit_us, 250000);
    assert_int_equal(t.jobs[0].duration_us, 40000000);
    assert_int_equal(t.jobs[0].step_us, 40000);
    assert_int_equal(t.jobs[0].priority, 0); /* the default priority */
    assert_int_equal(t.jobs[0].deadline_us, -1);
    assert_int_equal(t.jobs[1].gpus, 2);
    assert_int_equal(t.jobs[1].duration_us, 25000000);
    assert_int_equal(t.jobs[1].priority, 4);
    assert_int_equal(t.jobs[1].deadline_us, 40000000); /* 10 + 1.2 x 25 */
    assert_string_equal(t.jobs[2].id, "2");
    assert_string_equal(t.jobs[2].model, "A3C");
    assert_null(t.jobs[2].batch);
    assert_int_equal(t.jobs[2].duration_us, 14000000);
    assert_int_equal(t.jobs[2].deadline_us, 11500000);
}

/* A speed without a number of GPUs is that of any; 10 steps at 3 a second are 3.333333 s. */
static void test_seven_fields(void **state)
{
    (void)state;
    read_with(by_type, OLD("LM (batch size 5)", "1000", "0.000000", "1")
                           OLD("LM (batch size 5)", "1000", "7.000000", "16")
                               OLD("ResNet-50 (batch size 16)", "10", "8.5", "1"));
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "gavel");
    assert_int_equal(t.count, 3);
    assert_int_equal(t.jobs[1].submit_us, 7000000);
    assert_int_equal(t.jobs[1].gpus, 16);
    assert_int_equal(t.jobs[1].duration_us, 40000000);
    assert_int_equal(t.jobs[1].priority, 0);
    assert_string_equal(t.jobs[2].model, "ResNet50");
    assert_string_equal(t.jobs[2].dataset, "ImageNet");
    assert_int_equal(t.jobs[2].duration_us, 3333333);
}

/* Shockwave states the duration: no throughputs, and models unknown to Gavel. */
static void test_twelve_fields(void **state)
{
    (void)state;
    read_with(NULL, SHOCKWAVE("VGG (batch size 8)", "50", "4", "1", "-1.000000", "100.5", "3"));
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "gavel");
    assert_string_equal(t.jobs[0].model, "VGG");
    assert_null(t.jobs[0].dataset);
    assert_int_equal(t.jobs[0].gpus, 4);
    assert_int_equal(t.jobs[0].duration_us, 100500000);
    assert_int_equal(t.jobs[0].step_us, 2010000);
    assert_int_equal(t.jobs[0].submit_us, 3000000);
}

#define ONE NEW("LM (batch size 5)", "1000", "1", "1", "-1", "0")

static void test_faults(void **state)
{
    (void)state;
    expect_fault(NULL, ONE, "jobs.trace:1:63: error: a trace of Gavel has the steps of a job");
    expect_fault(NULL, ONE, "--gavel-throughputs=FILE");
    expect_fault(by_gpus, NEW("GAN", "1", "1", "1", "-1", "0"), "jobs.trace:1:1: error: ");
    expect_fault(by_gpus, NEW("GAN", "1", "1", "1", "-1", "0"), "no speed of 'GAN' on 1 GPU\n");
    expect_fault(by_gpus, NEW("A3C", "1", "2", "1", "-1", "0"), "no speed of 'A3C' on 2 GPUs\n");
    expect_fault(by_gpus, OLD("A3C", "1", "0", "4"), "go with oracle_throughputs.json");
    expect_fault(by_gpus, NEW("A3C (batch size x)", "1", "1", "1", "-1", "0"),
                 "not the name of a job: 'A3C (batch size x)'");
    expect_fault(by_gpus, ONE NEW("A3C", "some", "1", "1", "-1", "0"),
                 "total steps is not a number: 'some'");
    expect_fault(by_gpus, NEW("A3C", "-1", "1", "1", "-1", "0"), "total steps is negative");
    expect_fault(by_gpus, NEW("A3C", "9000000000000000000", "1", "1", "-1", "0"),
                 "total steps is out of range");
    expect_fault(by_gpus, NEW("A3C", "1", "1", "1.5", "-1", "0"),
                 "priority weight is not a whole number: '1.5'");
    expect_fault(by_gpus, NEW("A3C", "1", "1", "4e9", "-1", "0"),
                 "priority weight is out of range");
    expect_fault(by_gpus, NEW("A3C", "1", "1", "1", "soon", "0"), "SLO is not a number: 'soon'");
    expect_fault(by_gpus, NEW("A3C", "1", "1", "1", "1e300", "0"), "SLO is out of range");
    expect_fault(by_gpus, ONE "a\tb\n", "jobs.trace:2:4: error: 2 fields");
}

static void test_bad_throughputs(void **state)
{
    (void)state;
    expect_fault("[1]", ONE, "no throughputs of a V100");
    expect_fault("{\"k80\": {}}", ONE, "no throughputs of a V100");
    expect_fault("{\"v100\": {\"(LM, 1)\": {\"null\": 1}}}", ONE,
                 "not the name of a job: '(LM, 1)'");
    expect_fault("{\"v100\": {\"LM\": {\"null\": \"1\"}}}", ONE, "job 'LM' has no \"null\"");
    expect_fault("{\"v100\": {\"LM\": {\"null\": -1}}}", ONE, "job 'LM' has no \"null\"");
}

static void write_jobs(const char *speeds, const struct hs_trace_job *jobs, int count,
                       enum hs_status expected)
{
    struct hs_trace_options options = {.gavel_throughputs = speeds != NULL ? speeds_path : NULL};
    struct hs_trace_writer w;
    if (speeds != NULL)
        write_text("throughputs.json", speeds);
    sink_init(&t.sink);
    assert_int_equal(hs_trace_writer_open(&w, hs_trace_format_find("gavel"), &options,
                                          scratch_path("out.trace"), &t.sink.diag),
                     HS_OK);
    for (int i = 0; i < count; i++)
        hs_trace_writer_put(&w, &jobs[i]);
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &t.sink.diag), expected);
}

static void expect_written(const char *expected)
{
    char text[1024];
    FILE *file = fopen(scratch_path("out.trace"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, expected);
}

#define JOB .deadline_us = -1, .preempt_cost_us = -1, .gpu_util_pm = -1, .gpu_milli = 1000

/* 25.01 s at 40 steps a second are 1000.4 steps: 1000, which are 25 s. 30 s after 10 s of arrival,
 * of a job of 25.01 s, are an SLO of 30 / 25.01 = 1.1995201919232308 (30000000 / 25010000, Python).
 */
static void test_written_steps(void **state)
{
    const struct hs_trace_job jobs[] = {
        {JOB, .id = "x", .model = "LSTM", .batch = "5", .gpus = 2, .duration_us = 25010000,
         .submit_us = 10000000, .priority = 4},
        {JOB, .id = "y", .model = "A3C", .gpus = 1, .duration_us = 14000000, .submit_us = 11500000},
        {JOB, .id = "z", .model = "VGG", .gpus = 1, .duration_us = 14000000},
        {JOB, .id = "none", .gpus = 1, .duration_us = 14000000},
    };
    struct hs_trace_job late = jobs[0];
    (void)state;
    write_jobs(by_gpus, jobs, 2, HS_OK);
    expect_written("LM (batch size 5)\t-\t-\t-\t0\t1000\t2\t5\t-1\t10\n"
                   "A3C\t-\t-\t-\t0\t7\t1\t1\t-1\t11.5\n");
    traced_options(&t);
    t.options.gavel_throughputs = speeds_path;
    traced_file(&t, scratch_path("out.trace"));
    assert_int_equal(t.count, 2);
    assert_string_equal(t.format, "gavel");
    assert_int_equal(t.jobs[0].duration_us, 25000000);
    assert_int_equal(t.jobs[0].priority, 4);
    assert_string_equal(t.jobs[0].model, "LSTM");
    late.deadline_us = 40000000;
    write_jobs(by_gpus, &late, 1, HS_OK);
    expect_written("LM (batch size 5)\t-\t-\t-\t0\t1000\t2\t5\t1.1995201919232308\t10\n");
    write_jobs(by_gpus, &jobs[1], 2, HS_E_INPUT);
    assert_non_null(
        strstr(t.sink.text, "has no speed of job 'z', VGG of batch unknown on 1 GPU\n"));
    write_jobs(by_gpus, &jobs[3], 1, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "job 'none' has no model"));
}

/* Shockwave's fields, written if no speeds are given: any job, its duration unchanged. */
static void test_written_durations(void **state)
{
    struct hs_trace_job jobs[] = {
        {JOB, .id = "x", .gpus = 2, .duration_us = 25010000, .submit_us = 10000001},
        {JOB, .id = "y", .model = "a/b(c", .batch = "8", .gpus = 1, .duration_us = 9000000,
         .submit_us = 11000000, .step_us = 3000000},
    };
    (void)state;
    jobs[1].deadline_us = 5000000;
    write_jobs(NULL, jobs, 2, HS_OK);
    expect_written("-\t-\t-\t-\t0\t0\t2\tstatic\t1\t-1\t25.01\t10.000001\n"
                   "a_b_c (batch size 8)\t-\t-\t-\t0\t3\t1\tstatic\t1\t0\t9\t11\n");
    traced_options(&t);
    traced_file(&t, scratch_path("out.trace"));
    assert_int_equal(t.count, 2);
    assert_null(t.jobs[0].model);
    assert_int_equal(t.jobs[0].step_us, 0);
    assert_int_equal(t.jobs[1].step_us, 3000000);
    assert_int_equal(t.jobs[1].deadline_us, 11000000); /* a deadline in the past is due at once */
}

/* Formats without this option. */
static void test_other_formats(void **state)
{
    (void)state;
    expect_fault(by_gpus, "job_id,submit_time,gpus,duration\n1,0,1,5\n",
                 "--gavel-throughputs is for the gavel format, not for csv");
}

/* ---- the real ones ---- */

#define RECORDED_MAX 4200

struct recorded {
    int64_t submit_us; /* after the first of its VC */
    int64_t gpus;
    double duration_us;
};

static struct recorded recorded[RECORDED_MAX];

static uint32_t load_recorded(const char *vc)
{
    static const char *const columns[] = {"vc", "submit_time", "num_gpus", "duration_s", NULL};
    struct sheet sheet;
    uint32_t count = 0;
    int64_t us, first_us = 0;
    sheet_open(&sheet, data_need("traces", "philly_vc_7f04ca_0e4a51.csv"), columns);
    while (sheet_next(&sheet)) {
        if (strcmp(sheet_cell(&sheet, 0), vc) != 0)
            continue;
        assert_true(count < RECORDED_MAX);
        assert_true(hs_parse_datetime_us(sheet_cell(&sheet, 1), 19, &us, NULL));
        if (count == 0)
            first_us = us;
        recorded[count++] = (struct recorded){.submit_us = us - first_us,
                                              .gpus = sheet_seconds(&sheet, 2),
                                              .duration_us = (double)sheet_millionths(&sheet, 3)};
    }
    sheet_close(&sheet);
    return count;
}

/* The relative deviation from the nearest recorded run time, among the jobs submitted at that
 * second with as many GPUs. */
static double nearest(uint32_t count, const struct hs_trace_job *job)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        if (recorded[i].submit_us != job->submit_us || recorded[i].gpus != job->gpus)
            continue;
        double off = fabs((double)job->duration_us - recorded[i].duration_us);
        best = fmin(best, off / recorded[i].duration_us);
    }
    return best;
}

/* Every job of the trace is one of the VC. Gavel derived the steps of most from the recorded run
 * time: half agree to 10^-5, nine of ten to 2 %; the others were changed without documentation.
 * sum_s: sum of steps over throughput, by Python. */
static void expect_recorded(const char *vc, uint64_t jobs, double sum_s)
{
    uint32_t count = load_recorded(vc);
    uint64_t found = 0, equal = 0, near = 0, read = 0;
    struct hs_trace *trace;
    struct hs_trace_job *job;
    char name[32];
    double us = 0;
    (void)snprintf(name, sizeof name, "%s.trace", vc);
    traced_options(&t);
    t.options.path = data_need("traces", name);
    t.options.gavel_throughputs = data_need("calibration", "gavel/oracle_throughputs.json");
    sink_init(&t.sink);
    assert_int_equal(hs_trace_open(&trace, &t.options, &t.sink.diag), HS_OK);
    for (; hs_trace_next(trace, &job) == HS_OK; read++) {
        double off = nearest(count, job);
        found += isfinite(off) ? 1 : 0;
        equal += off <= 1e-5;
        near += off <= 0.02;
        us += (double)job->duration_us;
    }
    hs_trace_close(trace);
    assert_string_equal(t.sink.text, "");
    assert_int_equal(read, jobs);
    assert_int_equal(found, jobs);
    assert_true(equal * 2 >= jobs);
    assert_true(near * 10 >= jobs * 9);
    assert_true(fabs(us / 1e6 - sum_s) < 1e-3);
}

static void test_real_traces(void **state)
{
    (void)state;
    expect_recorded("7f04ca", 972, 355721476.9031942);
    expect_recorded("0e4a51", 1181, 216993771.5943914);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_fields),      cmocka_unit_test(test_seven_fields),
        cmocka_unit_test(test_twelve_fields),   cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bad_throughputs), cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_written_steps),   cmocka_unit_test(test_written_durations),
        cmocka_unit_test(test_real_traces),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
