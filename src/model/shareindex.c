/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound in a search tree (shareindex_tree.c) whose vertices carry the box of the loads
 * below: any cost whose bound holds gets the right answer. Over each pool's nodes a tree of the
 * most seats and the least claims finds those with room for a gang; counts by claim tell at once
 * that it cannot start.
 */
#include "model/shareindex_state.h"

/* ---- counts ---- */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t hs_share_step(const struct hs_share_pool *p, uint64_t claim_mib)
{
    uint64_t step = claim_mib / p->step_mib;
    return step < HS_SHARE_STEPS ? (uint32_t)step : HS_SHARE_STEPS;
}

static void count_claim(struct hs_share_pool *p, uint32_t claim_mib, uint32_t delta)
{
    for (uint32_t i = hs_share_step(p, claim_mib) + 1; i <= HS_SHARE_COUNTS; i += i & (0 - i))
        p->open_by_claim[i] += delta; /* modulo 2^32: delta may be "minus one" */
}

static uint32_t open_up_to(const struct hs_share_pool *p, uint32_t claim_mib)
{
    uint32_t count = 0;
    for (uint32_t i = hs_share_step(p, claim_mib) + 1; i > 0; i -= i & (0 - i))
        count += p->open_by_claim[i];
    return count;
}

uint32_t hs_share_level(uint32_t claim_mib)
{
    return HS_SHARE_OPEN + least(claim_mib, HS_SHARE_CLOSED - HS_SHARE_OPEN - 1);
}

struct hs_share_summary hs_share_node_summary(const struct hs_share *s,
                                              const struct hs_share_node *n)
{
    const uint32_t *level = &s->level[n->first_gpu];
    struct hs_share_summary x = {.least_level = HS_SHARE_CLOSED, .seats = n->idle + n->open};
    for (uint32_t i = 0; i < n->gpus; i++)
        x.least_level = least(x.least_level, level[i]);
    return x;
}

struct hs_share_summary hs_share_summary_of(const struct hs_share_summary *below)
{
    return (struct hs_share_summary){
        .least_level = least(below[0].least_level, below[1].least_level),
        .seats = below[0].seats > below[1].seats ? below[0].seats : below[1].seats};
}

static void node_refresh(struct hs_share *s, struct hs_share_node *n)
{
    struct hs_share_pool *p = &s->pools[n->pool];
    n->is_stale = true;
    uint32_t at = p->leaves + n->local;
    struct hs_share_summary x = hs_share_node_summary(s, n);
    for (; at > 0; at /= 2, x = hs_share_summary_of(&p->summary[2 * at])) {
        struct hs_share_summary *here = &p->summary[at];
        if (here->least_level == x.least_level && here->seats == x.seats)
            break;
        *here = x;
    }
}

/* ---- changes ---- */

/* Out of tree and counts, if it is in. */
static void leave(struct hs_share *s, uint32_t gpu)
{
    struct hs_share_vertex *x = &s->gpus[gpu];
    struct hs_share_node *n = &s->nodes[x->node];
    struct hs_share_pool *p = &s->pools[n->pool];
    if (!hs_share_level_is_open(s->level[gpu]))
        return;
    hs_share_tree_remove(s, p, gpu);
    count_claim(p, x->own.least.claim_mib, UINT32_MAX);
    n->open--;
}

void hs_share_close(struct hs_share *s, uint32_t gpu, bool is_held)
{
    leave(s, gpu);
    s->level[gpu] = is_held ? HS_SHARE_CLOSED : HS_SHARE_IDLE;
    node_refresh(s, &s->nodes[s->gpus[gpu].node]);
}

void hs_share_open(struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    struct hs_share_vertex *x = &s->gpus[gpu];
    struct hs_share_node *n = &s->nodes[x->node];
    struct hs_share_pool *p = &s->pools[n->pool];
    leave(s, gpu);
    x->own.least = x->own.most = *load;
    hs_share_tree_add(s, p, gpu);
    count_claim(p, load->claim_mib, 1);
    n->open++;
    s->level[gpu] = hs_share_level(load->claim_mib);
    node_refresh(s, n);
}

void hs_share_set_idle(struct hs_share *s, uint32_t node, uint32_t gpus)
{
    struct hs_share_node *n = &s->nodes[node];
    if (n->idle == gpus)
        return;
    struct hs_share_pool *p = &s->pools[n->pool];
    p->idle = p->idle - n->idle + gpus;
    n->idle = (uint16_t)gpus;
    node_refresh(s, n);
}

/* ---- searches ---- */

