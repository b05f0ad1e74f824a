/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy philly on paper: relaxed locality, tries and attempts; virtual clusters are in
 * test_philly_quotas.c. Jobs are written id:gpus,submit,duration, timelines id:start-end@GPUs, one
 * stretch per placement. M-numbers are micro-scenarios of the design. After a failed try the next
 * is 120 s later; with retry=0 (N) at the next submission or end.
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

#define N "philly:retry=0"

#define expect scenario_expect

static const char *two_racks(void)
{
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 4, \"type\": \"V100\"}]},"
                               "             {\"nodes\": [{\"gpus\": 4, \"type\": \"V100\"}]}]}";
    return scratch_write("racks.json", json, strlen(json));
}

/* ---- locality ---- */

static const char m18[] = "0:3,0,1000 1:3,0,1000 2:2,0,100";

/* M18, 2x4 in one rack: 0 and 1 leave one GPU on each node, job 2 wants two on one. It is tried at
 * 0, 120, 240, 360, 480; the fifth failure lets it use several servers, from 600 on. */
static void m18_relaxes(void **state)
{
    (void)state;
    expect("2x4", "philly", m18, "0:0-1000@0+1+2 1:0-1000@4+5+6 2:600-700@3+7");
}

/* Tried at 0 and, when the others end, at 1000. */
static void m18_by_events(void **state)
{
    (void)state;
    expect("2x4", N, m18, "0:0-1000@0+1+2 1:0-1000@4+5+6 2:1000-1100@0+1");
}

static void m18_at_once(void **state)
{
    (void)state;
    expect("2x4", "philly:relax_after=0", m18, "0:0-1000@0+1+2 1:0-1000@4+5+6 2:0-100@3+7");
}

/* A node of 2 GPUs and one of 5, of which job 0 takes 3: 2 are free on each. Job 1 needs 3 and is
 * spread: with types=fastest it takes those of the smaller node first, in whatever order the two
 * groups are written, so that the larger node keeps the free GPU. types=any takes the first node.
 */
static void smaller_nodes_first(void **state)
{
    static const char jobs[] = "0:3,0,100 1:3,0,100";
    (void)state;
    expect("1x2:V100,1x5:V100", "philly:types=fastest,relax_after=0", jobs,
           "0:0-100@2+3+4 1:0-100@0+1+5");
    expect("1x5:V100,1x2:V100", "philly:types=fastest,relax_after=0", jobs,
           "0:0-100@0+1+2 1:0-100@3+5+6");
    expect("1x5:V100,1x2:V100", "philly:relax_after=0", jobs, "0:0-100@0+1+2 1:0-100@3+4+5");
}

