/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where text meets the user: what the two streams can show, and the sink that puts messages on
 * standard error without tearing the progress line.
 *
 *     hs_terminal_init(&terminal);
 *     hs_diag_init(&diag, hs_terminal_emit, &terminal);
 *     hs_say(&out, "%" PRIu64 " jobs\n", n);
 */
#ifndef HORUS_CLI_TERMINAL_H
#define HORUS_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"

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
/* One line at 5 Hz, overwritten, cut to the window; "" takes it away. */
void hs_terminal_status(struct hs_terminal *terminal, const char *line);
/* Asks how wide the window is now. */
void hs_terminal_measure(struct hs_terminal *terminal);

/* `text` in lines of at most `columns` at blanks, every line after the first indented. */
void hs_say_wrapped(struct hs_output *out, const char *text, uint32_t indent, uint32_t columns);

#endif
