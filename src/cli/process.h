/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is around the program. Standard output and standard error: what they can show, the sink that
 * puts messages on standard error without tearing the status line, and that line: progress at 5 Hz
 * on a terminal, on SIGUSR1 anywhere. Its bar is as long as the window allows, and absent where it
 * would be short. Processes: the signals that end or question this one, a pool of children that
 * work on independent tasks, and a lock between processes.
 *
 *     hs_terminal_init(&terminal);
 *     hs_diag_init(&diag, hs_terminal_emit, &terminal);
 *
 *     62% [###########-------] day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87% | ETA 0:08
 */
#pragma once

#include "base/io.h"
#include "horus/observe.h"

struct hs_terminal {
    bool out_is_tty, err_is_tty;
    bool use_color;       /* on standard output: a terminal, NO_COLOR unset, TERM not dumb */
    bool use_utf8;        /* a terminal in a UTF-8 locale: a file gets the same bytes everywhere */
    uint32_t columns;     /* of standard output */
    bool err_use_utf8;    /* likewise for standard error */
    uint32_t err_columns; /* of standard error; may change with the window */
    bool has_fixed_width; /* COLUMNS says how wide both are */
    bool has_status_line; /* progress stands on the last line of standard error */
};

void hs_terminal_init(struct hs_terminal *terminal);
/* emit of hs_diag; ctx is the terminal. */
void hs_terminal_emit(void *ctx, enum hs_severity severity, const char *text, size_t len);
/* Overwrites the status line, cut to the window; "" removes it. */
void hs_terminal_status(struct hs_terminal *terminal, const char *line);

/* `text` in lines of at most `columns` at blanks, every line after the first indented. */
void hs_say_wrapped(struct hs_output *out, const char *text, uint32_t indent, uint32_t columns);

/* ---- progress ---- */

/* A stopwatch, and when the status line was last shown. */
struct hs_status_line {
    struct hs_terminal *terminal;
    bool is_on;        /* else only SIGUSR1 shows it */
    const char *label; /* "", or which of several runs, e.g. "ties 3/10 " */
    uint64_t gpus;     /* of the cluster */
    int64_t started_ns, shown_ns;
    uint32_t shown_count;
};

void hs_status_line_start(struct hs_status_line *line, struct hs_terminal *terminal, bool is_on,
                          uint64_t gpus);
/* True if it is time to show the progress of a run. */
bool hs_status_line_is_due(struct hs_status_line *line);
/* Progress of one run; share 0..1, negative when unknown. */
void hs_status_line_show_run(const struct hs_status_line *line, const struct hs_instant *now,
                             double share, uint64_t events);
/* Progress of many runs: `done` of `count`, and what else to say; not shown twice for a count. */
void hs_status_line_show_count(struct hs_status_line *line, uint32_t done, uint32_t count,
                               const char *rest);
double hs_status_line_elapsed_s(const struct hs_status_line *line);

/* ---- signals ---- */

/* At the start of the program. A full disk and a closed pipe (SIGXFSZ, SIGPIPE) come back as failed
 * writes; SIGINT and SIGTERM remove unfinished output and end the program. */
void hs_interrupt_init(void);
/* From here to the end of the program SIGINT, SIGTERM and SIGUSR1 set flags, so that a run can say
 * how far it was; 0.7 s later at the latest the program is ended, its unfinished output removed. A
 * second SIGINT or SIGTERM kills at once. */
void hs_interrupt_watch(void);
/* The signal that asked for the end; 0 if none did. */
int hs_interrupt_signal(void);
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

/* One process at a time, on this machine or another that shares the directory: an empty file that
 * is locked, which the system releases when the process ends. */
struct hs_file_lock {
    int fd;
};

/* Waits while another process holds it. HS_E_INTERRUPTED if a signal ends the wait, HS_E_IO where
 * files cannot be locked. */
HS_MUST_USE enum hs_status hs_file_lock_take(struct hs_file_lock *lock, const char *path,
                                             struct hs_diag *diag);
/* Of one that was taken. Removes the file. */
void hs_file_lock_free(const struct hs_file_lock *lock, const char *path);
