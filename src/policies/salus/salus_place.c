/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a job of Salus goes in a cluster (Salus itself manages one GPU): to GPUs where a new lane
 * fits, else into the lane with fewest members; among those to the GPUs of least measured
 * utilization, then of lowest number. Idle GPUs come first, on the fullest node that has enough of
 * them; a gang of at most a node's size stays on one node. Among several lanes of the same GPUs
 * the choice is that of Salus: under `paper` the smallest that need not grow, then the smallest;
 * under `code` the one that had least room when it was cut.
 *
 * GPUs are picked first, into s->picks; then the lane is opened and the start written. A gang over
 * several nodes is written while it is picked, so that the view counts its GPUs as taken, and
 * rolled back.
 *
 * Cost: O(log GPUs) and O(log lanes), plus those that have room but may not be used; of those that
 * may, the utilization of the first LOOK in order (of lanes or members) is compared.
 */
#include "policies/salus/salus.h"

#define LOOK 64

/* The search for the GPUs of one job. */
struct admit_search {
    struct hs_salus *s;
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id job;
    const struct hs_salus_need *need;
    uint32_t gpus, pool;
};

/* ---- idle GPUs ---- */

static bool suits(const struct admit_search *q, uint32_t node)
{
    return hs_salus_suits(&q->s->lanes, hs_view_node_first_gpu(q->v, node), q->need);
}

/* The fullest node with so many idle GPUs, lowest number on ties. */
static uint32_t idle_node(const struct admit_search *q, uint32_t gpus)
{
    uint32_t best = HS_NO_NODE, best_free = UINT32_MAX;
    for (uint32_t type = 0; type < hs_view_gpu_types(q->v); type++) {
        uint32_t node = hs_view_best_fit_of(q->v, q->job, gpus, type);
        if (node == HS_NO_NODE || !suits(q, node))
            continue;
        uint32_t free_gpus = hs_view_node_free(q->v, node);
        if (free_gpus < best_free || (free_gpus == best_free && node < best)) {
            best = node;
            best_free = free_gpus;
        }
    }
    return best;
}

static void pick_idle_of(const struct admit_search *q, uint32_t node, uint32_t gpus)
{
    struct hs_salus_picks *picks = &q->s->picks;
    uint32_t id = 0;
    for (; gpus > 0; gpus--, id++) {
        id = hs_view_idle_gpu(q->v, node, id);
        picks->gpus[picks->count++] = id;
    }
}

static bool take_idle_of(const struct admit_search *q, uint32_t node, uint32_t gpus)
{
    if (node == HS_NO_NODE || !suits(q, node))
        return false;
    uint32_t from = q->s->picks.count;
    pick_idle_of(q, node, gpus);
    for (uint32_t i = from; i < q->s->picks.count; i++)
        hs_plan_on_gpu(q->p, q->s->picks.gpus[i]);
    return true;
}

/* Whole idle nodes of the largest size, of the next smaller one when those are too few, and the
 * rest on one node, as HS_PLACE_CONSOLIDATE does. */
static bool take_idle_nodes(const struct admit_search *q, uint32_t size)
{
    uint32_t rest = q->gpus;
    while (size > 0) {
        uint32_t whole = rest / size, nodes = hs_view_node_count(q->v, q->job, size);
        for (uint32_t i = 0; i < whole && i < nodes; i++) {
            if (!take_idle_of(q, hs_view_idle_node(q->v, q->job, size, 0), size))
                return false;
            rest -= size;
        }
        if (whole < nodes)
            break;
        size = hs_view_node_size(q->v, q->job, size - 1);
    }
    return rest == 0 || take_idle_of(q, hs_view_worst_fit(q->v, q->job, rest), rest);
}

static bool pick_idle(const struct admit_search *q)
{
    if (hs_view_free_gpus(q->v, hs_view_vc(q->v, q->job)) < q->gpus)
        return false;
    uint32_t size = hs_view_node_size(q->v, q->job, UINT32_MAX);
    if (q->gpus <= size) {
        uint32_t node = idle_node(q, q->gpus);
        if (node != HS_NO_NODE)
            pick_idle_of(q, node, q->gpus);
        return node != HS_NO_NODE;
    }
    uint32_t mark = hs_plan_mark(q->p);
    hs_plan_start(q->p, q->job);
    bool is_found = take_idle_nodes(q, size);
    hs_plan_rollback(q->p, mark);
    if (!is_found)
        q->s->picks.count = 0;
    return is_found;
}

