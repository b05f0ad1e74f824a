/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shares of GPUs worked out by hand, for the engine and for the reference (ref/refparts.h) that the
 * random scenarios rely on. Timelines are id:start-end@GPUs, as in support/scenario.h; m is short
 * for thousandths of a GPU.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/parted.h"
#include "support/sink.h"

#define JOBS_MAX 16

struct hand {
    struct parts s;                    /* without the jobs; the placer is given with the timeline */
    struct hs_test_job jobs[JOBS_MAX]; /* up to the first without GPUs */
};

static const char *const placers[] = {"count",    "yarn",      "consolidate",
                                      "best_fit", "first_fit", "spread"};

static struct parted_watch watch;

static void append_gpu(char *text, int i, int gpu)
{
    size_t len = strlen(text);
    (void)sprintf(text + len, "%c%d", i == 0 ? '@' : '+', gpu);
}

static void append_job(char *text, int job, bool is_rejected, int64_t start_us, int64_t end_us)
{
    size_t len = strlen(text);
    (void)sprintf(text + len, "%s%d:", job > 0 ? " " : "", job);
    len = strlen(text);
    if (is_rejected)
        (void)sprintf(text + len, "rejected");
    else
        (void)sprintf(text + len, "%" PRId64 "-%" PRId64, start_us / HS_TEST_S, end_us / HS_TEST_S);
}

static void write_reference(const struct parts *s, char *text)
{
    for (int i = 0; i < s->count; i++) {
        const struct parts_job *j = &s->jobs[i];
        append_job(text, i, j->is_rejected, j->start_us, j->finish_us);
        for (int k = 0; k < j->gpus && !j->is_rejected; k++)
            append_gpu(text, k, j->held[k]);
    }
}

static void write_engine(const struct hs_test_result *r, char *text)
{
    for (uint32_t i = 0; i < r->job_count; i++) {
        const struct hs_test_outcome *o = &r->jobs[i];
        append_job(text, (int)i, o->state == HS_JOB_REJECTED, o->start_us, o->end_us);
        for (uint32_t k = 0; k < r->segment_count; k++)
            for (uint32_t g = 0; r->segments[k].job == i && g < r->segments[k].gpu_count; g++)
                append_gpu(text, (int)g, (int)r->segments[k].gpus[g]);
    }
}

