/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compat=muri: AntMan as Muri's simulator has it, its baseline (Rivendile/Muri 4e69a78):
 *
 *     at each submission and end
 *         each running job loses its restart, or what it did since the last event if that is less
 *         waiting jobs, guaranteed ones first, then by submission, are all tried
 *             guaranteed: the first node with enough GPUs without a guaranteed job; if there is
 *                 none, all such GPUs of the node that has most are reserved, then those that
 *                 become free there; a gang larger than a node reserves nodes without guaranteed
 *                 jobs
 *             opportunistic: any GPUs of least load below .8, all or none
 *
 * No job is preempted. A guaranteed job is as fast as alone, an opportunistic one has what these
 * leave of the stages of their iterations (model/stages.h). Quotas, GPU memory and utilizations do
 * not count, class auto is guaranteed.
 *
 * Loads are sums in double precision, as there: what is left of a sum whose terms are gone decides
 * between GPUs. Cost of a decision: O(running jobs), and O(nodes), or O(GPUs x log GPUs) if
 * opportunistic, for each waiting job.
 */
#include "policies/antman/antman.h"

#define OPPORTUNISTIC (INT64_MAX / 2) /* in the key of waiting jobs: behind all guaranteed ones */
/* Load of a GPU by a guaranteed job, of which a part comes when its gang is complete; by an
 * opportunistic one; and the most beside which that one may start. */
#define OWNER_LOAD    .1
#define COMPLETE_LOAD .01
#define GUEST_LOAD    .9
#define LOAD_MOST     .8

static bool is_guest(const struct hs_antman *s, hs_job_id job)
{
    return hs_view_class(s->v, job) == HS_JOB_CLASS_OPPORTUNISTIC;
}

/* ---- events ---- */

static void unreserve(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    for (uint32_t gpu = 0; gpu < s->gpu_count && j->reserved_count > 0; gpu++)
        if (s->gpus[gpu].reserved == job + 1) {
            s->gpus[gpu].reserved = 0;
            s->gpus[gpu].load -= OWNER_LOAD - COMPLETE_LOAD;
            j->reserved_count--;
        }
}

static void leave(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    for (uint32_t h = j->first_allocation; h != 0; h = s->entries[h].next_of_job) {
        struct hs_antman_gpu *g = &s->gpus[s->entries[h].gpu];
        g->load -= is_guest(s, job) ? GUEST_LOAD : OWNER_LOAD;
        if (is_guest(s, job))
            g->guests--;
        else
            g->owner = 0;
    }
    hs_allocation_map_drop(&s->allocations, &j->first_allocation);
    unreserve(s, job);
    hs_job_queue_remove(j->role == HS_ANTMAN_WAITING ? &s->waiting : &s->placed, s->v, job);
    j->role = HS_ANTMAN_NONE;
}

void hs_antman_muri_event(struct hs_antman *s, const struct hs_event *event)
{
    const bool has_left = event->kind == HS_EVENT_FINISH || event->kind == HS_EVENT_STOPPED;
    const bool is_change =
        has_left || event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_NODE;
    hs_job_id placed = !s->is_woken && is_change ? hs_job_queue_first(&s->placed) : HS_NO_JOB;
    s->is_woken |= is_change;
    for (; placed != HS_NO_JOB; placed = hs_job_queue_next(&s->placed, s->v, placed))
        hs_antman_job(s, placed)->rate_q32 = hs_view_rate_q32(s->v, placed); /* before the change */
    if (has_left && hs_antman_job(s, event->job)->role != HS_ANTMAN_NONE)
        leave(s, event->job);
    if (event->kind != HS_EVENT_SUBMIT && event->kind != HS_EVENT_STOPPED)
        return;
    /* The queue is ordered by time of entry: a job that ran out of GPU memory is queued again,
     * behind jobs that have reserved GPUs in the meantime. */
    struct hs_antman_job *j = hs_antman_job(s, event->job);
    j->role = HS_ANTMAN_WAITING;
    j->node = 0;
    hs_job_queue_add(&s->waiting, s->v, event->job,
                     hs_view_now_us(s->v) + (is_guest(s, event->job) ? OPPORTUNISTIC : 0));
}

/* ---- starts ---- */

/* On s->chosen. */
static void start(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    const struct hs_iteration iteration = hs_view_iteration(s->v, job);
    const bool is_beside = is_guest(s, job);
    hs_plan_reason(s->p, is_beside ? "opportunistic: GPUs of least load" : "guaranteed");
    hs_plan_start(s->p, job);
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        struct hs_antman_gpu *g = &s->gpus[s->chosen[i]];
        hs_plan_on_gpu(s->p, s->chosen[i]);
        hs_allocation_map_add(&s->allocations, job, &j->first_allocation, s->chosen[i]);
        g->load += is_beside ? GUEST_LOAD : COMPLETE_LOAD;
        if (is_beside)
            g->guests++;
        else
            g->owner = job + 1;
        g->reserved = is_beside ? g->reserved : 0;
    }
    if (is_beside)
        hs_plan_background(s->p, job, true);
    hs_plan_cap(s->p, job, (UINT64_C(1000) << 32) / (uint64_t)iteration.overhead_pm);
    hs_job_queue_remove(&s->waiting, s->v, job);
    hs_job_queue_add(&s->placed, s->v, job, 0);
    j->role = is_beside ? HS_ANTMAN_OPPORTUNISTIC : HS_ANTMAN_GUARANTEED;
    j->reserved_count = 0;
}

/* ---- guaranteed jobs ---- */

