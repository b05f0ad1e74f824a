/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gangs on GPUs that may be shared. Only nodes with enough GPUs that are idle or have memory
 * for one more tenant are looked at. Where no shared GPU is as cheap as an idle one, a node with
 * enough idle GPUs is best without looking further, so the usual case at low load costs O(log
 * nodes).
 */
#include "policies/kit_gang.h"

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
struct gang {
    struct hs_sharer *s;
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id id;
    hs_load_cost *cost;
    const void *ctx;
    uint32_t gpus;
};

enum hs_status hs_gang_init(struct hs_sharer *s, const struct hs_view *v)
{
    s->node_count = hs_view_nodes(v);
    s->nodes = hs_view_alloc(v, (uint64_t)s->node_count * sizeof *s->nodes);
    s->gpus = hs_view_alloc(v, (uint64_t)hs_view_max_node_gpus(v) * sizeof *s->gpus);
    s->costs = hs_view_alloc(v, (uint64_t)hs_view_max_node_gpus(v) * sizeof *s->costs);
    return s->nodes != NULL && s->gpus != NULL && s->costs != NULL ? HS_OK : HS_E_MEMORY;
}

int64_t hs_gang_idle_cost(const struct hs_view *v, uint32_t type, hs_load_cost *cost,
                          const void *ctx)
{
    const struct hs_load_range idle = {.capacity_mib = hs_view_type_mem_mib(v, type),
                                       .gpu_type = type};
    return cost(ctx, &idle);
}

/* The cheapest GPUs of a node, at most `most`, into s->gpus in order of (cost, id); their number.
 * Insertion: `most` is at most the size of a node. */
