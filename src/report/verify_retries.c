/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attempts: a placement ended by `failure` ends an attempt, whose work is that of all placements
 * since the failure before, and the last attempt of a finished job ends by `finish`. With
 * --retries=attempts each is held against the trace; with generate, which draws anew at every seed,
 * the number of failures is, and the last attempt, which is the recorded run. One walk over the
 * segments, sorted by time.
 */
#include "report/verify_check.h"

#include <inttypes.h>

#define RETRIES_MAX 3 /* of a job whose attempts were made up */

/* Attempts that the job can have at most, and that it has had when it is done. */
static uint64_t attempts_of(const struct verify_run *run, const struct verify_job *j)
{
    if (run->made_of.retries == VERIFY_GENERATE)
        return 1 + RETRIES_MAX;
    return j->attempts > 0 ? j->attempts : 1;
}

/* The run time of the n-th attempt from 0 as the trace has it; -1 = it does not say. */
static int64_t recorded_us(const struct verify_run *run, const struct verify_job *j, uint64_t n,
                           bool is_last)
{
    if (run->made_of.retries == VERIFY_GENERATE)
        return is_last ? j->recorded_us : -1;
    if (n >= attempts_of(run, j))
        return -1;
    return j->attempts > 0 ? run->attempts_us[j->first_attempt + n] : j->recorded_us;
}

/* Exact for a job that ran at full speed and paid nothing. */
static void check_attempt(const struct verify_run *run, const struct verify_job *j, bool is_last,
                          struct verify_check *c)
{
    const struct verify_sum *sum = &j->sum;
    int64_t due_us = recorded_us(run, j, sum->failures, is_last);
    bool is_exact = sum->is_full_speed && verify_is_steady(run, j) && j->row.overhead_us == 0 &&
                    j->row.lost_ns == 0;
    struct verify_text ran, due;
    c->looked++;
    if (due_us < 0 || (is_exact ? sum->attempt_us == due_us
                                : verify_is_within(sum->attempt_done, (hs_i128)due_us * VERIFY_NANO,
                                                   sum->attempt_us)))
        return;
    verify_fault(c, "attempt %" PRIu64 " of job %s ran %s for %s of work", sum->failures + 1, j->id,
                 verify_seconds(&ran, sum->attempt_us), verify_seconds(&due, due_us));
}

static void end_attempt(const struct verify_run *run, const struct verify_segment *seg,
                        struct verify_check *c)
{
    struct verify_job *j = &run->jobs[seg->job];
    check_attempt(run, j, false, c);
    if (j->sum.failures + 1 >= attempts_of(run, j))
        verify_fault(c, "segments.csv:%" PRId64 ": job %s fails once too often", seg->line, j->id);
    j->sum.failures++;
    j->sum.attempt_done = 0;
    j->sum.attempt_us = 0;
}

static void check_job(const struct verify_run *run, const struct verify_job *j,
                      struct verify_check *c)
{
    uint64_t attempts = j->sum.failures + 1;
    if (j->row.attempts != attempts)
        verify_fault(c,
                     "jobs.csv:%" PRId64 ": job %s: attempts %" PRIu64 ", by segments.csv "
                     "%" PRIu64,
                     j->row.line, j->id, j->row.attempts, attempts);
    if (!j->row.is_done)
        return;
    if (attempts > 1 || run->made_of.retries == VERIFY_GENERATE) /* else its work is all there is */
        check_attempt(run, j, true, c);
    if (run->made_of.retries != VERIFY_GENERATE && attempts < attempts_of(run, j))
        verify_fault(c,
                     "jobs.csv:%" PRId64 ": job %s is done after %" PRIu64 " attempts, by the "
                     "trace it takes %" PRIu64,
                     j->row.line, j->id, attempts, attempts_of(run, j));
}

static enum hs_status check_attempts(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->job == VERIFY_NO_JOB)
            continue;
        struct verify_sum *sum = &run->jobs[seg->job].sum;
        sum->attempt_us += seg->end_us - seg->start_us;
        if (seg->ended_by != VERIFY_OOM && seg->rate_nano > 0)
            sum->attempt_done += (hs_i128)seg->rate_nano * (seg->end_us - seg->start_us);
        if (seg->ended_by == VERIFY_FAILURE)
            end_attempt(run, seg, c);
    }
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].row.line != 0)
            check_job(run, &run->jobs[i], c);
    return HS_OK;
}

const struct verify_rule verify_retry_rules[] = {
    {"jobs fail and are tried again as they should", "attempts", "differences", check_attempts},
    {NULL, NULL, NULL, NULL},
};
