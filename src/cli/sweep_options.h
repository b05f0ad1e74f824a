/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of `horus sweep`: its own, and those of a run, which hold for every point.
 */
#ifndef HORUS_CLI_SWEEP_OPTIONS_H
#define HORUS_CLI_SWEEP_OPTIONS_H

#include "cli/run_options.h"

#define HS_SWEEP_POINTS_MAX 100000u

struct hs_sweep_options {
    struct hs_run_options run; /* as in compare: a shared row has the same offset in both */
    const char *metric;
    int64_t processes, index; /* index 0: none was given */
    bool lists, makes, pending, status, gathers;
};

extern const struct hs_option hs_sweep_option_table[];

#endif
