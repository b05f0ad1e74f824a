/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effective configuration: precedence regardless of order, files with all their errors in one
 * pass, --set into a policy, and --print-config as a file that reads back the same.
 */
#include "data/config.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sink.h"

struct values {
    const char *trace, *policy, *tags, *vetted, *config;
    int64_t seed, until_us, memory_mib;
    double load;
    int32_t check;
    bool quiet, force;
    struct hs_durations costs;
};

static enum hs_status no_digit(const char *text, struct hs_diag *diag)
{
    if (strpbrk(text, "0123456789") == NULL)
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, NULL, "'%s' has a digit", text);
}

#define AT(member) offsetof(struct values, member)

static const char *const checks[] = {"fast", "full", "off", NULL};
static const struct hs_option options[] = {
    {.param = {.key = "config", .type = HS_PARAM_TEXT, .offset = AT(config)}, .is_local = true},
    {.param = {.key = "trace", .type = HS_PARAM_TEXT, .offset = AT(trace)}},
    {.param = {.key = "policy", .type = HS_PARAM_TEXT, .offset = AT(policy), .preset = "fifo"},
     .is_repeated = true},
    {.param = {.key = "tags", .type = HS_PARAM_TEXT, .offset = AT(tags)}, .is_repeated = true},
    {.param = {.key = "seed", .type = HS_PARAM_INT, .offset = AT(seed), .preset = "1"}},
    {.param = {.key = "load",
               .type = HS_PARAM_REAL,
               .offset = AT(load),
               .preset = "1",
               .min = 0.01,
               .max = 100}},
    {.param =
         {.key = "until_time", .type = HS_PARAM_DURATION, .offset = AT(until_us), .preset = "0"}},
    {.param =
         {.key = "memory", .type = HS_PARAM_SIZE_MIB, .offset = AT(memory_mib), .preset = "1GiB"}},
    {.param = {.key = "check",
               .type = HS_PARAM_CHOICE,
               .offset = AT(check),
               .preset = "fast",
               .choices = checks}},
    {.param = {.key = "costs", .type = HS_PARAM_DURATIONS, .offset = AT(costs), .preset = "7/30"}},
    {.param = {.key = "quiet", .type = HS_PARAM_FLAG, .offset = AT(quiet), .preset = "no"}},
    {.param = {.key = "force", .type = HS_PARAM_FLAG, .offset = AT(force), .preset = "no"},
     .is_local = true},
    {.param = {.key = NULL}},
};

static struct sink sink;
static struct hs_arena arena;
static struct hs_config config;
static struct values v;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    memset(&v, 0, sizeof v);
    return hs_config_init(&config, options, &v, &arena) != HS_OK;
}

static int tear_down(void **state)
{
    (void)state;
    hs_arena_free(&arena);
    return 0;
}

static enum hs_status load(const char *text)
{
    sink_clear(&sink);
    (void)scratch_write("c.json", text, strlen(text));
    return hs_config_load(&config, "c.json", &sink.diag);
}

static void set(const char *key, const char *value, enum hs_origin origin)
{
    assert_int_equal(hs_config_set(&config, key, value, origin, &sink.diag), HS_OK);
}

static void set_pair(const char *pair)
{
    assert_int_equal(hs_config_set_pair(&config, pair, &sink.diag), HS_OK);
}

static void test_defaults(void **state)
{
    (void)state;
    assert_string_equal(v.policy, "fifo");
    assert_null(v.trace);
    assert_int_equal(v.seed, 1);
    assert_int_equal(v.memory_mib, 1024);
    assert_int_equal(config.origin[4], HS_FROM_DEFAULT);
}

