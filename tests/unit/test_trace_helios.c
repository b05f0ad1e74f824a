/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helios: every peculiarity of cluster_log.csv and of the files made from it, one small trace each.
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

#define HEAD                                                                                       \
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"      \
    "queue\n"
#define TIMES "2020-04-01 00:00:10,2020-04-01 00:00:20,2020-04-01 00:01:00"

static struct traced t;

static void read_it(const char *text)
{
    traced_text(&t, "cluster_log.csv", text);
}

static void test_states(void **state)
{
    (void)state;
    traced_options(&t);
    read_it(HEAD "1,u1,vcA,8,32,1,COMPLETED," TIMES ",40,10\n"
                 "2,u1,vcA,8,32,1,CANCELLED," TIMES ",40,10\n"
                 "3,u1,vcA,8,32,1,FAILED," TIMES ",40,10\n"
                 "4,u1,vcA,8,32,1,TIMEOUT," TIMES ",40,10\n"
                 "5,u1,vcA,8,32,1,NODE_FAIL," TIMES ",40,10\n"
                 "6,u1,vcA,8,32,1,RUNNING,2020-04-01 00:00:10,2020-04-01 00:00:20,,,10\n"
                 "7,u1,vcA,8,32,1,SUSPENDED," TIMES ",40,10\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "helios");
    assert_int_equal(t.count, 5);
    assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 2);
    static const enum hs_outcome outcomes[] = {HS_OUTCOME_COMPLETED, HS_OUTCOME_CANCELLED,
                                               HS_OUTCOME_FAILED, HS_OUTCOME_FAILED,
                                               HS_OUTCOME_FAILED};
    for (int i = 0; i < 5; i++)
        assert_int_equal(t.jobs[i].outcome, outcomes[i]);
    const struct hs_trace_job *a = &t.jobs[0];
    assert_string_equal(a->id, "1");
    assert_string_equal(a->user, "u1");
    assert_string_equal(a->vc, "vcA");
    assert_int_equal(a->gpus, 8);
    assert_int_equal(a->cpus_milli, 32000);
    assert_int_equal(a->nodes, 0); /* node_num is a placement, not a demand */
    assert_int_equal(a->duration_us, 40000000);
    assert_int_equal(a->submit_us, INT64_C(1585699210000000)); /* date -u +%s */
}

/* States that begin alike, of any length and case, in turns; then one that only begins like
 * another. */
static void test_states_in_turns(void **state)
{
    static const struct {
        const char *word;
        enum hs_outcome outcome;
    } states[] = {{"COMPLETED", HS_OUTCOME_COMPLETED},  {"CANCELLED", HS_OUTCOME_CANCELLED},
                  {"CANCELED", HS_OUTCOME_CANCELLED},   {"Pass", HS_OUTCOME_COMPLETED},
                  {"completed", HS_OUTCOME_COMPLETED},  {"FAILED", HS_OUTCOME_FAILED},
                  {"OUT_OF_MEMORY", HS_OUTCOME_FAILED}, {"unknown", HS_OUTCOME_UNKNOWN}};
    const int words = sizeof states / sizeof *states;
    char text[8192] = HEAD;
    size_t used = strlen(text);
    (void)state;
    for (int i = 0; i < 4 * words; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "%d,u1,vcA,8,32,1,%s," TIMES ",40,10\n", i, states[i % words].word);
    traced_options(&t);
    read_it(text);
    assert_int_equal(t.status, HS_END);
    for (int i = 0; i < 4 * words; i++)
        assert_int_equal(t.jobs[i].outcome, states[i % words].outcome);
    for (int i = 0; i < 2; i++) {
        const char *word = i == 0 ? "COMPLETEDLY" : "OUT_OF_MEMORY_AND_TIME";
        (void)snprintf(text + used, sizeof text - used, "99,u1,vcA,8,32,1,%s," TIMES ",40,10\n",
                       word);
        read_it(text);
        assert_int_equal(t.status, HS_E_INPUT);
        assert_non_null(strstr(t.sink.text, word));
    }
}

