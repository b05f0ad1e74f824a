/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Index of nodes by number of free GPUs: serves the node searches of the placers in O(log nodes)
 * for any cluster size. Per kind of node (VC, GPU type, size, CPUs, host memory) and free count it
 * has a hierarchical bitmap of nodes, and a bitmap of the counts that occur.
 *
 *     hs_free_take(&f, node, 3, ask);     node = hs_free_fit(&f, &ask, 4, HS_FIT_BEST);
 *
 * It only counts: the engine knows which GPUs of a node are free. CPUs and host memory are stored
 * per node and checked only for jobs that request them on nodes that state them (the search then
 * skips nodes without them).
 */
#pragma once

#include "model/cluster.h"

/* A job's requirements on a node. */
struct hs_ask {
    uint64_t type_mask; /* one bit per GPU type; UINT64_MAX = any */
    uint32_t vc;
    uint32_t cpus_milli_per_gpu; /* 0 = none */
    uint32_t mem_mib_per_gpu;    /* host memory; 0 = none */
    uint16_t gpu_milli;          /* of each GPU (hs_part); HS_GPU_MILLI = whole GPUs */
    /* Ties go to the kind of node of least size, CPUs and memory, and then to the lowest id: for
     * requests of one GPU type the order of the groups of nodes does not matter. First and idle are
     * by kind, too, on a cluster of one rack. */
    bool is_by_kind;
};

/* Number of ids, which ascend, below `from`. */
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
 * to the lowest id; otherwise fits draw among equally good nodes (hs_mix64 of seed and a counter);
 * first and idle always go by id. Memory O(nodes x max_node_gpus) bits of the arena, at init. */
void hs_free_init(struct hs_free **free_index, const struct hs_cluster *cluster, bool by_vc,
                  uint64_t jitter_seed, struct hs_arena *arena);

/* Require n <= free GPUs of the node, or n <= its size - free: asserted. */

/* CPUs and host memory of as many workers are taken along with the GPUs. */
void hs_free_take(struct hs_free *f, uint32_t node, uint32_t gpus, const struct hs_ask *ask);
void hs_free_give(struct hs_free *f, uint32_t node, uint32_t gpus, const struct hs_ask *ask);
/* Reserves CPUs and host memory for workers on GPUs in use already; workers < 0 releases them. */
void hs_free_book(struct hs_free *f, uint32_t node, int64_t workers, const struct hs_ask *ask);
/* Tells whether the node, of any VC, has CPUs and host memory for more workers. */
bool hs_free_can_book(const struct hs_free *f, uint32_t node, uint32_t workers,
                      const struct hs_ask *ask);
/* Remaining amounts; may be negative. */
void hs_free_rest(const struct hs_free *f, uint32_t node, int64_t *cpus_milli, int64_t *mem_mib);
uint32_t hs_free_of_node(const struct hs_free *f, uint32_t node);
/* Its kind: within a VC a number that rises with type, size, CPUs and memory. */
uint32_t hs_free_kind(const struct hs_free *f, uint32_t node);
/* A node set aside is in no search, count or sum, and serves every VC by its number. O(1). */
void hs_free_set_aside(struct hs_free *f, uint32_t node, bool is_aside);
bool hs_free_is_aside(const struct hs_free *f, uint32_t node);
uint64_t hs_free_aside(const struct hs_free *f, uint32_t vc); /* GPUs of these nodes */
/* A node out of service offers no free GPU: it is in no search and no count of free GPUs or
 * idle nodes, but among all nodes. Its jobs may still leave it. O(1). */
void hs_free_set_out(struct hs_free *f, uint32_t node, bool is_out);
bool hs_free_is_out(const struct hs_free *f, uint32_t node);
uint64_t hs_free_out(const struct hs_free *f); /* GPUs of these nodes that no job holds */
/* Tells whether the node suits VC and type and has `gpus` GPUs, with CPUs and host memory, free. */
bool hs_free_fits(const struct hs_free *f, uint32_t node, const struct hs_ask *ask, uint32_t gpus);
uint64_t hs_free_total(const struct hs_free *f, uint32_t vc); /* all types */
/* Free GPUs of nodes that suit the request, regardless of CPUs and memory. O(kinds of nodes). */
uint64_t hs_free_for(const struct hs_free *f, const struct hs_ask *ask);
/* All nodes, of any VC; O(its kinds). */
uint32_t hs_free_of_rack(const struct hs_free *f, uint32_t rack);
uint32_t hs_free_max(const struct hs_free *f, uint32_t vc); /* most free GPUs on one node */
/* Among nodes with at least `gpus` free: one with the fewest, the same among nodes in use, or one
 * with the most. This and the following return UINT32_MAX if no node qualifies. */
