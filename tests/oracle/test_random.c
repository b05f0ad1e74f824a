/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine and its policies against the reference simulator, on random scenarios so small that
 * nearly everything ties: up to 8 jobs of 0 to 6 s submitted within 7 s, up to 12 GPUs. First
 * start, finish, preemptions and rejections of every job must be equal. A scenario that differs is
 * shrunk by dropping jobs, and printed in the notation of tests/support/scenario.h.
 *
 *   HORUS_SCENARIOS=N   how many (default 20,000; ten times as many under HORUS_LONG)
 *   HORUS_SEED=S        which (default 1)
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
#include "ref/refsim.h"
#include "support/run.h"

#define JOBS_MAX  8
#define HORIZON_S 10000
#define SHOWN_MAX 5

static const char *const policies[] = {"fifo", "sjf", "srtf", "srsf"};
static const char *const scans[] = {"strict", "fit", "easy"};
static const char *const forms[] = {"evict", "replace"};
static const char *const costs[] = {"free", "table", "job"};
static const char *const placers[] = {"count",    "yarn",      "consolidate",
                                      "best_fit", "first_fit", "spread"};

struct trial {
    struct ref_job jobs[JOBS_MAX];
    struct ref_scenario s;
    char cluster[64], policy[128];
};

/* Draws from one counter, so that a trial is a function of its number alone. */
struct dice {
    uint64_t seed, count;
};

static int roll(struct dice *d, int low, int high)
{
    return low + (int)(hs_mix64(d->seed, d->count++) % (uint64_t)(high - low + 1));
}

/* Nodes of one size, or, where the placer has no notion of a node's size, of any sizes. */
static void draw_cluster(struct trial *t, struct dice *d)
{
    bool is_mixed = t->s.placer != REF_YARN && t->s.placer != REF_CONSOLIDATE && roll(d, 0, 1) == 1;
    t->s.nodes = roll(d, 1, 3);
    int size = roll(d, 1, 4);
    t->cluster[0] = '\0';
    for (int n = 0; n < t->s.nodes; n++) {
        char group[16];
        t->s.node_gpus[n] = is_mixed ? roll(d, 1, 4) : size;
        snprintf(group, sizeof group, "%s1x%d", n > 0 ? "," : "", t->s.node_gpus[n]);
        strncat(t->cluster, group, sizeof t->cluster - strlen(t->cluster) - 1);
    }
}

static void draw_policy(struct trial *t, struct dice *d)
{
    struct ref_scenario *s = &t->s;
    s->policy = (enum ref_policy)roll(d, REF_FIFO, REF_SRSF);
    s->placer = (enum ref_placer)roll(d, REF_COUNT, REF_SPREAD);
    if (s->policy <= REF_SJF) {
        s->scan = (enum ref_scan)roll(d, REF_STRICT, s->policy == REF_FIFO ? REF_EASY : REF_FIT);
        snprintf(t->policy, sizeof t->policy, "%s:scan=%s,placement=%s", policies[s->policy],
                 scans[s->scan], placers[s->placer]);
        return;
    }
    s->form = (enum ref_form)roll(d, REF_EVICT, REF_REPLACE);
    s->cost = (enum ref_cost)roll(d, REF_FREE, REF_PER_JOB);
    for (int i = 0; i < 3; i++)
        s->cost_table[i] = i + 1;
    snprintf(t->policy, sizeof t->policy,
             "%s:form=%s,preempt_cost=%s,cost_table=1/2/3,placement=%s", policies[s->policy],
             forms[s->form], costs[s->cost], placers[s->placer]);
}

static void draw_jobs(struct trial *t, struct dice *d)
{
    int gpus = 0, submit = 0;
    for (int n = 0; n < t->s.nodes; n++)
        gpus += t->s.node_gpus[n];
    t->s.job_count = roll(d, 1, JOBS_MAX);
    for (int i = 0; i < t->s.job_count; i++) {
        /* one job in twelve or so may be too big for the cluster */
        int most = roll(d, 0, 11) == 0 ? gpus + 1 : gpus;
        submit += i > 0 && roll(d, 0, 1) == 1 ? roll(d, 0, 2) : 0;
        t->jobs[i] = (struct ref_job){.submit = submit,
                                      .duration = roll(d, 0, 6),
                                      .preempt_cost = roll(d, 1, 4),
                                      .gpus = roll(d, 1, most)};
    }
}

static void draw(struct trial *t, uint64_t seed, uint64_t number)
{
    struct dice d = {.seed = hs_mix64(seed, number)};
    memset(t, 0, sizeof *t);
    t->s.jobs = t->jobs;
    draw_policy(t, &d);
    draw_cluster(t, &d);
    draw_jobs(t, &d);
}

/* Where a move costs something the two count nodes for it, and which of equal GPUs a placer takes
 * is not laid down: only a cluster of one node has no moves. */
