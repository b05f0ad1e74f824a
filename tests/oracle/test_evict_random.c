/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes, notices, quotas lent within cohorts and reclaim against a reference from the written
 * rules, on random scenarios. See support/trials.h and ref/refevict.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refevict.h"
#include "support/sink.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)
#define JOBS_MAX   30

static const char *const policies[] = {"fifo", "sjf", "qssf", "srtf"};
static const char *const scans[] = {"strict", "fit"};
static const char *const placers[] = {"count",    "yarn",      "consolidate",
                                      "best_fit", "first_fit", "spread"};
static const char *const vcs[] = {"vc0", "vc1", "vc2", "vc3"};

static struct evict rules;

static void append(char *text, size_t size, const char *words)
{
    const size_t len = strlen(text);
    (void)snprintf(text + len, size - len, "%s", words);
}

/* Draws a limit in two of three cases. */
static int draw_limit(struct dice *d, int most)
{
    return dice_roll(d, 0, 2) > 0 ? dice_roll(d, 0, most) : -1;
}

/* Appends the value of a quota to its JSON. */
static void write_quota(char *json, size_t size, const struct evict_quota *q)
{
    char words[128];
    (void)snprintf(words, sizeof words, "{\"gpus\": %d", q->gpus);
    append(json, size, words);
    (void)snprintf(words, sizeof words, ", \"cohort\": \"c%d\"", q->parent);
    append(json, size, q->parent >= 0 ? words : "");
    (void)snprintf(words, sizeof words, ", \"borrowing_limit\": %d", q->borrow);
    append(json, size, q->borrow >= 0 ? words : "");
    (void)snprintf(words, sizeof words, ", \"lending_limit\": %d", q->lend);
    append(json, size, q->lend >= 0 ? words : "");
    append(json, size, "}");
}

/* Two to four virtual clusters, most of them in one of up to four cohorts, of which each but the
 * last may be in a later one. Quotas add up to about the cluster. */
static void draw_quotas(struct trial *t, struct dice *d)
{
    static char path[256];
    char json[900] = "{\"vcs\": {", words[32];
    const int cohorts = dice_roll(d, 1, 4), gpus = ref_gpus(&t->world);
    rules.vc_count = dice_roll(d, 2, 4);
    rules.quota_count = rules.vc_count + cohorts;
    for (int i = 0; i < rules.quota_count; i++) {
        struct evict_quota *q = &rules.quotas[i];
        const bool is_vc = i < rules.vc_count;
        const int first = is_vc ? rules.vc_count : i + 1;
        *q = (struct evict_quota){.parent = -1, .borrow = -1, .lend = -1};
        q->gpus = dice_roll(d, 0, is_vc ? 2 * gpus / rules.vc_count : gpus / 4);
        if (first < rules.quota_count && dice_roll(d, 0, 5) > 0)
            q->parent = dice_roll(d, first, rules.quota_count - 1);
        if (q->parent >= 0 && dice_roll(d, 0, 2) == 0) {
            q->borrow = draw_limit(d, gpus);
            q->lend = draw_limit(d, is_vc ? q->gpus : gpus);
        }
    }
    rules.quotas[0].parent = rules.quota_count - 1; /* at least one is in a cohort */
    for (int i = 0; i < rules.quota_count; i++) {
        if (i == rules.vc_count)
            append(json, sizeof json, "}, \"cohorts\": {");
        (void)snprintf(words, sizeof words,
                       "%s\"%s%d\": ", i > 0 && i != rules.vc_count ? ", " : "",
                       i < rules.vc_count ? "vc" : "c", i);
        append(json, sizeof json, words);
        write_quota(json, sizeof json, &rules.quotas[i]);
    }
    append(json, sizeof json, "}}");
    (void)snprintf(t->note, sizeof t->note, "--vc=quota %s", json);
    scratch_keep(path, sizeof path, "vcs.json", json);
    t->options.vc = HS_VC_QUOTA;
    t->options.vc_file = path;
}

