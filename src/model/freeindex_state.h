/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The inside of the free index, shared by its searches (freeindex.c) and by what builds and checks
 * it (freeindex_build.c), and by nobody else.
 */
#ifndef HORUS_MODEL_FREEINDEX_STATE_H
#define HORUS_MODEL_FREEINDEX_STATE_H

#include "model/bitset.h"
#include "model/freeindex.h"

/* What the nodes of a pool have in common. vc is 0 unless VCs own nodes. */
struct hs_kind {
    uint32_t vc, type, size, cpus, mem_mib;
};

struct hs_node_state {
    struct hs_node_pool *pool;
    struct hs_rack_part *part; /* of the pool's */
    uint32_t local;            /* number within the pool */
    uint16_t free, size;
    int64_t cpus_milli, mem_mib; /* left; below 0 where more was taken than there is */
};

/* Nodes of one pool in one rack: consecutive within the pool, because racks are ranges of ids. */
struct hs_rack_part {
    uint32_t rack;
    uint32_t first; /* local number; the next part's is the end */
    uint32_t idle;
};

struct hs_node_pool {
    struct hs_kind kind;
    uint32_t count;              /* nodes */
    uint32_t idle;               /* those with all GPUs free */
    uint64_t free;               /* GPUs */
    uint32_t *ids;               /* of each local number, ascending */
    struct hs_bitset *with_free; /* [0 .. size]: local numbers, */
    uint32_t set_words;          /* so many words apart */
    struct hs_bitset counts;     /* free counts that occur */
    struct hs_rack_part *parts;  /* by rack; ends with a part of rack UINT32_MAX */
    uint32_t cursor;             /* scratch of hs_free_idle_rack */
};

struct hs_free {
    struct hs_node_state *nodes;
    struct hs_node_pool *pools;     /* by VC */
    struct hs_node_pool **vc_pools; /* pools of VC v: [vc_pools[v], vc_pools[v + 1]) */
    uint64_t *vc_free;              /* free GPUs */
    uint32_t *rack_free;            /* the same by rack */
    uint64_t seed, counter;         /* of the draws among equally good nodes */
    uint32_t node_count, pool_count, vc_count, rack_count;
    bool by_vc;
};

#endif
