/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus verify` finds in attempts: M20 of the design (job 0 fails after 10 s and then runs
 * 20 s, job 1 runs 15 s between) as segments, and lies about it, one at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify_check.h"

#define S INT64_C(1000000)

static struct verify_job jobs[2];
static struct verify_segment segments[5];
static int64_t attempts_us[] = {10 * S, 20 * S};
static struct verify_run run;
static struct verify_check check;

static void add(uint32_t job, int64_t start_s, int64_t end_s, enum verify_ended ended_by)
{
    segments[run.segment_count] = (struct verify_segment){.line = run.segment_count + 2,
                                                          .job = job,
                                                          .start_us = start_s * S,
                                                          .end_us = end_s * S,
                                                          .rate_nano = VERIFY_NANO,
                                                          .gpus = 1,
                                                          .ended_by = ended_by};
    run.segment_count++;
}

static void m20(enum verify_retries retries)
{
    static const struct verify_sum none = {.finish_us = -1, .is_full_speed = true};
    run = (struct verify_run){.jobs = jobs,
                              .segments = segments,
                              .attempts_us = attempts_us,
                              .job_count = 2,
                              .made_of = {.retries = retries}};
    jobs[0] = (struct verify_job){.id = "J0",
                                  .recorded_us = 30 * S,
                                  .attempts = 2,
                                  .row = {.line = 3, .is_done = true, .attempts = 2},
                                  .sum = none};
    jobs[1] = (struct verify_job){.id = "J1",
                                  .recorded_us = 15 * S,
                                  .row = {.line = 2, .is_done = true, .attempts = 1},
                                  .sum = none};
    if (retries == VERIFY_GENERATE) { /* the trace has the last attempt alone */
        jobs[0].recorded_us = 20 * S;
        jobs[0].attempts = 0;
    }
    add(0, 0, 10, VERIFY_FAILURE);
    add(1, 10, 25, VERIFY_FINISH);
    add(0, 25, 45, VERIFY_FINISH);
}

static void expect(uint64_t faults, const char *line)
{
    memset(&check, 0, sizeof check);
    assert_int_equal(verify_retry_rules[0].check(&run, &check), HS_OK);
    assert_int_equal(check.faults, faults);
    if (faults > 0)
        assert_string_equal(check.lines[0], line);
}

static void sound_runs(void **state)
{
    (void)state;
    m20(VERIFY_ATTEMPTS);
    expect(0, NULL);
    assert_int_equal(check.looked, 2); /* both attempts of job 0 */
    assert_int_equal(jobs[0].sum.failures, 1);
    m20(VERIFY_GENERATE);
    expect(0, NULL);
    assert_int_equal(check.looked, 3);
}

/* 10 s of the first attempt by two placements, 3 s of a third lost as its GPU ran out of memory. */
static void attempts_of_several_placements(void **state)
{
    (void)state;
    m20(VERIFY_ATTEMPTS);
    run.segment_count = 0;
    add(0, 0, 4, VERIFY_PREEMPT);
    add(0, 5, 8, VERIFY_OOM);
    add(0, 9, 15, VERIFY_FAILURE);
    add(0, 20, 40, VERIFY_FINISH);
    add(1, 40, 55, VERIFY_FINISH);
    jobs[0].row.lost_ns = 3000 * S;
    expect(0, NULL);
    m20(VERIFY_ATTEMPTS);
    run.segment_count = 0;
    add(0, 0, 4, VERIFY_PREEMPT);
    add(0, 5, 8, VERIFY_PREEMPT); /* not lost: 13 s of work in it */
    add(0, 9, 15, VERIFY_FAILURE);
    add(0, 20, 40, VERIFY_FINISH);
    add(1, 40, 55, VERIFY_FINISH);
    expect(1, "attempt 1 of job J0 ran 13 for 10 of work");
}

/* At full speed exactly; at other rates within the digits printed: 10 s of work in 20 s. */
static void an_attempt_has_its_work(void **state)
{
    (void)state;
    m20(VERIFY_ATTEMPTS);
    segments[0].end_us = 10 * S - 1;
    expect(1, "attempt 1 of job J0 ran 9.999999 for 10 of work");
    m20(VERIFY_ATTEMPTS);
    segments[2].end_us = 46 * S;
    expect(1, "attempt 2 of job J0 ran 21 for 20 of work");
    m20(VERIFY_ATTEMPTS);
    segments[2].end_us = 65 * S; /* 20 s of work in 40 s */
    segments[2].rate_nano = VERIFY_NANO / 2;
    jobs[0].sum.is_full_speed = false;
    expect(0, NULL);
    m20(VERIFY_ATTEMPTS);
    segments[2].end_us = 65 * S;
    segments[2].rate_nano = VERIFY_NANO / 2 + 1;
    jobs[0].sum.is_full_speed = false;
    expect(1, "attempt 2 of job J0 ran 40 for 20 of work");
    m20(VERIFY_GENERATE); /* the last is the run of the trace, what came before is not known */
    segments[0].end_us = 9 * S;
    segments[2].end_us = 44 * S;
    expect(1, "attempt 2 of job J0 ran 19 for 20 of work");
}

static void failures_are_counted(void **state)
{
    (void)state;
    m20(VERIFY_ATTEMPTS);
    segments[0].ended_by = VERIFY_PREEMPT;
    expect(2, "jobs.csv:3: job J0: attempts 2, by segments.csv 1");
    assert_string_equal(check.lines[1],
                        "jobs.csv:3: job J0 is done after 1 attempts, by the trace it takes 2");
    m20(VERIFY_ATTEMPTS);
    segments[1].ended_by = VERIFY_FAILURE;
    expect(2, "segments.csv:3: job J1 fails once too often");
    assert_string_equal(check.lines[1], "jobs.csv:2: job J1: attempts 1, by segments.csv 2");
    m20(VERIFY_ATTEMPTS);
    jobs[0].row.attempts = 3;
    expect(1, "jobs.csv:3: job J0: attempts 3, by segments.csv 2");
    m20(VERIFY_MERGE); /* no job fails */
    jobs[0].attempts = 0;
    expect(2, "attempt 1 of job J0 ran 10 for 30 of work");
    assert_string_equal(check.lines[1], "segments.csv:2: job J0 fails once too often");
}

/* Attempts are made up to three times at most. */
static void made_up_failures_are_limited(void **state)
{
    (void)state;
    m20(VERIFY_GENERATE);
    run.segment_count = 0;
    for (int i = 0; i < 4; i++)
        add(0, 10 * i, 10 * i + 5, VERIFY_FAILURE);
    jobs[0].row.is_done = false; /* cut by the horizon */
    jobs[0].row.attempts = 5;
    jobs[1].row.is_done = false;
    expect(1, "segments.csv:5: job J0 fails once too often");
}

/* What a horizon cut need not be whole. */
static void cut_jobs(void **state)
{
    (void)state;
    m20(VERIFY_ATTEMPTS);
    segments[2].end_us = 30 * S;
    segments[2].ended_by = VERIFY_HORIZON;
    jobs[0].row.is_done = false;
    expect(0, NULL);
    m20(VERIFY_ATTEMPTS);
    run.segment_count = 2;
    jobs[0].row.is_done = false;
    expect(0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_runs),
        cmocka_unit_test(attempts_of_several_placements),
        cmocka_unit_test(an_attempt_has_its_work),
        cmocka_unit_test(failures_are_counted),
        cmocka_unit_test(made_up_failures_are_limited),
        cmocka_unit_test(cut_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
