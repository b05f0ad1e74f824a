/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run directory is complete or absent, and nothing that is not a run is ever removed.
 */
#define _GNU_SOURCE /* renameat2, syscall */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/run/rundir.h"
#include "support/sink.h"

static struct sink sink;
static bool has_exchange = true;

/* Replaces the C library's: some file systems lack it. */
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (has_exchange)
        return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
    errno = EINVAL;
    return -1;
}

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

/* Copies a path, since scratch_path() keeps few. */
static const char *kept(char path[768], const char *name)
{
    snprintf(path, 768, "%s", scratch_path(name));
    return path;
}

static void put_file(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("x\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A manifest that lists jobs.csv, and "cells" of a comparison if given. */
static void put_manifest(const char *path, const char *cells)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "{\"program\":\"horus\",\"outputs\":[{\"name\":\"jobs.csv\"}]%s}\n",
                        cells) > 0);
    assert_int_equal(fclose(file), 0);
}

/* Opens, writes manifest and jobs.csv into it and commits. */
static enum hs_status write_dir(const char *path, bool force)
{
    struct hs_rundir dir;
    sink_init(&sink);
    HS_TRY(hs_rundir_open(&dir, path, force, &sink.diag));
    put_manifest(HS_RUNDIR_FILE(&dir, "manifest.json"), "");
    put_file(HS_RUNDIR_FILE(&dir, "jobs.csv"));
    if (!force)
        assert_false(is_there(below(path, "jobs.csv"))); /* not before the commit */
    return hs_rundir_close(&dir, HS_OK, &sink.diag);
}

/* Number of entries of the scratch folder with this prefix: PREFIX.tmp-ID, .PREFIX.horus. */
static int count_of(const char *prefix)
{
    int count = 0;
    DIR *dir = opendir(scratch_path("."));
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(dir);
    return count;
}

static void remove_dir(const char *path)
{
    sink_init(&sink);
    assert_int_equal(hs_rundir_remove(path, &sink.diag), HS_OK);
    assert_false(is_there(path));
}

static void builds_beside_and_renames(void **state)
{
    (void)state;
    const char *path = scratch_path("a");
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_true(is_there(below(path, "manifest.json")));
    assert_int_equal(count_of("a.tmp"), 0);
    assert_int_equal(count_of(".a.horus"), 0);
    remove_dir(path);
}

static void makes_the_folders_above(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s//", scratch_path("x/y/z"));
    assert_int_equal(write_dir(path, false), HS_OK);
    remove_dir(scratch_path("x/y/z"));
    assert_int_equal(rmdir(scratch_path("x/y")), 0);
    assert_int_equal(rmdir(scratch_path("x")), 0);
}

static void refuses_an_existing_run(void **state)
{
    (void)state;
    const char *path = scratch_path("b");
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(write_dir(path, false), HS_E_IO);
    assert_non_null(strstr(sink.text, "this run directory exists"));
    assert_non_null(strstr(sink.text, "--force"));
    assert_int_equal(count_of("b.tmp"), 0);
    remove_dir(path);
}

/* Twice: with renameat2(), and without (two renames). */
static void replaces_with_force(void **state)
{
    (void)state;
    const char *path = scratch_path("c");
    for (int i = 0; i < 2; i++) {
        has_exchange = i == 0;
        assert_int_equal(write_dir(path, false), HS_OK);
        put_file(below(path, "jobs.csv"));
        assert_int_equal(write_dir(path, true), HS_OK);
        assert_int_equal(sink.diag.warnings, 0);
        assert_int_equal(count_of("c."), 0);
        remove_dir(path);
    }
    has_exchange = true;
}

/* A file that no manifest lists, a folder, and a link with the name of a listed file. */
static void keeps_what_is_foreign(void **state)
{
    (void)state;
    const char *path = scratch_path("d");
    assert_int_equal(write_dir(path, false), HS_OK);
    put_file(below(path, "thesis.tex"));
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "d/thesis.tex"));
    assert_true(is_there(below(path, "thesis.tex")) && is_there(below(path, "jobs.csv")));
    assert_int_equal(hs_rundir_remove(path, &sink.diag), HS_E_IO); /* all else is removed */
    assert_true(is_there(below(path, "thesis.tex")) && !is_there(below(path, "jobs.csv")));
    assert_int_equal(unlink(below(path, "thesis.tex")), 0);
    assert_int_equal(mkdir(below(path, "notes"), 0777), 0);
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "d/notes"));
    assert_int_equal(rmdir(below(path, "notes")), 0);
    assert_int_equal(symlink("/etc/passwd", below(path, "jobs.csv")), 0);
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "d/jobs.csv"));
    assert_int_equal(unlink(below(path, "jobs.csv")), 0);
    remove_dir(path);
}

