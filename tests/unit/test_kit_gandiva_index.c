/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ordered set of servers, against a look at all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "policies/kit_gandiva_index.h"

#define SERVERS 300 /* some blocks, which are cut, and joined when many have left */
#define KEYS    7   /* few, so that many are equal */

static void *blocks[8]; /* of memory */
static int block_count;

void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    (void)v;
    assert_in_range(block_count, 0, 7);
    return blocks[block_count++] = calloc(1, bytes);
}

struct member {
    bool is_in;
    uint64_t key;
};

static bool is_before(const struct member *all, uint32_t a, uint32_t b)
{
    return all[a].key < all[b].key || (all[a].key == all[b].key && a < b);
}

/* The first that is in and is not before (key, from). */
static uint32_t first_from(const struct member *all, uint64_t key, uint32_t from)
{
    uint32_t best = HS_NO_NODE;
    for (uint32_t i = 0; i < SERVERS; i++) {
        bool is_behind = all[i].key > key || (all[i].key == key && i >= from);
        if (all[i].is_in && is_behind && (best == HS_NO_NODE || is_before(all, i, best)))
            best = i;
    }
    return best;
}

static uint32_t last_below(const struct member *all, uint64_t key)
{
    uint32_t best = HS_NO_NODE;
    for (uint32_t i = 0; i < SERVERS; i++)
        if (all[i].is_in && all[i].key < key && (best == HS_NO_NODE || is_before(all, best, i)))
            best = i;
    return best;
}

static void compare(const struct hs_gandiva_index *set, const struct member *all)
{
    for (uint64_t key = 0; key <= KEYS; key++) {
        assert_int_equal(hs_gandiva_index_from(set, key), first_from(all, key, 0));
        assert_int_equal(hs_gandiva_index_below(set, key), last_below(all, key));
    }
    for (uint32_t i = 0; i < SERVERS; i++) {
        assert_int_equal(hs_gandiva_index_has(set, i), all[i].is_in);
        if (!all[i].is_in)
            continue;
        assert_int_equal(hs_gandiva_index_key(set, i), all[i].key);
        assert_int_equal(hs_gandiva_index_next(set, i), first_from(all, all[i].key, i + 1));
    }
}

static void it_orders_as_a_scan_does(void **state)
{
    struct hs_rng rng;
    struct hs_gandiva_index set;
    struct member all[SERVERS] = {{.is_in = false}};
    (void)state;
    assert_int_equal(hs_rng_open(&rng, 20261122, "index"), HS_OK);
    assert_int_equal(hs_gandiva_index_init(&set, NULL, SERVERS), HS_OK);
    compare(&set, all);
    for (int step = 0; step < 4000; step++) {
        uint32_t server = (uint32_t)hs_rng_below(&rng, SERVERS);
        if (hs_rng_below(&rng, 6) < (step / 1000 % 2 == 0 ? 2 : 5)) {
            hs_gandiva_index_remove(&set, server); /* also one that is out */
            all[server].is_in = false;
        } else {
            all[server] = (struct member){.is_in = true, .key = hs_rng_below(&rng, KEYS)};
            hs_gandiva_index_set(&set, server, all[server].key);
        }
        if (step % 25 == 0)
            compare(&set, all);
    }
    while (block_count > 0)
        free(blocks[--block_count]);
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_orders_as_a_scan_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
