/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is no file of measurements, and Lucid's folder: what it becomes and where its faults are
 * told. Tests run inside the scratch folder, so that messages name plain files; lines and columns
 * were counted by hand in the text above each expectation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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

/* A limit of the store is told with the file, not as a bare status. */
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

/* What programs write where there is no figure, a negative speed, a job nobody measured alone. */
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

/* A file of nothing but errors stops after twenty. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_unknown, tear_down),
        cmocka_unit_test_teardown(test_too_many_gpu_types, tear_down),
        cmocka_unit_test_teardown(test_lucid, tear_down),
        cmocka_unit_test_teardown(test_lucid_bad_rows, tear_down),
        cmocka_unit_test_teardown(test_lucid_faults, tear_down),
        cmocka_unit_test_teardown(test_faults_are_bounded, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
