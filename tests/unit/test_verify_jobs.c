/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules of `horus verify` on jobs, in schedules by hand with one change at a time.
 *
 * Attempts: job 0 fails after 10 s and then runs 20 s, job 1 runs 15 s between.
 *
 * Switches, first progress and memory on the host:
 *
 *     A  1 GPU   overhead of 1 s in [0, 1), works [1, 10), suspended to 30, [30, 35), suspended to
 *                50, [50, 60)
 *     B  2 GPUs  [10, 30)
 *
 * A's process is on the host in [10, 30) and [35, 50), 35 s, with 200 MiB: 7,000 MiB s. B is never
 * off its GPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "report/verify/verify.h"

#define S INT64_C(1000000)

enum { A, B, JOBS };

static const char attempts[] = "jobs fail and are tried again as they should",
                  switching[] = "every suspension is a switch",
                  progressing[] = "jobs make progress from where they say",
                  hosting[] = "memory lies on the host while jobs are suspended",
                  working[] = "every finished job has done its work";

static struct verify_job jobs[JOBS];
static struct hs_placed segments[5];
static int64_t attempts_us[] = {10 * S, 20 * S};
static struct verify_run run;
static struct verify_check check;

static void add(uint32_t job, int64_t start_s, int64_t end_s, int64_t rate_nano,
                enum hs_segment_end ended_by)
{
    segments[run.schedule.segment_count] =
        (struct hs_placed){.line = run.schedule.segment_count + 2,
                           .job = job,
                           .start_us = start_s * S,
                           .end_us = end_s * S,
                           .rate_nano = rate_nano,
                           .gpus = 1,
                           .ended_by = ended_by};
    run.schedule.segment_count++;
    jobs[job].sum.suspensions += ended_by == HS_SEGMENT_SUSPEND;
}

/* Applies the rule of that title. */
static void expect(const char *title, uint64_t faults, const char *line)
{
    const struct verify_rule *rule = verify_job_rules;
    while (strcmp(rule->title, title) != 0)
        rule++;
    memset(&check, 0, sizeof check);
    assert_int_equal(verify_apply(&run, rule, 1, &check), HS_OK);
    assert_int_equal(check.faults, faults);
    if (faults > 0 && line != NULL)
        assert_string_equal(check.lines[0], line);
}

/* ---- attempts ---- */

static void fails_once(enum verify_retries retries)
{
    static const struct verify_sum none = {.finish_us = -1, .is_full_speed = true};
    run = (struct verify_run){.jobs = jobs,
                              .schedule = {.segments = segments},
                              .attempts_us = attempts_us,
                              .job_count = JOBS,
                              .setup = {.retries = (int32_t)retries}};
    jobs[0] = (struct verify_job){.id = "J0",
                                  .recorded_us = 30 * S,
                                  .attempts = 2,
                                  .row = {.line = 3, .is_done = true, .attempts = 2},
                                  .sum = none};
    jobs[1] = (struct verify_job){.id = "J1",
                                  .recorded_us = 15 * S,
                                  .row = {.line = 2, .is_done = true, .attempts = 1},
                                  .sum = none};
    if (retries == VERIFY_GENERATE) { /* the trace has only the last attempt */
        jobs[0].recorded_us = 20 * S;
        jobs[0].attempts = 0;
    }
    add(0, 0, 10, VERIFY_NANO, HS_SEGMENT_FAILURE);
    add(1, 10, 25, VERIFY_NANO, HS_SEGMENT_FINISH);
    add(0, 25, 45, VERIFY_NANO, HS_SEGMENT_FINISH);
}

static void sound_runs(void **state)
{
    (void)state;
    fails_once(VERIFY_ATTEMPTS);
    expect(attempts, 0, NULL);
    assert_int_equal(check.looked, 2); /* both attempts of job 0 */
    assert_int_equal(jobs[0].sum.failures, 1);
    fails_once(VERIFY_GENERATE);
    expect(attempts, 0, NULL);
    assert_int_equal(check.looked, 3);
}

