/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithm 1 of Gandiva (Xiao et al., OSDI'18), and what it leaves open:
 *
 *     1  the server of least height (demand / GPUs) among those opened for gangs of this size, if
 *        it has enough free GPUs
 *     2  an empty server, the smallest that will do, which is then opened for this size; for a gang
 *        larger than a server as many empty servers as it takes
 *     3  any free GPUs: of one server, the one with fewest that will do; else of as few servers as
 *        possible
 *     4  the server of 1, beyond what it has, up to max_height: its jobs take turns
 *     5  none: the job waits
 *
 * A spread gang takes no turns, so 4 is not for gangs larger than a server. Under 4 a server whose
 * GPUs are all taken by jobs of higher priority comes after the others. O(log servers) for each
 * server that is looked at: one, unless jobs ask for GPU types, CPUs or host memory.
 *
 * Jobs under 5 stand in a queue for each virtual cluster and gang size. They are tried in order of
 * submission; those that do not fit are skipped. Where a gang without constraints fits nowhere, no
 * other of its size does, and the rest of its queue is skipped: a scan costs O(sizes x log jobs)
 * besides the jobs that are placed. If nothing but submissions happened since the last scan, only
 * new jobs are tried.
 */
#include "policies/gandiva/gandiva.h"

/* GPUs of the job's pool without demand. */
static uint64_t pool_room(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, v, job)];
    return pool->gpus - pool->opened_gpus + pool->free_gpus;
}

static bool is_within_quota(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t vc = hs_view_vc(v, job);
    return g->claimed[vc] + hs_view_gpus(v, job) <= hs_view_quota(v, vc);
}

/* The first server from one key to before another that could host so many GPUs of the job. */
static uint32_t first_host(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                           const struct hs_gandiva_index *set, uint64_t from, uint64_t end,
                           uint32_t gpus)
{
    for (uint32_t i = hs_gandiva_index_from(set, from); i < set->count && set->at[i].key < end;
         i++) {
        uint32_t server = set->at[i].server;
        if (g->servers[server].reserved == 0 && hs_view_may_use(v, job, server) &&
            hs_gandiva_has_workers(v, job, server, gpus))
            return server;
    }
    return HS_NO_NODE;
}

uint32_t hs_gandiva_best_fit(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                             uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job);
    return first_host(g, v, job, &g->by_free, hs_gandiva_free_key(pool, gpus),
                      hs_gandiva_free_key(pool + 1, INT32_MIN), gpus);
}

/* Of this size, lowest number from `from` on. */
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

static uint32_t room_of(const struct hs_gandiva *g, uint32_t server)
{
    int64_t free_gpus = server == HS_NO_NODE ? 0 : hs_gandiva_free(&g->servers[server]);
    return free_gpus > 0 ? (uint32_t)free_gpus : 0;
}

/* ---- on one server ---- */

/* 1: the usable server of least height of the class, if it has room. */
static uint32_t of_its_size(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                            uint32_t gpus)
{
    const struct hs_gandiva_index *set = &g->by_height;
    uint64_t class = hs_gandiva_class_key(g, hs_gandiva_pool_of(g, v, job), gpus);
    for (uint32_t i = hs_gandiva_index_from(set, class);
         i < set->count && set->at[i].key >> 32 == class >> 32; i++) {
        uint32_t server = set->at[i].server;
        if (!hs_gandiva_is_usable(g, v, job, server))
            continue;
        bool has_room = room_of(g, server) >= gpus && hs_gandiva_has_workers(v, job, server, gpus);
        return has_room ? server : HS_NO_NODE;
    }
    return HS_NO_NODE;
}

/* 2: an empty server, or one that is opened for no size because a spread gang took what it needed
 * of it; the one with fewest free GPUs. */
static uint32_t of_no_size(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                           uint32_t gpus)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job);
    uint32_t server = hs_gandiva_empty_server(g, v, job, gpus);
    uint32_t partly = first_host(g, v, job, &g->unlabelled, hs_gandiva_class_key(g, pool, gpus),
                                 hs_gandiva_class_key(g, pool + 1, 0), gpus);
    if (partly != HS_NO_NODE && (server == HS_NO_NODE || room_of(g, partly) <= room_of(g, server)))
        server = partly;
    if (server != HS_NO_NODE)
        g->servers[server].affinity = gpus;
    return server;
}

