/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chronus on clusters small enough to verify on paper. C-numbers are the micro-scenarios of the
 * design, CN-numbers results that must not appear. Unless stated otherwise there is one node of 8
 * GPUs, leases last 20 minutes, and there are no costs and no margin; times are minutes. Nothing is
 * planned before the first boundary, at 0, so the first lease that a job can have is that from 20
 * to 40.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "model/speed.h"
#include "policies/chronus/chronus_lease.c"
#include "support/run.h"
#include "support/sink.h"

#define MIN   (60 * HS_TEST_S)
#define EXACT "chronus:checkpoint=0,resume=0,margin=0"

static struct hs_test_result result;

static void play(const char *policy, const struct hs_test_job *jobs, uint32_t count)
{
    if (hs_test_run(jobs, count, "1x8", policy, &result) != HS_OK)
        fail_msg("%s: %s", policy, result.message);
}

static struct hs_test_job job(uint32_t gpus, int64_t submit_min, int64_t duration_min,
                              int64_t deadline_min)
{
    return (struct hs_test_job){.gpus = gpus,
                                .submit_s = 60 * submit_min,
                                .duration_s = 60 * duration_min,
                                .deadline_s = 60 * deadline_min};
}

/* Checks that the job ran in these minutes: pairs of start and end, -1 after the last; placements
 * that follow each other without a gap count as one. */
static void assert_ran(uint32_t at, const int64_t *times)
{
    int64_t end_us = -1;
    uint32_t k = 0;
    for (uint32_t i = 0; i < result.segment_count; i++) {
        const struct hs_test_segment *s = &result.segments[i];
        if (s->job != at)
            continue;
        if (s->start_us != end_us) {
            if (end_us >= 0)
                assert_int_equal(end_us, times[k++] * MIN);
            assert_int_equal(s->start_us, times[k++] * MIN);
        }
        end_us = s->end_us;
    }
    assert_int_equal(end_us, times[k++] * MIN);
    assert_int_equal(times[k], -1);
}
#define RAN(at, ...) assert_ran(at, (const int64_t[]){__VA_ARGS__, -1})

/* C1. J1 needs two of the leases 1 to 3, J2 needs lease 1: J2 gets it, J1 gets 2 and 3. J3 finds no
 * lease and is not accepted; as it can end before the boundary it is forced. A best-effort job in
 * its place runs at the same time. */
static void leases_are_packed(void **state)
{
    (void)state;
    const struct hs_test_job three[] = {job(8, 0, 40, 80), job(8, 0, 20, 40), job(8, 0, 20, 80)};
    const struct hs_test_job two[] = {job(8, 0, 40, 80), job(8, 0, 20, 40), job(8, 0, 20, 0)};
    for (uint32_t i = 0; i < 2; i++) {
        play(EXACT, i == 0 ? three : two, 3);
        RAN(0, 40, 80);
        RAN(1, 20, 40);
        RAN(2, 0, 20);
        hs_test_free(&result);
    }
}

/* Of three gangs of half a node, two leases each, the last can have leases 1 and 2 alone: it is
 * packed first, as it has least slack, and then the two others, in 2 and 3, 1 and 3. By the later
 * end these would both have 2 and 3. */
static void least_slack_is_packed_first(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(4, 0, 40, 80), job(4, 0, 40, 80), job(4, 0, 40, 60),
                                       job(8, 0, 20, 0)};
    play(EXACT, jobs, 4);
    RAN(3, 0, 20);
    RAN(2, 20, 60);
    assert_true(result.jobs[0].end_us <= 80 * MIN && result.jobs[1].end_us <= 80 * MIN);
    hs_test_free(&result);
}

/* By the released code a free GPU is given, at the next odd minute, to the last job of the order,
 * here the longer one, at 3; the other gets it at 7, after the end at 6. Without compat the first
 * tick after both submissions is 5, for the shorter one, and the next after the end at 7 is 10. */
