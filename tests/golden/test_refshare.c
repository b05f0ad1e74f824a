/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference simulator of tests/ref/refshare.h on schedules worked out by hand, without the
 * engine: the random tests rely on it where no schedule can be verified on paper. In the drawings a
 * row is a GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refshare.h"

#define S       INT64_C(1000000)
#define ONE_Q20 (INT64_C(1) << 20)

static struct share_scenario s;

/* One node of `gpus` GPUs; jobs do not slow each other; the cost of Horus with default weights. */
static void begin(int gpus, int64_t mem_mib, enum share_order order)
{
    memset(&s, 0, sizeof s);
    s.node_count = 1;
    s.node_gpus[0] = gpus;
    s.type_mem_mib[0] = mem_mib;
    s.type_speed_q32[0] = UINT64_C(1) << 32;
    s.slowdown_q20 = ONE_Q20;
    s.oom_delay_us = 30 * S;
    s.oom_retries = 2;
    s.order = order;
    s.look_ahead = 5;
    s.rules = (struct place_rules){.cost = PLACE_HORUS,
                                   .w_mem_q20 = 13 * ONE_Q20 / 10,
                                   .w_u_over_q20 = 16 * ONE_Q20 / 10,
                                   .w_u_under_q20 = ONE_Q20,
                                   .w_n_q20 = ONE_Q20,
                                   .max_tenants = 3,
                                   .share_up_to = 8};
}

/* Predictions are true but for `predicted_mib`. */
static struct share_job *add(int gpus, int64_t submit_s, int64_t duration_s, int percent,
                             int64_t mem_mib)
{
    struct share_job *j = &s.jobs[s.job_count++];
    *j = (struct share_job){.submit_us = submit_s * S,
                            .duration_us = duration_s * S,
                            .gpus = gpus,
                            .type = -1,
                            .util_pm = 10 * percent,
                            .peak_pm = 10 * percent,
                            .predicted_mib = mem_mib,
                            .mem_mib = mem_mib};
    return j;
}

static void expect_segment(int at, int job, int64_t start_us, int64_t end_us, bool is_oom, int gpu)
{
    const struct share_segment *g = &s.segments[at];
    assert_true(at < s.segment_count);
    assert_int_equal(g->job, job);
    assert_int_equal(g->start_us, start_us);
    assert_int_equal(g->end_us, end_us);
    assert_int_equal(g->is_oom, is_oom);
    assert_int_equal(g->gpus[0], gpu);
}

/* By hand: 100 MiB, a candidate of 10 MiB and 40 %: 0.73 idle, 1.49 beside 20 MiB and 50 %, 1.71
 * beside 20 MiB and 80 %. 1 MiB more or less of the alternative changes its cost by 0.013. */
