/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who belongs to which server, the rings, and the indexes over servers. O(1) for the ring and
 * O(log servers) for the indexes; O(ring) where a server is in excess (its smallest gang is looked
 * up) and for the members of a group.
 */
#include "policies/kit_gandiva.h"

struct hs_gandiva_job *hs_gandiva_job(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

uint32_t hs_gandiva_pool_of(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    return g->pool_count > 1 ? hs_view_vc(v, job) : 0;
}

int64_t hs_gandiva_free(const struct hs_gandiva_server *s)
{
    return (int64_t)s->gpus - s->demand;
}

bool hs_gandiva_is_empty(const struct hs_gandiva_server *s)
{
    return s->units == 0 && s->pinned == 0;
}

bool hs_gandiva_is_usable(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                          uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    return s->gpus - s->pinned >= hs_view_gpus(v, job) && hs_view_may_use(v, job, server);
}

bool hs_gandiva_has_workers(const struct hs_view *v, hs_job_id job, uint32_t server, uint32_t gpus)
{
    return !hs_view_is_constrained(v, job) || hs_view_node_workers(v, job, server) >= gpus;
}

/* ---- indexes and sums ---- */

uint64_t hs_gandiva_free_key(uint32_t pool, int64_t free_gpus)
{
    return (uint64_t)pool << 32 | (uint64_t)(free_gpus + INT64_C(0x80000000));
}

uint64_t hs_gandiva_class_key(const struct hs_gandiva *g, uint32_t pool, uint32_t size)
{
    return ((uint64_t)pool * (g->widest + 1) + size) << 32;
}

/* Smallest gang of a job that is alone in its unit, and how many there are of it. */
static void find_least(const struct hs_view *v, struct hs_gandiva_server *s)
{
    s->least = s->least_count = 0;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        uint32_t gpus = hs_view_gpus(v, u);
        if (hs_gandiva_job(v, u)->members > 1 || (s->least_count > 0 && gpus > s->least))
            continue;
        s->least_count = gpus == s->least ? s->least_count + 1 : 1;
        s->least = gpus;
    }
}

static void count_single(struct hs_gandiva_server *s, uint32_t gpus)
{
    if (s->least_count > 0 && gpus > s->least)
        return;
    s->least_count = s->least_count > 0 && gpus == s->least ? s->least_count + 1 : 1;
    s->least = gpus;
}

/* They are not in the ring any more, or in a group. */
static void uncount_singles(const struct hs_view *v, struct hs_gandiva_server *s, uint32_t gpus,
                            uint32_t jobs)
{
    if (gpus != s->least)
        return;
    s->least_count -= jobs;
    if (s->least_count == 0)
        find_least(v, s);
}

static void index_server(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    bool is_opened = !hs_gandiva_is_empty(s);
    int64_t free_gpus = hs_gandiva_free(s);
    bool is_movable = free_gpus < 0 && g->migrates && s->least_count > 0;
    if (is_opened)
        hs_gandiva_index_set(&g->by_free, server, hs_gandiva_free_key(s->pool, free_gpus));
    else
        hs_gandiva_index_remove(&g->by_free, server);
    if (is_opened && s->affinity == 0 && free_gpus > 0)
        hs_gandiva_index_set(&g->unlabelled, server,
                             hs_gandiva_class_key(g, s->pool, (uint32_t)free_gpus) | s->gpus);
    else
        hs_gandiva_index_remove(&g->unlabelled, server);
    /* the height in 2^-20 tells all fractions apart */
    if (is_opened && s->affinity > 0 && s->affinity <= g->widest)
        hs_gandiva_index_set(&g->by_height, server,
                             hs_gandiva_class_key(g, s->pool, s->affinity) |
                                 ((uint64_t)s->demand << 20) / s->gpus);
    else
        hs_gandiva_index_remove(&g->by_height, server);
    if (is_movable)
        hs_gandiva_index_set(&g->by_excess, server,
                             hs_gandiva_class_key(g, s->pool, s->least) |
                                 (uint64_t)(free_gpus + INT64_C(0x80000000)));
    else
        hs_gandiva_index_remove(&g->by_excess, server);
}

