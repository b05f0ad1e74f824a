/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Optimus on clusters small enough to verify on paper. O-numbers are the micro-scenarios of the
 * design, ON-numbers results that must not appear; ON1, shares of resources against amounts, has no
 * counterpart where GPUs are the only resource. Jobs ask for one GPU; A scales to 1.9, 2.7 and 3.4
 * on 2, 3 and 4 GPUs, B and all others linearly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/speed.h"
#include "policies/optimus/optimus.c"
#include "support/run.h"
#include "support/sink.h"

#define S      HS_TEST_S
#define ORACLE "optimus:restart=0,"

static struct sink sink;
static struct hs_catalogue catalogue;
static struct hs_cluster hardware;
static struct hs_speed *speed;
static struct hs_test_result result;

static const char speeds[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\"], \"reference\": \"V100\",\n"
    " \"jobs\": [{\"profile\": \"A/d/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1}}],\n"
    " \"families\": [{\"family\": \"F\", \"jobs\": 1, \"speed\": {\"V100\": 1}}],\n"
    " \"scaling\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2, 3, 4],\n"
    "   \"efficiency\": [0.95, 0.9, 0.85]}], \"spread\": []}\n";

static int set_up(void **state)
{
    static const char rows[] = "model,dataset,batch,precision,family,util\nA,d,1,fp32,F,50\n";
    const struct hs_speed_predictor oracle = {.kind = HS_SPEED_PREDICTOR_ORACLE};
    (void)scratch_open(state);
    sink_init(&sink);
    if (hs_catalogue_load(&catalogue, scratch_write("profiles.csv", rows, sizeof rows - 1),
                          &sink.diag) != HS_OK ||
        hs_cluster_load(&hardware, "1x4:V100", &sink.diag) != HS_OK ||
        hs_speed_load(&speed, scratch_write("speed.json", speeds, sizeof speeds - 1), &catalogue,
                      &hardware, "V100", &sink.diag) != HS_OK) {
        print_error("%s", sink.text);
        return -1;
    }
    hs_speed_predict_by(speed, &catalogue, &hardware, &oracle);
    return 0;
}

static int tear_down(void **state)
{
    hs_speed_free(speed);
    hs_cluster_free(&hardware);
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

static void play(const char *cluster, const char *policy, const struct hs_test_job *jobs,
                 uint32_t count)
{
    const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
    if (hs_test_run_with(jobs, count, cluster, policy, &options, &result) != HS_OK)
        fail_msg("%s: %s", policy, result.message);
}

/* Speeds are rounded to 2^-32, ends up to a microsecond. */
static bool ends_at(uint32_t job, double end_s)
{
    return fabs((double)result.jobs[job].end_us / 1e6 - end_s) < 3e-6;
}

/* GPUs of the job's placements in order, one digit each. */
static uint64_t sizes_of(uint32_t job)
{
    uint64_t sizes = 0;
    for (uint32_t i = 0; i < result.segment_count; i++)
        if (result.segments[i].job == job)
            sizes = sizes * 10 + result.segments[i].gpu_count;
    return sizes;
}

/* O1. 1 + 1 GPUs; gains A 1000 (1 - 1/1.9) = 473.7, B 100; A 155.9: 3 + 1. */
static void gains_decide(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 1000, .profile = 1},
                                       {.gpus = 1, .duration_s = 200}};
    play("1x4:V100", ORACLE, jobs, 2);
    assert_int_equal(sizes_of(0), 3);
    assert_int_equal(sizes_of(1), 1);
    assert_true(ends_at(0, 1000 / 2.7) && ends_at(1, 200));
    hs_test_free(&result);
}

/* O1 by observation: 1 / f of A is 1, .526, .294 on 1, 2, 4 GPUs, so t = (.9536, .0433, .0031), and
 * 2.699 on 3. The same numbers; before its start a job pays three trials and the restart. */
