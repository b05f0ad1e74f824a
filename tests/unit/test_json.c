/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON documents: what is read, what is refused and where, and how values are looked up. Lines and
 * columns were counted by hand in the text above each expectation.
 */
#include "data/json.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sink.h"

static struct sink sink;
static struct hs_json_doc *doc;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hs_json_close(doc);
    doc = NULL;
    return 0;
}

static const struct hs_json *load(const char *text)
{
    sink_clear(&sink);
    (void)scratch_write("a.json", text, strlen(text));
    assert_int_equal(hs_json_load(&doc, "a.json", &sink.diag), HS_OK);
    assert_string_equal(sink.text, "");
    return hs_json_root(doc);
}

static void refuse_bytes(const char *text, size_t len, const char *report)
{
    sink_clear(&sink);
    (void)scratch_write("a.json", text, len);
    assert_int_equal(hs_json_load(&doc, "a.json", &sink.diag), HS_E_INPUT);
    assert_null(doc);
    assert_string_equal(sink.text, report);
}

static void refuse(const char *text, const char *report)
{
    refuse_bytes(text, strlen(text), report);
}

/* The report begins with "a.json:<place>: error: <what>". */
static void refuse_at(const char *text, const char *place, const char *what)
{
    char want[256];
    sink_clear(&sink);
    (void)scratch_write("a.json", text, strlen(text));
    assert_int_equal(hs_json_load(&doc, "a.json", &sink.diag), HS_E_INPUT);
    snprintf(want, sizeof want, "a.json:%s: error: %s\n", place, what);
    if (strncmp(sink.text, want, strlen(want)) != 0)
        assert_string_equal(sink.text, want);
}

static void expect_place(struct hs_place place, int64_t line, int32_t column, int32_t span)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.span, span);
}

static void test_values(void **state)
{
    int64_t n;
    (void)state;
    const struct hs_json *root =
        load("{\"a\": [1, -2.5e1, \"x\\u00e9\\ud83d\\ude00\\n\", true, false, null],\n"
             " \"b\": {\"c\": 9007199254740991}, \"\": 0.5}");
    assert_int_equal(hs_json_kind(root), HS_JSON_OBJECT);
    assert_int_equal(hs_json_count(root), 3);
    assert_null(hs_json_key(root));
    const struct hs_json *v = hs_json_first(hs_json_get(root, "a"));
    assert_true(hs_json_int(v, &n));
    assert_int_equal(n, 1);
    v = hs_json_next(v);
    assert_true(hs_json_number(v) == -25);
    v = hs_json_next(v);
    assert_string_equal(hs_json_text(v), "x\xC3\xA9\xF0\x9F\x98\x80\n"); /* U+00E9, U+1F600 */
    v = hs_json_next(v);
    assert_true(hs_json_bool(v));
    assert_int_equal(hs_json_kind(v), HS_JSON_BOOL);
    v = hs_json_next(v);
    assert_false(hs_json_bool(v));
    v = hs_json_next(v);
    assert_int_equal(hs_json_kind(v), HS_JSON_NULL);
    assert_null(hs_json_next(v));
    v = hs_json_first(hs_json_get(root, "b"));
    assert_string_equal(hs_json_key(v), "c");
    assert_true(hs_json_int(v, &n));
    assert_true(n == INT64_C(9007199254740991));
    assert_true(hs_json_number(hs_json_get(root, "")) == 0.5);
    assert_null(hs_json_get(root, "A"));
}

static void test_absent_values(void **state)
{
    int64_t n;
    (void)state;
    assert_int_equal(hs_json_kind(NULL), HS_JSON_ABSENT);
    assert_null(hs_json_get(NULL, "x"));
    assert_null(hs_json_first(NULL));
    assert_null(hs_json_next(NULL));
    assert_null(hs_json_key(NULL));
    assert_null(hs_json_text(NULL));
    assert_true(hs_json_number(NULL) == 0);
    assert_false(hs_json_int(NULL, &n));
    assert_false(hs_json_bool(NULL));
    assert_int_equal(hs_json_count(NULL), 0);
    const struct hs_json *root = load("[\"7\"]");
    assert_null(hs_json_get(root, "x"));
    assert_null(hs_json_text(root));
    assert_false(hs_json_int(hs_json_first(root), &n));
}

