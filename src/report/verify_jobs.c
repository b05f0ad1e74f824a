/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jobs.csv against the trace on one side and the sums of segments.csv on the other. All in integer
 * microseconds with ==, but for one thing: mean_rate is printed with nine decimals, so the work of
 * a segment is known to half of 1e-9 of its length. A job that ran at full speed throughout, beside
 * nobody, and paid no cost is held to its work exactly all the same.
 */
#include "report/verify_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fixed.h"

static bool should_have_row(const struct verify_run *run, const struct verify_job *j)
{
    return j->submit_us <= run->made_of.until_us;
}

static enum hs_status check_rows(struct verify_run *run, struct verify_check *c)
{
    if (run->strange_rows > 0)
        verify_fault(c, "jobs.csv:%" PRId64 ": not a job of the trace, or a second row of one",
                     run->strange_line);
    c->faults += run->strange_rows > 0 ? run->strange_rows - 1 : 0;
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        c->looked++;
        if (j->row.line == 0 && should_have_row(run, j))
            verify_fault(c, "job %s of the trace has no row in jobs.csv", j->id);
        else if (j->row.line != 0 && !should_have_row(run, j))
            verify_fault(c, "jobs.csv:%" PRId64 ": job %s is submitted after the horizon",
                         j->row.line, j->id);
    }
    return HS_OK;
}

/* Seconds or ratios, both in millionths; -1 = missing. */
static void compare(struct verify_check *c, const struct verify_job *j, const char *what,
                    int64_t stated_us, int64_t rebuilt_us, const char *source)
{
    struct verify_text stated, rebuilt;
    if (stated_us != rebuilt_us)
        verify_fault(c, "jobs.csv:%" PRId64 ": job %s: %s %s, by %s %s", j->row.line, j->id, what,
                     stated_us < 0 ? "missing" : verify_seconds(&stated, stated_us), source,
                     rebuilt_us < 0 ? "missing" : verify_seconds(&rebuilt, rebuilt_us));
}

/* Seconds with nine decimals. */
static const char *nanoseconds(char text[HS_FMT_MAX + 1], uint64_t ns)
{
    text[hs_fmt_ratio(text, ns, VERIFY_NANO, 9)] = '\0';
    return text;
}

static void compare_gpu_time(struct verify_check *c, const struct verify_job *j)
{
    char stated[HS_FMT_MAX + 1], rebuilt[HS_FMT_MAX + 1];
    if (j->row.milli_us != j->sum.milli_us)
        verify_fault(c, "jobs.csv:%" PRId64 ": job %s: gpu_seconds %s, by segments.csv %s",
                     j->row.line, j->id, nanoseconds(stated, (uint64_t)j->row.milli_us),
                     nanoseconds(rebuilt, (uint64_t)j->sum.milli_us));
}

static void compare_count(struct verify_check *c, const struct verify_job *j, const char *what,
                          uint64_t stated, uint64_t rebuilt, const char *source)
{
    if (stated != rebuilt)
        verify_fault(c, "jobs.csv:%" PRId64 ": job %s: %s %" PRIu64 ", by %s %" PRIu64, j->row.line,
                     j->id, what, stated, source, rebuilt);
}

static enum hs_status check_against_trace(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        if (j->row.line == 0)
            continue;
        c->looked++;
        compare(c, j, "submission_time", j->row.submit_us, j->submit_us, "the trace");
        compare(c, j, "isolated", j->row.work_us, j->work_us, "the trace");
        compare_count(c, j, "requested_number_of_resources", j->row.gpus, j->gpus, "the trace");
        /* under a policy that divides no GPU all have whole ones */
        compare_count(c, j, "thousandths of gpu_share", j->row.gpu_milli,
                      run->is_divided ? j->gpu_milli : VERIFY_GPU_MILLI, "the trace");
        if (j->row.job_class != j->job_class)
            verify_fault(c, "jobs.csv:%" PRId64 ": job %s: class %s, by the trace %s", j->row.line,
                         j->id, hs_job_class_text(j->row.job_class),
                         hs_job_class_text(j->job_class));
    }
    return HS_OK;
}

static enum hs_status check_against_segments(struct verify_run *run, struct verify_check *c)
{
    static const char segments[] = "segments.csv";
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        if (row->line == 0)
            continue;
        c->looked++;
        compare(c, j, "starting_time", row->start_us, j->sum.first_start_us, segments);
        if (row->is_done)
            compare(c, j, "finish_time", row->finish_us, j->sum.finish_us, segments);
        else if (j->sum.finish_us >= 0)
            verify_fault(c, "jobs.csv:%" PRId64 ": job %s is not done, by %s it finished",
                         row->line, j->id, segments);
        compare(c, j, "run", row->run_us, j->sum.run_us, segments);
        compare(c, j, "colocated", row->colocated_us, j->sum.colocated_us, segments);
        compare_gpu_time(c, j);
        compare_count(c, j, "preemptions", row->preemptions, j->sum.preemptions, segments);
        compare_count(c, j, "migrations", row->migrations, j->sum.migrations, segments);
        compare_count(c, j, "ooms", row->ooms, j->sum.ooms, segments);
        compare_count(c, j, "nodes", row->nodes, j->sum.last_nodes, segments);
    }
    return HS_OK;
}

