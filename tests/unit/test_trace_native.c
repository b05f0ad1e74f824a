/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The native format and the parts common to all formats: columns, mappings, units, checks of
 * values, rules, load. Expected numbers are read off the text of each test's trace.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "support/traced.h"

#include "support/data.h"

#define HEAD   "job_id,submit_time,gpus,duration\n"
#define SECOND INT64_C(1000000)

static struct traced t;

static void read_it(const char *text)
{
    traced_text(&t, "t.csv", text);
}

/* The trace must fail with a message that contains `words`. */
static void expect_fault(const char *text, const char *words)
{
    traced_options(&t);
    read_it(text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, words) == NULL)
        fail_msg("no '%s' in: %s", words, t.sink.text);
}

static void test_required_columns_alone(void **state)
{
    (void)state;
    traced_options(&t);
    read_it(HEAD "a,0,1,10\nb,1.5,8,0.25\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "csv");
    assert_int_equal(t.count, 2);
    const struct hs_trace_job *b = &t.jobs[1];
    assert_string_equal(b->id, "b");
    assert_int_equal(b->submit_us, 1500000);
    assert_int_equal(b->duration_us, 250000);
    assert_int_equal(b->gpus, 8);
    assert_int_equal(b->gpus_min, 8);
    assert_int_equal(b->gpus_max, 8);
    assert_int_equal(b->line, 3);
    /* absent from the trace */
    assert_null(b->user);
    assert_null(b->vc);
    assert_null(b->model);
    assert_int_equal(b->nodes, 0);
    assert_int_equal(b->gpu_util_pm, -1);
    assert_int_equal(b->deadline_us, -1);
    assert_int_equal(b->preempt_cost_us, -1);
    assert_int_equal(b->outcome, HS_OUTCOME_UNKNOWN);
    assert_int_equal(b->job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(b->step_us, 0);
    assert_int_equal(b->gpu_mem_persistent_mib, 0);
    assert_int_equal(b->gpu_mem_later_mib, 0);
    assert_int_equal(b->later_us, 0);
    assert_int_equal(b->checkpoint_mib, 0);
}

static void test_all_columns_in_any_order(void **state)
{
    (void)state;
    traced_options(&t);
    read_it(
        "outcome,gpus_max,gpus_min,preempt_cost,deadline,priority,gpu_util,gpu_mem_mib,mem_mib,"
        "cpus,nodes,precision,batch,dataset,model,gpu_type,vc,user,duration,gpus,submit_time,"
        "extra,job_id\n"
        "FAILED,8,2,7.5,100,-3,45.67,16GiB,1024,12,2,amp,64,imagenet,vgg16,V100,vcA,\"u, 1\",60,"
        "4,2020-04-01 00:00:01,x,j 1\n"
        "Pass,,,,,,,,,,,,,,,,,,60,4.0,2020-04-01 00:00:02,,j2\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2);
    const struct hs_trace_job *a = &t.jobs[0], *b = &t.jobs[1];
    assert_string_equal(a->id, "j 1");
    assert_string_equal(a->user, "u, 1");
    assert_string_equal(a->vc, "vcA");
    assert_string_equal(a->gpu_type, "V100");
    assert_string_equal(a->model, "vgg16");
    assert_string_equal(a->dataset, "imagenet");
    assert_string_equal(a->batch, "64");
    assert_string_equal(a->precision, "amp");
    assert_true(a->profile == HS_NO_PROFILE);
    /* 18,353 days from 1970-01-01 to 2020-04-01 (date -u -d 2020-04-01 +%s = 1585699200) */
    assert_int_equal(a->submit_us, (INT64_C(1585699200) + 1) * SECOND);
    assert_int_equal(a->nodes, 2);
    assert_int_equal(a->cpus_milli, 12000);
    assert_int_equal(a->mem_mib, 1024);
    assert_int_equal(a->gpu_mem_mib, 16384);
    assert_int_equal(a->gpu_util_pm, 457); /* 45.67 % = 456.7 per mille, half up */
    assert_int_equal(a->priority, -3);
    assert_int_equal(a->deadline_us, 100 * SECOND);
    assert_int_equal(a->preempt_cost_us, 7500000);
    assert_int_equal(a->gpus, 4);
    assert_int_equal(a->gpus_min, 2);
    assert_int_equal(a->gpus_max, 8);
    assert_int_equal(a->outcome, HS_OUTCOME_FAILED);
    assert_int_equal(b->gpus, 4);
    assert_null(b->user);
    assert_int_equal(b->gpu_util_pm, -1);
    assert_int_equal(b->outcome, HS_OUTCOME_COMPLETED);
}

/* Shares of GPUs: a number below 1 is a share of one GPU; a separate column gives that of a
 * gang. */
static void test_shares(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("job_id,submit_time,gpus,duration,gpu_milli,cpus\n"
            "a,0,0.46,5,,11.9\n"
            "b,0,1,5,,2\n"
            "c,0,20,5,500,\n"
            "d,0,0.5,5,500,0.001\n"
            "e,0,1.0,5,1000,\n");
    assert_int_equal(t.status, HS_END);
    static const uint32_t gpus[] = {1, 1, 20, 1, 1}, milli[] = {460, 1000, 500, 500, 1000};
    static const uint32_t cpus_milli[] = {11900, 2000, 0, 1, 0};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(t.jobs[i].gpus, gpus[i]);
        assert_int_equal(t.jobs[i].gpu_milli, milli[i]);
        assert_int_equal(t.jobs[i].cpus_milli, cpus_milli[i]);
    }
#define SHARES "job_id,submit_time,gpus,duration,gpu_milli\n"
    expect_fault(SHARES "a,0,0.5,5,400\n",
                 ":2:11: error: gpu_milli is not the share given by gpus: '400'");
    expect_fault(SHARES "a,0,1,5,0\n", "gpu_milli is no share of a GPU: '0'");
    expect_fault(SHARES "a,0,1,5,1001\n", "gpu_milli is no share of a GPU: '1001'");
}

static void test_mapping_from_the_command_line(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.map = "job_id=@row,submit_time=timestamp,gpus=num_gpus,vc=cluster,user=";
    read_it("timestamp,duration,num_gpus,cluster,user\n"
            "2017-09-04 10:30:41,2240194.0,8,7f04ca,left alone\n"
            "2017-09-07 03:58:57,1,1,6214e9,\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.jobs[0].id, "0");
    assert_string_equal(t.jobs[1].id, "1");
    assert_string_equal(t.jobs[1].vc, "6214e9");
    assert_null(t.jobs[0].user);
    assert_int_equal(t.jobs[0].duration_us, INT64_C(2240194) * SECOND);
}

static void test_mapping_from_a_file(void **state)
{
    (void)state;
    traced_options(&t);
    const char map[] =
        "// times are milliseconds\n{\"columns\": {\"job_id\": \"id\", \"vc\": null},"
        " \"time_unit\": \"ms\"}";
    t.options.map = scratch_write("map.json", map, sizeof map - 1);
    read_it("id,submit_time,gpus,duration,vc\n7,1500,1,20,v\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.jobs[0].submit_us, 1500000);
    assert_int_equal(t.jobs[0].duration_us, 20000);
    assert_null(t.jobs[0].vc);
}

static void test_mappings_that_are_wrong(void **state)
{
    static const struct {
        const char *map, *words;
        enum hs_status status;
    } cases[] = {
        {"gpu=x", "did you mean 'gpus'?", HS_E_USAGE},
        {"gpus", "'gpus' is not KEY=COLUMN", HS_E_USAGE},
        {"gpus=nowhere", "missing column 'nowhere'", HS_E_INPUT},
        {"user=nowhere", "no column 'nowhere' for 'user'", HS_E_INPUT},
        {"no-such-file.json", "no-such-file.json", HS_E_IO},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        traced_options(&t);
        t.options.map = cases[i].map;
        read_it(HEAD "1,0,1,1\n");
        assert_int_equal(t.status, cases[i].status);
        assert_non_null(strstr(t.sink.text, cases[i].words));
    }
    static const char *const files[][2] = {
        {"[]", "holds an object"},
        {"{\"colums\": {}}", "unexpected 'colums'"},
        {"{\"columns\": {\"gpus\": 3}}", "mapping of 'gpus' is not text"},
        {"{\"columns\": {\"gpuz\": \"x\"}}", "did you mean 'gpus'?"},
        {"{\"time_unit\": \"weeks\"}", "not a time unit"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        traced_options(&t);
        t.options.map = scratch_write("bad.json", files[i][0], strlen(files[i][0]));
        read_it(HEAD "1,0,1,1\n");
        assert_int_equal(t.status, HS_E_INPUT);
        assert_non_null(strstr(t.sink.text, files[i][1]));
    }
}

static void test_headers_that_are_wrong(void **state)
{
    (void)state;
    expect_fault("id,gpu_num,submit_time\n", "missing columns 'gpus', 'job_id', 'duration'");
    assert_non_null(strstr(t.sink.text, "--map=gpus=gpu_num,job_id=id"));
    expect_fault("job_id,submit_time,gpus,duration,gpus\n1,0,1,1,1\n", "'gpus' appears twice");
    expect_fault("", "the trace is empty");
    expect_fault("just text\n", "not a trace of a known format");
    expect_fault(HEAD, "no job to replay in 0 rows");
    traced_options(&t);
    t.options.format = "tiresia";
    read_it(HEAD "1,0,1,1\n");
    assert_int_equal(t.status, HS_E_USAGE);
    assert_non_null(strstr(t.sink.text, "did you mean 'tiresias'?"));
    traced_options(&t);
    t.options.format = "helios";
    t.options.map = "gpus=x";
    read_it(HEAD "1,0,1,1\n");
    assert_int_equal(t.status, HS_E_USAGE);
}

static void test_values_that_are_wrong(void **state)
{
    (void)state;
    expect_fault(HEAD "1,0,1,1\n2,x7,1,5\n", "t.csv:3:3: error: submit_time is not a time: 'x7'");
    expect_fault(HEAD "1,0,1\n", "3 fields where the header has 4");
    expect_fault(HEAD "1,0,1,1,1\n", "5 fields where the header has 4");
    expect_fault(HEAD "1,0,1.5,5\n", ":2:5: error: gpus is not a whole number: '1.5'");
    expect_fault(HEAD "1,0,0.0625,5\n", ":2:5: error: gpus has more than three decimals: '0.0625'");
    expect_fault(HEAD "1,0,-0.5,5\n", "gpus is negative: '-0.5'");
    expect_fault(HEAD "1,0,-1,5\n", "gpus is negative: '-1'");
    expect_fault(HEAD "1,0,65536,5\n", "gpus is out of range");
    expect_fault(HEAD "1,0,99999999999999999999999,5\n", "gpus is out of range");
    expect_fault(HEAD "1,0,two,5\n", "gpus is not a number: 'two'");
    expect_fault(HEAD "1,0,1,-5\n", "duration is negative");
    expect_fault(HEAD "1,-1,1,5\n", "submit_time is negative");
    expect_fault(HEAD "1,0,1,\n", "duration is empty");
    expect_fault(HEAD ",0,1,5\n", "job_id is empty");
    /* 2^53 us = 9,007,199,254.740992 s */
    expect_fault(HEAD "1,0,1,9007199255\n", "duration is beyond 285 years");
    expect_fault(HEAD "1,9007199255,1,5\n", "submit_time is beyond 285 years");
    expect_fault(HEAD "1,2020-13-01 00:00:00,1,5\n", "submit_time is not a time");
    expect_fault(HEAD "1,2020-01-01 00:00:00,1,5\n2,2020-02-30 00:00:00,1,5\n", ":3:3: error");
    /* the date is that of the row before, the time of day is invalid */
    expect_fault(HEAD "1,2020-01-01 00:00:00,1,5\n2,2020-01-01 24:00:00,1,5\n", ":3:3: error");
    expect_fault(HEAD "1,2020-01-01 00:00:00,1,5\n2,2020-01-01 1x:00:00,1,5\n", ":3:3: error");
    expect_fault("job_id,submit_time,gpus,duration,status\n1,0,1,5,Done\n", "unknown state 'Done'");
    expect_fault("job_id,submit_time,gpus,duration,gpu_util\n1,0,1,5,101\n", "gpu_util is out of");
    expect_fault("job_id,submit_time,gpus,duration,nodes\n1,0,1,5,2\n", "nodes is more than gpus");
    expect_fault("job_id,submit_time,gpus,duration,gpus_min\n1,0,1,5,2\n", "do not enclose gpus");
    expect_fault("job_id,submit_time,gpus,duration,deadline\n1,0,1,5,-9\n", "deadline is out of");
    expect_fault(HEAD "\"a\"b,0,1,5\n", "closing quote");
    char row[400];
    memset(row, 'j', 256);
    memcpy(row + 256, ",0,1,5\n", 8);
    char text[500] = HEAD;
    expect_fault(strcat(text, row), "job_id is longer than 255 bytes");
    memcpy(row + 255, ",0,1,5\n", 8);
    traced_options(&t);
    memcpy(text, HEAD, sizeof HEAD);
    read_it(strcat(text, row));
    assert_int_equal(t.status, HS_END);
}

static const char ten_rows[] = HEAD "a,0,1,10\nb,x,1,10\nc,2,1,10\nd,3,1,10\ne,4,1,y\n"
                                    "f,5,1,10\ng,6,1,10\nh,7,1,10\ni,8,1,10\n\"j\"x,9,1,10\n";

static void test_bad_rows_within_the_share(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.skip_bad_permille = 300; /* three of ten rows are bad */
    read_it(ten_rows);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 10);
    assert_int_equal(t.counts.bad, 3);
    assert_int_equal(t.counts.accepted, 7);
    assert_non_null(strstr(t.sink.text, "skipped 3 bad rows of 10: 1 not a number, 1 not a "
                                        "time, 1 malformed"));
    assert_int_equal(t.sink.diag.errors, 0);
}

static void test_bad_rows_beyond_the_share(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.skip_bad_permille = 299;
    read_it(ten_rows);
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "3 of 10 rows are bad, more than the 29.9% tolerated"));
}

static void test_rules_drop_and_count(void **state)
{
    const char text[] = "job_id,submit_time,gpus,duration,status\n"
                        "a,0,0,10,completed\nb,1,1,0,failed\nc,2,1,10,running\nd,3,1,10,killed\n"
                        "e,4,1,10,completed\n";
    (void)state;
    traced_options(&t);
    read_it(text);
    assert_int_equal(t.count, 3); /* b, d, e */
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
    assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 1);
    assert_int_equal(t.jobs[0].duration_us, 0);

    traced_options(&t);
    t.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    t.options.zero_duration = HS_ZERO_DROP;
    t.options.outcomes = "completed,cancelled";
    read_it(text);
    assert_int_equal(t.count, 3); /* a, d, e; b is failed, which comes before its duration */
    assert_int_equal(t.jobs[0].gpus, 0);
    assert_int_equal(t.drops[HS_DROP_OUTCOME], 1);
    assert_int_equal(t.drops[HS_DROP_ZERO_DURATION], 0);

    traced_options(&t);
    t.options.zero_duration = HS_ZERO_ONE_SECOND;
    read_it(text);
    assert_int_equal(t.jobs[0].duration_us, SECOND);

    traced_options(&t);
    t.options.zero_duration = HS_ZERO_DROP;
    read_it(text);
    assert_int_equal(t.drops[HS_DROP_ZERO_DURATION], 1);

    traced_options(&t);
    t.options.outcomes = "done";
    read_it(text);
    assert_int_equal(t.status, HS_E_USAGE);

    traced_options(&t);
    t.options.outcomes = "unknown";
    read_it(text);
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "no job to replay in 5 rows: 1 CPU job (0 GPUs), 1 still "
                                        "running at the snapshot, 3 outcome not asked for"));
}

