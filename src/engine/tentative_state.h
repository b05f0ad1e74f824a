/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tentative state: the cluster as it will be when the plan is applied. Node counts, tenants
 * and claims of GPUs, use of VCs, and the index of GPUs that can take one more tenant. The view
 * answers from here, so each query sees the plan so far.
 */
#ifndef HORUS_ENGINE_TENTATIVE_STATE_H
#define HORUS_ENGINE_TENTATIVE_STATE_H

#include "engine/state.h"

/* All allocations of a placed job are released, or held again. */
void hs_tentative_change_job(struct hs_engine *e, const struct hs_job *job, bool is_release);
/* Releases one allocation of a job that has its GPUs to itself: there may be room where there was
 * none before. */
static inline void hs_tentative_release_allocation(struct hs_engine *e,
                                                   const struct hs_allocation *allocation,
                                                   const struct hs_job *job)
{
    e->releases++;
    hs_free_give(e->free_index, allocation->node, allocation->count, &job->ask);
}
/* One GPU by name, idle or shared, with its node. */
void hs_tentative_change_gpu(struct hs_engine *e, uint32_t gpu, const struct hs_job *job,
                             bool is_release);
/* The same without its node, where GPUs are counted already and get their names now; sign: 1 or -1.
 */
void hs_tentative_book(struct hs_engine *e, uint32_t gpu, const struct hs_job *job, int sign);
/* The job's claim becomes another one on each of its GPUs. */
void hs_tentative_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib);
/* Brings the indexes of shared and divided GPUs up to what the GPU has now. */
void hs_tentative_refresh(struct hs_engine *e, uint32_t gpu);
/* What a GPU that holds shares has for one more; 0 = nothing, or it holds none. */
uint32_t hs_tentative_room_milli(const struct hs_gpu *gpu);
/* What the policy may see of a GPU. */
struct hs_load hs_tentative_load(const struct hs_engine *e, const struct hs_gpu *gpu);
/* May one more job join the GPU, by the number of tenants and by jobs that must run alone? */
bool hs_tentative_is_open(const struct hs_engine *e, const struct hs_gpu *gpu);

#endif
