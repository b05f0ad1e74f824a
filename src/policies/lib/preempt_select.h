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
    struct hs_evictions *evictions; /* notices and claims (evict.h); NULL = none */
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