static bool is_defined(const struct trial *t)
{
    return t->s.policy <= REF_SJF || t->s.form == REF_EVICT || t->s.cost == REF_FREE ||
           t->s.nodes == 1;
}

/* ---- running both ---- */

static enum hs_status run_engine(const struct trial *t, struct hs_test_result *r)
{
    struct hs_test_job jobs[JOBS_MAX] = {{0}};
    for (int i = 0; i < t->s.job_count; i++)
        jobs[i] = (struct hs_test_job){.gpus = (uint32_t)t->jobs[i].gpus,
                                       .submit_s = t->jobs[i].submit,
                                       .duration_s = t->jobs[i].duration,
                                       .preempt_cost_s = t->jobs[i].preempt_cost};
    return hs_test_run(jobs, (uint32_t)t->s.job_count, t->cluster, t->policy, r);
}

static bool is_equal(const struct ref_job *j, const struct hs_test_outcome *o)
{
    if (j->is_rejected || o->state == HS_JOB_REJECTED)
        return j->is_rejected && o->state == HS_JOB_REJECTED;
    return o->state == HS_JOB_DONE && o->start_us == j->first_start * HS_TEST_S &&
           o->end_us == j->finish * HS_TEST_S && o->preemptions == (uint32_t)j->preemptions;
}

/* Runs both; fills t->jobs' outcomes and r (to be freed). */
static bool agrees(struct trial *t, struct hs_test_result *r)
{
    bool is_over = ref_simulate(&t->s, HORIZON_S);
    enum hs_status status = run_engine(t, r);
    bool all = is_over && status == HS_OK;
    for (int i = 0; all && i < t->s.job_count; i++)
        all = is_equal(&t->jobs[i], &r->jobs[i]);
    return all;
}

/* ---- what differs ---- */

static void drop(struct trial *t, int job)
{
    t->s.job_count--;
    for (int i = job; i < t->s.job_count; i++)
        t->jobs[i] = t->jobs[i + 1];
    int64_t first = t->jobs[0].submit;
    for (int i = 0; i < t->s.job_count; i++)
        t->jobs[i].submit -= first; /* the engine's epoch is the first submission */
}

static void shrink(struct trial *t)
{
    for (int i = 0; i < t->s.job_count && t->s.job_count > 1;) {
        struct trial smaller = *t;
        struct hs_test_result r;
        smaller.s.jobs = smaller.jobs;
        drop(&smaller, i);
        bool still_differs = !agrees(&smaller, &r);
        hs_test_free(&r);
        if (still_differs) {
            *t = smaller;
            t->s.jobs = t->jobs;
            i = 0;
        } else {
            i++;
        }
    }
}

static void print_trial(struct trial *t, uint64_t number)
{
    struct hs_test_result r;
    (void)agrees(t, &r);
    print_error("scenario %" PRIu64 ": %s on %s %s\n ", number, t->policy, t->cluster, r.message);
    for (int i = 0; i < t->s.job_count; i++)
        print_error(" %d:%d,%" PRId64 ",%" PRId64 "$%" PRId64, i, t->jobs[i].gpus,
                    t->jobs[i].submit, t->jobs[i].duration, t->jobs[i].preempt_cost);
    print_error("\n  reference:");
    for (int i = 0; i < t->s.job_count; i++)
        print_error(" %d:%" PRId64 "-%" PRId64 "(%d)", i, t->jobs[i].first_start, t->jobs[i].finish,
                    t->jobs[i].preemptions);
    print_error("\n  engine:   ");
    for (uint32_t i = 0; i < r.job_count; i++)
        print_error(" %" PRIu32 ":%g-%g(%" PRIu32 ")", i, (double)r.jobs[i].start_us / 1e6,
                    (double)r.jobs[i].end_us / 1e6, r.jobs[i].preemptions);
    print_error("\n");
    hs_test_free(&r);
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : preset;
}

static void random_scenarios(void **state)
{
    uint64_t factor = setting("HORUS_LONG", 0) != 0 ? 10 : 1, differ = 0, made = 0;
    uint64_t count = setting("HORUS_SCENARIOS", 20000 * factor), seed = setting("HORUS_SEED", 1);
    (void)state;
    for (uint64_t number = 0; made < count; number++) {
        static struct trial t;
        struct hs_test_result r;
        draw(&t, seed, number);
        if (!is_defined(&t))
            continue;
        made++;
        bool is_same = agrees(&t, &r);
        hs_test_free(&r);
        if (is_same)
            continue;
        if (differ++ < SHOWN_MAX) {
            shrink(&t);
            print_trial(&t, number);
        }
    }
    print_message("%" PRIu64 " random scenarios (seed %" PRIu64 "), %" PRIu64 " differ\n", count,
                  seed, differ);
    assert_true(differ == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
