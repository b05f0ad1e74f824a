/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Acme's two clusters: every peculiarity of their files, one small trace each. The two rows of each
 * cluster are the examples of the traces' own documentation.
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

#define SEREN                                                                                      \
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"    \
    "queue,gpu_time\n"
#define KALOS                                                                                      \
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,"           \
    "submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
#define AT(clock)                            "2023-05-17 11:" clock "+00:00"
#define ROW(begin, submit, start, end, tail) begin "," submit "," start "," end "," tail "\n"

static struct traced t;

static void read_it(const char *text)
{
    traced_options(&t);
    traced_text(&t, "trace.csv", text);
}

static void test_seren(void **state)
{
    (void)state;
    read_it(SEREN "5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,"
                  "2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0\n"
                  "5778469,u5907,1,8,128,Other,COMPLETED,2023-03-01 00:23:58+08:00,"
                  "2023-03-01 00:24:11+08:00,2023-03-01 01:09:04+08:00,2693,13,21544.0\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "acme");
    assert_int_equal(t.count, 2);
    assert_string_equal(t.jobs[0].id, "5778432");
    assert_string_equal(t.jobs[0].user, "u5907");
    assert_null(t.jobs[0].vc);
    assert_int_equal(t.jobs[0].gpus, 8);
    assert_int_equal(t.jobs[0].cpus_milli, 128000);
    assert_int_equal(t.jobs[0].nodes, 0); /* a placement, not a demand */
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_FAILED);
    /* date -d '2023-03-01 00:18:22+08:00' +%s */
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1677601102000000));
    /* end - start, which are the durations of the file */
    assert_int_equal(t.jobs[0].duration_us, 117000000);
    assert_int_equal(t.jobs[1].duration_us, INT64_C(2693000000));
    assert_int_equal(t.jobs[1].outcome, HS_OUTCOME_COMPLETED);
}

/* The first runs for 8 s, 11:01:08 to 11:01:16, after 10 s in the queue: the file's duration is
 * 18. */
static void test_kalos_counts_from_submission(void **state)
{
    (void)state;
    read_it(KALOS ROW("dlctk696s0jbvitv,uf794,8,64,960,1000,100.0,Other,FAILED", AT("00:58"),
                      AT("01:08"), AT("01:16"), AT("01:16") ",,18,10.0,1152.0")
                ROW("dlc1t2ypl09b8qtp,uf794,8.0,64.0,960.0,1000,100.0,Other,CANCELLED", AT("28:42"),
                    AT("28:54"), AT("30:04"), "," AT("30:04") ",82,12.0,5248.0"));
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "acme");
    assert_int_equal(t.count, 2);
    assert_string_equal(t.jobs[0].id, "dlctk696s0jbvitv");
    assert_int_equal(t.jobs[0].duration_us, 8000000);
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1684321258000000)); /* date -u +%s */
    assert_int_equal(t.jobs[0].mem_mib, 8 * 1000 * 1024);             /* 8 pods of 1000 GB */
    assert_int_equal(t.jobs[1].gpus, 64);
    assert_int_equal(t.jobs[1].cpus_milli, 960000);
    assert_int_equal(t.jobs[1].duration_us, 70000000); /* 11:28:54 to 11:30:04 */
    assert_int_equal(t.jobs[1].outcome, HS_OUTCOME_CANCELLED);
}

/* One row each of what is dropped, and of what may be empty. */
static void test_drops_and_empty_cells(void **state)
{
    (void)state;
    read_it(KALOS ROW("cpu,u1,1,0,8,10,,Other,COMPLETED", AT("00:00"), AT("00:01"), AT("00:02"),
                      ",,2,1,0") ROW("run,u1,1,8,8,10,,Pretrain,RUNNING", AT("00:00"), AT("00:01"),
                                     "", ",,,1,")
                ROW("nostart,u1,1,8,8,10,,Other,CANCELLED", AT("00:00"), "", AT("00:02"), ",,2,,")
                    ROW("noend,u1,1,8,8,10,,Other,FAILED", AT("00:00"), AT("00:02"), "", ",,2,,")
                        ROW("bare,,,8,,,,,", AT("00:00"), AT("00:02"), AT("00:05"), ",,,,"));
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 5);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
    assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 1);
    assert_int_equal(t.drops[HS_DROP_NO_TIMES], 2);
    assert_string_equal(t.jobs[0].id, "bare");
    assert_null(t.jobs[0].user);
    assert_int_equal(t.jobs[0].mem_mib, 0);
    assert_int_equal(t.jobs[0].cpus_milli, 0);
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_UNKNOWN);
    assert_int_equal(t.jobs[0].duration_us, 3000000);
}

static void expect_fault(const char *rows, const char *message)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s", KALOS, rows);
    read_it(text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("'%s' lacks '%s'", t.sink.text, message);
}

#define GOOD(id, zone)                                                                             \
    id ",u,1,8,8,10,,Other,FAILED,2023-05-17 11:00:00" zone ",2023-05-17 11:00:01" zone            \
       ",2023-05-17 11:00:02" zone ",,,2,1,\n"

static void test_faults(void **state)
{
    (void)state;
    expect_fault(
        GOOD("a", "+00:00") GOOD("b", ""),
        "trace.csv:3:28: error: submit_time has an offset from UTC, or lacks one, unlike the "
        "times before: '2023-05-17 11:00:00'");
    expect_fault(ROW("a,u,1,8,8,10,,Other,FAILED", AT("00:00"), AT("00:05"), AT("00:04"), ",,2,1,"),
                 "end_time is before start_time");
    expect_fault(ROW("a,u,1,8,8,10,,Other,FAILED", AT("00:00"), "soon", AT("00:04"), ",,2,1,"),
                 "start_time is not a time: 'soon'");
    expect_fault(
        ROW("a,u,one,8,8,10,,Other,FAILED", AT("00:00"), AT("00:02"), AT("00:04"), ",,2,1,"),
        "node_num is not a number: 'one'");
    expect_fault(
        ROW("a,u,8,8,8,4e9,,Other,FAILED", AT("00:00"), AT("00:02"), AT("00:04"), ",,2,1,"),
        "mem_per_pod_GB is out of range: '4e9'");
    expect_fault(ROW("a,u,8,8,8,-1,,Other,FAILED", AT("00:00"), AT("00:02"), AT("00:04"), ",,2,1,"),
                 "mem_per_pod_GB is negative: '-1'");
}

/* Fractions of a second belong to the time, not to the offset. */
static void test_fractions_of_seconds(void **state)
{
    (void)state;
    read_it(SEREN "1,u,1,8,8,Other,FAILED,2023-05-17 11:00:00.25+08:00,2023-05-17 11:00:01+08:00,"
                  "2023-05-17 11:00:02.5+08:00,2,1,\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.jobs[0].duration_us, 1500000);
}

static void test_missing_columns(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.format = "acme";
    traced_text(&t, "trace.csv", "job_id,gpu_num,submit_time\n1,8,2023-05-17 11:00:00+00:00\n");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "missing columns 'start_time', 'end_time'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seren),
        cmocka_unit_test(test_kalos_counts_from_submission),
        cmocka_unit_test(test_drops_and_empty_cells),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_fractions_of_seconds),
        cmocka_unit_test(test_missing_columns),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
