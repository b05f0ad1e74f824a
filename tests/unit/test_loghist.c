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
#include "traces/loghist.h"

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
        cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
