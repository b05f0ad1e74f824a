/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placement on servers, moves between them, and growth on GPUs that stay idle.
 *
 * Algorithm 1 of Gandiva (Xiao et al., OSDI'18), and what it leaves open:
 *
 *     1  the server of least height (demand / GPUs) among those opened for gangs of this size, if
 *        it has enough free GPUs
 *     2  an empty server, the smallest that will do, which is then opened for this size; for a gang
 *        larger than a server as many empty servers as it takes
 *     3  any free GPUs: of one server, the one with fewest that will do; else of as few servers as
 *        possible
 *     4  the server of 1, beyond what it has, up to max_height: its jobs take turns; not for a gang
 *        that is spread, and last where jobs of higher priority take all GPUs
 *     5  none: the job waits
 *
 * O(log servers) for each server that is looked at: one, unless jobs ask for GPU types, CPUs or
 * host memory.
 *
 * Waiting jobs stand in a queue for each virtual cluster and gang size, and are tried in order of
 * submission; those that do not fit are skipped. Where a gang without constraints fits nowhere, no
 * other of its size does, and the rest of its queue is skipped: a scan costs O(sizes x log jobs)
 * besides the jobs that are placed. After submissions alone only new jobs are tried.
 *
 * Moves when GPUs fall free, and growth:
 *
 *     heights   from the over-subscribed server in largest excess a job that waits for its turn
 *               (under shares any job) goes to free GPUs, the smallest gang first, youngest first
 *     locality  a spread gang goes to one server whose free GPUs and its own there hold it, the one
 *               that is slowed most first
 *     defrag    at each look of the introspection a server of which a large part is free is
 *               emptied, if all its jobs find room on servers of the same type with fewer free GPUs
 *     growth    when GPUs of a server have been idle for grow_idle, the elastic job there of most
 *               progress for each GPU that it holds grows to the largest power of two that is free
 *               for it and in its range; and so on while GPUs are idle
 *
 * Gangs larger than a server and packed jobs stay where they are. The target is the server with
 * fewest free GPUs that will do, an empty one last. A move costs O(log servers), a look at what to
 * defragment O(servers with free GPUs) if something changed since, a search for a job to grow
 * O(ring). Jobs that have grown give back at once what others can use, down to their demand, the
 * largest first. Under quotas none grows: what it holds beyond its demand would keep others out.
 */
#include "policies/gandiva/gandiva.h"

/* GPUs of the job's pool without demand. */
static uint64_t pool_room(const struct hs_gandiva *g, hs_job_id job)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, job)];
    return pool->gpus - pool->opened_gpus + pool->free_gpus;
}

static bool is_within_quota(const struct hs_gandiva *g, hs_job_id job)
{
    uint32_t vc = hs_view_vc(g->v, job);
    return g->claimed[vc] + hs_view_gpus(g->v, job) <= hs_view_quota(g->v, vc);
}

/* The first server, with a key in the range, that could host so many GPUs of the job. */
static uint32_t first_host(const struct hs_gandiva *g, hs_job_id job,
                           const struct hs_gandiva_index *set, uint64_t from, uint64_t end,
                           uint32_t gpus)
{
    for (uint32_t i = hs_gandiva_index_from(set, from); i < set->count && set->at[i].key < end;
         i++) {
        uint32_t server = set->at[i].server;
        if (g->servers[server].reserved == 0 && hs_view_may_use(g->v, job, server) &&
            hs_gandiva_has_workers(g, job, server, gpus))
            return server;
    }
    return HS_NO_NODE;
}

/* The server with fewest free GPUs among those with at least so many; HS_NO_NODE = none. */
static uint32_t best_fit(const struct hs_gandiva *g, hs_job_id job, uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, job);
    return first_host(g, job, &g->by_free, hs_gandiva_free_key(pool, gpus),
                      hs_gandiva_free_key(pool + 1, INT32_MIN), gpus);
}

/* The smallest empty server of the job's pool that has so many GPUs, else the largest empty one;
 * HS_NO_NODE = none. */
