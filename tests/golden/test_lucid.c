/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lucid on clusters small enough to verify on paper. L-numbers are the micro-scenarios of the
 * design, LN-numbers results that must not appear. Nodes have 8 GPUs. Beside a job of kind A or B a
 * job runs at the speeds of that pair, beside any other at one speed; the capacity of a GPU does
 * not limit them.
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

#define JOBS_MAX 32

struct lucid_job {
    uint32_t gpus;
    int64_t submit_s, run_s, predicted_s;
    char kind;        /* A, B: score 0; 0, 1, 2: that score */
    uint32_t mem_mib; /* 0: 1,000 */
};

struct times {
    double start_s, end_s; /* of the last placement */
};

static const char kinds[] = "AB012";
static const char profiles[] = "model,dataset,batch,precision,util,mem_mib,sharing_score\n"
                               "A,d,1,fp32,0,1000,0\nB,d,1,fp32,0,1000,0\n0,d,1,fp32,0,1000,0\n"
                               "1,d,1,fp32,0,1000,1\n2,d,1,fp32,0,1000,2\n";
static double speed_a = 1, speed_b = 1, speed = 1;
static struct sink sink;
static struct hs_test_result result;

static double speed_of(int own, int other)
{
    return own == 0 && other == 1 ? speed_a : own == 1 && other == 0 ? speed_b : speed;
}

/* S of each kind beside each other kind; a co-runner never raises a job's speed. */
static struct hs_interference *truth(const struct hs_catalogue *catalogue)
{
    static const struct hs_interference_type type = {.gpu = "GPU"};
    const struct hs_interference_options options = {.gamma = 1, .capacity = INFINITY};
    struct hs_interference *m;
    char text[4096];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "{\"kind\": \"interference\", \"format\": 2, \"forms\": [{\"gpu\": \"GPU\", \"mode\": "
        "\"timeslice\", \"k\": 0, \"alpha\": 1, \"beta\": 1}], \"tables\": [{\"gpu\": \"GPU\", "
        "\"mode\": \"timeslice\", \"form\": \"rank-1\", \"jobs\": [");
    for (int i = 0; kinds[i] != '\0'; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "%s{\"profile\": \"%c/d/1/fp32\", \"a\": 0, \"b\": 0}",
                               i > 0 ? ", " : "", kinds[i]);
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"pairs\": [");
    for (int i = 0; kinds[i] != '\0'; i++)
        for (int k = 0; kinds[k] != '\0'; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s[%d, %d, %.17g]",
                                   i + k > 0 ? ", " : "", i, k, 1 / fmin(1, speed_of(i, k)));
    (void)snprintf(text + at, sizeof text - at, "]}]}");
    const char *path = scratch_write("truth.json", text, strlen(text));
    sink_init(&sink);
    if (hs_interference_load(&m, path, catalogue, &options, &type, 1, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return m;
}

/* Adds what compat=lucid needs: the speeds, for a guest and for a host alike, and a cluster of GPUs
 * of speed 2. */
static void prepare_compat(char *policy, size_t size, char cluster[256], uint32_t nodes)
{
    char text[1024] = "", path[256];
    const int count = (int)sizeof kinds - 1;
    for (int i = 0; i < 2 * count * count; i++) {
        const size_t len = strlen(text);
        (void)snprintf(text + len, sizeof text - len, "%g\n",
                       speed_of(i / count % count, i % count));
    }
    scratch_keep(path, sizeof path, "speeds.csv", text);
    const size_t len = strlen(policy);
    (void)snprintf(policy + len, size - len, ",compat_speeds=%s", path);
    (void)snprintf(text, sizeof text,
                   "{\"gpu_types\": {\"X\": {\"speed\": 2}}, \"nodes\": [{\"count\": %u, "
                   "\"gpus\": 8, \"type\": \"X\"}]}",
                   nodes);
    scratch_keep(cluster, 256, "cluster.json", text);
}

static void play(const char *cluster, const char *params, const struct lucid_job *jobs,
                 uint32_t count)
{
    struct hs_test_job of_run[JOBS_MAX];
    char estimates[1024] = "job_id,estimate\n", path[256], policy[1024], file[256];
    const bool is_compat = strstr(params, "compat=lucid") != NULL;
    struct hs_catalogue catalogue;
    assert_true(count <= JOBS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        of_run[i] =
            (struct hs_test_job){.gpus = jobs[i].gpus,
                                 .submit_s = jobs[i].submit_s,
                                 .duration_s = jobs[i].run_s,
                                 .gpu_mem_mib = jobs[i].mem_mib > 0 ? jobs[i].mem_mib : 1000,
                                 .profile = 1 + (uint32_t)(strchr(kinds, jobs[i].kind) - kinds)};
        const size_t len = strlen(estimates);
        (void)snprintf(estimates + len, sizeof estimates - len, "%u,%d\n", i,
                       (int)jobs[i].predicted_s);
    }
    scratch_keep(path, sizeof path, "estimates.csv", estimates);
    (void)snprintf(policy, sizeof policy, "lucid:pred=file,pred_file=%s,score=table,%s", path,
                   params);
    if (is_compat) {
        prepare_compat(policy, sizeof policy, file, (uint32_t)(cluster[0] - '0'));
        cluster = file;
    }
    assert_int_equal(hs_catalogue_load(&catalogue,
                                       scratch_write("p.csv", profiles, sizeof profiles - 1),
                                       &sink.diag),
                     HS_OK);
    struct hs_interference *m = truth(&catalogue);
    const struct hs_test_options options = {.catalogue = &catalogue,
                                            .interference = is_compat ? NULL : m};
    if (hs_test_run_with(of_run, count, cluster, policy, &options, &result) != HS_OK)
        fail_msg("%s", result.message);
    hs_interference_free(m);
    hs_catalogue_free(&catalogue);
}

static struct times times_of(uint32_t job)
{
    struct times t = {-1, -1};
    for (uint32_t i = 0; i < result.segment_count; i++)
        if (result.segments[i].job == job)
            t = (struct times){(double)result.segments[i].start_us / 1e6,
                               (double)result.segments[i].end_us / 1e6};
    return t;
}

/* To the second decimal, as the design has them: speeds are rounded to 2^-20. */
static bool are_times(const struct times *expected, uint32_t count)
{
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct times t = times_of(i);
        same = same && fabs(t.start_s - expected[i].start_s) < .011 &&
               fabs(t.end_s - expected[i].end_s) < .011;
    }
    return same;
}

