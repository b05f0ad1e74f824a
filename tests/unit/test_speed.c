/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speed tables: which figure answers for a profile on a GPU type, gangs spread and resized, and
 * messages about bad files. The model is small and made up; each expected number is the quotient or
 * product named in the comment beside it. All figures are binary fractions: Q32 is exact.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "model/speed.h"
#include "support/sink.h"

#define Q32(x) ((uint64_t)((x)*4294967296.0))

static double of_q32(uint64_t q32)
{
    return (double)q32 / 4294967296.0;
}

static struct sink sink;
static struct hs_catalogue catalogue;

enum { M_32, M_64_AMP, M_256, OF_FAMILY, N, UNKNOWN, N_BATCH };

static const char rows[] = "model,dataset,batch,precision,family\n"
                           "M,D,32,fp32,F1\n"
                           "m,d,64,amp,F1\n"
                           "M,D,256,fp32,F1\n"
                           "X,Y,8,fp32,f-1\n"
                           "N,E,,fp32,F2\n"
                           "Z,Q,1,fp32,\n"
                           "N,E,4,fp32,F2\n";

/* Throughputs of F1 on the K80: 1, 1.5, 2, 2 on 1, 2, 4, 8 GPUs. */
static const char model[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"P100\", \"K80\"],\n"
    " \"reference\": \"V100\",\n"
    " \"jobs\": [\n"
    "  {\"profile\": \"M/D/128/fp32\", \"speed\": {\"V100\": 1, \"P100\": 0.75}},\n"
    "  {\"profile\": \"M/D/32/fp32\", \"family\": \"F1\",\n"
    "   \"speed\": {\"V100\": 1, \"P100\": 0.5, \"K80\": 0.25}},\n"
    "  {\"profile\": \"N/E//fp32\", \"speed\": {\"V100\": 1, \"K80\": 0.125}}],\n"
    " \"families\": [\n"
    "  {\"family\": \"F1\", \"jobs\": 2, \"speed\": {\"V100\": 1, \"P100\": 0.625, \"K80\": "
    "0.15625}},\n"
    "  {\"family\": \"F2\", \"jobs\": 1, \"speed\": {\"V100\": 1, \"K80\": 0.0625}}],\n"
    " \"scaling\": [{\"family\": \"F1\", \"gpu\": \"K80\", \"gpus\": [2, 4, 8],\n"
    "  \"efficiency\": [0.75, 0.5, 0.25]}],\n"
    " \"spread\": [{\"family\": \"F1\", \"gpu\": \"P100\", \"gpus\": [2, 4, 8],\n"
    "  \"factor\": [0.5, 0.25, 0.75]}],\n"
    " \"holdout\": [\n"
    "  {\"protocol\": \"in the table\", \"fallback\": \"family\", \"gpu\": \"P100\",\n"
    "   \"reference\": \"V100\", \"n\": 3, \"mape\": 0.09, \"p95\": 0.2},\n"
    "  {\"protocol\": \"unseen job\", \"fallback\": \"family\", \"gpu\": \"P100\",\n"
    "   \"reference\": \"V100\", \"n\": 3, \"mape\": 0.125, \"p95\": 0.25},\n"
    "  {\"protocol\": \"unseen job\", \"fallback\": \"batch\", \"gpu\": \"K80\",\n"
    "   \"reference\": \"V100\", \"n\": 3, \"mape\": 0.25, \"p95\": 0.25}]}\n";

/* Names are normalized: v-100 is the file's V100; A100 is not in the file. */
static const char cluster_text[] =
    "{\"gpu_types\": {\"A100\": {\"speed\": 2}, \"v-100\": {}, \"p_100\": {\"speed\": 0.75},\n"
    "  \"K80\": {\"speed\": 0.5}},\n"
    " \"nodes\": [{\"gpus\": 1, \"type\": \"A100\"}, {\"gpus\": 1, \"type\": \"v-100\"},\n"
    "  {\"gpus\": 1, \"type\": \"p_100\"}, {\"gpus\": 1, \"type\": \"K80\"}]}\n";
enum { A100, V100, P100, K80 };

static struct hs_cluster cluster;

static const char *write_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static int open_all(void **state)
{
    if (scratch_open(state) != 0)
        return -1;
    sink_init(&sink);
    if (hs_catalogue_load(&catalogue, write_text("profiles.csv", rows), &sink.diag) != HS_OK ||
        hs_cluster_load(&cluster, write_text("cluster.json", cluster_text), &sink.diag) != HS_OK) {
        print_message("%s", sink.text);
        return -1;
    }
    return 0;
}

static int close_all(void **state)
{
    hs_catalogue_free(&catalogue);
    hs_cluster_free(&cluster);
    return scratch_close(state);
}

static struct hs_speed *load(const char *text, const struct hs_cluster *on, const char *reference)
{
    struct hs_speed *m;
    sink_init(&sink);
    if (hs_speed_load(&m, write_text("speed.json", text), &catalogue, on, reference, &sink.diag) !=
        HS_OK)
        fail_msg("%s", sink.text);
    assert_string_equal(sink.text, "");
    return m;
}

static void expect(const struct hs_speed *m, uint32_t profile, uint32_t type, uint64_t speed_q32,
                   enum hs_speed_source source)
{
    enum hs_speed_source found;
    assert_int_equal(hs_speed_q32(m, profile, type, &found), speed_q32);
    assert_string_equal(hs_speed_sources[found], hs_speed_sources[source]);
    assert_int_equal(hs_speed_q32(m, profile, type, NULL), speed_q32);
}

/* ---- which figure answers ---- */

static void test_sources(void **state)
{
    (void)state;
    struct hs_speed *m = load(model, &cluster, NULL); /* v-100: the first whose scalar is 1 */
    expect(m, M_32, V100, HS_Q32_ONE, HS_SPEED_REFERENCE);
    /* The table has priority over the scalars 0.75 and 0.5. */
    expect(m, M_32, P100, Q32(0.5), HS_SPEED_MEASURED);
    expect(m, M_32, K80, Q32(0.25), HS_SPEED_MEASURED);
    expect(m, N, K80, Q32(0.125), HS_SPEED_MEASURED);
    /* 64 is as far from 32 as from 128, by ratio: the smaller. */
    expect(m, M_64_AMP, P100, Q32(0.5), HS_SPEED_BATCH);
    /* 128 is nearer to 256, but was not measured on the K80. */
    expect(m, M_256, P100, Q32(0.75), HS_SPEED_BATCH);
    expect(m, M_256, K80, Q32(0.25), HS_SPEED_BATCH);
    expect(m, OF_FAMILY, P100, Q32(0.625), HS_SPEED_FAMILY);
    expect(m, OF_FAMILY, V100, HS_Q32_ONE, HS_SPEED_REFERENCE);
    /* A batch does not match a job without one. */
    expect(m, N_BATCH, K80, Q32(0.0625), HS_SPEED_FAMILY);
    /* Neither N nor F2 ran on a P100, nothing on an A100. */
    expect(m, N, P100, Q32(0.75), HS_SPEED_SCALAR);
    expect(m, M_32, A100, Q32(2), HS_SPEED_SCALAR);
    expect(m, UNKNOWN, K80, Q32(0.5), HS_SPEED_SCALAR);
    expect(m, HS_NO_PROFILE, P100, Q32(0.75), HS_SPEED_SCALAR);
    expect(m, HS_NO_PROFILE, V100, HS_Q32_ONE, HS_SPEED_REFERENCE);
    assert_int_equal(hs_speed_uniform_q32(m), 0);
    hs_speed_free(m);
}

/* Durations of a trace of P100s: a V100 runs M/D/32 1 / 0.5 times as fast, a K80 0.25 / 0.5. */
static void test_other_reference(void **state)
{
    (void)state;
    struct hs_speed *m = load(model, &cluster, "P-100");
    expect(m, M_32, V100, Q32(2), HS_SPEED_MEASURED);
    expect(m, M_32, K80, Q32(0.5), HS_SPEED_MEASURED);
    expect(m, M_32, P100, HS_Q32_ONE, HS_SPEED_REFERENCE);
    expect(m, OF_FAMILY, K80, Q32(0.15625 / 0.625), HS_SPEED_FAMILY);
    /* 1 and 0.75 of the cluster file, over the 0.75 of the reference */
    expect(m, N, V100, Q32(1 / 0.75), HS_SPEED_SCALAR);
    expect(m, HS_NO_PROFILE, P100, HS_Q32_ONE, HS_SPEED_REFERENCE);
    assert_true(isnan(hs_speed_error(m, K80, HS_SPEED_BATCH)));
    hs_speed_free(m);
}

/* The GPUs of the trace were not measured: no quotient can be formed. */
static void test_unknown_reference(void **state)
{
    (void)state;
    /* 2, 1, 0.75, 0.5 of the cluster, over the 2 of the reference */
    static const uint64_t scalars[] = {HS_Q32_ONE, Q32(0.5), Q32(0.375), Q32(0.25)};
    struct hs_speed *m = load(model, &cluster, "a-100"); /* of the cluster, not of the file */
    assert_string_equal(hs_speed_reference(m), "a-100");
    for (uint32_t type = 0; type < 4; type++)
        for (uint32_t profile = 0; profile <= N_BATCH; profile++)
            expect(m, profile, type, scalars[type],
                   type == A100 ? HS_SPEED_REFERENCE : HS_SPEED_SCALAR);
    assert_false(hs_speed_is_by_model(m, P100));
    hs_speed_free(m);
    assert_int_equal(
        hs_speed_load(&m, write_text("speed.json", model), &catalogue, &cluster, "T4", &sink.diag),
        HS_E_USAGE);
    assert_non_null(strstr(sink.text, "nor the speed model has a GPU type 'T4'"));
}

/* The figures in the card of a run. */
static void test_what_is_known(void **state)
{
    (void)state;
    struct hs_speed *m = load(model, &cluster, NULL);
    assert_string_equal(hs_speed_reference(m), "v-100"); /* the first at speed 1 */
    assert_false(hs_speed_is_by_model(m, A100));
    assert_false(hs_speed_is_by_model(m, V100));
    assert_true(hs_speed_is_by_model(m, P100));
    assert_false(hs_speed_has_spread(m, A100));
    hs_speed_free(m);
}

static void test_uniform(void **state)
{
    (void)state;
    struct hs_cluster plain;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&plain, "2x4:V100", &sink.diag), HS_OK);
    struct hs_speed *m = load(model, &plain, NULL);
    assert_int_equal(hs_speed_uniform_q32(m), HS_Q32_ONE);
    hs_speed_free(m);
    m = load(model, &plain, "P100"); /* profiles differ: 2, 4/3, 1/0.625, 1 */
    assert_int_equal(hs_speed_uniform_q32(m), 0);
    hs_speed_free(m);
    hs_cluster_free(&plain);
    assert_int_equal(hs_cluster_load(&plain, "2x4", &sink.diag), HS_OK); /* untyped */
    m = load(model, &plain, NULL);
    assert_int_equal(hs_speed_uniform_q32(m), HS_Q32_ONE);
    hs_speed_free(m);
    hs_cluster_free(&plain);
}

