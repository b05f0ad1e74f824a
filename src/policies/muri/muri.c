/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Muri: jobs of one gang size interleave the stages of their iterations on the same GPUs, up to
 * four of them, chosen by a matching of greatest weight.
 *
 *     at each submission and end
 *         in order of remaining GPU time (or of attained GPU time), each job that fits alone by
 *             number on what is left brings up to three of its gang size, those next in the order
 *         while these need more GPUs than there are: the groups of each gang size are matched by
 *             how busy each pair of them would keep the resources, and merged
 *         a group that is slower than its members one after the other is taken apart
 *         in order of their first members groups get GPUs; a group with a running member gets
 *             those of that member, where none before it needs them
 *         a job without any then waits; one that starts again, or moves, pays a restart
 *
 * Cost of a decision: O(live jobs x kinds of groups); and for each gang size, unless it has as many
 * groups of each kind as shortly before, a matching by kinds of groups (muri_match.h).
 */
#include "policies/muri/muri.h"

static const char *const know_names[] = {"duration", "nothing", NULL};
static const char *const matching_names[] = {"blossom", "neighbours", NULL};
static const char *const order_names[] = {"best", "worst", NULL};
static const char *const compat_names[] = {"off", "muri", NULL};

#define RESTART_US INT64_C(10000000) /* of a model that the table lacks, run_sim.py */
/* Behind all ties that a decision gives. */
#define NEWCOMER ((uint64_t)(HS_JOB_GPUS_MAX + 1) << 32)

/* ---- the order ---- */

static int64_t held_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_muri_scratch *j = hs_muri_of(v, job);
    return j->held_us + (j->first_allocation != 0 ? hs_view_now_us(v) - j->since_us : 0);
}

/* compat=muri: what the group's restarts, counted at each event, take from a job that ran. */
static int64_t lose(const struct hs_muri *m, const struct hs_view *v, struct hs_plan *p,
                    hs_job_id job, int64_t since_us)
{
    const struct hs_muri_scratch *j = hs_muri_of(v, job);
    if (!m->compat || j->first_allocation == 0)
        return 0;
    const int64_t us = j->lost_us < since_us ? j->lost_us : since_us;
    const int64_t work_us = (int64_t)((hs_u128)(uint64_t)us * j->rate_q32 >> 32);
    if (work_us > 0)
        hs_plan_lose_work(p, job, (uint64_t)work_us);
    return work_us;
}

static int64_t key_of(const struct hs_muri *m, const struct hs_view *v, hs_job_id job,
                      int64_t lost_us)
{
    const struct hs_muri_scratch *j = hs_muri_of(v, job);
    int64_t us = held_us(v, job);
    if (m->know == HS_MURI_DURATION) {
        us = hs_view_remaining_us(v, job) + lost_us;
        if (m->compat && j->is_old) /* a new job is looked at as the trace has it */
            us += (int64_t)((hs_u128)(uint64_t)us * (uint64_t)(j->iteration.overhead_pm - 1000) /
                            1000);
    }
    const int64_t gpus = hs_view_gpus(v, job);
    return us > INT64_MAX / gpus ? INT64_MAX : us * gpus;
}

static bool precedes(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *ctx)
{
    const struct hs_muri_scratch *x = hs_muri_of(v, a), *y = hs_muri_of(v, b);
    (void)ctx;
    return x->key != y->key ? x->key < y->key : x->tie < y->tie;
}

/* ---- placement ---- */

static const char moved_text[] = "its group is placed anew";

static void release(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    struct hs_muri_scratch *j = hs_muri_of(v, job);
    j->held_us = held_us(v, job);
    hs_plan_reason(p, "other groups come first in the order");
    hs_plan_preempt(p, job, m->compat ? 0 : hs_cost_us(&m->cost, v, job));
    hs_plan_reason(p, NULL);
    hs_allocation_map_drop(&m->map, &j->first_allocation);
}

/* A job that has GPUs, which it loses in this decision, moves. */
static bool place(const struct hs_muri *m, const struct hs_view *v, struct hs_plan *p,
                  hs_job_id job)
{
    hs_plan_reason(p, hs_job_waits(v, job) ? NULL : moved_text);
    return hs_place(v, p, job, m->placement);
}

