/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree of the share index and its changes: a treap with parent links (Seidel & Aragon,
 * Algorithmica 1996). The order (tenants, first sum, claim) keeps boxes small for costs by those.
 * Boxes grow on the way down to where a GPU is added; after a removal they are computed again on
 * the way up, until one is unchanged. Priorities are a mix of the GPU's id: the same shape on
 * every machine.
 */
#include <string.h>

#include "base/rng.h"
#include "model/shareindex_state.h"

bool hs_share_is_before(const struct hs_share *s, uint32_t a, uint32_t b)
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

static inline void widen_u32(uint32_t *least, uint32_t *most, uint32_t below, uint32_t above)
{
    *least = below < *least ? below : *least;
    *most = above > *most ? above : *most;
}

static void widen(struct hs_load_range *box, const struct hs_load_range *other)
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

bool hs_share_refresh(struct hs_share *s, uint32_t vertex)
{
    struct hs_share_vertex *x = &s->vertices[vertex];
    struct hs_load_range box = x->own;
    uint32_t least_id = x->gpu;
    const uint32_t below[] = {x->left, x->right};
    for (int i = 0; i < 2; i++) {
        if (below[i] == HS_NO_VERTEX)
            continue;
        const struct hs_share_vertex *child = &s->vertices[below[i]];
        widen(&box, &child->box);
        if (child->least_id < least_id)
            least_id = child->least_id;
    }
    if (least_id == x->least_id && memcmp(&box, &x->box, sizeof box) == 0)
        return false;
    x->box = box;
    x->least_id = least_id;
    return true;
}

/* Hangs `child` where `old` hangs below `parent`. */
static void replace_child(struct hs_share *s, struct hs_share_pool *p, uint32_t parent,
                          uint32_t old, uint32_t child)
{
    if (parent == HS_NO_VERTEX)
        p->root = child;
    else if (s->vertices[parent].left == old)
        s->vertices[parent].left = child;
    else
        s->vertices[parent].right = child;
    if (child != HS_NO_VERTEX)
        s->vertices[child].parent = parent;
}

/* Rotates a vertex over its parent; the order is unchanged. */
static void rotate_up(struct hs_share *s, struct hs_share_pool *p, uint32_t vertex)
{
    struct hs_share_vertex *x = &s->vertices[vertex];
    uint32_t parent = x->parent, between;
    struct hs_share_vertex *above = &s->vertices[parent];
    replace_child(s, p, above->parent, parent, vertex);
    if (above->left == vertex) {
        between = x->right;
        above->left = between;
        x->right = parent;
    } else {
        between = x->left;
        above->right = between;
        x->left = parent;
    }
    if (between != HS_NO_VERTEX)
        s->vertices[between].parent = parent;
    above->parent = vertex;
    /* Together they have below them what the parent had: its box is the box of both. */
    x->box = above->box;
    x->least_id = above->least_id;
    (void)hs_share_refresh(s, parent);
}

void hs_share_tree_add(struct hs_share *s, struct hs_share_pool *p, uint32_t vertex)
{
    struct hs_share_vertex *x = &s->vertices[vertex];
    uint32_t parent = HS_NO_VERTEX, at = p->root, *hang = &p->root;
    x->left = x->right = HS_NO_VERTEX;
    x->box = x->own;
    x->least_id = x->gpu;
    x->priority = (uint32_t)(hs_mix64(x->gpu, 0) >> 32);
    while (at != HS_NO_VERTEX) {
        struct hs_share_vertex *above = &s->vertices[at];
        widen(&above->box, &x->own);
        above->least_id = x->gpu < above->least_id ? x->gpu : above->least_id;
        parent = at;
        hang = hs_share_is_before(s, vertex, at) ? &above->left : &above->right;
        at = *hang;
    }
    *hang = vertex;
    x->parent = parent;
    while (x->parent != HS_NO_VERTEX && s->vertices[x->parent].priority < x->priority)
        rotate_up(s, p, vertex);
}

void hs_share_tree_remove(struct hs_share *s, struct hs_share_pool *p, uint32_t vertex)
{
    struct hs_share_vertex *x = &s->vertices[vertex];
    while (x->left != HS_NO_VERTEX && x->right != HS_NO_VERTEX) {
        bool lift_left = s->vertices[x->left].priority > s->vertices[x->right].priority;
        rotate_up(s, p, lift_left ? x->left : x->right);
    }
    uint32_t parent = x->parent;
    replace_child(s, p, parent, vertex, x->left != HS_NO_VERTEX ? x->left : x->right);
    while (parent != HS_NO_VERTEX && hs_share_refresh(s, parent))
        parent = s->vertices[parent].parent;
}

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

uint32_t hs_share_level(uint32_t claim_mib)
{
    return HS_SHARE_OPEN + least(claim_mib, HS_SHARE_CLOSED - HS_SHARE_OPEN - 1);
}

