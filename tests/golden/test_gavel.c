/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel: linear programs small enough to solve on paper, and rounds of 360 s small enough to draw.
 * G-numbers are micro-scenarios of the design. Speeds are steps a second; a job of N steps runs N
 * seconds at speed 1. In a drawing a row is a GPU, a column a round, '.' an idle GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "model/speed.h"
#include "policies/gavel/gavel.h"
#include "support/scenario.h"
#include "support/sink.h"

#define expect scenario_expect

/* ---- shares ---- */

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6))
        fail_msg("%.9g, not %.9g", value, expected);
}

/* Solves for `count` classes of members with these shares on two types; returns the goal. */
static double check_shares(enum hs_gavel_objective objective, const double gpus[2],
                           const struct hs_gavel_class *classes, uint32_t count,
                           const double *expected)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = objective, .types = 2, .gpus = {gpus[0], gpus[1]}};
    uint32_t first[4];
    double shares[2];
    hs_gavel_begin(&p);
    for (uint32_t i = 0; i < count; i++)
        first[i] = hs_gavel_add(&p, &classes[i]);
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t i = 0; i < count; i++) {
        hs_gavel_shares(&p, first[i], shares);
        assert_near(shares[0], expected[2 * i]);
        assert_near(shares[1], expected[2 * i + 1]);
    }
    const double goal = hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return goal;
}

/* G1, 1 V100 and 2 K80s: speeds (40, 10) and (12, 6), mean speeds of the three GPUs 20 and 8. Both
 * work all the time, with x and y of it on the V100: (40 x + 10 (1 - x)) / 20 = (12 y + 6 (1 - y))
 * / 8, and x + y = 1: .5 + 1.5 x = .75 + .75 (1 - x), x = 4/9 and t = 7/6.
 * OSDI'20 4.1: 1 V100, 1 K80 and three jobs. The third prefers the K80 least; t = 8/11, which is
 * 12/11 of what a third of each GPU gives. */
static void g1_max_min(void **state)
{
    (void)state;
    const struct hs_gavel_class two[] = {{.members = 1, .gang = 1, .weight = 1, .speed = {40, 10}},
                                         {.members = 1, .gang = 1, .weight = 1, .speed = {12, 6}}};
    assert_near(check_shares(HS_GAVEL_LAS, (double[]){1, 2}, two, 2,
                             (double[]){4. / 9, 5. / 9, 5. / 9, 4. / 9}),
                7. / 6);
    const struct hs_gavel_class three[] = {
        {.members = 1, .gang = 1, .weight = 1, .speed = {40, 10}},
        {.members = 1, .gang = 1, .weight = 1, .speed = {12, 4}},
        {.members = 1, .gang = 1, .weight = 1, .speed = {100, 50}}};
    assert_near(check_shares(HS_GAVEL_LAS, (double[]){1, 1}, three, 3,
                             (double[]){5. / 11, 0, 5. / 11, 1. / 11, 1. / 11, 10. / 11}),
                8. / 11);
}

#define CLASSES 60
#define TYPES   3

/* Classes of a draw, with at most so many members. */
static void draw_classes(uint64_t seed, uint32_t count, uint32_t members, struct hs_gavel_class *c)
{
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "classes");
    for (uint32_t i = 0; i < count; i++) {
        c[i] = (struct hs_gavel_class){.members = 1 + (uint32_t)hs_rng_below(&rng, members),
                                       .gang = 1u << hs_rng_below(&rng, 4),
                                       .weight = 1 + (double)hs_rng_below(&rng, 3),
                                       .left = (1 + (double)hs_rng_below(&rng, 1000)) / 1000};
        for (uint32_t t = 0; t < TYPES; t++) /* one of six cannot run there */
            c[i].speed[t] = t > 0 && hs_rng_below(&rng, 6) == 0
                                ? 0
                                : (1 + (double)hs_rng_below(&rng, 1000)) / 1000;
    }
    hs_rng_close(&rng);
}

/* The optimum; each class at once, or member by member. */
static double optimum_of(enum hs_gavel_objective objective, const struct hs_gavel_class *classes,
                         uint32_t count, bool is_split)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = objective, .types = TYPES, .gpus = {8, 4, 16}};
    double sum = 0;
    uint32_t first[CLASSES] = {0};
    hs_gavel_begin(&p);
    for (uint32_t i = 0; i < count; i++) {
        struct hs_gavel_class c = classes[i];
        c.members = is_split ? 1 : c.members;
        for (uint32_t k = 0; k < classes[i].members / c.members; k++) {
            const uint32_t column = hs_gavel_add(&p, &c);
            first[i] = k == 0 ? column : first[i];
        }
    }
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t i = 0; i < count && objective == HS_GAVEL_THROUGHPUT; i++)
        for (uint32_t k = 0; k < (is_split ? classes[i].members : 1); k++) {
            double shares[TYPES];
            hs_gavel_shares(&p, first[i] + k * TYPES, shares);
            sum += hs_gavel_rate(&p, &classes[i], shares) * (is_split ? 1 : classes[i].members);
        }
    if (objective != HS_GAVEL_THROUGHPUT)
        sum = hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return sum;
}

/* Classes give the same optimum as single jobs, on 1,000 draws of up to eight classes of up to six.
 */
static void classes_are_exact(void **state)
{
    static const enum hs_gavel_objective objectives[] = {HS_GAVEL_LAS, HS_GAVEL_MAKESPAN,
                                                         HS_GAVEL_THROUGHPUT};
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct hs_gavel_class c[8];
        const uint32_t count = 1 + (uint32_t)(seed % 8);
        const enum hs_gavel_objective objective = objectives[seed % 3];
        draw_classes(seed, count, 6, c);
        const double at_once = optimum_of(objective, c, count, false);
        const double split = optimum_of(objective, c, count, true);
        if (!(fabs(at_once - split) <= 1e-8 * fmax(1, split)))
            fail_msg("draw %u: %.12g by classes, %.12g by jobs", (unsigned)seed, at_once, split);
    }
}

