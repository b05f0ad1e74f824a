/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refgandiva.h.
 */
#include "refgandiva.h"

#include <string.h>

#define NEVER INT64_MAX

struct ring {
    const struct gandiva_rules *rules;
    struct ref_world *w;
    int job[GANDIVA_JOBS_MAX], count; /* of the server, running or not */
    int queue[GANDIVA_JOBS_MAX], queued;
    bool is_fresh[GANDIVA_JOBS_MAX]; /* submitted at this instant */
    int size;                        /* affinity; 0 = the server is empty */
    int64_t quantum_end_us;
    int64_t stop_us[GANDIVA_JOBS_MAX];      /* end of the mini-batch after which it stops */
    int64_t predicted_us[GANDIVA_JOBS_MAX]; /* when it had to */
    int64_t over_us[GANDIVA_JOBS_MAX];      /* run beyond its last slice */
};

static int demand_of(const struct ring *r)
{
    int gpus = 0;
    for (int i = 0; i < r->count; i++)
        gpus += r->w->tasks[r->job[i]].gpus;
    return gpus;
}

static void remove_from(int *list, int *count, int job)
{
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (list[i] != job)
            list[kept++] = list[i];
    *count = kept;
}

/* Algorithm 1 with one server. False: the job has to wait. */
static bool place(struct ring *r, int job)
{
    int gpus = r->w->tasks[job].gpus;
    if (r->count > 0 && demand_of(r) + gpus > ref_gpus(r->w) && r->size != gpus)
        return false;
    if (r->count == 0)
        r->size = gpus;
    r->job[r->count++] = job;
    r->is_fresh[job] = true;
    return true;
}

static void finish_all(struct ring *r)
{
    bool is_any = false;
    for (int job; (job = ref_finish_one(r->w)) >= 0; is_any = true)
        remove_from(r->job, &r->count, job);
    for (int i = 0; is_any && i < r->queued;) {
        int job = r->queue[i];
        if (place(r, job))
            remove_from(r->queue, &r->queued, job);
        else
            i++;
    }
}

static void submit_all(struct ring *r)
{
    for (int job = -1; (job = ref_submit_one(r->w, job)) >= 0;)
        if (r->w->tasks[job].is_live && !place(r, job))
            r->queue[r->queued++] = job;
}

/* Moves the jobs for which it is true before, or behind, the others; both stay in the order of the
 * ring. */
static void gather(struct ring *r, const bool *is_true, bool in_front)
{
    int old[GANDIVA_JOBS_MAX], count = 0;
    memcpy(old, r->job, sizeof old);
    for (int pass = 0; pass <= 1; pass++)
        for (int i = 0; i < r->count; i++)
            if (is_true[old[i]] == ((pass == 0) == in_front))
                r->job[count++] = old[i];
}

static void rotate(struct ring *r)
{
    bool runs[GANDIVA_JOBS_MAX] = {false};
    for (int i = 0; i < r->count; i++)
        runs[r->job[i]] = r->w->tasks[r->job[i]].is_holding;
    gather(r, runs, false);
}

static int highest_below(const struct ring *r, int priority)
{
    int best = INT32_MIN;
    for (int i = 0; i < r->count; i++) {
        int own = r->rules->priority[r->job[i]];
        if (own < priority && own > best)
            best = own;
    }
    return best;
}

/* Chooses the jobs that run from the dispatch on; false: all of them. */
static bool choose(const struct ring *r, bool *is_chosen)
{
    int left = ref_gpus(r->w);
    bool is_short = false;
    for (int level = highest_below(r, INT32_MAX); level != INT32_MIN;
         level = highest_below(r, level))
        for (int i = 0; i < r->count; i++) {
            int job = r->job[i], gpus = r->w->tasks[job].gpus;
            if (r->rules->priority[job] != level)
                continue;
            is_chosen[job] = gpus <= left;
            left -= is_chosen[job] ? gpus : 0;
            is_short |= !is_chosen[job];
        }
    return is_short;
}

static void stop(struct ring *r, int job)
{
    ref_preempt(r->w, job);
    r->w->tasks[job].preemptions = 0; /* this is a suspension */
    r->w->tasks[job].owed_us += r->rules->switch_us;
    r->over_us[job] = r->w->now_us - r->predicted_us[job];
    r->stop_us[job] = NEVER;
}

static void tell_to_stop(struct ring *r, int job)
{
    const struct ref_task *t = &r->w->tasks[job];
    int64_t step_us = r->rules->step_us[job], into_us = 0;
    if (r->stop_us[job] != NEVER)
        return;
    if (step_us > 0)
        into_us = (t->duration_us - t->left_us) % step_us;
    r->predicted_us[job] = r->w->now_us;
    r->stop_us[job] = r->w->now_us + (into_us > 0 ? t->owed_us + step_us - into_us : 0);
    if (into_us == 0)
        stop(r, job);
}

static void dispatch(struct ring *r)
{
    bool is_chosen[GANDIVA_JOBS_MAX] = {false}, waits = false;
    bool is_short = choose(r, is_chosen);
    int64_t over_us = 0;
    for (int i = 0; i < r->count; i++)
        if (r->w->tasks[r->job[i]].is_holding && !is_chosen[r->job[i]])
            tell_to_stop(r, r->job[i]);
    for (int i = 0; i < r->count; i++)
        waits |= r->stop_us[r->job[i]] != NEVER;
    for (int i = 0; i < r->count && !waits; i++) {
        int job = r->job[i];
        if (!is_chosen[job] || r->w->tasks[job].is_holding)
            continue;
        ref_hold(r->w, job, (int[REF_NODES_MAX]){r->w->tasks[job].gpus});
        over_us += r->over_us[job];
        r->over_us[job] = 0;
    }
    r->quantum_end_us = is_short && !waits ? r->w->now_us + r->rules->quantum_us - over_us : NEVER;
}

static bool stop_all(struct ring *r)
{
    bool is_any = false;
    for (int i = 0; i < r->count; i++)
        if (r->stop_us[r->job[i]] == r->w->now_us) {
            stop(r, r->job[i]);
            is_any = true;
        }
    return is_any;
}

/* Handles finishes and submissions; true if the ring has changed. */
static bool take_in(struct ring *r)
{
    int before = r->count;
    bool is_new = ref_has_finish(r->w);
    memset(r->is_fresh, 0, sizeof r->is_fresh);
    finish_all(r);
    if (r->w->now_us == r->quantum_end_us && demand_of(r) > ref_gpus(r->w))
        rotate(r);
    submit_all(r);
    if (demand_of(r) > ref_gpus(r->w))
        gather(r, r->is_fresh, true);
    return is_new || r->count != before;
}

bool gandiva_simulate(const struct gandiva_rules *rules, struct ref_world *w, int64_t horizon_us)
{
    struct ring r = {.rules = rules, .w = w, .quantum_end_us = NEVER};
    ref_begin(w);
    for (int i = 0; i < w->count; i++)
        r.stop_us[i] = NEVER;
    for (;;) {
        int64_t at_us = ref_next_us(w);
        at_us = r.quantum_end_us < at_us ? r.quantum_end_us : at_us;
        for (int i = 0; i < r.count; i++)
            at_us = r.stop_us[r.job[i]] < at_us ? r.stop_us[r.job[i]] : at_us;
        if (at_us == NEVER)
            break;
        if (at_us > horizon_us)
            return false;
        ref_advance(w, at_us);
        bool is_new = take_in(&r);
        if (stop_all(&r) || is_new || at_us == r.quantum_end_us)
            dispatch(&r);
    }
    return r.count == 0 && r.queued == 0;
}
