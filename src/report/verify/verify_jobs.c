/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules on jobs.csv, against the trace and the sums of segments.csv. All are exact comparisons
 * in integer microseconds, with one exception: mean_rate is printed with nine decimals, so the work
 * of a segment is known to half of 1e-9 of its length. A job that ran at full speed throughout,
 * alone on its GPUs and without overhead, is still compared exactly.
 *
 * Attempts: a placement ended by `failure` ends an attempt, whose work is that of all placements
 * since the previous failure; the last attempt of a finished job ends by `finish`. With
 * --retries=attempts each is compared with the trace; with generate, which draws by the seed, only
 * the number of failures and the last attempt, which is the recorded run.
 *
 * Pauses are not visible in segments.csv, nor is memory that a slice group or a memory limit moves
 * to the host: under policies that may slice or throttle those columns are compared with bounds.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "report/stats/exact.h"
#include "report/verify/verify.h"

#define NANO_OF_NS  (VERIFY_NANO / 1000) /* 1e-9 us in a nanosecond */
#define RETRIES_MAX 3                    /* of jobs with generated attempts */

static const char by_trace[] = "the trace", by_segments[] = "segments.csv",
                  by_times[] = "its own times";

/* Seconds or ratios, both in millionths; -1 = missing. */
static void compare(struct verify_check *c, const struct verify_job *j, const char *what,
                    int64_t stated_us, int64_t rebuilt_us, const char *source)
{
    if (stated_us != rebuilt_us)
        VERIFY_FAULT_JOB(c, j, ": %s %s, by %s %s", what,
                         stated_us < 0 ? "missing" : HS_SECONDS(stated_us), source,
                         rebuilt_us < 0 ? "missing" : HS_SECONDS(rebuilt_us));
}

static void compare_count(struct verify_check *c, const struct verify_job *j, const char *what,
                          uint64_t stated, uint64_t rebuilt, const char *source)
{
    if (stated != rebuilt)
        VERIFY_FAULT_JOB(c, j, ": %s %" PRIu64 ", by %s %" PRIu64, what, stated, source, rebuilt);
}

/* Seconds with nine decimals. */
#define NANOSECONDS(ns) HS_RATIO((uint64_t)(ns), VERIFY_NANO, 9)

/* Work rebuilt from mean_rate, in 1e-9 us, has an error of at most half of the length. */
static bool is_within(hs_i128 rebuilt, hs_i128 stated, int64_t length_us)
{
    hs_i128 off = rebuilt > stated ? rebuilt - stated : stated - rebuilt;
    return 2 * off <= length_us;
}

/* Tells whether the job's rate changed only with its placement; then it ran at full speed if
 * mean_rate is printed as 1. */
static bool is_steady(const struct verify_run *run, const struct verify_job *j)
{
    return !run->setup.is_slicing && !run->setup.is_throttling && j->sum.colocated_us == 0;
}

/* ---- rows ---- */

static enum hs_status check_rows(struct verify_check *c)
{
    struct verify_run *run = c->run;
    if (run->strange_rows > 0)
        verify_fault(c, "jobs.csv", run->strange_line, NULL,
                     ": not a job of the trace, or a second row of one");
    c->faults += run->strange_rows > 0 ? run->strange_rows - 1 : 0;
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill)) {
        const struct verify_job *j = &run->jobs[i];
        const bool is_due = j->submit_us <= run->setup.until_us;
        c->looked++;
        if (j->row.line == 0 && is_due)
            VERIFY_FAULT(c, "job %s of the trace has no row in jobs.csv", j->id);
        else if (j->row.line != 0 && !is_due)
            VERIFY_FAULT_JOB(c, j, " is submitted after the horizon");
    }
    return HS_OK;
}

static void check_against_trace(struct verify_check *c, const struct verify_job *j)
{
    compare(c, j, "submission_time", j->row.submit_us, j->submit_us, by_trace);
    compare(c, j, "isolated", j->row.work_us, j->work_us, by_trace);
    compare_count(c, j, "requested_number_of_resources", j->row.gpus, j->gpus, by_trace);
    /* a policy that divides no GPU allocates whole ones */
    compare_count(c, j, "thousandths of gpu_share", j->row.gpu_milli,
                  c->run->is_divided ? j->gpu_milli : VERIFY_GPU_MILLI, by_trace);
    if (j->row.job_class != j->job_class)
        VERIFY_FAULT_JOB(c, j, ": class %s, by the trace %s", hs_job_class_text(j->row.job_class),
                         hs_job_class_text(j->job_class));
}