static void speeds_are_learnt(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 1000, .profile = 1},
                                       {.gpus = 1, .duration_s = 200}};
    play("1x4:V100", ORACLE "oracle=work,trial=0", jobs, 2);
    assert_int_equal(sizes_of(0), 3);
    assert_int_equal(sizes_of(1), 1);
    assert_true(ends_at(0, 1000 / 2.7) && ends_at(1, 200));
    hs_test_free(&result);
    play("1x4:V100", "optimus:restart=10s,oracle=work,trial=20s", jobs, 2);
    assert_int_equal(result.jobs[0].overhead_us, 70 * S);
    assert_true(ends_at(0, 70 + 1000 / 2.7) && ends_at(1, 270));
    hs_test_free(&result);
}

/* Of eight sizes the oldest one that is no trial is dropped for a ninth: here the wrong one. The
 * others are those of t = (.9, .08, .02), with which 1 / f(16) is .05625 + .08 + .32. */
static void old_speeds_are_forgotten(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 3, 5, 6, 7, 8, 9};
    struct speed_fit fit = {.trials = 3};
    for (uint32_t i = 0; i < 9; i++) {
        const double n = sizes[i], right = 1 / (.9 / n + .08 + .02 * n);
        note_speed(&fit, sizes[i], sizes[i] == 3 ? 2 * right : right);
        if (i == 7)
            assert_true(fabs(fitted_speed(&fit, 16) * .45625 - 1) > .01);
    }
    assert_true(fabs(fitted_speed(&fit, 16) * .45625 - 1) < 1e-9);
}

/* O2. b = (.1, 1, .2) at 0 to 90 steps. b2 is a multiple of .3 / 2000, the least loss over the
 * grid: .19995, and the rest as the design has it, found on the whole grid. An epoch has 10 steps:
 * with e before it the loss falls by 1 / ((e + 1)(e + 2)), by less than .005 from 13 on, .01 from
 * 9. */
static void losses_are_fitted(void **state)
{
    (void)state;
    static const double at[] = {0, 10, 20, 40, 60, 90};
    const struct hs_loss_curve truth = {.1, 1, .2, 0};
    struct hs_loss_curve fitted = {0};
    double loss[6];
    for (uint32_t i = 0; i < 6; i++)
        loss[i] = hs_loss_at(&truth, at[i]);
    fit_loss(at, loss, 6, &fitted);
    assert_true(fabs(fitted.b0 - .09998) < 6e-6);
    assert_true(fabs(fitted.b1 - .99995) < 6e-6);
    assert_true(fabs(fitted.b2 - .19995) < 1e-12);
    assert_int_equal(hs_loss_flat_from(&(struct hs_loss_curve){1, 1, .2, .005}), 13);
    assert_int_equal(hs_loss_flat_from(&(struct hs_loss_curve){1, 1, .2, .01}), 9);
    assert_int_equal(hs_loss_epochs(&(struct hs_loss_curve){1, 1, .2, .01}), 19);
    assert_int_equal(hs_loss_epochs(&(struct hs_loss_curve){1, 1, 0, .6}), 10);
}

/* Losses 1 / (1 + k): A trains 9 + 10 epochs of 100 s, B 10 of 150 s. At first 20 are expected of
 * each: A 2,000 s, gain 1,000, B 3,000 s, gain 1,500, so B has the third GPU. At 600 both are
 * fitted: A has 13 epochs left, gain 650, B 2, gain 150. B ends at 900, and from 1,200 A has all
 * three for its last epoch. With the true numbers A has the third GPU at once (950 against 750),
 * and B at 600 (350 against 450). */
