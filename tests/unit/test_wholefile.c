/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that is complete or absent: after success, after a failure of the writer, of the disk.
 */
#include "base/io.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "support/sink.h"

static struct sink sink;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static void expect_text(const char *path, const char *expected)
{
    char *text;
    size_t len;
    assert_int_equal(hs_read_file(path, 1 << 20, &text, &len, &sink.diag), HS_OK);
    assert_string_equal(text, expected);
    hs_free(text);
}

static void replaces_at_the_end(void **state)
{
    struct hs_wholefile file;
    const char *path = scratch_write("a.json", "old", 3);
    (void)state;
    assert_int_equal(hs_wholefile_open(&file, path, &sink.diag), HS_OK);
    hs_output_put(&file.out, "new", 3);
    hs_output_flush(&file.out);
    expect_text(path, "old");
    assert_int_equal(hs_wholefile_close(&file, HS_OK, &sink.diag), HS_OK);
    expect_text(path, "new");
    assert_int_not_equal(access(scratch_path("a.json.tmp"), F_OK), 0);
}

static void leaves_nothing_of_a_failure(void **state)
{
    struct hs_wholefile file;
    const char *path = scratch_write("b.json", "old", 3);
    (void)state;
    assert_int_equal(hs_wholefile_open(&file, path, &sink.diag), HS_OK);
    hs_output_put(&file.out, "half", 4);
    assert_int_equal(hs_wholefile_close(&file, HS_E_INPUT, &sink.diag), HS_E_INPUT);
    expect_text(path, "old");
    assert_int_not_equal(access(scratch_path("b.json.tmp"), F_OK), 0);
}

static void cannot_be_created_or_renamed(void **state)
{
    struct hs_wholefile file;
    (void)state;
    assert_int_equal(hs_wholefile_open(&file, "/nowhere/at/all.json", &sink.diag), HS_E_IO);
    const char *path = scratch_path("folder");
    assert_int_equal(hs_wholefile_open(&file, path, &sink.diag), HS_OK);
    assert_int_equal(unlink(file.beside), 0); /* somebody cleans up under us */
    assert_int_equal(hs_wholefile_close(&file, HS_OK, &sink.diag), HS_E_IO);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void names_the_file_that_was_given(void **state)
{
    struct hs_wholefile file;
    (void)state;
    assert_int_equal(hs_wholefile_open(&file, "/nowhere/at/all.json", &sink.diag), HS_E_IO);
    assert_non_null(strstr(sink.text, "/nowhere/at/all.json: error: cannot create"));
    assert_null(strstr(sink.text, ".tmp"));
}

/* Under its own name, through a link, and as the file beside the output; others are no matter. */
static void finds_an_output_that_is_an_input(void **state)
{
    char input[512], linked[512], beside[512];
    (void)state;
    (void)snprintf(input, sizeof input, "%s", scratch_write("in.csv", "1", 1));
    (void)snprintf(linked, sizeof linked, "%s", scratch_path("linked.csv"));
    (void)snprintf(beside, sizeof beside, "%s", scratch_write("out.csv.tmp", "1", 1));
    assert_int_equal(symlink(input, linked), 0);
    const char *const inputs[] = {NULL, "/nowhere/at/all.csv", input, beside, "/dev/null"};
    assert_int_equal(hs_wholefile_check(input, "-o", inputs, 5, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_wholefile_check(linked, "-o", inputs, 5, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_wholefile_check(scratch_path("out.csv"), "-o", inputs, 5, &sink.diag),
                     HS_E_USAGE);
    assert_int_equal(hs_wholefile_check(scratch_path("out.csv"), "-o", inputs, 3, &sink.diag),
                     HS_OK);
    assert_int_equal(hs_wholefile_check("/dev/null", "-o", inputs, 5, &sink.diag), HS_OK);
    expect_text(input, "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(replaces_at_the_end, set_up),
        cmocka_unit_test_setup(leaves_nothing_of_a_failure, set_up),
        cmocka_unit_test_setup(cannot_be_created_or_renamed, set_up),
        cmocka_unit_test_setup(names_the_file_that_was_given, set_up),
        cmocka_unit_test_setup(finds_an_output_that_is_an_input, set_up),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
