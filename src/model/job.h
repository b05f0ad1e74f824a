/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live jobs and their GPUs. A job has a slot from its submission to its end; slots and records are
 * recycled, so memory grows with the number of live jobs, not with the trace. An allocation is one
 * job on one GPU, linked from the job (ascending GPU ids) and from the GPU; or, if GPUs are used
 * exclusively, on several GPUs of one node, linked only from the job.
 *
 * A job is several records, so that an event touches little memory and a waiting job needs little:
 *
 *     hs_job               read by every event and decision: one cache line
 *     hs_job_identity      names, and the numbers of the other records: for observers, by slot
 *     hs_training_profile  its training; jobs of one profile share a record
 *     hs_job_request       what few jobs have: a deadline, an elastic range, a priority
 *     hs_job_option        a deadline of several, and what the job is worth by then
 *     hs_job_run           from the first placement on: work done, costs owed, accounts
 *     hs_job_placement     while it holds GPUs, or is suspended on the host: rate, turns
 *     hs_job_needs         GPU memory and load, by slot; only if a policy shares or predicts
 *     hs_job_history       attempts of a job that fails and is submitted again
 *
 * A job without one of these refers to the default record, number 0: never placed, on no GPU, needs
 * unknown, one attempt. Default records are never modified.
 *
 *     hs_jobs_add(&jobs, &slot);
 *     for (uint32_t a = hs_placement_of(&jobs, job)->first_allocation; a != HS_NO_ALLOCATION;
 *          a = jobs.allocations[a].next_of_job)
 */
#pragma once

#include "base/fixed.h"
#include "model/freeindex.h"
#include "model/predictor.h"

#define HS_NO_ALLOCATION UINT32_MAX
#define HS_NO_ATTEMPT    UINT32_MAX
#define HS_NO_GPU_TYPE   UINT8_MAX
#define HS_LIVE_JOBS_MAX HS_POOL_MAX
#define HS_ID_NEAR       16 /* bytes of an id stored without a buffer: a tenth of a waiting job */

struct hs_allocation {
    uint64_t gpus;       /* bit id % 64 of each; all in one word of a map of GPUs */
    uint32_t gpu, count; /* the lowest id; number of GPUs */
    uint32_t node;
    uint32_t job;
    uint32_t next_of_job;
    uint32_t next_on_gpu;
    uint64_t speed_q32;   /* on a shared GPU: beside its current tenants, 1 = alone; Q32 */
    uint64_t load_pm_q32; /* utilization of each GPU at its rate, per mille, Q32 */
    uint64_t solo_pm_q32; /* the same without interference */
};

/* A future attempt of a job that fails before. */
struct hs_attempt {
    int64_t work_us;
    uint32_t next;
};

struct hs_job {
    int64_t work_ns;   /* total of this attempt */
    int64_t submit_us; /* of this attempt */
    uint64_t index;    /* in the trace */
    struct hs_ask ask;
    uint32_t run;        /* its record; 0 = it was never placed */
    uint32_t placement;  /* its record; 0 = it holds nothing */
    uint16_t gpus;       /* size of the gang, from the trace */
    int16_t gpu_util_pm; /* < 0 = unknown */
    uint8_t state;       /* enum hs_job_state */
    uint8_t plan;        /* marks of the current plan; 0 between decisions */
    bool is_live : 1;
    bool is_constrained : 1; /* it needs more of a node than GPUs of any kind */
    bool is_alone : 1;       /* never shares: by the policy, or too often out of GPU memory */
    bool is_apart : 1;       /* runs where the policy does not know: on nodes of a reservation */
    bool is_profiled : 1;    /* its profile was taken: the policy may read it */
};
_Static_assert(sizeof(struct hs_job) == 64 && HS_JOB_GPUS_MAX <= UINT16_MAX, "a cache line");

/* Costs of shared GPUs and turns so far. */
struct hs_sharing_overhead {
    int64_t colocated_us;
    int64_t host_mib_us;
    int64_t lost_ns;
    int64_t at_step_ns; /* work done at the last step event; -1 = never */
    uint32_t ooms, switches;
};

/* Data kept between placements. */
struct hs_job_run {
    int64_t done_ns;           /* of the work of this attempt */
    int64_t cost_left_us;      /* owed before it makes progress */
    int64_t first_start_us;    /* of this attempt; -1 = never */
    int64_t first_progress_us; /* of all attempts; -1 = never */
    int64_t attained_us, run_us, overhead_us, gpu_us;
    uint32_t carry; /* fraction of a nanosecond earned beyond done_ns */
    uint32_t preemptions, migrations;
    struct hs_sharing_overhead overhead;
    uint32_t plan_action; /* index in the current plan of the action that stopped it */
    uint16_t nodes_spanned;
    uint8_t gpu_type; /* both of its last placement; HS_NO_GPU_TYPE = never placed */
};

