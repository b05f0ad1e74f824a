/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attempts in traces: the column of the native CSV, the lists of Philly's job log, and how they
 * reach the engine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/traced.h"

#define S INT64_C(1000000)

static struct traced t;

/* "10 20": attempts of a job in seconds; "" if it has none. */
static void expect_attempts(uint32_t job, const char *expected)
{
    char text[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < t.jobs[job].attempts; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%g", i > 0 ? " " : "",
                                 (double)t.jobs[job].attempts_us[i] / (double)S);
    assert_string_equal(text, expected);
}

static void read_kept(const char *name, const char *text)
{
    t.options.keeps_attempts = true;
    traced_text(&t, name, text);
}

/* ---- the native CSV ---- */

#define HEADER "job_id,submit_time,gpus,duration,attempts\n"

static void a_column_of_attempts(void **state)
{
    (void)state;
    traced_options(&t);
    read_kept("a.csv", HEADER "a,0,1,30,10/20\nb,1,1,30,\nc,2,1,30,30\nd,3,1,0.5,0/0.25/0.25\n"
                              "e,4,1,0,0/0\nf,5,1,7,None\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 6);
    expect_attempts(0, "10 20");
    expect_attempts(1, "");
    expect_attempts(2, ""); /* a single attempt is a job that does not fail */
    expect_attempts(3, "0 0.25 0.25");
    expect_attempts(4, "0 0");
    expect_attempts(5, "");
    assert_int_equal(t.jobs[0].duration_us, 30 * S);
}

/* The column may come before the duration, have another name, and another unit. */
static void the_column_is_like_others(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.map = "attempts=tries";
    t.options.time_unit_us = 1000;
    read_kept("b.csv", "tries,job_id,submit_time,gpus,duration\n10/20,a,0,1,30\n");
    assert_int_equal(t.status, HS_END);
    expect_attempts(0, "0.01 0.02");
}

/* If not requested, it is an unknown column like any other. */
static void merge_leaves_it_alone(void **state)
{
    (void)state;
    traced_options(&t);
    traced_text(&t, "c.csv", HEADER "a,0,1,30,nonsense\nb,1,1,30,10/20\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2);
    expect_attempts(1, "");
}

static void expect_bad(const char *text, const char *message)
{
    traced_options(&t);
    read_kept("d.csv", text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("wanted '%s' in\n%s", message, t.sink.text);
}

static void bad_cells(void **state)
{
    (void)state;
    expect_bad(HEADER "a,0,1,30,10/21\n", "d.csv:2:10: error: attempts does not add up");
    expect_bad(HEADER "a,0,1,30,10/19\n", "does not add up to duration: '10/19'");
    expect_bad(HEADER "a,0,1,30,31\n", "does not add up to duration: '31'");
    expect_bad(HEADER "a,0,1,30,10/20.000001\n", "does not add up");
    /* the sum is not computed, so it cannot overflow */
    expect_bad(HEADER "a,0,1,30,9000000000000/9000000000000\n", "does not add up");
    expect_bad(HEADER "a,0,1,30,10/\n", "attempts is not a list of run times: '10/'");
    expect_bad(HEADER "a,0,1,30,/30\n", "is not a list");
    expect_bad(HEADER "a,0,1,30,40/-10\n", "does not add up");
    expect_bad(HEADER "a,0,1,30,-10/40\n", "is not a list");
    expect_bad(HEADER "a,0,1,30,10 20\n", "is not a list");
    expect_bad("job_id,submit_time,gpus,duration\na,0,1,30\n",
               "d.csv:1:1: error: no column 'attempts' for --retries=attempts");
}

/* A skipped row takes its attempts with it. */
static void bad_rows_are_passed_over(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.skip_bad_permille = 1000;
    read_kept("e.csv", HEADER "a,0,1,30,10/x\nb,1,1,30,10/20\nc,2,1,30,\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.bad, 1);
    assert_int_equal(t.count, 2);
    expect_attempts(0, "10 20");
    expect_attempts(1, "");
}

/* A job lengthened to 1 s has no attempts, since none could add up to it. */
static void zero_durations(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.zero_duration = HS_ZERO_ONE_SECOND;
    read_kept("f.csv", HEADER "a,0,1,0,0/0\nb,1,1,2,0/2\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.jobs[0].duration_us, S);
    expect_attempts(0, "");
    expect_attempts(1, "0 2");
}

/* Attempts stay with their job when late rows are reordered. */
static void late_rows_keep_their_attempts(void **state)
{
    (void)state;
    traced_options(&t);
    read_kept("g.csv", HEADER "a,5,1,3,1/2\nb,9,1,9,4/5\nc,0,1,6,1/2/3\nd,9,1,4,\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.jobs[0].id, "c");
    expect_attempts(0, "1 2 3");
    expect_attempts(1, "1 2");
    expect_attempts(2, "4 5");
    expect_attempts(3, "");
}

/* 65,535 attempts are read, one more is not. */
static void many_attempts(void **state)
{
    static char text[300000];
    (void)state;
    for (int count = 65535; count <= 65536; count++) {
        size_t used = (size_t)snprintf(text, sizeof text, HEADER "a,0,1,%d,1", count);
        for (int i = 1; i < count; i++, used += 2)
            memcpy(text + used, "/1", 2);
        memcpy(text + used, "\n", 2);
        traced_options(&t);
        t.options.keeps_attempts = true;
        t.options.path = scratch_write("many.csv", text, strlen(text));
        struct hs_trace *trace;
        struct hs_trace_job *job;
        sink_init(&t.sink);
        assert_int_equal(hs_trace_open(&trace, &t.options, &t.sink.diag), HS_OK);
        assert_int_equal(hs_trace_next(trace, &job), count == 65535 ? HS_OK : HS_E_INPUT);
        if (count == 65535)
            assert_int_equal(job->attempts, 65535);
        else
            assert_non_null(strstr(t.sink.text, "is not a list of run times"));
        hs_trace_close(trace);
    }
}

/* ---- Philly ---- */

#define JOB(id, submit, attempts)                                                                  \
    "{\"status\": \"Pass\", \"vc\": \"v\", \"jobid\": \"" id "\", \"attempts\": [" attempts        \
    "], \"submitted_time\": \"2017-10-01 " submit "\", \"user\": \"u\"}"
#define ATTEMPT(start, end)                                                                        \
    "{\"start_time\": " start ", \"end_time\": " end                                               \
    ", \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\"]}]}"
#define AT(time) "\"2017-10-01 " time "\""

#define WHOLE    ATTEMPT(AT("00:00:10"), AT("00:00:20"))
#define LATER    ATTEMPT(AT("00:01:00"), AT("00:01:30"))
#define LONG     ATTEMPT(AT("00:00:10"), AT("00:00:50"))
#define SHORT    ATTEMPT(AT("00:00:10"), AT("00:00:15"))
#define NO_END   ATTEMPT(AT("00:00:20"), "null")
#define NO_START ATTEMPT("null", AT("00:00:40"))
#define LAST     ATTEMPT(AT("00:01:00"), AT("00:01:07"))
#define OPEN     ATTEMPT(AT("00:00:20"), "\"None\"")

static const char log_text[] =
    "[" JOB("whole", "00:00:00", WHOLE "," LATER) "," JOB("single", "00:00:01", LONG) "," JOB(
        "gap", "00:00:02", SHORT "," NO_END "," NO_START "," LAST) "," JOB("running", "00:00:03",
                                                                           SHORT "," OPEN) "]";

/* Run times without the gaps between them: 10 + 30 s, 40 s, 5 + 7 s of the attempts that have both
 * times; the last job was still running. merge has 80 s, 40 s and 57 s. */
static void philly_lists_are_kept(void **state)
{
    (void)state;
    traced_options(&t);
    read_kept("log.json", log_text);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 1);
    expect_attempts(0, "10 30");
    expect_attempts(1, "");
    expect_attempts(2, "5 7");
    assert_int_equal(t.jobs[0].duration_us, 40 * S);
    assert_int_equal(t.jobs[1].duration_us, 40 * S);
    assert_int_equal(t.jobs[2].duration_us, 12 * S);
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_COMPLETED);
    traced_options(&t);
    traced_text(&t, "log.json", log_text);
    assert_int_equal(t.jobs[0].duration_us, 80 * S);
    assert_int_equal(t.jobs[1].duration_us, 40 * S);
    assert_int_equal(t.jobs[2].duration_us, 57 * S);
    expect_attempts(0, "");
}

static void an_attempt_that_ends_before_it_starts(void **state)
{
    (void)state;
    traced_options(&t);
    read_kept("log.json", "[" JOB("a", "00:00:00", ATTEMPT(AT("00:00:10"), AT("00:00:09"))) "]");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "attempt ends before it starts"));
}

/* ---- if there are none ---- */

static void what_is_refused(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.philly_attempts = HS_ATTEMPTS_SPLIT;
    read_kept("log.json", log_text);
    assert_int_equal(t.status, HS_E_USAGE);
    assert_non_null(strstr(t.sink.text, "none is left to be submitted again"));
    traced_options(&t);
    read_kept("helios.csv", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,"
                            "end_time,duration,queue\n");
    assert_int_equal(t.status, HS_E_USAGE);
    assert_non_null(strstr(t.sink.text, "the helios format has no attempts"));
    assert_non_null(strstr(t.sink.text, "--retries=generate draws attempts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_of_attempts),
        cmocka_unit_test(the_column_is_like_others),
        cmocka_unit_test(merge_leaves_it_alone),
        cmocka_unit_test(bad_cells),
        cmocka_unit_test(bad_rows_are_passed_over),
        cmocka_unit_test(zero_durations),
        cmocka_unit_test(late_rows_keep_their_attempts),
        cmocka_unit_test(many_attempts),
        cmocka_unit_test(philly_lists_are_kept),
        cmocka_unit_test(an_attempt_that_ends_before_it_starts),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
