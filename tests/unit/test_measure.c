/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files without measurements; Lucid's folder, Gavel's throughputs and a user's own measurements:
 * what they become, which rows cannot be used, and where their faults are reported. Tests run
 * inside the scratch folder, so messages name plain files; lines and columns were counted by hand
 * in the text above each expectation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "support/measured.h"

static struct measured t;

static int tear_down(void **state)
{
    (void)state;
    hs_measure_free(&t.m);
    (void)unlink("single_data.csv");
    (void)unlink("colocate_info.csv");
    return 0;
}

static void bad_text(const char *text, const char *said)
{
    measured_put("a.csv", text);
    measured_bad(&t, "a.csv", said);
}

static void test_unknown(void **state)
{
    (void)state;
    bad_text("", "a.csv: error: the file is empty\n");
    measured_put("a.csv", "a,b\n1,2\n");
    measured_fail(&t, "a.csv", HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "a.csv: error: not a file of measurements"));
    assert_non_null(strstr(t.sink.text, "hint: lucid: a folder"));
    measured_fail(&t, ".", HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, ".: error: no measurements are known in this folder"));
    measured_fail(&t, "-", HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "cannot be read from standard input"));
    measured_fail(&t, "absent.csv", HS_E_IO);
    assert_non_null(strstr(t.sink.text, "absent.csv: error: cannot open"));
}

/* A limit of the store is reported with the file, not only as a status. */
static void test_too_many_gpu_types(void **state)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "job_a,job_b,gpu,rate_a\n");
    (void)state;
    for (int i = 0; i < 65; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "A/D/1/fp32,,G%d,5\n", i);
    measured_put("a.csv", text);
    measured_fail(&t, "a.csv", HS_E_LIMIT);
    assert_non_null(strstr(t.sink.text, "a.csv: error: "));
    assert_non_null(strstr(t.sink.text, "64 GPU types"));
}

/* ---- Lucid ---- */

#define SOLO_HEAD "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label\n"
#define PAIR_HEAD                                                                                  \
    ",model1,dataset1,gpu_num1,batchsize1,amp1,speed1,model2,dataset2,gpu_num2,batchsize2,amp2,"   \
    "speed2,gpu_util,gmem_util,gmem\n"

static void put_lucid(const char *solos, const char *pairs)
{
    measured_put("single_data.csv", solos);
    measured_put("colocate_info.csv", pairs);
}

static void test_lucid(void **state)
{
    (void)state;
    put_lucid(SOLO_HEAD "A,D,32,0,84.5,50,25,2000.5,2\n"
                        "B,E,64,1,120,10.5,0,3000,0\n",
              PAIR_HEAD "0,A,D,1,32,0,0.9,B,E,1,64,1,0.8,55.5,26,5100\n"
                        "1,B,E,1,64,1,0.7,B,E,1,64,1,0.6,20,1,6000\n");
    measured_good(&t, ".");
    assert_string_equal(t.m.format, "lucid");
    measured_expect_solos(&t, "A/D/32/fp32 RTX3090 84.5 util 0.5 bw 0.25 mem 2000.5\n"
                              "B/E/64/amp RTX3090 120 util 0.105 bw 0 mem 3000\n");
    measured_expect_pairs(&t, "A/D/32/fp32 > B/E/64/amp #0 0.9 util 0.555 bw 0.26 mem 5100\n"
                              "B/E/64/amp > A/D/32/fp32 #0 0.8 util 0.555 bw 0.26 mem 5100\n"
                              "B/E/64/amp > B/E/64/amp #1 0.7 util 0.2 bw 0.01 mem 6000\n"
                              "B/E/64/amp > B/E/64/amp #1 0.6 util 0.2 bw 0.01 mem 6000\n");
    assert_int_equal(t.m.solos[1].line, 3);
    assert_int_equal(t.m.pairs[3].line, 3);
    assert_string_equal(t.m.solos[0].model, "A");
    assert_string_equal(t.m.solos[0].family, "A");
    assert_string_equal(t.m.solos[1].dataset, "E");
    assert_string_equal(t.m.solos[1].batch, "64");
    assert_string_equal(t.m.solos[1].precision, "amp");
}

