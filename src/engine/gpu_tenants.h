/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tenants of a GPU make of it together (MODEL.md 5, 6).
 *
 * Memory: outside slice groups each has its own; the jobs of a group take turns, so they need what
 * each of them keeps and the largest rest of those whose turn it may be. Counted in truth, what
 * they use, and by claims, what plans believe.
 *
 * Utilization: now, and over the last seconds. Where jobs take turns, all GPUs of their slice group
 * on a node have the same utilization; such nodes are marked, and computed after all other changes
 * of the instant.
 */
#ifndef HORUS_ENGINE_GPU_TENANTS_H
#define HORUS_ENGINE_GPU_TENANTS_H

#include "engine/tentative_state.h"
#include "engine/state.h"
#include "horus/policy.h"

/* ---- memory ---- */

/* Memory of the tenants from this allocation on, in the order of the list of the GPU (last placed
 * first; NULL: none). O(n) for n tenants outside slice groups, O(n^2) in them. */
uint64_t hs_gpu_memory_used_mib(const struct hs_engine *e, const struct hs_allocation *from);
uint64_t hs_gpu_memory_claimed_mib(const struct hs_engine *e, const struct hs_allocation *from);
/* The largest number of tenants that may run at the same time: of each slice group its largest
 * coscheduled set. */
uint32_t hs_gpu_memory_at_once(const struct hs_engine *e, const struct hs_allocation *from);
/* What the GPU has for them: less, where more than one of them is on it at a time. */
uint64_t hs_gpu_memory_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    const struct hs_allocation *from);
/* The memory that a plan counts for a job on a GPU: its claim, or in a slice group (NULL: none) the
 * part that it keeps. The second: where the job is now. */
uint32_t hs_gpu_memory_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                 const struct hs_turn *turn);
uint32_t hs_gpu_memory_claim_now_mib(const struct hs_engine *e, const struct hs_job *job);
/* A tenant of the GPU takes so much more: outside slice groups nothing else changes. */
static inline void hs_gpu_memory_recount(struct hs_engine *e, struct hs_gpu *gpu,
                                         int64_t change_mib)
{
    if (HS_LIKELY(gpu->laned == 0))
        gpu->mem_used_mib = (uint64_t)((int64_t)gpu->mem_used_mib + change_mib);
    else
        gpu->mem_used_mib = hs_gpu_memory_used_mib(e, hs_gpu_first(e, gpu));
}
/* The job's need by its progress, and what its limit leaves of it on its GPUs: true when it takes
 * more of them than before. */
bool hs_gpu_memory_update(struct hs_engine *e, struct hs_job *job);
/* Its speed under its limit, and what it has on the host, by how things stand now. */
void hs_gpu_memory_settle_needs(struct hs_engine *e, struct hs_job *job);
static inline void hs_gpu_memory_settle(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (job->placement == 0) /* it takes nothing anywhere */
        return;
    if (placement->is_hosted || placement->slice_group != 0 ||
        needs->gpu_mem_mib < needs->gpu_mem_peak_mib) {
        hs_gpu_memory_settle_needs(e, job);
    } else { /* as a rule it has all that it needs, and has it on its GPUs */
        placement->mem_factor_q32 = HS_Q32_ONE;
        placement->host_mib = 0;
    }
}

/* ---- utilization ---- */

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
        hs_tentative_refresh(e, id);
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
