/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gangs of whole GPUs and shares of GPUs mixed, on clusters of several GPU types, with virtual
 * clusters, and CPU and host memory that run out: the engine under fifo and sjf against the
 * reference of ref/refparts.h. Equal are start, end and GPUs of every job, its GPU time by shares,
 * and the GPUs and shares of them held over time. Invariants of every policy are checked as well
 * (support/parted.h). Small scenarios have few values, so that nearly everything ties.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/parted.h"
#include "support/sink.h"
#include "support/trials.h"

#define JOBS_MAX 16
#define TYPES    3

static const char *const placers[] = {"count",    "yarn",      "consolidate",
                                      "best_fit", "first_fit", "spread"};
static const char *const vc_names[] = {"v0", "v1", "v2"};
/* By mask. No node is of type X9. */
static const char *const type_sets[] = {NULL,    "X0",    "X1",       "X0|X1", "X2",
                                        "X2|X0", "X1|X2", "X0|X1|X2", "X9|X1", "X9"};

static struct parts rules;
static struct parts_job mine[TRIAL_JOBS_MAX];
static struct parted_watch watch;
static char json[16384];

static int pick(struct dice *d, const int *values, int count)
{
    return values[dice_roll(d, 0, count - 1)];
}

static bool is_long(void)
{
    const char *text = getenv("HORUS_LONG");
    return text != NULL && text[0] != '\0';
}

static bool one_in(struct dice *d, int n)
{
    return dice_roll(d, 1, n) == 1;
}

/* ---- small ones ---- */

static void draw_nodes(struct dice *d)
{
    bool has_limits = one_in(d, 2), is_even = one_in(d, 2);
    int same = dice_roll(d, 1, 4);
    rules.nodes = dice_roll(d, 1, 4);
    for (int n = 0; n < rules.nodes; n++) {
        rules.node[n] = (struct parts_node){.gpus = is_even ? same : dice_roll(d, 1, 4),
                                            .type = dice_roll(d, 0, TYPES - 1),
                                            .vc = n % rules.vc_count};
        if (has_limits && one_in(d, 2))
            rules.node[n].cpus_milli = dice_roll(d, 1, 6) * INT64_C(1000);
        if (has_limits && one_in(d, 3))
            rules.node[n].mem_mib = dice_roll(d, 1, 6) * 100;
    }
    for (int t = 0; t < TYPES; t++)
        rules.type_mem_mib[t] = one_in(d, 3) ? 0 : dice_roll(d, 1, 3) * 500;
}

static void draw_cluster(struct trial *t, struct dice *d)
{
    static const char *const scans[] = {"strict", "fit"};
    memset(&rules, 0, sizeof rules);
    rules.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_SPREAD);
    rules.is_fit = one_in(d, 2);
    rules.is_sjf = one_in(d, 4);
    rules.startup_us = one_in(d, 4) ? trial_draw_us(d, 1, 3, one_in(d, 2)) : 0;
    rules.vcs = one_in(d, 2) ? PARTS_ONE : (enum parts_vcs)dice_roll(d, PARTS_ONE, PARTS_QUOTA);
    rules.vc_count = rules.vcs == PARTS_ONE ? 1 : dice_roll(d, 1, 3);
    draw_nodes(d);
    if (rules.vcs == PARTS_PARTITION && rules.vc_count > rules.nodes)
        rules.vc_count = rules.nodes;
    for (int vc = 0; vc < rules.vc_count; vc++)
        rules.quota[vc] = dice_roll(d, 1, 6);
    (void)snprintf(t->policy, sizeof t->policy, "%s:scan=%s,placement=%s",
                   rules.is_sjf ? "sjf" : "fifo", scans[rules.is_fit], placers[rules.placer]);
}

/* Draws thousandths: halves, thirds and their neighbours, or any. */
static uint32_t draw_milli(struct dice *d)
{
    static const int often[] = {1, 100, 250, 300, 333, 334, 499, 500, 501, 667, 700, 999};
    return (uint32_t)(one_in(d, 4) ? dice_roll(d, 1, 999) : pick(d, often, 12));
}

