/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policies that share GPUs against the reference of tests/ref/refshare.h, on random scenarios
 * (support/shared.h) so small that nearly everything ties. Every job must end the same way at the
 * same microsecond, and every placement must have the same start, end, GPUs and work. A scenario
 * that differs is shrunk by dropping jobs, and printed.
 *
 *   HORUS_SCENARIOS=N   how many (default 20,000; ten times as many under HORUS_LONG)
 *   HORUS_SEED=S        which (default 1)
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/shared.h"

#define SHOWN_MAX 4

/* ---- running both ---- */

static bool is_same_job(const struct share_job *j, const struct hs_test_outcome *o)
{
    if (j->is_rejected || o->state == HS_JOB_REJECTED)
        return j->is_rejected && o->state == HS_JOB_REJECTED;
    return o->state == HS_JOB_DONE && o->start_us == j->start_us && o->end_us == j->end_us &&
           o->lost_ns == j->lost_ns && o->done_ns == j->duration_us * 1000 &&
           o->ooms == (uint32_t)j->ooms;
}

static bool is_same_segment(const struct share_segment *a, const struct hs_test_segment *b)
{
    enum hs_segment_end end = a->is_oom ? HS_SEGMENT_OOM : HS_SEGMENT_FINISH;
    if ((uint32_t)a->job != b->job || a->start_us != b->start_us || a->end_us != b->end_us ||
        a->done_ns != b->done_ns || end != b->ended_by || (uint32_t)a->gpu_count != b->gpu_count ||
        (uint32_t)a->most_tenants != b->max_tenants)
        return false;
    for (int i = 0; i < a->gpu_count; i++)
        if ((uint32_t)a->gpus[i] != b->gpus[i])
            return false;
    return true;
}

static bool is_in(const struct share_scenario *s, const struct hs_test_segment *segment)
{
    for (int i = 0; i < s->segment_count; i++)
        if (is_same_segment(&s->segments[i], segment))
            return true;
    return false;
}

/* Runs both; fills the outcomes of t->s and r (to be freed). */
static bool agrees(struct shared *t, struct hs_test_result *r)
{
    shared_ask(t);
    share_play(&t->s);
    enum hs_status status = hs_test_run_with(t->jobs, (uint32_t)t->s.job_count, t->cluster_path,
                                             t->policy, &t->options, r);
    bool all = status == HS_OK && r->segment_count == (uint32_t)t->s.segment_count;
    for (int i = 0; all && i < t->s.job_count; i++)
        all = is_same_job(&t->s.jobs[i], &r->jobs[i]);
    for (uint32_t i = 0; all && i < r->segment_count; i++)
        all = is_in(&t->s, &r->segments[i]);
    return all;
}

/* ---- what differs ---- */

static void shrink(struct shared *t)
{
    for (int i = 0; i < t->s.job_count && t->s.job_count > 1;) {
        static struct shared smaller;
        struct hs_test_result r;
        smaller = *t;
        smaller.s.job_count--;
        for (int k = i; k < smaller.s.job_count; k++)
            smaller.jobs[k] = smaller.jobs[k + 1];
        bool still_differs = !agrees(&smaller, &r);
        hs_test_free(&r);
        if (still_differs) {
            *t = smaller;
            i = 0;
        } else {
            i++;
        }
    }
}

static void print_segment(int job, int64_t start_us, int64_t end_us, const char *end)
{
    print_error(" %d:%g-%g%s", job, (double)start_us / 1e6, (double)end_us / 1e6, end);
}

