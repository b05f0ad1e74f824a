/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The jobs of each server: rings and groups, the sums and indexes that are kept of them, and what
 * the plan says when a job gets GPUs or gives them up. O(1) for a ring, and for a group O(members).
 */
#include <string.h>

#include "policies/gandiva/gandiva.h"

uint32_t hs_gandiva_pool_of(const struct hs_gandiva *g, hs_job_id job)
{
    return g->pool_count > 1 ? hs_view_vc(g->v, job) : 0;
}

bool hs_gandiva_has_workers(const struct hs_gandiva *g, hs_job_id job, uint32_t server,
                            uint32_t gpus)
{
    return !hs_view_is_constrained(g->v, job) || hs_view_node_workers(g->v, job, server) >= gpus;
}

/* ---- servers in order of (key, number) ---- */

/* A change of a key moves the entries between the old and the new place, 16 bytes each; up to ten
 * thousand servers that costs less than a B+ tree. */
#define IS_OUT UINT64_MAX

static void index_init(struct hs_gandiva_index *set, const struct hs_view *v, uint64_t servers,
                       const uint32_t *ranks)
{
    set->ranks = ranks;
    set->at = hs_view_alloc(v, servers * sizeof *set->at);
    set->keys = hs_view_alloc(v, servers * sizeof *set->keys);
    for (uint64_t i = 0; i < servers; i++)
        set->keys[i] = IS_OUT;
}

/* How many of the first `count` entries are before (key, rank). Branches would be unpredictable:
 * each step is a sum. */
static uint32_t count_before(const struct hs_gandiva_index *set, uint32_t count, uint64_t key,
                             uint32_t rank)
{
    uint32_t before = 0;
    for (; count > 0; count /= 2) {
        uint32_t half = (count + 1) / 2;
        const struct hs_gandiva_entry *last = &set->at[before + half - 1];
        before +=
            half * ((uint32_t)(last->key < key) |
                    ((uint32_t)(last->key == key) & (uint32_t)(set->ranks[last->server] < rank)));
    }
    return before;
}

/* Gives a server its key, or takes it out: IS_OUT. O(servers between its two places). */
static void index_set(struct hs_gandiva_index *set, uint32_t server, uint64_t key)
{
    struct hs_gandiva_entry *at = set->at;
    uint64_t old = set->keys[server];
    uint32_t count = set->count;
    if (old == key)
        return;
    set->keys[server] = key;
    uint32_t from =
        old != IS_OUT ? count_before(set, count, old, set->ranks[server]) : set->count++;
    uint32_t to = key != IS_OUT ? count_before(set, count, key, set->ranks[server]) : set->count;
    if (to > from) {
        to--; /* its old place becomes free */
        memmove(&at[from], &at[from + 1], (to - from) * sizeof *at);
    } else {
        memmove(&at[to + 1], &at[to], (from - to) * sizeof *at);
    }
    at[to] = (struct hs_gandiva_entry){.key = key, .server = server};
    set->count -= key == IS_OUT;
}

uint32_t hs_gandiva_index_from(const struct hs_gandiva_index *set, uint64_t key)
{
    return count_before(set, set->count, key, 0);
}

/* ---- indexes and sums ---- */

/* The order of servers where all else is equal: their numbers, or by types != any the names of
 * their GPU types, then their kinds, so that the order of the groups of nodes does not matter. */
static const uint32_t *ranks_of(const struct hs_gandiva *g)
{
    const uint32_t nodes = g->v->nodes, types = g->types != HS_TYPES_ANY ? g->v->gpu_types : 0;
    uint32_t *ranks = hs_view_alloc(g->v, nodes * sizeof *ranks);
    struct hs_job_place *order = hs_view_alloc(g->v, nodes * sizeof *order);
    for (uint32_t i = 0; i < nodes; i++) {
        const char *name = hs_view_gpu_type(g->v, hs_view_node(g->v, i)->type)->name;
        uint64_t before = 0; /* types, by name */
        for (uint32_t t = 0; t < types; t++)
            before += strcmp(hs_view_gpu_type(g->v, t)->name, name) < 0;
        order[i] = (struct hs_job_place){
            .key = (int64_t)((before << 52) + hs_place_kind(g->v, g->types, i)),
            .rank = i,
            .job = i};
    }
    hs_sort(order, nodes);
    for (uint32_t i = 0; i < nodes; i++)
        ranks[order[i].job] = i;
    return ranks;
}

