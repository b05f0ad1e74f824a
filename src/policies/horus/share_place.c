/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See share_place.h. For gangs only nodes with enough GPUs that are idle or have memory for one
 * more tenant are looked at. Where no shared GPU is as cheap as an idle one, a node with enough
 * idle GPUs is best without looking further, so the usual case at low load costs O(log nodes).
 */
#include "policies/horus/share_place.h"

#define FULL_PM 1000

struct hs_gang_gpu {
    int64_t cost;
    uint32_t id;
};

/* What a node can do for a gang. */
struct hs_gang_node {
    int64_t cost; /* of its `room` cheapest GPUs */
    uint32_t node, room;
    bool is_used;
};

/* A gang being placed. */
struct gang_search {
    struct hs_colocation *s;
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id id;
    hs_load_cost *cost;
    const void *ctx;
    uint32_t gpus;
};

void hs_colocation_init(struct hs_colocation *s, const struct hs_view *v)
{
    const uint64_t node_gpus = v->max_node_gpus;
    s->idle_blocked = hs_view_alloc(v, v->vcs * sizeof *s->idle_blocked);
    s->nodes = hs_view_alloc(v, (uint64_t)v->nodes * sizeof *s->nodes);
    s->gpus = hs_view_alloc(v, node_gpus * sizeof *s->gpus);
    s->costs = hs_view_alloc(v, node_gpus * sizeof *s->costs);
}

static int64_t util_pm(const struct hs_colocation *s, const struct hs_view *v, hs_job_id job,
                       int32_t (*ask)(const struct hs_view *v, hs_job_id job))
{
    if (s->is_blind)
        return 0;
    int32_t predicted_pm = ask(v, job);
    return predicted_pm >= 0 ? predicted_pm : FULL_PM;
}

uint32_t hs_share_tenants(const void *state)
{
    return (uint32_t)((const struct hs_colocation *)state)->max_tenants;
}

bool hs_share_load(const void *state, const struct hs_view *v, hs_job_id job, int32_t sum[HS_LOADS])
{
    const struct hs_colocation *s = state;
    sum[0] = (int32_t)util_pm(s, v, job, hs_view_util_pm);
    return (int64_t)hs_view_gpus(v, job) <= s->share_up_to;
}

void hs_candidate_set(struct hs_candidate *job, const struct hs_colocation *s,
                      const struct hs_view *v, hs_job_id id)
{
    *job = (struct hs_candidate){
        .colocation = s,
        .util_pm = util_pm(s, v, id, hs_view_util_pm),
        .util_peak_pm = util_pm(s, v, id, hs_view_util_peak_pm),
        .mem_mib = hs_view_gpu_mem_mib(v, id),
        .cap_pm = s->util_cap > 0 ? (int64_t)(s->util_cap * 10 + 0.5) : INT64_MAX,
    };
}

bool hs_share_allows(const struct hs_candidate *job, const struct hs_load_range *r)
{
    const struct hs_load *least = &r->least;
    if (least->tenants == 0)
        return true;
    if (r->capacity_mib > 0 && least->claim_mib + job->mem_mib + job->colocation->mem_margin_mib >=
                                   (int64_t)r->capacity_mib)
        return false;
    return least->sum[0] + job->util_pm <= job->cap_pm;
}

int64_t hs_cost_q20(double w)
{
    return (int64_t)(w * (1 << 20) + (w < 0 ? -0.5 : 0.5));
}

int64_t hs_cost_of_memory(int64_t w_q20, int64_t mib, uint32_t capacity_mib)
{
    return capacity_mib == 0 ? 0 : w_q20 * mib / capacity_mib;
}

/* The node of least cost so far. */
struct contest {
    uint32_t node;
    int64_t cost;
};

/* Of equal costs the node with fewer idle GPUs, then the first. */
static void contend(struct contest *c, const struct hs_view *v, uint32_t node, int64_t cost)
{
    bool is_better = cost < c->cost;
    if (c->node != HS_NO_NODE && cost == c->cost) {
        uint32_t x = hs_view_node_free(v, node), y = hs_view_node_free(v, c->node);
        is_better = x < y || (x == y && node < c->node);
    }
    if (is_better)
        *c = (struct contest){node, cost};
}

/* The node with enough idle GPUs where one costs least: a node of each type to choose from, the
 * fullest. least: cost of an idle GPU anywhere. */
