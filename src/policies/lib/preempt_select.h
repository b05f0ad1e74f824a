/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice of the jobs that should hold GPUs. By definition: all live jobs, holders and waiting
 * ones, are walked in one order, and each that still fits by number is chosen, the others are
 * skipped. Holders that were not chosen are evicted, waiting jobs that were get placed.
 *
 *     hs_preempt_select(&c, v);                        // from c.room, c.classes, c.waiting
 *     hs_choice_apply(&c, v, p, rule, &cost, quirk);
 *
 * The order: level of priority, where the queues have any; level; key as of now; then holders first
 * (or, by_submit, submission and then holders first; or, waiting_first, waiting jobs first); then
 * submission, rank, or the ties of the queues. With holders_first no key of a waiting job compares
 * with that of a holder: within a level of priority all holders come first. With is_strict no
 * waiting job behind one that does not fit, or that is evicted, is chosen.
 * Holders are kept in classes in which time does not change the order, so nothing is sorted anew:
 * the key of a class of slope s is (key - now) x s.
 *
 * The walk is not made step by step. A waiting job is chosen if the holders behind it have what it
 * lacks, so the search goes back from the end of the order and takes at most as many steps as the
 * gang has GPUs; and one that does not fit bounds the gangs behind it, so that no other of its size
 * is looked at (job_queue.h). Cost of a decision: O((starts + evictions + sizes of gangs) x (log
 * jobs + classes)), a step each GPU that changes hands; nothing for jobs that stay as they are.
 */
#pragma once

#include "policies/lib/job_queue.h"
#include "policies/lib/place.h"

/* A class of jobs that hold GPUs. */
struct hs_running_class {
    struct hs_job_queue set; /* its last job is evicted first */
    int64_t slope;           /* change of the key per time, negated; 0: constant; -1: it grows */
    /* The cursor within hs_preempt_select: the last job before the position, or the first one
     * behind it (HS_NO_JOB = none), with its GPUs and its key as of now. */
    int64_t key;
    hs_job_id at, kept;
    uint32_t gpus;
    uint32_t level;
};

/* Stands first in the scratch of each job. */
struct hs_choice_link {
    struct hs_job_queue_link link; /* in the queue of its class, or in a waiting queue */
    hs_job_id next;                /* link of the list of chosen, or of evicted, jobs */
    /* The choice does not use it: it holds state of Tiresias where the structure has room. */
    uint8_t level;
    bool is_holding, is_served; /* is_served: elapsed time counts as service */
    bool is_evicted;            /* evicted by the plan being written */
};

struct hs_job_list {
    hs_job_id first, last;
};

struct hs_choice {
    struct hs_running_class *classes;
    uint32_t class_count;
    struct hs_job_queue *waiting; /* one queue per level */
    uint32_t levels;
    bool by_submit, waiting_first, holders_first, is_strict;
    uint64_t room; /* free GPUs that these jobs may use */
    uint64_t held; /* GPUs that the jobs of the classes hold */
    /* The reason of all evictions, the order being that of starts; or of the eviction or start of
     * each job. Static texts. */
    const char *evict_reason;
    const char *(*plan_reason)(const struct hs_view *v, hs_job_id job, bool is_evicted);
    struct hs_evictions *evictions; /* notices and claims; NULL = none */
    /* results, in order */
    struct hs_job_list chosen, evicted; /* in order */
};

/* us times a weight >= 0, saturating. */
int64_t hs_choice_weigh(int64_t us, int64_t weight);
void hs_preempt_select(struct hs_choice *c, const struct hs_view *v);
hs_job_id hs_choice_next(const struct hs_view *v, hs_job_id job); /* successor in either list */
/* Writes evictions and starts to the plan. A chosen job that cannot be placed keeps waiting, and
 * with is_strict so do those behind it; if its pool is idle, it is rejected. */
void hs_choice_apply(const struct hs_choice *c, const struct hs_view *v, struct hs_plan *p,
                     struct hs_place_rule rule, const struct hs_preempt_cost *cost,
                     enum hs_compat compat);

