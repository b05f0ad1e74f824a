/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speed by CPUs and host memory: the shipped grids compared with the published profiles of Synergy
 * (Mohan et al., OSDI'22; design of policies, S2 and S3), values between points by hand, a job in a
 * run, and bad files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "model/host.h"
#include "support/script.h"
#include "support/sink.h"

#define S HS_TEST_S

enum { RES18, ALEXNET, M5, OTHER };

static const char rows[] = "model,dataset,batch,precision,family\n"
                           "ResNet18,D,32,fp32,F\n"
                           "AlexNet,D,32,fp32,F\n"
                           "M5,D,32,fp32,F\n"
                           "BERT,D,32,fp32,F\n";

static struct sink sink;
static struct hs_catalogue catalogue;
static struct hs_host *host;

static int open_all(void **state)
{
    (void)scratch_open(state);
    sink_init(&sink);
    const char *path = scratch_write("profiles.csv", rows, strlen(rows));
    return hs_catalogue_load(&catalogue, path, &sink.diag) != HS_OK ||
           hs_host_load(&host, "builtin:models/host.json", &catalogue, &sink.diag) != HS_OK;
}

static int close_all(void **state)
{
    hs_host_free(host);
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

static void expect(uint32_t profile, uint32_t cpus_milli, uint32_t mem_mib, double speed)
{
    const double is =
        (double)hs_host_speed_q32(host, profile, cpus_milli, mem_mib) / (double)HS_Q32_ONE;
    assert_true(is > speed - 1e-9 && is < speed + 1e-9);
}

/* 62.5, 125 and 187.5 GB are 64000, 128000 and 192000 MiB. */
static void published_points(void **state)
{
    (void)state;
    expect(M5, 12000, 64000, 1.5); /* S2 */
    expect(M5, 12000, 128000, 2);
    expect(M5, 12000, 192000, 2.5);
    expect(RES18, 9000, 20480, .1); /* S3 */
    expect(RES18, 3000, 64000, 1);
    expect(ALEXNET, 12000, 64000, 2);
    expect(ALEXNET, 12000, 128000, 2.94);
    expect(OTHER, 1000, 1000, 1);
    expect(HS_NO_PROFILE, 1000, 1000, 1);
    expect(RES18, 0, 0, 1); /* nothing is allocated */
    struct hs_host_axes axes;
    assert_true(hs_host_axes_of(host, M5, &axes));
    assert_int_equal(axes.cpu_count, 8); /* 1, 2, 3, 4, 5, 6, 9, 12 */
    assert_int_equal(axes.cpus_milli[7], 12000);
    assert_int_equal(axes.mem_count, 4);
    assert_int_equal(axes.mem_mib[3], 192000);
    assert_true(hs_host_axes_of(host, OTHER, &axes)); /* a language model: 1 CPU, 20 GB */
    assert_int_equal(axes.cpus_milli[0] + axes.mem_mib[0], 1000 + 20480);
    assert_false(hs_host_axes_of(host, HS_NO_PROFILE, &axes));
}

/* Between 9 and 12 CPUs, 64000 and 128000 MiB: the mean of 2, 2, 2, 2.94 in the middle. */
static void between_points(void **state)
{
    (void)state;
    expect(RES18, 7500, 64000, 1.75 + .65 / 2);
    expect(ALEXNET, 12000, 96000, 2.47);
    expect(ALEXNET, 10500, 96000, 2.235);
    expect(ALEXNET, 500, 64000, .3); /* beyond the edges: the value at the edge */
    expect(ALEXNET, 96000, 500000, 2.94);
}

/* One GPU, 24 CPUs, 500 GB. */
static const char cluster[] =
    "{\"nodes\": [{\"count\": 1, \"gpus\": 1, \"cpus\": 24, \"mem_mib\": 512000}]}";

static void more_later(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_host(p, script_handle[0], 3000, 64000);
        hs_plan_start_on_node(p, script_handle[0], 0);
        hs_plan_timer(p, 100 * S, 0);
    } else if (hs_view_now_us(v) == 100 * S) {
        hs_plan_preempt(p, script_handle[0], 0);
        hs_plan_host(p, script_handle[0], 12000, 128000);
        hs_plan_start_on_node(p, script_handle[0], 0);
    }
}

/* M5: 100 s at 1, then 2: the other 200 s take 100 s. */
static void a_job_follows_its_allotment(void **state)
{
    (void)state;
    static const struct hs_test_job job = {.gpus = 1, .duration_s = 300, .profile = 1 + M5};
    struct hs_test_result r;
    script_options.host = host;
    const char *path = scratch_write("host-cluster.json", cluster, strlen(cluster));
    assert_int_equal(
        script_play(&job, 1, path, HS_CAN_HOST | HS_CAN_PREEMPT | HS_CAN_TIME, more_later, &r),
        HS_OK);
    script_options.host = NULL;
    assert_int_equal(r.jobs[0].end_us, 200 * S);
    assert_int_equal(r.jobs[0].done_ns, 300 * S * 1000);
    assert_int_equal(r.jobs[0].migrations + r.jobs[0].preemptions, 0);
    hs_test_free(&r);
}

#define HEAD "{\"kind\": \"host\", \"format\": 2, "

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD "\"grids\": []}", "grids"},
        {HEAD "\"grids\": [1]}", "a grid must be an object"},
        {HEAD "\"grids\": [{\"model\": \"A\", \"cpus\": [2, 1], \"mem_mib\": [1], \"speed\": "
              "[[1, 1]]}]}",
         "cpus are at most 16 numbers above 0, ascending"},
        {HEAD "\"grids\": [{\"model\": \"A\", \"cpus\": [1, 2], \"mem_mib\": [1], \"speed\": "
              "[[1]]}]}",
         "speed is a list of 1 lists of 2 numbers"},
        {HEAD "\"grids\": [{\"model\": \"A\", \"cpus\": [1], \"mem_mib\": [1], \"speed\": "
              "[[-1]]}]}",
         "speed is a list of 1 lists of 1 numbers"},
        {HEAD "\"grids\": [{\"model\": \"A\", \"cpus\": [1], \"mem_mib\": [1], \"speed\": [[1]]},"
              "{\"model\": \"a\", \"cpus\": [1], \"mem_mib\": [1], \"speed\": [[1]]}]}",
         "model 'a' appears twice"},
        {HEAD "\"grid\": []}", "unknown key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_host *bad;
        sink_init(&sink);
        const char *path = scratch_write("bad.json", cases[i].text, strlen(cases[i].text));
        assert_int_equal(hs_host_load(&bad, path, &catalogue, &sink.diag), HS_E_INPUT);
        hs_host_free(bad);
        if (strstr(sink.text, cases[i].message) == NULL)
            fail_msg("%s gives %s", cases[i].text, sink.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_points),
        cmocka_unit_test(between_points),
        cmocka_unit_test(a_job_follows_its_allotment),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
