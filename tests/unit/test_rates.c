/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calibrated models in the engine (MODEL.md 4, 5): speeds by profile and GPU type, the slowest
 * worker of a gang, spread gangs, elastic ones, measured pairs, and what a policy sees of them. The
 * models are small files made here with binary fractions; each schedule is calculated beside its
 * test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "horus/policy.h"
#include "model/interference.h"
#include "model/predictor.h"
#include "model/speed.h"
#include "support/script.h"
#include "support/sink.h"

#define S HS_TEST_S

enum { A = 1, B = 2 }; /* profiles, as tests name them: 1 + row */

static const char profiles[] = "model,dataset,batch,precision,family,util\n"
                               "A,d,1,fp32,F,50\nB,d,1,fp32,F,100\n";
static const char speeds[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"P100\"], \"reference\": "
    "\"V100\",\n"
    " \"jobs\": [\n"
    "  {\"profile\": \"A/d/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1, \"P100\": 0.5}},\n"
    "  {\"profile\": \"B/d/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1, \"P100\": "
    "0.25}}],\n"
    " \"families\": [{\"family\": \"F\", \"jobs\": 2, \"speed\": {\"V100\": 1, \"P100\": "
    "0.375}}],\n"
    " \"scaling\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2, 4],\n"
    "              \"efficiency\": [0.5, 0.5]}],\n"
    " \"spread\": [{\"family\": \"F\", \"gpu\": \"V100\", \"gpus\": [2], \"factor\": [0.5]}]}\n";
/* On a V100: A beside B 1 + 1 x 1 = 2, B beside A 1 + 1 x 3 = 4. */
static const char pairs[] =
    "{\"kind\": \"interference\", \"format\": 2,\n"
    " \"forms\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"k\": 1, \"alpha\": 1, \"beta\": "
    "1, \"capacity\": [1, 2]}],\n" /* of two jobs, of more */
    " \"tables\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"form\": \"rank-1\", \"jobs\": [\n"
    "   {\"profile\": \"A/d/1/fp32\", \"a\": 1, \"b\": 3},\n"
    "   {\"profile\": \"B/d/1/fp32\", \"a\": 1, \"b\": 1}]}]}\n";
static const char beliefs[] = "{\"kind\": \"predictor\", \"format\": 2,\n"
                              " \"general\": {\"k\": 0.5, \"alpha\": 1, \"beta\": 1,\n"
                              "               \"error\": 0.08}}\n";

static struct sink sink;
static struct hs_catalogue catalogue;
static struct hs_cluster cluster;
static struct hs_speed *speed;
static struct hs_interference *truth;

static const char *made(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static int open_catalogue(void **state)
{
    (void)scratch_open(state);
    sink_init(&sink);
    return hs_catalogue_load(&catalogue, made("profiles.csv", profiles), &sink.diag) != HS_OK;
}

static int close_catalogue(void **state)
{
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

/* Loads the models of a cluster into the options of the next run. */
static void use_models(const char *shape, const char *reference)
{
    const struct hs_interference_options how = {.mode = HS_INTERFERENCE_MEASURED, .gamma = 1};
    struct hs_interference_type types[HS_GPU_TYPES_MAX];
    script_options = (struct hs_test_options){0};
    script_knows = 0;
    assert_int_equal(hs_cluster_load(&cluster, shape, &sink.diag), HS_OK);
    for (uint32_t t = 0; t < cluster.type_count; t++)
        types[t] = (struct hs_interference_type){.gpu = cluster.types[t].name};
    enum hs_status status = hs_speed_load(&speed, made("speed.json", speeds), &catalogue, &cluster,
                                          reference, &sink.diag);
    if (status == HS_OK)
        status = hs_interference_load(&truth, made("interference.json", pairs), &catalogue, &how,
                                      types, cluster.type_count, &sink.diag);
    if (status != HS_OK)
        fail_msg("%s", sink.text);
    script_options.speed = speed;
    script_options.interference = truth;
}

static int free_models(void **state)
{
    (void)state;
    hs_speed_free(speed);
    hs_interference_free(truth);
    hs_cluster_free(&cluster);
    speed = NULL;
    truth = NULL;
    memset(&cluster, 0, sizeof cluster);
    script_options = (struct hs_test_options){0};
    script_knows = 0;
    return 0;
}

static void start_on(struct hs_plan *p, int job, uint32_t gpu)
{
    hs_plan_start(p, script_handle[job]);
    hs_plan_on_gpu(p, gpu);
}

static void a_gpu_each(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 4; i++)
        start_on(p, i, (uint32_t)i);
}

/* GPUs 0, 1 are V100s, 2, 3 P100s: 100 s of A take 200 on a P100, of B 400. */
static void speed_goes_by_profile_and_type(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .profile = A},
                                       {.gpus = 1, .duration_s = 100, .profile = B},
                                       {.gpus = 1, .duration_s = 100, .profile = A},
                                       {.gpus = 1, .duration_s = 100, .profile = B}};
    struct hs_test_result r;
    use_models("1x2:V100,1x2:P100", "V100");
    assert_int_equal(script_play(jobs, 4, "1x2:V100,1x2:P100", 0, a_gpu_each, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[2].end_us, 200 * S);
    assert_int_equal(r.jobs[3].end_us, 400 * S);
    hs_test_free(&r);
}

static void both_on_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 2; i++)
        start_on(p, i, 0);
}

