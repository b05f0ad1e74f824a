/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processes: the signals that end or question this one, a pool of children that work on independent
 * tasks, and a lock between processes.
 */
#ifndef HORUS_CLI_PROCESS_H
#define HORUS_CLI_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/* ---- signals ---- */

/* At the start of the program. A full disk and a closed pipe (SIGXFSZ, SIGPIPE) come back as failed
 * writes; SIGINT and SIGTERM remove a half-written file and end the program. */
void hs_interrupt_init(void);
/* From here to the end of the program SIGINT, SIGTERM and SIGUSR1 set flags, so that a run can
 * remove its directory; a second SIGINT or SIGTERM kills at once. */
void hs_interrupt_watch(void);
/* The signal that asked for the end; 0 if none did. */
int hs_interrupt_signal(void);
/* Removes the output that this process has begun and not finished; not for the handler of a
 * signal. */
void hs_process_remove_unfinished(void);
/* "SIGINT" or "SIGTERM", for messages after such a signal. */
const char *hs_interrupt_name(void);
/* True once after each SIGUSR1, which asks for the status line. */
bool hs_interrupt_wants_status(void);

/* ---- a pool of processes ---- */

/* Each task runs in a process of its own and leaves its result in files, so that the order of
 * completion has no effect.
 *
 *     struct hs_process_pool pool = {.width = 4, .count = n, .task = run_cell, .ctx = &cells};
 *     status = hs_process_pool_run(&pool, &failure, diag);
 */
struct hs_process_pool {
    uint32_t width, count;                                        /* processes at a time; tasks */
    enum hs_status (*task)(void *ctx, uint32_t index);            /* in the child */
    void (*progress)(void *ctx, uint32_t done, uint32_t running); /* in the parent; may be NULL */
    /* In the parent, as each task ends: status, or the signal that killed it (else 0). Where it is
     * given, a failed task does not end the pool. May be NULL. */
    void (*ended)(void *ctx, uint32_t index, enum hs_status status, int signal_number);
    void *ctx;
};

struct hs_process_failure {
    uint32_t index;
    int signal_number; /* that killed the task; 0: it ended by itself */
};

/* HS_OK if every task did, or if all have ended and ended() was called. Else the status of the
 * failed task with the lowest index, which is the same for every width: tasks before it are
 * completed, tasks behind it terminated. A task that a signal killed is HS_E_LIMIT.
 * HS_E_INTERRUPTED, without a message, when SIGINT or SIGTERM came (after hs_interrupt_watch());
 * no child is left then. */
HS_MUST_USE enum hs_status hs_process_pool_run(const struct hs_process_pool *pool,
                                               struct hs_process_failure *failure,
                                               struct hs_diag *diag);
/* "for want of memory? ..." for a task that SIGKILL ended, else NULL. */
const char *hs_process_kill_hint(int signal_number);

/* ---- a lock ---- */

/* One process at a time, on this machine or another that shares the directory: a POSIX record lock
 * on a file, which the system releases when the process ends. */
struct hs_file_lock {
    int fd; /* -1: not held */
};

/* Waits while another process holds it. HS_E_INTERRUPTED if a signal ends the wait, HS_E_IO where
 * files cannot be locked. */
HS_MUST_USE enum hs_status hs_file_lock_take(struct hs_file_lock *lock, const char *path,
                                             struct hs_diag *diag);
/* Removes the file. */
void hs_file_lock_free(struct hs_file_lock *lock, const char *path);

#endif
