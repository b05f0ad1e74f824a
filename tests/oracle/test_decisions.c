/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decisions that a policy records are what happens: for every policy of the table and each of
 * its choices, on random workloads with gangs, failures, short memory, virtual clusters and costs,
 * the recorded decisions give exactly the stretches in which jobs hold GPUs. A placement is the
 * start of a segment, on the same GPUs; an end that the policy made is a decision of that kind at
 * that time. A job that loses its GPUs has a reason, a pending job that starts has none; a job that
 * by its reason starts beside another is beside one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "horus/policy.h"
#include "support/run.h"
#include "support/sink.h"

#define JOBS          60
#define DECISIONS_MAX 100000

struct decision {
    uint32_t job, gpu_count;
    int64_t at_us;
    enum hs_decision_kind kind;
    uint32_t gpus[16];
    const char *reason; /* NULL: none */
};

struct record {
    struct decision *all;
    uint32_t count;
};

static struct {
    uint64_t runs, placed, taken, migrated, reasons, others;
} seen;

static enum hs_status note(void *ctx, int64_t now_us, const struct hs_decision *d)
{
    struct record *record = ctx;
    assert_true(record->count < DECISIONS_MAX);
    struct decision *to = &record->all[record->count++];
    *to = (struct decision){.job = (uint32_t)d->job->index,
                            .gpu_count = d->gpu_count,
                            .at_us = now_us,
                            .kind = d->kind,
                            .reason = d->plan_reason};
    for (uint32_t i = 0; i < d->gpu_count && i < 16; i++)
        to->gpus[i] = d->gpus[i];
    return HS_OK;
}

static bool places(enum hs_decision_kind kind)
{
    return kind == HS_DECISION_START || kind == HS_DECISION_RESUME || kind == HS_DECISION_MIGRATE;
}

/* The decision that ends a segment; HS_DECISION_ADD_OVERHEAD where none does. */
static enum hs_decision_kind ending(enum hs_segment_end end)
{
    switch (end) {
    case HS_SEGMENT_PREEMPT:
        return HS_DECISION_PREEMPT;
    case HS_SEGMENT_SUSPEND:
        return HS_DECISION_SUSPEND;
    case HS_SEGMENT_MIGRATE:
        return HS_DECISION_MIGRATE;
    case HS_SEGMENT_KILL:
        return HS_DECISION_KILL;
    default:
        return HS_DECISION_ADD_OVERHEAD;
    }
}

/* The next decision of a job from *at on that places it, or takes its GPUs. */
static const struct decision *next_of(const struct record *record, uint32_t job, uint32_t *at)
{
    while (*at < record->count) {
        const struct decision *d = &record->all[(*at)++];
        if (d->job == job &&
            (places(d->kind) || (d->kind >= HS_DECISION_PREEMPT && d->kind <= HS_DECISION_KILL)))
            return d;
    }
    return NULL;
}

static void expect(bool holds, const char *what, const char *rule, uint32_t job, int64_t at_us)
{
    if (!holds)
        fail_msg("%s: job %u at %lld us: %s", what, job, (long long)at_us, rule);
}

static void replay_job(const struct record *record, const struct hs_test_result *r, uint32_t job,
                       const char *what)
{
    uint32_t at = 0;
    bool is_placed = false; /* by the decision that ended the segment before */
    for (uint32_t i = 0; i < r->segment_count; i++) {
        const struct hs_test_segment *s = &r->segments[i];
        if (s->job != job)
            continue;
        const struct decision *d = is_placed ? &record->all[at - 1] : next_of(record, job, &at);
        expect(d != NULL && places(d->kind), what, "no decision started it", job, s->start_us);
        expect(is_placed == (d->kind == HS_DECISION_MIGRATE), what, "moved, or not?", job,
               s->start_us);
        expect(d->at_us == s->start_us, what, "decided at another time", job, s->start_us);
        expect(d->gpu_count == s->gpu_count && memcmp(d->gpus, s->gpus, sizeof d->gpus) == 0, what,
               "decided on other GPUs", job, s->start_us);
        seen.placed++;
        seen.migrated += is_placed;
        is_placed = false;
        if (ending(s->ended_by) == HS_DECISION_ADD_OVERHEAD)
            continue;
        d = next_of(record, job, &at);
        expect(d != NULL && d->kind == ending(s->ended_by), what, "no decision ended it", job,
               s->end_us);
        expect(d->at_us == s->end_us, what, "ended at another time", job, s->end_us);
        is_placed = d->kind == HS_DECISION_MIGRATE;
        seen.taken += !is_placed;
    }
    expect(!is_placed && next_of(record, job, &at) == NULL, what, "decided and not done", job, -1);
}

static bool takes(enum hs_decision_kind kind)
{
    return kind >= HS_DECISION_PREEMPT && kind <= HS_DECISION_KILL;
}

/* Whether another job holds the first of the GPUs at that time. */
static bool is_beside(const struct hs_test_result *r, const struct decision *d)
{
    bool is = false;
    for (uint32_t i = 0; i < r->segment_count && !is; i++) {
        const struct hs_test_segment *s = &r->segments[i];
        for (uint32_t k = 0; k < s->gpu_count && k < 16; k++)
            is |= s->job != d->job && s->start_us <= d->at_us && s->end_us >= d->at_us &&
                  s->gpus[k] == d->gpus[0];
    }
    return is;
}

