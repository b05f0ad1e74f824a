/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus_lane.h. What a lane takes of each of its GPUs is taken back before the lane changes
 * and charged anew after it; then the two indexes learn what is left.
 */
#include "policies/kit_salus_lane.h"

#define ONE_MILLIONTHS      1000000
#define CAPACITY_NOT_STATED (INT64_C(1) << 40) /* MiB; more than any job asks for */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t capacity_mib(const struct hs_salus_lanes *l, const struct hs_view *v, uint32_t gpu)
{
    uint32_t mib = hs_view_gpu_capacity_mib(v, gpu);
    if (mib == UINT32_MAX)
        return CAPACITY_NOT_STATED;
    return most(0, (int64_t)mib - l->reserve_mib);
}

enum hs_status hs_salus_gpus_init(struct hs_salus_lanes *l, const struct hs_view *v)
{
    for (uint32_t node = 0; node < hs_view_nodes(v); node++)
        l->gpu_count += hs_view_node_gpus(v, node);
    l->gpus = hs_view_alloc(v, (uint64_t)l->gpu_count * sizeof *l->gpus);
    if (l->gpus == NULL)
        return HS_E_MEMORY;
    l->least_capacity_mib = INT64_MAX;
    for (uint32_t id = 0; id < l->gpu_count; id++) {
        struct hs_salus_gpu *gpu = &l->gpus[id];
        *gpu = (struct hs_salus_gpu){.capacity_mib = capacity_mib(l, v, id),
                                     .first_seat = HS_NO_SEAT,
                                     .step = HS_SALUS_STEPS};
        l->least_capacity_mib = least(l->least_capacity_mib, gpu->capacity_mib);
        l->most_capacity_mib = most(l->most_capacity_mib, gpu->capacity_mib);
    }
    return HS_OK;
}

enum hs_status hs_salus_lanes_init(struct hs_salus_lanes *l, const struct hs_view *v)
{
    l->per_gpu = l->model == HS_SALUS_ONE ? 1 : hs_view_max_tenants(v);
    l->pool_count = hs_view_vcs_are_apart(v) ? hs_view_vcs(v) : 1;
    l->free_seat = HS_NO_SEAT;
    l->free_lane = HS_NO_LANE;
    uint64_t seats = (uint64_t)l->gpu_count * l->per_gpu;
    l->seats = hs_view_alloc(v, seats * sizeof *l->seats);
    l->lanes = hs_view_alloc(v, seats * sizeof *l->lanes);
    l->pools = hs_view_alloc(v, (uint64_t)l->pool_count * sizeof *l->pools);
    if (l->seats == NULL || l->lanes == NULL || l->pools == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_rooms_init(&l->gpu_rooms, v, l->gpu_count, l->pool_count));
    return hs_rooms_init(&l->lane_rooms, v, seats, l->pool_count);
}

/* ---- needs ---- */

/* Rounded up. */
static int64_t inflated(int64_t mib, int64_t millionths)
{
    return (mib * millionths + ONE_MILLIONTHS - 1) / ONE_MILLIONTHS;
}

struct hs_salus_need hs_salus_need(const struct hs_salus_lanes *l, const struct hs_view *v,
                                   hs_job_id job)
{
    uint32_t peak_mib = hs_view_gpu_mem_mib(v, job);
    int64_t persistent_mib = hs_view_gpu_mem_persistent_mib(v, job);
    int64_t kept_mib = inflated(persistent_mib, l->infl_p_millionths);
    return (struct hs_salus_need){
        .kept_mib = kept_mib,
        .all_mib = inflated(kept_mib + peak_mib - persistent_mib, l->infl_total_millionths),
        .peak_mib = peak_mib,
        .is_alone = peak_mib == 0 || hs_view_ooms(v, job) > 0};
}

struct hs_room hs_salus_clip(const struct hs_salus_need *need, int64_t capacity)
{
    int64_t all_mib = need->is_alone ? capacity : least(need->all_mib, capacity);
    int64_t kept_mib = need->is_alone ? capacity : least(need->kept_mib, all_mib);
    return (struct hs_room){(uint64_t)all_mib, (uint64_t)kept_mib};
}

struct hs_room hs_salus_least(const struct hs_salus_lanes *l, const struct hs_salus_need *need)
{
    return hs_salus_clip(need, l->least_capacity_mib);
}

bool hs_salus_is_too_large(const struct hs_salus_lanes *l, const struct hs_salus_need *need)
{
    return !need->is_alone && need->peak_mib > l->most_capacity_mib;
}

bool hs_salus_suits(const struct hs_salus_lanes *l, uint32_t gpu, const struct hs_salus_need *need)
{
    return need->is_alone || need->peak_mib <= l->gpus[gpu].capacity_mib;
}

/* ---- room ---- */

