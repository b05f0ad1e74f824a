/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effect of wrong estimates on sjf and on easy backfill, on paper: they change the order and
 * the promises, never how long a job runs. True estimates, from whatever source, change nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

/* predictions: rows of job and seconds. */
static void expect(const char *cluster, const char *policy, const char *predictions,
                   const char *jobs, const char *timeline)
{
    char text[512], path[256], spec[512];
    snprintf(text, sizeof text, "job_id,duration\n%s", predictions);
    scratch_keep(path, sizeof path, "predictions.csv", text);
    snprintf(spec, sizeof spec, "%s,pred=file,pred_file=%s", policy, path);
    scenario_expect(cluster, spec, jobs, timeline);
}

/* 1x1: 1 (5 s) is estimated at 50 s and goes behind 2 (20 s). */
static void sjf_by_file(void **state)
{
    static const char jobs[] = "0:1,0,10 1:1,1,5 2:1,2,20";
    (void)state;
    scenario_expect("1x1", "sjf", jobs, "0:0-10 1:10-15 2:15-35");
    expect("1x1", "sjf:scan=strict", "0,10\n1,50\n2,20\n", jobs, "0:0-10 1:30-35 2:10-30");
}

/* 1x1: at 20 job 1, which runs since 10, has 90 of its 100 s left: 2 takes its GPU if estimated at
 * 85 s, and waits if estimated at 95 s. */
static void srtf_by_file(void **state)
{
    static const char jobs[] = "0:1,0,10 1:1,1,100 2:1,20,5";
    (void)state;
    expect("1x1", "srtf:placement=consolidate", "0,10\n1,100\n2,85\n", jobs,
           "0:0-10 1:10-20,25-115 2:20-25");
    expect("1x1", "srtf:placement=consolidate", "0,10\n1,100\n2,95\n", jobs,
           "0:0-10 1:10-110 2:110-115");
}

/* 1x4. 0 is expected to end at 50 and ends at 100; 1 needs all and holds the promise; nothing is
 * left beside it (1 + 3 - 4 = 0). At 20 job 2 (40 s) would end at 60, after 50: it waits. At 60 job
 * 0 has exceeded its estimate and is expected to end now: 3 (5 s) would end later and waits. 4 at
 * 61 is expected to take no time at all and starts. At 100 job 1 starts, at 150 both others.
 *   0 x3  0-100            true run times: 2 20-60, 3 60-65, 4 65-70
 *   1 x4          100-150
 *   2 x1                  150-190
 *   3 x1                  150-155
 *   4 x1     61-66 */
static void easy_underestimated(void **state)
{
    static const char jobs[] = "0:3,0,100 1:4,10,50 2:1,20,40 3:1,60,5 4:1,61,5";
    (void)state;
    expect("1x4", "fifo:scan=easy", "0,50\n1,50\n2,40\n3,5\n4,0\n", jobs,
           "0:0-100 1:100-150 2:150-190 3:150-155 4:61-66");
    scenario_expect("1x4", "fifo:scan=easy", jobs, "0:0-100 1:100-150 2:20-60 3:60-65 4:65-70");
}

/* 1x4. 0 is expected to end at 200 and ends at 100: 2 (150 s) starts at 20 because it would end at
 * 170, and keeps 1 waiting for 70 s. The promise is corrected as soon as 0 ends: 3 (1 GPU) is
 * submitted at 110, when 3 GPUs are free and 1 is expected to start at 170: 3 (50 s, until 160) may
 * start, 4 (100 s) may not.
 *   0 x3  0-100            true run times: 1 100-150, 2 150-300, 3 150-200, 4 150-250
 *   1 x4           170-220
 *   2 x1    20-170
 *   3 x1       110-160
 *   4 x1                  220-320 */
static void easy_overestimated(void **state)
{
    static const char jobs[] = "0:3,0,100 1:4,10,50 2:1,20,150 3:1,110,50 4:1,111,100";
    (void)state;
    expect("1x4", "fifo:scan=easy", "0,200\n1,50\n2,150\n3,50\n4,100\n", jobs,
           "0:0-100 1:170-220 2:20-170 3:110-160 4:220-320");
    scenario_expect("1x4", "fifo:scan=easy", jobs,
                    "0:0-100 1:100-150 2:150-300 3:150-200 4:150-250");
}

/* 1x4, conservative. 0 is expected to end at 20 and ends at 10: 1 moves up from 20 to 17, when 2
 * ends, and 3 (3 GPUs, 7 s), submitted at 5 with no time before 30, fits in before it.
 *   0000000000 3333333      0 x3, then 3 x3 until 17
 *   ..22222222 2222222      2 x1; then 1 x4 17-27 */
