/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The timeline's integrals and the three samplings of series.csv.
 *
 * The run of these tests, on 4 GPUs: gpus_held is 2 in [0, 3) s, 4 in [3, 5), 0 in [5, 7]. Its
 * integral is 2*3 + 4*2 = 14 GPU-seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/rng.h"
#include "report/run/rows.c"
#include "support/handrun.h"
#include "support/sink.h"

#define S HS_US_PER_S

static const struct hs_instant steps[] = {
    {.time_us = 0, .running = 1, .gpus_held = 2, .solo_pm_q32 = 1000 * HS_Q32_ONE},
    {.time_us = 3 * S, .running = 2, .pending = 1, .gpus_held = 4, .wait_resources = 3},
    {.time_us = 5 * S},
};
#define END_US (7 * S)

static void integrates_exactly(void **state)
{
    (void)state;
    struct hs_timeline t = {.width_us = HS_TIMELINE_WIDTH_US, .marked = HS_CH_SERIES};
    for (int i = 0; i < 3; i++)
        hs_timeline_step(&t, &steps[i]);
    hs_timeline_advance(&t, END_US);
    assert_int_equal((uint64_t)t.sum[HS_CH_GPUS_HELD], 14 * S);
    assert_int_equal((uint64_t)t.sum[HS_CH_LOADED], 2 * S);      /* a job waits in [3, 5) */
    assert_int_equal((uint64_t)t.sum[HS_CH_HELD_LOADED], 8 * S); /* 4 GPUs, 2 s */
    assert_int_equal((uint64_t)t.sum[HS_CH_WAIT_RESOURCES], 6 * S);
    assert_int_equal(intervals_of(&t), 7);
    assert_int_equal((uint64_t)part_of(&t, HS_CH_GPUS_HELD, 2), 2 * S);
    assert_int_equal((uint64_t)part_of(&t, HS_CH_GPUS_HELD, 3), 4 * S);
}

static void counts_a_partial_last_interval(void **state)
{
    (void)state;
    struct hs_timeline t = {.width_us = HS_TIMELINE_WIDTH_US, .marked = HS_CH_SERIES};
    hs_timeline_step(&t, &(struct hs_instant){.time_us = 0, .running = 3});
    hs_timeline_advance(&t, 2 * S + S / 2);
    assert_int_equal(intervals_of(&t), 3);
    assert_int_equal(start_us_of(&t, 2), 2 * S);
    assert_int_equal(start_us_of(&t, 3), 2 * S + S / 2);
    assert_int_equal((uint64_t)part_of(&t, HS_CH_RUNNING, 2), 3 * S / 2);
}

/* Random steps over 10,000 s, five times the initial number of marks, and between two of them an
 * instant without a change: the parts of all intervals add up to the integral computed directly,
 * and every interval but the last has the same width. */
static void doubles_without_losing_anything(void **state)
{
    (void)state;
    struct hs_timeline t = {.width_us = HS_TIMELINE_WIDTH_US, .marked = HS_CH_SERIES};
    hs_u128 direct = 0, parts = 0;
    int64_t now = 0;
    uint64_t running = 0;
    for (uint64_t i = 0; now < 10000 * S; i++) {
        hs_timeline_step(&t, &(struct hs_instant){.time_us = now, .running = running});
        int64_t dt = (int64_t)(hs_mix64(7, i) % (uint64_t)(20 * S));
        direct += (hs_u128)running * (uint64_t)dt;
        hs_timeline_step(&t, &(struct hs_instant){.time_us = now + dt / 2, .is_still = true});
        now += dt;
        hs_timeline_advance(&t, now);
        running = hs_mix64(8, i) % 100;
    }
    uint32_t count = intervals_of(&t);
    assert_in_range(count, HS_TIMELINE_MARKS / 2, HS_TIMELINE_MARKS + 1);
    assert_int_equal(t.width_us, 8 * S); /* 10,000 / 2,048 = 4.9, the next power of two */
    for (uint32_t k = 0; k < count; k++)
        parts += part_of(&t, HS_CH_RUNNING, k);
    assert_true(parts == direct);
    assert_true(t.sum[HS_CH_RUNNING] == direct);
    assert_int_equal(start_us_of(&t, count), now);
}