/* A at 1/2, B at 1/4: B's 50 s end at 200; A has done 100 of 150 by then and ends at 250. */
static void pairs_slow_each_other_as_measured(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 150, .profile = A, .gpu_util_pm = 500},
        {.gpus = 1, .duration_s = 50, .profile = B, .gpu_util_pm = 1000}};
    struct hs_test_result r;
    use_models("1x1:V100", "V100");
    assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, both_on_gpu_0, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 200 * S);
    assert_int_equal(r.jobs[0].end_us, 250 * S);
    hs_test_free(&r);
}

static uint64_t guest_cap_q32;

static void b_in_the_background(const struct hs_view *v, struct hs_plan *p, int call)
{
    both_on_gpu_0(v, p, call);
    if (call != 0)
        return;
    hs_plan_background(p, script_handle[1], true);
    hs_plan_cap(p, script_handle[1], guest_cap_q32);
}

/* B in the background. Half of it fits beside A, 0.5 + 0.5: A is not slowed, B at 1/4 of 1/2 has
 * done 18.75 s by 150, and the rest at 1/2 ends at 212.5. All of it does not fit: both are slowed
 * as above. */
static void background_fills_idle_time(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 150, .profile = A, .gpu_util_pm = 500},
        {.gpus = 1, .duration_s = 50, .profile = B, .gpu_util_pm = 1000}};
    const int64_t ends_ms[2][2] = {{250000, 200000}, {150000, 212500}}; /* cap 1, 1/2 */
    struct hs_test_result r;
    use_models("1x1:V100", "V100");
    for (int i = 0; i < 2; i++) {
        guest_cap_q32 = HS_Q32_ONE >> i;
        assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE | HS_CAN_THROTTLE,
                                     b_in_the_background, &r),
                         HS_OK);
        assert_int_equal(r.jobs[0].end_us, ends_ms[i][0] * 1000);
        assert_int_equal(r.jobs[1].end_us, ends_ms[i][1] * 1000);
        hs_test_free(&r);
    }
}

/* Without profiles the utilizations decide: each is slowed to 1 / (1 + 0.5 x 1) and 1 / (1 + 1 x
 * 0.5), both 2/3, so 100 s end at 150 s, to the microsecond above. */
static void utilizations_decide_without_a_profile(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .gpu_util_pm = 500},
                                       {.gpus = 1, .duration_s = 100, .gpu_util_pm = 1000}};
    struct hs_test_result r;
    use_models("1x1:V100", "V100");
    assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, both_on_gpu_0, &r), HS_OK);
    assert_in_range(r.jobs[0].end_us, 150 * S, 150 * S + 200); /* S is known to 2^-20 */
    assert_int_equal(r.jobs[1].end_us, r.jobs[0].end_us);
    hs_test_free(&r);
}

static void a_gang_and_a_guest(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call > 0)
        return;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_gpu(p, 0);
    hs_plan_on_gpu(p, 1);
    start_on(p, 1, 1);
}

/* Only GPU 1 is shared, but both workers of A wait for it: 1/2. B at 1/4 ends its 25 s at 100; A
 * has done 50 of 100 and ends at 150. */
static void a_gang_runs_at_its_slowest_worker(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 2, .duration_s = 100, .profile = A, .gpu_util_pm = 500},
        {.gpus = 1, .duration_s = 25, .profile = B, .gpu_util_pm = 1000}};
    struct hs_test_result r;
    use_models("1x2:V100", "V100");
    assert_int_equal(script_play(jobs, 2, "1x2:V100", HS_CAN_COLOCATE, a_gang_and_a_guest, &r),
                     HS_OK);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    hs_test_free(&r);
}

static void over_two_nodes(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    uint32_t half = hs_view_gpus(v, script_handle[0]) / 2;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, half);
    hs_plan_on_node(p, 1, half);
}

