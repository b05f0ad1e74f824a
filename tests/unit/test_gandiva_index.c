/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of servers compared with a linear search.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "engine/state.h"
#include "policies/gandiva/gandiva_server.c"

#define SERVERS 300
#define KEYS    7 /* few, so that many are equal */

/* The only fields that hs_view_alloc reads. */
static struct hs_engine engine = {.is_initialising = true};
static const struct hs_view view = {.engine = &engine};

static uint32_t ranks[SERVERS]; /* a permutation that differs from the order of the numbers */

struct member {
    bool is_in;
    uint64_t key;
};

static bool is_before(const struct member *all, uint32_t a, uint32_t b)
{
    return all[a].key < all[b].key || (all[a].key == all[b].key && ranks[a] < ranks[b]);
}

/* The first member that is not before (key, rank `from`). */
static uint32_t first_from(const struct member *all, uint64_t key, uint32_t from)
{
    uint32_t best = HS_NO_NODE;
    for (uint32_t i = 0; i < SERVERS; i++) {
        bool is_behind = all[i].key > key || (all[i].key == key && ranks[i] >= from);
        if (all[i].is_in && is_behind && (best == HS_NO_NODE || is_before(all, i, best)))
            best = i;
    }
    return best;
}

/* The whole order, from the first entry of each key on. */
static void compare(const struct hs_gandiva_index *set, const struct member *all)
{
    for (uint64_t key = 0; key <= KEYS; key++) {
        uint32_t expected = first_from(all, key, 0), at = hs_gandiva_index_from(set, key);
        for (; expected != HS_NO_NODE; at++) {
            assert_in_range(at, 0, set->count - 1);
            assert_int_equal(set->at[at].server, expected);
            assert_int_equal(set->at[at].key, all[expected].key);
            expected = first_from(all, all[expected].key, ranks[expected] + 1);
        }
        assert_int_equal(at, set->count);
    }
}

static void it_orders_as_a_scan_does(void **state)
{
    struct hs_rng rng;
    struct hs_gandiva_index set = {.count = 0};
    struct member all[SERVERS] = {{.is_in = false}};
    (void)state;
    hs_rng_open(&rng, 20261122, "index");
    for (uint32_t i = 0; i < SERVERS; i++)
        ranks[i] = i * 7 % SERVERS;
    index_init(&set, &view, SERVERS, ranks);
    compare(&set, all);
    for (int step = 0; step < 4000; step++) {
        uint32_t server = (uint32_t)hs_rng_below(&rng, SERVERS);
        if (hs_rng_below(&rng, 6) < (step / 1000 % 2 == 0 ? 2 : 5)) {
            index_set(&set, server, UINT64_MAX); /* also a server that is absent */
            all[server].is_in = false;
        } else {
            all[server] = (struct member){.is_in = true, .key = hs_rng_below(&rng, KEYS)};
            index_set(&set, server, all[server].key);
        }
        if (step % 25 == 0)
            compare(&set, all);
    }
    hs_arena_free(&engine.arena);
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_orders_as_a_scan_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
