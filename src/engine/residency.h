/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much memory of a GPU its tenants take together. Outside lanes each has its own; the jobs of a
 * lane take turns, so they need what each of them keeps and the largest rest of those whose turn it
 * may be (model.md 5, 6). Counted in truth, what they use, and by claims, what plans believe.
 */
#ifndef HORUS_ENGINE_RESIDENCY_H
#define HORUS_ENGINE_RESIDENCY_H

#include "engine/state.h"

/* Of the tenants of a GPU from this seat on, in the order of its list (newcomers first). O(n) for n
 * tenants outside lanes, O(n^2) in lanes. */
uint64_t hs_residency_used_mib(const struct hs_engine *e, uint32_t seat);
uint64_t hs_residency_claimed_mib(const struct hs_engine *e, uint32_t seat);
/* Most tenants that may run at the same time: of each lane those of its largest unit. */
uint32_t hs_residency_at_once(const struct hs_engine *e, uint32_t seat);
/* What the GPU has for them: less, where more than one of them is on it at a time. */
uint64_t hs_residency_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                   uint32_t seat);
/* What a plan counts for a job when it gives it a GPU: its claim, or in a lane (NULL: in none) what
 * it keeps. The second: where it is now. */
uint32_t hs_residency_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                const struct hs_turn *turn);
uint32_t hs_residency_claim_now_mib(const struct hs_engine *e, const struct hs_job *job);
/* A tenant of the GPU takes so much more: outside lanes that is all that changes. */
static inline void hs_residency_recount(struct hs_engine *e, struct hs_gpu *gpu, int64_t change_mib)
{
    if (HS_LIKELY(gpu->laned == 0))
        gpu->mem_used_mib = (uint64_t)((int64_t)gpu->mem_used_mib + change_mib);
    else
        gpu->mem_used_mib = hs_residency_used_mib(e, gpu->first_seat);
}
/* The job's need by its progress, and what its limit leaves of it on its GPUs: true when it takes
 * more of them than before. */
bool hs_residency_update(struct hs_engine *e, struct hs_job *job);
/* Its speed under its limit, and what it has on the host, by how things stand now. */
void hs_residency_settle_needs(struct hs_engine *e, struct hs_job *job);
static inline void hs_residency_settle(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (job->stay == 0) /* it takes nothing anywhere */
        return;
    if (stay->is_hosted || stay->lane != 0 || needs->gpu_mem_mib < needs->gpu_mem_peak_mib) {
        hs_residency_settle_needs(e, job);
    } else { /* as a rule it has all that it needs, and has it on its GPUs */
        stay->mem_factor_q32 = HS_Q32_ONE;
        stay->host_mib = 0;
    }
}

#endif
