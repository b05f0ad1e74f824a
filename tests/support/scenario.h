/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scenarios as text, in both directions. Jobs are id:gpus,submit,duration separated by blanks;
 * 2x500 are two GPUs, of each of which the job requests 500 thousandths. Suffixes after the
 * duration, in any order except for the model, which takes the rest:
 *
 *     =GPU type|another allowed type  +CPU cores/host memory in MiB, or +CPU cores
 *     ~user  @vc  $cost of a preemption, s  %GPU utilization
 *     &GPU memory, MiB, or &peak/the part that persists between mini-batches
 *     ^priority  !class: g(uaranteed), o(pportunistic), a(uto)
 *     *one mini-batch, s  #model, with the profile of this name if there is a catalogue
 *
 * Any other text fails the test. Times are seconds, optionally with a decimal fraction. A duration
 * 10/20 is that of a job with a first attempt that fails after 10 s and a second that runs 20 s.
 * Timelines are id:start-end,start-end with one interval per uninterrupted placement, or
 * id:rejected. If the expected timeline has GPUs, id:start-end@0+1, they are compared.
 *
 *     scenario_expect("1x4", "fifo:scan=fit", "0:3,0,100 1:4,10,50", "0:0-100 1:100-150");
 */
#ifndef HORUS_TESTS_SCENARIO_H
#define HORUS_TESTS_SCENARIO_H

#include "support/run.h"

/* Fails the test with both timelines if they differ. options may be NULL. */
void scenario_expect(const char *cluster, const char *policy, const char *jobs,
                     const char *timeline);
void scenario_expect_with(const char *cluster, const char *policy, const char *jobs,
                          const struct hs_test_options *options, const char *timeline);

#endif
