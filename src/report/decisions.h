/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * decisions.csv: one row an action of the policy, with what led to it, as the run goes on.
 */
#ifndef HORUS_REPORT_DECISIONS_H
#define HORUS_REPORT_DECISIONS_H

#include "base/diag.h"
#include "data/csvwrite.h"
#include "horus/observe.h"
#include "horus/policy.h"

struct hs_decisions {
    struct hs_csvw csv;
    char by_order[160], by_preemption[160]; /* the words where the policy has none */
};

/* semantics: of the policy; NULL: actions that it does not explain have no reason. */
HS_MUST_USE enum hs_status hs_decisions_open(struct hs_decisions *d, const char *path,
                                             const struct hs_semantics *semantics,
                                             struct hs_diag *diag);
struct hs_observer hs_decisions_observer(struct hs_decisions *d);

#endif
