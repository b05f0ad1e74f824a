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
 * Median wait: that of the median in order of submission (kit_lanes.h). Credits are compared
 * exactly. Cost: O(lanes) to open and O(lanes + look_ahead) a job, but O(log n) for the first of a
 * lane.
 */
#ifndef HORUS_POLICIES_KIT_CREDIT_H
#define HORUS_POLICIES_KIT_CREDIT_H

#include "policies/kit_lanes.h"

#define HS_LANES_LOOK_AHEAD 64 /* at most */

struct hs_lanes_window {
    const struct hs_lanes *lanes;
    const struct hs_view *v;
    const struct hs_lane_set *set;
    uint32_t left; /* of the look-ahead */
    uint32_t given_count;
    hs_job_id given[HS_LANES_LOOK_AHEAD];
    struct hs_lanes_head {
        hs_job_id next;
        uint32_t count;   /* jobs not given out */
        hs_job_id median; /* of these */
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
