/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Independent tasks, each in a process of its own, some at a time. What a task makes it leaves in
 * files: order of completion is never seen.
 *
 *     struct hs_procpool pool = {.width = 4, .count = n, .task = run_cell, .ctx = &cells};
 *     status = hs_procpool_run(&pool, &failure, diag);
 */
#ifndef HORUS_CLI_PROCPOOL_H
#define HORUS_CLI_PROCPOOL_H

#include <stdint.h>

#include "base/diag.h"

struct hs_procpool {
    uint32_t width, count;                                        /* processes at a time; tasks */
    enum hs_status (*task)(void *ctx, uint32_t index);            /* in the child */
    void (*progress)(void *ctx, uint32_t done, uint32_t running); /* in the parent; may be NULL */
    /* In the parent, as each task ends: status, or the signal that killed it (else 0). Where it is
     * given no task is a failure of the pool: the others go on. May be NULL. */
    void (*ended)(void *ctx, uint32_t index, enum hs_status status, int signal_number);
    void *ctx;
};

struct hs_procfailure {
    uint32_t index;
    int signal_number; /* that killed it; 0: it ended by itself */
};

/* HS_OK if every task did, or if all have ended and ended() was told. Else the status of the failed
 * task with the lowest index, which is the same for every width: those before it are brought to
 * their end, those behind it ended. A task that a signal killed is HS_E_LIMIT. HS_E_INTERRUPTED,
 * without a word, when SIGINT or SIGTERM came (cli/interrupt.h must watch); no child is left then.
 */
HS_MUST_USE enum hs_status hs_procpool_run(const struct hs_procpool *pool,
                                           struct hs_procfailure *failure, struct hs_diag *diag);

#endif