static void check_against_segments(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    compare(c, j, "starting_time", row->start_us, j->sum.first_start_us, by_segments);
    if (row->is_done)
        compare(c, j, "finish_time", row->finish_us, j->sum.finish_us, by_segments);
    else if (j->sum.finish_us >= 0)
        VERIFY_FAULT_JOB(c, j, " is not done, by %s it finished", by_segments);
    compare(c, j, "run", row->run_us, j->sum.run_us, by_segments);
    compare(c, j, "colocated", row->colocated_us, j->sum.colocated_us, by_segments);
    if (row->milli_us != j->sum.milli_us)
        VERIFY_FAULT_JOB(c, j, ": gpu_seconds %s, by segments.csv %s", NANOSECONDS(row->milli_us),
                         NANOSECONDS(j->sum.milli_us));
    compare_count(c, j, "preemptions", row->preemptions, j->sum.preemptions, by_segments);
    compare_count(c, j, "migrations", row->migrations, j->sum.migrations, by_segments);
    compare_count(c, j, "ooms", row->ooms, j->sum.ooms, by_segments);
    compare_count(c, j, "nodes", row->nodes, j->sum.last_nodes, by_segments);
    const bool is_placed = j->sum.segments > 0 && j->sum.last_node != VERIFY_NONE;
    const uint32_t type = is_placed ? c->run->nodes[j->sum.last_node].type : 0;
    if (row->type != type)
        VERIFY_FAULT_JOB(c, j, ": gpu_type %s, by segments.csv %s",
                         hs_intern_text(&c->run->types, row->type),
                         hs_intern_text(&c->run->types, type));
}

static void check_derived(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    compare(c, j, "waiting_time", row->wait_us,
            row->start_us < 0 ? -1 : row->start_us - row->submit_us, by_times);
    compare(c, j, "turnaround_time", row->turnaround_us,
            row->finish_us < 0 ? -1 : row->finish_us - row->submit_us, by_times);
    if (row->finish_us >= 0)
        compare(c, j, "queueing_delay", row->pending_us,
                row->finish_us - row->submit_us - row->run_us, by_times);
}

static void check_slowdowns(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const bool has_ended = row->finish_us >= 0;
    compare(c, j, "slowdown", row->slowdown_ppm,
            verify_ppm(has_ended ? row->finish_us - row->submit_us : -1, row->work_us), by_times);
    compare(c, j, "run_slowdown", row->run_slowdown_ppm,
            verify_ppm(has_ended ? row->run_us : -1, row->work_us), by_times);
}

/* Without a horizon every job must end, unless it may wait for a node that never comes back. */
static void check_end(struct verify_check *c, const struct verify_job *j)
{
    if (j->row.is_rejected && j->sum.segments > 0)
        VERIFY_FAULT_JOB(c, j, " is rejected and yet ran");
    else if (!j->row.is_rejected && j->row.finish_us < 0 && c->run->setup.until_us == HS_TIME_MAX &&
             !verify_has_outage_at_end(c->run))
        VERIFY_FAULT_JOB(c, j, " never ends, though the run has no horizon");
}

/* A placement ended by oom or profile loses its work, by fault that since the last checkpoint, by
 * whole intervals of work from its start on; a job that was given up loses all. */
static void check_loss(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const bool is_given_up = !row->is_done && !row->is_rejected && row->finish_us >= 0;
    const hs_i128 lost = (hs_i128)row->lost_ns * NANO_OF_NS;
    const hs_i128 interval = (hs_i128)j->sum.interval_us * VERIFY_NANO;
    hs_i128 due = is_given_up ? j->sum.done : j->sum.lost_done + j->sum.fault_lost;
    for (int64_t i = 0; i < j->sum.full && lost - due > interval / 2; i++)
        due += interval;
    for (int64_t i = 0; i < j->sum.empty && due - lost > interval / 2; i++)
        due -= interval;
    if (c->run->setup.loses_at_events && due < lost)
        return; /* check_work counts it as work done */
    if (!is_within(due, lost, is_given_up ? j->sum.run_us : j->sum.lost_us))
        VERIFY_FAULT_JOB(c, j, ": lost %s, by segments.csv %s", NANOSECONDS(row->lost_ns),
                         NANOSECONDS(due / NANO_OF_NS));
}

