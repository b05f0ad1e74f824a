/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear programs of Gavel: some small enough to solve on paper, and random ones against slower
 * ways to the same optimum. G-numbers are micro-scenarios of the design.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "policies/gavel/gavel_shares.c"

/* ---- shares ---- */

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6))
        fail_msg("%.9g, not %.9g", value, expected);
}

/* Solves for `count` classes of jobs with these shares on two types; returns the goal. */
static double check_shares(enum hs_gavel_objective objective, const double gpus[2],
                           const struct hs_gavel_class *classes, uint32_t count,
                           const double *expected)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = objective, .types = 2, .gpus = {gpus[0], gpus[1]}};
    uint32_t first[4];
    double shares[2];
    begin_program(&p);
    for (uint32_t i = 0; i < count; i++)
        first[i] = add_class(&p, &classes[i]);
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t i = 0; i < count; i++) {
        shares_of(&p, first[i], shares);
        assert_near(shares[0], expected[2 * i]);
        assert_near(shares[1], expected[2 * i + 1]);
    }
    const double goal = hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return goal;
}

/* G1, 1 V100 and 2 K80s: speeds (40, 10) and (12, 6), mean speeds of the three GPUs 20 and 8. Both
 * jobs run all the time, for x and y of it on the V100: (40 x + 10 (1 - x)) / 20 = (12 y + 6 (1 -
 * y)) / 8, and x + y = 1: .5 + 1.5 x = .75 + .75 (1 - x), x = 4/9 and t = 7/6.
 *
 * OSDI'20 4.1: 1 V100, 1 K80 and three jobs. The third loses least on the K80; t = 8/11, which is
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

/* Draws classes with at most `members` jobs each. */
static void draw_classes(uint64_t seed, uint32_t count, uint32_t members, struct hs_gavel_class *c)
{
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "classes");
    for (uint32_t i = 0; i < count; i++) {
        c[i] = (struct hs_gavel_class){.members = 1 + (uint32_t)hs_rng_below(&rng, members),
                                       .gang = 1u << hs_rng_below(&rng, 4),
                                       .weight = 1 + (double)hs_rng_below(&rng, 3),
                                       .left = (1 + (double)hs_rng_below(&rng, 1000)) / 1000};
        for (uint32_t t = 0; t < TYPES; t++) /* one of six cannot run on it */
            c[i].speed[t] = t > 0 && hs_rng_below(&rng, 6) == 0
                                ? 0
                                : (1 + (double)hs_rng_below(&rng, 1000)) / 1000;
    }
    hs_rng_close(&rng);
}

/* The optimum of the classes, or, if is_split, of single jobs. */
static double optimum_of(enum hs_gavel_objective objective, const struct hs_gavel_class *classes,
                         uint32_t count, bool is_split)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = objective, .types = TYPES, .gpus = {8, 4, 16}};
    double sum = 0;
    uint32_t first[CLASSES] = {0};
    begin_program(&p);
    for (uint32_t i = 0; i < count; i++) {
        struct hs_gavel_class c = classes[i];
        c.members = is_split ? 1 : c.members;
        for (uint32_t k = 0; k < classes[i].members / c.members; k++) {
            const uint32_t column = add_class(&p, &c);
            first[i] = k == 0 ? column : first[i];
        }
    }
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    for (uint32_t i = 0; i < count && objective == HS_GAVEL_THROUGHPUT; i++)
        for (uint32_t k = 0; k < (is_split ? classes[i].members : 1); k++) {
            double shares[TYPES];
            shares_of(&p, first[i] + k * TYPES, shares);
            sum += rate_of(&p, &classes[i], shares) * (is_split ? 1 : classes[i].members);
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

/* Most throughput with the jobs of G2: the first on the V100, the second on the K80: 12; the
 * reverse: 6. */
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
        if (!cheapest_shares(of->program, c->speed, c->least * of->times, prices, shares))
            return false;
        for (uint32_t t = 0; t < of->program->types; t++)
            gpus[t] += c->members * c->gang * shares[t];
    }
    return true;
}

/* Whether some mixture has the rates; if so, its shares, by class, are checked against all
 * constraints. */
