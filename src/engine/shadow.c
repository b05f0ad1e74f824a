/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See shadow.h. Cost of a seat: O(1); the index of shared GPUs follows when it is asked.
 */
#include "engine/shadow.h"

/* What the tenants of a shared GPU of this type may claim in all. */
static uint32_t shared_limit_mib(const struct hs_engine *e, uint32_t type)
{
    uint32_t mib = e->cluster->types[type].mem_mib, reserve = e->config.memory_reserve_mib;
    if (mib == 0)
        return UINT32_MAX;
    return mib > reserve ? mib - reserve : 0;
}

enum hs_status hs_shadow_init(struct hs_engine *e)
{
    uint32_t limit_mib[HS_GPU_TYPES_MAX];
    if ((e->can & HS_CAN_COLOCATE) == 0 || e->policy->load == NULL)
        return HS_OK;
    for (uint32_t t = 0; t < e->cluster->type_count; t++)
        limit_mib[t] = shared_limit_mib(e, t);
    return hs_share_init(&e->share, e->cluster, e->cluster->vc_mode == HS_VC_PARTITION, limit_mib,
                         &e->arena);
}

bool hs_shadow_is_open(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    return gpu->shadow_tenants < e->config.max_tenants && gpu->mem_claimed_mib < HS_CLAIM_ALONE;
}

struct hs_load hs_shadow_load(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    /* whoever was there when it was read has left it in this plan, perhaps */
    bool is_measured = (e->knows & HS_KNOWS_RATE) != 0 && gpu->shadow_tenants > 0;
    struct hs_load load = {.tenants = gpu->shadow_tenants,
                           .claim_mib = gpu->mem_claimed_mib < UINT32_MAX
                                            ? (uint32_t)gpu->mem_claimed_mib
                                            : UINT32_MAX,
                           .measured_pm = is_measured ? gpu->util_model_pm : 0};
    for (int i = 0; i < HS_LOADS; i++)
        load.sum[i] = gpu->load_sum[i];
    return load;
}

uint32_t hs_shadow_room_milli(const struct hs_gpu *gpu)
{
    return gpu->part_milli > 0 && !gpu->is_given ? HS_GPU_MILLI - gpu->part_milli : 0;
}

static void gpu_refresh(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    if (e->parts != NULL)
        hs_part_set(e->parts, id, hs_shadow_room_milli(gpu));
    if (e->share == NULL)
        return;
    if (gpu->shadow_tenants == 0 || !hs_shadow_is_open(e, gpu)) {
        hs_share_close(e->share, id, gpu->shadow_tenants > 0);
        return;
    }
    const struct hs_load load = hs_shadow_load(e, gpu);
    hs_share_open(e->share, id, &load);
}

/* Is there anything to know of a GPU but who holds it? */
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
    gpu->shadow_tenants++;
    gpu->mem_claimed_mib += hs_claim_mib(e, job);
    if (is_shared_out(e))
        gpu_weigh(e, id, job, 1);
}

static void gpu_subtract(struct hs_engine *e, uint32_t id, const struct hs_job *job)
{
    struct hs_gpu *gpu = &e->gpus[id];
    gpu->shadow_tenants--;
    gpu->mem_claimed_mib -= hs_claim_mib(e, job);
    hs_shadow_note_release(e, id);
    if (is_shared_out(e))
        gpu_weigh(e, id, job, -1);
}

/* Of one node: `edges` GPUs begin or cease to be held, `beside` workers sit beside others. */
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
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        const struct hs_seat *seat = &e->jobs.seats[s];
        if (is_release)
            hs_shadow_release_seat(e, seat, job);
        else
            hs_free_take(e->free_index, seat->node, seat->count, &job->ask);
    }
}

/* Runs of seats on one node count once. */
static void change_seats(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    uint32_t node = HS_NO_NODE, edges = 0, beside = 0;
    if (e->is_whole) {
        change_whole(e, job, is_release);
        return;
    }
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        uint32_t id = e->jobs.seats[s].gpu;
        struct hs_gpu *gpu = &e->gpus[id];
        if (gpu->node != node && edges + beside > 0) {
            node_change(e, node, edges, beside, job, is_release);
            edges = beside = 0;
        }
        node = gpu->node;
        bool is_edge = gpu->shadow_tenants == (is_release ? 1 : 0);
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

void hs_shadow_release(struct hs_engine *e, const struct hs_job *job)
{
    change_seats(e, job, true);
    e->vc_held_milli[job->ask.vc] -=
        (uint64_t)hs_stay_of(&e->jobs, job)->gpus_held * job->ask.gpu_milli;
}

void hs_shadow_hold(struct hs_engine *e, const struct hs_job *job)
{
    change_seats(e, job, false);
    e->vc_held_milli[job->ask.vc] +=
        (uint64_t)hs_stay_of(&e->jobs, job)->gpus_held * job->ask.gpu_milli;
}

void hs_shadow_give_by_name(struct hs_engine *e, uint32_t gpu, bool is_given)
{
    e->gpus[gpu].is_given = is_given;
    if (!is_given && e->parts != NULL)
        hs_part_set(e->parts, gpu, hs_shadow_room_milli(&e->gpus[gpu]));
}

void hs_shadow_seat(struct hs_engine *e, uint32_t gpu, const struct hs_job *job)
{
    bool is_edge = e->gpus[gpu].shadow_tenants == 0;
    gpu_add(e, gpu, job);
    node_change(e, e->gpus[gpu].node, is_edge, !is_edge, job, false);
}

void hs_shadow_unseat(struct hs_engine *e, uint32_t gpu, const struct hs_job *job)
{
    gpu_subtract(e, gpu, job);
    bool is_edge = e->gpus[gpu].shadow_tenants == 0;
    node_change(e, e->gpus[gpu].node, is_edge, !is_edge, job, true);
}

void hs_shadow_take(struct hs_engine *e, uint32_t node, uint32_t gpus, const struct hs_job *job)
{
    hs_free_take(e->free_index, node, gpus, &job->ask);
}

void hs_shadow_give(struct hs_engine *e, uint32_t node, uint32_t gpus, const struct hs_job *job)
{
    hs_free_give(e->free_index, node, gpus, &job->ask);
}

void hs_shadow_name(struct hs_engine *e, uint32_t gpu, const struct hs_job *job)
{
    gpu_add(e, gpu, job);
}

void hs_shadow_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib)
{
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        gpu->mem_claimed_mib += (uint64_t)claim_mib - hs_claim_mib(e, job);
        if (claim_mib < hs_claim_mib(e, job))
            hs_shadow_note_release(e, e->jobs.seats[s].gpu);
        gpu_refresh(e, e->jobs.seats[s].gpu);
    }
    hs_job_set_claim(&e->jobs, job, claim_mib);
}

void hs_shadow_measure(struct hs_engine *e, uint32_t gpu)
{
    gpu_refresh(e, gpu);
}
