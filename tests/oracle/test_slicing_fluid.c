/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact and fluid time slices agree (MODEL.md 6): on random scenarios of gangs of one size, under
 * gandiva on one server and under every rule of salus on one GPU, a job's finish times differ by at
 * most one quantum (salus: one iteration) per job per change of the sharing set.
 *
 * A change, that is a submission or an end, can find a job anywhere in the ring, so it moves the
 * job ahead or back by at most one turn against its share of the time; a turn that it lacks in the
 * end follows when each of its co-runners has had one. Hence the turns by which it may differ: the
 * jobs that are submitted or end during its run, itself included, each counted with the jobs then
 * present.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/trials.h"

#define JOBS_MAX  12
#define SHOWN_MAX 5

struct scenario {
    struct hs_test_job jobs[JOBS_MAX];
    uint32_t count, slots;
    int64_t turn_us;
    char cluster[32], exact[256], fluid[256];
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- drawing ---- */

static void draw_jobs(struct scenario *s, struct dice *d, uint32_t gpus)
{
    int64_t submit_us = 0;
    s->count = (uint32_t)dice_roll(d, 2, JOBS_MAX);
    for (uint32_t i = 0; i < s->count; i++) {
        submit_us += i > 0 && dice_roll(d, 0, 2) > 0 ? trial_draw_us(d, 0, 10, true) : 0;
        s->jobs[i] = (struct hs_test_job){
            .gpus = gpus, .submit_us = submit_us, .duration_us = trial_draw_us(d, 1, 60, true)};
    }
}

static void draw_gandiva(struct scenario *s, struct dice *d)
{
    static const char rest[] = "max_height=16,switch=0,pack=no,migrate=no,defrag=no,grow=no";
    uint32_t gpus = (uint32_t)dice_roll(d, 1, 3), node = gpus * (uint32_t)dice_roll(d, 1, 4);
    *s = (struct scenario){.turn_us = trial_draw_us(d, 1, 6, true), .slots = node / gpus};
    node += (uint32_t)dice_roll(d, 0, (int)gpus - 1); /* GPUs that no job can use */
    draw_jobs(s, d, gpus);
    (void)snprintf(s->cluster, sizeof s->cluster, "1x%" PRIu32, node);
    (void)snprintf(s->exact, sizeof s->exact, "gandiva:slicing=exact,quantum=%s,%s",
                   trial_seconds(s->turn_us), rest);
    (void)snprintf(s->fluid, sizeof s->fluid, "gandiva:slicing=fluid,quantum=%s,%s",
                   trial_seconds(s->turn_us), rest);
}

static void draw_salus(struct scenario *s, struct dice *d)
{
    static const char *const rules[] = {"fifo", "srtf", "pack", "fair", "rr"};
    const char *rule = rules[dice_roll(d, 0, 4)];
    *s = (struct scenario){.cluster = "1x1", .slots = 1};
    draw_jobs(s, d, 1);
    for (uint32_t i = 0; i < s->count; i++) {
        s->jobs[i].step_us = dice_roll(d, 50000, 2000000);
        s->jobs[i].gpu_mem_mib = 100;
        s->jobs[i].gpu_mem_persistent_mib = 50;
        s->turn_us = larger(s->turn_us, s->jobs[i].step_us);
    }
    (void)snprintf(s->exact, sizeof s->exact, "salus:mode=exact,rule=%s,lanes=one", rule);
    (void)snprintf(s->fluid, sizeof s->fluid, "salus:mode=fluid,rule=%s,lanes=one", rule);
}

/* ---- comparing ---- */

/* Number of jobs present at an instant, in one of the runs. */
static int64_t present_at(const struct scenario *s, const struct hs_test_result *r, int64_t at_us)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        count += s->jobs[i].submit_us <= at_us && at_us <= r->jobs[i].end_us;
    return count;
}

