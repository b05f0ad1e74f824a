/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The generator on small workloads whose jobs can be predicted. tests/oracle/test_workloads
 * compares the shipped ones with published figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "support/sink.h"
#include "workload/generator.c"

#define S         INT64_C(1000000)
#define FIRST_US  INT64_C(1585699200000000) /* 2020-04-01 00:00, a Wednesday */
#define DAY_S     86400
#define JOBS_MOST 20000

static struct sink sink;

struct job {
    int64_t submit_s, duration_s;
    uint32_t gpus, attempts;
    enum hs_outcome outcome;
    char user[16], vc[16];
};
static struct job jobs[JOBS_MOST];

/* Writes a file of this text, with ' replaced by ". */
static const char *written(const char *text)
{
    static char json[4096];
    size_t len = strlen(text);
    assert_true(len < sizeof json);
    memcpy(json, text, len + 1);
    for (char *c = json; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return scratch_write("w.json", json, len);
}

static struct hs_generator *open_good(const struct hs_generate_request *q)
{
    struct hs_generator *g;
    sink_init(&sink);
    if (hs_generator_open(&g, q, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return g;
}

/* Generates all jobs into `jobs`; attempts must add up. */
static uint32_t make(const struct hs_generate_request *q)
{
    struct hs_generator *g = open_good(q);
    struct hs_trace_job job;
    uint32_t count = 0;
    while (hs_generator_next(g, &job) == HS_OK) {
        assert_true(count < JOBS_MOST);
        struct job *j = &jobs[count++];
        int64_t sum_us = 0;
        assert_int_equal(strtoul(job.id, NULL, 10), count);
        assert_int_equal((job.submit_us - FIRST_US) % S, 0);
        assert_true(job.start_us == -1 && job.end_us == -1); /* not recorded */
        *j = (struct job){.submit_s = (job.submit_us - FIRST_US) / S,
                          .duration_s = job.duration_us / S,
                          .gpus = job.gpus,
                          .attempts = job.attempts,
                          .outcome = job.outcome};
        assert_true(count == 1 || j[-1].submit_s <= j->submit_s);
        for (uint32_t a = 0; a < job.attempts; a++) {
            assert_true(job.attempts_us[a] > 0);
            sum_us += job.attempts_us[a];
        }
        assert_true(job.attempts == 0 || sum_us == job.duration_us);
        strcpy(j->user, job.user != NULL ? job.user : "");
        strcpy(j->vc, job.vc != NULL ? job.vc : "");
    }
    assert_int_equal(count, hs_generator_about(g)->jobs);
    hs_generator_close(g);
    return count;
}

#define HEAD  "{'name': 'x', 'arrivals': {'first': '2020-04-01', 'jobs_per_day': 1000"
#define SIZES "}, 'sizes': [{'name': 'a', 'gpus': [[1, 1]], 'duration_s': [[0, 10], [1, 1000]]"
#define PLAIN HEAD SIZES "}]}"

/* ---- number and span ---- */

static void test_jobs_and_days(void **state)
{
    (void)state;
    struct hs_generate_request q = {.name = written(PLAIN), .jobs = 5000, .days = 3, .seed = 1};
    assert_int_equal(make(&q), 5000);
    assert_true(jobs[0].submit_s >= 0 && jobs[4999].submit_s < 3 * DAY_S);
    q.jobs = 0; /* 1,000 a day */
    assert_int_equal(make(&q), 3000);
    q = (struct hs_generate_request){.name = q.name, .jobs = 1500, .seed = 1};
    struct hs_generator *g = open_good(&q); /* 1.5 days */
    assert_int_equal(hs_generator_about(g)->hours, 36);
    hs_generator_close(g);
    q.jobs = 30400; /* 30.4 days: rounded up to whole days, since the request names none */
    g = open_good(&q);
    assert_int_equal(hs_generator_about(g)->hours, 30 * 24);
    hs_generator_close(g);
}

/* All jobs take 10 s, 10.5 with the average effect of rounding (the quantile function is
 * continuous): load .5 of 21 GPUs is one job a second. */
static void test_load(void **state)
{
    (void)state;
    static const char text[] = HEAD "}, 'sizes': [{'name': 'a', 'gpus': [[1, 1]],"
                                    " 'duration_s': [[0, 10], [1, 10]]}]}";
    struct hs_generate_request q = {.name = written(text), .days = 0.125, .load = 0.5, .gpus = 21};
    assert_int_equal(make(&q), 10800); /* an eighth of 86,400 */
    q = (struct hs_generate_request){.name = q.name, .jobs = 7200, .load = 0.5, .gpus = 21};
    struct hs_generator *g = open_good(&q);
    assert_int_equal(hs_generator_about(g)->hours, 2);
    hs_generator_close(g);
}

static void refuse(const struct hs_generate_request *q, const char *message)
{
    struct hs_generator *g;
    sink_init(&sink);
    assert_int_equal(hs_generator_open(&g, q, &sink.diag), HS_E_USAGE);
    if (strstr(sink.text, message) == NULL)
        fail_msg("no '%s' in\n%s", message, sink.text);
}

static void test_refused(void **state)
{
    (void)state;
    const char *name = written(PLAIN);
    refuse(&(struct hs_generate_request){name, 10, 10, 0.5, 10, 1}, "and so does load");
    refuse(&(struct hs_generate_request){name, 10, 0, 0.5, 0, 1}, "needs a cluster");
    /* a thousand a day: 110,000 days from 2020 on are more than 285 years from 1970 on */
    refuse(&(struct hs_generate_request){name, 110000000, 0, 0, 0, 1},
           "exceed the range of a trace");
}

/* ---- draws ---- */

static uint64_t digest(uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum = sum * 31 + (uint64_t)jobs[i].submit_s;
        sum = sum * 31 + (uint64_t)jobs[i].duration_s;
        sum = sum * 31 + jobs[i].gpus;
        sum = sum * 31 + (uint64_t)jobs[i].user[5];
    }
    return sum;
}

static void test_seed(void **state)
{
    (void)state;
    struct hs_generate_request q = {.name = "philly", .jobs = 20000, .seed = 1};
    struct hs_generator *g = open_good(&q);
    uint64_t hash = hs_generator_about(g)->hash;
    hs_generator_close(g);
    q.seed = 2;
    g = open_good(&q);
    assert_true(hs_generator_about(g)->hash != hash);
    hs_generator_close(g);
    q = (struct hs_generate_request){.name = written(PLAIN), .jobs = 5000, .seed = 1};
    uint64_t one = digest(make(&q));
    assert_true(digest(make(&q)) == one);
    q.seed = 2;
    assert_true(digest(make(&q)) != one);
}

/* Half of the jobs request 1 GPU, four in ten 2, the others 8: stratified, not drawn, so exact to
 * the job. */
static void test_sizes_exact(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "}, 'sizes': [{'name': 'a', 'gpus': [[1, 5], [2, 4]], 'duration_s': [[0, 1], [1, 9]]},"
             " {'name': 'b', 'gpus': [[8, 1]], 'duration_s': [[0, 1], [1, 9]]}]}";
    const struct hs_generate_request q = {.name = written(text), .jobs = 1000, .seed = 5};
    uint32_t counts[9] = {0};
    for (uint32_t i = make(&q); i-- > 0;)
        counts[jobs[i].gpus]++;
    assert_in_range(counts[1], 499, 501);
    assert_in_range(counts[2], 399, 401);
    assert_in_range(counts[8], 99, 101);
}

static int by_duration(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    return (x->duration_s > y->duration_s) - (x->duration_s < y->duration_s);
}

/* Durations match their quantile function within .002 everywhere, where as many independent draws
 * would be off by .0087 (the median of Kolmogorov's distribution, .8276, divided by the root of
 * 10,000 jobs), and outcomes follow the ranks: jobs longer than the median failed. */
static void test_durations_and_fates(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ", 'batches': {'jobs': [[0, 1], [1, 50]], 'gap_s': [[0, 0], [1, 9]],"
             " 'duration_correlation': 0.7}}, 'sizes': [{'name': 'a', 'gpus': [[1, 1]],"
             " 'duration_s': [[0, 100], [1, 1000000]], 'states': [[0.5, 1, 0, 0], [1, 0, 0, 1]]}]}";
    const struct hs_generate_request q = {.name = written(text), .jobs = 10000, .seed = 3};
    uint32_t count = make(&q);
    double most = 0;
    qsort(jobs, count, sizeof *jobs, by_duration);
    for (uint32_t i = 0; i < count; i++) {
        double rank = log((double)jobs[i].duration_s / 100) / log(10000);
        most = fmax(most, fabs(rank - (i + 0.5) / count));
        if (jobs[i].duration_s <= 9900) /* sqrt(100 x 1,000,000) = 10,000 */
            assert_int_equal(jobs[i].outcome, HS_OUTCOME_COMPLETED);
        if (jobs[i].duration_s > 10000)
            assert_int_equal(jobs[i].outcome, HS_OUTCOME_FAILED);
    }
    if (most > 0.002)
        fail_msg("durations are off by %g", most);
}

/* ---- when ---- */

/* Only from 9 to 10 on Tuesdays. */
static void test_profile(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ", 'weekdays': [0, 1, 0, 0, 0, 0, 0],"
        " 'hours': [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]" SIZES
        "}]}";
    const struct hs_generate_request q = {
        .name = written(text), .jobs = 2000, .days = 28, .seed = 1};
    for (uint32_t i = make(&q); i-- > 0;) {
        assert_int_equal(jobs[i].submit_s / DAY_S % 7, 6); /* the first day is a Wednesday */
        assert_int_equal(jobs[i].submit_s % DAY_S / 3600, 9);
    }
}

/* Hours of the day have their shares under any modulation: within four and a half standard errors
 * of as many independent jobs, which one of 24 exceeds once in 6,000 times. Uncorrected, a
 * modulation of CV 2 would move them by ten times as much. */
static void test_modulated_profile(void **state)
{
    (void)state;
    struct hs_workload w;
    struct hs_arrival_rate c;
    uint64_t hour, counts[24] = {0}, sum = 0;
    uint32_t count;
    double squares = 0;
    const uint64_t wanted = 100000, hours = 90 * 24;
    sink_init(&sink);
    assert_int_equal(hs_workload_load(&w, "philly", &sink.diag), HS_OK);
    w.arrivals.modulation.cv = 2;
    hs_arrival_rate_open(&c, &w.arrivals, wanted, hours, 1);
    for (uint64_t last = 0; hs_arrival_rate_next(&c, &hour, &count); last = hour) {
        assert_true(hour < hours && (hour > last || hour == 0) && count > 0);
        counts[hour % 24] += count;
        sum += count;
        squares += (double)count * count;
    }
    assert_int_equal(sum, wanted);
    for (int h = 0; h < 24; h++) {
        double expected = (double)wanted * w.arrivals.hours[h];
        if (fabs((double)counts[h] - expected) > 4.5 * sqrt(expected))
            fail_msg("hour %d: %g jobs, expected %g", h, (double)counts[h], expected);
    }
    /* and the rate does vary: CV^2 about 4, which raking reduces */
    double mean = (double)wanted / (double)hours;
    assert_true(squares / (double)hours / mean / mean - 1 > 2.5);
    hs_workload_free(&w);
}

/* Batches of three jobs of one user, 7 s apart; with so many users two batches in a row are rarely
 * of the same one. The last batch of an hour may be cut short. */
static void test_batches(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ", 'batches': {'jobs': [[0, 3], [1, 3]], 'gap_s': [[0, 7], [1, 7]]}" SIZES
             "}], 'users': {'count': 1000000, 'sigma': 0}}";
    const struct hs_generate_request q = {.name = written(text), .jobs = 3000, .seed = 2};
    uint32_t count = make(&q), batches = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t members = 1;
        while (i + members < count && strcmp(jobs[i + members].user, jobs[i].user) == 0) {
            assert_int_equal(jobs[i + members].submit_s - jobs[i + members - 1].submit_s, 7);
            members++;
        }
        assert_in_range(members, 1, 3);
        batches++;
        i += members;
    }
    assert_in_range(batches, 1000, 1000 + 2 * 72); /* two short ones in each of the 72 hours */
}

/* 84 jobs in 2,400 hours, whose rates would cut batches of 8 to single jobs: kept whole, they are
 * ten of 8 and the last of the 4 that are left, all of them 7 s apart. */
static void test_whole_batches(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ", 'batches': {'jobs': [[0, 8], [1, 8]], 'gap_s': [[0, 7], [1, 7]], 'whole': true}" SIZES
        "}]}";
    struct hs_generate_request q = {.name = written(text), .jobs = 84, .days = 100, .seed = 5};
    uint32_t count = make(&q), of_eight = 0, members = 0;
    for (uint32_t i = 0; i < count; i += members) {
        for (members = 1; i + members < count && members < 8 &&
                          jobs[i + members].submit_s - jobs[i + members - 1].submit_s == 7;)
            members++;
        assert_true(members == 8 || i + members == count);
        of_eight += members == 8;
    }
    assert_int_equal(of_eight, 10);
    assert_int_equal(members, 4);
}

/* ---- users ---- */

/* Durations correlate fully within users: in order of duration no job of one user lies between two
 * of the other. Outcomes too: of two users, each with about half of the jobs, the user determines
 * the outcome, except for the user in whose part the share .3 ends; the mix is that of the
 * workload. */
static void test_like_jobs_of_users(void **state)
{
    (void)state;
    static const char text[] =
        HEAD SIZES ", 'states': [[1, 0.3, 0, 0.7]]}],"
                   "'users': {'count': 2, 'sigma': 0, 'duration_correlation': 1,"
                   " 'outcome_correlation': 1}}";
    struct hs_generate_request q = {.name = written(text), .jobs = 1000, .seed = 4};
    uint32_t count = make(&q), completed = 0, of_user[2][2] = {{0}};
    int64_t least_s[2] = {INT64_MAX, INT64_MAX}, most_s[2] = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = strcmp(jobs[i].user, "u00002") == 0;
        bool is_completed = jobs[i].outcome == HS_OUTCOME_COMPLETED;
        least_s[user] = jobs[i].duration_s < least_s[user] ? jobs[i].duration_s : least_s[user];
        most_s[user] = jobs[i].duration_s > most_s[user] ? jobs[i].duration_s : most_s[user];
        of_user[user][is_completed]++;
        completed += is_completed;
    }
    assert_true(most_s[0] <= least_s[1] || most_s[1] <= least_s[0]);
    assert_in_range(completed, 299, 301);
    assert_true(of_user[0][1] == 0 || of_user[1][1] == 0);
}

