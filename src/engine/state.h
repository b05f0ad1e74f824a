/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine's state, and what its files do for each other: private to this folder.
 */
#pragma once

#include "base/heap.h"
#include "engine/engine.h"
#include "model/estimator.h"
#include "model/job.h"
#include "model/machine.h"
#include "model/shareindex.h"

/* ---- causes of waiting (engine.c) ---- */

/* GPUs that waiting gangs want, by size of the gang; for workers that ask for a share, their number
 * by share. A Fenwick tree: entry i holds the sum of the sizes from i on, over as many sizes as the
 * largest power of two that divides i. A size that is a power of two changes one entry, and a query
 * ends at the largest size that ever waited. */
struct hs_wait_sizes {
    uint64_t *sums;         /* [1 .. most + 1]; the last entry counts all larger sizes */
    uint64_t most, largest; /* largest size of the tree; largest size that ever waited */
    uint64_t wanted;
};

struct hs_wait_account_vc {
    struct hs_wait_sizes gangs, shares;
    uint32_t max_node_gpus; /* GPUs of the largest node of the pool */
};

struct hs_wait_account {
    struct hs_wait_account_vc *vcs;
    uint64_t gpus_wanted; /* workers that ask for a share count as one GPU */
};

/* ---- GPUs ---- */

/* While no GPU is shared (is_exclusive) only the node is maintained. */
struct hs_gpu {
    uint32_t node;
    uint32_t first_allocation; /* list of its tenants */
    uint16_t tenants;
    uint16_t tentative_tenants; /* tenants with the plan included (GPUs given by count: when it is
                                   applied) */
    uint16_t laned;             /* tenants that are in slice groups */
    uint16_t part_milli; /* sum of the tenants' shares, plan included; 0 = it holds no shares */
    bool is_given;       /* given by name to the job being placed, so it is not offered again */
    bool is_marked;      /* the speeds of its tenants must be computed again */
    uint64_t mem_claimed_mib;   /* sum of the tenants' claims, plan included, by predictions */
    uint64_t mem_used_mib;      /* sum of the memory that the tenants really use */
    int32_t load_sum[HS_LOADS]; /* sums of the tenants' loads as the policy weighs them, plan
                                   included */
    uint64_t load_pm_q32, solo_pm_q32; /* sums over its tenants */
};

/* A change of the utilization of a GPU: its time, and the integral up to it. */
struct hs_util_change {
    int64_t at_us;
    uint64_t sum_pm_us;
    uint32_t pm;
};

struct hs_util_memory {
    struct hs_util_change changes[HS_UTIL_KEPT];
    uint64_t count; /* number of changes so far; the last HS_UTIL_KEPT are kept */
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
    HS_ACT_LOSE_WORK,
    HS_ACT_KILL,
    HS_ACT_REJECT,
    HS_ACT_TIMER, /* this and the following kinds concern no job */
    HS_ACT_SET_ASIDE,
    HS_ACT_COUNT,
};

/* Whether a preemption ends a profile, and whether the work done in it is kept or lost. */
enum hs_profile_end { HS_PROFILE_NONE, HS_PROFILE_KEPT, HS_PROFILE_LOST };

/* Flags of a job while a plan is written. */
enum {
    HS_PLAN_RELEASED = 1u << 0,
    HS_PLAN_PLACED = 1u << 1,
    HS_PLAN_ENDED = 1u << 2,
    HS_PLAN_TOGGLED = 1u << 3, /* paused or resumed */
};

struct hs_pick {
    uint32_t node;
    uint32_t gpu;   /* UINT32_MAX: any free GPUs of the node */
    uint32_t count; /* 1 if the GPU is named */
};

struct hs_action {
    enum hs_action_kind kind;
    uint32_t job;
    uint32_t first_pick, pick_count;
    uint32_t gpus; /* GPUs picked so far */
    uint64_t value;
    uint32_t slice_group;
    struct hs_turn turn; /* of START and MIGRATE; group 0 = none */
    /* What an undo restores: the claims of the job before a release, a limit, a slice group. */
    uint32_t claim_before_mib, limit_before_mib, claim_in_slice_group_before_mib;
    int64_t time_us;
    const char *reason, *plan_reason;
    enum hs_profile_end profile;
    bool is_kept;          /* released and placed again on the same nodes: no change */
    bool is_within;        /* released and placed again on other GPUs of the same nodes */
    bool takes_allocation; /* puts the job into a slice group, so the plan checks that its memory
                              fits */
};

