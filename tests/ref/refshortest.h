/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of the policies that order by run times, true or estimated: sjf and qssf, which
 * preempt only by priority, srtf and srsf in their evict form; and of fifo. Virtual clusters, of
 * nodes of their own or of quotas, for sjf, qssf and fifo, which have a queue for each. In
 * microseconds.
 *
 *     struct shortest s = {.policy = SHORTEST_SRTF};
 *     bool all_done = shortest_simulate(&s, &world, horizon_us);
 *     free(world.segments);
 *
 * Readings of the text where it leaves room:
 *   - An estimate is made at the submission, after the ends of the same instant.
 *   - Of several virtual clusters of quotas that could start a job the lower one goes first, with
 *     its whole queue.
 *   - srtf and srsf as in the artifact: preempted jobs enter the queue in the order of the pass,
 *     behind the submitted ones, and before the chosen ones leave it, in that order too; one
 *     without a placement keeps its place in the queue.
 *   - A job of more GPUs than its virtual cluster is rejected.
 *   - Priorities: the level of a job is its priority less the number of whole `ageing` windows
 *     before its submission; higher levels first. Where sjf, qssf and fifo preempt, all jobs are
 *     considered by level, within one those with GPUs first, by the start of their placement: one
 *     that does not fit into what those before it left loses its GPUs, or waits; where nothing is
 *     skipped, no waiting job behind such a one is started, nor behind one without a placement.
 */
#ifndef HORUS_TESTS_REFSHORTEST_H
#define HORUS_TESTS_REFSHORTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "reftasks.h"

#define SHORTEST_VCS_MAX 4

enum shortest_policy { SHORTEST_FIFO, SHORTEST_SJF, SHORTEST_QSSF, SHORTEST_SRTF, SHORTEST_SRSF };
enum shortest_vcs { SHORTEST_ONE, SHORTEST_PARTITION, SHORTEST_QUOTA };

struct shortest {
    enum shortest_policy policy;
    bool skips;                /* fifo, sjf: behind a job that does not fit, too */
    bool has_levels, preempts; /* priorities count; fifo, sjf, qssf preempt by them */
    int64_t ageing_us;         /* 0: none */
    /* As in the artifact: qssf orders jobs submitted together by GPUs; srtf and srsf sort the queue
     * and, behind it, the list of running jobs, stably, and run each job 1 s longer, which it owes
     * from its submission on. */
    bool is_helios;
    bool is_rolling; /* else the truth */
    int64_t unknown_us;
    enum shortest_vcs vcs;
    int vc_count;                  /* at least 1 */
    int vc_gpus[SHORTEST_VCS_MAX]; /* of its nodes, or its quota */
    int node_vc[REF_NODES_MAX];    /* PARTITION */
};

/* False if the jobs are not all done by the horizon. */
bool shortest_simulate(const struct shortest *s, struct ref_world *w, int64_t horizon_us);

#endif
