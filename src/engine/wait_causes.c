/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting GPUs by gang size: an array and its marks per VC. Waiting shares by size: one Fenwick
 * tree per VC (Fenwick, Software: Practice and Experience 1994).
 */
#include "engine/wait_causes.h"

#define SHARE_MOST UINT64_C(999) /* thousandths: more is a whole GPU */

void hs_wait_account_init(struct hs_wait_account *wait_account, const struct hs_cluster *cluster,
                          struct hs_arena *arena)
{
    const bool is_partition = cluster->vc_mode == HS_VC_PARTITION;
    wait_account->vc_count = cluster->vc_count;
    wait_account->gpus_wanted = 0;
    wait_account->vcs =
        hs_arena_alloc(arena, (uint64_t)cluster->vc_count * sizeof *wait_account->vcs);
    for (uint32_t i = 0; i < cluster->vc_count; i++) {
        struct hs_wait_account_vc *vc = &wait_account->vcs[i];
        vc->max_gpus = (uint32_t)cluster->vcs[i].gpus;
        vc->max_node_gpus = is_partition ? 0 : cluster->max_node_gpus;
        vc->gpus_by_size = hs_arena_alloc(arena, ((uint64_t)vc->max_gpus + 1) * sizeof(uint64_t));
    }
    for (uint32_t n = 0; is_partition && n < cluster->node_count; n++) {
        const struct hs_node *node = &cluster->nodes[n];
        struct hs_wait_account_vc *vc = &wait_account->vcs[node->vc];
        vc->max_node_gpus = node->gpus > vc->max_node_gpus ? node->gpus : vc->max_node_gpus;
    }
    for (uint32_t i = 0; i < cluster->vc_count; i++)
        wait_account->vcs[i].marks[HS_MARK_NODE].size = wait_account->vcs[i].max_node_gpus;
}

/* Workers that ask for a share. Unsigned wrap-around makes one addition serve for taking away. */
static void change_shares(struct hs_wait_account_vc *b, uint32_t milli, uint64_t amount)
{
    b->shares_wanted += amount;
    for (uint32_t i = milli; i > 0; i &= i - 1)
        b->shares_by_milli[i] += amount;
}

void hs_wait_account_change(struct hs_wait_account *wait_account, const struct hs_ask *ask,
                            uint32_t gpus, int sign)
{
    struct hs_wait_account_vc *b = &wait_account->vcs[ask->vc];
    const uint64_t amount = sign > 0 ? gpus : 0 - (uint64_t)gpus;
    wait_account->gpus_wanted += amount;
    if (ask->gpu_milli < HS_GPU_MILLI) {
        change_shares(b, ask->gpu_milli, amount);
        return;
    }
    b->gpus_wanted += amount;
    if (gpus > b->max_gpus)
        return;
    b->gpus_by_size[gpus] += amount;
    HS_UNROLL
    for (uint32_t i = 0; i < HS_MARKS; i++)
        b->marks[i].gpus += amount & (0 - (uint64_t)(gpus <= b->marks[i].size));
}

/* GPUs wanted by gangs of at most this size, to which the mark goes. */
static inline uint64_t mark_at(struct hs_wait_account_vc *b, uint32_t mark, uint64_t size)
{
    struct hs_wait_account_mark m = b->marks[mark];
    if (size >= b->max_gpus)
        return b->gpus_wanted;
    while (m.size < size)
        m.gpus += b->gpus_by_size[++m.size];
    while (m.size > size)
        m.gpus -= b->gpus_by_size[m.size--];
    b->marks[mark] = m;
    return m.gpus;
}

uint64_t hs_wait_account_causes(struct hs_wait_account *wait_account, uint32_t vc,
                                uint64_t free_gpus, uint32_t largest_free, uint64_t quota_room,
                                struct hs_wait_causes *causes)
{
    struct hs_wait_account_vc *b = &wait_account->vcs[vc];
    uint64_t number = free_gpus < quota_room ? free_gpus : quota_room; /* that may be taken */
    uint64_t within_quota = mark_at(b, HS_MARK_QUOTA, quota_room);
    uint64_t within_free = mark_at(b, HS_MARK_FREE, free_gpus);
    uint64_t within = free_gpus < quota_room ? within_free : within_quota;
    uint64_t fits = mark_at(b, HS_MARK_FIT, largest_free < number ? largest_free : number);
    causes->quota += b->gpus_wanted - within_quota;
    causes->resources += within_quota - within;
    causes->placement += within - fits;
    if (b->max_node_gpus < number)
        causes->constraint += within - b->marks[HS_MARK_NODE].gpus;
    causes->priority += fits;
    return within_free;
}

/* ---- shares ---- */

void hs_wait_account_divide(struct hs_wait_account *wait_account, struct hs_arena *arena)
{
    for (uint32_t vc = 0; vc < wait_account->vc_count; vc++) {
        uint64_t *tree = hs_arena_alloc(arena, (SHARE_MOST + 1) * sizeof *tree);
        wait_account->vcs[vc].shares_by_milli = tree;
    }
}

/* Workers that ask for at most this share. */
static uint64_t shares_upto(const struct hs_wait_account_vc *b, uint64_t milli, uint64_t or_milli)
{
    uint64_t most = milli < or_milli ? milli : or_milli, workers = b->shares_wanted;
    if (most == 0)
        return 0;
    for (uint64_t i = most < SHARE_MOST ? most + 1 : SHARE_MOST + 1; i <= SHARE_MOST;
         i += i & (0 - i))
        workers -= b->shares_by_milli[i];
    return workers;
}

void hs_wait_account_share_causes(const struct hs_wait_account *wait_account, uint32_t vc,
                                  struct hs_wait_account_room room, struct hs_wait_causes *causes)
{
    const struct hs_wait_account_vc *b = &wait_account->vcs[vc];
    uint64_t within_quota = shares_upto(b, room.quota_milli, SHARE_MOST);
    uint64_t within = shares_upto(b, room.quota_milli, room.all_milli);
    uint64_t fits = shares_upto(b, room.quota_milli, room.most_milli);
    causes->quota += b->shares_wanted - within_quota;
    causes->resources += within_quota - within;
    causes->placement += within - fits;
    causes->priority += fits;
}
