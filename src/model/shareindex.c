/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The share index: per pool a treap of vertices (Seidel & Aragon, Algorithmica 1996) with the
 * bounding box of the loads below each, and bit sets of nodes. The order of the treap (tenants,
 * first sum, claim) keeps boxes small for costs based on these; priorities are a hash of the GPU's
 * id, so that its shape is the same on every machine.
 *
 * If all GPUs of a node cost more than the mean of the best gang so far, the node cannot be better:
 * nodes are visited by their GPUs, the cheaper branch of the treap first, and a branch above that
 * mean is skipped. Idle GPUs are not in the treap: nodes with idle GPUs are visited before it, or
 * after it if idle GPUs cost more than shared ones may.
 */
#include "model/shareindex.h"

#include "base/rng.h"
#include "model/bitset.h"

#define NO_VERTEX UINT32_MAX

/* A vertex of a pool's treap: an open GPU, and the following ones of its node with equal load.
 * Order: tenants, first sum, claim, id. Idle or full GPUs have no vertex. */
struct vertex {
    struct hs_load_range own; /* with least = most = its load */
    struct hs_load_range box; /* of the subtree */
    uint32_t gpu, node;
    uint32_t priority;
    uint32_t left, right; /* NO_VERTEX = none */
    uint32_t least_id;    /* lowest GPU id of the subtree */
    uint32_t count;       /* number of GPUs represented */
};

/* Level of a GPU: idle; open with the MiB claimed, plus LEVEL_OPEN; or closed. */
#define LEVEL_IDLE   0u
#define LEVEL_OPEN   1u
#define LEVEL_CLOSED UINT32_MAX

struct share_pool {
    uint32_t type;
    uint32_t capacity_mib, limit_mib; /* of a GPU; of the claims of its tenants */
    uint32_t root;
    uint64_t idle;   /* GPUs */
    uint32_t *nodes; /* ids, ascending */
    uint32_t node_count;
    struct hs_bitset with_idle, with_open; /* nodes with such GPUs, by local number */
};

struct share_node {
    uint32_t pool, local;
    uint32_t first_gpu, gpus;
    uint16_t idle, open;
    bool is_changed; /* since the last query: its vertices are outdated */
    uint32_t judged; /* number of the last search for a gang that visited it */
};

/* GPUs of a node at one cost. */
struct share_offer {
    int64_t cost;
    uint32_t allocations;
};

struct hs_share {
    const struct hs_free *free; /* for CPUs and host memory of nodes */
    struct vertex *vertices;
    struct hs_pool vertex_pool; /* one vertex per GPU: never grows */
    uint32_t *vertex;           /* of each GPU: its vertex + 1; 0 = none */
    uint32_t *node_of;          /* of each GPU */
    struct hs_load *load;       /* of each GPU that is open */
    uint32_t *level;            /* of each GPU */
    uint32_t *first;            /* of each open GPU: the GPU that represents it */
    struct share_node *nodes;
    uint32_t *changed; /* nodes */
    uint32_t changed_count;
    struct share_offer *offers; /* scratch: of one node */
    uint32_t searches;          /* number of searches for gangs so far */
    struct share_pool *pools;   /* by VC, then type */
    uint32_t node_count, pool_count, type_count;
    bool by_vc;
};

static inline struct vertex *vertex_of(const struct hs_share *s, uint32_t gpu)
{
    return &s->vertices[s->vertex[gpu] - 1];
}