static void the_end_is_predicted(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 1900, .loss = {1, 1, 0, .01}},
                                       {.gpus = 1, .duration_s = 1500, .loss = {1, 1, 0, .6}}};
    play("1x3:V100", ORACLE "oracle=no,trial=0", jobs, 2);
    assert_int_equal(sizes_of(0), 123);
    assert_int_equal(sizes_of(1), 21);
    assert_true(ends_at(0, 1200 + 100 / 3.) && ends_at(1, 900));
    hs_test_free(&result);
    play("1x3:V100", ORACLE "oracle=work,trial=0", jobs, 2);
    assert_int_equal(sizes_of(0), 213);
    assert_int_equal(sizes_of(1), 12);
    hs_test_free(&result);
}

/* Two equal jobs, three GPUs: the first has two of them, unless the prediction says that it has
 * less left, which is so in half of the draws: binomial, 20 times, 5 to 15 with 98.8 %. */
static void work_is_told_wrongly(void **state)
{
    (void)state;
    struct hs_test_job jobs[40] = {{0}};
    uint32_t second = 0;
    for (uint32_t i = 0; i < 40; i++)
        jobs[i] = (struct hs_test_job){.gpus = 1, .submit_s = 10000 * (i / 2), .duration_s = 500};
    play("1x3:V100", ORACLE "error=0.5", jobs, 40);
    for (uint32_t i = 0; i < 40; i += 2)
        second += sizes_of(i) == 1;
    hs_test_free(&result);
    assert_in_range(second, 5, 15);
}

/* O4. Nodes with 4, 2, 2 free: 4 on one; 6 as 3 + 3 fails, 2 + 2 + 2 fits. Filled: 4 + 2. */
static void workers_are_spread_evenly(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        uint32_t most, gpus[6];
    } cases[] = {{ORACLE "placement=even", 4, {0, 1, 2, 3}},
                 {ORACLE "placement=even", 6, {0, 1, 4, 5, 6, 7}},
                 {ORACLE "placement=fill", 6, {0, 1, 2, 3, 4, 5}}};
    for (uint32_t i = 0; i < 3; i++) {
        const struct hs_test_job job = {.gpus = cases[i].most,
                                        .gpus_min = cases[i].most - 1,
                                        .gpus_max = cases[i].most,
                                        .duration_s = 100};
        play("1x4:V100,2x2:V100", cases[i].policy, &job, 1);
        assert_int_equal(result.segments[0].gpu_count, cases[i].most);
        assert_memory_equal(result.segments[0].gpus, cases[i].gpus,
                            cases[i].most * sizeof cases[i].gpus[0]);
        hs_test_free(&result);
    }
}

/* A rigid job keeps the one GPU of four that the trace gives; without a range it has all. */
static void a_rigid_job_keeps_its_gpus(void **state)
{
    (void)state;
    for (uint32_t gpus = 0; gpus <= 1; gpus++) {
        const struct hs_test_job job = {
            .gpus = 1, .gpus_min = gpus, .gpus_max = gpus, .duration_s = 100};
        play("1x4:V100", ORACLE "slot=60s", &job, 1);
        assert_true(ends_at(0, gpus == 1 ? 100 : 25));
        hs_test_free(&result);
    }
}

/* O5. A has 4 GPUs; at 600 it has 360 left and gains 170.5, B 300, then A 170.5, B 100: 2 + 2. With
 * 30 s at each change and start A has 462 left at 600. A submission of B at 600 or at 100 has the
 * same result. */
static void slots_give_anew(void **state)
{
    (void)state;
    for (int64_t submit_s = 100; submit_s <= 600; submit_s += 500) {
        const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 2400, .profile = 1},
                                           {.gpus = 1, .submit_s = submit_s, .duration_s = 600}};
        play("1x4:V100", ORACLE, jobs, 2);
        assert_int_equal(sizes_of(0), 42);
        assert_int_equal(sizes_of(1), 2);
        assert_true(ends_at(0, 600 + 360 / 1.9) && ends_at(1, 900)); /* 789.47 */
        hs_test_free(&result);
        play("1x4:V100", "optimus:restart=30s", jobs, 2);
        assert_true(ends_at(0, 630 + 462 / 1.9) && ends_at(1, 930)); /* 873.16 */
        assert_int_equal(result.jobs[0].overhead_us, 60 * S);
        assert_int_equal(result.jobs[0].migrations, 1);
        hs_test_free(&result);
    }
}