static void test_vcs_and_users(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "}, 'sizes': [{'name': 'a', 'gpus': [[1, 1], [4, 1]], 'duration_s': [[0, 1], [1, 9]]},"
             " {'name': 'b', 'gpus': [[8, 1]], 'duration_s': [[0, 1], [1, 9]]}],"
             " 'users': {'count': 30, 'sigma': 1},"
             " 'vcs': [{'name': 'any', 'share': 1}, {'name': 'small', 'share': 1, 'gpus_max': 2},"
             " {'name': 'never', 'shares': [1, 0]}]}";
    const struct hs_generate_request q = {.name = written(text), .jobs = 9000, .seed = 4};
    char home[31][16] = {{0}};
    uint32_t small = 0;
    for (uint32_t i = make(&q); i-- > 0;) {
        unsigned long user = strtoul(jobs[i].user + 1, NULL, 10);
        assert_in_range(user, 1, 30);
        if (home[user][0] == '\0')
            strcpy(home[user], jobs[i].vc);
        assert_string_equal(home[user], jobs[i].vc);
        if (jobs[i].gpus == 8)
            assert_string_equal(jobs[i].vc, "any");
        if (strcmp(jobs[i].vc, "small") == 0)
            assert_int_equal(jobs[i].gpus, 1);
        small += strcmp(jobs[i].vc, "small") == 0;
    }
    /* a third of the 3,000 jobs of one GPU, standard deviation 26 */
    assert_in_range(small, 1000 - 4 * 26, 1000 + 4 * 26);
}

