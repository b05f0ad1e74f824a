/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Spilled arrays compared with plain ones: zeroed on growth, the same bytes after pages were
 * removed from memory, sorted; and the bound on resident memory.
 */
#include "base/spill.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/resource.h>
#include <cmocka.h>

#define COUNT 2000000u /* 32 MiB: a file, and more than stays resident */

struct item {
    int64_t key;
    uint64_t number;
};

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    const int keys = (x->key > y->key) - (x->key < y->key);
    return keys != 0 ? keys : (x->number > y->number) - (x->number < y->number);
}

static void test_array(void **state)
{
    struct hs_spill spill = {0};
    struct item *items = NULL;
    uint32_t cap = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++, hs_spill_step(&spill)) {
        hs_spill_grow(&spill, (void **)&items, &cap, i + UINT64_C(1), sizeof *items);
        assert_true(items[i].key == 0 && items[i].number == 0);
        items[i] = (struct item){(int64_t)(i * UINT64_C(2654435761) % 1000), i};
    }
    assert_true(spill.of[0].file >= 0);
    items = hs_spill_sort(&spill, items, COUNT, sizeof *items, by_key);
    uint64_t sum = items[0].number;
    for (uint32_t i = 1; i < COUNT; i++, hs_spill_step(&spill)) {
        assert_true(items[i - 1].key < items[i].key ||
                    (items[i - 1].key == items[i].key && items[i - 1].number < items[i].number));
        sum += items[i].number;
    }
    assert_true(sum == (uint64_t)COUNT * (COUNT - 1) / 2);
    hs_spill_free(&spill);
}

static void test_small(void **state)
{
    struct hs_spill spill = {0};
    uint64_t *a = hs_spill_alloc(&spill, 0, sizeof *a), *b = hs_spill_alloc(&spill, 3, sizeof *b);
    uint64_t *c = NULL;
    uint32_t cap = 0;
    (void)state;
    assert_non_null(a);
    assert_true(b[0] == 0 && b[2] == 0 && spill.of[1].file < 0);
    b[0] = 7;
    hs_spill_grow(&spill, (void **)&c, &cap, 1, sizeof *c);
    assert_true(cap >= 1 && c[0] == 0);
    hs_spill_release(&spill, a);
    hs_spill_release(&spill, NULL);
    assert_ptr_equal(hs_spill_sort(&spill, b, 1, sizeof *b, by_key), b);
    assert_true(b[0] == 7);
    hs_spill_free(&spill);
}

/* 320 MB of entries; the process would be larger than the bound with all in memory. */
static void test_bound(void **state)
{
    struct hs_spill spill = {0};
    const uint32_t count = 40000000;
    uint64_t *of = hs_spill_alloc(&spill, count, sizeof *of), sum = 0;
    struct rusage usage;
    (void)state;
    if (spill.of[0].file < 0)
        skip(); /* no room in /tmp */
    for (uint32_t i = 0; i < count; i++, hs_spill_step(&spill))
        of[i] = i;
    for (uint32_t i = 0; i < count; i++, hs_spill_step(&spill))
        sum += of[i];
    assert_true(sum == (uint64_t)count * (count - 1) / 2);
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < 128 * 1024); /* KiB */
    hs_spill_free(&spill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_bound),
                                       cmocka_unit_test(test_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
