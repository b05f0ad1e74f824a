/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a function that can fail returns. Every status has the exit code that the command line
 * gives for it (cli: 2 usage, 3 bad input, 4 I/O, 5 memory or limit, 6 internal invariant).
 *
 *     enum hs_status load(struct hs_diag *diag)
 *     {
 *         HS_TRY(open_it(diag));          // forwards the first failure
 *         return HS_OK;
 *     }
 *
 * A function that returns a failure has reported its text to the hs_diag it was given; callers
 * forward, only src/cli turns a status into an exit code.
 */
#ifndef HORUS_STATUS_H
#define HORUS_STATUS_H

#include "horus/compiler.h"

/* name, exit code, text. HS_END is the normal end of a stream, not a failure. */
#define HS_STATUS_LIST(X)                                                                          \
    X(OK, 0, "ok")                                                                                 \
    X(END, 0, "end of stream")                                                                     \
    X(E_DIFFERS, 1, "comparison or verification failed")                                           \
    X(E_USAGE, 2, "wrong command line")                                                            \
    X(E_INPUT, 3, "bad input")                                                                     \
    X(E_IO, 4, "input or output failed")                                                           \
    X(E_MEMORY, 5, "out of memory")                                                                \
    X(E_LIMIT, 5, "documented limit exceeded")                                                     \
    X(E_POLICY, 6, "policy asked for an illegal action")                                           \
    X(E_INVARIANT, 6, "internal invariant violated")                                               \
    X(E_INTERRUPTED, 130, "interrupted by a signal")

enum hs_status {
#define HS_STATUS_ENUM(name, exit_code, text) HS_##name,
    HS_STATUS_LIST(HS_STATUS_ENUM)
#undef HS_STATUS_ENUM
};

/* Text and exit code of a status; static storage, never NULL. */
const char *hs_status_text(enum hs_status status);
int hs_status_exit_code(enum hs_status status);

#define HS_TRY(expr)                                                                               \
    do {                                                                                           \
        enum hs_status hs_try_status_ = (expr);                                                    \
        if (HS_UNLIKELY(hs_try_status_ != HS_OK))                                                  \
            return hs_try_status_;                                                                 \
    } while (0)

#endif
