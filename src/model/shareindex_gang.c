/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The node for a gang. Where all GPUs of a node cost more than the mean of the best gang so far,
 * the node cannot be better. So nodes are met by their GPUs, the cheaper branch of the search tree
 * first, and a branch that is dearer than that mean is left out. Idle GPUs are not in the tree: the
 * nodes that have some are met before, or after it where idle GPUs cost more than others may.
 */
#include "model/shareindex_state.h"

struct gang {
    struct hs_share *s;
    const struct hs_share_query *query;
    uint32_t gpus;
    /* of this pool */
    bool may_join; /* those who hold GPUs */
    uint32_t most_level, most_claim_mib, capacity_mib, type;
    int64_t idle_cost, open_cost; /* of an open GPU at least */
    /* the best so far, or HS_NO_NODE */
    uint32_t node, idle;
    int64_t sum;
};

/* No GPU from this id on costs less: can none of their nodes be better? */
static bool is_hopeless(const struct gang *g, int64_t cost, uint32_t least_id)
{
    if (cost == HS_NEVER || g->node == HS_NO_NODE)
        return cost == HS_NEVER;
    int64_t gpus = g->gpus, rest = g->sum % gpus;
    int64_t mean = g->sum / gpus - (rest < 0); /* rounded down */
    bool loses_ties = g->idle == 0 && g->s->node_of[least_id] >= g->node;
    return cost > mean || (cost == mean && rest == 0 && loses_ties);
}

static void add_offer(struct hs_share_offer *offers, uint32_t count, struct hs_share_offer offer)
{
    for (; count > 0 && offers[count - 1].cost > offer.cost; count--)
        offers[count] = offers[count - 1];
    offers[count] = offer;
}

/* What the cheapest GPUs of a node cost; HS_NEVER when there are too few. By the loads, which lie
 * closer together than the vertices do. */
static int64_t node_sum(const struct gang *g, const struct hs_share_node *n)
{
    struct hs_share *s = g->s;
    uint32_t count = 0, rest = g->gpus;
    int64_t sum = 0;
    if (n->idle > 0 && g->idle_cost != HS_NEVER)
        s->offers[count++] = (struct hs_share_offer){g->idle_cost, n->idle};
    const uint32_t *first = &s->first[n->first_gpu];
    for (uint32_t i = 0, next; g->may_join && i < n->gpus; i = next) {
        uint32_t gpu = n->first_gpu + i, seats = 0;
        for (next = i; next < n->gpus && (first[next] == gpu || first[next] == HS_NO_GPU); next++)
            seats += first[next] == gpu;
        if (seats == 0 || s->load[gpu].claim_mib > g->most_claim_mib)
            continue;
        const struct hs_load_range point = {s->load[gpu], s->load[gpu], g->capacity_mib, g->type};
        int64_t cost = g->query->cost_of(g->query->ctx, &point);
        if (cost != HS_NEVER)
            add_offer(s->offers, count++, (struct hs_share_offer){cost, seats});
    }
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        uint32_t seats = s->offers[i].seats < rest ? s->offers[i].seats : rest;
        sum += s->offers[i].cost * seats;
        rest -= seats;
    }
    return rest > 0 ? HS_NEVER : sum;
}

static bool is_better(const struct gang *g, const struct hs_share_node *n, uint32_t node,
                      int64_t sum)
{
    if (g->node == HS_NO_NODE || sum != g->sum)
        return sum < g->sum;
    return n->idle < g->idle || (n->idle == g->idle && node < g->node);
}

static void judge(struct gang *g, uint32_t node)
{
    struct hs_share_node *n = &g->s->nodes[node];
    if (n->judged == g->s->searches)
        return;
    n->judged = g->s->searches;
    if ((uint32_t)n->idle + n->open < g->gpus ||
        !hs_share_has_seats(g->s, n, g->gpus, g->most_level) ||
        (g->query->accepts != NULL && !g->query->accepts(g->query->accept_ctx, node)))
        return;
    int64_t sum = node_sum(g, n);
    if (!is_better(g, n, node, sum))
        return;
    g->node = node;
    g->idle = n->idle;
    g->sum = sum;
}