struct hs_plan {
    struct hs_engine *engine;
    struct hs_action blank; /* an action without content, to copy from */
    struct hs_action *actions;
    struct hs_pick *picks;
    const char *plan_reason; /* reason of the actions that follow */
    uint32_t triggers; /* events reported before the plan was begun: a bit per enum hs_event_kind */
    uint32_t count, action_cap, pick_count, pick_cap;
    uint32_t kinds;        /* kinds of the actions appended, rolled back or not: a bit per enum
                              hs_action_kind */
    bool has_named;        /* some pick names its GPU */
    bool has_slice_groups; /* some action puts a job into a slice group */
    bool is_open;          /* the last action may still take GPUs */
    bool is_writing;       /* decide() is running */
    bool is_applying;      /* hs_commit() is running */
    bool has_ended_job;    /* it kills or rejects a job */
    enum hs_status refused;
};

/* A node under machine events. */
struct hs_machine {
    uint64_t speed_q32; /* of its GPUs, relative to their type; Q32_ONE unless slow */
    uint8_t why_out;    /* 0: in service (machines.c) */
};

/* A reservation that begins or ends. */
struct hs_window_change {
    int64_t at_us;
    uint32_t window;
    bool is_end;
};

/* A waiting job that belongs to the owner of a window. */
struct hs_window_waiting {
    uint32_t slot;
    uint64_t index;    /* in the trace: the slot may be of another by now, */
    int64_t submit_us; /* or the job may have been submitted anew */
};

/* ---- reservations (windows.c); of a run without any, all is zero ---- */
struct hs_windows {
    struct hs_reserved *of; /* by start */
    bool *is_over;
    uint32_t *users, *vcs; /* owner: interned name, 0 = any; index, UINT32_MAX = any */
    struct hs_window_change *changes;
    uint32_t next_change, change_count;
    uint32_t opened;  /* the first so many have begun */
    uint32_t reached; /* the first so many are left out of searches, unless they are over */
    uint32_t left;
    bool *has_job; /* per interned name of a user: a job of it was submitted */
    uint32_t user_count;
    uint32_t count;
    bool serves; /* the engine starts jobs of owners: the policy has no HS_CAN_RESERVE */
    struct hs_window_waiting *waiting; /* then: by submission */
    uint32_t waiting_count, waiting_cap;
    uint32_t *covers; /* per node: windows that leave it out of searches */
};

#define HS_OBSERVERS_MAX 10

struct hs_engine {
    struct hs_engine_config config;
    struct hs_diag *diag;
    const struct hs_cluster *cluster;
    const struct hs_policy_ops *policy;
    void *policy_state;
    void *no_scratch; /* returned for a job that does not exist */
    uint32_t can, knows;
    struct hs_view view;
    struct hs_plan plan;
    struct hs_arena arena;
    bool is_initialising;
    bool has_warned;             /* hs_view_warn */
    bool is_worst_order;         /* the jobs of a group interleave in their worst order */
    bool is_exclusive;           /* one allocation for all GPUs of a job on a node (progress.h) */
    char misfit[160];            /* text of the last rejection that contains numbers */
    uint64_t uniform_speed_q32;  /* speed of all GPU types; 0 if they differ */
    uint32_t least_gpu_mib;      /* least memory of a GPU over all types */
    bool nodes_state_limits;     /* some node states CPUs or host memory */
    struct hs_machine *machines; /* by node; NULL: no machine events */
    uint32_t *gpu_holder;        /* likewise, by GPU: the last job on it while is_exclusive */
    struct hs_machine_feed *machine_feed; /* likewise */
    struct hs_homes *homes;               /* at the time of a fork; else NULL */
    uint32_t slow_nodes;                  /* number of nodes with another speed than their type */

