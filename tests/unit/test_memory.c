/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growing arrays and arenas.
 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
        hs_grow(items, cap, i + 1, 1000);
        assert_true(cap > i && cap <= 1000);
        assert_int_equal(items[i], 0);
        items[i] = i + 7;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i + 7);
    hs_free(items);
}

/* The same growth, with undefined contents of the new items. */
static void test_grow_bare_keeps_items(void **state)
{
    uint32_t *items = NULL;
    uint32_t cap = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        hs_grow_bare(items, cap, i + 1, 1000);
        assert_true(cap > i && cap <= 1000);
        items[i] = i + 7;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i + 7);
    hs_free(items);
}

/* Doubling: 1000 items added one by one allocate memory at 16, 32, ..., 512, 1000: seven times. */
static void test_grow_is_amortised(void **state)
{
    char *items = NULL;
    uint32_t cap = 0, changes = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t before = cap;
        hs_grow(items, cap, i + 1, 1000);
        changes += cap != before;
    }
    assert_int_equal(changes, 7);
    hs_free(items);
}

/* ---- what ends the program ---- */

static void exit_with(enum hs_status status)
{
    hs_free(hs_alloc_zeroed(1, 100000)); /* the handler that ends the program may allocate */
    _exit((int)status);
}

static void grow_past_limit(void)
{
    char *items = NULL;
    uint32_t cap = 0;
    hs_grow(items, cap, 10, 10);
    hs_grow(items, cap, 11, 10);
}

static void grow_past_32_bits(void)
{
    char *items = NULL;
    uint32_t cap = 0;
    hs_grow_bare(items, cap, UINT64_C(1) << 32, UINT64_MAX);
}

/* 2^31 items of 2^40 bytes are 2^71 bytes. */
static void grow_to_overflow(void)
{
    char *items = NULL;
    uint32_t cap = 0;
    hs_make_room((void **)&items, &cap, UINT64_C(1) << 31, (size_t)1 << 40, UINT64_MAX);
}

static void alloc_to_overflow(void)
{
    (void)hs_alloc_zeroed(UINT64_C(1) << 40, (size_t)1 << 40);
}

static void alloc_too_much(void)
{
    (void)hs_alloc_zeroed(1, (size_t)1 << 62);
}

static void arena_too_much(void)
{
    struct hs_arena arena = {0};
    (void)hs_arena_alloc(&arena, UINT64_MAX);
}

static void library_has_none(void)
{
    (void)hs_must(NULL);
}

static void test_what_cannot_be_had_ends_the_program(void **state)
{
    static const struct {
        void (*ask)(void);
        enum hs_status status;
    } rows[] = {{grow_past_limit, HS_E_LIMIT},   {grow_past_32_bits, HS_E_LIMIT},
                {grow_to_overflow, HS_E_MEMORY}, {alloc_to_overflow, HS_E_MEMORY},
                {alloc_too_much, HS_E_MEMORY},   {arena_too_much, HS_E_MEMORY},
                {library_has_none, HS_E_MEMORY}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int ended;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            hs_on_fatal(exit_with);
            rows[i].ask();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended));
        assert_int_equal(WEXITSTATUS(ended), (int)rows[i].status);
    }
}

static void test_alloc_is_zeroed(void **state)
{
    (void)state;
    unsigned char *bytes = hs_alloc_zeroed(100, 3);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    hs_free(bytes);
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
}

static void test_arena_serves_requests_larger_than_a_chunk(void **state)
{
    struct hs_arena arena = {0};
    (void)state;
    assert_non_null(hs_arena_alloc(&arena, 1));
    unsigned char *large = hs_arena_alloc(&arena, 1 << 20);
    large[0] = large[(1 << 20) - 1] = 1;
    hs_arena_free(&arena);
}

static void test_arena_reset_keeps_one_chunk_and_clears_it(void **state)
{
    struct hs_arena arena = {0};
    (void)state;
    hs_arena_reset(&arena); /* an empty one: nothing happens */
    for (int i = 0; i < 100; i++)
        memset(hs_arena_alloc(&arena, 1000), 0xff, 1000);
    hs_arena_reset(&arena);
    const struct hs_arena_chunk *kept = arena.chunk;
    assert_non_null(kept);
    const unsigned char *again = hs_arena_alloc(&arena, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(again[i], 0);
    assert_ptr_equal(arena.chunk, kept);
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
        cmocka_unit_test(test_what_cannot_be_had_ends_the_program),
        cmocka_unit_test(test_alloc_is_zeroed),
        cmocka_unit_test(test_arena_memory_is_aligned_zeroed_and_apart),
        cmocka_unit_test(test_arena_serves_requests_larger_than_a_chunk),
        cmocka_unit_test(test_arena_reset_keeps_one_chunk_and_clears_it),
        cmocka_unit_test(test_arena_text_is_terminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