static void run_engine(const struct parts *s, const struct hs_test_job *jobs, char *text)
{
    struct hs_test_options options = {.vc = (enum hs_vc_mode)s->vcs,
                                      .observer = parted_watch(&watch, s)};
    struct hs_test_result r;
    char json[4096], policy[64];
    parted_cluster(s, json, sizeof json);
    (void)snprintf(policy, sizeof policy, "fifo:scan=%s,placement=%s", s->is_fit ? "fit" : "strict",
                   placers[s->placer]);
    const char *path = scratch_write("cluster.json", json, strlen(json));
    if (hs_test_run_with(jobs, (uint32_t)s->count, path, policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    write_engine(&r, text);
    hs_test_free(&r);
}

static void expect(const struct hand *h, enum ref_placer placer, const char *timeline)
{
    static struct parts s;
    static struct parts_job mine[JOBS_MAX];
    char reference[1024] = "", engine[1024] = "";
    int count = 0;
    while (count < JOBS_MAX && h->jobs[count].gpus > 0)
        count++;
    s = h->s;
    s.placer = placer;
    parted_jobs(&s, h->jobs, count, mine);
    parts_simulate(&s);
    write_reference(&s, reference);
    if (strcmp(reference, timeline) != 0)
        fail_msg("%s, the reference\n  want %s\n  got  %s", placers[placer], timeline, reference);
    run_engine(&s, h->jobs, engine);
    if (strcmp(engine, timeline) != 0)
        fail_msg("%s, the engine\n  want %s\n  got  %s", placers[placer], timeline, engine);
    assert_string_equal(parted_difference(&watch), "");
}

/* Checks the sums of the last run, in GPU-milliseconds: GPUs held, shares of them. */
static void expect_sums(const struct hand *h, int64_t held_ms, int64_t milli_ms)
{
    static struct parts s;
    static struct parts_job mine[JOBS_MAX];
    int count = 0;
    while (count < JOBS_MAX && h->jobs[count].gpus > 0)
        count++;
    s = h->s;
    s.placer = REF_BEST_FIT;
    parted_jobs(&s, h->jobs, count, mine);
    parts_simulate(&s);
    assert_int_equal(s.held_us, held_ms * 1000);
    assert_int_equal(s.milli_us, milli_ms * 1000);
}

/* One node, GPUs 0 and 1. At 0: 600 m open GPU 0 (400 left); 300 m are placed there (100 left); 500
 * m do not fit and open GPU 1 (500 left); 100 m fill GPU 0 (0 left, until the 100 m end at 5); 1 m
 * is placed on GPU 1 (499 left). The whole GPU of job 5 is GPU 0, when the last share there ends at
 * 20; under strict, job 6 of 200 m waits for job 5 though GPU 1 has 499 left from 2 on. Shares x
 * time: 600 10 + 300 20 + 500 30 + 100 5 + 1 40 + 1000 10 + 200 5 = 38,540 m s; GPU 0 is held for
 * 30 s, GPU 1 for 40 s. Under fit job 6 does not wait; the sums are the same. */
static const struct hand filling = {
    .s = {.nodes = 1, .node = {{.gpus = 2}}},
    .jobs = {{.gpus = 1, .gpu_milli = 600, .duration_s = 10},
             {.gpus = 1, .gpu_milli = 300, .duration_s = 20},
             {.gpus = 1, .gpu_milli = 500, .duration_s = 30},
             {.gpus = 1, .gpu_milli = 100, .duration_s = 5},
             {.gpus = 1, .gpu_milli = 1, .duration_s = 40},
             {.gpus = 1, .submit_s = 1, .duration_s = 10},
             {.gpus = 1, .gpu_milli = 200, .submit_s = 2, .duration_s = 5}}};

static void test_filling(void **state)
{
    (void)state;
    struct hand fit = filling;
    fit.s.is_fit = true;
    for (int placer = REF_COUNT; placer <= REF_SPREAD; placer++) {
        expect(&filling, (enum ref_placer)placer,
               "0:0-10@0 1:0-20@0 2:0-30@1 3:0-5@0 4:0-40@1 5:20-30@0 6:20-25@1");
        expect(&fit, (enum ref_placer)placer,
               "0:0-10@0 1:0-20@0 2:0-30@1 3:0-5@0 4:0-40@1 5:20-30@0 6:2-7@1");
    }
    expect_sums(&filling, 70000, 38540000);
    expect_sums(&fit, 70000, 38540000);
}

/* One node of three GPUs. Job 0, two workers of 500 m: GPU 0, and not its other half, but GPU 1.
 * Job 1, three of 500 m: the halves of 0 and 1, then idle GPU 2. Job 2, two of 600 m: only GPU 2
 * has 500 left: it waits, and holds nothing meanwhile, so that job 3, 500 m, fills GPU 2. At 10 job
 * 0 ends: 0 and 1 have 500 left: not enough for job 2. Job 1 ends at 20: 0 and 1 are idle (GPU 2
 * has job 3 until 25): job 2 opens them. Job 4 asks for more GPUs than there are. */
static void test_gangs_of_shares(void **state)
{
    (void)state;
    static const struct hand h = {.s = {.nodes = 1, .node = {{.gpus = 3}}, .is_fit = true},
                                  .jobs = {{.gpus = 2, .gpu_milli = 500, .duration_s = 10},
                                           {.gpus = 3, .gpu_milli = 500, .duration_s = 20},
                                           {.gpus = 2, .gpu_milli = 600, .duration_s = 10},
                                           {.gpus = 1, .gpu_milli = 500, .duration_s = 25},
                                           {.gpus = 4, .gpu_milli = 1, .duration_s = 1}}};
    for (int placer = REF_COUNT; placer <= REF_SPREAD; placer++)
        expect(&h, (enum ref_placer)placer,
               "0:0-10@0+1 1:0-20@0+1+2 2:20-30@0+1 3:0-25@2 4:rejected");
}

/* GPUs of 1000 MiB (GPU 0), 1500 MiB (GPU 1), of unknown memory (GPU 2). 333 m of them: 333 MiB,
 * 499.5, hence 499, and unknown. Jobs of 333 m that ask for 333 MiB: GPU 0; 334: GPU 1; 499: beside
 * it; 500: GPU 2. 501 m of GPU 1 are 751.5 MiB, hence 751, but 666 m of it are taken: GPU 2 has 667
 * left. If X2 is not allowed the job waits until they end; with 752 MiB it could never run. */
static void test_memory_alike(void **state)
{
    (void)state;
    struct hand h = {.s = {.nodes = 3,
                           .node = {{.gpus = 1}, {.gpus = 1, .type = 1}, {.gpus = 1, .type = 2}},
                           .type_mem_mib = {1000, 1500}},
                     .jobs = {{.gpus = 1, .gpu_milli = 333, .gpu_mem_mib = 333, .duration_s = 10},
                              {.gpus = 1, .gpu_milli = 333, .gpu_mem_mib = 334, .duration_s = 10},
                              {.gpus = 1, .gpu_milli = 333, .gpu_mem_mib = 499, .duration_s = 10},
                              {.gpus = 1, .gpu_milli = 333, .gpu_mem_mib = 500, .duration_s = 10},
                              {.gpus = 1, .gpu_milli = 501, .gpu_mem_mib = 751, .duration_s = 5}}};
    expect(&h, REF_BEST_FIT, "0:0-10@0 1:0-10@1 2:0-10@1 3:0-10@2 4:0-5@2");
    h.jobs[4].gpu_type = "X0|X1";
    expect(&h, REF_BEST_FIT, "0:0-10@0 1:0-10@1 2:0-10@1 3:0-10@2 4:10-15@1");
    h.jobs[4].gpu_mem_mib = 752;
    expect(&h, REF_BEST_FIT, "0:0-10@0 1:0-10@1 2:0-10@1 3:0-10@2 4:rejected");
}

/* Node 0: GPUs 0 and 1 of X0, 3 cores; node 1: GPUs 2 and 3 of X1, 5 cores and 100 MiB. Workers of
 * 200 m and 1.5 cores. Job 0, of X0 or X1: GPU 0. Job 1, of X1 alone: GPU 2. Job 2, any: GPUs 0 and
 * 2 have 800 left each: GPU 0 by its id. No core is left on node 0; job 3 is placed on GPU 2, job 4
 * also: 0.5 cores are left. Job 5, 200 m and half a core, but 101 MiB: never on node 1, it waits
 * for node 0. Job 6 with 100 MiB: GPU 2. Job 7, whole, of X0, without cores: GPU 1. */
static void test_types_and_cores(void **state)
{
    (void)state;
    static const struct hand h = {
        .s = {.nodes = 2,
              .is_fit = true,
              .node = {{.gpus = 2, .cpus_milli = 3000},
                       {.gpus = 2, .type = 1, .cpus_milli = 5000, .mem_mib = 100}}},
        .jobs = {
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 1500, .duration_s = 9, .gpu_type = "X0|X1"},
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 1500, .duration_s = 9, .gpu_type = "X1"},
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 1500, .duration_s = 8},
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 1500, .duration_s = 9},
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 1500, .duration_s = 9},
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 500, .mem_mib = 101, .duration_s = 9},
            {.gpus = 1, .gpu_milli = 200, .cpus_milli = 500, .mem_mib = 100, .duration_s = 9},
            {.gpus = 1, .gpu_type = "X0", .duration_s = 9}}};
    expect(&h, REF_FIRST_FIT, "0:0-9@0 1:0-9@2 2:0-8@0 3:0-9@2 4:0-9@2 5:8-17@0 6:0-9@2 7:0-9@1");
}

