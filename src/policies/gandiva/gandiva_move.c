/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moves between servers when GPUs fall free, and growth on GPUs that stay idle.
 *
 *     heights   from an over-subscribed server (the one in largest excess) a job that waits for its
 *               turn goes to free GPUs, the smallest gang first, of those the youngest; under
 *               shares, where no job waits, any such job
 *     locality  a spread gang goes to one server whose free GPUs and its own there hold it, the one
 *               that is slowed most first
 *     defrag    at each look of the introspection a server of which a large part is free is
 * emptied, if all its jobs find room on servers of the same type with fewer free GPUs growth when
 * GPUs of a server have been idle for grow_idle, the elastic job there that makes most progress for
 * each GPU that it holds grows to the largest power of two that is free for it and in its range;
 * and so on while GPUs are idle
 *
 * A gang larger than a server stays where it is, and so does a group of packed jobs. The target is
 * the server with fewest free GPUs that will do, an empty one last. A move costs O(log servers), a
 * look at what to defragment O(servers with free GPUs) if something has changed since, and the
 * search for a job to grow O(ring).
 *
 * Jobs that have grown give back at once what others can use, down to their demand, the largest
 * first. What a job would gain is not known before it grows. Under quotas no job grows: what it
 * holds beyond its demand would keep others out.
 */
#include "policies/gandiva/gandiva.h"

static void move(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                 uint32_t to, const char *reason)
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
        hs_plan_reason(p, reason);
        hs_gandiva_allocate_idle(g, v, p, job, HS_GANDIVA_MIGRATE, pause_us, gpus);
    } else if (hs_view_state(v, job) == HS_JOB_SUSPENDED) {
        hs_plan_reason(p, reason);
        hs_plan_add_overhead(p, job, pause_us);
    }
}

/* ---- heights ---- */

/* The smallest single job of the server, of at most so many GPUs, youngest on ties. None while a
 * unit has outgrown its GPU: until the engine has ended it, nothing may change there. */
static hs_job_id to_move(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         uint32_t most)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id best = HS_NO_JOB;
    if (s->is_processor_sharing && hs_gandiva_is_overfull(v, s))
        return best;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *j = hs_gandiva_job(v, u);
        uint32_t gpus = hs_view_gpus(v, u), least = best == HS_NO_JOB ? 0 : hs_view_gpus(v, best);
        if (gpus > most || j->members > 1 || (j->is_running && !s->is_processor_sharing) ||
            j->touched == g->plan)
            continue;
        if (best == HS_NO_JOB || gpus < least ||
            (gpus == least && hs_job_queue_tie_is_before(v, best, u)))
            best = u;
    }
    return best;
}

/* Most GPUs that are free on one server. */
static uint32_t most_free(const struct hs_gandiva *g, uint32_t pool)
{
    uint32_t end = hs_gandiva_index_from(&g->by_free, hs_gandiva_free_key(pool + 1, INT32_MIN));
    if (g->pools[pool].opened_gpus < g->pools[pool].gpus) /* one is empty, of whatever size */
        return g->widest;
    if (end == 0 || g->by_free.at[end - 1].key < hs_gandiva_free_key(pool, 0))
        return 0;
    return (uint32_t)hs_gandiva_free(&g->servers[g->by_free.at[end - 1].server]);
}

