/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes with n free GPUs: answers the node searches of the placers in O(log nodes), whatever the
 * size of the cluster. Per kind of node (VC, GPU type, size, CPUs, host memory) and free count, a
 * hierarchical bitmap of nodes, and a bitmap of the counts that occur.
 *
 *     hs_free_take(&f, node, 3, ask);     node = hs_free_fit(&f, &ask, 4, HS_FIT_BEST);
 *
 * Counts only: which GPUs of a node are free is the engine's business. CPU and host memory are
 * held per node and checked only for a job that asks for them and nodes that state them (the
 * search then walks on past nodes that fail it).
 */
#pragma once

#include "model/cluster.h"

/* What a job asks of a node. */
struct hs_ask {
    uint64_t type_mask; /* bit per GPU type; UINT64_MAX = any */
    uint32_t vc;
    uint32_t cpus_milli_per_gpu; /* 0 = none */
    uint32_t mem_mib_per_gpu;    /* host memory; 0 = none */
    uint16_t gpu_milli;          /* of each GPU (hs_part); HS_GPU_MILLI = whole */
};

/* How many of the ids, which ascend, are below `from`. */
static inline uint32_t hs_ids_lower_bound(const uint32_t *ids, uint32_t count, uint32_t from)
{
    uint32_t low = 0;
    while (low < count) {
        uint32_t middle = low + (count - low) / 2;
        if (ids[middle] < from)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

struct hs_free;

/* by_vc: VC is part of the pools (partition); otherwise ask.vc is ignored. jitter_seed 0: ties go
 * to the lowest id; otherwise fits draw among equally good nodes (hs_mix64 of seed and a counter),
 * while first and idle go by id. Memory O(nodes x max_node_gpus) bits, from the arena, at init. */
void hs_free_init(struct hs_free **free_index, const struct hs_cluster *cluster, bool by_vc,
                  uint64_t jitter_seed, struct hs_arena *arena);

/* n <= free of the node, resp. <= its size minus free: asserted. */

/* With the GPUs goes the CPU and host memory of as many workers. */
void hs_free_take(struct hs_free *f, uint32_t node, uint32_t gpus, const struct hs_ask *ask);
void hs_free_give(struct hs_free *f, uint32_t node, uint32_t gpus, const struct hs_ask *ask);
/* CPU and host memory of workers on GPUs that others hold already; given back below 0. */
void hs_free_book(struct hs_free *f, uint32_t node, int64_t workers, const struct hs_ask *ask);
/* Has the node, whosever it is, CPU and host memory for so many more? */
bool hs_free_can_book(const struct hs_free *f, uint32_t node, uint32_t workers,
                      const struct hs_ask *ask);
/* What is left of the two; may be below 0. */
void hs_free_rest(const struct hs_free *f, uint32_t node, int64_t *cpus_milli, int64_t *mem_mib);
uint32_t hs_free_of_node(const struct hs_free *f, uint32_t node);
/* A node set aside is in no search, count or sum, and serves every VC by its number. O(1). */
void hs_free_set_aside(struct hs_free *f, uint32_t node, bool is_aside);
bool hs_free_is_aside(const struct hs_free *f, uint32_t node);
uint64_t hs_free_aside(const struct hs_free *f, uint32_t vc); /* GPUs of such nodes, held or not */
/* Is the node of the ask's VC and type, with `gpus` GPUs and their CPU and host memory free? */
bool hs_free_fits(const struct hs_free *f, uint32_t node, const struct hs_ask *ask, uint32_t gpus);
uint64_t hs_free_total(const struct hs_free *f, uint32_t vc); /* all types */
/* Of the nodes that may serve the ask, whatever CPU and memory they have. O(kinds of nodes). */
uint64_t hs_free_for(const struct hs_free *f, const struct hs_ask *ask);
uint32_t hs_free_of_rack(const struct hs_free *f, uint32_t rack); /* all nodes, whosever; O(1) */
uint32_t hs_free_max(const struct hs_free *f, uint32_t vc);       /* most free GPUs on one node */
/* The largest gang that one node has room for, or wholly idle nodes of the largest size with a node
 * for the rest; UINT64_MAX if all nodes of that size are idle. O(kinds of nodes). */
uint64_t hs_free_gang_room(const struct hs_free *f, uint32_t vc);
/* Of the nodes with at least `gpus` free: one with the fewest, the same of nodes that are not
 * wholly idle, or one with the most. UINT32_MAX when no node qualifies; nor in what follows. */
enum hs_fit { HS_FIT_BEST, HS_FIT_BEST_BUSY, HS_FIT_WORST };
uint32_t hs_free_fit(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus, enum hs_fit how);
uint32_t hs_free_first(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus, uint32_t from);
/* In what follows the size of a node is the GPUs that the ask may use of it when it is wholly idle:
 * all of them, unless its CPU or memory end before. */
uint32_t hs_free_idle(struct hs_free *f, const struct hs_ask *ask, uint32_t size, uint32_t from);
uint32_t hs_free_idle_rack(struct hs_free *f, const struct hs_ask *ask, uint32_t size,
                           uint32_t count, uint32_t from_rack);
/* Most GPUs a job with this ask could ever get: for REJECTED. */
uint64_t hs_free_capacity(const struct hs_free *f, const struct hs_ask *ask);
/* Nodes busy or not: the largest size of at most `most` (0 if none), and how many have exactly
 * `size`, of all or of those that are wholly idle. O(kinds of nodes). */
uint32_t hs_free_node_size(const struct hs_free *f, const struct hs_ask *ask, uint32_t most);
uint32_t hs_free_node_count(const struct hs_free *f, const struct hs_ask *ask, uint32_t size,
                            bool is_idle);
/* Every index against a recount from the per-node counts; O(nodes x counts). */
bool hs_free_is_valid(const struct hs_free *f);

/* The GPUs that hold shares and have room for more, by room: which of them a share fits most
 * tightly. CPU and host memory are looked up in the index of free GPUs, where they are booked.
 *
 *     hs_part_set(p, gpu, 540);      gpu = hs_part_tightest(p, &ask, 460);
 */
struct hs_part;

/* No GPU is in it. Both are borrowed. O(GPUs + rooms that occur x GPUs / 8), of the arena. */
void hs_part_init(struct hs_part **parts, const struct hs_free *f, const struct hs_cluster *cluster,
                  struct hs_arena *arena);
/* The room of a GPU, up to HS_GPU_MILLI; 0 takes it out. */
void hs_part_set(struct hs_part *p, uint32_t gpu, uint32_t room_milli);
uint32_t hs_part_room(const struct hs_part *p, uint32_t gpu); /* 0 = it is not in */
/* Least room of at least `milli`, then lowest id, of the ask's VC and types, on a node with CPU and
 * host memory for one more worker. UINT32_MAX = none. */
uint32_t hs_part_tightest(const struct hs_part *p, const struct hs_ask *ask, uint32_t milli);
/* Most room of any GPU that the VC may use; 0 = none is in. */
uint32_t hs_part_most(const struct hs_part *p, uint32_t vc);
/* Room of all of them together. */
uint64_t hs_part_all(const struct hs_part *p, uint32_t vc);
/* Every bit and sum against a recount; O(GPUs). */
bool hs_part_is_valid(const struct hs_part *p);
