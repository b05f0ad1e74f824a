/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What jobs.csv says of jobs that take turns: how often they were switched off, when they first
 * made progress, and how much of their memory lay on the host. One walk over the segments, sorted
 * by time. A pause leaves no trace in segments.csv, and what a lane or a limit puts on the host
 * none either: of policies that may slice or throttle the rows are held to bounds.
 */
#include "report/verify_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fixed.h"

static enum hs_status check_switches(struct verify_run *run, struct verify_check *c)
{
    bool may_pause = run->made_of.is_slicing;
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        if (j->row.line == 0)
            continue;
        c->looked++;
        if (j->row.switches < j->sum.suspensions ||
            (j->row.switches > j->sum.suspensions && !may_pause))
            verify_fault(c,
                         "jobs.csv:%" PRId64 ": job %s: switches %" PRIu64 ", by segments.csv %s"
                         "%" PRIu64,
                         j->row.line, j->id, j->row.switches, may_pause ? "at least " : "",
                         j->sum.suspensions);
    }
    if (may_pause)
        (void)snprintf(c->note, sizeof c->note, " (pauses leave no segment)");
    return HS_OK;
}

/* Of a segment: nothing is done before the first progress. */
static void check_before(const struct verify_segment *seg, struct verify_job *j,
                         struct verify_check *c)
{
    int64_t progress_us = j->row.progress_us;
    struct verify_text end;
    if (seg->start_us <= progress_us && progress_us <= seg->end_us)
        j->sum.is_progress_placed = true;
    if (j->sum.first_long_us < 0 && seg->start_us < seg->end_us)
        j->sum.first_long_us = seg->start_us;
    if (seg->rate_nano > 0 && (progress_us < 0 || seg->end_us <= progress_us))
        verify_fault(c,
                     "segments.csv:%" PRId64 ": job %s has done work by %s, before its first "
                     "progress",
                     seg->line, j->id, verify_seconds(&end, seg->end_us));
}

/* With nothing to pay and no turn to wait for it begins by the first placement of any length. */
static void check_begin(const struct verify_run *run, const struct verify_job *j,
                        struct verify_check *c)
{
    const struct verify_row *row = &j->row;
    bool is_prompt = !run->made_of.is_slicing && row->overhead_us == 0 && j->work_us > 0;
    struct verify_text stated, due;
    if (row->progress_us < 0) {
        if (row->is_done && j->work_us > 0)
            verify_fault(c, "jobs.csv:%" PRId64 ": job %s is done without any progress", row->line,
                         j->id);
    } else if (!j->sum.is_progress_placed) {
        verify_fault(c, "jobs.csv:%" PRId64 ": job %s: first_progress %s, without a GPU", row->line,
                     j->id, verify_seconds(&stated, row->progress_us));
    } else if (is_prompt && j->sum.first_long_us >= 0 && row->progress_us > j->sum.first_long_us) {
        verify_fault(c, "jobs.csv:%" PRId64 ": job %s: first_progress %s, by segments.csv %s",
                     row->line, j->id, verify_seconds(&stated, row->progress_us),
                     verify_seconds(&due, j->sum.first_long_us));
    }
}

static enum hs_status check_progress(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++)
        if (run->segments[i].job != VERIFY_NO_JOB)
            check_before(&run->segments[i], &run->jobs[run->segments[i].job], c);
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (run->jobs[i].row.line == 0)
            continue;
        c->looked++;
        check_begin(run, &run->jobs[i], c);
    }
    return HS_OK;
}

/* Time that the job was suspended with its process on the host, times the GPUs that it had;
 * segments of a job do not overlap, or another check has said so. */
static void add_up_host(struct verify_run *run)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->job == VERIFY_NO_JOB)
            continue;
        struct verify_sum *sum = &run->jobs[seg->job].sum;
        if (sum->suspended_from_us >= 0)
            sum->on_host_us += (seg->start_us - sum->suspended_from_us) * sum->suspended_gpus;
        sum->suspended_from_us = seg->ended_by == VERIFY_SUSPEND ? seg->end_us : -1;
        sum->suspended_gpus = seg->gpus;
    }
    for (uint32_t i = 0; i < run->job_count && run->made_of.until_us != HS_TIME_MAX; i++) {
        struct verify_sum *sum = &run->jobs[i].sum;
        if (sum->suspended_from_us >= 0)
            sum->on_host_us +=
                (run->made_of.until_us - sum->suspended_from_us) * sum->suspended_gpus;
    }
}

/* A suspended job keeps the same memory each time: its persistent GPU memory, of all the GPUs that
 * it had, as the trace has it or (0) as only the run knows it. */
static bool is_host_right(const struct verify_run *run, const struct verify_job *j)
{
    bool may_be_more = run->made_of.is_slicing || run->made_of.is_throttling;
    hs_i128 stated = j->row.host_mib_us, time_us = j->sum.on_host_us;
    hs_i128 kept = time_us * j->persistent_mib;
    if (j->persistent_mib > 0)
        return may_be_more ? stated >= kept : stated == kept;
    if (may_be_more)
        return true;
    return time_us == 0 ? stated == 0 : stated % time_us == 0;
}

static enum hs_status check_host(struct verify_run *run, struct verify_check *c)
{
    add_up_host(run);
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        struct verify_text stated, time;
        if (j->row.line == 0)
            continue;
        c->looked++;
        if (!is_host_right(run, j))
            verify_fault(
                c, "jobs.csv:%" PRId64 ": job %s: host_mib_seconds %s, suspended for %s GPU s",
                j->row.line, j->id, verify_seconds(&stated, j->row.host_mib_us),
                verify_seconds(&time, j->sum.on_host_us));
    }
    if (run->made_of.is_slicing || run->made_of.is_throttling)
        (void)snprintf(
            c->note, sizeof c->note,
            " (at least what suspended jobs keep: lanes and limits are not in the files)");
    return HS_OK;
}

const struct verify_rule verify_turn_rules[] = {
    {"every suspension is a switch", "jobs", "differences", check_switches},
    {"jobs make progress from where they say", "jobs", "differences", check_progress},
    {"memory lies on the host while jobs are suspended", "jobs", "differences", check_host},
    {NULL, NULL, NULL, NULL},
};