/* Where servers are sliced by shares, a job with more memory than a GPU has shares none. */
static bool has_memory_for_turns(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                                 const struct hs_gandiva_server *s)
{
    bool may_be_shared = s->is_over
                             ? s->is_processor_sharing
                             : g->slicing != HS_SLICING_EXACT && s->gpus <= HS_GANDIVA_WIDEST;
    return !may_be_shared || (s->giants == 0 && !hs_gandiva_is_overfull(v, s) &&
                              hs_gandiva_fits_gpu(v, s->first_gpu, hs_view_gpu_mem_mib(v, job)));
}

/* Jobs of higher priority leave it no GPUs there. */
static bool is_outranked(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                         const struct hs_gandiva_server *s)
{
    uint64_t gpus = hs_view_gpus(v, job);
    if (!g->has_priorities)
        return false;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next)
        if (hs_view_priority(v, u) > hs_view_priority(v, job))
            gpus += hs_view_gpus(v, u);
    return gpus > s->gpus - s->pinned;
}

/* 4 */
static uint32_t to_take_turns(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                              uint32_t gpus)
{
    const struct hs_gandiva_index *set = &g->by_height;
    uint64_t class = hs_gandiva_class_key(g, hs_gandiva_pool_of(g, v, job), gpus);
    uint32_t outranked = HS_NO_NODE;
    for (uint32_t i = hs_gandiva_index_from(set, class);
         i < set->count && set->at[i].key >> 32 == class >> 32; i++) {
        uint32_t server = set->at[i].server;
        const struct hs_gandiva_server *s = &g->servers[server];
        if ((uint64_t)s->demand + s->trials + gpus > (uint64_t)g->max_height * s->gpus) {
            if (s->gpus == g->widest) /* all others are at least as high */
                break;
            continue;
        }
        if (!hs_gandiva_is_usable(g, v, job, server) ||
            !hs_gandiva_has_workers(v, job, server, gpus) || !has_memory_for_turns(g, v, job, s))
            continue;
        if (!is_outranked(g, v, job, s))
            return server;
        outranked = outranked == HS_NO_NODE ? server : outranked;
    }
    return outranked;
}

/* ---- on several servers ---- */

static void span_add(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server,
                     uint32_t gpus)
{
    g->span_nodes[g->span_count] = server;
    g->span_gpus[g->span_count++] = gpus;
    g->servers[server].reserved = gpus; /* a server is used once, though its CPUs end first */
    hs_gandiva_pin(g, v, job, server, gpus);
}

static void span_undo(struct hs_gandiva *g, const struct hs_view *v)
{
    while (g->span_count > 0) {
        uint32_t server = g->span_nodes[--g->span_count];
        g->servers[server].demand -= g->span_gpus[g->span_count];
        g->servers[server].pinned -= g->span_gpus[g->span_count];
        g->servers[server].reserved = 0;
        hs_gandiva_refresh(g, v, server);
    }
}

