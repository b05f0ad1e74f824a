/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * QSSF on paper. Keys are GPUs x estimated seconds; a job's place is settled when it is submitted.
 * M12 is of the design's micro-scenarios, which its author ran through the Helios artifact.
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
static void expect_with(const char *cluster, const char *parameters, const char *predictions,
                        const char *jobs, const struct hs_test_options *options,
                        const char *timeline)
{
    char text[512], path[256], policy[512];
    snprintf(text, sizeof text, "job_id,estimate\n%s", predictions);
    scratch_keep(path, sizeof path, "predictions.csv", text);
    snprintf(policy, sizeof policy, "qssf:pred=file,pred_file=%s%s", path, parameters);
    scenario_expect_with(cluster, policy, jobs, options, timeline);
}

static void expect(const char *cluster, const char *parameters, const char *predictions,
                   const char *jobs, const char *timeline)
{
    expect_with(cluster, parameters, predictions, jobs, NULL, timeline);
}

/* M12, 10 s a column. 1, 2 and 3 wait behind 0 with keys 4 x 50 = 200, 2 x 60 = 120 and 8 x 10 =
 * 80: at 100 job 3 goes first, at 110 both others.
 *   0000000000 3 222222            2 of 8 GPUs
 *              3 1111111111...     4 of 8 */
static void m12(void **state)
{
    static const char predictions[] = "0,100\n1,50\n2,60\n3,10\n";
    static const char jobs[] = "0:8,0,100 1:4,10,500 2:2,20,60 3:8,30,10";
    static const char timeline[] = "0:0-100 1:110-610 2:110-170 3:100-110";
    (void)state;
    expect("1x8", "", predictions, jobs, timeline);
    expect("1x8", ",compat=helios", predictions, jobs, timeline); /* no two come at one instant */
}

/* 1x2, both at 0: 0 has key 2 x 10 = 20, 1 has 1 x 100 = 100. Helios tries jobs submitted together,
 * where none waits, by GPUs: 1 first, and beside it 0 has no room.
 *   off  0 1111111111     helios  1111111111 0        10 s a column
 *        0 ..........             .......... 0 */
static void helios_tries_arrivals_by_gpus(void **state)
{
    static const char predictions[] = "0,10\n1,100\n", jobs[] = "0:2,0,10 1:1,0,100";
    (void)state;
    expect("1x2", "", predictions, jobs, "0:0-10 1:10-110");
    expect("1x2", ",compat=helios", predictions, jobs, "0:100-110 1:0-100");
}

/* 1x4. 1 (4 x 10) and 2 (2 x 20) wait behind 0 with the same key 40: the one submitted first
 * precedes, under helios the smaller. */
static void ties_of_gpu_time(void **state)
{
    static const char predictions[] = "0,10\n1,10\n2,20\n", jobs[] = "0:4,0,10 1:4,1,10 2:2,2,20";
    (void)state;
    expect("1x4", "", predictions, jobs, "0:0-10 1:10-20 2:20-40");
    expect("1x4", ",compat=helios", predictions, jobs, "0:0-10 1:30-40 2:10-30");
}

/* 1x4, helios. At 0 by GPUs: 0 (1 GPU) and 1 (2) start, 2 (4) does not fit and waits with key 4. At
 * 5 a job waits, so 3 (key 50) is queued behind 2; at 10 only 1 GPU is held, but 2 needs all. off:
 * at 0 by key: 2 (4) for 1 s, then 1 (20) and 0 (100), and at 5 there is a GPU for 3.
 *   helios  0 0-100, 1 0-10, 2 100-101, 3 101-151 */
static void leftovers_keep_their_key(void **state)
{
    static const char predictions[] = "0,100\n1,10\n2,1\n3,50\n";
    static const char jobs[] = "0:1,0,100 1:2,0,10 2:4,0,1 3:1,5,50";
    (void)state;
    expect("1x4", ",compat=helios", predictions, jobs, "0:0-100 1:0-10 2:100-101 3:101-151");
    expect("1x4", "", predictions, jobs, "0:1-101 1:1-11 2:0-1 3:5-55");
}

/* 1x4: 0 and 1 start at 0. 2 (key 2) and 3 (key 9) are submitted at 1, where none waits: helios
 * tries 3 (1 GPU) first, and 2 (2 GPUs) waits until 1 ends. */
static void arrivals_beside_running_jobs(void **state)
{
    static const char predictions[] = "0,9\n1,9\n2,1\n3,9\n";
    static const char jobs[] = "0:1,0,20 1:1,0,9 2:2,1,1 3:1,1,30";
    (void)state;
    expect("1x4", ",compat=helios", predictions, jobs, "0:0-20 1:0-9 2:9-10 3:1-31");
    expect("1x4", "", predictions, jobs, "0:0-20 1:0-9 2:1-2 3:2-32");
}

/* 1x1, helios: 0 is tried first, by row, and ends at once; the others are left over then, and go by
 * their keys 1 and 4, in the same instant. */
static void leftovers_of_an_instant_that_repeats(void **state)
{
    (void)state;
    expect("1x1", ",compat=helios", "0,9\n1,4\n2,1\n", "0:1,0,0 1:1,0,4 2:1,0,1",
           "0:0-0 1:1-5 2:0-1");
}

/* 2x4, node 0 belongs to a, node 1 to b. That 1 waits in a does not affect b: there helios tries 3
 * (1 GPU) before 2 (key 4), both submitted at 5. */
