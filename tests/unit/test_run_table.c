/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal table, written out as displayed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/run/run_table.h"
#include "support/sink.h"

static struct hs_summary fifo, srtf;

static void set(struct hs_summary *s, const char *name, double value)
{
    s->metrics[s->count++] = (struct hs_metric){.name = name, .unit = "", .value = value};
}

static int fill(void **state)
{
    set(&fifo, "mean_jct", 2000);
    set(&fifo, "mean_wait", 500);
    set(&fifo, "makespan", 864000); /* 10 days */
    set(&fifo, "gpu_allocation", 0.5);
    snprintf(fifo.sparkline, sizeof fifo.sparkline, "0f8");
    set(&srtf, "mean_jct", 1500);
    set(&srtf, "mean_wait", 125);
    set(&srtf, "makespan", 864000);
    set(&srtf, "gpu_allocation", 0.525);
    snprintf(srtf.sparkline, sizeof srtf.sparkline,
             "0011223344556677889900112233445566778899001122"
             "3344556677889900");
    return scratch_open(state);
}

static void print(const struct hs_run_table *table, const char *expected)
{
    struct sink sink;
    struct hs_output out;
    char *text;
    size_t length;
    const char *path = scratch_path("table.txt");
    sink_init(&sink);
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    hs_table_print(&out, table);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    assert_int_equal(hs_read_file(path, 1 << 16, &text, &length, &sink.diag), HS_OK);
    assert_string_equal(text, expected);
    hs_free(text);
}

static void expect(const struct hs_table_row *rows, uint32_t count, uint32_t columns, bool use_utf8,
                   bool use_color, const char *expected)
{
    print(&(struct hs_run_table){.rows = rows,
                                 .row_count = count,
                                 .columns = columns,
                                 .use_utf8 = use_utf8,
                                 .use_color = use_color},
          expected);
}

/* Levels 0, 15, 8 of 15 are steps 0, 8 and 5 of 8: 64 / 15 rounded up. */
static void one_row_has_no_marks(void **state)
{
    (void)state;
    const struct hs_table_row row = {"fifo", &fifo, NULL, NULL, NULL};
    expect(&row, 1, 80, false, false,
           "policy  mean JCT  mean wait  makespan  GPU alloc  GPU allocation over time\n"
           "fifo      0.56 h    500.0 s   10.00 d     50.0 %   #+\n");
}

/* The ratios are given, not calculated from the values: if a run lacks a value there is none. The
 * best makespan is that of both: no mark. */
static void rows_are_compared_with_the_first(void **state)
{
    (void)state;
    const struct hs_replicated ratios[] = {{0.75, 0.7, 0.8, 3},
                                           {0.25, 0.25, 0.25, 3},
                                           {1, (double)NAN, (double)NAN, 1},
                                           {(double)NAN, (double)NAN, (double)NAN, 0}};
    const struct hs_replicated means[] = {{2000, 1800, 2200, 3},
                                          {500, 500, 500, 3},
                                          {1, (double)NAN, (double)NAN, 1},
                                          {1, (double)NAN, (double)NAN, 1}};
    const struct hs_table_row rows[] = {{"fifo", &fifo, NULL, means, NULL},
                                        {"srtf", &srtf, ratios, means, NULL}};
    expect(rows, 2, 80, false, false,
           "policy            mean JCT    mean wait    makespan  GPU alloc\n"
           "fifo                0.56 h      500.0 s     10.00 d     50.0 %\n"
           "                   +-10.0%\n"
           "srtf                0.42 h *    125.0 s *   10.00 d     52.5 % *\n"
           "        0.750x 0.700-0.800       0.250x       1.00x\n");
}

/* 27 columns hold policy (6) and mean JCT (2 + 8 + 2), but not even the makespan (2 + 8). */
static void narrow_terminals_lose_columns(void **state)
{
    (void)state;
    const struct hs_table_row rows[] = {{"fifo", &fifo, NULL, NULL, NULL},
                                        {"srtf", &srtf, NULL, NULL, NULL}};
    const char *narrow = "policy  mean JCT\n"
                         "fifo      0.56 h\n"
                         "srtf      0.42 h *\n";
    expect(rows, 2, 27, true, false, narrow);
    expect(rows, 2, 1, true, false, narrow);
}

