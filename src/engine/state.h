/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine's state, private to this folder.
 */
#ifndef HORUS_ENGINE_STATE_H
#define HORUS_ENGINE_STATE_H

#include "base/heap.h"
#include "base/intern.h"
#include "base/memory.h"
#include "engine/wait_causes.h"
#include "engine/engine.h"
#include "horus/plan.h"
#include "model/estimator.h"
#include "model/freeindex.h"
#include "model/job.h"
#include "model/shareindex.h"

/* While jobs have their GPUs to themselves (is_exclusive, exclusive.h) nothing but the node is
 * kept. */
struct hs_gpu {
    uint32_t node;
    uint32_t first_allocation; /* tenants */
    uint16_t tenants;
    uint16_t tentative_tenants; /* what it will be when the plan is applied (GPUs given by count
                                get theirs then) */
    uint16_t active;            /* tenants that are neither paused nor wait for a turn */
    uint16_t laned;             /* tenants in slice groups */
    uint16_t util_model_pm;
    uint16_t part_milli;        /* shares of the tenants, plan included; 0 = it holds none */
    bool is_given;              /* by name, to the job that is being given its GPUs: it is not
                                   offered to it again */
    uint64_t mem_claimed_mib;   /* of the tenants, plan included: as far as the policy could know */
    uint64_t mem_used_mib;      /* of the tenants, in truth */
    int32_t load_sum[HS_LOADS]; /* of the tenants, plan included, as the policy weighs them */
    uint32_t util_sum_pm;
};

/* What is remembered of the utilization of a GPU: since when it has been so high, and the sum over
 * time up to then. */
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
    HS_ACT_NOTIFY_STEP,
    HS_ACT_KILL,
    HS_ACT_REJECT,
    HS_ACT_TIMER,
    HS_ACT_COUNT,
};

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
    bool has_utilization;       /* some job has a known GPU utilization */
    uint64_t uniform_speed_q32; /* of all GPU types; 0 if they differ */
    uint32_t least_gpu_mib;     /* memory that a GPU of every type has */
    bool nodes_state_limits;    /* some node states its CPUs or host memory */

    struct hs_jobs jobs;
    struct hs_job candidate; /* template of a new job */
    struct hs_gpu *gpus;
    uint64_t *gpu_free;                 /* bit per GPU */
    struct hs_util_memory *util_memory; /* by GPU; NULL: not needed by the policy */
    uint32_t *marked_nodes;             /* nodes with a utilization to compute anew */
    bool *is_marked;
    uint32_t marked_count;
    struct hs_free *free_index;
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
    struct hs_estimation *estimation; /* of run times; NULL: nothing is to be estimated, for */
    bool estimates_are_true;          /* the policy gets the truth, or no run times */

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
};

/* Timers and counts belong to no job. */
static inline bool hs_action_has_job(const struct hs_action *a)
{
    return a->kind != HS_ACT_TIMER && a->kind != HS_ACT_COUNT;
}

/* The claim of a job that may not be put beside others: no GPU has that much. */
#define HS_CLAIM_ALONE UINT32_MAX
/* The largest claim of any other job, 256 TiB: a prediction may be anything, but the sum over all
 * tenants of a GPU is below HS_CLAIM_ALONE. */
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

/* A walk over the allocations of a job, and over those on a GPU (last placed first); NULL at the
 * end. */
static inline struct hs_allocation *hs_allocation_at(const struct hs_engine *e, uint32_t at)
{
    return at != HS_NO_ALLOCATION ? &e->jobs.allocations[at] : NULL;
}

static inline struct hs_allocation *hs_job_first(const struct hs_engine *e,
                                                 const struct hs_job *job)
{
    return hs_allocation_at(e, hs_first_allocation(&e->jobs, job));
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

#endif
