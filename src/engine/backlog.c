/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting GPUs by gang size: one Fenwick tree per VC (Fenwick, Software: Practice and Experience
 * 1994), turned round: a node sums the sizes from its own on, as many as its lowest bit says. Jobs
 * come and go more often than sums are asked for, and their sizes are mostly powers of two: those
 * are one node.
 */
#include "engine/backlog.h"

#define SHARE_MOST 999u /* thousandths: more is a whole GPU */

enum hs_status hs_backlog_init(struct hs_backlog *backlog, const struct hs_cluster *cluster,
                               struct hs_arena *arena)
{
    const bool is_partition = cluster->vc_mode == HS_VC_PARTITION;
    backlog->vc_count = cluster->vc_count;
    backlog->gpus_wanted = 0;
    backlog->vcs = hs_arena_alloc(arena, (uint64_t)cluster->vc_count * sizeof *backlog->vcs);
    if (backlog->vcs == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < cluster->vc_count; i++) {
        struct hs_backlog_vc *vc = &backlog->vcs[i];
        vc->max_gpus = (uint32_t)cluster->vcs[i].gpus;
        vc->max_node_gpus = is_partition ? 0 : cluster->max_node_gpus;
        vc->gpus_by_size = hs_arena_alloc(arena, ((uint64_t)vc->max_gpus + 1) * sizeof(uint64_t));
        if (vc->gpus_by_size == NULL)
            return HS_E_MEMORY;
    }
    for (uint32_t n = 0; is_partition && n < cluster->node_count; n++) {
        const struct hs_node *node = &cluster->nodes[n];
        struct hs_backlog_vc *vc = &backlog->vcs[node->vc];
        vc->max_node_gpus = node->gpus > vc->max_node_gpus ? node->gpus : vc->max_node_gpus;
    }
    return HS_OK;
}

/* Unsigned wrap-around makes the same walk serve for taking away. */
static void tree_add(uint64_t *tree, uint32_t most, uint32_t size, uint64_t amount)
{
    for (uint32_t i = size <= most ? size : 0; i > 0; i &= i - 1)
        tree[i] += amount;
}

/* Of the sizes up to this one; sum: of all. */
static uint64_t tree_upto(const uint64_t *tree, uint32_t most, uint64_t size, uint64_t sum)
{
    if (size == 0)
        return 0;
    for (uint64_t i = size < most ? size + 1 : UINT64_MAX; i <= most; i += i & (0 - i))
        sum -= tree[i];
    return sum;
}

void hs_backlog_add(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus)
{
    struct hs_backlog_vc *b = &backlog->vcs[vc];
    tree_add(b->gpus_by_size, b->max_gpus, gpus, gpus);
    b->gpus_wanted += gpus;
    backlog->gpus_wanted += gpus;
}

void hs_backlog_remove(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus)
{
    struct hs_backlog_vc *b = &backlog->vcs[vc];
    tree_add(b->gpus_by_size, b->max_gpus, gpus, 0 - (uint64_t)gpus);
    b->gpus_wanted -= gpus;
    backlog->gpus_wanted -= gpus;
}

uint64_t hs_backlog_upto(const struct hs_backlog *backlog, uint32_t vc, uint64_t gpus)
{
    const struct hs_backlog_vc *b = &backlog->vcs[vc];
    return tree_upto(b->gpus_by_size, b->max_gpus, gpus, b->gpus_wanted);
}

uint64_t hs_backlog_causes(const struct hs_backlog *backlog, uint32_t vc, uint64_t free_gpus,
                       uint32_t largest_free, uint64_t quota_room, struct hs_wait_causes *causes)
{
    uint64_t wanted = backlog->vcs[vc].gpus_wanted;
    uint64_t within_quota = hs_backlog_upto(backlog, vc, quota_room);
    uint64_t number = free_gpus < quota_room ? free_gpus : quota_room; /* that may be taken */
    uint64_t within = hs_backlog_upto(backlog, vc, number);
    uint64_t fits = largest_free < number ? hs_backlog_upto(backlog, vc, largest_free) : within;
    causes->quota += wanted - within_quota;
    causes->capacity += within_quota - within;
    causes->shape += within - fits;
    if (backlog->vcs[vc].max_node_gpus < number)
        causes->locality += within - hs_backlog_upto(backlog, vc, backlog->vcs[vc].max_node_gpus);
    causes->order += fits;
    return number == free_gpus ? within : hs_backlog_upto(backlog, vc, free_gpus);
}

/* ---- shares ---- */

enum hs_status hs_backlog_divide(struct hs_backlog *backlog, struct hs_arena *arena)
{
    for (uint32_t vc = 0; vc < backlog->vc_count; vc++) {
        uint64_t *tree = hs_arena_alloc(arena, (SHARE_MOST + UINT64_C(1)) * sizeof *tree);
        if (tree == NULL)
            return HS_E_MEMORY;
        backlog->vcs[vc].shares_by_milli = tree;
    }
    return HS_OK;
}

void hs_backlog_add_shares(struct hs_backlog *backlog, uint32_t vc, uint32_t workers,
                           uint32_t milli)
{
    tree_add(backlog->vcs[vc].shares_by_milli, SHARE_MOST, milli, workers);
    backlog->vcs[vc].shares_wanted += workers;
    backlog->gpus_wanted += workers;
}

void hs_backlog_remove_shares(struct hs_backlog *backlog, uint32_t vc, uint32_t workers,
                              uint32_t milli)
{
    tree_add(backlog->vcs[vc].shares_by_milli, SHARE_MOST, milli, 0 - (uint64_t)workers);
    backlog->vcs[vc].shares_wanted -= workers;
    backlog->gpus_wanted -= workers;
}

static uint64_t shares_upto(const struct hs_backlog_vc *b, uint64_t milli, uint64_t or_milli)
{
    return tree_upto(b->shares_by_milli, SHARE_MOST, milli < or_milli ? milli : or_milli,
                     b->shares_wanted);
}

void hs_backlog_share_causes(const struct hs_backlog *backlog, uint32_t vc,
                             struct hs_backlog_room room, struct hs_wait_causes *causes)
{
    const struct hs_backlog_vc *b = &backlog->vcs[vc];
    uint64_t within_quota = shares_upto(b, room.quota_milli, SHARE_MOST);
    uint64_t within = shares_upto(b, room.quota_milli, room.all_milli);
    uint64_t fits = shares_upto(b, room.quota_milli, room.most_milli);
    causes->quota += b->shares_wanted - within_quota;
    causes->capacity += within_quota - within;
    causes->shape += within - fits;
    causes->order += fits;
}
