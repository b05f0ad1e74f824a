/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ordered sets of jobs: by (key, submission, rank), a total order. Each job carries its links in
 * its scratch, so sets need no memory of their own; a job is in at most one set per link. Every
 * node knows the smallest gang below it, so "the next job in order that needs at most n GPUs" is
 * one descent.
 *
 *     struct scratch { struct hs_order_link link; ... };          // link first in the scratch
 *     hs_order_add(&set, v, job, key);
 *     for (j = hs_order_next_fitting(&set, v, HS_NO_JOB, free); j != HS_NO_JOB; ...)
 *
 * A treap whose priorities are a mix of the rank: same shape on every machine. O(log n) each.
 */
#ifndef HORUS_POLICIES_KIT_ORDER_H
#define HORUS_POLICIES_KIT_ORDER_H

#include <stdbool.h>

#include "horus/policy.h"

struct hs_order_link {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
    uint32_t left, right, parent; /* HS_NO_JOB = none */
    uint32_t gpus, least_gpus;    /* of the job; of its subtree */
    uint32_t priority;
    bool is_linked;
};

struct hs_order {
    uint32_t root; /* job + 1; 0 = empty, so that zeroed state is an empty set */
    uint32_t count;
};

void hs_order_add(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_order_remove(struct hs_order *set, const struct hs_view *v, hs_job_id job); /* must be in */
bool hs_order_has(const struct hs_view *v, hs_job_id job);
int64_t hs_order_key(const struct hs_view *v, hs_job_id job);
hs_job_id hs_order_first(const struct hs_order *set, const struct hs_view *v);
hs_job_id hs_order_next(const struct hs_order *set, const struct hs_view *v, hs_job_id job);
/* First job after `after` (HS_NO_JOB: from the start) that needs at most `gpus`. */
hs_job_id hs_order_next_fitting(const struct hs_order *set, const struct hs_view *v,
                                hs_job_id after, uint64_t gpus);
/* Order, links and least_gpus hold everywhere; O(n). */
bool hs_order_is_valid(const struct hs_order *set, const struct hs_view *v);

#endif
