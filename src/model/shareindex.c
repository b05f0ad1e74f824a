/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound in a treap (Seidel & Aragon, Algorithmica 1996) whose vertices carry the box of
 * the loads below. The order (tenants, first sum, claim) keeps boxes small where it matters for
 * costs of that kind; any cost whose bound holds gets the right answer. Priorities are a mix of the
 * GPU's id: the same shape on every machine. A tree of maxima over each pool's nodes finds those
 * with many seats, counts by claim tell at once that a gang cannot start.
 */
#include "model/shareindex.h"

#include <assert.h>

#include "model/shareindex_state.h"

bool hs_share_is_before(const struct hs_share *s, uint32_t a, uint32_t b)
{
    const struct hs_load *x = &s->gpus[a].own.least, *y = &s->gpus[b].own.least;
    if (x->tenants != y->tenants)
        return x->tenants < y->tenants;
    if (x->sum[0] != y->sum[0])
        return x->sum[0] < y->sum[0];
    if (x->claim_mib != y->claim_mib)
        return x->claim_mib < y->claim_mib;
    return a < b;
}

static inline void widen_u32(uint32_t *least, uint32_t *most, uint32_t below, uint32_t above)
{
    *least = below < *least ? below : *least;
    *most = above > *most ? above : *most;
}

static void box_widen(struct hs_load_range *box, const struct hs_load_range *other)
{
    struct hs_load *least = &box->least, *most = &box->most;
    widen_u32(&least->tenants, &most->tenants, other->least.tenants, other->most.tenants);
    widen_u32(&least->claim_mib, &most->claim_mib, other->least.claim_mib, other->most.claim_mib);
    widen_u32(&least->measured_pm, &most->measured_pm, other->least.measured_pm,
              other->most.measured_pm);
    for (int i = 0; i < HS_LOADS; i++) {
        if (other->least.sum[i] < least->sum[i])
            least->sum[i] = other->least.sum[i];
        if (other->most.sum[i] > most->sum[i])
            most->sum[i] = other->most.sum[i];
    }
}

void hs_share_refresh(struct hs_share *s, uint32_t gpu)
{
    struct hs_share_vertex *x = &s->gpus[gpu];
    x->box = x->own;
    x->least_id = gpu;
    const uint32_t below[] = {x->left, x->right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == HS_NO_GPU)
            continue;
        const struct hs_share_vertex *child = &s->gpus[below[i]];
        box_widen(&x->box, &child->box);
        if (child->least_id < x->least_id)
            x->least_id = child->least_id;
    }
}

/* Splits a subtree at `gpu`, which is not in it, into those before and those behind. */
static void tree_split(struct hs_share *s, uint32_t at, uint32_t gpu, uint32_t *before,
                       uint32_t *behind)
{
    if (at == HS_NO_GPU) {
        *before = *behind = HS_NO_GPU;
        return;
    }
    if (hs_share_is_before(s, at, gpu)) {
        *before = at;
        tree_split(s, s->gpus[at].right, gpu, &s->gpus[at].right, behind);
    } else {
        *behind = at;
        tree_split(s, s->gpus[at].left, gpu, before, &s->gpus[at].left);
    }
    hs_share_refresh(s, at);
}

static uint32_t tree_join(struct hs_share *s, uint32_t before, uint32_t behind)
{
    if (before == HS_NO_GPU)
        return behind;
    if (behind == HS_NO_GPU)
        return before;
    if (s->gpus[before].priority > s->gpus[behind].priority) {
        s->gpus[before].right = tree_join(s, s->gpus[before].right, behind);
        hs_share_refresh(s, before);
        return before;
    }
    s->gpus[behind].left = tree_join(s, before, s->gpus[behind].left);
    hs_share_refresh(s, behind);
    return behind;
}

static uint32_t tree_add(struct hs_share *s, uint32_t at, uint32_t gpu)
{
    struct hs_share_vertex *x = &s->gpus[gpu];
    if (at == HS_NO_GPU || x->priority > s->gpus[at].priority) {
        tree_split(s, at, gpu, &x->left, &x->right);
        at = gpu;
    } else if (hs_share_is_before(s, gpu, at)) {
        s->gpus[at].left = tree_add(s, s->gpus[at].left, gpu);
    } else {
        s->gpus[at].right = tree_add(s, s->gpus[at].right, gpu);
    }
    hs_share_refresh(s, at);
    return at;
}

static uint32_t tree_remove(struct hs_share *s, uint32_t at, uint32_t gpu)
{
    assert(at != HS_NO_GPU);
    struct hs_share_vertex *x = &s->gpus[at];
    if (at == gpu)
        return tree_join(s, x->left, x->right);
    if (hs_share_is_before(s, gpu, at))
        x->left = tree_remove(s, x->left, gpu);
    else
        x->right = tree_remove(s, x->right, gpu);
    hs_share_refresh(s, at);
    return at;
}

/* ---- counts ---- */

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

static void node_count_seats(struct hs_share *s, const struct hs_share_node *n)
{
    struct hs_share_pool *p = &s->pools[n->pool];
    uint32_t at = p->leaves + n->local;
    p->seats[at] = (uint16_t)(n->idle + n->open);
    for (at /= 2; at > 0; at /= 2) {
        uint16_t left = p->seats[2 * at], right = p->seats[2 * at + 1];
        uint16_t most = left > right ? left : right;
        if (p->seats[at] == most)
            break;
        p->seats[at] = most;
    }
}

