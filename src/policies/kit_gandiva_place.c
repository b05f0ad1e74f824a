/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithm 1 of Gandiva (OSDI'18), and what it leaves open. "Free" are GPUs that no job of a
 * server asks for, whether it runs or waits for its turn there.
 *
 *     1  the server of least height among those opened for gangs of this size, if it has room
 *     2  an empty server, the smallest that will do, which is then opened for this size; a gang
 *        larger than a server: as many empty servers as it takes
 *     3  any free GPUs: one server, the fewest free that will do; else as few servers as possible
 *     4  the server of 1, beyond what it has, up to max_height: the jobs there take turns
 *     5  none: the job waits
 *
 * A gang that is spread over servers takes no turns, so 4 is not for gangs larger than a server. A
 * server whose GPUs are all taken by jobs of higher priority comes after the others in 4. O(log
 * servers) for each that is looked at: one, unless jobs ask for GPU types, CPUs or host memory.
 */
#include "policies/kit_gandiva.h"

uint64_t hs_gandiva_room(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, v, job)];
    return pool->gpus - pool->opened_gpus + pool->free_gpus;
}

bool hs_gandiva_is_within_quota(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t vc = hs_view_vc(v, job);
    return g->claimed[vc] + hs_view_gpus(v, job) <= hs_view_quota(v, vc);
}

uint32_t hs_gandiva_best_fit(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                             uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job);
    uint64_t end = hs_gandiva_free_key(pool + 1, INT32_MIN);
    uint32_t at = hs_gandiva_index_from(&g->by_free, hs_gandiva_free_key(pool, gpus));
    while (at != HS_NO_NODE && hs_gandiva_index_key(&g->by_free, at) < end) {
        if (g->servers[at].reserved == 0 && hs_view_may_use(v, job, at) &&
            hs_gandiva_has_workers(v, job, at, gpus))
            return at;
        at = hs_gandiva_index_next(&g->by_free, at);
    }
    return HS_NO_NODE;
}

/* Lowest number, from `from` on; of this size. */
static uint32_t empty_of_size(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                              uint32_t size, uint32_t from)
{
    uint32_t node = hs_view_idle_node(v, job, size, from);
    while (node != HS_NO_NODE && !hs_gandiva_is_empty(&g->servers[node]))
        node = hs_view_idle_node(v, job, size, node + 1);
    return node;
}

uint32_t hs_gandiva_empty_server(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                                 uint32_t gpus)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, v, job)];
    uint32_t best = HS_NO_NODE;
    if (pool->opened_gpus + gpus > pool->gpus)
        return HS_NO_NODE;
    for (uint32_t size = hs_view_node_size(v, job, UINT32_MAX); size >= gpus && size > 0;
         size = hs_view_node_size(v, job, size - 1)) {
        uint32_t node = empty_of_size(g, v, job, size, 0);
        best = node != HS_NO_NODE ? node : best;
    }
    return best;
}

/* ---- on one server ---- */

/* Servers of the pool that were opened for gangs of a size, by height. */
static uint32_t first_of_class(const struct hs_gandiva *g, uint32_t pool, uint32_t size)
{
    return hs_gandiva_index_from(&g->by_height, hs_gandiva_class_key(g, pool, size));
}

static bool is_of_class(const struct hs_gandiva *g, uint32_t server, uint32_t pool, uint32_t size)
{
    return server != HS_NO_NODE && hs_gandiva_index_key(&g->by_height, server) >> 32 ==
                                       hs_gandiva_class_key(g, pool, size) >> 32;
}

static uint32_t least_height(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                             uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job), at = first_of_class(g, pool, gpus);
    while (is_of_class(g, at, pool, gpus) && !hs_gandiva_is_usable(g, v, job, at))
        at = hs_gandiva_index_next(&g->by_height, at);
    return is_of_class(g, at, pool, gpus) ? at : HS_NO_NODE;
}

/* Servers that are neither empty nor opened for any size: a spread gang took what it needed of
 * them. The fewest free GPUs that will do. */
