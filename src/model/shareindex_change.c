/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What changes in the share index. A GPU that opens or closes is noted and its node put on a list;
 * before the next answer the nodes on it get their vertices and summaries anew. So a gang that
 * takes a node, or leaves it, moves one vertex and not one a GPU, and what was taken back in the
 * meantime costs nothing.
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

static void node_summarise(struct hs_share *s, const struct hs_share_node *n)
{
    struct hs_share_pool *p = &s->pools[n->pool];
    uint32_t at = p->leaves + n->local;
    struct hs_share_summary x = hs_share_node_summary(s, n);
    for (; at > 0; at /= 2, x = hs_share_summary_of(&p->summary[2 * at])) {
        struct hs_share_summary *here = &p->summary[at];
        if (here->least_level == x.least_level && here->seats == x.seats)
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

/* It stands for nobody any more. */
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
        n->is_stale = true;
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