static int64_t ends_over_two_nodes(uint32_t gpus, const char *shape, const char *reference)
{
    const struct hs_test_job jobs[] = {{.gpus = gpus, .duration_s = 100, .profile = A}};
    struct hs_test_result r;
    use_models(shape, reference);
    assert_int_equal(script_play(jobs, 1, shape, 0, over_two_nodes, &r), HS_OK);
    int64_t end_us = r.jobs[0].end_us;
    hs_test_free(&r);
    (void)free_models(NULL);
    return end_us;
}

/* Two GPUs on two nodes of two are spread: factor 1/2. Four on two nodes of two are not: they need
 * both. A V100 and a P100: the slowest worker at 1/2, spread 1/2; with times of the P100 it is at
 * 1, and the V100 still slows it by 1/2, in any position in the cluster. */
static void a_spread_gang_is_slowed(void **state)
{
    (void)state;
    assert_int_equal(ends_over_two_nodes(2, "2x2:V100", "V100"), 200 * S);
    assert_int_equal(ends_over_two_nodes(4, "2x2:V100", "V100"), 100 * S);
    assert_int_equal(ends_over_two_nodes(2, "1x2:V100,1x2:P100", "V100"), 400 * S);
    assert_int_equal(ends_over_two_nodes(2, "1x2:P100,1x2:V100", "P100"), 200 * S);
}

static void on_all_nodes(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    uint32_t left = hs_view_gpus(v, script_handle[0]);
    hs_plan_start(p, script_handle[0]);
    for (uint32_t node = 0; node < v->nodes && left > 0; node++) {
        uint32_t gpus = hs_view_node(v, node)->gpus < left ? hs_view_node(v, node)->gpus : left;
        hs_plan_on_node(p, node, gpus);
        left -= gpus;
    }
}

/* 8 GPUs need at least 3 nodes of 4, 2 and 2: not spread. Nor are 4 V100s over 2 nodes, for a job
 * that may not use the P100s. */
static void a_gang_on_as_few_nodes_as_it_can_is_not_spread(void **state)
{
    (void)state;
    static const char mixed[] = "1x4:V100,2x2:V100", typed[] = "2x2:V100,1x4:P100";
    const struct hs_test_job wide[] = {{.gpus = 8, .duration_s = 100, .profile = A}};
    const struct hs_test_job picky[] = {
        {.gpus = 4, .duration_s = 100, .profile = A, .gpu_type = "V100"}};
    struct hs_test_result r;
    use_models(mixed, "V100");
    assert_int_equal(script_play(wide, 1, mixed, 0, on_all_nodes, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    hs_test_free(&r);
    (void)free_models(NULL);
    use_models(typed, "V100");
    assert_int_equal(script_play(picky, 1, typed, 0, on_all_nodes, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    hs_test_free(&r);
}

static uint32_t width;

static void as_wide(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call > 0)
        return;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, width);
}

/* 1, 2, 4 GPUs have throughput 1, 2 x 0.5 = 1, 4 x 0.5 = 2: a job of 2 is as fast on 1 and twice as
 * fast on 4. */
static void an_elastic_job_scales_as_its_family(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 2, .gpus_min = 1, .gpus_max = 4, .duration_s = 100, .profile = A}};
    static const int64_t ends_s[] = {0, 100, 100, 0, 50};
    struct hs_test_result r;
    use_models("1x4:V100", "V100");
    for (width = 1; width <= 4; width *= 2) {
        assert_int_equal(script_play(jobs, 1, "1x4:V100", HS_CAN_RESIZE, as_wide, &r), HS_OK);
        assert_int_equal(r.jobs[0].end_us, ends_s[width] * S);
        hs_test_free(&r);
    }
}

static int64_t predicted_us;

static void asks_for_the_finish(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 0);
        hs_plan_timer(p, 5 * S, 't');
    } else if (call == 1) {
        predicted_us = hs_view_finish_us(v, script_handle[0]);
    }
}

/* B on a P100 takes 10 s to start and 4 x 100 to run; half-way through the start the policy sees
 * that. */
static void a_finish_ahead_of_a_cost_is_that_of_the_gpu(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .profile = B}};
    struct hs_test_result r;
    use_models("1x1:P100,1x1:V100", "V100");
    script_options.startup_us = 10 * S;
    script_knows = HS_KNOWS_DURATION;
    assert_int_equal(
        script_play(jobs, 1, "1x1:P100,1x1:V100", HS_CAN_TIME, asks_for_the_finish, &r), HS_OK);
    assert_int_equal(predicted_us, 410 * S);
    assert_int_equal(r.jobs[0].end_us, 410 * S);
    hs_test_free(&r);
}

static uint64_t predicted_q32;
static int32_t predicted_pm;

static void asks_then_shares(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        predicted_pm = hs_view_util_pm(v, script_handle[1]);
        assert_int_equal(hs_view_util_peak_pm(v, script_handle[1]), 1000);
        predicted_q32 = hs_view_slowdown_q32(v, hs_view_util_pm(v, script_handle[0]), predicted_pm);
    }
    both_on_gpu_0(v, p, call);
}

