/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fairshare and drf against a reference, on random scenarios. See support/trials.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/reffair.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)

static const char *const placers[] = {"count", "yarn", "consolidate"};
static const char *const users[] = {"u0", "u1", "u2", "u3"};

static struct fair_rules rules;

/* Half-lives and ages are about as long as a scenario; of the weights none, one or all may count.
 */
static void draw(struct trial *t, struct dice *d)
{
    static const int64_t weights[] = {0, 1, 100, 1003};
    const bool is_odd = dice_roll(d, 0, 2) == 0;
    rules = (struct fair_rules){.is_drf = dice_roll(d, 0, 2) == 0,
                                .skips = dice_roll(d, 0, 1) == 1,
                                .w_fairshare = weights[dice_roll(d, 0, 3)],
                                .w_age = weights[dice_roll(d, 0, 3)],
                                .w_size = weights[dice_roll(d, 0, 3)],
                                .half_life_us = trial_draw_us(d, 1, 50, is_odd),
                                .max_age_us = trial_draw_us(d, 60, 90, is_odd)};
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_CONSOLIDATE);
    int len = snprintf(t->policy, sizeof t->policy, "%s:scan=%s,placement=%s",
                       rules.is_drf ? "drf" : "fairshare", rules.skips ? "fit" : "strict",
                       placers[t->world.placer]);
    if (!rules.is_drf)
        (void)snprintf(t->policy + len, sizeof t->policy - (size_t)len,
                       ",w_fairshare=%d,w_age=%d,w_size=%d,half_life=%s,max_age=%s",
                       (int)rules.w_fairshare, (int)rules.w_age, (int)rules.w_size,
                       trial_seconds(rules.half_life_us), trial_seconds(rules.max_age_us));
    trial_draw_cluster(t, d, 4, 4, false);
    trial_draw_jobs(t, d, dice_roll(d, 2, 40), is_odd);
    const int longer = dice_roll(d, 1, 10); /* so that some jobs wait longer than max_age */
    for (int i = 0; i < t->count; i++) {
        t->jobs[i].duration_us *= longer;
        t->jobs[i].user = users[dice_roll(d, 0, 3)];
    }
}

static bool refer(struct trial *t)
{
    return fair_simulate(&rules, &t->world, HORIZON_US);
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
