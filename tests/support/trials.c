/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws scenarios, runs engine and reference, compares, shrinks.
 */
#include "support/trials.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

#define SHOWN_MAX 5

static const char *const costs[] = {"free", "table", "job"};

/* ---- drawing ---- */

int dice_roll(struct dice *d, int low, int high)
{
    return low + (int)(hs_mix64(d->seed, d->count++) % (uint64_t)(high - low + 1));
}

const char *trial_seconds(int64_t us)
{
    static char texts[8][32];
    static unsigned next;
    char *text = texts[next++ % 8];
    int len = snprintf(text, sizeof texts[0], "%" PRId64, us / HS_TEST_S);
    if (us % HS_TEST_S != 0)
        (void)snprintf(text + len, sizeof texts[0] - (size_t)len, ".%06" PRId64, us % HS_TEST_S);
    return text;
}

void trial_draw_cluster(struct trial *t, struct dice *d, int most, int size, bool any_sizes)
{
    bool is_mixed = any_sizes && dice_roll(d, 0, 1) == 1;
    int same = dice_roll(d, 1, size);
    t->world.nodes = dice_roll(d, 1, most);
    t->cluster[0] = '\0';
    for (int n = 0; n < t->world.nodes; n++) {
        size_t len = strlen(t->cluster);
        t->world.node_gpus[n] = is_mixed ? dice_roll(d, 1, size) : same;
        (void)snprintf(t->cluster + len, sizeof t->cluster - len, "%s1x%d", n > 0 ? "," : "",
                       t->world.node_gpus[n]);
    }
}

int64_t trial_draw_us(struct dice *d, int low, int high, bool is_odd)
{
    int whole = dice_roll(d, low, high);
    return whole * HS_TEST_S + (is_odd && whole < high ? dice_roll(d, 0, 999999) : 0);
}

void trial_draw_jobs(struct trial *t, struct dice *d, int most, bool is_odd)
{
    int gpus = ref_gpus(&t->world);
    int64_t submit_us = 0;
    t->count = dice_roll(d, 2, most);
    for (int i = 0; i < t->count; i++) {
        /* about one job in twenty may be too large for the cluster */
        int largest = dice_roll(d, 0, 19) == 0 ? gpus + 1 : gpus;
        if (dice_roll(d, 0, 1) == 0 && largest > 4)
            largest = 4;
        submit_us += i > 0 && dice_roll(d, 0, 1) == 1 ? trial_draw_us(d, 0, 3, is_odd) : 0;
        t->jobs[i] = (struct hs_test_job){.submit_us = submit_us,
                                          .duration_us = trial_draw_us(d, 0, 8, is_odd),
                                          .preempt_cost_s = dice_roll(d, 1, 4),
                                          .gpus = (uint32_t)dice_roll(d, 1, largest)};
    }
}

void trial_draw_ties(struct trial *t, struct dice *d, int most)
{
    int gpus = ref_gpus(&t->world);
    int64_t submit_us = 0;
    t->count = dice_roll(d, 2, most);
    for (int i = 0; i < t->count; i++) {
        submit_us += i > 0 && dice_roll(d, 0, 3) == 0 ? trial_draw_us(d, 1, 4, false) : 0;
        t->jobs[i] = (struct hs_test_job){.submit_us = submit_us,
                                          .duration_us = trial_draw_us(d, 1, 6, false),
                                          .preempt_cost_s = dice_roll(d, 1, 2),
                                          .gpus = (uint32_t)dice_roll(d, 1, gpus < 4 ? gpus : 4)};
    }
}

const char *trial_draw_cost(struct trial *t, struct dice *d, bool is_odd)
{
    static char text[128];
    t->world.cost = (enum ref_cost)dice_roll(d, REF_FREE, REF_PER_JOB);
    for (int i = 0; i < 3; i++)
        t->world.cost_table_us[i] = trial_draw_us(d, 0, 3, is_odd);
    (void)snprintf(text, sizeof text, "preempt_cost=%s,cost_table=%s/%s/%s", costs[t->world.cost],
                   trial_seconds(t->world.cost_table_us[0]),
                   trial_seconds(t->world.cost_table_us[1]),
                   trial_seconds(t->world.cost_table_us[2]));
    return text;
}

/* ---- running both ---- */

static int number_of(const char *name)
{
    return name == NULL ? 0 : atoi(name + strcspn(name, "0123456789"));
}

