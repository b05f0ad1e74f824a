/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's side of the plan: each action is checked against the shadow when it is appended,
 * and can be taken back. The first illegal one is reported and refuses the whole plan. Cost of an
 * action: O(GPUs it moves), no allocation after warm-up.
 */
#include "engine/plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/lookup.h"
#include "engine/residency.h"
#include "engine/shadow.h"
#include "engine/whole.h"
#include "horus/plan.h"

#define PLAN_MAX (1u << 28)

void hs_plan_refuse(struct hs_plan *p, hs_job_id job, const char *fmt, ...)
{
    struct hs_engine *e = p->engine;
    if (p->refused != HS_OK)
        return;
    char rule[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(rule, sizeof rule, fmt, args);
    va_end(args);
    const char *id = hs_engine_has_job(e, job) ? hs_id_of(&e->jobs.labels[job]) : "?";
    p->refused = hs_fail(e->diag, HS_E_POLICY, NULL,
                         "this is a fault of the policy, not of the input; the run was stopped",
                         "policy '%s', job '%s', t = %.6f s: %s", e->policy->name, id,
                         (double)e->now_us / 1e6, rule);
}

/* The GPUs that the action named are offered again. */
static void plan_settle(struct hs_plan *p, const struct hs_action *a)
{
    for (uint32_t i = a->first_pick; p->has_named && i < p->pick_count; i++)
        if (p->picks[i].gpu != UINT32_MAX)
            hs_shadow_give_by_name(p->engine, p->picks[i].gpu, false);
}

/* The job has all its shares: what is left of their GPUs is for the next. */
static void plan_settle_shares(struct hs_plan *p, const struct hs_action *a)
{
    const struct hs_job *job = hs_engine_job(p->engine, a->job);
    if (hs_job_is_part(job) && a->gpus == job->gpus)
        plan_settle(p, a);
}

/* The placing action before this one must have got its whole gang. */
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
    hs_plan_refuse(p, a->job, "a gang is placed whole or not at all: %u of %u GPUs given", a->gpus,
                   job->gpus);
    return false;
}

HS_INLINE struct hs_action *append(struct hs_plan *p, enum hs_action_kind kind, hs_job_id job)
{
    struct hs_engine *e = p->engine;
    if (p->refused != HS_OK)
        return NULL;
    if (!p->is_writing) {
        hs_plan_refuse(p, job, "actions are allowed inside decide() only");
        return NULL;
    }
    if (p->is_open && !plan_close(p))
        return NULL;
    bool is_of_a_job = kind != HS_ACT_TIMER && kind != HS_ACT_COUNT;
    if (is_of_a_job && !hs_engine_has_job(e, job)) {
        hs_plan_refuse(p, job, "there is no such live job (handle %u)", job);
        return NULL;
    }
    if (p->count == p->action_cap)
        p->refused = hs_grow((void **)&p->actions, &p->action_cap, (uint64_t)p->count + 1,
                             sizeof *p->actions, PLAN_MAX);
    if (p->refused != HS_OK)
        return NULL;
    p->kinds |= 1u << kind;
    struct hs_action *a = &p->actions[p->count++];
    *a = p->blank;
    a->kind = kind;
    a->job = job;
    a->first_pick = p->pick_count;
    a->because = p->because;
    return a;
}

struct hs_action *hs_plan_append(struct hs_plan *p, enum hs_action_kind kind, hs_job_id job)
{
    return append(p, kind, job);
}

bool hs_plan_may(struct hs_plan *p, hs_job_id job, uint32_t need, const char *name)
{
    if (p->refused != HS_OK)
        return false;
    if (p->engine->can & need)
        return true;
    hs_plan_refuse(p, job, "the policy did not declare that it can %s", name);
    return false;
}