static bool pool_serves(const struct hs_share *s, const struct hs_share_pool *p,
                        const struct hs_ask *ask)
{
    return (!s->by_vc || p->vc == ask->vc) && (ask->type_mask >> p->type & 1) && p->node_count > 0;
}

struct search {
    const struct hs_share *s;
    const struct hs_share_query *query;
    uint32_t most_claim_mib; /* that leaves room for the newcomer */
    int64_t best;
    uint32_t gpu;
};

/* Could something with this bound and these ids be better than what was found? */
static bool is_better(const struct search *q, int64_t cost, uint32_t gpu)
{
    return cost < q->best || (cost == q->best && q->gpu != HS_NO_GPU && gpu < q->gpu);
}

static int64_t bound_of(const struct search *q, uint32_t at)
{
    if (at == HS_NO_GPU || q->s->gpus[at].box.least.claim_mib > q->most_claim_mib)
        return HS_NEVER;
    return q->query->cost_of(q->query->ctx, &q->s->gpus[at].box);
}

static int64_t own_cost(const struct search *q, uint32_t gpu)
{
    const struct hs_load_range *own = &q->s->gpus[gpu].own;
    return own->least.claim_mib > q->most_claim_mib ? HS_NEVER
                                                    : q->query->cost_of(q->query->ctx, own);
}

static bool is_accepted(const struct search *q, uint32_t gpu)
{
    return q->query->accepts == NULL || q->query->accepts(q->query->accept_ctx, gpu);
}

static void try_gpu(struct search *q, uint32_t gpu)
{
    int64_t cost = own_cost(q, gpu);
    if (!is_better(q, cost, gpu) || !is_accepted(q, gpu))
        return;
    q->best = cost;
    q->gpu = gpu;
}

static void search_below(struct search *q, uint32_t at)
{
    const struct hs_share_vertex *x = &q->s->gpus[at];
    int64_t left = bound_of(q, x->left), right = bound_of(q, x->right);
    try_gpu(q, at);
    uint32_t first = x->left, second = x->right;
    if (right < left) { /* the better one first: it makes the other one hopeless more often */
        first = x->right;
        second = x->left;
        int64_t other = left;
        left = right;
        right = other;
    }
    if (left != HS_NEVER && is_better(q, left, q->s->gpus[first].least_id))
        search_below(q, first);
    if (right != HS_NEVER && is_better(q, right, q->s->gpus[second].least_id))
        search_below(q, second);
}

static uint32_t claim_left(uint32_t limit_mib, uint32_t claim_mib)
{
    if (limit_mib == UINT32_MAX)
        return UINT32_MAX;
    return limit_mib - claim_mib;
}

uint32_t hs_share_cheapest(const struct hs_share *s, const struct hs_share_query *query,
                           int64_t *cost)
{
    struct search q = {.s = s, .query = query, .best = query->below, .gpu = HS_NO_GPU};
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!pool_serves(s, p, query->ask) || query->claim_mib > p->limit_mib)
            continue;
        q.most_claim_mib = claim_left(p->limit_mib, query->claim_mib);
        int64_t bound = bound_of(&q, p->root);
        if (bound != HS_NEVER && is_better(&q, bound, s->gpus[p->root].least_id))
            search_below(&q, p->root);
    }
    *cost = q.best;
    return q.gpu;
}

/* Takes what is found from *rest, until that is 0. */
static void count_below(const struct search *q, uint32_t at, uint64_t *rest)
{
    if (*rest == 0 || bound_of(q, at) == HS_NEVER)
        return;
    *rest -= own_cost(q, at) != HS_NEVER && is_accepted(q, at);
    count_below(q, q->s->gpus[at].left, rest);
    count_below(q, q->s->gpus[at].right, rest);
}

uint64_t hs_share_count(const struct hs_share *s, const struct hs_share_query *query, uint64_t most)
{
    struct search q = {.s = s, .query = query};
    uint64_t rest = most;
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!pool_serves(s, p, query->ask))
            continue;
        rest -= p->idle < rest ? p->idle : rest;
        if (query->claim_mib > p->limit_mib)
            continue;
        q.most_claim_mib = claim_left(p->limit_mib, query->claim_mib);
        count_below(&q, p->root, &rest);
    }
    return most - rest;
}

/* The most that an open GPU may hold already when the newcomer leaves more than margin_mib of it;
 * false: it may join none. */
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

uint64_t hs_share_seats(const struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                        uint32_t margin_mib)
{
    uint64_t seats = 0;
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        uint32_t most_mib;
        if (!pool_serves(s, p, ask))
            continue;
        seats += p->idle;
        if (claim_beside(p, claim_mib, margin_mib, &most_mib))
            seats += open_up_to(p, most_mib);
    }
    return seats;
}