uint64_t hs_salus_free_mib(const struct hs_salus_lanes *l, uint32_t id)
{
    const struct hs_salus_gpu *gpu = &l->gpus[id];
    if (gpu->is_whole || gpu->lanes >= l->per_gpu || (int64_t)gpu->sessions >= l->max_sessions)
        return 0;
    return (uint64_t)most(0, gpu->capacity_mib - gpu->used_mib);
}

bool hs_salus_may_open(const struct hs_salus_lanes *l, uint32_t gpu,
                       const struct hs_salus_need *need)
{
    return hs_salus_suits(l, gpu, need) &&
           hs_salus_free_mib(l, gpu) >= hs_salus_clip(need, l->gpus[gpu].capacity_mib).all_mib;
}

/* Of the GPU where there is least; below 0 when there is none for anybody. */
static int64_t lane_free_mib(const struct hs_salus_lanes *l, const struct hs_salus_lane *lane)
{
    int64_t free_mib = INT64_MAX;
    for (uint32_t s = lane->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_of_lane) {
        const struct hs_salus_gpu *gpu = &l->gpus[l->seats[s].gpu];
        if (gpu->is_whole || (int64_t)gpu->sessions >= l->max_sessions)
            return -1;
        free_mib = least(free_mib, gpu->capacity_mib - gpu->used_mib);
    }
    return free_mib;
}

struct hs_room hs_salus_room(const struct hs_salus_lanes *l, uint32_t id)
{
    const struct hs_salus_lane *lane = &l->lanes[id];
    int64_t free_mib = lane_free_mib(l, lane), all_mib = free_mib + lane->size_mib;
    int64_t kept_mib = free_mib;
    if (l->model == HS_SALUS_CODE) { /* what is beside the lane is not for it */
        all_mib = lane->size_mib - lane->kept_mib;
        kept_mib = all_mib - lane->most_mib;
    }
    if (free_mib < 0 || kept_mib < 0)
        return (struct hs_room){0, 0};
    return (struct hs_room){(uint64_t)all_mib, (uint64_t)kept_mib};
}

bool hs_salus_fits(const struct hs_salus_lanes *l, uint32_t lane, const struct hs_salus_need *need)
{
    int64_t capacity = l->lanes[lane].capacity_mib;
    struct hs_room room = hs_salus_room(l, lane), all = hs_salus_clip(need, capacity);
    return !need->is_alone && need->peak_mib <= capacity && all.all_mib <= room.all_mib &&
           all.kept_mib <= room.kept_mib;
}

uint32_t hs_salus_pool(const struct hs_view *v, hs_job_id job)
{
    return hs_view_vcs_are_apart(v) ? hs_view_vc(v, job) : 0;
}

uint64_t hs_salus_lane_key(uint32_t gpus, uint32_t members)
{
    return (uint64_t)gpus << 32 | members;
}

static int64_t lane_charge_mib(const struct hs_salus_lanes *l, const struct hs_salus_lane *lane)
{
    return l->model == HS_SALUS_CODE ? lane->size_mib : lane->kept_mib + lane->size_mib;
}

static void uncharge(struct hs_salus_lanes *l, const struct hs_salus_lane *lane)
{
    for (uint32_t s = lane->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_of_lane)
        l->gpus[l->seats[s].gpu].used_mib -= lane_charge_mib(l, lane);
}

/* Who has no room is in no tree: everybody needs some. */
static void index_lane(struct hs_salus_lanes *l, uint32_t id)
{
    struct hs_salus_lane *lane = &l->lanes[id];
    if (lane->indexed == l->changes)
        return;
    struct hs_room room = hs_salus_room(l, id);
    lane->indexed = l->changes;
    if (room.all_mib == 0)
        hs_rooms_drop(&l->lane_rooms, lane->pool, id);
    else
        hs_rooms_put(&l->lane_rooms, lane->pool, id, hs_salus_lane_key(lane->gpus, lane->members),
                     room);
}

static uint32_t step_of(const struct hs_salus_lanes *l, uint64_t mib)
{
    return (uint32_t)(mib * HS_SALUS_STEPS / ((uint64_t)l->most_capacity_mib + 1));
}

uint64_t hs_salus_open_gpus(const struct hs_salus_lanes *l, uint32_t pool, uint64_t mib)
{
    uint64_t gpus = 0;
    for (uint32_t step = step_of(l, mib); step < HS_SALUS_STEPS; step++)
        gpus += l->pools[pool].open[step];
    return gpus;
}

uint64_t hs_salus_gang_mib(const struct hs_salus_lanes *l, uint32_t pool, uint64_t idle,
                           uint32_t gpus)
{
    uint32_t step = HS_SALUS_STEPS;
    if (idle >= gpus)
        return UINT64_MAX;
    while (step > 0 && idle < gpus)
        idle += l->pools[pool].open[--step];
    if (idle < gpus)
        return 0;
    return (((uint64_t)step + 1) * ((uint64_t)l->most_capacity_mib + 1) - 1) / HS_SALUS_STEPS;
}

