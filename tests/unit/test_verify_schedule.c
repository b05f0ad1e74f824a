/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sweep of `horus verify` over co-located jobs: a schedule by hand, and random ones compared
 * with a count of every second of every GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "report/verify/verify.h"

#define S    INT64_C(1000000)
#define JOBS 12u
#define GPUS 6u

static struct verify_job jobs[JOBS];
static struct hs_placed segments[2 * JOBS];
static struct hs_gpu_range ranges[4 * JOBS];
static struct verify_gpu gpu_states[GPUS];
static struct verify_run run;
static struct verify_check check;

static void clear(uint32_t gpus)
{
    memset(jobs, 0, sizeof jobs);
    run = (struct verify_run){.jobs = jobs,
                              .schedule = {.segments = segments, .ranges = ranges},
                              .gpus = gpu_states,
                              .gpu_count = gpus,
                              .job_count = JOBS,
                              .setup = {.is_sharing = true}};
}

static void sweep(void)
{
    const struct verify_rule *rule = verify_schedule_rules;
    while (strcmp(rule->title, "no GPU is held twice") != 0)
        rule++;
    memset(gpu_states, 0, sizeof gpu_states);
    memset(&check, 0, sizeof check);
    assert_int_equal(verify_apply(&run, rule, 1, &check), HS_OK);
}

/* Segments must be added by start. */
static void add(uint32_t job, int64_t start_s, int64_t end_s, uint32_t first, uint32_t last)
{
    ranges[run.schedule.range_count] = (struct hs_gpu_range){first, last};
    segments[run.schedule.segment_count++] =
        (struct hs_placed){.start_us = start_s * S,
                           .end_us = end_s * S,
                           .job = job,
                           .range_first = run.schedule.range_count++,
                           .range_count = 1,
                           .gpus = last - first + 1,
                           .tenants = 2};
}

/* Job 0 shares GPU 1 in [10, 20) and GPU 2 in [15, 30), in all 20 s; job 1 shares 10 of its 20 s,
 * job 2 all 15; they never meet. Job 3 takes GPU 1 when job 1 leaves it, and leaves it when job 1
 * comes back: its only co-runner is a segment of no length.
 *     job 0   GPUs 0-2   0 ..... 30
 *     job 1   GPU 1        10 20           45 50
 *     job 2   GPU 2          15 30
 *     job 3   GPU 1                 30 .. 45
 *     job 4   GPU 1                    40 (no length)
 * Held: 30 + (30 + 15 + 5) + 30 GPU-s, shared 10 + 15. */
static void a_schedule_by_hand(void **state)
{
    (void)state;
    clear(3);
    add(0, 0, 30, 0, 2);
    add(1, 10, 20, 1, 1);
    add(2, 15, 30, 2, 2);
    add(3, 30, 45, 1, 1);
    add(4, 40, 40, 1, 1);
    add(1, 45, 50, 1, 1);
    sweep();
    assert_int_equal(jobs[0].sum.colocated_us, 20 * S);
    assert_int_equal(jobs[1].sum.colocated_us, 10 * S);
    assert_int_equal(jobs[2].sum.colocated_us, 15 * S);
    assert_int_equal(jobs[3].sum.colocated_us, 0);
    assert_int_equal(jobs[4].sum.colocated_us, 0);
    assert_int_equal(run.held_us, 110 * S);
    assert_int_equal(run.shared_us, 25 * S);
}

/* Three on one GPU: the first in [0, 30), the second in [5, 20), the third in [10, 25). All but [0,
 * 5) and [25, 30) of the first are shared. A job that is not in the trace counts as a co-runner,
 * and a GPU that is not in the cluster has none. */
static void three_on_a_gpu(void **state)
{
    (void)state;
    clear(1);
    add(0, 0, 30, 0, 0);
    add(1, 5, 20, 0, 0);
    add(VERIFY_NONE, 10, 25, 0, 0);
    add(2, 26, 28, 1, 2);
    sweep();
    assert_int_equal(jobs[0].sum.colocated_us, 20 * S);
    assert_int_equal(jobs[1].sum.colocated_us, 15 * S);
    assert_int_equal(jobs[2].sum.colocated_us, 0);
    assert_int_equal(run.held_us, 30 * S);
    assert_int_equal(run.shared_us, 20 * S);
}

