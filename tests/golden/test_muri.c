/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * muri on clusters small enough to verify on paper. M-numbers are the micro-scenarios of the
 * design, GN results that must not appear. The stages of an iteration, on storage and CPU and on
 * the GPU, are (2, 1) for A and (1, 2) for B, 3 s, (3, 1) for C and (1, 3) for D, 4 s.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/speed.h"
#include "model/stages.h"
#include "support/run.h"
#include "support/sink.h"

#define ROWS                                                                                       \
    "\"rows\": [\n"                                                                                \
    "{\"model\": \"A\", \"gpus\": 1, \"iteration_ms\": 3000, \"data_ms\": 2000, \"gpu_ms\": "      \
    "1000, \"network_ms\": 0},\n"                                                                  \
    "{\"model\": \"B\", \"gpus\": 1, \"iteration_ms\": 3000, \"data_ms\": 1000, \"gpu_ms\": "      \
    "2000, \"network_ms\": 0},\n"                                                                  \
    "{\"model\": \"C\", \"gpus\": 1, \"iteration_ms\": 4000, \"data_ms\": 3000, \"gpu_ms\": "      \
    "1000, \"network_ms\": 0},\n"                                                                  \
    "{\"model\": \"D\", \"gpus\": 1, \"iteration_ms\": 4000, \"data_ms\": 1000, \"gpu_ms\": "      \
    "3000, \"network_ms\": 0}]}\n"
#define HEAD "{\"kind\": \"stages\", \"format\": 2, "

static const char factors_1[] = HEAD "\"overhead\": [1, 1, 1, 1], " ROWS;
static const char released[] = HEAD "\"overhead\": [1.015, 1.33, 1.5, 1.37], " ROWS;

static struct sink sink;
static struct hs_test_result result;

/* Runs the jobs; every restart takes `restart_s` seconds. */
static void play(const char *cluster, const char *policy, const char *file, const char *restart_s,
                 const struct hs_test_job *jobs, uint32_t count)
{
    char table[64] = "model,gpus,restart_s\n*,1,";
    struct hs_stages *stages;
    struct hs_overheads *restart;
    strcat(strcat(table, restart_s), "\n");
    sink_init(&sink);
    assert_int_equal(
        hs_stages_load(&stages, scratch_write("stages.json", file, strlen(file)), NULL, &sink.diag),
        HS_OK);
    assert_int_equal(
        hs_restart_load(&restart, scratch_write("restart.csv", table, strlen(table)), &sink.diag),
        HS_OK);
    const struct hs_test_options options = {.stages = stages, .restart = restart};
    if (hs_test_run_with(jobs, count, cluster, policy, &options, &result) != HS_OK)
        fail_msg("%s: %s", policy, result.message);
    hs_stages_free(stages);
    hs_overheads_free(restart);
}

/* Rates are rounded to 2^-32, ends up to a microsecond. */
static bool ends_at(uint32_t job, double end_s)
{
    return fabs((double)result.jobs[job].end_us / 1e6 - end_s) < 1e-5;
}

/* Whether both started on the same GPU. */
static bool are_beside(uint32_t a, uint32_t b)
{
    uint32_t gpus[2] = {HS_NO_GPU, HS_NO_NODE};
    for (uint32_t i = result.segment_count; i-- > 0;) {
        const struct hs_test_segment *s = &result.segments[i];
        if (s->job == a || s->job == b)
            gpus[s->job == b] = s->gpus[0];
    }
    return gpus[0] == gpus[1];
}

static const struct hs_test_job four[] = {{.gpus = 1, .duration_s = 300, .model = "A"},
                                          {.gpus = 1, .duration_s = 300, .model = "B"},
                                          {.gpus = 1, .duration_s = 400, .model = "C"},
                                          {.gpus = 1, .duration_s = 400, .model = "D"}};

/* M2. While there are idle GPUs no job shares; on two GPUs none is slowed: AB has a period of 3 s,
 * CD of 4 s. */
static void groups_only_where_gpus_are_short(void **state)
{
    (void)state;
    for (uint32_t gpus = 2; gpus <= 4; gpus += 2) {
        play(gpus == 4 ? "1x4" : "1x2", "muri", factors_1, "0", four, 4);
        assert_true(ends_at(0, 300) && ends_at(1, 300) && ends_at(2, 400) && ends_at(3, 400));
        assert_int_equal(are_beside(0, 1), gpus == 2);
        assert_int_equal(are_beside(2, 3), gpus == 2);
        assert_false(are_beside(0, 2));
        hs_test_free(&result);
    }
}

