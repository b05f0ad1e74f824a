/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Synergy on servers of 8 GPUs, 24 CPUs and 500 GB, unless stated otherwise. S-numbers are the
 * micro-scenarios of the design, SN-numbers results that must not appear; speeds are those of
 * configs/models/host.json: ResNet18 is fastest, 2.4, with 9 CPUs, GNMT needs one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/run.h"
#include "support/sink.h"

#define S HS_TEST_S

enum { RES18 = 1, GNMT, ALEXNET, M5, DEEPSPEECH, MODELS };

static const char rows[] = "model,dataset,batch,precision,family\n"
                           "ResNet18,D,32,fp32,F\n"
                           "GNMT,D,32,fp32,F\n"
                           "AlexNet,D,32,fp32,F\n"
                           "M5,D,32,fp32,F\n"
                           "DeepSpeech2,D,32,fp32,F\n";

static struct sink sink;
static struct hs_catalogue catalogue;
static struct hs_host *tables, *binary;
static struct hs_test_result result;

static int set_up(void **state)
{
    (void)scratch_open(state);
    sink_init(&sink);
    if (hs_catalogue_load(&catalogue, scratch_write("profiles.csv", rows, sizeof rows - 1),
                          &sink.diag) != HS_OK ||
        hs_host_load(&tables, "builtin:models/host.json", &catalogue, &sink.diag) != HS_OK ||
        hs_host_load(&binary, "builtin:models/host-binary.json", &catalogue, &sink.diag) != HS_OK) {
        print_error("%s", sink.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    hs_host_free(tables);
    hs_host_free(binary);
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

struct servers {
    uint32_t count, gpus, cpus, mem_mib;
};
static const struct servers one = {1, 8, 24, 512000}, two = {2, 8, 24, 512000};

static void play_on(struct servers servers, const struct hs_host *host, const char *policy,
                    const struct hs_test_job *jobs, uint32_t count)
{
    char shape[128];
    const int length =
        snprintf(shape, sizeof shape,
                 "{\"nodes\": [{\"count\": %u, \"gpus\": %u, \"cpus\": %u, \"mem_mib\": %u}]}",
                 servers.count, servers.gpus, servers.cpus, servers.mem_mib);
    const char *cluster = scratch_write("servers.json", shape, (size_t)length);
    const struct hs_test_options options = {.host = host, .catalogue = &catalogue};
    if (hs_test_run_with(jobs, count, cluster, policy, &options, &result) != HS_OK)
        fail_msg("%s: %s", policy, result.message);
}

/* Speeds are rounded to 2^-32, ends up to a microsecond. */
static bool ends_at(uint32_t job, double end_s)
{
    const double is_s = (double)result.jobs[job].end_us / 1e6;
    if (fabs(is_s - end_s) < 3e-6)
        return true;
    print_error("job %u ends at %.6f, not %.6f\n", job, is_s, end_s);
    return false;
}

/* S1: 2,000 steps of .64 s, and 5,000 of .12 s. */
static const struct hs_test_job s1[] = {
    {.gpus = 1, .duration_s = 1280, .profile = RES18},
    {.gpus = 1, .duration_s = 1280, .profile = RES18},
    {.gpus = 1, .duration_s = 1280, .profile = RES18},
    {.gpus = 1, .duration_s = 1280, .profile = RES18},
    {.gpus = 1, .duration_s = 600, .profile = GNMT},
    {.gpus = 1, .duration_s = 600, .profile = GNMT},
    {.gpus = 1, .duration_s = 600, .profile = GNMT},
    {.gpus = 1, .duration_s = 600, .profile = GNMT},
};

static void expect_s1(const char *policy, const double ends_s[4])
{
    play_on(one, tables, policy, s1, 8);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(ends_at(i, ends_s[i]));
        assert_true(ends_at(4 + i, 600));
        assert_int_equal(result.jobs[i].preemptions + result.jobs[i].migrations, 0);
    }
    hs_test_free(&result);
}

/* Greedy: two at 9 CPUs, the others from 600 on (SN1: not whole rounds, 600 and 1200, nor under
 * fair 1500). Tune: 0 is cut to 3 CPUs for GNMT, 1 keeps 9; at 600 jobs 0 and 2 get 9, 3 has 680 s
 * left, gets 3 and at 900, with 380 s left, 9. */
static void the_three_mechanisms(void **state)
{
    (void)state;
    expect_s1("synergy:mechanism=fair", (const double[]){1280, 1280, 1280, 1280});
    expect_s1("synergy:mechanism=greedy",
              (const double[]){1280 / 2.4, 1280 / 2.4, 600 + 1280 / 2.4, 600 + 1280 / 2.4});
    expect_s1("synergy",
              (const double[]){600 + 680 / 2.4, 1280 / 2.4, 600 + 680 / 2.4, 900 + 380 / 2.4});
}

/* Opt: ResNet18 gets 5 CPUs each, 1.53, GNMT one: 10.12 in all, against 9.4 of tune; from 600 s on
 * four of ResNet18 have 6 each, 1.75. */
static void the_integer_program(void **state)
{
    (void)state;
    const double end_s = 600 + (1280 - 600 * 1.53) / 1.75;
    expect_s1("synergy:mechanism=opt", (const double[]){end_s, end_s, end_s, end_s});
}

static double speed_of(struct servers servers, const struct hs_host *host, const char *policy,
                       struct hs_test_job job)
{
    job.duration_s = 1000;
    play_on(servers, host, policy, &job, 1);
    const double run_s = (double)result.jobs[0].run_us / 1e6;
    hs_test_free(&result);
    return 1000 / run_s;
}

static void expect_speed(struct servers servers, const struct hs_host *host, const char *policy,
                         struct hs_test_job job, double speed)
{
    const double is = speed_of(servers, host, policy, job);
    if (fabs(is - speed) > 1e-6)
        fail_msg("%s: speed %.9f, not %.9f", policy, is, speed);
}

/* S2: M5 with 12 CPUs and 62.5, 125, 187.5 GB. S3: ResNet18 with 9 CPUs and 20 GB. S5: 4 GPUs of
 * AlexNet ask for 48 CPUs and 500 GB, and get 24: 6 a GPU are 1.75 by the table, and on the line
 * from (3, 1) to (12, 2.94) 1 + 1.94 / 36 x 12. */
static void speeds(void **state)
{
    (void)state;
    const char *fair = "synergy:mechanism=fair";
    const struct hs_test_job m5 = {.gpus = 1, .profile = M5}, res18 = {.gpus = 1, .profile = RES18};
    const struct hs_test_job alexnet = {.gpus = 4, .profile = ALEXNET};
    expect_speed((struct servers){1, 1, 12, 64000}, tables, fair, m5, 1.5);
    expect_speed((struct servers){1, 1, 12, 128000}, tables, fair, m5, 2);
    expect_speed((struct servers){1, 1, 12, 192000}, tables, fair, m5, 2.5);
    expect_speed((struct servers){1, 1, 9, 20480}, tables, fair, res18, .1);
    expect_speed(one, tables, "synergy", alexnet, 1.75);
    expect_speed(one, binary, "synergy", alexnet, 1 + 1.94 / 36 * 12);
    expect_speed(one, binary, "synergy:mechanism=greedy", alexnet, 1 + 1.94 / 36 * 12);
    expect_speed(one, tables, "synergy", m5, 2.5); /* the best of 6 CPUs and 187.5 GB */
}

/* S4: 7 GPUs of each server hold their part; 9 CPUs a GPU of ResNet18 fit nowhere, 3 do as 1 + 1.
 * Greedy waits until the others end. */
static void a_gang_in_parts(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 7, .duration_s = 900, .profile = DEEPSPEECH},
                                       {.gpus = 7, .duration_s = 900, .profile = DEEPSPEECH},
                                       {.gpus = 2, .duration_s = 600, .profile = RES18}};
    play_on(two, tables, "synergy", jobs, 3);
    assert_int_equal(result.segments[0].gpu_count, 2); /* the first to end, at speed 1 */
    assert_int_equal(result.segments[0].gpus[0], 7);
    assert_int_equal(result.segments[0].gpus[1], 15);
    assert_true(ends_at(2, 600));
    hs_test_free(&result);
    play_on(two, tables, "synergy:mechanism=greedy", jobs, 3);
    assert_true(ends_at(2, 900 + 600 / 2.4));
    hs_test_free(&result);
}