/* Also scratch for the units of a server: their GPUs are at most max_height times its own and one
 * for each of their trials; if all groups were broken up, each would be as many units as it had
 * members. */
void hs_gandiva_servers_init(struct hs_gandiva *g)
{
    uint64_t n = g->server_count = g->v->nodes, all_gpus = 0;
    uint64_t units = ((uint64_t)g->max_height + 1) * (uint64_t)g->max_pack * g->widest;
    g->servers = hs_view_alloc(g->v, n * sizeof *g->servers);
    g->dirty = hs_view_alloc(g->v, n * sizeof *g->dirty);
    g->gained = hs_view_alloc(g->v, n * sizeof *g->gained);
    g->span_nodes = hs_view_alloc(g->v, n * sizeof *g->span_nodes);
    g->span_gpus = hs_view_alloc(g->v, n * sizeof *g->span_gpus);
    g->narrowest = g->widest;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t gpus = hs_view_node(g->v, i)->gpus;
        all_gpus += gpus;
        g->narrowest = gpus < g->narrowest ? gpus : g->narrowest;
        g->servers[i] = (struct hs_gandiva_server){
            .gpus = gpus,
            .first_gpu = hs_view_node(g->v, i)->first_gpu,
            .ring = hs_job_chain_empty(offsetof(struct hs_gandiva_job, ring))};
    }
    const uint32_t *ranks = ranks_of(g);
    index_init(&g->by_height, g->v, n, ranks);
    index_init(&g->by_free, g->v, n, ranks);
    index_init(&g->unlabelled, g->v, n, ranks);
    index_init(&g->by_excess, g->v, n, ranks);
    g->turns = hs_view_alloc(g->v, units * sizeof *g->turns);
    g->movers = hs_view_alloc(g->v, units * sizeof *g->movers);
    g->targets = hs_view_alloc(g->v, units * sizeof *g->targets);
    g->pin_next = hs_view_alloc(g->v, all_gpus * sizeof *g->pin_next);
    g->pin_owner = hs_view_alloc(g->v, all_gpus * sizeof *g->pin_owner);
    for (uint32_t i = 0; i < g->pool_count; i++)
        g->pools[i].gpus = g->pool_count > 1 ? hs_view_total_gpus(g->v, i) : all_gpus;
}

static uint32_t in_key(int64_t free_gpus)
{
    return (uint32_t)(free_gpus + INT64_C(0x80000000));
}

uint64_t hs_gandiva_free_key(uint32_t pool, int64_t free_gpus)
{
    return (uint64_t)pool << 32 | in_key(free_gpus);
}

uint64_t hs_gandiva_class_key(const struct hs_gandiva *g, uint32_t pool, uint32_t size)
{
    return ((uint64_t)pool * (g->widest + 1) + size) << 32;
}

static void index_server(struct hs_gandiva *g, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    bool is_opened = !hs_gandiva_is_empty(s);
    int64_t free_gpus = hs_gandiva_free(s);
    uint32_t least = 0; /* smallest gang that is a unit of its own; 0 = all units are groups */
    uint64_t by_free = UINT64_MAX, unlabelled = UINT64_MAX, by_height = UINT64_MAX;
    uint64_t by_excess = UINT64_MAX;
    for (hs_job_id u = free_gpus < 0 && g->migrates ? s->ring.first : HS_NO_JOB; u != HS_NO_JOB;
         u = hs_gandiva_job(g, u)->ring.after) {
        uint32_t gpus = hs_view_gpus(g->v, u);
        if (hs_gandiva_job(g, u)->members == 1 && (least == 0 || gpus < least))
            least = gpus;
    }
    if (is_opened)
        by_free = hs_gandiva_free_key(s->pool, free_gpus);
    if (is_opened && s->affinity == 0 && free_gpus > 0)
        unlabelled = hs_gandiva_class_key(g, s->pool, (uint32_t)free_gpus) | s->gpus;
    if (is_opened && s->affinity > 0 && s->affinity <= g->widest) /* 2^-20 tells fractions apart */
        by_height =
            hs_gandiva_class_key(g, s->pool, s->affinity) | ((uint64_t)s->demand << 20) / s->gpus;
    if (least > 0)
        by_excess = hs_gandiva_class_key(g, s->pool, least) | in_key(free_gpus);
    index_set(&g->by_free, server, by_free);
    index_set(&g->unlabelled, server, unlabelled);
    index_set(&g->by_height, server, by_height);
    index_set(&g->by_excess, server, by_excess);
}

