/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Standard Workload Format: each field as defined, one small log each, and a part of a real
 * log.
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
#include "traces/format.h"

/* job submit wait run alloc cpu used req time mem status user group exe queue partition prec think
 */
#define DONE(job, submit, run) job " " submit " 7 " run " 4 -1 -1 4 100 -1 1 3 2 -1 1 1 -1 -1\n"

static struct traced t;

static void read_it(const char *text)
{
    traced_options(&t);
    traced_text(&t, "log.swf", text);
}

static void test_a_job(void **state)
{
    (void)state;
    read_it("; Version: 2.2\n; Computer: \"quoted, and so on\n;\n"
            "   1      10  7   100   4  99.5  -1   8  3600  1000  1  3  2 -1  5  1 -1 -1\r\n"
            "\n 2 20 7 0.5 4 -1 -1 -1 -1 -1 5 -1 -1 -1 -1 -1 -1 -1");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "swf");
    assert_int_equal(t.count, 2);
    assert_int_equal(t.counts.rows, 2);
    assert_string_equal(t.jobs[0].id, "1");
    assert_int_equal(t.jobs[0].submit_us, 10000000); /* no UnixStartTime: the clock of the log */
    assert_int_equal(t.jobs[0].duration_us, 100000000);
    assert_int_equal(t.jobs[0].gpus, 8);    /* requested */
    assert_int_equal(t.jobs[0].mem_mib, 8); /* 8 x 1000 KiB = 7.8 MiB, up */
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_COMPLETED);
    assert_string_equal(t.jobs[0].user, "3");
    assert_string_equal(t.jobs[0].vc, "5");
    assert_null(t.jobs[0].gpu_type);
    assert_int_equal(t.jobs[0].line, 4);
    assert_int_equal(t.jobs[1].gpus, 4); /* allocated: the request is unknown */
    assert_int_equal(t.jobs[1].duration_us, 500000);
    assert_int_equal(t.jobs[1].outcome, HS_OUTCOME_CANCELLED);
    assert_int_equal(t.jobs[1].mem_mib, 0);
    assert_null(t.jobs[1].user);
    assert_null(t.jobs[1].vc);
}

/* UnixStartTime and TimeZone are whole seconds; their sum is the local time of submission 0. */
static void test_clock(void **state)
{
    (void)state;
    read_it("; UnixStartTime: 1027839845\n;TimeZone: 3600 \n" DONE("1", "8", "5"));
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1027843453000000)); /* the sum */
    read_it("; TimeZone: -18000\n; UnixStartTime: 1027839845\n" DONE("1", "8", "5"));
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1027821853000000));
    read_it("; UnixStartTime: yesterday\n" DONE("1", "8", "5"));
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "log.swf:1:"));
    assert_non_null(strstr(t.sink.text, "not a number of seconds in the header: 'yesterday'"));
}

/* Status 0, 1, 5, -1; lines about parts of a run are dropped; so are unknown run times and
 * demands. */
