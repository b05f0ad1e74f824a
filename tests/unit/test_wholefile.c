/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file is complete or absent: after success, after a failure of the writer, of the disk.
 */
#include "base/io.h"

#include <dirent.h>
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

/* Entries of the scratch folder that begin with NAME.tmp or .NAME.horus. */
static int beside_count(const char *name)
{
    char tmp[64], lock[64];
    int count = 0;
    (void)snprintf(tmp, sizeof tmp, "%s.tmp", name);
    (void)snprintf(lock, sizeof lock, ".%s.horus", name);
    DIR *dir = opendir(scratch_path("."));
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strncmp(entry->d_name, tmp, strlen(tmp)) == 0 || strcmp(entry->d_name, lock) == 0;
    closedir(dir);
    return count;
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
    assert_int_equal(beside_count("a.json"), 0);
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
    assert_int_equal(beside_count("b.json"), 0);
}

static void cannot_be_created_or_renamed(void **state)
{
    struct hs_wholefile file;
    (void)state;
    assert_int_equal(hs_wholefile_open(&file, "/nowhere/at/all.json", &sink.diag), HS_E_IO);
    const char *path = scratch_path("folder");
    assert_int_equal(hs_wholefile_open(&file, path, &sink.diag), HS_OK);
    assert_int_equal(unlink(file.beside.tmp), 0); /* another process removes the temporary file */
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

/* Under its own name and through a link; other files do not match. */
static void finds_an_output_that_is_an_input(void **state)
{
    char input[512], linked[512];
    (void)state;
    (void)snprintf(input, sizeof input, "%s", scratch_write("in.csv", "1", 1));
    (void)snprintf(linked, sizeof linked, "%s", scratch_path("linked.csv"));
    assert_int_equal(symlink(input, linked), 0);
    const char *const inputs[] = {NULL, "/nowhere/at/all.csv", input, "/dev/null"};
    assert_int_equal(hs_wholefile_check(input, "-o", false, inputs, 4, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_wholefile_check(linked, "-o", false, inputs, 4, &sink.diag), HS_E_USAGE);
    assert_int_equal(
        hs_wholefile_check(scratch_path("out.csv"), "-o", false, inputs, 4, &sink.diag), HS_OK);
    assert_int_equal(hs_wholefile_check("/dev/null", "-o", false, inputs, 4, &sink.diag), HS_OK);
    expect_text(input, "1");
}

/* A user's FILE.tmp is kept; so is a link, and its target is replaced. */
static void keeps_files_and_links_of_the_user(void **state)
{
    struct hs_wholefile file;
    char target[512], tmp[512];
    const char *link = scratch_path("link.csv");
    (void)state;
    (void)snprintf(target, sizeof target, "%s", scratch_write("target.csv", "old", 3));
    (void)snprintf(tmp, sizeof tmp, "%s", scratch_write("link.csv.tmp", "mine", 4));
    assert_int_equal(symlink("target.csv", link), 0);
    assert_int_equal(hs_wholefile_open(&file, link, &sink.diag), HS_OK);
    hs_output_put(&file.out, "new", 3);
    assert_int_equal(hs_wholefile_close(&file, HS_OK, &sink.diag), HS_OK);
    expect_text(target, "new");
    expect_text(tmp, "mine");
    assert_true(readlink(link, target, sizeof target) > 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("nowhere.csv", link), 0);
    assert_int_equal(hs_wholefile_open(&file, link, &sink.diag), HS_E_IO);
    assert_non_null(strstr(sink.text, "symbolic link"));
}

/* The lock of a killed writer names its leftovers; the next writer removes them. */
static void removes_what_a_killed_writer_left(void **state)
{
    struct hs_wholefile file;
    (void)state;
    (void)scratch_write(".k.csv.horus", "0123456789ab\n", 13);
    (void)scratch_write("k.csv.tmp-0123456789ab", "half", 4);
    (void)scratch_write("k.csv.tmp-ba9876543210", "mine", 4);
    const char *path = scratch_path("k.csv");
    assert_int_equal(hs_wholefile_open(&file, path, &sink.diag), HS_OK);
    assert_int_equal(beside_count("k.csv"),
                     3); /* the lock, the temporary file, and the user's file */
    assert_int_equal(hs_wholefile_close(&file, HS_OK, &sink.diag), HS_OK);
    assert_int_equal(beside_count("k.csv"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(replaces_at_the_end, set_up),
        cmocka_unit_test_setup(leaves_nothing_of_a_failure, set_up),
        cmocka_unit_test_setup(cannot_be_created_or_renamed, set_up),
        cmocka_unit_test_setup(names_the_file_that_was_given, set_up),
        cmocka_unit_test_setup(finds_an_output_that_is_an_input, set_up),
        cmocka_unit_test_setup(keeps_files_and_links_of_the_user, set_up),
        cmocka_unit_test_setup(removes_what_a_killed_writer_left, set_up),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
