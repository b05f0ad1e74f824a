/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two run directories written by hand, compared job by job: which row is which, what is refused,
 * and figures that can be calculated by hand. Four jobs, in the order in which they end:
 *
 *     A   p  1 GPU,  isolated  20 s, submitted  0: wait  0, JCT  20, run 20
 *         q  4 GPUs, isolated   5 s, submitted 10: wait 10, JCT  15, run  5
 *         q  1 GPU,  isolated 100 s, submitted 10: wait  0, JCT 100, run 100 (the id comes twice)
 *         r  4 GPUs, isolated   0 s, submitted 30: wait 70, JCT  70, run  0
 *     B   as A, but the 4-GPU q waits 0 and has JCT 5, p waits 5 and runs 40: JCT 45, r waits 60
 *
 * Means of A: wait 80/4 = 20, JCT 205/4 = 51.25; of B: 65/4 = 16.25 and 210/4 = 52.5.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/compare/paired.h"
#include "support/sink.h"

#define HEAD                                                                                       \
    "job_id,submission_time,requested_number_of_resources,success,waiting_time,turnaround_time,"   \
    "vc,isolated,run\n"
#define MANIFEST                                                                                   \
    "{\"config\": {\"trace\": \"t.csv\", \"policy\": \"fifo\", \"load\": 1, \"warmup\": \"0s\","   \
    " \"cooldown\": \"0s\"},\n \"inputs\": [{\"role\": \"trace\", \"path\": \"t.csv\", "           \
    "\"xxh3_64\": "                                                                                \
    "\"0123456789abcdef\", \"bytes\": 62}], \"outputs\": []}\n"

static const char rows_a[] = HEAD "p,0,1,1,0,20,x,20,20\n"
                                  "q,10,4,1,10,15,y,5,5\n"
                                  "q,10,1,1,0,100,x,100,100\n"
                                  "r,30,4,1,70,70,,0,0\n";
static const char rows_b[] = HEAD "q,10,4,1,0,5,y,5,5\n"
                                  "p,0,1,1,5,45,x,20,40\n"
                                  "r,30,4,1,60,60,,0,0\n"
                                  "q,10,1,1,0,100,x,100,100\n";

static struct sink sink;
static struct hs_paired paired;

static void write_run(const char *run, const char *manifest, const char *rows)
{
    char name[64];
    (void)mkdir(scratch_path(run), 0777);
    snprintf(name, sizeof name, "%s/manifest.json", run);
    scratch_write(name, manifest, strlen(manifest));
    snprintf(name, sizeof name, "%s/jobs.csv", run);
    scratch_write(name, rows, strlen(rows));
}

static enum hs_status load(void)
{
    static char a[512], b[512];
    hs_paired_free(&paired);
    sink_init(&sink);
    snprintf(a, sizeof a, "%s", scratch_path("a"));
    snprintf(b, sizeof b, "%s", scratch_path("b"));
    return hs_paired_load(&paired, (const char *const[]){a, b}, &sink.diag);
}

static void load_rows(const char *a, const char *b)
{
    write_run("a", MANIFEST, a);
    write_run("b", MANIFEST, b);
    if (load() != HS_OK)
        fail_msg("%s", sink.text);
}

/* text with the first `find` replaced; valid for two calls. */
static const char *replaced(const char *text, const char *find, const char *by)
{
    static char outs[2][4096];
    static unsigned next;
    char *out = outs[next++ % 2];
    const char *at = strstr(text, find);
    assert_non_null(at);
    snprintf(out, sizeof outs[0], "%.*s%s%s", (int)(at - text), text, by, at + strlen(find));
    return out;
}

static void expect_refused(const char *manifest_b, const char *b, const char *message,
                           const char *hint)
{
    write_run("a", MANIFEST, rows_a);
    write_run("b", manifest_b, b);
    enum hs_status status = load();
    if (status != HS_E_INPUT || strstr(sink.text, message) == NULL ||
        strstr(sink.text, hint) == NULL)
        fail_msg("%s, wanted\n%s\n%s\ngot\n%s", hs_status_text(status), message, hint, sink.text);
}