static void fill_tasks(struct trial *t)
{
    for (int i = 0; i < t->count; i++) {
        const struct hs_test_job *j = &t->jobs[i];
        t->tasks[i] = (struct ref_task){.submit_us = j->submit_us,
                                        .duration_us = j->duration_us,
                                        .cost_us = j->preempt_cost_s * HS_TEST_S,
                                        .gpus = (int)j->gpus,
                                        .user = number_of(j->user),
                                        .vc = number_of(j->vc),
                                        .priority = j->priority,
                                        .is_last = j->job_class == HS_JOB_CLASS_OPPORTUNISTIC,
                                        .failures = (int)j->failures};
        for (uint32_t k = 0; k < j->failures && k < REF_FAILURES_MAX; k++)
            t->tasks[i].failed_us[k] = j->failed_s[k] * HS_TEST_S;
    }
    t->world.tasks = t->tasks;
    t->world.count = t->count;
}

static bool has_same_outcome(const struct ref_task *t, const struct hs_test_outcome *o)
{
    if (t->is_rejected || o->state == HS_JOB_REJECTED)
        return t->is_rejected && o->state == HS_JOB_REJECTED;
    return o->state == HS_JOB_DONE && o->start_us == t->start_us && o->end_us == t->finish_us &&
           o->preemptions == (uint32_t)t->preemptions;
}

/* The next segment of the job at or after `at`; -1: none. */
static int next_reference(const struct ref_world *w, int job, int at)
{
    while (at < w->segment_count && w->segments[at].task != job)
        at++;
    return at < w->segment_count ? at : -1;
}

static int next_engine(const struct hs_test_result *r, int job, int at)
{
    while (at < (int)r->segment_count && r->segments[at].job != (uint32_t)job)
        at++;
    return at < (int)r->segment_count ? at : -1;
}

static bool has_same_segments(const struct ref_world *w, const struct hs_test_result *r, int job)
{
    int a = next_reference(w, job, 0), b = next_engine(r, job, 0);
    for (; a >= 0 && b >= 0; a = next_reference(w, job, a + 1), b = next_engine(r, job, b + 1)) {
        const struct ref_segment *x = &w->segments[a];
        const struct hs_test_segment *y = &r->segments[b];
        if (x->start_us != y->start_us || x->end_us != y->end_us ||
            (uint32_t)x->gpus != y->gpu_count)
            return false;
    }
    return a < 0 && b < 0;
}

enum verdict { AGREES, DIFFERS, ENDLESS };

/* Fills the tasks, the segments of the world and r, both to be freed. */
static enum verdict run_both(const struct trial_kind *kind, struct trial *t,
                             struct hs_test_result *r)
{
    memset(r, 0, sizeof *r);
    fill_tasks(t);
    if (!kind->refer(t))
        return ENDLESS;
    enum hs_status status =
        hs_test_run_with(t->jobs, (uint32_t)t->count, t->cluster, t->policy, &t->options, r);
    bool all = status == HS_OK;
    for (int i = 0; all && i < t->count; i++)
        all = has_same_outcome(&t->tasks[i], &r->jobs[i]) &&
              (kind->has_no_segments || has_same_segments(&t->world, r, i));
    all = all && (kind->same == NULL || kind->same(t, r));
    return all ? AGREES : DIFFERS;
}

static void release(struct trial *t, struct hs_test_result *r)
{
    free(t->world.segments);
    t->world.segments = NULL;
    hs_test_free(r);
}

/* ---- what differs ---- */

static void drop(struct trial *t, int job)
{
    t->count--;
    for (int i = job; i < t->count; i++)
        t->jobs[i] = t->jobs[i + 1];
    int64_t first_us = t->jobs[0].submit_us;
    for (int i = 0; i < t->count; i++)
        t->jobs[i].submit_us -= first_us; /* the engine's epoch is the first submission */
}

static void shrink(const struct trial_kind *kind, struct trial *t)
{
    static struct hs_test_job all[TRIAL_JOBS_MAX];
    for (int i = 0; i < t->count && t->count > 1;) {
        struct hs_test_result r;
        int count = t->count;
        memcpy(all, t->jobs, sizeof *all * (size_t)count);
        drop(t, i);
        bool still_differs = run_both(kind, t, &r) == DIFFERS;
        release(t, &r);
        i = still_differs ? 0 : i + 1;
        if (still_differs)
            continue;
        memcpy(t->jobs, all, sizeof *all * (size_t)count);
        t->count = count;
    }
}

