/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A policy's view of the models that jobs train, through a scripted policy. Restarts are those of
 * the shipped table (Muri: vgg16 7 s on 1 GPU, 8 on 4; resnet18 5 on 4; 10 for models that are not
 * in it); the catalogue is made up beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/script.h"
#include "support/sink.h"

#define S HS_TEST_S

static const char rows[] = "model,dataset,batch,checkpoint_mib,skew\n"
                           "VGG16,ImageNet,32,528,74.3\n"
                           "Small,ImageNet,32,,6\n";

static const struct hs_test_job jobs[] = {
    {.gpus = 4, .duration_s = 9, .model = "vgg-16", .profile = 1},
    {.gpus = 4, .duration_s = 9, .model = "resnet18"},
    {.gpus = 1, .duration_s = 9, .profile = 1},
    {.gpus = 1, .duration_s = 9, .model = "ours", .profile = 1},
    {.gpus = 1, .duration_s = 9, .model = "ResNet 18", .profile = 1},
    {.gpus = 9, .duration_s = 9, .profile = 2},
    {.gpus = 1, .duration_s = 9},
};
#define JOBS (sizeof jobs / sizeof jobs[0])

struct seen {
    int64_t restart_us, checkpoint_us;
    int32_t skew_pm;
};
static struct seen seen[JOBS];

static void ask(const struct hs_view *v, struct hs_plan *p, int call)
{
    for (size_t i = 0; call == 0 && i < JOBS; i++) {
        hs_job_id job = script_handle[i];
        seen[i] = (struct seen){hs_view_restart_us(v, job), hs_view_checkpoint_us(v, job),
                                hs_view_skew_pm(v, job)};
        hs_plan_reject(p, job, "the test is over");
    }
}

static void play(const struct seen *expected, uint32_t storage_mib_per_s)
{
    struct hs_test_result r;
    memset(seen, 0, sizeof seen);
    script_knows = HS_KNOWS_MODEL;
    script_options.storage_mib_per_s = storage_mib_per_s;
    if (script_play(jobs, JOBS, "4x8", 0, ask, &r) != HS_OK)
        fail_msg("%s", r.message);
    hs_test_free(&r);
    script_knows = 0;
    script_options = (struct hs_test_options){0};
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(seen[i].restart_us, expected[i].restart_us);
        assert_int_equal(seen[i].checkpoint_us, expected[i].checkpoint_us);
        assert_int_equal(seen[i].skew_pm, expected[i].skew_pm);
    }
}

/* 528 MiB saved and read at 200 MiB/s: 2 x 2.64 s. The name in the trace has priority over that of
 * the profile, which has priority over the row for all others. */
static void everything_is_known(void **state)
{
    (void)state;
    static const struct seen expected[JOBS] = {
        {8 * S, 5280000, 743}, {5 * S, -1, -1},  {7 * S, 5280000, 743}, {7 * S, 5280000, 743},
        {4 * S, 5280000, 743}, {10 * S, -1, 60}, {10 * S, -1, -1}};
    struct sink sink;
    struct hs_catalogue catalogue;
    struct hs_overheads *restart;
    sink_init(&sink);
    const char *path = scratch_write("profiles.csv", rows, strlen(rows));
    assert_int_equal(hs_catalogue_load(&catalogue, path, &sink.diag), HS_OK);
    assert_int_equal(hs_restart_load(&restart, "builtin:restart.csv", &sink.diag), HS_OK);
    script_options = (struct hs_test_options){.catalogue = &catalogue, .restart = restart};
    play(expected, 200);
    hs_overheads_free(restart);
    hs_catalogue_free(&catalogue);
}

/* 2 x 528 MiB at 7 MiB/s are 150857142.86 us: rounded up. */
static void costs_are_rounded_up(void **state)
{
    (void)state;
    static const struct seen expected[JOBS] = {
        {-1, 150857143, 743}, {-1, -1, -1}, {-1, 150857143, 743}, {-1, 150857143, 743},
        {-1, 150857143, 743}, {-1, -1, 60}, {-1, -1, -1}};
    struct sink sink;
    struct hs_catalogue catalogue;
    sink_init(&sink);
    const char *path = scratch_write("profiles.csv", rows, strlen(rows));
    assert_int_equal(hs_catalogue_load(&catalogue, path, &sink.diag), HS_OK);
    script_options = (struct hs_test_options){.catalogue = &catalogue};
    play(expected, 7);
    hs_catalogue_free(&catalogue);
}

static void nothing_is_known(void **state)
{
    (void)state;
    static const struct seen expected[JOBS] = {{-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1},
                                               {-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1},
                                               {-1, -1, -1}};
    play(expected, 0);
}

static void ask_skew(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_skew_pm(v, script_handle[0]), -1);
}

/* The other two are properties of the job, like its cost in the trace. */
static void skew_must_be_declared(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = ~(uint32_t)HS_KNOWS_MODEL;
    assert_script_refused(script_play(jobs, 1, "1x4", 0, ask_skew, &r), &r,
                          "asked for the tensor sizes, which it did not declare to know");
    script_knows = 0;
}

static void ask_speed(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_speed_q32(v, script_handle[0], 0), UINT64_C(1) << 32);
    assert_true(hs_view_speed(v, script_handle[0], 0) == 1);
}