/* ---- gangs ---- */

static void test_spread(void **state)
{
    (void)state;
    struct hs_speed *m = load(model, &cluster, NULL);
    static const struct {
        uint32_t gpus;
        double factor;
    } cases[] = {{1, 0.5},  {2, 0.5},  {3, 0.5},  {4, 0.25},  {5, 0.25},
                 {6, 0.25}, {7, 0.75}, {8, 0.75}, {99, 0.75}, {UINT32_MAX, 0.75}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(hs_speed_spread_q32(m, M_32, P100, cases[i].gpus), Q32(cases[i].factor));
    assert_int_equal(hs_speed_spread_q32(m, OF_FAMILY, P100, 2), Q32(0.5)); /* by family */
    /* on other types the family's mean, for other families that of all: here the same */
    assert_int_equal(hs_speed_spread_q32(m, M_32, K80, 4), Q32(0.25));
    assert_int_equal(hs_speed_spread_q32(m, M_32, A100, 4), Q32(0.25));
    assert_int_equal(hs_speed_spread_q32(m, N, P100, 4), Q32(0.25));
    assert_int_equal(hs_speed_spread_q32(m, HS_NO_PROFILE, P100, 2), Q32(0.5));
    hs_speed_free(m);
}

/* A measured figure comes first, then the family's mean over types, then that of all on the type,
 * then that of all: F1 has 1/2 and 1/4, F2 1/8. */
static void test_spread_of_several(void **state)
{
    (void)state;
    static const char several[] =
        "\"spread\": ["
        "{\"family\": \"F1\", \"gpu\": \"P100\", \"gpus\": [2], \"factor\": [0.5]},"
        "{\"family\": \"F1\", \"gpu\": \"K80\", \"gpus\": [2], \"factor\": [0.25]},"
        "{\"family\": \"F2\", \"gpu\": \"K80\", \"gpus\": [2], \"factor\": [0.125]}],";
    const char *from = strstr(model, "\"spread\""), *to = strstr(model, "\"holdout\"");
    char text[sizeof model + sizeof several];
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(from - model), model, several, to);
    struct hs_speed *m = load(text, &cluster, NULL);
    assert_int_equal(hs_speed_spread_q32(m, M_32, P100, 4), Q32(0.5));
    assert_int_equal(hs_speed_spread_q32(m, M_32, K80, 4), Q32(0.25));
    assert_int_equal(hs_speed_spread_q32(m, M_32, V100, 4), Q32(0.375));
    assert_int_equal(hs_speed_spread_q32(m, N, K80, 4), Q32(0.125));
    assert_int_equal(hs_speed_spread_q32(m, N, P100, 4), Q32(0.125));
    assert_int_equal(hs_speed_spread_q32(m, HS_NO_PROFILE, P100, 4), Q32(0.5));
    assert_int_equal(hs_speed_spread_q32(m, HS_NO_PROFILE, K80, 4), Q32(0.1875));
    assert_int_equal(hs_speed_spread_q32(m, HS_NO_PROFILE, V100, 4), Q32(0.875) / 3);
    hs_speed_free(m);
}

