/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a policy may do, and the record that makes it: one file in src/policies with one const
 * struct hs_policy_ops as its last thing, and one line in src/policies/policies.def. Parsing, help,
 * the manifest and the conformance tests come from the record.
 *
 *     const struct hs_policy_ops hs_policy_fifo = {
 *         .name = "fifo", .summary = "first come, first served", .params = params,
 *         .state_size = sizeof(struct fifo), .on_event = on_event, .decide = decide};
 *
 * A policy keeps plain bytes: `state` (parameters filled in from the table, the rest zeroed) and
 * the scratch of each job. It calls no allocator, no clock, no random source and no stdio.
 */
#ifndef HORUS_POLICY_H
#define HORUS_POLICY_H

#include "horus/param.h"
#include "horus/version.h"
#include "horus/view.h"

/* ---- the plan ----
 *
 * What a policy may do: append actions to a plan. The engine checks each action against a shadow
 * of the cluster as it is appended and applies the whole plan after decide(), or none of it.
 *
 *     uint32_t mark = hs_plan_mark(p);
 *     hs_plan_start(p, job);
 *     hs_plan_on_node(p, node, 8);
 *     if (!enough) hs_plan_rollback(p, mark);     // removes the actions since the mark
 *
 * An illegal action (two gangs on one GPU, a start of a running job, ...) fails the run with an
 * error that names policy, job, node and rule; the calls after it are ignored, so a policy need
 * not test each one. Releases count before takes: what one action frees the next may use.
 * preempt + start of one job in one plan is a move: free if it ends up on the same nodes,
 * otherwise a migration that pays the cost given to preempt. Another number of GPUs of the same
 * nodes is such a move, too.
 */

struct hs_plan;

/* Start a pending or suspended job. Its GPUs follow: exactly its gang size in all (or a count
 * within its elastic range, with HS_CAN_RESIZE), before the next action. */
void hs_plan_start(struct hs_plan *p, hs_job_id job);
void hs_plan_on_node(struct hs_plan *p, uint32_t node, uint32_t gpus); /* free GPUs of a node */
/* Starts a waiting job on free GPUs of an open window that is for it, the first by start that has
 * room: on the fullest node that holds its gang, else on those with most free GPUs, ties by id.
 * Returns whether it was started. O(windows + nodes of the window x nodes used). */
bool hs_plan_start_reserved(struct hs_plan *p, const struct hs_view *v, hs_job_id job);
/* GPU i of those that the last action has got so far, by name (HS_CAN_INTERLEAVE); HS_NO_GPU past
 * the last. */
uint32_t hs_plan_gpu(const struct hs_plan *p, uint32_t i);
/* The two in one: its whole gang gets free GPUs of one node. */
void hs_plan_start_on_node(struct hs_plan *p, hs_job_id job, uint32_t node);
void hs_plan_on_gpu(struct hs_plan *p, uint32_t gpu); /* one GPU, perhaps shared or a share of it */

/* Take all GPUs from a placed job (HS_CAN_PREEMPT). resume_cost_us is added to what it owes before
 * it makes progress again; an unpaid rest of an earlier cost stays owed. */
void hs_plan_preempt(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us);
/* A job that is not paused owes cost_us more before it makes progress (again). */
void hs_plan_add_overhead(struct hs_plan *p, hs_job_id job, int64_t cost_us);
/* Move a placed job (HS_CAN_MIGRATE): new GPUs follow as for start; it pauses for pause_us. */
void hs_plan_migrate(struct hs_plan *p, hs_job_id job, int64_t pause_us);
/* The same, but its process stays and keeps its persistent memory on the host until it starts
 * again: counted as a switch, not as a preemption. */
void hs_plan_suspend(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us);
/* Stop and continue a job that stays resident on its GPUs (HS_CAN_SLICE). A pause is a switch. */
void hs_plan_pause(struct hs_plan *p, hs_job_id job);
void hs_plan_resume(struct hs_plan *p, hs_job_id job);
/* HS_EVENT_STEP when the job, if placed, has finished `steps` >= 1 more mini-batches, the one it is
 * at included: a suspension takes effect at the end of a mini-batch. Takes the place of an earlier
 * request; one that is not met when the job leaves its GPUs or finishes is forgotten. Only for a
 * job whose mini-batch time is known. A pause ends the request, too. */
