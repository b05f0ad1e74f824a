/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV output: the bytes (RFC 4180 section 2), and that reader and writer are inverse.
 */
#include "data/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "support/sink.h"

static struct sink sink;
static struct hs_csvw w;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static void open_file(const char *header)
{
    assert_int_equal(hs_csvw_open(&w, "a.csv", header, &sink.diag), HS_OK);
}

static void close_and_expect(const char *want)
{
    char *text;
    size_t len;
    assert_int_equal(hs_csvw_close(&w, &sink.diag), HS_OK);
    assert_int_equal(hs_read_file("a.csv", 1 << 20, &text, &len, &sink.diag), HS_OK);
    assert_string_equal(text, want);
    hs_free(text);
}

static void test_types(void **state)
{
    (void)state;
    open_file("a,b,c,d,e,f,g,h");
    hs_csvw_text(&w, "job");
    hs_csvw_i64(&w, INT64_MIN);
    hs_csvw_u64(&w, UINT64_MAX);
    hs_csvw_seconds(&w, 12500000);
    hs_csvw_ratio(&w, 2, 3, 4);
    hs_csvw_double(&w, 0.1);
    hs_csvw_empty(&w);
    hs_csvw_text(&w, NULL);
    hs_csvw_end(&w);
    hs_csvw_ratio(&w, 1, 0, 4); /* empty */
    hs_csvw_double(&w, NAN);    /* empty */
    hs_csvw_double(&w, INFINITY);
    hs_csvw_text(&w, "");
    hs_csvw_end(&w);
    assert_int_equal(w.rows, 2);
    close_and_expect("a,b,c,d,e,f,g,h\n"
                     "job,-9223372036854775808,18446744073709551615,12.5,0.6667,0.1,,\n"
                     ",,,\n");
}

static void test_quotes_only_where_needed(void **state)
{
    (void)state;
    open_file("a,b,c,d,e,f");
    hs_csvw_text(&w, "a b");
    hs_csvw_text(&w, "a,b");
    hs_csvw_text(&w, "say \"hi\"");
    hs_csvw_text(&w, "two\nlines\r");
    hs_csvw_text(&w, " x");
    hs_csvw_text(&w, "x\t");
    hs_csvw_end(&w);
    close_and_expect("a,b,c,d,e,f\n"
                     "a b,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\r\",\" x\",\"x\t\"\n");
}

/* A row of one empty field would be a blank line, which readers skip. */
static void test_single_empty_field(void **state)
{
    (void)state;
    open_file("a");
    hs_csvw_empty(&w);
    hs_csvw_end(&w);
    hs_csvw_text(&w, "x");
    hs_csvw_end(&w);
    close_and_expect("a\n\"\"\nx\n");
}

/* evalys' interval sets: adjacent ids are joined, two as well. */
static void test_ids(void **state)
{
    static const uint32_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7, 16, 20, 21, 22, 23, 40, 41, 4294967295};
    (void)state;
    open_file("x,ids");
    hs_csvw_i64(&w, 1);
    hs_csvw_ids(&w, ids, 16);
    hs_csvw_end(&w);
    hs_csvw_i64(&w, 2);
    hs_csvw_ids(&w, ids, 0);
    hs_csvw_end(&w);
    hs_csvw_ids(&w, ids + 8, 1);
    hs_csvw_i64(&w, 3);
    hs_csvw_end(&w);
    close_and_expect("x,ids\n1,0-7 16 20-23 40-41 4294967295\n2,\n16,3\n");
}

/* Rows of repeated texts, until the buffer has been written. */
static void test_texts_that_come_again(void **state)
{
    static const char *const all[] = {
        "user", NULL, "", "a,b", "a text of some length", " x", "nineteen bytes long"};
    enum { TEXTS = sizeof all / sizeof *all, ROWS = 8000 };
    static char want[ROWS * 100];
    size_t len = 0;
    (void)state;
    open_file("a,b,c,d,e,f,g");
    len += (size_t)snprintf(want, sizeof want, "a,b,c,d,e,f,g\n");
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < TEXTS; i++)
            hs_csvw_text(&w, all[i]);
        hs_csvw_end(&w);
        len += (size_t)snprintf(want + len, sizeof want - len,
                                "user,,,\"a,b\",%s,\" x\",nineteen bytes long\n", all[4]);
    }
    close_and_expect(want);
}