/* SN2: two of ResNet18 take 18 CPUs, the other two wait and hold no GPU: six of GNMT run. */
static void a_waiting_job_holds_no_gpu(void **state)
{
    (void)state;
    struct hs_test_job jobs[10];
    memcpy(jobs, s1, sizeof s1);
    jobs[8] = jobs[9] = s1[7];
    play_on(one, tables, "synergy:mechanism=greedy", jobs, 10);
    for (uint32_t i = 4; i < 10; i++)
        assert_true(ends_at(i, 600));
    hs_test_free(&result);
}

/* SN3: tune starts all eight jobs for which there is a GPU, whatever CPUs they ask for; greedy two.
 * The third of greedy waits for the round after the first end, at 533 s: at 300 s nothing has
 * changed. */
static void no_gpu_is_idle(void **state)
{
    (void)state;
    struct hs_test_job jobs[9];
    for (uint32_t i = 0; i < 9; i++)
        jobs[i] = s1[0];
    play_on(one, tables, "synergy", jobs, 9);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(result.jobs[i].start_us, 0);
    /* greedy: two jobs with 9 CPUs leave 6, too few for a third */
    hs_test_free(&result);
    play_on(one, tables, "synergy:mechanism=greedy", jobs, 9);
    assert_int_equal(result.jobs[2].start_us, 600 * S);
    hs_test_free(&result);
}

