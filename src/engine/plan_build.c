/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds the policy's plan: each action is checked when it is appended, and can be rolled back. It
 * changes the tentative state at once (node counts, tenants and claims of GPUs, use of VCs, the
 * index of GPUs that can take one more tenant), from which the view answers as if the plan were
 * applied. The jobs themselves change only in hs_commit. The first illegal action is reported and
 * the whole plan refused. Cost of an action: O(GPUs it moves).
 */
#include "engine/state.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- the tentative state ---- */

bool hs_tentative_is_open(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    return gpu->tentative_tenants < e->config.max_tenants &&
           gpu->mem_claimed_mib < HS_CLAIM_ALONE && !hs_free_is_out(e->free_index, gpu->node);
}

struct hs_load hs_tentative_load(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    /* this plan may have removed a tenant of that time */
    bool is_measured = (e->knows & HS_KNOWS_RATE) != 0 && gpu->tentative_tenants > 0;
    struct hs_load load = {.tenants = gpu->tentative_tenants,
                           .claim_mib = gpu->mem_claimed_mib < UINT32_MAX
                                            ? (uint32_t)gpu->mem_claimed_mib
                                            : UINT32_MAX,
                           .measured_pm = is_measured ? hs_utilization_pm(gpu->load_pm_q32) : 0};
    for (int i = 0; i < HS_LOADS; i++)
        load.sum[i] = gpu->load_sum[i];
    return load;
}

uint32_t hs_tentative_room_milli(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    const bool is_open =
        gpu->part_milli > 0 && !gpu->is_given && !hs_free_is_out(e->free_index, gpu->node);
    return is_open ? HS_GPU_MILLI - gpu->part_milli : 0;
}

void hs_tentative_refresh(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    if (e->parts != NULL)
        hs_part_set(e->parts, id, hs_tentative_room_milli(e, gpu));
    if (e->share == NULL)
        return;
    const bool is_idle = gpu->tentative_tenants == 0 && !hs_free_is_out(e->free_index, gpu->node);
    if (is_idle || !hs_tentative_is_open(e, gpu)) {
        hs_share_close(e->share, id, !is_idle);
        return;
    }
    const struct hs_load load = hs_tentative_load(e, gpu);
    hs_share_open(e->share, id, &load);
}

void hs_tentative_book(struct hs_engine *e, uint32_t id, const struct hs_job *job, int sign)
{
    struct hs_gpu *gpu = &e->gpus[id];
    gpu->tentative_tenants = (uint16_t)(gpu->tentative_tenants + sign);
    gpu->mem_claimed_mib += (uint64_t)(sign * (int64_t)hs_claim_mib(e, job));
    e->releases += sign < 0;
    if ((e->can & HS_CAN_COLOCATE) == 0 && e->parts == NULL) /* only the holder is stored */
        return;
    if (hs_job_is_part(job))
        gpu->part_milli = (uint16_t)(gpu->part_milli + sign * (int)job->ask.gpu_milli);
    for (int i = 0; i < HS_LOADS; i++)
        gpu->load_sum[i] += sign * hs_needs_of(&e->jobs, job)->load[i];
    hs_tentative_refresh(e, id);
}

/* On one node: `edges` GPUs become used or free, `beside` workers share a GPU. */
static void node_change(struct hs_engine *e, uint32_t node, uint32_t edges, uint32_t beside,
                        const struct hs_job *job, bool is_release)
{
    if (edges > 0)
        (is_release ? hs_free_give : hs_free_take)(e->free_index, node, edges, &job->ask);
    if (beside > 0)
        hs_free_book(e->free_index, node, is_release ? -(int64_t)beside : beside, &job->ask);
}

static void change_exclusive(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        e->releases += is_release; /* there may be new room */
        node_change(e, a->node, a->count, 0, job, is_release);
    }
}

/* Consecutive allocations on one node are counted together. */
static void change_allocations(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    uint32_t node = HS_NO_NODE, edges = 0, beside = 0;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        if (a->node != node) {
            node_change(e, node, edges, beside, job, is_release);
            edges = beside = 0;
        }
        node = a->node;
        bool is_edge = e->gpus[a->gpu].tentative_tenants == (is_release ? 1 : 0);
        hs_tentative_book(e, a->gpu, job, is_release ? -1 : 1);
        edges += is_edge;
        beside += !is_edge;
    }
    node_change(e, node, edges, beside, job, is_release);
}

void hs_tentative_change_job(struct hs_engine *e, const struct hs_job *job, bool is_release)
{
    const uint64_t milli = (uint64_t)hs_placement_of(&e->jobs, job)->gpus_held * job->ask.gpu_milli;
    if (e->is_exclusive)
        change_exclusive(e, job, is_release);
    else
        change_allocations(e, job, is_release);
    hs_quota_change(e->cluster, e->vc_held_milli, job->ask.vc,
                    is_release ? -(int64_t)milli : (int64_t)milli);
}

