/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * traces/trace_cache: a trace replayed from memory compared with the same trace read from its file.
 * The file is the reference: every field of every job, and the counts after each of them, must be
 * equal.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "support/sink.h"
#include "traces/trace_stream.h"

static void assert_text(const char *got, const char *want)
{
    if (want == NULL)
        assert_null(got);
    else
        assert_string_equal(got, want);
}

/* The plain fields as bytes, texts and attempts by content. */
static void assert_same_job(const struct hs_trace_job *got, const struct hs_trace_job *want)
{
    struct hs_trace_job a = *got, b = *want;
    assert_text(a.id, b.id);
    assert_text(a.user, b.user);
    assert_text(a.vc, b.vc);
    assert_text(a.gpu_type, b.gpu_type);
    assert_text(a.model, b.model);
    assert_text(a.dataset, b.dataset);
    assert_text(a.batch, b.batch);
    assert_text(a.precision, b.precision);
    assert_int_equal(a.attempts, b.attempts);
    for (uint32_t i = 0; i < a.attempts; i++)
        assert_true(a.attempts_us[i] == b.attempts_us[i]);
    assert_int_equal(a.option_count, b.option_count);
    for (uint32_t i = 0; i < a.option_count; i++) {
        assert_true(a.options[i].after_us == b.options[i].after_us);
        assert_int_equal(a.options[i].value_milli, b.options[i].value_milli);
    }
    assert_true(a.submit_us == b.submit_us);
    assert_true(a.duration_us == b.duration_us);
    assert_true(a.deadline_us == b.deadline_us);
    assert_true(a.preempt_cost_us == b.preempt_cost_us);
    assert_int_equal(a.gpus, b.gpus);
    assert_int_equal(a.gpus_min, b.gpus_min);
    assert_int_equal(a.gpus_max, b.gpus_max);
    assert_int_equal(a.gpu_milli, b.gpu_milli);
    assert_int_equal(a.gpu_mem_mib, b.gpu_mem_mib);
    assert_int_equal(a.gpu_util_pm, b.gpu_util_pm);
    assert_int_equal(a.nodes, b.nodes);
    assert_int_equal(a.cpus_milli, b.cpus_milli);
    assert_int_equal(a.mem_mib, b.mem_mib);
    assert_int_equal(a.gpu_mem_persistent_mib, b.gpu_mem_persistent_mib);
    assert_int_equal(a.gpu_mem_later_mib, b.gpu_mem_later_mib);
    assert_true(a.later_us == b.later_us);
    assert_int_equal(a.checkpoint_mib, b.checkpoint_mib);
    assert_int_equal(a.job_class, b.job_class);
    assert_int_equal(a.priority, b.priority);
    assert_int_equal(a.profile, b.profile);
    assert_int_equal(a.profile_from, b.profile_from);
    assert_int_equal(a.outcome, b.outcome);
    assert_true(a.step_us == b.step_us);
    assert_true(a.line == b.line);
}

static void assert_same_counts(const struct hs_trace *got, const struct hs_trace *want)
{
    struct hs_trace_counts a, b;
    hs_trace_get_counts(got, &a);
    hs_trace_get_counts(want, &b);
    assert_true(a.rows == b.rows);
    assert_true(a.accepted == b.accepted);
    assert_true(a.bad == b.bad);
    assert_true(a.reordered == b.reordered);
    assert_true(a.rounded == b.rounded);
    assert_true(a.folded == b.folded);
    for (int i = 0; i < HS_DROP_COUNT; i++)
        assert_true(a.drops[i] == b.drops[i]);
}

static uint64_t replay_beside(const struct hs_trace_options *options,
                              const struct hs_trace_cache *trace_cache)
{
    struct hs_trace_options taped_options = *options;
    struct hs_trace *cached, *direct;
    struct hs_trace_job *got, *want;
    struct sink sink;
    uint64_t jobs = 0, hash[2], bytes[2];
    sink_init(&sink);
    taped_options.trace_cache = trace_cache;
    assert_int_equal(hs_trace_open(&cached, &taped_options, &sink.diag), HS_OK);
    assert_int_equal(hs_trace_open(&direct, options, &sink.diag), HS_OK);
    for (;;) {
        enum hs_status status = hs_trace_next(direct, &want);
        assert_int_equal(hs_trace_next(cached, &got), status);
        assert_same_counts(cached, direct);
        if (status == HS_END)
            break;
        assert_int_equal(status, HS_OK);
        assert_same_job(got, want);
        jobs++;
    }
    assert_int_equal(hs_trace_identity(cached, &hash[0], &bytes[0]), HS_OK);
    assert_int_equal(hs_trace_identity(direct, &hash[1], &bytes[1]), HS_OK);
    assert_true(hash[0] == hash[1]);
    assert_true(bytes[0] == bytes[1]);
    assert_string_equal(hs_trace_format_name(cached), hs_trace_format_name(direct));
    assert_string_equal(hs_trace_path(cached), hs_trace_path(direct));
    hs_trace_close(cached);
    hs_trace_close(direct);
    return jobs;
}

static uint64_t check(struct hs_trace_options *options)
{
    static const double loads[] = {1, 0.7, 3}, scales[] = {1, 0.1, 2.5};
    struct hs_trace_cache *trace_cache;
    struct sink sink;
    uint64_t jobs = 0;
    sink_init(&sink);
    assert_int_equal(hs_trace_cache_record(&trace_cache, options, &sink.diag), HS_OK);
    assert_non_null(trace_cache);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        options->load = loads[i];
        options->scale_time = scales[i];
        jobs = replay_beside(options, trace_cache);
    }
    hs_trace_cache_free(trace_cache);
    return jobs;
}

