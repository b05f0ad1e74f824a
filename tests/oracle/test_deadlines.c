/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Deadlines on one GPU, where theory is exact: earliest deadline first meets every deadline of a
 * set that any schedule meets (Liu and Layland 1973), and no policy misses fewer deadlines than the
 * best subset allows, found by trying all. A set is feasible by construction: its jobs are parts of
 * a drawn timeline. HORUS_LONG makes the loops ten times as long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/run.h"

#define SEED     20261127u
#define JOBS_MAX 8u
#define SLOTS    40u

static uint32_t loops(uint32_t count)
{
    const char *is_long = getenv("HORUS_LONG"); /* make check sets it to nothing */
    return is_long != NULL && *is_long != '\0' ? 10 * count : count;
}

static void run(const struct hs_test_job *jobs, uint32_t count, const char *policy,
                struct hs_test_result *r)
{
    if (hs_test_run(jobs, count, "1x1", policy, r) != HS_OK)
        fail_msg("%s: %s", policy, r->message);
}

/* In order of submission, as the engine takes them. */
static void sort_jobs(struct hs_test_job *jobs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t at = i; at > 0 && jobs[at - 1].submit_s > jobs[at].submit_s; at--) {
            const struct hs_test_job job = jobs[at];
            jobs[at] = jobs[at - 1];
            jobs[at - 1] = job;
        }
}

static uint32_t misses(const struct hs_test_job *jobs, uint32_t count,
                       const struct hs_test_result *r)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < count; i++)
        missed += jobs[i].deadline_s > 0 && (r->jobs[i].state != HS_JOB_DONE ||
                                             r->jobs[i].end_us > jobs[i].deadline_s * HS_TEST_S);
    return missed;
}

/* ---- by hand ---- */

/* A 10 s, due at 14; B 2 s, due at 12; C 3 s, at 4, due at 9. edf: B [0,2], A [2,4], C [4,7],
 * A [7,15]: A misses. llf: laxities at 0 are A 4, B 10: A [0,4]; at 4 they are A 4, B 6, C 2:
 * C [4,7]; at 7 A 1, B 3: A [7,13], B [13,15]: B misses. */
static void orders(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 10, .deadline_s = 14},
        {.gpus = 1, .duration_s = 2, .deadline_s = 12},
        {.gpus = 1, .submit_s = 4, .duration_s = 3, .deadline_s = 9}};
    struct hs_test_result r;
    run(jobs, 3, "edf", &r);
    assert_int_equal(r.jobs[0].end_us, 15 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 2 * HS_TEST_S);
    assert_int_equal(r.jobs[2].end_us, 7 * HS_TEST_S);
    hs_test_free(&r);
    run(jobs, 3, "llf", &r);
    assert_int_equal(r.jobs[0].end_us, 13 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 15 * HS_TEST_S);
    assert_int_equal(r.jobs[2].end_us, 7 * HS_TEST_S);
    hs_test_free(&r);
}

/* The same without preemption. edf: B [0,2], A [2,12], C [12,15]. llf: A [0,10]; then B could have
 * started by 10 and C by 6: C [10,13], B [13,15]. */
static void without_preemption(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 10, .deadline_s = 14},
        {.gpus = 1, .duration_s = 2, .deadline_s = 12},
        {.gpus = 1, .submit_s = 4, .duration_s = 3, .deadline_s = 9}};
    struct hs_test_result r;
    run(jobs, 3, "edf:preempt=no", &r);
    assert_int_equal(r.jobs[1].end_us, 2 * HS_TEST_S);
    assert_int_equal(r.jobs[0].end_us, 12 * HS_TEST_S);
    assert_int_equal(r.jobs[2].end_us, 15 * HS_TEST_S);
    assert_int_equal(r.jobs[0].preemptions, 0);
    hs_test_free(&r);
    run(jobs, 3, "llf:preempt=no", &r);
    assert_int_equal(r.jobs[0].end_us, 10 * HS_TEST_S);
    assert_int_equal(r.jobs[2].end_us, 13 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 15 * HS_TEST_S);
    hs_test_free(&r);
}

/* The same with admission, and a job without a deadline at 1: 12 s are due by 14, which fits; C
 * would make it 15 by 14. If rejected, C never runs; if demoted, it counts as one without a
 * deadline and runs after that one, which was submitted before it. */
static void admission(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 10, .deadline_s = 14},
        {.gpus = 1, .duration_s = 2, .deadline_s = 12},
        {.gpus = 1, .submit_s = 1, .duration_s = 1},
        {.gpus = 1, .submit_s = 4, .duration_s = 3, .deadline_s = 9}};
    struct hs_test_result r;
    run(jobs, 4, "edf:admission=reject", &r);
    assert_int_equal(r.jobs[0].end_us, 12 * HS_TEST_S);
    assert_int_equal(r.jobs[3].state, HS_JOB_REJECTED);
    assert_string_equal(r.jobs[3].reason, "its deadline cannot be met");
    assert_int_equal(r.jobs[2].end_us, 13 * HS_TEST_S);
    hs_test_free(&r);
    run(jobs, 4, "edf:admission=demote", &r);
    assert_int_equal(r.jobs[0].end_us, 12 * HS_TEST_S);
    assert_int_equal(r.jobs[2].end_us, 13 * HS_TEST_S);
    assert_int_equal(r.jobs[3].end_us, 16 * HS_TEST_S);
    hs_test_free(&r);
}

