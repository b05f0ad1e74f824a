/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine's state, and what its files do for each other: private to this folder.
 */
#pragma once

#include "base/heap.h"
#include "engine/engine.h"
#include "model/estimator.h"
#include "model/job.h"
#include "model/shareindex.h"

/* ---- causes of waiting (engine.c) ---- */

/* GPUs wanted by gangs of each size, workers by the share that they want: a Fenwick tree of sums
 * from a size on, over as many sizes as the largest power of two that divides it. Most sizes are
 * powers of two, which change one sum, and a search ends at the largest size that ever waited. */
struct hs_wait_sizes {
    uint64_t *sums;         /* [1 .. most + 1]; the last is of all larger sizes, too */
    uint64_t most, largest; /* size; that ever waited */
    uint64_t wanted;
};

struct hs_wait_account_vc {
    struct hs_wait_sizes gangs, shares;
    uint32_t max_node_gpus; /* of one node of its pool */
};

struct hs_wait_account {
    struct hs_wait_account_vc *vcs;
    uint64_t gpus_wanted; /* includes workers that ask for a share */
};

/* ---- GPUs ---- */

/* While jobs have their GPUs to themselves (is_exclusive) nothing but the node is kept. */
struct hs_gpu {
    uint32_t node;
    uint32_t first_allocation; /* tenants */
    uint16_t tenants;
    uint16_t tentative_tenants; /* with the plan (GPUs given by count: when it is applied) */
    uint16_t laned;             /* tenants in slice groups */
    uint16_t part_milli;        /* shares of the tenants, plan included; 0 = it holds none */
    bool is_given;              /* by name, to the job that is being placed: not offered again */
    bool is_marked;             /* the speeds of its tenants are to be computed anew */
    uint64_t mem_claimed_mib;   /* of the tenants, plan included: as far as the policy could know */
    uint64_t mem_used_mib;      /* of the tenants, in truth */
    int32_t load_sum[HS_LOADS]; /* of the tenants, plan included, as the policy weighs them */
    uint64_t load_pm_q32, solo_pm_q32; /* sums over its tenants */
};

/* A change of the utilization of a GPU: since when, and the sum over time up to then. */
struct hs_util_change {
    int64_t at_us;
    uint64_t sum_pm_us;
    uint32_t pm;
};

struct hs_util_memory {
    struct hs_util_change changes[HS_UTIL_KEPT];
    uint64_t count; /* so far; the last HS_UTIL_KEPT are kept */
};

/* ---- the plan being written ---- */
enum hs_action_kind {
    HS_ACT_START,
    HS_ACT_PREEMPT,
    HS_ACT_SUSPEND,
    HS_ACT_ADD_OVERHEAD,
    HS_ACT_MIGRATE,
    HS_ACT_PAUSE,
    HS_ACT_RESUME,
    HS_ACT_SLICE,
    HS_ACT_CAP,
    HS_ACT_BACKGROUND,
    HS_ACT_MEM_LIMIT,
    HS_ACT_HOST, /* value: CPUs per GPU << 32 | host memory per GPU, before it */
    HS_ACT_NOTIFY_STEP,
    HS_ACT_KILL,
    HS_ACT_REJECT,
    HS_ACT_TIMER, /* of no job, as what follows */
    HS_ACT_SET_ASIDE,
    HS_ACT_COUNT,
};

/* Of a preemption: whether it ends a profile, and what was done in it is kept or lost. */
enum hs_profile_end { HS_PROFILE_NONE, HS_PROFILE_KEPT, HS_PROFILE_LOST };

/* Marks on a job while a plan is written. */
enum {
    HS_PLAN_RELEASED = 1u << 0,
    HS_PLAN_PLACED = 1u << 1,
    HS_PLAN_ENDED = 1u << 2,
    HS_PLAN_TOGGLED = 1u << 3, /* paused or resumed */
};

struct hs_pick {
    uint32_t node;
    uint32_t gpu;   /* UINT32_MAX: any free ones of the node */
    uint32_t count; /* 1 for a given GPU */
};

struct hs_action {
    enum hs_action_kind kind;
    uint32_t job;
    uint32_t first_pick, pick_count;
    uint32_t gpus; /* picked */
    uint64_t value;
    uint32_t slice_group;
    struct hs_turn turn; /* START, MIGRATE: group 0 = none */
    /* to undo the action: claims of the job before a release, a limit, a slice group */
    uint32_t claim_before_mib, limit_before_mib, claim_in_slice_group_before_mib;
    int64_t time_us;
    const char *reason, *plan_reason;
    enum hs_profile_end profile;
    bool is_kept;          /* released and placed again on the same nodes: nothing happens */
    bool is_within;        /* the same, but on other GPUs of them */
    bool takes_allocation; /* in a slice group that is new to the job: is there room? */
};

