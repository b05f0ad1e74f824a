/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's view (horus/view.h). Queries are checked against what the policy declared; O(1).
 */
#include "engine/state.h"

#include "base/rng.h"

/* Records returned for a handle, node or GPU that does not exist, after the fault was reported. */
static const struct hs_job default_record = {.ask = {.gpu_milli = HS_GPU_MILLI}};
static const struct hs_job_identity no_identity = {.profile = HS_NO_PROFILE};
static const struct hs_job_needs no_needs = {.later_ns = HS_TIME_MAX};
static const struct hs_node nowhere = {.name = ""};
static const struct hs_gpu_type no_type = {.name = ""};
static const struct hs_gpu no_gpu = {.first_allocation = HS_NO_ALLOCATION};

const struct hs_job *hs_lookup_default(const struct hs_view *v, hs_job_id job)
{
    hs_plan_refuse(&v->engine->plan, job, "it asked about a job that is not there");
    return &default_record;
}

static const struct hs_job_identity *lookup_identity(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job) != &default_record ? &v->engine->jobs.identities[job]
                                                    : &no_identity;
}

static const struct hs_training_profile *lookup_training_profile(const struct hs_view *v,
                                                                 hs_job_id job)
{
    return &v->engine->jobs.training[lookup_identity(v, job)->training];
}

static const struct hs_job_request *lookup_request(const struct hs_view *v, hs_job_id job)
{
    return &v->engine->jobs.request[lookup_identity(v, job)->request];
}

static const struct hs_job_needs *lookup_needs(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j != &default_record ? hs_needs_of(&v->engine->jobs, j) : &no_needs;
}

/* Tells whether node, GPU, ... `number` exists, one of `count`. */
static inline bool is_there(const struct hs_view *v, const char *what, uint32_t number,
                            uint32_t count)
{
    return HS_LIKELY(number < count) ||
           hs_plan_refuse(&v->engine->plan, HS_NO_JOB, "it asked about %s %u, which is not there",
                          what, number);
}

const struct hs_node *hs_view_node(const struct hs_view *v, uint32_t node)
{
    return is_there(v, "node", node, v->nodes) ? &v->engine->cluster->nodes[node] : &nowhere;
}

const struct hs_gpu_type *hs_view_gpu_type(const struct hs_view *v, uint32_t type)
{
    return is_there(v, "GPU type", type, v->gpu_types) ? &v->engine->cluster->types[type]
                                                       : &no_type;
}

static const struct hs_gpu *lookup_gpu(const struct hs_view *v, uint32_t gpu)
{
    bool is_known = is_there(v, "GPU", gpu, v->engine->cluster->gpu_count);
    return is_known ? &v->engine->gpus[gpu] : &no_gpu;
}

/* Returns the index, or 0 for one that does not exist. */
static uint32_t lookup_vc(const struct hs_view *v, uint32_t vc)
{
    return is_there(v, "virtual cluster", vc, v->vcs) ? vc : 0;
}

struct hs_work hs_lookup_work(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_job_placement *placement = hs_placement_of(&v->engine->jobs, j);
    struct hs_work work = hs_work_of(&v->engine->jobs, j);
    if (j->state == HS_JOB_RUNNING)
        hs_work_advance(&work, placement->rate_q32, v->engine->now_us - placement->synced_us);
    return work;
}

/* Returns NULL if it has none. */
static const struct hs_profile *profile_of(const struct hs_view *v, hs_job_id job)
{
    const struct hs_catalogue *catalogue = v->engine->config.catalogue;
    uint32_t profile = lookup_identity(v, job)->profile;
    return catalogue != NULL && profile < catalogue->count ? &catalogue->profiles[profile] : NULL;
}

/* The name in the trace has precedence: a table may have variants that the catalogue lacks. */
int64_t hs_view_restart_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_profile *profile = profile_of(v, job);
    if (e->config.restart == NULL)
        return -1;
    return hs_restart_us(e->config.restart,
                         hs_intern_text(&e->names, lookup_training_profile(v, job)->model),
                         profile != NULL ? profile->model : NULL, hs_lookup_job(v, job)->gpus);
}

