/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Published traces written in every format and read back: as many jobs, and of the first of them
 * all that the format holds.
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
#include "traces/losses.h"
#include "traces/write.h"

/* map NULL: recognised by content. */
static const struct {
    const char *name, *map;
} files[] = {
    {"60_job.csv", NULL},
    {"trace1.csv", NULL},
    {"trace_job_Philly_MIX1.csv", NULL},
    {"hpc2n_part.swf", NULL},
    {"openb_pod_list_default.csv", NULL},
    {"pai_sample_first_half.csv", "gpus=gpu_count,submit_time=arrival_s,duration=service_sec"},
    {"philly_vc_7f04ca_0e4a51.csv", "job_id=@row,gpus=num_gpus,duration=duration_s"},
    {"venus_gpu_jobs_mar-jul2020.csv", "gpus=gpu_num"}};

static struct traced original, back;

static void read_original(const char *path, const char *map)
{
    traced_options(&original);
    original.options.map = map;
    original.options.cpu_jobs = HS_CPU_JOBS_KEEP;
    original.options.sort_window = HS_SORT_ALL;
    original.options.max_jobs = 10000;
    traced_file(&original, path);
    if (original.status != HS_END)
        fail_msg("%s: %s", path, original.sink.text);
}

static void convert(const char *path, const struct hs_trace_format *to, const char *written,
                    struct hs_losses *losses)
{
    struct hs_trace_options options = original.options;
    struct hs_trace_writer w;
    struct hs_trace_job job;
    struct hs_trace *trace;
    struct sink sink;
    enum hs_status status;
    sink_init(&sink);
    options.path = path;
    hs_losses_open(losses, to);
    assert_int_equal(hs_trace_open(&trace, &options, &sink.diag), HS_OK);
    assert_int_equal(hs_trace_writer_open(&w, to, &options, written, &sink.diag), HS_OK);
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        hs_trace_writer_put(&w, &job);
        hs_losses_count(losses, &job);
    }
    assert_int_equal(status, HS_END);
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    hs_trace_close(trace);
}

static void expect_text(const char *got, const char *expected, const char *what)
{
    if (got == NULL || expected == NULL ? got != expected : strcmp(got, expected) != 0)
        fail_msg("%s: '%s', not '%s'", what, got != NULL ? got : "",
                 expected != NULL ? expected : "");
}

static bool holds(const struct hs_trace_layout *layout, size_t member)
{
    return hs_layout_holds(layout, member) != NULL;
}

/* What all formats hold, and the texts of those that do. */
static void expect_same(const struct hs_trace_format *to, const struct hs_trace_job *got,
                        struct hs_trace_job expected)
{
    hs_layout_round(to->layout, &expected);
    if (holds(to->layout, offsetof(struct hs_trace_job, id)))
        expect_text(got->id, expected.id, "job_id");
    if (holds(to->layout, offsetof(struct hs_trace_job, user)))
        expect_text(got->user, expected.user, "user");
    if (holds(to->layout, offsetof(struct hs_trace_job, gpu_type)))
        expect_text(got->gpu_type, expected.gpu_type, "gpu_type");
    assert_true(got->submit_us == expected.submit_us);
    assert_true(got->duration_us == expected.duration_us);
    assert_int_equal(got->gpus, expected.gpus);
}

/* Whether no job's value changes but by rounding: some formats know numbers for names alone. */
static bool is_kept(const struct hs_losses *losses)
{
    uint64_t changed = 0;
    for (uint32_t i = 0; i < losses->native->column_count; i++)
        changed += losses->changed[i];
    return changed == 0;
}

static void test_through_every_format(void **state)
{
    const struct hs_trace_format *to;
    size_t found = 0;
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *path = data_find("traces", files[f].name);
        if (path == NULL)
            continue;
        found++;
        read_original(path, files[f].map);
        for (size_t i = 0; (to = hs_trace_format_at(i)) != NULL; i++) {
            struct hs_losses losses;
            if (to->layout == NULL)
                continue;
            const char *written = scratch_path("written");
            convert(path, to, written, &losses);
            assert_int_equal(losses.jobs, original.count);
            traced_options(&back);
            back.options.cpu_jobs = HS_CPU_JOBS_KEEP;
            back.options.format = to->name;
            traced_file(&back, written);
            if (back.status != HS_END || back.count != original.count)
                fail_msg("%s as %s: %d jobs of %d: %s", files[f].name, to->name, (int)back.count,
                         (int)original.count, back.sink.text);
            for (size_t k = 0; is_kept(&losses) && k < TRACED_JOBS && k < original.count; k++)
                expect_same(to, &back.jobs[k], original.jobs[k]);
        }
    }
    if (found == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_through_every_format)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
