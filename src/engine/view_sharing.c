/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's view (horus/view.h) of shared GPUs: tenants and costs, shares of GPUs, quotas,
 * turns.
 */
#include "base/rng.h"
#include "engine/progress.h"
#include "engine/gpu_tenants.h"
#include "engine/plan_build.h"
#include "engine/tentative_state.h"
#include "horus/policy.h"

uint32_t hs_view_gpu_milli(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.gpu_milli;
}

bool hs_view_asks_same(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    const struct hs_job *x = hs_lookup_job(v, a), *y = hs_lookup_job(v, b);
    return x->ask.type_mask == y->ask.type_mask && x->ask.gpu_milli == y->ask.gpu_milli &&
           x->ask.cpus_milli_per_gpu == y->ask.cpus_milli_per_gpu &&
           x->ask.mem_mib_per_gpu == y->ask.mem_mib_per_gpu;
}

uint64_t hs_view_ask_hash(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    uint64_t of_node = (uint64_t)j->ask.cpus_milli_per_gpu << 32 | j->ask.mem_mib_per_gpu;
    uint64_t of_gpu = (uint64_t)j->ask.vc << 32 | j->ask.gpu_milli;
    return hs_mix64(hs_mix64(j->ask.type_mask, of_gpu), of_node);
}

uint32_t hs_view_tightest_share(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (e->parts == NULL || !hs_job_is_part(j))
        return HS_NO_GPU;
    return hs_part_tightest(e->parts, &j->ask, j->ask.gpu_milli);
}

uint32_t hs_view_share_room(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    return e->parts != NULL ? hs_part_most(e->parts, hs_lookup_vc(v, vc)) : 0;
}

uint64_t hs_view_share_rooms(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    return e->parts != NULL ? hs_part_all(e->parts, hs_lookup_vc(v, vc)) : 0;
}

/* ---- quotas ---- */

uint64_t hs_lookup_quota_room_milli(const struct hs_engine *e, uint32_t vc)
{
    if (e->cluster->vc_mode != HS_VC_QUOTA || (e->can & HS_CAN_BORROW) != 0)
        return UINT64_MAX;
    const uint64_t quota_gpus = e->cluster->vcs[vc].quota_gpus;
    if (quota_gpus > UINT64_MAX / HS_GPU_MILLI)
        return UINT64_MAX;
    const uint64_t quota_milli = quota_gpus * HS_GPU_MILLI;
    return quota_milli > e->vc_held_milli[vc] ? quota_milli - e->vc_held_milli[vc] : 0;
}

uint64_t hs_view_quota_room_milli(const struct hs_view *v, uint32_t vc)
{
    return hs_lookup_quota_room_milli(v->engine, hs_lookup_vc(v, vc));
}

bool hs_view_has_room(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (!hs_job_is_part(j) && hs_free_total(e->free_index, j->ask.vc) < j->gpus)
        return false;
    return e->cluster->vc_mode != HS_VC_QUOTA ||
           hs_lookup_quota_room_milli(e, j->ask.vc) >= (uint64_t)j->gpus * j->ask.gpu_milli;
}

uint64_t hs_view_quota_room(const struct hs_view *v, uint32_t vc)
{
    uint64_t room_milli = hs_view_quota_room_milli(v, vc);
    return room_milli < UINT64_MAX ? room_milli / HS_GPU_MILLI : UINT64_MAX;
}

uint64_t hs_view_quota(const struct hs_view *v, uint32_t vc)
{
    const struct hs_cluster *c = v->engine->cluster;
    return c->vc_mode == HS_VC_QUOTA ? c->vcs[hs_lookup_vc(v, vc)].quota_gpus : UINT64_MAX;
}

uint64_t hs_view_vc_held(const struct hs_view *v, uint32_t vc)
{
    return (v->engine->vc_held_milli[hs_lookup_vc(v, vc)] + HS_GPU_MILLI - 1) / HS_GPU_MILLI;
}

int64_t hs_view_step_us(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_training_profile(v, job)->step_ns / HS_NS_PER_US;
}

/* A step ends within a microsecond, by which time a little work of the next may be done: where the
 * policy got the event of the end, the step counts as ended. */
bool hs_view_is_between_steps(const struct hs_view *v, hs_job_id job)
{
    int64_t step_ns = hs_lookup_training_profile(v, job)->step_ns;
    if (step_ns == 0)
        return true;
    const int64_t done_ns = hs_lookup_work(v, job).done_ns;
    return done_ns == hs_sharing_overhead_of(&v->engine->jobs, hs_lookup_job(v, job))->at_step_ns ||
           done_ns % step_ns == 0;
}