static struct contest cheapest_idle(const struct gang_search *g, int64_t *least)
{
    const struct hs_view *v = g->v;
    struct contest c = {HS_NO_NODE, HS_NEVER};
    *least = HS_NEVER;
    for (uint32_t type = 0; type < v->gpu_types; type++) {
        uint32_t node = hs_view_best_fit_of(v, g->id, g->gpus, type);
        if (node == HS_NO_NODE && hs_view_best_fit_of(v, g->id, 1, type) == HS_NO_NODE)
            continue;
        const struct hs_load_range idle = {.capacity_mib = hs_view_gpu_type(v, type)->mem_mib,
                                           .gpu_type = type};
        int64_t cost = g->cost(g->ctx, &idle);
        *least = cost < *least ? cost : *least;
        if (node != HS_NO_NODE)
            contend(&c, v, node, cost);
    }
    return c;
}

static bool place_one(const struct gang_search *g)
{
    int64_t least;
    uint32_t node = cheapest_idle(g, &least).node;
    uint32_t gpu = hs_view_cheapest_shared(g->v, g->id, g->cost, g->ctx, least, &least);
    bool is_beside = gpu != HS_NO_GPU;
    if (!is_beside && node != HS_NO_NODE)
        gpu = hs_view_idle_gpu(g->v, node, 0);
    if (gpu == HS_NO_GPU)
        return false;
    hs_plan_reason(g->p, !is_beside           ? "on an idle GPU: the cheapest for it"
                         : node == HS_NO_NODE ? "beside others: no GPU is idle for it"
                                              : "beside others: cheaper than an idle GPU");
    hs_plan_start(g->p, g->id);
    hs_plan_on_gpu(g->p, gpu);
    return true;
}

/* ---- gangs ---- */

/* The cheapest GPUs of a node, at most `most`, into s->gpus in order of (cost, id); their number.
 * Insertion: `most` is at most the size of a node. */
static uint32_t cheapest_of_node(const struct gang_search *g, uint32_t node, uint32_t most)
{
    struct hs_gang_gpu *best = g->s->gpus;
    uint32_t count = 0, first = hs_view_node(g->v, node)->first_gpu;
    hs_view_node_costs(g->v, g->id, node, g->cost, g->ctx, g->s->costs);
    for (uint32_t i = 0; i < hs_view_node(g->v, node)->gpus; i++) {
        int64_t cost = g->s->costs[i];
        if (cost == HS_NEVER || (count == most && cost >= best[count - 1].cost))
            continue;
        uint32_t at = count < most ? count++ : count - 1;
        for (; at > 0 && best[at - 1].cost > cost; at--)
            best[at] = best[at - 1];
        best[at] = (struct hs_gang_gpu){cost, first + i};
    }
    return count;
}

static struct hs_gang_node judge_node(const struct gang_search *g, uint32_t node)
{
    uint32_t workers = hs_view_node_workers(g->v, g->id, node);
    uint32_t size = hs_view_node(g->v, node)->gpus;
    uint32_t most = g->gpus < size ? g->gpus : size;
    struct hs_gang_node n = {.node = node};
    if (workers == 0)
        return n;
    n.room = cheapest_of_node(g, node, workers < most ? workers : most);
    for (uint32_t i = 0; i < n.room; i++)
        n.cost += g->s->gpus[i].cost;
    return n;
}

/* All GPUs of the node that cheapest_of_node found last, up to `gpus`. */
static void take(const struct gang_search *g, uint32_t gpus)
{
    for (uint32_t i = 0; i < gpus; i++)
        hs_plan_on_gpu(g->p, g->s->gpus[i].id);
}

/* A node with enough idle GPUs where nothing can be better than those: idle GPUs of its type are
 * the cheapest, and no shared one costs as little. */
static uint32_t idle_node(const struct gang_search *g)
{
    int64_t least;
    const struct contest c = cheapest_idle(g, &least);
    if (c.node == HS_NO_NODE || c.cost > least)
        return HS_NO_NODE;
    uint32_t gpu = hs_view_cheapest_shared(g->v, g->id, g->cost, g->ctx, least + 1, &least);
    return gpu == HS_NO_GPU ? c.node : HS_NO_NODE;
}

static bool place_on_one(const struct gang_search *g)
{
    uint32_t idle = idle_node(g), node = idle;
    if (idle == HS_NO_NODE)
        node = hs_view_cheapest_node(g->v, g->id, (uint32_t)g->s->mem_margin_mib, g->cost, g->ctx);
    if (node == HS_NO_NODE)
        return false;
    hs_plan_reason(g->p, "on the cheapest node that can hold it");
    hs_plan_start(g->p, g->id);
    if (idle != HS_NO_NODE)
        hs_plan_on_node(g->p, node, g->gpus);
    else
        take(g, judge_node(g, node).room);
    return true;
}

