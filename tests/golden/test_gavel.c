/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel: rounds of 360 s small enough to draw. G-numbers are micro-scenarios of the design. Speeds
 * are steps a second; a job of N steps runs N seconds at speed 1. In a drawing a row is a GPU, a
 * column a round, '.' an idle GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/speed.h"
#include "support/scenario.h"
#include "support/sink.h"

#define expect scenario_expect

/* ---- rounds ---- */

static void expect_ends(const char *cluster, const char *policy, const struct hs_test_job *jobs,
                        uint32_t count, const int64_t *ends_s)
{
    struct hs_test_result r;
    assert_int_equal(hs_test_run(jobs, count, cluster, policy, &r), HS_OK);
    for (uint32_t i = 0; i < count; i++)
        if (r.jobs[i].end_us != ends_s[i] * HS_TEST_S)
            fail_msg("%s: job %u ends at %g s, not %lld", policy, i, (double)r.jobs[i].end_us / 1e6,
                     (long long)ends_s[i]);
    hs_test_free(&r);
}

/* G5: las, 2 GPUs, A of one and B of two, 10,800 s each. X = (1, 1/2): a rate per GPU of 1 for
 * both. They cannot run at once, so that by the priorities X / received they take turns, A B A A B
 * A ..: A gets two thirds of the time and ends at 10,800 / (2/3) = 16,200; B then has done 5,400
 * and ends at 21,600. */
static void g5_gangs(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 10800},
                                       {.gpus = 2, .duration_s = 10800}};
    expect_ends("1x2:V100", "gavel", jobs, 2, (const int64_t[]){16200, 21600});
}

/* G6: two jobs of two rounds on one GPU.
 *   fifo           0011
 *   isolated, las  0101 */
static void g6_turns(void **state)
{
    static const char jobs[] = "0:1,0,720 1:1,0,720";
    (void)state;
    expect("1x1:V100", "gavel:objective=fifo", jobs, "0:0-720 1:720-1440");
    expect("1x1:V100", "gavel:objective=isolated", jobs, "0:0-360,720-1080 1:360-720,1080-1440");
    expect("1x1:V100", "gavel", jobs, "0:0-360,720-1080 1:360-720,1080-1440");
}

/* G7: one GPU. Job 0 has three rounds; job 1, of 100 s, is submitted at 50 and waits for the
 * boundary at 360, where both have a share of 1/2 and nothing since the solution: the lower id is
 * first. At 720 job 1 has its turn; it ends at 820, and the GPU idles until 1080.
 *   fifo 0001    las 001.0    refill=yes: 0 starts again at 820 */
static void g7_idle_end(void **state)
{
    static const char jobs[] = "0:1,0,1080 1:1,50,100";
    (void)state;
    expect("1x1:V100", "gavel:objective=fifo", jobs, "0:0-1080 1:1080-1180");
    expect("1x1:V100", "gavel", jobs, "0:0-720,1080-1440 1:720-820");
    expect("1x1:V100", "gavel:refill=yes", jobs, "0:0-720,820-1180 1:720-820");
}

/* G8: three GPUs and three jobs: each gets one at the first boundary after its submission. */
static void g8_arrivals(void **state)
{
    (void)state;
    expect("1x3:V100", "gavel", "0:1,0,3600 1:1,300,3600 2:1,400,360",
           "0:0-3600 1:360-3960 2:720-1080");
    /* with refill=yes at once */
    expect("1x3:V100", "gavel:refill=yes", "0:1,0,3600 1:1,300,3600 2:1,400,360",
           "0:0-3600 1:300-3900 2:400-760");
}

/* Finish-time fairness, one GPU. Two equal jobs get equal parts, and turns as under las. With 3,600
 * and 720 s the short one still gets half of the time: it has two of the first four rounds, and the
 * long one ends when all work is done, 4,320. */
static void ftf_turns(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 3600},
                                       {.gpus = 1, .duration_s = 720}};
    expect("1x1:V100", "ftf", "0:1,0,720 1:1,0,720", "0:0-360,720-1080 1:360-720,1080-1440");
    assert_int_equal(hs_test_run(jobs, 2, "1x1:V100", "ftf", &r), HS_OK);
    assert_true(r.jobs[1].end_us <= 1440 * HS_TEST_S);
    assert_int_equal(r.jobs[0].end_us, 4320 * HS_TEST_S);
    hs_test_free(&r);
}

