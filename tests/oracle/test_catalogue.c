/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shipped catalogue against the measurements that its figures come from, row by row. Those
 * files may not be redistributed: they are read from $HORUS_DATA/calibration, or
 * ../shared/data/calibration; where there are none the tests are skipped with a message.
 *
 * The simulator keeps a percentage in permille and a memory in whole MiB (rounded up); times have
 * three decimals of a millisecond.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/fmt.h"
#include "data/csv.h"
#include "data/json.h"
#include "model/profile.h"
#include "support/data.h"
#include "support/sink.h"

#define FIELDS_MAX 8

static struct sink sink;
static struct hs_catalogue catalogue;

static int load_catalogue(void **state)
{
    (void)state;
    sink_init(&sink);
    return hs_catalogue_load(&catalogue, "builtin:profiles.csv", &sink.diag) == HS_OK ? 0 : -1;
}

static int free_catalogue(void **state)
{
    (void)state;
    hs_catalogue_free(&catalogue);
    return 0;
}

/* ---- files ---- */

struct table {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[FIELDS_MAX];
};

/* Opens a table. columns end with NULL; NULL for a file without a header. */
static void open_table(struct table *t, const char *path, const char *const *columns)
{
    assert_int_equal(hs_input_open(&t->input, path, &sink.diag), HS_OK);
    hs_csv_open(&t->csv, t->input, ',', &sink.diag);
    if (columns == NULL)
        return;
    assert_int_equal(hs_csv_next(t->csv, &t->row), HS_OK);
    for (uint32_t i = 0; columns[i] != NULL; i++) {
        t->at[i] = hs_csv_column(&t->row, columns[i]);
        assert_int_not_equal(t->at[i], UINT32_MAX);
    }
}

static bool next_row(struct table *t)
{
    enum hs_status status = hs_csv_next(t->csv, &t->row);
    assert_true(status == HS_OK || status == HS_END);
    return status == HS_OK;
}

static void close_table(struct table *t)
{
    hs_csv_close(t->csv);
    hs_input_close(t->input);
}

static double number_of(const char *text)
{
    double value;
    if (!hs_parse_double(text, strlen(text), &value))
        fail_msg("not a number: %s", text);
    return value;
}

static double number_at(const struct table *t, uint32_t column)
{
    return number_of(t->row.fields[t->at[column]]);
}

/* ---- comparison ---- */

static const struct hs_profile *find(const char *model, const char *dataset, const char *batch,
                                     const char *precision)
{
    char key[256];
    (void)snprintf(key, sizeof key, "%s/%s/%s/%s", model, dataset, batch, precision);
    uint32_t id = hs_catalogue_find(&catalogue, key);
    if (id == HS_NO_PROFILE)
        fail_msg("the catalogue has no %s", key);
    return &catalogue.profiles[id];
}

static void expect_near(const struct hs_profile *p, const char *what, double is, double measured,
                        double tolerance)
{
    if (!(fabs(is - measured) <= tolerance * (1 + 1e-9)))
        fail_msg("%s: %s is %.6f, measured %.6f", p->key, what, is, measured);
}

static void expect_util(const struct hs_profile *p, double percent, double bandwidth)
{
    expect_near(p, "util", p->util_pm, 10 * percent, 0.5);
    expect_near(p, "bw_util", p->bw_util_pm, 10 * bandwidth, 0.5);
}

static void expect_mib(const struct hs_profile *p, double mib)
{
    expect_near(p, "mem_mib", p->mem_mib, ceil(mib), 0);
}

static void expect_step(const struct hs_profile *p, double ms)
{
    expect_near(p, "step_ms", p->step_ms, ms, 0.0005);
}

static unsigned rows_on(const char *gpu)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < catalogue.count; i++)
        count += strcmp(catalogue.profiles[i].gpu, gpu) == 0;
    return count;
}

/* ---- sources ---- */

