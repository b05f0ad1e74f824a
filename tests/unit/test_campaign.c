/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A campaign with a row for each tenant, through `horus calibrate interference` to what a run
 * reads: speeds relative to the mean of the runs alone, capacities of two and three tenants. Also
 * the errors of forms fitted elsewhere on data outside their fit, an H100 and eight models on an
 * H200; and the difference between two campaigns of one GPU type.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "calibrate/interference_subject.c"
#include "model/interference.h"
#include "support/measured.h"
#include "support/subject.h"

#define HEAD "set,gpu,mode,gpus,job,kind,rate,util\n"
#define A    ",G1,timeslice,1,A/d/1/fp32,training,"
#define B    ",G1,timeslice,1,B/d/1/fp32,training,"

static struct hs_calibrate_options options_of(const char *text)
{
    measured_put("campaign.csv", text);
    return (struct hs_calibrate_options){.data = {scratch_path("campaign.csv")},
                                         .data_count = 1,
                                         .clean = HS_CLEAN_DEFAULT,
                                         .overlap = HS_OVERLAP_TOLERANCE};
}

/* Alone A does 9 and 11 a second, 10 on average, at 80 %, B 20 at 60 %. Beside each other 5 and 8:
 * .8 x .5 + .6 x .4 = .64 of a GPU. A, A and B: .8 x .2 + .8 x .3 + .6 x .5 = .7. Pairs that demand
 * less than 1.25 do not count. */
static void test_capacities(void **state)
{
    static const char text[] = HEAD "1" A "9,80\n2" B "20,60\n3" A "11,80\n"
                                    "4" A "5,\n4" B "8,\n"
                                    "5" A "2,\n5" A "3,\n5" B "10,\n"
                                    "6" B "12,\n6" B "12,\n";
    static const struct hs_interference_type types[] = {{.gpu = "G1"}, {.gpu = "G2"}};
    const struct hs_interference_options plain = {.gamma = 1};
    struct hs_catalogue catalogue = {0};
    struct hs_interference *m;
    (void)state;
    struct hs_calibrate_options options = options_of(text);
    assert_int_equal(subject_try("interference", &options), HS_OK);
    sink_init(&subject_sink);
    assert_int_equal(hs_interference_load(&m, scratch_path("model.json"), &catalogue, &plain, types,
                                          2, &subject_sink.diag),
                     HS_OK);
    assert_int_equal(hs_interference_capacity_q32(m, 0, 2),
                     (uint64_t)(0.64 * (double)HS_Q32_ONE) + 1);
    assert_int_equal(hs_interference_capacity_q32(m, 0, 3),
                     (uint64_t)(0.7 * (double)HS_Q32_ONE) + 1);
    assert_int_equal(hs_interference_capacity_q32(m, 0, 4), hs_interference_capacity_q32(m, 0, 3));
    assert_int_equal(hs_interference_capacity_q32(m, 1, 2), HS_Q32_ONE); /* another type */
    hs_interference_free(m);
}

static void expect_fault(const char *text, const char *message)
{
    struct hs_calibrate_options options = options_of(text);
    assert_int_equal(subject_try("interference", &options), HS_E_INPUT);
    if (strstr(subject_sink.text, message) == NULL)
        fail_msg("no '%s' in %s", message, subject_sink.text);
}

static void test_faults(void **state)
{
    (void)state;
    expect_fault(HEAD "1,G1,slices,1,A/d/1/fp32,training,9,80\n",
                 "campaign.csv:2:6: error: no mode: 'slices'");
    expect_fault(HEAD "1" A ",80\n", "campaign.csv:2:38: error: a tenant without a rate");
    expect_fault(HEAD "1" A "9,800\n", "campaign.csv:2:40: error: util is 800, out of 0..100");
    expect_fault(HEAD "1,G1,mps,1,A/d/1,training,9,80\n", "not a profile key: 'A/d/1'");
    expect_fault("set,gpu,mode,job,rate,utl\n1,G,mps,A/d/1/fp32,9,80\n", "unknown column 'utl'");
    expect_fault("set,gpu,mode,rate\n1,G,mps,9\n", "missing column: job");
    expect_fault(HEAD "1" A "9,80\n2" B "20,30\n3" A "5,\n3" B "8,\n",
                 "2 speeds of 2 jobs are too few");
}

/* ---- out of sample ---- */