void hs_gandiva_refresh(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    struct hs_gandiva_pool *pool = &g->pools[s->pool];
    int64_t free_gpus = hs_gandiva_free(s);
    bool is_over = free_gpus < 0, is_opened = !hs_gandiva_is_empty(s);
    if (!is_opened) {
        s->affinity = 0;
        s->may_burst = false;
    }
    pool->opened_gpus -= s->counted_gpus;
    pool->free_gpus -= s->counted_free;
    pool->sliced_jobs -= s->counted_jobs;
    s->counted_gpus = is_opened ? s->gpus : 0;
    s->counted_free = is_opened && free_gpus > 0 ? (uint32_t)free_gpus : 0;
    s->counted_jobs = is_over ? s->jobs : 0;
    pool->opened_gpus += s->counted_gpus;
    pool->free_gpus += s->counted_free;
    pool->sliced_jobs += s->counted_jobs;
    pool->is_defrag_due = true;
    index_server(g, server);
    /* all jobs of a server that is sliced by shares are in its slice group, so none may need more
     * memory than a GPU has */
    if (is_over && !s->is_processor_sharing && s->gpus <= HS_GANDIVA_WIDEST && s->giants == 0 &&
        !s->may_burst && g->slicing != HS_SLICING_EXACT) {
        uint64_t sliced_jobs = 0;
        for (uint32_t i = 0; i < g->pool_count; i++)
            sliced_jobs += g->pools[i].sliced_jobs;
        s->is_processor_sharing =
            g->slicing == HS_SLICING_PROCESSOR_SHARING || sliced_jobs >= (uint64_t)g->fluid_above;
    }
    s->is_over = is_over;
    s->is_changed = true;
    hs_gandiva_touch(g, server);
}

void hs_gandiva_touch(struct hs_gandiva *g, uint32_t server)
{
    if (!g->servers[server].is_dirty)
        g->dirty[g->dirty_count++] = server;
    g->servers[server].is_dirty = true;
}

/* ---- rings ---- */

void hs_gandiva_to_tail(struct hs_gandiva *g, hs_job_id leader)
{
    struct hs_gandiva_server *s = &g->servers[hs_gandiva_job(g, leader)->server];
    hs_job_chain_remove(&s->ring, g->v, leader);
    hs_job_chain_insert(&s->ring, g->v, leader, s->ring.last);
}

/* Jobs that joined in this instant are to be the first of the ring, in their order. They are
 * there already, or at the tail, from where they are moved. Returns the last of them. */
static hs_job_id bring_batch_to_front(struct hs_gandiva_server *s, const struct hs_gandiva *g)
{
    int64_t now_us = hs_view_now_us(g->v);
    hs_job_id last = HS_NO_JOB, at = s->ring.first;
    for (; at != HS_NO_JOB && hs_gandiva_job(g, at)->joined_us == now_us;
         at = hs_gandiva_job(g, at)->ring.after)
        last = at;
    if (last != HS_NO_JOB)
        return last;
    while (s->ring.last != HS_NO_JOB && hs_gandiva_job(g, s->ring.last)->joined_us == now_us) {
        at = s->ring.last;
        last = last == HS_NO_JOB ? at : last;
        hs_job_chain_remove(&s->ring, g->v, at);
        hs_job_chain_insert(&s->ring, g->v, at, HS_NO_JOB);
    }
    return last;
}

