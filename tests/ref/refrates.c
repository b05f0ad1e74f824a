/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refrates.h. Everything is a scan over all jobs. Work is counted exactly, in nanoseconds of
 * 2^-32.
 */
#include "refrates.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "refwork.h"

#define NEVER REF_NEVER
#define Q32   4294967296.0L

struct live {
    bool is_placed, is_paused, is_over;
    int gpus[RATES_GPUS_MAX], gpu_count;
    hs_u128 done; /* ns 2^-32 */
    int64_t cost_us, oom_us;
    int64_t coming; /* number, in order of time, of its placement or last growth of memory */
    int slice_group;
    long double share, cap;
    int64_t limit_mib;
    long double error_ns, slowest;
    /* at the start of the placement */
    hs_u128 done_then;
    int64_t cost_then, start_us;
    int max_tenants;
};

struct sim {
    struct rates_scenario *s;
    int64_t comings;
    bool is_exact;
    int64_t now_us;
    struct live live[RATES_JOBS_MAX];
    uint64_t rate_q32[RATES_JOBS_MAX];
    long double rate_error[RATES_JOBS_MAX];
};

/* ---- jobs on GPUs ---- */

static bool sits_on(const struct live *l, int gpu)
{
    for (int i = 0; l->is_placed && i < l->gpu_count; i++)
        if (l->gpus[i] == gpu)
            return true;
    return false;
}

static int node_of(const struct rates_scenario *s, int gpu)
{
    int node = 0;
    while (gpu >= s->node_gpus[node])
        gpu -= s->node_gpus[node++];
    return node;
}

static int type_of(const struct rates_scenario *s, int gpu)
{
    return s->node_type[node_of(s, gpu)];
}

static int tenants_of(const struct sim *m, int gpu)
{
    int count = 0;
    for (int j = 0; j < m->s->job_count; j++)
        count += sits_on(&m->live[j], gpu);
    return count;
}

static int64_t memory_of(const struct sim *m, int job)
{
    int64_t limit = m->live[job].limit_mib, peak = m->s->jobs[job].mem_mib;
    return limit > 0 && limit < peak ? limit : peak;
}

/* Whether it exceeds the memory of some GPU together with the jobs placed there before it. */
static bool overflows(const struct sim *m, int job)
{
    for (int i = 0; i < m->live[job].gpu_count; i++) {
        int gpu = m->live[job].gpus[i], before = 0;
        int64_t used = memory_of(m, job);
        for (int j = 0; j < m->s->job_count; j++)
            if (sits_on(&m->live[j], gpu) && m->live[j].coming < m->live[job].coming) {
                used += memory_of(m, j);
                before++;
            }
        if (before > 0 && used > m->s->type_mem_mib[type_of(m->s, gpu)] - m->s->reserve_mib)
            return true;
    }
    return false;
}

/* ---- rates ---- */

static const struct rates_speed *speed_of(const struct rates_scenario *s, int job, int type)
{
    int p = s->jobs[job].profile;
    return &s->speed[p == REF_NO_PROFILE ? RATES_PROFILES_MAX : p][type];
}

/* Throughput of n GPUs relative to one: interpolated between measured sizes. */
static long double throughput(const struct rates_speed *v, int n)
{
    int last = 1;
    long double last_throughput = 1;
    for (int i = 0; i < v->sizes; i++) {
        long double here = v->efficiency[i] * v->size[i];
        if (n <= v->size[i])
            return 1 / (1 / last_throughput + (1 / here - 1 / last_throughput) *
                                                  log2l((long double)n / last) /
                                                  log2l((long double)v->size[i] / last));
        last = v->size[i];
        last_throughput = here;
    }
    return 1 / (1.0L / n + 1 / last_throughput - 1.0L / last);
}

/* The factor of the nearest measured gang size, of two the smaller one. */
static long double spread_factor(const struct rates_speed *v, int n)
{
    int best = 0;
    for (int i = 1; i < v->spreads; i++)
        if (abs(v->size[i] - n) < abs(v->size[best] - n))
            best = i;
    return v->spreads > 0 ? v->spread[best] : 1;
}

