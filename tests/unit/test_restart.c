/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of restarts: what is shipped, which row answers, what is refused and where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/speed.h"
#include "support/sink.h"

#define S INT64_C(1000000)

static struct sink sink;

static enum hs_status load(struct hs_overheads **table, const char *text)
{
    sink_init(&sink);
    return hs_restart_load(table, scratch_write("r.csv", text, strlen(text)), &sink.diag);
}

static struct hs_overheads *load_good(const char *text)
{
    struct hs_overheads *table;
    if (load(&table, text) != HS_OK)
        fail_msg("%s", sink.text);
    return table;
}

static struct hs_overheads *load_shipped(void)
{
    struct hs_overheads *table;
    sink_init(&sink);
    if (hs_restart_load(&table, "builtin:restart.csv", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return table;
}

/* Rivendile/Muri 4e69a78, simulator/run_sim.py, overhead_dict: seconds by number of GPUs. */
static void test_shipped(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32};
    static const struct {
        const char *model;
        int64_t s[6];
    } muri[] = {{"vgg16", {7, 7, 8, 9, 9, 10}},       {"vgg19", {7, 7, 8, 9, 10, 10}},
                {"resnet18", {4, 5, 5, 7, 7, 7}},     {"shufflenet_v2_x1_0", {4, 4, 5, 5, 7, 8}},
                {"ShuffleNetV2", {4, 4, 5, 5, 7, 8}}, /* in the catalogue */
                {"bert", {10, 10, 10, 10, 10, 10}},   {"gpt2", {10, 10, 10, 10, 10, 10}},
                {"a2c", {38, 39, 39, 46, 46, 46}},    {"dqn", {5, 5, 6, 6, 8, 8}},
                {"alexnet", {10, 10, 10, 10, 10, 10}}}; /* not in it: 10 */
    struct hs_overheads *table = load_shipped();
    for (size_t m = 0; m < sizeof muri / sizeof muri[0]; m++)
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(hs_restart_us(table, muri[m].model, NULL, sizes[i]), muri[m].s[i] * S);
    hs_overheads_free(table);
}

/* The largest measured size that is not larger; beyond 32 that of 32. dqn: 5 5 6 6 8 8. */
static void test_sizes_between(void **state)
{
    (void)state;
    struct hs_overheads *table = load_shipped();
    assert_int_equal(hs_restart_us(table, "dqn", NULL, 3), 5 * S);    /* 2's */
    assert_int_equal(hs_restart_us(table, "dqn", NULL, 7), 6 * S);    /* 4's */
    assert_int_equal(hs_restart_us(table, "dqn", NULL, 15), 6 * S);   /* 8's */
    assert_int_equal(hs_restart_us(table, "a2c", NULL, 7), 39 * S);   /* 4's */
    assert_int_equal(hs_restart_us(table, "vgg16", NULL, 31), 9 * S); /* 16's */
    assert_int_equal(hs_restart_us(table, "vgg16", NULL, 33), 10 * S);
    assert_int_equal(hs_restart_us(table, "vgg16", NULL, UINT32_MAX), 10 * S);
    hs_overheads_free(table);
    table = load_good("model,gpus,restart_s\nA,4,3\nA,16,5\n");
    assert_int_equal(hs_restart_us(table, "A", NULL, 1), 3 * S); /* nothing smaller: the smallest */
    assert_int_equal(hs_restart_us(table, "A", NULL, 0), 3 * S);
    assert_int_equal(hs_restart_us(table, "A", NULL, 15), 3 * S);
    assert_int_equal(hs_restart_us(table, "A", NULL, 16), 5 * S);
    hs_overheads_free(table);
}

/* Ignoring case, '-', '_' and blanks; the first name before the second, a name before the
 * others. */
static void test_names(void **state)
{
    (void)state;
    struct hs_overheads *table =
        load_good("gpus,source,restart_s,model\n1,x,4.5,Net-18\n1,y,0,b\n2,,1e1,*\n8,,20,*\n");
    assert_int_equal(hs_restart_us(table, "net_18", NULL, 1), 4500000);
    assert_int_equal(hs_restart_us(table, " NET 18", "b", 1), 4500000);
    assert_int_equal(hs_restart_us(table, "net 181", "B", 1), 0);
    assert_int_equal(hs_restart_us(table, "net 1", NULL, 9), 20 * S);
    assert_int_equal(hs_restart_us(table, "", "", 1), 10 * S);
    assert_int_equal(hs_restart_us(table, NULL, NULL, 2), 10 * S);
    assert_int_equal(hs_restart_us(table, "-_", NULL, 2), 10 * S);
    hs_overheads_free(table);
}

static void test_unknown_without_a_row_for_others(void **state)
{
    (void)state;
    struct hs_overheads *table = load_good("model,gpus,restart_s\nA,1,3\n");
    char name[2048];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(hs_restart_us(table, "B", NULL, 1), -1);
    assert_int_equal(hs_restart_us(table, NULL, NULL, 1), -1);
    assert_int_equal(hs_restart_us(table, name, NULL, 1), -1);
    hs_overheads_free(table);
    table = load_good("model,gpus,restart_s\n"); /* no model has a known restart time */
    assert_int_equal(hs_restart_us(table, "A", NULL, 1), -1);
    hs_overheads_free(table);
    hs_overheads_free(NULL);
}

/* The first line of the message ends with `what`; it contains `hint`. */
static void expect_refused(const char *text, const char *what, const char *hint)
{
    struct hs_overheads *table;
    if (load(&table, text) != HS_E_INPUT)
        fail_msg("read without complaint:\n%s", text);
    char first[512];
    (void)snprintf(first, sizeof first, "%s:%s\n", scratch_path("r.csv"), what);
    assert_memory_equal(sink.text, first, strlen(first));
    if (strstr(sink.text, hint) == NULL)
        fail_msg("no hint '%s' in\n%s", hint, sink.text);
    assert_null(table);
}

static void test_refuses(void **state)
{
    (void)state;
#define HEAD "model,gpus,restart_s\n"
    expect_refused("", "1: error: the table of restarts is empty", "names the columns");
    expect_refused("model,gpus\nA,1\n", "1:1: error: missing column 'restart_s'", "restart_s");
    expect_refused("model,gpu,restart_s\n", "1:7: error: unknown column 'gpu'",
                   "did you mean 'gpus'?");
    expect_refused("model,gpus,restart_s,colour\n", "1:22: error: unknown column 'colour'",
                   "source for notes");
    expect_refused("model,gpus,gpus\n", "1:12: error: column 'gpus' appears twice", "remove one");
    expect_refused(HEAD ",1,3\n", "2:1: error: model is no name: ''", "* for all");
    expect_refused(HEAD "A,0,3\n", "2:3: error: gpus is not a number of GPUs: '0'", "at least 1");
    expect_refused(HEAD "A,two,3\n", "2:3: error: gpus is not a number of GPUs: 'two'", "gang");
    expect_refused(HEAD "A,1,3\nA,2,x\n", "3:5: error: restart_s is not a number: 'x'", "4.5");
    expect_refused(HEAD "A,1,\n", "2:5: error: restart_s is not a number: ''", "seconds");
    expect_refused(HEAD "A,1,-3\n",
                   "2:5: error: restart_s is not from 0 to a million seconds: '-3'", "seconds");
    expect_refused(HEAD "A,1,1000001\n",
                   "2:5: error: restart_s is not from 0 to a million seconds: '1000001'", "");
    expect_refused(HEAD "A,1,3,4\n", "2:8: error: 4 fields where the header has 3", "");
    expect_refused(HEAD "Net-1,2,3\nB,2,3\nnet_1,2,4\n",
                   "4:1: error: model is there twice for this number of GPUs: 'net_1'",
                   "without case");
#undef HEAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped), cmocka_unit_test(test_sizes_between),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_unknown_without_a_row_for_others),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests_name("model/restart", tests, scratch_open, scratch_close);
}