static void test_status_and_drops(void **state)
{
    (void)state;
    read_it("1 0 7 5 4 -1 -1 4 -1 -1 0 3 2 -1 1 1 -1 -1\n"
            "2 0 7 5 4 -1 -1 4 -1 -1 -1 3 2 -1 1 1 -1 -1\n"
            "3 0 7 9 4 -1 -1 4 -1 -1 1 3 2 -1 1 1 -1 -1\n"
            "3 0 7 4 4 -1 -1 4 -1 -1 2 3 2 -1 1 1 -1 -1\n"
            "3 -1 7 5 4 -1 -1 4 -1 -1 3 3 2 -1 1 1 -1 -1\n"
            "3 -1 7 5 4 -1 -1 4 -1 -1 4 3 2 -1 1 1 -1 -1\n"
            "4 0 -1 -1 4 -1 -1 4 -1 -1 5 3 2 -1 1 1 -1 -1\n"
            "5 0 -1 9 -1 -1 -1 -1 -1 -1 1 3 2 -1 1 1 -1 -1\n"
            "6 0 -1 9 0 -1 -1 0 -1 -1 1 3 2 -1 1 1 -1 -1\n"
            "7 0 -1 0 1 -1 -1 1 -1 -1 5 3 2 -1 1 1 -1 -1\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 10);
    assert_int_equal(t.count, 4);
    assert_int_equal(t.drops[HS_DROP_PARTIAL], 3);
    assert_int_equal(t.drops[HS_DROP_NO_TIMES], 1);
    assert_int_equal(t.drops[HS_DROP_NO_DEMAND], 1);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
    static const enum hs_outcome outcomes[] = {HS_OUTCOME_FAILED, HS_OUTCOME_UNKNOWN,
                                               HS_OUTCOME_COMPLETED, HS_OUTCOME_CANCELLED};
    for (int i = 0; i < 4; i++)
        assert_int_equal(t.jobs[i].outcome, outcomes[i]);
    assert_int_equal(t.jobs[3].duration_us, 0); /* subject to --zero-duration */
}

/* Queues by name; partitions are GPU types only if the header defines them so. */
static void test_names(void **state)
{
    const char jobs[] = "1 0 7 5 4 -1 -1 4 -1 -1 1 3 2 -1 1 2 -1 -1\n"
                        "2 0 7 5 4 -1 -1 4 -1 -1 1 3 2 -1 0 1 -1 -1\n"
                        "3 0 7 5 4 -1 -1 4 -1 -1 1 3 2 -1 9 -1 -1 -1\n";
    char text[1024];
    (void)state;
    (void)snprintf(text, sizeof text, "; Queue: 1 a vc \n; Queue: 3\n; Partition: 2 V100\n%s",
                   jobs);
    read_it(text);
    assert_int_equal(t.count, 3);
    assert_string_equal(t.jobs[0].vc, "a vc");
    assert_string_equal(t.jobs[1].vc, "0"); /* without a name */
    assert_string_equal(t.jobs[2].vc, "9");
    assert_null(t.jobs[0].gpu_type);
    (void)snprintf(text, sizeof text, "; Partitions: GPU types asked for\n; Partition: 2 V100\n%s",
                   jobs);
    read_it(text);
    assert_string_equal(t.jobs[0].gpu_type, "V100");
    assert_string_equal(t.jobs[1].gpu_type, "1");
    assert_null(t.jobs[2].gpu_type);
    (void)snprintf(text, sizeof text, "; Partitions: GPU types\n; Partition: 2 V100\n%s", jobs);
    read_it(text);
    assert_null(t.jobs[0].gpu_type); /* of a run: the type that the job got */
}

static void expect_fault(const char *row, const char *message)
{
    traced_options(&t);
    t.options.format = "swf";
    traced_text(&t, "log.swf", row);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("'%s' lacks '%s'", t.sink.text, message);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault("1 2 3\n", "log.swf:1:6: error: 3 numbers where the format has 18");
    expect_fault("1 0 7 5 4 -1 -1 4 -1 -1 6 3 2 -1 1 2 -1 -1\n",
                 "log.swf:1:25: error: unknown status '6'");
    expect_fault("1 0 7 x 4 -1 -1 4 -1 -1 1 3 2 -1 1 2 -1 -1\n",
                 "log.swf:1:7: error: run time is not a number: 'x'");
    expect_fault("1 -1 7 5 4 -1 -1 4 -1 -1 1 3 2 -1 1 2 -1 -1\n",
                 "log.swf:1:3: error: the submit time of a job is not known");
    expect_fault("1 -2 7 5 4 -1 -1 4 -1 -1 1 3 2 -1 1 2 -1 -1\n",
                 "log.swf:1:3: error: submit_time is negative");
    expect_fault("1 0 7 5 4 -1 -1 -2 -1 -1 1 3 2 -1 1 2 -1 -1\n",
                 "requested processors is negative: '-2'");
    expect_fault("1 0 7 5 4 -1 -1 9 -1 4000000000 1 3 2 -1 1 2 -1 -1\n1",
                 "log.swf:2:2: error: 1 numbers"); /* 9 x 4e9 KiB fit: 34 TiB */
    expect_fault("1 0 7 5 4 -1 -1 65535 -1 4000000000 1 3 2 -1 1 2 -1 -1\n",
                 "requested memory is out of range: '4000000000'");
}

/* Only comments are a log without jobs; rows of a dozen numbers are not recognised. */
static void test_recognition(void **state)
{
    (void)state;
    read_it("; Version: 2.2\n; Note: no jobs\n");
    assert_string_equal(t.format, "swf");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "no job to replay in 0 rows"));
    read_it("1 2 3 4 5 6 7 8 9 10 11 12\n");
    assert_non_null(strstr(t.sink.text, "not a trace of a known format"));
}

/* A name that is a number keeps it, unless it is already taken; the others count from 1, with a
 * note at the first. A job with an id that is no number gets the one after the largest; so does,
 * from then on, a job with a number that is not larger. */
