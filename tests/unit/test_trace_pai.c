/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Alibaba PAI 2020: every peculiarity of the task table and of the simulator's job files, one small
 * trace each. Demands are calculated by hand beside the rows.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "support/traced.h"

#include "base/memory.h"
#include "support/data.h"
#include "traces/format.h"

#define HEADER                                                                                     \
    "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n"

static struct traced t;

static void read_tasks(const char *text)
{
    traced_text(&t, "pai_task_table.csv", text);
}

static void expect_demand(size_t job, uint32_t gpus, uint32_t gpu_milli, uint32_t cpus_milli,
                          uint32_t mem_mib)
{
    assert_int_equal(t.jobs[job].gpus, gpus);
    assert_int_equal(t.jobs[job].gpu_milli, gpu_milli);
    assert_int_equal(t.jobs[job].cpus_milli, cpus_milli);
    assert_int_equal(t.jobs[job].mem_mib, mem_mib);
}

/* The example of the trace's own README: 6 cores, 29.296875 GB = 30,000 MiB, half a GPU. */
static void test_task(void **state)
{
    (void)state;
    traced_options(&t);
    read_tasks("4f057009a5d481acec67b088,tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,"
               "29.296875,50.0,MISC\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "pai");
    assert_int_equal(t.count, 1);
    assert_string_equal(t.jobs[0].id, "4f057009a5d481acec67b088/tensorflow");
    assert_string_equal(t.jobs[0].gpu_type, "MISC");
    assert_string_equal(t.jobs[0].gpu_type_ran, "MISC");
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1739162000000));
    assert_int_equal(t.jobs[0].duration_us, 38000000);
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_COMPLETED);
    expect_demand(0, 1, 500, 6000, 30000);
    assert_int_equal(t.counts.rounded, 0);
    assert_int_equal(t.sink.diag.warnings, 0);
}

/* For each instance: 5 x 0.5; 3 x 2 whole; 1 x 1.5 is 2 whole ones; 2 x 0.3333 are 334 thousandths,
 * 2 x 12.5 % of a core 250; 4 x 1. */
static void test_instances(void **state)
{
    (void)state;
    traced_options(&t);
    read_tasks("a,worker,5.0,Terminated,1,2,400,2,50,T4\n"
               "b,worker,3,Failed,1.0,2.5,100,1,200,\n"
               "c,worker,1,Terminated,2,3,,,150,None\n"
               "d,worker,2,Terminated,3,4,12.5,0.5,33.33,P100\n"
               "e,,4,Terminated,4,5,0,0,100,V100M32");
    assert_int_equal(t.status, HS_END);
    expect_demand(0, 5, 500, 5 * 4000, 5 * 2048);
    expect_demand(1, 6, 1000, 3 * 1000, 3 * 1024);
    expect_demand(2, 2, 1000, 0, 0);
    expect_demand(3, 2, 334, 250, 1024);
    expect_demand(4, 4, 1000, 0, 0);
    assert_int_equal(t.jobs[1].duration_us, 1500000);
    assert_int_equal(t.jobs[1].outcome, HS_OUTCOME_FAILED);
    assert_null(t.jobs[1].gpu_type);
    assert_null(t.jobs[1].gpu_type_ran);
    assert_null(t.jobs[2].gpu_type);
    assert_string_equal(t.jobs[4].id, "e"); /* a task without a name has that of its job */
    assert_int_equal(t.counts.rounded, 2);  /* c and d */
}

static void test_drops(void **state)
{
    (void)state;
    static const char rows[] = "a,ps,1,Terminated,10,20,600,8,,\n"
                               "b,worker,1,Running,10,,600,8,100,T4\n"
                               "c,worker,1,Waiting,,,600,8,100,T4\n"
                               "d,worker,1,Terminated,,20,600,8,100,T4\n"
                               "e,worker,1,Failed,10,,600,8,100,T4\n"
                               "f,worker,1,Failed,10,10,600,8,100,T4\n"
                               "g,worker,0,Failed,10,11,600,8,100,T4\n";
    traced_options(&t);
    read_tasks(rows);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 2); /* a; g, which has no instance */
    assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 2);
    assert_int_equal(t.drops[HS_DROP_NO_TIMES], 2);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.jobs[0].duration_us, 0);
    traced_options(&t);
    t.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    read_tasks(rows);
    assert_int_equal(t.count, 3);
    expect_demand(0, 0, 1000, 6000, 8192);
}

