/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortest first with preemption, as in the Helios artifact: at each decision choose by GPU count,
 * running and waiting jobs together in order of the time they have left (weighs_gpus: times their
 * GPUs); evict the running ones that were not chosen; place the chosen waiting ones round those
 * that stay. One that cannot be placed waits.
 *
 * Ties: jobs that hold GPUs first, then submission, then rank.
 * Cost of a decision: kit_choose.h; nothing when nobody waits.
 */
#ifndef HORUS_POLICIES_KIT_EVICT_H
#define HORUS_POLICIES_KIT_EVICT_H

#include "policies/kit_choose.h"

/* Jobs of a VC that hold GPUs: of one class, or of one for each size of gang. */
struct hs_evict_running {
    struct hs_class *classes;
    uint32_t count;
    uint64_t held; /* GPUs */
};

struct hs_evict {
    struct hs_gangs *waiting;         /* per VC */
    struct hs_evict_running *running; /* per VC */
    bool *is_awake;                   /* per VC: a job came or went since its last decision */
    uint32_t vcs;
    bool weighs_gpus;
};

HS_MUST_USE enum hs_status hs_evict_init(struct hs_evict *e, const struct hs_view *v,
                                         bool weighs_gpus);
void hs_evict_event(struct hs_evict *e, const struct hs_view *v, const struct hs_event *event,
                    hs_left_us *left_us, const void *ctx);
void hs_evict_decide(struct hs_evict *e, const struct hs_view *v, struct hs_plan *p,
                     enum hs_placer placer, const struct hs_preempt_cost *cost,
                     enum hs_compat compat);
const char *hs_evict_check(const struct hs_evict *e, const struct hs_view *v);

#endif