static void test_file(void **state)
{
    (void)state;
    assert_int_equal(load("{\n  \"$schema\": \"x.json\", // for editors\n"
                          "  \"trace\": \"t.csv\", \"seed\": 7, \"load\": 1.5, \"quiet\": true,\n"
                          "  \"until-time\": \"2h\", \"memory\": 2048, \"check\": \"full\",\n"
                          "  \"costs\": [7, \"30s\", 0.5], \"tags\": [\"a\", \"b,c\"],\n"
                          "  \"policy\": {\"name\": \"srtf\", \"scan\": \"fit\", \"n\": 3, "
                          "\"cost\": [7, 30], \"x\": false}}"),
                     HS_OK);
    assert_string_equal(sink.text, "");
    assert_string_equal(v.trace, "t.csv");
    assert_int_equal(v.seed, 7);
    assert_true(v.load == 1.5);
    assert_true(v.quiet);
    assert_int_equal(v.until_us, INT64_C(7200000000));
    assert_int_equal(v.memory_mib, 2048);
    assert_int_equal(v.check, 1);
    assert_int_equal(v.costs.count, 3);
    assert_int_equal(v.costs.us[2], 500000);
    assert_string_equal(v.tags, "a\nb,c");
    assert_string_equal(v.policy, "srtf:scan=fit,n=3,cost=7/30,x=false");
    assert_int_equal(load("{\"policy\": \"sjf:scan=strict\", \"tags\": [], \"trace\": null}"),
                     HS_OK);
    assert_string_equal(v.policy, "sjf:scan=strict");
    assert_null(v.tags);
    assert_null(v.trace);
    assert_int_equal(load("{\"policy\": [\"fifo\", {\"name\": \"sjf\", \"scan\": \"fit\"}]}"),
                     HS_OK);
    assert_string_equal(v.policy, "fifo\nsjf:scan=fit");
}

/* An error that the option's own check finds is reported at its place, all errors in one pass; no
 * value is kept. */
static void test_vetted(void **state)
{
    static const struct hs_option vetting[] = {
        {.param = {.key = "vetted", .type = HS_PARAM_TEXT, .offset = AT(vetted)},
         .check = no_digit,
         .is_repeated = true},
        {.param = {.key = "policy", .type = HS_PARAM_TEXT, .offset = AT(policy), .preset = "fifo"}},
        {.param = {.key = "seed", .type = HS_PARAM_INT, .offset = AT(seed), .preset = "1"}},
        {.param = {.key = NULL}},
    };
    (void)state;
    assert_int_equal(hs_config_init(&config, vetting, &v, &arena), HS_OK);
    assert_int_equal(load("{\"vetted\": [\"a\", \"b2\"],\n \"seed\": \"x\"}"), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 2);
    assert_non_null(strstr(sink.text, "c.json:1:18: error: 'b2' has a digit\n"));
    assert_non_null(strstr(sink.text, "c.json:2:10: error: 'seed' must be"));
    assert_null(v.vetted);
    sink_clear(&sink);
    assert_int_equal(hs_config_set(&config, "vetted", "c3", HS_FROM_FLAG, &sink.diag), HS_E_USAGE);
    assert_string_equal(sink.text, "error: 'c3' has a digit\n");
    assert_int_equal(load("{\"vetted\": true, \"policy\": \"\"}"), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "expected a text or a number, not true or false"));
    assert_non_null(strstr(sink.text, "c.json:1:28: error: 'policy' is empty"));
    assert_int_equal(load("{\"vetted\": [\"a\", \"b\"]}"), HS_OK);
    assert_string_equal(v.vetted, "a\nb");
}

/* default < file < --set < flag, in any order. */
static void test_precedence(void **state)
{
    (void)state;
    set("seed", "4", HS_FROM_FLAG);
    set("load", "3", HS_FROM_SET);
    assert_int_equal(load("{\"seed\": 2, \"load\": 2, \"check\": \"off\"}"), HS_OK);
    set_pair("seed=3");
    assert_int_equal(v.seed, 4);
    assert_true(v.load == 3);
    assert_int_equal(v.check, 2);
    set("load", "4", HS_FROM_FLAG);
    assert_true(v.load == 4);
    set("seed", "5", HS_FROM_FLAG); /* the last of equal sources */
    assert_int_equal(v.seed, 5);
    set_pair("until-time=90");
    assert_int_equal(v.until_us, 90000000);
    assert_int_equal(config.origin[4], HS_FROM_FLAG);
    assert_int_equal(config.origin[6], HS_FROM_SET);
    assert_int_equal(config.origin[8], HS_FROM_FILE);
    /* A hidden value is still checked. */
    assert_int_equal(load("{\"seed\": \"x\"}"), HS_E_INPUT);
    assert_int_equal(v.seed, 5);
}

