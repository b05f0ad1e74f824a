/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order in which lanes are served (Horus+). A lane earns credit by waiting: its jobs times the
 * longer of a minute and their median (credit=median) or mean wait. A window gives out look_ahead
 * jobs: each time the next of the lane of most credit (ties: the lower lane).
 *
 *     struct hs_lanes_window w;
 *     hs_lanes_open(&w, &lanes, v, vc, look_ahead);
 *     while ((job = hs_lanes_next(&w)) != HS_NO_JOB)
 *         if (place(job)) { hs_lanes_remove(&lanes, v, job); break; }    // then open another
 *
 * The lanes stay as they are, but a job that the window has given out no longer counts for the
 * credit of its lane, as if it were gone. Nothing may be added or removed while a window is in use.
 * Median wait: of n submissions in order of time the one at position floor((n - 1) / 2), from 0: of
 * two middle jobs the one that waits longer. Credits are compared exactly.
 * Cost: O(lanes x log n) to open, O(log n + look_ahead) a job.
 */
#ifndef HORUS_POLICIES_KIT_CREDIT_H
#define HORUS_POLICIES_KIT_CREDIT_H

#include "policies/kit_lanes.h"

#define HS_LANES_LOOK_AHEAD 64 /* at most */

struct hs_lanes_window {
    const struct hs_lanes *lanes;
    const struct hs_view *v;
    const struct hs_lane_set *set;
    uint32_t left;  /* of the look-ahead */
    uint32_t stale; /* lane whose credit must be counted again; HS_LANES_MAX = none */
    uint32_t taken_count;
    struct hs_lanes_taken { /* in order of position in the lane's by_submit */
        uint32_t lane, position;
    } taken[HS_LANES_LOOK_AHEAD];
    struct hs_lanes_head {
        hs_job_id next;
        uint32_t count; /* jobs not given out */
        hs_i128 submit_sum_us;
        hs_u128 credit; /* of these */
    } heads[HS_LANES_MAX];
};

/* look_ahead is cut to HS_LANES_LOOK_AHEAD. */
void hs_lanes_open(struct hs_lanes_window *w, const struct hs_lanes *l, const struct hs_view *v,
                   uint32_t vc, uint32_t look_ahead);
/* HS_NO_JOB when the window is over or nobody else waits. */
hs_job_id hs_lanes_next(struct hs_lanes_window *w);

#endif