/* ---- feasible sets ---- */

/* Each second of a timeline belongs to a job or to none: a job has its seconds, is submitted at the
 * first of them or before, and is due after the last. */
static uint32_t draw_feasible(struct hs_test_job *jobs, struct hs_rng *rng)
{
    const uint32_t count = 2 + (uint32_t)hs_rng_below(rng, JOBS_MAX - 1);
    int64_t first[JOBS_MAX], last[JOBS_MAX] = {0};
    memset(jobs, 0, JOBS_MAX * sizeof *jobs);
    for (int64_t slot = 0; slot < SLOTS; slot++) {
        const uint32_t job = (uint32_t)hs_rng_below(rng, count + 1);
        if (job == count)
            continue;
        first[job] = jobs[job].duration_s++ == 0 ? slot : first[job];
        last[job] = slot + 1;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].duration_s == 0)
            continue;
        jobs[kept++] =
            (struct hs_test_job){.gpus = 1,
                                 .submit_s = (int64_t)hs_rng_below(rng, (uint64_t)first[i] + 1),
                                 .duration_s = jobs[i].duration_s,
                                 .deadline_s = last[i] + (int64_t)hs_rng_below(rng, 3)};
    }
    /* the clock of a run begins with its first job: one without GPUs and deadline */
    for (uint32_t i = kept++; i > 0; i--)
        jobs[i] = jobs[i - 1];
    jobs[0] = (struct hs_test_job){.gpus = 0, .duration_s = 1};
    sort_jobs(jobs, kept);
    return kept;
}

static void feasible_sets_have_no_misses(void **state)
{
    (void)state;
    struct hs_rng rng;
    hs_rng_open(&rng, SEED, "feasible");
    for (uint32_t n = 0; n < loops(10000); n++) {
        struct hs_test_job jobs[JOBS_MAX + 1];
        static const char *const policies[] = {"edf", "edf:admission=reject",
                                               "edf:admission=demote"};
        const uint32_t count = draw_feasible(jobs, &rng);
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            struct hs_test_result r;
            run(jobs, count, policies[p], &r);
            if (misses(jobs, count, &r) > 0)
                fail_msg("%s misses a deadline of feasible set %u", policies[p], n);
            hs_test_free(&r);
        }
    }
    hs_rng_close(&rng);
}

/* ---- tiny instances ---- */

/* Whether earliest deadline first, second by second, meets all deadlines of the set. */
static bool is_feasible(const struct hs_test_job *jobs, uint32_t count, uint32_t set)
{
    int64_t left[JOBS_MAX + 1];
    for (uint32_t i = 0; i < count; i++)
        left[i] = (set >> i & 1) != 0 ? jobs[i].duration_s : 0;
    for (int64_t now = 0; now < 4 * SLOTS; now++) {
        uint32_t best = count;
        for (uint32_t i = 0; i < count; i++)
            if (left[i] > 0 && jobs[i].submit_s <= now &&
                (best == count || jobs[i].deadline_s < jobs[best].deadline_s))
                best = i;
        if (best < count && (--left[best] == 0) && now + 1 > jobs[best].deadline_s)
            return false;
    }
    return true;
}

static void none_beats_the_best_subset(void **state)
{
    (void)state;
    static const char *const policies[] = {
        "edf", "llf", "edf:admission=reject", "edf:admission=demote", "srtf", "sjf", "fifo"};
    uint32_t optimal[sizeof policies / sizeof *policies] = {0};
    struct hs_rng rng;
    hs_rng_open(&rng, SEED, "tiny");
    for (uint32_t n = 0; n < loops(10000); n++) {
        struct hs_test_job jobs[6];
        const uint32_t count = 2 + (uint32_t)hs_rng_below(&rng, 4);
        for (uint32_t i = 0; i < count; i++) {
            const int64_t submit_s = i == 0 ? 0 : (int64_t)hs_rng_below(&rng, 8);
            const int64_t duration_s = 1 + (int64_t)hs_rng_below(&rng, 6);
            jobs[i] = (struct hs_test_job){.gpus = 1,
                                           .submit_s = submit_s,
                                           .duration_s = duration_s,
                                           .deadline_s = submit_s + duration_s +
                                                         (int64_t)hs_rng_below(&rng, 6)};
        }
        sort_jobs(jobs, count);
        uint32_t most = 0;
        for (uint32_t set = 0; set < 1u << count; set++) {
            const uint32_t size = (uint32_t)__builtin_popcount(set);
            if (size > most && is_feasible(jobs, count, set))
                most = size;
        }
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            struct hs_test_result r;
            run(jobs, count, policies[p], &r);
            const uint32_t missed = misses(jobs, count, &r);
            if (missed < count - most)
                fail_msg("%s misses %u of %u, the optimum %u", policies[p], missed, count,
                         count - most);
            optimal[p] += missed == count - most;
            hs_test_free(&r);
        }
    }
    hs_rng_close(&rng);
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        print_message("%s reaches the optimum in %.1f %%\n", policies[p],
                      100.0 * optimal[p] / loops(10000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders), cmocka_unit_test(without_preemption), cmocka_unit_test(admission),
        cmocka_unit_test(feasible_sets_have_no_misses),
        cmocka_unit_test(none_beats_the_best_subset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