/* Common spellings of a missing value, a negative speed, a job that was never measured alone. */
static void test_lucid_bad_rows(void **state)
{
    (void)state;
    put_lucid(SOLO_HEAD "A,D,32,0,84.5,nan,,2000,2\n",
              PAIR_HEAD "0,A,D,1,32,0,NaN,A,D,1,32,0,-0.8,nan,inf,\n"
                        "1,A,D,1,32,0,0.9,B,E,1,64,1,0.8,55,26,5100\n");
    measured_good(&t, ".");
    measured_expect_solos(&t, "A/D/32/fp32 RTX3090 84.5 mem 2000\nB/E/64/amp RTX3090\n");
    measured_expect_pairs(&t,
                          "A/D/32/fp32 > A/D/32/fp32 #0\n"
                          "A/D/32/fp32 > A/D/32/fp32 #0 -0.8\n"
                          "A/D/32/fp32 > B/E/64/amp #1 0.9 util 0.55 bw 0.26 mem 5100 NO_SOLO\n"
                          "B/E/64/amp > A/D/32/fp32 #1 0.8 util 0.55 bw 0.26 mem 5100 NO_SOLO\n");
    measured_clean(&t, HS_CLEAN_ALL);
    assert_int_equal(t.counts.kept, 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NEGATIVE], 2);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NO_SOLO], 2);
}

static void test_lucid_faults(void **state)
{
    (void)state;
    put_lucid("model,dataset,batchsize,speed,gpu_util,label\n", PAIR_HEAD);
    measured_bad(&t, ".",
                 "./single_data.csv:1:1: error: missing columns: amp, gmem_util, gmem\n"
                 "    1 | model,dataset,batchsize,speed,gpu_util,label\n"
                 "      | ^~~~~\n");
    put_lucid(SOLO_HEAD "A,D,32,2,fast,150,25,2000,2\nA,D,32,0,1,50,25,2000,2\n"
                        "A,D,32,0,1,50,25,2000,2\n,D,x,0,1,50,25,2000,2\nA,D,32,0,1\n",
              PAIR_HEAD);
    measured_bad(&t, ".",
                 "./single_data.csv:2:8: error: amp is 0 or 1, not '2'\n"
                 "    2 | A,D,32,2,fast,150,25,2000,2\n"
                 "      |        ^\n"
                 "./single_data.csv:2:10: error: speed is not a number: 'fast'\n"
                 "    2 | A,D,32,2,fast,150,25,2000,2\n"
                 "      |          ^~~~\n"
                 "./single_data.csv:2:15: error: gpu_util is 150, out of 0..100\n"
                 "    2 | A,D,32,2,fast,150,25,2000,2\n"
                 "      |               ^~~\n"
                 "      = hint: per cent\n"
                 "./single_data.csv:4:1: error: A/D/32/fp32 was listed in line 3\n"
                 "    4 | A,D,32,0,1,50,25,2000,2\n"
                 "      | ^\n"
                 "./single_data.csv:5:1: error: model is not a name: ''\n"
                 "    5 | ,D,x,0,1,50,25,2000,2\n"
                 "      | ^\n"
                 "      = hint: 1 to 255 characters without '/'\n"
                 "./single_data.csv:5:4: error: batchsize is not a whole number: 'x'\n"
                 "    5 | ,D,x,0,1,50,25,2000,2\n"
                 "      |    ^\n"
                 "./single_data.csv:6:11: error: 5 fields, the header has 9\n"
                 "    6 | A,D,32,0,1\n"
                 "      |           ^\n");
    put_lucid(SOLO_HEAD "A,D,32,0,1,50,25,2000,2\n",
              PAIR_HEAD "0,A,D,2,32,0,0.9,A,D,1,32,0,0.8,55.5,26,5100\n");
    measured_bad(&t, ".",
                 "./colocate_info.csv:2:7: error: only pairs on one GPU are understood\n"
                 "    2 | 0,A,D,2,32,0,0.9,A,D,1,32,0,0.8,55.5,26,5100\n"
                 "      |       ^\n");
    (void)unlink("colocate_info.csv");
    measured_fail(&t, ".", HS_E_IO);
    assert_non_null(strstr(t.sink.text, "./colocate_info.csv: error: cannot open"));
}

/* A file with errors only stops after twenty. */
static void test_faults_are_bounded(void **state)
{
    char text[4096] = SOLO_HEAD;
    uint32_t shown_errors = 0;
    (void)state;
    for (int i = 0; i < 50; i++)
        memcpy(text + strlen(text), "A,D,32,0,x,50,25,2000,2\n", 25);
    put_lucid(text, PAIR_HEAD);
    measured_fail(&t, ".", HS_E_INPUT);
    for (const char *at = t.sink.text; (at = strstr(at, "error:")) != NULL; at++)
        shown_errors++;
    assert_int_equal(shown_errors, 20);
}

/* ---- a user's own data ---- */

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