static int compare_open(void **state)
{
    return scratch_open(state);
}

static int compare_close(void **state)
{
    static const char *const files[] = {"a/manifest.json", "a/jobs.csv", "b/manifest.json",
                                        "b/jobs.csv"};
    hs_paired_free(&paired);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)unlink(scratch_path(files[i]));
    return scratch_close(state);
}

/* The GPUs distinguish rows of equal id and submission, in any order of ends. */
static void rows_are_joined_by_what_they_are(void **state)
{
    (void)state;
    static const char *const ids[] = {"p", "q", "q", "r"};
    static const uint32_t gpus[] = {1, 1, 4, 4};
    load_rows(rows_a, rows_b);
    assert_string_equal(sink.text, "");
    assert_int_equal(paired.runs[HS_PAIRED_A].count, 4);
    assert_int_equal(paired.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        for (int r = 0; r < HS_PAIRED_RUNS; r++) {
            assert_string_equal(paired.runs[r].rows[i].id, ids[i]);
            assert_int_equal(paired.runs[r].rows[i].gpus, gpus[i]);
        }
    assert_int_equal(paired.runs[HS_PAIRED_B].rows[2].wait_us, 0);
    assert_int_equal(paired.runs[HS_PAIRED_A].rows[2].wait_us, 10000000);
    /* three rows equal in everything are joined in order of their ends */
    load_rows(HEAD "s,0,1,1,1,11,,10,10\ns,0,1,1,2,12,,10,10\ns,0,1,1,3,13,,10,10\n",
              HEAD "s,0,1,1,4,14,,10,10\ns,0,1,1,5,15,,10,10\ns,0,1,1,6,16,,10,10\n");
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(paired.runs[HS_PAIRED_B].rows[i].wait_us -
                             paired.runs[HS_PAIRED_A].rows[i].wait_us,
                         3000000);
}

static void other_workloads_are_refused(void **state)
{
    (void)state;
    expect_refused(replaced(MANIFEST, "cdef\"", "cdee\""), rows_b,
                   "trace t.csv (0123456789abcdee, 62 bytes) against t.csv (0123456789abcdef, 62 "
                   "bytes)",
                   "");
    expect_refused(MANIFEST, replaced(rows_b, "r,30,4", "r,30,8"),
                   "job r, submitted at 30, requests 8 GPUs for 0 s, not 4 for 0 s", "");
    expect_refused(MANIFEST, replaced(rows_b, "x,100,100", "x,99.5,100"),
                   "job q, submitted at 10, requests 1 GPUs for 99.5 s, not 1 for 100 s", "");
    /* the first in order of submission, not of the file */
    expect_refused(MANIFEST, replaced(rows_b, "p,0,", "p,0.5,"),
                   "job p, submitted at 0, is not in it", "");
    expect_refused(MANIFEST, replaced(rows_b, "r,30,4,1,60,60,,0,0\n", ""),
                   "job r, submitted at 30, is not in it", "");
    expect_refused(MANIFEST, replaced(rows_b, "r,30", "z,40,1,1,0,1,,1,1\nr,30"),
                   "job z, submitted at 40, is in it alone", "");
    expect_refused(MANIFEST, replaced(rows_b, "r,30", "o,0,1,1,0,1,,1,1\nr,30"),
                   "job o, submitted at 0, is in it alone", "");
    /* the option that differs */
    expect_refused(replaced(MANIFEST, "\"load\": 1", "\"load\": 1.5"),
                   replaced(rows_b, "p,0,", "p,0.5,"), "is not in it", "load differs: 1 in ");
}

static void what_cannot_be_compared_is_reported(void **state)
{
    (void)state;
    static char listed[1024];
    snprintf(listed, sizeof listed, "%s",
             replaced(MANIFEST, "\"outputs\": []",
                      "\"outputs\": [{\"name\": \"summary.csv\", \"xxh3_64\": "
                      "\"0123456789abcdef\"}]"));
    expect_refused(listed, rows_b, "nothing to compare: the run was made without jobs.csv",
                   "repeat the run with --outputs=all");
    expect_refused("{\"inputs\": []}\n", rows_b, "the manifest has no configuration",
                   "only the directories of `horus run`");
    expect_refused(MANIFEST, replaced(rows_b, "isolated", "work"), "there is no column 'isolated'",
                   "");
    expect_refused(MANIFEST, replaced(rows_b, "q,10,4,1,0,", "q,10,4,1,-1,"),
                   "waiting_time is not a time in seconds", "jobs.csv:2:");
    expect_refused(MANIFEST, replaced(rows_b, "q,10,4,1,0,5", "q,10,4,1,0,"),
                   "turnaround_time is not the time that a job which is done has taken", "");
    /* a directory of an unfinished run */
    (void)unlink(scratch_path("b/manifest.json"));
    assert_int_equal(load(), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "not a finished run: there is no manifest.json in it"));
    /* jobs.csv was changed after the manifest was written: compared, with a warning */
    write_run("a", MANIFEST, rows_a);
    write_run("b", replaced(listed, "summary", "jobs"), rows_b);
    assert_int_equal(load(), HS_OK);
    assert_non_null(strstr(sink.text, "not the file that the manifest lists"));
}