static void test_every_sample(void **state)
{
    static const char *const samples[] = {"traces/sample.csv", "traces/sample-helios.csv",
                                          "traces/sample-philly.json", "traces/sample-classes.csv"};
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct hs_trace_options options;
        hs_trace_options_default(&options);
        options.path = samples[i];
        assert_true(check(&options) > 0);
    }
}

/* A sample of a window: the cache leaves out the same jobs as the file's reader. Another seed needs
 * another cache, another load does not. */
static void test_window_and_sample(void **state)
{
    struct hs_trace_options options, other;
    (void)state;
    hs_trace_options_default(&options);
    options.path = "traces/sample.csv";
    options.window = (struct hs_trace_window){.from_us = INT64_C(3600000000), .to_us = INT64_MAX};
    options.sample = 0.3;
    options.seed = 5;
    assert_in_range(check(&options), 400, 800); /* of 2000 less those of the first hour */
    other = options;
    other.load = 9;
    other.scale_time = 9;
    assert_true(hs_trace_cache_key(&other) == hs_trace_cache_key(&options));
    other.seed = 6;
    assert_true(hs_trace_cache_key(&other) != hs_trace_cache_key(&options));
    options.sample = other.sample = 1;
    assert_true(hs_trace_cache_key(&other) == hs_trace_cache_key(&options));
    other.window.is_from_date = true;
    assert_true(hs_trace_cache_key(&other) != hs_trace_cache_key(&options));
}

static void test_limits_and_attempts(void **state)
{
    struct hs_trace_options options;
    (void)state;
    hs_trace_options_default(&options);
    options.path = "traces/sample-philly.json";
    options.keeps_attempts = true;
    options.max_jobs = 17;
    assert_true(check(&options) == 17);
}

/* The storage of the reader is reused by the next row: the cache must copy. */
static void test_deadline_options(void **state)
{
    static const char rows[] = "job_id,submit_time,gpus,duration,deadline_options\n"
                               "a,1,1,10,12:10/20:5\nb,0,1,10,13:9.5/21:4/30:1\nc,2,1,10,\n";
    struct hs_trace_options options;
    (void)state;
    hs_trace_options_default(&options);
    options.path = scratch_write("options.csv", rows, sizeof rows - 1);
    assert_true(check(&options) == 3);
}

/* Late and dropped rows: 6 rows, of which row 3 comes late and row 5 requests no GPU. */
static void test_counts_on_the_way(void **state)
{
    static const char rows[] = "job_id,submit_time,gpus,duration\na,0,1,5\nb,20,1,5\nc,10,2,5\n"
                               "d,30,1,5\ne,31,0,5\nf,40,1,5\n";
    struct hs_trace_options options;
    (void)state;
    hs_trace_options_default(&options);
    options.path = scratch_write("late.csv", rows, sizeof rows - 1);
    options.sort_window = 2;
    assert_true(check(&options) == 5);
}

/* A trace with a bad row is not cached: each reader reports its place. */
static void test_refused(void **state)
{
    static const char rows[] = "job_id,submit_time,gpus,duration\na,0,1,5\nb,x,1,5\n";
    struct hs_trace_options options;
    struct hs_trace_cache *trace_cache;
    struct sink sink;
    (void)state;
    hs_trace_options_default(&options);
    options.path = scratch_write("bad.csv", rows, sizeof rows - 1);
    sink_init(&sink);
    assert_int_equal(hs_trace_cache_record(&trace_cache, &options, &sink.diag), HS_OK);
    assert_null(trace_cache);
    options.skip_bad_permille = 500; /* read to the end, with a warning */
    assert_int_equal(hs_trace_cache_record(&trace_cache, &options, &sink.diag), HS_OK);
    assert_null(trace_cache);
    assert_int_equal(sink.diag.errors, 0);
}

/* traces/sample.csv has 2000 jobs, which fit into the rows held back: the number of all jobs is
 * known from the first on. With ten rows held back the rest is estimated, by bytes: lines are about
 * equally long. */
static void test_expected(void **state)
{
    (void)state;
    struct hs_trace_options options;
    struct hs_trace *trace;
    struct hs_trace_job *job;
    struct sink sink;
    sink_init(&sink);
    hs_trace_options_default(&options);
    options.path = "traces/sample.csv";
    assert_int_equal(hs_trace_open(&trace, &options, &sink.diag), HS_OK);
    assert_int_equal(hs_trace_next(trace, &job), HS_OK);
    assert_true(hs_trace_expected(trace) == 2000);
    hs_trace_close(trace);

    options.max_jobs = 30;
    options.sort_window = 10;
    assert_int_equal(hs_trace_open(&trace, &options, &sink.diag), HS_OK);
    assert_int_equal(hs_trace_next(trace, &job), HS_OK);
    assert_true(hs_trace_expected(trace) == 30);
    hs_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_sample),      cmocka_unit_test(test_limits_and_attempts),
        cmocka_unit_test(test_deadline_options),  cmocka_unit_test(test_counts_on_the_way),
        cmocka_unit_test(test_refused),           cmocka_unit_test(test_expected),
        cmocka_unit_test(test_window_and_sample),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
