/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two baselines that other papers call Gandiva, on paper: gandiva-pack-only (policy text 4.6,
 * AntMan's) and gandiva-random-pairs (1.7, Gavel's). Jobs and timelines are written as in
 * scenario.h. Rates are Q32 fractions, rounded down: a job that was slowed ends up to 1 us later
 * than on paper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/run.h"
#include "support/scenario.h"

/* Beside another job each runs at 1 / (1 + excess). */
static void expect(const char *cluster, const char *policy, const char *jobs, double excess,
                   const char *timeline)
{
    const struct hs_test_options options = {.excess = excess, .max_tenants = 3};
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

/* ---- pack-only ---- */

/* Idle GPUs first: 0 to 2. Then c joins b, whose GPU has a utilization of 10 %, d joins a (20 %):
 * b's GPU has 60 % now. At most two jobs share a GPU, so e joins the third although that has 90 %.
 */
static void the_least_used_gpu_is_packed_first(void **state)
{
    (void)state;
    expect("1x3", "gandiva-pack-only",
           "a:1,0,100%20 b:1,0,100%10 z:1,0,100%90 c:1,10,100%50 d:1,20,100%50 e:1,30,100%50", 0,
           "a:0-100@0 b:0-100@1 z:0-100@2 c:10-110@1 d:20-120@0 e:30-130@2");
}

/* 16 GB a GPU, of which 500 MiB stay free: 9 + 9 is too much, 9 + 6 is not. */
static void memory_is_known(void **state)
{
    (void)state;
    expect("1x2:P100", "gandiva-pack-only",
           "a:1,0,100%10&9000 b:1,0,100%20&9000 c:1,10,100%10&9000 d:1,20,100%10&6000", 0,
           "a:0-100@0 b:0-100@1 c:100-200@0 d:100-200@1");
    expect("1x2:P100", "gandiva-pack-only:scan=fit",
           "a:1,0,100%10&9000 b:1,0,100%20&9000 c:1,10,100%10&9000 d:1,20,100%10&6000", 0,
           "a:0-100@0 b:0-100@1 c:100-200@1 d:20-120@0");
}

/* ---- random pairs ---- */

/* One GPU: b joins a at 10. At 0.8 each, 1.6 in all, the pair is kept: a has 90 s left, which take
 * 112.5, to 122.5; b has done 90 then and does its last 10 alone. */
static void a_pair_that_pays_stays(void **state)
{
    (void)state;
    expect("1x1", "gandiva-random-pairs:trial=60", "a:1,0,100 b:1,10,100", 0.25,
           "a:0-122.500001 b:10-132.500001");
}

/* At 0.4 each, 0.8 in all, the pair is separated after 60 s: a has done 34 at 70 and ends at 136;
 * b, with 24 done, has no other partner and waits for it. */
static void a_pair_that_does_not_is_parted(void **state)
{
    (void)state;
    expect("1x1", "gandiva-random-pairs:trial=60", "a:1,0,100 b:1,10,100", 1.5,
           "a:0-136.000001 b:10-70,136.000001-212.000002");
}

/* No job is packed while GPUs are free; a gang is packed only with one of its size, and c, before
 * it in the queue, with none. */
static void only_equal_gangs_are_paired(void **state)
{
    (void)state;
    expect("1x4", "gandiva-random-pairs:scan=fit", "a:2,0,100 b:2,0,200 c:1,10,50 d:2,20,100", 0,
           "a:0-100 b:0-200 c:100-150 d:20-120");
}

/* Another seed draws another partner: over ten seeds d, of one GPU, joins more than one of the
 * eight. */
static void partners_are_drawn(void **state)
{
    (void)state;
    struct hs_test_job jobs[9];
    uint32_t met = 0;
    for (uint32_t i = 0; i < 9; i++)
        jobs[i] = (struct hs_test_job){.gpus = 1, .duration_s = 100};
    jobs[8].submit_s = 10;
    for (uint32_t seed = 0; seed < 10; seed++) {
        struct hs_test_result r;
        char spec[64];
        (void)snprintf(spec, sizeof spec, "gandiva-random-pairs:seed=%u", seed);
        assert_int_equal(hs_test_run(jobs, 9, "1x8", spec, &r), HS_OK);
        for (uint32_t i = 0; i < r.segment_count; i++)
            if (r.segments[i].job == 8)
                met |= 1u << r.segments[i].gpus[0];
        hs_test_free(&r);
    }
    assert_true((met & (met - 1)) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_used_gpu_is_packed_first),
        cmocka_unit_test(memory_is_known),
        cmocka_unit_test(a_pair_that_pays_stays),
        cmocka_unit_test(a_pair_that_does_not_is_parted),
        cmocka_unit_test(only_equal_gangs_are_paired),
        cmocka_unit_test(partners_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