/* 60 classes of 2,000 jobs on three types are solved within 50 ms of CPU time (about .4 on the
 * machine of this commit). */
static void classes_are_fast(void **state)
{
    (void)state;
    struct hs_gavel_class c[CLASSES];
    draw_classes(1, CLASSES, 1, c);
    for (uint32_t i = 0; i < CLASSES; i++)
        c[i].members = 33 + (i < 20);
    const clock_t start = clock();
    (void)optimum_of(HS_GAVEL_LAS, c, CLASSES, false);
    const double ms = (double)(clock() - start) * 1000 / CLOCKS_PER_SEC;
    print_message("2,000 jobs of %u classes: %.1f ms\n", CLASSES, ms);
    assert_true(ms <= 50);
}

/* Twice the weight is twice the rate: on the one GPU that they can use x = 2 y and x + y = 1. The
 * mean speed of the two GPUs is 1/2: t = x / (2 / 2) = 2/3. */
static void weights(void **state)
{
    (void)state;
    const struct hs_gavel_class c[] = {{.members = 1, .gang = 1, .weight = 2, .speed = {1, 0}},
                                       {.members = 1, .gang = 1, .weight = 1, .speed = {1, 0}}};
    assert_near(
        check_shares(HS_GAVEL_LAS, (double[]){1, 1}, c, 2, (double[]){2. / 3, 0, 1. / 3, 0}),
        2. / 3);
}

/* G2: speeds (10, 2) and (4, 2), 1,000 steps each, 1 V100, 1 K80: .2 and .8 of the V100; 10 x .2 +
 * 2 x .8 = 4 x .8 + 2 x .2 = 3.6 steps a second, 277.78 s. */
static void g2_makespan(void **state)
{
    (void)state;
    const struct hs_gavel_class c[] = {{.members = 1, .gang = 1, .speed = {10, 2}, .left = 1000},
                                       {.members = 1, .gang = 1, .speed = {4, 2}, .left = 1000}};
    assert_near(check_shares(HS_GAVEL_MAKESPAN, (double[]){1, 1}, c, 2, (double[]){.2, .8, .8, .2}),
                3.6 / 1000);
}

/* Most throughput with the jobs of G2: the first on the V100, the second on the K80: 12, the other
 * way round 6. */
static void throughput(void **state)
{
    (void)state;
    const struct hs_gavel_class c[] = {{.members = 1, .gang = 1, .speed = {10, 2}},
                                       {.members = 1, .gang = 1, .speed = {4, 2}}};
    (void)check_shares(HS_GAVEL_THROUGHPUT, (double[]){1, 1}, c, 2, (double[]){1, 0, 0, 1});
}

/* Classes whose least rates are multiplied. */
struct least_rates {
    const struct hs_gavel_program *program;
    const struct hs_gavel_class *classes;
    uint32_t count;
    double times;
};

static bool use_classes(const void *jobs, const double *prices, double *gpus)
{
    const struct least_rates *of = jobs;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct hs_gavel_class *c = &of->classes[i];
        double shares[TYPES];
        if (!hs_gavel_cheapest(of->program, c->speed, c->least * of->times, prices, shares))
            return false;
        for (uint32_t t = 0; t < of->program->types; t++)
            gpus[t] += c->members * c->gang * shares[t];
    }
    return true;
}

/* Whether a mixture has the rates; then its shares, by class, are held against all constraints. */
static bool has_rates(struct hs_gavel_program *p, const struct hs_gavel_class *classes,
                      uint32_t count, double times, double shares[][TYPES])
{
    const struct least_rates of = {p, classes, count, times};
    struct hs_gavel_mixture m = {.count = 1, .of = {{.prices = {1, 1, 1}}}};
    double gpus[TYPES] = {0};
    const enum hs_lp_status status = hs_gavel_mix(p, use_classes, &of, &m);
    assert_true(status == HS_LP_OPTIMAL || status == HS_LP_INFEASIBLE);
    for (uint32_t i = 0; status == HS_LP_OPTIMAL && i < count; i++) {
        const struct hs_gavel_class *c = &classes[i];
        double cheapest[TYPES], time = 0;
        memset(shares[i], 0, sizeof shares[i]);
        for (uint32_t k = 0; k < m.count; k++) {
            assert_true(hs_gavel_cheapest(p, c->speed, c->least * times, m.of[k].prices, cheapest));
            for (uint32_t t = 0; t < p->types; t++)
                shares[i][t] += m.of[k].part * cheapest[t];
        }
        for (uint32_t t = 0; t < p->types; t++) {
            assert_true(shares[i][t] >= 0);
            time += shares[i][t];
            gpus[t] += c->members * c->gang * shares[i][t];
        }
        assert_true(time <= 1 + 1e-6);
        assert_near(hs_gavel_rate(p, c, shares[i]), c->least * times);
    }
    for (uint32_t t = 0; t < p->types; t++)
        assert_true(gpus[t] <= p->gpus[t] * (1 + 1e-6));
    return status == HS_LP_OPTIMAL;
}

/* G4: one GPU, finish-time fairness. A: age 600, 600 left, 300 s with an equal part so far; B: 600
 * left. Equal parts are rates of 1/2: D = 300 + 1,200 and 1,200. The shares x and 1 - x with the
 * least rho: 600 + 600 / x = 1,500 rho, 600 / (1 - x) = 1,200 rho: x = .55425, rho = 1.12170. At
 * that rho the least rates are x and 1 - x; at a smaller one there are none. */
static void g4_finish_time_fairness(void **state)
{
    (void)state;
    struct hs_gavel_program p = {.lp = hs_lp_open(), .types = 1, .gpus = {1}};
    for (int is_less = 0; is_less < 2; is_less++) {
        const double rho = is_less ? 1.1216 : 1.12171;
        const struct hs_gavel_class c[] = {
            {.members = 1, .gang = 1, .speed = {1}, .least = 600 / (1500 * rho - 600)},
            {.members = 1, .gang = 1, .speed = {1}, .least = 600 / (1200 * rho)}};
        double shares[2][TYPES];
        assert_int_equal(has_rates(&p, c, 2, 1, shares), !is_less);
        if (!is_less)
            assert_in_range(lround(shares[0][0] * 1e4), 5542, 5543);
    }
    hs_lp_close(p.lp);
}

