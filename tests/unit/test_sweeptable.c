/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep written by hand: 2 policies x 3 loads, each with its own number of GPUs, x 2 seeds; loads
 * are unordered, one point failed.
 */
#include "report/html/page_sweep.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support/sink.h"

static struct sink sink;
static struct hs_sweeptable table;
static struct hs_arena arena;

#define HEAD "point,run,state,exit,axis_policy,axis_load,axis_max_jobs,axis_seed,workload,cluster,"

static const char grid[] = HEAD "mean_jct,mean_wait\n"
                                "1,f1,done,0,fifo,1,10,1,w,c,100,50\n"
                                "2,f2,done,0,fifo,1,10,2,w,c,120,60\n"
                                "3,f3,done,0,fifo,0.5,20,1,w,c,40,5\n"
                                "4,f4,failed,3,fifo,0.5,20,2,,,,\n"
                                "5,f5,done,0,fifo,10,5,1,w,c,900,800\n"
                                "6,f6,done,0,fifo,10,5,2,w,c,910,810\n"
                                "7,s1,done,0,sjf,1,10,1,w,d,80,20\n"
                                "8,s2,done,0,sjf,1,10,2,w,d,90,\n"
                                "9,s3,done,0,sjf,0.5,20,1,w,d,30,2\n"
                                "10,s4,done,0,sjf,0.5,20,2,w,d,32,2\n"
                                "11,s5,missing,,sjf,10,5,1,,,,\n"
                                "12,s6,missing,,sjf,10,5,2,,,,\n";

static enum hs_status read_text(const char *text)
{
    sink_init(&sink);
    return read_table(&table, &arena, scratch_write("sweep.csv", text, strlen(text)), page_metrics,
                      NULL, &sink.diag);
}

static void axes_and_their_parts(void **state)
{
    (void)state;
    char text[HS_TEXT_SIZE];
    assert_int_equal(read_text(grid), HS_OK);
    assert_int_equal(table.axis_count, 4);
    assert_int_equal(table.axes[0].part, LINE);
    assert_int_equal(table.axes[1].part, X); /* the first of two with three values */
    assert_int_equal(table.axes[2].part, FIXED);
    assert_int_equal(table.axes[3].part, REPLICATE);
    assert_int_equal(table.line->count, 2);
    assert_int_equal(table.x->count, 3);
    assert_int_equal(table.facets, 1);
    assert_int_equal(table.replicates, 2);
    assert_string_equal(table.axes[1].values[0], "0.5"); /* by number: "10" comes last */
    assert_string_equal(table.axes[1].values[1], "1");
    assert_string_equal(table.axes[1].values[2], "10");
    assert_string_equal(table.workload, "w");
    assert_null(table.cluster); /* c and d */
    facet_text(&table, 0, text);
    assert_string_equal(text, "");
    hs_free(table.points);
}

static void expect_cell(uint32_t line, uint32_t x, uint32_t metric, double first, double second)
{
    struct hs_replicated cells[6], ratios[6];
    double values[12];
    struct view v = {.t = &table, .metric = metric, .lines = 2, .places = 3};
    v.cells = cells;
    v.ratios = ratios;
    v.values = values;
    fill_cells(&v);
    const double *of = values + (line * v.places + x) * table.replicates;
    assert_true(isnan(first) ? isnan(of[0]) : of[0] == first);
    assert_true(isnan(second) ? isnan(of[1]) : of[1] == second);
}

static void cells_by_seed(void **state)
{
    (void)state;
    const double none = (double)NAN;
    uint32_t jct = 0, wait = 0;
    while (strcmp(page_metrics[jct], "mean_jct") != 0)
        jct++;
    while (strcmp(page_metrics[wait], "mean_wait") != 0)
        wait++;
    assert_int_equal(read_text(grid), HS_OK);
    expect_cell(0, 1, jct, 100, 120);
    expect_cell(0, 0, jct, 40, none); /* failed */
    expect_cell(0, 2, wait, 800, 810);
    expect_cell(1, 1, wait, 20, none); /* an empty field */
    expect_cell(1, 2, jct, none, none);
    hs_free(table.points);
}

/* Without policies the names are the lines; each remaining axis makes separate charts. */
static void facets(void **state)
{
    (void)state;
    static const char text[] = "point,run,state,exit,axis_vc,axis_load,axis_until\n"
                               "1,a,done,0,quota,1,1d\n2,b,done,0,quota,1,2d\n"
                               "3,c,done,0,ignore,1,1d\n4,d,done,0,ignore,1,2d\n"
                               "5,e,done,0,quota,2,1d\n6,f,done,0,quota,2,2d\n"
                               "7,g,done,0,ignore,2,1d\n8,h,done,0,ignore,2,2d\n";
    char said[HS_TEXT_SIZE];
    assert_int_equal(read_text(text), HS_OK);
    assert_ptr_equal(table.line, &table.axes[0]);
    assert_ptr_equal(table.x, &table.axes[1]);
    assert_int_equal(table.facets, 2);
    assert_int_equal(table.replicates, 1);
    facet_text(&table, 1, said);
    assert_string_equal(said, "until = 2d");
    hs_free(table.points);
}

static void no_sweep(void **state)
{
    (void)state;
    assert_int_equal(read_text("policy,seed\nfifo,1\n"), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "not the table of a sweep"));
    hs_free(table.points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_and_their_parts),
        cmocka_unit_test(cells_by_seed),
        cmocka_unit_test(facets),
        cmocka_unit_test(no_sweep),
    };
    const int failed = cmocka_run_group_tests(tests, scratch_open, scratch_close);
    hs_arena_free(&arena);
    return failed;
}