/* Has the node so many GPUs of at most this level? */
static bool node_has_seats(const struct hs_share *s, const struct hs_share_node *n, uint32_t gpus,
                           uint32_t most_level)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < n->gpus; i++)
        seats += s->level[n->first_gpu + i] <= most_level;
    return seats >= gpus;
}

/* First local number >= from with at least `gpus` seats of at most this level, or UINT32_MAX: where
 * the summary of a subtree does not say no, its left half is looked at, then its right one. */
static uint32_t pool_next_seats(const struct hs_share *s, const struct hs_share_pool *p,
                                uint32_t gpus, uint32_t most_level, uint32_t from)
{
    uint32_t at = p->leaves + from;
    if (from >= p->node_count)
        return UINT32_MAX;
    for (;;) {
        const struct hs_share_summary *here = &p->summary[at];
        if (here->seats >= gpus && here->least_level <= most_level) {
            if (at < p->leaves) {
                at *= 2;
                continue;
            }
            if (node_has_seats(s, &s->nodes[p->nodes[at - p->leaves]], gpus, most_level))
                return at - p->leaves;
        }
        while (at & 1) /* up to the first subtree to the right */
            at /= 2;
        if (at == 0)
            return UINT32_MAX;
        at++;
    }
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

uint32_t hs_share_seat_node(const struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                            uint32_t margin_mib, uint32_t gpus, uint32_t from)
{
    uint32_t best = HS_NO_NODE;
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        uint32_t most_mib, most_level = HS_SHARE_IDLE;
        if (!pool_serves(s, p, ask))
            continue;
        if (claim_beside(p, claim_mib, margin_mib, &most_mib))
            most_level = hs_share_level(most_mib);
        uint32_t local =
            pool_next_seats(s, p, gpus > 0 ? gpus : 1, most_level, pool_lower_bound(s, p, from));
        if (local != UINT32_MAX && p->nodes[local] < best)
            best = p->nodes[local];
    }
    return best;
}

bool hs_share_is_full(const struct hs_share *s, const struct hs_ask *ask)
{
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++)
        if (pool_serves(s, p, ask) && p->summary[1].seats > 0)
            return false;
    return true;
}

void hs_share_node_costs(const struct hs_share *s, const struct hs_share_query *query,
                         uint32_t first_gpu, uint32_t gpus, int64_t idle_cost, int64_t *costs)
{
    const struct hs_share_vertex *x = &s->gpus[first_gpu];
    const struct hs_share_pool *p = &s->pools[s->nodes[x->node].pool];
    uint32_t most_level = HS_SHARE_IDLE;
    if (query->claim_mib <= p->limit_mib)
        most_level = hs_share_level(claim_left(p->limit_mib, query->claim_mib));
    for (uint32_t i = 0; i < gpus; i++, x++) {
        uint32_t level = s->level[first_gpu + i];
        if (level == HS_SHARE_IDLE)
            costs[i] = idle_cost;
        else
            costs[i] = level <= most_level ? query->cost_of(query->ctx, &x->own) : HS_NEVER;
    }
}

static void node_make_box(const struct hs_share *s, struct hs_share_node *n)
{
    uint32_t open = 0;
    for (uint32_t g = n->first_gpu; g < n->first_gpu + n->gpus; g++) {
        if (!hs_share_level_is_open(s->level[g]))
            continue;
        if (open++ == 0)
            n->box = s->gpus[g].own;
        else
            hs_share_widen(&n->box, &s->gpus[g].own);
    }
    n->is_stale = false;
}

int64_t hs_share_node_bound(const struct hs_share *s, const struct hs_share_query *query,
                            uint32_t node, int64_t idle_cost)
{
    struct hs_share_node *n = &s->nodes[node];
    int64_t bound = n->idle > 0 ? idle_cost : HS_NEVER;
    if (n->open == 0)
        return bound;
    if (n->is_stale)
        node_make_box(s, n);
    int64_t open_bound = query->cost_of(query->ctx, &n->box);
    return open_bound < bound ? open_bound : bound;
}

bool hs_share_is_open(const struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    const struct hs_load *own = &s->gpus[gpu].own.least;
    bool is_open = hs_share_level_is_open(s->level[gpu]);
    if (!is_open || load == NULL)
        return is_open;
    bool is_same = own->tenants == load->tenants && own->claim_mib == load->claim_mib &&
                   own->measured_pm == load->measured_pm;
    for (int i = 0; i < HS_LOADS; i++)
        is_same = is_same && own->sum[i] == load->sum[i];
    return is_same;
}