/* Beyond 2^53 - 1 two integers share a double: none is accepted. */
static void test_integers_are_exact(void **state)
{
    static const char *const texts[] = {"9007199254740992", "9007199254740993", "1.5", "1e300",
                                        "-9007199254740993"};
    int64_t n;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(hs_json_int(load(texts[i]), &n));
        tear_down(state);
    }
    assert_true(hs_json_int(load("-9007199254740991.0"), &n));
    assert_true(n == INT64_C(-9007199254740991));
}

/* The order of members does not count, that of elements does. */
static void test_equal(void **state)
{
    (void)state;
    const struct hs_json *root = load(
        "{\"a\": {\"x\": 1, \"y\": [1, \"z\"]}, \"b\": {\"y\": [1, \"z\"], \"x\": 1},"
        " \"c\": {\"y\": [\"z\", 1], \"x\": 1}, \"d\": {\"x\": 1}, \"e\": null, \"f\": \"1\"}");
    const struct hs_json *a = hs_json_get(root, "a");
    assert_true(hs_json_equal(a, a));
    assert_true(hs_json_equal(a, hs_json_get(root, "b")));
    assert_false(hs_json_equal(a, hs_json_get(root, "c")));
    assert_false(hs_json_equal(a, hs_json_get(root, "d")));
    assert_false(hs_json_equal(hs_json_get(a, "x"), hs_json_get(root, "f")));
    assert_false(hs_json_equal(hs_json_get(root, "e"), hs_json_get(root, "none")));
    assert_true(hs_json_equal(hs_json_get(root, "none"), NULL));
}

/* The text with its @ replaced by `with`. */
static const struct hs_json *load_with(const char *text, const char *with)
{
    char filled[160];
    const char *mark = strchr(text, '@');
    (void)snprintf(filled, sizeof filled, "%.*s%s%s", (int)(mark - text), text, with, mark + 1);
    return load(filled);
}

/* horus parses plain texts itself; an escape sequence passes the text to cJSON. Two texts differ in
 * the spelling of one character, and by cJSON's own comparison their trees are equal. */
static void test_plain_texts_are_as_cjson_has_them(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"a@\": [1, -2, 0, -0, 999999999999999], \"b\" : {\"c\":null,\"d\":true,\"e\":false}}",
        "[[],{}, [ ] ,{ } ,\"\",[[[\"x@\"]]], {\"k\" :\"v\"}]",
        "\t{ \"t\"\r\n:\t[ 12345 , 7\n] ,\"s@\":\"12 \xc3\xa9 [{,:}] \" }\n",
        "[\"@\", 1234567890123456, 1.5, -3e2]",
        "\"@\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct hs_json *one = load_with(texts[i], "a");
        struct hs_json_doc *first = doc;
        const struct hs_json *other = load_with(texts[i], "\\u0061");
        assert_true(hs_json_equal(one, other));
        assert_int_equal(hs_json_count(one), hs_json_count(other));
        hs_json_close(first);
        tear_down(state);
    }
}

/* In a key, in a text, and after values that were parsed as plain. */
static void test_an_escape_may_stand_anywhere(void **state)
{
    (void)state;
    const struct hs_json *root =
        load("{\"\\u006b\": [1, {\"x\": 2}], \"b\": \"\\n\", \"c\": [\"\\\"\"]}");
    assert_int_equal(hs_json_count(hs_json_get(root, "k")), 2);
    assert_string_equal(hs_json_text(hs_json_get(root, "b")), "\n");
    assert_string_equal(hs_json_text(hs_json_first(hs_json_get(root, "c"))), "\"");
}

static void test_comments(void **state)
{
    (void)state;
    const struct hs_json *root = load("\xEF\xBB\xBF// head\n"
                                      "{ /* one\n two */ \"a\": 1, // \"x\n"
                                      "  \"url\": \"http://x/*y*/\" }\n/**/ // end");
    assert_int_equal(hs_json_count(root), 2);
    assert_string_equal(hs_json_text(hs_json_get(root, "url")), "http://x/*y*/");
    expect_place(hs_json_place(doc, hs_json_get(root, "a")), 3, 14, 1);
    struct hs_place place = hs_json_place_key(doc, hs_json_get(root, "url"));
    expect_place(place, 4, 3, 5);
    place = hs_json_place(doc, hs_json_get(root, "a")); /* the comment is still quoted */
    assert_memory_equal(place.text, " two */ \"a\": 1, // \"x", 21);
    assert_int_equal(place.text_len, 21);
}

