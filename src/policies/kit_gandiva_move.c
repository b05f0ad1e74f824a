/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moves between servers, when GPUs fall free:
 *
 *     heights   from a server of which more is asked than it has (the one in largest excess) a job
 *               that waits for its turn goes where GPUs are free, the smallest gang first, of those
 *               the youngest; under shares, where nobody waits, any such job
 *     locality  a gang that is spread goes to one server whose free GPUs and its own there hold it,
 *               the one that is slowed most first
 *     defrag    at each look of the introspection: a server of which a large part is free is
 *               emptied, if all its jobs find room on servers with fewer free GPUs of the same type
 *
 * A gang larger than a server stays where it is, and so does a group of packed jobs. The target is
 * the server with fewest free GPUs that will do, an empty one last. O(log servers) for a move and
 * O(servers with free GPUs) for a look at what to defragment, if something has changed since.
 */
#include "policies/kit_gandiva.h"

static void move(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                 uint32_t to, const char *because)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    uint32_t gpus = hs_view_gpus(v, job);
    int64_t pause_us = hs_gandiva_pause_us(g, v, job, true);
    bool is_running = j->is_running;
    hs_gandiva_leave(g, v, job);
    if (hs_gandiva_is_empty(&g->servers[to]))
        g->servers[to].affinity = gpus;
    hs_gandiva_join(g, v, job, to);
    j->alone_q32 = 0;
    if (is_running) {
        hs_gandiva_reclaim(g, v, p, to, gpus, true);
        hs_plan_because(p, because);
        hs_gandiva_seat_idle(g, v, p, job, HS_GANDIVA_MIGRATE, pause_us, gpus);
    } else if (hs_view_state(v, job) == HS_JOB_SUSPENDED) {
        hs_plan_because(p, because);
        hs_plan_owe(p, job, pause_us);
    }
}

static bool is_younger(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    int64_t x = hs_view_submit_us(v, a), y = hs_view_submit_us(v, b);
    return x > y || (x == y && hs_view_rank(v, a) > hs_view_rank(v, b));
}

/* ---- heights ---- */

static bool may_move(const struct hs_gandiva *g, const struct hs_gandiva_server *s,
                     const struct hs_view *v, hs_job_id job)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    return j->members == 1 && (s->is_fluid || !j->is_running) && j->touched != g->plan;
}

/* Some unit has outgrown its GPU; until the engine has ended it, nothing may change there. */
static bool is_overfull(const struct hs_view *v, const struct hs_gandiva_server *s)
{
    bool is = false;
    for (hs_job_id u = s->may_burst ? s->head : HS_NO_JOB; u != HS_NO_JOB && !is;
         u = hs_gandiva_job(v, u)->next)
        is = !hs_gandiva_fits_gpu(v, s->first_gpu, hs_gandiva_unit_mib(v, u));
    return is;
}

static hs_job_id to_move(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         uint32_t most)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id best = HS_NO_JOB;
    if (s->is_fluid && is_overfull(v, s))
        return best;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        uint32_t gpus = hs_view_gpus(v, u), least = best == HS_NO_JOB ? 0 : hs_view_gpus(v, best);
        if (gpus <= most && may_move(g, s, v, u) &&
            (best == HS_NO_JOB || gpus < least || (gpus == least && is_younger(v, u, best))))
            best = u;
    }
    return best;
}

/* GPUs that are free on one server. */
static uint32_t most_free(const struct hs_gandiva *g, uint32_t pool)
{
    const struct hs_gandiva_pool *p = &g->pools[pool];
    uint32_t at = hs_gandiva_index_below(&g->by_free, hs_gandiva_free_key(pool + 1, INT32_MIN));
    int64_t most = 0;
    if (at != HS_NO_NODE && hs_gandiva_index_key(&g->by_free, at) >= hs_gandiva_free_key(pool, 0))
        most = hs_gandiva_free(&g->servers[at]);
    if (p->opened_gpus < p->gpus) /* one is empty, whatever its size */
        most = g->widest;
    return (uint32_t)most;
}

static bool reduce_one(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                       uint32_t pool)
{
    uint32_t most = most_free(g, pool);
    for (uint32_t size = 1; size <= most; size++) {
        uint64_t end = hs_gandiva_class_key(g, pool, size) + (UINT64_C(1) << 32);
        uint32_t at = hs_gandiva_index_from(&g->by_excess, hs_gandiva_class_key(g, pool, size));
        for (; at != HS_NO_NODE && hs_gandiva_index_key(&g->by_excess, at) < end;
             at = hs_gandiva_index_next(&g->by_excess, at)) {
            hs_job_id job = to_move(g, v, at, most);
            if (job == HS_NO_JOB)
                continue;
            uint32_t to = hs_gandiva_best_fit(g, v, job, hs_view_gpus(v, job));
            if (to == HS_NO_NODE)
                to = hs_gandiva_empty_server(g, v, job, hs_view_gpus(v, job));
            if (to == HS_NO_NODE)
                continue;
            move(g, v, p, job, to, "to a server with free GPUs: on its own it takes turns");
            return true;
        }
    }
    return false;
}

bool hs_gandiva_reduce_heights(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                               uint32_t pool)
{
    bool has_moved = false;
    while (g->pools[pool].sliced_jobs > 0 && reduce_one(g, v, p, pool))
        has_moved = true;
    return has_moved;
}

/* ---- locality ---- */

static uint32_t own_gpus(const struct hs_gandiva *g, uint32_t server, hs_job_id job)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t own = 0;
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus && s->pinned > 0; gpu++)
        own += g->pin_owner[gpu] == job + 1;
    return own;
}

