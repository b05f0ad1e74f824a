/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact results of queueing theory, with ==: Lindley's recursion on one GPU, Kiefer and Wolfowitz'
 * on several, Schrage's theorem that SRPT minimises the sum of completion times, Little's law as an
 * identity of integers; and results for the mean, M/M/1, M/M/8 and M/D/1, inside a 99.9 % interval
 * with fixed seeds. HORUS_LONG makes the statistical runs ten times as long.
 */
#include <gsl/gsl_randist.h>
#include <math.h>
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

#define SEED 20260101

static void run(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                const char *policy, struct hs_test_result *r)
{
    enum hs_status status = hs_test_run(jobs, count, cluster, policy, r);
    if (status != HS_OK)
        fail_msg("%s on %s: %s: %s", policy, cluster, hs_status_text(status), r->message);
}

/* Draws one-GPU jobs: exponential gaps of the given mean; services exponential of mean 1 s, or 1 s
 * each. Times are whole microseconds; the first job is submitted at 0, the epoch. */
static void draw_queue(struct hs_test_job *jobs, uint32_t count, double mean_gap_s,
                       bool is_deterministic, uint64_t seed)
{
    struct hs_rng gaps, services;
    int64_t now_us = 0;
    hs_rng_open(&gaps, seed, "gaps");
    hs_rng_open(&services, seed, "services");
    for (uint32_t i = 0; i < count; i++) {
        int64_t service_us = llrint(1e6 * gsl_ran_exponential(services.gsl, 1));
        jobs[i] = (struct hs_test_job){.gpus = 1,
                                       .submit_us = now_us,
                                       .duration_us = is_deterministic ? HS_TEST_S : service_us};
        now_us += llrint(1e6 * gsl_ran_exponential(gaps.gsl, mean_gap_s));
    }
    hs_rng_close(&gaps);
    hs_rng_close(&services);
}

/* ---- recursions ---- */

#define QUEUE 2000

/* W(n+1) = max(0, W(n) + S(n) - T(n)), T the gap to the next arrival (Lindley 1952). */
static void lindley(void **state)
{
    static const char *const policies[] = {"fifo:scan=strict", "fifo:scan=fit", "fifo:scan=easy",
                                           "fifo:scan=strict,placement=count"};
    static struct hs_test_job jobs[QUEUE];
    (void)state;
    for (uint64_t k = 0; k < 4; k++) {
        struct hs_test_result r;
        int64_t wait_us = 0;
        draw_queue(jobs, QUEUE, 1.1, false, SEED + k);
        run(jobs, QUEUE, "1x1", policies[k], &r);
        for (uint32_t i = 0; i < QUEUE; i++) {
            assert_true(r.jobs[i].start_us - jobs[i].submit_us == wait_us);
            assert_true(r.jobs[i].end_us == r.jobs[i].start_us + jobs[i].duration_us);
            if (i + 1 == QUEUE)
                break;
            wait_us += jobs[i].duration_us - (jobs[i + 1].submit_us - jobs[i].submit_us);
            wait_us = wait_us > 0 ? wait_us : 0;
        }
        hs_test_free(&r);
    }
}

#define SERVERS_MAX 16

/* The vector of workloads, ascending: a job submitted waits for the least loaded of c servers and
 * loads it; then the gap is subtracted from each (Kiefer and Wolfowitz 1955). */