static void test_places(void **state)
{
    (void)state;
    const struct hs_json *root =
        load("{\n  \"nodes\" : [\r\n    {\"gpu\":\"V100\", \"n\" : 12}, [], "
             "\"\"\r\n  ]}");
    const struct hs_json *nodes = hs_json_get(root, "nodes");
    const struct hs_json *node = hs_json_first(nodes);
    expect_place(hs_json_place(doc, root), 1, 1, 1);
    expect_place(hs_json_place(doc, nodes), 2, 13, 1);
    expect_place(hs_json_place_key(doc, nodes), 2, 3, 7);
    expect_place(hs_json_place(doc, node), 3, 5, 1);
    expect_place(hs_json_place_key(doc, node), 3, 5, 1); /* no key: the value */
    expect_place(hs_json_place(doc, hs_json_get(node, "gpu")), 3, 12, 6);
    expect_place(hs_json_place(doc, hs_json_get(node, "n")), 3, 26, 2);
    expect_place(hs_json_place_key(doc, hs_json_get(node, "n")), 3, 20, 3);
    expect_place(hs_json_place(doc, hs_json_next(node)), 3, 31, 1);
    struct hs_place place = hs_json_place(doc, hs_json_next(hs_json_next(node)));
    expect_place(place, 3, 35, 2);
    assert_int_equal(place.text_len, 36); /* without the CR */
    assert_string_equal(place.file, "a.json");
    assert_int_equal(hs_json_place(doc, NULL).line, 1);
}

/* The message required by the design, as a reader of clusters writes it. */
static void test_unknown_key_message(void **state)
{
    (void)state;
    const struct hs_json *root =
        load("{\n \"name\": \"toy\",\n \"nodes\": [\n"
             "                          {\"gpu\":\"V100\",\"cuont\":8} ] }\n");
    const struct hs_json *bad = hs_json_get(hs_json_first(hs_json_get(root, "nodes")), "cuont");
    struct hs_place place = hs_json_place_key(doc, bad);
    (void)hs_fail(&sink.diag, HS_E_INPUT, &place, "did you mean 'count'?", "unknown key '%s'",
                  hs_json_key(bad));
    assert_string_equal(sink.text,
                        "a.json:4:41: error: unknown key 'cuont'\n"
                        "    4 |                           {\"gpu\":\"V100\",\"cuont\":8} ] }\n"
                        "      |                                         ^~~~~~~\n"
                        "      = hint: did you mean 'count'?\n");
}

static void test_duplicate_keys(void **state)
{
    char text[600];
    size_t len;
    (void)state;
    refuse("{\"a\": 1,\n \"b\": {\"c\": 1, \"a\": 2, \"c\": 3}}",
           "a.json:2:24: error: duplicate key 'c'\n"
           "    2 |  \"b\": {\"c\": 1, \"a\": 2, \"c\": 3}}\n"
           "      |                        ^~~\n"
           "      = hint: the first one is on line 2\n");
    /* Many keys use another search: k0 .. k39, one a line, then k7 and k3 again. */
    len = (size_t)sprintf(text, "{\n");
    for (int i = 0; i < 40; i++)
        len += (size_t)sprintf(text + len, "\"k%d\": 0,\n", i);
    strcpy(text + len, " \"k7\": 1, \"k3\": 1}");
    refuse(text, "a.json:42:2: error: duplicate key 'k7'\n"
                 "   42 |  \"k7\": 1, \"k3\": 1}\n"
                 "      |  ^~~~\n"
                 "      = hint: the first one is on line 9\n");
    strcpy(text + len, " \"k40\": 1}");
    (void)load(text);
}

static void test_texts_that_are_refused(void **state)
{
    (void)state;
    refuse("{\"a\": \"x\ny\"}", "a.json:1:9: error: a line end inside a text\n"
                                "    1 | {\"a\": \"x\n"
                                "      |         ^\n"
                                "      = hint: is the closing quote missing?\n");
    refuse("[\"x\ty\"]", "a.json:1:4: error: a control character inside a text\n"
                         "    1 | [\"x\\x09y\"]\n"
                         "      |    ^~~~\n"
                         "      = hint: write a tab as \\t\n");
    refuse_at("[\"ab\\x\"]", "1:5", "unknown escape");
    refuse_at("[\"\\u12g4\"]", "1:3", "\\u needs four hexadecimal digits");
    refuse_at("[\"a\\u0000b\"]", "1:4", "\\u0000 would end the text here");
    refuse_at("[\"\\ud800x\"]", "1:3", "half of a surrogate pair");
    refuse_at("[\"\\ud800\\u0041\"]", "1:3", "half of a surrogate pair");
    refuse_at("[\"\\udc00\"]", "1:3", "half of a surrogate pair");
    refuse_at("[1,\n\"abc", "2:1", "the text that begins here is never closed");
    refuse_at("[\"a\\", "1:4", "unknown escape");
    refuse_bytes("[\"a\0\"]", 6,
                 "a.json:1:4: error: a control character inside a text\n"
                 "    1 | [\"a\\x00\"]\n"
                 "      |    ^~~~\n"
                 "      = hint: write a tab as \\t\n");
}