static uint32_t empty_server(const struct hs_gandiva *g, hs_job_id job, uint32_t gpus,
                             bool is_largest)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, job)];
    uint32_t best = HS_NO_NODE;
    if (pool->opened_gpus + gpus > pool->gpus)
        return HS_NO_NODE;
    for (uint32_t size = hs_view_node_size(g->v, job, UINT32_MAX);
         size >= gpus && size > 0 && !(is_largest && best != HS_NO_NODE);
         size = hs_view_node_size(g->v, job, size - 1)) {
        uint32_t node = hs_view_idle_node(g->v, job, size, 0);
        while (node != HS_NO_NODE && !hs_gandiva_is_empty(&g->servers[node]))
            node = hs_view_idle_node(g->v, job, size, node + 1);
        best = node != HS_NO_NODE ? node : best;
    }
    return best;
}

static uint32_t room_of(const struct hs_gandiva *g, uint32_t server)
{
    int64_t free_gpus = server == HS_NO_NODE ? 0 : hs_gandiva_free(&g->servers[server]);
    return free_gpus > 0 ? (uint32_t)free_gpus : 0;
}

/* ---- on one server ---- */

/* Whether the server could hold the job beside spread jobs alone. */
static bool is_usable(const struct hs_gandiva *g, hs_job_id job, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    return s->gpus - s->pinned >= hs_view_gpus(g->v, job) && hs_view_may_use(g->v, job, server);
}

/* Step 1: the usable server of least height in the class of this gang size, if it has room. */
static uint32_t of_its_size(const struct hs_gandiva *g, hs_job_id job, uint32_t gpus)
{
    const struct hs_gandiva_index *set = &g->by_height;
    uint64_t class = hs_gandiva_class_key(g, hs_gandiva_pool_of(g, job), gpus);
    for (uint32_t i = hs_gandiva_index_from(set, class);
         i < set->count && set->at[i].key >> 32 == class >> 32; i++) {
        uint32_t server = set->at[i].server;
        if (!is_usable(g, job, server))
            continue;
        bool has_room = room_of(g, server) >= gpus && hs_gandiva_has_workers(g, job, server, gpus);
        return has_room ? server : HS_NO_NODE;
    }
    return HS_NO_NODE;
}

/* Step 2: an empty server, or one without affinity, opened for the rest of a spread gang; the one
 * with fewest free GPUs. */
static uint32_t of_no_size(struct hs_gandiva *g, hs_job_id job, uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, job);
    uint32_t server = empty_server(g, job, gpus, false);
    uint32_t partly = first_host(g, job, &g->unlabelled, hs_gandiva_class_key(g, pool, gpus),
                                 hs_gandiva_class_key(g, pool + 1, 0), gpus);
    if (partly != HS_NO_NODE && (server == HS_NO_NODE || room_of(g, partly) <= room_of(g, server)))
        server = partly;
    if (server != HS_NO_NODE)
        g->servers[server].affinity = gpus;
    return server;
}

/* Where servers are sliced by shares, a job that needs more memory than a GPU has may not join. */
static bool has_memory_for_turns(const struct hs_gandiva *g, hs_job_id job,
                                 const struct hs_gandiva_server *s)
{
    bool may_be_shared = s->is_over
                             ? s->is_processor_sharing
                             : g->slicing != HS_SLICING_EXACT && s->gpus <= HS_GANDIVA_WIDEST;
    return !may_be_shared || (s->giants == 0 && !hs_gandiva_is_overfull(g, s) &&
                              hs_gandiva_fits_gpu(g, s->first_gpu, hs_view_gpu_mem_mib(g->v, job)));
}

/* Whether jobs of higher priority leave the job no GPUs on the server. */
static bool is_outranked(const struct hs_gandiva *g, hs_job_id job,
                         const struct hs_gandiva_server *s)
{
    uint64_t gpus = hs_view_gpus(g->v, job);
    if (!g->has_priorities)
        return false;
    HS_EACH_CHAINED(u, &s->ring, g->v)
        if (hs_view_priority(g->v, u) > hs_view_priority(g->v, job))
            gpus += hs_view_gpus(g->v, u);
    return gpus > s->gpus - s->pinned;
}

/* Step 4. */
static uint32_t to_take_turns(const struct hs_gandiva *g, hs_job_id job, uint32_t gpus)
{
    const struct hs_gandiva_index *set = &g->by_height;
    uint64_t class = hs_gandiva_class_key(g, hs_gandiva_pool_of(g, job), gpus);
    uint32_t outranked = HS_NO_NODE;
    for (uint32_t i = hs_gandiva_index_from(set, class);
         i < set->count && set->at[i].key >> 32 == class >> 32; i++) {
        uint32_t server = set->at[i].server;
        const struct hs_gandiva_server *s = &g->servers[server];
        if ((uint64_t)s->demand + s->trials + gpus > (uint64_t)g->max_height * s->gpus) {
            if (s->gpus == g->widest) /* all other servers are at least as high */
                break;
            continue;
        }
        if (!is_usable(g, job, server) || !hs_gandiva_has_workers(g, job, server, gpus) ||
            !has_memory_for_turns(g, job, s))
            continue;
        if (!is_outranked(g, job, s))
            return server;
        outranked = outranked == HS_NO_NODE ? server : outranked;
    }
    return outranked;
}