static void test_limits(void **state)
{
    const char text[] = HEAD "a,100,1,1\nb,101,1,1\nc,102,1,1\nd,103,1,1\ne,104,1,1\n";
    (void)state;
    traced_options(&t);
    t.options.max_jobs = 2;
    read_it(text);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2);

    traced_options(&t);
    t.options.window.from_us = 1 * SECOND; /* after the first: [101, 103) */
    t.options.window.to_us = 3 * SECOND;
    read_it(text);
    assert_int_equal(t.count, 2);
    assert_string_equal(t.jobs[0].id, "b");
    assert_string_equal(t.jobs[1].id, "c");
    assert_int_equal(t.drops[HS_DROP_WINDOW], 1);
}

static void test_load_divides_gaps(void **state)
{
    const char text[] = "job_id,submit_time,gpus,duration,deadline\n"
                        "a,100,1,1,\nb,101,1,1,200\nc,107,1,1,\n";
    (void)state;
    traced_options(&t);
    t.options.load = 2.0;
    read_it(text);
    /* offsets 0, 1, 7 s -> 0, 0.5, 3.5 s; b's deadline stays 99 s after it */
    assert_int_equal(t.jobs[0].submit_us, 100 * SECOND);
    assert_int_equal(t.jobs[1].submit_us, 100500000);
    assert_int_equal(t.jobs[1].deadline_us, 199500000);
    assert_int_equal(t.jobs[2].submit_us, 103500000);

    traced_options(&t);
    t.options.load = 3.0;
    read_it(text);
    assert_int_equal(t.jobs[1].submit_us, 100333333); /* 1/3 s, rounded down */
    assert_int_equal(t.jobs[2].submit_us, 102333333); /* 7/3 s: no rounding error adds up */

    traced_options(&t);
    t.options.load = 0.0;
    read_it(text);
    assert_int_equal(t.status, HS_E_USAGE);
}

