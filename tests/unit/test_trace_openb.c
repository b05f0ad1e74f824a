/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * openb, Alibaba's pods of 2023: every peculiarity of the pod lists, one small trace each, and the
 * list itself compared with counts by awk.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "support/traced.h"

#include "support/data.h"
#include "traces/trace_stream.h"

#define FIVE   "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
#define HEADER FIVE ",gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

static struct traced t;

static void read_pods(const char *text)
{
    traced_text(&t, "openb_pod_list.csv", text);
}

static void test_pods(void **state)
{
    (void)state;
    traced_options(&t);
    read_pods(HEADER "p0,12152,16384,1,460,V100M16|V100M32,LS,Running,100,400,130\n"
                     "p1,88000,327680,8,1000,,Burstable,Succeeded,200,260,201\r\n"
                     "p2,1,1,2,1000,T4,BE,Failed,300,300,300\n"
                     "p3,1,1,1,1000,nan,Guaranteed,Failed,301,311,301");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "openb");
    assert_int_equal(t.count, 4);
    const struct hs_trace_job *p = &t.jobs[0];
    assert_string_equal(p->id, "p0");
    assert_string_equal(p->gpu_type, "V100M16|V100M32");
    assert_int_equal(p->gpus, 1);
    assert_int_equal(p->gpu_milli, 460);
    assert_int_equal(p->cpus_milli, 12152);
    assert_int_equal(p->mem_mib, 16384);
    assert_int_equal(p->submit_us, 100000000);
    assert_int_equal(p->duration_us, 270000000); /* from its scheduling: 400 - 130 */
    assert_int_equal(p->outcome, HS_OUTCOME_UNKNOWN);
    assert_int_equal(p->job_class, HS_JOB_CLASS_GUARANTEED);
    p = &t.jobs[1];
    assert_int_equal(p->gpus, 8);
    assert_int_equal(p->gpu_milli, 1000);
    assert_null(p->gpu_type);
    assert_int_equal(p->duration_us, 59000000);
    assert_int_equal(p->outcome, HS_OUTCOME_COMPLETED);
    assert_int_equal(p->job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(t.jobs[2].duration_us, 0);
    assert_int_equal(t.jobs[2].outcome, HS_OUTCOME_FAILED);
    assert_int_equal(t.jobs[2].job_class, HS_JOB_CLASS_OPPORTUNISTIC);
    assert_null(t.jobs[3].gpu_type);
    assert_int_equal(t.jobs[3].job_class, HS_JOB_CLASS_GUARANTEED);
}

/* Pods that waited to the end are dropped and counted, or run for as long as they existed. CPU pods
 * likewise. */
static void test_rules(void **state)
{
    (void)state;
    static const char rows[] = HEADER "p0,1,1,1,500,,BE,Pending,100,400,\n"
                                      "p1,4000,16,0,0,,LS,Running,110,400,120\n"
                                      "p2,1,1,1,1000,,LS,Running,120,,120\n"
                                      "p3,1,1,1,1000,,LS,,130,140,135\n";
    traced_options(&t);
    read_pods(rows);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 1);
    assert_string_equal(t.jobs[0].id, "p3");
    assert_int_equal(t.drops[HS_DROP_NEVER_STARTED], 1);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
    assert_int_equal(t.drops[HS_DROP_NO_TIMES], 1);
    traced_options(&t);
    t.options.openb_pending = HS_OPENB_PENDING_RUN;
    t.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    read_pods(rows);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.jobs[0].duration_us, 300000000); /* 400 - 100 */
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_CANCELLED);
    assert_int_equal(t.jobs[1].gpus, 0);
    assert_int_equal(t.jobs[1].gpu_milli, 1000);
    assert_int_equal(t.jobs[1].cpus_milli, 4000);
}

/* Without times: a second apart, longer than any list; with a note. */
static void test_five_columns(void **state)
{
    (void)state;
    traced_options(&t);
    read_pods(FIVE "\np0,1000,1,1,500\np1,1000,1,0,0\np2,1000,1,4,1000\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "openb");
    assert_int_equal(t.count, 2);
    assert_int_equal(t.jobs[0].submit_us, 0);
    assert_int_equal(t.jobs[1].submit_us, 2000000); /* the third row */
    assert_int_equal(t.jobs[1].duration_us, INT64_C(1000000000000));
    assert_int_equal(t.sink.diag.warnings, 1);
    assert_non_null(strstr(t.sink.text, "the list has no times"));
}

static void expect_fault(const char *text, const char *message)
{
    traced_options(&t);
    read_pods(text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("no '%s' in: %s", message, t.sink.text);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault(HEADER "p,1,1,1,0,,LS,Running,1,2,1\n",
                 ":2:9: error: gpu_milli is no share of a GPU: '0'");
    expect_fault(HEADER "p,1,1,1,1001,,LS,Running,1,2,1\n", "gpu_milli is no share of a GPU");
    expect_fault(HEADER "p,1,1,1,1,,XX,Running,1,2,1\n", ":2:12: error: unknown qos 'XX'");
    expect_fault(HEADER "p,1,1,1,1,,LS,Gone,1,2,1\n", ":2:15: error: unknown pod_phase 'Gone'");
    expect_fault(HEADER "p,1,1,1,1,,LS,Running,1,2,x\n", ":2:27: error: scheduled_time is not a");
    expect_fault(HEADER "p,1,1,1,1,,LS,Running,1,2,3\n", "duration is negative");
    expect_fault(HEADER "p,1.5,1,1,1,,LS,Running,1,2,1\n", "cpu_milli is not a whole number");
    expect_fault(FIVE ",creation_time\np,1,1,1,1,5\n", "a column of times is missing");
}

/* awk -F, over the rows: 8,152, of them 1,088 without GPU, 897 Pending (861 of them with GPU); the
 * 6,203 that are left request 6,571 GPUs, 2,573 of them a part of one, 5,484,930 thousandths in
 * all, and run for 191,369,677 s. */
static void test_the_list_itself(void **state)
{
    (void)state;
    const char *path = data_need("traces", "openb_pod_list_default.csv");
    traced_options(&t);
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 8152);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1088);
    assert_int_equal(t.drops[HS_DROP_NEVER_STARTED], 861);
    assert_int_equal(t.count, 6203);
    assert_int_equal(t.gpus, 6571);
    assert_int_equal(t.duration_us, INT64_C(191369677000000));
    traced_options(&t);
    t.options.openb_pending = HS_OPENB_PENDING_RUN;
    t.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    traced_file(&t, path);
    assert_int_equal(t.count, 8152);
}

static void test_shares_of_the_list(void **state)
{
    (void)state;
    struct hs_trace_options options;
    struct hs_trace *trace;
    struct hs_trace_job *job;
    uint64_t milli = 0, shares = 0;
    hs_trace_options_default(&options);
    options.path = data_need("traces", "openb_pod_list_default.csv");
    sink_init(&t.sink);
    assert_int_equal(hs_trace_open(&trace, &options, &t.sink.diag), HS_OK);
    while (hs_trace_next(trace, &job) == HS_OK) {
        milli += (uint64_t)job->gpus * job->gpu_milli;
        shares += job->gpu_milli < 1000;
    }
    hs_trace_close(trace);
    assert_int_equal(milli, 5484930);
    assert_int_equal(shares, 2573);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pods),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_five_columns),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_the_list_itself),
        cmocka_unit_test(test_shares_of_the_list),
    };
    return cmocka_run_group_tests_name("traces/openb", tests, scratch_open, scratch_close);
}
