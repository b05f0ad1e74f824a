/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Virtual clusters under the policy philly, on paper: quotas that are exceeded, fair shares. Jobs
 * are written id:gpus,submit,duration@vc, timelines id:start-end@GPUs, one stretch per placement.
 * M-numbers are micro-scenarios of the design. After a failed try the next is 120 s later; with
 * retry=0 (N) at the next submission or end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

#define N "philly:retry=0"

#define expect scenario_expect

/* vcs: the text within {"vcs": {...}}. */
static void expect_vcs(const char *vcs, enum hs_vc_mode mode, const char *cluster,
                       const char *policy, const char *jobs, const char *timeline)
{
    char json[256], path[256];
    struct hs_test_options options = {.vc = mode, .vc_file = path};
    (void)snprintf(json, sizeof json, "{\"vcs\": {%s}}\n", vcs);
    scratch_keep(path, sizeof path, "vcs.json", json);
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

static void expect_quotas(const char *vcs, const char *cluster, const char *policy,
                          const char *jobs, const char *timeline)
{
    expect_vcs(vcs, HS_VC_QUOTA, cluster, policy, jobs, timeline);
}

/* ---- quotas ---- */

static const char four_four[] = "\"a\": 4, \"b\": 4";

/* 1x8: b takes all while a is idle. At 50 its second gang ends: a, at 0 of 4, goes before b, whose
 * third gang would exceed the quota again; b starts it at 70. */
static void idle_gpus_are_borrowed(void **state)
{
    (void)state;
    expect_quotas(four_four, "1x8", N ",fair_preempt=0",
                  "0:4,0,100@b 1:4,0,50@b 2:4,10,20@a 3:4,20,10@b",
                  "0:0-100 1:0-50 2:50-70 3:70-80");
}

/* 1x8: a gang larger than the quota of its virtual cluster is not rejected, one larger than the
 * cluster is. */
static void a_gang_beyond_the_quota(void **state)
{
    (void)state;
    expect_quotas(four_four, "1x8", "philly", "0:6,0,10@b 1:9,0,10@a", "0:0-10 1:rejected");
}

/* 7 of 1x8 are free at 10; b holds nothing and is considered first, but its gang of 6 exceeds its
 * quota, and a's pair, which does not, could start: b waits. With 11 free both start, a before b.
 */
static void borrowers_wait(void **state)
{
    (void)state;
    expect_quotas(four_four, "1x8", N ",fair_preempt=0", "0:1,0,100@a 1:6,10,20@b 2:2,10,30@a",
                  "0:0-100 1:40-60 2:10-40");
    expect_quotas(four_four, "1x12", N ",fair_preempt=0", "0:1,0,100@a 1:6,10,20@b 2:2,10,30@a",
                  "0:0-100@0 1:10-30@3+4+5+6+7+8 2:10-40@1+2");
}

/* Servers of 2 and 4; c leaves one GPU of the larger free. a's gang of 3 needs one server: it
 * cannot be placed, so b may take the smaller one. (b precedes: neither holds anything.) */
static void a_job_that_cannot_start_blocks_none(void **state)
{
    (void)state;
    expect_quotas("\"b\": 1, \"a\": 4, \"c\": 3", "1x2,1x4", N ",fair_preempt=0",
                  "0:3,0,100@c 1:3,10,20@a 2:2,10,20@b",
                  "0:0-100@2+3+4 1:100-120@2+3+4 2:10-30@0+1");
}

/* 1x3: of b's three jobs the third is beyond the quota of 2, because the first two count as soon as
 * they start: a's job goes before it. */
static void starts_count_at_once(void **state)
{
    (void)state;
    expect_quotas("\"b\": 2, \"a\": 1", "1x3", N, "0:1,0,50@b 1:1,0,50@b 2:1,0,50@b 3:1,0,50@a",
                  "0:0-50 1:0-50 2:50-100 3:0-50");
}

/* 1x4: a's gang of 2 exceeds its own quota of 1 and does not precede b's of 3. */
static void a_borrower_blocks_none(void **state)
{
    (void)state;
    expect_quotas("\"b\": 2, \"a\": 1", "1x4", N, "0:3,0,50@b 1:2,0,50@a", "0:0-50 1:50-100");
}

/* 1x4, one GPU is free at 10. Of 2 of 4 and 1 of 2 none is less: a, first in the file, starts
 * before b, although b's job is older. Of 2 of 4 and 1 of 3 b's is less. */
static void least_use_of_the_quota_first(void **state)
{
    static const char jobs[] = "0:2,0,100@a 1:1,0,100@b 2:1,0,10@c 3:1,4,20@b 4:1,5,20@a";
    (void)state;
    expect_quotas("\"a\": 4, \"b\": 2, \"c\": 1", "1x4", N, jobs,
                  "0:0-100 1:0-100 2:0-10 3:30-50 4:10-30");
    expect_quotas("\"a\": 4, \"b\": 3, \"c\": 1", "1x4", N, jobs,
                  "0:0-100 1:0-100 2:0-10 3:10-30 4:30-50");
}

/* A quota of 0 is last, whatever the file says; here both pairs are borrowed. A quota is at most
 * the cluster: 2 of 8 of 1x4 is half of it, like 1 of 2, and b is first in the file. */
static void odd_quotas(void **state)
{
    (void)state;
    expect_quotas("\"z\": 0, \"a\": 1", "1x2", N, "0:2,0,10@z 1:2,0,10@a", "0:10-20 1:0-10");
    expect_quotas("\"b\": 2, \"a\": 8, \"c\": 1", "1x4", N,
                  "0:2,0,100@a 1:1,0,100@b 2:1,0,10@c 3:1,4,20@a 4:1,5,20@b",
                  "0:0-100 1:0-100 2:0-10 3:30-50 4:10-30");
}

/* 3x4: a has n0 and n1, b has n2. One GPU is free on each of a's nodes; its pair is tried at 10,
 * and then at 100, when a job of a ends: a submission or an end of b is no try of a's, or the
 * second would have let it spread at 25. */
static void partitions_are_apart(void **state)
{
    (void)state;
    expect_vcs("\"a\": 8, \"b\": 4", HS_VC_PARTITION, "3x4", N ",relax_after=2",
               "0:3,0,100@a 1:3,0,200@a 2:2,10,50@a 3:1,20,5@b 4:5,30,5@b",
               "0:0-100@0+1+2 1:0-200@4+5+6 2:100-150@0+1 3:20-25@8 4:rejected");
}

/* ---- fair shares ---- */

static const char five_five[] = "\"a\": 5, \"b\": 5";
#define TEN_OF_B                                                                                   \
    "0:1,0,1000@b 1:1,0,1000@b 2:1,0,1000@b 3:1,0,1000@b 4:1,0,1000@b 5:1,0,1000@b 6:1,0,1000@b "  \
    "7:1,0,1000@b 8:1,0,1000@b 9:1,0,1000@b "
#define EIGHT_OF_B                                                                                 \
    "0:1,0,1000@b 1:1,0,1000@b 2:1,0,1000@b 3:1,0,1000@b 4:1,0,1000@b 5:1,0,1000@b 6:1,0,1000@b "  \
    "7:1,0,1000@b "
#define RUN_1000(id) id ":0-1000 "
#define SIX_RUN                                                                                    \
    RUN_1000("0")                                                                                  \
    RUN_1000("1") RUN_1000("2") RUN_1000("3") RUN_1000("4") RUN_1000("5")
#define SEVEN_RUN SIX_RUN RUN_1000("6")
#define EIGHT_RUN SEVEN_RUN RUN_1000("7")
#define NINE_RUN  EIGHT_RUN RUN_1000("8")

/* M19: b, quota 5, holds all ten GPUs; the youngest of its jobs, all of one age, is that of the
 * highest row, 9. It is preempted and has 900 s to do when a's ends. */
static void m19_preempts(void **state)
{
    (void)state;
    expect_quotas(five_five, "10x1", "philly", TEN_OF_B "10:1,100,50@a",
                  NINE_RUN "9:0-100,150-1050 10:100-150");
    expect_quotas(five_five, "10x1", N, TEN_OF_B "10:1,100,50@a",
                  NINE_RUN "9:0-100,150-1050 10:100-150");
}

/* M19, second part: 8 of 10 GPUs are held, which is less than 0.9: a's gang of 3 waits for all of
 * b. By tries it starts at 100 + 8 x 120 = 1060. With 0.8 it is not less, and one victim suffices.
 */
static void m19_enough_is_idle(void **state)
{
    (void)state;
    expect_quotas(five_five, "10x1", N, EIGHT_OF_B "8:3,100,50@a", EIGHT_RUN "8:1000-1050");
    expect_quotas(five_five, "10x1", "philly", EIGHT_OF_B "8:3,100,50@a", EIGHT_RUN "8:1060-1110");
    expect_quotas(five_five, "10x1", N ",fair_preempt=0.8", EIGHT_OF_B "8:3,100,50@a",
                  SEVEN_RUN "7:0-100,150-1050 8:100-150");
}

static void none_is_preempted(void **state)
{
    (void)state;
    expect_quotas(five_five, "10x1", N ",fair_preempt=0", TEN_OF_B "10:1,100,50@a",
                  NINE_RUN RUN_1000("9") "10:1000-1050");
}

/* A victim of one GPU pays 7 s by the table before its 900 s. */
static void preemption_costs(void **state)
{
    (void)state;
    expect_quotas(five_five, "10x1", "philly:preempt_cost=table", TEN_OF_B "10:1,100,50@a",
                  NINE_RUN "9:0-100,150-1057 10:100-150");
}

/* The gang of 3 preempts three, the youngest first; for what a asks beyond its quota of 5 no job is
 * preempted: 11 waits for idle GPUs, and at 150 precedes b, which then holds 7 of 5. */
static void several_are_preempted(void **state)
{
    (void)state;
    expect_quotas(five_five, "10x1", N, TEN_OF_B "10:3,100,50@a 11:3,110,50@a",
                  SEVEN_RUN "7:0-100,200-1100 8:0-100,200-1100 9:0-100,200-1100 10:100-150 "
                            "11:150-200");
}

/* 1x12, quotas of 4: c's job is the youngest, but c is within its quota; b's second gang, for which
 * b borrowed GPUs, is preempted. It has 95 s to do at 30. */
static void only_borrowers_are_preempted(void **state)
{
    (void)state;
    expect_quotas("\"a\": 4, \"b\": 4, \"c\": 4", "1x12", "philly",
                  "0:4,0,100@b 1:4,5,100@b 2:4,8,100@c 3:4,10,20@a",
                  "0:0-100 1:5-10,30-125 2:8-108 3:10-30");
}

/* 1x8: b holds 3 + 3 + 2 of its 4. Without the pair it still has 6, without one gang of 3 then 3:
 * so only the two GPUs of the pair can be reclaimed. For a gang of 4 that is not enough, and no job
 * is preempted: it starts when the gangs end. For a pair it is. */
static void a_quota_is_left_to_its_owner(void **state)
{
    (void)state;
    expect_quotas(four_four, "1x8", N, "0:3,0,100@b 1:3,0,100@b 2:2,0,30@b 3:4,10,10@a",
                  "0:0-100 1:0-100 2:0-30 3:100-110");
    expect_quotas(four_four, "1x8", N, "0:3,0,100@b 1:3,0,100@b 2:2,0,30@b 3:2,10,10@a",
                  "0:0-100 1:0-100 2:0-10,20-40 3:10-20");
}

/* The same; that preempting job 2 would not have helped the gang of 4 does not protect it from the
 * pair submitted at 20. Job 4, without GPUs, is the youngest of b and has no GPU to give up. */
static void spared_is_not_safe(void **state)
{
    (void)state;
    expect_quotas(four_four, "1x8", N,
                  "0:3,0,100@b 1:3,0,100@b 2:2,0,30@b 3:4,10,10@a 4:0,15,50@b 5:2,20,5@a",
                  "0:0-100 1:0-100 2:0-20,25-35 3:100-110 4:15-65 5:20-25");
}

/* 1x3, b 1, a 2: job 1 waited until 10 for its pair of GPUs, so job 2, submitted later, is the
 * older placement. Job 1 is preempted at 20 and needs both again, at 25; it has 90 s to do. */
static void age_is_that_of_the_placement(void **state)
{
    (void)state;
    expect_quotas("\"a\": 2, \"b\": 1", "1x3", N, "0:2,0,10@b 1:2,1,100@b 2:1,2,100@b 3:1,20,5@a",
                  "0:0-10 1:10-20,25-115 2:2-102 3:20-25");
}

/* As M19, and job 10 of b has waited since 50: at 150 the victim, submitted at 0, precedes it. */
static void a_victim_keeps_its_place(void **state)
{
    (void)state;
    expect_quotas(five_five, "10x1", N, TEN_OF_B "10:1,50,10@b 11:1,100,50@a",
                  NINE_RUN "9:0-100,150-1050 10:1000-1010 11:100-150");
}

/* 2x3, a try every 10 s, each failure a level: job 2 is spread from 10 on. At 20 a's job takes its
 * GPU on node 0. At 25 job 2 needs one server again; at 35 it is spread. 90 s are to do. */
static void a_victim_wants_locality_again(void **state)
{
    (void)state;
    expect_quotas("\"a\": 2, \"b\": 4", "2x3", "philly:retry=10s,relax_after=1",
                  "0:2,0,500@b 1:2,0,500@b 2:2,0,100@b 3:1,20,5@a",
                  "0:0-500@0+1 1:0-500@3+4 2:10-20@2+5,35-125@2+5 3:20-25@2");
}

/* 2x2: b, quota 0, holds n1 (job 1) and half of n0 (job 2, the younger), c the other half. a's pair
 * preempts both, one after the other, and starts on n1. Nothing else happens before 10 + 120 = 130,
 * when job 2 finds its GPU idle; it has 992 s to do. Job 1 (991 s) is tried at 130, 250, 370, 490
 * and 610; n1 is free from 510 on. */
static void a_victim_is_tried_again_in_time(void **state)
{
    (void)state;
    expect_quotas("\"a\": 2, \"b\": 0, \"c\": 1", "2x2", "philly",
                  "0:1,0,1000@c 1:2,1,1000@b 2:1,2,1000@b 3:2,10,500@a",
                  "0:0-1000@0 1:1-10@2+3,610-1601@2+3 2:2-10@1,130-1122@1 3:10-510@2+3");
}

/* 3x2, as before: at 10 jobs 3 and 2 are preempted, and are to be tried at 130 at the latest. Job 5
 * is submitted and ends at 20: job 3 starts again, job 2 fails until 140. So at 130 there is
 * nothing to do, and job 3, which is preempted again at 30 (with job 1), is tried with job 2 at
 * 140. Jobs 1 and 2 fail at 140 and 260 and find free nodes at 380. To do are 1000 - 29, 1000 - 9
 * and 1000 - 8 - 10 s. */
static void a_try_that_was_made_is_not_made_again(void **state)
{
    (void)state;
    expect_quotas("\"a\": 4, \"b\": 0, \"c\": 1", "3x2", "philly",
                  "0:1,0,1000@c 1:2,1,1000@b 2:2,1,1000@b 3:1,2,1000@b 4:2,10,300@a 5:0,20,0@c "
                  "6:2,30,300@a",
                  "0:0-1000@0 1:1-30@2+3,380-1351@2+3 2:1-10@4+5,380-1371@4+5 "
                  "3:2-10@1,20-30@1,140-1122@1 4:10-310@4+5 5:20-20 6:30-330@2+3");
}

/* One virtual cluster has the quota of all GPUs: no job borrows, none is preempted. */
static void no_fair_shares_without_virtual_clusters(void **state)
{
    (void)state;
    expect("10x1", N, TEN_OF_B "10:1,100,50@a", NINE_RUN RUN_1000("9") "10:1000-1050");
}

/* ---- attempts ---- */

/* 1x2, requeue=head: two attempts fail at 10 and go before job 2 of 5 in order of their rows; job 3
 * of another virtual cluster, which holds nothing, is before all. */
static void the_head_is_that_of_its_virtual_cluster(void **state)
{
    (void)state;
    expect_quotas("\"a\": 1, \"b\": 1", "1x2", N ",requeue=head,fair_preempt=0",
                  "0:1,0,10/7@a 1:1,0,10/3@a 2:1,5,4@a 3:1,6,20@b",
                  "0:0-10,10-17 1:0-10,17-20 2:20-24 3:10-30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_gpus_are_borrowed),
        cmocka_unit_test(a_gang_beyond_the_quota),
        cmocka_unit_test(borrowers_wait),
        cmocka_unit_test(a_job_that_cannot_start_blocks_none),
        cmocka_unit_test(starts_count_at_once),
        cmocka_unit_test(a_borrower_blocks_none),
        cmocka_unit_test(least_use_of_the_quota_first),
        cmocka_unit_test(odd_quotas),
        cmocka_unit_test(partitions_are_apart),
        cmocka_unit_test(m19_preempts),
        cmocka_unit_test(m19_enough_is_idle),
        cmocka_unit_test(none_is_preempted),
        cmocka_unit_test(preemption_costs),
        cmocka_unit_test(several_are_preempted),
        cmocka_unit_test(only_borrowers_are_preempted),
        cmocka_unit_test(a_quota_is_left_to_its_owner),
        cmocka_unit_test(spared_is_not_safe),
        cmocka_unit_test(age_is_that_of_the_placement),
        cmocka_unit_test(a_victim_keeps_its_place),
        cmocka_unit_test(a_victim_wants_locality_again),
        cmocka_unit_test(a_victim_is_tried_again_in_time),
        cmocka_unit_test(a_try_that_was_made_is_not_made_again),
        cmocka_unit_test(no_fair_shares_without_virtual_clusters),
        cmocka_unit_test(the_head_is_that_of_its_virtual_cluster),
    };
    return cmocka_run_group_tests_name("policies/philly quotas", tests, scratch_open,
                                       scratch_close);
}