static enum hs_status check_derived(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        if (row->line == 0)
            continue;
        c->looked++;
        compare(c, j, "waiting_time", row->wait_us,
                row->start_us < 0 ? -1 : row->start_us - row->submit_us, "its own times");
        compare(c, j, "turnaround_time", row->turnaround_us,
                row->finish_us < 0 ? -1 : row->finish_us - row->submit_us, "its own times");
        if (row->finish_us >= 0)
            compare(c, j, "pending", row->pending_us, row->finish_us - row->submit_us - row->run_us,
                    "its own times");
    }
    return HS_OK;
}

static enum hs_status check_slowdowns(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        bool has_ended = row->finish_us >= 0;
        if (row->line == 0)
            continue;
        c->looked++;
        compare(c, j, "slowdown", row->slowdown_ppm,
                verify_ppm(has_ended ? row->finish_us - row->submit_us : -1, row->work_us),
                "its own times");
        compare(c, j, "run_slowdown", row->run_slowdown_ppm,
                verify_ppm(has_ended ? row->run_us : -1, row->work_us), "its own times");
    }
    return HS_OK;
}

/* Without a horizon every job must come to an end. */
static enum hs_status check_ends(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        if (row->line == 0)
            continue;
        c->looked++;
        if (row->is_rejected && j->sum.segments > 0)
            verify_fault(c, "jobs.csv:%" PRId64 ": job %s is rejected and yet ran", row->line,
                         j->id);
        else if (!row->is_rejected && row->finish_us < 0 && run->made_of.until_us == HS_TIME_MAX)
            verify_fault(c,
                         "jobs.csv:%" PRId64 ": job %s never ends, though the run has no "
                         "horizon",
                         row->line, j->id);
    }
    return HS_OK;
}

#define NANO_OF_NS (VERIFY_NANO / 1000) /* 1e-9 us in a nanosecond */

bool verify_is_within(hs_i128 rebuilt, hs_i128 stated, int64_t length_us)
{
    hs_i128 off = rebuilt > stated ? rebuilt - stated : stated - rebuilt;
    return 2 * off <= length_us;
}

/* A placement that ran out of memory loses what was done in it; a job that was given up, all. */
static enum hs_status check_losses(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        bool is_given_up = !row->is_done && !row->is_rejected && row->finish_us >= 0;
        hs_i128 due = is_given_up ? j->sum.done : j->sum.oom_done;
        int64_t length_us = is_given_up ? j->sum.run_us : j->sum.oom_us;
        char stated[HS_FMT_MAX + 1], rebuilt[HS_FMT_MAX + 1];
        if (row->line == 0)
            continue;
        c->looked++;
        if (verify_is_within(due, (hs_i128)row->lost_ns * NANO_OF_NS, length_us))
            continue;
        verify_fault(c, "jobs.csv:%" PRId64 ": job %s: lost %s, by segments.csv %s", row->line,
                     j->id, nanoseconds(stated, (uint64_t)row->lost_ns),
                     nanoseconds(rebuilt, (uint64_t)(due / NANO_OF_NS)));
    }
    return HS_OK;
}

bool verify_is_steady(const struct verify_run *run, const struct verify_job *j)
{
    return !run->made_of.is_slicing && !run->made_of.is_throttling && j->sum.colocated_us == 0;
}

/* Work that was lost is part of what was done. */
static bool is_work_done(const struct verify_run *run, const struct verify_job *j, bool *is_exact)
{
    const struct verify_row *row = &j->row;
    hs_i128 due = (hs_i128)j->work_us * VERIFY_NANO + (hs_i128)row->lost_ns * NANO_OF_NS;
    bool is_free = row->overhead_us == 0 && row->lost_ns == 0;
    *is_exact = j->sum.run_us - row->overhead_us == j->work_us && row->lost_ns == 0;
    return verify_is_within(j->sum.done, due, j->sum.run_us) &&
           (*is_exact || !is_free || !j->sum.is_full_speed || !verify_is_steady(run, j));
}

static enum hs_status check_work(struct verify_run *run, struct verify_check *c)
{
    uint64_t exact = 0, within = 0;
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        struct verify_text ran, cost, work;
        bool is_exact;
        if (!j->row.is_done)
            continue;
        c->looked++;
        if (is_work_done(run, j, &is_exact)) {
            exact += is_exact;
            within += !is_exact;
            continue;
        }
        verify_fault(c, "job %s ran %s, %s of it overhead, for %s of work", j->id,
                     verify_seconds(&ran, j->sum.run_us), verify_seconds(&cost, j->row.overhead_us),
                     verify_seconds(&work, j->work_us));
    }
    (void)snprintf(c->note, sizeof c->note,
                   " (%" PRIu64 " exactly, %" PRIu64 " within the printed digits of mean_rate)",
                   exact, within);
    return HS_OK;
}

const struct verify_rule verify_job_rules[] = {
    {"jobs.csv has one row a job of the trace", "jobs", "missing or too many", check_rows},
    {"jobs.csv says what the trace says", "jobs", "differences", check_against_trace},
    {"jobs.csv says what segments.csv says", "jobs", "differences", check_against_segments},
    {"waits and turnarounds follow from the times", "jobs", "differences", check_derived},
    {"slowdowns follow from the times", "jobs", "differences", check_slowdowns},
    {"every job comes to its end", "jobs", "do not", check_ends},
    {"work is lost where a GPU ran out of memory", "jobs", "differences", check_losses},
    {"every finished job has done its work", "jobs", "differences", check_work},
    {NULL, NULL, NULL, NULL},
};