static bool could_gather(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         hs_job_id job)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t gpus = hs_view_gpus(v, job), own = own_gpus(g, server, job);
    return hs_gandiva_job(v, job)->touched != g->plan && hs_view_state(v, job) == HS_JOB_RUNNING &&
           hs_view_may_use(v, job, server) && hs_gandiva_free(s) + own >= (int64_t)gpus &&
           hs_gandiva_has_workers(v, job, server, gpus - own);
}

static hs_job_id slower(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                        hs_job_id job, hs_job_id best)
{
    if (!could_gather(g, v, server, job))
        return best;
    if (best == HS_NO_JOB)
        return job;
    uint64_t own_q32 = hs_view_rate_q32(v, job), best_q32 = hs_view_rate_q32(v, best);
    return own_q32 < best_q32 || (own_q32 == best_q32 && is_younger(v, best, job)) ? job : best;
}

/* Spread gangs of at most its free GPUs, and those that sit on it with a part. */
static hs_job_id to_gather(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    int64_t free_gpus = hs_gandiva_free(s);
    hs_job_id best = HS_NO_JOB;
    if (free_gpus <= 0)
        return best;
    for (hs_job_id j = hs_order_next_fitting(&g->spread, v, HS_NO_JOB, (uint64_t)free_gpus);
         j != HS_NO_JOB; j = hs_order_next_fitting(&g->spread, v, j, (uint64_t)free_gpus))
        best = slower(g, v, server, j, best);
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus && s->pinned > 0; gpu++)
        if (g->pin_owner[gpu] != 0 && hs_view_gpus(v, g->pin_owner[gpu] - 1) <= g->widest)
            best = slower(g, v, server, g->pin_owner[gpu] - 1, best);
    return best;
}

bool hs_gandiva_gather(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    bool has_moved = false;
    for (uint32_t i = 0; i < g->gained_count && g->spread.count > 0; i++) {
        hs_job_id job;
        while ((job = to_gather(g, v, g->gained[i])) != HS_NO_JOB) {
            move(g, v, p, job, g->gained[i], "locality: one server has room for all of it now");
            has_moved = true;
        }
    }
    return has_moved;
}

/* ---- defragmentation ---- */

static uint32_t to_defragment_to(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                                 uint32_t from)
{
    uint32_t gpus = hs_view_gpus(v, job), pool = g->servers[from].pool;
    uint64_t end = hs_gandiva_free_key(pool, hs_gandiva_free(&g->servers[from]));
    uint32_t at = hs_gandiva_index_from(&g->by_free, hs_gandiva_free_key(pool, gpus));
    while (at != HS_NO_NODE && hs_gandiva_index_key(&g->by_free, at) < end) {
        const struct hs_gandiva_server *s = &g->servers[at];
        if (hs_gandiva_free(s) - s->reserved >= (int64_t)gpus && hs_view_may_use(v, job, at) &&
            hs_view_node_type(v, at) == hs_view_node_type(v, from) &&
            hs_gandiva_has_workers(v, job, at, s->reserved + gpus))
            return at;
        at = hs_gandiva_index_next(&g->by_free, at);
    }
    return HS_NO_NODE;
}

/* Targets of all its jobs, larger gangs first; false if one has none. */
static bool find_targets(struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         uint32_t *count)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    *count = 0;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        if (l->members > 1 || !l->is_running || l->touched == g->plan)
            return false;
        struct hs_sort_entry *entry = &g->movers[(*count)++];
        *entry = (struct hs_sort_entry){.key = -(int64_t)hs_view_gpus(v, u),
                                        .submit_us = hs_view_submit_us(v, u),
                                        .rank = hs_view_rank(v, u),
                                        .job = u};
    }
    hs_sort(g->movers, *count);
    bool has_all = true;
    uint32_t found = 0;
    for (; found < *count && has_all; found++) {
        uint32_t to = to_defragment_to(g, v, g->movers[found].job, server);
        g->targets[found].job = to;
        has_all = to != HS_NO_NODE;
        if (has_all)
            g->servers[to].reserved += hs_view_gpus(v, g->movers[found].job);
    }
    for (uint32_t i = 0; i < found; i++)
        if (g->targets[i].job != HS_NO_NODE)
            g->servers[g->targets[i].job].reserved = 0;
    return has_all;
}

static bool empty_server(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                         uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t count;
    if (s->pinned > 0 || s->grown > 0 ||
        (uint64_t)hs_gandiva_free(s) * 1000000 < (uint64_t)g->defrag_ppm * s->gpus ||
        !find_targets(g, v, server, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        move(g, v, p, g->movers[i].job, g->targets[i].job,
             "defragmentation: its server is to be empty");
    return true;
}

/* The first that can be emptied, from the one with most free GPUs on. */
static bool empty_one(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      uint32_t pool)
{
    uint64_t above = hs_gandiva_free_key(pool + 1, INT32_MIN);
    uint32_t least = (uint32_t)((uint64_t)g->defrag_ppm * g->narrowest / 1000000);
    for (;;) {
        uint32_t at = hs_gandiva_index_below(&g->by_free, above);
        if (at == HS_NO_NODE || hs_gandiva_index_key(&g->by_free, at) <
                                    hs_gandiva_free_key(pool, least > 0 ? least : 1))
            return false;
        above = hs_gandiva_index_key(&g->by_free, at);
        for (at = hs_gandiva_index_from(&g->by_free, above);
             at != HS_NO_NODE && hs_gandiva_index_key(&g->by_free, at) == above;
             at = hs_gandiva_index_next(&g->by_free, at))
            if (empty_server(g, v, p, at))
                return true;
    }
}

void hs_gandiva_defragment(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                           uint32_t pool)
{
    while (empty_one(g, v, p, pool))
        continue;
    g->pools[pool].is_defrag_due = false;
}
