/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Admission: which waiting jobs start, and on which GPUs. When a job arrives or memory is freed,
 * waiting jobs are tried in order of submission and those that do not fit are skipped; the plain
 * server instead stops at the first that does not fit. With `poll` one job is admitted at each
 * multiple of it.
 *
 * A fresh job that is not admitted is blocked until memory is freed. A gang of at most a node's
 * size uses one node, so a scan considers only blocked jobs that may fit the nodes where a job
 * left. Blocked jobs of equal demand (gang, memory, constraints) form a class: if the first is not
 * admitted none is, so a scan costs O(classes). Jobs have no class if ties are drawn at random,
 * because an unsuccessful search may draw; nor with `poll`, where the remaining jobs set the next
 * timer; nor if the hash table has no free place near their hash. Jobs without a class form one
 * queue per VC, and each is compared with the free memory.
 *
 * Placement in a cluster (Salus itself manages one GPU): on GPUs where a new lane fits, else in the
 * lane with fewest members; among those on the GPUs of least measured utilization, then of lowest
 * number. Idle GPUs come first, on the fullest node that has enough of them; a gang of at most a
 * node's size uses one node. Among several lanes on the same GPUs Salus' own choice applies: under
 * `paper` the smallest that need not grow, then the smallest; under `code` the one that had least
 * room when it was opened. A gang over several nodes is written into the plan while it is picked,
 * so that the view counts its GPUs as taken, and rolled back on failure.
 *
 * Cost: O(log GPUs) and O(log lanes), plus those that have room but may not be used; of those that
 * may be used, the utilization of the first LOOK (by number of lanes or members) is compared.
 */
#include "policies/salus/salus.h"

#define CLASSES 2048u
#define PROBES  8u  /* places of the hash table that are tried for a class */
#define WIDEST  16u /* largest gang that is compared with the freed nodes */
#define LOOK    64

struct hs_salus_demand_class {
    struct hs_job_queue jobs; /* may be empty until the next scan removes the class */
    uint64_t hash;
    uint32_t vc;
    uint32_t next; /* next class of the VC: number + 1; 0 = none */
    bool is_used;
};

void hs_salus_queue_init(struct hs_salus *s)
{
    s->armed_us = -1;
    hs_vc_queues_init(&s->waiting, s->v, HS_SCAN_FIT);
    if (s->is_plain)
        return;
    s->nodes = hs_view_alloc(s->v, s->v->nodes * sizeof *s->nodes);
    for (uint32_t node = 0; node < s->v->nodes; node++)
        s->nodes[node] = (struct hs_job_place){
            .key = (int64_t)hs_place_kind(s->v, s->types, node), .rank = node, .job = node};
    hs_sort(s->nodes, s->v->nodes);
    uint32_t vcs = s->v->vcs;
    s->blocked = hs_view_alloc(s->v, vcs * sizeof *s->blocked);
    s->first_class = hs_view_alloc(s->v, vcs * sizeof *s->first_class);
    s->classes = hs_view_alloc(s->v, CLASSES * sizeof *s->classes);
    s->heads = hs_view_alloc(s->v, (1 + CLASSES) * sizeof *s->heads);
}

/* ---- idle GPUs ---- */

/* Tells whether a new lane for the job fits on the GPU. */
static bool may_open(const struct hs_salus *s, uint32_t gpu, const struct hs_salus_need *need)
{
    return hs_salus_suits(s, gpu, need) &&
           hs_salus_free_mib(s, gpu) >=
               hs_salus_clip(need, s->gpus[gpu].capacity_mib).of[HS_SALUS_ALL];
}

/* A search for the GPUs of one job. */
struct admit_search {
    hs_job_id job;
    const struct hs_salus_need *need;
    uint32_t gpus, pool, type; /* type: to which searches are limited; HS_ANY_TYPE */
};

static void pick_idle_of(struct hs_salus *s, uint32_t node, uint32_t gpus)
{
    for (uint32_t id = 0; gpus > 0; gpus--, id++) {
        id = hs_view_idle_gpu(s->v, node, id);
        s->picks[s->pick_count++] = id;
    }
}