static void kiefer_wolfowitz_on(const char *cluster, uint32_t servers, const char *policy,
                                uint64_t seed)
{
    static struct hs_test_job jobs[QUEUE];
    int64_t load_us[SERVERS_MAX] = {0};
    struct hs_test_result r;
    draw_queue(jobs, QUEUE, 1.05 / servers, false, seed);
    run(jobs, QUEUE, cluster, policy, &r);
    for (uint32_t i = 0; i < QUEUE; i++) {
        assert_true(r.jobs[i].start_us - jobs[i].submit_us == load_us[0]);
        int64_t gap_us = i + 1 < QUEUE ? jobs[i + 1].submit_us - jobs[i].submit_us : 0;
        int64_t loaded_us = load_us[0] + jobs[i].duration_us;
        uint32_t at = 0;
        for (; at + 1 < servers && load_us[at + 1] < loaded_us; at++)
            load_us[at] = load_us[at + 1];
        load_us[at] = loaded_us;
        for (uint32_t s = 0; s < servers; s++)
            load_us[s] = load_us[s] > gap_us ? load_us[s] - gap_us : 0;
    }
    hs_test_free(&r);
}

static void kiefer_wolfowitz(void **state)
{
    (void)state;
    kiefer_wolfowitz_on("1x2", 2, "fifo:scan=strict", SEED);
    kiefer_wolfowitz_on("1x8", 8, "fifo:scan=strict,placement=count", SEED + 1);
    kiefer_wolfowitz_on("2x4", 8, "fifo:scan=easy,placement=consolidate", SEED + 2);
    kiefer_wolfowitz_on("3x5", 15, "fifo:scan=fit,placement=spread", SEED + 3);
    kiefer_wolfowitz_on("2x4,4x2", 16, "fifo:scan=strict,placement=yarn", SEED + 4);
}

/* ---- SRPT ---- */

#define TINY_MAX 5
#define TINY_S   4

/* Least sum of completion times over every preemptive schedule on one GPU in whole seconds: tries
 * each present job for the next second. best[t][left] is 1 + the sum of completions from t on, 0 =
 * not known. For whole numbers no schedule that preempts in between is better. */
struct search {
    const struct hs_test_job *jobs;
    int count;
    uint16_t best[64][3125]; /* 5 jobs, 0..4 s left each */
};

static int search_best(struct search *s, int now, int left)
{
    int digits[TINY_MAX], rest = left, power = 1, least = -1;
    bool somebody = false;
    if (left == 0)
        return 0;
    if (s->best[now][left] > 0)
        return s->best[now][left] - 1;
    for (int j = 0; j < s->count; j++, rest /= TINY_S + 1)
        digits[j] = rest % (TINY_S + 1);
    for (int j = 0; j < s->count; j++, power *= TINY_S + 1) {
        if (digits[j] == 0 || s->jobs[j].submit_s > now)
            continue;
        somebody = true;
        int sum = (digits[j] == 1 ? now + 1 : 0) + search_best(s, now + 1, left - power);
        least = least < 0 || sum < least ? sum : least;
    }
    if (!somebody)
        least = search_best(s, now + 1, left);
    s->best[now][left] = (uint16_t)(least + 1);
    return least;
}

static int64_t sum_of_ends_s(const struct hs_test_job *jobs, uint32_t count, const char *policy)
{
    struct hs_test_result r;
    int64_t sum_us = 0;
    run(jobs, count, "1x1", policy, &r);
    for (uint32_t i = 0; i < count; i++)
        sum_us += r.jobs[i].end_us;
    hs_test_free(&r);
    assert_int_equal(sum_us % HS_TEST_S, 0);
    return sum_us / HS_TEST_S;
}

static const char srpt_evict[] = "srtf:form=evict,preempt_cost=free";
static const char srpt_replace[] = "srtf:form=replace,preempt_cost=free";

static void draw_small(struct hs_test_job *jobs, uint32_t count, int longest_s, uint64_t seed)
{
    int64_t submit_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t draw = hs_mix64(seed, i);
        submit_s += i > 0 ? (int64_t)(draw % 3) : 0;
        jobs[i] = (struct hs_test_job){.gpus = 1,
                                       .submit_s = submit_s,
                                       .duration_s = 1 + (int64_t)(draw / 3 % (uint64_t)longest_s)};
    }
}

