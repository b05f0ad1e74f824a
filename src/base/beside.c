/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Uses flock(2), not fcntl(2): the lock belongs to the open file, so that children that write parts
 * of a directory hold it as well, and closing other descriptors in the parent does not release it.
 * The lock file is removed while locked: after locking, a process checks that the path still leads
 * to its file. Its text is the ID, followed by "swap" while the output is exchanged with an older
 * one. Functions called by signal handlers use only system calls.
 */
#define _GNU_SOURCE /* getdents64, renameat2 */
#include "base/beside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAITS     20 /* for another writer, a second in total: one being killed ends by then */
#define WAIT_NS   50000000
#define NAME_ROOM 32u /* bytes of ".tmp-ID", ".old-ID" and of "." and ".horus" */
#define SWAP      " swap"
#define DEPTH     3u

static struct hs_beside *volatile open_ones; /* of this process and its ancestors */

static enum hs_status failed(struct hs_diag *diag, const char *path, const char *what)
{
    return hs_fail(diag, HS_E_IO, HS_AT({.file = path}), NULL, "cannot %s: %s", what,
                   strerror(errno));
}

/* ---- removing ---- */

static bool remove_at(int at, const char *name, unsigned depth)
{
    char buffer[4096] __attribute__((aligned(8)));
    bool is_done = true;
    ssize_t len;
    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR || depth == 0)
        return false;
    const int dir = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return false;
    while (is_done && (len = getdents64(dir, buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < len;) {
            const struct dirent64 *entry = (const void *)(buffer + i);
            i += entry->d_reclen;
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                is_done = remove_at(dir, entry->d_name, depth - 1) && is_done;
        }
    (void)close(dir);
    return unlinkat(at, name, AT_REMOVEDIR) == 0;
}

bool hs_beside_remove(const char *path)
{
    return remove_at(AT_FDCWD, path, DEPTH);
}

void hs_beside_abandon(void)
{
    for (const struct hs_beside *b = open_ones; b != NULL; b = b->next) {
        if (b->owner != getpid() || b->is_swapping || /* the next start completes a swap */
            (b->is_made && b->is_kept))
            continue;
        if (b->is_made)
            (void)hs_beside_remove(b->tmp);
        if (b->fd >= 0)
            (void)unlink(b->lock);
    }
}

/* ---- the lock ---- */

int hs_lock_try(const char *path, int *fd)
{
    struct stat held, there;
    *fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (*fd < 0)
        return errno;
    int error = flock(*fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (error == 0 && (fstat(*fd, &held) != 0 || lstat(path, &there) != 0 ||
                       held.st_dev != there.st_dev || held.st_ino != there.st_ino))
        error = EINTR; /* its holder has removed it */
    if (error == 0)
        return 0;
    (void)close(*fd);
    *fd = -1;
    return error;
}

/* Returns HS_OK with a descriptor, or with -1 if files cannot be locked: unguessable names keep
 * writers apart there, too, and the output of the last one to end remains. */
static enum hs_status take(struct hs_beside *b, struct hs_diag *diag)
{
    int error;
    for (int waits = 0; (error = hs_lock_try(b->lock, &b->fd)) != 0;) {
        if (error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP) {
            (void)unlink(b->lock);
            return HS_OK;
        }
        if (error == EINTR)
            continue;
        errno = error;
        if (error != EWOULDBLOCK)
            return failed(diag, error == ELOOP ? b->lock : b->path, "create");
        if (waits++ == WAITS)
            return hs_fail(diag, HS_E_IO, HS_AT({.file = b->path}),
                           "wait for its end, or give another name",
                           "another horus is writing this output");
        (void)nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    }
    return HS_OK;
}

/* Reads what a killed writer left: its ID, "" in an empty file; *is_swap: it was replacing. */
static bool read_lock(const struct hs_beside *b, char id[HS_BESIDE_ID_SIZE], bool *is_swap)
{
    static const char digits[] = "0123456789abcdef";
    char text[64] = "";
    struct stat info;
    const ssize_t len = fstat(b->fd, &info) == 0 && S_ISREG(info.st_mode)
                            ? pread(b->fd, text, sizeof text - 1, 0)
                            : -1;
    const size_t id_len = HS_BESIDE_ID_SIZE - 1;
    id[0] = '\0';
    if (len <= 0)
        return len == 0;
    *is_swap = strcmp(text + (len > (ssize_t)id_len ? id_len : 0), SWAP "\n") == 0;
    if (strspn(text, digits) != id_len || (!*is_swap && strcmp(text + id_len, "\n") != 0))
        return false;
    (void)snprintf(id, HS_BESIDE_ID_SIZE, "%.*s", (int)id_len, text);
    return true;
}

static enum hs_status write_lock(const struct hs_beside *b, const char *behind,
                                 struct hs_diag *diag)
{
    char text[64];
    const int len = snprintf(text, sizeof text, "%s%s\n", b->id, behind);
    if (b->fd < 0)
        return HS_OK;
    return ftruncate(b->fd, 0) == 0 && pwrite(b->fd, text, (size_t)len, 0) == len
               ? HS_OK
               : failed(diag, b->lock, "write");
}

void hs_beside_name(const struct hs_beside *b, const char *between, const char *id,
                    char name[HS_BESIDE_PATH_MAX])
{
    (void)snprintf(name, HS_BESIDE_PATH_MAX, "%.*s%s%s", (int)(HS_BESIDE_PATH_MAX - NAME_ROOM),
                   b->path, between, id);
}

enum hs_status hs_beside_follow(const char *path, char target[HS_BESIDE_PATH_MAX],
                                struct hs_diag *diag)
{
    struct stat info;
    (void)snprintf(target, HS_BESIDE_PATH_MAX, "%s", path);
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode) || realpath(path, target) != NULL)
        return HS_OK;
    return hs_fail(diag, HS_E_IO, HS_AT({.file = path}), "remove it, or name the file",
                   "cannot write through this symbolic link: %s", strerror(errno));
}