static int nodes_spanned(const struct sim *m, int job)
{
    bool has[RATES_NODES_MAX] = {false};
    int count = 0;
    for (int i = 0; i < m->live[job].gpu_count; i++)
        has[node_of(m->s, m->live[job].gpus[i])] = true;
    for (int n = 0; n < m->s->nodes; n++)
        count += has[n];
    return count;
}

/* The fewest of the nodes allowed to the job that have as many GPUs as it holds: the largest ones.
 */
static int nodes_needed(const struct sim *m, int job)
{
    const struct rates_scenario *s = m->s;
    bool taken[RATES_NODES_MAX] = {false};
    int held = 0, count = 0;
    while (held < m->live[job].gpu_count) {
        int best = -1;
        for (int n = 0; n < s->nodes; n++)
            if (!taken[n] && (s->jobs[job].type < 0 || s->jobs[job].type == s->node_type[n]) &&
                (best < 0 || s->node_gpus[n] > s->node_gpus[best]))
                best = n;
        taken[best] = true;
        held += s->node_gpus[best];
        count++;
    }
    return count;
}

/* Whether a tenant runs: it is neither paused nor paying a cost. */
static bool runs_on(const struct sim *m, int job, int gpu)
{
    const struct live *l = &m->live[job];
    return sits_on(l, gpu) && !l->is_paused && l->cost_us == 0;
}

static bool are_of_one_group(const struct sim *m, int a, int b)
{
    return m->live[a].slice_group != 0 && m->live[a].slice_group == m->live[b].slice_group;
}

/* Speed of a running job on a GPU by the form alone: beside all that run but those of its slice
 * group. */
static long double form_speed(const struct sim *m, int job, int gpu, long double *error)
{
    struct ref_tenant tenants[REF_TENANTS_MAX];
    int count = 0, self = 0;
    for (int j = 0; j < m->s->job_count; j++) {
        const struct live *l = &m->live[j];
        if (!runs_on(m, j, gpu) || (j != job && are_of_one_group(m, j, job)))
            continue;
        if (j == job)
            self = count;
        tenants[count++] =
            (struct ref_tenant){m->s->jobs[j].profile, m->s->jobs[j].util_pm, l->share * l->cap};
    }
    long double slowdown = ref_slow(m->s->slow, type_of(m->s, gpu), tenants, count, self, error);
    *error /= slowdown * slowdown;
    return floorl(Q32 / slowdown) / Q32;
}

/* Speed of a running job on a GPU, after the time of the GPU is shared out. The error of a part is
 * at most that of all demands together, because their sum is the capacity before and after. */
static long double speed_on(const struct sim *m, int job, int gpu, long double *error)
{
    long double demand[RATES_JOBS_MAX], weight[RATES_JOBS_MAX], given[RATES_JOBS_MAX];
    long double speed = form_speed(m, job, gpu, error), sum = 0, sum_error = 0;
    int units = 0;
    for (int j = 0; j < m->s->job_count; j++) {
        const struct live *l = &m->live[j];
        bool is_repeated = false;
        demand[j] = weight[j] = 0;
        if (!runs_on(m, j, gpu))
            continue;
        for (int i = 0; i < j; i++)
            is_repeated |= runs_on(m, i, gpu) && are_of_one_group(m, i, j);
        units += !is_repeated;
        long double need = ref_util_pm(m->s->jobs[j].util_pm) * l->share * l->cap, off;
        weight[j] = l->share;
        demand[j] = need * form_speed(m, j, gpu, &off);
        sum += demand[j];
        sum_error += need * off + 4 / Q32;
    }
    if (units < 2 || isinf(m->s->capacity) || sum + sum_error <= m->s->capacity)
        return speed;
    const struct live *l = &m->live[job];
    long double need = ref_util_pm(m->s->jobs[job].util_pm) * l->share * l->cap;
    ref_fill(m->s->job_count, demand, weight, m->s->capacity, given);
    if (need == 0)
        return speed;
    *error = fmaxl(*error, (sum_error + 4 / Q32) / need);
    return given[job] < demand[job] ? given[job] / need : speed;
}

