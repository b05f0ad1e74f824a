/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact quantiles by replay, compared with the definition: sort everything and take the smallest
 * value with at least q n values <= it, in integers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "report/stats/stats.c"

static const uint64_t permille[QUANTILES] = {500, 900, 950, 990, 1000};

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add(struct quantiles *q, uint32_t set, uint64_t value)
{
    if (q->pass == PASS_FIRST)
        q->cells[set][bucket_of(value)]++;
    else
        quantiles_take(q, set, value);
}

/* Replays values as set 0 of one; returns the passes taken. */
static int replay(struct quantiles *q, const uint64_t *values, uint32_t count)
{
    int passes = 0;
    quantiles_open(q, 1);
    for (; quantiles_begin(q); passes++)
        for (uint32_t i = 0; i < count; i++)
            add(q, 0, values[i]);
    assert_false(quantiles_begin(q)); /* and again false */
    return passes;
}

/* One pass for buckets of at most 2^57 values, and one for each six of these bits. */
#define PASSES_MOST 11

static void expect_exact(uint64_t *values, uint32_t count)
{
    struct quantiles q;
    int passes = replay(&q, values, count);
    assert_in_range(passes, 1, PASSES_MOST);
    qsort(values, count, sizeof *values, compare);
    for (int i = 0; i < QUANTILES; i++) {
        uint64_t rank = (count * permille[i] + 999) / 1000; /* smallest r with r >= q n */
        assert_int_equal(q.sets[0].value[i], values[rank - 1]);
    }
    assert_int_equal(q.sets[0].count, count);
    quantiles_close(&q);
}

static void follows_the_definition(void **state)
{
    (void)state;
    uint64_t values[200];
    /* 1..n: the median of 10 is the 5th, of 11 the 6th; p99 of 100 is the 99th, of 101 the 100th */
    static const struct {
        uint32_t count;
        uint64_t p50, p90, p95, p99;
    } cases[] = {
        {1, 1, 1, 1, 1},      {2, 1, 2, 2, 2},       {10, 5, 9, 10, 10},     {11, 6, 10, 11, 11},
        {20, 10, 18, 19, 20}, {100, 50, 90, 95, 99}, {101, 51, 91, 96, 100},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct quantiles q;
        for (uint32_t i = 0; i < cases[c].count; i++)
            values[i] = cases[c].count - i;
        replay(&q, values, cases[c].count);
        assert_int_equal(q.sets[0].value[P50], cases[c].p50);
        assert_int_equal(q.sets[0].value[P90], cases[c].p90);
        assert_int_equal(q.sets[0].value[P95], cases[c].p95);
        assert_int_equal(q.sets[0].value[P99], cases[c].p99);
        quantiles_close(&q);
    }
}

static void handles_small_sets_and_extremes(void **state)
{
    (void)state;
    uint64_t zeros[5] = {0}, wide[] = {INT64_MAX, 0, 1, INT64_MAX - 1, 15, 16, 31, 32, 33};
    expect_exact(zeros, 5);
    expect_exact(wide, 9);
    struct quantiles q;
    assert_int_equal(replay(&q, NULL, 0), 1);
    assert_int_equal(q.sets[0].value[P50], 0);
    assert_int_equal(q.sets[0].count, 0);
    quantiles_close(&q);
}

static void is_exact_for_every_small_count(void **state)
{
    (void)state;
    uint64_t values[300];
    for (uint32_t count = 1; count <= 300; count++) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = hs_mix64(count, i) >> (i % 60 + 1);
        expect_exact(values, count);
    }
}

/* Log-spread values, many ties, and values in one narrow band far from 0. */
static void is_exact_for_large_sets(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    uint64_t *values = hs_alloc_zeroed(COUNT, sizeof *values);
    assert_non_null(values);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = hs_mix64(1, i) >> (hs_mix64(2, i) % 50 + 1);
    expect_exact(values, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = (UINT64_C(1) << 60) + hs_mix64(3, i) % 1000;
    expect_exact(values, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i % 3 == 0 ? UINT64_C(3600000000) : i;
    expect_exact(values, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = UINT64_C(12345678901234567);
    expect_exact(values, COUNT);
    hs_free(values);
}

static void keeps_sets_apart(void **state)
{
    (void)state;
    struct quantiles q;
    quantiles_open(&q, 5);
    while (quantiles_begin(&q)) {
        for (uint64_t i = 1; i <= 100; i++) {
            add(&q, 0, i * 1000);
            add(&q, 2, i * 1000000);
            add(&q, 4, i * 1000000);
        }
    }
    assert_int_equal(q.sets[0].value[P90], 90000);
    assert_int_equal(q.sets[1].value[P90], 0);
    assert_int_equal(q.sets[2].value[P90], 90000000);
    assert_int_equal(q.sets[3].value[P90], 0);
    assert_int_equal(q.sets[4].value[P90], 90000000);
    quantiles_close(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_definition),
        cmocka_unit_test(handles_small_sets_and_extremes),
        cmocka_unit_test(is_exact_for_every_small_count),
        cmocka_unit_test(is_exact_for_large_sets),
        cmocka_unit_test(keeps_sets_apart),
    };
    return cmocka_run_group_tests_name("quantile", tests, NULL, NULL);
}
