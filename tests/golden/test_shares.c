/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shares of GPUs and sets of GPU types, on paper. Jobs are written id:gpusxthousandths,submit,
 * duration; timelines id:start-end@GPUs. A share goes to the GPU that holds shares with the least
 * room that is enough (ties: lowest id), else to an idle GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

#define expect scenario_expect

/* Room of the GPUs after each start, "-" = idle:
 *     a 500: 500   -   -      b 700: 500 300   -      c 300: 500   0   -  (300 is tighter than 500)
 *     d 200: 300   0   -      e 400: 300   0 600      f 300:   0   0 600 */
static void the_tightest_that_is_enough(void **state)
{
    (void)state;
    expect("1x3", "fifo",
           "a:1x500,0,10 b:1x700,0,10 c:1x300,0,10 d:1x200,0,10 e:1x400,0,10 f:1x300,0,10",
           "a:0-10@0 b:0-10@1 c:0-10@1 d:0-10@0 e:0-10@2 f:0-10@0");
}

/* Both have room for 400; when a ends on GPU 0, its room is 1000 - 400 = 600, GPU 1's 400. */
static void ties_go_to_the_lowest_gpu(void **state)
{
    (void)state;
    expect("1x2", "fifo", "a:1x600,0,10 b:1x600,0,30 c:1x400,1,30 d:1x400,11,10",
           "a:0-10@0 b:0-30@1 c:1-31@0 d:11-21@1");
}

/* A job of whole GPUs waits for a GPU without shares, a share for one without such a job. strict: c
 * waits behind b. fit: c is placed beside a, and b waits until it ends. */
static void shares_and_whole_jobs_never_meet(void **state)
{
    (void)state;
    expect("1x1", "fifo", "a:1x100,0,10 b:1,1,5 c:1x100,2,20", "a:0-10@0 b:10-15@0 c:15-35@0");
    expect("1x1", "fifo:scan=fit", "a:1x100,0,10 b:1,1,5 c:1x100,2,20",
           "a:0-10@0 b:22-27@0 c:2-22@0");
}

/* a opens GPUs 0 and 1; b has its first two workers beside a and opens GPU 2; c gets the room that
 * is left there. */
static void workers_of_a_gang_sit_apart(void **state)
{
    (void)state;
    expect("1x3", "fifo", "a:2x500,0,10 b:3x500,0,10 c:1x500,0,10",
           "a:0-10@0+1 b:0-10@0+1+2 c:0-10@2");
}

/* b needs two GPUs with room, one is held whole until 10. Under fit c fits at once beside that job:
 * at 5 GPU 1 is idle again, which is still one too few for b. */
static void a_gang_of_shares_is_whole_or_waits(void **state)
{
    (void)state;
    expect("1x2", "fifo", "a:1,0,10 b:2x300,1,5 c:1x300,2,3", "a:0-10@0 b:10-15@0+1 c:10-13@0");
    expect("1x2", "fifo:scan=fit", "a:1,0,10 b:2x300,1,5 c:1x300,2,3",
           "a:0-10@0 b:10-15@0+1 c:2-5@1");
}

/* In one plan: the job of a whole GPU has the lowest GPU, the share behind it the next. */
static void within_one_plan(void **state)
{
    (void)state;
    expect("1x3", "fifo", "a:1,0,10 b:1x500,0,10 c:1,0,10 d:1x500,0,10",
           "a:0-10@0 b:0-10@1 c:0-10@2 d:0-10@1");
}

/* fit: b finds the room that a has just freed, also where that was the last idle GPU. */
static void room_that_the_pass_itself_opens(void **state)
{
    (void)state;
    expect("1x1", "fifo:scan=fit", "a:1x500,0,10 b:1x500,0,10", "a:0-10@0 b:0-10@0");
    expect("1x2", "fifo:scan=fit", "a:2x500,0,10 b:1,0,5 c:1x500,0,10",
           "a:0-10@0+1 b:10-15@0 c:0-10@0");
    expect("1x1", "fifo:scan=easy", "a:1x300,0,10 b:1,0,5 c:1x500,0,10",
           "a:0-10@0 b:10-15@0 c:0-10@0");
}

