/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of estimates: what is read, what is refused and where. Expected figures and places are read
 * off the text beside them.
 */
#include "model/estimator.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/sink.h"

#define S INT64_C(1000000)

#define NONE INT64_C(77) /* estimate of a job that the file does not name */

static struct sink sink;
static struct hs_estimation *file;

static int tear_down(void **state)
{
    (void)state;
    hs_estimator_close(file);
    file = NULL;
    return 0;
}

static enum hs_status load(const char *text)
{
    const struct hs_estimator how = {.from = HS_ESTIMATE_FILE,
                                     .file = scratch_write("e.csv", text, strlen(text)),
                                     .unknown_us = NONE};
    sink_init(&sink);
    return hs_estimator_open(&file, &how, 1, &sink.diag);
}

static int64_t estimate_of(const char *id)
{
    return hs_estimator_us(file, &(struct hs_estimate_facts){.id = id});
}

static void read_good(const char *text)
{
    if (load(text) != HS_OK)
        fail_msg("%s", sink.text);
}

static void test_reads_seconds_by_id(void **state)
{
    (void)state;
    read_good("job_id,estimate\n7,100\nj-1,0.5\n 007,1e3\n8,0\n");
    assert_int_equal(estimate_of("7"), 100 * S);
    assert_int_equal(estimate_of("j-1"), 500000);
    assert_int_equal(estimate_of("8"), 0);
    assert_int_equal(estimate_of("9"), NONE); /* not in the file */
    assert_int_equal(estimate_of(""), NONE);
}

static void test_columns_in_any_order_and_by_any_of_their_names(void **state)
{
    static const char *const texts[] = {"note,priority,job_id\nx,30,a\n", "duration,job_id\n30,a\n",
                                        /* a column named estimate is preferred to any other */
                                        "job_id,duration,priority,estimate\na,1,2,30\n",
                                        "Job_ID,Estimate\r\na,30\r\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        read_good(texts[i]);
        assert_int_equal(estimate_of("a"), 30 * S);
        (void)tear_down(NULL);
    }
    read_good("job_id,estimate\n"); /* no estimate of any job */
    assert_int_equal(estimate_of("a"), NONE);
}

/* what: "LINE:COLUMN: error: MESSAGE", and a part of the hint. */
static void refuse(const char *text, const char *what, const char *hint)
{
    char want[512];
    assert_int_equal(load(text), HS_E_INPUT);
    assert_null(file);
    snprintf(want, sizeof want, "%s:%s", scratch_path("e.csv"), what);
    if (strncmp(sink.text, want, strlen(want)) != 0 || strstr(sink.text, hint) == NULL)
        fail_msg("said: %sexpected: %s, and %s", sink.text, want, hint);
}

static void test_refuses_what_is_wrong_at_its_place(void **state)
{
    (void)state;
    refuse("", "1: error: the file of estimates is empty\n", "names the columns");
    refuse("id,estimate\na,1\n", "1:1: error: missing column 'job_id'\n", "job_id and estimate");
    refuse("job_id,x\na,1\n", "1:9: error: missing column 'estimate'\n", "'priority'");
    refuse("job_id,priority,duration\na,1,1\n",
           "1:25: error: is 'duration' the estimate, or 'priority'?\n", "'estimate'");
    refuse("job_id,estimate\na,1\nb,x\n", "3:3: error: estimate is not a number of seconds: 'x'\n",
           "leave out the row");
    refuse("job_id,priority\na,\n", "2:3: error: priority is not a number of seconds: ''\n",
           "leave out the row");
    refuse("job_id,estimate\na,1 h\n", "2:3: error: estimate is not a number of seconds: '1 h'\n",
           "leave out the row");
    /* of 1,867 published predictions 410 are negative: their meaning is left to the user */
    refuse("job_id,estimate\na,-3\n", "2:3: error: estimate is negative: '-3'\n", "least run time");
    refuse("job_id,estimate\na,2e12\n", /* 63,000 years */
           "2:3: error: estimate is too large to be counted: '2e12'\n", "");
    refuse("job_id,estimate\na,1\nb,2\na,3\n", "4:1: error: job 'a' has an estimate already\n",
           "leave one of them out");
    refuse("job_id,estimate\n,1\n", "2:1: error: job_id is empty\n", "");
    refuse("estimate,job_id\n1\n", "2:2: error: 1 fields where the header has 2\n", "");
    refuse("job_id,estimate\na\n", "2:2: error: 1 fields where the header has 2\n", "");
    refuse("job_id,estimate\na,1,2\n", "2:6: error: 3 fields where the header has 2\n", "");
    refuse("job_id,estimate\na,\"1\n", "2:", "");
}

static void test_a_missing_file_is_refused(void **state)
{
    (void)state;
    const struct hs_estimator how = {.from = HS_ESTIMATE_FILE, .file = "/nowhere/e.csv"};
    sink_init(&sink);
    assert_int_equal(hs_estimator_open(&file, &how, 1, &sink.diag), HS_E_IO);
    assert_non_null(strstr(sink.text, "/nowhere/e.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_reads_seconds_by_id, tear_down),
        cmocka_unit_test_teardown(test_columns_in_any_order_and_by_any_of_their_names, tear_down),
        cmocka_unit_test_teardown(test_refuses_what_is_wrong_at_its_place, tear_down),
        cmocka_unit_test_teardown(test_a_missing_file_is_refused, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