/* A requested column is shown, however wide, also under its own name. */
static void asked_for_columns_are_shown(void **state)
{
    (void)state;
    static const char *const metrics[] = {"gpu_allocation", "n_jobs", "mean_jct", NULL};
    static struct hs_summary counted;
    set(&counted, "n_jobs", 2000);
    set(&counted, "mean_jct", 3.5);
    const struct hs_table_row row = {"fifo", &counted, NULL, NULL, NULL};
    print(
        &(struct hs_run_table){.rows = &row, .row_count = 1, .metrics = metrics, .shows_all = true},
        "policy  GPU alloc  n_jobs  mean JCT\n"
        "fifo            -    2000     3.5 s\n");
}

static void best_is_bold_in_color(void **state)
{
    (void)state;
    const struct hs_table_row rows[] = {{"fifo", &fifo, NULL, NULL, NULL},
                                        {"srtf", &srtf, NULL, NULL, NULL}};
    expect(rows, 2, 20, true, true,
           "policy  mean JCT\n"
           "fifo      0.56 h\n"
           "srtf      \033[1m0.42 h *\033[0m\n");
}

/* A label of more than 28 characters. */
static void long_labels_have_a_line(void **state)
{
    (void)state;
    const struct hs_table_row rows[] = {
        {"fifo", &fifo, NULL, NULL, NULL},
        {"srtf:preempt_cost=table,form=evict", &srtf, NULL, NULL, NULL}};
    expect(rows, 2, 20, false, false,
           "policy  mean JCT\n"
           "fifo      0.56 h\n"
           "srtf:preempt_cost=table,form=evict\n"
           "          0.42 h *\n");
}

static void sparklines_use_blocks(void **state)
{
    (void)state;
    const struct hs_table_row row = {"a-long-name", &fifo, NULL, NULL, NULL};
    expect(&row, 1, 80, true, false,
           "policy       mean JCT  mean wait  makespan  GPU alloc  GPU allocation over time\n"
           "a-long-name    0.56 h    500.0 s   10.00 d     50.0 %   █▅\n");
}

static void absent_values_are_dashes(void **state)
{
    (void)state;
    static struct hs_summary empty;
    const struct hs_table_row rows[] = {{"fifo", &fifo, NULL, NULL, NULL},
                                        {"none", &empty, NULL, NULL, NULL}};
    expect(rows, 2, 40, false, false,
           "policy  mean JCT  mean wait  makespan\n"
           "fifo      0.56 h    500.0 s   10.00 d\n"
           "none           -          -         -\n");
}

/* Run slowdowns are shown if jobs have shared GPUs in at least one run. */
static void sharing_has_columns_of_its_own(void **state)
{
    (void)state;
    static struct hs_summary alone, shared;
    set(&alone, "mean_jct", 2000);
    set(&alone, "mean_run_slowdown", 1);
    set(&alone, "p99_run_slowdown", 1);
    set(&alone, "colocated_share", 0);
    set(&alone, "p99_jct", 9000);
    shared = alone;
    shared.metrics[1].value = 1.254;
    shared.metrics[2].value = 2.5;
    shared.metrics[3].value = 0.01;
    const struct hs_table_row rows[] = {{"fifo", &alone, NULL, NULL, NULL},
                                        {"pack", &shared, NULL, NULL, NULL}};
    expect(&rows[0], 1, 50, false, false,
           "policy  mean JCT  p99 JCT\n"
           "fifo      0.56 h   2.50 h\n");
    expect(&rows[1], 1, 60, false, false,
           "policy  mean JCT  run slowdown  p99 run slowdown  p99 JCT\n"
           "pack      0.56 h          1.25              2.50   2.50 h\n");
    expect(rows, 2, 61, false, false,
           "policy  mean JCT  run slowdown    p99 run slowdown    p99 JCT\n"
           "fifo      0.56 h          1.00 *              1.00 *   2.50 h\n"
           "pack      0.56 h          1.25                2.50     2.50 h\n");
}

/* Kills for memory come before the columns that a narrow terminal loses; a column of zeros is left
 * out. */