/* ---- changes ---- */

void hs_share_close(struct hs_share *s, uint32_t gpu, bool is_held)
{
    struct hs_share_vertex *x = &s->gpus[gpu];
    x->is_held = is_held;
    if (!x->is_open)
        return;
    struct hs_share_node *n = &s->nodes[x->node];
    struct hs_share_pool *p = &s->pools[n->pool];
    p->root = tree_remove(s, p->root, gpu);
    x->is_open = false;
    count_claim(p, x->own.least.claim_mib, UINT32_MAX);
    n->open--;
    node_count_seats(s, n);
}

void hs_share_open(struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    struct hs_share_vertex *x = &s->gpus[gpu];
    hs_share_close(s, gpu, true);
    struct hs_share_node *n = &s->nodes[x->node];
    struct hs_share_pool *p = &s->pools[n->pool];
    x->own.least = x->own.most = *load;
    x->left = x->right = HS_NO_GPU;
    x->is_open = true;
    p->root = tree_add(s, p->root, gpu);
    count_claim(p, load->claim_mib, 1);
    n->open++;
    node_count_seats(s, n);
}

void hs_share_set_idle(struct hs_share *s, uint32_t node, uint32_t gpus)
{
    struct hs_share_node *n = &s->nodes[node];
    if (n->idle == gpus)
        return;
    struct hs_share_pool *p = &s->pools[n->pool];
    p->idle = p->idle - n->idle + gpus;
    n->idle = (uint16_t)gpus;
    node_count_seats(s, n);
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

static void try_gpu(struct search *q, uint32_t gpu)
{
    const struct hs_share_vertex *x = &q->s->gpus[gpu];
    if (x->own.least.claim_mib > q->most_claim_mib)
        return;
    int64_t cost = q->query->cost_of(q->query->ctx, &x->own);
    if (!is_better(q, cost, gpu) ||
        (q->query->accepts != NULL && !q->query->accepts(q->query->accept_ctx, gpu)))
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

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint64_t hs_share_seats(const struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                        uint32_t margin_mib)
{
    uint64_t seats = 0;
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!pool_serves(s, p, ask))
            continue;
        seats += p->idle;
        uint64_t with_margin_mib = (uint64_t)claim_mib + margin_mib;
        if (p->limit_mib == UINT32_MAX)
            seats += open_up_to(p, UINT32_MAX);
        else if (claim_mib <= p->limit_mib && with_margin_mib < p->capacity_mib)
            seats += open_up_to(p, least(p->limit_mib - claim_mib,
                                         p->capacity_mib - 1 - (uint32_t)with_margin_mib));
    }
    return seats;
}

/* First local number >= from with at least `gpus` seats, or UINT32_MAX. */
static uint32_t pool_next_seats(const struct hs_share_pool *p, uint32_t gpus, uint32_t from)
{
    if (from >= p->node_count)
        return UINT32_MAX;
    uint32_t at = p->leaves + from;
    while (p->seats[at] < gpus) { /* up to the first subtree to the right that has one */
        while (at & 1)
            at /= 2;
        if (at == 0)
            return UINT32_MAX;
        at++;
    }
    while (at < p->leaves) {
        at *= 2;
        if (p->seats[at] < gpus)
            at++;
    }
    return at - p->leaves;
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

uint32_t hs_share_seat_node(const struct hs_share *s, const struct hs_ask *ask, uint32_t gpus,
                            uint32_t from)
{
    uint32_t best = HS_NO_NODE;
    for (const struct hs_share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        if (!pool_serves(s, p, ask))
            continue;
        uint32_t local = pool_next_seats(p, gpus > 0 ? gpus : 1, pool_lower_bound(s, p, from));
        if (local != UINT32_MAX && p->nodes[local] < best)
            best = p->nodes[local];
    }
    return best;
}

void hs_share_node_costs(const struct hs_share *s, const struct hs_share_query *query,
                         uint32_t first_gpu, uint32_t gpus, int64_t idle_cost, int64_t *costs)
{
    const struct hs_share_vertex *x = &s->gpus[first_gpu];
    const struct hs_share_pool *p = &s->pools[s->nodes[x->node].pool];
    bool fits = query->claim_mib <= p->limit_mib;
    uint32_t most_claim_mib = fits ? claim_left(p->limit_mib, query->claim_mib) : 0;
    for (uint32_t i = 0; i < gpus; i++, x++) {
        if (!x->is_held)
            costs[i] = idle_cost;
        else if (fits && x->is_open && x->own.least.claim_mib <= most_claim_mib)
            costs[i] = query->cost_of(query->ctx, &x->own);
        else
            costs[i] = HS_NEVER;
    }
}

bool hs_share_is_open(const struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    const struct hs_share_vertex *x = &s->gpus[gpu];
    if (!x->is_open || load == NULL)
        return x->is_open;
    const struct hs_load *own = &x->own.least;
    bool is_same = own->tenants == load->tenants && own->claim_mib == load->claim_mib &&
                   own->measured_pm == load->measured_pm;
    for (int i = 0; i < HS_LOADS; i++)
        is_same = is_same && own->sum[i] == load->sum[i];
    return is_same;
}
