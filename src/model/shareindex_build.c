/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The share index at the start of a run, and its recount.
 */
#include "model/shareindex_state.h"

static void pool_set_limit(struct hs_share_pool *p, uint32_t limit_mib)
{
    p->limit_mib = limit_mib;
    p->step_mib = limit_mib == UINT32_MAX ? UINT32_MAX : limit_mib / HS_SHARE_STEPS + 1;
}

static enum hs_status pool_init(struct hs_share *s, struct hs_share_pool *p, struct hs_arena *arena)
{
    p->leaves = 1;
    while (p->leaves < p->node_count)
        p->leaves *= 2;
    p->summary = hs_arena_alloc(arena, UINT64_C(2) * p->leaves * sizeof *p->summary);
    p->open_by_claim = hs_arena_alloc(arena, (HS_SHARE_COUNTS + 1) * sizeof *p->open_by_claim);
    if (p->summary == NULL || p->open_by_claim == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < p->node_count; i++)
        s->nodes[p->nodes[i]].local = i;
    for (uint32_t i = 0; i < 2 * p->leaves; i++)
        p->summary[i].least_level = HS_SHARE_CLOSED;
    return HS_OK;
}

static enum hs_status init_pools(struct hs_share *s, const struct hs_cluster *c,
                                 const uint32_t *limit_mib, struct hs_arena *arena)
{
    uint32_t *ids = hs_arena_alloc(arena, (uint64_t)c->node_count * sizeof *ids);
    if (ids == NULL)
        return HS_E_MEMORY;
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
        HS_TRY(pool_init(s, &s->pools[i], arena));
    return HS_OK;
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

enum hs_status hs_share_init(struct hs_share **share, const struct hs_cluster *c, bool by_vc,
                             const uint32_t *limit_mib, struct hs_arena *arena)
{
    struct hs_share *s = hs_arena_alloc(arena, sizeof *s);
    *share = s;
    if (s == NULL)
        return HS_E_MEMORY;
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
    if (s->vertices == NULL || s->vertex == NULL || s->node_of == NULL || s->load == NULL ||
        s->level == NULL || s->first == NULL || s->nodes == NULL || s->changed == NULL ||
        s->pools == NULL || s->offers == NULL)
        return HS_E_MEMORY;
    HS_TRY(init_pools(s, c, limit_mib, arena));
    for (uint32_t n = 0; n < c->node_count; n++)
        node_init(s, c, n);
    return HS_OK;
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
    return a.least_level == b.least_level && a.seats == b.seats;
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
