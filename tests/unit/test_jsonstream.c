/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Elements of arrays and of JSON Lines one at a time, and the place of every fault. Lines and
 * columns were counted by hand in the text above each expectation.
 */
#include "traces/formats/philly_log.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/io.h"
#include "support/sink.h"

static struct sink sink;
static struct hs_input *input;
static struct jsonstream stream;
static const struct hs_json *element;

static enum hs_status next_element(void)
{
    enum hs_status status = stream_next(&stream);
    element = stream.element;
    return status;
}

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hs_arena_free(&stream.arena);
    hs_window_free(&stream.window);
    hs_input_close(input);
    input = NULL;
    return 0;
}

static void open_bytes(const char *data, size_t len)
{
    sink_clear(&sink);
    (void)scratch_write("a.json", data, len);
    assert_int_equal(hs_input_open(&input, "a.json", &sink.diag), HS_OK);
    stream = (struct jsonstream){
        .window = {.input = input, .max = WINDOW_MAX}, .diag = &sink.diag, .line = 1, .column = 1};
}

static void open_text(const char *text)
{
    open_bytes(text, strlen(text));
}

/* The next element has this "id" and begins at line:column. */
static void expect_id(int64_t id, int64_t line, int32_t column)
{
    int64_t n;
    assert_int_equal(next_element(), HS_OK);
    assert_true(hs_json_int(hs_json_get(element, "id"), &n));
    assert_int_equal(n, id);
    struct hs_place place = stream_place(&stream, NULL);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void expect_end(void)
{
    assert_int_equal(next_element(), HS_END);
    assert_null(element);
    assert_int_equal(next_element(), HS_END);
    assert_string_equal(sink.text, "");
}

/* `good` elements, then a fault with this report; nothing further can be read. */
static void expect_lost(const char *text, int good, const char *report)
{
    open_text(text);
    for (int i = 0; i < good; i++)
        assert_int_equal(next_element(), HS_OK);
    assert_int_equal(next_element(), HS_E_INPUT);
    assert_string_equal(sink.text, report);
    assert_int_equal(next_element(), HS_E_IO);
    (void)tear_down(NULL);
}

static void expect_lost_at(const char *text, int good, const char *place, const char *what)
{
    char want[256];
    open_text(text);
    for (int i = 0; i < good; i++)
        assert_int_equal(next_element(), HS_OK);
    assert_int_equal(next_element(), HS_E_INPUT);
    snprintf(want, sizeof want, "a.json:%s: error: %s\n", place, what);
    if (strncmp(sink.text, want, strlen(want)) != 0)
        assert_string_equal(sink.text, want);
    assert_int_equal(next_element(), HS_E_IO);
    (void)tear_down(NULL);
}

static void test_array(void **state)
{
    (void)state;
    open_text("\xEF\xBB\xBF [\n  {\"id\": 1}, {\"id\": 2, \"x\": [{}, \"]}\\\"\"]},\r\n\r\n  "
              "{\"id\":\n3}\n]\n");
    expect_id(1, 2, 3);
    expect_id(2, 2, 14);
    expect_id(3, 4, 3);
    struct hs_place place = stream_place(&stream, hs_json_get(element, "id"));
    assert_int_equal(place.line, 5);
    assert_int_equal(place.column, 1);
    assert_int_equal(place.span, 1);
    assert_memory_equal(place.text, "3}", 2);
    expect_end();
}

static void test_json_lines(void **state)
{
    (void)state;
    open_text("{\"id\": 1}\n\n{\"id\": 2}\r\n  {\"id\": 3}");
    expect_id(1, 1, 1);
    expect_id(2, 3, 1);
    expect_id(3, 4, 3);
    expect_end();
}

static void test_empty_arrays(void **state)
{
    static const char *const texts[] = {"[]", " [ \n ] \n", "[\r\n]"};
    for (size_t i = 0; i < 3; i++) {
        open_text(texts[i]);
        expect_end();
        tear_down(state);
    }
}

/* One line without any line end: columns count on, and the excerpt begins at the start of the line
 * as long as it is short. */
static void test_one_long_line(void **state)
{
    static char text[2u << 20];
    size_t len = 1;
    (void)state;
    text[0] = '[';
    for (int i = 0; i < 100000; i++) /* six digits each, */
        len += (size_t)snprintf(text + len, sizeof text - len, "{\"id\":%d},", 100000 + i);
    text[len - 1] = ']'; /* so 14 bytes each */
    open_bytes(text, len);
    for (int i = 0; i < 100000; i++)
        expect_id(100000 + i, 1, 2 + 14 * i);
    struct hs_place place = stream_place(&stream, hs_json_get(element, "id"));
    assert_int_equal(place.column, 2 + 14 * 99999 + 6);
    assert_null(place.text);
    expect_end();
}

/* 2.5 MB of elements whose text of 0 to 399 escapes and brackets puts every kind of byte on the
 * borders of the chunks. */
static void test_many_elements(void **state)
{
    static const char *const units[] = {"\\\"", "\\\\", "]}", "\xC3\xA9"};
    static char text[3u << 20];
    size_t len = 1;
    int count = 0;
    (void)state;
    text[0] = '[';
    for (; len < 2500000; count++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\n  {\"id\": %d,\n   \"s\": \"",
                                count > 0 ? "," : "", count);
        for (int i = 0; i < count % 400; i++) {
            memcpy(text + len, units[(count + i) % 4], 2);
            len += 2;
        }
        memcpy(text + len, "\"}", 2);
        len += 2;
    }
    len += (size_t)snprintf(text + len, sizeof text - len, "\n]\n");
    open_bytes(text, len);
    for (int i = 0; i < count; i++)
        expect_id(i, 2 + 2 * (int64_t)i, 3);
    expect_end();
}

enum form { ONE, ESCAPED, SEVERAL, TWO };

/* Appends an element of this form, or two, with this id and the following. */
static size_t put_element(char *to, size_t room, enum form form, int id)
{
    switch (form) {
    case ONE:
        return (size_t)snprintf(to, room, "{\"id\": %d, \"a\": [{}, null], \"b\": \"}\"},\n", id);
    case ESCAPED:
        return (size_t)snprintf(to, room, "{\"id\": %d, \"b\": \"\\u007d\"},\r\n", id);
    case SEVERAL:
        return (size_t)snprintf(to, room, "{\n  \"id\": %d\n},\n", id);
    default:
        return (size_t)snprintf(to, room, "{\"id\": %d}, {\"id\": %d},\n", id, id + 1);
    }
}

/* Elements of one line that need no further check; elements of one line that need a walk; elements
 * of several lines, enough in a row for the reader to stop searching for lines; and two in one
 * line. Each is located where it was written, regardless of those before it. */
static void test_elements_of_one_line_and_of_several(void **state)
{
    (void)state;
    static const struct {
        enum form form;
        int count;
    } runs[] = {{ONE, 3}, {ESCAPED, 2}, {ONE, 2}, {SEVERAL, 20}, {ONE, 3}, {TWO, 4}, {ONE, 1}};
    const size_t run_count = sizeof runs / sizeof *runs;
    char text[4096] = "[\n";
    size_t used = 2;
    int id = 0;
    for (size_t i = 0; i < run_count; i++)
        for (int k = 0; k < runs[i].count; k++, id += 1 + (runs[i].form == TWO))
            used += put_element(text + used, sizeof text - used, runs[i].form, id);
    (void)snprintf(text + used, sizeof text - used, "{\"id\": %d}]\n", id);
    open_text(text);
    id = 0;
    int64_t line = 2;
    for (size_t i = 0; i < run_count; i++) {
        for (int k = 0; k < runs[i].count; k++) {
            expect_id(id++, line, 1);
            if (runs[i].form == TWO) /* after {"id": 30}, and a blank */
                expect_id(id++, line, 13);
            line += runs[i].form == SEVERAL ? 3 : 1;
        }
    }
    expect_id(id, line, 1);
    expect_end();
}

static void test_faults_inside_an_element(void **state)
{
    (void)state;
    open_text("[\n {\"id\": 1},\n {\"id\": 02},\n {\"a\": 1,\n  \"a\": 2},\n {\"id\": 3, "
              "\"b\": \"\\u0000\"},\n {\"id\": 4}\n]");
    expect_id(1, 2, 2);
    assert_int_equal(next_element(), HS_E_INPUT);
    assert_null(element);
    assert_string_equal(sink.text,
                        "a.json:3:9: error: not a JSON number\n"
                        "    3 |  {\"id\": 02},\n"
                        "      |         ^~\n"
                        "      = hint: numbers are like 12, -0.5, 1e9; values with a unit go in "
                        "double quotes\n");
    sink_clear(&sink);
    assert_int_equal(next_element(), HS_E_INPUT);
    assert_string_equal(sink.text, "a.json:5:3: error: duplicate key 'a'\n"
                                   "    5 |   \"a\": 2},\n"
                                   "      |   ^~~\n"
                                   "      = hint: the first one is on line 4\n");
    sink_clear(&sink);
    assert_int_equal(next_element(), HS_E_INPUT);
    assert_string_equal(sink.text, "a.json:6:18: error: \\u0000 would end the text here\n"
                                   "    6 |  {\"id\": 3, \"b\": \"\\u0000\"},\n"
                                   "      |                  ^~~~~~\n");
    sink_clear(&sink);
    expect_id(4, 7, 2); /* the next one is valid */
    expect_end();
}

static void test_line_end_inside_a_text(void **state)
{
    (void)state;
    expect_lost("[{\"id\": 1},\n {\"id\": 2, \"vc\": \"x},\n {\"id\": 3, \"vc\": \"y\"}]", 1,
                "a.json:2:22: error: a line end inside a text\n"
                "    2 |  {\"id\": 2, \"vc\": \"x},\n"
                "      |                      ^\n"
                "      = hint: is the closing quote missing?\n");
    expect_lost("{\"a\": \"x\ty\"}\n", 0,
                "a.json:1:9: error: a control character inside a text\n"
                "    1 | {\"a\": \"x\\x09y\"}\n"
                "      |         ^~~~\n"
                "      = hint: write a tab as \\t\n");
    expect_lost_at("{\"a\": \"x\\\ny\"}\n", 0, "1:10", "a line end inside a text");
}

static void test_truncated_files(void **state)
{
    (void)state;
    expect_lost("[{\"id\": 1},\n {\"id\": 2,\n  \"x\": [1,", 1,
                "a.json:3:11: error: the file ends inside the element that begins on line 2\n"
                "    3 |   \"x\": [1,\n"
                "      |           ^\n"
                "      = hint: a truncated download? compare its size with the original\n");
    expect_lost_at("[{\"id\": 1},\n", 1, "2:1", "the file ends before ']'");
    expect_lost_at("[{\"id\": 1}", 1, "1:11", "the file ends before ']'");
    expect_lost_at("[", 0, "1:2", "the file ends before ']'");
    expect_lost_at("{\"id\": 1}\n{\"id\": \"", 1, "2:9",
                   "the file ends inside the element that begins on line 2");
}

static void test_structure(void **state)
{
    (void)state;
    expect_lost("[{\"id\": 1}\n {\"id\": 2}]", 1,
                "a.json:2:2: error: expected ',' or ']'\n"
                "    2 |  {\"id\": 2}]\n"
                "      |  ^\n"
                "      = hint: is a comma missing?\n");
    expect_lost("[{\"id\": 1},\n]", 1,
                "a.json:2:1: error: expected '{'\n"
                "    2 | ]\n"
                "      | ^\n"
                "      = hint: remove the comma before ']'\n");
    expect_lost_at("[{\"id\": 1}] x", 1, "1:13", "text after the end of the array");
    expect_lost_at("[,{}]", 0, "1:2", "expected '{'");
    expect_lost_at("[{},,{}]", 1, "1:5", "expected '{'");
    expect_lost_at("[1, 2]", 0, "1:2", "expected '{'");
    expect_lost_at("[{}}", 1, "1:4", "expected ',' or ']'");
    expect_lost_at("[{\"a\": [1}]", 0, "1:10", "expected ']', not '}'");
    expect_lost_at("[{\"a\": {]]", 0, "1:9", "expected '}', not ']'");
    expect_lost_at("job_id,gpus\n", 0, "1:1", "expected '[' or '{'");
    expect_lost("{\"id\": 1},\n{\"id\": 2}\n", 1,
                "a.json:1:10: error: expected '{'\n"
                "    1 | {\"id\": 1},\n"
                "      |          ^\n"
                "      = hint: one object a line, no commas between them\n");
    expect_lost("", 0, "a.json:1: error: the file is empty\n");
    expect_lost(" \n\n", 0, "a.json:3: error: the file is empty\n");
}

static void test_depth(void **state)
{
    char text[256];
    (void)state;
    /* {"a":[[..]]}: the object is level 1, so 63 brackets are valid and 64 are not. */
    strcpy(text, "{\"a\":");
    memset(text + 5, '[', 63);
    memset(text + 68, ']', 63);
    strcpy(text + 131, "}");
    open_text(text);
    assert_int_equal(next_element(), HS_OK);
    tear_down(state);
    memset(text + 5, '[', 64);
    expect_lost_at(text, 0, "1:69", "more than 64 levels of nesting");
}

static void test_element_cap(void **state)
{
    enum { CAP = 16u << 20 };
    char *text = malloc(CAP + 16);
    (void)state;
    assert_non_null(text);
    memset(text, ' ', CAP + 16);
    memcpy(text, "[\n{\"s\":\"", 8);
    memset(text + 8, 'x', CAP);
    memcpy(text + CAP + 8, "\"}]", 3);
    open_bytes(text, CAP + 11);
    assert_int_equal(next_element(), HS_E_LIMIT);
    assert_non_null(strstr(sink.text, "a.json:2:1: error: an element of more than 16 MiB\n"));
    assert_int_equal(next_element(), HS_E_IO);
    tear_down(state);
    memcpy(text + CAP, "\"}]     ", 8); /* a few bytes below the cap */
    open_bytes(text, CAP + 3);
    assert_int_equal(next_element(), HS_OK);
    assert_int_equal(strlen(hs_json_text(hs_json_get(element, "s"))), CAP - 8);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_json_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_arrays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_long_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_elements, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_elements_of_one_line_and_of_several, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_faults_inside_an_element, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_line_end_inside_a_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_truncated_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_structure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_element_cap, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
