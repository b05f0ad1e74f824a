/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Philly: attempts with every defect that occurs in the archive, under the three readings. Times of
 * day of 2017-10-09; 07:00:00 is 1507532400 s after 1970-01-01 (date -u).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/traced.h"

#define SEVEN_US  INT64_C(1507532400000000)
#define MINUTE_US INT64_C(60000000)
#define AT(hhmm)  "\"2017-10-09 " hhmm ":00\""
#define TWO_GPUS  "[{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}]"
#define TRY(s, e) "{\"start_time\": " s ", \"end_time\": " e ", \"detail\": " TWO_GPUS "}"
#define JOB(id, tries)                                                                             \
    "{\"status\": \"Pass\", \"vc\": \"ee9e8c\", \"jobid\": \"" id "\", \"attempts\": [" tries      \
    "], \"submitted_time\": " AT("07:00") ", \"user\": \"ce2a7a\"}"

static struct traced t;

static void read_as(enum hs_attempts attempts, const char *text)
{
    traced_options(&t);
    t.options.philly_attempts = (int32_t)attempts;
    traced_text(&t, "cluster_job_log", text);
}

static void expect_fault(const char *text, const char *words)
{
    read_as(HS_ATTEMPTS_MERGE, text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, words) == NULL)
        fail_msg("no '%s' in: %s", words, t.sink.text);
}

static void test_plain_job(void **state)
{
    (void)state;
    read_as(HS_ATTEMPTS_MERGE, "[" JOB("application_1_2", TRY(AT("07:10"), AT("07:30"))) "]\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "philly");
    assert_int_equal(t.count, 1);
    const struct hs_trace_job *a = &t.jobs[0];
    assert_string_equal(a->id, "application_1_2");
    assert_string_equal(a->user, "ce2a7a");
    assert_string_equal(a->vc, "ee9e8c");
    assert_int_equal(a->gpus, 2);
    assert_int_equal(a->submit_us, SEVEN_US);
    assert_int_equal(a->duration_us, 20 * MINUTE_US);
    assert_int_equal(a->outcome, HS_OUTCOME_COMPLETED);
    assert_null(a->precision);
    assert_true(a->profile == HS_NO_PROFILE);
}

/* 07:10-07:20, idle, 07:40-07:45: 35 min from first start to last end, 15 min of work. */
static const char two_tries[] =
    "[" JOB("j", TRY(AT("07:10"), AT("07:20")) "," TRY(AT("07:40"), AT("07:45"))) "]";

static void test_retries_merged(void **state)
{
    (void)state;
    read_as(HS_ATTEMPTS_MERGE, two_tries);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.jobs[0].duration_us, 35 * MINUTE_US);
}

static void test_retries_summed(void **state)
{
    (void)state;
    read_as(HS_ATTEMPTS_SUM, two_tries);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.jobs[0].duration_us, 15 * MINUTE_US);
}

static void test_retries_split(void **state)
{
    (void)state;
    read_as(HS_ATTEMPTS_SPLIT, two_tries);
    assert_int_equal(t.count, 2);
    assert_string_equal(t.jobs[0].id, "j#1");
    assert_int_equal(t.jobs[0].submit_us, SEVEN_US);
    assert_int_equal(t.jobs[0].duration_us, 10 * MINUTE_US);
    assert_int_equal(t.jobs[0].outcome, HS_OUTCOME_FAILED);
    assert_string_equal(t.jobs[1].id, "j#2");
    assert_int_equal(t.jobs[1].submit_us, SEVEN_US + 20 * MINUTE_US); /* end of the one before */
    assert_int_equal(t.jobs[1].duration_us, 5 * MINUTE_US);
    assert_int_equal(t.jobs[1].outcome, HS_OUTCOME_COMPLETED);
}

/* As job ..._16565 of the archive: start/None, complete, start/None, None/end. */
static const char gaps[] =
    "[" JOB("g", TRY(AT("07:05"), "\"None\"") "," TRY(AT("07:10"), AT("07:20")) "," TRY(
                     AT("07:30"), "null") "," TRY("\"\"", AT("07:50"))) "]";