static inline bool is_same_load(const struct hs_load *a, const struct hs_load *b)
{
    return memcmp(a, b, sizeof *a) == 0; /* no padding */
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- treap ---- */

static bool is_before(const struct hs_share *s, uint32_t a, uint32_t b)
{
    const struct hs_load *x = &s->vertices[a].own.least, *y = &s->vertices[b].own.least;
    if (x->tenants != y->tenants)
        return x->tenants < y->tenants;
    if (x->sum[0] != y->sum[0])
        return x->sum[0] < y->sum[0];
    if (x->claim_mib != y->claim_mib)
        return x->claim_mib < y->claim_mib;
    return s->vertices[a].gpu < s->vertices[b].gpu;
}

static inline void widen_u32(uint32_t *low, uint32_t *high, uint32_t below, uint32_t above)
{
    *low = below < *low ? below : *low;
    *high = above > *high ? above : *high;
}

static void widen(struct hs_load_range *box, const struct hs_load_range *other)
{
    struct hs_load *low = &box->least, *high = &box->most;
    const struct hs_load *below = &other->least, *above = &other->most;
    widen_u32(&low->tenants, &high->tenants, below->tenants, above->tenants);
    widen_u32(&low->claim_mib, &high->claim_mib, below->claim_mib, above->claim_mib);
    widen_u32(&low->measured_pm, &high->measured_pm, below->measured_pm, above->measured_pm);
    for (int i = 0; i < HS_LOADS; i++) {
        low->sum[i] = below->sum[i] < low->sum[i] ? below->sum[i] : low->sum[i];
        high->sum[i] = above->sum[i] > high->sum[i] ? above->sum[i] : high->sum[i];
    }
}

/* Recomputes the box of a vertex from its load and its children; false if it is unchanged. */
static bool refresh(struct hs_share *s, uint32_t vertex)
{
    struct vertex *x = &s->vertices[vertex];
    struct hs_load_range box = x->own;
    uint32_t least_id = x->gpu;
    const uint32_t below[] = {x->left, x->right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == NO_VERTEX)
            continue;
        widen(&box, &s->vertices[below[i]].box);
        least_id = least(least_id, s->vertices[below[i]].least_id);
    }
    if (least_id == x->least_id && memcmp(&box, &x->box, sizeof box) == 0)
        return false;
    x->box = box;
    x->least_id = least_id;
    return true;
}

/* Puts what precedes the vertex in the subtree into *left, the rest into *right. */
static void split(struct hs_share *s, uint32_t at, uint32_t vertex, uint32_t *left, uint32_t *right)
{
    if (at == NO_VERTEX) {
        *left = *right = NO_VERTEX;
        return;
    }
    struct vertex *x = &s->vertices[at];
    if (is_before(s, at, vertex)) {
        *left = at;
        split(s, x->right, vertex, &x->right, right);
    } else {
        *right = at;
        split(s, x->left, vertex, left, &x->left);
    }
    (void)refresh(s, at);
}

/* Joins two subtrees; all of the left one precedes all of the right one. */
static uint32_t join(struct hs_share *s, uint32_t left, uint32_t right)
{
    if (left == NO_VERTEX || right == NO_VERTEX)
        return left == NO_VERTEX ? right : left;
    struct vertex *l = &s->vertices[left], *r = &s->vertices[right];
    const bool is_left = l->priority > r->priority;
    if (is_left)
        l->right = join(s, l->right, right);
    else
        r->left = join(s, left, r->left);
    (void)refresh(s, is_left ? left : right);
    return is_left ? left : right;
}

/* Adds a vertex whose load and GPU are set. */
static void tree_add(struct hs_share *s, uint32_t *at, uint32_t vertex)
{
    struct vertex *x = &s->vertices[vertex];
    x->priority = (uint32_t)(hs_mix64(x->gpu, 0) >> 32);
    while (*at != NO_VERTEX && s->vertices[*at].priority >= x->priority) {
        struct vertex *above = &s->vertices[*at];
        widen(&above->box, &x->own);
        above->least_id = least(above->least_id, x->gpu);
        at = is_before(s, vertex, *at) ? &above->left : &above->right;
    }
    split(s, *at, vertex, &x->left, &x->right);
    x->least_id = UINT32_MAX; /* discards the box of a former vertex */
    (void)refresh(s, vertex);
    *at = vertex;
}

/* Returns whether the box of the subtree has changed. */
static bool tree_remove(struct hs_share *s, uint32_t *at, uint32_t vertex)
{
    struct vertex *x = &s->vertices[*at];
    if (*at == vertex) {
        *at = join(s, x->left, x->right);
        return true;
    }
    bool is_changed = tree_remove(s, is_before(s, vertex, *at) ? &x->left : &x->right, vertex);
    return is_changed && refresh(s, *at);
}