/* Element of an array; beyond its end the last one. */
static double element(const struct hs_json *list, uint32_t index)
{
    const struct hs_json *at = hs_json_first(list);
    for (; index > 0 && hs_json_next(at) != NULL; index--)
        at = hs_json_next(at);
    return hs_json_number(at);
}

static const struct hs_json *shipped_form(const struct hs_json_doc *doc, const char *gpu,
                                          const char *mode)
{
    const struct hs_json *form = hs_json_first(hs_json_get(hs_json_root(doc), "forms"));
    while (form != NULL && (strcmp(hs_json_text(hs_json_get(form, "gpu")), gpu) != 0 ||
                            strcmp(hs_json_text(hs_json_get(form, "mode")), mode) != 0))
        form = hs_json_next(form);
    assert_non_null(form);
    return form;
}

static bool has_job(const struct hs_measurements *m, const char *key)
{
    for (uint32_t i = 0; i < m->solo_count; i++)
        if (strcmp(m->solos[i].key, key) == 0)
            return true;
    return false;
}

/* Keeps the sets with a job that is not in the other campaign. */
static void leave_out_known(struct hs_measurements *m, const struct hs_measurements *known)
{
    for (uint32_t i = 0; i < m->pair_count; i++)
        if (has_job(known, m->solos[m->pairs[i].own].key) &&
            has_job(known, m->solos[m->pairs[i].other].key))
            m->pairs[i].dropped |= HS_DROPPED(FAILED);
    for (uint32_t i = 0, end; i < m->tenancy_count; i = end) {
        bool is_known = true;
        for (end = i; end < m->tenancy_count && m->tenancies[end].set == m->tenancies[i].set; end++)
            is_known &= has_job(known, m->solos[m->tenancies[end].solo].key);
        if (is_known)
            m->tenancies[i].speed = NAN;
    }
}

enum capacity { OF_PAIRS, OF_TENANTS, ONE };
struct wanted {
    const char *mode, *form_gpu;
    enum capacity capacity;
    uint32_t tenants, n;
    double rmse, r2, bias, percent; /* percent: error of the mean sum */
};

/* Errors of shipped forms on a campaign. */
static void expect_errors(struct measured *t, const char *gpu, const struct wanted *wanted,
                          size_t count)
{
    struct hs_json_doc *doc = NULL;
    assert_int_equal(hs_json_load(&doc, "configs/models/interference.json", &t->sink.diag), HS_OK);
    for (const struct wanted *w = wanted; w < wanted + count; w++) {
        const struct hs_json *form = shipped_form(doc, w->form_gpu, w->mode);
        const double theta[] = {[HS_GENERAL_LN_K] = log(hs_json_number(hs_json_get(form, "k"))),
                                [HS_GENERAL_ALPHA] = hs_json_number(hs_json_get(form, "alpha")),
                                [HS_GENERAL_BETA] = hs_json_number(hs_json_get(form, "beta"))};
        const uint32_t at = w->capacity == OF_TENANTS ? w->tenants - 2 : 0;
        struct sharing_check found = {
            .gpu = gpu,
            .mode = w->mode,
            .tenants = w->tenants,
            .theta = theta,
            .capacity = w->capacity == ONE ? 1 : element(hs_json_get(form, "capacity"), at)};
        assert_true(check_sharing(&t->m, 1, &found));
        const double percent = 100 * (found.sum_predicted / found.sum_observed - 1);
        if (found.speed.n != w->n || !(fabs(found.speed.rmse - w->rmse) <= 6e-5) ||
            !(fabs(found.speed.r2 - w->r2) <= 6e-4) ||
            !(fabs(found.speed.bias - w->bias) <= 6e-5) || !(fabs(percent - w->percent) <= 0.06))
            fail_msg("%s, form of %s, %u tenants: n %u, RMSE %.4f, R2 %.3f, bias %.4f, %.1f %%",
                     w->mode, w->form_gpu, w->tenants, found.speed.n, found.speed.rmse,
                     found.speed.r2, found.speed.bias, percent);
    }
    hs_json_close(doc);
}

/* Shipped forms and capacities of other types on the campaign of the H100, which no form was fitted
 * to: the H200's, with its capacity of pairs as in the checks of A16, and what a run uses for a
 * type without measurements, the first form of the mode (time slicing: RTX 3090 and one GPU's time;
 * MPS: H200 and its capacity of as many tenants). Then the H200's on the eight models of its second
 * campaign that are in no fit, also with the capacity that a run takes, and the H100's. The figures
 * are those of a separate program, in Python, that reproduces the H200's own checks to six
 * digits. */