struct hs_plan {
    struct hs_engine *engine;
    struct hs_action blank; /* that says nothing yet */
    struct hs_action *actions;
    struct hs_pick *picks;
    const char *plan_reason; /* of the actions that follow */
    uint32_t triggers;       /* bit per enum hs_event_kind reported before it was begun */
    uint32_t count, action_cap, pick_count, pick_cap;
    uint32_t kinds;        /* bit per enum hs_action_kind that was appended, rolled back or not */
    bool has_named;        /* some pick names its GPU */
    bool has_slice_groups; /* some job joins a slice group */
    bool is_open;          /* the last action still takes GPUs */
    bool is_writing;       /* inside decide() */
    bool is_applying;      /* inside hs_commit() */
    bool has_ended_job;    /* by a kill or a rejection */
    enum hs_status refused;
};

struct hs_timer {
    int64_t at_us;
    uint64_t tag;
    uint32_t next_free;
};

#define HS_OBSERVERS_MAX 10

struct hs_engine {
    struct hs_engine_config config;
    struct hs_diag *diag;
    const struct hs_cluster *cluster;
    const struct hs_policy_ops *policy;
    void *policy_state;
    void *no_scratch; /* of a job that does not exist */
    uint32_t can, knows;
    struct hs_view view;
    struct hs_plan plan;
    struct hs_arena arena;
    bool is_initialising;
    bool is_exclusive;          /* one allocation for all GPUs of a job on a node (progress.h) */
    char misfit[160];           /* why the last job was turned away, where numbers are in it */
    uint64_t uniform_speed_q32; /* of all GPU types; 0 if they differ */
    uint32_t least_gpu_mib;     /* memory that a GPU of every type has */
    bool nodes_state_limits;    /* some node states its CPUs or host memory */

    struct hs_jobs jobs;
    struct hs_gpu *gpus;
    uint64_t *gpu_free;                 /* bit per GPU */
    struct hs_util_memory *util_memory; /* by GPU; NULL: not needed by the policy */
    uint32_t *marked_nodes;             /* nodes with slice groups to check */
    bool *is_marked;
    uint32_t marked_count;
    struct hs_free *free_index;
    uint64_t search_types;     /* bit per GPU type that searches for a job look at */
    struct hs_ask search_ask;  /* scratch: what such a search asks for */
    struct hs_share *share;    /* NULL under a policy that shares nothing */
    struct hs_part *parts;     /* GPUs that hold shares; NULL before there is one */
    uint64_t releases;         /* workers that left a GPU, or claim less */
    uint64_t *vc_held_milli;   /* held per VC, plan included */
    struct hs_heap job_events; /* by placement: there are few, and they lie together */
    struct hs_heap timer_events;
    struct hs_timer *timers;
    uint32_t timer_cap, timer_high, free_timer;
    uint64_t timer_sequence;
    struct hs_intern names;
    uint32_t *usual_training; /* by profile, and by the source of its names (lifecycle.c) */
    uint32_t usual_training_cap;
    struct hs_wait_account wait_account;
    struct hs_estimation *estimation; /* of run times; NULL: none is asked for */

    int64_t now_us;
    struct hs_instant instant;
    struct hs_engine_figures figures;
    /* conservation: ns of isolated work */
    hs_u128 work_submitted_ns, work_done_ns, work_lost_ns;

    struct hs_observer observers[HS_OBSERVERS_MAX];
    uint32_t observer_count;
    uint32_t triggers; /* bit per enum hs_event_kind reported since the last plan was begun */
    /* bit per observer with that callback */
    uint32_t hears_submit, hears_start, hears_segment, hears_decision, hears_finish, hears_reject,
        hears_instant;
    bool tells_words;            /* some observer of jobs does not do without words */
    struct hs_job_record record; /* scratch of a segment or a finish, */
    uint32_t recorded;     /* job whose last segment is in it: its finish has the same record */
    uint32_t *gpu_ids;     /* scratch: GPU ids of one placement; gpu_count of them */
    int64_t *node_balance; /* scratch, a node each: all 0 between uses */
    uint32_t *touched;     /* scratch: jobs with a rate to compute anew */
    uint32_t touched_count, touched_cap;
    uint32_t *marked_gpus; /* scratch: with speeds to compute anew */
    uint32_t marked_gpu_count, marked_gpu_cap;
    struct hs_tenant *tenants;         /* scratch: that run on one GPU, */
    struct hs_fair_share *fair_shares; /* and what each gets of it */
    uint32_t tenant_cap, fair_share_cap;
};

