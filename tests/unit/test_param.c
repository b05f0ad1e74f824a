/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters: every type read, refused, printed and read back; messages compared byte for byte.
 */
#include "data/param_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sink.h"

struct values {
    bool flag;
    int64_t integer, any, round_us, pause_us, memory_mib;
    double share, percent;
    int32_t scan;
    const char *text, *absent, *file;
    struct hs_durations costs, limits;
};

#define AT(member) offsetof(struct values, member)

static const char *const scans[] = {"strict", "fit", "easy", NULL};
static const struct hs_param table[] = {
    {.key = "is_on", .type = HS_PARAM_FLAG, .offset = AT(flag), .preset = "yes"},
    {.key = "tenants",
     .type = HS_PARAM_INT,
     .offset = AT(integer),
     .preset = "2",
     .min = 1,
     .max = 16},
    {.key = "any", .type = HS_PARAM_INT, .offset = AT(any), .preset = "-7"},
    {.key = "share",
     .type = HS_PARAM_REAL,
     .offset = AT(share),
     .preset = "0.5",
     .min = 0,
     .max = 1},
    {.key = "skip", .type = HS_PARAM_REAL, .offset = AT(percent), .preset = "0", .unit = "%"},
    {.key = "round",
     .type = HS_PARAM_DURATION,
     .offset = AT(round_us),
     .preset = "0s",
     .min = 0,
     .max = 86400},
    {.key = "pause", .type = HS_PARAM_DURATION, .offset = AT(pause_us), .preset = "2d"},
    {.key = "memory",
     .type = HS_PARAM_SIZE_MIB,
     .offset = AT(memory_mib),
     .preset = "16GiB",
     .min = 1,
     .max = 1048576},
    {.key = "scan",
     .type = HS_PARAM_CHOICE,
     .offset = AT(scan),
     .preset = "easy",
     .choices = scans},
    {.key = "text", .type = HS_PARAM_TEXT, .offset = AT(text), .preset = "a/b"},
    {.key = "absent", .type = HS_PARAM_TEXT, .offset = AT(absent)},
    {.key = "preempt_cost", .type = HS_PARAM_DURATIONS, .offset = AT(costs), .preset = "7/30/60"},
    {.key = "file", .type = HS_PARAM_FILE, .offset = AT(file), .only_with = "scan=fit|easy"},
    {.key = "limits",
     .type = HS_PARAM_DURATIONS,
     .offset = AT(limits),
     .preset = "1/2",
     .min = 0,
     .max = 3600,
     .is_rising = true},
    {0}};

static struct sink sink;
static struct hs_arena arena;
static struct values v;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    memset(&v, 0xA5, sizeof v);
    return hs_param_defaults(table, &v, &arena) != HS_OK;
}

static int tear_down(void **state)
{
    (void)state;
    hs_arena_free(&arena);
    return 0;
}

static enum hs_status set(const char *key, const char *value)
{
    sink_clear(&sink);
    return hs_param_set(table, &v, &arena, "policy 'fifo'", key, value, NULL, &sink.diag);
}

static void refuse(const char *key, const char *value, const char *report)
{
    struct values before = v;
    assert_int_equal(set(key, value), HS_E_USAGE);
    assert_string_equal(sink.text, report);
    assert_memory_equal(&v, &before, sizeof v);
}

static void expect_print(const char *key, const char *value, const char *printed)
{
    char text[256];
    assert_int_equal(set(key, value), HS_OK);
    size_t len = hs_param_print(hs_param_find(table, key), &v, text, sizeof text);
    assert_string_equal(text, printed);
    assert_int_equal(len, strlen(printed));
}

static void test_defaults(void **state)
{
    (void)state;
    assert_true(v.flag);
    assert_int_equal(v.integer, 2);
    assert_int_equal(v.any, -7);
    assert_true(v.share == 0.5);
    assert_int_equal(v.round_us, 0);
    assert_int_equal(v.memory_mib, 16384);
    assert_int_equal(v.scan, 2);
    assert_string_equal(v.text, "a/b");
    assert_null(v.absent);
    assert_null(v.file);
    assert_int_equal(v.costs.count, 3);
    assert_int_equal(v.costs.us[1], 30000000);
    assert_int_equal(hs_param_defaults(NULL, &v, &arena), HS_OK);
    static const struct hs_param end[] = {HS_PARAM_END(struct values, scan, 1)}; /* no row */
    assert_int_equal(hs_param_defaults(end, &v, &arena), HS_OK);
    assert_int_equal(v.scan, 1);
    assert_null(hs_param_find(end, "scan"));
}

static void test_flags(void **state)
{
    static const char *const yes[] = {"yes", "on", "true", "1"}, *const no[] = {"no", "off",
                                                                                "false", "0"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        expect_print("is_on", no[i], "no");
        expect_print("is_on", yes[i], "yes");
    }
    refuse("is_on", "Yes", "error: policy 'fifo': 'is_on' must be yes or no, not 'Yes'\n");
    refuse("is_on", "", "error: policy 'fifo': 'is_on' must be yes or no, not ''\n");
}

