/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment of the program. Standard output and standard error: their capabilities, the
 * writer of messages that keeps the status line intact, and that line: progress at 5 Hz on a
 * terminal, on SIGUSR1 anywhere. Its bar is as long as the window allows, and omitted if short.
 * Processes: the signals that end or query this one, a pool of children for independent tasks, and
 * a lock between processes.
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
    bool use_utf8;        /* a terminal in a UTF-8 locale; files get the same bytes everywhere */
    uint32_t columns;     /* of standard output */
    bool err_use_utf8;    /* likewise for standard error */
    uint32_t err_columns; /* of standard error; may change with the window */
    bool has_fixed_width; /* COLUMNS sets both widths */
    bool has_status_line; /* the last line of standard error shows progress */
};

void hs_terminal_init(struct hs_terminal *terminal);
/* emit of hs_diag; ctx is the terminal. */
void hs_terminal_emit(void *ctx, enum hs_severity severity, const char *text, size_t len);
/* Overwrites the status line, truncated to the window; "" removes it. */
void hs_terminal_status(struct hs_terminal *terminal, const char *line);

/* Prints `text` in lines of at most `columns`, broken at blanks, indented after the first line. */
void hs_say_wrapped(struct hs_output *out, const char *text, uint32_t indent, uint32_t columns);

/* ---- progress ---- */

/* A stopwatch, and the time of the last status line. */
struct hs_status_line {
    struct hs_terminal *terminal;
    bool is_on;        /* else shown only on SIGUSR1 */
    const char *label; /* "", or one of several runs: "ties 3/10 " */
    uint64_t gpus;     /* of the cluster */
    int64_t started_ns, shown_ns;
    uint32_t shown_count;
};

void hs_status_line_start(struct hs_status_line *line, struct hs_terminal *terminal, bool is_on,
                          uint64_t gpus);
/* Tells whether it is time to show the progress of a run. */
bool hs_status_line_is_due(struct hs_status_line *line);
/* Shows what is done, and how much of it: 0..1, negative if unknown. */
void hs_status_line_show(const struct hs_status_line *line, const char *what, double share);
/* Shows progress of one run; share 0..1, negative if unknown. */
void hs_status_line_show_run(const struct hs_status_line *line, const struct hs_instant *now,
                             double share, uint64_t events);
/* Shows progress of many runs: `done` of `count`, and `rest`; not repeated for the same count. */
void hs_status_line_show_count(struct hs_status_line *line, uint32_t done, uint32_t count,
                               const char *rest);
double hs_status_line_elapsed_s(const struct hs_status_line *line);

/* ---- signals ---- */

/* Called at the start of the program. A full disk and a closed pipe (SIGXFSZ, SIGPIPE) then appear
 * as failed writes; SIGINT and SIGTERM remove unfinished output and end the program. */
void hs_interrupt_init(void);
/* From now on SIGINT, SIGTERM and SIGUSR1 set flags, so that a run can report its progress; at most
 * 0.7 s later the program is ended and its unfinished output removed. A second SIGINT or SIGTERM
 * kills at once. */
void hs_interrupt_watch(void);
/* Returns the signal that requested the end; 0 if none did. */
int hs_interrupt_signal(void);
/* Removes that limit, while output that is kept is written. */
void hs_interrupt_unhurried(void);
/* Returns "SIGINT" or "SIGTERM", for messages after such a signal. */
const char *hs_interrupt_name(void);

/* ---- a pool of processes ---- */

/* Each task runs in a separate process and writes its result to files, so that the order of
 * completion has no effect.
 *
 *     struct hs_process_pool pool = {.width = 4, .count = n, .task = run_cell, .ctx = &cells};
 *     status = hs_process_pool_run(&pool, &failure, diag); */
struct hs_process_pool {
    uint32_t width, count;                                        /* processes at a time; tasks */
    enum hs_status (*task)(void *ctx, uint32_t index);            /* in the child */
    void (*progress)(void *ctx, uint32_t done, uint32_t running); /* in the parent; may be NULL */
    /* In the parent, as each task ends: status, or the signal that killed it (else 0). If given, a
     * failed task does not end the pool. May be NULL. */
    void (*ended)(void *ctx, uint32_t index, enum hs_status status, int signal_number);
    void *ctx;
};

struct hs_process_failure {
    uint32_t index;
    int signal_number; /* that killed the task; 0: none */
};

/* Returns HS_OK if every task did, or if all have ended and ended() was called. Otherwise the
 * status of the failed task with the lowest index, which is independent of the width: earlier tasks
 * are completed, later ones terminated. A task killed by a signal is HS_E_LIMIT. HS_E_INTERRUPTED,
 * without a message, after SIGINT or SIGTERM (with hs_interrupt_watch()); no child is left then. */
HS_MUST_USE enum hs_status hs_process_pool_run(const struct hs_process_pool *pool,
                                               struct hs_process_failure *failure,
                                               struct hs_diag *diag);
/* Returns "for want of memory? ..." for a task that SIGKILL ended, else NULL. */
const char *hs_process_kill_hint(int signal_number);

/* ---- a lock ---- */

/* A lock between processes, on this machine or another that shares the directory: an empty locked
 * file, which the system unlocks when the process ends. */
struct hs_file_lock {
    int fd;
};

/* Waits while another process holds it. HS_E_INTERRUPTED if a signal ends the wait, HS_E_IO if
 * files cannot be locked. */
HS_MUST_USE enum hs_status hs_file_lock_take(struct hs_file_lock *lock, const char *path,
                                             struct hs_diag *diag);
/* Releases the lock and removes the file. */
void hs_file_lock_free(const struct hs_file_lock *lock, const char *path);