static void srpt_is_optimal(void **state)
{
    static struct search s;
    struct hs_test_job jobs[TINY_MAX];
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        int left = 0;
        memset(&s, 0, sizeof s);
        s.jobs = jobs;
        s.count = 2 + (int)(k % (TINY_MAX - 1));
        draw_small(jobs, (uint32_t)s.count, TINY_S, SEED + k);
        for (int j = s.count; j-- > 0;)
            left = left * (TINY_S + 1) + (int)jobs[j].duration_s;
        int least = search_best(&s, 0, left);
        assert_int_equal(sum_of_ends_s(jobs, (uint32_t)s.count, srpt_evict), least);
        assert_int_equal(sum_of_ends_s(jobs, (uint32_t)s.count, srpt_replace), least);
    }
}

static void srpt_beats_the_others(void **state)
{
    static const char *const others[] = {"fifo:scan=strict", "fifo:scan=fit",
                                         "fifo:scan=easy",   "sjf:scan=strict",
                                         "sjf:scan=fit",     "srsf:preempt_cost=free"};
    struct hs_test_job jobs[40];
    uint32_t strictly = 0;
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        draw_small(jobs, 40, 9, SEED + 1000 + k);
        int64_t least = sum_of_ends_s(jobs, 40, srpt_evict);
        assert_int_equal(least, sum_of_ends_s(jobs, 40, srpt_replace));
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            int64_t sum = sum_of_ends_s(jobs, 40, others[i]);
            assert_true(least <= sum);
            strictly += least < sum;
        }
    }
    assert_true(strictly > 1000); /* of 1,800: in these SRPT is better, so the test can fail */
}

/* ---- Little's law ---- */

/* On a run that starts and ends empty the integral of the number of jobs in the system is the sum
 * of the times they spend in it, and that of the GPUs held is the sum of GPUs x time held. */
static void little_on(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                      const char *policy)
{
    struct hs_test_result r;
    int64_t in_system = 0, held = 0, times = 0, gpu_times = 0;
    run(jobs, count, cluster, policy, &r);
    for (uint32_t i = 0; i + 1 < r.instant_count; i++) {
        const struct hs_instant *now = &r.instants[i];
        int64_t dt_us = r.instants[i + 1].time_us - now->time_us;
        assert_true(dt_us >= 0);
        in_system += dt_us * (int64_t)(now->running + now->pending + now->suspended);
        held += dt_us * (int64_t)now->gpus_held;
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(r.jobs[i].state, HS_JOB_DONE);
        times += r.jobs[i].end_us - jobs[i].submit_us;
        gpu_times += r.jobs[i].run_us * jobs[i].gpus;
    }
    assert_true(in_system == times);
    assert_true(held == gpu_times);
    hs_test_free(&r);
}

static void little(void **state)
{
    static const char *const policies[] = {
        "fifo:scan=strict,placement=consolidate",
        "fifo:scan=fit,placement=best_fit",
        "fifo:scan=easy,placement=yarn",
        "sjf:scan=strict,placement=first_fit",
        "sjf:scan=fit,placement=spread",
        "srtf:form=evict,preempt_cost=table,cost_table=7/30/60,placement=consolidate",
        "srtf:form=replace,preempt_cost=free,placement=count",
        "srsf:form=evict,preempt_cost=free,placement=consolidate",
        "srsf:form=replace,preempt_cost=free,placement=yarn",
    };
    static struct hs_test_job jobs[QUEUE];
    (void)state;
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        draw_queue(jobs, QUEUE, 0.5, false, SEED + k);
        for (uint32_t i = 0; i < QUEUE; i++) {
            jobs[i].gpus = 1 + (uint32_t)(hs_mix64(SEED + k, i) % 12);
            jobs[i].duration_us *= i % 10 == 0 ? 20 : 1;
        }
        little_on(jobs, QUEUE, "3x4", policies[k]);
    }
}

/* ---- means ---- */

#define REPLICATIONS 20
/* Two-sided 99.9 % quantile of Student's t with 19 degrees of freedom (Fisher and Yates, table
 * III). */
