/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every format that can be written, with itself and with every other: the fields of a job that both
 * formats hold survive from one through the other, and no others appear. The tables list the fields
 * of a format; a format of formats.def is tested without a line here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/traced.h"
#include "traces/format.h"

#define JOBS 40

static struct hs_trace_job jobs[JOBS];
static char texts[JOBS][8][8];
static int64_t attempts_us[JOBS][3];
static struct hs_deadline_option options[JOBS][2];
static struct traced t;

static uint32_t draw(uint64_t job, uint64_t what, uint32_t below)
{
    return (uint32_t)(hs_mix64(job, what) % below);
}

/* Digits, so that a format with numeric names holds them as well. NULL for every fourth. */
static const char *draw_text(uint64_t job, uint64_t what)
{
    char *text = texts[job][what];
    (void)snprintf(text, sizeof texts[job][what], "%u", 1 + draw(job, 100 + what, 99));
    return draw(job, 200 + what, 4) > 0 ? text : NULL;
}

/* Whole minutes: no format is coarser. */
static int64_t draw_minutes(uint64_t job, uint64_t what, uint32_t below)
{
    return (int64_t)draw(job, what, below) * 60000000;
}

static void draw_optional(uint64_t i, struct hs_trace_job *job)
{
    job->nodes = draw(i, 10, 2) * (1 + draw(i, 11, job->gpus));
    job->cpus_milli = draw(i, 12, 3) * job->gpus * 1000;
    job->mem_mib = draw(i, 13, 3) * job->gpus * 1024;
    job->gpu_mem_mib = 1024 + 1024 * draw(i, 14, 20);
    job->gpu_mem_persistent_mib = draw(i, 15, 2) * 512;
    job->gpu_mem_later_mib = draw(i, 16, 2) * 2048;
    job->later_us = job->gpu_mem_later_mib > 0 ? 60000000 : 0;
    job->checkpoint_mib = draw(i, 17, 2) * 300;
    job->step_us = draw_minutes(i, 18, 2);
    job->job_class = (enum hs_job_class)draw(i, 19, HS_JOB_CLASS_COUNT);
    job->gpu_util_pm = (int32_t)draw(i, 20, 102) * 10 - 10;
    job->gpu_util_pm = job->gpu_util_pm < 0 ? -1 : job->gpu_util_pm;
    job->priority = (int32_t)draw(i, 21, 5);
    job->outcome = (enum hs_outcome)draw(i, 22, HS_OUTCOME_COUNT);
    job->deadline_us = draw(i, 23, 2) > 0 ? job->submit_us + draw_minutes(i, 24, 500) : -1;
    job->preempt_cost_us = draw(i, 25, 2) > 0 ? draw_minutes(i, 26, 3) : -1;
    job->gpus_min = 1 + draw(i, 27, job->gpus);
    job->gpus_max = job->gpus + draw(i, 28, 3);
    job->has_range = true;
    if (draw(i, 45, 2) > 0)
        job->loss = (struct hs_loss_curve){
            (1 + draw(i, 46, 3000000)) / 1e6, (1 + draw(i, 47, 3000000)) / 1e6,
            draw(i, 48, 1000000) / 1e6, (1 + draw(i, 49, 50000)) / 1e6};
}

static void draw_attempts(uint64_t i, struct hs_trace_job *job)
{
    job->attempts = draw(i, 30, 3) == 0 ? 3 : 0;
    job->attempts_us = job->attempts > 0 ? attempts_us[i] : NULL;
    for (uint32_t k = 0; k < job->attempts; k++) {
        attempts_us[i][k] = draw_minutes(i, 31 + k, 300);
        job->duration_us = (k > 0 ? job->duration_us : 0) + attempts_us[i][k];
    }
}

/* With a deadline in the job, and without. */
static void draw_options(uint64_t i, struct hs_trace_job *job)
{
    job->option_count = draw(i, 40, 3);
    job->options = job->option_count > 0 ? options[i] : NULL;
    for (uint32_t k = 0; k < job->option_count; k++)
        options[i][k] = (struct hs_deadline_option){(k > 0 ? options[i][0].after_us : 0) +
                                                        60000000 + draw_minutes(i, 41 + k, 300),
                                                    draw(i, 43 + k, 10001)};
    if (job->option_count > 0 && job->deadline_us < 0)
        job->deadline_us = job->submit_us + options[i][0].after_us;
}