/* Rounds are at multiples of 300 s: a job submitted at 1 s starts at 300, and its GPUs, free from
 * 310 on, are given at 600 to the job submitted at 300. A job without GPUs starts the clock. */
static void rounds(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.duration_s = 10},
                                       {.gpus = 8, .submit_s = 1, .duration_s = 10},
                                       {.gpus = 8, .submit_s = 300, .duration_s = 50}};
    play_on(one, tables, "synergy", jobs, 3);
    assert_true(ends_at(0, 10) && ends_at(1, 310) && ends_at(2, 650));
    hs_test_free(&result);
}

/* One GPU; a job without GPUs starts the clock, A of 900 s and B of 400 s are submitted at 600.
 * fifo: A, then B from 1500 on.
 * srtf: B until 1000, A from the boundary at 1200 on.
 * las: a tie, A; at 900 A has 300 s, B none; at 1200 both have 300, A; at 1500 A has 600, B 300: B
 * until 1600, A from 1800 to 2100.
 * ftf: a tie, A; at 900 A is at (300 + 600) / 900 = 1, B at (300 + 400) / 400 = 1.75; at 1200 A at
 * 1.33, B at (600 + 100) / 400 = 1.75, until 1300; A from 1500 to 2100. */
static void orders(void **state)
{
    (void)state;
    static const struct servers small = {1, 1, 3, 62500};
    static const struct hs_test_job jobs[] = {
        {.duration_s = 10},
        {.gpus = 1, .submit_s = 600, .duration_s = 900, .profile = GNMT},
        {.gpus = 1, .submit_s = 600, .duration_s = 400, .profile = GNMT}};
    static const struct {
        const char *policy;
        double ends_s[2];
    } cases[] = {{"synergy:order=fifo", {1500, 1900}},
                 {"synergy:order=srtf", {2100, 1000}},
                 {"synergy:order=las", {2100, 1600}},
                 {"synergy:order=ftf", {2100, 1300}}};
    for (uint32_t i = 0; i < 4; i++) {
        play_on(small, tables, cases[i].policy, jobs, 3);
        assert_true(ends_at(1, cases[i].ends_s[0]) && ends_at(2, cases[i].ends_s[1]));
        hs_test_free(&result);
    }
}

