/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who belongs to which server, the rings, and the indexes over servers. O(1) for the ring and
 * O(log servers) for the indexes; O(ring) where a server is in excess (its smallest gang is looked
 * up) and for the members of a group.
 */
#include "policies/kit_gandiva.h"

const char *const hs_slicing_names[] = {"exact", "fluid", "auto", NULL};

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

/* Smallest gang of a job that is alone in its unit and not on trial; 0 = none. */
static uint32_t least_gang(const struct hs_view *v, const struct hs_gandiva_server *s)
{
    uint32_t least = 0;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next)
        if (hs_gandiva_job(v, u)->members == 1 && (least == 0 || hs_view_gpus(v, u) < least))
            least = hs_view_gpus(v, u);
    return least;
}

static void index_server(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    bool is_opened = !hs_gandiva_is_empty(s);
    int64_t free_gpus = hs_gandiva_free(s);
    uint32_t least = is_opened && free_gpus < 0 && g->migrates ? least_gang(v, s) : 0;
    if (is_opened)
        hs_gandiva_index_set(&g->by_free, server, hs_gandiva_free_key(s->pool, free_gpus));
    else
        hs_gandiva_index_remove(&g->by_free, server);
    if (is_opened && s->affinity <= g->widest) /* the height in 2^-20 tells all fractions apart */
        hs_gandiva_index_set(&g->by_height, server,
                             hs_gandiva_class_key(g, s->pool, s->affinity) |
                                 ((uint64_t)s->demand << 20) / s->gpus);
    else
        hs_gandiva_index_remove(&g->by_height, server);
    if (least > 0)
        hs_gandiva_index_set(&g->by_excess, server,
                             hs_gandiva_class_key(g, s->pool, least) |
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

void hs_gandiva_refresh(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    if (hs_gandiva_is_empty(s))
        s->affinity = 0;
    count_server(g, s);
    index_server(g, v, server);
    bool is_over = hs_gandiva_free(s) < 0;
    if (is_over && !s->is_over && !s->is_fluid)
        s->is_fluid =
            s->gpus <= HS_GANDIVA_WIDEST &&
            (g->slicing == HS_SLICING_FLUID ||
             (g->slicing == HS_SLICING_AUTO && sliced_jobs(g) >= (uint64_t)g->fluid_above));
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
    j->unit = hs_view_ooms(v, job) > 0 ? 0 : ++g->unit; /* after a kill it is not packed again */
    j->joined_us = hs_view_now_us(v);
    ring_insert(s, v, job, is_over && g->arrival_front ? bring_batch_to_front(s, v) : s->tail);
    s->demand += hs_view_gpus(v, job);
    s->units++;
    s->jobs++;
    s->elastic += j->is_elastic;
    s->idle_since_us = hs_view_now_us(v);
    claim(g, v, job);
    hs_gandiva_refresh(g, v, server);
}

void hs_gandiva_pin(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server,
                    uint32_t gpus)
{
    struct hs_gandiva_server *s = &g->servers[server];
    s->pool = hs_gandiva_pool_of(g, v, job);
    s->demand += gpus;
    s->pinned += gpus;
    s->idle_since_us = hs_view_now_us(v);
    hs_gandiva_refresh(g, v, server);
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
    to->unit = from->unit;
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
    group->members--;
    if (group->trial == job || group->members == 1)
        end_trial(s, group);
    j->leader = job;
    j->member = HS_NO_JOB;
    j->members = 1;
}

void hs_gandiva_merge(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                      hs_job_id leader)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job), *l = hs_gandiva_job(v, leader);
    struct hs_gandiva_server *s = &g->servers[j->server];
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
    hs_gandiva_refresh(g, v, j->server);
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
    j->unit = ++g->unit;
    j->joined_us = l->joined_us;
    j->deadline_us = l->deadline_us;
    j->ended_us = j->overshoot_us = 0;
    j->has_turn = false;
    j->is_regrouped = j->is_running;
    s->demand += hs_view_gpus(v, job);
    s->units++;
    s->has_split = true;
    hs_gandiva_refresh(g, v, j->server);
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
    hs_gandiva_refresh(g, v, server);
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
        s->demand -= gpus;
        s->units--;
    }
    s->jobs--;
    s->elastic -= j->is_elastic;
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

/* ---- beginning ---- */