static bool reduce_one(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                       uint32_t pool)
{
    const struct hs_gandiva_index *set = &g->by_excess;
    uint32_t most = most_free(g, pool);
    for (uint32_t i = hs_gandiva_index_from(set, hs_gandiva_class_key(g, pool, 1));
         i < set->count && set->at[i].key < hs_gandiva_class_key(g, pool, most + 1); i++) {
        hs_job_id job = to_move(g, v, set->at[i].server, most);
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

/* The slower one of two spread jobs, if the server could hold it; first submitted on ties. */
static hs_job_id slower(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                        hs_job_id job, hs_job_id best)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t gpus = hs_view_gpus(v, job), own = 0;
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus && s->pinned > 0; gpu++)
        own += g->pin_owner[gpu] == job + 1;
    if (hs_gandiva_job(v, job)->touched == g->plan || hs_view_state(v, job) != HS_JOB_RUNNING ||
        !hs_view_may_use(v, job, server) || hs_gandiva_free(s) + own < (int64_t)gpus ||
        !hs_gandiva_has_workers(v, job, server, gpus - own))
        return best;
    if (best == HS_NO_JOB)
        return job;
    uint64_t own_q32 = hs_view_rate_q32(v, job), best_q32 = hs_view_rate_q32(v, best);
    bool is_tie = own_q32 == best_q32;
    return own_q32 < best_q32 || (is_tie && hs_job_queue_tie_is_before(v, job, best)) ? job : best;
}