/* With a header line, columns may be in any order. */
static void test_header(void **state)
{
    (void)state;
    traced_options(&t);
    read_tasks(HEADER "a,w,1,Terminated,1,2,100,1,25,T4\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "pai");
    assert_int_equal(t.counts.rows, 1);
    expect_demand(0, 1, 250, 1000, 1024);
    traced_options(&t);
    read_tasks("job_name,plan_gpu,plan_mem,plan_cpu,gpu_type,end_time,start_time,status,inst_num,"
               "task_name\na,25,1,100,T4,2,1,Terminated,1,w\n");
    assert_int_equal(t.status, HS_END);
    expect_demand(0, 1, 250, 1000, 1024);
    traced_options(&t);
    read_tasks("job_name,inst_num,plan_gpu\na,1,25\n");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "'task_name'"));
}

static void expect_fault(const char *text, const char *message)
{
    traced_options(&t);
    t.options.format = "pai";
    read_tasks(text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("no '%s' in: %s", message, t.sink.text);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault("a,w,1,Done,1,2,100,1,25,T4\n", ":1:7: error: unknown status 'Done'");
    expect_fault("a,w,x,Failed,1,2,100,1,25,T4\n", ":1:5: error: inst_num is not a number: 'x'");
    expect_fault("a,w,1,Failed,1,2,100,1,half,T4\n",
                 ":1:24: error: plan_gpu is not a number: 'half'");
    expect_fault("a,w,1,Failed,1,2,-100,1,25,T4\n", ":1:18: error: plan_cpu is negative: '-100'");
    expect_fault("a,w,1,Failed,5,2,100,1,25,T4\n", "duration is negative");
    expect_fault("a,w,1,Failed,noon,2,100,1,25,T4\n", ":1:14: error: start_time is not a time");
    expect_fault("a,w,1,Failed,1,2,100,1,25\n", "9 fields where the header has 10");
    expect_fault("a,w,70000,Failed,1,2,100,1,100,T4\n", "gpus is out of range");
}

/* ---- the simulator's job files ---- */

static void test_jobs(void **state)
{
    (void)state;
    traced_options(&t);
    traced_text(&t, "pai_job_no_estimate_100K.csv",
                "job_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,duration,user\n"
                "0,1,100,6.0,0.5,T4,60,u1\n"
                "1,5,160,0.125,2.5,MISC,0,u2\n" /* 2.5 GPUs: 3 */
                "2,1,170,1,8,,30.5,\n"
                "3,2,180,4,0,CPU,5,u1\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "pai_jobs");
    assert_int_equal(t.count, 3);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
    expect_demand(0, 1, 500, 6000, 0);
    expect_demand(1, 3, 1000, 125, 0);
    expect_demand(2, 8, 1000, 1000, 0);
    assert_int_equal(t.counts.rounded, 1);
    assert_int_equal(t.jobs[0].submit_us, 100000000);
    assert_int_equal(t.jobs[1].duration_us, 0);
    assert_int_equal(t.jobs[2].duration_us, 30500000);
    assert_string_equal(t.jobs[0].user, "u1");
    assert_null(t.jobs[2].gpu_type);
}

/* As in the simulator itself: 0 s become 1 s. Its files with estimates have more columns. */
static void test_jobs_of_no_duration(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.zero_duration = HS_ZERO_ONE_SECOND;
    traced_text(&t, "pai_job_duration_estimate_100K.csv",
                "job_id,user,gpu_type,num_cpu,num_gpu,submit_time,num_inst,wait_time,duration,"
                "user_dur,group_gpu_dur\n"
                "0,u,T4,4,0.25,5,1,17.0,0,12.5,\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "pai_jobs");
    assert_int_equal(t.jobs[0].duration_us, 1000000);
    expect_demand(0, 1, 250, 4000, 0);
    traced_options(&t);
    traced_text(&t, "unnamed.csv", "num_gpu,num_cpu,submit_time,duration\n1,4,5,9\n0.1,4,5,9\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "pai_jobs");
    assert_string_equal(t.jobs[1].id, "1");
}

/* The sample of simulators, through its mapping: rows and GPUs as in
 * awk -F, 'NR>1 {n++; g+=$4} END {print n, g}'. */
static void test_sample_itself(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.map = "configs/mappings/pai-sample.json";
    traced_file(&t, data_need("traces", "pai_sample_first_half.csv"));
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 30052);
    assert_int_equal(t.count, 30052);
    assert_int_equal(t.gpus, 154828);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_jobs_of_no_duration),
        cmocka_unit_test(test_sample_itself),
    };
    return cmocka_run_group_tests_name("traces/pai", tests, scratch_open, scratch_close);
}
