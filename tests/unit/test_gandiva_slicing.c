/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shares of time under round robin: by hand, and compared with a simulation of the turns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/rng.h"
#include "horus/compiler.h"
#include "policies/gandiva/gandiva_slicing.c"

#define ONE_Q32   (UINT64_C(1) << 32)
#define UNITS_MAX 12
#define TURNS_MAX 400

static uint64_t part_q32(uint64_t turns, uint64_t of)
{
    return (turns << 32) / of;
}

static void expect(const uint32_t *gpus, const int32_t *priorities, uint32_t count, uint32_t slots,
                   const uint64_t *shares_q32)
{
    struct hs_gandiva_turn ring[UNITS_MAX];
    for (uint32_t i = 0; i < count; i++)
        ring[i] = (struct hs_gandiva_turn){.gpus = gpus[i],
                                           .priority = priorities != NULL ? priorities[i] : 0};
    find_shares(ring, count, slots);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ring[i].share_q32, shares_q32[i]);
}

/* min(1, k / n), rounded down: six on four GPUs as in G1, gangs of two of which two fit at a time.
 */
static void equal_gangs_share_alike(void **state)
{
    (void)state;
    const uint32_t ones[] = {1, 1, 1, 1, 1, 1}, twos[] = {2, 2, 2};
    uint64_t shares[6];
    for (int i = 0; i < 6; i++)
        shares[i] = part_q32(4, 6);
    expect(ones, NULL, 6, 4, shares);
    for (int i = 0; i < 6; i++)
        shares[i] = ONE_Q32;
    expect(ones, NULL, 4, 4, shares);
    for (int i = 0; i < 3; i++)
        shares[i] = part_q32(2, 3);
    expect(twos, NULL, 3, 5, shares);
}

/* A3 B3 C1 on 4: A and C run, then B and C, and so on: C fits beside either. */
static void a_small_gang_fits_beside_large_ones(void **state)
{
    (void)state;
    const uint32_t gpus[] = {3, 3, 1};
    const uint64_t shares[] = {ONE_Q32 / 2, ONE_Q32 / 2, ONE_Q32};
    expect(gpus, NULL, 3, 4, shares);
}

/* Three of priority 1 keep three of four GPUs, two of 0 take turns on the fourth; if higher
 * priorities take all GPUs, the lower has no turn. */
static void higher_priorities_come_first(void **state)
{
    (void)state;
    const uint32_t gpus[] = {1, 1, 1, 1, 1}, full[] = {4, 1};
    const int32_t priorities[] = {0, 1, 1, 0, 1}, two[] = {7, -7};
    const uint64_t shares[] = {ONE_Q32 / 2, ONE_Q32, ONE_Q32, ONE_Q32 / 2, ONE_Q32},
                   all[] = {ONE_Q32, 0};
    expect(gpus, priorities, 5, 4, shares);
    expect(full, two, 2, 4, all);
}

static void no_unit_is_no_error(void **state)
{
    (void)state;
    find_shares(NULL, 0, 4);
}

/* ---- compared with a simulation of the turns ---- */

static uint8_t order[TURNS_MAX + 1][UNITS_MAX];
static uint32_t turns[TURNS_MAX + 1][UNITS_MAX];

static void turn_once(const struct hs_gandiva_turn *units, uint32_t count, uint32_t slots,
                      uint32_t turn)
{
    bool runs[UNITS_MAX] = {false};
    uint32_t to = 0;
    for (int32_t priority = 2; priority >= 0; priority--)
        for (uint32_t at = 0; at < count; at++) {
            uint32_t unit = order[turn][at];
            if (units[unit].priority != priority || units[unit].gpus > slots)
                continue;
            slots -= units[unit].gpus;
            runs[unit] = true;
        }
    for (uint32_t at = 0; at < count; at++)
        if (!runs[order[turn][at]])
            order[turn + 1][to++] = order[turn][at];
    for (uint32_t at = 0; at < count; at++)
        if (runs[order[turn][at]])
            order[turn + 1][to++] = order[turn][at];
    for (uint32_t i = 0; i < count; i++)
        turns[turn + 1][i] = turns[turn][i] + runs[i];
}

/* The first turn after which the order is the same as after an earlier turn, and that earlier
 * turn. */
static bool period_of(uint32_t count, uint32_t *from, uint32_t *to)
{
    for (*to = 1; *to <= TURNS_MAX; ++*to)
        for (*from = 0; *from < *to; ++*from)
            if (memcmp(order[*from], order[*to], count) == 0)
                return true;
    return false;
}

static void shares_are_those_of_the_turns(void **state)
{
    struct hs_rng rng;
    uint32_t compared = 0;
    (void)state;
    hs_rng_open(&rng, 20261122, "shares");
    for (int scenario = 0; scenario < 2000; scenario++) {
        struct hs_gandiva_turn ring[UNITS_MAX];
        uint32_t count = 1 + (uint32_t)hs_rng_below(&rng, UNITS_MAX);
        uint32_t slots = 1 + (uint32_t)hs_rng_below(&rng, 8), from, to;
        uint64_t classes = 1 + hs_rng_below(&rng, 3);
        hs_u128 sum_q32 = 0;
        for (uint32_t i = 0; i < count; i++) {
            ring[i] = (struct hs_gandiva_turn){.gpus = 1 + (uint32_t)hs_rng_below(&rng, slots),
                                               .priority = (int32_t)hs_rng_below(&rng, classes)};
            order[0][i] = (uint8_t)i;
        }
        for (uint32_t turn = 0; turn < TURNS_MAX; turn++)
            turn_once(ring, count, slots, turn);
        bool is_short = period_of(count, &from, &to) && from <= 63 && to - from <= 64;
        find_shares(ring, count, slots);
        for (uint32_t i = 0; i < count; i++) {
            sum_q32 += (hs_u128)ring[i].share_q32 * ring[i].gpus;
            if (is_short)
                assert_int_equal(ring[i].share_q32,
                                 part_q32(turns[to][i] - turns[from][i], to - from));
        }
        assert_true(sum_q32 <= (hs_u128)slots << 32);
        compared += is_short;
    }
    assert_in_range(compared, 1000, 2000);
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_gangs_share_alike),
                                       cmocka_unit_test(a_small_gang_fits_beside_large_ones),
                                       cmocka_unit_test(higher_priorities_come_first),
                                       cmocka_unit_test(no_unit_is_no_error),
                                       cmocka_unit_test(shares_are_those_of_the_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
