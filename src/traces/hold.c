/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See hold.h.
 */
#include "traces/hold.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"

static void pass_on(struct hs_diag *diag, enum hs_severity severity, const char *text, size_t len)
{
    *(severity == HS_ERROR ? &diag->errors : &diag->warnings) += severity != HS_NOTE;
    if (severity >= diag->least && diag->emit != NULL)
        diag->emit(diag->ctx, severity, text, len);
}

/* Better too early than not at all. */
static void keep_or_pass_on(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_hold *hold = ctx;
    const uint64_t need = (uint64_t)hold->len + len + 2;
    if (!hold->is_holding ||
        hs_grow((void **)&hold->reports, &hold->cap, need, 1, UINT32_MAX) != HS_OK) {
        pass_on(hold->target, severity, text, len);
        return;
    }
    hold->reports[hold->len] = (char)severity;
    memcpy(hold->reports + hold->len + 1, text, len);
    hold->reports[need - 1] = '\0';
    hold->len = (uint32_t)need;
}

void hs_hold_init(struct hs_hold *hold, struct hs_diag *target)
{
    *hold = (struct hs_hold){.target = target};
    hs_diag_init(&hold->diag, keep_or_pass_on, hold);
    hold->diag.where = target->where;
}

void hs_hold_release(struct hs_hold *hold)
{
    for (uint32_t at = 0; at < hold->len;) {
        const size_t len = strlen(hold->reports + at + 1);
        pass_on(hold->target, (enum hs_severity)hold->reports[at], hold->reports + at + 1, len);
        at += (uint32_t)len + 2;
    }
    hold->len = 0;
}

void hs_hold_free(struct hs_hold *hold)
{
    hs_free(hold->reports);
    hold->reports = NULL;
}
