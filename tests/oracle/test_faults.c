/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawn failures, compared with renewal theory. With exponential failures of rate 1/M and repairs
 * of mean R, a job that saves after each t of work at cost C takes in the mean
 *   (M + R) (exp((t + C) / M) - 1)
 * for each interval (Daly, Future Generation Computer Systems 22, 2006, eq. 8 without restart
 * cost); the interval of least time is near sqrt(2 C M) (Young, CACM 17, 1974). A gang on k nodes
 * fails k times as often. Confidence intervals are of 99.9 %; seeds are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/run.h"
#include "support/sink.h"

#define Z 3.29 /* two-sided 99.9 % of the standard normal distribution */

/* Run time in s, with waits for repairs, of one job alone on `nodes` nodes of a GPU. */
static double run_s(const char *cluster, uint32_t gpus, int64_t work_s,
                    const struct hs_test_options *options, struct hs_test_outcome *outcome)
{
    const struct hs_test_job job = {.gpus = gpus, .duration_s = work_s};
    struct hs_test_result r;
    assert_int_equal(hs_test_run_with(&job, 1, cluster, "fifo", options, &r), HS_OK);
    *outcome = r.jobs[0];
    hs_test_free(&r);
    return (double)outcome->end_us / 1e6;
}

static void mean_completion(void **state)
{
    const double m = 1000, repair = 100, t = 400, cost = 40; /* s */
    const uint32_t runs = 1500, intervals = 8;
    const double due = intervals * (m + repair) * (exp((t + cost) / m) - 1);
    double sum = 0, squares = 0;
    (void)state;
    for (uint32_t i = 0; i < runs; i++) {
        const struct hs_fault_law law = {
            .mtbf_us = 1000000000, .repair_us = 100000000, .shape = 1, .seed = i};
        const struct hs_test_options options = {.faults = &law,
                                                .checkpoint_s = 400,
                                                .checkpoint_cost_s = 40,
                                                .keeps_ends_only = true,
                                                .checks_fast = true};
        struct hs_test_outcome outcome;
        const double s = run_s("1x1", 1, (int64_t)(intervals * t), &options, &outcome);
        sum += s;
        squares += s * s;
    }
    const double mean = sum / runs, half = Z * sqrt((squares / runs - mean * mean) / runs);
    if (fabs(mean - due) > half)
        fail_msg("mean %g s, by theory %g, %g allowed", mean, due, half);
    assert_true(half < 0.05 * due); /* else the test shows nothing */
}

/* A gang on k nodes has M / k of time on GPUs between failures. Counts are Poisson. */
static void gangs_fail_more_often(void **state)
{
    static const char *const clusters[] = {"1x1", "2x1", "4x1", "8x1"};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const struct hs_fault_law law = {
            .mtbf_us = 100000000000, .repair_us = 1000000, .shape = 1, .seed = 7};
        const struct hs_test_options options = {.faults = &law,
                                                .until_us = INT64_C(400000000000000),
                                                .checkpoint_s = 10,
                                                .keeps_ends_only = true,
                                                .checks_fast = true};
        struct hs_test_result r;
        const struct hs_test_job job = {.gpus = 1u << i, .duration_s = 4000000000};
        assert_int_equal(hs_test_run_with(&job, 1, clusters[i], "fifo", &options, &r), HS_OK);
        const double faults = (double)r.figures.interrupts;
        const double between_s = (double)r.jobs[0].run_us / 1e6 / faults;
        assert_true(faults > 1000);
        if (fabs(between_s * (1u << i) / 100000 - 1) > Z / sqrt(faults))
            fail_msg("%u nodes: %g s between failures", 1u << i, between_s);
        hs_test_free(&r);
    }
}

/* Sum of the run times, M = 1e5 s, C = 20 s, under eight streams of failures. */
static double checkpointed_s(const char *cluster, uint32_t gpus, int64_t interval_s)
{
    double sum = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const struct hs_fault_law law = {
            .mtbf_us = 100000000000, .repair_us = 1000000, .shape = 1, .seed = seed};
        const struct hs_test_options options = {.faults = &law,
                                                .checkpoint_s = interval_s,
                                                .checkpoint_cost_s = 20,
                                                .keeps_ends_only = true,
                                                .checks_fast = true};
        struct hs_test_outcome outcome;
        sum += run_s(cluster, gpus, 1000000000 / gpus, &options, &outcome); /* 80,000 failures */
    }
    return sum;
}

/* Of intervals in steps of 10 % the one of least time is within a step of sqrt(2 C M / k), 2000 s
 * for one node and 1000 s for four, under the same failures for all; and it is the interval that
 * jobs have by Young and Daly. */
