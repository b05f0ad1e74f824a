/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap compared with hand-made orders and, over random operations, with a linear search.
 */
#include "base/heap.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"

struct entry {
    int64_t time_us;
    uint64_t order;
    uint32_t id;
};

/* false: the heap is empty. */
static bool first_of(const struct hs_heap *heap, struct entry *out)
{
    if (heap->count == 0)
        return false;
    *out = (struct entry){.time_us = hs_heap_next_us(heap),
                          .order = heap->entries[0].tag >> HS_HEAP_ID_BITS,
                          .id = hs_heap_next_id(heap)};
    return true;
}

static void test_empty(void **state)
{
    struct hs_heap heap = {0};
    struct entry top;
    (void)state;
    assert_false(first_of(&heap, &top));
    assert_true(hs_heap_next_us(&heap) == INT64_MAX);
    hs_heap_remove(&heap, 3);
    assert_true(hs_heap_is_valid(&heap));
    hs_heap_free(&heap);
}

/* Times first, then order; negative times and the limits of both ranges sort as numbers. */
static void test_order_is_time_then_order(void **state)
{
    static const struct entry sorted[] = {
        {INT64_MIN, 0, 4}, {-1, HS_HEAP_ORDER_MAX, 2},
        {0, 0, 9},         {0, 1, 0},
        {5, 0, 7},         {5, HS_HEAP_ORDER_MAX, 1},
        {INT64_MAX, 0, 3}, {INT64_MAX, HS_HEAP_ORDER_MAX, 6},
    };
    static const unsigned inserted[] = {5, 0, 7, 3, 1, 6, 2, 4};
    struct hs_heap heap = {0};
    struct entry top = {0};
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const struct entry *e = &sorted[inserted[i]];
        hs_heap_set(&heap, e->id, e->time_us, e->order);
    }
    for (unsigned i = 0; i < 8; i++) {
        assert_true(first_of(&heap, &top));
        assert_int_equal(top.id, sorted[i].id);
        assert_true(hs_heap_next_us(&heap) == sorted[i].time_us);
        assert_int_equal(hs_heap_next_id(&heap), sorted[i].id);
        assert_true(top.time_us == sorted[i].time_us && top.order == sorted[i].order);
        hs_heap_remove(&heap, top.id);
        assert_true(hs_heap_is_valid(&heap));
    }
    assert_false(first_of(&heap, &top));
    hs_heap_free(&heap);
}

static void test_set_moves_an_entry(void **state)
{
    struct hs_heap heap = {0};
    struct entry top;
    (void)state;
    for (uint32_t id = 0; id < 10; id++)
        hs_heap_set(&heap, id, 100 + id, id);
    hs_heap_set(&heap, 9, 1, 9); /* to the front */
    assert_true(first_of(&heap, &top) && top.id == 9);
    hs_heap_set(&heap, 9, 1000, 9); /* to the back */
    assert_true(first_of(&heap, &top) && top.id == 0);
    assert_int_equal(heap.count, 10);
    assert_true(hs_heap_is_valid(&heap));
    hs_heap_free(&heap);
}

static void test_validity_check_sees_damage(void **state)
{
    struct hs_heap heap = {0};
    (void)state;
    for (uint32_t id = 0; id < 20; id++)
        hs_heap_set(&heap, id, id, id);
    heap.entries[0].time_us = 50; /* above its children */
    assert_false(hs_heap_is_valid(&heap));
    heap.entries[0].time_us = 0;
    assert_true(hs_heap_is_valid(&heap));
    heap.position[3] = 4;
    assert_false(hs_heap_is_valid(&heap));
    heap.position[3] = UINT32_MAX;
    assert_false(hs_heap_is_valid(&heap));
    hs_heap_free(&heap);
}

#define IDS   200u
#define STEPS 20000u

struct model {
    bool is_in[IDS];
    int64_t time_us[IDS];
};

static uint32_t model_top(const struct model *m)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t id = 0; id < IDS; id++)
        if (m->is_in[id] && (best == UINT32_MAX || m->time_us[id] < m->time_us[best]))
            best = id;
    return best;
}

/* Few distinct times, so that ties are common; order = id, so that the model's first is right. */
static void test_random_operations_agree_with_a_search(void **state)
{
    struct hs_heap heap = {0};
    struct model model = {0};
    (void)state;
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t draw = hs_mix64(20170801, step);
        uint32_t id = (uint32_t)(draw % IDS);
        if (draw >> 62 == 0) {
            hs_heap_remove(&heap, id);
            model.is_in[id] = false;
        } else {
            int64_t time_us = (int64_t)(draw >> 32 & 63);
            hs_heap_set(&heap, id, time_us, id);
            model.is_in[id] = true;
            model.time_us[id] = time_us;
        }
        struct entry top;
        uint32_t expected = model_top(&model);
        assert_int_equal(first_of(&heap, &top) ? top.id : UINT32_MAX, expected);
        if (step % 64 == 0)
            assert_true(hs_heap_is_valid(&heap));
    }
    hs_heap_free(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_order_is_time_then_order),
        cmocka_unit_test(test_set_moves_an_entry),
        cmocka_unit_test(test_validity_check_sees_damage),
        cmocka_unit_test(test_random_operations_agree_with_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