static void kills_have_a_column_where_there_are_some(void **state)
{
    (void)state;
    static struct hs_summary none, some;
    set(&none, "mean_jct", 2000);
    set(&none, "p99_jct", 9000);
    set(&none, "ooms", 0);
    some = none;
    some.metrics[2].value = 7;
    const struct hs_table_row rows[] = {{"fifo", &none, NULL, NULL, NULL},
                                        {"pack", &some, NULL, NULL, NULL}};
    expect(&rows[0], 1, 50, false, false,
           "policy  mean JCT  p99 JCT\n"
           "fifo      0.56 h   2.50 h\n");
    expect(&rows[1], 1, 22, false, false,
           "policy  mean JCT  OOMs\n"
           "pack      0.56 h     7\n");
    expect(rows, 2, 50, false, false,
           "policy  mean JCT  OOMs    p99 JCT\n"
           "fifo      0.56 h     0 *   2.50 h\n"
           "pack      0.56 h     7     2.50 h\n");
}

/* If no job waits again after its first start, the queueing delay is the wait. */
static void queueing_has_a_column_where_jobs_were_resumed(void **state)
{
    (void)state;
    static struct hs_summary once, again;
    set(&once, "mean_jct", 2000);
    set(&once, "mean_wait", 500);
    set(&once, "mean_queueing_delay", 500);
    again = once;
    again.metrics[2].value = 750;
    const struct hs_table_row rows[] = {{"sjf", &once, NULL, NULL, NULL},
                                        {"srtf", &again, NULL, NULL, NULL}};
    expect(&rows[0], 1, 50, false, false,
           "policy  mean JCT  mean wait\n"
           "sjf       0.56 h    500.0 s\n");
    expect(rows, 2, 50, false, false,
           "policy  mean JCT  mean wait  queueing\n"
           "sjf       0.56 h    500.0 s   500.0 s *\n"
           "srtf      0.56 h    500.0 s   750.0 s\n");
}

/* Columns of actions that only some policies take appear if one of them did: fifo neither lets jobs
 * wait for a turn after their start nor switches, migrates or tries anything. */
static void turns_have_columns_where_jobs_took_them(void **state)
{
    (void)state;
    static struct hs_summary once, turns;
    set(&once, "mean_jct", 2000);
    set(&once, "mean_wait", 500);
    set(&once, "mean_time_to_progress", 500);
    set(&once, "switches", 0);
    set(&once, "migrations", 0);
    set(&once, "trials_kept", 0);
    set(&once, "trials_undone", 0);
    turns = once;
    turns.metrics[2].value = 502;
    turns.metrics[3].value = 12345;
    turns.metrics[5].value = 17;
    turns.metrics[6].value = 4;
    const struct hs_table_row rows[] = {{"fifo", &once, NULL, NULL, NULL},
                                        {"gandiva", &turns, NULL, NULL, NULL}};
    expect(&rows[0], 1, 80, false, false,
           "policy  mean JCT  mean wait\n"
           "fifo      0.56 h    500.0 s\n");
    expect(&rows[1], 1, 80, false, false,
           "policy   mean JCT  mean wait  to progress  switches  trials kept  undone\n"
           "gandiva    0.56 h    500.0 s      502.0 s     12345           17       4\n");
    expect(rows, 2, 80, false, false,
           "policy   mean JCT  mean wait  to progress    switches  trials kept  undone\n"
           "fifo       0.56 h    500.0 s      500.0 s *         0            0       0\n"
           "gandiva    0.56 h    500.0 s      502.0 s       12345           17       4\n");
}

/* ---- columns ---- */

#define NONE ((double)NAN)

static void expect_text(const char *metric, double value, const char *expected)
{
    char text[HS_COLUMN_TEXT_SIZE];
    const struct hs_runcolumn column = hs_runcolumn_of(metric);
    hs_runcolumn_text(&column, value, text);
    assert_string_equal(text, expected);
}

static void figures_by_kind(void **state)
{
    (void)state;
    expect_text("p95_wait", 46142.17, "12.82 h"); /* 46142.17 / 3600 = 12.817 */
    expect_text("makespan_bound_longest", 2, "2.0 s");
    expect_text("gpu_utilization_sum_loaded", 0.3449, "34.5 %");
    expect_text("makespan_bound_share", 1, "100.0 %");
    expect_text("p50_run_slowdown", 1.256, "1.26");
    expect_text("max_slowdown", 12345678, "1.23e+07");
    expect_text("ooms", 12345678, "12345678");
    expect_text("ooms", 2.0 / 3, "0.6667");
    expect_text("mean_jct", NONE, "-");
    expect_text("p50_time_to_progress", 0.5, "0.5 s");
}

