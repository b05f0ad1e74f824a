/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows, their line numbers and the place of every fault. Lines and columns were counted by hand in
 * the text above each expectation. Tests run inside the scratch folder, so messages name plain
 * "a.csv".
 */
#include "data/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sink.h"

#define FIELD_MAX (1u << 20) /* of csv.h */

static struct sink sink;
static struct hs_input *input;
static struct hs_csv *csv;
static struct hs_csv_row row;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hs_csv_close(csv);
    hs_input_close(input);
    csv = NULL;
    input = NULL;
    return 0;
}

static void open_bytes(const char *data, size_t len, char delimiter)
{
    (void)scratch_write("a.csv", data, len);
    assert_int_equal(hs_input_open(&input, "a.csv", &sink.diag), HS_OK);
    hs_csv_open(&csv, input, delimiter, &sink.diag);
}

static void open_text(const char *text)
{
    open_bytes(text, strlen(text), ',');
}

/* The next row begins at `line` and its fields, joined by '|', are `fields`. */
static void expect_row(int64_t line, const char *fields)
{
    char joined[512] = "";
    size_t len = 0;
    assert_int_equal(hs_csv_next(csv, &row), HS_OK);
    for (uint32_t i = 0; i < row.count; i++) {
        assert_int_equal(strlen(row.fields[i]), row.lengths[i]);
        len += (size_t)snprintf(joined + len, sizeof joined - len, "%s%s", i > 0 ? "|" : "",
                                row.fields[i]);
    }
    assert_string_equal(joined, fields);
    assert_int_equal(row.line, line);
}

static void expect_end(void)
{
    assert_int_equal(hs_csv_next(csv, &row), HS_END);
    assert_int_equal(hs_csv_next(csv, &row), HS_END);
    assert_string_equal(sink.text, "");
}

static void expect_fault(const char *report)
{
    sink_clear(&sink);
    assert_int_equal(hs_csv_next(csv, &row), HS_E_INPUT);
    assert_string_equal(sink.text, report);
    sink_clear(&sink);
}

static void test_line_ends(void **state)
{
    static const char *const texts[] = {"a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\n1,2", "a,b\r\n1,2\r",
                                        ("\xEF\xBB\xBF"
                                         "a,b\n1,2\n")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        open_text(texts[i]);
        expect_row(1, "a|b");
        expect_row(2, "1|2");
        expect_end();
        tear_down(state);
    }
}

static void test_no_rows(void **state)
{
    static const char *const texts[] = {"", "\n", "\r\n\r\n", "\xEF\xBB\xBF", "  \n\t", "\xEF\xBB"};
    for (size_t i = 0; i < 5; i++) {
        open_text(texts[i]);
        expect_end();
        tear_down(state);
    }
    open_text(texts[5]); /* half a byte-order mark is part of a field */
    expect_row(1, "\xEF\xBB");
}

static void test_blank_lines_are_counted(void **state)
{
    (void)state;
    open_text("\n\na\n\r\n  \t\nb\n\n");
    expect_row(3, "a");
    expect_row(6, "b");
    expect_end();
}

static void test_empty_fields_and_blanks(void **state)
{
    (void)state;
    open_text(",\n a b ,\"\",\" c \"\n,,,\n");
    expect_row(1, "|");
    assert_int_equal(row.count, 2);
    expect_row(2, "a b|| c ");
    expect_row(3, "|||");
    expect_end();
}

static void test_quotes(void **state)
{
    (void)state;
    open_text("\"a,b\",\"say \"\"hi\"\"\",c\n\"two\nlines\r\n, three\",2\nx,y\n");
    expect_row(1, "a,b|say \"hi\"|c");
    expect_row(2, "two\nlines\r\n, three|2");
    expect_row(5, "x|y");
    expect_end();
}

static void test_other_delimiter(void **state)
{
    (void)state;
    open_bytes("a\t\tc\n1,5\t2\t \"3\"\n", 16, '\t');
    expect_row(1, "a||c");
    expect_row(2, "1,5|2|3");
    assert_int_equal(hs_csv_place(csv, 2).column, 8); /* after the blank */
    expect_end();
}

/* Rows that straddle every kind of chunk border: 1.7 MB, the n-th row is "n,xx..x,"n\nn"", with n %
 * 97 x; it takes two lines. */
static void test_long_file(void **state)
{
    static char text[2u << 20], fill[128];
    size_t len = 0;
    unsigned rows = 0;
    char want[256];
    (void)state;
    memset(fill, 'x', sizeof fill);
    for (; len < 1700000; rows++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%u,%.*s,\"%u\n%u\"\r\n", rows,
                                (int)(rows % 97), fill, rows, rows);
    open_bytes(text, len - 2, ',');
    for (unsigned i = 0; i < rows; i++) {
        snprintf(want, sizeof want, "%u|%.*s|%u\n%u", i, (int)(i % 97), fill, i, i);
        expect_row(1 + 2 * (int64_t)i, want);
    }
    expect_end();
}