static void print_trial(struct shared *t, uint64_t number)
{
    struct hs_test_result r;
    const struct share_scenario *s = &t->s;
    (void)agrees(t, &r);
    print_error("scenario %" PRIu64 ": %s\n  %s", number, t->policy, t->cluster);
    print_error("  beside others %g, at most %u tenants, reserve %u MiB, kill after %" PRId64
                " s, alone after %u%s%s\n",
                1 + t->options.excess, t->options.max_tenants, t->options.memory_reserve_mib,
                t->options.oom_delay_s, t->options.oom_retries, r.message[0] ? ": " : "",
                r.message);
    for (int i = 0; i < s->job_count; i++) {
        const struct share_job *j = &s->jobs[i];
        print_error("  job %d: %d GPUs%s%s, at %g for %g s, told %d/%d pm %" PRId64
                    " MiB, in truth %" PRId64 " MiB\n",
                    i, j->gpus, j->type < 0 ? "" : " of ", j->type < 0 ? "" : t->jobs[i].gpu_type,
                    (double)j->submit_us / 1e6, (double)j->duration_us / 1e6, j->util_pm,
                    j->peak_pm, j->predicted_mib, j->mem_mib);
    }
    print_error("  reference:");
    for (int i = 0; i < s->segment_count; i++) {
        const struct share_segment *g = &s->segments[i];
        print_segment(g->job, g->start_us, g->end_us, g->is_oom ? "!" : "");
        for (int k = 0; k < g->gpu_count; k++)
            print_error("%c%d", k == 0 ? '@' : '+', g->gpus[k]);
    }
    print_error("\n  engine:   ");
    for (uint32_t i = 0; i < r.segment_count; i++) {
        const struct hs_test_segment *g = &r.segments[i];
        print_segment((int)g->job, g->start_us, g->end_us,
                      g->ended_by == HS_SEGMENT_OOM ? "!" : "");
        for (uint32_t k = 0; k < g->gpu_count; k++)
            print_error("%c%" PRIu32, k == 0 ? '@' : '+', g->gpus[k]);
    }
    print_error("\n");
    hs_test_free(&r);
}

/* ---- all of them ---- */

/* Counts over all scenarios: none may be zero. */
static struct {
    uint64_t jobs, rejected, ooms, shared, gangs, spread, crowds;
} seen;

static void count_seen(const struct share_scenario *s)
{
    for (int i = 0; i < s->job_count; i++) {
        seen.jobs++;
        seen.rejected += s->jobs[i].is_rejected;
        seen.ooms += (uint64_t)s->jobs[i].ooms;
    }
    for (int i = 0; i < s->segment_count; i++) {
        const struct share_segment *g = &s->segments[i];
        seen.shared += g->most_tenants > 1;
        seen.crowds += g->most_tenants > 2;
        seen.gangs += g->gpu_count > 1 && g->most_tenants > 1;
        seen.spread += g->gpus[g->gpu_count - 1] - g->gpus[0] >= 4;
    }
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : preset;
}

static void random_scenarios(void **state)
{
    uint64_t factor = setting("HORUS_LONG", 0) != 0 ? 10 : 1, differ = 0;
    uint64_t count = setting("HORUS_SCENARIOS", 20000 * factor), seed = setting("HORUS_SEED", 1);
    (void)state;
    for (uint64_t number = 0; number < count; number++) {
        static struct shared t;
        struct hs_test_result r;
        shared_draw(&t, seed, number);
        bool is_same = agrees(&t, &r);
        hs_test_free(&r);
        count_seen(&t.s);
        if (is_same)
            continue;
        if (differ++ < SHOWN_MAX) {
            shrink(&t);
            print_trial(&t, number);
        }
    }
    print_message("%" PRIu64 " random scenarios (seed %" PRIu64 "), %" PRIu64 " differ\n", count,
                  seed, differ);
    print_message("  %" PRIu64 " jobs, %" PRIu64 " turned away, %" PRIu64 " out of memory, %" PRIu64
                  " placements beside one, %" PRIu64 " beside more, %" PRIu64 " of gangs, %" PRIu64
                  " gangs over nodes\n",
                  seen.jobs, seen.rejected, seen.ooms, seen.shared, seen.crowds, seen.gangs,
                  seen.spread);
    assert_true(differ == 0);
    assert_true(seen.rejected > 0 && seen.ooms > 0 && seen.crowds > 0 && seen.gangs > 0 &&
                seen.spread > 0);
}

/* Cases that only ten times as many scenarios contain: a job ran out of memory, and one of the
 * types that it may use has no stated memory, so that nothing bounds what it is believed to need
 * then. */
static void rare_scenarios(void **state)
{
    static const uint64_t numbers[] = {168064, 177574, 189735};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        static struct shared t;
        struct hs_test_result r;
        shared_draw(&t, 1, numbers[i]);
        bool is_same = agrees(&t, &r);
        hs_test_free(&r);
        if (!is_same)
            print_trial(&t, numbers[i]);
        assert_true(is_same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rare_scenarios),
                                       cmocka_unit_test(random_scenarios)};
    return cmocka_run_group_tests(tests, shared_open, shared_close);
}