static void test_repeated_flags(void **state)
{
    (void)state;
    assert_int_equal(load("{\"tags\": \"from file\"}"), HS_OK);
    set("tags", "a", HS_FROM_FLAG); /* replaces the weaker source */
    assert_string_equal(v.tags, "a");
    set("tags", "b", HS_FROM_FLAG); /* appends to an equal source */
    assert_string_equal(v.tags, "a\nb");
    set("trace", "x", HS_FROM_FLAG);
    set("trace", "y", HS_FROM_FLAG); /* not a repeated option */
    assert_string_equal(v.trace, "y");
}

static void test_set_into_a_policy(void **state)
{
    (void)state;
    set_pair("policy.scan=fit");
    assert_string_equal(v.policy, "fifo:scan=fit");
    set_pair("policy.round=60s");
    set_pair("policy.scan=easy"); /* replaced, not repeated */
    assert_string_equal(v.policy, "fifo:round=60s,scan=easy");
    assert_int_equal(load("{\"policy\": \"sjf:scan=strict,placement=yarn\"}"), HS_OK);
    assert_string_equal(v.policy, "fifo:round=60s,scan=easy"); /* weaker: hidden */
    set("policy", "srtf:scan=strict", HS_FROM_FLAG);           /* a flag that names the key wins */
    assert_string_equal(v.policy, "srtf:scan=strict,round=60s");
    set("policy", "sjf", HS_FROM_FLAG);
    assert_string_equal(v.policy, "srtf:scan=strict,round=60s\nsjf:round=60s,scan=easy");
    set_pair("policy.form=evict"); /* after the flag it still adds */
    assert_string_equal(v.policy, "srtf:scan=strict,round=60s,form=evict\n"
                                  "sjf:round=60s,scan=easy,form=evict");
}

static void test_set_keeps_with_the_file(void **state)
{
    (void)state;
    assert_int_equal(load("{\"policy\": {\"name\": \"sjf\", \"pre-cost\": \"free\"}}"), HS_OK);
    set_pair("policy.pre_cost=job");
    assert_string_equal(v.policy, "sjf:pre_cost=job");
    assert_int_equal(config.origin[2], HS_FROM_SET);
}

static void refuse_pair(const char *pair, const char *report)
{
    sink_clear(&sink);
    assert_int_equal(hs_config_set_pair(&config, pair, &sink.diag), HS_E_USAGE);
    assert_string_equal(sink.text, report);
}

static void test_pairs_that_are_refused(void **state)
{
    (void)state;
    refuse_pair("seed", "error: --set needs key=value, not 'seed'\n"
                        "      = hint: --set load=2 or --set policy.scan=fit\n");
    refuse_pair("=2", "error: --set needs key=value, not '=2'\n"
                      "      = hint: --set load=2 or --set policy.scan=fit\n");
    refuse_pair("laod=2", "error: unknown key 'laod'\n"
                          "      = hint: did you mean 'load'?\n");
    refuse_pair("quantum_length=2", "error: unknown key 'quantum_length'\n"
                                    "      = hint: --print-config shows every key\n");
    refuse_pair("trace.x=2", "error: unknown key 'trace.x'\n"
                             "      = hint: did you mean 'trace'?\n");
    refuse_pair("force=yes", "error: unknown key 'force'\n"
                             "      = hint: it is about one call: give it on the command line\n");
    refuse_pair("load=0", "error: 'load' must be a number from 0.01 to 100, not '0'\n");
    refuse_pair("policy.a=1,b=2", "error: 'policy.a=1,b=2' is not one parameter\n"
                                  "      = hint: --set policy.key=value, one key at a time\n");
    refuse_pair("policy.=1", "error: 'policy.=1' is not one parameter\n"
                             "      = hint: --set policy.key=value, one key at a time\n");
    assert_int_equal(hs_config_set(&config, "force", "yes", HS_FROM_FLAG, &sink.diag), HS_OK);
    assert_true(v.force);
}

