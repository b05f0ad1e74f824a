/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Faults of rows: the texts and the one function through which every reader reports.
 */
#include "traces/fault.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *text, *repair;
} kinds[HS_FAULT_COUNT] = {
#define HS_FAULT_ROW(name, text, repair) {text, repair},
    HS_FAULT_LIST(HS_FAULT_ROW)
#undef HS_FAULT_ROW
};

const char *hs_fault_text(enum hs_fault kind)
{
    return kinds[kind].text;
}

const char *hs_fault_repair(enum hs_fault kind)
{
    return kinds[kind].repair;
}

static void relay(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_faults *faults = ctx;
    struct hs_diag *diag = faults->diag;
    if (severity == HS_ERROR) {
        faults->is_row_bad = true;
        faults->kind = HS_FAULT_STRUCTURE;
        faults->total++;
        if (++faults->counts[HS_FAULT_STRUCTURE] > HS_FAULTS_SHOWN)
            return;
        severity = faults->severity;
    }
    *(severity == HS_ERROR ? &diag->errors : &diag->warnings) += severity != HS_NOTE;
    if (severity >= diag->least)
        diag->emit(diag->ctx, severity, text, len);
}

void hs_faults_init(struct hs_faults *faults, enum hs_severity severity, struct hs_diag *diag)
{
    *faults = (struct hs_faults){.diag = diag, .severity = severity};
    hs_diag_init(&faults->relay, relay, faults);
}

struct hs_diag *hs_faults_relay(struct hs_faults *faults)
{
    return &faults->relay;
}

enum hs_status hs_trace_bad_row(struct hs_faults *faults, enum hs_fault kind,
                                const struct hs_place *place, const char *hint, const char *fmt,
                                ...)
{
    faults->is_row_bad = true;
    faults->kind = kind;
    faults->total++;
    if (++faults->counts[kind] > HS_FAULTS_SHOWN)
        return HS_E_INPUT;
    char text[512]; /* user text in it is cut, never overrun */
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    hs_report(faults->diag, faults->severity, place, hint, "%s", text);
    return HS_E_INPUT;
}
