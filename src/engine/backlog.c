/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting GPUs by gang size: one Fenwick tree per VC (Fenwick, Software: Practice and Experience
 * 1994).
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
static void fenwick_add(uint64_t *tree, uint32_t most, uint32_t size, uint64_t amount)
{
    for (uint32_t i = size; i > 0 && i <= most; i += i & (~i + 1))
        tree[i] += amount;
}

static uint64_t fenwick_upto(const uint64_t *tree, uint32_t most, uint64_t size)
{
    uint64_t sum = 0;
    for (uint32_t i = size < most ? (uint32_t)size : most; i > 0; i &= i - 1)
        sum += tree[i];
    return sum;
}

void hs_backlog_add(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus)
{
    struct hs_backlog_vc *b = &backlog->vcs[vc];
    fenwick_add(b->gpus_by_size, b->max_gpus, gpus, gpus);
    b->gpus_wanted += gpus;
    backlog->gpus_wanted += gpus;
}

void hs_backlog_remove(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus)
{
    struct hs_backlog_vc *b = &backlog->vcs[vc];
    fenwick_add(b->gpus_by_size, b->max_gpus, gpus, 0 - (uint64_t)gpus);
    b->gpus_wanted -= gpus;
    backlog->gpus_wanted -= gpus;
}

uint64_t hs_backlog_upto(const struct hs_backlog *backlog, uint32_t vc, uint64_t gpus)
{
    const struct hs_backlog_vc *b = &backlog->vcs[vc];
    return fenwick_upto(b->gpus_by_size, b->max_gpus, gpus);
}

void hs_backlog_causes(const struct hs_backlog *backlog, uint32_t vc, uint64_t free_gpus,
                       uint32_t largest_free, uint64_t quota_room, struct hs_wait_causes *causes)
{
    uint64_t wanted = backlog->vcs[vc].gpus_wanted;
    uint64_t within_quota = hs_backlog_upto(backlog, vc, quota_room);
    uint64_t within =
        free_gpus < quota_room ? hs_backlog_upto(backlog, vc, free_gpus) : within_quota;
    uint64_t node_sized = largest_free < free_gpus ? largest_free : free_gpus;
    uint64_t fits = hs_backlog_upto(backlog, vc, node_sized < quota_room ? node_sized : quota_room);
    causes->quota += wanted - within_quota;
    causes->capacity += within_quota - within;
    causes->shape += within - fits;
    uint64_t number = free_gpus < quota_room ? free_gpus : quota_room; /* that may be taken */
    if (backlog->vcs[vc].max_node_gpus < number)
        causes->locality += within - hs_backlog_upto(backlog, vc, backlog->vcs[vc].max_node_gpus);
    causes->order += fits;
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
    fenwick_add(backlog->vcs[vc].shares_by_milli, SHARE_MOST, milli, workers);
    backlog->vcs[vc].shares_wanted += workers;
    backlog->gpus_wanted += workers;
}

void hs_backlog_remove_shares(struct hs_backlog *backlog, uint32_t vc, uint32_t workers,
                              uint32_t milli)
{
    fenwick_add(backlog->vcs[vc].shares_by_milli, SHARE_MOST, milli, 0 - (uint64_t)workers);
    backlog->vcs[vc].shares_wanted -= workers;
    backlog->gpus_wanted -= workers;
}

static uint64_t shares_upto(const struct hs_backlog_vc *b, uint64_t milli, uint64_t or_milli)
{
    return fenwick_upto(b->shares_by_milli, SHARE_MOST, milli < or_milli ? milli : or_milli);
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