/* Lost work is part of the work done. */
static enum hs_status check_work(struct verify_check *c)
{
    struct verify_run *run = c->run;
    uint64_t exact = 0, within = 0;
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill)) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        if (!row->is_done)
            continue;
        hs_i128 due = (hs_i128)j->work_us * VERIFY_NANO + (hs_i128)row->lost_ns * NANO_OF_NS;
        if (j->has_ran && j->sum.done < due) /* its work is this, rounded up to a microsecond */
            due = due - j->sum.done > VERIFY_NANO ? due - VERIFY_NANO : j->sum.done;
        const bool is_exact = j->sum.run_us - row->overhead_us == j->work_us && row->lost_ns == 0;
        const bool is_due_exact =
            row->overhead_us == 0 && row->lost_ns == 0 && j->sum.is_full_speed && is_steady(run, j);
        c->looked++;
        if (is_within(j->sum.done, due, j->sum.run_us) && (is_exact || !is_due_exact)) {
            exact += is_exact;
            within += !is_exact;
        } else {
            VERIFY_FAULT(c, "job %s ran %s, %s of it overhead, for %s of work", j->id,
                         HS_SECONDS(j->sum.run_us), HS_SECONDS(row->overhead_us),
                         HS_SECONDS(j->work_us));
        }
    }
    (void)snprintf(c->note, sizeof c->note,
                   " (%" PRIu64 " exactly, %" PRIu64 " within the printed digits of mean_rate)",
                   exact, within);
    return HS_OK;
}

/* ---- attempts ---- */

/* Returns the most attempts of a job; a completed one has as many, unless they are generated. */
static uint64_t attempts_of(const struct verify_run *run, const struct verify_job *j)
{
    if (run->setup.retries == VERIFY_GENERATE)
        return 1 + RETRIES_MAX;
    return j->attempts > 0 ? j->attempts : 1;
}

/* Checks the attempt that ends now. Its run time is exact at full speed without overhead. */
static void check_attempt(const struct verify_run *run, const struct verify_job *j, bool is_last,
                          struct verify_check *c)
{
    const struct verify_sum *sum = &j->sum;
    const uint64_t n = sum->failures; /* starts at 0 */
    const bool is_exact =
        sum->is_full_speed && is_steady(run, j) && j->row.overhead_us == 0 && j->row.lost_ns == 0;
    int64_t due_us = j->recorded_us; /* -1: not in the trace */
    if (run->setup.retries == VERIFY_GENERATE && !j->has_ran)
        due_us = is_last ? due_us : -1;
    else if (j->has_ran || n >= attempts_of(run, j))
        due_us = -1;
    else if (j->attempts > 0)
        due_us = run->attempts_us[j->first_attempt + n];
    c->looked++;
    if (due_us < 0 ||
        (is_exact ? sum->attempt_us == due_us
                  : is_within(sum->attempt_done, (hs_i128)due_us * VERIFY_NANO, sum->attempt_us)))
        return;
    VERIFY_FAULT(c, "attempt %" PRIu64 " of job %s ran %s for %s of work", n + 1, j->id,
                 HS_SECONDS(sum->attempt_us), HS_SECONDS(due_us));
}

static void add_attempt(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_run *run = c->run;
    const struct verify_job *j = &run->jobs[seg->job];
    struct verify_sum *sum = &run->jobs[seg->job].sum;
    sum->attempt_us += seg->end_us - seg->start_us;
    if (!verify_is_lost(run, seg) && seg->rate_nano > 0)
        sum->attempt_done += (hs_i128)seg->rate_nano * (seg->end_us - seg->start_us);
    if (seg->ended_by != HS_SEGMENT_FAILURE)
        return;
    check_attempt(run, j, false, c);
    if (++sum->failures >= attempts_of(run, j))
        VERIFY_FAULT_SEGMENT(c, seg, " fails once too often");
    sum->attempt_done = 0;
    sum->attempt_us = 0;
}

static void check_attempts(struct verify_check *c, const struct verify_job *j)
{
    struct verify_run *run = c->run;
    const uint64_t attempts = j->sum.failures + 1;
    const bool is_generated = run->setup.retries == VERIFY_GENERATE;
    compare_count(c, j, "attempts", j->row.attempts, attempts, by_segments);
    if (!j->row.is_done)
        return;
    if (attempts > 1 || is_generated) /* else the job's whole work is checked */
        check_attempt(run, j, true, c);
    if (!is_generated && attempts < attempts_of(run, j))
        VERIFY_FAULT_JOB(c, j,
                         " is done after %" PRIu64 " attempts, by the trace it takes %" PRIu64,
                         attempts, attempts_of(run, j));
}

/* ---- switches, progress, memory on the host ---- */

static const char no_pauses[] = " (pauses leave no segment)";
static const char at_least[] =
    " (at least what suspended jobs keep: lanes and limits are not in the files)";

static void check_switches(struct verify_check *c, const struct verify_job *j)
{
    const bool may_pause = c->run->setup.is_slicing;
    if (j->row.switches < j->sum.suspensions ||
        (j->row.switches > j->sum.suspensions && !may_pause))
        VERIFY_FAULT_JOB(c, j, ": switches %" PRIu64 ", by segments.csv %s%" PRIu64,
                         j->row.switches, may_pause ? "at least " : "", j->sum.suspensions);
}

