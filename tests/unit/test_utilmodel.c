/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form of solo utilization and its evaluation. Expected values are calculated by hand from the
 * definitions in model/predictor.h, beside each test.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/predictor.c"
#include "support/sink.h"

#define EPS 1e-9

/* load = 0.1 + (0.2 MACs/1e9 + 0.3 outputs/1e6) batch / layers, halved in mixed precision */
static const struct hs_utilform plain = {.launch = 0.1,
                                         .per_gmac = 0.2,
                                         .per_moutput = 0.3,
                                         .amp = 0.6931471805599453,
                                         .busy_layer_ms = 2,
                                         .busy_gmac_ms = 3,
                                         .busy_moutput_ms = 5,
                                         .busy_amp = 0.6931471805599453,
                                         .busy_margin = 1.5};
static const struct hs_utilwork step = {
    .batch = 32, .gmacs = 1, .moutputs = 2, .layers = 10, .is_amp = false};

#define assert_near(value, expected, tolerance) near_at(value, expected, tolerance, __LINE__)

static void near_at(double value, double expected, double tolerance, int line)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("line %d: %.12g is not %.12g", line, value, expected);
}

/* ---- the form ---- */

static void test_load(void **state)
{
    (void)state;
    struct hs_utilwork amp = step;
    amp.is_amp = true;
    /* 0.1 + (0.2 x 1 + 0.3 x 2) x 32 / 10 = 2.66 */
    assert_near(hs_utilform_log_load(&plain, &step), log(2.66), EPS);
    assert_near(hs_utilform_log_load(&plain, &amp), log(1.33), EPS);
    /* 2 x 10 + (3 x 1 + 5 x 2) x 32 = 436 */
    assert_near(hs_utilform_busy_ms(&plain, &step), 436, 1e-6);
    assert_near(hs_utilform_busy_ms(&plain, &amp), 218, 1e-6);
}

static void test_link(void **state)
{
    (void)state;
    assert_near(hs_util_of_log_load(0), 1 - exp(-1), EPS);
    for (int percent = 1; percent < 98; percent++)
        assert_near(hs_util_of_log_load(hs_util_to_log_load(percent / 100.0)), percent / 100.0,
                    EPS);
    /* below half a per cent and above 98 per cent values are equal */
    assert_near(hs_util_to_log_load(1), hs_util_to_log_load(0.98), 0);
    assert_near(hs_util_to_log_load(0), hs_util_to_log_load(0.005), 0);
    assert_near(hs_util_of_log_load(INFINITY), 1, EPS);
    assert_near(hs_util_of_log_load(-INFINITY), 0, EPS);
}

static void test_effect(void **state)
{
    (void)state;
    struct hs_utilmate mate = {.host = 2, .slope = 0.5, .amp = 0.25, .slope_amp = -1};
    struct hs_utilwork work = {.batch = 128, .is_amp = false};
    /* host: -ln(1 + 2 x 128 / 64) = -ln 5; slope: 0.5 ln 2; precision -1/2: (0.25 - ln 2) */
    double ln2 = log(2);
    assert_near(hs_utilmate_effect(&mate, &work), -log(5) + 0.5 * ln2 - 0.5 * (0.25 - ln2), EPS);
    work.is_amp = true;
    assert_near(hs_utilmate_effect(&mate, &work), -log(5) + 0.5 * ln2 + 0.5 * (0.25 - ln2), EPS);
    mate = (struct hs_utilmate){.more_work = 0.7};
    assert_near(hs_utilmate_effect(&mate, &work), 0.7, EPS);
}

static void test_centre(void **state)
{
    (void)state;
    struct hs_utilmate mate = {.slope = 9};
    const double one = 0.5, batches[] = {0.5, 1, 2};
    hs_utilmate_centre(&mate, 0.3, &one, 1);
    assert_near(mate.more_work, 0.3, EPS);
    assert_near(mate.host, 0, 0);
    assert_near(mate.slope, 0, 0);
    /* one batch of 32: -ln(1 + host / 2) = -ln 4 gives host = 6 */
    hs_utilmate_centre(&mate, -log(4), &one, 1);
    assert_near(mate.host, 6, EPS);
    assert_near(mate.more_work, 0, 0);
    /* host 3 over batches 32, 64, 128: mean of ln 2.5, ln 4, ln 7 */
    hs_utilmate_centre(&mate, -(log(2.5) + log(4) + log(7)) / 3, batches, 3);
    assert_near(mate.host, 3, 1e-8);
}

