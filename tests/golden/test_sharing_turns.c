/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns and moves where GPUs are shared: the quantum of gandiva-like, the migration of horus, and
 * jobs without GPUs, for which no job is preempted. Schedules worked out by hand; jobs are written
 * id:gpus,submit,duration%utilization&memory, timelines id:start-end@GPU (scenario.h), and do not
 * slow each other; predictions are the truth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

#define S HS_TEST_S

/* Two GPUs of 10000 MiB of type S, one of type T; two virtual clusters of a GPU each. */
static char s_and_t[256], halves[256];

static int set_up(void **state)
{
    (void)scratch_open(state);
    scratch_keep(s_and_t, sizeof s_and_t, "s-and-t.json",
                 "{\"gpu_types\": {\"S\": {\"mem_mib\": 10000}, \"T\": {\"mem_mib\": 10000}},"
                 " \"nodes\": [{\"gpus\": 2, \"type\": \"S\"}, {\"gpus\": 1, \"type\": \"T\"}]}");
    scratch_keep(halves, sizeof halves, "halves.json",
                 "{\"nodes\": [{\"gpus\": 1, \"vc\": \"x\"}, {\"gpus\": 1, \"vc\": \"y\"}]}");
    return 0;
}

/* ---- the quantum ---- */

/* a starts at 0 and b waits, so a is preempted after its first quantum although no other event
 * happens then; b ends before its own quantum does. Both are submitted at 0: no later submission
 * sets a timer. */
static void the_first_quantum_ends(void **state)
{
    (void)state;
    scenario_expect("1x1", "gandiva-like:max_tenants=1,quantum=60s,suspend=0s",
                    "a:1,0,100%50&0 b:1,0,10%50&0", "a:0-60,70-110 b:60-70");
}

/* A turn costs 2 s and lasts one: a runs in 0-1, owes 2 and runs in 4-5, owes 2 again and runs in
 * 10-11; b runs in 1-2, owes 2 and runs in 7-8. If the quantum counted what is owed, a job that was
 * stopped once would never make progress. */
static void a_turn_brings_the_job_on_whatever_it_costs(void **state)
{
    (void)state;
    scenario_expect("1x1", "gandiva-like:max_tenants=1,quantum=1s,suspend=2s",
                    "a:1,0,3%50&0 b:1,0,2%50&0", "a:0-1,2-5,8-11 b:1-2,5-8");
}

/* b waits for the GPU of x, so a is not preempted for it; y's jobs do not wait for b. */
static void no_preemption_for_another_partition(void **state)
{
    (void)state;
    const struct hs_test_options options = {.vc = HS_VC_PARTITION};
    scenario_expect_with(halves, "gandiva-like:max_tenants=1,quantum=10s,suspend=1s",
                         "a:1,0,15@x%50&0 b:1,0,4@x%50&0 c:1,0,30@y%50&0", &options,
                         "a:0-10@0,14-20@0 b:10-14@0 c:0-30@1");
}

/* ---- jobs without GPUs ---- */

/* The GPU is full until 100, and b precedes c in the window. */
static void no_gpu_is_needed_for_no_gpu(void **state)
{
    (void)state;
    static const char *const policies[] = {"horus",
                                           "horus:order=fifo",
                                           "horus+",
                                           "horus-s",
                                           "pack:scan=fit",
                                           "gandiva-like:scan=fit",
                                           "colocate-fifo:scan=fit"};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        const struct hs_test_options options = {.max_tenants = 1};
        scenario_expect_with("1x1", policies[i], "a:1,0,100%50&0 b:1,1,10%50&0 c:0,5,10%90&0",
                             &options, "a:0-100 b:100-110 c:5-15");
    }
}

/* ---- migration ---- */

static struct hs_test_job job_of(uint32_t gpus, int64_t submit_s, int64_t duration_s,
                                 int32_t util_pm, uint32_t mem_mib, const char *type)
{
    return (struct hs_test_job){.gpus = gpus,
                                .submit_s = submit_s,
                                .duration_s = duration_s,
                                .gpu_util_pm = util_pm,
                                .gpu_mem_mib = mem_mib,
                                .gpu_type = type};
}

