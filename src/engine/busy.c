/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Joint utilization is 1 - prod(1 - u_i) over what runs independently of each other: jobs, and
 * lanes of jobs that take turns; jobs in the background fill what is left. In integers, to 2^-32.
 */
#include "engine/busy.h"

#include "engine/plan.h"

static struct hs_job *tenant_of(const struct hs_engine *e, uint32_t seat)
{
    return &e->jobs.jobs[e->jobs.seats[seat].job];
}

static const struct hs_job_stay *stay_on(const struct hs_engine *e, uint32_t seat)
{
    return hs_stay_of(&e->jobs, tenant_of(e, seat));
}

static bool is_busy(const struct hs_job *job, const struct hs_job_stay *stay)
{
    return stay->is_active && job->gpu_util_pm > 0;
}

/* What one job makes of a GPU in its turn, Q32. */
static uint64_t busy_q32(const struct hs_job *job, const struct hs_job_stay *stay)
{
    return stay->cap_q32 * (uint64_t)job->gpu_util_pm / 1000;
}

/* The busy part of a GPU when so much is idle and more comes. */
static uint64_t idle_beside_q32(uint64_t idle_q32, uint64_t more_q32)
{
    return more_q32 < HS_Q32_ONE ? hs_q32_mul(idle_q32, HS_Q32_ONE - more_q32) : 0;
}

/* ---- lanes ---- */

struct lane {
    uint32_t number;
    uint32_t gpus;       /* of the node, on which it has jobs */
    uint64_t shares_q32; /* of its units that are active, summed over these GPUs */
    uint64_t joint_q32;  /* each of these GPUs is busy so much */
    uint64_t sum_q32;    /* the same with the jobs of a unit added up */
};

/* Lanes of one node that were counted last. */
#define LANES_KEPT 8u
struct lanes {
    struct lane of[LANES_KEPT];
    uint32_t count;
};

/* The jobs of a unit on one GPU, from its first seat there: joint and summed, in its turn. A job of
 * no unit is alone in it. */
static void add_unit(const struct hs_engine *e, uint32_t seat, struct lane *lane)
{
    const struct hs_job_stay *first = stay_on(e, seat);
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0;
    for (uint32_t s = seat; s != HS_NO_SEAT;
         s = first->unit > 0 ? e->jobs.seats[s].next_on_gpu : HS_NO_SEAT) {
        const struct hs_job *job = tenant_of(e, s);
        const struct hs_job_stay *stay = stay_on(e, s);
        if (stay->lane != first->lane || stay->unit != first->unit || !is_busy(job, stay))
            continue;
        idle_q32 = idle_beside_q32(idle_q32, busy_q32(job, stay));
        sum_q32 += busy_q32(job, stay);
    }
    lane->shares_q32 += first->share_q32;
    lane->joint_q32 += hs_q32_mul(first->share_q32, HS_Q32_ONE - idle_q32);
    lane->sum_q32 += hs_q32_mul(first->share_q32, sum_q32);
}

/* Did an active job of the unit sit on this GPU before this seat? */
static bool is_later_of_unit(const struct hs_engine *e, const struct hs_gpu *gpu, uint32_t seat)
{
    const struct hs_job_stay *stay = stay_on(e, seat);
    for (uint32_t s = gpu->first_seat; stay->unit > 0 && s != seat;
         s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job_stay *other = stay_on(e, s);
        if (other->lane == stay->lane && other->unit == stay->unit && other->is_active)
            return true;
    }
    return false;
}

/* It has a job there. */
static void lane_count(struct hs_engine *e, uint32_t n, uint32_t number, struct lane *lane)
{
    const struct hs_node *node = &e->cluster->nodes[n];
    *lane = (struct lane){.number = number};
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        const struct hs_gpu *gpu = &e->gpus[id];
        bool is_on = false;
        for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
            if (stay_on(e, s)->lane != number)
                continue;
            is_on = true;
            if (stay_on(e, s)->is_active && !is_later_of_unit(e, gpu, s))
                add_unit(e, s, lane);
        }
        lane->gpus += is_on;
    }
    /* from the end of a job to the decision on it the shares of the others are those of before */
    if (e->plan.is_applying && lane->shares_q32 > lane->gpus * HS_Q32_ONE)
        hs_plan_refuse(&e->plan, HS_NO_JOB,
                       "shares of lane %u on node '%s' add up to more than its %u GPUs", number,
                       node->name, lane->gpus);
    lane->joint_q32 /= lane->gpus;
    lane->sum_q32 /= lane->gpus;
}

/* ---- one GPU ---- */

