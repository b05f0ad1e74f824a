/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting jobs by the size of their gang against a plain search of an array, over random additions,
 * removals, new keys, and walks whose bounds fall.
 */
#include "support/ordered.h"

#include "policies/kit_gangs.h"

static bool is_passed[JOBS];

static hs_job_id first_within(uint64_t gpus)
{
    hs_job_id best = HS_NO_JOB;
    for (hs_job_id j = 0; j < JOBS; j++)
        if (jobs[j].is_in && !is_passed[j] && jobs[j].gpus <= gpus &&
            (best == HS_NO_JOB || by_order(&j, &best) < 0))
            best = j;
    return best;
}

/* Passes half of those that are found, and lowers the bound for the others. */
static void check_walk(struct hs_gangs *set, struct hs_rng *rng, uint64_t bound)
{
    struct hs_gangs_walk walk;
    const struct hs_gangs_head *head;
    for (hs_job_id j = 0; j < JOBS; j++)
        is_passed[j] = false;
    hs_gangs_begin(&walk, set, NULL, bound);
    do {
        head = hs_gangs_look(&walk, NULL, bound);
        hs_job_id job = head != NULL ? head->job : HS_NO_JOB;
        assert_int_equal(job, first_within(bound));
        if (head == NULL)
            continue;
        assert_int_equal(head->gpus, jobs[job].gpus);
        bound = jobs[job].gpus == 0 || hs_rng_below(rng, 2) == 0 ? bound : jobs[job].gpus - 1;
        is_passed[job] = bound >= jobs[job].gpus;
        if (is_passed[job])
            hs_gangs_pass(&walk, NULL);
    } while (head != NULL);
}

static int64_t shuffled_key(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const int64_t *salt = ctx;
    (void)v;
    return (jobs[job].key * 7 + job * *salt) % 6;
}

static void check_members(struct hs_gangs *set)
{
    uint32_t seen[JOBS] = {0};
    assert_true(hs_gangs_is_valid(set, NULL));
    for (hs_job_id j = HS_NO_JOB; (j = hs_gangs_another(set, NULL, j)) != HS_NO_JOB;)
        seen[j]++;
    for (hs_job_id j = 0; j < JOBS; j++)
        assert_int_equal(seen[j], jobs[j].is_in);
}

/* No GPU, exact lanes and shared ones, and what is beyond all powers of two that have one. */
static uint32_t some_gpus(struct hs_rng *rng)
{
    uint64_t kind = hs_rng_below(rng, 20);
    return kind == 0   ? UINT32_MAX - (uint32_t)hs_rng_below(rng, 3)
           : kind == 1 ? UINT32_C(1) << hs_rng_below(rng, 32)
                       : (uint32_t)hs_rng_below(rng, 40);
}

static void agrees_with_a_plain_search(void **state)
{
    (void)state;
    struct hs_rng rng;
    struct hs_gangs set = {0};
    assert_int_equal(hs_rng_open(&rng, 11, "gangs"), HS_OK);
    for (int step = 0; step < 20000; step++) {
        hs_job_id j = (hs_job_id)hs_rng_below(&rng, JOBS);
        if (jobs[j].is_in) {
            hs_gangs_remove(&set, NULL, j);
        } else {
            jobs[j].key = (int64_t)hs_rng_below(&rng, 6); /* few keys: ties decide */
            jobs[j].submit_us = (int64_t)hs_rng_below(&rng, 4);
            jobs[j].gpus = some_gpus(&rng);
            hs_gangs_add(&set, NULL, j, jobs[j].key);
        }
        jobs[j].is_in = !jobs[j].is_in;
        if (step % 1009 == 0) {
            int64_t salt = (int64_t)hs_rng_below(&rng, 50);
            hs_gangs_rekey_all(&set, NULL, shuffled_key, &salt);
            for (hs_job_id i = 0; i < JOBS; i++)
                jobs[i].key = jobs[i].is_in ? shuffled_key(NULL, i, &salt) : 0;
        }
        if (step % 53 == 0) {
            check_members(&set);
            check_walk(&set, &rng, UINT64_MAX);
            check_walk(&set, &rng, hs_rng_below(&rng, 45));
        }
    }
    assert_true(set.count > 0);
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_a_plain_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
