/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two uses of a binary heap (Williams, CACM 1964) in arrays of the caller's: to sort jobs, and to
 * walk through several queues of jobs in one order.
 */
#ifndef HORUS_POLICIES_LIB_JOB_HEAP_H
#define HORUS_POLICIES_LIB_JOB_HEAP_H

#include "policies/lib/job_queue.h"

/* ---- heapsort by (key, submission, rank), the order of job_queue.h, for what is sorted anew at
 * each decision because its keys change ---- */

struct hs_sort_entry {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
    uint32_t job; /* or whatever the entry stands for */
};

/* In place, O(count log count). */
void hs_sort(struct hs_sort_entry *entries, uint32_t count);

/* ---- the heads of several queues, the one that comes first at at[0] ---- */

struct hs_merge_head {
    hs_job_id job;
    uint32_t set; /* whatever the caller numbers them by */
};

struct hs_merge_heap {
    struct hs_merge_head *at;
    uint32_t count;
    const struct hs_job_queue *order; /* any of the queues: all are in the same order */
};

/* There is room for one more. O(log count) each. */
void hs_merge_heap_add(struct hs_merge_heap *h, const struct hs_view *v, struct hs_merge_head head);
/* Another in place of the first; none: job is HS_NO_JOB. */
void hs_merge_heap_replace_first(struct hs_merge_heap *h, const struct hs_view *v,
                                 struct hs_merge_head head);

#endif