static void test_numbers(void **state)
{
    (void)state;
    expect_print("tenants", "16", "16");
    expect_print("any", "9223372036854775807", "9223372036854775807");
    expect_print("share", "0.30000000000000004", "0.30000000000000004");
    expect_print("share", "25%", "0.25");
    expect_print("skip", "25%", "25"); /* percent is its unit */
    expect_print("skip", "2.5", "2.5");
    refuse("tenants", "17",
           "error: policy 'fifo': 'tenants' must be an integer from 1 to 16, not '17'\n");
    refuse("tenants", "0",
           "error: policy 'fifo': 'tenants' must be an integer from 1 to 16, not '0'\n");
    refuse("tenants", "2.0",
           "error: policy 'fifo': 'tenants' must be an integer from 1 to 16, not '2.0'\n");
    refuse("any", "9223372036854775808",
           "error: policy 'fifo': 'any' must be an integer, not '9223372036854775808'\n");
    refuse("any", "x", "error: policy 'fifo': 'any' must be an integer, not 'x'\n");
    refuse("share", "1.5",
           "error: policy 'fifo': 'share' must be a number from 0 to 1, not '1.5'\n");
    refuse("share", "nan",
           "error: policy 'fifo': 'share' must be a number from 0 to 1, not 'nan'\n");
    refuse("share", "%", "error: policy 'fifo': 'share' must be a number from 0 to 1, not '%'\n");
}

static void test_durations_and_sizes(void **state)
{
    (void)state;
    expect_print("round", "90", "90s");
    expect_print("round", "1.5h", "5400s");
    expect_print("round", "120min", "2h");
    expect_print("round", "24h", "1d");
    expect_print("round", "250ms", "0.25s");
    expect_print("round", "1us", "0.000001s");
    expect_print("round", "0", "0s");
    expect_print("memory", "512", "512MiB");
    expect_print("memory", "2048MiB", "2GiB");
    expect_print("preempt_cost", "7/30/60", "7s/30s/60s");
    expect_print("preempt_cost", "1h", "1h");
    expect_print("preempt_cost", "1/2/3/4/5/6/7/8", "1s/2s/3s/4s/5s/6s/7s/8s");
    refuse("round", "2d",
           "error: policy 'fifo': 'round' must be a duration from 0s to 1d, not '2d'\n");
    refuse("round", "90 s",
           "error: policy 'fifo': 'round' must be a duration from 0s to 1d, not '90 s'\n"
           "      = hint: such as 90s, 15min, 2h or 7d\n");
    refuse("memory", "0",
           "error: policy 'fifo': 'memory' must be a size from 1MiB to 1024GiB, not '0'\n");
    refuse("pause", "x",
           "error: policy 'fifo': 'pause' must be a duration such as 90s, 15min, 2h or 7d, not "
           "'x'\n");
    for (size_t i = 0; i < 4; i++) {
        static const char *const bad[] = {"", "7//60", "7/30/", "1/2/3/4/5/6/7/8/9"};
        char report[160];
        snprintf(report, sizeof report,
                 "error: policy 'fifo': 'preempt_cost' must be one to eight durations such as "
                 "7s/30s/60s, not '%s'\n",
                 bad[i]);
        refuse("preempt_cost", bad[i], report);
    }
}

static void test_choices(void **state)
{
    (void)state;
    expect_print("scan", "strict", "strict");
    refuse("scan", "fits",
           "error: policy 'fifo': 'scan' must be strict|fit|easy, not 'fits'\n"
           "      = hint: did you mean 'fit'?\n");
    refuse("scan", "backwards",
           "error: policy 'fifo': 'scan' must be strict|fit|easy, not 'backwards'\n");
}

/* Empty text is the absent one: print and set are inverse for it as well. */
static void test_texts(void **state)
{
    (void)state;
    expect_print("absent", "x=1,y", "x=1,y");
    expect_print("absent", "", "");
    assert_null(v.absent);
    expect_print("file", "dir/a b.csv", "dir/a b.csv");
    expect_print("file", "", "");
    assert_null(v.file);
}

static void test_keys(void **state)
{
    static const struct hs_param none[] = {{0}};
    (void)state;
    assert_ptr_equal(hs_param_find(table, "preempt-cost"), hs_param_find(table, "preempt_cost"));
    assert_non_null(hs_param_find(table, "preempt-cost"));
    assert_null(hs_param_find(table, "preempt"));
    assert_null(hs_param_find(table, "preempt_costs"));
    assert_null(hs_param_find(NULL, "x"));
    refuse("scam", "fit",
           "error: policy 'fifo': unknown parameter 'scam'\n"
           "      = hint: did you mean 'scan'?\n");
    refuse("quantum_length", "1",
           "error: policy 'fifo': unknown parameter 'quantum_length'\n"
           "      = hint: the parameters are is_on, tenants, any, share, skip, round, pause, "
           "memory, scan, "
           "text, absent, preempt_cost, file, limits\n");
    sink_clear(&sink);
    assert_int_equal(hs_param_set(none, &v, &arena, NULL, "x", "1", NULL, &sink.diag), HS_E_USAGE);
    assert_string_equal(sink.text, "error: unknown parameter 'x'\n"
                                   "      = hint: it has no parameters\n");
}

