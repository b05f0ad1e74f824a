/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which jobs of a trace are replayed and how fast, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/traced.h"
#include "traces/trace_stream.h"

#define SECOND INT64_C(1000000)
#define DAY    (86400 * SECOND)

static struct traced t;

static const char head[] = "job_id,submit_time,gpus,duration,deadline,attempts,step,preempt_cost,"
                           "gpu_mem_mib,gpu_mem_later_mib,gpu_mem_later_after\n";

static void read_rows(const char *rows)
{
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s", head, rows);
    traced_text(&t, "rows.csv", text);
}

/* Options count from the submission: 12 and 20 s after it become 1.2 and 2 s, values do not
 * change. */
static void test_options_scale(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.scale_time = 0.1;
    traced_text(&t, "options.csv",
                "job_id,submit_time,gpus,duration,deadline_options\n"
                "a,100,1,10,\nb,110,1,10,12:10/20:2.5\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.jobs[0].option_count, 0);
    assert_int_equal(t.jobs[1].option_count, 2);
    assert_true(t.jobs[1].deadline_us == 102200000); /* at 101 s, and 1.2 s */
    assert_true(t.jobs[1].options[0].after_us == 1200000);
    assert_true(t.jobs[1].options[1].after_us == 2 * SECOND);
    assert_int_equal(t.jobs[1].options[0].value_milli, 10000);
    assert_int_equal(t.jobs[1].options[1].value_milli, 2500);
}

/* A tenth of the time: offsets 0, 10, 25 s become 0, 1, 2.5 s after the first at 100 s. A deadline
 * 40 s after its job is 4 s after it, one 5 s before it half a second before. Attempts of 10, 0 and
 * 5.000005 s: sums of 10, 10, 15.000005 become 1, 1, 1.5 (rounded down), so 1, 0, 0.5. One
 * microsecond remains one. A step and a cost of preemption do not change. */
static void test_scale(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.scale_time = 0.1;
    t.options.keeps_attempts = true;
    read_rows("a,100,1,3600,,,1.5,7,100,200,60\n"
              "b,110,1,15.000005,150,10/0/5.000005,,,,,\n"
              "c,125,1,0.000001,120,,,,,,\n"
              "d,125,1,0,,,,,,,\n");
    assert_int_equal(t.status, HS_END);
    const int64_t submit_us[] = {100 * SECOND, 101 * SECOND, 102500000, 102500000};
    const int64_t duration_us[] = {360 * SECOND, 1500000, 1, 0};
    const int64_t deadline_us[] = {-1, 105 * SECOND, 102 * SECOND, -1};
    for (int i = 0; i < 4; i++) {
        assert_true(t.jobs[i].submit_us == submit_us[i]);
        assert_true(t.jobs[i].duration_us == duration_us[i]);
        assert_true(t.jobs[i].deadline_us == deadline_us[i]);
    }
    assert_true(t.jobs[0].step_us == 1500000);
    assert_true(t.jobs[0].preempt_cost_us == 7 * SECOND);
    assert_true(t.jobs[0].later_us == 6 * SECOND);
    assert_int_equal(t.jobs[1].attempts, 3);
    assert_true(t.jobs[1].attempts_us[0] == SECOND);
    assert_true(t.jobs[1].attempts_us[1] == 0);
    assert_true(t.jobs[1].attempts_us[2] == 500000);
}

/* Gaps: times 3, by 2; durations times 3. */
static void test_scale_and_load(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.scale_time = 3;
    t.options.load = 2;
    read_rows("a,100,1,10,,,,,,,\nb,101,1,10,105,,,,,,\n");
    assert_true(t.jobs[1].submit_us == 101500000);
    assert_true(t.jobs[1].duration_us == 30 * SECOND);
    assert_true(t.jobs[1].deadline_us == 113500000); /* 4 s times 3 after the submission */
}

static void test_beyond_all_time(void **state)
{
    (void)state;
    traced_options(&t);
    t.options.scale_time = 1e6;
    read_rows("a,0,1,1000,,,,,,,\nb,1,1,9000000000,,,,,,,\n");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_int_equal(t.count, 1);
    assert_non_null(strstr(t.sink.text, "job 'b' moves beyond 285 years"));

    traced_options(&t);
    t.options.load = 1e-6;
    read_rows("a,0,1,1,,,,,,,\nb,9000000000,1,1,,,,,,,\n");
    assert_int_equal(t.status, HS_E_INPUT);
}

static void expect_window(const char *text, int64_t from_us, bool is_from_date, int64_t to_us,
                          bool is_to_date)
{
    struct hs_trace_window window;
    struct sink sink;
    sink_init(&sink);
    assert_int_equal(hs_trace_window_parse(text, &window, &sink.diag), HS_OK);
    assert_true(window.from_us == from_us);
    assert_true(window.to_us == to_us);
    assert_int_equal(window.is_from_date, is_from_date);
    assert_int_equal(window.is_to_date, is_to_date);
}

/* 2017-10-01 is day 17,440 of 1970-01-01, by `date -u -d 2017-10-01 +%s` / 86400. */
static void test_windows(void **state)
{
    static const char *const wrong[] = {
        "",      "10d",        "20d..10d",   "1d..1d",       "x..1d",   "1d..x",
        "-1d..", "2017-10-01", "2017-1-1..", "2017-10-32..", "1d...2d", "2017-10-02..2017-10-01"};
    const int64_t october = 17440 * DAY;
    (void)state;
    expect_window("10d..20d", 10 * DAY, false, 20 * DAY, false);
    expect_window("..", 0, false, INT64_MAX, false);
    expect_window("90..", 90 * SECOND, false, INT64_MAX, false);
    expect_window("..1.5h", 0, false, 5400 * SECOND, false);
    expect_window("2017-10-01..2017-10-02", october, true, october + DAY, true);
    expect_window("2017-10-01 06:00:00..", october + DAY / 4, true, INT64_MAX, false);
    expect_window("2017-10-01T06:00:00..7d", october + DAY / 4, true, 7 * DAY, false);
    expect_window("1d..2017-10-02", DAY, false, october + DAY, true);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct hs_trace_window window;
        struct sink sink;
        sink_init(&sink);
        if (hs_trace_window_parse(wrong[i], &window, &sink.diag) != HS_E_USAGE)
            fail_msg("'%s' is taken", wrong[i]);
    }
}

