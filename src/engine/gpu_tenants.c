/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Combined use of a GPU by its tenants (MODEL.md 5, 6).
 *
 * Memory: outside slice groups the demands add up; the jobs of a group take turns, so they need the
 * sum of what each keeps and the largest remainder of those that may run. Computed for the memory
 * in use, and for the claims that plans use.
 *
 * Utilization: current, and over the last seconds. A job keeps each of its GPUs busy for its
 * utilization when alone x its rate relative to alone: it follows from the rates, and the integral
 * over time from the work done. In integers, to 2^-32.
 */
#include "engine/state.h"

static bool is_same_set(const struct hs_job_placement *a, const struct hs_job_placement *b)
{
    return a->slice_group == b->slice_group && a->coscheduled_set == b->coscheduled_set;
}

/* Returns the next allocation of the GPU that may be of the same coscheduled set, or NULL. */
static const struct hs_allocation *next_of_set(const struct hs_engine *e,
                                               const struct hs_allocation *a, uint32_t set)
{
    return set > 0 ? hs_gpu_next(e, a) : NULL;
}

/* Tells whether an allocation in [from, a) belongs to the same slice group. */
static bool is_repeated_group(const struct hs_engine *e, const struct hs_allocation *from,
                              const struct hs_allocation *a)
{
    const uint32_t slice_group = hs_tenant_placement(e, a)->slice_group;
    while (from != a && hs_tenant_placement(e, from)->slice_group != slice_group)
        from = hs_gpu_next(e, from);
    return from != a;
}

/* The same for its coscheduled set; optionally only for running tenants. */
static bool is_repeated_set(const struct hs_engine *e, const struct hs_allocation *from,
                            const struct hs_allocation *a, bool only_running)
{
    const struct hs_job_placement *own = hs_tenant_placement(e, a);
    for (; own->coscheduled_set > 0 && from != a; from = hs_gpu_next(e, from)) {
        if (is_same_set(own, hs_tenant_placement(e, from)) &&
            (hs_tenant(e, from)->state == HS_JOB_RUNNING || !only_running))
            return true;
    }
    return false;
}

/* ---- memory ---- */

/* Memory used during a tenant's turn, and the part kept while others of its slice group run: MiB,
 * or the number of jobs on the GPU. */
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

/* A job that never shares runs alone in its turn if the others keep nothing. */
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
    case HS_NEED_RESIDENT: /* either keeps memory all the time, or only in its turn */
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

/* Returns the maximum, over the coscheduled sets of a slice group from this allocation on, of the
 * memory beyond what their jobs keep. */
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
    if (from != NULL && from->next_on_gpu == HS_NO_ALLOCATION) { /* usual case */
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
    bool is_away = job->state == HS_JOB_PAUSED || placement->is_waiting;
    uint64_t away_q32 = is_away ? HS_Q32_ONE : HS_Q32_ONE - placement->share_q32;
    return mib +
           (int64_t)hs_q32_mul(away_q32, (uint64_t)persistent_mib(e, job) * placement->gpus_held);
}

void hs_gpu_memory_settle(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    if (job->placement == 0) /* uses nothing */
        return;
    placement->mem_factor_q32 = HS_Q32_ONE;
    if (needs->gpu_mem_mib < needs->gpu_mem_peak_mib && e->config.memcurve != NULL)
        placement->mem_factor_q32 =
            hs_memcurve_q32(e->config.memcurve,
                            hs_intern_text(&e->names, hs_training_profile_of(&e->jobs, job)->model),
                            needs->gpu_mem_mib, needs->gpu_mem_peak_mib);
    placement->host_mib = host_mib(e, job);
}

/* ---- shares of slice groups ---- */

struct slice_group {
    uint32_t number;
    uint32_t gpus;       /* of the node, on which it has jobs */
    uint64_t shares_q32; /* sum over these GPUs of the shares of its running coscheduled sets */
};