static void odd_minutes_are_backwards(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 1, 0), job(8, 2, 2, 0), job(8, 2, 3, 0)};
    play(EXACT ",compat=chronus", jobs, 3);
    RAN(1, 7, 9);
    RAN(2, 3, 6);
    hs_test_free(&result);
    play(EXACT, jobs, 3);
    RAN(1, 5, 7);
    RAN(2, 10, 13);
    hs_test_free(&result);
}

/* C2. By the released code, in whole minutes: 50 on 1 GPU are 1.1 x 1.025 x 50 = 56, on 8 1.1 x 1.1
 * x 50 = 60; 100 on 4 are 1.1 x 1.075 x 100 = 118: 3, 3 and 6 leases. Without compat the second is
 * 60.5. */
static void run_times_are_estimated(void **state)
{
    (void)state;
    struct hs_chronus o = {.compat = 1,
                           .lease_us = 20 * MIN,
                           .checkpoint_us = 6 * HS_TEST_S,
                           .resume_us = 24 * HS_TEST_S,
                           .margin = 0.1};
    assert_int_equal(estimate_us(&o, 1, 50 * MIN), 56 * MIN);
    assert_int_equal(estimate_us(&o, 8, 50 * MIN), 60 * MIN);
    assert_int_equal(estimate_us(&o, 4, 100 * MIN), 118 * MIN);
    o.compat = 0;
    assert_int_equal(estimate_us(&o, 8, 50 * MIN), 121 * MIN / 2);
    static const uint32_t counted[] = {1, 1, 2, 2, 3, 4, 4, 4, 5, 8, 7, 8, 8, 8, 9, 16, 20, 24};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i += 2)
        assert_int_equal(hs_chronus_gpus(counted[i], 8), counted[i + 1]);
}

/* C3. At 20, after the best effort, J1 could have one and J2 two of three leases: the objective of
 * least use leaves the first lease empty, for best-effort jobs; that of most use gives it to both
 * jobs. */
static void the_objective_decides(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 20, 0), job(4, 0, 20, 80), job(4, 0, 40, 80),
                                       job(8, 20, 20, 0)};
    static const char *const solvers[] = {EXACT, EXACT ",solver=milp"};
    for (uint32_t i = 0; i < 2; i++) {
        char spec[128];
        (void)snprintf(spec, sizeof spec, "%s,objective=minimise", solvers[i]);
        play(spec, jobs, 4);
        RAN(3, 20, 40);
        assert_true(result.jobs[1].end_us <= 80 * MIN && result.jobs[2].end_us == 80 * MIN);
        hs_test_free(&result);
        play(solvers[i], jobs, 4);
        RAN(1, 20, 40);
        RAN(2, 20, 60);
        RAN(3, 60, 80);
        hs_test_free(&result);
    }
}

/* C5. The job is due at 130 and considered at 30: leases 2 to 5, so that 80 minutes of work are
 * accepted and 81 are not. An unaccepted job of 81 minutes runs after 16 best-effort jobs of 5
 * minutes, which are shorter; an accepted one does not. */
static void leases_end_before_the_deadline(void **state)
{
    (void)state;
    struct hs_test_job jobs[17] = {job(8, 0, 30, 0)};
    for (int64_t minutes = 80; minutes <= 81; minutes++) {
        jobs[0] = job(8, 0, 30, 0);
        jobs[1] = job(8, 30, minutes, 130);
        for (uint32_t i = 2; i < 17; i++)
            jobs[i] = job(8, 30, 5, 0);
        play(EXACT ",objective=minimise", jobs, 17);
        assert_int_equal(result.jobs[1].end_us, minutes == 80 ? 120 * MIN : 186 * MIN);
        hs_test_free(&result);
    }
}

/* C6. A best-effort job precedes a deadline job that has time; this runs on spot GPUs, and from 20
 * on with a lease. */
