/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Index of GPUs that can take one more tenant: finds the shared GPU with the least cost, for any
 * cost with bounds, without examining all of them. Per pool (VC and GPU type) the open GPUs, those
 * with tenants and room for one more, are in a search tree ordered by load; each vertex has the
 * bounding box of the loads below it, so a branch whose bound is not better than the best GPU is
 * skipped. Neighbouring GPUs of a node with equal load, such as those of a gang, are one vertex.
 *
 *     hs_share_open(s, gpu, &load);           // after each change of a shared GPU
 *     gpu = hs_share_cheapest(s, &query, &cost);
 *
 * Recording a change costs O(1); the tree is updated node by node at the next query. The engine
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
    int64_t below; /* only lower costs are of interest */
};

/* Cluster and free GPUs are borrowed. by_vc: VC is part of the pools (partition). limit_mib: per
 * GPU type, most that the tenants of a shared GPU may claim together; UINT32_MAX = no limit.
 * Initially all GPUs are idle. O(GPUs) memory, all from the arena, at init. */
void hs_share_init(struct hs_share **share, const struct hs_cluster *cluster,
                   const struct hs_free *free, bool by_vc, const uint32_t *limit_mib,
                   struct hs_arena *arena);
/* Marks a GPU with tenants as open for one more; if load->claim_mib exceeds the limit of its type,
 * no job fits. O(1), and O(GPUs of the node + log GPUs) before the next query. */
void hs_share_open(struct hs_share *s, uint32_t gpu, const struct hs_load *load);
/* Marks a GPU as idle, or (is_held) as full or used exclusively. */
void hs_share_close(struct hs_share *s, uint32_t gpu, bool is_held);
/* Returns HS_NO_GPU if none costs less than query->below; ties: the lowest id. */
uint32_t hs_share_cheapest(struct hs_share *s, const struct hs_share_query *query, int64_t *cost);
/* Number of GPUs that are idle, or open at a cost below HS_NEVER, counted up to `most`. */
uint64_t hs_share_count(struct hs_share *s, const struct hs_share_query *query, uint64_t most);
/* Lowest node >= from with a GPU that is idle, or open with memory for the claim (UINT32_MAX: none)
 * and more than margin_mib in addition; HS_NO_NODE. */
uint32_t hs_share_find_node(const struct hs_share *s, const struct hs_ask *ask, uint32_t claim_mib,
                            uint32_t margin_mib, uint32_t from);
/* Returns the node with `gpus` such GPUs (query->claim_mib) whose cheapest ones have the least
 * total cost; HS_NO_NODE. Ties: fewest idle GPUs, then lowest id. `below` is not used. O(log GPUs)
 * and the nodes with a GPU that costs less than the mean of the best ones. */
uint32_t hs_share_gang_node(struct hs_share *s, const struct hs_share_query *query, uint32_t gpus,
                            uint32_t margin_mib);
/* Tells whether no GPU is idle or open. O(pools). */
bool hs_share_is_full(const struct hs_share *s, const struct hs_ask *ask);
bool hs_share_is_open(const struct hs_share *s, uint32_t gpu, const struct hs_load *load);
/* Checks order, boxes and counts; O(GPUs). */
bool hs_share_is_valid(struct hs_share *s);