void hs_gandiva_join(struct hs_gandiva *g, hs_job_id job, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    uint32_t gpus = hs_view_gpus(g->v, job);
    bool is_over = hs_gandiva_free(s) < (int64_t)gpus;
    s->pool = hs_gandiva_pool_of(g, job);
    j->where = HS_GANDIVA_ON_SERVER;
    j->server = server;
    j->leader = job;
    j->member = j->trial = HS_NO_JOB;
    j->members = 1;
    j->joined_us = hs_view_now_us(g->v);
    hs_job_chain_insert(&s->ring, g->v, job,
                        is_over && g->arrival_front ? bring_batch_to_front(s, g) : s->ring.last);
    s->demand += gpus;
    s->units++;
    s->jobs++;
    j->is_giant = g->slices && g->slicing != HS_SLICING_EXACT &&
                  !hs_gandiva_fits_gpu(g, s->first_gpu, hs_view_gpu_mem_mib(g->v, job));
    s->giants += j->is_giant;
    s->elastic += j->is_elastic;
    s->idle_since_us = hs_view_now_us(g->v);
    g->claimed[hs_view_vc(g->v, job)] += gpus;
    g->pools[s->pool].jobs++;
    hs_gandiva_refresh(g, server);
}

/* ---- groups ---- */

/* A member leaves a group of several; the rest is a group still, or a single job. The next member
 * takes the place of a leader. */
static void leave_group(struct hs_gandiva_server *s, const struct hs_gandiva *g, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job), *at = hs_gandiva_job(g, j->leader);
    if (j == at) {
        hs_job_id leader = j->member;
        at = hs_gandiva_job(g, leader);
        at->members = j->members;
        at->joined_us = j->joined_us;
        at->deadline_us = j->deadline_us;
        at->ended_us = j->ended_us;
        at->overshoot_us = j->overshoot_us;
        at->trial_until_us = j->trial_until_us;
        at->trial = j->trial;
        at->has_turn = j->has_turn;
        hs_job_chain_insert(&s->ring, g->v, leader, job);
        hs_job_chain_remove(&s->ring, g->v, job);
        for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member)
            hs_gandiva_job(g, m)->leader = leader;
    } else {
        while (at->member != job)
            at = hs_gandiva_job(g, at->member);
        at->member = j->member;
        at = hs_gandiva_job(g, j->leader);
    }
    at->members--;
    if (at->trial != HS_NO_JOB && (at->trial == job || at->members == 1)) {
        at->trial = HS_NO_JOB;
        s->trials--;
    }
    j->leader = job;
    j->member = j->trial = HS_NO_JOB;
    j->members = 1;
}

void hs_gandiva_merge(struct hs_gandiva *g, hs_job_id job, hs_job_id leader)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job), *l = hs_gandiva_job(g, leader), *last = l;
    struct hs_gandiva_server *s = &g->servers[j->server];
    hs_job_chain_remove(&s->ring, g->v, job);
    hs_job_chain_remove(&s->ring, g->v, leader); /* to the front, as a new job */
    hs_job_chain_insert(&s->ring, g->v, leader, HS_NO_JOB);
    while (last->member != HS_NO_JOB)
        last = hs_gandiva_job(g, last->member);
    last->member = job;
    j->leader = leader;
    j->is_regrouped = j->is_running;
    l->members++;
    l->trial = job;
    l->trial_until_us = 0;
    s->demand -= hs_view_gpus(g->v, job);
    s->units--;
    s->trials++;
    hs_gandiva_refresh(g, j->server);
}

/* The two units stand where the group stood, the job submitted first before the other. */
void hs_gandiva_split(struct hs_gandiva *g, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    struct hs_gandiva_server *s = &g->servers[j->server];
    hs_job_id leader = j->leader == job ? j->member : j->leader;
    leave_group(s, g, job);
    const struct hs_gandiva_job *l = hs_gandiva_job(g, leader);
    hs_job_chain_insert(&s->ring, g->v, job,
                        hs_job_queue_tie_is_before(g->v, job, leader) ? l->ring.before : leader);
    j->joined_us = l->joined_us;
    j->deadline_us = l->deadline_us;
    j->ended_us = j->overshoot_us = 0;
    j->has_turn = false;
    j->is_regrouped = j->is_running;
    s->demand += hs_view_gpus(g->v, job);
    s->units++;
    s->has_split = true;
    hs_gandiva_refresh(g, j->server);
}

/* ---- leaving ---- */

