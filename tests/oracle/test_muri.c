/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * muri, and antman, srtf, srsf and tiresias in the form of Muri's released simulator, against its
 * runs (Zhao et al., SIGCOMM'22; Rivendile/Muri 4e69a78): 8 nodes of 8 GPUs, first rows of its
 * traces.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/speed.h"
#include "model/stages.h"
#include "support/data.h"
#include "support/run.h"
#include "support/sheet.h"
#include "support/sink.h"

#define JOBS_MAX 1500
static char names[JOBS_MAX][24];
static struct hs_test_job jobs[JOBS_MAX];
static double ends_s[JOBS_MAX]; /* published, by row of the trace */
static struct sink sink;

/* Reads a trace. The run time is iterations times the time of one, ms. */
static void load(const char *trace, uint32_t count)
{
    static const char *const columns[] = {
        "num_gpu", "submit_time", "iterations", "iteration_time", "model_name", "priority", NULL};
    static struct sheet t;
    uint32_t row = 0;
    for (sheet_open(&t, data_need("traces", trace), columns); row < count && sheet_next(&t);
         row++) {
        (void)snprintf(names[row], sizeof names[0], "%s", sheet_cell(&t, 4));
        jobs[row] = (struct hs_test_job){
            .gpus = (uint32_t)sheet_seconds(&t, 0),
            .submit_us = sheet_seconds(&t, 1) * 1000,
            .duration_us = sheet_seconds(&t, 2) * sheet_seconds(&t, 3) * 1000,
            .model = names[row],
            .job_class =
                sheet_seconds(&t, 5) == 0 ? HS_JOB_CLASS_GUARANTEED : HS_JOB_CLASS_OPPORTUNISTIC};
    }
    sheet_close(&t);
    assert_int_equal(row, count);
}

static void load_ends(const char *folder, uint32_t count)
{
    static const char *const columns[] = {"job_id", "end_time", NULL};
    static struct sheet t;
    char path[160];
    uint32_t rows = 0;
    (void)snprintf(path, sizeof path, "muri/%s/job.csv", folder);
    for (sheet_open(&t, data_need("oracles", path), columns); sheet_next(&t); rows++)
        ends_s[sheet_seconds(&t, 0)] = (double)sheet_millionths(&t, 1) / 1e6;
    sheet_close(&t);
    assert_int_equal(rows, count);
}

/* Comparison of a run: ends that differ by more than a millionth and a millisecond; mean JCT and
 * last end. */
struct comparison {
    uint32_t differ;
    double mean_s, published_s, last_s, published_last_s;
};

static struct comparison compare(const char *folder, uint32_t count, const char *policy,
                                 const char *stages_file)
{
    struct hs_overheads *restart;
    struct hs_stages *stages;
    struct hs_test_result r;
    struct comparison c = {0};
    sink_init(&sink);
    assert_int_equal(hs_restart_load(&restart, "builtin:restart.csv", &sink.diag), HS_OK);
    assert_int_equal(hs_stages_load(&stages, stages_file, NULL, &sink.diag), HS_OK);
    load_ends(folder, count);
    const struct hs_test_options options = {.restart = restart, .stages = stages};
    if (hs_test_run_with(jobs, count, "8x8", policy, &options, &r) != HS_OK)
        fail_msg("%s: %s", policy, r.message);
    for (uint32_t i = 0; i < count; i++) {
        const double end_s = (double)r.jobs[i].end_us / 1e6;
        c.differ += fabs(end_s - ends_s[i]) > 1e-3 + 1e-6 * ends_s[i];
        c.last_s = fmax(c.last_s, end_s);
        c.published_last_s = fmax(c.published_last_s, ends_s[i]);
        c.mean_s += (end_s - (double)jobs[i].submit_us / 1e6) / count;
        c.published_s += (ends_s[i] - (double)jobs[i].submit_us / 1e6) / count;
    }
    print_message("%s, %s: mean JCT %.3f s, published %.3f s; %" PRIu32 " of %" PRIu32
                  " ends differ\n",
                  folder, policy, c.mean_s, c.published_s, c.differ, count);
    hs_test_free(&r);
    hs_stages_free(stages);
    hs_overheads_free(restart);
    return c;
}

#define SHIPPED "builtin:models/stages.json"

static void all_ends(const char *folder, uint32_t count, const char *policy)
{
    const struct comparison c = compare(folder, count, policy, SHIPPED);
    assert_int_equal(c.differ, 0);
}

#define MURI_S "muri:compat=muri,placement=yarn"
#define MURI_L MURI_S ",know=nothing"

/* Muri-L agrees in every end up to 1,231,750 s; 29 later ones differ by a few minutes. */
static void trace4_muri(void **state)
{
    (void)state;
    load("trace4.csv", 200);
    all_ends("trace4-first200_multi-resource-blossom-same-gpu", 200, MURI_S);
    all_ends("trace4-first200_multi-resource-blossom-same-gpu-unaware-worstordering", 200,
             MURI_L ",order=worst");
    const struct comparison c =
        compare("trace4-first200_multi-resource-blossom-same-gpu-unaware", 200, MURI_L, SHIPPED);
    assert_true(c.differ < 30);
    assert_true(fabs(c.mean_s / c.published_s - 1) < 1e-6);
    assert_true(fabs(c.last_s / c.published_last_s - 1) < 1e-6);
}

static void trace4_neighbours(void **state)
{
    (void)state;
    static char text[32768];
    FILE *shipped = fopen("configs/models/stages.json", "r");
    assert_non_null(shipped);
    const size_t size = fread(text, 1, sizeof text, shipped);
    assert_true(size > 0 && size < sizeof text);
    (void)fclose(shipped);
    char *factor = strstr(text, "1.37]"); /* of four; 1.3 in the function of this variant */
    assert_non_null(factor);
    factor[3] = '0';
    load("trace4.csv", 200);
    const struct comparison c =
        compare("trace4-first200_multi-resource-gpu-unaware", 200, MURI_L ",matching=neighbours",
                scratch_write("stages.json", text, size));
    assert_int_equal(c.differ, 0);
}

static void trace1_muri(void **state)
{
    (void)state;
    load("trace1.csv", 150);
    all_ends("trace1-first150_multi-resource-blossom-same-gpu", 150, MURI_S);
}

static void trace4_others(void **state)
{
    (void)state;
    load("trace4.csv", 200);
    all_ends("trace4-first200_shortest", 200, "srtf:compat=muri,placement=yarn");
    all_ends("trace4-first200_shortest-gpu", 200, "srsf:compat=muri,placement=yarn");
    all_ends("trace4-first200_dlas-gpu", 200,
             "tiresias:compat=muri,placement=count,preempt_cost=free");
    all_ends("trace4-first200_antman", 200, "antman:compat=muri");
}

static void trace1_others(void **state)
{
    (void)state;
    load("trace1.csv", 150);
    all_ends("trace1-first150_shortest", 150, "srtf:compat=muri,placement=yarn");
    all_ends("trace1-first150_shortest-gpu", 150, "srsf:compat=muri,placement=yarn");
    all_ends("trace1-first150_antman", 150, "antman:compat=muri");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace4_muri),       cmocka_unit_test(trace1_muri),
        cmocka_unit_test(trace4_neighbours), cmocka_unit_test(trace4_others),
        cmocka_unit_test(trace1_others),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
