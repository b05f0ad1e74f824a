/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * base/pool: the last item given back is taken first, and there are as many items as were ever in
 * use at once.
 */
#include "base/memory.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

struct item {
    uint32_t first; /* in a free item: the number of the next free one */
    uint32_t mark;
};

struct fixture {
    struct item *items;
    struct hs_pool pool;
};

static uint32_t take(struct fixture *f)
{
    uint32_t at = UINT32_MAX;
    at = hs_pool_take(&f->pool, f->items);
    return at;
}

static void places_come_back_in_reverse(void **state)
{
    (void)state;
    struct fixture f = {0};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(take(&f), i);
    for (uint32_t i = 1; i < 4; i++)
        hs_pool_give(&f.pool, &f.items[i], i);
    assert_int_equal(take(&f), 3);
    assert_int_equal(take(&f), 2);
    hs_pool_give(&f.pool, &f.items[0], 0);
    assert_int_equal(take(&f), 0);
    assert_int_equal(take(&f), 1);
    assert_int_equal(take(&f), 5); /* none is free any more */
    hs_free(f.items);
}

/* 100 in use at once, a thousand times: 100 items; the rest of a free item keeps its contents. */
static void places_are_no_more_than_were_in_use(void **state)
{
    (void)state;
    struct fixture f = {0};
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t at = take(&f);
        f.items[at].mark = i;
    }
    for (uint32_t round = 0; round < 1000; round++) {
        for (uint32_t i = 0; i < 100; i++)
            hs_pool_give(&f.pool, &f.items[i], i);
        for (uint32_t i = 100; i-- > 0;) {
            uint32_t at = take(&f);
            assert_int_equal(at, i);
            assert_int_equal(f.items[at].mark, i);
        }
    }
    assert_int_equal(f.pool.high, 100);
    hs_free(f.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_come_back_in_reverse),
        cmocka_unit_test(places_are_no_more_than_were_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
