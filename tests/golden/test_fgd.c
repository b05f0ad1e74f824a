/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fgd on two nodes of one GPU, by hand. The fragmentation of a node is the mean, over the typical
 * jobs, of the part of its free GPUs that the job cannot use; a placement that reduces it by x GPUs
 * scores 100 / (1 + exp(-x)), rounded down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/run.h"
#include "support/sink.h"

#define S HS_TEST_S

/* Three jobs that set the typical jobs; at the fourth the policy has seen 200 three times, 600
 * once. */
static const struct hs_test_job shares[] = {
    {.gpus = 1, .gpu_milli = 200, .submit_s = 0, .duration_s = 1},
    {.gpus = 1, .gpu_milli = 200, .submit_s = 2, .duration_s = 1},
    {.gpus = 1, .gpu_milli = 200, .submit_s = 4, .duration_s = 1},
    {.gpus = 1, .gpu_milli = 600, .submit_s = 6, .duration_s = 100},
    {.gpus = 1, .gpu_milli = 250, .submit_s = 8, .duration_s = 100},
    {.gpus = 1, .gpu_milli = 300, .submit_s = 10, .duration_s = 100},
};

/* Also where the third node belongs to another virtual cluster, which has no jobs. */
static void expect_gpus(const char *policy, uint32_t of_250, uint32_t of_300)
{
    static const char vcs[] = "{\"vcs\": {\"a\": 2, \"b\": 1}}";
    struct hs_test_options options = {.vc_file = scratch_write("vcs.json", vcs, sizeof vcs - 1)};
    struct hs_test_job jobs[6];
    for (int i = 0; i < 6; i++) {
        jobs[i] = shares[i];
        jobs[i].vc = "a";
    }
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        struct hs_test_result r;
        options.vc = is_apart ? HS_VC_PARTITION : HS_VC_IGNORE;
        if (hs_test_run_with(jobs, 6, is_apart ? "3x1" : "2x1", policy, &options, &r) != HS_OK)
            fail_msg("%s: %s", policy, r.message);
        assert_int_equal(r.segment_count, 6);
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t job = r.segments[i].job;
            assert_int_equal(r.segments[i].gpus[0], job == 4 ? of_250 : job == 5 ? of_300 : 0);
            assert_int_equal(r.jobs[job].start_us, 2 * job * S);
        }
        hs_test_free(&r);
    }
}

/* 600 leaves 400 on either GPU, of no use to one job in four: .1, score 47 on both, so GPU 0.
 *   250: on GPU 0 400 x 1/4 = 100 become 150, of no use to any: x = -.05, score 48; on GPU 1
 *        nothing is lost before or after: 50.
 *   300: on GPU 0 100 stay 100, of no use to any: 50; on GPU 1 750 become 450, 0 become 450 x 1/4:
 *        x = -.1125, score 47.
 * The other scores use what is left: 250 beside 600 is the tightest, so 300 goes to the idle GPU.
 */
static void a_share_goes_where_least_is_lost(void **state)
{
    (void)state;
    expect_gpus("fgd", 1, 0);
    expect_gpus("fgd:score=best_fit", 0, 1);    /* 250: 92 against 62 */
    expect_gpus("fgd:score=dot_product", 0, 1); /* 250: 95 against 87 */
}

/* With typical=.75 the 600 is not a typical job, so the 400 beside it are of use to all. 250 on GPU
 * 0 would lose 150: x = -.15, score 46; on GPU 1 50. 300 on GPU 0 would lose 100: 47; on GPU 1,
 * where 450 are left, 50. */
static void rare_jobs_do_not_count(void **state)
{
    (void)state;
    expect_gpus("fgd:typical=0.75", 1, 1);
}

/* A CPU job holds 3 of 4 CPUs, or GiB of host memory, until 50: the GPU job, which needs 2, waits
 * although its GPU is idle; under scan=fit one that needs 1 passes it and runs until 60. */
static void cpu_jobs_book_cpus_and_memory(void **state)
{
    (void)state;
    static const char shape[] = "{\"nodes\": [{\"gpus\": 2, \"cpus\": 4, \"mem_mib\": 4096}]}";
    const char *cluster = scratch_write("cpus.json", shape, sizeof shape - 1);
    for (int i = 0; i < 4; i++) {
        const bool is_fit = i % 2 > 0, is_memory = i / 2 > 0;
        struct hs_test_job jobs[] = {
            {.gpus = 0, .cpus = 3, .submit_s = 0, .duration_s = 50},
            {.gpus = 1, .cpus = 2, .submit_s = 1, .duration_s = 10},
            {.gpus = 1, .cpus = 1, .submit_s = 2, .duration_s = 58},
        };
        for (int j = 0; is_memory && j < 3; j++) {
            jobs[j].mem_mib = 1024 * jobs[j].cpus;
            jobs[j].cpus = 1;
        }
        struct hs_test_result r;
        assert_int_equal(hs_test_run(jobs, 3, cluster, is_fit ? "fgd:scan=fit" : "fgd", &r), HS_OK);
        assert_int_equal(r.jobs[0].start_us, 0);
        assert_int_equal(r.jobs[1].start_us, 50 * S);
        assert_int_equal(r.jobs[2].start_us, is_fit ? 2 * S : 50 * S);
        hs_test_free(&r);
    }
}

/* Gangs of shares, and gangs larger than a node, are placed as by placement=consolidate. */
static void other_gangs_are_consolidated(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {
        {.gpus = 2, .gpu_milli = 500, .duration_s = 10},
        {.gpus = 3, .submit_s = 1, .duration_s = 10},
        {.gpus = 5, .submit_s = 2, .duration_s = 10},
    };
    struct hs_test_result r;
    assert_int_equal(hs_test_run(jobs, 3, "2x2", "fgd", &r), HS_OK);
    assert_int_equal(r.jobs[0].start_us, 0);
    assert_int_equal(r.jobs[1].start_us, 10 * S);
    assert_int_equal(r.jobs[2].state, HS_JOB_REJECTED);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_goes_where_least_is_lost),
        cmocka_unit_test(rare_jobs_do_not_count),
        cmocka_unit_test(cpu_jobs_book_cpus_and_memory),
        cmocka_unit_test(other_gangs_are_consolidated),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
