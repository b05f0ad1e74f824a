/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What model/assign draws from: the profiles of the catalogue whose utilization was measured on one
 * GPU type and whose memory fits, in order of utilization; and for each kind of job the weights
 * under which their mean utilization is the one asked for.
 *
 *     HS_TRY(hs_mix_open(&mix, &catalogue, &options, diag));
 *     uint32_t row = hs_mix_draw(&mix, job->gpus, bits);          // 64 random bits
 *     uint32_t near = hs_mix_draw_near(&mix, job->gpu_util_pm, bits);
 *
 * Draws are integer arithmetic on thresholds that were worked out at opening.
 */
#ifndef HORUS_MODEL_ASSIGN_MIX_H
#define HORUS_MODEL_ASSIGN_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"
#include "model/assign.h"
#include "model/profile.h"

struct hs_mix_row {
    int32_t util_pm;
    uint32_t profile; /* index in the catalogue */
};

struct hs_mix_group {
    struct hs_mix_row *rows; /* ascending in (util_pm, profile) */
    uint64_t *ends;          /* cumulative weights; the last is 2^32 */
    uint32_t count;
};

struct hs_mix {
    struct hs_arena arena;
    struct hs_mix_group single; /* jobs of one GPU: every profile that fits */
    struct hs_mix_group gang;   /* jobs of more: the distributed ones */
    const char *gpu;            /* the type, a text of the catalogue or of the options */
};

/* Weights are worked out for the modes that draw from the mix. HS_E_USAGE when nothing fits or the
 * target is out of reach. */
HS_MUST_USE enum hs_status hs_mix_open(struct hs_mix *mix, const struct hs_catalogue *catalogue,
                                       const struct hs_assign_options *options,
                                       struct hs_diag *diag);
/* O(log profiles). */
uint32_t hs_mix_draw(const struct hs_mix *mix, uint32_t gpus, uint64_t bits);
/* One of the five profiles nearest in utilization (horus.md 7). */
uint32_t hs_mix_draw_near(const struct hs_mix *mix, int32_t util_pm, uint64_t bits);
void hs_mix_close(struct hs_mix *mix);

#endif