static void check_reasons(const struct record *record, const struct hs_test_result *r,
                          const char *what)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct decision *d = &record->all[i];
        expect(d->reason != NULL || (!takes(d->kind) && d->kind != HS_DECISION_MIGRATE), what,
               "moved or taken off without a word", d->job, d->at_us);
        if (places(d->kind) && d->reason != NULL && strstr(d->reason, "beside") != NULL)
            expect(is_beside(r, d), what, "beside no job", d->job, d->at_us);
        for (uint32_t k = 0; takes(d->kind) && k < record->count; k++) {
            const struct decision *of = &record->all[k];
            expect(of->kind != HS_DECISION_START || of->reason != d->reason, what,
                   "started for what jobs are taken off for", of->job, of->at_us);
        }
        seen.reasons += d->reason != NULL;
        seen.others += d->kind > HS_DECISION_KILL;
    }
}

static int roll(struct hs_rng *rng, int low, int high)
{
    return low + (int)hs_rng_below(rng, (uint64_t)(high - low + 1));
}

static void draw_jobs(struct hs_test_job *jobs, uint64_t seed)
{
    struct hs_rng rng;
    int64_t submit_s = 0;
    hs_rng_open(&rng, seed, "decisions");
    for (uint32_t i = 0; i < JOBS; i++) {
        submit_s += roll(&rng, 0, 4);
        struct hs_test_job *job = &jobs[i];
        *job = (struct hs_test_job){.submit_s = submit_s,
                                    .duration_s = roll(&rng, 0, 60),
                                    .gpus = (uint32_t)roll(&rng, 0, 4) == 0 ? 5 : 1,
                                    .gpu_util_pm = 100 * roll(&rng, 1, 9),
                                    .gpu_mem_mib = 1000 * (uint32_t)roll(&rng, 1, 12),
                                    .step_us = 250000 * roll(&rng, 1, 4),
                                    .preempt_cost_s = roll(&rng, 0, 3),
                                    .job_class = (enum hs_job_class)roll(&rng, 0, 2),
                                    .vc = roll(&rng, 0, 1) == 0 ? "a" : "b"};
        job->gpus += (uint32_t)roll(&rng, 0, 3);
        job->gpu_mem_persistent_mib = job->gpu_mem_mib / 4;
        if (roll(&rng, 0, 5) == 0)
            job->failures = 1;
        job->failed_s[0] = roll(&rng, 0, 9);
    }
    hs_rng_close(&rng);
}

static const char vcs[] =
    "{\"racks\": [{\"nodes\": [{\"count\": 3, \"gpus\": 4, \"type\": \"V100\"}]}],"
    " \"vcs\": {\"a\": 8, \"b\": 4}}";

static void replay(const char *spec, uint64_t seed)
{
    struct hs_test_job jobs[JOBS];
    struct hs_test_result r;
    struct record record = {.all = hs_alloc_zeroed(DECISIONS_MAX, sizeof *record.all)};
    const struct hs_observer observer = {.ctx = &record, .on_decision = note};
    char what[200];
    assert_non_null(record.all);
    const struct hs_test_options options = {.excess = 0.5,
                                            .max_tenants = 4,
                                            .startup_us = (int64_t)(seed % 3) * HS_TEST_S,
                                            .vc = seed % 2 == 0 ? HS_VC_QUOTA : HS_VC_IGNORE,
                                            .until_us = seed % 4 == 3 ? 150 * HS_TEST_S : 0,
                                            .observer = &observer};
    (void)snprintf(what, sizeof what, "%s, workload %llu", spec, (unsigned long long)seed);
    draw_jobs(jobs, seed);
    if (hs_test_run_with(jobs, JOBS, scratch_write("vcs.json", vcs, strlen(vcs)), spec, &options,
                         &r) != HS_OK)
        fail_msg("%s: %s", what, r.message);
    for (uint32_t job = 0; job < JOBS; job++)
        replay_job(&record, &r, job, what);
    seen.runs++;
    check_reasons(&record, &r, what);
    hs_test_free(&r);
    hs_free(record.all);
}

static void test_all_policies(void **state)
{
    (void)state;
    const struct hs_policy_ops *policy;
    uint64_t seed = 0;
    for (int i = 0; i < 8; i++) /* with pairs */
        replay("lucid:profile=known,score=utilsum", seed++);
    for (size_t p = 0; (policy = hs_policy_at(p)) != NULL; p++) {
        char spec[128];
        for (int i = 0; i < 8; i++)
            replay(policy->name, seed++);
        for (const struct hs_param *param = policy->params; param->key != NULL; param++)
            for (int i = 0; param->type == HS_PARAM_CHOICE && param->choices[i] != NULL; i++) {
                (void)snprintf(spec, sizeof spec, "%s:%s=%s", policy->name, param->key,
                               param->choices[i]);
                if (strcmp(param->choices[i], "file") == 0) /* there is no file */
                    continue;
                for (int k = 0; k < 4; k++)
                    replay(spec, seed++);
            }
    }
    print_message("%llu runs of %u jobs: %llu placements, %llu of them moves, %llu jobs taken off; "
                  "%llu other actions, %llu with a ground of their own\n",
                  (unsigned long long)seen.runs, JOBS, (unsigned long long)seen.placed,
                  (unsigned long long)seen.migrated, (unsigned long long)seen.taken,
                  (unsigned long long)seen.others, (unsigned long long)seen.reasons);
    assert_true(seen.migrated > 0 && seen.taken > 0 && seen.others > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_policies)};
    return cmocka_run_group_tests_name("decisions", tests, scratch_open, scratch_close);
}