static void test_places(void **state)
{
    (void)state;
    open_text("id,gpus\r\n  7 ,\"a\nb\", 12x ,\n");
    expect_row(1, "id|gpus");
    struct hs_place place = hs_csv_place(csv, 1);
    assert_string_equal(place.file, "a.csv");
    assert_int_equal(place.line, 1);
    assert_int_equal(place.column, 4);
    assert_int_equal(place.span, 4);
    assert_int_equal(place.text_len, 7); /* without the CR */

    expect_row(2, "7|a\nb|12x|");
    place = hs_csv_place(csv, 0);
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 3);
    assert_int_equal(place.span, 1);
    place = hs_csv_place(csv, 1); /* its first line only */
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 6);
    assert_int_equal(place.span, 2);
    place = hs_csv_place(csv, 2);
    assert_int_equal(place.line, 3);
    assert_int_equal(place.column, 5);
    assert_int_equal(place.span, 3);
    assert_memory_equal(place.text, "b\", 12x ,", 9);
    place = hs_csv_place(csv, 3); /* empty, at the end */
    assert_int_equal(place.column, 10);
    place = hs_csv_place(csv, 99); /* beyond the row */
    assert_int_equal(place.line, 3);
    assert_int_equal(place.column, 10);
    assert_int_equal(place.span, 1);
}

static void test_column_counts_from_behind_the_mark(void **state)
{
    (void)state;
    open_text("\xEF\xBB\xBFid,n\n");
    expect_row(1, "id|n");
    assert_int_equal(hs_csv_place(csv, 0).column, 1);
    assert_int_equal(hs_csv_place(csv, 1).column, 4);
}

static void test_stray_quotes(void **state)
{
    (void)state;
    open_text("a,b\n1,2\"3\"\n\"x\" y,2\n5,6\n");
    expect_row(1, "a|b");
    expect_fault("a.csv:2:4: error: a quote inside a field that does not begin with one\n"
                 "    2 | 1,2\"3\"\n"
                 "      |    ^\n"
                 "      = hint: quote the whole field and double the quotes inside it: "
                 "\"a \"\"b\"\" c\"\n");
    expect_fault("a.csv:3:5: error: text after the closing quote\n"
                 "    3 | \"x\" y,2\n"
                 "      |     ^\n"
                 "      = hint: quote the whole field and double the quotes inside it: "
                 "\"a \"\"b\"\" c\"\n");
    expect_row(4, "5|6"); /* reading goes on */
    expect_end();
}

/* The lines inside an unclosed quote are read again, from the next line on. */
static void test_open_quote(void **state)
{
    (void)state;
    open_text("a,b\n1, \"2\n3,4\n5,6");
    expect_row(1, "a|b");
    expect_fault("a.csv:2:4: error: the quote that opens here is never closed\n"
                 "    2 | 1, \"2\n"
                 "      |    ^~\n"
                 "      = hint: quote the whole field and double the quotes inside it: "
                 "\"a \"\"b\"\" c\"\n");
    expect_row(3, "3|4");
    expect_row(4, "5|6");
    expect_end();
}

static void test_nul(void **state)
{
    (void)state;
    open_bytes("a,b\n1,\0002\n3,4\n", 13, ',');
    expect_row(1, "a|b");
    expect_fault("a.csv:2:3: error: a NUL byte\n"
                 "    2 | 1,\\x002\n"
                 "      |   ^~~~\n"
                 "      = hint: is this text in UTF-8? UTF-16 and binary files are not\n");
    expect_row(3, "3|4");
    expect_end();
}

static void test_bare_carriage_returns(void **state)
{
    (void)state;
    open_text("a,b\r1,2\r3,4\r");
    expect_fault("a.csv:1:4: error: a carriage return without a line feed\n"
                 "    1 | a,b\\x0d1,2\\x0d3,4\n"
                 "      |    ^~~~\n"
                 "      = hint: old Macintosh line ends: convert with tr '\\r' '\\n'\n");
    expect_end();
}