static void print_job(const struct hs_test_job *j, int row)
{
    print_error(" %d:%" PRIu32 ",%s,", row, j->gpus, trial_seconds(j->submit_us));
    for (uint32_t k = 0; k < j->failures; k++)
        print_error("%" PRId64 "/", j->failed_s[k]);
    print_error("%s", trial_seconds(j->duration_us));
    if (j->vc != NULL)
        print_error("@%s", j->vc);
    print_error("$%" PRId64, j->preempt_cost_s);
    if (j->gpu_mem_mib > 0)
        print_error("&%" PRIu32 "/%" PRIu32, j->gpu_mem_mib, j->gpu_mem_persistent_mib);
    if (j->priority != 0)
        print_error("^%" PRId32, j->priority);
    if (j->job_class != HS_JOB_CLASS_AUTO)
        print_error("!%c", j->job_class == HS_JOB_CLASS_OPPORTUNISTIC ? 'o' : 'g');
    if (j->step_us > 0)
        print_error("*%s", trial_seconds(j->step_us));
    if (j->gpu_milli > 0)
        print_error("/%" PRIu32, j->gpu_milli);
    if (j->gpu_type != NULL)
        print_error("=%s", j->gpu_type);
    if (j->cpus_milli > 0 || j->mem_mib > 0)
        print_error("+%" PRIu32 "/%" PRIu32, j->cpus_milli, j->mem_mib);
    if (j->user != NULL)
        print_error("(%s)", j->user);
}

static void print_reference(const struct trial_kind *kind, const struct trial *t)
{
    for (int i = 0; i < t->count; i++) {
        const struct ref_task *task = &t->tasks[i];
        print_error(" %d:%s", i, task->is_rejected ? "rejected" : "");
        if (kind->has_no_segments && !task->is_rejected)
            print_error("%s-%s(%d)", trial_seconds(task->start_us), trial_seconds(task->finish_us),
                        task->preemptions);
        for (int k = 0; (k = next_reference(&t->world, i, k)) >= 0; k++)
            print_error("%s-%s ", trial_seconds(t->world.segments[k].start_us),
                        trial_seconds(t->world.segments[k].end_us));
    }
}

static void print_engine(const struct trial *t, const struct hs_test_result *r)
{
    for (int i = 0; i < t->count; i++) {
        print_error(" %d:%s", i, r->jobs[i].state == HS_JOB_REJECTED ? "rejected" : "");
        for (int k = 0; (k = next_engine(r, i, k)) >= 0; k++)
            print_error("%s-%s ", trial_seconds(r->segments[k].start_us),
                        trial_seconds(r->segments[k].end_us));
    }
}

static void print_trial(const struct trial_kind *kind, struct trial *t, uint64_t number)
{
    struct hs_test_result r;
    (void)run_both(kind, t, &r);
    print_error("scenario %" PRIu64 ": %s on %s %s %s\n ", number, t->policy, t->cluster, t->note,
                r.message);
    for (int i = 0; i < t->count; i++)
        print_job(&t->jobs[i], i);
    print_error("\n  reference:");
    print_reference(kind, t);
    print_error("\n  engine:   ");
    print_engine(t, &r);
    print_error("\n");
    release(t, &r);
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : preset;
}

void trials_run(const struct trial_kind *kind, uint64_t count)
{
    static struct hs_test_job jobs[TRIAL_JOBS_MAX];
    static struct ref_task tasks[TRIAL_JOBS_MAX];
    static struct trial t;
    uint64_t seed = setting("HORUS_SEED", 1), differ = 0, endless = 0;
    if (!kind->is_large)
        count = setting("HORUS_SCENARIOS", count * (setting("HORUS_LONG", 0) != 0 ? 10 : 1));
    uint64_t first = setting("HORUS_FROM", 0);
    for (uint64_t number = first; number < first + count; number++) {
        struct dice d = {.seed = hs_mix64(seed, number)};
        struct hs_test_result r;
        t = (struct trial){.jobs = jobs, .tasks = tasks};
        kind->draw(&t, &d);
        enum verdict verdict = run_both(kind, &t, &r);
        release(&t, &r);
        endless += verdict == ENDLESS;
        if (verdict == DIFFERS && differ++ < SHOWN_MAX) {
            if (!kind->is_large)
                shrink(kind, &t);
            print_trial(kind, &t, number);
        }
    }
    print_message("%" PRIu64 " random scenarios (seed %" PRIu64 "), %" PRIu64 " differ, %" PRIu64
                  " never end\n",
                  count, seed, differ, endless);
    assert_true(differ == 0);
    assert_true(endless * 100 <= count);
}
