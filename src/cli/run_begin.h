/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus run`, `horus compare` and `horus sweep` do first: the same contradictions, the same
 * notes. call->options begins with a struct hs_run_options in all of them.
 */
#ifndef HORUS_CLI_RUN_BEGIN_H
#define HORUS_CLI_RUN_BEGIN_H

#include "cli/cli.h"

/* Takes the operand as the trace, refuses contradictions, minds --quiet. */
HS_MUST_USE enum hs_status hs_run_begin(struct hs_call *call);
/* The same but for the operand. */
HS_MUST_USE enum hs_status hs_run_check_looks(struct hs_call *call);
/* Both were given: which was meant is not ours to guess. */
HS_MUST_USE enum hs_status hs_run_refuse_both(struct hs_call *call, bool are_both,
                                              const char *first, const char *second);
/* Where a cluster is needed and the default is taken. */
void hs_run_note_cluster(struct hs_call *call);
bool hs_run_shows_progress(const struct hs_call *call);

#endif
