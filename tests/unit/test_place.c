/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The placers through the real engine. A placement is written job=node:gpus+node:gpus, the first
 * one of each job, in order of the jobs; "-" is a job that never started. All expected placements
 * are derived by hand from the rules in place.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/cluster.h"
#include "policies/lib/place.h"
#include "support/run.h"
#include "support/sink.h"

#define JOBS_MAX 16

struct placed {
    const char *cluster, *vc_file;
    enum hs_vc_mode vc;
    struct hs_test_job jobs[JOBS_MAX]; /* up to the first without GPUs */
};

static void write_placement(char *text, size_t size, const struct hs_cluster *c,
                            const struct hs_test_segment *s)
{
    uint32_t node = 0, on_node = 0;
    const char *sign = "=";
    for (uint32_t i = 0; i <= s->gpu_count; i++) {
        uint32_t at = node;
        if (i < s->gpu_count)
            while (s->gpus[i] >= c->nodes[at].first_gpu + c->nodes[at].gpus)
                at++;
        if (on_node > 0 && (at != node || i == s->gpu_count)) {
            (void)snprintf(text + strlen(text), size - strlen(text), "%s%u:%u", sign, node,
                           on_node);
            sign = "+";
            on_node = 0;
        }
        node = at;
        on_node++;
    }
}

static void expect_by(const char *policy, const struct placed *p, const char *expected)
{
    struct hs_test_result r;
    struct hs_test_options options = {.vc = p->vc, .vc_file = p->vc_file};
    struct hs_cluster c;
    struct sink sink;
    char text[1024] = "";
    uint32_t count = 0;
    while (count < JOBS_MAX && p->jobs[count].gpus > 0)
        count++;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&c, p->cluster, &sink.diag), HS_OK);
    if (hs_test_run_with(p->jobs, count, p->cluster, policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    for (uint32_t j = 0; j < count; j++) {
        const struct hs_test_segment *s = r.segments, *end = s + r.segment_count;
        while (s < end && s->job != j)
            s++;
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", j > 0 ? " " : "",
                       j);
        if (s == end)
            strcat(text, "-");
        else
            write_placement(text, sizeof text, &c, s);
    }
    hs_cluster_free(&c);
    hs_test_free(&r);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s, not %s", policy, text, expected);
}

static void expect(const char *placer, const struct placed *p, const char *expected)
{
    char policy[64];
    (void)snprintf(policy, sizeof policy, "fifo:placement=%s", placer);
    expect_by(policy, p, expected);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"count",  "yarn",   "consolidate", "best_fit", "first_fit",
                                        "spread", "random", "rack",        "skew"};
    for (size_t i = 0; i < 9; i++)
        assert_string_equal(hs_placer_names[i], names[i]);
    assert_null(hs_placer_names[9]);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(hs_placer_plain_names[i], names[i]);
    assert_null(hs_placer_plain_names[8]);
    for (int placer = HS_PLACE_COUNT; placer <= HS_PLACE_RACK; placer++)
        assert_true(hs_place_is_monotone((struct hs_place_rule){.placer = placer}));
    assert_false(hs_place_is_monotone((struct hs_place_rule){.placer = HS_PLACE_SKEW}));
}

/* M11 on 2x4: gangs of 3, 3, and of 2 ten seconds later. If the gang of 2 may not be split it waits
 * for the first two to end and gets node 0.
 * spread, free (n0,n1): job 0 n0 n1 n0 (2,3), job 1 n1 n0 n1 (1,1), job 2 n0 n1. */