/* Beside a co-runner every job would run at half speed; shares are reserved. */
static void shares_do_not_slow_each_other(void **state)
{
    (void)state;
    const struct hs_test_options options = {.excess = 1};
    scenario_expect_with("1x1", "fifo", "a:1x500,0,10%90 b:1x500,0,10%90", &options,
                         "a:0-10@0 b:0-10@0");
}

/* 2x2, GPU 0 held whole. The idle GPU is on the node that a gang of one would get: the fullest, the
 * lowest or the emptiest. c is then placed beside b, whatever the placer. */
static void the_placer_chooses_idle_gpus(void **state)
{
    (void)state;
    static const char jobs[] = "a:1,0,10 b:1x500,0,10 c:1x400,0,10";
    expect("2x2", "fifo", jobs, "a:0-10@0 b:0-10@1 c:0-10@1");
    expect("2x2", "fifo:placement=first_fit", jobs, "a:0-10@0 b:0-10@1 c:0-10@1");
    expect("2x2", "fifo:placement=yarn", jobs, "a:0-10@0 b:0-10@1 c:0-10@1");
    expect("2x2", "fifo:placement=spread", jobs, "a:0-10@0 b:0-10@2 c:0-10@2");
}

static void expect_quotas(const char *jobs, const char *timeline)
{
    char path[256];
    const struct hs_test_options options = {.vc = HS_VC_QUOTA, .vc_file = path};
    scratch_keep(path, sizeof path, "vcs.json", "{\"vcs\": {\"a\": 1, \"b\": 1}}\n");
    scenario_expect_with("1x2", "fifo", jobs, &options, timeline);
}

/* a and b are the whole quota of VC a, so c waits although GPU 1 is idle; d is of VC b. */
static void a_quota_counts_thousandths(void **state)
{
    (void)state;
    expect_quotas("a:1x600,0,10@a b:1x400,0,10@a c:1x100,0,10@a d:1x300,0,5@b",
                  "a:0-10@0 b:0-10@0 c:10-20@0 d:0-5@1");
    expect_quotas("a:1x600,0,10@a b:1,0,10@a c:1x300,0,10@a d:2x600,0,10@a",
                  "a:0-10@0 b:10-20@0 c:20-30@0 d:rejected"); /* 1200 > 1000 */
}

static void expect_on(const char *json, const char *jobs, const char *timeline)
{
    char path[256];
    scratch_keep(path, sizeof path, "cluster.json", json);
    scenario_expect(path, "fifo", jobs, timeline);
}

/* A worker takes its CPUs: b and c would fit on GPU 0, whose node has 2 CPUs, and are placed on GPU
 * 1; d has 4 + 4 CPUs in all and may not have both workers where 2 are left. */
static void each_worker_takes_cpus(void **state)
{
    (void)state;
    expect_on("{\"nodes\": [{\"gpus\": 1, \"cpus\": 2}, {\"gpus\": 1, \"cpus\": 8}]}",
              "a:1x500,0,10+2 b:1x300,0,10+2 c:1x300,0,10+2 d:1x100,0,5+6",
              "a:0-10@0 b:0-10@1 c:0-10@1 d:10-15@1");
    expect_on("{\"nodes\": [{\"gpus\": 2, \"mem_mib\": 100}]}",
              "a:2x500,0,10+1/80 b:1x500,0,10+1/20 c:1x100,0,5+1/1",
              "a:0-10@0+1 b:0-10@0 c:10-15@0");
}

static const char two_types[] =
    "{\"gpu_types\": {\"M16\": {\"mem_mib\": 16000}, \"M32\": {\"mem_mib\": 32000}},"
    " \"nodes\": [{\"gpus\": 1, \"type\": \"M16\"}, {\"gpus\": 1, \"type\": \"M32\"}]}";

