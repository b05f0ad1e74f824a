/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus generate --fit TRACE`: the workload file of a trace.
 */
#ifndef HORUS_CLI_GENERATE_FIT_H
#define HORUS_CLI_GENERATE_FIT_H

#include <stdbool.h>

#include "base/diag.h"

struct hs_generate_fit {
    const char *trace, *map;
    const char *sort;   /* rows held back to put late ones in order, or "all" */
    const char *output; /* "-": standard output */
    bool attempts;      /* several runs of a job are its retries; else it is one job */
};

HS_MUST_USE enum hs_status hs_generate_fit(const struct hs_generate_fit *given,
                                           struct hs_diag *diag);

#endif
