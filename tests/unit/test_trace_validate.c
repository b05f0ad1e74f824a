/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trace info: its figures; and trace validate: it finds every fault, states place and repair, and
 * compares the demand with the cluster.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/traced.h"
#include "base/memory.h"

#define HEAD "job_id,submit_time,gpus,duration\n"

static struct hs_trace_options options;
static struct sink sink;
static char report[65536];

static enum hs_status examine(const char *path, const struct hs_trace_capacity *cluster,
                              bool is_info)
{
    struct hs_output out;
    char *text;
    size_t len;
    const char *to = scratch_path("report.txt");
    sink_init(&sink);
    options.path = path;
    assert_int_equal(hs_output_open(&out, to, &sink.diag), HS_OK);
    enum hs_status status = is_info
                                ? hs_trace_info(&options, false, &out, &sink.diag)
                                : hs_trace_validate(&options, cluster, "FILE", &out, &sink.diag);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    assert_int_equal(hs_read_file(to, sizeof report - 1, &text, &len, &sink.diag), HS_OK);
    memcpy(report, text, len + 1);
    hs_free(text);
    return status;
}

static enum hs_status validate(const char *text, const struct hs_trace_capacity *cluster)
{
    return examine(scratch_write("t.csv", text, strlen(text)), cluster, false);
}

static void expect(const char *words)
{
    if (strstr(report, words) == NULL)
        fail_msg("no '%s' in: %s", words, report);
}

static void test_a_healthy_trace(void **state)
{
    (void)state;
    hs_trace_options_default(&options);
    assert_int_equal(validate(HEAD "a,0,1,10\nb,10,2,10\n", NULL), HS_OK);
    expect("rows         2\njobs         2\n");
    /* (10 + 20) GPU s over 10 s */
    expect("3        -\n");
    expect("\n0 faults\n");
}

static void test_every_kind_of_fault(void **state)
{
    (void)state;
    hs_trace_options_default(&options);
    options.sort_window = 1;
    const char text[] = "job_id,submit_time,gpus,duration,status\n" /* 1 */
                        "a,10,1,10,completed\n"                     /* 2 */
                        "b,x7,1,10,completed\n"                     /* 3 TIME */
                        "c,11,1.5,10,failed\n"                      /* 4 FRACTION */
                        "d,12,2,-4,failed\n"                        /* 5 RANGE */
                        "e,13,99999,1,Pass\n"                       /* 6 RANGE */
                        "f,14,1\n"                                  /* 7 FIELDS */
                        "g,15,1,10,weird\n"                         /* 8 STATE */
                        "h,16,1,,killed\n"                          /* 9 MISSING */
                        "\"i\"x,17,1,3,killed\n"                    /* 10 STRUCTURE */
                        "a,18,1,3,killed\n"                         /* 11 DUPLICATE, no job */
                        "j,19,1,y,killed\n"                         /* 12 NUMBER */
                        "k,5,1,3,killed\n";                         /* 13 ORDER */
    assert_int_equal(validate(text, NULL), HS_E_INPUT);
    expect("rows         12\n");
    expect("1 not a time\n");
    expect("t.csv:3:3: error: submit_time is not a time: 'x7'\n");
    expect("1 not a whole number\n");
    expect("repair: correct the rows, or skip them");
    expect("2 out of range\n");
    expect("1 wrong number of fields\n");
    expect("t.csv:7:");
    expect("1 unknown state\n");
    expect("1 required value missing\n");
    expect("1 malformed\n");
    expect("t.csv:10:");
    expect("1 job id seen before\n");
    expect("t.csv:11:1: error: job id 'a' was seen before: ");
    expect("t.csv:2:1\n    repair: --map=job_id=@row");
    expect("1 not a number\n");
    expect("1 out of order in time\n");
    expect("t.csv:13:3: error: job 'k' comes 5 s late"); /* after 10 s, that of line 2 */
    expect("repair: --sort=all");
    expect("\n11 faults\n");
    /* faults of rows are listed in the report, not as messages */
    assert_int_equal(sink.diag.errors, 0);
}

