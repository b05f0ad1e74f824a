/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See reftiresias.h. O(jobs) for the time of the next event, O(jobs^2) for a pass.
 */
#include "reftiresias.h"

#include <stdlib.h>
#include <string.h>

#include "refgittins.h"

#define SECOND_US  INT64_C(1000000)
#define QUEUES     (TIRESIAS_LIMITS_MAX + 1)
#define REPO_DELTA 3250.0 /* GPU-seconds, whatever the limits: as in the published table */
/* The sample is made when LEARNT_FIRST jobs have finished, when twice as many have, ... */
#define LEARNT_FIRST 16
#define LEARNT_MAX   1024

struct served {
    int64_t all_us;          /* service */
    int64_t exe_us, pend_us; /* service and waiting since the last promotion */
    int64_t index;
    int queue;
    bool is_due;
};

struct state {
    const struct tiresias *s;
    struct ref_world *w;
    struct served *jobs;
    int *queue[QUEUES], length[QUEUES]; /* jobs by row */
    struct ref_list waiting, running;   /* the artifact's two lists */
    bool wants_pass;
    double finished[LEARNT_MAX]; /* services of the last ones, a ring buffer */
    int64_t finished_count;
    double learnt[LEARNT_MAX];
    int learnt_count;
};

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t weight(const struct state *st, int job)
{
    return st->s->weighs_gpus ? st->w->tasks[job].gpus : 1;
}

/* ---------------- queues ---------------- */

static void leave_queue(struct state *st, int job)
{
    int q = st->jobs[job].queue, kept = 0;
    for (int i = 0; i < st->length[q]; i++)
        if (st->queue[q][i] != job)
            st->queue[q][kept++] = st->queue[q][i];
    st->length[q] = kept;
}

static void join_queue(struct state *st, int job, int q)
{
    st->jobs[job].queue = q;
    st->queue[q][st->length[q]++] = job;
}

static void partition(struct state *st, int q)
{
    int *old = malloc(sizeof *old * (size_t)(st->w->count + 1)), count = 0;
    memcpy(old, st->queue[q], sizeof *old * (size_t)st->length[q]);
    for (int holding = 1; holding >= 0; holding--)
        for (int i = 0; i < st->length[q]; i++)
            if (st->w->tasks[old[i]].is_holding == (holding == 1))
                st->queue[q][count++] = old[i];
    free(old);
}

static int64_t index_of(const struct state *st, int job)
{
    const struct tiresias *s = st->s;
    const double *sample = s->samples != NULL ? s->samples : st->learnt;
    int count = s->samples != NULL ? s->sample_count : st->learnt_count, q = st->jobs[job].queue;
    int64_t attained_us = weight(st, job) * st->jobs[job].exe_us;
    if (count == 0)
        return 0;
    if (s->index == TIRESIAS_REPO)
        return ref_gittins_repo(sample, count, attained_us / SECOND_US, REPO_DELTA);
    return ref_gittins_exact(sample, count, (double)attained_us / 1e6,
                             q < s->limit_count ? (double)s->limits_us[q] / 1e6 : -1);
}

static bool is_listed(const struct state *st)
{
    return st->s->compat == TIRESIAS_HELIOS && st->s->index == TIRESIAS_LAS &&
           st->s->inqueue == TIRESIAS_SUBMIT;
}

static bool goes_before(const struct state *st, int a, int b)
{
    const struct ref_task *x = &st->w->tasks[a], *y = &st->w->tasks[b];
    if (st->s->index != TIRESIAS_LAS && st->jobs[a].index != st->jobs[b].index)
        return st->jobs[a].index > st->jobs[b].index;
    if (st->s->index == TIRESIAS_REPO)
        return x->submit_us / SECOND_US < y->submit_us / SECOND_US;
    if (x->submit_us != y->submit_us || is_listed(st))
        return x->submit_us < y->submit_us;
    return x->is_holding != y->is_holding ? x->is_holding : a < b;
}

/* Lists the jobs of the queue as in the artifact: its list of running jobs, then those that wait.
 */
static void list_anew(struct state *st, int q)
{
    const struct ref_list *lists[] = {&st->running, &st->waiting};
    st->length[q] = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->count; i++)
            if (st->jobs[lists[k]->jobs[i]].queue == q)
                st->queue[q][st->length[q]++] = lists[k]->jobs[i];
}

