/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the profiles of a trace's jobs, and the attempts made up for them, leave to be told, alike
 * for every verb that gives them.
 */
#ifndef HORUS_CLI_ASSIGNED_H
#define HORUS_CLI_ASSIGNED_H

#include "base/diag.h"
#include "model/assign.h"
#include "model/retry.h"

/* Configurations and models that the catalogue does not have, and figures that cannot be meant.
 * jobs: of the trace, all. */
void hs_assigned_warn(const struct hs_assign_counts *assigned, uint64_t jobs, struct hs_diag *diag);
/* Attempts that were made up, and the work that came with them. */
void hs_retries_warn(const struct hs_retry_counts *retries, uint64_t jobs, struct hs_diag *diag);

#endif
