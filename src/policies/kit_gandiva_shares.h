/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the turns of a ring come to in the long run: the share of time of each of its units (a gang,
 * or jobs packed on one GPU) when they run on `slots` GPUs by the rule of the ring itself:
 *
 *     each turn: units by priority, highest first, then in ring order, each that still fits runs;
 *     at its end those that ran go to the tail, in their order
 *
 * Equal gangs of one priority: min(1, k / n) for k that fit at a time, rounded down. Others: the
 * ring is turned until it comes round, at most 127 times, or four times the units if that is more.
 * A period of up to 64 turns that begins within 63 is found, and the shares are exact; else they
 * are the means of the last 64 turns, or as many as there are units: each of the highest priority
 * has had one then, and a share is off by at most the part of a period that these are not whole
 * ones of. Sums of shares times GPUs are at most `slots` in every case.
 */
#ifndef HORUS_POLICIES_KIT_GANDIVA_SHARES_H
#define HORUS_POLICIES_KIT_GANDIVA_SHARES_H

#include <stdbool.h>
#include <stdint.h>

struct hs_gandiva_turn {
    uint32_t gpus;
    int32_t priority;
    uint64_t share_q32; /* what is asked for; 0: it never has a turn */
    /* scratch: of the unit, and of the position of the same number in the ring */
    uint32_t turns, turns_before;
    bool runs;
    uint32_t unit, unit_before, unit_next;
};

/* In ring order, each of 1 to `slots` GPUs. O(count) for equal gangs, else times the turns. */
void hs_gandiva_shares(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots);

#endif