void hs_plan_notify_step(struct hs_plan *p, hs_job_id job, uint32_t steps);

/* ---- time slices (HS_CAN_SLICE) ----
 * Jobs of one slice group share the time of the GPUs of a node by turns and do not interfere with
 * each other. They need not be placed on the same GPUs: only the sum of their time is limited. The
 * policy numbers the groups of each node; jobs of different groups run at once and interfere. Group
 * 0, the default, is none: its jobs run beside all others, with share 1. */
enum hs_keeps {
    HS_KEEPS_ALL,        /* of its GPU memory, while others of its group run */
    HS_KEEPS_PERSISTENT, /* the group's memory is the sum of these and the largest rest */
    HS_KEEPS_NOTHING,    /* the rest is on the host */
};
struct hs_turn {
    uint32_t slice_group;     /* > 0 */
    uint32_t coscheduled_set; /* jobs of a group with one > 0 take turns together */
    enum hs_keeps keeps;
    bool is_waiting; /* paused from its start on, or from when its cost is paid */
};
/* After start or migrate, before its GPUs are given: puts the job into a slice group. Only the GPU
 * memory limits the number of jobs of a group. */
void hs_plan_slice_group(struct hs_plan *p, const struct hs_turn *turn);
/* The share of the group's time that a placed job gets, Q32 in (0, 1], and perhaps another group.
 * Over the jobs (coscheduled sets count once) of a group that are not paused, the sum of shares
 * times GPUs is at most the GPUs of the node on which the group has jobs. */
void hs_plan_slice(struct hs_plan *p, hs_job_id job, uint32_t slice_group, uint64_t share_q32);
/* Throttle, Q32 in (0, 1] (HS_CAN_THROTTLE). Like group and share it ends with the placement. */
void hs_plan_cap(struct hs_plan *p, hs_job_id job, uint64_t cap_q32);
/* A job in the background (HS_CAN_THROTTLE) fills what the others on its GPUs leave idle: it does
 * not slow them while their utilizations and caps times utilizations of those in the background add
 * up to at most what the GPU gives, 1 unless measured. They slow it. Ends with the placement. */
void hs_plan_background(struct hs_plan *p, hs_job_id job, bool is_background);
/* GPU memory a job may use, MiB per GPU (HS_CAN_THROTTLE), what it needs beyond lies on the host
 * and slows it; 0 lifts the limit, which otherwise stays with the job wherever it goes. Also of a
 * job that waits, before its start. Counts at once for what follows in the plan. */
void hs_plan_mem_limit(struct hs_plan *p, hs_job_id job, uint32_t mib);
/* CPUs, in thousandths, and host memory of each of its GPUs, from its next start on (HS_CAN_HOST;
 * 0: none). Of a job that holds no GPUs at this point of the plan. What the trace asks for does not
 * count under such a policy. An allotment counts at once in every search, and no node gives more
 * than it has. A job taken off its GPUs and started on the same nodes in one plan changes it for
 * free. O(1). */
void hs_plan_host(struct hs_plan *p, hs_job_id job, uint32_t cpus_milli, uint32_t mem_mib);
/* Takes back work that a job has done, in time alone (HS_CAN_PREEMPT): lost, to be done again. */
void hs_plan_lose_work(struct hs_plan *p, hs_job_id job, uint64_t work_us);
/* End a placed job (HS_CAN_PREEMPT): it counts as failed, its work as lost. */
void hs_plan_kill(struct hs_plan *p, hs_job_id job);
/* Sets a node without jobs aside, as for a profiler, or puts it back (HS_CAN_PROFILE; not with
 * .load or HS_CAN_DIVIDE): no search of the view finds it and no sum counts it, and a job of any
 * virtual cluster may be put there by its number. Counts at once for what follows in the plan.
 * O(1). */
void hs_plan_set_aside(struct hs_plan *p, uint32_t node, bool is_aside);
/* Takes a job that is alone on nodes set aside off them (HS_CAN_PROFILE, HS_CAN_PREEMPT): from now
 * on hs_view_profile tells of it. It goes on later, in another plan, with what it has done, or, if
 * that is not kept, from nothing: lost work, no preemption. */
