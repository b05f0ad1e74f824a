/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requirements on every policy of the table, for its defaults and for every choice of every CHOICE
 * parameter: no job is lost, also of those that fail and are submitted again, every plan is legal,
 * invariants hold (run with --check=full), the same run gives the same result, names do not matter,
 * nor a shift or a scale of time (for policies without clocks of their own), the index of shared
 * GPUs gives the same as a scan of all of them, and causality: without HS_KNOWS_DURATION or
 * HS_KNOWS_ESTIMATE the decisions up to T are the same when the run times of the jobs that have not
 * finished by T are scrambled. The run times of finished jobs, HS_KNOWS_HISTORY, are the past. And
 * forks: every policy goes on with the jobs of every other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/param_table.h"
#include "horus/policy.h"
#include "support/run.h"
#include "support/sink.h"

#define JOBS   40
#define SEED   20201120u
#define ROUNDS 12

static const char *const clusters[] = {"2x4:P100", "1x8:V100,2x4:P100", "3x2"};

/* A small congested workload with ties; the sizes fit every cluster above but for one job. */
static void make_jobs(struct hs_test_job *jobs, uint64_t seed)
{
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "conformance");
    static const char *const users[] = {"ann", "bob", NULL};
    int64_t at_s = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        at_s += (int64_t)hs_rng_below(&rng, 4);
        jobs[i] = (struct hs_test_job){.user = users[i % 3],
                                       .submit_s = at_s,
                                       .gpus = 1 + (uint32_t)hs_rng_below(&rng, i % 5 == 0 ? 6 : 3),
                                       .duration_s = (int64_t)hs_rng_below(&rng, 30),
                                       .gpu_util_pm = 50 * (int32_t)hs_rng_below(&rng, 20),
                                       .gpu_mem_mib = 1000 * (uint32_t)hs_rng_below(&rng, 10),
                                       .priority = (int32_t)(i * 7 % 4),
                                       .job_class = (enum hs_job_class)(i * 5 % 3)};
    }
    jobs[7].gpus = 9; /* more than two of the clusters have */
    hs_rng_close(&rng);
}

/* Every third job fails up to four times before, some at once. */
static void make_failing_jobs(struct hs_test_job *jobs, uint64_t seed)
{
    struct hs_rng rng;
    make_jobs(jobs, seed);
    hs_rng_open(&rng, seed, "failing");
    for (uint32_t i = 0; i < JOBS; i += 3) {
        jobs[i].failures = 1 + (uint32_t)hs_rng_below(&rng, 4);
        for (uint32_t k = 0; k < jobs[i].failures; k++)
            jobs[i].failed_s[k] = (int64_t)hs_rng_below(&rng, 12);
    }
    hs_rng_close(&rng);
}

/* Time of the first attempts of a job. */
static int64_t failed_s(const struct hs_test_job *job, uint32_t attempts)
{
    int64_t sum_s = 0;
    for (uint32_t k = 0; k < attempts; k++)
        sum_s += job->failed_s[k];
    return sum_s;
}

static void assert_same(const struct hs_test_result *a, const struct hs_test_result *b,
                        int64_t shift_us, int64_t scale)
{
    assert_int_equal(a->job_count, b->job_count);
    for (uint32_t i = 0; i < a->job_count; i++) {
        const struct hs_test_outcome *x = &a->jobs[i], *y = &b->jobs[i];
        assert_int_equal(x->state, y->state);
        assert_int_equal(x->preemptions, y->preemptions);
        assert_int_equal(x->start_us < 0 ? -1 : x->start_us * scale + shift_us, y->start_us);
        assert_int_equal(x->end_us < 0 ? -1 : x->end_us * scale + shift_us, y->end_us);
    }
    assert_int_equal(a->segment_count, b->segment_count);
    for (uint32_t i = 0; i < a->segment_count; i++) {
        const struct hs_test_segment *x = &a->segments[i], *y = &b->segments[i];
        assert_int_equal(x->job, y->job);
        assert_int_equal(x->start_us * scale + shift_us, y->start_us);
        assert_int_equal(x->gpu_count, y->gpu_count);
        assert_memory_equal(x->gpus, y->gpus, sizeof x->gpus);
    }
}