/* Throughputs 1, 1.5, 2, 2 on 1, 2, 4, 8 GPUs of the K80, and 16 / 7 on 16: 1 / 16 of compute and
 * (1 / 2 - 1 / 8) of synchronisation. The family was measured only there: it scales the same on
 * other types. */
static void test_resize(void **state)
{
    (void)state;
    struct hs_speed *m = load(model, &cluster, NULL);
    static const struct {
        uint32_t held, gpus;
        double factor;
    } cases[] = {
        {1, 1, 1},       {2, 1, 1.5},  {4, 1, 2}, {8, 1, 2}, {6, 1, 2}, /* between 2 and 2 */
        {4, 2, 4.0 / 3}, {2, 4, 0.75}, {4, 4, 1}, {0, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(hs_speed_resize_q32(m, M_32, K80, cases[i].held, cases[i].gpus),
                         Q32(cases[i].factor));
        assert_int_equal(hs_speed_resize_q32(m, M_32, V100, cases[i].held, cases[i].gpus),
                         Q32(cases[i].factor));
    }
    /* 1/f from 2/3 to 1/2, log2 3 - 1 = .5849625 of the way; not on a line over n: 1.75 */
    assert_true(fabs(of_q32(hs_speed_resize_q32(m, M_32, K80, 3, 1)) - 1.756936) < 1e-6);
    assert_true(fabs(of_q32(hs_speed_resize_q32(m, M_32, K80, 16, 1)) - 16.0 / 7) < 1e-9);
    assert_int_equal(hs_speed_resize_q32(m, N, K80, 3, 4), Q32(0.75)); /* linear */
    assert_int_equal(hs_speed_resize_q32(m, HS_NO_PROFILE, K80, 8, 2), Q32(4));
    hs_speed_free(m);
}

/* The prediction for F1 is F2, the only other family, and linear if there is none. */
static void test_scaling_is_predicted(void **state)
{
    (void)state;
    static const char two[] =
        "\"scaling\": ["
        "{\"family\": \"F1\", \"gpu\": \"K80\", \"gpus\": [2], \"efficiency\": [0.5]},"
        "{\"family\": \"F2\", \"gpu\": \"K80\", \"gpus\": [2], \"efficiency\": [0.75]}],";
    const char *from = strstr(model, "\"scaling\""), *to = strstr(model, "\"spread\"");
    char text[sizeof model + sizeof two];
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(from - model), model, two, to);
    struct hs_speed_predictor how = {.kind = HS_SPEED_PREDICTOR_TABLE, .seed = 3};
    struct hs_speed *m = load(text, &cluster, NULL);
    hs_speed_predict_by(m, &catalogue, &cluster, &how);
    assert_int_equal(hs_speed_resize_q32(m, M_32, K80, 2, 1), Q32(1));
    assert_int_equal(hs_speed_predicted_resize_q32(m, M_32, K80, 2, 1, 0), Q32(1.5));
    assert_int_equal(hs_speed_predicted_resize_q32(m, M_32, V100, 2, 1, 0), Q32(1.5));
    assert_int_equal(hs_speed_predicted_resize_q32(m, N, K80, 2, 1, 0), Q32(1));
    how.kind = HS_SPEED_PREDICTOR_ORACLE;
    hs_speed_predict_by(m, &catalogue, &cluster, &how);
    assert_int_equal(hs_speed_predicted_resize_q32(m, M_32, K80, 2, 1, 0), Q32(1));
    how = (struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_NOISY, .sigma = .25, .seed = 3};
    hs_speed_predict_by(m, &catalogue, &cluster, &how);
    double sum = 0, squares = 0; /* of ln: mean 0, standard deviation .25 */
    for (uint64_t job = 0; job < 4000; job++) {
        const double x = log(of_q32(hs_speed_predicted_resize_q32(m, M_32, K80, 2, 1, job)));
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / 4000) < .02 && fabs(sqrt(squares / 4000) - .25) < .01);
    assert_int_equal(hs_speed_predicted_resize_q32(m, M_32, K80, 2, 2, 7), Q32(1));
    hs_speed_free(m);
    m = load(model, &cluster, NULL);
    assert_int_equal(hs_speed_predicted_resize_q32(m, M_32, K80, 2, 1, 0), Q32(2));
    assert_int_equal(hs_speed_pair_noise_q32(m, K80, 0, 1), Q32(1)); /* no noise */
    hs_speed_free(m);
}