static void test_all_errors_of_a_file(void **state)
{
    (void)state;
    assert_int_equal(load("{\n"
                          "  \"laod\": 2,\n"
                          "  \"load\": 1000,\n"
                          "  \"check\": \"fulll\",\n"
                          "  \"seed\": 1.5,\n"
                          "  \"force\": true,\n"
                          "  \"quiet\": null,\n"
                          "  \"trace\": [\"a\"],\n"
                          "  \"memory\": {},\n"
                          "  \"policy\": {\"scan\": \"fit\"},\n"
                          "  \"until_time\": \"2h\"\n"
                          "}\n"),
                     HS_E_INPUT);
    assert_string_equal(sink.text,
                        "c.json:2:3: error: unknown key 'laod'\n"
                        "    2 |   \"laod\": 2,\n"
                        "      |   ^~~~~~\n"
                        "      = hint: did you mean 'load'?\n"
                        "c.json:3:11: error: 'load' must be a number from 0.01 to 100, not '1000'\n"
                        "    3 |   \"load\": 1000,\n"
                        "      |           ^~~~\n"
                        "c.json:4:12: error: 'check' must be fast|full|off, not 'fulll'\n"
                        "    4 |   \"check\": \"fulll\",\n"
                        "      |            ^~~~~~~\n"
                        "      = hint: did you mean 'full'?\n"
                        "c.json:5:11: error: 'seed' must be an integer, not '1.5'\n"
                        "    5 |   \"seed\": 1.5,\n"
                        "      |           ^~~\n"
                        "c.json:6:3: error: unknown key 'force'\n"
                        "    6 |   \"force\": true,\n"
                        "      |   ^~~~~~~\n"
                        "      = hint: it is about one call: give it on the command line\n"
                        "c.json:7:12: error: expected a text, a number, true or false\n"
                        "    7 |   \"quiet\": null,\n"
                        "      |            ^~~~\n"
                        "c.json:8:12: error: expected one value, not a list\n"
                        "    8 |   \"trace\": [\"a\"],\n"
                        "      |            ^\n"
                        "c.json:9:13: error: expected a text, a number, true or false\n"
                        "    9 |   \"memory\": {},\n"
                        "      |             ^\n"
                        "c.json:10:13: error: a policy needs a name\n"
                        "   10 |   \"policy\": {\"scan\": \"fit\"},\n"
                        "      |             ^\n"
                        "      = hint: {\"name\": \"fifo\", \"scan\": \"fit\"}\n");
    assert_int_equal(v.until_us, INT64_C(7200000000)); /* the valid value was stored */
}

static void test_errors_are_capped(void **state)
{
    char text[1024] = "{";
    (void)state;
    for (int i = 0; i < 25; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\"unknown%d\": 1, ", i);
    strcat(text, "\"seed\": 9}");
    assert_int_equal(load(text), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 20);
    assert_non_null(strstr(sink.text, "note: the rest of c.json was not checked\n"));
}

static void test_files_that_are_refused(void **state)
{
    (void)state;
    assert_int_equal(load("[1]"), HS_E_INPUT);
    assert_string_equal(sink.text,
                        "c.json:1:1: error: a configuration is an object: {\"key\": value, ...}\n"
                        "    1 | [1]\n"
                        "      | ^\n");
    assert_int_equal(load("{\"seed\": 9007199254740993}"), HS_E_INPUT);
    assert_string_equal(sink.text, "c.json:1:10: error: a number beyond 2^53 is not exact in JSON\n"
                                   "    1 | {\"seed\": 9007199254740993}\n"
                                   "      |          ^~~~~~~~~~~~~~~~\n"
                                   "      = hint: write it in double quotes\n");
    assert_int_equal(load("{\"seed\": \"9007199254740993\"}"), HS_OK);
    assert_true(v.seed == INT64_C(9007199254740993));
    assert_int_equal(load("{\"policy\": {\"name\": \"fifo\", \"a\": \"1,2\"}}"), HS_E_INPUT);
    assert_int_equal(load("{\"policy\": {\"name\": \"\"}}"), HS_E_INPUT);
    assert_int_equal(load("{\"policy\": {\"name\": \"x\", \"a=b\": 1}}"), HS_E_INPUT);
    assert_int_equal(load("{\"seed\": 1"), HS_E_INPUT);
    assert_int_equal(hs_config_load(&config, "none.json", &sink.diag), HS_E_IO);
}