static void test_missing_times_in_the_middle(void **state)
{
    (void)state;
    read_as(HS_ATTEMPTS_MERGE, gaps);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.jobs[0].duration_us, 45 * MINUTE_US); /* 07:05 to 07:50 */
    read_as(HS_ATTEMPTS_SUM, gaps);
    assert_int_equal(t.jobs[0].duration_us, 10 * MINUTE_US);
    read_as(HS_ATTEMPTS_SPLIT, gaps);
    assert_int_equal(t.count, 1);
    assert_string_equal(t.jobs[0].id, "g#2");
    assert_int_equal(t.jobs[0].submit_us, SEVEN_US); /* no end known before it */
    assert_int_equal(t.counts.rows, 4);
    assert_int_equal(t.drops[HS_DROP_NO_TIMES], 3);
}

static void test_jobs_that_are_dropped(void **state)
{
    const char never[] = JOB("never", ""), running[] = JOB("running", TRY(AT("07:10"), "\"None\""));
    const char no_start[] = JOB("no start", TRY("null", AT("07:20")));
    const char no_times[] = JOB("no times", TRY("null", "null"));
    const char again[] = JOB("again", TRY(AT("07:10"), AT("07:20")) "," TRY(AT("07:30"), "null"));
    const char no_key[] = "{\"jobid\": \"no key\", \"submitted_time\": " AT("07:00") "}";
    const char kept[] = JOB("kept", TRY(AT("07:00"), AT("07:01")));
    char text[8192];
    snprintf(text, sizeof text, "[%s,%s,%s,%s,%s,%s,%s]", never, running, no_start, no_times, again,
             no_key, kept);
    (void)state;
    for (int mode = HS_ATTEMPTS_MERGE; mode <= HS_ATTEMPTS_SUM; mode++) {
        read_as((enum hs_attempts)mode, text);
        assert_int_equal(t.status, HS_END);
        assert_int_equal(t.drops[HS_DROP_NEVER_STARTED], 2);
        assert_int_equal(t.drops[HS_DROP_STILL_RUNNING], 2);
        assert_int_equal(t.drops[HS_DROP_NO_TIMES], 2);
        /* split: the first attempt of "again" is a job of its own */
        assert_int_equal(t.count, mode == HS_ATTEMPTS_SPLIT ? 2 : 1);
    }
}

static void test_gpus_of_attempt_zero(void **state)
{
    const char text[] = "[{\"jobid\": \"j\", \"submitted_time\": " AT(
        "07:00") ", \"attempts\": ["
                 "{\"start_time\": " AT("07:00") ", \"end_time\": " AT(
                     "07:01") ", \"detail\": ["
                              "{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}, {\"ip\": \"m2\", "
                              "\"gpus\": [\"gpu7\"]}]},"
                              "{\"start_time\": " AT("07:02") ", \"end_time\": " AT(
                                  "07:03") ", \"detail\": ["
                                           "{\"ip\": \"m3\", \"gpus\": [\"gpu0\"]}]}]}]";
    (void)state;
    read_as(HS_ATTEMPTS_MERGE, text);
    assert_int_equal(t.jobs[0].gpus, 3);
    assert_null(t.jobs[0].user);
    assert_null(t.jobs[0].vc);
    read_as(HS_ATTEMPTS_SPLIT, text);
    assert_int_equal(t.jobs[0].gpus, 3);
    assert_int_equal(t.jobs[1].gpus, 1);
}

