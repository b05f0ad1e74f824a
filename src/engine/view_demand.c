/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's view of what limits a job beside its GPUs: what it asks of its nodes, and quotas
 * that are lent within cohorts.
 */
#include "base/rng.h"
#include "engine/state.h"

void hs_view_node_host(const struct hs_view *v, uint32_t node, int64_t *cpus_milli,
                       int64_t *mem_mib)
{
    *cpus_milli = *mem_mib = 0;
    if (node < v->nodes)
        hs_free_rest(v->engine->free_index, node, cpus_milli, mem_mib);
}

static int64_t shares_of(int64_t rest, uint32_t share)
{
    return share == 0 ? UINT32_MAX : rest / share;
}

uint32_t hs_view_node_workers(const struct hs_view *v, hs_job_id slot, uint32_t node)
{
    const struct hs_ask *ask = &hs_lookup_job(v, slot)->ask;
    int64_t cpus_milli, mem_mib;
    if (node >= v->engine->cluster->node_count)
        return 0;
    hs_free_rest(v->engine->free_index, node, &cpus_milli, &mem_mib);
    int64_t by_cpu = shares_of(cpus_milli, ask->cpus_milli_per_gpu);
    int64_t by_mem = shares_of(mem_mib, ask->mem_mib_per_gpu);
    int64_t workers = by_cpu < by_mem ? by_cpu : by_mem;
    return workers <= 0 ? 0 : workers < UINT32_MAX ? (uint32_t)workers : UINT32_MAX;
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

/* ---- quotas within cohorts ---- */

static const struct hs_quota *quota_at(const struct hs_view *v, uint32_t at)
{
    return &v->engine->cluster->quotas[at];
}

uint32_t hs_view_cohort(const struct hs_view *v, uint32_t quota)
{
    return v->has_cohorts ? quota_at(v, quota)->parent : HS_NO_QUOTA;
}

uint64_t hs_view_quota_within(const struct hs_view *v, uint32_t vc, uint32_t quota)
{
    const struct hs_engine *e = v->engine;
    const int64_t milli = hs_quota_room(e->cluster, e->vc_held_milli, vc, quota);
    return milli > 0 ? (uint64_t)milli / HS_GPU_MILLI : 0;
}

static bool is_within(const struct hs_view *v, uint32_t at, uint32_t quota)
{
    while (at != HS_NO_QUOTA && at != quota)
        at = quota_at(v, at)->parent;
    return at == quota;
}

bool hs_view_is_borrowing(const struct hs_view *v, uint32_t vc, uint32_t quota)
{
    uint32_t at = vc;
    if (!v->has_cohorts || is_within(v, vc, quota))
        return false;
    for (; at != HS_NO_QUOTA && !is_within(v, quota, at); at = quota_at(v, at)->parent)
        if ((int64_t)v->engine->vc_held_milli[at] <= quota_at(v, at)->subtree_milli)
            return false;
    return at != HS_NO_QUOTA;
}

void hs_view_quota_count(const struct hs_view *v, uint32_t vc, int64_t gpus)
{
    hs_quota_change(v->engine->cluster, v->engine->vc_held_milli, vc, gpus * HS_GPU_MILLI);
}
