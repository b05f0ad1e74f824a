/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Build beside, fsync, rename: NAME is a complete run or absent at every moment, whenever the
 * machine stops. Replacing a run moves the old one aside first and deletes it last.
 *
 * Nothing but a run directory is ever deleted: with force, an existing NAME must hold a
 * manifest.json or be empty, and only its plain files go, and a folder runs/ with directories of
 * plain files; any other folder in it stops the removal.
 */
#include "report/run/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define NAME_ROOM 128u /* bytes kept free in a path for suffixes and file names */

static struct hs_rundir *unfinished; /* all that are open in this process */

static enum hs_status dir_failed(struct hs_diag *diag, const char *path, const char *what)
{
    return hs_fail(diag, HS_E_IO, &(struct hs_place){.file = path}, NULL, "cannot %s: %s", what,
                   strerror(errno));
}

static char *path_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), extra = strlen(suffix);
    char *text = hs_alloc_zeroed(length + extra + 1, 1);
    memcpy(text, path, length);
    memcpy(text + length, suffix, extra);
    return text;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static bool has_manifest(const char *path)
{
    char file[HS_PATH_SIZE + NAME_ROOM];
    snprintf(file, sizeof file, "%s/manifest.json", path);
    return exists(file);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_empty_dir(const char *path)
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

/* A run directory, the runs/ in it, and a run directory in that. */
enum level { LEVEL_DIR, LEVEL_RUNS, LEVEL_RUN };

static bool remove_level(const char *path, enum level level);

static bool remove_entry(int dir, const char *path, const char *name, enum level level)
{
    char below[HS_PATH_SIZE + 2 * NAME_ROOM];
    bool is_folder = level == LEVEL_RUNS || (level == LEVEL_DIR && strcmp(name, HS_RUNS_DIR) == 0);
    if (!is_folder)
        return unlinkat(dir, name, 0) == 0;
    snprintf(below, sizeof below, "%s/%s", path, name);
    return remove_level(below, level == LEVEL_DIR ? LEVEL_RUNS : LEVEL_RUN);
}

/* Empties and removes a directory of that level; errno says what went wrong. */
static bool remove_level(const char *path, enum level level)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return false;
    bool is_done = true;
    for (const struct dirent *entry; is_done && (entry = readdir(dir)) != NULL;)
        if (!is_dots(entry->d_name))
            is_done = remove_entry(dirfd(dir), path, entry->d_name, level);
    int error = errno;
    closedir(dir);
    errno = error;
    return is_done && rmdir(path) == 0;
}

static bool sync_dir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_done = fsync(fd) == 0;
    int error = errno;
    close(fd);
    errno = error;
    return is_done;
}

static bool sync_parent(const char *path)
{
    char parent[HS_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return sync_dir(".");
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    memcpy(parent, path, length);
    parent[length] = '\0';
    return sync_dir(parent);
}

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

/* Whether NAME may be written: absent, or forced and a run. */
static enum hs_status check_existing(const char *path, bool force, struct hs_diag *diag)
{
    struct hs_place place = {.file = path};
    if (!exists(path))
        return HS_OK;
    if (!has_manifest(path) && !is_empty_dir(path))
        return hs_fail(diag, HS_E_IO, &place, "choose another name with -o",
                       "exists and is not a run directory: it is not replaced");
    if (!force)
        return hs_fail(diag, HS_E_IO, &place, "give --force to replace it, or another name with -o",
                       "this run directory exists");
    return HS_OK;
}

static enum hs_status make_tmp(const char *path, bool force, struct hs_diag *diag)
{
    if (mkdir(path, 0777) == 0)
        return HS_OK;
    if (errno != EEXIST)
        return dir_failed(diag, path, "create the directory");
    if (!force)
        return hs_fail(diag, HS_E_IO, &(struct hs_place){.file = path},
                       "if no run is writing it, give --force or remove it",
                       "left by a run that is not over or was killed");
    if (!remove_level(path, LEVEL_DIR))
        return dir_failed(diag, path, "remove what an earlier run left");
    return mkdir(path, 0777) == 0 ? HS_OK : dir_failed(diag, path, "create the directory");
}

enum hs_status hs_rundir_open(struct hs_rundir *dir, const char *path, bool force,
                              struct hs_diag *diag)
{
    *dir = (struct hs_rundir){.may_replace = force};
    size_t length = strlen(path);
    if (length == 0 || length + NAME_ROOM > HS_PATH_SIZE)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "the name of a run directory has 1 to %u bytes, not %zu",
                       HS_PATH_SIZE - NAME_ROOM, length);
    dir->final_path = path_with(path, "");
    while (length > 1 && dir->final_path[length - 1] == '/')
        dir->final_path[--length] = '\0';
    dir->tmp_path = path_with(dir->final_path, ".tmp");
    enum hs_status status = check_existing(dir->final_path, force, diag);
    if (status == HS_OK)
        status = hs_rundir_make_parents(dir->final_path, diag);
    if (status == HS_OK)
        status = make_tmp(dir->tmp_path, force, diag);
    if (status != HS_OK) {
        hs_rundir_discard(dir);
        return status;
    }
    dir->is_open = true;
    dir->owner = getpid();
    dir->next = unfinished;
    unfinished = dir;
    return HS_OK;
}