/* A file that appears while the new run is written. */
static void looks_again_before_it_replaces(void **state)
{
    (void)state;
    struct hs_rundir dir;
    const char *path = scratch_path("l");
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(hs_rundir_open(&dir, path, true, &sink.diag), HS_OK);
    put_file(below(path, "thesis.tex"));
    assert_int_equal(hs_rundir_close(&dir, HS_OK, &sink.diag), HS_E_IO);
    assert_true(is_there(below(path, "thesis.tex")) && is_there(below(path, "jobs.csv")));
    assert_int_equal(count_of("l."), 0);
    assert_int_equal(unlink(below(path, "thesis.tex")), 0);
    remove_dir(path);
}

/* Also another program's manifest.json. */
static void never_replaces_what_is_no_run(void **state)
{
    (void)state;
    const char *path = scratch_path("home");
    assert_int_equal(mkdir(path, 0777), 0);
    put_file(below(path, "thesis.tex"));
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "not a run directory"));
    assert_int_equal(rename(below(path, "thesis.tex"), scratch_path("home/manifest.json")), 0);
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "home/manifest.json"));
    assert_int_equal(unlink(below(path, "manifest.json")), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "symbolic link"));
    assert_int_equal(unlink(path), 0);
    put_file(path); /* a file of that name */
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_int_equal(unlink(path), 0);
}

static void fills_an_empty_folder_with_force(void **state)
{
    (void)state;
    const char *path = scratch_path("empty");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(write_dir(path, false), HS_E_IO);
    assert_int_equal(write_dir(path, true), HS_OK);
    remove_dir(path);
}

/* path/runs/fifo-s1-a1 with manifest and jobs.csv, and the manifest of the comparison. */
static void put_runs(const char *path)
{
    char run[4096];
    put_manifest(below(path, "manifest.json"), ",\"cells\":[{\"run\":\"fifo-s1-a1\"}]");
    assert_int_equal(mkdir(below(path, "runs"), 0777), 0);
    snprintf(run, sizeof run, "%s/runs/fifo-s1-a1", path);
    assert_int_equal(mkdir(run, 0777), 0);
    put_file(below(run, "jobs.csv"));
    put_manifest(below(run, "manifest.json"), "");
}

static void a_comparison_goes_with_its_runs(void **state)
{
    (void)state;
    const char *path = scratch_path("h");
    assert_int_equal(write_dir(path, false), HS_OK);
    put_runs(path);
    assert_int_equal(write_dir(path, true), HS_OK);
    assert_int_equal(sink.diag.warnings, 0);
    assert_false(is_there(below(path, "runs")));
    assert_int_equal(count_of("h."), 0);
    remove_dir(path);
}

/* In one of its runs, and beside its runs. */
static void what_is_foreign_in_its_runs_is_kept(void **state)
{
    (void)state;
    static const char *const foreign[] = {"runs/fifo-s1-a1/notes", "runs/sjf-s1-a1"};
    const char *path = scratch_path("i");
    assert_int_equal(write_dir(path, false), HS_OK);
    put_runs(path);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(mkdir(below(path, foreign[i]), 0777), 0);
        assert_int_equal(write_dir(path, true), HS_E_IO);
        assert_non_null(strstr(sink.text, foreign[i]));
        assert_int_equal(rmdir(below(path, foreign[i])), 0);
    }
    remove_dir(path);
}

static void a_run_is_removed_on_demand(void **state)
{
    (void)state;
    const char *path = scratch_path("k");
    sink_init(&sink);
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(hs_rundir_remove(path, &sink.diag), HS_OK);
    assert_false(is_there(path));
    assert_int_equal(hs_rundir_remove(path, &sink.diag), HS_E_IO);
}

static void runs_are_dropped_on_demand(void **state)
{
    (void)state;
    struct hs_rundir dir;
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("j"), false, &sink.diag), HS_OK);
    put_runs(dir.beside.tmp);
    assert_int_equal(hs_rundir_drop_runs(&dir, &sink.diag), HS_OK);
    assert_false(is_there(below(dir.beside.tmp, "runs")));
    assert_true(is_there(dir.beside.tmp));
    assert_int_equal(unlink(below(dir.beside.tmp, "manifest.json")), 0);
    put_runs(dir.beside.tmp);
    hs_rundir_discard(&dir);
    assert_int_equal(count_of("j."), 0);
}

/* Names that another program might have made. */
static void foreign_neighbours_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"e.tmp", "e.old", "e.tmp-0123456789ab"};
    char room[768];
    const char *path = kept(room, "e");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(mkdir(scratch_path(names[i]), 0777), 0);
        put_file(below(scratch_path(names[i]), "jobs.csv"));
    }
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(write_dir(path, true), HS_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(is_there(below(scratch_path(names[i]), "jobs.csv")));
    put_file(scratch_path(".e.horus")); /* "x": not a lock of horus */
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "not a lock file of horus"));
    assert_true(is_there(scratch_path(".e.horus")));
    assert_int_equal(unlink(scratch_path(".e.horus")), 0);
    remove_dir(path);
}