static bool take_idle_of(struct hs_salus *s, const struct admit_search *q, uint32_t node,
                         uint32_t gpus)
{
    if (node == HS_NO_NODE || !hs_salus_suits(s, hs_view_node(s->v, node)->first_gpu, q->need))
        return false;
    uint32_t from = s->pick_count;
    pick_idle_of(s, node, gpus);
    for (uint32_t i = from; i < s->pick_count; i++)
        hs_plan_on_gpu(s->p, s->picks[i]);
    return true;
}

/* Takes idle nodes of the largest size completely, then of the next smaller size, and the rest from
 * one node, as HS_PLACE_CONSOLIDATE does. */
static bool take_idle_nodes(struct hs_salus *s, const struct admit_search *q, uint32_t size)
{
    uint32_t rest = q->gpus;
    while (size > 0) {
        uint32_t whole = rest / size, nodes = hs_view_node_count(s->v, q->job, size, false);
        for (uint32_t i = 0; i < whole && i < nodes; i++) {
            if (!take_idle_of(s, q, hs_view_idle_node(s->v, q->job, size, 0), size))
                return false;
            rest -= size;
        }
        if (whole < nodes)
            break;
        size = hs_view_node_size(s->v, q->job, size - 1);
    }
    return rest == 0 || take_idle_of(s, q, hs_view_worst_fit(s->v, q->job, rest), rest);
}

static bool pick_idle(struct hs_salus *s, const struct admit_search *q)
{
    if (hs_view_free_gpus(s->v, hs_view_vc(s->v, q->job)) < q->gpus)
        return false;
    uint32_t size = hs_view_node_size(s->v, q->job, UINT32_MAX);
    if (q->gpus <= size) { /* the fullest node; ties: lowest number */
        uint32_t best = HS_NO_NODE, best_free = UINT32_MAX;
        const bool is_any = q->type == HS_ANY_TYPE;
        const uint32_t end = is_any ? s->v->gpu_types : q->type + 1;
        for (uint32_t type = is_any ? 0 : q->type; type < end; type++) {
            uint32_t node = hs_best_fit_of(s->v, q->job, q->gpus, type, s->types);
            if (node == HS_NO_NODE ||
                !hs_salus_suits(s, hs_view_node(s->v, node)->first_gpu, q->need))
                continue;
            uint32_t free_gpus = hs_view_node_free(s->v, node);
            if (free_gpus < best_free || (free_gpus == best_free && node < best)) {
                best = node;
                best_free = free_gpus;
            }
        }
        hs_view_search_type(s->v, q->type, true);
        if (best != HS_NO_NODE)
            pick_idle_of(s, best, q->gpus);
        return best != HS_NO_NODE;
    }
    uint32_t mark = hs_plan_mark(s->p);
    hs_plan_start(s->p, q->job);
    bool is_found = take_idle_nodes(s, q, size);
    hs_plan_rollback(s->p, mark);
    if (!is_found)
        s->pick_count = 0;
    return is_found;
}

/* ---- GPUs with lanes ---- */

/* Picks GPUs of the node where a lane fits, at most as many as the gang needs, least utilized
 * first. Returns the sum of their utilizations. Insertion sort suffices: a node has few GPUs. */
static uint64_t pick_of_node(struct hs_salus *s, const struct admit_search *q, uint32_t node)
{
    uint32_t *picks = s->picks, *picks_pm = s->picks_pm, count = 0;
    uint32_t first = hs_view_node(s->v, node)->first_gpu;
    uint64_t sum_pm = 0;
    for (uint32_t id = first; id < first + hs_view_node(s->v, node)->gpus; id++) {
        if (!may_open(s, id, q->need))
            continue;
        uint32_t util_pm = hs_view_gpu_util_pm(s->v, id, 0);
        if (count == q->gpus) {
            if (util_pm >= picks_pm[count - 1])
                continue;
            sum_pm -= picks_pm[--count];
        }
        sum_pm += util_pm;
        uint32_t at = count++;
        for (; at > 0 && picks_pm[at - 1] > util_pm; at--) {
            picks_pm[at] = picks_pm[at - 1];
            picks[at] = picks[at - 1];
        }
        picks_pm[at] = util_pm;
        picks[at] = id;
    }
    s->pick_count = count;
    return sum_pm;
}

