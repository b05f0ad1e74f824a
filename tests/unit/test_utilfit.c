/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fit of the utilization predictor on catalogues made from known coefficients: the coefficients
 * must be recovered, held-out rows must not be used, unusable rows must be counted. The catalogue
 * has utilizations to a tenth of a per cent: tolerances are a few of those steps.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/predictor_fit.h"
#include "support/sink.h"

#define HEADER "model,dataset,batch,precision,gpu,util,step_ms,macs,outputs,layers\n"

/* load = (0.2 + (0.05 MACs/1e9 + 0.6 outputs/1e6) batch / layers) x (fp32: 1, amp: 0.6) */
static const struct {
    const char *name;
    double gmacs, moutputs, layers;
} models[] = {{"A", 0.001, 0.01, 10}, {"B", 0.05, 0.2, 20}, {"C", 0.3, 0.6, 40},
              {"D", 0.6, 0.3, 20},    {"E", 4, 1.5, 60},    {"F", 0.02, 0.9, 30},
              {"G", 1.5, 0.1, 15}};
#define MODELS (sizeof models / sizeof models[0])
static const int batches[] = {16, 32, 64, 128};

static double load_of(size_t model, int batch, bool is_amp)
{
    double sample = 0.05 * models[model].gmacs + 0.6 * models[model].moutputs;
    return (0.2 + sample * batch / models[model].layers) * (is_amp ? 0.6 : 1);
}

struct text {
    char bytes[16384];
    size_t len;
};

static void add_row(struct text *t, size_t model, int batch, bool is_amp, double util)
{
    int len = snprintf(t->bytes + t->len, sizeof t->bytes - t->len,
                       "%s,set,%d,%s,G1,%.1f,%d,%.0f,%.0f,%.0f\n", models[model].name, batch,
                       is_amp ? "amp" : "fp32", 100 * util, 10 + batch, models[model].gmacs * 1e9,
                       models[model].moutputs * 1e6, models[model].layers);
    assert_true(len > 0 && (size_t)len < sizeof t->bytes - t->len);
    t->len += (size_t)len;
}

/* Every model; the host adds host[model] per 64 samples to the time of a step. */
static void fill(struct text *t, const double *host)
{
    t->len = 0;
    memcpy(t->bytes, HEADER, sizeof HEADER);
    t->len = strlen(HEADER);
    for (size_t m = 0; m < MODELS; m++)
        for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++)
            for (int amp = 0; amp < 2; amp++) {
                double wait = 1 + (host != NULL ? host[m] * batches[b] / 64 : 0);
                add_row(t, m, batches[b], amp == 1,
                        -expm1(-load_of(m, batches[b], amp == 1) / wait));
            }
}

struct data {
    struct hs_catalogue catalogue;
    struct hs_utilrows rows;
    struct hs_arena arena;
    struct sink sink;
};

static void open_data(struct data *d, const char *text)
{
    sink_init(&d->sink);
    d->catalogue = (struct hs_catalogue){0};
    const char *path = scratch_write("profiles.csv", text, strlen(text));
    if (hs_catalogue_load(&d->catalogue, path, &d->sink.diag) != HS_OK ||
        hs_utilrows_collect(&d->rows, &d->catalogue, NULL, &d->arena, &d->sink.diag) != HS_OK)
        fail_msg("%s", d->sink.text);
}

static void close_data(struct data *d)
{
    hs_arena_free(&d->arena);
    hs_catalogue_free(&d->catalogue);
}

static void fit_all(struct data *d, struct hs_utilfit *fit)
{
    if (hs_utilfit(&d->rows, NULL, 0, fit, &d->sink.diag) != HS_OK)
        fail_msg("%s", d->sink.text);
}

static void run_holdout(struct data *d, struct hs_utilholdout *h)
{
    if (hs_utilholdout_run(h, &d->rows, 0, &d->sink.diag) != HS_OK)
        fail_msg("%s", d->sink.text);
}