static void test_out_of_sample(void **state)
{
    static const struct wanted h100[] = {
        {"timeslice", "H200", OF_PAIRS, 2, 210, 0.1522, 0.228, -0.0670, -8.2},
        {"timeslice", "H200", OF_PAIRS, 3, 51, 0.1609, 0.557, -0.0709, -10.1},
        {"timeslice", "H200", OF_PAIRS, 4, 44, 0.1299, 0.600, -0.0327, -6.3},
        {"timeslice", "RTX3090", ONE, 2, 210, 0.1342, 0.400, 0.0572, 7.0},
        {"timeslice", "RTX3090", ONE, 3, 51, 0.1570, 0.578, 0.0651, 9.3},
        {"timeslice", "RTX3090", ONE, 4, 44, 0.2376, -0.339, 0.1272, 24.4},
        {"mps", "H200", OF_PAIRS, 2, 218, 0.1405, 0.128, 0.0196, 2.1},
        {"mps", "H200", OF_PAIRS, 3, 51, 0.1658, 0.485, -0.0252, -2.9},
        {"mps", "H200", OF_PAIRS, 4, 44, 0.1874, 0.147, 0.0110, 1.6},
        {"mps", "H200", OF_TENANTS, 3, 51, 0.1648, 0.491, -0.0172, -2.0},
        {"mps", "H200", OF_TENANTS, 4, 44, 0.1822, 0.194, 0.0575, 8.1},
    };
    static const struct wanted models[] = {
        {"timeslice", "H200", OF_PAIRS, 2, 84, 0.1306, 0.514, -0.0465, -6.7},
        {"timeslice", "H200", OF_PAIRS, 3, 15, 0.1023, 0.637, -0.0082, -1.6},
        {"timeslice", "H200", OF_PAIRS, 4, 20, 0.1280, 0.311, -0.0234, -5.9},
        {"timeslice", "H200", OF_TENANTS, 3, 15, 0.1023, 0.637, -0.0081, -1.6},
        {"timeslice", "H200", OF_TENANTS, 4, 20, 0.1291, 0.299, -0.0196, -4.9},
        {"timeslice", "H100", OF_PAIRS, 2, 84, 0.0884, 0.777, 0.0023, 0.3},
        {"timeslice", "H100", OF_PAIRS, 3, 15, 0.2335, -0.889, 0.0859, 16.4},
        {"timeslice", "H100", OF_PAIRS, 4, 20, 0.2075, -0.812, 0.0562, 14.1},
        {"mps", "H200", OF_PAIRS, 2, 84, 0.1448, 0.524, 0.0289, 3.6},
        {"mps", "H200", OF_PAIRS, 3, 15, 0.1767, -0.125, 0.0409, 5.7},
        {"mps", "H200", OF_PAIRS, 4, 20, 0.2937, -2.115, 0.0607, 11.9},
        {"mps", "H200", OF_TENANTS, 3, 15, 0.1717, -0.062, 0.0504, 7.1},
        {"mps", "H200", OF_TENANTS, 4, 20, 0.2931, -2.102, 0.1130, 22.1},
        {"mps", "H100", OF_PAIRS, 2, 84, 0.1428, 0.537, 0.0221, 2.7},
        {"mps", "H100", OF_PAIRS, 3, 15, 0.1651, 0.019, 0.0278, 3.9},
        {"mps", "H100", OF_PAIRS, 4, 20, 0.2704, -1.640, 0.0499, 9.8},
    };
    struct measured t = {0}, first = {0};
    (void)state;
    measured_good(&t, "configs/measurements/h100.csv");
    measured_clean(&t, HS_CLEAN_DEFAULT);
    expect_errors(&t, "H100", h100, HS_COUNT_OF(h100));
    measured_good(&first, "configs/measurements/h200.csv");
    measured_good(&t, "configs/measurements/h200-2.csv");
    measured_clean(&t, HS_CLEAN_DEFAULT);
    leave_out_known(&t.m, &first.m);
    expect_errors(&t, "H200", models, HS_COUNT_OF(models));
    hs_measure_free(&first.m);
    hs_measure_free(&t.m);
}

/* ---- measured again ---- */

/* Predictors of the speeds of sets that are also in the first campaign: the mean measured there, or
 * a run's model. */
enum source { FIRST, RUN, RUN_OF_FIT };

