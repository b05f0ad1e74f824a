/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's speeds, for its traces, which tell steps instead of durations: steps a second of each job
 * alone on V100 GPUs, from a file of throughputs of the artifact (OSDI'20):
 *
 *     {"v100": {"('LM (batch size 5)', 2)": {"null": 28.3, ...}, ...}, ...}
 *
 * In some of those files jobs have no number of GPUs: such a speed is that of any. It is how the
 * traces of Philly's clusters (traces/msr) were made: steps are seconds times the speed on one GPU.
 */
#ifndef HORUS_TRACES_GAVELSPEED_H
#define HORUS_TRACES_GAVELSPEED_H

#include "base/diag.h"
#include "base/intern.h"
#include "data/gaveljob.h"

struct hs_gavel_speeds {
    struct hs_intern jobs;
    double *per_second; /* by id of jobs; 0 = none */
    uint32_t cap;
};

HS_MUST_USE enum hs_status hs_gavel_speeds_load(struct hs_gavel_speeds *speeds, const char *path,
                                                struct hs_diag *diag);
/* Steps a second of the job on so many GPUs; 0 if that is not known. */
double hs_gavel_speeds_find(const struct hs_gavel_speeds *speeds, const struct hs_gavel_job *job,
                            uint32_t gpus);
/* Of one that was zeroed, too. */
void hs_gavel_speeds_free(struct hs_gavel_speeds *speeds);

#endif