/* Columns that are appended later: the header has their names, rows written before get their cells,
 * each after its last field, with or without quotes and wherever the reader's buffer ends. */
static void test_columns_that_come_later(void **state)
{
    enum { ROWS = 8000 };
    static char want[ROWS * 40];
    size_t len = 0;
    (void)state;
    open_file("a,b");
    len += (size_t)snprintf(want, sizeof want, "a,b,c,d\n");
    for (int row = 0; row < ROWS; row++) {
        hs_csvw_i64(&w, row);
        hs_csvw_text(&w, row % 3 == 0 ? "two\nlines\"\n" : "plain");
        hs_csvw_end(&w);
        len += (size_t)snprintf(want + len, sizeof want - len, "%d,%s,0,\n", row,
                                row % 3 == 0 ? "\"two\nlines\"\"\n\"" : "plain");
    }
    assert_int_equal(hs_csvw_widen(&w, ",c,d", ",0,", &sink.diag), HS_OK);
    assert_int_equal(w.rows, ROWS);
    for (int i = 0; i < 4; i++)
        hs_csvw_i64(&w, i);
    hs_csvw_end(&w);
    (void)snprintf(want + len, sizeof want - len, "0,1,2,3\n");
    close_and_expect(want);
}

/* Text of any byte but controls, with line ends, longer than the output's buffer, reads back
 * unchanged. */
static void test_reads_back(void **state)
{
    static char text[20000];
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = i % 3 == 0 ? '"' : (char)(' ' + i % 223 + (i % 223 > 94));
    open_file("a,b");
    hs_csvw_text(&w, text);
    hs_csvw_text(&w, " \"\r\n, ");
    hs_csvw_end(&w);
    assert_int_equal(hs_csvw_close(&w, &sink.diag), HS_OK);

    assert_int_equal(hs_input_open(&input, "a.csv", &sink.diag), HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK);
    assert_int_equal(row.count, 2);
    assert_string_equal(row.fields[0], text);
    assert_string_equal(row.fields[1], " \"\r\n, ");
    assert_int_equal(hs_csv_next(csv, &row), HS_END);
    hs_csv_close(csv);
    hs_input_close(input);
}

/* Rows of 5 bytes and the header's 4 fill the buffer of 2^18 in the middle of a row. */
static void test_rows_across_the_buffer(void **state)
{
    enum { ROWS = 120000 };
    static char want[4 + 5 * ROWS + 1] = "a,b\n";
    (void)state;
    open_file("a,b");
    for (int i = 0; i < ROWS; i++) {
        hs_csvw_u64(&w, 10);
        hs_csvw_text(&w, i % 2 == 0 ? "x" : "y");
        hs_csvw_end(&w);
        memcpy(want + 4 + 5 * i, i % 2 == 0 ? "10,x\n" : "10,y\n", 5);
    }
    assert_int_equal(hs_output_bytes(&w.out), sizeof want - 1);
    close_and_expect(want);
}

static void test_full_disk(void **state)
{
    (void)state;
    assert_int_equal(hs_csvw_open(&w, "/dev/full", "a", &sink.diag), HS_OK);
    for (int i = 0; i < 1000000; i++) {
        hs_csvw_i64(&w, i);
        hs_csvw_end(&w);
    }
    assert_int_equal(hs_csvw_close(&w, &sink.diag), HS_E_IO);
    assert_int_equal(sink.diag.errors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_types, set_up),
        cmocka_unit_test_setup(test_quotes_only_where_needed, set_up),
        cmocka_unit_test_setup(test_single_empty_field, set_up),
        cmocka_unit_test_setup(test_ids, set_up),
        cmocka_unit_test_setup(test_texts_that_come_again, set_up),
        cmocka_unit_test_setup(test_columns_that_come_later, set_up),
        cmocka_unit_test_setup(test_reads_back, set_up),
        cmocka_unit_test_setup(test_rows_across_the_buffer, set_up),
        cmocka_unit_test_setup(test_full_disk, set_up),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
