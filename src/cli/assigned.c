/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The warnings about the profiles and the attempts of jobs.
 */
#include "cli/assigned.h"

#include <inttypes.h>

void hs_assigned_warn(const struct hs_assign_counts *assigned, uint64_t jobs, struct hs_diag *diag)
{
    if (assigned->inexact > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs name a batch, dataset or precision that the "
                  "catalogue does not have, e.g. '%s': %s stands for it",
                  assigned->inexact, jobs, assigned->inexact_example, assigned->inexact_instead);
    if (assigned->unknown_model > 0)
        hs_report(diag, HS_WARNING, NULL,
                  "add its row to the catalogue (--profiles); by default a made-up profile is "
                  "drawn for them, --assign=columns leaves them without one",
                  "%" PRIu64 " of %" PRIu64
                  " jobs name a model that the catalogue does not know, e.g. '%s'",
                  assigned->unknown_model, jobs, assigned->unknown_example);
    hs_fractions_warn(&assigned->utils, NULL, "gpu_util", "jobs", diag);
}

void hs_retries_warn(const struct hs_retry_counts *retries, uint64_t jobs, struct hs_diag *diag)
{
    if (retries->jobs > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs fail %" PRIu64
                  " times before their recorded run: %.1f h of run time on top of the trace's",
                  retries->jobs, jobs, retries->failures, (double)retries->added_us / 3600e6);
}
