/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random scenarios for the policies that share GPUs: up to 12 jobs on up to 16 GPUs of up to 3
 * types, several racks, gangs, insufficient memory, wrong predictions; once as the engine's input
 * and once as numbers of the reference. Few values, so that ties are frequent.
 *
 *     shared_open(state);                      // a scratch folder, predictors
 *     shared_draw(&t, seed, number);
 *     shared_ask(&t);                          // the policies' predictions, into t.s
 *     share_play(&t.s);
 *     hs_test_run_with(t.jobs, t.s.job_count, t.cluster_path, t.policy, &t.options, &r);
 *
 * A policy that does nothing else reads the predictions from the engine's view, so the reference
 * depends neither on predictor nor catalogue.
 */
#ifndef HORUS_TESTS_SHARED_H
#define HORUS_TESTS_SHARED_H

#include "ref/refshare.h"
#include "support/run.h"

#define SHARED_JOBS_MAX 12

struct shared {
    struct share_scenario s;
    struct hs_test_job jobs[SHARED_JOBS_MAX];
    struct hs_test_options options;
    char type_names[SHARE_TYPES_MAX][8];
    char cluster[1024], policy[256];
    const char *cluster_path; /* of the text `cluster`, valid until the next draw */
};

/* cmocka group set-up and tear-down. */
int shared_open(void **state);
int shared_close(void **state);
/* A function of its two numbers. */
void shared_draw(struct shared *t, uint64_t seed, uint64_t number);
/* Fills the jobs of t->s; must be called again when jobs are left out. */
void shared_ask(struct shared *t);

#endif