/* The claim of a job that may not be put beside others: no GPU has that much. */
#define HS_CLAIM_ALONE UINT32_MAX
/* The largest claim of any other job, 256 TiB: so all of a GPU are below HS_CLAIM_ALONE. */
#define HS_CLAIM_MOST (HS_CLAIM_ALONE / HS_TENANTS_MAX)

/* What the tenants of a GPU of the type may claim in all when there are so many. */
static inline uint64_t hs_type_capacity_mib(const struct hs_engine *e, uint32_t type,
                                            uint32_t tenants)
{
    uint32_t mib = e->cluster->types[type].mem_mib;
    uint32_t reserve = tenants > 1 ? e->config.memory_reserve_mib : 0;
    if (mib == 0) /* but a job that has to be alone is kept alone */
        return HS_CLAIM_ALONE - 1;
    return mib > reserve ? mib - reserve : 0;
}

static inline uint64_t hs_gpu_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                           uint32_t tenants)
{
    return hs_type_capacity_mib(e, e->cluster->nodes[gpu->node].type, tenants);
}

/* The job asks for a share of each of its GPUs, and gets it. */
static inline bool hs_job_is_part(const struct hs_job *job)
{
    return job->ask.gpu_milli < HS_GPU_MILLI;
}

static inline struct hs_job *hs_engine_job(struct hs_engine *e, uint32_t slot)
{
    return &e->jobs.jobs[slot];
}

static inline bool hs_engine_has_job(const struct hs_engine *e, uint32_t slot)
{
    return slot < e->jobs.slots.high && e->jobs.jobs[slot].is_live;
}

/* A walk over the allocations of a job, or on a GPU (last placed first); NULL at the end. */
static inline struct hs_allocation *hs_allocation_at(const struct hs_engine *e, uint32_t at)
{
    return at != HS_NO_ALLOCATION ? &e->jobs.allocations[at] : NULL;
}

static inline struct hs_allocation *hs_job_first(const struct hs_engine *e,
                                                 const struct hs_job *job)
{
    return hs_allocation_at(e, hs_placement_of(&e->jobs, job)->first_allocation);
}

static inline struct hs_allocation *hs_job_next(const struct hs_engine *e,
                                                const struct hs_allocation *a)
{
    return hs_allocation_at(e, a->next_of_job);
}

static inline struct hs_allocation *hs_gpu_first(const struct hs_engine *e,
                                                 const struct hs_gpu *gpu)
{
    return hs_allocation_at(e, gpu->first_allocation);
}

static inline struct hs_allocation *hs_gpu_next(const struct hs_engine *e,
                                                const struct hs_allocation *a)
{
    return hs_allocation_at(e, a->next_on_gpu);
}

static inline struct hs_job *hs_tenant(const struct hs_engine *e, const struct hs_allocation *a)
{
    return &e->jobs.jobs[a->job];
}

static inline struct hs_job_placement *hs_tenant_placement(const struct hs_engine *e,
                                                           const struct hs_allocation *a)
{
    return hs_placement_of(&e->jobs, hs_tenant(e, a));
}

/* The memory claim of the job per GPU, beside others of its slice group. */
static inline uint32_t hs_claim_mib(const struct hs_engine *e, const struct hs_job *job)
{
    return hs_needs_of(&e->jobs, job)->mem_claim_mib;
}

static inline bool hs_job_is_placed(const struct hs_job *job)
{
    return job->state == HS_JOB_STARTING || job->state == HS_JOB_RUNNING ||
           job->state == HS_JOB_PAUSED || job->state == HS_JOB_MIGRATING;
}

/* ---- engine.c ---- */

/* The GPUs of a gang, or its workers that ask for a share, begin (sign 1) or cease (-1) to wait. */
void hs_wait_account_change(struct hs_wait_account *wait_account, const struct hs_ask *ask,
                            uint32_t gpus, int sign);

/* ---- plan_build.c: the tentative state ---- */

