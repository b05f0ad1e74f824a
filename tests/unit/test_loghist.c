/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The logarithmic histogram against sorted values.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/loghist.h"

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
    assert_int_equal(hs_loghist_mean(&h), 0);
    hs_loghist_free(&h);
}

static void test_small_values_are_exact(void **state)
{
    struct hs_loghist h = {0};
    (void)state;
    for (uint64_t v = 0; v < 2000; v++)
        assert_int_equal(hs_loghist_add(&h, v), HS_OK);
    for (uint32_t pm = 1; pm <= 1000; pm++) /* rank ceil(2000 pm / 1000) is value 2 pm - 1 */
        assert_int_equal(hs_loghist_quantile(&h, pm), 2 * (uint64_t)pm - 1);
    assert_int_equal(hs_loghist_mean(&h), 999); /* 999.5 */
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
        assert_int_equal(hs_loghist_add(&h, values[i]), HS_OK);
    }
    qsort(values, COUNT, sizeof values[0], compare);
    for (uint32_t pm = 10; pm <= 1000; pm += 10) {
        uint64_t exact = values[(uint64_t)COUNT * pm / 1000 - 1];
        uint64_t got = hs_loghist_quantile(&h, pm);
        assert_true(got >= exact && got - exact <= exact / 1024);
        assert_non_null(bsearch(&got, values, COUNT, sizeof got, compare)); /* it occurred */
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
        assert_int_equal(hs_loghist_add(&h, values[i]), HS_OK);
    for (at = 0; hs_loghist_next(&h, &at, &value, &count); n++) {
        assert_int_equal(value, largest[n]);
        assert_int_equal(count, counts[n]);
    }
    assert_int_equal(n, 4);
    assert_int_equal(hs_loghist_below(&h, 6), 1);
    assert_int_equal(hs_loghist_below(&h, 7), 3);
    assert_int_equal(hs_loghist_below(&h, 5000), 5); /* its bucket as a whole */
    assert_int_equal(hs_loghist_below(&h, UINT64_MAX), 6);
    hs_loghist_free(&h);
}

static void test_largest(void **state)
{
    struct hs_loghist h = {0};
    (void)state;
    assert_int_equal(hs_loghist_add(&h, (uint64_t)INT64_MAX), HS_OK);
    assert_int_equal(hs_loghist_quantile(&h, 500), (uint64_t)INT64_MAX);
    assert_int_equal(hs_loghist_add(&h, UINT64_MAX), HS_E_LIMIT);
    hs_loghist_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_small_values_are_exact),
        cmocka_unit_test(test_quantiles_of_wide_values),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
