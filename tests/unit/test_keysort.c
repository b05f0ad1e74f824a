/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The generator's sort: order, ties, and the order of numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>

#include "base/rng.h"
#include "workload/keysort.h"

#define MANY 3000

static struct hs_keyed items[MANY], spare[MANY];

/* Drawn from `of` keys, spread over all 64 bits. */
static void sorts(uint32_t count, uint64_t of)
{
    uint64_t sum = 0, sum_sorted = 0;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (struct hs_keyed){hs_mix64(1, hs_mix64(count, i) % of), i};
        sum += items[i].key;
    }
    hs_keysort(items, spare, count);
    for (uint32_t i = 0; i < count; i++) {
        sum_sorted += items[i].key;
        assert_true(items[i].value < count);
        if (i == 0)
            continue;
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key)
            assert_true(items[i - 1].value < items[i].value);
    }
    assert_true(sum == sum_sorted);
}

static void test_order(void **state)
{
    (void)state;
    sorts(0, 1);
    sorts(1, 1);
    sorts(2, UINT64_MAX);
    sorts(MANY, UINT64_MAX);
    sorts(MANY, 7); /* most are ties */
    sorts(MANY, 1);
}

/* Only the lowest or only the highest digit differs. */
static void test_one_digit(void **state)
{
    (void)state;
    for (int shift = 0; shift <= 56; shift += 56) {
        for (uint64_t i = 0; i < 200; i++)
            items[i] = (struct hs_keyed){(i * 77 % 256) << shift, i};
        hs_keysort(items, spare, 200);
        for (uint32_t i = 1; i < 200; i++)
            assert_true(items[i - 1].key < items[i].key);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const double rising[] = {-DBL_MAX, -2, -1.5, -DBL_MIN, 0, DBL_MIN, 1, 1.5, DBL_MAX};
    for (uint32_t i = 1; i < sizeof rising / sizeof *rising; i++)
        assert_true(hs_key_of(rising[i - 1]) < hs_key_of(rising[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_one_digit),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
