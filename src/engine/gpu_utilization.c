/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Joint utilization is 1 - prod(1 - u_i) over what runs independently: jobs, and slice groups of
 * jobs that take turns; background jobs fill the rest. In integers, to 2^-32.
 */
#include "engine/gpu_utilization.h"

#include "engine/plan_build.h"

static struct hs_job *tenant_of(const struct hs_engine *e, uint32_t allocation)
{
    return &e->jobs.jobs[e->jobs.allocations[allocation].job];
}

static const struct hs_job_placement *stay_on(const struct hs_engine *e, uint32_t allocation)
{
    return hs_placement_of(&e->jobs, tenant_of(e, allocation));
}

static bool is_busy(const struct hs_job *job, const struct hs_job_placement *placement)
{
    return placement->is_active && job->gpu_util_pm > 0;
}

/* What one job makes of a GPU in its turn, Q32. */
static uint64_t busy_q32(const struct hs_job *job, const struct hs_job_placement *placement)
{
    return placement->cap_q32 * (uint64_t)job->gpu_util_pm / 1000;
}

/* Utilization of a GPU from its idle part and one more load. */
static uint64_t idle_beside_q32(uint64_t idle_q32, uint64_t more_q32)
{
    return more_q32 < HS_Q32_ONE ? hs_q32_mul(idle_q32, HS_Q32_ONE - more_q32) : 0;
}

/* ---- slice groups ---- */

struct slice_group {
    uint32_t number;
    uint32_t gpus;       /* of the node, on which it has jobs */
    uint64_t shares_q32; /* of its active coscheduled sets, summed over these GPUs */
    uint64_t joint_q32;  /* utilization of each of these GPUs */
    uint64_t sum_q32;    /* the same with the jobs of a set added up */
};

/* Slice groups of the node that was counted last. */
#define LANES_KEPT 8u
struct slice_groups {
    struct slice_group of[LANES_KEPT];
    uint32_t count;
};

/* Joint and summed utilization of the jobs of a coscheduled set on one GPU, from its first
 * allocation there, in their turn. A job of no set is a set of its own. */
static void add_coscheduled_set(const struct hs_engine *e, uint32_t allocation,
                                struct slice_group *slice_group)
{
    const struct hs_job_placement *first = stay_on(e, allocation);
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0;
    for (uint32_t s = allocation; s != HS_NO_ALLOCATION;
         s = first->coscheduled_set > 0 ? e->jobs.allocations[s].next_on_gpu : HS_NO_ALLOCATION) {
        const struct hs_job *job = tenant_of(e, s);
        const struct hs_job_placement *placement = stay_on(e, s);
        if (placement->slice_group != first->slice_group ||
            placement->coscheduled_set != first->coscheduled_set || !is_busy(job, placement))
            continue;
        idle_q32 = idle_beside_q32(idle_q32, busy_q32(job, placement));
        sum_q32 += busy_q32(job, placement);
    }
    slice_group->shares_q32 += first->share_q32;
    slice_group->joint_q32 += hs_q32_mul(first->share_q32, HS_Q32_ONE - idle_q32);
    slice_group->sum_q32 += hs_q32_mul(first->share_q32, sum_q32);
}

/* Is an active job of the set in front of this allocation in the list of the GPU? */
static bool is_later_of_coscheduled_set(const struct hs_engine *e, const struct hs_gpu *gpu,
                                        uint32_t allocation)
{
    const struct hs_job_placement *placement = stay_on(e, allocation);
    for (uint32_t s = gpu->first_allocation; placement->coscheduled_set > 0 && s != allocation;
         s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job_placement *other = stay_on(e, s);
        if (other->slice_group == placement->slice_group &&
            other->coscheduled_set == placement->coscheduled_set && other->is_active)
            return true;
    }
    return false;
}

