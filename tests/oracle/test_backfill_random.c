/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Backfilling, EASY and conservative, against a reference written from the published rules, on
 * random scenarios: three orders, true and wrong estimates, virtual clusters of both kinds; and the
 * same with reservations, there under strict and fit as well. See support/trials.h and
 * ref/refbackfill.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refbackfill.h"
#include "support/sink.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)
#define JOBS_MAX   30

static const char *const policies[] = {"fifo", "sjf", "qssf"};
static const char *const scans[] = {"strict", "fit", "easy", "conservative"};
static const char *const placers[] = {"count",    "yarn",      "consolidate",
                                      "best_fit", "first_fit", "spread"};
static const char *const vcs[] = {"vc0", "vc1", "vc2"};
static const char *const users[] = {"u0", "u1", "u2"};

static struct backfill rules;

/* Gives each virtual cluster some of the nodes, in order; or a quota, in all perhaps more than
 * there are GPUs. */
static void draw_vcs(struct trial *t, struct dice *d)
{
    char json[256] = "{\"vcs\": {";
    int node = 0;
    rules.vc_count = 1;
    rules.vc_gpus[0] = ref_gpus(&t->world);
    if (t->world.nodes < 2 || dice_roll(d, 0, 1) == 0)
        return;
    rules.vcs = (enum backfill_vcs)dice_roll(d, BACKFILL_PARTITION, BACKFILL_QUOTA);
    rules.vc_count = dice_roll(d, 2, t->world.nodes < 3 ? t->world.nodes : 3);
    for (int v = 0; v < rules.vc_count; v++) {
        int later = rules.vc_count - 1 - v;
        int nodes = t->world.nodes - node - later;
        nodes = later > 0 ? dice_roll(d, 1, nodes) : nodes;
        rules.vc_gpus[v] = rules.vcs == BACKFILL_QUOTA ? dice_roll(d, 1, ref_gpus(&t->world))
                                                       : nodes * t->world.node_gpus[0];
        for (; nodes > 0; nodes--)
            rules.node_vc[node++] = v;
        size_t len = strlen(json);
        (void)snprintf(json + len, sizeof json - len, "%s\"%s\": %d", v > 0 ? ", " : "", vcs[v],
                       rules.vc_gpus[v]);
    }
    (void)snprintf(t->note, sizeof t->note, "%s %s}}",
                   rules.vcs == BACKFILL_QUOTA ? "quota" : "partition", json);
    (void)strcat(json, "}}");
    t->options.vc = rules.vcs == BACKFILL_QUOTA ? HS_VC_QUOTA : HS_VC_PARTITION;
    t->options.vc_file = scratch_write("vcs.json", json, strlen(json));
}

/* Estimates are true in one scenario of three. A job keeps its name, and so its row, while a
 * scenario shrinks; the reference reads its estimate as its cost. */
static void draw_estimates(struct trial *t, struct dice *d)
{
    static char names[JOBS_MAX][16];
    char text[1024] = "job_id,duration\n", path[256];
    const bool is_right = dice_roll(d, 0, 2) == 0;
    for (int i = 0; i < t->count; i++) {
        struct hs_test_job *j = &t->jobs[i];
        (void)snprintf(names[i], sizeof names[i], "j%d", i);
        j->id = names[i];
        j->preempt_cost_s =
            is_right || dice_roll(d, 0, 3) == 0 ? j->duration_us / HS_TEST_S : dice_roll(d, 0, 12);
        size_t len = strlen(text);
        (void)snprintf(text + len, sizeof text - len, "%s,%d\n", names[i], (int)j->preempt_cost_s);
    }
    scratch_keep(path, sizeof path, "estimates.csv", text);
    size_t len = strlen(t->policy);
    (void)snprintf(t->policy + len, sizeof t->policy - len, ",pred=file,pred_file=%s", path);
}

/* Gives the window some of the nodes of its virtual cluster that have no window at that time, and
 * appends its row. */