struct again {
    const struct hs_measurements *first;
    const struct hs_interference *model; /* NULL: FIRST */
    const struct hs_catalogue *catalogue;
    uint32_t type, tenants; /* 0: any */
    double from, to;        /* utilization alone */
    const struct tenants *set;
    double sum[HS_TENANTS_MAX];
    uint32_t runs[HS_TENANTS_MAX], within; /* within .05 */
    struct hs_predictions speeds;
};

static const struct hs_interference_type h200[] = {{"H200", HS_SHARING_TIMESLICE},
                                                   {"H200", HS_SHARING_MPS}};

static uint32_t times(const struct tenants *t, const char *key)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += strcmp(t->solos[i]->key, key) == 0;
    return count;
}

static void add_runs(void *ctx, const struct hs_measurements *m, const struct tenants *t)
{
    struct again *again = ctx;
    const struct tenants *set = again->set;
    (void)m;
    for (uint32_t i = 0; i < set->count; i++)
        if (t->count != set->count ||
            times(t, set->solos[i]->key) != times(set, set->solos[i]->key))
            return;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t j = 0; j < t->count; j++)
            if (strcmp(set->solos[i]->key, t->solos[j]->key) == 0) {
                again->sum[i] += t->speed[j];
                again->runs[i]++;
            }
}

static void add_again(void *ctx, const struct hs_measurements *m, const struct tenants *t)
{
    struct again *again = ctx;
    struct hs_tenant tenants[HS_TENANTS_MAX] = {0};
    struct hs_fair_share shares[HS_TENANTS_MAX];
    (void)m;
    memset(again->sum, 0, sizeof again->sum);
    memset(again->runs, 0, sizeof again->runs);
    again->set = t;
    visit_sets(&(struct set_visitor){
        again->first, 1, "H200", hs_sharing_modes[h200[again->type].mode], false, add_runs, again});
    if (again->runs[0] == 0 || (again->tenants != 0 && t->count != again->tenants))
        return;
    for (uint32_t i = 0; again->model != NULL && i < t->count; i++) {
        tenants[i].profile = hs_catalogue_find(again->catalogue, t->solos[i]->key);
        tenants[i].util_pm = again->catalogue->profiles[tenants[i].profile].util_pm;
    }
    if (again->model != NULL)
        hs_interference_speeds(again->model, again->type, tenants, t->count, shares);
    for (uint32_t i = 0; i < t->count; i++) {
        const double foreseen = again->model != NULL
                                    ? (double)shares[i].speed_q32 / (double)HS_Q32_ONE
                                    : again->sum[i] / again->runs[i];
        if (!(t->util[i] >= again->from && t->util[i] < again->to))
            continue;
        hs_predictions_add(&again->speeds, t->speed[i], foreseen);
        again->within += fabs(t->speed[i] - foreseen) <= 0.05;
    }
}

/* The jobs of a campaign, with their utilizations alone in a mode. */
static void profiles_of(struct hs_catalogue *catalogue, const struct hs_measurements *m,
                        const char *mode, struct hs_diag *diag)
{
    char text[4096] = "model,dataset,batch,precision,util\n";
    *catalogue = (struct hs_catalogue){0};
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        const size_t at = strlen(text);
        if (strcmp(m->modes[solo->gpu], mode) == 0)
            (void)snprintf(text + at, sizeof text - at, "%s,%s,%s,%s,%.1f\n", solo->model,
                           solo->dataset, solo->batch, solo->precision, 100 * solo->util);
    }
    measured_put("profiles.csv", text);
    assert_int_equal(hs_catalogue_load(catalogue, scratch_path("profiles.csv"), diag), HS_OK);
}

