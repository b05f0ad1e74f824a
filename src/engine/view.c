/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's window (horus/view.h). Every answer comes from the live state; what needs a
 * declaration is checked here, so that no policy can be clairvoyant by accident.
 */
#include "horus/view.h"

#include "base/rng.h"
#include "engine/lookup.h"
#include "engine/plan.h"
#include "engine/progress.h"
#include "engine/rate.h"
#include "engine/state.h"
#include "horus/policy.h"

/* What a handle, node or GPU that does not exist is answered from, after the fault is on record. */
static const struct hs_job nobody = {.ask = {.gpu_milli = HS_GPU_MILLI}};
static const struct hs_job_label no_label = {.profile = HS_NO_PROFILE};
static const struct hs_job_needs no_needs = {.later_ns = HS_TIME_MAX};
static const struct hs_node nowhere = {.name = ""};

const struct hs_job *hs_lookup_nobody(const struct hs_view *v, hs_job_id job)
{
    hs_plan_refuse(&v->engine->plan, job, "it asked about a job that is not there");
    return &nobody;
}

const struct hs_job_label *hs_lookup_label(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job) != &nobody ? &v->engine->jobs.labels[job] : &no_label;
}

const struct hs_job_traits *hs_lookup_traits(const struct hs_view *v, hs_job_id job)
{
    return &v->engine->jobs.traits[hs_lookup_label(v, job)->traits];
}

static const struct hs_job_wishes *lookup_wishes(const struct hs_view *v, hs_job_id job)
{
    return &v->engine->jobs.wishes[hs_lookup_label(v, job)->wishes];
}

const struct hs_job_needs *hs_lookup_needs(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j != &nobody ? hs_needs_of(&v->engine->jobs, j) : &no_needs;
}

const struct hs_node *hs_lookup_node(const struct hs_view *v, uint32_t node)
{
    if (HS_LIKELY(node < v->engine->cluster->node_count))
        return &v->engine->cluster->nodes[node];
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about node %u, which is not there", node);
    return &nowhere;
}

uint32_t hs_lookup_vc(const struct hs_view *v, uint32_t vc)
{
    if (HS_LIKELY(vc < v->engine->cluster->vc_count))
        return vc;
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB,
                   "it asked about virtual cluster %u, which is not there", vc);
    return 0;
}

bool hs_lookup_may_know(const struct hs_view *v, hs_job_id job, uint32_t need, const char *what)
{
    if (HS_LIKELY(v->engine->knows & need))
        return true;
    hs_plan_refuse(&v->engine->plan, job, "it asked for the %s, which it did not declare to know",
                   what);
    return false;
}

int64_t hs_view_now_us(const struct hs_view *v)
{
    return v->engine->now_us;
}

void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    struct hs_engine *e = v->engine;
    return e->is_initialising ? hs_arena_alloc(&e->arena, bytes) : NULL;
}

void *hs_lookup_no_scratch(const struct hs_view *v, hs_job_id job)
{
    (void)hs_lookup_nobody(v, job);
    return v->engine->no_scratch;
}

/* Asked for at every step of a search: what it refuses stands apart, and the rest is no longer than
 * a call of it. */
HS_EXPANDED void *hs_view_scratch(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    return HS_LIKELY(job < jobs->slots.high) ? jobs->scratch + (size_t)job * jobs->scratch_size
                                             : hs_lookup_no_scratch(v, job);
}

unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size)
{
    *size = v->engine->jobs.scratch_size;
    return v->engine->jobs.scratch;
}

void hs_view_expect(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    if (job >= jobs->slots.high)
        return;
    hs_prefetch(&jobs->jobs[job], sizeof *jobs->jobs);
    hs_prefetch(jobs->scratch + (size_t)job * jobs->scratch_size, jobs->scratch_size);
}

enum hs_job_state hs_view_state(const struct hs_view *v, hs_job_id job)
{
    return (enum hs_job_state)hs_lookup_job(v, job)->state;
}

uint32_t hs_view_gpus(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->gpus;
}

uint32_t hs_view_gpus_held(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_stay(v, job)->gpus_held;
}

uint32_t hs_view_gpus_min(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j != &nobody ? hs_job_gpus_min(&v->engine->jobs, j) : 0;
}