/* Number of turns by which a job may differ. */
static int64_t turns_of(const struct scenario *s, const struct hs_test_result *exact,
                        const struct hs_test_result *fluid, uint32_t job)
{
    int64_t from_us = s->jobs[job].submit_us, turns = 0;
    int64_t to_us = larger(exact->jobs[job].end_us, fluid->jobs[job].end_us);
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t at_us[] = {s->jobs[i].submit_us,
                           smaller(exact->jobs[i].end_us, fluid->jobs[i].end_us)};
        for (int k = 0; k < 2; k++) {
            int64_t there = larger(present_at(s, exact, at_us[k]), present_at(s, fluid, at_us[k]));
            if (from_us <= at_us[k] && at_us[k] <= to_us)
                turns += (there + s->slots - 1) / s->slots;
        }
    }
    return turns;
}

/* Prints the scenario, and the runs if not NULL. */
static void print_scenario(const struct scenario *s, const struct hs_test_result *exact,
                           const struct hs_test_result *fluid)
{
    print_error("%s on %s, %" PRIu32 " slots, turns of %s\n", s->exact, s->cluster, s->slots,
                trial_seconds(s->turn_us));
    for (uint32_t i = 0; i < s->count; i++) {
        print_error("  %" PRIu32 ":%" PRIu32 ",%s,%s*%s", i, s->jobs[i].gpus,
                    trial_seconds(s->jobs[i].submit_us), trial_seconds(s->jobs[i].duration_us),
                    trial_seconds(s->jobs[i].step_us));
        if (fluid != NULL)
            print_error(" exact %s fluid %s, may differ by %" PRId64 " turns",
                        trial_seconds(exact->jobs[i].end_us), trial_seconds(fluid->jobs[i].end_us),
                        turns_of(s, exact, fluid, i));
        print_error("\n");
    }
}

static void play(const struct scenario *s, const char *policy, struct hs_test_result *r)
{
    const struct hs_test_options options = {.max_tenants = 16};
    if (hs_test_run_with(s->jobs, s->count, s->cluster, policy, &options, r) == HS_OK)
        return;
    print_scenario(s, NULL, NULL);
    fail_msg("%s: %s", policy, r->message);
}

/* Difference in per mille of what is allowed, at the job that differs most. */
static int64_t compare(const struct scenario *s, bool is_shown)
{
    struct hs_test_result exact, fluid;
    int64_t worst_pm = 0;
    play(s, s->exact, &exact);
    play(s, s->fluid, &fluid);
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t by_us = exact.jobs[i].end_us - fluid.jobs[i].end_us;
        assert_int_equal(exact.jobs[i].state, HS_JOB_DONE);
        assert_int_equal(fluid.jobs[i].state, HS_JOB_DONE);
        worst_pm = larger(worst_pm, larger(by_us, -by_us) * 1000 /
                                        (s->turn_us * turns_of(s, &exact, &fluid, i)));
    }
    if (is_shown)
        print_scenario(s, &exact, &fluid);
    hs_test_free(&exact);
    hs_test_free(&fluid);
    return worst_pm;
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : preset;
}

static void compare_all(void (*draw)(struct scenario *, struct dice *), uint64_t count)
{
    static struct scenario s;
    uint64_t seed = setting("HORUS_SEED", 1), first = setting("HORUS_FROM", 0), differ = 0;
    int64_t worst_pm = 0;
    count = setting("HORUS_SCENARIOS", count * (setting("HORUS_LONG", 0) != 0 ? 10 : 1));
    for (uint64_t number = first; number < first + count; number++) {
        struct dice d = {.seed = hs_mix64(seed, number)};
        draw(&s, &d);
        int64_t by_pm = compare(&s, false);
        worst_pm = larger(worst_pm, by_pm);
        if (by_pm > 1000 && differ++ < SHOWN_MAX) {
            print_error("scenario %" PRIu64 ": ", number);
            (void)compare(&s, true);
        }
    }
    print_message("%" PRIu64 " random scenarios (seed %" PRIu64 "), %" PRIu64
                  " differ by more, at most %" PRId64 " per mille of the bound\n",
                  count, seed, differ, worst_pm);
    assert_true(differ == 0);
}

static void turns_of_gandiva(void **state)
{
    (void)state;
    compare_all(draw_gandiva, 2000);
}

static void turns_of_salus(void **state)
{
    (void)state;
    compare_all(draw_salus, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns_of_gandiva),
                                       cmocka_unit_test(turns_of_salus)};
    return cmocka_run_group_tests_name("exact and fluid", tests, NULL, NULL);
}