struct hs_share_summary hs_share_node_summary(const struct hs_share *s,
                                              const struct hs_share_node *n)
{
    const uint32_t *level = &s->level[n->first_gpu];
    struct hs_share_summary x = {.least_level = HS_SHARE_CLOSED, .allocations = n->idle + n->open};
    for (uint32_t i = 0; i < n->gpus; i++)
        x.least_level = least(x.least_level, level[i]);
    return x;
}

struct hs_share_summary hs_share_summary_of(const struct hs_share_summary *below)
{
    return (struct hs_share_summary){
        .least_level = least(below[0].least_level, below[1].least_level),
        .allocations = below[0].allocations > below[1].allocations ? below[0].allocations
                                                                   : below[1].allocations};
}

static void node_summarise(struct hs_share *s, const struct hs_share_node *n)
{
    struct hs_share_pool *p = &s->pools[n->pool];
    uint32_t at = p->leaves + n->local;
    struct hs_share_summary x = hs_share_node_summary(s, n);
    for (; at > 0; at /= 2, x = hs_share_summary_of(&p->summary[2 * at])) {
        struct hs_share_summary *here = &p->summary[at];
        if (here->least_level == x.least_level && here->allocations == x.allocations)
            break;
        *here = x;
    }
}

/* ---- vertices ---- */

/* The vertex stands for so many GPUs; modulo 2^32, so that the counts may shrink. */
static void count_set(struct hs_share_pool *p, struct hs_share_vertex *x, uint32_t count)
{
    uint32_t delta = count - x->count;
    uint32_t i = delta != 0 ? hs_share_step(p, x->own.least.claim_mib) + 1 : HS_SHARE_COUNTS + 1;
    for (; i <= HS_SHARE_COUNTS; i += i & (0 - i))
        p->open_by_claim[i] += delta;
    x->count = count;
}

/* It represents no GPU any more. */
static void vertex_drop(struct hs_share *s, struct hs_share_pool *p, uint32_t gpu)
{
    struct hs_share_vertex *x = hs_share_vertex_of(s, gpu);
    hs_share_tree_remove(s, p, s->vertex[gpu] - 1);
    count_set(p, x, 0);
    hs_pool_give(&s->vertex_pool, x, s->vertex[gpu] - 1);
    s->vertex[gpu] = 0;
}

/* Of a GPU that had none. */
static void vertex_make(struct hs_share *s, struct hs_share_pool *p, uint32_t gpu)
{
    uint32_t at = hs_pool_take_there(&s->vertex_pool, s->vertices, sizeof *s->vertices);
    struct hs_share_vertex *x = &s->vertices[at];
    s->vertex[gpu] = at + 1;
    x->gpu = gpu;
    x->node = s->node_of[gpu];
    x->own = (struct hs_load_range){s->load[gpu], s->load[gpu], p->capacity_mib, p->type};
    x->count = 0;
    hs_share_tree_add(s, p, at);
}

/* The GPU stands for so many; nothing to do for HS_NO_GPU. */
static void stand_for(struct hs_share *s, struct hs_share_pool *p, uint32_t gpu, uint32_t count)
{
    if (gpu == HS_NO_GPU)
        return;
    if (s->vertex[gpu] == 0)
        vertex_make(s, p, gpu);
    count_set(p, hs_share_vertex_of(s, gpu), count);
}

static void node_settle(struct hs_share *s, const struct hs_share_node *n)
{
    struct hs_share_pool *p = &s->pools[n->pool];
    uint32_t first = HS_NO_GPU,
             count = 0; /* of those that hold the same; closed ones between them */
    for (uint32_t g = n->first_gpu; g < n->first_gpu + n->gpus; g++) {
        const bool is_open = hs_share_level_is_open(s->level[g]);
        if (is_open && (first == HS_NO_GPU || !hs_share_is_same(&s->load[first], &s->load[g]))) {
            stand_for(s, p, first, count);
            first = g;
            count = 0;
        }
        s->first[g] = is_open ? first : HS_NO_GPU;
        count += is_open;
        const bool is_first = is_open && first == g;
        if (s->vertex[g] != 0 &&
            !(is_first && hs_share_is_same(&hs_share_vertex_of(s, g)->own.least, &s->load[g])))
            vertex_drop(s, p, g);
    }
    stand_for(s, p, first, count);
    node_summarise(s, n);
}

void hs_share_settle_all(struct hs_share *s)
{
    while (s->changed_count > 0) {
        struct hs_share_node *n = &s->nodes[s->changed[--s->changed_count]];
        n->is_changed = false;
        node_settle(s, n);
    }
}

/* ---- changes ---- */

