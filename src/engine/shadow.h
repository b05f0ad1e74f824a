/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shadow: the cluster as it will be when the plan is applied. Node counts, tenants and claims
 * of GPUs, use of VCs, and the index of who can take one more tenant. What the policy asks is
 * answered from here, so each question sees what the plan says so far.
 */
#ifndef HORUS_ENGINE_SHADOW_H
#define HORUS_ENGINE_SHADOW_H

#include "engine/state.h"

/* There may be room on the GPU that was not there before. */
static inline void hs_shadow_note_release(struct hs_engine *e, uint32_t gpu)
{
    e->release_gpus[e->releases++ % HS_RELEASES_KEPT] = gpu;
}

/* Opens the index of shared GPUs, for a policy that shares. */
HS_MUST_USE enum hs_status hs_shadow_init(struct hs_engine *e);
/* All seats of a placed job: it leaves them, or has them again. */
void hs_shadow_release(struct hs_engine *e, const struct hs_job *job);
void hs_shadow_hold(struct hs_engine *e, const struct hs_job *job);
/* One seat of a job that has its GPUs to itself, which it leaves: there may be room where there was
 * none before. */
static inline void hs_shadow_release_seat(struct hs_engine *e, const struct hs_seat *seat,
                                          const struct hs_job *job)
{
    hs_shadow_note_release(e, seat->gpu);
    hs_free_give(e->free_index, seat->node, seat->count, &job->ask);
}
/* One GPU by name, idle or shared. */
void hs_shadow_seat(struct hs_engine *e, uint32_t gpu, const struct hs_job *job);
void hs_shadow_unseat(struct hs_engine *e, uint32_t gpu, const struct hs_job *job);
/* So many free GPUs of a node, which get their names when the plan is applied ... */
void hs_shadow_take(struct hs_engine *e, uint32_t node, uint32_t gpus, const struct hs_job *job);
void hs_shadow_give(struct hs_engine *e, uint32_t node, uint32_t gpus, const struct hs_job *job);
/* ... one by one. */
void hs_shadow_name(struct hs_engine *e, uint32_t gpu, const struct hs_job *job);
/* The job's claim becomes another one on each of its GPUs. */
void hs_shadow_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib);
/* Its measured utilization changed. */
void hs_shadow_measure(struct hs_engine *e, uint32_t gpu);
/* While a job is being given its GPUs, those that it has are not offered to it again. Set before
 * the seat, cleared when it has all (or has given it back). */
void hs_shadow_give_by_name(struct hs_engine *e, uint32_t gpu, bool is_given);
/* What a GPU that holds shares has for one more; 0 = nothing, or it holds none. */
uint32_t hs_shadow_room_milli(const struct hs_gpu *gpu);
/* What the policy may see of a GPU. */
struct hs_load hs_shadow_load(const struct hs_engine *e, const struct hs_gpu *gpu);
/* Can one more job join, by tenants and by who must run alone? */
bool hs_shadow_is_open(const struct hs_engine *e, const struct hs_gpu *gpu);

#endif