/* All allocations of a placed job are released, or held again. */
void hs_tentative_change_job(struct hs_engine *e, const struct hs_job *job, bool is_release);
/* One GPU by name, idle or shared, with its node. */
void hs_tentative_change_gpu(struct hs_engine *e, uint32_t gpu, const struct hs_job *job,
                             bool is_release);
/* The same without its node, where GPUs that are counted already get names; sign: 1 or -1. */
void hs_tentative_book(struct hs_engine *e, uint32_t gpu, const struct hs_job *job, int sign);
/* The job's claim becomes another one on each of its GPUs. */
void hs_tentative_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib);
/* Brings the indexes of shared and divided GPUs up to what the GPU has now. */
void hs_tentative_refresh(struct hs_engine *e, uint32_t gpu);
/* What a GPU that holds shares has for one more; 0 = nothing, or it holds none. */
uint32_t hs_tentative_room_milli(const struct hs_gpu *gpu);
/* What the policy may see of a GPU. */
struct hs_load hs_tentative_load(const struct hs_engine *e, const struct hs_gpu *gpu);
/* May one more job join the GPU, by the number of tenants and by jobs that must run alone? */
bool hs_tentative_is_open(const struct hs_engine *e, const struct hs_gpu *gpu);

/* ---- plan_build.c, commit.c ---- */

void hs_plan_begin(struct hs_engine *e);
/* HS_E_POLICY if an action was refused (reported), else HS_OK with the last action complete. */
HS_MUST_USE enum hs_status hs_plan_end(struct hs_engine *e);
/* Applies an accepted plan to the jobs: all releases, then all placements, then settings in their
 * order, then the events that report the result to the policy. */
HS_MUST_USE enum hs_status hs_commit(struct hs_engine *e);
/* The job has reached the work at which its memory changes. */
void hs_commit_memory_change(struct hs_engine *e, struct hs_job *job);

/* Reports a policy bug and remembers it: the run ends with it after the next decision, whether it
 * was made there or in on_event. Always false. */
HS_PRINTF(3, 4)
HS_COLD bool hs_plan_refuse(struct hs_plan *p, hs_job_id job, const char *fmt, ...);

/* ---- view.c: what is not there is refused, and answered from a default record ---- */

HS_COLD const struct hs_job *hs_lookup_default(const struct hs_view *v, hs_job_id job);

static inline const struct hs_job *hs_lookup_job(const struct hs_view *v, hs_job_id job)
{
    return HS_LIKELY(job < v->engine->jobs.slots.high) ? &v->engine->jobs.jobs[job]
                                                       : hs_lookup_default(v, job);
}

/* ---- gpu_tenants.c: memory ---- */

/* What is added up of the tenants of a GPU: the memory that they use, or claim; how many may run at
 * the same time, of each slice group its largest coscheduled set; how many are on it at a time. */
enum hs_gpu_need { HS_NEED_USED, HS_NEED_CLAIMED, HS_NEED_RUNNING, HS_NEED_RESIDENT };
/* Of the tenants from this allocation on, in the order of the list of the GPU (last placed first;
 * NULL: none). O(n) for n tenants outside slice groups, O(n^2) in them. */
uint64_t hs_gpu_memory(const struct hs_engine *e, const struct hs_allocation *from,
                       enum hs_gpu_need what);
/* What the GPU has for them: less, where more than one of them is on it at a time. */
uint64_t hs_gpu_memory_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    const struct hs_allocation *from);
/* The memory that a plan counts for a job on a GPU: its claim, or in a slice group (NULL: none) the
 * part that it keeps. The second: where the job is now. */
uint32_t hs_gpu_memory_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                 const struct hs_turn *turn);
uint32_t hs_gpu_memory_claim_now_mib(const struct hs_engine *e, const struct hs_job *job);
/* A tenant of the GPU takes so much more: outside slice groups nothing else changes. */
static inline void hs_gpu_memory_recount(struct hs_engine *e, struct hs_gpu *gpu,
                                         int64_t change_mib)
{
    if (HS_LIKELY(gpu->laned == 0))
        gpu->mem_used_mib = (uint64_t)((int64_t)gpu->mem_used_mib + change_mib);
    else
        gpu->mem_used_mib = hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_USED);
}
/* The job's need by its progress and its limit: true when it takes more than before. */
bool hs_gpu_memory_update(struct hs_engine *e, struct hs_job *job);
/* Its speed under its limit, and what it has on the host, by how things stand now. */
void hs_gpu_memory_settle(struct hs_engine *e, struct hs_job *job);
/* ---- gpu_tenants.c: utilization ---- */

