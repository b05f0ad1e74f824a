/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refsalus.h. Every quantity is summed anew over all jobs each time.
 */
#include "refsalus.h"

#include <string.h>

#define NEVER INT64_MAX
#define NONE  (-1)

enum phase { WAITING, STARTING, QUEUED, RUNNING, BETWEEN, GONE };

struct session {
    enum phase phase;
    bool is_submitted;
    int64_t persistent_mib, rest_mib; /* as asked for */
    int64_t left_us, used_us;
    int64_t until_us; /* STARTING, RUNNING */
    int64_t place;    /* QUEUED: lower ones entered earlier */
    int64_t iterations;
    int slice_group;
};

struct slice_group {
    bool is_open;
    int64_t size_mib;
    int64_t room_at; /* SALUS_CODE: when it was made */
};

struct gpu {
    const struct salus_rules *rules;
    struct salus_job *jobs;
    struct session session[SALUS_JOBS_MAX];
    struct slice_group slice_group[SALUS_JOBS_MAX];
    int count;
    int64_t now_us, places;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_admitted(const struct session *s)
{
    return s->phase != WAITING && s->phase != GONE;
}

/* ---------------- sizes and lanes ---------------- */

static void size_up(struct gpu *g, int i)
{
    const struct salus_rules *r = g->rules;
    const struct salus_job *j = &g->jobs[i];
    struct session *s = &g->session[i];
    int64_t total_mib = r->capacity_mib;
    s->persistent_mib = total_mib;
    if (j->peak_mib > 0) {
        int64_t rest_mib = j->peak_mib - j->persistent_mib;
        s->persistent_mib = j->persistent_mib * r->inflate_persistent_pm / 1000;
        total_mib = (s->persistent_mib + rest_mib) * r->inflate_total_pm / 1000;
        if (total_mib > r->capacity_mib)
            total_mib = r->capacity_mib;
        if (s->persistent_mib > total_mib)
            s->persistent_mib = total_mib;
    }
    s->rest_mib = total_mib - s->persistent_mib;
}

/* Persistent memory of all admitted jobs, or of one lane. */
static int64_t persistent_of(const struct gpu *g, int slice_group)
{
    int64_t sum_mib = 0;
    for (int i = 0; i < g->count; i++)
        if (is_admitted(&g->session[i]) &&
            (slice_group == NONE || g->session[i].slice_group == slice_group))
            sum_mib += g->session[i].persistent_mib;
    return sum_mib;
}

static int64_t largest_rest_of(const struct gpu *g, int slice_group)
{
    int64_t most_mib = 0;
    for (int i = 0; i < g->count; i++)
        if (is_admitted(&g->session[i]) && g->session[i].slice_group == slice_group)
            most_mib = larger(most_mib, g->session[i].rest_mib);
    return most_mib;
}

static int64_t lanes_of(const struct gpu *g)
{
    int64_t sum_mib = 0;
    for (int l = 0; l < SALUS_JOBS_MAX; l++)
        sum_mib += g->slice_group[l].is_open ? g->slice_group[l].size_mib : 0;
    return sum_mib;
}

static int open_lane(struct gpu *g, int64_t size_mib, int64_t room_mib)
{
    int l = 0;
    while (g->slice_group[l].is_open)
        l++;
    g->slice_group[l] =
        (struct slice_group){.is_open = true, .size_mib = size_mib, .room_at = room_mib};
    return l;
}

/* The open lane of the least key, then number, behind that of `after`; NONE: no more. */
static int next_lane(const struct gpu *g, int after, bool by_room)
{
    int best = NONE;
    for (int l = 0; l < SALUS_JOBS_MAX; l++) {
        const struct slice_group *a = &g->slice_group[l],
                                 *b = best != NONE ? &g->slice_group[best] : NULL;
        const struct slice_group *low = after != NONE ? &g->slice_group[after] : NULL;
        int64_t key = by_room ? a->room_at : a->size_mib;
        int64_t low_key = low == NULL ? 0 : by_room ? low->room_at : low->size_mib;
        int64_t best_key = b == NULL ? 0 : by_room ? b->room_at : b->size_mib;
        if (!a->is_open || (low != NULL && (key < low_key || (key == low_key && l <= after))))
            continue;
        if (b == NULL || key < best_key)
            best = l;
    }
    return best;
}

static int assign_paper(struct gpu *g, const struct session *s)
{
    int64_t left_mib =
        g->rules->capacity_mib - persistent_of(g, NONE) - s->persistent_mib - lanes_of(g);
    if (left_mib >= s->rest_mib)
        return open_lane(g, s->rest_mib, 0);
    for (int l = next_lane(g, NONE, false); l != NONE && left_mib >= 0; l = next_lane(g, l, false))
        if (g->slice_group[l].size_mib >= s->rest_mib)
            return l;
    for (int l = next_lane(g, NONE, false); l != NONE; l = next_lane(g, l, false))
        if (g->slice_group[l].size_mib < s->rest_mib &&
            left_mib + g->slice_group[l].size_mib >= s->rest_mib) {
            g->slice_group[l].size_mib = s->rest_mib;
            return l;
        }
    return NONE;
}

static bool fits_in(const struct gpu *g, const struct session *s, int slice_group, int64_t size_mib)
{
    return s->persistent_mib + larger(s->rest_mib, largest_rest_of(g, slice_group)) <=
           size_mib - persistent_of(g, slice_group);
}

static int assign_code(struct gpu *g, const struct session *s)
{
    int64_t size_mib = s->persistent_mib + s->rest_mib;
    if (g->rules->capacity_mib - lanes_of(g) >= size_mib)
        return open_lane(g, size_mib, size_mib - s->persistent_mib);
    for (int l = next_lane(g, NONE, true); l != NONE; l = next_lane(g, l, true))
        if (fits_in(g, s, l, g->slice_group[l].size_mib))
            return l;
    return NONE;
}

/* The lane of the session; NONE: it has to wait. */
static int assign(struct gpu *g, const struct session *s)
{
    int only = next_lane(g, NONE, false);
    if (g->rules->rule == SALUS_FIFO)
        return only == NONE ? open_lane(g, 0, 0) : NONE;
    if (g->rules->lanes == SALUS_PAPER)
        return assign_paper(g, s);
    if (g->rules->lanes == SALUS_CODE)
        return assign_code(g, s);
    if (only == NONE)
        return open_lane(g, g->rules->capacity_mib, 0);
    return fits_in(g, s, only, g->rules->capacity_mib) ? only : NONE;
}

/* ---------------- the instant ---------------- */

static void enqueue(struct gpu *g, int i)
{
    g->session[i].phase = QUEUED;
    g->session[i].place = g->places++;
}

static void leave(struct gpu *g, int i)
{
    struct session *s = &g->session[i];
    bool is_empty = true;
    s->phase = GONE;
    g->jobs[i].finish_us = g->now_us;
    for (int k = 0; k < g->count; k++)
        if (is_admitted(&g->session[k]) && g->session[k].slice_group == s->slice_group)
            is_empty = false;
    if (is_empty)
        g->slice_group[s->slice_group].is_open = false;
}

static void end_iterations(struct gpu *g)
{
    for (int i = 0; i < g->count; i++) {
        struct session *s = &g->session[i];
        if (s->phase != RUNNING || s->until_us > g->now_us)
            continue;
        int64_t ran_us = s->left_us < g->jobs[i].tau_us ? s->left_us : g->jobs[i].tau_us;
        s->left_us -= ran_us;
        s->used_us += ran_us;
        s->iterations++;
        s->phase = BETWEEN;
        if (s->left_us == 0)
            leave(g, i);
    }
}

static void submit(struct gpu *g)
{
    for (int i = 0; i < g->count; i++) {
        struct session *s = &g->session[i];
        if (s->is_submitted || g->jobs[i].submit_us > g->now_us)
            continue;
        s->is_submitted = true;
        if (g->jobs[i].peak_mib > g->rules->capacity_mib) {
            s->phase = GONE;
            g->jobs[i].is_rejected = true;
        }
    }
}

static void start_up(struct gpu *g)
{
    for (int i = 0; i < g->count; i++)
        if (g->session[i].phase == STARTING && g->session[i].until_us <= g->now_us) {
            enqueue(g, i);
            for (int k = 0; k < g->count; k++)
                if (is_admitted(&g->session[k]) &&
                    g->session[k].slice_group == g->session[i].slice_group)
                    g->session[k].iterations = 0;
        }
}

static void let_in(struct gpu *g, int i, int slice_group)
{
    struct session *s = &g->session[i];
    s->slice_group = slice_group;
    s->phase = STARTING;
    s->until_us = g->now_us + g->rules->startup_us;
    g->jobs[i].start_us = g->now_us;
}

static bool is_poll(const struct gpu *g)
{
    int64_t poll_us = g->rules->poll_us;
    return g->rules->rule != SALUS_FIFO || poll_us == 0 || g->now_us % poll_us == 0;
}

static void admit(struct gpu *g)
{
    int sessions = 0;
    for (int i = 0; i < g->count; i++)
        sessions += is_admitted(&g->session[i]);
    for (int i = 0; i < g->count && is_poll(g); i++) {
        struct session *s = &g->session[i];
        if (!s->is_submitted || s->phase != WAITING || sessions >= g->rules->max_sessions)
            continue;
        int slice_group = assign(g, s);
        if (slice_group == NONE)
            continue;
        let_in(g, i, slice_group);
        sessions++;
    }
}

/* ---------------- turns ---------------- */

static int64_t key_of(const struct gpu *g, int i)
{
    switch (g->rules->rule) {
    case SALUS_SRTF:
        return g->jobs[i].declared_us - g->session[i].used_us;
    case SALUS_FAIR:
        return g->session[i].used_us;
    case SALUS_RR:
        return g->session[i].iterations;
    default:
        return 0;
    }
}

/* Rows are in order of submission. */
static bool goes_before(const struct gpu *g, int a, int b)
{
    const struct session *x = &g->session[a], *y = &g->session[b];
    int64_t p = key_of(g, a), q = key_of(g, b);
    if (p != q)
        return p < q;
    if (g->rules->rule == SALUS_SRTF)
        return a < b;
    if ((x->phase == QUEUED) != (y->phase == QUEUED))
        return x->phase == QUEUED;
    return x->phase == QUEUED ? x->place < y->place : a < b;
}

static void dispatch(struct gpu *g, int slice_group)
{
    bool waits_for_it = g->rules->rule == SALUS_SRTF || g->rules->rule == SALUS_FAIR;
    int next = NONE;
    for (int i = 0; i < g->count; i++) {
        const struct session *s = &g->session[i];
        if (!is_admitted(s) || s->slice_group != slice_group)
            continue;
        if (s->phase == RUNNING)
            return;
        if (s->phase == STARTING && !waits_for_it)
            continue;
        if (next == NONE || goes_before(g, i, next))
            next = i;
    }
    if (next == NONE || g->session[next].phase != QUEUED)
        return;
    struct session *s = &g->session[next];
    s->phase = RUNNING;
    s->until_us =
        g->now_us + (s->left_us < g->jobs[next].tau_us ? s->left_us : g->jobs[next].tau_us);
}

static void decide(struct gpu *g)
{
    end_iterations(g);
    submit(g);
    admit(g);
    start_up(g);
    for (int i = 0; i < g->count; i++)
        if (g->session[i].phase == BETWEEN)
            enqueue(g, i);
    for (int l = 0; l < SALUS_JOBS_MAX; l++)
        if (g->slice_group[l].is_open)
            dispatch(g, l);
}

/* The next instant at which something happens. */
static int64_t next_us(const struct gpu *g)
{
    int64_t at_us = NEVER, poll_us = g->rules->rule == SALUS_FIFO ? g->rules->poll_us : 0;
    for (int i = 0; i < g->count; i++) {
        const struct session *s = &g->session[i];
        int64_t own_us = NEVER;
        if (!s->is_submitted)
            own_us = g->jobs[i].submit_us;
        else if (s->phase == STARTING || s->phase == RUNNING)
            own_us = s->until_us;
        else if (s->phase == WAITING && poll_us > 0)
            own_us = (g->now_us / poll_us + 1) * poll_us;
        at_us = own_us < at_us ? own_us : at_us;
    }
    return at_us;
}

bool salus_simulate(const struct salus_rules *rules, struct salus_job *jobs, int count,
                    int64_t horizon_us)
{
    struct gpu g = {.rules = rules, .jobs = jobs, .count = count};
    for (int i = 0; i < count; i++) {
        jobs[i].start_us = jobs[i].finish_us = -1;
        jobs[i].is_rejected = false;
        g.session[i].left_us = jobs[i].work_us;
        size_up(&g, i);
    }
    for (int64_t at_us; (at_us = next_us(&g)) != NEVER;) {
        if (at_us > horizon_us)
            return false;
        g.now_us = at_us;
        decide(&g);
    }
    for (int i = 0; i < count; i++)
        if (g.session[i].phase != GONE)
            return false;
    return true;
}