enum hs_status hs_beside_drop(struct hs_beside *b, struct hs_diag *diag)
{
    if (!hs_beside_remove(b->tmp))
        return failed(diag, b->tmp, "remove what a killed run left");
    b->is_made = b->is_kept = false;
    return HS_OK;
}

enum hs_status hs_beside_lock(struct hs_beside *b, const char *path, const char *mark,
                              struct hs_diag *diag)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    char id[HS_BESIDE_ID_SIZE], left[HS_BESIDE_PATH_MAX + 64];
    bool is_swap = false;
    *b = (struct hs_beside){.fd = -1, .owner = getpid()};
    if (strlen(path) + NAME_ROOM > HS_BESIDE_PATH_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the name of the output file is too long");
    (void)snprintf(b->path, sizeof b->path, "%s", path);
    (void)snprintf(b->lock, sizeof b->lock, "%.*s.%s.horus", (int)(base - path), path, base);
    HS_TRY(take(b, diag));
    if (b->fd >= 0 && !read_lock(b, id, &is_swap)) {
        (void)close(b->fd);
        return hs_fail(diag, HS_E_IO, HS_AT({.file = b->lock}),
                       "rename it, or give the output another name",
                       "it is not a lock file of horus and is left as it is");
    }
    b->is_open = true;
    b->next = open_ones;
    open_ones = b;
    if (b->fd < 0 || id[0] == '\0')
        return HS_OK;
    if (is_swap) {
        memcpy(b->dead_id, id, sizeof id);
        return HS_OK;
    }
    memcpy(b->id, id, sizeof id);
    hs_beside_name(b, ".tmp-", id, b->tmp);
    const int len = snprintf(left, sizeof left, "%s/%s", b->tmp, mark != NULL ? mark : "");
    b->is_made = b->is_kept =
        mark != NULL && len > 0 && (size_t)len < sizeof left && access(left, F_OK) == 0;
    if (b->is_made)
        return HS_OK;
    const enum hs_status status = hs_beside_drop(b, diag);
    if (status != HS_OK)
        hs_beside_close(b);
    return status;
}

enum hs_status hs_beside_settle(const char *path, struct hs_diag *diag)
{
    struct hs_beside b;
    HS_TRY(hs_beside_lock(&b, path, NULL, diag));
    hs_beside_close(&b);
    return HS_OK;
}

/* ---- writing ---- */