/* One of 1 % among others is a job; with none above it the writer meant fractions. */
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

/* B at 0.6 % adds 26 points to a pair with A: 60 % was meant. C, which is idle, adds 1 point. */
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

/* Rates a second: the column of rates alone may suffice; a job without a rate alone has no speed.
 * Rates of another GPU type are separate. CRLF, an unnamed index column, columns in another
 * order. */
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

/* Two rows suffice to be read; the same run again is another pair. */
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

/* A row of OWN_HEAD, and the first line of its message. */
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
    expect_fault("A/D/1/fp32,,G,,,0,,,,,", "a.csv:2:17: error: a job alone with a rate of 0");
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

/* ---- Gavel ---- */

static void bad_json(const char *text, const char *said)
{
    measured_put("a.json", text);
    measured_bad(&t, "a.json", said);
}

#define R16 "('ResNet-18 (batch size 16)', 1)"
#define LM5 "('LM (batch size 5)', 1)"

static void test_gavel(void **state)
{
    const char text[] = "{\"v100\": {"
                        "\"" R16 "\": {\"null\": 10, \"" R16 "\": [8, 7], \"" LM5 "\": [5, 30]},"
                        "\"" LM5 "\": {\"null\": 40, \"" R16 "\": [30, 5], \"" LM5 "\": [0, 0]},"
                        "\"('A3C', 4)\": {\"null\": 0, \"('A3C', 4)\": [0.0, 0.0]}},"
                        "\"v100_unconsolidated\": {"
                        "\"" R16 "\": {\"null\": 10}, \"('A3C', 4)\": {\"null\": 3}}}";
    (void)state;
    measured_put("a.json", text);
    measured_good(&t, "a.json");
    assert_string_equal(t.m.format, "gavel");
    measured_expect_solos(&t, "ResNet18/CIFAR-10/16/fp32 V100 10\n"
                              "LSTM/Wikitext2/5/fp32 V100 40\n"
                              "A3C/Pong//fp32 V100 x4\n"
                              "ResNet18/CIFAR-10/16/fp32 V100 spread 10\n"
                              "A3C/Pong//fp32 V100 x4 spread 3\n");
    /* 8/10, 7/10; 5/10, 30/40; 0 */
    measured_expect_pairs(&t, "ResNet18/CIFAR-10/16/fp32 > ResNet18/CIFAR-10/16/fp32 #0 0.8\n"
                              "ResNet18/CIFAR-10/16/fp32 > ResNet18/CIFAR-10/16/fp32 #0 0.7\n"
                              "ResNet18/CIFAR-10/16/fp32 > LSTM/Wikitext2/5/fp32 #1 0.5\n"
                              "LSTM/Wikitext2/5/fp32 > ResNet18/CIFAR-10/16/fp32 #1 0.75\n"
                              "LSTM/Wikitext2/5/fp32 > LSTM/Wikitext2/5/fp32 #2 0\n"
                              "LSTM/Wikitext2/5/fp32 > LSTM/Wikitext2/5/fp32 #2 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0\n");
    assert_string_equal(t.m.solos[1].family, "LM");
    assert_string_equal(t.m.solos[1].model, "LSTM");
    assert_int_equal(t.m.files[0].bytes, strlen(text));
    assert_int_equal(t.m.files[0].hash, hs_hash_of(text, strlen(text)));
    assert_int_equal(t.m.files[0].rows, 5 + 5);
    assert_string_equal(t.m.files[0].name, "a.json");
}

/* Keys without the number of GPUs; the seven names; a name of the user's; a GPU type of the
 * user's. */
static void test_gavel_names(void **state)
{
    (void)state;
    measured_put("a.json",
                 " {\"k80\": {\"ResNet-50 (batch size 128)\": {\"null\": 1}, \"A3C\": {\"null\": "
                 "2}, \"CycleGAN\": {\"null\": 3}, \"Recommendation (batch size 512)\": {\"null\": "
                 "4}, \"Transformer (batch size 256)\": {\"null\": 5}, \"ViT-B (batch size 8)\": "
                 "{\"null\": 6}}, \"a100\": {\"A3C\": {\"null\": 7}}}");
    measured_good(&t, "./a.json");
    measured_expect_solos(&t, "ResNet50/ImageNet/128/fp32 K80 1\n"
                              "A3C/Pong//fp32 K80 2\n"
                              "CycleGAN/Monet2Photo//fp32 K80 3\n"
                              "Recoder/MovieLens/512/fp32 K80 4\n"
                              "Transformer/Multi30k/256/fp32 K80 5\n"
                              "ViT-B/Gavel/8/fp32 K80 6\n"
                              "A3C/Pong//fp32 A100 7\n");
    assert_string_equal(t.m.files[0].name, "a.json");
}

