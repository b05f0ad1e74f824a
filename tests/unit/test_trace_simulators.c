/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The job files of simulators derived from Tiresias': Muri, Chronus, ElasticFlow. Each is
 * recognised by its columns; sums of the real files are awk's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/traced.h"

#include "support/data.h"

#define MURI                                                                                       \
    "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"               \
    "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n"
#define CHRONUS                                                                                    \
    "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,"    \
    "expect_value_list,best_effort,job_type\n"
#define ELASTICFLOW                                                                                \
    "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,"  \
    "iteration\n"

#define MINUTE INT64_C(60000000)

static struct traced t;

static void read_it(const char *text)
{
    traced_options(&t);
    traced_text(&t, "jobs.csv", text);
}

static void expect_fault(const char *text, const char *message)
{
    read_it(text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("'%s' lacks '%s'", t.sink.text, message);
}

/* Milliseconds, without an option. */
static void test_muri(void **state)
{
    const char text[] = MURI "1,8,201694000,8787693,dqn,128,4472936000,201694000,509,435,8,0.5,1\n"
                             "2,1,201695000,0,,,7,1000,,,,,\r\n";
    (void)state;
    read_it(text);
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "muri");
    assert_int_equal(t.sink.diag.warnings, 0);
    assert_int_equal(t.jobs[0].submit_us, INT64_C(201694000000));
    assert_int_equal(t.jobs[0].duration_us, INT64_C(4472936000000));
    assert_int_equal(t.jobs[0].step_us, 509000);
    assert_int_equal(t.jobs[0].priority, 1);
    assert_string_equal(t.jobs[0].model, "dqn");
    assert_string_equal(t.jobs[0].batch, "128");
    assert_int_equal(t.jobs[1].duration_us, 7000);
    assert_int_equal(t.jobs[1].step_us, 0);
    assert_int_equal(t.jobs[1].priority, 0);
    traced_options(&t);
    t.options.time_unit_us = 1000000; /* an explicit option */
    traced_text(&t, "jobs.csv", text);
    assert_int_equal(t.jobs[0].step_us, INT64_C(509000000));
}

/* Minutes; the expected time counts from the submission. Best efforts repeat the submission
 * there. */
