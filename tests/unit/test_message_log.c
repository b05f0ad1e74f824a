/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/simulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/sink.h"

static void a_text_is_shown_once(void **state)
{
    (void)state;
    static struct sink sink;
    struct hs_message_log log;
    sink_init(&sink);
    hs_message_log_open(&log, &sink.diag, HS_LOG_UNIQUE);
    for (int i = 0; i < 2; i++) {
        hs_report(&log.diag, HS_WARNING, NULL, NULL, "3 rows left out");
        hs_report(&log.diag, HS_WARNING, NULL, NULL, "4 rows left out");
    }
    hs_message_log_put(&log, HS_WARNING, "warning: 4 rows left out", 24);
    hs_message_log_put(&log, HS_ERROR, "error: x", 8);
    assert_int_equal(hs_fail(&log.diag, HS_E_INPUT, NULL, NULL, "x"), HS_E_INPUT);
    hs_message_log_close(&log);
    assert_string_equal(sink.text,
                        "warning: 3 rows left out\nwarning: 4 rows left out\nerror: x\n");
    assert_int_equal(sink.diag.warnings, 2);
    assert_int_equal(sink.diag.errors, 1);
}

/* A note that the target does not accept is not remembered: it may be accepted later. */
static void the_target_decides(void **state)
{
    (void)state;
    static struct sink sink;
    struct hs_message_log log;
    sink_init(&sink);
    sink.diag.least = HS_WARNING;
    hs_message_log_open(&log, &sink.diag, HS_LOG_UNIQUE);
    hs_report(&log.diag, HS_NOTE, NULL, NULL, "n");
    assert_string_equal(sink.text, "");
    sink.diag.least = HS_NOTE;
    hs_report(&log.diag, HS_NOTE, NULL, NULL, "n");
    assert_string_equal(sink.text, "note: n\n");
    hs_message_log_close(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_shown_once),
        cmocka_unit_test(the_target_decides),
    };
    return cmocka_run_group_tests_name("message_log", tests, NULL, NULL);
}