/* Workers of the job that a server with so much room serves, at most `rest`. */
static uint32_t workers_of(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                           uint32_t server, uint32_t rest)
{
    uint32_t room = room_of(g, server), workers = UINT32_MAX;
    if (server != HS_NO_NODE && hs_view_is_constrained(v, job))
        workers = hs_view_node_workers(v, job, server);
    room = room < rest ? room : rest;
    return workers < room ? workers : room;
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

/* The opened server with most free GPUs of those that could host a worker, lowest number. */
static uint32_t most_free(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t pool = hs_gandiva_pool_of(g, v, job);
    const struct hs_gandiva_index *set = &g->by_free;
    uint32_t end = hs_gandiva_index_from(set, hs_gandiva_free_key(pool + 1, INT32_MIN));
    while (end > 0 && set->at[end - 1].key >= hs_gandiva_free_key(pool, 1)) {
        uint64_t key = set->at[end - 1].key;
        uint32_t server = first_host(g, v, job, set, key, key + 1, 1);
        if (server != HS_NO_NODE)
            return server;
        end = hs_gandiva_index_from(set, key);
    }
    return HS_NO_NODE;
}

/* The next server of a gang over few servers: one that ends it, with least left over, or the one
 * with most free GPUs. */
static uint32_t next_of_span(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                             uint32_t rest)
{
    uint32_t opened = hs_gandiva_best_fit(g, v, job, rest);
    uint32_t empty = rest <= g->widest ? hs_gandiva_empty_server(g, v, job, rest) : HS_NO_NODE;
    if (opened != HS_NO_NODE && (empty == HS_NO_NODE || room_of(g, opened) <= room_of(g, empty)))
        return opened;
    if (empty != HS_NO_NODE)
        return empty;
    opened = most_free(g, v, job);
    empty = largest_empty(g, v, job);
    return room_of(g, empty) > room_of(g, opened) ? empty : opened;
}

/* Empty servers are too few for the gang. Those that were considered, from the largest on, count as
 * changed: no job is affected, but the next look at what to defragment is scheduled. */
static void touch_empty_servers(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    for (uint32_t size = hs_view_node_size(v, job, UINT32_MAX); size > 0;
         size = hs_view_node_size(v, job, size - 1))
        for (uint32_t node = empty_of_size(g, v, job, size, 0); node != HS_NO_NODE;
             node = empty_of_size(g, v, job, size, node + 1)) {
            if (workers_of(g, v, job, node, size) == 0)
                return;
            g->servers[node].is_changed = true;
            g->pools[hs_gandiva_pool_of(g, v, job)].is_defrag_due = true;
            hs_gandiva_touch(g, node);
        }
}

/* Finds servers for all of the gang: empty ones (2), or with any free GPUs (3). */
static bool span_find(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, bool is_empty)
{
    const struct hs_gandiva_pool *pool = &g->pools[hs_gandiva_pool_of(g, v, job)];
    uint32_t rest = hs_view_gpus(v, job);
    if (is_empty && pool->gpus - pool->opened_gpus < rest) {
        touch_empty_servers(g, v, job);
        return false;
    }
    if (pool_room(g, v, job) < rest)
        return false;
    while (rest > 0) {
        uint32_t node;
        if (is_empty) {
            node = hs_gandiva_empty_server(g, v, job, rest);
            node = node != HS_NO_NODE ? node : largest_empty(g, v, job);
        } else {
            node = next_of_span(g, v, job, rest);
        }
        uint32_t gpus = workers_of(g, v, job, node, rest);
        if (gpus == 0)
            return false;
        span_add(g, v, job, node, gpus);
        rest -= gpus;
    }
    return true;
}

/* The job starts on the servers that were found. */
static void span_take(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    uint32_t *link = &j->first_pin;
    for (uint32_t i = 0; i < g->span_count; i++)
        hs_gandiva_reclaim(g, v, p, g->span_nodes[i], g->span_gpus[i], true);
    hs_plan_reason(p, g->span_count > 1 ? "on several servers: none has room for all of it" : NULL);
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
    g->claimed[hs_view_vc(v, job)] += j->held;
    g->pools[hs_gandiva_pool_of(g, v, job)].jobs++;
    if (j->held <= g->widest)
        hs_job_queue_add(&g->spread, v, job, 0);
}

static bool place_spread(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                         hs_job_id job, uint32_t gpus)
{
    g->span_count = 0;
    bool are_empty = gpus > g->widest && span_find(g, v, job, true);
    if (are_empty)
        for (uint32_t i = 0; i < g->span_count; i++)
            g->servers[g->span_nodes[i]].affinity = gpus;
    if (!are_empty)
        span_undo(g, v);
    if (!are_empty && !span_find(g, v, job, false)) {
        span_undo(g, v);
        return false;
    }
    span_take(g, v, p, job);
    for (uint32_t i = 0; i < g->span_count; i++) {
        g->servers[g->span_nodes[i]].reserved = 0;
        hs_gandiva_refresh(g, v, g->span_nodes[i]);
    }
    return true;
}

/* ---- Algorithm 1 ---- */

static bool place(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job);
    if (!is_within_quota(g, v, job))
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
    bool has_room = room_of(g, server) >= gpus;
    hs_gandiva_join(g, v, job, server);
    /* A job with constraints starts at once, so that the next placement sees what CPUs and host
     * memory are left; not where one of higher priority may come in the same plan and stop it. */
    if (has_room && hs_view_is_constrained(v, job) && !g->has_priorities) {
        hs_gandiva_reclaim(g, v, p, server, gpus, true);
        if (hs_view_node_free(v, server) >= gpus)
            hs_gandiva_allocate_idle(g, v, p, job, HS_GANDIVA_START, 0, gpus);
    }
    return true;
}

/* ---- waiting jobs ---- */

static uint32_t queue_of(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job), size = gpus <= g->widest ? gpus : g->widest + 1;
    return hs_view_vc(v, job) * g->sizes + size;
}

void hs_gandiva_enqueue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t queue = queue_of(g, v, job);
    hs_job_queue_add(&g->queues[queue], v, job, 0);
    g->waits[queue / 64] |= UINT64_C(1) << queue % 64;
    hs_gandiva_job(v, job)->where = HS_GANDIVA_WAITS;
    g->has_arrival[hs_view_vc(v, job)] = true;
}