static void print(const char *path)
{
    struct hs_output out;
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    hs_config_print(&config, &out);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
}

static void expect_file(const char *path, const char *want)
{
    char *text;
    size_t len;
    assert_int_equal(hs_read_file(path, 1 << 20, &text, &len, &sink.diag), HS_OK);
    assert_string_equal(text, want);
    hs_free(text);
}

/* An empty text is an error where a value is required. */
static void test_emptied_texts(void **state)
{
    (void)state;
    assert_int_equal(hs_config_check(&config, "run", &sink.diag),
                     HS_OK); /* a missing trace is no error */
    set("policy", "", HS_FROM_FILE);
    assert_int_equal(hs_config_check(&config, "run", &sink.diag), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "run: 'policy' is empty"));
}

static void test_print(void **state)
{
    (void)state;
    assert_int_equal(load("{\"load\": 0.1, \"costs\": [1, 86400]}"), HS_OK);
    set_pair("check=full");
    set("until_time", "90m", HS_FROM_FLAG);
    set("tags", "a \"b\"", HS_FROM_FLAG);
    set("tags", "c", HS_FROM_FLAG);
    set("seed", "9007199254740993", HS_FROM_SET);
    set("force", "yes", HS_FROM_FLAG);
    print("p.json");
    expect_file("p.json", "{\n"
                          "  \"trace\": null,  // from default\n"
                          "  \"policy\": \"fifo\",  // from default\n"
                          "  \"tags\": [\"a \\\"b\\\"\", \"c\"],  // from --tags\n"
                          "  \"seed\": \"9007199254740993\",  // from --set\n"
                          "  \"load\": 0.1,  // from c.json\n"
                          "  \"until_time\": \"5400s\",  // from --until-time\n"
                          "  \"memory\": \"1GiB\",  // from default\n"
                          "  \"check\": \"full\",  // from --set\n"
                          "  \"costs\": \"1s/1d\",  // from c.json\n"
                          "  \"quiet\": false  // from default\n"
                          "}\n");
}

/* The printed configuration, loaded into a new one, gives the same values. */
static void test_print_reads_back(void **state)
{
    struct values before;
    (void)state;
    set("trace", "dir/a \\ \"t\"\xC3\xA9.csv", HS_FROM_FLAG);
    set("policy", "fifo:scan=fit", HS_FROM_FLAG);
    set("policy", "sjf", HS_FROM_FLAG);
    set("tags", "one", HS_FROM_FLAG);
    set("seed", "-9223372036854775808", HS_FROM_FLAG);
    set("load", "0.30000000000000004", HS_FROM_FLAG);
    set("until_time", "123456789.000001", HS_FROM_FLAG);
    set("memory", "1025", HS_FROM_FLAG);
    set("check", "off", HS_FROM_FLAG);
    set("costs", "1us/2/3h", HS_FROM_FLAG);
    set("quiet", "yes", HS_FROM_FLAG);
    before = v;
    print("p.json");
    memset(&v, 0, sizeof v);
    assert_int_equal(hs_config_init(&config, options, &v, &arena), HS_OK);
    assert_int_equal(hs_config_load(&config, "p.json", &sink.diag), HS_OK);
    assert_string_equal(sink.text, "");
    assert_string_equal(v.trace, before.trace);
    assert_string_equal(v.policy, before.policy);
    assert_string_equal(v.tags, before.tags);
    assert_true(v.seed == INT64_MIN);
    assert_true(v.load == before.load);
    assert_true(v.until_us == INT64_C(123456789000001));
    assert_int_equal(v.memory_mib, 1025);
    assert_int_equal(v.check, 2);
    assert_memory_equal(&v.costs, &before.costs, sizeof v.costs);
    assert_true(v.quiet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_vetted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_precedence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeated_flags, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_set_into_a_policy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_set_keeps_with_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pairs_that_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_errors_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors_are_capped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_that_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_emptied_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_print, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_print_reads_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