struct hs_job_placement {
    /* progress */
    uint64_t rate_q32;
    int64_t synced_us; /* work, cost and account are up to date as of this time */
    int64_t finish_us; /* time of its event in the heap; HS_TIME_MAX = none */
    int64_t oom_us;    /* when it is killed for overflowing a GPU; HS_TIME_MAX = never */
    int64_t alarm_ns;  /* work at which HS_EVENT_STEP is due; HS_TIME_MAX: never */
    uint32_t slot;     /* the job */
    /* placement */
    uint32_t gpus_held;
    uint32_t first_allocation;
    uint32_t shared_gpus; /* number of its GPUs with another tenant */
    /* segment: state at its start */
    uint32_t segment_carry; /* of work */
    int64_t segment_start_us, segment_done_ns, segment_cost_us;
    uint32_t segment_max_tenants;
    /* turns */
    uint32_t slice_group;     /* of time slices; 0 = none */
    uint32_t coscheduled_set; /* of the slice group: those in the same turn; 0 = none */
    uint8_t keeps;            /* enum hs_keeps: GPU memory kept while others run */
    bool is_waiting;          /* placed, but its first turn has not begun */
    bool is_background;       /* runs in the others' idle time */
    uint64_t share_q32, cap_q32;
    uint64_t mem_factor_q32; /* factor on its rate due to its memory limit */
    /* host */
    int64_t host_mib;     /* on all its nodes, now */
    uint32_t gpus_hosted; /* GPUs it had, if suspended with its process on the host */
    uint32_t node_hosted; /* one of the nodes of these GPUs */
    bool is_hosted;
};

/* One cache line. */
struct hs_job_needs {
    uint32_t gpu_mem_mib;      /* used per GPU: its peak, or its limit */
    uint32_t gpu_mem_peak_mib; /* current peak: at first, or after later_ns */
    uint32_t gpu_mem_first_mib, gpu_mem_later_mib;
    uint32_t mem_limit_mib; /* set by the policy; 0 = none */
    uint32_t mem_claim_mib; /* demand in plans, beside others of its slice group */
    int32_t load[HS_LOADS]; /* its part of the sums of a shared GPU */
    struct hs_estimate estimate;
    int64_t later_ns; /* work at which its memory changes; HS_TIME_MAX: never */
};

/* Read when the job ends; not read since its submission. */
struct hs_job_identity {
    union {
        char id_near[HS_ID_NEAR]; /* if short, and no job of the slot had a longer one */
        struct {
            char *text; /* buffer that belongs to the slot */
            uint32_t cap;
        } id_far;
    };
    uint32_t user, vc_name;                                        /* interned */
    uint32_t profile;                                              /* HS_NO_PROFILE = none */
    uint32_t stages;                                               /* its row in model/stages.h */
    uint32_t training, request, history;                           /* its records */
    uint8_t outcome, job_class, profile_from, util_from, mem_from; /* enums */
    bool is_far;
};

/* What a job trains; usually the same for all jobs of a profile. */
struct hs_training_profile {
    int64_t step_ns;                           /* a mini-batch; 0 = unknown */
    uint32_t model, dataset, batch, precision; /* interned */
    uint32_t gpu_mem_persistent_mib, checkpoint_mib;
    uint32_t users; /* references to it */
};

/* Of a job without one, about the middle of those that are drawn (assign.c): 18 epochs. */
#define HS_LOSS_UNKNOWN                                                                            \
    {                                                                                              \
        .b0 = 0.4, .b1 = 1.25, .b2 = 0.2, .threshold = 0.02                                        \
    }

struct hs_job_request {
    int64_t deadline_us, preempt_cost_us; /* -1 = none */
    int64_t steps;                        /* total; 0 = not given */
    double steps_per_s;                   /* 0 = not given */
    struct hs_loss_curve loss;
    uint16_t gpus_min, gpus_max; /* 0: the trace gives no range */
    uint32_t options;            /* number of the first deadline option; 0 = none */
    int32_t priority;
    uint32_t type_ran; /* 1 + GPU type on which it ran in the trace; 0: not in the cluster */
    uint32_t cpus_milli, mem_mib; /* of a CPU job; 0 = not given */
};

struct hs_job_option {
    struct hs_deadline_option of;
    uint32_t next; /* 0 = none */
};

/* A policy sees the current attempt as a job of its own; observers see the whole job. */
struct hs_job_history {
    uint32_t attempt;      /* from 0 */
    uint32_t next_attempt; /* HS_NO_ATTEMPT: this one does not fail */
    int64_t arrived_us;    /* submission of the first */
    int64_t began_us;      /* first start of the first, once it failed; else -1 */
    int64_t all_ns;        /* work of all attempts */
    int64_t past_ns;       /* work of failed attempts */
};