/* MODEL.md 4. The error: that of the speed, and nine roundings to 2^-32, of the results of four
 * models and of five products, each multiplied by the other factors: at most 16, a speed of 2 and 8
 * GPUs for 1. */
static void rate(struct sim *m, int job)
{
    const struct live *l = &m->live[job];
    bool is_spread = nodes_spanned(m, job) > nodes_needed(m, job);
    long double slowest = INFINITY, worst = 0, locality = INFINITY;
    m->rate_q32[job] = 0;
    m->rate_error[job] = 0;
    if (!l->is_placed || l->is_paused || l->cost_us > 0)
        return;
    for (int i = 0; i < l->gpu_count; i++) {
        const struct rates_speed *v = speed_of(m->s, job, type_of(m->s, l->gpus[i]));
        long double error, speed = speed_on(m, job, l->gpus[i], &error);
        slowest = fminl(slowest, v->speed * l->share * speed);
        worst = fmaxl(worst, error / speed);
        long double factor = is_spread ? spread_factor(v, l->gpu_count) : 1;
        if (l->gpu_count != m->s->jobs[job].gpus)
            factor *= throughput(v, l->gpu_count) / throughput(v, m->s->jobs[job].gpus);
        locality = fminl(locality, factor);
    }
    long double product = l->cap * locality * slowest;
    m->rate_q32[job] = (uint64_t)floorl(product * Q32);
    m->rate_error[job] = m->is_exact ? 0 : product * worst + 9 * 16 / Q32;
}

static void rate_all(struct sim *m)
{
    for (int j = 0; j < m->s->job_count; j++)
        rate(m, j);
}

/* ---- time ---- */

static hs_u128 total(const struct sim *m, int job)
{
    return ref_work(m->s->jobs[job].duration_us);
}

static int64_t next_of(const struct sim *m, int job)
{
    const struct live *l = &m->live[job];
    int64_t next = ref_finish_us(m->now_us, total(m, job) - l->done, m->rate_q32[job]);
    if (!l->is_placed)
        return NEVER;
    if (l->cost_us > 0 && !l->is_paused)
        next = m->now_us + l->cost_us;
    return l->oom_us < next ? l->oom_us : next;
}

static void pass(struct sim *m, int64_t until_us)
{
    int64_t dt_us = until_us - m->now_us;
    for (int j = 0; j < m->s->job_count; j++) {
        struct live *l = &m->live[j];
        struct rates_outcome *o = &m->s->outcome[j];
        if (!l->is_placed)
            continue;
        o->run_us += dt_us;
        if (l->cost_us > 0 && !l->is_paused) {
            o->overhead_us += dt_us;
            l->cost_us -= dt_us;
        }
        l->done = ref_worked(l->done, total(m, j), m->rate_q32[j], dt_us);
        l->error_ns += m->rate_error[j] * 1000 * (long double)dt_us;
        if (m->rate_q32[j] > 0)
            l->slowest = fminl(l->slowest, (long double)m->rate_q32[j] / Q32);
    }
    m->now_us = until_us;
}

/* ---- placements ---- */

static void forget_settings(struct live *l)
{
    l->cap = l->share = 1;
    l->slice_group = 0;
    l->is_paused = false;
}

static void begin_placement(struct sim *m, int job, const struct rates_action *a)
{
    struct live *l = &m->live[job];
    l->is_placed = true;
    l->is_paused = false;
    l->gpu_count = a->gpu_count;
    memcpy(l->gpus, a->gpus, sizeof l->gpus);
    l->done_then = l->done;
    l->cost_then = l->cost_us;
    l->start_us = m->now_us;
    l->max_tenants = 0;
    l->slowest = INFINITY;
    l->oom_us = NEVER;
    l->coming = ++m->comings;
}

