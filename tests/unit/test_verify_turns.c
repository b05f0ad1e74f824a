/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus verify` finds in switches, first progress and memory on the host. Two jobs by hand:
 *
 *     A  1 GPU   pays 1 s in [0, 1), works [1, 10) .. suspended .. 30 [30, 35) .. suspended .. 50
 * 60 B  2 GPUs                               [10, 30)
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
#include "report/verify_check.h"

#define S INT64_C(1000000)

enum { SWITCHES, PROGRESS, HOST }; /* rules */
enum { A, B, JOBS };

static struct verify_job jobs[JOBS];
static struct verify_segment segments[4];
static struct verify_run run;
static struct verify_check check;

static void add(uint32_t job, int64_t start_s, int64_t end_s, int64_t rate_nano,
                enum verify_ended ended_by)
{
    segments[run.segment_count] = (struct verify_segment){.line = run.segment_count + 2,
                                                          .job = job,
                                                          .start_us = start_s * S,
                                                          .end_us = end_s * S,
                                                          .rate_nano = rate_nano,
                                                          .gpus = 1,
                                                          .ended_by = ended_by};
    run.segment_count++;
    jobs[job].sum.suspensions += ended_by == VERIFY_SUSPEND;
}

static void sound(void)
{
    static const struct verify_sum none = {
        .finish_us = -1, .suspended_from_us = -1, .first_long_us = -1};
    memset(&check, 0, sizeof check);
    run = (struct verify_run){.jobs = jobs,
                              .segments = segments,
                              .job_count = JOBS,
                              .made_of = {.until_us = HS_TIME_MAX}};
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
    add(A, 0, 10, VERIFY_NANO * 9 / 10, VERIFY_SUSPEND);
    add(B, 10, 30, VERIFY_NANO, VERIFY_FINISH);
    add(A, 30, 35, VERIFY_NANO, VERIFY_SUSPEND);
    add(A, 50, 60, VERIFY_NANO, VERIFY_FINISH);
}

static void expect(int rule, uint64_t faults, const char *line)
{
    assert_int_equal(verify_turn_rules[rule].check(&run, &check), HS_OK);
    assert_int_equal(check.looked, JOBS);
    assert_int_equal(check.faults, faults);
    if (faults > 0)
        assert_string_equal(check.lines[0], line);
}

static void a_sound_run(void **state)
{
    (void)state;
    for (int rule = SWITCHES; rule <= HOST; rule++) {
        sound();
        expect(rule, 0, NULL);
        assert_string_equal(check.note, "");
    }
    assert_null(verify_turn_rules[HOST + 1].title);
}

/* A pause is a switch too and ends no segment: only a policy that may slice has more of them. */
static void switches(void **state)
{
    (void)state;
    sound();
    jobs[A].row.switches = 1;
    expect(SWITCHES, 1, "jobs.csv:3: job A: switches 1, by segments.csv 2");
    sound();
    jobs[B].row.switches = 4;
    expect(SWITCHES, 1, "jobs.csv:2: job B: switches 4, by segments.csv 0");
    sound();
    jobs[B].row.switches = 4;
    run.made_of.is_slicing = true;
    expect(SWITCHES, 0, NULL);
    assert_string_equal(check.note, " (pauses leave no segment)");
    sound();
    jobs[A].row.switches = 1;
    run.made_of.is_slicing = true;
    expect(SWITCHES, 1, "jobs.csv:3: job A: switches 1, by segments.csv at least 2");
}

static void progress(void **state)
{
    (void)state;
    sound();
    jobs[A].row.progress_us = 20 * S;
    expect(PROGRESS, 2, "segments.csv:2: job A has done work by 10, before its first progress");
    assert_string_equal(check.lines[1], "jobs.csv:3: job A: first_progress 20, without a GPU");
    sound();
    jobs[A].row.progress_us = -1;
    segments[0].rate_nano = segments[2].rate_nano = segments[3].rate_nano = 0;
    expect(PROGRESS, 1, "jobs.csv:3: job A is done without any progress");
    sound();
    jobs[A].row.progress_us = -1;
    jobs[A].row.is_done = false;
    segments[2].rate_nano = segments[3].rate_nano = 0;
    expect(PROGRESS, 1, "segments.csv:2: job A has done work by 10, before its first progress");
    /* without a cost it works at once, unless it may have to wait for its turn */
    sound();
    jobs[B].row.progress_us = 11 * S;
    expect(PROGRESS, 1, "jobs.csv:2: job B: first_progress 11, by segments.csv 10");
    sound();
    jobs[B].row.progress_us = 11 * S;
    run.made_of.is_slicing = true;
    expect(PROGRESS, 0, NULL);
    /* a job without work makes none */
    sound();
    jobs[B].row.progress_us = -1;
    jobs[B].work_us = 0;
    segments[1].rate_nano = -1;
    segments[1].end_us = segments[1].start_us;
    expect(PROGRESS, 0, NULL);
}

static void memory_on_the_host(void **state)
{
    static const char less[] = "jobs.csv:3: job A: host_mib_seconds 6999, suspended for 35 GPU s";
    (void)state;
    sound();
    jobs[A].row.host_mib_us = 6999 * S;
    expect(HOST, 1, less);
    sound();
    jobs[B].row.host_mib_us = 1;
    expect(HOST, 1, "jobs.csv:2: job B: host_mib_seconds 0.000001, suspended for 0 GPU s");
    /* an elastic job keeps that of the GPUs that it had: of 3 in [10, 30), 60 + 15 GPU s */
    sound();
    segments[0].gpus = 3;
    jobs[A].row.host_mib_us = 15000 * S;
    expect(HOST, 0, NULL);
    /* by a profile, which is not in the trace: so much for each second, whatever it is */
    sound();
    jobs[A].persistent_mib = 0;
    expect(HOST, 0, NULL);
    sound();
    jobs[A].persistent_mib = 0;
    jobs[A].row.host_mib_us = 6999 * S;
    expect(HOST, 1, less);
    /* a lane, or a limit, puts more there, but not less */
    sound();
    run.made_of.is_slicing = true;
    jobs[A].row.host_mib_us = 7001 * S;
    jobs[B].row.host_mib_us = S;
    expect(HOST, 0, NULL);
    assert_string_equal(
        check.note, " (at least what suspended jobs keep: lanes and limits are not in the files)");
    sound();
    run.made_of.is_throttling = true;
    jobs[A].row.host_mib_us = 6999 * S;
    expect(HOST, 1, less);
    /* the run is cut at 45, with A on the host: 20 + 10 s */
    sound();
    run.segment_count = 3;
    run.made_of.until_us = 45 * S;
    jobs[A].row.host_mib_us = 6000 * S;
    jobs[A].row.is_done = false;
    expect(HOST, 0, NULL);
}

/* 1 us is missing of 3000 s: less than half a digit of the mean_rate that is printed as 1, and
 * wrong all the same for a job that runs alone; beside another, or where turns and limits change
 * its rate within a placement, it is right. 2 us are more than half a digit. */
static void nearly_full_speed(void **state)
{
    static const char title[] = "every finished job has done its work";
    const struct verify_rule *rule = verify_job_rules;
    (void)state;
    while (strcmp(rule->title, title) != 0)
        rule++;
    for (int why = 0; why < 4; why++) {
        sound();
        jobs[A].row.is_done = false;
        jobs[B].work_us = 3000 * S - 1;
        jobs[B].sum.run_us = 3000 * S;
        jobs[B].sum.done = (hs_i128)VERIFY_NANO * 3000 * S;
        jobs[B].sum.is_full_speed = true;
        jobs[B].sum.colocated_us = why == 1 ? 1 : 0;
        run.made_of.is_slicing = why == 2;
        run.made_of.is_throttling = why == 3;
        assert_int_equal(rule->check(&run, &check), HS_OK);
        assert_int_equal(check.faults, why == 0);
        jobs[B].work_us--;
        assert_int_equal(rule->check(&run, &check), HS_OK);
        assert_int_equal(check.faults, why == 0 ? 2 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_run),       cmocka_unit_test(switches),
        cmocka_unit_test(progress),          cmocka_unit_test(memory_on_the_host),
        cmocka_unit_test(nearly_full_speed),
    };
    return cmocka_run_group_tests_name("verify_turns", tests, NULL, NULL);
}
