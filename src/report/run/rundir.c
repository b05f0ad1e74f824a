/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds beside the target, fsyncs, renames: NAME is a complete run or absent at every moment, even
 * if the machine fails. A run that replaces another is exchanged with it; the old one is removed
 * last, and its manifest at the very end, so that the next start after a kill can identify it.
 *
 * With force, an existing NAME must be empty or contain only what its manifest lists: its files,
 * and for a comparison runs/ with such directories. Other directories, links and special files are
 * foreign, whatever their names.
 */
#include "report/run/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "data/json.h"

#define NAME_ROOM 128u /* bytes reserved in a path for suffixes and file names */
#define MANIFEST  "manifest.json"

static enum hs_status dir_failed(struct hs_diag *diag, const char *path, const char *what)
{
    return hs_fail(diag, HS_E_IO, HS_AT({.file = path}), NULL, "cannot %s: %s", what,
                   strerror(errno));
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return false;
    const struct dirent *entry = readdir(dir);
    while (entry != NULL && is_dots(entry->d_name))
        entry = readdir(dir);
    closedir(dir);
    return entry == NULL;
}

/* ---- what a manifest lists ---- */

/* A run or comparison, its runs/, and a run within that. */
enum level { LEVEL_DIR, LEVEL_RUNS, LEVEL_RUN };