/* Adds the shares of a tenant's group on its GPU. */
static void add_shares(const struct hs_engine *e, const struct hs_allocation *first,
                       struct slice_group *slice_group)
{
    bool is_on = false;
    for (const struct hs_allocation *a = first; a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job_placement *placement = hs_tenant_placement(e, a);
        if (placement->slice_group != slice_group->number)
            continue;
        is_on = true;
        if (hs_tenant(e, a)->state == HS_JOB_RUNNING && !is_repeated_set(e, first, a, true))
            slice_group->shares_q32 += placement->share_q32;
    }
    slice_group->gpus += is_on;
}

static void slice_group_check(struct hs_engine *e, const struct hs_node *node, uint32_t number)
{
    struct slice_group slice_group = {.number = number};
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++)
        add_shares(e, hs_gpu_first(e, &e->gpus[id]), &slice_group);
    if (slice_group.shares_q32 > slice_group.gpus * HS_Q32_ONE)
        hs_plan_refuse(&e->plan, HS_NO_JOB,
                       "shares of lane %u on node '%s' add up to more than its %u GPUs", number,
                       node->name, slice_group.gpus);
}

void hs_utilization_mark(struct hs_engine *e, uint32_t node)
{
    if (e->is_marked[node])
        return;
    e->is_marked[node] = true;
    e->marked_nodes[e->marked_count++] = node;
}

/* Groups already checked on a node. */
#define GROUPS_KEPT 8u

static void node_check(struct hs_engine *e, const struct hs_node *node)
{
    uint32_t checked[GROUPS_KEPT] = {0}, count = 0;
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        const struct hs_allocation *first = hs_gpu_first(e, &e->gpus[id]);
        for (const struct hs_allocation *a = first; a != NULL; a = hs_gpu_next(e, a)) {
            const uint32_t number = hs_tenant_placement(e, a)->slice_group;
            uint32_t at = 0;
            while (at < GROUPS_KEPT && checked[at] != number)
                at++;
            if (number == 0 || at < GROUPS_KEPT)
                continue;
            slice_group_check(e, node, number);
            checked[count++ % GROUPS_KEPT] = number;
        }
    }
}

enum hs_status hs_utilization_settle(struct hs_engine *e)
{
    while (e->marked_count > 0) {
        const uint32_t n = e->marked_nodes[--e->marked_count];
        e->is_marked[n] = false;
        if (e->plan.is_applying) /* between the end of a job and the decision shares are outdated */
            node_check(e, &e->cluster->nodes[n]);
    }
    return e->plan.refused;
}

/* ---- utilization of one GPU ---- */

/* Appends the utilization from now on to the history. */
static void remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm)
{
    struct hs_util_change *last =
        &memory->changes[(memory->count + HS_UTIL_KEPT - 1) % HS_UTIL_KEPT];
    uint64_t sum = last->sum_pm_us + (uint64_t)(now_us - last->at_us) * last->pm;
    if (memory->count == 0 || last->at_us != now_us)
        last = &memory->changes[memory->count++ % HS_UTIL_KEPT];
    *last = (struct hs_util_change){.at_us = now_us, .sum_pm_us = sum, .pm = pm};
}

static uint64_t solo_of(const struct hs_gpu *gpu)
{
    const uint64_t whole_pm_q32 = 1000 * HS_Q32_ONE;
    return gpu->solo_pm_q32 < whole_pm_q32 ? gpu->solo_pm_q32 : whole_pm_q32;
}

/* Changes the sums of a GPU. */
static void gpu_change(struct hs_engine *e, uint32_t id, uint64_t load_more, uint64_t solo_more)
{
    struct hs_gpu *gpu = &e->gpus[id];
    const uint64_t solo_before = solo_of(gpu);
    const uint32_t pm_before = hs_utilization_pm(gpu->load_pm_q32);
    gpu->load_pm_q32 += load_more;
    gpu->solo_pm_q32 += solo_more;
    e->instant.load_pm_q32 += load_more;
    e->instant.solo_pm_q32 += solo_of(gpu) - solo_before;
    const uint32_t pm = hs_utilization_pm(gpu->load_pm_q32);
    if (pm == pm_before)
        return;
    if (e->util_memory != NULL)
        remember(&e->util_memory[id], e->now_us, pm);
    if (e->knows & HS_KNOWS_RATE)
        hs_tentative_refresh(e, id);
}