/* The trace has precedence here, too. */
uint32_t hs_view_checkpoint_mib(const struct hs_view *v, hs_job_id job)
{
    uint32_t predicted_mib = lookup_training_profile(v, job)->checkpoint_mib;
    const struct hs_profile *profile = profile_of(v, job);
    if (predicted_mib > 0 || profile == NULL)
        return predicted_mib;
    return profile->checkpoint_mib;
}

/* Also for a gang: each GPU of a data-parallel job has the same state (Xiao et al., OSDI'18). */
int64_t hs_view_checkpoint_us(const struct hs_view *v, hs_job_id job)
{
    int64_t per_s = v->engine->config.storage_mib_per_s, mib = hs_view_checkpoint_mib(v, job);
    if (mib == 0 || per_s <= 0)
        return -1;
    return (2 * mib * HS_US_PER_S + per_s - 1) / per_s;
}

int32_t hs_view_skew_pm(const struct hs_view *v, hs_job_id job)
{
    const bool is_known = hs_lookup_may_know(v, job, HS_KNOWS_MODEL, "tensor sizes");
    const struct hs_profile *profile = is_known ? profile_of(v, job) : NULL;
    return profile != NULL ? profile->skew_pm : -1;
}

enum hs_status hs_view_estimate_by(const struct hs_view *v, const struct hs_estimator *how)
{
    static const struct {
        uint32_t knows;
        const char *what;
    } needs[] = {
        [HS_ESTIMATE_ORACLE] = {HS_KNOWS_DURATION, "true run times as estimates"},
        [HS_ESTIMATE_NOISY] = {HS_KNOWS_ESTIMATE, "estimates of run times"},
        [HS_ESTIMATE_FILE] = {HS_KNOWS_ESTIMATE, "estimates of run times"},
        [HS_ESTIMATE_ROLLING] = {HS_KNOWS_HISTORY, "run times of finished jobs"},
    };
    struct hs_engine *e = v->engine;
    if (!e->is_initialising)
        hs_plan_refuse(&e->plan, HS_NO_JOB,
                       "to say where estimates come from is for its init only");
    if (!e->is_initialising ||
        !hs_lookup_may_know(v, HS_NO_JOB, needs[how->from].knows, needs[how->from].what))
        return e->plan.refused;
    if ((how->from == HS_ESTIMATE_FILE) != (how->file != NULL))
        return hs_fail(e->diag, HS_E_USAGE, NULL, "pred=file,pred_file=FILE",
                       how->file == NULL
                           ? "policy '%s': the file of run times is missing"
                           : "policy '%s': a file of run times is given, but pred is not file",
                       e->policy->name);
    hs_estimator_close(e->estimation);
    return hs_estimator_open(&e->estimation, how, e->config.seed, e->diag);
}

int64_t hs_view_estimate_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    if (HS_LIKELY(v->engine->estimation != NULL && job < jobs->slots.high))
        return jobs->estimates_us[job];
    if (v->engine->estimation != NULL)
        (void)hs_lookup_default(v, job);
    else
        hs_plan_refuse(&v->engine->plan, job,
                       "it asked for an estimate of the run time, but never said where from");
    return 0;
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

static HS_COLD void *no_scratch(const struct hs_view *v, hs_job_id job)
{
    (void)hs_lookup_default(v, job);
    return v->engine->no_scratch;
}

/* Called at every step of a search: inlined, except for the refusal. */
HS_EXPANDED void *hs_view_scratch(const struct hs_view *v, hs_job_id job)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    return HS_LIKELY(job < jobs->slots.high) ? jobs->scratch + (size_t)job * jobs->scratch_size
                                             : no_scratch(v, job);
}

unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size)
{
    *size = v->engine->jobs.scratch_size;
    return v->engine->jobs.scratch;
}

void hs_view_expect(const struct hs_view *v, hs_job_id job)
{
    hs_jobs_expect(&v->engine->jobs, job);
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
    return hs_placement_of(&v->engine->jobs, hs_lookup_job(v, job))->gpus_held;
}

uint32_t hs_view_gpus_min(const struct hs_view *v, hs_job_id job)
{
    return hs_job_gpus_min(&v->engine->jobs, hs_lookup_job(v, job));
}

uint32_t hs_view_gpus_max(const struct hs_view *v, hs_job_id job)
{
    return hs_job_gpus_max(&v->engine->jobs, hs_lookup_job(v, job));
}

uint32_t hs_view_vc(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.vc;
}