/* A mixture has the rates that the program of all classes has, and no more: 1,000 draws of up to
 * eight classes, of rates up to the highest speed. */
static void mixtures_are_exact(void **state)
{
    (void)state;
    uint32_t limited = 0;
    struct hs_gavel_program p = {.lp = hs_lp_open(), .types = TYPES, .gpus = {8, 4, 16}};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct hs_gavel_class c[8];
        double shares[8][TYPES];
        const uint32_t count = 1 + (uint32_t)(seed % 8);
        draw_classes(seed, count, 6, c);
        for (uint32_t i = 0; i < count; i++)
            c[i].least = c[i].left * fmax(fmax(c[i].speed[0], c[i].speed[1]), c[i].speed[2]);
        const double most = optimum_of(HS_GAVEL_FTF, c, count, false);
        if (!has_rates(&p, c, count, most * (1 - 1e-5), shares) ||
            (most < 1 - 1e-6 && has_rates(&p, c, count, most * (1 + 1e-5), shares)))
            fail_msg("draw %u: not the least rates times %.9g", (unsigned)seed, most);
        limited += most < 1 - 1e-6;
    }
    assert_in_range(limited, 200, 800); /* the others have all the GPUs that they can use */
    hs_lp_close(p.lp);
}

/* G3: 1 V100 and 2 K80s, two jobs: each may have 1/2 of a V100 and one K80. The job of one GPU
 * would work 3/2 of the time: scaled to 1/3 and 2/3. That of two has 1/4 and 1/2. */
static void g3_isolated(void **state)
{
    (void)state;
    struct hs_gavel_program p = {.types = 2, .gpus = {1, 2}};
    struct hs_gavel_class c = {.members = 1, .gang = 1, .speed = {1, 1}};
    double shares[2];
    hs_gavel_isolated(&p, &c, 2, shares);
    assert_near(shares[0], 1. / 3);
    assert_near(shares[1], 2. / 3);
    c.gang = 2;
    hs_gavel_isolated(&p, &c, 2, shares);
    assert_near(shares[0], .25);
    assert_near(shares[1], .5);
}

/* ---- water filling ---- */

/* One program of classes, of which those with a level keep it; returns the least rate of the others,
 * or, of one class alone, the most that it can have while they have `least`. */
static double most_of(struct hs_gavel_program *p, const struct hs_gavel_class *classes,
                      uint32_t count, uint32_t of, double least, uint32_t first[8])
{
    hs_gavel_begin(p);
    for (uint32_t i = 0; i < count; i++) {
        struct hs_gavel_class c = classes[i];
        if (of < count && i != of && c.level <= 0)
            c.level = least;
        if (i == of)
            c.level = 0;
        first[i] = hs_gavel_add(p, &c);
    }
    assert_int_equal(hs_lp_solve(p->lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    return hs_lp_value(p->lp, p->goal);
}

/* By prices as the policy does, or by the definition: a class has its level where it can have no more
 * than the least rate, by a program of its own. */
static void fill_classes(struct hs_gavel_program *p, struct hs_gavel_class *classes, uint32_t count,
                         bool is_by_price)
{
    uint32_t first[8], other[8];
    for (uint32_t left = count; left > 0;) {
        const double least = most_of(p, classes, count, count, 0, first) * (1 - 1e-9);
        bool are_full[8];
        for (uint32_t i = 0; i < count && is_by_price; i++)
            are_full[i] = hs_gavel_is_full(p, first[i]);
        for (uint32_t i = 0; i < count && !is_by_price; i++)
            are_full[i] = most_of(p, classes, count, i, least, other) <= least * (1 + 1e-6);
        const uint32_t before = left;
        for (uint32_t i = 0; i < count; i++)
            if (classes[i].level <= 0 && are_full[i]) {
                classes[i].level = least;
                left--;
            }
        assert_true(left < before);
    }
}

/* G12: 4 GPUs, weights 3, 1, 1, 1. The first job has its GPU at t = 1/3 and can have no more; the
 * others have 1/3 at least, and then, filled, a GPU each: rates 1, by weights 1/3, 1, 1, 1. */
static void g12_water_filling(void **state)
{
    (void)state;
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = HS_GAVEL_LAS, .types = 1, .gpus = {4}};
    struct hs_gavel_class c[] = {{.members = 1, .gang = 1, .weight = 3, .speed = {1}},
                                 {.members = 3, .gang = 1, .weight = 1, .speed = {1}}};
    uint32_t first[8];
    assert_near(most_of(&p, c, 2, 2, 0, first), 1. / 3);
    assert_true(hs_gavel_is_full(&p, first[0]));
    assert_false(hs_gavel_is_full(&p, first[1]));
    fill_classes(&p, c, 2, true);
    assert_near(c[0].level, 1. / 3);
    assert_near(c[1].level, 1);
    hs_lp_close(p.lp);
}

/* Levels by prices are those by the definition: 300 draws of up to eight classes of up to six. */
static void water_filling_is_exact(void **state)
{
    (void)state;
    uint32_t steps = 0;
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = HS_GAVEL_LAS, .types = TYPES, .gpus = {8, 4, 16}};
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct hs_gavel_class c[2][8];
        const uint32_t count = 1 + (uint32_t)(seed % 8);
        for (uint32_t how = 0; how < 2; how++) {
            draw_classes(seed, count, 6, c[how]);
            fill_classes(&p, c[how], count, how == 0);
        }
        for (uint32_t i = 0; i < count; i++) {
            if (fabs(c[0][i].level / c[1][i].level - 1) > 1e-5)
                fail_msg("draw %u: class %u %.9g by prices, %.9g by its own program",
                         (unsigned)seed, i, c[0][i].level, c[1][i].level);
            steps += c[0][i].level > c[0][0].level * 1.01 || c[0][0].level > c[0][i].level * 1.01;
        }
    }
    assert_true(steps > 100); /* many are filled beyond others */
    hs_lp_close(p.lp);
}