void hs_plan_end_profile(struct hs_plan *p, hs_job_id job, bool keeps_work, int64_t resume_cost_us);
/* Turn away a waiting job that never started; reason is a static text for jobs.csv and messages. */
void hs_plan_reject(struct hs_plan *p, hs_job_id job, const char *reason);
/* Call on_event(HS_EVENT_TIMER) with this tag at at_us >= now (HS_CAN_TIME). */
void hs_plan_timer(struct hs_plan *p, int64_t at_us, uint64_t tag);

/* Adds 1 to a counter of the policy, which appears in the summary of the run. */
void hs_plan_count(struct hs_plan *p, enum hs_policy_counter what);

/* The reason for the actions that follow in this plan, until the next call: a static text for
 * decisions.csv. NULL, as at the start of a plan: the policy's order is the reason. O(1), so it may
 * be set before it is known whether an action follows; a rollback does not undo it. */
void hs_plan_reason(struct hs_plan *p, const char *text);

/* Savepoint of the plan, and return to it. */
uint32_t hs_plan_mark(const struct hs_plan *p);
void hs_plan_rollback(struct hs_plan *p, uint32_t mark);

/* ---- the record ---- */

/* Actions of a plan that need a declaration. */
enum {
    HS_CAN_PREEMPT = 1u << 0,
    HS_CAN_MIGRATE = 1u << 1,
    HS_CAN_COLOCATE = 1u << 2,
    HS_CAN_SLICE = 1u << 3,
    HS_CAN_THROTTLE = 1u << 4,
    HS_CAN_RESIZE = 1u << 5,
    HS_CAN_TIME = 1u << 6,
    HS_CAN_BORROW = 1u << 7, /* go beyond the quota of a virtual cluster */
    HS_CAN_DIVIDE =
        1u << 8, /* give shares of GPUs: without it a job that requests a share gets a whole GPU */
    HS_CAN_PROFILE = 1u << 9,     /* set nodes aside, and take profiles there */
    HS_CAN_RESIZE_ANY = 1u << 10, /* with HS_CAN_RESIZE: jobs without an elastic range, too */
    HS_CAN_HOST = 1u << 11,       /* allot CPUs and host memory */
    /* With HS_CAN_COLOCATE: jobs on the same GPUs do not interfere, but interleave the stages of
     * their iterations (view.h), at most .tenants of them, whatever --max-tenants is. */
    HS_CAN_INTERLEAVE = 1u << 12,
    HS_CAN_RESERVE = 1u << 13, /* start jobs on the nodes of reservations: else the engine does,
                                  unknown to the policy. In runs with some, a share of a GPU is
                                  given as a whole GPU */
};

/* In runs with reservations the engine starts whole gangs on GPUs of their own: not with these. */
#define HS_BARS_RESERVATIONS                                                                       \
    (HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_RESIZE | HS_CAN_PROFILE | HS_CAN_HOST)

/* Knowledge beyond the facts that every scheduler has. */
enum {
    HS_KNOWS_DURATION = 1u << 0, /* an oracle: true run times */
    HS_KNOWS_UTILIZATION = 1u << 1,
    HS_KNOWS_MEMORY = 1u << 2,
    HS_KNOWS_RATE = 1u << 3,     /* measured: progress of a job, joint utilization of a GPU */
    HS_KNOWS_ESTIMATE = 1u << 4, /* run times, with an error */
    HS_KNOWS_HISTORY = 1u << 5,  /* run times of finished jobs, by user and GPUs */
    HS_KNOWS_MODEL = 1u << 6,    /* tensor sizes of the model that a job trains */
    HS_KNOWS_SPEED = 1u << 7,    /* speeds of jobs on GPU types, predicted */
    HS_KNOWS_PROFILE = 1u << 8,  /* measured, of a job that was profiled (hs_view_profile) */
    HS_KNOWS_SCALING = 1u << 9,  /* speeds of jobs on other numbers of GPUs, predicted */
    HS_KNOWS_HOST = 1u << 10,    /* measured: speeds of models by CPUs and host memory */
    HS_KNOWS_STAGES = 1u << 11,  /* times of the stages of iterations, predicted */
    HS_KNOWS_LOSS = 1u << 12,    /* measured: losses of a training so far, and its epochs */
    HS_KNOWS_PAIRS = 1u << 13,   /* speeds of two jobs on the same GPUs, predicted */
    HS_KNOWS_SPEEDS = HS_KNOWS_SPEED | HS_KNOWS_SCALING | HS_KNOWS_PAIRS, /* by --speed-predictor */
};

