/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting queues, one per virtual cluster, and the ways to go through them.
 *
 *     strict  start jobs in order, stop at the first that does not fit (head-of-line blocking)
 *     fit     start every job that fits, in order; larger ones may starve
 *     easy    a later job starts if it does not delay the head: easy_backfill
 *
 * A job that does not fit a wholly idle pool never will: it is rejected with the reason.
 */
#pragma once

#include "policies/lib/job_queue.h"
#include "policies/lib/place.h"

enum hs_scan { HS_SCAN_STRICT, HS_SCAN_FIT, HS_SCAN_EASY };
extern const char *const hs_scan_names[];     /* strict, fit, easy */
extern const char *const hs_scan_two_names[]; /* strict, fit */

/* The last jobs that came behind all others: each job knows the one so many places behind it, which
 * is prefetched when it starts; where many start at once the next ones are too near. */
#define HS_VC_QUEUES_AHEAD 8u
struct hs_vc_queue_tail {
    uint32_t last[HS_VC_QUEUES_AHEAD]; /* a job + 1; 0 = none */
    uint32_t count;
    uint32_t stuck; /* the job + 1 that found no place when the queue was last scanned */
};

struct hs_vc_queues {
    struct hs_job_queue *by_vc;
    struct hs_vc_queue_tail *tails; /* under strict order, else NULL */
    bool *is_awake;                 /* per VC: something happened since its last scan */
    bool is_any_awake;              /* no VC is if this is not */
    uint32_t vcs;
};

/* strict: hs_vc_queues_scan stops at the first job that does not fit; else it starts all that fit.
 */
void hs_vc_queues_init(struct hs_vc_queues *q, const struct hs_view *v, enum hs_scan scan);
/* Placed nowhere: it can be started. */
bool hs_job_waits(const struct hs_view *v, hs_job_id job);
/* No GPU that the job's VC may use is held. */
bool hs_pool_is_idle(const struct hs_view *v, hs_job_id job);
/* A job that was placed nowhere although its pool is wholly idle never will be: it is turned away.
 * True if it was. */
bool hs_reject_hopeless(const struct hs_view *v, struct hs_plan *p, hs_job_id job);
/* GPUs that a VC can take now: free ones, within its quota. */
uint64_t hs_vc_queues_room(const struct hs_view *v, uint32_t vc);
/* What scans hold against the room that is left, in thousandths of GPUs: hs_job_queue.size_of of
 * every set that is scanned. */
hs_job_queue_size hs_vc_queues_size;
/* Marks what a submission or an end of the job may change: its VC if VCs are apart, else all. */
void hs_wake(bool *is_awake, uint32_t vcs, const struct hs_view *v, hs_job_id job);
/* Call with every submission and end. A VC is scanned only when one of its own jobs came or went
 * (any job, when VCs share their nodes), so partitioned VCs are as independent as separate runs. */
void hs_vc_queues_wake(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job);
void hs_vc_queues_wake_all(struct hs_vc_queues *q);
/* True, once, for a VC that was woken and has waiting jobs. */
bool hs_vc_queues_needs_scan(struct hs_vc_queues *q, uint32_t vc);
void hs_vc_queues_add(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_vc_queues_remove(struct hs_vc_queues *q, const struct hs_view *v,
                         hs_job_id job); /* no-op if out */
/* All that on_event of a policy without preemption does: a submission adds the job, a start or a
 * rejection removes it, and a VC is woken where there may be something to start. key: at
 * HS_EVENT_SUBMIT. */
void hs_vc_queues_event(struct hs_vc_queues *q, const struct hs_view *v,
                        const struct hs_event *event, int64_t key);
/* Starts what the scan of hs_vc_queues_init lets start. */
void hs_vc_queues_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                       struct hs_place_rule rule);
/* The same, for strict and fit, for one queue that the caller holds. */
void hs_vc_queues_scan_set(struct hs_job_queue *set, const struct hs_view *v, struct hs_plan *p,
                           uint32_t vc, enum hs_scan scan, struct hs_place_rule rule);
/* What is worth a try with the room that is left (where no GPU is idle the most that one has left);
 * and after a job could not be placed. */
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
                    "behind a job that does not fit: stop, or skip it")

typedef bool hs_place_fn(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id job);

/* How a scan starts jobs. */
struct hs_colocate_rule {
    hs_place_fn *place;
    void *state; /* of both functions */
    /* The least gang of the VC, among those without demands of their own, that is refused as things
     * stand, as are all larger ones; UINT32_MAX: not known. NULL: gangs are refused one by one. */
    uint32_t (*blocked_gpus)(const void *state, const struct hs_view *v, uint32_t vc);
    uint64_t max_refusals; /* jobs of a VC that may be refused: 1 is strict */
    uint32_t max_starts;   /* of a VC; 0 = any number */
};

/* Keeps the queue: in with the submission, out with the start, in again when it was stopped, by
 * key, submission and rank. */
void hs_colocate_event(struct hs_vc_queues *q, const struct hs_view *v,
                       const struct hs_event *event, int64_t key);
/* Starts the jobs of each VC in order; one that is started leaves the queue at once. Returns the
 * starts. Gangs that are known to be refused cost a step, or none where the whole queue may be
 * refused.
 */
uint32_t hs_colocate_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule);
/* No GPU of the VC is idle or open to one more tenant: only jobs without GPUs can start. False for
 * a job that asks for certain nodes: its failure tells nothing of the others. */
bool hs_is_full(const struct hs_view *v, hs_job_id job);

/* NULL, or the rule broken: the order is valid, every member waits. */
const char *hs_waiting_check(const struct hs_job_queue *queue, const struct hs_view *v);
const char *hs_vc_queues_check(const struct hs_vc_queues *q, const struct hs_view *v);