static uint32_t level_of_claim(uint32_t claim_mib)
{
    return LEVEL_OPEN + least(claim_mib, LEVEL_CLOSED - LEVEL_OPEN - 1);
}

static inline bool level_is_open(uint32_t level)
{
    return level != LEVEL_IDLE && level != LEVEL_CLOSED;
}

/* The GPU represents `count` GPUs; does nothing for HS_NO_GPU. */
static void stand_for(struct hs_share *s, struct share_pool *p, uint32_t gpu, uint32_t count)
{
    if (gpu == HS_NO_GPU)
        return;
    if (s->vertex[gpu] == 0) {
        uint32_t at = hs_pool_take_there(&s->vertex_pool, s->vertices, sizeof *s->vertices);
        struct vertex *x = &s->vertices[at];
        s->vertex[gpu] = at + 1;
        x->gpu = gpu;
        x->node = s->node_of[gpu];
        x->own = (struct hs_load_range){s->load[gpu], s->load[gpu], p->capacity_mib, p->type};
        x->count = 0;
        tree_add(s, &p->root, at);
    }
    vertex_of(s, gpu)->count = count;
}

/* Gives each run of GPUs with equal load a vertex, and removes those of the node's other GPUs. */
static void node_settle(struct hs_share *s, const struct share_node *n)
{
    struct share_pool *p = &s->pools[n->pool];
    uint32_t first = HS_NO_GPU;
    uint32_t count = 0; /* of GPUs with equal load, ignoring closed ones */
    for (uint32_t g = n->first_gpu; g < n->first_gpu + n->gpus; g++) {
        const bool is_open = level_is_open(s->level[g]);
        if (is_open && (first == HS_NO_GPU || !is_same_load(&s->load[first], &s->load[g]))) {
            stand_for(s, p, first, count);
            first = g;
            count = 0;
        }
        s->first[g] = is_open ? first : HS_NO_GPU;
        count += is_open;
        struct vertex *x = s->vertex[g] != 0 ? vertex_of(s, g) : NULL;
        if (x == NULL || (s->first[g] == g && is_same_load(&x->own.least, &s->load[g])))
            continue;
        (void)tree_remove(s, &p->root, s->vertex[g] - 1);
        hs_pool_give(&s->vertex_pool, x, s->vertex[g] - 1);
        s->vertex[g] = 0;
    }
    stand_for(s, p, first, count);
}

/* Applies all changes since the last query. */
static void settle(struct hs_share *s)
{
    while (s->changed_count > 0) {
        struct share_node *n = &s->nodes[s->changed[--s->changed_count]];
        n->is_changed = false;
        node_settle(s, n);
    }
}

/* ---- changes ---- */

static void set_level(struct hs_share *s, uint32_t gpu, uint32_t level)
{
    uint32_t node = s->node_of[gpu], before = s->level[gpu];
    struct share_node *n = &s->nodes[node];
    struct share_pool *p = &s->pools[n->pool];
    const int idle = (level == LEVEL_IDLE) - (before == LEVEL_IDLE);
    const int open = level_is_open(level) - level_is_open(before);
    n->idle = (uint16_t)(n->idle + idle);
    n->open = (uint16_t)(n->open + open);
    hs_bitset_put(&p->with_idle, n->local, n->idle > 0);
    hs_bitset_put(&p->with_open, n->local, n->open > 0);
    p->idle += (uint64_t)idle;
    s->level[gpu] = level;
    if (!n->is_changed) {
        n->is_changed = true;
        s->changed[s->changed_count++] = node;
    }
}

void hs_share_close(struct hs_share *s, uint32_t gpu, bool is_held)
{
    uint32_t level = is_held ? LEVEL_CLOSED : LEVEL_IDLE;
    if (s->level[gpu] != level)
        set_level(s, gpu, level);
}

bool hs_share_is_open(const struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    return level_is_open(s->level[gpu]) && (load == NULL || is_same_load(&s->load[gpu], load));
}

void hs_share_open(struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    if (hs_share_is_open(s, gpu, load))
        return;
    s->load[gpu] = *load;
    set_level(s, gpu, level_of_claim(load->claim_mib));
}

