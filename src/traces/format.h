/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace format is one file with one const record, last in the file, and one line in
 * formats.def. The reader pulls from an open input and fills plain records; it knows nothing of
 * sorting, limits or the engine.
 */
#ifndef HORUS_TRACES_FORMAT_H
#define HORUS_TRACES_FORMAT_H

#include <stddef.h>

#include "base/diag.h"
#include "base/io.h"
#include "horus/trace.h"
#include "traces/trace.h"

/* Why a row was not taken, counted by kind; the text is what `trace info` and the manifest print.
 * Dropped: by a rule of the format that the options name. Faults: bad rows, an error unless
 * --skip-bad-rows allows them. */
#define HS_DROP_LIST(X)                                                                            \
    X(CPU_JOB, "CPU job (0 GPUs)")                                                                 \
    X(STILL_RUNNING, "still running at the snapshot")                                              \
    X(NEVER_STARTED, "never started (no attempts)")                                                \
    X(NO_TIMES, "start or end missing")                                                            \
    X(ZERO_DURATION, "duration 0")                                                                 \
    X(OUTCOME, "outcome not asked for")

struct hs_trace_format {
    const char *name, *summary;
    const char *columns; /* what it needs, one line for messages and `horus help formats` */
    /* How sure, 0..100, from the first bytes. */
    int (*recognise)(const char *head, size_t len);
    size_t state_size;
    enum hs_status (*open)(void *state, struct hs_input *input,
                           const struct hs_trace_options *options, struct hs_diag *diag);
    /* HS_OK: job filled. HS_END. HS_E_INPUT: this row is bad (reported through
     * hs_trace_bad_row); calling again goes on with the next row. Anything else ends the trace.
     * *dropped is set to 1 + drop kind when the row is to be counted and passed over. */
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    /* Place of a column of the row just read, for messages of the caller. */
    struct hs_place (*place)(void *state, const char *column);
    void (*close)(void *state);
};

const struct hs_trace_format *hs_trace_format_at(size_t index); /* NULL past the end */

#endif
