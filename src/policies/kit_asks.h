/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting jobs that ask for certain nodes (GPU types, CPUs, host memory), in a set for each ask,
 * for scans that pass over what does not fit (scan=fit). Jobs of one ask differ in their GPUs
 * alone: when one of them finds no place, no larger one does, and none will before a worker leaves
 * a node that could seat one of theirs. So a pass looks at the jobs that may start and at the
 * smallest of each ask, not at the whole queue; what it decides is what a walk through all jobs in
 * order decides.
 *
 *     HS_TRY(hs_queue_init_for(&q, v, HS_SCAN_FIT)); // in init()
 *
 * A table of HS_ASKS asks, hashed; jobs of an ask that finds no place in it stay in the queue
 * itself, where each is looked at.
 */
#ifndef HORUS_POLICIES_KIT_ASKS_H
#define HORUS_POLICIES_KIT_ASKS_H

#include "policies/kit_heads.h"
#include "policies/kit_place.h"

#define HS_ASKS 1024u

struct hs_ask_set {
    struct hs_order jobs;
    uint64_t hash;  /* of the ask; its jobs tell what it is */
    uint64_t bound; /* of the sizes worth a try since something was tried, in thousandths of GPUs */
    uint32_t vc;
    uint32_t next; /* of the VC: its number + 1; 0 = none */
    bool is_used;
};

struct hs_asks {
    struct hs_ask_set *sets; /* HS_ASKS */
    struct hs_head *heads;   /* scratch of a pass, by the number of their set + 1; 0 = the queue */
    uint32_t *first;         /* per VC: its sets; number + 1 */
    uint32_t *count;         /* per VC: jobs in its sets */
    uint64_t *releases;      /* per VC: how many there had been at its last pass */
};

HS_MUST_USE enum hs_status hs_asks_init(struct hs_asks *a, const struct hs_view *v);
/* A job that waits; false: it belongs into the queue itself. */
bool hs_asks_add(struct hs_asks *a, const struct hs_view *v, hs_job_id job, int64_t key);
/* A job that is in a set, or else in the queue itself (false). */
bool hs_asks_remove(struct hs_asks *a, const struct hs_view *v, hs_job_id job);
/* Starts, in order, every job of the VC that fits; rest: of its queue. */
void hs_asks_scan(struct hs_asks *a, struct hs_order *rest, const struct hs_view *v,
                  struct hs_plan *p, uint32_t vc, enum hs_placer placer);
/* Every set is valid, all its jobs wait. */
bool hs_asks_is_valid(const struct hs_asks *a, const struct hs_view *v);

#endif