/* The order where all else is equal; HS_NO_GPU is last. */
static bool is_gpu_before(const struct hs_salus *s, uint32_t a, uint32_t b)
{
    const uint32_t x = hs_view_gpu_node(s->v, a),
                   y = b != HS_NO_GPU ? hs_view_gpu_node(s->v, b) : x;
    return x == y ? a < b : hs_place_node_is_before(s->v, s->types, x, y);
}

/* Picks the least utilized GPU, or the node's GPUs whose sum of utilizations is least. */
static bool pick_least(struct hs_salus *s, const struct admit_search *q, struct hs_capacity need)
{
    const struct hs_capacity_tree *rooms = &s->gpu_tree;
    bool is_one = q->gpus == 1;
    uint32_t best = HS_NO_GPU, looked = 0;
    uint64_t best_pm = UINT64_MAX;
    s->pick_count = 1;
    for (uint32_t gpu = hs_capacity_tree_first(rooms, q->pool, 0, need);
         gpu != HS_NO_CAPACITY && looked < LOOK;
         gpu = hs_capacity_tree_next(rooms, q->pool, gpu, need)) {
        uint32_t node = hs_view_gpu_node(s->v, gpu);
        if (!hs_view_may_use(s->v, q->job, node) ||
            hs_view_node_workers(s->v, q->job, node) < q->gpus ||
            (is_one && !may_open(s, gpu, q->need)))
            continue;
        uint64_t sum_pm = is_one ? hs_view_gpu_util_pm(s->v, gpu, 0) : pick_of_node(s, q, node);
        if (s->pick_count < q->gpus)
            continue;
        if (sum_pm < best_pm || (sum_pm == best_pm && is_gpu_before(s, gpu, best))) {
            best = gpu;
            best_pm = sum_pm;
        }
        looked++;
    }
    if (best != HS_NO_GPU && !is_one)
        (void)pick_of_node(s, q, hs_view_gpu_node(s->v, best));
    else
        s->picks[0] = best;
    return best != HS_NO_GPU;
}

/* Picks any GPUs, in order of nodes, for a gang larger than a node. O(GPUs), if enough may have
 * room. */
static bool pick_anywhere(struct hs_salus *s, const struct admit_search *q, uint64_t need_mib)
{
    uint32_t count = 0;
    if (hs_view_free_gpus(s->v, hs_view_vc(s->v, q->job)) +
            hs_salus_open_gpus(s, q->pool, need_mib) <
        q->gpus)
        return false;
    for (uint32_t i = 0; i < s->v->nodes && count < q->gpus; i++) {
        const uint32_t node = s->nodes[i].job;
        if (!hs_view_may_use(s->v, q->job, node))
            continue;
        uint32_t id = hs_view_node(s->v, node)->first_gpu,
                 end = id + hs_view_node(s->v, node)->gpus;
        uint32_t workers = hs_view_node_workers(s->v, q->job, node);
        for (; id < end && workers > 0 && count < q->gpus; id++)
            if (may_open(s, id, q->need)) {
                s->picks[count++] = id;
                workers--;
            }
    }
    s->pick_count = count;
    return count == q->gpus;
}

/* ---- open lanes ---- */

static bool may_use_all(struct hs_salus *s, const struct admit_search *q,
                        const struct hs_salus_lane *lane)
{
    uint32_t last = HS_NO_NODE, workers = 0;
    for (uint32_t at = lane->first_slot; at != 0; at = s->slots[at].next_of_job) {
        uint32_t node = hs_view_gpu_node(s->v, s->slots[at].gpu);
        if (node != last) {
            last = node;
            workers = hs_view_node_workers(s->v, q->job, node);
        }
        if (workers-- == 0 || !hs_view_may_use(s->v, q->job, node))
            return false;
    }
    return true;
}

/* Tells whether Salus prefers lane a to lane b; both are on the same GPUs and fit. */
static bool is_better(struct hs_salus *s, const struct admit_search *q, uint32_t a, uint32_t b)
{
    const struct hs_salus_lane *x = &s->lanes[a], *y = &s->lanes[b];
    struct hs_capacity all = hs_salus_clip(q->need, x->capacity_mib);
    int64_t rest_mib = (int64_t)(all.of[HS_SALUS_ALL] - all.of[HS_SALUS_KEPT]);
    int64_t x_mib = s->model == HS_SALUS_CODE ? x->cut_mib : x->size_mib;
    int64_t y_mib = s->model == HS_SALUS_CODE ? y->cut_mib : y->size_mib;
    bool x_grows = s->model == HS_SALUS_PAPER && x_mib < rest_mib;
    bool y_grows = s->model == HS_SALUS_PAPER && y_mib < rest_mib;
    if (x_grows != y_grows)
        return y_grows;
    return x_mib != y_mib ? x_mib < y_mib : a < b;
}