static uint32_t unlabelled(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                           uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job);
    uint64_t end = hs_gandiva_class_key(g, pool + 1, 0);
    uint32_t at = hs_gandiva_index_from(&g->unlabelled, hs_gandiva_class_key(g, pool, gpus));
    while (at != HS_NO_NODE && hs_gandiva_index_key(&g->unlabelled, at) < end) {
        if (hs_view_may_use(v, job, at) && hs_gandiva_has_workers(v, job, at, gpus))
            return at;
        at = hs_gandiva_index_next(&g->unlabelled, at);
    }
    return HS_NO_NODE;
}

/* Of jobs of higher priority on the server. */
static uint64_t higher_demand(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                              uint32_t server)
{
    uint64_t gpus = 0;
    for (hs_job_id u = g->servers[server].head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next)
        if (hs_view_priority(v, u) > hs_view_priority(v, job))
            gpus += hs_view_gpus(v, u);
    return gpus;
}

/* Where servers are sliced by shares, jobs with more memory than a GPU has share none. */
static bool has_memory_for_turns(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                                 const struct hs_gandiva_server *s)
{
    bool may_be_fluid =
        s->is_over ? s->is_fluid : g->slicing != HS_SLICING_EXACT && s->gpus <= HS_GANDIVA_WIDEST;
    bool fits =
        !may_be_fluid ||
        (s->giants == 0 && hs_gandiva_fits_gpu(v, s->first_gpu, hs_view_gpu_mem_mib(v, job)));
    for (hs_job_id u = s->head; u != HS_NO_JOB && may_be_fluid && s->may_burst && fits;
         u = hs_gandiva_job(v, u)->next)
        fits = hs_gandiva_fits_gpu(v, s->first_gpu, hs_gandiva_unit_mib(v, u));
    return fits;
}

static uint32_t to_take_turns(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                              uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job), full = HS_NO_NODE;
    for (uint32_t at = first_of_class(g, pool, gpus); is_of_class(g, at, pool, gpus);
         at = hs_gandiva_index_next(&g->by_height, at)) {
        const struct hs_gandiva_server *s = &g->servers[at];
        if ((uint64_t)s->demand + s->trials + gpus > (uint64_t)g->max_height * s->gpus) {
            if (s->gpus == g->widest) /* and all that are higher */
                break;
            continue;
        }
        if (!hs_gandiva_is_usable(g, v, job, at) || !hs_gandiva_has_workers(v, job, at, gpus) ||
            !has_memory_for_turns(g, v, job, s))
            continue;
        if (!g->has_priorities || higher_demand(g, v, job, at) + gpus <= s->gpus - s->pinned)
            return at;
        full = full == HS_NO_NODE ? at : full;
    }
    return full;
}

/* A job that asks for CPUs or host memory takes them at once, so that the next one sees it; not
 * where one of higher priority may come in the same plan, before which it would have to stop. */
static void settle_in(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      hs_job_id job, uint32_t server)
{
    uint32_t gpus = hs_view_gpus(v, job);
    bool has_room = hs_gandiva_free(&g->servers[server]) >= (int64_t)gpus;
    hs_gandiva_join(g, v, job, server);
    if (has_room && hs_view_is_constrained(v, job) && !g->has_priorities) {
        hs_gandiva_reclaim(g, v, p, server, gpus, true);
        if (hs_view_node_free(v, server) >= gpus)
            hs_gandiva_seat_idle(g, v, p, job, HS_GANDIVA_START, 0, gpus);
    }
}

/* ---- on several servers ---- */

static void span_add(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server,
                     uint32_t gpus)
{
    g->span_nodes[g->span_count] = server;
    g->span_gpus[g->span_count++] = gpus;
    g->servers[server].reserved = gpus; /* its CPUs may end before its GPUs: it gives once */
    hs_gandiva_pin(g, v, job, server, gpus);
}

static void span_undo(struct hs_gandiva *g)
{
    while (g->span_count > 0) {
        uint32_t server = g->span_nodes[--g->span_count];
        g->servers[server].demand -= g->span_gpus[g->span_count];
        g->servers[server].pinned -= g->span_gpus[g->span_count];
        g->servers[server].reserved = 0;
        hs_gandiva_refresh(g, server);
    }
}

