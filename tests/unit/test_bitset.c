/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bitmap tree against an array of flags, at the sizes where a level begins or ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/bitset.h"

static uint32_t naive_next(const bool *has, uint32_t size, uint32_t from)
{
    while (from < size && !has[from])
        from++;
    return from < size ? from : HS_BITSET_NONE;
}

static uint32_t naive_prev(const bool *has, uint32_t size, uint32_t from)
{
    for (uint32_t i = from < size ? from + 1 : size; i-- > 0;)
        if (has[i])
            return i;
    return HS_BITSET_NONE;
}

static void compare(const struct hs_bitset *set, const bool *has, uint32_t size, uint32_t from)
{
    assert_int_equal(hs_bitset_next(set, from), naive_next(has, size, from));
    assert_int_equal(hs_bitset_prev(set, from), naive_prev(has, size, from));
    assert_int_equal(hs_bitset_first(set), naive_next(has, size, 0));
}

/* Random adds and removes in a set of `size`, sparse enough for empty words on every level. */
static void walk(uint32_t size, uint32_t steps)
{
    struct hs_bitset set;
    uint64_t *words = hs_alloc_zeroed(hs_bitset_words(size), sizeof *words);
    bool *has = hs_alloc_zeroed(size, sizeof *has);
    uint32_t members = 0;
    assert_non_null(words);
    assert_non_null(has);
    hs_bitset_init(&set, size, words);
    assert_true(hs_bitset_is_empty(&set));
    for (uint32_t step = 0; step < steps; step++) {
        uint64_t draw = hs_mix64(size, step);
        uint32_t i = (uint32_t)(draw >> 8) % size;
        bool is_add = members < 5 && draw % 2 == 0;
        if (!is_add && naive_next(has, size, 0) != HS_BITSET_NONE && draw % 4 != 1)
            i = naive_next(has, size, 0);
        members += is_add && !has[i];
        members -= !is_add && has[i];
        if (is_add)
            hs_bitset_put(&set, i, true);
        else
            hs_bitset_put(&set, i, false);
        has[i] = is_add;
        assert_int_equal(hs_bitset_has(&set, i), is_add);
        assert_int_equal(hs_bitset_is_empty(&set), members == 0);
        compare(&set, has, size, i);
        compare(&set, has, size, (uint32_t)(draw >> 40) % size);
        compare(&set, has, size, 0);
        compare(&set, has, size, size - 1);
    }
    hs_free(words);
    hs_free(has);
}

/* One word holds 64; a second level begins with the 64th member, since every level keeps a spare
 * word, a third with the 4,032nd, a fourth with the 258,048th. */
static void test_against_flags(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 4031, 4032, 4095, 4096, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        walk(sizes[i], 2000);
    walk(300000, 20);
}

/* levels: 1 + the number of times that n -> n / 64 + 1 leaves more than one word. By hand:
 * 63 -> 1; 64 -> 2 -> 1; 4031 -> 63 -> 1; 4096 -> 65 -> 2 -> 1; 300000 -> 4688 -> 74 -> 2 -> 1. */
static void test_words(void **state)
{
    (void)state;
    assert_int_equal(hs_bitset_words(0), 1);
    assert_int_equal(hs_bitset_words(63), 1);
    assert_int_equal(hs_bitset_words(64), 2 + 1);
    assert_int_equal(hs_bitset_words(4031), 63 + 1);
    assert_int_equal(hs_bitset_words(4096), 65 + 2 + 1);
    assert_int_equal(hs_bitset_words(300000), 4688 + 74 + 2 + 1);
}

static void test_empty_and_past_the_end(void **state)
{
    (void)state;
    uint64_t words[3] = {0};
    struct hs_bitset set;
    hs_bitset_init(&set, 0, words);
    assert_int_equal(hs_bitset_next(&set, 0), HS_BITSET_NONE);
    assert_int_equal(hs_bitset_prev(&set, 7), HS_BITSET_NONE);
    hs_bitset_init(&set, 64, words);
    hs_bitset_put(&set, 63, true);
    assert_int_equal(hs_bitset_next(&set, 64), HS_BITSET_NONE);
    assert_int_equal(hs_bitset_next(&set, UINT32_MAX), HS_BITSET_NONE);
    assert_int_equal(hs_bitset_prev(&set, UINT32_MAX), 63);
    assert_int_equal(hs_bitset_prev(&set, 62), HS_BITSET_NONE);
}

/* Adding a member twice or removing an absent one changes nothing. */
static void test_idempotent(void **state)
{
    (void)state;
    uint64_t words[200] = {0}, before[200];
    struct hs_bitset set;
    hs_bitset_init(&set, 5000, words);
    hs_bitset_put(&set, 4999, true);
    memcpy(before, words, sizeof words);
    hs_bitset_put(&set, 4999, true);
    hs_bitset_put(&set, 17, false);
    hs_bitset_put(&set, 4998, false);
    assert_memory_equal(before, words, sizeof words);
    hs_bitset_put(&set, 4999, false);
    assert_true(hs_bitset_is_empty(&set));
}

/* Random moves between two sets, compared with an array of flags, until all members are in one of
 * them. */
static void test_moves_against_flags(void **state)
{
    (void)state;
    enum { SIZE = 4100, STEPS = 20000 };
    static uint64_t words[2][200];
    static bool has[2][SIZE];
    struct hs_bitset sets[2];
    uint32_t members[2] = {0, 0};
    assert_true(hs_bitset_words(SIZE) <= 200);
    for (uint32_t k = 0; k < 2; k++)
        hs_bitset_init(&sets[k], SIZE, words[k]);
    for (uint32_t i = 0; i < SIZE; i += 137, members[0]++) {
        hs_bitset_put(&sets[0], i, true);
        has[0][i] = true;
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t from = step / 64 % 2; /* enough moves in one direction to empty a set */
        uint32_t i = naive_next(has[from], SIZE, (uint32_t)hs_mix64(1, step) % SIZE);
        if (i == HS_BITSET_NONE)
            continue;
        members[from]--;
        members[1 - from]++;
        has[from][i] = false;
        has[1 - from][i] = true;
        assert_int_equal(hs_bitset_move(&sets[0], from * 200, (1 - from) * 200, i),
                         members[from] > 0);
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(hs_bitset_is_empty(&sets[k]), members[k] == 0);
            compare(&sets[k], has[k], SIZE, i);
            compare(&sets[k], has[k], SIZE, (i + 1000) % SIZE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_flags),          cmocka_unit_test(test_words),
        cmocka_unit_test(test_empty_and_past_the_end), cmocka_unit_test(test_idempotent),
        cmocka_unit_test(test_moves_against_flags),
    };
    return cmocka_run_group_tests_name("model/bitset", tests, NULL, NULL);
}
