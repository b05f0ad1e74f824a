/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lanes of Salus: their members, and the memory of GPUs. Before a lane changes, its charge is
 * subtracted from each of its GPUs; afterwards the new charge is added and the two trees are
 * updated.
 */
#include "policies/salus/salus.h"

#define ONE_MILLIONTHS      1000000
#define CAPACITY_NOT_STATED (INT64_C(1) << 40) /* MiB; above any demand */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- memory of GPUs ---- */

void hs_salus_lanes_init(struct hs_salus *s)
{
    for (uint32_t node = 0; node < s->v->nodes; node++)
        s->gpu_count += hs_view_node(s->v, node)->gpus;
    s->gpus = hs_view_alloc(s->v, (uint64_t)s->gpu_count * sizeof *s->gpus);
    s->least_capacity_mib = INT64_MAX;
    for (uint32_t id = 0; id < s->gpu_count; id++) {
        struct hs_salus_gpu *gpu = &s->gpus[id];
        uint32_t mib = hs_view_gpu_capacity_mib(s->v, id);
        *gpu = (struct hs_salus_gpu){.step = HS_SALUS_STEPS};
        gpu->capacity_mib =
            mib == UINT32_MAX ? CAPACITY_NOT_STATED : most(0, (int64_t)mib - s->reserve_mib);
        s->least_capacity_mib = least(s->least_capacity_mib, gpu->capacity_mib);
        s->most_capacity_mib = most(s->most_capacity_mib, gpu->capacity_mib);
    }
    if (s->is_plain)
        return;
    s->per_gpu = s->model == HS_SALUS_ONE ? 1 : s->v->max_tenants;
    s->pool_count = s->v->vcs_are_apart ? s->v->vcs : 1;
    s->free_lane = HS_NO_LANE;
    uint64_t slots = (uint64_t)s->gpu_count * s->per_gpu;
    hs_allocation_map_init(&s->on, s->v);
    s->slots = s->on.allocations;
    s->lanes = hs_view_alloc(s->v, slots * sizeof *s->lanes);
    s->pools = hs_view_alloc(s->v, (uint64_t)s->pool_count * sizeof *s->pools);
    hs_capacity_tree_init(&s->gpu_tree, s->v, s->gpu_count, s->pool_count);
    hs_capacity_tree_init(&s->lane_tree, s->v, slots, s->pool_count);
}

/* ---- needs ---- */

/* Rounds up. */
static int64_t inflated(int64_t mib, int64_t millionths)
{
    return (mib * millionths + ONE_MILLIONTHS - 1) / ONE_MILLIONTHS;
}

struct hs_salus_need hs_salus_need(const struct hs_salus *s, hs_job_id job)
{
    uint32_t peak_mib = hs_view_gpu_mem_mib(s->v, job);
    int64_t persistent_mib = hs_view_gpu_mem_persistent_mib(s->v, job);
    int64_t kept_mib = inflated(persistent_mib, s->infl_p_millionths);
    return (struct hs_salus_need){
        .kept_mib = kept_mib,
        .all_mib = inflated(kept_mib + peak_mib - persistent_mib, s->infl_total_millionths),
        .peak_mib = peak_mib,
        .is_alone = peak_mib == 0 || hs_view_ooms(s->v, job) > 0};
}

struct hs_capacity hs_salus_clip(const struct hs_salus_need *need, int64_t capacity)
{
    int64_t all_mib = need->is_alone ? capacity : least(need->all_mib, capacity);
    int64_t kept_mib = need->is_alone ? capacity : least(need->kept_mib, all_mib);
    return (struct hs_capacity){{(uint64_t)all_mib, (uint64_t)kept_mib}};
}

bool hs_salus_suits(const struct hs_salus *s, uint32_t gpu, const struct hs_salus_need *need)
{
    return need->is_alone || need->peak_mib <= s->gpus[gpu].capacity_mib;
}

/* ---- room ---- */

uint64_t hs_salus_free_mib(const struct hs_salus *s, uint32_t id)
{
    const struct hs_salus_gpu *gpu = &s->gpus[id];
    if (gpu->is_whole || gpu->lanes >= s->per_gpu || (int64_t)gpu->sessions >= s->max_sessions)
        return 0;
    return (uint64_t)most(0, gpu->capacity_mib - gpu->used_mib);
}

