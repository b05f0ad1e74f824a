/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policies that order by run times, and fifo, against a reference, on random scenarios: sjf,
 * qssf and fifo with virtual clusters, srtf and srsf in their evict form with costs; with
 * priorities; run times are true, or means of finished jobs, which the reference computes itself.
 * See support/trials.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refshortest.h"
#include "support/sink.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)

static const char *const policies[] = {"fifo", "sjf", "qssf", "srtf", "srsf"};
static const char *const placers[] = {"count", "yarn", "consolidate"};
static const char *const users[] = {"u0", "u1", "u2"};
static const char *const vcs[] = {"vc0", "vc1", "vc2"};

static struct shortest rules;

static void draw_policy(struct trial *t, struct dice *d, bool is_odd)
{
    char own[256] = "";
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_CONSOLIDATE);
    if (rules.policy <= SHORTEST_SJF) {
        rules.skips = dice_roll(d, 0, 1) == 1;
        (void)snprintf(own, sizeof own, "scan=%s", rules.skips ? "fit" : "strict");
    } else if (rules.policy == SHORTEST_QSSF) {
        rules.is_helios = dice_roll(d, 0, 1) == 1;
        (void)snprintf(own, sizeof own, "compat=%s", rules.is_helios ? "helios" : "off");
    } else {
        rules.is_helios = dice_roll(d, 0, 3) == 0;
        (void)snprintf(own, sizeof own, "form=evict,compat=%s,%s",
                       rules.is_helios ? "helios" : "off", trial_draw_cost(t, d, is_odd));
    }
    (void)snprintf(t->policy, sizeof t->policy, "%s:placement=%s,%s", policies[rules.policy],
                   placers[t->world.placer], own);
    rules.is_rolling = dice_roll(d, 0, 3) > 0;
    rules.unknown_us = trial_draw_us(d, 0, 8, is_odd);
    size_t len = strlen(t->policy);
    (void)snprintf(t->policy + len, sizeof t->policy - len, ",pred=%s,pred_unknown=%s",
                   rules.is_rolling ? "rolling" : "oracle", trial_seconds(rules.unknown_us));
}

/* Priorities, of which some are equal; jobs are preempted by them in one virtual cluster alone,
 * and not under compat=helios. */
static void draw_priorities(struct trial *t, struct dice *d, bool is_odd)
{
    rules.has_levels = dice_roll(d, 0, 1) == 1;
    if (!rules.has_levels)
        return;
    const bool by_order = rules.policy >= SHORTEST_SRTF;
    rules.preempts = !by_order && rules.vc_count == 1 && !rules.is_helios && dice_roll(d, 0, 2) > 0;
    rules.ageing_us = dice_roll(d, 0, 1) == 1 ? trial_draw_us(d, 1, 6, is_odd) : 0;
    const bool says_preempt = rules.preempts || (by_order && dice_roll(d, 0, 1) == 1);
    size_t len = strlen(t->policy);
    (void)snprintf(t->policy + len, sizeof t->policy - len, ",priority=%s,ageing=%s%s%s",
                   says_preempt ? "preempt" : "order", trial_seconds(rules.ageing_us),
                   rules.preempts ? "," : "", rules.preempts ? trial_draw_cost(t, d, is_odd) : "");
    const int most = dice_roll(d, 1, 4);
    for (int i = 0; i < t->count; i++)
        t->jobs[i].priority = dice_roll(d, -1, most);
}

/* Gives each virtual cluster some of the nodes, in order; or a quota, in all perhaps more than
 * there are GPUs. */
static void draw_vcs(struct trial *t, struct dice *d)
{
    char json[256] = "{\"vcs\": {";
    int node = 0;
    rules.vc_count = 1;
    rules.vc_gpus[0] = ref_gpus(&t->world);
    if (rules.policy >= SHORTEST_SRTF || t->world.nodes < 2 || dice_roll(d, 0, 1) == 0)
        return;
    rules.vcs = (enum shortest_vcs)dice_roll(d, SHORTEST_PARTITION, SHORTEST_QUOTA);
    rules.vc_count = dice_roll(d, 2, t->world.nodes < 3 ? t->world.nodes : 3);
    for (int v = 0; v < rules.vc_count; v++) {
        int later = rules.vc_count - 1 - v;
        int nodes = t->world.nodes - node - later;
        nodes = later > 0 ? dice_roll(d, 1, nodes) : nodes;
        rules.vc_gpus[v] = rules.vcs == SHORTEST_QUOTA ? dice_roll(d, 1, ref_gpus(&t->world))
                                                       : nodes * t->world.node_gpus[0];
        for (; nodes > 0; nodes--)
            rules.node_vc[node++] = v;
        size_t len = strlen(json);
        (void)snprintf(json + len, sizeof json - len, "%s\"%s\": %d", v > 0 ? ", " : "", vcs[v],
                       rules.vc_gpus[v]);
    }
    (void)snprintf(t->note, sizeof t->note, "%s %s}}",
                   rules.vcs == SHORTEST_QUOTA ? "quota" : "partition", json);
    (void)strcat(json, "}}");
    t->options.vc = rules.vcs == SHORTEST_QUOTA ? HS_VC_QUOTA : HS_VC_PARTITION;
    t->options.vc_file = scratch_write("vcs.json", json, strlen(json));
}

static void draw(struct trial *t, struct dice *d)
{
    bool is_odd = dice_roll(d, 0, 2) == 0;
    memset(&rules, 0, sizeof rules);
    rules.policy = (enum shortest_policy)dice_roll(d, SHORTEST_FIFO, SHORTEST_SRSF);
    draw_policy(t, d, is_odd);
    trial_draw_cluster(t, d, 4, 4, false);
    draw_vcs(t, d);
    trial_draw_jobs(t, d, dice_roll(d, 2, 25), is_odd);
    for (int i = 0; i < t->count; i++) {
        t->jobs[i].user = users[dice_roll(d, 0, 2)];
        t->jobs[i].vc = vcs[dice_roll(d, 0, rules.vc_count - 1)];
    }
    draw_priorities(t, d, is_odd);
}

/* compat=helios where nearly all is a tie: jobs of 1 to 6 s submitted within few seconds. The
 * preemption costs are those of the artifact or none, run times are true. */
static void draw_ties(struct trial *t, struct dice *d)
{
    bool is_free = dice_roll(d, 0, 1) == 1;
    memset(&rules, 0, sizeof rules);
    rules.policy = (enum shortest_policy)dice_roll(d, SHORTEST_SRTF, SHORTEST_SRSF);
    rules.is_helios = true;
    rules.vc_count = 1;
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_CONSOLIDATE);
    t->world.cost = is_free ? REF_FREE : REF_TABLE;
    for (int i = 0; i < 3; i++)
        t->world.cost_table_us[i] = trial_draw_us(d, 0, 2, false);
    (void)snprintf(t->policy, sizeof t->policy,
                   "%s:form=evict,compat=helios,placement=%s,preempt_cost=%s,cost_table=%s/%s/%s",
                   policies[rules.policy], placers[t->world.placer], is_free ? "free" : "table",
                   trial_seconds(t->world.cost_table_us[0]),
                   trial_seconds(t->world.cost_table_us[1]),
                   trial_seconds(t->world.cost_table_us[2]));
    trial_draw_cluster(t, d, 4, 4, t->world.placer == REF_COUNT);
    trial_draw_ties(t, d, 30);
}

static bool refer(struct trial *t)
{
    return shortest_simulate(&rules, &t->world, HORIZON_US);
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 20000);
}

static void helios_ties(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_ties, .refer = refer}, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios),
                                       cmocka_unit_test(helios_ties)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
