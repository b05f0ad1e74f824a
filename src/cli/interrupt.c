/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While a run is watched the handlers only store to sig_atomic_t. The engine polls the flags every
 * few thousand events; a read that waits for input is woken (no SA_RESTART) and looks at its own.
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>

#include "base/io.h"
#include "base/wholefile.h"

static volatile sig_atomic_t ending_signal;
static volatile sig_atomic_t wants_status;

static void on_ending(int signal_number)
{
    ending_signal = signal_number;
    hs_input_stop = 1;
}

static void on_status(int signal_number)
{
    (void)signal_number;
    wants_status = 1;
}

static void handle(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(signal_number, &action, NULL);
}

/* Nothing half-written stays; the signal, whose handler is gone by now, then ends the program. */
static void on_abandon(int signal_number)
{
    hs_wholefile_abandon();
    (void)raise(signal_number);
}

/* Whoever started us with SIGINT ignored (nohup, a background job of a script) meant it. */
static bool is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void hs_interrupt_init(void)
{
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
    if (!is_ignored(SIGINT))
        handle(SIGINT, on_abandon, (int)SA_RESETHAND);
    handle(SIGTERM, on_abandon, (int)SA_RESETHAND);
}

void hs_interrupt_watch(void)
{
    int once = (int)SA_RESETHAND;
    if (!is_ignored(SIGINT))
        handle(SIGINT, on_ending, once);
    handle(SIGTERM, on_ending, once);
    handle(SIGUSR1, on_status, SA_RESTART);
}

int hs_interrupt_signal(void)
{
    return ending_signal;
}

bool hs_interrupt_wants_status(void)
{
    bool wants = wants_status != 0;
    wants_status = 0;
    return wants;
}