/* Releases one named GPU of a job, idle or shared, and its node in the tentative state, or holds
 * them again. */
static void change_gpu(struct hs_engine *e, uint32_t gpu, const struct hs_job *job, bool is_release)
{
    bool is_edge = e->gpus[gpu].tentative_tenants == (is_release ? 1 : 0);
    hs_tentative_book(e, gpu, job, is_release ? -1 : 1);
    node_change(e, e->gpus[gpu].node, is_edge, !is_edge, job, is_release);
}

void hs_tentative_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib)
{
    const uint32_t before_mib = hs_claim_mib(e, job);
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        e->gpus[a->gpu].mem_claimed_mib += (uint64_t)claim_mib - before_mib;
        e->releases += claim_mib < before_mib;
        hs_tentative_refresh(e, a->gpu);
    }
    hs_job_set_claim(&e->jobs, job, claim_mib);
}

/* ---- actions ---- */

#define PLAN_MAX (1u << 28)

bool hs_plan_refuse(struct hs_plan *p, hs_job_id job, const char *fmt, ...)
{
    struct hs_engine *e = p->engine;
    if (p->refused != HS_OK)
        return false;
    char rule[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(rule, sizeof rule, fmt, args);
    va_end(args);
    const char *id = hs_engine_has_job(e, job) ? hs_id_of(&e->jobs.identities[job]) : "?";
    p->refused = hs_fail(e->diag, HS_E_POLICY, NULL,
                         "this is a fault of the policy, not of the input; the run was stopped",
                         "policy '%s', job '%s', t = %.6f s: %s", e->policy->name, id,
                         (double)e->now_us / 1e6, rule);
    return false;
}

/* Makes the GPUs named by the action available again. */
static inline void plan_settle(struct hs_plan *p, const struct hs_action *a)
{
    struct hs_engine *e = p->engine;
    for (uint32_t i = a->first_pick; p->has_named && i < p->pick_count; i++) {
        const uint32_t id = p->picks[i].gpu;
        if (id == UINT32_MAX)
            continue;
        e->gpus[id].is_given = false;
        if (e->parts != NULL)
            hs_part_set(e->parts, id, hs_tentative_room_milli(e, &e->gpus[id]));
    }
}

/* Once the job has all its shares, the rest of their GPUs becomes available. */
static void plan_settle_shares(struct hs_plan *p, const struct hs_action *a)
{
    const struct hs_job *job = hs_engine_job(p->engine, a->job);
    if (hs_job_is_part(job) && a->gpus == job->gpus)
        plan_settle(p, a);
}

/* Checks that the preceding placement has its whole gang. */
static inline bool plan_close(struct hs_plan *p)
{
    p->is_open = false;
    const struct hs_action *a = &p->actions[p->count - 1];
    plan_settle(p, a);
    const struct hs_job *job = hs_engine_job(p->engine, a->job);
    if (a->gpus == job->gpus)
        return true;
    if ((p->engine->can & HS_CAN_RESIZE) != 0 &&
        a->gpus >= hs_job_gpus_min(&p->engine->jobs, job) &&
        a->gpus <= hs_job_gpus_max(&p->engine->jobs, job))
        return true;
    return hs_plan_refuse(p, a->job, "a gang is placed whole or not at all: %u of %u GPUs given",
                          a->gpus, job->gpus);
}

/* The capability required for each action. */
static const struct {
    uint32_t can; /* HS_CAN_x; 0: none */
    const char *name;
} needs[] = {
    [HS_ACT_PREEMPT] = {HS_CAN_PREEMPT, "preempt"},
    [HS_ACT_SUSPEND] = {HS_CAN_PREEMPT, "preempt"},
    [HS_ACT_MIGRATE] = {HS_CAN_MIGRATE, "migrate"},
    [HS_ACT_PAUSE] = {HS_CAN_SLICE, "slice"},
    [HS_ACT_RESUME] = {HS_CAN_SLICE, "slice"},
    [HS_ACT_SLICE] = {HS_CAN_SLICE, "slice"},
    [HS_ACT_CAP] = {HS_CAN_THROTTLE, "throttle"},
    [HS_ACT_BACKGROUND] = {HS_CAN_THROTTLE, "throttle"},
    [HS_ACT_MEM_LIMIT] = {HS_CAN_THROTTLE, "throttle"},
    [HS_ACT_HOST] = {HS_CAN_HOST, "allot CPUs and host memory"},
    [HS_ACT_KILL] = {HS_CAN_PREEMPT, "preempt"},
    [HS_ACT_LOSE_WORK] = {HS_CAN_PREEMPT, "preempt"},
    [HS_ACT_TIMER] = {HS_CAN_TIME, "set timers"},
    [HS_ACT_SET_ASIDE] = {HS_CAN_PROFILE, "profile"},
    [HS_ACT_COUNT] = {0, NULL},
};

static bool may(struct hs_plan *p, hs_job_id job, enum hs_action_kind kind)
{
    return (p->engine->can & needs[kind].can) != 0 || needs[kind].can == 0 ||
           hs_plan_refuse(p, job, "the policy did not declare that it can %s", needs[kind].name);
}

static bool will_be_placed(const struct hs_job *job)
{
    bool is_leaving = (job->plan & (HS_PLAN_RELEASED | HS_PLAN_ENDED)) != 0;
    return (hs_job_is_placed(job) && !is_leaving) || (job->plan & HS_PLAN_PLACED) != 0;
}

static bool is_legal_setting(const struct hs_engine *e, const struct hs_job *job,
                             enum hs_action_kind kind, uint64_t value)
{
    if (kind == HS_ACT_PAUSE || kind == HS_ACT_RESUME)
        return job->state == (kind == HS_ACT_PAUSE ? HS_JOB_RUNNING : HS_JOB_PAUSED) &&
               job->plan == 0;
    if (kind == HS_ACT_HOST)
        return !will_be_placed(job) && (job->plan & HS_PLAN_ENDED) == 0;
    if (kind == HS_ACT_SLICE || kind == HS_ACT_CAP)
        return will_be_placed(job) && value > 0 && value <= HS_Q32_ONE;
    return will_be_placed(job) &&
           (kind != HS_ACT_NOTIFY_STEP ||
            (hs_training_profile_of(&e->jobs, job)->step_ns > 0 && value > 0));
}

/* Returns the rule that an action violates, by the state of its job and the plan; NULL: none. */
HS_INLINE const char *broken_rule(const struct hs_engine *e, const struct hs_job *job,
                                  enum hs_action_kind kind, uint64_t value)
{
    switch (kind) {
    case HS_ACT_START: {
        bool waits = job->state == HS_JOB_PENDING || job->state == HS_JOB_SUSPENDED ||
                     (job->plan & HS_PLAN_RELEASED);
        bool is_legal = waits && !(job->plan & (HS_PLAN_PLACED | HS_PLAN_ENDED));
        return is_legal ? NULL : "only a waiting job can be started";
    }
    case HS_ACT_PREEMPT:
    case HS_ACT_SUSPEND:
    case HS_ACT_MIGRATE:
    case HS_ACT_KILL:
        return hs_job_is_placed(job) && job->plan == 0
                   ? NULL
                   : "only a job that holds GPUs can be taken from them, and once a plan";
    case HS_ACT_ADD_OVERHEAD:
        return job->state != HS_JOB_PAUSED && !(job->plan & HS_PLAN_ENDED) && (int64_t)value >= 0
                   ? NULL
                   : "a cost of at least 0 is owed by a job that lives and is not paused";
    case HS_ACT_LOSE_WORK:
    case HS_ACT_MEM_LIMIT:
        return job->plan & HS_PLAN_ENDED ? "a job that this plan ends gets no memory limit" : NULL;
    case HS_ACT_REJECT:
        return job->state == HS_JOB_PENDING && job->plan == 0
                   ? NULL
                   : "only a job that never started can be rejected";
    default:
        return is_legal_setting(e, job, kind, value)
                   ? NULL
                   : "pause needs a running job, resume a paused one, slice and cap a placed one "
                     "and a value in (0, 1], lane 0 a share of 1, to await a step a placed one of "
                     "known mini-batches, CPUs and host memory one without GPUs";
    }
}

/* Appends an action for a live job (timers, counts: none); returns NULL if the plan is refused. */
HS_INLINE struct hs_action *append(struct hs_plan *p, enum hs_action_kind kind, hs_job_id job,
                                   uint64_t value)
{
    struct hs_engine *e = p->engine;
    if (p->refused != HS_OK || !may(p, job, kind))
        return NULL;
    if (!p->is_writing) {
        hs_plan_refuse(p, job, "actions are allowed inside decide() only");
        return NULL;
    }
    if (p->is_open && !plan_close(p))
        return NULL;
    if (kind < HS_ACT_TIMER) {
        const char *rule = NULL;
        if (!hs_engine_has_job(e, job))
            hs_plan_refuse(p, job, "there is no such live job (handle %u)", job);
        else if ((rule = broken_rule(e, hs_engine_job(e, job), kind, value)) != NULL)
            hs_plan_refuse(p, job, "%s", rule);
        if (p->refused != HS_OK)
            return NULL;
    }
    p->kinds |= 1u << kind;
    struct hs_action *a = hs_push(p->actions, p->count, p->action_cap, PLAN_MAX);
    *a = p->blank;
    a->kind = kind;
    a->job = job;
    a->first_pick = p->pick_count;
    a->value = value;
    a->plan_reason = p->plan_reason;
    return a;
}

HS_INLINE struct hs_action *start(struct hs_plan *p, hs_job_id slot)
{
    struct hs_action *a = append(p, HS_ACT_START, slot, 0);
    if (a == NULL)
        return NULL;
    hs_engine_job(p->engine, slot)->plan |= HS_PLAN_PLACED;
    p->is_open = true;
    return a;
}

void hs_plan_start(struct hs_plan *p, hs_job_id job)
{
    (void)start(p, job);
}

static struct hs_action *plan_open_action(struct hs_plan *p)
{
    if (p->refused != HS_OK)
        return NULL;
    if (p->is_open)
        return &p->actions[p->count - 1];
    hs_plan_refuse(p, HS_NO_JOB, "GPUs are given only right after start or migrate");
    return NULL;
}

static bool node_is_allowed(struct hs_plan *p, const struct hs_action *a, uint32_t node)
{
    const struct hs_engine *e = p->engine;
    const struct hs_job *job = &e->jobs.jobs[a->job];
    const struct hs_node *n = &e->cluster->nodes[node];
    if (e->cluster->vc_mode == HS_VC_PARTITION && n->vc != job->ask.vc &&
        !hs_free_is_aside(e->free_index, node))
        return hs_plan_refuse(p, a->job, "node '%s' belongs to another virtual cluster", n->name);
    return (job->ask.type_mask >> n->type & 1) != 0 ||
           hs_plan_refuse(p, a->job, "node '%s' has not the GPU type that the job asks for",
                          n->name);
}

static HS_COLD void refuse_node(struct hs_plan *p, const struct hs_action *a, uint32_t node,
                                uint32_t gpus)
{
    const struct hs_engine *e = p->engine;
    if (hs_free_is_out(e->free_index, node))
        hs_plan_refuse(p, a->job, "node '%s' is out of service", e->cluster->nodes[node].name);
    else if (hs_free_of_node(e->free_index, node) < gpus)
        hs_plan_refuse(p, a->job, "node '%s' has %u free GPUs, not %u",
                       e->cluster->nodes[node].name, hs_free_of_node(e->free_index, node), gpus);
    else if (node_is_allowed(p, a, node))
        hs_plan_refuse(p, a->job, "node '%s' has not the CPUs or host memory for %u GPUs of it",
                       e->cluster->nodes[node].name, gpus);
}

static inline bool quota_allows(struct hs_plan *p, const struct hs_action *a, uint32_t gpus)
{
    struct hs_engine *e = p->engine;
    const struct hs_job *job = &e->jobs.jobs[a->job];
    uint32_t vc = job->ask.vc;
    return e->cluster->vc_mode != HS_VC_QUOTA ||
           (uint64_t)gpus * job->ask.gpu_milli <= hs_view_quota_room_milli(&e->view, vc) ||
           hs_plan_refuse(p, a->job, "virtual cluster '%s' is over its quota",
                          e->cluster->vcs[vc].name);
}

static inline void plan_pick(struct hs_plan *p, struct hs_action *a, uint32_t node, uint32_t gpu,
                             uint32_t count)
{
    *hs_push(p->picks, p->pick_count, p->pick_cap, PLAN_MAX) =
        (struct hs_pick){.node = node, .gpu = gpu, .count = count};
    a->pick_count++;
    a->gpus += count;
    const struct hs_job *job = &p->engine->jobs.jobs[a->job];
    hs_quota_change(p->engine->cluster, p->engine->vc_held_milli, job->ask.vc,
                    (int64_t)count * job->ask.gpu_milli);
}

/* Names the lowest idle GPUs of a node, which has enough, at once, because with shared or divided
 * GPUs the next query may concern single ones. */
static void plan_name(struct hs_plan *p, struct hs_action *a, uint32_t node, uint32_t gpus)
{
    struct hs_engine *e = p->engine;
    const struct hs_job *job = &e->jobs.jobs[a->job];
    uint32_t id = e->cluster->nodes[node].first_gpu;
    for (uint32_t rest = gpus; rest > 0; id++) {
        if (e->gpus[id].tentative_tenants > 0)
            continue;
        plan_pick(p, a, node, id, 1);
        e->gpus[id].is_given = true;
        hs_tentative_book(e, id, job, 1);
        rest--;
    }
    p->has_named = true;
    hs_free_take(e->free_index, node, gpus, &job->ask);
    plan_settle_shares(p, a);
}

HS_INLINE void give_of_node(struct hs_plan *p, struct hs_action *a, uint32_t node, uint32_t gpus)
{
    struct hs_engine *e = p->engine;
    if (node >= e->cluster->node_count || gpus == 0) {
        hs_plan_refuse(p, a->job, "there is no node %u, or 0 GPUs were asked of it", node);
        return;
    }
    const struct hs_job *job = &e->jobs.jobs[a->job];
    if (HS_UNLIKELY(!hs_free_fits(e->free_index, node, &job->ask, gpus))) {
        refuse_node(p, a, node, gpus);
        return;
    }
    if (!quota_allows(p, a, gpus))
        return;
    if (e->share != NULL || e->parts != NULL || (e->can & HS_CAN_INTERLEAVE) != 0) {
        plan_name(p, a, node, gpus);
        return;
    }
    plan_pick(p, a, node, UINT32_MAX, gpus);
    hs_free_take(e->free_index, node, gpus, &job->ask);
}

void hs_plan_on_node(struct hs_plan *p, uint32_t node, uint32_t gpus)
{
    struct hs_action *a = plan_open_action(p);
    if (a != NULL)
        give_of_node(p, a, node, gpus);
}

void hs_plan_start_on_node(struct hs_plan *p, hs_job_id slot, uint32_t node)
{
    struct hs_action *a = start(p, slot);
    if (a != NULL)
        give_of_node(p, a, node, hs_engine_job(p->engine, slot)->gpus);
}

/* For a GPU in use: the job may take a share only if the GPU holds shares. */
static bool share_is_allowed(struct hs_plan *p, const struct hs_action *a, uint32_t id)
{
    const struct hs_gpu *gpu = &p->engine->gpus[id];
    const struct hs_job *job = &p->engine->jobs.jobs[a->job];
    if (!hs_job_is_part(job) || gpu->part_milli == 0)
        return hs_plan_refuse(p, a->job, "GPU %u holds a whole job or shares, never both", id);
    return gpu->part_milli + job->ask.gpu_milli <= HS_GPU_MILLI ||
           hs_plan_refuse(p, a->job, "GPU %u has %u thousandths left, the job needs %u", id,
                          HS_GPU_MILLI - gpu->part_milli, job->ask.gpu_milli);
}

static bool gpu_is_allowed(struct hs_plan *p, const struct hs_action *a, uint32_t id)
{
    struct hs_engine *e = p->engine;
    const struct hs_gpu *gpu = &e->gpus[id];
    const struct hs_job *job = &e->jobs.jobs[a->job];
    if (hs_free_is_out(e->free_index, gpu->node))
        return hs_plan_refuse(p, a->job, "GPU %u is on a node out of service", id);
    if (gpu->tentative_tenants == 0) /* and not given to this job before */
        return true;
    if (gpu->is_given)
        return hs_plan_refuse(p, a->job, "GPU %u was given to the job twice", id);
    if (hs_job_is_part(job) || gpu->part_milli > 0)
        return share_is_allowed(p, a, id);
    if (!(e->can & HS_CAN_COLOCATE))
        return hs_plan_refuse(
            p, a->job, "GPU %u is held, and the policy did not declare that it can co-locate", id);
    if (a->turn.slice_group == 0 && gpu->tentative_tenants >= e->config.max_tenants)
        return hs_plan_refuse(p, a->job, "GPU %u has %u tenants already", id,
                              gpu->tentative_tenants);
    const uint32_t claim_mib = hs_claim_mib(e, job);
    const uint64_t capacity_mib = hs_gpu_capacity_mib(e, gpu, 2);
    bool must_be_alone = job->is_alone && claim_mib >= HS_CLAIM_ALONE;
    if (gpu->mem_claimed_mib >= HS_CLAIM_ALONE || must_be_alone)
        return hs_plan_refuse(p, a->job, "GPU %u is shared with a job that has to run alone", id);
    return gpu->mem_claimed_mib + claim_mib <= capacity_mib ||
           hs_plan_refuse(p, a->job, "GPU %u has %llu of %llu MiB in use, the job needs %u", id,
                          (unsigned long long)gpu->mem_claimed_mib,
                          (unsigned long long)capacity_mib, claim_mib);
}

void hs_plan_on_gpu(struct hs_plan *p, uint32_t id)
{
    struct hs_action *a = plan_open_action(p);
    if (a == NULL)
        return;
    struct hs_engine *e = p->engine;
    if (id >= e->cluster->gpu_count) {
        hs_plan_refuse(p, a->job, "there is no GPU %u", id);
        return;
    }
    hs_exclusive_end(e);
    const struct hs_gpu *gpu = &e->gpus[id];
    const struct hs_job *job = &e->jobs.jobs[a->job];
    if (!node_is_allowed(p, a, gpu->node) || !quota_allows(p, a, 1) || !gpu_is_allowed(p, a, id))
        return;
    if (gpu->tentative_tenants == 0 && hs_free_of_node(e->free_index, gpu->node) == 0) {
        hs_plan_refuse(p, a->job, "all GPUs of node '%s' are spoken for in this plan",
                       e->cluster->nodes[gpu->node].name);
        return;
    }
    if (!hs_free_can_book(e->free_index, gpu->node, 1, &job->ask)) {
        hs_plan_refuse(p, a->job, "node '%s' has not the CPUs or host memory for GPU %u",
                       e->cluster->nodes[gpu->node].name, id);
        return;
    }
    plan_pick(p, a, gpu->node, id, 1);
    p->has_named = true;
    e->gpus[id].is_given = true;
    change_gpu(e, id, job, false);
    plan_settle_shares(p, a);
}

void hs_plan_slice_group(struct hs_plan *p, const struct hs_turn *turn)
{
    struct hs_action *a = plan_open_action(p);
    if (a == NULL || !may(p, a->job, HS_ACT_SLICE))
        return;
    if (turn->slice_group == 0 || a->pick_count > 0) {
        hs_plan_refuse(p, a->job, "a lane has a number above 0, and is given before the GPUs");
        return;
    }
    struct hs_job *job = hs_engine_job(p->engine, a->job);
    if (a->turn.slice_group == 0)
        a->claim_in_slice_group_before_mib = hs_claim_mib(p->engine, job);
    a->turn = *turn;
    p->has_slice_groups = true;
    hs_job_set_claim(&p->engine->jobs, job, hs_gpu_memory_claim_mib(p->engine, job, turn));
}

/* Common part of preempt, suspend, migrate and kill: the job leaves its GPUs. */
static struct hs_action *plan_release(struct hs_plan *p, enum hs_action_kind kind, hs_job_id slot,
                                      int64_t cost_us)
{
    struct hs_action *a = append(p, kind, slot, 0);
    if (a == NULL)
        return NULL;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    job->plan |= HS_PLAN_RELEASED;
    hs_run_of(&p->engine->jobs, job)->plan_action = p->count - 1;
    hs_tentative_change_job(p->engine, job, true);
    a->time_us = cost_us > 0 ? cost_us : 0;
    a->claim_before_mib = hs_claim_mib(p->engine, job);
    if (hs_placement_of(&p->engine->jobs, job)->slice_group != 0) /* it leaves the group */
        hs_job_set_claim(&p->engine->jobs, job, hs_gpu_memory_claim_mib(p->engine, job, NULL));
    return a;
}

void hs_plan_preempt(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us)
{
    (void)plan_release(p, HS_ACT_PREEMPT, job, resume_cost_us);
}

void hs_plan_end_profile(struct hs_plan *p, hs_job_id slot, bool keeps_work, int64_t resume_cost_us)
{
    const struct hs_engine *e = p->engine;
    const bool is_live = hs_engine_has_job(e, slot);
    const struct hs_allocation *first =
        is_live ? hs_job_first(e, hs_engine_job(p->engine, slot)) : NULL;
    if (!may(p, slot, HS_ACT_SET_ASIDE))
        return;
    if (first == NULL || !hs_free_is_aside(e->free_index, first->node) ||
        hs_placement_of(&e->jobs, hs_engine_job(p->engine, slot))->shared_gpus > 0) {
        hs_plan_refuse(p, slot, "a profile is taken of a job alone on nodes set aside");
        return;
    }
    struct hs_action *a = plan_release(p, HS_ACT_PREEMPT, slot, resume_cost_us);
    if (a == NULL)
        return;
    a->profile = keeps_work ? HS_PROFILE_KEPT : HS_PROFILE_LOST;
    hs_engine_job(p->engine, slot)->plan |= HS_PLAN_ENDED; /* no start in this plan */
}

void hs_plan_suspend(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us)
{
    (void)plan_release(p, HS_ACT_SUSPEND, job, resume_cost_us);
}

void hs_plan_migrate(struct hs_plan *p, hs_job_id job, int64_t pause_us)
{
    if (plan_release(p, HS_ACT_MIGRATE, job, pause_us) == NULL)
        return;
    hs_engine_job(p->engine, job)->plan |= HS_PLAN_PLACED;
    p->is_open = true;
}

void hs_plan_kill(struct hs_plan *p, hs_job_id job)
{
    if (plan_release(p, HS_ACT_KILL, job, 0) != NULL)
        hs_engine_job(p->engine, job)->plan |= HS_PLAN_ENDED;
}

void hs_plan_begin(struct hs_engine *e)
{
    e->plan.count = 0;
    e->plan.pick_count = 0;
    e->plan.kinds = 0;
    e->plan.plan_reason = NULL;
    e->plan.triggers = e->triggers;
    e->triggers = 0;
    e->plan.has_named = e->plan.has_slice_groups = e->plan.is_open = e->plan.has_ended_job = false;
    e->plan.is_writing = true;
}

enum hs_status hs_plan_end(struct hs_engine *e)
{
    if (e->plan.is_open && e->plan.refused == HS_OK)
        (void)plan_close(&e->plan);
    e->plan.is_writing = false;
    return e->plan.refused;
}

void hs_plan_reason(struct hs_plan *p, const char *text)
{
    p->plan_reason = text;
}

void hs_plan_add_overhead(struct hs_plan *p, hs_job_id job, int64_t cost_us)
{
    struct hs_action *a = append(p, HS_ACT_ADD_OVERHEAD, job, (uint64_t)cost_us);
    if (a != NULL)
        a->time_us = cost_us;
}

void hs_plan_lose_work(struct hs_plan *p, hs_job_id job, uint64_t work_us)
{
    (void)append(p, HS_ACT_LOSE_WORK, job, work_us);
}

static void toggle(struct hs_plan *p, enum hs_action_kind kind, hs_job_id job)
{
    if (append(p, kind, job, 0) != NULL)
        hs_engine_job(p->engine, job)->plan |= HS_PLAN_TOGGLED;
}

void hs_plan_pause(struct hs_plan *p, hs_job_id job)
{
    toggle(p, HS_ACT_PAUSE, job);
}

void hs_plan_resume(struct hs_plan *p, hs_job_id job)
{
    toggle(p, HS_ACT_RESUME, job);
}

void hs_plan_slice(struct hs_plan *p, hs_job_id job, uint32_t slice_group, uint64_t share_q32)
{
    bool is_legal = slice_group > 0 || share_q32 == HS_Q32_ONE; /* else refused like share 0 */
    struct hs_action *a = append(p, HS_ACT_SLICE, job, is_legal ? share_q32 : 0);
    if (a != NULL)
        a->slice_group = slice_group;
}

void hs_plan_cap(struct hs_plan *p, hs_job_id job, uint64_t cap_q32)
{
    (void)append(p, HS_ACT_CAP, job, cap_q32);
}

void hs_plan_background(struct hs_plan *p, hs_job_id job, bool is_background)
{
    (void)append(p, HS_ACT_BACKGROUND, job, is_background);
}

void hs_plan_notify_step(struct hs_plan *p, hs_job_id job, uint32_t steps)
{
    (void)append(p, HS_ACT_NOTIFY_STEP, job, steps);
}

/* The claim of a job placed by this plan remains until the plan is applied. */
void hs_plan_mem_limit(struct hs_plan *p, hs_job_id slot, uint32_t mib)
{
    struct hs_action *a = append(p, HS_ACT_MEM_LIMIT, slot, 0);
    if (a == NULL)
        return;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    struct hs_job_needs *memory = hs_needs_of(&p->engine->jobs, job);
    a->claim_before_mib = hs_claim_mib(p->engine, job);
    a->limit_before_mib = memory->mem_limit_mib;
    memory->mem_limit_mib = mib;
    if (job->plan == 0 || (job->plan & HS_PLAN_TOGGLED))
        hs_tentative_claim(p->engine, job, hs_gpu_memory_claim_now_mib(p->engine, job));
    else if ((job->plan & HS_PLAN_PLACED) == 0) /* it holds no GPU any more */
        hs_job_set_claim(&p->engine->jobs, job, hs_gpu_memory_claim_mib(p->engine, job, NULL));
}

static void job_allot_host(struct hs_job *job, uint32_t cpus_milli, uint32_t mem_mib)
{
    job->ask.cpus_milli_per_gpu = cpus_milli;
    job->ask.mem_mib_per_gpu = mem_mib;
    job->is_constrained = job->ask.type_mask != UINT64_MAX || (cpus_milli | mem_mib) != 0;
}

void hs_plan_host(struct hs_plan *p, hs_job_id slot, uint32_t cpus_milli, uint32_t mem_mib)
{
    struct hs_action *a = append(p, HS_ACT_HOST, slot, 0);
    if (a == NULL)
        return;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    a->value = (uint64_t)job->ask.cpus_milli_per_gpu << 32 | job->ask.mem_mib_per_gpu;
    job_allot_host(job, cpus_milli, mem_mib);
}

void hs_plan_timer(struct hs_plan *p, int64_t at_us, uint64_t tag)
{
    if (p->refused != HS_OK || !may(p, HS_NO_JOB, HS_ACT_TIMER))
        return;
    if (at_us < p->engine->now_us) {
        hs_plan_refuse(p, HS_NO_JOB, "a timer lies in the past");
        return;
    }
    struct hs_action *a = append(p, HS_ACT_TIMER, HS_NO_JOB, tag);
    if (a != NULL)
        a->time_us = at_us;
}

void hs_plan_set_aside(struct hs_plan *p, uint32_t node, bool is_aside)
{
    struct hs_engine *e = p->engine;
    if (node >= e->cluster->node_count || e->share != NULL || (e->can & HS_CAN_DIVIDE) != 0 ||
        hs_free_of_node(e->free_index, node) != e->cluster->nodes[node].gpus ||
        hs_free_is_aside(e->free_index, node) == is_aside) {
        hs_plan_refuse(p, HS_NO_JOB,
                       "only a node without jobs is set aside, or put back, and not "
                       "by a policy with loads or shares of GPUs");
        return;
    }
    if (append(p, HS_ACT_SET_ASIDE, HS_NO_JOB, (uint64_t)node << 1 | is_aside) != NULL)
        hs_free_set_aside(e->free_index, node, is_aside);
}

void hs_plan_count(struct hs_plan *p, enum hs_policy_counter what)
{
    (void)append(p, HS_ACT_COUNT, HS_NO_JOB, what);
}

void hs_plan_reject(struct hs_plan *p, hs_job_id job, const char *reason)
{
    struct hs_action *a = append(p, HS_ACT_REJECT, job, 0);
    if (a == NULL)
        return;
    a->reason = reason;
    hs_engine_job(p->engine, job)->plan |= HS_PLAN_ENDED;
}

uint32_t hs_plan_gpu(const struct hs_plan *p, uint32_t i)
{
    const struct hs_action *a = p->count > 0 ? &p->actions[p->count - 1] : NULL;
    return a != NULL && i < a->pick_count ? p->picks[a->first_pick + i].gpu : HS_NO_GPU;
}

uint32_t hs_plan_mark(const struct hs_plan *p)
{
    return p->count;
}

static void action_undo(struct hs_plan *p, const struct hs_action *a)
{
    struct hs_engine *e = p->engine;
    if (a->kind == HS_ACT_SET_ASIDE)
        hs_free_set_aside(e->free_index, (uint32_t)(a->value >> 1), (a->value & 1) == 0);
    if (a->kind >= HS_ACT_TIMER)
        return;
    struct hs_job *job = hs_engine_job(e, a->job);
    for (uint32_t i = a->pick_count; i-- > 0;) {
        const struct hs_pick *pick = &p->picks[a->first_pick + i];
        hs_quota_change(e->cluster, e->vc_held_milli, job->ask.vc,
                        -(int64_t)pick->count * job->ask.gpu_milli);
        if (pick->gpu == UINT32_MAX) {
            hs_free_give(e->free_index, pick->node, pick->count, &job->ask);
            continue;
        }
        e->gpus[pick->gpu].is_given = false;
        change_gpu(e, pick->gpu, job, true);
    }
    if (a->turn.slice_group != 0)
        hs_job_set_claim(&e->jobs, job, a->claim_in_slice_group_before_mib);
    switch (a->kind) {
    case HS_ACT_START:
        job->plan &= (uint8_t)~HS_PLAN_PLACED;
        break;
    case HS_ACT_PREEMPT:
    case HS_ACT_SUSPEND:
    case HS_ACT_MIGRATE:
    case HS_ACT_KILL:
        hs_job_set_claim(&e->jobs, job, a->claim_before_mib);
        hs_tentative_change_job(e, job, false);
        job->plan = 0;
        break;
    case HS_ACT_REJECT:
    case HS_ACT_PAUSE:
    case HS_ACT_RESUME:
        job->plan = 0;
        break;
    case HS_ACT_HOST:
        job_allot_host(job, (uint32_t)(a->value >> 32), (uint32_t)a->value);
        break;
    case HS_ACT_MEM_LIMIT:
        hs_needs_of(&e->jobs, job)->mem_limit_mib = a->limit_before_mib;
        if (job->plan & (HS_PLAN_RELEASED | HS_PLAN_PLACED))
            hs_job_set_claim(&e->jobs, job, a->claim_before_mib);
        else
            hs_tentative_claim(e, job, a->claim_before_mib);
        break;
    default:
        break;
    }
}

void hs_plan_rollback(struct hs_plan *p, uint32_t mark)
{
    if (p->refused != HS_OK || p->count <= mark)
        return; /* nothing to undo; an action open at the mark remains open */
    while (p->count > mark) {
        const struct hs_action *a = &p->actions[--p->count];
        action_undo(p, a);
        p->pick_count = a->first_pick;
    }
    p->is_open = false;
}
