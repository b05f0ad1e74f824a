/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * QSSF job by job against the Helios/Lucid artifact, with its own predictions: durations in
 * seconds, which it multiplies by the GPUs. It is not preemptive there, so its clock of whole
 * seconds gives every job its exact run time. support/published.h says where the files are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/data.h"
#include "support/published.h"

#define EXPECTED "helios-venus/expected_vcvlY_qssf.csv"

static void spec_of(char spec[512], const char *compat)
{
    snprintf(spec, 512, "qssf:scan=strict,placement=consolidate,compat=%s,pred=file,pred_file=%s",
             compat, data_need("oracles", "helios-venus/predictions_vcvlY_lgb.csv"));
}

/* The quirks of the artifact (golden/test_qssf.c) affect none of these jobs: the result without
 * them is the same. */
static void helios_qssf(void **state)
{
    static const char *const compats[] = {"helios", "off"};
    struct workload w = {0};
    char spec[512];
    (void)state;
    published_helios(&w, EXPECTED);
    for (int i = 0; i < 2; i++) {
        spec_of(spec, compats[i]);
        published_compare(&w, "2x8", spec);
    }
    free(w.jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(helios_qssf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