/* Where a job is submitted and another ends in every round, a job of a small share can starve: each
 * solution resets all times. One GPU, job 0 of weight 1 and two rounds; 200 of weight 4 and one
 * round each, one submitted each round. The shares of 0 and another are .2 and .8, and the priority
 * of the other is always the higher one, .8 / 180 to .2 / 180: 0 runs when all others have ended,
 * at 72,000. With carry=yes what 0 received falls by .2 x 360 = 72 s a round, 180, 108, 36, and .2
 * / 36 is before .8 / 180: it runs [720, 1080). Then it has received 36 + 360 - 72 = 324, there are
 * two others, the shares are 1/9, 4/9, 4/9, and it falls by 40 s a round: 284 at 1440, .. 44 at
 * 3600, 4 at 3960. The job submitted a round before has received 180 - 160 = 20: 1/9 / 4 is before
 * 4/9 / 20, not 1/9 / 44. */
static void starvation(void **state)
{
    (void)state;
    struct hs_test_job jobs[201] = {{.gpus = 1, .duration_s = 720}};
    struct hs_test_result r;
    for (int i = 1; i <= 200; i++)
        jobs[i] = (struct hs_test_job){
            .submit_s = 360 * (i - 1), .gpus = 1, .duration_s = 360, .priority = 3};
    assert_int_equal(hs_test_run(jobs, 201, "1x1:V100", "gavel", &r), HS_OK);
    assert_int_equal(r.jobs[0].start_us, 72000 * HS_TEST_S);
    hs_test_free(&r);
    assert_int_equal(hs_test_run(jobs, 201, "1x1:V100", "gavel:carry=yes", &r), HS_OK);
    assert_int_equal(r.jobs[0].start_us, 720 * HS_TEST_S);
    assert_int_equal(r.jobs[0].end_us, 4320 * HS_TEST_S);
    hs_test_free(&r);
}

/* G12 as a run, priorities 2, 0, 0, 0: a GPU for each. */
static void g12_in_rounds(void **state)
{
    (void)state;
    struct hs_test_job jobs[4];
    for (int i = 0; i < 4; i++)
        jobs[i] = (struct hs_test_job){.gpus = 1, .duration_s = 720, .priority = i == 0 ? 2 : 0};
    expect_ends("1x4:V100", "gavel:fill=yes", jobs, 4, (const int64_t[]){720, 720, 720, 720});
}

/* GN2, what must not appear: fifo gives no job the GPUs that others hold, so that the third job
 * waits for both others and then runs without turns. */
static void gn2_fifo_does_not_turn(void **state)
{
    (void)state;
    expect("1x4:V100", "gavel:objective=fifo", "0:1,0,360 1:3,0,2160 2:4,0,720",
           "0:0-360 1:0-2160 2:2160-2880");
}

/* GN3: a last round of fewer steps than GPUs is a normal round. 363 s are a round and 3 s. */
static void gn3_last_steps(void **state)
{
    (void)state;
    expect("1x5:V100", "gavel:objective=fifo", "0:4,0,363*1 1:1,0,720", "0:0-363 1:0-720");
}

/* GN4: ids decide nothing. 24 jobs, an equal pair each 100 s, with ids that ascend and ids that
 * descend, have the same starts and ends, row by row. */
static void gn4_ids_do_not_matter(void **state)
{
    enum { JOBS = 24 };
    static const char *const policies[] = {"gavel", "gavel:objective=fifo", "ftf",
                                           "gavel:objective=makespan"};
    (void)state;
    struct hs_test_job jobs[JOBS];
    struct hs_test_result r[2];
    char ids[2][JOBS][8];
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(ids[0][i], sizeof ids[0][i], "j%02d", i);
        (void)snprintf(ids[1][JOBS - 1 - i], sizeof ids[1][i], "j%02d", i);
        jobs[i] = (struct hs_test_job){.submit_s = i / 2 * 100,
                                       .gpus = 1 + (uint32_t)(i / 2 % 3),
                                       .duration_s = 300 + i / 2 * 7 % 5 * 400};
    }
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        for (int order = 0; order < 2; order++) {
            for (int i = 0; i < JOBS; i++)
                jobs[i].id = ids[order][i];
            assert_int_equal(hs_test_run(jobs, JOBS, "1x4:V100", policies[p], &r[order]), HS_OK);
        }
        for (int i = 0; i < JOBS; i++) {
            assert_int_equal(r[0].jobs[i].start_us, r[1].jobs[i].start_us);
            assert_int_equal(r[0].jobs[i].end_us, r[1].jobs[i].end_us);
        }
        hs_test_free(&r[0]);
        hs_test_free(&r[1]);
    }
}