static void test_recovers_the_load(void **state)
{
    (void)state;
    static struct text t;
    static struct data d;
    struct hs_utilfit fit;
    struct hs_utilholdout h;
    fill(&t, NULL);
    open_data(&d, t.bytes);
    assert_int_equal(d.rows.count, 56);
    assert_int_equal(d.rows.models, 7);
    fit_all(&d, &fit);
    /* the prior changes it by no more than a few per cent */
    assert_true(fabs(fit.form.launch / 0.2 - 1) < 0.02);
    assert_true(fabs(fit.form.per_gmac / 0.05 - 1) < 0.1);
    assert_true(fabs(fit.form.per_moutput / 0.6 - 1) < 0.03);
    assert_true(fabs(fit.form.amp + log(0.6)) < 0.03);
    run_holdout(&d, &h);
    assert_true(h.rules[HS_UTILRULE_UNSEEN].score.mae < 0.01);
    assert_true(h.rules[HS_UTILRULE_CONFIG].score.mae < 0.005);
    assert_true(h.rules[HS_UTILRULE_ONE].score.mae < 0.01);
    assert_int_equal(h.rules[HS_UTILRULE_UNSEEN].score.n, 56);
    assert_int_equal(h.rules[HS_UTILRULE_CONFIG].score.n, 56);
    assert_int_equal(h.rules[HS_UTILRULE_ONE].score.n, 7 * 8 * 7); /* ordered pairs */
    assert_int_equal(h.rules[HS_UTILRULE_ONE_MIDDLE].score.n, 7 * 7);
    assert_int_equal(h.rules[HS_UTILRULE_CONFIG_TABLE].score.n, 56); /* three other batches */
    assert_int_equal(h.divisors_kept, 7); /* the data was made with layers */
    close_data(&d);
}

/* A model with a slow host, which no feature shows: one measurement shows it. */
static void test_finds_a_slow_host(void **state)
{
    (void)state;
    static const double host[MODELS] = {0, 0, 0, 0, 30, 0, 0};
    static struct text t;
    static struct data d;
    struct hs_utilfit fit;
    struct hs_utilmate mate;
    struct hs_utilholdout h;
    uint32_t configs;
    fill(&t, host);
    open_data(&d, t.bytes);
    fit_all(&d, &fit);
    assert_int_equal(hs_utilfit_mate(&d.rows, NULL, 4, &fit, &mate, &configs, &d.sink.diag), HS_OK);
    assert_int_equal(configs, 8);
    assert_true(mate.host > 25 && mate.host < 36); /* 30, from utilizations of 4 % to 6 % */
    run_holdout(&d, &h);
    assert_true(h.rules[HS_UTILRULE_CONFIG].score.mae < 0.01);
    assert_true(h.rules[HS_UTILRULE_ONE].score.mae < 0.03);
    /* a shift common to all models cannot */
    assert_true(h.rules[HS_UTILRULE_SHIFT].score.mae > 2 * h.rules[HS_UTILRULE_ONE].score.mae);
    close_data(&d);
}

/* The value of a held-out row has no effect. */
static void test_does_not_see_what_is_held_out(void **state)
{
    (void)state;
    static struct text t;
    static struct data a, b;
    struct hs_utilholdout before, after;
    fill(&t, NULL);
    open_data(&a, t.bytes);
    run_holdout(&a, &before);
    for (uint32_t changed = 0; changed < a.rows.count; changed += 5) {
        open_data(&b, t.bytes);
        b.rows.rows[changed].util = 1 - b.rows.rows[changed].util;
        b.rows.rows[changed].step_ms *= 3;
        run_holdout(&b, &after);
        assert_true(after.config[changed] == before.config[changed]);
        assert_true(after.model[changed] == before.model[changed]);
        assert_true(after.host[changed] == before.host[changed]);
        /* but the others do depend on it */
        assert_true(after.model[(changed + 20) % a.rows.count] !=
                    before.model[(changed + 20) % a.rows.count]);
        close_data(&b);
    }
    close_data(&a);
}