static void test_m11(void **state)
{
    (void)state;
    static const struct placed p = {.cluster = "2x4",
                                    .jobs = {{.gpus = 3, .duration_s = 100},
                                             {.gpus = 3, .duration_s = 100},
                                             {.gpus = 2, .submit_s = 10, .duration_s = 50}}};
    expect("count", &p, "0=0:3 1=0:1+1:2 2=1:2");
    expect("random", &p, "0=0:3 1=0:1+1:2 2=1:2");
    expect("yarn", &p, "0=0:3 1=1:3 2=0:2");
    expect("consolidate", &p, "0=0:3 1=1:3 2=0:2");
    expect("best_fit", &p, "0=0:3 1=1:3 2=0:1+1:1");
    expect("first_fit", &p, "0=0:3 1=1:3 2=0:1+1:1");
    expect("spread", &p, "0=0:2+1:1 1=0:1+1:2 2=0:1+1:1");
}

/* 4x8, gangs of 6, 3 and 14: free (2,5,8,8) when the third comes (spread apart).
 * consolidate: one idle node, then 6 on the node with most free, node 3.
 * yarn: one idle node, then the first other node with 6 free, node 3.
 * best_fit: all of the most free (node 2), then the fullest that has 6, node 3.
 * first_fit, count: in order 2, 5, 7; for count the gang of 3 has filled node 0 before.
 * spread: job 0 takes one of n0 n1 n2 n3 n0 n1 (6,6,7,7), job 1 n2 n3 n0 (5,6,6,6), job 2 takes
 * n1 n2 n3 (5,5,5,5) and then 11 in rounds: 3 each for n0 n1 n2, 2 for n3. */
static void test_beyond_a_node(void **state)
{
    (void)state;
    static const struct placed p = {.cluster = "4x8",
                                    .jobs = {{.gpus = 6, .duration_s = 9},
                                             {.gpus = 3, .duration_s = 9},
                                             {.gpus = 14, .duration_s = 9}}};
    expect("consolidate", &p, "0=0:6 1=1:3 2=2:8+3:6");
    expect("yarn", &p, "0=0:6 1=1:3 2=2:8+3:6");
    expect("best_fit", &p, "0=0:6 1=1:3 2=2:8+3:6");
    expect("first_fit", &p, "0=0:6 1=1:3 2=0:2+1:5+2:7");
    expect("count", &p, "0=0:6 1=0:2+1:1 2=1:7+2:7");
    expect("spread", &p, "0=0:2+1:2+2:1+3:1 1=0:1+2:1+3:1 2=0:3+1:4+2:4+3:3");
}

/* 4x8, gangs of 6 and 3 leave (2,5,8,8) free. 16 takes nodes 2 and 3. The 7 of 8 + 7 fit on node 3
 * alone. The 2 of 8 + 2 go, by consolidate, to the node with most free, the idle node 3; by yarn to
 * the first with 2 free and by best_fit to the fullest: node 0. A gang of 2 comes last. */
static void test_rest_of_a_gang(void **state)
{
    (void)state;
    static const struct placed p = {.cluster = "4x8",
                                    .jobs = {{.gpus = 6, .duration_s = 9},
                                             {.gpus = 3, .duration_s = 9},
                                             {.gpus = 16, .duration_s = 9},
                                             {.gpus = 2, .duration_s = 9}}};
    struct placed q = p;
    expect("consolidate", &p, "0=0:6 1=1:3 2=2:8+3:8 3=0:2");
    q.jobs[2].gpus = 15; /* 8 + 7: only node 3 has 7 */
    expect("consolidate", &q, "0=0:6 1=1:3 2=2:8+3:7 3=0:2");
    expect("yarn", &q, "0=0:6 1=1:3 2=2:8+3:7 3=0:2");
    q.jobs[2].gpus = 10; /* 8 + 2; then 2 more */
    expect("consolidate", &q, "0=0:6 1=1:3 2=2:8+3:2 3=0:2");
    expect("yarn", &q, "0=0:6 1=1:3 2=0:2+2:8 3=1:2");
    expect("best_fit", &q, "0=0:6 1=1:3 2=0:2+2:8 3=1:2");
}

/* One node of 8, four of 4. 16 needs the 8 and, because there is no other, two of 4. 15 needs one
 * of 4 and 3 GPUs of another. 6 fits on node 0 alone and waits for it, although 4 + 4 are idle. */
