/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Consolidation: a gang that one node can hold may be spread over several where no node has room
 * for it, at the predicted speed of a spread gang. The reward of a placement is GPUs times that
 * speed. A batch of jobs is placed in several orders, and the one with the largest sum of rewards
 * is kept (the fourth of the artifact, by the best reward of each job, is that by GPUs: alone on a
 * node each has speed 1). Cost: four placements a job at most, one where all find single nodes.
 */
#include "policies/chronus/chronus.h"

enum { BY_RANGE, BY_MOST_GPUS, BY_FEWEST_GPUS, ORDERS };

static uint64_t spread_q32(const struct hs_view *v, hs_job_id job)
{
    const uint32_t node = hs_view_worst_fit(v, job, 1);
    return node != HS_NO_NODE ? hs_view_spread_q32(v, job, hs_view_node(v, node)->type)
                              : UINT64_C(1) << 32;
}

/* Sets the keys of a batch: smaller ones first. */
static void order_batch(struct hs_job_place *batch, uint32_t count, const struct hs_view *v,
                        uint32_t order)
{
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = batch[i].job;
        const int64_t gpus = hs_view_gpus(v, job);
        batch[i].submit_us = hs_view_submit_us(v, job);
        batch[i].rank = hs_view_rank(v, job);
        batch[i].key = order == BY_RANGE
                           ? -gpus * (int64_t)((UINT64_C(1) << 32) - spread_q32(v, job))
                       : order == BY_MOST_GPUS ? -gpus
                                               : gpus;
    }
    hs_sort(batch, count);
}

/* The sum of rewards. */
static uint64_t place_batch(const struct hs_view *v, struct hs_plan *p,
                            const struct hs_job_place *batch, uint32_t count, bool *are_placed)
{
    uint64_t reward = 0;
    *are_placed = true;
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = batch[i].job;
        const uint64_t gpus = hs_view_gpus(v, job), spread = spread_q32(v, job);
        if (hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE}))
            reward += gpus << 32;
        else if (hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_BEST_FIT}))
            reward += gpus * spread;
        else if (!hs_reject_hopeless(v, p, job))
            *are_placed &= hs_chronus_of(v, job)->level != HS_CHRONUS_LEASED;
    }
    return reward;
}

bool hs_chronus_place(const struct hs_chronus *o, const struct hs_view *v, struct hs_plan *p,
                      uint32_t count)
{
    struct hs_job_place *batch = o->batch;
    bool are_placed = true;
    uint64_t gpus = 0;
    uint32_t large = 0; /* gangs larger than a node: fewest nodes, or none */
    order_batch(batch, count, v, BY_MOST_GPUS);
    for (; large < count && hs_view_gpus(v, batch[large].job) > v->max_node_gpus; large++) {
        const hs_job_id job = batch[large].job;
        if (!hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE}) &&
            !hs_reject_hopeless(v, p, job))
            are_placed &= hs_chronus_of(v, job)->level != HS_CHRONUS_LEASED;
    }
    batch += large;
    count -= large;
    for (uint32_t i = 0; i < count; i++)
        gpus += hs_view_gpus(v, batch[i].job);
    const uint32_t mark = hs_plan_mark(p);
    uint64_t most = 0, reward = 0;
    uint32_t best = 0;
    bool are_all = true;
    for (uint32_t order = 0; order < ORDERS && reward < gpus << 32; order++) {
        hs_plan_rollback(p, mark);
        order_batch(batch, count, v, order);
        reward = place_batch(v, p, batch, count, &are_all);
        if (reward > most) {
            most = reward;
            best = order;
        }
    }
    if (reward < most) { /* the last order tried is not the best */
        hs_plan_rollback(p, mark);
        order_batch(batch, count, v, best);
        (void)place_batch(v, p, batch, count, &are_all);
    }
    return are_placed && are_all;
}
