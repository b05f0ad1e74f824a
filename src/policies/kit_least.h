/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The GPU of least load among those with room, of two kinds: a tournament over all GPUs, for loads
 * that a policy works out itself.
 *
 *     HS_TRY(hs_least_init(&t, v, gpus, 800));            // all closed
 *     hs_least_set(&t, gpu, load_pm, &room);              // or HS_LEAST_CLOSED
 *     gpu = hs_least_first(&t, &need);                    // HS_NO_GPU: none below 800
 *
 * To find several, close each that was found. Ties go to the lowest id. O(log GPUs) to set, and to
 * find where the least loaded ones have room.
 */
#ifndef HORUS_POLICIES_KIT_LEAST_H
#define HORUS_POLICIES_KIT_LEAST_H

#include "horus/policy.h"

#define HS_LEAST_CLOSED UINT32_MAX

struct hs_room {
    uint32_t memory, time;
};

struct hs_least {
    uint32_t *load; /* least below each node of the tree, the root first; leaves from `size` on */
    struct hs_room *room; /* most of each kind */
    uint32_t size;
    uint32_t below;
    uint32_t count; /* GPUs with a load below `below` */
};

HS_MUST_USE enum hs_status hs_least_init(struct hs_least *t, const struct hs_view *v,
                                         uint32_t count, uint32_t below);
void hs_least_set(struct hs_least *t, uint32_t at, uint32_t load, const struct hs_room *room);
uint32_t hs_least_first(const struct hs_least *t, const struct hs_room *need);
/* No GPU with a load below `below` has more, of either kind. O(1). */
struct hs_room hs_least_most(const struct hs_least *t);

#endif