void hs_rundir_file(const struct hs_rundir *dir, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", dir->tmp_path, name);
}

/* Puts tmp in the place of an old run: the old one is whole until the new one stands. */
static enum hs_status replace(const struct hs_rundir *dir, struct hs_diag *diag)
{
    char old[HS_PATH_SIZE];
    snprintf(old, sizeof old, "%s.old", dir->final_path);
    if (rename(dir->final_path, old) != 0)
        return dir_failed(diag, dir->final_path, "move the old run aside");
    if (rename(dir->tmp_path, dir->final_path) != 0) {
        int error = errno;
        if (rename(old, dir->final_path) != 0)
            hs_report(diag, HS_WARNING, &(struct hs_place){.file = old}, NULL,
                      "the old run stays under this name: %s", strerror(errno));
        errno = error;
        return dir_failed(diag, dir->tmp_path, "rename to the run directory");
    }
    if (!remove_level(old, LEVEL_DIR))
        hs_report(diag, HS_WARNING, &(struct hs_place){.file = old}, "remove it by hand",
                  "the replaced run cannot be removed: %s", strerror(errno));
    return HS_OK;
}

enum hs_status hs_rundir_drop_runs(const struct hs_rundir *dir, struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    hs_rundir_file(dir, HS_RUNS_DIR, path, sizeof path);
    return remove_level(path, LEVEL_RUNS) ? HS_OK : dir_failed(diag, path, "remove the directory");
}

enum hs_status hs_rundir_remove(const char *path, struct hs_diag *diag)
{
    return remove_level(path, LEVEL_DIR) ? HS_OK : dir_failed(diag, path, "remove the directory");
}

enum hs_status hs_rundir_commit(struct hs_rundir *dir, struct hs_diag *diag)
{
    if (!sync_dir(dir->tmp_path))
        return dir_failed(diag, dir->tmp_path, "flush the directory to the disk");
    /* rename(2) itself replaces an empty directory; one that came since open stays without force */
    if (rename(dir->tmp_path, dir->final_path) != 0) {
        if ((errno != EEXIST && errno != ENOTEMPTY) || !dir->may_replace)
            return dir_failed(diag, dir->tmp_path, "rename to the run directory");
        HS_TRY(replace(dir, diag));
    }
    dir->is_open = false;
    enum hs_status status = HS_OK;
    if (!sync_parent(dir->final_path))
        status = dir_failed(diag, dir->final_path, "flush the directory above to the disk");
    hs_rundir_discard(dir);
    return status;
}

static void unlist(const struct hs_rundir *dir)
{
    for (struct hs_rundir **at = &unfinished; *at != NULL; at = &(*at)->next)
        if (*at == dir) {
            *at = dir->next;
            return;
        }
}

void hs_rundir_abandon(void)
{
    for (const struct hs_rundir *dir = unfinished; dir != NULL; dir = dir->next)
        if (dir->owner == getpid())
            (void)remove_level(dir->tmp_path, LEVEL_DIR);
}

void hs_rundir_discard(struct hs_rundir *dir)
{
    unlist(dir);
    /* best effort on the way out of a failure that has been reported */
    if (dir->is_open)
        (void)remove_level(dir->tmp_path, LEVEL_DIR);
    hs_free(dir->final_path);
    hs_free(dir->tmp_path);
    *dir = (struct hs_rundir){0};
}
