/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lower bounds compared with hand calculations, and the relaxed machine compared with a naive
 * simulation that serves one unit of work at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "report/report.c"
#include "support/sink.h"

#define S HS_US_PER_S

struct job {
    int64_t submit_us, work_us;
    uint32_t gpus;
};

static struct hs_gpu_type types[2];
static struct hs_node nodes[2];

/* `slow` GPUs of the reference speed and `fast` GPUs of twice that speed. */
static struct hs_cluster make_cluster(uint32_t slow, uint32_t fast)
{
    types[0] = (struct hs_gpu_type){.name = "A", .speed_q32 = HS_Q32_ONE};
    types[1] = (struct hs_gpu_type){.name = "B", .speed_q32 = 2 * HS_Q32_ONE};
    nodes[0] = (struct hs_node){.gpus = slow, .type = 0};
    nodes[1] = (struct hs_node){.gpus = fast, .first_gpu = slow, .type = 1};
    return (struct hs_cluster){.nodes = nodes,
                               .types = types,
                               .node_count = fast > 0 ? 2 : 1,
                               .gpu_count = slow + fast,
                               .type_count = 2};
}

static struct hs_submission submission_of(const struct job *job, uint64_t index)
{
    return (struct hs_submission){
        .index = index, .work_us = job->work_us, .gpus = job->gpus, .gpu_milli = HS_GPU_MILLI};
}

static void feed(struct hs_bounds *b, const struct hs_cluster *cluster, const struct job *jobs,
                 uint32_t count)
{
    bounds_open(b, cluster, NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct hs_submission job = submission_of(&jobs[i], i);
        bounds_submit(b, jobs[i].submit_us, &job);
    }
    bounds_finish(b);
}

/* One GPU: A (10 s at 0), B (2 s) and C (3 s) at 1. SRPT: A 0-1, B 1-3, C 3-6, A 6-15; JCTs 15, 2
 * and 5, in the mean 22/3; without preemption the mean wait is at least (22 - 15) / 3. */
static void one_gpu_is_srpt(void **state)
{
    (void)state;
    static const struct job jobs[] = {{0, 10 * S, 1}, {1 * S, 2 * S, 1}, {1 * S, 3 * S, 1}};
    struct hs_cluster cluster = make_cluster(1, 0);
    struct hs_bounds b;
    feed(&b, &cluster, jobs, 3);
    assert_true(b.mean_jct_s == 22.0 / 3);
    assert_true(bounds_mean_wait_s(&b, 15 * S) == 7.0 / 3);
    assert_true(b.makespan_work_s == 15);
    assert_true(b.makespan_longest_s == 10);
    bounds_close(&b);
}

/* Four GPUs: three jobs take all of them for 2^60 us each, one more comes after 2^62 us, or 2^64
 * units of the relaxed machine: JCTs of one, two, three times 2^60 and again one. */
static void long_gaps_are_served_whole(void **state)
{
    (void)state;
    const int64_t long_us = INT64_C(1) << 60;
    const struct job jobs[] = {
        {0, long_us, 4}, {0, long_us, 4}, {0, long_us, 4}, {4 * long_us, long_us, 4}};
    struct hs_cluster cluster = make_cluster(4, 0);
    struct hs_bounds b;
    feed(&b, &cluster, jobs, 4);
    assert_true(b.mean_jct_s == 7 * ((double)long_us / 4) / S);
    bounds_close(&b);
}

/* Four GPUs: 2 GPUs x 10 s at 0 and 4 x 1 s at 2: 24 GPU-s take 6 s, but the first job takes 10.
 * The relaxed machine gives JCTs of 6 and 1; isolated run times of 10 and 1 are a higher bound. */
static void wide_clusters_are_bound_by_run_times(void **state)
{
    (void)state;
    static const struct job jobs[] = {{0, 10 * S, 2}, {2 * S, 1 * S, 4}};
    struct hs_cluster cluster = make_cluster(4, 0);
    struct hs_bounds b;
    feed(&b, &cluster, jobs, 2);
    assert_true(b.makespan_work_s == 6);
    assert_true(b.makespan_longest_s == 10);
    assert_true(b.jct_sum == (hs_u128)(7 * S * 4)); /* in units of 1/4 us */
    assert_true(b.mean_jct_s == 5.5);
    assert_true(bounds_mean_wait_s(&b, 11 * S) == 0);
    bounds_close(&b);
}

