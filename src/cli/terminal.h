/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Standard output and standard error: what they can show, the sink that puts messages on standard
 * error without tearing the status line, and that line: progress at 5 Hz on a terminal, on SIGUSR1
 * anywhere. Its bar is as long as the window allows, and absent where it would be short.
 *
 *     hs_terminal_init(&terminal);
 *     hs_diag_init(&diag, hs_terminal_emit, &terminal);
 *
 *     62% [###########-------] day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87% | ETA 0:08
 */
#ifndef HORUS_CLI_TERMINAL_H
#define HORUS_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
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

/* ---- texts of the line, for tests ---- */

#define HS_STATUS_SIZE 512 /* bytes of a line */

/* "day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87%". */
void hs_run_progress_text(const struct hs_instant *now, uint64_t gpus, double events_per_s,
                          char *text, size_t size);

/* "LABEL62% [###--] REST | ETA 0:08". elapsed_s 0: no ETA. */
struct hs_progress_text {
    const char *label, *rest;
    double share, elapsed_s;
};
void hs_progress_text(const struct hs_progress_text *progress, const struct hs_terminal *terminal,
                      char *text, size_t size);

#endif