#define T_999_19 3.883

struct queue {
    const char *name, *cluster;
    uint32_t servers;
    double load;
    bool is_deterministic;
};

/* Mean wait with services of mean 1: Erlang's C formula over c (1 - rho) for M/M/c, and half of
 * M/M/1's for M/D/1 (Pollaczek and Khinchine). */
static double mean_wait(const struct queue *q)
{
    double offered = q->load * q->servers, term = 1, sum = 1; /* term: offered^k / k! */
    for (uint32_t k = 1; k < q->servers; k++) {
        term *= offered / k;
        sum += term;
    }
    double last = term * offered / q->servers / (1 - q->load);
    double wait = last / (sum + last) / (q->servers * (1 - q->load));
    return q->is_deterministic ? wait / 2 : wait;
}

static double replicate(const struct queue *q, struct hs_test_job *jobs, uint32_t count,
                        uint64_t seed)
{
    struct hs_test_result r;
    int64_t sum_us = 0;
    uint32_t warmup = count / 10;
    draw_queue(jobs, count, 1 / (q->load * q->servers), q->is_deterministic, seed);
    run(jobs, count, q->cluster, "fifo:scan=strict,placement=count", &r);
    for (uint32_t i = warmup; i < count; i++)
        sum_us += r.jobs[i].start_us - jobs[i].submit_us;
    hs_test_free(&r);
    return (double)sum_us / 1e6 / (count - warmup);
}

static void means(void **state)
{
    static const struct queue queues[] = {
        {"M/M/1", "1x1", 1, 0.5, false},
        {"M/M/1", "1x1", 1, 0.8, false},
        {"M/M/8", "1x8", 8, 0.8, false},
        {"M/D/1", "1x1", 1, 0.8, true},
    };
    const char *is_long = getenv("HORUS_LONG");
    uint32_t count = is_long != NULL && is_long[0] != '\0' ? 600000 : 60000;
    struct hs_test_job *jobs = calloc(count, sizeof *jobs);
    (void)state;
    assert_non_null(jobs);
    for (size_t k = 0; k < sizeof queues / sizeof *queues; k++) {
        double sum = 0, squares = 0, theory = mean_wait(&queues[k]);
        for (uint64_t i = 0; i < REPLICATIONS; i++) {
            double wait = replicate(&queues[k], jobs, count, hs_mix64(SEED + k, i));
            sum += wait;
            squares += wait * wait;
        }
        double mean = sum / REPLICATIONS;
        double variance = (squares - sum * mean) / (REPLICATIONS - 1);
        double half = T_999_19 * sqrt(variance / REPLICATIONS);
        print_message("%s at %.1f: mean wait %.5f, simulated %.5f +- %.5f\n", queues[k].name,
                      queues[k].load, theory, mean, half);
        assert_true(fabs(mean - theory) <= half);
        assert_true(half < 0.1 * theory); /* else the interval shows nothing */
    }
    free(jobs);
}

/* The formula itself: textbook values. M/M/8 at 0.8: C(8, 6.4) / 1.6 = 0.28603. */
static void means_formula(void **state)
{
    (void)state;
    assert_true(fabs(mean_wait(&(struct queue){"", "", 1, 0.5, false}) - 1) < 1e-12);
    assert_true(fabs(mean_wait(&(struct queue){"", "", 1, 0.8, false}) - 4) < 1e-12);
    assert_true(fabs(mean_wait(&(struct queue){"", "", 1, 0.8, true}) - 2) < 1e-12);
    assert_true(fabs(mean_wait(&(struct queue){"", "", 8, 0.8, false}) - 0.28603) < 5e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lindley),         cmocka_unit_test(kiefer_wolfowitz),
        cmocka_unit_test(srpt_is_optimal), cmocka_unit_test(srpt_beats_the_others),
        cmocka_unit_test(little),          cmocka_unit_test(means_formula),
        cmocka_unit_test(means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
