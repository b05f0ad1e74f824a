/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A campaign with a row for each tenant, through `horus calibrate interference` to what a run
 * reads: speeds relative to the mean of the runs alone, capacities of two and three tenants. And
 * how far forms fitted elsewhere are off on a GPU type that they have not seen, an H100.
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
 * .8 x .5 + .6 x .4 = .64 of a GPU. A, A and B: .8 x .2 + .8 x .3 + .6 x .5 = .7. Of two pairs that
 * want less than 1.25 nothing is learned. */
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
    assert_int_equal(hs_interference_capacity_q32(m, 1, 2), HS_Q32_ONE); /* of another type */
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

/* Of an array, the last for all more. */
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

/* Shipped forms and capacities of other types on the campaign of the H100, before anything is
 * fitted to it: the H200's, with its capacity of pairs as in the checks of A16, and what a run
 * takes for a type that was not measured, the first form of the mode (time slicing: RTX 3090 and
 * one GPU's time; MPS: H200 and its capacity of as many tenants). The figures are those of another
 * program, in Python, that repeats the H200's own checks to six digits. percent: error of the mean
 * sum. */
static void test_out_of_sample(void **state)
{
    enum capacity { OF_PAIRS, OF_TENANTS, ONE };
    static const struct {
        const char *mode, *form_gpu;
        enum capacity capacity;
        uint32_t tenants, n;
        double rmse, bias, percent;
    } wanted[] = {
        {"timeslice", "H200", OF_PAIRS, 2, 210, 0.1522, -0.0670, -8.2},
        {"timeslice", "H200", OF_PAIRS, 3, 51, 0.1609, -0.0709, -10.1},
        {"timeslice", "H200", OF_PAIRS, 4, 44, 0.1299, -0.0327, -6.3},
        {"timeslice", "RTX3090", ONE, 2, 210, 0.1342, 0.0572, 7.0},
        {"timeslice", "RTX3090", ONE, 3, 51, 0.1570, 0.0651, 9.3},
        {"timeslice", "RTX3090", ONE, 4, 44, 0.2376, 0.1272, 24.4},
        {"mps", "H200", OF_PAIRS, 2, 218, 0.1405, 0.0196, 2.1},
        {"mps", "H200", OF_PAIRS, 3, 51, 0.1658, -0.0252, -2.9},
        {"mps", "H200", OF_PAIRS, 4, 44, 0.1874, 0.0110, 1.6},
        {"mps", "H200", OF_TENANTS, 3, 51, 0.1648, -0.0172, -2.0},
        {"mps", "H200", OF_TENANTS, 4, 44, 0.1822, 0.0575, 8.1},
    };
    struct measured t = {0};
    struct hs_json_doc *doc = NULL;
    (void)state;
    measured_good(&t, "configs/measurements/h100.csv");
    measured_clean(&t, HS_CLEAN_DEFAULT);
    assert_int_equal(hs_json_load(&doc, "configs/models/interference.json", &t.sink.diag), HS_OK);
    for (size_t i = 0; i < HS_COUNT_OF(wanted); i++) {
        const struct hs_json *form = shipped_form(doc, wanted[i].form_gpu, wanted[i].mode);
        const double theta[] = {[HS_GENERAL_LN_K] = log(hs_json_number(hs_json_get(form, "k"))),
                                [HS_GENERAL_ALPHA] = hs_json_number(hs_json_get(form, "alpha")),
                                [HS_GENERAL_BETA] = hs_json_number(hs_json_get(form, "beta"))};
        const uint32_t at = wanted[i].capacity == OF_TENANTS ? wanted[i].tenants - 2 : 0;
        struct sharing_check found = {
            .gpu = "H100",
            .mode = wanted[i].mode,
            .tenants = wanted[i].tenants,
            .theta = theta,
            .capacity = wanted[i].capacity == ONE ? 1 : element(hs_json_get(form, "capacity"), at)};
        assert_true(check_sharing(&t.m, 1, &found));
        const double percent = 100 * (found.sum_predicted / found.sum_observed - 1);
        if (found.speed.n != wanted[i].n || !(fabs(found.speed.rmse - wanted[i].rmse) <= 6e-5) ||
            !(fabs(found.speed.bias - wanted[i].bias) <= 6e-5) ||
            !(fabs(percent - wanted[i].percent) <= 0.06))
            fail_msg("%s, form of %s, %u tenants: n %u, RMSE %.4f, bias %.4f, %.1f %%",
                     wanted[i].mode, wanted[i].form_gpu, wanted[i].tenants, found.speed.n,
                     found.speed.rmse, found.speed.bias, percent);
    }
    hs_json_close(doc);
    hs_measure_free(&t.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacities),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_out_of_sample),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