static void set_level(struct hs_share *s, uint32_t gpu, uint32_t level)
{
    uint32_t node = s->node_of[gpu], before = s->level[gpu];
    struct hs_share_node *n = &s->nodes[node];
    uint32_t idle = (uint32_t)(level == HS_SHARE_IDLE) - (uint32_t)(before == HS_SHARE_IDLE);
    uint32_t open =
        (uint32_t)hs_share_level_is_open(level) - (uint32_t)hs_share_level_is_open(before);
    n->idle = (uint16_t)(n->idle + idle);
    n->open = (uint16_t)(n->open + open);
    s->pools[n->pool].idle += (uint64_t)(int32_t)idle;
    s->level[gpu] = level;
    if (!n->is_changed) {
        n->is_changed = true;
        s->changed[s->changed_count++] = node;
    }
}

void hs_share_close(struct hs_share *s, uint32_t gpu, bool is_held)
{
    uint32_t level = is_held ? HS_SHARE_CLOSED : HS_SHARE_IDLE;
    if (s->level[gpu] != level)
        set_level(s, gpu, level);
}

void hs_share_open(struct hs_share *s, uint32_t gpu, const struct hs_load *load)
{
    if (hs_share_is_open(s, gpu, load))
        return;
    s->load[gpu] = *load;
    set_level(s, gpu, hs_share_level(load->claim_mib));
}

static void pool_set_limit(struct hs_share_pool *p, uint32_t limit_mib)
{
    p->limit_mib = limit_mib;
    p->step_mib = limit_mib == UINT32_MAX ? UINT32_MAX : limit_mib / HS_SHARE_STEPS + 1;
}

static void pool_init(struct hs_share *s, struct hs_share_pool *p, struct hs_arena *arena)
{
    p->leaves = 1;
    while (p->leaves < p->node_count)
        p->leaves *= 2;
    p->summary = hs_arena_alloc(arena, UINT64_C(2) * p->leaves * sizeof *p->summary);
    p->open_by_claim = hs_arena_alloc(arena, (HS_SHARE_COUNTS + 1) * sizeof *p->open_by_claim);
    for (uint32_t i = 0; i < p->node_count; i++)
        s->nodes[p->nodes[i]].local = i;
    for (uint32_t i = 0; i < 2 * p->leaves; i++)
        p->summary[i].least_level = HS_SHARE_CLOSED;
}

static void init_pools(struct hs_share *s, const struct hs_cluster *c, const uint32_t *limit_mib,
                       struct hs_arena *arena)
{
    uint32_t *ids = hs_arena_alloc(arena, (uint64_t)c->node_count * sizeof *ids);
    for (uint32_t n = 0; n < c->node_count; n++) {
        uint32_t vc = s->by_vc ? c->nodes[n].vc : 0;
        s->nodes[n].pool = vc * c->type_count + c->nodes[n].type;
        s->pools[s->nodes[n].pool].node_count++;
    }
    for (uint32_t i = 0; i < s->pool_count; i++) {
        struct hs_share_pool *p = &s->pools[i];
        p->vc = i / c->type_count;
        p->type = i % c->type_count;
        p->root = HS_NO_VERTEX;
        p->nodes = ids;
        ids += p->node_count;
        p->node_count = 0;
        p->capacity_mib = c->types[p->type].mem_mib;
        pool_set_limit(p, limit_mib[p->type]);
    }
    for (uint32_t n = 0; n < c->node_count; n++) {
        struct hs_share_pool *p = &s->pools[s->nodes[n].pool];
        p->nodes[p->node_count++] = n;
    }
    for (uint32_t i = 0; i < s->pool_count; i++)
        pool_init(s, &s->pools[i], arena);
}

static void node_init(struct hs_share *s, const struct hs_cluster *c, uint32_t n)
{
    const struct hs_node *node = &c->nodes[n];
    s->nodes[n].first_gpu = node->first_gpu;
    s->nodes[n].gpus = node->gpus;
    s->nodes[n].idle = (uint16_t)node->gpus;
    s->nodes[n].is_changed = true;
    s->changed[s->changed_count++] = n;
    s->pools[s->nodes[n].pool].idle += node->gpus;
    for (uint32_t g = node->first_gpu; g < node->first_gpu + node->gpus; g++)
        s->node_of[g] = n;
}

