/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first entry with enough room: by hand, and compared with a linear search.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "engine/state.h"
#include "policies/lib/capacity_tree.h"

#define THINGS 60
#define TREES  2
#define ROUNDS 20000

/* The only fields that hs_view_alloc reads. */
static struct hs_engine engine = {.is_initialising = true};
static const struct hs_view view = {.engine = &engine};

static void open_rooms(struct hs_capacity_tree *r)
{
    hs_capacity_tree_init(r, &view, THINGS, TREES);
}

static void close_rooms(void)
{
    hs_arena_free(&engine.arena);
}

static struct hs_capacity room(uint64_t all_mib, uint64_t kept_mib)
{
    return (struct hs_capacity){{all_mib, kept_mib}};
}

/* In order of the key, then of the number: 5 (1), 2 (3), 7 (3), 1 (9). */
static void the_first_with_room_of_both_kinds(void **state)
{
    struct hs_capacity_tree r;
    (void)state;
    open_rooms(&r);
    assert_int_equal(hs_capacity_tree_first(&r, 0, 0, room(0, 0)), HS_NO_CAPACITY);
    hs_capacity_tree_put(&r, 0, 1, 9, room(100, 100));
    hs_capacity_tree_put(&r, 0, 7, 3, room(50, 5));
    hs_capacity_tree_put(&r, 0, 2, 3, room(50, 20));
    hs_capacity_tree_put(&r, 0, 5, 1, room(10, 10));
    assert_int_equal(hs_capacity_tree_first(&r, 0, 0, room(1, 1)), 5);
    assert_int_equal(hs_capacity_tree_first(&r, 0, 2, room(1, 1)), 2);
    assert_int_equal(hs_capacity_tree_next(&r, 0, 5, room(1, 1)), 2);
    assert_int_equal(hs_capacity_tree_next(&r, 0, 2, room(1, 1)), 7);
    /* 5 has too little total memory. */
    assert_int_equal(hs_capacity_tree_first(&r, 0, 0, room(20, 6)), 2);
    /* 7 has too little persistent memory. */
    assert_int_equal(hs_capacity_tree_next(&r, 0, 2, room(20, 6)), 1);
    assert_int_equal(hs_capacity_tree_next(&r, 0, 1, room(0, 0)), HS_NO_CAPACITY);
    assert_int_equal(hs_capacity_tree_first(&r, 1, 0, room(0, 0)), HS_NO_CAPACITY);
    hs_capacity_tree_put(&r, 0, 7, 3, room(50, 6)); /* more room, same position */
    assert_int_equal(hs_capacity_tree_next(&r, 0, 2, room(20, 6)), 7);
    hs_capacity_tree_put(&r, 0, 7, 0, room(50, 6)); /* first of all */
    assert_int_equal(hs_capacity_tree_first(&r, 0, 0, room(20, 6)), 7);
    hs_capacity_tree_drop(&r, 0, 7); /* a second drop has no effect */
    hs_capacity_tree_drop(&r, 0, 7);
    assert_int_equal(hs_capacity_tree_first(&r, 0, 0, room(20, 6)), 2);
    close_rooms();
}

/* An entry of one of the trees. */
struct thing {
    uint64_t key;
    struct hs_capacity room;
    uint32_t tree;
    bool is_in;
};

static uint32_t first_by_walk(const struct thing *things, uint32_t tree, uint64_t key,
                              uint32_t from, struct hs_capacity need)
{
    uint32_t best = HS_NO_CAPACITY;
    for (uint32_t i = 0; i < THINGS; i++) {
        const struct thing *t = &things[i];
        bool is_behind = t->key > key || (t->key == key && i >= from);
        if (t->is_in && t->tree == tree && is_behind && t->room.of[0] >= need.of[0] &&
            t->room.of[1] >= need.of[1] && (best == HS_NO_CAPACITY || t->key < things[best].key))
            best = i;
    }
    return best;
}

static void the_same_as_by_a_walk(void **state)
{
    static struct thing things[THINGS];
    struct hs_rng rng;
    struct hs_capacity_tree r;
    (void)state;
    hs_rng_open(&rng, 1, "rooms");
    open_rooms(&r);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t i = (uint32_t)hs_rng_below(&rng, THINGS);
        struct thing *t = &things[i];
        if (t->is_in && hs_rng_below(&rng, 3) == 0) {
            hs_capacity_tree_drop(&r, t->tree, i);
            t->is_in = false;
        } else {
            t->tree = t->is_in ? t->tree : (uint32_t)hs_rng_below(&rng, TREES);
            t->key = hs_rng_below(&rng, 2) == 0 ? t->key : hs_rng_below(&rng, 6);
            t->room = room(hs_rng_below(&rng, 20), hs_rng_below(&rng, 20));
            t->is_in = true;
            hs_capacity_tree_put(&r, t->tree, i, t->key, t->room);
        }
        uint32_t tree = (uint32_t)hs_rng_below(&rng, TREES);
        uint64_t key = hs_rng_below(&rng, 6);
        struct hs_capacity need = room(hs_rng_below(&rng, 20), hs_rng_below(&rng, 20));
        uint32_t first = hs_capacity_tree_first(&r, tree, key, need);
        assert_int_equal(first, first_by_walk(things, tree, key, 0, need));
        if (first != HS_NO_CAPACITY)
            assert_int_equal(hs_capacity_tree_next(&r, tree, first, need),
                             first_by_walk(things, tree, things[first].key, first + 1, need));
    }
    close_rooms();
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_with_room_of_both_kinds),
                                       cmocka_unit_test(the_same_as_by_a_walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
