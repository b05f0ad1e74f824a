/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The physics of shared GPUs against the reference of tests/ref/refrates.h, on random scripts: up
 * to 8 jobs on up to 8 GPUs of several types, gangs, tenants, pauses, caps, slice groups,
 * preemptions, migrations, elastic sizes, spread placements, memory that overflows, kills. A policy
 * draws its plans and records them; the reference plays the record. Where all numbers are exact
 * (support/rated.h) everything must be equal, to the microsecond and the nanosecond of work;
 * elsewhere within the bound that the reference computes along the way (refrates.c).
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

#include "base/fixed.h"
#include "base/rng.h"
#include "horus/policy.h"
#include "support/rated.h"
#include "support/script.h"

#define SCENARIOS_PER_WORLD 20
#define WILD_CALLS          30 /* decisions after which a policy only lets its jobs end */
#define SHOWN_MAX           4

/* What the policy knows of a job, from observers. */
struct mirror {
    bool is_live, is_placed, is_used; /* used: has an action in this plan */
    int gpus[RATES_GPUS_MAX], gpu_count;
    int slice_group;
    uint64_t share_q32;
};

static struct {
    struct rated world;
    struct rates_scenario scenario;
    struct hs_test_job jobs[RATES_JOBS_MAX];
    struct mirror mirror[RATES_JOBS_MAX];
    struct dice dice;
    struct rates_plan *plan; /* being written; NULL if there is no room for another */
    uint32_t submitted, max_tenants;
    int64_t timer_us;
} g;

/* ---- what the policy observes ---- */

static enum hs_status hear_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    (void)ctx, (void)now_us;
    g.mirror[job->index] = (struct mirror){.is_live = true, .share_q32 = HS_Q32_ONE};
    return HS_OK;
}

static enum hs_status hear_segment(void *ctx, const struct hs_segment *segment)
{
    struct mirror *m = &g.mirror[segment->job->index];
    (void)ctx;
    if (segment->ended_by == HS_SEGMENT_MIGRATE)
        return HS_OK;
    *m = (struct mirror){.is_live = m->is_live, .share_q32 = HS_Q32_ONE};
    return HS_OK;
}

static enum hs_status hear_start(void *ctx, int64_t now_us, const struct hs_job_record *job,
                                 const uint32_t *gpus, uint32_t gpu_count)
{
    struct mirror *m = &g.mirror[job->index];
    (void)ctx, (void)now_us;
    m->is_placed = true;
    m->gpu_count = (int)gpu_count;
    for (uint32_t i = 0; i < gpu_count; i++)
        m->gpus[i] = (int)gpus[i];
    return HS_OK;
}

static enum hs_status hear_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    (void)ctx, (void)now_us;
    g.mirror[job->index].is_live = false;
    return HS_OK;
}

static const struct hs_observer ears = {.on_submit = hear_submit,
                                        .on_start = hear_start,
                                        .on_segment = hear_segment,
                                        .on_finish = hear_finish};

/* ---- plans ---- */

static bool chance(int percent)
{
    return roll(&g.dice, 1, 100) <= percent;
}

static struct rates_action *note(enum rates_kind kind, int job)
{
    struct rates_action *a = &g.plan->actions[g.plan->count++];
    *a = (struct rates_action){.kind = kind, .job = job};
    g.mirror[job].is_used = true;
    return a;
}

static uint64_t fraction(void)
{
    static const long double powers[] = {0.25L, 0.5L, 1};
    if (g.world.kind == RATED_POWERS)
        return (uint64_t)(pick(&g.dice, 3, powers) * (long double)HS_Q32_ONE);
    return (uint64_t)(real(&g.dice, 0.05, 1) * (long double)HS_Q32_ONE);
}

static bool sits_on(const struct mirror *m, int gpu)
{
    for (int i = 0; m->is_live && m->is_placed && i < m->gpu_count; i++)
        if (m->gpus[i] == gpu)
            return true;
    return false;
}