/* ---- GPUs that have lanes ---- */

/* The GPU of least utilization. */
static bool pick_one(const struct admit_search *q, struct hs_capacity need)
{
    const struct hs_capacity_tree *rooms = &q->s->lanes.gpu_tree;
    uint32_t best = HS_NO_GPU, best_pm = 0, looked = 0;
    for (uint32_t gpu = hs_capacity_tree_first(rooms, q->pool, 0, need);
         gpu != HS_NO_CAPACITY && looked < LOOK;
         gpu = hs_capacity_tree_next(rooms, q->pool, gpu, need)) {
        uint32_t node = hs_view_gpu_node(q->v, gpu);
        if (!hs_view_may_use(q->v, q->job, node) ||
            !hs_salus_may_open(&q->s->lanes, gpu, q->need) ||
            hs_view_node_workers(q->v, q->job, node) == 0)
            continue;
        uint32_t util_pm = hs_view_gpu_util_pm(q->v, gpu);
        if (best == HS_NO_GPU || util_pm < best_pm || (util_pm == best_pm && gpu < best)) {
            best = gpu;
            best_pm = util_pm;
        }
        looked++;
    }
    if (best != HS_NO_GPU)
        q->s->picks.gpus[q->s->picks.count++] = best;
    return best != HS_NO_GPU;
}

/* Picks the GPUs of the node where a lane fits, at most `gpus`, least utilized first. Returns the
 * sum of their utilizations. Insertion sort: a node is small. */
static uint64_t pick_of_node(const struct admit_search *q, uint32_t node, uint32_t gpus)
{
    struct hs_salus_picks *picks = &q->s->picks;
    uint32_t first = hs_view_node_first_gpu(q->v, node), *utils_pm = picks->utils_pm;
    uint64_t sum_pm = 0;
    picks->count = 0;
    for (uint32_t id = first; id < first + hs_view_node_gpus(q->v, node); id++) {
        if (!hs_salus_may_open(&q->s->lanes, id, q->need))
            continue;
        uint32_t util_pm = hs_view_gpu_util_pm(q->v, id);
        if (picks->count == gpus) {
            if (util_pm >= utils_pm[gpus - 1])
                continue;
            sum_pm -= utils_pm[--picks->count];
        }
        sum_pm += util_pm;
        uint32_t at = picks->count++;
        for (; at > 0 && utils_pm[at - 1] > util_pm; at--) {
            utils_pm[at] = utils_pm[at - 1];
            picks->gpus[at] = picks->gpus[at - 1];
        }
        utils_pm[at] = util_pm;
        picks->gpus[at] = id;
    }
    return sum_pm;
}

/* The GPUs of the node where that sum is least. */
static bool pick_node(const struct admit_search *q, struct hs_capacity need)
{
    const struct hs_capacity_tree *rooms = &q->s->lanes.gpu_tree;
    uint32_t best = HS_NO_NODE, looked = 0;
    uint64_t best_pm = 0;
    for (uint32_t gpu = hs_capacity_tree_first(rooms, q->pool, 0, need);
         gpu != HS_NO_CAPACITY && looked < LOOK;
         gpu = hs_capacity_tree_next(rooms, q->pool, gpu, need)) {
        uint32_t node = hs_view_gpu_node(q->v, gpu);
        if (!hs_view_may_use(q->v, q->job, node) ||
            hs_view_node_workers(q->v, q->job, node) < q->gpus)
            continue;
        uint64_t sum_pm = pick_of_node(q, node, q->gpus);
        if (q->s->picks.count < q->gpus)
            continue;
        if (best == HS_NO_NODE || sum_pm < best_pm || (sum_pm == best_pm && node < best)) {
            best = node;
            best_pm = sum_pm;
        }
        looked++;
    }
    if (best != HS_NO_NODE)
        (void)pick_of_node(q, best, q->gpus);
    return best != HS_NO_NODE;
}

/* A gang larger than a node: any GPUs, in order of nodes. O(GPUs), if enough of them may have
 * room. */