static void draw_needs(struct hs_test_job *j, struct dice *d)
{
    int set = dice_roll(d, 1, 9);
    if (one_in(d, 3))
        j->gpu_type = type_sets[set == 9 && !one_in(d, 4) ? 7 : set];
    if (one_in(d, 2))
        j->cpus_milli = (uint32_t)dice_roll(d, 1, 8) * 500 + (one_in(d, 4) ? 1 : 0);
    if (one_in(d, 4))
        j->mem_mib = (uint32_t)dice_roll(d, 1, 12) * 50 + (one_in(d, 4) ? 1 : 0);
    if (one_in(d, 6)) /* about the part of a share of one of the types, or of a whole GPU of it */
        j->gpu_mem_mib =
            (uint32_t)(dice_roll(d, 1, 3) * 500 * (int)j->gpu_milli / 1000 + dice_roll(d, 0, 1));
}

/* The packing of gangs over several nodes that differ is not the subject: there gangs are no larger
 * than a node. Fewer workers need more cores each, so cores are drawn later. */
static void keep_on_a_node(struct hs_test_job *j)
{
    static struct parts s;
    struct parts_job one;
    int largest = (int)j->gpus;
    s = rules;
    do {
        j->gpus = (uint32_t)largest;
        parted_jobs(&s, j, 1, &one);
        largest = parts_largest_node(&s, &one);
    } while (largest > 0 && largest < (int)j->gpus);
}

static bool spans_nodes_alike(void)
{
    for (int n = 0; n < rules.nodes; n++)
        if (rules.node[n].gpus != rules.node[0].gpus || rules.node[n].cpus_milli > 0 ||
            rules.node[n].mem_mib > 0)
            return false;
    return true;
}

static void draw_job(struct hs_test_job *j, struct dice *d)
{
    int gpus = parts_gpus(&rules);
    bool is_share = one_in(d, 2) || one_in(d, 3);
    j->vc = vc_names[dice_roll(d, 0, rules.vc_count - 1)];
    j->gpu_milli = is_share ? draw_milli(d) : 1000;
    j->gpus = (uint32_t)(is_share && !one_in(d, 3) ? 1 : dice_roll(d, 1, gpus > 4 ? 4 : gpus));
    if (one_in(d, 12)) /* perhaps more than there are */
        j->gpus = (uint32_t)dice_roll(d, 1, gpus + 1);
    draw_needs(j, d);
    bool may_span = rules.placer != REF_CONSOLIDATE && rules.placer != REF_YARN;
    if (!is_share && !may_span && !spans_nodes_alike())
        keep_on_a_node(j);
}

static void draw(struct trial *t, struct dice *d)
{
    bool is_odd = one_in(d, 2);
    int64_t submit_us = 0;
    draw_cluster(t, d);
    t->count = dice_roll(d, 2, JOBS_MAX);
    for (int i = 0; i < t->count; i++) {
        submit_us += i > 0 && one_in(d, 2) ? trial_draw_us(d, 0, 2, is_odd) : 0;
        t->jobs[i] = (struct hs_test_job){.submit_us = submit_us,
                                          .duration_us = trial_draw_us(d, 0, 8, is_odd)};
        draw_job(&t->jobs[i], d);
    }
}

/* ---- large ones, after the clusters and pods of openb (Weng et al., ATC'23) ---- */

#define LARGE_JOBS  2500
#define LARGE_TYPES 7