HS_INLINE struct hs_action *start(struct hs_plan *p, hs_job_id slot)
{
    struct hs_action *a = append(p, HS_ACT_START, slot);
    if (a == NULL)
        return NULL;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    bool waits = job->state == HS_JOB_PENDING || job->state == HS_JOB_SUSPENDED ||
                 (job->plan & HS_PLAN_RELEASED);
    if (!waits || (job->plan & (HS_PLAN_PLACED | HS_PLAN_ENDED))) {
        p->count--;
        hs_plan_refuse(p, slot, "only a waiting job can be started");
        return NULL;
    }
    job->plan |= HS_PLAN_PLACED;
    p->is_open = true;
    return a;
}

void hs_plan_start(struct hs_plan *p, hs_job_id slot)
{
    (void)start(p, slot);
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
    if (e->cluster->vc_mode == HS_VC_PARTITION && n->vc != job->ask.vc) {
        hs_plan_refuse(p, a->job, "node '%s' belongs to another virtual cluster", n->name);
        return false;
    }
    if (!(job->ask.type_mask >> n->type & 1)) {
        hs_plan_refuse(p, a->job, "node '%s' has not the GPU type that the job asks for", n->name);
        return false;
    }
    return true;
}

/* So many GPUs of a node that is there: why not? */
static HS_COLD void refuse_node(struct hs_plan *p, const struct hs_action *a, uint32_t node,
                                uint32_t gpus)
{
    const struct hs_engine *e = p->engine;
    if (hs_free_of_node(e->free_index, node) < gpus)
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
    if (e->cluster->vc_mode != HS_VC_QUOTA ||
        (uint64_t)gpus * job->ask.gpu_milli <= hs_lookup_quota_room_milli(e, vc))
        return true;
    hs_plan_refuse(p, a->job, "virtual cluster '%s' is over its quota", e->cluster->vcs[vc].name);
    return false;
}

/* Whether there is memory for it; if not the plan is refused. */
static inline bool plan_pick(struct hs_plan *p, struct hs_action *a, uint32_t node, uint32_t gpu,
                             uint32_t count)
{
    if (HS_UNLIKELY(p->pick_count == p->pick_cap)) {
        p->refused = hs_grow((void **)&p->picks, &p->pick_cap, (uint64_t)p->pick_count + 1,
                             sizeof *p->picks, PLAN_MAX);
        if (p->refused != HS_OK)
            return false;
    }
    p->picks[p->pick_count++] = (struct hs_pick){.node = node, .gpu = gpu, .count = count};
    a->pick_count++;
    a->gpus += count;
    const struct hs_job *job = &p->engine->jobs.jobs[a->job];
    p->engine->vc_held_milli[job->ask.vc] += (uint64_t)count * job->ask.gpu_milli;
    return true;
}

/* The lowest idle GPUs of a node, which has them: where GPUs are shared or divided, the next
 * question is about single ones, so they get their names at once. */