/* Appends to the history: the utilization from now on. */
void hs_utilization_remember(struct hs_util_memory *memory, int64_t now_us, uint32_t pm);

/* Per mille, at most 1000. */
static inline uint32_t hs_utilization_pm(uint64_t load_pm_q32)
{
    const uint64_t pm = (load_pm_q32 + HS_Q32_ONE / 2) >> 32;
    return pm < 1000 ? (uint32_t)pm : 1000;
}

/* Part of a GPU that the job keeps busy when it is alone there, per mille. */
static inline uint32_t hs_utilization_alone_pm(const struct hs_job *job)
{
    const uint32_t pm = job->gpu_util_pm > 0 ? (uint32_t)job->gpu_util_pm : 0;
    return pm < job->ask.gpu_milli ? pm : job->ask.gpu_milli; /* the rest is not its own */
}

/* Busy part of a GPU that a job holds, per mille, Q32: its duty alone, less by as much as the job
 * is slower than alone on that type. Of a gang that holds another number of GPUs than it asked for
 * by the work of each, but no more than it is given in its part of the time. */
uint64_t hs_utilization_load_pm_q32(const struct hs_engine *e, const struct hs_job *job,
                                    const struct hs_allocation *a, uint64_t rate_q32,
                                    uint64_t part_q32);
/* The part of the time that share and throttle leave to a job that runs, Q32. */
static inline uint64_t hs_part_of_time_q32(const struct hs_job *job,
                                           const struct hs_job_placement *placement)
{
    return job->state == HS_JOB_RUNNING ? hs_q32_mul(placement->share_q32, placement->cap_q32) : 0;
}

/* Books what the job makes of its GPUs from now on: at its rate, and if no other slowed it in its
 * part of the time, both Q32. O(allocations). */
void hs_utilization_book(struct hs_engine *e, const struct hs_job *job, uint64_t rate_q32,
                         uint64_t part_q32);
/* A job has joined or left a slice group on the node, or its share changed. */
void hs_utilization_mark(struct hs_engine *e, uint32_t node);
/* All marked nodes, O(tenants). HS_E_POLICY where the shares of a slice group exceed 1. */
HS_MUST_USE enum hs_status hs_utilization_settle(struct hs_engine *e);
/* Mean of the last window_us, per mille, as far as it is remembered. */
uint32_t hs_utilization_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us);

/* ---- progress.c ---- */

/* Adds dt > 0 at its present rate to the account of a placed job. */
void hs_progress_account(struct hs_engine *e, struct hs_job *job, int64_t dt);

/* Brings the job's account up to now. */
static inline void hs_progress_sync(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    if (job->placement == 0 || placement->synced_us == e->now_us)
        return;
    hs_progress_account(e, job, e->now_us - placement->synced_us);
    placement->synced_us = e->now_us;
}

/* Places the job on count GPUs, given as ascending ids and already taken off the free ones; the
 * caller sets its state and its rate. Co-tenants are marked as touched. */
void hs_progress_allocate(struct hs_engine *e, struct hs_job *job, const uint32_t *ids,
                          uint32_t count);
/* Frees all its allocations; co-tenants are marked as touched. */
void hs_progress_deallocate(struct hs_engine *e, struct hs_job *job);
/* Do it and the tenants placed before it use more memory than there is on some GPU? */
bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job);
/* The job counts as placed last on its GPUs from now on. */
void hs_progress_renew(struct hs_engine *e, const struct hs_job *job);
/* Its GPU ids, ascending, into e->gpu_ids; the count. */
uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job);
/* What the job does on its GPUs changed, for its co-runners too. */
void hs_progress_touch_beside(struct hs_engine *e, struct hs_job *job);
/* Time of a GPU that its tenants use, and that it has for them: per mille, Q32. */
struct hs_gpu_time {
    uint64_t load_pm_q32, limit_pm_q32;
};
/* Counts it anew. False: a speed or a sum that is kept differs. */
bool hs_progress_recount(struct hs_engine *e, uint32_t gpu, struct hs_gpu_time *time);
/* Rates a placed job and schedules its next event, at once: by what stands now. */
void hs_progress_rate(struct hs_engine *e, struct hs_job *job);
/* Marks the job for a new rate, before time moves on. */
void hs_progress_touch(struct hs_engine *e, struct hs_job *job);
/* Rates and next events of all touched jobs. */
HS_MUST_USE enum hs_status hs_progress_rerate_touched(struct hs_engine *e);

