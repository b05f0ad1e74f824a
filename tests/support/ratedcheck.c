/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares a run of a scenario with the reference.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/rated.h"

static bool within(const char *what, int job, int64_t engine, int64_t reference, long double error,
                   bool is_told)
{
    bool is_near = fabsl((long double)(engine - reference)) <= error;
    if (!is_near && is_told)
        print_error("  job %d: %s %" PRId64 ", reference %" PRId64 " +- %.3Lf\n", job, what, engine,
                    reference, error);
    return is_near;
}

static bool is_same_job(const struct rates_scenario *s, int j, const struct hs_test_result *r,
                        bool is_told)
{
    const struct hs_test_outcome *e = &r->jobs[j];
    const struct rates_outcome *o = &s->outcome[j];
    enum hs_job_state state = o->is_failed ? HS_JOB_FAILED : HS_JOB_DONE;
    long double lost_error = o->is_failed ? o->done_error_ns : 0;
    lost_error += lost_error > 0; /* of two whole numbers of nanoseconds */
    return within("state", j, e->state, state, 0, is_told) &&
           within("start", j, e->start_us, o->start_us, 0, is_told) &&
           within("end", j, e->end_us, o->end_us, o->end_error_us, is_told) &&
           within("run", j, e->run_us, o->run_us, o->run_error_us, is_told) &&
           within("overhead", j, e->overhead_us, o->overhead_us, 0, is_told) &&
           within("lost", j, e->lost_ns, o->lost_ns, lost_error, is_told) &&
           within("done", j, e->done_ns, o->done_ns, 0, is_told) &&
           within("preemptions", j, e->preemptions, o->preemptions, 0, is_told) &&
           within("migrations", j, e->migrations, o->migrations, 0, is_told) &&
           within("ooms", j, e->ooms, o->ooms, 0, is_told);
}

/* The reference's segment for r->segments[at]: the one after as many segments of the same job. */
static const struct rates_segment *segment_like(const struct rates_scenario *s,
                                                const struct hs_test_result *r, uint32_t at)
{
    int before = 0;
    for (uint32_t i = 0; i < at; i++)
        before += r->segments[i].job == r->segments[at].job;
    for (int i = 0; i < s->segment_count; i++)
        if (s->segments[i].job == (int)r->segments[at].job && before-- == 0)
            return &s->segments[i];
    return NULL;
}

static bool is_same_segment(const struct rates_scenario *s, bool is_exact,
                            const struct hs_test_result *r, uint32_t at, bool is_told)
{
    const struct hs_test_segment *e = &r->segments[at];
    static const enum rates_end ends[] = {
        [HS_SEGMENT_FINISH] = RATES_FINISHED,  [HS_SEGMENT_PREEMPT] = RATES_PREEMPTED,
        [HS_SEGMENT_MIGRATE] = RATES_MIGRATED, [HS_SEGMENT_KILL] = RATES_KILLED,
        [HS_SEGMENT_OOM] = RATES_OOM,
    };
    const struct rates_segment *o = segment_like(s, r, at);
    int j = (int)e->job;
    if (o == NULL || e->ended_by == HS_SEGMENT_HORIZON)
        return within("segment at", j, e->start_us, -1, 0, is_told);
    long double done_error = is_exact ? 0 : o->done_error_ns + 1;
    bool same = within("segment's start", j, e->start_us, o->start_us, 0, is_told) &&
                within("segment's end", j, e->end_us, o->end_us, o->end_error_us, is_told) &&
                within("segment's work", j, e->done_ns, o->done_ns, done_error, is_told) &&
                within("segment's GPUs", j, e->gpu_count, o->gpu_count, 0, is_told) &&
                within("segment ended by", j, (int)ends[e->ended_by], (int)o->ended_by, 0, is_told);
    if (is_exact) /* otherwise a co-runner may seem to be there for one more moment */
        same = same && within("tenants", j, e->max_tenants, o->max_tenants, 0, is_told);
    for (int i = 0; same && i < o->gpu_count; i++)
        same = same && within("GPU", j, e->gpus[i], o->gpus[i], 0, is_told);
    return same;
}

bool rated_agrees(const struct rated *w, const struct rates_scenario *s,
                  const struct hs_test_result *r, bool is_told)
{
    bool same = within("segments", -1, r->segment_count, s->segment_count, 0, is_told);
    for (int j = 0; j < s->job_count; j++)
        same &= is_same_job(s, j, r, is_told);
    for (uint32_t i = 0; i < r->segment_count; i++)
        same &= is_same_segment(s, w->kind != RATED_ANY, r, i, is_told);
    return same;
}

void rated_print(const struct rated *w, const struct rates_scenario *s, uint64_t number)
{
    static const char *const kinds[] = {"start", "preempt", "migrate", "pause", "resume",
                                        "slice", "cap",     "limit",   "kill"};
    print_error("scenario %" PRIu64 " (kind %d) on %s: reserve %" PRId64 ", kill after %" PRId64
                ", start-up %" PRId64 "\n",
                number, (int)w->kind, w->shape, s->reserve_mib, s->oom_delay_us, s->startup_us);
    for (int j = 0; j < s->job_count; j++) {
        const struct rates_job *r = &s->jobs[j];
        print_error("  job %d: %d GPUs, %" PRId64 " us, profile %d, util %d, %" PRId64 " MiB\n", j,
                    r->gpus, r->duration_us, r->profile, r->util_pm, r->mem_mib);
    }
    for (int i = 0; i < s->plan_count; i++) {
        print_error("  %" PRId64 ":", s->plans[i].time_us);
        for (int k = 0; k < s->plans[i].count; k++) {
            const struct rates_action *a = &s->plans[i].actions[k];
            print_error(" %s %d", kinds[a->kind], a->job);
            for (int n = 0; n < a->gpu_count; n++)
                print_error("%c%d", n == 0 ? '@' : '+', a->gpus[n]);
            print_error("(%" PRId64 " %.3Lf %d %" PRId64 ")", a->cost_us, a->value, a->slice_group,
                        a->mib);
        }
        print_error("\n");
    }
}