/* Starts and stops of one plan arrive in the order of its actions. */
enum hs_event_kind {
    HS_EVENT_SUBMIT,   /* a new job, state PENDING */
    HS_EVENT_FINISH,   /* it is done or failed; its handle is invalid after this call */
    HS_EVENT_STARTED,  /* the plan was applied: it now holds GPUs */
    HS_EVENT_STOPPED,  /* the plan was applied: it was preempted; or its GPU ran out of memory */
    HS_EVENT_PROGRESS, /* a cost is paid: it now makes progress, or waits for its turn */
    HS_EVENT_STEP,     /* the mini-batches of hs_plan_notify_step are done */
    HS_EVENT_MEMORY,   /* it needs more or less GPU memory than before */
    HS_EVENT_TIMER,    /* tag */
    HS_EVENT_NODE,     /* the node `tag` went out of service, or came back: there may be room.
                          HS_NO_NODE: nodes of a reservation, as it begins or ends */
};

struct hs_event {
    enum hs_event_kind kind;
    hs_job_id job; /* HS_NO_JOB for a timer and a node */
    uint64_t tag;
};

/* How the policy behaves as it is set: assumptions of manifest and summary. Static strings. */
struct hs_semantics {
    const char *order;      /* "submit", "duration", "remaining", ... */
    const char *scan;       /* "strict", "fit", "easy" */
    const char *placement;  /* placer */
    const char *preemption; /* "none", "evict", "replace" */
    const char *cost;       /* "free", "table", "job", "restart", "checkpoint" */
    const char *priority;   /* what comes before the order, "priority"; NULL: nothing */
    const char *ties;       /* among equal keys; NULL: submission, then trace row */
};

struct hs_policy_ops {
    const char *name, *summary, *cite;
    uint32_t can;   /* HS_CAN_x at most */
    uint32_t knows; /* HS_KNOWS_x at most */
    const struct hs_param *params;
    size_t state_size, job_state_size;
    bool wants_mean_util; /* asks for the mean utilization of GPUs: what it was is remembered */
    /* With HS_CAN_COLOCATE: what the job adds to the sums of a GPU that it is put on (view.h), and
     * whether it may share one at all. Called at its submission and after each OOM kill. */
    uint32_t (*tenants)(const void *state); /* jobs on one GPU at most; NULL: --max-tenants */
    bool (*load)(const void *state, const struct hs_view *v, hs_job_id job, int32_t sum[HS_LOADS]);
    /* After the parameters are set: narrows `can` and `knows` to what these parameters use. */
    void (*needs)(const void *state, uint32_t *can, uint32_t *knows);
    enum hs_status (*init)(void *state, const struct hs_view *v);
    void (*on_event)(void *state, const struct hs_view *v, const struct hs_event *event);
    enum hs_status (*decide)(void *state, const struct hs_view *v, struct hs_plan *p);
    void (*semantics)(const void *state, struct hs_semantics *out);
    /* Optional: the policy's own invariants (its queues against the job states), under
     * --check=full; returns NULL or the rule that is broken. O(live jobs). */
    const char *(*check)(const void *state, const struct hs_view *v);
};

/* Fields of a record: the sizes of state and scratch, by their types, and its hooks but tenants()
 * and load(), whose names begin with one word. */
#define HS_POLICY_HOOKS(word, state, scratch)                                                      \
    .state_size = sizeof(state), .job_state_size = sizeof(scratch), .needs = word##_needs,         \
    .init = word##_init, .on_event = word##_event, .decide = word##_decide,                        \
    .semantics = word##_semantics, .check = word##_check

/* ---- a policy outside the tree ---- */

/* What a shared library exports: `-p ./FILE.so`. It is made by HS_POLICY_PLUGIN(record). */
struct hs_policy_plugin {
    const char *version; /* HS_VERSION of the headers that it was built with */
    size_t size;         /* of the record in these headers */
    const struct hs_policy_ops *policy;
};
#define HS_POLICY_PLUGIN(record)                                                                   \
    extern const struct hs_policy_plugin horus_policy;                                             \
    const struct hs_policy_plugin horus_policy = {HS_VERSION, sizeof(record), &(record)}

/* The registry (src/policies/registry.c): order of policies.def; NULL past the end. */
const struct hs_policy_ops *hs_policy_at(size_t index);
const struct hs_policy_ops *hs_policy_find(const char *name);

#endif