static void count_server(struct hs_gandiva *g, struct hs_gandiva_server *s)
{
    struct hs_gandiva_pool *pool = &g->pools[s->pool];
    int64_t free_gpus = hs_gandiva_free(s);
    bool is_opened = !hs_gandiva_is_empty(s);
    pool->opened_gpus -= s->counted_gpus;
    pool->free_gpus -= s->counted_free;
    pool->sliced_jobs -= s->counted_jobs;
    s->counted_gpus = is_opened ? s->gpus : 0;
    s->counted_free = is_opened && free_gpus > 0 ? (uint32_t)free_gpus : 0;
    s->counted_jobs = free_gpus < 0 ? s->jobs : 0;
    pool->opened_gpus += s->counted_gpus;
    pool->free_gpus += s->counted_free;
    pool->sliced_jobs += s->counted_jobs;
    pool->is_defrag_due = true;
}

static uint64_t sliced_jobs(const struct hs_gandiva *g)
{
    uint64_t jobs = 0;
    for (uint32_t i = 0; i < g->pool_count; i++)
        jobs += g->pools[i].sliced_jobs;
    return jobs;
}

/* All of its jobs sit in its lane then, and none may need more than a GPU has. */
static bool may_go_by_shares(const struct hs_gandiva *g, const struct hs_gandiva_server *s)
{
    bool may = s->gpus <= HS_GANDIVA_WIDEST && s->giants == 0 && !s->may_burst;
    return may && (g->slicing == HS_SLICING_FLUID ||
                   (g->slicing == HS_SLICING_AUTO && sliced_jobs(g) >= (uint64_t)g->fluid_above));
}

void hs_gandiva_refresh(struct hs_gandiva *g, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    if (hs_gandiva_is_empty(s)) {
        s->affinity = 0;
        s->may_burst = false;
    }
    count_server(g, s);
    index_server(g, server);
    bool is_over = hs_gandiva_free(s) < 0;
    if (is_over && !s->is_fluid)
        s->is_fluid = may_go_by_shares(g, s);
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

/* Behind `after`, or at the head. */
static void ring_insert(struct hs_gandiva_server *s, const struct hs_view *v, hs_job_id leader,
                        hs_job_id after)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, leader);
    j->prev = after;
    j->next = after == HS_NO_JOB ? s->head : hs_gandiva_job(v, after)->next;
    if (j->prev == HS_NO_JOB)
        s->head = leader;
    else
        hs_gandiva_job(v, j->prev)->next = leader;
    if (j->next == HS_NO_JOB)
        s->tail = leader;
    else
        hs_gandiva_job(v, j->next)->prev = leader;
}

static void ring_remove(struct hs_gandiva_server *s, const struct hs_view *v, hs_job_id leader)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(v, leader);
    if (j->prev == HS_NO_JOB)
        s->head = j->next;
    else
        hs_gandiva_job(v, j->prev)->next = j->next;
    if (j->next == HS_NO_JOB)
        s->tail = j->prev;
    else
        hs_gandiva_job(v, j->next)->prev = j->prev;
}

void hs_gandiva_to_tail(struct hs_gandiva *g, const struct hs_view *v, hs_job_id leader)
{
    struct hs_gandiva_server *s = &g->servers[hs_gandiva_job(v, leader)->server];
    ring_remove(s, v, leader);
    ring_insert(s, v, leader, s->tail);
}

/* Those that came in this instant are to be the first of the ring, in their order: they are already
 * there, or at the tail. The last of them. */
static hs_job_id bring_batch_to_front(struct hs_gandiva_server *s, const struct hs_view *v)
{
    int64_t now_us = hs_view_now_us(v);
    hs_job_id last = HS_NO_JOB, at = s->head;
    while (at != HS_NO_JOB && hs_gandiva_job(v, at)->joined_us == now_us) {
        last = at;
        at = hs_gandiva_job(v, at)->next;
    }
    if (last != HS_NO_JOB)
        return last;
    while (s->tail != HS_NO_JOB && hs_gandiva_job(v, s->tail)->joined_us == now_us) {
        at = s->tail;
        last = last == HS_NO_JOB ? at : last;
        ring_remove(s, v, at);
        ring_insert(s, v, at, HS_NO_JOB);
    }
    return last;
}