    struct hs_jobs jobs;
    struct hs_gpu *gpus;
    uint64_t *gpu_free;                 /* set of the free GPUs */
    struct hs_util_memory *util_memory; /* per GPU; NULL if the policy does not need it */
    uint32_t *marked_nodes;             /* nodes on which the plan changes slice groups: the end of
                                           the plan checks the memory of their GPUs */
    bool *is_marked;
    uint32_t marked_count;
    struct hs_free *free_index;
    uint64_t search_types;     /* set of the GPU types that searches consider */
    bool search_is_by_kind;    /* ties of searches limited to a type */
    struct hs_ask search_ask;  /* memory: the demand of such a search */
    struct hs_share *share;    /* index of shared GPUs; NULL if the policy shares none */
    struct hs_part *parts;     /* index of the GPUs that hold shares; NULL before the first one */
    uint64_t releases;         /* number of times that a worker left a GPU or reduced its claim */
    uint64_t *vc_held_milli;   /* thousandths of GPUs held per VC, plan included; then per cohort */
    uint64_t *type_gpus;       /* on nodes in service, by VC if these are apart, and type */
    struct hs_heap job_events; /* next event of each placed job, by placement: these are few and lie
                                  together */
    struct hs_heap timer_events;
    uint64_t *timer_tags; /* by timer */
    struct hs_pool timers;
    uint64_t timer_sequence;
    struct hs_intern names;
    uint32_t *usual_training; /* per profile and source of its names (lifecycle.c) */
    uint32_t usual_training_cap;
    struct hs_wait_account wait_account;
    struct hs_windows windows;
    struct hs_estimation *estimation; /* of run times; NULL if the policy needs none */

    struct hs_arrivals *arrivals; /* jobs still to be submitted */
    int64_t now_us;
    struct hs_instant instant;
    struct hs_engine_figures figures;
    uint64_t recount_after; /* instants until the next recount (--check=full) */
    /* for the conservation check: ns of isolated work */
    hs_u128 work_submitted_ns, work_done_ns, work_lost_ns;

    struct hs_observer observers[HS_OBSERVERS_MAX];
    uint32_t observer_count;
    /* Events reported since the last plan was begun: a bit per enum hs_event_kind. */
    uint32_t triggers;
    /* sets of observers, a bit for each that has the callback */
    uint32_t observes_submit, observes_start, observes_segment, observes_decision, observes_finish,
        observes_reject, observes_instant;
    bool needs_texts;            /* some observer of jobs needs their texts */
    struct hs_job_record record; /* memory: the record of a segment or a finish */
    uint32_t recorded;     /* the job that `record` describes since its last segment; its finish
                              reports the same record */
    uint32_t *gpu_ids;     /* memory: the gpu_count GPU ids of a placement */
    int64_t *node_balance; /* memory: one per node, all 0 between uses */
    uint32_t *touched;     /* jobs whose progress rate is out of date */
    uint32_t touched_count, touched_cap;
    uint32_t *marked_gpus; /* GPUs on which speeds must be computed again */
    uint32_t marked_gpu_count, marked_gpu_cap;
    struct hs_tenant *tenants;         /* memory: the running tenants of one GPU, */
    struct hs_fair_share *fair_shares; /* and the share of its time that each gets */
    uint32_t tenant_cap, fair_share_cap;
};

/* Claim of a job that must run alone; it exceeds the memory of every GPU. */
#define HS_CLAIM_ALONE UINT32_MAX
/* Largest claim of any other job, 256 TiB, so that the claims of all tenants of a GPU together stay
 * below HS_CLAIM_ALONE. */
#define HS_CLAIM_MOST (HS_CLAIM_ALONE / HS_TENANTS_MAX)

/* Memory that so many tenants of a GPU of this type may claim together. */
static inline uint64_t hs_type_capacity_mib(const struct hs_engine *e, uint32_t type,
                                            uint32_t tenants)
{
    uint32_t mib = e->cluster->types[type].mem_mib;
    uint32_t reserve = tenants > 1 ? e->config.memory_reserve_mib : 0;
    if (mib == 0) /* a job that must run alone stays alone */
        return HS_CLAIM_ALONE - 1;
    return mib > reserve ? mib - reserve : 0;
}

static inline uint64_t hs_gpu_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                           uint32_t tenants)
{
    return hs_type_capacity_mib(e, e->cluster->nodes[gpu->node].type, tenants);
}

/* Whether the job asks for a share of each of its GPUs, and gets it. */
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