static void run_with(const struct hs_test_job *jobs, const char *cluster, const char *spec,
                     const struct hs_test_options *given, struct hs_test_result *r)
{
    struct hs_test_options options = *given;
    options.max_tenants = given->max_tenants > 0 ? given->max_tenants : 4;
    options.excess = 1; /* so that sharing has a cost */
    enum hs_status status = hs_test_run_with(jobs, JOBS, cluster, spec, &options, r);
    if (status != HS_OK)
        fail_msg("%s on %s: %s", spec, cluster, r->message);
}

static void run(const struct hs_test_job *jobs, const char *cluster, const char *spec,
                int64_t until_us, struct hs_test_result *r)
{
    run_with(jobs, cluster, spec, &(struct hs_test_options){.until_us = until_us}, r);
}

/* Every submitted job ends in exactly one final state; finished ones did all their work. */
static void check_complete(const struct hs_test_job *jobs, const struct hs_test_result *r,
                           const char *spec)
{
    uint64_t done = 0, rejected = 0;
    /* the published simulator gives up a gang with fewer steps left than GPUs */
    const bool drops = strstr(spec, "compat=gavel") != NULL;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct hs_test_outcome *o = &r->jobs[i];
        done += o->state == HS_JOB_DONE;
        rejected += o->state == HS_JOB_REJECTED;
        if (o->state == HS_JOB_FAILED) /* the policy rejected it after it had run */
            rejected += drops || strcmp(o->reason, "killed by the policy") != 0;
        if (o->state == HS_JOB_DONE)
            assert_int_equal(o->done_ns,
                             (jobs[i].duration_s + failed_s(&jobs[i], jobs[i].failures)) *
                                 1000000000);
        if (o->state == HS_JOB_DONE)
            assert_int_equal(o->attempts, jobs[i].failures + 1);
        if (o->state != HS_JOB_DONE)
            assert_true(strlen(o->reason) > 0);
    }
    if (done + rejected != JOBS)
        fail_msg("%s: %u jobs, %u done, %u rejected", spec, JOBS, (unsigned)done,
                 (unsigned)rejected);
    assert_int_equal(r->figures.jobs, JOBS);
}

/* What a policy has of its own, which these tests cannot change. */
struct own {
    /* times that do not scale with the trace: timers, costs, estimates in seconds, mini-batches;
     * and shares of the time, where thirds are rounded */
    bool has_clock;
    bool has_names; /* of jobs, in a file */
};

static void check_relations(const struct hs_test_job *jobs, const char *cluster, const char *spec,
                            struct own own)
{
    struct hs_test_result plain, again;
    struct hs_test_job other[JOBS];
    run(jobs, cluster, spec, 0, &plain);
    check_complete(jobs, &plain, spec);

    run(jobs, cluster, spec, 0, &again);
    assert_same(&plain, &again, 0, 1);
    hs_test_free(&again);

    run_with(jobs, cluster, spec, &(struct hs_test_options){.scans_shared = true}, &again);
    assert_same(&plain, &again, 0, 1);
    hs_test_free(&again);

    memcpy(other, jobs, sizeof other);
    for (uint32_t i = 0; i < JOBS; i++)
        other[i].id = i % 2 ? "zebra" : "aardvark"; /* names carry no meaning */
    run(other, cluster, spec, 0, &again);
    if (!own.has_names)
        assert_same(&plain, &again, 0, 1);
    hs_test_free(&again);

    memcpy(other, jobs, sizeof other);
    for (uint32_t i = 0; i < JOBS; i++)
        other[i].submit_s += 86400; /* the epoch is the first submission */
    run(other, cluster, spec, 0, &again);
    assert_same(&plain, &again, 0, 1);
    hs_test_free(&again);

