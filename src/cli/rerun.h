/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run from its manifest alone: the configuration that it had, on the inputs that it had.
 *
 *     HS_TRY(hs_rerun_open(&rerun, operand, trace, call));
 *     HS_TRY(hs_rerun_check_inputs(&rerun, &call->diag));
 *     HS_TRY(hs_rerun_simulate(&rerun, dir, call));
 *     hs_rerun_close(&rerun);                              // also after a failed open
 */
#ifndef HORUS_CLI_RERUN_H
#define HORUS_CLI_RERUN_H

#include "cli/cli.h"
#include "cli/run_options.h"
#include "report/rundir.h"
#include "report/runmanifest.h"

struct hs_rerun {
    char path[HS_PATH_SIZE]; /* of the manifest */
    struct hs_runmanifest manifest;
    struct hs_run_options options; /* as the manifest has them */
    struct hs_config config;       /* over these */
};

/* operand: a run's directory or its manifest; trace: where the trace lies now, NULL as recorded.
 * HS_E_INPUT for what is no run, e.g. a comparison, and for a configuration that this program does
 * not understand. */
HS_MUST_USE enum hs_status hs_rerun_open(struct hs_rerun *rerun, const char *operand,
                                         const char *trace, struct hs_call *call);
/* HS_E_INPUT, with every input that is not there or has another content than recorded. */
HS_MUST_USE enum hs_status hs_rerun_check_inputs(const struct hs_rerun *rerun,
                                                 struct hs_diag *diag);
/* Into the run directory dir. What the run has to say it said the first time: errors only. */
HS_MUST_USE enum hs_status hs_rerun_simulate(const struct hs_rerun *rerun, const char *dir,
                                             struct hs_call *call);
void hs_rerun_close(struct hs_rerun *rerun);

#endif