struct hs_jobs {
    struct hs_job *jobs;
    struct hs_job_identity *identities; /* by slot */
    struct hs_job_needs *needs;         /* by slot, if has_needs; else one default record */
    int64_t *estimates_us;  /* estimated run times, by slot, if has_estimates; -1 = none */
    unsigned char *scratch; /* scratch_size bytes per slot, used by the policy */
    uint32_t scratch_size;
    struct hs_pool slots; /* of jobs */
    uint32_t label_cap, needs_cap, estimate_cap, scratch_cap;
    bool has_needs, has_estimates;
    bool are_all_elastic; /* jobs without an elastic range have HS_ELASTIC_GPUS_MAX */
    struct hs_allocation *allocations;
    struct hs_job_run *runs;
    struct hs_job_placement *placements;
    struct hs_training_profile *training;
    struct hs_job_request *request;
    struct hs_job_option *options;
    struct hs_job_history *histories;
    struct hs_attempt *attempts;
    struct hs_pool allocation_pool, run_pool, placement_pool, training_pool, request_pool,
        option_pool, history_pool, attempt_pool;
    uint64_t live;
};

void hs_jobs_init(struct hs_jobs *jobs, uint32_t scratch_size);
/* From now on each job has a record of needs. Called once; needs of existing jobs are unknown. */
void hs_jobs_know_needs(struct hs_jobs *jobs);
/* Takes a slot with zeroed scratch and default records; the caller initializes the job. */
void hs_jobs_add(struct hs_jobs *jobs, uint32_t *slot);
void hs_jobs_set_id(struct hs_job_identity *identity, const char *id);
/* Sets the work of a new job's attempts: current work, then the others; submit_us must be set. */
void hs_jobs_set_attempts(struct hs_jobs *jobs, uint32_t slot, const int64_t *attempts_us,
                          uint32_t count);
/* Called when a job failed: sets the work of its next attempt, which must exist; zeroes scratch. */
void hs_jobs_retry(struct hs_jobs *jobs, uint32_t slot);
/* Called when a machine stopped a job: its attempt goes on as a new job for the policy, with what
 * it has done; zeroes scratch. */
void hs_jobs_interrupt(struct hs_jobs *jobs, uint32_t slot);
/* Create records; return their numbers. */
uint32_t hs_jobs_add_training(struct hs_jobs *jobs, struct hs_training_profile training);
uint32_t hs_jobs_add_request(struct hs_jobs *jobs, struct hs_job_request request);
/* Creates a chain of deadline options in this order; returns its first, 0 for none. */
uint32_t hs_jobs_add_options(struct hs_jobs *jobs, const struct hs_deadline_option *options,
                             uint32_t count);
/* Ensures that the job has a run record, before it is placed or charged. */
void hs_jobs_begin_run(struct hs_jobs *jobs, struct hs_job *job);
/* Before a placement: ensures a placement record with default values and a run. */
void hs_jobs_begin_placement(struct hs_jobs *jobs, struct hs_job *job);
/* Called after the job left its GPUs and its event was removed. */
void hs_jobs_end_placement(struct hs_jobs *jobs, struct hs_job *job);
/* Its training is no longer known. */
void hs_jobs_drop_training(struct hs_jobs *jobs, struct hs_job_identity *identity);
void hs_jobs_remove(struct hs_jobs *jobs, uint32_t slot);
/* Moves all jobs of `from`, none of which holds a GPU, to `jobs`, which has none: with scratch,
 * needs and estimates as `jobs` has them, scratch zeroed. */
void hs_jobs_take_over(struct hs_jobs *jobs, struct hs_jobs *from);
/* Tells whether the default records are unchanged. O(1). */
bool hs_jobs_default_is_valid(const struct hs_jobs *jobs);
void hs_jobs_free(struct hs_jobs *jobs);

/* ---- the records of a job ---- */

/* Prefetches the slot's data, which will be needed soon and is not in the cache. */
static inline void hs_jobs_expect(const struct hs_jobs *jobs, uint32_t slot)
{
    hs_prefetch(&jobs->jobs[slot], sizeof *jobs->jobs);
    hs_prefetch(&jobs->identities[slot], sizeof *jobs->identities);
    const unsigned char *scratch = jobs->scratch + (size_t)slot * jobs->scratch_size;
    HS_PREFETCH(scratch); /* the link of its queue */
    HS_PREFETCH(scratch + jobs->scratch_size - 1);
}

static inline uint32_t hs_slot_of(const struct hs_jobs *jobs, const struct hs_job *job)
{
    return (uint32_t)(job - jobs->jobs);
}

