/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantile functions, and the workload file: what is shipped, what a file contains, what is refused
 * and where. Expectations are calculated by hand beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "support/sink.h"
#include "workload/workload.h"

#define CLOSE 1e-9

static struct sink sink;

/* A file of this text, with ' replaced by ". */
static enum hs_status load(struct hs_workload *w, const char *text)
{
    char json[4096];
    size_t len = strlen(text);
    assert_true(len < sizeof json);
    memcpy(json, text, len + 1);
    for (char *c = json; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    sink_init(&sink);
    return hs_workload_load(w, scratch_write("w.json", json, len), &sink.diag);
}

static void load_good(struct hs_workload *w, const char *text)
{
    if (load(w, text) != HS_OK)
        fail_msg("%s", sink.text);
}

static void close_to(double seen, double expected)
{
    if (fabs(seen - expected) > CLOSE * fmax(1, fabs(expected)))
        fail_msg("%.12g is not %.12g", seen, expected);
}

/* ---- curves ---- */

static void test_curve_points(void **state)
{
    (void)state;
    double rank[] = {0, 0.5, 1}, value[] = {1, 200, 80000};
    const struct hs_quantile_fn curve = {rank, value, 3};
    close_to(hs_quantile_fn_at(&curve, 0), 1);
    close_to(hs_quantile_fn_at(&curve, 0.5), 200);
    close_to(hs_quantile_fn_at(&curve, 1), 80000);
    close_to(hs_quantile_fn_at(&curve, 0.25), sqrt(200)); /* half way from ln 1 to ln 200 */
    close_to(hs_quantile_fn_at(&curve, 0.75), 4000);      /* sqrt(200 x 80,000) */
    /* of e^u over a stretch: the difference of the values by that of their logarithms */
    close_to(hs_quantile_fn_mean(&curve), 0.5 * 199 / log(200) + 0.5 * 79800 / log(400));
}

/* 40 % take 3 s; half way from there to 48 is 12. */
static void test_curve_atom(void **state)
{
    (void)state;
    double rank[] = {0, 0.4, 1}, value[] = {3, 3, 48};
    const struct hs_quantile_fn curve = {rank, value, 3};
    close_to(hs_quantile_fn_at(&curve, 0.2), 3);
    close_to(hs_quantile_fn_at(&curve, 0.4), 3);
    close_to(hs_quantile_fn_at(&curve, 0.7), 12);
    close_to(hs_quantile_fn_mean(&curve), 0.4 * 3 + 0.6 * 45 / log(16));
}

/* From 0 there is no logarithm: linear. */
static void test_curve_from_zero(void **state)
{
    (void)state;
    double rank[] = {0, 0.5, 1}, value[] = {0, 0, 10};
    const struct hs_quantile_fn curve = {rank, value, 3};
    close_to(hs_quantile_fn_at(&curve, 0.25), 0);
    close_to(hs_quantile_fn_at(&curve, 0.75), 5);
    close_to(hs_quantile_fn_mean(&curve), 2.5);
}

/* ---- files ---- */

static void test_shipped(void **state)
{
    (void)state;
    static const char *const names[] = {"earth", "itp01",  "itp03",  "itp05",  "itp07", "itp09",
                                        "pai",   "philly", "saturn", "uranus", "venus"};
    char name[HS_SHIPPED_NAME_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hs_workload w;
        assert_true(hs_builtin_shipped(HS_WORKLOADS, i, name));
        assert_string_equal(name, names[i]);
        sink_init(&sink);
        if (hs_workload_load(&w, name, &sink.diag) != HS_OK)
            fail_msg("%s", sink.text);
        assert_string_equal(w.name, name);
        hs_workload_free(&w);
    }
    assert_false(hs_builtin_shipped(HS_WORKLOADS, sizeof names / sizeof *names, name));
}

/* Total GPU time / GPU jobs of cluster_summary.csv (SC'21): Venus 12,345,612,331 s / 125,303. */
static void test_shipped_gpu_time(void **state)
{
    (void)state;
    struct hs_workload w;
    sink_init(&sink);
    assert_int_equal(hs_workload_load(&w, "venus", &sink.diag), HS_OK);
    double seen = hs_workload_gpu_seconds(&w), expected = 12345612331.0 / 125303;
    if (fabs(seen - expected) > 0.02 * expected)
        fail_msg("%g GPU seconds a job, published %g", seen, expected);
    hs_workload_free(&w);
}

#define ARRIVALS "'arrivals': {'first': '2020-04-01', 'jobs_per_day': 700"
#define SIZES    "'sizes': [{'name': 'a', 'gpus': [[1, 1]], 'duration_s': [[0, 10], [1, 10]]}]"

static const char lab[] =
    "{'name': 'lab'," ARRIVALS ", 'weekdays': [7, 7, 7, 7, 7, 0, 0],"
    " 'hours': [0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],"
    " 'batches': {'jobs': [[0, 1], [1, 4]], 'gap_s': [[0, 5], [1, 5]], 'same_size': 0.5}},"
    " 'sizes': [{'name': 'a', 'gpus': [[1, 3], [0.25, 1]], 'duration_s': [[0, 10], [1, 10]],"
    "            'states': [[0.5, 1, 1, 0], [1, 0, 1, 3]], 'retries': 0.3},"
    "           {'name': 'b', 'gpus': [[8, 4], [2, 2, 500]], 'duration_s': [[0, 100], [1, 100]]}],"
    " 'users': {'count': 5, 'sigma': 1.5},"
    " 'vcs': [{'name': 'x', 'share': 2}, {'name': 'y', 'shares': [1, 0], 'gpus_max': 2}],"
    " 'retries': {'max': 2, 'time_s': [[0, 1], [1, 9]]}}";

static void test_read(void **state)
{
    (void)state;
    struct hs_workload w;
    load_good(&w, lab);
    assert_int_equal(w.arrivals.first_us, INT64_C(1585699200000000)); /* date -u -d 2020-04-01 */
    close_to(w.arrivals.weekdays[0], 0.2);
    close_to(w.arrivals.weekdays[6], 0);
    close_to(w.arrivals.hours[9], 0.75);
    close_to(w.arrivals.modulation.cv, 0);
    close_to(w.arrivals.batches.same_size, 0.5);
    assert_int_equal(w.bucket_count, 2);
    close_to(w.buckets[0].share, 0.4); /* 4 of 10 */
    close_to(w.buckets[0].sizes[0].share, 0.3);
    assert_int_equal(w.buckets[0].sizes[1].gpus, 1);
    assert_int_equal(w.buckets[0].sizes[1].gpu_milli, 250);
    assert_int_equal(w.buckets[1].sizes[1].gpus, 2);
    assert_int_equal(w.buckets[1].sizes[1].gpu_milli, 500);
    close_to(w.buckets[0].states[1].share[2], 0.75);
    assert_int_equal(w.users, 5);
    close_to(w.vcs[0].shares[1], 2);
    assert_int_equal(w.vcs[1].gpus_max, 2);
    assert_int_equal(w.retries.max, 2);
    /* half of the ranks each: completed .5 x .5, cancelled .5 x .5 + .5 x .25, failed .5 x .75 */
    close_to(hs_bucket_state_share(&w.buckets[0], HS_OUTCOME_COMPLETED), 0.25);
    close_to(hs_bucket_state_share(&w.buckets[0], HS_OUTCOME_CANCELLED), 0.375);
    close_to(hs_bucket_state_share(&w.buckets[0], HS_OUTCOME_FAILED), 0.375);
    close_to(hs_bucket_state_share(&w.buckets[1], HS_OUTCOME_UNKNOWN), 1);
    /* rounding up to seconds adds half a second on the average:
       10.5 x (.3 x 1 + .1 x .25) + 100.5 x (.4 x 8 + .2 x 2 x .5) = 3.4125 + 341.7 */
    close_to(hs_workload_gpu_seconds(&w), 345.1125);
    hs_workload_free(&w);
}

static void refuse(const char *text, const char *message)
{
    struct hs_workload w;
    assert_int_equal(load(&w, text), HS_E_INPUT);
    if (strstr(sink.text, message) == NULL)
        fail_msg("no '%s' in\n%s", message, sink.text);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("{'name': 'x'}", "a workload needs \"arrivals\" and \"sizes\"");
    refuse("{'name': 'x', " ARRIVALS "}, 'sises': [], " SIZES "}",
           "w.json:1:73: error: unknown key 'sises' in a workload");
    refuse("{'name': 'x',\n" ARRIVALS ", 'hours': [1, 2]},\n" SIZES "}",
           "w.json:2:67: error: hours must have 24 numbers, not 2");
    refuse("{'name': 'x', 'arrivals': {'first': 'April', 'jobs_per_day': 1}, " SIZES "}",
           "first must be a date from 1970 on");
    refuse("{'name': 'x', 'arrivals': {'first': '2020-04-01', 'jobs_per_day': 0}, " SIZES "}",
           "jobs_per_day must be a number");
    refuse("{'name': 'x', " ARRIVALS ", 'modulation': {'cv': 1}}, " SIZES "}",
           "\"hours\" is missing");
    refuse("{'name': 'x', " ARRIVALS ", 'batches': {'jobs': [[0, 1], [1, 2]]}}, " SIZES "}",
           "\"gap_s\" is missing");
    refuse("{'name': 'x', " ARRIVALS "}, " SIZES ", 'users': {'sigma': 1}}",
           "\"count\" is missing");
    refuse("{'name': 'x', " ARRIVALS "}, " SIZES ", 'users': {'count': 1, 'sigma': 1},"
           " 'vcs': [{'name': 'p', 'share': 1}, {'name': 'q', 'share': 1}]}",
           "1 users are fewer than 2 vcs");
}

#define ONE_SIZE(rest) "{'name': 'x', " ARRIVALS "}, 'sizes': [{'name': 'a', " rest "}]}"

static void test_refused_sizes(void **state)
{
    (void)state;
    refuse(ONE_SIZE("'gpus': [[0, 1]], 'duration_s': [[0, 1], [1, 2]]"), "a size must be");
    refuse(ONE_SIZE("'gpus': [[1.5, 1]], 'duration_s': [[0, 1], [1, 2]]"), "a size must be");
    refuse(ONE_SIZE("'gpus': [[0.1234, 1]], 'duration_s': [[0, 1], [1, 2]]"), "a size must be");
    refuse(ONE_SIZE("'gpus': [[2, 1, 1001]], 'duration_s': [[0, 1], [1, 2]]"), "a size must be");
    refuse(ONE_SIZE("'gpus': [[1, 0]], 'duration_s': [[0, 1], [1, 2]]"), "all shares of sizes");
    refuse(ONE_SIZE("'gpus': [[1, 1]]"), "\"duration_s\" is missing");
    refuse(ONE_SIZE("'gpus': [[1, 1]], 'duration_s': [[0.1, 1], [1, 2]]"),
           "must ascend from 0 to 1");
    refuse(ONE_SIZE("'gpus': [[1, 1]], 'duration_s': [[0, 1], [0.9, 2]]"), "must end with 1");
    refuse(ONE_SIZE("'gpus': [[1, 1]], 'duration_s': [[0, 2], [1, 1]]"), "must not fall");
    refuse(ONE_SIZE("'gpus': [[1, 1]], 'duration_s': [[0, 1], [1, 2]], 'states': [[0.5, 1, 0, 0]]"),
           "the last rank of states must be 1");
    refuse(ONE_SIZE("'gpus': [[1, 1]], 'duration_s': [[0, 1], [1, 2]], 'states': [[1, 0, 0, 0]]"),
           "ranks of states must ascend");
    /* no failures, no retries */
    refuse(ONE_SIZE("'gpus': [[1, 1]], 'duration_s': [[0, 1], [1, 2]], 'retries': 1"),
           "a mean of 1 retries is not possible");
}

static void test_no_vc_for_a_size(void **state)
{
    (void)state;
    refuse("{'name': 'x', " ARRIVALS "}, 'sizes': [{'name': 'a', 'gpus': [[16, 1]],"
           " 'duration_s': [[0, 1], [1, 2]]}], 'vcs': [{'name': 'p', 'share': 1, 'gpus_max': 8}]}",
           "none of vcs takes jobs of 16 GPUs");
}

static void test_unknown_name(void **state)
{
    (void)state;
    struct hs_workload w;
    sink_init(&sink);
    assert_int_equal(hs_workload_load(&w, "phily", &sink.diag), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "did you mean 'philly'?"));
}