/* O6. The shortest is not first: the gains of L are larger. ON2: S alone first, 150 s and 9,150 s.
 */
static void the_shortest_is_not_first(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 36000},
                                       {.gpus = 1, .duration_s = 600}};
    play("1x4:V100", ORACLE, jobs, 2);
    assert_int_equal(sizes_of(0), 34);
    assert_int_equal(sizes_of(1), 1);
    assert_true(ends_at(0, 9150) && ends_at(1, 600) && !ends_at(1, 150));
    hs_test_free(&result);
}

/* 2 GPUs, each has one from 100 s on; S ends at 700. At 1200 L has 150 s left: a second GPU saves
 * 75 s and costs 100. */
static void growth_has_to_pay(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 1250},
                                       {.gpus = 1, .duration_s = 600}};
    play("1x2:V100", "optimus:restart=100s", jobs, 2);
    assert_true(ends_at(0, 1375) && ends_at(1, 700));
    hs_test_free(&result);
    play("1x2:V100", "optimus:restart=100s,sticky=yes", jobs, 2);
    assert_true(ends_at(0, 1350) && ends_at(1, 700));
    hs_test_free(&result);
}

/* With 150 s more it has 300 left at 1200, and saves 150: more than the restart. Speeds are fitted:
 * 1 / n. */
static void growth_that_pays_is_made(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 1400},
                                       {.gpus = 1, .duration_s = 600}};
    play("1x2:V100", "optimus:restart=100s,sticky=yes,oracle=work,trial=0", jobs, 2);
    assert_true(ends_at(0, 1450) && ends_at(1, 700));
    hs_test_free(&result);
}

/* Epochs of 300 s, 19 and 10 of them. 20 are expected of each, a tie: A has the third GPU. At 600 B
 * has shown three losses, and has 8 epochs left, gain 1,200; A has done four, 15 left, gain 2,250.
 * With 20 left B would gain 3,000. So A keeps the third GPU until it ends. */
static void three_losses_are_enough(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 5700, .loss = {1, 1, 0, .01}},
                                       {.gpus = 1, .duration_s = 3000, .loss = {1, 1, 0, .6}}};
    play("1x3:V100", ORACLE "oracle=no,trial=0", jobs, 2);
    assert_true(sizes_of(0) == 2 && ends_at(0, 2850));
    assert_true(sizes_of(1) == 1 && ends_at(1, 3000));
    hs_test_free(&result);
}

/* Of 64 GPUs 1, 2, 4, 8 and 16 are tried: five times 20 s. */
static void trials_are_five(void **state)
{
    (void)state;
    const struct hs_test_job job = {.gpus = 1, .duration_s = 640};
    play("8x8:V100", ORACLE "oracle=work,trial=20s", &job, 1);
    assert_true(sizes_of(0) == 64 && ends_at(0, 110));
    hs_test_free(&result);
}

/* A may have at most two GPUs: the other two go to B, although it gains less. */
static void the_most_is_kept(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .gpus_min = 1, .gpus_max = 2, .duration_s = 1000},
        {.gpus = 1, .duration_s = 100}};
    play("1x4:V100", ORACLE, jobs, 2);
    assert_true(ends_at(0, 500) && ends_at(1, 50));
    hs_test_free(&result);
}

/* Rigid jobs. A needs all four GPUs and waits for two of them; B, submitted later, has one. When
 * the first job ends A gets all at 1200, and B, which held one of these GPUs, waits until 1800. */
static void first_submitted_goes_first(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 2, .gpus_max = 2, .duration_s = 700},
        {.gpus = 4, .gpus_max = 4, .submit_s = 5, .duration_s = 100},
        {.gpus = 1, .gpus_max = 1, .submit_s = 10, .duration_s = 1000}};
    play("1x4:V100", ORACLE, jobs, 3);
    assert_true(ends_at(0, 700) && ends_at(1, 1300) && ends_at(2, 2200));
    hs_test_free(&result);
}