static void note_gain(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    if (!s->has_gained)
        g->gained[g->gained_count++] = server;
    s->has_gained = true;
    s->idle_since_us = hs_view_now_us(g->v);
    g->pools[s->pool].has_departure = g->pools[s->pool].has_gained = true;
    hs_gandiva_refresh(g, server);
}

void hs_gandiva_leave(struct hs_gandiva *g, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    struct hs_gandiva_server *s = &g->servers[j->server];
    uint32_t gpus = hs_view_gpus(g->v, job);
    if (j->where != HS_GANDIVA_ON_SERVER && j->where != HS_GANDIVA_SPREAD)
        return;
    if (j->where == HS_GANDIVA_ON_SERVER) {
        if (hs_gandiva_job(g, j->leader)->members > 1) {
            leave_group(s, g, job);
        } else {
            hs_job_chain_remove(&s->ring, g->v, job);
            s->demand -= gpus;
            s->units--;
        }
        s->jobs--;
        s->elastic -= j->is_elastic;
        s->giants -= j->is_giant;
        s->grown -= j->held > gpus ? j->held - gpus : 0;
        note_gain(g, j->server);
    } else {
        for (uint32_t gpu = j->first_pin, next; gpu != HS_NO_GPU; gpu = next) {
            uint32_t server = hs_view_gpu_node(g->v, gpu);
            next = g->pin_next[gpu];
            g->pin_owner[gpu] = 0;
            g->servers[server].demand--;
            g->servers[server].pinned--;
            if (next == HS_NO_GPU || hs_view_gpu_node(g->v, next) != server)
                note_gain(g, server);
        }
        if (gpus <= g->widest)
            hs_job_queue_remove(&g->spread, g->v, job);
    }
    g->claimed[hs_view_vc(g->v, job)] -= gpus;
    g->pools[hs_gandiva_pool_of(g, job)].jobs--;
    j->where = HS_GANDIVA_NOWHERE;
    j->is_running = j->is_awaited = j->has_turn = false;
    j->held = 0;
    j->gpu_bits = 0;
    j->deadline_us = j->ended_us = j->overshoot_us = 0;
}

/* ---- GPUs of a job ---- */

/* It holds so many GPUs from now on, which are none of those that it held. */
static void set_held(struct hs_gandiva *g, hs_job_id job, uint32_t count)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    struct hs_gandiva_server *s = &g->servers[j->server];
    uint32_t demand = hs_view_gpus(g->v, job);
    s->grown -= j->held > demand ? j->held - demand : 0;
    s->grown += count > demand ? count - demand : 0;
    j->held = count;
    j->gpu = HS_NO_GPU;
    j->gpu_bits = 0;
}

/* Its coscheduled set: that of the members of its group that run on the GPU, or a new one; 0, its
 * own, for a job that is not packed: its memory is not known, or ran out once. Under shares a
 * member that came from another unit is still in the set of that unit. */
static uint32_t set_number(struct hs_gandiva *g, hs_job_id job, uint32_t gpu)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    if (hs_view_ooms(g->v, job) > 0 || hs_view_gpu_mem_mib(g->v, job) == 0)
        return 0;
    for (hs_job_id id = j->leader; id != HS_NO_JOB; id = hs_gandiva_job(g, id)->member) {
        const struct hs_gandiva_job *m = hs_gandiva_job(g, id);
        if (m != j && m->is_running && m->gpu == gpu &&
            !(m->is_regrouped && g->servers[j->server].is_processor_sharing))
            return m->set;
    }
    return ++g->last_set;
}

/* Reason of a start or a restart; the caller of a migration gives its own. */
static const char *reason(const struct hs_gandiva *g, hs_job_id job, enum hs_gandiva_how how)
{
    const struct hs_gandiva_job *l = hs_gandiva_job(g, hs_gandiva_job(g, job)->leader);
    if (l->members > 1)
        return l->trial == job ? "packing trial: beside another job of its server"
                               : "packed with another job of its server";
    if (how == HS_GANDIVA_RESTART)
        return "the turns of its server are shared out anew";
    return hs_view_state(g->v, job) == HS_JOB_SUSPENDED ? "its turn on its server" : NULL;
}

/* Where servers may be sliced by shares, each job of a ring is in the slice group of its server
 * from its start on, so that it can be given a share later. */