/* The prediction for F1 is F2; an oracle gives the true value; with noise, it is at most as fast as
 * on one node. */
static void test_spread_is_predicted(void **state)
{
    (void)state;
    static const char two[] =
        "\"spread\": ["
        "{\"family\": \"F1\", \"gpu\": \"K80\", \"gpus\": [2], \"factor\": [0.5]},"
        "{\"family\": \"F2\", \"gpu\": \"K80\", \"gpus\": [2], \"factor\": [0.75]}],";
    const char *from = strstr(model, "\"spread\""), *to = strstr(model, "\"holdout\"");
    char text[sizeof model + sizeof two];
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(from - model), model, two, to);
    struct hs_speed_predictor how = {.kind = HS_SPEED_PREDICTOR_TABLE, .seed = 3};
    struct hs_speed *m = load(text, &cluster, NULL);
    hs_speed_predict_by(m, &catalogue, &cluster, &how);
    assert_int_equal(hs_speed_spread_q32(m, M_32, K80, 2), Q32(0.5));
    assert_int_equal(hs_speed_predicted_spread_q32(m, M_32, K80, 2, 0), Q32(0.75));
    how.kind = HS_SPEED_PREDICTOR_ORACLE;
    hs_speed_predict_by(m, &catalogue, &cluster, &how);
    assert_int_equal(hs_speed_predicted_spread_q32(m, M_32, K80, 2, 0), Q32(0.5));
    how = (struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_NOISY, .sigma = .25, .seed = 3};
    hs_speed_predict_by(m, &catalogue, &cluster, &how);
    double sum = 0;
    for (uint64_t job = 0; job < 4000; job++) {
        const uint64_t q32 = hs_speed_predicted_spread_q32(m, M_32, K80, 2, job);
        assert_true(q32 > 0 && q32 <= Q32(1));
        sum += log(of_q32(q32) / 0.5);
    }
    assert_true(fabs(sum / 4000) < .02); /* 1 in 360 draws is cut off at ln 2 = 2.8 sigma */
    hs_speed_free(m);
}