static void test_caps(void **state)
{
    static char text[FIELD_MAX + 16384];
    (void)state;

    memset(text, 'x', sizeof text); /* a field of 1 MiB is valid, one byte more is not */
    text[FIELD_MAX] = '\n';
    open_bytes(text, FIELD_MAX + 1, ',');
    assert_int_equal(hs_csv_next(csv, &row), HS_OK);
    assert_int_equal(row.lengths[0], FIELD_MAX);
    tear_down(state);

    memset(text, 'x', sizeof text);
    memcpy(text, "a,", 2);
    memcpy(text + FIELD_MAX + 3, "\nb", 3);
    open_text(text);
    assert_int_equal(hs_csv_next(csv, &row), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "a.csv:1:3: error: a field of more than 1 MiB\n"));
    sink_clear(&sink);
    expect_row(2, "b");
    expect_end();
    tear_down(state);

    memset(text, ',', 4097); /* 4096 fields are valid, 4097 are not */
    text[4095] = '\n';
    text[4096 + 4096] = '\0';
    memset(text + 4096, ',', 4096);
    open_text(text);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK);
    assert_int_equal(row.count, 4096);
    assert_int_equal(hs_csv_next(csv, &row), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "a.csv:2:4097: error: more than 4096 fields in a row\n"));
    sink_clear(&sink);
    expect_end();
}

/* An endless line is abandoned in bounded memory, and the line after it is found. */
static void test_endless_line(void **state)
{
    enum { LINE = 9u << 20 };
    char *text = malloc(LINE + 8);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LINE; i++) /* 1024 fields a MiB: the row exceeds its limit first */
        text[i] = i % 1024 == 1023 ? ',' : 'x';
    memcpy(text + LINE, "\n1,2\n3", 6);
    open_bytes(text, LINE + 6, ',');
    assert_int_equal(hs_csv_next(csv, &row), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "a.csv:1:"));
    sink_clear(&sink);
    expect_row(2, "1|2");
    expect_row(3, "3");
    expect_end();
    tear_down(state);

    memset(text, 'x', LINE); /* an open quote before 1 MiB of lines */
    for (size_t i = 9; i < LINE; i += 10)
        text[i] = '\n';
    text[0] = '"';
    open_bytes(text, LINE, ',');
    assert_int_equal(hs_csv_next(csv, &row), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "a.csv:1:1: error: a field of more than 1 MiB\n"));
    sink_clear(&sink);
    expect_row(2, "xxxxxxxxx");
    free(text);
}

/* A line without quotes is split by horus, one with a quote by libcsv: 2,000 random lines and the
 * same lines with an additional empty quoted field give the same fields. */
static void test_both_splitters_agree(void **state)
{
    static const char letters[] = "ab  ,,,\t";
    static char text[64000], plain[2000][80], want[64];
    uint64_t random = 1;
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        size_t len = 0;
        random = 1;
        for (int i = 0; i < 2000; i++) {
            for (int n = 1 + i % 17; n > 0; n--) {
                random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
                text[len++] = letters[random >> 61];
            }
            len +=
                (size_t)snprintf(text + len, sizeof text - len, pass == 0 ? ",x\n" : ",x,\"\"\n");
        }
        open_bytes(text, len, ',');
        for (int i = 0; i < 2000; i++) {
            size_t joined = 0;
            assert_int_equal(hs_csv_next(csv, &row), HS_OK);
            for (uint32_t f = 0; f < row.count; f++)
                joined +=
                    (size_t)snprintf(want + joined, sizeof want - joined, "%s|", row.fields[f]);
            if (pass == 0)
                snprintf(plain[i], sizeof plain[i], "%s|", want); /* the additional field */
            else
                assert_string_equal(want, plain[i]);
        }
        expect_end();
        tear_down(state);
    }
}

static void test_columns_by_name(void **state)
{
    (void)state;
    open_text("Job_ID,gpus,GPUs\n");
    expect_row(1, "Job_ID|gpus|GPUs");
    assert_int_equal(hs_csv_column(&row, "GPUs"), 2);
    assert_int_equal(hs_csv_column(&row, "GPUS"), 1);
    assert_int_equal(hs_csv_column(&row, "job_id"), 0);
    assert_int_equal(hs_csv_column(&row, "job_i"), UINT32_MAX);
    assert_int_equal(hs_csv_column(&row, "job_id2"), UINT32_MAX);
}

/* A damaged file is reported once, not as an endless series of bad rows: the first 40 bytes of a
 * gzip file, whose header (RFC 1952) is 1f 8b 08. */
static void test_broken_input(void **state)
{
    (void)state;
    open_bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff garbage garbage", 26, ',');
    assert_int_equal(hs_csv_next(csv, &row), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
    assert_int_equal(hs_csv_next(csv, &row), HS_E_IO);
    assert_int_equal(hs_csv_next(csv, &row), HS_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_line_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_blank_lines_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_fields_and_blanks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quotes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_delimiter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_column_counts_from_behind_the_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stray_quotes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open_quote, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nul, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bare_carriage_returns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_caps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_endless_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_both_splitters_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_columns_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken_input, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
