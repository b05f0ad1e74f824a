/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages of many runs that say the same: each text reaches the target once.
 *
 *     HS_TRY(hs_oncelog_open(&log, diag));     // reports to &log.diag; diag counts what it shows
 */
#ifndef HORUS_CLI_ONCELOG_H
#define HORUS_CLI_ONCELOG_H

#include "base/diag.h"
#include "base/intern.h"

struct hs_oncelog {
    struct hs_diag diag;
    struct hs_diag *target;
    struct hs_intern seen;
};

HS_MUST_USE enum hs_status hs_oncelog_open(struct hs_oncelog *log, struct hs_diag *target);
/* A message that was formatted elsewhere. */
void hs_oncelog_pass(struct hs_oncelog *log, enum hs_severity severity, const char *text,
                     size_t len);
void hs_oncelog_close(struct hs_oncelog *log);

#endif
