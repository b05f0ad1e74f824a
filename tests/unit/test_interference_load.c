/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How interference is selected, and how bad model files are reported: each fault at its place.
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
#include "support/interference_fixture.h"

static const struct hs_interference_options plain = {.gamma = 1};

/* ---- --interference ---- */

static void test_parse(void **state)
{
    (void)state;
    struct hs_interference_options options = {.gamma = 1.5};
    sink_init(&interference_sink);
    struct hs_diag *diag = &interference_sink.diag;
    assert_int_equal(hs_interference_parse("const:0.2", &options, diag), HS_OK);
    assert_int_equal(options.mode, HS_INTERFERENCE_CONST);
    assert_true(options.excess == 0.2);
    assert_int_equal(hs_interference_parse("const:0", &options, diag), HS_OK);
    assert_true(options.excess == 0);
    assert_int_equal(hs_interference_parse("fit", &options, diag), HS_OK);
    assert_int_equal(options.mode, HS_INTERFERENCE_FIT);
    assert_int_equal(hs_interference_parse("none", &options, diag), HS_OK);
    assert_int_equal(options.mode, HS_INTERFERENCE_NONE);
    assert_int_equal(hs_interference_parse("measured+fit", &options, diag), HS_OK);
    assert_int_equal(options.mode, HS_INTERFERENCE_MEASURED);
    assert_true(options.gamma == 1.5);
    assert_string_equal(interference_sink.text, "");
}

static void test_parse_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message, *hint;
    } cases[] = {
        {"", "unknown interference ''", "one of measured+fit, fit, const:X, none"},
        {"measured", "unknown interference 'measured'", "measured+fit"},
        {"fitt", "unknown interference 'fitt'", "did you mean 'fit'?"},
        {"constant:1", "unknown interference 'constant:1'", "const:X"},
        {"const", "needs a number 0..100, not ''", "const:0.2"},
        {"const:", "needs a number 0..100, not ''", "const:0.2"},
        {"const:x", "needs a number 0..100, not 'x'", "const:0.2"},
        {"const:-0.1", "needs a number 0..100, not '-0.1'", "const:0.2"},
        {"const:101", "needs a number 0..100, not '101'", "const:0.2"},
        {"const:nan", "needs a number 0..100, not 'nan'", "const:0.2"},
        {"const:1e999", "needs a number 0..100", "const:0.2"},
        {"none ", "unknown interference 'none '", "did you mean 'none'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_interference_options options = plain;
        sink_init(&interference_sink);
        assert_int_equal(hs_interference_parse(cases[i].text, &options, &interference_sink.diag),
                         HS_E_USAGE);
        if (strstr(interference_sink.text, cases[i].message) == NULL ||
            strstr(interference_sink.text, cases[i].hint) == NULL)
            fail_msg("'%s' gives %s", cases[i].text, interference_sink.text);
        assert_int_equal(options.mode, HS_INTERFERENCE_MEASURED);
    }
}

/* ---- bad files ---- */

#define HEAD   "{\"kind\": \"interference\", \"format\": 2,\n"
#define FORMS  "\"forms\": [{" MODE "\"k\": 1, \"alpha\": 1, \"beta\": 2}],\n"
#define MODE   "\"gpu\": \"V100\", \"mode\": \"timeslice\", "
#define JOB_A  "{\"profile\": \"A/d/1/fp32\", \"a\": 1, \"b\": 1}"
#define JOB_B  "{\"profile\": \"B/d/1/fp32\", \"a\": 1, \"b\": 1}"
#define RANK_1 HEAD "\"tables\": [{" MODE "\"form\": \"rank-1\",\n\"jobs\": ["
#define PAIRS  RANK_1 JOB_A ",\n" JOB_B "],\n\"pairs\": ["
#define TWO_WAY                                                                                    \
    HEAD FORMS "\"tables\": [{" MODE "\"form\": \"two-way\",\n\"jobs\": ["                         \
               "{\"profile\": \"A/d/1/fp32\", "

/* '@' marks the fault and is not part of the file. */
static void expect_fault(const char *marked, const char *message)
{
    char text[1024], place[64];
    int line = 1, column = 1;
    const char *at = strchr(marked, '@');
    assert_non_null(at);
    for (const char *p = marked; p < at; p++) {
        line += *p == '\n';
        column = *p == '\n' ? 1 : column + 1;
    }
    (void)snprintf(text, sizeof text, "%.*s%s", (int)(at - marked), marked, at + 1);
    (void)snprintf(place, sizeof place, "model.json:%d:%d: error: ", line, column);
    struct hs_interference *m;
    assert_int_equal(interference_try(&m, text, &plain), HS_E_INPUT);
    assert_null(m);
    if (strstr(interference_sink.text, place) == NULL ||
        strstr(interference_sink.text, message) == NULL)
        fail_msg("%s\ngives %s\nnot %s%s", text, interference_sink.text, place, message);
}

