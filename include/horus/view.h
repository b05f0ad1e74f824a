/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The read-only view that a policy has of the queue, the running jobs and the cluster.
 *
 *     static enum hs_status decide(void *state, const struct hs_view *v, struct hs_plan *p)
 *     {
 *         if (hs_view_free_gpus(v, 0) >= hs_view_gpus(v, head)) ...
 *
 * During decide() the cluster queries already include the plan so far (a node given to one job is
 * no longer offered to the next), so that placers need no book-keeping of their own.
 * Knowledge is enforced: a call that needs HS_KNOWS_x by a policy that did not declare it is a
 * policy bug, fails the run and names the call (MODEL.md 9).
 * Cost: O(1) unless stated.
 */
#ifndef HORUS_VIEW_H
#define HORUS_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "horus/lp.h"
#include "horus/trace.h"

/* Handle of a live job; valid from its SUBMIT event to the end of its FINISH event. */
typedef uint32_t hs_job_id;
#define HS_NO_JOB        UINT32_MAX
#define HS_NO_NODE       UINT32_MAX
#define HS_NO_GPU        UINT32_MAX
#define HS_NO_RACK       UINT32_MAX
#define HS_ANY_TYPE      UINT32_MAX
#define HS_GPU_TYPES_MAX 64u

enum hs_job_state {
    HS_JOB_PENDING,   /* submitted, never started */
    HS_JOB_STARTING,  /* holds its GPUs, pays a start-up or restore cost, rate 0 */
    HS_JOB_RUNNING,   /* holds its GPUs and makes progress */
    HS_JOB_PAUSED,    /* stays resident on its GPUs, rate 0 (time slicing) */
    HS_JOB_SUSPENDED, /* preempted: holds nothing, progress kept */
    HS_JOB_MIGRATING, /* holds its new GPUs, pays the migration pause, rate 0 */
    HS_JOB_DONE,
    HS_JOB_FAILED,
    HS_JOB_REJECTED,
};

/* Counters of a policy (hs_plan_count). */
enum hs_policy_counter {
    HS_POLICY_COUNTER_TRIAL_KEPT,   /* jobs were packed on trial and stay so */
    HS_POLICY_COUNTER_TRIAL_UNDONE, /* and were taken apart again */
    HS_POLICY_COUNTER_TURNS_SHARED, /* from here on shares of time stand for turns */
    /* by the engine, of nodes set aside: runs that hs_plan_end_profile ended, jobs that finished
     * there, and GPU time of both */
    HS_POLICY_COUNTER_PROFILED,
    HS_POLICY_COUNTER_PROFILE_ENDED,
    HS_POLICY_COUNTER_PROFILE_GPU_US,
    HS_POLICY_COUNTER_COUNT,
};

/* How processes share a GPU: kernels of one at a time (the driver's default), of several at a time,
 * or a fixed part of the hardware for each. */
enum hs_sharing_mode { HS_SHARING_TIMESLICE, HS_SHARING_MPS, HS_SHARING_MIG };

struct hs_gpu_type {
    const char *name;
    uint32_t mem_mib;   /* per GPU; 0 = not given */
    uint64_t speed_q32; /* relative to the reference type, Q32; 1 unless the file says otherwise */
    enum hs_sharing_mode sharing_mode;
};

struct hs_node {
    const char *name;
    uint32_t first_gpu;
    uint32_t gpus;
    uint32_t type; /* hs_view_gpu_type */
    uint32_t rack;
    uint32_t vc;      /* owner, where VCs own nodes; 0 otherwise */
    uint32_t cpus;    /* 0 = not given: never the limit */
    uint32_t mem_mib; /* host memory; 0 = not given */
};

/* What does not change in a run can be read. */
struct hs_view {
    struct hs_engine *engine; /* its own */
    struct hs_lp *lp;         /* the linear program of the run, to build and solve */
    uint32_t nodes, racks, gpu_types;
    const uint32_t *rack_first; /* rack r has the nodes [rack_first[r], rack_first[r + 1]) */
    uint32_t max_node_gpus;     /* size of the largest node */
    uint32_t vcs;               /* virtual clusters: 1 when they are ignored */
    bool vcs_are_apart;   /* partition: each owns its nodes; else they share them, by quotas */
    bool has_cohorts;     /* quotas are lent within cohorts */
    uint32_t max_tenants; /* jobs that may run on one GPU at the same time */
    /* Ties among nodes are drawn (--tie-jitter), and each search may draw: one that is left out
     * because it would fail changes those after it. */
    bool ties_are_drawn;
    uint32_t windows; /* reservations of the run; 0 unless HS_CAN_RESERVE */
};

int64_t hs_view_now_us(const struct hs_view *v);

/* Ends the run with this text and the exit code of the status; from init() or decide(), which
 * return its result. */
enum hs_status hs_view_fail(const struct hs_view *v, enum hs_status status, const char *text);
/* Warns that the run does not quite do what its parameters say; only the first call of a run does.
 */
void hs_view_warn(const struct hs_view *v, const char *text);

/* Zeroed memory for the policy's own structures, until the run ends. Only from init(). */
void *hs_view_alloc(const struct hs_view *v, uint64_t bytes);

/* The policy's private bytes of one job (job_state_size of them, zeroed at submission). */
void *hs_view_scratch(const struct hs_view *v, hs_job_id job);
/* The same of all jobs, as an array: at the handle times *size. Valid until the next event. */
unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size);
/* Prefetches the scratch and the facts of a job that a later decision will ask for. */
void hs_view_expect(const struct hs_view *v, hs_job_id job);