/* Walks the allocations of a job, or those on a GPU (last placed first); NULL at the end. */
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

/* Memory claim of the job per GPU, beside the other jobs of its slice group. */
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

/* Counts the GPUs of a gang, or its workers that ask for a share, as waiting (sign 1), or no longer
 * (-1). */
void hs_wait_account_change(struct hs_wait_account *wait_account, const struct hs_ask *ask,
                            uint32_t gpus, int sign);

/* ---- plan_build.c: the tentative state ---- */

/* Releases all allocations of a placed job in the tentative state, or holds them again. */
void hs_tentative_change_job(struct hs_engine *e, const struct hs_job *job, bool is_release);
/* The same for one GPU that is counted already and now gets a name; sign: 1 or -1. */
void hs_tentative_book(struct hs_engine *e, uint32_t gpu, const struct hs_job *job, int sign);
/* Changes the claim of the job on each of its GPUs. */
void hs_tentative_claim(struct hs_engine *e, struct hs_job *job, uint32_t claim_mib);
/* Updates the indexes of shared and divided GPUs with the present state of the GPU. */
void hs_tentative_refresh(struct hs_engine *e, uint32_t gpu);
/* Room for one more share on a GPU that holds shares; 0 = no room, or it holds none. */
uint32_t hs_tentative_room_milli(const struct hs_engine *e, const struct hs_gpu *gpu);
/* The load of a GPU as a policy may see it. */
struct hs_load hs_tentative_load(const struct hs_engine *e, const struct hs_gpu *gpu);
/* Whether one more job may join the GPU, by the number of tenants and jobs that must run alone. */
bool hs_tentative_is_open(const struct hs_engine *e, const struct hs_gpu *gpu);

/* ---- plan_build.c, commit.c ---- */

void hs_plan_begin(struct hs_engine *e);
/* HS_E_POLICY if an action was refused (reported), else HS_OK with the last action complete. */
HS_MUST_USE enum hs_status hs_plan_end(struct hs_engine *e);
/* Applies an accepted plan to the jobs: all releases, then all placements, then settings in their
 * order, then the events that report the result to the policy. */
HS_MUST_USE enum hs_status hs_commit(struct hs_engine *e);
/* Handles the progress of the job at which its memory changes. */
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

/* need: HS_KNOWS_x; what: the quantity, for the message. */
static inline bool hs_lookup_may_know(const struct hs_view *v, hs_job_id job, uint32_t need,
                                      const char *what)
{
    return HS_LIKELY((v->engine->knows & need) != 0) ||
           hs_plan_refuse(&v->engine->plan, job,
                          "it asked for the %s, which it did not declare to know", what);
}

/* Current progress: the account is updated lazily. */
struct hs_work hs_lookup_work(const struct hs_view *v, hs_job_id job);

/* ---- gpu_tenants.c: memory ---- */

/* What hs_gpu_memory adds up over tenants: the memory that they use; that they claim; the number
 * that may run at once (of each slice group its largest coscheduled set); the number that are
 * resident. */
enum hs_gpu_need { HS_NEED_USED, HS_NEED_CLAIMED, HS_NEED_RUNNING, HS_NEED_RESIDENT };
/* Adds up over the tenants from this allocation on, in the order of the list of the GPU (last
 * placed first; NULL: none). O(n) for n tenants outside slice groups, O(n^2) within them. */
uint64_t hs_gpu_memory(const struct hs_engine *e, const struct hs_allocation *from,
                       enum hs_gpu_need what);
/* Memory that the GPU has for its tenants; less if more than one is resident. */
uint64_t hs_gpu_memory_capacity_mib(const struct hs_engine *e, const struct hs_gpu *gpu,
                                    const struct hs_allocation *from);
/* Memory that a plan counts for a job on a GPU: its claim, or in a slice group (NULL: none) the
 * part that it keeps. hs_gpu_memory_claim_now_mib is the same for the group in which the job is
 * now. */
uint32_t hs_gpu_memory_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                                 const struct hs_turn *turn);
uint32_t hs_gpu_memory_claim_now_mib(const struct hs_engine *e, const struct hs_job *job);
/* Adds to the memory of the GPU what a tenant takes more; outside slice groups nothing else
 * changes. */
