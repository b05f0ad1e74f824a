/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports, compared byte for byte.
 */
#include "base/diag.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sink.h"

static struct sink sink;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static struct hs_place at(int64_t line, int32_t column, int32_t span, const char *text)
{
    struct hs_place place = {"a.csv", line, column, span, text, strlen(text)};
    return place;
}

/* The example of diag.h. */
static void test_full_report(void **state)
{
    struct hs_place place = {"traces/a.csv", 4, 6, 2, "3,17,x7,100", 11};
    (void)state;
    assert_int_equal(hs_fail(&sink.diag, HS_E_INPUT, &place, "times are seconds, e.g. 12.5",
                             "submit_time is not a number: '%s'", "x7"),
                     HS_E_INPUT);
    assert_string_equal(sink.text, "traces/a.csv:4:6: error: submit_time is not a number: 'x7'\n"
                                   "    4 | 3,17,x7,100\n"
                                   "      |      ^~\n"
                                   "      = hint: times are seconds, e.g. 12.5\n");
    assert_int_equal(sink.diag.errors, 1);
}

static void test_parts_may_be_absent(void **state)
{
    (void)state;
    hs_report(&sink.diag, HS_WARNING, NULL, NULL, "low");
    hs_report(&sink.diag, HS_NOTE, &(struct hs_place){.file = "f"}, NULL, "n");
    hs_report(&sink.diag, HS_NOTE, &(struct hs_place){.file = "f", .line = 3}, "h", "n");
    hs_report(&sink.diag, HS_NOTE, &(struct hs_place){.line = 3, .column = 1}, NULL, "n");
    assert_string_equal(sink.text, "warning: low\n"
                                   "f: note: n\n"
                                   "f:3: note: n\n"
                                   "      = hint: h\n"
                                   "note: n\n");
    assert_int_equal(sink.diag.errors, 0);
    assert_int_equal(sink.diag.warnings, 1);
}

static void test_source_line_without_a_column_has_no_caret(void **state)
{
    struct hs_place place = at(12, 0, 0, "a,b");
    (void)state;
    hs_report(&sink.diag, HS_ERROR, &place, NULL, "m");
    assert_string_equal(sink.text, "a.csv:12: error: m\n   12 | a,b\n");
}

/* The caret stays on the line, or directly after its end. */
static void test_caret_at_the_ends(void **state)
{
    struct hs_place first = at(1, 1, 100, "ab"), behind = at(1, 3, 1, "ab");
    struct hs_place beyond = at(1, 50, 5, "ab"), empty = at(1, 1, 0, "");
    (void)state;
    hs_report(&sink.diag, HS_NOTE, &first, NULL, "m");
    hs_report(&sink.diag, HS_NOTE, &behind, NULL, "m");
    hs_report(&sink.diag, HS_NOTE, &beyond, NULL, "m");
    hs_report(&sink.diag, HS_NOTE, &empty, NULL, "m");
    assert_string_equal(sink.text, "a.csv:1:1: note: m\n    1 | ab\n      | ^~\n"
                                   "a.csv:1:3: note: m\n    1 | ab\n      |   ^\n"
                                   "a.csv:1:50: note: m\n    1 | ab\n      |   ^\n"
                                   "a.csv:1:1: note: m\n    1 | \n      | ^\n");
}

static void test_gutter_grows_with_the_line_number(void **state)
{
    struct hs_place place = at(12345678, 2, 1, "ab");
    (void)state;
    hs_report(&sink.diag, HS_NOTE, &place, NULL, "m");
    assert_string_equal(sink.text, "a.csv:12345678:2: note: m\n12345678 | ab\n         |  ^\n");
}

/* 300 bytes "0123456789...": column 151 is byte 150, a '0'; the window shows 50 bytes before it and
 * 100 in all. Near the beginning it shows the first 100. */
static void test_long_lines_are_cut_around_the_caret(void **state)
{
    char line[301] = "";
    const char *ten = "0123456789";
    (void)state;
    for (int i = 0; i < 30; i++)
        memcpy(line + 10 * i, ten, 10);
    struct hs_place middle = at(1, 151, 3, line), early = at(1, 2, 1, line);
    hs_report(&sink.diag, HS_NOTE, &middle, NULL, "m");
    hs_report(&sink.diag, HS_NOTE, &early, NULL, "m");
#define TEN     "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
    assert_string_equal(sink.text,
                        "a.csv:1:151: note: m\n"
                        "    1 | ..." HUNDRED "...\n"
                        "      |                                                      ^~~\n"
                        "a.csv:1:2: note: m\n"
                        "    1 | " HUNDRED "...\n"
                        "      |  ^\n");
}

