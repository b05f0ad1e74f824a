/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What several cleaning rules ask of the rows: sums by job, rows in an order, who is idle.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate/clean_rules.h"

/* An idle job leaves the GPU to the other: busy up to 15 % of the time with a memory traffic that
 * nvidia-smi shows as 0, as Lucid's PPO and TD3 (calibration.md 2, trap 3). Where memory traffic
 * was not measured, up to 5 %: by the fitted form S = 1 + 0.677 u^1.016 v^1.763 (calibration.md 0)
 * such a co-runner costs at most 0.4 %. */
#define IDLE_UTIL       0.15
#define IDLE_UTIL_NO_BW 0.05

bool hs_clean_is_idle(const struct hs_solo *solo)
{
    if (isnan(solo->bw_util))
        return solo->util <= IDLE_UTIL_NO_BW;
    return solo->bw_util == 0 && solo->util <= IDLE_UTIL;
}

struct hs_clean_tally *hs_clean_tally(const struct hs_measurements *m)
{
    struct hs_clean_tally *tallies = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *tallies);
    if (tallies == NULL)
        return NULL;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        struct hs_clean_tally *t = &tallies[row->own];
        if (!hs_clean_is_measured(row))
            continue;
        t->rows++;
        t->ones += row->speed == 1;
        t->highest = fmax(t->highest, row->speed);
        if (hs_clean_is_idle(&m->solos[row->other])) {
            t->idle_sum += row->speed;
            t->idle_rows++;
        }
    }
    return tallies;
}

struct hs_clean_ranked *hs_clean_rank(const struct hs_measurements *m, uint32_t *count,
                                      int (*order)(const void *, const void *))
{
    struct hs_clean_ranked *ranked = hs_alloc_zeroed((uint64_t)m->pair_count + 1, sizeof *ranked);
    *count = 0;
    if (ranked == NULL)
        return NULL;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        if (hs_clean_is_measured(row))
            ranked[(*count)++] = (struct hs_clean_ranked){row->own, row->other, i, row->speed};
    }
    qsort(ranked, *count, sizeof *ranked, order);
    return ranked;
}
