/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_antman_memory.h.
 */
#include "policies/kit_antman_memory.h"

#include <stdbool.h>

#include "horus/compiler.h"

/* Points of one job: what it has now, and what it could have. */
struct curve {
    uint32_t limit_mib[HS_ANTMAN_CHUNKS + 1];
    uint64_t speed_q32[HS_ANTMAN_CHUNKS + 1];
    uint32_t points, at;
};

struct move {
    uint32_t job, to;
    uint64_t gain_q32;
    uint32_t mib;
};

static void curve_make(struct curve *c, const struct hs_antman_share *share, uint32_t i,
                       uint32_t chunks, hs_antman_speed_q32 *speed_of, const void *ctx)
{
    c->points = c->at = 0;
    for (uint32_t k = 0; k <= chunks; k++) {
        uint32_t mib = (uint32_t)(((uint64_t)share->peak_mib * k + chunks - 1) / chunks);
        if (k == 0)
            mib = share->least_mib > 0 ? share->least_mib : 1;
        else if (mib <= c->limit_mib[0])
            continue;
        c->limit_mib[c->points] = mib;
        c->speed_q32[c->points++] = speed_of(ctx, i, mib);
    }
}

static bool is_better(const struct move *a, const struct move *b)
{
    if (b->gain_q32 == 0)
        return a->gain_q32 > 0;
    hs_u128 x = (hs_u128)a->gain_q32 * b->mib, y = (hs_u128)b->gain_q32 * a->mib;
    return x > y || (x == y && a->gain_q32 > b->gain_q32);
}

static struct move best_move(const struct curve *curves, uint32_t count, uint64_t room_mib)
{
    struct move best = {.gain_q32 = 0};
    for (uint32_t i = 0; i < count; i++) {
        const struct curve *c = &curves[i];
        for (uint32_t to = c->at + 1; to < c->points; to++) {
            const struct move m = {.job = i,
                                   .to = to,
                                   .gain_q32 = c->speed_q32[to] > c->speed_q32[c->at]
                                                   ? c->speed_q32[to] - c->speed_q32[c->at]
                                                   : 0,
                                   .mib = c->limit_mib[to] - c->limit_mib[c->at]};
            if (m.mib <= room_mib && is_better(&m, &best))
                best = m;
        }
    }
    return best;
}

void hs_antman_split(struct hs_antman_share *shares, uint32_t count, uint32_t room_mib,
                     uint32_t chunks, hs_antman_speed_q32 *speed_of, const void *ctx)
{
    struct curve curves[HS_ANTMAN_SHARERS];
    uint64_t used_mib = 0;
    for (uint32_t i = 0; i < count; i++) {
        curve_make(&curves[i], &shares[i], i, chunks, speed_of, ctx);
        used_mib += curves[i].limit_mib[0];
    }
    while (used_mib < room_mib) {
        const struct move m = best_move(curves, count, room_mib - used_mib);
        if (m.gain_q32 == 0)
            break;
        curves[m.job].at = m.to;
        used_mib += m.mib;
    }
    uint64_t left_mib = used_mib < room_mib ? room_mib - used_mib : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t given_mib = curves[i].limit_mib[curves[i].at];
        uint32_t lack_mib = shares[i].peak_mib > given_mib ? shares[i].peak_mib - given_mib : 0;
        uint32_t more_mib = lack_mib < left_mib ? lack_mib : (uint32_t)left_mib;
        shares[i].given_mib = given_mib + more_mib;
        left_mib -= more_mib;
    }
}