/* ---- rounds ---- */

static void expect_ends(const char *cluster, const char *policy, const struct hs_test_job *jobs,
                        uint32_t count, const int64_t *ends_s)
{
    struct hs_test_result r;
    assert_int_equal(hs_test_run(jobs, count, cluster, policy, &r), HS_OK);
    for (uint32_t i = 0; i < count; i++)
        if (r.jobs[i].end_us != ends_s[i] * HS_TEST_S)
            fail_msg("%s: job %u ends at %g s, not %lld", policy, i, (double)r.jobs[i].end_us / 1e6,
                     (long long)ends_s[i]);
    hs_test_free(&r);
}

/* G5: las, 2 GPUs, A of one and B of two, 10,800 s each. X = (1, 1/2): a rate per GPU of 1 for
 * both. They cannot run at once, so that priorities X / got take turns, A B A A B A ..: A gets two
 * thirds of the time and ends at 10,800 / (2/3) = 16,200, B then has done 5,400 and ends at 21,600.
 */
static void g5_gangs(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 10800},
                                       {.gpus = 2, .duration_s = 10800}};
    expect_ends("1x2:V100", "gavel", jobs, 2, (const int64_t[]){16200, 21600});
}

/* G6: two jobs of two rounds on one GPU.
 *   fifo           0011
 *   isolated, las  0101 */
static void g6_turns(void **state)
{
    static const char jobs[] = "0:1,0,720 1:1,0,720";
    (void)state;
    expect("1x1:V100", "gavel:objective=fifo", jobs, "0:0-720 1:720-1440");
    expect("1x1:V100", "gavel:objective=isolated", jobs, "0:0-360,720-1080 1:360-720,1080-1440");
    expect("1x1:V100", "gavel", jobs, "0:0-360,720-1080 1:360-720,1080-1440");
}

/* G7: one GPU, 0 of three rounds, 1 of 100 s that comes at 50 and waits for the boundary at 360,
 * where both have a share of 1/2 and nothing since the solution: the lower id is first. At 720 it
 * is 1's turn; it is done at 820, and the GPU idles until 1080.
 *   fifo 0001    las 001.0    refill=yes: 0 starts again at 820 */
static void g7_idle_end(void **state)
{
    static const char jobs[] = "0:1,0,1080 1:1,50,100";
    (void)state;
    expect("1x1:V100", "gavel:objective=fifo", jobs, "0:0-1080 1:1080-1180");
    expect("1x1:V100", "gavel", jobs, "0:0-720,1080-1440 1:720-820");
    expect("1x1:V100", "gavel:refill=yes", jobs, "0:0-720,820-1180 1:720-820");
}

/* G8: three GPUs and three jobs: each has one at the first boundary after it came. */
static void g8_arrivals(void **state)
{
    (void)state;
    expect("1x3:V100", "gavel", "0:1,0,3600 1:1,300,3600 2:1,400,360",
           "0:0-3600 1:360-3960 2:720-1080");
    /* with refill=yes at once */
    expect("1x3:V100", "gavel:refill=yes", "0:1,0,3600 1:1,300,3600 2:1,400,360",
           "0:0-3600 1:300-3900 2:400-760");
}

/* Finish-time fairness, one GPU. Two like jobs: equal parts, and turns as under las. With 3,600 and
 * 720 s the short one still gets half of the time: it has two of the first four rounds, and the
 * long one ends when all work is done, 4,320. */
static void ftf_turns(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 3600},
                                       {.gpus = 1, .duration_s = 720}};
    expect("1x1:V100", "ftf", "0:1,0,720 1:1,0,720", "0:0-360,720-1080 1:360-720,1080-1440");
    assert_int_equal(hs_test_run(jobs, 2, "1x1:V100", "ftf", &r), HS_OK);
    assert_true(r.jobs[1].end_us <= 1440 * HS_TEST_S);
    assert_int_equal(r.jobs[0].end_us, 4320 * HS_TEST_S);
    hs_test_free(&r);
}

/* Where jobs come and go every round, one of a small share can wait as long as they come: with each
 * solution all times begin anew. One GPU, job 0 of weight 1 and two rounds; 200 of weight 4 and one
 * round each, one each round. Shares of 0 and another are .2 and .8, and the priority of the other
 * is always the higher one, .8 / 180 to .2 / 180: 0 runs when all are done, at 72,000.
 *   carry=yes: what 0 got falls by .2 x 360 = 72 s a round, 180, 108, 36, and .2 / 36 is before
 * .8 / 180: it runs [720, 1080). Then it got 36 + 360 - 72 = 324, two others are there, the shares
 * 1/9, 4/9, 4/9, and it falls by 40 s a round: 284 at 1440, .. 44 at 3600, 4 at 3960. The one that
 * came a round before got 180 - 160 = 20: 1/9 / 4 is before 4/9 / 20, not 1/9 / 44. */
static void starvation(void **state)
{
    (void)state;
    struct hs_test_job jobs[201] = {{.gpus = 1, .duration_s = 720}};
    struct hs_test_result r;
    for (int i = 1; i <= 200; i++)
        jobs[i] = (struct hs_test_job){
            .submit_s = 360 * (i - 1), .gpus = 1, .duration_s = 360, .priority = 3};
    assert_int_equal(hs_test_run(jobs, 201, "1x1:V100", "gavel", &r), HS_OK);
    assert_int_equal(r.jobs[0].start_us, 72000 * HS_TEST_S);
    hs_test_free(&r);
    assert_int_equal(hs_test_run(jobs, 201, "1x1:V100", "gavel:carry=yes", &r), HS_OK);
    assert_int_equal(r.jobs[0].start_us, 720 * HS_TEST_S);
    assert_int_equal(r.jobs[0].end_us, 4320 * HS_TEST_S);
    hs_test_free(&r);
}