/* No work is done before the first progress. */
static void check_before(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_job *j = &c->run->jobs[seg->job];
    const int64_t progress_us = j->row.progress_us;
    if (seg->start_us <= progress_us && progress_us <= seg->end_us)
        j->sum.is_progress_placed = true;
    if (j->sum.first_long_us < 0 && seg->start_us < seg->end_us)
        j->sum.first_long_us = seg->start_us;
    if (seg->rate_nano > 0 && (progress_us < 0 || seg->end_us <= progress_us))
        VERIFY_FAULT_SEGMENT(c, seg, " has done work by %s, before its first progress",
                             HS_SECONDS(seg->end_us));
}

/* Without overhead, slicing and interleaving it begins by the first placement of any length. */
static void check_progress(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const struct verify_setup *setup = &c->run->setup;
    const bool is_prompt =
        !setup->is_slicing && !setup->is_interleaving && row->overhead_us == 0 && j->work_us > 0;
    if (row->progress_us < 0) {
        if (row->is_done && j->work_us > 0)
            VERIFY_FAULT_JOB(c, j, " is done without any progress");
    } else if (!j->sum.is_progress_placed) {
        VERIFY_FAULT_JOB(c, j, ": first_progress %s, without a GPU", HS_SECONDS(row->progress_us));
    } else if (is_prompt && j->sum.first_long_us >= 0 && row->progress_us > j->sum.first_long_us) {
        VERIFY_FAULT_JOB(c, j, ": first_progress %s, by segments.csv %s",
                         HS_SECONDS(row->progress_us), HS_SECONDS(j->sum.first_long_us));
    }
}

/* Time suspended with the process on the host x GPUs it had. Segments of a job do not overlap, or
 * another check reports it. */
static int64_t on_host_us(const struct verify_sum *sum, int64_t until_us)
{
    return sum->suspended_from_us >= 0 ? (until_us - sum->suspended_from_us) * sum->suspended_gpus
                                       : 0;
}

static void add_host(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_sum *sum = &c->run->jobs[seg->job].sum;
    sum->on_host_us += on_host_us(sum, seg->start_us);
    sum->suspended_from_us = seg->ended_by == HS_SEGMENT_SUSPEND ? seg->end_us : -1;
    sum->suspended_gpus = seg->gpus;
}

/* A suspended job always keeps the same memory: its persistent GPU memory on all its GPUs, from the
 * trace or, if that has none (0), known only to the run. */
static void check_host(struct verify_check *c, const struct verify_job *j)
{
    const bool may_be_more = c->run->setup.is_slicing || c->run->setup.is_throttling;
    const int64_t until_us = c->run->setup.until_us;
    const int64_t host_us =
        j->sum.on_host_us + (until_us != HS_TIME_MAX ? on_host_us(&j->sum, until_us) : 0);
    const hs_i128 stated = j->row.host_mib_us, kept = (hs_i128)host_us * j->persistent_mib;
    bool is_right;
    if (j->persistent_mib > 0)
        is_right = may_be_more ? stated >= kept : stated == kept;
    else
        is_right = may_be_more || (host_us == 0 ? stated == 0 : stated % host_us == 0);
    if (!is_right)
        VERIFY_FAULT_JOB(c, j, ": host_mib_seconds %s, suspended for %s GPU s",
                         HS_SECONDS(j->row.host_mib_us), HS_SECONDS(host_us));
}

const struct verify_rule verify_job_rules[] = {
    {"jobs.csv has one row a job of the trace", "jobs", "missing or too many", .run = check_rows},
    {"jobs.csv says what the trace says", "jobs", "differences", .job = check_against_trace},
    {"jobs.csv says what segments.csv says", "jobs", "differences", .job = check_against_segments},
    {"waits and turnarounds follow from the times", "jobs", "differences", .job = check_derived},
    {"slowdowns follow from the times", "jobs", "differences", .job = check_slowdowns},
    {"every job comes to its end", "jobs", "not ended", .job = check_end},
    {"work is lost where a GPU ran out of memory or a node failed", "jobs", "differences",
     .job = check_loss},
    {"every finished job has done its work", "jobs", "differences", .run = check_work},
    {"jobs fail and are tried again as they should", "attempts", "differences",
     .segment = add_attempt, .job = check_attempts},
    {"every suspension is a switch", "jobs", "differences", .job = check_switches,
     .slicing_note = no_pauses},
    {"jobs make progress from where they say", "jobs", "differences", .segment = check_before,
     .job = check_progress},
    {"memory lies on the host while jobs are suspended", "jobs", "differences", .segment = add_host,
     .job = check_host, .slicing_note = at_least, .throttling_note = at_least},
    {.title = NULL},
};