/* Takes all that do not stay off their GPUs. */
static void release_others(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p,
                           uint32_t vc)
{
    HS_EACH_CHAINED(job, &m->lists[vc], v)
        if (hs_muri_of(v, job)->first_allocation != 0 && !hs_muri_of(v, job)->is_staying)
            release(m, v, p, job);
}

/* The GPUs that the plan gave to the job last. */
static void note_gpus(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    struct hs_muri_scratch *j = hs_muri_of(v, job);
    hs_allocation_map_add_planned(&m->map, p, job, &j->first_allocation);
    j->since_us = hs_view_now_us(v);
}

/* Starts a job beside one that holds GPUs, where their CPUs, memory and quota allow that. */
static void start_beside(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p,
                         hs_job_id job, hs_job_id holder)
{
    const struct hs_map_entry *all = m->map.allocations;
    const uint32_t first = hs_muri_of(v, holder)->first_allocation;
    uint32_t node = HS_NO_NODE, workers = 0;
    if (hs_view_quota_room(v, hs_view_vc(v, job)) < hs_view_gpus(v, job))
        return;
    for (uint32_t h = first; h != 0; h = all[h].next_of_job) {
        const uint32_t at = hs_view_gpu_node(v, all[h].gpu);
        workers = at == node ? workers + 1 : 1;
        node = at;
        if (!hs_view_may_join(v, all[h].gpu, job) || !hs_view_may_use(v, job, node) ||
            hs_view_node_workers(v, job, node) < workers)
            return;
    }
    hs_plan_reason(p, hs_job_waits(v, job) ? NULL : moved_text);
    hs_plan_start(p, job);
    for (uint32_t h = first; h != 0; h = all[h].next_of_job)
        hs_plan_on_gpu(p, all[h].gpu);
    note_gpus(m, v, p, job);
}

/* The GPUs of two jobs are the same, or apart. */
static bool holds_same(const struct hs_muri *m, const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    const struct hs_map_entry *all = m->map.allocations;
    uint32_t h = hs_muri_of(v, a)->first_allocation;
    for (h = h != 0 ? m->map.on_gpu[all[h].gpu] : 0; h != 0; h = all[h].next_on_gpu)
        if (all[h].job == b)
            return true;
    return false;
}

/* Members stay where the first of them runs whose GPUs no group before it took. */
static void anchor(const struct hs_muri *m, const struct hs_view *v, struct hs_muri_group *g)
{
    for (uint32_t i = 0; i < g->count && g->anchor == HS_NO_JOB; i++) {
        const uint32_t h = hs_muri_of(v, g->members[i])->first_allocation;
        if (h == 0)
            continue;
        const uint32_t first = m->map.on_gpu[m->map.allocations[h].gpu];
        struct hs_muri_scratch *of_set = hs_muri_of(v, m->map.allocations[first].job);
        if (!of_set->is_claimed)
            g->anchor = g->members[i];
        of_set->is_claimed = true;
    }
    for (uint32_t i = 0; i < g->count && g->anchor != HS_NO_JOB; i++)
        hs_muri_of(v, g->members[i])->is_staying = holds_same(m, v, g->members[i], g->anchor);
}

/* Makes room for a job: groups behind it, the last first, leave their GPUs, and look for others
 * when it is their turn. */
static bool place_before(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t at,
                         hs_job_id job)
{
    bool is_placed = place(m, v, p, job);
    for (uint32_t i = m->count; i-- > at + 1 && !is_placed;) {
        struct hs_muri_group *g = &m->groups[i];
        if (g->anchor == HS_NO_JOB)
            continue;
        for (uint32_t k = 0; k < g->count; k++)
            if (hs_muri_of(v, g->members[k])->is_staying) {
                hs_muri_of(v, g->members[k])->is_staying = false;
                release(m, v, p, g->members[k]);
            }
        g->anchor = HS_NO_JOB;
        is_placed = place(m, v, p, job);
    }
    if (is_placed)
        note_gpus(m, v, p, job);
    return is_placed;
}