static void spot_comes_before_leases(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 30, 100), job(8, 0, 15, 0)};
    play(EXACT, jobs, 2);
    RAN(1, 0, 15);
    RAN(0, 15, 45);
    assert_int_equal(result.jobs[0].preemptions, 0);
    hs_test_free(&result);
}

/* Leases of 30 minutes are the longest beside which an accepted job has spot GPUs. */
static void spot_beside_short_leases(void **state)
{
    (void)state;
    const struct hs_test_job one = job(8, 0, 30, 100);
    play(EXACT ",lease=1800", &one, 1);
    RAN(0, 0, 30);
    hs_test_free(&result);
    play(EXACT ",lease=1860", &one, 1);
    RAN(0, 31, 61);
    hs_test_free(&result);
}

/* C7, with a second best-effort job. CN2: B2 does not preempt J1 within its leases, although less
 * than 60 minutes are left of B2 by then. */
static void best_effort_has_the_rest(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 30, 100), job(8, 0, 15, 0), job(8, 10, 60, 0)};
    static const char *const most[] = {EXACT, EXACT ",objective=maximise", EXACT ",solver=milp",
                                       EXACT ",solver=milp,objective=maximise"};
    static const char *const least[] = {EXACT ",objective=minimise",
                                        EXACT ",objective=minimise,solver=milp"};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        play(most[i], jobs, 3);
        RAN(1, 0, 15);
        RAN(2, 15, 20, 50, 105);
        RAN(0, 20, 50);
        hs_test_free(&result);
    }
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        play(least[i], jobs, 3);
        RAN(1, 0, 15);
        RAN(2, 15, 60, 90, 105);
        RAN(0, 60, 90);
        hs_test_free(&result);
    }
}

/* C8. J3 does not fit beside J1, but can end before the boundary. CN1: rejected, or after J1, it
 * would miss its deadline. */
static void the_unaccepted_are_forced(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 20, 40), job(8, 0, 10, 45), job(8, 0, 15, 0)};
    play(EXACT, jobs, 3);
    RAN(1, 0, 10);
    RAN(2, 10, 20, 40, 45);
    RAN(0, 20, 40);
    hs_test_free(&result);
}

/* The node is slow, at 1/4, until the boundary at 20: the forced job has done 5 minutes of 10, and
 * the job with a lease gets its GPUs all the same. */
static void a_late_forced_job_ends_with_the_lease(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 20, 40), job(8, 0, 10, 45)};
    const struct hs_test_options options = {.machines = "0 n0 slow 0.25, 1200 n0 slow 1"};
    if (hs_test_run_with(jobs, 2, "1x8", EXACT, &options, &result) != HS_OK)
        fail_msg("%s", result.message);
    RAN(0, 20, 40);
    RAN(1, 0, 20, 40, 45);
    hs_test_free(&result);
}

/* Three nodes of 4 GPUs, slow as above. The late job and one of 4 minutes, done at 16, share a
 * node, and the best-effort job has half of another. At 20 all are placed anew, so that the job
 * with a lease gets two whole nodes; the others go on, with 5 of 10 and 55 of 60 minutes left. */
static void late_forced_jobs_are_placed_anew(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 20, 40), job(2, 0, 10, 30), job(2, 0, 4, 0),
                                       job(2, 0, 60, 0)};
    const struct hs_test_options options = {.machines =
                                                "0 n0 slow 0.25, 0 n1 slow 0.25, 0 n2 slow 0.25, "
                                                "1200 n0 slow 1, 1200 n1 slow 1, 1200 n2 slow 1"};
    if (hs_test_run_with(jobs, 4, "3x4", EXACT, &options, &result) != HS_OK)
        fail_msg("%s", result.message);
    RAN(0, 20, 40);
    RAN(1, 0, 25);
    RAN(2, 0, 16);
    RAN(3, 0, 75);
    hs_test_free(&result);
}

/* A job forced at a tick evicts the best-effort job that holds its GPUs, which then waits for the
 * next tick; a job that would end after the boundary is not forced. */
