/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Causes of waiting, by gang size and VC, without a walk through the queue: each waiting GPU is
 * booked at every instant to one cause (MODEL.md 10).
 *
 *     quota     more than its VC may still take (none, where the policy may borrow)
 *     resources more than is free in its pool
 *     placement enough is free, but not on one node; `constraint` is the part of it that is of
 *               gangs which no node of their pool could hold, the rest is fragmentation
 *     priority  it would fit now: a job before it, or the policy, keeps it waiting
 *
 * A gang larger than any node counts as `constraint` when its number is free: whether enough whole
 * nodes are idle is not checked. Each worker that asks for a share of a GPU counts as one
 * waiting GPU: it fits where a GPU is idle or has room for it, and its placement fails
 * (fragmentation) where only several GPUs together have as much left; whether there are GPUs for
 * the rest of its gang is not checked.
 *
 * The sums up to a size are kept at marks, which follow what is free: add and remove are O(1), and
 * a mark moves by no more sizes than GPUs have changed hands. Of shares there are few: a Fenwick
 * tree.
 */
#ifndef HORUS_ENGINE_WAIT_CAUSES_H
#define HORUS_ENGINE_WAIT_CAUSES_H

#include <stdint.h>

#include "base/memory.h"
#include "horus/trace.h"
#include "model/cluster.h"
#include "model/freeindex.h"

/* Where sums are kept, by what the size is compared with; a node has always the same. */
enum { HS_MARK_QUOTA, HS_MARK_FREE, HS_MARK_FIT, HS_MARK_NODE, HS_MARKS };

struct hs_wait_account_mark {
    uint64_t size, gpus; /* wanted by gangs of at most this size */
};

struct hs_wait_account_vc {
    uint64_t *gpus_by_size; /* gang sizes 0..max_gpus: GPUs wanted */
    uint64_t gpus_wanted;
    struct hs_wait_account_mark marks[HS_MARKS];
    uint64_t *shares_by_milli; /* tree over shares 1..999: workers; NULL = no job asked for one */
    uint64_t shares_wanted;    /* workers */
    uint32_t max_gpus;
    uint32_t max_node_gpus; /* of one node of its pool */
};

struct hs_wait_account {
    struct hs_wait_account_vc *vcs;
    uint32_t vc_count;
    uint64_t gpus_wanted; /* includes workers that ask for a share */
};

struct hs_wait_causes {
    uint64_t quota, resources, placement, priority; /* GPUs wanted */
    uint64_t constraint;                            /* part of placement */
};

void hs_wait_account_init(struct hs_wait_account *wait_account, const struct hs_cluster *cluster,
                          struct hs_arena *arena);
/* The GPUs of a gang, or its workers that ask for a share, begin (sign 1) or cease (-1) to wait. */
void hs_wait_account_change(struct hs_wait_account *wait_account, const struct hs_ask *ask,
                            uint32_t gpus, int sign);
/* Before the first job that asks for a share. */
void hs_wait_account_divide(struct hs_wait_account *wait_account, struct hs_arena *arena);
/* Adds one VC's waiting GPUs to the causes; those wanted by gangs no larger than what is free. */
uint64_t hs_wait_account_causes(struct hs_wait_account *wait_account, uint32_t vc,
                                uint64_t free_gpus, uint32_t largest_free, uint64_t quota_room,
                                struct hs_wait_causes *causes);
/* What is left for shares, in thousandths: on the GPU of a VC that has most, on all together (an
 * idle GPU has 1000), and within its quota. */
struct hs_wait_account_room {
    uint64_t most_milli, all_milli, quota_milli;
};
/* Adds one VC's workers that wait for shares. */
void hs_wait_account_share_causes(const struct hs_wait_account *wait_account, uint32_t vc,
                                  struct hs_wait_account_room room, struct hs_wait_causes *causes);

#endif
