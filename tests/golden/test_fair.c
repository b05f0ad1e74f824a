/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fair shares and dominant shares in schedules that a person can verify on paper. Jobs are written
 * id:gpus,submit,duration~user, see support/scenario.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/scenario.h"
#include "support/sink.h"

#define expect scenario_expect

/* 1x4: at 100 all usage is A's. With two users S = 1/2, so that F is 2^(-1 / (1/2)) = 1/4 for A and
 * 1 for B. Both jobs of B start before the older ones of A. */
static void factors(void **state)
{
    static const char jobs[] = "0:4,0,100~A 1:2,1,50~A 2:2,2,50~A 3:2,3,50~B 4:2,4,50~B";
    (void)state;
    expect("1x4", "fifo", jobs, "0:0-100 1:100-150 2:100-150 3:150-200 4:150-200");
    expect("1x4", "fairshare", jobs, "0:0-100 1:150-200 2:150-200 3:100-150 4:100-150");
    expect("1x4", "fairshare:w_fairshare=0,w_size=0", jobs,
           "0:0-100 1:100-150 2:100-150 3:150-200 4:150-200");
}

/* 1x1: A has run from 0 to 100, B from 100 to 200. In units of half-life / ln 2, at 200:
 *
 *     half-life   of A                of B        U_A    F_A = 2^(-2 U_A)   F_B
 *     100 s       (1 - 1/2) / 2       1 - 1/2     1/3    0.629961           0.396850
 *     1e9 s       100 s               100 s       1/2    0.500000           0.500000
 *
 * (the second row up to 4e-8, which rounds to the same millionth). So the next job is the second of
 * A, or that of B, which was submitted before it. */
static void decay(void **state)
{
    static const char jobs[] = "0:1,0,100~A 1:1,0,100~B 2:1,50,10~B 3:1,60,10~A";
    (void)state;
    expect("1x1", "fairshare:half_life=100s,w_age=0,w_size=0", jobs,
           "0:0-100 1:100-200 2:210-220 3:200-210");
    expect("1x1", "fairshare:half_life=1000000000s,w_age=0,w_size=0", jobs,
           "0:0-100 1:100-200 2:200-210 3:210-220");
}

/* 1x4, weights 100, max_age 100 s. At 100, as in factors(), F is 1/4 for A and 1 for B; where A is
 * alone it is 1/2:
 *
 *     job                           100 F   100 A   100 size   sum
 *     R  B, 3 GPUs, from 0           100     100       75      275
 *     1  A, 1 GPU, from 0             25     100       25      150
 *     2  B, 1 GPU, from 50           100      50       25      175
 *     2  B, 1 GPU, from 80           100      20       25      145
 *     1  A, 1 GPU, from 0, alone      50     100       25      175
 *     2  A, 4 GPUs, from 50, alone    50      50      100      200
 *     2  A, 4 GPUs, from 90, alone    50      10      100      160
 *
 * R leaves one GPU for jobs 1 and 2, one after the other. */
static void weighted_sum(void **state)
{
    static const struct {
        const char *second, *ends;
    } rows[] = {{"2:1,50,10~B", "0:0-100 R:100-500 1:110-120 2:100-110"},
                {"2:1,80,10~B", "0:0-100 R:100-500 1:100-110 2:110-120"}};
    char jobs[128];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(jobs, sizeof jobs, "0:4,0,100~A R:3,0,400~B 1:1,0,10~A %s", rows[i].second);
        expect("1x4", "fairshare:w_fairshare=100,w_age=100,w_size=100,max_age=100s", jobs,
               rows[i].ends);
    }
    expect("1x4", "fairshare:w_fairshare=100,w_age=100,w_size=100,max_age=100s",
           "0:4,0,100~A 1:1,0,10~A 2:4,50,10~A", "0:0-100 1:110-120 2:100-110");
    expect("1x4", "fairshare:w_fairshare=100,w_age=100,w_size=100,max_age=100s",
           "0:4,0,100~A 1:1,0,10~A 2:4,90,10~A", "0:0-100 1:100-110 2:110-120");
}

/* 1x4: at 300 the jobs 1 and 2 have waited for 300 and 200 s. With max_age 100 s their ages are
 * equal, and the larger one is next; with 400 s the 100 s more of waiting, 25, are worth more than
 * the 3 GPUs more, 3/4 x 10. */
