/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts and exit codes of the status list; one table, so that the two cannot drift apart.
 */
#include "horus/status.h"

#include <stddef.h>

struct status_row {
    const char *text;
    int exit_code;
};

static const struct status_row rows[] = {
#define STATUS_ROW(name, exit_code, text) [HS_##name] = {text, exit_code},
    HS_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

/* A value outside the list can only come from a bug: it reads as an invariant violation. */
static const struct status_row *status_find(enum hs_status status)
{
    size_t at = (size_t)status;
    return at < sizeof rows / sizeof rows[0] ? &rows[at] : &rows[HS_E_INVARIANT];
}

const char *hs_status_text(enum hs_status status)
{
    return status_find(status)->text;
}

int hs_status_exit_code(enum hs_status status)
{
    return status_find(status)->exit_code;
}