static void test_bad_general(void **state)
{
    (void)state;
    expect_fault("{\"kind\": @\"speed\", \"format\": 2}",
                 "a model file of kind 'speed' where 'interference' is needed");
    expect_fault(HEAD "@\"generl\": {}}", "unknown key 'generl' in an interference model");
    expect_fault(HEAD "\"forms\": @{}}", "forms must be an array, not an object");
    expect_fault(HEAD "\"forms\": [@null]}", "a form must be an object, not null");
    expect_fault(HEAD "\"forms\": [@{" MODE "\"alpha\": 1, \"beta\": 1}]}", "\"k\" is missing");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": 1, \"alpha\": 1, \"beta\": 1, @\"gama\": 1}]}",
                 "unknown key 'gama' in a form");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": @-0.1, \"alpha\": 1, \"beta\": 1}]}",
                 "k must be a number 0..100");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": @\"1\", \"alpha\": 1, \"beta\": 1}]}",
                 "k must be a number 0..100");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": 1, \"alpha\": @0, \"beta\": 1}]}",
                 "alpha must be a number 0.01..10");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": 1, \"alpha\": 1, \"beta\": @null}]}",
                 "beta must be a number 0.01..10");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": @NaN, \"alpha\": 1, \"beta\": 1}]}", "");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": 1, \"alpha\": 1, \"beta\": @1e999}]}",
                 "beyond the range of a double");
    expect_fault(HEAD "\"forms\": [{" MODE
                      "\"k\": 1, \"alpha\": 1, \"beta\": 1, \"holdout\": @3}]}",
                 "holdout must be an array, not a number");
    expect_fault(HEAD "\"forms\": [{" MODE
                      "\"k\": 1, \"alpha\": 1, \"beta\": 1, \"holdout\": [@{}]}]}",
                 "\"rmse\" is missing");
    expect_fault(HEAD "\"forms\": [{" MODE "\"k\": 1, \"alpha\": 1, \"beta\": 1,\n"
                      "\"holdout\": [{\"rmse\": 0.1}, {\"rmse\": @-1}]}]}",
                 "rmse must be a number");
}

static void test_bad_tables(void **state)
{
    (void)state;
    expect_fault(HEAD "\"tables\": @{}}", "tables must be an array");
    expect_fault(HEAD "\"tables\": [@1]}", "a table must be an object");
    expect_fault(HEAD
                 "\"tables\": [@{\"mode\": \"timeslice\", \"form\": \"rank-1\", \"jobs\": [" JOB_A
                 "]}]}",
                 "\"gpu\" is missing");
    expect_fault(HEAD "\"tables\": [@{" MODE "\"jobs\": [" JOB_A "]}]}",
                 "the form of a table must be");
    expect_fault(HEAD "\"tables\": [{" MODE "\"form\": @\"cubic\", \"jobs\": [" JOB_A "]}]}",
                 "the form of a table must be");
    expect_fault(HEAD "\"tables\": [{" MODE "\"form\": @\"two-way\", \"jobs\": [" JOB_A "]}]}",
                 "two-way effects are added to a form of");
    expect_fault(HEAD "\"tables\": [{" MODE "\"form\": \"rank-1\", \"jobs\": @[]}]}",
                 "jobs is empty");
    expect_fault(HEAD "\"tables\": [@{" MODE "\"form\": \"rank-1\"}]}", "\"jobs\" is missing");
    expect_fault(RANK_1 JOB_A "], @\"lamda\": 1}]}", "did you mean 'lambda'?");
    expect_fault(RANK_1 JOB_A "]},\n{\"gpu\": @\"v-100\", \"mode\": \"timeslice\", \"form\": "
                              "\"rank-1\", \"jobs\": [" JOB_A "]}]}",
                 "a second table for GPU type 'v-100'");
    /* Also if the cluster has no such type. */
    expect_fault(HEAD "\"tables\": [{\"gpu\": \"H100\", \"mode\": \"timeslice\", \"form\": "
                      "\"rank-1\", \"jobs\": [@3]}]}",
                 "a job of a table must be an object");
}