/* Mirrored entries: a contradicting one makes two pairs, a missing one makes one. */
static void test_gavel_mirrors(void **state)
{
    (void)state;
    measured_put("a.json",
                 "{\"v100\": {\"A3C\": {\"null\": 10, \"CycleGAN\": [9, 8]},"
                 "\"CycleGAN\": {\"null\": 10, \"A3C\": [8, 5], \"LM (batch size 5)\": [6, 7]},"
                 "\"LM (batch size 5)\": {\"null\": 10, \"A3C\": [4, 3]}}}");
    measured_good(&t, "a.json");
    measured_expect_pairs(&t, "A3C/Pong//fp32 > CycleGAN/Monet2Photo//fp32 #0 0.9\n"
                              "CycleGAN/Monet2Photo//fp32 > A3C/Pong//fp32 #0 0.8\n"
                              "CycleGAN/Monet2Photo//fp32 > A3C/Pong//fp32 #1 0.8\n"
                              "A3C/Pong//fp32 > CycleGAN/Monet2Photo//fp32 #1 0.5\n"
                              "CycleGAN/Monet2Photo//fp32 > LSTM/Wikitext2/5/fp32 #2 0.6\n"
                              "LSTM/Wikitext2/5/fp32 > CycleGAN/Monet2Photo//fp32 #2 0.7\n"
                              "LSTM/Wikitext2/5/fp32 > A3C/Pong//fp32 #3 0.4\n"
                              "A3C/Pong//fp32 > LSTM/Wikitext2/5/fp32 #3 0.3\n");
    measured_clean(&t, HS_CLEAN(CONTRADICTED));
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_CONTRADICTED], 2); /* .9 and .5 */
    assert_int_equal(t.counts.kept, 6);
}

/* Negative numbers, a job that did not run alone, a GPU type of zeros only: counted, not used. */
static void test_gavel_bad_rows(void **state)
{
    (void)state;
    measured_put("a.json",
                 "{\"v100\": {\"A3C\": {\"null\": 10, \"A3C\": [-9, 8], \"CycleGAN\": [5, 2]},"
                 "\"CycleGAN\": {\"null\": 0, \"A3C\": [2, 5]}},"
                 "\"k80\": {\"A3C\": {\"null\": 10, \"A3C\": [0, 0]}},"
                 "\"p100\": {\"A3C\": {\"null\": -10, \"A3C\": [-9, -8]}}}");
    measured_good(&t, "a.json");
    measured_expect_pairs(&t, "A3C/Pong//fp32 > A3C/Pong//fp32 #0 -0.9\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #0 0.8\n"
                              "A3C/Pong//fp32 > CycleGAN/Monet2Photo//fp32 #1 0.5\n"
                              "CycleGAN/Monet2Photo//fp32 > A3C/Pong//fp32 #1 NO_SOLO\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #2 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #2 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0.9\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0.8\n");
    measured_clean(&t, 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NEGATIVE], 3);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NO_SOLO], 1);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_FAILED], 2);
    assert_int_equal(t.counts.kept, 2);
    assert_int_equal(measured_solos(&t.m, HS_DROPPED(NEGATIVE)), 1);
    assert_int_equal(measured_solos(&t.m, HS_DROPPED(NO_SOLO)), 1);
}

static void test_gavel_nesting(void **state)
{
    (void)state;
    bad_json("{\"v100\": 3}", "a.json:1:10: error: a GPU type must be an object, not a number\n"
                              "    1 | {\"v100\": 3}\n"
                              "      |          ^\n");
    bad_json("{\"v100\": {\"A3C\": [1, 2]}}",
             "a.json:1:18: error: a job must be an object, not an array\n"
             "    1 | {\"v100\": {\"A3C\": [1, 2]}}\n"
             "      |                  ^\n");
    bad_json("{\"v100\": {\"A3C\": {\"null\": 3, \"A3C\": {\"x\": [1, 2]}}}}",
             "a.json:1:37: error: a pair is two numbers\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": 3, \"A3C\": {\"x\": [1, 2]}}}}\n"
             "      |                                     ^\n"
             "      = hint: [steps a second of the job, of the other]\n");
    bad_json("{\"v100\": {\"A3C\": {\"null\": 3,\n\"A3C\": [1, 2, 3]}}}",
             "a.json:2:8: error: a pair is two numbers\n"
             "    2 | \"A3C\": [1, 2, 3]}}}\n"
             "      |        ^\n"
             "      = hint: [steps a second of the job, of the other]\n");
    bad_json("{\"v100\": {\"A3C\": {\"A3C\": [1, 2]}}}",
             "a.json:1:18: error: a job without \"null\", its speed alone\n"
             "    1 | {\"v100\": {\"A3C\": {\"A3C\": [1, 2]}}}\n"
             "      |                  ^\n");
    bad_json("{}", "a.json:1:1: error: a file of throughputs is empty\n"
                   "    1 | {}\n"
                   "      | ^\n");
    bad_json("{\"v100\": {}}", "a.json:1:10: error: a GPU type is empty\n"
                               "    1 | {\"v100\": {}}\n"
                               "      |          ^\n");
}

