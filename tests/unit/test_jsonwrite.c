/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The writer of JSON: its text was written by hand, and the reader accepts it.
 */
#include "data/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
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

static void test_writer(void **state)
{
    struct hs_output out;
    struct hs_jsonw w;
    char *text;
    size_t len;
    (void)state;
    assert_int_equal(hs_output_open(&out, "w.json", &sink.diag), HS_OK);
    hs_jsonw_begin(&w, &out);
    hs_jsonw_put(&w, "={");
    hs_jsonw_key(&w, "text");
    hs_jsonw_text(&w, "q\" b\\ n\n \x01 \x7F \xC3\xA9 \xFF \xC3");
    hs_jsonw_key(&w, "null");
    hs_jsonw_text(&w, NULL);
    hs_jsonw_key(&w, "list");
    hs_jsonw_put(&w, "=[");
    hs_jsonw_put(&w, "=%" PRId64, INT64_MIN);
    hs_jsonw_put(&w, "=%" PRIu64, UINT64_MAX);
    hs_jsonw_put(&w, "=%g", 0.30000000000000004); /* 0.1 + 0.2, which cJSON prints as 0.3 */
    hs_jsonw_put(&w, "=%g", INFINITY);
    hs_jsonw_seconds(&w, -1500000);
    hs_jsonw_put(&w, "=%d", true);
    hs_jsonw_put(&w, "=%016" PRIx64, UINT64_C(0xABC));
    hs_jsonw_text(&w, NULL);
    hs_jsonw_put(&w, "=[");
    hs_jsonw_put(&w, "]");
    hs_jsonw_put(&w, "={");
    hs_jsonw_put(&w, "}");
    hs_jsonw_put(&w, "=!{");
    hs_jsonw_key(&w, "a");
    hs_jsonw_put(&w, "=[");
    hs_jsonw_put(&w, "=#1");
    hs_jsonw_put(&w, "=#2");
    hs_jsonw_put(&w, "]");
    hs_jsonw_key(&w, "b");
    hs_jsonw_put(&w, "=[");
    hs_jsonw_put(&w, "]");
    hs_jsonw_put(&w, "}");
    hs_jsonw_put(&w, "=#3");
    hs_jsonw_put(&w, "]");
    hs_jsonw_put(&w, "}");
    hs_jsonw_finish(&w);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    assert_int_equal(hs_read_file("w.json", 4096, &text, &len, &sink.diag), HS_OK);
    assert_string_equal(
        text, "{\n"
              "  \"text\": \"q\\\" b\\\\ n\\n \\ufffd \\ufffd \xC3\xA9 \\u00ff \\u00c3\",\n"
              "  \"null\": null,\n"
              "  \"list\": [\n"
              "    -9223372036854775808,\n"
              "    18446744073709551615,\n"
              "    0.30000000000000004,\n"
              "    null,\n"
              "    -1.5,\n"
              "    true,\n"
              "    \"0000000000000abc\",\n"
              "    null,\n"
              "    [],\n"
              "    {},\n"
              "    {\"a\": [1, 2], \"b\": []},\n"
              "    3\n"
              "  ]\n"
              "}\n");
    hs_free(text);
    assert_int_equal(hs_json_load(&doc, "w.json", &sink.diag), HS_OK);
}

/* UTF-8 by table 3-7 of the Unicode standard: the first and last of each row pass, the adjacent
 * ones outside do not. */
static void test_writer_checks_utf8(void **state)
{
    static const char *const good[] = {"\xC2\x80",         "\xDF\xBF",        "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",     "\xEE\x80\x80",    "\xEF\xBF\xBF",
                                       "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\x80",
                                      "\xC1\xBF",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xE2\x82",
                                      "\xF0\x90\x80"};
    struct hs_output out;
    struct hs_jsonw w;
    (void)state;
    assert_int_equal(hs_output_open(&out, "w.json", &sink.diag), HS_OK);
    hs_jsonw_begin(&w, &out);
    hs_jsonw_put(&w, "=[");
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        hs_jsonw_text(&w, good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        hs_jsonw_text(&w, bad[i]);
    hs_jsonw_put(&w, "]");
    hs_jsonw_finish(&w);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    assert_int_equal(hs_json_load(&doc, "w.json", &sink.diag), HS_OK);
    const struct hs_json *v = hs_json_first(hs_json_root(doc));
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++, v = hs_json_next(v))
        assert_string_equal(hs_json_text(v), good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++, v = hs_json_next(v)) {
        const char *text = hs_json_text(v); /* each byte b became U+00b: C2 or C3 before it */
        assert_int_equal(strlen(text), 2 * strlen(bad[i]));
        assert_true(text[0] == '\xC2' || text[0] == '\xC3');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_writer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_writer_checks_utf8, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