/* Late work counts from its arrival: 5 s from 100 on; and time starts at the first submission, here
 * 50. */
static void late_work_counts_from_its_arrival(void **state)
{
    (void)state;
    static const struct job jobs[] = {{50 * S, 1 * S, 1}, {100 * S, 2 * S, 1}, {100 * S, 3 * S, 1}};
    struct hs_cluster cluster = make_cluster(1, 0);
    struct hs_bounds b;
    feed(&b, &cluster, jobs, 3);
    assert_true(b.makespan_work_s == 55);
    assert_true(b.makespan_longest_s == 53);
    bounds_close(&b);
}

/* One GPU of speed 1 and one of speed 2 do 3 GPU-s a second; 12 s of work take at least 6. */
static void fast_types_enlarge_capacity(void **state)
{
    (void)state;
    static const struct job jobs[] = {{0, 12 * S, 1}};
    struct hs_cluster cluster = make_cluster(1, 1);
    struct hs_bounds b;
    feed(&b, &cluster, jobs, 1);
    assert_true(b.makespan_work_s == 4);
    assert_true(b.makespan_longest_s == 6);
    assert_true(b.mean_jct_s == 6);
    bounds_close(&b);
}

/* A profile of speed 1 on type A, the trace's reference, and 4 on B, where the cluster states 2;
 * jobs without a profile have the cluster's speeds. A GPU of each has capacity 3. The first job
 * takes 2/4 of it per GPU-second on B and 1 on A: 12 s of work count 6, and end on B after 3 s. The
 * second counts its 12 s, and ends on B after 6. Makespan: 18 / 3 = 6. SRPT: 6 / 3 = 2 and 6, less
 * than 3 + 6 in sum; the mean JCT is at least 4.5. */