static void end_placement(struct sim *m, int job, enum rates_end end, long double end_error_us)
{
    struct live *l = &m->live[job];
    struct rates_segment *g = &m->s->segments[m->s->segment_count++];
    *g = (struct rates_segment){.job = job,
                                .start_us = l->start_us,
                                .end_us = m->now_us,
                                .done_ns = ref_work_ns(l->done) - ref_work_ns(l->done_then),
                                .gpu_count = l->gpu_count,
                                .max_tenants = l->max_tenants,
                                .ended_by = end,
                                .end_error_us = end_error_us,
                                .done_error_ns = l->error_ns};
    memcpy(g->gpus, l->gpus, sizeof g->gpus);
    l->is_placed = false;
    l->oom_us = NEVER;
    forget_settings(l);
}

static void lose(struct sim *m, int job, hs_u128 since)
{
    struct live *l = &m->live[job];
    m->s->outcome[job].lost_ns += ref_work_ns(l->done) - ref_work_ns(since);
    l->done = since;
}

static void overflow(struct sim *m, int job)
{
    struct live *l = &m->live[job];
    end_placement(m, job, RATES_OOM, 0);
    lose(m, job, l->done_then);
    l->cost_us = l->cost_then;
    m->s->outcome[job].ooms++;
}

/* The end in the other simulator is known to end_error_us: for as long the rate of other jobs may
 * be that before or that after. */
static void finish(struct sim *m, int job)
{
    struct live *l = &m->live[job];
    long double before[RATES_JOBS_MAX];
    long double error_us = m->is_exact ? 0 : l->error_ns / 1000 / l->slowest + 1;
    for (int j = 0; j < m->s->job_count; j++)
        before[j] = (long double)m->rate_q32[j];
    m->s->outcome[job].end_us = m->now_us;
    m->s->outcome[job].end_error_us = error_us;
    m->s->outcome[job].run_error_us = error_us;
    l->is_over = true;
    end_placement(m, job, RATES_FINISHED, error_us);
    rate_all(m);
    for (int j = 0; j < m->s->job_count; j++)
        m->live[j].error_ns +=
            error_us * 1000 * fabsl((long double)m->rate_q32[j] - before[j]) / Q32;
}

/* A job that exceeded the memory of a GPU is not killed if there is room now. */
static void relieve(struct sim *m)
{
    for (int j = 0; j < m->s->job_count; j++)
        if (m->live[j].is_placed && !overflows(m, j))
            m->live[j].oom_us = NEVER;
}

/* Handles what is due at this instant, by trace index. */
static void handle(struct sim *m)
{
    for (int j = 0; j < m->s->job_count; j++) {
        const struct live *l = &m->live[j];
        if (l->is_placed && l->done == total(m, j))
            finish(m, j);
        else if (l->is_placed && l->oom_us == m->now_us && overflows(m, j))
            overflow(m, j);
    }
    relieve(m);
}

static void run_until(struct sim *m, int64_t until_us)
{
    for (;;) {
        int64_t next = NEVER;
        rate_all(m);
        for (int j = 0; j < m->s->job_count; j++)
            next = next_of(m, j) < next ? next_of(m, j) : next;
        if (next > until_us || next == NEVER)
            break;
        pass(m, next);
        handle(m);
    }
    if (until_us != NEVER)
        pass(m, until_us);
}

/* ---- plans ---- */

static void release(struct sim *m, const struct rates_action *a)
{
    struct live *l = &m->live[a->job];
    struct rates_outcome *o = &m->s->outcome[a->job];
    l->cost_us += a->cost_us;
    if (a->kind == RATES_MIGRATE) {
        end_placement(m, a->job, RATES_MIGRATED, 0);
        o->migrations++;
    } else if (a->kind == RATES_PREEMPT) {
        end_placement(m, a->job, RATES_PREEMPTED, 0);
        o->preemptions++;
    } else {
        end_placement(m, a->job, RATES_KILLED, 0);
        o->done_error_ns = l->error_ns;
        lose(m, a->job, 0);
        o->is_failed = l->is_over = true;
        o->end_us = m->now_us;
    }
}