static void expect(const char *cluster, const char *params, const struct lucid_job *jobs,
                   uint32_t count, const struct times *expected)
{
    play(cluster, params, jobs, count);
    for (uint32_t i = 0; i < count && !are_times(expected, count); i++)
        print_error("job %u: %.2f to %.2f, not %.2f to %.2f\n", i + 1, times_of(i).start_s,
                    times_of(i).end_s, expected[i].start_s, expected[i].end_s);
    assert_true(are_times(expected, count));
    hs_test_free(&result);
}

static void expect_not(const char *cluster, const char *params, const struct lucid_job *jobs,
                       uint32_t count, const struct times *wrong)
{
    play(cluster, params, jobs, count);
    assert_false(are_times(wrong, count));
    hs_test_free(&result);
}

static void speeds(double a, double b, double other)
{
    speed_a = a;
    speed_b = b;
    speed = other;
}

#define KNOWN    "profile=known"
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define EXPECT(cluster, params, jobs, ...)                                                         \
    expect(cluster, params, jobs, COUNT(jobs), (const struct times[]){__VA_ARGS__})
#define EXPECT_NOT(cluster, params, jobs, ...)                                                     \
    expect_not(cluster, params, jobs, COUNT(jobs), (const struct times[]){__VA_ARGS__})

/* L1: one node for profiles, one for the cluster. Fewest GPUs first: 2 [0, 200) and evicted, 1
 * [200, 300] and done, 3 [300, 500) and evicted. LN3, LN4: no job is on both nodes at once, and the
 * time of the profile counts. */