static void forced_jobs_evict(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {job(8, 0, 60, 0), job(8, 1, 10, 16)};
    play(EXACT, jobs, 2);
    RAN(1, 5, 15);
    RAN(0, 0, 5, 15, 70);
    hs_test_free(&result);
    jobs[1] = job(8, 1, 16, 26);
    play(EXACT, jobs, 2);
    assert_true(result.jobs[1].start_us >= 20 * MIN);
    hs_test_free(&result);
}

/* A restart on 8 GPUs costs .5 x (1 + 3) = 2 minutes, a start nothing: B, stopped at 20 for the
 * lease of J, has 40 minutes left at 40. */
static void restarts_cost(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 60, 0), job(8, 1, 20, 60)};
    play("chronus:margin=0", jobs, 2);
    RAN(1, 20, 40);
    RAN(0, 0, 20, 40, 82);
    assert_int_equal(result.jobs[0].overhead_us, 2 * MIN);
    hs_test_free(&result);
}

/* J2 has no lease by 40; with a tolerance of 2 the first that fits ends at 60. Without a tolerance
 * J2 is forced at 0 and the best-effort job waits. */
static void deadlines_may_be_tolerant(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(8, 0, 20, 40), job(8, 0, 20, 40), job(8, 0, 20, 0)};
    play(EXACT ",tolerance=2", jobs, 3);
    RAN(0, 20, 40);
    RAN(1, 40, 60);
    RAN(2, 0, 20);
    hs_test_free(&result);
    play(EXACT, jobs, 3);
    RAN(0, 20, 40);
    RAN(1, 0, 20);
    hs_test_free(&result);
}

/* The same with a second deadline, at 60 or at 50: then the first lease that fits ends too late. */
static void deadlines_may_be_several(void **state)
{
    (void)state;
    struct hs_deadline_option options[] = {{40 * MIN, 10000}, {60 * MIN, 5000}};
    struct hs_test_job jobs[] = {job(8, 0, 20, 40), job(8, 0, 20, 40), job(8, 0, 20, 0)};
    jobs[1].options = options;
    jobs[1].option_count = 2;
    play(EXACT, jobs, 3);
    RAN(0, 20, 40);
    RAN(1, 40, 60);
    RAN(2, 0, 20);
    hs_test_free(&result);
    options[1].after_us = 50 * MIN;
    play(EXACT, jobs, 3);
    RAN(1, 0, 20);
    hs_test_free(&result);
}

/* CN3. 5 GPUs count as 8 in the leases from 20 to 60, which leaves none for 3: that job is not
 * accepted, is too long to be forced, and a shorter best-effort job gets the GPUs. 4 GPUs leave 4,
 * as which 3 count. */
static void odd_gangs_count_as_the_next_power(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {job(8, 0, 20, 0), job(5, 1, 40, 60), job(3, 2, 30, 60),
                                 job(3, 15, 20, 0)};
    play(EXACT, jobs, 4);
    RAN(1, 20, 60);
    RAN(3, 20, 40);
    RAN(2, 40, 70);
    hs_test_free(&result);
    jobs[1].gpus = 4;
    play(EXACT, jobs, 4);
    RAN(2, 20, 50);
    hs_test_free(&result);
}

/* Alone, a job takes its run time, from the next tick on. */
static void alone_it_takes_its_time(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {job(1, 0, 1, 0), job(3, 7, 90, 0), job(3, 200, 90, 400)};
    play("chronus", jobs, 3);
    RAN(1, 10, 100);
    RAN(2, 200, 290);
    hs_test_free(&result);
}

/* ---- C4 ---- */

