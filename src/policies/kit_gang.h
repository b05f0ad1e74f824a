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
bool hs_gang_place(struct hs_sharer *s, const struct hs_view *v, struct hs_plan *p, hs_job_id id,
                   hs_load_cost *cost, const void *ctx);

#endif