static void speed_must_be_declared(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = ~(uint32_t)HS_KNOWS_SPEED;
    assert_script_refused(script_play(jobs, 1, "1x4", 0, ask_speed, &r), &r,
                          "asked for the speed on a GPU type, which it did not declare to know");
    script_knows = 0;
}

static void ask_scaling(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_scaling_q32(v, script_handle[0], 0, 2), UINT64_C(1) << 32);
}

static void ask_spread(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_spread_q32(v, script_handle[0], 0), UINT64_C(1) << 32);
}

static void scaling_must_be_declared(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = ~(uint32_t)HS_KNOWS_SCALING;
    assert_script_refused(
        script_play(jobs, 1, "1x4", 0, ask_scaling, &r), &r,
        "asked for the speed on other numbers of GPUs, which it did not declare to know");
    assert_script_refused(script_play(jobs, 1, "1x4", 0, ask_spread, &r), &r,
                          "asked for the speed on several nodes, which it did not declare to know");
    script_knows = 0;
}

static void ask_host(const struct hs_view *v, struct hs_plan *p, int call)
{
    struct hs_host_axes axes;
    if (call > 0)
        return;
    assert_false(hs_view_host_axes(v, script_handle[0], &axes)); /* refused, and without a grid */
    assert_int_equal(hs_view_host_q32(v, script_handle[0], 3000, 64000), UINT64_C(1) << 32);
    hs_plan_start_on_node(p, script_handle[0], 0);
}

static void speed_by_host_must_be_declared(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = ~(uint32_t)HS_KNOWS_HOST;
    assert_script_refused(script_play(jobs, 1, "1x4", 0, ask_host, &r), &r,
                          "asked for the speed by CPUs and host memory, which it did not declare");
    script_knows = HS_KNOWS_HOST;
    assert_int_equal(script_play(jobs, 1, "1x4", 0, ask_host, &r), HS_OK);
    hs_test_free(&r);
    script_knows = 0;
}

static void ask_speed_nowhere(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_speed_q32(v, script_handle[0], 1), UINT64_C(1) << 32);
}

static void search_nowhere(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    hs_view_search_type(v, 64, true);
    assert_int_equal(hs_view_free_for(v, script_handle[0]), 0);
}

static void types_must_be_there(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = HS_KNOWS_SPEED;
    assert_script_refused(script_play(jobs, 1, "1x4", 0, ask_speed_nowhere, &r), &r,
                          "asked about GPU type 1, which is not there");
    script_knows = 0;
    assert_script_refused(script_play(jobs, 1, "1x4", 0, search_nowhere, &r), &r,
                          "asked about GPU type 64, which is not there");
}

/* 19 epochs of 2 s; at 5 s two and a half are done. l(k) = 1 / (1 + k) + 1 / 5. */
static uint32_t asked_epoch;

static void ask_loss(const struct hs_view *v, struct hs_plan *p, int call)
{
    const hs_job_id job = script_handle[0];
    if (call == 0) {
        assert_true(hs_view_loss(v, job, 0) == 1 + .2);
        hs_plan_start_on_node(p, job, 0);
        hs_plan_timer(p, 5 * S, 'T');
    } else if (script_told[strlen(script_told) - 1] == 'T') {
        const struct hs_training training = hs_view_training(v, job);
        assert_int_equal(training.epoch_us, 2 * S);
        assert_true(training.done == 2.5 && training.threshold == .01);
        assert_true(hs_view_loss(v, job, asked_epoch) == (asked_epoch == 2 ? 1 / 3. + .2 : 0));
    }
}

static void ask_training(const struct hs_view *v, struct hs_plan *p, int call)
{
    const struct hs_training training = hs_view_training(v, script_handle[0]);
    (void)p, (void)call;
    assert_true(training.epoch_us == 1 && training.done == 0 && training.threshold == 0);
}

static void future_losses_are_hidden(void **state)
{
    (void)state;
    static const struct hs_test_job job = {.gpus = 1, .duration_s = 38, .loss = {1, 1, .2, .01}};
    struct hs_test_result r;
    script_knows = HS_KNOWS_LOSS;
    asked_epoch = 2;
    assert_int_equal(script_play(&job, 1, "1x4", HS_CAN_TIME, ask_loss, &r), HS_OK);
    hs_test_free(&r);
    asked_epoch = 3;
    assert_script_refused(script_play(&job, 1, "1x4", HS_CAN_TIME, ask_loss, &r), &r,
                          "asked for the loss of an epoch to come");
    script_knows = ~(uint32_t)HS_KNOWS_LOSS;
    assert_script_refused(script_play(&job, 1, "1x4", 0, ask_training, &r), &r,
                          "asked for the training, which it did not declare to know");
    script_knows = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_known),
        cmocka_unit_test(costs_are_rounded_up),
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(skew_must_be_declared),
        cmocka_unit_test(speed_must_be_declared),
        cmocka_unit_test(types_must_be_there),
        cmocka_unit_test(scaling_must_be_declared),
        cmocka_unit_test(speed_by_host_must_be_declared),
        cmocka_unit_test(future_losses_are_hidden),
    };
    return cmocka_run_group_tests_name("engine/view_model", tests, scratch_open, scratch_close);
}
