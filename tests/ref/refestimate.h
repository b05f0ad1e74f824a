/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The estimate of a run time from the jobs that are done: the mean of those of the same user and
 * GPUs, else of the same user, else of all, rounded down to a microsecond. The whole history is
 * summed each time.
 *
 *     struct ref_history h = {.unknown_us = 3600000000};
 *     ref_learn(&h, user, gpus, run_us);
 *     int64_t us = ref_estimate_us(&h, user, gpus);
 *     free(h.jobs);
 */
#ifndef HORUS_TESTS_REFESTIMATE_H
#define HORUS_TESTS_REFESTIMATE_H

#include <stdint.h>

struct ref_done {
    int user, gpus;
    int64_t run_us;
};

struct ref_history {
    int64_t unknown_us; /* while no job is done */
    struct ref_done *jobs;
    int count;
};

void ref_learn(struct ref_history *h, int user, int gpus, int64_t run_us);
int64_t ref_estimate_us(const struct ref_history *h, int user, int gpus);

#endif
