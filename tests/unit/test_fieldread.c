/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines and fields of text tables.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/csv.h"
#include "support/sink.h"

#define FIELDS_KEPT 4096

static struct sink sink;
static struct hs_input *input;
static struct hs_csv *csv;
static struct hs_csv_row in;

static void open_bytes(const char *text, size_t len, char delimiter)
{
    const char *path = scratch_path("table.txt");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    sink_init(&sink);
    assert_int_equal(hs_input_open(&input, path, &sink.diag), HS_OK);
    hs_plain_open(&csv, input, delimiter, &sink.diag);
}

static void close_it(void)
{
    hs_csv_close(csv);
    hs_input_close(input);
}

static void test_blanks(void **state)
{
    const char text[] = "\xEF\xBB\xBF one\t two  \r\n\n   \r\n3\n ; a \"comment\n4 5";
    (void)state;
    open_bytes(text, sizeof text - 1, ' ');
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_int_equal(in.count, 2);
    assert_string_equal(in.fields[0], "one");
    assert_string_equal(in.fields[1], "two");
    assert_int_equal(in.lengths[1], 3);
    assert_int_equal(in.line, 1);
    struct hs_place place = hs_csv_place(csv, 1);
    assert_int_equal(place.column, 7); /* of " one\t two  ", without the mark */
    assert_int_equal(place.span, 3);
    assert_int_equal(hs_csv_place(csv, 2).column, 12); /* after it */
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_string_equal(in.fields[0], "3");
    assert_int_equal(in.line, 4);
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_memory_equal(hs_csv_place(csv, 0).text, " ; a \"comment", 13);
    assert_int_equal(hs_csv_place(csv, 0).text_len, 13);
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_int_equal(in.count, 2);
    assert_int_equal(hs_csv_next(csv, &in), HS_END);
    assert_int_equal(hs_csv_next(csv, &in), HS_END);
    close_it();
}

static void test_tabs(void **state)
{
    const char text[] = "a b\t\t c \t\r\n\tx\n";
    (void)state;
    open_bytes(text, sizeof text - 1, '\t');
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_int_equal(in.count, 4);
    assert_string_equal(in.fields[0], "a b");
    assert_string_equal(in.fields[1], "");
    assert_string_equal(in.fields[2], " c ");
    assert_string_equal(in.fields[3], "");
    assert_int_equal(hs_csv_place(csv, 2).column, 6);
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_int_equal(in.count, 2);
    assert_string_equal(in.fields[1], "x");
    assert_int_equal(hs_csv_next(csv, &in), HS_END);
    close_it();
}

static void test_more_fields_than_kept(void **state)
{
    static char text[2 * FIELDS_KEPT + 16];
    size_t len = 0;
    (void)state;
    for (int i = 0; i < FIELDS_KEPT + 5; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "x ");
    open_bytes(text, len, ' ');
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_int_equal(in.count, FIELDS_KEPT + 5);
    assert_string_equal(in.fields[FIELDS_KEPT - 1], "x");
    close_it();
}

/* A bad line is skipped alone. */
static void test_bad_lines(void **state)
{
    const size_t size = (1u << 20) + 100;
    char *text = malloc(3 * size);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', 3 * size);
    memcpy(text, "a\0b\nc\n", 6);
    text[6 + size] = '\n'; /* a line of 1 MiB and 100 bytes */
    memcpy(text + 7 + size, "d\n", 2);
    open_bytes(text, 9 + 2 * size, ' '); /* the last line is too long as well */
    assert_int_equal(hs_csv_next(csv, &in), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "table.txt:1:2: error: a NUL byte"));
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_string_equal(in.fields[0], "c");
    assert_int_equal(hs_csv_next(csv, &in), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "table.txt:3:1: error: a line of more than 1 MiB"));
    assert_int_equal(hs_csv_next(csv, &in), HS_OK);
    assert_string_equal(in.fields[0], "d");
    assert_int_equal(in.line, 4);
    assert_int_equal(hs_csv_next(csv, &in), HS_E_INPUT);
    assert_int_equal(hs_csv_next(csv, &in), HS_END);
    close_it();
    free(text);
}

static void test_head(void **state)
{
    const char head[] = "\n;x\n \n a b\r\n";
    const char *line;
    size_t len;
    (void)state;
    assert_true(hs_plain_head(head, sizeof head - 1, ';', &line, &len));
    assert_int_equal(len, 4);
    assert_memory_equal(line, " a b", 4);
    assert_true(hs_plain_head("a b", 3, ';', &line, &len)); /* no line end within the head */
    assert_int_equal(len, 3);
    assert_false(hs_plain_head(";x\n;y", 5, ';', &line, &len));
    assert_false(hs_plain_head("", 0, ';', &line, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_tabs),
        cmocka_unit_test(test_more_fields_than_kept),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_head),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
