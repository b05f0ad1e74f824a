/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growing arrays and arenas.
 */
#include "base/memory.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void test_grow_keeps_items_and_zeroes_new_ones(void **state)
{
    uint32_t *items = NULL;
    uint32_t cap = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(hs_grow((void **)&items, &cap, i + 1, sizeof *items, 1000), HS_OK);
        assert_true(cap > i && cap <= 1000);
        assert_int_equal(items[i], 0);
        items[i] = i + 7;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i + 7);
    hs_free(items);
}

/* The same growth, without a word on what the new items hold. */
static void test_grow_bare_keeps_items(void **state)
{
    uint32_t *items = NULL;
    uint32_t cap = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(hs_grow_bare((void **)&items, &cap, i + 1, sizeof *items, 1000), HS_OK);
        assert_true(cap > i && cap <= 1000);
        items[i] = i + 7;
    }
    assert_int_equal(hs_grow_bare((void **)&items, &cap, 1001, sizeof *items, 1000), HS_E_LIMIT);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i + 7);
    hs_free(items);
}

/* Doubling: 1000 items one by one ask for memory at 16, 32, ..., 512, 1000: seven times. */
static void test_grow_is_amortised(void **state)
{
    char *items = NULL;
    uint32_t cap = 0, changes = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t before = cap;
        assert_int_equal(hs_grow((void **)&items, &cap, i + 1, 1, 1000), HS_OK);
        changes += cap != before;
    }
    assert_int_equal(changes, 7);
    hs_free(items);
}

static void test_grow_refuses_past_its_limit(void **state)
{
    char *items = NULL;
    uint32_t cap = 0;
    (void)state;
    assert_int_equal(hs_grow((void **)&items, &cap, 10, 1, 10), HS_OK);
    assert_int_equal(cap, 10);
    items[9] = 'x';
    assert_int_equal(hs_grow((void **)&items, &cap, 11, 1, 10), HS_E_LIMIT);
    assert_int_equal(hs_grow((void **)&items, &cap, UINT64_C(1) << 32, 1, UINT64_MAX), HS_E_LIMIT);
    assert_int_equal(cap, 10);
    assert_int_equal(items[9], 'x');
    hs_free(items);
}

/* 2^31 items of 2^40 bytes are 2^71 bytes. */
static void test_grow_refuses_overflow(void **state)
{
    char *items = NULL;
    uint32_t cap = 0;
    (void)state;
    assert_int_equal(hs_grow((void **)&items, &cap, UINT64_C(1) << 31, (size_t)1 << 40, UINT64_MAX),
                     HS_E_MEMORY);
    assert_null(items);
    assert_int_equal(cap, 0);
}

static void test_alloc_is_zeroed_and_checks_overflow(void **state)
{
    (void)state;
    unsigned char *bytes = hs_alloc_zeroed(100, 3);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    hs_free(bytes);
    assert_null(hs_alloc_zeroed(UINT64_C(1) << 40, (size_t)1 << 40));
    void *nothing = hs_alloc_zeroed(0, 8);
    assert_non_null(nothing);
    hs_free(nothing);
    hs_free(NULL);
}

static void test_arena_memory_is_aligned_zeroed_and_apart(void **state)
{
    struct hs_arena arena = {0};
    unsigned char *parts[500];
    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        size_t size = i * 7 % 400;
        parts[i] = hs_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)parts[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(parts[i][k], 0);
        memset(parts[i], (int)(i % 255) + 1, size);
    }
    for (unsigned i = 0; i < 500; i++)
        for (size_t k = 0; k < i * 7 % 400; k++)
            assert_int_equal(parts[i][k], i % 255 + 1);
    hs_arena_free(&arena);
    assert_null(arena.chunk);
    assert_int_equal(arena.total_bytes, 0);
}

static void test_arena_serves_requests_larger_than_a_chunk(void **state)
{
    struct hs_arena arena = {0};
    (void)state;
    assert_non_null(hs_arena_alloc(&arena, 1));
    unsigned char *large = hs_arena_alloc(&arena, 1 << 20);
    large[0] = large[(1 << 20) - 1] = 1;
    assert_true(arena.total_bytes >= 1 << 20);
    assert_null(hs_arena_alloc(&arena, UINT64_MAX));
    hs_arena_free(&arena);
}

static void test_arena_reset_keeps_one_chunk_and_clears_it(void **state)
{
    struct hs_arena arena = {0};
    (void)state;
    hs_arena_reset(&arena); /* of an empty one: nothing happens */
    for (int i = 0; i < 100; i++)
        memset(hs_arena_alloc(&arena, 1000), 0xff, 1000);
    hs_arena_reset(&arena);
    uint64_t kept = arena.total_bytes;
    assert_true(kept > 0);
    const unsigned char *again = hs_arena_alloc(&arena, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(again[i], 0);
    assert_int_equal(arena.total_bytes, kept);
    hs_arena_free(&arena);
}

static void test_arena_text_is_terminated(void **state)
{
    struct hs_arena arena = {0};
    (void)state;
    assert_string_equal(hs_arena_text(&arena, "abcdef", 3), "abc");
    assert_string_equal(hs_arena_text(&arena, NULL, 0), "");
    hs_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow_keeps_items_and_zeroes_new_ones),
        cmocka_unit_test(test_grow_bare_keeps_items),
        cmocka_unit_test(test_grow_is_amortised),
        cmocka_unit_test(test_grow_refuses_past_its_limit),
        cmocka_unit_test(test_grow_refuses_overflow),
        cmocka_unit_test(test_alloc_is_zeroed_and_checks_overflow),
        cmocka_unit_test(test_arena_memory_is_aligned_zeroed_and_apart),
        cmocka_unit_test(test_arena_serves_requests_larger_than_a_chunk),
        cmocka_unit_test(test_arena_reset_keeps_one_chunk_and_clears_it),
        cmocka_unit_test(test_arena_text_is_terminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