/* simulation/analyzer/single_data.csv: speed is samples a second. */
static void test_lucid(void **state)
{
    (void)state;
    static const char *const columns[] = {"model",    "dataset",   "batchsize", "amp", "speed",
                                          "gpu_util", "gmem_util", "gmem",      NULL};
    enum { MODEL, DATASET, BATCH, AMP, SPEED, UTIL, BANDWIDTH, MEMORY };
    struct table t;
    open_table(&t, data_need("calibration", "lucid/single_data.csv"), columns);
    unsigned rows = 0;
    for (; next_row(&t); rows++) {
        const char *batch = t.row.fields[t.at[BATCH]];
        bool is_amp = strcmp(t.row.fields[t.at[AMP]], "1") == 0;
        const struct hs_profile *p = find(t.row.fields[t.at[MODEL]], t.row.fields[t.at[DATASET]],
                                          batch, is_amp ? "amp" : "fp32");
        assert_string_equal(p->gpu, "RTX3090");
        expect_util(p, number_at(&t, UTIL), number_at(&t, BANDWIDTH));
        expect_mib(p, number_at(&t, MEMORY));
        expect_step(p, 1000 * number_of(batch) / number_at(&t, SPEED));
        assert_true(p->mem_persistent_mib > 0);
        for (int f = 0; f < HS_FEATURE_COUNT; f++)
            assert_true(p->features[f] >= 0); /* NaN is not */
    }
    close_table(&t);
    assert_int_equal(rows, 66); /* rows of the source, counted (its SOURCES page) */
    assert_int_equal(rows_on("RTX3090"), 66);
}

static struct hs_json_doc *open_miso(const char *kind, const char *model)
{
    char name[128];
    (void)snprintf(name, sizeof name, "miso/%s_%s.json", kind, model);
    struct hs_json_doc *doc = NULL;
    assert_int_equal(hs_json_load(&doc, data_path("calibration", name), &sink.diag), HS_OK);
    return doc;
}

/* mps/configs/util_collection: one file a model and kind, batch to mean. */
static void test_miso(void **state)
{
    (void)state;
    static const char *const models[] = {"cyclegan",  "deepspeech2", "embedding",   "gnn",
                                         "mobilenet", "resnet",      "transformer", "bert"};
    (void)data_need("calibration", "miso/util_sm_bert.json");
    unsigned rows = 0;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        struct hs_json_doc *util = open_miso("util_sm", models[m]);
        struct hs_json_doc *bandwidth = open_miso("util_mem", models[m]);
        struct hs_json_doc *memory = open_miso("memory", models[m]);
        const struct hs_json *at = hs_json_first(hs_json_root(util));
        for (; at != NULL; at = hs_json_next(at), rows++) {
            const char *batch = hs_json_key(at);
            const struct hs_profile *p = find(models[m], "MISO", batch, "fp32");
            assert_string_equal(p->gpu, "A100");
            expect_util(p, hs_json_number(at),
                        hs_json_number(hs_json_get(hs_json_root(bandwidth), batch)));
            expect_mib(p, hs_json_number(hs_json_get(hs_json_root(memory), batch)));
        }
        hs_json_close(memory);
        hs_json_close(bandwidth);
        hs_json_close(util);
    }
    assert_int_equal(rows, 32);                /* 8 models x 4 batches */
    assert_int_equal(rows_on("A100"), 32 + 8); /* with Tally's */
}

/* tally_results_demo: its Transformers, alone on an A100-40GB. */
static void test_tally(void **state)
{
    (void)state;
    static const char *const columns[] = {"job", "memory_mib", "memory_util_pct", "gpu_util_pct",
                                          NULL};
    static const struct {
        const char *job, *model, *dataset, *batch;
    } names[] = {{"pytorch_whisper-large-v3_train_16", "Whisper-large-v3", "Tally", "16"},
                 {"pytorch_pegasus-x-base_train_4", "Pegasus-X-base", "Tally", "4"},
                 {"pytorch_gpt2-large_train_1", "GPT2-large", "Tally", "1"},
                 {"pytorch_bert_train_32", "BERT", "Tally", "32"},
                 {"onnxruntime_llama-2-7b_infer_single_stream", "Llama-2-7B", "single stream", ""},
                 {"onnxruntime_bert_infer_single_stream", "BERT", "single stream", ""},
                 {"onnxruntime_llama-2-7b_infer_load0.5", "Llama-2-7B", "half load", ""},
                 {"onnxruntime_bert_infer_load0.5", "BERT", "half load", ""}};
    struct table t;
    open_table(&t, data_need("calibration", "tally/solo.csv"), columns);
    unsigned rows = 0;
    while (next_row(&t))
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strcmp(t.row.fields[t.at[0]], names[i].job) != 0)
                continue;
            const struct hs_profile *p = find(names[i].model, names[i].dataset, names[i].batch, "");
            assert_string_equal(p->gpu, "A100");
            assert_int_equal(p->is_inference, names[i].batch[0] == '\0');
            expect_util(p, number_at(&t, 3), number_at(&t, 2));
            expect_mib(p, number_at(&t, 1));
            rows++;
        }
    close_table(&t);
    assert_int_equal(rows, 8);
}

