/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signals. A full disk and a closed pipe come back as failed writes instead of killing the process
 * half-way; SIGINT and SIGTERM during a run set a flag that the engine's poll sees, so that the run
 * directory is put away; a second one kills at once. SIGUSR1 asks for the status line.
 */
#ifndef HORUS_CLI_INTERRUPT_H
#define HORUS_CLI_INTERRUPT_H

#include <stdbool.h>

/* At the start of the program: SIGPIPE and SIGXFSZ. */
void hs_interrupt_init(void);
/* From here to the end of the program SIGINT, SIGTERM and SIGUSR1 set flags. */
void hs_interrupt_watch(void);
/* The signal that asked for the end; 0 if none did. */
int hs_interrupt_signal(void);
/* True once after each SIGUSR1. */
bool hs_interrupt_wants_status(void);

#endif