static void index_gpu(struct hs_salus_lanes *l, uint32_t id)
{
    struct hs_salus_gpu *gpu = &l->gpus[id];
    uint32_t *open = l->pools[gpu->pool].open;
    uint64_t free_mib = gpu->lanes > 0 ? hs_salus_free_mib(l, id) : 0;
    if (gpu->step < HS_SALUS_STEPS)
        open[gpu->step]--;
    gpu->step = free_mib > 0 ? step_of(l, free_mib) : HS_SALUS_STEPS;
    if (gpu->step < HS_SALUS_STEPS)
        open[gpu->step]++;
    if (free_mib > 0)
        hs_rooms_put(&l->gpu_rooms, gpu->pool, id, gpu->lanes,
                     (struct hs_room){free_mib, free_mib});
    else
        hs_rooms_drop(&l->gpu_rooms, gpu->pool, id);
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_on_gpu)
        index_lane(l, l->seats[s].lane);
}

static void charge(struct hs_salus_lanes *l, const struct hs_salus_lane *lane)
{
    for (uint32_t s = lane->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_of_lane)
        l->gpus[l->seats[s].gpu].used_mib += lane_charge_mib(l, lane);
    l->changes++;
    for (uint32_t s = lane->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_of_lane)
        index_gpu(l, l->seats[s].gpu);
}

/* ---- the queue of a lane ---- */

static void queue_add(struct hs_salus_lane *lane, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->before = lane->last;
    j->after = HS_NO_JOB;
    if (lane->last == HS_NO_JOB)
        lane->first = job;
    else
        hs_salus_job(v, lane->last)->after = job;
    lane->last = job;
}

static void queue_remove(struct hs_salus_lane *lane, const struct hs_view *v, hs_job_id job)
{
    const struct hs_salus_job *j = hs_salus_job(v, job);
    if (j->before == HS_NO_JOB)
        lane->first = j->after;
    else
        hs_salus_job(v, j->before)->after = j->after;
    if (j->after == HS_NO_JOB)
        lane->last = j->before;
    else
        hs_salus_job(v, j->after)->before = j->before;
}

void hs_salus_requeue(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_lane *lane = &l->lanes[hs_salus_job(v, job)->lane - 1];
    queue_remove(lane, v, job);
    queue_add(lane, v, job);
}

/* ---- coming and going ---- */

static void seat_add(struct hs_salus_lanes *l, uint32_t id, uint32_t gpu)
{
    uint32_t seat = l->free_seat;
    if (seat != HS_NO_SEAT)
        l->free_seat = l->seats[seat].next_of_lane;
    else
        seat = l->seats_used++;
    l->seats[seat] = (struct hs_salus_seat){.gpu = gpu,
                                            .lane = id,
                                            .next_of_lane = l->lanes[id].first_seat,
                                            .next_on_gpu = l->gpus[gpu].first_seat};
    l->lanes[id].first_seat = l->gpus[gpu].first_seat = seat;
    l->gpus[gpu].lanes++;
    l->gpus[gpu].pool = l->lanes[id].pool;
}

static void seat_remove(struct hs_salus_lanes *l, uint32_t seat)
{
    struct hs_salus_gpu *gpu = &l->gpus[l->seats[seat].gpu];
    uint32_t *link = &gpu->first_seat;
    while (*link != seat)
        link = &l->seats[*link].next_on_gpu;
    *link = l->seats[seat].next_on_gpu;
    gpu->lanes--;
    l->seats[seat].next_of_lane = l->free_seat;
    l->free_seat = seat;
}

/* Its GPUs, with what was freed there. */
static void note_freed(struct hs_salus_lanes *l, const struct hs_view *v,
                       const struct hs_salus_lane *lane)
{
    struct hs_salus_pool *pool = &l->pools[lane->pool];
    for (uint32_t s = lane->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_of_lane) {
        uint32_t node = hs_view_gpu_node(v, l->seats[s].gpu), i = 0;
        while (i < pool->freed_count && i < HS_SALUS_FREED && pool->freed[i] != node)
            i++;
        if (i < HS_SALUS_FREED)
            pool->freed[i] = node;
        if (i >= pool->freed_count)
            pool->freed_count = i + 1;
    }
}

/* The sums of a lane with or without a member, and the sessions of its GPUs. */
static void count_member(struct hs_salus_lanes *l, struct hs_salus_lane *lane,
                         const struct hs_salus_job *j, bool comes)
{
    lane->members += comes ? 1 : (uint32_t)-1;
    lane->kept_mib += comes ? j->kept_mib : -j->kept_mib;
    l->sessions += comes ? 1 : (uint64_t)-1;
    for (uint32_t s = lane->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_of_lane) {
        struct hs_salus_gpu *gpu = &l->gpus[l->seats[s].gpu];
        gpu->sessions += comes ? 1 : (uint32_t)-1;
        gpu->is_whole = comes ? gpu->is_whole || j->need.is_alone : gpu->is_whole && gpu->sessions;
    }
}

