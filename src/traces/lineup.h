/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The jobs of a file that are asked for, in order: reader -> reorder window -> window of time and
 * sample -> limit. Rows are read many at a time, so that the code which reads them stays in the
 * cache of the processor; nobody can tell, for counts, reports and failures wait with the job that
 * they belong to. Formats that sort hand their rows through one by one.
 */
#ifndef HORUS_TRACES_LINEUP_H
#define HORUS_TRACES_LINEUP_H

#include "traces/hold.h"
#include "traces/reader.h"
#include "traces/reorder.h"
#include "traces/replay.h"

/* Every row read is accepted, bad, dropped, or still held when a limit ends the trace. */
struct hs_lineup_counts {
    const struct hs_reader_counts *read;
    uint64_t bad; /* rows passed over */
    uint64_t reordered;
};

/* The same when a job was taken. */
struct hs_lineup_mark {
    struct hs_reader_counts read;
    uint64_t bad, reordered;
};

struct hs_lineup {
    const struct hs_trace_options *options;
    const struct hs_replay *replay;
    struct hs_hold hold;
    struct hs_reader reader;
    struct hs_reorder held;
    bool has_all_rows;
    bool has_first;
    uint64_t bad;     /* beside what seldom changes: marks read two of these words at a time */
    int64_t first_us; /* recorded submission of the first row */
    int64_t last_us;  /* of the last row taken from the window */
    int64_t last_line;
    uint64_t taken; /* jobs */
    /* what was read in one go */
    struct hs_trace_job *jobs[HS_REORDER_OUT];
    struct hs_lineup_mark marks[HS_REORDER_OUT];
    uint32_t count, next;
    enum hs_status ended;        /* what is behind them; HS_OK: more jobs, perhaps */
    bool is_over;                /* and it has been told */
    struct hs_trace_job through; /* of a row that is handed through */
};

/* Borrows options and replay; it does not move. Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_lineup_open(struct hs_lineup *lineup,
                                          const struct hs_trace_options *options,
                                          const struct hs_replay *replay, struct hs_diag *diag);
/* HS_END behind the last. The record and its texts are the caller's until the next call. */
HS_MUST_USE enum hs_status hs_lineup_next_block(struct hs_lineup *lineup,
                                                struct hs_trace_job **job);
HS_MUST_USE static inline enum hs_status hs_lineup_next(struct hs_lineup *lineup,
                                                        struct hs_trace_job **job)
{
    if (HS_UNLIKELY(lineup->next + 1 >= lineup->count)) /* what is to be told waits for the last */
        return hs_lineup_next_block(lineup, job);
    *job = lineup->jobs[lineup->next++];
    return HS_OK;
}
/* The next job, if it has been read; else NULL. */
static inline const struct hs_trace_job *hs_lineup_peek(const struct hs_lineup *lineup)
{
    return lineup->next < lineup->count ? lineup->jobs[lineup->next] : NULL;
}
/* As they were when the job last handed out was taken; at the end, or after a failure, all. */
struct hs_lineup_counts hs_lineup_counted(const struct hs_lineup *lineup);
/* At the end: reports the bad rows, and fails where they are more than is tolerated or no job is
 * left; else HS_END. */
HS_MUST_USE enum hs_status hs_lineup_finish(struct hs_lineup *lineup);
void hs_lineup_close(struct hs_lineup *lineup);

#endif