/* Four GPUs; v0 may hold 2 of them, v1 too. Two shares of 700 m of v0 are on GPUs 0 and 1: 1400 m.
 * A third would make 2100 m; under strict 600 m of v0, which would make 2000 m, wait behind it, but
 * v1 does not: its whole GPU starts, and its 300 m, on GPU 0 beside v0's 700 m. At 10 one of v0's
 * ends: its 700 m are placed on GPU 0, which is full (fit: the 600 m are on GPU 2 from 0 on, and at
 * 10 v0 has 1300 m; the 700 m of job 2 fill GPU 0 with job 5's 300 m). Job 4, whole: GPU 2 (fit:
 * the 600 m are there, so GPU 3). 1000 m and 300 m of 2000 are v1's. Job 6 of v1 is 701 m: 2001 m,
 * it waits until 4. Jobs 7 and 8 would exceed what v0 may ever hold. */
static void test_quota(void **state)
{
    (void)state;
    static struct hand h = {.s = {.nodes = 1,
                                  .node = {{.gpus = 4}},
                                  .vcs = PARTS_QUOTA,
                                  .vc_count = 2,
                                  .quota = {2, 2}},
                            .jobs = {{.gpus = 1, .gpu_milli = 700, .vc = "v0", .duration_s = 10},
                                     {.gpus = 1, .gpu_milli = 700, .vc = "v0", .duration_s = 20},
                                     {.gpus = 1, .gpu_milli = 700, .vc = "v0", .duration_s = 10},
                                     {.gpus = 1, .gpu_milli = 600, .vc = "v0", .duration_s = 12},
                                     {.gpus = 1, .vc = "v1", .duration_s = 4},
                                     {.gpus = 1, .gpu_milli = 300, .vc = "v1", .duration_s = 30},
                                     {.gpus = 1, .gpu_milli = 701, .vc = "v1", .duration_s = 1},
                                     {.gpus = 3, .gpu_milli = 667, .vc = "v0", .duration_s = 1},
                                     {.gpus = 3, .vc = "v0", .duration_s = 1}}};
    expect(&h, REF_CONSOLIDATE,
           "0:0-10@0 1:0-20@1 2:10-20@0 3:10-22@2 4:0-4@2 5:0-30@0 6:4-5@2 7:rejected 8:rejected");
    h.s.is_fit = true;
    expect(&h, REF_CONSOLIDATE,
           "0:0-10@0 1:0-20@1 2:10-20@0 3:0-12@2 4:0-4@3 5:0-30@0 6:4-5@3 7:rejected 8:rejected");
}