static inline void hs_gpu_memory_recount(struct hs_engine *e, struct hs_gpu *gpu,
                                         int64_t change_mib)
{
    if (HS_LIKELY(gpu->laned == 0))
        gpu->mem_used_mib = (uint64_t)((int64_t)gpu->mem_used_mib + change_mib);
    else
        gpu->mem_used_mib = hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_USED);
}
/* Updates the memory need of the job by its progress and its limit; true if it takes more than
 * before. */
bool hs_gpu_memory_update(struct hs_engine *e, struct hs_job *job);
/* Updates the speed of the job under its limit and what it keeps on the host. */
void hs_gpu_memory_settle(struct hs_engine *e, struct hs_job *job);
/* ---- gpu_tenants.c: utilization ---- */

/* Per mille, at most 1000. */
static inline uint32_t hs_utilization_pm(uint64_t load_pm_q32)
{
    const uint64_t pm = (load_pm_q32 + HS_Q32_ONE / 2) >> 32;
    return pm < 1000 ? (uint32_t)pm : 1000;
}

/* Share of a GPU that the job keeps busy when it runs alone, per mille. */
static inline uint32_t hs_utilization_alone_pm(const struct hs_job *job)
{
    const uint32_t pm = job->gpu_util_pm > 0 ? (uint32_t)job->gpu_util_pm : 0;
    return pm < job->ask.gpu_milli ? pm : job->ask.gpu_milli; /* the rest belongs to others */
}

/* Busy share of a GPU that a job holds, per mille, Q32: its utilization alone, reduced as far as it
 * is slower than alone on that type. A gang that holds another number of GPUs than it asked for
 * counts by the work of each GPU, at most by its part of the time. */
uint64_t hs_utilization_load_pm_q32(const struct hs_engine *e, const struct hs_job *job,
                                    const struct hs_allocation *a, uint64_t rate_q32,
                                    uint64_t part_q32);
/* Part of the time that share and throttle leave to a running job, Q32. */
static inline uint64_t hs_part_of_time_q32(const struct hs_job *job,
                                           const struct hs_job_placement *placement)
{
    return job->state == HS_JOB_RUNNING ? hs_q32_mul(placement->share_q32, placement->cap_q32) : 0;
}

/* Books the utilization of the job's GPUs from now on: at its rate, and at the rate that it would
 * have if no other job slowed it in its part of the time, both Q32. O(allocations). */
void hs_utilization_book_busy(struct hs_engine *e, const struct hs_job *job, uint64_t rate_q32,
                              uint64_t part_q32);

static inline void hs_utilization_book(struct hs_engine *e, const struct hs_job *job,
                                       uint64_t rate_q32, uint64_t part_q32)
{
    if (hs_utilization_alone_pm(job) > 0) /* else nothing was accounted */
        hs_utilization_book_busy(e, job, rate_q32, part_q32);
}
/* Marks a node on which a job joined or left a slice group, or changed its share. */
void hs_utilization_mark(struct hs_engine *e, uint32_t node);
/* Checks all marked nodes. O(tenants). HS_E_POLICY if the shares of a slice group exceed 1. */
HS_MUST_USE enum hs_status hs_utilization_settle(struct hs_engine *e);
/* Mean of the last window_us, per mille, as far as the history reaches. */
uint32_t hs_utilization_mean_pm(const struct hs_engine *e, uint32_t gpu, int64_t window_us);

/* ---- progress.c ---- */

/* Adds dt > 0 of progress at its present rate to the account of a placed job. */
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

/* Places the job on count GPUs, given as ascending ids that are no longer among the free ones; the
 * caller sets its state and its rate. Marks the other tenants for a new rate. */
void hs_progress_allocate(struct hs_engine *e, struct hs_job *job, const uint32_t *ids,
                          uint32_t count);