uint32_t hs_view_account(const struct hs_view *v, hs_job_id job, bool is_vc)
{
    const struct hs_job_identity *identity = lookup_identity(v, job);
    return is_vc ? identity->vc_name : identity->user;
}

int32_t hs_view_priority(const struct hs_view *v, hs_job_id job)
{
    v->engine->figures.reads_priority = true;
    return lookup_request(v, job)->priority;
}

int64_t hs_view_deadline_us(const struct hs_view *v, hs_job_id job)
{
    v->engine->figures.reads_deadline = true;
    return lookup_request(v, job)->deadline_us;
}

int64_t hs_view_submit_us(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->submit_us;
}

int64_t hs_view_first_start_us(const struct hs_view *v, hs_job_id job)
{
    return hs_run_of(&v->engine->jobs, hs_lookup_job(v, job))->first_start_us;
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
        j->state == HS_JOB_RUNNING ? v->engine->now_us - hs_placement_of(jobs, j)->synced_us : 0;
    return hs_run_of(jobs, j)->attained_us + since;
}

int64_t hs_view_cost_left_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    bool pays = j->state == HS_JOB_STARTING || j->state == HS_JOB_MIGRATING;
    const struct hs_jobs *jobs = &v->engine->jobs;
    return hs_run_of(jobs, j)->cost_left_us -
           (pays ? v->engine->now_us - hs_placement_of(jobs, j)->synced_us : 0);
}

int64_t hs_view_preempt_cost_us(const struct hs_view *v, hs_job_id job)
{
    return lookup_request(v, job)->preempt_cost_us;
}

uint32_t hs_view_type_ran(const struct hs_view *v, hs_job_id job)
{
    return lookup_request(v, job)->type_ran - 1; /* 0 becomes HS_ANY_TYPE */
}

bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->is_constrained;
}

uint32_t hs_view_ooms(const struct hs_view *v, hs_job_id job)
{
    return hs_sharing_overhead_of(&v->engine->jobs, hs_lookup_job(v, job))->ooms;
}

uint32_t hs_view_attempt(const struct hs_view *v, hs_job_id job)
{
    return v->engine->jobs.histories[lookup_identity(v, job)->history].attempt;
}

int64_t hs_view_duration_us(const struct hs_view *v, hs_job_id job)
{
    const bool is_known = hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "run time");
    return is_known ? hs_lookup_job(v, job)->work_ns / HS_NS_PER_US : 0;
}

int64_t hs_view_steps_in_all(const struct hs_view *v, hs_job_id job, double *per_s)
{
    bool is_known = hs_lookup_may_know(v, job, HS_KNOWS_DURATION, "mini-batches in all");
    *per_s = is_known ? lookup_request(v, job)->steps_per_s : 0;
    return is_known ? lookup_request(v, job)->steps : 0;
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
    const int64_t finish_us = hs_placement_of(&v->engine->jobs, j)->finish_us;
    if (j->state != HS_JOB_STARTING && j->state != HS_JOB_MIGRATING) /* no cost is being paid */
        return finish_us;
    const struct hs_work work = hs_work_of(&v->engine->jobs, j);
    int64_t work_us = hs_work_eta_us(&work, hs_rate_placed(v->engine, j));
    return work_us < HS_TIME_MAX - finish_us ? finish_us + work_us : HS_TIME_MAX;
}

int32_t hs_view_util_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "utilization"))
        return -1;
    return lookup_needs(v, job)->estimate.util_pm;
}

int32_t hs_view_util_peak_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_UTILIZATION, "peak utilization"))
        return -1;
    return lookup_needs(v, job)->estimate.util_peak_pm;
}

uint64_t hs_view_slowdown_q32(const struct hs_view *v, int32_t own_pm, int32_t beside_pm)
{
    const struct hs_predictor *p = v->engine->config.predictor;
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_UTILIZATION, "slowdown") || p == NULL)
        return HS_Q32_ONE;
    return hs_predictor_slowdown_q20(p, own_pm, beside_pm) << 12;
}