static void test_bad_jobs(void **state)
{
    (void)state;
    expect_fault(RANK_1 "@{\"a\": 1, \"b\": 1}]}]}", "\"profile\" is missing");
    expect_fault(RANK_1 "{\"profile\": @7, \"a\": 1, \"b\": 1}]}]}", "profile must be text");
    expect_fault(RANK_1 "{\"profile\": @\"\", \"a\": 1, \"b\": 1}]}]}", "1..255 bytes");
    expect_fault(RANK_1 "@{\"profile\": \"A/d/1/fp32\", \"a\": 1}]}]}", "\"b\" is missing");
    expect_fault(RANK_1 "{\"profile\": \"A/d/1/fp32\", \"a\": @-1, \"b\": 1}]}]}",
                 "a must be a number 0..1000");
    expect_fault(RANK_1 "{\"profile\": \"A/d/1/fp32\", \"a\": 1, \"b\": 1, @\"util\": 1}]}]}",
                 "unknown key 'util' in a job of a rank-1 table");
    expect_fault(RANK_1 JOB_A ",\n" JOB_B
                              ",\n{\"profile\": @\"a/D/1/FP-32\", \"a\": 1, \"b\": 1}]}]}",
                 "'a/D/1/FP-32' is in this table twice");
    expect_fault(RANK_1 "{\"profile\": @\"/d/1/fp32\", \"a\": 1, \"b\": 1}]}]}",
                 "begins with no model");
    expect_fault(TWO_WAY "\"util\": @1.5, \"own\": 0, \"other\": 0,\n"
                         "\"own_slope\": 0, \"other_slope\": 0}]}]}",
                 "util must be a number 0..1");
    expect_fault(TWO_WAY "\"util\": 1, \"own\": 0, \"other\": 0,\n"
                         "\"own_slope\": @11, \"other_slope\": 0}]}]}",
                 "own_slope must be a number -10..10");
    expect_fault(TWO_WAY "\"util\": 1, \"own\": 0, \"other\": 0,\n"
                         "\"own_slope\": 0, \"other_slope\": 0, @\"a\": 1}]}]}",
                 "unknown key 'a' in a job of a two-way table");
}

static void test_missing_effects(void **state)
{
    (void)state;
    static const char *const names[] = {"util", "own", "other", "own_slope", "other_slope"};
    for (uint32_t left_out = 0; left_out < 5; left_out++) {
        char text[1024], message[64];
        size_t len = (size_t)snprintf(text, sizeof text,
                                      HEAD FORMS "\"tables\": [{" MODE "\"form\": \"two-way\",\n"
                                                 "\"jobs\": [@{\"profile\": \"A/d/1/fp32\"");
        for (uint32_t i = 0; i < 5; i++)
            if (i != left_out)
                len += (size_t)snprintf(text + len, sizeof text - len, ", \"%s\": 0", names[i]);
        (void)snprintf(text + len, sizeof text - len, "}]}]}");
        (void)snprintf(message, sizeof message, "\"%s\" is missing", names[left_out]);
        expect_fault(text, message);
    }
}

static void test_bad_model_pairs(void **state)
{
    (void)state;
    expect_fault(RANK_1 JOB_A "], \"model_pairs\": [@1]}]}", "a pair of models must be an array");
    expect_fault(RANK_1 JOB_A "], \"model_pairs\": [@[\"A\", \"A\"]]}]}",
                 "a pair of models is [model, co-runner, effect on the speed]");
    expect_fault(RANK_1 JOB_A "], \"model_pairs\": [@[\"A\", \"A\", 11]]}]}",
                 "a pair of models is [model, co-runner, effect on the speed]");
    expect_fault(RANK_1 JOB_A "], \"model_pairs\": [[\"A\", @\"Z\", 0]]}]}",
                 "names a model that has no job here");
    expect_fault(RANK_1 JOB_A "], \"model_pairs\": [[@7, \"A\", 0]]}]}",
                 "names a model that has no job here");
}

