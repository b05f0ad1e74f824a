/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The jobs of an hour are cut into batches. What the gaps within batches leave of the hour is split
 * among the batches by uniform order statistics, drawn one after the other, so that no hour is held
 * in memory. Batches are drawn twice, from the same bits: once to know their number and how long
 * they take, once to hand them out.
 */
#include "workload/arrival.h"

#include <math.h>

#include "base/rng.h"

#define HOUR_S     3600
#define GAPS_MAX_S (HOUR_S / 2.0) /* of an hour that is taken up by gaps within batches */

/* What the bits of a batch are for; DRAW_GAP + n: before its member n. */
enum draw { DRAW_JOBS, DRAW_BEGIN, DRAW_GAP };

enum hs_status hs_arrival_open(struct hs_arrival *arrival,
                               const struct hs_workload_arrivals *arrivals, uint64_t jobs,
                               uint64_t hours, uint64_t seed)
{
    *arrival = (struct hs_arrival){.batches = &arrivals->batches,
                                   .seed = hs_seed_of(seed, "workload-batches")};
    return hs_calendar_open(&arrival->calendar, arrivals, jobs, hours, seed);
}

static uint32_t draw_members(const struct hs_arrival *a, uint64_t batch, uint32_t most)
{
    if (a->batches->jobs.count == 0)
        return 1;
    double drawn = ceil(hs_curve_at(&a->batches->jobs, hs_uniform_of(hs_mix64(batch, DRAW_JOBS))));
    if (drawn >= most)
        return most;
    return drawn >= 1 ? (uint32_t)drawn : 1;
}

static double draw_gap(const struct hs_arrival *a, uint64_t batch, uint32_t member)
{
    return hs_curve_at(&a->batches->gap_s,
                       hs_uniform_of(hs_mix64(batch, DRAW_GAP + (uint64_t)member)));
}

static bool begin_hour(struct hs_arrival *a)
{
    if (!hs_calendar_next(&a->calendar, &a->hour, &a->left))
        return false;
    double gaps_s = 0;
    a->key = hs_mix64(a->seed, a->hour);
    a->batches_left = 0;
    for (uint32_t left = a->left; left > 0; a->batches_left++) {
        uint64_t batch = hs_mix64(a->key, a->batches_left);
        uint32_t members = draw_members(a, batch, left);
        for (uint32_t i = 1; i < members; i++)
            gaps_s += draw_gap(a, batch, i);
        left -= members;
    }
    a->gap_scale = gaps_s > GAPS_MAX_S ? GAPS_MAX_S / gaps_s : 1;
    a->free_s = HOUR_S - gaps_s * a->gap_scale;
    a->free_part = a->gaps_s = 0;
    a->batch = a->members_left = 0;
    return true;
}

bool hs_arrival_next(struct hs_arrival *arrival, int64_t *submit_s, uint64_t *batch)
{
    struct hs_arrival *a = arrival;
    if (a->left == 0 && !begin_hour(a))
        return false;
    if (a->members_left == 0) {
        *batch = hs_mix64(a->key, a->batch++);
        a->members_left = draw_members(a, *batch, a->left);
        double begin = hs_uniform_of(hs_mix64(*batch, DRAW_BEGIN));
        a->free_part += (1 - a->free_part) * (1 - pow(begin, 1.0 / a->batches_left--));
        a->member = 0;
    } else {
        *batch = hs_mix64(a->key, a->batch - 1);
        a->gaps_s += draw_gap(a, *batch, ++a->member) * a->gap_scale;
    }
    double second = floor(a->free_s * a->free_part + a->gaps_s);
    *submit_s = (int64_t)a->hour * HOUR_S + (second < HOUR_S ? (int64_t)second : HOUR_S - 1);
    a->members_left--;
    a->left--;
    return true;
}

void hs_arrival_close(struct hs_arrival *arrival)
{
    hs_calendar_close(&arrival->calendar);
}
