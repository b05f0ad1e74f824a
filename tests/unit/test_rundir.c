/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run directory is complete or absent, and nothing that is not a run is ever removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/run/rundir.h"
#include "support/sink.h"

static struct sink sink;

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static const char *below(const char *dir, const char *name)
{
    static char path[8192];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void put_file(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("x\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Opens, writes `file` into it and commits. */
static enum hs_status write_dir(const char *path, const char *file, bool force)
{
    struct hs_rundir dir;
    char inside[HS_PATH_SIZE];
    sink_init(&sink);
    HS_TRY(hs_rundir_open(&dir, path, force, &sink.diag));
    hs_rundir_file(&dir, file, inside, sizeof inside);
    put_file(inside);
    if (!force)
        assert_false(is_there(below(path, file))); /* not before the commit */
    return hs_rundir_close(&dir, HS_OK, &sink.diag);
}

static void remove_dir(const char *path, const char *file)
{
    assert_int_equal(unlink(below(path, file)), 0);
    assert_int_equal(rmdir(path), 0);
}

static void builds_beside_and_renames(void **state)
{
    (void)state;
    const char *path = scratch_path("a");
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    assert_true(is_there(below(path, "manifest.json")));
    assert_false(is_there(scratch_path("a.tmp")));
    remove_dir(path, "manifest.json");
}

static void makes_the_folders_above(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s//", scratch_path("x/y/z"));
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    remove_dir(scratch_path("x/y/z"), "manifest.json");
    assert_int_equal(rmdir(scratch_path("x/y")), 0);
    assert_int_equal(rmdir(scratch_path("x")), 0);
}

static void refuses_an_existing_run(void **state)
{
    (void)state;
    const char *path = scratch_path("b");
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    assert_int_equal(write_dir(path, "manifest.json", false), HS_E_IO);
    assert_non_null(strstr(sink.text, "this run directory exists"));
    assert_non_null(strstr(sink.text, "--force"));
    assert_false(is_there(scratch_path("b.tmp")));
    remove_dir(path, "manifest.json");
}

static void replaces_with_force(void **state)
{
    (void)state;
    const char *path = scratch_path("c");
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    put_file(below(path, "old.csv"));
    assert_int_equal(write_dir(path, "manifest.json", true), HS_OK);
    assert_false(is_there(below(path, "old.csv")));
    assert_false(is_there(scratch_path("c.old")));
    remove_dir(path, "manifest.json");
}

static void never_replaces_what_is_no_run(void **state)
{
    (void)state;
    const char *path = scratch_path("home");
    assert_int_equal(mkdir(path, 0777), 0);
    put_file(below(path, "thesis.tex"));
    assert_int_equal(write_dir(path, "manifest.json", true), HS_E_IO);
    assert_non_null(strstr(sink.text, "not a run directory"));
    assert_true(is_there(below(path, "thesis.tex")));
    remove_dir(path, "thesis.tex");
    put_file(path); /* a file of that name */
    assert_int_equal(write_dir(path, "manifest.json", true), HS_E_IO);
    assert_int_equal(unlink(path), 0);
}

static void fills_an_empty_folder_with_force(void **state)
{
    (void)state;
    const char *path = scratch_path("empty");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(write_dir(path, "manifest.json", false), HS_E_IO);
    assert_int_equal(write_dir(path, "manifest.json", true), HS_OK);
    remove_dir(path, "manifest.json");
}

static void a_folder_inside_the_old_run_is_kept(void **state)
{
    (void)state;
    const char *path = scratch_path("d");
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    assert_int_equal(mkdir(below(path, "notes"), 0777), 0);
    assert_int_equal(write_dir(path, "manifest.json", true), HS_OK);
    assert_int_equal(sink.diag.warnings, 1);
    assert_non_null(strstr(sink.text, "the replaced run cannot be removed"));
    assert_true(is_there(scratch_path("d.old/notes")));
    remove_dir(path, "manifest.json");
    unlink(scratch_path("d.old/manifest.json")); /* may be gone already */
    assert_int_equal(rmdir(scratch_path("d.old/notes")), 0);
    assert_int_equal(rmdir(scratch_path("d.old")), 0);
}

/* path/runs/RUN/jobs.csv, and RUN's folder if it is given. */
static void put_runs(const char *path, const char *folder)
{
    char run[4096];
    assert_int_equal(mkdir(below(path, "runs"), 0777), 0);
    snprintf(run, sizeof run, "%s/runs/fifo-s1-a1", path);
    assert_int_equal(mkdir(run, 0777), 0);
    put_file(below(run, "jobs.csv"));
    if (folder != NULL)
        assert_int_equal(mkdir(below(run, folder), 0777), 0);
}

static void a_comparison_goes_with_its_runs(void **state)
{
    (void)state;
    const char *path = scratch_path("h");
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    put_runs(path, NULL);
    assert_int_equal(write_dir(path, "manifest.json", true), HS_OK);
    assert_int_equal(sink.diag.warnings, 0);
    assert_false(is_there(below(path, "runs")));
    assert_false(is_there(scratch_path("h.old")));
    remove_dir(path, "manifest.json");
}

static void a_folder_inside_a_run_of_it_is_kept(void **state)
{
    (void)state;
    const char *path = scratch_path("i");
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    put_runs(path, "notes");
    assert_int_equal(write_dir(path, "manifest.json", true), HS_OK);
    assert_int_equal(sink.diag.warnings, 1);
    assert_true(is_there(scratch_path("i.old/runs/fifo-s1-a1/notes")));
    remove_dir(path, "manifest.json");
    unlink(scratch_path("i.old/manifest.json")); /* may be gone already */
    unlink(scratch_path("i.old/runs/fifo-s1-a1/jobs.csv"));
    assert_int_equal(rmdir(scratch_path("i.old/runs/fifo-s1-a1/notes")), 0);
    assert_int_equal(rmdir(scratch_path("i.old/runs/fifo-s1-a1")), 0);
    assert_int_equal(rmdir(scratch_path("i.old/runs")), 0);
    assert_int_equal(rmdir(scratch_path("i.old")), 0);
}

static void a_run_is_removed_on_demand(void **state)
{
    (void)state;
    const char *path = scratch_path("k");
    sink_init(&sink);
    assert_int_equal(write_dir(path, "manifest.json", false), HS_OK);
    assert_int_equal(hs_rundir_remove(path, &sink.diag), HS_OK);
    assert_false(is_there(path));
    assert_int_equal(hs_rundir_remove(path, &sink.diag), HS_E_IO);
}

/* In runs/ there are folders alone. */
static void runs_are_dropped_on_demand(void **state)
{
    (void)state;
    struct hs_rundir dir;
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("j"), false, &sink.diag), HS_OK);
    put_runs(dir.tmp_path, NULL);
    put_file(below(dir.tmp_path, "runs/thesis.tex"));
    assert_int_equal(hs_rundir_drop_runs(&dir, &sink.diag), HS_E_IO);
    assert_true(is_there(below(dir.tmp_path, "runs/thesis.tex")));
    assert_int_equal(unlink(below(dir.tmp_path, "runs/thesis.tex")), 0);
    assert_int_equal(hs_rundir_drop_runs(&dir, &sink.diag), HS_OK);
    assert_false(is_there(below(dir.tmp_path, "runs")));
    assert_true(is_there(dir.tmp_path));
    put_runs(dir.tmp_path, NULL);
    hs_rundir_discard(&dir);
    assert_false(is_there(scratch_path("j.tmp")));
}

static void a_leftover_is_named_and_removed_with_force(void **state)
{
    (void)state;
    const char *path = scratch_path("e"), *tmp = scratch_path("e.tmp");
    assert_int_equal(mkdir(tmp, 0777), 0);
    put_file(below(tmp, "jobs.csv"));
    assert_int_equal(write_dir(path, "manifest.json", false), HS_E_IO);
    assert_non_null(strstr(sink.text, "e.tmp"));
    assert_true(is_there(below(tmp, "jobs.csv"))); /* another run may be writing it */
    assert_int_equal(write_dir(path, "manifest.json", true), HS_OK);
    assert_false(is_there(below(path, "jobs.csv")));
    remove_dir(path, "manifest.json");
}

static void discard_leaves_nothing(void **state)
{
    (void)state;
    struct hs_rundir dir;
    char file[HS_PATH_SIZE];
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("f"), false, &sink.diag), HS_OK);
    hs_rundir_file(&dir, "jobs.csv", file, sizeof file);
    put_file(file);
    hs_rundir_discard(&dir);
    hs_rundir_discard(&dir); /* twice is harmless */
    assert_false(is_there(scratch_path("f.tmp")));
    assert_false(is_there(scratch_path("f")));
}

