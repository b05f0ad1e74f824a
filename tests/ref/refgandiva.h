/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of gandiva's exact time slices on one server: the ring, the quantum, front
 * insertion, skip-over, priorities, what a resume costs, and Algorithm 1 where there is one server.
 * Written from the policy text alone (1.2 to 1.4); no packing, growing or moving.
 *
 *     struct ref_world w = {.tasks = tasks, .count = 3, .node_gpus = {4}, .nodes = 1};
 *     struct gandiva_rules rules = {.quantum_us = 60000000, .priority = {0, 0, 1}};
 *     bool all_done = gandiva_simulate(&rules, &w, horizon_us);
 *     free(w.segments);
 *
 * Readings of the text where it leaves room:
 *   - All events of an instant are handled before the one dispatch: jobs that are done leave and,
 *     if one did, the queue is tried; jobs that ran go to the tail, if the quantum ends then and
 *     the server is still over-subscribed; new jobs are placed.
 *   - A new job on a server that is over-subscribed then is at the head of its ring, several of one
 *     instant in their order (G1, G4); else at the tail.
 *   - A quantum is counted from the dispatch, whatever caused it: a finish or a submission begins a
 *     new one also for jobs that go on. It includes the cost of the resume.
 *   - A job that has to stop goes on to the end of its mini-batch; the next one's slice begins
 *     then. What it ran beyond its slice is taken from its next one.
 *   - GPUs are free when no job of the server, running or not, has a claim to them.
 *   - A first start costs nothing; what is not paid of a cost stays owed.
 */
#ifndef HORUS_TESTS_REFGANDIVA_H
#define HORUS_TESTS_REFGANDIVA_H

#include <stdbool.h>
#include <stdint.h>

#include "reftasks.h"

#define GANDIVA_JOBS_MAX 32

struct gandiva_rules {
    int64_t quantum_us, switch_us;
    /* Mini-batches, by row; 0 = a job stops anywhere. At most the quantum, and only where one job
     * fills the server: the text does not say which slice ends when, where several jobs stop at
     * different times. */
    int64_t step_us[GANDIVA_JOBS_MAX];
    int priority[GANDIVA_JOBS_MAX]; /* by row; higher ones first */
};

/* False if the jobs are not all done by the horizon. */
bool gandiva_simulate(const struct gandiva_rules *rules, struct ref_world *w, int64_t horizon_us);

#endif