/* Nodes of 3, 2 and 4 GPUs: 0-2, 3-4, 5-8. In this order, all at 0: one whole GPU; 400 m; two
 * workers of 700 m; two of 300 m; a gang of four.
 *   best_fit, consolidate (fullest): GPU 3; GPU 4, on the node with one idle GPU; 0 and 1 (600 m
 *     left are too few, then 3 and 2 idle GPUs against 4); the 300 m left on both; 5-8.
 *   first_fit, yarn: 0; 1; 2 and 3, as node 0 has no more; beside them; 5-8, the first with four.
 *   count: the same, but the four are the lowest idle ones: 4-7.
 *   spread (emptiest): 5; 0, as nodes 0 and 2 have three idle; 6, of three, then 1, of two, two,
 *     two; beside them; idle are 2, 3-4, 7-8: one each of nodes 1, 2, 0, then 1 again: 2, 3, 4, 7.
 */
static void test_placers(void **state)
{
    (void)state;
    static const struct hand h = {
        .s = {.nodes = 3, .node = {{.gpus = 3}, {.gpus = 2}, {.gpus = 4}}},
        .jobs = {{.gpus = 1, .duration_s = 10},
                 {.gpus = 1, .gpu_milli = 400, .duration_s = 10},
                 {.gpus = 2, .gpu_milli = 700, .duration_s = 10},
                 {.gpus = 2, .gpu_milli = 300, .duration_s = 10},
                 {.gpus = 4, .duration_s = 10}}};
    static const char fullest[] = "0:0-10@3 1:0-10@4 2:0-10@0+1 3:0-10@0+1 4:0-10@5+6+7+8";
    static const char first[] = "0:0-10@0 1:0-10@1 2:0-10@2+3 3:0-10@2+3 4:0-10@5+6+7+8";
    expect(&h, REF_BEST_FIT, fullest);
    expect(&h, REF_CONSOLIDATE, fullest);
    expect(&h, REF_FIRST_FIT, first);
    expect(&h, REF_YARN, first);
    expect(&h, REF_COUNT, "0:0-10@0 1:0-10@1 2:0-10@2+3 3:0-10@2+3 4:0-10@4+5+6+7");
    expect(&h, REF_SPREAD, "0:0-10@5 1:0-10@0 2:0-10@1+6 3:0-10@1+6 4:0-10@2+3+4+7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filling),      cmocka_unit_test(test_gangs_of_shares),
        cmocka_unit_test(test_memory_alike), cmocka_unit_test(test_types_and_cores),
        cmocka_unit_test(test_quota),        cmocka_unit_test(test_placers)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
