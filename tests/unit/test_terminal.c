/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/process.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/fixed.h"

/* 87 of 100 GPUs; 1.9 M and 420 k events a second. */
static void test_run_progress(void **state)
{
    (void)state;
    char text[256];
    const struct hs_instant now = {.time_us =
                                       41 * INT64_C(86400) * HS_US_PER_S + 25920 * HS_US_PER_S,
                                   .running = 512,
                                   .pending = 1000,
                                   .suspended = 204,
                                   .gpus_held = 87};
    run_progress_text(&now, 100, 1.9e6, text, sizeof text);
    assert_string_equal(text, "day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87%");
    run_progress_text(&now, 100, 420e3, text, sizeof text);
    assert_string_equal(text, "day 41.3 | 420 k ev/s | run 512 wait 1,204 | util 87%");
    run_progress_text(&now, 100, 420e3, text, 9); /* truncated, not overrun */
    assert_string_equal(text, "day 41.3");
}

static void expect_line(struct hs_terminal *terminal, double share, double elapsed_s,
                        const char *expected)
{
    char text[STATUS_SIZE];
    const struct hs_status_line line = {.terminal = terminal, .label = ""};
    progress_text(&line, "nine more", share, elapsed_s, text);
    assert_string_equal(text, expected);
}

/* "50% " + "[] " + "nine more" + " | ETA 0:10" take 27 of the 80 columns, one is left free: 52, of
 * which the bar takes 32 at most. In 40 columns 12 are left (without an ETA and with a per cent of
 * one digit 24; with one of three digits 11, of which it takes 8), in 35 seven: too few. */
static void test_bar(void **state)
{
    (void)state;
    struct hs_terminal terminal = {.err_is_tty = true, .err_columns = 80};
    expect_line(&terminal, 0.5, 10, "50% [################----------------] nine more | ETA 0:10");
    terminal.err_columns = 40;
    expect_line(&terminal, 0.5, 10, "50% [######------] nine more | ETA 0:10");
    expect_line(&terminal, 0, 10, "0% [------------------------] nine more");
    expect_line(&terminal, 1, 10, "100% [########] nine more | ETA 0:00");
    terminal.err_columns = 35;
    expect_line(&terminal, 0.5, 10, "50% nine more | ETA 0:10");
    terminal.err_columns = 80;
    expect_line(&terminal, -1, 10, "nine more"); /* the share is unknown */
    /* 0.52 of 32 cells are 16.64: 16 whole ones and 5/8 of the next. */
    terminal.err_use_utf8 = true;
    expect_line(&terminal, 0.52, 10, "52% [████████████████▋               ] nine more | ETA 0:09");
    terminal.err_is_tty = false; /* a file: no drawing */
    expect_line(&terminal, 0.5, 10, "50% nine more | ETA 0:10");
    /* An hour after a quarter: three remain. */
    expect_line(&terminal, 0.25, 3600, "25% nine more | ETA 3:00:00");
    expect_line(&terminal, 0.25, 0, "25% nine more");
    const struct hs_status_line tie = {.terminal = &terminal, .label = "ties 3/10 "};
    char text[STATUS_SIZE];
    progress_text(&tie, "x", -1, 0, text);
    assert_string_equal(text, "ties 3/10 x");
}

/* Off: never due. On: once, then not before 200 ms have passed. */
static void test_due(void **state)
{
    (void)state;
    struct hs_terminal terminal = {0};
    struct hs_status_line line;
    hs_status_line_start(&line, &terminal, false, 8);
    assert_false(hs_status_line_is_due(&line));
    hs_status_line_start(&line, &terminal, true, 8);
    assert_false(hs_status_line_is_due(&line)); /* a run may be short */
    const struct timespec while_short = {.tv_nsec = 60000000};
    (void)nanosleep(&while_short, NULL); /* the first line is due after 50 ms */
    assert_true(hs_status_line_is_due(&line));
    assert_false(hs_status_line_is_due(&line));
    assert_true(hs_status_line_elapsed_s(&line) >= 0.06);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_progress),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
