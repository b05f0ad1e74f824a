/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine and a policy against a reference simulator on many random scenarios: first start, end,
 * preemptions, rejections and every segment of every job must be equal. A scenario that differs is
 * shrunk by dropping jobs, and printed in the notation of support/scenario.h.
 *
 *     static void draw(struct trial *t, struct dice *d) { ... t->policy, t->world, t->jobs ... }
 *     static bool refer(struct trial *t) { return las_simulate(&rules, &t->world, HORIZON_US); }
 *     trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 10000);
 *
 *   HORUS_SCENARIOS=N   number of scenarios (HORUS_LONG: ten times the test's number)
 *   HORUS_SEED=S        which (default 1)
 *   HORUS_FROM=N        beginning with scenario N (default 0)
 */
#ifndef HORUS_TESTS_TRIALS_H
#define HORUS_TESTS_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/reftasks.h"
#include "support/run.h"

#define TRIAL_JOBS_MAX 3000

/* Draws from one counter, so that a trial is a function of its number alone. */
struct dice {
    uint64_t seed, count;
};
int dice_roll(struct dice *d, int low, int high); /* inclusive */

struct trial {
    struct hs_test_job *jobs; /* TRIAL_JOBS_MAX of them */
    int count;
    char cluster[512], policy[512];
    char note[1024]; /* further data needed to repeat it */
    struct hs_test_options options;
    struct ref_world world; /* without the tasks, which come from the jobs */
    struct ref_task *tasks;
};

struct trial_kind {
    void (*draw)(struct trial *t, struct dice *d);
    /* Simulates t->world; false: some job never finishes, and the trial does not count. */
    bool (*refer)(struct trial *t);
    /* Further values that must be equal; may be NULL. */
    bool (*same)(const struct trial *t, const struct hs_test_result *r);
    bool is_large;        /* slow: the environment does not multiply them, nothing is shrunk */
    bool has_no_segments; /* the reference has none: they are not compared */
};

/* Up to `most` nodes of one size up to `size`, or, if any_sizes, of different sizes. */
void trial_draw_cluster(struct trial *t, struct dice *d, int most, int size, bool any_sizes);
/* low to high seconds: whole ones, or, if is_odd, of any microseconds. */
int64_t trial_draw_us(struct dice *d, int low, int high, bool is_odd);
/* Bursts of jobs of 0 to 8 s, occasionally one too large for the cluster. */
void trial_draw_jobs(struct trial *t, struct dice *d, int most, bool is_odd);
/* Jobs of 1 to 6 whole seconds, most of them submitted at the same second as others. */
void trial_draw_ties(struct trial *t, struct dice *d, int most);
/* preempt_cost and cost_table into t->world and, to be appended to a policy, as text. */
const char *trial_draw_cost(struct trial *t, struct dice *d, bool is_odd);
/* "1.5" of 1,500,000; static storage, valid for eight calls. */
const char *trial_seconds(int64_t us);

/* Fails the test if a scenario differs, or if more than one in a hundred does not count. */
void trials_run(const struct trial_kind *kind, uint64_t count);

#endif