/* Median iteration on the largest slice, 7g.40gb: the whole GPU with MIG on. */
static void test_miso_times(void **state)
{
    (void)state;
    static const char *const columns[] = {"model", "bs", "it_7g", NULL};
    struct table t;
    open_table(&t, data_need("calibration", "derived/miso_a100_summary.csv"), columns);
    unsigned rows = 0;
    for (; next_row(&t); rows++)
        expect_step(find(t.row.fields[t.at[0]], "MISO", t.row.fields[t.at[1]], "fp32"),
                    1000 * number_at(&t, 2));
    close_table(&t);
    assert_int_equal(rows, 32);
}

/* "LM (batch size 5)" or "A3C" */
static const struct hs_profile *find_gavel(const char *job)
{
    static const char *const names[][3] = {{"ResNet-18", "ResNet18", "CIFAR-10"},
                                           {"ResNet-50", "ResNet50", "ImageNet"},
                                           {"Transformer", "Transformer", "Multi30k"},
                                           {"LM", "LSTM", "Wikitext2"},
                                           {"Recommendation", "Recoder", "MovieLens"},
                                           {"CycleGAN", "CycleGAN", "Monet2Photo"},
                                           {"A3C", "A3C", "Pong"}};
    char family[32], batch[16] = "";
    const char *open = strstr(job, " (batch size ");
    size_t len = open != NULL ? (size_t)(open - job) : strlen(job);
    assert_true(len < sizeof family);
    memcpy(family, job, len);
    family[len] = '\0';
    if (open != NULL)
        (void)snprintf(batch, sizeof batch, "%.*s", (int)strcspn(open + 13, ")"), open + 13);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i][0], family) != 0)
            continue;
        const struct hs_profile *p = find(names[i][1], names[i][2], batch, "fp32");
        assert_string_equal(p->family, family);
        return p;
    }
    fail_msg("unknown job: %s", job);
    return NULL;
}

/* The oracle campaign on the V100, its cleanest slice: steps a second. Where
 * Lucid measured the same configuration, its row stands; Recommendation has another unit. */
static void test_gavel(void **state)
{
    (void)state;
    struct hs_json_doc *doc = NULL;
    assert_int_equal(
        hs_json_load(&doc, data_need("calibration", "gavel/oracle_throughputs.json"), &sink.diag),
        HS_OK);
    const struct hs_json *job = hs_json_first(hs_json_get(hs_json_root(doc), "v100"));
    unsigned jobs = 0, merged = 0, timed = 0;
    for (; job != NULL; job = hs_json_next(job), jobs++) {
        const struct hs_profile *p = find_gavel(hs_json_key(job));
        if (strcmp(p->gpu, "V100") != 0) {
            assert_string_equal(p->gpu, "RTX3090");
            merged++;
            continue;
        }
        assert_int_equal(p->util_pm, -1); /* not measured */
        if (strcmp(p->model, "Recoder") == 0) {
            assert_true(isnan(p->step_ms));
            continue;
        }
        expect_step(p, 1000 / hs_json_number(hs_json_get(job, "null")));
        timed++;
    }
    hs_json_close(doc);
    assert_int_equal(jobs, 26);
    assert_int_equal(merged, 8); /* ResNet18 and ResNet50 at 32, 64, 128; Transformer at 32, 64 */
    assert_int_equal(timed, 26 - 8 - 5);
}

struct salus {
    char job[32]; /* "vgg16_25" */
    double least_s, most_s, least_steps, most_steps, memory;
};

