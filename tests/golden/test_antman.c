/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * antman on paper: the micro-scenarios A1 to A8 of the policy text (2.6). Jobs and timelines are
 * written as in scenario.h; a job slows another only if the two ask for more of a GPU than there
 * is. Unless stated otherwise the step of a cap is 10 points, the tick 10 s, and a guaranteed job
 * is stable after 10 s.
 *
 * A cap is a Q32 fraction, rounded down, so a job ends up to 1 us later than on paper, where times
 * are whole seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/speed.h"
#include "support/scenario.h"
#include "support/sink.h"

#define S HS_TEST_S

static char gpu_32[256], gpu_62[256], pair[256], one[256], three[256];
static struct sink sink;

static void make_node(char *path, size_t size, const char *name, int gpus, int mem_mib)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "{\"gpu_types\": {\"S\": {\"mem_mib\": %d}},"
                   " \"nodes\": [{\"gpus\": %d, \"type\": \"S\"}]}",
                   mem_mib, gpus);
    scratch_keep(path, size, name, text);
}

static int set_up(void **state)
{
    (void)scratch_open(state);
    sink_init(&sink);
    make_node(gpu_32, sizeof gpu_32, "32.json", 1, 32000);
    make_node(gpu_62, sizeof gpu_62, "62.json", 1, 62500);
    make_node(pair, sizeof pair, "pair.json", 2, 32000);
    scratch_keep(one, sizeof one, "one.json", "{\"vcs\": {\"t\": 1}}");
    scratch_keep(three, sizeof three, "three.json", "{\"vcs\": {\"t\": 3}}");
    return 0;
}

static struct hs_overheads *curve_of(const char *rows)
{
    struct hs_overheads *table;
    if (hs_memcurve_load(&table, scratch_write("limits.csv", rows, strlen(rows)), &sink.diag) !=
        HS_OK)
        fail_msg("%s", sink.text);
    return table;
}

static void expect(const char *cluster, const char *policy, const char *curves, const char *jobs,
                   const char *timeline)
{
    struct hs_overheads *table = curve_of(curves);
    const struct hs_test_options options = {.memcurve = table, .max_tenants = 8};
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
    hs_overheads_free(table);
}