static void survives_a_gap_of_years(void **state)
{
    (void)state;
    struct hs_timeline t = {.width_us = HS_TIMELINE_WIDTH_US, .marked = HS_CH_SERIES};
    const int64_t years = INT64_C(300000000) * S; /* 9.5 years */
    hs_timeline_step(&t, &(struct hs_instant){.time_us = 0, .running = 1});
    hs_timeline_advance(&t, years);
    assert_true(t.sum[HS_CH_RUNNING] == (hs_u128)years);
    assert_in_range(intervals_of(&t), HS_TIMELINE_MARKS / 2, HS_TIMELINE_MARKS + 1);
}

/* The rows of `metric` in the file written with this sampling for the run above. */
static void expect_rows(int64_t sample_us, const char *metric, const char *expected)
{
    struct sink sink;
    static struct hs_summary summary;
    struct hs_cluster cluster;
    struct hs_report *report;
    struct hs_rundir dir;
    const struct hs_observer *observer;
    char rows[1024] = "";
    char *text;
    size_t length;
    sink_init(&sink);
    handrun_cluster(&cluster);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("run"), false, &sink.diag), HS_OK);
    const struct hs_report_options options = {
        .dir = &dir, .cluster = &cluster, .outputs = HS_OUT_SERIES, .sample_us = sample_us};
    assert_int_equal(hs_report_open(&report, &options, &sink.diag), HS_OK);
    for (int i = 0; i < 3; i++)
        for (size_t o = 0; (observer = hs_report_observer(report, o)) != NULL; o++)
            if (observer->on_instant != NULL)
                assert_int_equal(observer->on_instant(observer->ctx, &steps[i]), HS_OK);
    assert_int_equal(hs_report_finish(report, END_US, &summary, &sink.diag), HS_OK);
    hs_report_close(report);
    const char *path = HS_RUNDIR_FILE(&dir, "series.csv");
    assert_int_equal(hs_read_file(path, 1 << 20, &text, &length, &sink.diag), HS_OK);
    assert_memory_equal(text, "time,metric,key,value\n", 22);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *comma = strchr(line, ',');
        if (strncmp(comma + 1, metric, strlen(metric)) == 0)
            strncat(rows, line, (size_t)(end + 1 - line));
    }
    assert_string_equal(rows, expected);
    hs_free(text);
    hs_rundir_discard(&dir);
}

static void samples_every_change(void **state)
{
    (void)state;
    expect_rows(-1, "gpus_held", "0,gpus_held,,2\n3,gpus_held,,4\n5,gpus_held,,0\n");
    expect_rows(-1, "gpus_waiting,res",
                "0,gpus_waiting,resources,0\n3,gpus_waiting,resources,3\n"
                "5,gpus_waiting,resources,0\n");
    expect_rows(-1, "suspended", "0,suspended,,0\n");
    expect_rows(-1, "util_sum", "0,util_sum,,0.25\n3,util_sum,,0\n"); /* 1 of 4 GPUs */
}

/* [0, 2): 2; [2, 4): 1 s of 2 and 1 s of 4; [4, 6): 1 s of 4; [6, 7]: 0. */
static void samples_fixed_intervals(void **state)
{
    (void)state;
    expect_rows(2 * S, "gpus_held",
                "0,gpus_held,,2\n2,gpus_held,,3\n4,gpus_held,,2\n6,gpus_held,,0\n");
    /* 6 GPU-s of waiting in [3, 5): a third of it per second of [0, 7] is 6/7 */
    expect_rows(10 * S, "gpus_waiting,res", "0,gpus_waiting,resources,0.857143\n");
}

static void samples_the_timeline(void **state)
{
    (void)state;
    expect_rows(0, "gpus_held",
                "0,gpus_held,,2\n1,gpus_held,,2\n2,gpus_held,,2\n3,gpus_held,,4\n"
                "4,gpus_held,,4\n5,gpus_held,,0\n6,gpus_held,,0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_exactly),
        cmocka_unit_test(counts_a_partial_last_interval),
        cmocka_unit_test(doubles_without_losing_anything),
        cmocka_unit_test(survives_a_gap_of_years),
        cmocka_unit_test(samples_every_change),
        cmocka_unit_test(samples_fixed_intervals),
        cmocka_unit_test(samples_the_timeline),
    };
    return cmocka_run_group_tests_name("series", tests, scratch_open, scratch_close);
}
