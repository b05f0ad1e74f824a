/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Priorities in schedules that a person can verify on paper, and a bound on completion times that
 * ageing gives. Jobs are written id:gpus,submit,duration[^priority], see support/scenario.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/rng.h"
#include "support/scenario.h"

#define expect scenario_expect

/* 1x4, 10 s a column. By submission N precedes H; by priority H is next when 3 GPUs are free, at
 * 101, and N, which needs 2, waits until it ends.
 *   ignore  LLLLLLLLLL NHH      order  LLLLLLLLLL HHN
 *           LLLLLLLLLL NHH             LLLLLLLLLL HHN
 *           MMMMMMMMMM .HH             MMMMMMMMMM HH.
 *           MMMMMMMMMM ...             MMMMMMMMMM ...
 * preempt: H needs 3; L, then M do not fit beside it and lose their GPUs at 10. At 30 they resume
 * in order, with 90 and 91 s left, and N follows when L ends.
 *           LHHLLLLLLLLLNN
 *           LHHLLLLLLLLLNN
 *           MHHMMMMMMMMM..
 *           M..MMMMMMMMM.. */
static void levels(void **state)
{
    static const char jobs[] = "L:2,0,100 M:2,1,100 N:2,5,10 H:3,10,20^5";
    (void)state;
    expect("1x4", "fifo", jobs, "L:0-100 M:1-101 N:100-110 H:110-130");
    expect("1x4", "fifo:priority=order", jobs, "L:0-100 M:1-101 N:121-131 H:101-121");
    expect("1x4", "fifo:priority=preempt", jobs, "L:0-10,30-120 M:1-10,30-121 N:120-130 H:10-30");
}

/* 1x4: of the jobs of priority 0, D and C started last; A, of priority 1, started with B. C has
 * 91 s left at 20, D 92. */
static void victims(void **state)
{
    static const char jobs[] = "A:1,0,100^1 B:1,0,100 C:1,1,100 D:1,2,100 H:2,10,10^2";
    (void)state;
    expect("1x4", "fifo:priority=preempt", jobs,
           "A:0-100 B:0-100 C:1-10,20-111 D:2-10,20-112 H:10-20");
}

/* 1x4: H needs 2 GPUs and only B, with 1, is below it: no job is evicted in vain. Under strict S
 * waits behind H; under fit E, of H's level, passes H and takes the GPU of B, which has 89 s left.
 * Jobs of one level never preempt each other. */
static void no_eviction_in_vain(void **state)
{
    static const char jobs[] = "A:3,0,100^5 B:1,0,100 H:2,10,10^3 S:1,11,5";
    (void)state;
    expect("1x4", "fifo:priority=preempt", jobs, "A:0-100 B:0-100 H:100-110 S:100-105");
    expect("1x4", "fifo:priority=preempt,scan=fit", "A:3,0,100^5 B:1,0,100 H:2,10,10^3 E:1,11,5^3",
           "A:0-100 B:0-11,16-105 H:100-110 E:11-16");
    expect("1x1", "fifo:priority=preempt", "A:1,0,10^1 B:1,1,10^1 C:1,2,10",
           "A:0-10 B:10-20 C:20-30");
}

/* 1x1: L runs 4 s, pays 2 s at 7, and has 6 s left. */
static void cost(void **state)
{
    (void)state;
    expect("1x1", "fifo:priority=preempt,preempt_cost=table,cost_table=2", "L:1,0,10 H:1,4,3^1",
           "L:0-4,7-15 H:4-7");
}

/* 1x1, a level for each window of 10 s: L is submitted in the first window. H, of one priority
 * more, is of the same level if submitted in the second, and L precedes; if submitted in the first
 * H is above L. */
static void ageing(void **state)
{
    (void)state;
    expect("1x1", "fifo:priority=order,ageing=10s", "R:1,0,20 L:1,1,5 H:1,12,5^1",
           "R:0-20 L:20-25 H:25-30");
    expect("1x1", "fifo:priority=order,ageing=10s", "R:1,0,20 L:1,1,5 H:1,9,5^1",
           "R:0-20 L:25-30 H:20-25");
    expect("1x1", "fifo:priority=order", "R:1,0,20 L:1,1,5 H:1,12,5^1", "R:0-20 L:25-30 H:20-25");
    /* within a level the order of the policy counts: S is shorter than L, and than M of the next
     * window */
    expect("1x1", "sjf:priority=order,ageing=10s", "R:1,0,20 L:1,1,5 S:1,9,3 M:1,12,1",
           "R:0-20 L:23-28 S:20-23 M:28-29");
}

/* 1x4, M1 of test_timelines.c with a second gang of 4, of higher priority: the reservation is its,
 * and job 2 still ends before it. */
static void easy(void **state)
{
    (void)state;
    expect("1x4", "fifo:scan=easy,priority=order", "0:3,0,100 1:4,10,50 3:4,15,50^1 2:1,20,30",
           "0:0-100 1:150-200 3:100-150 2:20-50");
}

/* 1x1: the job of 20 s has more left than that of 10 s, and a higher priority. edf: it has no
 * deadline either. */