static void claim(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    g->claimed[hs_view_vc(v, job)] += hs_view_gpus(v, job);
    g->pools[hs_gandiva_pool_of(g, v, job)].jobs++;
}

void hs_gandiva_join(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    bool is_over = hs_gandiva_free(s) < (int64_t)hs_view_gpus(v, job);
    s->pool = hs_gandiva_pool_of(g, v, job);
    j->where = HS_GANDIVA_ON_SERVER;
    j->server = server;
    j->leader = job;
    j->member = j->trial = HS_NO_JOB;
    j->members = 1;
    j->joined_us = hs_view_now_us(v);
    ring_insert(s, v, job, is_over && g->arrival_front ? bring_batch_to_front(s, v) : s->tail);
    s->demand += hs_view_gpus(v, job);
    s->units++;
    s->jobs++;
    count_single(s, hs_view_gpus(v, job));
    j->is_giant = g->slices && g->slicing != HS_SLICING_EXACT &&
                  !hs_gandiva_fits_gpu(v, s->first_gpu, hs_view_gpu_mem_mib(v, job));
    s->giants += j->is_giant;
    s->elastic += j->is_elastic;
    s->idle_since_us = hs_view_now_us(v);
    claim(g, v, job);
    hs_gandiva_refresh(g, server);
}

void hs_gandiva_pin(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server,
                    uint32_t gpus)
{
    struct hs_gandiva_server *s = &g->servers[server];
    s->pool = hs_gandiva_pool_of(g, v, job);
    s->demand += gpus;
    s->pinned += gpus;
    s->idle_since_us = hs_view_now_us(v);
    hs_gandiva_refresh(g, server);
}

/* ---- groups ---- */

static void end_trial(struct hs_gandiva_server *s, struct hs_gandiva_job *leader)
{
    if (leader->trial == HS_NO_JOB)
        return;
    leader->trial = HS_NO_JOB;
    s->trials--;
}

/* The next member takes the place of the leader. */
static void promote(struct hs_gandiva_server *s, const struct hs_view *v, hs_job_id old)
{
    const struct hs_gandiva_job *from = hs_gandiva_job(v, old);
    hs_job_id leader = from->member;
    struct hs_gandiva_job *to = hs_gandiva_job(v, leader);
    to->members = from->members;
    to->joined_us = from->joined_us;
    to->deadline_us = from->deadline_us;
    to->ended_us = from->ended_us;
    to->overshoot_us = from->overshoot_us;
    to->trial_until_us = from->trial_until_us;
    to->trial = from->trial;
    to->has_turn = from->has_turn;
    ring_insert(s, v, leader, old);
    ring_remove(s, v, old);
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member)
        hs_gandiva_job(v, m)->leader = leader;
}

/* A member of a group of several goes; who stays is a group still, or a job of its own. */
static void leave_group(struct hs_gandiva_server *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    hs_job_id leader = j->leader;
    if (leader == job) {
        leader = j->member;
        promote(s, v, job);
    } else {
        struct hs_gandiva_job *at = hs_gandiva_job(v, leader);
        while (at->member != job)
            at = hs_gandiva_job(v, at->member);
        at->member = j->member;
    }
    struct hs_gandiva_job *group = hs_gandiva_job(v, leader);
    if (--group->members == 1)
        count_single(s, hs_view_gpus(v, leader));
    if (group->trial == job || group->members == 1)
        end_trial(s, group);
    j->leader = job;
    j->member = j->trial = HS_NO_JOB;
    j->members = 1;
}