/* Only jobs that both runs finished, and inside the windows of both, are compared. */
static void jobs_that_count(void **state)
{
    (void)state;
    load_rows(replaced(rows_a, "p,0,1,1,0,20", "p,0,1,0,0,"), rows_b);
    assert_int_equal(paired.count, 3);
    assert_int_equal(paired.only_done[HS_PAIRED_B], 1);
    assert_int_equal(paired.only_done[HS_PAIRED_A], 0);
    load_rows(rows_a, replaced(rows_b, "r,30,4,1,60,60", "r,30,4,0,,"));
    assert_int_equal(paired.only_done[HS_PAIRED_A], 1);
    write_run("a", MANIFEST, replaced(rows_a, "r,30,4,1,70,70", "r,30,4,0,,"));
    assert_int_equal(load(), HS_OK);
    assert_int_equal(paired.done_in_none, 1);
    assert_int_equal(paired.count, 3);
    assert_int_equal(paired.outside, 0);
    /* submissions 0, 10, 10, 30: 10 and later in A, up to 30 - 20 in B */
    write_run("a", replaced(MANIFEST, "\"warmup\": \"0s\"", "\"warmup\": \"10s\""), rows_a);
    write_run("b", replaced(MANIFEST, "\"cooldown\": \"0s\"", "\"cooldown\": \"20s\""), rows_b);
    assert_int_equal(load(), HS_OK);
    assert_int_equal(paired.outside, 2);
    assert_int_equal(paired.count, 2);
    assert_int_equal(paired.compared[0], 1);
    assert_int_equal(paired.compared[1], 2);
    /* no job is left */
    load_rows(HEAD "p,0,1,0,,,,5,\n", HEAD "p,0,1,1,0,5,,5,5\n");
    assert_int_equal(hs_paired_compare(&paired, 100, 1), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "no job did all its work both in it and in"));
}

static const struct hs_paired_group *group(const char *kind, const char *name)
{
    for (uint32_t g = 0; g < paired.group_count; g++)
        if (strcmp(paired.groups[g].kind, kind) == 0 && strcmp(paired.groups[g].name, name) == 0)
            return &paired.groups[g];
    fail_msg("no group %s %s", kind, name);
    return NULL;
}

