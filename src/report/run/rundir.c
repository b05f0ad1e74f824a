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
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"

#define NAME_ROOM 128u /* bytes kept free in a path for suffixes and file names */

static struct hs_rundir *unfinished; /* all that are open in this process */

static enum hs_status dir_failed(struct hs_diag *diag, const char *path, const char *what)
{
    return hs_fail(diag, HS_E_IO, &(struct hs_place){.file = path}, NULL, "cannot %s: %s", what,
                   strerror(errno));
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* It has a manifest, or is an empty directory. */
static bool is_run(const char *path)
{
    char file[HS_PATH_SIZE + NAME_ROOM];
    snprintf(file, sizeof file, "%s/manifest.json", path);
    if (exists(file))
        return true;
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

/* Empties and removes a directory of that level; errno says what went wrong. */
static bool remove_level(const char *path, enum level level)
{
    char below[HS_PATH_SIZE + 2 * NAME_ROOM];
    DIR *dir = opendir(path);
    if (dir == NULL)
        return false;
    bool is_done = true;
    for (const struct dirent *entry; is_done && (entry = readdir(dir)) != NULL;) {
        if (is_dots(entry->d_name))
            continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (level == LEVEL_RUNS || (level == LEVEL_DIR && strcmp(entry->d_name, HS_RUNS_DIR) == 0))
            is_done = remove_level(below, level == LEVEL_DIR ? LEVEL_RUNS : LEVEL_RUN);
        else
            is_done = unlink(below) == 0;
    }
    int error = errno;
    closedir(dir);
    errno = error;
    return is_done && rmdir(path) == 0;
}

/* The directory ("."), or the one above (".."). */
static bool sync_dir(const char *path, const char *which)
{
    char at[HS_PATH_SIZE + NAME_ROOM];
    snprintf(at, sizeof at, "%s/%s", path, which);
    int fd = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_done = fsync(fd) == 0;
    int error = errno;
    close(fd);
    errno = error;
    return is_done;
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

enum hs_status hs_rundir_open(struct hs_rundir *dir, const char *path, bool force,
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
    snprintf(dir->final_path, sizeof dir->final_path, "%.*s", (int)length, path);
    snprintf(dir->tmp_path, sizeof dir->tmp_path, "%s.tmp", dir->final_path);
    const struct hs_place place = {.file = dir->final_path}, tmp = {.file = dir->tmp_path};
    const bool is_there = exists(dir->final_path);
    if (is_there && !is_run(dir->final_path))
        return hs_fail(diag, HS_E_IO, &place, "choose another name with -o",
                       "exists and is not a run directory: it is not replaced");
    if (is_there && !force)
        return hs_fail(diag, HS_E_IO, &place, "give --force to replace it, or another name with -o",
                       "this run directory exists");
    HS_TRY(hs_rundir_make_parents(dir->final_path, diag));
    if (force && exists(dir->tmp_path) && !remove_level(dir->tmp_path, LEVEL_DIR))
        return dir_failed(diag, dir->tmp_path, "remove what an earlier run left");
    if (mkdir(dir->tmp_path, 0777) != 0)
        return errno != EEXIST ? dir_failed(diag, dir->tmp_path, "create the directory")
                               : hs_fail(diag, HS_E_IO, &tmp,
                                         "if no run is writing it, give --force or remove it",
                                         "left by a run that is not over or was killed");
    dir->is_open = true;
    dir->owner = getpid();
    dir->next = unfinished;
    unfinished = dir;
    return HS_OK;
}

void hs_rundir_file(const struct hs_rundir *dir, const char *name, char *path, size_t size)
{
    path[0] = '\0';
    hs_append(path, size, "%s/%s", dir->tmp_path, name);
}

bool hs_rundir_has(const char *path, const char *name)
{
    char file[HS_PATH_SIZE + NAME_ROOM];
    const int len = snprintf(file, sizeof file, "%s/%s", path, name);
    return len > 0 && (size_t)len < sizeof file && access(file, F_OK) == 0;
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

static enum hs_status commit(struct hs_rundir *dir, struct hs_diag *diag)
{
    if (!sync_dir(dir->tmp_path, "."))
        return dir_failed(diag, dir->tmp_path, "flush the directory to the disk");
    /* rename(2) itself replaces an empty directory; one that came since open stays without force;
     * an old run is moved aside, whole until the new one stands */
    if (rename(dir->tmp_path, dir->final_path) != 0) {
        char old[HS_PATH_SIZE + 8];
        const struct hs_place place = {.file = old};
        snprintf(old, sizeof old, "%s.old", dir->final_path);
        if ((errno != EEXIST && errno != ENOTEMPTY) || !dir->may_replace)
            return dir_failed(diag, dir->tmp_path, "rename to the run directory");
        if (rename(dir->final_path, old) != 0)
            return dir_failed(diag, dir->final_path, "move the old run aside");
        if (rename(dir->tmp_path, dir->final_path) != 0) {
            int error = errno;
            if (rename(old, dir->final_path) != 0)
                hs_report(diag, HS_WARNING, &place, NULL, "the old run stays under this name: %s",
                          strerror(errno));
            errno = error;
            return dir_failed(diag, dir->tmp_path, "rename to the run directory");
        }
        if (!remove_level(old, LEVEL_DIR))
            hs_report(diag, HS_WARNING, &place, "remove it by hand",
                      "the replaced run cannot be removed: %s", strerror(errno));
    }
    dir->is_open = false;
    return sync_dir(dir->final_path, "..")
               ? HS_OK
               : dir_failed(diag, dir->final_path, "flush the directory above to the disk");
}

enum hs_status hs_rundir_close(struct hs_rundir *dir, enum hs_status status, struct hs_diag *diag)
{
    if (status == HS_OK)
        status = commit(dir, diag);
    hs_rundir_discard(dir);
    return status;
}

void hs_rundir_abandon(void)
{
    for (const struct hs_rundir *dir = unfinished; dir != NULL; dir = dir->next)
        if (dir->owner == getpid())
            (void)remove_level(dir->tmp_path, LEVEL_DIR);
}

void hs_rundir_discard(struct hs_rundir *dir)
{
    struct hs_rundir **at = &unfinished;
    while (*at != NULL && *at != dir)
        at = &(*at)->next;
    if (*at == dir)
        *at = dir->next;
    /* best effort on the way out of a failure that has been reported */
    if (dir->is_open)
        (void)remove_level(dir->tmp_path, LEVEL_DIR);
    *dir = (struct hs_rundir){0};
}
