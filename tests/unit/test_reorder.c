/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reorder window alone, and in the iterator: order, stability, bounds, the message about a row
 * that comes too late. The reference is a stable sort by insertion.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/traced.h"
#include "base/rng.h"
#include "traces/trace_stream.c"

#include "support/data.h"

#define ROWS 1000

static struct traced t;

static void take(struct reorder *r, struct hs_trace_job row)
{
    struct hs_trace_job *job = reorder_room(r);
    assert_non_null(job);
    *job = row;
    reorder_push(r);
}

static void push(struct reorder *r, int64_t submit_us, int64_t line)
{
    char id[32], user[32];
    snprintf(id, sizeof id, "job %d", (int)line);
    snprintf(user, sizeof user, "user %d", (int)line % 7);
    take(r,
         (struct hs_trace_job){
             .id = id, .user = line % 3 == 0 ? NULL : user, .submit_us = submit_us, .line = line});
}

static void expect_row(struct reorder *r, int64_t submit_us, int64_t line)
{
    char id[32], user[32];
    snprintf(id, sizeof id, "job %d", (int)line);
    snprintf(user, sizeof user, "user %d", (int)line % 7);
    const struct hs_trace_job *job = reorder_pop(r);
    assert_non_null(job);
    assert_int_equal(job->submit_us, submit_us);
    assert_int_equal(job->line, line);
    assert_string_equal(job->id, id);
    if (line % 3 == 0)
        assert_null(job->user);
    else
        assert_string_equal(job->user, user);
}

static void test_empty(void **state)
{
    struct reorder r;
    (void)state;
    memset(&r, 0, sizeof r);
    assert_null(reorder_pop(&r));
    reorder_free(&r);
}

/* The strings of a record are borrowed from the reader: each must be copied. */
static void test_every_text_is_copied(void **state)
{
    char texts[8][4] = {"id", "us", "vc", "gt", "mo", "da", "ba", "pr"};
    const struct hs_trace_job row = {.id = texts[0],
                                     .user = texts[1],
                                     .vc = texts[2],
                                     .gpu_type = texts[3],
                                     .model = texts[4],
                                     .dataset = texts[5],
                                     .batch = texts[6],
                                     .precision = texts[7]};
    struct reorder r;
    (void)state;
    memset(&r, 0, sizeof r);
    take(&r, row);
    memset(texts, 'x', sizeof texts);
    const struct hs_trace_job *job = reorder_pop(&r);
    assert_non_null(job);
    assert_string_equal(job->id, "id");
    assert_string_equal(job->user, "us");
    assert_string_equal(job->vc, "vc");
    assert_string_equal(job->gpu_type, "gt");
    assert_string_equal(job->model, "mo");
    assert_string_equal(job->dataset, "da");
    assert_string_equal(job->batch, "ba");
    assert_string_equal(job->precision, "pr");
    reorder_free(&r);
}

/* Rows of one time keep their order, early or late. */
static void test_stable(void **state)
{
    struct reorder r;
    (void)state;
    memset(&r, 0, sizeof r);
    push(&r, 20, 1);
    push(&r, 10, 2); /* late */
    push(&r, 20, 3);
    push(&r, 10, 4); /* late */
    push(&r, 20, 5);
    expect_row(&r, 10, 2);
    expect_row(&r, 10, 4);
    expect_row(&r, 20, 1);
    expect_row(&r, 20, 3);
    expect_row(&r, 20, 5);
    assert_int_equal(r.count, 0);
    assert_int_equal(r.reordered, 2); /* 1 and 3 were popped after 4, which was pushed later */
    reorder_free(&r);
}

/* Any input compared with insertion sort; few distinct times, so that ties are frequent. */
static void test_random_rows_against_a_sort(void **state)
{
    static int64_t times[ROWS], sorted[ROWS];
    static int lines[ROWS];
    struct reorder r;
    (void)state;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < ROWS; i++) {
        times[i] = (int64_t)(hs_mix64(1, (uint64_t)i) % 50);
        int at = i;
        for (; at > 0 && sorted[at - 1] > times[i]; at--) {
            sorted[at] = sorted[at - 1];
            lines[at] = lines[at - 1];
        }
        sorted[at] = times[i];
        lines[at] = i;
        push(&r, times[i], i);
    }
    for (int i = 0; i < ROWS; i++)
        expect_row(&r, sorted[i], lines[i]);
    reorder_free(&r);
}

/* A window that slides over sorted rows allocates as many slots as it holds, and one more for the
 * row returned. */
