/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See tentative_state.h. An allocation costs O(1); the index of shared GPUs is updated at the
 * next query.
 */
#include "engine/tentative_state.h"

bool hs_tentative_is_open(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    return gpu->tentative_tenants < e->config.max_tenants && gpu->mem_claimed_mib < HS_CLAIM_ALONE;
}

struct hs_load hs_tentative_load(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    /* a tenant of that time may have left it in this plan */
    bool is_measured = (e->knows & HS_KNOWS_RATE) != 0 && gpu->tentative_tenants > 0;
    struct hs_load load = {.tenants = gpu->tentative_tenants,
                           .claim_mib = gpu->mem_claimed_mib < UINT32_MAX
                                            ? (uint32_t)gpu->mem_claimed_mib
                                            : UINT32_MAX,
                           .measured_pm = is_measured ? gpu->util_model_pm : 0};
    for (int i = 0; i < HS_LOADS; i++)
        load.sum[i] = gpu->load_sum[i];
    return load;
}

uint32_t hs_tentative_room_milli(const struct hs_gpu *gpu)
{
    return gpu->part_milli > 0 && !gpu->is_given ? HS_GPU_MILLI - gpu->part_milli : 0;
}

void hs_tentative_refresh(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    if (e->parts != NULL)
        hs_part_set(e->parts, id, hs_tentative_room_milli(gpu));
    if (e->share == NULL)
        return;
    if (gpu->tentative_tenants == 0 || !hs_tentative_is_open(e, gpu)) {
        hs_share_close(e->share, id, gpu->tentative_tenants > 0);
        return;
    }
    const struct hs_load load = hs_tentative_load(e, gpu);
    hs_share_open(e->share, id, &load);
}

void hs_tentative_book(struct hs_engine *e, uint32_t id, const struct hs_job *job, int sign)
{
    struct hs_gpu *gpu = &e->gpus[id];
    gpu->tentative_tenants = (uint16_t)(gpu->tentative_tenants + sign);
    gpu->mem_claimed_mib += (uint64_t)(sign * (int64_t)hs_claim_mib(e, job));
    e->releases += sign < 0;
    if ((e->can & HS_CAN_COLOCATE) == 0 && e->parts == NULL) /* nothing is kept but the holder */
        return;
    if (hs_job_is_part(job))
        gpu->part_milli = (uint16_t)(gpu->part_milli + sign * (int)job->ask.gpu_milli);
    for (int i = 0; i < HS_LOADS; i++)
        gpu->load_sum[i] += sign * hs_needs_of(&e->jobs, job)->load[i];
    hs_tentative_refresh(e, id);
}

/* Of one node: `edges` GPUs begin or cease to be held, `beside` workers share a GPU. */
static void node_change(struct hs_engine *e, uint32_t node, uint32_t edges, uint32_t beside,
                        const struct hs_job *job, bool is_release)
{
    if (edges > 0)
        (is_release ? hs_free_give : hs_free_take)(e->free_index, node, edges, &job->ask);
    if (beside > 0)
        hs_free_book(e->free_index, node, is_release ? -(int64_t)beside : beside, &job->ask);
}

static void change_exclusive(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a))
        if (is_release)
            hs_tentative_release_allocation(e, a, job);
        else
            hs_free_take(e->free_index, a->node, a->count, &job->ask);
}

/* Consecutive allocations on one node count once. */
static void change_allocations(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    uint32_t node = HS_NO_NODE, edges = 0, beside = 0;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        if (a->node != node) {
            node_change(e, node, edges, beside, job, is_release);
            edges = beside = 0;
        }
        node = a->node;
        bool is_edge = e->gpus[a->gpu].tentative_tenants == (is_release ? 1 : 0);
        hs_tentative_book(e, a->gpu, job, is_release ? -1 : 1);
        edges += is_edge;
        beside += !is_edge;
    }
    node_change(e, node, edges, beside, job, is_release);
}

void hs_tentative_change_job(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    const uint64_t milli = (uint64_t)hs_placement_of(&e->jobs, job)->gpus_held * job->ask.gpu_milli;
    if (e->is_exclusive)
        change_exclusive(e, job, is_release);
    else
        change_allocations(e, job, is_release);
    e->vc_held_milli[job->ask.vc] += is_release ? 0 - milli : milli;
}

void hs_tentative_change_gpu(struct hs_engine *e, uint32_t gpu, const struct hs_job *job,
                             bool is_release)
{
    bool is_edge = e->gpus[gpu].tentative_tenants == (is_release ? 1 : 0);
    hs_tentative_book(e, gpu, job, is_release ? -1 : 1);
    node_change(e, e->gpus[gpu].node, is_edge, !is_edge, job, is_release);
}

void hs_tentative_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib)
{
    const uint32_t before_mib = hs_claim_mib(e, job);
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        e->gpus[a->gpu].mem_claimed_mib += (uint64_t)claim_mib - before_mib;
        e->releases += claim_mib < before_mib;
        hs_tentative_refresh(e, a->gpu);
    }
    hs_job_set_claim(&e->jobs, job, claim_mib);
}