/* Tells whether no other lane of the same GPUs is preferable. */
static bool is_best_there(struct hs_salus *s, const struct admit_search *q, uint32_t id)
{
    const struct hs_salus_lane *lane = &s->lanes[id];
    for (uint32_t at = s->on.on_gpu[s->slots[lane->first_slot].gpu]; at != 0;
         at = s->slots[at].next_on_gpu) {
        uint32_t other = s->slots[at].job, x = lane->first_slot, y = s->lanes[other].first_slot;
        if (other == id || s->lanes[other].gpus != lane->gpus)
            continue;
        while (x != 0 && s->slots[x].gpu == s->slots[y].gpu) {
            x = s->slots[x].next_of_job;
            y = s->slots[y].next_of_job;
        }
        if (x == 0 && hs_salus_fits(s, other, q->need) && is_better(s, q, other, id))
            return false;
    }
    return true;
}

static uint32_t lane_to_join(struct hs_salus *s, const struct admit_search *q)
{
    struct hs_capacity need = hs_salus_clip(q->need, s->least_capacity_mib);
    uint32_t best = HS_NO_LANE, looked = 0;
    uint64_t best_pm = 0;
    for (uint32_t id =
             hs_capacity_tree_first(&s->lane_tree, q->pool, (uint64_t)q->gpus << 32, need);
         id != HS_NO_CAPACITY && s->lanes[id].gpus == q->gpus && looked < LOOK;
         id = hs_capacity_tree_next(&s->lane_tree, q->pool, id, need)) {
        if (best != HS_NO_LANE && s->lanes[id].members > s->lanes[best].members)
            break;
        if (!hs_salus_fits(s, id, q->need) || !may_use_all(s, q, &s->lanes[id]) ||
            !is_best_there(s, q, id))
            continue;
        uint64_t util_pm = 0; /* sum over its GPUs */
        for (uint32_t at = s->lanes[id].first_slot; at != 0; at = s->slots[at].next_of_job)
            util_pm += hs_view_gpu_util_pm(s->v, s->slots[at].gpu, 0);
        if (best == HS_NO_LANE || util_pm < best_pm) {
            best = id;
            best_pm = util_pm;
        }
        looked++;
    }
    return best;
}

/* Start-up time of a job that never ran, in addition to what the run charges. */
static int64_t startup_us_of(const struct hs_salus *s, hs_job_id job)
{
    int64_t by_model_us = s->startup_by == HS_SALUS_BY_MODEL ? hs_view_restart_us(s->v, job) : -1;
    if (hs_view_state(s->v, job) != HS_JOB_PENDING) /* it was charged before */
        return 0;
    return by_model_us >= 0 ? by_model_us : s->startup_us;
}

/* Appends the start of an admitted job; starts_waiting: as a paused job. */
static void start(const struct hs_salus *s, hs_job_id job)
{
    const struct hs_salus_job *j = hs_salus_job(s, job);
    const struct hs_salus_lane *lane = &s->lanes[j->lane - 1];
    const struct hs_turn turn = {
        .slice_group = j->lane, .keeps = HS_KEEPS_PERSISTENT, .is_waiting = j->starts_waiting};
    int64_t startup_us = startup_us_of(s, job);
    hs_plan_reason(s->p, lane->members > 1 ? "into a lane of others: no room for one of its own"
                                           : "room for a lane of its own");
    if (startup_us > 0)
        hs_plan_add_overhead(s->p, job, startup_us);
    hs_plan_start(s->p, job);
    hs_plan_slice_group(s->p, &turn);
    for (uint32_t slot = lane->first_slot; slot != 0; slot = s->slots[slot].next_of_job)
        hs_plan_on_gpu(s->p, s->slots[slot].gpu);
}

/* Where a job may be: on idle GPUs, before on GPUs with lanes, before in a lane of others. */
enum stage { STAGE_IDLE, STAGE_LANES, STAGE_JOIN };