/* 1,000,000,020 s are 2001-09-09 01:47:00, on the minute. */
static void draw_jobs(void)
{
    static char ids[JOBS][8];
    int64_t submit_us = INT64_C(1000000020) * 1000000;
    for (uint64_t i = 0; i < JOBS; i++) {
        struct hs_trace_job *job = &jobs[i];
        submit_us += draw_minutes(i, 1, 100);
        (void)snprintf(ids[i], sizeof ids[i], "%u", 100 + (unsigned)i);
        *job = (struct hs_trace_job){.id = ids[i],
                                     .user = draw_text(i, 0),
                                     .vc = draw_text(i, 1),
                                     .gpu_type = draw_text(i, 2),
                                     .model = draw_text(i, 3),
                                     .dataset = draw_text(i, 4),
                                     .batch = draw_text(i, 5),
                                     .precision = draw_text(i, 6),
                                     .submit_us = submit_us,
                                     .duration_us = 60000000 + draw_minutes(i, 2, 5000),
                                     .gpus = draw(i, 3, 2) > 0 ? 1 : 1 + draw(i, 4, 40),
                                     .gpu_milli = 1000};
        if (job->gpus == 1 && draw(i, 5, 2) > 0)
            job->gpu_milli = 10 * (1 + draw(i, 6, 99));
        draw_optional(i, job);
        draw_attempts(i, job);
        draw_options(i, job);
        job->start_us = job->submit_us + draw_minutes(i, 50, 100);
        job->end_us = job->start_us + job->duration_us;
    }
}

static void write_to(const struct hs_trace_format *format, const char *path,
                     const struct hs_trace_job *list)
{
    struct hs_trace_writer w;
    struct sink sink;
    sink_init(&sink);
    assert_int_equal(hs_trace_writer_open(&w, format, NULL, path, &sink.diag), HS_OK);
    for (size_t i = 0; i < JOBS; i++)
        hs_trace_writer_put(&w, &list[i]);
    assert_int_equal(hs_trace_writer_close(&w, HS_OK, &sink.diag), HS_OK);
    assert_string_equal(sink.text, "");
}

/* Reads with format auto: a written file must be recognised. */
static void read_from(const struct hs_trace_format *format, const char *path)
{
    traced_options(&t);
    t.options.keeps_attempts = format->has_attempts;
    t.options.keeps_recorded = true;
    traced_file(&t, path);
    if (t.status != HS_END || t.count != JOBS || strcmp(t.format, format->name) != 0)
        fail_msg("%s, read as %s: %d after %d jobs: %s", format->name, t.format, t.status,
                 (int)t.count, t.sink.text);
}

static const struct hs_trace_job nothing = {.gpu_milli = 1000,
                                            .deadline_us = -1,
                                            .preempt_cost_us = -1,
                                            .gpu_util_pm = -1,
                                            .start_us = -1,
                                            .end_us = -1};

/* For a recorded end the member of the start, since it follows from start and run time. */
static size_t member_of(const struct hs_column *column)
{
    return column->offset == offsetof(struct hs_trace_job, end_us)
               ? offsetof(struct hs_trace_job, start_us)
               : column->offset;
}

/* Compares the jobs that passed through both formats. */
static void expect_jobs(const struct hs_trace_format *a, const struct hs_trace_format *b)
{
    const struct hs_trace_layout *native = hs_trace_format_find("csv")->layout;
    for (size_t i = 0; i < JOBS; i++)
        for (uint32_t c = 0; c < native->column_count; c++) {
            const struct hs_column *column = &native->columns[c];
            struct hs_trace_job expected = nothing;
            const size_t member = member_of(column);
            if (traced_may_change(a, &jobs[i], column) || traced_may_change(b, &jobs[i], column))
                continue;
            if (member == offsetof(struct hs_trace_job, start_us) &&
                (!hs_layout_holds(a->layout, member) || !hs_layout_holds(b->layout, member)))
                continue; /* some formats make up a value */
            expected.gpus = expected.gpus_min = expected.gpus_max = jobs[i].gpus;
            if (hs_layout_holds(a->layout, member) && hs_layout_holds(b->layout, member))
                expected = jobs[i];
            else if (column->kind == HS_CELL_ID)
                continue; /* every job has a value: then it is a number */
            if (hs_layout_outcome(a->layout, jobs[i].outcome) == NULL ||
                hs_layout_outcome(b->layout, jobs[i].outcome) == NULL)
                expected.outcome = HS_OUTCOME_UNKNOWN;
            if (!traced_is_same(&t.jobs[i], &expected, column))
                fail_msg("%s and %s: %s of job %d differs", a->name, b->name, column->key, (int)i);
        }
}

static const struct hs_trace_format *written_at(size_t index)
{
    const struct hs_trace_format *format;
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++)
        if (format->layout != NULL && index-- == 0)
            return format;
    return NULL;
}