/* Slots of 60 s, restarts of 100 s: the third job starts at 60, and at 120 it has done nothing yet
 * and keeps its GPU. So the second, which needs four, has to wait, and the last has one of the
 * three others. */
static void a_restarting_job_keeps_its_gpus(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 2, .gpus_max = 2, .duration_s = 1},
        {.gpus = 4, .gpus_max = 4, .submit_s = 5, .duration_s = 100},
        {.gpus = 1, .gpus_max = 1, .submit_s = 10, .duration_s = 500},
        {.gpus = 1, .gpus_max = 1, .submit_s = 70, .duration_s = 500}};
    play("1x4:V100", "optimus:slot=60s,restart=100s", jobs, 4);
    assert_true(ends_at(0, 101));
    assert_int_equal(result.jobs[2].start_us, 60 * S);
    assert_int_equal(result.jobs[3].start_us, 120 * S);
    hs_test_free(&result);
}

/* The restart is paid at 60, on the boundary: nothing is done, so the first keeps all four GPUs,
 * and the second gets some at 120. */
static void a_paid_restart_is_no_progress(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 4000},
                                       {.gpus = 1, .submit_s = 30, .duration_s = 4000}};
    play("1x4:V100", "optimus:slot=60s,restart=60s", jobs, 2);
    assert_int_equal(result.jobs[1].start_us, 120 * S);
    hs_test_free(&result);
}

/* A CPU job does not wait for a slot. */
static void cpu_jobs_run_beside(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 400},
                                       {.gpus = 0, .submit_s = 7, .duration_s = 50}};
    play("1x4:V100", ORACLE, jobs, 2);
    assert_true(ends_at(0, 100) && ends_at(1, 57));
    hs_test_free(&result);
}

/* Both need the only K80. The second is granted a GPU at 600, but there is none of the type: it
 * waits. */
static void a_job_without_place_waits(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 700, .gpu_type = "K80"},
        {.gpus = 1, .submit_s = 10, .duration_s = 100, .gpu_type = "K80"}};
    assert_int_equal(hs_test_run(jobs, 2, "1x2:V100,1x1:K80", "optimus:restart=0", &result), HS_OK);
    assert_true(ends_at(0, 700) && ends_at(1, 1300));
    hs_test_free(&result);
}

/* ---- several types: K80s of a quarter of the speed, on which two GPUs do what one does ---- */