/* How many workers of the job could sit there, `most` at most. */
static uint32_t workers_up_to(const struct hs_view *v, hs_job_id job, uint32_t server,
                              uint32_t most)
{
    uint32_t workers =
        hs_view_is_constrained(v, job) ? hs_view_node_workers(v, job, server) : UINT32_MAX;
    return workers < most ? workers : most;
}

/* An empty server of the largest size. */
static uint32_t largest_empty(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    for (uint32_t size = hs_view_node_size(v, job, UINT32_MAX); size > 0;
         size = hs_view_node_size(v, job, size - 1)) {
        uint32_t node = empty_of_size(g, v, job, size, 0);
        if (node != HS_NO_NODE)
            return node;
    }
    return HS_NO_NODE;
}

/* They are too few for the gang, whatever it takes of them: nothing comes of it but that they were
 * looked at, from the largest on. */
static void try_empty_servers(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    for (uint32_t size = hs_view_node_size(v, job, UINT32_MAX); size > 0;
         size = hs_view_node_size(v, job, size - 1))
        for (uint32_t node = empty_of_size(g, v, job, size, 0); node != HS_NO_NODE;
             node = empty_of_size(g, v, job, size, node + 1)) {
            if (workers_up_to(v, job, node, size) == 0)
                return;
            g->servers[node].is_changed = true;
            g->pools[hs_gandiva_pool_of(g, v, job)].is_defrag_due = true;
            hs_gandiva_touch(g, node);
        }
}

static bool span_empty_servers(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                               uint32_t rest)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, v, job)];
    if (pool->gpus - pool->opened_gpus < rest) {
        try_empty_servers(g, v, job);
        return false;
    }
    while (rest > 0) {
        uint32_t node = hs_gandiva_empty_server(g, v, job, rest);
        node = node != HS_NO_NODE ? node : largest_empty(g, v, job);
        uint32_t gpus =
            node == HS_NO_NODE
                ? 0
                : workers_up_to(v, job, node,
                                g->servers[node].gpus < rest ? g->servers[node].gpus : rest);
        if (gpus == 0)
            return false;
        span_add(g, v, job, node, gpus);
        rest -= gpus;
    }
    return true;
}

/* The opened server with most free GPUs of those that the job may use, lowest number. */
static uint32_t most_free(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job);
    uint64_t above = hs_gandiva_free_key(pool + 1, INT32_MIN), least = hs_gandiva_free_key(pool, 1);
    for (;;) {
        uint32_t at = hs_gandiva_index_below(&g->by_free, above);
        if (at == HS_NO_NODE || hs_gandiva_index_key(&g->by_free, at) < least)
            return HS_NO_NODE;
        above = hs_gandiva_index_key(&g->by_free, at);
        for (at = hs_gandiva_index_from(&g->by_free, above);
             at != HS_NO_NODE && hs_gandiva_index_key(&g->by_free, at) == above;
             at = hs_gandiva_index_next(&g->by_free, at))
            if (g->servers[at].reserved == 0 && hs_view_may_use(v, job, at) &&
                hs_gandiva_has_workers(v, job, at, 1))
                return at;
    }
}

static uint32_t room_of(const struct hs_gandiva *g, uint32_t server)
{
    int64_t free_gpus = server == HS_NO_NODE ? 0 : hs_gandiva_free(&g->servers[server]);
    return free_gpus > 0 ? (uint32_t)free_gpus : 0;
}

/* Fewest servers: one that ends it, with least left over, or the one with most. */
static uint32_t next_of_span(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                             uint32_t rest)
{
    uint32_t opened = hs_gandiva_best_fit(g, v, job, rest);
    uint32_t empty = rest <= g->widest ? hs_gandiva_empty_server(g, v, job, rest) : HS_NO_NODE;
    if (opened != HS_NO_NODE || empty != HS_NO_NODE)
        return empty == HS_NO_NODE ||
                       (opened != HS_NO_NODE && room_of(g, opened) <= room_of(g, empty))
                   ? opened
                   : empty;
    opened = most_free(g, v, job);
    empty = largest_empty(g, v, job);
    return room_of(g, empty) > room_of(g, opened) ? empty : opened;
}