/* ---- facts of a job that every scheduler has ---- */
enum hs_job_state hs_view_state(const struct hs_view *v, hs_job_id job);
uint32_t hs_view_gpus(const struct hs_view *v, hs_job_id job);      /* gang size demanded */
uint32_t hs_view_gpus_held(const struct hs_view *v, hs_job_id job); /* 0 unless placed */
uint32_t hs_view_gpus_min(const struct hs_view *v, hs_job_id job);  /* of its elastic range */
uint32_t hs_view_gpus_max(const struct hs_view *v, hs_job_id job);
uint32_t hs_view_vc(const struct hs_view *v, hs_job_id job); /* queue index, below vcs */
/* A number of its user, or of the virtual cluster that the trace names, whether or not virtual
 * clusters count: the same for the same name; small, and in no order that means anything. */
uint32_t hs_view_account(const struct hs_view *v, hs_job_id job, bool is_vc);
int32_t hs_view_priority(const struct hs_view *v, hs_job_id job);
int64_t hs_view_deadline_us(const struct hs_view *v, hs_job_id job); /* -1 = none */
/* Option i, from 0, of several deadlines, in order of time; false: there is none. O(i). */
bool hs_view_deadline_option(const struct hs_view *v, hs_job_id job, uint32_t i,
                             struct hs_deadline_option *option);
int64_t hs_view_submit_us(const struct hs_view *v, hs_job_id job);
int64_t hs_view_first_start_us(const struct hs_view *v, hs_job_id job); /* -1 = never */
/* Tie order among jobs of equal key and equal submission: the row in the trace, or a seeded random
 * rank under --tie-jitter. Unique among live jobs. */
uint64_t hs_view_rank(const struct hs_view *v, hs_job_id job);
/* Time it has held GPUs and made progress (service, not GPU-seconds), up to now. */
int64_t hs_view_attained_us(const struct hs_view *v, hs_job_id job);
/* Cost still owed before it makes progress (0 unless preempted or starting). */
int64_t hs_view_cost_left_us(const struct hs_view *v, hs_job_id job);
/* Save + restore cost that the trace gives for this job, or -1. */
int64_t hs_view_preempt_cost_us(const struct hs_view *v, hs_job_id job);
/* The GPU type on which the trace says that it ran; HS_ANY_TYPE: it does not, or the cluster has no
 * such type. */
uint32_t hs_view_type_ran(const struct hs_view *v, hs_job_id job);
/* True when the job restricts its nodes beyond GPU count and VC (GPU type, GPU memory, CPU,
 * host memory): if it does not fit, others of its size may. */
bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job);
/* CPUs that it asks for in all, in thousandths; 0 = none, or no node states any. */
uint64_t hs_view_cpus_milli(const struct hs_view *v, hs_job_id job);
/* Host memory that it asks for in all, MiB; 0 likewise. */
uint64_t hs_view_mem_mib(const struct hs_view *v, hs_job_id job);
/* The GPU types that it may use: a bit each. */
uint64_t hs_view_types(const struct hs_view *v, hs_job_id job);
/* Whether two jobs of a VC have the same requirements on nodes: GPU types, CPUs and host memory per
 * GPU, and the share of each GPU. Jobs with the same requirements have equal hashes. */