/* With a place in a file an error is bad input, without one it is wrong usage. */
static void test_status_follows_the_place(void **state)
{
    const struct hs_place file = {.file = "a.json", .line = 3, .column = 5};
    const struct hs_place nowhere = {.line = 3};
    (void)state;
    assert_int_equal(hs_param_set(table, &v, &arena, "run", "any", "x", &file, &sink.diag),
                     HS_E_INPUT);
    assert_string_equal(sink.text, "a.json:3:5: error: run: 'any' must be an integer, not 'x'\n");
    assert_int_equal(hs_param_set(table, &v, &arena, "run", "any", "x", &nowhere, &sink.diag),
                     HS_E_USAGE);
    assert_int_equal(hs_param_set(table, &v, &arena, "run", "ani", "1", &file, &sink.diag),
                     HS_E_INPUT);
}

static enum hs_status set_list(const char *list)
{
    sink_clear(&sink);
    return hs_param_set_list(table, &v, &arena, "policy 'fifo'", list, &sink.diag);
}

static void test_lists(void **state)
{
    (void)state;
    assert_int_equal(set_list(""), HS_OK);
    assert_int_equal(set_list("scan=fit,preempt-cost=1/2,text=a=b"), HS_OK);
    assert_int_equal(v.scan, 1);
    assert_int_equal(v.costs.count, 2);
    assert_string_equal(v.text, "a=b");
    assert_int_equal(set_list("scan=fit,easy"), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "expected key=value, with a list as 1/2/3, not 'easy'\n"
                                      "      = hint: the parameters are is_on, tenants, any,"));
    assert_int_equal(set_list("scan=fit,tenants=2,scan=fit"), HS_E_USAGE);
    assert_string_equal(sink.text, "error: policy 'fifo': 'scan' is given twice\n"
                                   "      = hint: leave one out\n");
    assert_int_equal(set_list("preempt-cost=1/2,preempt_cost=1/2"), HS_E_USAGE);
    assert_int_equal(set_list("=fit"), HS_E_USAGE);
    assert_int_equal(set_list("scan=strict,,any=1"), HS_E_USAGE);
    assert_int_equal(set_list("any=3,tenants=99"), HS_E_USAGE);
}

/* The order of the parameters does not matter; presets cause no warning. */
static void test_what_has_no_effect(void **state)
{
    static const char warning[] = "warning: policy 'fifo': 'file' has no effect: scan is strict\n"
                                  "      = hint: scan=fit|easy\n";
    (void)state;
    assert_int_equal(set_list("any=1"), HS_OK);
    assert_string_equal(sink.text, "");
    assert_int_equal(set_list("file=x,scan=easy"), HS_OK);
    assert_string_equal(sink.text, "");
    assert_int_equal(set_list("file=x,scan=strict"), HS_OK);
    assert_string_equal(sink.text, warning);
}

/* Each entry of a list is compared with the range, and with the entry before it if entries must
 * rise. */
static void test_lists_of_durations(void **state)
{
    static const char *const bad[] = {"limits=-1", "limits=0/61min", "limits=2/1", "limits=1/1"};
    (void)state;
    /* No range, no order. */
    assert_int_equal(set_list("limits=0/1/1h,preempt_cost=-1/-2/-2"), HS_OK);
    assert_int_equal(v.limits.us[2], INT64_C(3600000000));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(set_list(bad[i]), HS_E_USAGE);
    assert_string_equal(sink.text,
                        "error: policy 'fifo': 'limits' must be one to eight durations such as "
                        "7s/30s/60s, each from 0s to 1h and above the one before it, not '1/1'\n");
}

static void expect_expects(const char *key, const char *want)
{
    char text[128];
    hs_param_expects(hs_param_find(table, key), text, sizeof text);
    assert_string_equal(text, want);
}

static void test_expects(void **state)
{
    char text[8];
    (void)state;
    expect_expects("is_on", "yes|no");
    expect_expects("tenants", "1..16");
    expect_expects("any", "integer");
    expect_expects("share", "0..1");
    expect_expects("skip", "number");
    expect_expects("round", "0s..1d");
    expect_expects("memory", "1MiB..1024GiB");
    expect_expects("scan", "strict|fit|easy");
    expect_expects("text", "text");
    expect_expects("file", "file");
    expect_expects("preempt_cost", "duration/duration/...");
    hs_param_expects(hs_param_find(table, "scan"), text, sizeof text);
    assert_string_equal(text, "strict|"); /* truncated, never beyond size */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flags, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_durations_and_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_choices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_status_follows_the_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lists_of_durations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_has_no_effect, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_expects, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
