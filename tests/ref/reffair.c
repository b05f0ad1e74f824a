/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See reffair.h. O(jobs^2) for a pass.
 */
#include "reffair.h"

#include <math.h>
#include <stdlib.h>

#include "horus/compiler.h"

struct state {
    const struct fair_rules *rules;
    struct ref_world *w;
    bool *is_refused; /* in this pass */
    bool has_submitted[FAIR_USERS_MAX];
};

/* The weight now of GPUs held from one time to another: the integral of GPUs x 2^(-age /
 * half-life), in units of GPUs x half-life / ln 2. */
static long double part(const struct state *st, int gpus, int64_t from_us, int64_t to_us)
{
    const long double h = (long double)st->rules->half_life_us;
    const int64_t now_us = st->w->now_us;
    return gpus * (exp2l(-(long double)(now_us - to_us) / h) -
                   exp2l(-(long double)(now_us - from_us) / h));
}

/* Usage of a user, or of all (-1). */
static long double usage(const struct state *st, int user)
{
    const struct ref_world *w = st->w;
    long double sum = 0;
    for (int i = 0; i < w->segment_count; i++)
        if (user < 0 || w->tasks[w->segments[i].task].user == user)
            sum += part(st, w->segments[i].gpus, w->segments[i].start_us, w->segments[i].end_us);
    for (int i = 0; i < w->count; i++)
        if (w->tasks[i].is_holding && (user < 0 || w->tasks[i].user == user))
            sum += part(st, w->tasks[i].gpus, w->tasks[i].since_us, w->now_us);
    return sum;
}

static int64_t age_micro(const struct state *st, int64_t at_us)
{
    return (int64_t)((hs_u128)at_us * (uint64_t)st->rules->w_age * 1000000 /
                     (uint64_t)st->rules->max_age_us);
}

static int64_t priority(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    const int64_t now_us = st->w->now_us;
    if (st->rules->is_drf) {
        int64_t held = 0;
        for (int i = 0; i < st->w->count; i++)
            held += st->w->tasks[i].is_holding && st->w->tasks[i].user == t->user
                        ? st->w->tasks[i].gpus
                        : 0;
        return -held;
    }
    int users = 0;
    for (int u = 0; u < FAIR_USERS_MAX; u++)
        users += st->has_submitted[u];
    const long double all = usage(st, -1), own = usage(st, t->user);
    const long double factor = own > 0 ? exp2l(-own / all * users) : 1;
    const int64_t age = now_us - t->submit_us >= st->rules->max_age_us
                            ? st->rules->w_age * 1000000
                            : age_micro(st, now_us) - age_micro(st, t->submit_us);
    return st->rules->w_fairshare * llroundl(factor * 1000000) + age +
           st->rules->w_size * 1000000 * t->gpus / ref_gpus(st->w);
}

/* The waiting job that is next, -1: none. In an account drf takes the first submitted. */
static int find_first(const struct state *st)
{
    int best = -1;
    int64_t best_priority = 0;
    for (int i = 0; i < st->w->count; i++) {
        const struct ref_task *t = &st->w->tasks[i];
        if (!t->is_live || t->is_holding || st->is_refused[i])
            continue;
        const int64_t own = priority(st, i);
        if (best < 0 || own > best_priority) { /* ties: jobs are listed by submission, then row */
            best = i;
            best_priority = own;
        }
    }
    return best;
}

static void pass(struct state *st)
{
    for (int i = 0; i < st->w->count; i++)
        st->is_refused[i] = false;
    for (int job; (job = find_first(st)) >= 0;) {
        if (ref_try_start(st->w, job))
            continue;
        if (!st->rules->skips)
            return;
        st->is_refused[job] = true;
    }
}

bool fair_simulate(const struct fair_rules *rules, struct ref_world *w, int64_t horizon_us)
{
    struct state st = {.rules = rules, .w = w};
    int64_t next_us;
    st.is_refused = calloc((size_t)w->count + 1, sizeof *st.is_refused);
    ref_begin(w);
    while ((next_us = ref_next_us(w)) <= horizon_us) {
        ref_advance(w, next_us);
        while (ref_finish_one(w) >= 0)
            ;
        for (int job = -1; (job = ref_submit_one(w, job)) >= 0;)
            st.has_submitted[w->tasks[job].user] = true;
        pass(&st);
        while (ref_has_finish(w)) {
            while (ref_finish_one(w) >= 0)
                ;
            pass(&st);
        }
    }
    free(st.is_refused);
    return next_us == INT64_MAX;
}
