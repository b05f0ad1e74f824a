/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * horus-s on schedules that a person can verify. Predicted slowdowns are S = 1 + 0.5 u v^2, u the
 * job's own and v the other's utilization (predictor_plain_model); jobs do not really slow each
 * other. So a job of 60 % beside one of 100 % is slowed by 0.5 x 0.6 x 1 = 0.30 and slows it by
 * 0.5 x 1 x 0.36 = 0.18, 0.48 in all; a job of 100 % beside one of 60 % the reverse. Jobs are
 * written id:gpus,submit,duration%utilization (scenario.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/predictor_fixture.h"

static struct predictor_fixture plain_fixture, steep_fixture;
static struct hs_predictor *plain, *steep;

static int set_up(void **state)
{
    const struct hs_predictor_options oracle = {.kind = HS_PREDICT_ORACLE};
    (void)scratch_open(state);
    predictor_open(&plain_fixture, PREDICTOR_NO_ROWS, predictor_plain_model());
    plain = predictor_make(&plain_fixture, oracle);
    predictor_open(&steep_fixture, PREDICTOR_NO_ROWS,
                   predictor_model(PREDICTOR_MODEL(
                       "{\"k\": 4096, \"alpha\": 1, \"beta\": 2, \"error\": 0.1}", "")));
    steep = predictor_make(&steep_fixture, oracle);
    return 0;
}

static int tear_down(void **state)
{
    hs_predictor_close(plain);
    hs_predictor_close(steep);
    predictor_close(&plain_fixture);
    predictor_close(&steep_fixture);
    return scratch_close(state);
}

static void expect_of(const struct hs_predictor *predictor, const char *policy, const char *jobs,
                      const char *timeline)
{
    const struct hs_test_options options = {.max_tenants = 4, .predictor = predictor};
    scenario_expect_with("1x1", policy, jobs, &options, timeline);
}

static void expect(const char *policy, const char *jobs, const char *timeline)
{
    expect_of(plain, policy, jobs, timeline);
}

/* 0.30 is the larger of the two slowdowns, whichever job has it. Of three jobs of 50 % the last is
 * slowed by 2 x 0.5 x 0.5 x 0.25 = 0.125, and slows the others by as much; for two it is 0.0625. */
static void slowdowns_are_capped(void **state)
{
    (void)state;
    expect("horus-s:patience=1000,slowdown_cap=1.31", "a:1,0,100%100 b:1,1,10%60",
           "a:0-100 b:1-11");
    expect("horus-s:patience=1000,slowdown_cap=1.29", "a:1,0,100%100 b:1,1,10%60",
           "a:0-100 b:100-110");
    expect("horus-s:patience=1000,slowdown_cap=1.31", "a:1,0,100%60 b:1,1,10%100",
           "a:0-100 b:1-11");
    expect("horus-s:patience=1000,slowdown_cap=1.29", "a:1,0,100%60 b:1,1,10%100",
           "a:0-100 b:100-110");
    expect("horus-s:patience=1000,slowdown_cap=1.13", "a:1,0,100%50 b:1,0,100%50 c:1,1,10%50",
           "a:0-100 b:0-100 c:1-11");
    expect("horus-s:patience=1000,slowdown_cap=1.12", "a:1,0,100%50 b:1,0,100%50 c:1,1,10%50",
           "a:0-100 b:0-100 c:100-110");
}

/* One GPU is held. b alone waits for 1 x patience, less or more than its 0.48. With c two jobs wait
 * for that GPU, and 2 x 0.25 are more: b starts at the submission of c. Then c is alone. */
static void waits_while_the_queue_is_short(void **state)
{
    (void)state;
    expect("horus-s:patience=0.47,slowdown_cap=2", "a:1,0,100%100 b:1,1,10%60",
           "a:0-100 b:100-110");
    expect("horus-s:patience=0.49,slowdown_cap=2", "a:1,0,100%100 b:1,1,10%60", "a:0-100 b:1-11");
    expect("horus-s:patience=0.25,slowdown_cap=2", "a:1,0,100%100 b:1,1,10%60 c:1,2,10%60",
           "a:0-100 b:2-12 c:100-110");
}

/* With overtake=400s a job counts as submitted later by 1 s for each 0.1 % of its unfitness: m of
 * 40 % by 400, l of 10 % by 100, h of 90 % by (100 - 90) x 40 / 60 = 6.6 %: 66. */
static void best_partner_goes_first(void **state)
{
    (void)state;
    expect("horus-s:max_tenants=1,overtake=400s",
           "a:1,0,100%100 m:1,1,10%40 l:1,2,10%10 h:1,3,10%90",
           "a:0-100 m:120-130 l:110-120 h:100-110");
    expect("horus-s:max_tenants=1,overtake=0s", "a:1,0,100%100 m:1,1,10%40 l:1,2,10%10 h:1,3,10%90",
           "a:0-100 m:100-110 l:110-120 h:120-130");
}

/* m counts as submitted at 401. A job without any unfitness passes it if submitted before, not
 * after. */
static void overtaking_is_bounded(void **state)
{
    (void)state;
    expect("horus-s:max_tenants=1,overtake=400s", "a:1,0,500%50 m:1,1,10%40 x:1,400,10%100",
           "a:0-500 m:510-520 x:500-510");
    expect("horus-s:max_tenants=1,overtake=400s", "a:1,0,500%50 m:1,1,10%40 x:1,402,10%100",
           "a:0-500 m:500-510 x:510-520");
}

/* A model that predicts 4097 for two of 100 %: far beyond any cap, but a finite number. */
static void absurd_slowdowns_stay_large(void **state)
{
    (void)state;
    expect_of(steep, "horus-s:patience=1000", "a:1,0,100%100 b:1,1,10%100", "a:0-100 b:100-110");
    expect_of(steep, "horus-s:patience=1000", "a:1,0,100%50 b:1,1,10%100", "a:0-100 b:100-110");
    expect_of(steep, "horus-s:patience=1e9,slowdown_cap=100", "a:1,0,100%100 b:1,1,10%100",
              "a:0-100 b:100-110");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowdowns_are_capped),
        cmocka_unit_test(waits_while_the_queue_is_short),
        cmocka_unit_test(best_partner_goes_first),
        cmocka_unit_test(overtaking_is_bounded),
        cmocka_unit_test(absurd_slowdowns_stay_large),
    };
    return cmocka_run_group_tests_name("horus-s by hand", tests, set_up, tear_down);
}
