/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heads of model files and the set that a run uses. Columns of messages are counted by hand in the
 * text beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"
#include "support/sink.h"

static struct sink sink;

static const char *write_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static const char *write_kind(const char *name, const char *kind)
{
    char text[128];
    (void)snprintf(text, sizeof text, "{\"kind\": \"%s\", \"format\": 2}", kind);
    return write_text(name, text);
}

/* ---- one file ---- */

static void test_open(void **state)
{
    (void)state;
    struct hs_jsoncheck check;
    sink_init(&sink);
    for (uint32_t kind = 0; kind < HS_MODEL_COUNT; kind++) {
        const char *path = write_kind("m.json", hs_model_kinds[kind]);
        assert_int_equal(hs_modelfile_open(&check, path, (enum hs_model_kind)kind, &sink.diag),
                         HS_OK);
        assert_int_equal(check.status, HS_OK);
        assert_string_equal(hs_json_text(hs_json_get(hs_json_root(check.doc), "kind")),
                            hs_model_kinds[kind]);
        hs_json_close(check.doc);
    }
    assert_string_equal(sink.text, "");
}

static void test_open_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *message;
    } cases[] = {
        {"[]", ":1:1:", "a model file must be an object, not an array"},
        {"{\"format\": 2}", ":1:1:", "\"kind\" is missing"},
        {"{\"kind\": 3, \"format\": 2}", ":1:10:", "kind must be text, not a number"},
        {"{\"kind\": \"spede\", \"format\": 2}", ":1:10:", "did you mean 'speed'?"},
        {"{\"kind\": \"weather\", \"format\": 2}",
         ":1:10:", "kinds: interference utilization predictor speed"},
        {"{\"kind\": \"speed\"}", ":1:1:", "\"format\" is missing"},
        {"{\"kind\": \"speed\",\n \"format\": 1}", ":2:12:", "model files of format 2 only"},
        {"{\"kind\": \"speed\", \"format\": \"2\"}", ":1:29:", "model files of format 2 only"},
        {"{\"kind\": \"predictor\", \"format\": 2}",
         ":1:10:", "a model file of kind 'predictor' where 'speed' is needed"},
        {"{\"kind\": \"speed\", \"format\": NaN}", ":1:29:", "error"},
        {"{\"kind\": \"speed\", \"format\": 1e999}", ":1:29:", "beyond the range of a double"},
        {"", "", "error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_jsoncheck check;
        sink_init(&sink);
        const char *path = write_text("bad.json", cases[i].text);
        assert_int_equal(hs_modelfile_open(&check, path, HS_MODEL_SPEED, &sink.diag), HS_E_INPUT);
        hs_json_close(check.doc);
        if (strstr(sink.text, cases[i].place) == NULL ||
            strstr(sink.text, cases[i].message) == NULL)
            fail_msg("%s gives %s", cases[i].text, sink.text);
    }
}

static void test_open_absent(void **state)
{
    (void)state;
    struct hs_jsoncheck check;
    sink_init(&sink);
    assert_int_equal(
        hs_modelfile_open(&check, scratch_path("absent.json"), HS_MODEL_SPEED, &sink.diag),
        HS_E_IO);
    assert_null(check.doc);
}

/* ---- sets ---- */

static void test_set(void **state)
{
    (void)state;
    struct hs_modelset set;
    char files[512];
    sink_init(&sink);
    assert_int_equal(hs_modelset_init(&set, NULL, &sink.diag), HS_OK);
    assert_string_equal(set.path[HS_MODEL_INTERFERENCE], "builtin:models/interference.json");
    assert_string_equal(set.path[HS_MODEL_SPEED], "builtin:models/speed.json");
    hs_modelset_free(&set);
    assert_int_equal(hs_modelset_init(&set, "", &sink.diag), HS_OK);
    assert_string_equal(set.path[HS_MODEL_UTILIZATION], "builtin:models/utilization.json");
    hs_modelset_free(&set);

    const char *mine = write_kind("mine.json", "predictor");
    assert_int_equal(hs_modelset_init(&set, mine, &sink.diag), HS_OK);
    assert_string_equal(set.path[HS_MODEL_PREDICTOR], mine);
    assert_string_equal(set.path[HS_MODEL_SPEED], "builtin:models/speed.json");
    hs_modelset_free(&set);

    (void)snprintf(files, sizeof files, "%s,%s", write_kind("a.json", "speed"), mine);
    assert_int_equal(hs_modelset_init(&set, files, &sink.diag), HS_OK);
    memset(files, 'x', sizeof files); /* the set has copies */
    assert_string_equal(set.path[HS_MODEL_PREDICTOR], mine);
    assert_string_equal(set.path[HS_MODEL_SPEED], scratch_path("a.json"));
    assert_string_equal(set.path[HS_MODEL_INTERFERENCE], "builtin:models/interference.json");
    hs_modelset_free(&set);
    assert_null(set.path[HS_MODEL_SPEED]);
    assert_string_equal(sink.text, "");
}

static void expect_set_error(const char *files, enum hs_status status, const char *message)
{
    struct hs_modelset set;
    sink_init(&sink);
    assert_int_equal(hs_modelset_init(&set, files, &sink.diag), status);
    if (strstr(sink.text, message) == NULL)
        fail_msg("%s", sink.text);
    assert_null(set.arena.chunk);
}

static void test_set_errors(void **state)
{
    (void)state;
    char files[512], message[512];
    char first[128];
    (void)snprintf(first, sizeof first, "%s", write_kind("first.json", "speed"));
    (void)snprintf(files, sizeof files, "%s,%s", first, write_kind("second.json", "speed"));
    (void)snprintf(message, sizeof message, "two model files of kind 'speed': this one and %s",
                   first);
    expect_set_error(files, HS_E_INPUT, message);
    expect_set_error(files, HS_E_INPUT, "second.json:1:10:");
    expect_set_error(",", HS_E_USAGE, "a model file without a name in ','");
    (void)snprintf(files, sizeof files, "%s,", first);
    expect_set_error(files, HS_E_USAGE, "a model file without a name");
    expect_set_error("-", HS_E_USAGE, "cannot come from standard input");
    expect_set_error(scratch_path("absent.json"), HS_E_IO, "absent.json");
    expect_set_error(write_kind("odd.json", "weather"), HS_E_INPUT, "odd.json:1:10:");
    expect_set_error(write_text("list.json", "[1]"), HS_E_INPUT, "must be an object");
}

static void test_same_name(void **state)
{
    (void)state;
    assert_true(hs_model_same_name("RTX3090", "rtx-3090"));
    assert_true(hs_model_same_name("_RTX 3090-", "RTX3090"));
    assert_true(hs_model_same_name("", "- _"));
    assert_false(hs_model_same_name("V100", "P100"));
    assert_false(hs_model_same_name("V100", "V100S"));
    assert_false(hs_model_same_name("V100S", "V100"));
    assert_false(hs_model_same_name("A/B", "AB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),        cmocka_unit_test(test_open_errors),
        cmocka_unit_test(test_open_absent), cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_errors),  cmocka_unit_test(test_same_name),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