static void expect_figures(const struct hs_paired_figures *f, double mean_a, double mean_b,
                           double median)
{
    assert_true(f->mean[HS_PAIRED_A] == mean_a && f->mean[HS_PAIRED_B] == mean_b);
    assert_true(fabs(f->difference - (mean_b - mean_a)) < 1e-12);
    assert_true(isnan(f->ratio) || fabs(f->ratio - mean_b / mean_a) < 1e-12);
    assert_true(f->median_difference == median);
}

/* Differences of B to A: p wait +5 and JCT +25, the small q 0, the large q -10 and -10, r -10 and
 * -10. The median is the second of four: -10. */
static void figures_of_all(void **state)
{
    (void)state;
    load_rows(rows_a, rows_b);
    assert_int_equal(hs_paired_compare(&paired, 2000, 1), HS_OK);
    const struct hs_paired_figures *f = group("all", "")->figures;
    expect_figures(&f[HS_PAIRED_WAIT], 20, 16.25, -10);
    expect_figures(&f[HS_PAIRED_JCT], 51.25, 52.5, -10);
    assert_int_equal(f[HS_PAIRED_JCT].jobs, 4);
    assert_int_equal(f[HS_PAIRED_JCT].better, 2);
    assert_int_equal(f[HS_PAIRED_JCT].equal, 1);
    assert_int_equal(f[HS_PAIRED_JCT].worse, 1);
    /* JCT / isolated of p, q, q: A 1, 1, 3, B 2.25, 1, 1; r has no work. Differences 1.25, 0, -2.
     */
    expect_figures(&f[HS_PAIRED_SLOWDOWN], 5.0 / 3, 4.25 / 3, 0);
    assert_int_equal(f[HS_PAIRED_SLOWDOWN].jobs, 3);
    /* at least 10 s and at least 1: A 1, 1, 15/10, 70/10; B 2.25, 1, 1, 60/10. Differences 1.25, 0,
     * -0.5, -1. */
    expect_figures(&f[HS_PAIRED_BOUNDED], 10.5 / 4, 10.25 / 4, -0.5);
    /* run / isolated: A 1, 1, 1, B 2, 1, 1 */
    expect_figures(&f[HS_PAIRED_RUN_SLOWDOWN], 1, 4.0 / 3, 0);
    /* four jobs are four blocks: too few for an interval */
    assert_true(isnan(f[HS_PAIRED_JCT].difference_95.low));
    assert_true(isnan(f[HS_PAIRED_JCT].ratio_95.high));
}

/* Isolated 20, 100, 5, 0: the quartiles end at 0, 5, 20 and 100, one job each. */
static void figures_of_groups(void **state)
{
    (void)state;
    static const char *const groups[] = {"all ",        "gpus 1",     "gpus 2-4",    "vc x",
                                         "vc (none)",   "vc y",       "isolated q1", "isolated q2",
                                         "isolated q3", "isolated q4"};
    static const int64_t quartiles[] = {0, 5000000, 20000000, 100000000};
    load_rows(rows_a, rows_b);
    assert_int_equal(hs_paired_compare(&paired, 0, 1), HS_OK);
    assert_int_equal(paired.group_count, sizeof groups / sizeof *groups);
    for (uint32_t g = 0; g < paired.group_count; g++) {
        char name[96];
        snprintf(name, sizeof name, "%s %s", paired.groups[g].kind, paired.groups[g].name);
        assert_string_equal(name, groups[g]);
    }
    expect_figures(&group("gpus", "1")->figures[HS_PAIRED_JCT], 60, 72.5, 0);
    expect_figures(&group("gpus", "2-4")->figures[HS_PAIRED_JCT], 42.5, 32.5, -10);
    expect_figures(&group("vc", "(none)")->figures[HS_PAIRED_WAIT], 70, 60, -10);
    expect_figures(&group("isolated", "q3")->figures[HS_PAIRED_JCT], 20, 45, 25);
    /* a job without work has no slowdown, and a mean wait of 0 no ratio */
    const struct hs_paired_figures *f = group("isolated", "q1")->figures;
    assert_int_equal(f[HS_PAIRED_SLOWDOWN].jobs, 0);
    assert_true(isnan(f[HS_PAIRED_SLOWDOWN].mean[0]) && isnan(f[HS_PAIRED_SLOWDOWN].difference));
    assert_true(isnan(f[HS_PAIRED_SLOWDOWN].median_difference));
    assert_true(isnan(group("isolated", "q4")->figures[HS_PAIRED_WAIT].ratio));
    assert_memory_equal(paired.quartile_us, quartiles, sizeof quartiles);
}

