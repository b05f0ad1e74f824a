/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When jobs are submitted, one after the other: the jobs of an hour in batches, in whole seconds.
 */
#ifndef HORUS_WORKLOAD_ARRIVAL_H
#define HORUS_WORKLOAD_ARRIVAL_H

#include "workload/calendar.h"

struct hs_arrival {
    const struct hs_workload_batches *batches;
    struct hs_calendar calendar;
    uint64_t seed;
    uint64_t key, hour;            /* of the hour */
    uint32_t left;                 /* jobs of the hour that are still to come */
    uint32_t batches_left;         /* of the hour */
    uint32_t batch;                /* number in the hour */
    uint32_t members_left, member; /* of the batch; number of the last one */
    double gap_scale;              /* gaps shrink where the hour is too short for them */
    double free_s;                 /* of the hour, between batches */
    double free_part;              /* of that, before the batch */
    double gaps_s;                 /* within batches so far */
};

/* Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_arrival_open(struct hs_arrival *arrival,
                                           const struct hs_workload_arrivals *arrivals,
                                           uint64_t jobs, uint64_t hours, uint64_t seed);
/* Seconds from the first midnight, not falling; batch: random bits of its own. False past the last
 * job. O(1). */
bool hs_arrival_next(struct hs_arrival *arrival, int64_t *submit_s, uint64_t *batch);
void hs_arrival_close(struct hs_arrival *arrival);

#endif