void hs_share_init(struct hs_share **share, const struct hs_cluster *c, bool by_vc,
                   const uint32_t *limit_mib, struct hs_arena *arena)
{
    struct hs_share *s = hs_arena_alloc(arena, sizeof *s);
    *share = s;
    s->by_vc = by_vc;
    s->gpu_count = c->gpu_count;
    s->node_count = c->node_count;
    s->type_count = c->type_count;
    s->pool_count = (by_vc ? c->vc_count : 1) * c->type_count;
    s->vertices = hs_arena_alloc(arena, (uint64_t)c->gpu_count * sizeof *s->vertices);
    s->vertex_pool.cap = c->gpu_count;
    s->vertex = hs_arena_alloc(arena, (uint64_t)c->gpu_count * sizeof *s->vertex);
    s->node_of = hs_arena_alloc(arena, (uint64_t)c->gpu_count * sizeof *s->node_of);
    s->load = hs_arena_alloc(arena, (uint64_t)c->gpu_count * sizeof *s->load);
    s->level = hs_arena_alloc(arena, (uint64_t)c->gpu_count * sizeof *s->level);
    s->first = hs_arena_alloc(arena, (uint64_t)c->gpu_count * sizeof *s->first);
    s->nodes = hs_arena_alloc(arena, (uint64_t)c->node_count * sizeof *s->nodes);
    s->changed = hs_arena_alloc(arena, (uint64_t)c->node_count * sizeof *s->changed);
    s->pools = hs_arena_alloc(arena, (uint64_t)s->pool_count * sizeof *s->pools);
    s->offers = hs_arena_alloc(arena, (c->max_node_gpus + UINT64_C(1)) * sizeof *s->offers);
    init_pools(s, c, limit_mib, arena);
    for (uint32_t n = 0; n < c->node_count; n++)
        node_init(s, c, n);
}

/* ---- recount ---- */

static bool is_child(const struct hs_share *s, uint32_t at, uint32_t parent)
{
    const struct hs_share_vertex *x = &s->vertices[at];
    return at == HS_NO_VERTEX ||
           (x->parent == parent && x->priority <= s->vertices[parent].priority);
}

/* The subtree is in order between two vertices (HS_NO_VERTEX: no limit) and a heap, its boxes are
 * right; adds the GPUs that it stands for to *count. (A refresh of what is right changes nothing.)
 */
static bool tree_is_valid(struct hs_share *s, uint32_t at, uint32_t after, uint32_t before,
                          uint32_t *count)
{
    if (at == HS_NO_VERTEX)
        return true;
    const struct hs_share_vertex *x = &s->vertices[at];
    const uint32_t gpu = x->gpu;
    if (!hs_share_level_is_open(s->level[gpu]) || s->first[gpu] != gpu ||
        s->vertex[gpu] != at + 1 || s->node_of[gpu] != x->node ||
        !hs_share_is_same(&x->own.least, &s->load[gpu]) ||
        (after != HS_NO_VERTEX && !hs_share_is_before(s, after, at)) ||
        (before != HS_NO_VERTEX && !hs_share_is_before(s, at, before)))
        return false;
    *count += x->count;
    bool is_same = !hs_share_refresh(s, at);
    return is_same && is_child(s, x->left, at) && is_child(s, x->right, at) &&
           tree_is_valid(s, x->left, after, at, count) &&
           tree_is_valid(s, x->right, at, before, count);
}

static bool is_same_summary(struct hs_share_summary a, struct hs_share_summary b)
{
    return a.least_level == b.least_level && a.allocations == b.allocations;
}

static bool pool_is_valid(struct hs_share *s, struct hs_share_pool *p)
{
    uint64_t idle = 0, open = 0;
    for (uint32_t i = 0; i < p->node_count; i++) {
        const struct hs_share_node *n = &s->nodes[p->nodes[i]];
        idle += n->idle;
        open += n->open;
        if (!is_same_summary(p->summary[p->leaves + i], hs_share_node_summary(s, n)))
            return false;
    }
    for (uint32_t at = p->leaves - 1; at > 0; at--)
        if (!is_same_summary(p->summary[at], hs_share_summary_of(&p->summary[2 * at])))
            return false;
    uint32_t count = 0;
    return idle == p->idle && tree_is_valid(s, p->root, HS_NO_VERTEX, HS_NO_VERTEX, &count) &&
           count == open &&
           p->open_by_claim[HS_SHARE_STEPS] + p->open_by_claim[HS_SHARE_COUNTS] == open;
}

static bool node_is_valid(const struct hs_share *s, const struct hs_share_node *n)
{
    uint32_t idle = 0, open = 0;
    for (uint32_t g = n->first_gpu; g < n->first_gpu + n->gpus; g++) {
        uint32_t level = s->level[g];
        idle += level == HS_SHARE_IDLE;
        open += hs_share_level_is_open(level);
        if (hs_share_level_is_open(level) &&
            (level != hs_share_level(s->load[g].claim_mib) ||
             !hs_share_is_same(&s->load[g], &s->load[s->first[g]])))
            return false;
    }
    return n->idle == idle && n->open == open;
}

bool hs_share_is_valid(struct hs_share *s)
{
    hs_share_settle(s);
    for (uint32_t n = 0; n < s->node_count; n++)
        if (!node_is_valid(s, &s->nodes[n]))
            return false;
    for (uint32_t i = 0; i < s->pool_count; i++)
        if (!pool_is_valid(s, &s->pools[i]))
            return false;
    return true;
}