/* VC v00 has 12 jobs, v01 11, ... v11 1: ten are named, the last two are "others", 2 + 1 jobs. */
static void ten_vcs_have_names(void **state)
{
    (void)state;
    static char rows[8192];
    size_t length = (size_t)snprintf(rows, sizeof rows, "%s", HEAD);
    for (int v = 0; v < 12; v++)
        for (int i = 0; i < 12 - v; i++)
            length += (size_t)snprintf(rows + length, sizeof rows - length,
                                       "%d-%d,%d,1,1,0,10,v%02d,10,10\n", v, i, i, v);
    load_rows(rows, rows);
    assert_int_equal(hs_paired_compare(&paired, 0, 1), HS_OK);
    assert_int_equal(group("vc", "v00")->figures[HS_PAIRED_JCT].jobs, 12);
    assert_int_equal(group("vc", "v09")->figures[HS_PAIRED_JCT].jobs, 3);
    assert_int_equal(group("vc", "(others)")->figures[HS_PAIRED_JCT].jobs, 3);
    for (uint32_t g = 0; g < paired.group_count; g++)
        assert_string_not_equal(paired.groups[g].name, "v10");
}

/* 500 jobs, each i x i mod 97 s of wait and 60 s of work in either run. */
static void a_run_equals_itself(void **state)
{
    (void)state;
    static char rows[32768];
    size_t length = (size_t)snprintf(rows, sizeof rows, "%s", HEAD);
    for (int i = 0; i < 500; i++)
        length +=
            (size_t)snprintf(rows + length, sizeof rows - length, "j%d,%d,%d,1,%d,%d,,60,60\n", i,
                             i, 1 + i % 3, i * i % 97, i * i % 97 + 60);
    load_rows(rows, rows);
    assert_int_equal(hs_paired_compare(&paired, 2000, 1), HS_OK);
    assert_int_equal(paired.blocks, 100);
    for (uint32_t g = 0; g < paired.group_count; g++)
        for (int m = 0; m < HS_PAIRED_METRICS; m++) {
            const struct hs_paired_figures *f = &paired.groups[g].figures[m];
            assert_int_equal(f->equal, f->jobs);
            assert_true(f->difference == 0 && f->median_difference == 0);
            assert_true(f->difference_95.low == 0 && f->difference_95.high == 0);
            assert_true(f->ratio == 1 && f->ratio_95.low == 1 && f->ratio_95.high == 1);
        }
}

/* B is A with 7 s more of wait for each job: every resample differs by 7 s, whichever jobs it
 * has. */
static void a_constant_shift_is_known_exactly(void **state)
{
    (void)state;
    static char a[32768], b[32768];
    size_t length_a = (size_t)snprintf(a, sizeof a, "%s", HEAD);
    size_t length_b = (size_t)snprintf(b, sizeof b, "%s", HEAD);
    for (int i = 0; i < 300; i++) {
        int wait = i * i % 89;
        length_a += (size_t)snprintf(a + length_a, sizeof a - length_a, "j%d,%d,1,1,%d,%d,,60,60\n",
                                     i, i, wait, wait + 60);
        length_b += (size_t)snprintf(b + length_b, sizeof b - length_b, "j%d,%d,1,1,%d,%d,,60,60\n",
                                     i, i, wait + 7, wait + 67);
    }
    load_rows(a, b);
    assert_int_equal(hs_paired_compare(&paired, 500, 9), HS_OK);
    const struct hs_paired_figures *f = group("all", "")->figures;
    assert_true(f[HS_PAIRED_WAIT].difference_95.low == 7 &&
                f[HS_PAIRED_JCT].difference_95.high == 7);
    assert_true(f[HS_PAIRED_JCT].median_difference == 7);
    assert_int_equal(f[HS_PAIRED_JCT].worse, 300);
    /* the ratio varies: it depends on the jobs drawn */
    assert_true(f[HS_PAIRED_JCT].ratio_95.low < f[HS_PAIRED_JCT].ratio);
    assert_true(f[HS_PAIRED_JCT].ratio_95.high > f[HS_PAIRED_JCT].ratio);
}