/* ---- on several servers ---- */

/* The opened server with most free GPUs that could host a worker; ties: lowest number. */
static uint32_t most_free(const struct hs_gandiva *g, hs_job_id job)
{
    uint32_t pool = hs_gandiva_pool_of(g, job);
    const struct hs_gandiva_index *set = &g->by_free;
    uint32_t end = hs_gandiva_index_from(set, hs_gandiva_free_key(pool + 1, INT32_MIN));
    while (end > 0 && set->at[end - 1].key >= hs_gandiva_free_key(pool, 1)) {
        uint64_t key = set->at[end - 1].key;
        uint32_t server = first_host(g, job, set, key, key + 1, 1);
        if (server != HS_NO_NODE)
            return server;
        end = hs_gandiva_index_from(set, key);
    }
    return HS_NO_NODE;
}

/* The next server of a gang over few servers: one that completes it, with fewest GPUs left over,
 * else the one with most free GPUs. */
static uint32_t next_of_span(const struct hs_gandiva *g, hs_job_id job, uint32_t rest,
                             bool is_empty)
{
    uint32_t opened = is_empty ? HS_NO_NODE : best_fit(g, job, rest);
    uint32_t empty = empty_server(g, job, rest, false);
    if (opened != HS_NO_NODE && (empty == HS_NO_NODE || room_of(g, opened) <= room_of(g, empty)))
        return opened;
    if (empty != HS_NO_NODE)
        return empty;
    opened = is_empty ? HS_NO_NODE : most_free(g, job);
    empty = empty_server(g, job, 1, true);
    return room_of(g, empty) > room_of(g, opened) ? empty : opened;
}

/* Finds servers for the whole gang: empty ones (step 2), or any with free GPUs (step 3). If there
 * are too few, the servers considered count as changed. */
static bool span_find(struct hs_gandiva *g, hs_job_id job, bool is_empty)
{
    uint32_t rest = hs_view_gpus(g->v, job), gpus;
    g->span_count = 0;
    if (!is_empty && pool_room(g, job) < rest)
        return false;
    for (; rest > 0; rest -= gpus) {
        uint32_t node = next_of_span(g, job, rest, is_empty);
        gpus = room_of(g, node) < rest ? room_of(g, node) : rest;
        if (gpus > 0 && !hs_gandiva_has_workers(g, job, node, gpus))
            gpus = hs_view_node_workers(g->v, job, node);
        if (gpus == 0)
            break;
        g->span_nodes[g->span_count] = node;
        g->span_gpus[g->span_count++] = gpus;
        g->servers[node].reserved = gpus; /* used once, even if its CPUs end first */
        g->servers[node].pool = hs_gandiva_pool_of(g, job);
        g->servers[node].demand += gpus;
        g->servers[node].pinned += gpus;
        g->servers[node].idle_since_us = hs_view_now_us(g->v);
        hs_gandiva_refresh(g, node);
    }
    for (; rest > 0 && g->span_count > 0;
         g->span_count--) { /* too few: release what was set aside */
        uint32_t server = g->span_nodes[g->span_count - 1];
        g->servers[server].demand -= g->span_gpus[g->span_count - 1];
        g->servers[server].pinned -= g->span_gpus[g->span_count - 1];
        g->servers[server].reserved = 0;
        hs_gandiva_refresh(g, server);
    }
    return rest == 0;
}