/* ---- evictions with notice, and reclaim of quotas that others borrow (MODEL.md 16) ----
 *
 * Notice. A job that a decision chooses to stop gets notice, and goes on. It is stopped by the
 * first decision at or after the end of its notice, if all decisions of its virtual cluster since
 * have chosen it; one that is not chosen any more keeps its GPUs, and gets a new notice next time.
 * So a notice has no state but a time in the scratch of its job; a timer wakes the policy.
 *
 * Reclaim. Before the scans of a decision, waiting jobs claim in order what the quota of their
 * virtual cluster, or of a cohort around it but the outermost, has room for; inner quotas come
 * first; what they lack of it is taken from jobs that borrow: first from those on notice
 * before, then from the last of by_start. While other virtual clusters are scanned, what is claimed
 * counts as held, but for the GPUs of jobs on notice, which are; so nothing that is
 * claimed is borrowed. Cost: O(virtual clusters x depth) for each job that claims or is stopped;
 * those that claim have no more GPUs than the quotas.
 *
 *     struct scratch { struct hs_evict_link link; ... };              // link first in the scratch
 *     hs_evictions_init(&x, v, ...);                                  // in init()
 *     hs_evictions_scan(&x, v, p, waiting, is_awake, scan, state);    // in decide(): calls scan
 */

struct hs_evict_link {
    struct hs_choice_link choice;
    uint32_t chosen_in; /* the last decision that chose to stop it, or in which it claims */
    bool has_notice;    /* by reclaim: it is in `on_notice`, and in no set of the policy */
    int64_t due_us;     /* end of its notice; 0 = it claims */
};

struct hs_evict_vc {
    struct hs_job_queue *by_start; /* reclaim: jobs that hold GPUs; the last is stopped first */
    struct hs_job_queue on_notice; /* in the same order, by the same link */
    uint32_t decisions;            /* number of the present decision, from 1 */
    /* within a decision */
    hs_job_id at, notice_at; /* the last of by_start, of on_notice, that were not chosen yet */
    hs_job_id claimer;       /* strict: the last that claims */
    uint32_t quota;          /* the one in which room is claimed */
    uint32_t depth;          /* cohorts around that */
    uint64_t claimed;        /* GPUs of its jobs that claim and were not started */
    uint64_t coming;         /* GPUs of jobs on notice to make room for these */
};

struct hs_evictions {
    const struct hs_priority *priority;
    const struct hs_preempt_cost *cost;
    struct hs_evict_vc *vcs;
    uint32_t vc_count;
    bool is_strict; /* the first waiting job without room ends the claims of its VC */
    /* Reclaim: takes a job out of the policy's sets of jobs that hold GPUs (by_start, those of a
     * choice), or puts it back with the keys that it had. */
    void (*hold)(void *state, const struct hs_view *v, hs_job_id job, bool holds);
    void *state;
};

/* Scans the waiting jobs of a VC; its choice has the `coming` GPUs as room and names the evictions.
 */
typedef void hs_evict_scan(void *state, const struct hs_view *v, struct hs_plan *p, uint32_t vc);

/* Fails if reclaim is asked for where nothing is lent. priority and cost are kept; the caller sets
 * hold and state under reclaim. */
HS_MUST_USE enum hs_status hs_evictions_init(struct hs_evictions *x, const struct hs_view *v,
                                             const struct hs_priority *priority,
                                             const struct hs_preempt_cost *cost, bool is_strict);
/* Under reclaim: the jobs of a VC that hold GPUs, in the order of that queue, are stopped from its
 * end. */
void hs_evictions_order(struct hs_evictions *x, uint32_t vc, struct hs_job_queue *by_start);
/* Abilities: HS_CAN_TIME if notice is given. notifies_last: it is given to jobs of the last class.
 */
uint32_t hs_evictions_can(const struct hs_priority *priority, bool notifies_last);
/* Whether there are notices or claims. */
static inline bool hs_evictions_act(const struct hs_evictions *x)
{
    return x->priority->classes != HS_CLASS_IGNORE || x->priority->reclaims;
}
/* Scans the VCs that are awake, under reclaim all of them if one is, and lets them sleep. */
void hs_evictions_scan(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                       struct hs_job_queue *waiting, bool *is_awake, hs_evict_scan *scan,
                       void *state);
/* Under reclaim: a job with GPUs ends or was stopped. Returns whether reclaim had given it notice,
 * and so is in no set of the policy. */
bool hs_evictions_forget(struct hs_evictions *x, const struct hs_view *v, hs_job_id job);
