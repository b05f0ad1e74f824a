/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * synergy:compat=synergy job by job against Synergy's released simulator (oracles/synergy): its two
 * traces on 4 servers, each order and mechanism for which there is an output. Step times are those
 * of its models.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/csv.h"
#include "support/data.h"
#include "support/run.h"
#include "support/sink.h"

#define JOBS_MAX 400
#define ROUND_S  300

static const char servers[] =
    "{\"nodes\": [{\"count\": 4, \"gpus\": 8, \"cpus\": 24, \"mem_mib\": 512000}]}";

/* Names in the traces and in the catalogue; step time (msr-fiddle/synergy 1bb2bed, models). */
static const struct {
    const char *name, *model;
    int64_t step_us;
} models[] = {
    {"alexnet", "AlexNet", 600000},
    {"shufflenet", "ShuffleNetV2", 615000},
    {"res18", "ResNet18", 640000},
    {"mobilenet", "MobileNetV2", 710000},
    {"res50", "ResNet50", 780000},
    {"m5", "M5", 600000},
    {"deepspeech", "DeepSpeech2", 757000},
    {"gnmt", "GNMT", 120000},
    {"lstm", "LSTM", 11000},
    {"transformer", "Transformer", 670000},
};
#define MODELS (sizeof models / sizeof models[0])

static struct sink sink;
static struct hs_catalogue catalogue;
static struct hs_host *host;
static struct hs_test_job jobs[JOBS_MAX];
static double arrival_s[JOBS_MAX];
static uint32_t job_count;

static int set_up(void **state)
{
    char rows[1024];
    (void)scratch_open(state);
    sink_init(&sink);
    size_t length = (size_t)snprintf(rows, sizeof rows, "model,dataset,batch,precision,family\n");
    for (size_t i = 0; i < MODELS; i++)
        length += (size_t)snprintf(rows + length, sizeof rows - length, "%s,D,1,fp32,F\n",
                                   models[i].model);
    return hs_catalogue_load(&catalogue, scratch_write("profiles.csv", rows, length), &sink.diag) !=
               HS_OK ||
           hs_host_load(&host, "builtin:models/host-binary.json", &catalogue, &sink.diag) != HS_OK;
}

static int tear_down(void **state)
{
    hs_host_free(host);
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

/* Reads job,model,arrival s,steps,GPUs, in order of arrival. */
static void read_trace(const char *name)
{
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    const char *path = data_need("oracles/synergy", name);
    assert_int_equal(hs_input_open(&input, path, &sink.diag), HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    for (job_count = 0; hs_csv_next(csv, &row) == HS_OK; job_count++) {
        size_t m = 0;
        assert_true(row.count == 5 && job_count < JOBS_MAX);
        while (m < MODELS && strcmp(models[m].name, row.fields[1]) != 0)
            m++;
        assert_true(m < MODELS);
        const int64_t steps = strtoll(row.fields[3], NULL, 10);
        arrival_s[job_count] = strtod(row.fields[2], NULL);
        jobs[job_count] = (struct hs_test_job){
            .gpus = (uint32_t)strtoul(row.fields[4], NULL, 10),
            .submit_us = llround((arrival_s[job_count] - arrival_s[0]) * 1e6),
            .duration_us = steps * models[m].step_us,
            .step_us = models[m].step_us,
            .profile = (uint32_t)m + 1,
        };
    }
    hs_csv_close(csv);
    hs_input_close(input);
}

static void play(const char *order, const char *mechanism, const char *more,
                 struct hs_test_result *r)
{
    char policy[160];
    const double phase_s = ROUND_S - fmod(arrival_s[0], ROUND_S);
    (void)snprintf(policy, sizeof policy, "synergy:order=%s,mechanism=%s%s,round_phase=%.6f", order,
                   mechanism, more, phase_s);
    const char *cluster = scratch_write("servers.json", servers, sizeof servers - 1);
    const struct hs_test_options options = {
        .host = host, .catalogue = &catalogue, .keeps_ends_only = true};
    if (hs_test_run_with(jobs, job_count, cluster, policy, &options, r) != HS_OK)
        fail_msg("%s: %s", policy, r->message);
}

static void is_equal(const char *trace, const char *published, const char *order,
                     const char *mechanism)
{
    struct hs_test_result r;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t count = 0, others = 0;
    double mean_s = 0, published_s = 0;
    char name[80];
    (void)snprintf(name, sizeof name, "out_%s_%s_%s.csv", trace, published, mechanism);
    const char *path = data_need("oracles/synergy", name);
    play(order, mechanism, ",compat=synergy", &r);
    assert_int_equal(hs_input_open(&input, path, &sink.diag), HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK); /* header */
    for (; hs_csv_next(csv, &row) == HS_OK; count++) {
        assert_true(row.count == 4 && count < job_count);
        assert_int_equal(strtoul(row.fields[0], NULL, 10), count);
        const double end_s = strtod(row.fields[3], NULL);
        const double ours_s = (double)r.jobs[count].end_us / 1e6 + arrival_s[0];
        published_s += end_s - arrival_s[count];
        mean_s += ours_s - arrival_s[count];
        if (fabs(end_s - ours_s) < 1e-3)
            continue;
        others++;
        if (getenv("HORUS_SHOW") != NULL && others < 10)
            print_message("%s: job %u ends at %.3f s, ours at %.3f\n", name, count, end_s, ours_s);
    }
    hs_csv_close(csv);
    hs_input_close(input);
    hs_test_free(&r);
    assert_int_equal(count, job_count);
    print_message("%s: %u of %u jobs differ, mean JCT %.4f h, %.4f h\n", name, others, count,
                  published_s / count / 3600, mean_s / count / 3600);
    assert_int_equal(others, 0);
}

static const char *const orders[][2] = {{"FIFO", "fifo"}, {"LAS", "las"}, {"SRTF", "srtf"}};

static void single_gpu_jobs(void **state)
{
    (void)state;
    read_trace("syn_20_70_10.trace");
    for (size_t i = 0; i < 3; i++) {
        is_equal("syn_20_70_10", orders[i][0], orders[i][1], "fair");
        is_equal("syn_20_70_10", orders[i][0], orders[i][1], "tune");
    }
}

static void gangs(void **state)
{
    (void)state;
    read_trace("syn_multi.trace");
    for (size_t i = 0; i < 3; i++) {
        is_equal("syn_multi", orders[i][0], orders[i][1], "fair");
        is_equal("syn_multi", orders[i][0], orders[i][1], "greedy");
        is_equal("syn_multi", orders[i][0], orders[i][1], "tune");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_gpu_jobs),
        cmocka_unit_test(gangs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