    memcpy(other, jobs, sizeof other);
    for (uint32_t i = 0; i < JOBS; i++) {
        other[i].submit_s *= 7;
        other[i].duration_s *= 7;
    }
    hs_test_free(&plain);
    if (own.has_clock)
        return;
    /* two tenants: rates of 1/2 are exact, those of 1/3 round */
    const struct hs_test_options in_pairs = {.max_tenants = 2};
    run_with(jobs, cluster, spec, &in_pairs, &plain);
    run_with(other, cluster, spec, &in_pairs, &again);
    assert_same(&plain, &again, 0, 7);
    hs_test_free(&again);
    hs_test_free(&plain);
}

/* Scrambles run times after T, and whether an attempt fails; the decisions up to T must stay the
 * same. */
static void check_causality(const struct hs_test_job *jobs, const char *cluster, const char *spec,
                            int64_t at_us, uint64_t seed)
{
    struct hs_test_result before, after;
    struct hs_test_job other[JOBS];
    run(jobs, cluster, spec, at_us, &before);
    memcpy(other, jobs, sizeof other);
    for (uint32_t i = 0; i < JOBS; i++)
        if (before.jobs[i].state != HS_JOB_DONE && before.jobs[i].state != HS_JOB_REJECTED) {
            uint32_t failed = before.jobs[i].attempts > 0 ? before.jobs[i].attempts - 1 : 0;
            other[i].failures = failed;
            /* lost work had been done before: the job may not have ended then */
            other[i].duration_s = (before.jobs[i].done_ns + before.jobs[i].lost_ns) / 1000000000 -
                                  failed_s(&jobs[i], failed) + 1;
            other[i].duration_us = (int64_t)(hs_mix64(seed, i) % 100000000);
        }
    run(other, cluster, spec, at_us, &after);
    if (before.segment_count != after.segment_count)
        fail_msg("%s on %s looks into the future of t = %g s", spec, cluster, (double)at_us / 1e6);
    for (uint32_t i = 0; i < before.segment_count; i++) {
        assert_int_equal(before.segments[i].job, after.segments[i].job);
        assert_int_equal(before.segments[i].start_us, after.segments[i].start_us);
        assert_int_equal(before.segments[i].end_us, after.segments[i].end_us);
        assert_memory_equal(before.segments[i].gpus, after.segments[i].gpus,
                            sizeof before.segments[i].gpus);
    }
    hs_test_free(&before);
    hs_test_free(&after);
}

/* Jobs that fail and are submitted again: a policy that does not know of retries treats each
 * attempt as a job. */
static void check_retries(const char *cluster, const char *spec, bool is_oracle, uint64_t seed)
{
    struct hs_test_result plain, again;
    struct hs_test_job jobs[JOBS];
    make_failing_jobs(jobs, seed);
    run(jobs, cluster, spec, 0, &plain);
    check_complete(jobs, &plain, spec);
    run_with(jobs, cluster, spec, &(struct hs_test_options){.scans_shared = true}, &again);
    assert_same(&plain, &again, 0, 1);
    hs_test_free(&again);
    hs_test_free(&plain);
    for (int64_t at_s = 20; !is_oracle && at_s <= 60; at_s += 40)
        check_causality(jobs, cluster, spec, at_s * HS_TEST_S, seed);
}

/* Nodes fail, are drained, are removed and are slow, 12 times each, and all are in service at the
 * end. */
struct outages {
    char text[4096];
    struct {
        uint32_t node;
        double from_s, to_s;
        bool stops_jobs;
    } at[64];
    uint32_t count;
};