/* In an idle cluster a round begins with the next submission; a gang larger than all GPUs of any
 * type is rejected; a CPU job starts at once. */
static void edges(void **state)
{
    (void)state;
    expect("1x1:V100", "gavel", "0:1,0,100 1:1,500,100", "0:0-100 1:500-600");
    expect("1x1:V100,1x1:K80", "gavel", "0:2,0,100 1:1,0,100 2:0,30,10",
           "0:rejected 1:0-100 2:30-40");
}

/* ---- pairs ---- */

/* Two jobs of 630 s on one GPU, each at `speed` beside the other. */
static void expect_pair(const char *policy, double speed, const double ends_s[2])
{
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 630},
                                       {.gpus = 1, .duration_s = 630}};
    const struct hs_test_options options = {.excess = 1 / speed - 1};
    struct hs_test_result r;
    if (hs_test_run_with(jobs, 2, "1x1:V100", policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    for (int i = 0; i < 2; i++) /* the excess is rounded to 2^-20: 630 s to .6 ms */
        if (fabs((double)r.jobs[i].end_us / 1e6 - ends_s[i]) > .001)
            fail_msg("%s: job %d ends at %g s, not %g", policy, i, (double)r.jobs[i].end_us / 1e6,
                     ends_s[i]);
    hs_test_free(&r);
}

/* G11 in rounds. At .7 beside each other both end at 630 / .7 = 900. At .45 they take turns: 0
 * [0, 360) [720, 990), 1 [360, 720) [1080, 1350). fifo: at 1.55 in all, .775 each, both end at 630
 * / .775; at 1.45 the second waits for the boundary behind the end of the first, 720. With
 * pair_above=0.8 it joins at .9 in all: 630 / .45. */
static void g11_rounds(void **state)
{
    static const char *const objectives[] = {"las", "ftf", "makespan", "throughput"};
    (void)state;
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        char policy[64];
        (void)snprintf(policy, sizeof policy, "gavel:share=pairs,objective=%s", objectives[i]);
        expect_pair(policy, .7, (const double[]){900, 900});
    }
    expect_pair("gavel:share=pairs", .45, (const double[]){990, 1350});
    expect_pair("ftf:share=pairs", .45, (const double[]){990, 1350});
    expect_pair("gavel:share=pairs,objective=fifo", .775, (const double[]){630 / .775, 630 / .775});
    expect_pair("gavel:share=pairs,objective=fifo", .725, (const double[]){630, 1350});
    expect_pair("gavel:share=pairs,objective=fifo,pair_above=0.8", .45,
                (const double[]){1400, 1400});
}

/* Three equal jobs on one GPU, .8 beside another: by the shares each two have a third of the time,
 * and each job two thirds x .8 = .533. By the priorities the rounds are 01 02 12: each job does two
 * rounds of three at .8, 288 s, and has 630 s to do: 576 after three rounds. Of the next pair the
 * last 54 s take 67.5: at 1080 0 and 1, 1147.5; 2 at 1440 alone, 54 s. As .8 is rounded down, each
 * end is a microsecond later. Two gangs on the same GPUs are a pair as well. */
static void pairs_take_turns(void **state)
{
    static const struct hs_test_options options = {.excess = .25};
    (void)state;
    scenario_expect_with(
        "1x1:V100", "gavel:share=pairs", "0:1,0,630 1:1,0,630 2:1,0,630", &options,
        "0:0-720,1080-1147.500001 1:0-360,720-1147.500001 2:360-1080,1440-1494.000001");
    scenario_expect_with("2x2:V100", "gavel:share=pairs", "0:4,0,360 1:4,0,360", &options,
                         "0:0-450.000001 1:0-450.000001");
    /* jobs of different gang sizes are no pair; their rates x GPUs are equal at shares of 1/2 and 1
     */
    scenario_expect_with("1x2:V100", "gavel:share=pairs", "0:2,0,360 1:1,0,360", &options,
                         "0:360-720 1:0-360");
}

/* A V100 has 16,384 MiB. Two jobs of 4,000 and 10,000 fit and run at .8, 630 / .8 = 787.5; two of
 * 4,000 and 13,000 take turns as in g11_rounds. */