uint32_t hs_view_gpus_max(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j != &nobody ? hs_job_gpus_max(&v->engine->jobs, j) : 0;
}

uint32_t hs_view_vc(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.vc;
}

uint32_t hs_view_user(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_label(v, job)->user;
}

int32_t hs_view_priority(const struct hs_view *v, hs_job_id job)
{
    return lookup_wishes(v, job)->priority;
}

int64_t hs_view_submit_us(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->submit_us;
}

int64_t hs_view_first_start_us(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_run(v, job)->first_start_us;
}

uint64_t hs_view_rank(const struct hs_view *v, hs_job_id job)
{
    uint64_t index = hs_lookup_job(v, job)->index, seed = v->engine->config.jitter_seed;
    return seed != 0 ? hs_mix64(seed, index) : index;
}

int64_t hs_view_attained_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_jobs *jobs = &v->engine->jobs;
    int64_t since =
        j->state == HS_JOB_RUNNING ? v->engine->now_us - hs_stay_of(jobs, j)->synced_us : 0;
    return hs_run_of(jobs, j)->attained_us + since;
}

int64_t hs_view_cost_left_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    bool pays = j->state == HS_JOB_STARTING || j->state == HS_JOB_MIGRATING;
    const struct hs_jobs *jobs = &v->engine->jobs;
    return hs_run_of(jobs, j)->cost_left_us -
           (pays ? v->engine->now_us - hs_stay_of(jobs, j)->synced_us : 0);
}

int64_t hs_view_preempt_cost_us(const struct hs_view *v, hs_job_id job)
{
    return lookup_wishes(v, job)->preempt_cost_us;
}

bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->is_constrained;
}

uint32_t hs_view_ooms(const struct hs_view *v, hs_job_id job)
{
    return hs_toll_of(&v->engine->jobs, hs_lookup_job(v, job))->ooms;
}

uint32_t hs_view_attempt(const struct hs_view *v, hs_job_id job)
{
    return v->engine->jobs.histories[hs_lookup_label(v, job)->history].attempt;
}

int64_t hs_view_duration_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "run time"))
        return 0;
    return hs_lookup_job(v, job)->work_ns / HS_NS_PER_US;
}

int64_t hs_view_remaining_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "remaining run time"))
        return 0;
    const struct hs_work work = hs_lookup_work(v, job);
    return hs_work_eta_us(&work, HS_Q32_ONE);
}

int64_t hs_view_finish_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "finish time"))
        return INT64_MAX;
    const struct hs_job *j = hs_lookup_job(v, job);
    const int64_t finish_us = hs_stay_of(&v->engine->jobs, j)->finish_us;
    bool pays = j->state == HS_JOB_STARTING || j->state == HS_JOB_MIGRATING;
    if (!pays)
        return finish_us;
    const struct hs_work work = hs_work_of(&v->engine->jobs, j);
    int64_t work_us = hs_work_eta_us(&work, hs_rate_placed(v->engine, j));
    return work_us < HS_TIME_MAX - finish_us ? finish_us + work_us : HS_TIME_MAX;
}

int32_t hs_view_util_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "utilization"))
        return -1;
    return hs_lookup_needs(v, job)->estimate.util_pm;
}

int32_t hs_view_util_peak_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "peak utilization"))
        return -1;
    return hs_lookup_needs(v, job)->estimate.util_peak_pm;
}

uint32_t hs_view_util_error_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "error of the utilization"))
        return 0;
    return hs_lookup_needs(v, job)->estimate.util_error_pm;
}

uint64_t hs_view_slowdown_q32(const struct hs_view *v, int32_t own_pm, int32_t beside_pm)
{
    const struct hs_predictor *p = v->engine->config.predictor;
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_UTILIZATION, "slowdown") || p == NULL)
        return HS_Q32_ONE;
    return hs_predictor_slowdown_q20(p, own_pm, beside_pm) << 12;
}

uint32_t hs_view_gpu_mem_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "GPU memory"))
        return 0;
    return hs_lookup_needs(v, job)->estimate.mem_mib;
}

uint32_t hs_view_gpu_mem_error_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "error of the GPU memory"))
        return 0;
    return hs_lookup_needs(v, job)->estimate.mem_error_mib;
}