static void make_outages(struct outages *o, const char *cluster, uint64_t seed)
{
    static const char *const begins[] = {"down", "cordon", "drain", "remove", "slow"};
    const uint32_t nodes = strcmp(cluster, clusters[0]) == 0 ? 2 : 3;
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "outages");
    size_t len = 0;
    uint32_t node = 0;
    double free_s[3] = {0};
    o->count = 0;
    for (double at_s = 1; o->count < 12 * nodes; at_s += 1 + (double)hs_rng_below(&rng, 9)) {
        node = (uint32_t)hs_rng_below(&rng, nodes);
        at_s = at_s > free_s[node] ? at_s : free_s[node];
        const char *begin = begins[hs_rng_below(&rng, 5)];
        const double to_s = at_s + 1 + (double)hs_rng_below(&rng, 8);
        const bool is_removal = strcmp(begin, "remove") == 0, is_slow = strcmp(begin, "slow") == 0;
        o->at[o->count].node = node;
        o->at[o->count].from_s = is_slow ? to_s : at_s;
        o->at[o->count].to_s = to_s;
        o->at[o->count].stops_jobs = is_removal || strcmp(begin, "down") == 0;
        o->count++;
        len += (size_t)snprintf(o->text + len, sizeof o->text - len, "%s%g n%u %s%s, %g n%u %s",
                                len > 0 ? ", " : "", at_s, node, begin, is_slow ? " 0.5" : "", to_s,
                                node, is_removal ? "add" : "up");
        at_s = to_s; /* so that the text is in the order of time */
        free_s[node] = to_s;
    }
    hs_rng_close(&rng);
}

static uint32_t node_of_gpu(const char *cluster, uint32_t gpu)
{
    if (strcmp(cluster, clusters[0]) == 0)
        return gpu / 4;
    if (strcmp(cluster, clusters[2]) == 0)
        return gpu / 2;
    return gpu < 8 ? 0 : 1 + (gpu - 8) / 4;
}

/* No job is placed on a node out of service, or stays on one that failed. */
static void check_outages(const char *cluster, const char *spec, uint64_t seed)
{
    static struct outages o;
    struct hs_test_job jobs[JOBS];
    struct hs_test_result plain, again;
    make_jobs(jobs, seed);
    make_outages(&o, cluster, seed);
    struct hs_test_options options = {.machines = o.text, .checkpoint_s = seed % 2 == 0 ? 5 : 0};
    run_with(jobs, cluster, spec, &options, &plain);
    check_complete(jobs, &plain, spec);
    for (uint32_t i = 0; i < plain.segment_count; i++)
        for (uint32_t k = 0; k < o.count * plain.segments[i].gpu_count; k++) {
            const struct hs_test_segment *s = &plain.segments[i];
            const uint32_t at = k % o.count;
            const double start_s = (double)s->start_us / 1e6, end_s = (double)s->end_us / 1e6;
            if (node_of_gpu(cluster, s->gpus[k / o.count]) != o.at[at].node)
                continue;
            const bool begins_in = start_s >= o.at[at].from_s && start_s < o.at[at].to_s;
            if (begins_in ||
                (o.at[at].stops_jobs && start_s < o.at[at].from_s && end_s > o.at[at].from_s))
                fail_msg("%s on %s: job %u is on n%u at %g s, which is out of service", spec,
                         cluster, s->job, o.at[at].node, o.at[at].from_s);
        }
    options.scans_shared = true;
    run_with(jobs, cluster, spec, &options, &again);
    assert_same(&plain, &again, 0, 1);
    hs_test_free(&again);
    hs_test_free(&plain);
}

/* Windows one after the other, each of a node or two, for ann or bob. */
struct windows {
    char text[1024];
    struct {
        uint32_t first, last; /* nodes */
        int64_t from_s, to_s;
        const char *user;
    } at[10];
};

static void make_windows(struct windows *w, const char *cluster, uint64_t seed)
{
    const uint32_t nodes = strcmp(cluster, clusters[0]) == 0 ? 2 : 3;
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "windows");
    size_t len = (size_t)snprintf(w->text, sizeof w->text, "start,end,nodes,user\n");
    int64_t at_s = 0;
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t node = (uint32_t)hs_rng_below(&rng, nodes);
        const bool has_two = node + 1 < nodes && hs_rng_below(&rng, 3) == 0;
        w->at[i].first = node;
        w->at[i].last = node + has_two;
        w->at[i].from_s = at_s + (int64_t)hs_rng_below(&rng, 12);
        w->at[i].to_s = at_s = w->at[i].from_s + 1 + (int64_t)hs_rng_below(&rng, 30);
        w->at[i].user = hs_rng_below(&rng, 2) == 0 ? "ann" : "bob";
        len += (size_t)snprintf(w->text + len, sizeof w->text - len,
                                has_two ? "%" PRId64 ",%" PRId64 ",n%u n%u,%s\n"
                                        : "%" PRId64 ",%" PRId64 ",n%u%.0u,%s\n",
                                w->at[i].from_s, w->at[i].to_s, node, has_two ? node + 1 : 0,
                                w->at[i].user);
    }
    hs_rng_close(&rng);
}