static int64_t cost_of(const struct gang *g, const struct hs_load_range *range)
{
    return range->least.claim_mib <= g->most_claim_mib ? g->query->cost_of(g->query->ctx, range)
                                                       : HS_NEVER;
}

static void search_below(struct gang *g, uint32_t at);

static void search_branch(struct gang *g, uint32_t at, int64_t bound)
{
    if (at != HS_NO_VERTEX && !is_hopeless(g, bound, g->s->vertices[at].least_id))
        search_below(g, at);
}

static void search_below(struct gang *g, uint32_t at)
{
    const struct hs_share_vertex *const vertices = g->s->vertices, *x = &vertices[at];
    if (!is_hopeless(g, cost_of(g, &x->own), x->gpu))
        judge(g, x->node);
    int64_t left = x->left != HS_NO_VERTEX ? cost_of(g, &vertices[x->left].box) : HS_NEVER;
    int64_t right = x->right != HS_NO_VERTEX ? cost_of(g, &vertices[x->right].box) : HS_NEVER;
    if (left <= right) {
        search_branch(g, x->left, left);
        search_branch(g, x->right, right);
    } else { /* the better one first: it makes the other one hopeless more often */
        search_branch(g, x->right, right);
        search_branch(g, x->left, left);
    }
}

/* The least that a node with so many idle GPUs could cost in all is more than the best. */
static bool is_dear(const struct gang *g, uint32_t idle)
{
    if (g->node == HS_NO_NODE || g->open_cost <= g->idle_cost)
        return false;
    uint32_t others = idle < g->gpus ? g->gpus - idle : 0;
    if (others > 0 && g->open_cost == HS_NEVER)
        return true;
    return g->idle_cost * (g->gpus - others) + (others > 0 ? g->open_cost * others : 0) > g->sum;
}

static void search_idle(struct gang *g, const struct hs_share_pool *p)
{
    uint32_t local = hs_share_next_node(p, g->gpus, HS_SHARE_IDLE, 0);
    for (; local != UINT32_MAX; local = hs_share_next_node(p, g->gpus, HS_SHARE_IDLE, local + 1))
        if (!is_dear(g, g->s->nodes[p->nodes[local]].idle))
            judge(g, p->nodes[local]);
}

uint32_t hs_share_gang_node(struct hs_share *s, const struct hs_share_query *query, uint32_t gpus,
                            uint32_t margin_mib)
{
    struct gang g = {.s = s, .query = query, .gpus = gpus, .node = HS_NO_NODE, .sum = HS_NEVER};
    uint32_t claim_mib = query->claim_mib;
    hs_share_settle(s);
    s->searches++;
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!hs_share_pool_serves(s, p, query->ask) || p->summary[1].seats < gpus)
            continue;
        const struct hs_load_range idle = {.capacity_mib = p->capacity_mib, .gpu_type = p->type};
        g.may_join = p->root != HS_NO_VERTEX && claim_mib <= p->limit_mib && claim_mib < UINT32_MAX;
        g.capacity_mib = p->capacity_mib;
        g.type = p->type;
        g.most_level = hs_share_most_level(p, claim_mib, margin_mib);
        g.most_claim_mib = p->limit_mib == UINT32_MAX ? UINT32_MAX : p->limit_mib - claim_mib;
        g.idle_cost = query->cost_of(query->ctx, &idle);
        g.open_cost = g.may_join ? cost_of(&g, &s->vertices[p->root].box) : HS_NEVER;
        bool is_open_first = g.open_cost <= g.idle_cost;
        if (!is_open_first)
            search_idle(&g, p);
        if (g.may_join)
            search_branch(&g, p->root, g.open_cost);
        if (is_open_first && !is_hopeless(&g, g.idle_cost, 0))
            search_idle(&g, p);
    }
    return g.node;
}