/* As the lane has it from its members. */
static void lane_resize(const struct hs_salus_lanes *l, const struct hs_view *v,
                        struct hs_salus_lane *lane)
{
    lane->most_mib = 0;
    for (hs_job_id j = lane->first; j != HS_NO_JOB; j = hs_salus_job(v, j)->after)
        lane->most_mib = most(lane->most_mib, hs_salus_job(v, j)->rest_mib);
    if (l->model == HS_SALUS_ONE)
        lane->size_mib = lane->most_mib;
    else if (l->model == HS_SALUS_PAPER)
        lane->size_mib = most(lane->size_mib, lane->most_mib);
    else
        lane->size_mib = most(lane->size_mib, lane->kept_mib + lane->most_mib);
}

static void sit_down(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job, uint32_t id)
{
    struct hs_salus_lane *lane = &l->lanes[id];
    struct hs_salus_job *j = hs_salus_job(v, job);
    struct hs_room all = hs_salus_clip(&j->need, lane->capacity_mib);
    j->lane = id + 1;
    j->kept_mib = (int64_t)all.kept_mib;
    j->rest_mib = (int64_t)(all.all_mib - all.kept_mib);
    count_member(l, lane, j, true);
    queue_add(lane, v, job);
    lane_resize(l, v, lane);
}

void hs_salus_lane_open(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job,
                        const uint32_t *gpus, uint32_t count)
{
    uint32_t id = l->free_lane != HS_NO_LANE ? l->free_lane : l->lanes_used;
    struct hs_salus_lane *lane = &l->lanes[id];
    if (l->free_lane != HS_NO_LANE)
        l->free_lane = lane->next_free;
    else
        l->lanes_used++;
    *lane = (struct hs_salus_lane){.first_seat = HS_NO_SEAT,
                                   .gpus = count,
                                   .pool = hs_salus_pool(v, job),
                                   .first = HS_NO_JOB,
                                   .last = HS_NO_JOB,
                                   .runner = HS_NO_JOB,
                                   .next_touched = lane->next_touched,
                                   .is_touched = lane->is_touched,
                                   .capacity_mib = INT64_MAX};
    for (uint32_t i = count; i-- > 0;) { /* so that they stand in this order */
        seat_add(l, id, gpus[i]);
        lane->capacity_mib = least(lane->capacity_mib, l->gpus[gpus[i]].capacity_mib);
    }
    sit_down(l, v, job, id);
    lane->cut_mib = lane->most_mib;
    charge(l, lane);
}

void hs_salus_lane_join(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job,
                        uint32_t id)
{
    uncharge(l, &l->lanes[id]);
    sit_down(l, v, job, id);
    charge(l, &l->lanes[id]);
}

/* Nobody sits in it any more. */
static void lane_close(struct hs_salus_lanes *l, uint32_t id)
{
    struct hs_salus_lane *lane = &l->lanes[id];
    hs_rooms_drop(&l->lane_rooms, lane->pool, id);
    l->changes++;
    for (uint32_t s = lane->first_seat, next; s != HS_NO_SEAT; s = next) {
        next = l->seats[s].next_of_lane;
        uint32_t gpu = l->seats[s].gpu;
        seat_remove(l, s);
        index_gpu(l, gpu);
    }
    lane->first_seat = HS_NO_SEAT;
    lane->next_free = l->free_lane;
    l->free_lane = id;
}

void hs_salus_lane_leave(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    uint32_t id = j->lane - 1;
    struct hs_salus_lane *lane = &l->lanes[id];
    uncharge(l, lane);
    queue_remove(lane, v, job);
    count_member(l, lane, j, false);
    note_freed(l, v, lane);
    j->lane = 0;
    if (lane->members > 0) {
        lane_resize(l, v, lane);
        charge(l, lane);
    } else {
        lane_close(l, id);
    }
}

void hs_salus_lane_renew(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    struct hs_salus_lane *lane = &l->lanes[j->lane - 1];
    j->need = hs_salus_need(l, v, job);
    struct hs_room all = hs_salus_clip(&j->need, lane->capacity_mib);
    l->has_grown = true;
    uncharge(l, lane);
    lane->kept_mib += (int64_t)all.kept_mib - j->kept_mib;
    j->kept_mib = (int64_t)all.kept_mib;
    j->rest_mib = (int64_t)(all.all_mib - all.kept_mib);
    lane_resize(l, v, lane);
    charge(l, lane);
    note_freed(l, v, lane);
}