/* 10 s of the first attempt in two placements, 3 s of a third lost as its GPU ran out of memory. */
static void attempts_of_several_placements(void **state)
{
    (void)state;
    fails_once(VERIFY_ATTEMPTS);
    run.schedule.segment_count = 0;
    add(0, 0, 4, VERIFY_NANO, HS_SEGMENT_PREEMPT);
    add(0, 5, 8, VERIFY_NANO, HS_SEGMENT_OOM);
    add(0, 9, 15, VERIFY_NANO, HS_SEGMENT_FAILURE);
    add(0, 20, 40, VERIFY_NANO, HS_SEGMENT_FINISH);
    add(1, 40, 55, VERIFY_NANO, HS_SEGMENT_FINISH);
    jobs[0].row.lost_ns = 3000 * S;
    expect(attempts, 0, NULL);
    fails_once(VERIFY_ATTEMPTS);
    run.schedule.segment_count = 0;
    add(0, 0, 4, VERIFY_NANO, HS_SEGMENT_PREEMPT);
    add(0, 5, 8, VERIFY_NANO, HS_SEGMENT_PREEMPT); /* not lost: 13 s of work in it */
    add(0, 9, 15, VERIFY_NANO, HS_SEGMENT_FAILURE);
    add(0, 20, 40, VERIFY_NANO, HS_SEGMENT_FINISH);
    add(1, 40, 55, VERIFY_NANO, HS_SEGMENT_FINISH);
    expect(attempts, 1, "attempt 1 of job J0 ran 13 for 10 of work");
}

/* Exact at full speed; at other rates within the printed digits: 10 s of work in 20 s. */
static void an_attempt_has_its_work(void **state)
{
    (void)state;
    fails_once(VERIFY_ATTEMPTS);
    segments[0].end_us = 10 * S - 1;
    expect(attempts, 1, "attempt 1 of job J0 ran 9.999999 for 10 of work");
    fails_once(VERIFY_ATTEMPTS);
    segments[2].end_us = 46 * S;
    expect(attempts, 1, "attempt 2 of job J0 ran 21 for 20 of work");
    fails_once(VERIFY_ATTEMPTS);
    segments[2].end_us = 65 * S; /* 20 s of work in 40 s */
    segments[2].rate_nano = VERIFY_NANO / 2;
    jobs[0].sum.is_full_speed = false;
    expect(attempts, 0, NULL);
    fails_once(VERIFY_ATTEMPTS);
    segments[2].end_us = 65 * S;
    segments[2].rate_nano = VERIFY_NANO / 2 + 1;
    jobs[0].sum.is_full_speed = false;
    expect(attempts, 1, "attempt 2 of job J0 ran 40 for 20 of work");
    /* The last attempt is the run of the trace, earlier ones are unknown. */
    fails_once(VERIFY_GENERATE);
    segments[0].end_us = 9 * S;
    segments[2].end_us = 44 * S;
    expect(attempts, 1, "attempt 2 of job J0 ran 19 for 20 of work");
}

static void failures_are_counted(void **state)
{
    (void)state;
    fails_once(VERIFY_ATTEMPTS);
    segments[0].ended_by = HS_SEGMENT_PREEMPT;
    expect(attempts, 2, "jobs.csv:3: job J0: attempts 2, by segments.csv 1");
    assert_string_equal(check.lines[1],
                        "jobs.csv:3: job J0 is done after 1 attempts, by the trace it takes 2");
    fails_once(VERIFY_ATTEMPTS);
    segments[1].ended_by = HS_SEGMENT_FAILURE;
    expect(attempts, 2, "segments.csv:3: job J1 fails once too often");
    assert_string_equal(check.lines[1], "jobs.csv:2: job J1: attempts 1, by segments.csv 2");
    fails_once(VERIFY_ATTEMPTS);
    jobs[0].row.attempts = 3;
    expect(attempts, 1, "jobs.csv:3: job J0: attempts 3, by segments.csv 2");
    fails_once(VERIFY_MERGE); /* no job fails */
    jobs[0].attempts = 0;
    expect(attempts, 2, "attempt 1 of job J0 ran 10 for 30 of work");
    assert_string_equal(check.lines[1], "segments.csv:2: job J0 fails once too often");
}

