/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tenants of a GPU make of it together (MODEL.md 5, 6).
 *
 * Memory: outside slice groups each has its own; the jobs of a group take turns, so they need what
 * each of them keeps and the largest rest of those whose turn it may be. Counted in truth, what
 * they use, and by claims, what plans believe.
 *
 * Utilization: now, and over the last seconds. Where jobs take turns, all GPUs of their slice group
 * on a node have the same utilization; such nodes are marked, and computed after all other changes
 * of the instant. Joint utilization is 1 - prod(1 - u_i) over what runs independently: jobs, and
 * slice groups of jobs that take turns; background jobs fill the rest. In integers, to 2^-32.
 */
#include "engine/state.h"

static bool is_same_set(const struct hs_job_placement *a, const struct hs_job_placement *b)
{
    return a->slice_group == b->slice_group && a->coscheduled_set == b->coscheduled_set;
}

/* The next allocation of the GPU that may be of the same coscheduled set (0: none is). */
static const struct hs_allocation *next_of_set(const struct hs_engine *e,
                                               const struct hs_allocation *a, uint32_t set)
{
    return set > 0 ? hs_gpu_next(e, a) : NULL;
}

/* Is a tenant of the same slice group in front of the allocation, from `from` on? */
static bool is_repeated_group(const struct hs_engine *e, const struct hs_allocation *from,
                              const struct hs_allocation *a)
{
    const uint32_t slice_group = hs_tenant_placement(e, a)->slice_group;
    while (from != a && hs_tenant_placement(e, from)->slice_group != slice_group)
        from = hs_gpu_next(e, from);
    return from != a;
}

/* The same of its coscheduled set, and of active tenants alone if it says so. */
static bool is_repeated_set(const struct hs_engine *e, const struct hs_allocation *from,
                            const struct hs_allocation *a, bool only_active)
{
    const struct hs_job_placement *own = hs_tenant_placement(e, a);
    for (; own->coscheduled_set > 0 && from != a; from = hs_gpu_next(e, from)) {
        const struct hs_job_placement *other = hs_tenant_placement(e, from);
        if (is_same_set(own, other) && (other->is_active || !only_active))
            return true;
    }
    return false;
}

/* ---- memory ---- */

/* What a tenant takes in its turn, and the part of it that it keeps while others of its slice group
 * run: MiB, or its place among the jobs that are on the GPU. */
struct need {
    uint64_t full, kept;
};

static struct hs_turn turn_of(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    return (struct hs_turn){.slice_group = placement->slice_group,
                            .coscheduled_set = placement->coscheduled_set,
                            .keeps = (enum hs_keeps)placement->keeps};
}

static uint32_t persistent_mib(const struct hs_engine *e, const struct hs_job *job)
{
    return hs_training_profile_of(&e->jobs, job)->gpu_mem_persistent_mib;
}

static uint32_t kept_of(const struct hs_engine *e, const struct hs_job *job,
                        const struct hs_turn *turn, uint32_t mib)
{
    if (turn->slice_group == 0 || turn->keeps == HS_KEEPS_ALL)
        return mib;
    if (turn->keeps == HS_KEEPS_NOTHING)
        return 0;
    return persistent_mib(e, job) < mib ? persistent_mib(e, job) : mib;
}

/* A job that has to run alone is alone while it has its turn, if the others keep nothing. */
static bool takes_turns_alone(const struct hs_turn *turn)
{
    return turn->slice_group != 0 && turn->coscheduled_set == 0 && turn->keeps == HS_KEEPS_NOTHING;
}

static uint32_t full_claim_mib(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t limit_mib = hs_needs_of(&e->jobs, job)->mem_limit_mib;
    return hs_oom_claim_mib(e, job, limit_mib > 0 ? limit_mib : UINT32_MAX);
}

static struct need need_of(const struct hs_engine *e, const struct hs_job *job,
                           enum hs_gpu_need what)
{
    const struct hs_turn turn = turn_of(e, job);
    const uint32_t mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    switch (what) {
    case HS_NEED_USED:
        return (struct need){.full = mib, .kept = kept_of(e, job, &turn, mib)};
    case HS_NEED_CLAIMED:
        return (struct need){
            .full = job->is_alone && takes_turns_alone(&turn) ? 0 : full_claim_mib(e, job),
            .kept = hs_claim_mib(e, job)};
    case HS_NEED_RUNNING:
        return (struct need){.full = 1, .kept = turn.slice_group == 0};
    case HS_NEED_RESIDENT: /* one that keeps memory all the time, another only in its turn */
        break;
    }
    return (struct need){.full = 1,
                         .kept = turn.slice_group == 0 || turn.keeps != HS_KEEPS_NOTHING};
}