/* The jobs of S1 with its steps; a round has whole steps, ends are at boundaries. The GPUs of a job
 * that ends at a boundary are free there, not a round later. */
static void released_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        double ends_s[4];
    } cases[] = {{"synergy:compat=synergy,mechanism=fair", {1500, 1500, 1500, 1500}},
                 {"synergy:compat=synergy,mechanism=greedy", {600, 600, 1200, 1200}},
                 {"synergy:compat=synergy", {900, 600, 900, 1200}}};
    struct hs_test_job jobs[8];
    memcpy(jobs, s1, sizeof s1);
    for (uint32_t i = 0; i < 8; i++)
        jobs[i].step_us = i < 4 ? 640000 : 120000;
    for (uint32_t i = 0; i < 3; i++) {
        play_on(one, tables, cases[i].policy, jobs, 8);
        for (uint32_t k = 0; k < 4; k++)
            assert_true(ends_at(k, cases[i].ends_s[k]) && ends_at(4 + k, 600));
        hs_test_free(&result);
    }
}

static double mean_jct_s(const char *policy, const struct hs_test_job *jobs, uint32_t count)
{
    double sum_s = 0;
    play_on(two, tables, policy, jobs, count);
    for (uint32_t i = 0; i < count; i++)
        sum_s += (double)(result.jobs[i].end_us - jobs[i].submit_s * S) / 1e6;
    hs_test_free(&result);
    return sum_s / count;
}

/* What all runs of the design show, on drawn workloads of 120 jobs on two servers, under each
 * order: the mean JCT of tune is never above that of fair. */
static void tune_is_no_worse_than_fair(void **state)
{
    (void)state;
    enum { JOBS = 120, WORKLOADS = 25 };
    static const char *const orders[] = {"fifo", "las", "srtf", "ftf"};
    static const uint32_t gangs[] = {1, 1, 1, 1, 2, 2, 4, 8};
    for (uint64_t seed = 0; seed < WORKLOADS; seed++) {
        struct hs_test_job jobs[JOBS] = {{.gpus = 0}};
        uint64_t draw = seed;
        int64_t now_s = 0;
        for (uint32_t i = 0; i < JOBS; i++) {
            draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth */
            const uint32_t dice = (uint32_t)(draw >> 33);
            jobs[i] = (struct hs_test_job){.gpus = gangs[dice % 8],
                                           .submit_s = now_s,
                                           .duration_s = 100 + dice / 8 % 20000,
                                           .profile = 1 + dice / 64 % (MODELS - 1)};
            now_s += dice / 1024 % 3000;
        }
        for (uint32_t o = 0; o < 4; o++) {
            char tune[64], fair[64];
            (void)snprintf(tune, sizeof tune, "synergy:order=%s", orders[o]);
            (void)snprintf(fair, sizeof fair, "synergy:order=%s,mechanism=fair", orders[o]);
            const double tuned_s = mean_jct_s(tune, jobs, JOBS),
                         fair_s = mean_jct_s(fair, jobs, JOBS);
            if (tuned_s > fair_s)
                fail_msg("%s, workload %u: %.1f s, fair %.1f s", orders[o], (unsigned)seed, tuned_s,
                         fair_s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_mechanisms),
        cmocka_unit_test(the_integer_program),
        cmocka_unit_test(speeds),
        cmocka_unit_test(a_gang_in_parts),
        cmocka_unit_test(a_waiting_job_holds_no_gpu),
        cmocka_unit_test(no_gpu_is_idle),
        cmocka_unit_test(rounds),
        cmocka_unit_test(orders),
        cmocka_unit_test(released_rounds),
        cmocka_unit_test(tune_is_no_worse_than_fair),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