uint64_t hs_view_steps(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "mini-batches done"))
        return 0;
    int64_t step_ns = hs_lookup_training_profile(v, job)->step_ns;
    return step_ns > 0 ? (uint64_t)(hs_lookup_work(v, job).done_ns / step_ns) : 0;
}

enum hs_job_class hs_view_class(const struct hs_view *v, hs_job_id job)
{
    return (enum hs_job_class)hs_lookup_identity(v, job)->job_class;
}

uint32_t hs_view_gpu_mem_persistent_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "GPU memory"))
        return 0;
    uint32_t kept_mib = hs_lookup_training_profile(v, job)->gpu_mem_persistent_mib;
    uint32_t mib = hs_lookup_needs(v, job)->estimate.mem_mib;
    return kept_mib < mib ? kept_mib : mib;
}

uint64_t hs_view_limited_q32(const struct hs_view *v, hs_job_id job, uint32_t limit_mib)
{
    const struct hs_engine *e = v->engine;
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "speed under a memory limit"))
        return HS_Q32_ONE;
    uint32_t peak_mib = hs_lookup_needs(v, job)->gpu_mem_peak_mib;
    if (e->config.memcurve == NULL || limit_mib >= peak_mib)
        return HS_Q32_ONE;
    return hs_memcurve_q32(e->config.memcurve,
                           hs_intern_text(&e->names, hs_lookup_training_profile(v, job)->model),
                           limit_mib, peak_mib);
}

uint32_t hs_view_gpu_util_pm(const struct hs_view *v, uint32_t gpu)
{
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_RATE, "utilization of a GPU"))
        return 0;
    return hs_lookup_gpu(v, gpu)->util_model_pm;
}

uint32_t hs_view_gpu_mean_util_pm(const struct hs_view *v, uint32_t gpu, int64_t window_us)
{
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_RATE, "utilization of a GPU"))
        return 0;
    if (v->engine->util_memory == NULL)
        return hs_plan_refuse(&v->engine->plan, HS_NO_JOB,
                              "it asked for the mean utilization of a GPU, which it did not "
                              "declare to want");
    return gpu < v->engine->cluster->gpu_count ? hs_utilization_mean_pm(v->engine, gpu, window_us)
                                               : hs_lookup_gpu(v, gpu)->util_model_pm;
}

uint32_t hs_view_gpu_capacity_mib(const struct hs_view *v, uint32_t gpu)
{
    const struct hs_engine *e = v->engine;
    const struct hs_gpu *g = hs_lookup_gpu(v, gpu);
    if (e->cluster->types[e->cluster->nodes[g->node].type].mem_mib == 0)
        return UINT32_MAX;
    return (uint32_t)hs_gpu_capacity_mib(e, g, 2);
}

bool hs_view_may_use(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_node *n = hs_view_node(v, node);
    bool is_of_vc = e->cluster->vc_mode != HS_VC_PARTITION || n->vc == j->ask.vc;
    return n->gpus > 0 && is_of_vc && (j->ask.type_mask >> n->type & 1) != 0;
}

const struct hs_gpu *hs_lookup_gpu(const struct hs_view *v, uint32_t gpu)
{
    static const struct hs_gpu no_gpu = {.first_allocation = HS_NO_ALLOCATION};
    if (HS_LIKELY(gpu < v->engine->cluster->gpu_count))
        return &v->engine->gpus[gpu];
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about GPU %u, which is not there", gpu);
    return &no_gpu;
}

/* First question about a single GPU: from now on each has a record. */
static const struct hs_gpu *lookup_tenants(const struct hs_view *v, uint32_t gpu)
{
    if (v->engine->plan.refused == HS_OK)
        hs_exclusive_end(v->engine);
    return hs_lookup_gpu(v, gpu);
}

/* A policy without .load has no index to search. */
static bool may_search(const struct hs_view *v, hs_job_id job)
{
    return HS_LIKELY(v->engine->share != NULL) ||
           hs_plan_refuse(&v->engine->plan, job,
                          "it asked about GPUs to share, but does not co-locate or tells no loads");
}

uint32_t hs_view_gpu_node(const struct hs_view *v, uint32_t gpu)
{
    return hs_lookup_gpu(v, gpu)->node;
}

uint32_t hs_view_gpu_tenants(const struct hs_view *v, uint32_t gpu)
{
    return lookup_tenants(v, gpu)->tentative_tenants;
}

hs_job_id hs_view_gpu_tenant(const struct hs_view *v, uint32_t gpu, uint32_t i)
{
    const struct hs_allocation *a = hs_gpu_first(v->engine, lookup_tenants(v, gpu));
    for (; i > 0 && a != NULL; i--)
        a = hs_gpu_next(v->engine, a);
    return a != NULL ? a->job : HS_NO_JOB;
}