/* Whether the shares of a slice group would add up to more than 1 on a GPU. */
static bool is_full(int gpu, int job, int slice_group, uint64_t share_q32)
{
    for (int j = 0; j < RATES_JOBS_MAX; j++)
        if (j != job && g.mirror[j].slice_group == slice_group && sits_on(&g.mirror[j], gpu))
            share_q32 += g.mirror[j].share_q32;
    return slice_group != 0 && share_q32 > HS_Q32_ONE;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Chooses `count` GPUs that may be given to the job, drawn or the first ones; false if there are
 * too few. */
static bool choose(const struct hs_view *v, int job, int count, struct rates_action *a)
{
    const struct mirror *m = &g.mirror[job];
    int gpus = (int)g.world.cluster.gpu_count;
    int first = roll(&g.dice, 0, gpus - 1), step = chance(50) ? 1 : 3;
    bool seen[RATES_GPUS_MAX] = {false};
    for (int i = 0; i < 8 * gpus && a->gpu_count < count; i++) {
        int gpu = (first + i * step + i / gpus) % gpus;
        int type = g.scenario.jobs[job].type;
        bool may = !seen[gpu] && hs_view_may_join(v, (uint32_t)gpu, script_handle[job]) &&
                   !is_full(gpu, job, m->slice_group, m->share_q32);
        for (int n = 0, at = gpu; may && type >= 0 && n < g.scenario.nodes; n++) {
            may = at < 0 || at >= g.scenario.node_gpus[n] || g.scenario.node_type[n] == type;
            at -= g.scenario.node_gpus[n];
        }
        if (may)
            a->gpus[a->gpu_count++] = gpu;
        seen[gpu] |= may;
    }
    qsort(a->gpus, (size_t)a->gpu_count, sizeof a->gpus[0], compare);
    return a->gpu_count == count;
}

/* Gives GPUs to a start or migration that was just added to the plan; else removes it from the
 * plan. */
static bool give(const struct hs_view *v, struct hs_plan *p, uint32_t mark, int job)
{
    struct mirror *m = &g.mirror[job];
    struct rates_action *a = &g.plan->actions[g.plan->count - 1];
    const struct hs_test_job *j = &g.jobs[job];
    int least = j->gpus_min > 0 ? (int)j->gpus_min : (int)j->gpus;
    int most = j->gpus_max > 0 ? (int)j->gpus_max : (int)j->gpus,
        count = roll(&g.dice, least, most);
    if (g.world.kind != RATED_ANY) /* see rated.h */
        while ((count & (count - 1)) != 0)
            count++;
    bool was_placed = m->is_placed;
    m->is_placed = false;
    if (count > most || !choose(v, job, count, a)) {
        hs_plan_rollback(p, mark);
        g.plan->count--;
        m->is_placed = was_placed;
        m->is_used = false;
        return false;
    }
    m->is_placed = true;
    m->gpu_count = a->gpu_count;
    memcpy(m->gpus, a->gpus, sizeof m->gpus);
    for (int i = 0; i < a->gpu_count; i++)
        hs_plan_on_gpu(p, (uint32_t)a->gpus[i]);
    return true;
}

static void slice(struct hs_plan *p, int job)
{
    struct mirror *m = &g.mirror[job];
    int slice_group = roll(&g.dice, 0, 2);
    uint64_t share_q32 = slice_group == 0 ? HS_Q32_ONE : fraction();
    for (int i = 0; i < m->gpu_count; i++)
        if (is_full(m->gpus[i], job, slice_group, share_q32))
            return;
    hs_plan_slice(p, script_handle[job], (uint32_t)slice_group, share_q32);
    struct rates_action *a = note(RATES_SLICE, job);
    a->slice_group = m->slice_group = slice_group;
    a->value = (long double)share_q32 / (long double)HS_Q32_ONE;
    m->share_q32 = share_q32;
}

/* Draws throttles and slice groups for a job that holds GPUs. */
static void adjust(struct hs_plan *p, int job)
{
    const bool has_parts = g.world.kind != RATED_FRACTIONS;
    if (chance(40) && has_parts) {
        uint64_t cap_q32 = fraction();
        hs_plan_cap(p, script_handle[job], cap_q32);
        note(RATES_CAP, job)->value = (long double)cap_q32 / (long double)HS_Q32_ONE;
    }
    if (chance(40) && has_parts)
        slice(p, job);
    if (chance(25) && g.scenario.jobs[job].mem_mib > 0) {
        int mib = chance(40) ? 0 : roll(&g.dice, 1000, 9000);
        hs_plan_mem_limit(p, script_handle[job], (uint32_t)mib);
        note(RATES_LIMIT, job)->mib = mib;
    }
}

static void start(const struct hs_view *v, struct hs_plan *p, int job)
{
    uint32_t mark = hs_plan_mark(p);
    hs_plan_start(p, script_handle[job]);
    note(RATES_START, job);
    if (give(v, p, mark, job) && chance(30))
        adjust(p, job);
}

static void migrate(const struct hs_view *v, struct hs_plan *p, int job)
{
    uint32_t mark = hs_plan_mark(p);
    int64_t pause_us = chance(30) ? 0 : roll(&g.dice, 1, 5000000);
    hs_plan_migrate(p, script_handle[job], pause_us);
    note(RATES_MIGRATE, job)->cost_us = pause_us;
    struct mirror before = g.mirror[job];
    g.mirror[job].slice_group = 0;
    g.mirror[job].share_q32 = HS_Q32_ONE;
    if (!give(v, p, mark, job))
        g.mirror[job] = before;
    else if (chance(30))
        adjust(p, job);
}

static void preempt(struct hs_plan *p, int job)
{
    int64_t cost_us = chance(30) ? 0 : roll(&g.dice, 1, 5000000);
    hs_plan_preempt(p, script_handle[job], cost_us);
    note(RATES_PREEMPT, job)->cost_us = cost_us;
    g.mirror[job].is_placed = false;
}

static void disturb(const struct hs_view *v, struct hs_plan *p, int job, enum hs_job_state state)
{
    int what = roll(&g.dice, 0, 9);
    if (what < 3) {
        adjust(p, job);
    } else if (what < 5 && state == HS_JOB_RUNNING) {
        hs_plan_pause(p, script_handle[job]);
        note(RATES_PAUSE, job);
    } else if (what < 7) {
        preempt(p, job);
    } else if (what < 9) {
        if (state != HS_JOB_PAUSED)
            migrate(v, p, job);
    } else if (chance(20)) {
        hs_plan_kill(p, script_handle[job]);
        note(RATES_KILL, job);
        g.mirror[job].is_live = false;
    }
}

static void act(const struct hs_view *v, struct hs_plan *p, int job, bool is_wild)
{
    enum hs_job_state state = hs_view_state(v, script_handle[job]);
    if (g.mirror[job].is_used || g.plan->count > RATES_ACTIONS_MAX - 4)
        return;
    if (state == HS_JOB_PENDING || state == HS_JOB_SUSPENDED) {
        if (!is_wild || chance(70))
            start(v, p, job);
    } else if (state == HS_JOB_PAUSED && (!is_wild || chance(50))) {
        hs_plan_resume(p, script_handle[job]);
        note(RATES_RESUME, job);
    } else if (is_wild && chance(40)) {
        disturb(v, p, job, state);
    }
}

static void decide(const struct hs_view *v, struct hs_plan *p, int call)
{
    bool is_wild = call < WILD_CALLS;
    int first = roll(&g.dice, 0, RATES_JOBS_MAX - 1);
    assert_true(g.scenario.plan_count < RATES_PLANS_MAX);
    g.plan = &g.scenario.plans[g.scenario.plan_count];
    *g.plan = (struct rates_plan){.time_us = hs_view_now_us(v)};
    for (int j = 0; j < RATES_JOBS_MAX; j++)
        g.mirror[j].is_used = false;
    for (int j = 0; j < RATES_JOBS_MAX; j++) {
        int job = (first + j) % RATES_JOBS_MAX;
        if (g.mirror[job].is_live)
            act(v, p, job, is_wild);
    }
    g.scenario.plan_count += g.plan->count > 0;
    if (g.timer_us <= hs_view_now_us(v)) {
        g.timer_us = hs_view_now_us(v) + roll(&g.dice, 1, 8000000);
        hs_plan_timer(p, g.timer_us, 't');
    }
}

/* ---- scenarios ---- */

static int draw_util(struct dice *d)
{
    static const int exact[] = {250, 500, 1000}; /* u v in Q20 without rounding */
    if (roll(d, 0, 5) == 0)
        return -1;
    switch (g.world.kind) {
    case RATED_FRACTIONS:
        return 1000;
    case RATED_POWERS:
        return exact[roll(d, 0, 2)];
    default:
        return roll(d, 10, 1000);
    }
}

static void draw_job(struct dice *d, struct rates_job *r)
{
    const struct rated *w = &g.world;
    r->type = roll(d, 0, 7) == 0 ? (int)w->cluster.nodes[0].type : -1;
    r->gpus = 1 << roll(d, 0, 2);
    if (r->gpus > (r->type < 0 ? (int)w->cluster.gpu_count : g.scenario.node_gpus[0]))
        r->gpus = 1;
    r->duration_us = roll(d, 1, 30) * HS_TEST_S;
    r->duration_us += roll(d, 0, 1) == 0 ? 0 : roll(d, 1, 999999);
    r->profile = roll(d, 0, 6) == 0 ? REF_NO_PROFILE : roll(d, 0, RATED_PROFILES - 1);
    r->util_pm = draw_util(d);
    /* Times of a kill are exact; those of finishes that prevent one are not. */
    r->mem_mib = w->kind == RATED_ANY || roll(d, 0, 2) == 0 ? 0 : roll(d, 1000, 11000);
}

/* The same for the engine. */
static void submit_job(struct dice *d, const struct rates_job *r, struct hs_test_job *t)
{
    const struct rated *w = &g.world;
    bool may_grow = r->type < 0 && w->kind != RATED_POWERS; /* there no factor is above 1 */
    bool is_any = w->kind == RATED_ANY; /* else only of measured sizes: others are roots */
    uint32_t most = is_any || w->cluster.gpu_count < 4 ? w->cluster.gpu_count : 4;
    bool is_measured = r->gpus == 1 || r->gpus == 2 || r->gpus == 4;
    *t = (struct hs_test_job){.gpus = (uint32_t)r->gpus,
                              .duration_us = r->duration_us,
                              .gpu_mem_mib = (uint32_t)r->mem_mib,
                              .gpu_util_pm = r->util_pm > 0 ? r->util_pm : 0,
                              .gpu_type = r->type < 0 ? NULL : w->cluster.types[r->type].name,
                              .profile = (uint32_t)(r->profile + 1)};
    if (roll(d, 0, 3) == 0 && (is_any || is_measured)) {
        t->gpus_min = 1;
        t->gpus_max = may_grow && most >= t->gpus ? most : t->gpus;
    }
}

static void draw_scenario(uint64_t seed)
{
    struct dice d = {.seed = seed};
    int64_t submit_us = 0;
    g.scenario = g.world.scenario;
    g.scenario.job_count = roll(&d, 1, RATES_JOBS_MAX);
    g.scenario.reserve_mib = roll(&d, 0, 1) == 0 ? 0 : 1024;
    g.scenario.startup_us = roll(&d, 0, 2) > 0 ? 0 : roll(&d, 1, 3000000);
    int64_t delay_s = roll(&d, 0, 2) == 0 ? 30 : roll(&d, 1, 6);
    g.scenario.oom_delay_us = delay_s * HS_TEST_S;
    for (int j = 0; j < g.scenario.job_count; j++) {
        draw_job(&d, &g.scenario.jobs[j]);
        submit_job(&d, &g.scenario.jobs[j], &g.jobs[j]);
        submit_us += j > 0 && roll(&d, 0, 1) == 1 ? roll(&d, 1, 12000000) : 0;
        g.jobs[j].submit_us = submit_us;
    }
    memset(g.mirror, 0, sizeof g.mirror);
    g.dice = (struct dice){.seed = hs_mix64(seed, 7)};
    g.timer_us = 0;
    script_options = (struct hs_test_options){
        .interference = g.world.truth,
        .speed = g.world.speed,
        .memory_reserve_mib = (uint32_t)g.scenario.reserve_mib,
        .oom_delay_s = delay_s,
        .startup_us = g.scenario.startup_us,
        .max_tenants = g.world.kind == RATED_FRACTIONS ? 2 : (uint32_t)roll(&d, 2, 4),
        .observer = &ears};
}

enum verdict { SAME, DIFFERENT, UNDECIDED };

static enum verdict play(uint64_t number, bool is_told)
{
    const uint32_t can = HS_CAN_PREEMPT | HS_CAN_MIGRATE | HS_CAN_COLOCATE | HS_CAN_SLICE |
                         HS_CAN_THROTTLE | HS_CAN_RESIZE | HS_CAN_TIME;
    struct hs_test_result r;
    enum hs_status status =
        script_play(g.jobs, (uint32_t)g.scenario.job_count, g.world.shape, can, decide, &r);
    enum verdict verdict = DIFFERENT;
    if (status == HS_OK) {
        rates_play(&g.scenario, g.world.kind != RATED_ANY);
        verdict = g.scenario.is_confused && g.world.kind == RATED_ANY ? UNDECIDED
                  : !g.scenario.is_confused && rated_agrees(&g.world, &g.scenario, &r, false)
                      ? SAME
                      : DIFFERENT;
    }
    if (verdict == DIFFERENT && is_told) {
        rated_print(&g.world, &g.scenario, number);
        print_error("  %s%s\n", r.message, g.scenario.is_confused ? " (confused)" : "");
        (void)rated_agrees(&g.world, &g.scenario, &r, true);
    }
    hs_test_free(&r);
    return verdict;
}

/* Counts over all scenarios: none may be zero. */
static struct {
    uint64_t preemptions, migrations, kills, ooms, overhead, shared;
} seen;

static void count_seen(void)
{
    for (int j = 0; j < g.scenario.job_count; j++) {
        const struct rates_outcome *o = &g.scenario.outcome[j];
        seen.preemptions += (uint64_t)o->preemptions;
        seen.migrations += (uint64_t)o->migrations;
        seen.kills += o->is_failed;
        seen.ooms += (uint64_t)o->ooms;
        seen.overhead += o->overhead_us > 0;
    }
    for (int i = 0; i < g.scenario.segment_count; i++)
        seen.shared += g.scenario.segments[i].max_tenants > 1;
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : preset;
}

static void random_scripts(void **state)
{
    uint64_t factor = setting("HORUS_LONG", 0) != 0 ? 10 : 1, seed = setting("HORUS_SEED", 1);
    uint64_t count = setting("HORUS_SCENARIOS", 20000 * factor), differ = 0, undecided = 0;
    (void)state;
    for (uint64_t number = 0; number < count; number++) {
        if (number % SCENARIOS_PER_WORLD == 0) {
            enum rated_kind kind = (enum rated_kind)(number / SCENARIOS_PER_WORLD % RATED_KINDS);
            rated_draw(&g.world, kind, hs_mix64(seed, number));
        }
        draw_scenario(hs_mix64(seed, hs_mix64(number, 1)));
        enum verdict verdict = play(number, differ < SHOWN_MAX);
        count_seen();
        differ += verdict == DIFFERENT;
        undecided += verdict == UNDECIDED;
        if (number % SCENARIOS_PER_WORLD == SCENARIOS_PER_WORLD - 1 || number == count - 1)
            rated_free(&g.world);
    }
    print_message("%" PRIu64 " random scripts (seed %" PRIu64 "), %" PRIu64 " differ, %" PRIu64
                  " undecided\n",
                  count, seed, differ, undecided);
    print_message(
        "  %" PRIu64 " preemptions, %" PRIu64 " migrations, %" PRIu64 " kills, %" PRIu64
        " out of memory, %" PRIu64 " placements beside others, %" PRIu64 " jobs with costs\n",
        seen.preemptions, seen.migrations, seen.kills, seen.ooms, seen.shared, seen.overhead);
    assert_true(differ == 0);
    assert_true(seen.kills > 0 && seen.ooms > 0 && seen.shared > 0 && seen.overhead > 0);
    assert_true(undecided * 100 <= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scripts)};
    return cmocka_run_group_tests(tests, rated_open, rated_close);
}