static void costs(void **state)
{
    static const struct {
        int util, mib, rival_util, rival_mib, chosen;
        int64_t w_n_q20;
    } cases[] = {
        {50, 20, 80, 3, 1, ONE_Q20},  /* 1.49 against 0.169 + 0.32 + 1 = 1.489 */
        {50, 20, 80, 4, 0, ONE_Q20},  /* 1.502 */
        {80, 20, 50, 36, 1, ONE_Q20}, /* 1.71 against 0.598 + 0.10 + 1 = 1.698 */
        {80, 20, 50, 37, 0, ONE_Q20}, /* 1.711 */
        {0, 0, 50, 38, 1, 0},         /* 0.73 against 0.624 + 0.10 = 0.724, tenants for nothing */
        {0, 0, 50, 39, 0, 0},         /* 0.737 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct place_gpu gpus[2] = {
            {.tenants = cases[i].mib > 0,
             .util_pm = 10 * cases[i].util,
             .used_mib = cases[i].mib,
             .mem_mib = 100},
            {.tenants = 1,
             .util_pm = 10 * cases[i].rival_util,
             .used_mib = cases[i].rival_mib,
             .mem_mib = 100},
        };
        const struct place_request job = {.gpus = 1, .util_pm = 400, .peak_pm = 400, .mem_mib = 10};
        int chosen = -1;
        begin(2, 100, SHARE_FIT);
        s.rules.w_n_q20 = cases[i].w_n_q20;
        assert_true(place_find(&s.rules, gpus, 2, &job, &chosen));
        assert_int_equal(chosen, cases[i].chosen);
    }
}

/* The mean of a tenant and the peak of the candidate count: 500 + 600 exceed by 100, of which 1.6
 * is 0.16 and the cost 1.16; beside 450 + 600 it is 0.08. By the candidate's mean (100) the first
 * would have the smaller shortfall. */
static void peak_of_the_newcomer(void **state)
{
    const struct place_gpu gpus[2] = {{.tenants = 1, .util_pm = 500},
                                      {.tenants = 1, .util_pm = 450}};
    const struct place_request job = {.gpus = 1, .util_pm = 100, .peak_pm = 600};
    int chosen = -1;
    (void)state;
    begin(2, 0, SHARE_FIT);
    assert_true(place_find(&s.rules, gpus, 2, &job, &chosen));
    assert_int_equal(chosen, 1);
}

/* Nodes of 2 in racks 0 | 1 1 | 2, GPU 0 held by a job that does not share: a gang of 5 starts from
 * node 1, goes on in its rack, and ends on node 3, as far as node 0, with more free GPUs. */
static void spread_over_racks(void **state)
{
    static const int racks[] = {0, 0, 1, 1, 1, 1, 2, 2}, expected[] = {2, 3, 4, 5, 6};
    struct place_gpu gpus[8] = {{0}};
    const struct place_request job = {.gpus = 5, .util_pm = 200, .peak_pm = 200};
    int chosen[5];
    (void)state;
    for (int g = 0; g < 8; g++) {
        gpus[g].node = g / 2;
        gpus[g].rack = racks[g];
    }
    gpus[0].tenants = 1;
    gpus[0].has_loner = true;
    begin(8, 0, SHARE_FIT);
    assert_true(place_find(&s.rules, gpus, 8, &job, chosen));
    assert_memory_equal(chosen, expected, sizeof expected);
}

/* A job with one co-runner, or with two, has half the speed.
 *   0 (100 s)  0000000000000000000000000   0-120: half from 0 to 20 and from 30 to 50
 *   1 (10 s)   11111                       0-20
 *   2 (10 s)   22222                       0-20
 *   3 (10 s)           33333               30-50
 * 0 has done 10 at 20, 20 at 30, 30 at 50; 70 are left. */
static void slowed_by_any_corunner(void **state)
{
    (void)state;
    begin(1, 0, SHARE_FIT);
    s.slowdown_q20 = 2 * ONE_Q20;
    add(1, 0, 100, 10, 0);
    add(1, 0, 10, 10, 0);
    add(1, 0, 10, 10, 0);
    add(1, 30, 10, 10, 0);
    share_play(&s);
    assert_int_equal(s.segment_count, 4);
    expect_segment(0, 1, 0, 20 * S, false, 0);
    expect_segment(1, 2, 0, 20 * S, false, 0);
    expect_segment(2, 3, 30 * S, 50 * S, false, 0);
    expect_segment(3, 0, 0, 120 * S, false, 0);
    assert_int_equal(s.segments[0].most_tenants, 3);
    assert_int_equal(s.segments[2].most_tenants, 2);
}

/* 1000 MiB, no memory predicted. 1 (200) does not fit beside 0 (900), is killed at 30 and, with 250
 * predicted, once more at 60; then it waits to be alone. Lost: 30 s twice. */
static void out_of_memory(void **state)
{
    (void)state;
    begin(1, 1000, SHARE_WINDOW_UTIL);
    add(1, 0, 100, 10, 900)->predicted_mib = 0;
    add(1, 0, 50, 20, 200)->predicted_mib = 0;
    share_play(&s);
    assert_int_equal(s.segment_count, 4);
    expect_segment(0, 1, 0, 30 * S, true, 0);
    expect_segment(1, 1, 30 * S, 60 * S, true, 0);
    expect_segment(2, 0, 0, 100 * S, false, 0);
    expect_segment(3, 1, 100 * S, 150 * S, false, 0);
    assert_int_equal(s.jobs[1].lost_ns, 60 * S * 1000);
    assert_int_equal(s.jobs[1].ooms, 2);
}

/* The same, but 0 ends at 20: 1 stays. */
static void room_in_time(void **state)
{
    (void)state;
    begin(1, 1000, SHARE_WINDOW_UTIL);
    add(1, 0, 20, 10, 900)->predicted_mib = 0;
    add(1, 0, 50, 20, 200)->predicted_mib = 0;
    share_play(&s);
    assert_int_equal(s.segment_count, 2);
    expect_segment(1, 1, 0, 50 * S, false, 0);
}

/* 1 GPU for one job each. From 10 on 1 (50 %), 2 (20 %), 3 (20 %) wait: by utilization 2, 3, 1; by
 * submission 1, 2, 3. */
static void orders(void **state)
{
    static const enum share_order orders[] = {SHARE_WINDOW_UTIL, SHARE_WINDOW_SUBMIT, SHARE_STRICT};
    static const int next[3][3] = {{2, 3, 1}, {1, 2, 3}, {1, 2, 3}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(1, 0, orders[i]);
        s.rules.max_tenants = 1;
        add(1, 0, 10, 90, 0);
        add(1, 1, 10, 50, 0);
        add(1, 2, 10, 20, 0);
        add(1, 3, 10, 20, 0);
        share_play(&s);
        for (int k = 0; k < 3; k++)
            expect_segment(1 + k, next[i][k], (k + 1) * 10 * S, (k + 2) * 10 * S, false, 0);
    }
}

/* 2 GPUs for one job each, 0 on one of them: strict stops at 1 (2 GPUs), fit and a window of two
 * let 2 pass, a window of one does not. */
static void passing(void **state)
{
    static const struct {
        enum share_order order;
        int look_ahead;
        int64_t start_s;
    } cases[] = {{SHARE_STRICT, 5, 110},
                 {SHARE_FIT, 5, 2},
                 {SHARE_WINDOW_SUBMIT, 2, 2},
                 {SHARE_WINDOW_SUBMIT, 1, 110}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        begin(2, 0, cases[i].order);
        s.rules.max_tenants = 1;
        s.look_ahead = cases[i].look_ahead;
        add(1, 0, 100, 10, 0);
        add(2, 1, 10, 10, 0);
        add(1, 2, 10, 10, 0);
        add(3, 2, 10, 10, 0);
        share_play(&s);
        assert_int_equal(s.jobs[1].start_us, 100 * S);
        assert_int_equal(s.jobs[2].start_us, cases[i].start_s * S);
        assert_true(s.jobs[3].is_rejected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs),
        cmocka_unit_test(peak_of_the_newcomer),
        cmocka_unit_test(spread_over_racks),
        cmocka_unit_test(slowed_by_any_corunner),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(room_in_time),
        cmocka_unit_test(orders),
        cmocka_unit_test(passing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
