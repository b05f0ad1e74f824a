/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Helios artifact's form of preemptive scheduling: at each decision choose by GPU count,
 * running and waiting jobs together in order of key; evict the running ones that were not chosen;
 * place the chosen waiting ones round those that stay. One that cannot be placed waits.
 *
 * Ties: jobs that hold GPUs first, then submission, then rank.
 * Cost of a decision: O(running log running + starts x log waiting); nothing when nobody waits.
 */
#ifndef HORUS_POLICIES_KIT_EVICT_H
#define HORUS_POLICIES_KIT_EVICT_H

#include "policies/kit_cost.h"
#include "policies/kit_queue.h"
#include "policies/kit_replace.h"
#include "policies/kit_sort.h"

/* Placed jobs of a VC that hold GPUs, in any order. */
struct hs_evict_running {
    hs_job_id *jobs;
    uint32_t count;
};

struct hs_evict {
    struct hs_queue waiting;
    struct hs_evict_running *running; /* per VC */
    struct hs_sort_entry *by_key;     /* scratch of a decision */
};

/* First in the scratch of each job. */
struct hs_evict_scratch {
    struct hs_order_link link;
    uint32_t position; /* in its VC's list of running jobs */
};

HS_MUST_USE enum hs_status hs_evict_init(struct hs_evict *e, const struct hs_view *v);
void hs_evict_event(struct hs_evict *e, const struct hs_view *v, const struct hs_event *event,
                    hs_key *key);
/* The key of a waiting job may change only when it stops. */
void hs_evict_decide(struct hs_evict *e, const struct hs_view *v, struct hs_plan *p,
                     enum hs_placer placer, const struct hs_preempt_cost *cost, hs_key *key);
const char *hs_evict_check(const struct hs_evict *e, const struct hs_view *v);

#endif