static void play_types(const char *cluster, const char *policy, const struct hs_test_job *jobs,
                       uint32_t count)
{
    static const char text[] =
        "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"K80\"],\n"
        " \"reference\": \"V100\", \"jobs\": [{\"profile\": \"A/d/1/fp32\", \"family\": \"F\",\n"
        "   \"speed\": {\"V100\": 1, \"K80\": 0.25}}],\n"
        " \"families\": [{\"family\": \"F\", \"jobs\": 1, \"speed\": {\"V100\": 1, \"K80\": "
        "0.25}}],\n"
        " \"scaling\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2], \"efficiency\": "
        "[1]},\n"
        "   {\"family\": \"F\", \"gpu\": \"K80\", \"gpus\": [2], \"efficiency\": [0.5]}],\n"
        " \"spread\": []}\n";
    const struct hs_speed_predictor oracle = {.kind = HS_SPEED_PREDICTOR_ORACLE};
    struct hs_cluster mixed;
    struct hs_speed *two = NULL;
    if (hs_cluster_load(&mixed, cluster, &sink.diag) != HS_OK ||
        hs_speed_load(&two, scratch_write("two.json", text, sizeof text - 1), &catalogue, &mixed,
                      "V100", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    hs_speed_predict_by(two, &catalogue, &mixed, &oracle);
    const struct hs_test_options options = {.speed = two, .catalogue = &catalogue};
    if (hs_test_run_with(jobs, count, cluster, policy, &options, &result) != HS_OK)
        fail_msg("%s: %s", policy, result.message);
    hs_speed_free(two);
    hs_cluster_free(&mixed);
}

/* Two of each: by name the K80s count, on which a second GPU saves nothing. With three V100s these
 * count, and the job spreads over all five GPUs. */
static void the_type_of_most_gpus_counts(void **state)
{
    (void)state;
    const struct hs_test_job job = {.gpus = 1, .duration_s = 100, .profile = 1};
    play_types("1x2:V100,1x2:K80", ORACLE, &job, 1);
    assert_int_equal(sizes_of(0), 1);
    hs_test_free(&result);
    play_types("1x2:K80,1x2:V100", ORACLE, &job, 1);
    assert_int_equal(sizes_of(0), 1);
    hs_test_free(&result);
    play_types("1x3:V100,1x2:K80", ORACLE, &job, 1);
    assert_int_equal(sizes_of(0), 5);
    hs_test_free(&result);
}

/* R has one V100, J the other and the K80, at .25 in place of 2 in its trial. At 600 it has 1,350
 * of 1,500 s left, and is faster with one GPU: on the V100. */
static void speeds_that_are_seen_count(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .gpus_max = 1, .duration_s = 10000, .profile = 1},
        {.gpus = 1, .gpus_min = 1, .gpus_max = 2, .duration_s = 1500, .profile = 1}};
    play_types("1x2:V100,1x1:K80", ORACLE "oracle=work,trial=0", jobs, 2);
    assert_int_equal(sizes_of(1), 21);
    assert_true(ends_at(1, 1950));
    hs_test_free(&result);
}

/* L has a V100 and J the K80 when R ends. At 600 they have 1,100 and 1,000 s left; L gains 550, J
 * by its trials alone 500. But one GPU was measured at .25: with 2 on two GPUs t0 = 1.176 fits
 * best, so J gains 588. */
static void one_gpu_that_is_seen_counts(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .gpus_max = 1, .duration_s = 500, .profile = 1},
        {.gpus = 1, .gpus_min = 1, .gpus_max = 2, .duration_s = 1700, .profile = 1},
        {.gpus = 1, .gpus_min = 1, .gpus_max = 2, .duration_s = 1150, .profile = 1}};
    play_types("1x2:V100,1x1:K80", ORACLE "oracle=work,trial=0", jobs, 3);
    uint32_t grown[3] = {0};
    for (uint32_t i = 0; i < result.segment_count; i++)
        if (result.segments[i].start_us == 600 * S)
            grown[result.segments[i].job] = result.segments[i].gpu_count;
    assert_true(grown[1] == 0 && grown[2] == 2);
    hs_test_free(&result);
}

/* 3 GPUs. At 600 the first has 600 s left and gains 300; the second, new, has 700 and gains 350, or
 * with `young` .8 of it. Then it has 100 s left at 1200, for 3 GPUs. */
static void the_young_come_later(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 2400},
                                       {.gpus = 1, .submit_s = 600, .duration_s = 700}};
    play("1x3:V100", ORACLE, jobs, 2);
    assert_true(ends_at(0, 1200) && ends_at(1, 950));
    hs_test_free(&result);
    play("1x3:V100", ORACLE "young=0.8", jobs, 2);
    assert_true(ends_at(0, 900) && ends_at(1, 1200 + 100 / 3.0));
    hs_test_free(&result);
}

/* Alone, on as many GPUs as it asks for, a job takes its run time and the restart. */
static void alone_it_takes_its_time(void **state)
{
    (void)state;
    const struct hs_test_job job = {.gpus = 3, .duration_s = 5000, .profile = 1};
    play("1x4:V100", "optimus:max_gpus=3", &job, 1);
    assert_int_equal(result.jobs[0].end_us, 5030 * S);
    assert_int_equal(result.segment_count, 1);
    hs_test_free(&result);
}