bool hs_view_asks_same(const struct hs_view *v, hs_job_id a, hs_job_id b);
uint64_t hs_view_ask_hash(const struct hs_view *v, hs_job_id job);
/* How often its GPU ran out of memory; after --oom-retries times it must run alone. */
uint32_t hs_view_ooms(const struct hs_view *v, hs_job_id job);
/* Which attempt of a job that fails and is submitted again, from 0. To a policy each attempt is a
 * job of its own: submitted when the one before it failed, never started, with nothing attained. */
uint32_t hs_view_attempt(const struct hs_view *v, hs_job_id job);
/* Time to start the training of its model again, by the table of the run; to save and restore its
 * checkpoint, by its size and the bandwidth of the run. -1 = not known. */
int64_t hs_view_restart_us(const struct hs_view *v, hs_job_id job);
int64_t hs_view_checkpoint_us(const struct hs_view *v, hs_job_id job);

/* One mini-batch in isolation; 0 = not known. */
int64_t hs_view_step_us(const struct hs_view *v, hs_job_id job);
/* At the end of a mini-batch, or these are not known: suspended now, it loses nothing. */
bool hs_view_is_between_steps(const struct hs_view *v, hs_job_id job);
uint32_t hs_view_checkpoint_mib(const struct hs_view *v, hs_job_id job); /* 0 = not known */
enum hs_job_class hs_view_class(const struct hs_view *v, hs_job_id job); /* as submitted */