static uint32_t cheapest_of_node(const struct gang *g, uint32_t node, uint32_t most)
{
    struct hs_gang_gpu *best = g->s->gpus;
    uint32_t count = 0, first = hs_view_node_first_gpu(g->v, node);
    hs_view_node_costs(g->v, g->id, node, g->cost, g->ctx, g->s->costs);
    for (uint32_t i = 0; i < hs_view_node_gpus(g->v, node); i++) {
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

static struct hs_gang_node judge_node(const struct gang *g, uint32_t node)
{
    uint32_t workers = hs_view_node_workers(g->v, g->id, node);
    uint32_t size = hs_view_node_gpus(g->v, node);
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
static void take(const struct gang *g, uint32_t gpus)
{
    for (uint32_t i = 0; i < gpus; i++)
        hs_plan_on_gpu(g->p, g->s->gpus[i].id);
}

/* The next node with memory for one. */
static uint32_t seat_node(const struct gang *g, uint32_t from)
{
    return hs_view_seat_node(g->v, g->id, (uint32_t)g->s->mem_margin_mib, 1, from);
}

static int64_t node_bound(const struct gang *g, uint32_t node)
{
    return hs_view_node_bound(g->v, g->id, node, g->cost, g->ctx);
}

/* The node of least sum so far. */
struct contest {
    const struct hs_view *v;
    uint32_t node;
    int64_t sum;
};

/* Of equal sums the node with fewer idle GPUs, then the first. */
static void contend(struct contest *c, uint32_t node, int64_t sum)
{
    bool is_better = sum < c->sum;
    if (c->node != HS_NO_NODE && sum == c->sum) {
        uint32_t x = hs_view_node_free(c->v, node), y = hs_view_node_free(c->v, c->node);
        is_better = x < y || (x == y && node < c->node);
    }
    if (is_better)
        *c = (struct contest){c->v, node, sum};
}

/* A node with enough idle GPUs where nothing can be better than those: idle GPUs of its type are
 * the cheapest, and no shared one costs as little. */
static uint32_t idle_node(const struct gang *g)
{
    const struct hs_view *v = g->v;
    struct contest c = {v, HS_NO_NODE, HS_NEVER};
    int64_t least = HS_NEVER;
    for (uint32_t type = 0; type < hs_view_gpu_types(v); type++) {
        uint32_t node = hs_view_best_fit_of(v, g->id, g->gpus, type);
        if (node == HS_NO_NODE && hs_view_best_fit_of(v, g->id, 1, type) == HS_NO_NODE)
            continue;
        int64_t cost = hs_gang_idle_cost(v, type, g->cost, g->ctx);
        least = cost < least ? cost : least;
        if (node != HS_NO_NODE)
            contend(&c, node, cost);
    }
    if (c.node == HS_NO_NODE || c.sum > least)
        return HS_NO_NODE;
    uint32_t gpu = hs_view_cheapest_shared(v, g->id, g->cost, g->ctx, least + 1, &least);
    return gpu == HS_NO_GPU ? c.node : HS_NO_NODE;
}

static bool place_on_one(const struct gang *g)
{
    uint32_t idle = idle_node(g), node = idle;
    if (idle == HS_NO_NODE)
        node = hs_view_cheapest_node(g->v, g->id, (uint32_t)g->s->mem_margin_mib, g->cost, g->ctx);
    if (node == HS_NO_NODE)
        return false;
    hs_plan_because(g->p, "on the cheapest node that can hold it");
    hs_plan_start(g->p, g->id);
    if (idle != HS_NO_NODE)
        hs_plan_on_node(g->p, node, g->gpus);
    else
        take(g, judge_node(g, node).room);
    return true;
}

/* All nodes with room, into s->nodes, and the room of all; HS_NO_NODE in *anchor when that does not
 * suffice. */
static uint32_t judge_all(const struct gang *g, uint32_t *anchor, uint64_t *room)
{
    struct hs_gang_node *nodes = g->s->nodes;
    uint32_t count = 0, best = 0;
    uint32_t node = seat_node(g, 0);
    for (; node != HS_NO_NODE; node = seat_node(g, node + 1)) {
        if (node_bound(g, node) == HS_NEVER)
            continue;
        const struct hs_gang_node n = judge_node(g, node);
        if (n.room == 0)
            continue;
        nodes[count] = n;
        *room += n.room;
        const struct hs_gang_node *b = &nodes[best];
        if (n.room > b->room || (n.room == b->room && n.cost < b->cost))
            best = count;
        count++;
    }
    *anchor = *room >= g->gpus ? nodes[best].node : HS_NO_NODE;
    return count;
}

static uint32_t rack_distance(const struct hs_view *v, uint32_t a, uint32_t b)
{
    uint32_t x = hs_view_node_rack(v, a), y = hs_view_node_rack(v, b);
    return x > y ? x - y : y - x;
}

static bool is_next(const struct gang *g, const struct hs_gang_node *a,
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
static bool place_spread(const struct gang *g, uint64_t *room)
{
    struct hs_gang_node *nodes = g->s->nodes;
    uint32_t anchor, count = judge_all(g, &anchor, room), rest = g->gpus;
    if (anchor == HS_NO_NODE)
        return false;
    hs_plan_because(g->p, "spread: no node can hold all of it");
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

static struct gang gang_of(struct hs_sharer *s, const struct hs_view *v, hs_job_id id,
                           hs_load_cost *cost, const void *ctx)
{
    return (struct gang){
        .s = s, .v = v, .id = id, .cost = cost, .ctx = ctx, .gpus = hs_view_gpus(v, id)};
}

uint32_t hs_gang_room(struct hs_sharer *s, const struct hs_view *v, hs_job_id id, uint32_t node,
                      hs_load_cost *cost, const void *ctx)
{
    const struct gang g = gang_of(s, v, id, cost, ctx);
    return node_bound(&g, node) == HS_NEVER ? 0 : judge_node(&g, node).room;
}

bool hs_gang_place(struct hs_sharer *s, const struct hs_view *v, struct hs_plan *p, hs_job_id id,
                   hs_load_cost *cost, const void *ctx, uint64_t *room)
{
    struct gang g = gang_of(s, v, id, cost, ctx);
    g.p = p;
    *room = hs_view_seats_at_cost(v, id, cost, ctx, g.gpus);
    if (*room < g.gpus)
        return false;
    *room = 0;
    return place_on_one(&g) || place_spread(&g, room);
}
