/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scenarios as text, both ways. Jobs are id:gpus,submit,duration with blanks between; 2x500 are two
 * GPUs, of each of which the job wants 500 thousandths. What may stand behind the duration, in any
 * order but for the model, which takes the rest:
 *
 *     =GPU type|another that will do  +CPU cores/host memory in MiB, or +CPU cores
 *     ~user  @vc  $cost of a preemption, s  %GPU utilization
 *     &GPU memory, MiB, or &peak/what of it stays between mini-batches
 *     ^priority  !class: g(uaranteed), o(pportunistic), a(uto)
 *     *one mini-batch, s  #model, which has the profile of this name if there is a catalogue
 *
 * Anything else fails the test. Times are seconds, perhaps with a decimal fraction. A duration
 * 10/20 is of a job whose first attempt fails after 10 s and whose second runs 20 s.
 *
 * Timelines are id:start-end,start-end with one stretch per uninterrupted placement, or
 * id:rejected. Where the expected timeline has GPUs, id:start-end@0+1, they are compared.
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