/* lane: to join. */
static bool search_stage(struct hs_salus *s, const struct admit_search *q, enum stage stage,
                         uint32_t *lane)
{
    s->pick_count = 0;
    if (stage == STAGE_IDLE)
        return pick_idle(s, q);
    if (stage == STAGE_JOIN)
        return (*lane = lane_to_join(s, q)) != HS_NO_LANE;
    struct hs_capacity least = hs_salus_clip(q->need, s->least_capacity_mib);
    uint64_t need_mib = least.of[HS_SALUS_ALL];
    const struct hs_capacity need = {{need_mib, need_mib}};
    bool is_of_node = q->gpus <= hs_view_node_size(s->v, q->job, UINT32_MAX) || q->gpus == 1;
    return is_of_node ? pick_least(s, q, need) : pick_anywhere(s, q, need_mib);
}

/* Puts the job into a lane and its start into the plan. Returns false, with nothing changed, if no
 * lane has room. All types at a stage before the next stage. */
static bool place(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    struct admit_search q = {.job = job,
                             .need = &j->need,
                             .gpus = hs_view_gpus(s->v, job),
                             .pool = s->pool_count > 1 ? hs_view_vc(s->v, job) : 0};
    uint32_t lane = HS_NO_LANE;
    bool is_found = false;
    if (hs_view_quota_room(s->v, hs_view_vc(s->v, job)) < q.gpus)
        return false;
    for (int i = STAGE_IDLE; i <= (q.need->is_alone ? STAGE_IDLE : STAGE_JOIN) && !is_found; i++) {
        struct hs_type_turns turns = hs_type_turns(s->v, job, s->types);
        while (hs_next_type(&turns, s->v, is_found)) {
            q.type = turns.type;
            is_found = search_stage(s, &q, (enum stage)i, &lane);
        }
    }
    if (!is_found)
        return false;
    if (lane == HS_NO_LANE) {
        uint32_t *gpus = s->picks;
        for (uint32_t i = 1; i < s->pick_count; i++) { /* sort ascending, as in all lanes */
            uint32_t gpu = gpus[i], at = i;
            for (; at > 0 && gpus[at - 1] > gpu; at--)
                gpus[at] = gpus[at - 1];
            gpus[at] = gpu;
        }
        hs_salus_lane_open(s, job, gpus, s->pick_count);
    } else {
        hs_salus_lane_join(s, job, lane);
    }
    j->is_ready = startup_us_of(s, job) + hs_view_cost_left_us(s->v, job) == 0;
    j->starts_waiting = !j->is_ready || lane != HS_NO_LANE;
    start(s, job);
    return true;
}

/* ---- demand classes ---- */

static bool is_same_demand(const struct hs_salus *s, hs_job_id a, hs_job_id b)
{
    const struct hs_salus_need *x = &hs_salus_job(s, a)->need, *y = &hs_salus_job(s, b)->need;
    return hs_view_gpus(s->v, a) == hs_view_gpus(s->v, b) && x->kept_mib == y->kept_mib &&
           x->all_mib == y->all_mib && x->peak_mib == y->peak_mib && x->is_alone == y->is_alone &&
           hs_view_asks_same(s->v, a, b);
}

static bool add_to_class(struct hs_salus *s, hs_job_id job)
{
    const struct hs_salus_need *need = &hs_salus_job(s, job)->need;
    uint64_t hash = hs_view_ask_hash(s->v, job) ^ hs_job_queue_mix(hs_view_gpus(s->v, job));
    hash = hash * 31 + hs_job_queue_mix((uint64_t)need->all_mib);
    hash = hash * 31 + hs_job_queue_mix((uint64_t)need->kept_mib << 1 | need->is_alone);
    uint32_t vc = hs_view_vc(s->v, job);
    /* its own class, an unused one with its hash, or a free place */
    struct hs_salus_demand_class *class = NULL;
    for (uint32_t i = 0; i < PROBES; i++) {
        struct hs_salus_demand_class *at = &s->classes[(hash + i) % CLASSES];
        bool is_its_own =
            at->is_used && at->hash == hash && at->vc == vc &&
            (at->jobs.count == 0 || is_same_demand(s, job, hs_job_queue_first(&at->jobs)));
        if (is_its_own || (!at->is_used && class == NULL))
            class = at;
        if (is_its_own)
            break;
    }
    if (class == NULL) /* no free place near the hash */
        return false;
    uint32_t number = (uint32_t)(class - s->classes) + 1;
    if (!class->is_used) {
        *class = (struct hs_salus_demand_class){
            .hash = hash, .vc = vc, .next = s->first_class[vc], .is_used = true};
        s->first_class[vc] = number;
    }
    hs_job_queue_add(&class->jobs, s->v, job, 0);
    hs_salus_job(s, job)->demand_class = number;
    return true;
}

