/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Utilization of GPUs from their tenants (model.md 5): how busy each is now, and was in the last
 * seconds. Where jobs take turns all GPUs of their lane on a node are equally busy; such nodes are
 * marked, and settled once everything else of the moment has changed.
 */
#ifndef HORUS_ENGINE_BUSY_H
#define HORUS_ENGINE_BUSY_H

#include "engine/shadow.h"
#include "engine/state.h"
#include "horus/policy.h"

/* Memory for what is remembered of each GPU, where the policy may ask for it. */
HS_MUST_USE enum hs_status hs_busy_init(struct hs_engine *e);
/* It has been so busy from now on. */
void hs_busy_remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm);

/* The GPU is so busy: by the model, and with its tenants added up; per mille. */
static inline void hs_busy_set(struct hs_engine *e, uint32_t id, uint32_t model_pm, uint32_t sum_pm)
{
    struct hs_gpu *gpu = &e->gpus[id];
    if (model_pm == gpu->util_model_pm && sum_pm == gpu->util_sum_pm)
        return;
    if (e->util_memory != NULL && model_pm != gpu->util_model_pm)
        hs_busy_remember(&e->util_memory[id], e->now_us, model_pm);
    e->instant.util_model_pm += (uint64_t)model_pm - gpu->util_model_pm;
    e->instant.util_sum_pm += (uint64_t)sum_pm - gpu->util_sum_pm;
    gpu->util_model_pm = (uint16_t)model_pm;
    gpu->util_sum_pm = sum_pm;
    if (e->knows & HS_KNOWS_RATE)
        hs_shadow_measure(e, id);
}

/* What a job makes of a GPU that it has for itself, if that needs no arithmetic: it is active,
 * takes no turns and is not held back. */
static inline bool hs_busy_is_plain(const struct hs_job_stay *stay)
{
    return stay->is_active && stay->lane == 0 && stay->cap_q32 == HS_Q32_ONE;
}

static inline uint32_t hs_busy_alone_pm(const struct hs_job *job)
{
    return job->gpu_util_pm > 0 ? (uint32_t)job->gpu_util_pm : 0;
}

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
