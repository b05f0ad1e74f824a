/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reservations (MODEL.md 14) on paper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

/* rows: the table of reservations, without its header. */
static void expect_with(const char *cluster, const char *policy, const char *rows,
                        struct hs_test_options options, const char *jobs, const char *timeline)
{
    char text[512], path[256];
    snprintf(text, sizeof text, "start,end,nodes,gpus,user,vc\n%s", rows);
    scratch_keep(path, sizeof path, "reservations.csv", text);
    options.reservations = path;
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

static void expect(const char *cluster, const char *policy, const char *rows, const char *jobs,
                   const char *timeline)
{
    expect_with(cluster, policy, rows, (struct hs_test_options){0}, jobs, timeline);
}

/* 2x4; n1 is reserved for ann from 40 to 90. Job 2 (bob, 60 s) could start on n1 at 30 and would
 * run until 90. Under strict it does: the window gets nothing, and job 3 (ann) starts at 90, when
 * it is over. Under easy and conservative job 2 waits until 90; job 3 is submitted at 50 and starts
 * on n1 at once.
 *   strict  n0 0-100: 0    n1 0-30: 1   30-90: 2    90-110: 3
 *   easy    n0 0-100: 0    n1 0-30: 1   50-70: 3    90-150: 2 */
static void plans_keep_a_window_free(void **state)
{
    static const char jobs[] = "0:4,0,100~ann 1:4,0,30~bob 2:4,5,60~bob 3:4,50,20~ann";
    static const char row[] = "40,90,n1,,ann,\n";
    (void)state;
    expect("2x4", "fifo", row, jobs, "0:0-100 1:0-30 2:30-90 3:90-110");
    expect("2x4", "fifo:scan=fit", row, jobs, "0:0-100 1:0-30 2:30-90 3:90-110");
    expect("2x4", "fifo:scan=easy", row, jobs, "0:0-100 1:0-30 2:90-150 3:50-70");
    expect("2x4", "fifo:scan=conservative", row, jobs, "0:0-100 1:0-30 2:90-150 3:50-70");
}

/* n0 has 8 GPUs, n1 and n2, reserved for ann, have 4: her gang of 8 gets these, bob's gets n0. */
static void a_gang_stays_in_its_window(void **state)
{
    (void)state;
    expect("1x8:V100,2x4:V100", "fifo", "0,90,n1 n2,,ann,\n", "0:8,0,20~ann 1:8,0,20~bob",
           "0:0-20 1:0-20");
}

/* Two nodes are reserved for ann from 10 to 20: fgd, which keeps scores of nodes, places bob's job
 * on neither. */
static void a_window_has_several_nodes(void **state)
{
    (void)state;
    expect("2x1", "fgd:score=best_fit", "10,20,2,,ann,\n", "0:1,0,5~bob 1:1,12,5~bob",
           "0:0-5 1:20-25");
}

/* 2x4, strict; both nodes are reserved for ann from 10 to 40. 0 (bob) holds n0 until 20: the window
 * has n1 from 10 and n0 from 20, when 2 (ann, 8 GPUs) starts. 3 (bob, submitted at 15) waits until
 * 40, although 2 frees all at 30; 4 (ann, submitted at 25) starts then.
 *   n0  0 0-20   2 20-30   4 30-35   3 40-45
 *   n1  1 5-8    2 20-30 */
static void a_window_takes_what_ends(void **state)
{
    (void)state;
    expect("2x4", "fifo", "10,40,2,,ann,\n",
           "0:4,0,20~bob 1:4,5,3~bob 2:8,12,10~ann 3:4,15,5~bob 4:4,25,5~ann",
           "0:0-20 1:5-8 2:20-30 3:40-45 4:30-35");
}

/* 2x4; n1 is reserved for ann from 20 to 60. 1 (bob, 8 GPUs) heads the queue; 2 (ann) passes it, on
 * n1, at 30. 3 (ann, 20 s) starts there at 55 and runs beyond the end. 4 (bob, 2 GPUs, submitted at
 * 58) is behind 1 and waits under strict; under fit it takes the two GPUs of n1 that are back at
 * 60. 1 needs both nodes: 0 ends at 100.
 *   n0  0 0-100   n1  2 30-40   3 55-75   4 60-62 (fit)   1 100-105, 4 105-107 (strict) */
static void owners_pass_and_stay(void **state)
{
    static const char jobs[] = "0:4,0,100~bob 1:8,1,5~bob 2:2,30,10~ann 3:2,55,20~ann 4:2,58,2~bob";
    (void)state;
    expect("2x4", "fifo", "20,60,n1,,ann,\n", jobs, "0:0-100 1:100-105 2:30-40 3:55-75 4:105-107");
    expect("2x4", "fifo:scan=fit", "20,60,n1,,ann,\n", jobs,
           "0:0-100 1:100-105 2:30-40 3:55-75 4:60-62");
}

/* 1x4, all reserved from 10 to 20. 0 ends at 8; 1 (4 GPUs, 5 s) would end at 13 and takes 20. 2 (2
 * GPUs, 4 s) fits before; 3 (1 GPU, 8 s) would end at 11: it has no time before 25, when 1 ends. 4
 * (4 GPUs, 2 s) is submitted at 4: started at 8 it ends at 10, as the window begins.
 *   0 x2 0-8   2 x2 2-6   4 x4 8-10   1 x4 20-25   3 x1 25-33 */
static void backfills_before_a_window(void **state)
{
    static const char jobs[] = "0:2,0,8~bob 1:4,1,5~bob 2:2,2,4~bob 3:1,3,8~bob 4:4,4,2~bob";
    static const char timeline[] = "0:0-8 1:20-25 2:2-6 3:25-33 4:8-10";
    (void)state;
    expect("1x4", "fifo:scan=easy", "10,20,1,,ann,\n", jobs, timeline);
    expect("1x4", "fifo:scan=conservative", "10,20,1,,ann,\n", jobs, timeline);
}

/* 2x4; n1 is reserved from 10 to 30. 1 (8 GPUs, 5 s) is submitted at 1; both nodes are free at 8,
 * when 0 ends, but it would end at 13: its time is 30. 2 (4 GPUs, 22 s) would hold n1 from 2 to 24,
 * into the window, and has n0 from 8 to 30, which delays nothing. 3 (4 GPUs, 25 s) has no time
 * before 35. */
static void backfills_beside_a_window(void **state)
{
    static const char jobs[] = "0:4,0,8~bob 1:8,1,5~bob 2:4,2,22~bob 3:4,3,25~bob";
    static const char timeline[] = "0:0-8 1:30-35 2:8-30 3:35-60";
    (void)state;
    expect("2x4", "fifo:scan=easy", "10,30,n1,,ann,\n", jobs, timeline);
    expect("2x4", "fifo:scan=conservative", "10,30,n1,,ann,\n", jobs, timeline);
}

/* 3x4; n1 is reserved from 20 to 100. For 1 (8 GPUs, 30 s) n1 and n2 are free at 1, but it would
 * end in the window: it has n0, which 0 frees at 40, and n2. 2 (10 s) has n1 before the window, of
 * which nothing is free for other jobs then; 3 (60 s) would hold n2 beyond 40 and waits until 70; 4
 * (2 s) does not wait. */
static void what_ends_before_a_window_frees_none_of_it(void **state)
{
    static const char jobs[] = "0:4,0,40~bob 1:8,1,30~bob 2:4,2,10~bob 3:4,2,60~bob 4:1,2,2~bob";
    static const char timeline[] = "0:0-40@0+1+2+3 1:40-70@0+1+2+3+8+9+10+11"
                                   " 2:2-12@4+5+6+7 3:70-130@0+1+2+3 4:2-4@8";
    (void)state;
    expect("3x4", "fifo:scan=easy", "20,100,n1,,ann,\n", jobs, timeline);
    expect("3x4", "fifo:scan=conservative", "20,100,n1,,ann,\n", jobs, timeline);
}

/* 1x4, easy, reserved from 10 to 30. 0 is expected to end at 5 and ends at 15: the window gets the
 * node then, and 1 (ann, submitted at 12) starts. 2 (bob) waits until 30. */
static void a_window_waits_for_an_overrun(void **state)
{
    char path[256], policy[320];
    (void)state;
    scratch_keep(path, sizeof path, "estimates.csv", "job_id,duration\n0,5\n1,5\n2,5\n");
    snprintf(policy, sizeof policy, "fifo:scan=easy,pred=file,pred_file=%s", path);
    expect("1x4", policy, "10,30,1,,ann,\n", "0:4,0,15~bob 1:4,12,5~ann 2:4,13,5~bob",
           "0:0-15 1:15-20 2:30-35");
}

/* Partition: VC a has n0 and n1, b has n2. 4 GPUs of a, which are n1, its last node, are reserved
 * for ann's jobs in a from 5 to 15. 1 (bob) gets n0, 2 (bob) waits for n1; 3 (ann, but in b) gets
 * b's own node; 4 (ann in a) starts on n1. */
static void owners_in_a_virtual_cluster(void **state)
{
    static const char vcs[] = "{\"vcs\": {\"a\": 8, \"b\": 4}}";
    const struct hs_test_options options = {.vc = HS_VC_PARTITION,
                                            .vc_file = scratch_write("vcs.json", vcs, strlen(vcs))};
    (void)state;
    expect_with("3x4", "fifo", "5,15,,4,ann,a\n", options,
                "0:1,0,1@a~bob 1:4,6,20@a~bob 2:4,7,5@a~bob 3:4,8,5@b~ann 4:4,9,3@a~ann",
                "0:0-1 1:6-26 2:15-20 3:8-13 4:9-12");
}

/* 2x4; n1 is reserved for ann from 40 to 90, and the policy does not know of it. First: without
 * preemption job 2 (bob, 60 s) starts on n1 at 30 and stays; for 3 (ann) n1 is in use until 90.
 * Second: 1 ends on n1 at 45, 2 (bob), submitted at 46, waits for the end of the window, 3 (ann)
 * gets n1 at 50.
 *   n0 0-100: 0    n1 0-30: 1   30-90: 2    90-110: 3
 *   n0 0-100: 0    n1 0-45: 1   50-70: 3    90-95: 2 */
static void the_engine_serves_owners(void **state)
{
    static const char *const policies[] = {"drf", "fairshare", "fgd"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        expect("2x4", policies[i], "40,90,n1,,ann,\n",
               "0:4,0,100~ann 1:4,0,30~bob 2:4,5,60~bob 3:4,50,20~ann",
               "0:0-100 1:0-30 2:30-90 3:90-110");
        expect("2x4", policies[i], "40,90,n1,,ann,\n",
               "0:4,0,100~bob 1:4,0,45~bob 2:2,46,5~bob 3:2,50,20~ann",
               "0:0-100 1:0-45 2:90-95 3:50-70");
    }
}

/* The same window under policies that can preempt: n1 is drained at 40. First: 1 (80 s) is on n0,
 * the lowest, and 0 (100 s) on n1, which loses nothing and waits for n0; 2 (ann) gets n1.
 *   n0 0-80: 1   80-140: 0 (60 s left)     n1 0-40: 0   50-70: 2
 * Second: 0 is ann's, and starts there again at once; 2 (bob, 10 s) then takes n0 from 1, which has
 * 35 s left, while 0, with 55 s, is started by the engine and is not preempted.
 *   n0 0-45: 1   45-55: 2   55-90: 1     n1 0-40, 40-100: 0 */
static void a_window_drains_its_nodes(void **state)
{
    static const char *const policies[] = {"srtf", "srsf"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        expect("2x4", policies[i], "40,90,n1,,ann,\n", "0:4,0,100~bob 1:4,0,80~bob 2:4,50,20~ann",
               "0:0-40,80-140 1:0-80 2:50-70");
        expect("2x4", policies[i], "40,90,n1,,ann,\n", "0:4,0,100~ann 1:4,0,80~bob 2:4,45,10~bob",
               "0:0-40,40-100 1:0-45,55-90 2:45-55");
    }
}

/* Two windows that adjoin, the first open from the start: n0 is reserved for ann from 0 to 5 and
 * for bob from 5 to 10. 1 (ann) starts at 1 and runs until 7, into bob's. 0 (bob) gets the node
 * then, and 2 after the window. */
static void windows_that_meet(void **state)
{
    (void)state;
    expect("1x4", "fifo", "5,10,n0,,bob,\n0,5,n0,,ann,\n", "0:4,0,3~bob 1:4,1,6~ann 2:4,2,1~eve",
           "0:7-10 1:1-7 2:10-11");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_a_window_free),
        cmocka_unit_test(a_window_has_several_nodes),
        cmocka_unit_test(a_gang_stays_in_its_window),
        cmocka_unit_test(a_window_takes_what_ends),
        cmocka_unit_test(owners_pass_and_stay),
        cmocka_unit_test(backfills_before_a_window),
        cmocka_unit_test(backfills_beside_a_window),
        cmocka_unit_test(what_ends_before_a_window_frees_none_of_it),
        cmocka_unit_test(a_window_waits_for_an_overrun),
        cmocka_unit_test(owners_in_a_virtual_cluster),
        cmocka_unit_test(the_engine_serves_owners),
        cmocka_unit_test(a_window_drains_its_nodes),
        cmocka_unit_test(windows_that_meet),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