static void l1_profiler(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {
        {8, 0, 100, 100, 'A', 0}, {1, 0, 1000, 1000, 'A', 0}, {8, 0, 500, 500, 'A', 0}};
    static const struct lucid_job one[] = {{8, 0, 300, 300, 'A', 0}};
    speeds(1, 1, 1);
    EXPECT("1x8", "profile_nodes=1", one, {0, 300}); /* the last node of its kind stays */
    EXPECT("2x8", "profile_nodes=1", jobs, {200, 300}, {200, 1200}, {1200, 1700});
    EXPECT_NOT("2x8", "profile_nodes=1", jobs, {200, 300}, {0, 1000}, {1000, 1500});
    play("2x8", "profile_nodes=1", jobs, COUNT(jobs));
    assert_int_equal(result.jobs[0].start_us, 200 * HS_TEST_S);
    assert_int_equal(result.jobs[1].start_us, 0);
    assert_int_equal(result.jobs[2].lost_ns, 200 * HS_TEST_S * 1000);
    const uint64_t *counts = result.instants[result.instant_count - 1].policy_counter;
    assert_int_equal(counts[HS_POLICY_COUNTER_PROFILED], 2);
    assert_int_equal(counts[HS_POLICY_COUNTER_PROFILE_ENDED], 1);
    assert_int_equal(counts[HS_POLICY_COUNTER_PROFILE_GPU_US],
                     (200 * 1 + 100 * 8 + 200 * 8) * HS_TEST_S);
    hs_test_free(&result);
    /* keep=yes: 800 of the 1,000 s are left, and 300 of the 500 */
    EXPECT("2x8", "profile_nodes=1,keep=yes", jobs, {200, 300}, {200, 1000}, {1000, 1300});
    /* a longer profile: 2 has its node to itself until 300, where it is evicted */
    EXPECT("2x8", "profile_nodes=1,profile_time=300s", jobs, {300, 400}, {300, 1300}, {1300, 1800});
}

/* L2: 1 ends 10 + 490 / .982; by then 2 has done .91 of the time, and goes on at speed 1. In the
 * mirrored case the guest ends first. LN2: the job left does not keep its slow speed. */
static void l2_pair(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {{8, 0, 500, 1000, 'A', 0}, {8, 10, 1000, 1000, 'B', 0}};
    static const struct lucid_job mirror[] = {{8, 0, 1000, 1000, 'A', 0},
                                              {8, 10, 500, 1000, 'B', 0}};
    speeds(.982, .91, 1);
    EXPECT("1x8", KNOWN, jobs, {0, 508.98}, {10, 1054.91});
    EXPECT_NOT("1x8", KNOWN, jobs, {0, 508.98}, {10, 10 + 1000 / .91});
    EXPECT("1x8", KNOWN, mirror, {0, 1009.89}, {10, 559.45});
}

/* L3: 2 + 1 > 2, so 3 passes. A pair takes no third job; 3 joins 2 when that is alone again. */
static void l3_scores(void **state)
{
    (void)state;
    struct lucid_job jobs[] = {
        {8, 0, 1000, 1000, '2', 0}, {8, 10, 1000, 1000, '1', 0}, {8, 20, 100, 1000, '0', 0}};
    speeds(1, 1, .9);
    EXPECT("1x8", KNOWN, jobs, {0, 1011.11}, {1011.11, 2011.11}, {20, 131.11});
    EXPECT("1x8", KNOWN ",capacity=1", jobs, {0, 1000}, {1000, 2011.11}, {1000, 1111.11});
    jobs[0].kind = '1';
    EXPECT("1x8", KNOWN, jobs, {0, 1110}, {10, 1121.11}, {1110, 1211.11});
}

/* L4: the ratio of predictions is at most 2. L5: memory together is less than that of a GPU. */
static void l4_l5_ratio_and_memory(void **state)
{
    (void)state;
    struct lucid_job jobs[] = {{8, 0, 1000, 1000, 'A', 0}, {8, 10, 500, 2000, 'B', 0}};
    speeds(1, 1, 1);
    EXPECT("1x8", KNOWN, jobs, {0, 1000}, {10, 510});
    jobs[1].predicted_s = 2001;
    EXPECT("1x8", KNOWN, jobs, {0, 1000}, {1000, 1500});
    EXPECT("1x8", KNOWN ",packing=naive", jobs, {0, 1000}, {10, 510});
    jobs[1].predicted_s = 1000;
    jobs[0].mem_mib = 14000;
    jobs[1].mem_mib = 10575;
    EXPECT("1x8", KNOWN, jobs, {0, 1000}, {10, 510});
    jobs[1].mem_mib = 10576;
    EXPECT("1x8", KNOWN, jobs, {0, 1000}, {1000, 1500});
}

/* L6: a GPU has no third job. */
static void l6_two_at_most(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {
        {8, 0, 1000, 1000, 'A', 0}, {8, 10, 600, 1000, 'A', 0}, {8, 20, 600, 1000, 'A', 0}};
    speeds(1, 1, 1);
    EXPECT("1x8", KNOWN, jobs, {0, 1000}, {10, 610}, {610, 1210});
}

/* L7: a job that does not fit is skipped with sharing on, and stops the scan with sharing off. L8:
 * gangs larger than a node share no GPU. */