/* ---- searches of the treap ---- */

struct search {
    struct hs_share *s;
    const struct hs_share_query *query;
    uint32_t most_claim_mib; /* largest claim beside the candidate's */
    void (*visit)(struct search *q, uint32_t node, uint32_t gpu, int64_t cost);
    /* A GPU at a higher cost, or at this cost with this or a higher id, cannot be better. */
    int64_t limit;
    uint32_t limit_id;
    uint32_t gpu;  /* found; HS_NO_GPU = none */
    uint32_t gpus; /* requested on one node: 1, or the gang */
    /* for a gang: the best node so far, or HS_NO_NODE, its idle GPUs, and its total cost */
    uint32_t node, idle;
    int64_t sum;
    bool may_join; /* GPUs with tenants */
    uint32_t most_level;
    int64_t idle_cost, open_cost; /* open_cost: lower bound for an open GPU */
};

/* Returns the next pool that may serve the request, the first for NULL; NULL after the last. */
static struct share_pool *next_pool(const struct hs_share *s, const struct share_pool *p,
                                    const struct hs_ask *ask)
{
    const uint32_t first = s->by_vc ? ask->vc * s->type_count : 0;
    for (uint32_t i = p != NULL ? (uint32_t)(p - s->pools) + 1 : first; i < first + s->type_count;
         i++)
        if ((ask->type_mask >> (i - first) & 1) && s->pools[i].node_count > 0)
            return &s->pools[i];
    return NULL;
}

/* Largest existing claim on a GPU that this claim can join. */
static uint32_t claim_left(const struct share_pool *p, uint32_t claim_mib)
{
    return p->limit_mib == UINT32_MAX ? UINT32_MAX : p->limit_mib - claim_mib;
}

static int64_t cost_within(const struct search *q, const struct hs_load_range *range)
{
    return range->least.claim_mib <= q->most_claim_mib ? q->query->cost_of(q->query->ctx, range)
                                                       : HS_NEVER;
}

static int64_t bound_of(const struct search *q, uint32_t at)
{
    return at != NO_VERTEX ? cost_within(q, &q->s->vertices[at].box) : HS_NEVER;
}

static bool is_accepted(const struct search *q, uint32_t node)
{
    return hs_free_can_book(q->s->free, node, q->gpus, q->query->ask);
}

/* Ties by kind of node are found when the GPUs are visited. */
static inline bool is_hopeless(const struct search *q, int64_t cost, uint32_t least_id)
{
    return cost > q->limit ||
           (cost == q->limit && !q->query->ask->is_by_kind && least_id >= q->limit_id);
}

/* The order of nodes where all else is equal. */
static bool is_node_before(const struct search *q, uint32_t a, uint32_t b)
{
    const bool by_kind = q->query->ask->is_by_kind;
    const uint32_t x = by_kind ? hs_free_kind(q->s->free, a) : 0,
                   y = by_kind ? hs_free_kind(q->s->free, b) : 0;
    return x != y ? x < y : a < b;
}

/* bound: lower bound of the cost of all GPUs below the vertex. */
static void search_below(struct search *q, uint32_t at, int64_t bound)
{
    if (bound == HS_NEVER || is_hopeless(q, bound, q->s->vertices[at].least_id))
        return;
    const struct vertex *x = &q->s->vertices[at];
    const int64_t own = cost_within(q, &x->own);
    const int64_t left = bound_of(q, x->left), right = bound_of(q, x->right);
    if (own != HS_NEVER && !is_hopeless(q, own, x->gpu))
        q->visit(q, x->node, x->gpu, own);
    if (left <= right)
        search_below(q, x->left, left);
    search_below(q, x->right, right);
    if (left > right) /* the better branch first: it prunes the other more often */
        search_below(q, x->left, left);
}

static void try_gpu(struct search *q, uint32_t node, uint32_t gpu, int64_t cost)
{
    if (cost == q->limit && q->query->ask->is_by_kind) {
        const uint32_t best = q->gpu != HS_NO_GPU ? q->s->node_of[q->gpu] : node;
        if (node == best ? gpu >= q->gpu || q->gpu == HS_NO_GPU : !is_node_before(q, node, best))
            return;
    }
    if (!is_accepted(q, node))
        return;
    q->limit = cost;
    q->limit_id = q->gpu = gpu;
}

