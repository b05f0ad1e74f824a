/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tiresias' form of preemptive scheduling: at each decision all live jobs, running and waiting, are
 * put in order of key and placed anew on an empty cluster; whoever is not placed is preempted.
 * With placement=count nobody has a place, so nobody moves: the first jobs that fit by number hold
 * the GPUs.
 *
 * Ties keep the order of the decision before, newcomers last: the published simulator sorts one
 * list, stably, for ever, and its results depend on it.
 * Cost of a decision: O(live jobs), and one step for each pair of jobs that changed places.
 */
#ifndef HORUS_POLICIES_KIT_REPLACE_H
#define HORUS_POLICIES_KIT_REPLACE_H

#include "policies/kit_choose.h"

/* First in the scratch of each job. */
struct hs_replace_scratch {
    uint32_t before, after; /* job + 1 in the list of its VC; 0 = none */
    int64_t key;
    int64_t lost_us; /* what it loses at this decision (compat=muri) */
    bool is_chosen;
};

/* All live jobs of one VC in the order of its last decision. */
struct hs_replace_list {
    uint32_t first, last; /* job + 1; 0 = none */
    int64_t decided_us;   /* the last decision */
};

struct hs_replace {
    struct hs_replace_list *by_vc;
    bool *is_awake; /* per VC: a job came or went since its last decision */
    uint32_t vcs;
};

/* By what the jobs are ordered and how they are placed. */
struct hs_replace_rule {
    hs_left_us *left_us;
    const void *ctx;
    bool weighs_gpus; /* the time left times the GPUs */
    enum hs_placer placer;
    enum hs_compat compat;
    const struct hs_preempt_cost *cost;
};

HS_MUST_USE enum hs_status hs_replace_init(struct hs_replace *r, const struct hs_view *v);
void hs_replace_event(struct hs_replace *r, const struct hs_view *v, const struct hs_event *event);
void hs_replace_decide(struct hs_replace *r, const struct hs_view *v, struct hs_plan *p,
                       const struct hs_replace_rule *rule);
const char *hs_replace_check(const struct hs_replace *r, const struct hs_view *v);

#endif