static void test_line_ends(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("\xEF\xBB\xBFjob_id,submit_time,gpus,duration\r\n1,0,1,5\r\n\r\n2,1,2,6");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.jobs[1].duration_us, 6 * SECOND);
    assert_int_equal(t.jobs[1].line, 4);
}

static void test_shipped_sample(void **state)
{
    (void)state;
    traced_options(&t);
    traced_file(&t, "traces/sample.csv");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2000); /* traces/README.md */
    assert_int_equal(t.gpus, 6939);  /* awk -F, 'NR>1{s+=$5}END{print s}' */
    assert_int_equal(t.duration_us, INT64_C(6843960) * SECOND); /* the same of $6 */
}

static void test_real_venus(void **state)
{
    (void)state;
    const char *path = data_find("traces", "venus_gpu_jobs_mar-jul2020.csv");
    if (path == NULL)
        skip();
    traced_options(&t);
    t.options.map = "configs/mappings/venus.json";
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 77574); /* wc -l, less the header */
    assert_int_equal(t.gpus, 510307); /* awk as above */
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1584504099) * SECOND); /* 2020-03-18 04:01:39 */
    assert_int_equal(t.counts.reordered, 0);
}

static void test_real_philly_vcs(void **state)
{
    (void)state;
    const char *path = data_find("traces", "philly_vc_7f04ca_0e4a51.csv");
    if (path == NULL)
        skip();
    traced_options(&t);
    t.options.map = "configs/mappings/philly-vc.json";
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 4132); /* 1,494 + 2,638 rows of the two VCs */
    assert_int_equal(t.gpus, 12708);
}

static void test_real_neutral(void **state)
{
    (void)state;
    const char *path = data_find("oracles", "neutral/W10000.csv");
    if (path == NULL)
        skip();
    traced_options(&t);
    t.options.map = "configs/mappings/neutral.json";
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 10000);
    assert_string_equal(t.jobs[0].user, "u126");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_required_columns_alone),
        cmocka_unit_test(test_all_columns_in_any_order),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_mapping_from_the_command_line),
        cmocka_unit_test(test_mapping_from_a_file),
        cmocka_unit_test(test_mappings_that_are_wrong),
        cmocka_unit_test(test_headers_that_are_wrong),
        cmocka_unit_test(test_values_that_are_wrong),
        cmocka_unit_test(test_bad_rows_within_the_share),
        cmocka_unit_test(test_bad_rows_beyond_the_share),
        cmocka_unit_test(test_rules_drop_and_count),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_load_divides_gaps),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_shipped_sample),
        cmocka_unit_test(test_real_venus),
        cmocka_unit_test(test_real_philly_vcs),
        cmocka_unit_test(test_real_neutral),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
