/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GPUs that can take one more tenant: finds the shared GPU of least cost, for any cost that a
 * policy can bound, without a look at all of them. Per pool (VC and GPU type) the open GPUs, those
 * with tenants and room for one more, stand in a search tree ordered by load; each vertex knows the
 * box of loads below it, so a branch whose bound is not better than the best GPU found is left out.
 * Neighbours of a node that hold the same, as the GPUs of a gang do, are one vertex.
 *
 *     hs_share_open(s, gpu, &load);           // after each change of a shared GPU
 *     gpu = hs_share_cheapest(s, &query, &cost);
 *
 * A change is noted in O(1); the tree is updated node by node at the next query. The engine
 * decides which GPUs are open.
 */
#pragma once

#include "model/freeindex.h"

struct hs_share;

struct hs_share_query {
    const struct hs_ask *ask; /* VC, GPU types; CPUs and host memory of a node */
    uint32_t claim_mib;       /* of the candidate */
    hs_load_cost *cost_of;
    const void *ctx;
    int64_t below; /* only costs below it are of interest */
};

/* Cluster and free GPUs are borrowed. by_vc: VC is part of the pools (partition). limit_mib: per
 * GPU type, what the tenants of a shared GPU may claim in all; UINT32_MAX = no limit. All GPUs are
 * idle at first. O(GPUs) memory, all from the arena, at init. */
void hs_share_init(struct hs_share **share, const struct hs_cluster *cluster,
                   const struct hs_free *free, bool by_vc, const uint32_t *limit_mib,
                   struct hs_arena *arena);
/* The GPU has tenants and may take one more; one with load->claim_mib above the limit of its type
 * fits no job. O(1), and O(GPUs of the node + log GPUs) before the next query. */
void hs_share_open(struct hs_share *s, uint32_t gpu, const struct hs_load *load);
/* It is idle, or held and full or by a job that shares nothing. */
void hs_share_close(struct hs_share *s, uint32_t gpu, bool is_held);
/* HS_NO_GPU if none costs less than query->below; ties to the lowest id. */
uint32_t hs_share_cheapest(struct hs_share *s, const struct hs_share_query *query, int64_t *cost);
/* How many GPUs are idle, or open at a cost below HS_NEVER, counted up to `most`. */
uint64_t hs_share_count(struct hs_share *s, const struct hs_share_query *query, uint64_t most);
/* Lowest node >= from with a GPU that is idle, or open with memory for the claim (UINT32_MAX: none)
 * and more than margin_mib beside it; HS_NO_NODE. */
uint32_t hs_share_find_node(const struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                            uint32_t margin_mib, uint32_t from);
/* The node with `gpus` GPUs of that kind (query->claim_mib) whose cheapest ones cost least in all;
 * HS_NO_NODE. Ties go to the node of fewest idle GPUs, then to the lowest id. `below` is not used.
 * O(log GPUs) and the nodes with a GPU that costs less than the mean of the best ones. */
uint32_t hs_share_gang_node(struct hs_share *s, const struct hs_share_query *query, uint32_t gpus,
                            uint32_t margin_mib);
/* No GPU is idle or open. O(pools). */
bool hs_share_is_full(const struct hs_share *s, const struct hs_ask *ask);
bool hs_share_is_open(const struct hs_share *s, uint32_t gpu, const struct hs_load *load);
/* Order, boxes and counts hold everywhere; O(GPUs). */
bool hs_share_is_valid(struct hs_share *s);
