/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus compare RUN_A RUN_B`: two finished runs of one workload, job by job (report/paired.h).
 */
#ifndef HORUS_CLI_COMPARE_RUNS_H
#define HORUS_CLI_COMPARE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

struct hs_compare_runs_options {
    int64_t bootstrap, seed; /* bootstrap: resamples; 0 = no intervals */
    const char *output;      /* directory to write; NULL = none */
    bool force;
};

/* HS_E_INPUT, with what differs first, if the runs are not of one workload. */
HS_MUST_USE enum hs_status hs_compare_runs(struct hs_call *call,
                                           const struct hs_compare_runs_options *options,
                                           const char *dir_a, const char *dir_b);

#endif