static void test_unknown_state(void **state)
{
    (void)state;
    traced_options(&t);
    read_it(HEAD "1,u1,vcA,8,32,1,CANCELED_BY," TIMES ",40,10\n");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "cluster_log.csv:2:17: error: unknown state"));
}

static void test_cpu_jobs(void **state)
{
    const char text[] = HEAD "1,u1,vcA,0,4,1,COMPLETED," TIMES ",2,0\n"
                             "2,u1,vcA,1,4,1,COMPLETED," TIMES ",40,10\n";
    (void)state;
    traced_options(&t);
    read_it(text);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
    traced_options(&t);
    t.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    read_it(text);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.jobs[0].gpus, 0);
    assert_int_equal(t.jobs[0].cpus_milli, 4000);
}

/* Older versions have `jobname` before gpu_num: columns are found by name. */
static void test_jobname_column(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("job_id,user,vc,jobname,gpu_num,cpu_num,state,submit_time,start_time,end_time,duration,"
            "queue\n9,u1,vcA,\"train, big\",16,64,COMPLETED," TIMES ",40,10\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.jobs[0].gpus, 16);
}

/* Lucid's cluster_full_log. */
static void test_profile_columns(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("job_id,user,vc,jobname,gpu_num,cpu_num,state,submit_time,duration,dataset,model,"
            "batchsize,amp,speed,gpu_util,gmem_util,gmem\n"
            "9,u1,vcA,x,1,4,COMPLETED,2020-04-01 00:00:10,40,CIFAR10,ResNet18,64,0,25.1,73.25,31,"
            "3001.6\n"
            "10,u1,vcA,x,1,4,COMPLETED,2020-04-01 00:00:10,40,,,,,,nan,,\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.jobs[0].model, "ResNet18");
    assert_string_equal(t.jobs[0].dataset, "CIFAR10");
    assert_string_equal(t.jobs[0].batch, "64");
    assert_int_equal(t.jobs[0].gpu_util_pm, 733); /* 732.5, half up */
    assert_int_equal(t.jobs[0].gpu_mem_mib, 3002);
    assert_null(t.jobs[1].model);
    assert_int_equal(t.jobs[1].gpu_util_pm, -1);
}

static void test_missing_columns(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.format = "helios";
    read_it("job_id,gpu_num,submit_time,duration\n1,8,2020-04-01 00:00:10,40\n");
    assert_int_equal(t.status, HS_END); /* all required columns are there */
    assert_null(t.jobs[0].vc);
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_UNKNOWN);
    traced_options(&t);
    t.options.format = "helios";
    read_it("job_id,gpu_num,submit_time\n1,8,2020-04-01 00:00:10\n");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "missing column 'duration'"));
}

static void test_shipped_sample(void **state)
{
    (void)state;
    traced_options(&t);
    traced_file(&t, "traces/sample-helios.csv");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "helios");
    assert_int_equal(t.counts.rows, 1000);
    /* awk -F, '$4==0' | wc -l; grep -c RUNNING */
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 523);
    assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 1);
}

static void test_real_venus_vc(void **state)
{
    (void)state;
    const char *path = data_find("oracles", "helios-venus/venus_vcvlY_sept2020.csv");
    if (path == NULL)
        skip();
    traced_options(&t);
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 415);
    assert_int_equal(t.gpus, 44 * 16 + 10 + 361 * 8); /* cut -d, -f4 | sort | uniq -c */
    assert_string_equal(t.jobs[0].id, "765776");
    assert_int_equal(t.jobs[0].duration_us, INT64_C(87326000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),          cmocka_unit_test(test_states_in_turns),
        cmocka_unit_test(test_unknown_state),   cmocka_unit_test(test_cpu_jobs),
        cmocka_unit_test(test_jobname_column),  cmocka_unit_test(test_profile_columns),
        cmocka_unit_test(test_missing_columns), cmocka_unit_test(test_shipped_sample),
        cmocka_unit_test(test_real_venus_vc),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
