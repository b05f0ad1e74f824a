/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salus in a cluster (policy text 3.4), and the effects of its parameters, by hand: GPUs of 16000
 * MiB. Jobs and timelines as in scenario.h; a job is on its GPUs from its admission on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "support/scenario.h"
#include "support/sink.h"

static char one[256], pair[256], trio[256], nodes[256];

static void keep_cluster(char *path, size_t size, const char *name, uint32_t count, uint32_t gpus)
{
    char json[256];
    (void)snprintf(json, sizeof json,
                   "{\"gpu_types\": {\"S\": {\"mem_mib\": 16000}},"
                   " \"nodes\": [{\"count\": %u, \"gpus\": %u, \"type\": \"S\"}]}",
                   count, gpus);
    scratch_keep(path, size, name, json);
}

static int set_up(void **state)
{
    (void)scratch_open(state);
    keep_cluster(one, sizeof one, "one.json", 1, 1);
    keep_cluster(pair, sizeof pair, "pair.json", 1, 2);
    keep_cluster(trio, sizeof trio, "trio.json", 1, 3);
    keep_cluster(nodes, sizeof nodes, "nodes.json", 2, 2);
    return 0;
}

static void expect(const char *cluster, const char *policy, const char *jobs, const char *timeline)
{
    const struct hs_test_options options = {.max_tenants = 8};
    char spec[512];
    (void)snprintf(spec, sizeof spec, "%s,infl_p=1,infl_total=1,reserve=0", policy);
    scenario_expect_with(cluster, spec, jobs, &options, timeline);
}

/* ---- which GPUs ---- */

/* B gets an idle GPU, though a lane of its own would fit beside A. C would fit beside both and gets
 * the less used GPU. */
static void idle_first_then_the_less_used(void **state)
{
    (void)state;
    expect(pair, "salus:rule=pack",
           "A:1,0,10%60&2000/1000*1 B:1,0,10%30&2000/1000*1 "
           "C:1,1,5%10&2000/1000*1",
           "A:0-10@0 B:0-10@1 C:1-6@1");
}

/* A lane of two GPUs beside three of one: on the least used GPUs. */
static void a_gang_finds_the_less_used(void **state)
{
    (void)state;
    expect(trio, "salus:rule=pack",
           "A:1,0,10%60&2000/1000*1 B:1,0,10%30&2000/1000*1 C:1,0,10%10&2000/1000*1 "
           "D:2,1,5%10&2000/1000*1",
           "A:0-10@0 B:0-10@1 C:0-10@2 D:1-6@1+2");
}

/* No job can have a lane of its own. C and D join single jobs, C on the less used GPU; E joins the
 * lane that has one member less after D's end. Turns of 1 s: D's two mini-batches are done at 3
 * (after A's second) and 5. */
static void the_lane_of_fewest_members(void **state)
{
    (void)state;
    expect(pair, "salus:rule=pack,lanes=one",
           "A:1,0,9%60&9000/1000*1 B:1,0,9%30&9000/1000*1 C:1,1,20%10&9000/1000*1 "
           "D:1,1,2%10&9000/1000*1 E:1,6,1%10&9000/1000*1",
           "A:0-12@0 B:0-17@1 C:1-29@1 D:1-4@0 E:6-7@0");
}

/* The second gang takes turns with the first; the single job cannot, and waits for a GPU without a
 * lane. */
static void gangs_share_with_gangs(void **state)
{
    (void)state;
    expect(pair, "salus:rule=rr,lanes=one",
           "A:2,0,4&4000/1000*1 B:2,0,4&4000/1000*1 C:1,0,4&4000/1000*1",
           "A:0-7@0+1 B:0-8@0+1 C:8-12@0");
}

/* A lane of two GPUs beside lanes of one: 8000 + 4000 of GPU 0, where C has no room. */
static void lanes_of_different_gangs_overlap(void **state)
{
    (void)state;
    expect(pair, "salus:rule=pack", "A:1,0,10&8000*1 B:2,0,10&4000*1 C:1,0,10&9000*1",
           "A:0-10@0 B:0-10@0+1 C:0-10@1");
}

/* A gang of at most a node's size gets one node; a larger one gets several. When A ends a GPU of
 * each node is idle: C waits for two of one, and E for all four, behind D. */
static void a_gang_stays_on_a_node(void **state)
{
    (void)state;
    expect(nodes, "salus:rule=srtf",
           "A:1,0,5&16000/9000*1 B:1,0,9&16000/9000*1 F:1,0,5&16000/9000*1 G:1,0,8&16000/9000*1 "
           "C:2,1,5&16000/9000*1 E:4,1,5&16000/9000*1 D:1,2,3&16000/9000*1",
           "A:0-5@0 B:0-9@1 F:0-5@2 G:0-8@3 C:8-13@2+3 E:13-18@0+1+2+3 D:5-8@0");
}

/* B's need is unknown: it gets a GPU of its own. */
static void no_estimate_no_company(void **state)
{
    (void)state;
    expect(pair, "salus:rule=pack", "A:1,0,10&1000*1 B:1,0,10*1 C:1,1,5&1000*1 D:1,2,3*1",
           "A:0-10@0 B:0-10@1 C:1-6@0 D:10-13@0");
}

/* 300 of 16000 are reserved: A fits on a GPU, but not in lanes. B gets 1.05 (1.1 x 1000 + 12000) =
 * 13755 of 15700, C 1.05 (1.1 x 1000 + 600) = 1785, and D, for which 160 are left, waits. */
static void the_margins_of_the_driver(void **state)
{
    const struct hs_test_options options = {.max_tenants = 8};
    (void)state;
    scenario_expect_with(one, "salus-pack",
                         "A:1,0,10&15701/1000*1 B:1,0,10&13000/1000*1 C:1,0,10&1600/1000*1 "
                         "D:1,0,10&1600/1000*1",
                         &options, "A:rejected B:0-10 C:0-10 D:10-20");
}

