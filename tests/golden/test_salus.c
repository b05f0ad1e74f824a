/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * salus on paper: the micro-scenarios S1 to S10 of the policy text (3.7), on one GPU of 16000 MiB,
 * without start-up and inflation of what jobs ask for. Jobs and timelines are written as in
 * scenario.h: a job is on the GPU from its admission on, also during the turns of other jobs of its
 * lane.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

static char gpu_16[256];

static int set_up(void **state)
{
    (void)scratch_open(state);
    scratch_keep(gpu_16, sizeof gpu_16, "gpu.json",
                 "{\"gpu_types\": {\"S\": {\"mem_mib\": 16000}},"
                 " \"nodes\": [{\"gpus\": 1, \"type\": \"S\"}]}");
    return 0;
}

/* A job is slower by `excess` while another one runs beside it. */
static void expect_beside(double excess, const char *rule, const char *jobs, const char *timeline)
{
    const struct hs_test_options options = {.excess = excess, .max_tenants = 8};
    char policy[512];
    (void)snprintf(policy, sizeof policy,
                   "salus:mode=exact,infl_p=1,infl_total=1,reserve=0,startup=0,%s", rule);
    scenario_expect_with(gpu_16, policy, jobs, &options, timeline);
}

static void expect(const char *rule, const char *jobs, const char *timeline)
{
    expect_beside(0, rule, jobs, timeline);
}

/* S1. */
static void fifo_runs_one_after_the_other(void **state)
{
    (void)state;
    expect("rule=fifo", "A:1,0,100&2000/1000*1 B:1,20,10&2000/1000*1 C:1,21,5&2000/1000*1",
           "A:0-100 B:100-110 C:110-115");
}

/* ---- lanes (3.2) ---- */

/* S2. X has a lane of 7, Y one of 5, which Z joins: persistent memory and lanes are 15 of 16. Q
 * waits: a lane of 8 could have 7. V makes the lane of 7 one of 7.5, which is 16 of 16.
 *
 *     X, V   X V X V X V X Q V X Q | V X V X ... X ends 21, V 22: 10 + 10 + 2 in all
 *     Y, Z   turns of 0.6 s: Z has its third at 3.0 to 3.6; Y alone has three more, to 5.4
 *
 * When Z has ended 2.5 + 12.5 are taken, and Q's 1 leaves too little for a lane of 8; when Y has
 * ended 1.5 + 7.5 are, 6 are left and Q makes the lane of 7.5 one of 8. It joins at 5.4 and has its
 * turns in 7-8 and 10-11, behind X, which has waited since 5, and V, which waits from 6 on. */
static void lanes_of_the_paper(void **state)
{
    (void)state;
    expect("rule=pack,lanes=paper",
           "X:1,0,10&8000/1000*1 Y:1,0,3.6&6000/1000*0.6 Z:1,0,1.8&5000/1000*0.6 "
           "Q:1,0,2&9000/1000*1 V:1,0,10&8000/500*1",
           "X:0-21 Y:0-5.400000 Z:0-3.600000 Q:5.400000-11 V:0-22");
}

/* S3. Lanes of 8 and 6 leave 2; in neither is there room for another's persistent memory. When Y
 * ends there is room for a lane of 5. */
static void lanes_of_the_code(void **state)
{
    (void)state;
    expect("rule=pack,lanes=code", "X:1,0,10&8000/1000*1 Y:1,0,6&6000/1000*1 Z:1,0,3&5000/1000*1",
           "X:0-10 Y:0-6 Z:6-9");
}

/* Two lanes take all memory; Z keeps none between its mini-batches, and takes turns with X. */
static void a_full_gpu_has_room_in_a_lane(void **state)
{
    (void)state;
    expect("rule=pack,lanes=paper", "X:1,0,10&8000/0*1 Y:1,0,20&8000/0*1 Z:1,0,5&4000/0*1",
           "X:0-15 Y:0-20 Z:0-10");
}

/* ---- shortest remaining time (3.3) ---- */

/* S4. B is admitted at once and A finishes its iteration: B runs in 21-31. */
static const char s4[] = "A:1,0,100&15000/1000*1 B:1,20.5,10&15000/1000*1";

static void the_shorter_goes_first(void **state)
{
    (void)state;
    expect("rule=srtf", s4, "A:0-110 B:20.500000-31");
    expect("rule=fifo", s4, "A:0-100 B:100-110");
}

/* S4b. 8 + 8 + 7 are more than 16: B is not admitted, and A is not interrupted. */
static void a_job_without_room_interrupts_none(void **state)
{
    (void)state;
    expect("rule=srtf", "A:1,0,100&15000/8000*1 B:1,20.5,10&15000/8000*1", "A:0-100 B:100-110");
}

/* S10. A was declared to take 10 s and takes 30. At 12 it has -2 left, less than B's 15, and goes
 * on; B is admitted and waits. */
static void an_overdue_job_stays(void **state)
{
    (void)state;
    char file[256], rule[320];
    scratch_keep(file, sizeof file, "declared.csv", "job_id,estimate\nA,10\nB,15\n");
    (void)snprintf(rule, sizeof rule, "rule=srtf,pred=file,pred_file=%s", file);
    expect(rule, "A:1,0,30&2000/1000*1 B:1,12,15&2000/1000*1", "A:0-30 B:12-45");
}