/* G12 as a run, priorities 2, 0, 0, 0: a GPU for each. */
static void g12_in_rounds(void **state)
{
    (void)state;
    struct hs_test_job jobs[4];
    for (int i = 0; i < 4; i++)
        jobs[i] = (struct hs_test_job){.gpus = 1, .duration_s = 720, .priority = i == 0 ? 2 : 0};
    expect_ends("1x4:V100", "gavel:fill=yes", jobs, 4, (const int64_t[]){720, 720, 720, 720});
}

/* GN2, what must not be: fifo gives no job the GPUs that others hold, so that the third waits for
 * both and runs at once. */
static void gn2_fifo_does_not_turn(void **state)
{
    (void)state;
    expect("1x4:V100", "gavel:objective=fifo", "0:1,0,360 1:3,0,2160 2:4,0,720",
           "0:0-360 1:0-2160 2:2160-2880");
}

/* GN3: a last round of fewer steps than GPUs is one like others. 363 s are a round and 3 s. */
static void gn3_last_steps(void **state)
{
    (void)state;
    expect("1x5:V100", "gavel:objective=fifo", "0:4,0,363*1 1:1,0,720", "0:0-363 1:0-720");
}

/* GN4: what jobs are called decides nothing. 24 jobs, a like pair each 100 s, by ids that go up and
 * ids that go down, have the same starts and ends, row by row. */
static void gn4_ids_do_not_matter(void **state)
{
    enum { JOBS = 24 };
    static const char *const policies[] = {"gavel", "gavel:objective=fifo", "ftf",
                                           "gavel:objective=makespan"};
    (void)state;
    struct hs_test_job jobs[JOBS];
    struct hs_test_result r[2];
    char ids[2][JOBS][8];
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(ids[0][i], sizeof ids[0][i], "j%02d", i);
        (void)snprintf(ids[1][JOBS - 1 - i], sizeof ids[1][i], "j%02d", i);
        jobs[i] = (struct hs_test_job){.submit_s = i / 2 * 100,
                                       .gpus = 1 + (uint32_t)(i / 2 % 3),
                                       .duration_s = 300 + i / 2 * 7 % 5 * 400};
    }
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        for (int order = 0; order < 2; order++) {
            for (int i = 0; i < JOBS; i++)
                jobs[i].id = ids[order][i];
            assert_int_equal(hs_test_run(jobs, JOBS, "1x4:V100", policies[p], &r[order]), HS_OK);
        }
        for (int i = 0; i < JOBS; i++) {
            assert_int_equal(r[0].jobs[i].start_us, r[1].jobs[i].start_us);
            assert_int_equal(r[0].jobs[i].end_us, r[1].jobs[i].end_us);
        }
        hs_test_free(&r[0]);
        hs_test_free(&r[1]);
    }
}

/* An idle cluster begins a round with the next arrival; a gang larger than all GPUs of any type is
 * turned away; a CPU job starts at once. */
static void edges(void **state)
{
    (void)state;
    expect("1x1:V100", "gavel", "0:1,0,100 1:1,500,100", "0:0-100 1:500-600");
    expect("1x1:V100,1x1:K80", "gavel", "0:2,0,100 1:1,0,100 2:0,30,10",
           "0:rejected 1:0-100 2:30-40");
}

/* ---- pairs ---- */

/* Two members of one class, one GPU, and the optimum with pairs of these speeds. */
static double two_in_a_pair(double rate, double *share, double *time)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = HS_GAVEL_LAS, .types = 1, .gpus = {1}};
    const struct hs_gavel_class c = {.members = 2, .gang = 1, .weight = 1, .speed = {1}};
    const struct hs_gavel_couple couple = {.of = {&c, &c}, .rate = {rate, rate}};
    hs_gavel_begin(&p);
    const uint32_t first = hs_gavel_add(&p, &c);
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    /* alone half of the time each, .5; a pair all the time instead is worth 2 rates, of two jobs */
    assert_near(hs_gavel_couple_gain(&p, &couple), rate - .5);
    const uint32_t column = hs_gavel_add_couple(&p, &couple);
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    hs_gavel_shares(&p, first, share);
    *time = hs_lp_value(p.lp, column);
    const double goal = hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return goal;
}

/* G11: one GPU, two jobs. At .7 beside each other all the time goes to the pair, t = .7; at .45
 * none, t = .5. */
static void g11_pairs(void **state)
{
    double share, time;
    (void)state;
    assert_near(two_in_a_pair(.7, &share, &time), .7);
    assert_near(share, 0);
    assert_near(time, 1);
    assert_near(two_in_a_pair(.45, &share, &time), .5);
    assert_near(share, .5);
    assert_near(time, 0);
}

/* Two jobs of 630 s on one GPU, each at this speed beside the other. */
static void expect_pair(const char *policy, double speed, const double ends_s[2])
{
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 630},
                                       {.gpus = 1, .duration_s = 630}};
    const struct hs_test_options options = {.excess = 1 / speed - 1};
    struct hs_test_result r;
    if (hs_test_run_with(jobs, 2, "1x1:V100", policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    for (int i = 0; i < 2; i++) /* the excess is rounded to 2^-20: 630 s to .6 ms */
        if (fabs((double)r.jobs[i].end_us / 1e6 - ends_s[i]) > .001)
            fail_msg("%s: job %d ends at %g s, not %g", policy, i, (double)r.jobs[i].end_us / 1e6,
                     ends_s[i]);
    hs_test_free(&r);
}

/* G11 in rounds. At .7 beside each other both end at 630 / .7 = 900. At .45 they take turns: 0
 * [0, 360) [720, 990), 1 [360, 720) [1080, 1350). fifo: at 1.55 in all, .775 each, both end at 630
 * / .775; at 1.45 the second waits for the boundary behind the end of the first, 720. With
 * pair_above=0.8 it joins at .9 in all: 630 / .45. */
static void g11_rounds(void **state)
{
    static const char *const objectives[] = {"las", "ftf", "makespan", "throughput"};
    (void)state;
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        char policy[64];
        (void)snprintf(policy, sizeof policy, "gavel:share=pairs,objective=%s", objectives[i]);
        expect_pair(policy, .7, (const double[]){900, 900});
    }
    expect_pair("gavel:share=pairs", .45, (const double[]){990, 1350});
    expect_pair("ftf:share=pairs", .45, (const double[]){990, 1350});
    expect_pair("gavel:share=pairs,objective=fifo", .775, (const double[]){630 / .775, 630 / .775});
    expect_pair("gavel:share=pairs,objective=fifo", .725, (const double[]){630, 1350});
    expect_pair("gavel:share=pairs,objective=fifo,pair_above=0.8", .45,
                (const double[]){1400, 1400});
}