uint32_t hs_gpu_memory_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                 const struct hs_turn *turn)
{
    static const struct hs_turn outside = {0};
    if (turn == NULL)
        turn = &outside;
    if (job->is_alone)
        return takes_turns_alone(turn) ? 0 : HS_CLAIM_ALONE;
    return kept_of(e, job, turn, full_claim_mib(e, job));
}

uint32_t hs_gpu_memory_claim_now_mib(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_turn turn = turn_of(e, job);
    return hs_gpu_memory_claim_mib(e, job, &turn);
}

/* Of the slice group of an allocation, the most that one of its coscheduled sets takes beyond what
 * its jobs keep; of those from this allocation on. */
static uint64_t group_rest(const struct hs_engine *e, const struct hs_allocation *from,
                           enum hs_gpu_need what)
{
    const uint32_t slice_group = hs_tenant_placement(e, from)->slice_group;
    uint64_t most = 0;
    for (const struct hs_allocation *a = from; a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job_placement *first = hs_tenant_placement(e, a);
        uint64_t rest = 0;
        if (first->slice_group != slice_group || is_repeated_set(e, from, a, false))
            continue;
        for (const struct hs_allocation *b = a; b != NULL;
             b = next_of_set(e, b, first->coscheduled_set)) {
            const struct need need = need_of(e, hs_tenant(e, b), what);
            if (is_same_set(first, hs_tenant_placement(e, b)) && need.full > need.kept)
                rest += need.full - need.kept;
        }
        most = rest > most ? rest : most;
    }
    return most;
}

uint64_t hs_gpu_memory(const struct hs_engine *e, const struct hs_allocation *from,
                       enum hs_gpu_need what)
{
    uint64_t sum = 0;
    if (from != NULL && from->next_on_gpu == HS_NO_ALLOCATION) { /* usually */
        const struct need need = need_of(e, hs_tenant(e, from), what);
        bool has_turns = hs_tenant_placement(e, from)->slice_group != 0;
        return has_turns && need.full > need.kept ? need.full : need.kept;
    }
    for (const struct hs_allocation *a = from; a != NULL; a = hs_gpu_next(e, a)) {
        sum += need_of(e, hs_tenant(e, a), what).kept;
        if (hs_tenant_placement(e, a)->slice_group != 0 && !is_repeated_group(e, from, a))
            sum += group_rest(e, a, what);
    }
    return sum;
}

uint64_t hs_gpu_memory_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    const struct hs_allocation *from)
{
    return hs_gpu_capacity_mib(e, gpu, (uint32_t)hs_gpu_memory(e, from, HS_NEED_RESIDENT));
}

bool hs_gpu_memory_update(struct hs_engine *e, struct hs_job *job)
{
    if (!e->jobs.has_needs)
        return false;
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    uint32_t peak_mib = hs_run_of(&e->jobs, job)->done_ns >= needs->later_ns
                            ? needs->gpu_mem_later_mib
                            : needs->gpu_mem_first_mib;
    bool is_limit = needs->mem_limit_mib > 0 && needs->mem_limit_mib < peak_mib;
    uint32_t mib = is_limit ? needs->mem_limit_mib : peak_mib, before_mib = needs->gpu_mem_mib;
    needs->gpu_mem_peak_mib = peak_mib;
    needs->gpu_mem_mib = mib;
    for (const struct hs_allocation *a = e->is_exclusive ? NULL : hs_job_first(e, job); a != NULL;
         a = hs_job_next(e, a))
        hs_gpu_memory_recount(e, &e->gpus[a->gpu], (int64_t)mib - before_mib);
    return mib > before_mib;
}

static int64_t host_mib(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (placement->is_hosted)
        return (int64_t)persistent_mib(e, job) * placement->gpus_hosted;
    if (!hs_job_is_placed(job))
        return 0;
    int64_t mib = ((int64_t)needs->gpu_mem_peak_mib - needs->gpu_mem_mib) * placement->gpus_held;
    if (placement->slice_group == 0 || placement->keeps != HS_KEEPS_NOTHING)
        return mib;
    uint64_t away_q32 = placement->is_active ? HS_Q32_ONE - placement->share_q32 : HS_Q32_ONE;
    return mib +
           (int64_t)hs_q32_mul(away_q32, (uint64_t)persistent_mib(e, job) * placement->gpus_held);
}

void hs_gpu_memory_settle(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (job->placement == 0) /* it takes nothing anywhere */
        return;
    placement->mem_factor_q32 = HS_Q32_ONE;
    if (needs->gpu_mem_mib < needs->gpu_mem_peak_mib && e->config.memcurve != NULL)
        placement->mem_factor_q32 =
            hs_memcurve_q32(e->config.memcurve,
                            hs_intern_text(&e->names, hs_training_profile_of(&e->jobs, job)->model),
                            needs->gpu_mem_mib, needs->gpu_mem_peak_mib);
    placement->host_mib = host_mib(e, job);
}