static void test_mixed_sizes(void **state)
{
    (void)state;
    static const struct placed whole = {.cluster = "1x8,4x4",
                                        .jobs = {{.gpus = 16, .duration_s = 9}}};
    static const struct placed more = {.cluster = "1x8,4x4",
                                       .jobs = {{.gpus = 15, .duration_s = 9}}};
    static const struct placed all = {.cluster = "2x2,1x4", .jobs = {{.gpus = 8, .duration_s = 9}}};
    static const struct placed wait = {.cluster = "1x8,4x4",
                                       .jobs = {{.gpus = 5, .duration_s = 9},
                                                {.gpus = 6, .duration_s = 9},
                                                {.gpus = 4, .submit_s = 20, .duration_s = 9}}};
    expect("consolidate", &whole, "0=0:8+1:4+2:4");
    expect("consolidate", &more, "0=0:8+1:4+2:3");
    expect("consolidate", &all, "0=0:2+1:2+2:4");
    expect("consolidate", &wait, "0=0:5 1=0:6 2=1:4");
    expect("yarn", &wait, "0=0:5 1=0:6 2=0:4");
    expect("best_fit", &wait, "0=0:5 1=0:2+1:4 2=1:4");
}

/* Racks n0 n1 | n2 n3 n4, 4 GPUs each. 9 = two idle nodes and one GPU more: rack 0 has no third
 * node. No rack is large enough for 20: rejected. 8 goes to rack 0, unless one GPU of it is
 * held. */
static void test_racks(void **state)
{
    (void)state;
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                               "             {\"nodes\": [{\"count\": 3, \"gpus\": 4}]}]}";
    const char *path = scratch_write("racks.json", json, strlen(json));
    struct placed nine = {.cluster = path, .jobs = {{.gpus = 9, .duration_s = 9}}};
    struct placed far = {.cluster = path,
                         .jobs = {{.gpus = 20, .duration_s = 9}, {.gpus = 8, .duration_s = 9}}};
    struct placed held = {.cluster = path,
                          .jobs = {{.gpus = 1, .duration_s = 9}, {.gpus = 8, .duration_s = 9}}};
    expect("yarn", &nine, "0=2:4+3:4+4:1");
    expect("consolidate", &nine, "0=0:4+1:4+2:1");
    expect("yarn", &far, "0- 1=0:4+1:4");
    expect("yarn", &held, "0=0:1 1=2:4+3:4");
    /* rack: 9 fit in rack 1 alone; 8 in both, rack 0 has fewer free, unless one is held. 13: all of
     * rack 1, which has most, and a GPU of the fullest node of the other. */
    struct placed both = {.cluster = path, .jobs = {{.gpus = 13, .duration_s = 9}}};
    expect("rack", &nine, "0=2:4+3:4+4:1");
    expect("rack", &held, "0=0:1 1=2:4+3:4");
    expect("rack", &both, "0=0:1+2:4+3:4+4:4");
    both.jobs[0].gpus = 8;
    expect("rack", &both, "0=0:4+1:4");
    /* 3 GPUs: the fullest node of all, not of the rack of job 0 */
    struct placed small = {.cluster = path,
                           .jobs = {{.gpus = 6, .duration_s = 9}, {.gpus = 3, .duration_s = 9}}};
    expect("rack", &small, "0=0:4+1:2 1=2:3");
}

/* Two equal racks: the lower number. */
static void test_equal_racks(void **state)
{
    (void)state;
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                               "             {\"nodes\": [{\"count\": 2, \"gpus\": 4}]}]}";
    struct placed p = {.cluster = scratch_write("equal.json", json, strlen(json)),
                       .jobs = {{.gpus = 5, .duration_s = 9},
                                {.gpus = 5, .duration_s = 9},
                                {.gpus = 6, .duration_s = 9}}};
    expect("rack", &p, "0=0:4+1:1 1=2:4+3:1 2=1:3+3:3");
}