/* ---- blocked jobs ---- */

static void block(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    j->least = hs_salus_clip(&j->need, s->least_capacity_mib);
    if (s->model == HS_SALUS_CODE) /* a lane has room for the whole demand or none */
        j->least.of[HS_SALUS_KEPT] = 0;
    if (s->poll_us > 0 || s->v->ties_are_drawn || s->types == HS_TYPES_MATCH ||
        !add_to_class(s, job))
        hs_job_queue_add(&s->blocked[hs_view_vc(s->v, job)], s->v, job, 0);
}

static void unblock(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    if (j->demand_class != 0)
        hs_job_queue_remove(&s->classes[j->demand_class - 1].jobs, s->v, job);
    else if (hs_job_queue_has(s->v, job))
        hs_job_queue_remove(&s->blocked[hs_view_vc(s->v, job)], s->v, job);
    j->demand_class = 0;
}

void hs_salus_queue_add(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    j->need = hs_salus_need(s, job);
    j->is_fresh = true;
    hs_vc_queues_add(&s->waiting, s->v, job, 0);
}

void hs_salus_queue_remove(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    if (j->is_fresh)
        hs_vc_queues_remove(&s->waiting, s->v, job);
    else if (!s->is_plain)
        unblock(s, job);
    j->is_fresh = false;
}

/* ---- which blocked jobs may fit ---- */

/* A scan over the jobs of a VC. */
struct scan {
    uint32_t vc, pool;
    struct hs_merge_heap heads; /* next job of each class (by number); 0: of no class */
    bool is_idle; /* the pool is idle: all jobs are tried, to reject those that never fit */
    bool is_all;  /* memory was freed on unlisted nodes, or under a quota */
};

static void look_at_pool(struct hs_salus *s, struct scan *x)
{
    const struct hs_salus_pool *pool = &s->pools[x->pool];
    x->is_idle = hs_view_free_gpus(s->v, x->vc) == hs_view_total_gpus(s->v, x->vc);
    x->is_all = pool->freed_count > HS_SALUS_FREED || x->is_idle || s->types != HS_TYPES_ANY ||
                hs_view_quota(s->v, x->vc) != UINT64_MAX;
}

static bool may_fit_node(struct hs_salus *s, hs_job_id job, uint32_t node)
{
    const struct hs_salus_need *need = &hs_salus_job(s, job)->need;
    uint64_t least_mib = hs_salus_job(s, job)->least.of[HS_SALUS_ALL];
    uint32_t first = hs_view_node(s->v, node)->first_gpu, gpus = hs_view_gpus(s->v, job), open = 0;
    for (uint32_t gpu = first; gpu < first + hs_view_node(s->v, node)->gpus; gpu++) {
        open += hs_salus_free_mib(s, gpu) >= least_mib && may_open(s, gpu, need);
        for (uint32_t at = s->on.on_gpu[gpu]; at != 0; at = s->slots[at].next_on_gpu)
            if (s->lanes[s->slots[at].job].gpus == gpus && hs_salus_fits(s, s->slots[at].job, need))
                return true;
    }
    return open >= gpus;
}

static bool may_fit(struct hs_salus *s, const struct scan *x, hs_job_id job)
{
    const struct hs_salus_pool *pool = &s->pools[x->pool];
    const struct hs_capacity least = hs_salus_job(s, job)->least;
    uint32_t gpus = hs_view_gpus(s->v, job);
    if (x->is_idle || (!x->is_all && pool->freed_count == 0))
        return x->is_idle;
    if (gpus > hs_view_node_size(s->v, job, UINT32_MAX)) { /* a gang over several nodes */
        if (hs_view_free_gpus(s->v, x->vc) +
                hs_salus_open_gpus(s, x->pool, least.of[HS_SALUS_ALL]) >=
            gpus)
            return true;
        uint32_t lane = hs_capacity_tree_first(&s->lane_tree, x->pool, (uint64_t)gpus << 32, least);
        return lane != HS_NO_CAPACITY && s->lanes[lane].gpus == gpus;
    }
    if (x->is_all || gpus > WIDEST)
        return true;
    bool may = false;
    for (uint32_t i = 0; i < pool->freed_count && !may; i++)
        may = may_fit_node(s, job, pool->freed[i]);
    return may;
}