static void test_order_of_rows_does_not_matter(void **state)
{
    (void)state;
    static struct text t, turned;
    static struct data a, b;
    struct hs_utilholdout x, y;
    fill(&t, NULL);
    memcpy(turned.bytes, HEADER, strlen(HEADER));
    turned.len = strlen(HEADER);
    for (size_t end = t.len - 1; end > strlen(HEADER);) { /* line by line from the last */
        size_t start = end;
        while (t.bytes[start - 1] != '\n')
            start--;
        memcpy(turned.bytes + turned.len, t.bytes + start, end - start + 1);
        turned.len += end - start + 1;
        end = start - 1;
    }
    turned.bytes[turned.len] = '\0';
    assert_int_equal(turned.len, t.len);
    open_data(&a, t.bytes);
    open_data(&b, turned.bytes);
    run_holdout(&a, &x);
    run_holdout(&b, &y);
    for (int rule = 0; rule < HS_UTILRULE_COUNT; rule++) {
        assert_int_equal(x.rules[rule].score.n, y.rules[rule].score.n);
        assert_true(fabs(x.rules[rule].score.mae - y.rules[rule].score.mae) < 1e-6);
    }
    close_data(&a);
    close_data(&b);
}

/* A saturated GPU gives only a lower bound. */
static void test_saturated_models(void **state)
{
    (void)state;
    static struct text t;
    static struct data d;
    struct hs_utilfit fit;
    struct hs_utilmate mate;
    uint32_t configs;
    fill(&t, NULL);
    char extra[] = "Sat,set,32,fp32,G1,100,10,60000000000,90000000,50\n"
                   "Sat,set,64,fp32,G1,99.5,20,60000000000,90000000,50\n";
    memcpy(t.bytes + t.len, extra, sizeof extra);
    open_data(&d, t.bytes);
    fit_all(&d, &fit);
    assert_int_equal(hs_utilfit_mate(&d.rows, NULL, 7, &fit, &mate, &configs, &d.sink.diag), HS_OK);
    assert_int_equal(configs, 2);
    assert_true(mate.host == 0 && mate.more_work == 0 && mate.slope == 0 && mate.amp == 0);
    close_data(&d);
}

/* ---- what cannot be used ---- */

static void test_counts_what_is_left_out(void **state)
{
    (void)state;
    static struct text t;
    static struct data d;
    fill(&t, NULL);
    static const char extra[] = "H,set,32,fp32,G1,,10,1e9,1e6,10\n"    /* not measured */
                                "I,set,,fp32,G1,40,10,1e9,1e6,10\n"    /* no batch */
                                "J,set,32,fp32,G1,40,10,,1e6,10\n"     /* no MACs */
                                "K,set,32,fp32,G1,40,10,1e9,,10\n"     /* no outputs */
                                "L,set,32,fp32,G1,40,10,1e9,1e6,\n"    /* no layers */
                                "M,set,32,fp32,G2,40,10,1e9,1e6,10\n"  /* another GPU type */
                                "N,set,32,fp32,G1,40,100,1e9,1e6,10\n" /* times that shrink */
                                "N,set,64,fp32,G1,40,50,1e9,1e6,10\n";
    memcpy(t.bytes + t.len, extra, sizeof extra);
    open_data(&d, t.bytes);
    assert_string_equal(d.rows.gpu, "G1");
    assert_int_equal(d.rows.count, 58);
    assert_int_equal(d.rows.dropped[HS_UTILROW_NOT_MEASURED], 1);
    assert_int_equal(d.rows.dropped[HS_UTILROW_NO_BATCH], 1);
    assert_int_equal(d.rows.dropped[HS_UTILROW_NO_FEATURES], 3);
    assert_int_equal(d.rows.dropped[HS_UTILROW_OTHER_GPU], 1);
    assert_int_equal(d.rows.no_time, 2);
    assert_true(isnan(d.rows.rows[57].step_ms) && isnan(d.rows.rows[57].host_ms));
    /* elsewhere: (10 + B) ms a batch; per sample least at B = 128, 138 / 128, and for the row of
     * 128 itself in the other precision */
    assert_true(fabs(d.rows.rows[0].host_ms - 16 * 138.0 / 128) < 1e-9);
    close_data(&d);
}

