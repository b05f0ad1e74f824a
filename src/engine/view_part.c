/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's window (horus/view.h), third part: shares of GPUs, and quotas, which count them.
 */
#include "base/rng.h"
#include "engine/lookup.h"
#include "horus/policy.h"

uint32_t hs_view_gpu_milli(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.gpu_milli;
}

bool hs_view_asks_same(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    const struct hs_job *x = hs_lookup_job(v, a), *y = hs_lookup_job(v, b);
    return x->ask.type_mask == y->ask.type_mask && x->ask.gpu_milli == y->ask.gpu_milli &&
           x->ask.cpus_milli_per_gpu == y->ask.cpus_milli_per_gpu &&
           x->ask.mem_mib_per_gpu == y->ask.mem_mib_per_gpu;
}

uint64_t hs_view_ask_hash(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    uint64_t of_node = (uint64_t)j->ask.cpus_milli_per_gpu << 32 | j->ask.mem_mib_per_gpu;
    uint64_t of_gpu = (uint64_t)j->ask.vc << 32 | j->ask.gpu_milli;
    return hs_mix64(hs_mix64(j->ask.type_mask, of_gpu), of_node);
}

bool hs_view_may_seat(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    const struct hs_free *f = v->engine->free_index;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (hs_free_fits(f, node, &j->ask, 1))
        return true;
    return hs_job_is_part(j) && hs_free_fits(f, node, &j->ask, 0) &&
           hs_free_can_book(f, node, 1, &j->ask);
}

bool hs_view_ties_are_drawn(const struct hs_view *v)
{
    return v->engine->config.jitter_seed != 0;
}

uint32_t hs_view_tightest_share(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (e->parts == NULL || !hs_job_is_part(j))
        return HS_NO_GPU;
    return hs_part_tightest(e->parts, e->free_index, &j->ask, j->ask.gpu_milli);
}

uint32_t hs_view_share_room(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    return e->parts != NULL ? hs_part_most(e->parts, hs_lookup_vc(v, vc)) : 0;
}

uint64_t hs_view_share_rooms(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    return e->parts != NULL ? hs_part_all(e->parts, hs_lookup_vc(v, vc)) : 0;
}

/* ---- quotas ---- */

uint64_t hs_lookup_quota_room_milli(const struct hs_engine *e, uint32_t vc)
{
    if (e->cluster->vc_mode != HS_VC_QUOTA || (e->can & HS_CAN_BORROW) != 0)
        return UINT64_MAX;
    const uint64_t quota_gpus = e->cluster->vcs[vc].quota_gpus;
    if (quota_gpus > UINT64_MAX / HS_GPU_MILLI)
        return UINT64_MAX;
    const uint64_t quota_milli = quota_gpus * HS_GPU_MILLI;
    return quota_milli > e->vc_held_milli[vc] ? quota_milli - e->vc_held_milli[vc] : 0;
}

uint64_t hs_view_quota_room_milli(const struct hs_view *v, uint32_t vc)
{
    return hs_lookup_quota_room_milli(v->engine, hs_lookup_vc(v, vc));
}

bool hs_view_has_room(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (!hs_job_is_part(j) && hs_free_total(e->free_index, j->ask.vc) < j->gpus)
        return false;
    return e->cluster->vc_mode != HS_VC_QUOTA ||
           hs_lookup_quota_room_milli(e, j->ask.vc) >= (uint64_t)j->gpus * j->ask.gpu_milli;
}

uint64_t hs_view_quota_room(const struct hs_view *v, uint32_t vc)
{
    uint64_t room_milli = hs_view_quota_room_milli(v, vc);
    return room_milli < UINT64_MAX ? room_milli / HS_GPU_MILLI : UINT64_MAX;
}

uint64_t hs_view_quota(const struct hs_view *v, uint32_t vc)
{
    const struct hs_cluster *c = v->engine->cluster;
    return c->vc_mode == HS_VC_QUOTA ? c->vcs[hs_lookup_vc(v, vc)].quota_gpus : UINT64_MAX;
}

uint64_t hs_view_vc_held(const struct hs_view *v, uint32_t vc)
{
    return (v->engine->vc_held_milli[hs_lookup_vc(v, vc)] + HS_GPU_MILLI - 1) / HS_GPU_MILLI;
}