/* No job of another user starts on a reserved node; where the engine serves owners and the policy
 * can preempt, none is on it from the beginning of the window on. */
static void check_reservations(const char *cluster, const char *spec, uint32_t can, uint64_t seed)
{
    static struct windows w;
    static struct outages o;
    struct hs_test_job jobs[JOBS];
    struct hs_test_result r;
    char path[256];
    const bool stops = (can & HS_CAN_RESERVE) == 0 && (can & HS_CAN_PREEMPT) != 0;
    if ((can & HS_BARS_RESERVATIONS) != 0)
        return;
    (seed % 4 == 1 ? make_failing_jobs : make_jobs)(jobs, seed);
    make_windows(&w, cluster, seed);
    make_outages(&o, cluster, seed);
    scratch_keep(path, sizeof path, "reservations.csv", w.text);
    const struct hs_test_options options = {
        .reservations = path, .machines = seed % 2 == 0 ? o.text : NULL, .checkpoint_s = 5};
    run_with(jobs, cluster, spec, &options, &r);
    check_complete(jobs, &r, spec);
    for (uint32_t i = 0; i < r.segment_count; i++)
        for (uint32_t k = 0; k < 10 * r.segments[i].gpu_count; k++) {
            const struct hs_test_segment *s = &r.segments[i];
            const uint32_t at = k % 10, node = node_of_gpu(cluster, s->gpus[k / 10]);
            const int64_t from_us = w.at[at].from_s * HS_TEST_S, to_us = w.at[at].to_s * HS_TEST_S;
            const char *user = jobs[s->job].user;
            const bool is_for = user != NULL && strcmp(user, w.at[at].user) == 0;
            if (node < w.at[at].first || node > w.at[at].last)
                continue;
            if ((!is_for && s->start_us >= from_us && s->start_us < to_us) ||
                (stops && s->start_us < from_us && s->end_us > from_us))
                fail_msg("%s on %s: job %u is on n%u at %" PRId64 " s, which is reserved", spec,
                         cluster, s->job, node, w.at[at].from_s);
        }
    hs_test_free(&r);
}

static void needs_of(const struct hs_policy_ops *policy, const char *spec, uint32_t *can,
                     uint32_t *knows)
{
    *can = policy->can;
    *knows = policy->knows;
    struct hs_arena arena = {0};
    struct hs_diag diag;
    hs_diag_init(&diag, NULL, NULL);
    void *state = calloc(1, policy->state_size + 1);
    const char *list = strchr(spec, ':');
    if (policy->params != NULL)
        assert_int_equal(hs_param_defaults(policy->params, state, &arena), HS_OK);
    if (list != NULL)
        assert_int_equal(
            hs_param_set_list(policy->params, state, &arena, policy->name, list + 1, &diag), HS_OK);
    if (policy->needs != NULL)
        policy->needs(state, can, knows);
    free(state);
    hs_arena_free(&arena);
}

/* Quotas that are lent within cohorts: no job is lost, every plan is legal, the same run gives the
 * same result; two policies refuse them. */
