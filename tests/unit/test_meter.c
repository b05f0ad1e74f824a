/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/meter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/fixed.h"

/* Half of the trace after 10 s: 10 s to go. 19 M events in 10 s: 1.9 M a second. 87 of 100 GPUs. */
static void test_line(void **state)
{
    (void)state;
    struct hs_terminal terminal = {0};
    struct hs_meter meter;
    char text[256];
    const struct hs_instant now = {.time_us =
                                       41 * INT64_C(86400) * HS_US_PER_S + 25920 * HS_US_PER_S,
                                   .running = 512,
                                   .pending = 1000,
                                   .suspended = 204,
                                   .gpus_held = 87};
    struct hs_meter_reading reading = {
        .instant = &now, .share = 0.5, .elapsed_s = 10, .events = 19000000};
    hs_meter_start(&meter, &terminal, true, 100);
    hs_meter_text(&meter, &reading, text, sizeof text);
    assert_string_equal(text,
                        "50% day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87% | ETA 0:10");

    reading.share = -1; /* standard input: nobody knows how much is left */
    meter.label = "ties 3/10 ";
    hs_meter_text(&meter, &reading, text, sizeof text);
    assert_string_equal(text, "ties 3/10 day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87%");
    hs_meter_text(&meter, &reading, text, 10); /* cut, not overrun */
    assert_string_equal(text, "ties 3/10");
}

/* Off: never due. On: once, then not before 200 ms have passed. */
static void test_due(void **state)
{
    (void)state;
    struct hs_terminal terminal = {0};
    struct hs_meter meter;
    hs_meter_start(&meter, &terminal, false, 8);
    assert_false(hs_meter_is_due(&meter));
    hs_meter_start(&meter, &terminal, true, 8);
    assert_true(hs_meter_is_due(&meter));
    assert_false(hs_meter_is_due(&meter));
    assert_true(hs_meter_elapsed_s(&meter) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