static void young_and_daly(void **state)
{
    static const struct {
        const char *cluster;
        uint32_t nodes;
        int64_t best_s;
    } cases[] = {{"1x1", 1, 2000}, {"4x1", 4, 1000}};
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        double least = INFINITY;
        int at = 0;
        for (int step = -6; step <= 6; step++) {
            const int64_t interval_s = llrint((double)cases[c].best_s * pow(1.1, step));
            const double s = checkpointed_s(cases[c].cluster, cases[c].nodes, interval_s);
            at = s < least ? step : at;
            least = s < least ? s : least;
        }
        if (abs(at) > 1)
            fail_msg("%u nodes: least time with %d steps from Young's", cases[c].nodes, at);
        assert_true(checkpointed_s(cases[c].cluster, cases[c].nodes, -1) ==
                    checkpointed_s(cases[c].cluster, cases[c].nodes, cases[c].best_s));
    }
}

/* Each failure loses the work beyond whole intervals, by hand sqrt(2 C m) with C = 20 s: on one
 * node m = 1e5 s: 2000 s; on two m = 5e4 s: 1414.213562 s; on two of a rack that fails as well,
 * with a mean of 3e5 s, m = 1 / (2 / 1e5 + 1 / 3e5) = 42857.142857 s: 1309.307341 s; on two of two
 * such racks m = 1 / (2 / 1e5 + 2 / 3e5) = 37500 s: 1224.744871 s. */
static void intervals_by_hand(void **state)
{
    static const char racks[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 1}]},"
                                "{\"nodes\": [{\"gpus\": 1}]}]}";
    const struct {
        const char *cluster;
        uint32_t nodes;
        int64_t rack_s, interval_us;
    } cases[] = {{"1x1", 1, 0, 2000000000},
                 {"2x1", 2, 0, 1414213562},
                 {"2x1", 2, 300000, 1309307341},
                 {scratch_write("racks.json", racks, strlen(racks)), 2, 300000, 1224744871}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct hs_fault_law law = {.mtbf_us = 100000000000,
                                         .rack_mtbf_us = cases[c].rack_s * 1000000,
                                         .repair_us = 1000000,
                                         .shape = 1,
                                         .seed = 3};
        const struct hs_test_options options = {
            .faults = &law, .checkpoint_s = -1, .checkpoint_cost_s = 20, .checks_fast = true};
        const struct hs_test_job job = {.gpus = cases[c].nodes, .duration_s = 2000000};
        struct hs_test_result r;
        int64_t lost_ns = 0;
        assert_int_equal(hs_test_run_with(&job, 1, cases[c].cluster, "fifo", &options, &r), HS_OK);
        for (uint32_t i = 0; i + 1 < r.segment_count; i++)
            lost_ns += r.segments[i].done_ns % (cases[c].interval_us * 1000);
        assert_true(r.segment_count > 10);
        assert_int_equal(r.jobs[0].lost_ns, lost_ns);
        /* speed: interval / (interval + C) */
        const struct hs_test_segment *s = &r.segments[0];
        const double us = (double)cases[c].interval_us, held = (double)(s->end_us - s->start_us);
        assert_true(fabs((double)s->done_ns / (held * us / (us + 20e6)) / 1000 - 1) < 1e-9);
        hs_test_free(&r);
    }
}

/* GPUs x us out of service up to the horizon. No job is on a node that is down. */
static uint64_t out_us(const struct hs_test_result *r, int64_t until_us)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->instant_count; i++) {
        const bool is_last = i + 1 == r->instant_count;
        const int64_t to_us = is_last ? until_us : r->instants[i + 1].time_us;
        sum += r->instants[i].gpus_out * (uint64_t)(to_us - r->instants[i].time_us);
    }
    return sum;
}

/* The failures of a run depend neither on the policy nor on the jobs. */
static void failures_come_from_outside(void **state)
{
    static const char *const policies[] = {"fifo", "srtf", "tiresias"};
    const struct hs_fault_law law = {
        .mtbf_us = 50000000, .rack_mtbf_us = 200000000, .repair_us = 5000000, .shape = 0.7};
    const struct hs_test_options options = {.faults = &law, .until_us = 300000000};
    struct hs_test_job jobs[8];
    uint64_t first = 0;
    (void)state;
    for (uint32_t i = 0; i < 8; i++) /* the jobs last beyond the horizon */
        jobs[i] = (struct hs_test_job){.gpus = 1, .submit_s = 7 * i, .duration_s = 9000 + i};
    for (uint32_t p = 0; p < 3; p++) {
        struct hs_test_result r;
        assert_int_equal(hs_test_run_with(jobs, 8 - p, "4x8", policies[p], &options, &r), HS_OK);
        const uint64_t out = out_us(&r, options.until_us);
        first = p == 0 ? out : first;
        assert_true(out > 0);
        assert_int_equal(out, first);
        hs_test_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_completion),
        cmocka_unit_test(gangs_fail_more_often),
        cmocka_unit_test(young_and_daly),
        cmocka_unit_test(intervals_by_hand),
        cmocka_unit_test(failures_come_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