static void write_files(const char *name, char *text, size_t size, struct hs_output_file *files)
{
    struct hs_rundir dir;
    char *content;
    size_t length;
    assert_int_equal(hs_rundir_open(&dir, scratch_path("out"), false, &sink.diag), HS_OK);
    assert_int_equal(hs_paired_write(&paired, &dir, files), HS_OK);
    assert_int_equal(
        hs_read_file(HS_RUNDIR_FILE(&dir, name), size - 1, &content, &length, &sink.diag), HS_OK);
    memcpy(text, content, length + 1);
    hs_free(content);
    hs_rundir_discard(&dir);
}

static void files(void **state)
{
    (void)state;
    static char text[16384];
    struct hs_output_file written[HS_PAIRED_FILES];
    load_rows(rows_a, replaced(rows_b, "r,30,4,1,60,60,,0,0", "r,30,4,0,60,,,0,"));
    assert_int_equal(hs_paired_compare(&paired, 0, 1), HS_OK);
    write_files("jobs_paired.csv", text, sizeof text, written);
    assert_string_equal(
        text, "job_id,submission_time,gpus,vc,wait_a,wait_b,jct_a,jct_b,difference,isolated,run_a,"
              "run_b,compared\n"
              "p,0,1,x,0,5,20,45,25,20,20,40,1\n"
              "q,10,1,x,0,0,100,100,0,100,100,100,1\n"
              "q,10,4,y,10,0,15,5,-10,5,5,5,1\n"
              "r,30,4,,70,60,70,,,0,0,,0\n");
    assert_string_equal(written[1].name, "jobs_paired.csv");
    assert_int_equal(written[1].rows, 4);
    assert_int_equal(written[1].bytes, strlen(text));
    write_files("paired.csv", text, sizeof text, written);
    assert_int_equal(written[0].rows, paired.group_count * HS_PAIRED_METRICS);
    /* without r: means 135/3 = 45 and 150/3 = 50; the mean wait 10/3 of A and 5/3 of B */
    assert_non_null(
        strstr(text, "\nall,,jct,3,45,50,5,,,1.1111111111111112,,,0.333333,0.333333,0.333333,0\n"));
    assert_non_null(strstr(text, "\nall,,wait,3,3.3333333333333335,1.6666666666666667,"
                                 "-1.6666666666666667,,,0.5,,,0.333333,0.333333,0.333333,0\n"));
    assert_non_null(strstr(text, "\ngpus,2-4,jct,1,15,5,-10,,,0.3333333333333333,,,1,0,0,-10\n"));
    assert_non_null(strstr(text, "\nvc,y,run_slowdown,1,1,1,0,,,1,,,0,1,0,0\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_joined_by_what_they_are),
        cmocka_unit_test(other_workloads_are_refused),
        cmocka_unit_test(what_cannot_be_compared_is_reported),
        cmocka_unit_test(jobs_that_count),
        cmocka_unit_test(figures_of_all),
        cmocka_unit_test(figures_of_groups),
        cmocka_unit_test(ten_vcs_have_names),
        cmocka_unit_test(a_run_equals_itself),
        cmocka_unit_test(a_constant_shift_is_known_exactly),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests_name("paired", tests, compare_open, compare_close);
}