/* At most three failed attempts are generated. */
static void generated_failures_are_limited(void **state)
{
    (void)state;
    fails_once(VERIFY_GENERATE);
    run.schedule.segment_count = 0;
    for (int i = 0; i < 4; i++)
        add(0, 10 * i, 10 * i + 5, VERIFY_NANO, HS_SEGMENT_FAILURE);
    jobs[0].row.is_done = false; /* cut by the horizon */
    jobs[0].row.attempts = 5;
    jobs[1].row.is_done = false;
    expect(attempts, 1, "segments.csv:5: job J0 fails once too often");
}

/* Jobs cut by a horizon need not be complete. */
static void cut_jobs(void **state)
{
    (void)state;
    fails_once(VERIFY_ATTEMPTS);
    segments[2].end_us = 30 * S;
    segments[2].ended_by = HS_SEGMENT_HORIZON;
    jobs[0].row.is_done = false;
    expect(attempts, 0, NULL);
    fails_once(VERIFY_ATTEMPTS);
    run.schedule.segment_count = 2;
    jobs[0].row.is_done = false;
    expect(attempts, 0, NULL);
}

/* ---- switches, progress, memory on the host ---- */

static void sound(void)
{
    static const struct verify_sum none = {
        .finish_us = -1, .suspended_from_us = -1, .first_long_us = -1};
    run = (struct verify_run){.jobs = jobs,
                              .schedule = {.segments = segments},
                              .job_count = JOBS,
                              .setup = {.until_us = HS_TIME_MAX}};
    jobs[A] = (struct verify_job){.id = "A",
                                  .work_us = 24 * S,
                                  .gpus = 1,
                                  .persistent_mib = 200,
                                  .sum = none,
                                  .row = {.line = 3,
                                          .is_done = true,
                                          .overhead_us = S,
                                          .progress_us = S,
                                          .switches = 2,
                                          .host_mib_us = 7000 * S}};
    jobs[B] = (struct verify_job){.id = "B",
                                  .work_us = 20 * S,
                                  .gpus = 2,
                                  .sum = none,
                                  .row = {.line = 2, .is_done = true, .progress_us = 10 * S}};
    add(A, 0, 10, VERIFY_NANO * 9 / 10, HS_SEGMENT_SUSPEND);
    add(B, 10, 30, VERIFY_NANO, HS_SEGMENT_FINISH);
    add(A, 30, 35, VERIFY_NANO, HS_SEGMENT_SUSPEND);
    add(A, 50, 60, VERIFY_NANO, HS_SEGMENT_FINISH);
}

static void a_sound_run(void **state)
{
    (void)state;
    const char *const titles[] = {switching, progressing, hosting};
    for (int i = 0; i < 3; i++) {
        sound();
        expect(titles[i], 0, NULL);
        assert_int_equal(check.looked, JOBS);
        assert_string_equal(check.note, "");
    }
}

/* A pause is a switch too and ends no segment: more switches than segments need a policy that may
 * slice. */
static void switches(void **state)
{
    (void)state;
    sound();
    jobs[A].row.switches = 1;
    expect(switching, 1, "jobs.csv:3: job A: switches 1, by segments.csv 2");
    sound();
    jobs[B].row.switches = 4;
    expect(switching, 1, "jobs.csv:2: job B: switches 4, by segments.csv 0");
    sound();
    jobs[B].row.switches = 4;
    run.setup.is_slicing = true;
    expect(switching, 0, NULL);
    assert_string_equal(check.note, " (pauses leave no segment)");
    sound();
    jobs[A].row.switches = 1;
    run.setup.is_slicing = true;
    expect(switching, 1, "jobs.csv:3: job A: switches 1, by segments.csv at least 2");
}