/* Three like jobs on one GPU, .8 beside another: by the shares each two have a third of the time,
 * and each job two thirds x .8 = .533. Rounds 01 02 12 with what is behind deciding: each does two
 * rounds of three at .8, 288 s, and has 630 s to do: 576 after three rounds. Of the next pair the
 * last 54 s take 67.5: at 1080 0 and 1, 1147.5; 2 at 1440 alone, 54 s. As .8 is rounded down, each
 * end is a microsecond later. A gang on the same GPUs is a pair as well. */
static void pairs_take_turns(void **state)
{
    static const struct hs_test_options options = {.excess = .25};
    (void)state;
    scenario_expect_with(
        "1x1:V100", "gavel:share=pairs", "0:1,0,630 1:1,0,630 2:1,0,630", &options,
        "0:0-720,1080-1147.500001 1:0-360,720-1147.500001 2:360-1080,1440-1494.000001");
    scenario_expect_with("2x2:V100", "gavel:share=pairs", "0:4,0,360 1:4,0,360", &options,
                         "0:0-450.000001 1:0-450.000001");
    /* jobs of other gang sizes are none; their rates x GPUs are like at shares of 1/2 and 1 */
    scenario_expect_with("1x2:V100", "gavel:share=pairs", "0:2,0,360 1:1,0,360", &options,
                         "0:360-720 1:0-360");
}

/* The policy acts on what it is told: by a table, and without a predictor of utilizations, two jobs
 * seem not to slow each other, and are put on one GPU, where they run at .45. */
static void pairs_are_predicted(void **state)
{
    struct sink sink;
    struct hs_catalogue catalogue = {0};
    struct hs_cluster cluster;
    struct hs_speed *speed;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 630},
                                       {.gpus = 1, .duration_s = 630}};
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&cluster, "1x1:V100", &sink.diag), HS_OK);
    assert_int_equal(hs_speed_load(&speed, "configs/models/speed.json", &catalogue, &cluster,
                                   "V100", &sink.diag),
                     HS_OK);
    hs_speed_predict_by(speed, &catalogue, &cluster,
                        &(struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_TABLE});
    const struct hs_test_options options = {
        .speed = speed, .catalogue = &catalogue, .excess = 1 / .45 - 1};
    assert_int_equal(hs_test_run_with(jobs, 2, "1x1:V100", "gavel:share=pairs", &options, &r),
                     HS_OK);
    assert_in_range(r.jobs[0].end_us, 1399900000, 1400100000);
    assert_in_range(r.jobs[1].end_us, 1399900000, 1400100000);
    hs_test_free(&r);
    hs_speed_free(speed);
    hs_cluster_free(&cluster);
}

static uint32_t unpaired; /* programs of which the prices of GPUs rule out pairs */

/* Rates of the classes beside each other, drawn: [a][b][type], of a beside b. */
typedef double rates[8][8][TYPES];

static struct hs_gavel_couple couple_of(const struct hs_gavel_class *c, rates of, uint32_t a,
                                        uint32_t b, uint32_t type)
{
    return (struct hs_gavel_couple){
        .of = {c, c}, .type = type, .rate = {of[a][b][type], of[b][a][type]}};
}

/* The optimum with all pairs; is_split: each member is a class of its own. is_grown: only the pairs
 * that gain are added, until none does: none at all if the prices of the GPUs say so. */
static double optimum_with_pairs(enum hs_gavel_objective objective,
                                 const struct hs_gavel_class *classes, rates of, uint32_t count,
                                 bool is_split, bool is_grown)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = objective, .types = TYPES, .gpus = {2, 1, 4}};
    struct hs_gavel_class each[32];
    uint32_t kind[32], units = 0, first[32];
    double sum = 0;
    hs_gavel_begin(&p);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < (is_split ? classes[i].members : 1); k++, units++) {
            each[units] = classes[i];
            each[units].members = is_split ? 1 : classes[i].members;
            kind[units] = i;
            first[units] = hs_gavel_add(&p, &each[units]);
        }
    double paired[TYPES * 32 * 32];
    uint32_t columns[TYPES * 32 * 32], added = 0;
    for (bool is_done = false; !is_done;) {
        is_done = true;
        if (is_grown)
            assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
        const bool may_pair = !is_grown || added > 0 || hs_gavel_may_pair(&p, 1);
        unpaired += !may_pair;
        struct hs_gavel_couple grown[TYPES * 32 * 32];
        uint32_t found = 0;
        for (uint32_t a = 0; a < units; a++)
            for (uint32_t b = a; b < units; b++)
                for (uint32_t t = 0; t < TYPES; t++) {
                    struct hs_gavel_couple c = couple_of(&each[a], of, kind[a], kind[b], t);
                    c.of[1] = &each[b];
                    c.number[0] = a;
                    c.number[1] = b;
                    if ((a == b && each[a].members < 2) ||
                        (is_grown && hs_gavel_couple_gain(&p, &c) <= 1e-6))
                        continue;
                    assert_true(may_pair);
                    grown[found++] = c;
                }
        for (uint32_t i = 0; i < found; i++) {
            paired[added] = grown[i].rate[0] + grown[i].rate[1];
            columns[added++] = hs_gavel_add_couple(&p, &grown[i]);
        }
        is_done = !is_grown || found == 0;
    }
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t i = 0; i < added; i++)
        sum += paired[i] * hs_lp_value(p.lp, columns[i]);
    for (uint32_t i = 0; i < units; i++) {
        double shares[TYPES];
        hs_gavel_shares(&p, first[i], shares);
        sum += each[i].members * hs_gavel_rate(&p, &each[i], shares);
    }
    sum = objective == HS_GAVEL_THROUGHPUT ? sum : hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return sum;
}

