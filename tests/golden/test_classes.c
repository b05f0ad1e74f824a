/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes, notices, quotas lent within cohorts and reclaim in schedules that a person can verify on
 * paper. Jobs are written id:gpus,submit,duration[!class][@vc][^priority], see support/scenario.h;
 * o is opportunistic, g guaranteed.
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

/* quotas: a whole file. */
static void expect_quotas(const char *quotas, const char *cluster, const char *policy,
                          const char *jobs, const char *timeline)
{
    char path[256];
    const struct hs_test_options options = {.vc = HS_VC_QUOTA, .vc_file = path};
    scratch_keep(path, sizeof path, "vcs.json", quotas);
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

/* ---- classes ---- */

/* 1x4. G needs 2 GPUs at 10: B started last and gets notice, until 40. H needs 2 at 20: A gets
 * notice as well, until 50. A has 50 s left then, B 61 at 40; A, submitted first, resumes when G
 * ends, B when H ends. Without notice A runs until 20 and B until 10, and they have 80 and 91 s
 * left. */
static void notices(void **state)
{
    static const char jobs[] = "A:2,0,100!o B:2,1,100!o G:2,10,50!g H:2,20,50";
    (void)state;
    expect("1x4", "fifo:class=evict", jobs, "A:0-50,90-140 B:1-40,100-161 G:40-90 H:50-100");
    expect("1x4", "fifo:class=evict,grace=0s", jobs, "A:0-20,60-140 B:1-10,70-161 G:10-60 H:20-70");
    expect("1x4", "fifo:class=order", jobs, "A:0-100 B:1-101 G:100-150 H:101-151");
    expect("1x4", "fifo", jobs, "A:0-100 B:1-101 G:100-150 H:101-151");
}

/* 1x2: A ends 15 s after its notice; G starts then. */
static void the_end_within_a_notice(void **state)
{
    (void)state;
    expect("1x2", "fifo:class=evict", "A:2,0,25!o G:2,10,10!g", "A:0-25 G:25-35");
}

/* 1x2: A gets notice at 10 for G, which gets the GPU of C at 15: the notice is void. At 20 A gets
 * notice again, for H, until 50, and has 50 s left; A resumes when H ends. */
static void a_void_notice(void **state)
{
    (void)state;
    expect("1x2", "fifo:class=evict", "A:1,0,100!o C:1,0,15!g G:1,10,100!g H:1,20,50!g",
           "A:0-50,100-150 C:0-15 G:15-115 H:50-100");
}

/* 1x1: after 10 s of notice A has 4 s left, and pays 2 s before it resumes at 19. */
static void cost(void **state)
{
    (void)state;
    expect("1x1", "fifo:class=evict,grace=10s,preempt_cost=table,cost_table=2",
           "A:1,0,20!o G:1,6,3!g", "A:0-16,19-25 G:16-19");
}

/* 1x1: a class precedes all priorities. Within a class the priority counts: under `order` among
 * waiting jobs, under `preempt` also for running ones; jobs that are not opportunistic, M here, get
 * no notice. */
static void with_priorities(void **state)
{
    (void)state;
    expect("1x1", "fifo:class=evict,grace=5s,priority=order", "A:1,0,20!o^9 B:1,1,5!o^9 G:1,2,10!g",
           "A:0-7,17-30 B:30-35 G:7-17");
    expect("1x1", "fifo:class=evict,grace=5s,priority=preempt",
           "M:1,0,20!g H:1,4,6!g^1 A:1,5,1!o^9", "M:0-4,10-26 H:4-10 A:26-27");
    /* 1x2: of A and B the one of lower priority is evicted, though it started first */
    expect("1x2", "fifo:class=evict,grace=5s,priority=preempt", "A:1,0,20!o B:1,1,20!o^1 G:1,2,9!g",
           "A:0-7,16-29 B:1-21 G:7-16");
}

/* 1x4: of equal starts the job submitted last is evicted, of equal submissions the last row. */
static void ties(void **state)
{
    (void)state;
    expect("1x4", "fifo:class=evict,grace=0s",
           "F:4,0,5!g A:1,1,10!o B:1,2,10!o C:2,2,10!o G:1,10,10!g H:1,11,10!g",
           "F:0-5 A:5-15 B:5-15 C:5-10,15-20 G:10-20 H:11-21");
    expect("1x2", "fifo:class=evict,grace=0s", "A:1,0,10!o B:1,0,10!o G:1,4,10!g",
           "A:0-10 B:0-4,10-16 G:4-14");
}

/* 1x1: G has more work left than A and goes first by its class; so does H under edf, without a
 * deadline. */
static void of_preemptive_orders(void **state)
{
    static const char *const policies[] = {"srtf", "srsf", "llf", "edf"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (int k = 0; k < 2; k++) {
            char policy[64];
            (void)snprintf(policy, sizeof policy, "%s:class=%s,grace=5s", policies[i],
                           k == 0 ? "order" : "evict");
            expect("1x1", policy, "A:1,0,10!o G:1,2,20!g", "A:0-7,27-30 G:7-27");
        }
}

/* 1x1: job 2 passes job 1. */
static void of_sharing_policies(void **state)
{
    static const char *const policies[] = {"pack",  "gandiva-like", "colocate-fifo",
                                           "horus", "horus-s",      "gandiva-pack-only"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        char policy[64];
        (void)snprintf(policy, sizeof policy, "%s:max_tenants=1,class=order", policies[i]);
        expect("1x1", policy, "0:1,0,10 1:1,1,10!o 2:1,2,10", "0:0-10 1:20-30 2:10-20");
    }
    expect("1x1", "fifo:scan=easy,class=order", "0:1,0,10 1:1,1,10!o 2:1,2,10",
           "0:0-10 1:20-30 2:10-20");
}

/* ---- cohorts ---- */

#define PAIR(more)                                                                                 \
    "{\"vcs\": {\"x\": {\"gpus\": 4, \"cohort\": \"c\"" more                                       \
    "}, \"y\": {\"gpus\": 4, \"cohort\": \"c\"}}}"

/* 1x8: x borrows what y leaves idle; y waits until it ends. With limits x may hold 4 + 2, or, of
 * the 4 of y, the 1 that y lends; J, of 8, exceeds both and is rejected. */
static void borrowing(void **state)
{
    static const char jobs[] = "A:4,0,10@x B:4,0,20@x Y:4,1,10@y";
    (void)state;
    expect_quotas("{\"vcs\": {\"x\": 4, \"y\": 4}}", "1x8", "fifo", jobs, "A:0-10 B:10-30 Y:1-11");
    expect_quotas(PAIR(""), "1x8", "fifo", jobs, "A:0-10 B:0-20 Y:10-20");
    expect_quotas(PAIR(", \"borrowing_limit\": 2"), "1x8", "fifo:scan=fit",
                  "A:4,0,10@x B:4,0,20@x C:2,0,20@x J:8,0,1@x", "A:0-10 B:10-30 C:0-20 J:rejected");
    expect_quotas("{\"vcs\": {\"x\": {\"gpus\": 4, \"cohort\": \"c\"},"
                  " \"y\": {\"gpus\": 4, \"cohort\": \"c\", \"lending_limit\": 1}}}",
                  "1x8", "fifo:scan=fit", "A:4,0,10@x B:2,0,20@x C:1,0,20@x J:8,0,1@x",
                  "A:0-10 B:10-30 C:0-20 J:rejected");
}

/* 1x8: Y is within the quota of its virtual cluster, whose GPUs B borrows: B gets notice at 10,
 * stops at 40 with 61 s left, and waits, before M by submission, for the GPUs of Y. */
static void reclaim(void **state)
{
    static const char jobs[] = "A:4,0,100@x B:4,1,100@x Y:4,10,50@y M:2,20,50@x";
    (void)state;
    expect_quotas(PAIR(""), "1x8", "fifo:reclaim=yes", jobs,
                  "A:0-100 B:1-40,90-151 Y:40-90 M:100-150");
    expect_quotas(PAIR(""), "1x8", "fifo:reclaim=yes,grace=0s", jobs,
                  "A:0-100 B:1-10,60-151 Y:10-60 M:100-150");
    /* srtf: M, with 50 s to do, takes the GPUs of A, which has 80 left, not those of B, which has
     * notice; A, with 80, and B, with 61, resume when there are 4 GPUs again, the shorter first */
    expect_quotas(PAIR(""), "1x8", "srtf:reclaim=yes", jobs,
                  "A:0-20,90-170 B:1-40,70-131 Y:40-90 M:20-70");
}

/* 1x8, fit: at 20 the GPUs of B go to Y, not to S, which waits before Y in a virtual cluster of a
 * lower index; and S of y, which is behind Y, does not take a part of them. */
static void claims_are_not_borrowed(void **state)
{
    (void)state;
    expect_quotas(PAIR(""), "1x8", "fifo:reclaim=yes,grace=10s,scan=fit",
                  "A:4,0,100@x B:4,1,100@x S:1,5,10@x Y:4,10,50@y",
                  "A:0-100 B:1-20,70-151 S:100-110 Y:20-70");
    expect_quotas(PAIR(""), "1x8", "fifo:reclaim=yes,grace=10s,scan=fit",
                  "A:4,0,100@x B:2,1,100@x C:2,1,14@x Y:4,10,50@y S:1,11,3@y",
                  "A:0-100 B:1-20,70-151 C:1-15 Y:20-70 S:70-73");
}

/* 1x8, quotas 2, 2 and 4: X is within its quota; P and Q borrow a pair of z's GPUs each; Z needs
 * all 4 of z. P and Q are stopped, not X, though it started last. If Z needs 2, Q alone, the
 * younger. */
static void only_borrowers(void **state)
{
    static const char quotas[] = "{\"vcs\": {\"x\": {\"gpus\": 2, \"cohort\": \"c\"},"
                                 " \"y\": {\"gpus\": 2, \"cohort\": \"c\"},"
                                 " \"z\": {\"gpus\": 4, \"cohort\": \"c\"}}}";
    (void)state;
    expect_quotas(quotas, "1x8", "fifo:reclaim=yes,grace=0s",
                  "O:2,0,50@y P:2,1,50@y Q:2,2,50@y X:2,3,50@x Z:4,10,20@z",
                  "O:0-50 P:1-10,30-71 Q:2-10,30-72 X:3-53 Z:10-30");
    expect_quotas(quotas, "1x8", "fifo:reclaim=yes,grace=0s",
                  "O:2,0,50@y P:2,1,50@y Q:2,2,50@y X:2,3,50@x Z:2,10,20@z",
                  "O:0-50 P:1-51 Q:2-10,30-72 X:3-53 Z:10-30");
}

/* 1x8: a lab of a (2) and b (2), and beside it c (4) and d (0).
 * - a holds all of the lab, b's GPUs among them, and d holds those of c. C reclaims those of d, not
 *   those of a, which are younger: the lab is within its quota.
 * - c holds 8. A needs 4: more than a has, and as many as the lab has: by the quota of the lab it
 *   claims them, and the younger job of c is stopped.
 * - c holds 8, and D has no quota: it waits. */
static void cohorts_of_cohorts(void **state)
{
    static const char quotas[] =
        "{\"vcs\": {\"a\": {\"gpus\": 2, \"cohort\": \"lab\"}, \"b\": {\"gpus\": 2, \"cohort\": "
        "\"lab\"},"
        " \"c\": {\"gpus\": 4, \"cohort\": \"all\"}, \"d\": {\"gpus\": 0, \"cohort\": \"all\"}},"
        " \"cohorts\": {\"lab\": {\"cohort\": \"all\"}, \"all\": {}}}";
    (void)state;
    expect_quotas(quotas, "1x8", "fifo:reclaim=yes,grace=0s", "D:4,0,50@d A:4,1,50@a C:4,10,20@c",
                  "D:0-10,30-70 A:1-51 C:10-30");
    expect_quotas(quotas, "1x8", "fifo:reclaim=yes,grace=0s", "C:4,0,50@c E:4,1,50@c A:4,10,20@a",
                  "C:0-50 E:1-10,30-71 A:10-30");
    expect_quotas(quotas, "1x8", "fifo:reclaim=yes,grace=0s", "C:4,0,50@c E:4,1,50@c D:4,10,20@d",
                  "C:0-50 E:1-51 D:50-70");
}

/* 1x4: of the two jobs that borrow the opportunistic one is stopped, under class=evict. */
static void reclaim_by_class(void **state)
{
    static const char quotas[] = "{\"vcs\": {\"x\": {\"gpus\": 1, \"cohort\": \"c\"},"
                                 " \"y\": {\"gpus\": 3, \"cohort\": \"c\"}}}";
    static const char jobs[] = "A:1,0,50!g@x O:1,1,50!o@x B:2,2,50!g@x Y:1,10,20!g@y";
    (void)state;
    expect_quotas(quotas, "1x4", "fifo:reclaim=yes,grace=0s,class=evict", jobs,
                  "A:0-50 O:1-10,30-71 B:2-52 Y:10-30");
    expect_quotas(quotas, "1x4", "fifo:reclaim=yes,grace=0s", jobs,
                  "A:0-50 O:1-51 B:2-10,30-72 Y:10-30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(notices),
                                       cmocka_unit_test(the_end_within_a_notice),
                                       cmocka_unit_test(a_void_notice),
                                       cmocka_unit_test(cost),
                                       cmocka_unit_test(with_priorities),
                                       cmocka_unit_test(ties),
                                       cmocka_unit_test(of_preemptive_orders),
                                       cmocka_unit_test(of_sharing_policies),
                                       cmocka_unit_test(borrowing),
                                       cmocka_unit_test(reclaim),
                                       cmocka_unit_test(claims_are_not_borrowed),
                                       cmocka_unit_test(only_borrowers),
                                       cmocka_unit_test(cohorts_of_cohorts),
                                       cmocka_unit_test(reclaim_by_class)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
