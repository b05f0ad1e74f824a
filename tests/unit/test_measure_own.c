/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements of our own form: units, jobs alone and pairs, and every slip of the pen at its
 * place. Tests run inside the scratch folder, so that messages name plain files; lines and columns
 * were counted by hand in the text above each expectation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/measured.h"

static struct measured t;

static int tear_down(void **state)
{
    (void)state;
    hs_measure_free(&t.m);
    return 0;
}

static void bad_text(const char *text, const char *said)
{
    measured_put("a.csv", text);
    measured_bad(&t, "a.csv", said);
}

static void test_own(void **state)
{
    (void)state;
    measured_put("a.csv",
                 "job_a,job_b,gpu,speed_a,speed_b,util_a,util_b,util_joint,bandwidth_a,bandwidth_b,"
                 "bandwidth_joint,memory_a,memory_b,memory_joint,rate_a,gpus,spread,note\n"
                 "A/D/64/fp32,,A100,,,80,,,40,,,2000,,,29.5,,,alone\n"
                 "A/D/64/fp32,B/E//amp,A100,.75,.5,80,30,90,,10,45,,500.5,2600,,1,no,\"a, b\"\n"
                 "A/D/64/fp32,,A100,,,,,,,,,,,,100,4,yes,\n"
                 "B/E//amp,A/D/64/fp32,A100,0,0,,,,,,,,,,,,,failed\n"
                 "B/E//amp,B/E//amp,H100,.9,,,,,,,,,,,,,,one side\n"
                 "B/E//amp,A/D/64/fp32,H100,,1.2,,,,,,,,,,,,,other side\n");
    measured_good(&t, "a.csv");
    assert_string_equal(t.m.format, "own");
    measured_expect_solos(&t, "A/D/64/fp32 A100 29.5 util 0.8 bw 0.4 mem 2000\n"
                              "B/E//amp A100 util 0.3 bw 0.1 mem 500.5\n"
                              "A/D/64/fp32 A100 x4 spread 100\n"
                              "B/E//amp H100\n"
                              "A/D/64/fp32 H100\n");
    measured_expect_pairs(&t, "A/D/64/fp32 > B/E//amp #0 0.75 util 0.9 bw 0.45 mem 2600\n"
                              "B/E//amp > A/D/64/fp32 #0 0.5 util 0.9 bw 0.45 mem 2600\n"
                              "B/E//amp > A/D/64/fp32 #1 0\n"
                              "A/D/64/fp32 > B/E//amp #1 0\n"
                              "B/E//amp > B/E//amp #2 0.9\n"
                              "A/D/64/fp32 > B/E//amp #3 1.2\n");
    assert_int_equal(t.m.files[0].rows, 6);
    assert_int_equal(t.m.pairs[2].line, 5);
}

/* One of 1 % among others is a job; none above it, and the writer meant fractions. */
static void test_own_fractions(void **state)
{
    (void)state;
    measured_put("a.csv", "job_a,job_b,gpu,util_a\nA/D/1/fp32,,G,0.8\nB/D/1/fp32,,G,1.5\n");
    measured_good(&t, "a.csv");
    hs_measure_free(&t.m);
    measured_put("a.csv", "job_a,job_b,gpu,util_a\nA/D/1/fp32,,G,0.8\nB/D/1/fp32,,G,1\n");
    sink_init(&t.sink);
    assert_int_equal(hs_measure_read(&t.m, "a.csv", &t.sink.diag), HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "a.csv: error: no utilization is above 1"));
    assert_non_null(strstr(t.sink.text, "45, not 0.45"));
}

/* B at 0.6 % adds 26 points to a pair with A: 60 % was meant. C, idle in truth, adds 1 point. */
static void test_own_fraction_of_one_job(void **state)
{
    (void)state;
    measured_put("a.csv", "job_a,job_b,gpu,speed_a,speed_b,util_a,util_b,util_joint\n"
                          "A/D/1/fp32,B/D/1/fp32,G,0.7,0.8,66,0.6,92\n"
                          "A/D/1/fp32,C/D/1/fp32,G,1,1,66,0.6,67\n");
    sink_init(&t.sink);
    assert_int_equal(hs_measure_read(&t.m, "a.csv", &t.sink.diag), HS_OK);
    assert_non_null(strstr(t.sink.text, "a.csv:2: warning: B/D/1/fp32: at most 1 % busy alone"));
    assert_int_equal(t.sink.diag.warnings, 1);
}