static bool pick_anywhere(const struct admit_search *q, struct hs_capacity need)
{
    struct hs_salus_picks *picks = &q->s->picks;
    picks->count = 0;
    if (hs_view_free_gpus(q->v, hs_view_vc(q->v, q->job)) +
            hs_salus_open_gpus(&q->s->lanes, q->pool, need.all_mib) <
        q->gpus)
        return false;
    for (uint32_t node = 0; node < hs_view_nodes(q->v) && picks->count < q->gpus; node++) {
        if (!hs_view_may_use(q->v, q->job, node))
            continue;
        uint32_t first = hs_view_node_first_gpu(q->v, node);
        uint32_t workers = hs_view_node_workers(q->v, q->job, node);
        for (uint32_t id = first;
             id < first + hs_view_node_gpus(q->v, node) && workers > 0 && picks->count < q->gpus;
             id++)
            if (hs_salus_may_open(&q->s->lanes, id, q->need)) {
                picks->gpus[picks->count++] = id;
                workers--;
            }
    }
    return picks->count == q->gpus;
}

static bool pick(const struct admit_search *q)
{
    struct hs_capacity room = hs_salus_clip(q->need, q->s->lanes.least_capacity_mib);
    struct hs_capacity need = {room.all_mib, room.all_mib};
    q->s->picks.count = 0;
    if (pick_idle(q))
        return true;
    if (q->need->is_alone)
        return false;
    if (q->gpus == 1)
        return pick_one(q, need);
    bool is_of_node = q->gpus <= hs_view_node_size(q->v, q->job, UINT32_MAX);
    return is_of_node ? pick_node(q, need) : pick_anywhere(q, need);
}

/* ---- open lanes ---- */

static bool may_use_all(const struct admit_search *q, const struct hs_salus_lane *lane)
{
    const struct hs_salus_slot *slots = q->s->lanes.slots;
    uint32_t last = HS_NO_NODE, workers = 0;
    if (!hs_view_is_constrained(q->v, q->job)) /* and all GPUs of its pool are for it */
        return true;
    for (uint32_t s = lane->first_slot; s != HS_NO_SLOT; s = slots[s].next_of_lane) {
        uint32_t node = hs_view_gpu_node(q->v, slots[s].gpu);
        if (node != last) {
            last = node;
            workers = hs_view_node_workers(q->v, q->job, node);
        }
        if (workers-- == 0 || !hs_view_may_use(q->v, q->job, node))
            return false;
    }
    return true;
}

static bool have_same_gpus(const struct hs_salus_lanes *l, const struct hs_salus_lane *a,
                           const struct hs_salus_lane *b)
{
    uint32_t x = a->first_slot, y = b->first_slot;
    if (a->gpus != b->gpus)
        return false;
    for (; x != HS_NO_SLOT; x = l->slots[x].next_of_lane, y = l->slots[y].next_of_lane)
        if (l->slots[x].gpu != l->slots[y].gpu)
            return false;
    return true;
}

/* Salus prefers lane a to b, of the same GPUs, that both fit. */
static bool is_better(const struct admit_search *q, uint32_t a, uint32_t b)
{
    const struct hs_salus_lanes *l = &q->s->lanes;
    const struct hs_salus_lane *x = &l->lanes[a], *y = &l->lanes[b];
    struct hs_capacity all = hs_salus_clip(q->need, x->capacity_mib);
    int64_t rest_mib = (int64_t)(all.all_mib - all.kept_mib);
    int64_t x_mib = l->model == HS_SALUS_CODE ? x->cut_mib : x->size_mib;
    int64_t y_mib = l->model == HS_SALUS_CODE ? y->cut_mib : y->size_mib;
    bool x_grows = l->model == HS_SALUS_PAPER && x_mib < rest_mib;
    bool y_grows = l->model == HS_SALUS_PAPER && y_mib < rest_mib;
    if (x_grows != y_grows)
        return y_grows;
    return x_mib != y_mib ? x_mib < y_mib : a < b;
}

/* No other lane of the same GPUs is better. */
static bool is_best_there(const struct admit_search *q, uint32_t id)
{
    const struct hs_salus_lanes *l = &q->s->lanes;
    uint32_t gpu = l->slots[l->lanes[id].first_slot].gpu;
    for (uint32_t s = l->gpus[gpu].first_slot; s != HS_NO_SLOT; s = l->slots[s].next_on_gpu) {
        uint32_t other = l->slots[s].lane;
        if (other != id && have_same_gpus(l, &l->lanes[id], &l->lanes[other]) &&
            hs_salus_fits(l, other, q->need) && is_better(q, other, id))
            return false;
    }
    return true;
}