static void take_out(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint32_t queue = queue_of(g, v, job);
    hs_job_queue_remove(&g->queues[queue], v, job);
    if (g->queues[queue].count == 0)
        g->waits[queue / 64] &= ~(UINT64_C(1) << queue % 64);
}

void hs_gandiva_dequeue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    if (hs_job_queue_has(v, job))
        take_out(g, v, job);
    hs_gandiva_job(v, job)->where = HS_GANDIVA_NOWHERE;
}

/* True when the job is out of the queue: started, placed, or rejected. */
static bool try_job(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    if (hs_view_gpus(v, job) == 0) {
        hs_gandiva_dequeue(g, v, job);
        hs_plan_reason(p, NULL);
        hs_plan_start(p, job);
        return true;
    }
    if (place(g, v, p, job)) {
        take_out(g, v, job);
        return true;
    }
    /* GPUs that were given away in this plan may look idle still */
    if (g->pools[hs_gandiva_pool_of(g, v, job)].jobs > 0 || !hs_reject_hopeless(v, p, job))
        return false;
    hs_gandiva_dequeue(g, v, job);
    return true;
}

/* The first job of a queue, or of those submitted in this instant. */
static hs_job_id first_of(const struct hs_job_queue *queue, const struct hs_view *v, bool only_new)
{
    hs_job_id first = HS_NO_JOB, at = hs_job_queue_last(queue, v);
    if (!only_new)
        return hs_job_queue_first(queue, v);
    while (at != HS_NO_JOB && hs_view_submit_us(v, at) == hs_view_now_us(v)) {
        first = at;
        at = hs_job_queue_prev(queue, v, at);
    }
    return first;
}

/* Tries a job and returns the next one of its queue that is worth a try. Behind a gang without
 * constraints that fits nowhere these are jobs with constraints, and, in the queue of gangs larger
 * than a server, smaller gangs, or those within the free GPUs if these are what was short. */
static hs_job_id try_and_advance(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                                 hs_job_id job, uint32_t queue)
{
    struct hs_job_queue *jobs = &g->queues[queue];
    uint64_t *limit = &g->limits[queue], gpus = hs_view_gpus(v, job);
    bool is_constrained = hs_view_is_constrained(v, job);
    hs_job_id next =
        hs_job_queue_next_within(jobs, v, job, (struct hs_gang_limits){*limit, UINT64_MAX});
    if (try_job(g, v, p, job) || is_constrained)
        return next;
    *limit = 0;
    if (gpus > g->widest) {
        uint64_t room = pool_room(g, v, job);
        bool has_no_room =
            is_within_quota(g, v, job) && g->pools[hs_gandiva_pool_of(g, v, job)].jobs > 0;
        *limit = has_no_room && room < gpus - 1 ? room : gpus - 1;
    }
    return hs_job_queue_next_within(jobs, v, job, (struct hs_gang_limits){*limit, UINT64_MAX});
}

/* Queues from `first` to before `end`, merged in order of submission. */
static void scan_queues(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        uint32_t first, uint32_t end, bool only_new)
{
    struct hs_merge_heap heads = {.at = g->heads, .order = g->queues};
    for (uint32_t word = first / 64; word * 64 < end; word++)
        for (uint64_t bits = g->waits[word]; bits != 0; bits &= bits - 1) {
            uint32_t queue = word * 64 + HS_CTZ64(bits);
            bool is_in = queue >= first && queue < end;
            hs_job_id job = is_in ? first_of(&g->queues[queue], v, only_new) : HS_NO_JOB;
            g->limits[queue] = UINT64_MAX;
            if (job != HS_NO_JOB)
                hs_merge_heap_add(&heads, v, (struct hs_merge_head){job, queue});
        }
    while (heads.count > 0) {
        struct hs_merge_head head = heads.at[0];
        head.job = try_and_advance(g, v, p, head.job, head.set);
        hs_merge_heap_replace_first(&heads, v, head);
    }
}

void hs_gandiva_scan(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    bool are_apart = g->pool_count > 1;
    for (uint32_t pool = 0; pool < g->pool_count; pool++) {
        uint32_t first_vc = are_apart ? pool : 0, end_vc = are_apart ? pool + 1 : g->vcs;
        bool has_arrival = false;
        for (uint32_t vc = first_vc; vc < end_vc; vc++) {
            has_arrival = has_arrival || g->has_arrival[vc];
            g->has_arrival[vc] = false;
        }
        if (has_arrival || g->pools[pool].has_departure)
            scan_queues(g, v, p, first_vc * g->sizes, end_vc * g->sizes,
                        !g->pools[pool].has_departure);
        g->pools[pool].has_departure = false;
    }
}