/* ---- curves from histograms: by hand, else their distribution function against the numbers ----
 */

#define JOBS 20000

struct fitted {
    struct hs_loghist values;
    struct hs_arena arena;
    struct hs_quantile_fn curve;
};

static void fit_curve(struct fitted *f, const uint64_t *values, uint32_t count)
{
    *f = (struct fitted){0};
    for (uint32_t i = 0; i < count; i++)
        hs_loghist_add(&f->values, values[i]);
    hs_quantile_fn_of(&f->values, true, &f->arena, &f->curve);
    assert_true(f->curve.rank[0] == 0 && f->curve.rank[f->curve.count - 1] == 1);
    for (uint32_t i = 1; i < f->curve.count; i++) {
        assert_true(f->curve.rank[i] > f->curve.rank[i - 1]);
        assert_true(f->curve.value[i] >= f->curve.value[i - 1]);
    }
}

static void drop(struct fitted *f)
{
    hs_loghist_free(&f->values);
    hs_arena_free(&f->arena);
}

static double drawn(const struct fitted *f, double rank)
{
    return ceil(hs_quantile_fn_at(&f->curve, rank));
}

/* Of 4 jobs two take 0 s, one 3, one 1,000: each quarter of the ranks is one of them. */
static void test_curve_of_few_values(void **state)
{
    static const uint64_t values[] = {0, 1000, 3, 0};
    struct fitted f;
    (void)state;
    fit_curve(&f, values, 4);
    assert_true(drawn(&f, .01) == 0 && drawn(&f, .499) == 0);
    assert_true(drawn(&f, .51) == 3 && drawn(&f, .74) == 3);
    assert_true(drawn(&f, .76) == 1000 && drawn(&f, .9999) == 1000);
    drop(&f);
}

