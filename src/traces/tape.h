/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace in memory, read once and replayed any number of times: what the points of a sweep share.
 * A trace that is opened on a tape hands out the same jobs and the same counts as one that reads
 * the file, at any load and scale of time.
 *
 *     HS_TRY(hs_tape_record(&tape, &options, diag));
 *     options.tape = tape;                                  // may be NULL: then the file is read
 *     HS_TRY(hs_trace_open(&t, &options, diag));
 */
#ifndef HORUS_TRACES_TAPE_H
#define HORUS_TRACES_TAPE_H

#include "base/intern.h"
#include "traces/format.h"
#include "traces/trace.h"

/* What had been counted when a job was handed out. */
struct hs_tape_mark {
    uint64_t rows, reordered, rounded, folded;
    uint32_t drops; /* row of hs_tape.drops */
};

struct hs_tape_drops {
    uint64_t counts[HS_DROP_COUNT];
};

struct hs_tape {
    struct hs_arena texts;  /* ids and attempts */
    struct hs_intern names; /* every other text */
    struct hs_trace_job *jobs;
    struct hs_tape_mark *marks;  /* of each job, and one more: at the end of the trace */
    struct hs_tape_drops *drops; /* each set of counts that occurred */
    uint32_t jobs_cap, marks_cap, drops_cap, drops_count;
    uint64_t count;
    int64_t first_us; /* recorded submission of the first row */
    uint64_t hash, bytes;
    const char *format; /* name */
};

/* Reads the whole trace as the options say, but at load and scale 1. *tape is NULL where the trace
 * is refused or has bad rows: whoever reads it has something to say about it, each time. 300 bytes
 * a job. */
HS_MUST_USE enum hs_status
hs_tape_record(struct hs_tape **tape, const struct hs_trace_options *options, struct hs_diag *diag);
/* Equal for options that make the same tape, whatever their load and scale of time. */
uint64_t hs_tape_key(const struct hs_trace_options *options);
void hs_tape_free(struct hs_tape *tape); /* NULL is fine */

#endif
