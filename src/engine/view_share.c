/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of the view that serves policies which share GPUs (horus/view.h): what is on a GPU, and
 * where one more tenant costs least.
 */
#include <stdlib.h>

#include "engine/lookup.h"
#include "engine/plan.h"
#include "engine/shadow.h"
#include "engine/whole.h"
#include "horus/policy.h"

const struct hs_gpu *hs_lookup_gpu(const struct hs_view *v, uint32_t gpu)
{
    static const struct hs_gpu no_gpu = {.first_seat = HS_NO_SEAT};
    if (HS_LIKELY(gpu < v->engine->cluster->gpu_count))
        return &v->engine->gpus[gpu];
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about GPU %u, which is not there", gpu);
    return &no_gpu;
}

/* One that is asked about by itself: from now on each is kept. */
static const struct hs_gpu *lookup_tenants(const struct hs_view *v, uint32_t gpu)
{
    if (HS_UNLIKELY(v->engine->is_whole) && v->engine->plan.refused == HS_OK)
        v->engine->plan.refused = hs_whole_end(v->engine);
    return hs_lookup_gpu(v, gpu);
}

/* A policy without .load has no index to search. */
static bool may_search(const struct hs_view *v, hs_job_id job)
{
    if (HS_LIKELY(v->engine->share != NULL))
        return true;
    hs_plan_refuse(&v->engine->plan, job,
                   "it asked about GPUs to share, but does not co-locate or tells no loads");
    return false;
}

uint32_t hs_view_gpu_node(const struct hs_view *v, uint32_t gpu)
{
    return hs_lookup_gpu(v, gpu)->node;
}

uint32_t hs_view_gpu_tenants(const struct hs_view *v, uint32_t gpu)
{
    return lookup_tenants(v, gpu)->shadow_tenants;
}

hs_job_id hs_view_gpu_tenant(const struct hs_view *v, uint32_t gpu, uint32_t i)
{
    uint32_t seat = lookup_tenants(v, gpu)->first_seat;
    while (i > 0 && seat != HS_NO_SEAT) {
        seat = v->engine->jobs.seats[seat].next_on_gpu;
        i--;
    }
    return seat == HS_NO_SEAT ? HS_NO_JOB : v->engine->jobs.seats[seat].job;
}

bool hs_view_may_join(const struct hs_view *v, uint32_t gpu, hs_job_id job)
{
    const struct hs_gpu *g = lookup_tenants(v, gpu);
    return g->shadow_tenants == 0 ||
           (hs_shadow_is_open(v->engine, g) && !hs_lookup_job(v, job)->is_alone &&
            (v->engine->can & HS_CAN_COLOCATE) != 0);
}

uint32_t hs_view_gpu_room_mib(const struct hs_view *v, uint32_t gpu)
{
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_MEMORY, "room on a GPU"))
        return 0;
    const struct hs_gpu *g = hs_lookup_gpu(v, gpu);
    const struct hs_cluster *c = v->engine->cluster;
    if (c->types[c->nodes[g->node].type].mem_mib == 0)
        return UINT32_MAX;
    uint64_t capacity_mib = hs_gpu_capacity_mib(v->engine, g, g->shadow_tenants + 1u);
    return g->mem_claimed_mib < capacity_mib ? (uint32_t)(capacity_mib - g->mem_claimed_mib) : 0;
}

struct accept {
    const struct hs_engine *engine;
    const struct hs_job *job;
    uint32_t workers;
};

static bool accepts(const void *ctx, uint32_t node)
{
    const struct accept *a = ctx;
    return hs_free_can_book(a->engine->free_index, node, a->workers, &a->job->ask);
}

/* What a newcomer asks about one GPU after the other. */
struct inquiry {
    const struct hs_engine *engine;
    const struct hs_job *job;
    hs_load_cost *cost_of;
    const void *ctx;
    uint64_t limit_mib; /* of the claims on a shared GPU of the type */
    uint32_t capacity_mib, type;
    bool may_share;
};