static bool place_spread(struct hs_gandiva *g, hs_job_id job, uint32_t gpus)
{
    struct hs_gandiva_job *j = hs_gandiva_job(g, job);
    uint32_t *link = &j->first_pin;
    bool are_empty = gpus > g->widest && span_find(g, job, true);
    if (!are_empty && !span_find(g, job, false))
        return false;
    for (uint32_t i = 0; i < g->span_count; i++)
        hs_gandiva_reclaim(g, g->span_nodes[i], g->span_gpus[i], true);
    hs_plan_reason(g->p,
                   g->span_count > 1 ? "on several servers: none has room for all of it" : NULL);
    hs_plan_start(g->p, job);
    for (uint32_t i = 0; i < g->span_count; i++) {
        uint32_t gpu = 0;
        for (uint32_t n = 0; n < g->span_gpus[i]; n++) {
            gpu = hs_view_idle_gpu(g->v, g->span_nodes[i], gpu);
            hs_plan_on_gpu(g->p, gpu);
            g->pin_owner[gpu] = job + 1;
            *link = gpu;
            link = &g->pin_next[gpu];
        }
    }
    *link = HS_NO_GPU;
    j->where = HS_GANDIVA_SPREAD;
    j->is_running = true;
    j->held = gpus;
    j->touched = g->plan;
    g->claimed[hs_view_vc(g->v, job)] += gpus;
    g->pools[hs_gandiva_pool_of(g, job)].jobs++;
    if (gpus <= g->widest)
        hs_job_queue_add(&g->spread, g->v, job, 0);
    for (uint32_t i = 0; i < g->span_count; i++) {
        struct hs_gandiva_server *s = &g->servers[g->span_nodes[i]];
        s->affinity = are_empty ? gpus : s->affinity;
        s->reserved = 0;
        hs_gandiva_refresh(g, g->span_nodes[i]);
    }
    return true;
}

/* ---- Algorithm 1 ---- */

/* Steps 1 to 3 for one server. */
static uint32_t on_free_gpus(struct hs_gandiva *g, hs_job_id job, uint32_t gpus)
{
    uint32_t server = of_its_size(g, job, gpus);
    if (server == HS_NO_NODE)
        server = of_no_size(g, job, gpus);
    return server != HS_NO_NODE ? server : best_fit(g, job, gpus);
}

/* Free GPUs of any type before turns on the first one. */
static bool place(struct hs_gandiva *g, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(g->v, job);
    const bool may_take_turns = gpus <= g->widest && g->slices;
    uint32_t server = HS_NO_NODE;
    bool is_found = false;
    if (!is_within_quota(g, job))
        return false;
    struct hs_type_turns turns = hs_type_turns(g->v, job, g->types);
    while (hs_next_type(&turns, g->v, is_found)) {
        server = gpus <= g->widest ? on_free_gpus(g, job, gpus) : HS_NO_NODE;
        is_found = server != HS_NO_NODE || place_spread(g, job, gpus);
    }
    if (is_found && server == HS_NO_NODE) /* spread */
        return true;
    turns = hs_type_turns(g->v, job, g->types);
    while (may_take_turns && hs_next_type(&turns, g->v, server != HS_NO_NODE))
        server = to_take_turns(g, job, gpus);
    if (server == HS_NO_NODE)
        return false;
    bool has_room = room_of(g, server) >= gpus;
    hs_gandiva_join(g, job, server);
    /* A job with constraints starts at once, so that the next placement sees which CPUs and host
     * memory are left; but not where a job of higher priority could stop it within the same plan.
     */
    if (has_room && hs_view_is_constrained(g->v, job) && !g->has_priorities) {
        hs_gandiva_reclaim(g, server, gpus, true);
        if (hs_view_node_free(g->v, server) >= gpus)
            hs_gandiva_allocate(g, job, HS_GANDIVA_START, NULL, gpus);
    }
    return true;
}

/* ---- waiting jobs ---- */

static uint32_t queue_of(const struct hs_gandiva *g, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(g->v, job), size = gpus <= g->widest ? gpus : g->widest + 1;
    return hs_view_vc(g->v, job) * g->sizes + size;
}

void hs_gandiva_enqueue(struct hs_gandiva *g, hs_job_id job)
{
    uint32_t queue = queue_of(g, job);
    hs_job_queue_add(&g->queues[queue], g->v, job, 0);
    g->waits[queue / 64] |= UINT64_C(1) << queue % 64;
    hs_gandiva_job(g, job)->where = HS_GANDIVA_WAITS;
    g->pools[hs_gandiva_pool_of(g, job)].has_arrival = true;
}

void hs_gandiva_dequeue(struct hs_gandiva *g, hs_job_id job)
{
    uint32_t queue = queue_of(g, job);
    hs_job_queue_remove(&g->queues[queue], g->v, job);
    if (g->queues[queue].count == 0)
        g->waits[queue / 64] &= ~(UINT64_C(1) << queue % 64);
    if (hs_gandiva_job(g, job)->where == HS_GANDIVA_WAITS) /* it could not be placed */
        hs_gandiva_job(g, job)->where = HS_GANDIVA_NOWHERE;
}