/* Returns the memory available to one more member. */
static struct hs_capacity room_of(const struct hs_salus *s, uint32_t id)
{
    const struct hs_salus_lane *lane = &s->lanes[id];
    int64_t free_mib = INT64_MAX; /* minimum over its GPUs */
    for (uint32_t at = lane->first_slot; at != 0; at = s->slots[at].next_of_job) {
        const struct hs_salus_gpu *gpu = &s->gpus[s->slots[at].gpu];
        bool is_closed = gpu->is_whole || (int64_t)gpu->sessions >= s->max_sessions;
        free_mib = least(free_mib, is_closed ? -1 : gpu->capacity_mib - gpu->used_mib);
    }
    int64_t all_mib = free_mib + lane->size_mib, kept_mib = free_mib;
    if (s->model == HS_SALUS_CODE) { /* such a lane never grows */
        all_mib = lane->size_mib - lane->kept_mib;
        kept_mib = all_mib - lane->most_mib;
    }
    if (free_mib < 0 || kept_mib < 0)
        return (struct hs_capacity){{0, 0}};
    return (struct hs_capacity){{(uint64_t)all_mib, (uint64_t)kept_mib}};
}

bool hs_salus_fits(const struct hs_salus *s, uint32_t lane, const struct hs_salus_need *need)
{
    int64_t capacity = s->lanes[lane].capacity_mib;
    struct hs_capacity room = room_of(s, lane), all = hs_salus_clip(need, capacity);
    return !need->is_alone && need->peak_mib <= capacity &&
           all.of[HS_SALUS_ALL] <= room.of[HS_SALUS_ALL] &&
           all.of[HS_SALUS_KEPT] <= room.of[HS_SALUS_KEPT];
}

static int64_t lane_charge_mib(const struct hs_salus *s, const struct hs_salus_lane *lane)
{
    return s->model == HS_SALUS_CODE ? lane->size_mib : lane->kept_mib + lane->size_mib;
}

static uint32_t step_of(const struct hs_salus *s, uint64_t mib)
{
    return (uint32_t)(mib * HS_SALUS_STEPS / ((uint64_t)s->most_capacity_mib + 1));
}

uint64_t hs_salus_open_gpus(const struct hs_salus *s, uint32_t pool, uint64_t mib)
{
    uint64_t gpus = 0;
    for (uint32_t step = step_of(s, mib); step < HS_SALUS_STEPS; step++)
        gpus += s->pools[pool].open[step];
    return gpus;
}

static void index_gpu(struct hs_salus *s, uint32_t id)
{
    struct hs_salus_gpu *gpu = &s->gpus[id];
    uint32_t *open = s->pools[gpu->pool].open;
    uint64_t free_mib = gpu->lanes > 0 ? hs_salus_free_mib(s, id) : 0;
    if (gpu->step < HS_SALUS_STEPS)
        open[gpu->step]--;
    gpu->step = free_mib > 0 ? step_of(s, free_mib) : HS_SALUS_STEPS;
    if (gpu->step < HS_SALUS_STEPS)
        open[gpu->step]++;
    if (free_mib > 0)
        hs_capacity_tree_put(&s->gpu_tree, gpu->pool, id,
                             ((uint64_t)gpu->lanes << 52) +
                                 hs_place_kind(s->v, s->types, hs_view_gpu_node(s->v, id)),
                             (struct hs_capacity){{free_mib, free_mib}});
    else
        hs_capacity_tree_drop(&s->gpu_tree, gpu->pool, id);
    for (uint32_t at = s->on.on_gpu[id]; at != 0; at = s->slots[at].next_on_gpu) {
        uint32_t lane_id = s->slots[at].job;
        const struct hs_salus_lane *lane = &s->lanes[lane_id];
        struct hs_capacity room = room_of(s, lane_id);
        if (lane->members > 0 && room.of[HS_SALUS_ALL] > 0) /* as every job needs memory */
            hs_capacity_tree_put(&s->lane_tree, lane->pool, lane_id,
                                 (uint64_t)lane->gpus << 32 | lane->members, room);
        else
            hs_capacity_tree_drop(&s->lane_tree, lane->pool, lane_id);
    }
}

/* Subtracts (-1) or adds (1) the charge of a lane on each of its GPUs, before or after the lane
 * changes. */
static void charge(struct hs_salus *s, const struct hs_salus_lane *lane, int64_t times)
{
    for (uint32_t at = lane->first_slot; at != 0; at = s->slots[at].next_of_job)
        s->gpus[s->slots[at].gpu].used_mib += times * lane_charge_mib(s, lane);
    for (uint32_t at = times > 0 ? lane->first_slot : 0; at != 0; at = s->slots[at].next_of_job)
        index_gpu(s, s->slots[at].gpu);
}

/* ---- the queue of a lane ---- */

void hs_salus_requeue(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_lane *lane = &s->lanes[hs_salus_job(s, job)->lane - 1];
    hs_job_chain_remove(&lane->queue, s->v, job);
    hs_job_chain_insert(&lane->queue, s->v, job, lane->queue.last);
}