static bool has_rates(struct hs_gavel_program *p, const struct hs_gavel_class *classes,
                      uint32_t count, double times, double shares[][TYPES])
{
    const struct least_rates of = {p, classes, count, times};
    struct mixture m = {.count = 1, .of = {{.prices = {1, 1, 1}}}};
    double gpus[TYPES] = {0};
    const enum hs_lp_status status = mix(p, use_classes, &of, &m);
    assert_true(status == HS_LP_OPTIMAL || status == HS_LP_INFEASIBLE);
    for (uint32_t i = 0; status == HS_LP_OPTIMAL && i < count; i++) {
        const struct hs_gavel_class *c = &classes[i];
        double cheapest[TYPES], time = 0;
        memset(shares[i], 0, sizeof shares[i]);
        for (uint32_t k = 0; k < m.count; k++) {
            assert_true(cheapest_shares(p, c->speed, c->least * times, m.of[k].prices, cheapest));
            for (uint32_t t = 0; t < p->types; t++)
                shares[i][t] += m.of[k].part * cheapest[t];
        }
        for (uint32_t t = 0; t < p->types; t++) {
            assert_true(shares[i][t] >= 0);
            time += shares[i][t];
            gpus[t] += c->members * c->gang * shares[i][t];
        }
        assert_true(time <= 1 + 1e-6);
        assert_near(rate_of(p, c, shares[i]), c->least * times);
    }
    for (uint32_t t = 0; t < p->types; t++)
        assert_true(gpus[t] <= p->gpus[t] * (1 + 1e-6));
    return status == HS_LP_OPTIMAL;
}

/* G4: one GPU, finish-time fairness. A: age 600, 600 left, 300 s with an equal part so far; B: 600
 * left. Equal parts are rates of 1/2: D = 300 + 1,200 and 1,200. The shares x and 1 - x with the
 * least rho: 600 + 600 / x = 1,500 rho, 600 / (1 - x) = 1,200 rho: x = .55425, rho = 1.12170. At
 * that rho the least rates are x and 1 - x; at a smaller rho no shares meet them. */
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

/* A rate of 1 costs 1 on a type of speed 1, all the time, and .1 on one of speed 2 at a price of
 * .2, half of the time: the latter is chosen. */
static void cheaper_of_two(void **state)
{
    const struct hs_gavel_program p = {.types = 2, .gpus = {1, 1}};
    double shares[2];
    (void)state;
    assert_true(cheapest_shares(&p, (double[]){2, 1}, 1, (double[]){.2, 1}, shares));
    assert_near(shares[0], .5);
    assert_near(shares[1], 0);
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
        if (most > 1 + 1e-9 || !has_rates(&p, c, count, most * (1 - 1e-5), shares) ||
            (most < 1 - 1e-6 && has_rates(&p, c, count, most * (1 + 1e-5), shares)))
            fail_msg("draw %u: not the least rates times %.9g", (unsigned)seed, most);
        limited += most < 1 - 1e-6;
    }
    assert_in_range(limited, 200, 800); /* in the others jobs have all the GPUs they can use */
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
    isolated_shares(&p, &c, 2, shares);
    assert_near(shares[0], 1. / 3);
    assert_near(shares[1], 2. / 3);
    c.gang = 2;
    isolated_shares(&p, &c, 2, shares);
    assert_near(shares[0], .25);
    assert_near(shares[1], .5);
}

/* ---- water filling ---- */

/* Solves one program of classes, where those with a level keep it; returns the least rate of the
 * others, or, of class `of` alone, the highest rate that it can have while they have `least`. */