/* Tries a job and returns the next one of its queue that is worth a try. Behind a gang without
 * constraints that fits nowhere these are jobs with constraints, and, in the queue of gangs larger
 * than a server, smaller gangs, or those within the free GPUs if these are what was short. */
static hs_job_id try_and_advance(struct hs_gandiva *g, hs_job_id job, uint32_t queue)
{
    struct hs_job_queue *jobs = &g->queues[queue];
    uint64_t *limit = &g->limits[queue], gpus = hs_view_gpus(g->v, job);
    bool is_constrained = hs_view_is_constrained(g->v, job) || g->types == HS_TYPES_MATCH;
    hs_job_id next =
        hs_job_queue_next_within(jobs, g->v, job, (struct hs_gang_limits){*limit, UINT64_MAX});
    bool is_out = gpus == 0 || place(g, job);
    if (gpus == 0) {
        hs_plan_reason(g->p, NULL);
        hs_plan_start(g->p, job);
    } else if (!is_out) { /* GPUs that this plan has given away may still look idle */
        is_out =
            g->pools[hs_gandiva_pool_of(g, job)].jobs == 0 && hs_reject_hopeless(g->v, g->p, job);
    }
    if (is_out)
        hs_gandiva_dequeue(g, job);
    if (is_out || is_constrained)
        return next;
    *limit = 0;
    if (gpus > g->widest) {
        uint64_t room = pool_room(g, job);
        bool has_no_room = is_within_quota(g, job) && g->pools[hs_gandiva_pool_of(g, job)].jobs > 0;
        *limit = has_no_room && room < gpus - 1 ? room : gpus - 1;
    }
    return hs_job_queue_next_within(jobs, g->v, job, (struct hs_gang_limits){*limit, UINT64_MAX});
}

/* Scans the queues [first, end), merged in order of submission: all jobs, or those submitted in
 * this instant. */
static void scan_queues(struct hs_gandiva *g, uint32_t first, uint32_t end, bool only_new)
{
    struct hs_merge_heap heads = {.at = g->heads, .order = g->queues};
    for (uint32_t word = first / 64; word * 64 < end; word++)
        for (uint64_t bits = g->waits[word]; bits != 0; bits &= bits - 1) {
            uint32_t queue = word * 64 + HS_CTZ64(bits);
            const struct hs_job_queue *jobs = &g->queues[queue];
            if (queue < first || queue >= end)
                continue;
            hs_job_id job = only_new ? HS_NO_JOB : hs_job_queue_first(jobs);
            for (hs_job_id at = only_new ? hs_job_queue_last(jobs) : HS_NO_JOB;
                 at != HS_NO_JOB && hs_view_submit_us(g->v, at) == hs_view_now_us(g->v);
                 at = hs_job_queue_prev(jobs, g->v, at))
                job = at;
            g->limits[queue] = UINT64_MAX;
            if (job != HS_NO_JOB)
                hs_merge_heap_add(&heads, g->v, (struct hs_merge_head){job, queue});
        }
    while (heads.count > 0) {
        struct hs_merge_head head = heads.at[0];
        head.job = try_and_advance(g, head.job, head.set);
        hs_merge_heap_replace_first(&heads, g->v, head);
    }
}

void hs_gandiva_scan(struct hs_gandiva *g)
{
    uint32_t queues = g->vcs / g->pool_count * g->sizes; /* queues of a pool */
    for (uint32_t i = 0; i < g->pool_count; i++) {
        struct hs_gandiva_pool *pool = &g->pools[i];
        if (pool->has_arrival || pool->has_departure)
            scan_queues(g, i * queues, (i + 1) * queues, !pool->has_departure);
        pool->has_arrival = pool->has_departure = false;
    }
}

/* ---- moves ---- */