/* The policy's own form gives 1 + 0.5 x 0.5 x 1 = 1.25 of A beside B, for any sharing model: with
 * the measured pair (2), and with no interference at all. */
static void predictions_do_not_follow_the_true_slowdowns(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 150, .profile = A, .gpu_util_pm = 500},
        {.gpus = 1, .duration_s = 50, .profile = B, .gpu_util_pm = 1000}};
    const struct hs_predictor_options how = {.kind = HS_PREDICT_ORACLE, .memory = HS_MEMORY_ORACLE};
    struct hs_test_result r;
    struct hs_modelset files;
    struct hs_predictor *predictor;
    use_models("1x1:V100", "V100");
    assert_int_equal(hs_modelset_init(&files, made("predictor.json", beliefs), &sink.diag), HS_OK);
    if (hs_predictor_open(&predictor, &files, &catalogue, &how, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    script_knows = HS_KNOWS_UTILIZATION;
    script_options.predictor = predictor;
    static const int64_t ends_s[] = {250, 150};
    for (int i = 0; i < 2; i++) {
        script_options.interference = i == 0 ? truth : NULL;
        script_options.excess = i == 0 ? 0 : -1;
        assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, asks_then_shares, &r),
                         HS_OK);
        assert_int_equal(predicted_pm, 1000);
        assert_int_equal(predicted_q32, HS_Q32_ONE + HS_Q32_ONE / 4);
        assert_int_equal(r.jobs[0].end_us, ends_s[i] * S);
        hs_test_free(&r);
    }
    hs_predictor_close(predictor);
    hs_modelset_free(&files);
}

/* Jobs 1 and 2 in one slice group, half of the time each; job 0 beside them. */
static void a_job_beside_a_slice_group(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 3; i++) {
        start_on(p, i, 0);
        if (i > 0)
            hs_plan_slice(p, script_handle[i], 1, HS_Q32_ONE / 2);
    }
}

/* One of the two runs at any time, so job 0 is slowed by one of them: A beside B at 1/2, 100 s take
 * 200. B beside A runs at 1/4 of its half share: 1/8, and 25 s take 200, too. Meanwhile the
 * utilization of the GPU is 0.5 x 1/2 + 2 x 1/8 = 0.5; if B had 0.5 as well, 0.375. */
static void a_slice_group_is_one_tenant(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .profile = A, .gpu_util_pm = 500},
                                 {.gpus = 1, .duration_s = 25, .profile = B, .gpu_util_pm = 1000},
                                 {.gpus = 1, .duration_s = 25, .profile = B, .gpu_util_pm = 1000}};
    const uint32_t can = HS_CAN_COLOCATE | HS_CAN_SLICE;
    struct hs_test_result r;
    use_models("1x1:V100", "V100");
    script_options.max_tenants = 3;
    assert_int_equal(script_play(jobs, 3, "1x1:V100", can, a_job_beside_a_slice_group, &r), HS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(r.jobs[i].end_us, 200 * S);
    assert_int_equal(r.instants[0].load_pm_q32, 500 * HS_Q32_ONE);
    hs_test_free(&r);
    for (int i = 1; i < 3; i++)
        jobs[i].gpu_util_pm = 500;
    assert_int_equal(script_play(jobs, 3, "1x1:V100", can, a_job_beside_a_slice_group, &r), HS_OK);
    assert_int_equal(r.instants[0].load_pm_q32, 375 * HS_Q32_ONE);
    assert_int_equal(r.instants[0].solo_pm_q32, 1000 * HS_Q32_ONE);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(speed_goes_by_profile_and_type, free_models),
        cmocka_unit_test_teardown(pairs_slow_each_other_as_measured, free_models),
        cmocka_unit_test_teardown(background_fills_idle_time, free_models),
        cmocka_unit_test_teardown(utilizations_decide_without_a_profile, free_models),
        cmocka_unit_test_teardown(a_gang_runs_at_its_slowest_worker, free_models),
        cmocka_unit_test(a_spread_gang_is_slowed),
        cmocka_unit_test_teardown(a_gang_on_as_few_nodes_as_it_can_is_not_spread, free_models),
        cmocka_unit_test_teardown(an_elastic_job_scales_as_its_family, free_models),
        cmocka_unit_test_teardown(a_finish_ahead_of_a_cost_is_that_of_the_gpu, free_models),
        cmocka_unit_test_teardown(a_slice_group_is_one_tenant, free_models),
        cmocka_unit_test_teardown(predictions_do_not_follow_the_true_slowdowns, free_models),
    };
    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