static double most_of(struct hs_gavel_program *p, const struct hs_gavel_class *classes,
                      uint32_t count, uint32_t of, double least, uint32_t first[8])
{
    begin_program(p);
    for (uint32_t i = 0; i < count; i++) {
        struct hs_gavel_class c = classes[i];
        if (of < count && i != of && c.level <= 0)
            c.level = least;
        if (i == of)
            c.level = 0;
        first[i] = add_class(p, &c);
    }
    assert_int_equal(hs_lp_solve(p->lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    return hs_lp_value(p->lp, p->goal);
}

/* Fills by prices, as the policy does, or by the definition: a class has its level where a program
 * of its own shows that it can have no more than the least rate. */
static void fill_classes(struct hs_gavel_program *p, struct hs_gavel_class *classes, uint32_t count,
                         bool is_by_price)
{
    uint32_t first[8], other[8];
    for (uint32_t left = count; left > 0;) {
        const double least = most_of(p, classes, count, count, 0, first) * (1 - 1e-9);
        bool are_full[8];
        for (uint32_t i = 0; i < count && is_by_price; i++)
            are_full[i] = is_full(p, first[i]);
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
 * others have at least 1/3, and then, filled, a GPU each: rates 1, by weights 1/3, 1, 1, 1. */
static void g12_water_filling(void **state)
{
    (void)state;
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = HS_GAVEL_LAS, .types = 1, .gpus = {4}};
    struct hs_gavel_class c[] = {{.members = 1, .gang = 1, .weight = 3, .speed = {1}},
                                 {.members = 3, .gang = 1, .weight = 1, .speed = {1}}};
    uint32_t first[8];
    assert_near(most_of(&p, c, 2, 2, 0, first), 1. / 3);
    assert_true(is_full(&p, first[0]));
    assert_false(is_full(&p, first[1]));
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
    assert_true(steps > 100); /* in many draws some class is filled beyond others */
    hs_lp_close(p.lp);
}

/* ---- pairs ---- */

/* Two jobs of one class on one GPU: the optimum with pairs at this rate. */
static double two_in_a_pair(double rate, double *share, double *time)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = HS_GAVEL_LAS, .types = 1, .gpus = {1}};
    const struct hs_gavel_class c = {.members = 2, .gang = 1, .weight = 1, .speed = {1}};
    const struct hs_gavel_couple couple = {.of = {&c, &c}, .rate = {rate, rate}};
    begin_program(&p);
    const uint32_t first = add_class(&p, &c);
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    /* alone each has half of the time, .5; a pair all the time instead is worth 2 rates, of two
     * jobs */
    assert_near(hs_gavel_couple_gain(&p, &couple), rate - .5);
    const uint32_t column = hs_gavel_add_couple(&p, &couple);
    assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
    shares_of(&p, first, share);
    *time = hs_lp_value(p.lp, column);
    const double goal = hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return goal;
}

/* G11: one GPU, two jobs. At .7 beside each other the pair gets all the time, t = .7; at .45 none,
 * t = .5. */
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

static uint32_t unpaired; /* programs whose prices of GPUs rule out pairs */

/* Rates of the classes beside each other, drawn: [a][b][type], of a beside b. */
typedef double rates[8][8][TYPES];

static struct hs_gavel_couple couple_of(const struct hs_gavel_class *c, rates of, uint32_t a,
                                        uint32_t b, uint32_t type)
{
    return (struct hs_gavel_couple){
        .of = {c, c}, .type = type, .rate = {of[a][b][type], of[b][a][type]}};
}

/* The optimum with all pairs. is_split: each job is a class of its own. is_grown: only the pairs
 * that gain are added, until none gains: none at all if the prices of the GPUs rule them out. */
static double optimum_with_pairs(enum hs_gavel_objective objective,
                                 const struct hs_gavel_class *classes, rates of, uint32_t count,
                                 bool is_split, bool is_grown)
{
    struct hs_gavel_program p = {
        .lp = hs_lp_open(), .objective = objective, .types = TYPES, .gpus = {2, 1, 4}};
    struct hs_gavel_class each[32];
    uint32_t kind[32], units = 0, first[32];
    double sum = 0;
    begin_program(&p);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < (is_split ? classes[i].members : 1); k++, units++) {
            each[units] = classes[i];
            each[units].members = is_split ? 1 : classes[i].members;
            kind[units] = i;
            first[units] = add_class(&p, &each[units]);
        }
    double paired[TYPES * 32 * 32];
    uint32_t columns[TYPES * 32 * 32], added = 0;
    for (bool is_done = false; !is_done;) {
        is_done = true;
        if (is_grown)
            assert_int_equal(hs_lp_solve(p.lp, HS_LP_ITERATIONS), HS_LP_OPTIMAL);
        const bool is_worth_it = !is_grown || added > 0 || may_pair(&p, 1);
        unpaired += !is_worth_it;
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
                    assert_true(is_worth_it);
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
        shares_of(&p, first[i], shares);
        sum += each[i].members * rate_of(&p, &each[i], shares);
    }
    sum = objective == HS_GAVEL_THROUGHPUT ? sum : hs_lp_value(p.lp, p.goal);
    hs_lp_close(p.lp);
    return sum;
}

/* With pairs, too, classes give the same optimum as single jobs, and so does adding the pairs one
 * after the other: 200 draws of up to four classes of up to four. */
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
    assert_true(raised > 20 && unpaired > 20); /* in many draws pairs matter, in many they do not */
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
        cmocka_unit_test(g4_finish_time_fairness),
        cmocka_unit_test(cheaper_of_two),
        cmocka_unit_test(mixtures_are_exact),
        cmocka_unit_test(g3_isolated),
        cmocka_unit_test(g12_water_filling),
        cmocka_unit_test(water_filling_is_exact),
        cmocka_unit_test(g11_pairs),
        cmocka_unit_test(pairs_of_classes_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
