/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of fairshare and drf, from their text: at each instant all waiting jobs are ordered
 * anew, and the usage of a user is summed over all placements of its jobs. GPUs alone.
 *
 *     struct fair_rules rules = {.half_life_us = 60000000, .max_age_us = 60000000, ...};
 *     bool all_done = fair_simulate(&rules, &world, horizon_us);
 *     free(world.segments);
 *
 * Readings of the text where it leaves room:
 *   - The wait counts in millionths, rounded down, of the difference of two times since the start.
 *   - Users that have submitted count, those whose only job was rejected too.
 */
#ifndef HORUS_TESTS_REFFAIR_H
#define HORUS_TESTS_REFFAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "reftasks.h"

#define FAIR_USERS_MAX 8

struct fair_rules {
    bool is_drf, skips;
    int64_t w_fairshare, w_age, w_size, half_life_us, max_age_us;
};

/* False if the jobs are not all done by the horizon. */
bool fair_simulate(const struct fair_rules *rules, struct ref_world *w, int64_t horizon_us);

#endif