static void test_errors(void **state)
{
    (void)state;
    struct hs_speed *m = load(model, &cluster, NULL);
    assert_true(hs_speed_error(m, P100, HS_SPEED_FAMILY) == 0.125); /* held out, not in the table */
    assert_true(hs_speed_error(m, K80, HS_SPEED_BATCH) == 0.25);
    assert_true(isnan(hs_speed_error(m, K80, HS_SPEED_FAMILY)));
    assert_true(isnan(hs_speed_error(m, A100, HS_SPEED_FAMILY)));
    assert_true(isnan(hs_speed_error(m, P100, HS_SPEED_MEASURED)));
    hs_speed_free(m);
}

/* ---- bad files ---- */

#define HEAD  "{\"kind\": \"speed\", \"format\": 2, "
#define TYPES HEAD "\"types\": [\"V100\", \"P100\"], \"reference\": \"V100\", "

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD "\"reference\": \"V100\"}", "types must be an array, not nothing"},
        {HEAD "\"types\": []}", "types is empty"},
        {HEAD "\"types\": [1], \"reference\": \"V100\"}", "a GPU type must be text, not a number"},
        {HEAD "\"types\": [\"\"], \"reference\": \"V100\"}", "a GPU type must have 1..255 bytes"},
        {HEAD "\"types\": [\"V100\", \"v-100\"], \"reference\": \"V100\"}",
         "GPU type 'v-100' appears twice"},
        {HEAD "\"types\": [\"V100\"]}", "\"reference\" is missing"},
        {HEAD "\"types\": [\"V100\"], \"reference\": \"K80\"}", "unknown GPU type 'K80'"},
        {TYPES "\"job\": []}", "unknown key 'job' in a speed model"},
        {TYPES "\"jobs\": {}}", "jobs must be an array, not an object"},
        {TYPES "\"jobs\": [1]}", "a job must be an object, not a number"},
        {TYPES "\"jobs\": [{\"speed\": {}}]}", "a job names its profile"},
        {TYPES "\"jobs\": [{\"profile\": \"a/b/c\", \"speed\": {}}]}", "a job names its profile"},
        {TYPES "\"jobs\": [{\"profile\": \"a/b/c/d\"}]}", "speed must be an object, not nothing"},
        {TYPES "\"jobs\": [{\"profile\": \"a/b/c/d\", \"speed\": {\"T4\": 1}}]}",
         "unknown GPU type 'T4'"},
        {TYPES "\"jobs\": [{\"profile\": \"a/b/c/d\", \"speed\": {\"P100\": 0}}]}",
         "P100 must be a number 0.001..1000"},
        {TYPES "\"jobs\": [{\"profile\": \"a/b/c/d\", \"speed\": {\"P100\": null}}]}",
         "P100 must be a number 0.001..1000"},
        {TYPES "\"jobs\": [{\"profile\": \"a/b/c/d\", \"speed\": {}},"
               "{\"profile\": \"A/b/c/d\", \"speed\": {}}]}",
         "profile 'A/b/c/d' appears twice"},
        {TYPES "\"families\": [{\"speed\": {}}]}", "\"family\" is missing"},
        {TYPES "\"families\": [{\"family\": \"F\", \"speed\": {}},"
               "{\"family\": \"f\", \"speed\": {}}]}",
         "family 'f' appears twice"},
        {TYPES "\"scaling\": [{\"family\": \"F\", \"gpu\": \"P100\", \"gpus\": [2]}]}",
         "efficiency must be an array, not nothing"},
        {TYPES "\"scaling\": [{\"family\": \"F\", \"gpu\": \"P100\", \"gpus\": [2], "
               "\"efficiency\": [1, 1]}]}",
         "one number for each of \"gpus\""},
        {TYPES "\"scaling\": [{\"family\": \"F\", \"gpu\": \"P100\", \"gpus\": [1], "
               "\"efficiency\": [1]}]}",
         "gpus must be whole numbers from 2 on, ascending"},
        {TYPES "\"scaling\": [{\"family\": \"F\", \"gpu\": \"P100\", \"gpus\": [4, 2], "
               "\"efficiency\": [1, 1]}]}",
         "gpus must be whole numbers from 2 on, ascending"},
        {TYPES "\"spread\": [{\"family\": \"F\", \"gpu\": \"P100\", \"gpus\": [2], "
               "\"factor\": [1.5]}]}",
         "a share must be a number 0.001..1"},
        {TYPES "\"spread\": [{\"family\": \"F\", \"gpu\": \"P100\", \"gpus\": [2], "
               "\"factor\": [1]}, {\"family\": \"f\", \"gpu\": \"p-100\", \"gpus\": [2], "
               "\"factor\": [1]}]}",
         "family 'f' appears twice on this GPU type"},
        {TYPES "\"holdout\": [{\"protocol\": \"unseen job\", \"fallback\": \"family\", "
               "\"gpu\": \"P100\", \"reference\": \"V100\"}]}",
         "\"mape\" is missing"},
        {"{\"kind\": \"predictor\", \"format\": 2}", "a model file of kind 'predictor'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_speed *m;
        sink_init(&sink);
        const char *path = write_text("bad.json", cases[i].text);
        assert_int_equal(hs_speed_load(&m, path, &catalogue, &cluster, NULL, &sink.diag),
                         HS_E_INPUT);
        assert_null(m);
        if (strstr(sink.text, cases[i].message) == NULL || strstr(sink.text, "bad.json:") == NULL)
            fail_msg("'%s' is not in: %s", cases[i].message, sink.text);
        hs_speed_free(m);
    }
}

