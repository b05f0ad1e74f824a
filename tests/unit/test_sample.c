/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples and logarithmic histograms.
 */
#include "base/sample.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static struct hs_sample sample_of(const uint64_t *values, size_t count)
{
    struct hs_sample sample = {0};
    for (size_t i = 0; i < count; i++)
        hs_sample_add(&sample, values[i]);
    hs_sample_sort(&sample);
    return sample;
}

/* In both orders: the distance is symmetric. */
static void expect_distance(const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                            double expected)
{
    struct hs_sample left = sample_of(a, n), right = sample_of(b, m);
    assert_true(fabs(hs_ks(&left, &right) - expected) < 1e-15);
    assert_true(hs_ks(&left, &right) == hs_ks(&right, &left));
    hs_sample_free(&left);
    hs_sample_free(&right);
}

static void test_distances_by_hand(void **state)
{
    static const uint64_t one_to_four[] = {4, 2, 1, 3}, threes[] = {3, 3, 3};
    static const uint64_t low[] = {1, 2}, high[] = {10, 11, 12}, mixed[] = {2, 5};
    (void)state;
    expect_distance(one_to_four, 4, one_to_four, 4, 0);
    expect_distance(low, 2, high, 3, 1);
    /* before 3 two of four are below and none of three; at 3: 3/4 against 3/3 */
    expect_distance(one_to_four, 4, threes, 3, 0.5);
    /* at 1: 1/4, 0; at 2: 2/4, 1/2; at 3: 3/4, 1/2; at 4: 4/4, 1/2 */
    expect_distance(one_to_four, 4, mixed, 2, 0.5);
    expect_distance(threes, 3, threes, 1, 0);
}

static void test_mean_and_median(void **state)
{
    static const uint64_t odd[] = {7, 1, 2}, even[] = {9, 1, 2, 4};
    static const uint64_t large[] = {UINT64_MAX, UINT64_MAX};
    struct hs_sample sample = sample_of(odd, 3);
    (void)state;
    assert_true(hs_sample_median(&sample) == 2);
    assert_true(fabs(hs_sample_mean(&sample) - 10.0 / 3) < 1e-15);
    hs_sample_free(&sample);
    sample = sample_of(even, 4);
    assert_true(hs_sample_median(&sample) == 3);
    hs_sample_free(&sample);
    sample = sample_of(large, 2);
    assert_true(hs_sample_mean(&sample) == 0x1p64); /* the sum does not overflow */
    hs_sample_free(&sample);
}

/* 1.36 sqrt(2 / 100,000) = .0060821 for two samples of 100,000; .0043007 against an infinite
 * sample. */
static void test_noise(void **state)
{
    (void)state;
    assert_true(fabs(hs_ks_noise(100000, 100000) - 0.0060821) < 5e-8);
    assert_true(fabs(hs_ks_noise(100000, UINT64_MAX) - 0.0043007) < 5e-8);
}

/* The definition, value by value, without sorting: O(n m). */
static double slow_distance(const struct hs_sample *a, const struct hs_sample *b)
{
    double largest = 0;
    for (uint64_t at = 0; at < 50; at++) {
        uint32_t i = 0, j = 0;
        for (uint32_t k = 0; k < a->count; k++)
            i += a->values[k] <= at;
        for (uint32_t k = 0; k < b->count; k++)
            j += b->values[k] <= at;
        largest = fmax(largest, fabs((double)i / a->count - (double)j / b->count));
    }
    return largest;
}

static void test_against_the_definition(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        struct hs_sample a = {0}, b = {0};
        uint64_t n = 1 + hs_mix64(trial, 1) % 30, m = 1 + hs_mix64(trial, 2) % 30;
        for (uint64_t i = 0; i < n; i++)
            hs_sample_add(&a, hs_mix64(trial, 100 + i) % 40);
        for (uint64_t i = 0; i < m; i++)
            hs_sample_add(&b, 5 + hs_mix64(trial, 200 + i) % 45);
        double expected = slow_distance(&a, &b);
        hs_sample_sort(&a);
        hs_sample_sort(&b);
        assert_true(fabs(hs_ks(&a, &b) - expected) < 1e-12);
        hs_sample_free(&a);
        hs_sample_free(&b);
    }
}

#define COUNT 20000

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_empty(void **state)
{
    struct hs_loghist h = {0};
    (void)state;
    assert_int_equal(hs_loghist_quantile(&h, 500), 0);
    hs_loghist_free(&h);
}

static void test_small_values_are_exact(void **state)
{
    struct hs_loghist h = {0};
    (void)state;
    for (uint64_t v = 0; v < 2000; v++)
        hs_loghist_add(&h, v);
    for (uint32_t pm = 1; pm <= 1000; pm++) /* rank ceil(2000 pm / 1000) is value 2 pm - 1 */
        assert_int_equal(hs_loghist_quantile(&h, pm), 2 * (uint64_t)pm - 1);
    assert_int_equal(h.sum / h.count, 999); /* 999.5 */
    assert_int_equal(h.max, 1999);
    hs_loghist_free(&h);
}

static void test_quantiles_of_wide_values(void **state)
{
    static uint64_t values[COUNT];
    struct hs_loghist h = {0};
    (void)state;
    for (uint64_t i = 0; i < COUNT; i++) {
        values[i] = hs_mix64(3, i) >> (1 + hs_mix64(4, i) % 50);
        hs_loghist_add(&h, values[i]);
    }
    qsort(values, COUNT, sizeof values[0], compare);
    for (uint32_t pm = 10; pm <= 1000; pm += 10) {
        uint64_t exact = values[(uint64_t)COUNT * pm / 1000 - 1];
        uint64_t got = hs_loghist_quantile(&h, pm);
        assert_true(got >= exact && got - exact <= exact / 1024);
        assert_non_null(bsearch(&got, values, COUNT, sizeof got, compare)); /* is a value */
    }
    hs_loghist_free(&h);
}

/* Buckets of 0, 7, 5000 (5000 .. 5003 in one: 5000 / 4 = 1250) and 2^40. */
static void test_buckets(void **state)
{
    static const uint64_t values[] = {5001, 7, 0, 5003, 7, UINT64_C(1) << 40};
    static const uint64_t largest[] = {0, 7, 5003, UINT64_C(1) << 40}, counts[] = {1, 2, 2, 1};
    struct hs_loghist h = {0};
    uint32_t at = 0, n = 0;
    uint64_t value, count;
    (void)state;
    assert_false(hs_loghist_next(&h, &at, &value, &count));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        hs_loghist_add(&h, values[i]);
    for (at = 0; hs_loghist_next(&h, &at, &value, &count); n++) {
        assert_int_equal(value, largest[n]);
        assert_int_equal(count, counts[n]);
    }
    assert_int_equal(n, 4);
    assert_int_equal(hs_loghist_below(&h, 6), 1);
    assert_int_equal(hs_loghist_below(&h, 7), 3);
    assert_int_equal(hs_loghist_below(&h, 5000), 5); /* counts its whole bucket */
    assert_int_equal(hs_loghist_below(&h, UINT64_MAX), 6);
    hs_loghist_free(&h);
}

static void test_largest(void **state)
{
    struct hs_loghist h = {0};
    (void)state;
    hs_loghist_add(&h, (uint64_t)INT64_MAX);
    assert_int_equal(hs_loghist_quantile(&h, 500), (uint64_t)INT64_MAX);
    hs_loghist_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_by_hand),
        cmocka_unit_test(test_mean_and_median),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_against_the_definition),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_small_values_are_exact),
        cmocka_unit_test(test_quantiles_of_wide_values),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