static void l7_l8_scan_and_gangs(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {
        {8, 0, 1000, 1000, '2', 0}, {16, 10, 100, 100, '2', 0}, {8, 20, 300, 300, '2', 0}};
    static const struct lucid_job gangs[] = {{16, 0, 1000, 1000, '0', 0},
                                             {16, 0, 100, 1000, '0', 0}};
    speeds(1, 1, 1);
    EXPECT("2x8", KNOWN, jobs, {0, 1000}, {1000, 1100}, {20, 320});
    EXPECT("2x8", KNOWN ",sharing=off", jobs, {0, 1000}, {1000, 1100}, {1100, 1400});
    EXPECT("2x8", KNOWN, gangs, {0, 1000}, {1000, 1100});
}

/* L9: a host is taken before an idle node. */
static void l9_pack_first(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {{8, 0, 900, 900, 'A', 0}, {8, 10, 900, 900, 'B', 0}};
    speeds(.9, .9, .9);
    EXPECT("2x8", KNOWN, jobs, {0, 998.89}, {10, 1008.89});
    EXPECT("2x8", KNOWN ",first=exclusive", jobs, {0, 900}, {10, 910});
}

/* L10: sharing is off until the first check at 100 s, on from then on. Where two jobs or fewer are
 * expected it stays off. */
static void l10_adaptive(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {{8, 0, 1000, 1000, 'A', 0}, {8, 10, 500, 500, 'B', 0}};
    char path[256], params[512];
    speeds(.9, .9, .9);
    scratch_keep(path, sizeof path, "forecast.csv", "jobs\n9\n9\n9\n9\n9\n9\n");
    (void)snprintf(params, sizeof params, KNOWN ",sharing=adapt,forecast_file=%s", path);
    EXPECT("1x8", params, jobs, {0, 1055.56}, {100, 655.56});
    scratch_keep(path, sizeof path, "forecast.csv", "jobs\n2\n2\n2\n2\n2\n2\n");
    EXPECT("1x8", params, jobs, {0, 1000}, {1000, 1500});
}

/* Without a file: after seven days the 5 submissions of the last hour, and the 20 that the day
 * before had in the next 20 minutes, give .5 x 5 / 6 + .5 x 20 / (5 x 7) = .702 for each 600 s to
 * come. Two jobs share GPUs if that is more than `low`; 600 s later the last hour has two more,
 * .869. */
static void hour_and_week(void **state)
{
    const int64_t at_s = 7 * 86400;
    struct lucid_job jobs[28] = {{1, 0, 1, 1, 'A', 0}};
    (void)state;
    for (int64_t i = 0; i < 25; i++)
        jobs[1 + i] = (struct lucid_job){1, at_s - (i < 20 ? 86400 - 1200 : 1800), 1, 1, 'A', 0};
    jobs[26] = (struct lucid_job){8, at_s, 1000, 1000, 'A', 0};
    jobs[27] = (struct lucid_job){8, at_s + 10, 500, 500, 'B', 0};
    speeds(.9, .9, .9);
    play("1x8", KNOWN ",sharing=adapt,low=0.7", jobs, 28);
    assert_int_equal(times_of(27).start_s, at_s + 10);
    hs_test_free(&result);
    play("1x8", KNOWN ",sharing=adapt,low=0.71", jobs, 28);
    assert_int_equal(times_of(27).start_s, at_s + 600);
    hs_test_free(&result);
}

/* L11: 2 is first by its key; 1 may not be its guest (1000 > 200), 3 may (200 <= 200). */
static void l11_order_and_ratio(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {
        {8, 0, 1000, 1000, 'A', 0}, {8, 0, 90, 100, 'A', 0}, {8, 5, 180, 200, 'A', 0}};
    speeds(1, 1, .9);
    EXPECT("1x8", KNOWN, jobs, {194.44, 1194.44}, {0, 99.44}, {5, 194.44});
}

/* L12: 2 is first, 1 its guest, 3 on the other four GPUs; 4 waits: no host has two GPUs. */
static void l12_gangs_of_a_node(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {{4, 0, 1000, 1000, 'A', 0},
                                            {4, 0, 500, 500, 'A', 0},
                                            {4, 10, 500, 400, 'A', 0},
                                            {2, 20, 100, 100, 'A', 0}};
    speeds(1, 1, .8);
    EXPECT("1x8", KNOWN, jobs, {0, 1125}, {0, 625}, {10, 510}, {510, 610});
}

