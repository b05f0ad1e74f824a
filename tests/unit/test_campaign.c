/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A campaign with a row for each tenant, through `horus calibrate interference` to what a run
 * reads: speeds relative to the mean of the runs alone, capacities of two and three tenants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacities),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