/* floor(16000 x 250 / 1000) = 4000, floor(32000 x 250 / 1000) = 8000. */
static void a_share_has_its_share_of_the_memory(void **state)
{
    (void)state;
    expect_on(two_types,
              "a:1x250,0,10&4000 b:1x250,0,10&4001 c:1x250,0,10&8000 d:1x250,0,10&8001 "
              "e:1x999,0,10&32000 f:1,0,10&32000",
              "a:0-10@0 b:0-10@1 c:0-10@1 d:rejected e:rejected f:10-20@1");
}

/* Any of the types named will do; a job that names none of the cluster's is rejected. */
static void sets_of_types(void **state)
{
    (void)state;
    expect("1x1:T4,1x1:P100,1x1:V100", "fifo",
           "a:1,0,10=P100|V100 b:1,0,10=V100|P100 c:1,0,10=K80|A100 d:1,0,10=K80|T4 "
           "e:1,0,10=P100|V100",
           "a:0-10@1 b:0-10@2 c:rejected d:0-10@0 e:10-20@1");
    expect("1x1:T4,1x1:P100,1x1:V100", "fifo",
           "a:1x500,0,10=V100 b:1x400,0,10=P100|V100 c:1x400,0,10=P100|V100|T4",
           "a:0-10@2 b:0-10@2 c:0-10@0");
    expect("1x2:V100", "fifo", "a:1,0,10=V100M16 b:1,0,10=V100|V100", "a:rejected b:0-10@0");
}

/* b, the head, can start when a frees its 600 at 10: 1000 are free then. If b needs 700, the 300
 * that are left over are not enough for d, which runs beyond; c ends by then. If b needs 600, d
 * starts beside a, and c finds no room. */
static void a_reservation_counts_thousandths(void **state)
{
    (void)state;
    expect("1x1", "fifo:scan=easy", "a:1x600,0,10 b:1x700,0,10 d:1x400,0,20 c:1x400,0,10",
           "a:0-10@0 b:10-20@0 d:20-40@0 c:0-10@0");
    expect("1x1", "fifo:scan=easy", "a:1x600,0,10 b:1x600,0,10 d:1x400,0,20 c:1x400,0,10",
           "a:0-10@0 b:10-20@0 d:0-20@0 c:20-30@0");
}

/* 10 s on one GPU are more than 18 s on half of one. */
static void gpu_time_is_of_the_share(void **state)
{
    (void)state;
    expect("1x1", "qssf:pred=oracle", "a:1,0,10 b:1,1,10 c:1x500,2,18",
           "a:0-10@0 b:28-38@0 c:10-28@0");
}

/* A policy that cannot divide a GPU gives it whole: to one job after the other, or to both at once
 * as to whole jobs, at half speed. */
static void other_policies_give_whole_gpus(void **state)
{
    (void)state;
    expect("1x1", "srtf", "a:1x500,0,10 b:1x500,0,20", "a:0-10@0 b:10-30@0");
    const struct hs_test_options options = {.excess = 1};
    scenario_expect_with("1x1", "pack", "a:1x500,0,10%90 b:1x500,0,10%90", &options,
                         "a:0-20@0 b:0-20@0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tightest_that_is_enough),
        cmocka_unit_test(ties_go_to_the_lowest_gpu),
        cmocka_unit_test(shares_and_whole_jobs_never_meet),
        cmocka_unit_test(workers_of_a_gang_sit_apart),
        cmocka_unit_test(a_gang_of_shares_is_whole_or_waits),
        cmocka_unit_test(within_one_plan),
        cmocka_unit_test(room_that_the_pass_itself_opens),
        cmocka_unit_test(shares_do_not_slow_each_other),
        cmocka_unit_test(the_placer_chooses_idle_gpus),
        cmocka_unit_test(a_quota_counts_thousandths),
        cmocka_unit_test(each_worker_takes_cpus),
        cmocka_unit_test(a_share_has_its_share_of_the_memory),
        cmocka_unit_test(sets_of_types),
        cmocka_unit_test(a_reservation_counts_thousandths),
        cmocka_unit_test(gpu_time_is_of_the_share),
        cmocka_unit_test(other_policies_give_whole_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