/* compat=muri: how fast the members run until the next event, and what it will cost them. */
static void note_costs(const struct hs_muri *m, const struct hs_view *v, struct hs_plan *p,
                       const struct hs_muri_group *g)
{
    uint32_t kinds[HS_INTERLEAVED_MOST], count = 0;
    int64_t lost_us = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct hs_muri_scratch *j = hs_muri_of(v, g->members[i]);
        const int64_t restart_us = hs_view_restart_us(v, g->members[i]);
        if (j->first_allocation == 0)
            continue;
        kinds[count++] = j->iteration.kind;
        lost_us += restart_us >= 0 ? restart_us : RESTART_US;
    }
    const int64_t period = hs_view_period_ns(v, kinds, count, m->order != 0);
    for (uint32_t i = 0; i < g->count && count > 0; i++) {
        struct hs_muri_scratch *j = hs_muri_of(v, g->members[i]);
        if (j->first_allocation == 0)
            continue;
        const uint64_t cap_q32 = (UINT64_C(1000) << 32) / (uint64_t)j->iteration.overhead_pm;
        j->lost_us = lost_us;
        j->rate_q32 =
            (uint64_t)((hs_u128)cap_q32 * (uint64_t)j->iteration.alone_ns / (uint64_t)period);
        hs_plan_cap(p, g->members[i], cap_q32);
    }
}

static void place_all(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint64_t room)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct hs_muri_group *g = &m->groups[i];
        hs_job_id holder = g->anchor;
        if (g->gang > room)
            continue;
        if (holder == HS_NO_JOB) {
            holder = g->members[0];
            if (!place_before(m, v, p, i, holder)) {
                (void)hs_reject_hopeless(v, p, holder);
                continue;
            }
        }
        room -= g->gang;
        for (uint32_t k = 0; k < g->count; k++)
            if (g->members[k] != holder && !hs_muri_of(v, g->members[k])->is_staying)
                start_beside(m, v, p, g->members[k], holder);
        if (m->compat)
            note_costs(m, v, p, g);
    }
}

/* ---- decisions ---- */

/* GPUs that the jobs of the VC hold. */
static uint64_t gpus_held(const struct hs_muri *m, const struct hs_view *v, uint32_t vc)
{
    uint64_t held = 0;
    HS_EACH_CHAINED(job, &m->lists[vc], v) {
        const uint32_t h = hs_muri_of(v, job)->first_allocation;
        if (h != 0 && m->map.on_gpu[m->map.allocations[h].gpu] == h) /* once a group */
            held += hs_view_gpus(v, job);
    }
    return held;
}

static void decide_vc(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct hs_job_chain *list = &m->lists[vc];
    const uint64_t room = hs_vc_queues_room(v, vc) + gpus_held(m, v, vc);
    const int64_t since_us = hs_view_now_us(v) - m->decided_us[vc];
    m->decided_us[vc] = hs_view_now_us(v);
    if (m->compat)
        hs_plan_reason(p, hs_compat_lost_text);
    HS_EACH_CHAINED(job, list, v)
        hs_muri_of(v, job)->key = key_of(m, v, job, lose(m, v, p, job, since_us));
    hs_job_chain_sort(list, v, precedes, NULL);
    hs_plan_reason(p, NULL);
    if (m->compat)
        release_others(m, v, p, vc);
    hs_muri_group(m, v, p, vc, room);
    if (!m->compat) {
        for (uint32_t i = 0; i < m->count; i++)
            anchor(m, v, &m->groups[i]);
        release_others(m, v, p, vc);
    }
    place_all(m, v, p, room);
    hs_plan_reason(p, NULL);
    if (m->misfit != HS_NO_JOB)
        (void)hs_reject_hopeless(v, p, m->misfit);
    for (hs_job_id job = list->first; m->compat && job != HS_NO_JOB;
         job = hs_muri_of(v, job)->chain.after) { /* a list sorted by gang, stably */
        struct hs_muri_scratch *j = hs_muri_of(v, job);
        j->tie = (uint64_t)(HS_JOB_GPUS_MAX - hs_view_gpus(v, job)) << 32 | j->place;
        j->is_old = true;
    }
}