/* All nodes with room, into s->nodes; HS_NO_NODE in *anchor when that does not suffice. */
static uint32_t judge_all(const struct gang_search *g, uint32_t *anchor)
{
    const uint32_t margin_mib = (uint32_t)g->s->mem_margin_mib;
    struct hs_gang_node *nodes = g->s->nodes;
    uint64_t room = 0;
    uint32_t count = 0, best = 0;
    uint32_t node = hs_view_find_node(g->v, g->id, margin_mib, 0);
    for (; node != HS_NO_NODE; node = hs_view_find_node(g->v, g->id, margin_mib, node + 1)) {
        const struct hs_gang_node n = judge_node(g, node), *b = &nodes[best];
        if (n.room == 0)
            continue;
        if (count == 0 || n.room > b->room || (n.room == b->room && n.cost < b->cost))
            best = count;
        nodes[count++] = n;
        room += n.room;
    }
    *anchor = room >= g->gpus ? nodes[best].node : HS_NO_NODE;
    return count;
}

static uint32_t rack_distance(const struct hs_view *v, uint32_t a, uint32_t b)
{
    uint32_t x = hs_view_node(v, a)->rack, y = hs_view_node(v, b)->rack;
    return x > y ? x - y : y - x;
}

static bool is_next(const struct gang_search *g, const struct hs_gang_node *a,
                    const struct hs_gang_node *b, uint32_t anchor)
{
    uint32_t x = rack_distance(g->v, a->node, anchor), y = rack_distance(g->v, b->node, anchor);
    if (x != y)
        return x < y;
    if (a->room != b->room)
        return a->room > b->room;
    if (a->cost != b->cost)
        return a->cost < b->cost;
    return a->node < b->node;
}

/* Whole nodes, from the one with most room outwards: O(nodes with room x nodes taken). */
static bool place_spread(const struct gang_search *g)
{
    struct hs_gang_node *nodes = g->s->nodes;
    uint32_t anchor, count = judge_all(g, &anchor), rest = g->gpus;
    if (anchor == HS_NO_NODE)
        return false;
    hs_plan_reason(g->p, "spread: no node can hold all of it");
    hs_plan_start(g->p, g->id);
    while (rest > 0) {
        struct hs_gang_node *next = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (!nodes[i].is_used && (next == NULL || is_next(g, &nodes[i], next, anchor)))
                next = &nodes[i];
        next->is_used = true;
        uint32_t gpus = next->room < rest ? next->room : rest;
        take(g, cheapest_of_node(g, next->node, gpus));
        rest -= gpus;
    }
    return true;
}

/* ---- jobs ---- */

/* What `consolidate` refuses it refuses to larger gangs, too. */
uint32_t hs_share_blocked_gpus(const void *state, const struct hs_view *v, uint32_t vc)
{
    const struct hs_colocation *s = state;
    const struct hs_idle_blocked_since *blocked_since = &s->idle_blocked[vc];
    return blocked_since->releases == hs_view_releases(v) + 1 ? blocked_since->gpus : UINT32_MAX;
}

bool hs_share_is_blocked(const struct hs_colocation *s, const struct hs_view *v, hs_job_id id)
{
    int64_t gpus = hs_view_gpus(v, id);
    if (gpus <= s->share_up_to || hs_view_is_constrained(v, id))
        return false;
    return gpus >= hs_share_blocked_gpus(s, v, hs_view_vc(v, id));
}

/* A gang that shares nothing. */
static bool place_on_idle(struct hs_colocation *s, const struct hs_view *v, struct hs_plan *p,
                          hs_job_id id, uint32_t gpus)
{
    if (hs_share_is_blocked(s, v, id))
        return false;
    if (hs_place(v, p, id, HS_PLACE_CONSOLIDATE))
        return true;
    if (gpus > 0 && !hs_view_is_constrained(v, id))
        s->idle_blocked[hs_view_vc(v, id)] =
            (struct hs_idle_blocked_since){.releases = hs_view_releases(v) + 1, .gpus = gpus};
    return false;
}

bool hs_share_place(struct hs_colocation *s, const struct hs_view *v, struct hs_plan *p,
                    hs_job_id id, hs_load_cost *cost, const void *ctx)
{
    const struct gang_search g = {
        .s = s, .v = v, .p = p, .id = id, .cost = cost, .ctx = ctx, .gpus = hs_view_gpus(v, id)};
    hs_plan_reason(p, NULL);
    if (g.gpus == 0 || (int64_t)g.gpus > s->share_up_to)
        return place_on_idle(s, v, p, id, g.gpus);
    if (hs_view_quota_room(v, hs_view_vc(v, id)) < g.gpus ||
        hs_view_find_gpus(v, id, (uint32_t)s->mem_margin_mib) < g.gpus)
        return false;
    if (g.gpus == 1)
        return place_one(&g);
    return hs_view_find_at_cost(v, id, cost, ctx, g.gpus) >= g.gpus &&
           (place_on_one(&g) || place_spread(&g));
}