static void a_profile_may_be_faster_than_its_type(void **state)
{
    static const char profiles[] = "model,dataset,batch,precision,family\nM,d,1,fp32,F\n";
    static const char speeds[] =
        "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"A\", \"B\"], \"reference\": \"A\",\n"
        " \"jobs\": [{\"profile\": \"M/d/1/fp32\", \"family\": \"F\", \"speed\": {\"A\": 1, \"B\": "
        "4}}],\n"
        " \"families\": [{\"family\": \"F\", \"jobs\": 1, \"speed\": {\"A\": 1, \"B\": 4}}]}\n";
    struct hs_cluster cluster = make_cluster(1, 1);
    struct hs_catalogue catalogue;
    struct hs_speed *speed;
    static struct sink sink;
    struct hs_bounds b;
    (void)scratch_open(state);
    sink_init(&sink);
    const char *path = scratch_write("profiles.csv", profiles, sizeof profiles - 1);
    assert_int_equal(hs_catalogue_load(&catalogue, path, &sink.diag), HS_OK);
    path = scratch_write("speed.json", speeds, sizeof speeds - 1);
    if (hs_speed_load(&speed, path, &catalogue, &cluster, "A", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    bounds_open(&b, &cluster, speed);
    for (uint32_t i = 0; i < 2; i++) {
        struct hs_submission job = submission_of(&(struct job){0, 12 * S, 1}, i);
        job.profile = i == 0 ? 0 : HS_NO_PROFILE;
        bounds_submit(&b, 0, &job);
    }
    bounds_finish(&b);
    assert_true(b.makespan_work_s == 6);
    assert_true(b.makespan_longest_s == 6);
    assert_true(b.mean_jct_s == 4.5);
    bounds_close(&b);
    hs_speed_free(speed);
    hs_catalogue_free(&catalogue);
    (void)scratch_close(state);
}

static void rejected_jobs_do_not_count(void **state)
{
    (void)state;
    static const struct job jobs[] = {{0, 1 * S, 1}, {0, 500 * S, 64}, {0, 2 * S, 1}};
    struct hs_cluster cluster = make_cluster(1, 0);
    struct hs_bounds b;
    bounds_open(&b, &cluster, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        struct hs_submission job = submission_of(&jobs[i], i);
        struct hs_job_record rejected = {.index = i, .state = HS_JOB_REJECTED};
        bounds_submit(&b, 0, &job);
        if (i == 1)
            bounds_reject(&b, &rejected);
    }
    struct hs_submission last = {.index = 3};
    struct hs_job_record first = {.state = HS_JOB_REJECTED};
    bounds_submit(&b, 9 * S, &last);
    assert_false(b.has_late_rejection);
    bounds_reject(&b, &first);
    assert_true(b.has_late_rejection);
    bounds_finish(&b);
    assert_int_equal(b.jobs, 3);
    assert_true(b.makespan_work_s == 9); /* the last job has no work */
    assert_true(b.work_before == 3 * S);
    bounds_close(&b);
}

static void cpu_jobs_do_not_wait(void **state)
{
    (void)state;
    static const struct job jobs[] = {{0, 10 * S, 1}, {0, 4 * S, 0}};
    struct hs_cluster cluster = make_cluster(1, 0);
    struct hs_bounds b;
    feed(&b, &cluster, jobs, 2);
    assert_true(b.mean_jct_s == 7);
    assert_true(b.makespan_work_s == 10);
    bounds_close(&b);
}

/* Sum of the JCTs under SRPT with ties by index, one unit of work at a time; capacity 1. */
static uint64_t naive_srpt(const struct job *jobs, uint32_t count)
{
    int64_t left[16];
    uint64_t sum = 0;
    uint32_t open = count;
    for (uint32_t i = 0; i < count; i++)
        left[i] = jobs[i].work_us * jobs[i].gpus;
    for (int64_t now = 0; open > 0; now++) {
        uint32_t best = count;
        for (uint32_t i = 0; i < count; i++)
            if (left[i] > 0 && jobs[i].submit_us <= now && (best == count || left[i] < left[best]))
                best = i;
        if (best == count || --left[best] > 0)
            continue;
        sum += (uint64_t)(now + 1 - jobs[best].submit_us);
        open--;
    }
    return sum;
}

static void machine_equals_naive_srpt(void **state)
{
    (void)state;
    struct hs_cluster cluster = make_cluster(1, 0);
    for (uint64_t round = 0; round < 500; round++) {
        struct job jobs[16];
        struct hs_bounds b;
        uint32_t count = (uint32_t)(hs_mix64(round, 0) % 16 + 1);
        int64_t submit_us = 0;
        for (uint32_t i = 0; i < count; i++) {
            submit_us += (int64_t)(hs_mix64(round, 10 + i) % 6);
            jobs[i] = (struct job){submit_us, (int64_t)(hs_mix64(round, 30 + i) % 8 + 1),
                                   (uint32_t)(hs_mix64(round, 50 + i) % 3 + 1)};
        }
        feed(&b, &cluster, jobs, count);
        assert_true(b.jct_sum == naive_srpt(jobs, count));
        bounds_close(&b);
    }
}

static void no_jobs_no_bounds(void **state)
{
    (void)state;
    struct hs_cluster cluster = make_cluster(1, 0);
    struct hs_bounds b;
    feed(&b, &cluster, NULL, 0);
    double work = b.makespan_work_s, jct = b.mean_jct_s;
    assert_true(work != work && jct != jct); /* NaN */
    bounds_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_gpu_is_srpt),
        cmocka_unit_test(long_gaps_are_served_whole),
        cmocka_unit_test(wide_clusters_are_bound_by_run_times),
        cmocka_unit_test(late_work_counts_from_its_arrival),
        cmocka_unit_test(fast_types_enlarge_capacity),
        cmocka_unit_test(a_profile_may_be_faster_than_its_type),
        cmocka_unit_test(rejected_jobs_do_not_count),
        cmocka_unit_test(cpu_jobs_do_not_wait),
        cmocka_unit_test(machine_equals_naive_srpt),
        cmocka_unit_test(no_jobs_no_bounds),
    };
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
