/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Searches of the share index: the cheapest GPU, and the cheapest node for a gang. Where all GPUs
 * of a node cost more than the mean of the best gang so far, the node cannot be better: nodes are
 * visited by their GPUs, the cheaper branch of the tree first, and a branch above that mean is
 * skipped. Idle GPUs are not in the tree: nodes that have some are visited before it, or after it
 * where idle GPUs cost more than shared ones may.
 */
#include "model/shareindex.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "horus/view.h"
#include "model/cluster.h"
#include "model/freeindex.h"
#include "model/shareindex_state.h"

struct gang {
    struct hs_share *s;
    const struct hs_share_query *query;
    uint32_t gpus;
    /* of this pool */
    bool may_join; /* GPUs with tenants */
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
        uint32_t gpu = n->first_gpu + i, allocations = 0;
        for (next = i; next < n->gpus && (first[next] == gpu || first[next] == HS_NO_GPU); next++)
            allocations += first[next] == gpu;
        if (allocations == 0 || s->load[gpu].claim_mib > g->most_claim_mib)
            continue;
        const struct hs_load_range point = {s->load[gpu], s->load[gpu], g->capacity_mib, g->type};
        int64_t cost = g->query->cost_of(g->query->ctx, &point);
        if (cost != HS_NEVER)
            add_offer(s->offers, count++, (struct hs_share_offer){cost, allocations});
    }
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        uint32_t allocations = s->offers[i].allocations < rest ? s->offers[i].allocations : rest;
        sum += s->offers[i].cost * allocations;
        rest -= allocations;
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
        !hs_share_can_find(g->s, n, g->gpus, g->most_level) ||
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
        if (!hs_share_pool_serves(s, p, query->ask) || p->summary[1].allocations < gpus)
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

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t open_up_to(const struct hs_share_pool *p, uint32_t claim_mib)
{
    uint32_t count = 0;
    for (uint32_t i = hs_share_step(p, claim_mib) + 1; i > 0; i -= i & (0 - i))
        count += p->open_by_claim[i];
    return count;
}

bool hs_share_pool_serves(const struct hs_share *s, const struct hs_share_pool *p,
                          const struct hs_ask *ask)
{
    return (!s->by_vc || p->vc == ask->vc) && (ask->type_mask >> p->type & 1) && p->node_count > 0;
}

struct search {
    const struct hs_share *s;
    const struct hs_share_query *query;
    uint32_t most_claim_mib; /* that leaves room for the candidate */
    int64_t best;
    uint32_t gpu;
};

/* Could something with this bound and these ids be better than what was found? */
static bool gang_is_better(const struct search *q, int64_t cost, uint32_t gpu)
{
    return cost < q->best || (cost == q->best && q->gpu != HS_NO_GPU && gpu < q->gpu);
}

static int64_t bound_of(const struct search *q, uint32_t at)
{
    if (at == HS_NO_VERTEX || q->s->vertices[at].box.least.claim_mib > q->most_claim_mib)
        return HS_NEVER;
    return q->query->cost_of(q->query->ctx, &q->s->vertices[at].box);
}

static int64_t own_cost(const struct search *q, const struct hs_share_vertex *x)
{
    const struct hs_load_range *own = &x->own;
    return own->least.claim_mib > q->most_claim_mib ? HS_NEVER
                                                    : q->query->cost_of(q->query->ctx, own);
}

static bool is_accepted(const struct search *q, const struct hs_share_vertex *x)
{
    return q->query->accepts == NULL || q->query->accepts(q->query->accept_ctx, x->node);
}

static void try_gpu(struct search *q, const struct hs_share_vertex *x)
{
    int64_t cost = own_cost(q, x);
    if (!gang_is_better(q, cost, x->gpu) || !is_accepted(q, x))
        return;
    q->best = cost;
    q->gpu = x->gpu;
}