/* ---- admission ---- */

/* Tells whether the estimate exceeds the memory of every GPU. */
static bool is_too_large(const struct hs_salus *s, hs_job_id job)
{
    const struct hs_salus_need *need = &hs_salus_job(s, job)->need;
    return hs_view_gpus(s->v, job) > 0 && !need->is_alone && need->peak_mib > s->most_capacity_mib;
}

/* Rejects a job that can never be admitted. */
static bool reject(const struct hs_salus *s, hs_job_id job)
{
    bool exceeds = is_too_large(s, job);
    if (hs_view_state(s->v, job) != HS_JOB_PENDING || (!exceeds && !hs_pool_is_idle(s->v, job)))
        return false;
    hs_salus_job(s, job)->reason = exceeds
                                       ? "it needs more GPU memory than lanes may have of any GPU"
                                       : "the placement rule cannot place it even on idle nodes";
    hs_plan_reject(s->p, job, hs_salus_job(s, job)->reason);
    return true;
}

/* Returns true if the job left the queue: it was started or rejected. */
static bool admit(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    hs_plan_reason(s->p, NULL);
    if (hs_view_gpus(s->v, job) == 0) {
        if (!hs_place(s->v, s->p, job, (struct hs_place_rule){.placer = HS_PLACE_COUNT}))
            return false;
    } else if (place(s, job)) {
        hs_salus_came(s, job);
    } else if (!reject(s, job)) {
        return false;
    }
    j->is_candidate = true;
    j->next_candidate = HS_NO_JOB;
    if (s->last_candidate == HS_NO_JOB)
        s->first_candidate = job;
    else
        hs_salus_job(s, s->last_candidate)->next_candidate = job;
    s->last_candidate = job;
    return true;
}

/* ---- scans ---- */

/* Returns the next job of a class (0: of the jobs without a class) that may fit. If one job of a
 * class does not fit, no other of the class does. */
static hs_job_id next_of(struct hs_salus *s, const struct scan *x, uint32_t class, hs_job_id after)
{
    const struct hs_job_queue *jobs = class > 0 ? &s->classes[class - 1].jobs : &s->blocked[x->vc];
    hs_job_id job =
        after == HS_NO_JOB ? hs_job_queue_first(jobs) : hs_job_queue_next(jobs, s->v, after);
    while (job != HS_NO_JOB && !may_fit(s, x, job))
        job = class > 0 ? HS_NO_JOB : hs_job_queue_next(jobs, s->v, job);
    return job;
}

static void begin_scan(struct hs_salus *s, struct scan *x)
{
    for (uint32_t *link = &s->first_class[x->vc]; *link != 0;) {
        struct hs_salus_demand_class *class = &s->classes[*link - 1];
        if (class->jobs.count == 0) {
            *link = class->next;
            class->is_used = false;
        } else {
            link = &class->next;
        }
    }
    look_at_pool(s, x);
    uint32_t class = 0;
    do {
        hs_job_id job = next_of(s, x, class, HS_NO_JOB);
        if (job != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, s->v, (struct hs_merge_head){job, class});
        class = class == 0 ? s->first_class[x->vc] : s->classes[class - 1].next;
    } while (class != 0);
}

/* Tries the first blocked job and replaces it in the heap by its successor. */
static bool try_blocked(struct hs_salus *s, struct scan *x)
{
    struct hs_merge_head head = x->heads.at[0];
    hs_job_id job = head.job;
    bool is_out = (head.set != 0 || may_fit(s, x, job)) && admit(s, job);
    if (is_out)
        look_at_pool(s, x);
    head.job = head.set == 0 || is_out ? next_of(s, x, head.set, job) : HS_NO_JOB;
    if (is_out)
        unblock(s, job);
    hs_merge_heap_replace_first(&x->heads, s->v, head);
    return is_out;
}