static void conservative_moves_up(void **state)
{
    (void)state;
    expect("1x4", "fifo:scan=conservative", "0,20\n1,10\n2,15\n3,7\n",
           "0:3,0,10 1:4,1,10 2:1,2,15 3:3,5,7", "0:0-10 1:17-27 2:2-17 3:10-17");
}

/* 1x4, conservative. 2 (4 GPUs) holds 20, the expected end of 0, and 3 (2 GPUs) holds 10, when 1
 * ends. 0 ends at 5: 2 moves up to 10, and 3 behind it loses the time that it held, for 20. */
static void conservative_loses_its_time(void **state)
{
    static const char jobs[] = "0:2,0,5 1:1,0,10 2:4,1,10 3:2,2,10";
    (void)state;
    expect("1x4", "fifo:scan=conservative", "0,20\n1,10\n2,10\n3,10\n", jobs,
           "0:0-5 1:0-10 2:10-20 3:20-30");
}

/* 1x4, conservative. 0 exceeds its estimate of 10: from then on it is expected to end now, and what
 * 1 (4 GPUs) holds begins now. 2 (1 GPU, 5 s), submitted at 3, ran until 8; 3, of the same size, is
 * submitted at 12 and waits until 1 ends. */
static void conservative_overrun(void **state)
{
    (void)state;
    expect("1x4", "fifo:scan=conservative", "0,10\n1,10\n2,5\n3,5\n",
           "0:3,0,20 1:4,1,10 2:1,3,5 3:1,12,5", "0:0-20 1:20-30 2:3-8 3:30-35");
}

/* Noise of size zero is the truth, and so is a file with the true run times: as under the oracle.
 * 1x4: behind 0 and 2 (until 30 and 26) wait 1 (4 GPUs) and 3 (1 GPU, 20 s). Under easy 3 may not
 * start at 26, for 1 is promised 30; sjf and qssf promise nothing, and 1 waits until 3 ends. */
static void right_estimates_change_nothing(void **state)
{
    static const char *const policies[] = {"fifo:scan=easy", "sjf:scan=fit", "qssf:scan=fit"};
    static const char jobs[] = "0:3,0,30 1:4,10,5 2:1,11,15 3:1,12,20";
    static const char easy[] = "0:0-30 1:30-35 2:11-26 3:35-55";
    static const char fit[] = "0:0-30 1:46-51 2:11-26 3:26-46"; /* nothing is promised to 1 */
    char spec[64];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(spec, sizeof spec, "%s,pred=oracle", policies[i]);
        scenario_expect("1x4", spec, jobs, i == 0 ? easy : fit);
        snprintf(spec, sizeof spec, "%s,pred=noisy,pred_sigma=0", policies[i]);
        scenario_expect("1x4", spec, jobs, i == 0 ? easy : fit);
        expect("1x4", policies[i], "0,30\n1,5\n2,15\n3,20\n", jobs, i == 0 ? easy : fit);
    }
}

/* 40 jobs of 1 s at 0 on one GPU run in order of their factors alone, so that with noise a job ends
 * where its draw puts it. Another seed gives another order; the same seed, the same. */
static void noise_is_of_the_seed(void **state)
{
    struct hs_test_job jobs[40] = {0};
    struct hs_test_result first, again, other;
    struct hs_test_options options = {.seed = 5};
    static const char spec[] = "sjf:pred=noisy";
    int moved = 0, out_of_order = 0;
    (void)state;
    for (int i = 0; i < 40; i++)
        jobs[i] = (struct hs_test_job){.gpus = 1, .duration_s = 1};
    assert_int_equal(hs_test_run_with(jobs, 40, "1x1", spec, &options, &first), HS_OK);
    assert_int_equal(hs_test_run_with(jobs, 40, "1x1", spec, &options, &again), HS_OK);
    options.seed = 6;
    assert_int_equal(hs_test_run_with(jobs, 40, "1x1", spec, &options, &other), HS_OK);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(first.jobs[i].end_us, again.jobs[i].end_us);
        moved += first.jobs[i].end_us != other.jobs[i].end_us;
        out_of_order += first.jobs[i].end_us != (i + 1) * HS_TEST_S;
    }
    assert_true(moved > 20 && out_of_order > 20); /* of 40, of which by chance one would stay */
    hs_test_free(&first);
    hs_test_free(&again);
    hs_test_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sjf_by_file),           cmocka_unit_test(srtf_by_file),
        cmocka_unit_test(easy_underestimated),   cmocka_unit_test(easy_overestimated),
        cmocka_unit_test(conservative_moves_up), cmocka_unit_test(conservative_loses_its_time),
        cmocka_unit_test(conservative_overrun),  cmocka_unit_test(right_estimates_change_nothing),
        cmocka_unit_test(noise_is_of_the_seed),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
