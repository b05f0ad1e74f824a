/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of kit_share that places gangs; see there.
 */
#ifndef HORUS_POLICIES_KIT_GANG_H
#define HORUS_POLICIES_KIT_GANG_H

#include "policies/kit_share.h"

HS_MUST_USE enum hs_status hs_gang_init(struct hs_sharer *s, const struct hs_view *v);
/* Of one worker on an idle GPU of the type. */
int64_t hs_gang_idle_cost(const struct hs_view *v, uint32_t type, hs_load_cost *cost,
                          const void *ctx);
/* *room: of all nodes together, when that is too little. */
bool hs_gang_place(struct hs_sharer *s, const struct hs_view *v, struct hs_plan *p, hs_job_id id,
                   hs_load_cost *cost, const void *ctx, uint64_t *room);
/* Workers of the job that a node could seat now, at most its gang. */
uint32_t hs_gang_room(struct hs_sharer *s, const struct hs_view *v, hs_job_id id, uint32_t node,
                      hs_load_cost *cost, const void *ctx);

#endif