void hs_gandiva_merge(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                      hs_job_id leader)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job), *l = hs_gandiva_job(v, leader);
    struct hs_gandiva_server *s = &g->servers[j->server];
    uint32_t singles = l->members == 1 ? 2 : 1;
    ring_remove(s, v, job);
    ring_remove(s, v, leader); /* as somebody new: to the front */
    ring_insert(s, v, leader, HS_NO_JOB);
    struct hs_gandiva_job *last = l;
    while (last->member != HS_NO_JOB)
        last = hs_gandiva_job(v, last->member);
    last->member = job;
    j->leader = leader;
    j->is_regrouped = j->is_running;
    l->members++;
    l->trial = job;
    l->trial_until_us = 0;
    s->demand -= hs_view_gpus(v, job);
    s->units--;
    s->trials++;
    uncount_singles(v, s, hs_view_gpus(v, job), singles);
    hs_gandiva_refresh(g, j->server);
}

/* The two units stand where the group stood, the job submitted first before the other. */
void hs_gandiva_split(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    struct hs_gandiva_server *s = &g->servers[j->server];
    hs_job_id leader = j->leader == job ? j->member : j->leader;
    leave_group(s, v, job);
    struct hs_gandiva_job *l = hs_gandiva_job(v, leader);
    bool is_first = hs_view_submit_us(v, job) < hs_view_submit_us(v, leader) ||
                    (hs_view_submit_us(v, job) == hs_view_submit_us(v, leader) &&
                     hs_view_rank(v, job) < hs_view_rank(v, leader));
    ring_insert(s, v, job, is_first ? l->prev : leader);
    j->joined_us = l->joined_us;
    j->deadline_us = l->deadline_us;
    j->ended_us = j->overshoot_us = 0;
    j->has_turn = false;
    j->is_regrouped = j->is_running;
    s->demand += hs_view_gpus(v, job);
    s->units++;
    count_single(s, hs_view_gpus(v, job));
    s->has_split = true;
    hs_gandiva_refresh(g, j->server);
}

/* ---- leaving ---- */

static void note_gain(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    if (!s->has_gained)
        g->gained[g->gained_count++] = server;
    s->has_gained = true;
    s->idle_since_us = hs_view_now_us(v);
    g->pools[s->pool].has_departure = g->pools[s->pool].has_gained = true;
    hs_gandiva_refresh(g, server);
}

static void leave_server(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    struct hs_gandiva_server *s = &g->servers[j->server];
    uint32_t gpus = hs_view_gpus(v, job);
    if (hs_gandiva_job(v, j->leader)->members > 1) {
        leave_group(s, v, job);
    } else {
        ring_remove(s, v, job);
        uncount_singles(v, s, gpus, 1);
        s->demand -= gpus;
        s->units--;
    }
    s->jobs--;
    s->elastic -= j->is_elastic;
    s->giants -= j->is_giant;
    s->grown -= j->held > gpus ? j->held - gpus : 0;
    note_gain(g, v, j->server);
}

static void unpin(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    for (uint32_t gpu = j->first_pin, next; gpu != HS_NO_GPU; gpu = next) {
        uint32_t server = hs_view_gpu_node(v, gpu);
        next = g->pin_next[gpu];
        g->pin_owner[gpu] = 0;
        g->servers[server].demand--;
        g->servers[server].pinned--;
        if (next == HS_NO_GPU || hs_view_gpu_node(v, next) != server)
            note_gain(g, v, server);
    }
    if (hs_view_gpus(v, job) <= g->widest)
        hs_order_remove(&g->spread, v, job);
}

void hs_gandiva_leave(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (j->where != HS_GANDIVA_ON_SERVER && j->where != HS_GANDIVA_SPREAD)
        return;
    if (j->where == HS_GANDIVA_ON_SERVER)
        leave_server(g, v, job);
    else
        unpin(g, v, job);
    g->claimed[hs_view_vc(v, job)] -= hs_view_gpus(v, job);
    g->pools[hs_gandiva_pool_of(g, v, job)].jobs--;
    j->where = HS_GANDIVA_NOWHERE;
    j->is_running = j->is_awaited = j->has_turn = false;
    j->held = 0;
    j->seats = 0;
    j->deadline_us = j->ended_us = j->overshoot_us = 0;
}
