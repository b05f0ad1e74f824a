/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of tiresias and las: queues of attained service, demotion, promotion, Gittins
 * indices, event by event or in rounds. Slow and plain: every next event is a scan over all jobs,
 * every list is walked and partitioned again. Exclusive GPUs, one pool, rates 1.
 *
 *     struct ref_world w = {.tasks = tasks, .count = 3, .node_gpus = {4}, .nodes = 1};
 *     struct tiresias s = {.weighs_gpus = true, .limits_us = {100000000}, .limit_count = 1};
 *     bool all_done = tiresias_simulate(&s, &w, horizon_us);
 *     free(w.segments);
 *
 * Readings of the text where it leaves room:
 *   - A job that is rejected at its submission is not an event: no pass.
 *   - In rounds a pass happens at a round only if a job was submitted or finished or a queue
 *     changed since the last pass. A round that is repeated, because a job ran for no time, is
 *     repeated with its demotions and promotions.
 *   - A job that is due while it pays a cost (possible in rounds and in whole seconds) is demoted
 *     when it has paid; under compat=helios, where paying is service, at once.
 *   - The services of the learnt sample count what attained service counts: under compat=helios all
 *     the time that a job held GPUs. Of the jobs that finish at one instant the lower row joins
 *     first.
 *   - compat=helios, queues by submission: of one submission running jobs precede waiting ones,
 *     each in the order in which they entered the artifact's list of running jobs or its queue.
 *     Preempted jobs enter the queue in the order of the pass, before the chosen ones leave it, in
 *     that order too; a demotion is no entry.
 *   - The clock of compat=tiresias has whole seconds: all times must be whole seconds.
 */
#ifndef HORUS_TESTS_REFTIRESIAS_H
#define HORUS_TESTS_REFTIRESIAS_H

#include <stdbool.h>
#include <stdint.h>

#include "reftasks.h"

#define TIRESIAS_LIMITS_MAX 4

enum tiresias_index { TIRESIAS_LAS, TIRESIAS_EXACT, TIRESIAS_REPO };
enum tiresias_inqueue { TIRESIAS_RUNNING_FIRST, TIRESIAS_SUBMIT };
enum tiresias_compat { TIRESIAS_OFF, TIRESIAS_PUBLISHED, TIRESIAS_HELIOS };

struct tiresias {
    bool weighs_gpus; /* tiresias; else las */
    enum tiresias_index index;
    enum tiresias_inqueue inqueue;
    enum tiresias_compat compat;
    int64_t limits_us[TIRESIAS_LIMITS_MAX]; /* GPU-seconds in millionths */
    int limit_count;
    int64_t knob_eighths; /* promote_knob in eighths */
    int64_t round_us, phase_us;
    const double *samples; /* sorted; NULL = learnt */
    int sample_count;
};

/* False if the jobs are not all done by the horizon. */
bool tiresias_simulate(const struct tiresias *s, struct ref_world *w, int64_t horizon_us);

#endif