enum hs_status hs_beside_make(struct hs_beside *b, int *fd, struct hs_diag *diag)
{
    unsigned char random[(HS_BESIDE_ID_SIZE - 1) / 2];
    for (;;) {
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
            if (errno == EINTR)
                continue;
            return failed(diag, b->path, "draw a name");
        }
        for (size_t i = 0; i < sizeof random; i++)
            (void)snprintf(b->id + 2 * i, 3, "%02x", random[i]);
        hs_beside_name(b, ".tmp-", b->id, b->tmp);
        HS_TRY(write_lock(b, "", diag));
        b->is_made = true; /* set first: a signal may arrive in between */
        const int made =
            fd == NULL ? mkdir(b->tmp, 0777)
                       : open(b->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd != NULL)
            *fd = made;
        if (made >= 0)
            return HS_OK;
        b->is_made = false;
        if (errno != EEXIST && errno != EINTR)
            return failed(diag, b->path, fd == NULL ? "create the directory" : "create");
    }
}

enum hs_status hs_beside_sync_above(const char *path, struct hs_diag *diag)
{
    const char *slash = strrchr(path, '/');
    char above[HS_BESIDE_PATH_MAX] = ".";
    if (slash != NULL)
        (void)snprintf(above, sizeof above, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int fd;
    do {
        fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    bool is_done = fd >= 0;
    while (is_done && fsync(fd) != 0 && errno != EINVAL) /* the file system has no fsync */
        is_done = errno == EINTR;
    const enum hs_status status =
        is_done ? HS_OK : failed(diag, above, "flush the directory to the disk");
    if (fd >= 0)
        (void)close(fd);
    return status;
}

enum hs_status hs_beside_rename(struct hs_beside *b, struct hs_diag *diag)
{
    if (rename(b->tmp, b->path) != 0)
        return failed(diag, b->path, "write");
    b->is_made = false;
    return hs_beside_sync_above(b->path, diag);
}

enum hs_status hs_beside_swap(struct hs_beside *b, char old[HS_BESIDE_PATH_MAX],
                              struct hs_diag *diag)
{
    (void)snprintf(old, HS_BESIDE_PATH_MAX, "%s", b->tmp);
    HS_TRY(write_lock(b, SWAP, diag));
    b->is_swapping = true;
    bool is_done = renameat2(AT_FDCWD, b->tmp, AT_FDCWD, b->path, RENAME_EXCHANGE) == 0;
    if (!is_done && (errno == EINVAL || errno == ENOSYS)) {
        hs_beside_name(b, ".old-", b->id, old);
        if (b->fd >= 0)
            (void)fsync(b->fd); /* briefly only the old run has this name */
        is_done = rename(b->path, old) == 0;
        if (is_done && rename(b->tmp, b->path) != 0) {
            const int error = errno;
            is_done = false;
            if (rename(old, b->path) != 0)
                hs_report(diag, HS_WARNING, HS_AT({.file = old}), NULL,
                          "the old run stays under this name: %s", strerror(errno));
            errno = error;
        }
    }
    b->is_swapping = is_done;
    if (!is_done)
        return failed(diag, b->path, "put the new run in place");
    b->is_made = false;
    return hs_beside_sync_above(b->path, diag);
}

static struct hs_beside *volatile *place_of(const struct hs_beside *b)
{
    struct hs_beside *volatile *at = &open_ones;
    while (*at != b)
        at = &(*at)->next;
    return at;
}

void hs_beside_move(struct hs_beside *to, struct hs_beside *from)
{
    struct hs_beside *volatile *at = place_of(from);
    *to = *from;
    *at = to;
    from->is_open = false;
}

void hs_beside_close(struct hs_beside *b)
{
    if (!b->is_open)
        return;
    struct hs_beside *volatile *at = place_of(b);
    const bool is_kept = b->is_made && b->is_kept;
    /* best effort, as the failure was already reported */
    if (b->is_made && !is_kept)
        (void)hs_beside_remove(b->tmp);
    if (b->fd >= 0 && !is_kept)
        (void)unlink(b->lock);
    if (b->fd >= 0)
        (void)close(b->fd);
    *at = b->next;
    b->is_open = false;
}
