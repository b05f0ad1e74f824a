/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A diag in front of another: passes everything on and remembers the warnings.
 */
#include "cli/runlog.h"

#include <string.h>

static void runlog_emit(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_runlog *log = ctx;
    if (severity == HS_WARNING && log->count < HS_RUNLOG_MAX) {
        const char *copy = hs_arena_text(&log->arena, text, len);
        if (copy != NULL)
            log->warnings[log->count++] = copy;
    }
    if (severity >= log->target->least)
        log->target->emit(log->target->ctx, severity, text, len);
}

void hs_runlog_open(struct hs_runlog *log, struct hs_diag *target)
{
    memset(log, 0, sizeof *log);
    log->target = target;
    hs_diag_init(&log->diag, runlog_emit, log);
}

void hs_runlog_close(struct hs_runlog *log)
{
    log->target->errors += log->diag.errors;
    log->target->warnings += log->diag.warnings;
    hs_arena_free(&log->arena);
}