static void one_that_came_meanwhile_stays(void **state)
{
    (void)state;
    struct hs_rundir dir;
    const char *path = scratch_path("g");
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, path, false, &sink.diag), HS_OK);
    assert_int_equal(mkdir(path, 0777), 0);
    put_file(below(path, "manifest.json"));
    assert_int_equal(hs_rundir_close(&dir, HS_OK, &sink.diag), HS_E_IO);
    assert_true(is_there(below(path, "manifest.json")));
    hs_rundir_discard(&dir);
    assert_false(is_there(scratch_path("g.tmp")));
    remove_dir(path, "manifest.json");
}

static void impossible_places_are_io_errors(void **state)
{
    (void)state;
    struct hs_rundir dir;
    char longest[HS_PATH_SIZE + 1];
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, "/proc/horus/run", false, &sink.diag), HS_E_IO);
    assert_non_null(strstr(sink.text, "/proc/horus"));
    const char *file = scratch_write("plain", "x", 1);
    assert_int_equal(hs_rundir_open(&dir, below(file, "run"), false, &sink.diag), HS_E_IO);
    memset(longest, 'x', sizeof longest);
    longest[HS_PATH_SIZE] = '\0';
    assert_int_equal(hs_rundir_open(&dir, longest, false, &sink.diag), HS_E_USAGE);
    assert_int_equal(hs_rundir_open(&dir, "", false, &sink.diag), HS_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_beside_and_renames),
        cmocka_unit_test(makes_the_folders_above),
        cmocka_unit_test(refuses_an_existing_run),
        cmocka_unit_test(replaces_with_force),
        cmocka_unit_test(never_replaces_what_is_no_run),
        cmocka_unit_test(fills_an_empty_folder_with_force),
        cmocka_unit_test(a_folder_inside_the_old_run_is_kept),
        cmocka_unit_test(a_comparison_goes_with_its_runs),
        cmocka_unit_test(a_folder_inside_a_run_of_it_is_kept),
        cmocka_unit_test(runs_are_dropped_on_demand),
        cmocka_unit_test(a_run_is_removed_on_demand),
        cmocka_unit_test(a_leftover_is_named_and_removed_with_force),
        cmocka_unit_test(discard_leaves_nothing),
        cmocka_unit_test(one_that_came_meanwhile_stays),
        cmocka_unit_test(impossible_places_are_io_errors),
    };
    return cmocka_run_group_tests_name("rundir", tests, scratch_open, scratch_close);
}
