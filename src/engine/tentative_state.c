/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See tentative_state.h. An allocation costs O(1); the index of shared GPUs is updated at the
 * next query.
 */
#include "engine/tentative_state.h"

/* What the tenants of a shared GPU of this type may claim in all. */
static uint32_t shared_limit_mib(const struct hs_engine *e, uint32_t type)
{
    uint32_t mib = e->cluster->types[type].mem_mib, reserve = e->config.memory_reserve_mib;
    if (mib == 0)
        return UINT32_MAX;
    return mib > reserve ? mib - reserve : 0;
}

void hs_tentative_init(struct hs_engine *e)
{
    uint32_t limit_mib[HS_GPU_TYPES_MAX];
    if ((e->can & HS_CAN_COLOCATE) == 0 || e->policy->load == NULL)
        return;
    for (uint32_t t = 0; t < e->cluster->type_count; t++)
        limit_mib[t] = shared_limit_mib(e, t);
    hs_share_init(&e->share, e->cluster, e->cluster->vc_mode == HS_VC_PARTITION, limit_mib,
                  &e->arena);
}

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

static void gpu_refresh(struct hs_engine *e, uint32_t id)
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

/* Is anything kept of a GPU besides its holder? */
static bool is_shared_out(const struct hs_engine *e)
{
    return (e->can & HS_CAN_COLOCATE) != 0 || e->parts != NULL;
}

/* What the job is to the others on a GPU, added or (sign -1) taken away. */
static void gpu_weigh(struct hs_engine *e, uint32_t id, const struct hs_job *job, int sign)
{
    struct hs_gpu *gpu = &e->gpus[id];
    const int32_t *load = hs_needs_of(&e->jobs, job)->load;
    if (hs_job_is_part(job))
        gpu->part_milli = (uint16_t)(gpu->part_milli + sign * (int)job->ask.gpu_milli);
    for (int i = 0; i < HS_LOADS; i++)
        gpu->load_sum[i] += sign * load[i];
    gpu_refresh(e, id);
}

static void gpu_add(struct hs_engine *e, uint32_t id, const struct hs_job *job)
{
    struct hs_gpu *gpu = &e->gpus[id];
    gpu->tentative_tenants++;
    gpu->mem_claimed_mib += hs_claim_mib(e, job);
    if (is_shared_out(e))
        gpu_weigh(e, id, job, 1);
}

static void gpu_subtract(struct hs_engine *e, uint32_t id, const struct hs_job *job)
{
    struct hs_gpu *gpu = &e->gpus[id];
    gpu->tentative_tenants--;
    gpu->mem_claimed_mib -= hs_claim_mib(e, job);
    e->releases++;
    if (is_shared_out(e))
        gpu_weigh(e, id, job, -1);
}

/* Of one node: `edges` GPUs begin or cease to be held, `beside` workers share a GPU. */
static void node_change(struct hs_engine *e, uint32_t node, uint32_t edges, uint32_t beside,
                        const struct hs_job *job, bool is_release)
{
    if (is_release) {
        if (edges > 0)
            hs_free_give(e->free_index, node, edges, &job->ask);
        if (beside > 0)
            hs_free_unbook(e->free_index, node, beside, &job->ask);
    } else {
        if (edges > 0)
            hs_free_take(e->free_index, node, edges, &job->ask);
        if (beside > 0)
            hs_free_book(e->free_index, node, beside, &job->ask);
    }
}

/* Of a job that has its GPUs to itself. */
static void change_whole(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    for (uint32_t s = hs_first_allocation(&e->jobs, job); s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_of_job) {
        const struct hs_allocation *allocation = &e->jobs.allocations[s];
        if (is_release)
            hs_tentative_release_allocation(e, allocation, job);
        else
            hs_free_take(e->free_index, allocation->node, allocation->count, &job->ask);
    }
}

/* Consecutive allocations on one node count once. */
static void change_allocations(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    uint32_t node = HS_NO_NODE, edges = 0, beside = 0;
    if (e->is_exclusive) {
        change_whole(e, job, is_release);
        return;
    }
    for (uint32_t s = hs_first_allocation(&e->jobs, job); s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_of_job) {
        uint32_t id = e->jobs.allocations[s].gpu;
        struct hs_gpu *gpu = &e->gpus[id];
        if (gpu->node != node && edges + beside > 0) {
            node_change(e, node, edges, beside, job, is_release);
            edges = beside = 0;
        }
        node = gpu->node;
        bool is_edge = gpu->tentative_tenants == (is_release ? 1 : 0);
        if (is_release)
            gpu_subtract(e, id, job);
        else
            gpu_add(e, id, job);
        edges += is_edge;
        beside += !is_edge;
    }
    if (edges + beside > 0)
        node_change(e, node, edges, beside, job, is_release);
}

void hs_tentative_release(struct hs_engine *e, const struct hs_job *job)
{
    change_allocations(e, job, true);
    e->vc_held_milli[job->ask.vc] -=
        (uint64_t)hs_placement_of(&e->jobs, job)->gpus_held * job->ask.gpu_milli;
}

void hs_tentative_hold(struct hs_engine *e, const struct hs_job *job)
{
    change_allocations(e, job, false);
    e->vc_held_milli[job->ask.vc] +=
        (uint64_t)hs_placement_of(&e->jobs, job)->gpus_held * job->ask.gpu_milli;
}

void hs_tentative_give_by_name(struct hs_engine *e, uint32_t gpu, bool is_given)
{
    e->gpus[gpu].is_given = is_given;
    if (!is_given && e->parts != NULL)
        hs_part_set(e->parts, gpu, hs_tentative_room_milli(&e->gpus[gpu]));
}

void hs_tentative_allocate(struct hs_engine *e, uint32_t gpu, const struct hs_job *job)
{
    bool is_edge = e->gpus[gpu].tentative_tenants == 0;
    gpu_add(e, gpu, job);
    node_change(e, e->gpus[gpu].node, is_edge, !is_edge, job, false);
}

void hs_tentative_deallocate(struct hs_engine *e, uint32_t gpu, const struct hs_job *job)
{
    gpu_subtract(e, gpu, job);
    bool is_edge = e->gpus[gpu].tentative_tenants == 0;
    node_change(e, e->gpus[gpu].node, is_edge, !is_edge, job, true);
}

void hs_tentative_take(struct hs_engine *e, uint32_t node, uint32_t gpus, const struct hs_job *job)
{
    hs_free_take(e->free_index, node, gpus, &job->ask);
}

void hs_tentative_give(struct hs_engine *e, uint32_t node, uint32_t gpus, const struct hs_job *job)
{
    hs_free_give(e->free_index, node, gpus, &job->ask);
}

void hs_tentative_name(struct hs_engine *e, uint32_t gpu, const struct hs_job *job)
{
    gpu_add(e, gpu, job);
}

void hs_tentative_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib)
{
    for (uint32_t s = hs_first_allocation(&e->jobs, job); s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.allocations[s].gpu];
        gpu->mem_claimed_mib += (uint64_t)claim_mib - hs_claim_mib(e, job);
        if (claim_mib < hs_claim_mib(e, job))
            e->releases++;
        gpu_refresh(e, e->jobs.allocations[s].gpu);
    }
    hs_job_set_claim(&e->jobs, job, claim_mib);
}

void hs_tentative_measure(struct hs_engine *e, uint32_t gpu)
{
    gpu_refresh(e, gpu);
}