static void test_sliding_window_recycles(void **state)
{
    struct reorder r;
    (void)state;
    memset(&r, 0, sizeof r);
    int popped = 0;
    for (int i = 0; i < 10 * ROWS; i++) {
        push(&r, i / 3, i);
        if (r.count == 100) {
            expect_row(&r, popped / 3, popped);
            popped++;
        }
    }
    assert_true(r.slot_count <= 101);
    assert_int_equal(r.reordered, 0);
    reorder_free(&r);
}

/* One row far in the future stays at the end of the circular buffer; all others pass it through the
 * heap. */
static void test_outlier(void **state)
{
    struct reorder r;
    (void)state;
    memset(&r, 0, sizeof r);
    push(&r, 1000000, 0);
    for (int i = 1; i < ROWS; i++) {
        push(&r, i, i);
        if (r.count == 10)
            expect_row(&r, i - 8, i - 8); /* the outlier is one of the ten */
    }
    for (int i = ROWS - 8; i < ROWS; i++)
        expect_row(&r, i, i);
    expect_row(&r, 1000000, 0);
    assert_int_equal(r.reordered, 1);
    reorder_free(&r);
}

static void test_long_texts(void **state)
{
    struct reorder r;
    static char text[100000];
    struct hs_trace_job job = {.id = text, .vc = "v"};
    (void)state;
    memset(text, 'x', sizeof text - 1);
    memset(&r, 0, sizeof r);
    take(&r, job);
    const struct hs_trace_job *out = reorder_pop(&r);
    assert_non_null(out);
    assert_string_equal(out->id, text);
    assert_string_equal(out->vc, "v");
    reorder_free(&r);
}

/* ---- in the iterator ---- */

#define HEAD "job_id,submit_time,gpus,duration\n"

static const char late_by_two[] = HEAD "a,10,1,1\nb,20,1,1\nc,30,1,1\nd,15,1,1\n";

static void test_window_that_is_wide_enough(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.sort_window = 3; /* a, b, c are held when a is returned; d finds b and c */
    traced_text(&t, "t.csv", late_by_two);
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.jobs[1].id, "d");
    assert_string_equal(t.jobs[2].id, "b");
    assert_int_equal(t.counts.reordered,
                     2); /* b and c are returned after d, which came after them */
}

static void test_window_that_is_too_small(void **state)
{
    static const uint64_t windows[] = {0, 1, 2};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        traced_options(&t);
        t.options.sort_window = windows[i];
        traced_text(&t, "t.csv", late_by_two);
        assert_int_equal(t.status, HS_E_INPUT);
        assert_non_null(strstr(t.sink.text, "t.csv:5:3: error: job 'd' was submitted"));
        assert_non_null(strstr(t.sink.text, "--sort=all"));
    }
    /* window 2: a and b had been returned, b at 20 s, when d came at 15 s */
    assert_non_null(strstr(t.sink.text, "5 s before the job of line 3"));
}

static void test_whole_trace_backwards(void **state)
{
    static char text[65536];
    size_t used = (size_t)snprintf(text, sizeof text, HEAD);
    (void)state;
    for (int i = 0; i < TRACED_JOBS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,1,1\n", i, 1000 - i);
    traced_options(&t);
    t.options.sort_window = HS_SORT_ALL;
    traced_text(&t, "t.csv", text);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, TRACED_JOBS);
    for (int i = 0; i < TRACED_JOBS; i++)
        assert_int_equal(t.jobs[i].submit_us, (int64_t)(1001 - TRACED_JOBS + i) * 1000000);
}

static void test_real_chronus_needs_sort_all(void **state)
{
    (void)state;
    const char *path = data_find("traces", "trace_job_Philly_MIX1.csv");
    if (path == NULL)
        skip();
    traced_options(&t);
    traced_file(&t, path);
    assert_int_equal(t.status, HS_E_INPUT); /* 8,192 rows are not enough for this file */
    t.options.sort_window = HS_SORT_ALL;
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    /* tail -n +2 | awk -F, '$3>0' | sort -t, -s -n -k4,4 | head -1 | cut -d, -f1,4 */
    assert_string_equal(t.jobs[0].id, "5620");
    assert_int_equal(t.count, 30756);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_every_text_is_copied),
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_random_rows_against_a_sort),
        cmocka_unit_test(test_sliding_window_recycles),
        cmocka_unit_test(test_outlier),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_window_that_is_wide_enough),
        cmocka_unit_test(test_window_that_is_too_small),
        cmocka_unit_test(test_whole_trace_backwards),
        cmocka_unit_test(test_real_chronus_needs_sort_all),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
