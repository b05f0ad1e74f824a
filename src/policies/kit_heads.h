/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heads of several ordered sets of jobs, for a walk through all of them in order: a binary heap
 * in memory of the caller's, the head that comes first at at[0].
 */
#ifndef HORUS_POLICIES_KIT_HEADS_H
#define HORUS_POLICIES_KIT_HEADS_H

#include "policies/kit_order.h"

struct hs_head {
    hs_job_id job;
    uint32_t set; /* whatever the caller numbers them by */
};

struct hs_heads {
    struct hs_head *at;
    uint32_t count;
    const struct hs_order *order; /* any of the sets: all are in the same order */
};

/* There is room for one more. O(log count) each. */
void hs_heads_add(struct hs_heads *h, const struct hs_view *v, struct hs_head head);
/* Another in place of the first; none: job is HS_NO_JOB. */
void hs_heads_replace_first(struct hs_heads *h, const struct hs_view *v, struct hs_head head);

#endif