static void pairs_fit_in_memory(void **state)
{
    static const struct hs_test_options options = {.excess = .25};
    (void)state;
    scenario_expect_with("1x1:V100", "gavel:share=pairs", "0:1,0,630&4000 1:1,0,630&10000",
                         &options, "0:0-787.500001 1:0-787.500001");
    scenario_expect_with("1x1:V100", "gavel:share=pairs", "0:1,0,630&4000 1:1,0,630&13000",
                         &options, "0:0-360,720-990 1:360-720,1080-1350");
}

/* Jobs 0 and 1 share the GPU 5/9 of the time, 2, which leaves no memory for another, has it 4/9:
 * .8 x 5/9 of each. Share over time received, 180 s and each round, is 5/9 / 180 and 4/9 / 180,
 * then 5/9 / 540 and 4/9 / 180, then 5/9 / 540 and 4/9 / 540: pair and job take turns. */
static void pair_and_job_take_turns(void **state)
{
    static const struct hs_test_options options = {.excess = .25};
    (void)state;
    scenario_expect_with("1x1:V100", "gavel:share=pairs",
                         "0:1,0,570&4000 1:1,0,570&4000 2:1,0,720&13000", &options,
                         "0:0-360,720-1072.500001 1:0-360,720-1072.500001 2:360-720,1080-1440");
}

/* As in pairs_take_turns, but 0 has 240 s to do, and nothing is solved anew for an hour: of the
 * pairs that of 1 and 2 is left. 1 has done 300 s by 360, alone from 300 on, and 330 / .8 are left;
 * 2 does 330 by then, and has 300 s left, alone. */
static void pairs_end_with_a_job(void **state)
{
    static const struct hs_test_options options = {.excess = .25};
    (void)state;
    scenario_expect_with("1x1:V100", "gavel:share=pairs,reset=3600",
                         "0:1,0,240 1:1,0,630 2:1,0,630", &options,
                         "0:0-300.000001 1:0-772.500001 2:360-1072.500001");
}

/* Three equal jobs of 630 s on two types, equally fast, .8 beside another: two on one type and one
 * on the other do 2.6, and .867 each with turns. The types gain alike, so the first by name has the
 * pairs, GPU 0: 0 and 1, then 0 and 2. By 360 they did 288, 288 and 360 s: 1 ends at 360 + 342, 2
 * at 360 + 270 / .8; 0 has 72 s left then, alone. */
static void pairs_on_first_of_like_types(void **state)
{
    static const struct hs_test_options options = {.excess = .25};
    (void)state;
    scenario_expect_with("1x1:K80,1x1:V100", "gavel:share=pairs", "0:1,0,630 1:1,0,630 2:1,0,630",
                         &options,
                         "0:0-769.500001@0 1:0-360@0,360-702.000001@1 2:0-360@1,360-697.500001@0");
}

/* The policy acts on predictions: by a table, and without a predictor of utilizations, two jobs are
 * predicted not to slow each other, and are placed on one GPU, where they run at .45. */
static void pairs_are_predicted(void **state)
{
    struct sink sink;
    struct hs_catalogue catalogue = {0};
    struct hs_cluster cluster;
    struct hs_speed *speed;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 630},
                                       {.gpus = 1, .duration_s = 630}};
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&cluster, "1x1:V100", &sink.diag), HS_OK);
    assert_int_equal(hs_speed_load(&speed, "configs/models/speed.json", &catalogue, &cluster,
                                   "V100", &sink.diag),
                     HS_OK);
    hs_speed_predict_by(speed, &catalogue, &cluster,
                        &(struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_TABLE});
    const struct hs_test_options options = {
        .speed = speed, .catalogue = &catalogue, .excess = 1 / .45 - 1};
    assert_int_equal(hs_test_run_with(jobs, 2, "1x1:V100", "gavel:share=pairs", &options, &r),
                     HS_OK);
    assert_in_range(r.jobs[0].end_us, 1399900000, 1400100000);
    assert_in_range(r.jobs[1].end_us, 1399900000, 1400100000);
    hs_test_free(&r);
    hs_speed_free(speed);
    hs_cluster_free(&cluster);
}

/* ---- compat ---- */

#define COMPAT "compat=gavel,reset=1920s"

/* G6 and G7: the round in which job 1 ends is cut at that end, at 820, and 0 resumes at once. */
static void compat_short_rounds(void **state)
{
    static const char two[] = "0:1,0,720 1:1,0,720", late[] = "0:1,0,1080 1:1,50,100";
    (void)state;
    expect("1x1:V100", "gavel:objective=fifo,aware=no," COMPAT, two, "0:0-720 1:720-1440");
    expect("1x1:V100", "gavel:" COMPAT, two, "0:0-360,720-1080 1:360-720,1080-1440");
    expect("1x1:V100", "gavel:objective=fifo,aware=no," COMPAT, late, "0:0-1080 1:1080-1180");
    expect("1x1:V100", "gavel:" COMPAT, late, "0:0-720,820-1180 1:720-820");
}

