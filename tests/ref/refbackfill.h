/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of backfilling, from the published rules: EASY (Lifka, JSSPP'95) and conservative
 * (Mu'alem & Feitelson, TPDS 2001, section 2), with estimates that may be wrong. Free GPUs at a
 * time are counted anew from all jobs each time. In microseconds.
 *
 *     struct backfill s = {.scan = BACKFILL_EASY, .vc_count = 1};
 *     bool all_done = backfill_simulate(&s, &world, horizon_us);
 *     free(world.segments);
 *
 * The cost of a task (cost_us) is the estimate of its run time. A running job is expected to end
 * when it has run for its estimate, or now, if it has run for longer.
 *   easy          Jobs start in order until one does not fit. Its time is the first expected end
 *                 with which enough GPUs are free; those free besides are extra. A later job that
 *                 fits now starts if it is expected to end by that time, or if it needs no more
 *                 than the extra GPUs, which it takes from them.
 *   conservative  Each job in order takes the first time from which, by expected ends and by the
 *                 times taken before it, enough GPUs are free for as long as its estimate; and
 *                 starts if that is now.
 * Readings where the text leaves room:
 *   - Jobs that have run for longer than their estimate are ordered by their expected ends; equal
 *     ends by row.
 *   - GPUs are counted; where the placement finds none although enough are free, the job takes the
 *     first time, found as above, from the first expected end on.
 *   - GPUs that other virtual clusters of shared nodes hold are not expected to become free. A job
 *     for which there is no time keeps all behind it from starting.
 *   - The times are found anew at each submission and end in the virtual cluster, or in any if they
 *     share nodes.
 *   - A job of estimate 0 takes no time of the profile, and needs none.
 *
 * Reservations, from MODEL.md 14: windows of nodes for the jobs of a user, of a virtual cluster, or
 * of both. Strict and fit start jobs in order, up to the first that does not fit or past it.
 */
#ifndef HORUS_TESTS_REFBACKFILL_H
#define HORUS_TESTS_REFBACKFILL_H

#include <stdbool.h>
#include <stdint.h>

#include "reftasks.h"

#define BACKFILL_VCS_MAX     3
#define BACKFILL_WINDOWS_MAX 6

enum backfill_order { BACKFILL_FIFO, BACKFILL_SJF, BACKFILL_QSSF };
enum backfill_scan { BACKFILL_STRICT, BACKFILL_FIT, BACKFILL_EASY, BACKFILL_CONSERVATIVE };
enum backfill_vcs { BACKFILL_ONE, BACKFILL_PARTITION, BACKFILL_QUOTA };

struct backfill_window {
    int64_t start_us, end_us;
    bool has_node[REF_NODES_MAX];
    int user, vc; /* -1 = any */
};

struct backfill {
    struct backfill_window windows[BACKFILL_WINDOWS_MAX]; /* by start */
    int window_count;
    enum backfill_order order;
    enum backfill_scan scan;
    enum backfill_vcs vcs;
    int vc_count;                  /* at least 1 */
    int vc_gpus[BACKFILL_VCS_MAX]; /* of its nodes, or its quota */
    int node_vc[REF_NODES_MAX];    /* PARTITION */
};

/* False if the jobs are not all done by the horizon. */
bool backfill_simulate(const struct backfill *s, struct ref_world *w, int64_t horizon_us);

#endif