/* Nodes of 4 GPUs and 8 CPUs; 4 CPUs per GPU leave room for 2 GPUs a node. */
static void test_cpus(void **state)
{
    (void)state;
    static const char json[] = "{\"nodes\": [{\"count\": 3, \"gpus\": 4, \"cpus\": 8}]}";
    static const char *const placers[] = {"count", "yarn", "consolidate", "best_fit", "first_fit"};
    struct placed p = {
        .cluster = scratch_write("cpus.json", json, strlen(json)),
        .jobs = {{.gpus = 5, .cpus = 20, .duration_s = 9}, {.gpus = 2, .duration_s = 9}}};
    /* The gang of 2 requests no CPUs; the fullest node with 2 free is node 0, 2 + 2. */
    for (size_t i = 0; i < 5; i++)
        expect(placers[i], &p, "0=0:2+1:2+2:1 1=0:2");
}

static void test_gpu_type(void **state)
{
    (void)state;
    struct placed p = {.cluster = "2x4:V100,2x4:P100",
                       .jobs = {{.gpus = 2, .gpu_type = "P100", .duration_s = 9},
                                {.gpus = 6, .gpu_type = "P100", .duration_s = 9}}};
    expect("count", &p, "0=2:2 1=2:2+3:4");
    expect("consolidate", &p, "0=2:2 1=2:2+3:4");
    expect("yarn", &p, "0=2:2 1=2:2+3:4");
    expect("best_fit", &p, "0=2:2 1=2:2+3:4");
    expect("first_fit", &p, "0=2:2 1=2:2+3:4");
}

/* Partition: a owns n0, b owns n1 n2 of the smaller size; for b a node's size is 4, not 8.
 * Quota: b may hold 4 of all GPUs, so that its second job waits for the first. */
static void test_virtual_clusters(void **state)
{
    (void)state;
    static const char json[] = "{\"vcs\": {\"a\": 8, \"b\": 8}}";
    struct placed p = {.cluster = "1x8,2x4",
                       .vc_file = scratch_write("p.json", json, strlen(json)),
                       .vc = HS_VC_PARTITION,
                       .jobs = {{.gpus = 2, .vc = "b", .duration_s = 9},
                                {.gpus = 8, .vc = "b", .duration_s = 9},
                                {.gpus = 6, .vc = "a", .duration_s = 9}}};
    expect("consolidate", &p, "0=1:2 1=1:4+2:4 2=0:6");
    expect("yarn", &p, "0=1:2 1=1:4+2:4 2=0:6");
    expect("count", &p, "0=1:2 1=1:4+2:4 2=0:6");

    static const char quotas[] = "{\"vcs\": {\"a\": 8, \"b\": 4}}";
    struct placed q = {
        .cluster = "2x4",
        .vc_file = scratch_write("q.json", quotas, strlen(quotas)),
        .vc = HS_VC_QUOTA,
        .jobs = {{.gpus = 3, .vc = "b", .duration_s = 9}, {.gpus = 2, .vc = "b", .duration_s = 9}}};
    expect("count", &q, "0=0:3 1=0:2");
}

/* ---- a gang that fails implies that every larger one fails ---- */

#define TRIALS  24u /* jobs of 1 .. 24 GPUs, submitted at 0, tried at each instant, started last */
#define FILLERS 200u

struct trier {
    hs_job_id waiting[TRIALS + FILLERS];
    uint32_t count;
};

static uint32_t trial_count, failure_count;

static void trier_on_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct trier *t = state;
    (void)v;
    if (event->kind == HS_EVENT_SUBMIT)
        t->waiting[t->count++] = event->job;
}

static void try_all(const struct trier *t, const struct hs_view *v, struct hs_plan *p,
                    struct hs_place_rule rule)
{
    bool has_failed = false;
    for (uint32_t i = 0; i < TRIALS; i++) {
        uint32_t mark = hs_plan_mark(p);
        uint64_t free_gpus = hs_view_free_gpus(v, 0);
        bool is_placed = hs_place(v, p, t->waiting[i], rule);
        assert_false(is_placed && has_failed);
        if (rule.placer != HS_PLACE_CONSOLIDATE &&
            rule.placer != HS_PLACE_YARN) /* any free GPUs suffice */
            assert_int_equal(is_placed, free_gpus >= i + 1);
        has_failed = !is_placed;
        trial_count++;
        failure_count += has_failed;
        hs_plan_rollback(p, mark);
        assert_int_equal(hs_view_free_gpus(v, 0), free_gpus);
    }
}