/* The shape factors of the artifact for 4 GPUs on 2 nodes. */
static const char speeds[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\"], \"reference\": \"V100\",\n"
    " \"jobs\": [{\"profile\": \"V/d/1/fp32\", \"family\": \"VGG\", \"speed\": {\"V100\": 1}},\n"
    "            {\"profile\": \"M/d/1/fp32\", \"family\": \"Mob\", \"speed\": {\"V100\": 1}}],\n"
    " \"families\": [{\"family\": \"VGG\", \"jobs\": 1, \"speed\": {\"V100\": 1}},\n"
    "                {\"family\": \"Mob\", \"jobs\": 1, \"speed\": {\"V100\": 1}}],\n"
    " \"spread\": [{\"family\": \"VGG\", \"gpu\": \"V100\", \"gpus\": [4], \"factor\": [0.576]},\n"
    "             {\"family\": \"Mob\", \"gpu\": \"V100\", \"gpus\": [4], \"factor\": [0.972]}],\n"
    " \"scaling\": []}\n";

/* Nodes with 4, 2 and 2 GPUs: VGG on the first and MobileNet on the others has the reward
 * 4 + 4 x .972 = 7.888, the other way round 4 + 4 x .576 = 6.304. */
static void rewards_decide_which_job_is_spread(void **state)
{
    static const char rows[] = "model,dataset,batch,precision,family,util\n"
                               "V,d,1,fp32,VGG,50\nM,d,1,fp32,Mob,50\n";
    const struct hs_speed_predictor oracle = {.kind = HS_SPEED_PREDICTOR_ORACLE};
    static struct sink sink;
    struct hs_catalogue catalogue;
    struct hs_cluster hardware;
    struct hs_speed *speed = NULL;
    (void)state;
    sink_init(&sink);
    if (hs_catalogue_load(&catalogue, scratch_write("profiles.csv", rows, sizeof rows - 1),
                          &sink.diag) != HS_OK ||
        hs_cluster_load(&hardware, "1x4:V100,2x2:V100", &sink.diag) != HS_OK ||
        hs_speed_load(&speed, scratch_write("speed.json", speeds, sizeof speeds - 1), &catalogue,
                      &hardware, "V100", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    hs_speed_predict_by(speed, &catalogue, &hardware, &oracle);
    for (uint32_t vgg = 0; vgg < 2; vgg++) {
        struct hs_test_job jobs[2];
        for (uint32_t i = 0; i < 2; i++) {
            jobs[i] = job(4, 0, 100, 0);
            jobs[i].profile = i == vgg ? 1 : 2;
        }
        const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
        if (hs_test_run_with(jobs, 2, "1x4:V100,2x2:V100", EXACT, &options, &result) != HS_OK)
            fail_msg("%s", result.message);
        assert_int_equal(result.jobs[vgg].end_us, 100 * MIN);
        assert_true(result.jobs[1 - vgg].end_us > 102 * MIN); /* 100 / .972 = 102.9 */
        hs_test_free(&result);
    }
    hs_speed_free(speed);
    hs_cluster_free(&hardware);
    hs_catalogue_free(&catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leases_are_packed),
        cmocka_unit_test(least_slack_is_packed_first),
        cmocka_unit_test(odd_minutes_are_backwards),
        cmocka_unit_test(run_times_are_estimated),
        cmocka_unit_test(the_objective_decides),
        cmocka_unit_test(rewards_decide_which_job_is_spread),
        cmocka_unit_test(leases_end_before_the_deadline),
        cmocka_unit_test(spot_comes_before_leases),
        cmocka_unit_test(best_effort_has_the_rest),
        cmocka_unit_test(the_unaccepted_are_forced),
        cmocka_unit_test(spot_beside_short_leases),
        cmocka_unit_test(a_late_forced_job_ends_with_the_lease),
        cmocka_unit_test(late_forced_jobs_are_placed_anew),
        cmocka_unit_test(forced_jobs_evict),
        cmocka_unit_test(restarts_cost),
        cmocka_unit_test(deadlines_may_be_tolerant),
        cmocka_unit_test(deadlines_may_be_several),
        cmocka_unit_test(odd_gangs_count_as_the_next_power),
        cmocka_unit_test(alone_it_takes_its_time),
    };
    return cmocka_run_group_tests_name("chronus on paper", tests, scratch_open, scratch_close);
}