/* Nodes of 1 to 8 GPUs of seven types with cores that run out before GPUs do. */
static void draw_large_cluster(struct trial *t, struct dice *d)
{
    static const int sizes[] = {1, 2, 2, 4, 8}, mem_gib[LARGE_TYPES] = {16, 32, 16, 15, 0, 24, 0};
    draw_cluster(t, d);
    rules.vc_count = rules.vcs == PARTS_ONE ? 1 : 3;
    rules.nodes = dice_roll(d, 90, 110);
    for (int n = 0; n < rules.nodes; n++) {
        int gpus = pick(d, sizes, 5);
        rules.node[n] = (struct parts_node){.gpus = gpus,
                                            .type = dice_roll(d, 0, LARGE_TYPES - 1),
                                            .vc = n % rules.vc_count,
                                            .cpus_milli = gpus * dice_roll(d, 4, 16) * 1000 + 8000,
                                            .mem_mib = (gpus + 1) * INT64_C(65536)};
    }
    for (int type = 0; type < LARGE_TYPES; type++)
        rules.type_mem_mib[type] = mem_gib[type] * INT64_C(1024);
    for (int vc = 0; vc < rules.vc_count; vc++)
        rules.quota[vc] = parts_gpus(&rules) / 2 / (vc + 1) + 1;
}

static void draw_pod(struct hs_test_job *j, struct dice *d)
{
    static const int milli[] = {100, 150, 220, 300, 370, 460, 460, 460, 500, 570, 810, 990};
    static const int gangs[] = {1, 1, 1, 1, 1, 1, 2, 2, 4, 8};
    static const char *const sets[] = {"X0|X1", "X1", "X2|X3|X5", "X4", "X5|X6", "X0|X2|X4|X6"};
    bool is_share = dice_roll(d, 1, 100) <= 45;
    j->vc = vc_names[dice_roll(d, 0, rules.vc_count - 1)];
    j->gpus = is_share ? (one_in(d, 20) ? (uint32_t)dice_roll(d, 2, 12) : 1)
                       : (uint32_t)pick(d, gangs, 10);
    j->gpu_milli = is_share ? (uint32_t)pick(d, milli, 12) : 1000;
    j->gpu_type = one_in(d, 4) ? sets[dice_roll(d, 0, 5)] : NULL;
    j->cpus_milli = j->gpus * (uint32_t)dice_roll(d, 1, is_share ? 80 : 160) * 100;
    j->mem_mib = j->gpus * (uint32_t)dice_roll(d, 0, 24) * 1024;
    if (one_in(d, 3))
        j->gpu_mem_mib = (uint32_t)dice_roll(d, 1, 33) * j->gpu_milli;
    bool may_span = rules.placer != REF_CONSOLIDATE && rules.placer != REF_YARN;
    if (!is_share && !may_span)
        keep_on_a_node(j);
}

/* Run times of 1 s to 4096 s, as many of each doubling; submissions are so dense at times that a
 * queue builds up and drains again. */
static void draw_large(struct trial *t, struct dice *d)
{
    int64_t submit_us = 0;
    int gap = dice_roll(d, 3, 8);
    draw_large_cluster(t, d);
    t->count = LARGE_JOBS;
    for (int i = 0; i < t->count; i++) {
        int64_t scale = INT64_C(1) << dice_roll(d, 0, 11);
        submit_us += i > 0 && !one_in(d, 3) ? trial_draw_us(d, 0, gap, one_in(d, 2)) : 0;
        t->jobs[i] = (struct hs_test_job){.submit_us = submit_us,
                                          .duration_us = scale * dice_roll(d, 1000000, 2000000)};
        draw_pod(&t->jobs[i], d);
    }
}

/* ---- both sides ---- */

static bool refer(struct trial *t)
{
    parted_jobs(&rules, t->jobs, t->count, mine);
    parts_simulate(&rules);
    for (int i = 0; i < t->count; i++) {
        t->tasks[i].start_us = mine[i].start_us;
        t->tasks[i].finish_us = mine[i].finish_us;
        t->tasks[i].is_rejected = mine[i].is_rejected;
    }
    parted_cluster(&rules, json, sizeof json);
    (void)snprintf(t->cluster, sizeof t->cluster, "%s",
                   scratch_write("cluster.json", json, strlen(json)));
    (void)snprintf(t->note, sizeof t->note, "%.1000s", json);
    t->options.startup_us = rules.startup_us;
    t->options.vc = (enum hs_vc_mode)rules.vcs;
    t->options.observer = parted_watch(&watch, &rules);
    return true;
}