/* Control characters (an escape sequence, a tab, DEL, C1) and broken UTF-8 never reach the
 * terminal; the caret counts displayed columns. */
static void test_user_data_are_made_safe(void **state)
{
    struct hs_place place = at(1, 4, 1, "a\tb\x1bz");
    (void)state;
    hs_report(&sink.diag, HS_NOTE, &place, "\x7f", "bad '%s'", "\x1b[31m\n\r");
    assert_string_equal(sink.text, "a.csv:1:4: note: bad '\\x1b[31m\\x0a\\x0d'\n"
                                   "    1 | a\\x09b\\x1bz\n"
                                   "      |       ^~~~\n"
                                   "      = hint: \\x7f\n");
}

static void test_utf8(void **state)
{
    (void)state;
    /* German, Chinese, a musical symbol: printed, one column each. */
    struct hs_place place = at(1, 3, 3, "\xc3\xa4\xe4\xb8\xad\xf0\x9d\x84\x9e");
    hs_report(&sink.diag, HS_NOTE, &place, NULL, "%s", "\xc3\xa4");
    assert_string_equal(sink.text, "a.csv:1:3: note: \xc3\xa4\n"
                                   "    1 | \xc3\xa4\xe4\xb8\xad\xf0\x9d\x84\x9e\n"
                                   "      |  ^\n");
    sink_clear(&sink);
    /* Stray continuation, cut sequence, overlong '/', surrogate, above U+10FFFF, C1 (U+009B). */
    hs_report(&sink.diag, HS_NOTE, NULL, NULL, "%s|%s|%s|%s|%s|%s", "\x80", "\xc3", "\xc0\xaf",
              "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc2\x9b");
    assert_string_equal(sink.text, "note: \\x80|\\xc3|\\xc0\\xaf|\\xed\\xa0\\x80|"
                                   "\\xf4\\x90\\x80\\x80|\\xc2\\x9b\n");
}

static void test_file_names_are_made_safe(void **state)
{
    (void)state;
    hs_report(&sink.diag, HS_NOTE, &(struct hs_place){.file = "a\nb"}, NULL, "m");
    assert_string_equal(sink.text, "a\\x0ab: note: m\n");
}

/* A message over 4095 bytes is cut, with a mark. */
static void test_long_messages_are_cut(void **state)
{
    static char long_text[10000];
    (void)state;
    memset(long_text, 'x', sizeof long_text - 1);
    hs_report(&sink.diag, HS_ERROR, NULL, NULL, "%s", long_text);
    assert_int_equal(sink.len, strlen("error: ") + 4095 + strlen("...\n"));
    assert_string_equal(sink.text + sink.len - 5, "x...\n");
}

static void test_severities_below_least_are_counted_only(void **state)
{
    (void)state;
    sink.diag.least = HS_ERROR;
    hs_report(&sink.diag, HS_WARNING, NULL, NULL, "w");
    hs_report(&sink.diag, HS_NOTE, NULL, NULL, "n");
    assert_string_equal(sink.text, "");
    assert_int_equal(sink.diag.warnings, 1);
    hs_report(&sink.diag, HS_ERROR, NULL, NULL, "e");
    assert_string_equal(sink.text, "error: e\n");
    assert_int_equal(sink.diag.errors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_full_report, set_up),
        cmocka_unit_test_setup(test_parts_may_be_absent, set_up),
        cmocka_unit_test_setup(test_source_line_without_a_column_has_no_caret, set_up),
        cmocka_unit_test_setup(test_caret_at_the_ends, set_up),
        cmocka_unit_test_setup(test_gutter_grows_with_the_line_number, set_up),
        cmocka_unit_test_setup(test_long_lines_are_cut_around_the_caret, set_up),
        cmocka_unit_test_setup(test_user_data_are_made_safe, set_up),
        cmocka_unit_test_setup(test_utf8, set_up),
        cmocka_unit_test_setup(test_file_names_are_made_safe, set_up),
        cmocka_unit_test_setup(test_long_messages_are_cut, set_up),
        cmocka_unit_test_setup(test_severities_below_least_are_counted_only, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