static void inquire_node(struct inquiry *q, uint32_t node)
{
    const struct hs_engine *e = q->engine;
    q->type = e->cluster->nodes[node].type;
    q->capacity_mib = e->cluster->types[q->type].mem_mib;
    q->limit_mib = hs_gpu_capacity_mib(e, &e->gpus[e->cluster->nodes[node].first_gpu], 2);
    q->may_share = (e->can & HS_CAN_COLOCATE) != 0 && !q->job->is_alone;
}

static int64_t gpu_cost(const struct inquiry *q, const struct hs_gpu *gpu)
{
    if (gpu->shadow_tenants > 0 &&
        (!q->may_share || !hs_shadow_is_open(q->engine, gpu) ||
         gpu->mem_claimed_mib + hs_claim_mib(q->engine, q->job) > q->limit_mib))
        return HS_NEVER;
    const struct hs_load load = hs_shadow_load(q->engine, gpu);
    const struct hs_load_range point = {
        .least = load, .most = load, .capacity_mib = q->capacity_mib, .gpu_type = q->type};
    return q->cost_of(q->ctx, &point);
}

int64_t hs_view_gpu_cost(const struct hs_view *v, hs_job_id slot, uint32_t gpu,
                         hs_load_cost *cost_of, const void *ctx)
{
    const struct hs_engine *e = v->engine;
    const struct hs_gpu *g = lookup_tenants(v, gpu);
    struct inquiry q = {.engine = e, .job = hs_lookup_job(v, slot), .cost_of = cost_of, .ctx = ctx};
    if (!hs_free_fits(e->free_index, g->node, &q.job->ask, 0) ||
        !hs_free_can_book(e->free_index, g->node, 1, &q.job->ask))
        return HS_NEVER;
    inquire_node(&q, g->node);
    return gpu_cost(&q, g);
}

/* What the index has to agree with: the cost of each GPU as the engine knows it. HS_NEVER for one
 * that nobody holds. */
static int64_t shared_cost(struct inquiry *q, uint32_t id)
{
    const struct hs_engine *e = q->engine;
    const struct hs_gpu *gpu = &e->gpus[id];
    if (gpu->shadow_tenants == 0 || !hs_free_fits(e->free_index, gpu->node, &q->job->ask, 0) ||
        !hs_free_can_book(e->free_index, gpu->node, 1, &q->job->ask))
        return HS_NEVER;
    inquire_node(q, gpu->node);
    return gpu_cost(q, gpu);
}

static uint32_t scan_shared(struct inquiry *q, int64_t below, int64_t *cost)
{
    uint32_t best = HS_NO_GPU;
    *cost = below;
    for (uint32_t id = 0; id < q->engine->cluster->gpu_count; id++) {
        int64_t here = shared_cost(q, id);
        if (here < *cost) {
            *cost = here;
            best = id;
        }
    }
    return best;
}

static void scan_node(const struct hs_engine *e, const struct hs_job *job, uint32_t id,
                      hs_load_cost *cost_of, const void *ctx, int64_t *costs)
{
    const struct hs_node *node = &e->cluster->nodes[id];
    struct inquiry q = {.engine = e, .job = job, .cost_of = cost_of, .ctx = ctx};
    inquire_node(&q, id);
    for (uint32_t i = 0; i < node->gpus; i++)
        costs[i] = gpu_cost(&q, &e->gpus[node->first_gpu + i]);
}