/* A file truncated anywhere is refused, not partly used. */
static void test_cut_short(void **state)
{
    (void)state;
    for (size_t len = 0; len < strlen(model) - 2; len += 7) {
        struct hs_speed *m;
        sink_init(&sink);
        const char *path = scratch_write("cut.json", model, len);
        assert_int_equal(hs_speed_load(&m, path, &catalogue, &cluster, NULL, &sink.diag),
                         HS_E_INPUT);
        assert_null(m);
    }
}

/* The built-in model: a spread gang has a cost on every GPU type, measured or not; on the A100 it
 * is as measured there, with its network, almost none. */
static void test_shipped_spread(void **state)
{
    struct hs_cluster all;
    struct hs_catalogue none = {0};
    struct hs_speed *m;
    (void)state;
    sink_init(&sink);
    assert_int_equal(
        hs_cluster_load(&all, "1x4:V100,1x4:P100,1x4:K80,1x4:T4,1x4:A100,1x4:H200", &sink.diag),
        HS_OK);
    assert_int_equal(
        hs_speed_load(&m, "configs/models/speed.json", &none, &all, "V100", &sink.diag), HS_OK);
    for (uint32_t t = 0; t < all.type_count; t++) {
        const uint64_t q32 = hs_speed_spread_q32(m, HS_NO_PROFILE, t, 4);
        assert_true(q32 <= HS_Q32_ONE && q32 > HS_Q32_ONE / 2);
        assert_true(q32 < HS_Q32_ONE || strcmp(all.types[t].name, "A100") == 0);
        assert_int_equal(hs_speed_has_spread(m, t),
                         strstr("P100 K80 T4 A100", all.types[t].name) != NULL);
    }
    hs_speed_free(m);
    hs_cluster_free(&all);
}

/* ---- what policies see ---- */

static const char told_rows[] = "model,dataset,batch,precision,family\n"
                                "A,D,8,fp32,F\n"
                                "A,D,16,fp32,F\n"
                                "B,D,8,fp32,F\n"
                                "C,E,8,fp32,G\n"
                                "D,E,8,fp32,F\n"
                                "A,D,64,fp32,F\n"
                                "X,E,8,fp32,H\n"
                                "Y,E,8,fp32,I\n";
enum { A_8, A_16, B_8, C_8, D_8, A_64, X_8, Y_8, TOLD_ROWS };