/* G8: 2 is submitted at 400, after the solution at 360, and does not run before the next: 360 +
 * 1,920 is 2,280, the next boundary is 2,520. Without compat (GN1) it runs from 720 on. */
static void compat_waits_for_solution(void **state)
{
    (void)state;
    expect("1x3:V100", "gavel:" COMPAT, "0:1,0,3600 1:1,300,3600 2:1,400,360",
           "0:0-3600 1:360-3960 2:2520-2880");
}

/* GN2: at 360 the first job has ended, and the third, of 4 GPUs, fits into the 4 of the cluster, of
 * which 3 are held: it takes turns with the second. At 720 the third has received less, at 1080 as
 * much as the second, which is due more; at 1440 it has less again. */
static void compat_fifo_takes_turns(void **state)
{
    (void)state;
    expect("1x4:V100", "gavel:objective=fifo,aware=no," COMPAT, "0:1,0,360 1:3,0,2160 2:4,0,720",
           "0:0-360 1:0-720,1080-1440,1800-2880 2:720-1080,1440-1800");
}

/* GN3: four workers share the 3 steps that are left after the first round, and do none. Job 1 runs
 * until 720; the round that begins then is as long as 3 steps: five rounds are over at 360 + 360 +
 * 4 x 3 s. */
static void compat_drops(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 4, .duration_s = 363},
                                       {.gpus = 1, .duration_s = 720}};
    assert_int_equal(hs_test_run(jobs, 2, "1x5:V100", "gavel:objective=fifo,aware=no," COMPAT, &r),
                     HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_FAILED);
    assert_int_equal(r.jobs[0].end_us, 732 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 720 * HS_TEST_S);
    hs_test_free(&r);
}

/* Steps of 0.7 s: 514 fit into a round, 359.8 s; the job of 1,000 has 486 left, which end at 359.8
 * + 340.2 = 700 s. The other, of 250 steps of 2.8 s, does 128 in the first round, 358.4 s, and is
 * idle until 359.8. In the second round it loses nothing: the round ends with the first job, at
 * 700; 122 steps are 341.6 s: 701.4 s. */
static void compat_whole_steps(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 700, .steps = 1000, .steps_per_s = 1 / .7},
        {.gpus = 1, .duration_s = 700, .steps = 250, .steps_per_s = 1 / 2.8}};
    assert_int_equal(hs_test_run(jobs, 2, "1x2:V100", "gavel:" COMPAT, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 700 * HS_TEST_S);
    assert_in_range(r.jobs[1].end_us, 701399999, 701400001); /* idle times are whole microseconds */
    hs_test_free(&r);
}

/* ---- types ---- */

#define PROFILES 3