static void gang_search_below(struct search *q, uint32_t at)
{
    const struct hs_share_vertex *x = &q->s->vertices[at];
    int64_t left = bound_of(q, x->left), right = bound_of(q, x->right);
    try_gpu(q, x);
    uint32_t first = x->left, second = x->right;
    if (right < left) { /* the better one first: it makes the other one hopeless more often */
        first = x->right;
        second = x->left;
        int64_t other = left;
        left = right;
        right = other;
    }
    if (left != HS_NEVER && gang_is_better(q, left, q->s->vertices[first].least_id))
        gang_search_below(q, first);
    if (right != HS_NEVER && gang_is_better(q, right, q->s->vertices[second].least_id))
        gang_search_below(q, second);
}

static uint32_t claim_left(uint32_t limit_mib, uint32_t claim_mib)
{
    if (limit_mib == UINT32_MAX)
        return UINT32_MAX;
    return limit_mib - claim_mib;
}

uint32_t hs_share_cheapest(struct hs_share *s, const struct hs_share_query *query, int64_t *cost)
{
    struct search q = {.s = s, .query = query, .best = query->below, .gpu = HS_NO_GPU};
    hs_share_settle(s);
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!hs_share_pool_serves(s, p, query->ask) || query->claim_mib > p->limit_mib)
            continue;
        q.most_claim_mib = claim_left(p->limit_mib, query->claim_mib);
        int64_t bound = bound_of(&q, p->root);
        if (bound != HS_NEVER && gang_is_better(&q, bound, s->vertices[p->root].least_id))
            gang_search_below(&q, p->root);
    }
    *cost = q.best;
    return q.gpu;
}

/* Takes what is found from *rest, until that is 0. */
static void count_below(const struct search *q, uint32_t at, uint64_t *rest)
{
    if (*rest == 0 || bound_of(q, at) == HS_NEVER)
        return;
    const struct hs_share_vertex *x = &q->s->vertices[at];
    if (own_cost(q, x) != HS_NEVER && is_accepted(q, x))
        *rest -= x->count < *rest ? x->count : *rest;
    count_below(q, x->left, rest);
    count_below(q, x->right, rest);
}

uint64_t hs_share_count(struct hs_share *s, const struct hs_share_query *query, uint64_t most)
{
    struct search q = {.s = s, .query = query};
    uint64_t rest = most;
    hs_share_settle(s);
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!hs_share_pool_serves(s, p, query->ask))
            continue;
        rest -= p->idle < rest ? p->idle : rest;
        if (query->claim_mib > p->limit_mib)
            continue;
        q.most_claim_mib = claim_left(p->limit_mib, query->claim_mib);
        count_below(&q, p->root, &rest);
    }
    return most - rest;
}

/* The largest claim that an open GPU may already have, so that the candidate leaves more than
 * margin_mib; false: it may join none. */
static bool claim_beside(const struct hs_share_pool *p, uint32_t claim_mib, uint32_t margin_mib,
                         uint32_t *most_mib)
{
    uint64_t with_margin_mib = (uint64_t)claim_mib + margin_mib;
    *most_mib = UINT32_MAX;
    if (p->limit_mib == UINT32_MAX)
        return claim_mib < UINT32_MAX;
    if (claim_mib > p->limit_mib || with_margin_mib >= p->capacity_mib)
        return false;
    *most_mib = least(p->limit_mib - claim_mib, p->capacity_mib - 1 - (uint32_t)with_margin_mib);
    return true;
}

uint32_t hs_share_most_level(const struct hs_share_pool *p, uint32_t claim_mib, uint32_t margin_mib)
{
    uint32_t most_mib;
    return claim_beside(p, claim_mib, margin_mib, &most_mib) ? hs_share_level(most_mib)
                                                             : HS_SHARE_IDLE;
}

uint64_t hs_share_find(struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                       uint32_t margin_mib)
{
    uint64_t allocations = 0;
    hs_share_settle(s);
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        uint32_t most_mib;
        if (!hs_share_pool_serves(s, p, ask))
            continue;
        allocations += p->idle;
        if (claim_beside(p, claim_mib, margin_mib, &most_mib))
            allocations += open_up_to(p, most_mib);
    }
    return allocations;
}