/* ---- when ---- */

static void one_admission_a_poll(void **state)
{
    (void)state;
    expect(nodes, "salus:rule=pack,poll=1",
           "A:1,0,10&1000*1 B:1,0,10&1000*1 C:1,0,10&1000*1 D:1,4.500000,10&1000*1",
           "A:0-10 B:1-11 C:2-12 D:5-15");
    expect(one, "salus:rule=fifo,poll=0.1", "A:1,0,0.250000*1 B:1,0,0.250000*1",
           "A:0-0.250000 B:0.300000-0.550000");
}

/* On the CPU: under rr B, which is ready at 6 as A's third mini-batch ends, has not delayed A;
 * under fair it is the next from its admission on, no job runs from 4 to 6.5, and then they
 * alternate until 9.5: it has used 0, then 1, as A has. */
static void starting_up(void **state)
{
    (void)state;
    expect(one, "salus:rule=fifo,startup=3", "A:1,0,5*1 B:1,0,5*1", "A:0-8 B:8-16");
    expect(one, "salus:rule=rr,startup=3", "A:1,0,6&2000*1 B:1,3,2&2000*1", "A:0-11 B:3-9");
    expect(one, "salus:rule=fair,startup=3", "A:1,0,6&2000*1 B:1,3.500000,2&2000*1",
           "A:0-13.500000 B:3.500000-9.500000");
}

static void not_more_than_so_many(void **state)
{
    (void)state;
    expect(pair, "salus:rule=pack,max_sessions=2",
           "A:1,0,10&100*1 B:1,0,10&100*1 C:1,0,10&100*1 D:1,0,10&100*1 E:1,0,5&100*1",
           "A:0-10 B:0-10 C:0-10 D:0-10 E:10-15");
}

/* ---- fluid ---- */

/* S5: B alone from 10 to 20, then each half of the time; rr: half from 10 on. */
static void shares_of_the_fair(void **state)
{
    (void)state;
    static const char jobs[] = "A:1,0,20&2000/1000*1 B:1,10,20&2000/1000*1";
    expect(one, "salus:rule=fair,mode=fluid", jobs, "A:0-40 B:10-40");
    expect(one, "salus:rule=rr,mode=fluid", jobs, "A:0-30 B:10-40");
}

/* A has mini-batches of 3 s and three quarters of the time, from 3 on, when its current one is
 * over: it has 9 s left, for 12 s, in which B has 3 s. */
static void shares_by_mini_batches(void **state)
{
    (void)state;
    expect(one, "salus:rule=pack,lanes=one,mode=fluid", "A:1,0,12&2000/1000*3 B:1,1,5&2000/1000*1",
           "A:0-15 B:1-17");
    /* only B's step is known, and the lane is fluid: A has 6 s left at 3, for 8 s */
    expect(one, "salus:rule=pack,lanes=one,mode=exact,step=1",
           "A:1,0,9&2000/1000*3 B:1,1,5&2000/1000", "A:0-11 B:1-14");
}

/* Four are more than three: then all have shares of the lane's time; the last is alone again. */
static void many_sessions_are_fluid(void **state)
{
    (void)state;
    expect(one, "salus:rule=pack,lanes=one,fluid_above=3",
           "A:1,0,2&100*1 B:1,0,2&100*1 C:1,0,2&100*1 D:1,0,4&100*1", "A:0-8 B:0-8 C:0-8 D:0-10");
    expect(one, "salus:rule=pack,lanes=one,fluid_above=4",
           "A:1,0,2&100*1 B:1,0,2&100*1 C:1,0,2&100*1 D:1,0,4&100*1", "A:0-5 B:0-6 C:0-7 D:0-10");
}

/* Turns of 1 s: A and B have had one each at 2. Without a third turn all have a quarter from then
 * on: A and B the second that they need at 6, when C needs one more and D three: halves until 8. */
static void shares_after_so_many_turns(void **state)
{
    (void)state;
    static const char jobs[] = "A:1,0,2&100*1 B:1,0,2&100*1 C:1,0,2&100*1 D:1,0,4&100*1";
    expect(one, "salus:rule=pack,lanes=one,exact_turns=2", jobs, "A:0-6 B:0-6 C:0-8 D:0-10");
    expect(one, "salus:rule=pack,lanes=one,exact_turns=9", jobs, "A:0-5 B:0-6 C:0-7 D:0-10");
    expect(one, "salus:rule=pack,lanes=one,exact_turns=0", jobs, "A:0-8 B:0-8 C:0-8 D:0-10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(idle_first_then_the_less_used),
                                       cmocka_unit_test(a_gang_finds_the_less_used),
                                       cmocka_unit_test(the_lane_of_fewest_members),
                                       cmocka_unit_test(gangs_share_with_gangs),
                                       cmocka_unit_test(lanes_of_different_gangs_overlap),
                                       cmocka_unit_test(a_gang_stays_on_a_node),
                                       cmocka_unit_test(no_estimate_no_company),
                                       cmocka_unit_test(the_margins_of_the_driver),
                                       cmocka_unit_test(one_admission_a_poll),
                                       cmocka_unit_test(starting_up),
                                       cmocka_unit_test(not_more_than_so_many),
                                       cmocka_unit_test(shares_of_the_fair),
                                       cmocka_unit_test(shares_by_mini_batches),
                                       cmocka_unit_test(many_sessions_are_fluid),
                                       cmocka_unit_test(shares_after_so_many_turns)};
    return cmocka_run_group_tests(tests, set_up, scratch_close);
}
