/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The inside of the share index, shared by its searches (shareindex.c, shareindex_gang.c), its
 * changes (shareindex_change.c), its tree (shareindex_tree.c) and what builds and checks it
 * alone.
 */
#ifndef HORUS_MODEL_SHAREINDEX_STATE_H
#define HORUS_MODEL_SHAREINDEX_STATE_H

#include <string.h>

#include "base/pool.h"
#include "model/shareindex.h"

/* Claims are counted in so many steps of what a GPU's tenants may claim, and in one more those
 * beyond that: a job alone may be larger. */
#define HS_SHARE_STEPS  4096u
#define HS_SHARE_COUNTS (HS_SHARE_STEPS + 1)

/* A vertex of a pool's treap: an open GPU, for itself and for those that follow it on its node and
 * hold the same. Order: tenants, first sum, claim, id. Two cache lines, of which there are as many
 * as were open at once: GPUs that are idle, or full, have none. */
struct hs_share_vertex {
    struct hs_load_range own; /* least and most are its load */
    struct hs_load_range box; /* of the subtree */
    uint32_t gpu, node;
    uint32_t priority;
    uint32_t left, right, parent; /* HS_NO_VERTEX = none */
    uint32_t least_id;            /* of the GPUs of the subtree */
    uint32_t count;               /* GPUs that it stands for */
};

#define HS_NO_VERTEX UINT32_MAX

struct hs_share_pool {
    uint32_t vc, type;
    uint32_t capacity_mib, limit_mib; /* of a GPU; of what its tenants claim */
    uint32_t step_mib;                /* of the counts by claim */
    uint32_t root;
    uint32_t *open_by_claim; /* Fenwick tree over HS_SHARE_COUNTS steps: open GPUs */
    uint64_t idle;           /* GPUs */
    uint32_t *nodes;         /* ids, ascending */
    uint32_t node_count;
    uint32_t leaves;                  /* of the tree below: node_count rounded up to a power of 2 */
    struct hs_share_summary *summary; /* of nodes; leaf `leaves + i` is node i's */
};

/* Level of a GPU: idle, or open with so many MiB claimed, HS_SHARE_OPEN added, or closed. */
#define HS_SHARE_IDLE   0u
#define HS_SHARE_OPEN   1u
#define HS_SHARE_CLOSED UINT32_MAX

struct hs_share_summary {
    uint32_t least_level; /* of any GPU */
    uint32_t allocations; /* most idle + open GPUs of a node */
};

struct hs_share_node {
    uint32_t pool, local;
    uint32_t first_gpu, gpus;
    uint16_t idle, open;
    bool is_changed; /* since the last question: summary and vertices are to be made anew */
    uint32_t judged; /* number of the last search for a gang that met it */
};

/* GPUs of a node at one cost. */
struct hs_share_offer {
    int64_t cost;
    uint32_t allocations;
};

struct hs_share {
    struct hs_share_vertex *vertices;
    struct hs_pool vertex_pool; /* with room for a vertex a GPU: it never grows */
    uint32_t *vertex;           /* of each GPU: its vertex + 1; 0 = it has none */
    uint32_t *node_of;          /* of each GPU */
    struct hs_load *load;       /* of each GPU that is open */
    uint32_t *level;            /* of each GPU */
    uint32_t *first;            /* of each open GPU: the GPU that represents it in the tree */
    struct hs_share_node *nodes;
    uint32_t *changed; /* nodes */
    uint32_t changed_count;
    struct hs_share_offer *offers; /* scratch: of one node */
    uint32_t searches;             /* for gangs, so far */
    struct hs_share_pool *pools;   /* by VC, then type */
    uint32_t gpu_count, node_count, pool_count, type_count;
    bool by_vc;
};

/* Less in the order of the tree; of vertices. */
bool hs_share_is_before(const struct hs_share *s, uint32_t a, uint32_t b);
/* Its load and GPU are set, what concerns the tree is made. */
void hs_share_tree_add(struct hs_share *s, struct hs_share_pool *p, uint32_t vertex);
void hs_share_tree_remove(struct hs_share *s, struct hs_share_pool *p, uint32_t vertex);
/* Makes the box of a vertex what it has to be, from its own load and its children's boxes; false if
 * it was right. */
bool hs_share_refresh(struct hs_share *s, uint32_t vertex);

/* Of a GPU that has one. */
static inline struct hs_share_vertex *hs_share_vertex_of(const struct hs_share *s, uint32_t gpu)
{
    return &s->vertices[s->vertex[gpu] - 1];
}

static inline bool hs_share_is_same(const struct hs_load *a, const struct hs_load *b)
{
    return memcmp(a, b, sizeof *a) == 0; /* which has no padding */
}

/* Works out what follows from all changes since the last question. */
void hs_share_settle_all(struct hs_share *s);
static inline void hs_share_settle(struct hs_share *s)
{
    if (s->changed_count > 0)
        hs_share_settle_all(s);
}

uint32_t hs_share_step(const struct hs_share_pool *p, uint64_t claim_mib);
uint32_t hs_share_level(uint32_t claim_mib); /* of an open GPU */
static inline bool hs_share_level_is_open(uint32_t level)
{
    return level != HS_SHARE_IDLE && level != HS_SHARE_CLOSED;
}
bool hs_share_pool_serves(const struct hs_share *s, const struct hs_share_pool *p,
                          const struct hs_ask *ask);
/* The largest claim of a GPU that leaves a candidate with this claim more than margin_mib;
 * HS_SHARE_IDLE: it may join no GPU in use. */
uint32_t hs_share_most_level(const struct hs_share_pool *p, uint32_t claim_mib,
                             uint32_t margin_mib);
/* Has the node so many GPUs of at most this level? */
bool hs_share_can_find(const struct hs_share *s, const struct hs_share_node *n, uint32_t gpus,
                       uint32_t most_level);
/* First local number >= from of a node with so many GPUs that are idle or open and one of at most
 * this level, or UINT32_MAX. */
uint32_t hs_share_next_node(const struct hs_share_pool *p, uint32_t gpus, uint32_t most_level,
                            uint32_t from);
/* What the summary of a node, and that of two subtrees side by side, has to be. */
struct hs_share_summary hs_share_node_summary(const struct hs_share *s,
                                              const struct hs_share_node *n);
struct hs_share_summary hs_share_summary_of(const struct hs_share_summary *below);

#endif