/* Frees all its allocations and marks the other tenants for a new rate. */
void hs_progress_deallocate(struct hs_engine *e, struct hs_job *job);
/* Whether the job and the tenants placed before it use more memory than some GPU has. */
bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job);
/* Makes the job the last one placed on its GPUs. */
void hs_progress_renew(struct hs_engine *e, const struct hs_job *job);
/* Writes its GPU ids, ascending, to e->gpu_ids and returns their number. */
uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job);
/* Number of racks that its GPUs are in. O(its allocations). */
uint32_t hs_progress_racks(const struct hs_engine *e, const struct hs_job *job);
/* Marks the job and those on the same GPUs for a new rate. */
void hs_progress_touch_beside(struct hs_engine *e, struct hs_job *job);
/* GPU time that the tenants of a GPU use, and that it can give them: per mille, Q32. */
struct hs_gpu_time {
    uint64_t load_pm_q32, limit_pm_q32;
};
/* Counts it from the tenants. False if a maintained speed or sum differs. */
bool hs_progress_recount(struct hs_engine *e, uint32_t gpu, struct hs_gpu_time *time);
/* Computes the rate of a placed job from the present state and schedules its next event. */
void hs_progress_rate(struct hs_engine *e, struct hs_job *job);
/* Marks the job for a new rate before time advances. */
void hs_progress_touch(struct hs_engine *e, struct hs_job *job);
/* Computes the rates and next events of all marked jobs. */
HS_MUST_USE enum hs_status hs_progress_rerate_touched(struct hs_engine *e);

HS_MUST_USE static inline enum hs_status hs_progress_rerate(struct hs_engine *e)
{
    return e->touched_count + e->marked_count + e->marked_gpu_count > 0
               ? hs_progress_rerate_touched(e)
               : e->plan.refused;
}

/* Speed of the job alone on a GPU of the type, relative to the reference type, Q32. */
uint64_t hs_speed_alone_q32(const struct hs_engine *e, const struct hs_job *job, uint32_t type);
/* Present rate of the job, Q32. */
uint64_t hs_rate_now(const struct hs_engine *e, const struct hs_job *job);
/* Rate of the job by its placement, when it has no cost to pay. */
uint64_t hs_rate_placed(const struct hs_engine *e, const struct hs_job *job);
/* Leaves the exclusive mode, at the first query of a single GPU. O(live jobs + GPUs), once. */
HS_COLD void hs_exclusive_end_now(struct hs_engine *e);

static inline void hs_exclusive_end(struct hs_engine *e)
{
    if (HS_UNLIKELY(e->is_exclusive))
        hs_exclusive_end_now(e);
}

/* Allocates the lowest free GPUs of the picked nodes; the caller sets state and rate. */
void hs_exclusive_allocate(struct hs_engine *e, const struct hs_action *a);
/* Frees all its allocations; is_release: its attempt has ended, so plans may use its GPUs. */
void hs_exclusive_deallocate(struct hs_engine *e, struct hs_job *job, bool is_release);

/* ---- windows.c ---- */

void hs_windows_open(struct hs_engine *e);
/* Sets the clock, when the epoch is known. */
void hs_windows_begin(struct hs_engine *e);
/* When the next one begins or ends; HS_TIME_MAX: never. */
static inline int64_t hs_windows_next_us(const struct hs_engine *e)
{
    const struct hs_windows *w = &e->windows;
    return w->next_change < w->change_count ? w->changes[w->next_change].at_us : HS_TIME_MAX;
}
/* Begins and ends those that are due, and informs the policy. O(their nodes, and jobs there). */
HS_MUST_USE enum hs_status hs_windows_apply(struct hs_engine *e);
/* Where the engine serves owners: an event of a job; true: it is not for the policy. Starts jobs on
 * free GPUs of open windows, in order of submission, before the policy decides. To the policy such
 * a job has finished; its end is an event of a node. O(jobs that wait x open windows). */
bool hs_windows_keep(struct hs_engine *e, enum hs_event_kind kind, struct hs_job *job);
HS_MUST_USE enum hs_status hs_windows_serve(struct hs_engine *e);
void hs_windows_close(struct hs_engine *e);
/* Returns the first reservation for a user without a submitted job; NULL if there is none. */
const struct hs_reservation *hs_windows_unused(const struct hs_engine *e);

/* ---- invariants.c ---- */

/* Returns HS_E_INVARIANT, reported with time and rule, if an invariant is violated. */
HS_MUST_USE enum hs_status hs_invariants_check(struct hs_engine *e);

/* ---- describe.c ---- */

/* Any GPU, whole. */
#define HS_ASK_ANY                                                                                 \
    (struct hs_ask)                                                                                \
    {                                                                                              \
        .type_mask = UINT64_MAX, .gpu_milli = HS_GPU_MILLI                                         \
    }