static void expect_refusal(const char *text, const char *message)
{
    static struct sink sink;
    struct hs_catalogue catalogue = {0};
    struct hs_utilrows rows;
    struct hs_arena arena = {0};
    sink_init(&sink);
    const char *path = scratch_write("bad.csv", text, strlen(text));
    assert_int_equal(hs_catalogue_load(&catalogue, path, &sink.diag), HS_OK);
    assert_int_equal(hs_utilrows_collect(&rows, &catalogue, NULL, &arena, &sink.diag), HS_E_INPUT);
    if (strstr(sink.text, message) == NULL)
        fail_msg("'%s' is not in: %s", message, sink.text);
    hs_arena_free(&arena);
    hs_catalogue_free(&catalogue);
}

static void test_refuses_too_little(void **state)
{
    (void)state;
    static struct text t;
    expect_refusal(HEADER "A,set,16,fp32,G1,40,10,1e9,1e6,10\n"
                          "B,set,32,fp32,G1,60,10,2e9,1e6,10\n",
                   "2 usable rows of 2 models (G1)");
    expect_refusal("model,dataset,batch,precision,gpu,util\nA,set,16,fp32,G1,40\n",
                   "0 usable rows of 0 models (no GPU type)");
    t.len = 0;
    for (size_t m = 0; m < MODELS; m++)
        for (size_t b = 0; b < 2; b++)
            t.len += (size_t)snprintf(
                t.bytes + t.len, sizeof t.bytes - t.len, "%s%s,set,%d,fp32,G1,%zu,10,1e9,1e6,10\n",
                t.len == 0 ? HEADER : "", models[m].name, batches[b], 10 * m + b);
    expect_refusal(t.bytes, "nothing tells the models apart");
}

/* Without mixed precision, without step times, with one row a model: still finite. */
static void test_sparse_data(void **state)
{
    (void)state;
    static struct text t;
    static struct data d;
    struct hs_utilfit fit;
    struct hs_utilholdout h;
    t.len = 0;
    for (size_t m = 0; m < MODELS; m++)
        for (size_t b = 0; b < (m == 0 ? 2u : 1u); b++)
            t.len += (size_t)snprintf(
                t.bytes + t.len, sizeof t.bytes - t.len,
                "%s%s,set,%d,fp32,G1,%.1f,,%.0f,%.0f,%.0f\n", t.len == 0 ? HEADER : "",
                models[m].name, batches[b], -100 * expm1(-load_of(m, batches[b], false)),
                models[m].gmacs * 1e9, models[m].moutputs * 1e6, models[m].layers);
    open_data(&d, t.bytes);
    assert_int_equal(d.rows.count, 8);
    fit_all(&d, &fit);
    const double *numbers = (const double *)&fit.form;
    for (size_t i = 0; i < sizeof fit.form / sizeof(double); i++)
        assert_true(isfinite(numbers[i]));
    assert_true(isfinite(fit.ridge) && fit.ridge > 0);
    run_holdout(&d, &h);
    assert_int_equal(h.rules[HS_UTILRULE_CONFIG].score.n, 2); /* only A has another row */
    assert_true(isnan(h.config[2]));
    assert_int_equal(h.rules[HS_UTILRULE_CONFIG_TABLE].score.n, 0);
    assert_true(h.rules[HS_UTILRULE_UNSEEN].score.mae < 0.1);
    for (uint32_t i = 0; i < d.rows.count; i++)
        assert_true(h.host[i] == h.model[i]);
    close_data(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovers_the_load),
        cmocka_unit_test(test_finds_a_slow_host),
        cmocka_unit_test(test_does_not_see_what_is_held_out),
        cmocka_unit_test(test_order_of_rows_does_not_matter),
        cmocka_unit_test(test_saturated_models),
        cmocka_unit_test(test_counts_what_is_left_out),
        cmocka_unit_test(test_refuses_too_little),
        cmocka_unit_test(test_sparse_data),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