static void test_bad_pairs(void **state)
{
    (void)state;
    expect_fault(PAIRS "@1]}]}", "a pair must be an array");
    expect_fault(PAIRS "@[0, 1]]}]}", "a pair is [job, co-runner, slowdown]");
    expect_fault(PAIRS "@[0, 1, 1.5, 1.5]]}]}", "a pair is [job, co-runner, slowdown]");
    expect_fault(PAIRS "[@2, 1, 1.5]]}]}", "a pair names a job 0..1");
    expect_fault(PAIRS "[0, @-1, 1.5]]}]}", "a pair names a job 0..1");
    expect_fault(PAIRS "[0, @0.5, 1.5]]}]}", "a pair names a job 0..1");
    expect_fault(PAIRS "[@\"A/d/1/fp32\", 0, 1.5]]}]}", "a pair names a job 0..1");
    expect_fault(PAIRS "[0, 1, @0]]}]}", "a slowdown must be a number above 0");
    expect_fault(PAIRS "[0, 1, @-1.5]]}]}", "a slowdown must be a number above 0");
    expect_fault(PAIRS "[0, 1, @\"1.5\"]]}]}", "a slowdown must be a number above 0");
    expect_fault(PAIRS "[0, 1, @1000.5]]}]}", "at most 1000");
    expect_fault(PAIRS "[0, 1, 1.5], [1, 0, 1.5],\n@[0, 1, 2]]}]}", "the pair [0, 1] twice");
    expect_fault(RANK_1 JOB_A "], \"pairs\": @{}}]}", "pairs must be an array");
}

static void test_table_too_large(void **state)
{
    (void)state;
    static char text[1025 * 8 + 256];
    struct hs_interference *m;
    size_t len = (size_t)snprintf(text, sizeof text, RANK_1 "{}");
    for (uint32_t i = 1; i < 1025; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, ", {}");
    (void)snprintf(text + len, sizeof text - len, "]}]}");
    assert_int_equal(interference_try(&m, text, &plain), HS_E_INPUT);
    assert_non_null(strstr(interference_sink.text, "a table of 1025 jobs, more than 1024"));
}

/* One mistake in a form is one error: the form does not count as missing for the tables that add to
 * it. */
static void test_bad_general_is_one_fault(void **state)
{
    (void)state;
    struct hs_interference *m;
    assert_int_equal(
        interference_try(
            &m,
            HEAD "\"forms\": [{" MODE "\"k\": -1, \"alpha\": 1, \"beta\": 2}],\n"
                 "\"tables\": [{" MODE "\"form\": \"two-way\", \"jobs\": ["
                 "{\"profile\": \"A/d/1/fp32\", \"util\": 0.5, \"own\": 0, \"own_slope\": 0, "
                 "\"other\": 0, \"other_slope\": 0}]}]}",
            &plain),
        HS_E_INPUT);
    const char *first = strstr(interference_sink.text, "error: ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "error: "));
}

/* ---- good files that are not the usual ones ---- */

/* A job that is absent from the catalogue is left out, and the numbers of the pairs remain those of
 * the file. */
static void test_unknown_profile(void **state)
{
    (void)state;
    struct hs_interference *m;
    assert_int_equal(interference_try(&m,
                                      RANK_1
                                      "{\"profile\": \"Z/d/1/fp32\", \"a\": 9, \"b\": 9}, " JOB_A
                                      ",\n" JOB_B "],\n"
                                      "\"pairs\": [[0, 1, 9], [1, 2, 1.25], [1, 0, 9]]}]}",
                                      &plain),
                     HS_OK);
    assert_non_null(strstr(interference_sink.text,
                           "model.json:3:9: note: 1 of 3 jobs measured on V100 are "
                           "not in the catalogue and are left out, e.g. "
                           "'Z/d/1/fp32'"));
    const struct hs_tenant tenants[] = {{.profile = INTERFERENCE_A, .util_pm = 500},
                                        {.profile = INTERFERENCE_B, .util_pm = 500}};
    enum hs_slowdown_source source;
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 2, 0, &source),
                     HS_Q20_ONE * 5 / 4);
    assert_int_equal(source, HS_SLOWDOWN_MEASURED);
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 2, 1, &source),
                     2 * HS_Q20_ONE);
    assert_int_equal(source, HS_SLOWDOWN_FITTED);
    hs_interference_free(m);
    /* No job is known: a note, and no pair from the table. Another type: no note. */
    assert_int_equal(
        interference_try(&m, RANK_1 "{\"profile\": \"Z/d/1/fp32\", \"a\": 9, \"b\": 9}]}]}",
                         &plain),
        HS_OK);
    assert_non_null(strstr(interference_sink.text, "1 of 1 jobs measured on V100"));
    hs_interference_free(m);
    m = interference_of_text(HEAD
                             "\"tables\": [{\"gpu\": \"H100\", \"mode\": \"timeslice\", \"form\": "
                             "\"rank-1\", \"jobs\": ["
                             "{\"profile\": \"Z/d/1/fp32\", \"a\": 9, \"b\": 9}]}]}",
                             &plain);
    hs_interference_free(m);
}

