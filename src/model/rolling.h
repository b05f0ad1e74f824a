/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean run times of finished jobs, by user and GPUs, by user, and of all: what a scheduler knows
 * of a job when it keeps no more than sums of what it has seen. Exact sums, means rounded down to a
 * microsecond. Memory grows with users and with distinct (user, GPUs) pairs, not with jobs.
 *
 *     HS_TRY(hs_rolling_add(&r, user, gpus, run_us));      // O(1) amortised
 *     int64_t us = hs_rolling_mean_us(&r, user, gpus);     // O(1); -1 when nothing has finished
 *     hs_rolling_free(&r);
 */
#ifndef HORUS_MODEL_ROLLING_H
#define HORUS_MODEL_ROLLING_H

#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

struct hs_rolling_mean {
    hs_u128 sum_us;
    uint64_t count;
};

struct hs_rolling_pair {
    uint64_t key; /* user and GPUs */
    struct hs_rolling_mean mean;
};

/* Zeroed is empty. */
struct hs_rolling {
    struct hs_rolling_mean all;
    struct hs_rolling_mean *users; /* by id */
    struct hs_rolling_pair *pairs; /* in order of appearance */
    uint32_t *table;               /* open addressing; pair + 1, 0 = empty */
    uint32_t user_cap, pair_count, pair_cap, table_size;
};

/* user: a dense id; run_us >= 0. */
HS_MUST_USE enum hs_status hs_rolling_add(struct hs_rolling *r, uint32_t user, uint32_t gpus,
                                          int64_t run_us);
/* Of the finished jobs of the same user and GPUs; if there is none, of the same user; if there is
 * none, of all; -1 if there is none. */
int64_t hs_rolling_mean_us(const struct hs_rolling *r, uint32_t user, uint32_t gpus);
void hs_rolling_free(struct hs_rolling *r);

#endif