static void test_numbers_that_are_refused(void **state)
{
    static const char *const numbers[] = {"01",   "-",     "1.",   ".5",  "+1",    "1e", "1e+",
                                          "0x10", "1.2.3", "8GiB", "-01", "1_000", "--1"};
    char text[160];
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(text, sizeof text, "[0, %s]", numbers[i]);
        refuse_at(text, "1:5", "not a JSON number");
    }
    refuse_at("[1e999]", "1:2", "a number beyond the range of a double");
    refuse_at("[7, {\"a\": -1e999}]", "1:11", "a number beyond the range of a double");
    snprintf(text, sizeof text, "[%064d]", 7);
    text[1] = '1'; /* 64 digits; cJSON takes 63 */
    refuse_at(text, "1:2", "a number of more than 63 characters");
    refuse("[12, 1.5x]", "a.json:1:6: error: not a JSON number\n"
                         "    1 | [12, 1.5x]\n"
                         "      |      ^~~~\n"
                         "      = hint: numbers are like 12, -0.5, 1e9; values with a unit go in "
                         "double quotes\n");
}

static void test_structure_that_is_refused(void **state)
{
    (void)state;
    refuse_at("", "1:1", "the text ends where a value is expected");
    refuse_at(" \n ", "2:2", "the text ends where a value is expected");
    refuse_at("{\"a\": 1,}", "1:9", "expected a key in double quotes");
    refuse_at("[1, 2,]", "1:7", "expected a value");
    refuse_at("[,1]", "1:2", "expected a value");
    refuse_at("{a: 1}", "1:2", "expected a key in double quotes");
    refuse_at("{\"a\" 1}", "1:6", "expected ':' after the key");
    refuse_at("{\"a\": 1 \"b\": 2}", "1:9", "expected ',' or '}'");
    refuse_at("[1 2]", "1:4", "expected ',' or ']'");
    refuse_at("[1}", "1:3", "expected ',' or ']'");
    refuse_at("{\"a\": [1, 2", "1:12", "the text ends before ']'");
    refuse_at("{\"a\": 1\n", "2:1", "the text ends before '}'");
    refuse_at("{\"a\":", "1:6", "the text ends where a value is expected");
    refuse_at("{", "1:2", "the text ends before '}'");
    refuse_at("[True]", "1:2", "expected a value");
    refuse_at("['a']", "1:2", "expected a value");
    refuse_at("[nul]", "1:2", "expected a value");
    refuse_at("[NaN]", "1:2", "expected a value");
    refuse_at("[1] x", "1:5", "text after the end of the document");
    refuse_at("{}\n{}", "2:1", "text after the end of the document");
    refuse_at("[1 /* 2]", "1:4", "the comment that opens here is never closed");
    refuse_at("[1 / 2]", "1:4", "unexpected '/'");
    refuse_at("[1 /*/]", "1:4", "the comment that opens here is never closed");
    refuse("[1,\n]", "a.json:2:1: error: expected a value\n"
                     "    2 | ]\n"
                     "      | ^\n"
                     "      = hint: remove the comma before ']'\n");
}

static void test_depth(void **state)
{
    char text[200];
    (void)state;
    memset(text, '[', 64); /* 64 levels are valid, 65 are not */
    memset(text + 64, ']', 64);
    text[128] = '\0';
    (void)load(text);
    tear_down(state);
    memset(text, '[', 65);
    refuse_at(text, "1:65", "more than 64 levels of nesting");
}

static void test_missing_file(void **state)
{
    (void)state;
    assert_int_equal(hs_json_load(&doc, "none.json", &sink.diag), HS_E_IO);
    assert_null(doc);
    assert_int_equal(sink.diag.errors, 1);
    hs_json_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_absent_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_integers_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plain_texts_are_as_cjson_has_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_escape_may_stand_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_comments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_key_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_duplicate_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts_that_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_that_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_structure_that_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