static uint32_t lane_to_join(const struct admit_search *q)
{
    const struct hs_salus_lanes *l = &q->s->lanes;
    struct hs_capacity need = hs_salus_clip(q->need, l->least_capacity_mib);
    uint32_t best = HS_NO_LANE, looked = 0;
    uint64_t best_pm = 0;
    for (uint32_t id =
             hs_capacity_tree_first(&l->lane_tree, q->pool, hs_salus_lane_key(q->gpus, 0), need);
         id != HS_NO_CAPACITY && l->lanes[id].gpus == q->gpus && looked < LOOK;
         id = hs_capacity_tree_next(&l->lane_tree, q->pool, id, need)) {
        if (best != HS_NO_LANE && l->lanes[id].members > l->lanes[best].members)
            break;
        if (!hs_salus_fits(l, id, q->need) || !may_use_all(q, &l->lanes[id]) ||
            !is_best_there(q, id))
            continue;
        uint64_t util_pm = 0; /* of all its GPUs */
        for (uint32_t s = l->lanes[id].first_slot; s != HS_NO_SLOT; s = l->slots[s].next_of_lane)
            util_pm += hs_view_gpu_util_pm(q->v, l->slots[s].gpu);
        if (best == HS_NO_LANE || util_pm < best_pm) {
            best = id;
            best_pm = util_pm;
        }
        looked++;
    }
    return best;
}

/* ---- admission ---- */

int64_t hs_salus_startup_us(const struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    int64_t by_model_us = s->startup_by == HS_SALUS_BY_MODEL ? hs_view_restart_us(v, job) : -1;
    if (hs_view_state(v, job) != HS_JOB_PENDING) /* it has been charged already */
        return 0;
    return by_model_us >= 0 ? by_model_us : s->startup_us;
}

void hs_salus_start(const struct hs_salus *s, const struct hs_view *v, struct hs_plan *p,
                    hs_job_id job)
{
    const struct hs_salus_job *j = hs_salus_job(v, job);
    const struct hs_salus_slot *slots = s->lanes.slots;
    const struct hs_turn turn = {
        .slice_group = j->lane, .keeps = HS_KEEPS_PERSISTENT, .is_waiting = j->starts_waiting};
    int64_t startup_us = hs_salus_startup_us(s, v, job);
    const struct hs_salus_lane *lane = &s->lanes.lanes[j->lane - 1];
    hs_plan_reason(p, lane->members > 1 ? "into a lane of others: no room for one of its own"
                                        : "room for a lane of its own");
    if (startup_us > 0)
        hs_plan_add_overhead(p, job, startup_us);
    hs_plan_start(p, job);
    hs_plan_slice_group(p, &turn);
    for (uint32_t slot = s->lanes.lanes[j->lane - 1].first_slot; slot != HS_NO_SLOT;
         slot = slots[slot].next_of_lane)
        hs_plan_on_gpu(p, slots[slot].gpu);
}

bool hs_salus_admit(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    const struct admit_search q = {.s = s,
                                   .v = v,
                                   .p = p,
                                   .job = job,
                                   .need = &j->need,
                                   .gpus = hs_view_gpus(v, job),
                                   .pool = hs_salus_pool(v, job)};
    if (hs_view_quota_room(v, hs_view_vc(v, job)) < q.gpus)
        return false;
    uint32_t lane = HS_NO_LANE;
    if (pick(&q)) {
        uint32_t *gpus = s->picks.gpus;
        for (uint32_t i = 1; i < s->picks.count; i++) { /* ascending, as in all lanes */
            uint32_t gpu = gpus[i], at = i;
            for (; at > 0 && gpus[at - 1] > gpu; at--)
                gpus[at] = gpus[at - 1];
            gpus[at] = gpu;
        }
        hs_salus_lane_open(&s->lanes, v, job, gpus, s->picks.count);
    } else {
        lane = j->need.is_alone ? HS_NO_LANE : lane_to_join(&q);
        if (lane == HS_NO_LANE)
            return false;
        hs_salus_lane_join(&s->lanes, v, job, lane);
    }
    j->is_ready = hs_salus_startup_us(s, v, job) + hs_view_cost_left_us(v, job) == 0;
    j->starts_waiting = !j->is_ready || lane != HS_NO_LANE;
    hs_salus_start(s, v, p, job);
    return true;
}