void hs_view_node_costs(const struct hs_view *v, hs_job_id slot, uint32_t id, hs_load_cost *cost_of,
                        const void *ctx, int64_t *costs)
{
    const struct hs_engine *e = v->engine;
    const struct hs_node *node = hs_lookup_node(v, id);
    const struct hs_job *job = hs_lookup_job(v, slot);
    if (node->gpus == 0 || !may_search(v, slot))
        return;
    if (!hs_free_fits(e->free_index, id, &job->ask, 0) ||
        !hs_free_can_book(e->free_index, id, 1, &job->ask)) {
        for (uint32_t i = 0; i < node->gpus; i++)
            costs[i] = HS_NEVER;
        return;
    }
    if (e->config.scans_shared || job->is_alone) {
        scan_node(e, job, id, cost_of, ctx, costs);
        return;
    }
    const struct hs_load_range idle = {.capacity_mib = e->cluster->types[node->type].mem_mib,
                                       .gpu_type = node->type};
    const struct hs_share_query query = {
        .ask = &job->ask, .claim_mib = hs_claim_mib(e, job), .cost_of = cost_of, .ctx = ctx};
    hs_share_node_costs(e->share, &query, node->first_gpu, node->gpus, cost_of(ctx, &idle), costs);
}

int64_t hs_view_node_bound(const struct hs_view *v, hs_job_id slot, uint32_t id,
                           hs_load_cost *cost_of, const void *ctx)
{
    const struct hs_engine *e = v->engine;
    const struct hs_node *node = hs_lookup_node(v, id);
    const struct hs_job *job = hs_lookup_job(v, slot);
    if (node->gpus == 0 || !may_search(v, slot))
        return HS_NEVER;
    if (e->config.scans_shared)
        return INT64_MIN;
    const struct hs_load_range idle = {.capacity_mib = e->cluster->types[node->type].mem_mib,
                                       .gpu_type = node->type};
    const struct hs_share_query query = {.ask = &job->ask, .cost_of = cost_of, .ctx = ctx};
    return hs_share_node_bound(e->share, &query, id, cost_of(ctx, &idle));
}

static struct hs_share_query query_of(const struct accept *accept, hs_load_cost *cost_of,
                                      const void *ctx, int64_t below)
{
    const struct hs_ask *ask = &accept->job->ask;
    bool asks_of_nodes = (ask->cpus_milli_per_gpu | ask->mem_mib_per_gpu) != 0;
    return (struct hs_share_query){.ask = ask,
                                   .claim_mib = hs_claim_mib(accept->engine, accept->job),
                                   .cost_of = cost_of,
                                   .ctx = ctx,
                                   .below = below,
                                   .accepts = asks_of_nodes ? accepts : NULL,
                                   .accept_ctx = accept};
}

uint32_t hs_view_cheapest_shared(const struct hs_view *v, hs_job_id slot, hs_load_cost *cost_of,
                                 const void *ctx, int64_t below, int64_t *cost)
{
    const struct hs_engine *e = v->engine;
    const struct accept accept = {e, hs_lookup_job(v, slot), 1};
    struct inquiry q = {.engine = e, .job = accept.job, .cost_of = cost_of, .ctx = ctx};
    *cost = below;
    if (!may_search(v, slot) || accept.job->is_alone)
        return HS_NO_GPU;
    if (e->config.scans_shared)
        return scan_shared(&q, below, cost);
    const struct hs_share_query query = query_of(&accept, cost_of, ctx, below);
    return hs_share_cheapest(e->share, &query, cost);
}

uint64_t hs_view_seats_at_cost(const struct hs_view *v, hs_job_id slot, hs_load_cost *cost_of,
                               const void *ctx, uint64_t most)
{
    const struct hs_engine *e = v->engine;
    const struct accept accept = {e, hs_lookup_job(v, slot), 1};
    const struct hs_share_query query = query_of(&accept, cost_of, ctx, HS_NEVER);
    struct inquiry q = {.engine = e, .job = accept.job, .cost_of = cost_of, .ctx = ctx};
    uint64_t seats = 0;
    if (!may_search(v, slot))
        return 0;
    if (!e->config.scans_shared)
        return hs_share_count(e->share, &query, most);
    for (uint32_t id = 0; id < e->cluster->gpu_count && seats < most; id++)
        seats += e->gpus[id].shadow_tenants == 0
                     ? hs_free_fits(e->free_index, e->gpus[id].node, &q.job->ask, 0)
                     : shared_cost(&q, id) != HS_NEVER;
    return seats;
}