static void check_cohorts(const char *cluster, const char *spec, uint64_t seed)
{
    static const char json[] =
        "{\"vcs\": {\"a\": {\"gpus\": 2, \"cohort\": \"x\"},"
        " \"b\": {\"gpus\": 3, \"cohort\": \"x\", \"borrowing_limit\": 3, \"lending_limit\": 2},"
        " \"c\": {\"gpus\": 2, \"cohort\": \"y\"}},"
        " \"cohorts\": {\"x\": {\"cohort\": \"y\"}, \"y\": 1}}";
    static const char *const vcs[] = {"a", "b", "c"};
    struct hs_test_result plain, again;
    struct hs_test_job jobs[JOBS];
    char path[256];
    scratch_keep(path, sizeof path, "vcs.json", json);
    const struct hs_test_options options = {.vc = HS_VC_QUOTA, .vc_file = path};
    make_jobs(jobs, seed);
    for (uint32_t i = 0; i < JOBS; i++)
        jobs[i].vc = vcs[i % 3];
    if (strncmp(spec, "synergy", 7) == 0 || strncmp(spec, "chronus", 7) == 0) {
        assert_int_equal(hs_test_run_with(jobs, JOBS, cluster, spec, &options, &plain), HS_E_USAGE);
        hs_test_free(&plain);
        return;
    }
    run_with(jobs, cluster, spec, &options, &plain);
    check_complete(jobs, &plain, spec);
    run_with(jobs, cluster, spec, &options, &again);
    assert_same(&plain, &again, 0, 1);
    hs_test_free(&plain);
    hs_test_free(&again);
}

/* Checks reclaim, with what else these parameters make the policy able to do. */
static void check_reclaim(const struct hs_policy_ops *policy, const char *cluster, const char *spec,
                          uint64_t seed)
{
    static const char *const scans[] = {"scan=easy", "scan=conservative", "form=replace",
                                        "compat=", "preempt=no"};
    char reclaiming[512];
    bool can = hs_param_find(policy->params, "reclaim") != NULL;
    for (size_t i = 0; can && i < sizeof scans / sizeof *scans; i++)
        can = strstr(spec, scans[i]) == NULL || strstr(spec, "compat=off") != NULL;
    for (int i = 0; can && i < 3; i++) {
        (void)snprintf(reclaiming, sizeof reclaiming, "%s%creclaim=yes,grace=%ds%s", spec,
                       strchr(spec, ':') != NULL ? ',' : ':', 7 * i,
                       strstr(spec, "class=") != NULL || strstr(spec, "priority=") != NULL
                           ? ""
                           : ",class=evict");
        check_cohorts(cluster, reclaiming, seed);
    }
}

static void check_spec(const struct hs_policy_ops *policy, const char *spec)
{
    uint32_t can, knows;
    needs_of(policy, spec, &can, &knows);
    /* the length of an epoch, which is a part of the run time, is known beforehand */
    bool is_oracle = (knows & (HS_KNOWS_DURATION | HS_KNOWS_ESTIMATE | HS_KNOWS_LOSS)) != 0;
    struct own own = {.has_names = strstr(spec, "_file=") != NULL};
    own.has_clock = strcmp(policy->name, "fairshare") == 0 ||
                    (can & (HS_CAN_TIME | HS_CAN_SLICE)) != 0 || strstr(spec, "compat=") != NULL ||
                    (strstr(spec, "cost=") != NULL && strstr(spec, "cost=free") == NULL) ||
                    (knows & (HS_KNOWS_ESTIMATE | HS_KNOWS_HISTORY)) != 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct hs_test_job jobs[JOBS];
        const char *cluster = clusters[round % 3];
        make_jobs(jobs, SEED + round);
        check_relations(jobs, cluster, spec, own);
        if (round % 4 == 0) /* each cluster once */
            check_retries(cluster, spec, is_oracle, SEED + round);
        check_outages(cluster, spec, SEED + round);
        check_reservations(cluster, spec, can, SEED + round);
        if (round < 3) { /* each cluster once */
            check_cohorts(cluster, spec, SEED + round);
            check_reclaim(policy, cluster, spec, SEED + round);
        }
        for (int64_t at_s = 15; !is_oracle && at_s <= 75; at_s += 30)
            check_causality(jobs, cluster, spec, at_s * HS_TEST_S, SEED + round);
    }
}

/* ---- forks ---- */

/* Returns how many jobs that held GPUs get the same ones at once; all jobs that hold GPUs leave
 * them at the fork. */