/* Tries fresh and blocked jobs of a VC in order. Returns false if it ended, because of `poll`, at
 * an admitted job with others left. */
static bool scan_vc(struct hs_salus *s, uint32_t vc)
{
    const struct hs_job_queue *fresh = &s->waiting.by_vc[vc];
    struct scan x = {.vc = vc,
                     .pool = s->pool_count > 1 ? vc : 0,
                     .heads = {.at = s->heads, .order = s->blocked}};
    begin_scan(s, &x);
    for (;;) {
        hs_job_id first = hs_job_queue_first(fresh);
        hs_job_id blocked = x.heads.count > 0 ? x.heads.at[0].job : HS_NO_JOB;
        if (first == HS_NO_JOB && blocked == HS_NO_JOB)
            return true;
        bool is_fresh_next =
            first != HS_NO_JOB &&
            (blocked == HS_NO_JOB || hs_job_queue_is_before(fresh, s->v, first, blocked));
        bool is_out = is_fresh_next ? admit(s, first) : try_blocked(s, &x);
        if (is_fresh_next)
            hs_salus_queue_remove(s, first);
        if (is_fresh_next && !is_out)
            block(s, first);
        if (is_out && s->poll_us > 0)
            return fresh->count == 0 && x.heads.count == 0;
    }
}

/* Serves a VC without lanes: in order, until a job does not fit. */
static bool serve_vc(struct hs_salus *s, uint32_t vc)
{
    const struct hs_job_queue *queue = &s->waiting.by_vc[vc];
    while (queue->count > 0) {
        hs_job_id job = hs_job_queue_first(queue);
        int64_t startup_us = hs_view_gpus(s->v, job) > 0 ? startup_us_of(s, job) : 0;
        hs_plan_reason(s->p, NULL);
        bool is_placed =
            !is_too_large(s, job) &&
            hs_place(s->v, s->p, job,
                     (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE, .types = s->types});
        if (is_placed && startup_us > 0)
            hs_plan_add_overhead(s->p, job, startup_us);
        if (!is_placed && !reject(s, job))
            break;
        hs_salus_queue_remove(s, job);
        if (s->poll_us > 0)
            return queue->count == 0;
    }
    return true;
}

void hs_salus_queue_scan(struct hs_salus *s)
{
    if (!s->is_awake || (s->poll_us > 0 && hs_view_now_us(s->v) % s->poll_us != 0))
        return;
    bool is_over = true;
    for (uint32_t vc = 0; vc < s->waiting.vcs; vc++)
        is_over = (s->is_plain ? serve_vc : scan_vc)(s, vc) && is_over;
    s->is_awake = !is_over;
    for (uint32_t pool = 0; is_over && pool < s->pool_count; pool++)
        s->pools[pool].freed_count = 0;
}

void hs_salus_queue_repeat(struct hs_salus *s)
{
    for (hs_job_id j = s->first_candidate; j != HS_NO_JOB; j = hs_salus_job(s, j)->next_candidate) {
        if (hs_salus_job(s, j)->reason != NULL)
            hs_plan_reject(s->p, j, hs_salus_job(s, j)->reason);
        else if (hs_salus_job(s, j)->lane == 0)
            hs_plan_start(s->p, j);
        else
            start(s, j);
    }
}

/* ---- invariants ---- */

const char *hs_salus_queue_check(const struct hs_salus *s)
{
    const char *broken = hs_vc_queues_check(&s->waiting, s->v);
    for (uint32_t vc = 0; vc < s->waiting.vcs && !s->is_plain && broken == NULL; vc++) {
        if (s->waiting.by_vc[vc].count > 0 && !s->is_awake)
            return "a job that came was not looked at";
        broken = hs_waiting_check(&s->blocked[vc], s->v);
    }
    for (uint32_t i = 0; i < CLASSES && !s->is_plain && broken == NULL; i++) {
        const struct hs_job_queue *jobs = &s->classes[i].jobs;
        hs_job_id first = hs_job_queue_first(jobs);
        broken = hs_waiting_check(jobs, s->v);
        for (hs_job_id j = first; j != HS_NO_JOB; j = hs_job_queue_next(jobs, s->v, j))
            if (!is_same_demand(s, j, first))
                return "a blocked job is in the class of another demand";
    }
    return broken;
}