uint32_t hs_view_best_fit_of(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t type)
{
    struct hs_ask ask = hs_lookup_job(v, job)->ask;
    ask.type_mask &= type < HS_GPU_TYPES_MAX ? UINT64_C(1) << type : 0;
    return hs_free_best(v->engine->free_index, &ask, gpus);
}

uint32_t hs_view_gpu_types(const struct hs_view *v)
{
    return v->engine->cluster->type_count;
}

static const struct hs_gpu_type *type_of(const struct hs_view *v, uint32_t type)
{
    static const struct hs_gpu_type no_type = {.name = ""};
    if (HS_LIKELY(type < v->engine->cluster->type_count))
        return &v->engine->cluster->types[type];
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about GPU type %u, which is not there",
                   type);
    return &no_type;
}

uint32_t hs_view_type_mem_mib(const struct hs_view *v, uint32_t type)
{
    return type_of(v, type)->mem_mib;
}

uint64_t hs_view_type_speed_q32(const struct hs_view *v, uint32_t type)
{
    return type_of(v, type)->speed_q32;
}

uint32_t hs_view_idle_gpu(const struct hs_view *v, uint32_t node, uint32_t from)
{
    const struct hs_node *n = hs_lookup_node(v, node);
    uint32_t id = from > n->first_gpu ? from : n->first_gpu;
    while (id < n->first_gpu + n->gpus && lookup_tenants(v, id)->shadow_tenants > 0)
        id++;
    return id < n->first_gpu + n->gpus ? id : HS_NO_GPU;
}

static int64_t shares_of(int64_t rest, uint32_t share)
{
    return share == 0 ? UINT32_MAX : rest / share;
}

uint32_t hs_view_node_workers(const struct hs_view *v, hs_job_id slot, uint32_t node)
{
    const struct hs_ask *ask = &hs_lookup_job(v, slot)->ask;
    int64_t cpus_milli, mem_mib;
    if (node >= v->engine->cluster->node_count)
        return 0;
    hs_free_rest(v->engine->free_index, node, &cpus_milli, &mem_mib);
    int64_t by_cpu = shares_of(cpus_milli, ask->cpus_milli_per_gpu);
    int64_t by_mem = shares_of(mem_mib, ask->mem_mib_per_gpu);
    int64_t workers = by_cpu < by_mem ? by_cpu : by_mem;
    return workers <= 0 ? 0 : workers < UINT32_MAX ? (uint32_t)workers : UINT32_MAX;
}

/* GPUs of a node where the job could be seated, by counting. */
static uint32_t node_seats(const struct hs_engine *e, const struct hs_job *job, uint32_t id,
                           uint32_t margin_mib)
{
    const struct hs_node *node = &e->cluster->nodes[id];
    uint32_t mem_mib = e->cluster->types[node->type].mem_mib, seats = 0;
    if (!hs_free_fits(e->free_index, id, &job->ask, 0))
        return 0;
    for (uint32_t g = node->first_gpu; g < node->first_gpu + node->gpus; g++) {
        const struct hs_gpu *gpu = &e->gpus[g];
        uint64_t claims_mib = gpu->mem_claimed_mib + hs_claim_mib(e, job);
        seats += gpu->shadow_tenants == 0 ||
                 (hs_shadow_is_open(e, gpu) && claims_mib <= hs_gpu_capacity_mib(e, gpu, 2) &&
                  (mem_mib == 0 || claims_mib + margin_mib < mem_mib));
    }
    return seats;
}

