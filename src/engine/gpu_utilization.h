/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Utilization of GPUs from their tenants (MODEL.md 5): now, and over the last seconds. Where
 * jobs take turns, all GPUs of their slice group on a node have the same utilization; such nodes
 * are marked, and computed after all other changes of the instant.
 */
#ifndef HORUS_ENGINE_GPU_UTILIZATION_H
#define HORUS_ENGINE_GPU_UTILIZATION_H

#include "engine/tentative_state.h"
#include "engine/state.h"
#include "horus/policy.h"

/* Allocates the history of each GPU, for policies that read it. */
void hs_utilization_init(struct hs_engine *e);
/* Appends to the history: the utilization from now on. */
void hs_utilization_remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm);

/* Sets the utilization of a GPU: by the model, and as the sum of its tenants; per mille. */
static inline void hs_utilization_set(struct hs_engine *e, uint32_t id, uint32_t model_pm,
                                      uint32_t sum_pm)
{
    struct hs_gpu *gpu = &e->gpus[id];
    if (model_pm == gpu->util_model_pm && sum_pm == gpu->util_sum_pm)
        return;
    if (e->util_memory != NULL && model_pm != gpu->util_model_pm)
        hs_utilization_remember(&e->util_memory[id], e->now_us, model_pm);
    e->instant.util_model_pm += (uint64_t)model_pm - gpu->util_model_pm;
    e->instant.util_sum_pm += (uint64_t)sum_pm - gpu->util_sum_pm;
    gpu->util_model_pm = (uint16_t)model_pm;
    gpu->util_sum_pm = sum_pm;
    if (e->knows & HS_KNOWS_RATE)
        hs_tentative_measure(e, id);
}

/* What a job makes of a GPU that it has for itself, if that needs no arithmetic: it is active,
 * takes no turns and is not held back. */
static inline bool hs_utilization_is_plain(const struct hs_job_placement *placement)
{
    return placement->is_active && placement->slice_group == 0 && placement->cap_q32 == HS_Q32_ONE;
}

static inline uint32_t hs_utilization_alone_pm(const struct hs_job *job)
{
    return job->gpu_util_pm > 0 ? (uint32_t)job->gpu_util_pm : 0;
}

/* The tenants of a GPU, or what they do, have changed. O(tenants), or marks its node. */
void hs_utilization_refresh(struct hs_engine *e, uint32_t gpu);
/* A job has joined or left a slice group on the node. */
void hs_utilization_mark(struct hs_engine *e, uint32_t node);
/* All marked nodes. HS_E_POLICY where the shares of a slice group exceed 1. O(tenants of the
 * nodes). */
HS_MUST_USE enum hs_status hs_utilization_settle(struct hs_engine *e);
/* Mean of the last window_us, per mille, as far as it is remembered. */
uint32_t hs_utilization_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us);
/* May the jobs beside it in the background run without slowing the others of the GPU? */
bool hs_utilization_leaves_room(const struct hs_engine *e, const struct hs_gpu *gpu);

#endif