uint32_t hs_share_cheapest(struct hs_share *s, const struct hs_share_query *query, int64_t *cost)
{
    struct search q = {.s = s,
                       .query = query,
                       .visit = try_gpu,
                       .limit = query->below,
                       .gpu = HS_NO_GPU,
                       .gpus = 1};
    settle(s);
    for (const struct share_pool *p = NULL; (p = next_pool(s, p, query->ask)) != NULL;) {
        if (query->claim_mib > p->limit_mib)
            continue;
        q.most_claim_mib = claim_left(p, query->claim_mib);
        search_below(&q, p->root, bound_of(&q, p->root));
    }
    *cost = q.limit;
    return q.gpu;
}

/* Subtracts the number found from *rest, down to 0. */
static void count_below(const struct search *q, uint32_t at, uint64_t *rest)
{
    if (*rest == 0 || bound_of(q, at) == HS_NEVER)
        return;
    const struct vertex *x = &q->s->vertices[at];
    if (cost_within(q, &x->own) != HS_NEVER && is_accepted(q, x->node))
        *rest -= x->count < *rest ? x->count : *rest;
    count_below(q, x->left, rest);
    count_below(q, x->right, rest);
}

uint64_t hs_share_count(struct hs_share *s, const struct hs_share_query *query, uint64_t most)
{
    struct search q = {.s = s, .query = query, .gpus = 1};
    uint64_t rest = most;
    settle(s);
    for (const struct share_pool *p = NULL; (p = next_pool(s, p, query->ask)) != NULL;) {
        rest -= p->idle < rest ? p->idle : rest;
        if (query->claim_mib > p->limit_mib)
            continue;
        q.most_claim_mib = claim_left(p, query->claim_mib);
        count_below(&q, p->root, &rest);
    }
    return most - rest;
}

/* ---- nodes ---- */

/* Returns the highest level that leaves a candidate more than margin_mib; LEVEL_IDLE: none. */
static uint32_t most_level_beside(const struct share_pool *p, uint32_t claim_mib,
                                  uint32_t margin_mib)
{
    uint64_t with_margin_mib = (uint64_t)claim_mib + margin_mib;
    if (p->limit_mib == UINT32_MAX)
        return claim_mib < UINT32_MAX ? level_of_claim(UINT32_MAX) : LEVEL_IDLE;
    if (claim_mib > p->limit_mib || with_margin_mib >= p->capacity_mib)
        return LEVEL_IDLE;
    const uint32_t left_mib = p->capacity_mib - 1 - (uint32_t)with_margin_mib;
    return level_of_claim(least(p->limit_mib - claim_mib, left_mib));
}

static bool node_has(const struct hs_share *s, const struct share_node *n, uint32_t gpus,
                     uint32_t most_level)
{
    uint32_t allocations = 0;
    for (uint32_t i = 0; i < n->gpus; i++)
        allocations += s->level[n->first_gpu + i] <= most_level;
    return allocations >= gpus;
}

uint32_t hs_share_find_node(const struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                            uint32_t margin_mib, uint32_t from)
{
    uint32_t best = HS_NO_NODE;
    for (const struct share_pool *p = NULL; (p = next_pool(s, p, ask)) != NULL;) {
        const uint32_t level = most_level_beside(p, claim_mib, margin_mib);
        uint32_t local = hs_ids_lower_bound(p->nodes, p->node_count, from);
        const uint32_t idle = hs_bitset_next(&p->with_idle, local);
        local = level != LEVEL_IDLE ? hs_bitset_next(&p->with_open, local) : HS_BITSET_NONE;
        while (local < idle && !node_has(s, &s->nodes[p->nodes[local]], 1, level))
            local = hs_bitset_next(&p->with_open, local + 1);
        local = least(local, idle);
        if (local != HS_BITSET_NONE)
            best = least(best, p->nodes[local]);
    }
    return best;
}

