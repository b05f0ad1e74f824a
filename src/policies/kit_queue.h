/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting queues, one per virtual cluster, and the ways to go through them.
 *
 *     strict  start jobs in order, stop at the first that does not fit (head-of-line blocking)
 *     fit     start every job that fits, in order; larger ones may starve
 *     easy    a later job starts if it does not delay the head: kit_easy
 *
 * A job that does not fit a wholly idle pool never will: it is rejected with the reason.
 */
#ifndef HORUS_POLICIES_KIT_QUEUE_H
#define HORUS_POLICIES_KIT_QUEUE_H

#include "policies/kit_asks.h"
#include "policies/kit_front.h"
#include "policies/kit_order.h"
#include "policies/kit_place.h"

enum hs_scan { HS_SCAN_STRICT, HS_SCAN_FIT, HS_SCAN_EASY };
extern const char *const hs_scan_names[];     /* strict, fit, easy */
extern const char *const hs_scan_two_names[]; /* strict, fit */

/* The last that came behind all others: each is told who came so many places behind it, which is to
 * be sent for when it starts itself; where many start at once the next ones are too near. */
#define HS_QUEUE_AHEAD 8u
struct hs_queue_tail {
    uint32_t last[HS_QUEUE_AHEAD]; /* a job + 1; 0 = none */
    uint32_t count;
    uint32_t stuck; /* the job + 1 that found no place when the queue was last scanned */
};

struct hs_queue {
    struct hs_order *by_vc;
    struct hs_front *fronts;     /* NULL, or all waiting jobs are here and none in by_vc */
    struct hs_queue_tail *tails; /* of these */
    struct hs_asks *asks;        /* NULL, or of those that ask for certain nodes most are here */
    bool *is_awake;              /* per VC: something happened since its last scan */
    bool is_any_awake;           /* no VC is if this is not */
    uint32_t vcs;
};

HS_MUST_USE enum hs_status hs_queue_init(struct hs_queue *q, const struct hs_view *v);
/* The same, where hs_queue_scan goes through the queue, strictly or for whatever fits, and nothing
 * else does: in the first case nobody is ordered but those in front, in the second jobs that ask
 * for certain nodes wait apart, by their ask. */
HS_MUST_USE enum hs_status hs_queue_init_for(struct hs_queue *q, const struct hs_view *v,
                                             enum hs_scan scan);
/* Placed nowhere: it can be started. */
bool hs_job_waits(const struct hs_view *v, hs_job_id job);
/* Places the job; one that cannot have even an idle pool is turned away with the reason. True when
 * it is out of the way of the jobs behind it. */
bool hs_place_or_reject(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                        enum hs_placer placer);
/* Nobody holds a GPU that the job's VC may use. */
bool hs_pool_is_idle(const struct hs_view *v, hs_job_id job);
/* A job that was placed nowhere although its pool is wholly idle never will be: it is turned away,
 * and that is true. */
bool hs_reject_hopeless(const struct hs_view *v, struct hs_plan *p, hs_job_id job);
/* GPUs that a VC can take now: free ones, within its quota. */
uint64_t hs_queue_room(const struct hs_view *v, uint32_t vc);
/* The largest size that is worth a try by what is free: all of it, or where no GPU is idle the most
 * that one has left. */
uint64_t hs_queue_room_milli(const struct hs_view *v, uint32_t vc);
/* What scans hold against the room that is left, in thousandths of GPUs: hs_order.size_of of every
 * set that is scanned. */
hs_order_size hs_queue_size;
/* Marks what a submission or an end of the job may change: its VC if VCs are apart, else all. */
void hs_wake(bool *is_awake, uint32_t vcs, const struct hs_view *v, hs_job_id job);
/* Call with every submission and end. A VC is scanned only when one of its own jobs came or went
 * (any job, when VCs share their nodes), so partitioned VCs are as independent as separate runs. */
void hs_queue_wake(struct hs_queue *q, const struct hs_view *v, hs_job_id job);
void hs_queue_wake_all(struct hs_queue *q);
/* True, once, for a VC that was woken and has waiting jobs. */
bool hs_queue_needs_scan(struct hs_queue *q, uint32_t vc);
void hs_queue_add(struct hs_queue *q, const struct hs_view *v, hs_job_id job, int64_t key);
/* A submission, and the wake that it is worth: behind others that wait in strict order, none. */
void hs_queue_submit(struct hs_queue *q, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_queue_remove(struct hs_queue *q, const struct hs_view *v, hs_job_id job); /* no-op if out */
/* An end, and the wake that it is worth; of a queue that jobs leave when they start. */
void hs_queue_finish(struct hs_queue *q, const struct hs_view *v, hs_job_id job);
/* Starts what the scan of hs_queue_init_for lets start. */
void hs_queue_scan(struct hs_queue *q, const struct hs_view *v, struct hs_plan *p,
                   enum hs_placer placer);
/* The same, for strict and fit, for one queue that the caller holds. */
void hs_queue_scan_set(struct hs_order *set, const struct hs_view *v, struct hs_plan *p,
                       uint32_t vc, enum hs_scan scan, enum hs_placer placer);
/* What is worth a try with the room that is left; and after a job could not be placed. */
void hs_queue_narrow_by_room(struct hs_bounds *bounds, const struct hs_view *v, uint32_t vc);
void hs_queue_narrow_by_failure(struct hs_bounds *bounds, const struct hs_view *v, hs_job_id job,
                                enum hs_placer placer);
/* NULL, or the rule broken: orders valid, every member waiting. */
const char *hs_queue_check(const struct hs_queue *q, const struct hs_view *v);

#endif