static void progress(void **state)
{
    (void)state;
    sound();
    jobs[A].row.progress_us = 20 * S;
    expect(progressing, 2, "segments.csv:2: job A has done work by 10, before its first progress");
    assert_string_equal(check.lines[1], "jobs.csv:3: job A: first_progress 20, without a GPU");
    sound();
    jobs[A].row.progress_us = -1;
    segments[0].rate_nano = segments[2].rate_nano = segments[3].rate_nano = 0;
    expect(progressing, 1, "jobs.csv:3: job A is done without any progress");
    sound();
    jobs[A].row.progress_us = -1;
    jobs[A].row.is_done = false;
    segments[2].rate_nano = segments[3].rate_nano = 0;
    expect(progressing, 1, "segments.csv:2: job A has done work by 10, before its first progress");
    /* without overhead it makes progress at once, unless it may have to wait for its turn */
    sound();
    jobs[B].row.progress_us = 11 * S;
    expect(progressing, 1, "jobs.csv:2: job B: first_progress 11, by segments.csv 10");
    sound();
    jobs[B].row.progress_us = 11 * S;
    run.setup.is_slicing = true;
    expect(progressing, 0, NULL);
    /* a job without work makes no progress */
    sound();
    jobs[B].row.progress_us = -1;
    jobs[B].work_us = 0;
    segments[1].rate_nano = -1;
    segments[1].end_us = segments[1].start_us;
    expect(progressing, 0, NULL);
}

static void memory_on_the_host(void **state)
{
    static const char less[] = "jobs.csv:3: job A: host_mib_seconds 6999, suspended for 35 GPU s";
    (void)state;
    sound();
    jobs[A].row.host_mib_us = 6999 * S;
    expect(hosting, 1, less);
    sound();
    jobs[B].row.host_mib_us = 1;
    expect(hosting, 1, "jobs.csv:2: job B: host_mib_seconds 0.000001, suspended for 0 GPU s");
    /* an elastic job keeps that of its GPUs: of 3 in [10, 30), 60 + 15 GPU s */
    sound();
    segments[0].gpus = 3;
    jobs[A].row.host_mib_us = 15000 * S;
    expect(hosting, 0, NULL);
    /* from a profile, which is not in the trace: any constant amount a second */
    sound();
    jobs[A].persistent_mib = 0;
    expect(hosting, 0, NULL);
    sound();
    jobs[A].persistent_mib = 0;
    jobs[A].row.host_mib_us = 6999 * S;
    expect(hosting, 1, less);
    /* slices, or a limit, put more there, but not less */
    sound();
    run.setup.is_slicing = true;
    jobs[A].row.host_mib_us = 7001 * S;
    jobs[B].row.host_mib_us = S;
    expect(hosting, 0, NULL);
    assert_string_equal(
        check.note, " (at least what suspended jobs keep: lanes and limits are not in the files)");
    sound();
    run.setup.is_throttling = true;
    jobs[A].row.host_mib_us = 6999 * S;
    expect(hosting, 1, less);
    /* the run is cut at 45, with A on the host: 20 + 10 s */
    sound();
    run.schedule.segment_count = 3;
    run.setup.until_us = 45 * S;
    jobs[A].row.host_mib_us = 6000 * S;
    jobs[A].row.is_done = false;
    expect(hosting, 0, NULL);
}

/* 1 us is missing of 3000 s: less than half a digit of the mean_rate that is printed as 1, yet an
 * error for a job that runs alone; beside another, or where turns and limits change its rate within
 * a placement, it is valid. 2 us are more than half a digit. */
static void nearly_full_speed(void **state)
{
    (void)state;
    for (int why = 0; why < 4; why++) {
        sound();
        jobs[A].row.is_done = false;
        jobs[B].work_us = 3000 * S - 1;
        jobs[B].sum.run_us = 3000 * S;
        jobs[B].sum.done = (hs_i128)VERIFY_NANO * 3000 * S;
        jobs[B].sum.is_full_speed = true;
        jobs[B].sum.colocated_us = why == 1 ? 1 : 0;
        run.setup.is_slicing = why == 2;
        run.setup.is_throttling = why == 3;
        expect(working, why == 0, NULL);
        jobs[B].work_us--;
        expect(working, 1, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_runs),
        cmocka_unit_test(attempts_of_several_placements),
        cmocka_unit_test(an_attempt_has_its_work),
        cmocka_unit_test(failures_are_counted),
        cmocka_unit_test(generated_failures_are_limited),
        cmocka_unit_test(cut_jobs),
        cmocka_unit_test(a_sound_run),
        cmocka_unit_test(switches),
        cmocka_unit_test(progress),
        cmocka_unit_test(memory_on_the_host),
        cmocka_unit_test(nearly_full_speed),
    };
    return cmocka_run_group_tests_name("verify_jobs", tests, NULL, NULL);
}