static void draw_policy(struct trial *t, struct dice *d, bool is_odd)
{
    static const char *const classes[] = {"ignore", "order", "evict"};
    static const char *const uses[] = {"ignore", "order", "preempt"};
    int class = dice_roll(d, 0, 2), use = dice_roll(d, 0, 2);
    char words[128];
    rules.order = (enum evict_order)dice_roll(d, EVICT_FIFO, EVICT_SRTF);
    if (rules.order != EVICT_SRTF && use == 2 && class == 1) /* the policy refuses this */
        class = 2;
    rules.skips = rules.order == EVICT_SRTF || dice_roll(d, 0, 1) == 1;
    rules.has_classes = class > 0;
    rules.class_evicts = class == 2 || (rules.has_classes && rules.order == EVICT_SRTF);
    rules.has_levels = use > 0;
    rules.level_preempts = use == 2 || (rules.has_levels && rules.order == EVICT_SRTF);
    rules.ageing_us = dice_roll(d, 0, 1) * dice_roll(d, 1, 20) * HS_TEST_S;
    rules.grace_us = dice_roll(d, 0, 3) > 0 ? trial_draw_us(d, 1, 6, is_odd) : 0;
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_SPREAD);
    (void)snprintf(t->policy, sizeof t->policy,
                   "%s:pred=oracle,placement=%s,class=%s,priority=%s,ageing=%ss,grace=%ss",
                   policies[rules.order], placers[t->world.placer], classes[class], uses[use],
                   trial_seconds(rules.ageing_us), trial_seconds(rules.grace_us));
    (void)snprintf(words, sizeof words, ",scan=%s", scans[rules.skips]);
    append(t->policy, sizeof t->policy, rules.order == EVICT_SRTF ? "" : words);
    append(t->policy, sizeof t->policy, rules.reclaims ? ",reclaim=yes" : "");
    append(t->policy, sizeof t->policy, ",");
    append(t->policy, sizeof t->policy, trial_draw_cost(t, d, is_odd));
}

static void draw_with(struct trial *t, struct dice *d, bool has_quotas, bool reclaims)
{
    const bool is_odd = dice_roll(d, 0, 3) == 0;
    memset(&rules, 0, sizeof rules);
    rules.reclaims = reclaims;
    trial_draw_cluster(t, d, 4, 6, false);
    draw_policy(t, d, is_odd);
    rules.vc_count = rules.quota_count = 1;
    rules.quotas[0] =
        (struct evict_quota){.parent = -1, .gpus = ref_gpus(&t->world), .borrow = -1, .lend = -1};
    if (has_quotas)
        draw_quotas(t, d);
    trial_draw_jobs(t, d, JOBS_MAX, is_odd);
    for (int i = 0; i < t->count; i++) {
        if (has_quotas)
            t->jobs[i].vc = vcs[dice_roll(d, 0, rules.vc_count - 1)];
        t->jobs[i].priority = dice_roll(d, 0, 3);
        t->jobs[i].job_class = (enum hs_job_class)dice_roll(d, 0, HS_JOB_CLASS_OPPORTUNISTIC);
        t->jobs[i].preempt_cost_s = dice_roll(d, 1, 3);
    }
}

static void draw_classes(struct trial *t, struct dice *d)
{
    draw_with(t, d, false, false);
}

static void draw_borrowing(struct trial *t, struct dice *d)
{
    draw_with(t, d, true, false);
}

static void draw_reclaim(struct trial *t, struct dice *d)
{
    draw_with(t, d, true, true);
}

static bool refer(struct trial *t)
{
    return evict_simulate(&rules, &t->world, HORIZON_US);
}

static void classes_and_notices(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_classes, .refer = refer}, 10000);
}

static void borrowing(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_borrowing, .refer = refer}, 10000);
}

static void reclaim(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_reclaim, .refer = refer}, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes_and_notices),
                                       cmocka_unit_test(borrowing), cmocka_unit_test(reclaim)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