int64_t hs_view_deadline_us(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_DEADLINE, "deadline"))
        return -1;
    return lookup_wishes(v, job)->deadline_us;
}

uint64_t hs_view_rate_q32(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "measured rate"))
        return 0;
    return hs_lookup_stay(v, job)->rate_q32;
}

uint32_t hs_view_nodes(const struct hs_view *v)
{
    return v->engine->cluster->node_count;
}

uint32_t hs_view_racks(const struct hs_view *v)
{
    return v->engine->cluster->rack_count;
}

uint32_t hs_view_node_gpus(const struct hs_view *v, uint32_t node)
{
    return hs_lookup_node(v, node)->gpus;
}

uint32_t hs_view_node_free(const struct hs_view *v, uint32_t node)
{
    return hs_lookup_node(v, node) == &nowhere ? 0 : hs_free_of_node(v->engine->free_index, node);
}

uint32_t hs_view_node_first_gpu(const struct hs_view *v, uint32_t node)
{
    return hs_lookup_node(v, node)->first_gpu;
}

uint32_t hs_view_node_rack(const struct hs_view *v, uint32_t node)
{
    return hs_lookup_node(v, node)->rack;
}

uint32_t hs_view_max_node_gpus(const struct hs_view *v)
{
    return v->engine->cluster->max_node_gpus;
}

uint64_t hs_view_total_gpus(const struct hs_view *v, uint32_t vc)
{
    return v->engine->cluster->vcs[hs_lookup_vc(v, vc)].gpus;
}

uint32_t hs_view_vcs(const struct hs_view *v)
{
    return v->engine->cluster->vc_count;
}

bool hs_view_vcs_are_apart(const struct hs_view *v)
{
    return v->engine->cluster->vc_mode == HS_VC_PARTITION;
}

uint64_t hs_view_free_gpus(const struct hs_view *v, uint32_t vc)
{
    return hs_free_total(v->engine->free_index, hs_lookup_vc(v, vc));
}

uint64_t hs_view_gang_room(const struct hs_view *v, uint32_t vc)
{
    return hs_free_gang_room(v->engine->free_index, hs_lookup_vc(v, vc));
}

uint64_t hs_view_free_for(const struct hs_view *v, hs_job_id job)
{
    return hs_free_for(v->engine->free_index, &hs_lookup_job(v, job)->ask);
}

uint32_t hs_view_best_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_best(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus);
}

uint32_t hs_view_best_busy(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_best_busy(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus);
}

uint32_t hs_view_worst_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_worst(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus);
}

uint32_t hs_view_first_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t from)
{
    return hs_free_first(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus, from);
}

uint32_t hs_view_exactly(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t from)
{
    return hs_free_exactly(v->engine->free_index, &hs_lookup_job(v, job)->ask, gpus, from);
}

uint32_t hs_view_idle_node(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t from)
{
    return hs_free_idle(v->engine->free_index, &hs_lookup_job(v, job)->ask, size, from);
}

uint32_t hs_view_node_size(const struct hs_view *v, hs_job_id job, uint32_t most)
{
    return hs_free_node_size(v->engine->free_index, &hs_lookup_job(v, job)->ask, most);
}

uint32_t hs_view_node_count(const struct hs_view *v, hs_job_id job, uint32_t size)
{
    return hs_free_node_count(v->engine->free_index, &hs_lookup_job(v, job)->ask, size);
}

uint32_t hs_view_idle_count(const struct hs_view *v, hs_job_id job, uint32_t size)
{
    return hs_free_idle_count(v->engine->free_index, &hs_lookup_job(v, job)->ask, size);
}

uint32_t hs_view_rack_first(const struct hs_view *v, uint32_t rack)
{
    return v->engine->cluster->rack_first[rack];
}

uint32_t hs_view_rack_free(const struct hs_view *v, uint32_t rack)
{
    if (HS_LIKELY(rack < v->engine->cluster->rack_count))
        return hs_free_of_rack(v->engine->free_index, rack);
    hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about rack %u, which is not there", rack);
    return 0;
}

uint32_t hs_view_idle_rack(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t count,
                           uint32_t from)
{
    return hs_free_idle_rack(v->engine->free_index, &hs_lookup_job(v, job)->ask, size, count, from);
}