uint64_t hs_view_seats(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *job = hs_lookup_job(v, slot);
    uint64_t seats = 0;
    if (!may_search(v, slot))
        return 0;
    if (!e->config.scans_shared)
        return hs_share_seats(e->share, &job->ask, hs_claim_mib(e, job), margin_mib);
    for (uint32_t n = 0; n < e->cluster->node_count; n++)
        seats += node_seats(e, job, n, margin_mib);
    return seats;
}

uint32_t hs_view_seat_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                           uint32_t gpus, uint32_t from)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *job = hs_lookup_job(v, slot);
    if (!may_search(v, slot))
        return HS_NO_NODE;
    if (!e->config.scans_shared)
        return hs_share_seat_node(e->share, &job->ask, hs_claim_mib(e, job), margin_mib, gpus,
                                  from);
    for (uint32_t n = from; n < e->cluster->node_count; n++)
        if (node_seats(e, job, n, margin_mib) >= (gpus > 0 ? gpus : 1))
            return n;
    return HS_NO_NODE;
}

static int cost_compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* HS_NEVER where the gang cannot be. */
static int64_t node_sum(const struct inquiry *q, uint32_t id, uint32_t margin_mib)
{
    const struct hs_node *node = &q->engine->cluster->nodes[id];
    int64_t costs[HS_NODE_GPUS_MAX], sum = 0;
    if (node_seats(q->engine, q->job, id, margin_mib) < q->job->gpus ||
        !hs_free_can_book(q->engine->free_index, id, q->job->gpus, &q->job->ask))
        return HS_NEVER;
    scan_node(q->engine, q->job, id, q->cost_of, q->ctx, costs);
    qsort(costs, node->gpus, sizeof *costs, cost_compare);
    if (costs[q->job->gpus - 1] == HS_NEVER)
        return HS_NEVER;
    for (uint32_t i = 0; i < q->job->gpus; i++)
        sum += costs[i];
    return sum;
}

static uint32_t scan_nodes(const struct inquiry *q, uint32_t margin_mib)
{
    const struct hs_engine *e = q->engine;
    uint32_t best = HS_NO_NODE;
    int64_t least = HS_NEVER;
    for (uint32_t n = 0; n < e->cluster->node_count; n++) {
        int64_t sum = node_sum(q, n, margin_mib);
        bool is_fuller = best != HS_NO_NODE && sum == least &&
                         hs_free_of_node(e->free_index, n) < hs_free_of_node(e->free_index, best);
        if (sum >= least && !is_fuller)
            continue;
        least = sum;
        best = n;
    }
    return best;
}

uint32_t hs_view_cheapest_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                               hs_load_cost *cost_of, const void *ctx)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *job = hs_lookup_job(v, slot);
    const struct accept accept = {e, job, job->gpus};
    const struct inquiry q = {.engine = e, .job = job, .cost_of = cost_of, .ctx = ctx};
    if (!may_search(v, slot) || job->gpus == 0)
        return HS_NO_NODE;
    if (e->config.scans_shared)
        return scan_nodes(&q, margin_mib);
    struct hs_share_query query = query_of(&accept, cost_of, ctx, HS_NEVER);
    if (job->is_alone)
        query.claim_mib = UINT32_MAX;
    return hs_share_gang_node(e->share, &query, job->gpus, margin_mib);
}

bool hs_view_is_full(const struct hs_view *v, hs_job_id slot)
{
    return !may_search(v, slot) || hs_share_is_full(v->engine->share, &hs_lookup_job(v, slot)->ask);
}

uint64_t hs_view_releases(const struct hs_view *v)
{
    return v->engine->releases;
}

uint32_t hs_view_release_gpu(const struct hs_view *v, uint64_t at)
{
    const struct hs_engine *e = v->engine;
    bool is_kept = at < e->releases && e->releases - at <= HS_RELEASES_KEPT;
    return is_kept && !e->config.scans_shared ? e->release_gpus[at % HS_RELEASES_KEPT] : HS_NO_GPU;
}