static void draw_window(struct trial *t, struct dice *d, char *text, size_t size)
{
    static const char *const none = "";
    struct backfill_window *v = &rules.windows[rules.window_count];
    char nodes[128] = "";
    *v = (struct backfill_window){.user = dice_roll(d, -1, 2), .vc = -1};
    if (rules.vcs == BACKFILL_PARTITION || (rules.vcs == BACKFILL_QUOTA && v->user < 0))
        v->vc = dice_roll(d, 0, rules.vc_count - 1);
    if (v->user < 0 && v->vc < 0)
        v->user = 0;
    v->start_us = trial_draw_us(d, 0, 25, false);
    if (rules.window_count > 0) /* windows are in order of start */
        v->start_us += rules.windows[rules.window_count - 1].start_us / 2;
    if (rules.window_count > 0 && v->start_us < rules.windows[rules.window_count - 1].start_us)
        v->start_us = rules.windows[rules.window_count - 1].start_us;
    v->end_us = v->start_us + trial_draw_us(d, 1, 12, false);
    for (int n = 0; n < t->world.nodes; n++) {
        bool is_free = rules.vcs != BACKFILL_PARTITION || rules.node_vc[n] == v->vc;
        for (int i = 0; i < rules.window_count; i++)
            is_free = is_free &&
                      (!rules.windows[i].has_node[n] || rules.windows[i].end_us <= v->start_us);
        v->has_node[n] = is_free && dice_roll(d, 0, 1) == 1;
        size_t len = strlen(nodes);
        if (v->has_node[n])
            (void)snprintf(nodes + len, sizeof nodes - len, "%sn%d", len > 0 ? " " : "", n);
    }
    if (nodes[0] == '\0')
        return;
    size_t len = strlen(text);
    (void)snprintf(text + len, size - len, "%s,%s,%s,%s,%s\n", trial_seconds(v->start_us),
                   trial_seconds(v->end_us), nodes, v->user >= 0 ? users[v->user] : none,
                   v->vc >= 0 ? vcs[v->vc] : none);
    rules.window_count++;
}

static void draw_windows(struct trial *t, struct dice *d)
{
    static char path[256];
    char text[1024] = "start,end,nodes,user,vc\n";
    for (int i = dice_roll(d, 0, BACKFILL_WINDOWS_MAX); i > 0; i--)
        draw_window(t, d, text, sizeof text);
    scratch_keep(path, sizeof path, "reservations.csv", text);
    t->options.reservations = path;
    size_t len = strlen(t->note);
    (void)snprintf(t->note + len, sizeof t->note - len, "\n%s", text);
}

static void draw_from(struct trial *t, struct dice *d, enum backfill_scan first)
{
    const bool is_odd = dice_roll(d, 0, 3) == 0;
    memset(&rules, 0, sizeof rules);
    rules.order = (enum backfill_order)dice_roll(d, BACKFILL_FIFO, BACKFILL_QSSF);
    rules.scan = (enum backfill_scan)dice_roll(d, (int)first, BACKFILL_CONSERVATIVE);
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_SPREAD);
    (void)snprintf(t->policy, sizeof t->policy, "%s:scan=%s,placement=%s", policies[rules.order],
                   scans[rules.scan], placers[t->world.placer]);
    trial_draw_cluster(t, d, 4, 6, false);
    draw_vcs(t, d);
    trial_draw_jobs(t, d, JOBS_MAX, is_odd);
    for (int i = 0; i < t->count; i++)
        t->jobs[i].vc = vcs[dice_roll(d, 0, rules.vc_count - 1)];
    draw_estimates(t, d);
}

static void draw(struct trial *t, struct dice *d)
{
    draw_from(t, d, BACKFILL_EASY);
}

static void draw_reserved(struct trial *t, struct dice *d)
{
    draw_from(t, d, BACKFILL_STRICT);
    for (int i = 0; i < t->count; i++)
        t->jobs[i].user = users[dice_roll(d, 0, 2)];
    draw_windows(t, d);
}

static bool refer(struct trial *t)
{
    return backfill_simulate(&rules, &t->world, HORIZON_US);
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 10000);
}

static void around_reservations(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_reserved, .refer = refer}, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios),
                                       cmocka_unit_test(around_reservations)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
