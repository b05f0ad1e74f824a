/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gandiva on paper: the micro-scenarios G1 to G11 of the policy text (1.8), in minutes there and in
 * seconds here, and further cases of its rules of costs and priorities (1.3). Jobs and timelines
 * are written as in scenario.h.
 *
 * Numbers that are not binary fractions: a share is a Q32 fraction rounded down, and a job ends at
 * the first microsecond at which its work is done. At 2/3 of the time 240 s of work last
 * 360.00000008 s, hence end 1 us after the text's. A slowdown is rounded to 2^-20.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"
#include "model/speed.h"
#include "support/scenario.h"
#include "support/sink.h"

#define S    HS_TEST_S
#define FREE "switch=0,migrate_base=0,migrate_intra=0,migrate_inter=0"
#define ONLY FREE ",pack=no,migrate=no,defrag=no,grow=no"

static char gpu_16[256];
static struct sink sink;
static struct hs_catalogue catalogue;
static struct hs_cluster hardware;
static struct hs_speed *speed;

/* 1.5 and 2 times as fast on 2 and 4 GPUs; at 0.7 when spread. */
static const char speeds[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\"], \"reference\": \"V100\",\n"
    " \"jobs\": [{\"profile\": \"M/d/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1}}],\n"
    " \"families\": [{\"family\": \"F\", \"jobs\": 1, \"speed\": {\"V100\": 1}}],\n"
    " \"scaling\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2, 4],\n"
    "   \"efficiency\": [0.75, 0.5]}],\n"
    " \"spread\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2, 4],\n"
    "   \"factor\": [0.7, 0.5]}]}\n";

static int set_up(void **state)
{
    static const char rows[] = "model,dataset,batch,precision,family,util,checkpoint_mib\n"
                               "M,d,1,fp32,F,50,\nC,d,1,fp32,F,50,625\n";
    (void)scratch_open(state);
    sink_init(&sink);
    scratch_keep(gpu_16, sizeof gpu_16, "gpu.json",
                 "{\"gpu_types\": {\"S\": {\"mem_mib\": 16000}},"
                 " \"nodes\": [{\"gpus\": 1, \"type\": \"S\"}]}");
    if (hs_catalogue_load(&catalogue, scratch_write("profiles.csv", rows, sizeof rows - 1),
                          &sink.diag) != HS_OK ||
        hs_cluster_load(&hardware, "1x4:V100", &sink.diag) != HS_OK ||
        hs_speed_load(&speed, scratch_write("speed.json", speeds, sizeof speeds - 1), &catalogue,
                      &hardware, "V100", &sink.diag) != HS_OK) {
        print_error("%s", sink.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    hs_speed_free(speed);
    hs_cluster_free(&hardware);
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

/* ---- time slices (1.3) ---- */

/* G1. A new job is at the head of the ring, one that ran goes to its tail:
 *
 *     minute 4         5         6         7         8         9
 *     ring   56 1234   34 56 12  1234 56   56 12 34  34 56 12  1234
 *     runs   56 12     34 56     1234      56 12     34 56     1234 until 12 */
static const char g1[] = "1:1,0,600 2:1,0,600 3:1,0,600 4:1,0,600 5:1,240,240 6:1,240,240";

static void six_take_turns_on_four(void **state)
{
    (void)state;
    scenario_expect("1x4", "gandiva:slicing=exact," ONLY, g1,
                    "1:0-300,360-480,540-720 2:0-300,360-480,540-720 "
                    "3:0-240,300-420,480-720 4:0-240,300-420,480-720 "
                    "5:240-360,420-540 6:240-360,420-540");
}

/* G1, fluid: 4/6 each from 4 to 10, when 5 and 6 have had 240 s and the others have 120 s left. */
static void six_share_four(void **state)
{
    (void)state;
    scenario_expect("1x4", "gandiva:slicing=fluid," ONLY, g1,
                    "1:0-720.000001 2:0-720.000001 3:0-720.000001 4:0-720.000001 "
                    "5:240-600.000001 6:240-600.000001");
}

/* G1, fluid, 0.6 s a resume: 4/6 x 60/60.6 of the time, so 240 s of work take 363.6 s and the
 * others have 120 s left at 603.6. */
static void what_a_switch_costs_is_folded_in(void **state)
{
    (void)state;
    scenario_expect("1x4", "gandiva:slicing=fluid,switch=0.6,pack=no,migrate=no,grow=no", g1,
                    "1:0-723.600001 2:0-723.600001 3:0-723.600001 4:0-723.600001 "
                    "5:240-603.600001 6:240-603.600001");
}

/* Two on one GPU, each half of the time: both take 200 s; for half of this time each keeps its
 * persistent 100 MiB on the host, 100 x 100 MiB s. Alone, a job keeps nothing there. */
static void jobs_without_share_are_on_the_host(void **state)
{
    (void)state;
    const struct hs_test_job job = {
        .gpus = 1, .duration_s = 100, .gpu_mem_mib = 1000, .gpu_mem_persistent_mib = 100};
    const struct hs_test_job jobs[] = {job, job};
    for (uint32_t count = 1; count <= 2; count++) {
        struct hs_test_result r;
        assert_int_equal(hs_test_run(jobs, count, "1x1", "gandiva:slicing=fluid," ONLY, &r), HS_OK);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(r.jobs[i].end_us, 100 * count * HS_TEST_S);
            assert_int_equal(r.jobs[i].host_mib_us, 10000 * (count - 1) * HS_TEST_S);
        }
        hs_test_free(&r);
    }
}

/* Each has 60 s in its first turn, pays 1 s when it is resumed and has 40 s left. */
static void a_resume_is_paid_for(void **state)
{
    (void)state;
    scenario_expect("1x1", "gandiva:slicing=exact,switch=1,pack=no,migrate=no,grow=no",
                    "A:1,0,100 B:1,0,100", "A:0-60,120-161 B:60-120,161-202");
}

/* G11. The job of low priority never interrupts that of high priority. */
static void a_low_priority_waits(void **state)
{
    (void)state;
    static const char *const modes[] = {"gandiva:slicing=exact," ONLY,
                                        "gandiva:slicing=fluid," ONLY};
    for (size_t i = 0; i < 2; i++)
        scenario_expect("1x1", modes[i], "P:1,0,600^1 q:1,120,60", "P:0-600 q:600-660");
}

/* The reverse: the job of low priority is preempted at once, until the other ends. */
static void a_high_priority_does_not(void **state)
{
    (void)state;
    scenario_expect("1x1", "gandiva:slicing=exact," ONLY, "q:1,0,180 P:1,120,600^1",
                    "q:0-120,720-780 P:120-720");
}

/* ---- placement (1.2) ---- */

/* G2. A, C, F of one GPU are placed on server 0 and B, E of two on server 1, which from then on
 * serve these sizes, D and G of four on 2 and 3. No two GPUs are free for H: it joins those of its
 * size, at the head of their ring, and E is suspended. J takes the last free GPU; K finds none and
 * joins its size, where J is at the tail of the ring. No server serves size 8, none is empty: L
 * waits. */
static void sizes_keep_to_their_servers(void **state)
{
    (void)state;
    const struct hs_test_options options = {.until_us = 50 * S};
    scenario_expect_with(
        "4x4", "gandiva:slicing=exact," ONLY,
        "A:1,0,1000 B:2,1,1000 C:1,2,1000 D:4,3,1000 E:2,4,1000 F:1,5,1000 G:4,6,1000 "
        "H:2,7,1000 J:1,8,1000 K:1,9,1000 L:8,10,1000",
        &options,
        "A:0-50@0 B:1-50@4+5 C:2-50@1 D:3-50@8+9+10+11 E:4-7@6+7 F:5-50@2 "
        "G:6-50@12+13+14+15 H:7-50@6+7 J:8-9@3 K:9-50@3 L:");
}

/* G3. A job takes turns only on a server that was opened for its size: there is none for E, which
 * waits. */
static void a_size_that_no_server_bears_waits(void **state)
{
    (void)state;
    scenario_expect("1x4", "gandiva:slicing=exact," FREE, "D:4,0,600 E:1,60,120",
                    "D:0-600 E:600-720");
}

/* From 30 on two servers have one job and three free GPUs each: neither is emptied. */
static void even_servers_are_left_alone(void **state)
{
    (void)state;
    scenario_expect("2x4", "gandiva:slicing=exact,pack=no,grow=no," FREE,
                    "A:1,0,600*1 B:1,0,30*1 C:1,0,30*1 D:1,0,30*1 E:1,0,600*1 F:1,0,30*1 "
                    "G:1,0,30*1 H:1,0,30*1",
                    "A:0-600@0 B:0-30@1 C:0-30@2 D:0-30@3 E:0-600@4 F:0-30@5 G:0-30@6 H:0-30@7");
}

/* Two GPUs, and CPUs for B or C. A new job is at the head of the ring: D stops B at 1. Turns are
 * A D, B D from 61, A B from 121, A D from 181. C is placed when D ends, 211: C A. At 271 B and C
 * have turns, B first: C, behind it, stops, and a GPU idles until B ends at 321. */
static void turns_end_for_want_of_cpus(void **state)
{
    char node[256];
    (void)state;
    scratch_keep(node, sizeof node, "cpus.json", "{\"nodes\": [{\"gpus\": 2, \"cpus\": 4}]}");
    scenario_expect(node, "gandiva:slicing=exact," ONLY,
                    "A:1,0,250*1 B:1,0,171+3*1 D:1,1,150*1 C:1,150,100+3*1",
                    "A:0-61,121-271,321-360 B:0-1,61-181,271-321 D:1-121,181-211 "
                    "C:211-271,321-361");
}

/* ---- packing (1.5) ---- */

static void pack_with(const char *policy, const char *jobs, double excess, const char *timeline)
{
    const struct hs_test_options options = {.excess = excess, .max_tenants = 8};
    scenario_expect_with(gpu_16, policy, jobs, &options, timeline);
}

/* G4. Each has had a turn alone at 2 and 540 s left. S = 10/9 is 1165084 / 2^20, the speed
 * 0.90000034: 599.999772 s, not 600. Slicing alone ends at 19 and 20. */
static void pairs_that_gain_are_packed(void **state)
{
    (void)state;
    static const char jobs[] = "A:1,0,600%50&4000*1 B:1,0,600%50&4000*1";
    pack_with("gandiva:slicing=exact," FREE, jobs, 1.0 / 9,
              "A:0-60,120-719.999772 B:60-719.999772");
}

static void play(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                 const char *policy, const struct hs_test_options *options,
                 struct hs_test_result *r)
{
    if (hs_test_run_with(jobs, count, cluster, policy, options, r) != HS_OK)
        fail_msg("%s: %s", policy, r->message);
}

static void expect_trials(const struct hs_test_result *r, uint64_t kept, uint64_t undone)
{
    const struct hs_instant *last = &r->instants[r->instant_count - 1];
    assert_int_equal(last->policy_counter[HS_POLICY_COUNTER_TRIAL_KEPT], kept);
    assert_int_equal(last->policy_counter[HS_POLICY_COUNTER_TRIAL_UNDONE], undone);
}

static struct hs_test_job job_of(uint32_t mem_mib, int64_t step_us)
{
    return (struct hs_test_job){.gpus = 1,
                                .duration_s = 600,
                                .gpu_util_pm = 500,
                                .gpu_mem_mib = mem_mib,
                                .step_us = step_us};
}

/* The same, counted; a kept group is not counted again at the next decisions. */
static void one_trial_is_kept(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {job_of(4000, S), job_of(4000, S)};
    const struct hs_test_options options = {.excess = 1.0 / 9, .max_tenants = 8};
    play(jobs, 2, gpu_16, "gandiva:slicing=exact," FREE, &options, &r);
    assert_int_equal(r.jobs[0].end_us, 719999772);
    assert_int_equal(r.jobs[1].end_us, 719999772);
    expect_trials(&r, 1, 0);
    hs_test_free(&r);
}

/* G5. S is 2330169 / 2^20, the speed 0.449999979: in the trial of [2, 3) each does 26.999998711 s,
 * 0.9 in all. 513.000001289 s are left, that is eight turns and 33.000001289 s: A in 1140 to
 * 1173.000002, B thereafter. */
static void pairs_that_lose_are_separated(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {job_of(4000, 0), job_of(4000, 0)};
    const struct hs_test_options options = {.excess = 1 / 0.45 - 1, .max_tenants = 8};
    play(jobs, 2, gpu_16, "gandiva:slicing=exact,profile_steps=0," FREE, &options, &r);
    assert_int_equal(r.jobs[0].end_us, 1173000002);
    assert_int_equal(r.jobs[1].end_us, 1206000004);
    expect_trials(&r, 0, 1);
    hs_test_free(&r);
}

/* Two GPUs; C has no memory left for another job. In the trial of [60, 120) beside B, at
 * .449999979, A does 27 mini-batches by 120.000003. Then B takes the GPU of C, whose turn is over,
 * and A stays on its own: of 146 s 59 are left. */
static void one_of_two_taken_apart_stays(void **state)
{
    static const struct hs_test_options options = {.excess = 1 / 0.45 - 1, .max_tenants = 8};
    char node[256];
    (void)state;
    scratch_keep(node, sizeof node, "two.json",
                 "{\"gpu_types\": {\"S\": {\"mem_mib\": 16000}},"
                 " \"nodes\": [{\"gpus\": 2, \"type\": \"S\"}]}");
    scenario_expect_with(node, "gandiva:slicing=exact,grow=no," FREE,
                         "A:1,0,146%50&4000*1 B:1,0,146%50&4000*1 C:1,0,100%50&13000*1", &options,
                         "A:0-60,60-179.000003 B:0-120.000003,120.000003-179.000003 "
                         "C:60-120,179.000003-219.000003");
}

/* At exactly half the speed each, nothing is gained, and the pair is separated: 30 s each in the
 * trial, then eight turns and 30 s. */
static void no_gain_is_no_reason(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {job_of(4000, S), job_of(4000, S)};
    const struct hs_test_options options = {.excess = 1, .max_tenants = 8};
    play(jobs, 2, gpu_16, "gandiva:slicing=exact," FREE, &options, &r);
    assert_int_equal(r.jobs[0].end_us, 1170 * S);
    assert_int_equal(r.jobs[1].end_us, 1200 * S);
    expect_trials(&r, 0, 1);
    hs_test_free(&r);
}

/* G6. The two need 18 of 16 GB: they take turns to the end, A in [0, 1), [2, 3) .. [18, 19), B in
 * between. */
static void what_does_not_fit_is_not_packed(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {job_of(9000, S), job_of(9000, S)};
    const struct hs_test_options options = {.excess = 1.0 / 9, .max_tenants = 8};
    play(jobs, 2, gpu_16, "gandiva:slicing=exact," FREE, &options, &r);
    assert_int_equal(r.jobs[0].end_us, 19 * 60 * S);
    assert_int_equal(r.jobs[1].end_us, 20 * 60 * S);
    assert_int_equal(r.jobs[0].switches, 9);
    assert_int_equal(r.jobs[1].switches, 9);
    expect_trials(&r, 0, 0);
    hs_test_free(&r);
}

/* A does not fit beside B or C, which run on two GPUs when they become a group: B would join C at
 * the end of a mini-batch. C needs 14 GB three seconds later, after 120 s, and the group is
 * separated: no trial ends and no GPU runs out of memory. If C never needs more, the group is kept.
 */
static void a_group_that_outgrows_its_gpu_parts(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {job_of(15000, S), job_of(4000, 7 * S), job_of(4000, 150 * S)};
    const struct hs_test_options options = {.excess = 1.0 / 9, .max_tenants = 8};
    char two[256];
    scratch_keep(two, sizeof two, "two.json",
                 "{\"gpu_types\": {\"S\": {\"mem_mib\": 16000}},"
                 " \"nodes\": [{\"gpus\": 2, \"type\": \"S\"}]}");
    jobs[2].later_us = 120 * S;
    for (uint32_t i = 0; i < 2; i++) {
        struct hs_test_result r;
        jobs[2].gpu_mem_later_mib = 14000 * i;
        play(jobs, 3, two, "gandiva:slicing=exact,profile_steps=0," FREE, &options, &r);
        assert_int_equal(r.jobs[1].ooms + r.jobs[2].ooms, 0);
        expect_trials(&r, 1 - i, 0);
        hs_test_free(&r);
    }
}

/* ---- migration and defragmentation (1.4, 1.5) ---- */

/* G7. A, B, E on server 0, C, D, F on server 1: 2/3 each. At 4.5 C and D end, the youngest of
 * server 0 migrates, 0.3 s, and all run at 1 with 420 s left. */
static void the_youngest_leaves_the_higher_server(void **state)
{
    (void)state;
    scenario_expect("2x2",
                    "gandiva:slicing=fluid,switch=0,migrate_base=0.3,pack=no,defrag=no,grow=no",
                    "A:1,0,600 B:1,0,600 C:1,0,180 D:1,0,180 E:1,0,600 F:1,0,600",
                    "A:0-690.000001@0 B:0-690.000001@1 C:0-270.000001@2 D:0-270.000001@3 "
                    "E:0-270.000001@0,270.000001-690.300001@3 F:0-690.000001@2");
}

/* The same with a checkpoint of 625 MiB, which is .65536 GB: at 2.4 s a GB between servers it adds
 * 1.572864 s to the .3. */
static void a_move_costs_by_the_checkpoint(void **state)
{
    (void)state;
    const struct hs_test_options options = {.catalogue = &catalogue};
    scenario_expect_with("2x2",
                         "gandiva:slicing=fluid,switch=0,migrate_base=0.3,migrate_inter=2.4,pack="
                         "no,defrag=no,grow=no",
                         "A:1,0,600 B:1,0,600 C:1,0,180 D:1,0,180 E:1,0,600#C F:1,0,600", &options,
                         "A:0-690.000001@0 B:0-690.000001@1 C:0-270.000001@2 D:0-270.000001@3 "
                         "E:0-270.000001@0,270.000001-691.872865@3 F:0-690.000001@2");
}

/* G8, a minute late: the fourth one-GPU job of each server ends at 60; X is spread over both, at
 * 0.7. At 300 one of server 1 ends and X, with 168 s done, migrates there: 0.6 s, then 432 s. */
static void a_spread_gang_is_brought_together(void **state)
{
    (void)state;
    const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
    scenario_expect_with(
        "2x4:V100", "gandiva:slicing=exact,switch=0,migrate_base=0.6,pack=no,grow=no",
        "a:1,0,3000 b:1,0,3000 c:1,0,3000 d:1,0,60 e:1,0,3000 f:1,0,3000 g:1,0,300 h:1,0,60 "
        "X:2,60,600#M",
        &options,
        "a:0-3000@0 b:0-3000@1 c:0-3000@2 d:0-60@3 e:0-3000@4 f:0-3000@5 g:0-300@6 h:0-60@7 "
        "X:60-300@3+7,300-732.600001@6+7");
}

/* G9. 1, 2 and 3 jobs are left on three servers when the others end at 30 s: at the next look the
 * single one migrates to the server with one free GPU, and the next emptiest has 2 free, not 3. */
static void the_emptiest_server_is_emptied(void **state)
{
    (void)state;
    scenario_expect("3x4", "gandiva:slicing=exact," FREE,
                    "a:1,0,600 b:1,0,30 c:1,0,30 d:1,0,30 e:1,0,600 f:1,0,600 g:1,0,30 h:1,0,30 "
                    "i:1,0,600 j:1,0,600 k:1,0,600 l:1,0,30",
                    "a:0-60@0,60-600@11 b:0-30@1 c:0-30@2 d:0-30@3 e:0-600@4 f:0-600@5 g:0-30@6 "
                    "h:0-30@7 i:0-600@8 j:0-600@9 k:0-600@10 l:0-30@11");
}

/* ---- grow and shrink (1.5) ---- */

/* G10. L grows 5 minutes after one GPU, then two, fell idle, and returns two, then one, when jobs
 * are submitted: 30 + 20 x 1.5 + 25 x 2 = 110 minutes of work at 75, 20 x 1.5 more at 95, 10 more
 * at 105. */
static void idle_gpus_are_lent(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .gpus_min = 1, .gpus_max = 4, .duration_s = 9000, .profile = 1},
        {.gpus = 1, .duration_s = 25 * 60, .profile = 1},
        {.gpus = 2, .duration_s = 45 * 60, .profile = 1},
        {.gpus = 2, .submit_s = 75 * 60, .duration_s = 6000, .profile = 1},
        {.gpus = 1, .submit_s = 95 * 60, .duration_s = 6000, .profile = 1}};
    static const int64_t ends_min[] = {105, 25, 45, 175, 195};
    static const struct {
        int64_t start_min, end_min;
        uint32_t gpus;
    } stretches[] = {{0, 30, 1}, {30, 50, 2}, {50, 75, 4}, {75, 95, 2}, {95, 105, 1}};
    play(jobs, 5, "1x4:V100", "gandiva:slicing=exact,grow=yes,pack=no," FREE, &options, &r);
    uint32_t at = 0;
    for (uint32_t i = 0; i < r.segment_count; i++) {
        const struct hs_test_segment *s = &r.segments[i];
        if (s->job != 0)
            continue;
        assert_true(at < 5);
        assert_int_equal(s->start_us, stretches[at].start_min * 60 * S);
        assert_int_equal(s->end_us, stretches[at].end_min * 60 * S);
        assert_int_equal(s->gpu_count, stretches[at].gpus);
        at++;
    }
    assert_int_equal(at, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(r.jobs[i].end_us, ends_min[i] * 60 * S);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_take_turns_on_four),
        cmocka_unit_test(six_share_four),
        cmocka_unit_test(what_a_switch_costs_is_folded_in),
        cmocka_unit_test(jobs_without_share_are_on_the_host),
        cmocka_unit_test(a_resume_is_paid_for),
        cmocka_unit_test(a_low_priority_waits),
        cmocka_unit_test(a_high_priority_does_not),
        cmocka_unit_test(sizes_keep_to_their_servers),
        cmocka_unit_test(a_size_that_no_server_bears_waits),
        cmocka_unit_test(even_servers_are_left_alone),
        cmocka_unit_test(turns_end_for_want_of_cpus),
        cmocka_unit_test(pairs_that_gain_are_packed),
        cmocka_unit_test(one_trial_is_kept),
        cmocka_unit_test(pairs_that_lose_are_separated),
        cmocka_unit_test(one_of_two_taken_apart_stays),
        cmocka_unit_test(no_gain_is_no_reason),
        cmocka_unit_test(what_does_not_fit_is_not_packed),
        cmocka_unit_test(a_group_that_outgrows_its_gpu_parts),
        cmocka_unit_test(the_youngest_leaves_the_higher_server),
        cmocka_unit_test(a_move_costs_by_the_checkpoint),
        cmocka_unit_test(a_spread_gang_is_brought_together),
        cmocka_unit_test(the_emptiest_server_is_emptied),
        cmocka_unit_test(idle_gpus_are_lent),
    };
    return cmocka_run_group_tests_name("gandiva on paper", tests, set_up, tear_down);
}