/* ---- facts that need a declaration ---- */
/* HS_KNOWS_DURATION: isolated run time, in all and still to do (without costs). */
int64_t hs_view_duration_us(const struct hs_view *v, hs_job_id job);
int64_t hs_view_remaining_us(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_DURATION: its mini-batches where the trace counts them, and to the last bit how many a
 * second; 0 = not known. */
int64_t hs_view_steps_in_all(const struct hs_view *v, hs_job_id job, double *per_s);
/* HS_KNOWS_DURATION: when it would finish if nothing changed; INT64_MAX unless placed. */
int64_t hs_view_finish_us(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_UTILIZATION: predicted solo GPU utilization, mean and peak, per mille; -1 = no
 * prediction. Never the truth, unless --predictor=oracle. */
int32_t hs_view_util_pm(const struct hs_view *v, hs_job_id job);
int32_t hs_view_util_peak_pm(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_UTILIZATION: predicted slowdown of a job beside another, of predicted utilizations, per
 * mille; Q32, >= 1 << 32. Beyond 1 it is a product of a function of the one and a function of the
 * other, and what several others add is the sum: it can be tabulated. */
uint64_t hs_view_slowdown_q32(const struct hs_view *v, int32_t own_pm, int32_t beside_pm);
/* HS_KNOWS_MEMORY: predicted peak per GPU (after an OOM 1.25 times what was seen); 0 = none. */
uint32_t hs_view_gpu_mem_mib(const struct hs_view *v, hs_job_id job);
/* Of the predicted peak, what stays between mini-batches: the model and its optimizer. */
uint32_t hs_view_gpu_mem_persistent_mib(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_MODEL: share of the largest tensor in all of the model, per mille; -1 = not known. */
int32_t hs_view_skew_pm(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_SPEED: predicted speed of a job on a GPU type, relative to the reference type of the
 * run, Q32, > 0. Never the truth, unless --speed-predictor=oracle. */
uint64_t hs_view_speed_q32(const struct hs_view *v, hs_job_id job, uint32_t type);
/* The same to the last bit, for a policy that repeats a program of which ties depend on it. */
double hs_view_speed(const struct hs_view *v, hs_job_id job, uint32_t type);
/* HS_KNOWS_SPEED: the same relative to the mean job, Q32, > 0: above 1 where the job gains more. */
uint64_t hs_view_gain_q32(const struct hs_view *v, hs_job_id job, uint32_t type);
/* HS_KNOWS_SCALING: predicted speed of a job on `gpus` >= 1 GPUs of a type, on as few nodes as
 * possible, relative to that on the number that it asks for, Q32, > 0. The trace's run time holds
 * there. Never the truth, unless --speed-predictor=oracle. */
uint64_t hs_view_scaling_q32(const struct hs_view *v, hs_job_id job, uint32_t type, uint32_t gpus);
/* HS_KNOWS_SCALING: predicted speed of a job whose GPUs are on more nodes of a type than it needs,
 * relative to that on as few as possible, Q32, at most 1. */
uint64_t hs_view_spread_q32(const struct hs_view *v, hs_job_id job, uint32_t type);
/* HS_KNOWS_PAIRS: predicted speeds of two jobs on the same GPUs of a type, each relative to that
 * alone there, Q32, in (0, 1]. --speed-predictor: oracle, the truth; noisy, the truth with a draw
 * for the two jobs and the type; table, by their predicted utilizations alone. Jobs of the same
 * kind have the same beside every job. */
struct hs_pair_speeds {
    uint64_t a_q32, b_q32;
};
struct hs_pair_speeds hs_view_pair_speeds(const struct hs_view *v, hs_job_id a, hs_job_id b,
                                          uint32_t type);
uint64_t hs_view_pair_kind(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_HOST, measured on its model before the job came: its speed with so many CPUs, in
 * thousandths, and so much host memory a GPU, relative to the share of a GPU on the measured
 * servers, Q32; and the points of the measurement, ascending: false, and 1 everywhere, where there
 * is none. O(points). */
#define HS_HOST_POINTS 16u /* of an axis at most */
struct hs_host_axes {
    uint32_t cpu_count, mem_count;
    const uint32_t *cpus_milli, *mem_mib;
};
uint64_t hs_view_host_q32(const struct hs_view *v, hs_job_id job, uint32_t cpus_milli,
                          uint32_t mem_mib);
bool hs_view_host_axes(const struct hs_view *v, hs_job_id job, struct hs_host_axes *axes);
/* HS_KNOWS_STAGES: predicted times of an iteration alone and of its stages, the same for jobs of
 * the same kind. Never the truth, unless --speed-predictor is not noisy. */
struct hs_iteration {
    uint32_t kind;
    int64_t alone_ns, stage_ns[3]; /* storage and CPU; GPU; network */
    int64_t overhead_pm; /* what the released simulator adds to alone_ns: 1000 = nothing */
};
struct hs_iteration hs_view_iteration(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_STAGES: predicted period of at most four jobs of these kinds that interleave, with the
 * stages of each in the best order, or in the worst. O(count!). */
#define HS_INTERLEAVED_MOST 4u
int64_t hs_view_period_ns(const struct hs_view *v, const uint32_t *kinds, uint32_t count,
                          bool is_worst);
/* Only from init(), with HS_CAN_INTERLEAVE: groups interleave in the worst order. */
void hs_view_worst_order(const struct hs_view *v);
/* HS_KNOWS_RATE: measured progress per second of a running job, Q32 (1 << 32 = isolated speed). */
uint64_t hs_view_rate_q32(const struct hs_view *v, hs_job_id job);
/* HS_KNOWS_RATE: the same that a few mini-batches alone on `gpus` >= 1 GPUs of a type would show,
 * on as few nodes as possible, > 0. The policy lets the job pay for them. */
uint64_t hs_view_trial_q32(const struct hs_view *v, hs_job_id job, uint32_t type, uint32_t gpus);
/* HS_KNOWS_RATE, measured: mini-batches done; speed under a memory limit, Q32 of that without. */
uint64_t hs_view_steps(const struct hs_view *v, hs_job_id job);
uint64_t hs_view_limited_q32(const struct hs_view *v, hs_job_id job, uint32_t limit_mib);

/* HS_KNOWS_LOSS, measured: the training of a job as it reports it. The length of an epoch follows
 * from its data set, the threshold is set by its user; losses are known of finished epochs only. */
struct hs_training {
    int64_t epoch_us; /* isolated run time of an epoch, >= 1 */
    double done;      /* epochs, and the part of the current one */
    double threshold; /* it ends after epochs in which the loss falls by less (horus/loss.h) */
};
struct hs_training hs_view_training(const struct hs_view *v, hs_job_id job);
/* After so many epochs, 0 before the first; of one that is not done it is refused, 0 is returned.
 */
double hs_view_loss(const struct hs_view *v, hs_job_id job, uint32_t epochs);

/* HS_KNOWS_PROFILE, measured: what a run alone on nodes set aside (hs_plan_end_profile) showed of a
 * job, on each of its GPUs. False, and nothing written, before that run has ended; with
 * HS_KNOWS_MODEL as well it counts as measured before the job came. */
struct hs_job_profile {
    int32_t util_pm, bw_util_pm; /* GPU, and bandwidth of its memory, per mille; -1 = not known */
    uint32_t mem_mib;            /* peak; 0 = not known */
    uint32_t configuration;      /* row of the catalogue; HS_NO_PROFILE = none */
    int32_t sharing_score;       /* of that row, 0..2; -1 = none */
};
bool hs_view_profile(const struct hs_view *v, hs_job_id job, struct hs_job_profile *out);

/* ---- estimates of run times ---- */
enum hs_estimate_from {
    HS_ESTIMATE_ORACLE,  /* the true run time: HS_KNOWS_DURATION */
    HS_ESTIMATE_NOISY,   /* times exp(sigma z), z normal, drawn for each job: HS_KNOWS_ESTIMATE */
    HS_ESTIMATE_FILE,    /* by job id: HS_KNOWS_ESTIMATE */
    HS_ESTIMATE_ROLLING, /* mean of the user's finished jobs: HS_KNOWS_HISTORY */
};
#define HS_ESTIMATE_LAST_MAX 64
struct hs_estimator {
    enum hs_estimate_from from;
    const char *file;   /* FILE: CSV with job_id and estimate (s) */
    double sigma;       /* NOISY */
    int64_t unknown_us; /* of a job that nothing is known of */
    uint32_t last;      /* ROLLING: the median of so many, at most 64; 0: the mean of all */
};

/* Only from init(): where hs_view_estimate_us gets its figures; files are input of the run. */
HS_MUST_USE enum hs_status hs_view_estimate_by(const struct hs_view *v,
                                               const struct hs_estimator *how);
/* The run time of a job, in all, as it was estimated when it was submitted. >= 0. */
int64_t hs_view_estimate_us(const struct hs_view *v, hs_job_id job);
/* Only from init(): the numbers, none negative, of a CSV file of one column, perhaps under a
 * header, in millionths and in the order of the file; they live as long as the run. */
HS_MUST_USE enum hs_status hs_view_numbers(const struct hs_view *v, const char *path,
                                           const int64_t **values, uint32_t *count);

/* ---- the cluster ---- */
const struct hs_node *hs_view_node(const struct hs_view *v, uint32_t node);
const struct hs_gpu_type *hs_view_gpu_type(const struct hs_view *v, uint32_t type);
uint32_t hs_view_node_free(const struct hs_view *v, uint32_t node);
uint32_t hs_view_gpu_node(const struct hs_view *v, uint32_t gpu);
uint32_t hs_view_gpu_tenants(const struct hs_view *v, uint32_t gpu);
/* Tenant i of the GPU before this plan, in no particular order; HS_NO_JOB past the last. O(i). */
hs_job_id hs_view_gpu_tenant(const struct hs_view *v, uint32_t gpu, uint32_t i);
/* Whether the job may be put beside the GPU's tenants, by their number and which must be alone. */
bool hs_view_may_join(const struct hs_view *v, uint32_t gpu, hs_job_id job);
bool hs_view_is_alone(const struct hs_view *v, hs_job_id job); /* it may be put beside none */
/* HS_KNOWS_RATE: joint utilization of a GPU, per mille, now (0) or in the mean of the last
 * window_us (of the HS_UTIL_KEPT changes remembered; only if the policy wants_mean_util). */
#define HS_UTIL_KEPT 16u
uint32_t hs_view_gpu_util_pm(const struct hs_view *v, uint32_t gpu, int64_t window_us);
/* Of one GPU that is shared: what is for its tenants; UINT32_MAX = not stated. */
uint32_t hs_view_gpu_capacity_mib(const struct hs_view *v, uint32_t gpu);
/* Whether the node takes jobs: it is not down, drained or absent (MODEL.md 13). The searches below
 * look only at nodes in service; what is counted of all nodes counts the others as well. */
bool hs_view_in_service(const struct hs_view *v, uint32_t node);
/* Whether the node is in service and of the job's VC and GPU types; free GPUs are not checked. */
bool hs_view_may_use(const struct hs_view *v, hs_job_id job, uint32_t node);
uint64_t hs_view_total_gpus(const struct hs_view *v, uint32_t vc);
/* GPUs of a type, of nodes in service only: of the VC if vcs_are_apart, else of all. */
uint64_t hs_view_type_gpus(const struct hs_view *v, uint32_t vc, uint32_t type);
uint64_t hs_view_free_gpus(const struct hs_view *v, uint32_t vc);
/* At most so many can be given to the job: on nodes of its VC and type. O(kinds of nodes). */
uint64_t hs_view_free_for(const struct hs_view *v, hs_job_id job);
/* What the VC may still take; UINT64_MAX when there is no quota. */
uint64_t hs_view_quota_room(const struct hs_view *v, uint32_t vc);
/* Whether the GPUs of the job (not of shares) are free anywhere, and within the quota. */
bool hs_view_has_room(const struct hs_view *v, hs_job_id job);
/* The quota itself (UINT64_MAX: none), and the GPUs that its jobs hold, plan and parts included.
 * With HS_CAN_BORROW no quota stops a job: quota_room is UINT64_MAX, these show which exceed it. */
uint64_t hs_view_quota(const struct hs_view *v, uint32_t vc);
uint64_t hs_view_vc_held(const struct hs_view *v, uint32_t vc);

/* ---- quotas lent within cohorts (MODEL.md 16; has_cohorts) ----
 * What the VC may borrow counts in hs_view_quota_room. A quota is a number: of a VC its index, of
 * cohorts those from vcs on. O(depth) each. */
#define HS_NO_QUOTA UINT32_MAX
uint32_t hs_view_cohort(const struct hs_view *v, uint32_t quota); /* around it; or HS_NO_QUOTA */
/* What the VC may still take if that quota, its own or of a cohort around it, were in no cohort: it
 * has so much room, though perhaps others borrow it. */
uint64_t hs_view_quota_within(const struct hs_view *v, uint32_t vc, uint32_t quota);
/* Whether the VC holds what is lent to it by that quota: it is outside of it, in a cohort around
 * it, and all quotas from its own to there are exceeded. */
bool hs_view_is_borrowing(const struct hs_view *v, uint32_t vc, uint32_t quota);
/* Counts so many GPUs more, or, negative, fewer, as held by the VC, until they are taken back. */
void hs_view_quota_count(const struct hs_view *v, uint32_t vc, int64_t gpus);

/* Node searches for `job`: only nodes of its VC and GPU type on which `gpus` GPUs with the job's
 * share of CPU and host memory are free. HS_NO_NODE if there is none. Ties of best and worst go to
 * the lowest node id (random under --tie-jitter). O(log nodes). */
uint32_t hs_view_best_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus); /* fewest free */
/* The same of nodes that are not wholly idle. */
uint32_t hs_view_best_busy(const struct hs_view *v, hs_job_id job, uint32_t gpus);
uint32_t hs_view_worst_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus); /* most free */
/* Lowest id >= from. */
uint32_t hs_view_first_fit(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t from);
/* The searches for a job from here on, those of shared GPUs, their costs, hs_view_may_use and
 * hs_view_free_for as well, look at nodes of this GPU type alone, until it is HS_ANY_TYPE again, as
 * it is at first. Till then ties go, if is_by_kind, to the nodes of the least size, CPUs and
 * memory, then to the lowest id; so do, on a cluster of one rack, the searches for the lowest id.
 * The order of groups of nodes does not matter then. */
void hs_view_search_type(const struct hs_view *v, uint32_t type, bool is_by_kind);
/* In what follows the size of a node is the GPUs that the job may use of it when it is wholly idle:
 * all of them, unless its CPU or host memory end before. */
/* A wholly idle node of exactly that size, lowest id >= from. */
uint32_t hs_view_idle_node(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t from);
/* Of all nodes that the job may use: the largest size of at most `most` (0 if there is none), and
 * how many, busy or not or only wholly idle, have exactly `size`. O(kinds of nodes). */
uint32_t hs_view_node_size(const struct hs_view *v, hs_job_id job, uint32_t most);
uint32_t hs_view_node_count(const struct hs_view *v, hs_job_id job, uint32_t size, bool is_idle);
/* GPUs of those nodes, and of nodes that are reserved now: a larger gang never runs. O(kinds of
 * nodes). */
uint64_t hs_view_capacity(const struct hs_view *v, hs_job_id job);
/* Free GPUs of all its nodes. */
uint32_t hs_view_rack_free(const struct hs_view *v, uint32_t rack);
/* GPUs of a rack that are free for the job; O(kinds of nodes), for a job that asks for CPU or host
 * memory O(nodes of the rack). And its best or worst fit there; O(log nodes). */
uint64_t hs_view_rack_room(const struct hs_view *v, hs_job_id job, uint32_t rack);
uint32_t hs_view_fit_in_rack(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t rack,
                             bool is_worst);
/* Lowest rack >= from with `count` wholly idle nodes of `size` GPUs for the job; HS_NO_RACK. */
uint32_t hs_view_idle_rack(const struct hs_view *v, hs_job_id job, uint32_t size, uint32_t count,
                           uint32_t from);

/* ---- reservations (HS_CAN_RESERVE) ----
 * Windows of time in which nodes belong to a user or a virtual cluster. While one is open no search
 * finds its nodes and no sum but hs_view_total_gpus counts them, but a job may be put on them by
 * their number (hs_plan_on_node), as far as hs_view_window_is_for it. */
struct hs_reserved {
    int64_t start_us, end_us; /* [start, end) */
    const uint32_t *nodes;    /* ascending */
    uint32_t count;
};
/* In order of start. Times are known from the first event on, not in init(). */
const struct hs_reserved *hs_view_window(const struct hs_view *v, uint32_t window);
bool hs_view_window_is_open(const struct hs_view *v, uint32_t window);
bool hs_view_window_is_over(const struct hs_view *v, uint32_t window);
uint32_t hs_view_windows_left(const struct hs_view *v); /* that are open or to come */
/* Whether its owner owns the job. */
bool hs_view_window_is_for(const struct hs_view *v, uint32_t window, hs_job_id job);
/* GPUs that a job holds on its nodes, or gets there in this plan. O(nodes of the job x log nodes),
 * and in the second case the actions of the plan. */
uint32_t hs_view_window_held(const struct hs_view *v, uint32_t window, hs_job_id job);
/* Free GPUs of its nodes. O(nodes). */
uint64_t hs_view_window_free(const struct hs_view *v, uint32_t window);
/* Whether a GPU of an open window is free. O(nodes of open windows). */
bool hs_view_reserved_room(const struct hs_view *v);
/* Searches and sums from here on leave out the nodes of windows that open before that time as well,
 * until the next call; 0, as it is at first: of open windows only. O(nodes of the windows that the
 * change concerns). */
void hs_view_search_until(const struct hs_view *v, int64_t until_us);

/* ---- shares of GPUs (HS_CAN_DIVIDE) ----
 * A job may request a share of each of its GPUs, in thousandths, and as much of its memory. A share
 * is reserved: jobs with shares do not slow each other, and it is no co-location. A GPU holds
 * shares of at most 1000, or whole-GPU jobs, never both; the workers of a job are on different
 * GPUs. */
/* Of each of its GPUs; HS_GPU_MILLI = whole, as for every job without HS_CAN_DIVIDE. */
uint32_t hs_view_gpu_milli(const struct hs_view *v, hs_job_id job);
/* Of the GPUs that hold shares and have room for one more worker of the job, the one with the least
 * room; ties go to the lowest id. Its pool and GPU types, on a node with CPU and host memory left;
 * not one that the action being written has given it already. HS_NO_GPU if there is none. O(GPU
 * types x log GPUs), plus the GPUs walked past for lack of CPU or memory. */
uint32_t hs_view_tightest_share(const struct hs_view *v, hs_job_id job);
/* Most room of a GPU that holds shares and is open to the VC; 0 = none. O(types x log GPUs). */
uint32_t hs_view_share_room(const struct hs_view *v, uint32_t vc);
/* Room of all of them together. */
uint64_t hs_view_share_rooms(const struct hs_view *v, uint32_t vc);
/* Thousandths of the GPU that are free: all, those beside the shares that it holds, or none. Whole
 * GPUs that this plan took count by node alone (hs_view_node_free) until a share is submitted. */
uint32_t hs_view_gpu_room(const struct hs_view *v, uint32_t gpu);
/* CPUs, in thousandths, and host memory that no worker has taken; INT64_MAX / 2 or so of what the
 * node does not state. */
void hs_view_node_host(const struct hs_view *v, uint32_t node, int64_t *cpus_milli,
                       int64_t *mem_mib);
/* hs_view_quota_room in thousandths: a share counts as what it is. */
uint64_t hs_view_quota_room_milli(const struct hs_view *v, uint32_t vc);

/* ---- sharing GPUs (HS_CAN_COLOCATE) ---- */
#define HS_LOADS 3

/* What is on one GPU, the plan included. */
struct hs_load {
    uint32_t tenants;
    uint32_t claim_mib;    /* sum of the predicted peaks; 0 without HS_KNOWS_MEMORY */
    uint32_t measured_pm;  /* joint utilization, before this plan; 0 without HS_KNOWS_RATE */
    int32_t sum[HS_LOADS]; /* of the values of .load of each tenant */
};

/* One GPU (least and most are the same), or bounds on many of one type. */
struct hs_load_range {
    struct hs_load least, most;
    uint32_t capacity_mib; /* of each; 0 = not stated */
    uint32_t gpu_type;
};

/* Cost of one GPU of the job on a GPU with this load; for bounds, at most the least cost of any
 * load within them (the closer, the faster the search). HS_NEVER: not there, or nowhere within. */
#define HS_NEVER INT64_MAX
typedef int64_t hs_load_cost(const void *ctx, const struct hs_load_range *range);

/* The shared GPU of least cost among those that the job may join now (its pool, tenants, claims,
 * CPU and host memory), if that is below `below`: then *cost is it. Ties go to the lowest id.
 * HS_NO_GPU if there is none. O(log GPUs) for a cost whose bounds are close. */
uint32_t hs_view_cheapest_shared(const struct hs_view *v, hs_job_id job, hs_load_cost *cost_of,
                                 const void *ctx, int64_t below, int64_t *cost);
/* The cost of each GPU of a node, in order of id; HS_NEVER where the job cannot be. */
void hs_view_node_costs(const struct hs_view *v, hs_job_id job, uint32_t node,
                        hs_load_cost *cost_of, const void *ctx, int64_t *costs);
/* Of one GPU. */
int64_t hs_view_gpu_cost(const struct hs_view *v, hs_job_id job, uint32_t gpu,
                         hs_load_cost *cost_of, const void *ctx);
/* Lowest GPU id >= from of the node that no job holds. */
uint32_t hs_view_idle_gpu(const struct hs_view *v, uint32_t node, uint32_t from);
/* For how many workers of the job the node has CPU and host memory left; UINT32_MAX: any number. */
uint32_t hs_view_node_workers(const struct hs_view *v, hs_job_id job, uint32_t node);
/* How many GPUs can take one worker of the job: idle ones, and shared ones that it may join at a
 * cost below HS_NEVER; up to `most`. O(most x log GPUs) for a cost with close bounds. */
uint64_t hs_view_find_at_cost(const struct hs_view *v, hs_job_id job, hs_load_cost *cost_of,
                              const void *ctx, uint64_t most);
/* Lowest node >= from of the job's pools with an idle GPU, or a shared one that it may join with
 * more than margin_mib of it left; CPU and host memory are not checked. O(pools x log nodes), and
 * the nodes walked past for lack of GPU memory. */
uint32_t hs_view_find_node(const struct hs_view *v, hs_job_id job, uint32_t margin_mib,
                           uint32_t from);
/* Of the nodes where the whole gang can be placed, with its CPU and host memory, the one whose
 * cheapest GPUs for it cost least in all; ties go to the node of fewest free GPUs, then to the
 * lowest id. HS_NO_NODE. For a cost whose bounds are close, O(log GPUs) and the nodes with a GPU
 * that costs less than the mean of the best ones. */
uint32_t hs_view_cheapest_node(const struct hs_view *v, hs_job_id job, uint32_t margin_mib,
                               hs_load_cost *cost_of, const void *ctx);
/* No GPU of the job's pools is idle or open to one more tenant, whatever it claims. O(pools). */
bool hs_view_is_full(const struct hs_view *v, hs_job_id job);

/* The number of times that a worker left a GPU so far, the plan included, or reduced its claim on
 * it; workers of a job that leave a node at once may count once. */
uint64_t hs_view_releases(const struct hs_view *v);

#endif
