/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/oncelog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/sink.h"

static void a_text_is_shown_once(void **state)
{
    (void)state;
    static struct sink sink;
    struct hs_oncelog log;
    sink_init(&sink);
    assert_int_equal(hs_oncelog_open(&log, &sink.diag), HS_OK);
    for (int i = 0; i < 2; i++) {
        hs_report(&log.diag, HS_WARNING, NULL, NULL, "3 rows left out");
        hs_report(&log.diag, HS_WARNING, NULL, NULL, "4 rows left out");
    }
    hs_oncelog_pass(&log, HS_WARNING, "warning: 4 rows left out", 24);
    hs_oncelog_pass(&log, HS_ERROR, "error: x", 8);
    assert_int_equal(hs_fail(&log.diag, HS_E_INPUT, NULL, NULL, "x"), HS_E_INPUT);
    hs_oncelog_close(&log);
    assert_string_equal(sink.text,
                        "warning: 3 rows left out\nwarning: 4 rows left out\nerror: x\n");
    assert_int_equal(sink.diag.warnings, 2);
    assert_int_equal(sink.diag.errors, 1);
}

/* A note that the target does not want is not remembered: it may want it later. */
static void the_target_decides(void **state)
{
    (void)state;
    static struct sink sink;
    struct hs_oncelog log;
    sink_init(&sink);
    sink.diag.least = HS_WARNING;
    assert_int_equal(hs_oncelog_open(&log, &sink.diag), HS_OK);
    hs_report(&log.diag, HS_NOTE, NULL, NULL, "n");
    assert_string_equal(sink.text, "");
    sink.diag.least = HS_NOTE;
    hs_report(&log.diag, HS_NOTE, NULL, NULL, "n");
    assert_string_equal(sink.text, "note: n\n");
    hs_oncelog_close(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_shown_once),
        cmocka_unit_test(the_target_decides),
    };
    return cmocka_run_group_tests_name("oncelog", tests, NULL, NULL);
}
