/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random scenarios for the physics of shared GPUs: a small cluster of several GPU types, with
 * speeds, gang factors and pair slowdowns, once as model files that the program reads and once as
 * the numbers of the reference.
 *
 *     rated_open();                            // in a scratch folder
 *     rated_draw(&world, kind, seed);
 *     ... script_options.speed = world.speed; world.scenario ...
 *     rated_free(&world);
 */
#ifndef HORUS_TESTS_RATED_H
#define HORUS_TESTS_RATED_H

#include "model/cluster.h"
#include "model/interference.h"
#include "model/speed.h"
#include "ref/refrates.h"
#include "support/run.h"

/* Which numbers are drawn, and with it what must agree to the microsecond:
 * FRACTIONS  every rate is a binary fraction: pairs slow each other 1, 2 or 4 times, two tenants;
 * POWERS     any slowdown that Q20 holds, up to four tenants, slice groups, throttles; all else
 *            powers of two, so that rounding 1 / S down to Q32 and rounding the product down is the
 *            same in any order; ANY anything: within the bound of refrates.c.
 * The time of a GPU is limited in ANY alone: its shares are no binary fractions. */
enum rated_kind { RATED_FRACTIONS, RATED_POWERS, RATED_ANY, RATED_KINDS };

#define RATED_PROFILES 6

struct rated {
    enum rated_kind kind;
    char shape[128];
    struct hs_cluster cluster;
    struct hs_speed *speed;
    struct hs_interference *truth;
    struct ref_slow_model slow;
    struct rates_scenario scenario; /* nodes and models only */
};

struct dice { /* draws from one counter */
    uint64_t seed, count;
};
int roll(struct dice *d, int low, int high);
long double pick(struct dice *d, int count, const long double *of);
/* of six digits, as in model files */
long double real(struct dice *d, double low, double high);

int rated_open(void **state);
int rated_close(void **state);
void rated_draw(struct rated *w, enum rated_kind kind, uint64_t seed);
void rated_free(struct rated *w);

/* ratedcheck.c: true if the result is that of the scenario, as simulated by the reference.
 * Differences are printed if is_told. */
bool rated_agrees(const struct rated *w, const struct rates_scenario *s,
                  const struct hs_test_result *r, bool is_told);
void rated_print(const struct rated *w, const struct rates_scenario *s, uint64_t number);

#endif
