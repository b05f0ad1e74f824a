/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scenarios as text, both ways: jobs as id:gpus,submit,duration with blanks between (and behind it
 * perhaps ~user, @vc, $cost of a preemption, %GPU utilization, &GPU memory, MiB, and #model, which
 * has the profile of this name if there is a catalogue), timelines as id:start-end,start-end with
 * one stretch per uninterrupted placement, or id:rejected. Seconds. A duration 10/20 is of a job
 * whose first attempt fails after 10 s and whose second runs 20 s. Where the expected timeline has
 * GPUs, id:start-end@0+1, they are compared.
 *
 *     scenario_expect("1x4", "fifo:scan=fit", "0:3,0,100 1:4,10,50", "0:0-100 1:100-150");
 */
#ifndef HORUS_TESTS_SCENARIO_H
#define HORUS_TESTS_SCENARIO_H

#include "support/run.h"

/* Fails the test with both timelines when they differ. options may be NULL. */
void scenario_expect(const char *cluster, const char *policy, const char *jobs,
                     const char *timeline);
void scenario_expect_with(const char *cluster, const char *policy, const char *jobs,
                          const struct hs_test_options *options, const char *timeline);

#endif