bool hs_share_can_find(const struct hs_share *s, const struct hs_share_node *n, uint32_t gpus,
                       uint32_t most_level)
{
    uint32_t allocations = 0;
    for (uint32_t i = 0; i < n->gpus; i++)
        allocations += s->level[n->first_gpu + i] <= most_level;
    return allocations >= gpus;
}

/* Where the summary of a subtree does not say no, its left half is looked at, then its right one.
 */
uint32_t hs_share_next_node(const struct hs_share_pool *p, uint32_t gpus, uint32_t most_level,
                            uint32_t from)
{
    uint32_t at = p->leaves + from;
    if (from >= p->node_count)
        return UINT32_MAX;
    for (;;) {
        const struct hs_share_summary *here = &p->summary[at];
        if (here->allocations >= gpus && here->least_level <= most_level) {
            if (at >= p->leaves)
                return at - p->leaves;
            at *= 2;
            continue;
        }
        while (at & 1) /* up to the first subtree to the right */
            at /= 2;
        if (at == 0)
            return UINT32_MAX;
        at++;
    }
}

/* First local number >= from with at least `gpus` GPUs of at most this level, or UINT32_MAX. */
static uint32_t pool_next_allocations(const struct hs_share *s, const struct hs_share_pool *p,
                                      uint32_t gpus, uint32_t most_level, uint32_t from)
{
    uint32_t local = hs_share_next_node(p, gpus, most_level, from);
    while (local != UINT32_MAX &&
           !hs_share_can_find(s, &s->nodes[p->nodes[local]], gpus, most_level))
        local = hs_share_next_node(p, gpus, most_level, local + 1);
    return local;
}

static uint32_t pool_lower_bound(const struct hs_share *s, const struct hs_share_pool *p,
                                 uint32_t node)
{
    if (node < s->node_count && &s->pools[s->nodes[node].pool] == p)
        return s->nodes[node].local;
    uint32_t low = 0, high = p->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->nodes[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t hs_share_find_node(struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                            uint32_t margin_mib, uint32_t gpus, uint32_t from)
{
    uint32_t best = HS_NO_NODE;
    hs_share_settle(s);
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!hs_share_pool_serves(s, p, ask))
            continue;
        uint32_t most_level = hs_share_most_level(p, claim_mib, margin_mib);
        uint32_t local = pool_next_allocations(s, p, gpus > 0 ? gpus : 1, most_level,
                                               pool_lower_bound(s, p, from));
        if (local != UINT32_MAX && p->nodes[local] < best)
            best = p->nodes[local];
    }
    return best;
}

bool hs_share_is_full(struct hs_share *s, const struct hs_ask *ask)
{
    hs_share_settle(s);
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++)
        if (hs_share_pool_serves(s, p, ask) && p->summary[1].allocations > 0)
            return false;
    return true;
}

void hs_share_node_costs(struct hs_share *s, const struct hs_share_query *query, uint32_t first_gpu,
                         uint32_t gpus, int64_t idle_cost, int64_t *costs)
{
    const struct hs_share_pool *p = &s->pools[s->nodes[s->node_of[first_gpu]].pool];
    uint32_t most_level = HS_SHARE_IDLE;
    hs_share_settle(s);
    if (query->claim_mib <= p->limit_mib)
        most_level = hs_share_level(claim_left(p->limit_mib, query->claim_mib));
    for (uint32_t i = 0; i < gpus; i++) {
        uint32_t gpu = first_gpu + i, level = s->level[gpu];
        if (level == HS_SHARE_IDLE)
            costs[i] = idle_cost;
        else if (level > most_level)
            costs[i] = HS_NEVER;
        else if (s->first[gpu] != gpu)
            costs[i] = costs[s->first[gpu] - first_gpu];
        else
            costs[i] = query->cost_of(query->ctx, &hs_share_vertex_of(s, gpu)->own);
    }
}

bool hs_share_is_open(const struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    bool is_open = hs_share_level_is_open(s->level[gpu]);
    return is_open && (load == NULL || hs_share_is_same(&s->load[gpu], load));
}
