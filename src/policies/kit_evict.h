/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preemptive scheduling by a priority key: at each decision the jobs with the smallest keys hold
 * the GPUs. Two published forms:
 *
 *     evict    choose by GPU count, running and waiting jobs together; evict running ones that were
 *              not chosen; place the chosen waiting ones round those that stay (Helios, Lucid). One
 *              that cannot be placed waits.
 *     replace  place everything anew from an empty cluster in order of key; whoever is not placed
 *              is preempted, whoever lands elsewhere has moved (Tiresias).
 *
 * Ties: jobs that hold GPUs first, then submission, then rank. With placement=count both forms
 * decide alike, and nobody is moved.
 * Cost of a decision: O(running log running + starts x log waiting); nothing when nobody waits.
 */
#ifndef HORUS_POLICIES_KIT_EVICT_H
#define HORUS_POLICIES_KIT_EVICT_H

#include "policies/kit_cost.h"
#include "policies/kit_queue.h"

enum hs_form { HS_FORM_EVICT, HS_FORM_REPLACE };
extern const char *const hs_form_names[];

struct hs_evict_entry {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
    hs_job_id job;
};

/* Placed jobs of a VC that hold GPUs, in any order. */
struct hs_evict_running {
    hs_job_id *jobs;
    uint32_t count;
};

struct hs_evict {
    int32_t form, placement;
    struct hs_preempt_cost cost;
    struct hs_queue waiting;
    struct hs_evict_running *running; /* per VC */
    struct hs_evict_entry *by_key;    /* scratch of a decision */
};

/* First in the scratch of each job. */
struct hs_evict_scratch {
    struct hs_order_link link;
    uint32_t position; /* in its VC's list of running jobs */
};

#define HS_EVICT_PARAMS(state_type, field)                                                         \
    {.key = "form",                                                                                \
     .type = HS_PARAM_CHOICE,                                                                      \
     .offset = offsetof(state_type, field) + offsetof(struct hs_evict, form),                      \
     .preset = "evict",                                                                            \
     .choices = hs_form_names,                                                                     \
     .help = "evict: running jobs keep their nodes; replace: place all anew (Tiresias)"},          \
        HS_PLACEMENT_PARAM(state_type, field.placement), HS_COST_PARAMS(state_type, field.cost)

/* The key of a job now, smaller first. For a waiting job it may change only when it stops. */
typedef int64_t hs_key(const struct hs_view *v, hs_job_id job);

HS_MUST_USE enum hs_status hs_evict_init(struct hs_evict *e, const struct hs_view *v);
void hs_evict_event(struct hs_evict *e, const struct hs_view *v, const struct hs_event *event,
                    hs_key *key);
void hs_evict_decide(struct hs_evict *e, const struct hs_view *v, struct hs_plan *p, hs_key *key);
const char *hs_evict_check(const struct hs_evict *e, const struct hs_view *v);
void hs_evict_semantics(const struct hs_evict *e, struct hs_semantics *out);

#endif