/* ---- utilization of slice groups ---- */

static bool is_busy(const struct hs_job *job, const struct hs_job_placement *placement)
{
    return placement->is_active && job->gpu_util_pm > 0;
}

/* What one job makes of a GPU in its turn, Q32. */
static uint64_t busy_q32(const struct hs_job *job, const struct hs_job_placement *placement)
{
    return placement->cap_q32 * (uint64_t)job->gpu_util_pm / 1000;
}

static uint64_t idle_beside_q32(uint64_t idle_q32, uint64_t more_q32)
{
    return more_q32 < HS_Q32_ONE ? hs_q32_mul(idle_q32, HS_Q32_ONE - more_q32) : 0;
}

struct slice_group {
    uint32_t number;
    uint32_t gpus;       /* of the node, on which it has jobs */
    uint64_t shares_q32; /* of its active coscheduled sets, summed over these GPUs */
    uint64_t joint_q32;  /* utilization of each of these GPUs */
    uint64_t sum_q32;    /* the same with the jobs of a set added up */
};

/* Slice groups of a node that were counted last. */
#define GROUPS_KEPT 8u
struct slice_groups {
    struct slice_group of[GROUPS_KEPT];
    uint32_t count;
};

/* Joint and summed utilization of the jobs of a coscheduled set on one GPU, from its first
 * allocation there, in their turn. A job of no set is a set of its own. */
static void add_coscheduled_set(const struct hs_engine *e, const struct hs_allocation *from,
                                struct slice_group *slice_group)
{
    const struct hs_job_placement *first = hs_tenant_placement(e, from);
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0;
    for (const struct hs_allocation *a = from; a != NULL;
         a = next_of_set(e, a, first->coscheduled_set)) {
        const struct hs_job *job = hs_tenant(e, a);
        const struct hs_job_placement *placement = hs_tenant_placement(e, a);
        if (!is_same_set(first, placement) || !is_busy(job, placement))
            continue;
        idle_q32 = idle_beside_q32(idle_q32, busy_q32(job, placement));
        sum_q32 += busy_q32(job, placement);
    }
    slice_group->shares_q32 += first->share_q32;
    slice_group->joint_q32 += hs_q32_mul(first->share_q32, HS_Q32_ONE - idle_q32);
    slice_group->sum_q32 += hs_q32_mul(first->share_q32, sum_q32);
}

static void slice_group_count(struct hs_engine *e, const struct hs_node *node, uint32_t number,
                              struct slice_group *slice_group)
{
    *slice_group = (struct slice_group){.number = number};
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        const struct hs_allocation *first = hs_gpu_first(e, &e->gpus[id]);
        bool is_on = false;
        for (const struct hs_allocation *a = first; a != NULL; a = hs_gpu_next(e, a)) {
            const struct hs_job_placement *placement = hs_tenant_placement(e, a);
            if (placement->slice_group != number)
                continue;
            is_on = true;
            if (placement->is_active && !is_repeated_set(e, first, a, true))
                add_coscheduled_set(e, a, slice_group);
        }
        slice_group->gpus += is_on;
    }
    /* from the end of a job to the decision on it the shares of the others are those of before */
    if (e->plan.is_applying && slice_group->shares_q32 > slice_group->gpus * HS_Q32_ONE)
        hs_plan_refuse(&e->plan, HS_NO_JOB,
                       "shares of lane %u on node '%s' add up to more than its %u GPUs", number,
                       node->name, slice_group->gpus);
    slice_group->joint_q32 /= slice_group->gpus;
    slice_group->sum_q32 /= slice_group->gpus;
}

static const struct slice_group *slice_group_of(struct hs_engine *e, uint32_t n, uint32_t number,
                                                struct slice_groups *slice_groups)
{
    uint32_t kept = slice_groups->count < GROUPS_KEPT ? slice_groups->count : GROUPS_KEPT;
    for (uint32_t i = 0; i < kept; i++)
        if (slice_groups->of[i].number == number)
            return &slice_groups->of[i];
    struct slice_group *slice_group = &slice_groups->of[slice_groups->count++ % GROUPS_KEPT];
    slice_group_count(e, &e->cluster->nodes[n], number, slice_group);
    return slice_group;
}

/* ---- utilization of one GPU ---- */

void hs_utilization_remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm)
{
    struct hs_util_change *last =
        &memory->changes[(memory->count + HS_UTIL_KEPT - 1) % HS_UTIL_KEPT];
    uint64_t sum = last->sum_pm_us + (uint64_t)(now_us - last->at_us) * last->pm;
    if (memory->count == 0 || last->at_us != now_us)
        last = &memory->changes[memory->count++ % HS_UTIL_KEPT];
    *last = (struct hs_util_change){.at_us = now_us, .sum_pm_us = sum, .pm = pm};
}

