/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Evictions with notice, and reclaim of quotas that others borrow (MODEL.md 16).
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
#pragma once

#include "policies/lib/preempt_select.h"

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
/* Of a job that its VC's choice evicts: whether it is stopped now. Only opportunistic jobs get
 * notice. */
bool hs_evictions_allow(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job);
/* Under reclaim: a job with GPUs ends or was stopped. Returns whether reclaim had given it notice,
 * and so is in no set of the policy. */
bool hs_evictions_forget(struct hs_evictions *x, const struct hs_view *v, hs_job_id job);
/* The plan starts the job. */
void hs_evictions_start(struct hs_evictions *x, const struct hs_view *v, hs_job_id job);