static uint32_t count_kept(const struct hs_test_result *r, int64_t at_us, uint32_t *running)
{
    uint32_t kept = 0;
    *running = 0;
    for (uint32_t i = 0; i < r->segment_count; i++) {
        const struct hs_test_segment *s = &r->segments[i];
        if (s->ended_by != HS_SEGMENT_FORK) {
            assert_false(s->start_us < at_us && s->end_us > at_us);
            continue;
        }
        assert_int_equal(s->end_us, at_us);
        ++*running;
        uint32_t k = i + 1;
        while (k < r->segment_count && r->segments[k].job != s->job)
            k++;
        if (k < r->segment_count && r->segments[k].start_us == at_us &&
            r->segments[k].gpu_count == s->gpu_count)
            kept += memcmp(r->segments[k].gpus, s->gpus, sizeof s->gpus) == 0;
    }
    return kept;
}

/* Until the fork the run is that of the first policy; after it every job ends under the other. */
static void check_fork(const char *spec, const char *other, bool may_reserve, uint64_t round)
{
    static struct outages o;
    static struct windows w;
    char path[256];
    struct hs_test_job jobs[JOBS];
    struct hs_test_result whole, forked, again;
    const char *cluster = clusters[round % 3];
    struct hs_test_options options = {.restart_s = round % 2 == 0 ? 3 : 0,
                                      .startup_us = round % 5 == 0 ? HS_TEST_S : 0};
    if (round % 4 == 1)
        make_failing_jobs(jobs, SEED + round);
    else
        make_jobs(jobs, SEED + round);
    if (round % 4 == 2) {
        make_outages(&o, cluster, SEED + round);
        options.machines = o.text;
    }
    if (may_reserve) {
        make_windows(&w, cluster, SEED + round);
        scratch_keep(path, sizeof path, "reservations.csv", w.text);
        options.reservations = path;
    }
    run_with(jobs, cluster, spec, &options, &whole);
    options.fork_us = (20 + (int64_t)(hs_mix64(SEED, round) % 60)) * HS_TEST_S;
    options.fork_to = other;
    run_with(jobs, cluster, spec, &options, &forked);
    run_with(jobs, cluster, spec, &options, &again);
    assert_same(&forked, &again, 0, 1);
    check_complete(jobs, &forked, spec);
    uint32_t running, ended = 0;
    assert_int_equal(count_kept(&forked, options.fork_us, &running), forked.figures.fork_kept);
    assert_int_equal(running, forked.figures.fork_running);
    for (; ended < whole.segment_count && whole.segments[ended].end_us <= options.fork_us; ended++)
        assert_memory_equal(&whole.segments[ended], &forked.segments[ended],
                            sizeof *whole.segments);
    assert_true(running == 0 || forked.segments[ended].ended_by == HS_SEGMENT_FORK);
    hs_test_free(&whole);
    hs_test_free(&forked);
    hs_test_free(&again);
}

static bool may_reserve(const struct hs_policy_ops *policy)
{
    uint32_t can, knows;
    needs_of(policy, policy->name, &can, &knows);
    return (can & HS_BARS_RESERVATIONS) == 0;
}

static void every_policy_forks(void **state)
{
    const char *is_long = getenv("HORUS_LONG");
    const size_t step = is_long != NULL && *is_long != '\0' ? 1 : 9; /* of the others */
    const struct hs_policy_ops *policy, *other;
    (void)state;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        for (size_t k = i % step; (other = hs_policy_at(k)) != NULL; k += step)
            for (uint64_t round = 0; round < (step == 1 ? ROUNDS : 1); round++)
                check_fork(policy->name, other->name, may_reserve(policy) && may_reserve(other),
                           round + i + k);
}

