/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_gandiva_shares.h. The period is found as Brent does (BIT 20, 1980): the ring is compared
 * with what it was after 1, 3, 7, ... turns.
 */
#include "policies/kit_gandiva_shares.h"

#include <stddef.h>

#define ONE_Q32     (UINT64_C(1) << 32)
#define TURNS_LEAST 127u

static bool are_equal(const struct hs_gandiva_turn *ring, uint32_t count)
{
    bool are = true;
    for (uint32_t i = 1; i < count && are; i++)
        are = ring[i].gpus == ring[0].gpus && ring[i].priority == ring[0].priority;
    return are;
}

/* The highest priority below `below`. */
static bool next_class(const struct hs_gandiva_turn *ring, uint32_t count, int64_t below,
                       int64_t *priority)
{
    bool is_found = false;
    for (uint32_t i = 0; i < count; i++)
        if (ring[i].priority < below && (!is_found || ring[i].priority > *priority)) {
            *priority = ring[i].priority;
            is_found = true;
        }
    return is_found;
}

static void choose(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots)
{
    int64_t priority = (int64_t)INT32_MAX + 1;
    for (uint32_t i = 0; i < count; i++)
        ring[i].runs = false;
    while (next_class(ring, count, priority, &priority))
        for (uint32_t at = 0; at < count; at++) {
            struct hs_gandiva_turn *unit = &ring[ring[at].unit];
            if (unit->priority == priority && unit->gpus <= slots) {
                slots -= unit->gpus;
                unit->runs = true;
            }
        }
}

/* Those that ran go to the tail. */
static void rotate(struct hs_gandiva_turn *ring, uint32_t count)
{
    uint32_t to = 0;
    for (int ran = 0; ran < 2; ran++)
        for (uint32_t at = 0; at < count; at++)
            if (ring[ring[at].unit].runs == (ran == 1))
                ring[to++].unit_next = ring[at].unit;
    for (uint32_t at = 0; at < count; at++)
        ring[at].unit = ring[at].unit_next;
}

static void remember(struct hs_gandiva_turn *ring, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ring[i].unit_before = ring[i].unit;
        ring[i].turns_before = ring[i].turns;
    }
}

static bool is_as_before(const struct hs_gandiva_turn *ring, uint32_t count)
{
    bool is = true;
    for (uint32_t at = 0; at < count && is; at++)
        is = ring[at].unit == ring[at].unit_before;
    return is;
}

/* Turns from one look to the next, in which the units had their turns. */
static uint32_t turn_round(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots)
{
    uint32_t since = 0, look = 1, most = TURNS_LEAST;
    while (most < 2 * count)
        most = 2 * most + 1; /* the last look is then at as many turns as there are units */
    for (uint32_t turn = 1;; turn++) {
        choose(ring, count, slots);
        for (uint32_t i = 0; i < count; i++)
            ring[i].turns += ring[i].runs;
        rotate(ring, count);
        since++;
        if (is_as_before(ring, count) || turn == most)
            return since;
        if (since == look) {
            remember(ring, count);
            look *= 2;
            since = 0;
        }
    }
}

void hs_gandiva_shares(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots)
{
    if (count == 0)
        return;
    if (are_equal(ring, count)) {
        uint64_t fit = slots / ring[0].gpus;
        for (uint32_t i = 0; i < count; i++)
            ring[i].share_q32 = fit >= count ? ONE_Q32 : (fit << 32) / count;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        ring[i].unit = i;
        ring[i].turns = 0;
    }
    remember(ring, count);
    uint32_t turns = turn_round(ring, count, slots);
    for (uint32_t i = 0; i < count; i++)
        ring[i].share_q32 = ((uint64_t)(ring[i].turns - ring[i].turns_before) << 32) / turns;
}