static bool has_same_gpus(const struct hs_test_segment *s)
{
    const struct parts_job *j = &mine[s->job];
    bool is_equal = s->gpu_count == (uint32_t)j->gpus;
    for (uint32_t i = 0; is_equal && i < s->gpu_count && i < 16; i++)
        is_equal = s->gpus[i] == (uint32_t)j->held[i];
    return is_equal;
}

/* Prints the difference, which the lists of jobs that follow do not show. */
static bool same(const struct trial *t, const struct hs_test_result *r)
{
    const char *fault = parted_difference(&watch);
    bool all = fault[0] == '\0';
    if (!all)
        print_error("%s\n", fault);
    (void)t;
    for (uint32_t k = 0; all && k < r->segment_count; k++) {
        all = has_same_gpus(&r->segments[k]);
        if (!all)
            print_error("GPUs of job %" PRIu32 ": GPU %" PRIu32 " ..., not %d ...\n",
                        r->segments[k].job, r->segments[k].gpus[0],
                        mine[r->segments[k].job].held[0]);
    }
    return all;
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(
        &(struct trial_kind){.draw = draw, .refer = refer, .same = same, .has_no_segments = true},
        4000);
}

static void large_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_large,
                                    .refer = refer,
                                    .same = same,
                                    .is_large = true,
                                    .has_no_segments = true},
               is_long() ? 60 : 4);
}

/* ---- policies without a reference: what holds of every schedule ---- */

static const char *const others[] = {"fifo:scan=easy", "fifo:scan=easy,pred=noisy",
                                     "qssf:scan=strict", "qssf:scan=fit", "sjf:pred=rolling"};

static void draw_other(struct trial *t, struct dice *d)
{
    char placement[32];
    draw(t, d);
    (void)snprintf(placement, sizeof placement, "%s", strchr(t->policy, ',') + 1);
    if (one_in(d, 6))
        (void)snprintf(placement, sizeof placement, "placement=random");
    (void)snprintf(t->policy, sizeof t->policy, "%s%c%s", others[dice_roll(d, 0, 4)], ',',
                   placement);
    t->options.jitter_seed = one_in(d, 3) ? (uint64_t)dice_roll(d, 1, 99) : 0;
}

/* Every job that would fit alone ends, having held what it asks for as long as it runs. */
static void random_others(void **state)
{
    static struct hs_test_job jobs[JOBS_MAX];
    static struct ref_task tasks[JOBS_MAX];
    static struct trial t;
    (void)state;
    for (uint64_t k = 0; k < (is_long() ? 20000 : 2000); k++) {
        struct dice d = {.seed = hs_mix64(2, k)};
        struct hs_test_result r;
        t = (struct trial){.jobs = jobs, .tasks = tasks};
        draw_other(&t, &d);
        (void)refer(&t);
        if (hs_test_run_with(jobs, (uint32_t)t.count, t.cluster, t.policy, &t.options, &r) != HS_OK)
            fail_msg("scenario %" PRIu64 ": %s: %s", k, t.policy, r.message);
        if (parted_fault(&watch)[0] != '\0')
            fail_msg("scenario %" PRIu64 ": %s: %s", k, t.policy, watch.fault);
        for (int i = 0; i < t.count; i++) {
            assert_int_equal(r.jobs[i].state, mine[i].is_rejected ? HS_JOB_REJECTED : HS_JOB_DONE);
            assert_int_equal(watch.job_us[i] * mine[i].milli, mine[i].milli_us);
        }
        hs_test_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios),
                                       cmocka_unit_test(large_scenarios),
                                       cmocka_unit_test(random_others)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