static uint32_t pm_of(uint64_t q32)
{
    uint64_t pm = (q32 * 1000 + HS_Q32_ONE / 2) >> 32;
    return pm < 1000 ? (uint32_t)pm : 1000;
}

/* slice_groups: those of its node that were counted; NULL where it has none. */
static void gpu_work_out(struct hs_engine *e, uint32_t id, struct slice_groups *slice_groups)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    const struct hs_allocation *first = hs_gpu_first(e, gpu);
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0, background_q32 = 0;
    for (const struct hs_allocation *a = first; a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        const struct hs_job_placement *placement = hs_tenant_placement(e, a);
        uint64_t joint, sum;
        if (placement->slice_group > 0) {
            if (is_repeated_group(e, first, a))
                continue;
            const struct slice_group *slice_group =
                slice_group_of(e, gpu->node, placement->slice_group, slice_groups);
            joint = slice_group->joint_q32;
            sum = slice_group->sum_q32;
        } else {
            if (!is_busy(job, placement))
                continue;
            joint = sum = hs_q32_mul(busy_q32(job, placement), placement->share_q32);
        }
        sum_q32 += sum;
        if (placement->is_background ||
            hs_job_is_part(job)) /* beside the others, on what is its own */
            background_q32 += joint;
        else
            idle_q32 = idle_beside_q32(idle_q32, joint);
    }
    hs_utilization_set(e, id, pm_of(HS_Q32_ONE - idle_q32 + background_q32), pm_of(sum_q32));
}

void hs_utilization_mark(struct hs_engine *e, uint32_t node)
{
    if (e->is_marked[node])
        return;
    e->is_marked[node] = true;
    e->marked_nodes[e->marked_count++] = node;
}

void hs_utilization_refresh(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    const struct hs_allocation *first = hs_gpu_first(e, gpu);
    if (gpu->laned > 0) {
        hs_utilization_mark(e, gpu->node);
    } else if (!e->has_utilization) {
        return;
    } else if (first == NULL) { /* the usual two cases need no arithmetic */
        hs_utilization_set(e, id, 0, 0);
    } else if (gpu->tenants == 1 && hs_utilization_is_plain(hs_tenant_placement(e, first))) {
        uint32_t pm = hs_utilization_alone_pm(hs_tenant(e, first));
        hs_utilization_set(e, id, pm, pm);
    } else {
        gpu_work_out(e, id, NULL);
    }
}

enum hs_status hs_utilization_settle(struct hs_engine *e)
{
    while (e->marked_count > 0) {
        uint32_t n = e->marked_nodes[--e->marked_count];
        const struct hs_node *node = &e->cluster->nodes[n];
        struct slice_groups slice_groups;
        slice_groups.count = 0;
        e->is_marked[n] = false;
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++)
            gpu_work_out(e, id, &slice_groups);
    }
    return e->plan.refused;
}

uint32_t hs_utilization_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us)
{
    const struct hs_util_memory *memory = &e->util_memory[gpu];
    int64_t from_us = e->now_us > window_us ? e->now_us - window_us : 0;
    if (memory->count == 0 || from_us == e->now_us)
        return e->gpus[gpu].util_model_pm;
    uint64_t kept = memory->count < HS_UTIL_KEPT ? memory->count : HS_UTIL_KEPT, i = 1;
    const struct hs_util_change *last = &memory->changes[(memory->count - 1) % HS_UTIL_KEPT];
    const struct hs_util_change *old = last;
    while (old->at_us > from_us && i < kept)
        old = &memory->changes[(memory->count - ++i) % HS_UTIL_KEPT];
    uint64_t sum = last->sum_pm_us + (uint64_t)(e->now_us - last->at_us) * last->pm;
    if (old->at_us <= from_us)
        sum -= old->sum_pm_us + (uint64_t)(from_us - old->at_us) * old->pm;
    else if (memory->count > HS_UTIL_KEPT) { /* what was before is forgotten */
        sum -= old->sum_pm_us;
        from_us = old->at_us;
    }
    if (from_us == e->now_us)
        return last->pm;
    uint64_t span_us = (uint64_t)(e->now_us - from_us);
    return (uint32_t)((sum + span_us / 2) / span_us);
}

bool hs_utilization_leaves_room(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    uint64_t sum_q32 = 0;
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        const struct hs_job_placement *placement = hs_tenant_placement(e, a);
        if (is_busy(job, placement))
            sum_q32 += hs_q32_mul(busy_q32(job, placement), placement->share_q32);
    }
    return sum_q32 <= HS_Q32_ONE;
}