static void test_residual(void **state)
{
    (void)state;
    /* u = 1 - 1/e has ln load 0 */
    double util = 1 - exp(-1);
    assert_near(hs_util_residual(util, 0.4), -0.4, EPS);
    assert_near(hs_util_residual(util, -0.4), 0.4, EPS);
    /* saturated: 98 % is ln load ln(ln 50) = 1.364; a higher load is possible, a lower one is
     * not */
    assert_near(hs_util_residual(1, 5), 0, 0);
    assert_near(hs_util_residual(1, 1), log(log(50)) - 1, EPS);
}

static void test_host_limit(void **state)
{
    (void)state;
    /* 436 ms of GPU time, half as much again allowed for: 654 ms in a step of 1308 ms is a half */
    assert_near(hs_utilform_host_limit(&plain, &step, 0.93, 1308), 0.5, EPS);
    assert_near(hs_utilform_host_limit(&plain, &step, 0.93, 600), 0.93, 0);
    assert_near(hs_utilform_host_limit(&plain, &step, 0.93, NAN), 0.93, 0);
    assert_near(hs_utilform_host_limit(&plain, &step, 0.93, 0), 0.93, 0);
}

/* Finite and a share everywhere; more of any feature never lowers utilization, a slower host never
 * raises it. */
static void test_domain(void **state)
{
    (void)state;
    static const double sizes[] = {0, 1e-9, 1e-3, 1, 1e3, 1e9};
    static const double batches[] = {1, 64, 1e6};
    for (uint32_t g = 0; g < 6; g++)
        for (uint32_t o = 0; o < 6; o++)
            for (uint32_t b = 0; b < 3; b++) {
                struct hs_utilwork work = {
                    .batch = batches[b], .gmacs = sizes[g], .moutputs = sizes[o], .layers = 3};
                double util = hs_util_of_log_load(hs_utilform_log_load(&plain, &work));
                struct hs_utilmate mate;
                double batch = work.batch / HS_UTIL_BATCH, before = util;
                assert_true(util > 0 && util <= 1);
                assert_true(hs_utilform_host_limit(&plain, &work, util, 1e12) <= util);
                work.batch *= 2;
                assert_true(hs_util_of_log_load(hs_utilform_log_load(&plain, &work)) >= before);
                work.batch /= 2;
                /* a measurement of 1 % to 97 % is matched by its own effect */
                for (int percent = 1; percent < 98; percent += 6) {
                    double log_load = hs_utilform_log_load(&plain, &work);
                    hs_utilmate_centre(&mate, hs_util_residual(percent / 100.0, log_load), &batch,
                                       1);
                    assert_near(hs_util_of_log_load(log_load + hs_utilmate_effect(&mate, &work)),
                                percent / 100.0, 1e-6);
                }
            }
}

static struct hs_profile profile_of(const char *model, const char *batch, const char *precision)
{
    struct hs_profile p = {.model = model,
                           .dataset = "d",
                           .batch = batch,
                           .precision = precision,
                           .gpu = "RTX3090",
                           .util_pm = -1,
                           .host_ms = NAN};
    for (uint32_t i = 0; i < HS_FEATURE_COUNT; i++)
        p.features[i] = NAN;
    p.features[HS_FEATURE_MACS] = 1e9;
    p.features[HS_FEATURE_OUTPUTS] = 2e6;
    p.features[HS_FEATURE_LAYERS] = 10;
    return p;
}

static void test_work(void **state)
{
    (void)state;
    struct hs_utilwork work;
    struct hs_profile p = profile_of("m", "32", "AMP");
    assert_true(hs_utilwork_of(&p, &work));
    assert_near(work.batch, 32, 0);
    assert_near(work.gmacs, 1, EPS);
    assert_near(work.moutputs, 2, EPS);
    assert_near(work.layers, 10, 0);
    assert_true(work.is_amp);
    p.batch = "";
    assert_false(hs_utilwork_of(&p, &work));
    p.batch = "0";
    assert_false(hs_utilwork_of(&p, &work));
    p.batch = "32";
    p.features[HS_FEATURE_LAYERS] = 0;
    assert_false(hs_utilwork_of(&p, &work));
    p.features[HS_FEATURE_LAYERS] = 10;
    p.features[HS_FEATURE_OUTPUTS] = NAN;
    assert_false(hs_utilwork_of(&p, &work));
}

/* ---- the file ---- */

