/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What waits, by gang size and VC, without walking the queue: books each waiting GPU at every
 * instant to one cause (model.md 10).
 *
 *     quota     more than its VC may still take (nobody, where the policy may borrow)
 *     capacity  more than is free in its pool
 *     shape     enough is free, but not on one node; `locality` is the part of it that is of gangs
 *               which no node of their pool could hold, the rest is fragmentation
 *     order     it would fit as things stand: a job before it, or the policy, keeps it waiting
 *
 * A gang larger than any node counts as `locality` when its number is free: whether enough whole
 * nodes are idle is not asked. Each worker that wants a share of a GPU counts as one that waits for
 * a GPU: it fits where a GPU is idle or has room for it, and its shape is wrong (fragmentation)
 * where only several GPUs together have as much left; whether enough GPUs are there for the others
 * of its gang is not asked.
 *
 * The sums up to a size are kept at marks, which follow what is free: add and remove are O(1), and
 * a mark moves by no more sizes than GPUs have changed hands. Of shares there are few: a Fenwick
 * tree.
 */
#ifndef HORUS_ENGINE_BACKLOG_H
#define HORUS_ENGINE_BACKLOG_H

#include <stdint.h>

#include "base/memory.h"
#include "model/cluster.h"

/* Where sums are kept, by what the size is compared with; a node has always the same. */
enum { HS_MARK_QUOTA, HS_MARK_FREE, HS_MARK_FIT, HS_MARK_NODE, HS_MARKS };

struct hs_backlog_mark {
    uint64_t size, gpus; /* wanted by gangs of at most this size */
};

struct hs_backlog_vc {
    uint64_t *gpus_by_size; /* gang sizes 0..max_gpus: GPUs wanted */
    uint64_t gpus_wanted;
    struct hs_backlog_mark marks[HS_MARKS];
    uint64_t *shares_by_milli; /* tree over shares 1..999: workers; NULL = nobody wanted one */
    uint64_t shares_wanted;    /* workers */
    uint32_t max_gpus;
    uint32_t max_node_gpus; /* of one node of its pool */
};

struct hs_backlog {
    struct hs_backlog_vc *vcs;
    uint32_t vc_count;
    uint64_t gpus_wanted; /* workers that want a share included */
};

struct hs_wait_causes {
    uint64_t quota, capacity, shape, order; /* GPUs wanted */
    uint64_t locality;                      /* part of shape */
};

HS_MUST_USE enum hs_status hs_backlog_init(struct hs_backlog *backlog,
                                           const struct hs_cluster *cluster,
                                           struct hs_arena *arena);
void hs_backlog_add(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus);
void hs_backlog_remove(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus);
/* The same of workers that want a share of a GPU, in thousandths; after hs_backlog_divide, once. */
HS_MUST_USE enum hs_status hs_backlog_divide(struct hs_backlog *backlog, struct hs_arena *arena);
void hs_backlog_add_shares(struct hs_backlog *backlog, uint32_t vc, uint32_t workers,
                           uint32_t milli);
void hs_backlog_remove_shares(struct hs_backlog *backlog, uint32_t vc, uint32_t workers,
                              uint32_t milli);
/* Adds one VC's waiting GPUs to the causes; those wanted by gangs no larger than what is free. */
uint64_t hs_backlog_causes(struct hs_backlog *backlog, uint32_t vc, uint64_t free_gpus,
                           uint32_t largest_free, uint64_t quota_room,
                           struct hs_wait_causes *causes);
/* What is left for shares, in thousandths: on the GPU of a VC that has most, on all together (an
 * idle GPU has 1000), and within its quota. */
struct hs_backlog_room {
    uint64_t most_milli, all_milli, quota_milli;
};
/* Adds one VC's workers that wait for shares. */
void hs_backlog_share_causes(const struct hs_backlog *backlog, uint32_t vc,
                             struct hs_backlog_room room, struct hs_wait_causes *causes);

#endif