static void salus_add(struct salus *s, double seconds, double steps)
{
    if (s->least_steps == 0 || steps < s->least_steps) {
        s->least_steps = steps;
        s->least_s = seconds;
    }
    if (steps > s->most_steps) {
        s->most_steps = steps;
        s->most_s = seconds;
    }
}

/* tests/workloads.csv: name, seconds, peak MiB, iterations. Each job ran 1, 5 and 10 minutes (one
 * of the longest is named 1min), so the time of a step is the slope, without the start-up. */
static void test_salus(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"inception3", "InceptionV3"},
                                           {"inception4", "InceptionV4"}};
    struct table t;
    open_table(&t, data_need("calibration", "salus/workloads.csv"), NULL);
    struct salus jobs[64] = {0};
    unsigned count = 0;
    while (next_row(&t)) {
        const char *name = t.row.fields[0];
        size_t len = (size_t)(strrchr(name, '_') - name);
        unsigned j = 0;
        while (j < count && (strncmp(jobs[j].job, name, len) != 0 || jobs[j].job[len] != '\0'))
            j++;
        if (j == count) {
            assert_true(count < 64 && len < sizeof jobs[0].job);
            memcpy(jobs[count++].job, name, len);
        }
        jobs[j].memory = number_of(t.row.fields[2]);
        salus_add(&jobs[j], number_of(t.row.fields[1]), number_of(t.row.fields[3]));
    }
    close_table(&t);
    for (unsigned j = 0; j < count; j++) {
        const struct salus *s = &jobs[j];
        char *batch = strrchr(jobs[j].job, '_');
        *batch++ = '\0';
        const char *model = s->job;
        for (size_t i = 0; i < 2; i++)
            if (strcmp(model, names[i][0]) == 0)
                model = names[i][1];
        const struct hs_profile *p = find(model, "ImageNet", batch, "fp32");
        assert_string_equal(p->gpu, "P100");
        expect_mib(p, s->memory);
        expect_step(p, 1000 * (s->most_s - s->least_s) / (s->most_steps - s->least_steps));
    }
    assert_int_equal(count, 33);
    assert_int_equal(rows_on("P100"), 33);
}

/* The stages of one iteration on one GPU; stage 0 is data and CPU work. */
static void test_muri(void **state)
{
    (void)state;
    static const char *const names[][3] = {
        {"a2c", "A2C", "Breakout"},           {"dqn", "DQN", "Breakout"},
        {"bert", "BERT", "WikiText"},         {"gpt2", "GPT2", "WikiText"},
        {"resnet18", "ResNet18", "ImageNet"}, {"shufflenet_v2_x1_0", "ShuffleNetV2", "ImageNet"},
        {"vgg16", "VGG16", "ImageNet"},       {"vgg19", "VGG19", "ImageNet"}};
    static const char *const columns[] = {"model",     "batch_size", "num_gpu", "iteration_time_ms",
                                          "stage0_ms", NULL};
    struct table t;
    open_table(&t, data_need("calibration", "derived/muri_stage_times.csv"), columns);
    unsigned rows = 0;
    while (next_row(&t)) {
        if (strcmp(t.row.fields[t.at[2]], "1") != 0)
            continue;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strcmp(names[i][0], t.row.fields[t.at[0]]) != 0)
                continue;
            const struct hs_profile *p =
                find(names[i][1], names[i][2], t.row.fields[t.at[1]], "fp32");
            assert_string_equal(p->gpu, "V100");
            expect_step(p, number_at(&t, 3));
            expect_near(p, "host_ms", p->host_ms, number_at(&t, 4), 0.0005);
            rows++;
        }
    }
    close_table(&t);
    assert_int_equal(rows, 8);
    assert_int_equal(rows_on("V100"), 18 + 8); /* with Gavel's own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lucid), cmocka_unit_test(test_miso),
        cmocka_unit_test(test_tally), cmocka_unit_test(test_miso_times),
        cmocka_unit_test(test_gavel), cmocka_unit_test(test_salus),
        cmocka_unit_test(test_muri),
    };
    return cmocka_run_group_tests(tests, load_catalogue, free_catalogue);
}