bool hs_view_may_join(const struct hs_view *v, uint32_t gpu, hs_job_id job)
{
    const struct hs_gpu *g = lookup_tenants(v, gpu);
    return g->tentative_tenants == 0 ||
           (hs_tentative_is_open(v->engine, g) && !hs_lookup_job(v, job)->is_alone &&
            (v->engine->can & HS_CAN_COLOCATE) != 0);
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

/* What a candidate checks of one GPU after the other. */
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
    if (gpu->tentative_tenants > 0 &&
        (!q->may_share || !hs_tentative_is_open(q->engine, gpu) ||
         gpu->mem_claimed_mib + hs_claim_mib(q->engine, q->job) > q->limit_mib))
        return HS_NEVER;
    const struct hs_load load = hs_tentative_load(q->engine, gpu);
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
    const struct hs_node *node = hs_view_node(v, id);
    const struct hs_job *job = hs_lookup_job(v, slot);
    if (node->gpus == 0 || !may_search(v, slot))
        return;
    if (!hs_free_fits(e->free_index, id, &job->ask, 0) ||
        !hs_free_can_book(e->free_index, id, 1, &job->ask)) {
        for (uint32_t i = 0; i < node->gpus; i++)
            costs[i] = HS_NEVER;
        return;
    }
    if (job->is_alone) {
        scan_node(e, job, id, cost_of, ctx, costs);
        return;
    }
    const struct hs_load_range idle = {.capacity_mib = e->cluster->types[node->type].mem_mib,
                                       .gpu_type = node->type};
    const struct hs_share_query query = {
        .ask = &job->ask, .claim_mib = hs_claim_mib(e, job), .cost_of = cost_of, .ctx = ctx};
    hs_share_node_costs(e->share, &query, node->first_gpu, node->gpus, cost_of(ctx, &idle), costs);
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
    *cost = below;
    if (!may_search(v, slot) || accept.job->is_alone)
        return HS_NO_GPU;
    const struct hs_share_query query = query_of(&accept, cost_of, ctx, below);
    return hs_share_cheapest(e->share, &query, cost);
}

uint64_t hs_view_find_at_cost(const struct hs_view *v, hs_job_id slot, hs_load_cost *cost_of,
                              const void *ctx, uint64_t most)
{
    const struct hs_engine *e = v->engine;
    const struct accept accept = {e, hs_lookup_job(v, slot), 1};
    const struct hs_share_query query = query_of(&accept, cost_of, ctx, HS_NEVER);
    return may_search(v, slot) ? hs_share_count(e->share, &query, most) : 0;
}

uint32_t hs_view_best_fit_of(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t type)
{
    struct hs_ask ask = hs_lookup_job(v, job)->ask;
    ask.type_mask &= type < HS_GPU_TYPES_MAX ? UINT64_C(1) << type : 0;
    return hs_free_best(v->engine->free_index, &ask, gpus);
}

const struct hs_gpu_type *hs_view_gpu_type(const struct hs_view *v, uint32_t type)
{
    static const struct hs_gpu_type no_type = {.name = ""};
    if (HS_LIKELY(type < v->engine->cluster->type_count))
        return &v->engine->cluster->types[type];
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about GPU type %u, which is not there",
                   type);
    return &no_type;
}

uint32_t hs_view_idle_gpu(const struct hs_view *v, uint32_t node, uint32_t from)
{
    const struct hs_node *n = hs_view_node(v, node);
    uint32_t id = from > n->first_gpu ? from : n->first_gpu;
    while (id < n->first_gpu + n->gpus && lookup_tenants(v, id)->tentative_tenants > 0)
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

uint64_t hs_view_find_gpus(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *job = hs_lookup_job(v, slot);
    return may_search(v, slot)
               ? hs_share_find(e->share, &job->ask, hs_claim_mib(e, job), margin_mib)
               : 0;
}

uint32_t hs_view_find_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                           uint32_t from)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *job = hs_lookup_job(v, slot);
    return may_search(v, slot)
               ? hs_share_find_node(e->share, &job->ask, hs_claim_mib(e, job), margin_mib, 1, from)
               : HS_NO_NODE;
}

uint32_t hs_view_cheapest_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                               hs_load_cost *cost_of, const void *ctx)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *job = hs_lookup_job(v, slot);
    const struct accept accept = {e, job, job->gpus};
    if (!may_search(v, slot) || job->gpus == 0)
        return HS_NO_NODE;
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
