/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What of a trace is replayed, and how fast: the window of time, the sample of jobs, the load and
 * the scale of time.
 *
 * Load divides the gaps between submissions: twice the load is twice the jobs in the same time. The
 * scale multiplies the trace's own times, the gaps and what jobs take (durations, attempts, the
 * time to a deadline, gpu_mem_later_after): a tenth replays a trace in a tenth of the time at the
 * same load. Steps and costs of preemption are those of models and machines, not of the trace's
 * clock, and stay.
 *
 * Both are taken as whole 10^-9, and each time moves by itself, in 128 bits, submissions from the
 * first row: no error adds up. A time that is not 0 stays at least a microsecond.
 */
#ifndef HORUS_TRACES_REPLAY_H
#define HORUS_TRACES_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/cell.h"
#include "traces/trace_stream.h"

#define HS_REPLAY_LEAST 1e-6 /* of load and scale */
#define HS_REPLAY_MOST  1e6

struct hs_replay {
    uint64_t load, scale; /* in 10^-9 */
    bool moves;           /* either is not 1 */
    uint64_t sample;      /* jobs whose number is below are kept; UINT64_MAX = all */
    uint64_t seed;        /* of these numbers */
    struct hs_trace_window window;
    struct hs_attempt_list attempts; /* of the job that was moved last */
};

/* HS_E_USAGE for a load, scale or share out of range. */
HS_MUST_USE enum hs_status hs_replay_open(struct hs_replay *replay,
                                          const struct hs_trace_options *options,
                                          struct hs_diag *diag);
/* On the recorded clock; first_us: recorded submission of the first row. */
bool hs_replay_is_before(const struct hs_replay *replay, int64_t first_us, int64_t submit_us);
bool hs_replay_is_behind(const struct hs_replay *replay, int64_t first_us, int64_t submit_us);
/* By the job's id and the seed alone. */
bool hs_replay_samples(const struct hs_replay *replay, const char *id);
/* Moves all times of the job; none if not `moves`. HS_E_INPUT beyond 285 years. */
HS_MUST_USE enum hs_status hs_replay_move(struct hs_replay *replay, int64_t first_us,
                                          struct hs_trace_job *job, struct hs_diag *diag);
void hs_replay_close(struct hs_replay *replay);

/* "10d..20d", "2017-10-01..2017-12-01", "..30d", "2020-04-01 12:00:00..": times since the first
 * submission, or dates of the trace's clock. HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_trace_window_parse(const char *text, struct hs_trace_window *window,
                                                 struct hs_diag *diag);

#endif