/* From one format to the other and back. */
static void test_all_pairs(void **state)
{
    static struct traced first;
    const struct hs_trace_format *a, *b;
    (void)state;
    draw_jobs();
    for (size_t i = 0; (a = written_at(i)) != NULL; i++)
        for (size_t k = 0; (b = written_at(k)) != NULL; k++) {
            write_to(a, scratch_path("a"), jobs);
            read_from(a, scratch_path("a"));
            expect_jobs(a, a);
            first = t;
            write_to(b, scratch_path("b"), first.jobs);
            read_from(b, scratch_path("b"));
            expect_jobs(a, b);
            first = t;
            write_to(a, scratch_path("back"), first.jobs);
            read_from(a, scratch_path("back"));
            expect_jobs(a, b);
        }
}

/* The job's own data must be read back: a table without any field would pass the test above. Gavel
 * numbers its jobs; all other formats keep the ids. */
static void test_every_format_holds_a_job(void **state)
{
    const struct hs_trace_format *format;
    static const size_t members[] = {
        offsetof(struct hs_trace_job, id), offsetof(struct hs_trace_job, submit_us),
        offsetof(struct hs_trace_job, gpus), offsetof(struct hs_trace_job, duration_us)};
    (void)state;
    for (size_t i = 0; (format = written_at(i)) != NULL; i++)
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            if (!hs_layout_holds(format->layout, members[k]) &&
                (k > 0 || strcmp(format->name, "gavel") != 0))
                fail_msg("%s does not hold member %d", format->name, (int)k);
}

static void test_suffixes(void **state)
{
    static const char *const cases[][2] = {{"out.csv", "csv"},
                                           {"out.csv.gz", "csv"},
                                           {"a.b/x.csv.zst", "csv"},
                                           {"cluster_job_log.json", "philly"},
                                           {"cluster_job_log.json.zst", "philly"}};
    const struct hs_trace_format *format;
    struct sink sink;
    (void)state;
    sink_init(&sink);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(hs_trace_writer_choose("auto", cases[i][0], &format, &sink.diag), HS_OK);
        assert_string_equal(format->name, cases[i][1]);
    }
    assert_int_equal(hs_trace_writer_choose("helios", "out.csv", &format, &sink.diag), HS_OK);
    assert_string_equal(format->name, "helios");
    assert_int_equal(hs_trace_writer_choose("auto", ".csv", &format, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_trace_writer_choose(NULL, "-", &format, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_trace_writer_choose("philli", "-", &format, &sink.diag), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "did you mean 'philly'?"));
}

/* By the suffix of the file: gzip and zstd start with their magic numbers (RFC 1952, RFC 8878), and
 * are read back like any other. */
static void test_compressed(void **state)
{
    static const char *const names[] = {"out.csv.gz", "out.csv.zst"};
    static const unsigned char heads[][4] = {{0x1f, 0x8b, 8, 0}, {0x28, 0xb5, 0x2f, 0xfd}};
    const struct hs_trace_format *csv = hs_trace_format_find("csv");
    (void)state;
    draw_jobs();
    for (int i = 0; i < 2; i++) {
        unsigned char head[4];
        write_to(csv, scratch_path(names[i]), jobs);
        FILE *file = fopen(scratch_path(names[i]), "rb");
        assert_non_null(file);
        assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
        assert_int_equal(fclose(file), 0);
        assert_memory_equal(head, heads[i], sizeof head);
        read_from(csv, scratch_path(names[i]));
        expect_jobs(csv, csv);
    }
}

/* Helios, Philly and Tiresias have whole seconds; by hand. */
static void test_rounding(void **state)
{
    const struct hs_trace_layout *layout = hs_trace_format_find("helios")->layout;
    struct hs_trace_job job = {
        .submit_us = 1500000, .duration_us = 1, .deadline_us = -1, .cpus_milli = 2001};
    (void)state;
    hs_layout_round(layout, &job);
    assert_true(job.submit_us == 2000000);   /* half up */
    assert_true(job.duration_us == 1000000); /* a positive time does not become 0 */
    assert_int_equal(job.cpus_milli, 3000);  /* part of a core becomes a core */
    job = (struct hs_trace_job){.submit_us = 1499999, .duration_us = 0, .cpus_milli = 2000};
    hs_layout_round(layout, &job);
    assert_true(job.submit_us == 1000000);
    assert_true(job.duration_us == 0);
    assert_int_equal(job.cpus_milli, 2000);
    assert_true(hs_layout_round_span(layout, 86400499999) == INT64_C(86400000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs), cmocka_unit_test(test_every_format_holds_a_job),
        cmocka_unit_test(test_suffixes),  cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