static void expect_quota(const char *cluster, const char *vcs, const char *policy, const char *jobs,
                         const char *timeline)
{
    const struct hs_test_options options = {.vc = HS_VC_QUOTA, .vc_file = vcs, .max_tenants = 8};
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

/* ---- memory ---- */

/* A1, Table 2 of the paper. B needs 30 GB of 32 and leaves 2 of the 3.5 GB that A needs; with 2 GB
 * A runs at 0.95: 43 min = 26 + 17, and 17 min / 0.95 = 1073.684211 s. B takes as long as alone,
 * 91.1 min. There is no ramp: the cap is full at once. */
static void beside_a_guaranteed_job(void **state)
{
    (void)state;
    static const char curves[] = "model,limit,speed\nGCN,100,1\nGCN,50,0.95\n",
                      jobs[] = "A:1,0,2580!o%10&3500#GCN B:1,1560,5466!g%90&30000#R";
    expect(gpu_32, "antman:init=0,step=1,growth_ms_per_gb=0,shrink_ms_per_gb=0", curves, jobs,
           "A:0-2633.684211 B:1560-7026");
    expect(gpu_32, "fifo", curves, jobs, "A:0-2580 B:2580-8046");
}

/* A6. Figure 10 of the paper, 32 GB: R has all of its 20, V half of its 16, SR 40 % of its 10, at
 * speeds 1, 0.98 and 0.83. R ends at 100; V and SR, with 2 s and 17 s left, then have all that they
 * need. The nearest Q32 fraction is below 0.98 and above 0.83. */
static void memory_goes_where_it_helps(void **state)
{
    (void)state;
    static const char curves[] =
        "model,limit,speed\n"
        "SR,100,1\nSR,90,0.94\nSR,80,0.94\nSR,70,0.89\nSR,60,0.89\nSR,50,0.88\nSR,40,0.83\n"
        "SR,30,0.81\nSR,20,0.78\nSR,10,0.77\n"
        "V,100,1\nV,90,0.99\nV,80,0.99\nV,70,0.98\nV,60,0.98\nV,50,0.98\nV,40,0.07\nV,30,0.05\n"
        "V,20,0.04\nV,10,0.03\n"
        "R,100,1\nR,90,0.34\nR,80,0.13\nR,70,0.03\nR,60,0.02\nR,50,0.02\nR,40,0.02\nR,30,0.01\n"
        "R,20,0.01\nR,10,0.01\n";
    expect(gpu_32, "antman:growth_ms_per_gb=0,shrink_ms_per_gb=0", curves,
           "s:1,0,100!o%20&10000#SR v:1,0,100!o%20&16000#V r:1,0,100!o%20&20000#R",
           "s:0-117 v:0-102.000001 r:0-100");
}

/* A7, with all memories times 15625/4 MiB a GB, so that 4 GB are 15625 MiB = 16.384 GB. At 100 R
 * needs 12 in place of the 8 that it may use: one mini-batch of 0.2 s takes place at half the
 * speed, until 100.4. Then O releases 4, which takes 16.384 ms, and R grows by 4, which takes 7 x
 * 16.384 = 114.688 ms; from then on R runs at full speed, for 99.8 s more. O, with 9.6 s left at
 * 100.4, runs at a quarter of its speed. */
static void a_surge_costs_one_mini_batch(void **state)
{
    (void)state;
    struct hs_test_result r;
    struct hs_overheads *table =
        curve_of("model,limit,speed\nR,100,1\nR,60,0.5\nO,100,1\nO,50,0.25\n");
    const struct hs_test_options options = {.memcurve = table, .max_tenants = 8};
    const struct hs_test_job jobs[] = {{.gpus = 1,
                                        .duration_s = 200,
                                        .model = "R",
                                        .job_class = HS_JOB_CLASS_GUARANTEED,
                                        .gpu_util_pm = 500,
                                        .gpu_mem_mib = 31250,
                                        .gpu_mem_later_mib = 46875,
                                        .later_us = 100 * S,
                                        .step_us = 200000},
                                       {.gpus = 1,
                                        .duration_s = 110,
                                        .model = "O",
                                        .job_class = HS_JOB_CLASS_OPPORTUNISTIC,
                                        .gpu_util_pm = 100,
                                        .gpu_mem_mib = 31250}};
    if (hs_test_run_with(jobs, 2, gpu_62,
                         "antman:init=0,step=1,growth_ms_per_gb=7,shrink_ms_per_gb=1", &options,
                         &r) != HS_OK)
        fail_msg("%s", r.message);
    assert_int_equal(r.jobs[0].end_us, 200314688);
    assert_int_equal(r.jobs[1].end_us, 138816384);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(r.jobs[i].start_us, 0);
        assert_int_equal(r.jobs[i].ooms + r.jobs[i].preemptions, 0);
        assert_int_equal(r.jobs[i].lost_ns, 0);
    }
    hs_test_free(&r);
    hs_overheads_free(table);
}

/* ---- caps ---- */

/* A2. O has done 20 when R is submitted, nothing more until 30, 1 + 2 + 3 until 60, then 0.4 beside
 * R's 0.6: 50 at 120, when R ends. Where a cap has its maximum, or R has no guest, there is no
 * tick: decisions are at 0, 20, 30, 40, 50, 60, 120 and the end. */
