/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See whole.h.
 */
#include "engine/whole.h"

#include <stdlib.h>

#include "engine/busy.h"
#include "engine/progress.h"
#include "engine/shadow.h"

bool hs_whole_may_begin(const struct hs_engine *e)
{
    const uint32_t can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_THROTTLE;
    const uint32_t knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE;
    return (e->can & can) == 0 && (e->knows & knows) == 0;
}

/* All that the tenants of its GPUs do changes by what the job does. */
static void book_busy(struct hs_engine *e, const struct hs_job *job, uint64_t gpus)
{
    const uint64_t pm = gpus * hs_busy_alone_pm(job);
    e->instant.util_model_pm += pm;
    e->instant.util_sum_pm += pm;
    e->instant.gpus_held += gpus;
    e->instant.milli_held += gpus * HS_GPU_MILLI;
}

static int pick_compare(const void *a, const void *b)
{
    const struct hs_pick *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_picks(struct hs_pick *picks, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (picks[i].node < picks[i - 1].node) {
            qsort(picks, count, sizeof *picks, pick_compare);
            return;
        }
}

/* On `count` GPUs of one word of the map, behind the seat `*last` of the job, which has become this
 * one then. */
static inline enum hs_status seat_append(struct hs_engine *e, uint32_t slot, uint32_t node,
                                         uint64_t gpus, uint32_t gpu, uint32_t count,
                                         uint32_t *last)
{
    uint32_t at;
    HS_TRY(hs_jobs_seat(&e->jobs, &at));
    e->jobs.seats[at] = (struct hs_seat){.gpus = gpus,
                                         .gpu = gpu,
                                         .count = count,
                                         .node = node,
                                         .job = slot,
                                         .next_of_job = HS_NO_SEAT,
                                         .next_on_gpu = HS_NO_SEAT};
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, hs_engine_job(e, slot));
    *(*last == HS_NO_SEAT ? &stay->first_seat : &e->jobs.seats[*last].next_of_job) = at;
    *last = at;
    return HS_OK;
}

/* The lowest of these bits, at most *count; how many they are then. */
static uint64_t lowest_bits(uint64_t bits, uint32_t *count)
{
    const uint64_t first = bits & (0 - bits), end = *count < 64 ? first << *count : 0;
    const uint64_t row = end - first;
    if (end > first && (bits & row) == row) /* as a rule they lie side by side */
        return row;
    const uint32_t most = *count;
    uint64_t rest = bits;
    for (*count = 0; *count < most && rest != 0; ++*count)
        rest &= rest - 1;
    return bits ^ rest;
}

/* On the lowest free GPUs of a node, which has them: a seat for each word of the map. */
static enum hs_status node_sit_down(struct hs_engine *e, uint32_t slot, const struct hs_pick *pick,
                                    uint32_t *last)
{
    uint32_t first = e->cluster->nodes[pick->node].first_gpu, word = first / 64;
    uint64_t bits = e->gpu_free[word] & (UINT64_MAX << (first % 64));
    for (uint32_t left = pick->count; left > 0; bits = e->gpu_free[++word]) {
        uint32_t count = left;
        const uint64_t taken = lowest_bits(bits, &count);
        if (taken == 0)
            continue;
        e->gpu_free[word] ^= taken;
        HS_TRY(seat_append(e, slot, pick->node, taken, word * 64 + HS_CTZ64(bits), count, last));
        left -= count;
    }
    return HS_OK;
}

enum hs_status hs_whole_seat(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_pick *picks = &e->plan.picks[a->first_pick];
    struct hs_job *job = hs_engine_job(e, a->job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    uint32_t last = HS_NO_SEAT, nodes = 0, node = HS_NO_NODE;
    sort_picks(picks, a->pick_count); /* as the ids of the GPUs ascend */
    for (const struct hs_pick *pick = picks; pick < picks + a->pick_count; pick++) {
        HS_TRY(node_sit_down(e, a->job, pick, &last));
        nodes += pick->node != node;
        node = pick->node;
    }
    run->nodes_spanned = (uint16_t)nodes;
    stay->gpus_held = a->gpus;
    stay->segment_max_tenants = 1;
    if (a->gpus > 0)
        run->gpu_type = (uint8_t)e->cluster->nodes[picks[0].node].type;
    book_busy(e, job, a->gpus);
    return HS_OK;
}

static inline void stand_up(struct hs_engine *e, struct hs_job *job, bool is_release)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    book_busy(e, job, 0 - (uint64_t)stay->gpus_held);
    for (uint32_t s = stay->first_seat, next; s != HS_NO_SEAT; s = next) {
        const struct hs_seat *seat = &e->jobs.seats[s];
        next = seat->next_of_job;
        if (is_release)
            hs_shadow_release_seat(e, seat, job);
        e->gpu_free[seat->gpu / 64] |= seat->gpus;
        hs_jobs_free_seat(&e->jobs, s);
    }
    if (is_release)
        e->vc_held_milli[job->ask.vc] -= (uint64_t)stay->gpus_held * HS_GPU_MILLI;
    stay->first_seat = HS_NO_SEAT;
    stay->gpus_held = 0;
    stay->rate_q32 = 0;
    stay->is_active = false;
}

void hs_whole_unseat(struct hs_engine *e, struct hs_job *job)
{
    stand_up(e, job, false);
}

void hs_whole_leave(struct hs_engine *e, struct hs_job *job)
{
    stand_up(e, job, true);
}

/* ---- the end of it ---- */

/* What the GPU would say of the job if it had been kept. */
static void gpu_fill(struct hs_engine *e, const struct hs_job *job, uint32_t seat)
{
    const bool has_left = e->plan.is_writing && (job->plan & HS_PLAN_RELEASED) != 0;
    const uint32_t pm = hs_busy_alone_pm(job);
    struct hs_gpu *gpu = &e->gpus[e->jobs.seats[seat].gpu];
    gpu->first_seat = seat;
    gpu->tenants = gpu->active = 1;
    gpu->shadow_tenants = !has_left;
    gpu->mem_claimed_mib = has_left ? 0 : hs_claim_mib(e, job);
    gpu->mem_used_mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    gpu->util_model_pm = (uint16_t)pm;
    gpu->util_sum_pm = pm;
}

/* A seat for each of its GPUs. */
static enum hs_status job_spread(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    uint32_t last = HS_NO_SEAT;
    for (uint32_t s = hs_first_seat(&e->jobs, job), next; s != HS_NO_SEAT; s = next) {
        const struct hs_seat seat = e->jobs.seats[s];
        next = seat.next_of_job;
        hs_jobs_free_seat(&e->jobs, s);
        for (uint64_t bits = seat.gpus; bits != 0; bits &= bits - 1) {
            const uint32_t gpu = seat.gpu / 64 * 64 + HS_CTZ64(bits);
            HS_TRY(seat_append(e, slot, seat.node, bits & (0 - bits), gpu, 1, &last));
            gpu_fill(e, job, last);
        }
    }
    return HS_OK;
}

enum hs_status hs_whole_end_now(struct hs_engine *e)
{
    e->is_whole = false;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++)
        if (hs_engine_has_job(e, slot))
            HS_TRY(job_spread(e, slot));
    return HS_OK;
}