static const char profiles[] = "model,dataset,batch,precision,family,util\nA,d,1,fp32,F,50\n";
static const char speeds[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\"], \"reference\": \"V100\",\n"
    " \"jobs\": [{\"profile\": \"A/d/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1}}],\n"
    " \"families\": [{\"family\": \"F\", \"jobs\": 1, \"speed\": {\"V100\": 1}}],\n"
    " \"spread\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2], \"factor\": [0.625]}]}\n";

static int64_t end_of_job_2(const char *cluster, const char *policy)
{
    static const struct hs_test_job jobs[] = {{.gpus = 3, .duration_s = 1000},
                                              {.gpus = 3, .duration_s = 1000},
                                              {.gpus = 2, .duration_s = 100, .profile = 1}};
    struct sink sink;
    struct hs_catalogue catalogue;
    struct hs_cluster hardware;
    struct hs_speed *speed;
    struct hs_test_result r;
    sink_init(&sink);
    const char *rows = scratch_write("profiles.csv", profiles, sizeof profiles - 1);
    assert_int_equal(hs_catalogue_load(&catalogue, rows, &sink.diag), HS_OK);
    assert_int_equal(hs_cluster_load(&hardware, cluster, &sink.diag), HS_OK);
    const char *model = scratch_write("speed.json", speeds, sizeof speeds - 1);
    if (hs_speed_load(&speed, model, &catalogue, &hardware, NULL, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    const struct hs_test_options options = {.speed = speed};
    if (hs_test_run_with(jobs, 3, cluster, policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    int64_t end_us = r.jobs[2].end_us;
    hs_test_free(&r);
    hs_speed_free(speed);
    hs_cluster_free(&hardware);
    hs_catalogue_free(&catalogue);
    return end_us;
}

/* M18 with the slowdown of spread gangs: two GPUs of two servers run the job at 0.625 of its speed,
 * 100 / 0.625 = 160 s; on one server it takes its 100. */
static void spreading_costs(void **state)
{
    (void)state;
    assert_int_equal(end_of_job_2("2x4:V100", "philly:relax_after=0"), 160 * HS_TEST_S);
    assert_int_equal(end_of_job_2("2x4:V100", "philly"), 760 * HS_TEST_S);
    assert_int_equal(end_of_job_2("2x4:V100", N), 1100 * HS_TEST_S);
}

/* Two racks of one node of 4: level 0 fails at 0, 120, 240, 360, 480, level 1 at 600, ..., 1080; at
 * 1200 the job may be split over racks. With max_level=1 it waits for the end at 2000 and its next
 * try, the seventeenth after the first: 17 x 120 = 2040. */
static void across_racks(void **state)
{
    static const char jobs[] = "0:3,0,2000 1:3,0,2000 2:2,0,100";
    (void)state;
    expect(two_racks(), "philly", jobs, "0:0-2000@0+1+2 1:0-2000@4+5+6 2:1200-1300@3+7");
    expect(two_racks(), "philly:max_level=1", jobs, "0:0-2000 1:0-2000 2:2040-2140");
    expect(two_racks(), "philly:max_level=0", jobs, "0:0-2000 1:0-2000 2:2040-2140");
    expect(two_racks(), "philly:relax_after=2", jobs, "0:0-2000 1:0-2000 2:480-580");
}

/* A gang of 8 is larger than a rack. On an idle cluster waiting gains nothing: the gang is spread
 * at once, or rejected at once. While another job runs it is tried at 1 and at 121. */
static void larger_than_a_rack(void **state)
{
    (void)state;
    expect(two_racks(), "philly", "0:8,0,10", "0:0-10");
    expect(two_racks(), "philly:max_level=1", "0:8,0,10 1:1,0,5", "0:rejected 1:0-5");
    expect(two_racks(), "philly", "0:1,0,10 1:8,1,5", "0:0-10 1:121-126");
    expect(two_racks(), N, "0:1,0,10 1:8,1,5", "0:0-10 1:10-15");
    expect(two_racks(), N ",max_level=1", "0:1,0,10 1:8,1,5", "0:0-10 1:rejected");
}

/* 1x2, out of order: job 1 needs both GPUs at 10 and is tried again at 130 and 250; it misses that
 * they are free from 50 to 60, and job 2 takes one of them. */
static void a_hole_is_missed(void **state)
{
    static const char jobs[] = "0:2,0,50 1:2,10,10 2:1,60,100";
    (void)state;
    expect("1x2", "philly", jobs, "0:0-50 1:250-260 2:60-160");
    expect("1x2", N, jobs, "0:0-50 1:50-60 2:60-160");
}

/* Two nodes of 4 in r0, one in r1. Job 0 is larger than a rack: it is rejected at 0, and the pass
 * that follows is no second try of job 4, for which there is one GPU on each node of r0. It is
 * tried when job 5, without GPUs, is submitted at 10, and may use both when that ends at 11. */
static void a_rejection_is_no_pass(void **state)
{
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                               "             {\"nodes\": [{\"gpus\": 4}]}]}";
    (void)state;
    expect(scratch_write("r2.json", json, strlen(json)), N ",relax_after=2,max_level=1",
           "0:12,0,9 1:3,0,50 2:3,0,50 3:4,0,50 4:2,0,20 5:0,10,1",
           "0:rejected 1:0-50 2:0-50 3:0-50 4:11-31 5:10-11");
}

/* 1x2: job 1 is tried at 0, 120, ..., 1080, and nine timers expire, however often submissions and
 * ends of the jobs 2 to 11 let the policy set one: 12 submissions, 9 timers, 12 ends. */
static void one_timer_at_a_time(void **state)
{
    (void)state;
    struct hs_test_job jobs[12] = {{.gpus = 2, .duration_s = 1000}, {.gpus = 2, .duration_s = 10}};
    struct hs_test_result r;
    for (int i = 2; i < 12; i++)
        jobs[i] = (struct hs_test_job){.submit_s = 2 * i, .duration_s = 1};
    assert_int_equal(hs_test_run(jobs, 12, "1x2", "philly", &r), HS_OK);
    assert_int_equal(r.jobs[1].start_us, 1080 * HS_TEST_S);
    assert_int_equal(r.figures.events, 12 + 9 + 12);
    hs_test_free(&r);
}

/* 1x4: job 2 overtakes 1, which does not fit, and delays it. */
static void a_blocked_job_is_overtaken(void **state)
{
    (void)state;
    expect("1x4", N, "0:3,0,100 1:4,10,50 2:1,20,200", "0:0-100 1:220-270 2:20-220");
}

/* ---- attempts ---- */

/* M20, 1x1, 5 s a column. Job 0 fails at 10 and is submitted again.
 *   tail  001110000    head  000000111 */
static void m20(void **state)
{
    static const char jobs[] = "0:1,0,10/20 1:1,5,15";
    (void)state;
    expect("1x1", N, jobs, "0:0-10,25-45 1:10-25");
    expect("1x1", N ",requeue=head", jobs, "0:0-10,10-30 1:30-45");
    /* by tries job 1 is not considered before 125: the next attempt takes the free GPU */
    expect("1x1", "philly", jobs, "0:0-10,10-30 1:125-140");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m18_relaxes),
        cmocka_unit_test(m18_by_events),
        cmocka_unit_test(m18_at_once),
        cmocka_unit_test(smaller_nodes_first),
        cmocka_unit_test(spreading_costs),
        cmocka_unit_test(across_racks),
        cmocka_unit_test(larger_than_a_rack),
        cmocka_unit_test(a_hole_is_missed),
        cmocka_unit_test(a_rejection_is_no_pass),
        cmocka_unit_test(one_timer_at_a_time),
        cmocka_unit_test(a_blocked_job_is_overtaken),
        cmocka_unit_test(m20),
    };
    return cmocka_run_group_tests_name("policies/philly", tests, scratch_open, scratch_close);
}