static void test_faults_of_classes_and_memory(void **state)
{
    (void)state;
    hs_trace_options_default(&options);
    assert_int_equal(validate("job_id,submit_time,gpus,duration,class,gpu_mem_mib,"
                              "gpu_mem_persistent_mib,gpu_mem_later_mib\n"
                              "a,0,1,1,guaranteed,2,2,\n"
                              "b,0,1,1,vip,,,\n"
                              "c,0,1,1,,1,2,\n"
                              "d,0,1,1,,,,1\n",
                              NULL),
                     HS_E_INPUT);
    expect("\n1 unknown class\n    ");
    expect("t.csv:3:9: error: unknown class 'vip'\n");
    expect("\n1 out of range\n");
    expect("t.csv:4:12: error: gpu_mem_persistent_mib is more than gpu_mem_mib\n");
    expect("\n1 required value missing\n");
    expect("t.csv:5:12: error: gpu_mem_later_mib is set without gpu_mem_later_after\n");
    expect("\n3 faults\n");
}

static void test_first_three_of_each(void **state)
{
    (void)state;
    hs_trace_options_default(&options);
    assert_int_equal(validate(HEAD "1,x,1,1\n2,x,1,1\n3,x,1,1\n4,x,1,1\n5,0,1,1\n", NULL),
                     HS_E_INPUT);
    expect("4 not a time\n");
    expect("t.csv:4:");
    assert_null(strstr(report, "t.csv:5:"));
    expect("\n4 faults\n");
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    hs_trace_options_default(&options);
    assert_int_equal(examine("/nowhere/t.csv", NULL, false), HS_E_IO);
    assert_int_equal(sink.diag.errors, 1);
    assert_int_equal(validate("id,when\n", NULL), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "missing columns"));
    assert_int_equal(validate("\"id\"x,when\n", NULL), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "closing quote"));
    const char torn[] = "[{\"jobid\": \"j\", \"submitted_time\": \"2017-10-09 07:00:00\", "
                        "\"attempts\": []},\n{\"jobid\": ";
    assert_int_equal(examine(scratch_write("log", torn, sizeof torn - 1), NULL, false), HS_E_INPUT);
    expect("cannot be read to its end");
    expect("dropped      1 never started\n");
    expect("\n1 fault\n");
}

static void test_against_a_cluster(void **state)
{
    (void)state;
    static const struct hs_trace_pool types[] = {{"V100", 8}, {"P100", 8}};
    static const struct hs_trace_pool vcs[] = {{"vcA", 12}, {"vcB", 4}};
    const struct hs_trace_capacity cluster = {{types, vcs}, {2, 2}, 16};
    hs_trace_options_default(&options);
    const char text[] = "job_id,submit_time,gpus,duration,vc,gpu_type,gpus_min\n"
                        "a,0,8,50,vcA,V100,\n"
                        "b,10,4,25,vcB,,\n"
                        "c,20,5,10,vcB,,4\n" /* fits if it shrinks to 4 */
                        "d,30,8,10,vcB,,\n"  /* 8 of 4 */
                        "e,40,9,10,vcA,P100,\n"
                        "f,50,1,10,vcC,,\n"
                        "g,100,1,10,vcA,A100,\n"
                        "h,100,1,10,,,\n";
    assert_int_equal(validate(text, &cluster), HS_OK);
    /* GPU s over 100 s: a 400, b 100, c 50, d 80, e 90, f 10, g 10, h 10 = 750; 7.5 / 16 = 46.9 %
     */
    expect("all                               16            8              7.5     46.9\n");
    expect("GPU type  V100                     8            1                4       50\n");
    expect("GPU type  A100                     -            1              0.1        -\n");
    expect("VC        vcA                     12            3                5     41.7\n");
    expect("VC        vcB                      4            3              2.3     57.5\n");
    expect("5 jobs can never fit the cluster: a run rejects them\n");
    expect("line 5: job 'd' requests 8 GPUs, VC vcB has 4\n");
    expect("line 6: job 'e' requests 9 GPUs, GPU type P100 has 8\n");
    expect("line 7: job 'f' requests VC 'vcC', which the cluster lacks\n");
    expect("\n0 faults\n");
    const struct hs_trace_capacity no_vcs = {{types, NULL}, {2, 0}, 16};
    assert_int_equal(validate(text, &no_vcs), HS_OK);
    expect("2 jobs can never fit the cluster");
}