static bool is_listed(const struct hs_json *list, const char *key, const char *name)
{
    for (const struct hs_json *v = hs_json_first(list); v != NULL; v = hs_json_next(v)) {
        const char *text = hs_json_text(hs_json_get(v, key));
        if (text != NULL && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* The allowed contents of a directory: files of a run; for a comparison also the folder runs/; in
 * that folder directories. */
struct listing {
    enum level level;
    struct hs_json_doc *doc; /* the manifest, NULL = no manifest of horus */
    const struct hs_json *files, *runs;
};

/* runs: those of the comparison, for its runs/. */
static struct listing listing_of(const char *path, enum level level, const struct hs_json *runs)
{
    struct listing l = {.level = level, .runs = runs};
    struct hs_diag silent = {.least = HS_ERROR};
    struct stat info;
    const char *manifest = HS_PATH("%s/" MANIFEST, path);
    if (level == LEVEL_RUNS || lstat(manifest, &info) != 0 || !S_ISREG(info.st_mode) ||
        hs_json_load(&l.doc, manifest, &silent) != HS_OK)
        return l;
    const struct hs_json *root = hs_json_root(l.doc);
    const char *program = hs_json_text(hs_json_get(root, "program"));
    if (program != NULL && strcmp(program, "horus") == 0) {
        l.files = hs_json_get(root, "outputs");
        l.runs = level == LEVEL_DIR ? hs_json_get(root, "cells") : NULL;
    }
    return l;
}

enum entry { ENTRY_FOREIGN, ENTRY_FILE, ENTRY_MANIFEST, ENTRY_DIRECTORY };

static enum entry entry_of(const struct listing *l, const char *path, const char *name)
{
    struct stat info;
    const mode_t mode = lstat(path, &info) == 0 ? info.st_mode : 0;
    if (S_ISDIR(mode)) {
        const bool is_known = l->level == LEVEL_RUNS
                                  ? is_listed(l->runs, "run", name)
                                  : l->runs != NULL && strcmp(name, HS_RUNS_DIR) == 0;
        return is_known ? ENTRY_DIRECTORY : ENTRY_FOREIGN;
    }
    if (!S_ISREG(mode) || l->files == NULL)
        return ENTRY_FOREIGN;
    if (strcmp(name, MANIFEST) == 0)
        return ENTRY_MANIFEST;
    return is_listed(l->files, "name", name) ? ENTRY_FILE : ENTRY_FOREIGN;
}

struct dir_scan {
    bool removes;
    char foreign[HS_PATH_SIZE + 2 * NAME_ROOM]; /* the least path that is not listed, "" = none */
};

/* Scans a directory of that level. If the scan removes, listed files are removed, and if nothing
 * foreign was found the manifest and the directory, too. */
static void scan_dir(struct dir_scan *scan, const char *path, enum level level,
                     const struct hs_json *runs)
{
    struct listing l = listing_of(path, level, runs);
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (is_dots(entry->d_name))
            continue;
        const char *below = HS_PATH("%s/%s", path, entry->d_name);
        const enum entry kind = entry_of(&l, below, entry->d_name);
        if (kind == ENTRY_DIRECTORY)
            scan_dir(scan, below, level == LEVEL_DIR ? LEVEL_RUNS : LEVEL_RUN, l.runs);
        else if (kind == ENTRY_FILE && scan->removes)
            (void)unlink(below); /* if this fails, so does rmdir() */
        else if (kind == ENTRY_FOREIGN &&
                 (scan->foreign[0] == '\0' || strcmp(below, scan->foreign) < 0))
            (void)snprintf(scan->foreign, sizeof scan->foreign, "%s", below);
    }
    if (dir != NULL)
        closedir(dir);
    hs_json_close(l.doc);
    if (!scan->removes || scan->foreign[0] != '\0')
        return;
    (void)unlink(HS_PATH("%s/" MANIFEST, path));
    (void)rmdir(path);
}

enum hs_status hs_rundir_remove(const char *path, struct hs_diag *diag)
{
    struct dir_scan scan = {.removes = true};
    struct stat info;
    if (lstat(path, &info) != 0)
        return dir_failed(diag, path, "remove the directory");
    scan_dir(&scan, path, LEVEL_DIR, NULL);
    if (lstat(path, &info) != 0)
        return HS_OK;
    return hs_fail(diag, HS_E_IO, HS_AT({.file = path}), "remove it by hand",
                   "the directory cannot be removed: it holds %s",
                   scan.foreign[0] != '\0' ? scan.foreign : "files that cannot be removed");
}

/* ---- opening ---- */

enum hs_status hs_rundir_make_parents(const char *path, struct hs_diag *diag)
{
    char parent[HS_PATH_SIZE];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        memcpy(parent, path, (size_t)(slash - path));
        parent[slash - path] = '\0';
        if (mkdir(parent, 0777) != 0 && errno != EEXIST)
            return dir_failed(diag, parent, "create the directory");
    }
    return HS_OK;
}

static enum hs_status check_existing(const char *path, bool force, struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    struct stat info;
    struct dir_scan scan = {0};
    if (lstat(path, &info) != 0)
        return HS_OK;
    if (S_ISLNK(info.st_mode))
        return hs_fail(diag, HS_E_IO, &place, "name the directory itself with -o",
                       "is a symbolic link: it is not replaced");
    if (!S_ISDIR(info.st_mode) || (!hs_rundir_has(path, MANIFEST) && !is_empty(path)))
        return hs_fail(diag, HS_E_IO, &place, "choose another name with -o",
                       "exists and is not a run directory: it is not replaced");
    if (!force)
        return hs_fail(diag, HS_E_IO, &place, "give --force to replace it, or another name with -o",
                       "this run directory exists");
    scan_dir(&scan, path, LEVEL_DIR, NULL);
    if (scan.foreign[0] == '\0')
        return HS_OK;
    return hs_fail(diag, HS_E_IO, &place, "move that elsewhere, or choose another name with -o",
                   "holds %s, which no manifest of horus lists: it is not replaced", scan.foreign);
}

/* If a writer was killed while exchanging its run with an older one: restores the older one if it
 * was between the two renames, and removes the rest. */
static enum hs_status settle_swap(const struct hs_beside *b, struct hs_diag *diag)
{
    struct stat info;
    char old[HS_PATH_SIZE], tmp[HS_PATH_SIZE];
    const char *const left[] = {old, tmp};
    if (b->dead_id[0] == '\0')
        return HS_OK;
    hs_beside_name(b, ".old-", b->dead_id, old);
    hs_beside_name(b, ".tmp-", b->dead_id, tmp);
    if (lstat(b->path, &info) != 0 && lstat(old, &info) == 0 && rename(old, b->path) != 0)
        return dir_failed(diag, old, "put the old run back");
    for (size_t i = 0; i < 2; i++)
        if (lstat(left[i], &info) == 0)
            HS_TRY(hs_rundir_remove(left[i], diag));
    return HS_OK;
}

/* Locks the directory, and takes over what a killed run left with a checkpoint. */
static enum hs_status rundir_lock(struct hs_rundir *dir, const char *path, bool force,
                                  struct hs_diag *diag)
{
    *dir = (struct hs_rundir){.may_replace = force};
    size_t length = strlen(path);
    if (length == 0 || length + NAME_ROOM > HS_PATH_SIZE)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "the name of a run directory has 1 to %u bytes, not %zu",
                       HS_PATH_SIZE - NAME_ROOM, length);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *name = HS_PATH("%.*s", (int)length, path);
    HS_TRY(hs_rundir_make_parents(name, diag));
    return hs_beside_lock(&dir->beside, name, HS_RUNDIR_CHECKPOINT, diag);
}