static void test_written_names(void **state)
{
    static const char *const users[] = {"3", "ann", "1", "ann", "07", NULL, "2", "3"};
    static const char *const ids[] = {"500", "b", "12", "007", "7", "0", "4294967296", "9"};
    static const char *const numbers[] = {"500", "501", "502", "503", "504", "505", "506", "507"};
    const struct hs_trace_format *format = hs_trace_format_find("swf");
    struct hs_trace_writer w;
    struct sink sink;
    struct hs_trace_job job = {.deadline_us = -1,
                               .preempt_cost_us = -1,
                               .gpus = 3,
                               .gpu_milli = 1000,
                               .duration_us = 5000000,
                               .vc = "a vc",
                               .gpu_type = "V100|P100",
                               .mem_mib = 100,
                               .gpu_util_pm = -1};
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_trace_writer_open(&w, format, NULL, scratch_path("out.swf"), &sink.diag),
                     HS_OK);
    for (int i = 0; i < 8; i++) {
        job.id = ids[i];
        job.user = users[i];
        job.submit_us = (1000 + i) * INT64_C(1000000);
        hs_trace_writer_put(&w, &job);
    }
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    traced_options(&t);
    traced_file(&t, scratch_path("out.swf"));
    assert_int_equal(t.count, 8);
    for (int i = 0; i < 8; i++) {
        assert_string_equal(t.jobs[i].id, numbers[i]);
        if (users[i] != NULL)
            assert_string_equal(t.jobs[i].user, users[i]);
        else
            assert_null(t.jobs[i].user);
        assert_true(t.jobs[i].submit_us == (1000 + i) * INT64_C(1000000));
        assert_string_equal(t.jobs[i].vc, "a vc");
        assert_string_equal(t.jobs[i].gpu_type, "V100|P100");
        assert_int_equal(t.jobs[i].mem_mib, 100); /* 34133 KiB of each */
    }
}

/* As bytes: 1000 s on the clock of the trace are the log's 0; ann, the first, has 1, so that the
 * user 1 becomes 2, and the other one 3. The last job waited 7 s. */
static void test_written_bytes(void **state)
{
    static const char *const users[] = {"ann", "1", "2", "1"};
    const struct hs_trace_format *format = hs_trace_format_find("swf");
    struct hs_trace_writer w;
    struct sink sink;
    char text[1024];
    struct hs_trace_job job = {.id = "8", .gpus = 2, .gpu_milli = 1000, .duration_us = 1};
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_trace_writer_open(&w, format, NULL, scratch_path("out.swf"), &sink.diag),
                     HS_OK);
    for (int i = 0; i < 4; i++) {
        job.user = users[i];
        job.submit_us = INT64_C(1000000000) + i * 1000000;
        job.outcome = (enum hs_outcome)i;
        job.start_us = i == 3 ? job.submit_us + 7000000 : -1;
        hs_trace_writer_put(&w, &job);
    }
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    FILE *file = fopen(scratch_path("out.swf"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, "; Version: 2.2\n; Conversion: horus\n; Queues: virtual clusters\n"
                              "; Partitions: GPU types asked for\n; Note: a processor is a GPU\n"
                              "; UnixStartTime: 1000\n"
                              "; User: 1 ann\n"
                              "8 0 -1 1 -1 -1 -1 2 -1 -1 -1 1 -1 -1 -1 -1 -1 -1\n"
                              "; User: 2 1\n"
                              "8 1 -1 1 -1 -1 -1 2 -1 -1 1 2 -1 -1 -1 -1 -1 -1\n"
                              "; User: 3 2\n"
                              "8 2 -1 1 -1 -1 -1 2 -1 -1 5 3 -1 -1 -1 -1 -1 -1\n"
                              "8 3 7 1 -1 -1 -1 2 -1 -1 0 2 -1 -1 -1 -1 -1 -1\n");
}

/* grep -vc '^;', of which one line is empty; awk '$4 == -1'; awk '$4 != -1 { s += $8 }' */
static void test_real_log(void **state)
{
    (void)state;
    traced_options(&t);
    traced_file(&t, data_need("traces", "hpc2n_part.swf"));
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 3170);
    assert_int_equal(t.count, 3145);
    assert_int_equal(t.drops[HS_DROP_NO_TIMES], 25);
    assert_int_equal(t.gpus, 62449);
    assert_int_equal(t.jobs[0].submit_us, INT64_C(1027843445000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_status_and_drops),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_recognition),
        cmocka_unit_test(test_written_names),
        cmocka_unit_test(test_written_bytes),
        cmocka_unit_test(test_real_log),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