static void of_preemptive_orders(void **state)
{
    static const char *const policies[] = {"srtf", "srtf:form=replace", "srsf", "llf", "edf"};
    static const char *const choices[] = {"order", "preempt"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (size_t k = 0; k < 2; k++) {
            char policy[64];
            (void)snprintf(policy, sizeof policy, "%s%spriority=%s", policies[i],
                           i == 1 ? "," : ":", choices[k]);
            expect("1x1", policies[i], "0:1,0,10 1:1,2,20^1", "0:0-10 1:10-30");
            expect("1x1", policy, "0:1,0,10 1:1,2,20^1", "0:0-2,22-30 1:2-22");
        }
    expect("1x1", "edf:priority=preempt,preempt=no", "0:1,0,10 1:1,2,20 2:1,3,5^1",
           "0:0-10 1:15-35 2:10-15");
}

/* 1x1: job 2 passes job 1. */
static void of_sharing_policies(void **state)
{
    static const char *const policies[] = {"pack",  "gandiva-like", "colocate-fifo",
                                           "horus", "horus-s",      "gandiva-pack-only"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        char policy[64];
        (void)snprintf(policy, sizeof policy, "%s:max_tenants=1,priority=order", policies[i]);
        expect("1x1", policy, "0:1,0,10 1:1,1,10 2:1,2,10^1", "0:0-10 1:20-30 2:10-20");
    }
}

/* ---- with ageing no job starves ---- */

#define JOBS     60
#define WINDOW_S 20
#define MOST     3 /* priorities are 0 to this */

/* The level as params.h defines it; the smaller goes first. */
static int64_t level(const struct hs_test_job *job, int64_t window_s)
{
    return job->submit_s / window_s - job->priority;
}

/* After the last window in which a job can be submitted that is not of a lower level, the first job
 * in the order is one of the set of those that are not lower, as long as one of these is left. Its
 * GPUs suffice by number, so one of the set makes progress at any time: the job is done after at
 * most the sum of their run times. */
static int64_t latest_end_s(const struct hs_test_job *jobs, uint32_t count, uint32_t job,
                            int64_t window_s)
{
    const int64_t windows = jobs[job].submit_s / window_s + MOST - jobs[job].priority + 1;
    int64_t end_s = windows * window_s;
    for (uint32_t i = 0; i < count; i++)
        if (level(&jobs[i], window_s) <= level(&jobs[job], window_s))
            end_s += jobs[i].duration_s;
    return end_s;
}

/* The number of jobs that end later than that. */
static uint32_t count_late(const struct hs_test_job *jobs, uint32_t count, const char *policy)
{
    struct hs_test_result r;
    uint32_t late = 0;
    if (hs_test_run(jobs, count, "2x4", policy, &r) != HS_OK)
        fail_msg("%s: %s", policy, r.message);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(r.jobs[i].state, HS_JOB_DONE);
        late += r.jobs[i].end_us > latest_end_s(jobs, count, i, WINDOW_S) * HS_TEST_S;
    }
    hs_test_free(&r);
    return late;
}

/* Streams of jobs of high priority, each of the whole cluster, at full load, and one of low
 * priority submitted with them: it ends in time, and without ageing ends last. */
static void a_stream_of_higher_priority(void **state)
{
    static const char *const policies[] = {"fifo", "sjf", "qssf", "srtf", "srsf"};
    struct hs_test_job jobs[JOBS];
    (void)state;
    for (uint32_t i = 0; i < JOBS; i++)
        jobs[i] = (struct hs_test_job){.gpus = 8,
                                       .submit_s = 5 * (int64_t)(i == 0 ? 0 : i - 1),
                                       .duration_s = 5,
                                       .priority = i == 1 ? 0 : MOST};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        char policy[96];
        (void)snprintf(policy, sizeof policy, "%s:placement=count,priority=preempt", policies[p]);
        assert_int_equal(count_late(jobs, JOBS, policy), 1);
        (void)snprintf(policy, sizeof policy, "%s:placement=count,priority=preempt,ageing=%ds",
                       policies[p], WINDOW_S);
        assert_int_equal(count_late(jobs, JOBS, policy), 0);
    }
}

static void no_job_starves(void **state)
{
    static const char *const policies[] = {"fifo:scan=strict", "fifo:scan=fit",  "sjf:scan=strict",
                                           "sjf:scan=fit",     "qssf:scan=fit",  "srtf:form=evict",
                                           "srsf:form=evict",  "llf:preempt=yes"};
    struct hs_rng rng;
    (void)state;
    hs_rng_open(&rng, 20261128, "ageing");
    for (uint32_t n = 0; n < 200; n++) {
        struct hs_test_job jobs[JOBS];
        int64_t at_s = 0;
        for (uint32_t i = 0; i < JOBS; i++) {
            jobs[i] = (struct hs_test_job){.gpus = 1 + (uint32_t)hs_rng_below(&rng, 8),
                                           .submit_s = at_s,
                                           .duration_s = 1 + (int64_t)hs_rng_below(&rng, 20),
                                           .priority = (int32_t)hs_rng_below(&rng, MOST + 1)};
            at_s += (int64_t)hs_rng_below(&rng, 8);
        }
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            char policy[96];
            (void)snprintf(policy, sizeof policy, "%s,placement=count,priority=preempt,ageing=%ds",
                           policies[p], WINDOW_S);
            if (count_late(jobs, JOBS, policy) > 0)
                fail_msg("a job of stream %u starves under %s", n, policy);
        }
    }
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels),
                                       cmocka_unit_test(victims),
                                       cmocka_unit_test(no_eviction_in_vain),
                                       cmocka_unit_test(cost),
                                       cmocka_unit_test(ageing),
                                       cmocka_unit_test(easy),
                                       cmocka_unit_test(of_preemptive_orders),
                                       cmocka_unit_test(of_sharing_policies),
                                       cmocka_unit_test(a_stream_of_higher_priority),
                                       cmocka_unit_test(no_job_starves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