/* Speeds of the same jobs on an H200 two days later. Figures from a separate program, in Python. */
static void test_again(void **state)
{
    static const struct {
        enum source source;
        uint32_t type, tenants;
        double from, to;
        uint32_t n, within;
        double rmse, r2, bias;
    } wanted[] = {
        {FIRST, 0, 2, 0, 2, 80, 40, 0.1465, 0.442, -0.0408},
        {FIRST, 0, 3, 0, 2, 15, 12, 0.0752, 0.777, -0.0210},
        {FIRST, 0, 4, 0, 2, 20, 14, 0.0937, 0.815, -0.0439},
        {FIRST, 0, 0, 0, 0.5, 55, 18, 0.1807, 0.300, -0.0708},
        {FIRST, 0, 0, 0.5, 0.9, 51, 39, 0.0597, 0.883, -0.0117},
        {FIRST, 0, 0, 0.9, 2, 9, 9, 0.0043, 0.999, 0.0036},
        {RUN, 0, 2, 0, 2, 80, 39, 0.1499, 0.416, -0.0502},
        {RUN, 0, 3, 0, 2, 15, 9, 0.0899, 0.681, -0.0241},
        {RUN, 0, 4, 0, 2, 20, 12, 0.1075, 0.756, -0.0294},
        {RUN_OF_FIT, 0, 2, 0, 2, 80, 45, 0.1329, 0.541, -0.0478},
        {RUN_OF_FIT, 0, 3, 0, 2, 15, 9, 0.0723, 0.794, -0.0310},
        {RUN_OF_FIT, 0, 4, 0, 2, 20, 12, 0.1027, 0.777, -0.0398},
        {FIRST, 1, 2, 0, 2, 80, 24, 0.1835, -0.220, 0.0163},
        {FIRST, 1, 3, 0, 2, 15, 6, 0.1507, 0.385, 0.0227},
        {FIRST, 1, 4, 0, 2, 20, 10, 0.1765, 0.472, 0.0364},
        {FIRST, 1, 0, 0, 0.5, 50, 8, 0.2390, -0.379, -0.0077},
        {FIRST, 1, 0, 0.5, 0.9, 56, 23, 0.1197, 0.340, 0.0494},
        {FIRST, 1, 0, 0.9, 2, 9, 9, 0.0055, 0.999, -0.0008},
        {RUN, 1, 2, 0, 2, 80, 27, 0.1574, 0.102, -0.0252},
        {RUN, 1, 3, 0, 2, 15, 2, 0.1292, 0.548, -0.0277},
        {RUN, 1, 4, 0, 2, 20, 7, 0.1629, 0.551, -0.0146},
        {RUN_OF_FIT, 1, 2, 0, 2, 80, 33, 0.1380, 0.310, 0.0047},
        {RUN_OF_FIT, 1, 3, 0, 2, 15, 2, 0.1458, 0.425, 0.0084},
        {RUN_OF_FIT, 1, 4, 0, 2, 20, 7, 0.1638, 0.546, 0.0446},
    };
    struct measured first = {0}, second = {0};
    (void)state;
    measured_good(&first, "configs/measurements/h200.csv");
    measured_good(&second, "configs/measurements/h200-2.csv");
    for (size_t i = 0; i < HS_COUNT_OF(wanted); i++) {
        const char *mode = hs_sharing_modes[h200[wanted[i].type].mode];
        const struct hs_interference_options options = {
            .mode = wanted[i].source == RUN ? HS_INTERFERENCE_MEASURED : HS_INTERFERENCE_FIT,
            .gamma = 1};
        struct hs_catalogue catalogue;
        struct hs_interference *model = NULL;
        struct hs_score found;
        profiles_of(&catalogue, &first.m, mode, &first.sink.diag);
        if (wanted[i].source != FIRST)
            assert_int_equal(hs_interference_load(&model, "configs/models/interference.json",
                                                  &catalogue, &options, h200, HS_COUNT_OF(h200),
                                                  &first.sink.diag),
                             HS_OK);
        struct again again = {.first = &first.m,
                              .model = model,
                              .catalogue = &catalogue,
                              .type = wanted[i].type,
                              .tenants = wanted[i].tenants,
                              .from = wanted[i].from,
                              .to = wanted[i].to};
        visit_sets(&(struct set_visitor){&second.m, 1, "H200", mode, false, add_again, &again});
        hs_predictions_score(&again.speeds, &found);
        if (found.n != wanted[i].n || again.within != wanted[i].within ||
            !(fabs(found.rmse - wanted[i].rmse) <= 6e-5) ||
            !(fabs(found.r2 - wanted[i].r2) <= 6e-4) ||
            !(fabs(found.bias - wanted[i].bias) <= 6e-5))
            fail_msg("row %zu: n %u, %u within .05, RMSE %.4f, R2 %.3f, bias %.4f", i, found.n,
                     again.within, found.rmse, found.r2, found.bias);
        hs_interference_free(model);
        hs_catalogue_free(&catalogue);
    }
    hs_measure_free(&first.m);
    hs_measure_free(&second.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacities),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_out_of_sample),
        cmocka_unit_test(test_again),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