static void start_from(struct trier *t, const struct hs_view *v, struct hs_plan *p, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < t->count; i++) {
        uint64_t draw = hs_mix64(5, i);
        const struct hs_place_rule rule = {.placer =
                                               draw % 2 == 0 ? HS_PLACE_SPREAD : HS_PLACE_BEST_FIT};
        if (!hs_place(v, p, t->waiting[i], rule))
            t->waiting[kept++] = t->waiting[i];
    }
    t->count = kept;
}

/* Fillers arrive one a second for 200 s and fragment the free GPUs. */
static enum hs_status trier_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct trier *t = state;
    if (hs_view_now_us(v) <= FILLERS * HS_TEST_S) {
        for (int placer = HS_PLACE_COUNT; placer <= HS_PLACE_SKEW; placer++)
            try_all(t, v, p, (struct hs_place_rule){.placer = placer});
        start_from(t, v, p, TRIALS);
    } else {
        start_from(t, v, p, 0);
    }
    return HS_OK;
}

static const struct hs_policy_ops trier = {
    .name = "trier",
    .summary = "tries every size at every instant",
    .knows = HS_KNOWS_MODEL, /* but no job has one: none is packed */
    .state_size = sizeof(struct trier),
    .on_event = trier_on_event,
    .decide = trier_decide};

static void test_monotone(void **state)
{
    (void)state;
    static const char mixed[] =
        "{\"racks\": [{\"nodes\": [{\"count\": 3, \"gpus\": 4}]},"
        " {\"nodes\": [{\"count\": 2, \"gpus\": 8}, {\"count\": 3, \"gpus\": 4}]}]}";
    const char *const clusters[] = {"5x8", "3x8,4x4,5x2", "2x8,10x3,1x16",
                                    scratch_write("mixed.json", mixed, strlen(mixed))};
    struct hs_test_job *jobs = calloc(TRIALS + FILLERS, sizeof *jobs);
    assert_non_null(jobs);
    for (uint32_t i = 0; i < TRIALS + FILLERS; i++) {
        uint64_t draw = hs_mix64(11, i);
        jobs[i] = (struct hs_test_job){.gpus = i + 1, .duration_s = 1};
        if (i >= TRIALS)
            jobs[i] = (struct hs_test_job){.gpus = 1 + (uint32_t)(draw >> 8) % 6,
                                           .submit_s = i - TRIALS + 1,
                                           .duration_s = 1 + (int64_t)(draw >> 20) % 18};
    }
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        struct hs_test_result r;
        struct hs_test_options options = {.policy = &trier};
        trial_count = failure_count = 0;
        if (hs_test_run_with(jobs, TRIALS + FILLERS, clusters[i], NULL, &options, &r) != HS_OK)
            fail_msg("%s", r.message);
        assert_int_equal(r.figures.finished, TRIALS + FILLERS);
        /* Some trials fit and some do not, so the comparison covers both. */
        assert_in_range(failure_count, trial_count / 20, trial_count / 20 * 19);
        hs_test_free(&r);
    }
    free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_m11),
        cmocka_unit_test(test_beyond_a_node), cmocka_unit_test(test_rest_of_a_gang),
        cmocka_unit_test(test_mixed_sizes),   cmocka_unit_test(test_racks),
        cmocka_unit_test(test_equal_racks),   cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_gpu_type),      cmocka_unit_test(test_virtual_clusters),
        cmocka_unit_test(test_monotone),
    };
    return cmocka_run_group_tests_name("policies/place", tests, scratch_open, scratch_close);
}