static bool span_free_gpus(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                           uint32_t rest)
{
    if (hs_gandiva_room(g, v, job) < rest)
        return false;
    while (rest > 0) {
        uint32_t node = next_of_span(g, v, job, rest), room = room_of(g, node);
        uint32_t gpus =
            node == HS_NO_NODE ? 0 : workers_up_to(v, job, node, room < rest ? room : rest);
        if (gpus == 0)
            return false;
        span_add(g, v, job, node, gpus);
        rest -= gpus;
    }
    return true;
}

/* What was found becomes the job's. */
static void span_take(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    uint32_t *link = &j->first_pin;
    for (uint32_t i = 0; i < g->span_count; i++)
        hs_gandiva_reclaim(g, v, p, g->span_nodes[i], g->span_gpus[i], true);
    hs_plan_because(p,
                    g->span_count > 1 ? "on several servers: none has room for all of it" : NULL);
    hs_plan_start(p, job);
    for (uint32_t i = 0; i < g->span_count; i++) {
        uint32_t gpu = 0;
        for (uint32_t n = 0; n < g->span_gpus[i]; n++) {
            gpu = hs_view_idle_gpu(v, g->span_nodes[i], gpu);
            hs_plan_on_gpu(p, gpu);
            g->pin_owner[gpu] = job + 1;
            *link = gpu;
            link = &g->pin_next[gpu];
        }
    }
    *link = HS_NO_GPU;
    j->where = HS_GANDIVA_SPREAD;
    j->is_running = true;
    j->held = hs_view_gpus(v, job);
    j->touched = g->plan;
    g->claimed[hs_view_vc(v, job)] += hs_view_gpus(v, job);
    g->pools[hs_gandiva_pool_of(g, v, job)].jobs++;
    if (hs_view_gpus(v, job) <= g->widest)
        hs_order_add(&g->spread, v, job, 0);
}

static bool place_spread(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                         hs_job_id job, uint32_t gpus)
{
    g->span_count = 0;
    bool is_whole = gpus > g->widest && span_empty_servers(g, v, job, gpus);
    if (is_whole)
        for (uint32_t i = 0; i < g->span_count; i++)
            g->servers[g->span_nodes[i]].affinity = gpus;
    if (!is_whole)
        span_undo(g);
    if (!is_whole && !span_free_gpus(g, v, job, gpus)) {
        span_undo(g);
        return false;
    }
    span_take(g, v, p, job);
    for (uint32_t i = 0; i < g->span_count; i++) {
        g->servers[g->span_nodes[i]].reserved = 0;
        hs_gandiva_refresh(g, g->span_nodes[i]);
    }
    return true;
}

/* ---- Algorithm 1 ---- */

/* 1: it has room; */
static uint32_t of_its_size(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                            uint32_t gpus)
{
    uint32_t server = least_height(g, v, job, gpus);
    bool has_room = server != HS_NO_NODE && room_of(g, server) >= gpus &&
                    hs_gandiva_has_workers(v, job, server, gpus);
    return has_room ? server : HS_NO_NODE;
}

/* 2: it is opened for this size. */
static uint32_t of_no_size(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                           uint32_t gpus)
{
    uint32_t partly = unlabelled(g, v, job, gpus);
    uint32_t server = hs_gandiva_empty_server(g, v, job, gpus);
    if (partly != HS_NO_NODE && (server == HS_NO_NODE || room_of(g, partly) <= room_of(g, server)))
        server = partly;
    if (server != HS_NO_NODE)
        g->servers[server].affinity = gpus;
    return server;
}

bool hs_gandiva_place(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job);
    if (!hs_gandiva_is_within_quota(g, v, job))
        return false;
    if (gpus > g->widest)
        return place_spread(g, v, p, job, gpus);
    uint32_t server = of_its_size(g, v, job, gpus);
    if (server == HS_NO_NODE)
        server = of_no_size(g, v, job, gpus);
    if (server == HS_NO_NODE)
        server = hs_gandiva_best_fit(g, v, job, gpus);
    if (server == HS_NO_NODE && place_spread(g, v, p, job, gpus))
        return true;
    if (server == HS_NO_NODE && g->slices)
        server = to_take_turns(g, v, job, gpus);
    if (server == HS_NO_NODE)
        return false;
    settle_in(g, v, p, job, server);
    return true;
}