/* The tables of two types lack jobs: one message, 1 of 1 and 1 of 2 added up. */
static void test_unknown_profiles_are_reported_once(void **state)
{
    (void)state;
    static const char *const text = RANK_1
        "{\"profile\": \"Z/d/1/fp32\", \"a\": 9, \"b\": 9}]},\n"
        "{\"gpu\": \"P100\", \"mode\": \"timeslice\", \"form\": \"rank-1\", \"jobs\": [" JOB_A
        ", {\"profile\": \"Y/d/1/fp32\", \"a\": 9, \"b\": 9}]}]}";
    struct hs_interference *m;
    assert_int_equal(interference_try(&m, text, &plain), HS_OK);
    const char *first = strstr(interference_sink.text, "note: ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "note: "));
    assert_non_null(strstr(first, "2 of 3 jobs measured on V100, P100 are not in the catalogue and "
                                  "are left out, e.g. 'Z/d/1/fp32'"));
    hs_interference_free(m);
}

/* Data without utilizations (Gavel's) gives no general form: pairs outside the table are assumed to
 * run freely, and the source is "assumed". */
static void test_no_general(void **state)
{
    (void)state;
    struct hs_interference *m = interference_of_text(RANK_1 JOB_A "]}]}", &plain);
    const struct hs_tenant tenants[] = {{.profile = INTERFERENCE_A, .util_pm = 500},
                                        {.profile = INTERFERENCE_B, .util_pm = 500}};
    enum hs_slowdown_source source;
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 2, 0, &source),
                     HS_Q20_ONE);
    assert_int_equal(source, HS_SLOWDOWN_ASSUMED);
    hs_interference_free(m);
    m = interference_of_text(HEAD "\"data\": [], \"cleaning\": [], \"rows\": {}}", &plain);
    hs_interference_free(m);
}

/* Too little data to hold any of it out: calibrate writes null, and the error is unknown; that of
 * another protocol does not replace it. */
static void test_error_not_known(void **state)
{
    (void)state;
    struct hs_interference *m = interference_of_text(
        HEAD "\"forms\": [{\"gpu\": \"RTX3090\", \"mode\": \"timeslice\", \"k\": 1, "
             "\"alpha\": 1, \"beta\": 1,\n\"holdout\": [{\"rmse\": null}, {\"rmse\": 0.1}]}]}",
        &plain);
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_RTX3090, HS_SLOWDOWN_GENERAL)));
    hs_interference_free(m);
}

static void test_file_absent(void **state)
{
    (void)state;
    struct hs_interference *m;
    sink_init(&interference_sink);
    assert_int_equal(hs_interference_load(&m, "/nonexistent/model.json", &interference_catalogue,
                                          &plain, interference_types, INTERFERENCE_TYPES,
                                          &interference_sink.diag),
                     HS_E_IO);
    assert_null(m);
}

/* The built-in model with its own catalogue: no fault, no note. */
static void test_shipped(void **state)
{
    (void)state;
    static const struct hs_interference_type gpus[] = {
        {.gpu = "RTX3090"}, {.gpu = "V100"}, {.gpu = "P100"}, {.gpu = "K80"}};
    struct hs_catalogue catalogue;
    struct hs_interference *m;
    if (hs_builtin_find("builtin:models/interference.json") == NULL) {
        print_message("no interference model is built in\n");
        skip();
    }
    sink_init(&interference_sink);
    assert_int_equal(hs_catalogue_load(&catalogue, "builtin:profiles.csv", &interference_sink.diag),
                     HS_OK);
    if (hs_interference_load(&m, "builtin:models/interference.json", &catalogue, &plain, gpus, 4,
                             &interference_sink.diag) != HS_OK ||
        interference_sink.len > 0)
        fail_msg("%s", interference_sink.text);
    hs_interference_free(m);
    hs_catalogue_free(&catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_parse_errors),
        cmocka_unit_test(test_bad_general),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_bad_jobs),
        cmocka_unit_test(test_missing_effects),
        cmocka_unit_test(test_bad_model_pairs),
        cmocka_unit_test(test_bad_pairs),
        cmocka_unit_test(test_table_too_large),
        cmocka_unit_test(test_unknown_profile),
        cmocka_unit_test(test_unknown_profiles_are_reported_once),
        cmocka_unit_test(test_bad_general_is_one_fault),
        cmocka_unit_test(test_no_general),
        cmocka_unit_test(test_file_absent),
        cmocka_unit_test(test_error_not_known),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, interference_open, interference_close);
}