bool hs_view_profile(const struct hs_view *v, hs_job_id job, struct hs_job_profile *out)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_profile *p = profile_of(v, job);
    *out = (struct hs_job_profile){-1, -1, 0, HS_NO_PROFILE, -1};
    if (!hs_lookup_may_know(v, job, HS_KNOWS_PROFILE, "profile of a job") ||
        (!j->is_profiled && (v->engine->knows & HS_KNOWS_MODEL) == 0))
        return false;
    *out = (struct hs_job_profile){.util_pm = j->gpu_util_pm,
                                   .mem_mib = lookup_needs(v, job)->gpu_mem_first_mib,
                                   .configuration = lookup_identity(v, job)->profile,
                                   .bw_util_pm = p != NULL ? p->bw_util_pm : -1,
                                   .sharing_score = p != NULL ? p->sharing_score : -1};
    return true;
}

uint32_t hs_view_gpu_mem_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "GPU memory"))
        return 0;
    return lookup_needs(v, job)->estimate.mem_mib;
}

struct hs_iteration hs_view_iteration(const struct hs_view *v, hs_job_id job)
{
    const struct hs_stages *stages = v->engine->config.stages;
    struct hs_iteration of = {HS_STAGES_UNKNOWN, 1, {0, 1, 0}, 1000};
    if (!hs_lookup_may_know(v, job, HS_KNOWS_STAGES, "stages of iterations") || stages == NULL)
        return of;
    of.kind = lookup_identity(v, job)->stages;
    const struct hs_stage_times *times = hs_stages_times(stages, of.kind, HS_STAGES_PREDICTED);
    of.alone_ns = times->iteration_ns;
    of.overhead_pm = hs_stages_overhead_pm(stages);
    memcpy(of.stage_ns, times->stage_ns, sizeof of.stage_ns);
    return of;
}

uint64_t hs_view_rate_q32(const struct hs_view *v, hs_job_id job)
{
    const bool is_known = hs_lookup_may_know(v, job, HS_KNOWS_RATE, "measured rate");
    return is_known ? hs_placement_of(&v->engine->jobs, hs_lookup_job(v, job))->rate_q32 : 0;
}

uint32_t hs_view_node_free(const struct hs_view *v, uint32_t node)
{
    const struct hs_engine *e = v->engine;
    const bool is_usable = hs_view_node(v, node) != &nowhere && hs_view_in_service(v, node) &&
                           !(e->windows.serves && hs_free_is_aside(e->free_index, node));
    return is_usable ? hs_free_of_node(v->engine->free_index, node) : 0;
}

HS_EXPANDED uint64_t hs_view_total_gpus(const struct hs_view *v, uint32_t vc)
{
    const uint32_t at = lookup_vc(v, vc);
    const uint64_t gpus = v->engine->cluster->vcs[at].gpus;
    return v->engine->windows.count > 0 ? gpus : gpus - hs_free_aside(v->engine->free_index, at);
}

HS_EXPANDED uint64_t hs_view_free_gpus(const struct hs_view *v, uint32_t vc)
{
    return hs_free_total(v->engine->free_index, lookup_vc(v, vc));
}

/* Returns the request used to search for the job: its own, or limited to the type searched. */
static inline const struct hs_ask *search_ask(const struct hs_view *v, hs_job_id job)
{
    struct hs_engine *e = v->engine;
    if (HS_LIKELY(e->search_types == UINT64_MAX))
        return &hs_lookup_job(v, job)->ask;
    e->search_ask = hs_lookup_job(v, job)->ask;
    e->search_ask.type_mask &= e->search_types;
    e->search_ask.is_by_kind = e->search_is_by_kind;
    return &e->search_ask;
}

void hs_view_search_type(const struct hs_view *v, uint32_t type, bool is_by_kind)
{
    const bool is_one = type != HS_ANY_TYPE && is_there(v, "GPU type", type, v->gpu_types);
    v->engine->search_types = is_one ? UINT64_C(1) << type : type == HS_ANY_TYPE ? UINT64_MAX : 0;
    v->engine->search_is_by_kind = is_by_kind;
}

uint64_t hs_view_free_for(const struct hs_view *v, hs_job_id job)
{
    return hs_free_for(v->engine->free_index, search_ask(v, job));
}

HS_EXPANDED uint32_t hs_view_best_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_fit(v->engine->free_index, search_ask(v, job), gpus, HS_FIT_BEST);
}

uint32_t hs_view_best_busy(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_fit(v->engine->free_index, search_ask(v, job), gpus, HS_FIT_BEST_BUSY);
}