/* Sets what the policy of the run, and the engine under it, know of a job that asks for HS_ASK_ANY,
 * except its id and its work. Returns why the job can never run, valid until the next call; else
 * NULL. */
const char *hs_lifecycle_describe(struct hs_engine *e, struct hs_job *job,
                                  const struct hs_trace_job *record);

/* ---- lifecycle.c ---- */

/* Makes a live job of a trace record, or rejects it; informs observers and policy. */
HS_MUST_USE enum hs_status hs_lifecycle_submit(struct hs_engine *e,
                                               const struct hs_trace_job *record);
/* Called when a placed job has done all work of its attempt, also of one that fails: frees its
 * GPUs, informs observers and policy, and then recycles the slot or submits the next attempt. */
HS_MUST_USE enum hs_status hs_lifecycle_finish(struct hs_engine *e, struct hs_job *job);
/* Takes back the work that the job did since it was placed; it is to be done again, so the sum of
 * the work does not change. */
void hs_lifecycle_lose_placement(struct hs_engine *e, struct hs_job *job);
/* The same of so much of its work, at most of all that it did. */
void hs_lifecycle_lose_work(struct hs_engine *e, struct hs_job *job, int64_t lost_ns);
/* Counts a run on nodes set aside that ends now, with its GPU time. */
void hs_lifecycle_book_profile(struct hs_engine *e, const struct hs_job *job,
                               enum hs_policy_counter how);
/* Takes a placed job off its GPUs because of a machine (HS_SEGMENT_FAULT or HS_SEGMENT_DRAIN):
 * after a fault the work since its last checkpoint is lost. It comes to the policy as submitted
 * anew. */
HS_MUST_USE enum hs_status hs_lifecycle_interrupt(struct hs_engine *e, struct hs_job *job,
                                                  enum hs_segment_end why);
/* Ends a waiting or released job, as HS_JOB_FAILED or HS_JOB_REJECTED. */
HS_COLD HS_MUST_USE enum hs_status hs_lifecycle_abandon(struct hs_engine *e, struct hs_job *job,
                                                        enum hs_job_state state,
                                                        const char *reason);
struct hs_live_job {
    uint64_t index;
    uint32_t slot;
};
/* Returns all jobs.live live jobs in order of the trace; the caller frees it. */
struct hs_live_job *hs_lifecycle_live(const struct hs_engine *e);
/* At the horizon: closes segments and rows of all live jobs, in order of the trace. */
HS_MUST_USE enum hs_status hs_lifecycle_cut(struct hs_engine *e);
void hs_lifecycle_notify_policy(struct hs_engine *e, enum hs_event_kind kind, struct hs_job *job,
                                uint64_t tag);
/* The memory claim of the job per GPU: the predicted memory, at most its limit; 0 under a policy
 * without HS_KNOWS_MEMORY; more than any GPU has when it must run alone. */
uint32_t hs_oom_claim_mib(const struct hs_engine *e, const struct hs_job *job, uint32_t limit_mib);
/* Kills a placed job because its GPU ran out of memory: the work since its start is lost, it waits
 * again with a larger predicted need, and after oom_retries kills it runs only alone. */
HS_MUST_USE enum hs_status hs_oom(struct hs_engine *e, struct hs_job *job);

/* Of a fork, three steps. The job leaves its GPUs; a process on a host stays there; */
HS_MUST_USE enum hs_status hs_lifecycle_leave(struct hs_engine *e, struct hs_job *job);
/* in the engine of the new policy it is described anew, or rejected where it can never run there;
 * record: of the same job; */
HS_MUST_USE enum hs_status hs_lifecycle_take(struct hs_engine *e, struct hs_job *job,
                                             const struct hs_trace_job *record);
/* and it comes to the policy as submitted. */
void hs_lifecycle_enter(struct hs_engine *e, struct hs_job *job);

/* ---- fork.c ---- */

/* Where a fork found a job. */
struct hs_home {
    uint32_t first, count; /* its GPUs in hs_homes.gpus, ascending */
    bool was_placed;
    bool is_settled, is_kept; /* the new policy has placed it; there */
};

struct hs_homes {
    struct hs_home *of; /* by slot */
    uint32_t *gpus;
    uint32_t slots;
};