HS_MUST_USE static inline enum hs_status hs_progress_rerate(struct hs_engine *e)
{
    return e->touched_count + e->marked_count + e->marked_gpu_count > 0
               ? hs_progress_rerate_touched(e)
               : e->plan.refused;
}

/* Of the job alone on a GPU of the type, relative to the reference type, Q32. */
uint64_t hs_speed_alone_q32(const struct hs_engine *e, const struct hs_job *job, uint32_t type);
/* The rate of the job now, Q32. */
uint64_t hs_rate_now(const struct hs_engine *e, const struct hs_job *job);
/* The rate that its placement gives a job, once it is not held up by a cost. */
uint64_t hs_rate_placed(const struct hs_engine *e, const struct hs_job *job);
/* Leaves the mode at the first question about a single GPU. O(live jobs + GPUs), once. */
HS_COLD void hs_exclusive_end_now(struct hs_engine *e);

static inline void hs_exclusive_end(struct hs_engine *e)
{
    if (HS_UNLIKELY(e->is_exclusive))
        hs_exclusive_end_now(e);
}

/* Allocates the lowest free GPUs of the picked nodes; state and rate are the caller's. */
void hs_exclusive_allocate(struct hs_engine *e, const struct hs_action *a);
/* Frees all its allocations; is_release: its attempt is over, plans may use its GPUs. */
void hs_exclusive_deallocate(struct hs_engine *e, struct hs_job *job, bool is_release);

/* ---- lifecycle.c ---- */

/* Makes a live job of a trace record, or rejects it; tells observers and policy. */
HS_MUST_USE enum hs_status hs_lifecycle_submit(struct hs_engine *e,
                                               const struct hs_trace_job *record);
/* The work of a placed job, or of an attempt that fails, is done: frees its GPUs, reports the end,
 * recycles the slot or submits the next attempt. */
HS_MUST_USE enum hs_status hs_lifecycle_finish(struct hs_engine *e, struct hs_job *job);
/* Ends a waiting or released job, as HS_JOB_FAILED or HS_JOB_REJECTED. */
/* What the job did since it was placed is lost, and to be done again: the sum of the work does not
 * change. */
void hs_lifecycle_lose_placement(struct hs_engine *e, struct hs_job *job);
/* Counts a run on nodes set aside that ends now, and its GPU time. */
void hs_lifecycle_book_profile(struct hs_engine *e, const struct hs_job *job,
                               enum hs_policy_counter how);
HS_COLD HS_MUST_USE enum hs_status hs_lifecycle_abandon(struct hs_engine *e, struct hs_job *job,
                                                        enum hs_job_state state,
                                                        const char *reason);
/* At the horizon: closes segments and rows of all live jobs, in order of the trace. */
HS_MUST_USE enum hs_status hs_lifecycle_cut(struct hs_engine *e);
void hs_lifecycle_notify_policy(struct hs_engine *e, enum hs_event_kind kind,
                                const struct hs_job *job, uint64_t tag);
/* The memory claim of the job per GPU: the predicted memory, at most its limit; 0 under a policy
 * without HS_KNOWS_MEMORY; more than any GPU has when it must run alone. */
uint32_t hs_oom_claim_mib(const struct hs_engine *e, const struct hs_job *job, uint32_t limit_mib);
/* A placed job is killed because its GPU ran out of memory: what it did since its start is lost, it
 * waits again, is believed to need more, and after oom_retries kills it runs only alone. */
HS_MUST_USE enum hs_status hs_oom(struct hs_engine *e, struct hs_job *job);

/* ---- lifecycle.c: observers ---- */

HS_MUST_USE enum hs_status hs_observe_start(struct hs_engine *e, struct hs_job *job);
/* An applied action, with the GPUs held now; only where e->hears_decision is set. */
HS_MUST_USE enum hs_status hs_observe_decision(struct hs_engine *e, const struct hs_action *a,
                                               enum hs_decision_kind kind, uint64_t value);
/* Closes the running segment of a placed, synced job. */
HS_MUST_USE enum hs_status hs_observe_segment(struct hs_engine *e, const struct hs_job *job,
                                              enum hs_segment_end ended_by);
HS_MUST_USE enum hs_status hs_observe_finish(struct hs_engine *e, const struct hs_job *job,
                                             int64_t finish_us, const char *reason);
/* Reports the state of the instant. */
HS_MUST_USE enum hs_status hs_observe_instant(struct hs_engine *e);