uint32_t hs_view_worst_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    return hs_free_fit(v->engine->free_index, search_ask(v, job), gpus, HS_FIT_WORST);
}

uint32_t hs_view_first_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t from)
{
    return hs_free_first(v->engine->free_index, search_ask(v, job), gpus, from);
}

uint32_t hs_view_idle_node(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t from)
{
    return hs_free_idle(v->engine->free_index, search_ask(v, job), size, from);
}

HS_EXPANDED uint32_t hs_view_node_size(const struct hs_view *v, hs_job_id job, uint32_t most)
{
    return hs_free_node_size(v->engine->free_index, search_ask(v, job), most, HS_NODES_NOT_ASIDE);
}

HS_EXPANDED uint32_t hs_view_node_count(const struct hs_view *v, hs_job_id job, uint32_t size,
                                        bool is_idle)
{
    return hs_free_node_count(v->engine->free_index, search_ask(v, job), size,
                              is_idle ? HS_NODES_IDLE : HS_NODES_NOT_ASIDE);
}

uint64_t hs_view_capacity(const struct hs_view *v, hs_job_id job)
{
    return hs_free_capacity(v->engine->free_index, search_ask(v, job),
                            v->engine->windows.count > 0);
}

uint32_t hs_view_rack_free(const struct hs_view *v, uint32_t rack)
{
    return is_there(v, "rack", rack, v->racks) ? hs_free_of_rack(v->engine->free_index, rack) : 0;
}

uint64_t hs_view_rack_room(const struct hs_view *v, hs_job_id job, uint32_t rack)
{
    return is_there(v, "rack", rack, v->racks)
               ? hs_free_rack_room(v->engine->free_index, search_ask(v, job), rack, false)
               : 0;
}

uint32_t hs_view_fit_in_rack(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t rack,
                             bool is_worst)
{
    return is_there(v, "rack", rack, v->racks)
               ? hs_free_fit_in_rack(v->engine->free_index, search_ask(v, job), gpus, rack,
                                     is_worst)
               : HS_NO_NODE;
}

uint32_t hs_view_idle_rack(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t count,
                           uint32_t from)
{
    return hs_free_idle_rack(v->engine->free_index, search_ask(v, job), size, count, from);
}

/* ---- shared and divided GPUs ---- */

uint32_t hs_view_gpu_milli(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.gpu_milli;
}

uint64_t hs_view_types(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->ask.type_mask;
}

uint64_t hs_view_cpus_milli(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j->gpus > 0 ? (uint64_t)j->gpus * j->ask.cpus_milli_per_gpu
                       : lookup_request(v, job)->cpus_milli;
}

uint64_t hs_view_mem_mib(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    return j->gpus > 0 ? (uint64_t)j->gpus * j->ask.mem_mib_per_gpu
                       : lookup_request(v, job)->mem_mib;
}

uint32_t hs_view_tightest_share(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (e->parts == NULL || !hs_job_is_part(j))
        return HS_NO_GPU;
    return hs_part_tightest(e->parts, search_ask(v, job), j->ask.gpu_milli);
}

uint32_t hs_view_share_room(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    return e->parts != NULL ? hs_part_most(e->parts, lookup_vc(v, vc)) : 0;
}

uint64_t hs_view_share_rooms(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    return e->parts != NULL ? hs_part_all(e->parts, lookup_vc(v, vc)) : 0;
}

/* ---- quotas ---- */

HS_EXPANDED uint64_t hs_view_quota_room_milli(const struct hs_view *v, uint32_t vc)
{
    const struct hs_engine *e = v->engine;
    const uint32_t at = lookup_vc(v, vc);
    if (e->cluster->vc_mode != HS_VC_QUOTA || (e->can & HS_CAN_BORROW) != 0)
        return UINT64_MAX;
    return hs_quota_left(e->cluster, e->vc_held_milli, at);
}

HS_EXPANDED bool hs_view_has_room(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    if (!hs_job_is_part(j) && hs_free_total(e->free_index, j->ask.vc) < j->gpus)
        return false;
    return hs_view_quota_room_milli(v, j->ask.vc) >= (uint64_t)j->gpus * j->ask.gpu_milli;
}