enum hs_status hs_rundir_resume(struct hs_rundir *dir, const char *path, bool force, bool *is_there,
                                struct hs_diag *diag)
{
    HS_TRY(rundir_lock(dir, path, force, diag));
    *is_there = dir->beside.is_made;
    const enum hs_status status =
        *is_there ? hs_beside_settle(HS_RUNDIR_FILE(dir, HS_RUNDIR_CHECKPOINT), diag)
                  : settle_swap(&dir->beside, diag);
    if (!*is_there || status != HS_OK)
        hs_rundir_discard(dir);
    return status;
}

enum hs_status hs_rundir_open(struct hs_rundir *dir, const char *path, bool force,
                              struct hs_diag *diag)
{
    struct hs_beside *b = &dir->beside;
    HS_TRY(rundir_lock(dir, path, force, diag));
    const char *const name = b->path;
    enum hs_status status = HS_OK;
    if (b->is_made)
        status = force ? hs_beside_drop(b, diag)
                       : hs_fail(diag, HS_E_IO, HS_AT({.file = name}),
                                 "--resume continues it, --force starts again",
                                 "a run that was stopped left a checkpoint");
    if (status == HS_OK)
        status = settle_swap(b, diag);
    if (status == HS_OK)
        status = check_existing(name, force, diag);
    if (status == HS_OK)
        status = hs_beside_make(b, NULL, diag);
    if (status != HS_OK)
        hs_beside_close(b);
    return status;
}

bool hs_rundir_is_name(const char *name)
{
    const char *c = name;
    while ((unsigned char)*c >= 0x20 && *c != 0x7f && *c != '/')
        c++;
    return *c == '\0' && c > name && *name != '.';
}

bool hs_rundir_has(const char *path, const char *name)
{
    char file[HS_PATH_SIZE + NAME_ROOM];
    const int len = snprintf(file, sizeof file, "%s/%s", path, name);
    return len > 0 && (size_t)len < sizeof file && access(file, F_OK) == 0;
}

enum hs_status hs_rundir_refuse_many(const char *path, const char *folder, struct hs_diag *diag)
{
    char run[HS_PATH_SIZE];
    char first[HS_PATH_SIZE] = "";
    unsigned count = 0;
    size_t length = strlen(path);
    length -= length > 1 && path[length - 1] == '/';
    const char *runs = HS_PATH("%.*s%s", (int)length, path, folder);
    DIR *entries = opendir(runs);
    if (entries == NULL)
        return HS_OK;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const int len = snprintf(run, sizeof run, "%s/%s", runs, entry->d_name);
        if (entry->d_name[0] == '.' || len < 0 || (size_t)len >= sizeof run ||
            !hs_rundir_has(run, MANIFEST))
            continue;
        if (count++ == 0 || strcmp(run, first) < 0)
            memcpy(first, run, sizeof first);
    }
    closedir(entries);
    return count == 0 ? HS_OK
                      : hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}),
                                HS_PATH("name one, such as %s", first),
                                "not a run itself: it holds %u runs", count);
}

enum hs_status hs_rundir_drop_runs(const struct hs_rundir *dir, struct hs_diag *diag)
{
    const char *path = HS_RUNDIR_FILE(dir, HS_RUNS_DIR);
    return hs_beside_remove(path) ? HS_OK : dir_failed(diag, path, "remove the directory");
}

/* ---- closing ---- */

/* A directory created since the start is kept without force, or if it is foreign. */
static enum hs_status commit(struct hs_rundir *dir, struct hs_diag *diag)
{
    struct hs_beside *b = &dir->beside;
    char old[HS_BESIDE_PATH_MAX];
    struct stat info;
    HS_TRY(hs_beside_sync_above(HS_RUNDIR_FILE(dir, MANIFEST), diag));
    if (lstat(b->path, &info) != 0 || is_empty(b->path))
        return hs_beside_rename(b, diag);
    HS_TRY(check_existing(b->path, dir->may_replace, diag));
    HS_TRY(hs_beside_swap(b, old, diag));
    struct hs_diag errors = {.least = HS_ERROR};
    if (hs_rundir_remove(old, &errors) != HS_OK)
        hs_report(diag, HS_WARNING, HS_AT({.file = old}), "remove it by hand",
                  "the replaced run cannot be removed");
    return HS_OK;
}

enum hs_status hs_rundir_close(struct hs_rundir *dir, enum hs_status status, struct hs_diag *diag)
{
    if (status == HS_OK)
        status = commit(dir, diag);
    hs_rundir_discard(dir);
    return status;
}

void hs_rundir_discard(struct hs_rundir *dir)
{
    hs_beside_close(&dir->beside);
}
