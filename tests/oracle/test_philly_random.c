/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * philly against a reference, on random scenarios: racks, virtual clusters of quotas or of nodes of
 * their own, jobs that fail and are submitted again, every parameter. See support/trials.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refphilly.h"
#include "support/sink.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)

static const char *const vcs[] = {"vc0", "vc1", "vc2"};

static struct philly rules;

HS_PRINTF(3, 4)
static void add(char *text, size_t size, const char *fmt, ...)
{
    size_t len = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + len, size - len, fmt, args);
    va_end(args);
}

static void draw_policy(struct trial *t, struct dice *d, bool is_odd)
{
    static const int shares[] = {0, 500, 750, 900, 1000};
    rules.retry_us = dice_roll(d, 0, 2) > 0 ? trial_draw_us(d, 1, 4, is_odd) : 0;
    rules.relax_after = dice_roll(d, 0, 3);
    rules.max_level = dice_roll(d, 0, 2);
    rules.fair_permille = shares[dice_roll(d, 0, 4)];
    rules.requeues_at_head = dice_roll(d, 0, 1) == 1;
    add(t->policy, sizeof t->policy,
        "philly:retry=%s,relax_after=%d,max_level=%d,fair_preempt=%g,requeue=%s,%s",
        trial_seconds(rules.retry_us), rules.relax_after, rules.max_level,
        (double)rules.fair_permille / 1000, rules.requeues_at_head ? "head" : "tail",
        trial_draw_cost(t, d, is_odd));
}

/* Draws the VC of each node, in order; or a quota each, in all perhaps fewer or more GPUs than
 * there are. */
static void draw_vcs(struct trial *t, struct dice *d)
{
    int nodes = t->world.nodes, gpus = ref_gpus(&t->world);
    rules.vcs = (enum philly_vcs)(
        dice_roll(d, 0, 4) == 0 ? dice_roll(d, PHILLY_ONE, PHILLY_PARTITION) : PHILLY_QUOTA);
    rules.vc_count = rules.vcs == PHILLY_ONE ? 1 : dice_roll(d, 2, 3);
    if (rules.vcs == PHILLY_PARTITION && rules.vc_count > nodes)
        rules.vc_count = nodes;
    for (int v = 0; v < rules.vc_count; v++)
        rules.quota[v] = dice_roll(d, dice_roll(d, 0, 7) > 0, gpus);
    for (int n = 0; n < nodes; n++)
        rules.node_vc[n] = n < rules.vc_count ? n : rules.vc_count - 1;
    t->options.vc = rules.vcs == PHILLY_ONE     ? HS_VC_IGNORE
                    : rules.vcs == PHILLY_QUOTA ? HS_VC_QUOTA
                                                : HS_VC_PARTITION;
}

/* Writes a cluster: racks of nodes, each node with its VC if it has one, quotas. */
static void write_cluster(struct trial *t)
{
    static char json[1024];
    json[0] = '\0';
    add(json, sizeof json, "{\"racks\": [");
    for (int n = 0; n < t->world.nodes; n++) {
        bool is_first = n == 0 || rules.rack_of[n] != rules.rack_of[n - 1];
        add(json, sizeof json, "%s{\"gpus\": %d",
            !is_first ? ", "
            : n > 0   ? "]}, {\"nodes\": ["
                      : "{\"nodes\": [",
            t->world.node_gpus[n]);
        if (rules.vcs == PHILLY_PARTITION)
            add(json, sizeof json, ", \"vc\": \"%s\"", vcs[rules.node_vc[n]]);
        add(json, sizeof json, "}");
    }
    add(json, sizeof json, "]}]");
    if (rules.vcs == PHILLY_QUOTA) {
        add(json, sizeof json, ", \"vcs\": {");
        for (int v = 0; v < rules.vc_count; v++)
            add(json, sizeof json, "%s\"%s\": %d", v > 0 ? ", " : "", vcs[v], rules.quota[v]);
        add(json, sizeof json, "}");
    }
    add(json, sizeof json, "}");
    (void)snprintf(t->note, sizeof t->note, "%s", json);
    (void)snprintf(t->cluster, sizeof t->cluster, "%s",
                   scratch_write("cluster.json", json, strlen(json)));
}

static void draw(struct trial *t, struct dice *d)
{
    bool is_odd = dice_roll(d, 0, 2) == 0;
    memset(&rules, 0, sizeof rules);
    draw_policy(t, d, is_odd);
    trial_draw_cluster(t, d, 6, 4, true);
    for (int n = 1; n < t->world.nodes; n++)
        rules.rack_of[n] = rules.rack_of[n - 1] + (dice_roll(d, 0, 2) == 0);
    draw_vcs(t, d);
    write_cluster(t);
    trial_draw_jobs(t, d, dice_roll(d, 2, 25), is_odd);
    for (int i = 0; i < t->count; i++) {
        t->jobs[i].vc = vcs[dice_roll(d, 0, rules.vc_count - 1)];
        t->jobs[i].failures =
            dice_roll(d, 0, 5) == 0 ? (uint32_t)dice_roll(d, 1, REF_FAILURES_MAX) : 0;
        for (uint32_t k = 0; k < t->jobs[i].failures; k++)
            t->jobs[i].failed_s[k] = dice_roll(d, 0, 5);
    }
}

static bool refer(struct trial *t)
{
    return philly_simulate(&rules, &t->world, HORIZON_US);
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