enum hs_fit { HS_FIT_BEST, HS_FIT_BEST_BUSY, HS_FIT_WORST };
uint32_t hs_free_fit(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus, enum hs_fit how);
uint32_t hs_free_first(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus, uint32_t from);
/* HS_FIT_BEST or _WORST among the nodes of a rack. */
uint32_t hs_free_fit_in_rack(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus,
                             uint32_t rack, bool is_worst);
/* Workers for which a rack has room now, or would if all its nodes were idle and in service.
 * O(its kinds of nodes); now, for a request of CPUs or memory, O(its nodes). */
uint64_t hs_free_rack_room(const struct hs_free *f, const struct hs_ask *ask, uint32_t rack,
                           bool is_idle);
/* Below, the size of a node is the number of GPUs that the request may use if it is completely
 * idle: all, unless limited by CPUs or memory. */
uint32_t hs_free_idle(struct hs_free *f, const struct hs_ask *ask, uint32_t size, uint32_t from);
uint32_t hs_free_idle_rack(struct hs_free *f, const struct hs_ask *ask, uint32_t size,
                           uint32_t count, uint32_t from_rack);
/* Most GPUs that a job with this request could ever get, for rejections: of all nodes, or of those
 * that are not set aside. */
uint64_t hs_free_capacity(const struct hs_free *f, const struct hs_ask *ask, bool is_all);
/* Of these nodes, out of service or not: the largest size up to `most` (0 if none); and the number
 * with exactly `size`. O(kinds of nodes). */
enum hs_nodes { HS_NODES_IDLE, HS_NODES_NOT_ASIDE, HS_NODES_ALL };
uint32_t hs_free_node_size(const struct hs_free *f, const struct hs_ask *ask, uint32_t most,
                           enum hs_nodes of);
uint32_t hs_free_node_count(const struct hs_free *f, const struct hs_ask *ask, uint32_t size,
                            enum hs_nodes of);
/* Compares every index with a recount from the per-node counts; O(nodes x counts). */
bool hs_free_is_valid(const struct hs_free *f);

/* Index of the GPUs that hold shares and have room for more, by room: finds the tightest fit for a
 * share. CPUs and host memory are looked up in the free index.
 *
 *     hs_part_set(p, gpu, 540);      gpu = hs_part_tightest(p, &ask, 460); */
struct hs_part;

/* Creates an empty index. Both are borrowed. O(GPUs + rooms that occur x GPUs / 8) of the arena. */
void hs_part_init(struct hs_part **parts, const struct hs_free *f, const struct hs_cluster *cluster,
                  struct hs_arena *arena);
/* Sets the room of a GPU, up to HS_GPU_MILLI; 0 removes it. */
void hs_part_set(struct hs_part *p, uint32_t gpu, uint32_t room_milli);
uint32_t hs_part_room(const struct hs_part *p, uint32_t gpu); /* 0 = not contained */
/* Returns the GPU with the least room >= `milli`, ties: lowest id, of the requested VC and types,
 * on a node with CPUs and host memory for another worker. UINT32_MAX = none. */
uint32_t hs_part_tightest(const struct hs_part *p, const struct hs_ask *ask, uint32_t milli);
/* Most room of any GPU that the VC may use; 0 = none. */
uint32_t hs_part_most(const struct hs_part *p, uint32_t vc);
/* Sum of the rooms. */
uint64_t hs_part_all(const struct hs_part *p, uint32_t vc);
/* Compares every bit and sum with a recount; O(GPUs). */
bool hs_part_is_valid(const struct hs_part *p);
