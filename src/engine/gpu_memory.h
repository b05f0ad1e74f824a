/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory of a GPU that its tenants take together. Outside slice groups each has its own; the
 * jobs of a group take turns, so they need what each of them keeps and the largest rest of those
 * whose turn it may be (MODEL.md 5, 6). Counted in truth, what they use, and by claims, what
 * plans believe.
 */
#ifndef HORUS_ENGINE_GPU_MEMORY_H
#define HORUS_ENGINE_GPU_MEMORY_H

#include "engine/state.h"

/* Memory of the tenants of a GPU from this allocation on, in the order of its list (last placed
 * first). O(n) for n tenants outside slice groups, O(n^2) in them. */
uint64_t hs_gpu_memory_used_mib(const struct hs_engine *e, uint32_t allocation);
uint64_t hs_gpu_memory_claimed_mib(const struct hs_engine *e, uint32_t allocation);
/* The largest number of tenants that may run at the same time: of each slice group its largest
 * coscheduled set. */
uint32_t hs_gpu_memory_at_once(const struct hs_engine *e, uint32_t allocation);
/* What the GPU has for them: less, where more than one of them is on it at a time. */
uint64_t hs_gpu_memory_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    uint32_t allocation);
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
        gpu->mem_used_mib = hs_gpu_memory_used_mib(e, gpu->first_allocation);
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

#endif
