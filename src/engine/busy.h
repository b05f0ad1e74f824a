/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Utilization of GPUs from their tenants (model.md 5): how busy each is now, and was in the last
 * seconds. Where jobs take turns all GPUs of their lane on a node are equally busy; such nodes are
 * marked, and settled once everything else of the moment has changed.
 */
#ifndef HORUS_ENGINE_BUSY_H
#define HORUS_ENGINE_BUSY_H

#include "engine/state.h"

/* Memory for what is remembered of each GPU, where the policy may ask for it. */
HS_MUST_USE enum hs_status hs_busy_init(struct hs_engine *e);
/* The tenants of a GPU, or what they do, have changed. O(tenants), or marks its node. */
void hs_busy_refresh(struct hs_engine *e, uint32_t gpu);
/* A job has joined or left a lane on the node. */
void hs_busy_mark(struct hs_engine *e, uint32_t node);
/* All marked nodes. HS_E_POLICY where the shares of a lane do not fit. O(tenants of the nodes). */
HS_MUST_USE enum hs_status hs_busy_settle(struct hs_engine *e);
/* Mean of the last window_us, per mille, as far as it is remembered. */
uint32_t hs_busy_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us);
/* May the jobs beside it in the background run without slowing the others of the GPU? */
bool hs_busy_leaves_room(const struct hs_engine *e, const struct hs_gpu *gpu);

#endif