bool hs_share_is_full(const struct hs_share *s, const struct hs_ask *ask)
{
    for (const struct share_pool *p = NULL; (p = next_pool(s, p, ask)) != NULL;)
        if (!hs_bitset_is_empty(&p->with_idle) || !hs_bitset_is_empty(&p->with_open))
            return false;
    return true;
}

/* ---- the node of a gang ---- */

/* Returns the sum over the cheapest GPUs of a node, by its loads; HS_NEVER if there are too few. */
static int64_t node_sum(const struct search *q, const struct share_node *n)
{
    const struct hs_share *s = q->s;
    const struct share_pool *p = &s->pools[n->pool];
    const uint32_t *first = &s->first[n->first_gpu];
    struct share_offer *offers = s->offers; /* cheapest first */
    uint32_t count = 0, rest = q->gpus;
    int64_t sum = 0;
    if (n->idle > 0 && q->idle_cost != HS_NEVER)
        offers[count++] = (struct share_offer){q->idle_cost, n->idle};
    for (uint32_t i = 0, next; q->may_join && i < n->gpus; i = next) {
        uint32_t gpu = n->first_gpu + i, allocations = 0;
        for (next = i; next < n->gpus && (first[next] == gpu || first[next] == HS_NO_GPU); next++)
            allocations += first[next] == gpu;
        if (allocations == 0)
            continue;
        const struct hs_load_range point = {s->load[gpu], s->load[gpu], p->capacity_mib, p->type};
        int64_t cost = cost_within(q, &point);
        if (cost == HS_NEVER)
            continue;
        uint32_t at = count++;
        for (; at > 0 && offers[at - 1].cost > cost; at--)
            offers[at] = offers[at - 1];
        offers[at] = (struct share_offer){cost, allocations};
    }
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        uint32_t allocations = least(offers[i].allocations, rest);
        sum += offers[i].cost * allocations;
        rest -= allocations;
    }
    return rest > 0 ? HS_NEVER : sum;
}

/* Tells whether the node is better than the best so far where their sums are equal. */
static bool wins_ties(const struct search *q, uint32_t node)
{
    const uint32_t idle = q->s->nodes[node].idle;
    return idle < q->idle || (idle == q->idle && is_node_before(q, node, q->node));
}

/* Evaluates the node, which has this GPU at this cost, as the best so far. */
static void judge(struct search *q, uint32_t node, uint32_t gpu, int64_t cost)
{
    (void)gpu;
    (void)cost;
    struct share_node *n = &q->s->nodes[node];
    if (n->judged == q->s->searches)
        return;
    n->judged = q->s->searches;
    if ((uint32_t)n->idle + n->open < q->gpus || !node_has(q->s, n, q->gpus, q->most_level) ||
        !is_accepted(q, node))
        return;
    int64_t sum = node_sum(q, n);
    if (sum > q->sum || (sum == q->sum && (q->node == HS_NO_NODE || !wins_ties(q, node))))
        return;
    const int64_t rest = sum % q->gpus;
    q->node = node;
    q->idle = n->idle;
    q->sum = sum;
    q->limit = sum / q->gpus - (rest < 0); /* the mean, rounded down */
    q->limit_id = rest == 0 && n->idle == 0 ? n->first_gpu : UINT32_MAX;
}

/* Tells whether the node cannot become the best: by a lower bound, which is exact without tenants.
 */
static bool is_dear(const struct search *q, uint32_t node)
{
    const struct share_node *n = &q->s->nodes[node];
    const uint32_t others = n->idle < q->gpus ? q->gpus - n->idle : 0;
    if (n->open == 0 && others > 0)
        return true;
    if (q->node == HS_NO_NODE || (n->open > 0 && q->open_cost <= q->idle_cost))
        return false;
    if (others == 0) {
        const int64_t sum = q->idle_cost * q->gpus;
        return sum > q->sum || (sum == q->sum && n->open == 0 && !wins_ties(q, node));
    }
    return q->open_cost == HS_NEVER || q->idle_cost * n->idle + q->open_cost * others > q->sum;
}