/* It has a job there. */
static void slice_group_count(struct hs_engine *e, uint32_t n, uint32_t number,
                              struct slice_group *slice_group)
{
    const struct hs_node *node = &e->cluster->nodes[n];
    *slice_group = (struct slice_group){.number = number};
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        const struct hs_gpu *gpu = &e->gpus[id];
        bool is_on = false;
        for (uint32_t s = gpu->first_allocation; s != HS_NO_ALLOCATION;
             s = e->jobs.allocations[s].next_on_gpu) {
            if (stay_on(e, s)->slice_group != number)
                continue;
            is_on = true;
            if (stay_on(e, s)->is_active && !is_later_of_coscheduled_set(e, gpu, s))
                add_coscheduled_set(e, s, slice_group);
        }
        slice_group->gpus += is_on;
    }
    /* from the end of a job to the decision on it the shares of the others are those of before */
    if (e->plan.is_applying && slice_group->shares_q32 > slice_group->gpus * HS_Q32_ONE)
        hs_plan_refuse(&e->plan, HS_NO_JOB,
                       "shares of lane %u on node '%s' add up to more than its %u GPUs", number,
                       node->name, slice_group->gpus);
    slice_group->joint_q32 /= slice_group->gpus;
    slice_group->sum_q32 /= slice_group->gpus;
}

/* ---- one GPU ---- */

void hs_utilization_remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm)
{
    struct hs_util_change *last =
        &memory->changes[(memory->count + HS_UTIL_KEPT - 1) % HS_UTIL_KEPT];
    uint64_t sum = last->sum_pm_us + (uint64_t)(now_us - last->at_us) * last->pm;
    if (memory->count == 0 || last->at_us != now_us)
        last = &memory->changes[memory->count++ % HS_UTIL_KEPT];
    *last = (struct hs_util_change){.at_us = now_us, .sum_pm_us = sum, .pm = pm};
}

static uint32_t pm_of(uint64_t q32)
{
    uint64_t pm = (q32 * 1000 + HS_Q32_ONE / 2) >> 32;
    return pm < 1000 ? (uint32_t)pm : 1000;
}

static const struct slice_group *slice_group_of(struct hs_engine *e, uint32_t n, uint32_t number,
                                                struct slice_groups *slice_groups)
{
    uint32_t kept = slice_groups->count < LANES_KEPT ? slice_groups->count : LANES_KEPT;
    for (uint32_t i = 0; i < kept; i++)
        if (slice_groups->of[i].number == number)
            return &slice_groups->of[i];
    struct slice_group *slice_group = &slice_groups->of[slice_groups->count++ % LANES_KEPT];
    slice_group_count(e, n, number, slice_group);
    return slice_group;
}

/* Is a tenant of its slice group in front of this allocation in the list of the GPU? */
static bool is_later_of_slice_group(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    uint32_t allocation)
{
    uint32_t s = gpu->first_allocation, slice_group = stay_on(e, allocation)->slice_group;
    while (s != allocation && stay_on(e, s)->slice_group != slice_group)
        s = e->jobs.allocations[s].next_on_gpu;
    return s != allocation;
}

/* groups: those of its node that were counted. */
static void gpu_work_out(struct hs_engine *e, uint32_t id, struct slice_groups *slice_groups)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0, background_q32 = 0;
    for (uint32_t s = gpu->first_allocation; s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job *job = tenant_of(e, s);
        const struct hs_job_placement *placement = stay_on(e, s);
        if (placement->slice_group > 0 ? is_later_of_slice_group(e, gpu, s)
                                       : !is_busy(job, placement))
            continue;
        uint64_t joint, sum;
        if (placement->slice_group > 0) {
            const struct slice_group *slice_group =
                slice_group_of(e, gpu->node, placement->slice_group, slice_groups);
            joint = slice_group->joint_q32;
            sum = slice_group->sum_q32;
        } else {
            joint = sum = hs_q32_mul(busy_q32(job, placement), placement->share_q32);
        }
        sum_q32 += sum;
        if (placement->is_background ||
            hs_job_is_part(job)) /* beside the others, on what is its own */
            background_q32 += joint;
        else
            idle_q32 = idle_beside_q32(idle_q32, joint);
    }
    hs_utilization_set(e, id, pm_of(HS_Q32_ONE - idle_q32 + background_q32), pm_of(sum_q32));
}