static void a_second_writer_is_refused(void **state)
{
    (void)state;
    struct hs_rundir dir;
    const char *path = scratch_path("m");
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, path, false, &sink.diag), HS_OK);
    assert_int_equal(write_dir(path, true), HS_E_IO); /* flock(2) is of the open file */
    assert_non_null(strstr(sink.text, "another horus is writing this output"));
    hs_rundir_discard(&dir);
    assert_int_equal(write_dir(path, false), HS_OK);
    remove_dir(path);
}

/* The state after a kill: the lock file with the ID, and the files built under it. */
static void put_lock(const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void what_a_killed_writer_left_goes(void **state)
{
    (void)state;
    char room[768];
    const char *path = kept(room, "n");
    put_lock(".n.horus", "0123456789ab\n");
    assert_int_equal(mkdir(scratch_path("n.tmp-0123456789ab"), 0777), 0);
    put_file(scratch_path("n.tmp-0123456789ab/jobs.csv"));
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(count_of("n."), 0);
    assert_int_equal(count_of(".n."), 0);
    remove_dir(path);
}

/* Killed between two renames: there is no NAME; the old run is put back, then replaced. After the
 * renames: the rest of the old run is removed, except a file that no manifest lists. */
static void a_killed_replacement_is_completed(void **state)
{
    (void)state;
    char rooms[3][768];
    const char *path = kept(rooms[0], "o"), *old = kept(rooms[1], "o.old-0123456789ab"),
               *tmp = kept(rooms[2], "o.tmp-0123456789ab");
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(rename(path, old), 0);
    assert_int_equal(write_dir(path, false), HS_OK);
    assert_int_equal(rename(path, tmp), 0);
    put_lock(".o.horus", "0123456789ab swap\n");
    assert_int_equal(write_dir(path, false), HS_E_IO);
    assert_non_null(strstr(sink.text, "this run directory exists"));
    assert_true(is_there(path) && !is_there(old) && !is_there(tmp));

    assert_int_equal(rename(path, old), 0);
    assert_int_equal(write_dir(path, false), HS_OK);
    put_lock(".o.horus", "0123456789ab swap\n");
    put_file(below(old, "thesis.tex"));
    assert_int_equal(write_dir(path, true), HS_E_IO);
    assert_non_null(strstr(sink.text, "thesis.tex"));
    assert_true(is_there(below(old, "thesis.tex")) && is_there(path));
    assert_int_equal(unlink(below(old, "thesis.tex")), 0);
    remove_dir(old); /* with the manifest, which is removed last */
    remove_dir(path);
}

static void discard_leaves_nothing(void **state)
{
    (void)state;
    struct hs_rundir dir;
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("f"), false, &sink.diag), HS_OK);
    put_file(HS_RUNDIR_FILE(&dir, "jobs.csv"));
    hs_rundir_discard(&dir);
    hs_rundir_discard(&dir); /* twice is harmless */
    assert_int_equal(count_of("f."), 0);
    assert_false(is_there(scratch_path("f")));
}

static void one_made_meanwhile_is_kept(void **state)
{
    (void)state;
    struct hs_rundir dir;
    const char *path = scratch_path("g");
    sink_init(&sink);
    assert_int_equal(hs_rundir_open(&dir, path, false, &sink.diag), HS_OK);
    assert_int_equal(mkdir(path, 0777), 0);
    put_manifest(below(path, "manifest.json"), "");
    assert_int_equal(hs_rundir_close(&dir, HS_OK, &sink.diag), HS_E_IO);
    assert_true(is_there(below(path, "manifest.json")));
    hs_rundir_discard(&dir);
    assert_int_equal(count_of("g."), 0);
    remove_dir(path);
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
        cmocka_unit_test(keeps_what_is_foreign),
        cmocka_unit_test(looks_again_before_it_replaces),
        cmocka_unit_test(a_comparison_goes_with_its_runs),
        cmocka_unit_test(what_is_foreign_in_its_runs_is_kept),
        cmocka_unit_test(runs_are_dropped_on_demand),
        cmocka_unit_test(a_run_is_removed_on_demand),
        cmocka_unit_test(foreign_neighbours_stay),
        cmocka_unit_test(a_second_writer_is_refused),
        cmocka_unit_test(what_a_killed_writer_left_goes),
        cmocka_unit_test(a_killed_replacement_is_completed),
        cmocka_unit_test(discard_leaves_nothing),
        cmocka_unit_test(one_made_meanwhile_is_kept),
        cmocka_unit_test(impossible_places_are_io_errors),
    };
    return cmocka_run_group_tests_name("rundir", tests, scratch_open, scratch_close);
}