static uint32_t holders(uint32_t gpu, int64_t second)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run.schedule.segment_count; i++)
        count += segments[i].start_us <= second * S && second * S < segments[i].end_us &&
                 ranges[i].first <= gpu && gpu <= ranges[i].last;
    return count;
}

/* One segment a job, of whole seconds within a minute. */
static void random_schedules(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        clear(GPUS);
        uint32_t next = 0;
        for (int64_t start = 0; start < 40; start++)
            for (; next < JOBS && (int64_t)(next * 40 / JOBS) <= start; next++) {
                uint64_t draw = hs_mix64(seed, next);
                uint32_t first = (uint32_t)(draw % GPUS);
                uint32_t last = first + (uint32_t)(draw >> 8) % (GPUS - first);
                add(next, start, start + (int64_t)(draw >> 20) % 20, first, last);
            }
        sweep();
        int64_t held = 0, shared = 0;
        for (int64_t second = 0; second < 60; second++)
            for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
                held += holders(gpu, second) > 0;
                shared += holders(gpu, second) > 1;
            }
        assert_int_equal(run.held_us, held * S);
        assert_int_equal(run.shared_us, shared * S);
        for (uint32_t i = 0; i < JOBS; i++) {
            int64_t colocated = 0;
            for (int64_t second = segments[i].start_us / S; second < segments[i].end_us / S;
                 second++) {
                bool is_shared = false;
                for (uint32_t gpu = ranges[i].first; gpu <= ranges[i].last; gpu++)
                    is_shared = is_shared || holders(gpu, second) > 1;
                colocated += is_shared;
            }
            assert_int_equal(jobs[i].sum.colocated_us, colocated * S);
        }
    }
}

/* By its row in jobs.csv. */
static void give_share(uint32_t job, uint32_t milli)
{
    static const char *const ids[] = {"A", "B", "C", "D", "E"};
    jobs[job].id = ids[job];
    jobs[job].row.line = 2 + job;
    jobs[job].row.gpu_milli = milli;
}

/* GPU 0 has 500 thousandths in [0, 10), 800 in [10, 20), 300 in [20, 25), GPU 1 500 in [0, 20), and
 * is held whole in [20, 30): 5 + 8 + 1.5 + 10 + 10 = 34.5 GPU-s of 25 + 30 held. No job has a
 * co-runner. */
static void shares_by_hand(void **state)
{
    (void)state;
    clear(2);
    give_share(0, 500);
    give_share(1, 300);
    give_share(2, 1000);
    add(0, 0, 20, 0, 1);
    add(1, 10, 25, 0, 0);
    add(2, 20, 30, 1, 1);
    sweep();
    assert_int_equal(check.faults, 0);
    assert_int_equal(run.held_us, 55 * S);
    assert_int_equal(run.allocated_us, 34500 * S);
    assert_int_equal(run.shared_us, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(jobs[i].sum.colocated_us, 0);
}

static void expect_fault(const char *line)
{
    sweep();
    assert_int_equal(check.faults, 1);
    assert_string_equal(check.lines[0], line);
}

/* 500 + 501; a whole job beside a share, in both orders. */
static void more_than_a_gpu(void **state)
{
    (void)state;
    clear(1);
    give_share(0, 500);
    give_share(1, 501);
    add(0, 0, 20, 0, 0);
    add(1, 5, 10, 0, 0);
    segments[1].line = 7;
    expect_fault("segments.csv:7: the shares of GPU 0 at 5 are 1001 thousandths of it");
    give_share(1, 1000);
    expect_fault("segments.csv:7: GPU 0 at 5 is held whole, and shares of it too");
    give_share(0, 1000);
    give_share(1, 10);
    expect_fault("segments.csv:7: GPU 0 at 5 is held whole, and shares of it too");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_by_hand), cmocka_unit_test(three_on_a_gpu),
        cmocka_unit_test(random_schedules),   cmocka_unit_test(shares_by_hand),
        cmocka_unit_test(more_than_a_gpu),
    };
    return cmocka_run_group_tests_name("verify_schedule", tests, NULL, NULL);
}