static void virtual_clusters_are_independent(void **state)
{
    static const char vcs[] = "{\"vcs\": {\"a\": 4, \"b\": 4}}\n";
    static const char predictions[] = "0,100\n1,10\n2,1\n3,10\n";
    static const char jobs[] = "0:4,0,100@a 1:1,1,10@a 2:4,5,1@b 3:1,5,20@b";
    struct hs_test_options options = {.vc = HS_VC_PARTITION};
    char path[256];
    (void)state;
    scratch_keep(path, sizeof path, "vcs.json", vcs);
    options.vc_file = path;
    expect_with("2x4", ",compat=helios", predictions, jobs, &options,
                "0:0-100 1:100-110 2:25-26 3:5-25");
    expect_with("2x4", "", predictions, jobs, &options, "0:0-100 1:100-110 2:5-6 3:6-26");
}

/* 1x4: strict keeps 2 waiting behind 1, which needs all, although a GPU is free; fit does not. */
static void scan(void **state)
{
    static const char predictions[] = "0,10\n1,1\n2,100\n", jobs[] = "0:3,0,10 1:4,1,1 2:1,2,100";
    (void)state;
    expect("1x4", "", predictions, jobs, "0:0-10 1:10-11 2:11-111");
    expect("1x4", ",scan=fit", predictions, jobs, "0:0-10 1:102-103 2:2-102");
}

/* A job that is not in the file has the estimate pred_unknown: 1 h, so that 1 (20 s) passes 2; with
 * 10 s it does not. */
static void unknown_jobs(void **state)
{
    static const char jobs[] = "0:1,0,5 2:1,1,30 1:1,2,20";
    (void)state;
    expect("1x1", "", "0,5\n1,20\n", jobs, "0:0-5 2:25-55 1:5-25");
    expect("1x1", ",pred_unknown=10s", "0,5\n1,20\n", jobs, "0:0-5 2:5-35 1:35-55");
}

/* 1x16: 1 has 16 GPUs x 1.1e18 us, which is beyond 2^63 and stays behind the 1e18 of 2. */
static void gpu_times_beyond_counting(void **state)
{
    static const char predictions[] = "0,10\n1,1.1e12\n2,1e12\n";
    static const char jobs[] = "0:16,0,10 1:16,1,1 2:1,2,1";
    (void)state;
    expect("1x16", "", predictions, jobs, "0:0-10 1:11-12 2:10-11");
    expect("1x16", ",compat=helios", predictions, jobs, "0:0-10 1:11-12 2:10-11");
}

/* 1x1, rolling (the default). 0 and 1 are submitted before any job is done: 1 h each. 2 of bob at
 * 20: no job of bob is done, so the mean of all, 10 s. 3 of ann at 21: hers, 10 s. At 50 job 1 is
 * done, and counts for jobs submitted at that instant: 4 of bob has 40 s, 5 of cy (10 + 40) / 2 =
 * 25 s. 2 keeps its 10 s. So 2 and 3 run in the order of submission, then 5, then 4.
 *   0 0-10, 1 10-50, 2 50-55, 3 55-85, 5 85-86, 4 86-87 */
static void rolling(void **state)
{
    (void)state;
    scenario_expect("1x1", "qssf",
                    "0:1,0,10~ann 1:1,2,40~bob 2:1,20,5~bob 3:1,21,30~ann 4:1,50,1~bob 5:1,50,1~cy",
                    "0:0-10 1:10-50 2:50-55 3:55-85 4:86-87 5:85-86");
}

/* 1x4, rolling: ann's job of 1 GPU took 10 s, that of 2 GPUs 30 s. Behind 2, which holds all until
 * 70, wait 3 (3 GPUs, a size new to ann: the mean of her jobs, 20 s, x 3 = 60), 4 (2 GPUs: 2 x 30 =
 * 60) and 5 (1 GPU: 10). 5 and 3 start at 70, 4 at 71 on the GPUs of 3. By the mean over all sizes
 * 4 would have 40 and pass 3. */
static void rolling_by_gpus(void **state)
{
    (void)state;
    scenario_expect(
        "1x4", "qssf",
        "0:1,0,10~ann 1:2,0,30~ann 2:4,60,10~bob 3:3,61,1~ann 4:2,62,1~ann 5:1,63,5~ann",
        "0:0-10 1:0-30 2:60-70 3:70-71 4:71-72 5:70-75");
}

/* 1x1. Each attempt is a job of its own: the oracle gives 20 s for the first of job 0 and 10 s for
 * the second, which hence passes 1 (15 s), and would not with 30 s for the whole. */
static void attempts_by_the_oracle(void **state)
{
    (void)state;
    scenario_expect("1x1", "qssf:pred=oracle", "0:1,0,20/10 1:1,5,15", "0:0-20,20-30 1:30-45");
}

/* 1x1, rolling: an attempt is a job of its own, also for later predictions. Job 1 was submitted
 * when nothing was known: 1 h. The second attempt of job 0, submitted at 10, is predicted to take
 * the 10 s of the first, and passes. */
static void attempts_that_fail_teach(void **state)
{
    (void)state;
    scenario_expect("1x1", "qssf", "0:1,0,10/20~ann 1:1,5,15~bob", "0:0-10,10-30 1:30-45");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m12),
        cmocka_unit_test(helios_tries_arrivals_by_gpus),
        cmocka_unit_test(ties_of_gpu_time),
        cmocka_unit_test(leftovers_keep_their_key),
        cmocka_unit_test(arrivals_beside_running_jobs),
        cmocka_unit_test(leftovers_of_an_instant_that_repeats),
        cmocka_unit_test(virtual_clusters_are_independent),
        cmocka_unit_test(scan),
        cmocka_unit_test(unknown_jobs),
        cmocka_unit_test(gpu_times_beyond_counting),
        cmocka_unit_test(rolling),
        cmocka_unit_test(rolling_by_gpus),
        cmocka_unit_test(attempts_by_the_oracle),
        cmocka_unit_test(attempts_that_fail_teach),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
