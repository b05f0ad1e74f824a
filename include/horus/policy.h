/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record that makes a policy: one file in src/policies with one const struct hs_policy_ops as
 * its last thing, and one line in src/policies/policies.def. Parsing, help, the manifest and the
 * conformance tests come from the record.
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

#include <stddef.h>

#include "horus/param.h"
#include "horus/plan.h"
#include "horus/status.h"
#include "horus/view.h"

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
};

/* Knowledge beyond the facts that every scheduler has. */
enum {
    HS_KNOWS_DURATION = 1u << 0, /* an oracle: true run times */
    HS_KNOWS_UTILIZATION = 1u << 1,
    HS_KNOWS_MEMORY = 1u << 2,
    HS_KNOWS_RATE = 1u << 3,     /* measured: progress of a job, joint utilization of a GPU */
    HS_KNOWS_ESTIMATE = 1u << 4, /* run times, with an error */
    HS_KNOWS_HISTORY = 1u << 5,  /* run times of finished jobs, by user and GPUs */
    HS_KNOWS_MODEL = 1u << 6,    /* tensor sizes of the model that a job trains */
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
};

struct hs_event {
    enum hs_event_kind kind;
    hs_job_id job; /* HS_NO_JOB for a timer */
    uint64_t tag;
};

/* How the policy behaves with the parameters it was given: printed among the assumptions of every
 * manifest and summary. Static strings. */
struct hs_semantics {
    const char *order;      /* "submit", "duration", "remaining", ... */
    const char *scan;       /* "strict", "fit", "easy" */
    const char *placement;  /* placer */
    const char *preemption; /* "none", "evict", "replace" */
    const char *cost;       /* "free", "table", "job", "restart", "checkpoint" */
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

/* The registry (src/policies/registry.c): order of policies.def; NULL past the end. */
const struct hs_policy_ops *hs_policy_at(size_t index);
const struct hs_policy_ops *hs_policy_find(const char *name);

#endif
