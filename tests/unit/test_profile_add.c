/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows that are requested but were never measured.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"
#include "support/sink.h"

static const char rows[] =
    "model,dataset,batch,precision,family,gpu,util,mem_mib,step_ms,macs,params,skew\n"
    "M,D,32,fp32,F,G,50,4000,10,7,8,30\n";

static void test_an_unmeasured_row_keeps_the_graph_and_no_figure(void **state)
{
    (void)state;
    struct sink sink;
    struct hs_catalogue c;
    enum hs_match match;
    uint32_t id = HS_NO_PROFILE, again = HS_NO_PROFILE;
    sink_init(&sink);
    assert_int_equal(
        hs_catalogue_load(&c, scratch_write("profiles.csv", rows, sizeof rows - 1), &sink.diag),
        HS_OK);
    assert_int_equal(hs_catalogue_add(&c, 0, "64", "amp", &id, &sink.diag), HS_OK);
    assert_int_equal(id, 1);
    assert_int_equal(c.count, 2);
    const struct hs_profile *row = &c.profiles[id];
    assert_string_equal(row->key, "M/D/64/amp");
    assert_string_equal(row->family, "F");
    assert_string_equal(row->gpu, "G");
    assert_true(row->features[HS_FEATURE_MACS] == 7);
    assert_int_equal(row->skew_pm, 300);
    assert_int_equal(row->util_pm, -1);
    assert_int_equal(row->util_peak_pm, -1);
    assert_int_equal(row->mem_mib, 0);
    assert_true(isnan(row->step_ms));
    assert_int_equal(hs_catalogue_find(&c, "m/d/64/AMP"), id);
    assert_int_equal(hs_catalogue_match(&c, "m", "", "64", "amp", &match), id);

    /* An existing row is not added again and keeps its measurements. */
    assert_int_equal(hs_catalogue_add(&c, id, "32", "FP32", &again, &sink.diag), HS_OK);
    assert_int_equal(again, 0);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.profiles[0].util_pm, 500);
    hs_catalogue_free(&c);
}

static void test_a_key_that_is_too_long_is_refused(void **state)
{
    (void)state;
    struct sink sink;
    struct hs_catalogue c;
    uint32_t id;
    char precision[600];
    memset(precision, 'x', sizeof precision);
    precision[sizeof precision - 1] = '\0';
    sink_init(&sink);
    assert_int_equal(
        hs_catalogue_load(&c, scratch_write("profiles.csv", rows, sizeof rows - 1), &sink.diag),
        HS_OK);
    assert_int_equal(hs_catalogue_add(&c, 0, "64", precision, &id, &sink.diag), HS_E_LIMIT);
    assert_non_null(strstr(sink.text, "too many profiles"));
    assert_int_equal(c.count, 1);
    hs_catalogue_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_unmeasured_row_keeps_the_graph_and_no_figure),
        cmocka_unit_test(test_a_key_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