#define LOAD "\"load\": {\"launch\": 0.1, \"per_gmac\": 0.2, \"per_moutput\": 0.3, \"amp\": 0.5}"
#define BUSY                                                                                       \
    "\"busy\": {\"layer_ms\": 2, \"gmac_ms\": 3, \"moutput_ms\": 5, \"amp\": 0, \"margin\": 1.5}"
#define MODELS                                                                                     \
    "\"models\": [{\"model\": \"Big-Net\", \"dataset\": \"d\", \"configs\": 6, "                   \
    "\"more_work\": 0, \"host\": 2, \"slope\": 0.5, \"amp\": 0, \"slope_amp\": 0},"                \
    "{\"model\": \"Lone\", \"dataset\": \"d\", \"configs\": 1, \"more_work\": 0.7, \"host\": 0, "  \
    "\"slope\": 0, \"amp\": 0, \"slope_amp\": 0}]"
#define HOLDOUT                                                                                    \
    "\"holdout\": [{\"protocol\": \"unseen model\", \"n\": 9, \"rmse\": 0.25},"                    \
    "{\"protocol\": \"one measured configuration, no features\", \"rmse\": null},"                 \
    "{\"protocol\": \"known model, unseen configuration\", \"rmse\": 0.07}]"
#define HEAD  "{\"kind\": \"predictor\", \"format\": 2, "
#define SHIFT "\"shift\": {\"per_ln_batch\": 0.4, \"amp\": -0.5}"
#define WHOLE                                                                                      \
    HEAD "\"fit\": {\"gpu\": \"RTX3090\", " LOAD ", " BUSY ", " MODELS "}, " SHIFT ", " HOLDOUT "}"

/* The figures of the fit in the file, in static storage. */
static enum hs_status utilmodel_load(struct utilmodel **out, const char *path, struct hs_diag *diag)
{
    static struct utilmodel m;
    struct hs_jsoncheck check;
    m = (struct utilmodel){.gpu = NULL};
    enum hs_status status = hs_modelfile_open(&check, path, HS_MODEL_PREDICTOR, diag);
    if (status == HS_OK) {
        utilmodel_read(&m, &check, hs_json_root(check.doc));
        status = check.status;
    }
    hs_json_close(check.doc);
    *out = status == HS_OK ? &m : NULL;
    if (status != HS_OK)
        hs_arena_free(&m.arena);
    return status;
}