uint64_t hs_utilization_load_pm_q32(const struct hs_engine *e, const struct hs_job *job,
                                    const struct hs_allocation *a, uint64_t rate_q32,
                                    uint64_t part_q32)
{
    const uint32_t held = hs_placement_of(&e->jobs, job)->gpus_held;
    const uint64_t speed_q32 = hs_speed_alone_q32(e, job, e->cluster->nodes[a->node].type),
                   pm = hs_utilization_alone_pm(job), pm_q32 = pm * rate_q32;
    if (held == job->gpus && speed_q32 == HS_Q32_ONE)
        return pm_q32;
    if (held == job->gpus || job->gpus == 0)
        return (uint64_t)((hs_u128)pm_q32 * HS_Q32_ONE / speed_q32);
    const uint64_t load = (uint64_t)((hs_u128)pm_q32 * job->gpus * HS_Q32_ONE / held / speed_q32),
                   most = hs_q32_mul(pm * part_q32, a->speed_q32);
    return load < most ? load : most;
}

void hs_utilization_book_busy(struct hs_engine *e, const struct hs_job *job, uint64_t rate_q32,
                              uint64_t part_q32)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const uint64_t solo_pm_q32 = hs_utilization_alone_pm(job) * part_q32;
    for (uint32_t s = placement->first_allocation; s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_of_job) {
        struct hs_allocation *a = &e->jobs.allocations[s];
        const uint64_t load_pm_q32 = hs_utilization_load_pm_q32(e, job, a, rate_q32, part_q32);
        const uint64_t load_more = load_pm_q32 - a->load_pm_q32,
                       solo_more = solo_pm_q32 - a->solo_pm_q32;
        if ((load_more | solo_more) == 0)
            continue;
        a->load_pm_q32 = load_pm_q32;
        a->solo_pm_q32 = solo_pm_q32;
        if (e->is_exclusive) {
            e->instant.load_pm_q32 += load_more * a->count;
            e->instant.solo_pm_q32 += solo_more * a->count;
        } else {
            gpu_change(e, a->gpu, load_more, solo_more);
        }
    }
}

uint32_t hs_utilization_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us)
{
    const struct hs_util_memory *memory = &e->util_memory[gpu];
    int64_t from_us = e->now_us > window_us ? e->now_us - window_us : 0;
    if (memory->count == 0 || from_us == e->now_us)
        return hs_utilization_pm(e->gpus[gpu].load_pm_q32);
    uint64_t kept = memory->count < HS_UTIL_KEPT ? memory->count : HS_UTIL_KEPT, i = 1;
    const struct hs_util_change *last = &memory->changes[(memory->count - 1) % HS_UTIL_KEPT];
    const struct hs_util_change *old = last;
    while (old->at_us > from_us && i < kept)
        old = &memory->changes[(memory->count - ++i) % HS_UTIL_KEPT];
    uint64_t sum = last->sum_pm_us + (uint64_t)(e->now_us - last->at_us) * last->pm;
    if (old->at_us <= from_us)
        sum -= old->sum_pm_us + (uint64_t)(from_us - old->at_us) * old->pm;
    else if (memory->count > HS_UTIL_KEPT) { /* older entries are dropped */
        sum -= old->sum_pm_us;
        from_us = old->at_us;
    }
    if (from_us == e->now_us)
        return last->pm;
    uint64_t span_us = (uint64_t)(e->now_us - from_us);
    return (uint32_t)((sum + span_us / 2) / span_us);
}