/* Rates a second: the rate alone may follow; whose is nowhere has no speed. Another GPU type is
 * another rate. CRLF, an unnamed index column, columns in another order. */
static void test_own_rates(void **state)
{
    (void)state;
    measured_put("a.csv", ",gpu,job_b,job_a,rate_b,rate_a\r\n"
                          "0,G,B/D/1/fp32,A/D/1/fp32,15,30\r\n"
                          "1,G,,A/D/1/fp32,,40\r\n"
                          "2,G,,B/D/1/fp32,,20\r\n"
                          "3,G,C/D/1/fp32,A/D/1/fp32,7,10\r\n"
                          "4,H,A/D/1/fp32,A/D/1/fp32,0,0\r\n");
    measured_good(&t, "a.csv");
    measured_expect_pairs(&t, "A/D/1/fp32 > B/D/1/fp32 #0 0.75\n"
                              "B/D/1/fp32 > A/D/1/fp32 #0 0.75\n"
                              "A/D/1/fp32 > C/D/1/fp32 #1 0.25\n"
                              "C/D/1/fp32 > A/D/1/fp32 #1 NO_SOLO\n"
                              "A/D/1/fp32 > A/D/1/fp32 #2 0\n"
                              "A/D/1/fp32 > A/D/1/fp32 #2 0\n");
}

/* Two rows are enough to be read; the same run again is another pair. */
static void test_own_two_rows(void **state)
{
    (void)state;
    measured_put("a.csv", "job_a,job_b,gpu,speed_a,speed_b\nA/D/1/fp32,B/D/1/fp32,G,.9,.8\n"
                          "A/D/1/fp32,B/D/1/fp32,G,.6,.8");
    measured_good(&t, "a.csv");
    assert_int_equal(t.m.pair_count, 4);
    assert_int_equal(t.m.pair_ids, 2);
    measured_clean(&t, HS_CLEAN_ALL);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_CONTRADICTED], 2); /* .9 and .6 */
    assert_int_equal(t.counts.kept, 2);
}

#define OWN_HEAD "job_a,job_b,gpu,speed_a,speed_b,rate_a,rate_b,util_a,util_joint,gpus,spread\n"

/* A row of OWN_HEAD, and the first line of what is said of it. */
static void expect_fault(const char *row, const char *said)
{
    char text[512];
    snprintf(text, sizeof text, OWN_HEAD "%s\n", row);
    measured_put("a.csv", text);
    measured_fail(&t, "a.csv", HS_E_INPUT);
    t.sink.text[strcspn(t.sink.text, "\n")] = '\0';
    assert_string_equal(t.sink.text, said);
}