static void play(const struct hs_test_job *jobs, uint32_t count, const char *policy,
                 struct hs_test_result *r)
{
    const struct hs_test_options options = {.max_tenants = 4};
    if (hs_test_run_with(jobs, count, s_and_t, policy, &options, r) != HS_OK)
        fail_msg("%s", r->message);
}

/* A gang fills the memory of both GPUs of S until 10, so the others share T. Then the one of
 * highest utilization among them, c of 30 %, moves to GPU 0: 0.3 s + 4 s/GB x 1000 x 1.048576e-3 GB
 * = 4.494304 s. */
static void the_busiest_moves_to_an_idle_gpu(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {
        job_of(2, 0, 10, 400, 9900, NULL), job_of(1, 0, 100, 100, 1000, NULL),
        job_of(1, 0, 100, 300, 1000, NULL), job_of(1, 0, 100, 200, 1000, NULL)};
    play(jobs, 4, "horus:order=fifo,max_tenants=4,migrate=yes", &r);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[2].end_us, 104494304);
    assert_int_equal(r.jobs[3].end_us, 100 * S);
    assert_int_equal(r.jobs[1].migrations + r.jobs[3].migrations, 0);
    assert_int_equal(r.jobs[2].migrations, 1);
    assert_int_equal(r.jobs[2].overhead_us, 4494304);
    hs_test_free(&r);
}

/* The second job's utilization is unknown: it counts as 100 %, and it moves. */
static void unknown_is_the_busiest(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {
        job_of(2, 0, 10, 400, 9900, NULL), job_of(1, 0, 100, 0, 1000, NULL),
        job_of(1, 0, 100, 300, 1000, NULL), job_of(1, 0, 100, 200, 1000, NULL)};
    play(jobs, 4, "horus:order=fifo,max_tenants=4,migrate=yes", &r);
    assert_int_equal(r.jobs[1].migrations, 1);
    assert_int_equal(r.jobs[2].migrations + r.jobs[3].migrations, 0);
    hs_test_free(&r);
}

/* The job of highest utilization may run on T only, where no GPU is idle: the next one moves. */
static void a_job_that_cannot_move_blocks_none(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {
        job_of(2, 0, 10, 400, 9900, NULL), job_of(1, 0, 100, 900, 1000, "T"),
        job_of(1, 0, 100, 300, 1000, NULL), job_of(1, 0, 100, 200, 1000, NULL)};
    play(jobs, 4, "horus:order=fifo,max_tenants=4,migrate=yes", &r);
    assert_int_equal(r.jobs[2].migrations, 1);
    assert_int_equal(r.jobs[1].migrations + r.jobs[3].migrations, 0);
    hs_test_free(&r);
}

/* Four on T, at 10 both GPUs of S fall idle: the one of 40 % moves, and the fifth, for T only,
 * takes its GPU. When the move ends, at 10 + 4.494304 s, the one of 30 % may move, and the sixth
 * starts at that moment: no other event happens then that would cause a decision. */
static void a_move_makes_room(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {
        job_of(2, 0, 10, 400, 9900, NULL),  job_of(1, 0, 100, 100, 1000, NULL),
        job_of(1, 0, 100, 200, 1000, NULL), job_of(1, 0, 100, 300, 1000, NULL),
        job_of(1, 0, 100, 400, 1000, NULL), job_of(1, 0, 100, 50, 1000, "T"),
        job_of(1, 0, 100, 50, 1000, "T")};
    play(jobs, 7, "horus:order=fifo,max_tenants=4,migrate=yes,migrate_every=1s", &r);
    assert_int_equal(r.jobs[4].migrations, 1);
    assert_int_equal(r.jobs[3].migrations, 1);
    assert_int_equal(r.jobs[5].start_us, 10 * S);
    assert_int_equal(r.jobs[6].start_us, 14494304);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_quantum_ends),
        cmocka_unit_test(a_turn_brings_the_job_on_whatever_it_costs),
        cmocka_unit_test(no_preemption_for_another_partition),
        cmocka_unit_test(no_gpu_is_needed_for_no_gpu),
        cmocka_unit_test(the_busiest_moves_to_an_idle_gpu),
        cmocka_unit_test(unknown_is_the_busiest),
        cmocka_unit_test(a_job_that_cannot_move_blocks_none),
        cmocka_unit_test(a_move_makes_room),
    };
    return cmocka_run_group_tests_name("turns on shared GPUs", tests, set_up, scratch_close);
}