/* Two A, B and D on two GPUs. AB and AD have periods of 3 and 4 s, AA and BD of 4 and 5: both A are
 * in pairs, and B, of the better one, has the first of them. */
static void the_best_pair_has_the_first_job(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {four[0], four[0], four[1], four[3]};
    play("1x2", "muri", factors_1, "0", jobs, 4);
    assert_true(are_beside(0, 2) && are_beside(1, 3));
    hs_test_free(&result);
}

/* M6. A has 100, B 200 iterations. Period 3 s: neither is slowed. With the released factors it is 3
 * x 1.33 / 1.015 = 3.93103 s where an iteration alone takes 3.045 s; 1.015 of these count as one of
 * ours, unless compat=muri uses them as they are. */
static void pair_that_fits(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 300, .model = "A"},
                                       {.gpus = 1, .duration_s = 600, .model = "B"}};
    play("1x1", "muri", factors_1, "0", jobs, 2);
    assert_true(ends_at(0, 300) && ends_at(1, 600));
    hs_test_free(&result);
    play("1x1", "muri", released, "0", jobs, 2);
    assert_true(ends_at(0, 393.1034483 / 1.015) && ends_at(1, 697.6034483 / 1.015));
    hs_test_free(&result);
    play("1x1", "muri:compat=muri,placement=yarn", released, "0", jobs, 2);
    assert_true(ends_at(0, 393.1034483) && ends_at(1, 697.6034483));
    hs_test_free(&result);
}

/* M7, GN. Submissions at 100 and 200 that are never placed beside a group of two, 10 s a restart.
 * compat: at each event both lose 20 s, the last span of each loses nothing: A has done 160 at 200,
 * ends at 340; B has done 280 then, ends at 660. Without compat nothing is moved and nothing is
 * lost. */
static void arrivals_cost_nothing(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 2, .duration_s = 300, .model = "A"},
        {.gpus = 2, .duration_s = 600, .model = "B"},
        {.gpus = 1, .submit_s = 100, .duration_s = 9000, .model = "C"},
        {.gpus = 1, .submit_s = 200, .duration_s = 9000, .model = "C"}};
    play("1x2", "muri:compat=muri,placement=yarn", factors_1, "10", jobs, 4);
    assert_true(ends_at(0, 340) && ends_at(1, 660));
    hs_test_free(&result);
    play("1x2", "muri:preempt_cost=restart", factors_1, "10", jobs, 4);
    assert_true(ends_at(0, 300) && ends_at(1, 600));
    assert_int_equal(result.jobs[0].overhead_us + result.jobs[1].overhead_us, 0);
    hs_test_free(&result);
}

/* Jobs of unknown stages, all GPU, gain nothing together: the period of X and Y is the sum of their
 * iterations, so they take turns. */
static void equal_jobs_gain_nothing(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .model = "X"},
                                       {.gpus = 1, .duration_s = 200, .model = "Y"}};
    play("1x1", "muri", released, "0", jobs, 2);
    assert_true(ends_at(0, 100) && ends_at(1, 300));
    hs_test_free(&result);
}

/* Gangs of different sizes never share: 1 + 2 GPUs on 2. */
static void gangs_share_only_their_like(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 300, .model = "A"},
                                       {.gpus = 2, .duration_s = 300, .model = "B"}};
    play("1x2", "muri", factors_1, "0", jobs, 2);
    assert_true(ends_at(0, 300) && ends_at(1, 600));
    hs_test_free(&result);
}

/* Muri-L: the job with the least attained GPU time is first. X has had 100 s when Y, of unknown
 * stages as X, is submitted and takes the GPU; a restart of X takes 7 s. */
static void least_attained_first(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 300, .model = "X"},
        {.gpus = 1, .submit_s = 100, .duration_s = 50, .model = "Y"}};
    play("1x1", "muri:know=nothing", released, "0", jobs, 2);
    assert_true(ends_at(0, 350) && ends_at(1, 150));
    hs_test_free(&result);
    play("1x1", "muri:know=nothing,preempt_cost=restart", released, "7", jobs, 2);
    assert_true(ends_at(0, 357) && ends_at(1, 150));
    hs_test_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_only_where_gpus_are_short),
        cmocka_unit_test(the_best_pair_has_the_first_job),
        cmocka_unit_test(pair_that_fits),
        cmocka_unit_test(arrivals_cost_nothing),
        cmocka_unit_test(equal_jobs_gain_nothing),
        cmocka_unit_test(gangs_share_only_their_like),
        cmocka_unit_test(least_attained_first),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