/* With pairs, too, classes give the same optimum as single jobs, and so do the pairs that are added
 * one after the other: 200 draws of up to four classes of up to four. */
static void pairs_of_classes_are_exact(void **state)
{
    static const enum hs_gavel_objective objectives[] = {HS_GAVEL_LAS, HS_GAVEL_MAKESPAN,
                                                         HS_GAVEL_THROUGHPUT, HS_GAVEL_FTF};
    (void)state;
    uint32_t raised = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct hs_gavel_class c[4];
        struct hs_rng rng;
        rates of;
        const uint32_t count = 1 + (uint32_t)(seed / 4 % 4);
        const enum hs_gavel_objective objective = objectives[seed % 4];
        draw_classes(seed, count, 4, c);
        hs_rng_open(&rng, seed, "pairs");
        for (uint32_t a = 0; a < count; a++) {
            c[a].gang = 1;
            c[a].least = (1 + (double)hs_rng_below(&rng, 100)) / 100;
            for (uint32_t b = 0; b < count; b++)
                for (uint32_t t = 0; t < TYPES; t++)
                    of[a][b][t] = c[a].speed[t] * (double)hs_rng_below(&rng, 1000) / 1000;
        }
        hs_rng_close(&rng);
        const double at_once = optimum_with_pairs(objective, c, of, count, false, false);
        const double split = optimum_with_pairs(objective, c, of, count, true, false);
        const double grown = optimum_with_pairs(objective, c, of, count, false, true);
        if (!(fabs(at_once - split) <= 1e-6 * fmax(1, split)) ||
            !(fabs(at_once - grown) <= 1e-5 * fmax(1, split)))
            fail_msg("draw %u: %.12g by classes, %.12g by jobs, %.12g one by one", (unsigned)seed,
                     at_once, split, grown);
        memset(of, 0, sizeof of);
        raised += at_once > optimum_with_pairs(objective, c, of, count, false, false) + 1e-6;
    }
    assert_true(raised > 20 && unpaired > 20); /* pairs mattered, and did not */
}

/* ---- compat ---- */

#define COMPAT "compat=gavel,reset=1920s"

/* G6 and G7: the round in which 1 ends ends with it, at 820, and 0 goes on at once. */
static void compat_short_rounds(void **state)
{
    static const char two[] = "0:1,0,720 1:1,0,720", late[] = "0:1,0,1080 1:1,50,100";
    (void)state;
    expect("1x1:V100", "gavel:objective=fifo,aware=no," COMPAT, two, "0:0-720 1:720-1440");
    expect("1x1:V100", "gavel:" COMPAT, two, "0:0-360,720-1080 1:360-720,1080-1440");
    expect("1x1:V100", "gavel:objective=fifo,aware=no," COMPAT, late, "0:0-1080 1:1080-1180");
    expect("1x1:V100", "gavel:" COMPAT, late, "0:0-720,820-1180 1:720-820");
}

/* G8: 2 comes at 400, after the solution at 360, and does not run before the next: 360 + 1,920 is
 * 2,280, the boundary behind it 2,520. Without compat (GN1) it runs from 720 on. */
static void compat_waits_for_solution(void **state)
{
    (void)state;
    expect("1x3:V100", "gavel:" COMPAT, "0:1,0,3600 1:1,300,3600 2:1,400,360",
           "0:0-3600 1:360-3960 2:2520-2880");
}

/* GN2: at 360 the first has ended, and the third, of 4 GPUs, fits into the 4 of the cluster, of
 * which 3 are held: it takes turns with the second. At 720 it has got less, at 1080 as much as
 * that, which is owed more; at 1440 again less. */
static void compat_fifo_takes_turns(void **state)
{
    (void)state;
    expect("1x4:V100", "gavel:objective=fifo,aware=no," COMPAT, "0:1,0,360 1:3,0,2160 2:4,0,720",
           "0:0-360 1:0-720,1080-1440,1800-2880 2:720-1080,1440-1800");
}

/* GN3: four workers share the 3 steps that are left after the first round, and do none. Job 1 runs
 * until 720, the round that begins then is as long as 3 steps: five rounds are over at 360 + 360 +
 * 4 x 3 s. */
static void compat_drops(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 4, .duration_s = 363},
                                       {.gpus = 1, .duration_s = 720}};
    assert_int_equal(hs_test_run(jobs, 2, "1x5:V100", "gavel:objective=fifo,aware=no," COMPAT, &r),
                     HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_FAILED);
    assert_int_equal(r.jobs[0].end_us, 732 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 720 * HS_TEST_S);
    hs_test_free(&r);
}

/* Steps of 0.7 s: 514 fit into a round, 359.8 s; the job of 1,000 has 486 left, which end at 359.8
 * + 340.2 = 700 s. The other, of 250 steps of 2.8 s, does 128 in the first round, 358.4 s, rests
 * until 359.8, and is as fast as the time goes on: the round ends with the first, at 700; 122 steps
 * are 341.6 s: 701.4 s. */
static void compat_whole_steps(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 700, .steps = 1000, .steps_per_s = 1 / .7},
        {.gpus = 1, .duration_s = 700, .steps = 250, .steps_per_s = 1 / 2.8}};
    assert_int_equal(hs_test_run(jobs, 2, "1x2:V100", "gavel:" COMPAT, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 700 * HS_TEST_S);
    assert_in_range(r.jobs[1].end_us, 701399999, 701400001); /* rests are whole microseconds */
    hs_test_free(&r);
}

/* ---- types ---- */

#define PROFILES 3