/* GPUs of the node that are neither owned nor reserved. */
static uint32_t open_gpus(const struct hs_antman *s, hs_job_id job, uint32_t node)
{
    const struct hs_node *n = hs_view_node(s->v, node);
    uint32_t count = 0;
    for (uint32_t gpu = n->first_gpu; gpu < n->first_gpu + n->gpus; gpu++)
        count += s->gpus[gpu].owner == 0 && s->gpus[gpu].reserved == 0;
    return hs_view_may_use(s->v, job, node) ? count : 0;
}

static void reserve(struct hs_antman *s, hs_job_id job, uint32_t node)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    const struct hs_node *n = hs_view_node(s->v, node);
    for (uint32_t gpu = n->first_gpu; gpu < n->first_gpu + n->gpus; gpu++) {
        struct hs_antman_gpu *g = &s->gpus[gpu];
        if (g->owner != 0 || g->reserved != 0 || j->reserved_count == hs_view_gpus(s->v, job))
            continue;
        g->reserved = job + 1;
        g->load += OWNER_LOAD - COMPLETE_LOAD;
        j->reserved_count++;
    }
}

/* Whether the node, when it is idle, has CPUs and host memory for so many workers. */
static bool could_hold(const struct hs_antman *s, hs_job_id job, uint32_t node, uint64_t workers)
{
    const struct hs_node *n = hs_view_node(s->v, node);
    const uint64_t gpus = hs_view_gpus(s->v, job);
    return (n->cpus == 0 ||
            hs_view_cpus_milli(s->v, job) * workers <= UINT64_C(1000) * n->cpus * gpus) &&
           (n->mem_mib == 0 || hs_view_mem_mib(s->v, job) * workers <= n->mem_mib * gpus);
}

/* The first node with room for the gang; else of those that could hold it the first with most GPUs
 * that are open. */
static uint32_t choose_node(const struct hs_antman *s, hs_job_id job)
{
    const uint32_t gpus = hs_view_gpus(s->v, job);
    uint32_t best = HS_NO_NODE, most = 0;
    for (uint32_t node = 0; node < s->v->nodes && most < gpus; node++) {
        const uint32_t open = open_gpus(s, job, node);
        if (open <= most || hs_view_node(s->v, node)->gpus < gpus ||
            !could_hold(s, job, node, gpus))
            continue;
        best = node;
        most = open;
    }
    return best;
}

static bool find_guaranteed(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    const uint32_t gpus = hs_view_gpus(s->v, job);
    if (gpus <= hs_view_node_size(s->v, job, UINT32_MAX)) {
        const uint32_t node = j->node != 0 ? j->node - 1 : choose_node(s, job);
        if (node != HS_NO_NODE)
            reserve(s, job, node);
        j->node = node + 1; /* 0: none */
    } else {
        for (uint32_t node = 0; node < s->v->nodes; node++)
            if (open_gpus(s, job, node) == hs_view_node(s->v, node)->gpus &&
                could_hold(s, job, node, hs_view_node(s->v, node)->gpus))
                reserve(s, job, node);
    }
    s->chosen_count = 0;
    for (uint32_t gpu = 0; gpu < s->gpu_count && j->reserved_count == gpus; gpu++)
        if (s->gpus[gpu].reserved == job + 1)
            hs_antman_choose(s, job, gpu);
    return hs_antman_has_chosen(s, gpus);
}

/* ---- opportunistic jobs ---- */

static bool find_opportunistic(struct hs_antman *s, hs_job_id job)
{
    uint32_t count = 0, gpus = hs_view_gpus(s->v, job);
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++) {
        if (s->gpus[gpu].load < LOAD_MOST) /* all bits of it: its terms are multiples of 2^-59 */
            s->by_load[count++] =
                (struct hs_job_place){.key = (int64_t)(s->gpus[gpu].load * 0x1p60), .rank = gpu};
    }
    hs_sort(s->by_load, count);
    s->chosen_count = 0;
    for (uint32_t i = 0; i < count && s->chosen_count < gpus; i++)
        hs_antman_choose(s, job, (uint32_t)s->by_load[i].rank);
    return hs_antman_has_chosen(s, gpus);
}

/* ---- a decision ---- */

static void lose(struct hs_antman *s)
{
    const int64_t since_us = s->now_us - s->decided_us;
    hs_plan_reason(s->p, hs_compat_lost_text);
    for (hs_job_id job = hs_job_queue_first(&s->placed); job != HS_NO_JOB && since_us > 0;
         job = hs_job_queue_next(&s->placed, s->v, job)) {
        const uint64_t us = (uint64_t)hs_compat_lost_us(s->v, job, since_us);
        const uint64_t work_us = (uint64_t)((hs_u128)us * hs_antman_job(s, job)->rate_q32 >> 32);
        if (work_us > 0)
            hs_plan_lose_work(s->p, job, work_us);
    }
    s->decided_us = s->now_us;
}

/* Whether a reservation of another job may be what keeps the job from its GPUs. */
static bool is_held_up(const struct hs_antman *s, hs_job_id job)
{
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++)
        if (s->gpus[gpu].reserved != 0 && s->gpus[gpu].reserved != job + 1)
            return true;
    return false;
}

void hs_antman_muri_decide(struct hs_antman *s)
{
    hs_job_id next, job = hs_job_queue_first(&s->waiting);
    if (!s->is_woken)
        return;
    s->is_woken = false;
    lose(s);
    for (; job != HS_NO_JOB; job = next) {
        next = hs_job_queue_next(&s->waiting, s->v, job);
        if (is_guest(s, job) ? find_opportunistic(s, job) : find_guaranteed(s, job))
            start(s, job);
        else if (!is_held_up(s, job) && hs_reject_hopeless(s->v, s->p, job))
            unreserve(s, job);
    }
}