static const char told_model[] =
    "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"K80\"],\n"
    " \"reference\": \"V100\",\n"
    " \"jobs\": [\n"
    "  {\"profile\": \"A/D/8/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1, \"K80\": 0.5}},\n"
    "  {\"profile\": \"A/D/16/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1, \"K80\": "
    "0.125}},\n"
    "  {\"profile\": \"B/D/8/fp32\", \"family\": \"F\", \"speed\": {\"V100\": 1, \"K80\": "
    "0.03125}},\n"
    "  {\"profile\": \"C/E/8/fp32\", \"family\": \"G\", \"speed\": {\"V100\": 1, \"K80\": "
    "0.0625}},\n"
    "  {\"profile\": \"Z/E/8/fp32\", \"family\": \"J\", \"speed\": {\"V100\": 1}}],\n" /* in no mean
                                                                                        */
    " \"families\": [{\"family\": \"F\", \"jobs\": 3, \"speed\": {\"V100\": 1, \"K80\": 0.75}},\n"
    "  {\"family\": \"I\", \"jobs\": 1, \"speed\": {\"V100\": 1}}],\n"
    " \"holdout\": [{\"protocol\": \"unseen family\", \"fallback\": \"scalar\", \"gpu\": \"K80\",\n"
    "  \"reference\": \"V100\", \"n\": 4, \"mape\": 0.5, \"p95\": 1}]}\n";

static struct hs_speed *load_predicted(const char *shape, struct hs_cluster *on,
                                       struct hs_catalogue *jobs, struct hs_speed_predictor how)
{
    struct hs_speed *m;
    sink_init(&sink);
    assert_int_equal(hs_catalogue_load(jobs, write_text("told.csv", told_rows), &sink.diag), HS_OK);
    assert_int_equal(hs_cluster_load(on, shape, &sink.diag), HS_OK);
    assert_int_equal(
        hs_speed_load(&m, write_text("speed.json", told_model), jobs, on, "V100", &sink.diag),
        HS_OK);
    hs_speed_predict_by(m, jobs, on, &how);
    return m;
}

static void free_predicted(struct hs_speed *m, struct hs_cluster *on, struct hs_catalogue *jobs)
{
    hs_speed_free(m);
    hs_cluster_free(on);
    hs_catalogue_free(jobs);
}

/* Never a job's own measurement, nor a mean from which its true value was taken. */
static void test_predicted_by_table(void **state)
{
    static const uint64_t k80_q32[TOLD_ROWS] = {
        [A_8] = Q32(0.125),    /* the other batch */
        [A_16] = Q32(0.5),     /* the other batch */
        [B_8] = Q32(0.25),     /* geometric mean of the other model of its family: .5, .125 */
        [C_8] = Q32(0.125),    /* of other families: .5, .125, .03125 */
        [D_8] = Q32(0.0625),   /* its true value is the mean of F: of other families */
        [A_64] = Q32(0.03125), /* its true value is another batch's: of the other models of F */
        [Y_8] = Q32(0.75),     /* its true value is the mean of all jobs: of all families */
        [X_8] = HS_Q32_ONE,    /* nothing known of H: the scalar */
    };
    struct hs_cluster on;
    struct hs_catalogue jobs;
    (void)state;
    struct hs_speed *m =
        load_predicted("1x1:A100,1x1:V100,1x1:K80", &on, &jobs,
                       (struct hs_speed_predictor){.kind = HS_SPEED_PREDICTOR_TABLE});
    for (uint32_t profile = 0; profile < TOLD_ROWS; profile++) {
        assert_int_equal(hs_speed_predicted_q32(m, profile, 2, profile), k80_q32[profile]);
        assert_int_equal(hs_speed_predicted_q32(m, profile, 1, profile), HS_Q32_ONE);
        /* a type without measurements */
        assert_int_equal(hs_speed_predicted_q32(m, profile, 0, profile), HS_Q32_ONE);
    }
    assert_int_equal(hs_speed_predicted_q32(m, HS_NO_PROFILE, 2, 0), HS_Q32_ONE);
    /* the mean job: the seven known on a K80, 2^(-3 - 1 - 2 - 3 - 4 - 5) x .75 */
    assert_int_equal(hs_speed_predicted_q32(m, HS_MEAN_PROFILE, 2, 0),
                     (uint64_t)rint(exp2((-18 + log2(0.75)) / 7) * 0x1p20) << 12);
    assert_int_equal(hs_speed_predicted_q32(m, HS_MEAN_PROFILE, 1, 0), HS_Q32_ONE);
    assert_int_equal(hs_speed_predicted_q32(m, HS_MEAN_PROFILE, 0, 0), HS_Q32_ONE);
    free_predicted(m, &on, &jobs);
}

/* Family I ran on the V100 alone: the mean of the jobs of other families, 2^(-13/4), with the error
 * of held-out families; but a speed in the cluster file has priority. */