/* Among spread gangs of at most its free GPUs, and those with a part on it. */
static hs_job_id to_gather(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    int64_t free_gpus = hs_gandiva_free(s);
    hs_job_id best = HS_NO_JOB;
    if (free_gpus <= 0)
        return best;
    for (hs_job_id j = hs_job_queue_next_fitting(&g->spread, v, HS_NO_JOB, (uint64_t)free_gpus);
         j != HS_NO_JOB; j = hs_job_queue_next_fitting(&g->spread, v, j, (uint64_t)free_gpus))
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

/* A server of the same type with fewer free GPUs, but enough beside what is reserved. */
static uint32_t target_of(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                          uint32_t from)
{
    const struct hs_gandiva_index *set = &g->by_free;
    uint32_t gpus = hs_view_gpus(v, job), pool = g->servers[from].pool;
    uint64_t end = hs_gandiva_free_key(pool, hs_gandiva_free(&g->servers[from]));
    for (uint32_t i = hs_gandiva_index_from(set, hs_gandiva_free_key(pool, gpus));
         i < set->count && set->at[i].key < end; i++) {
        uint32_t at = set->at[i].server;
        const struct hs_gandiva_server *s = &g->servers[at];
        if (hs_gandiva_free(s) - s->reserved >= (int64_t)gpus && hs_view_may_use(v, job, at) &&
            hs_view_node_type(v, at) == hs_view_node_type(v, from) &&
            hs_gandiva_has_workers(v, job, at, s->reserved + gpus))
            return at;
    }
    return HS_NO_NODE;
}

/* Targets of all its jobs, larger gangs first; false if one has none. */
static bool find_targets(struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         uint32_t *count)
{
    *count = 0;
    for (hs_job_id u = g->servers[server].head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        if (l->members > 1 || !l->is_running || l->touched == g->plan)
            return false;
        g->movers[(*count)++] = hs_gandiva_entry(v, u, -(int64_t)hs_view_gpus(v, u));
    }
    hs_sort(g->movers, *count);
    uint32_t found = 0;
    for (; found < *count; found++) {
        uint32_t to = target_of(g, v, g->movers[found].job, server);
        if (to == HS_NO_NODE)
            break;
        g->targets[found].job = to;
        g->servers[to].reserved += hs_view_gpus(v, g->movers[found].job);
    }
    for (uint32_t i = 0; i < found; i++)
        g->servers[g->targets[i].job].reserved = 0;
    return found == *count;
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

/* The first server that can be emptied, from those with most free GPUs on; lowest number first. */
static bool empty_one(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      uint32_t pool)
{
    const struct hs_gandiva_index *set = &g->by_free;
    uint32_t end = hs_gandiva_index_from(set, hs_gandiva_free_key(pool + 1, INT32_MIN));
    uint32_t least = (uint32_t)((uint64_t)g->defrag_ppm * g->narrowest / 1000000);
    uint64_t least_key = hs_gandiva_free_key(pool, least > 0 ? least : 1);
    while (end > 0 && set->at[end - 1].key >= least_key) {
        uint32_t first = hs_gandiva_index_from(set, set->at[end - 1].key);
        for (uint32_t i = first; i < end; i++)
            if (empty_server(g, v, p, set->at[i].server))
                return true;
        end = first;
    }
    return false;
}

void hs_gandiva_defragment(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                           uint32_t pool)
{
    while (empty_one(g, v, p, pool))
        continue;
    g->pools[pool].is_defrag_due = false;
}

/* ---- growth ---- */

static uint32_t largest_power_of_two(uint32_t most)
{
    uint32_t power = 1;
    while (power <= most / 2)
        power *= 2;
    return power;
}

/* The largest of those that have grown, youngest on ties. */
static hs_job_id to_shrink(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    hs_job_id best = HS_NO_JOB;
    uint32_t most = 0;
    for (hs_job_id u = g->servers[server].head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        if (l->held <= hs_view_gpus(v, u) || l->touched == g->plan || l->held < most)
            continue;
        if (l->held > most || hs_job_queue_tie_is_before(v, best, u))
            best = u;
        most = l->held;
    }
    return best;
}

void hs_gandiva_reclaim(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        uint32_t server, uint32_t gpus, bool takes_all)
{
    uint32_t idle;
    while (g->servers[server].grown > 0 && (idle = hs_view_node_free(v, server)) < gpus) {
        hs_job_id job = to_shrink(g, v, server);
        if (job == HS_NO_JOB)
            return;
        uint32_t held = hs_gandiva_job(v, job)->held, kept = hs_view_gpus(v, job);
        if (!takes_all && held >= gpus - idle + kept) {
            uint32_t size = largest_power_of_two(held - (gpus - idle));
            kept = size > kept ? size : kept;
        }
        hs_plan_reason(p, "shrinks: others of its server want the GPUs that it grew onto");
        hs_gandiva_allocate_idle(g, v, p, job, HS_GANDIVA_MIGRATE,
                                 hs_gandiva_pause_us(g, v, job, false), kept);
    }
}

/* GPUs that the job could have with so many more; what it holds, if not more. */
static uint32_t could_hold(const struct hs_view *v, hs_job_id job, uint32_t idle)
{
    uint32_t held = hs_gandiva_job(v, job)->held, most = hs_view_gpus_max(v, job);
    uint32_t size = largest_power_of_two(held + idle < most ? held + idle : most);
    return size > held ? size : held;
}

/* The job with most progress for each GPU; first submitted on ties. */
static hs_job_id to_grow(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         uint32_t idle)
{
    hs_job_id best = HS_NO_JOB;
    for (hs_job_id u = g->servers[server].head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        if (!l->is_elastic || l->members > 1 || !l->is_running || l->touched == g->plan ||
            hs_view_state(v, u) != HS_JOB_RUNNING)
            continue;
        uint32_t more = could_hold(v, u, idle) - l->held;
        if (more == 0 || !hs_gandiva_has_workers(v, u, server, more))
            continue;
        hs_u128 own = hs_view_rate_q32(v, u), other = l->held;
        if (best != HS_NO_JOB) { /* rate / GPUs of both, times the GPUs of both */
            own *= hs_gandiva_job(v, best)->held;
            other *= hs_view_rate_q32(v, best);
        }
        if (best == HS_NO_JOB || own > other ||
            (own == other && hs_job_queue_tie_is_before(v, u, best)))
            best = u;
    }
    return best;
}

void hs_gandiva_grow(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                     uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t idle;
    if (!g->grows || s->elastic == 0 || s->is_over || s->has_split ||
        hs_view_now_us(v) - s->idle_since_us < g->grow_idle_us)
        return;
    while ((idle = hs_view_node_free(v, server)) > 0) {
        hs_job_id job = to_grow(g, v, server, idle);
        if (job == HS_NO_JOB)
            return;
        hs_plan_reason(p, "grows onto idle GPUs of its server");
        hs_gandiva_allocate_idle(g, v, p, job, HS_GANDIVA_MIGRATE,
                                 hs_gandiva_pause_us(g, v, job, false), could_hold(v, job, idle));
    }
}