static void test_chronus(void **state)
{
    (void)state;
    read_it(CHRONUS "3,vc_6214e9,1,16962,5458,inception_v3,158,5,318,10,0,strict\n"
                    "4,vc_ee9e8c,2,16963,3621,alexnet,30,17,16963,10,1,best\n"
                    "5,vc_ee9e8c,4,16964,3621,alexnet,100,1,159-189-229,10-5-1,0,soft\n"
                    "6,vc_ee9e8c,4,16965,3621,alexnet,100,1,200,10,1,best\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "chronus");
    assert_int_equal(t.count, 4);
    assert_int_equal(t.jobs[0].submit_us, 16962 * MINUTE);
    assert_int_equal(t.jobs[0].duration_us, 158 * MINUTE);
    assert_int_equal(t.jobs[0].deadline_us, (16962 + 318) * MINUTE);
    assert_int_equal(t.jobs[0].job_class, HS_JOB_CLASS_GUARANTEED);
    assert_string_equal(t.jobs[0].user, "vc_6214e9");
    assert_int_equal(t.jobs[1].deadline_us, -1);
    assert_int_equal(t.jobs[1].job_class, HS_JOB_CLASS_OPPORTUNISTIC);
    assert_int_equal(t.jobs[1].option_count, 0);
    assert_int_equal(t.jobs[2].deadline_us, (16964 + 159) * MINUTE);
    assert_int_equal(t.jobs[2].option_count, 3);
    assert_int_equal(t.jobs[2].options[1].after_us, 189 * MINUTE);
    assert_int_equal(t.jobs[2].options[1].value_milli, 5000);
    assert_int_equal(t.jobs[2].options[2].after_us, 229 * MINUTE);
    assert_int_equal(t.jobs[2].options[2].value_milli, 1000);
    assert_int_equal(t.jobs[3].option_count, 1);
    assert_int_equal(t.jobs[3].deadline_us, (16965 + 200) * MINUTE);
}

/* A trace with seconds in its columns, as ElasticFlow's authors made one. */
static void test_chronus_in_seconds(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.time_unit_us = 1000000;
    traced_text(
        &t, "jobs.csv",
        "job_id,user,num_gpu,batch_size,submit_time,iterations,model_name,duration,interval,"
        "expect_time_list,expect_value_list,best_effort,job_type\n"
        "0,user0,1,256,5,1282877,vgg16,976570,0,771220,10,0,strict\n"
        "1,user1,1,,6,1282877,vgg16,976570,0,,,,\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "chronus");
    assert_string_equal(t.jobs[0].batch, "256");
    assert_int_equal(t.jobs[0].deadline_us, INT64_C(771225000000));
    assert_int_equal(t.jobs[1].deadline_us, -1);
    assert_int_equal(t.jobs[1].job_class, HS_JOB_CLASS_AUTO);
}

static void test_chronus_faults(void **state)
{
    (void)state;
    expect_fault(CHRONUS "3,u,1,16962,1,vgg,158,5,-318,10,0,strict\n",
                 "jobs.csv:2:25: error: expect_time_list is negative: '-318'");
    expect_fault(CHRONUS "3,u,1,16962,1,vgg,158,5,soon,10,0,strict\n",
                 "expect_time_list is not a number: 'soon'");
    expect_fault(CHRONUS "3,u,1,16962,1,vgg,158,5,318,10,2,strict\n",
                 "jobs.csv:2:32: error: best_effort is neither 0 nor 1: '2'");
    expect_fault(CHRONUS "3,u,1,16962,1,vgg,158,5,9e13,10,0,strict\n",
                 "expect_time_list is out of range: '9e13'");
    expect_fault(
        CHRONUS "3,u,1,16962,1,vgg,158,5,159-189,10,0,strict\n",
        "jobs.csv:2:33: error: expect_value_list is not a list of values, one for each of");
    expect_fault(CHRONUS "3,u,1,16962,1,vgg,158,5,159,10-5,0,strict\n",
                 "expect_value_list is not a list of values, one for each of the times: '10-5'");
    expect_fault(CHRONUS "3,u,1,16962,1,vgg,158,5,159-159,10-5,0,strict\n", "times ascend");
}

/* ddl is an instant, before the end of the run if it must be made faster. 976570 s / 1282877
 * iterations = 0.7612343... s, 1792395 / 26446831 = 0.0677735... */
static void test_elasticflow(void **state)
{
    (void)state;
    read_it(ELASTICFLOW "0,0,1282877,vgg16,771220,256,1,976570,976570,1282877\n"
                        "1,219316,26446831,vgg16,2065619,64,4,9,1792395,26446831\n"
                        "2,219317,0,,,,2,9,10,0\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "elasticflow");
    assert_int_equal(t.count, 3);
    assert_int_equal(t.jobs[0].duration_us, INT64_C(976570000000));
    assert_int_equal(t.jobs[0].deadline_us, INT64_C(771220000000));
    assert_int_equal(t.jobs[0].step_us, 761234);
    assert_int_equal(t.jobs[0].job_class, HS_JOB_CLASS_AUTO);
    assert_string_equal(t.jobs[0].batch, "256");
    assert_int_equal(t.jobs[1].gpus, 4);
    assert_int_equal(t.jobs[1].submit_us, INT64_C(219316000000));
    assert_int_equal(t.jobs[1].duration_us, INT64_C(1792395000000)); /* not real_duration */
    assert_int_equal(t.jobs[1].step_us, 67774);
    assert_int_equal(t.jobs[2].deadline_us, -1);
    assert_int_equal(t.jobs[2].step_us, 0);
}

/* As its generator writes it. */
static void test_elasticflow_best_effort(void **state)
{
    const char head[] = "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration,"
                        "best_effort\n";
    char text[512];
    (void)state;
    (void)snprintf(text, sizeof text, "%s0,0,100,bert,50,64,1,40,1\n1,0,100,bert,50,64,1,40,0\n",
                   head);
    read_it(text);
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "elasticflow");
    assert_int_equal(t.jobs[0].deadline_us, -1);
    assert_int_equal(t.jobs[0].job_class, HS_JOB_CLASS_OPPORTUNISTIC);
    assert_int_equal(t.jobs[1].deadline_us, 50000000);
    assert_int_equal(t.jobs[1].job_class, HS_JOB_CLASS_GUARANTEED);
    (void)snprintf(text, sizeof text, "%s0,0,1.5,bert,50,64,1,40,1\n", head);
    expect_fault(text, "iteration is not a number: '1.5'");
    (void)snprintf(text, sizeof text, "%s0,0,-1,bert,50,64,1,40,1\n", head);
    expect_fault(text, "iteration is negative: '-1'");
}

static void read_real(const char *name, const char *format)
{
    const char *path = data_need("traces", name);
    traced_options(&t);
    t.options.sort_window = HS_SORT_ALL;
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, format);
}

static void test_real_muri(void **state)
{
    (void)state;
    read_real("trace1.csv", "muri");
    assert_int_equal(t.count, 1494);
    assert_int_equal(t.gpus, 7398);
    assert_true(t.duration_us == INT64_C(374174936000) * 1000);
    read_real("trace4.csv", "muri");
    assert_int_equal(t.count, 2638);
    assert_int_equal(t.gpus, 5310);
    assert_true(t.duration_us == INT64_C(314808424000) * 1000);
}

static void test_real_chronus(void **state)
{
    (void)state;
    read_real("trace_job_Philly_MIX1.csv", "chronus");
    assert_int_equal(t.counts.rows, 30940);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 184); /* its simulator skips them as well */
    assert_int_equal(t.gpus, 42947);
    assert_true(t.duration_us == 8025769 * MINUTE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_muri),
        cmocka_unit_test(test_chronus),
        cmocka_unit_test(test_chronus_in_seconds),
        cmocka_unit_test(test_chronus_faults),
        cmocka_unit_test(test_elasticflow),
        cmocka_unit_test(test_elasticflow_best_effort),
        cmocka_unit_test(test_real_muri),
        cmocka_unit_test(test_real_chronus),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