/* ---- members ---- */

/* Adds the nodes of the lane to the list of freed nodes. */
static void note_freed(struct hs_salus *s, const struct hs_salus_lane *lane)
{
    struct hs_salus_pool *pool = &s->pools[lane->pool];
    for (uint32_t at = lane->first_slot; at != 0; at = s->slots[at].next_of_job) {
        uint32_t node = hs_view_gpu_node(s->v, s->slots[at].gpu), i = 0;
        while (i < pool->freed_count && i < HS_SALUS_FREED && pool->freed[i] != node)
            i++;
        if (i < HS_SALUS_FREED)
            pool->freed[i] = node;
        if (i >= pool->freed_count)
            pool->freed_count = i + 1;
    }
}

/* Adds a member to, or removes it from, the sums of its lane and the sessions of its GPUs. */
static void count_member(struct hs_salus *s, struct hs_salus_lane *lane,
                         const struct hs_salus_job *j, bool comes)
{
    lane->members += comes ? 1 : (uint32_t)-1;
    lane->kept_mib += comes ? j->kept_mib : -j->kept_mib;
    s->sessions += comes ? 1 : (uint64_t)-1;
    for (uint32_t at = lane->first_slot; at != 0; at = s->slots[at].next_of_job) {
        struct hs_salus_gpu *gpu = &s->gpus[s->slots[at].gpu];
        gpu->sessions += comes ? 1 : (uint32_t)-1;
        gpu->is_whole = comes ? gpu->is_whole || j->need.is_alone : gpu->is_whole && gpu->sessions;
    }
}

/* Recomputes the lane's size from its members. */
static void lane_resize(const struct hs_salus *s, struct hs_salus_lane *lane)
{
    lane->most_mib = 0;
    HS_EACH_CHAINED(j, &lane->queue, s->v)
        lane->most_mib = most(lane->most_mib, hs_salus_job(s, j)->rest_mib);
    if (s->model == HS_SALUS_ONE)
        lane->size_mib = lane->most_mib;
    else if (s->model == HS_SALUS_PAPER)
        lane->size_mib = most(lane->size_mib, lane->most_mib);
    else
        lane->size_mib = most(lane->size_mib, lane->kept_mib + lane->most_mib);
}

/* A job that outgrew its GPUs, until it is killed for that, counts with its full demand, which
 * closes its lane and the other lanes of those GPUs. */
static void set_memory(const struct hs_salus_lane *lane, struct hs_salus_job *j)
{
    int64_t peak_mib = j->need.is_alone ? 0 : j->need.peak_mib;
    struct hs_capacity all = hs_salus_clip(&j->need, most(lane->capacity_mib, peak_mib));
    j->kept_mib = (int64_t)all.of[HS_SALUS_KEPT];
    j->rest_mib = (int64_t)(all.of[HS_SALUS_ALL] - all.of[HS_SALUS_KEPT]);
}

/* The caller updates the charge of the lane before and after. */
static void add_member(struct hs_salus *s, hs_job_id job, uint32_t id)
{
    struct hs_salus_lane *lane = &s->lanes[id];
    struct hs_salus_job *j = hs_salus_job(s, job);
    j->lane = id + 1;
    set_memory(lane, j);
    count_member(s, lane, j, true);
    hs_job_chain_insert(&lane->queue, s->v, job, lane->queue.last);
    lane_resize(s, lane);
}

void hs_salus_lane_open(struct hs_salus *s, hs_job_id job, const uint32_t *gpus, uint32_t count)
{
    uint32_t id = s->free_lane != HS_NO_LANE ? s->free_lane : s->lanes_used;
    struct hs_salus_lane *lane = &s->lanes[id];
    if (s->free_lane != HS_NO_LANE)
        s->free_lane = lane->next_free;
    else
        s->lanes_used++;
    *lane = (struct hs_salus_lane){.gpus = count,
                                   .pool = s->pool_count > 1 ? hs_view_vc(s->v, job) : 0,
                                   .queue = hs_job_chain_empty(offsetof(struct hs_salus_job, turn)),
                                   .runner = HS_NO_JOB,
                                   .next_touched = lane->next_touched,
                                   .is_touched = lane->is_touched,
                                   .capacity_mib = INT64_MAX};
    for (uint32_t i = count; i-- > 0;) { /* in reverse, as each is put first: the list ascends */
        hs_allocation_map_add(&s->on, id, &lane->first_slot, gpus[i]);
        s->gpus[gpus[i]].lanes++;
        s->gpus[gpus[i]].pool = lane->pool;
        lane->capacity_mib = least(lane->capacity_mib, s->gpus[gpus[i]].capacity_mib);
    }
    add_member(s, job, id);
    lane->cut_mib = lane->most_mib;
    charge(s, lane, 1);
}