static void move(struct hs_gandiva *g, hs_job_id job, uint32_t to, const char *reason)
{
    uint32_t gpus = hs_view_gpus(g->v, job);
    bool is_running = hs_gandiva_job(g, job)->is_running;
    hs_gandiva_leave(g, job);
    if (hs_gandiva_is_empty(&g->servers[to]))
        g->servers[to].affinity = gpus;
    hs_gandiva_join(g, job, to);
    hs_gandiva_job(g, job)->alone_q32 = 0;
    if (is_running) {
        hs_gandiva_reclaim(g, to, gpus, true);
        hs_plan_reason(g->p, reason);
        hs_gandiva_allocate(g, job, HS_GANDIVA_MOVE, NULL, gpus);
    } else if (hs_view_state(g->v, job) == HS_JOB_SUSPENDED) {
        hs_plan_reason(g->p, reason);
        hs_plan_add_overhead(g->p, job, hs_gandiva_pause_us(g, job, true));
    }
}

/* ---- heights ---- */

/* The smallest single job of the server that has at most so many GPUs; ties: the youngest. None
 * while a unit has outgrown its GPU: nothing may change there until the engine has ended it. */
static hs_job_id to_move(const struct hs_gandiva *g, uint32_t server, uint32_t most)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id best = HS_NO_JOB;
    if (s->is_processor_sharing && hs_gandiva_is_overfull(g, s))
        return best;
    HS_EACH_CHAINED(u, &s->ring, g->v) {
        const struct hs_gandiva_job *j = hs_gandiva_job(g, u);
        uint32_t gpus = hs_view_gpus(g->v, u),
                 least = best == HS_NO_JOB ? 0 : hs_view_gpus(g->v, best);
        if (gpus > most || j->members > 1 || (j->is_running && !s->is_processor_sharing) ||
            j->touched == g->plan)
            continue;
        if (best == HS_NO_JOB || gpus < least ||
            (gpus == least && hs_job_queue_tie_is_before(g->v, best, u)))
            best = u;
    }
    return best;
}

bool hs_gandiva_reduce_height(struct hs_gandiva *g, uint32_t pool)
{
    const struct hs_gandiva_index *set = &g->by_excess;
    uint32_t end = hs_gandiva_index_from(&g->by_free, hs_gandiva_free_key(pool + 1, INT32_MIN));
    uint32_t most = 0; /* most free GPUs of a server */
    if (g->pools[pool].opened_gpus <
        g->pools[pool].gpus) /* some server of the pool is empty, of whatever size */
        most = g->widest;
    else if (end > 0 && g->by_free.at[end - 1].key >= hs_gandiva_free_key(pool, 0))
        most = room_of(g, g->by_free.at[end - 1].server);
    for (uint32_t i = hs_gandiva_index_from(set, hs_gandiva_class_key(g, pool, 1));
         i < set->count && set->at[i].key < hs_gandiva_class_key(g, pool, most + 1); i++) {
        hs_job_id job = to_move(g, set->at[i].server, most);
        if (job == HS_NO_JOB)
            continue;
        struct hs_type_turns turns = hs_type_turns(g->v, job, g->types);
        const uint32_t gpus = hs_view_gpus(g->v, job);
        uint32_t to = HS_NO_NODE;
        while (hs_next_type(&turns, g->v, to != HS_NO_NODE))
            if ((to = best_fit(g, job, gpus)) == HS_NO_NODE)
                to = empty_server(g, job, gpus, false);
        if (to == HS_NO_NODE)
            continue;
        move(g, job, to, "to a server with free GPUs: on its own it takes turns");
        return true;
    }
    return false;
}

/* ---- locality ---- */

/* The slower of two spread jobs, if the server could hold it; ties: the first submitted. */
static hs_job_id slower(const struct hs_gandiva *g, uint32_t server, hs_job_id job, hs_job_id best)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t gpus = hs_view_gpus(g->v, job), own = 0;
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus && s->pinned > 0; gpu++)
        own += g->pin_owner[gpu] == job + 1;
    const uint32_t node = hs_view_gpu_node(g->v, hs_gandiva_job(g, job)->first_pin);
    if (hs_gandiva_job(g, job)->touched == g->plan || hs_view_state(g->v, job) != HS_JOB_RUNNING ||
        !hs_view_may_use(g->v, job, server) ||
        (g->types != HS_TYPES_ANY && /* it stays on its GPU type */
         hs_view_node(g->v, node)->type != hs_view_node(g->v, server)->type) ||
        hs_gandiva_free(s) + own < (int64_t)gpus ||
        !hs_gandiva_has_workers(g, job, server, gpus - own))
        return best;
    if (best == HS_NO_JOB)
        return job;
    uint64_t own_q32 = hs_view_rate_q32(g->v, job), best_q32 = hs_view_rate_q32(g->v, best);
    bool is_tie = own_q32 == best_q32;
    return own_q32 < best_q32 || (is_tie && hs_job_queue_tie_is_before(g->v, job, best)) ? job
                                                                                         : best;
}