uint64_t hs_view_quota_room(const struct hs_view *v, uint32_t vc)
{
    uint64_t room_milli = hs_view_quota_room_milli(v, vc);
    return room_milli < UINT64_MAX ? room_milli / HS_GPU_MILLI : UINT64_MAX;
}

uint64_t hs_view_quota(const struct hs_view *v, uint32_t vc)
{
    return v->engine->cluster->vcs[lookup_vc(v, vc)].quota_gpus;
}

uint64_t hs_view_vc_held(const struct hs_view *v, uint32_t vc)
{
    return (v->engine->vc_held_milli[lookup_vc(v, vc)] + HS_GPU_MILLI - 1) / HS_GPU_MILLI;
}

int64_t hs_view_step_us(const struct hs_view *v, hs_job_id job)
{
    return lookup_training_profile(v, job)->step_ns / HS_NS_PER_US;
}

/* A step may end within a microsecond: one whose end was reported to the policy counts as ended. */
bool hs_view_is_between_steps(const struct hs_view *v, hs_job_id job)
{
    int64_t step_ns = lookup_training_profile(v, job)->step_ns;
    if (step_ns == 0)
        return true;
    const int64_t done_ns = hs_lookup_work(v, job).done_ns;
    return done_ns == hs_sharing_overhead_of(&v->engine->jobs, hs_lookup_job(v, job))->at_step_ns ||
           done_ns % step_ns == 0;
}

uint64_t hs_view_steps(const struct hs_view *v, hs_job_id job)
{
    const bool is_known = hs_lookup_may_know(v, job, HS_KNOWS_RATE, "mini-batches done");
    const int64_t step_ns = is_known ? lookup_training_profile(v, job)->step_ns : 0;
    return step_ns > 0 ? (uint64_t)(hs_lookup_work(v, job).done_ns / step_ns) : 0;
}

enum hs_job_class hs_view_class(const struct hs_view *v, hs_job_id job)
{
    v->engine->figures.reads_class = true;
    return (enum hs_job_class)lookup_identity(v, job)->job_class;
}

uint32_t hs_view_gpu_mem_persistent_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "GPU memory"))
        return 0;
    uint32_t kept_mib = lookup_training_profile(v, job)->gpu_mem_persistent_mib;
    uint32_t mib = lookup_needs(v, job)->estimate.mem_mib;
    return kept_mib < mib ? kept_mib : mib;
}

uint64_t hs_view_limited_q32(const struct hs_view *v, hs_job_id job, uint32_t limit_mib)
{
    const struct hs_engine *e = v->engine;
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "speed under a memory limit"))
        return HS_Q32_ONE;
    uint32_t peak_mib = lookup_needs(v, job)->gpu_mem_peak_mib;
    if (e->config.memcurve == NULL || limit_mib >= peak_mib)
        return HS_Q32_ONE;
    return hs_memcurve_q32(e->config.memcurve,
                           hs_intern_text(&e->names, lookup_training_profile(v, job)->model),
                           limit_mib, peak_mib);
}

uint32_t hs_view_gpu_util_pm(const struct hs_view *v, uint32_t gpu, int64_t window_us)
{
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_RATE, "utilization of a GPU"))
        return 0;
    if (window_us > 0 && v->engine->util_memory == NULL)
        return hs_plan_refuse(&v->engine->plan, HS_NO_JOB,
                              "it asked for the mean utilization of a GPU, which it did not "
                              "declare to want");
    const struct hs_gpu *g = lookup_gpu(v, gpu);
    return window_us > 0 && g != &no_gpu ? hs_utilization_mean_pm(v->engine, gpu, window_us)
                                         : hs_utilization_pm(g->load_pm_q32);
}

uint32_t hs_view_gpu_capacity_mib(const struct hs_view *v, uint32_t gpu)
{
    const struct hs_engine *e = v->engine;
    const struct hs_gpu *g = lookup_gpu(v, gpu);
    const bool is_stated = e->cluster->types[e->cluster->nodes[g->node].type].mem_mib > 0;
    return is_stated ? (uint32_t)hs_gpu_capacity_mib(e, g, 2) : UINT32_MAX;
}

