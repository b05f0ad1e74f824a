/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Real traces through the writer of their format, through the native CSV and through every other
 * format: every job is read back with all fields of the format, at the format's resolution.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/data.h"
#include "support/traced.h"
#include "traces/format.h"

static struct sink sink;

static void prepare(struct hs_trace_options *options, const char *path, const char *speeds)
{
    hs_trace_options_default(options);
    options->path = path;
    options->gavel_throughputs = speeds;
    options->sort_window = HS_SORT_ALL;
    options->cpu_jobs = HS_CPU_JOBS_KEEP;
}

static void open_trace(struct hs_trace **trace, const struct hs_trace_options *options)
{
    if (hs_trace_open(trace, options, &sink.diag) != HS_OK)
        fail_msg("%s: %s", options->path, sink.text);
}

static void convert(const struct hs_trace_options *options, const struct hs_trace_format *format,
                    const char *path)
{
    struct hs_trace *trace;
    struct hs_trace_job *job;
    struct hs_trace_writer w;
    open_trace(&trace, options);
    assert_int_equal(hs_trace_writer_open(&w, format, options, path, &sink.diag), HS_OK);
    while (hs_trace_next(trace, &job) == HS_OK)
        hs_trace_writer_put(&w, job);
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    hs_trace_close(trace);
}

static void expect_job(const struct hs_trace_job *got, const struct hs_trace_job *told,
                       const struct hs_trace_format *format)
{
    const struct hs_trace_layout *native = hs_trace_format_find("csv")->layout;
    struct hs_trace_job rounded = *told, *expected = &rounded;
    hs_layout_round(format->layout, expected);
    for (uint32_t i = 0; i < native->column_count; i++) {
        const struct hs_column *column = &native->columns[i];
        if (hs_layout_holds(format->layout, column->offset) != NULL &&
            !traced_may_change(format, expected, column) && !traced_is_same(got, expected, column))
            fail_msg("%s: %s of job '%s' differs", format->name, column->key, expected->id);
    }
}

static uint64_t expect_equal(const struct hs_trace_options *a, const struct hs_trace_options *b,
                             const struct hs_trace_format *format)
{
    struct hs_trace *first, *second;
    struct hs_trace_job *expected, *got;
    uint64_t count = 0;
    enum hs_status status;
    open_trace(&first, a);
    open_trace(&second, b);
    assert_string_equal(hs_trace_format_name(second), format->name);
    for (; (status = hs_trace_next(first, &expected)) == HS_OK; count++) {
        if (hs_trace_next(second, &got) != HS_OK)
            fail_msg("%s: job %d is missing: %s", format->name, (int)count, sink.text);
        expect_job(got, expected, format);
    }
    assert_int_equal(status, HS_END);
    assert_int_equal(hs_trace_next(second, &got), HS_END);
    hs_trace_close(first);
    hs_trace_close(second);
    return count;
}

/* To CSV and, if it can be written, to its own format, and from CSV to its own format again. */
static void round_trip(const char *name, const char *format_name, const char *speeds, uint64_t jobs)
{
    const struct hs_trace_format *format = hs_trace_format_find(format_name);
    const struct hs_trace_format *csv = hs_trace_format_find("csv");
    struct hs_trace_options original, own, native, again;
    char paths[3][512];
    for (int i = 0; i < 3; i++)
        (void)snprintf(paths[i], sizeof paths[i], "%s",
                       scratch_path(i == 0   ? "own"
                                    : i == 1 ? "csv"
                                             : "again"));
    sink_init(&sink);
    prepare(&original, data_need("traces", name), speeds);
    prepare(&native, paths[1], NULL);
    convert(&original, csv, paths[1]);
    assert_int_equal(expect_equal(&original, &native, csv), jobs);
    if (format->layout == NULL)
        return;
    prepare(&own, paths[0], speeds);
    prepare(&again, paths[2], speeds);
    convert(&original, format, paths[0]);
    assert_int_equal(expect_equal(&original, &own, format), jobs);
    native.gavel_throughputs = speeds;
    native.writes_gavel = true;
    convert(&native, format, paths[2]);
    assert_int_equal(expect_equal(&original, &again, format), jobs);
}

/* Jobs: rows as the data's own description counts them, less those that are always dropped: 25 of
 * hpc2n without a run time, 897 of the 8,152 pods that were never scheduled. */
static void test_swf(void **state)
{
    (void)state;
    round_trip("hpc2n_part.swf", "swf", NULL, 3145);
}

static void test_gavel(void **state)
{
    char speeds[512];
    (void)state;
    (void)snprintf(speeds, sizeof speeds, "%s",
                   data_need("calibration", "gavel/oracle_throughputs.json"));
    round_trip("7f04ca.trace", "gavel", speeds, 972);
    round_trip("0e4a51.trace", "gavel", speeds, 1181);
}

static void test_simulators(void **state)
{
    (void)state;
    round_trip("60_job.csv", "tiresias", NULL, 60);
    round_trip("trace1.csv", "muri", NULL, 1494);
    round_trip("trace4.csv", "muri", NULL, 2638);
    round_trip("trace_job_Philly_MIX1.csv", "chronus", NULL, 30940);
}

static void test_openb(void **state)
{
    (void)state;
    round_trip("openb_pod_list_default.csv", "openb", NULL, 7255);
}

/* A file in order of submission needs no further sorting. */
static void through_all(const char *name, const char *map, uint64_t jobs)
{
    const struct hs_trace_format *format;
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++) {
        struct hs_trace_options original, written;
        char path[512];
        if (format->layout == NULL)
            continue;
        (void)snprintf(path, sizeof path, "%s", scratch_path("written"));
        sink_init(&sink);
        prepare(&original, data_need("traces", name), NULL);
        prepare(&written, path, NULL);
        original.map = map;
        original.max_jobs = 5000;
        written.format = format->name;
        convert(&original, format, path);
        assert_int_equal(expect_equal(&original, &written, format), jobs);
    }
}

static void test_every_format(void **state)
{
    (void)state;
    through_all("openb_pod_list_default.csv", NULL, 5000);
    through_all("venus_gpu_jobs_mar-jul2020.csv", "gpus=gpu_num", 5000);
    through_all("philly_vc_7f04ca_0e4a51.csv", "job_id=@row,gpus=num_gpus,duration=duration_s",
                4132); /* 4,133 lines */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swf),          cmocka_unit_test(test_gavel),
        cmocka_unit_test(test_simulators),   cmocka_unit_test(test_openb),
        cmocka_unit_test(test_every_format),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