static void plan_name(struct hs_plan *p, struct hs_action *a, uint32_t node, uint32_t gpus)
{
    struct hs_engine *e = p->engine;
    const struct hs_job *job = &e->jobs.jobs[a->job];
    uint32_t id = e->cluster->nodes[node].first_gpu;
    for (uint32_t rest = gpus; rest > 0; id++) {
        if (e->gpus[id].shadow_tenants > 0)
            continue;
        if (!plan_pick(p, a, node, id, 1))
            return;
        hs_shadow_give_by_name(e, id, true);
        hs_shadow_name(e, id, job);
        rest--;
    }
    p->has_named = true;
    hs_shadow_take(e, node, gpus, job);
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
    if (e->share != NULL || e->parts != NULL) {
        plan_name(p, a, node, gpus);
        return;
    }
    if (plan_pick(p, a, node, UINT32_MAX, gpus))
        hs_shadow_take(e, node, gpus, job);
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

/* Of a GPU that is held: the job may have a share of one that holds shares, and of no other. */
static bool share_is_allowed(struct hs_plan *p, const struct hs_action *a, uint32_t id)
{
    const struct hs_gpu *gpu = &p->engine->gpus[id];
    const struct hs_job *job = &p->engine->jobs.jobs[a->job];
    if (!hs_job_is_part(job) || gpu->part_milli == 0)
        hs_plan_refuse(p, a->job, "GPU %u holds a whole job or shares, never both", id);
    else if (gpu->part_milli + job->ask.gpu_milli > HS_GPU_MILLI)
        hs_plan_refuse(p, a->job, "GPU %u has %u thousandths left, the job needs %u", id,
                       HS_GPU_MILLI - gpu->part_milli, job->ask.gpu_milli);
    return p->refused == HS_OK;
}

static bool gpu_is_allowed(struct hs_plan *p, const struct hs_action *a, uint32_t id)
{
    struct hs_engine *e = p->engine;
    const struct hs_gpu *gpu = &e->gpus[id];
    const struct hs_job *job = &e->jobs.jobs[a->job];
    if (gpu->shadow_tenants == 0) /* nor was it given to this job already */
        return true;
    if (gpu->is_given) {
        hs_plan_refuse(p, a->job, "GPU %u was given to the job twice", id);
        return false;
    }
    if (hs_job_is_part(job) || gpu->part_milli > 0)
        return share_is_allowed(p, a, id);
    if (!(e->can & HS_CAN_COLOCATE)) {
        hs_plan_refuse(p, a->job,
                       "GPU %u is held, and the policy did not declare that it can "
                       "co-locate",
                       id);
        return false;
    }
    if (a->turn.lane == 0 && gpu->shadow_tenants >= e->config.max_tenants) {
        hs_plan_refuse(p, a->job, "GPU %u has %u tenants already", id, gpu->shadow_tenants);
        return false;
    }
    uint64_t capacity_mib = hs_gpu_capacity_mib(e, gpu, 2);
    bool must_be_alone = job->is_alone && hs_claim_mib(e, job) >= HS_CLAIM_ALONE;
    if (gpu->mem_claimed_mib >= HS_CLAIM_ALONE || must_be_alone) {
        hs_plan_refuse(p, a->job, "GPU %u is shared with a job that has to run alone", id);
        return false;
    }
    if (gpu->mem_claimed_mib + hs_claim_mib(e, job) > capacity_mib) {
        hs_plan_refuse(p, a->job, "GPU %u has %llu of %llu MiB in use, the job needs %u", id,
                       (unsigned long long)gpu->mem_claimed_mib, (unsigned long long)capacity_mib,
                       hs_claim_mib(e, job));
        return false;
    }
    return true;
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
    p->refused = hs_whole_end(e);
    if (p->refused != HS_OK)
        return;
    const struct hs_gpu *gpu = &e->gpus[id];
    const struct hs_job *job = &e->jobs.jobs[a->job];
    if (!node_is_allowed(p, a, gpu->node) || !quota_allows(p, a, 1) || !gpu_is_allowed(p, a, id))
        return;
    if (gpu->shadow_tenants == 0 && hs_free_of_node(e->free_index, gpu->node) == 0) {
        hs_plan_refuse(p, a->job, "all GPUs of node '%s' are spoken for in this plan",
                       e->cluster->nodes[gpu->node].name);
        return;
    }
    if (!hs_free_can_book(e->free_index, gpu->node, 1, &e->jobs.jobs[a->job].ask)) {
        hs_plan_refuse(p, a->job, "node '%s' has not the CPUs or host memory for GPU %u",
                       e->cluster->nodes[gpu->node].name, id);
        return;
    }
    if (!plan_pick(p, a, gpu->node, id, 1))
        return;
    p->has_named = true;
    hs_shadow_give_by_name(e, id, true);
    hs_shadow_seat(e, id, job);
    plan_settle_shares(p, a);
}

void hs_plan_lane(struct hs_plan *p, const struct hs_turn *turn)
{
    struct hs_action *a = plan_open_action(p);
    if (a == NULL || !hs_plan_may(p, a->job, HS_CAN_SLICE, "slice"))
        return;
    if (turn->lane == 0 || a->pick_count > 0) {
        hs_plan_refuse(p, a->job, "a lane has a number above 0, and is given before the GPUs");
        return;
    }
    struct hs_job *job = hs_engine_job(p->engine, a->job);
    if (a->turn.lane == 0)
        a->claim_in_lane_before_mib = hs_claim_mib(p->engine, job);
    a->turn = *turn;
    p->has_lanes = true;
    hs_job_set_claim(&p->engine->jobs, job, hs_residency_claim_mib(p->engine, job, turn));
}

/* Common to preempt, migrate and kill: the job leaves its GPUs. */
static struct hs_action *plan_release(struct hs_plan *p, enum hs_action_kind kind, hs_job_id slot)
{
    struct hs_action *a = hs_plan_append(p, kind, slot);
    if (a == NULL)
        return NULL;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    if (!hs_job_is_placed(job) || job->plan != 0) {
        p->count--;
        hs_plan_refuse(p, slot,
                       "only a job that holds GPUs can be taken from them, and once a plan");
        return NULL;
    }
    job->plan |= HS_PLAN_RELEASED;
    hs_run_of(&p->engine->jobs, job)->plan_action = p->count - 1;
    hs_shadow_release(p->engine, job);
    a->claim_before_mib = hs_claim_mib(p->engine, job);
    if (hs_stay_of(&p->engine->jobs, job)->lane != 0) /* which it leaves */
        hs_job_set_claim(&p->engine->jobs, job, hs_residency_claim_mib(p->engine, job, NULL));
    return a;
}

void hs_plan_preempt(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us)
{
    if (!hs_plan_may(p, job, HS_CAN_PREEMPT, "preempt"))
        return;
    struct hs_action *a = plan_release(p, HS_ACT_PREEMPT, job);
    if (a != NULL)
        a->time_us = resume_cost_us > 0 ? resume_cost_us : 0;
}

void hs_plan_suspend(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us)
{
    if (!hs_plan_may(p, job, HS_CAN_PREEMPT, "preempt"))
        return;
    struct hs_action *a = plan_release(p, HS_ACT_SUSPEND, job);
    if (a != NULL)
        a->time_us = resume_cost_us > 0 ? resume_cost_us : 0;
}

void hs_plan_migrate(struct hs_plan *p, hs_job_id job, int64_t pause_us)
{
    if (!hs_plan_may(p, job, HS_CAN_MIGRATE, "migrate"))
        return;
    struct hs_action *a = plan_release(p, HS_ACT_MIGRATE, job);
    if (a == NULL)
        return;
    a->time_us = pause_us > 0 ? pause_us : 0;
    hs_engine_job(p->engine, job)->plan |= HS_PLAN_PLACED;
    p->is_open = true;
}

void hs_plan_kill(struct hs_plan *p, hs_job_id slot)
{
    if (!hs_plan_may(p, slot, HS_CAN_PREEMPT, "preempt"))
        return;
    if (plan_release(p, HS_ACT_KILL, slot) != NULL)
        hs_engine_job(p->engine, slot)->plan |= HS_PLAN_ENDED;
}

void hs_plan_begin(struct hs_engine *e)
{
    e->plan.count = 0;
    e->plan.pick_count = 0;
    e->plan.kinds = 0;
    e->plan.because = NULL;
    e->plan.triggers = e->triggers;
    e->triggers = 0;
    e->plan.has_named = e->plan.has_lanes = e->plan.is_open = false;
    e->plan.is_writing = true;
}

enum hs_status hs_plan_end(struct hs_engine *e)
{
    if (e->plan.is_open && e->plan.refused == HS_OK)
        (void)plan_close(&e->plan);
    e->plan.is_writing = false;
    return e->plan.refused;
}