static void test_info(void **state)
{
    (void)state;
    const char text[] = "job_id,submit_time,gpus,duration,vc,user,status\n"
                        "a,2020-04-01 00:00:00,1,100,v1,u1,completed\n"
                        "b,2020-04-01 00:00:10,1,200,v2,u1,completed\n"
                        "c,2020-04-01 00:00:30,4,300,v1,u2,failed\n"
                        "d,2020-04-01 00:01:00,1,400,v1,u3,completed\n"
                        "e,2020-04-01 00:01:00,0,400,v1,u3,completed\n";
    hs_trace_options_default(&options);
    assert_int_equal(examine(scratch_write("i.csv", text, sizeof text - 1), NULL, true), HS_OK);
    expect("rows         5\njobs         4\ndropped      1 CPU job (0 GPUs)\n");
    expect("first        2020-04-01 00:00:00\nlast         2020-04-01 00:01:00\n");
    /* 100 + 200 + 1200 + 400 = 1900 GPU s over 60 s */
    expect("mean demand  31.7 GPUs over the span\n");
    expect("VCs          2\nusers        3\n");
    /* completed: 3 of 4 jobs, 700 of 1900 GPU s */
    expect("completed               3         75       36.8\n");
    expect("1                       3         75       36.8\n");
    expect("3-4                     1         25       63.2\n");
    /* durations of 1 GPU: 100, 200, 400: mean 233.333; p25 is the first of three, p75 the third */
    expect("1        233.333       100       100       200       400       400       400       "
           "400       400\n");
    /* gaps of 1 GPU: 10, 50; of all: 10, 20, 30 */
    expect("all           20        10        10        20        30        30        30        "
           "30        30\n");
    expect("at most 0.1 % above");
}

static void test_info_of_classes(void **state)
{
    (void)state;
    const char text[] = "job_id,submit_time,gpus,duration,class,step,gpus_min,gpus_max\n"
                        "a,0,1,100,guaranteed,0.1,,\n"
                        "b,1,2,100,opportunistic,0.2,1,\n"
                        "c,2,2,100,auto,,2,2\n"
                        "d,3,1,100,,0,,4\n";
    hs_trace_options_default(&options);
    assert_int_equal(examine(scratch_write("c.csv", text, sizeof text - 1), NULL, true), HS_OK);
    expect("mini-batch   known of 2 jobs\nelastic      2 jobs\n");
    /* 100 + 200 + 200 + 100 = 600 GPU s, of which auto 300 */
    expect("class                jobs     jobs % GPU time %\n"
           "auto                    2         50         50\n"
           "guaranteed              1         25       16.7\n"
           "opportunistic           1         25       33.3\n");
    const char plain[] = HEAD "a,0,1,100\n";
    assert_int_equal(examine(scratch_write("p.csv", plain, sizeof plain - 1), NULL, true), HS_OK);
    assert_null(strstr(report, "class  "));
    assert_null(strstr(report, "mini-batch"));
    assert_null(strstr(report, "elastic"));
}

static void test_info_of_bad_input(void **state)
{
    (void)state;
    const char text[] = HEAD "a,0,1,x\n";
    hs_trace_options_default(&options);
    assert_int_equal(examine(scratch_write("b.csv", text, sizeof text - 1), NULL, true),
                     HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
}

static void test_shipped_samples(void **state)
{
    static const char *const paths[] = {"traces/sample.csv", "traces/sample-classes.csv",
                                        "traces/sample-helios.csv", "traces/sample-philly.json"};
    (void)state;
    hs_trace_options_default(&options);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(examine(paths[i], NULL, false), HS_OK);
        expect("\n0 faults\n");
        assert_int_equal(examine(paths[i], NULL, true), HS_OK);
    }
    /* traces/README.md: 90 % of 8x8 */
    static const struct hs_trace_pool types[] = {{"V100", 64}};
    const struct hs_trace_capacity cluster = {{types, NULL}, {1, 0}, 64};
    assert_int_equal(examine(paths[0], &cluster, false), HS_OK);
    expect("all                               64         2000             57.4     89.6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_healthy_trace),
        cmocka_unit_test(test_every_kind_of_fault),
        cmocka_unit_test(test_faults_of_classes_and_memory),
        cmocka_unit_test(test_first_three_of_each),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_against_a_cluster),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_info_of_classes),
        cmocka_unit_test(test_info_of_bad_input),
        cmocka_unit_test(test_shipped_samples),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