/* Estimates that are unrelated to the jobs, and one that is missing. */
static void make_estimates(char *path, size_t size)
{
    char text[JOBS * 16];
    size_t len = (size_t)snprintf(text, sizeof text, "job_id,estimate\n");
    for (uint32_t i = 1; i < JOBS; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%u,%u\n", i, i * 37 % 30);
    scratch_keep(path, size, "estimates.csv", text);
}

/* Writes "sjf:pred=noisy"; where the choice is a file, a second parameter names it. */
static void make_spec(const struct hs_policy_ops *policy, const char *key, const char *choice,
                      const char *estimates, char *spec, size_t size)
{
    char file_key[64];
    int len = snprintf(spec, size, "%s:%s=%s", policy->name, key, choice);
    snprintf(file_key, sizeof file_key, "%s_file", key);
    if (strcmp(choice, "file") == 0 && hs_param_find(policy->params, file_key) != NULL)
        snprintf(spec + len, size - (size_t)len, ",%s=%s", file_key, estimates);
}

static void every_policy_conforms(void **state)
{
    char estimates[256];
    (void)state;
    make_estimates(estimates, sizeof estimates);
    const struct hs_policy_ops *policy;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        check_spec(policy, policy->name);
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++)
            for (size_t c = 0; p->type == HS_PARAM_CHOICE && p->choices[c] != NULL; c++) {
                char spec[512];
                make_spec(policy, p->key, p->choices[c], estimates, spec, sizeof spec);
                check_spec(policy, spec);
            }
    }
}

/* The record itself: it is named, described, cited, findable, unique, and states its assumptions.
 */
static void every_record_is_complete(void **state)
{
    (void)state;
    const struct hs_policy_ops *policy;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        assert_ptr_equal(hs_policy_find(policy->name), policy);
        assert_non_null(policy->summary);
        assert_non_null(policy->cite);
        assert_non_null(policy->decide);
        assert_non_null(policy->semantics);
        struct hs_semantics card = {0};
        struct hs_arena arena = {0};
        void *bytes = calloc(1, policy->state_size + 1);
        if (policy->params != NULL)
            assert_int_equal(hs_param_defaults(policy->params, bytes, &arena), HS_OK);
        policy->semantics(bytes, &card);
        assert_true(card.order && card.scan && card.placement && card.preemption && card.cost);
        free(bytes);
        hs_arena_free(&arena);
    }
    assert_null(hs_policy_find("no such policy"));
}

/* Whether a parameter of the policy may have one of the values: "key=a|b". */
static bool has_values(const struct hs_policy_ops *policy, char *with)
{
    static const char *const flags[] = {"yes", "no", NULL};
    char *words = strchr(with, '=');
    if (words == NULL)
        return false;
    *words++ = '\0';
    const struct hs_param *other = hs_param_find(policy->params, with);
    const char *const *choices = other == NULL                  ? NULL
                                 : other->type == HS_PARAM_FLAG ? flags
                                                                : other->choices;
    char *rest = NULL;
    for (const char *word = strtok_r(words, "|", &rest); choices != NULL && word != NULL;
         word = strtok_r(NULL, "|", &rest)) {
        size_t c = 0;
        while (choices[c] != NULL && strcmp(choices[c], word) != 0)
            c++;
        if (choices[c] == NULL)
            return false;
    }
    return choices != NULL;
}

/* A parameter that has an effect only with others names ones that exist, with values that exist. */
static void idle_parameters_name_others(void **state)
{
    (void)state;
    const struct hs_policy_ops *policy;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
            char with[128];
            snprintf(with, sizeof with, "%s", p->only_with != NULL ? p->only_with : "");
            for (char *at = with, *next; p->only_with != NULL && at != NULL; at = next) {
                next = strstr(at, " or ");
                if (next != NULL) {
                    *next = '\0';
                    next += 4;
                }
                if (!has_values(policy, at))
                    fail_msg("%s:%s goes with %s", policy->name, p->key, p->only_with);
            }
        }
}

/* Times are counted in microseconds and passed in nanoseconds: a duration without a bound would
 * exceed the range of both. */
static void durations_are_bounded(void **state)
{
    (void)state;
    const struct hs_policy_ops *policy;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++)
            if ((p->type == HS_PARAM_DURATION || p->type == HS_PARAM_DURATIONS) &&
                (p->max <= 0 || p->max > 1e9))
                fail_msg("%s:%s may be any duration", policy->name, p->key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_is_complete), cmocka_unit_test(durations_are_bounded),
        cmocka_unit_test(idle_parameters_name_others), cmocka_unit_test(every_policy_conforms),
        cmocka_unit_test(every_policy_forks)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