static enum hs_status muri_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_muri *m = state;
    hs_vc_queues_scan(&m->cpu_jobs, v, p, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT});
    for (uint32_t vc = 0; vc < m->vcs; vc++) {
        if (m->is_awake[vc])
            decide_vc(m, v, p, vc);
        m->is_awake[vc] = false;
    }
    return HS_OK;
}

static void muri_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_muri *m = state;
    const hs_job_id job = event->job;
    if (event->kind == HS_EVENT_NODE)
        hs_wake(m->is_awake, m->vcs, v, job);
    if (event->kind == HS_EVENT_NODE || hs_view_gpus(v, job) == 0) {
        hs_vc_queues_event(&m->cpu_jobs, v, event, 0);
        return;
    }
    struct hs_muri_scratch *j = hs_muri_of(v, job);
    struct hs_job_chain *list = &m->lists[hs_view_vc(v, job)];
    const bool has_lost = event->kind == HS_EVENT_STOPPED && j->first_allocation != 0;
    if (event->kind == HS_EVENT_SUBMIT) {
        j->iteration = hs_view_iteration(v, job);
        j->kinds = j->iteration.kind + UINT64_C(1);
        j->ask = hs_view_ask_hash(v, job);
        j->tie = m->compat ? NEWCOMER + m->arrivals++ : 0;
        hs_job_chain_insert(list, v, job, list->last);
    } else if (event->kind == HS_EVENT_FINISH) {
        hs_job_chain_remove(list, v, job);
    }
    if (event->kind == HS_EVENT_FINISH || has_lost) { /* or its GPU ran out of memory */
        j->held_us = held_us(v, job);
        j->kinds = hs_view_ooms(v, job) == 0 ? j->kinds : 0;
        hs_allocation_map_drop(&m->map, &j->first_allocation);
    }
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_FINISH || has_lost)
        hs_wake(m->is_awake, m->vcs, v, job);
}

/* ---- the policy ---- */

static enum hs_status muri_init(void *state, const struct hs_view *v)
{
    struct hs_muri *m = state;
    hs_allocation_map_init(&m->map, v);
    const uint64_t most = (uint64_t)m->map.gpus * HS_INTERLEAVED_MOST;
    const uint32_t matched = most < HS_MURI_MATCHED ? (uint32_t)most : HS_MURI_MATCHED;
    m->vcs = v->vcs;
    m->lists = hs_view_alloc(v, m->vcs * sizeof *m->lists);
    m->is_awake = hs_view_alloc(v, m->vcs * sizeof *m->is_awake);
    m->decided_us = hs_view_alloc(v, m->vcs * sizeof *m->decided_us);
    m->groups = hs_view_alloc(v, most * sizeof *m->groups);
    m->merged = hs_view_alloc(v, most * sizeof *m->merged);
    m->by_class = hs_view_alloc(v, most * sizeof *m->by_class);
    m->gangs = hs_view_alloc(v, m->map.gpus * sizeof *m->gangs);
    m->last_of_gang = hs_view_alloc(v, ((uint64_t)HS_JOB_GPUS_MAX + 1) * sizeof *m->last_of_gang);
    for (uint32_t i = 0; i <= HS_JOB_GPUS_MAX; i++)
        m->last_of_gang[i] = HS_NO_JOB;
    for (uint32_t vc = 0; vc < m->vcs; vc++)
        m->lists[vc] = hs_job_chain_empty(offsetof(struct hs_muri_scratch, chain));
    hs_match_open(&m->match, hs_view_alloc(v, hs_match_bytes(matched)), matched);
    m->match.tolerance = m->compat ? 1e-5 : 0; /* math.isclose in matching.py */
    for (uint32_t i = 0; i < 2; i++)
        m->periods[i] = hs_view_alloc(v, HS_MURI_PERIODS * sizeof *m->periods[i]);
    m->classes = hs_view_alloc(v, sizeof *m->classes);
    m->pairs = hs_view_alloc(v, HS_MURI_PAIRS * sizeof *m->pairs);
    if (m->compat)
        m->scores = hs_view_alloc(v, HS_MURI_SCORES * sizeof *m->scores);
    m->solved = hs_view_alloc(v, HS_MURI_SOLVED * sizeof *m->solved);
    hs_vc_queues_init(&m->cpu_jobs, v, HS_SCAN_FIT);
    if (m->order != 0)
        hs_view_worst_order(v);
    return HS_OK;
}