/* The spread job to be moved to this server: of those of at most its free GPUs and those with a
 * part on it, the slowest. */
static hs_job_id to_gather(struct hs_gandiva *g, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    int64_t free_gpus = hs_gandiva_free(s);
    hs_job_id best = HS_NO_JOB;
    if (free_gpus <= 0)
        return best;
    for (hs_job_id j = hs_job_queue_next_fitting(&g->spread, g->v, HS_NO_JOB, (uint64_t)free_gpus);
         j != HS_NO_JOB; j = hs_job_queue_next_fitting(&g->spread, g->v, j, (uint64_t)free_gpus))
        best = slower(g, server, j, best);
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus && s->pinned > 0; gpu++)
        if (g->pin_owner[gpu] != 0 && hs_view_gpus(g->v, g->pin_owner[gpu] - 1) <= g->widest)
            best = slower(g, server, g->pin_owner[gpu] - 1, best);
    return best;
}

void hs_gandiva_gather(struct hs_gandiva *g)
{
    for (uint32_t i = 0; i < g->gained_count && g->spread.count > 0; i++) {
        hs_job_id job;
        while ((job = to_gather(g, g->gained[i])) != HS_NO_JOB)
            move(g, job, g->gained[i], "locality: one server has room for all of it now");
    }
}

/* ---- defragmentation ---- */

/* A server of the same type with fewer free GPUs, enough of which are not set aside. */
static uint32_t target_of(const struct hs_gandiva *g, hs_job_id job, uint32_t from)
{
    const struct hs_gandiva_index *set = &g->by_free;
    uint32_t gpus = hs_view_gpus(g->v, job), pool = g->servers[from].pool;
    uint64_t end = hs_gandiva_free_key(pool, hs_gandiva_free(&g->servers[from]));
    for (uint32_t i = hs_gandiva_index_from(set, hs_gandiva_free_key(pool, gpus));
         i < set->count && set->at[i].key < end; i++) {
        uint32_t at = set->at[i].server;
        const struct hs_gandiva_server *s = &g->servers[at];
        if (hs_gandiva_free(s) - s->reserved >= (int64_t)gpus && hs_view_may_use(g->v, job, at) &&
            hs_view_node(g->v, at)->type == hs_view_node(g->v, from)->type &&
            hs_gandiva_has_workers(g, job, at, s->reserved + gpus))
            return at;
    }
    return HS_NO_NODE;
}

/* Moves all jobs of a server elsewhere, larger gangs first, if each has a target. */
static bool vacate_server(struct hs_gandiva *g, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t count = 0, found = 0, to;
    if (s->pinned > 0 || s->grown > 0 ||
        (uint64_t)hs_gandiva_free(s) * 1000000 < (uint64_t)g->defrag_ppm * s->gpus)
        return false;
    HS_EACH_CHAINED(u, &s->ring, g->v) {
        const struct hs_gandiva_job *l = hs_gandiva_job(g, u);
        if (l->members > 1 || !l->is_running || l->touched == g->plan)
            return false;
        g->movers[count++] = hs_job_place(g->v, u, -(int64_t)hs_view_gpus(g->v, u));
    }
    hs_sort(g->movers, count);
    for (; found < count; found++) {
        if ((to = target_of(g, g->movers[found].job, server)) == HS_NO_NODE)
            break;
        g->targets[found].job = to;
        g->servers[to].reserved += hs_view_gpus(g->v, g->movers[found].job);
    }
    for (uint32_t i = 0; i < found; i++)
        g->servers[g->targets[i].job].reserved = 0;
    for (uint32_t i = 0; i < count && found == count; i++)
        move(g, g->movers[i].job, g->targets[i].job, "defragmentation: its server is to be empty");
    return found == count;
}