static void which_way_is_better(void **state)
{
    (void)state;
    assert_int_equal(hs_runcolumn_of("mean_bounded_slowdown").best, HS_BEST_LEAST);
    assert_int_equal(hs_runcolumn_of("fairness_jain").best, HS_BEST_MOST);
    assert_int_equal(hs_runcolumn_of("mean_jct_bound_share").best, HS_BEST_MOST);
    assert_int_equal(hs_runcolumn_of("mean_jct_bound").best, HS_BEST_NONE);
    assert_int_equal(hs_runcolumn_of("n_jobs").best, HS_BEST_NONE);
    assert_int_equal(hs_runcolumn_of("p95_time_to_progress").best, HS_BEST_LEAST);
    assert_int_equal(hs_runcolumn_of("switches").best, HS_BEST_NONE);
    assert_true(hs_runcolumn_of("max_run_slowdown").shown == HS_SHOWN_OF_SHARING);
    assert_int_equal(hs_runcolumn_of("max_slowdown").shown, HS_SHOWN_ALWAYS);
    assert_string_equal(hs_runcolumn_of("p99_jct").title, "p99 JCT");
    assert_string_equal(hs_runcolumn_of("p90_jct").title, "p90_jct");
}

static void expect_ratio(double ratio, double low, double high, const char *expected)
{
    char text[HS_COLUMN_TEXT_SIZE];
    hs_runcolumn_ratio_text(ratio, low, high, text);
    assert_string_equal(text, expected);
}

static void ratios_have_three_digits(void **state)
{
    (void)state;
    expect_ratio(0.08740, NONE, NONE, "0.0874x");
    expect_ratio(1, NONE, NONE, "1.00x");
    expect_ratio(99.949, NONE, NONE, "99.9x");
    expect_ratio(99.96, NONE, NONE, "100x");
    expect_ratio(12345, NONE, NONE, "12345x");
    expect_ratio(1e300, NONE, NONE, "1e+300x");
    expect_ratio(0.5, 0.4, 0.625, "0.500x 0.400-0.625");
    expect_ratio(0.5, 0.5, 0.5, "0.500x");
    expect_ratio(NONE, NONE, NONE, "");
}

static void spreads_are_shares_of_the_mean(void **state)
{
    (void)state;
    char text[HS_COLUMN_TEXT_SIZE];
    hs_runcolumn_spread_text(200, 190, 210, text);
    assert_string_equal(text, "+-5.0%");
    hs_runcolumn_spread_text(-200, -210, -190, text);
    assert_string_equal(text, "+-5.0%");
    hs_runcolumn_spread_text(1, -12344, 12346, text);
    assert_string_equal(text, "+-1.23e+06%");
    hs_runcolumn_spread_text(200, 200, 200, text);
    assert_string_equal(text, "");
    hs_runcolumn_spread_text(200, NONE, NONE, text);
    assert_string_equal(text, "");
    hs_runcolumn_spread_text(0, -1, 1, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_by_kind),
        cmocka_unit_test(which_way_is_better),
        cmocka_unit_test(ratios_have_three_digits),
        cmocka_unit_test(spreads_are_shares_of_the_mean),
        cmocka_unit_test(one_row_has_no_marks),
        cmocka_unit_test(rows_are_compared_with_the_first),
        cmocka_unit_test(narrow_terminals_lose_columns),
        cmocka_unit_test(asked_for_columns_are_shown),
        cmocka_unit_test(best_is_bold_in_color),
        cmocka_unit_test(long_labels_have_a_line),
        cmocka_unit_test(sparklines_use_blocks),
        cmocka_unit_test(absent_values_are_dashes),
        cmocka_unit_test(sharing_has_columns_of_its_own),
        cmocka_unit_test(kills_have_a_column_where_there_are_some),
        cmocka_unit_test(queueing_has_a_column_where_jobs_were_resumed),
        cmocka_unit_test(turns_have_columns_where_jobs_took_them),
    };
    return cmocka_run_group_tests_name("run_table", tests, fill, scratch_close);
}
