/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting queues, one per virtual cluster, and the ways to go through them.
 *
 *     strict  start jobs in order, stop at the first that does not fit (head-of-line blocking)
 *     fit     start every job that fits, in order; larger ones may starve
 *     easy    a later job starts if it does not delay the head
 *     conservative  a later job starts if it delays none before it
 *
 * A job that does not fit a wholly idle pool never will: it is rejected with the reason.
 */
#pragma once

#include "policies/lib/preempt_select.h"

enum hs_scan { HS_SCAN_STRICT, HS_SCAN_FIT, HS_SCAN_EASY, HS_SCAN_CONSERVATIVE };
extern const char *const hs_scan_names[];     /* strict, fit, easy, conservative */
extern const char *const hs_scan_two_names[]; /* strict, fit */

/* Under eviction: the jobs of a VC that hold GPUs. */
struct hs_vc_holders {
    struct hs_running_class by_start;
    uint64_t gpus;
};

struct hs_vc_queues {
    struct hs_job_queue *by_vc;
    bool *is_awake;    /* per VC: an event since its last scan may let a job start */
    bool is_any_awake; /* false: no VC is awake */
    bool is_strict;    /* scans stop at the first job that does not fit */
    uint32_t vcs;
    struct hs_vc_holders *holders; /* one per VC under eviction, else NULL */
    struct hs_priority evicts_by;  /* what counts in the order of these */
    struct hs_evictions evictions; /* under eviction */
    struct hs_place_rule rule;     /* within a scan */
};

/* scan: strict stops at the first job that does not fit, fit starts every job that fits. */
void hs_vc_queues_init(struct hs_vc_queues *q, const struct hs_view *v, enum hs_scan scan);
/* After it: priorities and classes count in the order of the queues. Under priority=preempt,
 * class=evict or reclaim=yes the policy preempts (HS_CAN_PREEMPT and those of hs_vc_queues_can, no
 * HS_CAN_DIVIDE; its job_state_size is at least that of struct hs_evict_link): at each scan the
 * jobs that should hold GPUs are chosen by preempt_select.h, within a level the holders before all
 * others and those that started last behind. cost: NULL where these are no choices. Both are kept.
 */
HS_MUST_USE enum hs_status hs_vc_queues_prioritize(struct hs_vc_queues *q, const struct hs_view *v,
                                                   const struct hs_priority *priority,
                                                   const struct hs_preempt_cost *cost);
/* Whether the job holds no GPUs and may be started. */
bool hs_job_waits(const struct hs_view *v, hs_job_id job);
/* Whether no job holds a GPU that the job's VC may use. */
bool hs_pool_is_idle(const struct hs_view *v, hs_job_id job);
/* Rejects a job that was not placed although its pool is idle: it can never be placed. Returns
 * whether it was rejected. */
bool hs_reject_hopeless(const struct hs_view *v, struct hs_plan *p, hs_job_id job);
/* Free GPUs that the VC may use within its quota. */
uint64_t hs_vc_queues_room(const struct hs_view *v, uint32_t vc);
/* The size_of of every queue that is scanned: thousandths of GPUs, to be compared with the room
 * left. */
hs_job_queue_size hs_vc_queues_size;
/* Tells whether it may let waiting jobs start. */
static inline bool hs_event_wakes(const struct hs_event *event)
{
    return event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_FINISH ||
           event->kind == HS_EVENT_NODE;
}

/* Marks the VCs whose jobs an event of this job may let start: its own VC if VCs own their nodes,
 * else all, as for HS_NO_JOB. */
void hs_wake(bool *is_awake, uint32_t vcs, const struct hs_view *v, hs_job_id job);
/* To be called at every submission and end. A VC is scanned only after an event of one of its own
 * jobs (of any job when VCs share nodes), so VCs with nodes of their own behave as separate
 * clusters. */
void hs_vc_queues_wake(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job);
/* True once for each VC that is awake and has waiting jobs. */
bool hs_vc_queues_needs_scan(struct hs_vc_queues *q, uint32_t vc);
void hs_vc_queues_add(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job, int64_t key);
/* No effect if it is no member. */
void hs_vc_queues_remove(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job);
/* The on_event of a policy that preempts by priority alone, if at all: a submission or a stop adds
 * the job, a start or a rejection removes it, and VCs are woken. key: the key of the job at
 * HS_EVENT_SUBMIT and HS_EVENT_STOPPED. */
void hs_vc_queues_event(struct hs_vc_queues *q, const struct hs_view *v,
                        const struct hs_event *event, int64_t key);
/* Scans the queue of each VC that is awake, by the rule given to hs_vc_queues_init. */
void hs_vc_queues_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                       struct hs_place_rule rule);
/* The same for one queue of the caller, strict or fit. */
void hs_vc_queues_scan_set(struct hs_job_queue *set, const struct hs_view *v, struct hs_plan *p,
                           uint32_t vc, enum hs_scan scan, struct hs_place_rule rule);
/* Narrows the limits to the room left (of a share: the largest room of a GPU), and after a job did
 * not fit. */
void hs_vc_queues_narrow_by_room(struct hs_gang_limits *bounds, const struct hs_view *v,
                                 uint32_t vc);
void hs_vc_queues_narrow_by_failure(struct hs_gang_limits *bounds, const struct hs_view *v,
                                    hs_job_id job, struct hs_place_rule rule);
/* ---- scans with a placement of the policy's own, for policies that share GPUs: capacity only
 * shrinks within a pass, so a job that was refused once is not tried again in it ---- */

struct hs_colocate {
    int32_t scan; /* enum hs_scan: strict or fit */
    struct hs_vc_queues queue;
};

#define HS_COLOCATE_SCAN(state_type, field)                                                        \
    HS_PARAM_CHOICE(state_type, field.scan, "scan", "strict", hs_scan_two_names,                   \
                    "when a job does not fit: stop (strict), or skip it (fit)")

typedef bool hs_place_fn(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id job);

/* How hs_colocate_scan starts jobs. */
struct hs_colocate_rule {
    hs_place_fn *place;
    void *state; /* first argument of both functions */
    /* The smallest unconstrained gang of the VC that would be refused now, as would all larger
     * ones; UINT32_MAX: not known. NULL: each gang is tried. */
    uint32_t (*blocked_gpus)(const void *state, const struct hs_view *v, uint32_t vc);
    /* Per VC, the scan ends after this many refused jobs: 1 is strict order. */
    uint64_t max_refusals;
    uint32_t max_starts; /* per VC; 0 = unlimited */
};

/* Maintains the queue: adds a job at its submission and after a stop, removes it at its start;
 * order by key, submission, rank. */
void hs_colocate_event(struct hs_vc_queues *q, const struct hs_view *v,
                       const struct hs_event *event, int64_t key);
/* Starts jobs of each VC in order and removes them from the queue. Returns the number of starts.
 * Gangs that are known to be refused are skipped, one step each if the number of refusals is
 * limited, else at no cost. */
uint32_t hs_colocate_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule);
/* Whether no GPU of the VC is idle or open to another tenant, so that only jobs without GPUs can
 * start. False for a constrained job, whose failure says nothing about others. */
bool hs_is_full(const struct hs_view *v, hs_job_id job);

/* Checks that the queue is in order and that every member waits. Returns NULL or the broken rule.
 */
const char *hs_waiting_check(const struct hs_job_queue *queue, const struct hs_view *v);
const char *hs_vc_queues_check(const struct hs_vc_queues *q, const struct hs_view *v);