static void test_own_faults(void **state)
{
    (void)state;
    expect_fault("A/D/1/fp32,B/D//amp,G,-0.5,0.9,,,,,,",
                 "a.csv:2:23: error: speed_a is -0.5, out of 0..5");
    expect_fault("A/D/1/fp32,B/D//amp,G,0.5,30,,,,,,",
                 "a.csv:2:27: error: speed_b is 30, out of 0..5");
    expect_fault("A/D/1/fp32,B/D//amp,G,nan,0.9,,,,,,",
                 "a.csv:2:23: error: speed_a is not a number: 'nan'");
    expect_fault("A/D/1/fp32,B/D//amp,G,fast,0.9,,,,,,",
                 "a.csv:2:23: error: speed_a is not a number: 'fast'");
    expect_fault("A/D/1/fp32,B/D//amp,G,.5,.9,,,101,,,",
                 "a.csv:2:31: error: util_a is 101, out of 0..100");
    expect_fault("A/D/1/fp32,B/D//amp,G,.5,.9,,,,-1,,",
                 "a.csv:2:32: error: util_joint is -1, out of 0..100");
    expect_fault("A/D/1,B/D//amp,G,.5,.9,,,,,,",
                 "a.csv:2:1: error: job_a is not a profile key: 'A/D/1'");
    expect_fault("A/D/1/fp32,B/D/x/amp,G,.5,.9,,,,,,",
                 "a.csv:2:12: error: job_b is not a profile key: 'B/D/x/amp'");
    expect_fault("A/D/1/fp32/z,,G,,,5,,,,,",
                 "a.csv:2:1: error: job_a is not a profile key: 'A/D/1/fp32/z'");
    expect_fault("A//1/fp32,,G,,,5,,,,,",
                 "a.csv:2:1: error: job_a is not a profile key: 'A//1/fp32'");
    expect_fault("A/D/1/fp32,,,,,5,,,,,", "a.csv:2:13: error: gpu is not a name: ''");
    expect_fault("A/D/1/fp32,,G,1,,,,,,,",
                 "a.csv:2:15: error: the speed of a job alone is 1 by definition");
    expect_fault("A/D/1/fp32,,G,,.9,,,,,,",
                 "a.csv:2:16: error: speed_b of a job alone: job_b is empty");
    expect_fault("A/D/1/fp32,,G,,,5,,,50,,",
                 "a.csv:2:21: error: util_joint of a job alone: job_b is empty");
    expect_fault("A/D/1/fp32,B/D//amp,G,.5,.9,5,6,,,,",
                 "a.csv:2:29: error: speeds and rates of one pair");
    expect_fault("A/D/1/fp32,B/D//amp,G,,,,,,,,", "a.csv:2:12: error: a pair without a speed");
    expect_fault("A/D/1/fp32,,G,,,0,,,,,", "a.csv:2:17: error: a job that does nothing alone");
    expect_fault("A/D/1/fp32,,G,,,-3,,,,,",
                 "a.csv:2:17: error: rate_a is -3, out of 0..1000000000000");
    expect_fault("A/D/1/fp32,,G,,,5,,,,1,yes",
                 "a.csv:2:24: error: a job on one GPU cannot be spread");
    expect_fault("A/D/1/fp32,,G,,,5,,,,1.5,", "a.csv:2:22: error: gpus is a whole number");
    expect_fault("A/D/1/fp32,,G,,,5,,,,2,maybe",
                 "a.csv:2:24: error: spread is yes or no, not 'maybe'");
    expect_fault("A/D/1/fp32,B/D//amp,G,.5,.9,,,,,2,",
                 "a.csv:2:33: error: pairs are of jobs on one GPU");
    expect_fault("A/D/1/fp32,,G,,,5,,,,,,", "a.csv:2:24: error: 12 fields, the header has 11");
    expect_fault("A/D/1/fp32,,G,,,5,,50,,,\nA/D/1/fp32,B/D//amp,G,.5,.5,,,51,,,",
                 "a.csv:3:31: error: util_a differs from an earlier row");
}

static void test_own_header(void **state)
{
    (void)state;
    bad_text("job_a,speed_a\n", "a.csv:1:1: error: missing columns: job_b, gpu\n"
                                "    1 | job_a,speed_a\n"
                                "      | ^~~~~\n");
    bad_text("job_a,job_b,gpu,sped_a\nA/D/1/fp32,,G,\n",
             "a.csv:1:17: error: unknown column 'sped_a'\n"
             "    1 | job_a,job_b,gpu,sped_a\n"
             "      |                 ^~~~~~\n"
             "      = hint: did you mean 'speed_a'?\n");
    bad_text("job_a,job_b,gpu,gpu\nA/D/1/fp32,,G,\n", "a.csv:1:17: error: column 'gpu' twice\n"
                                                      "    1 | job_a,job_b,gpu,gpu\n"
                                                      "      |                 ^~~\n");
    bad_text("job_a,job_b,gpu,speed_a\n", "a.csv: error: there are no measurements in it\n");
    measured_put("a.csv", "job_a,job_b,gpu,speed_a\n\"A,B\n");
    measured_fail(&t, "a.csv", HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "a.csv:2:1: error: the quote that opens here"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_own, tear_down),
        cmocka_unit_test_teardown(test_own_fractions, tear_down),
        cmocka_unit_test_teardown(test_own_fraction_of_one_job, tear_down),
        cmocka_unit_test_teardown(test_own_rates, tear_down),
        cmocka_unit_test_teardown(test_own_two_rows, tear_down),
        cmocka_unit_test_teardown(test_own_faults, tear_down),
        cmocka_unit_test_teardown(test_own_header, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