static void caps_go_up_step_by_step(void **state)
{
    const struct hs_test_job jobs[] = {{.gpus = 1,
                                        .duration_s = 100,
                                        .gpu_util_pm = 1000,
                                        .job_class = HS_JOB_CLASS_OPPORTUNISTIC},
                                       {.gpus = 1,
                                        .submit_s = 20,
                                        .duration_s = 100,
                                        .gpu_util_pm = 600,
                                        .job_class = HS_JOB_CLASS_GUARANTEED}};
    struct hs_test_result r;
    (void)state;
    scenario_expect("1x1", "antman", "O:1,0,100!o%100 R:1,20,100!g%60", "O:0-170.000001 R:20-120");
    assert_int_equal(hs_test_run(jobs, 2, "1x1", "antman", &r), HS_OK);
    assert_int_equal(r.instant_count, 8);
    hs_test_free(&r);
}

/* A8. O has 0.4 of GPU 0 beside R, and all of GPU 2: it runs at 0.4. At 50 there is quota for O,
 * but R has GPU 0; so J, which waits for two GPUs, starts beside O. At 100 R ends and O, with 32
 * done, is upgraded to guaranteed, which Z shows. */
static void a_gang_is_as_fast_as_its_slowest(void **state)
{
    (void)state;
    expect_quota("1x3", three, "antman:init=0,step=0.4",
                 "R:1,0,100!g%60@t K:1,0,50!g%90@t O:2,20,100!a%100@t J:2,30,30!g%60@t "
                 "Z:2,110,10!g%60@t",
                 "R:0-100 K:0-50 O:20-168.000001 J:50-80 Z:168.000001-178.000001");
}

/* ---- the queue ---- */

/* A3. GPUs 2 and 3 are reserved for B, so C waits, and are lent to o and p. At 100 p has 70 s left;
 * it makes no progress for 10 s, and runs at 0.1 for 50 s beside B's 0.9. C gets the GPUs without
 * p. */
static void reserved_gpus_are_lent(void **state)
{
    (void)state;
    scenario_expect("1x4", "antman",
                    "A:2,0,100!g%90 B:4,10,60!g%90 C:2,20,40!g%90 o:1,30,50!o%100 p:1,30,100!o%100",
                    "A:0-100@0+1 B:100-160@0+1+2+3 C:160-200@0+1 o:30-80@2 p:30-185.000001@3");
}

/* By hand: o needs 20 GB of 32 on GPU 0 and leaves too little for G, which needs 14 and has
 * reserved GPU 1, but enough for L, which needs 10 and reserves GPU 0. When o ends, this
 * reservation does not hold back G, which has waited longer: neither job waits for the other. */
static void longest_wait_takes_reserved_gpus(void **state)
{
    (void)state;
    expect(pair, "antman", "model,limit,speed\n*,100,1\n",
           "o:1,0,100!o%10&20000/20000 G:2,10,50!g%50&14000/14000 L:2,20,30!g%50&10000/10000",
           "o:0-100@0 G:100-150@0+1 L:150-180@0+1");
}

/* A4, 20 s late. o is placed on GPU 1, whose utilization is then 0.9: p waits. From 70 on the mean
 * over 10 s falls by 0.04 a second: 0.82 at 72, 0.78 at 73. q needs GPU 0 too, whose mean is 0.81
 * at 201, 1 s after R has ended, and 0.72 at 202. */
static void busy_gpus_are_left_alone(void **state)
{
    (void)state;
    scenario_expect("1x2", "antman:init=0,step=1,tick=1",
                    "R:1,0,200!g%90 Q:1,0,400!g%50 o:1,20,50!o%40 p:1,21,50!o%40 q:2,22,10!o%10",
                    "R:0-200@0 Q:0-400@1 o:20-70@1 p:73-123@1 q:202-212@0+1");
}

/* Beside R there is GPU time for o, but not memory, 14 + 20 of 32 GB; when Q has ended GPU 1 has
 * both: 0.81 at 101, as above, and 0.72 at 102. */
static void a_job_without_memory_is_tried_again(void **state)
{
    (void)state;
    scenario_expect(pair, "antman:init=0,step=1,tick=1",
                    "R:1,0,200!g%50&14000 Q:1,0,100!g%90&14000 o:1,20,10!o%10&20000/20000",
                    "R:0-200@0 Q:0-100@1 o:102-112@1");
}