static void search_idle(struct search *q, const struct share_pool *p)
{
    uint32_t local = hs_bitset_next(&p->with_idle, 0);
    for (; local != HS_BITSET_NONE; local = hs_bitset_next(&p->with_idle, local + 1))
        if (!is_dear(q, p->nodes[local]))
            judge(q, p->nodes[local], HS_NO_GPU, q->idle_cost);
}

uint32_t hs_share_gang_node(struct hs_share *s, const struct hs_share_query *query, uint32_t gpus,
                            uint32_t margin_mib)
{
    struct search q = {.s = s,
                       .query = query,
                       .visit = judge,
                       .limit = HS_NEVER,
                       .sum = HS_NEVER,
                       .gpus = gpus,
                       .node = HS_NO_NODE};
    const uint32_t claim_mib = query->claim_mib;
    settle(s);
    s->searches++;
    for (const struct share_pool *p = NULL; (p = next_pool(s, p, query->ask)) != NULL;) {
        const struct hs_load_range idle = {.capacity_mib = p->capacity_mib, .gpu_type = p->type};
        q.may_join = p->root != NO_VERTEX && claim_mib <= p->limit_mib && claim_mib < UINT32_MAX;
        q.most_level = most_level_beside(p, claim_mib, margin_mib);
        q.most_claim_mib = claim_left(p, claim_mib);
        q.idle_cost = query->cost_of(query->ctx, &idle);
        q.open_cost = q.may_join ? bound_of(&q, p->root) : HS_NEVER;
        bool is_open_first = q.open_cost <= q.idle_cost;
        if (!is_open_first)
            search_idle(&q, p);
        search_below(&q, p->root, q.open_cost);
        if (is_open_first && !is_hopeless(&q, q.idle_cost, 0))
            search_idle(&q, p);
    }
    return q.node;
}

static void init_pools(struct hs_share *s, const struct hs_cluster *c, const uint32_t *limit_mib,
                       struct hs_arena *arena)
{
    uint32_t *ids = hs_arena_alloc(arena, (uint64_t)c->node_count * sizeof *ids);
    for (uint32_t n = 0; n < c->node_count; n++)
        s->pools[s->nodes[n].pool].node_count++;
    for (uint32_t i = 0; i < s->pool_count; i++) {
        struct share_pool *p = &s->pools[i];
        p->type = i % c->type_count;
        p->root = NO_VERTEX;
        p->capacity_mib = c->types[p->type].mem_mib;
        p->limit_mib = limit_mib[p->type];
        const uint32_t words = hs_bitset_words(p->node_count);
        uint64_t *members = hs_arena_alloc(arena, UINT64_C(2) * words * sizeof *members);
        hs_bitset_init(&p->with_idle, p->node_count, members);
        hs_bitset_init(&p->with_open, p->node_count, members + words);
        p->nodes = ids;
        ids += p->node_count;
        p->node_count = 0;
    }
    for (uint32_t n = 0; n < c->node_count; n++) {
        struct share_pool *p = &s->pools[s->nodes[n].pool];
        s->nodes[n].local = p->node_count;
        p->nodes[p->node_count++] = n;
        hs_bitset_put(&p->with_idle, s->nodes[n].local, true);
    }
}