/* Vacates the first server that can be: those with most free GPUs first, then by number. */
bool hs_gandiva_vacate_one(struct hs_gandiva *g, uint32_t pool)
{
    const struct hs_gandiva_index *set = &g->by_free;
    uint32_t end = hs_gandiva_index_from(set, hs_gandiva_free_key(pool + 1, INT32_MIN));
    uint32_t least = (uint32_t)((uint64_t)g->defrag_ppm * g->narrowest / 1000000);
    uint64_t least_key = hs_gandiva_free_key(pool, least > 0 ? least : 1);
    while (end > 0 && set->at[end - 1].key >= least_key) {
        uint32_t first = hs_gandiva_index_from(set, set->at[end - 1].key);
        for (uint32_t i = first; i < end; i++)
            if (vacate_server(g, set->at[i].server))
                return true;
        end = first;
    }
    return false;
}

/* ---- growth ---- */

static uint32_t largest_power_of_two(uint32_t most)
{
    uint32_t power = 1;
    while (power <= most / 2)
        power *= 2;
    return power;
}

/* The largest of the jobs that have grown; ties: the youngest. */
static hs_job_id to_shrink(const struct hs_gandiva *g, uint32_t server)
{
    hs_job_id best = HS_NO_JOB;
    uint32_t most = 0;
    HS_EACH_CHAINED(u, &g->servers[server].ring, g->v) {
        const struct hs_gandiva_job *l = hs_gandiva_job(g, u);
        if (l->held <= hs_view_gpus(g->v, u) || l->touched == g->plan || l->held < most)
            continue;
        if (l->held > most || hs_job_queue_tie_is_before(g->v, best, u))
            best = u;
        most = l->held;
    }
    return best;
}

void hs_gandiva_reclaim(struct hs_gandiva *g, uint32_t server, uint32_t gpus, bool takes_all)
{
    uint32_t idle;
    while (g->servers[server].grown > 0 && (idle = hs_view_node_free(g->v, server)) < gpus) {
        hs_job_id job = to_shrink(g, server);
        if (job == HS_NO_JOB)
            return;
        uint32_t held = hs_gandiva_job(g, job)->held, kept = hs_view_gpus(g->v, job);
        if (!takes_all && held >= gpus - idle + kept) {
            uint32_t size = largest_power_of_two(held - (gpus - idle));
            kept = size > kept ? size : kept;
        }
        hs_plan_reason(g->p, "shrinks: others of its server want the GPUs that it grew onto");
        hs_gandiva_allocate(g, job, HS_GANDIVA_RESIZE, NULL, kept);
    }
}

/* GPUs that the job could hold with so many more; what it holds if that is not more. */
static uint32_t could_hold(const struct hs_gandiva *g, hs_job_id job, uint32_t idle)
{
    uint32_t held = hs_gandiva_job(g, job)->held, most = hs_view_gpus_max(g->v, job);
    uint32_t size = largest_power_of_two(held + idle < most ? held + idle : most);
    return size > held ? size : held;
}

/* The job with most progress per GPU; ties: the first submitted. */
static hs_job_id to_grow(const struct hs_gandiva *g, uint32_t server, uint32_t idle)
{
    hs_job_id best = HS_NO_JOB;
    HS_EACH_CHAINED(u, &g->servers[server].ring, g->v) {
        const struct hs_gandiva_job *l = hs_gandiva_job(g, u);
        if (!l->is_elastic || l->members > 1 || !l->is_running || l->touched == g->plan ||
            hs_view_state(g->v, u) != HS_JOB_RUNNING)
            continue;
        uint32_t more = could_hold(g, u, idle) - l->held;
        if (more == 0 || !hs_gandiva_has_workers(g, u, server, more))
            continue;
        hs_u128 own = hs_view_rate_q32(g->v, u), other = l->held;
        if (best != HS_NO_JOB) { /* compares rate / GPUs by cross multiplication */
            own *= hs_gandiva_job(g, best)->held;
            other *= hs_view_rate_q32(g->v, best);
        }
        if (best == HS_NO_JOB || own > other ||
            (own == other && hs_job_queue_tie_is_before(g->v, u, best)))
            best = u;
    }
    return best;
}

void hs_gandiva_grow(struct hs_gandiva *g, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t idle;
    if (!g->grows || s->elastic == 0 || s->is_over || s->has_split ||
        hs_view_now_us(g->v) - s->idle_since_us < g->grow_idle_us)
        return;
    while ((idle = hs_view_node_free(g->v, server)) > 0) {
        hs_job_id job = to_grow(g, server, idle);
        if (job == HS_NO_JOB)
            return;
        hs_plan_reason(g->p, "grows onto idle GPUs of its server");
        hs_gandiva_allocate(g, job, HS_GANDIVA_RESIZE, NULL, could_hold(g, job, idle));
    }
}