/* Jobs of profiles 1, 2, 3 with these speeds on a K80, where their speed on a V100 is 1. */
static void expect_typed(const char *policy, const double *k80, const struct hs_test_job *jobs,
                         const char *const *nodes, const int64_t *times_s)
{
    struct sink sink;
    struct hs_catalogue catalogue;
    struct hs_cluster cluster;
    struct hs_speed *speed;
    struct hs_test_result r;
    char profiles[256] = "model,dataset,batch,precision,family\n", rows[1024] = "";
    char path[2][256], text[2048];
    for (int i = 0; i < PROFILES; i++) {
        size_t len = strlen(profiles), at = strlen(rows);
        (void)snprintf(profiles + len, sizeof profiles - len, "M%d,D,1,fp32,F\n", i);
        (void)snprintf(rows + at, sizeof rows - at,
                       "%s{\"profile\": \"M%d/D/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": "
                       "1, \"K80\": %g}}",
                       i > 0 ? ", " : "", i, k80[i]);
    }
    (void)snprintf(text, sizeof text,
                   "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"K80\"], "
                   "\"reference\": \"V100\", \"jobs\": [%s], \"families\": [{\"family\": \"F\", "
                   "\"jobs\": 3, \"speed\": {\"V100\": 1, \"K80\": 1}}]}",
                   rows);
    scratch_keep(path[0], sizeof path[0], "profiles.csv", profiles);
    scratch_keep(path[1], sizeof path[1], "speed.json", text);
    sink_init(&sink);
    assert_int_equal(hs_catalogue_load(&catalogue, path[0], &sink.diag), HS_OK);
    static const char shape[] = "1x1:V100,1x1:K80";
    assert_int_equal(hs_cluster_load(&cluster, shape, &sink.diag), HS_OK);
    if (hs_speed_load(&speed, path[1], &catalogue, &cluster, "V100", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    hs_speed_predict_by(speed, &catalogue, &cluster,
                        &(struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_ORACLE});
    const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
    if (hs_test_run_with(jobs, PROFILES, shape, policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    for (uint32_t i = 0; i < PROFILES; i++) {
        const int64_t start_us = r.jobs[i].start_us, end_us = r.jobs[i].end_us;
        if (start_us != times_s[2 * i] * HS_TEST_S || end_us != times_s[2 * i + 1] * HS_TEST_S)
            fail_msg("%s: job %u runs from %g to %g s, not from %lld to %lld", policy, i,
                     (double)start_us / 1e6, (double)end_us / 1e6, (long long)times_s[2 * i],
                     (long long)times_s[2 * i + 1]);
        for (uint32_t s = 0; s < r.segment_count; s++)
            if (r.segments[s].job == i)
                assert_string_equal(r.segments[s].gpus[0] == 0 ? "V100" : "K80", nodes[i]);
    }
    hs_test_free(&r);
    hs_speed_free(speed);
    hs_cluster_free(&cluster);
    hs_catalogue_free(&catalogue);
}

/* G9: allox, 1 V100 and 1 K80. 0: 720 steps at (1, .5), 1: 360 at (1, .25), 2: 720 at (1, .8). On
 * the V100 1 precedes 0, which waits 360 and runs 720: 1,440 in all; 2 on the K80, 900. The next
 * best is 0 on the K80, 1,440, and 1 before 2 on the V100, 1,440. */
static void g9_allox(void **state)
{
    (void)state;
    const struct hs_test_job jobs[PROFILES] = {{.gpus = 1, .duration_s = 720, .profile = 1},
                                               {.gpus = 1, .duration_s = 360, .profile = 2},
                                               {.gpus = 1, .duration_s = 720, .profile = 3}};
    expect_typed("allox", (double[]){.5, .25, .8}, jobs,
                 (const char *const[]){"V100", "V100", "K80"},
                 (const int64_t[]){360, 1080, 0, 360, 0, 900});
}

/* G10: fifo aware, 1 V100 and 1 K80. 0: 720 steps at (1, .5): V100 [0, 720). 1: 720 at (1, 2): K80
 * [0, 360). 2: 360 at (1, 1) waits for it: K80 [360, 720). */
static void g10_fifo_aware(void **state)
{
    (void)state;
    const struct hs_test_job jobs[PROFILES] = {{.gpus = 1, .duration_s = 720, .profile = 1},
                                               {.gpus = 1, .duration_s = 720, .profile = 2},
                                               {.gpus = 1, .duration_s = 360, .profile = 3}};
    expect_typed("gavel:objective=fifo", (double[]){.5, 2, 1}, jobs,
                 (const char *const[]){"V100", "K80", "K80"},
                 (const int64_t[]){0, 720, 0, 360, 360, 720});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g5_gangs),
        cmocka_unit_test(g6_turns),
        cmocka_unit_test(g7_idle_end),
        cmocka_unit_test(g8_arrivals),
        cmocka_unit_test(ftf_turns),
        cmocka_unit_test(g12_in_rounds),
        cmocka_unit_test(gn2_fifo_does_not_turn),
        cmocka_unit_test(starvation),
        cmocka_unit_test(gn3_last_steps),
        cmocka_unit_test(gn4_ids_do_not_matter),
        cmocka_unit_test(edges),
        cmocka_unit_test(g9_allox),
        cmocka_unit_test(g10_fifo_aware),
        cmocka_unit_test(g11_rounds),
        cmocka_unit_test(pairs_take_turns),
        cmocka_unit_test(pairs_fit_in_memory),
        cmocka_unit_test(pair_and_job_take_turns),
        cmocka_unit_test(pairs_end_with_a_job),
        cmocka_unit_test(pairs_on_first_of_like_types),
        cmocka_unit_test(pairs_are_predicted),
        cmocka_unit_test(compat_short_rounds),
        cmocka_unit_test(compat_waits_for_solution),
        cmocka_unit_test(compat_fifo_takes_turns),
        cmocka_unit_test(compat_drops),
        cmocka_unit_test(compat_whole_steps),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