static void muri_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_muri *m = state;
    if (m->know == HS_MURI_NOTHING)
        *knows &= ~(uint32_t)HS_KNOWS_DURATION;
    if (!m->compat)
        *can &= ~(uint32_t)HS_CAN_THROTTLE;
    hs_place_needs(m->placement, knows);
}

static uint32_t muri_tenants(const void *state)
{
    return (uint32_t)((const struct hs_muri *)state)->cap;
}

static void muri_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_muri *m = state;
    *out = (struct hs_semantics){
        .order = m->know == HS_MURI_DURATION ? "remaining x GPUs" : "attained x GPUs",
        .scan = "fit",
        .placement = hs_place_text(m->placement),
        .preemption = "replace",
        .cost = hs_cost_text(&m->cost, m->compat),
        .ties = m->compat ? "gang size, then as the decision before" : NULL};
}

static const char *muri_check(const void *state, const struct hs_view *v)
{
    const struct hs_muri *m = state;
    const char *fault = hs_allocation_map_check(&m->map, v);
    return fault != NULL ? fault : hs_vc_queues_check(&m->cpu_jobs, v);
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(struct hs_muri, know, "know", "duration", know_names,
                    "order: remaining GPU time (Muri-S), or attained GPU time (Muri-L)",
                    .source = "Zhao et al. SIGCOMM'22"),
    HS_PARAM_CHOICE(
        struct hs_muri, matching, "matching", "blossom", matching_names,
        "which jobs share GPUs: a matching of maximum weight, or neighbours in the order",
        .source = "Zhao et al. SIGCOMM'22, Figure 11"),
    HS_PARAM_CHOICE(struct hs_muri, order, "order", "best", order_names,
                    "order in which the members of a group interleave: that of the shortest or the "
                    "longest period",
                    .source = "Zhao et al. SIGCOMM'22, Figure 11"),
    HS_PARAM_INT(struct hs_muri, cap, "cap", "4", 1, HS_INTERLEAVED_MOST,
                 "most jobs on the same GPUs", .source = "Zhao et al. SIGCOMM'22, Figure 12"),
    HS_PARAM_REAL(
        struct hs_muri, lambda, "lambda", "0", 0, 4,
        "two groups are merged only if their score is above this times a quarter of their members"),
    HS_PARAM_FLAG(struct hs_muri, is_unpacking, "unpack", "yes",
                  "dissolve a group that is slower than its members one after the other"),
    HS_PLACEMENT_PARAM(struct hs_muri, placement),
    HS_COST_PARAMS(struct hs_muri, cost),
    HS_PARAM_CHOICE(struct hs_muri, compat, "compat", "off", compat_names,
                    "deviations of the released simulator: iterations of a job alone take 1.5 % "
                    "longer, and at every event each running job loses the restart times of its "
                    "whole group (use with placement=yarn)",
                    .source = "Rivendile/Muri 4e69a78"),
    {0}};

const struct hs_policy_ops hs_policy_muri = {
    .name = "muri",
    .summary = "groups of jobs, chosen by a matching, interleave the stages of their iterations",
    .cite = "Zhao et al., Multi-Resource Interleaving for Deep Learning Training, SIGCOMM'22",
    .can = HS_CAN_PREEMPT | HS_CAN_COLOCATE | HS_CAN_INTERLEAVE | HS_CAN_THROTTLE,
    .knows = HS_KNOWS_DURATION | HS_KNOWS_STAGES | HS_KNOWS_SPEED,
    .params = params,
    HS_POLICY_HOOKS(muri, struct hs_muri, struct hs_muri_scratch),
    .tenants = muri_tenants,
};
