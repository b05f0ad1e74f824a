/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting GPUs by gang size: one Fenwick tree per VC (Fenwick, Software: Practice and Experience
 * 1994).
 */
#include "engine/backlog.h"

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
static void fenwick_add(struct hs_backlog_vc *vc, uint32_t size, uint64_t amount)
{
    for (uint32_t i = size; i > 0 && i <= vc->max_gpus; i += i & (~i + 1))
        vc->gpus_by_size[i] += amount;
}

void hs_backlog_add(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus)
{
    fenwick_add(&backlog->vcs[vc], gpus, gpus);
    backlog->vcs[vc].gpus_wanted += gpus;
    backlog->gpus_wanted += gpus;
}

void hs_backlog_remove(struct hs_backlog *backlog, uint32_t vc, uint32_t gpus)
{
    fenwick_add(&backlog->vcs[vc], gpus, 0 - (uint64_t)gpus);
    backlog->vcs[vc].gpus_wanted -= gpus;
    backlog->gpus_wanted -= gpus;
}

uint64_t hs_backlog_upto(const struct hs_backlog *backlog, uint32_t vc, uint64_t gpus)
{
    const struct hs_backlog_vc *b = &backlog->vcs[vc];
    uint64_t sum = 0;
    for (uint32_t i = gpus < b->max_gpus ? (uint32_t)gpus : b->max_gpus; i > 0; i &= i - 1)
        sum += b->gpus_by_size[i];
    return sum;
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
