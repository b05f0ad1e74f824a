/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search tree of the share index: a treap with parent links (Seidel & Aragon, Algorithmica
 * 1996). The order (tenants, first sum, claim) keeps boxes small for costs by those. Boxes grow on
 * the way down to where a GPU is added; where one is removed they are made again on the way up,
 * until one is as it was. Priorities are a mix of the GPU's id: the same shape on every machine.
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

void hs_share_widen(struct hs_load_range *box, const struct hs_load_range *other)
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
        hs_share_widen(&box, &child->box);
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

/* Lifts a vertex over its parent; the order stays. */
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
        hs_share_widen(&above->box, &x->own);
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