/* All fail; retries are geometric with q + q^2 = .75, that is q = .5, so a job has none with .5,
 * one with .25, two with .25. */
static void test_retries(void **state)
{
    (void)state;
    static const char text[] = HEAD SIZES ", 'states': [[1, 0, 0, 1]], 'retries': 0.75}],"
                                          " 'retries': {'max': 2, 'time_s': [[0, 1], [1, 400]]}}";
    const struct hs_generate_request q = {.name = written(text), .jobs = 20000, .seed = 8};
    uint32_t counts[4] = {0};
    for (uint32_t i = make(&q); i-- > 0;) {
        assert_in_range(jobs[i].attempts, 0, 3);
        counts[jobs[i].attempts]++;
    }
    assert_int_equal(counts[1], 0);                       /* not retried: no attempts are listed */
    assert_in_range(counts[0], 10000 - 283, 10000 + 283); /* four standard deviations of 70.7 */
    assert_in_range(counts[2], 5000 - 245, 5000 + 245);   /* 61.2 */
}

/* ---- memory ---- */

static int64_t peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* A million jobs need no more memory than their first 100,000, by when a second plan and a second
 * block of hours have been made. */
static void test_memory(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* it keeps freed memory */
#endif
    const struct hs_generate_request q = {.name = "venus", .jobs = 1000000, .seed = 1};
    struct hs_generator *g = open_good(&q);
    struct hs_trace_job job;
    int64_t peak = 0;
    for (uint64_t i = 0; hs_generator_next(g, &job) == HS_OK; i++)
        if (i == 100000)
            peak = peak_kib();
    assert_true(peak > 0 && peak_kib() - peak < 256);
    hs_generator_close(g);
}

static void test_order_of_numbers(void **state)
{
    (void)state;
    static const double rising[] = {-DBL_MAX, -2, -1.5, -DBL_MIN, 0, DBL_MIN, 1, 1.5, DBL_MAX};
    for (uint32_t i = 1; i < sizeof rising / sizeof *rising; i++)
        assert_true(key_of(rising[i - 1]) < key_of(rising[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_and_days),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_sizes_exact),
        cmocka_unit_test(test_durations_and_fates),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_modulated_profile),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_whole_batches),
        cmocka_unit_test(test_like_jobs_of_users),
        cmocka_unit_test(test_vcs_and_users),
        cmocka_unit_test(test_retries),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_order_of_numbers),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