/* Jobs of profiles 1, 2, 3 of these speeds on a K80, with those of a V100 1. */
static void expect_typed(const char *policy, const double *k80, const struct hs_test_job *jobs,
                         const char *const *nodes, const int64_t *times_s)
{
    struct sink sink;
    struct hs_catalogue catalogue;
    struct hs_cluster cluster;
    struct hs_speed *speed;
    struct hs_test_result r;
    char profiles[256] = "model,dataset,batch,precision,family\n", rows[1024] = "";
    char path[2][256], text[2048];
    for (int i = 0; i < PROFILES; i++) {
        size_t len = strlen(profiles), at = strlen(rows);
        (void)snprintf(profiles + len, sizeof profiles - len, "M%d,D,1,fp32,F\n", i);
        (void)snprintf(rows + at, sizeof rows - at,
                       "%s{\"profile\": \"M%d/D/1/fp32\", \"family\": \"F\", \"speed\": {\"V100\": "
                       "1, \"K80\": %g}}",
                       i > 0 ? ", " : "", i, k80[i]);
    }
    (void)snprintf(text, sizeof text,
                   "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"K80\"], "
                   "\"reference\": \"V100\", \"jobs\": [%s], \"families\": [{\"family\": \"F\", "
                   "\"jobs\": 3, \"speed\": {\"V100\": 1, \"K80\": 1}}]}",
                   rows);
    scratch_keep(path[0], sizeof path[0], "profiles.csv", profiles);
    scratch_keep(path[1], sizeof path[1], "speed.json", text);
    sink_init(&sink);
    assert_int_equal(hs_catalogue_load(&catalogue, path[0], &sink.diag), HS_OK);
    static const char shape[] = "1x1:V100,1x1:K80";
    assert_int_equal(hs_cluster_load(&cluster, shape, &sink.diag), HS_OK);
    if (hs_speed_load(&speed, path[1], &catalogue, &cluster, "V100", &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    hs_speed_predict_by(speed, &catalogue, &cluster,
                        &(struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_ORACLE});
    const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
    if (hs_test_run_with(jobs, PROFILES, shape, policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    for (uint32_t i = 0; i < PROFILES; i++) {
        const int64_t start_us = r.jobs[i].start_us, end_us = r.jobs[i].end_us;
        if (start_us != times_s[2 * i] * HS_TEST_S || end_us != times_s[2 * i + 1] * HS_TEST_S)
            fail_msg("%s: job %u runs from %g to %g s, not from %lld to %lld", policy, i,
                     (double)start_us / 1e6, (double)end_us / 1e6, (long long)times_s[2 * i],
                     (long long)times_s[2 * i + 1]);
        for (uint32_t s = 0; s < r.segment_count; s++)
            if (r.segments[s].job == i)
                assert_string_equal(r.segments[s].gpus[0] == 0 ? "V100" : "K80", nodes[i]);
    }
    hs_test_free(&r);
    hs_speed_free(speed);
    hs_cluster_free(&cluster);
    hs_catalogue_free(&catalogue);
}

/* G9: allox, 1 V100 and 1 K80. 0: 720 steps at (1, .5), 1: 360 at (1, .25), 2: 720 at (1, .8). On
 * the V100 1 before 0, which waits 360 and works 720: 1,440 in all; 2 on the K80, 900. The next
 * best is 0 on the K80, 1,440, and 1 before 2 on the V100, 1,440. */
static void g9_allox(void **state)
{
    (void)state;
    const struct hs_test_job jobs[PROFILES] = {{.gpus = 1, .duration_s = 720, .profile = 1},
                                               {.gpus = 1, .duration_s = 360, .profile = 2},
                                               {.gpus = 1, .duration_s = 720, .profile = 3}};
    expect_typed("allox", (double[]){.5, .25, .8}, jobs,
                 (const char *const[]){"V100", "V100", "K80"},
                 (const int64_t[]){360, 1080, 0, 360, 0, 900});
}

/* G10: fifo aware, 1 V100 and 1 K80. 0: 720 steps at (1, .5): V100 [0, 720). 1: 720 at (1, 2): K80
 * [0, 360). 2: 360 at (1, 1) waits for it: K80 [360, 720). */
static void g10_fifo_aware(void **state)
{
    (void)state;
    const struct hs_test_job jobs[PROFILES] = {{.gpus = 1, .duration_s = 720, .profile = 1},
                                               {.gpus = 1, .duration_s = 720, .profile = 2},
                                               {.gpus = 1, .duration_s = 360, .profile = 3}};
    expect_typed("gavel:objective=fifo", (double[]){.5, 2, 1}, jobs,
                 (const char *const[]){"V100", "K80", "K80"},
                 (const int64_t[]){0, 720, 0, 360, 360, 720});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g1_max_min),
        cmocka_unit_test(classes_are_exact),
        cmocka_unit_test(classes_are_fast),
        cmocka_unit_test(weights),
        cmocka_unit_test(g2_makespan),
        cmocka_unit_test(throughput),
        cmocka_unit_test(g3_isolated),
        cmocka_unit_test(g12_water_filling),
        cmocka_unit_test(water_filling_is_exact),
        cmocka_unit_test(g4_finish_time_fairness),
        cmocka_unit_test(mixtures_are_exact),
        cmocka_unit_test(g5_gangs),
        cmocka_unit_test(g6_turns),
        cmocka_unit_test(g7_idle_end),
        cmocka_unit_test(g8_arrivals),
        cmocka_unit_test(ftf_turns),
        cmocka_unit_test(g12_in_rounds),
        cmocka_unit_test(gn2_fifo_does_not_turn),
        cmocka_unit_test(starvation),
        cmocka_unit_test(gn3_last_steps),
        cmocka_unit_test(gn4_ids_do_not_matter),
        cmocka_unit_test(edges),
        cmocka_unit_test(g9_allox),
        cmocka_unit_test(g10_fifo_aware),
        cmocka_unit_test(g11_pairs),
        cmocka_unit_test(g11_rounds),
        cmocka_unit_test(pairs_take_turns),
        cmocka_unit_test(pairs_are_predicted),
        cmocka_unit_test(pairs_of_classes_are_exact),
        cmocka_unit_test(compat_short_rounds),
        cmocka_unit_test(compat_waits_for_solution),
        cmocka_unit_test(compat_fifo_takes_turns),
        cmocka_unit_test(compat_drops),
        cmocka_unit_test(compat_whole_steps),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