void hs_gandiva_allocate(struct hs_gandiva *g, hs_job_id job, enum hs_gandiva_how how,
                         const uint32_t *gpus, uint32_t count)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    const struct hs_gandiva_server *s = &g->servers[j->server];
    if (how == HS_GANDIVA_MOVE || how == HS_GANDIVA_RESIZE) {
        hs_plan_migrate(g->p, job, hs_gandiva_pause_us(g, job, how == HS_GANDIVA_MOVE));
    } else {
        hs_plan_reason(g->p, reason(g, job, how));
        if (how == HS_GANDIVA_RESTART)
            hs_plan_suspend(g->p, job, g->switch_us);
        hs_plan_start(g->p, job);
    }
    if (g->slices && g->slicing != HS_SLICING_EXACT) {
        j->set = set_number(g, job, gpus != NULL ? gpus[0] : HS_NO_GPU);
        hs_plan_slice_group(g->p, &(struct hs_turn){.slice_group = j->server + 1,
                                                    .coscheduled_set = j->set,
                                                    .keeps = HS_KEEPS_NOTHING});
    }
    j->is_running = true;
    j->is_awaited = j->is_regrouped = false;
    j->share_q32 = HS_GANDIVA_ONE_Q32;
    j->touched = g->plan;
    set_held(g, job, count);
    for (uint32_t i = 0, gpu = 0; i < count; i++) {
        gpu = gpus != NULL ? gpus[i] : hs_view_idle_gpu(g->v, j->server, gpu);
        hs_plan_on_gpu(g->p, gpu);
        j->gpu = i == 0 ? gpu : j->gpu;
        if (s->gpus <= HS_GANDIVA_WIDEST)
            j->gpu_bits |= UINT64_C(1) << (gpu - s->first_gpu);
    }
}

void hs_gandiva_suspend(struct hs_gandiva *g, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    if (g->packs)
        hs_gandiva_measure(g, job);
    hs_plan_reason(g->p, "its turn is over: others of its server run");
    hs_plan_suspend(g->p, job, g->switch_us);
    set_held(g, job, 0);
    j->is_running = j->is_awaited = false;
    j->touched = g->plan;
}

/* A GB is 10^9 bytes: a MiB is 16384 / 15625000 of it. */
int64_t hs_gandiva_pause_us(const struct hs_gandiva *g, hs_job_id job, bool is_across)
{
    int64_t per_gb_us = is_across ? g->migrate_inter_us : g->migrate_intra_us;
    hs_i128 us = (hs_i128)hs_view_checkpoint_mib(g->v, job) * per_gb_us * 16384 / 15625000;
    return g->migrate_us + (int64_t)us;
}

/* ---- memory and rates ---- */

uint64_t hs_gandiva_unit_mib(const struct hs_gandiva *g, hs_job_id leader)
{
    uint64_t mib = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(g, m)->member)
        mib += hs_view_gpu_mem_mib(g->v, m);
    return mib;
}

bool hs_gandiva_fits_gpu(const struct hs_gandiva *g, uint32_t gpu, uint64_t mem_mib)
{
    uint32_t capacity_mib = hs_view_gpu_capacity_mib(g->v, gpu);
    return capacity_mib == UINT32_MAX || mem_mib <= capacity_mib;
}

bool hs_gandiva_is_overfull(const struct hs_gandiva *g, const struct hs_gandiva_server *s)
{
    bool is = false;
    for (hs_job_id u = s->may_burst ? s->ring.first : HS_NO_JOB; u != HS_NO_JOB && !is;
         u = hs_gandiva_job(g, u)->ring.after)
        is = !hs_gandiva_fits_gpu(g, s->first_gpu, hs_gandiva_unit_mib(g, u));
    return is;
}

void hs_gandiva_measure(const struct hs_gandiva *g, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    if (hs_view_state(g->v, job) != HS_JOB_RUNNING)
        return;
    uint64_t rate_q32 = (uint64_t)(((hs_u128)hs_view_rate_q32(g->v, job) << 32) / j->share_q32);
    if (hs_gandiva_job(g, j->leader)->members > 1)
        j->packed_q32 = rate_q32;
    else if (j->alone_q32 == 0)
        j->alone_q32 = rate_q32;
}