/* L13: speeds of 1.1 beside another job count as 1. LN5. */
static void l13_no_speed_up(void **state)
{
    (void)state;
    static const struct lucid_job jobs[] = {{8, 0, 1000, 1000, 'A', 0}, {8, 10, 500, 1000, 'B', 0}};
    speeds(.9, 1, 1);
    EXPECT("1x8", KNOWN, jobs, {0, 1050}, {10, 510});
    EXPECT_NOT("1x8", KNOWN, jobs, {0, 1050}, {10, 10 + 500 / 1.1});
}

/* L14: 19 wait, so the idle node is lent at 0; pairs end at 200, 400, ..., 2000, when it is
 * returned; no node is in two places (LN6: the engine refuses). If the lender is in use until
 * 1,000, five jobs are profiled by then, and five pairs and one after it. */
static void l14_loan(void **state)
{
    (void)state;
    struct lucid_job jobs[21];
    char path[256], params[512];
    speeds(1, 1, 1);
    for (uint32_t i = 0; i < 20; i++)
        jobs[i] = (struct lucid_job){8, 0, 1000, 1000, 'A', 0};
    scratch_keep(path, sizeof path, "forecast.csv", "0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n");
    (void)snprintf(params, sizeof params, "profile_nodes=1,sharing=off,scale=yes,forecast_file=%s",
                   path);
    play("2x8", params, jobs, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(result.jobs[i].start_us, i / 2 * 200 * HS_TEST_S);
    assert_true(times_of(0).start_s == 2000);
    hs_test_free(&result);
    for (uint32_t i = 0; i < 20; i++)
        jobs[i + 1] = (struct lucid_job){8, 1, 1000, 1000, 'A', 0};
    jobs[0] = (struct lucid_job){16, 0, 1000, 1000, 'A', 0};
    play("3x8", params, jobs, 21);
    for (uint32_t i = 0; i < 20; i++) {
        const int64_t own_s = 1 + 200 * (i < 5 ? i : 5 + (i - 6) / 2);
        const int64_t lent_s = 1000 + 200 * ((i - 5) / 2);
        assert_int_equal(result.jobs[i + 1].start_us,
                         (i >= 5 && i % 2 == 1 ? lent_s : own_s) * HS_TEST_S);
    }
    hs_test_free(&result);
}

/* Jobs of one GPU, profiled for 20 s. At 600 12 are submitted, and the second node is lent; the
 * last two are profiled until 720. At 800 it is returned, and the first of the 12 starts, if no
 * more than 5 x limit = 5 GPUs are expected in each 600 s: as many as were submitted in the first.
 * With 6 it stays lent until 2,400: 6 + 12 are 6 in each of three times 600 s at 1,800, and 4.5
 * then. */
static void a_loan_ends_by_what_came(void **state)
{
    (void)state;
    speeds(1, 1, 1);
    for (uint32_t early = 5; early <= 6; early++) {
        struct lucid_job jobs[18];
        for (uint32_t i = 0; i < early + 12; i++)
            jobs[i] = i < early ? (struct lucid_job){1, 0, 1, 1, 'A', 0}
                                : (struct lucid_job){1, 600, 1000, 1000, 'A', 0};
        play("2x1", "profile_nodes=1,profile_time=20s,limit=1,sharing=off,scale=yes", jobs,
             early + 12);
        assert_int_equal(times_of(early).start_s, early == 5 ? 800 : 2400);
        hs_test_free(&result);
    }
}

/* The lines of the design for compat=lucid: every run is a second too long, profiles are free and
 * run beside the job, guests stay slow, speeds exceed 1. Without compat none of these appears
 * (LN1). */
#define COMPAT ",compat=lucid"
#define EXPECT_COMPAT(cluster, params, jobs, ...)                                                  \
    EXPECT(cluster, params COMPAT, jobs, __VA_ARGS__);                                             \
    EXPECT_NOT(cluster, params, jobs, __VA_ARGS__)
static void compat_lines(void **state)
{
    (void)state;
    static const struct lucid_job l1[] = {
        {8, 0, 100, 100, 'A', 0}, {1, 0, 1000, 1000, 'A', 0}, {8, 0, 500, 500, 'A', 0}};
    static const struct lucid_job l2[] = {{8, 0, 500, 1000, 'A', 0}, {8, 10, 1000, 1000, 'B', 0}};
    static const struct lucid_job mirror[] = {{8, 0, 1000, 1000, 'A', 0},
                                              {8, 10, 500, 1000, 'B', 0}};
    static const struct lucid_job l3[] = {
        {8, 0, 1000, 1000, '2', 0}, {8, 10, 1000, 1000, '1', 0}, {8, 20, 100, 1000, '0', 0}};
    static const struct lucid_job l9[] = {{8, 0, 900, 900, 'A', 0}, {8, 10, 900, 900, 'B', 0}};
    static const struct lucid_job l11[] = {
        {8, 0, 1000, 1000, 'A', 0}, {8, 0, 90, 100, 'A', 0}, {8, 5, 180, 200, 'A', 0}};
    static const struct lucid_job l12[] = {{4, 0, 1000, 1000, 'A', 0}, {4, 0, 500, 500, 'A', 0}};
    speeds(1, 1, 1);
    EXPECT_COMPAT("2x8", "profile_nodes=1", l1, {200, 300}, {0, 1001}, {1001, 1502});
    speeds(.982, .91, 1);
    EXPECT_COMPAT("1x8", KNOWN, l2, {0, 510}, {10, 1110});
    EXPECT_COMPAT("1x8", KNOWN, mirror, {0, 1011}, {10, 561});
    speeds(.9, .9, .9);
    EXPECT_COMPAT("1x8", KNOWN, l3, {0, 1013}, {1013, 2014}, {20, 133});
    EXPECT_COMPAT("2x8", KNOWN, l9, {0, 1000}, {10, 1012});
    EXPECT_COMPAT("1x8", KNOWN, l11, {206, 1207}, {0, 101}, {5, 206});
    speeds(.9, 1.1, 1);
    EXPECT_COMPAT("1x8", KNOWN, mirror, {0, 1047}, {10, 466});
    speeds(1, 1, .8);
    EXPECT_COMPAT("1x8", KNOWN, l12, {0, 1252}, {0, 626});
}

/* Causality: the result of a profile changes nothing before its end. Each of 20 jobs in turn is
 * made to disturb others or not; this changes many schedules, but nothing that starts before the
 * profile of that job has ended. */
static void a_profile_tells_when_it_ends(void **state)
{
    (void)state;
    struct lucid_job jobs[20];
    uint32_t changes = 0;
    speeds(1, 1, .9);
    for (uint32_t i = 0; i < COUNT(jobs); i++)
        jobs[i] = (struct lucid_job){
            1u << i % 4,  40 * i, 150 + 1500 * (i * 7 % 5), 1000 + 500 * (i * 3 % 4),
            "012"[i % 3], 0};
    for (uint32_t changed = 0; changed < COUNT(jobs); changed++) {
        play("3x8", "profile_nodes=1", jobs, COUNT(jobs));
        struct hs_test_result before = result;
        /* The end of its profile; a job that ends during its profile has no result. */
        int64_t end_us = INT64_MAX;
        for (uint32_t i = 0; i < before.segment_count; i++)
            if (before.segments[i].job == changed &&
                before.segments[i].ended_by == HS_SEGMENT_PROFILE)
                end_us = before.segments[i].end_us;
        jobs[changed].kind = jobs[changed].kind == '2' ? '0' : '2';
        play("3x8", "profile_nodes=1", jobs, COUNT(jobs));
        for (uint32_t i = 0; i < before.segment_count && i < result.segment_count; i++) {
            const struct hs_test_segment *a = &before.segments[i], *b = &result.segments[i];
            const bool is_same = a->job == b->job && a->start_us == b->start_us;
            changes += !is_same;
            if (a->end_us < end_us && !is_same)
                fail_msg("the kind of job %u changes a start before its profile", changed);
        }
        hs_test_free(&before);
        hs_test_free(&result);
    }
    assert_true(changes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l1_profiler),         cmocka_unit_test(l2_pair),
        cmocka_unit_test(l3_scores),           cmocka_unit_test(l4_l5_ratio_and_memory),
        cmocka_unit_test(l6_two_at_most),      cmocka_unit_test(l7_l8_scan_and_gangs),
        cmocka_unit_test(l9_pack_first),       cmocka_unit_test(l10_adaptive),
        cmocka_unit_test(l11_order_and_ratio), cmocka_unit_test(l12_gangs_of_a_node),
        cmocka_unit_test(l13_no_speed_up),     cmocka_unit_test(l14_loan),
        cmocka_unit_test(hour_and_week),       cmocka_unit_test(a_loan_ends_by_what_came),
        cmocka_unit_test(compat_lines),        cmocka_unit_test(a_profile_tells_when_it_ends),
    };
    return cmocka_run_group_tests_name("policies/lucid", tests, scratch_open, scratch_close);
}