static void greatest_age(void **state)
{
    static const char jobs[] = "0:4,0,300~A 1:1,0,10~A 2:4,100,10~A";
    (void)state;
    expect("1x4", "fairshare:w_age=100,w_size=10,max_age=100s", jobs,
           "0:0-300 1:310-320 2:300-310");
    expect("1x4", "fairshare:w_age=100,w_size=10,max_age=400s", jobs,
           "0:0-300 1:300-310 2:310-320");
}

/* By virtual cluster: a user of x without any usage still waits for y. */
static void accounts(void **state)
{
    static const char jobs[] = "0:1,0,100~A@x 1:1,1,10~B@x 2:1,2,10~C@y";
    (void)state;
    expect("1x1", "fairshare:w_age=0", jobs, "0:0-100 1:100-110 2:110-120");
    expect("1x1", "fairshare:w_age=0,by=vc", jobs, "0:0-100 1:110-120 2:100-110");
}

/* Ghodsi et al., NSDI 2011, 4.1 and table 1: 9 CPUs and 18 GB, tasks of A of <1 CPU, 4 GB>, of B of
 * <3 CPUs, 1 GB>. A runs 3 tasks, B 2, each with a dominant share of 2/3: 3 x 4 of 18 GB, 2 x 3 of
 * 9 CPUs. Here each task has one of 16 GPUs besides, of which no user has more than 3/16. The third
 * task of A and the second of B take the last CPU. In order of submission there are 4 of A, and one
 * of B, which leave 2 CPUs and 1 GB. */
static void ghodsi(void **state)
{
    static const char node[] =
        "{\"nodes\": [{\"count\": 1, \"gpus\": 16, \"cpus\": 9, \"mem_mib\": 18432}]}";
    static const char jobs[] = "a:1,0,100~A+1/4096 b:1,0,100~A+1/4096 c:1,0,100~A+1/4096 "
                               "d:1,0,100~A+1/4096 p:1,0,100~B+3/1024 q:1,0,100~B+3/1024 "
                               "r:1,0,100~B+3/1024";
    char cluster[256];
    (void)state;
    scratch_keep(cluster, sizeof cluster, "ghodsi.json", node);
    expect(cluster, "drf", jobs, "a:0-100 b:0-100 c:0-100 d:100-200 p:0-100 q:0-100 r:100-200");
    expect(cluster, "fifo", jobs, "a:0-100 b:0-100 c:0-100 d:0-100 p:0-100 q:100-200 r:100-200");
}

/* 1x8, GPUs alone: the user with fewer GPUs is next. At 0 A and B get 2 each by turns; at 10 the
 * first job of A ends, and A has 2 GPUs where B has 4. C, submitted at 5, is still next. */
static void by_gpus(void **state)
{
    (void)state;
    expect("1x8", "drf", "0:2,0,10~A 1:2,0,50~A 2:2,0,50~A 3:2,0,50~B 4:2,0,50~B 5:2,5,50~C",
           "0:0-10 1:0-50 2:50-100 3:0-50 4:0-50 5:10-60");
    /* strict: the gang of B, which has the least share, does not fit; fit: A passes it */
    expect("1x4", "drf", "0:2,0,100~A 1:4,1,10~B 2:1,2,10~A", "0:0-100 1:100-110 2:110-120");
    expect("1x4", "drf:scan=fit", "0:2,0,100~A 1:4,1,10~B 2:1,2,10~A", "0:0-100 1:100-110 2:2-12");
}

/* Of three GPUs and 1 MiB of host memory A holds a third and all, B a third and none: B is next. */
static void by_the_least_memory(void **state)
{
    char cluster[256];
    (void)state;
    scratch_keep(cluster, sizeof cluster, "mib.json",
                 "{\"nodes\": [{\"gpus\": 3, \"mem_mib\": 1}]}");
    expect(cluster, "drf", "0:1,0,10~A+0/1 1:1,0,20~B 2:1,0,10~A 3:1,0,10~B",
           "0:0-10 1:0-20 2:10-20 3:0-10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors),      cmocka_unit_test(decay),
        cmocka_unit_test(weighted_sum), cmocka_unit_test(greatest_age),
        cmocka_unit_test(accounts),     cmocka_unit_test(ghodsi),
        cmocka_unit_test(by_gpus),      cmocka_unit_test(by_the_least_memory)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