static inline struct hs_job_identity *hs_identity_of(const struct hs_jobs *jobs,
                                                     const struct hs_job *job)
{
    return &jobs->identities[hs_slot_of(jobs, job)];
}

static inline const char *hs_id_of(const struct hs_job_identity *identity)
{
    return identity->is_far ? identity->id_far.text : identity->id_near;
}

static inline const struct hs_training_profile *hs_training_profile_of(const struct hs_jobs *jobs,
                                                                       const struct hs_job *job)
{
    return &jobs->training[hs_identity_of(jobs, job)->training];
}

static inline const struct hs_job_request *hs_request_of(const struct hs_jobs *jobs,
                                                         const struct hs_job *job)
{
    return &jobs->request[hs_identity_of(jobs, job)->request];
}

/* Tells whether it is elastic although the trace gives no range. */
static inline bool hs_job_is_elastic_by_policy(const struct hs_jobs *jobs, const struct hs_job *job)
{
    const struct hs_job_request *request = hs_request_of(jobs, job);
    return jobs->are_all_elastic && request->gpus_max == 0 && job->gpus > 0;
}

/* Minimum and maximum number of GPUs that it may hold. */
static inline uint32_t hs_job_gpus_min(const struct hs_jobs *jobs, const struct hs_job *job)
{
    const struct hs_job_request *request = hs_request_of(jobs, job);
    if (hs_job_is_elastic_by_policy(jobs, job))
        return 1;
    return request->gpus_min > 0 ? request->gpus_min : job->gpus;
}

static inline uint32_t hs_job_gpus_max(const struct hs_jobs *jobs, const struct hs_job *job)
{
    const struct hs_job_request *request = hs_request_of(jobs, job);
    if (hs_job_is_elastic_by_policy(jobs, job))
        return job->gpus > HS_ELASTIC_GPUS_MAX ? job->gpus : HS_ELASTIC_GPUS_MAX;
    return request->gpus_max > 0 ? request->gpus_max : job->gpus;
}

static inline struct hs_job_run *hs_run_of(const struct hs_jobs *jobs, const struct hs_job *job)
{
    return &jobs->runs[job->run];
}

static inline struct hs_job_placement *hs_placement_of(const struct hs_jobs *jobs,
                                                       const struct hs_job *job)
{
    return &jobs->placements[job->placement];
}

static inline struct hs_sharing_overhead *hs_sharing_overhead_of(const struct hs_jobs *jobs,
                                                                 const struct hs_job *job)
{
    return &hs_run_of(jobs, job)->overhead;
}

/* Returns the default record for all jobs if needs are not kept. */
static inline struct hs_job_needs *hs_needs_of(const struct hs_jobs *jobs, const struct hs_job *job)
{
    return &jobs->needs[jobs->has_needs ? hs_slot_of(jobs, job) : 0];
}

/* Sets the memory demand in plans; ignored if needs are not kept. */
static inline void hs_job_set_claim(struct hs_jobs *jobs, const struct hs_job *job, uint32_t mib)
{
    if (jobs->has_needs)
        hs_needs_of(jobs, job)->mem_claim_mib = mib;
}

static inline struct hs_job_history *hs_history_of(const struct hs_jobs *jobs,
                                                   const struct hs_job *job)
{
    return &jobs->histories[hs_identity_of(jobs, job)->history];
}

/* Returns a free allocation, not linked yet. */
static inline uint32_t hs_jobs_allocate(struct hs_jobs *jobs)
{
    return hs_pool_take(&jobs->allocation_pool, jobs->allocations);
}

static inline void hs_jobs_free_allocation(struct hs_jobs *jobs, uint32_t allocation)
{
    hs_pool_give(&jobs->allocation_pool, &jobs->allocations[allocation], allocation);
}

/* Returns its work as of the last update of its account. */
static inline struct hs_work hs_work_of(const struct hs_jobs *jobs, const struct hs_job *job)
{
    const struct hs_job_run *run = hs_run_of(jobs, job);
    return (struct hs_work){.total_ns = job->work_ns, .done_ns = run->done_ns, .carry = run->carry};
}

/* Work done in this attempt and the failed ones. */
static inline int64_t hs_job_done_ns(const struct hs_jobs *jobs, const struct hs_job *job)
{
    return hs_history_of(jobs, job)->past_ns + hs_run_of(jobs, job)->done_ns;
}

/* Total work of all its attempts. */
static inline int64_t hs_job_all_ns(const struct hs_jobs *jobs, const struct hs_job *job)
{
    bool is_retried = hs_identity_of(jobs, job)->history != 0;
    return is_retried ? hs_history_of(jobs, job)->all_ns : job->work_ns;
}
