/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows are read many at a time, without visible effect: counts, reports and failures come with the
 * job that needs the row. With a window of two rows, job k needs rows up to k + 1.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/sink.h"
#include "traces/format.h"
#include "traces/trace_stream.h"

#define ROWS 200 /* somewhat more than are read at once */
#define BAD  100 /* the bad row, from 1, if there is one */
#define CPU  150 /* this row has no GPU and is dropped */

static struct sink sink;

static struct hs_trace *opened(struct hs_trace_options *options, bool has_bad)
{
    static char text[ROWS * 32];
    struct hs_trace *trace;
    size_t used = (size_t)snprintf(text, sizeof text, "job_id,submit_time,gpus,duration\n");
    for (int row = 1; row <= ROWS; row++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%s,5\n", row, row,
                                 row == CPU              ? "0"
                                 : row == BAD && has_bad ? "x"
                                                         : "1");
    options->path = scratch_write("t.csv", text, used);
    options->sort_window = 2;
    sink_init(&sink);
    assert_int_equal(hs_trace_open(&trace, options, &sink.diag), HS_OK);
    return trace;
}

static void expect_job(struct hs_trace *trace, int row, uint64_t rows, uint64_t dropped)
{
    struct hs_trace_job *job;
    struct hs_trace_counts counts;
    char id[16];
    (void)snprintf(id, sizeof id, "%d", row);
    assert_int_equal(hs_trace_next(trace, &job), HS_OK);
    assert_string_equal(job->id, id);
    hs_trace_get_counts(trace, &counts);
    assert_int_equal(counts.rows, rows);
    assert_int_equal(counts.drops[HS_DROP_CPU_JOB], dropped);
}

/* Before job CPU - 1 is returned two more rows are read: the dropped one, and one held back. */
static void test_counts_are_those_of_the_job(void **state)
{
    struct hs_trace_options options;
    struct hs_trace_job *job;
    (void)state;
    hs_trace_options_default(&options);
    struct hs_trace *trace = opened(&options, false);
    for (int row = 1; row < CPU - 1; row++)
        expect_job(trace, row, (uint64_t)row + 1, 0);
    expect_job(trace, CPU - 1, CPU + 1, 1);
    for (int row = CPU + 1; row < ROWS; row++)
        expect_job(trace, row, (uint64_t)row + 1, 1);
    expect_job(trace, ROWS, ROWS, 1);
    assert_int_equal(hs_trace_next(trace, &job), HS_END);
    hs_trace_close(trace);
}

static void test_failure_waits_for_its_job(void **state)
{
    struct hs_trace_options options;
    struct hs_trace_job *job;
    (void)state;
    hs_trace_options_default(&options);
    struct hs_trace *trace = opened(&options, true);
    for (int row = 1; row < BAD - 1; row++)
        expect_job(trace, row, (uint64_t)row + 1, 0);
    assert_int_equal(sink.diag.errors, 0);
    assert_int_equal(hs_trace_next(trace, &job), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
    assert_non_null(strstr(sink.text, "t.csv:101:")); /* row BAD, after the header */
    assert_int_equal(hs_trace_next(trace, &job), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
    hs_trace_close(trace);
}

static void test_tolerated_row_is_reported_with_its_job(void **state)
{
    struct hs_trace_options options;
    struct hs_trace_counts counts;
    (void)state;
    hs_trace_options_default(&options);
    options.skip_bad_permille = 100;
    struct hs_trace *trace = opened(&options, true);
    for (int row = 1; row < BAD - 1; row++)
        expect_job(trace, row, (uint64_t)row + 1, 0);
    assert_int_equal(sink.diag.warnings, 0);
    hs_trace_get_counts(trace, &counts);
    assert_int_equal(counts.bad, 0);
    expect_job(trace, BAD - 1, BAD + 1, 0);
    assert_int_equal(sink.diag.warnings, 1);
    hs_trace_get_counts(trace, &counts);
    assert_int_equal(counts.bad, 1);
    expect_job(trace, BAD + 1, BAD + 2, 0);
    assert_int_equal(sink.diag.warnings, 1);
    hs_trace_close(trace);
}

/* A caller that stops earlier gets no report of the bad row. */
static void test_limit_before_the_failure(void **state)
{
    struct hs_trace_options options;
    struct hs_trace_job *job;
    struct hs_trace_counts counts;
    (void)state;
    hs_trace_options_default(&options);
    options.max_jobs = BAD - 2;
    struct hs_trace *trace = opened(&options, true);
    for (int row = 1; row < BAD - 1; row++)
        expect_job(trace, row, (uint64_t)row + 1, 0);
    assert_int_equal(hs_trace_next(trace, &job), HS_END);
    hs_trace_get_counts(trace, &counts);
    assert_int_equal(counts.rows, BAD - 1);
    assert_int_equal(sink.diag.errors, 0);
    hs_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_those_of_the_job),
        cmocka_unit_test(test_failure_waits_for_its_job),
        cmocka_unit_test(test_tolerated_row_is_reported_with_its_job),
        cmocka_unit_test(test_limit_before_the_failure),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