static struct utilmodel *load(const char *text)
{
    static struct sink sink;
    struct utilmodel *m;
    sink_init(&sink);
    const char *path = scratch_write("predictor.json", text, strlen(text));
    if (utilmodel_load(&m, path, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return m;
}

static void test_predict(void **state)
{
    (void)state;
    struct utilmodel *m = load(WHOLE);
    enum utilbasis basis;
    struct hs_profile p = profile_of("other", "32", "fp32");
    assert_string_equal(m->gpu, "RTX3090");

    assert_near(utilmodel_predict(m, &p, &basis), 1 - exp(-2.66), EPS);
    assert_int_equal(basis, UTIL_UNSEEN_MODEL);
    assert_near(m->error[basis], 0.25, EPS);

    p.host_ms = 1308; /* as in test_host_limit */
    assert_near(utilmodel_predict(m, &p, &basis), 0.5, EPS);
    assert_int_equal(basis, UTIL_UNSEEN_HOST);
    assert_true(isnan(m->error[basis]));

    /* other spellings of names; host -ln(1 + 2 x 32 / 64) = -ln 2, slope -0.5 ln 2 */
    p = profile_of("bignet", "32", "fp32");
    assert_near(utilmodel_predict(m, &p, &basis), 1 - exp(-2.66 / 2 / sqrt(2)), EPS);
    assert_int_equal(basis, UTIL_KNOWN_MODEL);
    assert_near(m->error[basis], 0.07, EPS);

    p = profile_of("Lone", "32", "fp32");
    assert_near(utilmodel_predict(m, &p, &basis), 1 - exp(-2.66 * exp(0.7)), EPS);
    assert_int_equal(basis, UTIL_ONE_MEASURED);

    p.dataset = "another"; /* it has another loader */
    (void)utilmodel_predict(m, &p, &basis);
    assert_int_equal(basis, UTIL_UNSEEN_MODEL);

    p.batch = "";
    assert_true(isnan(utilmodel_predict(m, &p, &basis)));
    assert_int_equal(basis, UTIL_NOT_KNOWN);
    assert_true(isnan(m->error[basis]));
    hs_arena_free(&m->arena);
}

static void test_transfer(void **state)
{
    (void)state;
    struct utilmodel *m = load(WHOLE);
    enum utilbasis basis;
    struct hs_profile from = profile_of("x", "32", "fp32"), to = profile_of("x", "128", "fp32");

    /* Measured at load 1.33 with 2.66 by the form: the host takes 1 + h 32/64 = 2, h = 2. At batch
     * 128 the form gives 0.1 + 0.8 x 12.8 = 10.34 and the host takes 1 + 2 x 2 = 5. */
    assert_near(utilmodel_transfer(m, &from, 1 - exp(-1.33), &to, &basis), 1 - exp(-10.34 / 5),
                EPS);
    assert_int_equal(basis, UTIL_ONE_MEASURED);

    /* More than the form: the same factor everywhere. */
    assert_near(utilmodel_transfer(m, &to, 0.5, &to, &basis), 0.5, EPS);
    to.batch = "16"; /* 0.1 + 0.8 x 1.6 = 1.38 */
    assert_near(utilmodel_transfer(m, &from, 1 - exp(-3), &to, &basis), 1 - exp(-1.38 * 3 / 2.66),
                EPS);

    /* The form does not apply to another GPU: ln load + 0.4 ln(16 / 32) - 0.5 amp. */
    from.gpu = "A100";
    to.precision = "amp";
    double load_after = exp(0.4 * log(0.5) - 0.5);
    assert_near(utilmodel_transfer(m, &from, 1 - exp(-1), &to, &basis), 1 - exp(-load_after), EPS);
    assert_int_equal(basis, UTIL_SHIFT);
    assert_true(isnan(m->error[basis]));

    /* Models without a batch: only the same configuration. */
    from.batch = to.batch = "";
    to.precision = "fp32";
    assert_near(utilmodel_transfer(m, &from, 0.3, &to, &basis), 0.3, EPS);
    to.batch = "8";
    assert_true(isnan(utilmodel_transfer(m, &from, 0.3, &to, &basis)));
    assert_int_equal(basis, UTIL_NOT_KNOWN);
    hs_arena_free(&m->arena);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD SHIFT ", " HOLDOUT "}", "\"fit\" is missing"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " BUSY ", " MODELS "}, " SHIFT ", " HOLDOUT "}",
         "\"load\" is missing"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " LOAD ", " MODELS "}, " SHIFT ", " HOLDOUT "}",
         "\"busy\" is missing"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " LOAD ", " BUSY "}, " SHIFT ", " HOLDOUT "}",
         "\"models\" is missing"},
        {HEAD "\"fit\": {" LOAD ", " BUSY ", " MODELS "}, " SHIFT ", " HOLDOUT "}",
         "\"gpu\" is missing"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " LOAD ", " BUSY ", " MODELS "}, " HOLDOUT "}",
         "\"shift\" is missing"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " LOAD ", " BUSY ", " MODELS "}, " SHIFT "}",
         "\"holdout\" is missing"},
        {HEAD "\"fit\": {\"gpu\": \"G\", \"load\": {\"launch\": 0, \"per_gmac\": 0.2, "
              "\"per_moutput\": 0.3, \"amp\": 0.5}, " BUSY ", " MODELS "}, " SHIFT ", " HOLDOUT "}",
         "launch"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " LOAD ", " BUSY ", \"models\": [3]}, " SHIFT ", " HOLDOUT
              "}",
         "a measured model"},
        {HEAD "\"fit\": {\"gpu\": \"G\", " LOAD ", " BUSY
              ", \"models\": [{\"model\": \"x\"}]}, " SHIFT ", " HOLDOUT "}",
         "\"dataset\" is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct sink sink;
        struct utilmodel *m;
        sink_init(&sink);
        const char *path = scratch_write("bad.json", cases[i].text, strlen(cases[i].text));
        assert_int_equal(utilmodel_load(&m, path, &sink.diag), HS_E_INPUT);
        assert_null(m);
        if (strstr(sink.text, cases[i].message) == NULL)
            fail_msg("'%s' is not in: %s", cases[i].message, sink.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),     cmocka_unit_test(test_link),
        cmocka_unit_test(test_effect),   cmocka_unit_test(test_centre),
        cmocka_unit_test(test_residual), cmocka_unit_test(test_host_limit),
        cmocka_unit_test(test_domain),   cmocka_unit_test(test_work),
        cmocka_unit_test(test_predict),  cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_bad_files)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
