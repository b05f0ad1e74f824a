/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which is the first thing with room: by hand, and against a walk over all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "policies/kit_salus_rooms.h"

#define THINGS 60
#define TREES  2
#define ROUNDS 20000

static void *blocks[8];
static uint32_t block_count;

void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    (void)v;
    assert_in_range(block_count, 0, 7);
    return blocks[block_count++] = calloc(1, bytes);
}

static void open_rooms(struct hs_rooms *r)
{
    assert_int_equal(hs_rooms_init(r, NULL, THINGS, TREES), HS_OK);
}

static void close_rooms(void)
{
    while (block_count > 0)
        free(blocks[--block_count]);
}

static struct hs_room room(uint64_t all_mib, uint64_t kept_mib)
{
    return (struct hs_room){all_mib, kept_mib};
}

/* In order of the key, then of the number: 5 (1), 2 (3), 7 (3), 1 (9). */
static void the_first_with_room_of_both_kinds(void **state)
{
    struct hs_rooms r;
    (void)state;
    open_rooms(&r);
    assert_int_equal(hs_rooms_first(&r, 0, 0, room(0, 0)), HS_NO_ROOM);
    hs_rooms_put(&r, 0, 1, 9, room(100, 100));
    hs_rooms_put(&r, 0, 7, 3, room(50, 5));
    hs_rooms_put(&r, 0, 2, 3, room(50, 20));
    hs_rooms_put(&r, 0, 5, 1, room(10, 10));
    assert_int_equal(hs_rooms_first(&r, 0, 0, room(1, 1)), 5);
    assert_int_equal(hs_rooms_first(&r, 0, 2, room(1, 1)), 2);
    assert_int_equal(hs_rooms_next(&r, 0, 5, room(1, 1)), 2);
    assert_int_equal(hs_rooms_next(&r, 0, 2, room(1, 1)), 7);
    assert_int_equal(hs_rooms_first(&r, 0, 0, room(20, 6)), 2); /* 5 has not so much in all, */
    assert_int_equal(hs_rooms_next(&r, 0, 2, room(20, 6)), 1);  /* and 7 not so much to keep */
    assert_int_equal(hs_rooms_next(&r, 0, 1, room(0, 0)), HS_NO_ROOM);
    assert_int_equal(hs_rooms_first(&r, 1, 0, room(0, 0)), HS_NO_ROOM);
    hs_rooms_put(&r, 0, 7, 3, room(50, 6)); /* more, at its place; */
    assert_int_equal(hs_rooms_next(&r, 0, 2, room(20, 6)), 7);
    hs_rooms_put(&r, 0, 7, 0, room(50, 6)); /* before all others; */
    assert_int_equal(hs_rooms_first(&r, 0, 0, room(20, 6)), 7);
    hs_rooms_drop(&r, 0, 7); /* and out, twice */
    hs_rooms_drop(&r, 0, 7);
    assert_int_equal(hs_rooms_first(&r, 0, 0, room(20, 6)), 2);
    close_rooms();
}

/* What a thing is known for, here and there. */
struct thing {
    uint64_t key;
    struct hs_room room;
    uint32_t tree;
    bool is_in;
};

static uint32_t first_by_walk(const struct thing *things, uint32_t tree, uint64_t key,
                              uint32_t from, struct hs_room need)
{
    uint32_t best = HS_NO_ROOM;
    for (uint32_t i = 0; i < THINGS; i++) {
        const struct thing *t = &things[i];
        bool is_behind = t->key > key || (t->key == key && i >= from);
        if (t->is_in && t->tree == tree && is_behind && t->room.all_mib >= need.all_mib &&
            t->room.kept_mib >= need.kept_mib && (best == HS_NO_ROOM || t->key < things[best].key))
            best = i;
    }
    return best;
}

static struct hs_room most_by_walk(const struct thing *things, uint32_t tree, uint64_t key,
                                   uint64_t end)
{
    struct hs_room most = {0, 0};
    for (uint32_t i = 0; i < THINGS; i++) {
        const struct thing *t = &things[i];
        if (!t->is_in || t->tree != tree || t->key < key || t->key >= end)
            continue;
        most.all_mib = t->room.all_mib > most.all_mib ? t->room.all_mib : most.all_mib;
        most.kept_mib = t->room.kept_mib > most.kept_mib ? t->room.kept_mib : most.kept_mib;
    }
    return most;
}

static void the_same_as_by_a_walk(void **state)
{
    static struct thing things[THINGS];
    struct hs_rng rng;
    struct hs_rooms r;
    (void)state;
    assert_int_equal(hs_rng_open(&rng, 1, "rooms"), HS_OK);
    open_rooms(&r);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t i = (uint32_t)hs_rng_below(&rng, THINGS);
        struct thing *t = &things[i];
        if (t->is_in && hs_rng_below(&rng, 3) == 0) {
            hs_rooms_drop(&r, t->tree, i);
            t->is_in = false;
        } else {
            t->tree = t->is_in ? t->tree : (uint32_t)hs_rng_below(&rng, TREES);
            t->key = hs_rng_below(&rng, 2) == 0 ? t->key : hs_rng_below(&rng, 6);
            t->room = room(hs_rng_below(&rng, 20), hs_rng_below(&rng, 20));
            t->is_in = true;
            hs_rooms_put(&r, t->tree, i, t->key, t->room);
        }
        uint32_t tree = (uint32_t)hs_rng_below(&rng, TREES);
        uint64_t key = hs_rng_below(&rng, 6);
        struct hs_room need = room(hs_rng_below(&rng, 20), hs_rng_below(&rng, 20));
        uint32_t first = hs_rooms_first(&r, tree, key, need);
        assert_int_equal(first, first_by_walk(things, tree, key, 0, need));
        if (first != HS_NO_ROOM)
            assert_int_equal(hs_rooms_next(&r, tree, first, need),
                             first_by_walk(things, tree, things[first].key, first + 1, need));
        uint64_t end = hs_rng_below(&rng, 8) < 7 ? hs_rng_below(&rng, 7) : UINT64_MAX;
        struct hs_room most = hs_rooms_most(&r, tree, key, end);
        struct hs_room walked = most_by_walk(things, tree, key, end);
        assert_int_equal(most.all_mib, walked.all_mib);
        assert_int_equal(most.kept_mib, walked.kept_mib);
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