/* p leaves no memory of GPU 0. R needs some and waits until p ends; T, behind it, needs none and
 * starts beside p when Q ends. */
static void a_full_gpu_has_room_for_none(void **state)
{
    (void)state;
    scenario_expect(pair, "antman:init=0,step=1",
                    "Q:1,0,50!g%50 W:1,0,200!g%50&1000 p:1,10,100!o%10&32000/32000 "
                    "R:1,20,30!g%50&1000 T:1,21,30!g%50",
                    "Q:0-50@0 W:0-200@1 p:10-110@0 R:110-140@0 T:50-80@0");
}

/* R can be placed on two GPUs with a guest, each the only one of its node: it gets that of P, whose
 * utilization is lower. */
static void the_less_used_guest_is_joined(void **state)
{
    (void)state;
    const struct hs_test_options options = {.until_us = 20 * S};
    scenario_expect_with("2x1", "antman", "O:1,0,100!o%60 P:1,0,100!o%20 R:1,1,10!g%30", &options,
                         "O:0-20@0 P:0-20@1 R:1-11@1");
}

/* A5. X, for which there is no quota, has done 1 + 2 + 3 + 4 when R ends at 50. It is upgraded to
 * guaranteed then, before J, which has waited since 20, and ends at 80. */
static void running_jobs_are_upgraded_first(void **state)
{
    (void)state;
    expect_quota("1x1", one, "antman", "R:1,0,50!g%60@t X:1,10,40!a%100@t J:1,20,30!g%60@t",
                 "R:0-50 X:10-80.000001 J:80.000001-110.000001");
}

/* ---- compat=muri ---- */

/* Job 1 reserves GPU 1, which job 2 would have got, and gets GPU 0 when job 0 ends. A gang larger
 * than a node reserves node 1, which is empty; a free GPU of node 0 at 5 is not enough, at 10 node
 * 0 is empty, too. */
static void muris_gangs_reserve(void **state)
{
    (void)state;
    scenario_expect("1x2", "antman:compat=muri", "0:1,0,10 1:2,1,10 2:1,2,10",
                    "0:0-10@0 1:10-20@0+1 2:20-30@0");
    scenario_expect("2x2", "antman:compat=muri", "0:1,0,10 1:3,1,10 2:1,2,3",
                    "0:0-10@0 1:10-20@0+2+3 2:2-5@1");
}

/* Until 10 the load of GPU 0 is 0.9, and p needs two GPUs below 0.8. */
static void muris_guests_go_where_load_is_least(void **state)
{
    (void)state;
    scenario_expect("1x2", "antman:compat=muri", "o:1,0,10!o p:2,1,5!o q:1,2,3!o",
                    "o:0-10@0 p:10-15@0+1 q:2-5@1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_a_guaranteed_job),
        cmocka_unit_test(memory_goes_where_it_helps),
        cmocka_unit_test(a_surge_costs_one_mini_batch),
        cmocka_unit_test(caps_go_up_step_by_step),
        cmocka_unit_test(a_gang_is_as_fast_as_its_slowest),
        cmocka_unit_test(reserved_gpus_are_lent),
        cmocka_unit_test(longest_wait_takes_reserved_gpus),
        cmocka_unit_test(busy_gpus_are_left_alone),
        cmocka_unit_test(a_job_without_memory_is_tried_again),
        cmocka_unit_test(a_full_gpu_has_room_for_none),
        cmocka_unit_test(the_less_used_guest_is_joined),
        cmocka_unit_test(running_jobs_are_upgraded_first),
        cmocka_unit_test(muris_gangs_reserve),
        cmocka_unit_test(muris_guests_go_where_load_is_least),
    };
    return cmocka_run_group_tests_name("antman on paper", tests, set_up, scratch_close);
}
