/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speed under a memory limit: what is shipped, which row answers, what is refused and where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "model/speed.h"
#include "support/sink.h"

#define HEAD "model,limit,speed\n"

static struct sink sink;

static enum hs_status load(struct hs_overheads **table, const char *text)
{
    sink_init(&sink);
    return hs_memcurve_load(table, scratch_write("m.csv", text, strlen(text)), &sink.diag);
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
    if (hs_memcurve_load(&table, "builtin:memory-limits.csv", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return table;
}

/* percent / 100, rounded to the nearest Q32. */
static uint64_t q32(uint64_t percent)
{
    return (percent * HS_Q32_ONE + 50) / 100;
}

/* AntMan (OSDI'20), fig. 10: speed in per cent at limits of 10, 20, ... 100 per cent. A model
 * without measurements is as sensitive as ResNet-50. */
static void test_shipped(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        uint8_t percent[10];
    } antman[] = {{"SuperRes", {77, 78, 81, 83, 88, 89, 89, 94, 94, 100}},
                  {"VGG-16", {3, 4, 5, 7, 98, 98, 98, 99, 99, 100}},
                  {"resnet50", {1, 1, 1, 2, 2, 2, 3, 13, 34, 100}},
                  {"GNMT", {1, 1, 1, 2, 2, 2, 3, 13, 34, 100}},
                  {NULL, {1, 1, 1, 2, 2, 2, 3, 13, 34, 100}}};
    struct hs_overheads *table = load_shipped();
    for (size_t m = 0; m < sizeof antman / sizeof antman[0]; m++)
        for (uint32_t i = 0; i < 10; i++)
            assert_true(hs_memcurve_q32(table, antman[m].model, 1600 * (i + 1), 16000) ==
                        q32(antman[m].percent[i]));
    /* D 2.6 A6: SuperRes 4 of 10 GB and VGG-16 8 of 16 GB, .83 and .98 */
    assert_true(hs_memcurve_q32(table, "super_res", 4096, 10240) == q32(83));
    assert_true(hs_memcurve_q32(table, "vgg16", 8192, 16384) == q32(98));
    hs_overheads_free(table);
}

/* A cliff may be anywhere between two measured limits, so the lower one counts. */
static void test_limits_between(void **state)
{
    (void)state;
    struct hs_overheads *table = load_good(HEAD "A,50,0.8\nA,25,0.123456\nA,99.9999,.9\n*,10,1\n");
    assert_true(hs_memcurve_q32(table, "a", 500, 1000) == q32(80));
    assert_true(hs_memcurve_q32(table, "a", 999, 1000) == q32(80));
    /* .123456 x 2^32 = ..482.49. */
    assert_true(hs_memcurve_q32(table, "a", 499, 1000) == 530239482);
    assert_true(hs_memcurve_q32(table, "a", 250, 1000) == 530239482);
    assert_true(hs_memcurve_q32(table, "a", 249, 1000) ==
                530239482); /* below the least limit: the least */
    assert_true(hs_memcurve_q32(table, "a", 0, 1000) == 530239482);
    /* 999,999 of a million are 99.9999 %, 999,998 are less, 2^32 - 2 of 2^32 - 1 are more */
    assert_true(hs_memcurve_q32(table, "a", 999999, 1000000) == q32(90));
    assert_true(hs_memcurve_q32(table, "a", 999998, 1000000) == q32(80));
    assert_true(hs_memcurve_q32(table, "a", UINT32_MAX - 1, UINT32_MAX) == q32(90));
    /* the peak and more: no limit */
    assert_true(hs_memcurve_q32(table, "a", 1000, 1000) == HS_Q32_ONE);
    assert_true(hs_memcurve_q32(table, "a", 1001, 1000) == HS_Q32_ONE);
    assert_true(hs_memcurve_q32(table, "a", 0, 0) == HS_Q32_ONE);
    assert_true(hs_memcurve_q32(table, "B", 1, 1000) == HS_Q32_ONE); /* the others: always 1 */
    hs_overheads_free(table);
    table = load_good(HEAD "A,50,0.8\n"); /* without a row for other models */
    assert_true(hs_memcurve_q32(table, "B", 1, 1000) == HS_Q32_ONE);
    assert_true(hs_memcurve_q32(table, "", 1, 1000) == HS_Q32_ONE);
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
    (void)snprintf(first, sizeof first, "%s:%s\n", scratch_path("m.csv"), what);
    if (strncmp(sink.text, first, strlen(first)) != 0)
        fail_msg("want %s got  %s", first, sink.text);
    if (strstr(sink.text, hint) == NULL)
        fail_msg("no hint '%s' in\n%s", hint, sink.text);
    assert_null(table);
}

static void test_refuses(void **state)
{
    (void)state;
    expect_refused("", "1: error: the table of memory limits is empty", "names the columns");
    expect_refused("model,limit\nA,1\n", "1:1: error: missing column 'speed'", "speed");
    expect_refused("model,limits,speed\n", "1:7: error: unknown column 'limits'",
                   "did you mean 'limit'?");
    expect_refused(HEAD ",1,1\n", "2:1: error: model is no name: ''", "* for all");
    expect_refused(HEAD "A,100.1,1\n", "2:3: error: limit is not from 0 to 100 %: '100.1'", "50");
    expect_refused(HEAD "A,-1,1\n", "2:3: error: limit is not from 0 to 100 %: '-1'", "per cent");
    expect_refused(HEAD "A,half,1\n", "2:3: error: limit is not a number: 'half'", "per cent");
    expect_refused(HEAD "A,50,0\n", "2:6: error: speed is not above 0 and at most 1: '0'", "0.98");
    expect_refused(HEAD "A,50,1.01\n", "2:6: error: speed is not above 0 and at most 1: '1.01'",
                   "relative");
    expect_refused(HEAD "A,50,x\n", "2:6: error: speed is not a number: 'x'", "");
    expect_refused(HEAD "Net-1,50,.5\nB,50,.5\nnet_1,50.0,.5\n",
                   "4:1: error: model is there twice for this limit: 'net_1'", "without case");
    expect_refused(HEAD "A,100,.99\n", "2: error: speed is not 1 at a limit of the whole peak",
                   "1 at 100");
    expect_refused(HEAD "B,10,.9\nA,50,.4\nA,40,.5\nB,50,1\n",
                   "3: error: speed is less than at a lower limit", "grows with the limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_limits_between),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests_name("model/memcurve", tests, scratch_open, scratch_close);
}