static void place(struct sim *m, const struct rates_action *a)
{
    struct rates_outcome *o = &m->s->outcome[a->job];
    if (o->start_us < 0) {
        o->start_us = m->now_us;
        m->live[a->job].cost_us += m->s->startup_us;
    }
    begin_placement(m, a->job, a);
    if (overflows(m, a->job))
        m->live[a->job].oom_us = m->now_us + m->s->oom_delay_us;
}

static void limit(struct sim *m, int job, int64_t mib)
{
    struct live *l = &m->live[job];
    int64_t had_mib = memory_of(m, job);
    l->limit_mib = mib;
    if (memory_of(m, job) <= had_mib)
        return;
    l->coming = ++m->comings;
    if (l->oom_us == NEVER && overflows(m, job))
        l->oom_us = m->now_us + m->s->oom_delay_us;
}

static void set(struct sim *m, const struct rates_action *a)
{
    struct live *l = &m->live[a->job];
    if (a->kind == RATES_PAUSE || a->kind == RATES_RESUME) {
        l->is_paused = a->kind == RATES_PAUSE;
    } else if (a->kind == RATES_SLICE) {
        l->slice_group = a->slice_group;
        l->share = a->value;
    } else if (a->kind == RATES_CAP) {
        l->cap = a->value;
    } else {
        limit(m, a->job, a->mib);
    }
}

static const bool is_release[] = {
    [RATES_PREEMPT] = true, [RATES_MIGRATE] = true, [RATES_KILL] = true};
static const bool is_place[] = {[RATES_START] = true, [RATES_MIGRATE] = true, [RATES_KILL] = false};

static bool is_possible(const struct sim *m, const struct rates_plan *plan)
{
    bool is_placed[RATES_JOBS_MAX];
    for (int j = 0; j < m->s->job_count; j++)
        is_placed[j] = m->live[j].is_placed;
    for (int i = 0; i < plan->count; i++) {
        const struct rates_action *a = &plan->actions[i];
        if (m->live[a->job].is_over || is_placed[a->job] == (a->kind == RATES_START))
            return false;
        is_placed[a->job] |= a->kind == RATES_START;
    }
    return true;
}

static void apply(struct sim *m, const struct rates_plan *plan)
{
    m->s->is_confused = !is_possible(m, plan);
    if (m->s->is_confused)
        return;
    for (int i = 0; i < plan->count; i++)
        if (is_release[plan->actions[i].kind])
            release(m, &plan->actions[i]);
    for (int i = 0; i < plan->count; i++)
        if (is_place[plan->actions[i].kind])
            place(m, &plan->actions[i]);
    for (int i = 0; i < plan->count; i++)
        if (!is_release[plan->actions[i].kind] && !is_place[plan->actions[i].kind])
            set(m, &plan->actions[i]);
    relieve(m);
    for (int j = 0; j < m->s->job_count; j++)
        for (int i = 0; m->live[j].is_placed && i < m->live[j].gpu_count; i++) {
            int tenants = tenants_of(m, m->live[j].gpus[i]);
            if (tenants > m->live[j].max_tenants)
                m->live[j].max_tenants = tenants;
        }
}

void rates_play(struct rates_scenario *s, bool is_exact)
{
    struct sim m = {.s = s, .is_exact = is_exact};
    s->segment_count = 0;
    s->is_confused = false;
    for (int j = 0; j < s->job_count; j++) {
        s->outcome[j] = (struct rates_outcome){.start_us = -1, .end_us = -1};
        forget_settings(&m.live[j]);
        m.live[j].oom_us = NEVER;
    }
    for (int i = 0; i < s->plan_count && !s->is_confused; i++) {
        run_until(&m, s->plans[i].time_us);
        apply(&m, &s->plans[i]);
    }
    run_until(&m, NEVER);
    for (int j = 0; j < s->job_count; j++) {
        s->outcome[j].done_ns = ref_work_ns(m.live[j].done);
        s->outcome[j].done_error_ns += m.live[j].error_ns;
    }
}