static void test_curve_of_one_value(void **state)
{
    static const uint64_t values[] = {7, 7, 7};
    struct fitted f;
    (void)state;
    fit_curve(&f, values, 3);
    assert_int_equal(f.curve.count, 2);
    assert_true(drawn(&f, .001) == 7 && drawn(&f, 1) == 7);
    drop(&f);
}

/* The share of ranks at which the quantile function, rounded up, is at most this value. */
static double upto(const struct fitted *f, double value)
{
    double low = 0, high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (drawn(f, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Durations over six decades with a tenth of them exactly 60 s: the error is .001 of the jobs (or
 * the width of a bucket of the histogram, .1 % of a value, which is less), in the tail 1 % of the
 * jobs beyond; so the mean is right within about 1 %. 20,000 numbers become few points. */
static void test_curve_of_many_values(void **state)
{
    static uint64_t values[JOBS];
    struct fitted f;
    double mean = 0;
    (void)state;
    for (uint32_t i = 0; i < JOBS; i++) {
        double z = hs_normal_of(11, i);
        values[i] = i % 10 == 0 ? 60 : (uint64_t)ceil(exp(5.5 + 2.3 * z));
        mean += (double)values[i] / JOBS;
    }
    fit_curve(&f, values, JOBS);
    qsort(values, JOBS, sizeof *values, by_size);
    for (uint32_t i = 0; i + 1 < JOBS; i++) {
        double share = (i + 1.0) / JOBS, allowed = fmin(.002, .02 * (1 - share) + 1e-6);
        if (values[i + 1] > values[i] + values[i] / 1000 &&
            fabs(upto(&f, (double)values[i]) - share) > allowed)
            fail_msg("%u s: %g, not %g", (unsigned)values[i], upto(&f, (double)values[i]), share);
    }
    assert_true(fabs(hs_quantile_fn_mean(&f.curve) / mean - 1) < .015);
    assert_true(f.curve.count < 300);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve_points),
        cmocka_unit_test(test_curve_atom),
        cmocka_unit_test(test_curve_from_zero),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_shipped_gpu_time),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_sizes),
        cmocka_unit_test(test_no_vc_for_a_size),
        cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_curve_of_few_values),
        cmocka_unit_test(test_curve_of_one_value),
        cmocka_unit_test(test_curve_of_many_values),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