void hs_utilization_mark(struct hs_engine *e, uint32_t node)
{
    if (e->is_marked[node])
        return;
    e->is_marked[node] = true;
    e->marked_nodes[e->marked_count++] = node;
}

void hs_utilization_refresh(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    if (!e->has_utilization && gpu->laned == 0)
        return;
    if (gpu->laned > 0) {
        hs_utilization_mark(e, gpu->node);
    } else if (gpu->first_allocation ==
               HS_NO_ALLOCATION) { /* the usual two cases need no arithmetic */
        hs_utilization_set(e, id, 0, 0);
    } else {
        const struct hs_job *only = tenant_of(e, gpu->first_allocation);
        if (gpu->tenants == 1 && hs_utilization_is_plain(stay_on(e, gpu->first_allocation))) {
            uint32_t pm = hs_utilization_alone_pm(only);
            hs_utilization_set(e, id, pm, pm);
        } else {
            struct slice_groups slice_groups;
            slice_groups.count = 0;
            gpu_work_out(e, id, &slice_groups);
        }
    }
}

enum hs_status hs_utilization_settle(struct hs_engine *e)
{
    while (e->marked_count > 0) {
        uint32_t n = e->marked_nodes[--e->marked_count];
        const struct hs_node *node = &e->cluster->nodes[n];
        struct slice_groups slice_groups;
        slice_groups.count = 0;
        e->is_marked[n] = false;
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++)
            gpu_work_out(e, id, &slice_groups);
    }
    return e->plan.refused;
}

uint32_t hs_utilization_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us)
{
    const struct hs_util_memory *memory = &e->util_memory[gpu];
    int64_t from_us = e->now_us > window_us ? e->now_us - window_us : 0;
    if (memory->count == 0 || from_us == e->now_us)
        return e->gpus[gpu].util_model_pm;
    uint64_t kept = memory->count < HS_UTIL_KEPT ? memory->count : HS_UTIL_KEPT, i = 1;
    const struct hs_util_change *last = &memory->changes[(memory->count - 1) % HS_UTIL_KEPT];
    const struct hs_util_change *old = last;
    while (old->at_us > from_us && i < kept)
        old = &memory->changes[(memory->count - ++i) % HS_UTIL_KEPT];
    uint64_t sum = last->sum_pm_us + (uint64_t)(e->now_us - last->at_us) * last->pm;
    if (old->at_us <= from_us)
        sum -= old->sum_pm_us + (uint64_t)(from_us - old->at_us) * old->pm;
    else if (memory->count > HS_UTIL_KEPT) { /* what was before is forgotten */
        sum -= old->sum_pm_us;
        from_us = old->at_us;
    }
    if (from_us == e->now_us)
        return last->pm;
    uint64_t span_us = (uint64_t)(e->now_us - from_us);
    return (uint32_t)((sum + span_us / 2) / span_us);
}

bool hs_utilization_leaves_room(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    uint64_t sum_q32 = 0;
    for (uint32_t s = gpu->first_allocation; s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_on_gpu) {
        const struct hs_job *job = tenant_of(e, s);
        const struct hs_job_placement *placement = stay_on(e, s);
        if (is_busy(job, placement))
            sum_q32 += hs_q32_mul(busy_q32(job, placement), placement->share_q32);
    }
    return sum_q32 <= HS_Q32_ONE;
}

void hs_utilization_init(struct hs_engine *e)
{
    const struct hs_cluster *c = e->cluster;
    e->marked_nodes = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->marked_nodes);
    e->is_marked = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->is_marked);
    if (!e->policy->wants_mean_util)
        return;
    e->util_memory = hs_arena_alloc(&e->arena, (uint64_t)c->gpu_count * sizeof *e->util_memory);
}
