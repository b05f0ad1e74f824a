/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a job asks of its nodes, and what a policy may know of CPUs and host memory, and of speeds
 * by them.
 */
#include "base/fixed.h"
#include "base/rng.h"
#include "engine/state.h"

static bool may_know(const struct hs_view *v, hs_job_id job)
{
    return (v->engine->knows & HS_KNOWS_HOST) != 0 ||
           hs_plan_refuse(
               &v->engine->plan, job,
               "it asked for the speed by CPUs and host memory, which it did not declare "
               "to know");
}

static uint32_t profile_of(const struct hs_view *v, hs_job_id job)
{
    return hs_engine_has_job(v->engine, job) ? v->engine->jobs.identities[job].profile
                                             : HS_NO_PROFILE;
}

uint64_t hs_view_host_q32(const struct hs_view *v, hs_job_id job, uint32_t cpus_milli,
                          uint32_t mem_mib)
{
    const struct hs_host *host = v->engine->config.host;
    return may_know(v, job) && host != NULL
               ? hs_host_speed_q32(host, profile_of(v, job), cpus_milli, mem_mib)
               : HS_Q32_ONE;
}

bool hs_view_host_axes(const struct hs_view *v, hs_job_id job, struct hs_host_axes *axes)
{
    const struct hs_host *host = v->engine->config.host;
    return may_know(v, job) && host != NULL && hs_host_axes_of(host, profile_of(v, job), axes);
}

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