static void test_no_detail_is_a_cpu_job(void **state)
{
    (void)state;
    read_as(HS_ATTEMPTS_MERGE,
            "[{\"jobid\": \"j\", \"submitted_time\": " AT(
                "07:00") ", \"attempts\": ["
                         "{\"start_time\": " AT("07:00") ", \"end_time\": " AT(
                             "07:01") ", \"detail\": []}]}," JOB("k", TRY(AT("07:00"),
                                                                          AT("07:01"))) "]");
    assert_int_equal(t.count, 1);
    assert_int_equal(t.drops[HS_DROP_CPU_JOB], 1);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault("[{\"jobid\": 7, \"attempts\": []}]", ":1:12: error: jobid is not text");
    expect_fault("[{\"attempts\": []}]", "jobid is missing");
    expect_fault("[{\"jobid\": \"j\", \"attempts\": []}]", "submitted_time is missing");
    expect_fault("[{\"jobid\": \"j\", \"submitted_time\": \"Monday\", \"attempts\": []}]",
                 "submitted_time is not a time: 'Monday'");
    expect_fault("[{\"jobid\": \"j\", \"submitted_time\": " AT("07:00") ", \"attempts\": 3}]",
                 "attempts is not a list");
    expect_fault("[{\"jobid\": \"j\", \"submitted_time\": " AT("07:00") ", \"attempts\": [3]}]",
                 "attempt is not an object");
    expect_fault("[{\"jobid\": \"j\", \"status\": \"Passed\", \"submitted_time\": " AT(
                     "07:00") ", \"attempts\": []}]",
                 "unknown status 'Passed'");
    expect_fault("[" JOB("j", TRY(AT("07:30"), AT("07:10"))) "]", "duration is negative");
    expect_fault("[\"attempts\"]", "expected '{'");
    expect_fault("[" JOB("j", TRY(AT("07:00"), AT("07:10"))), "the file ends before");
    read_as(HS_ATTEMPTS_SUM, "[" JOB("j", TRY(AT("07:30"), AT("07:10"))) "]");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "attempt ends before it starts"));
}

/* One bad job among good ones, tolerated: the next one is read. */
static void test_reads_on_behind_a_bad_job(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.skip_bad_permille = 500;
    traced_text(
        &t, "log",
        "[{\"jobid\": 7, \"attempts\": []},\n{\"a\": 1 \"b\": 2},\n" JOB(
            "j", TRY(AT("07:00"), AT("07:10"))) ",\n" JOB("k", TRY(AT("07:00"), AT("07:10"))) "]");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.counts.bad, 2);
    /* but a truncated file ends the trace */
    traced_text(&t, "log", "[" JOB("j", TRY(AT("07:00"), AT("07:10"))) ", {\"jobid\": ");
    assert_int_equal(t.status, HS_E_INPUT);
}

/* 2017-11-05 01:30 occurred twice in Los Angeles, but once in UTC. */
static void test_the_zone_of_the_host_is_not_used(void **state)
{
    static const char *const zones[] = {"UTC", "America/Los_Angeles", "Asia/Shanghai"};
    (void)state;
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        setenv("TZ", zones[i], 1);
        tzset();
        read_as(HS_ATTEMPTS_MERGE,
                "[{\"jobid\": \"j\", \"submitted_time\": \"2017-11-05 01:30:00\", \"attempts\": [{"
                "\"start_time\": \"2017-11-05 01:30:00\", \"end_time\": \"2017-11-05 03:30:00\", "
                "\"detail\": " TWO_GPUS "}]}]");
        assert_int_equal(t.jobs[0].submit_us, INT64_C(1509845400000000)); /* date -u +%s */
        assert_int_equal(t.jobs[0].duration_us, 120 * MINUTE_US);
    }
    unsetenv("TZ");
    tzset();
}

static void test_shipped_sample(void **state)
{
    (void)state;
    traced_options(&t);
    traced_file(&t, "traces/sample-philly.json");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.counts.rows, 300);
    assert_int_equal(t.drops[HS_DROP_NEVER_STARTED], 33); /* jq: attempts == [] */
    assert_true(t.drops[HS_DROP_STILL_RUNNING] > 0 && t.drops[HS_DROP_NO_TIMES] > 0);
    assert_true(t.counts.reordered > 0);
    for (uint64_t i = 1; i < TRACED_JOBS; i++)
        assert_true(t.jobs[i - 1].submit_us <= t.jobs[i].submit_us);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_job),
        cmocka_unit_test(test_retries_merged),
        cmocka_unit_test(test_retries_summed),
        cmocka_unit_test(test_retries_split),
        cmocka_unit_test(test_missing_times_in_the_middle),
        cmocka_unit_test(test_jobs_that_are_dropped),
        cmocka_unit_test(test_gpus_of_attempt_zero),
        cmocka_unit_test(test_no_detail_is_a_cpu_job),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_reads_on_behind_a_bad_job),
        cmocka_unit_test(test_the_zone_of_the_host_is_not_used),
        cmocka_unit_test(test_shipped_sample),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