/* Half open, by dates; gaps are scaled from the first row, not from the first kept one. */
static void test_window_of_dates(void **state)
{
    struct sink sink;
    (void)state;
    sink_init(&sink);
    traced_options(&t);
    assert_int_equal(hs_trace_window_parse("2017-10-01..2017-10-02", &t.options.window, &sink.diag),
                     HS_OK);
    t.options.load = 2;
    read_rows("a,2017-09-30 00:00:00,1,1,,,,,,,\nb,2017-10-01 00:00:00,1,1,,,,,,,\n"
              "c,2017-10-01 23:59:59,1,1,,,,,,,\nd,2017-10-02 00:00:00,1,1,,,,,,,\n");
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 2);
    assert_string_equal(t.jobs[0].id, "b");
    assert_string_equal(t.jobs[1].id, "c");
    assert_true(t.jobs[0].submit_us == 17439 * DAY + DAY / 2);
    assert_int_equal(t.drops[HS_DROP_WINDOW], 1);
}

static void test_window_without_jobs(void **state)
{
    struct sink sink;
    (void)state;
    sink_init(&sink);
    traced_options(&t);
    assert_int_equal(hs_trace_window_parse("2016-01-01..2016-02-01", &t.options.window, &sink.diag),
                     HS_OK);
    read_rows("a,2017-09-30 00:00:00,1,1,,,,,,,\n");
    assert_int_equal(t.status, HS_E_INPUT);
    assert_non_null(strstr(t.sink.text, "the first submission is at 2017-09-30 00:00:00"));
}

static void write_many(const char *name, unsigned from, unsigned count)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    (void)fputs("job_id,submit_time,gpus,duration\n", file);
    for (unsigned i = from; i < from + count; i++)
        (void)fprintf(file, "job%u,%u,1,1\n", i, i);
    assert_int_equal(fclose(file), 0);
}

static void read_sample(struct traced *to, const char *name, double share, uint64_t seed)
{
    traced_options(to);
    to->options.sample = share;
    to->options.seed = seed;
    traced_file(to, scratch_path(name));
    assert_int_equal(to->status, HS_END);
}

/* Of 10,000 jobs a quarter: 2,500, give or take 4 standard deviations of sqrt(10,000 * 3 / 16) =
 * 43.3. Every job is in one count. */
static void test_sample_is_of_its_size(void **state)
{
    (void)state;
    write_many("many.csv", 0, 10000);
    read_sample(&t, "many.csv", 0.25, 1);
    assert_true(t.count > 2500 - 174 && t.count < 2500 + 174);
    assert_int_equal(t.count + t.drops[HS_DROP_SAMPLE], 10000);
    read_sample(&t, "many.csv", 1, 1);
    assert_int_equal(t.count, 10000);
}

/* The choice depends on ids and seed only, not on the rest of the trace or other options. */
static void test_sample_depends_on_id_and_seed(void **state)
{
    static struct traced first, half;
    uint64_t same = 0;
    (void)state;
    write_many("few.csv", 100, 200); /* of which about 100 are kept */
    read_sample(&first, "few.csv", 0.5, 7);
    write_many("later.csv", 150, 150); /* without the first 50 */
    read_sample(&t, "later.csv", 0.5, 7);
    size_t skipped = 0;
    while (strcmp(first.jobs[skipped].id, t.jobs[0].id) != 0)
        skipped++;
    for (size_t i = 0; i + skipped < first.count; i++)
        assert_string_equal(t.jobs[i].id, first.jobs[i + skipped].id);
    write_many("short.csv", 100, 120);
    read_sample(&half, "short.csv", 0.5, 7);
    read_sample(&t, "short.csv", 0.8, 7); /* a larger sample contains the smaller */
    size_t at = 0;
    for (size_t i = 0; i < half.count; i++, at++)
        while (strcmp(t.jobs[at].id, half.jobs[i].id) != 0)
            assert_true(++at < t.count);
    read_sample(&t, "few.csv", 0.5, 8);
    for (size_t i = 0; i < t.count; i++)
        for (size_t k = 0; k < first.count; k++)
            same += strcmp(t.jobs[i].id, first.jobs[k].id) == 0;
    assert_true(same < first.count); /* another seed, other jobs */
}

static void test_values_out_of_range(void **state)
{
    static const double wrong[] = {0, -1, 2e6, 1e-7};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        traced_options(&t);
        t.options.scale_time = wrong[i];
        read_rows("a,0,1,1,,,,,,,\n");
        assert_int_equal(t.status, HS_E_USAGE);
    }
    traced_options(&t);
    t.options.sample = 1.5;
    read_rows("a,0,1,1,,,,,,,\n");
    assert_int_equal(t.status, HS_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_scale),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_scale_and_load),
        cmocka_unit_test(test_beyond_all_time),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_window_of_dates),
        cmocka_unit_test(test_window_without_jobs),
        cmocka_unit_test(test_sample_is_of_its_size),
        cmocka_unit_test(test_sample_depends_on_id_and_seed),
        cmocka_unit_test(test_values_out_of_range),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