void hs_salus_lane_join(struct hs_salus *s, hs_job_id job, uint32_t id)
{
    charge(s, &s->lanes[id], -1);
    add_member(s, job, id);
    charge(s, &s->lanes[id], 1);
}

void hs_salus_lane_leave(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    uint32_t id = j->lane - 1;
    struct hs_salus_lane *lane = &s->lanes[id];
    charge(s, lane, -1);
    hs_job_chain_remove(&lane->queue, s->v, job);
    count_member(s, lane, j, false);
    note_freed(s, lane);
    j->lane = 0;
    if (lane->members > 0) {
        lane->size_mib = least(lane->size_mib, lane->capacity_mib);
        lane_resize(s, lane);
        charge(s, lane, 1);
        return;
    }
    for (uint32_t at = lane->first_slot; at != 0; at = s->slots[at].next_of_job) {
        s->gpus[s->slots[at].gpu].lanes--;
        index_gpu(s, s->slots[at].gpu);
    }
    hs_allocation_map_drop(&s->on, &lane->first_slot);
    lane->next_free = s->free_lane;
    s->free_lane = id;
}

void hs_salus_lane_renew(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    struct hs_salus_lane *lane = &s->lanes[j->lane - 1];
    j->need = hs_salus_need(s, job);
    s->has_grown = true;
    charge(s, lane, -1);
    lane->kept_mib -= j->kept_mib;
    set_memory(lane, j);
    lane->kept_mib += j->kept_mib;
    lane_resize(s, lane);
    charge(s, lane, 1);
    note_freed(s, lane);
}

/* ---- invariants: each sum is counted anew ---- */

static const char *lane_check(const struct hs_salus *s, uint32_t id)
{
    const struct hs_salus_lane *lane = &s->lanes[id];
    int64_t kept_mib = 0, most_mib = 0;
    uint32_t members = 0;
    hs_job_id last = HS_NO_JOB;
    bool has_runner = lane->runner == HS_NO_JOB;
    for (hs_job_id m = lane->queue.first; m != HS_NO_JOB;
         last = m, m = hs_salus_job(s, m)->turn.after) {
        const struct hs_salus_job *j = hs_salus_job(s, m);
        if (j->lane != id + 1 || j->turn.before != last || hs_view_gpus(s->v, m) != lane->gpus)
            return "a job stands in the queue of a lane that is not its own";
        members++;
        kept_mib += j->kept_mib;
        most_mib = j->rest_mib > most_mib ? j->rest_mib : most_mib;
        has_runner = has_runner || m == lane->runner;
    }
    if (members != lane->members || last != lane->queue.last || !has_runner)
        return "the queue of a lane is not its members";
    if (kept_mib != lane->kept_mib || most_mib != lane->most_mib)
        return "what a lane keeps is not what its members keep";
    int64_t least_mib = s->model == HS_SALUS_CODE ? kept_mib + most_mib : most_mib;
    return lane->size_mib < least_mib ? "a lane is smaller than what its members need" : NULL;
}

static const char *gpu_check(const struct hs_salus *s, uint32_t id)
{
    const struct hs_salus_gpu *gpu = &s->gpus[id];
    int64_t used_mib = 0;
    uint32_t lanes = 0, sessions = 0;
    for (uint32_t at = s->on.on_gpu[id]; at != 0; at = s->slots[at].next_on_gpu) {
        const struct hs_salus_lane *lane = &s->lanes[s->slots[at].job];
        used_mib += lane_charge_mib(s, lane);
        sessions += lane->members;
        lanes++;
    }
    if (lanes != gpu->lanes || sessions != gpu->sessions || used_mib != gpu->used_mib)
        return "what a GPU has in use is not what its lanes take";
    if (lanes > s->per_gpu || (int64_t)sessions > s->max_sessions)
        return "a GPU has more lanes or sessions than it may";
    if (gpu->is_whole && sessions > 1)
        return "a job that must be alone is not";
    return used_mib > gpu->capacity_mib && !s->has_grown ? "lanes overflow a GPU" : NULL;
}

const char *hs_salus_lanes_check(const struct hs_salus *s)
{
    uint64_t sessions = 0;
    const char *broken = NULL;
    for (uint32_t id = 0; id < s->lanes_used && broken == NULL; id++) {
        sessions += s->lanes[id].members;
        broken = s->lanes[id].members > 0 ? lane_check(s, id) : NULL;
    }
    for (uint32_t id = 0; id < s->gpu_count && broken == NULL; id++)
        broken = gpu_check(s, id);
    return broken == NULL && sessions != s->sessions ? "sessions are miscounted" : broken;
}