/* compat=adaptdl, slots of 60 s from 20 s on: a job waits for the boundary also where there was no
 * job before it. With four GPUs 40 s of work take 10. */
static void boundaries_are_fixed(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 40},
                                       {.gpus = 1, .submit_s = 81, .duration_s = 40}};
    play("1x4:V100", "optimus:compat=adaptdl,slot=60s,slot_phase=20s,restart=30s", jobs, 2);
    assert_int_equal(result.jobs[0].start_us, 20 * S);
    assert_true(ends_at(0, 20 + 30 + 10));
    assert_int_equal(result.jobs[1].start_us, 140 * S);
    hs_test_free(&result);
    play("1x4:V100", "optimus:slot=60s,restart=30s", jobs, 2);
    assert_int_equal(result.jobs[0].start_us, 0);
    assert_int_equal(result.jobs[1].start_us, 81 * S);
    hs_test_free(&result);
}

/* Through any number of sizes the work done is the work submitted, to the nanosecond. */
static void work_is_conserved(void **state)
{
    (void)state;
    struct hs_test_job jobs[60];
    uint64_t dice = 1, resized = 0;
    int64_t done_ns[60] = {0};
    for (uint32_t i = 0; i < 60; i++) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407;
        jobs[i] = (struct hs_test_job){.gpus = 1 + (uint32_t)(dice >> 60) % 6,
                                       .submit_s = 200 * (int64_t)i,
                                       .duration_us = (int64_t)(dice >> 32) % (4000 * S),
                                       .profile = (uint32_t)(dice >> 50) % 2};
        jobs[i].gpus_max = i % 3 == 0 ? 8 : 0;
    }
    play("6x4:V100", "optimus", jobs, 60);
    for (uint32_t i = 0; i < result.segment_count; i++)
        done_ns[result.segments[i].job] += result.segments[i].done_ns;
    for (uint32_t i = 0; i < 60; i++) {
        assert_int_equal(result.jobs[i].state, HS_JOB_DONE);
        assert_int_equal(done_ns[i], jobs[i].duration_us * 1000);
        resized += result.jobs[i].migrations;
    }
    assert_true(resized > 20);
    hs_test_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_decide),
        cmocka_unit_test(speeds_are_learnt),
        cmocka_unit_test(old_speeds_are_forgotten),
        cmocka_unit_test(losses_are_fitted),
        cmocka_unit_test(the_end_is_predicted),
        cmocka_unit_test(work_is_told_wrongly),
        cmocka_unit_test(workers_are_spread_evenly),
        cmocka_unit_test(a_rigid_job_keeps_its_gpus),
        cmocka_unit_test(slots_give_anew),
        cmocka_unit_test(the_shortest_is_not_first),
        cmocka_unit_test(growth_has_to_pay),
        cmocka_unit_test(growth_that_pays_is_made),
        cmocka_unit_test(three_losses_are_enough),
        cmocka_unit_test(trials_are_five),
        cmocka_unit_test(the_most_is_kept),
        cmocka_unit_test(first_submitted_goes_first),
        cmocka_unit_test(a_restarting_job_keeps_its_gpus),
        cmocka_unit_test(a_paid_restart_is_no_progress),
        cmocka_unit_test(cpu_jobs_run_beside),
        cmocka_unit_test(a_job_without_place_waits),
        cmocka_unit_test(the_type_of_most_gpus_counts),
        cmocka_unit_test(speeds_that_are_seen_count),
        cmocka_unit_test(one_gpu_that_is_seen_counts),
        cmocka_unit_test(the_young_come_later),
        cmocka_unit_test(alone_it_takes_its_time),
        cmocka_unit_test(boundaries_are_fixed),
        cmocka_unit_test(work_is_conserved),
    };
    return cmocka_run_group_tests_name("optimus on paper", tests, set_up, tear_down);
}