void hs_share_init(struct hs_share **share, const struct hs_cluster *c, const struct hs_free *free,
                   bool by_vc, const uint32_t *limit_mib, struct hs_arena *arena)
{
    struct hs_share *s = hs_arena_alloc(arena, sizeof *s);
    const uint64_t gpus = c->gpu_count, nodes = c->node_count;
    *share = s;
    s->free = free;
    s->by_vc = by_vc;
    s->node_count = c->node_count;
    s->type_count = c->type_count;
    s->pool_count = (by_vc ? c->vc_count : 1) * c->type_count;
    s->vertices = hs_arena_alloc(arena, gpus * sizeof *s->vertices);
    s->vertex_pool.cap = c->gpu_count;
    s->vertex = hs_arena_alloc(arena, gpus * sizeof *s->vertex);
    s->node_of = hs_arena_alloc(arena, gpus * sizeof *s->node_of);
    s->load = hs_arena_alloc(arena, gpus * sizeof *s->load);
    s->level = hs_arena_alloc(arena, gpus * sizeof *s->level);
    s->first = hs_arena_alloc(arena, gpus * sizeof *s->first);
    s->nodes = hs_arena_alloc(arena, nodes * sizeof *s->nodes);
    s->changed = hs_arena_alloc(arena, nodes * sizeof *s->changed);
    s->pools = hs_arena_alloc(arena, s->pool_count * sizeof *s->pools);
    s->offers = hs_arena_alloc(arena, (c->max_node_gpus + UINT64_C(1)) * sizeof *s->offers);
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct hs_node *node = &c->nodes[n];
        const uint32_t pool = (by_vc ? node->vc : 0) * c->type_count + node->type;
        s->nodes[n] = (struct share_node){.pool = pool,
                                          .first_gpu = node->first_gpu,
                                          .gpus = node->gpus,
                                          .idle = (uint16_t)node->gpus,
                                          .is_changed = true};
        s->changed[s->changed_count++] = n;
        s->pools[pool].idle += node->gpus;
        for (uint32_t g = node->first_gpu; g < node->first_gpu + node->gpus; g++)
            s->node_of[g] = n;
    }
    init_pools(s, c, limit_mib, arena);
    for (uint32_t g = 0; g < c->gpu_count; g++)
        hs_share_close(s, g, hs_free_is_out(free, s->node_of[g])); /* a node that joins later */
}

/* ---- recount ---- */

/* Checks that the subtree is ordered after the vertex *last (NO_VERTEX: it is the first), which
 * becomes its last one, and a heap below its parent's priority, with right boxes (refresh changes
 * none). Adds the GPUs represented to *count. */
static bool tree_is_valid(struct hs_share *s, uint32_t at, uint32_t priority, uint32_t *last,
                          uint32_t *count)
{
    if (at == NO_VERTEX)
        return true;
    const struct vertex *x = &s->vertices[at];
    const uint32_t gpu = x->gpu;
    if (x->priority > priority || !level_is_open(s->level[gpu]) || s->first[gpu] != gpu ||
        s->vertex[gpu] != at + 1 || s->node_of[gpu] != x->node || refresh(s, at) ||
        !is_same_load(&x->own.least, &s->load[gpu]) ||
        !tree_is_valid(s, x->left, x->priority, last, count) ||
        (*last != NO_VERTEX && !is_before(s, *last, at)))
        return false;
    *last = at;
    *count += x->count;
    return tree_is_valid(s, x->right, x->priority, last, count);
}

static bool node_is_valid(const struct hs_share *s, const struct share_node *n)
{
    uint32_t idle = 0, open = 0;
    for (uint32_t g = n->first_gpu; g < n->first_gpu + n->gpus; g++) {
        const bool is_open = level_is_open(s->level[g]);
        idle += s->level[g] == LEVEL_IDLE;
        open += is_open;
        if (is_open && (s->level[g] != level_of_claim(s->load[g].claim_mib) ||
                        !is_same_load(&s->load[g], &s->load[s->first[g]])))
            return false;
    }
    return n->idle == idle && n->open == open &&
           hs_bitset_has(&s->pools[n->pool].with_idle, n->local) == (idle > 0) &&
           hs_bitset_has(&s->pools[n->pool].with_open, n->local) == (open > 0);
}

bool hs_share_is_valid(struct hs_share *s)
{
    settle(s);
    for (uint32_t n = 0; n < s->node_count; n++)
        if (!node_is_valid(s, &s->nodes[n]))
            return false;
    for (const struct share_pool *p = s->pools; p < s->pools + s->pool_count; p++) {
        uint32_t idle = 0, open = 0, count = 0, last = NO_VERTEX;
        for (uint32_t i = 0; i < p->node_count; i++) {
            idle += s->nodes[p->nodes[i]].idle;
            open += s->nodes[p->nodes[i]].open;
        }
        if (idle != p->idle || !tree_is_valid(s, p->root, UINT32_MAX, &last, &count) ||
            count != open)
            return false;
    }
    return true;
}