bool hs_view_may_use(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_node *n = hs_view_node(v, node);
    if (n->gpus == 0) /* perhaps there is no such node */
        return false;
    bool is_of_vc = v->engine->cluster->vc_mode != HS_VC_PARTITION || n->vc == j->ask.vc ||
                    hs_free_is_aside(v->engine->free_index, node);
    return is_of_vc && hs_view_in_service(v, node) &&
           (j->ask.type_mask & v->engine->search_types) >> n->type & 1;
}

/* At the first query about a single GPU: creates a record for each. */
static const struct hs_gpu *lookup_tenants(const struct hs_view *v, uint32_t gpu)
{
    if (v->engine->plan.refused == HS_OK)
        hs_exclusive_end(v->engine);
    return lookup_gpu(v, gpu);
}

/* A policy without .load has no index to search. */
static bool may_search(const struct hs_view *v, hs_job_id job)
{
    return HS_LIKELY(v->engine->share != NULL) ||
           hs_plan_refuse(&v->engine->plan, job,
                          "it asked about GPUs to share, but does not co-locate or tells no loads");
}

uint32_t hs_view_gpu_node(const struct hs_view *v, uint32_t gpu)
{
    return lookup_gpu(v, gpu)->node;
}

uint32_t hs_view_gpu_tenants(const struct hs_view *v, uint32_t gpu)
{
    return lookup_tenants(v, gpu)->tentative_tenants;
}

uint32_t hs_view_gpu_room(const struct hs_view *v, uint32_t gpu)
{
    const struct hs_gpu *g = lookup_tenants(v, gpu);
    return g->tentative_tenants == 0 && hs_view_in_service(v, g->node)
               ? HS_GPU_MILLI
               : hs_tentative_room_milli(v->engine, g);
}

hs_job_id hs_view_gpu_tenant(const struct hs_view *v, uint32_t gpu, uint32_t i)
{
    const struct hs_allocation *a = hs_gpu_first(v->engine, lookup_tenants(v, gpu));
    for (; i > 0 && a != NULL; i--)
        a = hs_gpu_next(v->engine, a);
    return a != NULL ? a->job : HS_NO_JOB;
}

bool hs_view_may_join(const struct hs_view *v, uint32_t gpu, hs_job_id job)
{
    const struct hs_gpu *g = lookup_tenants(v, gpu);
    return (g->tentative_tenants == 0 && hs_view_in_service(v, g->node)) ||
           (hs_tentative_is_open(v->engine, g) && !hs_lookup_job(v, job)->is_alone &&
            (v->engine->can & HS_CAN_COLOCATE) != 0);
}

bool hs_view_is_alone(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_job(v, job)->is_alone;
}

/* Parameters of the checks of candidate GPUs. */
struct inquiry {
    const struct hs_engine *engine;
    const struct hs_job *job;
    const struct hs_ask *ask;
    hs_load_cost *cost_of;
    const void *ctx;
    uint64_t limit_mib; /* of claims on a shared GPU of the type */
    uint32_t capacity_mib, type;
    bool may_share;
};

static struct inquiry inquiry_of(const struct hs_view *v, hs_job_id job, hs_load_cost *cost_of,
                                 const void *ctx)
{
    return (struct inquiry){
        v->engine, hs_lookup_job(v, job), search_ask(v, job), cost_of, ctx, 0, 0, 0, false};
}

/* Returns false if the job can use no GPU of this node, shared or not. */
static bool inquire_node(struct inquiry *q, uint32_t node)
{
    const struct hs_engine *e = q->engine;
    q->type = e->cluster->nodes[node].type;
    q->capacity_mib = e->cluster->types[q->type].mem_mib;
    q->limit_mib = hs_type_capacity_mib(e, q->type, 2);
    q->may_share = (e->can & HS_CAN_COLOCATE) != 0 && !q->job->is_alone;
    return hs_free_fits(e->free_index, node, q->ask, 0) &&
           hs_free_can_book(e->free_index, node, 1, q->ask);
}

static int64_t gpu_cost(const struct inquiry *q, const struct hs_gpu *gpu)
{
    if (gpu->tentative_tenants > 0 &&
        (!q->may_share || !hs_tentative_is_open(q->engine, gpu) ||
         gpu->mem_claimed_mib + hs_claim_mib(q->engine, q->job) > q->limit_mib))
        return HS_NEVER;
    const struct hs_load load = hs_tentative_load(q->engine, gpu);
    const struct hs_load_range point = {
        .least = load, .most = load, .capacity_mib = q->capacity_mib, .gpu_type = q->type};
    return q->cost_of(q->ctx, &point);
}