static enum hs_status init_servers(struct hs_gandiva *g, const struct hs_view *v)
{
    uint32_t n = g->server_count = hs_view_nodes(v);
    g->servers = hs_view_alloc(v, (uint64_t)n * sizeof *g->servers);
    g->dirty = hs_view_alloc(v, (uint64_t)n * sizeof *g->dirty);
    g->gained = hs_view_alloc(v, (uint64_t)n * sizeof *g->gained);
    g->span_nodes = hs_view_alloc(v, (uint64_t)n * sizeof *g->span_nodes);
    g->span_gpus = hs_view_alloc(v, (uint64_t)n * sizeof *g->span_gpus);
    if (g->servers == NULL || g->dirty == NULL || g->gained == NULL || g->span_nodes == NULL ||
        g->span_gpus == NULL)
        return HS_E_MEMORY;
    g->narrowest = g->widest;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t gpus = hs_view_node_gpus(v, i);
        g->narrowest = gpus < g->narrowest ? gpus : g->narrowest;
        g->servers[i] = (struct hs_gandiva_server){.gpus = gpus,
                                                   .first_gpu = hs_view_node_first_gpu(v, i),
                                                   .head = HS_NO_JOB,
                                                   .tail = HS_NO_JOB};
    }
    HS_TRY(hs_gandiva_index_init(&g->by_height, v, n));
    HS_TRY(hs_gandiva_index_init(&g->by_free, v, n));
    return hs_gandiva_index_init(&g->by_excess, v, n);
}

/* Units of a server: their GPUs are at most max_height times its own, and one for each trial, of
 * which there are no more than those. */
static enum hs_status init_scratch(struct hs_gandiva *g, const struct hs_view *v)
{
    uint64_t units = 2 * ((uint64_t)g->max_height + 1) * g->widest, gpus = 0;
    for (uint32_t i = 0; i < g->server_count; i++)
        gpus += g->servers[i].gpus;
    g->ring = hs_view_alloc(v, units * sizeof *g->ring);
    g->movers = hs_view_alloc(v, units * sizeof *g->movers);
    g->targets = hs_view_alloc(v, units * sizeof *g->targets);
    g->levels = hs_view_alloc(v, (uint64_t)g->widest * sizeof *g->levels);
    g->pin_next = hs_view_alloc(v, gpus * sizeof *g->pin_next);
    g->pin_owner = hs_view_alloc(v, gpus * sizeof *g->pin_owner);
    if (g->ring == NULL || g->movers == NULL || g->targets == NULL || g->levels == NULL ||
        g->pin_next == NULL || g->pin_owner == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < g->pool_count; i++)
        g->pools[i].gpus = g->pool_count > 1 ? hs_view_total_gpus(v, i) : gpus;
    return HS_OK;
}

enum hs_status hs_gandiva_init(struct hs_gandiva *g, const struct hs_view *v)
{
    g->widest = hs_view_max_node_gpus(v);
    g->vcs = hs_view_vcs(v);
    g->sizes = g->widest + 2;
    g->pool_count = hs_view_vcs_are_apart(v) ? g->vcs : 1;
    g->spread.link_offset = offsetof(struct hs_gandiva_job, spread);
    g->keep_q32 = HS_GANDIVA_ONE_Q32 + (uint64_t)(g->keep_margin * (double)HS_GANDIVA_ONE_Q32);
    g->defrag_ppm = (uint32_t)(g->defrag_free * 1e6 + 0.5);
    g->max_speed_q32 = HS_GANDIVA_ONE_Q32;
    for (uint32_t t = 0; t < hs_view_gpu_types(v); t++)
        if (hs_view_type_speed_q32(v, t) > g->max_speed_q32)
            g->max_speed_q32 = hs_view_type_speed_q32(v, t);
    g->pools = hs_view_alloc(v, (uint64_t)g->pool_count * sizeof *g->pools);
    g->claimed = hs_view_alloc(v, (uint64_t)g->vcs * sizeof *g->claimed);
    g->has_arrival = hs_view_alloc(v, (uint64_t)g->vcs * sizeof *g->has_arrival);
    g->queues = hs_view_alloc(v, (uint64_t)g->vcs * g->sizes * sizeof *g->queues);
    g->heads = hs_view_alloc(v, (uint64_t)g->vcs * g->sizes * sizeof *g->heads);
    if (g->pools == NULL || g->claimed == NULL || g->has_arrival == NULL || g->queues == NULL ||
        g->heads == NULL)
        return HS_E_MEMORY;
    HS_TRY(init_servers(g, v));
    return init_scratch(g, v);
}