/* Takes all jobs off their GPUs at `at_us`; where they were is then in e->homes. */
HS_MUST_USE enum hs_status hs_fork_leave(struct hs_engine *e, int64_t at_us);
/* Moves the past to an engine that was opened at that time: jobs, accounts, observers. `from` is
 * then good for nothing but to be closed. */
HS_MUST_USE enum hs_status hs_fork_move(struct hs_engine *e, struct hs_engine *from);
/* Reads the records of all jobs submitted so far, and submits those that live to the policy. */
HS_MUST_USE enum hs_status hs_fork_submit(struct hs_engine *e, struct hs_job_source source);
/* Before a plan of that instant is applied: a job that it puts where it was gets the same GPUs, and
 * does not owe the cost of a restart, which it owed for the policy. */
void hs_fork_settle(struct hs_engine *e);
void hs_fork_end(struct hs_engine *e);

static inline void hs_fork_end_before(struct hs_engine *e, int64_t next_us)
{
    if (HS_UNLIKELY(e->homes != NULL) && next_us > e->now_us)
        hs_fork_end(e);
}

/* Cost of a restart. */
static inline int64_t hs_fork_cost_us(const struct hs_engine *e)
{
    return e->config.startup_us + e->config.restart_us;
}

/* Whether a job does not owe such a cost: it makes progress at once, but as a policy expects of a
 * job that owes a cost, only after it was placed. */
static inline bool hs_fork_has_waived(const struct hs_engine *e, uint32_t slot)
{
    return HS_UNLIKELY(e->homes != NULL) && slot < e->homes->slots && e->homes->of[slot].is_kept &&
           hs_fork_cost_us(e) > 0;
}

/* ---- machines.c ---- */

/* Called before the policy is opened: nodes that are added later are out of service. */
void hs_machines_open(struct hs_engine *e);
uint64_t *hs_machines_type_gpus(const struct hs_engine *e, uint32_t node); /* of its VC and type */
/* Time of the next event; HS_TIME_MAX: none. */
static inline int64_t hs_machines_next_us(const struct hs_engine *e)
{
    const struct hs_machine_event *event =
        e->machines != NULL ? hs_machine_feed_next(e->machine_feed) : NULL;
    if (event == NULL)
        return HS_TIME_MAX;
    const int64_t at_us = event->at_us - (e->config.machines->is_dated ? e->figures.epoch_us : 0);
    return at_us > e->now_us ? at_us : e->now_us;
}

/* From now on the holder of each GPU is known. */
void hs_machines_know_holders(struct hs_engine *e);
/* Ends the attempts of all jobs of a node. */
HS_MUST_USE enum hs_status hs_machines_stop_jobs(struct hs_engine *e, uint32_t node,
                                                 enum hs_segment_end why);
/* Handles all events due now. */
HS_MUST_USE enum hs_status hs_machines_apply(struct hs_engine *e);
/* Work between two checkpoints of a placed job; 0: it has none. */
int64_t hs_checkpoint_interval_us(const struct hs_engine *e, const struct hs_job *job);
/* Its speed with checkpoints, of that without, Q32. */
uint64_t hs_checkpoint_speed_q32(const struct hs_engine *e, const struct hs_job *job);

/* ---- lifecycle.c: observers ---- */

HS_MUST_USE enum hs_status hs_observe_start_now(struct hs_engine *e, const struct hs_job *job);
HS_MUST_USE static inline enum hs_status hs_observe_start(struct hs_engine *e,
                                                          const struct hs_job *job)
{
    return e->observes_start != 0 ? hs_observe_start_now(e, job) : HS_OK;
}
/* Reports an applied action with the GPUs held now; only where e->observes_decision is set. */
HS_MUST_USE enum hs_status hs_observe_decision(struct hs_engine *e, const struct hs_action *a,
                                               enum hs_decision_kind kind, uint64_t value);
/* Closes the running segment of a placed, synced job. */
HS_MUST_USE enum hs_status hs_observe_segment(struct hs_engine *e, const struct hs_job *job,
                                              enum hs_segment_end ended_by);
/* Reports the state of the instant. */
HS_MUST_USE enum hs_status hs_observe_instant(struct hs_engine *e);
