/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of philly: virtual clusters with quotas that may be exceeded, gangs that wait for
 * locality and relax it try by try, preemption for fair shares, attempts that fail. In
 * microseconds; everything is a scan over all jobs.
 *
 *     struct philly s = {.racks = {...}, .vcs = PHILLY_QUOTA, .vc_count = 2, .quota = {5, 5},
 *                        .retry_us = 120000000, .relax_after = 5, .max_level = 2,
 *                        .fair_permille = 900};
 *     bool all_done = philly_simulate(&s, &world, horizon_us);
 *     free(world.segments);
 *
 * The head of src/policies/philly/philly.c defines the order of a pass and the levels of locality.
 * Readings where it leaves room:
 *   - A pool that is wholly idle: no job of this virtual cluster's pool holds a GPU.
 *   - With retry=0 a preempted job has no time of its own at which it is tried.
 */
#ifndef HORUS_TESTS_REFPHILLY_H
#define HORUS_TESTS_REFPHILLY_H

#include <stdbool.h>
#include <stdint.h>

#include "refracks.h"
#include "reftasks.h"

#define PHILLY_VCS_MAX 4

enum philly_vcs { PHILLY_ONE, PHILLY_PARTITION, PHILLY_QUOTA };

struct philly {
    int rack_of[REF_NODES_MAX]; /* of each node of the world */
    enum philly_vcs vcs;
    int vc_count;               /* at least 1 */
    int quota[PHILLY_VCS_MAX];  /* QUOTA */
    int node_vc[REF_NODES_MAX]; /* PARTITION */
    int64_t retry_us;
    int relax_after, max_level;
    int fair_permille; /* 0: no job is preempted */
    bool requeues_at_head;
};

/* False if the jobs are not all done by the horizon. */
bool philly_simulate(const struct philly *s, struct ref_world *w, int64_t horizon_us);

#endif