int64_t hs_view_gpu_cost(const struct hs_view *v, hs_job_id slot, uint32_t gpu,
                         hs_load_cost *cost_of, const void *ctx)
{
    const struct hs_gpu *g = lookup_tenants(v, gpu);
    struct inquiry q = inquiry_of(v, slot, cost_of, ctx);
    return inquire_node(&q, g->node) ? gpu_cost(&q, g) : HS_NEVER;
}

void hs_view_node_costs(const struct hs_view *v, hs_job_id slot, uint32_t id, hs_load_cost *cost_of,
                        const void *ctx, int64_t *costs)
{
    const struct hs_node *node = hs_view_node(v, id);
    struct inquiry q = inquiry_of(v, slot, cost_of, ctx);
    if (node->gpus == 0 || !may_search(v, slot))
        return;
    const bool is_allowed = inquire_node(&q, id);
    for (uint32_t i = 0; i < node->gpus; i++)
        costs[i] = is_allowed ? gpu_cost(&q, &v->engine->gpus[node->first_gpu + i]) : HS_NEVER;
}

static struct hs_share_query query_of(const struct hs_view *v, hs_job_id job, hs_load_cost *cost_of,
                                      const void *ctx, int64_t below)
{
    return (struct hs_share_query){.ask = search_ask(v, job),
                                   .claim_mib = lookup_needs(v, job)->mem_claim_mib,
                                   .cost_of = cost_of,
                                   .ctx = ctx,
                                   .below = below};
}

uint32_t hs_view_cheapest_shared(const struct hs_view *v, hs_job_id job, hs_load_cost *cost_of,
                                 const void *ctx, int64_t below, int64_t *cost)
{
    *cost = below;
    if (!may_search(v, job) || hs_lookup_job(v, job)->is_alone)
        return HS_NO_GPU;
    const struct hs_share_query query = query_of(v, job, cost_of, ctx, below);
    return hs_share_cheapest(v->engine->share, &query, cost);
}

uint64_t hs_view_find_at_cost(const struct hs_view *v, hs_job_id job, hs_load_cost *cost_of,
                              const void *ctx, uint64_t most)
{
    const struct hs_share_query query = query_of(v, job, cost_of, ctx, HS_NEVER);
    return may_search(v, job) ? hs_share_count(v->engine->share, &query, most) : 0;
}

uint32_t hs_view_idle_gpu(const struct hs_view *v, uint32_t node, uint32_t from)
{
    const struct hs_node *n = hs_view_node(v, node);
    uint32_t id = from > n->first_gpu ? from : n->first_gpu;
    if (!hs_view_in_service(v, node))
        return HS_NO_GPU;
    while (id < n->first_gpu + n->gpus && lookup_tenants(v, id)->tentative_tenants > 0)
        id++;
    return id < n->first_gpu + n->gpus ? id : HS_NO_GPU;
}

uint32_t hs_view_find_node(const struct hs_view *v, hs_job_id job, uint32_t margin_mib,
                           uint32_t from)
{
    return may_search(v, job)
               ? hs_share_find_node(v->engine->share, search_ask(v, job),
                                    lookup_needs(v, job)->mem_claim_mib, margin_mib, from)
               : HS_NO_NODE;
}

uint32_t hs_view_cheapest_node(const struct hs_view *v, hs_job_id slot, uint32_t margin_mib,
                               hs_load_cost *cost_of, const void *ctx)
{
    const struct hs_job *job = hs_lookup_job(v, slot);
    struct hs_share_query query = query_of(v, slot, cost_of, ctx, HS_NEVER);
    if (!may_search(v, slot) || job->gpus == 0)
        return HS_NO_NODE;
    if (job->is_alone)
        query.claim_mib = UINT32_MAX;
    return hs_share_gang_node(v->engine->share, &query, job->gpus, margin_mib);
}

bool hs_view_is_full(const struct hs_view *v, hs_job_id slot)
{
    return !may_search(v, slot) || hs_share_is_full(v->engine->share, &hs_lookup_job(v, slot)->ask);
}

uint64_t hs_view_releases(const struct hs_view *v)
{
    return v->engine->releases;
}