void hs_busy_remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm)
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

static const struct lane *lane_of(struct hs_engine *e, uint32_t n, uint32_t number,
                                  struct lanes *lanes)
{
    uint32_t kept = lanes->count < LANES_KEPT ? lanes->count : LANES_KEPT;
    for (uint32_t i = 0; i < kept; i++)
        if (lanes->of[i].number == number)
            return &lanes->of[i];
    struct lane *lane = &lanes->of[lanes->count++ % LANES_KEPT];
    lane_count(e, n, number, lane);
    return lane;
}

/* Did a tenant of its lane sit on this GPU before this seat? */
static bool is_later_of_lane(const struct hs_engine *e, const struct hs_gpu *gpu, uint32_t seat)
{
    uint32_t s = gpu->first_seat, lane = stay_on(e, seat)->lane;
    while (s != seat && stay_on(e, s)->lane != lane)
        s = e->jobs.seats[s].next_on_gpu;
    return s != seat;
}

/* lanes: those of its node that were counted. */
static void gpu_work_out(struct hs_engine *e, uint32_t id, struct lanes *lanes)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0, background_q32 = 0;
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *job = tenant_of(e, s);
        const struct hs_job_stay *stay = stay_on(e, s);
        if (stay->lane > 0 ? is_later_of_lane(e, gpu, s) : !is_busy(job, stay))
            continue;
        uint64_t joint, sum;
        if (stay->lane > 0) {
            const struct lane *lane = lane_of(e, gpu->node, stay->lane, lanes);
            joint = lane->joint_q32;
            sum = lane->sum_q32;
        } else {
            joint = sum = hs_q32_mul(busy_q32(job, stay), stay->share_q32);
        }
        sum_q32 += sum;
        if (stay->is_background || hs_job_is_part(job)) /* beside the others, on what is its own */
            background_q32 += joint;
        else
            idle_q32 = idle_beside_q32(idle_q32, joint);
    }
    hs_busy_set(e, id, pm_of(HS_Q32_ONE - idle_q32 + background_q32), pm_of(sum_q32));
}

void hs_busy_mark(struct hs_engine *e, uint32_t node)
{
    if (e->is_marked[node])
        return;
    e->is_marked[node] = true;
    e->marked_nodes[e->marked_count++] = node;
}

void hs_busy_refresh(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    if (!e->has_utilization && gpu->laned == 0)
        return;
    if (gpu->laned > 0) {
        hs_busy_mark(e, gpu->node);
    } else if (gpu->first_seat == HS_NO_SEAT) { /* the usual two cases need no arithmetic */
        hs_busy_set(e, id, 0, 0);
    } else {
        const struct hs_job *only = tenant_of(e, gpu->first_seat);
        if (gpu->tenants == 1 && hs_busy_is_plain(stay_on(e, gpu->first_seat))) {
            uint32_t pm = hs_busy_alone_pm(only);
            hs_busy_set(e, id, pm, pm);
        } else {
            struct lanes lanes;
            lanes.count = 0;
            gpu_work_out(e, id, &lanes);
        }
    }
}

enum hs_status hs_busy_settle(struct hs_engine *e)
{
    while (e->marked_count > 0) {
        uint32_t n = e->marked_nodes[--e->marked_count];
        const struct hs_node *node = &e->cluster->nodes[n];
        struct lanes lanes;
        lanes.count = 0;
        e->is_marked[n] = false;
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++)
            gpu_work_out(e, id, &lanes);
    }
    return e->plan.refused;
}

uint32_t hs_busy_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us)
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

bool hs_busy_leaves_room(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    uint64_t sum_q32 = 0;
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *job = tenant_of(e, s);
        const struct hs_job_stay *stay = stay_on(e, s);
        if (is_busy(job, stay))
            sum_q32 += hs_q32_mul(busy_q32(job, stay), stay->share_q32);
    }
    return sum_q32 <= HS_Q32_ONE;
}

enum hs_status hs_busy_init(struct hs_engine *e)
{
    const struct hs_cluster *c = e->cluster;
    e->marked_nodes = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->marked_nodes);
    e->is_marked = hs_arena_alloc(&e->arena, (uint64_t)c->node_count * sizeof *e->is_marked);
    if (e->marked_nodes == NULL || e->is_marked == NULL)
        return HS_E_MEMORY;
    if (!e->policy->wants_mean_util)
        return HS_OK;
    e->util_memory = hs_arena_alloc(&e->arena, (uint64_t)c->gpu_count * sizeof *e->util_memory);
    return e->util_memory != NULL ? HS_OK : HS_E_MEMORY;
}