static void test_gavel_bad_names(void **state)
{
    static const char *const names[] = {"LM (batch size x)",
                                        "LM (batch size 5",
                                        "('LM', 0)",
                                        "('LM')",
                                        "('LM', 1",
                                        " (batch size 5)",
                                        "a/b",
                                        "('LM', 2) ",
                                        "",
                                        "LM (batch size 0)",
                                        "LM (batch size 5))"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[128], said[128];
        snprintf(text, sizeof text, "{\"v100\": {\"%s\": {\"null\": 3}}}", names[i]);
        snprintf(said, sizeof said, "a.json:1:11: error: not the name of a job: '%s'\n", names[i]);
        measured_put("a.json", text);
        measured_fail(&t, "a.json", HS_E_INPUT);
        assert_int_equal(strncmp(t.sink.text, said, strlen(said)), 0);
    }
    bad_json("{\"v100\": {\"A3C\": {\"null\": 3}, \"('A3C', 1)\": {\"null\": 4}}}",
             "a.json:1:45: error: the same job as another of this GPU type\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": 3}, \"('A3C', 1)\": {\"null\": 4}}}\n"
             "      |                                             ^\n");
    bad_json("{\"v100\": {\"A3C\": {\"null\": 3, \"('LM', 2)\": [1, 2]}}}",
             "a.json:1:43: error: a pair of jobs on 1 and 2 GPUs\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": 3, \"('LM', 2)\": [1, 2]}}}\n"
             "      |                                           ^\n");
}

/* A whole file, truncated at every byte: never accepted, always with a place. */
static void test_gavel_truncated(void **state)
{
    const char text[] = "{\"v100\": {\"A3C\": {\"null\": 3.5, \"A3C\": [1, 2]}}}";
    (void)state;
    for (size_t len = 1; len < strlen(text); len++) {
        (void)scratch_write("a.json", text, len);
        measured_fail(&t, "a.json", HS_E_INPUT);
        assert_int_equal(strncmp(t.sink.text, "a.json:1:", 9), 0);
    }
    bad_json("{\"v100\": {\"A3C\": {\"null\": NaN}}}",
             "a.json:1:27: error: expected a value\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": NaN}}}\n"
             "      |                           ^~~\n"
             "      = hint: put text in double quotes; true, false and null are lower case\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_unknown, tear_down),
        cmocka_unit_test_teardown(test_too_many_gpu_types, tear_down),
        cmocka_unit_test_teardown(test_lucid, tear_down),
        cmocka_unit_test_teardown(test_lucid_bad_rows, tear_down),
        cmocka_unit_test_teardown(test_lucid_faults, tear_down),
        cmocka_unit_test_teardown(test_faults_are_bounded, tear_down),
        cmocka_unit_test_teardown(test_own, tear_down),
        cmocka_unit_test_teardown(test_own_fractions, tear_down),
        cmocka_unit_test_teardown(test_own_fraction_of_one_job, tear_down),
        cmocka_unit_test_teardown(test_own_rates, tear_down),
        cmocka_unit_test_teardown(test_own_two_rows, tear_down),
        cmocka_unit_test_teardown(test_own_faults, tear_down),
        cmocka_unit_test_teardown(test_own_header, tear_down),
        cmocka_unit_test_teardown(test_gavel, tear_down),
        cmocka_unit_test_teardown(test_gavel_names, tear_down),
        cmocka_unit_test_teardown(test_gavel_mirrors, tear_down),
        cmocka_unit_test_teardown(test_gavel_bad_rows, tear_down),
        cmocka_unit_test_teardown(test_gavel_nesting, tear_down),
        cmocka_unit_test_teardown(test_gavel_bad_names, tear_down),
        cmocka_unit_test_teardown(test_gavel_truncated, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
