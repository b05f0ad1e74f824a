/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Warnings of a run: shown at once and kept for the manifest.
 *
 *     hs_runlog_open(&log, diag);       // reports to &log.diag also reach diag
 */
#ifndef HORUS_CLI_RUNLOG_H
#define HORUS_CLI_RUNLOG_H

#include "base/diag.h"
#include "base/memory.h"

#define HS_RUNLOG_MAX 64u /* warnings kept; later ones are shown only */

struct hs_runlog {
    struct hs_diag diag;
    struct hs_diag *target;
    struct hs_arena arena;
    const char *warnings[HS_RUNLOG_MAX];
    uint32_t count;
};

void hs_runlog_open(struct hs_runlog *log, struct hs_diag *target);
/* Adds what was counted to the target. */
void hs_runlog_close(struct hs_runlog *log);

#endif