static void test_other_families(void **state)
{
    static const char slow[] =
        "{\"gpu_types\": {\"V100\": {}, \"K80\": {\"speed\": 0.5}}, \"nodes\": "
        "[{\"gpus\": 1, \"type\": \"V100\"}, {\"gpus\": 1, \"type\": \"K80\"}]}";
    struct hs_cluster on;
    struct hs_catalogue jobs;
    (void)state;
    const struct hs_speed_predictor oracle = {.kind = HS_SPEED_PREDICTOR_ORACLE};
    struct hs_speed *m = load_predicted("1x1:V100,1x1:K80", &on, &jobs, oracle);
    expect(m, Y_8, 1, (uint64_t)rint(exp2(-3.25) * 0x1p20) << 12, HS_SPEED_OTHERS);
    expect(m, Y_8, 0, HS_Q32_ONE, HS_SPEED_REFERENCE);
    expect(m, X_8, 1, HS_Q32_ONE, HS_SPEED_SCALAR); /* its family is not in the file */
    assert_true(hs_speed_error(m, 1, HS_SPEED_OTHERS) == 0.5);
    free_predicted(m, &on, &jobs);
    m = load_predicted(write_text("slow.json", slow), &on, &jobs, oracle);
    expect(m, Y_8, 1, Q32(0.5), HS_SPEED_SCALAR);
    free_predicted(m, &on, &jobs);
}

/* The draw depends on seed, job and name of the type; the reference type has none. */
static void test_predicted_with_noise(void **state)
{
    struct hs_cluster on[2];
    struct hs_catalogue jobs[2];
    (void)state;
    const struct hs_speed_predictor oracle = {.kind = HS_SPEED_PREDICTOR_ORACLE};
    const struct hs_speed_predictor noisy = {
        .kind = HS_SPEED_PREDICTOR_NOISY, .sigma = 0.5, .seed = 3};
    struct hs_speed *truth = load_predicted("1x1:V100,1x1:K80", &on[0], &jobs[0], oracle);
    struct hs_speed *told = load_predicted("1x1:K80,1x1:V100", &on[1], &jobs[1], noisy);
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        const uint64_t q32 = hs_speed_predicted_q32(told, A_8, 0, i);
        assert_int_equal(hs_speed_predicted_q32(truth, A_8, 1, i), Q32(0.5));
        assert_int_equal(hs_speed_predicted_q32(told, A_8, 1, i), HS_Q32_ONE);
        assert_int_equal(hs_speed_predicted_q32(told, A_8, 0, i), q32);
        const double error = log((double)q32 / (double)Q32(0.5));
        sum += error;
        squares += error * error;
    }
    /* within five standard errors of 0 and of 0.5: 0.5 / sqrt(2000), 0.5 / sqrt(4000) */
    assert_true(fabs(sum / 2000) < 0.056);
    assert_true(fabs(sqrt(squares / 2000) - 0.5) < 0.04);
    free_predicted(truth, &on[0], &jobs[0]);
    struct hs_speed *turned = load_predicted("1x1:V100,1x1:K80", &on[0], &jobs[0], noisy);
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(hs_speed_predicted_q32(turned, A_8, 1, i),
                         hs_speed_predicted_q32(told, A_8, 0, i));
    free_predicted(turned, &on[0], &jobs[0]);
    free_predicted(told, &on[1], &jobs[1]);
}

static void test_predictor_texts(void **state)
{
    static const char *const bad[] = {"",         "truth",     "noisy",   "noisy:",  "noisy:x",
                                      "noisy:-1", "noisy:5.1", "table:1", "oracle:", "tables"};
    struct hs_speed_predictor how = {0};
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_speed_predictor_parse("oracle", &how, &sink.diag), HS_OK);
    assert_int_equal(how.kind, HS_SPEED_PREDICTOR_ORACLE);
    assert_int_equal(hs_speed_predictor_parse("noisy:0.25", &how, &sink.diag), HS_OK);
    assert_int_equal(how.kind, HS_SPEED_PREDICTOR_NOISY);
    assert_true(how.sigma > 0.2499 && how.sigma < 0.2501);
    assert_int_equal(hs_speed_predictor_parse("table", &how, &sink.diag), HS_OK);
    assert_int_equal(how.kind, HS_SPEED_PREDICTOR_TABLE);
    for (size_t i = 0; i < HS_COUNT_OF(bad); i++)
        assert_int_equal(hs_speed_predictor_parse(bad[i], &how, &sink.diag), HS_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_other_reference),
        cmocka_unit_test(test_unknown_reference),
        cmocka_unit_test(test_what_is_known),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_spread_of_several),
        cmocka_unit_test(test_shipped_spread),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_scaling_is_predicted),
        cmocka_unit_test(test_spread_is_predicted),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_predicted_by_table),
        cmocka_unit_test(test_other_families),
        cmocka_unit_test(test_predicted_with_noise),
        cmocka_unit_test(test_predictor_texts),
    };
    return cmocka_run_group_tests_name("speed", tests, open_all, close_all);
}
