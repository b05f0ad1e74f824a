/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compiles view.c again, with its searches renamed; this file replaces it in the tests, and answers
 * by the index or by the plain version.
 */
#include "support/share_scan.h"

#include <stdlib.h>

#include "horus/view.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define hs_view_cheapest_shared index_cheapest_shared
#define hs_view_find_at_cost    index_find_at_cost
#define hs_view_find_node       index_find_node
#define hs_view_cheapest_node   index_cheapest_node
#include "engine/view.c" /* NOLINT(bugprone-suspicious-include) */
#undef hs_view_cheapest_shared
#undef hs_view_find_at_cost
#undef hs_view_find_node
#undef hs_view_cheapest_node

bool hs_test_scans_shared;

/* The plain version of the index: the cost of each GPU by the engine's records. HS_NEVER for a GPU
 * without a tenant. */
static int64_t shared_cost(struct inquiry *q, uint32_t id)
{
    const struct hs_engine *e = q->engine;
    const struct hs_gpu *gpu = &e->gpus[id];
    return gpu->tentative_tenants > 0 && inquire_node(q, gpu->node) ? gpu_cost(q, gpu) : HS_NEVER;
}

static bool is_kind_before(const struct inquiry *q, uint32_t a, uint32_t b)
{
    const struct hs_free *f = q->engine->free_index;
    return q->ask->is_by_kind && hs_free_kind(f, a) < hs_free_kind(f, b);
}

static uint32_t scan_shared(struct inquiry *q, int64_t below, int64_t *cost)
{
    uint32_t best = HS_NO_GPU;
    *cost = below;
    for (uint32_t id = 0; id < q->engine->cluster->gpu_count; id++) {
        int64_t here = shared_cost(q, id);
        if (here < *cost ||
            (best != HS_NO_GPU && here == *cost &&
             is_kind_before(q, q->engine->gpus[id].node, q->engine->gpus[best].node))) {
            *cost = here;
            best = id;
        }
    }
    return best;
}

/* Number of GPUs of a node that could take the job, by counting. */
static uint32_t node_allocations(const struct hs_engine *e, const struct hs_job *job,
                                 const struct hs_ask *ask, uint32_t id, uint32_t margin_mib)
{
    const struct hs_node *node = &e->cluster->nodes[id];
    uint32_t mem_mib = e->cluster->types[node->type].mem_mib, allocations = 0;
    if (!hs_free_fits(e->free_index, id, ask, 0))
        return 0;
    for (uint32_t g = node->first_gpu; g < node->first_gpu + node->gpus; g++) {
        const struct hs_gpu *gpu = &e->gpus[g];
        uint64_t claims_mib = gpu->mem_claimed_mib + hs_claim_mib(e, job);
        allocations +=
            gpu->tentative_tenants == 0 ||
            (hs_tentative_is_open(e, gpu) && claims_mib <= hs_gpu_capacity_mib(e, gpu, 2) &&
             (mem_mib == 0 || claims_mib + margin_mib < mem_mib));
    }
    return allocations;
}

static int cost_compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* HS_NEVER if the gang does not fit. */
static int64_t node_sum(const struct inquiry *q, uint32_t id, uint32_t margin_mib)
{
    const struct hs_node *node = &q->engine->cluster->nodes[id];
    int64_t costs[HS_NODE_GPUS_MAX], sum = 0;
    if (node_allocations(q->engine, q->job, q->ask, id, margin_mib) < q->job->gpus ||
        !hs_free_can_book(q->engine->free_index, id, q->job->gpus, q->ask))
        return HS_NEVER;
    hs_view_node_costs(&q->engine->view, hs_slot_of(&q->engine->jobs, q->job), id, q->cost_of,
                       q->ctx, costs);
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
        const uint32_t free = hs_free_of_node(e->free_index, n),
                       least_free = best != HS_NO_NODE ? hs_free_of_node(e->free_index, best) : 0;
        bool is_fuller = best != HS_NO_NODE && sum == least &&
                         (free < least_free || (free == least_free && is_kind_before(q, n, best)));
        if (sum >= least && !is_fuller)
            continue;
        least = sum;
        best = n;
    }
    return best;
}

uint32_t hs_view_cheapest_shared(const struct hs_view *v, hs_job_id slot, hs_load_cost *cost_of,
                                 const void *ctx, int64_t below, int64_t *cost)
{
    const struct hs_job *job = hs_lookup_job(v, slot);
    struct inquiry q = inquiry_of(v, slot, cost_of, ctx);
    if (!hs_test_scans_shared || v->engine->share == NULL)
        return index_cheapest_shared(v, slot, cost_of, ctx, below, cost);
    *cost = below;
    return job->is_alone ? HS_NO_GPU : scan_shared(&q, below, cost);
}

uint64_t hs_view_find_at_cost(const struct hs_view *v, hs_job_id slot, hs_load_cost *cost_of,
                              const void *ctx, uint64_t most)
{
    const struct hs_engine *e = v->engine;
    struct inquiry q = inquiry_of(v, slot, cost_of, ctx);
    uint64_t allocations = 0;
    if (!hs_test_scans_shared || e->share == NULL)
        return index_find_at_cost(v, slot, cost_of, ctx, most);
    for (uint32_t id = 0; id < e->cluster->gpu_count && allocations < most; id++)
        allocations += e->gpus[id].tentative_tenants == 0
                           ? hs_free_fits(e->free_index, e->gpus[id].node, q.ask, 0)
                           : shared_cost(&q, id) != HS_NEVER;
    return allocations;
}

uint32_t hs_view_find_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                           uint32_t from)
{
    const struct hs_engine *e = v->engine;
    if (!hs_test_scans_shared || e->share == NULL)
        return index_find_node(v, slot, margin_mib, from);
    for (uint32_t n = from; n < e->cluster->node_count; n++)
        if (node_allocations(e, hs_lookup_job(v, slot), search_ask(v, slot), n, margin_mib) > 0)
            return n;
    return HS_NO_NODE;
}

uint32_t hs_view_cheapest_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                               hs_load_cost *cost_of, const void *ctx)
{
    const struct inquiry q = inquiry_of(v, slot, cost_of, ctx);
    if (!hs_test_scans_shared || v->engine->share == NULL || q.job->gpus == 0)
        return index_cheapest_node(v, slot, margin_mib, cost_of, ctx);
    return scan_nodes(&q, margin_mib);
}