/* ---- fairness (3.3) ---- */

/* S5. fair counts the GPU time since a job's start: at 10 B has none and A 10 s, so B runs alone up
 * to 20, then they alternate. rr counts iterations from each submission on: they alternate from 10,
 * B first, whose iteration was ready before A's next one. */
static void fair_is_not_round_robin(void **state)
{
    (void)state;
    static const char jobs[] = "A:1,0,20&2000/1000*1 B:1,10,20&2000/1000*1";
    expect("rule=fair", jobs, "A:0-39 B:10-40");
    expect("rule=rr", jobs, "A:0-30 B:10-40");
    expect("rule=fifo", jobs, "A:0-20 B:20-40");
    expect("rule=srtf", jobs, "A:0-20 B:10-40");
}

/* S6, half a second a letter:
 *
 *     second  0   1   2   3   4   5   6   7   8   9   10  11  12  13
 *     fair    A A B B A A C C B C C B A A B B A A B B A A B B A A B B     C 5.5, A 13, B 14
 *     pack    A A B A A B A A C C B A A C C B A A B A A B B B B B B B     C 7.5, A 10.5, B 14 */
static void unequal_iterations(void **state)
{
    (void)state;
    static const char jobs[] = "A:1,0,6&2000/1000*1 B:1,0,6&2000/1000*0.5 C:1,3,2&2000/1000*1";
    expect("rule=fair", jobs, "A:0-13 B:0-14 C:3-5.500000");
    expect("rule=pack,lanes=one", jobs, "A:0-10.500000 B:0-14 C:3-7.500000");
}

/* ---- packing (3.3) ---- */

/* S7. Y and Z are in one lane, X has its own. */
static void lanes_run_at_once(void **state)
{
    (void)state;
    static const char jobs[] = "X:1,0,100&8000/1000*1 Y:1,0,60&6000/1000*1 Z:1,0,30&6000/1000*1";
    expect("rule=pack,lanes=paper", jobs, "X:0-100 Y:0-90 Z:0-60");
    expect("rule=fifo", jobs, "X:0-100 Y:100-160 Z:160-190");
}

/* S8. At speed 0.8 beside each other 80 s take 100, and a little more: 1 / 1.25 is rounded down to
 * Q32. */
static void lanes_slow_each_other(void **state)
{
    (void)state;
    static const char jobs[] = "X:1,0,80%50&8000/1000*1 Y:1,0,80%50&6000/1000*1";
    expect_beside(0.25, "rule=pack,lanes=paper", jobs, "X:0-100.000001 Y:0-100.000001");
    expect_beside(0.25, "rule=fifo", jobs, "X:0-80 Y:80-160");
}

/* S9. Lanes of the code: Z overtakes Y, which waits for all of X's lane. Lanes of the paper: Y
 * joins X before its second iteration, and they alternate; Z has a lane of 4 of its own. */
static void a_job_that_fits_overtakes(void **state)
{
    (void)state;
    static const char jobs[] = "X:1,0,100&10000/1000*1 Y:1,1,50&10000/1000*1 Z:1,2,20&5000/1000*1";
    expect("rule=pack,lanes=code", jobs, "X:0-100 Y:100-150 Z:2-22");
    expect("rule=pack,lanes=paper", jobs, "X:0-150 Y:1-100 Z:2-22");
}

/* Gangs of two on two nodes of a GPU. X and Y keep 1 and 6 in a lane of 9: all 16. Q would keep 2;
 * when Y has ended at 6, 6 are left, too few for a lane of 8 beside, and it joins X's:
 * X Y X Y X Y | X Q X Q X X X X X. */
static void a_gang_joins_a_lane_over_nodes(void **state)
{
    const struct hs_test_options options = {.max_tenants = 8};
    char gpus[256];
    (void)state;
    scratch_keep(gpus, sizeof gpus, "gpus.json",
                 "{\"gpu_types\": {\"S\": {\"mem_mib\": 16000}},"
                 " \"nodes\": [{\"count\": 2, \"gpus\": 1, \"type\": \"S\"}]}");
    scenario_expect_with(
        gpus, "salus:mode=exact,infl_p=1,infl_total=1,reserve=0,startup=0,rule=pack,lanes=paper",
        "X:2,0,10&10000/1000*1 Y:2,0,3&10000/6000*1 Q:2,0,2&10000/2000*1", &options,
        "X:0-15 Y:0-6 Q:6-10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_runs_one_after_the_other),
        cmocka_unit_test(lanes_of_the_paper),
        cmocka_unit_test(lanes_of_the_code),
        cmocka_unit_test(a_full_gpu_has_room_in_a_lane),
        cmocka_unit_test(the_shorter_goes_first),
        cmocka_unit_test(a_job_without_room_interrupts_none),
        cmocka_unit_test(an_overdue_job_stays),
        cmocka_unit_test(fair_is_not_round_robin),
        cmocka_unit_test(unequal_iterations),
        cmocka_unit_test(lanes_run_at_once),
        cmocka_unit_test(lanes_slow_each_other),
        cmocka_unit_test(a_job_that_fits_overtakes),
        cmocka_unit_test(a_gang_joins_a_lane_over_nodes),
    };
    return cmocka_run_group_tests_name("salus on paper", tests, set_up, scratch_close);
}