static void sort_queue(struct state *st, int q)
{
    int *list = st->queue[q];
    if (st->s->index == TIRESIAS_LAS && st->s->inqueue == TIRESIAS_RUNNING_FIRST)
        return;
    if (is_listed(st))
        list_anew(st, q);
    for (int i = 0; i < st->length[q]; i++)
        st->jobs[list[i]].index = index_of(st, list[i]);
    for (int i = 1; i < st->length[q]; i++) {
        int job = list[i], at = i;
        for (; at > 0 && goes_before(st, job, list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = job;
    }
}

/* ---------------- the pass ---------------- */

static void try_start(struct state *st, int job)
{
    struct ref_task *t = &st->w->tasks[job];
    bool is_first = t->start_us < 0;
    /* The artifact's clock looks for finished jobs before it counts the tick. */
    if (!ref_try_start(st->w, job))
        return;
    ref_list_remove(&st->waiting, job);
    ref_list_add(&st->running, job);
    if (is_first && st->s->compat == TIRESIAS_HELIOS)
        t->owed_us += SECOND_US;
}

static void pass(struct state *st)
{
    struct ref_world *w = st->w;
    int *chosen = malloc(sizeof *chosen * (size_t)(w->count + 1)), chosen_count = 0;
    int left = ref_gpus(w);
    for (int q = 0; q < QUEUES; q++) {
        sort_queue(st, q);
        for (int i = 0; i < st->length[q]; i++) {
            int job = st->queue[q][i];
            if (w->tasks[job].gpus <= left) {
                left -= w->tasks[job].gpus;
                chosen[chosen_count++] = job;
            } else if (w->tasks[job].is_holding) {
                ref_preempt(w, job);
                ref_list_remove(&st->running, job);
                ref_list_add(&st->waiting, job);
            }
        }
    }
    for (int i = 0; i < chosen_count; i++)
        if (!w->tasks[chosen[i]].is_holding)
            try_start(st, chosen[i]);
    for (int q = 0; q < QUEUES; q++)
        partition(st, q);
    st->wants_pass = false;
    free(chosen);
}

/* ---------------- what is due ---------------- */

static bool is_promotable(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    return t->is_live && !t->is_holding && st->jobs[job].queue > 0 && st->jobs[job].exe_us > 0 &&
           st->s->knob_eighths > 0;
}

static int64_t promotion_after_us(const struct state *st, int job)
{
    int64_t after_us = st->jobs[job].exe_us * st->s->knob_eighths / 8;
    if (st->s->compat == TIRESIAS_PUBLISHED)
        after_us = after_us / SECOND_US * SECOND_US;
    return after_us - st->jobs[job].pend_us;
}

static bool is_demotable(const struct state *st, int job)
{
    return st->w->tasks[job].is_holding && st->jobs[job].queue < st->s->limit_count;
}

/* Time until the demotion, if nothing changes; owed costs are paid first, unless paying is service.
 */
static int64_t demotion_after_us(const struct state *st, int job)
{
    int64_t n = weight(st, job);
    int64_t owed_us = st->s->compat == TIRESIAS_HELIOS ? 0 : st->w->tasks[job].owed_us;
    int64_t lacks = st->s->limits_us[st->jobs[job].queue] - n * st->jobs[job].exe_us;
    if (st->s->compat == TIRESIAS_HELIOS)
        lacks++; /* beyond the limit */
    int64_t after_us = lacks > 0 ? ceil_div(lacks, n) : 0;
    if (st->s->compat == TIRESIAS_PUBLISHED)
        after_us = ceil_div(after_us, SECOND_US) * SECOND_US;
    return owed_us + after_us;
}

static bool is_due(const struct state *st, int job)
{
    return (is_demotable(st, job) && demotion_after_us(st, job) == 0) ||
           (is_promotable(st, job) && promotion_after_us(st, job) <= 0);
}

/* Demotes and promotes jobs by one level each. */
static void handle_dues(struct state *st)
{
    for (int i = 0; i < st->w->count; i++)
        st->jobs[i].is_due = is_due(st, i);
    for (int i = 0; i < st->w->count; i++) {
        struct served *j = &st->jobs[i];
        if (!j->is_due)
            continue;
        leave_queue(st, i);
        if (st->w->tasks[i].is_holding) {
            join_queue(st, i, j->queue + 1);
        } else {
            join_queue(st, i, 0);
            j->exe_us = j->pend_us = 0;
        }
        st->wants_pass = true;
    }
}

/* ---------------- what happens at an instant ---------------- */

static void learn(struct state *st, int job)
{
    st->finished[st->finished_count++ % LEARNT_MAX] =
        (double)(weight(st, job) * st->jobs[job].all_us) / 1e6;
    int64_t n = st->finished_count;
    bool is_doubled = n >= LEARNT_FIRST && (n & (n - 1)) == 0;
    if (n > LEARNT_MAX ? n % LEARNT_MAX != 0 : !is_doubled)
        return;
    st->learnt_count = n < LEARNT_MAX ? (int)n : LEARNT_MAX;
    memcpy(st->learnt, st->finished, sizeof st->learnt);
    ref_sample_sort(st->learnt, st->learnt_count);
}

static void handle_finishes(struct state *st)
{
    for (int job; (job = ref_finish_one(st->w)) >= 0;) {
        leave_queue(st, job);
        ref_list_remove(&st->running, job);
        learn(st, job);
        st->wants_pass = true;
    }
}

static void handle_submissions(struct state *st)
{
    for (int job = -1; (job = ref_submit_one(st->w, job)) >= 0;) {
        if (!st->w->tasks[job].is_live)
            continue;
        join_queue(st, job, 0);
        ref_list_add(&st->waiting, job);
        st->wants_pass = true;
    }
}

static bool is_round(const struct state *st)
{
    int64_t since_us = st->w->now_us - st->s->phase_us;
    return st->s->round_us == 0 || (since_us >= 0 && since_us % st->s->round_us == 0);
}

static bool has_due(const struct state *st)
{
    for (int i = 0; i < st->w->count; i++)
        if (is_due(st, i))
            return true;
    return false;
}

static void handle_instant(struct state *st)
{
    handle_finishes(st);
    handle_submissions(st);
    do {
        handle_finishes(st);
        if (is_round(st))
            handle_dues(st);
        if (st->wants_pass && is_round(st))
            pass(st);
    } while (ref_has_finish(st->w) || (st->s->round_us == 0 && has_due(st)));
}

/* ---------------- time ---------------- */

static int64_t next_due_us(const struct state *st)
{
    int64_t next_us = INT64_MAX, now_us = st->w->now_us;
    for (int i = 0; i < st->w->count; i++) {
        int64_t at_us = INT64_MAX;
        if (is_demotable(st, i))
            at_us = now_us + demotion_after_us(st, i);
        else if (is_promotable(st, i))
            at_us = now_us + promotion_after_us(st, i);
        next_us = at_us < next_us ? at_us : next_us;
    }
    return next_us;
}

static int64_t next_round_us(const struct state *st)
{
    int64_t since_us = st->w->now_us - st->s->phase_us;
    int64_t rounds = since_us < 0 ? 0 : since_us / st->s->round_us + 1;
    for (int i = 0; i < st->w->count; i++)
        if (st->w->tasks[i].is_live)
            return st->s->phase_us + rounds * st->s->round_us;
    return INT64_MAX;
}

static int64_t next_instant_us(const struct state *st)
{
    int64_t event_us = ref_next_us(st->w);
    int64_t other_us = st->s->round_us > 0 ? next_round_us(st) : next_due_us(st);
    return event_us < other_us ? event_us : other_us;
}

static void advance(struct state *st, int64_t to_us)
{
    int64_t passed_us = to_us - st->w->now_us;
    for (int i = 0; i < st->w->count; i++) {
        const struct ref_task *t = &st->w->tasks[i];
        struct served *j = &st->jobs[i];
        int64_t paid_us = t->owed_us < passed_us ? t->owed_us : passed_us;
        int64_t served_us = st->s->compat == TIRESIAS_HELIOS ? passed_us : passed_us - paid_us;
        if (t->is_holding) {
            j->exe_us += served_us;
            j->all_us += served_us;
        } else if (t->is_live && j->exe_us > 0) {
            j->pend_us += passed_us;
        }
    }
    ref_advance(st->w, to_us);
}

bool tiresias_simulate(const struct tiresias *s, struct ref_world *w, int64_t horizon_us)
{
    struct state *st = calloc(1, sizeof *st);
    size_t count = (size_t)w->count + 1;
    st->s = s;
    st->w = w;
    st->jobs = calloc(count, sizeof *st->jobs);
    for (int q = 0; q < QUEUES; q++)
        st->queue[q] = calloc(count, sizeof *st->queue[q]);
    st->waiting.jobs = calloc(count, sizeof *st->waiting.jobs);
    st->running.jobs = calloc(count, sizeof *st->running.jobs);
    ref_begin(st->w);
    int64_t next_us;
    while ((next_us = next_instant_us(st)) <= horizon_us) {
        advance(st, next_us);
        handle_instant(st);
    }
    for (int q = 0; q < QUEUES; q++)
        free(st->queue[q]);
    free(st->waiting.jobs);
    free(st->running.jobs);
    free(st->jobs);
    free(st);
    return next_us == INT64_MAX;
}
